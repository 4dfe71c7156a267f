/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Eight runs of one model in eight threads, each with another value of an input: a stroke of the
 * motor against the height that a pendulum swings to.  The model is constant and shared; all that
 * moves is in the runs. Build: cc threads.c $(pkg-config --cflags --libs torsor) -lm -pthread */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <torsor/torsor.h>

static const char text[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"inputs\": {\"torque\": {\"value\": 0, "
    "\"unit\": \"N m\"}},"
    " \"bodies\": [{\"name\": \"rod\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.2, "
    "0.2, 0.002], \"position\": [0, 0, -0.5]}],"
    " \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": "
    "\"ground\", \"b\": {\"body\": \"rod\", \"position\": [0, 0, 0.5]}}],"
    " \"forces\": [{\"name\": \"motor\", \"type\": \"coordinate_force\", \"coordinate\": "
    "\"hinge.angle\", \"effort\": \"torque\"}],"
    " \"simulation\": {\"step\": 1e-3, \"duration\": 2}}";

enum { RUNS = 8 };

typedef struct job {
  const torsor_scene *scene;
  const torsor_model *model;
  double torque, largest; /* N m; rad */
  torsor_status status;
  torsor_error error;
} job;

static void *swing(void *data) {
  job *j = data;
  torsor_run *run = NULL;
  j->status = torsor_run_create(&run, j->model, torsor_scene_simulation(j->scene), NULL, &j->error);
  if (!j->status) j->status = torsor_run_set_input(run, 0, j->torque, &j->error);
  while (!j->status && !torsor_run_finished(run)) {
    j->status = torsor_run_step(run, &j->error);
    if (torsor_run_time(run) > 0.5 && torsor_run_input(run, 0) != 0 && !j->status)
      j->status = torsor_run_set_input(run, 0, 0, &j->error); /* half a second of torque */
    j->largest = fmax(j->largest, fabs(torsor_run_signal(run, "hinge.angle")));
  }
  torsor_run_destroy(run);
  return NULL;
}

int main(void) {
  torsor_error error = {0};
  torsor_registry *types = torsor_registry_create(&error);
  torsor_scene *scene = NULL;
  torsor_model *model = NULL;
  pthread_t thread[RUNS];
  static job jobs[RUNS];
  torsor_status s = torsor_scene_parse(&scene, text, strlen(text), "rod", types, NULL, 0, &error);
  if (!s) s = torsor_scene_model(&model, scene, &error);
  for (int i = 0; !s && i < RUNS; ++i) {
    jobs[i] = (job){.scene = scene, .model = model, .torque = 1 + i};
    if (pthread_create(&thread[i], NULL, swing, &jobs[i])) return 1;
  }
  for (int i = 0; !s && i < RUNS; ++i) pthread_join(thread[i], NULL);
  for (int i = 0; !s && i < RUNS; ++i)
    if (jobs[i].status)
      fprintf(stderr, "%s\n", jobs[i].error.message);
    else
      printf("%.0f N m: %.9f rad\n", jobs[i].torque, jobs[i].largest);
  if (s) fprintf(stderr, "%s: %s\n", error.path, error.message);
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  torsor_registry_destroy(types);
  return s != TORSOR_OK;
}
