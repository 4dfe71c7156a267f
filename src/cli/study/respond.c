/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study/respond.h"

#include <math.h>
#include <stdlib.h>

#include "cli/study/study_read.h"

static const double PI = 3.14159265358979323846;

torsor_status respond_check(const torsor_scene *scene, torsor_error *error) {
  const torsor_linear_request *request = torsor_scene_linear(scene);
  if (request->settings.inputs == 1) return TORSOR_OK;
  torsor_fail(error, TORSOR_SCENE, "the response of a study is to one input, the scene names %d",
              request->settings.inputs);
  torsor_hint(error, "e.g. \"linear\": {\"inputs\": [\"push\"]}");
  return TORSOR_SCENE;
}

static torsor_linear_settings choose(const reductions *r, const torsor_scene *scene) {
  const torsor_linear_request *request = torsor_scene_linear(scene);
  const torsor_simulation *simulation = torsor_scene_simulation(scene);
  torsor_linear_settings settings = request->settings;
  settings.equilibrium = torsor_scene_statics(scene);
  settings.linear_solver = simulation->linear_solver;
  settings.descriptor = true;
  settings.output = r->signal;
  settings.outputs = r->signals;
  if (!request->about_given)
    settings.about = simulation->equilibrium ? TORSOR_ABOUT_EQUILIBRIUM
                     : simulation->steady    ? TORSOR_ABOUT_STEADY
                                             : TORSOR_ABOUT_INITIAL;
  return settings;
}

/* Rows over the frequencies; response [count x signals] pairs. */
static torsor_status show(reductions *r, const double *hz, int count, const double *response,
                          double *row, torsor_error *error) {
  for (int k = 0; k < count; ++k) {
    for (int i = 0; i < r->signals; ++i) {
      const double *value = response + 2 * ((size_t)k * (size_t)r->signals + (size_t)i);
      row[i] = hypot(value[0], value[1]);
    }
    if (reductions_row(r, hz[k], row)) return study_memory_short(error);
  }
  return TORSOR_OK;
}

torsor_status respond(reductions *r, const torsor_scene *scene, const torsor_model *model,
                      double *row, torsor_error *error) {
  const torsor_linear_request *request = torsor_scene_linear(scene);
  const torsor_linear_settings settings = choose(r, scene);
  const int count = request->frequencies;
  torsor_linear *linear = NULL;
  double *omega = calloc((size_t)count + 1, sizeof *omega);
  double *response = calloc(2 * (size_t)count * (size_t)r->signals + 1, sizeof *response);
  torsor_status status = omega && response ? TORSOR_OK : study_memory_short(error);
  for (int i = 0; i < count && !status; ++i) omega[i] = 2 * PI * request->frequency[i];
  if (!status) status = torsor_linear_find(&linear, model, &settings, NULL, error);
  if (!status) status = torsor_linear_response(response, linear, omega, count, NULL, error);
  if (!status) status = show(r, request->frequency, count, response, row, error);
  torsor_linear_destroy(linear);
  free(response);
  free(omega);
  return status;
}
