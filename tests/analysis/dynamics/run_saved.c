/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs saved in memory, restored in the same run, another one and another process, cut by events,
 * and put into other states. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "run_kit.h"

static const char *const heavy_top = "heavy_top";

static void check_restored(const char *name, run_subject *s, void *data) {
  size_t *largest = data, size;
  torsor_run *run = kit_create(s), *fresh = kit_create(s);
  const int length = kit_state_length(run, s);
  double *first = kit_numbers(STEPS * length), *second = kit_numbers(STEPS * length);
  kit_go_on(first, run, s, STEPS);
  /* Also from within the last step. */
  if (!torsor_run_finished(run))
    CHECK_INT(
        torsor_run_advance(run, torsor_run_time(run) - s->simulation.settings.step / 64, NULL),
        TORSOR_OK);
  void *bytes = kit_save(run, &size);
  kit_go_on(first, run, s, STEPS);
  CHECK_INT(torsor_run_restore(run, bytes, size, NULL), TORSOR_OK);
  kit_go_on(second, run, s, STEPS);
  if (!kit_same_bits(first, second, STEPS * length)) print_error("%s: in place\n", name);
  CHECK_TRUE(kit_same_bits(first, second, STEPS * length));
  torsor_run_destroy(run);
  CHECK_INT(torsor_run_restore(fresh, bytes, size, NULL), TORSOR_OK);
  kit_go_on(second, fresh, s, STEPS);
  if (!kit_same_bits(first, second, STEPS * length)) print_error("%s: in a fresh run\n", name);
  CHECK_TRUE(kit_same_bits(first, second, STEPS * length));
  torsor_run_destroy(fresh);
  if (size > *largest) *largest = size;
  free(bytes);
  free(first);
  free(second);
}

static void test_saved_and_restored(void **state) {
  (void)state;
  size_t largest = 0;
  kit_all_scenes(check_restored, &largest);
  print_message("the largest state has %zu bytes\n", largest);
}

/* A double pendulum in space whose second hinge is held twice. */
static const char twice_held[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81],"
    " \"bodies\": [{\"name\": \"one\", \"type\": \"rigid_body\", \"mass\": 2,"
    "   \"inertia\": [0.1, 0.2, 0.15], \"position\": [0.5, 0, 0], \"angular_velocity\": [0, 1, 0]},"
    "  {\"name\": \"two\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.2],"
    "   \"position\": [1.5, 0, 0]}],"
    " \"joints\": [{\"name\": \"top\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": "
    "\"ground\","
    "   \"b\": {\"body\": \"one\", \"position\": [-0.5, 0, 0]}},"
    "  {\"name\": \"elbow\", \"type\": \"revolute\", \"axis\": [0, 1, 0],"
    "   \"a\": {\"body\": \"one\", \"position\": [0.5, 0, 0]},"
    "   \"b\": {\"body\": \"two\", \"position\": [-0.5, 0, 0]}}%s],"
    " \"forces\": [{\"name\": \"rub\", \"type\": \"coordinate_force\", \"coordinate\": "
    "\"elbow.angle\","
    "   \"effort\": \"-0.2*elbow.%s\"}],"
    " \"simulation\": {%s, \"step\": 0.005, \"duration\": 2},"
    " \"output\": {\"signals\": [\"two\", \"rub\", \"top\", \"energy\", \"rub.work\"]}}";

static const char again[] =
    ", {\"name\": \"again\", \"type\": \"point_on_plane\", \"normal\": [0, 1, 0],"
    "   \"a\": {\"body\": \"one\", \"position\": [0.5, 0, 0]},"
    "   \"b\": {\"body\": \"two\", \"position\": [-0.5, 0, 0]}}";

/* The same with every method, under step-size control, and where constraint rows depend on each
 * other. */
static void test_restored_by_methods(void **state) {
  static const char *const methods[] = {
      "\"method\": \"generalized_alpha\"",
      "\"method\": \"generalized_alpha\", \"accuracy\": {\"position\": 1e-4}",
      "\"method\": \"generalized_alpha\", \"formulation\": \"index3\"",
      "\"method\": \"soi2\"",
      "\"method\": \"hht_odae\"",
      "\"method\": \"radau\"",
      "\"method\": \"radau\", \"accuracy\": {\"position\": 1e-5}",
      "\"method\": \"explicit\"",
      "\"method\": \"explicit\", \"order\": 5, \"accuracy\": {\"position\": 1e-5}",
      "\"method\": \"auto\", \"accuracy\": {\"position\": 1e-5}",
      "\"method\": \"rattle\""};
  (void)state;
  for (size_t i = 0; i < 2 * sizeof methods / sizeof *methods; ++i) {
    torsor_error error = {0};
    char text[4000];
    run_subject s;
    size_t size = 0;
    int count;
    snprintf(text, sizeof text, twice_held, i % 2 ? again : "",
             strstr(methods[i / 2], "rattle") ? "angle" : "rate", methods[i / 2]);
    const torsor_status status = support_open(&s.world, text, NULL, &error);
    if (status) print_error("%s: %s\n%s\n", error.path, error.message, text);
    CHECK_INT(status, TORSOR_OK);
    s.simulation = *torsor_scene_simulation(s.world.scene);
    const char *const *names = torsor_scene_signals(s.world.scene, &count);
    CHECK_INT(torsor_signals_create(&s.signals, s.world.model, names, count, NULL, NULL),
              TORSOR_OK);
    s.columns = torsor_signals_count(s.signals);
    torsor_run *run;
    /* hht_odae takes no redundant rows */
    const torsor_status made = torsor_run_create(&run, s.world.model, &s.simulation, NULL, &error);
    torsor_run_destroy(run);
    if (made)
      print_message("%s%s: %s\n", methods[i / 2], i % 2 ? ", redundant" : "", error.message);
    else
      check_restored(methods[i / 2], &s, &size);
    kit_close(&s);
  }
}

/* ---- in another process
 * -------------------------------------------------------------------------- */

/* Restore what `file` has into a run of the scene, go on, and print all numbers to the bit. */
static int restore_elsewhere(const char *scene, const char *file) {
  run_subject s;
  if (!kit_open(&s, scene)) return 1;
  torsor_run *run = kit_create(&s);
  const int length = kit_state_length(run, &s);
  double *value = kit_numbers(STEPS * length);
  FILE *in = fopen(file, "rb");
  if (!in) return 1;
  size_t size;
  void *bytes = kit_save(run, &size);
  void *read = realloc(bytes, 2 * size);
  size = fread(read, 1, 2 * size, in);
  fclose(in);
  if (torsor_run_restore(run, read, size, NULL)) return 1;
  kit_go_on(value, run, &s, STEPS);
  for (int i = 0; i < STEPS * length; ++i) printf("%a\n", value[i]);
  free(read);
  free(value);
  torsor_run_destroy(run);
  kit_close(&s);
  return 0;
}

static void test_restored_in_another_process(void **state) {
  (void)state;
  run_subject s;
  size_t size;
  char file[] = "/tmp/torsor-run-XXXXXX", command[300];
  CHECK_TRUE(kit_open(&s, heavy_top));
  torsor_run *run = kit_create(&s);
  const int length = kit_state_length(run, &s);
  double *value = kit_numbers(STEPS * length);
  kit_go_on(value, run, &s, STEPS);
  void *bytes = kit_save(run, &size);
  const int handle = mkstemp(file);
  CHECK_TRUE(handle >= 0 && write(handle, bytes, size) == (ssize_t)size && !close(handle));
  kit_go_on(value, run, &s, STEPS);
  snprintf(command, sizeof command, "/proc/%ld/exe %s %s", (long)getpid(), heavy_top, file);
  FILE *other = popen(command, "r");
  CHECK_TRUE(other != NULL);
  int count = 0;
  for (double x; fscanf(other, "%la", &x) == 1; ++count)
    CHECK_TRUE(count < STEPS * length && kit_same_bits(&x, &value[count], 1));
  CHECK_INT(pclose(other), 0);
  CHECK_INT(count, STEPS * length);
  unlink(file);
  free(bytes);
  free(value);
  torsor_run_destroy(run);
  kit_close(&s);
}

static void test_foreign_bytes(void **state) {
  (void)state;
  run_subject s, other;
  size_t size, small;
  torsor_error error = {0};
  CHECK_TRUE(kit_open(&s, heavy_top));
  CHECK_TRUE(kit_open(&other, "spatial_slider_crank"));
  torsor_run *run = kit_create(&s), *stranger = kit_create(&other);
  unsigned char *bytes = kit_save(run, &size);
  double before, after;
  CHECK_INT(torsor_run_save(run, bytes, size - 1, &small, &error), TORSOR_ARGUMENT);
  CHECK_TRUE(small == size);
  CHECK_CONTAINS(error.message, "there is room for");
  before = torsor_run_signal(run, "energy.total");
  for (size_t k = 0; k < size; k += 7) {
    CHECK_INT(torsor_run_restore(run, bytes, k, &error), TORSOR_FILE);
  }
  CHECK_CONTAINS(error.message, "too few or too many bytes");
  CHECK_INT(torsor_run_restore(stranger, bytes, size, &error), TORSOR_FILE);
  CHECK_CONTAINS(error.message, "another model");
  bytes[0] = 'x';
  CHECK_INT(torsor_run_restore(run, bytes, size, &error), TORSOR_FILE);
  CHECK_CONTAINS(error.message, "did not write it");
  after = torsor_run_signal(run, "energy.total");
  CHECK_TRUE(before == after);
  free(bytes);
  torsor_run_destroy(run);
  torsor_run_destroy(stranger);
  kit_close(&s);
  kit_close(&other);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* A ball that falls onto a plate, whose spring is switched on at the first touch, and stops when it
 * comes back up. */
static const char bouncing[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81],"
    " \"bodies\": [{\"name\": \"ball\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.1, "
    "0.1, 0.1], \"position\": [0, 0, 0.5]}],"
    " \"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"axis\": [0, 0, 1], \"a\": "
    "\"ground\", \"b\": \"ball\"}],"
    " \"forces\": [{\"name\": \"plate\", \"type\": \"coordinate_force\", \"coordinate\": "
    "\"rail.travel\", \"effort\": \"-4000*rail.travel\", \"active\": false}],"
    " \"events\": [{\"name\": \"pass\", \"when\": \"ball.position.z - 0.3\", \"action\": \"log\"},"
    "  {\"name\": \"touch\", \"when\": \"ball.position.z\", \"direction\": \"falling\", "
    "\"action\": {\"on\": [\"plate\"]}},"
    "  {\"name\": \"top\", \"when\": \"ball.velocity.z\", \"direction\": \"falling\", \"action\": "
    "\"stop\"}],"
    " \"simulation\": {\"step\": 0.004, \"duration\": 5}}";

typedef struct happened {
  int count;
  double t[20];
} happened;

static torsor_status note_event(void *data, const torsor_occurrence *o) {
  happened *h = data;
  CHECK_TRUE(h->count < 20);
  h->t[h->count++] = o->t;
  return TORSOR_OK;
}

static void open_bouncing(run_subject *s) {
  torsor_error error = {0};
  const torsor_status status = support_open(&s->world, bouncing, NULL, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
  s->simulation = *torsor_scene_simulation(s->world.scene);
  CHECK_INT(torsor_signals_create(&s->signals, s->world.model, NULL, 0, NULL, NULL), TORSOR_OK);
  s->columns = torsor_signals_count(s->signals);
}

static happened simulate_events(const run_subject *s, double *end) {
  happened h = {0};
  torsor_summary summary;
  const torsor_hooks hooks = {.size = sizeof(torsor_hooks), .data = &h, .event = note_event};
  CHECK_INT(torsor_simulate(&summary, s->world.model, &s->simulation, s->signals, &hooks, NULL),
            TORSOR_OK);
  CHECK_TRUE(summary.stopped_by != NULL);
  *end = summary.t;
  return h;
}

/* Occurrences come with the call that passes them, once, at the times of torsor_simulate, and the
 * run ends where that ends. */
static void test_occurrences(void **state) {
  static const double spacing[] = {0, 0.003, 0.0041, 0.05, 10};
  (void)state;
  run_subject s;
  double end;
  open_bouncing(&s);
  const happened want = simulate_events(&s, &end);
  CHECK_GE(want.count, 3);
  for (size_t k = 0; k < sizeof spacing / sizeof *spacing; ++k) {
    torsor_run *run = kit_create(&s);
    const torsor_occurrence *o;
    happened got = {0};
    double before = 0;
    while (!torsor_run_finished(run)) {
      CHECK_INT(spacing[k] > 0 ? torsor_run_advance(run, before + spacing[k], NULL)
                               : torsor_run_step(run, NULL),
                TORSOR_OK);
      const int count = torsor_run_occurrences(run, &o);
      for (int i = 0; i < count; ++i) {
        CHECK_TRUE(o[i].t >= before && o[i].t <= torsor_run_time(run));
        note_event(&got, &o[i]);
      }
      before = torsor_run_time(run);
    }
    CHECK_INT(got.count, want.count);
    for (int i = 0; i < want.count; ++i) CHECK_TRUE(got.t[i] == want.t[i]);
    CHECK_TRUE(torsor_run_time(run) == end);
    CHECK_TRUE(torsor_run_summary(run)->stopped_by != NULL);
    CHECK_INT(torsor_run_summary(run)->events, want.count);
    torsor_error error = {0};
    CHECK_INT(torsor_run_step(run, &error), TORSOR_ARGUMENT);
    CHECK_CONTAINS(error.message, "finished");
    torsor_run_destroy(run);
  }
  kit_close(&s);
}

/* Saved anywhere, with events in the last step that are ahead or are about to switch a force: all
 * that follows is the same. */
static void test_restored_among_events(void **state) {
  (void)state;
  run_subject s;
  double end;
  open_bouncing(&s);
  const happened want = simulate_events(&s, &end);
  torsor_run *run = kit_create(&s);
  for (int i = 1; !torsor_run_finished(run); ++i) {
    size_t size;
    const torsor_occurrence *o;
    happened got = {0};
    CHECK_INT(torsor_run_advance(run, 0.0013 * i, NULL), TORSOR_OK);
    void *bytes = kit_save(run, &size);
    torsor_run *other = kit_create(&s);
    CHECK_INT(torsor_run_restore(other, bytes, size, NULL), TORSOR_OK);
    CHECK_TRUE(torsor_run_time(other) == torsor_run_time(run));
    CHECK_TRUE(torsor_run_step_end(other) == torsor_run_step_end(run));
    while (!torsor_run_finished(other)) {
      CHECK_INT(torsor_run_step(other, NULL), TORSOR_OK);
      const int count = torsor_run_occurrences(other, &o);
      for (int k = 0; k < count; ++k) note_event(&got, &o[k]);
    }
    CHECK_TRUE(torsor_run_time(other) == end);
    for (int k = 0; k < got.count; ++k) CHECK_TRUE(got.t[k] == want.t[want.count - got.count + k]);
    CHECK_INT(got.count + torsor_run_summary(run)->events, want.count);
    free(bytes);
    torsor_run_destroy(other);
  }
  torsor_run_destroy(run);
  kit_close(&s);
}

/* Events that lie ahead in the last step have not happened where the motion is restarted before
 * them. */
static void test_events_taken_back(void **state) {
  (void)state;
  run_subject s;
  double end;
  open_bouncing(&s);
  const happened want = simulate_events(&s, &end);
  torsor_run *run = kit_create(&s);
  const torsor_occurrence *o;
  const double pass = want.t[0];
  CHECK_INT(torsor_run_advance(run, pass - 1e-4, NULL), TORSOR_OK);
  CHECK_TRUE(torsor_run_step_end(run) > pass);
  CHECK_INT(torsor_run_occurrences(run, &o), 0);
  CHECK_INT(torsor_run_summary(run)->events, 0);
  CHECK_INT(torsor_run_set_step(run, 0.001, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_summary(run)->events, 0);
  CHECK_INT(torsor_run_advance(run, pass + 1e-3, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_occurrences(run, &o), 1);
  print_message("passed %.3g s away from where it was passed by other steps\n", o[0].t - pass);
  CHECK_NEAR(o[0].t, pass, 1e-9); /* a free fall is exact */
  torsor_run_destroy(run);
  kit_close(&s);
}

/* ---- changes --------------------------------------------------------------------------------- */

/* A last step that ends at a given time, and a state that is put in: the motion goes on from there
 * as one that was always so. */
static void test_ends_and_states(void **state) {
  (void)state;
  run_subject s;
  CHECK_TRUE(kit_open(&s, "spatial_slider_crank"));
  s.simulation.settings.formulation = TORSOR_GGL;
  torsor_run *run = kit_create(&s), *other = kit_create(&s);
  const double t = 10.3 * s.simulation.settings.step;
  CHECK_INT(torsor_run_end_at(run, t, NULL), TORSOR_OK);
  CHECK_TRUE(torsor_run_time(run) == t && torsor_run_step_end(run) == t);
  const torsor_view q = torsor_run_q(run), v = torsor_run_v(run);
  double *values = kit_numbers(s.columns);
  CHECK_INT(torsor_run_end_at(other, t, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_set_state(other, q.value, v.value, NULL), TORSOR_OK);
  CHECK_TRUE(torsor_run_time(other) == t);
  const torsor_view q2 = torsor_run_q(other), v2 = torsor_run_v(other);
  for (size_t i = 0; i < q.count; ++i) CHECK_NEAR(q2.value[i], q.value[i], 1e-11);
  for (size_t i = 0; i < v.count; ++i) CHECK_NEAR(v2.value[i], v.value[i], 1e-9);
  CHECK_TRUE(torsor_run_q(run).value == q.value); /* addresses do not change */
  /* A state that cannot be moved onto the constraints, or that is none, is refused and changes
   * nothing. */
  double *bad = kit_numbers((int)q.count), *was = kit_numbers((int)q.count);
  torsor_error error = {0};
  memcpy(bad, q.value, q.count * sizeof *bad);
  memcpy(was, q.value, q.count * sizeof *bad);
  bad[0] = 1e308;
  CHECK_INT(torsor_run_set_state(run, bad, v.value, &error), TORSOR_INCONSISTENT);
  print_message("%s\n", error.message);
  CHECK_TRUE(error.element[0] != 0);
  bad[0] = nan("");
  CHECK_INT(torsor_run_set_state(run, bad, v.value, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "q[0] of the state");
  bad[0] = q.value[0];
  bad[3] = 3;
  CHECK_INT(torsor_run_set_state(run, bad, v.value, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "must be a unit quaternion");
  CHECK_TRUE(kit_same_bits(torsor_run_q(run).value, was, (int)q.count));
  free(was);
  CHECK_INT(torsor_run_step(run, NULL), TORSOR_OK);
  free(bad);
  free(values);
  torsor_run_destroy(run);
  torsor_run_destroy(other);
  kit_close(&s);
}

int main(int count, char **argument) {
  if (count == 3) return restore_elsewhere(argument[1], argument[2]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_saved_and_restored),
                                     cmocka_unit_test(test_restored_by_methods),
                                     cmocka_unit_test(test_restored_in_another_process),
                                     cmocka_unit_test(test_foreign_bytes),
                                     cmocka_unit_test(test_occurrences),
                                     cmocka_unit_test(test_restored_among_events),
                                     cmocka_unit_test(test_events_taken_back),
                                     cmocka_unit_test(test_ends_and_states)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
