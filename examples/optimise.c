/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A model that is built anew in a loop: the length of a pendulum that swings with a period of 2 s
 * (a seconds pendulum at large angles), by halving an interval.  One draft is changed; scene, model
 * and run are made of it each time. Build: cc optimise.c $(pkg-config --cflags --libs torsor)
 * -lm */
#include <math.h>
#include <stdio.h>

#include <torsor/torsor.h>

/* A bob on a rod of length 1 m; the length is a parameter of the scene. */
static torsor_draft *build(const torsor_registry *types, torsor_error *error) {
  torsor_draft *d = NULL;
  if (torsor_draft_create(&d, types, error)) return NULL;
  torsor_set_vector(torsor_draft_item(d, "scene"), "gravity", (v3){0, 0, -9.81});
  torsor_set_number(torsor_draft_item(d, "parameters"), "L", 1);
  torsor_item *bob = torsor_element_new(d, "rigid_body", "bob");
  torsor_set_number(bob, "mass", 1);
  torsor_set_vector(bob, "inertia", (v3){1e-3, 1e-3, 1e-3});
  torsor_set_json(bob, "position", "[\"L\", 0, 0]"); /* horizontal, at rest */
  torsor_item *hinge = torsor_element_new(d, "revolute", "hinge");
  torsor_set_vector(hinge, "axis", (v3){0, 1, 0});
  torsor_set_text(hinge, "a", "ground");
  torsor_set_json(hinge, "b", "{\"body\": \"bob\", \"position\": [\"-L\", 0, 0]}");
  torsor_set_number(torsor_draft_item(d, "simulation"), "step", 1e-3);
  torsor_set_number(torsor_draft_item(d, "simulation"), "duration", 10);
  return d;
}

/* Period: twice the time until the bob rests on the other side. */
static torsor_status swing(double *period, torsor_draft *d, torsor_error *error) {
  torsor_scene *scene = NULL;
  torsor_model *model = NULL;
  torsor_run *run = NULL;
  double before = 0, rate = 0, t = 0;
  torsor_status s = torsor_draft_scene(&scene, d, error);
  if (!s) s = torsor_scene_model(&model, scene, error);
  if (!s) s = torsor_run_create(&run, model, torsor_scene_simulation(scene), NULL, error);
  while (!s && !(before * rate < 0) && !torsor_run_finished(run)) {
    before = rate;
    t = torsor_run_time(run);
    s = torsor_run_step(run, error);
    rate = torsor_run_signal(run, "hinge.rate");
  }
  if (!s) *period = 2 * (t + (torsor_run_time(run) - t) * before / (before - rate));
  torsor_run_destroy(run);
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  return s;
}

int main(void) {
  torsor_error error = {0};
  torsor_registry *types = torsor_registry_create(&error);
  torsor_draft *d = build(types, &error);
  double low = 0.1, high = 2, period = 0;
  torsor_status s = d ? TORSOR_OK : error.status;
  for (int i = 0; !s && i < 30; ++i) {
    const double L = (low + high) / 2;
    torsor_set_number(torsor_draft_item(d, "parameters"), "L", L);
    s = swing(&period, d, &error);
    if (period > 2)
      high = L;
    else
      low = L;
  }
  if (!s) printf("L = %.6f m swings in %.6f s\n", high, period);
  if (s) fprintf(stderr, "%s: %s\n", error.path, error.message);
  torsor_draft_destroy(d);
  torsor_registry_destroy(types);
  return s != TORSOR_OK;
}
