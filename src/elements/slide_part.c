/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Rows of a sliding joint (slide.h).  Each is a.b with a direction a = R alpha of the slider and a
 * vector b = sum c_i(s) x_i + d_i(s) R_i e, less the slider's own place in the rows of the place.
 * With u, w the translation and rotation of a node in its axes
 *
 *   D(a.b) = sum [c_i R_i^T a . u_i + d_i (e x R_i^T a) . w_i] + a.b_s Ds
 *            + (alpha x R^T b) . w - [alpha . u - (alpha x p) . w]   (the last two for the place)
 *
 * with p the marker in the slider's axes, and all second derivatives are products of the same. */

#include <string.h>

#include "elements/chain_kit.h"
#include "elements/slide.h"

enum { MOST = 6 * TORSOR_ELEMENT_NODES };

/* One kind of rows at a motion: the axis of the nodes that it uses, and b with its derivatives. */
typedef struct kind_state {
  v3 e, b[3];
} kind_state;

enum { PLACE, TANGENT, SIDE, KINDS };

typedef struct part_state {
  const slide_part_data *part;
  const torsor_element_in *in;
  const double *lambda;
  int n; /* 6 nodes */
  slide_weights w;
  m3 R; /* axes of the slider's body and its place, inertial */
  v3 x;
  kind_state of[KINDS];
} part_state;

static const v3 unit[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static const double no_lambda[SLIDE_ROWS];

static int kind_of(const slide_part_data *part, int row) {
  if (!part->piece.turns) return PLACE;
  return row < 2 ? TANGENT : SIDE;
}

/* The direction of the slider's marker in a row: all three, or two across the tangent, and one
 * across the side. */
static v3 direction_of(const slide_part_data *part, int row) {
  const int axis = !part->piece.turns ? row : row == 0 ? 1 : 2;
  return m3_column(part->slider.R, axis);
}

static void find_kind(kind_state *out, const part_state *s, int kind) {
  const slide_weights *w = &s->w;
  *out = (kind_state){.e = unit[kind == SIDE]};
  for (int m = 0; m < 3; ++m)
    for (int i = 0; i < s->part->piece.count; ++i) {
      const torsor_motion *node = s->in->node[s->part->at_chain + i];
      const v3 axis = m3_mulv(node->R, out->e);
      out->b[m] = v3_axpy(w->c[m][i], node->x, v3_axpy(w->d[m][i], axis, out->b[m]));
    }
}

static double place_of(const torsor_element_in *in) {
  return in->node[0]->x.x;
}

static void find_state(part_state *s) {
  const slide_part_data *part = s->part;
  const torsor_motion *body = part->at_slider < 0 ? NULL : s->in->node[part->at_slider];
  s->R = body ? body->R : m3_identity();
  s->x = body ? body->x : v3_zero();
  slide_weigh(&s->w, &part->piece, place_of(s->in));
  for (int row = 0; row < part->rows; ++row) {
    const int kind = kind_of(part, row);
    if (!row || kind != kind_of(part, row - 1)) find_kind(&s->of[kind], s, kind);
  }
  if (part->piece.turns) return;
  const v3 x = v3_add(s->x, m3_mulv(s->R, part->slider.x));
  s->of[PLACE].b[0] = v3_sub(s->of[PLACE].b[0], x);
}

/* R^T b + p for rows of the place, else R^T b: the arm of the slider's moment. */
static v3 arm_of(const part_state *s, int kind) {
  const v3 arm = m3_tmulv(s->R, s->of[kind].b[0]);
  return kind == PLACE ? v3_add(arm, s->part->slider.x) : arm;
}

static void add_vector(double *to, v3 x) {
  to[0] += x.x;
  to[1] += x.y;
  to[2] += x.z;
}

/* out [n] += the gradient of a.b, a = R alpha. */
static void add_gradient(double *out, const part_state *s, int kind, v3 alpha) {
  const slide_part_data *part = s->part;
  const kind_state *k = &s->of[kind];
  const v3 a = m3_mulv(s->R, alpha);
  out[0] += v3_dot(a, k->b[1]);
  for (int i = 0; i < part->piece.count; ++i) {
    const v3 seen = m3_tmulv(s->in->node[part->at_chain + i]->R, a);
    double *to = out + 6 * (part->at_chain + i);
    add_vector(to, v3_scale(seen, s->w.c[0][i]));
    add_vector(to + 3, v3_scale(v3_cross(k->e, seen), s->w.d[0][i]));
  }
  if (part->at_slider < 0) return;
  double *to = out + 6 * part->at_slider;
  if (kind == PLACE) add_vector(to, v3_neg(alpha));
  add_vector(to + 3, v3_cross(alpha, arm_of(s, kind)));
}

/* out += f times the gradient of a row: of D, and of the sums. */
static void add_row(double *out, const part_state *s, bool holds, int row, double f) {
  const slide_part_data *part = s->part;
  if (holds) add_gradient(out, s, kind_of(part, row), v3_scale(direction_of(part, row), f));
  for (int side = 0; side < 2; ++side) {
    const int at = part->at_sum[side];
    if (at >= 0) out[6 * at + row] += side ? -f : f;
  }
}

/* ---- second derivatives ---------------------------------------------------------------------- */

static void add_block(double *H, int n, int row, int column, m3 X) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) H[(row + i) * n + column + j] += X.m[i][j];
}

/* X at (row, column) and X^T at (column, row). */
static void add_both(double *H, int n, int row, int column, m3 X) {
  add_block(H, n, row, column, X);
  add_block(H, n, column, row, m3_transpose(X));
}

static void add_column(double *H, int n, int row, v3 x) {
  const double value[3] = {x.x, x.y, x.z};
  for (int i = 0; i < 3; ++i) {
    H[(row + i) * n] += value[i];
    H[row + i] += value[i];
  }
}

/* Between one node of the chain and itself, s, and the slider. */
static void add_node(double *H, const part_state *s, const kind_state *k, int i, v3 alpha) {
  const slide_part_data *part = s->part;
  const int at = 6 * (part->at_chain + i), slider = 6 * part->at_slider;
  const m3 R = s->in->node[part->at_chain + i]->R;
  const v3 seen = m3_tmulv(R, m3_mulv(s->R, alpha));
  add_block(H, s->n, at + 3, at, m3_scale(m3_skew(seen), -s->w.c[0][i]));
  add_block(H, s->n, at + 3, at + 3, m3_scale(m3_mul(m3_skew(seen), m3_skew(k->e)), s->w.d[0][i]));
  add_column(H, s->n, at, v3_scale(seen, s->w.c[1][i]));
  add_column(H, s->n, at + 3, v3_scale(v3_cross(k->e, seen), s->w.d[1][i]));
  if (slider < 0) return;
  const m3 turned = m3_mul(m3_skew(alpha), m3_tmul(s->R, R));
  add_both(H, s->n, slider + 3, at, m3_scale(turned, s->w.c[0][i]));
  add_both(H, s->n, slider + 3, at + 3, m3_scale(m3_mul(turned, m3_skew(k->e)), -s->w.d[0][i]));
}

/* H [n x n] += second derivatives of a.b, a = R alpha: row e and column f have the change along e
 * of the gradient's component f. */
static void add_hessian(double *H, const part_state *s, int kind, v3 alpha) {
  const slide_part_data *part = s->part;
  const kind_state *k = &s->of[kind];
  const int slider = 6 * part->at_slider;
  H[0] += v3_dot(m3_mulv(s->R, alpha), k->b[2]);
  for (int i = 0; i < part->piece.count; ++i) add_node(H, s, k, i, alpha);
  if (slider < 0) return;
  const v3 arm = arm_of(s, kind);
  add_column(H, s->n, slider + 3, v3_cross(alpha, m3_tmulv(s->R, k->b[1])));
  add_block(H, s->n, slider + 3, slider + 3, m3_mul(m3_skew(arm), m3_skew(alpha)));
  if (kind == PLACE) add_block(H, s->n, slider, slider + 3, m3_skew(alpha));
}

/* K += that of B^T lambda: the rows of one kind act along one direction. */
static void add_stiffness(double *K, const part_state *s) {
  double H[MOST * MOST] = {0};
  const slide_part_data *part = s->part;
  const int n = s->n;
  for (int row = 0; row < part->rows;) {
    const int kind = kind_of(part, row);
    v3 alpha = v3_zero();
    for (; row < part->rows && kind_of(part, row) == kind; ++row)
      alpha = v3_axpy(s->lambda[row], direction_of(part, row), alpha);
    add_hessian(H, s, kind, alpha);
  }
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) K[i * n + j] += H[j * n + i];
}

/* Z += H V of each row, and phi_a += V H V. */
static void add_rates(torsor_element_out *out, const part_state *s) {
  const int n = s->n;
  double V[MOST];
  for (int i = 0; i < n / 6; ++i) tw_store(V + 6 * i, s->in->node[i]->V);
  for (int row = 0; row < s->part->rows; ++row) {
    double H[MOST * MOST] = {0};
    add_hessian(H, s, kind_of(s->part, row), direction_of(s->part, row));
    for (int i = 0; i < n; ++i) {
      double sum = 0;
      for (int j = 0; j < n; ++j) sum += H[i * n + j] * V[j];
      if (out->Z) out->Z[row * n + i] += sum;
      if (out->phi_a) out->phi_a[row] += sum * V[i];
    }
  }
}

/* ---- evaluation ------------------------------------------------------------------------------ */

static double sum_of(const slide_part_data *part, const torsor_element_in *in, int row, bool rate) {
  double sum = 0;
  for (int side = 0; side < 2; ++side) {
    const int at = part->at_sum[side];
    if (at < 0) continue;
    const v3 z = rate ? in->node[at]->V.lin : in->node[at]->x;
    sum += (side ? -1 : 1) * v3_dot(z, unit[row]);
  }
  return sum;
}

static void add_values(torsor_element_out *out, const part_state *s, bool holds) {
  const slide_part_data *part = s->part;
  double B[MOST];
  for (int row = 0; row < part->rows; ++row) {
    const int kind = kind_of(part, row);
    const v3 alpha = direction_of(part, row);
    if (out->phi) out->phi[row] += sum_of(part, s->in, row, false);
    if (out->phi && holds) out->phi[row] += v3_dot(m3_mulv(s->R, alpha), s->of[kind].b[0]);
    if (out->phi_v) out->phi_v[row] += sum_of(part, s->in, row, true);
    if (!out->phi_v || !holds) continue;
    memset(B, 0, (size_t)s->n * sizeof *B);
    add_gradient(B, s, kind, alpha);
    for (int i = 0; i < s->n / 6; ++i)
      out->phi_v[row] += tw_dot(tw_load(B + 6 * i), s->in->node[i]->V);
  }
}

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const slide_part_data *part = self;
  const bool holds = slide_holds(&part->piece, place_of(in));
  part_state s = {.part = part,
                  .in = in,
                  .lambda = in->lambda ? in->lambda : no_lambda,
                  .n = 6 * (part->at_chain + part->piece.count)};
  if (holds) find_state(&s);
  for (int row = 0; row < part->rows; ++row) {
    if (out->r) add_row(out->r, &s, holds, row, s.lambda[row]);
    if (out->B) add_row(out->B + row * s.n, &s, holds, row, 1);
  }
  if (out->phi || out->phi_v) add_values(out, &s, holds);
  if (!holds) return TORSOR_OK;
  if (out->K) add_stiffness(out->K, &s);
  if (out->Z || out->phi_a) add_rates(out, &s);
  return TORSOR_OK;
}

/* ---- preparation, signals -------------------------------------------------------------------- */

static int place_node(torsor_setup *setup, int node) {
  if (node < 0) return -1;
  setup->node[setup->nodes] = node;
  return setup->nodes++;
}

static torsor_status measure(const void *self, const torsor_relative_in *in,
                             torsor_relative_out *out) {
  (void)self;
  (void)in;
  (void)out;
  return TORSOR_OK;
}

static void coordinate(const void *self, int index, const torsor_relative_in *in,
                       torsor_coordinate_out *out) {
  (void)self;
  (void)index;
  torsor_coordinate_along(out, unit[0], in);
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  slide_part_data *part = self;
  part->travel.relative = measure;
  part->travel.coordinates = 1;
  part->travel.coordinate = coordinate;
  part->travel.side_a = -1;
  part->travel.side_b = place_node(setup, part->travel.b.node);
  part->at_slider = place_node(setup, part->slider.node);
  for (int i = 0; i < 2; ++i) part->at_sum[i] = place_node(setup, part->sums[i]);
  part->at_chain = setup->nodes;
  for (int i = 0; i < part->piece.count; ++i) place_node(setup, part->chain[i]);
  setup->rows = part->rows;
  setup->length = fmax(part->length, v3_norm(part->slider.x));
  (void)error;
  return TORSOR_OK;
}

static const torsor_output forces[] = {{"force", "N", "force on b at its marker, inertial axes", 3},
                                       {0}};
static const torsor_output moments[] = {
    {"moment", "N m", "moment on b about its marker, inertial axes", 3}, {0}};

/* All parts have the same multipliers.  At the tangent and the side are those of the marker, x and
 * y: both have about the length 1. */
static void output(const void *self, const torsor_element_in *in, double *values) {
  const slide_part_data *part = self;
  const m3 R = part->at_slider < 0 ? m3_identity() : in->node[part->at_slider]->R;
  v3 sum = v3_zero();
  for (int row = 0; row < part->rows; ++row) {
    const v3 alpha = direction_of(part, row);
    const v3 b = m3_column(part->slider.R, kind_of(part, row) == SIDE);
    sum = v3_axpy(in->lambda[row], part->piece.turns ? v3_cross(b, alpha) : alpha, sum);
  }
  v3_store(values, m3_mulv(R, sum));
}

static const torsor_coordinate coordinates[] = {{"travel", "speed", "m", 0}, {0}};

#define SLIDE_PART                                                                                 \
  .abi = TORSOR_ELEMENT_ABI, .kind = TORSOR_JOINT, .title = "part of a sliding joint",             \
  .doc = "Elements of the chain on which the joint slides.", .example = "",                        \
  .size = sizeof(slide_part_data), .params = chain_no_params, .prepare = prepare, .eval = eval,    \
  .tangents.has = TORSOR_HAS_K

const torsor_element_type slide_part = {SLIDE_PART, .name = "slide_part"};

const torsor_element_type slide_end = {
    SLIDE_PART,
    .name = "slide_end",
    .coordinates.list = coordinates,
    .coordinates.eval = torsor_joint_coordinate,
    .outputs.list = forces,
    .outputs.eval = output,
    .limits.range = "places within the length of its beam or cable",
    .limits.advice = "let \"ends\" be \"straight\", add a force \"stop\", or end the run earlier",
};

const torsor_element_type slide_turn = {SLIDE_PART, .name = "slide_turn", .outputs.list = moments,
                                        .outputs.eval = output};
