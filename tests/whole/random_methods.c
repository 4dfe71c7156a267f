/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random mechanisms by every method: each agrees with Radau's within its order, or refuses them for
 * a reason that is true of them; the error estimate of runs without a step is right; and a run that
 * is resumed from a checkpoint ends with the same bits. Arguments are the number of mechanisms and
 * the first one. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "mechanisms/mechanism.h"
#include "support.h"

typedef enum method { INDEX3, GGL, SOI2, HHT_ODAE, RATTLE, RADAU, METHODS } method;

static const struct {
  const char *name, *keys;
} methods[METHODS] = {[GGL] = {"default", NULL},
                      [INDEX3] = {"index3", ", \"formulation\": \"index3\""},
                      [SOI2] = {"soi2", ", \"method\": \"soi2\""},
                      [HHT_ODAE] = {"hht_odae", ", \"method\": \"hht_odae\""},
                      [RATTLE] = {"rattle", ", \"method\": \"rattle\""},
                      [RADAU] = {"radau", ", \"method\": \"radau\""}};

/* The counted numbers: for each method, its errors; then the runs without a step, and the resumed
 * runs. */
enum { CHOSEN = METHODS, RESUMED, PROPERTIES };

typedef struct tally {
  int runs, refused, tried[PROPERTIES], declined[METHODS], differ[PROPERTIES];
  double worst[PROPERTIES];
} tally;

#define HERE                                                                                       \
  {                                                                                                \
    {1, 0, 0, 0}, {                                                                                \
      0, 0, 0                                                                                      \
    }                                                                                              \
  }

static change by(method k, int parts) {
  return (change){
      .move = HERE, .s = 1, .step = MECHANISM_STEP, .parts = parts, .simulation = methods[k].keys};
}

static void wrong(tally *t, int p, uint64_t seed, const mechanism *m, const char *message) {
  ++t->differ[p];
  print_error("mechanism %llu, %s: %s\n", (unsigned long long)seed,
              p < METHODS   ? methods[p].name
              : p == CHOSEN ? "no step"
                            : "resumed",
              message);
  mechanism_print(m);
}

/* ---- methods
 * ---------------------------------------------------------------------------------------- */

/* Largest difference over the rows of the coarser run. */
static double largest_difference(const mechanism *m, const rows *a, const rows *b) {
  const change same = by(GGL, 1);
  const int skip =
      (b->count - 1) / (a->count - 1); /* the reference has as many rows, or twice as many */
  double worst = 0;
  for (int i = 0; i < a->count; ++i)
    worst = check_max(worst, mechanism_difference(m, &a->at, mechanism_row(b, i * skip),
                                                  mechanism_row(a, i), &same));
  return worst;
}

/* Reasons for which a method may refuse a mechanism, by what is said of it. */
static bool may_refuse(const mechanism *m, method k, const torsor_error *error) {
  if (!strstr(error->message, methods[k].name)) return false;
  if (k == HHT_ODAE) return mechanism_is_redundant(m);
  return k == RATTLE && !m->conservative;
}

/* Newton's iteration ends within 1e-8 of accelerations, which are of the size 10 m/s^2 or rad/s^2
 * in joints that bear a body, and ten times that where what is small turns: 100 rtol T^2/2, over
 * which errors of the starting values may be multiplied by 10. */
#define SETTLED (100 * 1e-8 * 10 * 0.08 * 0.08 / 2)

/* Where a cable goes slack accelerations have a corner, of EA strain'/m = 20 N 15 s^-1/0.3 kg =
 * 1000 m/s^3, or, damped, jump by 10 m/s^2, at a time that the steps do not know: velocities are
 * off by up to h^2/8 and h/2 of these from there on. */
static double slack_error(const mechanism *m) {
  const double h = MECHANISM_STEP / 2, T = MECHANISM_STEP * MECHANISM_STEPS;
  const slack_kind kind = mechanism_slackens(m);
  return kind == NEVER_SLACK ? 0 : T * (kind == SLACK ? h * h / 8 * 1000 : h / 2 * 10);
}

static void check_balance(tally *t, uint64_t seed, const mechanism *m, method k, const rows *coarse,
                          const rows *fine, balance b) {
  static const char *const names[] = {"momentum and impulse", "angular momentum and impulse",
                                      "energy and work"};
  const double off = mechanism_unbalanced(fine, b), bound = mechanism_balance_bound(m, coarse, b);
  char message[200];
  snprintf(message, sizeof message, "%s: %.3g, at most %.3g expected", names[b], off, bound);
  if (!(off <= bound)) wrong(t, (int)k, seed, m, message);
}

/* A mechanism at rest stays where it is, to rounding in each step. */
static void check_rest(tally *t, uint64_t seed, const mechanism *m, method k) {
  change rest = by(k, 1);
  rows still;
  torsor_error error;
  char message[600];
  rest.rest = true;
  if (!mechanism_rests(m)) return;
  if (!mechanism_run(&still, m, &rest, &error)) {
    if (!may_refuse(m, k, &error)) wrong(t, (int)k, seed, m, error.message);
    return;
  }
  const double moved = mechanism_difference(m, &still.at, mechanism_row(&still, 0),
                                            mechanism_row(&still, still.count - 1), &rest);
  snprintf(message, sizeof message, "from rest it moved by %.3g", moved);
  if (!(moved <= 1e5 * CHECK_EPS)) wrong(t, (int)k, seed, m, message);
  mechanism_release(&still);
}

/* Errors of second order are a quarter with half the step, and more than 1/3 would not be.  Those
 * of the step and of the damped start may cancel in the coarse run: there the errors of index 3
 * with a perturbed start count, which are the first, `usual`. */
static void check_method(tally *t, uint64_t seed, const mechanism *m, method k, const rows *exact,
                         double *usual) {
  rows coarse, fine;
  torsor_error error;
  char message[600];
  const change once = by(k, 1), twice = by(k, 2);
  if (!mechanism_run(&coarse, m, &once, &error)) {
    if (may_refuse(m, k, &error))
      ++t->declined[k];
    else
      wrong(t, (int)k, seed, m, error.message);
    return;
  }
  ++t->tried[k];
  const double before = fmax(*usual, largest_difference(m, &coarse, exact));
  if (k == INDEX3) *usual = before;
  if (!mechanism_run(&fine, m, &twice, &error)) {
    wrong(t, (int)k, seed, m, error.message);
  } else {
    const double after = largest_difference(m, &fine, exact);
    t->worst[k] = check_max(t->worst[k], after);
    snprintf(message, sizeof message, "errors %.3g, with half the step %.3g %.300s", before, after,
             coarse.warnings);
    for (int b = 0; b < BALANCES; ++b) check_balance(t, seed, m, k, &coarse, &fine, (balance)b);
    if (!(after <= before / 3 + SETTLED + slack_error(m))) wrong(t, (int)k, seed, m, message);
  }
  mechanism_release(&coarse);
  mechanism_release(&fine);
}

/* ---- no step
 * ------------------------------------------------------------------------------------------ */

/* Errors of positions in parts of the way of the bodies, and of orientations in parts of their
 * turn. */
static double relative_error(const mechanism *m, const torsor_choice *c, const rows *a,
                             const rows *exact) {
  double worst = 0;
  for (int i = 0; i < a->count; ++i)
    for (int k = 0; k < MECHANISM_BODIES; ++k) {
      const double *x = mechanism_row(a, i) + a->at.body[k];
      const double *y = mechanism_row(exact, i) + a->at.body[k];
      const double moved = v3_norm(v3_sub(v3_load(x), v3_load(y)));
      if (c->way > 0) worst = check_max(worst, moved / c->way);
      if (mechanism_is_point(m, k) || !(c->turn > 0)) continue;
      worst = check_max(worst, v3_norm(so3_minus(so3_load(x + 3), so3_load(y + 3))) / c->turn);
    }
  return worst;
}

/* The choice of steps for a mechanism. */
static torsor_status choose(torsor_choice *choice, const mechanism *m, const change *c,
                            torsor_error *error) {
  char *scene = mechanism_scene(m, c);
  support_world world;
  torsor_simulation chosen;
  torsor_status status = support_open(&world, scene, NULL, error);
  free(scene);
  if (status) return status;
  status = torsor_choose_steps(&chosen, choice, world.model, torsor_scene_simulation(world.scene),
                               NULL, error);
  support_close(&world);
  return status;
}

/* The error estimate is right within a factor of 3, see tests/analysis/dynamics/choose.c, and at
 * most 3e-3; 1e-9 are rounding of states that Radau's steps of duration/500, as rows are apart, add
 * up. */
static void check_chosen(tally *t, uint64_t seed, const mechanism *m, method k) {
  enum { ROWS = 500 };
  const double step = MECHANISM_STEP * MECHANISM_STEPS / ROWS;
  change none = by(k, 1), radau = by(RADAU, 1);
  char keys[100], message[600] = "";
  torsor_choice choice;
  rows chosen = {0}, exact = {0};
  torsor_error error = {0};
  snprintf(keys, sizeof keys, "%s, \"step\": %.17g", methods[RADAU].keys, step);
  radau.simulation = keys;
  none.no_step = radau.no_step = true;
  if (choose(&choice, m, &none, &error) || !mechanism_run(&chosen, m, &none, &error) ||
      !mechanism_run(&exact, m, &radau, &error)) {
    if (!may_refuse(m, k, &error)) wrong(t, CHOSEN, seed, m, error.message);
  } else {
    ++t->tried[CHOSEN];
    const double off = relative_error(m, &choice, &chosen, &exact);
    const double estimate = chosen.summary.error_estimate;
    t->worst[CHOSEN] = check_max(t->worst[CHOSEN], off / estimate);
    snprintf(message, sizeof message, "%s: error %.3g, estimate %.3g %.300s", methods[k].name, off,
             estimate, chosen.warnings);
    if (!(off <= 3 * estimate + 1e-9 && estimate <= 3e-3)) wrong(t, CHOSEN, seed, m, message);
  }
  mechanism_release(&chosen);
  mechanism_release(&exact);
}

/* ---- going on
 * ------------------------------------------------------------------------------------------- */

enum { KEEP_AT = 17 };

/* The last row, and the state after some steps. */
typedef struct kept {
  unsigned char *state;
  size_t size;
  int steps, count, rows;
  double last[64];
} kept;

static torsor_status take_row(void *data, double t, const double *values, int count) {
  kept *k = data;
  k->count = count + 1;
  k->last[0] = t;
  memcpy(k->last + 1, values, (size_t)count * sizeof *values);
  ++k->rows;
  return TORSOR_OK;
}

static bool keep_now(void *data) {
  kept *k = data;
  return ++k->steps == KEEP_AT;
}

static torsor_status keep(void *data, double t, const void *state, size_t size) {
  kept *k = data;
  (void)t;
  if (k->state) return TORSOR_OK;
  k->state = malloc(size);
  k->size = size;
  if (!k->state) return TORSOR_MEMORY;
  memcpy(k->state, state, size);
  return TORSOR_OK;
}

static bool go(kept *k, const char *scene, const kept *from) {
  support_world world;
  torsor_signals *signals = NULL;
  torsor_summary summary;
  torsor_error error;
  const torsor_hooks hooks = {.size = sizeof(torsor_hooks),
                              .data = k,
                              .record = take_row,
                              .keep_now = keep_now,
                              .keep = keep};
  if (support_open(&world, scene, NULL, &error)) return false;
  int count;
  const char *const *names = torsor_scene_signals(world.scene, &count);
  CHECK_INT(torsor_signals_create(&signals, world.model, names, count, NULL, &error), TORSOR_OK);
  const torsor_simulation *s = torsor_scene_simulation(world.scene);
  const torsor_status status =
      from ? torsor_simulate_on(&summary, world.model, s, signals, &hooks, from->state, from->size,
                                &error)
           : torsor_simulate(&summary, world.model, s, signals, &hooks, &error);
  torsor_signals_destroy(signals);
  support_close(&world);
  return status == TORSOR_OK;
}

static void check_resumed(tally *t, uint64_t seed, const mechanism *m, method k) {
  const change c = by(k, 1);
  char *scene = mechanism_scene(m, &c);
  kept whole = {0}, rest = {0};
  if (go(&whole, scene, NULL)) {
    ++t->tried[RESUMED];
    if (!go(&rest, scene, &whole))
      wrong(t, RESUMED, seed, m, "it does not go on");
    else if (memcmp(whole.last, rest.last, (size_t)whole.count * sizeof *whole.last) != 0 ||
             rest.rows >= whole.rows)
      wrong(t, RESUMED, seed, m, methods[k].name);
  }
  free(whole.state);
  free(rest.state);
  free(scene);
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Runs without a step take hundreds of steps: a few mechanisms. */
enum { CHOSEN_EACH = 10 };

static void try_mechanism(tally *t, uint64_t seed) {
  mechanism m;
  rows exact;
  torsor_error error;
  const change radau = by(RADAU, 2);
  mechanism_draw(&m, seed);
  if (!mechanism_run(&exact, &m, &radau, &error)) {
    ++t->refused;
    print_message("  mechanism %llu: %s %s\n", (unsigned long long)seed, error.path, error.message);
    mechanism_print(&m);
    return;
  }
  ++t->runs;
  double usual = 0;
  for (int k = 0; k < RADAU; ++k) check_method(t, seed, &m, (method)k, &exact, &usual);
  check_rest(t, seed, &m, (method)(seed / METHODS % METHODS));
  check_resumed(t, seed, &m, (method)(seed % METHODS));
  if (seed % CHOSEN_EACH == 0) check_chosen(t, seed, &m, (method)(seed / CHOSEN_EACH % METHODS));
  mechanism_release(&exact);
}

static int wanted = 100, first = 1;

static void every_method(void **state) {
  (void)state;
  tally t = {0};
  int all = 0;
  for (int k = 0; k < wanted; ++k) try_mechanism(&t, (uint64_t)(first + k));
  print_message("  %d mechanisms, %d refused\n", t.runs, t.refused);
  for (int k = 0; k < RADAU; ++k)
    print_message("  %-9s %d tried, %d refused, errors up to %.3g; %d differ\n", methods[k].name,
                  t.tried[k], t.declined[k], t.worst[k], t.differ[k]);
  print_message("  no step   %d tried, errors up to %.3g of the estimate; %d differ\n",
                t.tried[CHOSEN], t.worst[CHOSEN], t.differ[CHOSEN]);
  print_message("  resumed   %d tried; %d differ\n", t.tried[RESUMED], t.differ[RESUMED]);
  for (int k = 0; k < PROPERTIES; ++k) all += t.differ[k];
  CHECK_INT(all + t.refused, 0);
}

int main(int argc, char **argv) {
  if (argc > 1) wanted = atoi(argv[1]);
  if (argc > 2) first = atoi(argv[2]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_method)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
