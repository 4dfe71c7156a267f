/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Order 2 of every component, and a cost and an accuracy that do not depend on the step size. */

#include <torsor/integrator.h>
#include <torsor/lie/so3.h>

#include "check.h"
#include "problems/heavy_top.h"
#include "problems/trial.h"

/* Amplification of errors in the transient of index 3, max |(T+^-1 T0)^n| (S4 section 4.1). */
static const double AMPLIFICATION = 34.3;

/* ---- orders ---------------------------------------------------------------------------------- */

enum { FINEST = 8000, LEVELS = 4, PARTS = 4 }; /* steps of 1.25e-4 on [0, 1], h down to that */

static heavy_top_motion reference[FINEST + 1];

static int make_reference(void **state) {
  (void)state;
  heavy_top_reference(reference, FINEST + 1, 1.25e-4, 8);
  return 0;
}

static const char *const part_names[PARTS] = {"q", "v", "lambda", "eta"};

typedef struct top_errors {
  double part[PARTS]; /* largest on [0.5, 1]: q (x, rotation), v, lambda, eta */
} top_errors;

static top_errors run_top(heavy_top_group group, const torsor_settings *s) {
  const torsor_dense d = heavy_top_dense(group);
  double q[7], v[6];
  heavy_top_initial(q, v, group);
  trial t = trial_open(&d, s, q, v);
  top_errors e = {{0}};
  const int steps = (int)lround(1 / s->step), stride = FINEST / steps;
  for (int n = 1; n <= steps; ++n) {
    const torsor_state st = trial_step(&t);
    /* Compared at the same times for every step size. */
    if (2 * n < steps || n % (steps / 1000) != 0) continue;
    const heavy_top_motion m = heavy_top_from_state(&st, group), *r = &reference[n * stride];
    const double x = v3_norm(v3_sub(m.x, r->x)), R = v3_norm(so3_minus(m.R, r->R));
    const double xd = v3_norm(v3_sub(m.velocity, r->velocity));
    const double w = v3_norm(v3_sub(m.omega, r->omega));
    e.part[0] = fmax(e.part[0], hypot(x, R));
    e.part[1] = fmax(e.part[1], hypot(xd, w));
    e.part[2] = fmax(e.part[2], v3_norm(v3_sub(m.lambda, r->lambda)));
    if (st.eta) e.part[3] = fmax(e.part[3], v3_norm(v3_load(st.eta)));
  }
  const torsor_counters c = torsor_integrator_counters(t.integrator);
  print_message("    h = %.3e: %.3f Newton iterations, %.3f factorisations a step\n", s->step,
                (double)c.newton_iterations / (double)c.steps,
                (double)c.factorizations / (double)c.steps);
  CHECK_INT(c.rejected_steps, 0);
  trial_close(&t);
  return e;
}

static void check_orders(heavy_top_group group, torsor_formulation formulation, int parts) {
  top_errors e[LEVELS];
  print_message("  %s %s\n", group == HEAVY_TOP_SE3 ? "SE(3)" : "R3xSO3",
                formulation == TORSOR_GGL ? "ggl" : "index3");
  for (int k = 0; k < LEVELS; ++k) {
    const torsor_settings s =
        trial_settings(ldexp(1e-3, -k), formulation, TORSOR_START_PERTURBED, 0.9);
    e[k] = run_top(group, &s);
  }
  const top_errors *last = &e[LEVELS - 1];
  if (formulation == TORSOR_GGL && parts < PARTS) {
    /* h B^T eta is what rounding errors of positions and Newton's tolerance rtol |v'|, with |v'| up
     * to 150 * 4.6, leave over a step. */
    const double h = ldexp(1e-3, 1 - LEVELS), beta = torsor_alpha_chung_hulbert(0.9).beta;
    const double bound = AMPLIFICATION * (8 * CHECK_EPS / h + beta * h * 1e-8 * 690);
    check_report("  eta", last->part[3], bound);
    CHECK_LE(last->part[3], bound);
  }
  for (int i = 0; i < parts; ++i) {
    print_message("    %-6s", part_names[i]);
    for (int k = 1; k < LEVELS; ++k) {
      const double slope = log2(e[k - 1].part[i] / e[k].part[i]);
      print_message("  %.4f", slope);
      CHECK_ORDER(slope, 2, 0.1);
    }
    print_message("   error at the last %.3e\n", last->part[i]);
  }
}

static void test_index3_product(void **state) {
  (void)state;
  check_orders(HEAVY_TOP_R3SO3, TORSOR_INDEX3, 3);
}

static void test_ggl_product(void **state) {
  (void)state;
  check_orders(HEAVY_TOP_R3SO3, TORSOR_GGL, 4);
}

static void test_index3_rigid(void **state) {
  (void)state;
  check_orders(HEAVY_TOP_SE3, TORSOR_INDEX3, 3);
}

static void test_ggl_rigid(void **state) {
  (void)state;
  /* eta vanishes on SE(3): the motion about the pivot is a subgroup that every step stays in. */
  check_orders(HEAVY_TOP_SE3, TORSOR_GGL, 3);
}

/* The errors themselves on R3xSO3, h = 1e-3, against those of another program. */
static void test_errors(void **state) {
  (void)state;
  static const double expected[2][PARTS] = {
      {0.012791702665068167, 0.12199174447015547, 8.723224991938855, 0},
      {0.008221639242977072, 0.03361377124382018, 4.132043157726169, 0.01068574321878011}};
  for (int form = 0; form < 2; ++form) {
    const torsor_start start = form ? TORSOR_START_PLAIN : TORSOR_START_PERTURBED;
    const torsor_settings s =
        trial_settings(1e-3, (torsor_formulation)(TORSOR_INDEX3 + form), start, 0.9);
    const top_errors e = run_top(HEAVY_TOP_R3SO3, &s);
    for (int i = 0; i < PARTS; ++i) {
      print_message("    %-6s %.9e expected %.9e\n", part_names[i], e.part[i], expected[form][i]);
      /* 1000 steps with Newton's rtol = 1e-8 each. */
      CHECK_NEAR(e.part[i], expected[form][i], 1000 * 1e-8 * expected[form][i]);
    }
  }
}

/* ---- all step sizes
 * ------------------------------------------------------------------------------ */

typedef struct sweep {
  double iterations, error; /* Newton iterations a step, largest |e_lambda| */
  double work;              /* and what that costs in iterations */
} sweep;

static sweep run_steps(heavy_top_group group, torsor_formulation formulation, double h, int steps) {
  const torsor_dense d = heavy_top_dense(group);
  const torsor_settings s = trial_settings(h, formulation, TORSOR_START_PERTURBED, 0.9);
  heavy_top_motion ref[201];
  double q[7], v[6];
  heavy_top_reference(ref, steps + 1, h, (int)ceil(h / 2e-5));
  heavy_top_initial(q, v, group);
  trial t = trial_open(&d, &s, q, v);
  sweep out = {0};
  for (int n = 1; n <= steps; ++n) {
    const torsor_state st = trial_step(&t);
    out.error = fmax(out.error, v3_norm(v3_sub(v3_load(st.lambda), ref[n].lambda)));
  }
  const torsor_counters c = torsor_integrator_counters(t.integrator);
  out.iterations = (double)c.newton_iterations / (double)c.steps;
  out.work = out.iterations + 3 * (double)c.factorizations / (double)c.steps;
  CHECK_INT(c.rejected_steps, 0);
  trial_close(&t);
  return out;
}

/* From h = 2e-3 to 1e-6 with the usual tolerances: no step is rejected, the iteration does not take
 * longer, with factorisations at their cost of three, and lambda is as good as order 2, Newton's
 * tolerance and the rounding of positions let it. */
static void check_step_sizes(heavy_top_group group, torsor_formulation formulation) {
  const double sizes[] = {1e-3, 2e-3, 1e-4, 2.5e-5, 1e-5, 1e-6};
  const double beta = torsor_alpha_chung_hulbert(0.9).beta, newton = 1e-8 * 450;
  double constant = 0;
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
    const double h = sizes[i];
    const sweep s = run_steps(group, formulation, h, 200);
    /* The error grows over the 200 steps, so smaller steps have a smaller constant (a tenth for
     * what is of order 3); twice the step has more than four times the error there. */
    if (i == 0) constant = 1.1 * s.error / (h * h);
    const double order = constant * h * h * (h > 1e-3 ? 4 : 1);
    /* Positions of size one rounded, over beta h^2, times the mass: index 3 only. */
    const double roundoff = formulation == TORSOR_GGL ? 0 : 15 * 8 * CHECK_EPS / (beta * h * h);
    const double bound = order + AMPLIFICATION * (newton + roundoff);
    print_message("  %s %-6s h = %.1e: %.2f iterations a step, |e_lambda| %.3g, bound %.3g\n",
                  group == HEAVY_TOP_SE3 ? "SE(3) " : "R3xSO3",
                  formulation == TORSOR_GGL ? "ggl" : "index3", h, s.iterations, s.error, bound);
    CHECK_LE(s.error, bound);
    CHECK_LE(s.work, 6.5);
  }
}

static void test_step_sizes(void **state) {
  (void)state;
  check_step_sizes(HEAVY_TOP_R3SO3, TORSOR_INDEX3);
  check_step_sizes(HEAVY_TOP_R3SO3, TORSOR_GGL);
  check_step_sizes(HEAVY_TOP_SE3, TORSOR_INDEX3);
  check_step_sizes(HEAVY_TOP_SE3, TORSOR_GGL);
}

/* A turn of 1.5 rad a step.  The index-3 form on R3xSO3 is left out at rho_inf = 0.9: there its
 * error recursion is unstable for this spin (h |Omega| > 0.7) whatever solves the equations. */
static void test_large_steps(void **state) {
  (void)state;
  const heavy_top_group groups[] = {HEAVY_TOP_R3SO3, HEAVY_TOP_SE3, HEAVY_TOP_SE3};
  const torsor_formulation forms[] = {TORSOR_GGL, TORSOR_INDEX3, TORSOR_GGL};
  for (int i = 0; i < 3; ++i) {
    const sweep s = run_steps(groups[i], forms[i], 1e-2, 100);
    print_message("  %s %s h = 1e-2: %.2f iterations a step\n",
                  groups[i] == HEAVY_TOP_SE3 ? "SE(3) " : "R3xSO3",
                  forms[i] == TORSOR_GGL ? "ggl" : "index3", s.iterations);
    CHECK_LE(s.iterations, 5);
  }
}

/* ---- without constraints
 * ------------------------------------------------------------------------- */

/* The top about its pivot on SO(3): both formulations are the plain method. */
static void test_unconstrained(void **state) {
  (void)state;
  const torsor_dense d = heavy_top_dense(HEAVY_TOP_SO3);
  double last[2] = {0};
  for (int k = 0; k < 3; ++k) {
    double worst[2] = {0};
    for (int form = 0; form < 2; ++form) {
      const torsor_settings s = trial_settings(
          ldexp(1e-3, -k), (torsor_formulation)(TORSOR_INDEX3 + form), TORSOR_START_PERTURBED, 0.9);
      double q[7], v[6];
      heavy_top_initial(q, v, HEAVY_TOP_SO3);
      trial t = trial_open(&d, &s, q, v);
      const int steps = 1000 << k;
      for (int n = 1; n <= steps; ++n) {
        const torsor_state st = trial_step(&t);
        const so3 R = heavy_top_from_state(&st, HEAVY_TOP_SO3).R;
        worst[form] = fmax(worst[form], v3_norm(so3_minus(R, reference[n * FINEST / steps].R)));
      }
      trial_close(&t);
      if (k) CHECK_ORDER(log2(last[form] / worst[form]), 2, 0.1);
      last[form] = worst[form];
    }
    CHECK_NEAR(worst[0], worst[1], 0);
    print_message("  SO(3) h = %.3e: rotation error %.3e\n", ldexp(1e-3, -k), worst[0]);
  }
}

/* ---- stiffness
 * ----------------------------------------------------------------------------------- */

/* A pendulum on a stiff spring instead of a rod: data points to the stiffness. */
static void spring_mass(void *data, double t, const double *q, double *M) {
  (void)data, (void)t, (void)q;
  M[0] = M[3] = 1;
  M[1] = M[2] = 0;
}

static void spring_force(void *data, double t, const double *q, const double *v, double *g) {
  (void)t, (void)v;
  const double length = hypot(q[0], q[1]), pull = *(const double *)data * (length - 1) / length;
  g[0] = pull * q[0];
  g[1] = pull * q[1] + 9.81;
}

/* Rounding alone moves the force by eps times the stiffness, up to 0.2 N here; the iteration has to
 * see that nothing is left to gain. */
static void test_stiff(void **state) {
  (void)state;
  for (double stiffness = 1e4; stiffness < 2e15; stiffness *= 1000) {
    torsor_dense d = {.data = &stiffness,
                      .nq = 2,
                      .nv = 2,
                      .length = 1,
                      .mass = spring_mass,
                      .force = spring_force};
    const torsor_settings s = trial_settings(1e-3, TORSOR_INDEX3, TORSOR_START_PLAIN, 0.6);
    const double q[2] = {0.6, -0.8}, v[2] = {0, 0};
    trial t = trial_open(&d, &s, q, v);
    double worst = 0;
    for (int n = 1; n <= 1000; ++n) {
      const torsor_state st = trial_step(&t);
      worst = fmax(worst, fabs(hypot(st.q[0], st.q[1]) - 1));
    }
    const torsor_counters c = torsor_integrator_counters(t.integrator);
    print_message("  stiffness %.0e N/m: %.2f iterations a step, stretch %.3g, %ld rejected\n",
                  stiffness, (double)c.newton_iterations / (double)c.steps, worst,
                  c.rejected_steps);
    CHECK_INT(c.rejected_steps, 0);
    CHECK_LE((double)c.newton_iterations / (double)c.steps, 4);
    trial_close(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_index3_product), cmocka_unit_test(test_ggl_product),
      cmocka_unit_test(test_index3_rigid),   cmocka_unit_test(test_ggl_rigid),
      cmocka_unit_test(test_errors),         cmocka_unit_test(test_step_sizes),
      cmocka_unit_test(test_large_steps),    cmocka_unit_test(test_unconstrained),
      cmocka_unit_test(test_stiff)};
  return cmocka_run_group_tests(tests, make_reference, NULL);
}
