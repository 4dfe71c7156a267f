/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_H
#define TORSOR_INTEGRATOR_H

/** Time integration of constrained mechanical systems on Lie groups.
 *
 *      q' = DL_q(e) v~,   M(q) v' = -g(q, v, t) - B(q)^T lambda,   Phi(q, t) = 0
 *
 *  The integrator sees an abstract `torsor_problem`: it knows neither elements nor scenes. */

#include <stdbool.h>
#include <stddef.h>

#include <torsor/base.h>

TORSOR_BEGIN_DECLS

/** The point at which a problem is evaluated. */
typedef struct torsor_point {
  double t;
  const double *q;      /* [nq] configuration */
  const double *v;      /* [nv] velocity */
  const double *a;      /* [nv] its derivative v' */
  const double *lambda; /* [nl] multipliers */
  const double *u;      /* [nv] increment that led to q = q0 exp(u); NULL: T(u) = identity */
} torsor_point;

/** Linear systems that a problem can factor.  T = T(u), all blocks at the given point:
 *   ACCELERATION  [[m M, B^T], [B, 0]]                                       unknowns (v', lambda)
 *   INDEX3        [[m M + c C + k K T, B^T], [B T, 0]]                       unknowns (u, y)
 *   STABILISED    [[m M + c C + k K T, B^T, -k K T B0^T],
 *                  [B T, 0, -B T B0^T],
 *                  [B + z Z T, 0, -z Z T B0^T]]                              unknowns (u, y, s)
 *   VELOCITY      [[m M, B^T], [B, -e I]] with the rows and columns of fixed velocities replaced by
 *                 those of the identity                                      unknowns (v, y)
 *  with K = D_q(M v' + g + B^T lambda), C = dg/dv, Z = D_q(B v + Phi_t), B0 = B at the frozen
 *  configuration.
 *
 *  With e > 0 ACCELERATION and INDEX3 have -e on the diagonal of (constraint, y) too, and
 * STABILISED on those of (velocity constraint, y) and (constraint, s): regular also where rows
 * depend on each other.
 *
 *  With `frozen` INDEX3 has B0^T in place of B^T.
 *
 *   MASS          M alone, with a factorisation of its own: see solve_mass
 *
 *  Rows of nonholonomic constraints are [B + z Z T, 0] in INDEX3, [B + z Z T, 0, -z Z T B0^T]
 * instead of [B T, 0, -B T B0^T] in STABILISED, where their third row is s = 0, and left out (y =
 * 0) in VELOCITY with `holonomic`. */
typedef enum torsor_system {
  TORSOR_SYSTEM_ACCELERATION,
  TORSOR_SYSTEM_INDEX3,
  TORSOR_SYSTEM_STABILISED,
  TORSOR_SYSTEM_VELOCITY,
  TORSOR_SYSTEM_MASS
} torsor_system;

typedef struct torsor_weights {
  torsor_system system;
  double m, c, k, z, e;
  bool follow; /* INDEX3, STABILISED: the matrix will be kept, and may be corotated with the bodies
                  to the point of the last residual when it is used for a solution */
  const unsigned char *fixed; /* [nv], VELOCITY only: 1 = this velocity is given */
  /** [nl] scales of the rows: their squares times e replace e, those of y and, in STABILISED, those
   * of (constraint, s); NULL = 1. */
  const double *rows, *corrections;
  bool holonomic; /* VELOCITY only: without the nonholonomic rows */
  bool frozen;    /* INDEX3 only: B0^T in place of B^T */
  /** ACCELERATION, VELOCITY: the factorisation of the steps must remain available; `recall` returns
   * to it. */
  bool aside;
  /** STABILISED, where the problem has `solve_correction`: the system is split.  The effect of
   * corrections of positions on forces, and of positions on velocity constraints, is neglected, and
   * two matrices of the size of INDEX3 replace one; the first is that of INDEX3. */
  bool split;
} torsor_weights;

/** A correction of positions is asked for as a whole, as a whole where u counts as 0, or for s
 * alone, so that the rest may be anything. */
typedef enum torsor_correction {
  TORSOR_CORRECTION_WHOLE,
  TORSOR_CORRECTION_STILL,
  TORSOR_CORRECTION_FIT
} torsor_correction;

/** Scales by which quantities with different units are compared, in the regularisation of dependent
 * rows. */
typedef struct torsor_scales {
  double mass;        /* scale of the entries of M for translations: forces are divided by it */
  double *component;  /* [nv] velocity, m/s, to which one unit of a component corresponds */
  double *row;        /* [nl] largest change of a row of B by components of that size 1 */
  double *correction; /* [nl] square root of the diagonal of B B0^T, or an upper bound of it */
} torsor_scales;

typedef struct torsor_problem {
  void *self;
  int nq, nv, nl; /* coordinates, velocities, constraints */
  double length;  /* scale of positions beside |q|: largest lever arm, for the round-off floor */
  /** [nv] metric in which corrections B0^T s of positions are least: its squares are the weights of
   * the components, and B0 is B divided by them.  NULL: all are 1. */
  const double *metric;
  /** [nl] 1 = the row demands k(t, q, v) = phi_v = 0 only, with dk/dv = B at v and force -B^T
   * lambda; its phi is 0.  NULL: all rows are holonomic. */
  const unsigned char *nonholonomic;
  /** Rows of B depend on each other: systems are regularised, and of the multipliers only B^T
   * lambda is determined. */
  bool redundant;
  /** [nv] 1 = a component of rotation (rad); NULL: all are translations (m). */
  const unsigned char *rotation;
  /** [nq] 1 = a number without a unit, as those of a quaternion are; NULL: all are lengths (m). */
  const unsigned char *unitless;
  /** g depends on lambda: L = dg/dlambda is added to B^T in the column of y, but for VELOCITY. */
  bool reactive;
  /** [nl] first guess of lambda at the start, where g depends on it; NULL = 0. */
  const double *lambda0;
  /** M is constant and g = grad U(q, t) - ad(v)^T M v: a potential and the group's gyroscopic
   * terms. */
  bool conservative;
  /** Why it is not conservative, as the end of a sentence; may be NULL. */
  const char *obstacle;

  /** q1 = q exp(u).  q1 may be q. */
  void (*plus)(void *self, double *q1, const double *q, const double *u);
  /** u = log(q0^-1 q1), the increment that leads from q0 to q1.  NULL: methods and outputs that
   * need it are refused. */
  void (*minus)(void *self, double *u, const double *q1, const double *q0);
  /** out = T(u) w: (q exp(u(t)))' = q exp(u) (T(u) u')~. */
  void (*tan)(void *self, double *out, const double *u, const double *w);
  /** out = T(u)^-1 w, transposed: T(u)^-T w.  NaN where |rotation| of u reaches 2 pi. */
  void (*taninv)(void *self, double *out, const double *u, const double *w, bool transposed);
  /** out = [a~, b~] of the Lie algebra. */
  void (*bracket)(void *self, double *out, const double *a, const double *b);
  /** r = M v' + g + B^T lambda [nv], phi = Phi [nl], phi_v = B v + Phi_t [nl]; NULL: not wanted. */
  torsor_status (*residual)(void *self, const torsor_point *p, double *r, double *phi,
                            double *phi_v);
  /** phi_a = R(v, v) + 2 Phi_tq v + Phi_tt [nl]: the acceleration constraint is B v' + phi_a =
   * 0. */
  torsor_status (*hidden)(void *self, const torsor_point *p, double *phi_a);
  /** out = B v' + phi_a [nl], at once.  NULL: by `hidden` and by differences of B v + Phi_t. */
  torsor_status (*defect)(void *self, const torsor_point *p, double *out);
  /** Announces that matrices with these weights will be factored, so that memory for them is taken
   * now.  NULL: nothing to do.  Fails with MEMORY. */
  torsor_status (*expect)(void *self, const torsor_weights *w);
  /** Assembles and factors a matrix.  Fails with SINGULAR. */
  torsor_status (*factor)(void *self, const torsor_point *p, const torsor_weights *w);
  /** Solves with the last factorisation, in place; x has the length of the system's unknowns. */
  torsor_status (*solve)(void *self, double *x);
  /** Finds v' [nv] and lambda [nl] of M v' + g + B^T lambda = 0, B v' + phi_a = 0 at p, whose a and
   * lambda count for nothing, without a matrix of all unknowns; `solve` then solves with the matrix
   * [[m M, B^T], [B, 0]] of this place.  SINGULAR where rows depend on each other, or nearly so,
   * and where the problem has no such way here: `factor` is then to be used.  NULL: always. */
  torsor_status (*accelerate)(void *self, const torsor_point *p, double *v, double *lambda,
                              double m);
  /** Solves for the correction of positions after a `split` factorisation: x [nv + nl] = (u, phi)
   * is replaced by (u - B0^T s, s), with which the linearised positions satisfy phi; phi = 0 in
   * nonholonomic rows.  NULL: no factorisation is split. */
  torsor_status (*solve_correction)(void *self, double *x, torsor_correction wanted);
  /** Returns to the last factorisation of INDEX3 or STABILISED, after others.  SINGULAR when it is
   * lost, as others that were not made `aside` may have overwritten it.  NULL: it must be made
   * again. */
  torsor_status (*recall)(void *self);
  /** Returns to the last factorisation of ACCELERATION that was made `aside`, corotated with the
   * bodies to the point of the last residual.  SINGULAR when it is lost.  NULL: it always is. */
  torsor_status (*recall_aside)(void *self);
  /** x [nv] <- M^-1 x with the last factorisation of MASS, which other systems do not overwrite; x
   * has length nv + nl.  NULL: methods that need it are refused. */
  torsor_status (*solve_mass)(void *self, double *x);
  /** Freezes B0 = B(q, t) for the stabilised formulation; it may be B(q, t) W with a metric W of
   * the corrections. */
  torsor_status (*freeze_gradient)(void *self, double t, const double *q);
  /** out = B0^T s  [nv]. */
  void (*gradient_force)(void *self, double *out, const double *s);
  /** Announces that a step is about to be accepted: the problem may update its data, or reject the
   * step by a positive status, and a smaller one is tried.  NULL: nothing to do. */
  torsor_status (*accept)(void *self, const torsor_point *p);
  /** Announces that the step accepted last ends earlier, at p.  NULL: nothing to do. */
  void (*cut)(void *self, const torsor_point *p);
  /** While this is on, matrices are assembled as if everything that slips would stick.  NULL: no
   *  force sticks. */
  void (*hold)(void *self, bool on);
  /** Returns the largest entry of M, by which systems are divided; NULL = 1. */
  double (*mass_scale)(void *self, const torsor_point *p);
  /** Finds by how much, to first order, a row changes where something moves by 1 m, moved [nl], or
   * rotates by 1 rad, turned [nl].  The round-off of a row follows from that of positions and
   * rotations.  NULL: rows are lengths, 1 and `length`. */
  void (*row_sizes)(void *self, const torsor_point *p, double *moved, double *turned);
  /** Fills `out`, whose arrays are given.  NULL: `mass` is that of mass_scale, and all others are
   * 1. */
  void (*scales)(void *self, const torsor_point *p, torsor_scales *out);
  /** Does part(data, i) for i = 0 .. parts - 1, in any order and in parallel where there are
   * threads; returns when all are done.  Integrators use it for loops over long vectors.  NULL: one
   * after the other. */
  void (*share)(void *self, int parts, void (*part)(void *data, int i), void *data);
  /** Cost of assembling and factoring a matrix, in units of one residual with one solution; 0 =
   * 3. */
  double factor_cost;
} torsor_problem;

/* ---- methods ----------------------------------------------------------------------------- */

/** Formulation of the constraints; USUAL: GGL where the method knows formulations. */
typedef enum torsor_formulation {
  TORSOR_FORMULATION_USUAL,
  TORSOR_INDEX3,
  TORSOR_GGL
} torsor_formulation;
/** Starting values; USUAL: damped with GGL and SOI2, else perturbed.  PERTURBED: S4 eq. 56, 57;
 * damped where a step does not resolve the perturbation.  PLAIN: a_0 = v'(0).  DAMPED: the part of
 * v'(0) that a step resolves; the first steps are short and have parameters that damp the rest. */
typedef enum torsor_start {
  TORSOR_START_USUAL,
  TORSOR_START_PERTURBED,
  TORSOR_START_PLAIN,
  TORSOR_START_DAMPED
} torsor_start;

/** Origin of the v' and lambda that are shown (torsor_integrator_interpolate). */
typedef enum torsor_multipliers {
  /** M v' + g + B^T lambda = 0 with B v' + phi_a = 0 at the motion that was found (S4 eq. 7). */
  TORSOR_MULTIPLIERS_ACCELERATION,
  /** Those of the method's steps, which contain the transients of its recursion (S4 section
   * 2.3). */
  TORSOR_MULTIPLIERS_METHOD
} torsor_multipliers;

/** Metric in which the corrections of positions of stabilised methods are least.  BODIES: a
 * rotation counts as the displacement at the end of a rod of the bodies' size.  PLAIN: 1 rad counts
 * as 1 m, B0^T s with B itself (S4 eq. 58). */
typedef enum torsor_metric { TORSOR_METRIC_BODIES, TORSOR_METRIC_PLAIN } torsor_metric;

/** M_alpha in the weighted balances of S0 and S1. */
typedef enum torsor_mass_alpha {
  TORSOR_MASS_CARRIED,  /* M_{1+alpha} of the step before, with the acceleration that it had */
  TORSOR_MASS_EVALUATED /* M(t0 + alpha h, q0 exp(alpha h v0)) */
} torsor_mass_alpha;

/** Point at which the second reaction R_1 of S3 eq. 3.4 is evaluated. */
typedef enum torsor_reaction {
  TORSOR_REACTION_END,              /* at t1, q1 */
  TORSOR_REACTION_EXPLICIT,         /* S3 eq. 3.5: at t1, q0 exp(h v0) */
  TORSOR_REACTION_MIDPOINT,         /* R_1/2 at t0 + h/2, q0 exp(u/2) in the velocities, b = 0 */
  TORSOR_REACTION_MIDPOINT_EXPLICIT /* the same at q0 exp(h v0/2) */
} torsor_reaction;

/** Parameters of the generalised-alpha family (S4 eq. 9). */
typedef struct torsor_alpha {
  double alpha_m, alpha_f, beta, gamma;
} torsor_alpha;

/** Chung and Hulbert 1993 (S4 eq. 52), 0 <= rho_inf <= 1. */
TORSOR_API torsor_alpha torsor_alpha_chung_hulbert(double rho_inf);
/** HHT: alpha in [-1/3, 0]: alpha_f = -alpha, alpha_m = 0, gamma = 1/2 - alpha, beta =
 * (1-alpha)^2/4. */
TORSOR_API torsor_alpha torsor_alpha_hht(double alpha);
/** Newmark: alpha_m = alpha_f = 0. */
TORSOR_API torsor_alpha torsor_alpha_newmark(double beta, double gamma);
/** Checks the order condition gamma = 1/2 + alpha_f - alpha_m (S4 eq. 12).  Fails with
 * TORSOR_ARGUMENT, the numbers and advice where it is violated: the method is then of first
 * order. */
TORSOR_API torsor_status torsor_alpha_check_order(const torsor_alpha *alpha, torsor_error *error);
/** Checks the stability conditions alpha_m < alpha_f < 1/2, beta > 1/4 + (alpha_f - alpha_m)/2 (S4
 * eq. 50), with which errors of multipliers decay; without constraints equality is enough for
 * linear stability at any step.  TORSOR_ARGUMENT names the violated one. */
TORSOR_API torsor_status torsor_alpha_check_stability(const torsor_alpha *alpha, bool constrained,
                                                      torsor_error *error);

/** Tolerances of the step-size control: the error that one second of motion may add to each
 * component of positions (m/s), rotations (rad/s) and velocities (their unit/s).  0 = not
 * controlled; all 0 = constant steps. */
typedef struct torsor_accuracy {
  double position, rotation, velocity;
} torsor_accuracy;

/** Is the step size controlled at all? */
static inline bool torsor_accuracy_is_set(const torsor_accuracy *a) {
  return a->position > 0 || a->rotation > 0 || a->velocity > 0;
}

/** Begin with torsor_settings_default: it sets the size, by which a library knows the members that
 * the program was compiled with.  Members that come later then have their defaults. */
typedef struct torsor_settings {
  size_t size;        /* of this struct */
  const char *method; /* name in the method table */
  torsor_formulation formulation;
  torsor_start start;
  torsor_multipliers multipliers;
  torsor_metric metric; /* of problems made from models */
  torsor_mass_alpha mass_alpha;
  bool additive; /* variant of S1 below eq. 14: the forces of the position stage are those at v1 */
  bool uncorrected; /* S1 eq. 15, 16 or S3 eq. 2.3 are left out where the step size changes: the
                       method is of first order then */
  torsor_reaction reaction;
  double reaction_weight; /* b of S3 eq. 3.4, not 1/2 */
  torsor_alpha alpha;
  double step;              /* s */
  double atol, rtol;        /* Newton: |correction| <= atol + rtol |unknown| */
  int max_iterations;       /* Newton iterations per step before the step is halved */
  int max_halvings;         /* a step may be cut to step/2^max_halvings */
  torsor_accuracy accuracy; /* if set, `step` is the largest step, and steps end at its multiples */
  int order;                /* of "explicit": 8 or 5; 0 = 8 */
  bool unestimated; /* errors of the motion are not estimated: nothing is said of coarse steps */
} torsor_settings;

/** Does the method use the stabilised index-2 form?  Methods that know formulations do with
 * TORSOR_GGL, some others always. */
TORSOR_API bool torsor_settings_stabilised(const torsor_settings *settings);

/** Write settings into the `size` bytes of `out`: the first `settings` with USUAL replaced by the
 * choice, the second the defaults.  Callers use the two functions below. */
TORSOR_API void torsor_settings_choose(torsor_settings *out, size_t size,
                                       const torsor_settings *settings);
TORSOR_API void torsor_settings_fill(torsor_settings *out, size_t size);

/** Returns the settings with USUAL replaced by the choice. */
static inline torsor_settings torsor_settings_chosen(const torsor_settings *settings) {
  torsor_settings s;
  torsor_settings_choose(&s, sizeof s, settings);
  return s;
}

/** Generalised-alpha, stabilised index 2 (GGL), rho_inf = 0.8, a damped start, multipliers of the
 * acceleration level, atol 1e-12, rtol 1e-8. */
static inline torsor_settings torsor_settings_default(void) {
  torsor_settings s;
  torsor_settings_fill(&s, sizeof s);
  return s;
}

/** Counters since the start. */
typedef struct torsor_counters {
  long steps, rejected_steps, newton_iterations, factorizations, residual_evaluations;
  long starts; /* starts of the method: the first one, and restarts of the motion */
  /** "auto": steps of the implicit method among all, and changes between the two methods. */
  long implicit_steps, method_changes;
  double smallest_step, largest_step; /* s, of the accepted steps; 0 before the first */
} torsor_counters;

/** Description of a failed step, by indices of the problem. */
typedef struct torsor_failure {
  torsor_status status;
  double t, h;    /* end of the step tried and its size */
  int velocity;   /* index of the worst unknown in v, -1 = none */
  int constraint; /* index of the worst constraint row, -1 = none */
  double value;   /* its correction (velocity) or residual (row) */
  int iterations;
  /** The iteration converged, with a correction of the positions (velocity, value) that no error of
   * the step accounts for. */
  bool astray;
} torsor_failure;

/** Steps since the start in which a velocity jumped: a drive that changes its speed at once, or an
 * impact shorter than a step.  The force of such a step is an impulse, which the ends of steps do
 * not show. */
typedef struct torsor_impulse {
  long count;     /* number of such steps; 0: the other members are undefined */
  double t, h;    /* end of the first one and its size, s */
  int constraint; /* row that caused the jump; -1 = none, a force did */
  int velocity;   /* index of the velocity that jumped most */
  double size; /* size of the jump: that of the row (in the unit of its rate, such as m/s or rad/s),
                  or of the velocity */
} torsor_impulse;

typedef struct torsor_integrator torsor_integrator;

/** Integrator for `problem` (which must outlive it).  All memory is taken here.  ARGUMENT where a
 * setting is out of range, or not the default one and unknown to the method. */
TORSOR_API torsor_status torsor_integrator_create(torsor_integrator **out,
                                                  const torsor_problem *problem,
                                                  const torsor_settings *settings,
                                                  torsor_error *error);
TORSOR_API void torsor_integrator_destroy(torsor_integrator *integrator);

/** Start at t0 from consistent q0 [nq], v0 [nv]: solves S4 eq. 7 for v' and lambda and makes the
 *  method's starting values (S4 eq. 56-57 when asked for). */
TORSOR_API torsor_status torsor_integrator_start(torsor_integrator *integrator, double t0,
                                                 const double *q0, const double *v0);

/** One step of size settings.step onto the grid t0 + n step; cut into smaller ones inside as the
 * accuracy asks for, or halved and recovered when the Newton iteration fails.  On failure the state
 * stays that of the last accepted (sub)step. */
TORSOR_API torsor_status torsor_integrator_step(torsor_integrator *integrator);

/** One accepted (sub)step of the above, which ends at a multiple of `step` or before.  With
 * step-size control and a finite `end` the steps lead there and meet the multiples no more, until
 * `end` is infinite again; constant steps shorten the last one before it (an end within 1e-3 steps
 * is passed by both).  ARGUMENT unless `end` is still to come. */
TORSOR_API torsor_status torsor_integrator_advance(torsor_integrator *integrator, double end);

/** One step of size h > 0 from where it is, neither halved nor cut: for sizes that the caller
 * chooses.  It leaves the grid: all steps since a start or restart are such steps, or none. */
TORSOR_API torsor_status torsor_integrator_step_by(torsor_integrator *integrator, double h);

/** State after the last accepted step: pointers into the integrator, valid until the next step,
 * start or restart.  Its v' and lambda are those that the method goes on with, whatever
 * settings.multipliers says. */
typedef struct torsor_state {
  double t;
  const double *q, *v, *a, *lambda; /* a = v' at t (S4: not the auxiliary variable a_n) */
  const double *eta;                /* [nl] of the last step, GGL only, else NULL */
  bool redundant; /* constraint rows depend on each other: known before, or found on the way */
} torsor_state;
TORSOR_API torsor_state torsor_integrator_state(const torsor_integrator *integrator);

/** Returns the state as torsor_integrator_state does, with v' and lambda near those that are shown,
 * for sums over all steps: where a method's own satisfy the equations of motion, they are moved
 * towards those of the acceleration level by the matrix with which these were found last, as long
 * as it serves. */
TORSOR_API torsor_status torsor_integrator_settle(torsor_integrator *integrator, torsor_state *out);

/** State to be shown at t within the last accepted (sub)step, its end included: the motion at its
 * ends, or between them with errors of the order of the method, and v' and lambda as
 * settings.multipliers has them.  Those of the acceleration level take a factorisation, and are the
 * method's own where they are not determined: where constraint rows nearly depend on each other
 *  (torsor_integrator_findings).  Stabilised methods of order 2 meet the constraints between the
 * ends, too. Pointers into the integrator, valid until the next call; eta at the end of the step
 * only.  ARGUMENT where t is not in that step or the problem has no minus or taninv, TURN where a
 * rotation in it is too large. Changes nothing of the motion to come but by rounding. */
TORSOR_API torsor_status torsor_integrator_interpolate(torsor_integrator *integrator, double t,
                                                       torsor_state *out);

/** Steps of generalised-alpha, from here on: a companion is to take the same steps with a
 * part of their local errors taken out of them, or to rest, as its errors are known to be small.
 * Without effect where the method has none. */
TORSOR_API void torsor_integrator_accompany(torsor_integrator *integrator, bool on);
/** That companion at the end of the last step, moved as the state `shown` there is from the
 * integrator's own: *part of the estimated global error is what it is away from `shown`.  False
 * where there is none, or where it could not follow. */
TORSOR_API bool torsor_integrator_companion(torsor_integrator *integrator,
                                            const torsor_state *shown, torsor_state *out,
                                            double *part);

/** The motion alone, q and v: without factorisations.  v' and lambda are the method's own, straight
 * between the ends. */
TORSOR_API torsor_status torsor_integrator_motion(torsor_integrator *integrator, double t,
                                                  torsor_state *out);

/** Findings about the whole run since the start: facts by which no single step fails. */
typedef struct torsor_findings {
  /** States shown whose v' and lambda of the acceleration level were not determined (a change point
   * is near), and the time of the first. */
  long undetermined;
  double undetermined_at;
  /** The same of methods that have no other v' and lambda: those shown are made by rounding. */
  long rounded;
  double rounded_at;
  /** Index 3: the most that velocities that were shown are off B v + Phi_t = 0 by, in parts of the
   * largest, both in the metric of the mass matrix, and when. */
  double violation, violation_at;
  /** Ends of steps that no step was found to, and that a longer one passed: constraint rows depend
   * on each other there, or nearly so; and the first of them. */
  long passed;
  double passed_at;
  /** Step-size control: places where no step was accurate enough, as where velocities jump, and the
   * motion began anew; and the first of them. */
  long restarts;
  double restarted_at;
  /** Size of the last step, s, and, under step-size control, the index in v of the component whose
   * error limits it, -1 = none. */
  double last_step;
  int limiting;
  /** Sum of the local errors of constant steps, reduced by the effect of constraints, stiff forces
   * and dampers: the largest value relative to the motion of components of that kind (to a rotation
   * of 1 rad at least), or to their largest velocity, and the index in v of the component with most
   * of it, -1 = none. */
  double coarseness;
  int coarsest;
  /** Explicit method: times that stretches of steps were found to be limited by stability rather
   * than by the motion, when the first one was found, and the index in v of the component that is
   * fastest there.  "auto": changes to the implicit method for this reason. */
  long stiff;
  double stiff_at;
  int stiffest;
  /** "auto": changes back to the explicit method after such ones, and the time of the first; and
   * changes to the implicit one because rows, or multiples of the largest step, shorten explicit
   * steps. */
  long returned;
  double returned_at;
  long shortened;
  double shortened_at;
} torsor_findings;
TORSOR_API torsor_findings torsor_integrator_findings(const torsor_integrator *integrator);

/** Mean of the last accepted (sub)step, for sums over it: q half way between its ends, of v, v' and
 * lambda the means of both ends, which stay within those whatever the step does not resolve; with
 * `way` v is that of the way between them.  Pointers and errors as with
 *  torsor_integrator_interpolate. */
TORSOR_API torsor_status torsor_integrator_middle(torsor_integrator *integrator, bool way,
                                                  torsor_state *out);

/** Start anew at t within the last accepted (sub)step, after the problem has changed there: from
 * the interpolated q and v, moved onto the constraints, with v', lambda and starting values as at
 * the start (settings.start), so that what the change excites does not last.  The next multiple of
 * `step` is then met, or the one after it where that is nearer than step/2.  After a failure the
 * integrator is to be started. */
TORSOR_API torsor_status torsor_integrator_restart(torsor_integrator *integrator, double t);

/** Restarts as torsor_integrator_restart does, from q [nq] and v [nv] in place of those at t. Where
 * these cannot be moved onto the constraints the integrator keeps its state. */
TORSOR_API torsor_status torsor_integrator_restart_from(torsor_integrator *integrator, double t,
                                                        const double *q, const double *v);

/** Restarts as torsor_integrator_restart does with steps of another size, whose grid begins at
 * t. */
TORSOR_API torsor_status torsor_integrator_set_step(torsor_integrator *integrator, double t,
                                                    double step);

/** Jumps of velocities since the start, found with methods whose steps end with the accelerations
 * of the equations of motion; restarts are none. */
TORSOR_API torsor_impulse torsor_integrator_impulse(const torsor_integrator *integrator);

/** Name of the method that took the last step, or that takes the first one: that of the settings
 * or, with "auto", the one that this chose. */
TORSOR_API const char *torsor_integrator_method(const torsor_integrator *integrator);
TORSOR_API torsor_counters torsor_integrator_counters(const torsor_integrator *integrator);
TORSOR_API torsor_failure torsor_integrator_failure(const torsor_integrator *integrator);

/** The methods: name and one line each; NULL past the end. */
TORSOR_API const char *torsor_method_name(int i);
TORSOR_API const char *torsor_method_title(int i);

/** Order of a method's q and v; 0 where there is no method of that name. */
TORSOR_API int torsor_method_order(const char *method);

/** The same with the order that the settings ask for. */
TORSOR_API int torsor_settings_order(const torsor_settings *settings);

/** Are the steps of the method of that name explicit?  They resolve what is fast, or fail. */
TORSOR_API bool torsor_method_is_explicit(const char *name);
/** Has the method of that name step-size control? */
TORSOR_API bool torsor_method_controls(const char *name);
/** Does the method of that name need an accuracy, as it has no constant steps? */
TORSOR_API bool torsor_method_needs_accuracy(const char *name);
/** Does a method know a key of a scene's "simulation" that not every method knows: "formulation",
 * "start", "mass_alpha", "additive", "step_correction", "reaction", "reaction_weight", "rho_inf",
 * "hht", "newmark", "alpha", "order", "atol", "rtol"? */
TORSOR_API bool torsor_method_takes(const char *method, const char *setting);

/* ---- dense problems by callbacks ---------------------------------------------------------- */

/** A small problem by plain functions, for tests and studies: R^n unless `plus` is given, dense
 *  matrices row-major, derivatives by central differences where left out. */
typedef struct torsor_dense {
  void *data;
  int nq, nv, nl;
  int nonholonomic; /* how many of the nl rows, the last ones, are k(t, q, v) = 0 only: `constraint`
                     * leaves them alone; without `rate` they are linear, k = B v + phi_t, and
                     * `gradient` and `constraint_rate` give B and phi_t */
  bool redundant;   /* see torsor_problem; nl may then exceed nv */
  double length;
  const unsigned char *rotation;                                  /* see torsor_problem */
  void (*mass)(void *data, double t, const double *q, double *M); /* [nv x nv] */
  void (*force)(void *data, double t, const double *q, const double *v, double *g); /* [nv] */
  void (*constraint)(void *data, double t, const double *q, double *phi);           /* [nl] */
  void (*gradient)(void *data, double t, const double *q, double *B);               /* [nl x nv] */
  /** phi_t [nl], NULL = scleronomic. */
  void (*constraint_rate)(void *data, double t, const double *q, double *phi_t);
  /** k [nonholonomic] where it is not linear in v, and dk/dv [nonholonomic x nv], NULL = by
   *  differences; `gradient` and `constraint_rate` then leave those rows alone. */
  void (*rate)(void *data, double t, const double *q, const double *v, double *k);
  void (*rate_gradient)(void *data, double t, const double *q, const double *v, double *B);
  /** [nv] forces that depend on the multipliers and replace B^T lambda: M v' + g + reaction = 0.
   * May be nonlinear; `lambda0` [nl] is then a first guess of the multipliers at the start. */
  void (*reaction)(void *data, double t, const double *q, const double *v, const double *lambda,
                   double *out);
  const double *lambda0;
  bool conservative; /* see torsor_problem */
  /** R(v,v) + 2 Phi_tq v + Phi_tt [nl]; NULL = by differences of B v + Phi_t, over 6e-6 s at most
   * where there is phi_t: give it where that changes much faster than in a second. */
  void (*hidden)(void *data, double t, const double *q, const double *v, double *phi_a);
  /** The group; all NULL = R^n. */
  void (*plus)(void *data, double *q1, const double *q, const double *u);
  void (*tan)(void *data, double *T, const double *u); /* [nv x nv] */
  void (*bracket)(void *data, double *out, const double *a, const double *b);
  void (*minus)(void *data, double *u, const double *q1, const double *q0); /* may be left out */
} torsor_dense;

/** Problem on `dense`, which must outlive it. */
TORSOR_API torsor_status torsor_dense_create(torsor_problem **out, const torsor_dense *dense,
                                             torsor_error *error);
TORSOR_API void torsor_dense_destroy(torsor_problem *problem);

TORSOR_END_DECLS

#endif
