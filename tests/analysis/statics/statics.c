/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "check.h"

#include "equilibria.h"

/** Equilibria against closed forms, and what is said where there are none. */

/* Newton stops when a correction is below 1e-10 of the model's size; the next one would be its
 * square. What is left is round-off of some ten operations on numbers of size 1. */
#define ROUND (64 * CHECK_EPS)

/* ---- closed forms ------------------------------------------------------------------------ */

static const char hanging[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"m\", \"type\": "
    "\"point_mass\", \"mass\": 2, \"position\": [0, 0, -1]}], \"forces\": [{\"name\": \"s\", "
    "\"type\": \"spring_damper\", \"a\": \"ground\", \"b\": \"m\", \"stiffness\": 100, "
    "\"damping\": 5, \"length\": 1}], \"statics\": {\"steps\": 4}, \"output\": {\"signals\": "
    "[\"m.position\", \"load.factor\"]}}";

/* Stretch m g load/k in every row.  The stretch of 0.2 is a difference of numbers of size 1. */
static void mass_on_a_spring(void **state) {
  (void)state;
  equilibria o = {0};
  equilibria_end(&o, hanging, NULL);
  CHECK_INT(o.rows, 5);
  double worst = 0;
  for (int i = 0; i < o.rows; ++i) {
    const double load = i / 4.0;
    CHECK_NEAR(o.row[i][0], load, CHECK_EPS);
    CHECK_NEAR(o.row[i][4], load, CHECK_EPS);
    worst = check_max(worst, fabs(o.row[i][3] + 1 + 2 * 9.81 * load / 100));
    worst = check_max(worst, hypot(o.row[i][1], o.row[i][2]));
  }
  check_report("stretch of a spring, m", worst, ROUND);
  CHECK_LE(worst, ROUND);
  CHECK_CONTAINS(o.warnings, "the scene is unconstrained where it begins");
  CHECK_INT(o.summary.tangent_sign, 1);
}

/* A bar on a hinge with a torsion spring, its weight at its end: k angle = m g L cos(angle). */
#define BAR(more)                                                                                  \
  "{\"torsor\": 1, \"parameters\": {\"k\": 30}, \"gravity\": [0, 0, -9.81], \"bodies\": [{"        \
  "\"name\": \"bar\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.01, 0.02, 0.02], "    \
  "\"position\": [1, 0, 0]}], \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", "         \
  "\"axis\": [0, 1, 0], \"a\": \"ground\", \"b\": {\"body\": \"bar\", \"position\": [-1, 0, "      \
  "0]}}" more                                                                                      \
  "], \"output\": {\"signals\": [\"hinge.angle\", \"hinge.force\", \"bar.position\"]}, "
#define SPRING                                                                                     \
  "\"forces\": [{\"name\": \"spring\", \"type\": \"coordinate_spring\", \"coordinate\": "          \
  "\"hinge.angle\", \"stiffness\": \"k\"}], "

static double bar_angle(double k, double weight) {
  double low = 0, high = acos(0.0);
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    if (k * middle < weight * cos(middle))
      low = middle;
    else
      high = middle;
  }
  return low;
}

static void bar_on_a_torsion_spring(void **state) {
  (void)state;
  equilibria o = {0};
  const char *const on_se3[] = {"group=SE3", NULL};
  for (int group = 0; group < 2; ++group) {
    equilibria_end(&o, BAR("") SPRING "\"statics\": {\"steps\": 5}}", group ? on_se3 : NULL);
    double worst = 0;
    for (int i = 0; i < o.rows; ++i)
      worst = check_max(worst, fabs(o.row[i][1] - bar_angle(30, 2 * 9.81 * i / 5)));
    check_report("angle of a bar, rad", worst, ROUND);
    CHECK_LE(worst, ROUND);
    CHECK_NEAR(o.row[5][4], 2 * 9.81, 2 * 9.81 * ROUND);
  }
}

/* Each correction is at most C times the square of the one before: sizes fall by squares until
 * round-off, from one load to the next in a single step. */
static void newton_is_quadratic(void **state) {
  (void)state;
  equilibria o = {0};
  equilibria_end(&o, BAR("") SPRING "\"statics\": {\"steps\": 1}}", NULL);
  CHECK_INT(o.summary.counters.steps, 1);
  CHECK_GE(o.sizes, 4);
  for (int i = 0; i < o.sizes; ++i) print_message("  correction %d: %.3g\n", i + 1, o.size[i]);
  for (int i = 2; i < o.sizes; ++i) {
    if (o.size[i] < 1e-12) break;
    const double order = log(o.size[i] / o.size[i - 1]) / log(o.size[i - 1] / o.size[i - 2]);
    check_report("order of Newton's corrections", order, 1.7);
    if (i >= 3) CHECK_GE(order, 1.7); /* 2 in the limit, where the ratio of sizes is small */
  }
}

/* A hinge that is led by the load: the scene says itself what grows, and the weight counts in
 * full. */
static void drive_by_the_load(void **state) {
  (void)state;
  equilibria o = {0};
  const char text[] =
      BAR(", {\"name\": \"motor\", \"type\": \"drive\", \"coordinate\": "
          "\"hinge.angle\", \"motion\": \"200 deg*load\"}") "\"statics\": {\"steps\": 8}}";
  equilibria_end(&o, text, NULL);
  const double end = 200 * acos(-1.0) / 180;
  for (int i = 0; i < o.rows; ++i) {
    CHECK_NEAR(o.row[i][1], end * i / 8, ROUND);
    CHECK_NEAR(o.row[i][4], 2 * 9.81, 2 * 9.81 * ROUND);
    CHECK_NEAR(o.row[i][7], -sin(end * i / 8), ROUND);
  }
  const char *const all[] = {"statics.loads=all", NULL};
  equilibria_end(&o, text, all);
  for (int i = 0; i < o.rows; ++i) CHECK_NEAR(o.row[i][4], 2 * 9.81 * i / 8, 2 * 9.81 * ROUND);
  const char *const turns[] = {"joints.motor.motion=1000 deg*load", "statics.steps=1", NULL};
  equilibria_end(&o, text, turns);
  CHECK_NEAR(o.row[1][1], 1000 * acos(-1.0) / 180, 1000 * ROUND);
}

/* Two bars in a row, a force that stays across the second: P L = k2 angle2 and P L (1 + cos angle2)
 * = k1 angle1.  A force that turns with its body makes the tangent unsymmetric. */
static void force_that_follows(void **state) {
  (void)state;
  equilibria o = {0};
  equilibria_end(
      &o,
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"rigid_body\", \"mass\": 1, "
      "\"inertia\": [1, 1, 1], \"position\": [0.5, 0, 0]}, {\"name\": \"b\", \"type\": "
      "\"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [1.5, 0, 0]}], "
      "\"joints\": [{\"name\": \"A\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": {"
      "\"body\": \"a\", \"position\": [-0.5, 0, 0]}}, {\"name\": \"B\", \"type\": "
      "\"revolute\", \"a\": {\"body\": \"a\", \"position\": [0.5, 0, 0]}, \"b\": {\"body\": "
      "\"b\", \"position\": [-0.5, 0, 0]}}], \"forces\": [{\"name\": \"ka\", \"type\": "
      "\"coordinate_spring\", \"coordinate\": \"A.angle\", \"stiffness\": 20}, {\"name\": "
      "\"kb\", \"type\": \"coordinate_spring\", \"coordinate\": \"B.angle\", \"stiffness\": "
      "10}, {\"name\": \"P\", \"type\": \"force\", \"at\": {\"body\": \"b\", \"position\": "
      "[0.5, 0, 0]}, \"force\": [0, 12, 0], \"axes\": \"body\"}], \"statics\": {\"steps\": "
      "6}, \"output\": {\"signals\": [\"A.angle\", \"B.angle\"]}}",
      NULL);
  double worst = 0;
  for (int i = 0; i < o.rows; ++i) {
    const double P = 2.0 * i, second = P / 10;
    worst = check_max(worst, fabs(o.row[i][2] - second));
    worst = check_max(worst, fabs(o.row[i][1] - P * (1 + cos(second)) / 20));
  }
  check_report("angles under a follower force, rad", worst, ROUND);
  CHECK_LE(worst, ROUND);
}

/* ---- balances evaluated here ------------------------------------------------------------- */

/* A plate on three springs, pulled at a corner: forces and moments of the springs, found here from
 * position and rotation, and those of weight and pull sum up to zero. */
static void plate_on_three_springs(void **state) {
  (void)state;
  equilibria o = {0};
  const double *row = equilibria_end(
      &o,
      "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"plate\", \"type\": "
      "\"rigid_body\", \"mass\": 5, \"inertia\": [1, 1, 1], \"center_of_mass\": [0.1, 0.05, 0]}], "
      "\"forces\": [{\"name\": \"s0\", \"type\": \"spring_damper\", \"a\": {\"body\": \"ground\", "
      "\"position\": [1.5, 0.2, 1]}, \"b\": {\"body\": \"plate\", \"position\": [1, 0, 0]}, "
      "\"stiffness\": 100, \"length\": 0.9}, {\"name\": \"s1\", \"type\": \"spring_damper\", "
      "\"a\": {\"body\": \"ground\", \"position\": [-0.8, 1, 1]}, \"b\": {\"body\": \"plate\", "
      "\"position\": [-0.5, 0.8, 0]}, \"stiffness\": 100, \"length\": 0.9}, {\"name\": \"s2\", "
      "\"type\": \"spring_damper\", \"a\": {\"body\": \"ground\", \"position\": [-0.8, -1, 1]}, "
      "\"b\": {\"body\": \"plate\", \"position\": [-0.5, -0.8, 0]}, \"stiffness\": 100, "
      "\"length\": 0.9}, {\"name\": \"pull\", \"type\": \"force\", \"at\": {\"body\": \"plate\", "
      "\"position\": [1, 0, 0]}, \"force\": [0, 8, 3]}], \"statics\": {\"steps\": 3}, \"output\": "
      "{\"signals\": [\"plate.position\", \"plate.quaternion\"]}}",
      NULL);
  static const double ground[3][3] = {{1.5, 0.2, 1}, {-0.8, 1, 1}, {-0.8, -1, 1}};
  static const double corner[3][3] = {{1, 0, 0}, {-0.5, 0.8, 0}, {-0.5, -0.8, 0}};
  const v3 x = v3_load(row + 1);
  const so3 R = {row[4], row[5], row[6], row[7]};
  const v3 c = so3_rotate(R, (v3){0.1, 0.05, 0}), weight = {0, 0, -5 * 9.81}, pull = {0, 8, 3};
  v3 force = v3_add(weight, pull);
  v3 moment = v3_add(v3_cross(c, weight), v3_cross(so3_rotate(R, (v3){1, 0, 0}), pull));
  for (int i = 0; i < 3; ++i) {
    const v3 arm = so3_rotate(R, v3_load(corner[i]));
    const v3 d = v3_sub(v3_load(ground[i]), v3_add(x, arm));
    const v3 f = v3_scale(d, 100 * (v3_norm(d) - 0.9) / v3_norm(d));
    force = v3_add(force, f);
    moment = v3_add(moment, v3_cross(arm, f));
  }
  /* stiffnesses of 100 N/m times round-off of lengths of 1 m */
  check_report("force left, N", v3_norm(force), 100 * ROUND);
  check_report("moment left, N m", v3_norm(moment), 100 * ROUND);
  CHECK_LE(v3_norm(force), 100 * ROUND);
  CHECK_LE(v3_norm(moment), 100 * ROUND);
  CHECK_GE(v3_norm(so3_log(R)), 0.05); /* it has turned: the test means something */
}

/* A bushing with a full matrix: A^T K y is the wrench on the body, with y from the signals. */
static void bushing_with_coupling(void **state) {
  (void)state;
  equilibria o = {0};
  static const double K[6][6] = {{300, 20, 0, 0, 30, 10}, {20, 200, 10, -20, 0, 5},
                                 {0, 10, 500, 10, 20, 0}, {0, -20, 10, 30, 2, 0},
                                 {30, 0, 20, 2, 40, 3},   {10, 5, 0, 0, 3, 50}};
  const double *row = equilibria_end(
      &o,
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"engine\", \"type\": \"rigid_body\", \"mass\": 2, "
      "\"inertia\": [0.1, 0.2, 0.3]}], \"forces\": [{\"name\": \"mount\", \"type\": \"bushing\", "
      "\"a\": \"ground\", \"b\": \"engine\", \"stiffness_matrix\": [[300, 20, 0, 0, 30, 10], [20, "
      "200, 10, -20, 0, 5], [0, 10, 500, 10, 20, 0], [0, -20, 10, 30, 2, 0], [30, 0, 20, 2, 40, "
      "3], [10, 5, 0, 0, 3, 50]]}, {\"name\": \"load\", \"type\": \"force\", \"at\": \"engine\", "
      "\"force\": [20, -30, 40], \"moment\": [10, 25, -15]}], \"statics\": {\"steps\": 2}, "
      "\"output\": {\"signals\": [\"engine.position\", \"engine.rotation_vector\"]}}",
      NULL);
  const v3 psi = v3_load(row + 4);
  double f[6] = {0};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) f[i] += K[i][j] * row[1 + j];
  const so3 R = so3_exp(psi);
  const v3 moment = m3_tmulv(so3_taninv(psi), v3_load(f + 3));
  const v3 given = so3_rotate_inverse(R, (v3){10, 25, -15});
  const double off =
      check_max(v3_norm(v3_sub(v3_load(f), (v3){20, -30, 40})), v3_norm(v3_sub(moment, given)));
  check_report("wrench of a bushing, N and N m", off, 500 * ROUND);
  CHECK_LE(off, 500 * ROUND);
  CHECK_GE(v3_norm(psi), 0.3);
}

/* A slider-crank with a torsion spring at the crank and a force on the slider.  With x(angle) = r
 * cos + sqrt(l^2 - r^2 sin^2): k (angle - angle0) = F dx/dangle and the weights at the middles. */
static double crank_moment(double angle) {
  const double r = 0.4, l = 1, k = 40, F = -25, m = 3, g = 9.81, start = 0.7;
  const double s = sin(angle), c = cos(angle), root = sqrt(l * l - r * r * s * s);
  const double slope = -r * s - r * r * s * c / root;
  /* crank's middle at r/2 sin, the rod's at r/2 sin too */
  return -k * (angle - start) + F * slope - 2 * m * g * r / 2 * c;
}

static void slider_crank(void **state) {
  (void)state;
  equilibria o = {0};
  const double *row = equilibria_end(
      &o,
      "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"parameters\": {\"r\": 0.4, \"p\": 0.7, "
      "\"q\": \"asin(r*sin(p))\"}, \"bodies\": [{\"name\": \"crank\", \"type\": \"rigid_body\", "
      "\"mass\": 3, \"inertia\": [0.1, 0.1, 0.1], \"position\": [\"r/2*cos(p)\", 0, "
      "\"r/2*sin(p)\"], \"orientation\": {\"rotation_vector\": [0, \"-p\", 0]}}, {\"name\": "
      "\"rod\", \"type\": \"rigid_body\", \"mass\": 3, \"inertia\": [0.1, 0.1, 0.1], \"position\": "
      "[\"r*cos(p) + cos(q)/2\", 0, \"r*sin(p)/2\"], \"orientation\": {\"rotation_vector\": [0, "
      "\"q\", 0]}}, {\"name\": \"slider\", \"type\": \"point_mass\", \"mass\": 1, \"position\": "
      "[\"r*cos(p) + cos(q)\", 0, 0]}], \"joints\": [{\"name\": \"A\", \"type\": \"revolute\", "
      "\"axis\": [0, -1, 0], \"a\": \"ground\", \"b\": {\"body\": \"crank\", \"position\": "
      "[\"-r/2\", 0, 0]}}, {\"name\": \"B\", \"type\": \"revolute\", \"axis\": [0, -1, 0], \"a\": "
      "{\"body\": \"crank\", \"position\": [\"r/2\", 0, 0]}, \"b\": {\"body\": \"rod\", "
      "\"position\": [-0.5, 0, 0]}}, {\"name\": \"C\", \"type\": \"spherical\", \"a\": {\"body\": "
      "\"rod\", \"position\": [0.5, 0, 0]}, \"b\": \"slider\"}, {\"name\": \"D\", \"type\": "
      "\"point_on_line\", \"axis\": [1, 0, 0], \"a\": \"ground\", \"b\": \"slider\"}], \"forces\": "
      "[{\"name\": \"spring\", \"type\": \"coordinate_spring\", \"coordinate\": \"A.angle\", "
      "\"stiffness\": 40, \"rest\": \"p\"}, {\"name\": \"push\", \"type\": \"force\", \"at\": "
      "\"slider\", \"force\": [-25, 0, 0]}], \"output\": {\"signals\": [\"A.angle\", "
      "\"slider.position\"]}}",
      NULL);
  double low = -0.5, high = 1.5;
  CHECK_TRUE(crank_moment(low) > 0 && crank_moment(high) < 0);
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    if (crank_moment(middle) > 0)
      low = middle;
    else
      high = middle;
  }
  const double x = 0.4 * cos(low) + sqrt(1 - 0.16 * sin(low) * sin(low));
  check_report("angle of the crank, rad", fabs(row[1] - low), ROUND);
  CHECK_NEAR(row[1], low, ROUND);
  CHECK_NEAR(row[2], x, ROUND);
  CHECK_CONTAINS(o.warnings, "redundant"); /* a plane linkage between hinges in space */
}

/* ---- redundant and nonholonomic rows ----------------------------------------------------- */

/* A door on two hinges and a torsion spring, pushed at its edge.  The least norm shares the
 * weight. */
static void door_on_two_hinges(void **state) {
  (void)state;
  equilibria o = {0};
  const double *row = equilibria_end(
      &o,
      "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"door\", \"type\": "
      "\"rigid_body\", \"mass\": 20, \"inertia\": [2, 2, 2], \"position\": [0.5, 0, 0]}], "
      "\"joints\": [{\"name\": \"low\", \"type\": \"revolute\", \"a\": {\"body\": \"ground\", "
      "\"position\": [0, 0, -1]}, \"b\": {\"body\": \"door\", \"position\": [-0.5, 0, -1]}}, "
      "{\"name\": \"high\", \"type\": \"revolute\", \"a\": {\"body\": \"ground\", \"position\": "
      "[0, 0, 1]}, \"b\": {\"body\": \"door\", \"position\": [-0.5, 0, 1]}}], \"forces\": "
      "[{\"name\": \"spring\", \"type\": \"coordinate_spring\", \"coordinate\": \"low.angle\", "
      "\"stiffness\": 10}, {\"name\": \"push\", \"type\": \"force\", \"axes\": \"body\", \"at\": {"
      "\"body\": \"door\", \"position\": [0.5, 0, 0]}, \"force\": [0, 6, 0]}], \"output\": "
      "{\"signals\": [\"low.angle\", \"low.force\", \"high.force\"]}}",
      NULL);
  CHECK_CONTAINS(o.warnings, "5 of 10 constraint rows are redundant");
  CHECK_NEAR(row[1], 0.6, ROUND);
  CHECK_NEAR(row[4], 98.1, 98.1 * ROUND);
  CHECK_NEAR(row[7], 98.1, 98.1 * ROUND);
  /* moment of the weight about the hinges: 2 Fx 1 m = 20 g 0.5 m, less what least norm gives
   * moments */
  CHECK_NEAR(row[3] + row[6], -6 * cos(0.6), 200 * ROUND);
}

/* A ball on a slope of 20 degrees on a spring along it: m g sin = k x; it rolls as far as it
 * goes. */
static void ball_on_a_slope(void **state) {
  (void)state;
  equilibria o = {0};
  const double *row = equilibria_end(
      &o,
      "{\"torsor\": 1, \"gravity\": [\"9.81*sin(20 deg)\", 0, \"-9.81*cos(20 deg)\"], "
      "\"bodies\": [{\"name\": \"ball\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": "
      "[0.01, "
      "0.01, 0.01], \"position\": [0, 0, 0.1]}], \"joints\": [{\"name\": \"floor\", \"type\": "
      "\"rolling_sphere\", \"radius\": 0.1, \"pivoting\": false, \"a\": \"ground\", \"b\": "
      "\"ball\"}], \"forces\": [{\"name\": \"spring\", \"type\": \"bushing\", \"a\": {\"body\": "
      "\"ground\", \"position\": [0, 0, 0.1]}, \"b\": \"ball\", \"stiffness\": [50, 50, 0]}], "
      "\"output\": {\"signals\": [\"ball.position\", \"ball.rotation_vector\", "
      "\"floor.normal_force\"]}}",
      NULL);
  const double angle = acos(-1.0) / 9, x = 2 * 9.81 * sin(angle) / 50;
  CHECK_NEAR(row[1], x, ROUND);
  CHECK_NEAR(row[5], x / 0.1, 10 * ROUND);
  CHECK_NEAR(row[7], 2 * 9.81 * cos(angle), 20 * ROUND);
}

/* ---- critical points --------------------------------------------------------------------- */

static const char truss[] =
    "{\"torsor\": 1, \"parameters\": {\"h\": 0.3, \"L\": \"sqrt(1 + h^2)\"}, \"bodies\": "
    "[{\"name\": \"apex\", \"type\": \"point_mass\", \"mass\": 1, \"position\": [0, 0, \"h\"]}], "
    "\"joints\": [{\"name\": \"guide\", \"type\": \"point_on_line\", \"axis\": [0, 0, 1], \"a\": "
    "\"ground\", \"b\": \"apex\"}], \"forces\": [{\"name\": \"left\", \"type\": \"spring_damper\", "
    "\"a\": {\"body\": \"ground\", \"position\": [-1, 0, 0]}, \"b\": \"apex\", \"stiffness\": "
    "1000, \"length\": \"L\"}, {\"name\": \"right\", \"type\": \"spring_damper\", \"a\": {"
    "\"body\": \"ground\", \"position\": [1, 0, 0]}, \"b\": \"apex\", \"stiffness\": 1000, "
    "\"length\": \"L\"}, {\"name\": \"P\", \"type\": \"force\", \"at\": \"apex\", \"force\": [0, "
    "0, -20]}], \"statics\": {\"method\": \"arc_length\", \"steps\": 10, \"buckling\": 1}, "
    "\"output\": {\"signals\": [\"apex.position.z\"]}}";

/* Two bars of length l = sqrt(1 + z^2) under P = 2 k z (L/l - 1): limits where l^3 = L (von
 * Mises). */
static void truss_snaps_through(void **state) {
  (void)state;
  equilibria o = {0};
  equilibria_end(&o, truss, NULL);
  const double L = sqrt(1.09), l = cbrt(L), z = sqrt(l * l - 1);
  const double limit = 2000 * z * (L / l - 1) / 20;
  double worst = 0;
  for (int i = 0; i < o.rows; ++i) {
    const double at = o.row[i][1], length = sqrt(1 + at * at);
    worst = check_max(worst, fabs(20 * o.row[i][0] - 2000 * at * (L / length - 1)));
  }
  /* P is a difference of forces of 2000 N times lengths with a few roundings */
  check_report("balance along the path, N", worst, 2000 * 16 * CHECK_EPS);
  CHECK_LE(worst, 2000 * 16 * CHECK_EPS);
  CHECK_INT(o.summary.critical_count, 2);
  for (int i = 0; i < 2; ++i) {
    const torsor_critical_point *c = &o.summary.critical[i];
    CHECK_TRUE(c->limit);
    check_report("limit load", fabs(c->load - (i ? -limit : limit)), 2000 * 16 * CHECK_EPS / 20);
    CHECK_NEAR(c->load, i ? -limit : limit, 2000 * 16 * CHECK_EPS / 20);
  }
  CHECK_NEAR(o.row[o.rows - 1][0], 1, 0);
  CHECK_LE(o.row[o.rows - 1][1], -0.3);
  CHECK_INT(o.summary.tangent_sign, 1);
  /* at the start dP/dz = 2 k (1 - 1/L^2) falls off: linearised, P = 20 f gives z' and the change of
   * the stiffness 2 k (L/l^3 - 1) with it, -6 k z L/l^5: f = K^2/(-dK/dz 20) */
  const double K = 2000 * (1 - 1 / (L * L)), slope = 6000 * 0.3 / pow(L, 4);
  const double factor = K * K / (slope * 20);
  CHECK_INT(o.summary.buckling_count, 1);
  check_report("linearised limit", fabs(o.summary.buckling[0] / factor - 1), 1e-7);
  CHECK_NEAR(o.summary.buckling[0], factor, 1e-7 * factor); /* differences of 2^-13, squared */
}

/* Rows at critical points alone; and Newton's method ends where the load cannot grow. */
static void truss_at_its_limits(void **state) {
  (void)state;
  equilibria o = {0};
  const char *const critical[] = {"statics.rows=critical", NULL};
  equilibria_end(&o, truss, critical);
  const double L = sqrt(1.09), z = sqrt(cbrt(L) * cbrt(L) - 1);
  CHECK_INT(o.rows, 2);
  /* where the load is flat round-off moves the point by its square root */
  CHECK_NEAR(o.row[0][1], z, 1e-6);
  CHECK_NEAR(o.row[1][1], -z, 1e-6);
  CHECK_NEAR(o.row[1][0], 2, 0);
  const char *const newton[] = {"statics.method=newton", NULL};
  equilibria_find(&o, truss, newton);
  CHECK_INT(o.status, TORSOR_STEP);
  CHECK_CONTAINS(o.error.message, "no equilibrium is found beyond load 0.49749");
  CHECK_CONTAINS(o.error.hint, "arc_length");
  CHECK_INT(o.rows, 5); /* 0, 0.1 .. 0.4 are kept */
  const char *const few[] = {"statics.points=7", NULL};
  equilibria_end(&o, truss, few);
  CHECK_INT(o.summary.counters.steps, 7);
}

/* A bar that stands on a torsion spring buckles at P = k/L, and so says the linearised factor. */
static void column_buckles(void **state) {
  (void)state;
  equilibria o = {0};
  equilibria_end(
      &o,
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"bar\", \"type\": \"rigid_body\", \"mass\": "
      "1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [0, 0, 1]}], \"joints\": [{\"name\": "
      "\"foot\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": \"ground\", \"b\": {"
      "\"body\": \"bar\", \"position\": [0, 0, -1]}}], \"forces\": [{\"name\": \"spring\", "
      "\"type\": \"coordinate_spring\", \"coordinate\": \"foot.angle\", \"stiffness\": 30}, "
      "{\"name\": \"P\", \"type\": \"force\", \"at\": {\"body\": \"bar\", \"position\": [0, "
      "0, 1]}, \"force\": [0, 0, -20]}], \"statics\": {\"steps\": 3, \"buckling\": 2}, "
      "\"output\": {\"signals\": [\"foot.angle\"]}}",
      NULL);
  CHECK_INT(o.summary.critical_count, 1);
  CHECK_FALSE(o.summary.critical[0].limit);
  check_report("bifurcation", fabs(o.summary.critical[0].load - 0.75), 1e-10);
  CHECK_NEAR(o.summary.critical[0].load, 0.75, 1e-10);
  CHECK_INT(o.summary.tangent_sign, -1);
  CHECK_INT(o.summary.buckling_count, 1);
  CHECK_NEAR(o.summary.buckling[0], 0.75, 0.75e-9); /* eps/2^-13 and the part left open */
}

/* ---- what cannot be ---------------------------------------------------------------------- */

static const char cart[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81],\n \"bodies\": [\n{\"name\": \"base\", \"type\": "
    "\"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1]},\n{\"name\": \"cart\", \"type\": "
    "\"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1]}], \"joints\": [{\"name\": \"floor\", "
    "\"type\": \"weld\", \"a\": \"ground\", \"b\": \"base\"}, {\"name\": \"rail\", \"type\": "
    "\"prismatic\", \"axis\": [1, 0, 0], \"a\": \"base\", \"b\": \"cart\"}], \"forces\": "
    "[{\"name\": \"push\", \"type\": \"force\", \"at\": \"cart\", \"force\": [1, 0, 0]}], "
    "\"output\": {\"signals\": [\"rail\"]}}";

static void mechanism_is_named(void **state) {
  (void)state;
  equilibria o = {0};
  equilibria_find(&o, cart, NULL);
  CHECK_INT(o.status, TORSOR_STEP);
  CHECK_CONTAINS(o.error.message, "body \"cart\" is unconstrained");
  CHECK_CONTAINS(o.error.message, "move along [1, 0, 0]");
  CHECK_CONTAINS(o.error.message, "\"rail.travel\" is free");
  CHECK_CONTAINS(o.error.hint, "mobility");
  CHECK_INT(o.error.line, 4);
  const char *const light[] = {"gravity=[0, 0, 0]", NULL};
  equilibria_find(
      &o,
      BAR("") "\"statics\": {\"steps\": 2}, \"forces\": [{\"name\": \"spin\", \"type\": "
              "\"coordinate_force\", \"coordinate\": \"hinge.angle\", \"effort\": 100}]}",
      light);
  CHECK_INT(o.status, TORSOR_STEP);
  CHECK_CONTAINS(o.error.message, "\"hinge.angle\" is free");
}

/* A pendulum is held by its weight alone: it comes to rest below its hinge. */
static void pendulum_comes_to_rest(void **state) {
  (void)state;
  equilibria o = {0};
  const double *row = equilibria_end(&o, BAR("") "\"statics\": {\"steps\": 2}}", NULL);
  CHECK_NEAR(row[1], acos(0.0), ROUND);
  CHECK_INT(o.summary.tangent_sign, 1);
}

static void interruption_keeps_rows(void **state) {
  (void)state;
  equilibria o = {.stop_after = 2};
  equilibria_find(&o, hanging, NULL);
  CHECK_INT(o.status, TORSOR_INTERRUPTED);
  CHECK_INT(o.rows, 3);
  CHECK_NEAR(o.summary.load, 0.5, 0);
}

/* ---- dynamics that begins at rest -------------------------------------------------------- */

/* A prestressed bar: what is left of the balance, round-off of forces of 20 N and moments of 30 N m
 * over inertias of 2 kg m^2, moves it by at most 1/(2 w^2) of that at w^2 = 15/s^2; the start's
 * differences of accelerations (S4 eq. 57) are multiples of it.  In a second it stays. */
static void motion_begins_at_rest(void **state) {
  (void)state;
  const char text[] = BAR("") SPRING "\"simulation\": {\"step\": 1e-2, \"duration\": 1, "
                                     "\"initial\": \"equilibrium\"}}";
  static const char *const names[] = {"hinge.angle", "hinge.rate", "load.factor", NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  for (int spun = 0; spun < 2; ++spun) {
    const char *const set[] = {spun ? "bodies.bar.angular_velocity=[0, 0.5, 0]" : NULL, NULL};
    CHECK_INT(support_open(&world, text, set, &error), TORSOR_OK);
    CHECK_INT(support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), names,
                             &error),
              TORSOR_OK);
    const double angle = bar_angle(30, 2 * 9.81);
    double worst = 0;
    for (int i = 0; i < trace.rows; ++i)
      worst = check_max(worst, fabs(support_row(&trace, i)[1] - angle));
    CHECK_NEAR(support_row(&trace, 0)[1], angle, ROUND);
    CHECK_NEAR(support_row(&trace, 0)[3], 1, 0);
    if (spun) {
      CHECK_NEAR(support_row(&trace, 0)[2], 0.5, ROUND);
      CHECK_GE(worst, 0.05);
    } else {
      check_report("drift in a second from equilibrium, rad", worst, 16 * ROUND);
      CHECK_LE(worst, 16 * ROUND);
    }
    support_trace_release(&trace);
    support_close(&world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_on_a_spring),       cmocka_unit_test(bar_on_a_torsion_spring),
      cmocka_unit_test(newton_is_quadratic),    cmocka_unit_test(drive_by_the_load),
      cmocka_unit_test(force_that_follows),     cmocka_unit_test(plate_on_three_springs),
      cmocka_unit_test(bushing_with_coupling),  cmocka_unit_test(slider_crank),
      cmocka_unit_test(door_on_two_hinges),     cmocka_unit_test(ball_on_a_slope),
      cmocka_unit_test(truss_snaps_through),    cmocka_unit_test(truss_at_its_limits),
      cmocka_unit_test(column_buckles),         cmocka_unit_test(mechanism_is_named),
      cmocka_unit_test(pendulum_comes_to_rest), cmocka_unit_test(interruption_keeps_rows),
      cmocka_unit_test(motion_begins_at_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
