/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The run-time table of groups against the direct functions, and the actions that avoid forming 6x6
 * matrices against the matrices. */

#include "check.h"

#include <torsor/lie.h>
#include "liegroup/group.h"

static const torsor_group all[] = {TORSOR_GROUP_R3, TORSOR_GROUP_SO3, TORSOR_GROUP_R3SO3,
                                   TORSOR_GROUP_SE3};

static twist random_twist(check_rng *rng) {
  double a[6];
  for (int i = 0; i < 6; i++) a[i] = check_uniform(rng, -1, 1);
  return tw_load(a);
}

static double tw_gap(twist a, twist b) {
  double x[6], gap = 0;
  tw_store(x, tw_sub(a, b));
  for (int i = 0; i < 6; i++) gap = check_max(gap, fabs(x[i]));
  return gap;
}

/* The same arithmetic; a compiler that contracts products and sums may round each of a few
 * operations on numbers below 4 differently. */
static void check_same(const double *a, const double *b, int n) {
  for (int i = 0; i < n; i++) CHECK_NEAR(a[i], b[i], 8 * CHECK_EPS);
}

static void test_sizes(void **state) {
  (void)state;
  const char *names[] = {"R3", "SO3", "R3xSO3", "SE3"};
  const int nq[] = {3, 4, 7, 7}, nv[] = {3, 3, 6, 6};
  for (int k = 0; k < 4; k++) {
    const struct group_ops *ops = torsor_group_ops(all[k]);
    CHECK_STR(ops->name, names[k]);
    CHECK_INT(ops->nq, nq[k]);
    CHECK_INT(ops->nv, nv[k]);
  }
  CHECK_TRUE(torsor_group_ops((torsor_group)4) == NULL);
}

static void direct(torsor_group group, const double *q, const double *u, const double *w,
                   double *q1, double *d, double *T, double *bracket) {
  twist h = {{0, 0, 0}, {0, 0, 0}}, k = h;
  m6 T6 = m6_identity();
  m3 T3 = m3_identity();
  switch (group) {
  case TORSOR_GROUP_R3:
    v3_store(q1, v3_add(v3_load(q), v3_load(u)));
    v3_store(d, v3_sub(v3_load(q1), v3_load(q)));
    v3_store(bracket, v3_zero());
    memcpy(T, T3.m, sizeof T3.m);
    return;
  case TORSOR_GROUP_SO3:
    so3_store(q1, so3_plus(so3_load(q), v3_load(u)));
    v3_store(d, so3_minus(so3_load(q1), so3_load(q)));
    v3_store(bracket, m3_mulv(so3_ad(v3_load(u)), v3_load(w)));
    T3 = so3_tan(v3_load(u));
    memcpy(T, T3.m, sizeof T3.m);
    return;
  case TORSOR_GROUP_R3SO3:
    h = tw_load(u), k = tw_load(w);
    se3_store(q1, r3so3_plus(se3_load(q), h));
    tw_store(d, r3so3_minus(se3_load(q1), se3_load(q)));
    tw_store(bracket, m6_mulv(r3so3_ad(h), k));
    T6 = r3so3_tan(h);
    memcpy(T, T6.m, sizeof T6.m);
    return;
  case TORSOR_GROUP_SE3:
    h = tw_load(u), k = tw_load(w);
    se3_store(q1, se3_plus(se3_load(q), h));
    tw_store(d, se3_minus(se3_load(q1), se3_load(q)));
    tw_store(bracket, m6_mulv(se3_ad(h), k));
    T6 = se3_tan(h);
    memcpy(T, T6.m, sizeof T6.m);
    return;
  }
}

static void test_table(void **state) {
  (void)state;
  check_rng rng = {11};
  for (int k = 0; k < 4; k++) {
    const struct group_ops *ops = torsor_group_ops(all[k]);
    double q[7], u[6], w[6], q1[7], d[6], T[36], b[6], q2[7], d2[6], T2[36], b2[6];
    double identity[7] = {0};
    identity[ops->nq - 4 + (k == 0)] = k == 0 ? 0 : 1;
    for (int i = 0; i < 6; i++) {
      u[i] = check_uniform(&rng, -1, 1);
      w[i] = check_uniform(&rng, -1, 1);
    }
    ops->plus(q, identity, w);
    direct(all[k], q, u, w, q1, d, T, b);
    ops->plus(q2, q, u);
    ops->minus(d2, q2, q);
    ops->tan(T2, u);
    ops->bracket(b2, u, w);
    check_same(q2, q1, ops->nq);
    check_same(d2, d, ops->nv);
    check_same(T2, T, ops->nv * ops->nv);
    double inverse[36];
    ops->taninv(inverse, u);
    for (int i = 0; i < ops->nv; i++)
      for (int j = 0; j < ops->nv; j++) { /* sums of at most 6 products of numbers up to 2 */
        double product = 0;
        for (int l = 0; l < ops->nv; l++) product += T2[i * ops->nv + l] * inverse[l * ops->nv + j];
        CHECK_NEAR(product, i == j, 24 * CHECK_EPS);
      }
    for (int i = 0; i < ops->nv; i++) {
      CHECK_NEAR(b2[i], b[i], 4 * CHECK_EPS);
      CHECK_NEAR(d2[i], u[i], 16 * CHECK_EPS); /* minus undoes plus */
    }
    ops->plus(q, q, u); /* in place */
    check_same(q, q1, ops->nq);
    ops->minus(q2, q2, identity);
    ops->minus(d2, q, identity);
    check_same(q2, d2, ops->nv);
    ops->bracket(u, u, w);
    check_same(u, b2, ops->nv);
  }
}

/* plus keeps the quaternion at unit length from any state that is nearly so. */
static void test_unit_length(void **state) {
  (void)state;
  check_rng rng = {12};
  double worst = 0;
  for (int k = 1; k < 4; k++) {
    const struct group_ops *ops = torsor_group_ops(all[k]);
    double q[7] = {0}, u[6], *quaternion = q + ops->nq - 4;
    quaternion[0] = 1 + 1e-9; /* corrected at once: 1.5e-18 is left */
    for (int step = 0; step < 100000; step++) {
      for (int i = 0; i < ops->nv; i++) u[i] = check_uniform(&rng, -1, 1);
      ops->plus(q, q, u);
      long double s = 0;
      for (int i = 0; i < 4; i++) s += (long double)quaternion[i] * (long double)quaternion[i];
      worst = check_max(worst, fabs((double)(sqrtl(s) - 1)));
    }
  }
  check_report("|q| - 1 after plus", worst, 1e-15);
  CHECK_LE(worst, 1e-15);
}

/* Sums of up to 9 products of numbers below 2: 32 eps. */
static void test_actions(void **state) {
  (void)state;
  check_rng rng = {13};
  double worst = 0;
  for (int i = 0; i < 200; i++) {
    twist h = random_twist(&rng), k = random_twist(&rng), g = random_twist(&rng);
    se3 H = se3_exp(h);
    m6 A = se3_adjoint(H), B = se3_adjoint_inverse(H), C = se3_ad(h);
    const double gaps[] = {
        tw_gap(se3_adjoint_apply(H, k), m6_mulv(A, k)),
        tw_gap(se3_adjoint_inverse_apply(H, k), m6_mulv(B, k)),
        tw_gap(se3_adjoint_transpose_apply(H, k), m6_tmulv(A, k)),
        tw_gap(se3_adjoint_inverse_transpose_apply(H, k), m6_tmulv(B, k)),
        tw_gap(se3_ad_apply(h, k), m6_mulv(C, k)),
        tw_gap(se3_adT_apply(h, k), m6_tmulv(C, k)),
        tw_gap(m6_mulv(se3_breve(k), h), m6_tmulv(C, k)),
        tw_gap(r3so3_adjoint_apply(H, k), m6_mulv(r3so3_adjoint(H), k)),
        tw_gap(r3so3_adjoint_inverse_apply(H, k), m6_mulv(r3so3_adjoint_inverse(H), k)),
        tw_gap(r3so3_ad_apply(h, k), m6_mulv(r3so3_ad(h), k)),
        tw_gap(r3so3_adT_apply(h, k), m6_tmulv(r3so3_ad(h), k)),
        v3_norm(v3_sub(se3_point(H, g.lin), se3_compose(H, (se3){so3_identity(), g.lin}).x)),
    };
    for (size_t j = 0; j < sizeof gaps / sizeof gaps[0]; j++) worst = check_max(worst, gaps[j]);
  }
  check_report("actions against matrices", worst, 32 * CHECK_EPS);
  CHECK_LE(worst, 32 * CHECK_EPS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sizes),
      cmocka_unit_test(test_table),
      cmocka_unit_test(test_unit_length),
      cmocka_unit_test(test_actions),
  };
  return cmocka_run_group_tests_name("lie group table", tests, NULL, NULL);
}
