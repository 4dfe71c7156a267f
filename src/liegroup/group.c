/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "liegroup/group.h"

#include <string.h>

static void plus_R3(double *q1, const double *q, const double *u) {
  rn_plus(q1, q, u, 3);
}

static void minus_R3(double *u, const double *q1, const double *q0) {
  rn_minus(u, q1, q0, 3);
}

static void tan_R3(double *T, const double *u) {
  (void)u;
  rn_tan(T, 3);
}

static void taninv_R3(double *A, const double *u) {
  (void)u;
  rn_taninv(A, 3);
}

static void taninv_times_R3(double *out, const double *u, const double *w) {
  (void)u;
  memmove(out, w, 3 * sizeof *out);
}

static void bracket_R3(double *out, const double *a, const double *b) {
  (void)a;
  (void)b;
  rn_bracket(out, 3);
}

static void plus_SO3(double *q1, const double *q, const double *u) {
  so3_store(q1, so3_plus(so3_load(q), v3_load(u)));
}

static void minus_SO3(double *u, const double *q1, const double *q0) {
  v3_store(u, so3_minus(so3_load(q1), so3_load(q0)));
}

static void tan_SO3(double *T, const double *u) {
  m3 A = so3_tan(v3_load(u));
  memcpy(T, A.m, sizeof A.m);
}

static void taninv_SO3(double *A, const double *u) {
  const m3 inverse = so3_taninv(v3_load(u));
  memcpy(A, inverse.m, sizeof inverse.m);
}

static void taninv_times_SO3(double *out, const double *u, const double *w) {
  v3_store(out, m3_mulv(so3_taninv(v3_load(u)), v3_load(w)));
}

static void bracket_SO3(double *out, const double *a, const double *b) {
  v3_store(out, v3_cross(v3_load(a), v3_load(b)));
}

static void plus_R3SO3(double *q1, const double *q, const double *u) {
  se3_store(q1, r3so3_plus(se3_load(q), tw_load(u)));
}

static void minus_R3SO3(double *u, const double *q1, const double *q0) {
  tw_store(u, r3so3_minus(se3_load(q1), se3_load(q0)));
}

static void tan_R3SO3(double *T, const double *u) {
  m6 A = r3so3_tan(tw_load(u));
  memcpy(T, A.m, sizeof A.m);
}

static void taninv_R3SO3(double *A, const double *u) {
  const m6 inverse = r3so3_taninv(tw_load(u));
  memcpy(A, inverse.m, sizeof inverse.m);
}

static void taninv_times_R3SO3(double *out, const double *u, const double *w) {
  memmove(out, w, 3 * sizeof *out);
  taninv_times_SO3(out + 3, u + 3, w + 3);
}

static void bracket_R3SO3(double *out, const double *a, const double *b) {
  tw_store(out, r3so3_ad_apply(tw_load(a), tw_load(b)));
}

static void plus_SE3(double *q1, const double *q, const double *u) {
  se3_store(q1, se3_plus(se3_load(q), tw_load(u)));
}

static void minus_SE3(double *u, const double *q1, const double *q0) {
  tw_store(u, se3_minus(se3_load(q1), se3_load(q0)));
}

static void tan_SE3(double *T, const double *u) {
  m6 A = se3_tan(tw_load(u));
  memcpy(T, A.m, sizeof A.m);
}

static void taninv_SE3(double *A, const double *u) {
  const m6 inverse = se3_taninv(tw_load(u));
  memcpy(A, inverse.m, sizeof inverse.m);
}

static void taninv_times_SE3(double *out, const double *u, const double *w) {
  tw_store(out, m6_mulv(se3_taninv(tw_load(u)), tw_load(w)));
}

static void bracket_SE3(double *out, const double *a, const double *b) {
  tw_store(out, se3_ad_apply(tw_load(a), tw_load(b)));
}

const struct group_ops *torsor_group_ops(torsor_group group) {
  static const struct group_ops table[] = {
#define GROUP_OPS(symbol, name, nq, nv)                                                            \
  [TORSOR_GROUP_##symbol] = {name,                                                                 \
                             nq,                                                                   \
                             nv,                                                                   \
                             plus_##symbol,                                                        \
                             minus_##symbol,                                                       \
                             tan_##symbol,                                                         \
                             taninv_##symbol,                                                      \
                             taninv_times_##symbol,                                                \
                             bracket_##symbol},
      TORSOR_GROUP_LIST(GROUP_OPS)
#undef GROUP_OPS
  };
  size_t index = (size_t)group;
  return index < sizeof table / sizeof table[0] ? &table[index] : NULL;
}
