/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/beam_tangent.h"

/* Accumulates the tangent of a two-node beam whose sections are interpolated on SE(3)
 * (docs/theory.md, "Beams"). The residual of a force f at a section with the interpolation matrix S
 * is (1 - S)^T f at the first node and S^T f at the second; its change by a change of the nodes,
 * with body variations e_a and e_b, follows from
 *
 *   df = d P (e_a, e_b) + delta (e_b - e_a) + first e_a,   P = [-T^-1(-d), T^-1(d)]
 *
 * where d is the relative displacement of the ends (the logarithm) and P maps variations to that of
 * d. All sections' terms are summed before the products with P: entries [0] are the sums of df,
 * entries [1] those of S^T df. */
typedef struct spread {
  m6 d[2], delta[2], first[2];
} spread;

static void spread_term(m6 sum[2], const m6 *S, m6 A) {
  sum[0] = m6_add(sum[0], A);
  sum[1] = m6_add(sum[1], m6_tmul(*S, A));
}

/* Adds the accumulated tangent's block of row node `row` and column node `column` to the matrix
 * `out` [12 x 12]. */
static void spread_block(double *out, const spread *k, const beam_inverses *t, int row,
                         int column) {
  const m6 P = column ? t->forward : t->back;
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

static void spread_add(double *matrix, const spread *k, const beam_inverses *t) {
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 2; ++column) spread_block(matrix, k, t, row, column);
}

/* Returns the derivative of the rate d' with respect to d, at constant nodal velocities. */
static m6 rate_gradient(const beam_relative *s, const beam_inverses *t,
                        const torsor_element_in *in) {
  return m6_sub(se3_map_gradient(s->d, in->node[1]->V, t->forward_map),
                se3_map_gradient(s->d, in->node[0]->V, t->back_map));
}

/* Adds the tangents of the elastic and damping forces: the material part P^T (elastic + viscous D
 * d') P, where D d' is the derivative of the rate of the relative motion, and the geometric part,
 * which is the derivative of P^T at constant stress. */
static void spread_stress(spread *K, spread *C, const beam_relative *s, const beam_inverses *t,
                          const beam_response *response, const m6 *drate) {
  const m6 Z = response->viscous;
  const m6 dforward = se3_map_gradientT(s->d, response->stress, t->forward_map);
  const m6 dback = se3_map_gradientT(s->d, response->stress, t->back_map);
  const m6 turned =
      response->damped ? m6_add(response->elastic, m6_mul(Z, *drate)) : response->elastic;
  const m6 difference = m6_sub(t->forward, t->back);
  if (K) {
    K->d[1] = m6_add(K->d[1], m6_add(dforward, m6_tmul(t->forward, turned)));
    K->d[0] = m6_add(K->d[0], m6_add(m6_sub(dforward, dback), m6_tmul(difference, turned)));
  }
  if (C && response->damped) {
    C->d[1] = m6_add(C->d[1], m6_tmul(t->forward, Z));
    C->d[0] = m6_add(C->d[0], m6_tmul(difference, Z));
  }
}

/* Returns the gyroscopic matrix d(ad(V)^T m V)/dV of a section with the inertia m. */
static m6 gyration(const beam_section_motion *at, m6 m) {
  return m6_add(m6_tmul(se3_ad(at->V), m), se3_breve(m6_mulv(m, at->V)));
}

/* Returns the derivative of the weight m (-R^T g, 0) in body axes with respect to a body variation
 * of the section. */
static m6 weight_gradient(const beam_section_motion *at, m6 m) {
  const m6 turn = m6_blocks(m3_zero(), m3_skew(at->gravity), m3_zero(), m3_zero());
  return m6_scale(m6_mul(m, turn), -1);
}

/* Adds the diagonal block of one end's rows and columns. */
static void add_end(double *out, int end, m6 block) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) out[13 * 6 * end + 12 * i + j] += block.m[i][j];
}

/* Adds the tangents of a lumped inertia at one end, which depend on the motion of that end only. */
static void add_lump(torsor_element_out *out, const beam_element_data *e,
                     const beam_section_motion *at, int end) {
  const m6 m = m6_scale(e->section->M[end], BEAM_WEIGHT * e->length);
  if (out->M) add_end(out->M, end, m);
  if (out->C) add_end(out->C, end, m6_scale(gyration(at, m), -1));
  if (out->K) add_end(out->K, end, weight_gradient(at, m));
}

/* Adds the contribution of one section's inertia to M, C and K, each of which may be NULL. */
static void spread_section(spread *M, spread *C, spread *K, const beam_element_data *e,
                           const beam_relative *r, const beam_inverses *t,
                           const beam_section_motion *at, const torsor_element_in *in, int point,
                           const m6 *drate) {
  const m6 m = m6_scale(e->section->M[point], BEAM_WEIGHT * e->length);
  const lie_map map = beam_section_map(r, t, beam_point[point]);
  const m6 S = m6_scale(se3_map(r->d, map), beam_point[point]), mS = m6_mul(m, S);
  if (M) {
    spread_term(M->delta, &S, mS);
    spread_term(M->first, &S, m);
  }
  if (!C && !K) return;
  const twist dV = tw_scale(r->dV, beam_point[point]);
  const twist dA = tw_scale(tw_sub(in->node[1]->A, in->node[0]->A), beam_point[point]);
  const twist f = tw_scale(at->f, BEAM_WEIGHT * e->length * beam_point[point]);
  const m6 G = se3_map_gradient(r->d, dV, map), mG = m6_mul(m, G);
  const m6 E = gyration(at, m);
  if (C) {
    const m6 along = m6_scale(se3_map_along(r->d, r->rate, map), beam_point[point]);
    spread_term(C->d, &S, mG);
    spread_term(C->delta, &S, m6_sub(m6_mul(m, along), m6_mul(E, S)));
    spread_term(C->first, &S, m6_scale(E, -1));
  }
  if (!K) return;
  m6 dA_dd = se3_map_gradient(r->d, dA, map);
  dA_dd = m6_add(dA_dd, se3_map_gradient2(r->d, r->rate, dV, map));
  m6 df = m6_sub(m6_add(m6_mul(m, dA_dd), m6_mul(mG, *drate)), m6_mul(E, G));
  const m6 weight = weight_gradient(at, m);
  spread_term(K->d, &S, df);
  K->d[1] = m6_add(K->d[1], se3_map_gradientT(r->d, f, map));
  spread_term(K->delta, &S, m6_mul(weight, S));
  spread_term(K->first, &S, weight);
}

/* Adds the stiffness alone for a beam at rest (statics and modes), where all terms with velocities
 * and accelerations vanish. */
static void add_stiffness_at_rest(torsor_element_out *out, const beam_element_data *e,
                                  const beam_relative *s, const beam_response *response,
                                  const beam_section_motion at[BEAM_POINTS]) {
  const bool heavy = beam_is_heavy(e), lumped = e->section->lumped;
  beam_add_rest_stiffness(out->K, e, s, response, heavy && !lumped ? at : NULL);
  for (int g = 0; g < BEAM_POINTS && heavy && lumped; ++g) add_lump(out, e, &at[g], g);
}

void beam_add_tangents(torsor_element_out *out, const beam_element_data *e, const beam_relative *s,
                       const beam_response *response, const beam_section_motion at[BEAM_POINTS],
                       const torsor_element_in *in) {
  if (out->K && !out->M && !out->C && beam_rests(in)) {
    add_stiffness_at_rest(out, e, s, response, at);
    return;
  }
  spread M = {0}, C = {0}, K = {0};
  spread *const m = out->M ? &M : NULL, *const c = out->C ? &C : NULL,
                *const k = out->K ? &K : NULL;
  const beam_inverses t = beam_find_inverses(s);
  const m6 drate = rate_gradient(s, &t, in);
  spread_stress(k, c, s, &t, response, &drate);
  for (int g = 0; g < BEAM_POINTS; ++g)
    if (e->section->lumped)
      add_lump(out, e, &at[g], g);
    else
      spread_section(m, c, k, e, s, &t, &at[g], in, g, &drate);
  if (m && !e->section->lumped) spread_add(out->M, m, &t);
  if (c) spread_add(out->C, c, &t);
  if (k) spread_add(out->K, k, &t);
}
