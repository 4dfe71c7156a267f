/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_ALPHA_STEP_H
#define TORSOR_INTEGRATOR_ALPHA_STEP_H

/** State of a step of the generalised-alpha method, shared by the files that implement it. */

#include "alpha_companion.h"
#include "alpha_kit.h"
#include "parts.h"

typedef struct alpha_step {
  const torsor_problem *problem;
  const torsor_settings *settings;
  newton *newton;
  saddle *systems;
  torsor_integrator *it; /* contains q, v, v' and lambda at t_n */
  bool ggl;
  int whole; /* GGL: number of steps that are still solved with one matrix of all unknowns, not by
                halves; < 0: all steps are */
  int nv, nl, ny;
  int parts; /* number of parts of loops over all components */

  double h, t1;
  torsor_alpha alpha; /* parameters of the settings, or of the first steps after a damped start */
  int damped;         /* number of such steps that are left */
  double m, c, k, z;  /* weights of the iteration matrix */
  double dv_du, dvd_du;

  bool shifted; /* v_n of the formulas is v0, and not the velocity of the motion */
  double *v0;   /* v_n that violates B v = 0 by O(h^2), see resize */
  double *a0;   /* auxiliary a_n */
  double *y0;   /* v', lambda, s at t_n: the newest values in `past` */
  extrapolation past;

  double *q1, *v1, *y1;
  double *u;     /* increment, q1 = q0 exp(u): the unknown minus `force` */
  double *force; /* GGL: B0^T s, by halves to some digits */
  double *moved; /* change of `force` in the last correction */
  double *x;
  double largest[2][PARTS]; /* largest entries of the parts of v1' and lambda, or of positions */
  double squares[2][PARTS]; /* sums of squares of the corrections of positions, and of their local
                               errors */
  double correction;        /* length of the correction of positions in the present step */
  double corrected;         /* the largest of the last steps, over h^3; 0: none */
  double *rest;             /* [nv + nl] GGL by halves: correction of positions */
  double shift;             /* largest entry of `moved` */
  double reach; /* corrections of positions relative to the constraint residuals that they remove,
                   as last observed */
  bool moves, thorough; /* the last solution corrected positions; the next one must, however small
                           the correction is */
  double *rate;         /* [nl] B v + Phi_t, for nonholonomic rows */
  companion companion;  /* estimates the error of constant steps */
} alpha_step;

/** Range of components of one part of a loop. */
typedef struct alpha_range {
  int from, to;
} alpha_range;

static inline alpha_range alpha_part_of(const alpha_step *s, int n, int i) {
  return (alpha_range){parts_begin(n, i, s->parts), parts_begin(n, i + 1, s->parts)};
}

static inline torsor_point trial_point(const alpha_step *s) {
  return (torsor_point){
      .t = s->t1, .q = s->q1, .v = s->v1, .a = s->y1, .lambda = s->y1 + s->nv, .u = s->u};
}

/* Returns the auxiliary acceleration a_n+1 of the recursion S4 eq. 9d. */
static inline double next_auxiliary(const torsor_alpha *p, double y1, double y0, double a0) {
  return ((1 - p->alpha_f) * y1 + p->alpha_f * y0 - p->alpha_m * a0) / (1 - p->alpha_m);
}

/* Returns the local error of the positions in the step: the difference between the formulas and the
 * cubic to which v' of the motion integrates, with `bracket` = [v, v'] (S4 eq. 17). */
static inline double local_error(const alpha_step *s, int i, double bracket) {
  const torsor_alpha *p = &s->alpha;
  const double h = s->h, y0 = s->y0[i], y1 = s->y1[i], a0 = s->a0[i];
  const double a1 = next_auxiliary(p, y1, y0, a0);
  return h * h * ((0.5 - p->beta) * a0 + p->beta * a1 - y0 / 3 - y1 / 6 - h * bracket / 12);
}

/** Returns v_n of the formulas. */
static inline const double *alpha_begin_velocity(const alpha_step *s) {
  return s->shifted ? s->v0 : s->it->v;
}

/** Sets the size of the step and the weights that follow from it. */
void alpha_set_step(alpha_step *s, double h);
/** Finds x = minus the scaled residual at the iterate; `self` is the alpha_step. */
torsor_status alpha_residual(void *self, double *x);
/** Returns the weights of the matrix of the step. */
torsor_weights alpha_weigh_matrix(const alpha_step *s);
/** Makes the end of the step the state of the integrator, whose time the caller updates. */
void alpha_end_step(alpha_step *s);

/** Is a step of the stabilised form solved by halves (alpha_halves.c)? */
static inline bool alpha_is_halved(const alpha_step *s) {
  return s->ggl && s->whole == 0;
}

/** Solves the stabilised system by halves. */
torsor_status alpha_solve_halves(alpha_step *s, double *x);
/** Fits s, from which the next one is predicted, to the correction of a step that was solved by
 * halves. */
void alpha_fit_multipliers(alpha_step *s);

/** Did the iteration of a step converge to a point that is not on the motion: with a correction of
 * the positions that no error of the step accounts for, or where the constraints determine
 * nothing? */
bool alpha_is_astray(alpha_step *s);
/** Records the correction of a step that alpha_is_astray has accepted. */
void alpha_note_correction(alpha_step *s);

/** Controls the step size: returns TORSOR_ACCURACY where the local error of the step that is about
 * to be taken exceeds the tolerance. */
torsor_status alpha_check_error(alpha_step *s);

#endif
