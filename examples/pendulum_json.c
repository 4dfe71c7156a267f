/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scene from a file, stepped by the program: the angle of its first joint coordinate every tenth
 * of a second.
 *
 *     pendulum_json scene.json [hinge.angle]
 *
 * Build: cc pendulum_json.c $(pkg-config --cflags --libs torsor) */
#include <stdio.h>

#include <torsor/torsor.h>

static int fail(const torsor_error *error) {
  char text[1400];
  torsor_error_text(text, sizeof text, error);
  return fprintf(stderr, "%s\n", text), 1;
}

int main(int argc, char **argv) {
  const char *signal = argc > 2 ? argv[2] : "hinge.angle";
  torsor_error error = {0};
  torsor_registry *types = torsor_registry_create(&error);
  torsor_scene *scene = NULL;
  torsor_model *model = NULL;
  torsor_signals *signals = NULL;
  torsor_run *run = NULL;
  if (argc < 2) return fprintf(stderr, "usage: pendulum_json SCENE [SIGNAL]\n"), 2;
  torsor_status status = torsor_scene_load(&scene, argv[1], types, NULL, 0, &error);
  if (!status) status = torsor_scene_model(&model, scene, &error);
  if (!status) status = torsor_signals_create(&signals, model, &signal, 1, NULL, &error);
  if (!status && torsor_signals_count(signals) != 1)
    status = torsor_fail(&error, TORSOR_ARGUMENT, "\"%s\" stands for %d signals", signal,
                         torsor_signals_count(signals));
  if (!status)
    status = torsor_run_create(&run, model, torsor_scene_simulation(scene), NULL, &error);
  for (int i = 0; !status && !torsor_run_finished(run); ++i) {
    double value;
    status = torsor_run_advance(run, 0.1 * i, &error);
    if (!status) status = torsor_run_values(run, signals, &value, &error);
    if (!status) printf("%4.1f  %18.15f\n", torsor_run_time(run), value);
  }
  torsor_run_destroy(run);
  torsor_signals_destroy(signals);
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  torsor_registry_destroy(types);
  return status ? fail(&error) : 0;
}
