/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Beams: states of constant strain are exact, rigid motions are exact, orders in space and time,
 * balances, sections, places on a beam, and what is refused. */
#include <stdio.h>
#include <stdlib.h>

#include "assembly/assembly.h"
#include "check.h"
#include "closed.h"

#define ROPE "{\"stiffness\": [1e4, 1e4, 1e4, 500, 500, 500], \"inertia\": [1, 1, 1, 10, 10, 10]}"

#define LUMPED ", \"inertia\": \"lumped\""

static torsor_status open_beam(support_world *world, torsor_error *error, const char *text) {
  *error = (torsor_error){0};
  return support_open(world, text, NULL, error);
}

static void open_good(support_world *world, const char *text) {
  torsor_error error;
  const torsor_status status = open_beam(world, &error, text);
  if (status) print_error("%s: %s (%s)\n", error.path, error.message, error.hint);
  CHECK_INT(status, TORSOR_OK);
}

/* ---- states that are exact ------------------------------------------------------------------- */

/* Residual of a straight beam bent into an arc of the curvature k about z. */
static void arc_residual(double *r, const torsor_model *model, double length, double k) {
  assembly *a;
  CHECK_INT(assembly_create(&a, model, NULL, false, NULL), TORSOR_OK);
  const torsor_problem *pr = assembly_problem(a);
  double *q = calloc((size_t)pr->nq, sizeof *q);
  const int n = model->node_count - 1;
  for (int i = 0; i <= n; ++i) {
    const double s = length * i / n;
    se3_store(q + 7 * i, se3_exp((twist){{s, 0, 0}, {0, 0, k * s}}));
  }
  const torsor_point p = {.q = q};
  CHECK_INT(pr->residual(pr->self, &p, r, NULL, NULL), TORSOR_OK);
  free(q);
  assembly_destroy(a);
}

/* A cantilever under the moment E I k is a circle, with any number of elements: forces vanish,
 * moments are E I k at the ends.  Round-off: the stiffness E A times the rounding of a length of 1,
 * some ten of them. */
static void roll_up(void **state) {
  (void)state;
  static const int count[] = {1, 3, 4, 7, 64};
  for (int i = 0; i < 5; ++i) {
    char text[500];
    const int n = count[i];
    const double k = 2 * PI * (n > 1 ? 1 : 0.4); /* one element: 144 degrees */
    snprintf(text, sizeof text,
             "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\", \"length\": 1,"
             " \"elements\": %d, \"section\": {\"stiffness\": [1e3, 5e2, 5e2, 1, 2, 2],"
             " \"inertia\": [1, 1, 1, 2, 1, 1]}}]}",
             n);
    support_world world;
    open_good(&world, text);
    double r[6 * 65] = {0}, worst = 0;
    arc_residual(r, world.model, 1, k);
    r[5] += 2 * k;
    r[6 * n + 5] -= 2 * k;
    for (int j = 0; j < 6 * (n + 1); ++j) worst = check_max(worst, fabs(r[j]));
    /* strain = difference of lengths 1/n over 1/n */
    const double bound = 20 * n * 1e3 * CHECK_EPS;
    check_report("roll-up: residual", worst, bound);
    CHECK_LE(worst, bound);
    support_close(&world);
  }
}

/* A curved, twisted and tapered beam falls freely while it spins: its centre of mass falls as a
 * point does, it takes no strain from the weight, and its frames move as those of a rigid body that
 * nothing strains when it does not spin.  Newton's tolerance relative to the fall of 5 m. */
#define FALLING(more)                                                                              \
  "{\"torsor\": 1, \"gravity\": [0, 0, -10], \"bodies\": [{\"name\": \"b\", \"type\": \"beam\","   \
  " \"length\": 3, \"elements\": 3, \"curvature\": [0.2, -0.3, 0.4], \"twist\": 0.5" more ","      \
  " \"velocity\": [1, 2, 3], \"section\": {\"shape\": \"rectangle\", \"width\": 0.2, \"height\": " \
  "0.1, \"E\": 1e6, \"nu\": 0.3, \"density\": 100}, \"section_end\": {\"shape\": \"rectangle\","   \
  " \"width\": 0.1, \"height\": 0.05, \"E\": 1e6, \"nu\": 0.3, \"density\": 100}}]}"

static void free_fall(void **state) {
  (void)state;
  static const char *const signals[] = {"b[0].position", "b[2].position", "b.strain", "b.curvature",
                                        NULL};
  static const char *const text[] = {FALLING(""), FALLING(LUMPED)};
  for (int i = 0; i < 4; ++i) {
    support_trace trace = closed_run(text[i / 2], signals, closed_groups[i % 2], 0.05, 1);
    double off = 0, strain = 0;
    for (int row = 0; row < trace.rows; ++row) {
      const double *x = support_row(&trace, row), *x0 = support_row(&trace, 0), t = x[0];
      for (int node = 0; node < 2; ++node) {
        const double *now = x + 1 + 3 * node, *then = x0 + 1 + 3 * node;
        off = check_max(off, fabs(now[0] - then[0] - t));
        off = check_max(off, fabs(now[1] - then[1] - 2 * t));
        off = check_max(off, fabs(now[2] - then[2] - 3 * t + 5 * t * t));
      }
      for (int k = 7; k < trace.columns; ++k) strain = check_max(strain, fabs(x[k]));
    }
    /* accelerations within 1e-12 and 1e-12 of 10 m/s^2 in each of 20 steps, for a second */
    check_report("free fall: positions, m", off, 2e-10);
    check_report("free fall: strains and curvatures", strain, 2e-10);
    CHECK_LE(off, 2e-10);
    CHECK_LE(strain, 2e-10);
    support_trace_release(&trace);
  }
}

/* The initial velocities are those of a rigid body about the start. */
static void rigid_velocities(void **state) {
  (void)state;
  static const char *const signals[] = {"b.start.velocity",
                                        "b.end.velocity",
                                        "b.start.position",
                                        "b.end.position",
                                        "b.end.angular_velocity",
                                        "b.end.quaternion",
                                        NULL};
  static const char *const text =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\", \"position\": [1, 2, 3],"
      " \"orientation\": {\"rotation_vector\": [0.3, 0.2, -0.5]}, \"length\": 3, \"elements\": 5,"
      " \"curvature\": [0.2, -0.3, 0.4], \"velocity\": [1, 2, 3],"
      " \"angular_velocity\": {\"in\": \"inertial\", \"value\": [0.4, 0.5, -2]}, \"section\": " ROPE
      "}]}";
  support_trace trace = closed_run(text, signals, closed_groups[1], 1e-3, 1e-3);
  const double *x = support_row(&trace, 0) + 1;
  const v3 spin = {0.4, 0.5, -2}, lever = v3_sub(v3_load(x + 9), v3_load(x + 6));
  const v3 expected = v3_add(v3_load(x), v3_cross(spin, lever));
  const v3 turned = so3_rotate(so3_load(x + 15), v3_load(x + 12));
  double off = v3_norm(v3_sub(v3_load(x + 3), expected));
  off = check_max(off, v3_norm(v3_sub(turned, spin)));
  off = check_max(off, v3_norm(v3_sub(v3_load(x), (v3){1, 2, 3})));
  check_report("rigid initial velocities", off, 64 * CHECK_EPS);
  CHECK_LE(off, 64 * CHECK_EPS);
  support_trace_release(&trace);
}

/* ---- orders and balances --------------------------------------------------------------------- */

/* The flying spaghetti in space with a load that comes and goes smoothly, and a little damping. */
#define SPAGHETTI(elements, damping)                                                               \
  "{\"torsor\": 1, \"bodies\": [{\"name\": \"rope\", \"type\": \"beam\", \"position\": [6, 0, 0]," \
  " \"end\": [0, 8, 0], \"elements\": " elements ", \"section\": " ROPE damping "}],"              \
  " \"forces\": [{\"name\": \"load\", \"type\": \"force\", \"at\": \"rope.start\","                \
  " \"force\": [20, 0, 0], \"moment\": [0, -100, -200],"                                           \
  " \"scale\": \"t < 2 ? sin(pi*t/2)^2 : 0\"}]}"

static const char *const followed[] = {"rope.start.position",
                                       "rope.end.position",
                                       "energy.balance",
                                       "momentum",
                                       "impulse",
                                       "angular_momentum",
                                       "angular_impulse",
                                       NULL};
enum { POSITIONS = 1, BALANCE = 7, MOMENTUM = 8, IMPULSE = 11, SPIN = 14, TURN = 17, COLUMNS = 20 };

static void last_row(double row[COLUMNS], const char *text, const char *group, double h,
                     double duration) {
  support_trace trace = closed_run(text, followed, group, h, duration);
  CHECK_INT(trace.columns, COLUMNS);
  memcpy(row, support_row(&trace, trace.rows - 1), COLUMNS * sizeof *row);
  support_trace_release(&trace);
}

static double apart(const double *a, const double *b, int count) {
  double most = 0;
  for (int i = 0; i < count; ++i) most = check_max(most, fabs(a[i] - b[i]));
  return most;
}

static void check_order(const char *what, double coarse, double fine, double tolerance) {
  char label[96];
  const double order = torsor_order(coarse, fine, 2, 1);
  snprintf(label, sizeof label, "%s: %.3g, %.3g, off order 2 by", what, coarse, fine);
  check_report(label, fabs(order - 2), tolerance);
  CHECK_ORDER(order, 2, tolerance);
}

/* Positions, energy balance and both momenta against their impulses, at 4h, 2h and h on either
 * group.  The step resolves bending only; the shear waves that the load excites a little leave an
 * order within 0.1. */
static void order_in_time(void **state) {
  (void)state;
  static const char *const text[] = {SPAGHETTI("4", ", \"damping_factor\": 0.01"),
                                     SPAGHETTI("4", ", \"damping_factor\": 0.01" LUMPED)};
  for (int k = 0; k < 4; ++k) {
    const int g = k % 2;
    double row[4][COLUMNS];
    for (int i = 0; i < 4; ++i) last_row(row[i], text[k / 2], closed_groups[g], 0.02 / (1 << i), 3);
    print_message(" %s%s\n", closed_groups[g], k / 2 ? ", lumped" : "");
    check_order("positions", apart(row[0] + POSITIONS, row[1] + POSITIONS, 6),
                apart(row[1] + POSITIONS, row[2] + POSITIONS, 6), 0.1);
    check_order("positions", apart(row[1] + POSITIONS, row[2] + POSITIONS, 6),
                apart(row[2] + POSITIONS, row[3] + POSITIONS, 6), 0.1);
    check_order("energy balance", fabs(row[2][BALANCE]), fabs(row[3][BALANCE]), 0.1);
    check_order("angular momentum", apart(row[2] + SPIN, row[2] + TURN, 3),
                apart(row[3] + SPIN, row[3] + TURN, 3), 0.1);
    const double momentum = apart(row[3] + MOMENTUM, row[3] + IMPULSE, 3);
    print_message("  momentum less impulse %.3g\n", momentum);
    if (g) check_order("momentum", apart(row[2] + MOMENTUM, row[2] + IMPULSE, 3), momentum, 0.1);
  }
}

/* Meshes of 4 to 32 elements; the bends of the shortest wave that the load makes are resolved from
 * 8 on. */
static void order_in_space(void **state) {
  (void)state;
  static const char *const text[2][4] = {
      {SPAGHETTI("4", ""), SPAGHETTI("8", ""), SPAGHETTI("16", ""), SPAGHETTI("32", "")},
      {SPAGHETTI("4", LUMPED), SPAGHETTI("8", LUMPED), SPAGHETTI("16", LUMPED),
       SPAGHETTI("32", LUMPED)}};
  double row[2][4][COLUMNS];
  for (int k = 0; k < 2; ++k) {
    for (int i = 0; i < 4; ++i) last_row(row[k][i], text[k][i], closed_groups[0], 0.01, 3);
    check_order(k ? "elements 8, 16, lumped" : "elements 8, 16",
                apart(row[k][1] + POSITIONS, row[k][2] + POSITIONS, 6),
                apart(row[k][2] + POSITIONS, row[k][3] + POSITIONS, 6), 0.2);
  }
  /* both go to one limit */
  check_order("consistent and lumped, elements 16, 32",
              apart(row[0][2] + POSITIONS, row[1][2] + POSITIONS, 6),
              apart(row[0][3] + POSITIONS, row[1][3] + POSITIONS, 6), 0.2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(roll_up),          cmocka_unit_test(free_fall),
      cmocka_unit_test(rigid_velocities), cmocka_unit_test(order_in_time),
      cmocka_unit_test(order_in_space),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
