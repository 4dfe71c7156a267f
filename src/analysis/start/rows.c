/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/start/rows.h"

#include <math.h>
#include <string.h>

#include "analysis/start/options_read.h"

double rows_largest_step(const torsor_simulation *simulation) {
  return simulation->duration > 0 ? simulation->duration / ROWS_USUAL : 1;
}

torsor_simulation rows_shape(const torsor_simulation *simulation) {
  torsor_simulation s = *simulation;
  if (s.settings.step != 0) return s;
  s.settings.step = rows_largest_step(simulation);
  s.settings.max_halvings = ROWS_HALVINGS;
  if (!(s.output_step > 0)) s.output_step = s.settings.step;
  return s;
}

/* Returns the number of steps in one spacing of the rows, where rows are ends of constant steps; 0:
 * they are not. */
static double steps_in_row(const torsor_simulation *s) {
  if (!(s->output_step > 0) || s->interpolate || torsor_accuracy_is_set(&s->settings.accuracy))
    return 0;
  return fmax(1, ceil(s->output_step / s->settings.step * (1 - 1e-9)));
}

void torsor_simulation_choose(torsor_simulation *out, size_t size, size_t settings_size,
                              const torsor_simulation *from) {
  torsor_simulation s;
  memset(out, 0, size);
  if (simulation_complete(&s, from, NULL)) return;
  s = rows_shape(&s);
  s.settings = torsor_settings_chosen(&s.settings);
  const double count = steps_in_row(&s);
  if (count > 0) s.settings.step = s.output_step / count;
  simulation_hand_out(out, size, settings_size, &s);
}

rows rows_plan(const torsor_simulation *simulation) {
  const torsor_simulation s = torsor_simulation_chosen(simulation);
  const long steps = lround(s.duration / s.settings.step);
  rows r = {.spacing = s.output_step, .end = s.duration, .steps = lround(steps_in_row(&s))};
  r.interpolated = s.interpolate;
  if (r.spacing > 0) {
    r.last = (long)ceil(r.end / r.spacing *
                        (1 - 1e-12)); /* a row within rounding of the end is the last one */
  } else {
    r.end = (double)steps * s.settings.step;
    r.last = (steps + s.every - 1) / s.every;
    r.steps = s.every;
  }
  return r;
}

long torsor_simulation_rows(const torsor_simulation *simulation) {
  torsor_simulation all;
  return simulation_complete(&all, simulation, NULL) ? 0 : rows_plan(&all).last + 1;
}
