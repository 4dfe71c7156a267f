/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/relative_kit.h"

#include <string.h>

static void clear_relative(torsor_relative_out *out, int rows, bool second) {
  const size_t count = (size_t)rows;
  memset(out->phi, 0, count * sizeof out->phi[0]);
  memset(out->phi_t, 0, count * sizeof out->phi_t[0]);
  memset(out->phi_tt, 0, count * sizeof out->phi_tt[0]);
  memset(out->J, 0, count * sizeof out->J[0]);
  memset(out->J_t, 0, count * sizeof out->J_t[0]);
  out->second = second;
  if (!second) return;
  memset(out->KL, 0, sizeof out->KL);
  memset(out->Z, 0, count * sizeof out->Z[0]);
}

/* KL and Z by central differences of J over the 6 directions of H exp(e). */
static torsor_status difference_relative(torsor_relative_out *out, const torsor_relative_in *in,
                                         const torsor_joint *joint) {
  double V[6];
  tw_store(V, in->V);
  for (int k = 0; k < 6; ++k) {
    const double h = relative_step(joint, in, k);
    for (int sign = -1; sign <= 1; sign += 2) {
      const torsor_relative_in at = relative_moved(in, k, sign * h);
      torsor_relative_out moved;
      clear_relative(&moved, joint->rows, false);
      const torsor_status status = joint->relative(joint, &at, &moved);
      if (status) return status;
      for (int i = 0; i < joint->rows; ++i) {
        out->Z[i][k] += sign * relative_dot(moved.J[i], V) / (2 * h);
        for (int j = 0; j < 6; ++j) out->KL[j][k] += sign * moved.J[i][j] * in->lambda[i] / (2 * h);
      }
    }
  }
  return TORSOR_OK;
}

torsor_status relative_eval(torsor_relative_out *out, torsor_relative_in *in,
                            const torsor_joint *joint, bool second) {
  static const double no_lambda[TORSOR_ELEMENT_ROWS];
  if (!in->lambda) in->lambda = no_lambda;
  clear_relative(out, joint->rows, second && !joint->numeric);
  const torsor_status status = joint->relative(joint, in, out);
  if (status || !second || !joint->numeric) return status;
  memset(out->KL, 0, sizeof out->KL);
  memset(out->Z, 0, (size_t)joint->rows * sizeof out->Z[0]);
  return difference_relative(out, in, joint);
}

twist relative_constraint_wrench(const torsor_relative_out *out, const double *lambda, int rows) {
  double f[6] = {0};
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < 6; ++j) f[j] += out->J[i][j] * lambda[i];
  return tw_load(f);
}

/* phi_v, and phi_a = J ad(V) Wa + Z V + 2 J_t V + phi_tt from (Ad(H^-1))' = -ad(V) Ad(H^-1). */
static void add_rates(torsor_element_out *out, const torsor_relative_out *o,
                      const relative_state *s, int rows) {
  double V[6], turn[6];
  tw_store(V, s->in.V);
  tw_store(turn, se3_ad_apply(s->in.V, s->Wa));
  for (int i = 0; i < rows; ++i) {
    if (out->phi_v) out->phi_v[i] += relative_dot(o->J[i], V) + o->phi_t[i];
    if (out->phi_a)
      out->phi_a[i] += relative_dot(o->J[i], turn) + relative_dot(o->Z[i], V) +
                       2 * relative_dot(o->J_t[i], V) + o->phi_tt[i];
  }
}

/* D_q(B V + Phi_t) = (Z - J ad(Wa) + J_t) e_rel. */
static void add_velocity_tangent(double *Z, const torsor_relative_out *o, const relative_state *s,
                                 int rows, int n) {
  for (int i = 0; i < rows; ++i) {
    double row[6];
    tw_store(row, se3_adT_apply(s->Wa, tw_load(o->J[i])));
    for (int j = 0; j < 6; ++j) row[j] = o->Z[i][j] - row[j] + o->J_t[i][j];
    relative_add_row(Z + i * n, s, row);
  }
}

torsor_status torsor_joint_eval(const void *self, const torsor_element_in *in,
                                torsor_element_out *out) {
  const torsor_joint *joint = self;
  const int n = 6 * ((joint->side_a >= 0) + (joint->side_b >= 0)), rows = joint->rows;
  const bool second = out->K || out->Z || out->phi_a;
  relative_state s;
  torsor_relative_out o;
  relative_find(&s, joint, in);
  if (out->phi_v || second) relative_velocity(&s, in);
  const torsor_status status = relative_eval(&o, &s.in, joint, second);
  if (status) return status;
  if (out->r || out->K) {
    const twist f = relative_constraint_wrench(&o, s.in.lambda, rows);
    if (out->r) relative_add_wrench(out->r, &s, f);
    if (out->K) relative_add_matrix(out->K, n, &s, o.KL, &f);
  }
  for (int i = 0; out->phi && i < rows; ++i) out->phi[i] += o.phi[i];
  if (out->phi_v || out->phi_a) add_rates(out, &o, &s, rows);
  for (int i = 0; out->B && i < rows; ++i) relative_add_row(out->B + i * n, &s, o.J[i]);
  if (out->Z) add_velocity_tangent(out->Z, &o, &s, rows, n);
  return TORSOR_OK;
}

void torsor_joint_relative(const torsor_joint *joint, const torsor_element_in *in,
                           torsor_relative_in *relative) {
  relative_state s;
  relative_find(&s, joint, in);
  relative_velocity(&s, in);
  *relative = s.in;
}

void torsor_joint_coordinate(const void *self, const torsor_element_in *in, double *value,
                             double *rate) {
  const torsor_joint *joint = self;
  torsor_relative_in relative;
  torsor_joint_relative(joint, in, &relative);
  double V[6];
  tw_store(V, relative.V);
  for (int i = 0; i < joint->coordinates; ++i) {
    torsor_coordinate_out out;
    relative_coordinate(&out, joint, i, &relative, false);
    value[i] = out.value;
    rate[i] = relative_dot(out.J, V);
  }
}

const torsor_output torsor_joint_outputs[] = {
    {"force", "N", "force on b at its marker, inertial axes", 3},
    {"moment", "N m", "moment on b about its marker, inertial axes", 3},
    {0}};

void torsor_joint_output(const void *self, const torsor_element_in *in, double *values) {
  const torsor_joint *joint = self;
  relative_state s;
  torsor_relative_out o;
  relative_find(&s, joint, in);
  relative_eval(&o, &s.in, joint, false);
  relative_output(values, joint, in,
                  tw_neg(relative_constraint_wrench(&o, s.in.lambda, joint->rows)));
}

/* Nodes of the markers; both on one body or on the ground make no sense. */
static torsor_status place_markers(torsor_joint *joint, torsor_setup *setup, torsor_error *error) {
  if (joint->a.node == joint->b.node) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" has both markers on %s", setup->name,
                joint->a.node == TORSOR_GROUND ? "the ground" : "the same body");
    torsor_hint(error, "let it connect two bodies, or a body and the ground");
    return TORSOR_SCENE;
  }
  joint->side_a = joint->a.node == TORSOR_GROUND ? -1 : setup->nodes;
  if (joint->side_a >= 0) setup->node[setup->nodes++] = joint->a.node;
  joint->side_b = joint->b.node == TORSOR_GROUND ? -1 : setup->nodes;
  if (joint->side_b >= 0) setup->node[setup->nodes++] = joint->b.node;
  setup->length = fmax(v3_norm(joint->a.node == TORSOR_GROUND ? joint->a.x0 : joint->a.x),
                       v3_norm(joint->b.node == TORSOR_GROUND ? joint->b.x0 : joint->b.x));
  return TORSOR_OK;
}

torsor_status torsor_joint_prepare(torsor_joint *joint, torsor_setup *setup, int rows,
                                   torsor_relative relative, bool numeric, torsor_error *error) {
  joint->rows = setup->rows = rows;
  joint->relative = relative;
  joint->numeric = numeric;
  return place_markers(joint, setup, error);
}

torsor_status torsor_joint_prepare_point(torsor_joint *joint, torsor_setup *setup, int rows,
                                         torsor_relative relative, bool numeric,
                                         torsor_error *error) {
  setup->ground_vector = joint->a.node == TORSOR_GROUND;
  setup->ground_axes = joint->a.R0;
  return torsor_joint_prepare(joint, setup, rows, relative, numeric, error);
}
