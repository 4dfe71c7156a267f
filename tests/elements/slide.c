/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sliding joints: their curve, all tangents, moving loads and masses against closed solutions, all
 * methods and both groups. */
#include "elements/slide.h"

#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "conformance.h"
#include "run_kit.h"
#include "support.h"

/* ---- the curve ------------------------------------------------------------------------------- */

/* Neighbouring pieces give the same factors at their common node, by the node of the chain, up to
 * the first derivative. */
static double find_kink(const slide_piece *a, const slide_piece *b, int shift, double s) {
  slide_weights x, y;
  double most = 0;
  slide_weigh(&x, a, s * (1 - 1e-15));
  slide_weigh(&y, b, s);
  for (int m = 0; m < 2; ++m)
    for (int i = -shift; i < SLIDE_NODES; ++i) {
      const bool in = i >= 0, next = i + shift < SLIDE_NODES;
      const double c = (next ? x.c[m][i + shift] : 0) - (in ? y.c[m][i] : 0);
      const double d = (next ? x.d[m][i + shift] : 0) - (in ? y.d[m][i] : 0);
      most = check_max(most, check_max(fabs(c), fabs(d)));
    }
  return most;
}

static const double places[4] = {0, 0.7, 1.5, 2.6}, later[4] = {0.7, 1.5, 2.6, 3.1};

static slide_piece piece_of(const double *place, int first, int last, bool point, bool turns) {
  slide_piece p = {.count = 4, .first = first, .last = last, .point = point, .turns = turns};
  for (int i = 0; i < 4; ++i) p.place[i] = place[i];
  return p;
}

/* The curve and its tangent are continuous over nodes, and so are the axes of sections: up
 * to 1.5e-15 m of s times second derivatives of 6/L^2 = 12, and some round-off. */
static void no_kinks(void **state) {
  (void)state;
  const slide_piece beam = piece_of(places, 0, 2, false, false),
                    next = piece_of(later, 1, 3, false, false);
  const slide_piece axes = piece_of(places, 1, 2, false, true),
                    more = piece_of(later, 1, 2, false, true);
  const slide_piece cable = piece_of(places, 1, 2, true, false),
                    rope = piece_of(later, 1, 2, true, false);
  const double kink[3] = {find_kink(&beam, &next, 1, 1.5), find_kink(&axes, &more, 1, 1.5),
                          find_kink(&cable, &rope, 1, 1.5)};
  for (int i = 0; i < 3; ++i) {
    check_report("factors over a node", kink[i], 3e-14);
    CHECK_LE(kink[i], 3e-14);
  }
}

/* Derivatives against differences: h^2/6 of factors' third ones, which are 12/L^3 at most, and
 * round-off eps/h. */
static void factors_and_their_derivatives(void **state) {
  (void)state;
  const double h = 1e-5, bound = 12 / (0.7 * 0.7 * 0.7) * h * h + 8 * 2.3e-16 / h;
  double most = 0, unity = 0;
  for (int kind = 0; kind < 4; ++kind)
    for (int k = 0; k < 30; ++k) {
      const slide_piece p = piece_of(places, kind & 1 || kind & 2, 2, kind & 1, kind & 2);
      const double s = p.place[p.first] + (k + 0.5) / 30 * (p.place[2] - p.place[p.first]);
      slide_weights at, up, down;
      slide_weigh(&at, &p, s);
      slide_weigh(&up, &p, s + h);
      slide_weigh(&down, &p, s - h);
      double sum = 0;
      for (int i = 0; i < SLIDE_NODES; ++i) {
        sum += kind == 2 ? at.d[0][i] : at.c[0][i];
        for (int m = 0; m < 2; ++m) {
          most = check_max(most, fabs((up.c[m][i] - down.c[m][i]) / (2 * h) - at.c[m + 1][i]));
          most = check_max(most, fabs((up.d[m][i] - down.d[m][i]) / (2 * h) - at.d[m + 1][i]));
        }
      }
      unity = check_max(unity, fabs(sum - (kind != 3)));
    }
  check_report("derivatives of the factors", most, bound);
  check_report("sum of the factors", unity, 1e-14);
  CHECK_LE(most, bound);
  CHECK_LE(unity, 1e-14);
}

/* ---- every tangent --------------------------------------------------------------------------- */

#define BODIES                                                                                     \
  "{\"torsor\": 1, \"bodies\": [{\"name\": \"rail\", \"type\": \"beam\", \"length\": 6,"           \
  " \"elements\": 5, \"section\": {\"stiffness\":"                                                 \
  " [200, 90, 90, 40, 50, 60], \"inertia\": [2, 2, 2, 0.3, 0.1, 0.2]}}, {\"name\": \"rope\","      \
  " \"type\": \"cable\", \"position\": [0, 5, 0], \"end\": [6, 5, 0], \"stiffness\": 40,"          \
  " \"density\": 0.5, \"elements\": 4, \"stations\": [0.3]}, {\"name\": \"trolley\", \"type\":"    \
  " \"rigid_body\", \"mass\": 1, \"inertia\": [0.2, 0.3, 0.4]}, {\"name\": \"bead\", \"type\":"    \
  " \"point_mass\", \"mass\": 1, \"position\": [%s, 5, 0]}], \"joints\": ["

/* Sliders in all parts of a beam and of a cable: bodies, points and the ground. */
static void parts_conform(void **state) {
  (void)state;
  static const char *const scenes[] = {
      BODIES "{\"name\": \"j\", \"type\": \"carriage\", \"on\": \"rail\", \"b\": {\"body\":"
             " \"trolley\", \"position\": [1.9, 0, 0]}, \"holds\": \"frame\"}]}",
      BODIES "{\"name\": \"j\", \"type\": \"carriage\", \"on\": \"rail\", \"b\": {\"body\":"
             " \"trolley\", \"position\": [0, 0, 0]}, \"holds\": \"direction\"}]}",
      BODIES "{\"name\": \"j\", \"type\": \"carriage\", \"on\": \"rope\", \"b\": {\"body\":"
             " \"trolley\", \"position\": [3.2, 5, 0]}, \"holds\": \"direction\"}]}",
      BODIES "{\"name\": \"j\", \"type\": \"carriage\", \"on\": \"rope\", \"b\": \"bead\"}]}"};
  static const char *const beads[] = {"0.4", "2.5", "3.9", "5.5"};
  torsor_registry *registry = torsor_registry_create(NULL);
  bool all = true;
  for (size_t i = 0; i < 7; ++i) {
    char scene[4096];
    conformance c;
    torsor_error error = {0};
    snprintf(scene, sizeof scene, scenes[i < 3 ? i : 3], i < 3 ? "1" : beads[i - 3]);
    for (int k = 0; k < 3; ++k) {
      const torsor_element_type *type[] = {&slide_part, &slide_end, &slide_turn};
      if (k == 2 && i >= 3) continue;
      if (!conformance_measure_in(&c, type[k], scene, registry, &error)) {
        print_error("%s\n", error.message);
        all = false;
        continue;
      }
      all &= conformance_holds(&c, type[k]->name);
    }
  }
  torsor_registry_destroy(registry);
  CHECK_TRUE(all);
}

/* ---- motions --------------------------------------------------------------------------------- */

static void run_scene(support_trace *trace, const char *scene, const char *const *set) {
  support_world world;
  torsor_summary summary;
  torsor_error error = {0};
  const torsor_status opened = support_open(&world, scene, set, &error);
  if (opened) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(opened, TORSOR_OK);
  const torsor_status status = support_run(trace, &summary, &world, &error);
  if (status) print_error("%s\n", error.message);
  CHECK_INT(status, TORSOR_OK);
  support_close(&world);
}

/* Row of the time t. */
static const double *row_at(const support_trace *trace, double t) {
  for (int i = 0; i < trace->rows; ++i)
    if (fabs(support_row(trace, i)[0] - t) < 1e-9) return support_row(trace, i);
  CHECK_TRUE(false);
  return NULL;
}

#define BRIDGE(mass, force)                                                                        \
  "{\"torsor\": 1, \"bodies\": [{\"name\": \"beam\", \"type\": \"beam\", \"length\": 10,"          \
  " \"elements\": 16, \"velocity\": [0, 0, 0], \"section\": {\"stiffness\": [1e11, 1e11, 1e11,"    \
  " 1e7, 2e7, 2e7], \"inertia\": [100, 100, 100, 1e-3, 1e-3, 1e-3]}}, {\"name\": \"load\","        \
  " \"type\": \"point_mass\", \"mass\": " mass ", \"velocity\": [20, 0, 0]}], \"joints\":"         \
  " [{\"name\": \"left\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": \"ground\","         \
  " \"b\": \"beam.start\"}, {\"name\": \"right\", \"type\": \"point_on_line\", \"a\": \"ground\"," \
  " \"axis\": [1, 0, 0], \"b\": \"beam.end\"}, {\"name\": \"wheel\", \"type\": \"carriage\","      \
  " \"on\": \"beam\", \"b\": \"load\"}, {\"name\": \"go\", \"type\": \"drive\", \"coordinate\":"   \
  " \"wheel.travel\", \"motion\": \"20*t\"}], \"forces\": [{\"name\": \"weight\", \"type\":"       \
  " \"force\", \"at\": \"load\", \"force\": [0, 0, -" force "]}], \"simulation\": {\"step\":"      \
  " 5e-4, \"duration\": 0.5}, \"output\": {\"signals\": [\"beam[8].position.z\","                  \
  " \"load.position.z\"]}}"

/* Deflections of the middle and under the load (m) at t (s): series of 60 and 40 modes. */
static const double moving_mass[][3] = {
    {0, 0, 0},
    {0.0625, 0.00153259508339, 0.000836613340637},
    {0.125, 0.00417684093733, 0.00338030874564},
    {0.1875, 0.00447283400474, 0.0043003743018},
    {0.25, 0.0052358343952, 0.0052358343952},
    {0.3125, 0.00551200843906, 0.00527019582921},
    {0.375, 0.00325107764878, 0.00269257143023},
    {0.4375, 0.00172947202806, 0.000919167406272},
    {0.5, 0.000396877736186, 0},
};

static const double moving_force[][2] = {
    {0, 0},
    {0.0625, 0.00334677767538},
    {0.125, 0.00834205568067},
    {0.1875, 0.00835239661123},
    {0.25, 0.0121143896132},
    {0.3125, 0.00830779516452},
    {0.375, 0.00842050220171},
    {0.4375, 0.00323771745148},
    {0.5, 0.000112768615807},
};

/* Place of the mass and its height (m) at t (s): Lagrange's equations with 32 modes. */
static const double sliding[][3] = {
    {0, 0.5, -0.0125176468857},
    {0.5, 0.526326327722, -0.0136547783286},
    {1, 0.606629539491, -0.0172864947654},
    {1.5, 0.744201271847, -0.0239158310642},
    {2, 0.942252712227, -0.0338213831767},
    {2.5, 1.20062804569, -0.0461782508341},
    {3, 1.51207149889, -0.058115756141},
};

/* A mass and a force run over a simply supported beam at 20 m/s.  The series of the mass is
 * complete to 1e-7 m; of 16 elements of order 4 the first six modes, which have all of the load but
 * 1e-6 m, have frequencies to 1e-4, and a deflection of 5 mm by them an error of 3e-6 m after half
 * a second; the steps have as much.  A mass of 1 g stands for a load without one. */
static void moving_loads(void **state) {
  (void)state;
  support_trace mass = {0}, force = {0};
  double off[3] = {0};
  run_scene(&mass, BRIDGE("500", "4905"), NULL);
  run_scene(&force, BRIDGE("1e-3", "10000"), NULL);
  for (size_t i = 0; i < sizeof moving_mass / sizeof *moving_mass; ++i) {
    const double *a = row_at(&mass, moving_mass[i][0]), *b = row_at(&force, moving_force[i][0]);
    off[0] = check_max(off[0], fabs(a[1] + moving_mass[i][1]));
    off[1] = check_max(off[1], fabs(a[2] + moving_mass[i][2]));
    off[2] = check_max(off[2], fabs(b[1] + moving_force[i][1]));
  }
  check_report("moving mass: middle, m", off[0], 5e-6);
  check_report("moving mass: under it, m", off[1], 5e-6);
  check_report("moving force: middle, m", off[2], 1e-5);
  CHECK_LE(off[0], 5e-6);
  CHECK_LE(off[1], 5e-6);
  CHECK_LE(off[2], 1e-5);
  support_trace_release(&mass);
  support_trace_release(&force);
}

/* The same over 64 elements: the matrix has no regular blocks then that would do without exchanges
 * of rows.  The first steps alone, in which the mass passes 16 nodes; bounds as above. */
static void fine_mesh(void **state) {
  (void)state;
  static const char *const set[] = {"bodies.beam.elements=64",
                                    "bodies.beam.shear_rigid=true",
                                    "bodies.beam.section.stiffness=[2e9, 2e9, 2e9, 1e7, 2e7, 2e7]",
                                    "simulation.step=1e-3",
                                    "simulation.duration=0.125",
                                    "output.signals=[\"beam[32].position.z\","
                                    " \"load.position.z\"]",
                                    NULL};
  support_trace trace = {0};
  run_scene(&trace, BRIDGE("500", "4905"), set);
  const double *end = row_at(&trace, 0.125);
  double off = 0;
  for (int k = 1; k < 3; ++k) off = check_max(off, fabs(end[k] + moving_mass[2][k]));
  check_report("moving mass over 64 elements, m", off, 5e-6);
  CHECK_LE(off, 5e-6);
  support_trace_release(&trace);
}

/* A mass slides without friction along a beam that bends under it, from the rest in which a brake
 * lets it go.  The reference has small slopes and no motion along the beam: slopes of 0.03 change
 * lengths by 4.5e-4 of themselves, the place by 7e-4 m and the height by that times the slope of
 * the path, 0.06. */
static void sliding_mass(void **state) {
  (void)state;
  static const char scene[] =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"beam\", \"type\": \"beam\", \"length\": 4,"
      " \"elements\": 8, \"section\": {\"stiffness\": [1e9, 1e9, 1e9, 1e5, 4000, 4000],"
      " \"inertia\": [10, 10, 10, 1e-4, 1e-4, 1e-4]}}, {\"name\": \"mass\", \"type\":"
      " \"point_mass\", \"mass\": 20, \"position\": [0.5, 0, 0]}], \"joints\": [{\"name\":"
      " \"left\", \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": \"ground\", \"b\":"
      " \"beam.start\"}, {\"name\": \"right\", \"type\": \"point_on_line\", \"a\": \"ground\","
      " \"axis\": [1, 0, 0], \"b\": \"beam.end\"}, {\"name\": \"slide\", \"type\": \"carriage\","
      " \"on\": \"beam\", \"b\": \"mass\"}], \"forces\": [{\"name\": \"weight\", \"type\":"
      " \"force\", \"at\": \"mass\", \"force\": [0, 0, -196.2]}, {\"name\": \"brake\", \"type\":"
      " \"coordinate_force\", \"coordinate\": \"slide.travel\", \"effort\":"
      " \"t > 0 ? 0 : -1e7*(slide.travel - 0.5)\"}], \"simulation\": {\"step\": 4e-3,"
      " \"duration\": 3, \"initial\": \"equilibrium\"}, \"output\": {\"signals\":"
      " [\"slide.travel\", \"mass.position.z\"]}}";
  support_trace trace = {0};
  double off[2] = {0};
  run_scene(&trace, scene, NULL);
  for (size_t i = 0; i < sizeof sliding / sizeof *sliding; ++i)
    for (int k = 0; k < 2; ++k) {
      const double at = row_at(&trace, sliding[i][0])[1 + k];
      off[k] = check_max(off[k], fabs(at - sliding[i][1 + k]));
    }
  check_report("sliding mass: place, m", off[0], 7e-4);
  check_report("sliding mass: height, m", off[1], 4e-5);
  CHECK_LE(off[0], 7e-4);
  CHECK_LE(off[1], 4e-5);
  support_trace_release(&trace);
}

/* A bead on a taut string, in the middle of an element.  Its curve is that of four nodes with the
 * factors w = (-1, 9, 9, -1)/16, so that the string gives way by less than under one force:
 * W/T [a (L - a)/L - sum w_i w_k |x_i - x_k|/2] = W/T [a (L - a)/L - 15/128 h]; nonlinear parts are
 * (W/T)^2 = 1e-10 of it. */
static void bead_on_string(void **state) {
  (void)state;
  static const char scene[] =
      "{\"torsor\": 1, \"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"string\", \"type\":"
      " \"cable\", \"end\": [10.1, 0, 0], \"length\": 10, \"elements\": 10, \"stiffness\": 1e5,"
      " \"density\": 1}, {\"name\": \"bead\", \"type\": \"point_mass\", \"mass\": 1, \"position\":"
      " [4.545, 0, 0]}], \"joints\": [{\"name\": \"a\", \"type\": \"spherical\", \"a\": \"ground\","
      " \"b\": \"string.start\"}, {\"name\": \"b\", \"type\": \"spherical\", \"a\": {\"body\":"
      " \"ground\", \"position\": [10.1, 0, 0]}, \"b\": \"string.end\"}, {\"name\": \"hole\","
      " \"type\": \"carriage\", \"on\": \"string\", \"b\": \"bead\"}, {\"name\": \"stop\", "
      "\"type\":"
      " \"drive\", \"coordinate\": \"hole.travel\", \"motion\": 4.5}], \"forces\": [{\"name\":"
      " \"weight\", \"type\": \"force\", \"at\": \"bead\", \"force\": [0, 0, -0.01]}]}";
  static const char *const names[] = {"bead.position.z", "hole.force.z", NULL};
  support_world world;
  support_trace trace = {0};
  torsor_statics_summary summary;
  torsor_error error = {0};
  const torsor_status opened = support_open(&world, scene, NULL, &error);
  if (opened) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(opened, TORSOR_OK);
  CHECK_INT(support_rest(&trace, &summary, &world, names, NULL), TORSOR_OK);
  const double *end = support_row(&trace, trace.rows - 1);
  const double sag = 1e-5 * (4.545 * (10.1 - 4.545) / 10.1 - 15 / 128.0 * 1.01);
  check_report("sag of a taut string under a bead", fabs(end[1] + sag) / sag, 1e-8);
  CHECK_NEAR(end[1], -sag, 1e-8 * sag);
  CHECK_NEAR(end[2], 0.01, 1e-8);
  support_trace_release(&trace);
  support_close(&world);
}

#define LOOSE(group, inertia)                                                                      \
  "{\"torsor\": 1, \"group\": \"" group "\", \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\":"  \
  " \"rail\", \"type\": \"beam\", \"length\": 2, \"elements\": 5, \"inertia\": \"" inertia "\","   \
  " \"orientation\": {\"rotation_vector\": [0, 0.6, 0]}, \"section\": {\"stiffness\":"             \
  " [2e5, 1e5, 1e5, 300, 400, 500], \"inertia\": [3, 3, 3, 0.02, 0.01, 0.01]}}, {\"name\":"        \
  " \"slider\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.02, 0.03, 0.04],"           \
  " \"position\": [0.247600684, 0, -0.169392742]}], \"joints\": [{\"name\": \"clamp\", \"type\":"  \
  " \"weld\", \"a\": \"ground\", \"b\": \"rail.start\"}, {\"name\": \"slide\", \"type\":"          \
  " \"carriage\", \"on\": \"rail\", \"b\": \"slider\", \"holds\": \"frame\"}], \"simulation\":"    \
  " {\"step\": 1e-3, \"duration\": 0.6}, \"output\": {\"signals\": [\"energy.total\","             \
  " \"slider.position\", \"slide.travel\"]}}"

/* A carriage runs down a cantilever over four nodes, by every method and on both groups.  All ends
 * agree, to what halving the steps changes in the two of order 2 that differ most, and energies
 * stay. */
static void every_method(void **state) {
  (void)state;
  static const struct {
    const char *name, *set[3], *scene;
    double energy;
  } runs[] = {
      {"radau",
       {"simulation.method=radau", "simulation.rtol=1e-8", NULL},
       LOOSE("SE3", "consistent"),
       1e-5},
      {"GGL, SE3", {NULL}, LOOSE("SE3", "consistent"), 2e-3},
      {"GGL, R3xSO3", {NULL}, LOOSE("R3xSO3", "consistent"), 2e-3},
      {"index 3, SE3", {"simulation.formulation=index3", NULL}, LOOSE("SE3", "consistent"), 2e-3},
      {"index 3, R3xSO3",
       {"simulation.formulation=index3", NULL},
       LOOSE("R3xSO3", "consistent"),
       2e-3},
      {"soi2", {"simulation.method=soi2", NULL}, LOOSE("SE3", "consistent"), 2e-3},
      {"radau, lumped",
       {"simulation.method=radau", "simulation.rtol=1e-8", NULL},
       LOOSE("SE3", "lumped"),
       1e-5},
      {"rattle, SE3", {"simulation.method=rattle", NULL}, LOOSE("SE3", "lumped"), 2e-3},
      {"rattle, R3xSO3", {"simulation.method=rattle", NULL}, LOOSE("R3xSO3", "lumped"), 2e-3}};
  double first[5] = {0};
  for (size_t i = 0; i < sizeof runs / sizeof *runs; ++i) {
    support_trace trace = {0};
    run_scene(&trace, runs[i].scene, runs[i].set);
    const double *end = support_row(&trace, trace.rows - 1);
    double most = 0, off = 0;
    for (int k = 0; k < trace.rows; ++k)
      most = check_max(most, fabs(support_row(&trace, k)[1] - support_row(&trace, 0)[1]));
    if (strstr(runs[i].name, "radau")) memcpy(first, end + 1, sizeof first);
    for (int k = 1; k < 5; ++k) off = check_max(off, fabs(end[1 + k] - first[k]));
    print_message("  %-16s energy off by %.2g J, end by %.2g m, travel %.4f m\n", runs[i].name,
                  most, off, end[5]);
    CHECK_GE(end[5], 1.2); /* over three nodes */
    CHECK_LE(most, runs[i].energy);
    CHECK_LE(off, 2e-4);
    support_trace_release(&trace);
  }
}

/* ---- ends, checkpoints ----------------------------------------------------------------------- */

/* The end of the beam stops a run, with its name; a curve that goes on straight does not. */
static void end_of_the_beam(void **state) {
  (void)state;
  static const char *const straight[] = {"joints.slide.ends=\"straight\"",
                                         "simulation.duration=0.9", NULL};
  static const char *const longer[] = {"simulation.duration=0.9", NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  CHECK_INT(support_open(&world, LOOSE("SE3", "consistent"), longer, NULL), TORSOR_OK);
  CHECK_TRUE(support_run(&trace, &summary, &world, &error) != TORSOR_OK);
  print_message("  %s (%s)\n", error.message, error.hint);
  CHECK_CONTAINS(error.message, "slide");
  CHECK_CONTAINS(error.hint, "within the length of its beam");
  const double last = support_row(&trace, trace.rows - 1)[5];
  CHECK_TRUE(last > 1.99 && last < 2 + 1e-6);
  support_trace_release(&trace);
  support_close(&world);
  run_scene(&trace, LOOSE("SE3", "consistent"), straight);
  CHECK_GE(support_row(&trace, trace.rows - 1)[5], 2.1);
  support_trace_release(&trace);
}

/* A run that goes on from a checkpoint has the same bits: the place along the beam is a part of the
 * state. */
static void goes_on_to_the_bit(void **state) {
  (void)state;
  static const char *const sets[][2] = {{NULL}, {"simulation.method=radau", NULL}};
  for (int i = 0; i < 2; ++i) {
    run_subject s;
    CHECK_INT(support_open(&s.world, LOOSE("R3xSO3", "consistent"), sets[i], NULL), TORSOR_OK);
    s.simulation = *torsor_scene_simulation(s.world.scene);
    int count;
    const char *const *names = torsor_scene_signals(s.world.scene, &count);
    CHECK_INT(torsor_signals_create(&s.signals, s.world.model, names, count, NULL, NULL),
              TORSOR_OK);
    s.columns = torsor_signals_count(s.signals);
    torsor_run *run = kit_create(&s), *again = kit_create(&s);
    for (int k = 0; k < 200; ++k) CHECK_INT(torsor_run_step(run, NULL), TORSOR_OK);
    size_t size;
    void *bytes = kit_save(run, &size);
    const int length = kit_state_length(run, &s);
    double *a = kit_numbers(STEPS * length), *b = kit_numbers(STEPS * length);
    kit_go_on(a, run, &s, STEPS);
    CHECK_INT(torsor_run_restore(again, bytes, size, NULL), TORSOR_OK);
    kit_go_on(b, again, &s, STEPS);
    CHECK_TRUE(kit_same_bits(a, b, STEPS * length));
    free(a);
    free(b);
    free(bytes);
    torsor_run_destroy(run);
    torsor_run_destroy(again);
    kit_close(&s);
  }
}

/* ---- wrong use ------------------------------------------------------------------------------- */

static const char good[] =
    "{\"torsor\": 1, \"bodies\": [{\"name\": \"w\", \"type\": \"beam\", \"length\": 3,\n"
    "  \"elements\": 3, \"section\": {\"stiffness\": [1, 1, 1, 1, 1, 1], \"inertia\":"
    " [1, 1, 1, 1, 1, 1]}},\n"
    "  {\"name\": \"p\", \"type\": \"point_mass\", \"mass\": 1, \"position\": [1, 0, 0]},\n"
    "  {\"name\": \"s\", \"type\": \"shell\", \"elements\": [2, 1], \"length\": 2, \"width\": 1,\n"
    "  \"thickness\": 0.1, \"E\": 1e6, \"nu\": 0.3, \"density\": 1},\n"
    "  {\"name\": \"c\", \"type\": \"cable\", \"end\": [3, 0, 0], \"elements\": 3, \"stiffness\": "
    "1,"
    " \"density\": 1}],\n"
    "  \"joints\": [{\"name\": \"j\", \"type\": \"carriage\", \"on\": \"w\", \"b\": \"p\"}]}";

static const struct {
  const char *find, *replace, *path, *message, *hint;
  int line;
} wrong[] = {
    {"[1, 0, 0]},", "[1, 0.2, 0]},", "joints[0].b", "starts 0.2 m off", "[1, 0, 0], 1 m", 7},
    {"[1, 0, 0]},", "[3.5, 0, 0]},", "joints[0].b", "starts 0.5 m off", "[3, 0, 0], 3 m", 7},
    {"\"on\": \"w\"", "\"on\": \"s\"", "joints[0].on", "no beam or edge", "did you mean", 7},
    {"\"on\": \"w\"", "\"on\": \"s.edge_y0\"", "joints[0].on", "an edge of a shell", "cable", 7},
    {"\"on\": \"w\"", "\"on\": \"v\"", "joints[0].on", "there is no beam", "did you mean", 7},
    {"\"b\": \"p\"", "\"b\": \"w[1]\"", "joints[0].b", "a node of the beam itself", "another", 7},
    {"\"b\": \"p\"", "\"b\": \"p\", \"holds\": \"frame\"", "joints[0].holds", "a point mass",
     "\"point\"", 7},
    {"\"on\": \"w\", \"b\": \"p\"",
     "\"on\": \"c\", \"b\": {\"body\": \"ground\", \"position\": [1, 0, 0]}, \"holds\": \"frame\"",
     "joints[0].holds", "no section axes", "\"direction\"", 7},
    {"\"b\": \"p\"", "\"b\": \"p\", \"ends\": \"free\"", "joints[0].ends", "must be \"stop\"", "",
     7},
    {"\"b\": \"p\"", "\"b\": \"p\", \"speed\": \"fast\"", "joints[0].speed",
     "no parameter \"fast\"", "define it", 7},
};

static void wrong_use(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    char text[4096];
    support_world world;
    torsor_error error = {0};
    const char *at = strstr(good, wrong[i].find);
    CHECK_TRUE(at != NULL);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - good), good, wrong[i].replace,
             at + strlen(wrong[i].find));
    CHECK_INT(support_open(&world, text, NULL, &error), TORSOR_SCENE);
    const bool right = strstr(error.message, wrong[i].message) &&
                       strstr(error.hint, wrong[i].hint) && !strcmp(error.path, wrong[i].path) &&
                       error.line == wrong[i].line && error.column > 0;
    if (!right)
      print_error("%zu: %d:%d %s: %s (%s)\n", i, error.line, error.column, error.path,
                  error.message, error.hint);
    CHECK_TRUE(right);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_kinks),        cmocka_unit_test(factors_and_their_derivatives),
      cmocka_unit_test(parts_conform),   cmocka_unit_test(moving_loads),
      cmocka_unit_test(fine_mesh),       cmocka_unit_test(sliding_mass),
      cmocka_unit_test(bead_on_string),  cmocka_unit_test(every_method),
      cmocka_unit_test(end_of_the_beam), cmocka_unit_test(goes_on_to_the_bit),
      cmocka_unit_test(wrong_use),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
