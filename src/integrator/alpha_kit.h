/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_ALPHA_KIT_H
#define TORSOR_INTEGRATOR_ALPHA_KIT_H

/** Functions that the methods of the generalised-alpha family share: estimates of rounding errors,
 * and the control of errors. */

#include "extrapolation.h"
#include "method.h"

/** Returns the fraction of the largest rounding error that entry i is assumed to have, 1/2 to 1
 * with a sign: without a pattern that constraints, or nearly dependent combinations of them, could
 * share. */
double kit_part(int i);

/** Number of steps after a damped start with rho_inf = 0.  A stiff component has three values (q,
 * v, a), of which such steps keep nothing; one more step is for nonlinearity. */
enum { KIT_DAMPED_STEPS = 4 };

/** Returns the parameters of the settings, or those of the steps after a damped start, of which
 * `damped` are left. */
torsor_alpha kit_parameters(const torsor_settings *settings, int damped);

/** Returns the largest position or lever arm, m. */
double kit_place_size(const torsor_problem *problem, const double *q);

/** Returns the largest component of a motion [nv], m or m/s; rotations count as the motion that
 * they cause at the model's length. */
double kit_motion_size(const torsor_problem *problem, const double *v);

/** Return the rounding error of a constraint residual at p, as a length: that of a rotation applied
 * to a lever arm, of sums, of the stored positions; and that of the velocities, m/s. */
double kit_roundoff_position(const torsor_problem *problem, const torsor_point *p);
double kit_roundoff_velocity(const torsor_problem *problem, const torsor_point *p);

/** Returns the length, m, to which one unit of row i corresponds; rows of angles count as the
 * displacement at a distance of `size`. */
double kit_row_length(const saddle *systems, int i, double size);

/** Finds the rounding errors of the rows, phi [nl], each in its unit, and z times those of their
 * velocities, phi_v [nl], which may be NULL. */
void kit_roundoff_rows(double *phi, double *phi_v, const saddle *systems, const torsor_point *p,
                       double z);

/** Returns the velocity of a model at rest, of translations or of rotations: that which rounding
 * errors of positions cause in steps of h. */
double kit_still(const torsor_problem *problem, const torsor_point *p, bool turns, double h);

/** Finds r [nv] = scale times the change of forces by rounding errors of positions and velocities,
 * which matters where springs or dampers are stiff.  `work` [nq + 3 nv]. */
torsor_status kit_roundoff_force(double *r, const torsor_problem *problem, const torsor_point *p,
                                 double scale, double *work);

/** Returns how far rounding errors of constraints may translate or rotate constrained bodies while
 * a dead centre is passed: rows in m rotate bodies by more than they move them where arms are
 * short. */
double kit_centre_noise(const torsor_problem *problem, const torsor_point *p, bool turns);

/** Is the end p of a step undetermined?  This is so where rounding errors of constraints would move
 * it by more than they may while a dead centre is passed: Newton's iteration has then converged
 * where the constraints determine nothing.  Steps that may be regularised are not tested. */
bool kit_is_loose(const torsor_integrator *it, const torsor_point *p);

/** Moves the velocity residual of nonholonomic rows to the place of the position residual, and
 * clears it. */
void kit_move_nonholonomic(const torsor_problem *problem, double *phi, double *phi_v);

/** Controls the step size: returns TORSOR_ACCURACY where the local error of a step of size h to
 * velocity v exceeds the tolerance.  a0 and a1 [nv] are v' at the same stage of this step and of
 * the one before, `before` [nv] of the one before that, NULL = not known.  `work` [nv]. */
torsor_status kit_check_error(torsor_integrator *it, double h, const double *v,
                              const double *before, const double *a0, const double *a1,
                              double *work);

/** Records an error for the step-size control: factor x [nv] is an error of positions, or of
 * velocities, per second.  The largest quotient of it and the tolerance, for translations and for
 * rotations (0 = any error is allowed), replaces a smaller one. */
void kit_note_error(torsor_integrator *it, const double *x, double factor, double position,
                    double rotation);

/** Returns TORSOR_ACCURACY where a recorded error exceeds its tolerance; `known`: errors of the
 * velocities were recorded, too. */
torsor_status kit_judge(torsor_integrator *it, bool known);

/** Describes a failed step of size h to p.  x [nv + nl, at least] is n's correction, and
 * overwritten. */
void kit_describe_failure(torsor_failure *failure, const torsor_problem *problem,
                          torsor_status status, double h, const torsor_point *p, const newton *n,
                          double *x);

#endif
