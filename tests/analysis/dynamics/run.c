/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs as objects: the same bits as torsor_simulate, however they are stepped, looked at and shared
 * by threads, and what is refused. */
#include "check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "run_kit.h"

enum { MOST_ROWS = 40 };

/* ---- the same rows --------------------------------------------------------------------------- */

typedef struct rows_kept {
  int columns, count;
  double *value; /* [MOST_ROWS x columns] */
  double t[MOST_ROWS];
} rows_kept;

static torsor_status keep_row(void *data, double t, const double *values, int count) {
  rows_kept *k = data;
  if (k->count == MOST_ROWS) return TORSOR_OK;
  memcpy(k->value + k->count * k->columns, values, (size_t)count * sizeof *values);
  k->t[k->count++] = t;
  return TORSOR_OK;
}

static bool have_enough(void *data) {
  return ((const rows_kept *)data)->count == MOST_ROWS;
}

static rows_kept simulate(const run_subject *s, const torsor_simulation *simulation) {
  rows_kept k = {.columns = s->columns, .value = kit_numbers(MOST_ROWS * s->columns)};
  const torsor_hooks hooks = {
      .size = sizeof(torsor_hooks), .data = &k, .record = keep_row, .stop = have_enough};
  torsor_summary summary;
  const torsor_status status =
      torsor_simulate(&summary, s->world.model, simulation, s->signals, &hooks, NULL);
  CHECK_TRUE(status == TORSOR_OK || status == TORSOR_INTERRUPTED);
  return k;
}

/* Rows of a simulation against a run that stands at their times. */
static void compare_rows(const char *name, const run_subject *s, const rows_kept *k) {
  torsor_run *run = kit_create(s);
  double *now = kit_numbers(s->columns);
  for (int i = 0; i < k->count; ++i) {
    CHECK_INT(torsor_run_advance(run, k->t[i], NULL), TORSOR_OK);
    CHECK_INT(torsor_run_values(run, s->signals, now, NULL), TORSOR_OK);
    CHECK_TRUE(torsor_run_time(run) == k->t[i]);
    if (kit_same_bits(now, k->value + i * s->columns, s->columns)) continue;
    print_error("%s: the row at t = %.17g s differs\n", name, k->t[i]);
    fail();
  }
  free(now);
  torsor_run_destroy(run);
}

static void check_rows(const char *name, run_subject *s, void *data) {
  int *total = data;
  rows_kept k = simulate(s, &s->simulation);
  compare_rows(name, s, &k);
  *total += k.count;
  free(k.value);
}

static void test_rows_of_the_command(void **state) {
  (void)state;
  int total = 0;
  kit_all_scenes(check_rows, &total);
  print_message("%d rows, the same to the bit\n", total);
}

/* Rows at times that are no multiples of the steps. */
static void check_odd_times(const char *name, run_subject *s, void *data) {
  (void)data;
  torsor_simulation odd = s->simulation;
  odd.interpolate = true;
  odd.output_step = 1.37 * odd.settings.step;
  odd.duration = fmin(odd.duration, 7 * odd.output_step);
  s->simulation = odd;
  rows_kept k = simulate(s, &odd);
  compare_rows(name, s, &k);
  free(k.value);
}

static void test_odd_times(void **state) {
  (void)state;
  kit_all_scenes(check_odd_times, NULL);
}

static const char *const heavy_top = "heavy_top";

/* However often and in which order one looks: the steps are the same. */
static void test_looking_changes_nothing(void **state) {
  (void)state;
  run_subject s;
  CHECK_TRUE(kit_open(&s, heavy_top));
  torsor_run *one = kit_create(&s), *other = kit_create(&s);
  double *a = kit_numbers(s.columns), *b = kit_numbers(s.columns);
  const double h = s.simulation.settings.step;
  for (int i = 1; i <= 200; ++i) {
    const double t = 0.77 * i * h;
    CHECK_INT(torsor_run_advance(one, t, NULL), TORSOR_OK);
    CHECK_INT(torsor_run_values(one, s.signals, a, NULL), TORSOR_OK);
    const double back = fmax(t - 0.2 * h * (i % 3), torsor_run_step_end(one) - 0.99 * h);
    if (torsor_run_step_end(one) > 0 && i > 20)
      CHECK_INT(torsor_run_advance(one, fmin(t, back), NULL), TORSOR_OK);
    torsor_run_signal(one, "energy.total");
  }
  CHECK_INT(torsor_run_advance(one, 160 * h, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_advance(other, 160 * h, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(one, s.signals, a, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(other, s.signals, b, NULL), TORSOR_OK);
  CHECK_TRUE(kit_same_bits(a, b, s.columns));
  torsor_run_destroy(one);
  torsor_run_destroy(other);
  free(a);
  free(b);
  kit_close(&s);
}

static void test_misuse(void **state) {
  (void)state;
  run_subject s;
  torsor_error error = {0};
  CHECK_TRUE(kit_open(&s, heavy_top));
  torsor_run *run = kit_create(&s);
  const double h = s.simulation.settings.step;
  CHECK_INT(torsor_run_advance(run, nan(""), &error), TORSOR_ARGUMENT);
  CHECK_INT(torsor_run_advance(run, HUGE_VAL, &error), TORSOR_ARGUMENT);
  CHECK_INT(torsor_run_advance(run, 10.5 * h, &error), TORSOR_OK);
  CHECK_INT(torsor_run_advance(run, 9.9 * h, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "cannot go back");
  CHECK_CONTAINS(error.hint, "torsor_run_save");
  CHECK_TRUE(torsor_run_time(run) == 10.5 * h);
  CHECK_INT(torsor_run_set_step(run, 0, &error), TORSOR_ARGUMENT);
  CHECK_INT(torsor_run_set_step(run, nan(""), &error), TORSOR_ARGUMENT);
  CHECK_TRUE(isnan(torsor_run_signal(run, "no.such")));
  CHECK_TRUE(isnan(torsor_run_signal(run, "top.position"))); /* three of them */
  const double times[] = {11 * h, 10.8 * h};
  double *values = kit_numbers(2 * s.columns);
  CHECK_INT(torsor_run_record(run, s.signals, times, 2, values, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "times[1]");
  torsor_run_destroy(run);
  torsor_run_destroy(NULL);
  s.simulation.settings.method = "no_such";
  CHECK_INT(torsor_run_create(&run, s.world.model, &s.simulation, NULL, &error), TORSOR_ARGUMENT);
  CHECK_TRUE(run == NULL);
  free(values);
  kit_close(&s);
}

/* An end that is open: steps go on beyond the duration, and a failure leaves a run that can be read
 * and go on with smaller steps. */
static void test_open_end(void **state) {
  (void)state;
  run_subject s;
  CHECK_TRUE(kit_open(&s, heavy_top));
  const torsor_run_options options = {.size = sizeof options, .open_end = true};
  torsor_run *run;
  s.simulation.duration = 0;
  CHECK_INT(torsor_run_create(&run, s.world.model, &s.simulation, &options, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_advance(run, 0.5, NULL), TORSOR_OK);
  CHECK_FALSE(torsor_run_finished(run));
  CHECK_TRUE(torsor_run_time(run) == 0.5);
  torsor_run_destroy(run);
  kit_close(&s);
}

/* ---- threads
 * ------------------------------------------------------------------------------------- */

enum { RUNS = 8 };

typedef struct job {
  const run_subject *run_subject;
  double *value; /* [STEPS x length] */
  int length, number;
} job;

static void *run_job(void *data) {
  job *j = data;
  torsor_run *run = kit_create(j->run_subject);
  for (int i = 0; i < j->number; ++i) torsor_run_step(run, NULL); /* each is elsewhere */
  kit_go_on(j->value, run, j->run_subject, STEPS);
  torsor_run_destroy(run);
  return NULL;
}

static void test_runs_in_threads(void **state) {
  static const char *const scenes[] = {"heavy_top", "spatial_slider_crank", "door"};
  (void)state;
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; ++k) {
    run_subject s;
    pthread_t thread[RUNS];
    job jobs[RUNS];
    CHECK_TRUE(kit_open(&s, scenes[k]));
    torsor_run *run = kit_create(&s);
    const int length = kit_state_length(run, &s);
    torsor_run_destroy(run);
    double *alone = kit_numbers(STEPS * length);
    for (int i = 0; i < RUNS; ++i) {
      jobs[i] = (job){&s, kit_numbers(STEPS * length), length, i};
      CHECK_INT(pthread_create(&thread[i], NULL, run_job, &jobs[i]), 0);
    }
    for (int i = 0; i < RUNS; ++i) CHECK_INT(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < RUNS; ++i) {
      job one = {&s, alone, length, i};
      run_job(&one);
      CHECK_TRUE(kit_same_bits(alone, jobs[i].value, STEPS * length));
      free(jobs[i].value);
    }
    free(alone);
    kit_close(&s);
  }
}

/* ---- warnings
 * ------------------------------------------------------------------------------------ */

static void count_line(void *data, const char *message) {
  (void)message;
  ++*(int *)data;
}

static void test_warnings(void **state) {
  (void)state;
  run_subject s;
  int lines = 0, kept = 0;
  CHECK_TRUE(kit_open(&s, "door")); /* its rows are redundant */
  const torsor_run_options options = {.size = sizeof options, .warn = count_line, .data = &lines};
  torsor_run *run;
  CHECK_INT(torsor_run_create(&run, s.world.model, &s.simulation, &options, NULL), TORSOR_OK);
  CHECK_TRUE(torsor_run_warning(run) == NULL);
  torsor_run_destroy(run);
  run = kit_create(&s);
  for (const char *line; (line = torsor_run_warning(run)); ++kept) CHECK_TRUE(strlen(line) > 10);
  CHECK_INT(kept, lines);
  CHECK_GE(kept, 1);
  torsor_run_destroy(run);
  /* Steps that are too coarse are reported when the run ends, or when one asks. */
  run = kit_create(&s);
  torsor_run_conclude(run);
  torsor_run_destroy(run);
  kit_close(&s);
}

/* A full state is that which the hooks of torsor_simulate are given. */
static torsor_status keep_frame(void *data, const torsor_frame *frame) {
  memcpy(data, frame->value, frame->size * sizeof *frame->value);
  return TORSOR_OK;
}

static void check_frame(const char *name, run_subject *s, void *data) {
  (void)data;
  torsor_layout layout;
  torsor_summary summary;
  torsor_simulation short_one = s->simulation;
  short_one.duration = fmin(short_one.duration, 3 * short_one.settings.step);
  short_one.output_step = short_one.duration;
  CHECK_INT(torsor_layout_create(&layout, s->world.model, TORSOR_FIELDS_ALL, NULL), TORSOR_OK);
  const int size = (int)torsor_frame_size(&layout, TORSOR_FIELDS_ALL);
  double *want = kit_numbers(size), *got = kit_numbers(size);
  const torsor_hooks hooks = {.size = sizeof(torsor_hooks),
                              .data = want,
                              .frame = keep_frame,
                              .recording = {.full = true, .every = 1, .fields = TORSOR_FIELDS_ALL}};
  CHECK_INT(torsor_simulate(&summary, s->world.model, &short_one, NULL, &hooks, NULL), TORSOR_OK);
  s->simulation = short_one;
  torsor_run *run = kit_create(s);
  CHECK_INT(torsor_run_advance(run, short_one.duration, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_frame(run, &layout, TORSOR_FIELDS_ALL, got, NULL), TORSOR_OK);
  if (!kit_same_bits(got, want, size)) print_error("%s\n", name);
  CHECK_TRUE(kit_same_bits(got, want, size));
  torsor_run_destroy(run);
  torsor_layout_destroy(&layout);
  free(want);
  free(got);
}

static void test_frames(void **state) {
  (void)state;
  kit_all_scenes(check_frame, NULL);
}

/* ---- the estimate of errors ------------------------------------------------------------------ */

/* The estimate at the end of a run with this step, saved and restored halfway; whether a line of
 * text names a signal. */
static double estimate_errors(run_subject *s, double step, bool *warns) {
  size_t size;
  s->simulation.settings.step = step;
  torsor_run *run = kit_create(s), *other = kit_create(s);
  CHECK_INT(torsor_run_advance(run, s->simulation.duration / 2, NULL), TORSOR_OK);
  void *bytes = kit_save(run, &size);
  CHECK_INT(torsor_run_restore(other, bytes, size, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_advance(run, s->simulation.duration, NULL), TORSOR_OK);
  while (!torsor_run_finished(other)) CHECK_INT(torsor_run_step(other, NULL), TORSOR_OK);
  const double estimate[] = {torsor_run_summary(run)->error_estimate,
                             torsor_run_summary(other)->error_estimate};
  CHECK_TRUE(kit_same_bits(&estimate[0], &estimate[1], 1));
  *warns = false;
  for (const char *line; (line = torsor_run_warning(run));) {
    *warns |= strstr(line, "of the largest value of ") != NULL;
    CHECK_TRUE(!strstr(line, ".x;")); /* vectors are judged, and named, as a whole */
  }
  free(bytes);
  torsor_run_destroy(other);
  torsor_run_destroy(run);
  return estimate[0];
}

/* The same of a run that begins anew, from the state that it has, every few steps. */
static double estimate_with_starts(run_subject *s, double step) {
  s->simulation.settings.step = step;
  torsor_run *run = kit_create(s);
  for (int i = 1; !torsor_run_finished(run); ++i) {
    CHECK_INT(torsor_run_step(run, NULL), TORSOR_OK);
    if (i % 3 == 0 && !torsor_run_finished(run))
      CHECK_INT(torsor_run_set_state(run, torsor_run_q(run).value, torsor_run_v(run).value, NULL),
                TORSOR_OK);
  }
  const double estimate = torsor_run_summary(run)->error_estimate;
  torsor_run_destroy(run);
  return estimate;
}

/* Starts do not make errors small, which come from what lies between.  Errors of a method of order
 * 2 become a sixteenth with a quarter of the step; terms of higher order, which are large where
 * errors are, may double that or halve it. */
static void test_errors(void **state) {
  (void)state;
  run_subject s;
  bool coarse, fine;
  CHECK_TRUE(kit_open(&s, "heavy_top_se3"));
  const double error = estimate_errors(&s, 1e-3, &coarse);
  const double rest = estimate_errors(&s, 2.5e-4, &fine);
  const double anew = estimate_with_starts(&s, 1e-3);
  print_message("  %.3g of a signal, %.3g with a quarter of the step, %.3g with many starts\n",
                error, rest, anew);
  CHECK_TRUE(coarse && !fine);
  CHECK_GE(anew, error / 2);
  CHECK_GE(error / rest, 8);
  CHECK_LE(error / rest, 32);
  kit_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows_of_the_command),
                                     cmocka_unit_test(test_odd_times),
                                     cmocka_unit_test(test_looking_changes_nothing),
                                     cmocka_unit_test(test_misuse),
                                     cmocka_unit_test(test_open_end),
                                     cmocka_unit_test(test_runs_in_threads),
                                     cmocka_unit_test(test_warnings),
                                     cmocka_unit_test(test_frames),
                                     cmocka_unit_test(test_errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
