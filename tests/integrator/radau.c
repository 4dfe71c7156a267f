/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Radau IIA: the tableau and the matrix of its iteration, order 5 of all that it gives, round-off
 * in the constraints, errors in proportion to what is asked for, stiff springs, dependent rows. */
#include <complex.h>
#include <stdlib.h>

#include "check.h"
#include "integrator/radau_kit.h"
#include "problems/pendulum.h"
#include "problems/problem.h"
#include "problems/stiff_spring.h"
#include "problems/trial.h"

enum { S = RADAU_STAGES };

/* ---- the tableau and the iteration -------------------------------------------------------- */

static void test_tableau(void **state) {
  (void)state;
  double worst = 0;
  for (int k = 1; k <= 5; ++k) {
    for (int i = 0; i < S; ++i) {
      double sum = 0;
      for (int j = 0; j < S; ++j) sum += radau_matrix[i][j] * pow(radau_node[j], k - 1);
      /* Stages are collocated to order 3, the last one is of order 5. */
      if (k <= 3 || i == S - 1) worst = check_max(worst, fabs(sum - pow(radau_node[i], k) / k));
    }
  }
  print_message("  quadrature off by %.1e\n", worst);
  CHECK_LE(worst, 4 * DBL_EPSILON);
}

/* out = L^-1 X, L lower triangular. */
static void solve_lower(double complex out[S][S], double complex L[S][S], double complex X[S][S]) {
  for (int k = 0; k < S; ++k)
    for (int i = 0; i < S; ++i) {
      out[i][k] = X[i][k];
      for (int j = 0; j < i; ++j) out[i][k] -= L[i][j] * out[j][k];
      out[i][k] /= L[i][i];
    }
}

static void multiply(double complex out[S][S], double complex X[S][S], double complex Y[S][S]) {
  for (int i = 0; i < S; ++i)
    for (int k = 0; k < S; ++k) {
      out[i][k] = 0;
      for (int j = 0; j < S; ++j) out[i][k] += X[i][j] * Y[j][k];
    }
}

static double norm(double complex X[S][S]) {
  double sum = 0;
  for (int i = 0; i < S; ++i)
    for (int j = 0; j < S; ++j) sum += creal(X[i][j] * conj(X[i][j]));
  return sqrt(sum);
}

/* Computes the iteration matrix of a sweep, which multiplies its error: z (I - z L)^-1 (A - L), or
 * its limit for large z. */
static void find_sweep(double complex out[S][S], double complex z, bool limit) {
  double complex left[S][S], right[S][S];
  for (int i = 0; i < S; ++i)
    for (int j = 0; j < S; ++j) {
      const double L = radau_iteration[i][j];
      left[i][j] = limit ? -L : (i == j) - z * L;
      right[i][j] = (limit ? 1 : z) * (radau_matrix[i][j] - L);
    }
  solve_lower(out, left, right);
}

/* |X^64|^(1/64): within 3 % of the spectral radius for matrices that are as little skew as
 * these. */
static double radius(double complex X[S][S]) {
  double complex power[2][S][S];
  memcpy(power[0], X, sizeof power[0]);
  for (int k = 0; k < 6; ++k) multiply(power[(k + 1) % 2], power[k % 2], power[k % 2]);
  return pow(norm(power[0]), 1.0 / 64);
}

static void test_iteration(void **state) {
  (void)state;
  double complex E[S][S], E2[S][S], E3[S][S];
  find_sweep(E, 0, true);
  multiply(E2, E, E);
  multiply(E3, E2, E);
  /* Entries of the matrix are given to 1e-15. */
  print_message("  constraints: |E| = %.3f, |E^2| = %.4f, |E^3| = %.1e\n", norm(E), norm(E2),
                norm(E3));
  CHECK_LE(norm(E3), 1e-14);
  CHECK_LE(norm(E2), 0.1);
  const double complex imaginary = csqrt(-1);
  double worst = 0, where = 0;
  for (double y = 1e-3; y < 1e6; y *= 1.05) {
    /* Analytic in the left half plane: the largest radius is on its border. */
    find_sweep(E, (double complex)y * imaginary, false);
    const double rho = radius(E);
    if (rho > worst) where = y;
    worst = check_max(worst, rho);
  }
  find_sweep(E, 1e-6 * imaginary, false);
  print_message("  spectral radius at most %.3f, at h omega = %.2f; %.3f h omega near 0\n", worst,
                where, radius(E) / 1e-6);
  CHECK_LE(worst, 0.34);
}

/* ---- orders ------------------------------------------------------------------------------- */

enum { PARTS = 8 };

static torsor_settings settings_of(double step) {
  torsor_settings s = torsor_settings_default();
  s.method = "radau";
  s.step = step;
  return s;
}

static double part_error(const problem_signal *g, const torsor_state *now,
                         const problem_state *exact) {
  const double *a[] = {now->q, now->v, now->a, now->lambda};
  const double *b[] = {exact->q, exact->v, exact->a, exact->lambda};
  double same = 0, other = 0;
  for (int i = g->first; i < g->first + g->count; ++i) {
    same += pow(a[g->of][i] - b[g->of][i], 2);
    other += pow(a[g->of][i] + b[g->of][i], 2);
  }
  return sqrt(g->quaternion ? fmin(same, other) : same);
}

/* Errors of all signals at the end of the problem; largest residuals of constraints on the way, and
 * what Newton may leave of theta and v in a step. */
static void run(double error[PARTS], double drift[4], const problem *p, const problem_state *exact,
                int steps) {
  const torsor_dense d = p->dense();
  const torsor_settings s = settings_of(p->end / steps);
  trial t = trial_open(&d, &s, exact[0].q, exact[0].v);
  torsor_state now = torsor_integrator_state(t.integrator);
  for (int i = 0; i < 4; ++i) drift[i] = 0;
  for (int n = 0; n < steps; ++n) {
    double phi[PROBLEM_SIZE], phi_v[PROBLEM_SIZE];
    now = trial_step(&t);
    const torsor_point at = {.t = now.t, .q = now.q, .v = now.v, .a = now.a, .lambda = now.lambda};
    CHECK_INT(t.problem->residual(t.problem->self, &at, NULL, phi, phi_v), TORSOR_OK);
    for (int i = 0; i < d.nl; ++i) {
      drift[0] = check_max(drift[0], fabs(phi[i]));
      drift[1] = check_max(drift[1], fabs(phi_v[i]));
    }
    for (int i = 0; i < d.nv; ++i) {
      drift[2] = check_max(drift[2], 1e-11 * s.step * fabs(now.v[i]));
      drift[3] = check_max(drift[3], 1e-11 * s.step * (fabs(now.a[i]) + now.v[i] * now.v[i]));
    }
  }
  for (int i = 0; p->signals[i].name; ++i) error[i] = part_error(&p->signals[i], &now, &exact[1]);
  trial_close(&t);
}

/* Steps where the error is far above what rounding leaves and below what is not yet of its order.
 * The accelerations of problems without `hidden` of their own come from differences, good to
 * 1e-10. */
static const struct {
  const char *name;
  int steps;
  double a_floor;
} cases[] = {{"pendulum", 20, 0},       {"pendulum-0.2", 20, 0}, {"heavy-top", 1000, 0},
             {"heavy-top-se3", 500, 0}, {"jay-7.1", 20, 1e-9},   {"rolling-disk", 200, 0},
             {"hht-5.1", 10, 1e-9},     {"hht-5.2", 320, 0},     {"soi2-8", 10, 1e-9}};

static const problem *find_problem(const char *name) {
  for (int i = 0; problem_at(i); ++i)
    if (strcmp(problem_at(i)->name, name) == 0) return problem_at(i);
  return NULL;
}

static void test_orders(void **state) {
  (void)state;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
    const problem *p = find_problem(cases[c].name);
    problem_state exact[2];
    double before[PARTS], now[PARTS], drift[4];
    CHECK_INT(p->solve(exact, 2, p->end), TORSOR_OK);
    run(before, drift, p, exact, cases[c].steps);
    run(now, drift, p, exact, 2 * cases[c].steps);
    print_message("  %-13s", p->name);
    for (int i = 0; p->signals[i].name; ++i) {
      const double order = log2(before[i] / now[i]);
      print_message(" %s %.1e (%.2f)", p->signals[i].name, now[i], order);
      if (p->signals[i].of >= PROBLEM_A && now[i] < cases[c].a_floor) continue;
      /* Those of accelerations come near what differences give. */
      if (p->signals[i].of < PROBLEM_A) CHECK_NEAR(order, 5, 0.4);
      CHECK_GE(order, 4.6);
    }
    print_message(" Phi %.0e, its rate %.0e\n", drift[0], drift[1]);
    /* The drift is at most Newton's remaining error times |B| of up to 10, or rounding; the rate is
     * D(B v)[theta] + B v, the first with another |v|. */
    CHECK_LE(drift[0], 10 * drift[2] + 1e-14);
    CHECK_LE(drift[1], 10 * drift[3] + 1e-13);
  }
}

/* q = t^3 is a collocation polynomial. */
static void test_cubic(void **state) {
  (void)state;
  const problem *p = find_problem("t3");
  problem_state exact[2];
  double error[PARTS], drift[4];
  CHECK_INT(p->solve(exact, 2, p->end), TORSOR_OK);
  run(error, drift, p, exact, 10);
  print_message("  q %.1e v %.1e a %.1e lambda %.1e\n", error[0], error[1], error[2], error[3]);
  for (int i = 0; i < 4; ++i) CHECK_LE(error[i], 1e-14 * 6);
}

/* References of 1e-12: the steps at which rounding takes over. */
static void test_references(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int steps;
    double bound;
  } fine[] = {{"pendulum-0.2", 160, 4e-12},
              {"hht-5.1", 160, 4e-12},
              {"soi2-8", 160, 4e-12},
              {"jay-7.1", 320, 4e-12}};
  for (size_t c = 0; c < sizeof fine / sizeof *fine; ++c) {
    const problem *p = find_problem(fine[c].name);
    problem_state exact[2];
    double error[PARTS], drift[4];
    CHECK_INT(p->solve(exact, 2, p->end), TORSOR_OK);
    run(error, drift, p, exact, fine[c].steps);
    print_message("  %-13s %d steps: q %.1e v %.1e\n", p->name, fine[c].steps, error[0], error[1]);
    CHECK_LE(error[0], fine[c].bound);
    CHECK_LE(error[1], fine[c].bound);
  }
}

/* ---- step-size control -------------------------------------------------------------------- */

/* The error follows what is allowed, over seven decades. */
static void test_accuracy(void **state) {
  (void)state;
  static const char *const names[] = {"pendulum-0.2", "soi2-8", "hht-5.1", "heavy-top"};
  for (size_t c = 0; c < sizeof names / sizeof *names; ++c) {
    const problem *p = find_problem(names[c]);
    problem_state exact[11];
    CHECK_INT(p->solve(exact, 11, p->end / 10), TORSOR_OK);
    for (int k = 3; k <= 10; ++k) {
      const torsor_dense d = p->dense();
      const double accuracy = pow(10, -k);
      torsor_settings s = settings_of(p->end / 10);
      s.accuracy = (torsor_accuracy){accuracy, accuracy, 0};
      s.max_halvings = 20;
      trial t = trial_open(&d, &s, exact[0].q, exact[0].v);
      double error = 0;
      for (int n = 1; n <= 10; ++n) {
        const torsor_state now = trial_step(&t);
        const problem_signal q = {"q", PROBLEM_Q, 0, c < 3 ? 2 : 3, false};
        error = check_max(error, part_error(&q, &now, &exact[n]));
      }
      const torsor_counters r = torsor_integrator_counters(t.integrator);
      print_message("  %-13s %.0e: error %.1e, %ld steps of %.1e to %.1e, %ld rejected, %.1f "
                    "iterations a step\n",
                    p->name, accuracy, error, r.steps, r.smallest_step, r.largest_step,
                    r.rejected_steps, (double)r.newton_iterations / (double)r.steps);
      trial_close(&t);
      /* Local errors add up to 0.01 to 10 times what is allowed; steps end on the grid of ten. */
      CHECK_LE(error, 20 * accuracy * p->end);
      if (r.steps > 30) CHECK_GE(error, accuracy * p->end / 200);
    }
  }
}

/* ---- matrices ----------------------------------------------------------------------------- */

/* Stages share a matrix where that contracts: with 1 ms the heavy top turns by 0.15 rad a step, and
 * a matrix or two serve a step, where matrices of their own are three for each of two sweeps at
 * least.  With 5 ms it turns by 0.75 rad, and only matrices of their own contract: no step is
 * refused for that. */
static void test_matrices(void **state) {
  (void)state;
  const struct {
    double h, rtol;
    int steps;
    double most; /* factorisations a step */
  } run_of[] = {{1e-3, 1e-5, 300, 3}, {5e-3, 1e-8, 60, HUGE_VAL}};
  const problem *p = find_problem("heavy-top");
  for (size_t k = 0; k < sizeof run_of / sizeof *run_of; ++k) {
    problem_state exact[2];
    CHECK_INT(p->solve(exact, 2, p->end), TORSOR_OK);
    const torsor_dense d = p->dense();
    torsor_settings s = settings_of(run_of[k].h);
    s.rtol = run_of[k].rtol;
    s.max_halvings = 20;
    trial t = trial_open(&d, &s, exact[0].q, exact[0].v);
    for (int n = 0; n < run_of[k].steps; ++n) trial_step(&t);
    const torsor_counters c = torsor_integrator_counters(t.integrator);
    const double each = (double)c.factorizations / (double)c.steps;
    print_message("  h = %g: %.2f factorisations and %.2f sweeps a step, %ld rejected\n",
                  run_of[k].h, each, (double)c.newton_iterations / (double)c.steps,
                  c.rejected_steps);
    trial_close(&t);
    CHECK_LE(each, run_of[k].most);
    CHECK_INT(c.rejected_steps, 0);
  }
}

/* ---- stiffness ---------------------------------------------------------------------------- */

static double energy(const double *q, const double *v, double stiffness) {
  const double stretch = hypot(q[0], q[1]) - 1;
  return (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + stiffness * stretch * stretch) / 2 +
         9.81 * q[1];
}

/* Stable with a stiff spring: energy is not gained, and of the smooth motion little is lost. */
static void test_stiff(void **state) {
  (void)state;
  const double h = 0.01;
  for (double omega = 1; omega < 2e3; omega *= 10) {
    double stiffness = pow(omega / h, 2);
    const torsor_dense d = stiff_spring_dense(&stiffness);
    const torsor_settings s = settings_of(h);
    const double q[3] = {0.6, -0.8, -0.48}, v[3] = {0, 0, 0};
    trial t = trial_open(&d, &s, q, v);
    double gained = 0, last = 0;
    for (int n = 0; n < 200; ++n) {
      const torsor_state now = trial_step(&t);
      last = energy(now.q, now.v, stiffness) - energy(q, v, stiffness);
      gained = check_max(gained, last);
    }
    const torsor_counters c = torsor_integrator_counters(t.integrator);
    print_message("  h omega = %-6g energy gained at most %.1e, at the end %.1e; %.1f iterations, "
                  "%ld rejected\n",
                  omega, gained, last, (double)c.newton_iterations / (double)c.steps,
                  c.rejected_steps);
    trial_close(&t);
    /* The oscillations that the start excites have energies up to (9.81)^2/stiffness. */
    CHECK_LE(gained, 1e-3);
    CHECK_LE(fabs(last), 0.02);
  }
}

/* ---- dependent rows ----------------------------------------------------------------------- */

static void twice(void *data, double t, const double *q, double *phi) {
  pendulum_dense().constraint(data, t, q, phi);
  phi[1] = phi[0];
}

static void gradient_twice(void *data, double t, const double *q, double *B) {
  pendulum_dense().gradient(data, t, q, B);
  B[2] = B[0];
  B[3] = B[1];
}

static void test_dependent(void **state) {
  (void)state;
  torsor_dense once = pendulum_dense(), d = once;
  d.nl = 2;
  d.redundant = true;
  d.constraint = twice;
  d.gradient = gradient_twice;
  d.hidden = NULL;
  const torsor_settings s = settings_of(0.02);
  double q[2], v[2];
  pendulum_initial(q, v, 0.2);
  trial a = trial_open(&d, &s, q, v), b = trial_open(&once, &s, q, v);
  double off = 0, lambda = 0;
  for (int n = 0; n < 50; ++n) {
    const torsor_state x = trial_step(&a), y = trial_step(&b);
    for (int i = 0; i < 2; ++i) off = check_max(off, fabs(x.q[i] - y.q[i]));
    lambda = check_max(lambda, fabs(x.lambda[0] + x.lambda[1] - y.lambda[0]));
  }
  print_message("  a row given twice: q off by %.1e, lambda by %.1e\n", off, lambda);
  /* Newton stops at 1e-11 of v'; lambda follows phi_a by differences. */
  CHECK_LE(off, 1e-11);
  CHECK_LE(lambda, 1e-8);
  trial_close(&a);
  trial_close(&b);
}

/* ---- refusals ----------------------------------------------------------------------------- */

static void check_refused(const torsor_settings *s, const char *why) {
  const torsor_dense d = pendulum_dense();
  torsor_problem *made;
  torsor_integrator *it;
  torsor_error error = {0};
  CHECK_INT(torsor_dense_create(&made, &d, &error), TORSOR_OK);
  CHECK_INT(torsor_integrator_create(&it, made, s, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, why);
  torsor_dense_destroy(made);
}

static void test_refusals(void **state) {
  (void)state;
  torsor_settings s = settings_of(0.1);
  s.alpha = torsor_alpha_chung_hulbert(0.5);
  check_refused(&s, "has no parameters");
  s = settings_of(0.1);
  s.formulation = TORSOR_GGL;
  check_refused(&s, "does not know \"formulation\"");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_tableau),    cmocka_unit_test(test_iteration),
      cmocka_unit_test(test_orders),     cmocka_unit_test(test_cubic),
      cmocka_unit_test(test_references), cmocka_unit_test(test_accuracy),
      cmocka_unit_test(test_stiff),      cmocka_unit_test(test_dependent),
      cmocka_unit_test(test_refusals),   cmocka_unit_test(test_matrices),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
