/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the ends of steps: the errors keep the order of the method, the ends are met, and asking
 * changes nothing of the steps to come. */
#include <string.h>

#include <torsor/lie.h>

#include "check.h"
#include "problems/heavy_top.h"
#include "problems/pendulum.h"
#include "problems/trial.h"

enum { Q, V, A, LAMBDA, GROUPS, PARTS = 8 };
static const char *const group_name[GROUPS] = {"q", "v", "v'", "lambda"};

/* Largest errors over the run at the ends of steps and within, and the constraints there. */
typedef struct errors {
  double end[GROUPS], within[GROUPS], phi, phi_v;
} errors;

static void note(double *worst, double error) {
  *worst = check_max(*worst, error);
}

static double distance(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

static void note_constraints(errors *e, const torsor_problem *p, const torsor_state *s) {
  const torsor_point at = {.t = s->t, .q = s->q, .v = s->v};
  double phi[3], phi_v[3];
  CHECK_INT(p->residual(p->self, &at, NULL, phi, phi_v), TORSOR_OK);
  for (int i = 0; i < p->nl; ++i) {
    note(&e->phi, fabs(phi[i]));
    note(&e->phi_v, fabs(phi_v[i]));
  }
}

/* ---- pendulum ----------------------------------------------------------------------------- */

static void compare_pendulum(double error[GROUPS], const torsor_state *s) {
  double q[2], v[2];
  pendulum_motion(q, v, s->t, 0.2);
  const double lambda = pendulum_lambda(s->t, 0.2);
  const double a[2] = {-lambda * q[0], -PENDULUM_GRAVITY - lambda * q[1]};
  note(&error[Q], distance(s->q, q, 2));
  note(&error[V], distance(s->v, v, 2));
  note(&error[A], distance(s->a, a, 2));
  note(&error[LAMBDA], fabs(s->lambda[0] - lambda));
}

static errors run_pendulum(const torsor_settings *settings) {
  const torsor_dense d = pendulum_dense();
  double q[2], v[2];
  errors e = {0};
  pendulum_initial(q, v, 0.2);
  trial t = trial_open(&d, settings, q, v);
  const long steps = lround(1 / settings->step);
  double before = 0;
  for (long n = 1; n <= steps; ++n) {
    const torsor_state end = trial_step(&t);
    compare_pendulum(e.end, &end);
    for (int k = 1; k < PARTS; ++k) {
      torsor_state s;
      const double at = before + k * (end.t - before) / PARTS;
      CHECK_INT(torsor_integrator_interpolate(t.integrator, at, &s), TORSOR_OK);
      CHECK_NEAR(s.t, at, 0);
      compare_pendulum(e.within, &s);
      note_constraints(&e, t.problem, &s);
    }
    before = end.t;
  }
  trial_close(&t);
  return e;
}

/* ---- heavy top ---------------------------------------------------------------------------- */

enum { TOP_STEPS = 256, TOP_PARTS = 4 };
static const double TOP_TIME = 0.1, TOP_MASS = 15;
static heavy_top_motion top[4 * TOP_STEPS * TOP_PARTS + 1];
static heavy_top_group top_group;

/* x'' of the centre of mass, from m x'' = m gravity - lambda of the paper, and from v and v'. */
static double acceleration_error(const torsor_state *s, const heavy_top_motion *exact) {
  const v3 gravity = {0, 0, -9.81};
  const v3 wanted = v3_add(gravity, v3_scale(exact->lambda, 1 / TOP_MASS));
  v3 found = v3_load(s->a);
  if (top_group == HEAVY_TOP_SE3) {
    const v3 U = v3_load(s->v), omega = v3_load(s->v + 3);
    found = so3_rotate(so3_load(s->q + 3), v3_add(found, v3_cross(omega, U)));
  }
  return v3_norm(v3_sub(found, wanted));
}

static void compare_top(double error[GROUPS], const torsor_state *s,
                        const heavy_top_motion *exact) {
  const heavy_top_motion m = heavy_top_from_state(s, top_group);
  note(&error[Q], v3_norm(v3_sub(m.x, exact->x)));
  note(&error[Q], v3_norm(so3_log(so3_compose(so3_inverse(exact->R), m.R))));
  note(&error[V], v3_norm(v3_sub(m.velocity, exact->velocity)));
  note(&error[V], v3_norm(v3_sub(m.omega, exact->omega)));
  note(&error[A], acceleration_error(s, exact));
  note(&error[LAMBDA], v3_norm(v3_sub(m.lambda, exact->lambda)));
}

static errors run_top(const torsor_settings *settings) {
  const torsor_dense d = heavy_top_dense(top_group);
  const int steps = (int)lround(TOP_TIME / settings->step);
  const int stride = 4 * TOP_STEPS / steps;
  double q[7], v[6], before = 0;
  errors e = {0};
  heavy_top_initial(q, v, top_group);
  trial t = trial_open(&d, settings, q, v);
  for (int n = 0; n < steps; ++n) {
    const torsor_state end = trial_step(&t);
    const heavy_top_motion *exact = &top[n * stride * TOP_PARTS];
    compare_top(e.end, &end, exact + stride * TOP_PARTS);
    for (int k = 1; k < TOP_PARTS; ++k) {
      torsor_state s;
      const double at = before + k * (end.t - before) / TOP_PARTS;
      CHECK_INT(torsor_integrator_interpolate(t.integrator, at, &s), TORSOR_OK);
      compare_top(e.within, &s, exact + k * stride);
      note_constraints(&e, t.problem, &s);
    }
    before = end.t;
  }
  trial_close(&t);
  return e;
}

/* ---- orders ------------------------------------------------------------------------------- */

typedef struct method_case {
  const char *title, *method;
  torsor_formulation formulation;
  int order, coarser; /* its steps are so many times longer */
} method_case;

static const method_case methods[] = {{"index 3", "generalized_alpha", TORSOR_INDEX3, 2, 1},
                                      {"GGL", "generalized_alpha", TORSOR_GGL, 2, 1},
                                      {"SOI2", "soi2", TORSOR_INDEX3, 2, 1},
                                      {"HHT for ODAEs", "hht_odae", TORSOR_INDEX3, 2, 1},
                                      {"Radau IIA", "radau", TORSOR_INDEX3, 5, 4}};
enum { METHODS = sizeof methods / sizeof *methods };

static torsor_settings settings_of(const method_case *m, double step) {
  torsor_settings s = trial_settings(step, m->formulation, TORSOR_START_PERTURBED, 0.8);
  trial_use(&s, m->method);
  if (strcmp(m->method, "radau") == 0) s.alpha = torsor_settings_default().alpha;
  if (strcmp(m->method, "hht_odae") == 0) s.alpha = torsor_alpha_hht(-0.1);
  s.rtol = 1e-10;
  return s;
}

/* The error within a step is at most that of its ends and of the curve: of the same order, and with
 * methods of order 2 that of the curve is of order 4 in q and 3 in v.  The orders between finite
 * steps are off by what the next term of the series leaves. */
static void check_orders(const char *problem, errors (*run)(const torsor_settings *), double step) {
  for (int i = 0; i < METHODS; ++i) {
    const double longer = methods[i].coarser * step;
    const torsor_settings coarse = settings_of(&methods[i], longer);
    const torsor_settings fine = settings_of(&methods[i], longer / 2);
    const errors a = run(&coarse), b = run(&fine);
    for (int g = 0; g < GROUPS; ++g) {
      const double order = log2(a.within[g] / b.within[g]);
      print_message("  %s, %s: %s %.2e at the ends, %.2e within, order %.2f and %.2f\n", problem,
                    methods[i].title, group_name[g], b.end[g], b.within[g],
                    log2(a.end[g] / b.end[g]), order);
      CHECK_NEAR(order, methods[i].order, 0.2);
      if (methods[i].order == 2 && (g == Q || g == V)) CHECK_LE(b.within[g], 1.1 * b.end[g]);
    }
  }
}

/* Curves of order 2 between ends that keep both levels of the constraints are moved onto them: what
 * is left of Phi is the rounding of lengths of 1 m, and of B v that of `speed`, with a factor of 8
 * for the sums in them. */
static void check_moved(const char *problem, const method_case *m,
                        errors (*run)(const torsor_settings *), double step, double speed) {
  const torsor_settings settings = settings_of(m, step);
  const errors e = run(&settings);
  print_message("  %s, %s: Phi %.2e, B v %.2e\n", problem, m->title, e.phi, e.phi_v);
  CHECK_LE(e.phi, 8 * CHECK_EPS);
  CHECK_LE(e.phi_v, 8 * CHECK_EPS * speed);
}

/* Where both ends keep both levels of the constraints, only the curves' own error is left in them,
 * unless they are moved. */
static void check_curves(const char *problem, errors (*run)(const torsor_settings *), double step,
                         double speed) {
  for (int i = 1; i < METHODS; ++i) {
    const double longer = methods[i].coarser * step;
    torsor_settings coarse = settings_of(&methods[i], longer);
    torsor_settings fine = settings_of(&methods[i], longer / 2);
    if (methods[i].order == 2) check_moved(problem, &methods[i], run, step, speed);
    if (methods[i].order == 2 && !torsor_method_takes(methods[i].method, "multipliers")) continue;
    if (methods[i].order == 2) coarse.multipliers = fine.multipliers = TORSOR_MULTIPLIERS_METHOD;
    const errors a = run(&coarse), b = run(&fine);
    const double order = log2(a.phi / b.phi), order_v = log2(a.phi_v / b.phi_v);
    print_message("  %s, %s: Phi %.2e, order %.2f; B v %.2e, order %.2f\n", problem,
                  methods[i].title, b.phi, order, b.phi_v, order_v);
    /* v' at the ends is off by h^2, which the cubic takes times h; the quintic keeps one order more
     * than Radau's.  Less in a coarser step than in the limit of small ones is more than the
     * order. */
    CHECK_LE((methods[i].order > 2 ? 6 : 4) - 0.2, order);
    CHECK_LE((methods[i].order > 2 ? 5 : 3) - 0.2, order_v);
  }
}

static void curves_keep_the_constraints(void **state) {
  (void)state;
  check_curves("pendulum", run_pendulum, 1.0 / 64, 1);
  const double spacing = TOP_TIME / (4 * TOP_STEPS * TOP_PARTS);
  heavy_top_reference(top, 4 * TOP_STEPS * TOP_PARTS + 1, spacing, 4);
  top_group = HEAVY_TOP_R3SO3;
  check_curves("top on R3xSO3", run_top, TOP_TIME / TOP_STEPS, 150);
}

static void pendulum_keeps_the_order(void **state) {
  (void)state;
  check_orders("pendulum", run_pendulum, 1.0 / 128);
}

static void top_keeps_the_order(void **state) {
  (void)state;
  const double spacing = TOP_TIME / (4 * TOP_STEPS * TOP_PARTS);
  heavy_top_reference(top, 4 * TOP_STEPS * TOP_PARTS + 1, spacing, 4);
  top_group = HEAVY_TOP_R3SO3;
  check_orders("top on R3xSO3", run_top, TOP_TIME / TOP_STEPS);
  top_group = HEAVY_TOP_SE3;
  check_orders("top on SE3", run_top, TOP_TIME / TOP_STEPS);
}

/* The top's last state, with or without questions on the way. */
static void run_asked(double *q, double *v, const method_case *m, int questions) {
  const torsor_dense d = heavy_top_dense(HEAVY_TOP_SE3);
  const torsor_settings settings = settings_of(m, m->coarser * 1e-3);
  double q0[7], v0[6];
  heavy_top_initial(q0, v0, HEAVY_TOP_SE3);
  trial t = trial_open(&d, &settings, q0, v0);
  torsor_state end = torsor_integrator_state(t.integrator), between;
  for (int n = 0; n < 20; ++n) {
    const double begin = end.t;
    end = trial_step(&t);
    for (int k = 0; k < questions; ++k) {
      const double at = begin + (k + 0.3) / questions * (end.t - begin);
      CHECK_INT(torsor_integrator_interpolate(t.integrator, at, &between), TORSOR_OK);
    }
  }
  memcpy(q, end.q, sizeof q0);
  memcpy(v, end.v, sizeof v0);
  trial_close(&t);
}

static void questions_change_nothing(void **state) {
  (void)state;
  for (int i = 0; i < METHODS; ++i) {
    double q[2][7], v[2][6];
    run_asked(q[0], v[0], &methods[i], 0);
    run_asked(q[1], v[1], &methods[i], 3);
    CHECK_INT(memcmp(q[0], q[1], sizeof q[0]), 0);
    CHECK_INT(memcmp(v[0], v[1], sizeof v[0]), 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(questions_change_nothing), cmocka_unit_test(curves_keep_the_constraints),
      cmocka_unit_test(pendulum_keeps_the_order), cmocka_unit_test(top_keeps_the_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
