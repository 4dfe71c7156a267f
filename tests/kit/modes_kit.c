/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "modes_kit.h"

#include <stdio.h>

#include "check.h"
#include "support.h"

static torsor_modes *find(support_world *world, const torsor_modes_settings *settings) {
  torsor_error error = {0};
  torsor_modes *modes = NULL;
  if (torsor_modes_find(&modes, world->model, settings, NULL, &error))
    print_error("%s (%s)\n", error.message, error.hint);
  assert_non_null(modes);
  return modes;
}

/* Names of bodies are the model's, which goes. */
static torsor_modes *find_and_close(support_world *world, const torsor_modes_settings *settings) {
  torsor_modes *modes = find(world, settings);
  for (int i = 0; i < modes->nodes; ++i) modes->node[i].body = NULL;
  modes->frame_body = NULL;
  support_close(world);
  return modes;
}

torsor_modes *modes_of(const char *text, const char *const *set,
                       const torsor_modes_settings *settings) {
  support_world world;
  torsor_error error = {0};
  if (support_open(&world, text, set, &error)) print_error("%s: %s\n", error.path, error.message);
  CHECK_STR(error.message, "");
  return find_and_close(&world, settings);
}

torsor_modes *modes_of_scene(const char *name, const char *const *set,
                             const torsor_modes_settings *settings) {
  support_world world;
  support_load(&world, name, set);
  return find_and_close(&world, settings);
}

torsor_status modes_refused(const char *text, const torsor_modes_settings *settings,
                            torsor_error *error) {
  support_world world;
  torsor_modes *modes;
  *error = (torsor_error){0};
  assert_int_equal(support_open(&world, text, NULL, error), TORSOR_OK);
  const torsor_status status = torsor_modes_find(&modes, world.model, settings, NULL, error);
  assert_null(modes);
  support_close(&world);
  return status;
}

double modes_omega(const torsor_modes *modes, int i) {
  return hypot(modes->mode[i].re, modes->mode[i].im);
}

void modes_limits(double *limit, double *error, double *order, const char *text, const int *mode,
                  int count, int elements) {
  modes_limits_about(limit, error, order, text, TORSOR_ABOUT_INITIAL, mode, count, elements);
}

void modes_limits_about(double *limit, double *error, double *order, const char *text,
                        torsor_about about, const int *mode, int count, int elements) {
  enum { MOST = 8 };
  double omega[3][MOST];
  assert_true(count <= MOST);
  int most = 0;
  for (int i = 0; i < count; ++i) most = mode[i] + 1 > most ? mode[i] + 1 : most;
  for (int k = 0; k < 3; ++k) {
    char n[40];
    snprintf(n, sizeof n, "parameters.n=%d", elements << (k + 1));
    const torsor_modes_settings settings = {
        .size = sizeof(torsor_modes_settings), .count = most, .about = about};
    torsor_modes *m = modes_of(text, (const char *const[]){n, NULL}, &settings);
    for (int i = 0; i < count; ++i) omega[k][i] = modes_omega(m, mode[i]);
    torsor_modes_destroy(m);
  }
  for (int i = 0; i < count; ++i) {
    const double coarse = (4 * omega[1][i] - omega[0][i]) / 3;
    limit[i] = (4 * omega[2][i] - omega[1][i]) / 3;
    error[i] = fabs(limit[i] - coarse);
    order[i] = log2(fabs((omega[1][i] - omega[0][i]) / (omega[2][i] - omega[1][i])));
  }
}
