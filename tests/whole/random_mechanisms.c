/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random mechanisms of all kinds of bodies, joints, drives and forces, and what must not matter to
 * them: where the scene stands and how it is turned, the order of its elements, its size, the
 * linear solver; and what must hold: momentum follows impulse, energy follows work, and rest stays
 * rest.  Arguments are the number of mechanisms and the first one. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "mechanisms/mechanism.h"

typedef enum property {
  MOVED,
  REVERSED,
  SMALL,
  LARGE,
  KLU,
  UMFPACK,
  REST,
  MOMENTUM,
  ANGULAR_MOMENTUM,
  ENERGY,
  PROPERTIES
} property;

static const char *const properties[] = {"turned and moved",
                                         "other order",
                                         "a ten-thousandth of the size",
                                         "1000 times the size",
                                         "solver klu",
                                         "solver umfpack",
                                         "rest",
                                         "momentum and impulse",
                                         "angular momentum and impulse",
                                         "energy and work"};

/* Each change of a run that leaves it what it is. */
#define HERE                                                                                       \
  {                                                                                                \
    {1, 0, 0, 0}, {                                                                                \
      0, 0, 0                                                                                      \
    }                                                                                              \
  }
static const change changes[] = {
    [MOVED] = {.s = 1, .step = MECHANISM_STEP},
    [REVERSED] = {.move = HERE, .reversed = true, .s = 1, .step = MECHANISM_STEP},
    [SMALL] = {.move = HERE, .s = 1e-4, .step = MECHANISM_STEP},
    [LARGE] = {.move = HERE, .s = 1e3, .step = MECHANISM_STEP},
    [KLU] = {.move = HERE,
             .s = 1,
             .step = MECHANISM_STEP,
             .simulation = ", \"linear_solver\": \"klu\""},
    [UMFPACK] = {.move = HERE,
                 .s = 1,
                 .step = MECHANISM_STEP,
                 .simulation = ", \"linear_solver\": \"umfpack\""},
    [REST] = {.move = HERE, .s = 1, .rest = true, .step = MECHANISM_STEP}};

typedef struct tally {
  int runs, refused, differ[PROPERTIES];
  double worst[PROPERTIES];
} tally;

/* Newton's tolerance of 1e-10 in each of 40 steps, which what is unstable may make grow by a factor
 * of 100 in the time of the run; rest: rounding of as many steps. */
#define SAME  (1e-10 * MECHANISM_STEPS * 100)
#define STILL (1e5 * CHECK_EPS)

static void count(tally *t, property p, uint64_t seed, const mechanism *m, double off, double bound,
                  const char *message) {
  if (isfinite(off)) t->worst[p] = check_max(t->worst[p], off);
  if (off <= bound) return;
  ++t->differ[p];
  print_error("mechanism %llu, %s: %.3g, at most %.3g expected %s\n", (unsigned long long)seed,
              properties[p], off, bound, message);
  mechanism_print(m);
}

static void compare(tally *t, property p, uint64_t seed, const mechanism *m, const rows *base) {
  change c = changes[p];
  if (p == MOVED) c.move = (se3){so3_exp((v3){0.7, -1.1, 0.4}), {0.5, -0.3, 0.8}};
  rows other;
  torsor_error error;
  double off = HUGE_VAL;
  if (mechanism_run(&other, m, &c, &error)) {
    const rows *from = p == REST ? &other : base;
    const double *first = mechanism_row(from, p == REST ? 0 : from->count - 1);
    off = mechanism_difference(m, &base->at, first, mechanism_row(&other, other.count - 1), &c);
  }
  count(t, p, seed, m, off, p == REST ? STILL : SAME, error.message);
  mechanism_release(&other);
}

static void check_balances(tally *t, uint64_t seed, const mechanism *m, const rows *base) {
  const change halved = {.move = HERE, .s = 1, .step = MECHANISM_STEP, .parts = 2};
  rows fine;
  torsor_error error;
  const bool ran = mechanism_run(&fine, m, &halved, &error);
  for (int b = 0; b < BALANCES; ++b)
    count(t, (property)(MOMENTUM + b), seed, m,
          ran ? mechanism_unbalanced(&fine, (balance)b) : HUGE_VAL,
          mechanism_balance_bound(m, base, (balance)b), error.message);
  mechanism_release(&fine);
}

static void try_mechanism(tally *t, uint64_t seed) {
  mechanism m;
  rows base;
  torsor_error error;
  const change plain = {.move = HERE, .s = 1, .step = MECHANISM_STEP};
  mechanism_draw(&m, seed);
  if (!mechanism_run(&base, &m, &plain, &error)) {
    ++t->refused;
    print_message("  mechanism %llu: %s %s\n", (unsigned long long)seed, error.path, error.message);
    mechanism_print(&m);
    return;
  }
  ++t->runs;
  for (int p = 0; p < MOMENTUM; ++p)
    if (p != REST || mechanism_rests(&m)) compare(t, (property)p, seed, &m, &base);
  check_balances(t, seed, &m, &base);
  mechanism_release(&base);
}

static int wanted = 150, first = 1;

static void nothing_else_matters(void **state) {
  (void)state;
  tally t = {0};
  int wrong = 0;
  for (int k = 0; k < wanted; ++k) try_mechanism(&t, (uint64_t)(first + k));
  print_message("  %d mechanisms, %d refused\n", t.runs, t.refused);
  for (int k = 0; k < PROPERTIES; ++k) {
    if (k >= MOMENTUM)
      print_message("  %s, largest difference with half the step: %.3g; %d differ\n", properties[k],
                    t.worst[k], t.differ[k]);
    else
      check_report(properties[k], t.worst[k], k == REST ? STILL : SAME);
    wrong += t.differ[k];
  }
  CHECK_INT(wrong, 0);
  CHECK_GE(t.runs, wanted * 3 / 4);
}

int main(int argc, char **argv) {
  if (argc > 1) wanted = atoi(argv[1]);
  if (argc > 2) first = atoi(argv[2]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_else_matters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
