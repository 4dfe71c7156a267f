/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Assemblies: models that stand in a scene several times, and in each other. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

static support_world world;
static support_trace trace;

static const double *run(const char *text, const char *const *set, int row) {
  torsor_summary summary;
  torsor_error error = {0};
  support_trace_release(&trace);
  support_close(&world);
  if (support_open(&world, text, set, &error) || support_run(&trace, &summary, &world, &error))
    fail_msg("%s: %s: %s", error.path, error.message, error.hint);
  return support_row(&trace, row < 0 ? trace.rows - 1 : row);
}

/* ---- a hoist of three assemblies ------------------------------------------------------------- */

/* A trolley that is driven along a bridge, a winch on it, and a load on the rope that this winds:
 * with the place s of the trolley and the length L of the rope
 *
 *     L w'' + 2 L' w' + g sin w + s'' cos w = 0. */
static const char hoist[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"parameters\": {\"r\": 0.15, \"L0\": 4}, "
    "\"models\": {"
    "\"bridge\": {\"parameters\": {\"height\": 0, \"m\": 100}, \"bodies\": [{\"name\": "
    "\"trolley\", \"type\": \"rigid_body\", \"mass\": \"m\", \"inertia\": [5, 5, 5], \"position\": "
    "[0, 0, \"height\"]}], \"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"axis\": "
    "[1, 0, 0], \"a\": {\"body\": \"ground\", \"position\": [0, 0, \"height\"]}, \"b\": "
    "\"trolley\"}, {\"name\": \"motor\", \"type\": \"drive\", \"coordinate\": \"rail.travel\", "
    "\"motion\": \"0.3*(1 - cos(1.2*t))\"}]}, "
    "\"winch\": {\"parameters\": {\"m\": 20}, \"bodies\": [{\"name\": \"drum\", \"type\": "
    "\"rigid_body\", \"mass\": \"m\", \"inertia\": [1, \"m*r^2/2\", 1]}], \"joints\": [{\"name\": "
    "\"shaft\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": \"frame\", \"b\": \"drum\", "
    "\"start\": {}}, {\"name\": \"gear\", \"type\": \"drive\", \"coordinate\": \"shaft.angle\", "
    "\"motion\": \"(0.2*t + 0.1*sin(t))/r\"}]}, "
    "\"hook\": {\"parameters\": {\"m\": 50}, \"bodies\": [{\"name\": \"load\", \"type\": "
    "\"point_mass\", \"mass\": \"m\", \"in\": \"top\", \"position\": [\"L0*sin(0.2)\", 0, "
    "\"-L0*cos(0.2)\"]}], \"joints\": [{\"name\": \"rope\", \"type\": \"sensor\", \"a\": \"top\", "
    "\"b\": \"load\"}, {\"name\": \"winding\", \"type\": \"coupling\", \"first\": "
    "\"rope.distance\", \"second\": \"drive_shaft.angle\", \"ratio\": \"r\", \"value\": \"L0\"}, "
    "{\"name\": \"plane\", \"type\": \"point_on_plane\", \"normal\": [0, 1, 0], \"a\": "
    "\"ground\", \"b\": \"load\"}]}}, "
    "\"assemblies\": [{\"name\": \"crane\", \"model\": \"bridge\", \"parameters\": {\"height\": "
    "\"6 + r\"}, \"position\": [0, 2, 0]}, "
    "{\"name\": \"drive\", \"model\": \"winch\", \"with\": {\"frame\": \"crane_trolley\"}}, "
    "{\"name\": \"lift\", \"model\": \"hook\", \"position\": [0, 2, 0], \"with\": {\"top\": "
    "\"crane_trolley\"}}], "
    "\"simulation\": {\"step\": 0.01, \"duration\": 4}, \"output\": {\"signals\": "
    "[\"lift_load.position\", \"crane_rail.travel\", \"lift_rope.distance\"]}}";

typedef struct swing {
  double angle, rate;
} swing;

static swing swing_rate(double t, swing s) {
  const double length = 4 - 0.2 * t - 0.1 * sin(t), speed = -0.2 - 0.1 * cos(t);
  const double pull = 0.3 * 1.2 * 1.2 * cos(1.2 * t);
  return (swing){s.rate,
                 -(2 * speed * s.rate + 9.81 * sin(s.angle) + pull * cos(s.angle)) / length};
}

static swing ahead(swing s, double h, swing rate) {
  return (swing){s.angle + h * rate.angle, s.rate + h * rate.rate};
}

/* Runge and Kutta's method with 20000 steps of 2e-4 s: errors of 1e-14. */
static v3 hoist_solution(void) {
  enum { STEPS = 20000 };
  const double h = 4.0 / STEPS;
  /* At the start the rope is L0 long and gets shorter, the load moves along it alone. */
  swing s = {0.2, 0};
  for (int i = 0; i < STEPS; ++i) {
    const double t = i * h;
    const swing a = swing_rate(t, s), b = swing_rate(t + h / 2, ahead(s, h / 2, a));
    const swing c = swing_rate(t + h / 2, ahead(s, h / 2, b)),
                d = swing_rate(t + h, ahead(s, h, c));
    s.angle += h / 6 * (a.angle + 2 * b.angle + 2 * c.angle + d.angle);
    s.rate += h / 6 * (a.rate + 2 * b.rate + 2 * c.rate + d.rate);
  }
  const double length = 4 - 0.8 - 0.1 * sin(4), travel = 0.3 * (1 - cos(4.8));
  return (v3){travel + length * sin(s.angle), 2, 6.15 - length * cos(s.angle)};
}

static void hoist_moves_as_its_equation_has_it(void **state) {
  (void)state;
  static const char *const steps[] = {"simulation.step=0.02", "simulation.step=0.01",
                                      "simulation.step=0.005"};
  static const char *const groups[] = {"group=R3xSO3", "group=SE3"};
  const v3 exact = hoist_solution();
  for (int g = 0; g < 2; ++g) {
    double error[3];
    for (int i = 0; i < 3; ++i) {
      const char *const set[] = {steps[i], groups[g], NULL};
      error[i] = v3_norm(v3_sub(v3_load(run(hoist, set, -1) + 1), exact));
    }
    print_message("  hoist, %s: errors %.3g, %.3g, %.3g m\n", groups[g], error[0], error[1],
                  error[2]);
    CHECK_GE(log2(error[0] / error[1]), 1.9); /* a method of order 2 */
    CHECK_GE(log2(error[1] / error[2]), 1.9);
    CHECK_LE(error[2], 1e-4);
  }
}

/* ---- the same scene without assemblies ------------------------------------------------------- */

/* Arms of three hinges, two by two on turned frames in each other. */
static const char nested[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"parameters\": {\"k\": 3}, \"models\": {"
    "\"arm\": {\"parameters\": {\"L\": 0.4, \"m\": \"2*L\", \"q\": 0.2}, \"bodies\": [{\"name\": "
    "\"link${i}\", \"repeat\": \"k\", \"type\": \"rigid_body\", \"mass\": \"m\", \"inertia\": "
    "[0.01, \"m*L^2/3\", \"m*L^2/3\"], \"center_of_mass\": [\"L/2\", 0, 0], \"markers\": {\"tip\": "
    "{\"position\": [\"L\", 0, 0]}}}], \"joints\": [{\"name\": \"root\", \"type\": \"revolute\", "
    "\"axis\": [0, 1, 0], \"a\": \"ground\", \"b\": \"link0\", \"start\": {\"angle\": \"q\", "
    "\"rate\": 1}}, {\"name\": \"joint${i}\", \"repeat\": \"k - 1\", \"type\": \"revolute\", "
    "\"axis\": [0, 1, 0], \"a\": \"link${i}.tip\", \"b\": \"link${i + 1}\", \"start\": {\"angle\": "
    "\"q*(i + 1)\"}}], \"forces\": [{\"name\": \"spring\", \"type\": \"coordinate_force\", "
    "\"coordinate\": \"root.angle\", \"effort\": \"-m*root.angle - 0.1*joint0.rate\"}]}, "
    "\"pair\": {\"parameters\": {\"d\": 1}, \"assemblies\": [{\"name\": \"side${i}\", \"repeat\": "
    "2, \"model\": \"arm\", \"parameters\": {\"L\": \"0.3 + 0.1*i*d\"}, \"position\": [0, "
    "\"i*d\", 0], \"orientation\": {\"rotation_vector\": [0, 0, \"0.5*i\"]}}]}}, "
    "\"assemblies\": [{\"name\": \"p\", \"model\": \"pair\", \"position\": [1, 0, 2], "
    "\"orientation\": {\"euler\": \"zyx\", \"angles\": [0.3, 0.1, -0.2]}}, {\"name\": \"q\", "
    "\"model\": \"pair\", \"parameters\": {\"d\": 2}, \"in\": \"p\", \"position\": [0, 0, 3]}], "
    "\"simulation\": {\"step\": 0.005, \"duration\": 0.5}, \"output\": {\"signals\": "
    "[\"p_side0_link2.position\", \"p_side1_link2.position\", \"q_side0_link2.position\", "
    "\"q_side1_link2.position\", \"q_side1_joint1.angle\", \"energy.total\"]}}";

static void write_arm(char *out, size_t size, const char *name, se3 frame, double length) {
  const double m = 2 * length, J = m * length * length / 3;
  size_t used = 0;
  for (int i = 0; i < 3; ++i)
    used += (size_t)snprintf(
        out + used, size - used,
        "{\"name\": \"%s_link%d\", \"type\": \"rigid_body\", \"mass\": %.17g, \"inertia\": [0.01, "
        "%.17g, %.17g], \"center_of_mass\": [%.17g, 0, 0], \"markers\": {\"tip\": {\"position\": "
        "[%.17g, 0, 0]}}}%s",
        name, i, m, J, J, length / 2, length, i < 2 ? ", " : "|");
  used += (size_t)snprintf(
      out + used, size - used,
      "{\"name\": \"%s_root\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": {\"body\": "
      "\"ground\", \"position\": [%.17g, %.17g, %.17g], \"orientation\": {\"quaternion\": [%.17g, "
      "%.17g, %.17g, %.17g]}}, \"b\": \"%s_link0\", \"start\": {\"angle\": 0.2, \"rate\": 1}}",
      name, frame.x.x, frame.x.y, frame.x.z, frame.R.w, frame.R.x, frame.R.y, frame.R.z, name);
  for (int i = 0; i < 2; ++i)
    used +=
        (size_t)snprintf(out + used, size - used,
                         ", {\"name\": \"%s_joint%d\", \"type\": \"revolute\", \"axis\": [0, 1, "
                         "0], \"a\": \"%s_link%d.tip\", \"b\": \"%s_link%d\", \"start\": "
                         "{\"angle\": %.17g}}",
                         name, i, name, i, name, i + 1, 0.2 * (i + 1));
  snprintf(out + used, size - used,
           "|{\"name\": \"%s_spring\", \"type\": \"coordinate_force\", \"coordinate\": "
           "\"%s_root.angle\", \"effort\": \"-%.17g*%s_root.angle - 0.1*%s_joint0.rate\"}",
           name, name, m, name, name);
}

/* The flat scene: the four arms one after the other. */
static void write_flat(char *out, size_t size) {
  static const char *const names[] = {"p_side0", "p_side1", "q_side0", "q_side1"};
  char part[4][4000], *cut[4][3];
  const so3 turn = so3_compose(so3_exp((v3){0, 0, 0.3}),
                               so3_compose(so3_exp((v3){0, 0.1, 0}), so3_exp((v3){-0.2, 0, 0})));
  const se3 p = {turn, {1, 0, 2}}, up = {so3_identity(), {0, 0, 3}};
  for (int i = 0; i < 4; ++i) {
    const double d = i < 2 ? 1 : 2, side = i % 2;
    const se3 own = {so3_exp((v3){0, 0, 0.5 * side}), {0, side * d, 0}};
    const se3 base = i < 2 ? p : se3_compose(p, up);
    write_arm(part[i], sizeof part[i], names[i], se3_compose(base, own), 0.3 + 0.1 * side * d);
    char *rest = part[i];
    for (int k = 0; k < 3; ++k) cut[i][k] = strsep(&rest, "|");
  }
  static const char *const lists[] = {"bodies", "joints", "forces"};
  size_t used = (size_t)snprintf(out, size, "{\"torsor\": 1, \"gravity\": [0, 0, -9.81]");
  for (int k = 0; k < 3; ++k)
    used += (size_t)snprintf(out + used, size - used, ", \"%s\": [%s, %s, %s, %s]", lists[k],
                             cut[0][k], cut[1][k], cut[2][k], cut[3][k]);
  snprintf(out + used, size - used, "%s", strstr(nested, ", \"simulation\""));
}

static void assemblies_are_the_flat_scene(void **state) {
  (void)state;
  static const char *const groups[] = {"group=R3xSO3", "group=SE3"};
  static char flat[20000];
  double expected[20];
  write_flat(flat, sizeof flat);
  for (int g = 0; g < 2; ++g) {
    const char *const set[] = {groups[g], NULL};
    const double *row = run(flat, set, -1);
    memcpy(expected, row, 15 * sizeof *row);
    row = run(nested, set, -1);
    double worst = 0;
    for (int i = 0; i < 15; ++i) worst = fmax(worst, fabs(row[i] - expected[i]));
    /* 100 steps whose corrections end at 1e-12 of numbers up to 40 */
    check_report("assemblies against the flat scene", worst, 1e-9);
    CHECK_LE(worst, 1e-9);
  }
}

/* Velocities of a model are in its axes, as its positions are; beams and spheres stand in moved
 * assemblies as well. */
static void velocities_turn_with_the_assembly(void **state) {
  (void)state;
  static const char text[] =
      "{\"torsor\": 1, \"models\": {\"m\": {\"bodies\": [{\"name\": \"ball\", \"type\": "
      "\"point_mass\", \"mass\": 1, \"position\": [1, 0, 0], \"velocity\": [0, 2, 0]}, {\"name\": "
      "\"top\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1], \"velocity\": [1, "
      "0, "
      "0], \"angular_velocity\": {\"in\": \"inertial\", \"value\": [3, 0, 0]}}, {\"name\": "
      "\"bar\", "
      "\"type\": \"beam\", \"length\": 1, \"elements\": 2, \"section\": {\"shape\": \"circle\", "
      "\"radius\": 0.1, \"E\": 1e9, \"nu\": 0.3, \"density\": 1e3}}]}}, \"assemblies\": "
      "[{\"name\": \"a\", \"model\": \"m\", \"position\": [0, 0, 5], \"orientation\": "
      "{\"rotation_vector\": [0, 0, \"pi/2\"]}}], \"output\": {\"signals\": [\"a_ball.position\", "
      "\"a_ball.velocity\", \"a_top.velocity\", \"a_top.angular_velocity\", "
      "\"a_bar.end.position\"]}}";
  static const double expected[] = {0, 1, 5, -2, 0, 0, 0, 1, 0, 3, 0, 0, 0, 1, 5};
  const double *row = run(text, NULL, 0);
  for (int i = 0; i < 15; ++i) CHECK_NEAR(row[1 + i], expected[i], 16 * CHECK_EPS);
}

/* ---- time ------------------------------------------------------------------------------------ */

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double time_of(const char *text, int *bodies) {
  double best = 1e9;
  torsor_error error = {0};
  support_trace_release(&trace);
  support_close(&world);
  for (int i = 0; i < 5; ++i) {
    const double start = seconds();
    if (support_open(&world, text, NULL, &error)) fail_msg("%s: %s", error.path, error.message);
    best = fmin(best, seconds() - start);
    *bodies = torsor_model_count(world.model).bodies;
    support_close(&world);
  }
  return best;
}

enum { ARMS = 100, LINKS = 10 };

/* A hundred arms of ten links, with numbers where the model has its parameters. */
static size_t write_links(char *out, size_t size, const char *prefix, int arm, bool model) {
  size_t used = 0;
  for (int i = 0; i < LINKS; ++i) {
    char at[40];
    if (model)
      snprintf(at, sizeof at, "\"%d*L\"", i);
    else
      snprintf(at, sizeof at, "%.1f", 0.1 * i + 2.0 * arm);
    used += (size_t)snprintf(out + used, size - used,
                             "%s{\"name\": \"%slink%d\", \"type\": \"rigid_body\", \"mass\": %s, "
                             "\"inertia\": [0.001, 0.002, 0.002], \"position\": [%s, 0, 0]}",
                             i || arm ? ", " : "", prefix, i, model ? "\"m\"" : "0.5", at);
  }
  return used;
}

static size_t write_hinges(char *out, size_t size, const char *prefix, int arm, bool model) {
  size_t used = 0;
  for (int i = 1; i < LINKS; ++i)
    used += (size_t)snprintf(out + used, size - used,
                             "%s{\"name\": \"%shinge%d\", \"type\": \"revolute\", \"axis\": [0, 1, "
                             "0], \"a\": {\"body\": \"%slink%d\", \"position\": [%s, 0, 0]}, "
                             "\"b\": \"%slink%d\"}",
                             i > 1 || arm ? ", " : "", prefix, i, prefix, i - 1,
                             model ? "\"L\"" : "0.1", prefix, i);
  return used;
}

static void loading_takes_as_long_as_the_flat_scene(void **state) {
  (void)state;
  enum { ROOM = 1 << 20 };
  char *flat = malloc(ROOM), *assembled = malloc(ROOM);
  size_t used = (size_t)snprintf(flat, ROOM, "{\"torsor\": 1, \"bodies\": [");
  char prefix[20];
  for (int arm = 0; arm < ARMS; ++arm) {
    snprintf(prefix, sizeof prefix, "arm%d_", arm);
    used += write_links(flat + used, ROOM - used, prefix, arm, false);
  }
  used += (size_t)snprintf(flat + used, ROOM - used, "], \"joints\": [");
  for (int arm = 0; arm < ARMS; ++arm) {
    snprintf(prefix, sizeof prefix, "arm%d_", arm);
    used += write_hinges(flat + used, ROOM - used, prefix, arm, false);
  }
  snprintf(flat + used, ROOM - used, "]}");
  used = (size_t)snprintf(assembled, ROOM,
                          "{\"torsor\": 1, \"models\": {\"arm\": {\"parameters\": {\"L\": 0.1, "
                          "\"m\": 0.4}, \"bodies\": [");
  used += write_links(assembled + used, ROOM - used, "", 0, true);
  used += (size_t)snprintf(assembled + used, ROOM - used, "], \"joints\": [");
  used += write_hinges(assembled + used, ROOM - used, "", 0, true);
  used += (size_t)snprintf(assembled + used, ROOM - used, "]}}, \"assemblies\": [");
  for (int arm = 0; arm < ARMS; ++arm)
    used += (size_t)snprintf(assembled + used, ROOM - used,
                             "%s{\"name\": \"arm%d\", \"model\": \"arm\", \"parameters\": {\"m\": "
                             "0.5}, \"position\": [%d, 0, 0]}",
                             arm ? ", " : "", arm, 2 * arm);
  snprintf(assembled + used, ROOM - used, "]}");
  int bodies[2];
  const double first = time_of(flat, &bodies[0]), second = time_of(assembled, &bodies[1]);
  print_message("  %d bodies: flat %.2f ms, of assemblies %.2f ms, ratio %.2f\n", bodies[1],
                1e3 * first, 1e3 * second, second / first);
  CHECK_INT(bodies[0], ARMS * LINKS);
  CHECK_INT(bodies[1], ARMS * LINKS);
  CHECK_LE(second / first, 3); /* 1.3 is asked for; a shared machine is three times as noisy */
  free(flat);
  free(assembled);
}

/* ---- wrong use ------------------------------------------------------------------------------- */

typedef struct wrong {
  const char *model, *assembly, *path, *message, *hint;
} wrong;

#define BALL "\"bodies\": [{\"name\": \"ball\", \"type\": \"point_mass\", \"mass\": \"m\"}]"
#define GOOD "\"parameters\": {\"m\": 1}, " BALL

static const wrong cases[] = {
    {GOOD, "\"name\": \"a\", \"model\": \"mm\"", "assemblies[0].model", "there is no model \"mm\"",
     "did you mean \"m\"?"},
    {GOOD, "\"name\": \"a\"", "assemblies[0].model", "is missing", ""},
    {GOOD, "\"model\": \"m\"", "assemblies[0].name", "is missing", ""},
    {GOOD, "\"name\": \"a b\", \"model\": \"m\"", "assemblies[0].name", "cannot be a name", ""},
    {GOOD, "\"name\": \"a\", \"model\": \"m\", \"parameters\": {\"mas\": 1}",
     "assemblies[0].parameters.mas", "model \"m\" has no parameter \"mas\"", ""},
    {GOOD, "\"name\": \"a\", \"model\": \"m\", \"parameters\": 3", "assemblies[0].parameters",
     "must be the parameters", ""},
    {GOOD, "\"name\": \"a\", \"model\": \"m\", \"parameters\": {\"m\": -1}", "bodies[0].mass",
     "must be greater than 0, but is -1 (\"m\") (in a)", ""},
    {GOOD, "\"name\": \"a\", \"model\": \"m\", \"pos\": [0, 0, 0]", "assemblies[0].pos",
     "unknown key \"pos\" in an assembly", ""},
    {GOOD, "\"name\": \"a\", \"model\": \"m\", \"in\": \"b\"", "assemblies[0].in",
     "there is no body or marker \"b\"", ""},
    {GOOD, "\"name\": \"a\", \"model\": \"m\", \"in\": \"a_ball\"", "", "is placed by itself", ""},
    {GOOD, "\"name\": \"a\", \"model\": \"m\", \"with\": {\"x\": \"ground\"}",
     "assemblies[0].with.x", "the ground needs no other name", ""},
    {GOOD, "\"name\": \"a\", \"model\": \"m\", \"with\": {\"x\": 3}", "assemblies[0].with.x",
     "must be a text", ""},
    {GOOD, "\"name\": \"a\", \"model\": \"m\"}, {\"name\": \"a\", \"model\": \"m\"",
     "bodies[0].name", "there are two elements called \"a_ball\"", ""},
    {GOOD, "\"name\": \"a_ball\", \"model\": \"m\"}, {\"name\": \"a\", \"model\": \"m\"",
     "bodies[0].name", "there is an assembly \"a_ball\" already", "rename"},
    {"\"parameters\": {\"m\": \"n\"}, " BALL, "\"name\": \"a\", \"model\": \"m\"",
     "models.m.parameters.m", "\"n\"", ""},
    {"\"bodys\": []", "\"name\": \"a\", \"model\": \"m\"", "models.m.bodys",
     "unknown key \"bodys\" in a model", "did you mean \"bodies\"?"},
    {"\"bodies\": {}", "\"name\": \"a\", \"model\": \"m\"", "models.m.bodies",
     "must be bodies, an array", ""},
    {GOOD ", \"assemblies\": [{\"name\": \"i\", \"model\": \"m\"}]",
     "\"name\": \"a\", \"model\": \"m\"", "models.m.assemblies[0].model",
     "in a circle: \"m\" (in a)", "cannot stand in itself"},
    {GOOD ", \"joints\": [{\"name\": \"j\", \"type\": \"distance\", \"a\": \"bal\", \"b\": "
          "\"ground\"}]",
     "\"name\": \"a\", \"model\": \"m\"", "models.m.joints[0].a", "there is no body \"bal\" (in a)",
     ""},
    {GOOD ", \"joints\": [{\"name\": \"j\", \"type\": \"distance\", \"a\": \"mount\", \"b\": "
          "\"ball\"}]",
     "\"name\": \"a\", \"model\": \"m\", \"with\": {\"mount\": \"wall\"}", "models.m.joints[0].a",
     "there is no body \"wall\"", ""},
    {"\"parameters\": {\"m\": 1}, \"bodies\": [{\"name\": \"w\", \"type\": \"beam\", \"end\": [1, "
     "0, 0], \"elements\": 2, \"section\": {\"shape\": \"circle\", \"radius\": 0.1, \"E\": 1e9, "
     "\"nu\": 0.3, \"density\": 1e3}}]",
     "\"name\": \"a\", \"model\": \"m\", \"position\": [1, 0, 0]", "models.m.bodies[0].end",
     "stands in an assembly that is moved", "use \"length\""},
    {GOOD,
     "\"name\": \"a${i}\", \"repeat\": 3, \"model\": \"m\", \"parameters\": {\"m\": \"1 - "
     "i\"}",
     "models.m.bodies[0].mass", "but is 0 (\"m\") (in a1)", ""},
    {GOOD,
     "\"name\": \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\", "
     "\"model\": \"m\"",
     "bodies[0].name", "a name has 1 to 63 characters", ""},
};

static void wrong_uses_are_answered(void **state) {
  (void)state;
  torsor_registry *registry = torsor_registry_create(NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    const wrong *c = &cases[i];
    char text[2000];
    torsor_scene *scene = NULL;
    torsor_model *model = NULL;
    torsor_error error = {0};
    snprintf(text, sizeof text,
             "{\"torsor\": 1, \"models\": {\"m\": {%s}}, \"assemblies\": [{%s}]}", c->model,
             c->assembly);
    torsor_status status =
        torsor_scene_parse(&scene, text, strlen(text), "w", registry, NULL, 0, &error);
    if (!status) status = torsor_scene_model(&model, scene, &error);
    if (status != TORSOR_SCENE || !strstr(error.path, c->path) || !error.line ||
        !strstr(error.message, c->message) || !strstr(error.hint, c->hint))
      fail_msg("case %zu: %s: %s (%s)", i, error.path, error.message, error.hint);
    torsor_model_destroy(model);
    torsor_scene_destroy(scene);
  }
  torsor_registry_destroy(registry);
}

/* ---- files ----------------------------------------------------------------------------------- */

static char folder[] = "/tmp/torsor-assemblies-XXXXXX";

static void write_file(const char *name, const char *text) {
  char path[200];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *out = fopen(path, "w");
  if (!out) fail_msg("%s cannot be written", path);
  fputs(text, out);
  fclose(out);
}

static torsor_status open_file(const char *name, torsor_error *error, int *bodies) {
  char path[200];
  torsor_registry *registry = torsor_registry_create(NULL);
  torsor_scene *scene = NULL;
  torsor_model *model = NULL;
  snprintf(path, sizeof path, "%s/%s", folder, name);
  *error = (torsor_error){0};
  torsor_status status = torsor_scene_load(&scene, path, registry, NULL, 0, error);
  if (!status) status = torsor_scene_model(&model, scene, error);
  *bodies = status ? 0 : torsor_model_count(model).bodies;
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  torsor_registry_destroy(registry);
  return status;
}

static void models_stand_in_files(void **state) {
  (void)state;
  torsor_error error;
  int bodies;
  if (!mkdtemp(folder)) fail_msg("no folder");
  write_file("ball.json", "{\"torsor\": 1, " GOOD "}");
  write_file("lib.json", "{\"torsor\": 1, \"models\": {\"ball\": \"ball.json\"}}");
  write_file("two.json", "{\"torsor\": 1, \"include\": [\"lib.json\"], \"assemblies\": [{\"name\": "
                         "\"a${i}\", \"repeat\": 2, \"model\": \"ball\"}]}");
  CHECK_INT(open_file("two.json", &error, &bodies), TORSOR_OK);
  CHECK_INT(bodies, 2);
  write_file("ball.json", "{\"torsor\": 1, \"parameters\": {\"m\": 1},\n \"bodies\": [{\"name\": "
                          "\"ball\",\n  \"type\": \"point_mas\", \"mass\": 1}]}");
  CHECK_INT(open_file("two.json", &error, &bodies), TORSOR_SCENE);
  if (!strstr(error.file, "/ball.json")) fail_msg("%s", error.file);
  CHECK_STR(error.path, "bodies[0].type");
  CHECK_INT(error.line, 3);
  write_file("ball.json", "{\"torsor\": 1, \"gravity\": [0, 0, 0]}");
  CHECK_INT(open_file("two.json", &error, &bodies), TORSOR_SCENE);
  if (!strstr(error.message, "unknown key \"gravity\" in the file of a model"))
    fail_msg("%s", error.message);
  write_file("lib.json", "{\"torsor\": 1, \"models\": {\"ball\": \"none.json\"}}");
  CHECK_INT(open_file("two.json", &error, &bodies), TORSOR_SCENE);
  if (!strstr(error.file, "/lib.json")) fail_msg("%s", error.file);
  CHECK_STR(error.path, "models.ball");
  static const char *const names[] = {"ball.json", "lib.json", "two.json"};
  for (int i = 0; i < 3; ++i) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    remove(path);
  }
  rmdir(folder);
}

static int release(void **state) {
  (void)state;
  support_trace_release(&trace);
  support_close(&world);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hoist_moves_as_its_equation_has_it),
      cmocka_unit_test(assemblies_are_the_flat_scene),
      cmocka_unit_test(velocities_turn_with_the_assembly),
      cmocka_unit_test(loading_takes_as_long_as_the_flat_scene),
      cmocka_unit_test(wrong_uses_are_answered),
      cmocka_unit_test(models_stand_in_files),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}
