/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inputs of runs: as an event would switch them, to the bit inside steps; of order 2 in the spacing
 * of samples and of co-simulation; restarts where they are needed and nowhere else; one model with
 * many runs. */
#include "check.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_kit.h"

/* A pole on a cart that is pushed: by the input, or by a force that an event switches on. */
static const char cart[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81],"
    " \"inputs\": {\"push\": {\"unit\": \"N\", \"value\": 0, \"doc\": \"force on the cart\"}, "
    "\"steer\": 0},"
    " \"bodies\": [{\"name\": \"cart\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.1, "
    "0.1, 0.1]},"
    "  {\"name\": \"pole\", \"type\": \"rigid_body\", \"mass\": 0.1, \"inertia\": [0.0083, 0.0083, "
    "1e-5],"
    "   \"position\": [\"0.5*sin(0.1)\", 0, \"0.5*cos(0.1)\"], \"orientation\": "
    "{\"rotation_vector\": [0, 0.1, "
    "0]}}],"
    " \"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"axis\": [1, 0, 0], \"a\": "
    "\"ground\", \"b\": \"cart\"},"
    "  {\"name\": \"hinge\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": \"cart\","
    "   \"b\": {\"body\": \"pole\", \"position\": [0, 0, -0.5]}}],"
    " \"forces\": [{\"name\": \"motor\", \"type\": \"coordinate_force\", \"coordinate\": "
    "\"rail.travel\", \"effort\": \"%s\"%s}],"
    " %s \"simulation\": {\"step\": %g, \"duration\": 1}}";

static void open_text(run_subject *s, const char *text) {
  torsor_error error = {0};
  const torsor_status status = support_open(&s->world, text, NULL, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
  static const char *const names[] = {"rail.travel", "rail.speed", "hinge.angle", "hinge.rate"};
  s->simulation = *torsor_scene_simulation(s->world.scene);
  CHECK_INT(torsor_signals_create(&s->signals, s->world.model, names, 4, NULL, NULL), TORSOR_OK);
  s->columns = 4;
}

static void open_cart(run_subject *s, double step) {
  char text[4000];
  snprintf(text, sizeof text, cart, "push", "", "", step);
  open_text(s, text);
}

/* The same with a force of 2 N that an event switches on at `at`. */
static void open_switched(run_subject *s, double at) {
  char text[4000], event[200];
  snprintf(event, sizeof event,
           "\"events\": [{\"name\": \"on\", \"when\": \"t - %.17g\", \"action\": {\"on\": "
           "[\"motor\"]}}],",
           at);
  snprintf(text, sizeof text, cart, "2", ", \"active\": false", event, 1e-3);
  open_text(s, text);
}

static int index_of(const run_subject *s, const char *name) {
  return torsor_model_input_find(s->world.model, name);
}

enum { ROWS = 73 };

static double row_time(int i) {
  return 0.0137 * i;
}

/* Rows of a run, with the push from `at` on where that is not NaN. */
static void record(double *value, const run_subject *s, double at) {
  torsor_run *run = kit_create(s);
  bool pushed = isnan(at);
  for (int i = 0; i < ROWS; ++i) {
    if (!pushed && row_time(i) > at) {
      CHECK_INT(torsor_run_advance(run, at, NULL), TORSOR_OK);
      CHECK_INT(torsor_run_set_input(run, index_of(s, "push"), 2, NULL), TORSOR_OK);
      pushed = true;
    }
    CHECK_INT(torsor_run_advance(run, row_time(i), NULL), TORSOR_OK);
    CHECK_INT(torsor_run_values(run, s->signals, value + 4 * i, NULL), TORSOR_OK);
  }
  torsor_run_destroy(run);
}

static double largest_difference(const double *a, const double *b, int count) {
  double most = 0;
  for (int i = 0; i < count; ++i) most = check_max(most, fabs(a[i] - b[i]));
  return most;
}

/* An event at the same time does the same.  Its time at the end of a step is found with a rounding
 * error, which moves the beginning of the force: 1e-9 is far above that, and far below what a
 * missing restart leaves (2.8e-3). */
static void test_as_an_event_does(void **state) {
  static const struct { double at, bound; } cases[] = {{0.5004, 0}, {0.50073, 0}, {0.5, 1e-9}};
  (void)state;
  for (int k = 0; k < 3; ++k) {
    run_subject pushed, switched;
    double by_input[4 * ROWS], by_event[4 * ROWS];
    open_cart(&pushed, 1e-3);
    open_switched(&switched, cases[k].at);
    record(by_input, &pushed, cases[k].at);
    record(by_event, &switched, nan(""));
    const double most = largest_difference(by_input, by_event, 4 * ROWS);
    print_message("pushed at %.5f s: largest difference %.3g, bound %.3g\n", cases[k].at, most,
                  cases[k].bound);
    CHECK_LE(most, cases[k].bound);
    CHECK_GE(fabs(by_input[4 * (ROWS - 1)]), 0.01);
    kit_close(&pushed);
    kit_close(&switched);
  }
}

/* ---- a controller that is called outside ----------------------------------------------------- */

static void control(double *value, double step, torsor_formulation formulation) {
  run_subject s;
  open_cart(&s, step);
  s.simulation.settings.formulation = formulation;
  torsor_run *run = kit_create(&s);
  for (int i = 0; i < 100; ++i) {
    double x[4];
    CHECK_INT(torsor_run_values(run, s.signals, x, NULL), TORSOR_OK);
    CHECK_INT(torsor_run_set_input(run, index_of(&s, "push"),
                                   40 * x[2] + 9 * x[3] + x[0] + 2.5 * x[1], NULL),
              TORSOR_OK);
    CHECK_INT(torsor_run_advance(run, 0.01 * (i + 1), NULL), TORSOR_OK);
  }
  CHECK_INT(torsor_run_values(run, s.signals, value, NULL), TORSOR_OK);
  torsor_run_destroy(run);
  kit_close(&s);
}

/* The differences of runs with halved steps go down by 4.  The first steps of the damped start of
 * the default, which are short and of order 1 in their parameters, add a part that halves with the
 * step: the last order is nearer to 2 than 0.1; the perturbed start of index 3 has none. */
static void test_sampled_controller(void **state) {
  static const struct {
    torsor_formulation formulation;
    double tolerance;
  } cases[] = {{TORSOR_GGL, 0.1}, {TORSOR_INDEX3, 0.01}};
  (void)state;
  for (int c = 0; c < 2; ++c) {
    double value[5][4], difference[4], order = 0;
    for (int k = 0; k < 5; ++k) control(value[k], ldexp(2e-3, -k), cases[c].formulation);
    for (int k = 0; k < 4; ++k) difference[k] = largest_difference(value[k], value[k + 1], 4);
    for (int k = 0; k < 3; ++k) {
      order = torsor_order(difference[k], difference[k + 1], 2, 1);
      print_message("%s, steps of %g s: difference %.3g, order %.3f\n", c ? "index 3" : "GGL",
                    ldexp(2e-3, -k), difference[k], order);
    }
    CHECK_ORDER(order, 2, cases[c].tolerance);
    CHECK_LE(fabs(value[4][2]), 0.1); /* it holds the pole up */
  }
}

/* ---- co-simulation
 * -------------------------------------------------------------------------------- */

static const char slide[] =
    "{\"torsor\": 1, \"inputs\": {\"pull\": 0}, \"bodies\": [{\"name\": \"block\", \"type\": "
    "\"rigid_body\","
    " \"mass\": %g, \"inertia\": [1, 1, 1], \"position\": [%g, 0, 0]}],"
    " \"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"axis\": [1, 0, 0], \"a\": "
    "\"ground\","
    "  \"b\": {\"body\": \"block\", \"position\": [%g, 0, 0]}}],"
    " \"forces\": [{\"name\": \"spring\", \"type\": \"coordinate_force\", \"coordinate\": "
    "\"rail.travel\", \"effort\": \"pull\"}],"
    " \"simulation\": {\"step\": 1e-3, \"duration\": 2}}";

static void open_slide(run_subject *s, double mass, double x) {
  static const char *const names[] = {"block.position.x", "block.velocity.x"};
  char text[2000];
  torsor_error error = {0};
  snprintf(text, sizeof text, slide, mass, x, -x);
  const torsor_status status = support_open(&s->world, text, NULL, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
  s->simulation = *torsor_scene_simulation(s->world.scene);
  CHECK_INT(torsor_signals_create(&s->signals, s->world.model, names, 2, NULL, NULL), TORSOR_OK);
  s->columns = 2;
}

/* Two masses, 1 and 2 kg, and a spring of 10 N/m between them; the largest error of both at the
 * communication points, by the closed form: the distance swings with the frequency sqrt(k/1 + k/2),
 * the centre of mass rests. */
static double couple(double H, bool ramps) {
  const double k = 10, w = sqrt(15);
  run_subject a, b;
  double most = 0;
  open_slide(&a, 1, 0);
  open_slide(&b, 2, 0.3);
  torsor_run *one = kit_create(&a), *other = kit_create(&b);
  const int count = (int)lround(2 / H);
  for (int i = 0; i <= count; ++i) {
    double x[2], y[2];
    CHECK_INT(torsor_run_values(one, a.signals, x, NULL), TORSOR_OK);
    CHECK_INT(torsor_run_values(other, b.signals, y, NULL), TORSOR_OK);
    const double d = 0.3 * cos(w * i * H);
    most = check_max(most, check_max(fabs(x[0] - (0.2 - 2 * d / 3)), fabs(y[0] - (0.2 + d / 3))));
    if (i == count) break;
    const double f = k * (y[0] - x[0]), rate = ramps ? k * (y[1] - x[1]) : 0;
    CHECK_INT(torsor_run_set_input_rate(one, 0, f, rate, 0, NULL), TORSOR_OK);
    CHECK_INT(torsor_run_set_input_rate(other, 0, -f, -rate, 0, NULL), TORSOR_OK);
    CHECK_INT(torsor_run_advance(one, (i + 1) * H, NULL), TORSOR_OK);
    CHECK_INT(torsor_run_advance(other, (i + 1) * H, NULL), TORSOR_OK);
  }
  torsor_run_destroy(one);
  torsor_run_destroy(other);
  kit_close(&a);
  kit_close(&b);
  return most;
}

/* Held forces are of order 1, ramps of order 2. */
static void test_cosimulation(void **state) {
  (void)state;
  for (int ramps = 0; ramps < 2; ++ramps) {
    double error[3];
    for (int k = 0; k < 3; ++k) error[k] = couple(ldexp(0.02, -k), ramps);
    for (int k = 0; k < 2; ++k) {
      const double order = torsor_order(error[k], error[k + 1], 2, 1);
      print_message("%s, every %g s: error %.4g, order %.3f\n", ramps ? "ramps" : "held",
                    ldexp(0.02, -k), error[k], order);
      CHECK_ORDER(order, ramps ? 2 : 1, 0.1);
    }
  }
}

/* ---- where the motion begins anew
 * ----------------------------------------------------------------- */

static long starts(torsor_run *run) {
  return torsor_run_summary(run)->counters.starts;
}

static void test_restarts(void **state) {
  (void)state;
  run_subject s;
  open_cart(&s, 1e-3);
  torsor_run *run = kit_create(&s);
  const int push = index_of(&s, "push"), steer = index_of(&s, "steer");
  double x[4];
  long now = starts(run);
  CHECK_INT(now, 1);
  CHECK_INT(torsor_run_advance(run, 0.01, NULL), TORSOR_OK);
  /* no change, and one that nothing of the motion depends on the rate of, at the end of a step */
  CHECK_INT(torsor_run_set_input(run, push, 0, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_set_input_rate(run, push, 0, 3, 0, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_advance(run, 0.02, NULL), TORSOR_OK);
  CHECK_INT(starts(run), now);
  CHECK_NEAR(torsor_run_input(run, push), 0.03, 1e-15);
  /* joined within rounding */
  CHECK_INT(torsor_run_set_input_rate(run, push, 3 * 0.01 * (1 + 2e-16), 3, 0, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_advance(run, 0.03, NULL), TORSOR_OK);
  CHECK_INT(starts(run), now);
  /* a kink inside a step, and jumps */
  CHECK_INT(torsor_run_advance(run, 0.0304, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_set_input_rate(run, push, torsor_run_input(run, push), 0, 0, NULL),
            TORSOR_OK);
  CHECK_INT(torsor_run_advance(run, 0.04, NULL), TORSOR_OK);
  CHECK_INT(starts(run), ++now);
  CHECK_INT(torsor_run_set_input(run, push, 1, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_set_input(run, steer, 1, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(run, s.signals, x, NULL), TORSOR_OK);
  CHECK_INT(starts(run), ++now); /* to be looked at */
  CHECK_INT(torsor_run_advance(run, 0.05, NULL), TORSOR_OK);
  CHECK_INT(starts(run), now);
  CHECK_NEAR(torsor_run_signal(run, "inputs.push"), 1, 0);
  /* what was before the change is not there any more */
  torsor_error error = {0};
  CHECK_INT(torsor_run_set_input_rate(run, push, 1, 1, 0, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_advance(run, 0.0495, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "cannot go back");
  /* misuse */
  CHECK_INT(torsor_run_set_input(run, 2, 1, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "the model has 2");
  CHECK_INT(torsor_run_set_input(run, -1, 1, &error), TORSOR_ARGUMENT);
  CHECK_INT(torsor_run_set_input(run, push, nan(""), &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "must be finite");
  CHECK_TRUE(isnan(torsor_run_input(run, 7)));
  CHECK_STR(torsor_model_input_unit(s.world.model, push), "N");
  CHECK_STR(torsor_model_input_doc(s.world.model, push), "force on the cart");
  CHECK_INT(torsor_model_inputs(s.world.model), 2);
  torsor_run_destroy(run);
  kit_close(&s);
}

/* ---- drives
 * --------------------------------------------------------------------------------------- */

static const char steered[] =
    "{\"torsor\": 1, \"inputs\": {\"steer\": 0}, \"bodies\": [{\"name\": \"arm\", \"type\": "
    "\"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1]}],"
    " \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"axis\": [0, 0, 1], \"a\": "
    "\"ground\", \"b\": \"arm\"},"
    "  {\"name\": \"servo\", \"type\": \"drive\", \"coordinate\": \"hinge.angle\", \"motion\": "
    "\"steer^2 + 2*steer\"}],"
    " \"simulation\": {\"step\": 1e-3, \"duration\": 1}}";

/* A drive follows a path of its input exactly, with the rates of the chain rule; it does not follow
 * a jump. */
static void test_drives(void **state) {
  (void)state;
  run_subject s;
  torsor_error error = {0};
  static const char *const names[] = {"hinge.angle", "hinge.rate", "arm.angular_acceleration.z"};
  CHECK_INT(support_open(&s.world, steered, NULL, &error), TORSOR_OK);
  s.simulation = *torsor_scene_simulation(s.world.scene);
  CHECK_INT(torsor_signals_create(&s.signals, s.world.model, names, 3, NULL, NULL), TORSOR_OK);
  s.columns = 3;
  torsor_run *run = kit_create(&s);
  double x[3];
  CHECK_INT(torsor_run_set_input(run, 0, 0.1, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "jumps by 0.1");
  CHECK_CONTAINS(error.message, "drive \"servo\"");
  CHECK_CONTAINS(error.hint, "torsor_run_set_input_rate");
  CHECK_STR(error.element, "servo");
  CHECK_INT(torsor_run_set_input_rate(run, 0, 0, 0, 3, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_advance(run, 0.3, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(run, s.signals, x, NULL), TORSOR_OK);
  const double u = 3 * 0.3 * 0.3 / 2, u1 = 3 * 0.3;
  CHECK_NEAR(x[0], u * u + 2 * u, 1e-12);
  CHECK_NEAR(x[1], 2 * u * u1 + 2 * u1, 1e-9);
  CHECK_NEAR(x[2], 2 * u1 * u1 + 2 * u * 3 + 2 * 3, 1e-6);
  torsor_run_destroy(run);
  kit_close(&s);
}

/* ---- in every kind of function
 * -------------------------------------------------------------------- */

/* Inputs scale a force, a characteristic, a control of coordinates, a profile along a beam and the
 * time of an event: a constant one gives the bits of the number in its place. */
static const char everywhere[] =
    "{\"torsor\": 1, %s \"functions\": {\"shake\": \"u*sin(7*t)\"}, \"gravity\": [0, 0, -9.81],"
    " \"bodies\": [{\"name\": \"arm\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, "
    "1], \"position\": [0.5, 0, 0]},"
    "  {\"name\": \"wing\", \"type\": \"beam\", \"length\": 1, \"elements\": 2, \"section\":"
    "   {\"shape\": \"rectangle\", \"width\": 0.02, \"height\": 0.02, \"E\": 1e9, \"G\": 4e8, "
    "\"density\": 1000}}],"
    " \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": "
    "\"ground\","
    "   \"b\": {\"body\": \"arm\", \"position\": [-0.5, 0, 0]}},"
    "  {\"name\": \"clamp\", \"type\": \"weld\", \"a\": \"ground\", \"b\": \"wing.start\"}],"
    " \"forces\": [{\"name\": \"push\", \"type\": \"force\", \"at\": \"arm\", \"force\": [0, 0, "
    "1], \"scale\": \"shake\"},"
    "  {\"name\": \"spring\", \"type\": \"coordinate_spring\", \"coordinate\": \"hinge.angle\", "
    "\"force\": \"u*x + 3*x^3\"},"
    "  {\"name\": \"motor\", \"type\": \"coordinate_force\", \"coordinate\": \"hinge.angle\", "
    "\"effort\": \"-u*hinge.rate + cos(t)\"},"
    "  {\"name\": \"wind\", \"type\": \"beam_load\", \"on\": \"wing\", \"force\": [0, 1, 0], "
    "\"profile\": \"u*s*(1 + t)\"}],"
    " \"events\": [{\"name\": \"off\", \"when\": \"t - u/10\", \"action\": {\"off\": [\"push\"]}}],"
    " \"simulation\": {\"step\": 2e-3, \"duration\": 0.4},"
    " \"output\": {\"signals\": [\"arm\", \"wing.end\", \"energy\"]}}";

static void open_everywhere(run_subject *s, const char *head) {
  char text[4000];
  torsor_error error = {0};
  int count;
  snprintf(text, sizeof text, everywhere, head);
  const torsor_status status = support_open(&s->world, text, NULL, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
  s->simulation = *torsor_scene_simulation(s->world.scene);
  const char *const *names = torsor_scene_signals(s->world.scene, &count);
  CHECK_INT(torsor_signals_create(&s->signals, s->world.model, names, count, NULL, NULL),
            TORSOR_OK);
  s->columns = torsor_signals_count(s->signals);
}

static void run_to_end(double *value, const run_subject *s, double given) {
  torsor_run *run = kit_create(s);
  if (!isnan(given)) CHECK_INT(torsor_run_set_input(run, 0, given, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_advance(run, s->simulation.duration, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(run, s->signals, value, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_summary(run)->events, 1);
  torsor_run_destroy(run);
}

static void test_everywhere(void **state) {
  (void)state;
  run_subject number, input, later;
  open_everywhere(&number, "\"parameters\": {\"u\": 2.5},");
  open_everywhere(&input, "\"inputs\": {\"u\": 2.5},");
  open_everywhere(&later, "\"inputs\": {\"u\": 1.5},");
  double *a = kit_numbers(number.columns), *b = kit_numbers(number.columns),
         *c = kit_numbers(number.columns);
  run_to_end(a, &number, nan(""));
  run_to_end(b, &input, nan(""));
  CHECK_TRUE(kit_same_bits(a, b, number.columns));
  run_to_end(c, &later, 2.5); /* given at the start, before anything moves */
  print_message("given by the caller at the start: off by %.3g\n",
                largest_difference(a, c, number.columns));
  CHECK_LE(largest_difference(a, c, number.columns), 1e-9);
  run_to_end(c, &later, 1.4);
  CHECK_GE(largest_difference(a, c, number.columns), 1e-3);
  free(a);
  free(b);
  free(c);
  kit_close(&number);
  kit_close(&input);
  kit_close(&later);
}

/* ---- one model, many runs
 * -------------------------------------------------------------------------- */

typedef struct job {
  const run_subject *s;
  double push, value[4 * ROWS];
} job;

static void *push(void *data) {
  job *j = data;
  torsor_run *run = kit_create(j->s);
  for (int i = 0; i < ROWS; ++i) {
    torsor_run_set_input(run, index_of(j->s, "push"), j->push * i, NULL);
    torsor_run_advance(run, row_time(i), NULL);
    torsor_run_values(run, j->s->signals, j->value + 4 * i, NULL);
  }
  torsor_run_destroy(run);
  return NULL;
}

static void test_one_model(void **state) {
  (void)state;
  run_subject s;
  open_cart(&s, 1e-3);
  for (int again = 0; again < 10; ++again) {
    static job together[4], alone[4];
    pthread_t thread[4];
    for (int i = 0; i < 4; ++i) {
      together[i] = alone[i] = (job){.s = &s, .push = 0.1 * (i + 1)};
      CHECK_INT(pthread_create(&thread[i], NULL, push, &together[i]), 0);
    }
    for (int i = 0; i < 4; ++i) CHECK_INT(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < 4; ++i) {
      push(&alone[i]);
      CHECK_TRUE(kit_same_bits(alone[i].value, together[i].value, 4 * ROWS));
    }
  }
  kit_close(&s);
}

/* ---- scenes
 * ----------------------------------------------------------------------------------------- */

static const char plain[] =
    "{\"torsor\": 1, %s \"bodies\": [{\"name\": \"ball\", \"type\": \"point_mass\", \"mass\": %s}],"
    " \"forces\": [{\"name\": \"f\", \"type\": \"force\", \"at\": \"ball\", \"force\": [1, 0, 0], "
    "\"scale\": %s}],"
    " \"simulation\": {\"step\": 0.01, \"duration\": 0.1}}";

static void test_bad_scenes(void **state) {
  static const struct {
    const char *head, *mass, *scale, *path, *message, *hint;
  } cases[] = {
      {"\"inputs\": {\"push\": 0},", "\"push\"", "1", "bodies[0].mass",
       "\"push\" is an input and changes during a run", "can be a parameter"},
      {"\"inputs\": {\"push\": 0},", "1", "\"pushh\"", "forces[0].scale", "pushh", "\"push\""},
      {"\"inputs\": {\"push\": 0}, \"parameters\": {\"push\": 1},", "1", "1", "inputs.push",
       "\"push\" is taken", "another name"},
      {"\"inputs\": {\"push\": 0}, \"functions\": {\"push\": \"t\"},", "1", "1", "functions.push",
       "\"push\" is taken", "another name"},
      {"\"inputs\": {\"t\": 0},", "1", "1", "inputs.t", "\"t\" is taken", "another name"},
      {"\"inputs\": {\"sin\": 0},", "1", "1", "inputs.sin", "\"sin\" is taken", "another name"},
      {"\"inputs\": {\"2a\": 0},", "1", "1", "inputs.2a", "cannot be the name of an input",
       "letters, digits"},
      {"\"inputs\": {\"a\": {\"vlaue\": 0}},", "1", "1", "inputs.a.vlaue", "unknown key",
       "\"value\""},
      {"\"inputs\": {\"a\": {\"min\": 1, \"max\": -1}},", "1", "1", "inputs.a.max",
       "must not be below \"min\", which is 1", "not below the least"},
      {"\"inputs\": {\"a\": {\"value\": 3, \"max\": 2}},", "1", "1", "inputs.a.value",
       "must be between -inf and 2", "runs begin with this value"},
      {"\"inputs\": {\"a\": {\"min\": 1}},", "1", "1", "inputs.a", "but is 0", "runs begin"},
      {"\"inputs\": {\"a\": [1]},", "1", "1", "inputs.a", "an array", ""},
      {"\"inputs\": 3,", "1", "1", "inputs", "must be the inputs", ""},
      {"\"inputs\": {\"a\": 0},", "1", "{\"value\": \"a*t\", \"rate\": \"a\"}",
       "forces[0].scale.rate", "the rate of a function of inputs", "leave it out"}};
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char text[1000];
    support_world world;
    torsor_error error = {0};
    snprintf(text, sizeof text, plain, cases[i].head, cases[i].mass, cases[i].scale);
    CHECK_INT(support_open(&world, text, NULL, &error), TORSOR_SCENE);
    print_message("%s: %s (%s)\n", error.path, error.message, error.hint);
    CHECK_STR(error.path, cases[i].path);
    CHECK_CONTAINS(error.message, cases[i].message);
    CHECK_CONTAINS(error.hint, cases[i].hint);
    CHECK_TRUE(error.line > 0);
  }
}

/* A value outside of the range is refused, and the run goes on with the one that it had. */
static void test_ranges(void **state) {
  (void)state;
  run_subject s;
  char text[4000];
  torsor_error error = {0};
  snprintf(text, sizeof text, cart, "push", "", "", 1e-3);
  char *at = strstr(text, "\"value\": 0,");
  memcpy(at, "\"max\": 1.5,", strlen("\"max\": 1.5,"));
  open_text(&s, text);
  const int push = index_of(&s, "push");
  CHECK_TRUE(torsor_model_input_least(s.world.model, push) < -1e300);
  CHECK_NEAR(torsor_model_input_largest(s.world.model, push), 1.5, 0);
  torsor_run *run = kit_create(&s);
  CHECK_INT(torsor_run_advance(run, 0.1, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_set_input(run, push, 1.5, &error), TORSOR_OK);
  CHECK_INT(torsor_run_set_input(run, push, 1.6, &error), TORSOR_ARGUMENT);
  print_message("  %s (%s)\n", error.message, error.hint);
  CHECK_CONTAINS(error.message, "\"push\" is 1.6, above its largest value 1.5");
  CHECK_NEAR(torsor_run_input(run, push), 1.5, 0);
  CHECK_INT(torsor_run_advance(run, 0.2, NULL), TORSOR_OK);
  torsor_run_destroy(run);
  kit_close(&s);
}

/* A run that is saved and restored has its inputs, too. */
static void test_saved(void **state) {
  (void)state;
  run_subject s;
  size_t size;
  open_cart(&s, 1e-3);
  torsor_run *run = kit_create(&s), *other = kit_create(&s);
  double a[4], b[4];
  CHECK_INT(torsor_run_advance(run, 0.1003, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_set_input_rate(run, index_of(&s, "push"), 2, -1, 4, NULL), TORSOR_OK);
  void *bytes = kit_save(run, &size);
  CHECK_INT(torsor_run_restore(other, bytes, size, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_advance(run, 0.7, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_advance(other, 0.7, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(run, s.signals, a, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(other, s.signals, b, NULL), TORSOR_OK);
  CHECK_TRUE(kit_same_bits(a, b, 4));
  CHECK_NEAR(torsor_run_input(other, index_of(&s, "push")), 2 - 0.5997 + 2 * 0.5997 * 0.5997,
             1e-14);
  free(bytes);
  torsor_run_destroy(run);
  torsor_run_destroy(other);
  kit_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_an_event_does),
                                     cmocka_unit_test(test_sampled_controller),
                                     cmocka_unit_test(test_cosimulation),
                                     cmocka_unit_test(test_restarts),
                                     cmocka_unit_test(test_drives),
                                     cmocka_unit_test(test_everywhere),
                                     cmocka_unit_test(test_one_model),
                                     cmocka_unit_test(test_bad_scenes),
                                     cmocka_unit_test(test_ranges),
                                     cmocka_unit_test(test_saved)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
