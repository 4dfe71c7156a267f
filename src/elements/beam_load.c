/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Distributed load on a part of one beam element, whose sections move as docs/theory.md has it:
 *   H(s) = H_a exp(s d),   delta(s) = delta_a + S (delta_b - delta_a),   S = s T(s d) T^-1(d).
 * A wrench W per length, section axes, has the virtual work int W . delta ds: (1 - S)^T W acts on
 * the first node and S^T W on the second. */

#include "elements/beam_load.h"

#include "elements/beam.h"

/* Gauss-Legendre: exact for loads of degree 4 along straight elements. */
enum { POINTS = 3 };
static const double abscissa[POINTS] = {0.11270166537925831, 0.5, 0.88729833462074169};
static const double weight[POINTS] = {5.0 / 18, 4.0 / 9, 5.0 / 18};

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  beam_load_data *load = self;
  setup->nodes = 2;
  setup->node[0] = load->node[0];
  setup->node[1] = load->node[1];
  setup->length = load->length;
  const torsor_status status = torsor_control_prepare(&load->scale, setup, error);
  load->nodes = setup->nodes;
  return status;
}

/* The second frame seen from the first. */
typedef struct relative {
  twist d;
  lie_map forward; /* of T^-1(d) */
} relative;

static torsor_status find_relative(relative *s, const torsor_element_in *in) {
  const torsor_motion *a = in->node[0], *b = in->node[1];
  const v3 w = so3_log_matrix(m3_tmul(a->R, b->R)), p = m3_tmulv(a->R, v3_sub(b->x, a->x));
  const double x = v3_norm2(w);
  if (!(x <= BEAM_LARGEST_ROTATION * BEAM_LARGEST_ROTATION)) return TORSOR_DOMAIN;
  s->forward = lie_map_taninv(x);
  s->d = (twist){so3_map_apply(w, lie_map_transpose(s->forward), p), w};
  return TORSOR_OK;
}

/* The load at one point: its wrench times its weight, section axes, and S. */
typedef struct load_point {
  twist W;
  m6 S;
  lie_map map; /* of S/s */
  double s;
} load_point;

static void find_point(load_point *p, const beam_load_data *load, const relative *r,
                       const torsor_element_in *in, int i) {
  const double part = load->to - load->from, x = v3_norm2(r->d.ang);
  p->s = load->from + part * abscissa[i];
  p->map = lie_map_product(lie_map_scale(lie_map_tan(p->s * p->s * x), p->s), r->forward, x);
  p->S = m6_scale(se3_map(r->d, p->map), p->s);
  double factor = weight[i] * part * load->length;
  if (load->profile.eval) {
    const double along = load->start + p->s * (load->end - load->start);
    factor *= load->profile.eval(load->profile.self, in->now, along);
  }
  p->W = (twist){v3_scale(load->force, factor), v3_scale(load->moment, factor)};
  if (load->follows) return;
  const m3 R = m3_mul(in->node[0]->R, so3_rodrigues(v3_scale(r->d.ang, p->s)));
  p->W = (twist){m3_tmulv(R, p->W.lin), m3_tmulv(R, p->W.ang)};
}

static twist second_share(const load_point *p) {
  double own[6], out[6] = {0};
  tw_store(own, p->W);
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) out[j] += p->S.m[i][j] * own[i];
  return tw_load(out);
}

static void add_block(double *K, int n, int row, int column, double scale, m6 block) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) K[n * (row + i) + column + j] += scale * block.m[i][j];
}

/* Derivatives of the shares of both nodes: that of S by d, and that of W, whose axes turn. */
static void add_tangent(double *K, int n, double scale, const load_point *p, const relative *r,
                        bool follows) {
  const m6 turn =
      follows ? m6_zero() : m6_blocks(m3_zero(), m3_skew(p->W.lin), m3_zero(), m3_skew(p->W.ang));
  const m6 along = se3_map_gradientT(r->d, tw_scale(p->W, p->s), p->map);
  const m6 of_a = m6_mul(along, m6_scale(se3_map(r->d, lie_map_transpose(r->forward)), -1));
  const m6 of_b = m6_mul(along, se3_map(r->d, r->forward));
  const m6 turn_b = m6_mul(turn, p->S), turn_a = m6_sub(turn, turn_b);
  const m6 second_a = m6_add(of_a, m6_tmul(p->S, turn_a));
  const m6 second_b = m6_add(of_b, m6_tmul(p->S, turn_b));
  add_block(K, n, 0, 0, -scale, m6_sub(turn_a, second_a));
  add_block(K, n, 0, 6, -scale, m6_sub(turn_b, second_b));
  add_block(K, n, 6, 0, -scale, second_a);
  add_block(K, n, 6, 6, -scale, second_b);
}

static double find_scale(double *q, double *V, const beam_load_data *load,
                         const torsor_element_in *in) {
  if (!load->scale.eval) return in->load;
  return torsor_control_load(&load->scale, in) * torsor_control_eval(q, V, &load->scale, in);
}

/* Adds the unscaled load at one integration point to the wrenches of both nodes. */
static void add_shares(twist share[2], const load_point *p) {
  const twist second = second_share(p);
  share[0] = tw_add(share[0], tw_sub(p->W, second));
  share[1] = tw_add(share[1], second);
}

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const beam_load_data *load = self;
  const int n = 6 * load->nodes;
  const bool listens = load->scale.inputs && (out->K || out->C);
  double q[6 * TORSOR_ELEMENT_NODES] = {0}, V[6 * TORSOR_ELEMENT_NODES] = {0};
  twist share[2] = {tw_zero(), tw_zero()};
  relative r;
  const torsor_status status = find_relative(&r, in);
  if (status) return status;
  const double scale = find_scale(listens ? q : NULL, listens ? V : NULL, load, in);
  for (int i = 0; i < POINTS; ++i) {
    load_point p;
    find_point(&p, load, &r, in, i);
    add_shares(share, &p);
    if (out->K) add_tangent(out->K, n, scale, &p, &r, load->follows);
  }
  for (int k = 0; k < 2 && out->r; ++k)
    tw_store(out->r + 6 * k, tw_axpy(-scale, share[k], tw_load(out->r + 6 * k)));
  if (!listens) return TORSOR_OK;
  double column[6 * TORSOR_ELEMENT_NODES] = {0};
  for (int k = 0; k < 2; ++k) tw_store(column + 6 * k, tw_neg(share[k]));
  torsor_control_add(out, column, q, V, n);
  return TORSOR_OK;
}

/* A force of fixed direction has the potential -int force.x ds. */
static const char *obstacle(const void *self) {
  const beam_load_data *load = self;
  if (load->follows) return "turns with the beam, and has no potential";
  if (v3_norm(load->moment) > 0) return "has a moment, which has no potential";
  return load->scale.inputs ? "depends on coordinates" : NULL;
}

static const torsor_output outputs[] = {
    {"force", "N", "force on the element, inertial axes", 3},
    {"moment", "N m", "moment on the element about its first node, inertial axes", 3},
    {0}};

static void output(const void *self, const torsor_element_in *in, double *values) {
  const beam_load_data *load = self;
  const torsor_motion *a = in->node[0], *b = in->node[1];
  twist share[2] = {tw_zero(), tw_zero()};
  relative r;
  if (find_relative(&r, in)) return;
  const double scale = find_scale(NULL, NULL, load, in);
  for (int i = 0; i < POINTS; ++i) {
    load_point p;
    find_point(&p, load, &r, in, i);
    add_shares(share, &p);
  }
  const v3 second = m3_mulv(b->R, share[1].lin);
  const v3 moments = v3_add(m3_mulv(a->R, share[0].ang), m3_mulv(b->R, share[1].ang));
  const v3 moment = v3_add(moments, v3_cross(v3_sub(b->x, a->x), second));
  v3_store(values, v3_scale(v3_add(m3_mulv(a->R, share[0].lin), second), scale));
  v3_store(values + 3, v3_scale(moment, scale));
}

static const torsor_param params[] = {{0}};

const torsor_element_type beam_load = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_FORCE,
    .name = "beam_load_part",
    .energy.source = true,
    .title = "distributed load on one element of a beam",
    .doc = "See beam_load.",
    .limits.range = "rotations of at most 2.8 rad (160 degrees) between its two nodes",
    .limits.advice = "give the beam more elements, or join two beams where the rotation is larger",
    .example = "",
    .size = sizeof(beam_load_data),
    .params = params,
    .tangents.has = TORSOR_HAS_C | TORSOR_HAS_K,
    .prepare = prepare,
    .eval = eval,
    .outputs.list = outputs,
    .outputs.eval = output,
    .energy.obstacle = obstacle,
};
