/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_SUPER_INERTIA_H
#define TORSOR_ELEMENTS_SUPER_INERTIA_H

/** Inertia and weight of a deforming body in a floating frame. */

#include "elements/floating.h"
#include "elements/superelement.h"

/** Motion of F and of the coordinates q [n], q', q''. */
typedef struct super_state {
  floating_frame F;
  v3 gravity; /* axes of F */
  double *q, *dq, *ddq;
} super_state;

/** Adds the forces of inertia less the weight to those on F, force and moment about its origin
 *  [6], and on q. */
void super_inertia_force(double on_F[6], double *on_q, const super_inertia *I, const super_state *s,
                         int n);

/** Kinetic energy, momentum, angular momentum and first moment about the origin of F, axes of F. */
double super_momentum(v3 *linear, v3 *angular, v3 *moment, const super_inertia *I,
                      const super_state *s, int n);

/** Products of the constants with the motion that the derivatives are made of. */
typedef struct super_products {
  double *Dq, *Ddq;           /* [6][n] W + D q, D q' */
  double *B;                  /* [3][n] P + C q */
  double *Cdq, *Ctdq, *Ctddq; /* [3][n] C q', C^T q', C^T q'' */
  double *Sq, *Edq, *Eddq;    /* [3][n] S - E q, E q', E q'' */
  v3 moment, moving, h;       /* s, S q', B q' */
  m3 J, dJ;                   /* second moments and their rate */
  v3 a;                       /* a_F less gravity */
} super_products;
/** work [33 n] */
void super_find_products(super_products *out, double *work, const super_inertia *I,
                         const super_state *s, int n);

/** A row of derivatives of the forces: by displacements (turns of F), velocities and accelerations
 *  of F, F [18]; by q, q' and q'', [n] each. */
typedef struct super_row {
  double *F, *q, *dq, *ddq;
} super_row;

/** Fills row `a` of the derivatives: 0 to 5 force and moment on F, then the forces on q. */
void super_inertia_row(super_row *out, const super_inertia *I, const super_state *s,
                       const super_products *p, int n, int a);

#endif
