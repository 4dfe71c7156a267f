/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Beam elements of order 4: errors of large deflections, of frequencies and of motions, exact
 * states, invariance, constrained strains, forces at the ends of elements, energy. */
#include <stdio.h>

#include "check.h"
#include "closed.h"
#include "modes_kit.h"

/* A clamped beam with a load at its end, which turns, and its elements. */
#define BEAM(order, elements, length, stiffness, more)                                             \
  "{\"name\": \"b\", \"type\": \"beam\", \"order\": " order ", \"elements\": " elements            \
  ", \"length\": " length ", \"section\": {\"stiffness\": [" stiffness                             \
  "], \"inertia\": [1, 1, 1, 0.02, 0.01, 0.01]}" more "}"
#define CLAMPED(beam, load)                                                                        \
  "{\"torsor\": 1, \"bodies\": [" beam "], \"joints\": [{\"name\": \"c\", \"type\": \"weld\","     \
  " \"a\": \"ground\", \"b\": \"b.start\"}], \"forces\": [{\"name\": \"f\", \"type\": \"force\","  \
  " \"at\": \"b.end\", " load "}], \"statics\": {\"steps\": 6}}"

static double apart(const double *a, const double *b, int count) {
  double most = 0;
  for (int i = 0; i < count; ++i) most = check_max(most, fabs(a[i] - b[i]));
  return most;
}

/* ---- large deflections ----------------------------------------------------------------------- */

/* The end of beams under a dead force, in parts of their length, from elements of order 5 and 6
 * with 8 digits, and the errors of meshes of 4, 8 and 16 elements of order 4, all by a program of
 * its own.  */
typedef struct deflection {
  const char *title, *length, *stiffness, *more, *force;
  double size, end[3], error[3];
} deflection;

static const deflection deflections[] = {
    {"cantilever, P L^2/EI = 10",
     "1",
     "1e4, 5e3, 5e3, 1, 1, 1",
     "",
     "[0, 10, 0]",
     1,
     {0.44488792, 0.8118099, 0},
     {2.3784e-4, 1.6730e-5, 1.5438e-6}},
    {"the same, L/h = 1e4",
     "1",
     "12e8, 5e8, 5e8, 1, 1, 1",
     "",
     "[0, 10, 0]",
     1,
     {0.4450044, 0.81060904, 0},
     {2.4708e-4, 1.4170e-5, 8.8534e-7}},
    {"45-degree bend",
     "78.539816339744831",
     "1e7, \"5e6*5/6\", \"5e6*5/6\", \"5e6/6\","
     " \"1e7/12\", \"1e7/12\"",
     ", \"curvature\": [0, 0, 0.01]",
     "[0, 0, 600]",
     78.539816339744831,
     {0.60033367, 0.19970367, 0.68087093},
     {7.4140e-5, 4.7464e-6, 3.1704e-7}},
    {"Princeton beam",
     "0.508",
     "2.84191e6, 6.40131e5, 9.03881e5, 3.10338, 36.2794, 2.42873",
     "",
     "[0, \"13.345*sqrt(0.5)\", \"13.345*sqrt(0.5)\"]",
     0.508,
     {0.47763822 / 0.508, 0.15658987 / 0.508, 0.01534235 / 0.508},
     {1.4174e-5, 8.9199e-7, 5.7587e-8}}};

static void find_end(double end[3], const deflection *d, const char *order, int elements,
                     const char *group) {
  static const char *const signals[] = {"b.end.position", NULL};
  char text[1200], n[12], more[120];
  double row[4];
  snprintf(n, sizeof n, "%d", elements);
  snprintf(more, sizeof more, "%s, \"group\": \"%s\"", d->more, group);
  snprintf(text, sizeof text, CLAMPED(BEAM("%s", "%s", "%s", "%s", "%s"), "\"force\": %s"), order,
           n, d->length, d->stiffness, more, d->force);
  closed_rest(row, 4, text, signals);
  for (int i = 0; i < 3; ++i) end[i] = row[1 + i] / d->size;
}

/* The other program's errors have five digits, the reference eight: 2e-8/L of the shortest one. */
static void large_deflections(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof deflections / sizeof *deflections; ++i) {
    const deflection *d = &deflections[i];
    print_message(" %s\n", d->title);
    for (int k = 0; k < 3; ++k) {
      double end[2][3];
      for (int g = 0; g < 2; ++g) find_end(end[g], d, "4", 4 << k, closed_groups[g]);
      const double off = apart(end[0], d->end, 3), bound = 1e-4 * d->error[k] + 2e-8;
      char label[80];
      snprintf(label, sizeof label, "%d elements: off by %.4g, less %.4g", 4 << k, off,
               d->error[k]);
      check_report(label, fabs(off - d->error[k]), bound);
      CHECK_LE(fabs(off - d->error[k]), bound);
      /* both groups: Newton's iteration leaves 1e-10 of the motion, and round-off EA n eps */
      CHECK_LE(apart(end[0], end[1], 3), 2e-9);
    }
  }
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* The next term of the expansion is (1/2)^2 of the last but one halving at the most. */
static void is_of_order(const char *what, double order, double coarse, double fine) {
  char label[120];
  const double found = torsor_order(coarse, fine, 2, 1);
  snprintf(label, sizeof label, "%s: %.3g, %.3g, off order %g by", what, coarse, fine, order);
  check_report(label, fabs(found - order), 0.35);
  CHECK_ORDER(found, order, 0.35);
}

/* Ends with n, 2 n, 4 n elements of order 4, and what elements of order 2 tend to: those of 128 and
 * 256, extrapolated.  Returns the error with 4 n elements in parts of that of order 2. */
static double orders_of(const char *what, double order, int n, const char *format) {
  static const char *const signals[] = {"b.end.position", NULL};
  const int mesh[] = {n, 2 * n, 4 * n, 128, 256, 4 * n};
  double end[6][4], limit[3];
  for (int i = 0; i < 6; ++i) {
    char text[2600], elements[12];
    snprintf(elements, sizeof elements, "%d", mesh[i]);
    snprintf(text, sizeof text, format, i < 3 ? "4" : "2", elements);
    closed_rest(end[i], 4, text, signals);
  }
  for (int k = 0; k < 3; ++k) limit[k] = (4 * end[4][1 + k] - end[3][1 + k]) / 3;
  const double coarse = apart(end[0] + 1, end[1] + 1, 3), fine = apart(end[1] + 1, end[2] + 1, 3);
  is_of_order(what, order, coarse, fine);
  /* 1/(2^order - 1) of the last halving is left, and the extrapolation is off by less than the
   * sixteenth of what it changes */
  const double off = apart(end[2] + 1, limit, 3);
  const double bound = 1.5 * fine / (pow(2, order) - 1) + apart(end[4] + 1, limit, 3) / 16;
  check_report("apart from what order 2 tends to", off, bound);
  CHECK_LE(off, bound);
  return off / apart(end[5] + 1, limit, 3);
}

#define TWISTED(more, load)                                                                        \
  CLAMPED("{\"name\": \"b\", \"type\": \"beam\", \"order\": %s, \"elements\": %s, \"length\": 1,"  \
          " \"curvature\": [0.4, -0.5, 0.9], \"section\": " more "}",                              \
          load)
#define COUPLED(a, b, c)                                                                           \
  "{\"stiffness\": [[3e5, 0, 0, 0, 20, 0], [0, 1e5, 0, 30, 0, 0], [0, 0, 1e5, 0, 0, 0],"           \
  " [0, 30, 0, " a ", 0.2, 0.1], [20, 0, 0, 0.2, " b ", 0.3], [0, 0, 0, 0.1, 0.3, " c "]],"        \
  " \"inertia\": [1, 1, 1, 0.02, 0.01, 0.01]}"
#define PLAIN(a, b, c)                                                                             \
  "{\"stiffness\": [3e5, 1e5, 1e5, " a ", " b ", " c "], \"inertia\": [1, 1, 1, 0.02, 0.01, "      \
  "0.01]}"
#define ASIDE "\"force\": [1, 4, 3], \"moment\": [0.2, 0, 0.3]"

/* Sections that are full, and that taper by a half, in beams that are curved and twisted. */
static void orders_of_sections(void **state) {
  (void)state;
  orders_of("full", 4, 4, TWISTED(COUPLED("1.1", "1.5", "2"), ASIDE));
  orders_of(
      "tapered", 4, 4,
      TWISTED(PLAIN("1.1", "1.5", "2") ", \"section_end\": " PLAIN("0.6", "0.9", "1"), ASIDE));
  orders_of(
      "full and tapered", 4, 4,
      TWISTED(COUPLED("1.1", "1.5", "2") ", \"section_end\": " COUPLED("0.6", "0.9", "1"), ASIDE));
}

#define LOADED(load)                                                                               \
  "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\", \"order\": %s,"              \
  " \"elements\": %s, \"length\": 1, \"section\": " PLAIN(                                         \
      "1.1", "1.5", "2") "}], \"joints\":"                                                         \
                         " [{\"name\": \"c\", \"type\": \"weld\", \"a\": \"ground\", \"b\": "      \
                         "\"b.start\"}], \"forces\":"                                              \
                         " [{\"name\": \"q\", \"type\": \"beam_load\", \"on\": \"b\", " load       \
                         "}], \"statics\": {\"steps\": 4}}"

/* Loads along the beam.  Those that turn with the sections, and moments, do work on rotations
 * between the nodes, which are off by kappa' L^2/12: they stay of order 2, the former with a
 * small constant. */
static void orders_of_loads(void **state) {
  (void)state;
  orders_of("dead load", 4, 4, LOADED("\"force\": [0, 9, 5]"));
  const double part =
      orders_of("following load", 2, 16, LOADED("\"force\": [0, 9, 5], \"axes\": \"body\""));
  print_message("  %.3g of the error of order 2\n", part);
  CHECK_LE(part, 0.1);
  orders_of("moments along it", 2, 4, LOADED("\"moment\": [0.5, 1, 2]"));
}

/* Frequencies of bending of a slender cantilever, in units of sqrt(EI/(m L^4)): the first two roots
 * of 1 + cos x cosh x = 0, squared.  Shear and rotary inertia take 1e-9 of them. */
#define SLENDER                                                                                    \
  "{\"torsor\": 1, \"parameters\": {\"n\": 4}, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\"," \
  " \"order\": 4, \"elements\": \"n\", \"length\": 1, \"section\": {\"stiffness\": [1e9, 1e9,"     \
  " 1e9, 1, 1, 1], \"inertia\": [1, 1, 1, 2e-10, 1e-10, 1e-10]}}], \"joints\": [{\"name\":"        \
  " \"c\", \"type\": \"weld\", \"a\": \"ground\", \"b\": \"b.start\"}]}"

static void frequencies(void **state) {
  (void)state;
  static const double exact[] = {3.5160152685600776, 22.03449156574669};
  static const char *const mesh[] = {"parameters.n=4", "parameters.n=8", "parameters.n=16"};
  double off[2][3];
  for (int i = 0; i < 3; ++i) {
    const char *const set[] = {mesh[i], NULL};
    torsor_modes *m = modes_of(
        SLENDER, set, &(torsor_modes_settings){.size = sizeof(torsor_modes_settings), .count = 4});
    for (int k = 0; k < 2; ++k) off[k][i] = fabs(modes_omega(m, 2 * k) / exact[k] - 1);
    print_message("  %s: off by %.3g, %.3g\n", mesh[i], off[0][i], off[1][i]);
    torsor_modes_destroy(m);
  }
  for (int k = 0; k < 2; ++k) is_of_order("frequency", 4, off[k][1], off[k][2]);
}

/* The beam that is spun up, for 5 s at one step: its end in the hub's axes. */
static void motion(void **state) {
  (void)state;
  static const char *const mesh[] = {"parameters.n=4", "parameters.n=8", "parameters.n=32"};
  static const char *const signals[] = {"shadow.x", "shadow.y", NULL};
  support_trace trace[3] = {0};
  double off[2] = {0};
  for (int i = 0; i < 3; ++i) {
    const char *const set[] = {mesh[i],
                               "bodies.arm.order=4",
                               "parameters.lag=0",
                               "output.every=5",
                               "simulation.duration=5",
                               "simulation.step=0.04",
                               NULL};
    support_world world;
    torsor_summary summary;
    support_load(&world, "rotating_beam", set);
    CHECK_INT(support_run_as(&trace[i], &summary, &world, torsor_scene_simulation(world.scene),
                             signals, NULL),
              TORSOR_OK);
    support_close(&world);
  }
  for (int i = 0; i < 2; ++i)
    for (int row = 0; row < trace[i].rows; ++row)
      off[i] = check_max(
          off[i], apart(support_row(&trace[i], row) + 1, support_row(&trace[2], row) + 1, 2));
  is_of_order("spin-up, m", 4, off[0], off[1]);
  CHECK_LE(off[0], 1.2 * 2.1e-5); /* the other program's, whose steps are of another method */
  for (int i = 0; i < 3; ++i) support_trace_release(&trace[i]);
}

/* ---- states that are exact ------------------------------------------------------------------- */

/* A moment of 2 pi EI makes a full circle, whatever the mesh: its moment turns with no section. */
static void circle(void **state) {
  (void)state;
  static const char *const signals[] = {"b.end.position", "b.section_moment[2].z", NULL};
  double row[5];
  closed_rest(row, 5,
              CLAMPED(BEAM("4", "5", "1", "1e3, 1e3, 1e3, 1, 1, 1", ""),
                      "\"moment\": [0, 0, \"2*pi\"], \"axes\": \"body\""),
              signals);
  const double off = apart(row + 1, (double[3]){0}, 3);
  check_report("full circle: gap, m", off, 256 * CHECK_EPS);
  CHECK_LE(off, 256 * CHECK_EPS);
  CHECK_NEAR(row[4], 2 * PI, 256 * CHECK_EPS);
}

/* A scene that is turned and moved has the same forces: round-off of strains, n eps, times EA. */
static void turned(void **state) {
  (void)state;
  static const char *const signals[] = {"b.section_force", "b.section_moment", "b.start_force",
                                        "b.end_moment", NULL};
  static const char text[] =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\", \"order\": 4,"
      " \"elements\": 4, \"length\": 1, \"curvature\": [0.1, 0, 0.5], \"position\": [%g, %g, 5],"
      " \"orientation\": {\"rotation_vector\": [0, 0, %.17g]}, \"section\": " PLAIN(
          "1.1", "1.5",
          "2") "}], \"joints\": [{\"name\": \"c\", \"type\": \"weld\", \"a\":"
               " {\"body\": \"ground\", \"position\": [%g, %g, 5], \"orientation\": "
               "{\"rotation_vector\":"
               " [0, 0, %.17g]}}, \"b\": \"b.start\"}], \"forces\": [{\"name\": \"f\", \"type\": "
               "\"force\","
               " \"at\": \"b.end\", \"force\": [%.17g, %.17g, 3]}], \"statics\": {\"steps\": 4}}";
  double row[2][1 + 12 * 4];
  for (int i = 0; i < 2; ++i) {
    char scene[1200];
    const double turn = i ? 2.2 : 0, x = i ? 3 : 0, y = i ? -2 : 0;
    const v3 force = m3_mulv(so3_rodrigues((v3){0, 0, turn}), (v3){1, 4, 0});
    snprintf(scene, sizeof scene, text, x, y, turn, x, y, turn, force.x, force.y);
    closed_rest(row[i], 1 + 12 * 4, scene, signals);
  }
  const double off = apart(row[0] + 1, row[1] + 1, 48), bound = 4 * 8 * 3e5 * 4 * CHECK_EPS;
  check_report("forces in a turned scene, N and N m", off, bound);
  CHECK_LE(off, bound);
}

/* ---- forces at the ends ---------------------------------------------------------------------- */

/* A clamp bears the forces of the first section, at every order, and nothing pulls at a free end: a
 * swinging beam with weight and damping, within Newton's tolerance of 1e-12 of forces of up to EA
 * times its strains, and with constrained strains. */
static void forces_at_ends(void **state) {
  (void)state;
  static const char *const signals[] = {
      "c.force",         "c.moment", "b.start_force[0]", "b.start_moment[0]", "b.end_force[3]",
      "b.end_moment[3]", NULL};
  static const char text[] =
      "{\"torsor\": 1, \"gravity\": [0, -9.81, 2], \"bodies\": [{\"name\": \"b\", \"type\":"
      " \"beam\", \"order\": %s, \"elements\": 4, \"length\": 1, \"damping_factor\": 0.01%s,"
      " \"section\": " PLAIN("1.1", "1.5",
                             "2") "}], \"joints\": [{\"name\": \"c\", \"type\":"
                                  " \"weld\", \"a\": \"ground\", \"b\": \"b.start\"}]}";
  static const char *const kinds[] = {"", ", \"inextensible\": true, \"shear_rigid\": true",
                                      ", \"inertia\": \"lumped\""};
  for (int i = 0; i < 6; ++i) {
    char scene[700];
    double at_clamp = 0, at_end = 0;
    snprintf(scene, sizeof scene, text, i % 2 ? "2" : "4", kinds[i / 2]);
    support_trace trace = closed_run(scene, signals, closed_groups[1], 0.01, 0.2);
    for (int row = 1; row < trace.rows; ++row) {
      const double *x = support_row(&trace, row) + 1;
      for (int k = 0; k < 6; ++k) at_clamp = check_max(at_clamp, fabs(x[k] + x[6 + k]));
      for (int k = 0; k < 6; ++k) at_end = check_max(at_end, fabs(x[12 + k]));
    }
    check_report("first section and clamp, N and N m", at_clamp, 1e-7);
    check_report("free end, N and N m", at_end, 1e-7);
    CHECK_LE(at_clamp, 1e-7);
    CHECK_LE(at_end, 1e-7);
    support_trace_release(&trace);
  }
}

/* ---- what is refused ------------------------------------------------------------------------- */

static void other_orders(void **state) {
  (void)state;
  static const char *const orders[] = {"1", "3", "6"};
  for (int i = 0; i < 3; ++i) {
    char text[600];
    support_world world;
    torsor_error error = {0};
    snprintf(text, sizeof text,
             CLAMPED(BEAM("%s", "2", "1", "1, 1, 1, 1, 1, 1", ""), "\"force\": [0, 0, 0]"),
             orders[i]);
    CHECK_INT(support_open(&world, text, NULL, &error), TORSOR_SCENE);
    CHECK_CONTAINS(error.message, "has the order 2 or 4");
    CHECK_CONTAINS(error.path, "order");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(large_deflections),
      cmocka_unit_test(orders_of_sections),
      cmocka_unit_test(orders_of_loads),
      cmocka_unit_test(frequencies),
      cmocka_unit_test(motion),
      cmocka_unit_test(circle),
      cmocka_unit_test(turned),
      cmocka_unit_test(forces_at_ends),
      cmocka_unit_test(other_orders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
