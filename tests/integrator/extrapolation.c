/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a step begins its iteration: what of a motion is foreseen. */
#include "check.h"

#include "integrator/extrapolation.h"
#include "integrator/parts.h"

enum { LENGTH = 45, FIRST = 20, COUNTED = 40, LONG = 40 };

/* Differences that are others but for 1e-12 of their square are left alone. */
#define RESOLVED 1e-6

typedef struct past {
  extrapolation e;
  arena memory;
} past;

static void past_open_of(past *p, int length, int first, int counted) {
  *p = (past){.e = {.length = length, .first = first, .counted = counted}};
  tape take = {.memory = &p->memory};
  extrapolation_walk(&p->e, &take);
  CHECK_INT(take.status, TORSOR_OK);
  extrapolation_clear(&p->e);
}

static void past_open(past *p) {
  past_open_of(p, LENGTH, FIRST, COUNTED);
}

static void past_close(past *p) {
  arena_release(&p->memory);
}

typedef void motion(double *y, int n);

/* Errors of `count` predictions from `from` on, largest entry. */
static double foresee(motion *next, int from, int count) {
  past p;
  double y[LENGTH], guess[LENGTH], worst = 0;
  past_open(&p);
  for (int n = 0; n < from + count; ++n) {
    next(y, n);
    extrapolation_predict(&p.e, guess);
    for (int i = 0; i < LENGTH && n >= from; ++i) worst = check_max(worst, fabs(guess[i] - y[i]));
    if (n)
      extrapolation_push(&p.e, y);
    else
      memcpy(p.e.value[0], y, sizeof y);
  }
  past_close(&p);
  return worst;
}

static void oscillate(double *y, int n) {
  for (int i = 0; i < LENGTH; ++i)
    y[i] = 3 - 0.2 * i + 0.1 * n + cos(0.5 * n + i) + 0.3 * sin(1.1 * n + 0.7 * i * i);
}

static void alternate(double *y, int n) {
  for (int i = 0; i < LENGTH; ++i) y[i] = (n % 2 ? -1 : 1) * (1 + 0.1 * i);
}

static void parabola(double *y, int n) {
  for (int i = 0; i < LENGTH; ++i) y[i] = 1 + 0.5 * i + n * (1 - 0.1 * i) + 0.25 * n * n * i;
}

/* In step 20 everything is somewhere else, and goes on from there. */
static void jump(double *y, int n) {
  oscillate(y, n);
  for (int i = 0; i < LENGTH && n >= 20; ++i) y[i] += 10 * sin(i * i);
}

static check_rng rng = {5};

static void noise(double *y, int n) {
  (void)n;
  for (int i = 0; i < LENGTH; ++i) y[i] = check_uniform(&rng, -1, 1);
}

/* Two frequencies and a drift, components that are not counted included; polynomials are off by the
 * third difference, 0.2. */
static void frequencies(void **state) {
  (void)state;
  const double worst = foresee(oscillate, 15, LONG);
  check_report("oscillation", worst, RESOLVED);
  CHECK_LE(worst, RESOLVED);
}

/* Polynomials magnify it eight times. */
static void alternation(void **state) {
  (void)state;
  const double worst = foresee(alternate, 6, LONG), bound = 5.5 * RESOLVED;
  check_report("alternation", worst, bound);
  CHECK_LE(worst, bound);
}

/* As soon as there are two differences, by nothing but sums: 8 of numbers up to 100; differences of
 * up to 900 are predicted later on. */
static void polynomials(void **state) {
  (void)state;
  const double first = foresee(parabola, 3, 1), bound = 8 * CHECK_EPS * 100;
  check_report("parabola, fourth value", first, bound);
  CHECK_LE(first, bound);
  const double worst = foresee(parabola, 3, LONG);
  check_report("parabola, all from there on", worst, 900 * RESOLVED);
  CHECK_LE(worst, 900 * RESOLVED);
}

/* The best of the last seven is their mean: sqrt(8/7) of the noise.  40 components decide on six
 * coefficients, which adds some; polynomials are off by sqrt(20) = 4.5. */
static void no_pattern(void **state) {
  (void)state;
  past p;
  double y[LENGTH], guess[LENGTH], sum = 0;
  past_open(&p);
  for (int n = 0; n < 220; ++n) {
    noise(y, n);
    extrapolation_predict(&p.e, guess);
    for (int i = 0; i < LENGTH && n >= 20; ++i) sum += pow(guess[i] - y[i], 2);
    extrapolation_push(&p.e, y);
  }
  past_close(&p);
  const double off = sqrt(sum / 200 / LENGTH / (1.0 / 3));
  check_report("of noise, in parts of it", off, 2);
  CHECK_LE(off, 2);
}

enum { FEW = 8, POLYNOMIAL = EXTRAPOLATION_ORDER + 1, RIVALS };

/* Root of the mean square of what predictions are off by: `chosen` ones, those of order k's
 * coefficients alone in rival[k] and the polynomial of order 2 in the last. */
static double compete(double rival[RIVALS], motion *next, int length) {
  enum { FROM = 20, COUNT = 400 };
  past p;
  double y[LENGTH], guess[LENGTH], chosen = 0;
  memset(rival, 0, RIVALS * sizeof *rival);
  past_open_of(&p, length, length, length);
  for (int n = 0; n < FROM + COUNT; ++n) {
    next(y, n);
    extrapolation_predict(&p.e, guess);
    for (int i = 0; i < length && n >= FROM; ++i) chosen += pow(guess[i] - y[i], 2);
    for (int k = 2; k < RIVALS && n >= FROM; ++k) {
      extrapolation alone = p.e;
      alone.plain = k == POLYNOMIAL;
      alone.order = k == POLYNOMIAL ? 2 : k;
      extrapolation_predict(&alone, guess);
      for (int i = 0; i < length; ++i) rival[k] += pow(guess[i] - y[i], 2);
    }
    extrapolation_push(&p.e, y);
  }
  past_close(&p);
  for (int k = 2; k < RIVALS; ++k) rival[k] = sqrt(rival[k] / COUNT / length);
  return sqrt(chosen / COUNT / length);
}

/* Each value is the last one and something by chance. */
static void stagger(double *y, int n) {
  static double at[FEW];
  for (int i = 0; i < FEW; ++i) y[i] = at[i] = (n ? at[i] : 0) + check_uniform(&rng, -1, 1);
}

/* The second difference is 1, 1.1, .. and hardly anything by chance: the next value is that of the
 * polynomial and this, whatever came before. */
static void bend(double *y, int n) {
  static double at[FEW], rate[FEW];
  for (int i = 0; i < FEW; ++i) {
    rate[i] = (n ? rate[i] : 0) + 1 + 0.1 * i + check_uniform(&rng, -0.01, 0.01);
    y[i] = at[i] = (n ? at[i] : 0) + rate[i];
  }
}

/* Six coefficients foretell six components' chance of the last step: the highest order is twice as
 * far off as the lowest.  What is chosen has to be nearer to the best than to the highest, in parts
 * of themselves. */
static void lower_orders(void **state) {
  (void)state;
  double rival[RIVALS];
  const double chosen = compete(rival, stagger, 6);
  const double bound = sqrt(rival[2] * rival[EXTRAPOLATION_ORDER]);
  CHECK_LE(2 * rival[2], rival[EXTRAPOLATION_ORDER]);
  check_report("chance, orders 2 and 6 each alone", rival[2], rival[EXTRAPOLATION_ORDER]);
  check_report("  and those that were chosen", chosen, bound);
  CHECK_LE(chosen, bound);
}

/* Fits follow the chance in few components; with the polynomial where that was nearer predictions
 * are better than by fits of any one order. */
static void plain_polynomials(void **state) {
  (void)state;
  double rival[RIVALS];
  for (int length = 2; length <= 4; length += 2) {
    const double chosen = compete(rival, bend, length);
    const double fitted = fmin(fmin(rival[2], rival[4]), rival[6]);
    check_report("polynomial alone, and the best of fits", rival[POLYNOMIAL], fitted);
    check_report("  and those that were chosen", chosen, fitted);
    CHECK_LE(chosen, fitted);
  }
}

/* A jump stays in the differences for seven steps; what its products leave in the coefficients
 * loses a factor of sqrt(10) a step. */
static void jumps(void **state) {
  (void)state;
  const double worst = foresee(jump, 20 + 7 + 14, LONG);
  check_report("behind a jump", worst, RESOLVED);
  CHECK_LE(worst, RESOLVED);
}

/* Something by chance, and then a parabola without rounding errors, each time another one. */
static void straighten(double *y, int n) {
  static double slope[LENGTH], bend[LENGTH];
  for (int i = 0; i < LENGTH && n < 10; ++i) {
    y[i] = slope[i] = floor(check_uniform(&rng, -100, 100));
    bend[i] = floor(check_uniform(&rng, 0, 3));
  }
  for (int i = 0; i < LENGTH && n >= 10; ++i) y[i] = (n - 10) * (slope[i] + bend[i] * (n - 10));
}

/* Products of third differences are those of the chance, of which in the end nothing is left. First
 * differences are up to 100 + 4 n. */
static void fading(void **state) {
  (void)state;
  enum { FROM = 10 + 7 + 14, STEPS = 500 };
  double worst = 0;
  for (int k = 0; k < 20; ++k) worst = check_max(worst, foresee(straighten, FROM, STEPS));
  const double bound = RESOLVED * (100 + 4 * (FROM + STEPS));
  check_report("of parabolas, hundreds of steps", worst, bound);
  CHECK_LE(worst, bound);
}

enum { MANY = 4500, MANY_FIRST = 2000, MANY_COUNTED = 4400 };

/* Each kind of components from its end on. */
static void turn_round(double *out, const double *y) {
  memcpy(out, y, MANY * sizeof *out);
  for (int i = 0; i < MANY_FIRST; ++i) out[i] = y[MANY_FIRST - 1 - i];
  for (int i = MANY_FIRST; i < MANY_COUNTED; ++i) out[i] = y[MANY_FIRST + MANY_COUNTED - 1 - i];
}

/* Long vectors are summed in parts: of chance all parts count the same.  Sums of 4,500 terms are
 * off by as many rounding errors at most. Squares of sixth differences are 924 times those of the
 * values: so much larger can errors be in coefficients, and by its root in what these are
 * multiplied by. A part that is left out changes coefficients by 1e-2. */
static void parts(void **state) {
  (void)state;
  static double y[MANY], turned[MANY], guess[MANY], other[MANY];
  past p, q;
  double off = 0;
  CHECK_INT(parts_of(MANY_COUNTED), PARTS);
  past_open_of(&p, MANY, MANY_FIRST, MANY_COUNTED);
  past_open_of(&q, MANY, MANY_FIRST, MANY_COUNTED);
  for (int n = 0; n < 30; ++n) {
    for (int i = 0; i < MANY; ++i) y[i] = check_uniform(&rng, -1, 1);
    turn_round(turned, y);
    extrapolation_push(&p.e, y);
    extrapolation_push(&q.e, turned);
    extrapolation_predict(&p.e, turned);
    extrapolation_predict(&q.e, other);
    turn_round(guess, turned);
    for (int i = 0; i < MANY; ++i) off = check_max(off, fabs(guess[i] - other[i]));
  }
  const double bound = MANY * CHECK_EPS * 924 * sqrt(924);
  check_report("components in another order", off, bound);
  CHECK_LE(off, bound);
  past_close(&p);
  past_close(&q);
}

static void rest(void **state) {
  (void)state;
  past p;
  double y[LENGTH], guess[LENGTH];
  past_open(&p);
  oscillate(y, 1);
  for (int n = 0; n < 10; ++n) extrapolation_push(&p.e, y);
  extrapolation_predict(&p.e, guess);
  for (int i = 0; i < LENGTH; ++i) CHECK_NEAR(guess[i], y[i], 4 * CHECK_EPS * fabs(y[i]));
  for (int n = 0; n < 10; ++n) {
    oscillate(y, n);
    extrapolation_push(&p.e, y);
  }
  extrapolation_forget(&p.e);
  extrapolation_predict(&p.e, guess);
  for (int i = 0; i < LENGTH; ++i) CHECK_NEAR(guess[i], y[i], 0);
  past_close(&p);
}

/* An extrapolation that was read from a tape continues like the one that was written, to the
 * bit. */
static void resumed(void **state) {
  (void)state;
  past p, again;
  double y[LENGTH], a[LENGTH], b[LENGTH];
  past_open(&p);
  past_open(&again);
  for (int n = 0; n < 12; ++n) {
    noise(y, n);
    extrapolation_push(&p.e, y);
  }
  tape write = {.mode = TAPE_WRITE};
  extrapolation_walk(&p.e, &write);
  tape read = {.mode = TAPE_READ, .data = write.data, .length = write.length};
  extrapolation_walk(&again.e, &read);
  tape_end(&read);
  CHECK_INT(read.status, TORSOR_OK);
  tape_release(&write);
  for (int n = 0; n < 12; ++n) {
    extrapolation_predict(&p.e, a);
    extrapolation_predict(&again.e, b);
    CHECK_INT(memcmp(a, b, sizeof a), 0);
    noise(y, n);
    extrapolation_push(&p.e, y);
    extrapolation_push(&again.e, y);
  }
  past_close(&p);
  past_close(&again);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(frequencies),  cmocka_unit_test(alternation),
      cmocka_unit_test(polynomials),  cmocka_unit_test(no_pattern),
      cmocka_unit_test(lower_orders), cmocka_unit_test(plain_polynomials),
      cmocka_unit_test(jumps),        cmocka_unit_test(fading),
      cmocka_unit_test(parts),        cmocka_unit_test(rest),
      cmocka_unit_test(resumed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
