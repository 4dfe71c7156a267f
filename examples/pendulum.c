/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hello: a pendulum without a scene file.  Build: cc pendulum.c $(pkg-config --cflags --libs
 * torsor) */
#include <stdio.h>
#include <torsor/torsor.h>

int main(void) {
  torsor_error error = {0};
  torsor_registry *types = torsor_registry_create(&error);
  torsor_draft *d = NULL;
  torsor_scene *scene = NULL;
  torsor_model *model = NULL;
  torsor_run *run = NULL;
  torsor_draft_create(&d, types, &error);
  torsor_set_vector(torsor_draft_item(d, "scene"), "gravity", (v3){0, 0, -9.81});
  torsor_item *rod = torsor_element_new(d, "rigid_body", "rod");
  torsor_set_number(rod, "mass", 2);
  torsor_set_vector(rod, "inertia", (v3){0.2, 0.2, 0.002});
  torsor_set_vector(rod, "position", (v3){0, 0, -0.5});
  torsor_set_vector(rod, "angular_velocity", (v3){0, 3, 0});
  torsor_item *hinge = torsor_element_new(d, "revolute", "hinge");
  torsor_set_vector(hinge, "axis", (v3){0, 1, 0});
  torsor_set_text(hinge, "a", "ground");
  torsor_set_marker(hinge, "b", "rod", (v3){0, 0, 0.5});
  torsor_set_number(torsor_draft_item(d, "simulation"), "step", 1e-3);
  torsor_set_number(torsor_draft_item(d, "simulation"), "duration", 2);
  torsor_status s = torsor_draft_scene(&scene, d, &error);
  if (!s) s = torsor_scene_model(&model, scene, &error);
  if (!s) s = torsor_run_create(&run, model, torsor_scene_simulation(scene), NULL, &error);
  while (!s && !torsor_run_finished(run)) s = torsor_run_step(run, &error);
  if (s) fprintf(stderr, "%s: %s\n", error.path, error.message);
  if (!s) printf("%.15g rad\n", torsor_run_signal(run, "hinge.angle"));
  torsor_run_destroy(run);
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  torsor_draft_destroy(d);
  torsor_registry_destroy(types);
  return s != TORSOR_OK;
}
