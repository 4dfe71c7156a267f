/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_RUN_H
#define TORSOR_ANALYSIS_RUN_H

/** A simulation that goes on: what moves in it, its beginning, its steps, and what is kept of it to
 * go on later.  Whoever leads it (a loop over rows of output in simulate.c, a caller of the library
 * in run_object.c) decides what is read of it, and when. */

#include <torsor/run.h>

#include "analysis/dynamics/controllers.h"
#include "analysis/observe/energy.h"
#include "analysis/dynamics/events.h"
#include "analysis/observe/full_state.h"
#include "analysis/observe/signal_errors.h"
#include "base/stopwatch.h"

/** Times of the output: those of row n, the last one at the end. */
typedef struct rows {
  long next, last;
  double spacing;    /* s; 0: every so many steps */
  long steps;        /* of constant size between two rows; 0: others */
  bool interpolated; /* steps do not care for the rows */
  double end;
} rows;
rows rows_plan(const torsor_simulation *simulation);

/** The last step as events leave it. */
typedef struct step_outcome {
  double t;      /* its end: that of the integrator's, or an event that ends it */
  bool switches; /* forces are to be switched there, and the motion begins anew */
  int stop;      /* the event that stops the run there, -1 = none */
  bool samples;  /* controllers are due there */
  int reported;  /* occurrences in it that were handed to whoever leads the run */
} step_outcome;

struct torsor_run {
  const torsor_model *model;
  const torsor_simulation *simulation;
  const torsor_signals *signals; /* of the rows; NULL: none */
  const torsor_hooks *hooks;     /* NULL: none */
  torsor_summary *summary;
  arena memory;
  assembly *assembly;
  torsor_integrator *integrator;
  observer observer;
  energy_record energy;
  full_state full;
  double *row;
  const torsor_signals
      *judged;          /* whose errors are looked at where no rows are recorded; NULL: none */
  signal_errors errors; /* of constant steps */
  long looked;          /* steps before they were looked at last */
  bool alone;           /* they were so small that they are not followed any more */
  bool reactions, work_reactions; /* rows, or the sums of work, depend on v' or lambda */
  rows rows;
  bool off_rows; /* the size of the steps was changed: they end at the end of the run, whatever the
                    rows are */
  events events;
  controllers controllers;
  step_outcome last;
  double time;    /* where it is read: in the last step */
  bool disturbed; /* something jumped there: the motion begins anew from it */
  long rejected;  /* rejected steps that were reported... */
  long passed;    /* ... and ends of steps that were passed by then */
  bool redundant; /* constraint rows depend on each other, and that was reported */
  double cpu_before,
      wall_before;              /* s of the time loop, of the runs that this one goes on from... */
  double cpu_start, wall_start; /* ... and clocks when it began here */
  tape tape;                    /* memory for the state that is kept */
  bool near_end;                /* it has been kept, so that a longer run can go on */
  stopwatch stopwatch, *watch;  /* of the time loop; NULL: it is not timed */
  long steps_before;            /* steps taken when it began */
};

/** The state at t in the last step with all that is evaluated there, in r->observer; `p` is it.
 * `reactions`: v' and lambda are wanted, too. */
torsor_status run_look(torsor_run *r, torsor_point *p, double t, bool reactions,
                       torsor_error *error);

/** A simulation with a step, from its beginning or from a state that was kept (NULL: none). */
torsor_status run_simulate(torsor_summary *summary, const torsor_model *model,
                           const torsor_simulation *simulation, const torsor_signals *signals,
                           const torsor_hooks *hooks, tape *kept, torsor_error *error);

/** Begin: model, simulation, signals, hooks and summary are in `r`, all else is zero.  `kept`: the
 * state to go on from, NULL = the initial one is found.  To be released whatever the answer is. */
torsor_status run_begin(torsor_run *r, tape *kept, torsor_error *error);
void run_release(torsor_run *r);

/** Nothing is known yet. */
torsor_summary run_no_summary(const torsor_model *model);

/** One accepted step, not beyond `limit` (but by a rounding error of the step), with its events:
 * r->last says where it ends.  What the step before left to be done at r->time, or at its own end,
 * is done first. */
torsor_status run_step(torsor_run *r, double limit, torsor_error *error);

/** What is to be done before the next step: forces are switched as events have it, and where
 * anything jumped the motion begins anew. */
torsor_status run_settle(torsor_run *r, torsor_error *error);

/** The same in two parts, between which the integrator begins anew at r->last.t in whatever way:
 * the last step is closed at r->time, and forces are switched as events have it, ... */
torsor_status run_cut(torsor_run *r, torsor_error *error);
/** ... and what watches the run follows it from the integrator's state on. */
torsor_status run_follow_restart(torsor_run *r, torsor_error *error);

/** Call the controllers that are due at the end of the last step. */
torsor_status run_sample(torsor_run *r, torsor_error *error);

/** From t, in the last step, on input i is value[0] + value[1] (t' - t) + value[2] (t' - t)^2 / 2;
 * r->disturbed where the motion has to begin anew for it. */
torsor_status run_give_input(torsor_run *r, int i, double t, const double value[3],
                             torsor_error *error);

/** Is there anything left to do? */
bool run_goes_on(const torsor_run *r);

/** Once the run is over, or where it stands: facts of the method for the summary, and what there is
 * to say of the run as a whole, but for one that was interrupted. */
void run_conclude(torsor_run *r, bool interrupted);

/** Time of row n. */
double run_row_time(const torsor_run *r, long n);

/** CPU and wall time of the time loop up to now go to the summary. */
void run_note_time(torsor_run *r);

/** Time the loop from here to there, if that is wanted. */
void run_start_watch(torsor_run *r);
void run_stop_watch(torsor_run *r);

/** The state to be shown at t in the last step.  At its end, of which q and v are there, v' and
 * lambda are found where they are asked for. */
torsor_status run_look_at(torsor_state *state, const torsor_run *r, double t, bool reactions);

/** Have a companion tell the errors of constant steps: of the rows, or of positions and velocities
 * among r->judged. */
torsor_status run_accompany(torsor_run *r, torsor_error *error);
/** It rests, or does not, as the state that has been read has it. */
void run_set_companion(torsor_run *r);
/** Note what it tells of the row that was recorded, `shown` at the end of a step. */
void run_note_errors(torsor_run *r, const torsor_state *shown);
/** The same of the last step, where no rows are recorded. */
void run_note_step(torsor_run *r);
/** Estimated error of the run up to now, in parts of the largest value of a signal or of the
 * motion; NaN where the method makes none. */
double run_error_estimate(const torsor_run *r);

/** Powers of the accepted step that ends at `end`, to be summed up. */
torsor_status run_follow_work(torsor_run *r, const torsor_state *end);

/** All that moves but the assembly, whose part comes first. */
void run_walk(torsor_run *r, tape *t);

/** Hand the state out, if that is wanted: between two steps, where all rows up to now are
 * recorded. */
torsor_status run_keep(torsor_run *r, torsor_error *error);

/** Read the state that was kept in two parts: that of the assembly, which an integrator is created
 * on, and all the rest. */
torsor_status run_read_assembly(torsor_run *r, tape *t, torsor_error *error);
torsor_status run_read(torsor_run *r, tape *t, torsor_error *error);

#endif
