/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_ASSEMBLY_H
#define TORSOR_ASSEMBLY_ASSEMBLY_H

/** A model made into an abstract problem: residual and tangent loops over the elements.  An
 * assembly belongs to one thread; the model may be shared. */

#include <torsor/integrator.h>

#include "assembly/model/model.h"
#include "base/stopwatch.h"
#include "base/tape.h"

typedef struct assembly assembly;

/** `solver`: "block" (NULL too), "klu" or "umfpack".  With `stabilised` the pattern of the
 * stabilised index-2 system is made as well. */
torsor_status assembly_create(assembly **out, const torsor_model *model, const char *solver,
                              bool stabilised, torsor_error *error);
void assembly_destroy(assembly *a);

/** At most so many threads share the elements and the factorisation, fewer where that would not
 * pay.  The results are the same to the bit.  MEMORY. */
torsor_status assembly_set_threads(assembly *a, int threads, torsor_error *error);
/** How many threads share the elements now. */
int assembly_threads(const assembly *a);

/** All that moves: to be written, or read into an assembly that was created in the same way. */
void assembly_walk(assembly *a, tape *t);

/** Tell the problem's integrator that constraint rows depend on each other. */
void assembly_set_redundant(assembly *a, bool redundant);

/** The problem that an integrator sees; valid as long as the assembly. */
const torsor_problem *assembly_problem(const assembly *a);

/** Time what the problem is asked for; NULL: no more. */
void assembly_set_watch(assembly *a, stopwatch *watch);

/** Load at which elements are evaluated from now on; at first 1.  `all`: gravity and given forces
 * are multiplied by it, not only functions of it. */
void assembly_set_load(assembly *a, double load, bool all);
double assembly_load(const assembly *a);

/** Functions see these values at time t. */
const torsor_now *assembly_now(assembly *a, double t);

/** [3] value, rate and second derivative of input i where functions were evaluated last. */
const double *assembly_input(const assembly *a, int i);

/** What a callback that failed has said of it since the last accepted step; "" = nothing. */
const char *assembly_complaint(const assembly *a);
void assembly_clear_complaint(assembly *a);

/** The model that it is of. */
const torsor_model *assembly_model(const assembly *a);

/** Numbers of an element were changed: what was found from them is to be found anew. */
void assembly_change_element(assembly *a);

/** From t on input i is value[0] + value[1] (t' - t) + value[2] (t' - t)^2 / 2. */
void assembly_set_input(assembly *a, int i, double t, const double value[3]);

/** Body motions at a point, for what is evaluated element by element: see assembly_element_in. */
void assembly_set_motion(assembly *a, const torsor_point *p);

/** Joint coordinates with their turns counted: at first where the scene puts the markers, then
 * followed from `p` on over the steps that the problem's integrator accepts.  Sets the motion. */
void assembly_start_coordinates(assembly *a, const torsor_point *p);
const struct coordinates *assembly_coordinates(const assembly *a);

/** Their `shown` values at `p`, which may be within the last step.  The motion is set to `p`. */
void assembly_show_coordinates(assembly *a, const torsor_point *p);

/** Those of another assembly of the same model, its load, and which of its forces act. */
void assembly_copy_state(assembly *a, const assembly *from);

/** Tangents take the stresses of the elements that declare some as they are at `p` to first order
 * after the displacement p->v, until they are forgotten.  Sets the motion. */
bool assembly_has_stresses(const assembly *a);
void assembly_foresee(assembly *a, const torsor_point *p);
void assembly_forget(assembly *a);

/** From now on the force acts or does not.  Elements that do not are not evaluated. */
void assembly_switch(assembly *a, int force, bool acts);
bool assembly_acts(const assembly *a, int i);

/** Input of element `i` at the motion last set; `p` gives time and multipliers. */
torsor_element_in assembly_element_in(const assembly *a, int i, const torsor_point *p);

/** Motion of node `i` last set. */
const torsor_motion *assembly_motion(const assembly *a, int i);

/** The element whose evaluation failed last; -1 = none did. */
int assembly_failed_element(const assembly *a);

/** The first joint that is astray at p (see torsor_element_type), or -1. */
int assembly_astray(assembly *a, const torsor_point *p);

/** Initial q [nq] and v [nv] as the scene gives them; given [nv] = 1 where a velocity is given. */
void assembly_initial(const assembly *a, double *q, double *v, unsigned char *given);

/** v [nv] as the scene gives it for nodes whose frames were moved to q: velocities and angular
 *  velocities given in inertial axes keep their direction there. */
void assembly_initial_velocity(const assembly *a, const double *q, double *v);

/** From now on corrections B0^T s are made with B itself: turns count as metres. */
void assembly_correct_plainly(assembly *a);

/** Largest entry of the elements' mass matrices at `p`: scale of masses.  Sets the motion. */
double assembly_mass_scale(assembly *a, const torsor_point *p);

/** The same of translations alone, kg: in large models moments of inertia are the largest entries.
 * Sets the motion. */
double assembly_moved_mass(assembly *a, const torsor_point *p);

/** The same of rotations alone, kg m^2.  Sets the motion. */
double assembly_turned_mass(assembly *a, const torsor_point *p);

/** The length that a rad counts as, m: the radius of gyration that the largest mass and the largest
 * moment of inertia have together, or where there is none the model's length; `mass` receives the
 * largest mass, or what the moment makes one.  Sets the motion. */
double assembly_turn_length(assembly *a, const torsor_point *p, double *mass);

/** scale [nl]: by how much, to first order, a row changes where a node moves by `length` (m) or
 * turns by 1 rad.  What is rounding in a row is so much of that, whatever the row's unit.  Sets the
 * motion. */
torsor_status assembly_row_scales(double *scale, assembly *a, const torsor_point *p, double length);

/** Rows are regularised by the squares of scale [nl] where the entries of a matrix that belong to
 * translations are at most 1, and those of rotations the square of `length`: it is the root of the
 * diagonal of B times its inverse times B^T, at least.  Sets the motion. */
torsor_status assembly_regular_rows(double *scale, assembly *a, const torsor_point *p,
                                    double length);

/** Largest entry of the elements' stiffness matrices at `p`, N/m: scale of stiffnesses.  A turn
 * counts as what it moves at `length`.  Sets the motion. */
double assembly_stiffness_scale(assembly *a, const torsor_point *p, double length);

/** Of the matrix last factored: sign of its determinant (0: not known), smallest over largest
 * pivot. */
int assembly_factor_sign(const assembly *a);
/** The same of a symmetric one: number of its negative eigenvalues; -1 where the solver cannot
 * tell. */
int assembly_factor_negative(const assembly *a);
double assembly_pivot_ratio(const assembly *a);

/** Steps take a matrix in which some joints couple no velocities of two bodies (narrowing.h). From
 * now on systems TORSOR_SYSTEM_INDEX3 that do not `follow` have all of the tangents. MEMORY, or why
 * there is no solver for it. */
torsor_status assembly_make_whole(assembly *a);

/** The matrix last factored by compressed columns, [nonzeros]; Ap and Ai may be NULL. */
const double *assembly_matrix(const assembly *a, int *nonzeros, const int **Ap, const int **Ai);

/** Constraint gradient by rows at (t, q): for row i the entries first[i] .. first[i+1]-1 of
 *  `column` and `value`, in node coordinates.  Arrays from malloc, owned by the caller. */
typedef struct gradient_rows {
  int rows, columns;
  int *first, *column;
  double *value;
} gradient_rows;
torsor_status assembly_gradient(gradient_rows *out, assembly *a, const torsor_point *p);
void gradient_rows_release(gradient_rows *rows);

#endif
