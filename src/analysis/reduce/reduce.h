/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_REDUCE_H
#define TORSOR_ANALYSIS_REDUCE_H

/** Reduction of finite-element models to interfaces and modes (Hurty 1965, Craig and Bampton 1968;
 *  with free modes Herting 1985). */

#include <torsor/base.h>
#include <torsor/lie.h>

/** Entries of a symmetric matrix, of its lower triangle (row >= column), in any order; repeated
 *  ones add up. */
typedef struct fe_matrix {
  long entries, room;
  int *row, *column;
  double *value;
} fe_matrix;

/** A model of finite elements, not held anywhere. */
typedef struct fe_model {
  int n;                    /* degrees of freedom */
  int *node;                /* [n] index of the node */
  unsigned char *direction; /* [n] 0, 1, 2: displacement; 3, 4, 5: rotation */
  fe_matrix K, M;
} fe_model;

/** An interface: a frame that nodes move with. */
typedef struct reduce_interface {
  const char *name;
  const int *node; /* [nodes] indices */
  int nodes;
  v3 position;          /* of the frame */
  bool averaging;       /* moves with the mean of the nodes, which stay free (RBE3); else holds
                           them rigidly (RBE2) */
  const double *weight; /* [nodes] of the mean; NULL: all alike */
} reduce_interface;

/** A load whose static deflection is among the modes (a residual vector). */
typedef struct reduce_load {
  const int *node; /* [nodes] */
  int nodes;
  v3 direction;
} reduce_load;

/** A solid element: see solids.h. */
typedef struct reduce_solid {
  const int *node; /* [nodes] indices */
  int nodes;
  double E, nu; /* Young's modulus, Pa, and Poisson's ratio */
} reduce_solid;

typedef struct reduce_input {
  const fe_model *model;
  const v3 *place; /* [nodes] m */
  const long *id;  /* [nodes] numbers of the nodes, for messages */
  int nodes;
  const reduce_interface *interface;
  int interfaces;
  const reduce_load *load;
  int loads;
  int modes;                 /* how many ... */
  double below_hz;           /* ... or, where this is > 0, those below this frequency */
  bool free_modes;           /* of the free body; else with the interfaces held */
  const reduce_solid *solid; /* the elements, for stresses */
  int solids;
  const int *point; /* [points] nodes whose stresses are wanted */
  int points;
  const bool
      *holds; /* [interfaces] that bear the body as it turns; NULL: no stiffening is wanted */
} reduce_input;

/** Findings of a reduction. */
typedef struct reduce_report {
  int degrees;          /* of freedom of the model */
  long entries;         /* of the factor */
  double rigid_full;    /* forces against rigid motions, of those that deform, full model */
  double rigid_reduced; /* the same after the reduction */
  double mass;          /* kg */
  v3 centre;            /* m */
  m3 inertia;           /* about the centre, kg m^2 */
  double isotropy;      /* part of the mass that is not alike in all directions */
  int modes;
  double *frequency;  /* [modes] Hz, of the modes that are kept, interfaces held */
  double residual;    /* the largest |K x - lambda M x| of them, part of |K x| */
  double left_out[3]; /* effective mass that no mode carries when the interfaces are held, x, y, z,
                         part of the mass between the interfaces */
} reduce_report;

/** The reduced body: coordinates are six for each interface, then the modes. */
typedef struct reduce_result {
  int n;         /* 6 interfaces + modes */
  double *K, *M; /* [n x n] */
  double *C;     /* [3][n x n] N^T M G_k N, G_k the turn about axis k */
  double *D;     /* [6][n x n] N^T (G_k^T M G_l + G_l^T M G_k) N/2; kl = xx, yy, zz, xy, yz, xz */
  double *N;     /* [n][degrees] the shapes, by columns */
  double *S;     /* [6 points][n] stresses xx, yy, zz, xy, yz, xz of the points; or NULL */
  double *F;     /* [9][n x n] stiffness of the stresses under the forces of a rotation with the
                    products kl of its components, in the order of D, and of a weight of 1 m/s^2
                    along x, y, z; or NULL */
  reduce_report report;
} reduce_result;

/** Reduces the model.  Fails with SCENE where the matrices or interfaces do not fit: a stiffness
 *  that resists rigid motions or is not positive with the interfaces held, a node without all three
 *  displacements, an interface whose nodes do not hold its rotations, nodes of two interfaces; with
 *  MEMORY; with NEWTON where the modes do not converge.  error->parameter names the interface by
 *  its index ("interfaces[2]"), or the point.  reduce_release follows also a failure. */
torsor_status reduce(reduce_result *out, const reduce_input *in, torsor_error *error);
void reduce_release(reduce_result *r);

#endif
