/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/relative_kit.h"

#include <string.h>

/* Sine of the angle between a force and the line to marker a below which it is round-off. */
#define SMALL_ARM 1e-9

/* Ad(C^-1) V for C = (R, x). */
static twist carry_twist(const m3 *R, v3 x, twist V) {
  return (twist){.lin = m3_tmulv(*R, v3_add(V.lin, v3_cross(V.ang, x))),
                 .ang = m3_tmulv(*R, V.ang)};
}

/* Ad(C^-1)^T w for C = (R, x): a wrench at C seen at the frame that C is given in. */
static inline twist carry_wrench(const m3 *R, v3 x, twist w) {
  const v3 force = m3_mulv(*R, w.lin);
  return (twist){.lin = force, .ang = v3_add(m3_mulv(*R, w.ang), v3_cross(x, force))};
}

static const torsor_motion *side_motion(const torsor_element_in *in, int side) {
  return side < 0 ? NULL : in->node[side];
}

/* The marker's frame in the inertial frame. */
static void marker_frame(m3 *R, v3 *x, const torsor_marker *marker, const torsor_motion *node) {
  if (node) {
    *R = m3_mul(node->R, marker->R);
    *x = v3_add(node->x, m3_mulv(node->R, marker->x));
  } else {
    *R = marker->R0;
    *x = marker->x0;
  }
}

void relative_find(relative_state *s, const torsor_joint *joint, const torsor_element_in *in) {
  m3 Ra, Rb;
  v3 xa, xb;
  marker_frame(&Ra, &xa, &joint->a, side_motion(in, joint->side_a));
  marker_frame(&Rb, &xb, &joint->b, side_motion(in, joint->side_b));
  s->in = (torsor_relative_in){.now = in->now,
                               .R = m3_tmul(Ra, Rb),
                               .p = m3_tmulv(Ra, v3_sub(xb, xa)),
                               .lambda = in->lambda,
                               .coordinate = in->coordinate,
                               .state = in->state,
                               .hold = in->hold};
  s->Rb = joint->b.R;
  s->xb = joint->b.x;
  s->Ra = m3_mul(joint->a.R, s->in.R);
  s->xa = v3_add(joint->a.x, m3_mulv(joint->a.R, s->in.p));
  s->side_a = joint->side_a;
  s->side_b = joint->side_b;
}

void relative_velocity(relative_state *s, const torsor_element_in *in) {
  const torsor_motion *a = side_motion(in, s->side_a), *b = side_motion(in, s->side_b);
  s->Wa = a ? carry_twist(&s->Ra, s->xa, a->V) : tw_zero();
  const twist Vb = b ? carry_twist(&s->Rb, s->xb, b->V) : tw_zero();
  s->in.V = tw_sub(Vb, s->Wa);
}

double relative_step(const torsor_joint *joint, const torsor_relative_in *in, int k) {
  if (k >= 3) return RELATIVE_STEP;
  const torsor_marker *a = &joint->a, *b = &joint->b;
  const double arm_a = v3_norm(a->node == TORSOR_GROUND ? a->x0 : a->x),
               arm_b = v3_norm(b->node == TORSOR_GROUND ? b->x0 : b->x),
               own = fmax(v3_norm(in->p), fmax(arm_a, arm_b));
  return RELATIVE_STEP * (joint->scale > 0 ? joint->scale : own > 0 ? own : 1);
}

torsor_relative_in relative_moved(const torsor_relative_in *in, int k, double h) {
  double e[6] = {0};
  e[k] = h;
  torsor_relative_in moved = *in;
  moved.p = v3_add(in->p, m3_mulv(in->R, v3_load(e)));
  moved.R = m3_mul(in->R, so3_rodrigues(v3_load(e + 3)));
  return moved;
}

static void add_signed(double *r, twist w, double sign) {
  double values[6];
  tw_store(values, w);
  for (int i = 0; i < 6; ++i) r[i] += sign * values[i];
}

void relative_add_wrench(double *r, const relative_state *s, twist f) {
  if (s->side_b >= 0) add_signed(r + 6 * s->side_b, carry_wrench(&s->Rb, s->xb, f), 1);
  if (s->side_a >= 0) add_signed(r + 6 * s->side_a, carry_wrench(&s->Ra, s->xa, f), -1);
}

void relative_add_row(double *row, const relative_state *s, const double J[6]) {
  relative_add_wrench(row, s, tw_load(J));
}

/* K[row side][column side] += sign * Ad(C_row^-1)^T X Ad(C_column^-1). */
static void add_block(double *K, int n, int row, int column, double X[6][6],
                      const relative_state *s, double sign) {
  const m3 *const R[2] = {&s->Ra, &s->Rb};
  const v3 x[2] = {s->xa, s->xb};
  const int side[2] = {s->side_a, s->side_b};
  if (side[row] < 0 || side[column] < 0) return;
  double half[6][6];
  for (int i = 0; i < 6; ++i) /* rows of X times Ad(C_column^-1) */
    tw_store(half[i], carry_wrench(R[column], x[column], tw_load(X[i])));
  for (int j = 0; j < 6; ++j) {
    double block[6];
    const double c[6] = {half[0][j], half[1][j], half[2][j], half[3][j], half[4][j], half[5][j]};
    tw_store(block, carry_wrench(R[row], x[row], tw_load(c)));
    for (int i = 0; i < 6; ++i)
      K[(6 * side[row] + i) * n + 6 * side[column] + j] += sign * block[i];
  }
}

void relative_add_matrix(double *K, int n, const relative_state *s, double X[6][6],
                         const twist *f) {
  add_block(K, n, 1, 1, X, s, 1);
  add_block(K, n, 1, 0, X, s, -1);
  if (s->side_a < 0) return;
  double Y[6][6]; /* X - breve(f) */
  memcpy(Y, X, sizeof Y);
  if (f) {
    const m3 force = m3_scale(m3_skew(f->lin), -1);
    torsor_relative_add(Y, 0, 3, force);
    torsor_relative_add(Y, 3, 0, force);
    torsor_relative_add(Y, 3, 3, m3_scale(m3_skew(f->ang), -1));
  }
  add_block(K, n, 0, 0, Y, s, 1);
  add_block(K, n, 0, 1, Y, s, -1);
}

/* With df = -dw: K gets -(H - V ad(Wa)), as the relative twist of resting body twists turns by
 * -ad(Wa) e_rel; C gets -V. */
void relative_add_tangents(double *K, double *C, int n, const relative_state *s, double H[6][6],
                           double V[6][6], twist w) {
  const twist f = tw_neg(w);
  double KX[6][6], CX[6][6];
  for (int i = 0; i < 6; ++i) {
    double turned[6];
    tw_store(turned, se3_adT_apply(s->Wa, tw_load(V[i])));
    for (int j = 0; j < 6; ++j) {
      KX[i][j] = turned[j] - H[i][j];
      CX[i][j] = -V[i][j];
    }
  }
  if (K) relative_add_matrix(K, n, s, KX, &f);
  if (C) relative_add_matrix(C, n, s, CX, NULL);
}

m3 relative_axes_b(const torsor_joint *joint, const torsor_element_in *in) {
  m3 R;
  v3 x;
  marker_frame(&R, &x, &joint->b, side_motion(in, joint->side_b));
  return R;
}

void relative_output(double *values, const torsor_joint *joint, const torsor_element_in *in,
                     twist f) {
  const m3 R = relative_axes_b(joint, in);
  v3_store(values, m3_mulv(R, f.lin));
  v3_store(values + 3, m3_mulv(R, f.ang));
}

static void difference_coordinate(torsor_coordinate_out *c, const torsor_joint *joint, int index,
                                  const torsor_relative_in *in) {
  for (int k = 0; k < 6; ++k) {
    const double h = relative_step(joint, in, k);
    const torsor_relative_in up = relative_moved(in, k, h), down = relative_moved(in, k, -h);
    torsor_coordinate_out at_up = {0}, at_down = {0};
    joint->coordinate(joint, index, &up, &at_up);
    joint->coordinate(joint, index, &down, &at_down);
    for (int j = 0; j < 6; ++j) c->K[j][k] = (at_up.J[j] - at_down.J[j]) / (2 * h);
  }
}

void relative_coordinate(torsor_coordinate_out *c, const torsor_joint *joint, int index,
                         const torsor_relative_in *in, bool second) {
  c->second = second && !joint->numeric;
  if (second) memset(c->K, 0, sizeof c->K);
  joint->coordinate(joint, index, in, c);
  if (second && joint->numeric) difference_coordinate(c, joint, index, in);
}

void relative_add_coordinate(torsor_relative_out *out, int row, double factor,
                             const torsor_coordinate_out *c, const torsor_relative_in *in) {
  double V[6];
  tw_store(V, in->V);
  for (int k = 0; k < 6; ++k) {
    out->J[row][k] += factor * c->J[k];
    for (int j = 0; out->second && j < 6; ++j) {
      out->KL[j][k] += factor * in->lambda[row] * c->K[j][k];
      out->Z[row][k] += factor * V[j] * c->K[j][k];
    }
  }
}

torsor_status relative_check_points(const torsor_coordinate_ref *on, const char *name,
                                    torsor_error *error) {
  const torsor_joint *joint = on->joint;
  /* any frame will do: the moments of a coordinate that has some vanish at few only */
  const torsor_relative_in in = {.R = m3_identity(), .p = {0.3, -0.5, 0.7}};
  if (!joint->a.point && !joint->b.point) return TORSOR_OK;
  torsor_coordinate_out c;
  relative_coordinate(&c, joint, on->index, &in, false);
  const v3 force = v3_load(c.J), moment = v3_load(c.J + 3), arm = v3_cross(in.p, force);
  const bool on_a = joint->a.point && v3_norm(v3_add(moment, arm)) > SMALL_ARM * v3_norm(force);
  const bool on_b = joint->b.point && v3_norm(moment) > 0;
  if (!on_a && !on_b) return TORSOR_OK;
  torsor_fail(error, TORSOR_SCENE,
              "\"%s\" acts along a coordinate whose marker %s is on a point mass: its force would "
              "have a moment there, which has no orientation to take it",
              name, on_a ? "a" : "b");
  torsor_hint(error, "measure from the ground or a rigid_body, or act on the distance");
  return TORSOR_SCENE;
}
