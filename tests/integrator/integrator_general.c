/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The most general problem: M(t, q), holonomic and nonholonomic rows together, k not linear in v,
 * forces not linear in the multipliers: second order of everything. */
#include "check.h"
#include "problems/soi2.h"
#include "problems/trial.h"

typedef struct errors {
  double of[5]; /* q, v, v', lambda, psi */
} errors;

static const char *const part[5] = {"q", "v", "a", "lambda", "psi"};

static double distance(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

static errors measure(torsor_formulation formulation, double rho, double h) {
  const torsor_dense dense = soi2_dense();
  torsor_settings s = trial_settings(h, formulation, TORSOR_START_PERTURBED, rho);
  s.rtol = 1e-11;
  double q[2], v[2], a[2], lambda[2];
  soi2_exact(0, q, v, a, lambda);
  trial t = trial_open(&dense, &s, q, v);
  errors e = {{0}};
  while (torsor_integrator_state(t.integrator).t < 1 - h / 2) {
    const torsor_state now = trial_step(&t);
    soi2_exact(now.t, q, v, a, lambda);
    const double off[5] = {distance(now.q, q, 2), distance(now.v, v, 2), distance(now.a, a, 2),
                           fabs(now.lambda[0] - lambda[0]), fabs(now.lambda[1] - lambda[1])};
    for (int k = 0; k < 5; ++k) e.of[k] = check_max(e.of[k], off[k]);
  }
  trial_close(&t);
  return e;
}

static void second_order(void **state) {
  (void)state;
  static const double rhos[] = {0.2, 0.9};
  for (int f = 0; f < 2; ++f)
    for (int r = 0; r < 2; ++r) {
      errors before = {{0}};
      for (int level = 0; level < 5; ++level) {
        const double h = ldexp(0.025, -level);
        const errors now = measure(f ? TORSOR_GGL : TORSOR_INDEX3, rhos[r], h);
        print_message("  %s rho %.1f h = %.2e:", f ? "ggl   " : "index3", rhos[r], h);
        for (int k = 0; k < 5; ++k) {
          const double slope = level ? log2(before.of[k] / now.of[k]) : 0;
          print_message("  |e_%s| %.2e (%.2f)", part[k], now.of[k], slope);
          if (level > 2) CHECK_ORDER(slope, 2, 0.1);
        }
        print_message("\n");
        before = now;
      }
    }
}

/* The start solves for multipliers that no linear system gives: from a guess that is off by up to a
 * half. */
static void nonlinear_start(void **state) {
  (void)state;
  static const double guess[2] = {0.8, 1.5};
  torsor_dense dense = soi2_dense();
  dense.lambda0 = guess;
  const torsor_settings s = trial_settings(1e-3, TORSOR_GGL, TORSOR_START_PERTURBED, 0.9);
  double q[2], v[2], a[2], lambda[2];
  soi2_exact(0, q, v, a, lambda);
  trial t = trial_open(&dense, &s, q, v);
  const torsor_state now = torsor_integrator_state(t.integrator);
  /* sums of ten terms of size up to 4, phi_a by differences: eps^(2/3) */
  check_report("accelerations at the start", distance(now.a, a, 2), 1e-9);
  check_report("multipliers at the start", distance(now.lambda, lambda, 2), 1e-9);
  CHECK_LE(distance(now.a, a, 2), 1e-9);
  CHECK_LE(distance(now.lambda, lambda, 2), 1e-9);
  trial_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(second_order),
      cmocka_unit_test(nonlinear_start),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
