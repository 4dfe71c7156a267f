/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Constraint rows by a function of the program: a bead on the ellipse x = 2 cos, z = sin of a in
 * the plane y = 0, by two rows.
 *
 * The rows are zero where the constraint holds; their gradient is left to differences.  This file
 * is a plug-in, too, so that `torsor run --plugin` knows the constraint: built with -DPLUGIN it
 * exports it under its name. Build: cc user_joint.c $(pkg-config --cflags --libs torsor) -lm */
#include <stdio.h>
#include <string.h>

#include <torsor/torsor.h>

/* (x/2)^2 + z^2 - 1 and y of the origin of marker b in the axes of marker a; m are lengths of the
 * ellipse. */
static torsor_status ellipse(void *data, const torsor_relative_in *in, torsor_relative_out *out) {
  (void)data;
  out->phi[0] = in->p.x * in->p.x / 4 + in->p.z * in->p.z - 1;
  out->phi[1] = in->p.y;
  return TORSOR_OK;
}

#ifdef PLUGIN

TORSOR_PLUGIN_CALLBACKS({"ellipse", TORSOR_CALLBACK_INIT("rows", ellipse, NULL)});

#else

static const char text[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81],"
    " \"bodies\": [{\"name\": \"bead\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.01, "
    "0.01, 0.01], \"position\": [2, 0, 0]}],"
    " \"joints\": [{\"name\": \"wire\", \"type\": \"user_joint\", \"a\": \"ground\", \"b\": "
    "\"bead\", \"constraint\": \"ellipse\", \"rows\": 2}],"
    " \"simulation\": {\"step\": 1e-3, \"duration\": 2}}";

int main(void) {
  torsor_error error = {0};
  torsor_registry *types = torsor_registry_create(&error);
  torsor_scene *scene = NULL;
  torsor_model *model = NULL;
  torsor_run *run = NULL;
  const torsor_callback callback = TORSOR_CALLBACK_INIT("rows", ellipse, NULL);
  torsor_status s = torsor_registry_bind(types, "ellipse", &callback, &error);
  if (!s) s = torsor_scene_parse(&scene, text, strlen(text), "ellipse", types, NULL, 0, &error);
  if (!s) s = torsor_scene_model(&model, scene, &error);
  if (!s) s = torsor_run_create(&run, model, torsor_scene_simulation(scene), NULL, &error);
  double speed = 0, lowest = 0;
  while (!s && !torsor_run_finished(run)) {
    s = torsor_run_step(run, &error);
    const double z = torsor_run_signal(run, "bead.position.z");
    if (z < lowest) {
      lowest = z;
      speed = torsor_run_signal(run, "bead.velocity.x");
    }
  }
  if (!s) printf("lowest point %.9f m, speed there %.6f m/s\n", lowest, speed);
  if (s) fprintf(stderr, "%s: %s\n", error.path, error.message);
  torsor_run_destroy(run);
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  torsor_registry_destroy(types);
  return s != TORSOR_OK;
}

#endif
