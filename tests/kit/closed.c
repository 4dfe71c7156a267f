/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "closed.h"

#include <math.h>
#include <stdio.h>

#include "check.h"

const char *const closed_groups[2] = {"R3xSO3", "SE3"};

support_trace closed_run(const char *text, const char *const *signals, const char *group, double h,
                         double duration) {
  char step[60], time[60], set_group[40];
  snprintf(step, sizeof step, "simulation.step=%.17g", h);
  snprintf(time, sizeof time, "simulation.duration=%.17g", duration);
  snprintf(set_group, sizeof set_group, "group=%s", group);
  const char *const set[] = {
      "simulation={\"start\": \"plain\", \"step\": 1, \"duration\": 1, \"rtol\": 1e-12}", step,
      time, set_group, NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  torsor_status status = support_open(&world, text, set, &error);
  if (!status)
    status = support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), signals,
                            &error);
  if (status) print_error("%s: %s (%s)\n", error.path, error.message, error.hint);
  CHECK_INT(status, TORSOR_OK);
  support_close(&world);
  return trace;
}

void closed_rest(double *row, int room, const char *text, const char *const *signals) {
  support_world world;
  support_trace trace = {0};
  torsor_statics_summary summary;
  torsor_error error = {0};
  torsor_status status = support_open(&world, text, NULL, &error);
  if (!status) status = support_rest(&trace, &summary, &world, signals, &error);
  if (status) print_error("%s: %s (%s)\n", error.path, error.message, error.hint);
  CHECK_INT(status, TORSOR_OK);
  CHECK_TRUE(trace.columns <= room);
  memcpy(row, support_row(&trace, trace.rows - 1), (size_t)trace.columns * sizeof *row);
  support_trace_release(&trace);
  support_close(&world);
}

double closed_off(const support_trace *trace, int column, double (*exact)(double t)) {
  double worst = 0;
  for (int i = 0; i < trace->rows; ++i) {
    const double *row = support_row(trace, i);
    worst = check_max(worst, fabs(row[column] - exact(row[0])));
  }
  return worst;
}

static double closed_error(const closed_case *c, const char *group, double h) {
  const char *const signals[] = {c->signal, NULL};
  support_trace trace = closed_run(c->text, signals, group, h, c->duration);
  const double error = closed_off(&trace, 1, c->exact);
  support_trace_release(&trace);
  return error;
}

void closed_check(const closed_case *c) {
  for (int g = 0; g < 2; ++g) {
    char label[120];
    const double coarse = closed_error(c, closed_groups[g], c->h);
    const double fine = closed_error(c, closed_groups[g], c->h / 2);
    const double order = torsor_order(coarse, fine, c->h, c->h / 2);
    snprintf(label, sizeof label, "%s, %s: error %.3g, order", c->title, closed_groups[g], fine);
    check_report(label, order, 2);
    CHECK_ORDER(order, 2, 0.1);
  }
}

double closed_given(double size) {
  return 10 * pow(CHECK_EPS, 2.0 / 3) * size;
}

void closed_check_given(const closed_case *c, double size) {
  for (int k = 0; k < 4; ++k) {
    char label[120];
    const double error = closed_error(c, closed_groups[k / 2], k % 2 ? c->h / 2 : c->h);
    snprintf(label, sizeof label, "%s, %s: error", c->title, closed_groups[k / 2]);
    check_report(label, error, closed_given(size));
    CHECK_LE(error, closed_given(size));
  }
}
