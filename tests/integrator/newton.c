/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When a kept factorisation's iteration ends: on linear systems whose error is known. */
#include "check.h"

#include "integrator/newton.h"

enum { UNKNOWNS = 2, STEPS = 60 };

/* a_i(t) x_i = a_i(t) goal, with the a_i of the time of the factorisation kept: component i
 * contracts by what a_i has changed by since. */
typedef struct drifting {
  newton n;
  torsor_counters counters;
  double a[UNKNOWNS], kept[UNKNOWNS];
  double off[UNKNOWNS]; /* of the prediction, in tolerances */
  double left[UNKNOWNS], x[UNKNOWNS];
} drifting;

static void predict(void *self) {
  drifting *d = self;
  d->n.blocks[0].tolerance = 1;
  for (int i = 0; i < UNKNOWNS; ++i) d->left[i] = d->off[i];
}

static torsor_status residual(void *self, double *x) {
  const drifting *d = self;
  for (int i = 0; i < UNKNOWNS; ++i) x[i] = -d->a[i] * d->left[i];
  return TORSOR_OK;
}

static torsor_status factor(void *self) {
  drifting *d = self;
  memcpy(d->kept, d->a, sizeof d->kept);
  return TORSOR_OK;
}

static torsor_status solve(void *self, double *x) {
  const drifting *d = self;
  for (int i = 0; i < UNKNOWNS; ++i) x[i] /= d->kept[i];
  return TORSOR_OK;
}

static void measure(void *self, const double *x) {
  (void)self;
  (void)x;
}

static void correct(void *self, const double *x) {
  drifting *d = self;
  for (int i = 0; i < UNKNOWNS; ++i) d->left[i] += x[i];
}

static torsor_status roundoff(void *self, double *x) {
  (void)self;
  for (int i = 0; i < UNKNOWNS; ++i) x[i] = CHECK_EPS;
  return TORSOR_OK;
}

static void begin(drifting *d) {
  static const torsor_problem problem = {.factor_cost = 30};
  *d = (drifting){.a = {1, 1}};
  d->n.x = d->x;
  d->n.block_count = 1;
  d->n.blocks[0] = (newton_block){.data = d->x, .length = UNKNOWNS};
  newton_limit(&d->n, 20, &problem);
  newton_init(&d->n);
}

/* Returns the largest entry of the error that a step leaves of predictions that are off by `first`
 * and `second` tolerances. */
static double step(drifting *d, double first, double second) {
  const newton_system system = {d, predict, residual, factor, solve, measure, correct, roundoff};
  d->off[0] = first;
  d->off[1] = second;
  CHECK_INT(newton_solve(&d->n, &system, &d->counters), TORSOR_OK);
  return fmax(fabs(d->left[0]), fabs(d->left[1]));
}

/* By 1e-5 a step: what is known of the rates does for one iteration, but for steps 1, 3, 7, 15, 31,
 * which look at them, and the first, which makes the matrix. */
static void known_rates(void **state) {
  (void)state;
  drifting d;
  double worst = 0;
  begin(&d);
  for (int n = 0; n < STEPS; ++n) {
    worst = check_max(worst, step(&d, 20, 5));
    d.a[0] += 1e-5;
    d.a[1] += 1e-5;
  }
  CHECK_INT(d.counters.factorizations, 1);
  CHECK_INT(d.counters.newton_iterations, STEPS + 6);
  check_report("left, in tolerances", worst, 1);
  CHECK_LE(worst, 1);
}

/* The rate of the age before would leave 50 times half of a tolerance ten steps later: rates are
 * taken to grow as the age does, and looked at again. */
static void growing_rates(void **state) {
  (void)state;
  drifting d;
  double worst = 0;
  begin(&d);
  for (int n = 0; n < STEPS; ++n) {
    worst = check_max(worst, step(&d, 3 + n % 3, 60));
    d.a[0] += 1e-5;
    d.a[1] += 1e-3;
  }
  check_report("left, in tolerances", worst, 1);
  CHECK_LE(worst, 1);
}

/* Every fifth prediction is off where the matrix is, by five times what the tolerances allow after
 * one iteration; the others where it is not. */
static void slow_directions(void **state) {
  (void)state;
  drifting d;
  double worst = 0;
  begin(&d);
  for (int n = 0; n < STEPS; ++n) {
    worst = check_max(worst, n % 5 == 1 ? step(&d, 0, 100) : step(&d, 40, 0));
    d.a[0] += 1e-6;
    d.a[1] = 1.05;
  }
  check_report("left, in tolerances", worst, 1);
  CHECK_LE(worst, 1);
}

/* A matrix that has served ten steps, which tell nothing: predictions are within the tolerances.
 * `off`: what a[1] is changed by until then, and on. */
static void serve(drifting *d, double off) {
  begin(d);
  for (int n = 0; n < 10; ++n) {
    step(d, 0.5, 0.5);
    d->a[1] = 1 + off * (n + 1) / 10;
  }
}

/* A step shows a rate of 0.05 by a fourth of its correction only, as 0.0125: relied upon it would
 * leave 2 of the next 40. */
static void other_compositions(void **state) {
  (void)state;
  drifting d;
  serve(&d, 0.05);
  step(&d, 40, 10);
  const double left = step(&d, 0, 40);
  check_report("left, in tolerances", left, 1);
  CHECK_LE(left, 1);
}

/* The same, at twice the age: four times 0.0125 is what the rate was, and 16 times 0.1 what it
 * leaves. */
static void other_compositions_later(void **state) {
  (void)state;
  drifting d;
  serve(&d, 0.05);
  step(&d, 40, 10);
  for (int n = 11; n < 20; ++n) step(&d, 0.5, 0.5);
  d.a[1] = 1.1;
  const double left = step(&d, 0, 16);
  check_report("left, in tolerances", left, 1);
  CHECK_LE(left, 1);
}

/* A correction of 2 of which nothing is left says little of one of 20: a tenth of that is left. */
static void hidden_rates(void **state) {
  (void)state;
  drifting d;
  serve(&d, 0.1);
  step(&d, 2, 0);
  const double left = step(&d, 0, 20);
  check_report("left, in tolerances", left, 1);
  CHECK_LE(left, 1);
}

/* The rate of one factorisation says nothing about the next one, whose rate would leave 1.5. */
static void new_factorisations(void **state) {
  (void)state;
  drifting d;
  serve(&d, 0);
  step(&d, 40, 10);
  newton_forget(&d.n);
  step(&d, 0.5, 0.5);
  CHECK_INT(d.counters.factorizations, 2);
  d.a[1] = 1.05;
  const double left = step(&d, 0, 30);
  check_report("left, in tolerances", left, 1);
  CHECK_LE(left, 1);
}

/* 1000 tolerances by a rate of 0.01 take two iterations where it is known, else three.  Steps that
 * end by what is known tell nothing of later rates: those of ages 1, 3, 7, 15, 31 do. */
static void steps_that_tell(void **state) {
  (void)state;
  drifting d;
  double worst = 0;
  begin(&d);
  for (int n = 0; n < STEPS; ++n) {
    worst = check_max(worst, step(&d, 1000, 0));
    d.a[0] = 1.01;
  }
  CHECK_INT(d.counters.newton_iterations, 2 * STEPS + 5);
  check_report("left, in tolerances", worst, 1);
  CHECK_LE(worst, 1);
}

/* Ten steps that find the matrix as it was, from far away: rates of nothing.  Then it changes by
 * half within a step, which goes as far: one iteration would leave a third of that. */
static void other_laws(void **state) {
  (void)state;
  drifting d;
  begin(&d);
  for (int n = 0; n < 10; ++n) CHECK_LE(step(&d, 1e8, 1e8), 1);
  CHECK_INT(d.counters.factorizations, 1);
  d.a[0] = 1.5;
  const double left = step(&d, 1e6, 1e6);
  check_report("left, in tolerances", left, 1);
  CHECK_LE(left, 1);
}

/* Half the matrix: corrections overshoot by their own size and a bit. */
static torsor_status factor_too_little(void *self) {
  drifting *d = self;
  for (int i = 0; i < UNKNOWNS; ++i) d->kept[i] = 0.4 * d->a[i];
  return TORSOR_OK;
}

/* Floors that were found on the way out of bounds do not serve later steps, as whose first iterates
 * would do then. */
static void floors_of_divergence(void **state) {
  (void)state;
  drifting d;
  begin(&d);
  const newton_system system = {&d,    predict, residual, factor_too_little,
                                solve, measure, correct,  roundoff};
  d.off[0] = d.off[1] = 1e6;
  CHECK_INT(newton_solve(&d.n, &system, &d.counters), TORSOR_NEWTON);
  CHECK_NEAR(d.n.blocks[0].floor, 0, 0);
  CHECK_TRUE(!d.n.has_floors && !d.n.floored && !d.n.factored);
  CHECK_LE(step(&d, 1e6, 1e6), 1);
}

/* ---- rounding errors ---------------------------------------------------------------------- */

/* Corrections that go round in a circle of rounding errors, whatever the matrix. */
typedef struct circle {
  newton n;
  torsor_counters counters;
  double tolerance, floor, x[1];
  int count;
} circle;

static void predict_circle(void *self) {
  circle *c = self;
  c->n.blocks[0].tolerance = c->tolerance;
  c->count = 0;
}

/* 1000, then 1, 2, 1/2 ... of 3/2 floors. */
static torsor_status next_of_circle(void *self, double *x) {
  static const double part[] = {1, 2, 1};
  circle *c = self;
  x[0] = c->count == 0 ? 1000 * c->floor : 1.5 * c->floor * part[c->count % 3];
  ++c->count;
  return TORSOR_OK;
}

static torsor_status factor_circle(void *self) {
  (void)self;
  return TORSOR_OK;
}

static torsor_status solve_circle(void *self, double *x) {
  (void)self, (void)x;
  return TORSOR_OK;
}

static torsor_status round_circle(void *self, double *x) {
  x[0] = ((circle *)self)->floor;
  return TORSOR_OK;
}

static void ignore(void *self, const double *x) {
  (void)self, (void)x;
}

static int circle_ends(double tolerance) {
  static const torsor_problem problem = {.factor_cost = 3};
  circle c = {.tolerance = tolerance, .floor = 1e-15};
  const newton_system system = {&c,           predict_circle, next_of_circle, factor_circle,
                                solve_circle, ignore,         ignore,         round_circle};
  c.n.x = c.x;
  c.n.block_count = 1;
  c.n.blocks[0] = (newton_block){.data = c.x, .length = 1};
  newton_limit(&c.n, 20, &problem);
  newton_init(&c.n);
  CHECK_INT(newton_solve(&c.n, &system, &c.counters), TORSOR_OK);
  return c.n.iterations;
}

/* Two corrections that are not below half of the least are enough; at rest, where the tolerance is
 * 0 and norms are infinite, the floors are found, too. */
static void circles_of_rounding_errors(void **state) {
  (void)state;
  const int small = circle_ends(1e-18), none = circle_ends(0);
  print_message("  %d and %d iterations\n", small, none);
  CHECK_LE(small, 6);
  CHECK_LE(none, 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(floors_of_divergence),
      cmocka_unit_test(known_rates),
      cmocka_unit_test(growing_rates),
      cmocka_unit_test(slow_directions),
      cmocka_unit_test(other_compositions),
      cmocka_unit_test(other_compositions_later),
      cmocka_unit_test(hidden_rates),
      cmocka_unit_test(new_factorisations),
      cmocka_unit_test(steps_that_tell),
      cmocka_unit_test(other_laws),
      cmocka_unit_test(circles_of_rounding_errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
