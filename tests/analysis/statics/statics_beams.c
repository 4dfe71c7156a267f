/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Equilibria of beams: orders, limits, independence of the path and of the observer, buckling. */
#include "check.h"

#include <stdio.h>

#include "equilibria.h"

static const double pi = 3.14159265358979323846;

/* A scene whose rod's end is known: the bend's is the last row of data/reference/bend_45.csv, that
 * of the helix's small variant comes from another shooting and has ten digits.  `strain`: of shear,
 * the force over GA. */
typedef struct bent_rod {
  const char *scene, *order[2], *set[2];
  v3 end;
  double strain;
} bent_rod;

static const bent_rod bent_rods[] = {
    {"bend_45",
     {"bodies.bend.order=2", "bodies.bend.order=4"},
     {NULL},
     {47.150438573629, 15.684800534038, 53.474858791825},
     600 / (5e6 * 5 / 6)},
    {"helix",
     {"bodies.rod.order=2", "bodies.rod.order=4"},
     {"forces.both.moment=[0, 0, \"2.5*pi\"]", "forces.both.force=[0, 0, 0.0625]"},
     {10 - 0.9985083597813169, 3.7275610747041346, 0.19575136160843987},
     0.0625 / 1e4}};

static double rod_error(equilibria *o, const bent_rod *rod, int order, int n) {
  char elements[40];
  snprintf(elements, sizeof elements, "parameters.n=%d", n);
  const char *const set[] = {elements, rod->order[order / 2 - 1], rod->set[0], rod->set[1], NULL};
  const double *end = equilibria_load(o, rod->scene, set);
  return v3_norm(v3_sub(v3_load(end + 1), rod->end));
}

/* Errors against the rods' own places with 4, 8, 16 and 32 elements of either order; the next term
 * of the expansion leaves a few per cent of the first with 4 elements, and a quarter of that each
 * time.  Elements of order 4 keep an error of order 2 that is a strain's part of that of the
 * others. */
static void order_in_the_mesh(void **state) {
  (void)state;
  equilibria o = {0};
  for (size_t i = 0; i < sizeof bent_rods / sizeof *bent_rods; ++i) {
    const bent_rod *rod = &bent_rods[i];
    double before[2] = {0};
    for (int n = 4, k = 0; n <= 32; n *= 2, ++k) {
      const double second = rod_error(&o, rod, 2, n), fourth = rod_error(&o, rod, 4, n);
      const double rest = rod->strain * second / fourth, next = 0.3 * pow(4, -k);
      print_message("  %s, %d elements: %.4g m, of order 4 %.4g m\n", rod->scene, n, second,
                    fourth);
      if (k > 0) CHECK_ORDER(log2(before[0] / second), 2, next);
      if (k > 0) CHECK_ORDER(log2(before[1] / fourth), 4, next + log2(1 + rest));
      before[0] = second;
      before[1] = fourth;
    }
  }
}

/* A cantilever of length 1 with EI = 1 and EA = GA = s^2, s = L/sqrt(I/A): eight elements, P across
 * its end. */
static const char slender[] =
    "{\"torsor\": 1, \"parameters\": {\"s\": 10, \"P\": 1}, \"bodies\": [{\"name\": \"b\", "
    "\"type\": "
    "\"beam\", \"elements\": 8, \"length\": 1, \"section\": {\"stiffness\": [\"s^2\", \"s^2\", "
    "\"s^2\", "
    "1, 1, 1], \"inertia\": [1, 1, 1, 0.02, 0.01, 0.01]}}], \"joints\": [{\"name\": \"clamp\", "
    "\"type\": \"weld\", \"a\": \"ground\", \"b\": \"b.start\"}], \"forces\": [{\"name\": \"P\", "
    "\"type\": \"force\", \"at\": \"b.end\", \"force\": [0, \"P\", 0]}], \"statics\": {\"steps\": "
    "5}, "
    "\"output\": {\"signals\": [\"b.end.position\"]}}";

/* Small deflections w of a mesh of n elements of order 2: the curvature of an element is that of
 * the moment at its middle, the sum of h (L - s)^2 is L^3/3 (1 - 1/(4 n^2)), and shear is exact; so
 * w = P L^3/(3 EI) (1 - 1/(4 n^2)) + P L/GA.  At order 4 the moment is exact, too.  Left out is a
 * part (w/L)^2 of it (elastica).  Round-off: n eps of strain times EA bends like a force across the
 * end. */
static void slenderness_does_not_lock(void **state) {
  (void)state;
  static const double slenderness[] = {10, 100, 1e3, 1e4};
  static const char *const orders[] = {"bodies.b.order=2", "bodies.b.order=4"};
  const double P = 0.03, n = 8;
  equilibria o = {0};
  for (int i = 0; i < 8; ++i) {
    char of[40];
    snprintf(of, sizeof of, "parameters.s=%g", slenderness[i / 2]);
    for (int group = 0; group < 2; ++group) {
      const char *const set[] = {of, "parameters.P=0.03", group ? "group=SE3" : "group=R3xSO3",
                                 orders[i % 2], NULL};
      const double stiff = pow(slenderness[i / 2], 2), mesh = i % 2 ? 0 : 1 / (4 * n * n);
      const double w = P / 3 * (1 - mesh) + P / stiff;
      const double off = fabs(equilibria_end(&o, slender, set)[2] / w - 1);
      const double bound = 2 * w * w + n * CHECK_EPS * stiff / P;
      check_report("deflection of a slender cantilever", off, bound);
      CHECK_LE(off, bound);
    }
  }
}

/* The exact helix, thick and thin, at every load: the angle of its end is load 4 pi about the axis
 * z, its radius 10/load and its height 50.  Round-off as in data/reference/exact_helix.json: ten
 * strains of n eps bend the rod by 10 EA n eps L^2/EI, with EA/EI = (4 s/L)^2. */
static void slenderness_does_not_unwind(void **state) {
  (void)state;
  static const char *const sets[] = {"parameters.slenderness=10", "parameters.slenderness=100",
                                     "parameters.slenderness=1e3", "parameters.slenderness=1e4"};
  const double n = 10, length = hypot(40 * pi, 50);
  equilibria o = {0};
  for (int i = 0; i < 4; ++i) {
    const char *const set[] = {sets[i], NULL};
    double off = 0;
    equilibria_load(&o, "exact_helix", set);
    CHECK_INT(o.rows, 9);
    for (int k = 1; k < o.rows; ++k) {
      const double angle = 4 * pi * o.row[k][0], radius = 10 / o.row[k][0];
      const v3 end = {radius * sin(angle), radius * (1 - cos(angle)) - 10, 50};
      off = fmax(off, v3_norm(v3_sub(v3_load(o.row[k] + 1), end)));
    }
    const double bound = 160 * pow(10, 2 * (i + 1)) * n * CHECK_EPS * length;
    check_report("end of an exact helix", off, bound);
    CHECK_LE(off, bound);
  }
}

/* Large deflections of slender beams take no more of Newton's iterations than those of thick ones:
 * two or three after the first, whose sizes fall by squares. */
static void slenderness_does_not_slow(void **state) {
  (void)state;
  static const char *const ways[][2] = {{"group=R3xSO3", "bodies.b.order=2"},
                                        {"group=SE3", "bodies.b.order=4"},
                                        {"group=R3xSO3", "bodies.b.order=4"}};
  equilibria o = {0};
  for (int way = 0; way < 3; ++way)
    /* On R^3 x SO(3) the rows of a force are sums of EA and, at order 4, the 1e-9 of it that the
     * bending of an element resists shear with. */
    for (int i = 1; i <= (way == 2 ? 4 : 5); ++i) {
      char of[40];
      snprintf(of, sizeof of, "parameters.s=1e%d", i);
      const char *const set[] = {of, "parameters.P=10", ways[way][0], ways[way][1], NULL};
      equilibria_end(&o, slender, set);
      const torsor_counters *c = &o.summary.counters;
      print_message("  %s, %s, slenderness 1e%d: %ld iterations in %ld steps\n", ways[way][0],
                    ways[way][1], i, c->newton_iterations, c->steps);
      CHECK_INT(c->rejected_steps, 0);
      CHECK_LE((double)c->newton_iterations, 6 * 5);
    }
}

/* ---- the same from elsewhere ------------------------------------------------------------- */

/* A curved beam under a force and a moment at its end, which grow one after the other (way 0, 1) or
 * together. */
#define WAYS(first, second)                                                                        \
  "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\", \"elements\": 6, "           \
  "\"length\": "                                                                                   \
  "2, \"curvature\": [0.1, 0, 0.5], \"section\": {\"stiffness\": [1e4, 5e3, 5e3, 8, 10, 12], "     \
  "\"inertia\": [1, 1, 1, 0.02, 0.01, 0.01]}}], \"joints\": [{\"name\": \"clamp\", \"type\": "     \
  "\"weld\", \"a\": \"ground\", \"b\": \"b.start\"}], \"forces\": [{\"name\": \"F\", \"type\": "   \
  "\"force\", \"at\": \"b.end\", \"force\": [3, -4, 9], \"scale\": \"" first "\"}, {\"name\": "    \
  "\"M\", \"type\": \"force\", \"at\": \"b.end\", \"moment\": [4, 12, -6], \"axes\": \"body\", "   \
  "\"scale\": \"" second "\"}], \"statics\": {\"steps\": 6}, \"output\": {\"signals\": "           \
  "[\"b.end.position\", \"b.end.quaternion\"]}}"
#define EARLY "min(1, 2*load)"
#define LATE  "max(0, 2*load - 1)"

/* A strain of n eps, a force of EA n eps on a lever of L, bends the beam by L/EI: a bound of
 * round-off. */
static const double bent = 16 * 1e4 * 6 * CHECK_EPS * 2 * 2 / 8;

static void no_path_matters(void **state) {
  (void)state;
  static const char *const way[] = {WAYS("load", "load"), WAYS(EARLY, LATE), WAYS(LATE, EARLY)};
  equilibria o = {0};
  double first[8];
  for (int k = 0; k < 3; ++k) {
    const double *end = equilibria_end(&o, way[k], NULL);
    if (k == 0) memcpy(first, end, sizeof first);
    CHECK_GE(fabs(so3_log((so3){end[4], end[5], end[6], end[7]}).x), 0.3);
    double off = 0;
    for (int i = 1; i < 8; ++i) off = check_max(off, fabs(end[i] - first[i]));
    check_report("the end by another path", off, bent);
    CHECK_LE(off, bent);
  }
}

/* The whole scene turned by a large rotation. */
static void no_frame_matters(void **state) {
  (void)state;
  const char here[] =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\", \"elements\": 6, "
      "\"length\": "
      "2, \"position\": [0, 0, 0], \"orientation\": {\"rotation_vector\": [0, 0, 0]}, "
      "\"curvature\": "
      "[0.1, 0, 0.5], \"section\": {\"stiffness\": [1e4, 5e3, 5e3, 8, 10, 12], \"inertia\": [1, 1, "
      "1, "
      "0.02, 0.01, 0.01]}}], \"joints\": [{\"name\": \"clamp\", \"type\": \"weld\", \"a\": "
      "{\"body\": "
      "\"ground\", \"position\": [0, 0, 0], \"orientation\": {\"rotation_vector\": [0, 0, 0]}}, "
      "\"b\": "
      "\"b.start\"}], \"forces\": [{\"name\": \"F\", \"type\": \"force\", \"at\": \"b.end\", "
      "\"force\": "
      "[3, -4, 9], \"moment\": [0, 0, 0]}], \"statics\": {\"steps\": 4}, \"output\": {\"signals\": "
      "[\"b.end.position\"]}}";
  const v3 vector = {0.7, -1.9, 1.1}, place = {3, -2, 5};
  const so3 turn = so3_exp(vector);
  const v3 force = so3_rotate(turn, (v3){3, -4, 9});
  equilibria o = {0};
  for (int group = 0; group < 2; ++group) {
    char text[5][120];
    const char *const word = group ? "group=SE3" : "group=R3xSO3";
    const char *const as_is[] = {word, NULL};
    const v3 end = v3_load(equilibria_end(&o, here, as_is) + 1);
    snprintf(text[0], 120, "bodies.b.position=[%g, %g, %g]", place.x, place.y, place.z);
    snprintf(text[1], 120, "bodies.b.orientation.rotation_vector=[%g, %g, %g]", vector.x, vector.y,
             vector.z);
    snprintf(text[2], 120, "joints.clamp.a.position=[%g, %g, %g]", place.x, place.y, place.z);
    snprintf(text[3], 120, "joints.clamp.a.orientation.rotation_vector=[%g, %g, %g]", vector.x,
             vector.y, vector.z);
    snprintf(text[4], 120, "forces.F.force=[%.17g, %.17g, %.17g]", force.x, force.y, force.z);
    const char *const moved[] = {word, text[0], text[1], text[2], text[3], text[4], NULL};
    const v3 there = v3_load(equilibria_end(&o, here, moved) + 1);
    const double off = v3_norm(v3_sub(there, v3_add(place, so3_rotate(turn, end))));
    check_report("the end in a turned scene", off, 4 * bent);
    CHECK_LE(off, 4 * bent); /* positions are some four times as large */
  }
}

/* A force that follows strains a beam in the first half of the path; in the second its clamp goes
 * round ten times about an axis that is none of its own: nothing in it changes. */
static void no_turn_strains(void **state) {
  (void)state;
  equilibria o = {0};
  for (int group = 0; group < 2; ++group) {
    const char *const set[] = {group ? "group=SE3" : "group=R3xSO3", NULL};
    const double *end = equilibria_end(
        &o,
        "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\", \"elements\": 6, "
        "\"length\": 2, \"curvature\": [0.1, 0, 0.5], \"section\": {\"stiffness\": [1e4, 5e3, 5e3, "
        "8, "
        "10, 12], \"inertia\": [1, 1, 1, 0.02, 0.01, 0.01]}}], \"joints\": [{\"name\": \"hub\", "
        "\"type\": \"revolute\", \"axis\": [1, 2, 3], \"a\": \"ground\", \"b\": \"b.start\"}, "
        "{\"name\": "
        "\"motor\", \"type\": \"drive\", \"coordinate\": \"hub.angle\", \"motion\": \"20*pi*max(0, "
        "2*load - 1)\"}], \"forces\": [{\"name\": \"F\", \"type\": \"force\", \"at\": \"b.end\", "
        "\"force\": [3, -4, 9], \"axes\": \"body\", \"scale\": \"min(1, 2*load)\"}], \"statics\": "
        "{\"steps\": 60}, \"output\": {\"signals\": [\"hub.angle\", \"energy.elastic\", "
        "\"b.section_moment[0]\"]}}",
        set);
    const double *half = o.row[o.rows / 2];
    CHECK_NEAR(half[1], 0, ROUND);
    CHECK_NEAR(end[1], 20 * pi, 20 * pi * CHECK_EPS * 16);
    CHECK_GE(half[2], 1);
    /* the moment in the round-off of strains, and its work */
    const double moment = bent * 12 / 2;
    check_report("elastic energy after ten turns, J", fabs(end[2] - half[2]), moment);
    CHECK_NEAR(end[2], half[2], moment);
    for (int i = 3; i < 6; ++i) CHECK_NEAR(end[i], half[i], moment);
  }
}

/* ---- buckling ---------------------------------------------------------------------------- */

/* A column, clamped below and free above, under a dead force. */
static const char column[] =
    "{\"torsor\": 1, \"parameters\": {\"n\": 8, \"EA\": 1e6, \"GA\": 1e6, \"P\": 1}, \"bodies\": "
    "[{\"name\": \"b\", \"type\": \"beam\", \"elements\": \"n\", \"length\": 1, \"section\": "
    "{\"stiffness\": [\"EA\", \"GA\", \"GA\", 5, 2, 1], \"inertia\": [1, 1, 1, 0.02, 0.01, "
    "0.01]}}], "
    "\"joints\": [{\"name\": \"clamp\", \"type\": \"weld\", \"a\": \"ground\", \"b\": "
    "\"b.start\"}], "
    "\"forces\": [{\"name\": \"P\", \"type\": \"force\", \"at\": \"b.end\", \"force\": [\"-P\", 0, "
    "0]}], "
    "\"statics\": {\"steps\": 8, \"buckling\": 3, \"until\": 6}, \"output\": {\"signals\": "
    "[\"b.end.position\"]}}";

/* P of a column that shortens and shears: P (1 - P/EA + P/GA) = EI (pi/(2 L))^2 (linearised about
 * the straight column: EI theta'' = -P y', y' = theta (1 - P/EA) + P theta/GA). */
static double column_load(double bending, double EA, double GA) {
  const double euler = bending * pi * pi / 4, b = 1 / GA - 1 / EA;
  return b == 0 ? euler : (sqrt(1 + 4 * b * euler) - 1) / (2 * b);
}

/* Critical loads of the path, less the closed form in parts of it, about z and about y, with n
 * elements. */
static void column_errors(double off[2], equilibria *o, int order, int n, double EA, double GA) {
  char text[4][40];
  snprintf(text[0], 40, "parameters.EA=%g", EA);
  snprintf(text[1], 40, "parameters.GA=%g", GA);
  snprintf(text[2], 40, "parameters.n=%d", n);
  snprintf(text[3], 40, "bodies.b.order=%d", order);
  const char *const set[] = {text[0], text[1], text[2], text[3], NULL};
  equilibria_end(o, column, set);
  CHECK_INT(o->summary.critical_count, 2);
  CHECK_INT(o->summary.tangent_sign, 1); /* two directions are unstable */
  for (int mode = 0; mode < 2; ++mode) {
    CHECK_FALSE(o->summary.critical[mode].limit);
    off[mode] = o->summary.critical[mode].load / column_load(1 + mode, EA, GA) - 1;
  }
}

static const double column_stiffness[][2] = {{1e6, 1e6}, {60, 1e6}, {1e6, 40}, {80, 30}};

/* Elements of order 2, n and 2 n of them: the extrapolation, of order 4, meets the closed form
 * within the square of the error. */
static void column_that_shears(void **state) {
  (void)state;
  equilibria o = {0};
  for (int i = 0; i < 4; ++i) {
    double off[2][2];
    for (int k = 0; k < 2; ++k)
      column_errors(off[k], &o, 2, 8 << k, column_stiffness[i][0], column_stiffness[i][1]);
    for (int mode = 0; mode < 2; ++mode) {
      const double limit = (4 * off[1][mode] - off[0][mode]) / 3;
      CHECK_ORDER(log2(off[0][mode] / off[1][mode]), 2, 0.05);
      check_report("buckling load, extrapolated", fabs(limit), pow(off[0][mode], 2));
      CHECK_LE(fabs(limit), pow(off[0][mode], 2));
    }
  }
}

/* Elements of order 4, of length h: waves cos(k s) of an endless mesh buckle at 7 (k h)^4/720 more
 * than those of the rod where it is stiff, and at (k h)^2 (P/(4 GA) - P/(6 EA)) of order 2 more;
 * the next terms are squares of these strains and tenths of them at (k h)^4. Critical points are
 * found to 1e-9. */
static void column_of_order_4(void **state) {
  (void)state;
  equilibria o = {0};
  for (int i = 0; i < 8; ++i) {
    const double EA = column_stiffness[i / 2][0], GA = column_stiffness[i / 2][1];
    double off[2];
    column_errors(off, &o, 4, 4 << i % 2, EA, GA);
    for (int mode = 0; mode < 2; ++mode) {
      const double P = column_load(1 + mode, EA, GA), kh = pow(pi / 2 / (4 << i % 2), 2);
      const double expected = 7 * kh * kh / 720 + kh * (P / GA / 4 - P / EA / 6);
      const double strain = P / GA + P / EA;
      const double bound = kh * strain * strain + kh * kh * (strain / 10 + kh / 100) + 1e-9;
      char label[80];
      snprintf(label, sizeof label, "buckling load, off by %.3g, less %.3g", off[mode], expected);
      check_report(label, fabs(off[mode] - expected), bound);
      CHECK_NEAR(off[mode], expected, bound);
    }
  }
}

/* The report of linearised loads: the three lowest are Euler's, about z, about y, and the second
 * about z. Shortening and shear, left out, are parts of P/EA = 2e-5 or less. */
static void column_reports(void **state) {
  (void)state;
  static const double euler[] = {1, 2, 9};
  equilibria o = {0};
  double off[3][3];
  for (int k = 0; k < 3; ++k) {
    const char *const set[] = {k % 2 ? "parameters.n=32" : "parameters.n=16",
                               k < 2 ? "bodies.b.order=2" : "bodies.b.order=4", NULL};
    equilibria_end(&o, column, set);
    CHECK_INT(o.summary.buckling_count, 3);
    for (int i = 0; i < 3; ++i) off[k][i] = o.summary.buckling[i] / (euler[i] * pi * pi / 4) - 1;
  }
  for (int i = 0; i < 3; ++i) {
    const double limit = fabs((4 * off[1][i] - off[0][i]) / 3), bound = pow(off[0][i], 2) + 3e-5;
    CHECK_ORDER(log2(off[0][i] / off[1][i]), 2, 0.05);
    check_report("linearised buckling load, extrapolated", limit, bound);
    CHECK_LE(limit, bound);
    const double k = i == 2 ? 3 * pi / 2 : pi / 2, mesh = 7 * pow(k / 16, 4) / 720;
    check_report("linearised buckling load of order 4", fabs(off[2][i] - mesh), 3e-5);
    CHECK_NEAR(off[2][i], mesh, 3e-5);
  }
}

/* A frame that is pushed aside a little leaves its plane near the critical load of the perfect one
 * and has no critical point itself.  Beside its path there is one on which it stays near the plane,
 * unstable: a step across both is cut.  Both methods end at the same place, as far as Newton's last
 * corrections of 1e-10 of 240 mm say, whose squares are left, times the flexibility of 1e3 of the
 * strip in its weak direction. */
static void frame_leaves_its_plane(void **state) {
  (void)state;
  static const char *const method[] = {"statics.method=newton", "statics.method=arc_length"};
  equilibria o = {0};
  v3 end[2];
  for (int k = 0; k < 2; ++k) {
    const char *const set[] = {"parameters.n=10", method[k], NULL};
    end[k] = v3_load(equilibria_load(&o, "right_angle_frame", set) + 1);
    for (int i = 1; i < o.rows; ++i) CHECK_GE(o.row[i][3], 0);
    CHECK_GE(end[k].z, 50);
    CHECK_INT(o.summary.critical_count, 0);
    CHECK_INT(o.summary.tangent_sign, 1);
    CHECK_STR(o.warnings, "");
  }
  check_report("end by both methods, mm", v3_norm(v3_sub(end[0], end[1])), 1e-8);
  CHECK_LE(v3_norm(v3_sub(end[0], end[1])), 1e-8);
}

/* Beyond the critical moment a hinged frame turns about its base, a whole turn, and is in its plane
 * again when the moment is the opposite of what it was (Simo and Vu-Quoc 1986).  A small force
 * aside takes from both moments what grows as its 2/3 power (Koiter's law of unstable symmetric
 * bifurcations): four times as much with eight times the force.  What the turn lacks is the way
 * aside at both moments, which grows as its cube root: twice as much; the next term is the third
 * power of that, 2 per cent of it, and moments are met to a step. */
static void hinged_frame_turns_over(void **state) {
  (void)state;
  static const char *const coarse[] = {"parameters.n=8", NULL};
  static const char *const nudge[] = {"parameters.nudge=1.25e-5", "parameters.nudge=1.5625e-6"};
  equilibria plane = {0}, o = {0};
  equilibria_load(&plane, "hinged_frame", coarse);
  const double critical = plane.summary.critical[0].load;
  double taken[2][2], lacks[2];
  for (int k = 0; k < 2; ++k) {
    const char *const set[] = {coarse[0],
                               nudge[k],
                               "statics.method=arc_length",
                               "statics.rows=steps",
                               "statics.arc=0.05",
                               "statics.points=280",
                               NULL};
    double turn = 0;
    equilibria_load(&o, "hinged_frame", set);
    for (int i = 1; i < o.rows && o.row[i - 1][0] > o.summary.critical[3].load; ++i) {
      const double *from = o.row[i - 1] + 3, *to = o.row[i] + 3; /* y, z of the corner */
      turn += atan2(from[0] * to[1] - from[1] * to[0], from[0] * to[0] + from[1] * to[1]);
    }
    lacks[k] = 2 * pi - fabs(turn);
    CHECK_INT(o.summary.critical_count, 4);
    taken[0][k] = critical - o.summary.critical[0].load;
    taken[1][k] = critical + o.summary.critical[3].load;
  }
  print_message("  lacking of a whole turn: %.4g and %.4g rad\n", lacks[0], lacks[1]);
  CHECK_ORDER(log2(lacks[0] / lacks[1]), 1, 0.05);
  for (int i = 0; i < 2; ++i) {
    printf("  taken from the critical moment: %.4g and %.4g of %.4g\n", taken[i][0], taken[i][1],
           critical);
    CHECK_ORDER(log2(taken[i][0] / taken[i][1]), 2, 0.05);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(order_in_the_mesh),
      cmocka_unit_test(slenderness_does_not_lock),
      cmocka_unit_test(slenderness_does_not_unwind),
      cmocka_unit_test(slenderness_does_not_slow),
      cmocka_unit_test(no_path_matters),
      cmocka_unit_test(no_frame_matters),
      cmocka_unit_test(no_turn_strains),
      cmocka_unit_test(column_that_shears),
      cmocka_unit_test(column_of_order_4),
      cmocka_unit_test(column_reports),
      cmocka_unit_test(frame_leaves_its_plane),
      cmocka_unit_test(hinged_frame_turns_over),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
