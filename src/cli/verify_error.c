/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/verify_error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/interrupt.h"
#include "cli/reference.h"

/* Errors of a method of order p are 2^p times those with half the step, those under error control
 * in proportion to the tolerances: the difference of the two runs is so much less than the
 * error. */
static double error_per_difference(const torsor_settings *s) {
  if (torsor_accuracy_is_set(&s->accuracy)) return 2;
  const double ratio = ldexp(1, torsor_settings_order(s));
  return ratio / (ratio - 1);
}

/* Returns the simulation with half the step or half the tolerances, and rows at the same times. */
static torsor_simulation finer(const torsor_simulation *simulation) {
  torsor_simulation s = torsor_simulation_chosen(simulation);
  torsor_accuracy *a = &s.settings.accuracy;
  if (torsor_accuracy_is_set(a)) {
    *a = (torsor_accuracy){a->position / 2, a->rotation / 2, a->velocity / 2};
    if (!(s.output_step > 0)) {
      s.output_step = s.every * s.settings.step;
      s.every = 1;
    }
    s.settings.step /= sqrt(2);
    return s;
  }
  s.settings.step /= 2;
  if (!(s.output_step > 0)) s.every *= 2;
  return s;
}

static bool is_interrupted(void *data) {
  (void)data;
  return interrupt_seen() != 0;
}

/* An event may end the runs at times that differ. */
static void cut_end(torsor_table *a, torsor_table *b) {
  const int rows = a->rows < b->rows ? a->rows : b->rows;
  a->rows = b->rows = rows;
  if (rows < 2) return;
  const double *last = a->value + (size_t)(rows - 1) * (size_t)a->columns;
  const double *other = b->value + (size_t)(rows - 1) * (size_t)b->columns;
  if (fabs(last[0] - other[0]) > 1e-9 * fabs(last[0])) a->rows = b->rows = rows - 1;
}

static bool is_of(const char *column, const char *signal) {
  const size_t length = strlen(signal);
  return strncmp(column, signal, length) == 0 && (column[length] == 0 || column[length] == '.');
}

/* Largest value of a signal, its components together. */
static double find_largest(const torsor_table *table, const char *signal) {
  double largest = 0;
  for (int i = 0; i < table->rows; ++i) {
    const double *row = table->value + (size_t)i * (size_t)table->columns;
    double size = 0;
    for (int j = 1; j < table->columns; ++j)
      if (is_of(table->name[j], signal)) size = hypot(size, row[j]);
    largest = fmax(largest, size);
  }
  return largest;
}

static torsor_status compare(verified_error *out, torsor_table *rows, torsor_table *fine,
                             double factor, torsor_error *error) {
  torsor_difference *difference = NULL;
  cut_end(rows, fine);
  torsor_status status = torsor_compare(&difference, &out->count, rows, fine, NULL, 0, NULL, 0,
                                        &reference_exact, error);
  if (!status) {
    out->signal = calloc((size_t)out->count + 1, sizeof *out->signal);
    if (!out->signal) status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  }
  for (int i = 0; i < out->count && !status; ++i) {
    torsor_verified_signal *s = &out->signal[i];
    memcpy(s->signal, difference[i].signal, sizeof s->signal);
    s->error = factor * difference[i].max_error;
    s->at = difference[i].at;
    s->largest = find_largest(fine, s->signal);
  }
  free(difference);
  return status;
}

torsor_status verify_error_find(verified_error *out, const session *s, const char *trajectory,
                                const cli *common, torsor_error *error) {
  const torsor_simulation *simulation = torsor_scene_simulation(s->scene);
  const torsor_simulation second = finer(simulation);
  torsor_table rows = {0}, fine = {0};
  torsor_summary summary;
  torsor_status status = result_read(&rows, trajectory, error);
  *out = (verified_error){.by = torsor_accuracy_is_set(&simulation->settings.accuracy)
                                    ? "half the tolerances"
                                    : "half the step"};
  if (!status)
    status = session_record_quietly(&fine, &summary, s, &second, common, is_interrupted, error);
  if (!status) status = compare(out, &rows, &fine, error_per_difference(&second.settings), error);
  torsor_table_destroy(&rows);
  torsor_table_destroy(&fine);
  return status;
}

void verify_error_print(text *t, const verified_error *v) {
  if (!v->by) return;
  text_printf(t, "  errors, by a second run with %s:\n", v->by);
  for (int i = 0; i < v->count; ++i) {
    const torsor_verified_signal *s = &v->signal[i];
    text_append(t, "    ");
    text_append_shown(t, s->signal);
    text_printf(t, "  %.2g at t = %.6g s", s->error, s->at);
    if (s->largest > 0) text_printf(t, ", %.2g %% of the largest", 100 * s->error / s->largest);
    text_append(t, "\n");
  }
}

void verify_error_release(verified_error *v) {
  free(v->signal);
  *v = (verified_error){0};
}
