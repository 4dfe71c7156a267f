/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_ASSEMBLY_H
#define TORSOR_ASSEMBLY_ASSEMBLY_H

/** Turns a model into the abstract problem that integrators and analyses solve (torsor_problem): it
 * loops over the elements for the residual and the tangent matrices.  An assembly belongs to one
 * thread; the model may be shared. */

#include <torsor/integrator.h>

#include "assembly/model/model.h"
#include "base/stopwatch.h"
#include "base/tape.h"

typedef struct assembly assembly;

/** Creates an assembly.  `solver` is "block" (NULL too), "klu" or "umfpack".  With `stabilised` it
 * serves the stabilised index-2 (GGL) system as well. */
torsor_status assembly_create(assembly **out, const torsor_model *model, const char *solver,
                              bool stabilised, torsor_error *error);
void assembly_destroy(assembly *a);

/** Lets at most so many threads share the elements and the factorisation, fewer where that would
 * not pay.  The results are the same to the bit.  Fails with MEMORY. */
torsor_status assembly_set_threads(assembly *a, int threads, torsor_error *error);
/** Returns how many threads share the elements now. */
int assembly_threads(const assembly *a);

/** Walks over everything that changes during a run (base/tape.h), to write it, or to read it into
 * an assembly that was created in the same way. */
void assembly_walk(assembly *a, tape *t);

/** Informs the problem's integrator whether constraint rows depend on each other. */
void assembly_set_redundant(assembly *a, bool redundant);

/** Ignores the rows with rows[i] != 0 [nl] from now on, NULL: none.  Their values, rates and
 * gradients count as zero, so that they constrain nothing and their multipliers, which must be zero
 * before, stay so.  They are dependent rows for everyone who asks for the rank. */
void assembly_ignore_rows(assembly *a, const unsigned char *rows);
/** Returns which rows are ignored [nl], or NULL where none is. */
const unsigned char *assembly_ignored_rows(const assembly *a);

/** Returns the problem that an integrator sees; it is valid as long as the assembly. */
const torsor_problem *assembly_problem(const assembly *a);

/** Measures the time that calls of the problem take; NULL: no longer. */
void assembly_set_watch(assembly *a, stopwatch *watch);

/** Sets the load at which elements are evaluated from now on; at first it is 1.  With `all` it
 * multiplies gravity and given forces, and not only the functions that use it. */
void assembly_set_load(assembly *a, double load, bool all);
double assembly_load(const assembly *a);

/** Returns the values that functions of the scene use at time t. */
const torsor_now *assembly_now(assembly *a, double t);
/** Sets a function that gives inputs [inputs x 3] at t after the others were evaluated; NULL: none.
 */
void assembly_set_past(assembly *a, void (*past)(void *self, double t, double *input), void *self);
/** Sets the sides of kinks (torsor_now.side), which outlive the assembly or are set anew. */
void assembly_set_sides(assembly *a, const signed char *side);

/** Returns value, rate and second derivative [3] of input i where functions were evaluated last. */
const double *assembly_input(const assembly *a, int i);

/** Returns the message of a callback that has failed since the last accepted step; "" where none
 * has. */
const char *assembly_complaint(const assembly *a);

/** Returns the model of the assembly. */
const torsor_model *assembly_model(const assembly *a);

/** Informs the assembly that parameters of an element were changed: quantities derived from them
 * are found anew. */
void assembly_change_element(assembly *a);

/** Sets input i from time t on: value[0] + value[1] (t' - t) + value[2] (t' - t)^2 / 2. */
void assembly_set_input(assembly *a, int i, double t, const double value[3]);

/** Sets the motions of all nodes at a point, for evaluations of single elements
 * (assembly_element_in). */
void assembly_set_motion(assembly *a, const torsor_point *p);

/** Starts the counting of turns of joint coordinates, from the values that the scene gives the
 * markers, at `p`; then they are followed over the steps that the problem's integrator accepts.
 * Sets the motion. */
void assembly_start_coordinates(assembly *a, const torsor_point *p);
/** Does the same at the next point of a path of equilibria, or where a motion begins at the end of
 * one: what elements keep goes on from the point before. */
void assembly_pass_coordinates(assembly *a, const torsor_point *p);
const struct coordinates *assembly_coordinates(const assembly *a);

/** Finds the `shown` values of the joint coordinates at `p`, which may be within the last step.
 * The motion is set to `p`. */
void assembly_show_coordinates(assembly *a, const torsor_point *p);

/** Copies the joint coordinates of another assembly of the same model, its load, its inputs, and
 * which of its forces act. */
void assembly_copy_state(assembly *a, const assembly *from);

/** Copies the joint coordinates alone, to continue the counting of turns. */
void assembly_copy_coordinates(assembly *a, const assembly *from);

/** Geometric stiffness by foreseen stresses: from assembly_foresee on, tangents take the stresses
 * of the elements that declare some as they are after the displacement p->v from `p`, to first
 * order, until assembly_forget.  Sets the motion. */
bool assembly_has_stresses(const assembly *a);
void assembly_foresee(assembly *a, const torsor_point *p);
void assembly_forget(assembly *a);

/** Switches a force or a joint on or off.  Elements that do not act are not evaluated; the rows of
 * such joints constrain nothing, and their multipliers are zero. */
void assembly_switch(assembly *a, int element, bool acts);
/** Lets a joint that keeps a place keep that at `p`, the motion last set.  Returns false for all
 * others. */
bool assembly_capture(assembly *a, int element, const torsor_point *p);
bool assembly_acts(const assembly *a, int i);

/** Returns the input of element `i` at the motion last set; `p` gives time and multipliers. */
torsor_element_in assembly_element_in(const assembly *a, int i, const torsor_point *p);

/** Evaluates an element, with the tangents by differences where its type wants them so. */
torsor_status assembly_eval(const assembly *a, int element, const torsor_element_in *in,
                            torsor_element_out *out);

/** Returns the motion of node `i` that was set last. */
const torsor_motion *assembly_motion(const assembly *a, int i);

/** Returns the element whose evaluation failed last, or -1. */
int assembly_failed_element(const assembly *a);

/** Returns the first joint that is on its wrong branch at p (`astray` in torsor_element_type), or
 * -1. */
int assembly_astray(assembly *a, const torsor_point *p);

/** Finds the initial q [nq] and v [nv] that the scene gives; given [nv] = 1 where a velocity is
 * given. */
void assembly_initial(const assembly *a, double *q, double *v, unsigned char *given);

/** Finds v [nv] as the scene gives it for nodes whose frames were moved to q: velocities and
 * angular velocities that are given in inertial axes keep their direction there. */
void assembly_initial_velocity(const assembly *a, const double *q, double *v);

/** Makes corrections B0^T s with B itself from now on, without the metric of masses: a rotation by
 * 1 rad counts as 1 m (S4 eq. 58). */
void assembly_correct_plainly(assembly *a);

/** Returns the largest entry of the elements' mass matrices at `p`, a scale of masses.  Sets the
 * motion. */
double assembly_mass_scale(assembly *a, const torsor_point *p);

/** Returns the largest entry of translations alone, kg: in large models moments of inertia are the
 * largest entries.  Sets the motion. */
double assembly_moved_mass(assembly *a, const torsor_point *p);

/** Returns the largest entry of rotations alone, kg m^2.  Sets the motion. */
double assembly_turned_mass(assembly *a, const torsor_point *p);

/** Returns the length by which a rotation is compared with translations, m: the radius of gyration
 * of the largest mass and the largest moment of inertia or, where there is none, the model's
 * length.  `mass` receives the largest mass, or the moment over the square of that length.  Sets
 * the motion. */
double assembly_turn_length(assembly *a, const torsor_point *p, double *mass);

/** Finds by how much, to first order, each row changes where a node moves by `length` (m) or
 * rotates by 1 rad, scale [nl].  The round-off of a row is eps times that, whatever the row's unit.
 * Sets the motion. */
torsor_status assembly_row_scales(double *scale, assembly *a, const torsor_point *p, double length);

/** Finds the scales of the rows' regularisation (its square root), scale [nl]: at least the square
 * root of the diagonal of B A^-1 B^T for a matrix A whose entries are at most 1 for translations
 * and the square of `length` for rotations.  Sets the motion. */
torsor_status assembly_regular_rows(double *scale, assembly *a, const torsor_point *p,
                                    double length);

/** Returns the largest entry of the elements' stiffness matrices at `p`, N/m, a scale of
 * stiffnesses.  A rotation counts as the displacement that it makes at `length`.  Sets the
 * motion. */
double assembly_stiffness_scale(assembly *a, const torsor_point *p, double length);

/** Return the sign of the determinant of the matrix factored last (0: not known), and its smallest
 * over its largest pivot. */
int assembly_factor_sign(const assembly *a);
/** Returns the number of negative eigenvalues of the matrix factored last, if it is symmetric; -1
 * where the solver cannot tell. */
int assembly_factor_negative(const assembly *a);
double assembly_pivot_ratio(const assembly *a);

/** Makes the whole matrix.  Steps use a decoupled one, in which some joints couple no velocities of
 * two bodies (decoupling.h).  From now on systems TORSOR_SYSTEM_INDEX3 that do not `follow` contain
 * all of the tangents.  Fails with MEMORY, or with the reason why there is no solver for it. */
torsor_status assembly_make_whole(assembly *a);

/** Returns the matrix factored last in compressed columns, [nonzeros]; Ap and Ai may be NULL. */
const double *assembly_matrix(const assembly *a, int *nonzeros, const int **Ap, const int **Ai);

/** Constraint gradient by rows at (t, q): row i has the entries first[i] .. first[i+1]-1 of
 * `column` and `value`, in node coordinates.  The arrays come from malloc and belong to the
 * caller. */
typedef struct gradient_rows {
  int rows, columns;
  int *first, *column;
  double *value;
} gradient_rows;
torsor_status assembly_gradient(gradient_rows *out, assembly *a, const torsor_point *p);
void gradient_rows_release(gradient_rows *rows);

#endif
