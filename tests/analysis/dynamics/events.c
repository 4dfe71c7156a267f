/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events of scenes: when they happen, in which order, what they switch and stop, and what is said
 * of those that make no sense. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "support.h"

enum { MOST = 64, COLUMNS = 32, ROWS = 4000 };

/* The events that a run reported. */
typedef struct reported {
  char name[MOST][32];
  double t[MOST];
  bool rising[MOST];
  int count, rows, columns, refuse;
  double row[ROWS][COLUMNS];
  torsor_summary summary;
  char stopped_by[32]; /* the event's name, which goes with the model */
  torsor_error error;
} reported;

static reported run;

static torsor_status note_event(void *data, const torsor_occurrence *o) {
  reported *r = data;
  CHECK_TRUE(r->count < MOST);
  snprintf(r->name[r->count], sizeof *r->name, "%s", o->event->name);
  r->t[r->count] = o->t;
  r->rising[r->count++] = o->rising;
  return r->refuse && r->count == r->refuse ? TORSOR_FILE : TORSOR_OK;
}

static torsor_status note_row(void *data, double t, const double *values, int count) {
  reported *r = data;
  CHECK_TRUE(r->rows < ROWS && count < COLUMNS);
  r->row[r->rows][0] = t;
  memcpy(&r->row[r->rows++][1], values, (size_t)count * sizeof *values);
  r->columns = count + 1;
  return TORSOR_OK;
}

static torsor_status simulate_world(const support_world *world) {
  const torsor_hooks hooks = {
      .size = sizeof(torsor_hooks), .data = &run, .record = note_row, .event = note_event};
  int count = 0;
  const char *const *names = torsor_scene_signals(world->scene, &count);
  torsor_signals *signals = NULL;
  CHECK_INT(torsor_signals_create(&signals, world->model, names, count, NULL, NULL), TORSOR_OK);
  const torsor_status status =
      torsor_simulate(&run.summary, world->model, torsor_scene_simulation(world->scene), signals,
                      &hooks, &run.error);
  torsor_signals_destroy(signals);
  if (run.summary.stopped_by)
    snprintf(run.stopped_by, sizeof run.stopped_by, "%s", run.summary.stopped_by->name);
  return status;
}

static torsor_status simulate_as(const char *scene, const char *const *set, int refuse) {
  support_world world;
  memset(&run, 0, sizeof run);
  run.refuse = refuse;
  const torsor_status status = support_open(&world, scene, set, &run.error);
  if (status) print_error("%s: %s\n", run.error.path, run.error.message);
  CHECK_INT(status, TORSOR_OK);
  const torsor_status done = simulate_world(&world);
  support_close(&world);
  return done;
}

static void simulate(const char *scene, const char *const *set) {
  const torsor_status status = simulate_as(scene, set, 0);
  if (status) print_error("%s\n", run.error.message);
  CHECK_INT(status, TORSOR_OK);
}

static const double *last_row(void) {
  return run.row[run.rows - 1];
}

/* ---- a ball, thrown up at 3 m/s from 1 m; the method is exact on parabolas ------------------ */

static const char ball[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -10],"
    "\"bodies\": [{\"name\": \"ball\", \"type\": \"point_mass\", \"mass\": 2,"
    " \"position\": [0, 0, 1], \"velocity\": [0, 0, 3]}],"
    "\"forces\": [{\"name\": \"lift\", \"type\": \"force\", \"at\": \"ball\", \"force\": [0, 0, "
    "60],"
    " \"active\": false}],"
    "\"events\": [%s],"
    "\"simulation\": {\"start\": \"plain\", \"step\": 0.01, \"duration\": 1},"
    "\"output\": {\"every\": 10, \"signals\": [\"ball.position.z\", \"ball.velocity.z\","
    " \"ball.acceleration.z\", \"lift.force.z\", \"lift.work\", \"energy.balance\","
    " \"impulse.z\"]}}";

static const char *with_events(const char *events) {
  static char scene[4000];
  snprintf(scene, sizeof scene, ball, events);
  return scene;
}

/* Round-off of the state after 100 steps, over the rate of the expression (at least 1/s). */
static const double EXACT = 1e-13;

static void times_are_exact(void **state) {
  (void)state;
  simulate(with_events("{\"name\": \"apex\", \"when\": \"ball.velocity.z\"},"
                       "{\"name\": \"ground\", \"when\": \"ball.position.z\"},"
                       "{\"name\": \"clock\", \"when\": \"t - 1/3\"},"
                       "{\"name\": \"start\", \"when\": \"ball.position.z - 1\"}"),
           NULL);
  CHECK_INT(run.count, 4);
  CHECK_INT((int)run.summary.events, 4);
  CHECK_STR(run.name[0], "apex");
  CHECK_NEAR(run.t[0], 0.3, EXACT);
  CHECK_STR(run.name[1], "clock");
  CHECK_NEAR(run.t[1], 1.0 / 3, 4 * CHECK_EPS);
  CHECK_TRUE(run.rising[1]);
  CHECK_STR(run.name[2], "start"); /* zero at t = 0: only the way back counts */
  CHECK_NEAR(run.t[2], 0.6, EXACT);
  CHECK_TRUE(!run.rising[2]);
  CHECK_STR(run.name[3], "ground");
  CHECK_NEAR(run.t[3], 0.3 + sqrt(0.29), EXACT);
  CHECK_INT(run.rows, 11); /* rows are those of the output, and no steps are cut */
  CHECK_INT((int)run.summary.counters.steps, 100);
}

static void directions_and_times(void **state) {
  (void)state;
  simulate(
      with_events("{\"name\": \"up\", \"when\": \"sin(20*pi*t + 1)\", \"direction\": \"rising\"},"
                  "{\"name\": \"down\", \"when\": \"sin(20*pi*t + 1)\","
                  " \"direction\": \"falling\", \"times\": 3}"),
      NULL);
  int up = 0, down = 0;
  for (int i = 0; i < run.count; ++i) {
    const bool rises = run.name[i][0] == 'u';
    const double phase = (20 * M_PI * run.t[i] + 1) / M_PI;
    CHECK_TRUE(run.rising[i] == rises);
    CHECK_NEAR(phase, nearbyint(phase), 1e-13 * 20);
    CHECK_INT((int)lround(phase) % 2, rises ? 0 : 1);
    if (i > 0) CHECK_LE(run.t[i - 1], run.t[i]);
    up += rises;
    down += !rises;
  }
  CHECK_INT(up, 10);
  CHECK_INT(down, 3);
}

/* Several events in one step come in their order, and nothing happens after the one that stops. */
static void order_in_one_step(void **state) {
  (void)state;
  const char *const coarse[] = {"simulation.step=0.5", "output.every=1", NULL};
  simulate(with_events("{\"name\": \"c\", \"when\": \"t - 0.23\"},"
                       "{\"name\": \"e\", \"when\": \"t - 0.24\"},"
                       "{\"name\": \"d\", \"when\": \"t - 0.235\", \"action\": \"stop\"},"
                       "{\"name\": \"b\", \"when\": \"t - 0.11\"},"
                       "{\"name\": \"a\", \"when\": \"t - 0.1\"}"),
           coarse);
  CHECK_INT(run.count, 4);
  for (int i = 0; i < 4; ++i) CHECK_INT(run.name[i][0], 'a' + i);
  CHECK_NEAR(run.summary.t, 0.235, 4 * CHECK_EPS);
  CHECK_STR(run.stopped_by, "d");
  CHECK_INT(run.rows, 2);
  CHECK_NEAR(last_row()[0], run.summary.t, 0);
  CHECK_NEAR(last_row()[1], 1 + 3 * 0.235 - 5 * 0.235 * 0.235, EXACT);
}

static void stop_on_an_output_time_writes_it_once(void **state) {
  (void)state;
  const char *const binary[] = {"simulation.step=0.125", "output.every=1", NULL};
  simulate(
      with_events("{\"name\": \"half\", \"when\": \"t < 0.5 ? -1 : 1\", \"action\": \"stop\"}"),
      binary);
  /* the sign is 1 at 0.5 itself, so the event is there or one rounding before */
  CHECK_NEAR(run.summary.t, 0.5, 2 * CHECK_EPS);
  for (int i = 1; i < run.rows; ++i) CHECK_TRUE(run.row[i][0] > run.row[i - 1][0]);
}

/* 60 N against 20 N of weight: +20 m/s^2 from 0.9 m downwards until it is up there again. */
static void forces_are_switched(void **state) {
  (void)state;
  simulate(with_events("{\"name\": \"low\", \"when\": \"ball.position.z - 0.9\","
                       " \"direction\": \"falling\", \"action\": {\"on\": [\"lift\"]}},"
                       "{\"name\": \"high\", \"when\": \"ball.position.z - 0.9\","
                       " \"direction\": \"rising\", \"action\": {\"off\": [\"lift\"]}}"),
           NULL);
  const double speed = sqrt(9 + 2 * 10 * 0.1), first = (3 + speed) / 10;
  const double second = first + 2 * speed / 20;
  CHECK_INT(run.count, 2);
  CHECK_NEAR(run.t[0], first, EXACT);
  CHECK_NEAR(run.t[1], second, EXACT);
  double worst = 0;
  for (int i = 0; i < run.rows; ++i) {
    const double *row = run.row[i], t = row[0], s = t - first, e = t - second;
    const bool before = t <= first, on = !before && t <= second;
    const double z = before ? 1 + 3 * t - 5 * t * t
                     : on   ? 0.9 - speed * s + 10 * s * s
                            : 0.9 + speed * e - 5 * e * e;
    const double v = before ? 3 - 10 * t : on ? -speed + 20 * s : speed - 10 * e;
    worst = check_max(worst, fabs(row[1] - z));
    worst = check_max(worst, fabs(row[2] - v));
    worst = check_max(worst, fabs(row[3] - (on ? 20 : -10)) / 10);
    CHECK_NEAR(row[4], on ? 60 : 0, 0);
    worst = check_max(worst, fabs(row[5] - (on ? 60 * (z - 0.9) : 0)) / 10);
    worst = check_max(worst, fabs(row[6]) / 10);
    worst = check_max(worst, fabs(row[7] - 2 * (v - 3)) / 10);
  }
  check_report("switched force against the closed motion", worst, EXACT * 10);
  CHECK_LE(worst, EXACT * 10);
  CHECK_LE(0.005 * (1 - 1e-9), run.summary.counters.smallest_step);
}

/* The acceleration jumps by 30 m/s^2, and with it the expression to 0.3: that is no way back. */
static void what_switching_does_is_no_event(void **state) {
  (void)state;
  simulate(with_events("{\"name\": \"low\","
                       " \"when\": \"ball.position.z - 0.9 + 0.01*(ball.acceleration.z + 10)\","
                       " \"action\": {\"on\": [\"lift\"]}}"),
           NULL);
  CHECK_INT(run.count, 1);
  CHECK_TRUE(!run.rising[0]);
}

/* The speed would fall through 0.95 m/s at 0.205 s, were it not for the lift from 0.201 s on. */
static void what_is_cut_off_does_not_happen(void **state) {
  (void)state;
  const char *const coarse[] = {"simulation.step=0.1", "output.every=1", NULL};
  simulate(
      with_events("{\"name\": \"slow\", \"when\": \"ball.velocity.z - 0.95\"},"
                  "{\"name\": \"go\", \"when\": \"t - 0.201\", \"action\": {\"on\": [\"lift\"]}}"),
      coarse);
  CHECK_INT(run.count, 1);
  CHECK_STR(run.name[0], "go");
}

/* An event that switches what it watches does not happen again at once, nor for ever. */
static void no_endless_chatter(void **state) {
  (void)state;
  simulate(with_events("{\"name\": \"flip\", \"when\": \"ball.acceleration.z + 0.5 - t\","
                       " \"action\": {\"on\": [\"lift\"]}},"
                       "{\"name\": \"flop\", \"when\": \"ball.position.z - 1.2\","
                       " \"action\": {\"off\": [\"lift\"]}}"),
           NULL);
  CHECK_LE(run.count, 20);
}

static void simultaneous_events(void **state) {
  (void)state;
  simulate(with_events("{\"name\": \"one\", \"when\": \"ball.position.z - 1.4\","
                       " \"action\": {\"on\": [\"lift\"]}},"
                       "{\"name\": \"two\", \"when\": \"2*(ball.position.z - 1.4)\"},"
                       "{\"name\": \"three\", \"when\": \"1.4 - ball.position.z\", \"times\": 1,"
                       " \"action\": \"log\"}"),
           NULL);
  CHECK_INT(run.count, 3);
  for (int i = 0; i < 3; ++i) CHECK_NEAR(run.t[i], 0.2, EXACT);
}

/* Two crossings between two of the four looks at a step are not seen; in a finer step they are. */
static void short_excursions_need_short_steps(void **state) {
  (void)state;
  const char *const fine[] = {"simulation.step=0.002", "output.every=50", NULL};
  const char *events = "{\"name\": \"bump\", \"when\": \"0.0005 - abs(t - 0.4012)\"}";
  simulate(with_events(events), NULL);
  CHECK_INT(run.count, 0);
  simulate(with_events(events), fine);
  CHECK_INT(run.count, 2);
  CHECK_NEAR(run.t[0], 0.4007, 1e-13);
  CHECK_NEAR(run.t[1], 0.4017, 1e-13);
}

/* ---- energy of what is switched -------------------------------------------------------------- */

static const char spring[] =
    "{\"torsor\": 1, \"bodies\": [{\"name\": \"mass\", \"type\": \"point_mass\", \"mass\": 1,"
    " \"position\": [1.5, 0, 0]}],"
    "\"forces\": [{\"name\": \"first\", \"type\": \"spring_damper\", \"a\": \"ground\", \"b\": "
    "\"mass\","
    " \"stiffness\": 40, \"length\": 1},"
    "{\"name\": \"second\", \"type\": \"spring_damper\", \"a\": \"ground\", \"b\": \"mass\","
    " \"stiffness\": 90, \"length\": 0.5, \"active\": false}],"
    "\"events\": [{\"name\": \"swap\", \"when\": \"mass.position.x - 1.3\", \"times\": 1,"
    " \"action\": {\"off\": [\"first\"], \"on\": [\"second\"]}}],"
    "\"simulation\": {\"start\": \"plain\", \"step\": 1e-3, \"duration\": 0.3, \"rtol\": 1e-11},"
    "\"output\": {\"step\": 3e-4, \"interpolate\": true, \"signals\": [\"energy.balance\", "
    "\"energy.elastic\","
    " \"first.work\", \"second.work\", \"energy.kinetic\"]}}";

static void energy_goes_with_its_spring(void **state) {
  (void)state;
  const char *const fine[] = {"simulation.step=5e-4", NULL};
  double worst[2] = {0};
  for (int k = 0; k < 2; ++k) {
    simulate(spring, k ? fine : NULL);
    CHECK_INT(run.count, 1);
    for (int i = 0; i < run.rows; ++i) worst[k] = check_max(worst[k], fabs(run.row[i][1]));
    /* half of 40 0.3^2 vanished with the first one, half of 90 0.8^2 came with the second one */
    CHECK_NEAR(last_row()[3], -20 * 0.09, 1e-4);
    CHECK_NEAR(last_row()[4], 45 * 0.64, 1e-4);
  }
  print_message("  balance off by %.2e and %.2e J of 30 J\n", worst[0], worst[1]);
  CHECK_NEAR(log2(worst[0] / worst[1]), 2, 0.3); /* the method's error, and no more */
}

/* ---- the shipped scene ----------------------------------------------------------------------- */

/* Winding: 20 (1 - cos t) rad; then J a'' + c a' + k a = 0 with J = k = 0.2, c = 0.1. */
static void winch_converges(void **state) {
  (void)state;
  static const char *const steps[] = {"simulation.step=4e-3", "simulation.step=2e-3",
                                      "simulation.step=1e-3"};
  const double first = acos(1 - 0.3 * M_PI), rate = 20 * sin(first), angle = 6 * M_PI;
  const double d = 0.25, w = sqrt(1 - d * d); /* a = exp(-d t) (angle cos w t + B sin w t) */
  const double B = (rate + d * angle) / w;
  const double second = first + atan2(w * B - d * angle, w * angle + d * B) / w;
  double before[4] = {0}, t[3][4];
  for (int k = 0; k < 3; ++k) {
    const char *const set[] = {steps[k], "simulation.duration=4", NULL};
    support_world world;
    memset(&run, 0, sizeof run);
    support_load(&world, "latch", set);
    CHECK_INT(simulate_world(&world), TORSOR_OK);
    support_close(&world);
    CHECK_INT(run.count, 4);
    CHECK_STR(run.stopped_by, "limit");
    for (int i = 0; i < 4; ++i) t[k][i] = run.t[i];
    const double error[] = {fabs(t[k][0] - first), fabs(t[k][1] - second)};
    print_message("  %s: three turns off by %.2e s, reversal by %.2e s\n", steps[k], error[0],
                  error[1]);
    for (int i = 0; i < 2 && k > 0; ++i) CHECK_NEAR(log2(before[i] / error[i]), 2, 0.3);
    memcpy(before, error, sizeof error);
  }
  const double order = log2((t[0][3] - t[1][3]) / (t[1][3] - t[2][3]));
  print_message("  80 degrees: order %.2f\n", order);
  CHECK_NEAR(order, 2, 0.3);
}

/* ---- mistakes -------------------------------------------------------------------------------- */

static void mistakes_are_reported(void **state) {
  (void)state;
  static const struct {
    const char *event, *path, *message, *hint;
  } cases[] = {
      {"{\"name\": \"a\", \"when\": \"ball.positon.z - 1\"}", "events[0].when",
       "there is no signal \"ball.positon.z\"", "did you mean \"ball.position.z\"?"},
      {"{\"name\": \"a\", \"when\": \"ball.position - 1\"}", "events[0].when",
       "stands for 3 signals", "ball.position.x"},
      {"{\"name\": \"a\", \"when\": \"T - 1\"}", "events[0].when", "there is no parameter \"T\"",
       ""},
      {"{\"name\": \"a\", \"when\": \"t - \"}", "events[0].when", "a value is missing", ""},
      {"{\"name\": \"a\"}", "events[0].when", "is missing", "ball.position.z - 0.1"},
      {"{\"name\": \"a\", \"when\": \"t\", \"whn\": 1}", "events[0].whn", "whn", "when"},
      {"{\"when\": \"t\"}", "events[0].name", "is missing", ""},
      {"{\"name\": \"a\", \"when\": \"t\", \"direction\": \"risng\"}", "events[0].direction",
       "risng", "rising"},
      {"{\"name\": \"a\", \"when\": \"t\", \"action\": \"halt\"}", "events[0].action", "halt", ""},
      {"{\"name\": \"a\", \"when\": \"t\", \"action\": {\"on\": [\"lfit\"]}}",
       "events[0].action.on[0]", "there is no force and no joint \"lfit\"",
       "did you mean \"lift\"?"},
      {"{\"name\": \"a\", \"when\": \"t\", \"action\": {\"off\": [\"ball\"]}}",
       "events[0].action.off[0]", "\"ball\" is a point_mass", ""},
      {"{\"name\": \"a\", \"when\": \"t\", \"action\": {}}", "events[0].action", "switches nothing",
       "brake"},
      {"{\"name\": \"a\", \"when\": \"t\", \"action\": {\"on\": [\"lift\"], \"off\": [\"lift\"]}}",
       "events[0].action", "on and off at once", ""},
      {"{\"name\": \"a\", \"when\": \"t\", \"times\": 0}", "events[0].times", "0", ""},
      {"{\"name\": \"a\", \"when\": \"t\"}, {\"name\": \"a\", \"when\": \"t\"}", "events[1].name",
       "two events called \"a\"", ""},
      {"3", "events[0]", "an event", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    support_world world;
    torsor_error error = {0};
    CHECK_INT(support_open(&world, with_events(cases[i].event), NULL, &error), TORSOR_SCENE);
    print_message("  %s: %s (%s)\n", error.path, error.message, error.hint);
    CHECK_STR(error.path, cases[i].path);
    CHECK_CONTAINS(error.message, cases[i].message);
    CHECK_CONTAINS(error.hint, cases[i].hint);
    CHECK_TRUE(error.line == 1 && error.column > 1);
  }
}

static void expressions_must_be_finite(void **state) {
  (void)state;
  CHECK_INT(simulate_as(with_events("{\"name\": \"root\", \"when\": \"sqrt(0.35 - t)\"}"), NULL, 0),
            TORSOR_NONFINITE);
  print_message("  %s\n", run.error.message);
  CHECK_CONTAINS(run.error.message, "event \"root\"");
  CHECK_CONTAINS(run.error.message, "nan");
  CHECK_CONTAINS(run.error.message, "t = 0.35");
  CHECK_INT(run.rows, 4); /* 0 to 0.3 */
  CHECK_INT(simulate_as(with_events("{\"name\": \"pole\", \"when\": \"1/t\"}"), NULL, 0),
            TORSOR_NONFINITE);
  CHECK_CONTAINS(run.error.message, "infinite at t = 0");
}

static void a_refused_event_ends_the_run(void **state) {
  (void)state;
  CHECK_INT(simulate_as(with_events("{\"name\": \"a\", \"when\": \"t - 0.5\"}"), NULL, 1),
            TORSOR_FILE);
  CHECK_CONTAINS(run.error.message, "event at t = 0.5");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(times_are_exact),
                                     cmocka_unit_test(directions_and_times),
                                     cmocka_unit_test(order_in_one_step),
                                     cmocka_unit_test(stop_on_an_output_time_writes_it_once),
                                     cmocka_unit_test(forces_are_switched),
                                     cmocka_unit_test(what_switching_does_is_no_event),
                                     cmocka_unit_test(what_is_cut_off_does_not_happen),
                                     cmocka_unit_test(no_endless_chatter),
                                     cmocka_unit_test(simultaneous_events),
                                     cmocka_unit_test(short_excursions_need_short_steps),
                                     cmocka_unit_test(energy_goes_with_its_spring),
                                     cmocka_unit_test(winch_converges),
                                     cmocka_unit_test(mistakes_are_reported),
                                     cmocka_unit_test(expressions_must_be_finite),
                                     cmocka_unit_test(a_refused_event_ends_the_run)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
