/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_SUPERELEMENT_H
#define TORSOR_ELEMENTS_SUPERELEMENT_H

/** The reduced body between the interface frames of a superelement, in a floating frame F. */

#include <torsor/element.h>

/** Constants of the inertia of a body with the shapes N at the places X of its nodes, of mass M,
 * G_k the turn about axis k; products of pairs of axes in the order xx, yy, zz, xy, yz, xz. */
typedef struct super_inertia {
  double mass;
  v3 moment;       /* first moment about the body's origin, kg m */
  double J[6];     /* second moments about it, kg m^2 */
  const double *S; /* [3][n] translations^T M N */
  const double *P; /* [3][n] N^T M G_k X */
  const double *W; /* [6][n] N^T G_k^T M G_l X, made symmetric in k and l */
  const double *M; /* [n x n] N^T M N */
  const double *C; /* [3][n x n] N^T M G_k N */
  const double *D; /* [6][n x n] N^T G_k^T M G_l N, made symmetric; less stiffening by rotation */
  const double *E; /* [3][n x n] stiffening by a weight of 1 m/s^2 along x, y, z, which squares of
                      the deformation take from the first moment; NULL: none */
} super_inertia;

typedef struct superelement_data {
  int interfaces, carriers; /* frames, and points that hold three modal coordinates each */
  int n;                    /* coordinates: 6 of each interface, then the modes */
  int frame;                /* interface whose node moves F; -1: a node of its own, mean axes */
  const int *node;          /* [nodes] in the model: that of F, the other interfaces, carriers */
  int nodes;
  const se3 *place;          /* [interfaces] undeformed frames in the body's axes */
  const double *K, *damping; /* [n x n]; the latter may be NULL */
  double lag;                /* s: damping + lag K damps */
  super_inertia inertia;
  const double *axes;      /* [6][n] rows of the mean axes; NULL: none */
  double size;             /* m, of the body */
  double spare;            /* 1/s^2, of coordinates that no mode uses */
  double least;            /* rad/s, the lowest frequency with an interface held; 0: not known */
  const double *stress;    /* [6 points][n] xx, yy, zz, xy, yz, xz at named points; NULL: none */
  const char *const *name; /* [points] */
  int points;
  v3 gravity; /* set by prepare */
} superelement_data;

extern const torsor_element_type superelement;

/** Index of the element's node of interface `i`. */
static inline int super_node_of(const superelement_data *e, int i) {
  if (e->frame < 0) return i + 1;
  return i == e->frame ? 0 : i < e->frame ? i + 1 : i;
}

/** Index of the element's first carrier. */
static inline int super_first_carrier(const superelement_data *e) {
  return e->interfaces + (e->frame < 0);
}

#endif
