/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs as objects: the same bits as torsor_simulate, however they are stepped, looked at, saved, restored and shared by threads; what
 * is refused; and what a failure leaves. */
#include "check.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "support.h"

enum { MOST_SCENES = 200, MOST_ROWS = 40, STEPS = 15 };

static bool same_bits(const double *a, const double *b, int count) {
  for (int i = 0; i < count; ++i)
    if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i]))) return false;
  return true;
}

static double *numbers(int count) {
  double *x = calloc((size_t)(count > 0 ? count : 1), sizeof *x);
  CHECK_TRUE(x != NULL);
  return x;
}

/* ---- subjects: every shipped scene with a motion ---------------------------------------------- */

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int find_scenes(char *names[MOST_SCENES]) {
  char folder[400];
  int count = 0;
  support_path(folder, sizeof folder, "scenes");
  DIR *dir = opendir(folder);
  CHECK_TRUE(dir != NULL);
  for (const struct dirent *entry; (entry = readdir(dir));) {
    char *end = strstr(entry->d_name, ".json");
    if (!end) continue;
    CHECK_TRUE(count < MOST_SCENES);
    names[count] = strdup(entry->d_name);
    names[count++][end - entry->d_name] = 0;
  }
  closedir(dir);
  qsort(names, (size_t)count, sizeof *names, by_name);
  return count;
}

typedef struct subject {
  support_world world;
  torsor_simulation simulation;
  torsor_signals *signals;
  int columns;
} subject;

/* False where the scene has no motion, or no step of its own: trial runs of whole durations are no subject here. */
static bool open_subject(subject *s, const char *name) {
  int count;
  support_load(&s->world, name, NULL);
  s->simulation = *torsor_scene_simulation(s->world.scene);
  const char *const *names = torsor_scene_signals(s->world.scene, &count);
  CHECK_INT(torsor_signals_create(&s->signals, s->world.model, names, count, NULL, NULL),
            TORSOR_OK);
  s->columns = torsor_signals_count(s->signals);
  return !torsor_scene_is_static(s->world.scene) && s->simulation.settings.step > 0 &&
         s->simulation.duration > 0;
}

static void close_subject(subject *s) {
  torsor_signals_destroy(s->signals);
  support_close(&s->world);
}

static torsor_run *create_run(const subject *s) {
  torsor_error error = {0};
  torsor_run *run;
  const torsor_run_options options = {.size = sizeof options, .signals = s->signals};
  const torsor_status status =
      torsor_run_create(&run, s->world.model, &s->simulation, &options, &error);
  if (status) print_error("%s\n", error.message);
  CHECK_INT(status, TORSOR_OK);
  return run;
}

static void for_all_scenes(void (*visit)(const char *name, subject *s, void *data), void *data) {
  char *names[MOST_SCENES];
  const int count = find_scenes(names);
  int visited = 0;
  for (int i = 0; i < count; ++i) {
    subject s;
    if (open_subject(&s, names[i])) {
      visit(names[i], &s, data);
      ++visited;
    }
    close_subject(&s);
    free(names[i]);
  }
  print_message("%d scenes\n", visited);
  CHECK_GE(visited, 60);
}

/* ---- the same rows ----------------------------------------------------------------------------- */

typedef struct rows_kept {
  int columns, count;
  double *value; /* [MOST_ROWS x columns] */
  double t[MOST_ROWS];
} rows_kept;

static torsor_status keep_row(void *data, double t, const double *values, int count) {
  rows_kept *k = data;
  if (k->count == MOST_ROWS) return TORSOR_OK;
  memcpy(k->value + k->count * k->columns, values, (size_t)count * sizeof *values);
  k->t[k->count++] = t;
  return TORSOR_OK;
}

static bool have_enough(void *data) {
  return ((const rows_kept *)data)->count == MOST_ROWS;
}

static rows_kept simulate(const subject *s, const torsor_simulation *simulation) {
  rows_kept k = {.columns = s->columns, .value = numbers(MOST_ROWS * s->columns)};
  const torsor_hooks hooks = {.data = &k, .record = keep_row, .stop = have_enough};
  torsor_summary summary;
  const torsor_status status =
      torsor_simulate(&summary, s->world.model, simulation, s->signals, &hooks, NULL);
  CHECK_TRUE(status == TORSOR_OK || status == TORSOR_INTERRUPTED);
  return k;
}

/* Rows of a simulation against a run that stands at their times. */
static void compare_rows(const char *name, const subject *s, const rows_kept *k) {
  torsor_run *run = create_run(s);
  double *now = numbers(s->columns);
  for (int i = 0; i < k->count; ++i) {
    CHECK_INT(torsor_run_advance(run, k->t[i], NULL), TORSOR_OK);
    CHECK_INT(torsor_run_values(run, s->signals, now, NULL), TORSOR_OK);
    CHECK_TRUE(torsor_run_time(run) == k->t[i]);
    if (same_bits(now, k->value + i * s->columns, s->columns)) continue;
    print_error("%s: the row at t = %.17g s differs\n", name, k->t[i]);
    fail();
  }
  free(now);
  torsor_run_destroy(run);
}

static void check_rows(const char *name, subject *s, void *data) {
  int *total = data;
  rows_kept k = simulate(s, &s->simulation);
  compare_rows(name, s, &k);
  *total += k.count;
  free(k.value);
}

static void test_rows_of_the_command(void **state) {
  (void)state;
  int total = 0;
  for_all_scenes(check_rows, &total);
  print_message("%d rows, the same to the bit\n", total);
}

/* Rows at times that are no multiples of the steps. */
static void check_odd_times(const char *name, subject *s, void *data) {
  (void)data;
  torsor_simulation odd = s->simulation;
  odd.interpolate = true;
  odd.output_step = 1.37 * odd.settings.step;
  odd.duration = fmin(odd.duration, 7 * odd.output_step);
  s->simulation = odd;
  rows_kept k = simulate(s, &odd);
  compare_rows(name, s, &k);
  free(k.value);
}

static void test_odd_times(void **state) {
  (void)state;
  for_all_scenes(check_odd_times, NULL);
}

static const char *const heavy_top = "heavy_top";

/* However often and in which order one looks: the steps are the same. */
static void test_looking_changes_nothing(void **state) {
  (void)state;
  subject s;
  CHECK_TRUE(open_subject(&s, heavy_top));
  torsor_run *one = create_run(&s), *other = create_run(&s);
  double *a = numbers(s.columns), *b = numbers(s.columns);
  const double h = s.simulation.settings.step;
  for (int i = 1; i <= 200; ++i) {
    const double t = 0.77 * i * h;
    CHECK_INT(torsor_run_advance(one, t, NULL), TORSOR_OK);
    CHECK_INT(torsor_run_values(one, s.signals, a, NULL), TORSOR_OK);
    const double back = fmax(t - 0.2 * h * (i % 3), torsor_run_step_end(one) - 0.99 * h);
    if (torsor_run_step_end(one) > 0 && i > 20)
      CHECK_INT(torsor_run_advance(one, fmin(t, back), NULL), TORSOR_OK);
    torsor_run_signal(one, "energy.total");
  }
  CHECK_INT(torsor_run_advance(one, 160 * h, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_advance(other, 160 * h, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(one, s.signals, a, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(other, s.signals, b, NULL), TORSOR_OK);
  CHECK_TRUE(same_bits(a, b, s.columns));
  torsor_run_destroy(one);
  torsor_run_destroy(other);
  free(a);
  free(b);
  close_subject(&s);
}

/* ---- saved and restored ------------------------------------------------------------------------ */

static void *save(torsor_run *run, size_t *size) {
  CHECK_INT(torsor_run_save(run, NULL, 0, size, NULL), TORSOR_OK);
  void *bytes = malloc(*size);
  CHECK_TRUE(bytes != NULL);
  size_t again;
  CHECK_INT(torsor_run_save(run, bytes, *size, &again, NULL), TORSOR_OK);
  CHECK_TRUE(again == *size);
  return bytes;
}

/* Signals, q, v, v' and lambda, one after the other. */
static int state_length(torsor_run *run, const subject *s) {
  return s->columns + (int)(torsor_run_q(run).count + torsor_run_v(run).count +
                            torsor_run_a(run).count + torsor_run_lambda(run).count);
}

static void look(double *out, torsor_run *run, const subject *s) {
  const torsor_view view[] = {torsor_run_q(run), torsor_run_v(run), torsor_run_a(run),
                              torsor_run_lambda(run)};
  CHECK_INT(torsor_run_values(run, s->signals, out, NULL), TORSOR_OK);
  out += s->columns;
  for (int i = 0; i < 4; ++i) {
    memcpy(out, view[i].value, view[i].count * sizeof *out);
    out += view[i].count;
  }
}

/* Go on by so many steps less one, not beyond the end, with a look before each and after the last. */
static void go_on(double *out, torsor_run *run, const subject *s, int steps) {
  const int length = state_length(run, s);
  for (int i = 0; i < steps; ++i) {
    if (i > 0 && !torsor_run_finished(run)) CHECK_INT(torsor_run_step(run, NULL), TORSOR_OK);
    look(out + i * length, run, s);
  }
}

static void check_restored(const char *name, subject *s, void *data) {
  size_t *largest = data, size;
  torsor_run *run = create_run(s), *fresh = create_run(s);
  const int length = state_length(run, s);
  double *first = numbers(STEPS * length), *second = numbers(STEPS * length);
  go_on(first, run, s, STEPS);
  /* Also from within the last step. */
  if (!torsor_run_finished(run))
    CHECK_INT(
        torsor_run_advance(run, torsor_run_time(run) - s->simulation.settings.step / 64, NULL),
        TORSOR_OK);
  void *bytes = save(run, &size);
  go_on(first, run, s, STEPS);
  CHECK_INT(torsor_run_restore(run, bytes, size, NULL), TORSOR_OK);
  go_on(second, run, s, STEPS);
  if (!same_bits(first, second, STEPS * length)) print_error("%s: in place\n", name);
  CHECK_TRUE(same_bits(first, second, STEPS * length));
  torsor_run_destroy(run);
  CHECK_INT(torsor_run_restore(fresh, bytes, size, NULL), TORSOR_OK);
  go_on(second, fresh, s, STEPS);
  if (!same_bits(first, second, STEPS * length)) print_error("%s: in a fresh run\n", name);
  CHECK_TRUE(same_bits(first, second, STEPS * length));
  torsor_run_destroy(fresh);
  if (size > *largest) *largest = size;
  free(bytes);
  free(first);
  free(second);
}

static void test_saved_and_restored(void **state) {
  (void)state;
  size_t largest = 0;
  for_all_scenes(check_restored, &largest);
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

/* The same with every method, under step-size control, and where constraint rows depend on each other. */
static void test_restored_by_methods(void **state) {
  static const char *const methods[] = {
      "\"method\": \"generalized_alpha\"",
      "\"method\": \"generalized_alpha\", \"accuracy\": {\"position\": 1e-4}",
      "\"method\": \"generalized_alpha\", \"formulation\": \"index3\"",
      "\"method\": \"soi2\"",
      "\"method\": \"hht_odae\"",
      "\"method\": \"radau\"",
      "\"method\": \"radau\", \"accuracy\": {\"position\": 1e-5}",
      "\"method\": \"rattle\""};
  (void)state;
  for (size_t i = 0; i < 2 * sizeof methods / sizeof *methods; ++i) {
    torsor_error error = {0};
    char text[4000];
    subject s;
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
    close_subject(&s);
  }
}

/* ---- in another process -------------------------------------------------------------------------- */

/* Restore what `file` has into a run of the scene, go on, and print all numbers to the bit. */
static int restore_elsewhere(const char *scene, const char *file) {
  subject s;
  if (!open_subject(&s, scene)) return 1;
  torsor_run *run = create_run(&s);
  const int length = state_length(run, &s);
  double *value = numbers(STEPS * length);
  FILE *in = fopen(file, "rb");
  if (!in) return 1;
  size_t size;
  void *bytes = save(run, &size);
  void *read = realloc(bytes, 2 * size);
  size = fread(read, 1, 2 * size, in);
  fclose(in);
  if (torsor_run_restore(run, read, size, NULL)) return 1;
  go_on(value, run, &s, STEPS);
  for (int i = 0; i < STEPS * length; ++i) printf("%a\n", value[i]);
  free(read);
  free(value);
  torsor_run_destroy(run);
  close_subject(&s);
  return 0;
}

static void test_restored_in_another_process(void **state) {
  (void)state;
  subject s;
  size_t size;
  char file[] = "/tmp/torsor-run-XXXXXX", command[300];
  CHECK_TRUE(open_subject(&s, heavy_top));
  torsor_run *run = create_run(&s);
  const int length = state_length(run, &s);
  double *value = numbers(STEPS * length);
  go_on(value, run, &s, STEPS);
  void *bytes = save(run, &size);
  const int handle = mkstemp(file);
  CHECK_TRUE(handle >= 0 && write(handle, bytes, size) == (ssize_t)size && !close(handle));
  go_on(value, run, &s, STEPS);
  snprintf(command, sizeof command, "/proc/%ld/exe %s %s", (long)getpid(), heavy_top, file);
  FILE *other = popen(command, "r");
  CHECK_TRUE(other != NULL);
  int count = 0;
  for (double x; fscanf(other, "%la", &x) == 1; ++count)
    CHECK_TRUE(count < STEPS * length && same_bits(&x, &value[count], 1));
  CHECK_INT(pclose(other), 0);
  CHECK_INT(count, STEPS * length);
  unlink(file);
  free(bytes);
  free(value);
  torsor_run_destroy(run);
  close_subject(&s);
}

static void test_foreign_bytes(void **state) {
  (void)state;
  subject s, other;
  size_t size, small;
  torsor_error error = {0};
  CHECK_TRUE(open_subject(&s, heavy_top));
  CHECK_TRUE(open_subject(&other, "spatial_slider_crank"));
  torsor_run *run = create_run(&s), *stranger = create_run(&other);
  unsigned char *bytes = save(run, &size);
  double before, after;
  CHECK_INT(torsor_run_save(run, bytes, size - 1, &small, &error), TORSOR_ARGUMENT);
  CHECK_TRUE(small == size);
  CHECK_CONTAINS(error.message, "there is room for");
  before = torsor_run_signal(run, "energy.total");
  for (size_t k = 0; k < size; k += 7) {
    CHECK_INT(torsor_run_restore(run, bytes, k, &error), TORSOR_FILE);
  }
  CHECK_CONTAINS(error.message, "cut off");
  CHECK_INT(torsor_run_restore(stranger, bytes, size, &error), TORSOR_FILE);
  CHECK_CONTAINS(error.message, "another model");
  bytes[0] = 'x';
  CHECK_INT(torsor_run_restore(run, bytes, size, &error), TORSOR_FILE);
  CHECK_CONTAINS(error.message, "has not made it");
  after = torsor_run_signal(run, "energy.total");
  CHECK_TRUE(before == after);
  free(bytes);
  torsor_run_destroy(run);
  torsor_run_destroy(stranger);
  close_subject(&s);
  close_subject(&other);
}

/* ---- events ------------------------------------------------------------------------------------- */

/* A ball that falls onto a plate, whose spring is switched on at the first touch, and stops when it comes back up. */
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

static void open_bouncing(subject *s) {
  torsor_error error = {0};
  const torsor_status status = support_open(&s->world, bouncing, NULL, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
  s->simulation = *torsor_scene_simulation(s->world.scene);
  CHECK_INT(torsor_signals_create(&s->signals, s->world.model, NULL, 0, NULL, NULL), TORSOR_OK);
  s->columns = torsor_signals_count(s->signals);
}

static happened simulate_events(const subject *s, double *end) {
  happened h = {0};
  torsor_summary summary;
  const torsor_hooks hooks = {.data = &h, .event = note_event};
  CHECK_INT(torsor_simulate(&summary, s->world.model, &s->simulation, s->signals, &hooks, NULL),
            TORSOR_OK);
  CHECK_TRUE(summary.stopped_by != NULL);
  *end = summary.t;
  return h;
}

/* Occurrences come with the call that passes them, once, at the times of torsor_simulate, and the run ends where that ends. */
static void test_occurrences(void **state) {
  static const double spacing[] = {0, 0.003, 0.0041, 0.05, 10};
  (void)state;
  subject s;
  double end;
  open_bouncing(&s);
  const happened want = simulate_events(&s, &end);
  CHECK_GE(want.count, 3);
  for (size_t k = 0; k < sizeof spacing / sizeof *spacing; ++k) {
    torsor_run *run = create_run(&s);
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
  close_subject(&s);
}

/* Saved anywhere, with events in the last step that are ahead or are about to switch a force: all that follows is the same. */
static void test_restored_among_events(void **state) {
  (void)state;
  subject s;
  double end;
  open_bouncing(&s);
  const happened want = simulate_events(&s, &end);
  torsor_run *run = create_run(&s);
  for (int i = 1; !torsor_run_finished(run); ++i) {
    size_t size;
    const torsor_occurrence *o;
    happened got = {0};
    CHECK_INT(torsor_run_advance(run, 0.0013 * i, NULL), TORSOR_OK);
    void *bytes = save(run, &size);
    torsor_run *other = create_run(&s);
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
  close_subject(&s);
}

/* What lies ahead in the last step has not happened where the motion begins anew before it. */
static void test_events_taken_back(void **state) {
  (void)state;
  subject s;
  double end;
  open_bouncing(&s);
  const happened want = simulate_events(&s, &end);
  torsor_run *run = create_run(&s);
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
  close_subject(&s);
}

/* ---- changes ------------------------------------------------------------------------------------ */

/* A last step that ends at a given time, and a state that is put in: the motion goes on from there as one that was always so. */
static void test_ends_and_states(void **state) {
  (void)state;
  subject s;
  CHECK_TRUE(open_subject(&s, "spatial_slider_crank"));
  s.simulation.settings.formulation = TORSOR_GGL;
  torsor_run *run = create_run(&s), *other = create_run(&s);
  const double t = 10.3 * s.simulation.settings.step;
  CHECK_INT(torsor_run_end_at(run, t, NULL), TORSOR_OK);
  CHECK_TRUE(torsor_run_time(run) == t && torsor_run_step_end(run) == t);
  const torsor_view q = torsor_run_q(run), v = torsor_run_v(run);
  double *values = numbers(s.columns);
  CHECK_INT(torsor_run_end_at(other, t, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_set_state(other, q.value, v.value, NULL), TORSOR_OK);
  CHECK_TRUE(torsor_run_time(other) == t);
  const torsor_view q2 = torsor_run_q(other), v2 = torsor_run_v(other);
  for (size_t i = 0; i < q.count; ++i) CHECK_NEAR(q2.value[i], q.value[i], 1e-11);
  for (size_t i = 0; i < v.count; ++i) CHECK_NEAR(v2.value[i], v.value[i], 1e-9);
  CHECK_TRUE(torsor_run_q(run).value == q.value); /* addresses do not change */
  /* What cannot be moved onto the constraints, or is no state, is refused and changes nothing. */
  double *bad = numbers((int)q.count), *was = numbers((int)q.count);
  torsor_error error = {0};
  memcpy(bad, q.value, q.count * sizeof *bad);
  memcpy(was, q.value, q.count * sizeof *bad);
  bad[0] = 1e308;
  CHECK_INT(torsor_run_set_state(run, bad, v.value, &error), TORSOR_INCONSISTENT);
  print_message("%s\n", error.message);
  CHECK_TRUE(error.element[0] != 0);
  bad[0] = NAN;
  CHECK_INT(torsor_run_set_state(run, bad, v.value, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "q[0] of the state");
  bad[0] = q.value[0];
  bad[3] = 3;
  CHECK_INT(torsor_run_set_state(run, bad, v.value, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "no rotation");
  CHECK_TRUE(same_bits(torsor_run_q(run).value, was, (int)q.count));
  free(was);
  CHECK_INT(torsor_run_step(run, NULL), TORSOR_OK);
  free(bad);
  free(values);
  torsor_run_destroy(run);
  torsor_run_destroy(other);
  close_subject(&s);
}

static void test_misuse(void **state) {
  (void)state;
  subject s;
  torsor_error error = {0};
  CHECK_TRUE(open_subject(&s, heavy_top));
  torsor_run *run = create_run(&s);
  const double h = s.simulation.settings.step;
  CHECK_INT(torsor_run_advance(run, NAN, &error), TORSOR_ARGUMENT);
  CHECK_INT(torsor_run_advance(run, HUGE_VAL, &error), TORSOR_ARGUMENT);
  CHECK_INT(torsor_run_advance(run, 10.5 * h, &error), TORSOR_OK);
  CHECK_INT(torsor_run_advance(run, 9.9 * h, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "cannot go back");
  CHECK_CONTAINS(error.hint, "torsor_run_save");
  CHECK_TRUE(torsor_run_time(run) == 10.5 * h);
  CHECK_INT(torsor_run_set_step(run, 0, &error), TORSOR_ARGUMENT);
  CHECK_INT(torsor_run_set_step(run, NAN, &error), TORSOR_ARGUMENT);
  CHECK_TRUE(isnan(torsor_run_signal(run, "no.such")));
  CHECK_TRUE(isnan(torsor_run_signal(run, "top.position"))); /* three of them */
  const double times[] = {11 * h, 10.8 * h};
  double *values = numbers(2 * s.columns);
  CHECK_INT(torsor_run_record(run, s.signals, times, 2, values, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "times[1]");
  torsor_run_destroy(run);
  torsor_run_destroy(NULL);
  s.simulation.settings.method = "no_such";
  CHECK_INT(torsor_run_create(&run, s.world.model, &s.simulation, NULL, &error), TORSOR_ARGUMENT);
  CHECK_TRUE(run == NULL);
  free(values);
  close_subject(&s);
}

/* An end that is open: steps go on beyond the duration, and a failure leaves a run that can be read and go on with smaller steps. */
static void test_open_end(void **state) {
  (void)state;
  subject s;
  CHECK_TRUE(open_subject(&s, heavy_top));
  const torsor_run_options options = {.size = sizeof options, .open_end = true};
  torsor_run *run;
  s.simulation.duration = 0;
  CHECK_INT(torsor_run_create(&run, s.world.model, &s.simulation, &options, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_advance(run, 0.5, NULL), TORSOR_OK);
  CHECK_FALSE(torsor_run_finished(run));
  CHECK_TRUE(torsor_run_time(run) == 0.5);
  torsor_run_destroy(run);
  close_subject(&s);
}

/* ---- threads ------------------------------------------------------------------------------------- */

enum { RUNS = 8 };

typedef struct job {
  const subject *subject;
  double *value; /* [STEPS x length] */
  int length, number;
} job;

static void *run_job(void *data) {
  job *j = data;
  torsor_run *run = create_run(j->subject);
  for (int i = 0; i < j->number; ++i) torsor_run_step(run, NULL); /* each is elsewhere */
  go_on(j->value, run, j->subject, STEPS);
  torsor_run_destroy(run);
  return NULL;
}

static void test_runs_in_threads(void **state) {
  static const char *const scenes[] = {"heavy_top", "spatial_slider_crank", "door"};
  (void)state;
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; ++k) {
    subject s;
    pthread_t thread[RUNS];
    job jobs[RUNS];
    CHECK_TRUE(open_subject(&s, scenes[k]));
    torsor_run *run = create_run(&s);
    const int length = state_length(run, &s);
    torsor_run_destroy(run);
    double *alone = numbers(STEPS * length);
    for (int i = 0; i < RUNS; ++i) {
      jobs[i] = (job){&s, numbers(STEPS * length), length, i};
      CHECK_INT(pthread_create(&thread[i], NULL, run_job, &jobs[i]), 0);
    }
    for (int i = 0; i < RUNS; ++i) CHECK_INT(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < RUNS; ++i) {
      job one = {&s, alone, length, i};
      run_job(&one);
      CHECK_TRUE(same_bits(alone, jobs[i].value, STEPS * length));
      free(jobs[i].value);
    }
    free(alone);
    close_subject(&s);
  }
}

/* ---- warnings ------------------------------------------------------------------------------------ */

static void count_line(void *data, const char *message) {
  (void)message;
  ++*(int *)data;
}

static void test_warnings(void **state) {
  (void)state;
  subject s;
  int lines = 0, kept = 0;
  CHECK_TRUE(open_subject(&s, "door")); /* its rows are redundant */
  const torsor_run_options options = {.size = sizeof options, .warn = count_line, .data = &lines};
  torsor_run *run;
  CHECK_INT(torsor_run_create(&run, s.world.model, &s.simulation, &options, NULL), TORSOR_OK);
  CHECK_TRUE(torsor_run_warning(run) == NULL);
  torsor_run_destroy(run);
  run = create_run(&s);
  for (const char *line; (line = torsor_run_warning(run)); ++kept) CHECK_TRUE(strlen(line) > 10);
  CHECK_INT(kept, lines);
  CHECK_GE(kept, 1);
  torsor_run_destroy(run);
  /* Steps that are too coarse are reported when the run ends, or when one asks. */
  run = create_run(&s);
  torsor_run_conclude(run);
  torsor_run_destroy(run);
  close_subject(&s);
}

/* A full state is that which the hooks of torsor_simulate are given. */
static torsor_status keep_frame(void *data, const torsor_frame *frame) {
  memcpy(data, frame->value, frame->size * sizeof *frame->value);
  return TORSOR_OK;
}

static void check_frame(const char *name, subject *s, void *data) {
  (void)data;
  torsor_layout layout;
  torsor_summary summary;
  torsor_simulation short_one = s->simulation;
  short_one.duration = fmin(short_one.duration, 3 * short_one.settings.step);
  short_one.output_step = short_one.duration;
  CHECK_INT(torsor_layout_create(&layout, s->world.model, TORSOR_FIELDS_ALL, NULL), TORSOR_OK);
  const int size = (int)torsor_frame_size(&layout, TORSOR_FIELDS_ALL);
  double *want = numbers(size), *got = numbers(size);
  const torsor_hooks hooks = {.data = want,
                              .frame = keep_frame,
                              .recording = {.full = true, .every = 1, .fields = TORSOR_FIELDS_ALL}};
  CHECK_INT(torsor_simulate(&summary, s->world.model, &short_one, NULL, &hooks, NULL), TORSOR_OK);
  s->simulation = short_one;
  torsor_run *run = create_run(s);
  CHECK_INT(torsor_run_advance(run, short_one.duration, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_frame(run, &layout, TORSOR_FIELDS_ALL, got, NULL), TORSOR_OK);
  if (!same_bits(got, want, size)) print_error("%s\n", name);
  CHECK_TRUE(same_bits(got, want, size));
  torsor_run_destroy(run);
  torsor_layout_destroy(&layout);
  free(want);
  free(got);
}

static void test_frames(void **state) {
  (void)state;
  for_all_scenes(check_frame, NULL);
}

int main(int count, char **argument) {
  if (count == 3) return restore_elsewhere(argument[1], argument[2]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows_of_the_command),
                                     cmocka_unit_test(test_odd_times),
                                     cmocka_unit_test(test_looking_changes_nothing),
                                     cmocka_unit_test(test_saved_and_restored),
                                     cmocka_unit_test(test_restored_by_methods),
                                     cmocka_unit_test(test_restored_in_another_process),
                                     cmocka_unit_test(test_foreign_bytes),
                                     cmocka_unit_test(test_occurrences),
                                     cmocka_unit_test(test_restored_among_events),
                                     cmocka_unit_test(test_events_taken_back),
                                     cmocka_unit_test(test_ends_and_states),
                                     cmocka_unit_test(test_misuse),
                                     cmocka_unit_test(test_open_end),
                                     cmocka_unit_test(test_runs_in_threads),
                                     cmocka_unit_test(test_warnings),
                                     cmocka_unit_test(test_frames)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
