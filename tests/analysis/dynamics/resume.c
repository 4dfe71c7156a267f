/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs that go on from a state that was kept, in new memory: every bit of the rows, of the summary
 * and of all states that are kept later is that of the run that was not cut. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "assembly/assembly.h"
#include "integrator/walk.h"
#include "support.h"

/* A state between two steps. */
typedef struct kept_state {
  double t;
  unsigned char *bytes;
  size_t size;
  int rows; /* recorded before */
} kept_state;

enum { MOST_KEPT = 200, MOST_EVENTS = 20 };

/* The data that a run hands out. */
typedef struct trace {
  double *value;
  int columns, rows, room;
  int asked, every; /* keep after every so many steps */
  int count, events;
  kept_state kept[MOST_KEPT];
  double event[MOST_EVENTS];
  int stop_after; /* 0 = never */
} trace;

static torsor_status take_row(void *data, double t, const double *values, int count) {
  trace *r = data;
  r->columns = count + 1;
  if (r->rows == r->room) {
    r->room = 2 * r->room + 64;
    r->value = realloc(r->value, (size_t)(r->room * r->columns) * sizeof *r->value);
    CHECK_TRUE(r->value != NULL);
  }
  double *row = r->value + r->rows++ * r->columns;
  row[0] = t;
  memcpy(row + 1, values, (size_t)count * sizeof *row);
  return TORSOR_OK;
}

static bool now(void *data) {
  trace *r = data;
  return r->every && ++r->asked % r->every == 0;
}

static bool stop(void *data) {
  const trace *r = data;
  return r->stop_after && r->asked + 1 >= r->stop_after;
}

static torsor_status keep(void *data, double t, const void *state, size_t size) {
  trace *r = data;
  CHECK_TRUE(r->count < MOST_KEPT);
  kept_state *k = &r->kept[r->count++];
  *k = (kept_state){.t = t, .size = size, .bytes = malloc(size), .rows = r->rows};
  CHECK_TRUE(k->bytes != NULL);
  memcpy(k->bytes, state, size);
  return TORSOR_OK;
}

static torsor_status note_event(void *data, const torsor_occurrence *occurrence) {
  trace *r = data;
  CHECK_TRUE(r->events < MOST_EVENTS);
  r->event[r->events++] = occurrence->t;
  return TORSOR_OK;
}

static void trace_release(trace *r) {
  for (int i = 0; i < r->count; ++i) free(r->kept[i].bytes);
  free(r->value);
  *r = (trace){0};
}

/* A scene run from its beginning, or in a model and memory of its own from what was kept. */
static torsor_status run_scene(trace *r, torsor_summary *summary, const char *scene,
                               const char *const *set, const kept_state *from,
                               torsor_error *error) {
  support_world world;
  torsor_signals *signals = NULL;
  const torsor_hooks hooks = {.size = sizeof(torsor_hooks),
                              .data = r,
                              .record = take_row,
                              .stop = stop,
                              .event = note_event,
                              .keep_now = now,
                              .keep = keep};
  if (scene[0] == '{')
    CHECK_INT(support_open(&world, scene, set, error), TORSOR_OK);
  else
    support_load(&world, scene, set);
  int count;
  const char *const *names = torsor_scene_signals(world.scene, &count);
  CHECK_INT(torsor_signals_create(&signals, world.model, names, count, NULL, error), TORSOR_OK);
  const torsor_simulation *simulation = torsor_scene_simulation(world.scene);
  const torsor_status status =
      from ? torsor_simulate_on(summary, world.model, simulation, signals, &hooks, from->bytes,
                                from->size, error)
           : torsor_simulate(summary, world.model, simulation, signals, &hooks, error);
  torsor_signals_destroy(signals);
  support_close(&world);
  return status;
}

/* The two clocks at the end of a state: label and number each. */
enum { CLOCK_BYTES = 2 * (16 + 8) };

static bool same_bits(double a, double b) {
  return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_summary(const torsor_summary *a, const torsor_summary *b) {
  return a->status == b->status && same_bits(a->t, b->t) && a->events == b->events &&
         memcmp(&a->counters, &b->counters, sizeof a->counters) == 0 &&
         same_bits(a->max_phi, b->max_phi) && same_bits(a->max_phi_velocity, b->max_phi_velocity) &&
         same_bits(a->energy_initial, b->energy_initial) &&
         same_bits(a->energy_final, b->energy_final) &&
         same_bits(a->energy_max_drift, b->energy_max_drift) &&
         same_bits(a->energy_supplied, b->energy_supplied) &&
         same_bits(a->energy_dissipated, b->energy_dissipated) &&
         same_bits(a->energy_max_balance, b->energy_max_balance) &&
         same_bits(a->moved_position, b->moved_position) &&
         same_bits(a->moved_velocity, b->moved_velocity) &&
         a->energy_exchanged == b->energy_exchanged && !a->stopped_by == !b->stopped_by;
}

/* The rest of the run `whole` from its state `k` on, against what was run from there. */
static bool same_rest(const trace *whole, int k, const trace *rest) {
  const kept_state *from = &whole->kept[k];
  const int rows = whole->rows - from->rows;
  bool same = rest->rows == rows && memcmp(rest->value, whole->value + from->rows * whole->columns,
                                           (size_t)(rows * whole->columns) * sizeof(double)) == 0;
  for (int i = 0; i < rest->count && same; ++i) {
    int other = k;
    while (other < whole->count && !same_bits(whole->kept[other].t, rest->kept[i].t)) ++other;
    if (other == whole->count) continue; /* the count of steps to be kept began anew */
    const kept_state *a = &whole->kept[other], *b = &rest->kept[i];
    same = a->size == b->size && memcmp(a->bytes, b->bytes, a->size - CLOCK_BYTES) == 0;
  }
  for (int i = 0; i < rest->events && same; ++i)
    same = same_bits(rest->event[i], whole->event[whole->events - rest->events + i]);
  return same;
}

/* Most states that a run is gone on from; all of them where $TORSOR_ALL_STATES is set. */
enum { MOST_TRIED = 6 };

static int find_stride(int count) {
  return getenv("TORSOR_ALL_STATES") || count <= MOST_TRIED ? 1 : count / MOST_TRIED;
}

/* From the states that were kept, the last one among them. */
static void check_resume(const char *name, const char *scene, const char *const *set, int every) {
  trace whole = {.every = every};
  torsor_summary expected, found;
  torsor_error error = {0};
  const torsor_status status = run_scene(&whole, &expected, scene, set, NULL, &error);
  if (status) print_error("%s: %s\n", name, error.message);
  CHECK_INT(status, TORSOR_OK);
  for (int k = whole.count - 1; k >= 0; k -= find_stride(whole.count)) {
    trace rest = {.every = every};
    const torsor_status again = run_scene(&rest, &found, scene, set, &whole.kept[k], &error);
    if (again) print_error("%s: %s\n", name, error.message);
    CHECK_INT(again, TORSOR_OK);
    const bool same = same_summary(&expected, &found) && same_rest(&whole, k, &rest);
    if (!same) print_error("%s: another run from t = %.9g s on\n", name, whole.kept[k].t);
    CHECK_TRUE(same);
    trace_release(&rest);
  }
  CHECK_GE(whole.count, 2);
  print_message("  %-40s %4ld steps, %2ld rejected, %d states of %zu bytes\n", name,
                expected.counters.steps, expected.counters.rejected_steps, whole.count,
                whole.kept[0].size);
  trace_release(&whole);
}

/* ---- methods
 * ------------------------------------------------------------------------------------- */

/* Keys of a simulation that methods take. */
static const struct {
  const char *name, *keys;
} method[] = {
    {"index 3", "\"rho_inf\": 0.9"},
    {"ggl", "\"formulation\": \"ggl\", \"rho_inf\": 0.8"},
    {"plain start", "\"start\": \"plain\", \"hht\": -0.1"},
    {"umfpack", "\"linear_solver\": \"umfpack\", \"formulation\": \"ggl\""},
    {"soi2", "\"method\": \"soi2\", \"rho_inf\": 0.9"},
    {"soi2 additive", "\"method\": \"soi2\", \"additive\": true"},
    {"soi2 evaluated", "\"method\": \"soi2\", \"mass_alpha\": \"evaluated\""},
    {"hht_odae", "\"method\": \"hht_odae\", \"hht\": -0.1"},
    {"hht_odae midpoint", "\"method\": \"hht_odae\", \"reaction\": \"midpoint\", \"hht\": -0.1"},
    {"radau", "\"method\": \"radau\""},
    {"explicit", "\"method\": \"explicit\""},
    {"explicit 5", "\"method\": \"explicit\", \"order\": 5"},
    {"rattle", "\"method\": \"rattle\""}};
enum { METHODS = sizeof method / sizeof *method };

static void run_method(const char *scene, int m, const char *keys, const char *output) {
  char simulation[300], name[80];
  snprintf(simulation, sizeof simulation, "simulation={%s, %s}", method[m].keys, keys);
  snprintf(name, sizeof name, "%.12s, %s%s", scene[0] == '{' ? "text" : scene, method[m].name,
           output ? ", between steps" : "");
  const char *const set[] = {simulation, output ? output : "output.every=3", NULL};
  check_resume(name, scene, set, 7);
}

/* Constant steps, on both groups. */
static void methods(void **state) {
  (void)state;
  for (int m = 0; m < METHODS; ++m) {
    run_method("heavy_top", m, "\"step\": 2e-3, \"duration\": 0.07", NULL);
    run_method("heavy_top_se3", m, "\"step\": 2e-3, \"duration\": 0.07", NULL);
  }
}

/* Rows between the steps; steps whose size is controlled, or cut. */
static void methods_between(void **state) {
  (void)state;
  static const char output[] =
      "output={\"step\": 1.7e-3, \"signals\": [\"top\", \"pivot\", \"energy\"]}";
  for (int m = 0; m < METHODS; ++m) {
    run_method("heavy_top", m, "\"step\": 4e-3, \"duration\": 0.08", output);
    if (strcmp(method[m].name, "rattle") == 0) continue;
    run_method("heavy_top", m,
               "\"step\": 0.02, \"duration\": 0.06, \"max_halvings\": 20, "
               "\"accuracy\": {\"position\": 1e-3, \"rotation\": 1e-3, \"velocity\": 0.1}",
               output);
  }
}

/* Events that switch and stop, turns that are counted, work. */
static void methods_with_events(void **state) {
  (void)state;
#define SIGNALS "\"signals\": [\"axle\", \"hinge\", \"energy\", \"latch.work\", \"impulse\"]}"
  static const char often[] = "output={\"every\": 2, " SIGNALS;
  static const char rarely[] = "output={\"step\": 0.03, " SIGNALS;
  for (int m = 0; m < METHODS; ++m) {
    if (strcmp(method[m].name, "rattle") == 0) continue;
    run_method("latch", m, "\"step\": 0.02, \"duration\": 3", often);
    if (m % 3 == 0)
      run_method("latch", m,
                 "\"step\": 0.1, \"duration\": 3, \"max_halvings\": 20, \"accuracy\": "
                 "{\"rotation\": 1e-2}",
                 rarely);
  }
}

/* Two links, the second of which a stiff damper grips from 0.4 s to 0.8 s. */
static const char gripped[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81],"
    " \"bodies\": [{\"name\": \"one\", \"type\": \"rigid_body\", \"mass\": 1,"
    "   \"inertia\": [0.01, 0.1, 0.1], \"position\": [0.5, 0, 0], \"angular_velocity\": [0, 1, 2]},"
    "  {\"name\": \"two\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.01, 0.1, 0.1],"
    "   \"position\": [1.5, 0, 0]}],"
    " \"joints\": [{\"name\": \"top\", \"type\": \"spherical\", \"a\": \"ground\","
    "   \"b\": {\"body\": \"one\", \"position\": [-0.5, 0, 0]}},"
    "  {\"name\": \"elbow\", \"type\": \"spherical\", \"a\": {\"body\": \"one\","
    "   \"position\": [0.5, 0, 0]}, \"b\": {\"body\": \"two\", \"position\": [-0.5, 0, 0]}}],"
    " \"forces\": [{\"name\": \"grip\", \"type\": \"spring_damper\", \"damping\": 3e5,"
    "   \"active\": false, \"a\": {\"body\": \"ground\", \"position\": [0, 0, 5]}, \"b\": "
    "\"two\"}],"
    " \"events\": [{\"name\": \"on\", \"when\": \"t - 0.4\", \"action\": {\"on\": [\"grip\"]}},"
    "  {\"name\": \"off\", \"when\": \"t - 0.8\", \"action\": {\"off\": [\"grip\"]}}],"
    " \"simulation\": {\"method\": \"auto\", \"step\": 0.1, \"duration\": 1.2, \"max_halvings\": "
    "30, \"accuracy\": {\"position\": 1e-6, \"rotation\": 1e-6}},"
    " \"output\": {\"step\": 0.01, \"interpolate\": true, \"signals\": [\"one\", \"two\", "
    "\"grip.work\", \"energy\"]}}";

/* The method "auto" before, at and after its changes, and in a trial of explicit steps. */
static void methods_that_change(void **state) {
  (void)state;
  const char *const set[] = {"simulation.duration=1.2", NULL};
  check_resume("auto", gripped, set, 20);
}

/* ---- models
 * -------------------------------------------------------------------------------------- */

/* Redundant rows, nonholonomic ones, dead centres, forces that depend on reactions, friction,
 * contact, cut steps, remarks, beams, reduced bodies, an equilibrium first. */
static void models(void **state) {
  (void)state;
  static const struct {
    const char *scene, *simulation, *output;
  } table[] = {
      {"door", "simulation.duration=0.5", "output={\"every\": 2}"},
      {"table", "simulation.duration=0.4", "output={\"step\": 0.03}"},
      {"bricard", "simulation.duration=0.3", "output={\"every\": 4}"},
      {"rolling_disc", "simulation={\"step\": 5e-3, \"duration\": 0.2}", "output={\"every\": 2}"},
      {"rolling_coin", "simulation={\"method\": \"radau\", \"step\": 0.01, \"duration\": 0.2}",
       "output={\"step\": 0.007}"},
      {"chaplygin_sleigh",
       "simulation={\"method\": \"hht_odae\", \"hht\": 0, \"step\": 0.05, \"duration\": 2}",
       "output={\"every\": 2}"},
      {"bearing_friction", "simulation.duration=0.3", "output={\"every\": 2}"},
      {"friction_block", "simulation={\"step\": 0.01, \"duration\": 0.8}", "output={\"every\": 2}"},
      {"bouncing_ball", "simulation={\"step\": 5e-3, \"duration\": 0.6, \"max_halvings\": 12}",
       "output={\"step\": 0.011}"},
      {"four_bar_chain", "simulation={\"step\": 5e-3, \"duration\": 0.3}", "output={\"every\": 1}"},
      {"press", "simulation={\"step\": 5e-3, \"duration\": 0.3}", "output={\"every\": 3}"},
      {"reduced_boom", "simulation.duration=0.08", "output={\"every\": 2}"},
      {"catenary", "simulation={\"step\": 0.01, \"duration\": 0.2}", "output={\"every\": 2}"},
      {"right_angle_cantilever", "simulation={\"step\": 0.1, \"duration\": 2}",
       "output={\"every\": 3}"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    const char *const set[] = {table[i].simulation, table[i].output, NULL};
    check_resume(table[i].scene, table[i].scene, set, 7);
  }
}

/* ---- ends
 * ---------------------------------------------------------------------------------------- */

/* The state near the end of a run is that of a longer one. */
static void longer(void **state) {
  (void)state;
  const char *const brief[] = {"simulation.duration=0.05", "output.every=7", NULL};
  const char *const whole[] = {"simulation.duration=0.09", "output.every=7", NULL};
  trace first = {0}, rest = {0}, expected = {0};
  torsor_summary summary, other;
  torsor_error error = {0};
  CHECK_INT(run_scene(&first, &summary, "heavy_top", brief, NULL, &error), TORSOR_OK);
  CHECK_INT(first.count, 1);
  CHECK_INT(run_scene(&expected, &summary, "heavy_top", whole, NULL, &error), TORSOR_OK);
  CHECK_INT(run_scene(&rest, &other, "heavy_top", whole, first.kept, &error), TORSOR_OK);
  CHECK_TRUE(same_summary(&summary, &other));
  const int kept = first.kept[0].rows;
  CHECK_INT(rest.rows, expected.rows - kept);
  CHECK_TRUE(memcmp(rest.value, expected.value + kept * expected.columns,
                    (size_t)(rest.rows * rest.columns) * sizeof(double)) == 0);
  trace_release(&first);
  trace_release(&rest);
  trace_release(&expected);
}

/* A stop leaves the state before the row that it adds. */
static void stopped(void **state) {
  (void)state;
  const char *const set[] = {"simulation.duration=0.09", "output.every=7", NULL};
  trace cut = {.stop_after = 10, .every = 1000}, rest = {0}, expected = {0};
  torsor_summary summary, other;
  torsor_error error = {0};
  CHECK_INT(run_scene(&cut, &summary, "heavy_top", set, NULL, &error), TORSOR_INTERRUPTED);
  CHECK_INT(cut.count, 1);
  CHECK_INT(cut.rows, cut.kept[0].rows + 1);
  CHECK_INT(run_scene(&expected, &summary, "heavy_top", set, NULL, &error), TORSOR_OK);
  CHECK_INT(run_scene(&rest, &other, "heavy_top", set, cut.kept, &error), TORSOR_OK);
  CHECK_TRUE(same_summary(&summary, &other));
  CHECK_INT(rest.rows + cut.kept[0].rows, expected.rows);
  trace_release(&cut);
  trace_release(&rest);
  trace_release(&expected);
}

/* States of something else, and damaged ones, are refused. */
static void refused(void **state) {
  (void)state;
  const char *const set[] = {"simulation.duration=0.05", "output.every=7", NULL};
  const char *const ggl[] = {"simulation.formulation=ggl", "simulation.duration=0.05", NULL};
  trace first = {0}, rest = {0};
  torsor_summary summary;
  torsor_error error = {0};
  CHECK_INT(run_scene(&first, &summary, "heavy_top", set, NULL, &error), TORSOR_OK);
  kept_state *from = first.kept;
  CHECK_INT(run_scene(&rest, &summary, "heavy_top", ggl, from, &error), TORSOR_FILE);
  CHECK_CONTAINS(error.message, "does not fit");
  CHECK_TRUE(error.hint[0] != '\0');
  CHECK_INT(run_scene(&rest, &summary, "triple_pendulum", set, from, &error), TORSOR_FILE);
  from->size -= 8;
  CHECK_INT(run_scene(&rest, &summary, "heavy_top", set, from, &error), TORSOR_FILE);
  from->size = 0;
  CHECK_INT(run_scene(&rest, &summary, "heavy_top", set, from, &error), TORSOR_FILE);
  CHECK_INT(rest.rows, 0);
  trace_release(&first);
  trace_release(&rest);
}

static void duration_is_over(void **state) {
  (void)state;
  const char *const set[] = {"simulation.duration=0.05", NULL};
  const char *const less[] = {"simulation.duration=0.02", NULL};
  trace first = {0}, rest = {0};
  torsor_summary summary;
  torsor_error error = {0};
  CHECK_INT(run_scene(&first, &summary, "heavy_top", set, NULL, &error), TORSOR_OK);
  CHECK_INT(run_scene(&rest, &summary, "heavy_top", less, first.kept, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "0.049");
  CHECK_INT(rest.rows, 0);
  trace_release(&first);
  trace_release(&rest);
}

/* ---- work
 * ---------------------------------------------------------------------------------------- */

/* Arrays that are listed as workspace carry nothing from step to step: overwriting them between
 * steps changes nothing. */
static void spoil(const char *scene, const char *simulation) {
  const char *const set[] = {simulation, NULL};
  double *end[2];
  int nq = 0;
  for (int spoiled = 0; spoiled < 2; ++spoiled) {
    support_world world;
    assembly *a = NULL;
    torsor_integrator *it = NULL;
    support_load(&world, scene, set);
    const torsor_simulation *s = torsor_scene_simulation(world.scene);
    CHECK_INT(
        assembly_create(&a, world.model, NULL, torsor_settings_stabilised(&s->settings), NULL),
        TORSOR_OK);
    const torsor_problem *p = assembly_problem(a);
    double *q = calloc((size_t)(p->nq + 2 * p->nv), sizeof *q), *v = q + p->nq;
    unsigned char *given = calloc((size_t)p->nv, 1);
    assembly_initial(a, q, v, given);
    CHECK_INT(torsor_integrator_create(&it, p, &s->settings, NULL), TORSOR_OK);
    assembly_start_coordinates(a, &(torsor_point){.q = q, .v = v});
    CHECK_INT(torsor_integrator_start(it, 0, q, v), TORSOR_OK);
    for (int k = 0; k < 20; ++k) {
      tape t = {.mode = TAPE_SPOIL};
      if (spoiled) assembly_walk(a, &t);
      if (spoiled) integrator_walk(it, &t);
      CHECK_INT(torsor_integrator_step(it), TORSOR_OK);
    }
    nq = p->nq;
    memcpy(q, torsor_integrator_state(it).q, (size_t)nq * sizeof *q);
    end[spoiled] = q;
    free(given);
    torsor_integrator_destroy(it);
    assembly_destroy(a);
    support_close(&world);
  }
  CHECK_TRUE(memcmp(end[0], end[1], (size_t)nq * sizeof(double)) == 0);
  free(end[0]);
  free(end[1]);
}

static void work_holds_nothing(void **state) {
  (void)state;
  spoil("heavy_top", "simulation={\"step\": 5e-3, \"duration\": 1}");
  spoil("heavy_top_se3", "simulation={\"step\": 5e-3, \"duration\": 1, \"formulation\": \"ggl\"}");
  spoil("heavy_top", "simulation={\"step\": 5e-3, \"duration\": 1, \"method\": \"radau\"}");
  spoil("triple_pendulum",
        "simulation={\"step\": 5e-3, \"duration\": 1, \"method\": \"hht_odae\", \"hht\": 0}");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(methods),
      cmocka_unit_test(methods_between),
      cmocka_unit_test(methods_with_events),
      cmocka_unit_test(methods_that_change),
      cmocka_unit_test(models),
      cmocka_unit_test(longer),
      cmocka_unit_test(stopped),
      cmocka_unit_test(refused),
      cmocka_unit_test(duration_is_over),
      cmocka_unit_test(work_holds_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
