/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_EVENTS_H
#define TORSOR_ANALYSIS_EVENTS_H

/** Zero-crossing location: the events of a model, monitored over the steps of an integrator. */

#include "analysis/observe/observer.h"

/** One event. */
typedef struct watch {
  const torsor_event *event;
  int *column;  /* [signals] index of its signals among all */
  int side;     /* last sign; 0 = it has not left zero yet */
  double from;  /* last time in this step with that sign */
  double value; /* its value there */
  int count;    /* number of occurrences */
  bool locks;   /* it switches joints on: it does not happen while they act */
  double last;  /* a kink: time of its last occurrence ... */
  int quick;    /* ... and how many followed each other within few steps */
} watch;

/** A change of sign. */
typedef struct crossing {
  int watch;
  double t;
  bool rising, reported;
} crossing;

typedef struct events {
  int count;
  int parts; /* how often signs are compared in a step */
  watch *watch;
  bool reactions;          /* some signals depend on v' or lambda */
  torsor_signals *signals; /* all signals that are needed */
  double *values;          /* [number of signals] */
  double *x;               /* arguments of one event */
  double *sample;          /* [count] values of all events at one time */
  crossing *crossing;      /* [count] crossings in one part of a step, in the order of time */
  observer *observer;
  torsor_integrator *integrator;
  bool begun;
  /** [count] for kinks the side on which the functions of the model stay (torsor_now.side); 0: on
   *  that where they are. */
  signed char *held;
  /* Signs, times and values at the start of the step, to go through it again. */
  int *side_before, *count_before;
  double *from_before, *value_before;
  /* Crossings that were found in the step: at reported_t[i] event |code| - 1, rising where the code
   * is positive. */
  int reported;
  int *reported_code;
  double *reported_t;
  double *lost; /* energy that its switching took, J; NaN: nothing that takes any was switched */
  /* Start and end of the present step. */
  double t0, t1;
  int part, found, next; /* crossings found in this part, the next one to report */
  double limit;          /* the step ends there, and later crossings do not happen */
} events;

/** Finds the signals of all events; memory from `memory`.  The result must be released. */
torsor_status events_create(events *out, const torsor_model *model, observer *o,
                            torsor_integrator *integrator, arena *memory, torsor_error *error);
void events_release(events *e);
/** Walks over everything that changes from step to step (base/tape.h). */
void events_walk(events *e, tape *t);

/** Finds the signs at the integrator's state, where a simulation begins, or goes on after
 * events_cut. */
torsor_status events_begin(events *e, torsor_error *error);

/** Begins the search in the step from t0 to t1, which the integrator has just taken. */
void events_scan(events *e, double t0, double t1);

/** Undoes the events after t in that step, which is about to end there. */
torsor_status events_take_back(events *e, double t, torsor_error *error);

/** Is the crossing of a kink one at which the motion begins anew?  Not where it follows others
 *  within few steps of the length `step`: a motion that slides along a jump would never get on. */
bool events_kink_counts(events *e, const crossing *c, double step);

/** How many of the crossings reported from number `first` on are no kinks. */
int events_shown(const events *e, int first);

/** Evaluates the signals of all events at p, for events_set_value. */
void events_see(events *e, const torsor_point *p);

/** The value that occurrence i of `reported` gives to `set`, an input or a state of its event, at
 * t. */
double events_set_value(const events *e, int i, const torsor_event_set *set, double t);

/** Returns occurrence i of `reported` in the step. */
torsor_occurrence events_occurrence(const events *e, int i);

/** Notes the energy that occurrence i of `reported` took. */
void events_note_loss(events *e, int i, double lost);

/** Finds the next crossing in the step; NULL = no more.  Crossings in directions that are not
 * wanted, and those of events that are over, are skipped. */
torsor_status events_next(const crossing **out, events *e, torsor_error *error);

/** Ends the step at t, the time of the crossing reported last: others count only if they are there,
 * too. */
void events_cut(events *e, double t);

/** Finds the signs there: an event that has just happened must leave zero anew. */
void events_settle(events *e);

#endif
