/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Steps that fail: halving, recovery, exact output times, the reported place, the state kept. */

#include <torsor/integrator.h>

#include "check.h"
#include "problems/heavy_top.h"
#include "problems/pendulum.h"
#include "problems/trial.h"

/* A pendulum whose residual is undefined, between two times, after increments above a limit. */
typedef struct fragile {
  torsor_problem outer;
  torsor_problem *inner;
  double from, to, limit;
  torsor_status status; /* what it returns then */
  bool overdone;
  double longest, taken; /* steps refused at their end: longer than this; the last one taken */
  long accepted;
} fragile;

static void fragile_plus(void *self, double *q1, const double *q, const double *u) {
  fragile *f = self;
  f->overdone = hypot(u[0], u[1]) > f->limit;
  f->inner->plus(f->inner->self, q1, q, u);
}

static void fragile_bracket(void *self, double *out, const double *a, const double *b) {
  fragile *f = self;
  f->inner->bracket(f->inner->self, out, a, b);
}

static torsor_status fragile_residual(void *self, const torsor_point *p, double *r, double *phi,
                                      double *phi_v) {
  fragile *f = self;
  if (r && p->u && f->overdone && p->t > f->from && p->t < f->to) return f->status;
  return f->inner->residual(f->inner->self, p, r, phi, phi_v);
}

static torsor_status fragile_hidden(void *self, const torsor_point *p, double *phi_a) {
  fragile *f = self;
  return f->inner->hidden(f->inner->self, p, phi_a);
}

static torsor_status fragile_factor(void *self, const torsor_point *p, const torsor_weights *w) {
  fragile *f = self;
  return f->inner->factor(f->inner->self, p, w);
}

static torsor_status fragile_solve(void *self, double *x) {
  fragile *f = self;
  return f->inner->solve(f->inner->self, x);
}

static torsor_status fragile_freeze_gradient(void *self, double t, const double *q) {
  fragile *f = self;
  return f->inner->freeze_gradient(f->inner->self, t, q);
}

static void fragile_gradient_force(void *self, double *out, const double *s) {
  fragile *f = self;
  f->inner->gradient_force(f->inner->self, out, s);
}

/* Takes every step but those in the window of time that are longer than `longest`. */
static torsor_status fragile_accept(void *self, const torsor_point *p) {
  fragile *f = self;
  if (f->longest > 0 && p->t > f->from && p->t < f->to && p->t - f->taken > f->longest)
    return TORSOR_TURN;
  f->taken = p->t;
  ++f->accepted;
  return TORSOR_OK;
}

static const torsor_dense *pendulum(void) {
  static torsor_dense d;
  d = pendulum_dense();
  return &d;
}

static void fragile_open(fragile *f, double from, double to, double limit) {
  *f = (fragile){.from = from, .to = to, .limit = limit, .status = TORSOR_DOMAIN};
  CHECK_INT(torsor_dense_create(&f->inner, pendulum(), NULL), TORSOR_OK);
  f->outer = (torsor_problem){.self = f,
                              .nq = 2,
                              .nv = 2,
                              .nl = 1,
                              .length = 1,
                              .plus = fragile_plus,
                              .bracket = fragile_bracket,
                              .residual = fragile_residual,
                              .hidden = fragile_hidden,
                              .factor = fragile_factor,
                              .solve = fragile_solve,
                              .freeze_gradient = fragile_freeze_gradient,
                              .gradient_force = fragile_gradient_force,
                              .accept = fragile_accept};
}

static torsor_integrator *open_integrator(const fragile *f, const torsor_settings *s) {
  torsor_integrator *it;
  double q[2], v[2];
  pendulum_initial(q, v, 0.2);
  CHECK_INT(torsor_integrator_create(&it, &f->outer, s, NULL), TORSOR_OK);
  CHECK_INT(torsor_integrator_start(it, 0, q, v), TORSOR_OK);
  return it;
}

/* The windows lie where the pendulum passes its lowest point with speed 1: a limit of 0.3 h lets
 * steps of h/4 pass and no longer ones. */
static const double SHARE = 0.3;

/* Steps in the window are quartered, output times stay those of the grid, and the size recovers. */
static void test_halving(void **state) {
  (void)state;
  const double h = 0.01;
  for (int form = 0; form < 2; ++form) {
    fragile f;
    fragile_open(&f, 0.7401, 0.7899, SHARE * h);
    const torsor_settings s =
        trial_settings(h, (torsor_formulation)(TORSOR_INDEX3 + form), TORSOR_START_PERTURBED, 0.9);
    torsor_integrator *it = open_integrator(&f, &s);
    long steps_before = 0;
    for (int n = 1; n <= 100; ++n) {
      CHECK_INT(torsor_integrator_step(it), TORSOR_OK);
      CHECK_NEAR(torsor_integrator_state(it).t, n * h, 0);
      const long steps = torsor_integrator_counters(it).steps;
      if (n <= 74 || n > 81) CHECK_INT(steps - steps_before, 1);
      if (n > 74 && n <= 79) CHECK_GE((double)(steps - steps_before), 3);
      steps_before = steps;
    }
    const torsor_counters c = torsor_integrator_counters(it);
    print_message("  window of 5 steps: %ld steps, %ld rejected\n", c.steps, c.rejected_steps);
    CHECK_GE((double)c.rejected_steps, 2);
    /* At most two trials of double size per quartered pair. */
    CHECK_LE((double)c.rejected_steps, 2 + 5 * 2 * 2);
    torsor_integrator_destroy(it);
    torsor_dense_destroy(f.inner);
  }
}

/* A step that the problem refuses is halved like one that fails, and every step is taken once. */
static void test_refused(void **state) {
  (void)state;
  const double h = 0.01;
  fragile f;
  fragile_open(&f, 0.2, 0.2301, HUGE_VAL);
  f.longest = 0.3 * h;
  torsor_settings s = trial_settings(h, TORSOR_INDEX3, TORSOR_START_PERTURBED, 0.9);
  torsor_integrator *it = open_integrator(&f, &s);
  for (int n = 1; n <= 40; ++n) {
    CHECK_INT(torsor_integrator_step(it), TORSOR_OK);
    CHECK_NEAR(torsor_integrator_state(it).t, n * h, 0);
    CHECK_NEAR(f.taken, n * h, 0);
  }
  const torsor_counters c = torsor_integrator_counters(it);
  CHECK_INT(c.steps, f.accepted);
  CHECK_GE((double)c.steps, 37 + 3 * 4);
  CHECK_GE((double)c.rejected_steps, 2);
  CHECK_INT(torsor_integrator_failure(it).status, TORSOR_TURN);
  torsor_integrator_destroy(it);
  torsor_dense_destroy(f.inner);
}

/* Largest error of lambda and of q on [0.6, 1.2] with quartered steps in [0.72, 0.8]. */
static void window_errors(double *lambda, double *position, double h, torsor_formulation form,
                          bool window) {
  fragile f;
  fragile_open(&f, 0.72 + h / 100, 0.8 - h / 100, window ? SHARE * h : HUGE_VAL);
  const torsor_settings s = trial_settings(h, form, TORSOR_START_PERTURBED, 0.9);
  torsor_integrator *it = open_integrator(&f, &s);
  *lambda = *position = 0;
  const int steps = (int)lround(1.2 / h);
  for (int n = 1; n <= steps; ++n) {
    CHECK_INT(torsor_integrator_step(it), TORSOR_OK);
    const torsor_state st = torsor_integrator_state(it);
    double q[2], v[2];
    pendulum_motion(q, v, st.t, 0.2);
    if (2 * n < steps) continue;
    *lambda = fmax(*lambda, fabs(st.lambda[0] - pendulum_lambda(st.t, 0.2)));
    *position = fmax(*position, hypot(st.q[0] - q[0], st.q[1] - q[1]));
  }
  CHECK_TRUE((torsor_integrator_counters(it).rejected_steps > 0) == window);
  torsor_integrator_destroy(it);
  torsor_dense_destroy(f.inner);
}

/* Changing the step keeps order 2 of lambda too: a_n and, for index 3, v_n are carried over. */
static void test_order_through_changes(void **state) {
  (void)state;
  for (int form = 0; form < 2; ++form) {
    double last[2] = {0};
    /* Smaller steps, quartered, meet the rounding of positions over beta (h/4)^2. */
    for (int k = 0; k < 4; ++k) {
      const double h = ldexp(0.01, -k);
      double lambda, position, smooth, unused;
      window_errors(&lambda, &position, h, (torsor_formulation)(TORSOR_INDEX3 + form), true);
      window_errors(&smooth, &unused, h, (torsor_formulation)(TORSOR_INDEX3 + form), false);
      print_message("  %s h = %.3e: |e_lambda| %.3e (%.3e without changes), |e_q| %.3e",
                    form ? "ggl   " : "index3", h, lambda, smooth, position);
      if (k) print_message("  slopes %.3f %.3f", log2(last[0] / lambda), log2(last[1] / position));
      print_message("\n");
      /* One-sided: the window holds another number of steps for every size. */
      if (k) CHECK_GE(log2(last[0] / lambda), 1.9);
      if (k) CHECK_GE(log2(last[1] / position), 1.9);
      last[0] = lambda;
      last[1] = position;
    }
  }
}

static void check_exhausted(torsor_status given, int max_halvings) {
  const double h = 0.01;
  fragile f;
  fragile_open(&f, 0.2401, 1e9, 1e-9);
  f.status = given;
  torsor_settings s = trial_settings(h, TORSOR_INDEX3, TORSOR_START_PERTURBED, 0.9);
  s.max_halvings = max_halvings;
  torsor_integrator *it = open_integrator(&f, &s);
  for (int n = 1; n <= 24; ++n) CHECK_INT(torsor_integrator_step(it), TORSOR_OK);
  const torsor_state before = torsor_integrator_state(it);
  double kept[7] = {before.q[0], before.q[1], before.v[0],     before.v[1],
                    before.a[0], before.a[1], before.lambda[0]};
  CHECK_INT(torsor_integrator_step(it), given < 0 ? given : TORSOR_STEP);
  const torsor_state after = torsor_integrator_state(it);
  const double now[7] = {after.q[0], after.q[1], after.v[0],     after.v[1],
                         after.a[0], after.a[1], after.lambda[0]};
  CHECK_TRUE(memcmp(kept, now, sizeof kept) == 0);
  CHECK_NEAR(after.t, before.t, 0);
  const torsor_failure failure = torsor_integrator_failure(it);
  const int halvings = given < 0 ? 0 : max_halvings;
  CHECK_INT(failure.status, given);
  CHECK_NEAR(failure.h, ldexp(h, -halvings), 0);
  CHECK_NEAR(failure.t, 0.24 + failure.h, CHECK_EPS);
  CHECK_INT(torsor_integrator_counters(it).rejected_steps, halvings + 1);
  CHECK_INT(torsor_integrator_counters(it).steps, 24);
  /* Once the obstacle is gone the run goes on, onto the same grid. */
  f.limit = HUGE_VAL;
  for (int n = 25; n <= 40; ++n) {
    CHECK_INT(torsor_integrator_step(it), TORSOR_OK);
    CHECK_NEAR(torsor_integrator_state(it).t, n * h, 0);
  }
  const double error = torsor_integrator_state(it).lambda[0] - pendulum_lambda(0.4, 0.2);
  CHECK_LE(fabs(error), 2e-3); /* twice the error of the undisturbed run on [0, 2] */
  torsor_integrator_destroy(it);
  torsor_dense_destroy(f.inner);
}

static void test_exhausted(void **state) {
  (void)state;
  check_exhausted(TORSOR_DOMAIN, 0);
  check_exhausted(TORSOR_DOMAIN, 3);
  check_exhausted(TORSOR_SINGULAR, 2);
  check_exhausted(TORSOR_MEMORY, 3);
}

/* Too few iterations: NEWTON, with the worst velocity and constraint. */
static void test_failure(void **state) {
  (void)state;
  const torsor_dense d = heavy_top_dense(HEAVY_TOP_R3SO3);
  torsor_settings s = trial_settings(1e-3, TORSOR_INDEX3, TORSOR_START_PERTURBED, 0.9);
  s.max_iterations = 1;
  s.max_halvings = 1;
  double q[7], v[6];
  heavy_top_initial(q, v, HEAVY_TOP_R3SO3);
  trial t = trial_open(&d, &s, q, v);
  CHECK_INT(torsor_integrator_failure(t.integrator).velocity, -1);
  CHECK_INT(torsor_integrator_step(t.integrator), TORSOR_STEP);
  const torsor_failure f = torsor_integrator_failure(t.integrator);
  CHECK_INT(f.status, TORSOR_NEWTON);
  CHECK_INT(f.iterations, 1);
  CHECK_TRUE(f.velocity >= 0 && f.velocity < 6 && f.constraint >= 0 && f.constraint < 3);
  CHECK_GE(fabs(f.value), 1e-9);
  CHECK_LE(fabs(f.value), 1e-3);
  CHECK_NEAR(torsor_integrator_state(t.integrator).t, 0, 0);
  trial_close(&t);
}

static void nan_force(void *data, double t, const double *q, const double *v, double *g) {
  (void)data, (void)q, (void)v;
  g[0] = 0;
  g[1] = t > 0.055 ? (double)NAN : 9.81;
}

static void test_nonfinite(void **state) {
  (void)state;
  torsor_dense d = pendulum_dense();
  d.force = nan_force;
  const torsor_settings s = trial_settings(0.01, TORSOR_GGL, TORSOR_START_PLAIN, 0.9);
  double q[2], v[2];
  pendulum_initial(q, v, 0.2);
  trial t = trial_open(&d, &s, q, v);
  for (int n = 1; n <= 5; ++n) trial_step(&t);
  CHECK_INT(torsor_integrator_step(t.integrator), TORSOR_STEP);
  CHECK_INT(torsor_integrator_failure(t.integrator).status, TORSOR_NONFINITE);
  /* The last halved step that fits ends before the force does. */
  const double reached = torsor_integrator_state(t.integrator).t;
  CHECK_LE(reached, 0.055);
  CHECK_GE(reached, 0.055 - ldexp(0.01, -10));
  trial_close(&t);
}

/* A start that fails, and a step without a start. */
static void test_start_fails(void **state) {
  (void)state;
  torsor_dense d = pendulum_dense();
  const torsor_settings s = trial_settings(0.01, TORSOR_INDEX3, TORSOR_START_PERTURBED, 0.9);
  torsor_problem *problem;
  torsor_integrator *it;
  CHECK_INT(torsor_dense_create(&problem, &d, NULL), TORSOR_OK);
  CHECK_INT(torsor_integrator_create(&it, problem, &s, NULL), TORSOR_OK);
  CHECK_INT(torsor_integrator_step(it), TORSOR_ARGUMENT);
  const double zero[2] = {0, 0}; /* B = q^T = 0 there */
  CHECK_INT(torsor_integrator_start(it, 0, zero, zero), TORSOR_SINGULAR);
  CHECK_INT(torsor_integrator_failure(it).status, TORSOR_SINGULAR);
  CHECK_INT(torsor_integrator_step(it), TORSOR_ARGUMENT);
  torsor_integrator_destroy(it);
  torsor_integrator_destroy(NULL);
  torsor_dense_destroy(problem);
}

/* ---- equal input, equal output
 * ------------------------------------------------------------------- */

enum { LENGTH = 7 + 6 + 6 + 3 + 3 };

static void run_once(double *out, int steps, torsor_integrator *it, heavy_top_group group) {
  double q[7], v[6];
  heavy_top_initial(q, v, group);
  CHECK_INT(torsor_integrator_start(it, 0, q, v), TORSOR_OK);
  for (int n = 0; n < steps; ++n, out += LENGTH) {
    CHECK_INT(torsor_integrator_step(it), TORSOR_OK);
    const torsor_state s = torsor_integrator_state(it);
    memcpy(out, s.q, 7 * sizeof *out);
    memcpy(out + 7, s.v, 6 * sizeof *out);
    memcpy(out + 13, s.a, 6 * sizeof *out);
    memcpy(out + 19, s.lambda, 3 * sizeof *out);
    memcpy(out + 22, s.eta, 3 * sizeof *out);
  }
}

/* Twice with two integrators and once more with the first: the same bytes. */
static void test_identical(void **state) {
  (void)state;
  enum { STEPS = 300 };
  static double a[STEPS * LENGTH], b[STEPS * LENGTH], c[STEPS * LENGTH];
  for (int group = 0; group < 2; ++group) {
    const torsor_dense d = heavy_top_dense((heavy_top_group)group);
    const torsor_settings s = trial_settings(5e-4, TORSOR_GGL, TORSOR_START_PERTURBED, 0.9);
    double q[7], v[6];
    heavy_top_initial(q, v, (heavy_top_group)group);
    trial first = trial_open(&d, &s, q, v), second = trial_open(&d, &s, q, v);
    run_once(a, STEPS, first.integrator, (heavy_top_group)group);
    run_once(b, STEPS, second.integrator, (heavy_top_group)group);
    run_once(c, STEPS, first.integrator, (heavy_top_group)group);
    CHECK_TRUE(memcmp(a, b, sizeof a) == 0);
    CHECK_TRUE(memcmp(a, c, sizeof a) == 0);
    trial_close(&first);
    trial_close(&second);
  }
}

/* ---- a force that begins with the simulation ---------------------------------------------- */

/* Steps of chosen sizes: the same as on the grid where they are of its size, and counted. */
static void test_chosen_sizes(void **state) {
  (void)state;
  const torsor_dense d = pendulum_dense();
  const torsor_settings s = trial_settings(0.01, TORSOR_GGL, TORSOR_START_PERTURBED, 0.9);
  double q[2], v[2];
  pendulum_initial(q, v, 0.2);
  trial grid = trial_open(&d, &s, q, v), loose = trial_open(&d, &s, q, v);
  CHECK_INT(torsor_integrator_step_by(loose.integrator, 0), TORSOR_ARGUMENT);
  CHECK_INT(torsor_integrator_step_by(loose.integrator, -1), TORSOR_ARGUMENT);
  for (int n = 0; n < 5; ++n) {
    trial_step(&grid);
    CHECK_INT(torsor_integrator_step_by(loose.integrator, 0.01), TORSOR_OK);
  }
  torsor_state a = torsor_integrator_state(grid.integrator),
               b = torsor_integrator_state(loose.integrator);
  CHECK_NEAR(b.t, a.t, 5 * CHECK_EPS);
  for (int i = 0; i < 2; ++i) CHECK_NEAR(b.q[i], a.q[i], 0);
  const double sizes[] = {0.002, 0.013, 0.005};
  for (int n = 0; n < 3; ++n)
    CHECK_INT(torsor_integrator_step_by(loose.integrator, sizes[n]), TORSOR_OK);
  b = torsor_integrator_state(loose.integrator);
  CHECK_NEAR(b.t, 0.07, 8 * CHECK_EPS);
  pendulum_motion(q, v, b.t, 0.2);
  /* Errors of 1e-4 at h = 0.01 and second order: 8 steps of at most 1.3 times that. */
  CHECK_NEAR(hypot(b.q[0] - q[0], b.q[1] - q[1]), 0, 2e-4);
  const torsor_counters c = torsor_integrator_counters(loose.integrator);
  CHECK_INT(c.steps, 8);
  CHECK_NEAR(c.smallest_step, 0.002, 0);
  CHECK_NEAR(c.largest_step, 0.013, 0);
  trial_close(&grid);
  trial_close(&loose);
}

static void unit_mass(void *data, double t, const double *q, double *M) {
  (void)data, (void)t, (void)q;
  M[0] = 1;
}

static void root(void *data, double t, const double *q, const double *v, double *g) {
  (void)data, (void)q, (void)v;
  g[0] = -sqrt(t); /* not a number before */
}

static void undefined_before(void **state) {
  (void)state;
  static const char *const methods[] = {"generalized_alpha", "soi2"};
  const torsor_dense d = {.nq = 1, .nv = 1, .length = 1, .mass = unit_mass, .force = root};
  for (int k = 0; k < 4; ++k) {
    torsor_settings s = trial_settings(0.01, TORSOR_INDEX3,
                                       k % 2 ? TORSOR_START_PLAIN : TORSOR_START_PERTURBED, 0.9);
    trial_use(&s, methods[k / 2]);
    const double zero = 0, exact = 4.0 / 15 * pow(0.1, 2.5);
    trial t = trial_open(&d, &s, &zero, &zero);
    for (int n = 0; n < 10; ++n) trial_step(&t);
    const double off = fabs(torsor_integrator_state(t.integrator).q[0] - exact);
    /* The first step misses v by a part of h sqrt(h), for 0.1 s. */
    check_report(s.method, off, 0.1 * pow(s.step, 1.5));
    CHECK_LE(off, 0.1 * pow(s.step, 1.5));
    trial_close(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_refused),
                                     cmocka_unit_test(test_halving),
                                     cmocka_unit_test(test_order_through_changes),
                                     cmocka_unit_test(test_exhausted),
                                     cmocka_unit_test(test_failure),
                                     cmocka_unit_test(test_nonfinite),
                                     cmocka_unit_test(test_start_fails),
                                     cmocka_unit_test(test_identical),
                                     cmocka_unit_test(test_chosen_sizes),
                                     cmocka_unit_test(undefined_before)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
