/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_EVENTS_H
#define TORSOR_ANALYSIS_EVENTS_H

/** The events of a model, watched over the steps of an integrator. */

#include "analysis/observe/observer.h"

/** One event under watch. */
typedef struct watch {
  const torsor_event *event;
  int *column;  /* [signals] place of its signals among all */
  int side;     /* sign that it was last seen with; 0 = it has not left zero yet */
  double from;  /* time in this step at which it still had that sign... */
  double value; /* ... and its value there */
  int count;    /* occurrences */
} watch;

/** A change of sign. */
typedef struct crossing {
  int watch;
  double t;
  bool rising, reported;
} crossing;

typedef struct events {
  int count;
  watch *watch;
  bool reactions;          /* signals depend on v' or lambda */
  torsor_signals *signals; /* all that are needed */
  double *values;          /* [their number] */
  double *x;               /* those of one event */
  double *sample;          /* [count] values of all events at one time */
  crossing *crossing;      /* [count] of one part of a step, in the order of time */
  observer *observer;
  torsor_integrator *integrator;
  bool begun;
  /* Signs, times and values with which the step began, to go through it again. */
  int *side_before, *count_before;
  double *from_before, *value_before;
  /* What was found in it: at reported_t[i] event |code| - 1, rising where the code is positive. */
  int reported;
  int *reported_code;
  double *reported_t;
  /* The step that is gone through. */
  double t0, t1;
  int part, found, next; /* crossings found in this part, the next one to report */
  double limit;          /* later ones do not happen: the step ends there */
} events;

/** Look all signals up; memory from `memory`.  To be released. */
torsor_status events_create(events *out, const torsor_model *model, observer *o,
                            torsor_integrator *integrator, arena *memory, torsor_error *error);
void events_release(events *e);
/** All that moves from step to step. */
void events_walk(events *e, tape *t);

/** Signs at the integrator's state, where a simulation begins or goes on after events_cut. */
torsor_status events_begin(events *e, torsor_error *error);

/** Go through the step from t0 to t1, which the integrator has just taken. */
void events_scan(events *e, double t0, double t1);

/** That step is about to end at t: events in it after that have not happened. */
torsor_status events_take_back(events *e, double t, torsor_error *error);

/** Occurrence i of `reported` in the step. */
torsor_occurrence events_occurrence(const events *e, int i);

/** Its next occurrence; NULL = no more.  Crossings in directions that are not wanted and those of
 * events that are over are passed over. */
torsor_status events_next(const crossing **out, events *e, torsor_error *error);

/** The step ends at t, the time of the crossing reported last: others count only as far as they are
 * there, too. */
void events_cut(events *e, double t);

/** Signs as they are there: an event that has just happened has to leave zero anew. */
void events_settle(events *e);

#endif
