/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/integrator.h>

#include "check.h"

static void check_fine(const torsor_alpha *a) {
  CHECK_INT(torsor_alpha_check_order(a, NULL), TORSOR_OK);
  CHECK_INT(torsor_alpha_check_stability(a, true, NULL), TORSOR_OK);
  CHECK_INT(torsor_alpha_check_stability(a, false, NULL), TORSOR_OK);
}

/* Chung and Hulbert's parameters, S4 eq. 52. */
static void test_chung_hulbert(void **state) {
  (void)state;
  const torsor_alpha a = torsor_alpha_chung_hulbert(0.9);
  CHECK_NEAR(a.alpha_m, 0.8 / 1.9, 2 * CHECK_EPS);
  CHECK_NEAR(a.alpha_f, 0.9 / 1.9, 2 * CHECK_EPS);
  CHECK_NEAR(a.gamma, 0.5 + 0.1 / 1.9, 2 * CHECK_EPS);
  CHECK_NEAR(a.beta, 1 / (1.9 * 1.9), 2 * CHECK_EPS);
  for (int i = 0; i < 1000; ++i) {
    const torsor_alpha b = torsor_alpha_chung_hulbert(0.999 * i / 999);
    check_fine(&b);
  }
}

static void test_hht_and_newmark(void **state) {
  (void)state;
  const torsor_alpha a = torsor_alpha_hht(-0.1);
  CHECK_NEAR(a.alpha_m, 0, 0);
  CHECK_NEAR(a.alpha_f, 0.1, 0);
  CHECK_NEAR(a.gamma, 0.6, CHECK_EPS);
  CHECK_NEAR(a.beta, 1.21 / 4, CHECK_EPS);
  check_fine(&a);
  const torsor_alpha b = torsor_alpha_hht(-1.0 / 3);
  check_fine(&b);
  const torsor_alpha c = torsor_alpha_newmark(0.25, 0.5);
  CHECK_NEAR(c.beta + c.gamma, 0.75, 0);
  CHECK_NEAR(fabs(c.alpha_m) + fabs(c.alpha_f), 0, 0);
}

static void check_unstable(torsor_alpha a, bool constrained, const char *message,
                           const char *hint) {
  torsor_error error = {0};
  CHECK_INT(torsor_alpha_check_stability(&a, constrained, &error), TORSOR_ARGUMENT);
  CHECK_INT(error.status, TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, message);
  CHECK_CONTAINS(error.hint, hint);
  CHECK_INT(torsor_alpha_check_stability(&a, constrained, NULL), TORSOR_ARGUMENT);
}

/* Each condition of S4 eq. 12 and 50 alone, with its numbers. */
static void test_conditions(void **state) {
  (void)state;
  const torsor_alpha good = torsor_alpha_chung_hulbert(0.5);
  torsor_alpha a = good;
  torsor_error error = {0};
  a.gamma += 1e-12;
  CHECK_INT(torsor_alpha_check_order(&a, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "gamma = 0.833333, but 1/2 + alpha_f - alpha_m = 0.833333");
  CHECK_CONTAINS(error.hint, "gamma = 0.833333333333333");
  a = good;
  a.alpha_f = 0.5;
  check_unstable(a, true, "alpha_f = 0.5 is not < 1/2", "\"rho_inf\": 0.9");
  a = good;
  a.alpha_m = a.alpha_f;
  check_unstable(a, true, "alpha_m = 0.333333 is not < alpha_f = 0.333333", "would not decay");
  a = good;
  a.beta = 0.25 + 0.5 * (a.alpha_f - a.alpha_m);
  check_unstable(a, true, "1/4 + (alpha_f - alpha_m)/2 = 0.416667 is not < beta = 0.416667", "");
  CHECK_INT(torsor_alpha_check_stability(&a, false, NULL), TORSOR_OK);
  a.beta -= 0.01;
  check_unstable(a, false, "0.416667 is not <= beta = 0.406667", "large steps");
}

/* Methods without damping: fine without constraints, excluded by S4 eq. 50 with them. */
static void test_no_damping(void **state) {
  (void)state;
  const torsor_alpha undamped[] = {torsor_alpha_chung_hulbert(1), torsor_alpha_hht(0),
                                   torsor_alpha_newmark(0.25, 0.5)};
  for (size_t i = 0; i < sizeof undamped / sizeof *undamped; ++i) {
    CHECK_INT(torsor_alpha_check_order(&undamped[i], NULL), TORSOR_OK);
    CHECK_INT(torsor_alpha_check_stability(&undamped[i], false, NULL), TORSOR_OK);
    CHECK_INT(torsor_alpha_check_stability(&undamped[i], true, NULL), TORSOR_ARGUMENT);
  }
  const torsor_alpha damped = torsor_alpha_newmark(0.3025, 0.6);
  CHECK_INT(torsor_alpha_check_order(&damped, NULL), TORSOR_ARGUMENT);
  CHECK_INT(torsor_alpha_check_stability(&damped, false, NULL), TORSOR_OK);
}

/* The spectral radius of T+^-1 T0 (S4 eq. 46) is rho_inf: a triple eigenvalue -rho_inf. */
static void test_spectrum(void **state) {
  (void)state;
  const double rhos[] = {0, 0.3, 0.6, 0.9, 0.99};
  for (size_t i = 0; i < sizeof rhos / sizeof rhos[0]; ++i) {
    const torsor_alpha p = torsor_alpha_chung_hulbert(rhos[i]);
    /* det(zeta T+ - T0) by expansion at zeta = -rho: it and its first derivatives vanish. */
    double value[3];
    for (int k = 0; k < 3; ++k) {
      const double e = 1e-3 * (k - 1), z = -rhos[i] + e;
      const double m[3][3] = {
          {-1, 0, -z * p.beta - (0.5 - p.beta)},
          {z - 1, 0, -z * p.gamma - (1 - p.gamma)},
          {0, z * (1 - p.alpha_f) + p.alpha_f, z * (1 - p.alpha_m) + p.alpha_m}};
      value[k] = -m[2][1] * (m[0][0] * m[1][2] - m[0][2] * m[1][0]);
    }
    /* A triple root leaves e^3 times the leading coefficient, at most 1 here. */
    for (int k = 0; k < 3; ++k) CHECK_NEAR(value[k], 0, 1.5e-9);
    CHECK_NEAR(value[1], 0, 4 * CHECK_EPS);
  }
}

static void check_create_refused(torsor_settings s, const char *message) {
  torsor_integrator *integrator;
  torsor_error error = {0};
  const torsor_problem none = {.nq = 1, .nv = 1};
  CHECK_INT(torsor_integrator_create(&integrator, &none, &s, &error), TORSOR_ARGUMENT);
  CHECK_TRUE(integrator == NULL);
  CHECK_CONTAINS(error.message, message);
}

static void test_settings(void **state) {
  (void)state;
  torsor_settings s = torsor_settings_default();
  s.step = 0;
  check_create_refused(s, "step = 0");
  s.step = (double)INFINITY;
  check_create_refused(s, "step = inf");
  s = torsor_settings_default();
  s.rtol = -1;
  check_create_refused(s, "rtol = -1");
  s = torsor_settings_default();
  s.max_iterations = 0;
  check_create_refused(s, "max_iterations");
  s = torsor_settings_default();
  s.max_halvings = 41;
  check_create_refused(s, "max_halvings = 41 is not possible: give 0 to 40");
  s = torsor_settings_default();
  s.formulation = (torsor_formulation)7;
  check_create_refused(s, "formulation 7");
  s = torsor_settings_default();
  s.start = (torsor_start)9;
  check_create_refused(s, "start 9");
  s = torsor_settings_default();
  s.mass_alpha = (torsor_mass_alpha)3;
  check_create_refused(s, "mass_alpha 3");
  s = torsor_settings_default();
  s.alpha.beta = 0;
  check_create_refused(s, "beta, gamma > 0");
  s = torsor_settings_default();
  s.method = "generalised_alpha";
  torsor_integrator *integrator;
  torsor_error error = {0};
  const torsor_problem none = {.nq = 1, .nv = 1};
  CHECK_INT(torsor_integrator_create(&integrator, &none, &s, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "unknown method \"generalised_alpha\"");
  CHECK_CONTAINS(error.hint, "did you mean \"generalized_alpha\"?");
  s.method = NULL;
  check_create_refused(s, "unknown method");
}

/* A setting that the method does not know is refused, not ignored. */
static void test_unknown_settings(void **state) {
  (void)state;
  torsor_settings s = torsor_settings_default();
  s.mass_alpha = TORSOR_MASS_EVALUATED;
  check_create_refused(s, "\"generalized_alpha\" does not know \"mass_alpha\"");
  s = torsor_settings_default();
  s.additive = true;
  check_create_refused(s, "\"generalized_alpha\" does not know \"additive\"");
  s = torsor_settings_default();
  s.uncorrected = true;
  check_create_refused(s, "\"generalized_alpha\" does not know \"step_correction\"");
  s = torsor_settings_default();
  s.method = "soi2";
  s.formulation = TORSOR_GGL;
  check_create_refused(s, "\"soi2\" does not know \"formulation\"");
  s = torsor_settings_default();
  s.method = "radau";
  s.multipliers = TORSOR_MULTIPLIERS_METHOD;
  check_create_refused(s, "\"radau\" does not know \"multipliers\"");
  s.multipliers = (torsor_multipliers)5;
  check_create_refused(s, "unknown multipliers 5");
  s = torsor_settings_default();
  s.reaction = TORSOR_REACTION_MIDPOINT;
  check_create_refused(s, "\"generalized_alpha\" does not know \"reaction\"");
  s.reaction = (torsor_reaction)4;
  check_create_refused(s, "unknown reaction 4");
  s = torsor_settings_default();
  s.reaction_weight = 0.3;
  check_create_refused(s, "\"generalized_alpha\" does not know \"reaction_weight\"");
  s.method = "hht_odae";
  check_create_refused(s, "parameters of HHT only");
  s.alpha = torsor_alpha_hht(-0.1);
  s.reaction_weight = 0.5;
  check_create_refused(s, "a number other than 1/2");
  s.reaction_weight = 0.3;
  s.reaction = TORSOR_REACTION_MIDPOINT;
  check_create_refused(s, "no meaning for a reaction at the midpoint");
  CHECK_TRUE(torsor_method_takes("generalized_alpha", "formulation"));
  CHECK_TRUE(torsor_method_takes("soi2", "step_correction"));
  CHECK_FALSE(torsor_method_takes("soi2", "step"));
  CHECK_FALSE(torsor_method_takes("soi3", "start"));
  CHECK_FALSE(torsor_method_takes(NULL, "start"));
}

static void test_methods(void **state) {
  (void)state;
  int count = 0;
  while (torsor_method_name(count)) {
    CHECK_TRUE(torsor_method_title(count) != NULL);
    ++count;
  }
  CHECK_TRUE(count >= 2);
  CHECK_STR(torsor_method_name(0), torsor_settings_default().method);
  CHECK_TRUE(torsor_method_title(count) == NULL && torsor_method_name(-1) == NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_chung_hulbert),    cmocka_unit_test(test_hht_and_newmark),
      cmocka_unit_test(test_conditions),       cmocka_unit_test(test_no_damping),
      cmocka_unit_test(test_spectrum),         cmocka_unit_test(test_settings),
      cmocka_unit_test(test_unknown_settings), cmocka_unit_test(test_methods)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
