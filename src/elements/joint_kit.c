/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/joint.h>

#include <math.h>
#include <string.h>

/* Everything the kit needs of one evaluation.  A "frame map" is the frame of marker b seen from
 * where a twist is given: from node b it is the marker's offset, from node a the offset of marker a
 * followed by the relative frame (or, for the ground, the same from the inertial frame). */
typedef struct joint_state {
  torsor_relative_in in;
  torsor_relative_out out;
  m3 Ra, Rb; /* frame maps: rotation ... */
  v3 xa, xb; /* ... and position */
  twist Wa;  /* Ad(H^-1) V_A: twist of marker a carried to marker b */
} joint_state;

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

static const torsor_motion *side_motion(const torsor_element_in *in, int side) {
  return side < 0 ? NULL : in->node[side];
}

/* Relative frame and frame maps. */
static void find_relative(joint_state *s, const torsor_joint *joint, const torsor_element_in *in) {
  m3 Ra, Rb;
  v3 xa, xb;
  marker_frame(&Ra, &xa, &joint->a, side_motion(in, joint->side_a));
  marker_frame(&Rb, &xb, &joint->b, side_motion(in, joint->side_b));
  s->in.t = in->t;
  s->in.R = m3_tmul(Ra, Rb);
  s->in.p = m3_tmulv(Ra, v3_sub(xb, xa));
  s->in.lambda = in->lambda;
  s->Rb = joint->b.R;
  s->xb = joint->b.x;
  s->Ra = m3_mul(joint->a.R, s->in.R);
  s->xa = v3_add(joint->a.x, m3_mulv(joint->a.R, s->in.p));
}

/* Relative twist V_B - Ad(H^-1) V_A; `A` true: the same combination of the accelerations. */
static twist relative_twist(joint_state *s, const torsor_joint *joint,
                            const torsor_element_in *in) {
  const torsor_motion *a = side_motion(in, joint->side_a), *b = side_motion(in, joint->side_b);
  s->Wa = a ? carry_twist(&s->Ra, s->xa, a->V) : tw_zero();
  const twist Vb = b ? carry_twist(&s->Rb, s->xb, b->V) : tw_zero();
  return tw_sub(Vb, s->Wa);
}

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

static double dot6(const double a[6], const double b[6]) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

/* KL and Z by central differences of J over the 6 directions of H exp(e). */
static torsor_status difference_relative(joint_state *s, const torsor_joint *joint) {
  const double h = cbrt(2.220446049250313e-16) * (1 + v3_norm(s->in.p));
  double V[6];
  tw_store(V, s->in.V);
  for (int k = 0; k < 6; ++k) {
    for (int sign = -1; sign <= 1; sign += 2) {
      double e[6] = {0};
      e[k] = sign * h;
      torsor_relative_in in = s->in;
      torsor_relative_out moved;
      clear_relative(&moved, joint->rows, false);
      in.p = v3_add(s->in.p, m3_mulv(s->in.R, v3_load(e)));
      in.R = m3_mul(s->in.R, so3_rodrigues(v3_load(e + 3)));
      const torsor_status status = joint->relative(joint, &in, &moved);
      if (status) return status;
      for (int i = 0; i < joint->rows; ++i) {
        s->out.Z[i][k] += sign * dot6(moved.J[i], V) / (2 * h);
        for (int j = 0; s->in.lambda && j < 6; ++j)
          s->out.KL[j][k] += sign * moved.J[i][j] * s->in.lambda[i] / (2 * h);
      }
    }
  }
  return TORSOR_OK;
}

static torsor_status eval_relative(joint_state *s, const torsor_joint *joint, bool second) {
  static const double no_lambda[TORSOR_ELEMENT_ROWS];
  if (!s->in.lambda) s->in.lambda = no_lambda;
  clear_relative(&s->out, joint->rows, second && !joint->numeric);
  torsor_status status = joint->relative(joint, &s->in, &s->out);
  if (status || !second || !joint->numeric) return status;
  memset(s->out.KL, 0, sizeof s->out.KL);
  memset(s->out.Z, 0, (size_t)joint->rows * sizeof s->out.Z[0]);
  return difference_relative(s, joint);
}

static void add_wrench(double *r, twist w, double sign) {
  double values[6];
  tw_store(values, w);
  for (int i = 0; i < 6; ++i) r[i] += sign * values[i];
}

/* f_B = J^T lambda at b and -Ad(H^-1)^T f_B at a, carried to the nodes. */
static twist constraint_wrench(const joint_state *s, int rows) {
  double f[6] = {0};
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < 6; ++j) f[j] += s->out.J[i][j] * s->in.lambda[i];
  return tw_load(f);
}

static void add_residual(double *r, const joint_state *s, const torsor_joint *joint) {
  const twist f = constraint_wrench(s, joint->rows);
  if (joint->side_b >= 0) add_wrench(r + 6 * joint->side_b, carry_wrench(&s->Rb, s->xb, f), 1);
  if (joint->side_a >= 0) add_wrench(r + 6 * joint->side_a, carry_wrench(&s->Ra, s->xa, f), -1);
}

/* Rows of `J` (relative directions) as rows over the nodes' directions: J Ad(C^-1). */
static void add_rows(double *B, double J[][6], const joint_state *s, const torsor_joint *joint,
                     int n) {
  for (int i = 0; i < joint->rows; ++i) {
    const twist row = tw_load(J[i]);
    if (joint->side_b >= 0)
      add_wrench(B + i * n + 6 * joint->side_b, carry_wrench(&s->Rb, s->xb, row), 1);
    if (joint->side_a >= 0)
      add_wrench(B + i * n + 6 * joint->side_a, carry_wrench(&s->Ra, s->xa, row), -1);
  }
}

/* phi_v, and phi_a = J ad(V) Wa + Z V + 2 J_t V + phi_tt from (Ad(H^-1))' = -ad(V) Ad(H^-1). */
static void add_rates(torsor_element_out *out, const joint_state *s, int rows) {
  double V[6], turn[6];
  tw_store(V, s->in.V);
  tw_store(turn, se3_ad_apply(s->in.V, s->Wa));
  for (int i = 0; i < rows; ++i) {
    const torsor_relative_out *o = &s->out;
    if (out->phi_v) out->phi_v[i] += dot6(o->J[i], V) + o->phi_t[i];
    if (out->phi_a)
      out->phi_a[i] +=
          dot6(o->J[i], turn) + dot6(o->Z[i], V) + 2 * dot6(o->J_t[i], V) + o->phi_tt[i];
  }
}

/* D_q(B V + Phi_t) = (Z - J ad(Wa) + J_t) e_rel. */
static void add_velocity_tangent(double *Z, joint_state *s, const torsor_joint *joint, int n) {
  double rows[TORSOR_ELEMENT_ROWS][6];
  for (int i = 0; i < joint->rows; ++i) {
    double turned[6];
    tw_store(turned, se3_adT_apply(s->Wa, tw_load(s->out.J[i])));
    for (int j = 0; j < 6; ++j) rows[i][j] = s->out.Z[i][j] - turned[j] + s->out.J_t[i][j];
  }
  add_rows(Z, rows, s, joint, n);
}

/* K[row side][column side] += sign * Ad(C_row^-1)^T X Ad(C_column^-1). */
static void add_stiffness_block(double *K, int n, int row, int column, double X[6][6],
                                const m3 *const R[2], const v3 x[2], const int side[2],
                                double sign) {
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

/* With e_rel = Ab e_b - Aa e_a and X = KL: r_b = Ab^T f gives Ab^T KL e_rel, and r_a = -Aa^T f
 * gives Aa^T (breve(f) - KL) e_rel, breve(f) = [[0, f~], [f~, m~]]. */
static void add_stiffness(double *K, joint_state *s, const torsor_joint *joint, int n) {
  const m3 *const R[2] = {&s->Ra, &s->Rb};
  const v3 x[2] = {s->xa, s->xb};
  const int side[2] = {joint->side_a, joint->side_b};
  if (side[1] >= 0) {
    add_stiffness_block(K, n, 1, 1, s->out.KL, R, x, side, 1);
    if (side[0] >= 0) add_stiffness_block(K, n, 1, 0, s->out.KL, R, x, side, -1);
  }
  if (side[0] < 0) return;
  const twist f = constraint_wrench(s, joint->rows);
  double X[6][6];
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) X[i][j] = -s->out.KL[i][j];
  torsor_relative_add(X, 0, 3, m3_skew(f.lin));
  torsor_relative_add(X, 3, 0, m3_skew(f.lin));
  torsor_relative_add(X, 3, 3, m3_skew(f.ang));
  add_stiffness_block(K, n, 0, 0, X, R, x, side, -1);
  if (side[1] >= 0) add_stiffness_block(K, n, 0, 1, X, R, x, side, 1);
}

torsor_status torsor_joint_eval(const void *self, const torsor_element_in *in,
                                torsor_element_out *out) {
  const torsor_joint *joint = self;
  const int n = 6 * ((joint->side_a >= 0) + (joint->side_b >= 0));
  joint_state s;
  find_relative(&s, joint, in);
  const bool second = out->K || out->Z || out->phi_a;
  s.in.V = (out->phi_v || second) ? relative_twist(&s, joint, in) : tw_zero();
  const torsor_status status = eval_relative(&s, joint, second);
  if (status) return status;
  if (out->r) add_residual(out->r, &s, joint);
  for (int i = 0; out->phi && i < joint->rows; ++i) out->phi[i] += s.out.phi[i];
  if (out->phi_v || out->phi_a) add_rates(out, &s, joint->rows);
  if (out->B) add_rows(out->B, s.out.J, &s, joint, n);
  if (out->K) add_stiffness(out->K, &s, joint, n);
  if (out->Z) add_velocity_tangent(out->Z, &s, joint, n);
  return TORSOR_OK;
}

void torsor_joint_relative(const torsor_joint *joint, const torsor_element_in *in,
                           torsor_relative_in *relative) {
  joint_state s;
  find_relative(&s, joint, in);
  s.in.V = relative_twist(&s, joint, in);
  *relative = s.in;
}

const torsor_output torsor_joint_outputs[] = {
    {"force", "N", "force on b at its marker, inertial axes", 3},
    {"moment", "N m", "moment on b about its marker, inertial axes", 3},
    {0}};

void torsor_joint_output(const void *self, const torsor_element_in *in, double *values) {
  const torsor_joint *joint = self;
  joint_state s;
  find_relative(&s, joint, in);
  s.in.V = tw_zero();
  eval_relative(&s, joint, false);
  const twist f = constraint_wrench(&s, joint->rows);
  m3 R;
  v3 x;
  marker_frame(&R, &x, &joint->b, side_motion(in, joint->side_b));
  v3_store(values, v3_neg(m3_mulv(R, f.lin)));
  v3_store(values + 3, v3_neg(m3_mulv(R, f.ang)));
}

torsor_status torsor_joint_prepare(torsor_joint *joint, torsor_setup *setup, int rows,
                                   torsor_relative relative, bool numeric, torsor_error *error) {
  if (joint->a.node == joint->b.node) {
    torsor_fail(error, TORSOR_SCENE, "joint \"%s\" has both markers on %s", setup->name,
                joint->a.node == TORSOR_GROUND ? "the ground" : "the same body");
    torsor_hint(error, "a joint connects two bodies, or a body and the ground");
    return TORSOR_SCENE;
  }
  joint->rows = rows;
  joint->relative = relative;
  joint->numeric = numeric;
  joint->side_a = joint->a.node == TORSOR_GROUND ? -1 : setup->nodes;
  if (joint->side_a >= 0) setup->node[setup->nodes++] = joint->a.node;
  joint->side_b = joint->b.node == TORSOR_GROUND ? -1 : setup->nodes;
  if (joint->side_b >= 0) setup->node[setup->nodes++] = joint->b.node;
  setup->rows = rows;
  setup->length = fmax(v3_norm(joint->a.node == TORSOR_GROUND ? joint->a.x0 : joint->a.x),
                       v3_norm(joint->b.node == TORSOR_GROUND ? joint->b.x0 : joint->b.x));
  return TORSOR_OK;
}
