/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two runs coupled by a spring between them, each with steps of its own; they meet every H seconds.
 *
 * The force that both get is a ramp with the rate of the spring: errors are of order 2 in H.  A
 * force that is held between the meetings would be of order 1.  The largest error is printed beside
 * the closed form of the motion. Build: cc cosimulation.c $(pkg-config --cflags --libs torsor)
 * -lm */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <torsor/torsor.h>

/* A block on a rail; its place at the start is where the rail's travel is 0. */
static const char text[] =
    "{\"torsor\": 1, \"inputs\": {\"pull\": {\"value\": 0, \"unit\": \"N\"}},"
    " \"bodies\": [{\"name\": \"block\", \"type\": \"rigid_body\", \"mass\": %g, \"inertia\": [1, "
    "1, 1]}],"
    " \"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"axis\": [1, 0, 0], \"a\": "
    "\"ground\", \"b\": \"block\"}],"
    " \"forces\": [{\"name\": \"spring\", \"type\": \"coordinate_force\", \"coordinate\": "
    "\"rail.travel\", \"effort\": \"pull\"}],"
    " \"simulation\": {\"step\": 1e-3, \"duration\": 2}}";

/* One side of the spring. */
typedef struct side {
  torsor_scene *scene;
  torsor_model *model;
  torsor_signals *signals;
  torsor_run *run;
} side;

static torsor_status open(side *out, double mass, const torsor_registry *types,
                          torsor_error *error) {
  static const char *const names[] = {"rail.travel", "rail.speed"};
  char scene[1000];
  *out = (side){NULL, NULL, NULL, NULL};
  snprintf(scene, sizeof scene, text, mass);
  torsor_status s =
      torsor_scene_parse(&out->scene, scene, strlen(scene), "block", types, NULL, 0, error);
  if (!s) s = torsor_scene_model(&out->model, out->scene, error);
  if (!s) s = torsor_signals_create(&out->signals, out->model, names, 2, NULL, error);
  if (!s)
    s = torsor_run_create(&out->run, out->model, torsor_scene_simulation(out->scene), NULL, error);
  return s;
}

static void close(side *s) {
  torsor_run_destroy(s->run);
  torsor_signals_destroy(s->signals);
  torsor_model_destroy(s->model);
  torsor_scene_destroy(s->scene);
}

/* Masses of 1 and 2 kg, 0.3 m apart without a force: the distance swings, the centre of mass
 * rests. */
static torsor_status couple(double *worst, double H, const torsor_registry *types,
                            torsor_error *error) {
  const double k = 10, gap = 0.3, w = sqrt(k / 1 + k / 2);
  side a, b;
  torsor_status s = open(&a, 1, types, error);
  const torsor_status other = open(&b, 2, types, error);
  if (!s) s = other;
  *worst = 0;
  for (int i = 0; !s && i <= lround(2 / H); ++i) {
    double x[2], y[2]; /* travel and speed */
    s = torsor_run_values(a.run, a.signals, x, error);
    if (!s) s = torsor_run_values(b.run, b.signals, y, error);
    if (s) break;
    const double stretch = gap * (cos(w * i * H) - 1);
    *worst = fmax(*worst, fmax(fabs(x[0] + 2 * stretch / 3), fabs(y[0] - stretch / 3)));
    const double force = k * (gap + y[0] - x[0]), rate = k * (y[1] - x[1]);
    s = torsor_run_set_input_rate(a.run, 0, force, rate, 0, error);
    if (!s) s = torsor_run_set_input_rate(b.run, 0, -force, -rate, 0, error);
    if (!s) s = torsor_run_advance(a.run, (i + 1) * H, error);
    if (!s) s = torsor_run_advance(b.run, (i + 1) * H, error);
  }
  close(&a);
  close(&b);
  return s;
}

int main(void) {
  torsor_error error = {0};
  torsor_registry *types = torsor_registry_create(&error);
  double before = 0, worst;
  torsor_status s = TORSOR_OK;
  for (double H = 0.02; !s && H > 0.004; H /= 2, before = worst) {
    s = couple(&worst, H, types, &error);
    if (!s && before > 0)
      printf("H = %g s: error %.3e m, order %.2f\n", H, worst, log2(before / worst));
    else if (!s)
      printf("H = %g s: error %.3e m\n", H, worst);
  }
  if (s) fprintf(stderr, "%s: %s\n", error.path, error.message);
  torsor_registry_destroy(types);
  return s != TORSOR_OK;
}
