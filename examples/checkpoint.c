/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Go back and try again: a pendulum is to stand at the top with as little speed as possible, and
 * the torque of one stroke is found by halving an interval.  Each trial begins with the same saved
 * state, from which the run goes on to the bit. Build: cc checkpoint.c $(pkg-config --cflags --libs
 * torsor) -lm */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <torsor/torsor.h>

static const char text[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"inputs\": {\"torque\": {\"value\": 0, "
    "\"unit\": \"N m\"}},"
    " \"bodies\": [{\"name\": \"rod\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.2, "
    "0.2, 0.002],"
    "   \"position\": [0, 0, -0.5], \"angular_velocity\": [0, 3, 0]}],"
    " \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": "
    "\"ground\", \"b\": {\"body\": \"rod\", \"position\": [0, 0, 0.5]}}],"
    " \"forces\": [{\"name\": \"motor\", \"type\": \"coordinate_force\", \"coordinate\": "
    "\"hinge.angle\", \"effort\": \"torque\"}],"
    " \"simulation\": {\"step\": 1e-3, \"duration\": 10}}";

/* Does a stroke of 0.4 s from here turn the rod over the top within two seconds? */
static torsor_status try_torque(bool *over, torsor_run *run, const void *state, size_t size,
                                double torque, torsor_error *error) {
  torsor_status s = torsor_run_restore(run, state, size, error);
  const double t = torsor_run_time(run);
  *over = false;
  if (!s) s = torsor_run_set_input(run, 0, torque, error);
  if (!s) s = torsor_run_advance(run, t + 0.4, error);
  if (!s) s = torsor_run_set_input(run, 0, 0, error);
  while (!s && !*over && torsor_run_time(run) < t + 2) {
    s = torsor_run_step(run, error);
    *over = fabs(torsor_run_signal(run, "hinge.angle")) > acos(-1);
  }
  return s;
}

int main(void) {
  torsor_error error = {0};
  torsor_registry *types = torsor_registry_create(&error);
  torsor_scene *scene = NULL;
  torsor_model *model = NULL;
  torsor_run *run = NULL;
  void *state = NULL;
  size_t size = 0;
  torsor_status s = torsor_scene_parse(&scene, text, strlen(text), "rod", types, NULL, 0, &error);
  if (!s) s = torsor_scene_model(&model, scene, &error);
  if (!s) s = torsor_run_create(&run, model, torsor_scene_simulation(scene), NULL, &error);
  if (!s) s = torsor_run_advance(run, 1, &error); /* it swings for a second */
  if (!s) s = torsor_run_save(run, NULL, 0, &size, &error);
  if (!s && !(state = malloc(size))) s = TORSOR_MEMORY;
  if (!s) s = torsor_run_save(run, state, size, &size, &error);
  double low = 0, high = 60;
  for (int i = 0; !s && i < 20; ++i) {
    bool over;
    const double torque = (low + high) / 2;
    s = try_torque(&over, run, state, size, torque, &error);
    if (over)
      high = torque;
    else
      low = torque;
  }
  if (!s) printf("%zu bytes saved; over the top from %.4f N m on\n", size, high);
  if (s) fprintf(stderr, "%s: %s\n", error.path, error.message);
  free(state);
  torsor_run_destroy(run);
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  torsor_registry_destroy(types);
  return s != TORSOR_OK;
}
