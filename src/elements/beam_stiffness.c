/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The stiffness of a beam element whose ends are at rest, as equilibria ask for it.  Of what
 * beam_tangent.c adds up only the stress and the weight are left; the operations that remain are
 * done in the same order, so that both give the same numbers to the bit. */

#include <stddef.h>

#include "base/pair.h"
#include "elements/beam_tangent.h"

/* Columns 3 to 5 of a 6x6 matrix whose other columns vanish, as those of what depends on the
 * direction of gravity: rows of forces, rows of moments. */
typedef struct turn_columns {
  double m[6][3];
} turn_columns;

/* Sums over the sections as in beam_tangent.c, without those that vanish at rest. */
typedef struct weight_terms {
  turn_columns delta[2], first[2];
} weight_terms;

/* A^T Z of the stiffness of a section, most of which are diagonal. */
static m6 times_section(m6 A, m6 Z, bool diagonal) {
  if (!diagonal) return m6_tmul(A, Z);
  m6 C;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) C.m[i][j] = A.m[j][i] * Z.m[j][j];
  return C;
}

static void add_stress(m6 d[2], const beam_relative *s, const beam_inverses *t,
                       const beam_response *response) {
  const m6 Z = response->elastic;
  const bool diagonal = response->diagonal;
  const m6 dforward = se3_map_gradientT(s->d, response->stress, t->forward_map);
  const m6 dback = se3_map_gradientT(s->d, response->stress, t->back_map);
  d[1] = m6_add(dforward, times_section(t->forward, Z, diagonal));
  d[0] = m6_add(m6_sub(dforward, dback), times_section(m6_sub(t->forward, t->back), Z, diagonal));
}

/* -m (0, g~): what the weight of a section with the inertia m changes by when it turns. */
static turn_columns weight_turn(m6 m, v3 gravity) {
  const m3 G = m3_skew(gravity);
  turn_columns out = {0};
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < 3; ++j) out.m[i][j] += m.m[i][k] * G.m[k][j];
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 3; ++j) out.m[i][j] *= -1;
  return out;
}

/* A S of S = [[F, U], [0, F]]. */
static turn_columns turn_map(const turn_columns *A, const m6 *S) {
  turn_columns out = {0};
  for (int i = 0; i < 6; ++i)
    for (int k = 0; k < 3; ++k)
      for (int j = 0; j < 3; ++j) out.m[i][j] += A->m[i][k] * S->m[3 + k][3 + j];
  return out;
}

/* *sum += S^T A. */
static void add_share(turn_columns *sum, const m6 *S, const turn_columns *A) {
  turn_columns out = {0};
  for (int k = 0; k < 6; ++k)
    for (int i = k < 3 ? 0 : 3; i < 6; ++i)
      for (int j = 0; j < 3; ++j) out.m[i][j] += S->m[k][i] * A->m[k][j];
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 3; ++j) sum->m[i][j] += out.m[i][j];
}

static void add_columns(turn_columns *sum, const turn_columns *A) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 3; ++j) sum->m[i][j] += A->m[i][j];
}

static void add_weight(m6 d[2], weight_terms *w, const beam_element_data *e, const beam_relative *s,
                       const beam_inverses *t, const beam_section_motion *at, int point) {
  const double place = beam_point[point];
  const m6 m = m6_scale(e->section->M[point], BEAM_WEIGHT * e->length);
  const lie_map map = beam_section_map(s, t, place);
  const m6 S = m6_scale(se3_map(s->d, map), place);
  const twist f = tw_scale(at->f, BEAM_WEIGHT * e->length * place);
  const turn_columns weight = weight_turn(m, at->gravity), turned = turn_map(&weight, &S);
  d[1] = m6_add(d[1], se3_map_gradientT(s->d, f, map));
  add_columns(&w->delta[0], &turned);
  add_share(&w->delta[1], &S, &turned);
  add_columns(&w->first[0], &weight);
  add_share(&w->first[1], &S, &weight);
}

/* Six columns of a row. */
typedef struct six {
  pair at[3];
} six;

static inline void load_rows(six rows[6], const m6 *A) {
  for (int k = 0; k < 6; ++k)
    for (int c = 0; c < 3; ++c) rows[k].at[c] = pair_load(A->m[k] + 2 * c);
}

/* row P of P = [[F, U], [0, F]]. */
static inline six row_times(const double row[6], const six P[6]) {
  six out = {{{0}}};
  for (int k = 0; k < 3; ++k)
    for (int c = 0; c < 3; ++c) out.at[c] += pair_both(row[k]) * P[k].at[c];
  for (int k = 3; k < 6; ++k)
    for (int c = 1; c < 3; ++c) out.at[c] += pair_both(row[k]) * P[k].at[c];
  return out;
}

static inline void add_turn(six *out, const double turn[3]) {
  out->at[1] += (pair){0, turn[0]};
  out->at[2] += pair_load(turn + 1);
}

static inline void add_pairs(double *to, const six *values) {
  for (int c = 0; c < 3; ++c) pair_store(to + 2 * c, pair_load(to + 2 * c) + values->at[c]);
}

/* The rows of one node: d P + delta over the columns of the second node, and first less those of
 * the first.  `delta` and `first` are NULL without weight. */
static void add_rows(double *out, const m6 *d, const turn_columns *delta, const turn_columns *first,
                     const beam_inverses *t) {
  six back[6], forward[6];
  load_rows(back, &t->back);
  load_rows(forward, &t->forward);
  for (int i = 0; i < 6; ++i) {
    six left = row_times(d->m[i], back), right = row_times(d->m[i], forward);
    if (delta) {
      add_turn(&left, delta->m[i]);
      add_turn(&right, delta->m[i]);
    }
    for (int c = 0; c < 3; ++c) left.at[c] = -left.at[c];
    if (first) add_turn(&left, first->m[i]);
    add_pairs(out + 12 * i, &left);
    add_pairs(out + 12 * i + 6, &right);
  }
}

static turn_columns difference(const turn_columns *a, const turn_columns *b) {
  turn_columns out;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 3; ++j) out.m[i][j] = a->m[i][j] - b->m[i][j];
  return out;
}

void beam_add_rest_stiffness(double *K, const beam_element_data *e, const beam_relative *s,
                             const beam_response *response, const beam_section_motion *at) {
  const beam_inverses t = beam_find_inverses(s);
  m6 d[2];
  add_stress(d, s, &t, response);
  if (!at) {
    const m6 of_first = m6_sub(d[0], d[1]);
    add_rows(K, &of_first, NULL, NULL, &t);
    add_rows(K + 72, &d[1], NULL, NULL, &t);
    return;
  }
  weight_terms w = {0};
  for (int g = 0; g < BEAM_POINTS; ++g) add_weight(d, &w, e, s, &t, &at[g], g);
  const m6 of_first = m6_sub(d[0], d[1]);
  const turn_columns delta = difference(&w.delta[0], &w.delta[1]);
  const turn_columns first = difference(&w.first[0], &w.first[1]);
  add_rows(K, &of_first, &delta, &first, &t);
  add_rows(K + 72, &d[1], &w.delta[1], &w.first[1], &t);
}
