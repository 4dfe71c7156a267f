/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples that are no motions: equilibria and modes. */
#include "cli/study/still.h"

#include <math.h>

/* ---- statics -----------------------------------------------------------------------------------
 */

static torsor_status take_row(void *data, double load, const double *values, int count) {
  (void)count;
  return reductions_row(data, load, values);
}

torsor_status still_path(reductions *r, const torsor_scene *scene, const torsor_model *model,
                         torsor_error *error) {
  torsor_signals *signals = NULL;
  torsor_statics_summary summary;
  const torsor_hooks hooks = {.size = sizeof(torsor_hooks), .data = r, .record = take_row};
  torsor_status status = torsor_signals_create(&signals, model, r->signal, r->signals, NULL, error);
  if (!status)
    status =
        torsor_statics_run(&summary, model, torsor_scene_statics(scene),
                           torsor_scene_simulation(scene)->linear_solver, signals, &hooks, error);
  torsor_signals_destroy(signals);
  return status;
}

/* ---- modes -------------------------------------------------------------------------------------
 */

static bool is_mode(const study_output *o) {
  return o->reduction == REDUCE_FREQUENCY || o->reduction == REDUCE_DAMPING;
}

static torsor_modes_settings choose(const study *s, const torsor_scene *scene) {
  const torsor_simulation *simulation = torsor_scene_simulation(scene);
  torsor_modes_settings settings = TORSOR_MODES_SETTINGS_INIT;
  settings.about = simulation->equilibrium ? TORSOR_ABOUT_EQUILIBRIUM
                   : simulation->steady    ? TORSOR_ABOUT_STEADY
                                           : TORSOR_ABOUT_INITIAL;
  settings.equilibrium = torsor_scene_statics(scene);
  settings.linear_solver = simulation->linear_solver;
  settings.fewer = true;
  for (int i = 0; i < s->outputs; ++i)
    if (is_mode(&s->output[i]) && s->output[i].which > settings.count)
      settings.count = s->output[i].which;
  return settings;
}

torsor_status still_modes(reductions *r, const torsor_scene *scene, const torsor_model *model,
                          torsor_error *error) {
  const study *s = r->study;
  const torsor_modes_settings settings = choose(s, scene);
  torsor_modes *modes = NULL;
  const torsor_status status = torsor_modes_find(&modes, model, &settings, NULL, error);
  for (int i = 0; i < s->outputs && !status; ++i) {
    const study_output *o = &s->output[i];
    if (!is_mode(o) || o->which > modes->count) continue;
    const torsor_mode *mode = &modes->mode[o->which - 1];
    r->gauge[i].last = o->reduction == REDUCE_FREQUENCY ? mode->frequency_hz : mode->damping_ratio;
  }
  torsor_modes_destroy(modes);
  return status;
}
