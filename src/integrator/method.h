/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_METHOD_H
#define TORSOR_INTEGRATOR_METHOD_H

/** The interface between the integrator and its methods: a time stepping method is one file with
 * one table, and these are the data that it works on. */

#include <torsor/integrator.h>

#include "base/tape.h"
#include "error_sum.h"
#include "impulse.h"
#include "newton.h"
#include "saddle.h"

typedef struct method {
  const char *name;  /* as in settings.method */
  const char *title; /* one line */
  int order;         /* order of convergence of q and v */
  /** Keys of a scene's "simulation" that this method knows, among those that not every method does;
   * NULL ends the list. */
  const char *settings[16];
  /** Fails with ARGUMENT where the method does not accept the problem or the settings; NULL: it
   * accepts all. */
  torsor_status (*check)(const torsor_problem *problem, const torsor_settings *settings,
                         torsor_error *error);
  /** Takes the method's memory into integrator->own: that of its struct and, by `walk`, that of all
   * arrays. */
  torsor_status (*create)(torsor_integrator *integrator);
  /** Walks over everything in integrator->own that changes during a run (base/tape.h). */
  void (*walk)(torsor_integrator *integrator, tape *t);
  /** Finds starting values for step size h from q, v at t in the integrator; fills a and lambda. */
  torsor_status (*start)(torsor_integrator *integrator, double h);
  /** Takes one step of size h that ends at t1.  On success q, v, a, lambda, eta are those at t1;
   * otherwise they are unchanged.  The caller updates t. */
  torsor_status (*step)(torsor_integrator *integrator, double t1, double h);
  /** Adapts the method's data to a next step of size h instead of h_old.  Must not change q, v, a,
   * lambda, eta. */
  torsor_status (*resize)(torsor_integrator *integrator, double h, double h_old);
  /** A `step` that succeeds calls interpolate_hand_over. */
  bool hands_over;
  /** It leaves its increment, q1 = q0 exp(theta), in integrator->last.theta. */
  bool leaves_way;
  /** The v' and lambda after a `step` are those of the method's recursion, not of the acceleration
   * level. */
  bool own_multipliers;
  /** These satisfy the balance M v' + g + B^T lambda = 0 at the end of a step: without constraints
   * there is no other v'. */
  bool balanced;
  /** The method always uses the stabilised index-2 form, whatever the formulation. */
  bool stabilised;
  /** A step whose local error exceeds the tolerance fails with ACCURACY; the quotient of both is in
   * integrator->control. */
  bool estimates_error;
  /** There are no constant steps. */
  bool needs_accuracy;
  /** v' and multipliers after a step solve the equations of motion at its end and are no auxiliary
   * variables of the method: its steps are monitored for jumps of velocities. */
  bool settles;
  /** Explicit steps: they resolve what is fast, or fail, and a change of their size costs
   * nothing. */
  bool is_explicit;
  /** The error estimate of the velocities needs two steps of one size: the first one is small. */
  bool starts_small;
  /** The usual start is damped, except with index 3. */
  bool starts_damped;
  /** Finds the state of the companion at the end of the last step, which differs from the one
   * `shown` by *part of the error; false where none is known.  NULL: the method has no
   * companion. */
  bool (*companion)(torsor_state *out, double *part, torsor_integrator *integrator,
                    const torsor_state *shown);
  /** The method's own curve within the last accepted step: q and v at t go to
   * integrator->last.shown.  ARGUMENT where it is not known any more.  NULL: the quintic or cubic
   * with the values and rates of both ends. */
  torsor_status (*extend)(torsor_integrator *integrator, double t);
  /** theta and theta' at the end of the last accepted step in the chart of its begin; false where
   * they are not known.  NULL: they are found from q and v there, up to half a turn. */
  bool (*way)(const torsor_integrator *integrator, double *theta, double *rate);
} method;

/** Returns the method of that name, or NULL. */
const method *method_find(const char *name);

/** Completes a caller's settings, replaces USUAL by the choice and finds the method.  Fails with
 * ARGUMENT where there is none, where it does not accept the problem, or where a setting is out of
 * range, or not the default and unknown to the method. */
torsor_status settings_take(torsor_settings *out, const method **found,
                            const torsor_problem *problem, const torsor_settings *settings,
                            torsor_error *error);

extern const method method_generalized_alpha, method_soi2;
extern const method method_hht_odae, method_rattle, method_radau, method_explicit, method_auto;

/** Position on the grid t0 + n step.  A leg leads to grid point n + 1, from grid point n or, after
 * a restart, from between.  `ticks` of 2^-(max_halvings + 1) of it are done; the present step size
 * is that of the leg / 2^level. */
typedef struct grid {
  double t0;
  long n;
  bool between; /* the leg leads from `from` to `to` over `length`, else from grid point n to n + 1
                 */
  double from, to, length; /* ends and length of such a leg */
  int least;               /* level of its largest step: 1 where the leg is longer than `step` */
  long long ticks;
  int level;
  int successes; /* successive successful steps at this level */
  bool left;     /* the grid was left by steps that do not follow it */
  bool off;      /* the leg ends elsewhere than at a grid point */
  bool passing;  /* it leads beyond one at which no step can end */
  bool passed;   /* that was tried without success */
} grid;

/** Data of the step-size control: present and wanted size, and the local errors of the last two
 * steps over their tolerances. */
typedef struct step_control {
  bool on;
  double h, wanted, error, before;
  bool unsure;   /* `error` lacks the velocities, whose estimate needs two steps of one size */
  int worst;     /* component of v with the largest error, -1 = not known */
  bool refused;  /* the present step was rejected with a larger size */
  double usual;  /* size of the steps so far, without a few small ones */
  bool passing;  /* the present step is accepted whatever its error */
  bool anew;     /* the motion is restarted at the end of that step */
  double passed; /* end of the last such step */
} step_control;

/** A state at an end of a step, or within. */
typedef struct step_end {
  double t;
  double *q, *v, *a, *lambda;
} step_end;

/** Largest v^T M v, v'^T M v' and |lambda_i| of the states shown since the start, and the largest
 * v^T M v of the violation of velocity constraints. */
typedef struct shown_sizes {
  double speed, action, reaction, violation;
  double usual; /* |lambda_i| of the last of them, averaged, without outstanding ones */
} shown_sizes;

/** Approximations of v' and lambda of the acceleration level. */
typedef struct near_reactions {
  bool known;
  double *a, *lambda;
} near_reactions;

/** The last accepted step: its start, and the curve from there to its end (dense output). */
typedef struct last_step {
  step_end begin, spare; /* `spare` stores the start of a step that is tried */
  step_end shown;        /* result of the interpolation between the ends */
  bool known;      /* a and lambda contain v' and lambda of the acceleration level at the end */
  bool determined; /* false: these are not determined, and a and lambda are the method's own */
  double *a, *lambda;
  shown_sizes most;
  near_reactions near, near_begin; /* at the end and at the start of the step */
  bool moved;                      /* theta belongs to this step, ... */
  bool ready;                      /* ... and so do all of the following members */
  double *theta;                   /* [nv] increment to the end */
  double *rate;                    /* [nv] its rate there, T^-1 v */
  double *rate2;                   /* [nv] derivative of the rate, for methods of higher order */
  double *u;                       /* [nv] work */
  double *work;                    /* [nq + 3 nv + 3 nl] */
} last_step;

struct torsor_integrator {
  arena memory;
  const torsor_problem *problem;
  torsor_settings settings;
  const method *method;
  int order;                   /* of q and v, with these settings */
  void *own;                   /* data of the method */
  struct automatic *automatic; /* of "auto", whose steps are those of `method`; else NULL */
  newton newton;
  saddle systems;
  bool started;
  bool regularises; /* a step with a singular matrix may be regularised, as constraint rows may
                       depend on each other at its end */
  grid grid;
  step_control control;
  last_step last;
  double t;
  double *q, *v, *a, *lambda;
  double *eta; /* NULL unless GGL */
  torsor_counters counters;
  torsor_findings findings;
  torsor_failure failure;
  /* Start of the settings, or DAMPED where a step does not resolve the perturbation. */
  torsor_start begun;
  impulse_watch impulse;
  const double *jump; /* [nv] change of the velocities in the last step by the projection onto their
                         constraints; NULL: not known */
  bool follows;       /* a companion estimates the errors of constant steps */
  error_sum errors;   /* errors of constant steps, to which methods add */
  bool beside; /* it is a neighbour of another motion: it satisfies constraints to first order in
                  its distance only, which is no error */
  struct variations *varied; /* neighbouring motions that follow this one; NULL: none */
};

/** Walks over everything in `last` that changes during a run (base/tape.h). */
void interpolate_walk(torsor_integrator *integrator, tape *t);

/** Stores the integrator's state as the start of the next step; once that is accepted, see
 * below. */
void interpolate_keep(torsor_integrator *integrator);
/** Does the same once the step is found: *q and *v are those at its end and become the
 * integrator's, whose arrays of a and lambda must then be filled; *q and *v receive memory for the
 * next step. */
void interpolate_hand_over(torsor_integrator *integrator, double **q, double **v);
/** Accepts the step from the stored start to the integrator's state. */
void interpolate_follow(torsor_integrator *integrator);
/** Finds approximate accelerations of the equations of motion at both ends of the step that was
 * just accepted, at t = end->t. */
torsor_status interpolate_settle(torsor_integrator *integrator, torsor_point *begin,
                                 torsor_point *end);
/** Records that the integrator's state is a start, whose v' and lambda are those of the
 * acceleration level. */
void interpolate_begin(torsor_integrator *integrator);

/** Finds a = v' and lambda at (t, q, v) by S4 eq. 7.  `left`: see saddle_solve.  `work` [nv +
 * nl]. */
torsor_status start_accelerations(double *a, double *lambda, double *left, saddle *systems,
                                  double t, const double *q, const double *v, double *work);

/** Does the same with the matrix of the last saddle_factor, at p, whose a and lambda are zero and
 * may be these vectors; for problems whose g does not depend on lambda. */
torsor_status start_solve_accelerations(double *a, double *lambda, double *left, saddle *systems,
                                        const torsor_point *p, double *work);

/** Does the same from the guess in `lambda`, where g depends on it. */
torsor_status start_accelerations_near(double *a, double *lambda, double *left, saddle *systems,
                                       double t, const double *q, const double *v, double *work);

/** Does the same for a stabilised method between steps: filters the multipliers of dependent rows,
 * and returns to the matrix of the steps. */
torsor_status start_accelerations_within(double *a, double *lambda, torsor_integrator *integrator,
                                         double t, const double *q, const double *v, double *work);

/** Finds v' and lambda at the integrator's (t, q, v), regularised where rows depend on each other;
 * SINGULAR also where dependent rows contradict each other.  `work` [nv + nl]. */
torsor_status start_motion(double *a, double *lambda, torsor_integrator *it, double *work);

/** Finds a and lambda at (t, q, v) for any method.  `determined` is false where constraint rows are
 * so nearly dependent that a violation of B v + Phi_t = 0, or rounding, changes v' by more than a
 * hundredth. `work` [nq + 3 nv + 3 nl]. */
torsor_status start_reactions(bool *determined, double *a, double *lambda,
                              torsor_integrator *integrator, double t, const double *q,
                              const double *v, double *work);

/** Moves a and lambda, a method's own that satisfy the balance, towards those of the acceleration
 * level, by the matrix with which these were found last, corotated with the bodies.  SINGULAR where
 * that matrix is lost or does not serve, and the full system must be solved.  `work` [2 nv + 3
 * nl]. */
torsor_status start_reactions_near(double *a, double *lambda, torsor_integrator *integrator,
                                   double t, const double *q, const double *v, double *work);

/** Finds a and lambda of the acceleration level at (q, v), to first order, from those at `p`
 * nearby.  `work` [3 nv + 3 nl]. */
torsor_status start_reactions_beside(double *a, double *lambda, torsor_integrator *integrator,
                                     const torsor_point *p, const double *q, const double *v,
                                     double *work);

/** Finds jerk = v'' at (t, q, v, a = v') by differences of second order over +-h (S4 section 4.2, s
 * = 1), or from t to t + h where nothing is defined before.  `work` [nq + 4 nv + 2 nl]. */
torsor_status start_jerk(double *jerk, saddle *systems, double t, double h, const double *q,
                         const double *v, const double *a, double *work);

/** Does the motion lead from here to a point at t where constraint rows are dependent, or so nearly
 * that rounding errors move it by more than they may while a dead centre is passed? */
bool start_is_loose(torsor_integrator *integrator, double t);

/** Finds out [nv] = M(q) w at p: the contribution of the acceleration w to the balance, which
 * without accelerations is `rest` [nv]. */
torsor_status start_momentum_beside(double *out, const torsor_problem *problem, torsor_point p,
                                    const double *w, const double *rest);

/** Reduces v'' at p (p->a = v') to the part that a step of size h resolves: with the matrix of the
 * index-3 form, smooth in
 *
 *      [[M + gamma h C + beta h^2 K, B^T], [B, 0]] (smooth, y) = (M v'', B v'')
 *
 * replaces v'' where it has less than half of v''^T M v''.  `unresolved`: hardly anything is left,
 * and h^2 v'' exceeds v by the same measure.  `work` [4 nv + 2 nl]. */
torsor_status start_smooth_jerk(double *jerk, bool *unresolved, saddle *systems,
                                const torsor_alpha *alpha, double h, const torsor_point *p,
                                double *work);

/** Projects q onto Phi(q, t) = 0 and then v onto B v + Phi_t = 0, by changes that are least in the
 * metric of the mass matrix.  `work` [nv + nl]. */
torsor_status start_consistent(double *q, double *v, saddle *systems, double t, double *work);

/** Finds out = B w [nl] at (p->t, p->q).  `work` [nv + nl]. */
torsor_status start_constraint_rate(double *out, const torsor_problem *problem,
                                    const torsor_point *p, const double *w, double *work);

/** Finds dv with M dv + B^T y = 0 and B dv = rate (S4 eq. 56) or, in nonholonomic rows, B dv = 0; M
 * and B are those of the last saddle_factor.  `work` [nv + nl]. */
torsor_status start_project(double *dv, saddle *systems, const double *rate, double *work);

#endif
