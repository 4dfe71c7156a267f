/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Functions of scenes that two threads evaluate at once: each gets what it gets alone. */
#include "check.h"
#include "probe.h"

#include <pthread.h>
#include <torsor/torsor.h>

/* A force that keeps its functions. */
typedef struct probe {
  torsor_function time, table;
  torsor_characteristic law, law_table;
  torsor_control control;
  torsor_profile profile;
} probe;

static probe kept;

static const char *const variable[] = {"x", NULL};
static const torsor_param params[] = {
    {"time", TORSOR_PARAM_FUNCTION, offsetof(probe, time), NULL, NULL, "of t", NULL, 0},
    {"table", TORSOR_PARAM_FUNCTION, offsetof(probe, table), NULL, NULL, "of t", NULL, 0},
    {"law", TORSOR_PARAM_CHARACTERISTIC, offsetof(probe, law), NULL, NULL, "of x", variable, 0},
    {"law_table", TORSOR_PARAM_CHARACTERISTIC, offsetof(probe, law_table), NULL, NULL, "of x",
     variable, 0},
    {"control", TORSOR_PARAM_CONTROL, offsetof(probe, control), NULL, NULL, "of an angle", NULL, 0},
    {"profile", TORSOR_PARAM_PROFILE, offsetof(probe, profile), NULL, NULL, "of s and t", NULL, 0},
    {0}};

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  (void)error;
  kept = *(const probe *)self;
  setup->nodes = 0;
  return TORSOR_OK;
}

static const torsor_element_type probe_type = PROBE_TYPE(probe, params, prepare);

#define STEPS "{\"table\": [[-1, 0], [0, 1], [1, 3], [2, -7]], \"interpolation\": \"linear\"}"

static const char text[] =
    "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 1, "
    "\"inertia\": [1, 1, 1]}], \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"a\": "
    "\"ground\", \"b\": \"b\"}], \"forces\": [{\"name\": \"p\", \"type\": \"probe\", "
    "\"time\": \"sin(t) + cos(2*t)\", \"table\": " STEPS ", \"law\": \"x^3 + sin(x)\", "
    "\"law_table\": " STEPS ", \"control\": \"sin(hinge.angle) + t\", \"profile\": \"s*t + "
    "sin(s)\"}]}";

/* Value and what goes with it, at x. */
typedef struct answer {
  double value, more;
} answer;

static answer of_time(double x) {
  answer a;
  a.value = kept.time.eval(kept.time.self, &(torsor_now){.t = x}, &a.more, NULL);
  return a;
}

static answer of_table(double x) {
  answer a;
  a.value = kept.table.eval(kept.table.self, &(torsor_now){.t = x}, &a.more, NULL);
  return a;
}

static answer of_law(double x) {
  answer a;
  a.value = kept.law.eval(kept.law.self, &(torsor_now){.t = 0}, x, &a.more, NULL);
  return a;
}

static answer of_law_table(double x) {
  answer a;
  a.value = kept.law_table.eval(kept.law_table.self, &(torsor_now){.t = 0}, x, &a.more, NULL);
  return a;
}

static answer of_control(double x) {
  answer a;
  a.value = kept.control.eval(kept.control.self, &(torsor_now){.t = x}, &x, &a.more);
  return a;
}

static answer of_profile(double x) {
  return (answer){kept.profile.eval(kept.profile.self, &(torsor_now){.t = 2 * x}, x), 0};
}

static const struct {
  const char *name;
  answer (*at)(double x);
} subjects[] = {
    {"function of time", of_time}, {"table", of_table},
    {"characteristic", of_law},    {"table of a characteristic", of_law_table},
    {"control", of_control},       {"profile", of_profile},
};
enum { SUBJECTS = sizeof subjects / sizeof *subjects };

/* ---- answers
 * --------------------------------------------------------------------------------------- */

enum { THREADS = 2, TIMES = 50000 };

typedef struct worker {
  pthread_t thread;
  pthread_barrier_t *begin;
  answer (*at)(double x);
  double x;
  answer alone;
  long others; /* answers that are not `alone` */
} worker;

static void *evaluate(void *self) {
  worker *w = self;
  pthread_barrier_wait(w->begin);
  for (int i = 0; i < TIMES; ++i) {
    const answer now = w->at(w->x);
    w->others += memcmp(&now, &w->alone, sizeof now) != 0;
  }
  return NULL;
}

static void each_gets_its_own(void **state) {
  static const double places[THREADS] = {-0.7, 1.6};
  (void)state;
  for (int k = 0; k < SUBJECTS; ++k) {
    worker w[THREADS];
    pthread_barrier_t begin;
    pthread_barrier_init(&begin, NULL, THREADS);
    long others = 0;
    for (int i = 0; i < THREADS; ++i) {
      w[i] = (worker){.begin = &begin, .at = subjects[k].at, .x = places[i]};
      w[i].alone = w[i].at(w[i].x);
      CHECK_INT(pthread_create(&w[i].thread, NULL, evaluate, &w[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i) {
      pthread_join(w[i].thread, NULL);
      others += w[i].others;
    }
    pthread_barrier_destroy(&begin);
    print_message("  %s: %ld of %d answers are others'\n", subjects[k].name, others,
                  THREADS * TIMES);
    CHECK_INT(others, 0);
  }
}

static torsor_registry *registry;
static torsor_scene *scene;
static torsor_model *model;

static int open_scene(void **state) {
  (void)state;
  torsor_error error = {0};
  registry = torsor_registry_create(NULL);
  torsor_status status =
      registry ? torsor_registry_add(registry, &probe_type, NULL) : TORSOR_MEMORY;
  if (!status)
    status = torsor_scene_parse(&scene, text, strlen(text), "f", registry, NULL, 0, &error);
  if (!status) status = torsor_scene_model(&model, scene, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  return status;
}

static int close_scene(void **state) {
  (void)state;
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  torsor_registry_destroy(registry);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(each_gets_its_own)};
  return cmocka_run_group_tests(tests, open_scene, close_scene);
}
