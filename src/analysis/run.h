/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_RUN_H
#define TORSOR_ANALYSIS_RUN_H

/** A simulation that goes on, and what is kept of it to go on later. */

#include "analysis/energy.h"
#include "analysis/events.h"
#include "analysis/full_state.h"
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

typedef struct run {
  const torsor_model *model;
  const torsor_simulation *simulation;
  const torsor_signals *signals;
  const torsor_hooks *hooks;
  torsor_summary *summary;
  arena memory;
  assembly *assembly;
  torsor_integrator *integrator;
  observer observer;
  energy_record energy;
  full_state full;
  double *row;
  bool reactions, work_reactions; /* rows, or the sums of work, depend on v' or lambda */
  rows rows;
  events events;
  long rejected;  /* rejected steps already told... */
  long passed;    /* ... and ends of steps that were passed by then */
  bool redundant; /* constraint rows depend on each other, and it was told */
  double cpu_before,
      wall_before;              /* s of the time loop, of the runs that this one goes on from... */
  double cpu_start, wall_start; /* ... and clocks when it began here */
  tape tape;                    /* memory for the state that is kept */
  bool near_end;                /* it has been kept, so that a longer run can go on */
  stopwatch stopwatch, *watch;  /* of the time loop; NULL: it is not timed */
  long steps_before;            /* steps taken when it began */
} run;

/** A simulation with a step, from its beginning or from a state that was kept (NULL: none). */
torsor_status run_simulate(torsor_summary *summary, const torsor_model *model,
                           const torsor_simulation *simulation, const torsor_signals *signals,
                           const torsor_hooks *hooks, tape *kept, torsor_error *error);

/** Time of row n. */
double run_row_time(const run *r, long n);

/** CPU and wall time of the time loop up to now go to the summary. */
void run_note_time(run *r);

/** Time the loop from here to there, if that is wanted. */
void run_start_watch(run *r);
void run_stop_watch(run *r);

/** The state to be shown at t in the last step.  At its end, of which q and v are there, v' and lambda are found where they are
 *  asked for. */
torsor_status run_look_at(torsor_state *state, const run *r, double t, bool reactions);

/** Powers of the accepted step that ends at `end`, to be summed up. */
torsor_status run_follow_work(run *r, const torsor_state *end);

/** Hand the state out, if that is wanted: between two steps, where all rows up to now are recorded. */
torsor_status run_keep(run *r, torsor_error *error);

/** Read the state that was kept in two parts: that of the assembly, which an integrator is created on, and
 *  all the rest. */
torsor_status run_read_assembly(run *r, tape *t, torsor_error *error);
torsor_status run_read(run *r, tape *t, torsor_error *error);

#endif
