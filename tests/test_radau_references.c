/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Radau IIA on shipped scenes against their independent references. */
#include "check.h"

#include <stdio.h>

#include "support.h"

typedef struct witness {
  const char *scene, *signal;
  double step, error; /* of the reference, as its sidecar says */
} witness;

/* Largest difference of the signal's columns from the reference with step h; `moved` [rows x 3] keeps them. */
static double against_reference(double *values, const witness *w, double h,
                                const torsor_table *reference, double *size) {
  const char *names[] = {w->signal, NULL};
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
  const torsor_status status = support_run_as(&trace, &summary, &world, &simulation, names, &error);
  if (status) print_error("%s: %s\n", w->scene, error.message);
  CHECK_INT(status, TORSOR_OK);
  CHECK_INT(trace.rows, reference->rows);
  double off = 0;
  for (int j = 1; j < trace.columns; ++j) {
    int column = 1;
    while (strncmp(reference->name[column], w->signal, strlen(w->signal)) != 0) ++column;
    for (int i = 0; i < trace.rows; ++i) {
      const double value = support_row(&trace, i)[j];
      const double exact = reference->value[i * reference->columns + column + j - 1];
      values[3 * i + j - 1] = value;
      off = check_max(off, fabs(value - exact));
      *size = check_max(*size, fabs(exact));
    }
  }
  support_trace_release(&trace);
  support_close(&world);
  return off;
}

/* With order 5 the error at h/2 is 1/31 of what halving the step changes; beside it stand the reference's own
 * and Newton's 1e-12 in each of n steps. */
static void references(void **state) {
  (void)state;
  static const witness witnesses[] = {{"heavy_top", "top.position", 1e-3, 1.1e-16},
                                      {"heavy_top", "pivot.force", 1e-3, 8.4e-14},
                                      {"double_pendulum", "rod_2.position", 5e-3, 1.7e-16},
                                      {"triple_pendulum", "bar_3.position", 2.5e-3, 2.8e-16},
                                      {"andrews_squeezer", "K2.position", 1e-4, 4.9e-14},
                                      {"slider_crank_spring", "mass.position", 5e-4, 3.2e-12},
                                      {"bricard", "rod_3.position", 5e-3, 9.7e-12},
                                      {"whipple_bicycle", "frame.position", 5e-3, 1.2e-9},
                                      {"rolling_disc", "disc.position", 2.5e-3, 6.1e-12}};
  static double coarse[3 * 1000], fine[3 * 1000];
  for (size_t k = 0; k < sizeof witnesses / sizeof *witnesses; ++k) {
    const witness *w = &witnesses[k];
    char below[120], path[1000];
    torsor_table reference = {0};
    snprintf(below, sizeof below, "reference/%s.csv", w->scene);
    support_path(path, sizeof path, below);
    CHECK_INT(torsor_csv_read(&reference, path, NULL), TORSOR_OK);
    CHECK_TRUE(reference.rows <= 1000);
    double size = 0;
    against_reference(coarse, w, w->step, &reference, &size);
    const double off = against_reference(fine, w, w->step / 2, &reference, &size);
    double changed = 0;
    for (int i = 0; i < 3 * reference.rows; ++i)
      changed = check_max(changed, fabs(coarse[i] - fine[i]));
    const double end = reference.value[(reference.rows - 1) * reference.columns];
    const double bound = 1.5 * changed / 31 + w->error + 1e-12 * size * sqrt(end / (w->step / 2));
    print_message("  %-20s %-16s h = %.2e: %.1e off (bound %.1e)\n", w->scene, w->signal,
                  w->step / 2, off, bound);
    CHECK_LE(off, bound);
    torsor_table_destroy(&reference);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(references)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
