/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The explicit method: order conditions of its tables, orders of steps and of what lies between
 * their ends, round-off in the constraints, errors in proportion to what is asked for, stiffness
 * reported, dependent rows. */
#include <stdlib.h>

#include "check.h"
#include "integrator/dormand_prince.h"
#include "problems/pendulum.h"
#include "problems/problem.h"
#include "problems/stiff_spring.h"
#include "problems/trial.h"

/* ---- the tables --------------------------------------------------------------------------- */

/* Rooted trees up to order 8 as Butcher products: t1 t2 is t1 with t2 as another branch of its
 * root.  Each has elementary weights of all stages and the product of the densities of its
 * branches; most trees come several times. */
enum { TREE_ORDER = 8, MOST_TREES = 700 };

typedef struct tree {
  int order;
  double weight[PAIR_STAGES], branches;
} tree;

static int grow(tree *t, const runge_kutta_pair *pair) {
  int count = 0;
  tree *first = &t[count++];
  *first = (tree){.order = 1, .branches = 1};
  for (int i = 0; i < pair->all; ++i) first->weight[i] = 1;
  for (int order = 2; order <= TREE_ORDER; ++order) {
    const int known = count;
    for (int a = 0; a < known; ++a)
      for (int b = 0; b < known; ++b) {
        if (t[a].order + t[b].order != order) continue;
        CHECK_TRUE(count < MOST_TREES);
        tree *n = &t[count++];
        n->order = order;
        n->branches = t[a].branches * t[b].branches * t[b].order;
        for (int i = 0; i < pair->all; ++i) {
          double sum = 0;
          for (int j = 0; j < i; ++j) sum += pair->matrix[i][j] * t[b].weight[j];
          n->weight[i] = t[a].weight[i] * sum;
        }
      }
  }
  return count;
}

/* Largest |sum weight_i tree_i - x^order/density| of all trees of an order up to `order`; `next`:
 * of those of the order after it. */
static double violation(double *next, const tree *t, int count, const double *weight, double x,
                        bool embedded, int order) {
  double worst = 0;
  *next = 0;
  for (int k = 0; k < count; ++k) {
    double sum = 0;
    for (int i = 0; i < PAIR_STAGES; ++i) sum += weight[i] * t[k].weight[i];
    const double exact = embedded ? 0 : pow(x, t[k].order) / (t[k].order * t[k].branches);
    if (t[k].order <= order) worst = check_max(worst, fabs(sum - exact));
    if (t[k].order == order + 1) *next = check_max(*next, fabs(sum - exact));
  }
  return worst;
}

/* The weights of the extension at s. */
static void extension_weights(double *out, const runge_kutta_pair *pair, double s) {
  const double *end = pair->matrix[pair->stages], r = 1 - s;
  for (int j = 0; j < PAIR_STAGES; ++j) {
    const double d = end[j], c = (j == 0) - d, b = d - (j == pair->stages) - c;
    double x = 0;
    for (int k = pair->terms - 1; k >= 0; --k) x = pair->extension[k][j] + (k % 2 == 0 ? s : r) * x;
    out[j] = s * (d + r * (c + s * (b + r * x)));
  }
}

static void check_pair(const runge_kutta_pair *pair, int dense) {
  tree *t = calloc(MOST_TREES, sizeof *t);
  CHECK_TRUE(t);
  const int count = grow(t, pair);
  double next, after = 0, nodes = 0, between = 0, sizes = 0;
  for (int i = 0; i < pair->all; ++i) {
    double sum = 0;
    for (int j = 0; j < i; ++j) {
      sum += pair->matrix[i][j];
      sizes = check_max(sizes, fabs(pair->matrix[i][j]));
    }
    nodes = check_max(nodes, fabs(sum - pair->node[i]));
  }
  const double end = violation(&next, t, count, pair->matrix[pair->stages], 1, false, pair->order);
  const double embedded = violation(&after, t, count, pair->error, 1, true, pair->embedded);
  for (int k = 1; k < 10; ++k) {
    double weight[PAIR_STAGES], beyond;
    extension_weights(weight, pair, k / 10.0);
    between = check_max(between, violation(&beyond, t, count, weight, k / 10.0, false, dense));
  }
  print_message("  order %d: nodes off by %.1e, trees %.1e; embedded %.1e, then %.1e; extension "
                "%.1e\n",
                pair->order, nodes, end, embedded, after, between);
  /* Sums of some ten terms as large as the largest entries, each rounded. */
  const double rounding = 32 * CHECK_EPS * (1 + sizes);
  CHECK_LE(nodes, rounding);
  CHECK_LE(end, rounding);
  CHECK_LE(embedded, rounding);
  CHECK_GE(after, 1e-4);
  /* Weights of the extension of up to 528. */
  CHECK_LE(between, 32 * CHECK_EPS * 528);
  free(t);
}

static void test_pairs(void **state) {
  (void)state;
  check_pair(&pair_853, 7);
  check_pair(&pair_54, 4);
}

/* With x' = l x: the first terms of the errors that step-size control relies on. */
static void test_leading(void **state) {
  (void)state;
  const runge_kutta_pair *const pairs[] = {&pair_853, &pair_54};
  for (int p = 0; p < 2; ++p) {
    const runge_kutta_pair *pair = pairs[p];
    long double tall[PAIR_STAGES], embedded = 0, own = 0, factorial = 1;
    /* e^T A^k 1, for the tall trees: A^k 1 by one product each */
    for (int i = 0; i < PAIR_STAGES; ++i) tall[i] = 1;
    for (int k = 1; k <= pair->order + 1; ++k) {
      long double end = 0, error = 0;
      factorial *= k;
      for (int i = 0; i <= pair->stages; ++i) {
        end += (long double)pair->matrix[pair->stages][i] * tall[i];
        error += (long double)pair->error[i] * tall[i];
      }
      if (k == pair->embedded + 1) embedded = fabsl(error);
      if (k == pair->order + 1) own = fabsl(end - 1 / factorial);
      for (int i = pair->all - 1; i >= 0; --i) {
        long double sum = 0;
        for (int j = 0; j < i; ++j) sum += (long double)pair->matrix[i][j] * tall[j];
        tall[i] = sum;
      }
    }
    print_message("  order %d: %.4Le z^%d, %.4Le z^%d\n", pair->order, embedded, pair->embedded + 1,
                  own, pair->order + 1);
    /* given to four digits */
    CHECK_NEAR((double)embedded, pair->leading, 5e-4 * pair->leading);
    CHECK_NEAR((double)own, pair->own, 5e-4 * pair->own);
  }
}

/* ---- orders ------------------------------------------------------------------------------- */

enum { PARTS = 8, WITHIN = 4 };

static torsor_settings settings_of(double step, int order) {
  torsor_settings s = torsor_settings_default();
  s.method = "explicit";
  s.order = order;
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

typedef struct outcome {
  double end[PARTS], within[PARTS]; /* errors at the ends of the last steps, and between */
  double phi, phi_v;
} outcome;

static void note(double *error, const problem *p, const torsor_state *now,
                 const problem_state *exact) {
  for (int i = 0; p->signals[i].name; ++i)
    error[i] = check_max(error[i], part_error(&p->signals[i], now, exact));
}

/* `exact` [steps WITHIN + 1] */
static outcome run(const problem *p, const problem_state *exact, int steps, int order) {
  outcome out = {0};
  const torsor_dense d = p->dense();
  const double h = p->end / steps;
  const torsor_settings s = settings_of(h, order);
  trial t = trial_open(&d, &s, exact[0].q, exact[0].v);
  for (int n = 0; n < steps; ++n) {
    double phi[PROBLEM_SIZE], phi_v[PROBLEM_SIZE];
    const torsor_state now = trial_step(&t);
    const torsor_point at = {.t = now.t, .q = now.q, .v = now.v, .a = now.a, .lambda = now.lambda};
    CHECK_INT(t.problem->residual(t.problem->self, &at, NULL, phi, phi_v), TORSOR_OK);
    for (int i = 0; i < d.nl; ++i) {
      out.phi = check_max(out.phi, fabs(phi[i]));
      out.phi_v = check_max(out.phi_v, fabs(phi_v[i]));
    }
    note(out.end, p, &now, &exact[WITHIN * (n + 1)]);
    for (int k = 1; k < WITHIN; ++k) {
      torsor_state between;
      const double t1 = (n + (double)k / WITHIN) * h;
      CHECK_INT(torsor_integrator_motion(t.integrator, t1, &between), TORSOR_OK);
      for (int i = 0; p->signals[i].name; ++i)
        if (p->signals[i].of <= PROBLEM_V)
          out.within[i] = check_max(out.within[i],
                                    part_error(&p->signals[i], &between, &exact[WITHIN * n + k]));
    }
  }
  CHECK_INT(torsor_integrator_counters(t.integrator).rejected_steps, 0);
  trial_close(&t);
  return out;
}

static const problem *find_problem(const char *name) {
  for (int i = 0; problem_at(i); ++i)
    if (strcmp(problem_at(i)->name, name) == 0) return problem_at(i);
  return NULL;
}

/* Steps at which errors are far above rounding and those of the references (1e-13), and as far as
 * that allows below what is not yet of the order; rounding reaches 1e-11 in the tops; `off` is what
 * is left of the latter in the slope. */
enum { TOPS = 3 };
static const struct {
  const char *name;
  int steps[2];
  double off[2];
} cases[] = {{"heavy-top", {180, 800}, {0.3, 0.3}},      {"heavy-top-se3", {200, 800}, {0.45, 0.3}},
             {"heavy-top-so3", {200, 800}, {0.45, 0.3}}, {"pendulum-0.2", {10, 20}, {0.6, 0.3}},
             {"rolling-disk", {60, 160}, {0.6, 0.3}},    {"hht-5.2", {100, 320}, {0.7, 0.3}}};

static void test_orders(void **state) {
  (void)state;
  static const int orders[] = {8, 5};
  for (size_t c = 0; c < 2 * (sizeof cases / sizeof *cases); ++c) {
    const problem *p = find_problem(cases[c / 2].name);
    const int order = orders[c % 2], steps = cases[c / 2].steps[c % 2];
    problem_state *exact = calloc((size_t)(8 * steps + 1), sizeof *exact);
    CHECK_TRUE(exact);
    CHECK_INT(p->solve(exact, 4 * steps + 1, p->end / (4 * steps)), TORSOR_OK);
    const outcome before = run(p, exact, steps, order);
    CHECK_INT(p->solve(exact, 8 * steps + 1, p->end / (8 * steps)), TORSOR_OK);
    const outcome now = run(p, exact, 2 * steps, order);
    print_message("  %d %-13s", order, p->name);
    for (int i = 0; p->signals[i].name; ++i) {
      const double found = log2(before.end[i] / now.end[i]);
      print_message(" %s %.1e (%.2f)", p->signals[i].name, now.end[i], found);
      if (p->signals[i].of <= PROBLEM_V) {
        CHECK_GE(found, order - cases[c / 2].off[c % 2]);
        if (c / 2 < TOPS) CHECK_LE(found, order + cases[c / 2].off[c % 2]);
        /* The curve between is as good as the ends, but for its own local error. */
        CHECK_LE(now.within[i], 40 * now.end[i]);
      } else {
        CHECK_GE(found, order - 2);
      }
    }
    print_message(" Phi %.0e, its rate %.0e\n", now.phi, now.phi_v);
    /* Rounding of lengths of 1 m, and of velocities of 150 m/s, in sums of a few terms. */
    CHECK_LE(now.phi, 64 * CHECK_EPS);
    CHECK_LE(now.phi_v, 8 * CHECK_EPS * 150);
    free(exact);
  }
}

/* Largest error of q and of v within one step of size h from the start. */
static void first_step(double error[2], const problem *p, double h, int order) {
  enum { POINTS = 10 };
  problem_state exact[POINTS + 1];
  const torsor_dense d = p->dense();
  const torsor_settings s = settings_of(h, order);
  CHECK_INT(p->solve(exact, POINTS + 1, h / POINTS), TORSOR_OK);
  trial t = trial_open(&d, &s, exact[0].q, exact[0].v);
  trial_step(&t);
  error[0] = error[1] = 0;
  for (int k = 1; k < POINTS; ++k) {
    torsor_state now;
    CHECK_INT(torsor_integrator_motion(t.integrator, k * h / POINTS, &now), TORSOR_OK);
    for (int i = 0; p->signals[i].name; ++i)
      if (p->signals[i].of <= PROBLEM_V) {
        double *e = &error[p->signals[i].of == PROBLEM_V];
        *e = check_max(*e, part_error(&p->signals[i], &now, &exact[k]));
      }
  }
  trial_close(&t);
}

/* The extensions are of order 7 and 4: within a step their errors are of order 8 and 5. */
static void test_extension(void **state) {
  (void)state;
  static const char *const names[] = {"heavy-top", "heavy-top-se3", "heavy-top-so3"};
  for (int c = 0; c < 3; ++c)
    for (int order = 5; order <= 8; order += 3) {
      const problem *p = find_problem(names[c]);
      const double h = order == 8 ? 0.01 : 0.005;
      double before[2], now[2];
      first_step(before, p, h, order);
      first_step(now, p, h / 2, order);
      const double of_q = log2(before[0] / now[0]), of_v = log2(before[1] / now[1]);
      print_message("  %d %-13s q %.1e (%.2f) v %.1e (%.2f)\n", order, p->name, now[0], of_q,
                    now[1], of_v);
      CHECK_GE(of_q, order == 8 ? 7.7 : 4.7);
      CHECK_GE(of_v, order == 8 ? 7.7 : 4.7);
    }
}

/* ---- step-size control -------------------------------------------------------------------- */

/* The error follows what is allowed, over six decades. */
static void test_accuracy(void **state) {
  (void)state;
  static const char *const names[] = {"pendulum-0.2", "heavy-top", "heavy-top-se3"};
  for (int c = 0; c < 6; ++c) {
    const problem *p = find_problem(names[c % 3]);
    problem_state exact[2];
    CHECK_INT(p->solve(exact, 2, p->end), TORSOR_OK);
    for (int k = 3; k <= 8; ++k) {
      const torsor_dense d = p->dense();
      const double accuracy = pow(10, -k);
      torsor_settings s = settings_of(p->end / 4, c < 3 ? 8 : 5);
      s.accuracy = (torsor_accuracy){accuracy, accuracy, 0};
      s.max_halvings = 20;
      trial t = trial_open(&d, &s, exact[0].q, exact[0].v);
      while (torsor_integrator_state(t.integrator).t < p->end)
        CHECK_INT(torsor_integrator_advance(t.integrator, p->end), TORSOR_OK);
      const torsor_state now = torsor_integrator_state(t.integrator);
      double error = 0;
      for (int i = 0; p->signals[i].name; ++i)
        if (p->signals[i].of == PROBLEM_Q)
          error = check_max(error, part_error(&p->signals[i], &now, &exact[1]));
      const torsor_counters r = torsor_integrator_counters(t.integrator);
      print_message("  %d %-13s %.0e: error %.1e, %ld steps of %.1e to %.1e, %ld rejected\n",
                    c < 3 ? 8 : 5, p->name, accuracy, error, r.steps, r.smallest_step,
                    r.largest_step, r.rejected_steps);
      CHECK_INT(torsor_integrator_findings(t.integrator).stiff, 0);
      trial_close(&t);
      /* 0.01 to 10 times what is allowed, and half of it for turns as quaternions. */
      CHECK_LE(error, 10 * accuracy);
      if (r.steps > 30) CHECK_GE(error, accuracy / 200);
    }
  }
}

/* ---- stiffness ---------------------------------------------------------------------------- */

/* A spring of (h omega)^2 = stiffness under control: steps are as small as it wants, and the run
 * reports it; a soft one does not. */
static void test_stiff(void **state) {
  (void)state;
  const double q[3] = {0.6, -0.8, -0.48}, v[3] = {0, 0, 0};
  static const double stiffnesses[] = {100, 1e8};
  for (int c = 0; c < 4; ++c) {
    double stiffness = stiffnesses[c % 2];
    const torsor_dense d = stiff_spring_dense(&stiffness);
    torsor_settings s = settings_of(0.1, c < 2 ? 8 : 5);
    s.accuracy.position = 1e-2;
    s.max_halvings = 30;
    trial t = trial_open(&d, &s, q, v);
    for (int n = 0; n < 3; ++n) trial_step(&t);
    const torsor_findings f = torsor_integrator_findings(t.integrator);
    const torsor_counters r = torsor_integrator_counters(t.integrator);
    print_message("  %d stiffness %g: %ld steps, %ld rejected, stiff %ld times, first at %.3g s\n",
                  s.order, stiffness, r.steps, r.rejected_steps, f.stiff, f.stiff_at);
    trial_close(&t);
    if (c % 2 == 0) CHECK_INT(f.stiff, 0);
    if (c % 2 == 1) CHECK_TRUE(f.stiff >= 1);
  }
}

static double energy(const double *q, const double *v, double stiffness) {
  const double stretch = hypot(q[0], q[1]) - 1;
  return (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + stiffness * stretch * stretch) / 2 +
         9.81 * q[1];
}

/* Constant steps far beyond what is stable are cut as soon as an error is a thousandth of the
 * motion: the energy, of 8 J at most, is off by about that much. */
static void test_unstable(void **state) {
  (void)state;
  const double q[3] = {0.6, -0.8, -0.48}, v[3] = {0, 0, 0};
  for (int c = 0; c < 2; ++c) {
    double stiffness = 1e6;
    const torsor_dense d = stiff_spring_dense(&stiffness);
    const torsor_settings s = settings_of(0.05, c ? 5 : 8);
    trial t = trial_open(&d, &s, q, v);
    double off = 0;
    for (int n = 0; n < 10; ++n) {
      const torsor_state now = trial_step(&t);
      off = check_max(off, fabs(energy(now.q, now.v, stiffness) - energy(q, v, stiffness)));
    }
    const torsor_counters r = torsor_integrator_counters(t.integrator);
    print_message("  %d: %ld steps, %ld rejected, energy off by %.1e\n", s.order, r.steps,
                  r.rejected_steps, off);
    CHECK_TRUE(r.rejected_steps >= 1);
    CHECK_LE(off, 0.08);
    trial_close(&t);
  }
}

/* Errors that are rounding refuse no step: a stiff spring at rest, and accuracies below what
 * rounding leaves of velocities over small steps. */
static void test_rounding(void **state) {
  (void)state;
  double stiffness = 1e10;
  const torsor_dense d = stiff_spring_dense(&stiffness);
  const double q[3] = {0, -1 - 9.81 / 1e10, 0}, v[3] = {0, 0, 0};
  torsor_settings s = settings_of(1e-6, 8);
  s.accuracy = (torsor_accuracy){1e-9, 1e-9, 1e-7};
  trial t = trial_open(&d, &s, q, v);
  for (int n = 0; n < 200; ++n) trial_step(&t);
  const torsor_counters r = torsor_integrator_counters(t.integrator);
  const torsor_state now = torsor_integrator_state(t.integrator);
  print_message("  %ld steps, %ld rejected, v %.1e\n", r.steps, r.rejected_steps, fabs(now.v[1]));
  CHECK_LE((double)r.rejected_steps, (double)r.steps / 4);
  trial_close(&t);
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
  const torsor_settings s = settings_of(0.02, 8);
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
  /* phi_a by differences is good to 1e-9, which moves q by half of it in a second. */
  CHECK_LE(off, 1e-9);
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
  torsor_settings s = settings_of(0.1, 6);
  check_refused(&s, "has no order 6: 8 or 5");
  s = settings_of(0.1, 0);
  s.formulation = TORSOR_GGL;
  check_refused(&s, "does not know \"formulation\"");
  s = torsor_settings_default();
  s.order = 8;
  check_refused(&s, "does not know \"order\"");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pairs),     cmocka_unit_test(test_leading),
      cmocka_unit_test(test_orders),    cmocka_unit_test(test_extension),
      cmocka_unit_test(test_accuracy),  cmocka_unit_test(test_stiff),
      cmocka_unit_test(test_unstable),  cmocka_unit_test(test_rounding),
      cmocka_unit_test(test_dependent), cmocka_unit_test(test_refusals),
  };
  return cmocka_run_group_tests_name("explicit method", tests, NULL, NULL);
}
