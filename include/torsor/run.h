/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_RUN_H
#define TORSOR_RUN_H

/** A run: one simulation of a model as an object, which the caller steps, reads, changes, saves and
 * restores.
 *
 *  The model is constant and may be shared by any number of runs and threads; a run belongs to one
 * thread at a time.  Everything that moves is in the run.  torsor_simulate is a loop over
 * torsor_run_step's kin: results are the same, to the bit. */

#include <torsor/analysis.h>

TORSOR_BEGIN_DECLS

typedef struct torsor_run torsor_run;

/** How a run is led.  Begin with TORSOR_RUN_OPTIONS_INIT: members that are added later then have
 * their defaults. */
typedef struct torsor_run_options {
  size_t size; /* of this struct, set by TORSOR_RUN_OPTIONS_INIT */
  int threads; /* most threads that share the work; 0 = 1.  Results are the same, whatever it is */
  bool open_end; /* the duration of the simulation is no end: steps go on */
  /** Signals whose integrals over time (work, impulse) are to be followed from the start; NULL =
   * none.  They may go once the run is created.  Other signals need no word beforehand. */
  const torsor_signals *signals;
  /** A line of text that the user should read, when it is found; NULL: lines are kept for
   * torsor_run_warning. */
  void (*warn)(void *data, const char *message);
  void *data; /* handed to `warn` */
} torsor_run_options;
#define TORSOR_RUN_OPTIONS_INIT                                                                    \
  { .size = sizeof(torsor_run_options) }

/* ---- life ----------------------------------------------------------------------------------- */

/** A run of `model` (which must outlive it) at time 0: consistent initial values are found and the
 * method is started.  A simulation without a step gets one by trial runs (torsor_choose_steps).
 * `simulation` is copied; `options` may be NULL.  On failure *out is NULL and the error says why:
 * ARGUMENT, SCENE, INCONSISTENT, MEMORY, or what the start failed by. */
TORSOR_API torsor_status torsor_run_create(torsor_run **out, const torsor_model *model,
                                           const torsor_simulation *simulation,
                                           const torsor_run_options *options, torsor_error *error);
/** NULL is fine. */
TORSOR_API void torsor_run_destroy(torsor_run *run);

/* ---- going on ------------------------------------------------------------------------------- */

/* After a failure the run stands at the end of the last accepted step: it can be read, saved, given
 * a smaller step or another state, restored or destroyed. */

/** Take one step (under step-size control: of the size that the accuracy allows) and stand at its
 * end, or at an event in it that stops the run or switches forces.  ARGUMENT where the run is
 * finished. */
TORSOR_API torsor_status torsor_run_step(torsor_run *run, torsor_error *error);

/** Stand at time t (s): whole steps are taken until t is reached, and the state is that at t,
 * interpolated where t is inside the last step.  Steps do not depend on how often and where one
 * looks.  t may also lie behind, as far as the last step reaches back; ARGUMENT where it lies
 * before that or is not finite.  A run that finishes before t stands where it finished. */
TORSOR_API torsor_status torsor_run_advance(torsor_run *run, double t, torsor_error *error);

/** Advances as torsor_run_advance does, with a last step that ends at t, for programs that need a
 * state in place of an interpolation. */
TORSOR_API torsor_status torsor_run_end_at(torsor_run *run, double t, torsor_error *error);

/** Steps of (under step-size control: at most) `step` s from here on; the motion begins anew at the
 * present time, where the grid of steps begins, too.  ARGUMENT unless step > 0. */
TORSOR_API torsor_status torsor_run_set_step(torsor_run *run, double step, torsor_error *error);

/** Go through times [count], which ascend: values [count x columns] receives the signals there. */
TORSOR_API torsor_status torsor_run_record(torsor_run *run, const torsor_signals *signals,
                                           const double *times, int count, double *values,
                                           torsor_error *error);

/** Is the duration over, or has an event stopped the run? */
TORSOR_API bool torsor_run_finished(const torsor_run *run);
/** Time at which the run stands, s: values, views and frames are those there. */
TORSOR_API double torsor_run_time(const torsor_run *run);
/** End of the last step, s: at that time or later. */
TORSOR_API double torsor_run_step_end(const torsor_run *run);

/* ---- the state at torsor_run_time ----------------------------------------------------------- */

/** Numbers of a run at an address that does not change as long as it lives. */
typedef struct torsor_view {
  const double *value;
  size_t count;
} torsor_view;

/** Views are brought up to date by every call that moves the run, from the first time on that they
 * were asked for.  Rotations are quaternions w x y z in q; v, v' and lambda are in the units of the
 * model's nodes and rows. */
TORSOR_API torsor_view torsor_run_q(torsor_run *run); /* [nq] configuration */
TORSOR_API torsor_view torsor_run_v(torsor_run *run); /* [nv] velocity */
TORSOR_API torsor_view torsor_run_a(torsor_run *run); /* [nv] its derivative v' */
/** [nl] multipliers, those of least norm where constraint rows depend on each other.  v' and lambda
 * are NaN where they cannot be found. */
TORSOR_API torsor_view torsor_run_lambda(torsor_run *run);

/** Values [torsor_signals_count] of any signals of the model.  Work and impulses are 0 unless the
 * options asked for them. */
TORSOR_API torsor_status torsor_run_values(torsor_run *run, const torsor_signals *signals,
                                           double *values, torsor_error *error);
/** The full state with these fields of a layout that was created with them: values
 * [torsor_frame_size]. */
TORSOR_API torsor_status torsor_run_frame(torsor_run *run, const torsor_layout *layout,
                                          unsigned fields, double *values, torsor_error *error);
/** One signal ("hinge.angle"), looked up by its name each time; NaN where there is none of that
 * name. */
TORSOR_API double torsor_run_signal(torsor_run *run, const char *name);

/** Returns the summary of the run up to now.  Extremes of residuals are over the times that were
 * evaluated, those of energies over the times of this call.  Valid as long as the run lives. */
TORSOR_API const torsor_summary *torsor_run_summary(torsor_run *run);
/** Events between the time at which the last moving call began and that at which it ended, in the
 * order of time: their number. */
TORSOR_API int torsor_run_occurrences(const torsor_run *run, const torsor_occurrence **out);
/** The next line of text that was kept for the user, valid until the next call; NULL = none is
 * left. */
TORSOR_API const char *torsor_run_warning(torsor_run *run);
/** Adds remarks on the run as a whole (steps that are too coarse for positions and velocities of
 * the model's usual signals, velocities that jumped, energy that nothing supplied) to its warnings,
 * as the end of a run does. */
TORSOR_API void torsor_run_conclude(torsor_run *run);

/* ---- inputs --------------------------------------------------------------------------------- */

/* Inputs are values that the caller changes while the run goes on (torsor_model_inputs, "inputs" of
 * a scene).  They belong to the run, not to the model.  Where a change makes the motion jump, or
 * comes inside the last step, the motion begins anew at torsor_run_time before the run goes on or
 * is looked at; nothing else has to be called.  A kink of a force, whose value is continuous, costs
 * nothing at the end of a step. */

/** From now on input i is `value`. */
TORSOR_API torsor_status torsor_run_set_input(torsor_run *run, int i, double value,
                                              torsor_error *error);
/** From now on, torsor_run_time, it is value + rate (t - now) + second (t - now)^2 / 2.  ARGUMENT
 * where it is not finite, there is no such input, or a position that a drive takes from it would
 * jump. */
TORSOR_API torsor_status torsor_run_set_input_rate(torsor_run *run, int i, double value,
                                                   double rate, double second, torsor_error *error);
/** Its value at torsor_run_time; NaN where there is no such input. */
TORSOR_API double torsor_run_input(torsor_run *run, int i);

/* ---- parameters ----------------------------------------------------------------------------- */

/** Change a number of an element for this run, now: "spring.stiffness", "ball.center_of_mass.x",
 * "rod.inertia.xy" (and with it yx), "mount.stiffness_matrix.0.3" (row and column from 0).
 * The element is prepared anew, the motion begins anew, and energy that comes or goes with the
 * change counts as supplied.  For quantities that change often inputs are cheaper.  ARGUMENT where
 * there is no such number, it is out of range, it only says how the motion begins, another element
 * refers to the joint, or the model would have to be numbered anew. */
TORSOR_API torsor_status torsor_run_set_parameter(torsor_run *run, const char *path, double value,
                                                  torsor_error *error);
/** Sets all numbers of a parameter at once, matrices row by row: 1 number, 3 of a vector, 9 of an
 * inertia, 36 of a 6x6 matrix. A parameter that is changed number by number must be valid after
 * each. */
TORSOR_API torsor_status torsor_run_set_parameter_values(torsor_run *run, const char *path,
                                                         const double *values, int count,
                                                         torsor_error *error);
/** The number; NaN = there is none. */
TORSOR_API double torsor_run_parameter(const torsor_run *run, const char *path);

/* ---- changing the state --------------------------------------------------------------------- */

/** Go on at the present time from q [nq], v [nv], which are moved onto the constraints; v', lambda
 * and the method's starting values are found as at the start.  INCONSISTENT names the joint whose
 * constraint is not met nearby; the run then has the state that it had. */
TORSOR_API torsor_status torsor_run_set_state(torsor_run *run, const double *q, const double *v,
                                              torsor_error *error);

/** All that moves, in the caller's memory `data` [room bytes]; *size receives how many bytes it
 * takes.  With data = NULL the size alone is asked for.  ARGUMENT where there is too little room.
 * Bytes are of this machine and this version of the library. */
TORSOR_API torsor_status torsor_run_save(torsor_run *run, void *data, size_t room, size_t *size,
                                         torsor_error *error);
/** Go on from what a run of the same model with the same simulation and options has saved, to the
 * bit.  FILE where it does not fit; the run is then to be restored from what fits, or destroyed. */
TORSOR_API torsor_status torsor_run_restore(torsor_run *run, const void *data, size_t size,
                                            torsor_error *error);

TORSOR_END_DECLS

#endif
