/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_METHOD_H
#define TORSOR_INTEGRATOR_METHOD_H

/** A time stepping method is one file with one table; this is what it works on. */

#include <torsor/integrator.h>

#include "base/tape.h"
#include "error_sum.h"
#include "impulse.h"
#include "newton.h"
#include "saddle.h"

typedef struct method {
  const char *name;  /* as in settings.method */
  const char *title; /* one line */
  int order;         /* of q and v */
  /** Keys of a scene's "simulation" that not every method knows and this one does; NULL ends
   * them. */
  const char *settings[16];
  /** ARGUMENT where it does not take that problem or those settings; NULL: it takes all. */
  torsor_status (*check)(const torsor_problem *problem, const torsor_settings *settings,
                         torsor_error *error);
  /** Take the method's memory into integrator->own: that of its struct, and by `walk` that of all
   * arrays. */
  torsor_status (*create)(torsor_integrator *integrator);
  /** All that moves in integrator->own. */
  void (*walk)(torsor_integrator *integrator, tape *t);
  /** Starting values for step size h from q, v at t in the integrator; fills a and lambda. */
  torsor_status (*start)(torsor_integrator *integrator, double h);
  /** One step of size h that ends at t1.  On success q, v, a, lambda, eta are those at t1, else
   * they are left alone.  t is the caller's. */
  torsor_status (*step)(torsor_integrator *integrator, double t1, double h);
  /** The next step has size h instead of h_old.  Must not change q, v, a, lambda, eta. */
  torsor_status (*resize)(torsor_integrator *integrator, double h, double h_old);
  /** A `step` that succeeds calls interpolate_hand_over. */
  bool hands_over;
  /** The v' and lambda that a `step` leaves are those of its recursion, not of the acceleration
   * level. */
  bool own_multipliers;
  /** They meet the balance M v' + g + B^T lambda = 0 at the end of a step: without constraints
   * there is no other v'. */
  bool balanced;
  /** The stabilised index-2 form, whatever the formulation. */
  bool stabilised;
  /** A step whose local error, in parts of what the accuracy allows, is above 1 fails with
   *  ACCURACY; the error is left in integrator->control. */
  bool estimates_error;
  /** v' and multipliers after a step are those of the equations of motion at its end, not what the
   * method carries along: its steps are watched for jumps of velocities. */
  bool settles;
  /** The velocities' error wants two steps of one size: the first is small. */
  bool starts_small;
  /** The usual start is damped, but with index 3. */
  bool starts_damped;
  /** The state that belongs to the one `shown` at the end of the last step, *part of its error away
   * from it; false where none is known. NULL: there never is. */
  bool (*companion)(torsor_state *out, double *part, torsor_integrator *integrator,
                    const torsor_state *shown);
} method;

/** Method of that name, or NULL. */
const method *method_find(const char *name);

/** The method of the settings; ARGUMENT where there is none, it does not take the problem, or a
 * setting is out of range, or not the default one and unknown to it. */
torsor_status settings_check(const method **found, const torsor_problem *problem,
                             const torsor_settings *settings, torsor_error *error);

extern const method method_generalized_alpha, method_soi2;
extern const method method_hht_odae, method_rattle, method_radau;

/** Place on the grid t0 + n step.  A leg leads to grid point n + 1, from grid point n or, after a
 *  restart, from between.  `ticks` of 2^-(max_halvings + 1) of it are done, the present size is
 * that of the leg / 2^level. */
typedef struct grid {
  double t0;
  long n;
  bool between;            /* the leg leads from here ... */
  double from, to, length; /* ... to there over this length, else from grid point n to n + 1 */
  int least;               /* level of its largest step: 1 where it is longer than `step` */
  long long ticks;
  int level;
  int successes; /* in a row at this level */
  bool left;     /* by steps that do not care for it */
  bool off;      /* the leg ends elsewhere than at a grid point: */
  bool passing;  /* it leads beyond one that no step ends at, ... */
  bool passed;   /* ... or that was tried */
} grid;

/** Step-size control: present and wanted size, and the local errors of the last two steps in parts
 * of what is allowed. */
typedef struct step_control {
  bool on;
  double h, wanted, error, before;
  bool unsure;   /* `error` lacks the velocities: they want two steps of one size */
  int worst;     /* component of v that has most of the error, -1 = not known */
  double usual;  /* size of the steps so far, that of a few small ones aside */
  bool passing;  /* the present step is taken whatever its error, and ... */
  bool anew;     /* ... the next one begins anew at its end */
  double passed; /* end of the last such step */
} step_control;

/** A state at an end of a step, or within. */
typedef struct step_end {
  double t;
  double *q, *v, *a, *lambda;
} step_end;

/** Largest v^T M v, v'^T M v' and |lambda_i| of the states that were shown since the start, and of
 * v^T M v of what velocities are off their constraints by. */
typedef struct shown_sizes {
  double speed, action, reaction, violation;
} shown_sizes;

/** v' and lambda near those of the acceleration level. */
typedef struct near_reactions {
  bool known;
  double *a, *lambda;
} near_reactions;

/** The last accepted step: where it began, and the curve from there. */
typedef struct last_step {
  step_end begin, spare; /* `spare` takes the begin of a step that is tried */
  step_end shown;        /* what interpolation answers with between the ends */
  bool known;            /* v' and lambda of the acceleration level at the end are here: */
  bool determined;       /* ... or, where those are not determined, the method's own */
  double *a, *lambda;
  shown_sizes most;
  near_reactions near, near_begin; /* at the end and at the begin of the step */
  bool ready;                      /* the following are those of this step */
  double *theta;                   /* [nv] increment to the end */
  double *rate;                    /* [nv] its rate there, T^-1 v */
  double *rate2;                   /* [nv] and the rate of that, with methods of higher order */
  double *u;                       /* [nv] work */
  double *work;                    /* [nq + 3 nv + 3 nl] */
} last_step;

struct torsor_integrator {
  arena memory;
  const torsor_problem *problem;
  torsor_settings settings;
  const method *method;
  void *own; /* of the method */
  newton newton;
  saddle systems;
  bool started;
  bool regularises; /* a step whose matrix is singular may end where constraint rows depend on each
                       other */
  grid grid;
  step_control control;
  last_step last;
  double t;
  double *q, *v, *a, *lambda;
  double *eta; /* NULL unless GGL */
  torsor_counters counters;
  torsor_findings findings;
  torsor_failure failure;
  torsor_start begun; /* the settings', or DAMPED where a perturbed start is not resolved */
  impulse_watch impulse;
  bool follows;     /* a companion does the motion, and tells the errors of constant steps */
  error_sum errors; /* of constant steps: methods add to it */
};

/** All that moves in `last`. */
void interpolate_walk(torsor_integrator *integrator, tape *t);

/** The integrator's state is where the next step begins; once that is accepted, see below. */
void interpolate_keep(torsor_integrator *integrator);
/** The same once the step is found: *q and *v are those at its end and become the integrator's,
 * whose arrays of a and lambda are to be filled; *q and *v are left with room for the next. */
void interpolate_hand_over(torsor_integrator *integrator, double **q, double **v);
/** The step from what was kept to the integrator's state is accepted. */
void interpolate_follow(torsor_integrator *integrator);
/** Near the accelerations of the equations of motion at both ends of the step that was just
 * accepted, at t = end->t. */
torsor_status interpolate_settle(torsor_integrator *integrator, torsor_point *begin,
                                 torsor_point *end);
/** The integrator's state is a start, whose v' and lambda are of the acceleration level. */
void interpolate_begin(torsor_integrator *integrator);

/** a = v' and lambda at (t, q, v) by S4 eq. 7.  `left`: see saddle_solve.  `work` [nv + nl]. */
torsor_status start_accelerations(double *a, double *lambda, double *left, saddle *systems,
                                  double t, const double *q, const double *v, double *work);

/** The same with the matrix of the last saddle_factor, at p, whose a and lambda are zero and may be
 * these vectors; for problems whose g does not depend on lambda. */
torsor_status start_solve_accelerations(double *a, double *lambda, double *left, saddle *systems,
                                        const torsor_point *p, double *work);

/** The same from the guess in `lambda`, where g depends on it. */
torsor_status start_accelerations_near(double *a, double *lambda, double *left, saddle *systems,
                                       double t, const double *q, const double *v, double *work);

/** The same for a stabilised method between steps: dependent rows' multipliers filtered, and back
 * to the matrix that its steps are solved with. */
torsor_status start_accelerations_within(double *a, double *lambda, torsor_integrator *integrator,
                                         double t, const double *q, const double *v, double *work);

/** The same for any method.  `determined` is false where constraint rows so nearly depend on each
 * other that what B v + Phi_t = 0 is off by, or rounding, moves v' by more than a hundredth. `work`
 * [nq + 3 nv + 3 nl]. */
torsor_status start_reactions(bool *determined, double *a, double *lambda,
                              torsor_integrator *integrator, double t, const double *q,
                              const double *v, double *work);

/** a and lambda, a method's own where the balance holds, moved towards those of the acceleration
 * level by the matrix that these were last found with, turned with the bodies; SINGULAR where that
 * is lost or does not do, and the whole of it is to be solved. `work` [2 nv + 3 nl]. */
torsor_status start_reactions_near(double *a, double *lambda, torsor_integrator *integrator,
                                   double t, const double *q, const double *v, double *work);

/** a and lambda, of the acceleration level at `p`, moved to those at (q, v) nearby, to first order.
 * `work` [3 nv + 3 nl]. */
torsor_status start_reactions_beside(double *a, double *lambda, torsor_integrator *integrator,
                                     const torsor_point *p, const double *q, const double *v,
                                     double *work);

/** jerk = v'' at (t, q, v, a = v') by second order differences over +-h (S4 section 4.2, s = 1), or
 * from t to t + h where nothing is defined before. `work` [nq + 4 nv + 2 nl]. */
torsor_status start_jerk(double *jerk, saddle *systems, double t, double h, const double *q,
                         const double *v, const double *a, double *work);

/** Whether the motion goes on from here to a place at t where constraint rows depend on each other,
 * or so nearly that rounding errors move it by more than they may while a dead centre is passed. */
bool start_is_loose(torsor_integrator *integrator, double t);

/** out [nv] = M(q) w at p: what the acceleration w adds to the balance.  `work` [nv]. */
torsor_status start_momentum(double *out, const torsor_problem *problem, torsor_point p,
                             const double *w, double *work);
/** The same where the balance without accelerations is known: `rest` [nv]. */
torsor_status start_momentum_beside(double *out, const torsor_problem *problem, torsor_point p,
                                    const double *w, const double *rest);

/** What of v'' at p (p->a = v') a step of size h can follow: with the matrix of the index-3 form,
 * smooth in
 *      [[M + gamma h C + beta h^2 K, B^T], [B, 0]] (smooth, y) = (M v'', B v'')
 *  takes the place of v'' where that has less than half of v''^T M v''.  `unresolved`: hardly
 * anything is left of it and h^2 v'' is larger than v, by the same measure.  `work` [4 nv + 2
 * nl]. */
torsor_status start_smooth_jerk(double *jerk, bool *unresolved, saddle *systems,
                                const torsor_alpha *alpha, double h, const torsor_point *p,
                                double *work);

/** Move q onto Phi(q, t) = 0 and then v onto B v + Phi_t = 0, by changes that are least in the
 * metric of the mass matrix.  `work` [nv + nl]. */
torsor_status start_consistent(double *q, double *v, saddle *systems, double t, double *work);

/** out = B w [nl] at (p->t, p->q).  `work` [nv + nl]. */
torsor_status start_constraint_rate(double *out, const torsor_problem *problem,
                                    const torsor_point *p, const double *w, double *work);

/** dv with M dv + B^T y = 0 and B dv = rate (S4 eq. 56) or, in nonholonomic rows, B dv = 0; M and B
 * as in the last saddle_factor.  `work` [nv + nl]. */
torsor_status start_project(double *dv, saddle *systems, const double *rate, double *work);

#endif
