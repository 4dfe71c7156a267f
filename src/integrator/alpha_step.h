/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_ALPHA_STEP_H
#define TORSOR_INTEGRATOR_ALPHA_STEP_H

/** A step of generalised-alpha, for the files that it is made of. */

#include "alpha_companion.h"
#include "alpha_kit.h"
#include "parts.h"

typedef struct alpha_step {
  const torsor_problem *problem;
  const torsor_settings *settings;
  newton *newton;
  saddle *systems;
  torsor_integrator *it; /* has q, v, v' and lambda at t_n */
  bool ggl;
  int whole; /* GGL: so many steps are still solved with one matrix of all unknowns, not by halves;
                < 0: all */
  int nv, nl, ny;
  int parts; /* of loops over all components */

  double h, t1;
  torsor_alpha alpha; /* the settings', or that of the first steps after a damped start, ... */
  int damped;         /* ... of which so many are left */
  double m, c, k, z;  /* weights of the iteration matrix */
  double dv_du, dvd_du;

  bool shifted; /* v_n of the formulas is not that of the motion, */
  double *v0;   /* but this: off B v = 0 by O(h^2), see resize */
  double *a0;   /* auxiliary a_n */
  double *y0;   /* v', lambda, s at t_n: the last of... */
  extrapolation past;

  double *q1, *v1, *y1;
  double *u;     /* increment: q1 = q0 exp(u), the unknown - force */
  double *force; /* GGL: B0^T s */
  double *moved; /* its change in the last correction */
  double *x;
  double largest[2][PARTS]; /* of parts of v1' and lambda, or of positions */
  double squares[2][PARTS]; /* of the corrections of positions and of their local errors */
  double correction;        /* length of that of the present step */
  double corrected;         /* the largest of the last steps, over h^3; 0: none */
  double *rest;             /* [nv + nl] GGL by halves: what positions are corrected by */
  double reach; /* corrections of positions in parts of what they take out of the constraints, as
                   last seen */
  bool moves,
      thorough; /* the last solution has some; the next one has them however small they are */
  double *rate; /* [nl] B v + Phi_t, for nonholonomic rows */
  companion companion; /* of constant steps */
} alpha_step;

/** Components of a part of a loop over n. */
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

/* Auxiliary a_n+1 of the balance S4 eq. 9d. */
static inline double next_auxiliary(const torsor_alpha *p, double y1, double y0, double a0) {
  return ((1 - p->alpha_f) * y1 + p->alpha_f * y0 - p->alpha_m * a0) / (1 - p->alpha_m);
}

/* What the formulas of the positions are off by in the step: against the cubic that v', which is of
 * the motion, makes of it, with `bracket` = [v, v'] (S4 eq. 17). */
static inline double local_error(const alpha_step *s, int i, double bracket) {
  const torsor_alpha *p = &s->alpha;
  const double h = s->h, y0 = s->y0[i], y1 = s->y1[i], a0 = s->a0[i];
  const double a1 = next_auxiliary(p, y1, y0, a0);
  return h * h * ((0.5 - p->beta) * a0 + p->beta * a1 - y0 / 3 - y1 / 6 - h * bracket / 12);
}

/** Is a step of the stabilised form solved for by halves? */
bool alpha_is_halved(const alpha_step *s);

/** Did the iteration of a step end elsewhere than on the motion: at a correction of the positions
 * that no error of the step accounts for, or where the constraints hold nothing? */
bool alpha_is_astray(alpha_step *s);
/** The correction of the step that alpha_is_astray judged is one of the motion. */
void alpha_note_correction(alpha_step *s);

/** Step-size control: TORSOR_ACCURACY where the local error of the step that is about to be taken
 * is above what is allowed. */
torsor_status alpha_check_error(alpha_step *s);

#endif
