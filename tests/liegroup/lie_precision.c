/* SPDX-License-Identifier: GPL-3.0-or-later */

/* exp, log, T, T^-1 and their derivatives on SO(3) and SE(3) against 60-digit values, at rotation
 * angles 0, 1e-300, 1e-160, 1e-12 ... 1e-1, ... pi, ... 6.
 *
 * An entry is a sum of products; its error is compared with eps times the sum of the sizes of these
 * products ("scale"), entry by entry in size: an off-diagonal entry of T(w) has the scale
 * |a||w| + |b||w|^2, so that tiny rotations are held to relative accuracy as well.
 * Bound: coefficient 4 eps (tests/liegroup/lie_coefficients.c; 8 for second derivatives of T^-1),
 * rounding of x = |w|^2 at most 1, and half an eps for each of at most 6 operations: 8, or 12.  For
 * T^-1 times the condition number 4 pi^2/(4 pi^2 - x) of its pole.
 */

#include "check.h"
#include "lie_table.h"

#include <torsor/lie.h>

#define POINTS (sizeof lie_point_table / sizeof lie_point_table[0])

static const double bound = 8, bound2 = 12;

/* Sizes of the coefficients and vectors that the entries are made of. */
struct sizes {
  lie_map m; /* absolute values */
  double w, u, a, b, pole;
};

static struct sizes sizes_of(const struct lie_point *p, lie_map m) {
  twist h = tw_load(p->h), k = tw_load(p->k);
  double x = v3_norm2(h.ang);
  return (struct sizes){.m = {.a = fabs(m.a),
                              .b = fabs(m.b),
                              .a1 = fabs(m.a1),
                              .b1 = fabs(m.b1),
                              .a2 = fabs(m.a2),
                              .b2 = fabs(m.b2)},
                        .w = v3_norm(h.ang),
                        .u = v3_norm(h.lin),
                        .a = v3_norm(k.lin),
                        .b = v3_norm(k.ang),
                        .pole = 39.47841760435743 / (39.47841760435743 - x)};
}

/* Scales of W-matrix, of its derivative along u, of its gradient applied to c, of the second. */
static double scale_map(struct sizes s) {
  return s.m.a * s.w + s.m.b * s.w * s.w;
}
static double scale_along(struct sizes s) {
  return s.m.a * s.u + 2 * s.m.b * s.u * s.w + s.w * s.u * (s.m.a1 * s.w + s.m.b1 * s.w * s.w);
}
static double scale_gradient(struct sizes s, double c) {
  return c * (s.m.a + 3 * s.m.b * s.w + s.w * (s.m.a1 * s.w + s.m.b1 * s.w * s.w));
}
static double scale_gradient2(struct sizes s, double c) {
  double first = s.m.a1 * s.w + s.m.b1 * s.w * s.w, second = s.m.a2 * s.w + s.m.b2 * s.w * s.w;
  return c * s.u *
         (3 * s.m.b + 3 * s.m.b1 * s.w * s.w + 2 * s.m.a1 * s.w + s.w * s.w * second + first);
}

/* Largest error of a 3x3 block in units of eps: scale off the diagonal, scale + `diagonal` on
 * it. */
static double block_error(m3 A, const double expected[9], double scale, double diagonal) {
  double worst = 0;
  for (int i = 0; i < 9; i++) {
    double error = fabs(A.m[i / 3][i % 3] - expected[i]);
    double unit = CHECK_EPS * (i % 4 == 0 ? scale + diagonal : scale);
    if (error != 0) worst = check_max(worst, error / unit);
  }
  return worst;
}

static double v3_error(v3 a, const double expected[3], double scale) {
  double error = v3_norm(v3_sub(a, v3_load(expected)));
  return error == 0 ? 0 : error / (CHECK_EPS * scale);
}

static void hold(const char *name, const double worst[], double limit) {
  double most = 0;
  for (size_t i = 0; i < POINTS; i++) most = check_max(most, worst[i]);
  check_report(name, most, limit);
  for (size_t i = 0; i < POINTS; i++) CHECK_LE(worst[i], limit);
}

static void test_exp(void **state) {
  (void)state;
  double angle[POINTS], axis[POINTS], matrix[POINTS], position[POINTS];
  for (size_t i = 0; i < POINTS; i++) {
    const struct lie_point *p = &lie_point_table[i];
    twist h = tw_load(p->h);
    se3 H = se3_exp(h);
    v3 q = {H.R.x, H.R.y, H.R.z};
    so3 expected = so3_load(p->R);
    angle[i] = fabs(H.R.w - expected.w) / CHECK_EPS;
    axis[i] = v3_error(q, p->R + 1, v3_norm(q) + 0.5 * v3_norm(h.ang) * fabs(H.R.w));
    position[i] = v3_error(H.x, p->position, v3_norm(h.lin) * (1 + v3_norm(h.ang) / 2));
    so3 R = so3_exp(h.ang);
    CHECK_TRUE(R.w == H.R.w && R.x == H.R.x && R.y == H.R.y && R.z == H.R.z);
    struct sizes s = sizes_of(p, lie_map_exp(v3_norm2(h.ang)));
    m3 reference = so3_matrix(expected);
    double entries[9];
    memcpy(entries, reference.m, sizeof entries);
    matrix[i] = block_error(so3_rodrigues(h.ang), entries, scale_map(s), 1);
  }
  hold("exp: cos(t/2), eps", angle, 2);
  hold("exp: vector part, eps (|sin(t/2)| + t/2 |cos(t/2)|)", axis, 4);
  hold("se3_exp: position, eps |u| (1 + |w|/2)", position, bound);
  hold("so3_rodrigues against the quaternion's matrix, eps", matrix, bound);
}

static void test_log(void **state) {
  (void)state;
  double rotation[POINTS], translation[POINTS];
  for (size_t i = 0; i < POINTS; i++) {
    const struct lie_point *p = &lie_point_table[i];
    twist h = se3_log((se3){so3_load(p->log_R), v3_load(p->log_x)});
    twist expected = tw_load(p->log);
    struct sizes s = sizes_of(p, lie_map_taninv(v3_norm2(h.ang)));
    double w = v3_norm(expected.ang), scale = 1 + w / 2 + s.m.b * w * w;
    rotation[i] = v3_error(h.ang, p->log + 3, v3_norm(expected.ang));
    translation[i] = v3_error(h.lin, p->log, v3_norm(v3_load(p->log_x)) * scale);
    v3 v = so3_log(so3_load(p->log_R));
    CHECK_TRUE(v.x == h.ang.x && v.y == h.ang.y && v.z == h.ang.z);
  }
  hold("log: rotation, eps |w|", rotation, 4);
  hold("se3_log: translation, eps |x| |T^-1|", translation, bound);
}

static void test_tan(void **state) {
  (void)state;
  double T3[POINTS], Tuw[POINTS], dT3[POINTS], dTuw[POINTS];
  for (size_t i = 0; i < POINTS; i++) {
    const struct lie_point *p = &lie_point_table[i];
    twist h = tw_load(p->h), k = tw_load(p->k);
    struct sizes s = sizes_of(p, lie_map_tan(v3_norm2(h.ang)));
    m6 T = se3_tan(h), D = se3_dtan(h, k);
    T3[i] = block_error(so3_tan(h.ang), p->T3, scale_map(s), 1);
    T3[i] = check_max(T3[i], block_error(m6_block(T, 0, 0), p->T3, scale_map(s), 1));
    T3[i] = check_max(T3[i], block_error(m6_block(T, 1, 1), p->T3, scale_map(s), 1));
    CHECK_NEAR(block_error(m6_block(T, 1, 0), (double[9]){0}, 1, 0), 0, 0);
    Tuw[i] = block_error(m6_block(T, 0, 1), p->Tuw, scale_along(s), 0);
    double scale = scale_gradient(s, s.b);
    dT3[i] = block_error(so3_dtan(h.ang, k.ang), p->dT3, scale, 0);
    dT3[i] = check_max(dT3[i], block_error(m6_block(D, 0, 0), p->dT3, scale, 0));
    dT3[i] = check_max(dT3[i], block_error(m6_block(D, 1, 1), p->dT3, scale, 0));
    scale = scale_gradient(s, s.a) + scale_gradient2(s, s.b);
    dTuw[i] = block_error(m6_block(D, 0, 1), p->dTuw, scale, 0);
  }
  hold("so3_tan, se3_tan diagonal blocks", T3, bound);
  hold("se3_tan coupling block", Tuw, bound);
  hold("so3_dtan, se3_dtan diagonal blocks", dT3, bound);
  hold("se3_dtan coupling block", dTuw, bound);
}

static void test_taninv(void **state) {
  (void)state;
  double T3[POINTS], Tuw[POINTS], dN3[POINTS], dNuw[POINTS];
  for (size_t i = 0; i < POINTS; i++) {
    const struct lie_point *p = &lie_point_table[i];
    twist h = tw_load(p->h), k = tw_load(p->k);
    struct sizes s = sizes_of(p, lie_map_taninv(v3_norm2(h.ang)));
    m6 T = se3_taninv(h), D = se3_dtaninvT(h, k);
    CHECK_TRUE(se3_taninv_defined(h));
    double scale = scale_map(s) * s.pole;
    T3[i] = block_error(so3_taninv(h.ang), p->T3inv, scale, 1);
    T3[i] = check_max(T3[i], block_error(m6_block(T, 0, 0), p->T3inv, scale, 1));
    T3[i] = check_max(T3[i], block_error(m6_block(T, 1, 1), p->T3inv, scale, 1));
    Tuw[i] = block_error(m6_block(T, 0, 1), p->Tuwinv, scale_along(s) * s.pole, 0);
    scale = scale_gradient(s, s.a) * s.pole;
    dN3[i] = block_error(so3_dtaninvT(h.ang, k.lin), p->dN3, scale, 0);
    dN3[i] = check_max(dN3[i], block_error(m6_block(D, 0, 1), p->dN3, scale, 0));
    dN3[i] = check_max(dN3[i], block_error(m6_block(D, 1, 0), p->dN3, scale, 0));
    scale = (scale_gradient(s, s.b) + scale_gradient2(s, s.a)) * s.pole;
    dNuw[i] = block_error(m6_block(D, 1, 1), p->dNuw, scale, 0);
  }
  hold("so3_taninv, se3_taninv diagonal blocks", T3, bound);
  hold("se3_taninv coupling block", Tuw, bound);
  hold("so3_dtaninvT, se3_dtaninvT force blocks", dN3, bound2);
  hold("se3_dtaninvT moment block", dNuw, bound2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_exp),
      cmocka_unit_test(test_log),
      cmocka_unit_test(test_tan),
      cmocka_unit_test(test_taninv),
  };
  return cmocka_run_group_tests_name("lie precision", tests, NULL, NULL);
}
