/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The extended HHT-alpha method on Lie groups and beside nonholonomic rows, where nothing is
 * proved: orders, both levels of constraints, iterations, small and halved steps, stiffness,
 * refusals. */
#include "check.h"

#include <torsor/lie/so3.h>

#include "problems/heavy_top.h"
#include "problems/jay_7_1.h"
#include "problems/pendulum.h"
#include "problems/soi2.h"
#include "problems/stiff_spring.h"
#include "problems/trial.h"

enum { FINEST = 8000, PARTS = 3, KINDS = 4 }; /* steps of 1.25e-4 on [0, 1] */

static const char *const part_name[PARTS] = {"q", "v", "lambda"};
static const char *const kind_name[KINDS] = {"end", "explicit", "midpoint", "midpoint_explicit"};

static heavy_top_motion reference[FINEST + 1];

static int make_reference(void **state) {
  (void)state;
  heavy_top_reference(reference, FINEST + 1, 1.25e-4, 8);
  return 0;
}

/* Largest of q, v, lambda, and what is left of Phi and B v + Phi_t. */
typedef struct errors {
  double of[PARTS], phi, slip, acceleration, iterations, factorizations;
} errors;

static torsor_settings settings_of(double h, int kind) {
  torsor_settings s = trial_settings(h, TORSOR_INDEX3, TORSOR_START_PERTURBED, 0.9);
  trial_use(&s, "hht_odae");
  s.alpha = torsor_alpha_hht(-0.1);
  s.reaction = (torsor_reaction)kind;
  return s;
}

static void note_constraints(errors *e, const trial *t, const torsor_state *now) {
  double phi[8], phi_v[8];
  const torsor_point p = {
      .t = now->t, .q = now->q, .v = now->v, .a = now->a, .lambda = now->lambda};
  CHECK_INT(t->problem->residual(t->problem->self, &p, NULL, phi, phi_v), TORSOR_OK);
  for (int i = 0; i < t->problem->nl; ++i) {
    e->phi = check_max(e->phi, fabs(phi[i]));
    e->slip = check_max(e->slip, fabs(phi_v[i]));
  }
  for (int i = 0; i < t->problem->nv; ++i)
    e->acceleration = check_max(e->acceleration, fabs(now->a[i]));
}

static void note_counters(errors *e, const trial *t) {
  const torsor_counters c = torsor_integrator_counters(t->integrator);
  e->iterations = (double)c.newton_iterations / (double)c.steps;
  e->factorizations = (double)c.factorizations / (double)c.steps;
}

/* ---- heavy top ---------------------------------------------------------------------------- */

static errors run_top(heavy_top_group group, const torsor_settings *s, bool halved) {
  const torsor_dense d = heavy_top_dense(group);
  const int steps = (int)lround(1 / s->step), stride = FINEST / steps;
  double q[7], v[6];
  heavy_top_initial(q, v, group);
  trial t = trial_open(&d, s, q, v);
  errors e = {.of = {0}};
  for (int n = 1; n <= steps; ++n) {
    const torsor_state now = trial_step(&t);
    const heavy_top_motion m = heavy_top_from_state(&now, group), *r = &reference[n * stride];
    const double x = v3_norm(v3_sub(m.x, r->x)), R = v3_norm(so3_minus(m.R, r->R));
    const double xd = v3_norm(v3_sub(m.velocity, r->velocity));
    const double w = v3_norm(v3_sub(m.omega, r->omega));
    e.of[0] = check_max(e.of[0], hypot(x, R));
    e.of[1] = check_max(e.of[1], hypot(xd, w));
    e.of[2] = check_max(e.of[2], v3_norm(v3_sub(m.lambda, r->lambda)));
    note_constraints(&e, &t, &now);
  }
  const torsor_counters c = torsor_integrator_counters(t.integrator);
  note_counters(&e, &t);
  if (halved)
    CHECK_TRUE(c.rejected_steps > 100);
  else
    CHECK_INT(c.rejected_steps, 0);
  trial_close(&t);
  return e;
}

static void top_orders(void **state) {
  (void)state;
  const heavy_top_group groups[] = {HEAVY_TOP_R3SO3, HEAVY_TOP_SE3};
  for (int k = 0; k < 2 * KINDS; ++k) {
    errors e[2];
    print_message("  %s, %s\n", k / KINDS ? "SE(3)" : "R3xSO3", kind_name[k % KINDS]);
    for (int level = 0; level < 2; ++level) {
      const torsor_settings s = settings_of(ldexp(5e-4, -level), k % KINDS);
      errors *now = &e[level];
      *now = run_top(groups[k / KINDS], &s, false);
      print_message("    h = %.2e: %.2f iterations, %.2f factorisations a step;", s.step,
                    now->iterations, now->factorizations);
      for (int i = 0; i < PARTS; ++i) {
        const double slope = level ? log2(e[0].of[i] / now->of[i]) : 2;
        print_message(" %s %.2e (%.3f)", part_name[i], now->of[i], slope);
        CHECK_ORDER(slope, 2, 0.1);
      }
      print_message(" Phi %.1e, B v %.1e\n", now->phi, now->slip);
      /* Newton leaves rtol |v'| times k in u and k/z in v, up to six of which a row adds;
       * rounding. */
      const double left = 6 * s.rtol * now->acceleration;
      const double k_weight = s.alpha.beta * s.step * s.step;
      CHECK_LE(now->phi, left * k_weight + 8 * CHECK_EPS);
      CHECK_LE(now->slip, left * s.alpha.gamma * s.step + 8 * CHECK_EPS * 150);
    }
  }
}

/* Small steps: rounding errors of positions, over h^2/2, move the multipliers of single reactions
 * and by them nothing but v', those of velocities over h move lambda. */
static void small_steps(void **state) {
  (void)state;
  double constant = 0;
  for (double h = 1e-3; h > 5e-7; h /= 10) {
    const torsor_dense d = heavy_top_dense(HEAVY_TOP_R3SO3);
    const torsor_settings s = settings_of(h, TORSOR_REACTION_END);
    static heavy_top_motion exact[201];
    heavy_top_reference(exact, 201, h, (int)ceil(h / 2e-5));
    double q[7], v[6], worst = 0;
    heavy_top_initial(q, v, HEAVY_TOP_R3SO3);
    trial t = trial_open(&d, &s, q, v);
    for (int n = 1; n <= 200; ++n) {
      const torsor_state now = trial_step(&t);
      worst = check_max(worst, v3_norm(v3_sub(v3_load(now.lambda), exact[n].lambda)));
    }
    if (constant == 0) constant = 1.1 * worst / (h * h);
    errors e = {.of = {0}};
    note_counters(&e, &t);
    const double mass = 15, newton = 4 * s.rtol * 450;
    const double roundoff = 2 * mass * 8 * CHECK_EPS * 150 / h;
    const double bound = constant * h * h + newton + roundoff;
    print_message("  h = %.0e: %.2f iterations a step, |e_lambda| %.2e, bound %.2e\n", h,
                  e.iterations, worst, bound);
    CHECK_INT(torsor_integrator_counters(t.integrator).rejected_steps, 0);
    CHECK_LE(worst, bound);
    CHECK_LE(e.iterations, 7);
    trial_close(&t);
  }
}

/* Newton takes five steps only, so that many steps are halved and doubled again: the errors are no
 * larger than those of steps that are not. */
static void halved_steps(void **state) {
  (void)state;
  torsor_settings s = settings_of(1e-3, TORSOR_REACTION_END);
  const errors whole = run_top(HEAVY_TOP_R3SO3, &s, false);
  s.max_iterations = 5;
  const errors e = run_top(HEAVY_TOP_R3SO3, &s, true);
  for (int i = 0; i < PARTS; ++i) {
    print_message("  %s %.3e, whole steps %.3e\n", part_name[i], e.of[i], whole.of[i]);
    CHECK_LE(e.of[i], whole.of[i]);
  }
}

/* ---- in R^n ------------------------------------------------------------------------------- */

typedef struct example {
  const char *name;
  torsor_dense dense;
  double end, h;
  void (*exact)(double t, double *q, double *v, double *a, double *lambda);
} example;

static void pendulum_exact(double t, double *q, double *v, double *a, double *lambda) {
  if (t > 0)
    pendulum_motion(q, v, t, 0.2);
  else
    pendulum_initial(q, v, 0.2);
  lambda[0] = pendulum_lambda(t, 0.2);
  a[0] = -lambda[0] * q[0];
  a[1] = -lambda[0] * q[1] - PENDULUM_GRAVITY;
}

static double furthest(const double *a, const double *b, int n) {
  double off = 0;
  for (int i = 0; i < n; ++i) off = check_max(off, fabs(a[i] - b[i]));
  return off;
}

/* q, v, v', multipliers: largest error. */
static void run_example(double of[4], const example *x, const torsor_settings *s) {
  double q[3], v[3], a[3], lambda[3];
  x->exact(0, q, v, a, lambda);
  trial t = trial_open(&x->dense, s, q, v);
  const int steps = (int)lround(x->end / s->step);
  memset(of, 0, 4 * sizeof *of);
  for (int n = 0; n < steps; ++n) {
    const torsor_state now = trial_step(&t);
    x->exact(now.t, q, v, a, lambda);
    of[0] = check_max(of[0], furthest(now.q, q, x->dense.nq));
    of[1] = check_max(of[1], furthest(now.v, v, x->dense.nv));
    of[2] = check_max(of[2], furthest(now.a, a, x->dense.nv));
    of[3] = check_max(of[3], furthest(now.lambda, lambda, x->dense.nl));
  }
  trial_close(&t);
}

/* The pendulum; S0 7.1 by S3 section 6; S1 section 8 with both kinds of rows and M(t, q). */
static void orders(void **state) {
  (void)state;
  const example examples[] = {{"pendulum", pendulum_dense(), 2, 2.5e-3, pendulum_exact},
                              {"S0 7.1", jay_7_1_dense(), 1, 2.5e-3, jay_7_1_exact},
                              {"S1 section 8", soi2_dense(), 1, 2.5e-3, soi2_exact}};
  for (int i = 0; i < 3; ++i)
    for (int kind = 0; kind < (i == 1 ? 1 : KINDS); ++kind) {
      double before[4], now[4];
      torsor_settings s = settings_of(examples[i].h, kind);
      run_example(before, &examples[i], &s);
      s.step /= 2;
      run_example(now, &examples[i], &s);
      print_message("  %-13s %-18s", examples[i].name, kind_name[kind]);
      for (int k = 0; k < 4; ++k) {
        print_message("  %.2e (%.3f)", now[k], log2(before[k] / now[k]));
        CHECK_ORDER(log2(before[k] / now[k]), 2, 0.1);
      }
      print_message("\n");
    }
}

/* ---- refusals ----------------------------------------------------------------------------- */

static void check_refused(const torsor_dense *d, const torsor_settings *s, const char *why) {
  torsor_problem *problem;
  torsor_integrator *integrator;
  torsor_error error = {0};
  CHECK_INT(torsor_dense_create(&problem, d, &error), TORSOR_OK);
  CHECK_INT(torsor_integrator_create(&integrator, problem, s, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, why);
  CHECK_TRUE(integrator == NULL);
  torsor_dense_destroy(problem);
}

static void refusals(void **state) {
  (void)state;
  torsor_dense d = pendulum_dense();
  torsor_settings s = settings_of(0.01, TORSOR_REACTION_END);
  d.redundant = true;
  check_refused(&d, &s, "rows that do not depend on each other");
  d = jay_7_1_dense();
  s.reaction = TORSOR_REACTION_EXPLICIT;
  check_refused(&d, &s, "without holonomic rows \"reaction\"");
  s.reaction = TORSOR_REACTION_END;
  s.reaction_weight = 0.3;
  check_refused(&d, &s, "no meaning");
}

/* ---- stiffness ---------------------------------------------------------------------------- */

typedef struct ride {
  double stretch, iterations;
} ride;

static ride run_stiff(double stiffness, const char *method) {
  const torsor_dense d = stiff_spring_dense(&stiffness);
  torsor_settings s = settings_of(1e-3, TORSOR_REACTION_END);
  s.alpha = torsor_alpha_hht(-0.3);
  if (torsor_method_takes(method, "formulation")) s.formulation = TORSOR_INDEX3;
  trial_use(&s, method);
  s.start = TORSOR_START_PLAIN;
  const double q[3] = {0.6, -0.8, -0.48}, v[3] = {0, 0, 0};
  trial t = trial_open(&d, &s, q, v);
  ride r = {0};
  for (int n = 1; n <= 1000; ++n) {
    const torsor_state now = trial_step(&t);
    r.stretch = check_max(r.stretch, fabs(hypot(now.q[0], now.q[1]) - 1));
  }
  const torsor_counters c = torsor_integrator_counters(t.integrator);
  CHECK_INT(c.rejected_steps, 0);
  r.iterations = (double)c.newton_iterations / (double)c.steps;
  trial_close(&t);
  return r;
}

/* The largest stretch is that of the index-3 form with the same parameters, up to what the
 * constraint's other errors of order h^2 do to it. */
static void stiff(void **state) {
  (void)state;
  for (double stiffness = 1e2; stiffness < 2e10; stiffness *= 100) {
    const ride index3 = run_stiff(stiffness, "generalized_alpha");
    const ride hht = run_stiff(stiffness, "hht_odae");
    const double part = 1e-3 * sqrt(stiffness); /* h omega */
    print_message("  h omega = %-5.3g: %.2f iterations (index 3: %.2f), stretch %.4e (%.4e)\n",
                  part, hht.iterations, index3.iterations, hht.stretch, index3.stretch);
    CHECK_NEAR(hht.stretch, index3.stretch, 0.01 * index3.stretch);
    CHECK_LE(hht.iterations, 6);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(top_orders), cmocka_unit_test(small_steps), cmocka_unit_test(halved_steps),
      cmocka_unit_test(orders),     cmocka_unit_test(refusals),    cmocka_unit_test(stiff),
  };
  return cmocka_run_group_tests(tests, make_reference, NULL);
}
