/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contacts of many bodies at once: the forces are those of single pairs, the balances hold, piles
 * come to rest, and wrong use has messages. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "closed.h"
#include "support.h"

enum { TEXT = 40000 };

/* Runs a scene; the caller releases the trace. */
static support_trace run(torsor_summary *summary, const char *text, const char *method,
                         const char *group, double h, double duration, double rows, int threads,
                         const char *const *signals) {
  char simulation[200], set_group[40], output[60];
  support_world world;
  support_trace trace = {.threads = threads};
  torsor_error error = {0};
  snprintf(simulation, sizeof simulation,
           "simulation={\"method\": \"%s\", \"step\": %.17g, \"duration\": %.17g}", method, h,
           duration);
  snprintf(set_group, sizeof set_group, "group=%s", group);
  snprintf(output, sizeof output, "output={\"step\": %.17g}", rows);
  const char *const set[] = {simulation, set_group, output, NULL};
  torsor_status status = support_open(&world, text, set, &error);
  if (!status)
    status = support_run_as(&trace, summary, &world, torsor_scene_simulation(world.scene), signals,
                            &error);
  if (status) print_error("%s: %s (%s)\n", error.path, error.message, error.hint);
  CHECK_INT(status, TORSOR_OK);
  support_close(&world);
  return trace;
}

static const double *last_row(const support_trace *trace) {
  return support_row(trace, trace->rows - 1);
}

/* ---- the same as single pairs ------------------------------------------------------------------
 */

#define BODIES                                                                                     \
  "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"one\", \"type\":"         \
  " \"rigid_body\", \"mass\": 0.5, \"inertia\": [2e-3, 2e-3, 2e-3], \"position\": [0, 0, 0.12],"   \
  " \"velocity\": [1.5, 0, 0], \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}}, {\"name\":"    \
  " \"two\", \"type\": \"rigid_body\", \"mass\": 0.8, \"inertia\": [2e-3, 2e-3, 2e-3],"            \
  " \"position\": [0.3, 0.05, 0.1], \"angular_velocity\": [0, 0, 9], \"shape\": {\"type\":"        \
  " \"sphere\", \"radius\": 0.1}}, {\"name\": \"rod\", \"type\": \"rigid_body\", \"mass\": 1,"     \
  " \"inertia\": [0.02, 0.02, 2e-3], \"position\": [0.65, 0, 0.08], \"orientation\":"              \
  " {\"rotation_vector\": [1.4, 0.2, 0]}, \"shape\": {\"type\": \"capsule\", \"radius\": 0.05,"    \
  " \"length\": 0.6}}], \"forces\": ["
#define LAW                                                                                        \
  "\"stiffness\": 1e5, \"dissipation\": 0.4, \"friction\": 0.3, \"tangential_stiffness\": 4e4, "   \
  "\"tangential_damping\": 10}"
#define PAIR(a, b)                                                                                 \
  "{\"name\": \"" a b "\", \"type\": \"shape_contact\", \"a\": \"" a "\", \"b\": \"" b "\", " LAW
#define FLOOR(b)                                                                                   \
  "{\"name\": \"under_" b "\", \"type\": \"shape_contact\", \"a\": \"ground\", \"plane\": true,"   \
  " \"b\": \"" b "\", " LAW

static const char pairs[] = BODIES PAIR("one", "two") ", " PAIR("one", "rod") ", " PAIR(
    "two", "rod") ", " FLOOR("one") ", " FLOOR("two") ", " FLOOR("rod") "]}";
static const char together[] = BODIES "{\"name\": \"all\", \"type\": \"contact_group\","
                                      " \"between\": [\"*\"], \"plane\": \"ground\", " LAW "]}";

/* Both solve the same equations of a step, to the iteration's tolerance, 1e-8 of a step's motion,
 * which 2,000 steps with blows multiply: the tangents differ, and so do the errors. */
static void test_same_as_pairs(void **state) {
  (void)state;
  static const char *const methods[] = {"generalized_alpha", "soi2", "hht_odae", "radau"};
  static const char *const signals[] = {"one.position.x", "two.position.x", "two.position.y",
                                        "rod.position.x", "rod.position.y", "energy.dissipated",
                                        "energy.elastic", "energy.balance", NULL};
  for (int m = 0; m < 4; ++m) {
    torsor_summary summary;
    support_trace one =
        run(&summary, pairs, methods[m], closed_groups[m % 2], 5e-4, 1, 1, 0, signals);
    const long before = summary.counters.newton_iterations;
    support_trace all =
        run(&summary, together, methods[m], closed_groups[m % 2], 5e-4, 1, 1, 0, signals);
    double off = 0;
    for (int i = 1; i < 9; ++i) off = check_max(off, fabs(last_row(&one)[i] - last_row(&all)[i]));
    print_message("%s: %ld iterations, %ld of pairs, balance %.3g of %.3g J\n", methods[m],
                  summary.counters.newton_iterations, before, last_row(&all)[8], last_row(&all)[6]);
    check_report(methods[m], off, 1e-5);
    CHECK_LE(off, 1e-5);
    CHECK_INT(summary.counters.rejected_steps, 0);
    support_trace_release(&one);
    support_trace_release(&all);
  }
}

/* ---- clouds and piles ---------------------------------------------------------------------------
 */

/* `count` bodies of a grid with the side 3; a part of them are capsules or boxes. */
static char *cloud(int count, double gap, bool thrown, const char *shape, const char *rest) {
  char *text = malloc(TEXT);
  CHECK_TRUE(text != NULL);
  check_rng rng = {7};
  int at = snprintf(text, TEXT, "{\"torsor\": 1, \"bodies\": [");
  for (int i = 0; i < count; ++i) {
    const double x = i % 3 * gap, y = i / 3 % 3 * gap, z = 0.06 + i / 9 * gap;
    const double speed = thrown ? 2 : 0.004;
    at += snprintf(text + at, (size_t)(TEXT - at),
                   "%s{\"name\": \"b%d\", \"type\": \"rigid_body\", \"mass\": 0.5, \"inertia\":"
                   " [5e-4, 6e-4, 5e-4], \"position\": [%.17g, %.17g, %.17g], \"velocity\":"
                   " [%.17g, %.17g, %.17g], \"shape\": %s}",
                   i ? ", " : "", i, x, y, z, speed * (check_uniform(&rng, -1, 1) - (x - gap)),
                   speed * (check_uniform(&rng, -1, 1) - (y - gap)),
                   speed * check_uniform(&rng, -1, 0),
                   i % 2 && !strcmp(shape, "mixed")
                       ? "{\"type\": \"capsule\", \"radius\": 0.04, \"length\": 0.12}"
                   : strcmp(shape, "mixed") ? shape
                                            : "{\"type\": \"sphere\", \"radius\": 0.05}");
  }
  snprintf(text + at, (size_t)(TEXT - at), "], %s}", rest);
  return text;
}

/* Without a ground momentum and angular momentum stay, to the tolerance of the iterations: 1e-8 of
 * 27 x 0.5 kg x 2 m/s in each of 2,000 steps, by chance of either sign.  What the energy loses is
 * dissipated. */
static void test_momentum(void **state) {
  (void)state;
  static const char *const signals[] = {"momentum.x",         "momentum.y",
                                        "momentum.z",         "angular_momentum.x",
                                        "angular_momentum.y", "angular_momentum.z",
                                        "energy.balance",     "energy.dissipated",
                                        "all.touching",       NULL};
  char *text = cloud(27, 0.13, true, "mixed",
                     "\"forces\": [{\"name\": \"all\", \"type\": \"contact_group\", \"between\":"
                     " [\"b*\"], " LAW "]");
  for (int k = 0; k < 2; ++k) {
    torsor_summary summary;
    support_trace trace =
        run(&summary, text, "generalized_alpha", closed_groups[k], 1e-4, 0.2, 0.01, 0, signals);
    const double *first = support_row(&trace, 0), *end = last_row(&trace);
    double off = 0, most = 0;
    for (int i = 1; i < 7; ++i) off = check_max(off, fabs(end[i] - first[i]));
    for (int i = 0; i < trace.rows; ++i) most = check_max(most, support_row(&trace, i)[9]);
    print_message("%s: %g pairs at once, dissipated %.3g J\n", closed_groups[k], most, end[8]);
    check_report("momentum", off, 1.2e-5);
    CHECK_LE(off, 1.2e-5);
    check_report("balance", fabs(end[7]), 0.01 * end[8]);
    CHECK_LE(fabs(end[7]), 0.01 * end[8]);
    CHECK_GE(most, 3);
    support_trace_release(&trace);
  }
  free(text);
}

#define WALLS                                                                                      \
  "\"gravity\": [0, 0, -9.81], \"ground\": {\"shape\": [{\"type\": \"box\", \"size\":"             \
  " [0.1, 1, 2], \"position\": [-0.11, 0.1, 1]}, {\"type\": \"box\", \"size\": [0.1, 1, 2],"       \
  " \"position\": [0.33, 0.1, 1]}, {\"type\": \"box\", \"size\": [1, 0.1, 2], \"position\":"       \
  " [0.1, -0.11, 1]}, {\"type\": \"box\", \"size\": [1, 0.1, 2], \"position\":"                    \
  " [0.1, 0.33, 1]}]}, "
#define STICKY                                                                                     \
  "\"stiffness\": 2e5, \"dissipation\": 1, \"friction\": 0.5, \"tangential_stiffness\": 1e4,"      \
  " \"tangential_damping\": 20}"

/* Balls that fall into a box come to rest, up to what rolls without loss: their energy does not
 * grow from row to row.  The same bytes on any number of threads. */
static void test_pile(void **state) {
  (void)state;
  static const char *const signals[] = {"energy.kinetic",    "energy.total",    "energy.balance",
                                        "pile.normal_force", "pile.candidates", NULL};
  char *text =
      cloud(27, 0.11, false, "{\"type\": \"sphere\", \"radius\": 0.05}",
            WALLS "\"forces\": [{\"name\": \"pile\", \"type\": \"contact_group\","
                  " \"between\": [\"ground\", \"b*\"], \"plane\": \"ground\", " STICKY "]");
  torsor_summary summary;
  support_trace trace = run(&summary, text, "generalized_alpha", "SE3", 5e-4, 2, 0.1, 1, signals);
  const double *first = support_row(&trace, 0), *end = last_row(&trace);
  double growth = -HUGE_VAL;
  for (int i = 1; i < trace.rows; ++i)
    growth = check_max(growth, support_row(&trace, i)[2] - support_row(&trace, i - 1)[2]);
  print_message("%ld steps, %ld iterations; kinetic %.3g J of %.4g J lost, balance %.3g J, %g"
                " candidates\n",
                summary.counters.steps, summary.counters.newton_iterations, end[1],
                first[2] - end[2], end[3], end[5]);
  check_report("growth from row to row", growth, 0);
  CHECK_LE(growth, 0);
  check_report("kinetic energy at the end", end[1], 1e-3 * (first[2] - end[2]));
  CHECK_LE(end[1], 1e-3 * (first[2] - end[2]));
  CHECK_INT(summary.counters.rejected_steps, 0);
  support_trace other = run(&summary, text, "generalized_alpha", "SE3", 5e-4, 0.2, 0.1, 2, signals);
  support_trace same = run(&summary, text, "generalized_alpha", "SE3", 5e-4, 0.2, 0.1, 1, signals);
  CHECK_INT(memcmp(other.value, same.value, sizeof(double) * (size_t)(same.rows * same.columns)),
            0);
  support_trace_release(&trace);
  support_trace_release(&other);
  support_trace_release(&same);
  free(text);
}

/* Three boxes on each other, set down askew: they rest, bear their weight and do not creep. */
static void test_stack(void **state) {
  (void)state;
  static const char text[] =
      "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"ground\": {\"shape\": {\"type\": \"box\","
      " \"size\": [2, 2, 0.2], \"position\": [0, 0, -0.1]}}, \"bodies\": [{\"name\": \"b${i}\","
      " \"repeat\": 3, \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.01, 0.01, 0.01],"
      " \"position\": [\"0.01*i\", \"-0.005*i\", \"0.1 + 0.201*i\"], \"orientation\":"
      " {\"rotation_vector\": [0, 0, \"0.1*i\"]}, \"shape\": {\"type\": \"box\", \"size\":"
      " [0.2, 0.2, 0.2]}}], \"forces\": [{\"name\": \"stack\", \"type\": \"contact_group\","
      " \"between\": [\"ground\", \"b*\"], \"face_stiffness\": 2e7, \"dissipation\": 100,"
      " \"friction\": 0.5, \"tangential_stiffness\": 1e5, \"tangential_damping\": 100}]}";
  static const char *const signals[] = {"b2.position.x",
                                        "b2.position.y",
                                        "b2.position.z",
                                        "stack.normal_force",
                                        "stack.touching",
                                        "energy.kinetic",
                                        NULL};
  torsor_summary summary;
  support_trace trace = run(&summary, text, "generalized_alpha", "SE3", 5e-4, 3, 0.5, 0, signals);
  const double *late = support_row(&trace, trace.rows - 2), *end = last_row(&trace);
  double creep = 0;
  for (int i = 1; i < 4; ++i) creep = check_max(creep, fabs(end[i] - late[i]));
  print_message("stack: creep %.3g m, kinetic %.3g J, force %.9g N\n", creep, end[6], end[4]);
  CHECK_LE(creep, 1e-9); /* tolerance of the iteration, 1e-8 of the depth of 1e-4 m, and a margin */
  CHECK_NEAR(end[4], (1 + 2 + 3) * 2 * 9.81, 1e-5);
  CHECK_NEAR(end[5], 3, 0);
  support_trace_release(&trace);
}

/* Links of a chain are capsules that overlap at their joints: they do not touch their neighbours,
 * but the ground and each other. */
static void test_chain(void **state) {
  (void)state;
  static const char text[] =
      "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"l${i}\", \"repeat\":"
      " 10, \"type\": \"rigid_body\", \"mass\": 0.2, \"inertia\": [2e-4, 2e-4, 2e-5],"
      " \"position\": [\"0.002*i\", 0, \"0.1 + 0.1*i\"], \"shape\": {\"type\": \"capsule\","
      " \"radius\": 0.015, \"length\": 0.13}}], \"joints\": [{\"name\": \"j${i}\", \"repeat\": 9,"
      " \"type\": \"spherical\", \"a\": {\"body\": \"l${i}\", \"position\": [0.001, 0, 0.05]},"
      " \"b\": {\"body\": \"l${i + 1}\", \"position\": [-0.001, 0, -0.05]}}], \"forces\":"
      " [{\"name\": \"heap\", \"type\": \"contact_group\", \"between\": [\"l*\"], \"plane\":"
      " \"ground\", \"stiffness\": 1e5, \"dissipation\": 2, \"friction\": 0.4,"
      " \"tangential_stiffness\": 1e4, \"tangential_damping\": 5}]}";
  static const char *const signals[] = {"energy.balance", "energy.dissipated", "heap.deepest",
                                        "heap.touching",  "l9.position.z",     NULL};
  for (int k = 0; k < 2; ++k) {
    torsor_summary summary;
    support_trace trace =
        run(&summary, text, "generalized_alpha", closed_groups[k], 2e-4, 1, 0.1, 0, signals);
    const double *end = last_row(&trace);
    double deepest = 0;
    for (int i = 0; i < trace.rows; ++i) deepest = check_max(deepest, support_row(&trace, i)[3]);
    print_message("chain: balance %.3g of %.3g J, deepest %.3g m, %g pairs, top at %.3g m, %ld"
                  " rejected\n",
                  end[1], end[2], deepest, end[4], end[5], summary.counters.rejected_steps);
    CHECK_LE(fabs(end[1]), 0.02 * end[2]);
    CHECK_LE(deepest, 0.01); /* neighbours would be 0.03 deep in each other */
    CHECK_LE(end[5], 0.3);
    support_trace_release(&trace);
  }
}

/* ---- wrong use --------------------------------------------------------------------------------
 */

static void test_misuse(void **state) {
  (void)state;
  static const struct {
    const char *force, *path, *message, *hint;
  } table[] = {
      {"\"between\": [\"grain*\"]", "forces[0].between", "no body is called \"grain*\"", "*"},
      {"\"between\": [\"ball\", \"peg\"]", "forces[0].between", "no body is called \"peg\"", "*"},
      {"\"between\": []", "forces[0].between", "is empty", ""},
      {"\"between\": \"ball\"", "forces[0].between", "a list of names", ""},
      {"\"between\": [\"ball\"]", "forces[0]", "one shape alone", "plane"},
      {"\"plane\": \"ground\"", "forces[0]", "no bodies", "between"},
      {"\"between\": [\"b?ll*\"]", "forces[0].between", "no body is called", "any"},
      {"\"between\": [\"ball\"], \"plane\": \"box\"", "forces[0]", "plane on a body", "ground"},
      {"\"against\": [\"ball\", \"box\"]", "forces[0]", "\"against\" alone", "between"},
      {"\"between\": [\"ball\"], \"against\": [\"ba*l\"]", "forces[0]", "\"ball\" in both",
       "between"},
      {"\"between\": [\"ball\", \"bare\"]", "forces[0].between", "\"bare\" has no shape", "shape"},
      {"\"between\": [\"ball\", \"dot\"]", "forces[0].between", "no orientation", "rigid_body"},
      {"\"between\": [\"ball\", \"ring\"]", "forces[0]", "\"ring\", whose shape has no contact",
       "capsule"},
      {"\"between\": [\"box\", \"rod\"]", "forces[0]", "no contact with each other", "planes"},
      {"\"between\": [\"box\", \"cube\"]", "forces[0]", "no \"face_stiffness\"", "N/m^3"},
      {"\"between\": [\"ball\", \"box\"], \"friction\": 0.2", "forces[0]",
       "no spring of what sticks", "tangential_stiffness"},
      {"\"between\": [\"ball\", \"box\"], \"rounding\": 1", "forces[0]", "half of an extent",
       "1 %"},
      {"\"between\": [\"ball\", \"box\"], \"margin\": 0", "forces[0].margin", "greater than 0", ""},
  };
#define SOLID(name, at, shape)                                                                     \
  "{\"name\": \"" name "\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1],"        \
  " \"position\": [" at ", 0, 0]" shape "}, "
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    char text[2000];
    support_world world;
    torsor_error error = {0};
    snprintf(text, sizeof text,
             "{\"torsor\": 1, \"bodies\": [" SOLID(
                 "ball", "0",
                 ", \"shape\": {\"type\": \"sphere\", \"radius\": 0.1}") SOLID("box", "1",
                                                                               ", \"shape\":"
                                                                               " {\"type\":"
                                                                               " \"box\","
                                                                               " \"size\": [0.1,"
                                                                               " 0.1, 0.1]}")
                 SOLID("cube", "2", ", \"shape\": {\"type\": \"box\", \"size\": [0.1, 0.1, 0.1]}")
                     SOLID("rod", "3",
                           ", \"shape\": {\"type\": \"capsule\", \"radius\": 0.1, \"length\": 1}")
                         SOLID("ring", "4",
                               ", \"shape\": {\"type\": \"torus\", \"radius\": 0.3, \"tube\":"
                               " 0.05}")
                             SOLID("bare", "5", "") "{\"name\": \"dot\", \"type\": \"point_mass\", "
                                                    "\"mass\": 1, \"shape\": {\"type\":"
                                                    " \"sphere\", \"radius\": 0.1}}], \"forces\": "
                                                    "[{\"name\": \"x\", \"type\":"
                                                    " \"contact_group\", %s%s}]}",
             table[i].force, strstr(table[i].message, "face") ? "" : ", \"stiffness\": 1e4");
    const torsor_status status = support_open(&world, text, NULL, &error);
    print_message("%s: %s (%s)\n", error.path, error.message, error.hint);
    CHECK_INT(status, TORSOR_SCENE);
    CHECK_CONTAINS(error.path, table[i].path);
    CHECK_CONTAINS(error.message, table[i].message);
    CHECK_CONTAINS(error.hint, table[i].hint);
  }
}

/* Tangents of each body alone are refused where all of them are needed; a list that has
 * no room ends the run. */
static void test_refused(void **state) {
  (void)state;
  support_world world;
  torsor_error error = {0};
  CHECK_INT(support_open(&world, together, NULL, &error), TORSOR_OK);
  torsor_modes *modes = NULL;
  const torsor_modes_settings settings = TORSOR_MODES_SETTINGS_INIT;
  CHECK_INT(torsor_modes_find(&modes, world.model, &settings, NULL, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "\"all\" has no place in modes");
  support_close(&world);
  support_trace trace = {0};
  torsor_summary summary;
  static const char *const none[] = {"forces[0].max_pairs=1",
                                     "simulation={\"step\": 1e-3,"
                                     " \"duration\": 0.3}",
                                     NULL};
  static const char *const signals[] = {"all.candidates", NULL};
  CHECK_INT(support_open(&world, together, none, &error), TORSOR_OK);
  CHECK_TRUE(support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), signals,
                            &error) != TORSOR_OK);
  print_message("%s (%s)\n", error.message, error.hint);
  CHECK_CONTAINS(error.hint, "max_pairs");
  support_trace_release(&trace);
  support_close(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_same_as_pairs), cmocka_unit_test(test_momentum),
      cmocka_unit_test(test_pile),          cmocka_unit_test(test_stack),
      cmocka_unit_test(test_chain),         cmocka_unit_test(test_misuse),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
