/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_ALPHA_KIT_H
#define TORSOR_INTEGRATOR_ALPHA_KIT_H

/** The methods of the generalised-alpha family share these: rounding errors, the start. */

#include "extrapolation.h"
#include "method.h"

/** Part of the largest rounding error that entry i has, 1/2 to 1 with a sign: without a pattern
 * that constraints could share, or combinations of them that nearly depend on each other. */
double kit_part(int i);

/** Steps after a damped start that take rho_inf = 0.  What is stiff has three values per component
 * (q, v, a) of which such steps keep nothing; one more for what is nonlinear. */
enum { KIT_DAMPED_STEPS = 4 };

/** The settings' parameters, or those of the steps after a damped start, of which so many are
 * left. */
torsor_alpha kit_parameters(const torsor_settings *settings, int damped);

/** The largest position, m, or lever arm. */
double kit_place_size(const torsor_problem *problem, const double *q);

/** The largest component of a motion [nv], m or m/s: turns count as what they move at the model's
 * length. */
double kit_motion_size(const torsor_problem *problem, const double *v);

/** Rounding errors of a constraint residual at p, as a length: those of a rotation applied to a
 * lever arm, of sums, of the stored positions; and the same of the velocities, m/s. */
double kit_roundoff_position(const torsor_problem *problem, const torsor_point *p);
double kit_roundoff_velocity(const torsor_problem *problem, const torsor_point *p);

/** One unit of row i is so many m, where rows of angles count as what they move at a distance of
 * `size`. */
double kit_row_length(const saddle *systems, int i, double size);

/** phi [nl], phi_v [nl] = those of the rows, each in its unit, and z times those of their
 * velocities, which may be NULL. */
void kit_roundoff_rows(double *phi, double *phi_v, const saddle *systems, const torsor_point *p,
                       double z);

/** Velocities of a model at rest, of translations or of turns: what rounding errors of positions
 * make within steps of h. */
double kit_still(const torsor_problem *problem, const torsor_point *p, bool turns, double h);

/** r [nv] = scale times the change of forces with rounding errors of the positions and of the
 *  velocities, which matter where springs or dampers are stiff.  `work` [nq + 3 nv]. */
torsor_status kit_roundoff_force(double *r, const torsor_problem *problem, const torsor_point *p,
                                 double scale, double *work);

/** How far rounding errors of constraints move or turn what they hold at most while a dead centre
 * is passed: rows in m turn bodies by more than they move them where arms are short. */
double kit_centre_noise(const torsor_problem *problem, const torsor_point *p, bool turns);

/** Rounding errors of constraints would move the end p of the step that Newton's iteration has
 * found by more than they may while a dead centre is passed: it has ended where the constraints
 * hold nothing.  Not where such steps may be regularised. */
bool kit_is_loose(const torsor_integrator *it, const torsor_point *p);

/** A nonholonomic row has its velocity in place of its position, and nothing in place of that. */
void kit_move_nonholonomic(const torsor_problem *problem, double *phi, double *phi_v);

/** v' and lambda at the integrator's (t, q, v), regularised where rows depend on each other;
 * SINGULAR also when dependent rows ask for different things.  `work` [nv + nl]. */
torsor_status kit_start_motion(double *a, double *lambda, torsor_integrator *it, double *work);

/** Step-size control: TORSOR_ACCURACY where the local error of a step of size h to velocity v is
 * above what is allowed.  a0 and a1 [nv] are v' at the same place in this step and the one before,
 * `before` [nv] in the one before that, NULL = not known.  `work` [nv]. */
torsor_status kit_check_error(torsor_integrator *it, double h, const double *v,
                              const double *before, const double *a0, const double *a1,
                              double *work);

/** Step-size control: factor x [nv] is an error of positions, or of velocities, per second.  Its
 * largest part of what is allowed for translations and for rotations (0 = anything) is noted where
 * it is larger than what has been noted. */
void kit_note_error(torsor_integrator *it, const double *x, double factor, double position,
                    double rotation);

/** TORSOR_ACCURACY where an error that was noted is above what is allowed; `known`: those of the
 * velocities are among them. */
torsor_status kit_judge(torsor_integrator *it, bool known);

/** What is known of a step to p of size h that failed.  x [nv + nl, at least] is n's correction,
 * and overwritten. */
void kit_describe_failure(torsor_failure *failure, const torsor_problem *problem,
                          torsor_status status, double h, const torsor_point *p, const newton *n,
                          double *x);

#endif
