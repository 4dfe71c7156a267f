/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the time of the loop goes: parts that add up, calls that agree with the counters, and
 * results that do not know of it. */
#include "check.h"

#include <string.h>

#include "base/stopwatch.h"
#include "support.h"

static void nested_phases_count_once(void **state) {
  (void)state;
  torsor_timing timing;
  stopwatch watch;
  stopwatch_start(&watch, &timing);
  stopwatch_enter(&watch, TORSOR_PHASE_OUTPUT);
  const long long began = stopwatch_now();
  stopwatch_enter(&watch, TORSOR_PHASE_RESIDUAL);
  while (stopwatch_now() < began + 100000) continue;
  stopwatch_leave(&watch);
  stopwatch_leave(&watch);
  stopwatch_enter(&watch, TORSOR_PHASE_RESIDUAL);
  stopwatch_leave(&watch);
  stopwatch_stop(&watch, 3);
  CHECK_INT(timing.calls[TORSOR_PHASE_OUTPUT], 1);
  CHECK_INT(timing.calls[TORSOR_PHASE_RESIDUAL], 1);
  CHECK_TRUE(timing.time[TORSOR_PHASE_OUTPUT] >= 100000);
  CHECK_TRUE(torsor_timing_rest(&timing) >= 0);
  CHECK_TRUE(timing.reading > 0);
  CHECK_INT(timing.steps, 3);
  stopwatch_enter(NULL, TORSOR_PHASE_SOLVE);
  stopwatch_leave(NULL);
}

static void phases_have_names(void **state) {
  (void)state;
  for (int i = 0; i < TORSOR_PHASES; ++i) {
    const char *name = torsor_phase_name((torsor_phase)i);
    CHECK_TRUE(name != NULL);
    for (int k = 0; name && k < i; ++k)
      CHECK_TRUE(strcmp(name, torsor_phase_name((torsor_phase)k)) != 0);
  }
  CHECK_TRUE(torsor_phase_name(TORSOR_PHASES) == NULL);
}

static void simulate(support_trace *trace, torsor_summary *summary, const char *scene,
                     const char *const *set, torsor_timing *timing) {
  support_world world;
  torsor_error error = {0};
  *trace = (support_trace){.timing = timing};
  support_load(&world, scene, set);
  CHECK_INT(support_run(trace, summary, &world, &error), TORSOR_OK);
  support_close(&world);
}

/* Parts are not negative, and with the rest they are the loop. */
static void check_parts(const torsor_timing *timing) {
  long long sum = torsor_timing_rest(timing);
  CHECK_TRUE(sum >= 0);
  for (int i = 0; i < TORSOR_PHASES; ++i) {
    CHECK_TRUE(timing->time[i] >= 0);
    CHECK_TRUE((timing->time[i] == 0) || timing->calls[i] > 0);
    sum += timing->time[i];
  }
  CHECK_TRUE(sum == timing->loop);
}

static void check_run(const char *scene, const char *const *set, torsor_timing *timing,
                      torsor_summary *summary) {
  support_trace plain, timed;
  torsor_summary untimed;
  simulate(&plain, &untimed, scene, set, NULL);
  simulate(&timed, summary, scene, set, timing);
  CHECK_INT(timed.rows, plain.rows);
  CHECK_TRUE(memcmp(timed.value, plain.value,
                    (size_t)(plain.rows * plain.columns) * sizeof *plain.value) == 0);
  CHECK_INT(summary->counters.residual_evaluations, untimed.counters.residual_evaluations);
  check_parts(timing);
  CHECK_INT(timing->steps, summary->counters.steps);
  CHECK_INT(timing->calls[TORSOR_PHASE_OUTPUT], timed.rows - 1); /* the first is not the loop's */
  CHECK_INT(timing->calls[TORSOR_PHASE_TANGENT], timing->calls[TORSOR_PHASE_FACTOR]);
  CHECK_TRUE(timing->calls[TORSOR_PHASE_UPKEEP] >= timing->steps);
  print_message("%s: %ld residuals, %ld factorisations, %ld solutions; rest %.0f %%\n", scene,
                timing->calls[TORSOR_PHASE_RESIDUAL], timing->calls[TORSOR_PHASE_FACTOR],
                timing->calls[TORSOR_PHASE_SOLVE],
                100 * (double)torsor_timing_rest(timing) / (double)timing->loop);
  support_trace_release(&plain);
  support_trace_release(&timed);
}

static void calls_agree_with_counters(void **state) {
  (void)state;
  static const char *const forms[] = {"simulation.formulation=index3",
                                      "simulation.formulation=ggl"};
  for (int i = 0; i < 2; ++i) {
    torsor_timing timing;
    torsor_summary summary;
    check_run("heavy_top", (const char *const[]){forms[i], NULL}, &timing, &summary);
    /* Counters are of Newton's iteration; errors that are summed up and what is shown take
     * evaluations and factorisations, too. */
    CHECK_TRUE(timing.calls[TORSOR_PHASE_RESIDUAL] >= summary.counters.residual_evaluations);
    CHECK_TRUE(timing.calls[TORSOR_PHASE_FACTOR] >= summary.counters.factorizations);
    CHECK_TRUE(timing.calls[TORSOR_PHASE_SOLVE] >= summary.counters.newton_iterations);
    CHECK_TRUE((timing.calls[TORSOR_PHASE_CONSTRAINTS] >= timing.steps) == (i == 1));
    CHECK_INT(timing.calls[TORSOR_PHASE_EVENTS] + timing.calls[TORSOR_PHASE_POWERS], 0);
  }
}

static const char truss[] =
    "{\"torsor\": 1, \"bodies\": [{\"name\": \"apex\", \"type\": \"point_mass\", \"mass\": 1,"
    " \"position\": [0, 0, 0.3]}],"
    " \"joints\": [{\"name\": \"guide\", \"type\": \"point_on_line\", \"a\": \"ground\", \"b\": "
    "\"apex\"}],"
    " \"forces\": [{\"name\": \"bar\", \"type\": \"spring_damper\", \"a\": {\"body\": \"ground\","
    " \"position\": [1, 0, 0]}, \"b\": \"apex\", \"stiffness\": 1e3},"
    " {\"name\": \"push\", \"type\": \"force\", \"at\": \"apex\", \"force\": [0, 0, -10]}],"
    " \"statics\": {\"method\": \"arc_length\"}}";

/* Events stop the motion, and signals ask for work. */
static void events_and_powers(void **state) {
  (void)state;
  torsor_timing timing;
  torsor_summary summary;
  check_run("latch", NULL, &timing, &summary);
  CHECK_INT(timing.calls[TORSOR_PHASE_EVENTS], timing.steps);
  CHECK_INT(timing.calls[TORSOR_PHASE_POWERS], timing.steps);
}

/* Of a path: a truss that snaps through, whose corrections are searched for along their line. */
static void paths(void **state) {
  (void)state;
  static const char *const names[] = {"apex.position.z", NULL};
  support_trace trace[2] = {{0}, {0}};
  torsor_timing timing;
  torsor_statics_summary summary;
  trace[1].timing = &timing;
  for (int i = 0; i < 2; ++i) {
    support_world world;
    torsor_error error = {0};
    CHECK_INT(support_open(&world, truss, NULL, &error), TORSOR_OK);
    CHECK_INT(support_rest(&trace[i], &summary, &world, names, &error), TORSOR_OK);
    support_close(&world);
  }
  CHECK_INT(trace[1].rows, trace[0].rows);
  CHECK_TRUE(memcmp(trace[0].value, trace[1].value,
                    (size_t)(trace[0].rows * trace[0].columns) * sizeof(double)) == 0);
  check_parts(&timing);
  CHECK_INT(timing.steps, summary.counters.steps);
  CHECK_INT(timing.calls[TORSOR_PHASE_OUTPUT], summary.rows);
  CHECK_INT(timing.calls[TORSOR_PHASE_UPKEEP], timing.steps);
  CHECK_INT(timing.calls[TORSOR_PHASE_TANGENT], timing.calls[TORSOR_PHASE_FACTOR]);
  CHECK_TRUE(timing.calls[TORSOR_PHASE_FACTOR] >= summary.counters.newton_iterations);
  CHECK_TRUE(timing.calls[TORSOR_PHASE_SEARCH] > 0);
  CHECK_TRUE(timing.calls[TORSOR_PHASE_SEARCH] <= summary.counters.newton_iterations);
  print_message("  %ld residuals, %ld factorisations, %ld searches in %ld steps\n",
                timing.calls[TORSOR_PHASE_RESIDUAL], timing.calls[TORSOR_PHASE_FACTOR],
                timing.calls[TORSOR_PHASE_SEARCH], timing.steps);
  support_trace_release(&trace[0]);
  support_trace_release(&trace[1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nested_phases_count_once),
                                     cmocka_unit_test(phases_have_names),
                                     cmocka_unit_test(calls_agree_with_counters),
                                     cmocka_unit_test(events_and_powers), cmocka_unit_test(paths)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
