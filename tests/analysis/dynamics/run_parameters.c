/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers of elements that change while a run goes on: as an event that switches between two
 * elements; saved and restored; other runs of the model see nothing of it; what cannot change is
 * refused. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "run_kit.h"

static const char scene[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
    "  {\"name\": \"rod\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.2, 0.2, 0.01],"
    "   \"position\": [0.5, 0, 0], \"velocity\": [0, 0, 0]},"
    "  {\"name\": \"ball\", \"type\": \"point_mass\", \"mass\": 1, \"position\": [2, 0, 0]}],"
    " \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": "
    "\"ground\", \"b\": {\"body\": \"rod\", \"position\": [-0.5, 0, 0]}},"
    "  {\"name\": \"thread\", \"type\": \"screw\", \"axis\": [1, 0, 0], \"pitch\": 0.1, \"a\": "
    "\"ground\", \"b\": {\"body\": \"nut\", \"position\": [0, 0, 0]}}],"
    " \"forces\": [{\"name\": \"spring\", \"type\": \"coordinate_spring\", \"coordinate\": "
    "\"hinge.angle\", \"stiffness\": 40, \"damping\": 1},"
    "  {\"name\": \"stiff\", \"type\": \"coordinate_spring\", \"coordinate\": \"hinge.angle\", "
    "\"stiffness\": 90, \"damping\": 1, \"active\": false},"
    "  {\"name\": \"mount\", \"type\": \"bushing\", \"a\": \"ground\", \"b\": \"nut\","
    "   \"stiffness_matrix\": [[3, 0, 0, 0, 0, 0], [0, 3, 0, 0, 0, 0], [0, 0, 3, 0, 0, 0],"
    "    [0, 0, 0, 2, 0, 0], [0, 0, 0, 0, 2, 0], [0, 0, 0, 0, 0, 2]]},"
    "  {\"name\": \"push\", \"type\": \"force\", \"at\": \"ball\", \"force\": [1, 2, 3]}], %s"
    " \"simulation\": {\"step\": 1e-3, \"duration\": 1},"
    " \"output\": {\"signals\": [\"rod.position\", \"hinge\", \"spring\", \"energy\", "
    "\"ball.position\", \"work\"]}}";

static void open_scene(run_subject *s, const char *events) {
  char text[4000], *nut;
  torsor_error error = {0};
  int count;
  snprintf(text, sizeof text, scene, events);
  /* the screw turns a body of its own */
  nut = strstr(text, "{\"name\": \"ball\"");
  char longer[5000];
  snprintf(
      longer, sizeof longer,
      "%.*s{\"name\": \"nut\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1]}, %s",
      (int)(nut - text), text, nut);
  const torsor_status status = support_open(&s->world, longer, NULL, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
  s->simulation = *torsor_scene_simulation(s->world.scene);
  const char *const names[] = {"rod.position", "rod.velocity",  "hinge.force",
                               "hinge.rate",   "ball.position", "energy.kinetic"};
  (void)torsor_scene_signals(s->world.scene, &count);
  CHECK_INT(torsor_signals_create(&s->signals, s->world.model, names, 6, NULL, &error), TORSOR_OK);
  s->columns = torsor_signals_count(s->signals);
}

static double difference(const double *a, const double *b, int count) {
  double most = 0;
  for (int i = 0; i < count; ++i) most = check_max(most, fabs(a[i] - b[i]));
  return most;
}

/* An event that switches from one spring to another, inside a step: the same motion. */
static void test_as_an_event_does(void **state) {
  (void)state;
  run_subject plain, switched;
  open_scene(&plain, "");
  open_scene(&switched, "\"events\": [{\"name\": \"swap\", \"when\": \"t - 0.5003\", \"action\": "
                        "{\"off\": [\"spring\"], \"on\": [\"stiff\"]}}],");
  torsor_run *a = kit_create(&plain), *b = kit_create(&switched), *c = kit_create(&plain);
  double *x = kit_numbers(plain.columns), *y = kit_numbers(plain.columns);
  CHECK_NEAR(torsor_run_parameter(a, "spring.stiffness"), 40, 0);
  CHECK_INT(torsor_run_advance(a, 0.5003, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_set_parameter(a, "spring.stiffness", 90, NULL), TORSOR_OK);
  CHECK_NEAR(torsor_run_parameter(a, "spring.stiffness"), 90, 0);
  CHECK_NEAR(torsor_run_parameter(c, "spring.stiffness"), 40, 0);
  for (int i = 6; i <= 10; ++i) {
    CHECK_INT(torsor_run_advance(a, 0.1 * i, NULL), TORSOR_OK);
    CHECK_INT(torsor_run_advance(b, 0.1 * i, NULL), TORSOR_OK);
    CHECK_INT(torsor_run_values(a, plain.signals, x, NULL), TORSOR_OK);
    CHECK_INT(torsor_run_values(b, switched.signals, y, NULL), TORSOR_OK);
    print_message("t = %.1f s: largest difference %.3g\n", 0.1 * i,
                  difference(x, y, plain.columns));
    CHECK_LE(difference(x, y, plain.columns), 1e-11);
  }
  /* the other run of the model has the number of the model */
  CHECK_INT(torsor_run_advance(c, 1, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(c, plain.signals, y, NULL), TORSOR_OK);
  CHECK_GE(difference(x, y, plain.columns), 1e-2);
  torsor_run_destroy(a);
  torsor_run_destroy(b);
  torsor_run_destroy(c);
  free(x);
  free(y);
  kit_close(&plain);
  kit_close(&switched);
}

/* A mass and a vector: the ball flies on with what it has. */
static void test_masses_and_vectors(void **state) {
  (void)state;
  run_subject s;
  open_scene(&s, "");
  torsor_run *run = kit_create(&s);
  CHECK_INT(torsor_run_advance(run, 0.4, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_set_parameter(run, "ball.mass", 2, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_set_parameter(run, "push.force.y", -4, NULL), TORSOR_OK);
  CHECK_NEAR(torsor_run_parameter(run, "push.force.y"), -4, 0);
  CHECK_NEAR(torsor_run_parameter(run, "push.force.x"), 1, 0);
  CHECK_INT(torsor_run_advance(run, 1, NULL), TORSOR_OK);
  /* parabolas, which the method follows to rounding: y = 2 t^2/2 up to 0.4 s, then a = -4/2 */
  const double y = 0.16 + 0.8 * 0.6 - 0.36;
  CHECK_NEAR(torsor_run_signal(run, "ball.position.y"), y, 1e-10);
  torsor_run_destroy(run);
  kit_close(&s);
}

static void test_saved(void **state) {
  (void)state;
  run_subject s;
  size_t size, plain_size;
  open_scene(&s, "");
  torsor_run *run = kit_create(&s), *other = kit_create(&s);
  double *x = kit_numbers(s.columns), *y = kit_numbers(s.columns);
  CHECK_INT(torsor_run_advance(run, 0.2, NULL), TORSOR_OK);
  void *before = kit_save(run, &plain_size);
  CHECK_INT(torsor_run_set_parameter(run, "spring.stiffness", 90, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_set_parameter(run, "rod.mass", 3, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_advance(run, 0.3, NULL), TORSOR_OK);
  void *bytes = kit_save(run, &size);
  CHECK_INT(torsor_run_advance(run, 0.9, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(run, s.signals, x, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_set_parameter(other, "spring.damping", 7, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_restore(other, bytes, size, NULL), TORSOR_OK);
  /* the element of the first change, behind the header, the number of changes and two labels */
  int *element = (int *)(void *)((char *)bytes + 32 + 16 + 4 + 16), was = *element;
  for (int wrong = -1; wrong < 2000000; wrong += 1000000) {
    *element = wrong;
    CHECK_INT(torsor_run_restore(other, bytes, size, NULL), TORSOR_FILE);
  }
  *element = was;
  CHECK_INT(torsor_run_restore(other, bytes, size, NULL), TORSOR_OK);
  CHECK_NEAR(torsor_run_parameter(other, "spring.stiffness"), 90, 0);
  CHECK_NEAR(torsor_run_parameter(other, "spring.damping"), 1, 0);
  CHECK_INT(torsor_run_advance(other, 0.9, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(other, s.signals, y, NULL), TORSOR_OK);
  CHECK_TRUE(kit_same_bits(x, y, s.columns));
  /* back to the time before the change */
  CHECK_INT(torsor_run_restore(run, before, plain_size, NULL), TORSOR_OK);
  CHECK_NEAR(torsor_run_parameter(run, "rod.mass"), 2, 0);
  torsor_run_destroy(other);
  other = kit_create(&s);
  CHECK_INT(torsor_run_advance(run, 0.9, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_advance(other, 0.9, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(run, s.signals, x, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(other, s.signals, y, NULL), TORSOR_OK);
  CHECK_TRUE(kit_same_bits(x, y, s.columns));
  torsor_run_destroy(run);
  torsor_run_destroy(other);
  free(before);
  free(bytes);
  free(x);
  free(y);
  kit_close(&s);
}

/* Energy that a stiffer spring has at once is supplied. */
static void test_energy(void **state) {
  (void)state;
  run_subject s;
  static const char *const names[] = {"energy.total", "work.supplied", "work.dissipated",
                                      "energy.balance"};
  open_scene(&s, "");
  torsor_signals_destroy(s.signals);
  torsor_error error = {0};
  const torsor_status status =
      torsor_signals_create(&s.signals, s.world.model, names, 1, NULL, &error);
  CHECK_INT(status, TORSOR_OK);
  torsor_run *run = kit_create(&s);
  CHECK_INT(torsor_run_advance(run, 0.3, NULL), TORSOR_OK);
  const double angle = torsor_run_signal(run, "hinge.angle");
  const double before = torsor_run_signal(run, "energy.total");
  CHECK_INT(torsor_run_set_parameter(run, "spring.stiffness", 90, NULL), TORSOR_OK);
  const double after = torsor_run_signal(run, "energy.total");
  CHECK_NEAR(after - before, 25 * angle * angle, 1e-9);
  torsor_run_destroy(run);
  kit_close(&s);
}

static void test_misuse(void **state) {
  static const struct {
    const char *path;
    double value;
    const char *message, *hint;
  } cases[] = {{"sprig.stiffness", 1, "there is no element \"sprig\"", "\"spring\""},
               {"spring.stifness", 1, "has no parameter \"stifness\"", "\"stiffness\""},
               {"spring", 1, "has no parameter", ""},
               {"spring.coordinate", 1, "cannot change during a run", "build a new model"},
               {"rod.inertia", 1,
                "is a matrix: name one of its components, such as \"rod.inertia.xy\"",
                "torsor_run_set_parameter_values"},
               {"rod.inertia.xx", 5, "would be no inertia of a body", "none exceeds the sum"},
               {"rod.inertia.zz", -1, "would be no inertia of a body", "greater than 0"},
               {"rod.mass.x", 1, "is a number: it has no \"x\"", ""},
               {"mount.damping_matrix.0.0", 1, "is not given", "gives all of it"},
               {"mount.stiffness_matrix.6.0", 1, "is a matrix: name", "at once"},
               {"push.force", 1, "is a vector", ""},
               {"push.force.w", 1, "is a vector", ""},
               {"rod.mass", -2, "must be greater than 0, but is -2", "in kg"},
               {"spring.damping", -1, "must be 0 or greater", ""},
               {"spring.stiffness", (double)NAN, "must be finite", ""},
               {"rod.position.x", 1, "is an initial value", "torsor_run_set_state"},
               {"rod.velocity.x", 1, "is an initial value", "torsor_run_set_state"}};
  (void)state;
  run_subject s;
  open_scene(&s, "");
  torsor_run *run = kit_create(&s), *other = kit_create(&s);
  CHECK_INT(torsor_run_advance(run, 0.1, NULL), TORSOR_OK);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    torsor_error error = {0};
    CHECK_INT(torsor_run_set_parameter(run, cases[i].path, cases[i].value, &error),
              TORSOR_ARGUMENT);
    print_message("%s: %s (%s)\n", cases[i].path, error.message, error.hint);
    CHECK_CONTAINS(error.message, cases[i].message);
    CHECK_CONTAINS(error.hint, cases[i].hint);
  }
  CHECK_TRUE(isnan(torsor_run_parameter(run, "no.such")));
  /* nothing of it has changed anything */
  CHECK_INT(torsor_run_advance(run, 0.5, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_advance(other, 0.5, NULL), TORSOR_OK);
  CHECK_TRUE(torsor_run_signal(run, "hinge.angle") == torsor_run_signal(other, "hinge.angle"));
  torsor_run_destroy(run);
  torsor_run_destroy(other);
  kit_close(&s);
}

/* A wheel that is driven evenly about its axis, its inertia doubled at 1 s: with the moment M its
 * rate is M t/J, then goes on with M/(2 J) from the rate that it had.  At rest beside it is what is
 * off the diagonal; the same numbers one by one and at once are the same run. */
static const char wheels[] =
    "{\"torsor\": 1, \"bodies\": [{\"name\": \"wheel\", \"type\": \"rigid_body\", \"mass\": 1,"
    " \"inertia\": [0.5, 0.5, 0.8]}, {\"name\": \"cart\", \"type\": \"rigid_body\", \"mass\": 2,"
    " \"inertia\": [1, 1, 1], \"position\": [1, 0, 0]}], \"joints\": [{\"name\": \"axle\", "
    "\"type\":"
    " \"revolute\", \"a\": \"ground\", \"b\": \"wheel\"}, {\"name\": \"rail\", \"type\":"
    " \"prismatic\", \"axis\": [1, 0, 0], \"a\": \"ground\", \"b\": \"cart\"}], \"forces\": ["
    "{\"name\": \"motor\", \"type\": \"coordinate_force\", \"coordinate\": \"axle.angle\","
    " \"effort\": 2}, {\"name\": \"mount\", \"type\": \"bushing\", \"a\": \"ground\", \"b\": "
    "\"cart\","
    " \"stiffness_matrix\": [[8, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0],"
    " [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]]}],"
    " \"simulation\": {\"step\": 1e-3, \"duration\": 2}}";

static void open_wheels(run_subject *s) {
  static const char *const names[] = {"axle.angle", "axle.rate", "rail.travel", "rail.speed"};
  torsor_error error = {0};
  CHECK_INT(support_open(&s->world, wheels, NULL, &error), TORSOR_OK);
  s->simulation = *torsor_scene_simulation(s->world.scene);
  CHECK_INT(torsor_signals_create(&s->signals, s->world.model, names, 4, NULL, &error), TORSOR_OK);
  s->columns = torsor_signals_count(s->signals);
}

static void test_matrices(void **state) {
  (void)state;
  run_subject s;
  open_wheels(&s);
  static const double J[9] = {1, 0.1, 0, 0.1, 1, 0, 0, 0, 1.6};
  double K[36] = {0}, x[4], y[4];
  for (int i = 0; i < 6; ++i) K[7 * i] = i ? 1 : 32;
  torsor_run *run = kit_create(&s), *other = kit_create(&s), *third = kit_create(&s);
  CHECK_INT(torsor_run_advance(run, 1, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_advance(other, 1, NULL), TORSOR_OK);
  /* x = cos(2 t) until 1 s with k/m = 4, then with k/m = 16 */
  const double angle = 2 / 0.8 / 2, c = cos(2), v = -2 * sin(2);
  CHECK_NEAR(torsor_run_signal(run, "axle.angle"), angle, 1e-9);
  CHECK_INT(torsor_run_set_parameter_values(run, "wheel.inertia", J, 9, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_set_parameter_values(run, "mount.stiffness_matrix", K, 36, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_set_parameter(other, "wheel.inertia.xx", 1, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_set_parameter(other, "mount.stiffness_matrix.0.0", 32, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_set_parameter(other, "wheel.inertia.yy", 1, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_set_parameter(other, "wheel.inertia.zz", 1.6, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_set_parameter(other, "wheel.inertia.yx", 0.1, NULL), TORSOR_OK);
  CHECK_NEAR(torsor_run_parameter(other, "wheel.inertia.xy"), 0.1, 0);
  CHECK_NEAR(torsor_run_parameter(run, "mount.stiffness_matrix.0.0"), 32, 0);
  size_t size;
  CHECK_INT(torsor_run_advance(run, 1.5, NULL), TORSOR_OK);
  void *bytes = kit_save(run, &size);
  CHECK_INT(torsor_run_advance(run, 2, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(run, s.signals, x, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_advance(other, 2, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(other, s.signals, y, NULL), TORSOR_OK);
  CHECK_TRUE(kit_same_bits(x, y, 4));
  const double rate = 2 / 0.8, travel = c * cos(4) + v / 4 * sin(4);
  /* parabolas are exact; the oscillation is that of a method of second order, which is off by less
   * than t w^3 h^2/6 of its amplitude of 1 */
  CHECK_NEAR(x[0], angle + rate + 2 / 1.6 / 2, 1e-9);
  CHECK_NEAR(x[1], rate + 2 / 1.6, 1e-9);
  const double bound = 4.0 * 4 * 4 * 1e-6 / 6 * 2;
  check_report("travel with another stiffness matrix, m", fabs(x[2] - travel), bound);
  CHECK_LE(fabs(x[2] - travel), bound);
  CHECK_INT(torsor_run_set_parameter(third, "wheel.mass", 7, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_restore(third, bytes, size, NULL), TORSOR_OK);
  CHECK_NEAR(torsor_run_parameter(third, "wheel.inertia.zz"), 1.6, 0);
  CHECK_NEAR(torsor_run_parameter(third, "wheel.mass"), 1, 0);
  CHECK_INT(torsor_run_advance(third, 2, NULL), TORSOR_OK);
  CHECK_INT(torsor_run_values(third, s.signals, y, NULL), TORSOR_OK);
  CHECK_TRUE(kit_same_bits(x, y, 4));
  torsor_error error = {0};
  static const double skew[9] = {1, 0.1, 0, -0.1, 1, 0, 0, 0, 1.6};
  CHECK_INT(torsor_run_set_parameter_values(run, "wheel.inertia", skew, 9, &error),
            TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "is not symmetric: entry [1][0] is -0.1");
  CHECK_INT(torsor_run_set_parameter_values(run, "wheel.inertia", J, 3, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "stands for 9 numbers, not for 3");
  K[0] = -1;
  CHECK_INT(torsor_run_set_parameter_values(run, "mount.stiffness_matrix", K, 36, &error) != 0, 1);
  CHECK_NEAR(torsor_run_parameter(run, "mount.stiffness_matrix.0.0"), 32, 0);
  free(bytes);
  torsor_run_destroy(run);
  torsor_run_destroy(other);
  torsor_run_destroy(third);
  kit_close(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_matrices),
                                     cmocka_unit_test(test_as_an_event_does),
                                     cmocka_unit_test(test_masses_and_vectors),
                                     cmocka_unit_test(test_saved),
                                     cmocka_unit_test(test_energy),
                                     cmocka_unit_test(test_misuse)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
