/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RATTLE in scenes: which elements it takes and which it refuses, settings, order on a chain,
 * momenta of bodies that fly freely, redundant rows, moved constraints. */
#include "check.h"

#include <stdio.h>

#include "support.h"

/* ---- what is in the way -------------------------------------------------------------------- */

#define ROD                                                                                        \
  "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"rod\", \"type\": "        \
  "\"rigid_body\", \"mass\": 1, \"inertia\": [0.02, 0.08, 0.08], \"position\": [0.5, 0, 0]%s}],"   \
  " \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": "       \
  "\"ground\", \"b\": {\"body\": \"rod\", \"position\": [-0.5, 0, 0]}}%s],"                        \
  " \"forces\": [%s], \"simulation\": {\"method\": \"rattle\", \"step\": 1e-3, \"duration\": "     \
  "0.2}, \"output\": {\"signals\": [\"energy.total\"]}}"

typedef struct scene_case {
  const char *body, *joint, *force;
  const char *why; /* part of the message; NULL: it is taken */
} scene_case;

#define FORCE(type, rest) "{\"name\": \"f\", \"type\": \"" type "\", " rest "}"
#define ON_HINGE          "\"coordinate\": \"hinge.angle\""

static const scene_case cases[] = {
    {"", "", "", NULL},
    {", \"center_of_mass\": [0, 0, 0.1]", "", "", "rigid_body \"rod\" has no constant mass matrix"},
    {", \"center_of_mass\": [0, 0, 0.1], \"group\": \"SE3\"", "", "", NULL},
    {"", ", {\"name\": \"edge\", \"type\": \"knife_edge\", \"a\": \"ground\", \"b\": \"rod\"}", "",
     "knife_edge \"edge\" is nonholonomic"},
    {"", "", FORCE("spring_damper", "\"a\": \"ground\", \"b\": \"rod\", \"stiffness\": 20"), NULL},
    {"", "", FORCE("spring_damper", "\"a\": \"ground\", \"b\": \"rod\", \"damping\": 2"),
     "spring_damper \"f\" has damping"},
    {"", "", FORCE("spring_damper", "\"a\": \"ground\", \"b\": \"rod\", \"damping_force\": \"v\""),
     "spring_damper \"f\" has damping"},
    {"", "", FORCE("coordinate_spring", ON_HINGE ", \"force\": \"6*x + 2*x^3\""), NULL},
    {"", "", FORCE("coordinate_spring", ON_HINGE ", \"damping\": 1"),
     "coordinate_spring \"f\" has damping"},
    {"", "",
     FORCE("bushing", "\"a\": \"ground\", \"b\": \"rod\", \"stiffness\": [5, 6, 7],"
                      " \"preload\": [1, 2, 3]"),
     NULL},
    {"", "",
     FORCE("bushing", "\"a\": \"ground\", \"b\": \"rod\", \"stiffness\": [5, 6, 7],"
                      " \"damping\": [0, 0, 1]"),
     "bushing \"f\" has damping"},
    {"", "", FORCE("stop", ON_HINGE ", \"upper\": 0.1, \"stiffness\": 50"), NULL},
    {"", "", FORCE("stop", ON_HINGE ", \"upper\": 0.1, \"stiffness\": 50, \"dissipation\": 1"),
     "stop \"f\" has dissipation"},
    {"", "",
     FORCE("contact", "\"a\": {\"body\": \"ground\", \"position\": [0, 0, -0.02]}, \"b\": \"rod\","
                      " \"stiffness\": 300, \"exponent\": 2"),
     NULL},
    {"", "",
     FORCE("contact", "\"a\": \"ground\", \"b\": \"rod\", \"stiffness\": 300, \"friction\": 0.1"),
     "contact \"f\" has friction"},
    {"", "",
     FORCE("contact",
           "\"a\": \"ground\", \"b\": \"rod\", \"stiffness\": 300, \"dissipation\": 0.1"),
     "contact \"f\" has dissipation"},
    {"", "", FORCE("attraction", "\"a\": \"ground\", \"b\": \"rod\", \"strength\": 1"), NULL},
    {"", "", FORCE("force", "\"at\": \"rod\", \"force\": [1, 0, 2], \"scale\": \"cos(3*t)\""),
     NULL},
    {"", "", FORCE("force", "\"at\": \"rod\", \"force\": [1, 0, 2], \"axes\": \"body\""),
     "force \"f\" turns with the body"},
    {"", "", FORCE("force", "\"at\": \"rod\", \"moment\": [1, 0, 2]"), "force \"f\" has a moment"},
    {"", "", FORCE("force", "\"at\": \"rod\", \"force\": [1, 0, 2], \"scale\": \"hinge.angle\""),
     "force \"f\" depends on coordinates"},
    {"", "", FORCE("coordinate_force", ON_HINGE ", \"effort\": \"cos(t) - 3*sin(hinge.angle)\""),
     NULL},
    {"", "", FORCE("coordinate_force", ON_HINGE ", \"effort\": \"-hinge.rate\""),
     "coordinate_force \"f\" depends on rates"},
    {"", ", {\"name\": \"probe\", \"type\": \"sensor\", \"a\": \"ground\", \"b\": \"rod\"}",
     FORCE("coordinate_force", ON_HINGE ", \"effort\": \"-probe.x\""),
     "depends on other coordinates than its own"},
    {"", "", FORCE("actuator", ON_HINGE ", \"target\": \"sin(t)\", \"kp\": 20, \"limit\": 2"),
     NULL},
    {"", "", FORCE("actuator", ON_HINGE ", \"target\": \"sin(t)\", \"kp\": 20, \"kd\": 2"),
     "actuator \"f\" depends on rates by \"kd\""},
    {"", "", FORCE("drag", "\"at\": \"rod\", \"coefficient\": 1, \"area\": 1"),
     "drag \"f\" resists the motion"},
    {"", "", FORCE("friction", ON_HINGE ", \"coulomb\": 1"), "friction \"f\" resists the motion"},
};

static void elements(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const scene_case *c = &cases[i];
    char text[3000];
    torsor_error error = {0};
    torsor_summary summary;
    support_world world;
    support_trace trace = {0};
    snprintf(text, sizeof text, ROD, c->body, c->joint, c->force);
    if (support_open(&world, text, NULL, &error)) print_error("%s: %s\n", text, error.message);
    CHECK_STR(error.message, "");
    const torsor_status status = support_run(&trace, &summary, &world, &error);
    if (c->why) {
      CHECK_INT(status, TORSOR_ARGUMENT);
      CHECK_CONTAINS(error.message, c->why);
      CHECK_CONTAINS(error.message, "\"rattle\" is for conservative systems");
      CHECK_CONTAINS(error.hint, "generalized_alpha");
    } else {
      CHECK_STR(error.message, "");
      CHECK_INT(status, TORSOR_OK);
    }
    support_trace_release(&trace);
    support_close(&world);
  }
}

/* Keys that would be without effect. */
static void settings(void **state) {
  (void)state;
  static const char *const keys[] = {
      "rho_inf=0.8", "hht=-0.1",        "newmark={}",  "alpha={}",     "atol=1e-9",
      "rtol=1e-9",   "formulation=ggl", "start=plain", "reaction=end", "mass_alpha=carried"};
  char text[3000], set[80], expected[80];
  snprintf(text, sizeof text, ROD, "", "", "");
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
    torsor_error error = {0};
    support_world world;
    snprintf(set, sizeof set, "simulation.%s", keys[i]);
    snprintf(expected, sizeof expected, "the method \"rattle\" does not know \"%.*s\"",
             (int)strcspn(keys[i], "="), keys[i]);
    CHECK_INT(support_open(&world, text, (const char *const[]){set, NULL}, &error), TORSOR_SCENE);
    CHECK_CONTAINS(error.message, expected);
  }
}

/* ---- motions ------------------------------------------------------------------------------- */

enum { MOST = 24 };

/* Last row of the signals after a run of a shipped scene. */
static void run_scene(double *out, torsor_summary *summary, const char *scene,
                      const char *const *set, double step, double duration,
                      const char *const *signals) {
  support_world world;
  support_trace trace = {0};
  torsor_error error = {0};
  support_load(&world, scene, set);
  torsor_simulation simulation = *torsor_scene_simulation(world.scene);
  simulation.settings = torsor_settings_default();
  simulation.settings.method = "rattle";
  simulation.settings.step = step;
  simulation.duration = duration;
  simulation.every = 1;
  CHECK_INT(support_run_as(&trace, summary, &world, &simulation, signals, &error), TORSOR_OK);
  CHECK_TRUE(trace.columns - 1 <= MOST);
  memcpy(out, support_row(&trace, trace.rows - 1) + 1, (size_t)(trace.columns - 1) * sizeof *out);
  support_trace_release(&trace);
  support_close(&world);
}

/* Order of positions, velocities, accelerations and reactions, against a run with h/16, whose own
 * error changes it by log2((1 - 1/256)/(1 - 1/64)).  `size`: of velocities, for their rounding
 * errors. */
static void check_orders(const char *scene, const char *const *set, double step, double duration,
                         const char *const *signals, double size) {
  double fine[MOST], coarse[2][MOST];
  torsor_summary s;
  for (int level = 0; level < 2; ++level) {
    run_scene(coarse[level], &s, scene, set, ldexp(step, -level), duration, signals);
    CHECK_INT(s.counters.rejected_steps, 0);
    print_message("  %s, h = %.1e: %.2f iterations, Phi %.1e, B v %.1e\n", scene,
                  ldexp(step, -level),
                  (double)s.counters.newton_iterations / (double)s.counters.steps, s.max_phi,
                  s.max_phi_velocity);
    CHECK_LE((double)s.counters.newton_iterations, 3.0 * (double)s.counters.steps);
    CHECK_LE(s.max_phi, 16 * CHECK_EPS);
    CHECK_LE(s.max_phi_velocity, 16 * CHECK_EPS * size);
  }
  run_scene(fine, &s, scene, set, step / 16, duration, signals);
  for (int i = 0; signals[i]; ++i) {
    double e[2] = {0};
    for (int level = 0; level < 2; ++level)
      for (int k = 0; k < 3; ++k)
        e[level] = hypot(e[level], coarse[level][3 * i + k] - fine[3 * i + k]);
    const double slope = log2(e[0] / e[1]);
    print_message("    %-24s %.2e, order %.3f\n", signals[i], e[1], slope);
    CHECK_ORDER(slope, 2, 0.05 + log2((1 - 1.0 / 256) / (1 - 1.0 / 64)));
  }
}

static void chain_orders(void **state) {
  (void)state;
  static const char *const signals[] = {"link4.position",     "link4.velocity",
                                        "link4.acceleration", "link4.angular_velocity",
                                        "pivot.force",        NULL};
  static const char *const groups[] = {"group=R3xSO3", "group=SE3"};
  for (int i = 0; i < 2; ++i)
    check_orders("chain", (const char *const[]){"parameters.n=5", groups[i], NULL}, 1e-3, 0.2,
                 signals, 10);
}

/* Rows that depend on each other, on a door whose centre of mass is not where its frame is. */
static void redundant_orders(void **state) {
  (void)state;
  static const char *const signals[] = {"leaf.angular_velocity", "leaf.angular_acceleration",
                                        "upper.force", "lower.force", NULL};
  check_orders("door", (const char *const[]){"group=SE3", NULL}, 1e-2, 2, signals, 2);
}

/* A shaken pivot. */
static void moved_orders(void **state) {
  (void)state;
  static const char *const signals[] = {"rod.position", "rod.velocity", "shaker.force", NULL};
  check_orders("kapitza_pendulum", NULL, 5e-4, 0.5, signals, 20);
}

/* Two bodies with a spring between them and a third on a spherical joint, that fly and tumble. */
static const char flyers[] =
    "{\"torsor\": 1, \"group\": \"%s\", \"bodies\": [{\"name\": \"a\", \"type\": \"rigid_body\","
    " \"mass\": 2, \"inertia\": [0.1, 0.2, 0.25], \"position\": [1, 0, 0], \"velocity\": [0.3, 1, "
    "0], \"angular_velocity\": [1, 2, -3]}, {\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": "
    "1, \"inertia\": [0.05, 0.02, 0.06], \"position\": [0, 0.8, 0], \"velocity\": [0, 0, 0.5],"
    " \"angular_velocity\": [0, 3, 1]}, {\"name\": \"c\", \"type\": \"rigid_body\", \"mass\": 0.5,"
    " \"inertia\": [0.02, 0.03, 0.04], \"position\": [1.6, 0, 0], \"angular_velocity\": [2, 0, "
    "1]}], \"joints\": [{\"name\": \"ball\", \"type\": \"spherical\", \"a\": {\"body\": \"a\","
    " \"position\": [0.3, 0, 0]}, \"b\": {\"body\": \"c\", \"position\": [-0.3, 0, 0]}}],"
    " \"forces\": [{\"name\": \"spring\", \"type\": \"spring_damper\", \"a\": {\"body\": \"a\","
    " \"position\": [0, 0.1, 0]}, \"b\": {\"body\": \"b\", \"position\": [0, 0, 0.1]},"
    " \"stiffness\": 30}], \"simulation\": {\"method\": \"rattle\", \"step\": 5e-3, \"duration\": "
    "100}, \"output\": {\"signals\": [\"momentum\", \"angular_momentum\", \"energy.total\"]}}";

/* All of both momenta.  Rounding errors of `few` eps a step of every body's share make a random
 * walk; that of angular momentum has the lever arms of bodies that fly away, some 70 m, in it. */
static void free_momenta(void **state) {
  (void)state;
  static const char *const groups[] = {"R3xSO3", "SE3"};
  for (int i = 0; i < 2; ++i) {
    char text[3000];
    torsor_error error = {0};
    torsor_summary summary;
    support_world world;
    support_trace trace = {0};
    snprintf(text, sizeof text, flyers, groups[i]);
    CHECK_INT(support_open(&world, text, NULL, &error), TORSOR_OK);
    CHECK_INT(support_run(&trace, &summary, &world, &error), TORSOR_OK);
    const double *start = support_row(&trace, 0);
    double linear = 0, angular = 0, low = 0, high = 0;
    for (int row = 0; row < trace.rows; ++row) {
      const double *now = support_row(&trace, row);
      for (int k = 1; k < 4; ++k) linear = check_max(linear, fabs(now[k] - start[k]));
      for (int k = 4; k < 7; ++k) angular = check_max(angular, fabs(now[k] - start[k]));
      low = fmin(low, now[7] - start[7]);
      high = fmax(high, now[7] - start[7]);
    }
    const double walk = 16 * CHECK_EPS * sqrt(20000) * 3; /* kg m/s */
    print_message("  %s: energy of %.4g J off by %.1e to %.1e\n", groups[i], start[7], low, high);
    check_report("momentum in 20000 steps", linear, walk);
    check_report("angular momentum", angular, 70 * walk);
    CHECK_LE(linear, walk);
    CHECK_LE(angular, 70 * walk);
    support_trace_release(&trace);
    support_close(&world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elements),     cmocka_unit_test(settings),
      cmocka_unit_test(chain_orders), cmocka_unit_test(redundant_orders),
      cmocka_unit_test(moved_orders), cmocka_unit_test(free_momenta),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
