/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Radau IIA on shipped scenes against their independent references. */
#include "check.h"

#include <stdio.h>

#include "support.h"

enum { SIGNALS = 2, ROWS = 1000 };

typedef struct witness {
  const char *scene;
  double step;
  const char *signal[SIGNALS + 1]; /* vectors; ends with NULL */
  double error[SIGNALS];           /* of the reference, as its sidecar says */
} witness;

typedef struct comparison {
  double value[3 * ROWS]; /* of the run */
  double off, size;       /* largest difference from the reference, largest number in it */
} comparison;

/* The three columns of a signal against those of the reference that it begins. */
static void compare(comparison *out, const torsor_table *reference, const char *signal,
                    const support_trace *trace, int first) {
  int column = 1;
  while (strncmp(reference->name[column], signal, strlen(signal)) != 0) ++column;
  out->off = out->size = 0;
  for (int i = 0; i < trace->rows; ++i)
    for (int j = 0; j < 3; ++j) {
      const double value = support_row(trace, i)[first + j];
      const double exact = reference->value[i * reference->columns + column + j];
      out->value[3 * i + j] = value;
      out->off = check_max(out->off, fabs(value - exact));
      out->size = check_max(out->size, fabs(exact));
    }
}

/* All signals of a run with step h. */
static void run_against(comparison out[SIGNALS], const witness *w, double h,
                        const torsor_table *reference) {
  support_world world;
  support_load(&world, w->scene, NULL);
  torsor_simulation simulation = *torsor_scene_simulation(world.scene);
  torsor_settings settings = torsor_settings_default();
  settings.method = "radau";
  settings.step = h;
  settings.rtol = 1e-12;
  simulation.every = (int)lround(simulation.settings.step * simulation.every / h);
  simulation.settings = settings;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  const torsor_status status =
      support_run_as(&trace, &summary, &world, &simulation, w->signal, &error);
  if (status) print_error("%s: %s\n", w->scene, error.message);
  CHECK_INT(status, TORSOR_OK);
  CHECK_INT(trace.rows, reference->rows);
  for (int k = 0; w->signal[k]; ++k) compare(&out[k], reference, w->signal[k], &trace, 1 + 3 * k);
  support_trace_release(&trace);
  support_close(&world);
}

/* With order 5 the error at h/2 is 1/31 of what halving the step changes; beside it stand the
 * reference's own and Newton's 1e-12 in each of n steps. */
static void references(void **state) {
  (void)state;
  static const witness witnesses[] = {
      {"heavy_top", 1e-3, {"top.position", "pivot.force"}, {1.1e-16, 8.4e-14}},
      {"double_pendulum", 5e-3, {"rod_2.position"}, {1.7e-16}},
      {"triple_pendulum", 2.5e-3, {"bar_3.position"}, {2.8e-16}},
      {"andrews_squeezer", 1e-4, {"K2.position"}, {4.9e-14}},
      {"slider_crank_spring", 5e-4, {"mass.position"}, {3.2e-12}},
      {"bricard", 5e-3, {"rod_3.position"}, {9.7e-12}},
      {"whipple_bicycle", 5e-3, {"frame.position"}, {1.2e-9}},
      {"rolling_disc", 2.5e-3, {"disc.position"}, {6.1e-12}}};
  static comparison coarse[SIGNALS], fine[SIGNALS];
  for (size_t k = 0; k < sizeof witnesses / sizeof *witnesses; ++k) {
    const witness *w = &witnesses[k];
    const double h = w->step / 2;
    char below[120], path[1000];
    torsor_table reference = {0};
    snprintf(below, sizeof below, "reference/%s.csv", w->scene);
    support_path(path, sizeof path, below);
    CHECK_INT(torsor_csv_read(&reference, path, NULL), TORSOR_OK);
    CHECK_TRUE(reference.rows <= ROWS);
    run_against(coarse, w, w->step, &reference);
    run_against(fine, w, h, &reference);
    const double end = reference.value[(reference.rows - 1) * reference.columns];
    for (int n = 0; w->signal[n]; ++n) {
      double changed = 0;
      for (int i = 0; i < 3 * reference.rows; ++i)
        changed = check_max(changed, fabs(coarse[n].value[i] - fine[n].value[i]));
      const double bound = 1.5 * changed / 31 + w->error[n] + 1e-12 * fine[n].size * sqrt(end / h);
      print_message("  %-20s %-16s h = %.2e: %.1e off (bound %.1e)\n", w->scene, w->signal[n], h,
                    fine[n].off, bound);
      CHECK_LE(fine[n].off, bound);
    }
    torsor_table_destroy(&reference);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(references)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
