/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Callbacks bound by name: they do what the element in their place does, with and without
 * derivatives; controllers act as a loop outside does; failures end a run with their own words;
 * what is bound wrongly is refused. */
#include "check.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "run_kit.h"

static torsor_registry *create_registry(void) {
  torsor_registry *registry = torsor_registry_create(NULL);
  CHECK_TRUE(registry != NULL);
  return registry;
}

static void bind(torsor_registry *registry, const char *name, torsor_callback c) {
  torsor_error error = {0};
  const torsor_status status = torsor_registry_bind(registry, name, &c, &error);
  if (status) print_error("%s\n", error.message);
  CHECK_INT(status, TORSOR_OK);
}

#define BIND(registry, name, signature, call, data)                                                \
  bind(registry, name, (torsor_callback)TORSOR_CALLBACK_INIT(signature, call, data))

static torsor_status open(run_subject *s, torsor_registry *registry, const char *text,
                          torsor_error *error) {
  *s = (run_subject){.world.registry = registry};
  torsor_status status = torsor_scene_parse(&s->world.scene, text, strlen(text), "callbacks.json",
                                            registry, NULL, 0, error);
  if (!status) status = torsor_scene_model(&s->world.model, s->world.scene, error);
  if (status) return status;
  int count;
  const char *const *names = torsor_scene_signals(s->world.scene, &count);
  s->simulation = *torsor_scene_simulation(s->world.scene);
  status = torsor_signals_create(&s->signals, s->world.model, names, count, NULL, error);
  s->columns = status ? 0 : torsor_signals_count(s->signals);
  return status;
}

static void must_open(run_subject *s, torsor_registry *registry, const char *text) {
  torsor_error error = {0};
  const torsor_status status = open(s, registry, text, &error);
  if (status) print_error("%s: %s (%s)\n", error.path, error.message, error.hint);
  CHECK_INT(status, TORSOR_OK);
}

static void close_parts(run_subject *s) {
  torsor_signals_destroy(s->signals);
  torsor_model_destroy(s->world.model);
  torsor_scene_destroy(s->world.scene);
}

static double *values_at_end(const run_subject *s, torsor_status *status, torsor_error *error) {
  torsor_run *run = NULL;
  double *value = kit_numbers(s->columns);
  torsor_status got = torsor_run_create(&run, s->world.model, &s->simulation, NULL, error);
  if (!got) got = torsor_run_advance(run, s->simulation.duration, error);
  if (run) CHECK_INT(torsor_run_values(run, s->signals, value, NULL), TORSOR_OK);
  torsor_run_destroy(run);
  if (status)
    *status = got;
  else
    CHECK_INT(got, TORSOR_OK);
  return value;
}

/* Largest difference of two scenes at the end, in parts of the largest number. */
static double compare(torsor_registry *registry, const char *one, const char *other) {
  run_subject a, b;
  must_open(&a, registry, one);
  must_open(&b, registry, other);
  CHECK_INT(a.columns, b.columns);
  double *x = values_at_end(&a, NULL, NULL), *y = values_at_end(&b, NULL, NULL), most = 0, size = 0;
  for (int i = 0; i < a.columns; ++i) {
    most = check_max(most, fabs(x[i] - y[i]));
    size = check_max(size, fabs(x[i]));
  }
  free(x);
  free(y);
  close_parts(&a);
  close_parts(&b);
  return most / size;
}

/* ---- a joint
 * --------------------------------------------------------------------------------------- */

static torsor_status meet(void *data, const torsor_relative_in *in, torsor_relative_out *out) {
  (void)data;
  out->phi[0] = in->p.x;
  out->phi[1] = in->p.y;
  out->phi[2] = in->p.z;
  return TORSOR_OK;
}

/* The same with its gradient, and moved up and down by 0.1 m. */
static torsor_status meet_moved(void *data, const torsor_relative_in *in,
                                torsor_relative_out *out) {
  const double w = *(const double *)data, t = in->now->t;
  torsor_block_point(out, in);
  out->phi[2] -= 0.1 * sin(w * t);
  out->phi_t[2] = -0.1 * w * cos(w * t);
  out->phi_tt[2] = 0.1 * w * w * sin(w * t);
  for (int row = 0; row < 3; ++row)
    for (int k = 3; k < 6; ++k) out->J[row][k] = 0;
  return TORSOR_OK;
}

static const char pendulum[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"rod\", \"type\": "
    "\"rigid_body\", \"mass\": 2,"
    " \"inertia\": [0.2, 0.1, 0.15], \"position\": [0.3, 0.1, -0.4], \"angular_velocity\": [1, 2, "
    "3]}],"
    " \"joints\": [{\"name\": \"ball\", %s, \"a\": \"ground\", \"b\": {\"body\": \"rod\", "
    "\"position\": [-0.3, -0.1, 0.4]}}],"
    " \"simulation\": {\"step\": 1e-3, \"duration\": %g, \"formulation\": \"%s\"},"
    " \"output\": {\"signals\": [\"rod.position\", \"rod.quaternion\", "
    "\"rod.angular_velocity\"%s]}}";

/* Rows by a callback are those of a shipped joint.  What differs is the gradient by differences: of
 * order h^2 f'''/6 + eps/h = 5e-11 of its size with h = 6e-6 of the arms, so that forces, and the
 * motion by its sensitivity of about 10, are off by less than 1e-9. */
static void test_joint(void **state) {
  static const char *const formulations[] = {"ggl", "index3"};
  (void)state;
  torsor_registry *registry = create_registry();
  double frequency = 7;
  BIND(registry, "meet", "rows", meet, NULL);
  BIND(registry, "moved", "rows", meet_moved, &frequency);
  for (int i = 0; i < 2; ++i) {
    char a[2000], b[2000];
    snprintf(a, sizeof a, pendulum, "\"type\": \"spherical\"", 0.5, formulations[i], "");
    snprintf(b, sizeof b, pendulum,
             "\"type\": \"user_joint\", \"constraint\": \"meet\", \"rows\": 3", 0.5,
             formulations[i], "");
    const double off = compare(registry, a, b);
    print_message("spherical by a callback, %s: %.3g\n", formulations[i], off);
    CHECK_LE(off, 1e-9);
  }
  char b[2000];
  snprintf(b, sizeof b, pendulum,
           "\"type\": \"user_joint\", \"constraint\": \"moved\", \"rows\": 3", 0.5, "ggl",
           ", \"ball.phi\", \"ball.phi_velocity\"");
  run_subject s;
  must_open(&s, registry, b);
  double *x = values_at_end(&s, NULL, NULL);
  for (int i = s.columns - 6; i < s.columns; ++i) CHECK_LE(fabs(x[i]), 1e-10);
  free(x);
  close_parts(&s);
  torsor_registry_destroy(registry);
}

/* ---- forces
 * ------------------------------------------------------------------------------------------ */

static torsor_status spring_law(void *data, const torsor_relative_in *in, torsor_law_out *out) {
  const double k = *(const double *)data, length = v3_norm(in->p);
  const v3 pull = v3_scale(in->p, -k * (length - 0.2) / length); /* axes of a */
  out->w.lin = m3_tmulv(in->R, pull);
  return TORSOR_OK;
}

static torsor_status spring_effort(void *data, const torsor_now *now, double c, double rate,
                                   torsor_effort_out *out) {
  const double *k = data;
  (void)now;
  out->Q = -k[0] * c - k[1] * rate;
  out->dQ_dc = -k[0];
  out->dQ_drate = -k[1];
  return TORSOR_OK;
}

static double wind(void *data, const torsor_now *now, double *rate, double *second) {
  (void)data;
  if (rate) *rate = 7 * cos(7 * now->t);
  if (second) *second = -49 * sin(7 * now->t);
  return sin(7 * now->t);
}

static double cubic(void *data, const torsor_now *now, double x, double *slope, double *integral) {
  (void)data;
  (void)now;
  if (slope) *slope = 50 + 900 * x * x;
  if (integral) *integral = 25 * x * x + 75 * x * x * x * x;
  return 50 * x + 300 * x * x * x;
}

static const char tied[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"rod\", \"type\": "
    "\"rigid_body\", \"mass\": 2,"
    " \"inertia\": [0.2, 0.1, 0.15], \"position\": [0.5, 0, 0]}],"
    " \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": "
    "\"ground\", \"b\": {\"body\": \"rod\", \"position\": [-0.5, 0, 0]}}],"
    " \"forces\": [{\"name\": \"f\", %s}],"
    " \"simulation\": {\"step\": 1e-3, \"duration\": 0.5},"
    " \"output\": {\"signals\": [\"rod.position\", \"rod.quaternion\", \"hinge.rate\"]}}";

/* The forces are equal to rounding: what differs is Newton's path, which ends within rtol = 1e-8 of
 * corrections that are squares of these. */
static void test_forces(void **state) {
  static const struct {
    const char *own, *called;
    double bound;
  } cases[] = {
      {"\"type\": \"spring_damper\", \"a\": {\"body\": \"ground\", \"position\": [0.2, 0, 1]}, "
       "\"b\": "
       "\"rod\", \"stiffness\": 80, \"length\": 0.2",
       "\"type\": \"user_force\", \"a\": {\"body\": \"ground\", \"position\": [0.2, 0, 1]}, \"b\": "
       "\"rod\", \"law\": \"spring\"",
       1e-9},
      {"\"type\": \"coordinate_spring\", \"coordinate\": \"hinge.angle\", \"stiffness\": 30, "
       "\"damping\": 2",
       "\"type\": \"user_effort\", \"coordinate\": \"hinge.angle\", \"effort\": \"muscle\"", 1e-9},
      {"\"type\": \"force\", \"at\": \"rod\", \"force\": [3, 0, 5], \"scale\": \"sin(7*t)\"",
       "\"type\": \"force\", \"at\": \"rod\", \"force\": [3, 0, 5], \"scale\": {\"callback\": "
       "\"wind\"}",
       1e-12},
      {"\"type\": \"coordinate_spring\", \"coordinate\": \"hinge.angle\", \"force\": \"50*x + "
       "300*x^3\"",
       "\"type\": \"coordinate_spring\", \"coordinate\": \"hinge.angle\", \"force\": "
       "{\"callback\": "
       "\"cubic\"}",
       1e-12}};
  (void)state;
  torsor_registry *registry = create_registry();
  double k = 80, muscle[2] = {30, 2};
  BIND(registry, "spring", "law", spring_law, &k);
  BIND(registry, "muscle", "effort", spring_effort, muscle);
  BIND(registry, "wind", "function", wind, NULL);
  BIND(registry, "cubic", "characteristic", cubic, NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char a[2000], b[2000];
    snprintf(a, sizeof a, tied, cases[i].own);
    snprintf(b, sizeof b, tied, cases[i].called);
    const double off = compare(registry, a, b);
    print_message("%.60s ..: %.3g\n", cases[i].called, off);
    CHECK_LE(off, cases[i].bound);
  }
  torsor_registry_destroy(registry);
}

/* ---- controllers
 * ------------------------------------------------------------------------------------- */

static const char cart[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"inputs\": {\"push\": 0},"
    " \"bodies\": [{\"name\": \"cart\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.1, "
    "0.1, 0.1]},"
    "  {\"name\": \"pole\", \"type\": \"rigid_body\", \"mass\": 0.1, \"inertia\": [0.0083, 0.0083, "
    "1e-5],"
    "   \"position\": [\"0.5*sin(0.1)\", 0, \"0.5*cos(0.1)\"], \"orientation\": "
    "{\"rotation_vector\": [0, 0.1, 0]}}],"
    " \"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"axis\": [1, 0, 0], \"a\": "
    "\"ground\", \"b\": \"cart\"},"
    "  {\"name\": \"hinge\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": \"cart\","
    "   \"b\": {\"body\": \"pole\", \"position\": [0, 0, -0.5]}}],"
    " \"forces\": [{\"name\": \"motor\", \"type\": \"coordinate_force\", \"coordinate\": "
    "\"rail.travel\", \"effort\": \"push\"}], %s"
    " \"simulation\": {\"step\": 1e-3, \"duration\": 1},"
    " \"output\": {\"every\": 100, \"signals\": [\"rail.travel\", \"rail.speed\", \"hinge.angle\", "
    "\"hinge.rate\"]}}";

#define PID                                                                                        \
  "\"controllers\": [{\"name\": \"pid\", \"callback\": \"pid\", \"period\": %s, \"reads\": "       \
  "[\"hinge.angle\", \"hinge.rate\", \"rail.travel\", \"rail.speed\"], \"writes\": [\"push\"]}],"

typedef struct memory {
  double sum; /* of angles, an integral part */
  int samples;
} memory;

static double law(const double *x, double sum) {
  return 40 * x[0] + 9 * x[1] + x[2] + 2.5 * x[3] + 0.1 * sum;
}

static torsor_status pid(void *data, double t, const double *read, double *write) {
  memory *m = data;
  (void)t;
  m->sum += read[0];
  ++m->samples;
  write[0] = law(read, m->sum);
  return TORSOR_OK;
}

/* The same controller outside. */
static void lead(double *value, torsor_registry *registry, double period) {
  run_subject s;
  char text[4000];
  snprintf(text, sizeof text, cart, "");
  must_open(&s, registry, text);
  torsor_run *run = kit_create(&s);
  double sum = 0;
  const int count = (int)ceil(1 / period - 1e-9);
  for (int i = 0; i < count; ++i) {
    double x[4];
    CHECK_INT(torsor_run_end_at(run, i * period, NULL), TORSOR_OK);
    CHECK_INT(torsor_run_values(run, s.signals, x, NULL), TORSOR_OK);
    const double seen[] = {x[2], x[3], x[0], x[1]};
    sum += seen[0];
    CHECK_INT(torsor_run_set_input(run, 0, law(seen, sum), NULL), TORSOR_OK);
  }
  CHECK_INT(torsor_run_advance(run, 1, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(run, s.signals, value, NULL), TORSOR_OK);
  torsor_run_destroy(run);
  close_parts(&s);
}

static torsor_status keep_last(void *data, double t, const double *values, int count) {
  (void)t;
  memcpy(data, values, (size_t)count * sizeof *values);
  return TORSOR_OK;
}

/* A controller that turns a wheel to 0.3 rad at 0.1 s, by a drive or by what the hint advises. */
static const char steered[] =
    "{\"torsor\": 1, \"inputs\": {\"steer\": 0}, \"bodies\": [{\"name\": \"wheel\", \"type\": "
    "\"rigid_body\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.2]}], \"joints\": [{\"name\": "
    "\"column\","
    " \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"wheel\"}%s],"
    " \"controllers\": [{\"name\": \"pilot\", \"callback\": \"pilot\", \"period\": 0.1, "
    "\"writes\": "
    "[\"steer\"]}], \"simulation\": {\"step\": 1e-3, \"duration\": 2},"
    " \"output\": {\"signals\": [\"column.angle\"]}}";

static torsor_status pilot(void *data, double t, const double *read, double *write) {
  (void)data, (void)read;
  write[0] = t < 0.05 ? 0 : 0.3;
  return TORSOR_OK;
}

static void test_controller_of_a_drive(void **state) {
  static const char *const by[] = {
      ", {\"name\": \"servo\", \"type\": \"drive\", \"coordinate\": \"column.angle\", \"motion\": "
      "\"steer\"}",
      "], \"forces\": [{\"name\": \"servo\", \"type\": \"actuator\", \"coordinate\": "
      "\"column.angle\", \"target\": \"steer\", \"kp\": 80, \"kd\": 8}"};
  (void)state;
  torsor_registry *registry = create_registry();
  bind(registry, "pilot", (torsor_callback)TORSOR_CALLBACK_INIT("controller", pilot, NULL));
  for (int i = 0; i < 2; ++i) {
    char text[2000];
    run_subject s;
    double angle = 0;
    torsor_error error = {0};
    torsor_summary summary;
    snprintf(text, sizeof text, steered, by[i]);
    must_open(&s, registry, text);
    const torsor_hooks hooks = {.size = sizeof(torsor_hooks), .data = &angle, .record = keep_last};
    const torsor_status status =
        torsor_simulate(&summary, s.world.model, &s.simulation, s.signals, &hooks, &error);
    if (status) print_message("  %s\n  %s\n", error.message, error.hint);
    CHECK_INT(status, i ? TORSOR_OK : TORSOR_STEP);
    if (i) {
      /* critically damped with w = 20/s: (1 + w t) exp(-w t) is left after 1.9 s, 1e-15 */
      CHECK_NEAR(angle, 0.3, 1e-9);
    } else {
      CHECK_CONTAINS(error.hint, "follows \"steer\" in place of \"servo\"");
      CHECK_CONTAINS(error.hint, "\"type\": \"actuator\"");
      CHECK_STR(error.element, "servo");
    }
    close_parts(&s);
  }
  torsor_registry_destroy(registry);
}

static void test_controllers(void **state) {
  static const char *const periods[] = {"0.01", "0.0137", "0.1"};
  (void)state;
  torsor_registry *registry = create_registry();
  memory m = {0};
  torsor_callback c = TORSOR_CALLBACK_INIT("controller", pid, &m);
  c.state = sizeof m;
  bind(registry, "pid", c);
  for (int i = 0; i < 3; ++i) {
    const double period = strtod(periods[i], NULL);
    char head[400], text[4000];
    run_subject s;
    double outside[4], inside[4], by_rows[4];
    snprintf(head, sizeof head, PID, periods[i]);
    snprintf(text, sizeof text, cart, head);
    m = (memory){0}; /* with which every run of this model begins */
    must_open(&s, registry, text);
    lead(outside, registry, period);
    double *at_end = values_at_end(&s, NULL, NULL);
    memcpy(inside, at_end, sizeof inside);
    free(at_end);
    CHECK_INT(m.samples, (int)ceil(1 / period - 1e-9));
    m.sum = 1e9; /* is forgotten */
    torsor_summary summary;
    const torsor_hooks hooks = {.size = sizeof(torsor_hooks), .data = by_rows, .record = keep_last};
    CHECK_INT(torsor_simulate(&summary, s.world.model, &s.simulation, s.signals, &hooks, NULL),
              TORSOR_OK);
    CHECK_TRUE(kit_same_bits(inside, by_rows, 4));
    CHECK_TRUE(kit_same_bits(inside, outside, 4));
    /* saved with its memory, and restored with another one */
    size_t size;
    torsor_run *run = kit_create(&s);
    CHECK_INT(torsor_run_advance(run, 0.5, NULL), TORSOR_OK);
    void *bytes = kit_save(run, &size);
    torsor_run_destroy(run);
    run = kit_create(&s);
    m = (memory){.sum = 99};
    CHECK_INT(torsor_run_restore(run, bytes, size, NULL), TORSOR_OK);
    CHECK_INT(torsor_run_advance(run, 1, NULL), TORSOR_OK);
    CHECK_INT(torsor_run_values(run, s.signals, by_rows, NULL), TORSOR_OK);
    CHECK_TRUE(kit_same_bits(inside, by_rows, 4));
    torsor_run_destroy(run);
    free(bytes);
    close_parts(&s);
    print_message("samples every %s s: to the bit as outside\n", periods[i]);
  }
  torsor_registry_destroy(registry);
}

/* ---- failures
 * ------------------------------------------------------------------------------------------ */

static torsor_status breaks(void *data, const torsor_relative_in *in, torsor_law_out *out) {
  (void)out;
  if (in->now->t < 0.1) return TORSOR_OK;
  return torsor_callback_fail(in->now, *(const torsor_status *)data, "the magnet is off after %g s",
                              0.1);
}

static torsor_status refuses(void *data, double t, const double *read, double *write) {
  (void)data;
  (void)read;
  (void)write;
  return t > 0.2 ? TORSOR_STEP : TORSOR_OK;
}

static void test_failures(void **state) {
  (void)state;
  torsor_registry *registry = create_registry();
  torsor_status status = TORSOR_STEP, got;
  torsor_error error = {0};
  run_subject s;
  char text[4000];
  BIND(registry, "magnet", "law", breaks, &status);
  BIND(registry, "pid", "controller", refuses, NULL);
  snprintf(text, sizeof text, tied,
           "\"type\": \"user_force\", \"a\": \"ground\", \"b\": \"rod\", \"law\": \"magnet\"");
  must_open(&s, registry, text);
  for (int i = 0; i < 2; ++i) {
    status = i ? TORSOR_DOMAIN : TORSOR_STEP; /* at once, or after smaller steps */
    free(values_at_end(&s, &got, &error));
    print_message("%s\n", error.message);
    CHECK_INT(got, TORSOR_STEP);
    CHECK_CONTAINS(error.message, "the magnet is off after 0.1 s");
    CHECK_STR(error.element, "f");
    CHECK_NEAR(error.t, 0.1, 2e-3);
  }
  close_parts(&s);
  char head[400];
  snprintf(head, sizeof head, PID, "0.01");
  snprintf(text, sizeof text, cart, head);
  must_open(&s, registry, text);
  free(values_at_end(&s, &got, &error));
  print_message("%s\n", error.message);
  CHECK_INT(got, TORSOR_STEP);
  CHECK_CONTAINS(error.message, "the controller \"pid\" ended the run at t = 0.21 s");
  close_parts(&s);
  torsor_registry_destroy(registry);
}

/* ---- misuse
 * -------------------------------------------------------------------------------------------- */

static int destroyed;

static void note_destroyed(void *data) {
  (void)data;
  ++destroyed;
}

static void test_binding(void **state) {
  (void)state;
  torsor_registry *registry = create_registry();
  torsor_error error = {0};
  CHECK_TRUE(torsor_registry_find(registry, "user_force") == NULL);
  torsor_callback c = TORSOR_CALLBACK_INIT("law", breaks, NULL);
  c.destroy = note_destroyed;
  bind(registry, "magnet", c);
  CHECK_TRUE(torsor_registry_find(registry, "user_force") != NULL);
  CHECK_TRUE(torsor_registry_bound(registry, "magnet") != NULL);
  CHECK_TRUE(torsor_registry_bound(registry, "other") == NULL);
  CHECK_INT(torsor_registry_bind(registry, "magnet", &c, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "already a callback");
  CHECK_INT(torsor_registry_bind(registry, "2x", &c, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "cannot be the name");
  c.signature = "lwa";
  CHECK_INT(torsor_registry_bind(registry, "other", &c, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.hint, "\"law\"");
  c = (torsor_callback)TORSOR_CALLBACK_INIT("law", NULL, NULL);
  CHECK_INT(torsor_registry_bind(registry, "other", &c, &error), TORSOR_ARGUMENT);
  torsor_registry_destroy(registry);
  CHECK_INT(destroyed, 1);
}

static void test_bad_scenes(void **state) {
  static const struct {
    const char *force, *path, *message, *hint;
  } cases[] = {
      {"\"type\": \"user_force\", \"a\": \"ground\", \"b\": \"rod\", \"law\": \"magnte\"",
       "forces[0].law", "no callback called \"magnte\" is bound", "torsor_registry_bind"},
      {"\"type\": \"user_force\", \"a\": \"ground\", \"b\": \"rod\", \"law\": \"wind\"",
       "forces[0].law", "has the signature \"function\", but \"law\" is needed", ""},
      {"\"type\": \"force\", \"at\": \"rod\", \"force\": [1, 0, 0], \"scale\": {\"callback\": 3}",
       "forces[0].scale.callback", "must be", ""},
      {"\"type\": \"force\", \"at\": \"rod\", \"force\": [1, 0, 0], \"scale\": {\"callback\": "
       "\"wind\", \"x\": 1}",
       "forces[0].scale.x", "unknown key", ""}};
  static const struct {
    const char *controllers, *path, *message;
  } controllers[] = {
      {"[{\"name\": \"pid\", \"callback\": \"pid\", \"period\": 0, \"writes\": [\"push\"]}]",
       "controllers[0].period", "must be"},
      {"[{\"name\": \"pid\", \"callback\": \"pid\", \"writes\": [\"push\"]}]",
       "controllers[0].period", "is missing"},
      {"[{\"name\": \"pid\", \"callback\": \"pid\", \"period\": 1, \"writes\": [\"pusch\"]}]",
       "controllers[0].writes[0]", "there is no input \"pusch\""},
      {"[{\"name\": \"pid\", \"callback\": \"wind\", \"period\": 1}]", "controllers[0].callback",
       "\"controller\" is needed"},
      {"[{\"name\": \"pid\", \"callback\": \"pid\", \"period\": 1, \"offset\": -1}]",
       "controllers[0].offset", "0 or greater"},
      {"[{\"name\": \"pid\", \"callback\": \"pid\", \"period\": 1}, {\"name\": \"pid\", "
       "\"callback\": \"pid\", \"period\": 1}]",
       "controllers[1].name", "two controllers"}};
  (void)state;
  torsor_registry *registry = create_registry();
  BIND(registry, "magnet", "law", breaks, NULL);
  BIND(registry, "wind", "function", wind, NULL);
  BIND(registry, "pid", "controller", pid, NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[3000];
    run_subject s;
    torsor_error error = {0};
    snprintf(text, sizeof text, tied, cases[i].force);
    CHECK_INT(open(&s, registry, text, &error), TORSOR_SCENE);
    print_message("%s: %s (%s)\n", error.path, error.message, error.hint);
    CHECK_STR(error.path, cases[i].path);
    CHECK_CONTAINS(error.message, cases[i].message);
    CHECK_CONTAINS(error.hint, cases[i].hint);
    close_parts(&s);
  }
  for (size_t i = 0; i < sizeof controllers / sizeof *controllers; ++i) {
    char text[4000], head[1000];
    run_subject s;
    torsor_error error = {0};
    snprintf(head, sizeof head, "\"controllers\": %s,", controllers[i].controllers);
    snprintf(text, sizeof text, cart, head);
    CHECK_INT(open(&s, registry, text, &error), TORSOR_SCENE);
    print_message("%s: %s\n", error.path, error.message);
    CHECK_STR(error.path, controllers[i].path);
    CHECK_CONTAINS(error.message, controllers[i].message);
    close_parts(&s);
  }
  torsor_registry_destroy(registry);
}

/* A scene without JSON that uses callbacks, written and read again. */
static void test_drafts(void **state) {
  (void)state;
  torsor_registry *registry = create_registry();
  torsor_draft *d = NULL;
  torsor_scene *scene = NULL, *again = NULL;
  torsor_error error = {0};
  char *text = NULL;
  double k = 80;
  BIND(registry, "spring", "law", spring_law, &k);
  BIND(registry, "wind", "function", wind, NULL);
  CHECK_INT(torsor_draft_create(&d, registry, &error), TORSOR_OK);
  torsor_item *ball = torsor_element_new(d, "point_mass", "ball");
  torsor_set_number(ball, "mass", 1);
  torsor_set_vector(ball, "position", (v3){1, 0, 0});
  torsor_item *pull = torsor_element_new(d, "user_force", "pull");
  torsor_set_text(pull, "a", "ground");
  torsor_set_text(pull, "b", "ball");
  CHECK_INT(torsor_set_callback(pull, "law", "spring"), TORSOR_OK);
  torsor_item *gust = torsor_element_new(d, "force", "gust");
  torsor_set_text(gust, "at", "ball");
  torsor_set_vector(gust, "force", (v3){0, 1, 0});
  CHECK_INT(torsor_set_callback(gust, "scale", "wind"), TORSOR_OK);
  torsor_set_number(torsor_draft_item(d, "simulation"), "step", 1e-3);
  torsor_set_number(torsor_draft_item(d, "simulation"), "duration", 0.1);
  torsor_status status = torsor_draft_scene(&scene, d, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
  CHECK_INT(torsor_draft_text(&text, d, &error), TORSOR_OK);
  CHECK_INT(torsor_scene_parse(&again, text, strlen(text), "again", registry, NULL, 0, &error),
            TORSOR_OK);
  CHECK_STR(torsor_scene_hash(again), torsor_scene_hash(scene));
  CHECK_CONTAINS(text, "{\"callback\": \"wind\"}");
  CHECK_INT(torsor_set_callback(pull, "law", "sprang"), TORSOR_SCENE);
  CHECK_INT(torsor_set_callback(pull, "law", NULL), TORSOR_ARGUMENT);
  torsor_text_free(text);
  torsor_scene_destroy(again);
  torsor_scene_destroy(scene);
  torsor_draft_destroy(d);
  torsor_registry_destroy(registry);
}

/* ---- threads
 * --------------------------------------------------------------------------------------------- */

static atomic_int inside, together;

static torsor_status counted(void *data, const torsor_relative_in *in, torsor_law_out *out) {
  (void)data;
  (void)in;
  if (atomic_fetch_add(&inside, 1) > 0) atomic_store(&together, 1);
  for (volatile int i = 0; i < 200; ++i) continue;
  out->w.lin.x = 1;
  atomic_fetch_sub(&inside, 1);
  return TORSOR_OK;
}

/* Threads share the elements of a large model, but not where a callback is for one thread. */
static void test_threads(void **state) {
  static const char row[] =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"m${i}\", \"repeat\": 400, \"type\": "
      "\"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [\"i\", 0, 0]}],"
      " \"forces\": [{\"name\": \"f${i}\", \"repeat\": 400, \"type\": \"user_force\", \"a\": "
      "\"ground\", \"b\": \"m${i}\", \"law\": \"pull\"}],"
      " \"simulation\": {\"step\": 1e-3, \"duration\": 0.02},"
      " \"output\": {\"signals\": [\"m399.position\"]}}";
  (void)state;
  torsor_registry *registry = create_registry();
  run_subject s;
  BIND(registry, "pull", "law", counted, NULL);
  must_open(&s, registry, row);
  const torsor_run_options options = {.size = sizeof options, .threads = 4};
  torsor_run *run;
  CHECK_INT(torsor_run_create(&run, s.world.model, &s.simulation, &options, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_advance(run, 0.02, NULL), TORSOR_OK);
  CHECK_INT(atomic_load(&together), 0);
  torsor_run_destroy(run);
  close_parts(&s);
  torsor_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_joint),       cmocka_unit_test(test_forces),
      cmocka_unit_test(test_controllers), cmocka_unit_test(test_controller_of_a_drive),
      cmocka_unit_test(test_failures),    cmocka_unit_test(test_binding),
      cmocka_unit_test(test_bad_scenes),  cmocka_unit_test(test_drafts),
      cmocka_unit_test(test_threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
