/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_FLOATING_H
#define TORSOR_ELEMENTS_FLOATING_H

/** A frame seen from a floating frame F: its deformation u = (R_F^T (x - x_F) - X, log(R_F^T R
 *  R_0^T)), with rates and derivatives.  Everything is in the axes of F. */

#include <torsor/element.h>

/** Motion of F: of the frame of a node behind a constant offset. */
typedef struct floating_frame {
  m3 R;
  v3 x;
  twist V, A;
} floating_frame;

/** Where one frame is. */
typedef struct floating_place {
  m3 Q, E, own; /* its axes in F, its turn from the undeformed state, the undeformed axes */
  m3 T;         /* T^-1 of the turn */
  lie_map map;
  v3 r;               /* place relative to the origin of F */
  v3 v, c;            /* velocity, and acceleration of its origin, as components in F */
  v3 s, ds;           /* angular velocity of F and its rate, in the turned axes */
  v3 w, dw;           /* angular velocity relative to F, in the turned axes, and its rate */
  twist U;            /* its own body twist */
  v3 u, turn;         /* deformation */
  v3 moving, turning; /* its rate */
  v3 accelerating, turning_faster; /* second derivative */
} floating_place;

/** Derivatives by the directions of F (body twist in its axes), then of the frame's own node: each
 *  [6 x 12], the rows being displacements and rotations. */
typedef struct floating_gradient {
  double u[72];      /* of u by displacements; of u' by velocities; of u'' by accelerations */
  double rate[72];   /* of u' by displacements */
  double second[72]; /* of u'' by displacements */
  double mixed[72];  /* of u'' by velocities */
} floating_gradient;

floating_frame floating_frame_of(const torsor_motion *m, se3 offset);

/** Fails with DOMAIN where the frame is turned by more than `largest`, rad. */
torsor_status floating_find(floating_place *out, const floating_frame *F, const torsor_motion *m,
                            se3 undeformed, double largest);

void floating_gradients(floating_gradient *out, const floating_place *p, const floating_frame *F);

/** Adds D(u)^T f, the wrenches of a force and a moment conjugate to u, to those on F [6] and on the
 *  node [6]. */
void floating_add_force(double *on_F, double *on_node, const floating_place *p, v3 f, v3 h);

/** Adds to [12 x 12] the derivative of these wrenches by displacements at constant f and h. */
void floating_geometric(double out[144], const floating_place *p, v3 f, v3 h);

#endif
