/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_EXPLICIT_STEP_H
#define TORSOR_INTEGRATOR_EXPLICIT_STEP_H

/** A step of the explicit method in the chart q = q0 exp(theta) of its begin, index 1:
 *
 *      theta_i = h sum_(j<i) a_ij f_j,      v_i = v0 + h sum_(j<i) a_ij w_j
 *      f_i = T(theta_i)^-1 v_i,             w_i = v' of the acceleration level at (t_i, q_i, v_i)
 *
 *  This is Munthe-Kaas's form with the exact inverse tangent: the order is that of the pair on
 * every group.  At the end q and v are moved onto the constraints by changes that are least in the
 * metric of M. */

#include "dormand_prince.h"
#include "method.h"

/** In which of 15 steps, not separated by six others, a step was larger than what is stable. */
typedef struct stiffness_watch {
  int above, below; /* such steps, and others in a row since the last one */
  int narrow;       /* steps in a row that are far smaller than `step`, with h rho not small */
  int fastest;      /* component of the last step that is fastest, -1 = none */
  double rho;       /* its h rho */
} stiffness_watch;

typedef struct explicit_step {
  torsor_integrator *it;
  const torsor_problem *problem;
  const runge_kutta_pair *pair;
  int nv, nl;

  double t, h;                    /* begin and size of the step that the stages belong to */
  bool accepted;                  /* it is the integrator's last one */
  bool extended;                  /* the stages of the extension are known, too */
  double *f, *w;                  /* [PAIR_STAGES nv] rates of theta and v */
  double *q, *theta, *v, *lambda; /* of the stage last evaluated; at the end those of the step */
  double *way;                    /* [nv] theta at the end */
  double *theta_last, *v_last;    /* of the last stage before the end */
  double *theta_free, *v_free;    /* of the end before it was moved onto the constraints */
  double *a;                      /* [nv] v' at the end */
  double *jump;                   /* [nv] by which v was moved there */
  double *moved;                  /* [nv] by which theta was moved there */
  double *error;                  /* [nv] */
  double *noise;                  /* [nv] rounding errors of v' */
  double *x;                      /* work: [nq + 4 nv + nl] */
  stiffness_watch stiff;
  bool lean; /* the last accelerations needed no matrix of all unknowns */
} explicit_step;

/** The stages before `last` are known: theta and v of that one. */
void explicit_collect(explicit_step *s, const double *v0, int stage);

/** q, f and w of the stage from theta and v.  SINGULAR; TURN or NONFINITE where it is out of the
 * chart's reach. */
torsor_status explicit_evaluate(explicit_step *s, const double *q0, int stage, double t);
/** Finds v' and, in s->lambda, the multipliers at (t, q, v). */
torsor_status explicit_accelerate(explicit_step *s, double *a, double t);

/** Under step-size control: ACCURACY where the local error of the step is above what is allowed.
 * Constant steps, whose end is known: where it is not small, as the step is not stable. */
torsor_status explicit_judge(explicit_step *s);
/** The same of what the constraints moved the end by. */
torsor_status explicit_judge_moved(explicit_step *s);

/** Local errors of a constant step, for the sum of them. */
void explicit_add_errors(explicit_step *s);

/** The step is accepted: is it larger than what is stable? */
void explicit_watch(explicit_step *s);

/** Tries a step of size h to t1 without taking it.  Returns h rho; infinite where it is not
 * accurate enough. */
double explicit_try(explicit_step *s, double t1, double h);
/** Finds h rho of the step whose end is known, and its fastest component. */
void explicit_find_rho(explicit_step *s);

/** Method table's `extend`. */
torsor_status explicit_extend(torsor_integrator *it, double t);
/** Method table's `way`. */
bool explicit_way(const torsor_integrator *it, double *theta, double *rate);

#endif
