/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_RUN_H
#define TORSOR_ANALYSIS_RUN_H

/** A simulation in progress: its state, its beginning, its steps, and checkpoints for going on
 * later.  Its caller (a loop over rows of output in simulate.c, or a user of the library in
 * run_object.c) decides what is evaluated, and when. */

#include <torsor/run.h>

#include "analysis/dynamics/controllers.h"
#include "analysis/observe/energy.h"
#include "analysis/dynamics/events.h"
#include "analysis/observe/full_state.h"
#include "analysis/observe/signal_errors.h"
#include "analysis/start/rows.h"
#include "base/stopwatch.h"

/** The last step after events. */
typedef struct step_outcome {
  double t;      /* its end: that of the integrator's step, or an event that ends it */
  bool switches; /* forces are switched there, and the motion is restarted */
  int stop;      /* event that stops the run there, -1 = none */
  bool samples;  /* controllers are due there */
  int reported;  /* number of its occurrences that were handed to the caller */
} step_outcome;

/** Follows the run step by step: the runs by which its signals are differentiated
 * (run_vary.h). */
typedef struct run_follower {
  torsor_status (*begin)(torsor_run *r, torsor_error *error);       /* before the motion begins */
  torsor_status (*check)(const torsor_run *r, torsor_error *error); /* once it has begun */
  void (*release)(torsor_run *r);
  torsor_status (*follow)(torsor_run *r, torsor_error *error); /* after a step and its events */
  bool (*lost)(const torsor_run *r); /* could it not follow the last step?  `follow` says why */
  void (*cut)(torsor_run *r);        /* before the motion is restarted */
  torsor_status (*settle)(torsor_run *r, torsor_error *error); /* and after that */
  void (*walk)(torsor_run *r, tape *t);
} run_follower;

struct torsor_run {
  const torsor_model *model;
  const torsor_simulation *simulation;
  const torsor_signals *signals; /* signals of the rows; NULL: none */
  const torsor_hooks *hooks;     /* NULL: none */
  torsor_summary *summary;
  arena memory;
  assembly *assembly;
  torsor_integrator *integrator;
  observer observer;
  energy_record energy;
  full_state full;
  double *row;
  /* Signals whose errors are estimated where no rows are recorded; NULL: none. */
  const torsor_signals *judged;
  signal_errors errors;           /* errors of steps */
  long looked;                    /* number of steps at their last estimate */
  bool alone;                     /* errors were so small that they are no longer estimated */
  bool reactions, work_reactions; /* rows, or the sums of work, depend on v' or lambda */
  rows rows;
  bool off_rows; /* the step size was changed: steps end at the end of the run, whatever the rows
                    are */
  events events;
  controllers controllers;
  const run_follower *follower;      /* NULL: none */
  struct run_neighbours *neighbours; /* its data */
  step_outcome last;
  double time;                    /* time at which the state is read, in the last step */
  bool disturbed;                 /* something jumped there: the motion is restarted from it */
  bool jumped;                    /* joints were switched there: the motion is restarted from ... */
  double *jump_q, *jump_v;        /* ... [nq], [nv] this state */
  long rejected;                  /* number of rejected steps that were reported */
  long passed;                    /* number of passed ends of steps that were reported */
  bool redundant;                 /* constraint rows depend on each other, and that was reported */
  double cpu_before, wall_before; /* time of the loop in runs that this one continues, s */
  double cpu_start, wall_start;   /* clocks at the start of this run */
  tape tape;                      /* memory for checkpoints */
  bool near_end; /* a checkpoint near the end has been made, so that a longer run can go on */
  stopwatch stopwatch, *watch; /* measures the time of the loop; NULL: it is not timed */
  long steps_before;           /* number of steps at its start */
};

/** Evaluates the state at t in the last step with all of r->observer; `p` receives it.
 * `reactions`: v' and lambda are wanted, too. */
torsor_status run_look(torsor_run *r, torsor_point *p, double t, bool reactions,
                       torsor_error *error);

/** Runs a simulation with a given step, from its beginning or from a checkpoint (NULL: none). */
torsor_status run_simulate(torsor_summary *summary, const torsor_model *model,
                           const torsor_simulation *simulation, const torsor_signals *signals,
                           const torsor_hooks *hooks, tape *kept, torsor_error *error);

/** Begins a run: model, simulation, signals, hooks and summary are in `r`, everything else is zero.
 * `kept`: the checkpoint to go on from; NULL = the initial state is found.  The run must be
 * released whatever the result is. */
torsor_status run_begin(torsor_run *r, tape *kept, torsor_error *error);
void run_release(torsor_run *r);

/** Returns a summary in which nothing is known yet. */
torsor_summary run_no_summary(const torsor_model *model);

/** Takes one accepted step, not beyond `limit` (except by a rounding error of the step), with its
 * events: r->last describes its end.  What the step before left to do at r->time, or at its own
 * end, is done first. */
torsor_status run_step(torsor_run *r, double limit, torsor_error *error);

/** Prepares the next step: switches forces as events demand and, where anything jumped, restarts
 * the motion. */
torsor_status run_settle(torsor_run *r, torsor_error *error);

/** Finds the events of the step that has just been taken from t0: fills r->last. */
torsor_status run_finish_step(torsor_run *r, double t0, torsor_error *error);

/** Do the same in two parts, between which the integrator is restarted at r->last.t in any way: the
 * first closes the last step at r->time and switches forces, ... */
torsor_status run_cut(torsor_run *r, torsor_error *error);
/** ... and the second lets observers go on from the integrator's state. */
torsor_status run_follow_restart(torsor_run *r, torsor_error *error);

/** Keeps what delays need of the last step, which began at t0. */
torsor_status run_keep_past(torsor_run *r, double t0, torsor_error *error);

/** Calls the controllers that are due at the end of the last step. */
torsor_status run_sample(torsor_run *r, torsor_error *error);

/** Sets input i from t, in the last step, on: value[0] + value[1] (t' - t) + value[2] (t' - t)^2 /
 * 2; sets r->disturbed where the motion must be restarted for it. */
torsor_status run_give_input(torsor_run *r, int i, double t, const double value[3],
                             torsor_error *error);

/** Is the run not over yet? */
bool run_goes_on(const torsor_run *r);

/** Completes the summary when the run is over, or at its present time: facts of the method and
 * remarks on the run as a whole, except for one that was interrupted. */
void run_conclude(torsor_run *r, bool interrupted);

/** Returns the time of row n. */
double run_row_time(const torsor_run *r, long n);

/** Adds CPU and wall time of the loop up to now to the summary. */
void run_note_time(torsor_run *r);

/** Starts to measure the time of the loop, if that is wanted. */
void run_start_watch(torsor_run *r);
void run_stop_watch(torsor_run *r);

/** Finds the state to be shown at t in the last step.  At its end q and v are known; v' and lambda
 * are found where they are asked for. */
torsor_status run_look_at(torsor_state *state, const torsor_run *r, double t, bool reactions);

/** Starts a companion that estimates the errors of steps: of the rows, or of positions and
 * velocities among r->judged. */
torsor_status run_accompany(torsor_run *r, torsor_error *error);
/** Sets the companion active or idle, as in the checkpoint that has been read. */
void run_set_companion(torsor_run *r);
/** Records its error estimates for the row that was recorded, `shown` at the end of a step. */
void run_note_errors(torsor_run *r, const torsor_state *shown);
/** Does the same for the last step, where no rows are recorded. */
void run_note_step(torsor_run *r);
/** Returns the estimated error of the run up to now, relative to the largest value of a signal or
 * of the motion; NaN where the method has no estimate. */
double run_error_estimate(const torsor_run *r);

/** Evaluates the powers of the accepted step that ends at `end`, to be summed up. */
torsor_status run_follow_work(torsor_run *r, const torsor_state *end);

/** Walks over everything that changes except the assembly, whose part comes first (base/tape.h). */
void run_walk(torsor_run *r, tape *t);

/** Hands out a checkpoint, if that is wanted: between two steps, when all rows up to now are
 * recorded. */
torsor_status run_keep(torsor_run *r, torsor_error *error);

/** Read a checkpoint in two parts: that of the assembly, on which an integrator is then created,
 * and the rest. */
torsor_status run_read_assembly(torsor_run *r, tape *t, torsor_error *error);
torsor_status run_read(torsor_run *r, tape *t, torsor_error *error);

/** Gives input `i` of the model another value with which runs begin. */
void run_begin_input(torsor_model *model, int i, double value);

#endif
