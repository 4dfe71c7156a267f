/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Bodies that are placed by others, by joints with "start" or by "in", and inertias by their six
 *  numbers. */
#include "check.h"

#include <stdio.h>

#include "support.h"

static support_world world;
static support_trace trace;

/* The row of the signals at the start, t first. */
static const double *start_of(const char *text, const char *group) {
  const char *const set[] = {group, NULL};
  torsor_summary summary;
  torsor_error error = {0};
  support_trace_release(&trace);
  support_close(&world);
  if (support_open(&world, text, set, &error) || support_run(&trace, &summary, &world, &error))
    fail_msg("%s: %s: %s", error.path, error.message, error.hint);
  return support_row(&trace, 0);
}

static const char *const groups[] = {"group=R3xSO3", "group=SE3"};

#define BODY(name, more)                                                                           \
  "{\"name\": \"" name "\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1]" more "}"

/* Joints of all types that place bodies, one on the other: what is measured at the start is what
 * the scene says, within the rounding of a product of eight frames, whose entries are up to 4. */
static void coordinates_are_those_of_the_scene(void **state) {
  (void)state;
  static const char text[] =
      "{\"torsor\": 1, \"ground\": {\"markers\": {\"foot\": {\"position\": [1, 2, 3], "
      "\"orientation\": {\"euler\": \"zyx\", \"angles\": [0.3, 0.2, 0.1]}}}}, \"bodies\": [" //
      BODY("f", "") ", " BODY("e", "") ", " BODY("d", "") ", " BODY("c", "") ", "            //
      BODY("b", "") ", "                                                                     //
      BODY(
          "a",
          ", \"markers\": {\"tip\": {\"position\": [0.5, 0, 0.1], \"orientation\": "
          "{\"rotation_vector\": [0.2, 0, 0]}}}") "], \"joints\": ["
                                                  "{\"name\": \"r\", \"type\": \"revolute\", "
                                                  "\"axis\": [0, 2, 1], \"a\": \"ground.foot\", "
                                                  "\"b\": {\"body\": \"a\", \"position\": [-0.5, "
                                                  "0, 0]}, \"start\": {\"angle\": \"30 deg\", "
                                                  "\"rate\": 2}}, "
                                                  "{\"name\": \"p\", \"type\": \"planar\", "
                                                  "\"normal\": [1, 1, 0], \"a\": {\"body\": "
                                                  "\"a.tip\", "
                                                  "\"position\": [0, 0, 0.3]}, \"b\": {\"body\": "
                                                  "\"b\", \"position\": [-0.2, 0, 0], "
                                                  "\"orientation\": {\"rotation_vector\": [0.1, "
                                                  "0.2, 0.3]}}, \"start\": {\"x\": 0.1, "
                                                  "\"x_speed\": 1, \"y_speed\": 2, \"angle\": "
                                                  "-0.5, \"rate\": 3}}, "
                                                  "{\"name\": \"t\", \"type\": \"prismatic\", "
                                                  "\"axis\": [1, 0, 2], \"a\": \"b\", \"b\": "
                                                  "\"c\", "
                                                  "\"start\": {\"travel\": -0.4, \"speed\": 0.6}}, "
                                                  "{\"name\": \"s\", \"type\": \"screw\", "
                                                  "\"pitch\": 0.3, \"axis\": [0, 0, 1], \"a\": "
                                                  "\"c\", "
                                                  "\"b\": \"d\", \"start\": {\"angle\": 0.7, "
                                                  "\"speed\": -0.1}}, "
                                                  "{\"name\": \"q\", \"type\": \"cylindrical\", "
                                                  "\"axis\": [0, 1, 0], \"a\": \"d\", \"b\": "
                                                  "\"e\", \"start\": {\"travel\": 0.2, \"speed\": "
                                                  "1, \"angle\": 3, \"rate\": -4}}, "
                                                  "{\"name\": \"w\", \"type\": \"weld\", \"a\": "
                                                  "\"e\", \"b\": {\"body\": \"f\", "
                                                  "\"position\": [0, 0.3, 0], \"orientation\": "
                                                  "{\"euler\": \"xyz\", \"angles\": [1, 2, 3]}}, "
                                                  "\"start\": {}}], \"output\": {\"signals\": "
                                                  "[\"r.angle\", \"r.rate\", \"p.x\", "
                                                  "\"p.x_speed\", "
                                                  "\"p.y\", \"p.y_speed\", \"p.angle\", "
                                                  "\"p.rate\", \"t.travel\", \"t.speed\", "
                                                  "\"s.travel\", "
                                                  "\"s.speed\", \"s.angle\", \"s.rate\", "
                                                  "\"q.travel\", \"q.speed\", \"q.angle\", "
                                                  "\"q.rate\", "
                                                  "\"w.phi\", \"w.phi_velocity\"]}}";
  static const double pi = 3.14159265358979323846;
  const double expected[] = {pi / 6,
                             2,
                             0.1,
                             1,
                             0,
                             2,
                             -0.5,
                             3,
                             -0.4,
                             0.6,
                             0.7 * 0.3 / (2 * pi),
                             -0.1,
                             0.7,
                             -0.1 / 0.3 * 2 * pi,
                             0.2,
                             1,
                             3,
                             -4,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0,
                             0};
  for (int g = 0; g < 2; ++g) {
    const double *row = start_of(text, groups[g]);
    double worst = 0;
    for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i)
      worst = fmax(worst, fabs(row[1 + i] - expected[i]));
    check_report("coordinates and rates at the start", worst, 400 * CHECK_EPS);
    CHECK_LE(worst, 400 * CHECK_EPS);
  }
}

/* A chain of n links in a plane, each turned by the same angle against the one before: positions
 * and velocities of the tip are sums of sines and cosines. */
static void chain_is_the_closed_form(void **state) {
  (void)state;
  enum { N = 500 };
  static const double angle = 0.011, rate = 0.03, length = 0.1;
  static const char text[] =
      "{\"torsor\": 1, \"parameters\": {\"n\": 500, \"L\": 0.1}, \"bodies\": [{\"name\": "
      "\"link${n - 1 - i}\", \"repeat\": \"n\", \"type\": \"rigid_body\", \"mass\": 1, "
      "\"inertia\": [1, 1, 1], \"markers\": {\"tip\": {\"position\": [\"L\", 0, 0]}}}, {\"name\": "
      "\"ball\", \"type\": \"point_mass\", \"mass\": 1, \"in\": \"link${n - 1}.tip\", "
      "\"position\": [0, 0, 1]}], \"joints\": [{\"name\": \"hinge0\", \"type\": \"revolute\", "
      "\"a\": \"ground\", \"b\": \"link0\", \"start\": {\"angle\": 0.011, \"rate\": 0.03}}, "
      "{\"name\": \"hinge${i + 1}\", \"repeat\": \"n - 1\", \"type\": \"revolute\", \"a\": "
      "\"link${i}.tip\", \"b\": \"link${i + 1}\", \"start\": {\"angle\": 0.011, \"rate\": 0.03}}], "
      "\"output\": {\"signals\": [\"link499.position\", \"link499.velocity\", "
      "\"link499.angular_velocity\", \"ball.position\"]}}";
  double x = 0, y = 0, u = 0, v = 0;
  for (int i = 1; i < N; ++i) {
    x += length * cos(i * angle);
    y += length * sin(i * angle);
    u -= length * sin(i * angle) * i * rate;
    v += length * cos(i * angle) * i * rate;
  }
  const double end[] = {x + length * cos(N * angle), y + length * sin(N * angle), 1};
  const double expected[] = {x, y, 0, u, v, 0, 0, 0, N * rate, end[0], end[1], end[2]};
  for (int g = 0; g < 2; ++g) {
    const double *row = start_of(text, groups[g]);
    double worst = 0;
    for (int i = 0; i < 12; ++i) worst = fmax(worst, fabs(row[1 + i] - expected[i]));
    /* each of 500 frames rounds a place of up to 20 m and a speed of up to 150 m/s */
    check_report("tip of 500 links, m and m/s", worst, N * 150 * CHECK_EPS);
    CHECK_LE(worst, N * 150 * CHECK_EPS);
  }
}

/* Without a rate nothing is given: velocities follow from the joints, here from a drive. */
static void velocities_without_rates_follow_from_the_joints(void **state) {
  (void)state;
  static const char text[] = "{\"torsor\": 1, \"bodies\": [" BODY(
      "a",
      "") "], \"joints\": [{\"name\": \"h\", \"type\": "
          "\"revolute\", \"a\": \"ground\", \"b\": {\"body\": \"a\", \"position\": [-1, 0, 0]}, "
          "\"start\": {\"angle\": 0.5}}, {\"name\": \"d\", \"type\": \"drive\", \"coordinate\": "
          "\"h.angle\", \"motion\": \"0.5 + 3*t\"}], \"output\": {\"signals\": [\"h.angle\", "
          "\"h.rate\", \"a.velocity\"]}}";
  const double *row = start_of(text, groups[0]);
  CHECK_NEAR(row[1], 0.5, 8 * CHECK_EPS);
  CHECK_NEAR(row[2], 3, 100 * CHECK_EPS);
  CHECK_NEAR(row[3], -3 * sin(0.5), 100 * CHECK_EPS);
}

/* ---- inertia --------------------------------------------------------------------------------- */

/* Masses whose products and moments are summed up here; their centre is not the origin. */
static const struct {
  double mass;
  v3 x;
} parts[] = {{1, {0.3, 0.2, -0.1}},
             {2, {-0.1, 0.3, 0.25}},
             {1.5, {0.2, -0.4, 0.1}},
             {0.5, {-0.5, 0.2, 0.4}}};
enum { PARTS = sizeof parts / sizeof *parts };

/* Inertia about `point` in the axes that are turned by `turn`. */
static m3 sum_inertia(v3 point, so3 turn) {
  m3 J = m3_zero();
  for (int k = 0; k < PARTS; ++k) {
    const v3 d = so3_rotate_inverse(turn, v3_sub(parts[k].x, point));
    const m3 arm = m3_sub(m3_scale(m3_identity(), v3_dot(d, d)), m3_outer(d, d));
    J = m3_add(J, m3_scale(arm, parts[k].mass));
  }
  return J;
}

static void inertia_is_that_of_the_masses(void **state) {
  (void)state;
  const v3 w = {1, -2, 3}, point = {0.7, -0.3, 0.2}, turned = {0.4, -0.8, 0.3};
  double mass = 0;
  v3 middle = v3_zero();
  for (int k = 0; k < PARTS; ++k) {
    mass += parts[k].mass;
    middle = v3_axpy(parts[k].mass, parts[k].x, middle);
  }
  middle = v3_scale(middle, 1 / mass);
  const v3 expected = m3_mulv(sum_inertia(middle, so3_identity()), w);
  for (int k = 0; k < 8; ++k) {
    const bool about = k & 1, axes = k & 2, integrals = k & 4;
    const so3 turn = axes ? so3_exp(turned) : so3_identity();
    const m3 J = sum_inertia(about ? point : middle, turn);
    const double s = integrals ? -1 : 1;
    char text[1600];
    snprintf(text, sizeof text,
             "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": "
             "%.17g, \"center_of_mass\": [%.17g, %.17g, %.17g], \"inertia\": {\"moments\": "
             "[%.17g, %.17g, %.17g], \"products\": [%.17g, %.17g, %.17g], \"products_are\": "
             "\"%s\"%s%s}, \"velocity\": [0, 0, 0], \"angular_velocity\": [1, -2, 3]}], "
             "\"output\": {\"signals\": [\"angular_momentum\", \"momentum\"]}}",
             mass, middle.x, middle.y, middle.z, J.m[0][0], J.m[1][1], J.m[2][2], s * J.m[0][1],
             s * J.m[0][2], s * J.m[1][2], integrals ? "integrals" : "matrix_entries",
             about ? ", \"about\": [0.7, -0.3, 0.2]" : "",
             axes ? ", \"orientation\": {\"rotation_vector\": [0.4, -0.8, 0.3]}" : "");
    const double *row = start_of(text, groups[0]);
    const v3 own = v3_sub(v3_load(row + 1), v3_cross(middle, v3_load(row + 4)));
    const double off = v3_norm(v3_sub(own, expected));
    /* sums of some thirty products of numbers up to 6 */
    check_report("angular momentum, kg m^2/s", off, 200 * CHECK_EPS);
    CHECK_LE(off, 200 * CHECK_EPS);
  }
}

/* ---- density --------------------------------------------------------------------------------- */

/* Mass, height of the centre, and moments about it of a solid of revolution about z, of which a
 * slice at z is a ring between two radii: sums over slices, apart from the formulas of the reader.
 */
typedef struct slices {
  double mass, center, across, along;
} slices;

static slices slice_up(void (*radii)(double z, double *inner, double *outer), double low,
                       double high) {
  enum { COUNT = 200000 };
  const double pi = 3.14159265358979323846, h = (high - low) / COUNT;
  slices s = {0};
  double second = 0, square = 0;
  for (int i = 0; i < COUNT; ++i) {
    const double z = low + (i + 0.5) * h;
    double a, b;
    radii(z, &a, &b);
    const double m = pi * (b * b - a * a) * h, disc = m * (a * a + b * b) / 2;
    s.mass += m;
    s.center += m * z;
    second += m * z * z;
    square += disc;
  }
  s.center /= s.mass;
  s.along = square;
  s.across = square / 2 + second - s.mass * s.center * s.center;
  return s;
}

static void ball(double z, double *inner, double *outer) {
  *inner = 0;
  *outer = sqrt(fmax(0.04 - z * z, 0));
}

static void tin(double z, double *inner, double *outer) {
  (void)z;
  *inner = 0;
  *outer = 0.2;
}

static void tip(double z, double *inner, double *outer) {
  *inner = 0;
  *outer = 0.2 * (0.25 - z) / 0.5;
}

static void pill(double z, double *inner, double *outer) {
  const double over = fabs(z) - 0.25;
  *inner = 0;
  *outer = over > 0 ? sqrt(fmax(0.04 - over * over, 0)) : 0.2;
}

static void ring(double z, double *inner, double *outer) {
  const double half = sqrt(fmax(0.01 - z * z, 0));
  *inner = 0.3 - half;
  *outer = 0.3 + half;
}

/* Momentum and angular momentum of the body with this shape that turns about the origin. */
static const double *momentum_of(const char *shape) {
  char text[1200];
  snprintf(text, sizeof text,
           "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"rigid_body\", \"density\": "
           "1000, \"shape\": %s, \"velocity\": [0, 0, 1], \"angular_velocity\": [2, 0, 3]}], "
           "\"output\": {\"signals\": [\"momentum\", \"angular_momentum\"]}}",
           shape);
  return start_of(text, groups[0]);
}

static void density_fills_the_shape(void **state) {
  (void)state;
  static const struct {
    const char *shape;
    void (*radii)(double z, double *inner, double *outer);
    double low, high;
  } solids[] = {
      {"{\"type\": \"sphere\", \"radius\": 0.2}", ball, -0.2, 0.2},
      {"{\"type\": \"cylinder\", \"radius\": 0.2, \"length\": 0.5}", tin, -0.25, 0.25},
      {"{\"type\": \"cone\", \"radius\": 0.2, \"length\": 0.5}", tip, -0.25, 0.25},
      {"{\"type\": \"capsule\", \"radius\": 0.2, \"length\": 0.5}", pill, -0.45, 0.45},
      {"{\"type\": \"torus\", \"radius\": 0.3, \"tube\": 0.1}", ring, -0.1, 0.1},
  };
  for (size_t i = 0; i < sizeof solids / sizeof *solids; ++i) {
    const slices s = slice_up(solids[i].radii, solids[i].low, solids[i].high);
    const double *row = momentum_of(solids[i].shape), m = 1000 * s.mass, c = s.center;
    /* p = m (v + w x c), L = c x p + J w with w = (2, 0, 3), c = (0, 0, c), v = (0, 0, 1) */
    const double expected[] = {0, -2 * c * m,        m, 2 * (1000 * s.across + m * c * c),
                               0, 3 * 1000 * s.along};
    double worst = 0;
    for (int k = 0; k < 6; ++k) worst = fmax(worst, fabs(row[1 + k] - expected[k]) / m);
    /* 2e5 slices, whose sums are off by their number to the power -1.5 where the edge is upright */
    check_report(solids[i].shape, worst, 1e-7);
    CHECK_LE(worst, 1e-7);
  }
}

/* Boxes add up to one, however they are turned. */
static void shapes_add_up(void **state) {
  (void)state;
  double one[6];
  memcpy(one,
         momentum_of("{\"type\": \"box\", \"size\": [0.4, 0.2, 0.6], \"position\": [0.1, 0, "
                     "0.2]}") +
             1,
         sizeof one);
  const double *two = momentum_of(
      "[{\"type\": \"box\", \"size\": [0.6, 0.2, 0.1], \"position\": [-0.05, 0, 0.2], "
      "\"orientation\": {\"rotation_vector\": [0, \"pi/2\", 0]}}, {\"type\": \"box\", \"size\": "
      "[0.3, 0.2, 0.6], \"position\": [0.15, 0, 0.2]}]");
  CHECK_NEAR(one[2], 48 * (1 + 0), 100 * CHECK_EPS);
  for (int i = 0; i < 6; ++i) CHECK_NEAR(two[1 + i], one[i], 1e4 * CHECK_EPS);
}

/* ---- wrong use ------------------------------------------------------------------------------- */

typedef struct wrong {
  const char *bodies, *joints, *path, *message, *hint;
} wrong;

#define HINGE(a, b, more)                                                                          \
  "{\"name\": \"h\", \"type\": \"revolute\", \"a\": \"" a "\", \"b\": \"" b "\"" more "}"
#define INERTIA(json)                                                                              \
  "{\"name\": \"a\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": " json "}"
#define DENSE(density, more)                                                                       \
  "{\"name\": \"a\", \"type\": \"rigid_body\", \"density\": " density more "}"
#define BEAM(more)                                                                                 \
  "{\"name\": \"w\", \"type\": \"beam\", \"length\": 1, \"elements\": 2, \"section\": "            \
  "{\"shape\": \"circle\", \"radius\": 0.1, \"E\": 1e9, \"nu\": 0.3, \"density\": 1e3}" more "}"

static const wrong cases[] = {
    {BODY("a", ", \"in\": \"arn\"") ", " BODY("arm", ""), "", "bodies[0].in",
     "there is no body or marker \"arn\"", "did you mean \"arm\"?"},
    {BODY("a", ", \"in\": \"arm.tpi\"") ", " BODY("arm", ", \"markers\": {\"tip\": {}}"), "",
     "bodies[0].in", "no body or marker \"arm.tpi\"", "did you mean \"arm.tip\"?"},
    {BODY("a", ", \"in\": 3"), "", "bodies[0].in", "must be a text in quotes, but is 3", ""},
    {BODY("a", ", \"in\": \"b\"") ", " BODY("b", ", \"in\": \"a\""), "", "in",
     "is placed by itself in the end", "place one of them"},
    {BODY("a", ", \"in\": \"a\""), "", "bodies[0].in", "\"a\" is placed by itself", ""},
    {BODY("a", ", \"in\": \"w\"") ", " BEAM(""), "", "bodies[0].in", "is of many frames",
     "place the body by \"position\""},
    {BEAM(", \"in\": \"ground\""), "", "bodies[0].in", "\"w\" is of many frames", ""},
    {BODY("a", ", \"markers\": {\"2x\": {}}"), "", "bodies[0].markers.2x",
     "cannot be the name of a marker", "letters, digits and _"},
    {BODY("a", ", \"markers\": {\"tip\": [1, 0, 0]}"), "", "bodies[0].markers.tip",
     "must be a marker of a body, an object", ""},
    {BODY("a", ", \"markers\": []"), "", "bodies[0].markers", "must be the markers of a body", ""},
    {BODY("a", ", \"position\": [1, 0, 0]"), HINGE("ground", "a", ", \"start\": {}"),
     "joints[0].start", "\"a\" has \"position\", and \"start\" of joint \"h\" places it, too",
     "leave it out there"},
    {BODY("a", ", \"velocity\": [1, 0, 0]"), HINGE("ground", "a", ", \"start\": {}"),
     "joints[0].start", "\"a\" has \"velocity\"", ""},
    {BODY("a", ""), HINGE("ground", "a", ", \"start\": {\"angel\": 1}"), "joints[0].start.angel",
     "unknown key \"angel\" in the start of a joint", "did you mean \"angle\"?"},
    {BODY("a", ""), HINGE("ground", "a", ", \"start\": 0.5"), "joints[0].start",
     "must be the start of a joint, an object", ""},
    {BODY("a", ""), HINGE("ground", "a", ", \"start\": {\"angle\": 30}"), "joints[0].start.angle",
     "at most half a turn, but is 30 rad", "30 deg"},
    {BODY("a", ""), HINGE("ground", "a", ", \"axis_b\": [0, 1, 0], \"start\": {}"),
     "joints[0].axis_b", "has no place beside \"start\"", "turn marker b"},
    {BODY("a", ""), HINGE("a", "ground", ", \"start\": {}"), "joints[0].b",
     "the ground is placed by no joint", "let \"a\" be the ground"},
    {BODY("a", ""), HINGE("ground", "b", ", \"start\": {}"), "joints[0].b",
     "there is no body or marker \"b\"", ""},
    {BODY("a", "") ", " BODY("b", ""),
     HINGE("b", "a", ", \"start\": {}") ", {\"name\": \"g\", \"type\": \"weld\", \"a\": \"ground\","
                                        " \"b\": \"a\", \"start\": {}}",
     "joints[1].start", "\"a\" is placed by joint \"h\" already", "leave it out in one"},
    {BODY("a", ""),
     "{\"name\": \"d\", \"type\": \"distance\", \"a\": \"ground\", \"b\": \"a\", "
     "\"start\": {}}",
     "joints[0].start", "a distance places no body by \"start\"", "revolute"},
    {BEAM(""), HINGE("ground", "w", ", \"start\": {}"), "joints[0].b", "is of many frames", ""},
    {BODY("a", ""),
     "{\"name\": \"h\", \"type\": \"revolute\", \"a\": {\"body\": \"ground\", \"orientation\": "
     "\"fit\"}, \"b\": \"a\", \"start\": {}}",
     "joints[0].a.orientation", "has an orientation of its own", ""},
    {BODY("l${i}", ", \"repeat\": 3, \"in\": \"l${i + 1}\""), "", "bodies[0].in",
     "there is no body or marker \"l3\"", ""},
    /* inertia */
    {INERTIA("{\"moments\": [1, 1, 1], \"products\": [0.1, 0, 0]}"), "",
     "bodies[0].inertia.products", "has a sign that programs do not agree about",
     "\"products_are\": \"matrix_entries\""},
    {INERTIA("{\"moments\": [1, 1, 1], \"products_are\": \"integrals\"}"), "",
     "bodies[0].inertia.products_are", "products of inertia that are missing", ""},
    {INERTIA("{\"products\": [0.1, 0, 0], \"products_are\": \"integrals\"}"), "",
     "bodies[0].inertia.moments", "is missing", ""},
    {INERTIA("{\"moments\": [1, 1, 1], \"products\": [2, 0, 0], \"products_are\": \"integrals\"}"),
     "", "bodies[0].inertia", "is not positive definite", ""},
    {INERTIA("{\"moments\": [1, 1, 1], \"about\": [2, 0, 0]}"), "", "bodies[0].inertia",
     "is not positive definite", ""},
    {INERTIA("{\"moments\": [1, 1, 1], \"abuot\": [2, 0, 0]}"), "", "bodies[0].inertia.abuot",
     "unknown key \"abuot\" in an inertia", "did you mean \"about\"?"},
    /* density */
    {BODY("a", ", \"density\": 1000, \"shape\": {\"type\": \"sphere\", \"radius\": 1}"), "",
     "bodies[0].mass", "\"mass\" follows from \"density\"", "leave one of them out"},
    {DENSE("-1", ""), "", "bodies[0].density", "must be greater than 0, but is -1", "kg/m^3"},
    {DENSE("1000", ""), "", "bodies[0].shape", "is missing: \"density\" needs it", "box"},
    {DENSE("1000", ", \"shape\": []"), "", "bodies[0].shape", "is empty", ""},
    {DENSE("1000", ", \"shape\": {\"type\": \"box\"}"), "", "bodies[0].shape.size", "is missing",
     ""},
    {"{\"name\": \"a\", \"type\": \"point_mass\", \"density\": 1}", "", "bodies[0].density",
     "unknown key \"density\"", ""},
    {INERTIA("6"), "", "bodies[0].inertia", "must be [Jx, Jy, Jz] or a 3x3 matrix",
     "another point"},
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
    snprintf(text, sizeof text, "{\"torsor\": 1, \"bodies\": [%s], \"joints\": [%s]}", c->bodies,
             c->joints);
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

static int release(void **state) {
  (void)state;
  support_trace_release(&trace);
  support_close(&world);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coordinates_are_those_of_the_scene),
      cmocka_unit_test(chain_is_the_closed_form),
      cmocka_unit_test(velocities_without_rates_follow_from_the_joints),
      cmocka_unit_test(inertia_is_that_of_the_masses),
      cmocka_unit_test(density_fills_the_shape),
      cmocka_unit_test(shapes_add_up),
      cmocka_unit_test(wrong_uses_are_answered),
  };
  return cmocka_run_group_tests(tests, NULL, release);
}
