/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Energy that joints take as events switch them on, seen by a caller who steps: the same as a
 * simulation reports, and known as soon as the event is, with the same motion afterwards. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support.h"

enum { MOST_EVENTS = 16, COLUMNS = 6 };

/* Two rods that latch, are released, and of which one is welded to the ground; an event that
 * only notes is at the same time as a lock. */
static const char rods[] =
    "{\"torsor\": 1, \"group\": \"%s\", \"gravity\": [0, 0, -0.5], \"inputs\": {\"n\": 0}, "
    "\"bodies\":"
    " [{\"name\": \"one\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.1, 0.3, 0.3]},"
    " {\"name\": \"two\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.05, 0.1, 0.1]}],"
    " \"joints\": [{\"name\": \"base\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": "
    "\"ground\", \"b\": {\"body\": \"one\", \"position\": [-0.5, 0, 0]}, \"start\": {\"rate\": 1}},"
    " {\"name\": \"elbow\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": {\"body\": \"one\","
    " \"position\": [0.5, 0, 0]}, \"b\": {\"body\": \"two\", \"position\": [-0.4, 0, 0]},"
    " \"start\": {\"angle\": 0.5, \"rate\": 3}}], \"events\": ["
    "{\"name\": \"latch\", \"when\": \"elbow.angle - 1\", \"direction\": \"rising\", \"action\":"
    " {\"lock\": [\"elbow\"], \"set\": {\"n\": \"n + 1\"}}},"
    "{\"name\": \"noted\", \"when\": \"elbow.angle - 1\", \"action\": \"log\", \"times\": 1},"
    "{\"name\": \"open\", \"when\": \"t - 0.5\", \"action\": {\"release\": [\"elbow\"]}},"
    "{\"name\": \"grip\", \"when\": \"t - 0.7\", \"action\": {\"weld\": [{\"name\": \"g\", \"a\":"
    " \"ground\", \"b\": \"two\"}]}}], \"simulation\": {%s, \"duration\": 1}, \"output\": "
    "{\"step\":"
    " 0.01}}";

static const char *const signals[COLUMNS] = {"base.angle",        "elbow.rate", "inputs.n",
                                             "energy.dissipated", "impulse.x",  "base.force.x"};

typedef struct seen {
  int events, rows, warnings;
  torsor_occurrence event[MOST_EVENTS];
  double row[200][1 + COLUMNS];
} seen;

static torsor_status keep_event(void *data, const torsor_occurrence *o) {
  seen *s = data;
  CHECK_TRUE(s->events < MOST_EVENTS);
  s->event[s->events++] = *o;
  return TORSOR_OK;
}

static torsor_status keep_row(void *data, double t, const double *values, int count) {
  seen *s = data;
  s->row[s->rows][0] = t;
  memcpy(s->row[s->rows++] + 1, values, (size_t)count * sizeof *values);
  return TORSOR_OK;
}

static void count_warning(void *data, const char *message) {
  ++((seen *)data)->warnings;
  (void)message;
}

static torsor_signals *choose(const support_world *world) {
  torsor_signals *chosen;
  CHECK_INT(torsor_signals_create(&chosen, world->model, signals, COLUMNS, NULL, NULL), TORSOR_OK);
  return chosen;
}

static void simulate(seen *out, const support_world *world) {
  torsor_signals *chosen = choose(world);
  torsor_summary summary;
  const torsor_hooks hooks = {.size = sizeof hooks,
                              .data = out,
                              .record = keep_row,
                              .event = keep_event,
                              .warn = count_warning};
  CHECK_INT(torsor_simulate(&summary, world->model, torsor_scene_simulation(world->scene), chosen,
                            &hooks, NULL),
            TORSOR_OK);
  torsor_signals_destroy(chosen);
}

/* Goes from row to row, with a look at the values in each. */
static void step(seen *out, const support_world *world) {
  torsor_signals *chosen = choose(world);
  torsor_run_options options = TORSOR_RUN_OPTIONS_INIT;
  options.signals = chosen;
  options.warn = count_warning;
  options.data = out;
  torsor_run *run;
  CHECK_INT(
      torsor_run_create(&run, world->model, torsor_scene_simulation(world->scene), &options, NULL),
      TORSOR_OK);
  for (int i = 0; i <= 100; ++i) {
    const torsor_occurrence *o;
    CHECK_INT(torsor_run_advance(run, i == 100 ? 1 : i * 0.01, NULL), TORSOR_OK);
    const int count = torsor_run_occurrences(run, &o);
    for (int k = 0; k < count; ++k) keep_event(out, &o[k]);
    CHECK_INT(torsor_run_values(run, chosen, out->row[i] + 1, NULL), TORSOR_OK);
    ++out->rows;
  }
  torsor_run_destroy(run);
  torsor_signals_destroy(chosen);
}

static void check_same(const char *group, const char *method) {
  char text[3000];
  support_world world;
  torsor_error error = {0};
  static seen by_rows, by_steps;
  int joints = 0;
  by_rows = by_steps = (seen){0};
  snprintf(text, sizeof text, rods, group, method);
  const torsor_status status = support_open(&world, text, NULL, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
  simulate(&by_rows, &world);
  step(&by_steps, &world);
  CHECK_INT(by_steps.events, by_rows.events);
  CHECK_INT(by_steps.rows, by_rows.rows);
  for (int k = 0; k < by_rows.events; ++k) {
    const torsor_occurrence *a = &by_rows.event[k], *b = &by_steps.event[k];
    CHECK_STR(b->event->name, a->event->name);
    CHECK_TRUE(memcmp(&a->t, &b->t, sizeof a->t) == 0);
    CHECK_TRUE(isnan(a->lost) == isnan(b->lost));
    if (isnan(a->lost)) continue;
    ++joints;
    CHECK_TRUE(memcmp(&a->lost, &b->lost, sizeof a->lost) == 0);
    CHECK_TRUE(b->lost > 0);
    print_message("  %s: %s took %.9g J\n", method, b->event->name, b->lost);
  }
  CHECK_INT(joints, 2);
  CHECK_INT(by_steps.warnings, by_rows.warnings); /* the rehearsal says nothing */
  for (int i = 0; i < by_rows.rows; ++i)
    CHECK_TRUE(memcmp(by_rows.row[i] + 1, by_steps.row[i] + 1, COLUMNS * sizeof(double)) == 0);
  support_close(&world);
}

static void losses_are_known(void **state) {
  (void)state;
  check_same("R3xSO3", "\"step\": 0.01");
  check_same("SE3", "\"step\": 0.01");
  check_same("R3xSO3", "\"method\": \"radau\", \"step\": 0.01");
  check_same("SE3", "\"method\": \"explicit\", \"step\": 0.01");
  check_same("R3xSO3", "\"step\": 0.01, \"accuracy\": {\"position\": 1e-4, \"rotation\": 1e-4}");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(losses_are_known)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
