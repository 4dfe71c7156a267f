/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run whose energy grows by more than errors of a motion is reported, and no other. */
#include "analysis/observe/energy.h"
#include "check.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

typedef struct moment {
  double kinetic, potential, elastic;
} moment;

static void keep_message(void *data, const char *message) {
  snprintf(data, 300, "%s", message);
}

/* All of them, in `data` [2000]. */
static void add_message(void *data, const char *message) {
  const size_t length = strlen(data);
  snprintf((char *)data + length, 2000 - length, "%s\n", message);
}

static void reported_of(char *message, const moment *at, bool exchanged) {
  energy_record record = {0};
  torsor_summary s = {.energy_exchanged = exchanged};
  const work none = {0};
  for (int i = 0; i < 3; ++i) {
    const torsor_balance sum = {
        .kinetic = at[i].kinetic, .potential = at[i].potential, .elastic = at[i].elastic};
    s.counters.steps = i;
    energy_note(&record, &s, &sum, &none);
  }
  *message = '\0';
  energy_tell(&record, keep_message, message);
  print_message("  E = %g, then at most %g off: %s\n", s.energy_initial, s.energy_max_drift,
                message);
  CHECK_NEAR(s.energy_final, at[2].kinetic + at[2].potential + at[2].elastic, 0);
}

static void gains_are_reported(void **state) {
  static const struct {
    moment at[3];
    bool exchanged, reported;
  } runs[] = {
      {{{0, 10, 0}, {4, 6, 0}, {10, 0, 0}}, false, false},     /* falls */
      {{{0, 10, 0}, {4, 6.9, 0}, {10, 2.4, 0}}, false, false}, /* coarse steps */
      {{{0, 10, 0}, {4, 8, 0.6}, {10, 0, 2.6}}, false, true},  /* a quarter of 10 and more */
      {{{0, 10, 0}, {10, 2.6, 0}, {10, 0, 0}}, false, true},   /* on the way */
      {{{0, 0, 10}, {2, 0, 2}, {1, 0, 0}}, false, false},      /* damped by the method */
      {{{0, 10, 0}, {4, 8, 0.6}, {10, 0, 2.6}}, true, false},  /* supplied, perhaps */
      {{{0, 10, 0}, {0, 10 + 1e-9, 0}, {0, 10, 0}},
       false,
       false}, /* at rest but for rounding errors */
  };
  (void)state;
  for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
    char message[300];
    reported_of(message, runs[i].at, runs[i].exchanged);
    if (runs[i].reported)
      CHECK_CONTAINS(message, "the energy grew by 2.6 J without a supply");
    else
      CHECK_STR(message, "");
  }
}

/* A body of 2 kg that its rounding errors move by 8 eps of 3 m in steps of 1e-3 s has 2 (8 eps 3
 * 1000)^2 = 6e-23 J; ten thousand times as much is a motion. */
static void rest_is_still(void **state) {
  (void)state;
  for (int moves = 0; moves < 2; ++moves) {
    energy_record record;
    torsor_summary s = {.counters.smallest_step = 1e-3};
    const work none = {0};
    char message[300] = "";
    energy_begin(&record, 2, 2, 3);
    for (int i = 0; i < 3; ++i) {
      const torsor_balance sum = {.kinetic = i * (moves ? 1e-19 : 1e-23)};
      s.counters.steps = i;
      energy_note(&record, &s, &sum, &none);
    }
    energy_tell(&record, keep_message, message);
    print_message("  %s\n", message);
    if (moves)
      CHECK_CONTAINS(message, "the energy grew by");
    else
      CHECK_STR(message, "");
  }
}

#define PUSH                                                                                       \
  "forces=[{\"name\": \"push\", \"type\": \"force\", \"at\": \"link0\", \"force\": [1e-9, 0, 0]}]"

/* Ten links whose iteration fails at 5 ms and is helped by halved steps, which index 3 does not
 * bear.  A force may supply the energy, unless its work is known. */
static void chain_at_large_steps(void **state) {
  (void)state;
  static const struct {
    const char *step, *force, *signal;
    bool reported;
  } runs[] = {{"simulation.step=5e-3", NULL, "energy.total", true},
              {"simulation.step=2e-3", NULL, "energy.total", false},
              {"simulation.step=5e-3", PUSH, "energy.total", false},
              {"simulation.step=5e-3", PUSH, "energy.supplied", true},
              {"simulation.step=2e-3", PUSH, "energy.supplied", false}};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
    const char *const set[] = {"simulation.formulation=index3", runs[i].step, runs[i].force, NULL};
    support_world world;
    torsor_signals *signals;
    torsor_summary summary;
    torsor_error error = {0};
    char message[2000] = "";
    const torsor_hooks hooks = {
        .size = sizeof(torsor_hooks), .data = message, .conclude = add_message};
    support_load(&world, "chain", set);
    CHECK_INT(torsor_signals_create(&signals, world.model, &runs[i].signal, 1, NULL, &error),
              TORSOR_OK);
    CHECK_INT(torsor_simulate(&summary, world.model, torsor_scene_simulation(world.scene), signals,
                              &hooks, &error),
              TORSOR_OK);
    print_message("  %s, %s%s: energy off by %.3g J, \"%s\"\n", runs[i].step, runs[i].signal,
                  runs[i].force ? ", pushed" : "", summary.energy_max_drift, message);
    if (runs[i].reported)
      CHECK_CONTAINS(message, "the result is no solution");
    else
      CHECK_TRUE(strstr(message, "the result is no solution") == NULL);
    torsor_signals_destroy(signals);
    support_close(&world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gains_are_reported),
      cmocka_unit_test(rest_is_still),
      cmocka_unit_test(chain_at_large_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
