/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A controller outside of the engine: every 10 ms it reads four signals of a pole on a cart and
 * sets the force that balances the pole.
 *
 * The force is an input of the scene.  As it jumps at each sample, the engine begins the motion
 * anew there by itself: the result converges with order 2 in the step. Build: cc controller.c
 * $(pkg-config --cflags --libs torsor) -lm */
#include <stdio.h>
#include <string.h>

#include <torsor/torsor.h>

static const char text[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"inputs\": {\"push\": {\"value\": 0, \"unit\": "
    "\"N\"}},"
    " \"bodies\": [{\"name\": \"cart\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.1, "
    "0.1, 0.1]},"
    "  {\"name\": \"pole\", \"type\": \"rigid_body\", \"mass\": 0.1, \"inertia\": [0.0083, 0.0083, "
    "1e-5],"
    "   \"position\": [\"0.5*sin(0.1)\", 0, \"0.5*cos(0.1)\"],"
    "   \"orientation\": {\"rotation_vector\": [0, 0.1, 0]}}],"
    " \"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"axis\": [1, 0, 0], \"a\": "
    "\"ground\", \"b\": \"cart\"},"
    "  {\"name\": \"hinge\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": \"cart\","
    "   \"b\": {\"body\": \"pole\", \"position\": [0, 0, -0.5]}}],"
    " \"forces\": [{\"name\": \"motor\", \"type\": \"coordinate_force\","
    "   \"coordinate\": \"rail.travel\", \"effort\": \"push\"}],"
    " \"simulation\": {\"step\": 1e-3, \"duration\": 3}}";

/* Signals that the controller reads, in this order. */
enum { ANGLE, RATE, TRAVEL, SPEED, SIGNALS };
static const char *const names[SIGNALS] = {"hinge.angle", "hinge.rate", "rail.travel",
                                           "rail.speed"};

int main(void) {
  torsor_error error = {0};
  torsor_registry *types = torsor_registry_create(&error);
  torsor_scene *scene = NULL;
  torsor_model *model = NULL;
  torsor_signals *signals = NULL;
  torsor_run *run = NULL;
  torsor_status s = torsor_scene_parse(&scene, text, strlen(text), "cart", types, NULL, 0, &error);
  if (!s) s = torsor_scene_model(&model, scene, &error);
  if (!s) s = torsor_signals_create(&signals, model, names, SIGNALS, NULL, &error);
  if (!s) s = torsor_run_create(&run, model, torsor_scene_simulation(scene), NULL, &error);
  const int push = s ? -1 : torsor_model_input_find(model, "push");
  for (int i = 0; !s && !torsor_run_finished(run); ++i) {
    double x[SIGNALS];
    s = torsor_run_values(run, signals, x, &error);
    if (!s && i % 50 == 0)
      printf("%4.1f  angle %12.9f  travel %12.9f\n", torsor_run_time(run), x[ANGLE], x[TRAVEL]);
    const double force = 40 * x[ANGLE] + 9 * x[RATE] + x[TRAVEL] + 2.5 * x[SPEED];
    if (!s) s = torsor_run_set_input(run, push, force, &error);
    if (!s) s = torsor_run_advance(run, 0.01 * (i + 1), &error);
  }
  if (s) fprintf(stderr, "%s: %s\n", error.path, error.message);
  torsor_run_destroy(run);
  torsor_signals_destroy(signals);
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  torsor_registry_destroy(types);
  return s != TORSOR_OK;
}
