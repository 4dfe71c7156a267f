/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A force by a function of the program: a magnet at the origin pulls a pendulum's bob with m/r^4.
 *
 * The function is bound by a name that the scene uses.  It gives the wrench on b in the axes of b
 * from the relative frame of the markers; its derivatives are left to differences. Build: cc
 * user_force.c $(pkg-config --cflags --libs torsor) -lm */
#include <stdio.h>
#include <string.h>

#include <torsor/torsor.h>

/* N m^4; what `data` points at must not change while a run goes on. */
static const double strength = 0.05;

static torsor_status magnet(void *data, const torsor_relative_in *in, torsor_law_out *out) {
  const double m = *(const double *)data, r = v3_norm(in->p);
  if (!(r > 0.01))
    return torsor_callback_fail(in->now, TORSOR_STEP, "the bob is within 1 cm of the magnet");
  const v3 force = v3_scale(in->p, -m / (r * r * r * r * r)); /* axes of a */
  out->w.lin = m3_tmulv(in->R, force);
  return TORSOR_OK;
}

static const char text[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81],"
    " \"bodies\": [{\"name\": \"bob\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.01, "
    "0.01, 0.01], \"position\": [0.5, 0, 0.3], \"velocity\": [0, 0.4, 0]}],"
    " \"joints\": [{\"name\": \"string\", \"type\": \"spherical\", \"a\": {\"body\": \"ground\", "
    "\"position\": [0, 0, 1.2]}, \"b\": {\"body\": \"bob\", \"position\": [-0.5, 0, 0.9]}}],"
    " \"forces\": [{\"name\": \"pull\", \"type\": \"user_force\", \"a\": \"ground\", \"b\": "
    "\"bob\", "
    "\"law\": \"magnet\"}],"
    " \"simulation\": {\"step\": 1e-3, \"duration\": 1}}";

int main(void) {
  torsor_error error = {0};
  torsor_registry *types = torsor_registry_create(&error);
  torsor_scene *scene = NULL;
  torsor_model *model = NULL;
  torsor_run *run = NULL;
  const torsor_callback callback = TORSOR_CALLBACK_INIT("law", magnet, (void *)&strength);
  torsor_status s = torsor_registry_bind(types, "magnet", &callback, &error);
  if (!s) s = torsor_scene_parse(&scene, text, strlen(text), "magnet", types, NULL, 0, &error);
  if (!s) s = torsor_scene_model(&model, scene, &error);
  if (!s) s = torsor_run_create(&run, model, torsor_scene_simulation(scene), NULL, &error);
  for (int i = 0; !s && i <= 5; ++i) {
    s = torsor_run_advance(run, 0.2 * i, &error);
    if (!s)
      printf("%.1f  %.9f  %.9f  pull %.6f N\n", torsor_run_time(run),
             torsor_run_signal(run, "bob.position.x"), torsor_run_signal(run, "bob.position.y"),
             torsor_run_signal(run, "pull.force.z"));
  }
  if (s) fprintf(stderr, "%s: %s\n", error.path, error.message);
  torsor_run_destroy(run);
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  torsor_registry_destroy(types);
  return s != TORSOR_OK;
}
