/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_RELATIVE_KIT_H
#define TORSOR_ELEMENTS_RELATIVE_KIT_H

/** Relative kinematics of two markers and the maps to their nodes, common to joints and forces. */

#include <torsor/joint.h>

/** Step of central differences relative to what they change over: round-off eps/h and truncation
 *  h^2 in balance. */
#define RELATIVE_STEP 6.055454452393343e-06

/** Relative frame of two markers at one motion.  A "frame map" is the frame of marker b seen from
 *  where a twist is given: from node b it is the marker's offset, from node a the offset of marker
 *  a followed by the relative frame.  With them e_rel = Ad(Cb^-1) e_b - Ad(Ca^-1) e_a. */
typedef struct relative_state {
  torsor_relative_in in;
  m3 Ra, Rb;          /* frame maps: rotation ... */
  v3 xa, xb;          /* ... and position */
  twist Wa;           /* Ad(H^-1) V_A: twist of marker a carried to marker b */
  int side_a, side_b; /* nodes of the element, -1 = ground */
} relative_state;

/** Relative frame and frame maps; in.V = 0, in.lambda of the element. */
void relative_find(relative_state *s, const torsor_joint *joint, const torsor_element_in *in);

/** Relative twist into in.V, and Wa. */
void relative_velocity(relative_state *s, const torsor_element_in *in);

/** Step of differences along e_k: of positions relative to what J changes over, of rotations to 1
 *  rad. */
double relative_step(const torsor_joint *joint, const torsor_relative_in *in, int k);

/** The relative frame moved by exp(h e_k). */
torsor_relative_in relative_moved(const torsor_relative_in *in, int k, double h);

/** r_b += Ad(Cb^-1)^T f, r_a -= Ad(Ca^-1)^T f for a wrench f on b in its axes; r [6 nodes]. */
void relative_add_wrench(double *r, const relative_state *s, twist f);

/** row [6 nodes] += J e_rel as a row over the nodes' directions. */
void relative_add_row(double *row, const relative_state *s, const double J[6]);

/** Derivative of relative_add_wrench for df = X e_rel: K [n x n] += [Ad(Cb^-1), -Ad(Ca^-1)]^T X
 *  [Ad(Cb^-1), -Ad(Ca^-1)], and on a's rows the turning of f: Ad(Ca^-1)^T breve(f) e_rel,
 *  breve(f) = [[0, f~], [f~, m~]].  With f = NULL the frames stand still: for dr/dV. */
void relative_add_matrix(double *K, int n, const relative_state *s, double X[6][6], const twist *f);

/** Adds dr/dq and dr/dV [n x n] (NULL: not wanted) of the wrench w on b, with its derivatives H by
 *  the relative frame and V by the relative twist. */
void relative_add_tangents(double *K, double *C, int n, const relative_state *s, double H[6][6],
                           double V[6][6], twist w);

/** Evaluates the constraints of `joint` at `in`; with `second` also KL (at in->lambda) and Z, by
 *  finite differences when the joint is marked `numeric`. */
torsor_status relative_eval(torsor_relative_out *out, torsor_relative_in *in,
                            const torsor_joint *joint, bool second);

/** J^T lambda: the wrench on b that belongs to the residual B^T lambda; the joint's force and
 *  moment on b are its opposite. */
twist relative_constraint_wrench(const torsor_relative_out *out, const double *lambda, int rows);

/** Rotation of marker b, to inertial axes. */
m3 relative_axes_b(const torsor_joint *joint, const torsor_element_in *in);

/** Wrench f on b in its axes as force and moment in inertial axes, [6]. */
void relative_output(double *values, const torsor_joint *joint, const torsor_element_in *in,
                     twist f);

/** Fails where a force along a coordinate has a moment on a point mass, which has no orientation to
 *  take it: where it acts at an arm from marker a, or turns b. */
torsor_status relative_check_points(const torsor_coordinate_ref *on, const char *name,
                                    torsor_error *error);

/** J, KL and Z of row `row` += those of factor * c. */
void relative_add_coordinate(torsor_relative_out *out, int row, double factor,
                             const torsor_coordinate_out *c, const torsor_relative_in *in);

static inline double relative_dot(const double a[6], const double b[6]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/** Evaluates a coordinate of `joint`; with `second` also its K, by finite differences when the
 *  joint is `numeric`. */
void relative_coordinate(torsor_coordinate_out *c, const torsor_joint *joint, int index,
                         const torsor_relative_in *in, bool second);

#endif
