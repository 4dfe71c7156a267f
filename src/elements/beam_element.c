/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The element of docs/theory.md, section "Beams".  With d = log(H_a^-1 H_b) the frames in between are
 * H(s) = H_a exp(s d), the strain (d - d_0)/L is the same along the element, and
 *   d' = T^-1(d) V_b - T^-1(-d) V_a,   V(s) = V_a + S (V_b - V_a),   S = s T(s d) T^-1(d).
 * Variations follow the same rules as velocities. */

#include "elements/beam.h"

/* A 6x6 function [[F, D], [0, F]] of a twist. */
typedef struct dual {
  m3 F, D;
} dual;

static dual dual_of(twist h, lie_map m) {
  return (dual){so3_map(h.ang, m), so3_map_along(h.ang, h.lin, m)};
}

static m6 dual_matrix(dual A) {
  return m6_blocks(A.F, A.D, m3_zero(), A.F);
}

static twist dual_apply(const dual *A, twist k) {
  return (twist){v3_add(m3_mulv(A->F, k.lin), m3_mulv(A->D, k.ang)), m3_mulv(A->F, k.ang)};
}

static twist dual_apply_transposed(const dual *A, twist l) {
  return (twist){m3_tmulv(A->F, l.lin), v3_add(m3_tmulv(A->D, l.lin), m3_tmulv(A->F, l.ang))};
}

/* Both ends relative to each other. */
typedef struct relative {
  twist d, rate;                 /* d and d' */
  lie_map map_forward, map_back; /* of T^-1(d) and T^-1(-d) */
  dual forward, back;
} relative;

static torsor_status find_relative(relative *s, const torsor_element_in *in) {
  const torsor_motion *a = in->node[0], *b = in->node[1];
  const v3 w = so3_log_matrix(m3_tmul(a->R, b->R));
  const double x = v3_norm2(w);
  if (!(x <= BEAM_LARGEST_ROTATION * BEAM_LARGEST_ROTATION)) return TORSOR_DOMAIN;
  const v3 p = m3_tmulv(a->R, v3_sub(b->x, a->x));
  s->map_forward = lie_map_taninv(x);
  s->map_back = lie_map_transpose(s->map_forward);
  s->d = (twist){so3_map_apply(w, s->map_back, p), w};
  s->forward = dual_of(s->d, s->map_forward);
  s->back = dual_of(s->d, s->map_back);
  s->rate = tw_sub(dual_apply(&s->forward, b->V), dual_apply(&s->back, a->V));
  return TORSOR_OK;
}

static twist strain_of(const beam_element_data *e, const relative *s) {
  return tw_scale(tw_sub(s->d, e->reference), 1 / e->length);
}

/* Force and moment of the section. */
static twist stress_of(const beam_element_data *e, const relative *s) {
  return m6_mulv(e->K, tw_axpy(e->lag / e->length, s->rate, strain_of(e, s)));
}

/* ---- one section of the element ------------------------------------------------------------- */

typedef struct section {
  double s;
  lie_map map;   /* of S/s */
  dual S, along; /* S/s and its derivative along d' */
  twist V, A;    /* twist and its rate, less gravity */
  twist P;       /* momentum */
  twist f;       /* M A - ad(V)^T P: what moves the section, all per length */
  v3 gravity;    /* section axes */
} section;

/* Gravity in the axes of the section: exp(-s w) R_a^T g. */
static v3 turned_gravity(const beam_element_data *e, const relative *r, const torsor_element_in *in,
                         double s) {
  if (e->gravity.x == 0 && e->gravity.y == 0 && e->gravity.z == 0) return e->gravity;
  const v3 w = v3_scale(r->d.ang, -s);
  return so3_map_apply(w, lie_map_exp(v3_norm2(w)),
                       m3_tmulv(in->node[0]->R, v3_scale(e->gravity, in->load)));
}

static void find_section(section *at, const beam_element_data *e, const relative *r,
                         const torsor_element_in *in, int point) {
  const torsor_motion *a = in->node[0], *b = in->node[1];
  const double s = beam_point[point], x = v3_norm2(r->d.ang);
  const twist dV = tw_scale(tw_sub(b->V, a->V), s), dA = tw_scale(tw_sub(b->A, a->A), s);
  at->s = s;
  at->map = lie_map_product(lie_map_scale(lie_map_tan(s * s * x), s), r->map_forward, x);
  at->S = dual_of(r->d, at->map);
  at->along = (dual){so3_map_along(r->d.ang, r->rate.ang, at->map),
                     m3_add(so3_map_along(r->d.ang, r->rate.lin, at->map),
                            so3_map_along2(r->d.ang, r->d.lin, r->rate.ang, at->map))};
  at->gravity = turned_gravity(e, r, in, s);
  at->V = tw_add(a->V, dual_apply(&at->S, dV));
  at->A = tw_add(tw_add(a->A, dual_apply(&at->S, dA)), dual_apply(&at->along, dV));
  at->A.lin = v3_sub(at->A.lin, at->gravity);
  at->P = m6_mulv(e->M[point], at->V);
  at->f = tw_sub(m6_mulv(e->M[point], at->A), se3_adT_apply(at->V, at->P));
}

/* ---- residual ------------------------------------------------------------------------------- */

static void add_residual(double *r, const beam_element_data *e, const relative *s, twist stress,
                         const section at[BEAM_POINTS]) {
  twist first = tw_neg(dual_apply_transposed(&s->back, stress));
  twist second = dual_apply_transposed(&s->forward, stress);
  for (int g = 0; g < BEAM_POINTS; ++g) {
    const twist f = tw_scale(at[g].f, beam_weight[g] * e->length);
    const twist share = tw_scale(dual_apply_transposed(&at[g].S, f), at[g].s);
    first = tw_add(first, tw_sub(f, share));
    second = tw_add(second, share);
  }
  tw_store(r, tw_add(tw_load(r), first));
  tw_store(r + 6, tw_add(tw_load(r + 6), second));
}

/* ---- tangents ------------------------------------------------------------------------------- */

/* dr of a force f that section s applies, (1 - S)^T df to the first node and S^T df to the second, with
 *   df = d P (e_a, e_b) + delta (e_b - e_a) + first e_a,   P = [-T^-1(-d), T^-1(d)].
 * [0]: sums over the sections of df, [1]: of S^T df. */
typedef struct spread {
  m6 d[2], delta[2], first[2];
} spread;

static void spread_term(m6 sum[2], const m6 *S, m6 A) {
  sum[0] = m6_add(sum[0], A);
  sum[1] = m6_add(sum[1], m6_tmul(*S, A));
}

/* The block of row node `row` and column node `column`. */
static void spread_block(double *out, const spread *k, const relative *s, int row, int column) {
  const m6 P = dual_matrix(column ? s->forward : s->back);
  const m6 d = row ? k->d[1] : m6_sub(k->d[0], k->d[1]);
  const m6 delta = row ? k->delta[1] : m6_sub(k->delta[0], k->delta[1]);
  m6 block = m6_add(m6_mul(d, P), delta);
  if (!column) {
    const m6 first = row ? k->first[1] : m6_sub(k->first[0], k->first[1]);
    block = m6_sub(first, block);
  }
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) out[12 * (6 * row + i) + 6 * column + j] += block.m[i][j];
}

static void spread_add(double *matrix, const spread *k, const relative *s) {
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 2; ++column) spread_block(matrix, k, s, row, column);
}

/* D_d of d' at constant velocities. */
static m6 rate_gradient(const relative *s, const torsor_element_in *in) {
  return m6_sub(se3_map_gradient(s->d, in->node[1]->V, s->map_forward),
                se3_map_gradient(s->d, in->node[0]->V, s->map_back));
}

/* Stress: P^T (K/L) (1 + lag D d') P, and the derivative of P^T at constant stress. */
static void spread_stress(spread *K, spread *C, const beam_element_data *e, const relative *s,
                          twist stress, const m6 *drate) {
  const m6 forward = dual_matrix(s->forward), back = dual_matrix(s->back);
  const m6 Z = m6_scale(e->K, 1 / e->length);
  const m6 dforward = se3_map_gradientT(s->d, stress, s->map_forward);
  const m6 dback = se3_map_gradientT(s->d, stress, s->map_back);
  const m6 rate = m6_axpy(e->lag, *drate, m6_identity());
  const m6 turned = e->lag > 0 ? m6_mul(Z, rate) : Z;
  const m6 difference = m6_sub(forward, back);
  if (K) {
    K->d[1] = m6_add(K->d[1], m6_add(dforward, m6_tmul(forward, turned)));
    K->d[0] = m6_add(K->d[0], m6_add(m6_sub(dforward, dback), m6_tmul(difference, turned)));
  }
  if (C && e->lag > 0) {
    C->d[1] = m6_axpy(e->lag, m6_tmul(forward, Z), C->d[1]);
    C->d[0] = m6_axpy(e->lag, m6_tmul(difference, Z), C->d[0]);
  }
}

/* What of the inertia of one section the three matrices need; each may be NULL. */
static void spread_section(spread *M, spread *C, spread *K, const beam_element_data *e,
                           const relative *r, const section *at, const torsor_element_in *in,
                           int point, const m6 *drate) {
  const m6 m = m6_scale(e->M[point], beam_weight[point] * e->length);
  const m6 S = m6_scale(dual_matrix(at->S), at->s), mS = m6_mul(m, S);
  if (M) {
    spread_term(M->delta, &S, mS);
    spread_term(M->first, &S, m);
  }
  if (!C && !K) return;
  const twist dV = tw_scale(tw_sub(in->node[1]->V, in->node[0]->V), at->s);
  const twist dA = tw_scale(tw_sub(in->node[1]->A, in->node[0]->A), at->s);
  const twist P = tw_scale(at->P, beam_weight[point] * e->length);
  const twist f = tw_scale(at->f, beam_weight[point] * e->length * at->s);
  const m6 G = se3_map_gradient(r->d, dV, at->map), mG = m6_mul(m, G);
  const m6 E = m6_add(m6_tmul(se3_ad(at->V), m), se3_breve(P)); /* d(ad(V)^T P)/dV */
  if (C) {
    const m6 along = m6_scale(dual_matrix(at->along), at->s);
    spread_term(C->d, &S, mG);
    spread_term(C->delta, &S, m6_sub(m6_mul(m, along), m6_mul(E, S)));
    spread_term(C->first, &S, m6_scale(E, -1));
  }
  if (!K) return;
  m6 dA_dd = se3_map_gradient(r->d, dA, at->map);
  dA_dd = m6_add(dA_dd, se3_map_gradient2(r->d, r->rate, dV, at->map));
  m6 df = m6_sub(m6_add(m6_mul(m, dA_dd), m6_mul(mG, *drate)), m6_mul(E, G));
  const m6 turn = m6_blocks(m3_zero(), m3_skew(at->gravity), m3_zero(), m3_zero());
  const m6 weight = m6_scale(m6_mul(m, turn), -1);
  spread_term(K->d, &S, df);
  K->d[1] = m6_add(K->d[1], se3_map_gradientT(r->d, f, at->map));
  spread_term(K->delta, &S, m6_mul(weight, S));
  spread_term(K->first, &S, weight);
}

static void add_tangents(torsor_element_out *out, const beam_element_data *e, const relative *s,
                         twist stress, const section at[BEAM_POINTS], const torsor_element_in *in) {
  spread M = {0}, C = {0}, K = {0};
  spread *const m = out->M ? &M : NULL, *const c = out->C ? &C : NULL,
                *const k = out->K ? &K : NULL;
  const m6 drate = rate_gradient(s, in);
  spread_stress(k, c, e, s, stress, &drate);
  for (int g = 0; g < BEAM_POINTS; ++g) spread_section(m, c, k, e, s, &at[g], in, g, &drate);
  if (m) spread_add(out->M, m, s);
  if (c) spread_add(out->C, c, s);
  if (k) spread_add(out->K, k, s);
}

/* ---- the type ------------------------------------------------------------------------------- */

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  (void)error;
  beam_element_data *e = self;
  e->gravity = setup->gravity;
  setup->nodes = 2;
  setup->node[0] = e->node[0];
  setup->node[1] = e->node[1];
  setup->length = e->length;
  setup->dissipative = e->lag > 0;
  return TORSOR_OK;
}

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const beam_element_data *e = self;
  relative s;
  section at[BEAM_POINTS];
  const torsor_status status = find_relative(&s, in);
  if (status) return status;
  for (int g = 0; g < BEAM_POINTS; ++g) find_section(&at[g], e, &s, in, g);
  const twist stress = in->stress ? tw_load(in->stress) : stress_of(e, &s);
  if (out->r) add_residual(out->r, e, &s, stress, at);
  if (out->M || out->C || out->K) add_tangents(out, e, &s, stress, at, in);
  return TORSOR_OK;
}

/* Energies and momenta of one section: weight w times its mass m, first moment and momentum. */
static void balance_section(torsor_balance *sum, const beam_element_data *e, const relative *r,
                            const section *at, const torsor_element_in *in, int point) {
  const torsor_motion *a = in->node[0];
  const double w = beam_weight[point] * e->length, mass = e->M[point].m[0][0];
  const twist along = tw_scale(r->d, at->s), P = tw_scale(at->P, w);
  const m3 R = m3_mul(a->R, so3_rodrigues(along.ang));
  const lie_map exp_x = lie_map_transpose(lie_map_tan(v3_norm2(along.ang)));
  const v3 x = v3_add(a->x, m3_mulv(a->R, so3_map_apply(along.ang, exp_x, along.lin)));
  const v3 moment = m3_vee(m6_block(e->M[point], 1, 0)), momentum = m3_mulv(R, P.lin);
  sum->kinetic += tw_dot(at->V, P) / 2;
  sum->potential -= w * in->load * v3_dot(e->gravity, v3_axpy(mass, x, m3_mulv(R, moment)));
  sum->momentum = v3_add(sum->momentum, momentum);
  sum->angular_momentum =
      v3_add(sum->angular_momentum, v3_add(m3_mulv(R, P.ang), v3_cross(x, momentum)));
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const beam_element_data *e = self;
  relative s;
  if (find_relative(&s, in)) return;
  const twist strain = strain_of(e, &s);
  sum->elastic += e->length / 2 * tw_dot(strain, m6_mulv(e->K, strain));
  for (int g = 0; g < BEAM_POINTS; ++g) {
    section at;
    find_section(&at, e, &s, in, g);
    balance_section(sum, e, &s, &at, in, g);
  }
}

/* K ((d - d_0)/L + d'/L) where d' is that of the displacement V. */
static void foresee(const void *self, const torsor_element_in *in, double *values) {
  const beam_element_data *e = self;
  relative s;
  if (find_relative(&s, in)) return;
  const twist strain = tw_axpy(1 / e->length, s.rate, strain_of(e, &s));
  tw_store(values, m6_mulv(e->K, strain));
}

static double loss(const void *self, const torsor_element_in *in) {
  const beam_element_data *e = self;
  relative s;
  if (find_relative(&s, in)) return 0;
  return e->lag / e->length * tw_dot(s.rate, m6_mulv(e->K, s.rate));
}

static const torsor_output outputs[] = {
    {"section_force", "N", "normal and shear forces of the element, section axes", 3},
    {"section_moment", "N m", "torque and bending moments, section axes", 3},
    {"strain", "", "extension and shear, section axes", 3},
    {"curvature", "1/m", "twist and curvatures, beyond those of the unstrained beam, section axes",
     3},
    {0}};

static void output(const void *self, const torsor_element_in *in, double *values) {
  const beam_element_data *e = self;
  relative s;
  if (find_relative(&s, in)) return;
  tw_store(values, stress_of(e, &s));
  tw_store(values + 6, strain_of(e, &s));
}

static const torsor_param params[] = {{0}};

const torsor_element_type beam_element = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_BODY,
    .name = "beam_element",
    .title = "geometrically exact beam element between two frames",
    .doc = "See beam.",
    .example = "",
    .size = sizeof(beam_element_data),
    .params = params,
    .tangents = TORSOR_HAS_M | TORSOR_HAS_C | TORSOR_HAS_K,
    .prepare = prepare,
    .eval = eval,
    .balance = balance,
    .outputs = outputs,
    .output = output,
    .stresses = 6,
    .stress = foresee,
    .loss = loss,
};
