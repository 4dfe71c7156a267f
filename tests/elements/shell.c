/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shells: patch tests, loads, what is constant in motion, frequencies, buckling, and what is
 * refused. */
#include "elements/shell.h"

#include <stdio.h>

#include "check.h"
#include "conformance.h"
#include "equilibria.h"
#include "modes_kit.h"

static const double PI = 3.14159265358979323846;

/* ---- patch tests -------------------------------------------------------------------------------
 */

/* Five elements of MacNeal and Harder's patch, 0.24 m x 0.12 m: nodes 4 to 7 are inside. */
static const double patch_place[8][2] = {{0, 0},       {0.24, 0},    {0.24, 0.12}, {0, 0.12},
                                         {0.04, 0.02}, {0.18, 0.03}, {0.16, 0.08}, {0.08, 0.08}};
static const int patch_quad[5][4] = {
    {0, 1, 5, 4}, {5, 1, 2, 6}, {7, 6, 2, 3}, {0, 4, 7, 3}, {4, 5, 6, 7}};

/* Forces and moments on all nodes, in their axes, of frames that are given. */
static void patch_forces(twist on[8], const se3 frame[8], const shell_section *section) {
  static const torsor_now now;
  const v3 z = {0, 0, 1};
  for (int i = 0; i < 8; ++i) on[i] = tw_zero();
  for (int k = 0; k < 5; ++k) {
    shell_constants constants;
    torsor_motion motion[4] = {0};
    const torsor_motion *node[4];
    v3 X[4];
    m3 R[4];
    for (int i = 0; i < 4; ++i) {
      const int at = patch_quad[k][i];
      X[i] = (v3){patch_place[at][0], patch_place[at][1], 0};
      R[i] = m3_identity();
      motion[i].R = so3_matrix(frame[at].R);
      motion[i].x = frame[at].x;
      node[i] = &motion[i];
    }
    CHECK_TRUE(shell_build(&constants, section, X, R, (const v3[]){z, z, z, z}) == NULL);
    const shell_element_data e = {.section = section, .constants = &constants};
    const torsor_element_in in = {.now = &now, .load = 1, .node = node};
    double r[24] = {0};
    torsor_element_out out = {.r = r};
    CHECK_INT(shell_element.eval(&e, &in, &out), TORSOR_OK);
    for (int i = 0; i < 4; ++i)
      on[patch_quad[k][i]] = tw_add(on[patch_quad[k][i]], tw_load(r + 6 * i));
  }
}

/* Largest force inside in parts of the largest one on the boundary; moments too where asked for. */
static double inside(const twist on[8], bool moments) {
  double in = 0, out = 0;
  for (int i = 0; i < 8; ++i) {
    const double size = v3_norm(on[i].lin) + (moments ? v3_norm(on[i].ang) / 0.05 : 0);
    if (i < 4)
      out = check_max(out, size);
    else
      in = check_max(in, size);
  }
  return in / out;
}

/* A state of constant strain of any size: x = F X with a symmetric F, all frames as they were.
 * Round-off of strains of 1e-3 from lengths: eps/1e-3 of the forces, some ten times. */
static void membrane_patch(void **state) {
  (void)state;
  shell_layer layer;
  shell_section section;
  shell_section_find(&section, &layer,
                     &(torsor_layer){.thickness = 1e-3,
                                     .E1 = 1e6,
                                     .E2 = 1e6,
                                     .nu12 = 0.25,
                                     .G12 = 4e5,
                                     .G13 = 4e5,
                                     .G23 = 4e5,
                                     .density = 1},
                     1, 0);
  static const double strain[3][3] = {{1e-3, 0, 0}, {1e-3, 1e-3, 1e-3}, {0.2, -0.1, 0.15}};
  for (int k = 0; k < 3; ++k) {
    se3 frame[8];
    twist on[8];
    for (int i = 0; i < 8; ++i) {
      const double x = patch_place[i][0], y = patch_place[i][1], *e = strain[k];
      frame[i] = (se3){so3_identity(), {(1 + e[0]) * x + e[2] * y, e[2] * x + (1 + e[1]) * y, 0}};
    }
    patch_forces(on, frame, &section);
    const double off = inside(on, true), bound = 20 * CHECK_EPS / 1e-3;
    check_report("membrane patch", off, bound);
    CHECK_LE(off, bound);
  }
}

/* w = k (x^2 + x y + y^2)/2 with normals that follow, as MacNeal's: what is left is of the order of
 * the slopes, and doubles with them. */
static void bending_patch(void **state) {
  (void)state;
  shell_layer layer;
  shell_section section;
  shell_section_find(&section, &layer,
                     &(torsor_layer){.thickness = 1e-2,
                                     .E1 = 1e6,
                                     .E2 = 1e6,
                                     .nu12 = 0.25,
                                     .G12 = 4e5,
                                     .G13 = 4e5,
                                     .G23 = 4e5,
                                     .density = 1},
                     1, 0);
  for (int k = 0; k < 2; ++k) {
    const double curvature = k ? 2e-8 : 1e-8;
    se3 frame[8];
    twist on[8];
    for (int i = 0; i < 8; ++i) {
      const double x = patch_place[i][0], y = patch_place[i][1];
      const double w = curvature * (x * x + x * y + y * y) / 2;
      const v3 turn = {curvature * (x + 2 * y) / 2, -curvature * (2 * x + y) / 2, 0};
      frame[i] = (se3){so3_exp(turn), {x, y, w}};
    }
    patch_forces(on, frame, &section);
    /* slopes L k make membrane strains of their square, on a stiffness that is larger by 12/h^2 */
    const double bound = 12 / 1e-4 * curvature * pow(0.24, 3);
    const double off = inside(on, true);
    check_report("bending patch", off, bound);
    CHECK_LE(off, bound);
  }
}

/* Frames that are all turned by the same small angle: constant shear, no force inside. */
static void shear_patch(void **state) {
  (void)state;
  shell_layer layer;
  shell_section section;
  shell_section_find(&section, &layer,
                     &(torsor_layer){.thickness = 1e-3,
                                     .E1 = 1e6,
                                     .E2 = 1e6,
                                     .nu12 = 0.25,
                                     .G12 = 4e5,
                                     .G13 = 4e5,
                                     .G23 = 4e5,
                                     .density = 1},
                     1, 0);
  se3 frame[8];
  twist on[8];
  for (int i = 0; i < 8; ++i)
    frame[i] = (se3){so3_exp((v3){0.5e-3, 1e-3, 0}), {patch_place[i][0], patch_place[i][1], 0}};
  patch_forces(on, frame, &section);
  const double off = inside(on, false), bound = 20 * CHECK_EPS / 1e-3;
  check_report("shear patch", off, bound);
  CHECK_LE(off, bound);
}

/* ---- edges that are joined ---------------------------------------------------------------------
 */

#define PIECE(name, x, elements, length, more)                                                     \
  "{\"name\": \"" name "\", \"type\": \"shell\", \"position\": [" x                                \
  ", 0, 0], \"elements\": [" elements ", 2], \"length\": " length                                  \
  ", \"width\": 1, \"thickness\": 0.1, \"E\": 1.2e6, \"nu\": 0.3, "                                \
  "\"density\": 1" more "}"
#define JOINED(bodies, seam, last)                                                                 \
  "{\"torsor\": 1, \"bodies\": [" bodies                                                           \
  "], \"joints\": [{\"name\": \"clamp\", \"type\": \"edge\", "                                     \
  "\"on\": \"a.edge_x0\"}" seam                                                                    \
  "], \"forces\": [{\"name\": \"P\", \"type\": \"edge_load\", \"on\": \"" last                     \
  ".edge_x1\", \"force\": [0, 1, 4]}], \"statics\": {\"steps\": 2}, \"output\": {\"signals\": "    \
  "[\"" last ".edge_x1@0.5.position\"]}}"

/* A strip of eight elements bends like two of four whose edges are welded, whichever holds the
 * other; only round-off of Newton's iteration is between them. */
static void welded_edges(void **state) {
  (void)state;
  static equilibria found;
  double end[3][3];
  static const char *const scenes[] = {
      JOINED(PIECE("a", "0", "8", "10", ""), "", "a"),
      JOINED(PIECE("a", "0", "4", "5", "") ", " PIECE("b", "5", "4", "5", ""),
             ", {\"name\": \"seam\", \"type\": \"edge\", \"on\": \"a.edge_x1\", \"to_edge\": "
             "\"b.edge_x0\"}",
             "b"),
      JOINED(PIECE("a", "0", "4", "5", "") ", " PIECE("b", "5", "4", "5", ", \"group\": \"SE3\""),
             ", {\"name\": \"seam\", \"type\": \"edge\", \"on\": \"b.edge_x0\", \"to_edge\": "
             "\"a.edge_x1\"}",
             "b")};
  for (int i = 0; i < 3; ++i)
    memcpy(end[i], equilibria_end(&found, scenes[i], NULL) + 1, sizeof *end);
  for (int i = 1; i < 3; ++i) {
    const double off = v3_norm(v3_sub(v3_load(end[i]), v3_load(end[0])));
    check_report("two strips with a seam, beside one", off, 1e-8);
    CHECK_LE(off, 1e-8);
  }
}

/* A beam along the edge of a strip, node by node, with nu = 0.  Each has the moment of the
 * curvature k = 1e-3 on its own: together they bend to w = k L^2/2, up to parts k L of it, and the
 * seam has nothing to do but to keep them together.  Without the beam's moment the strip bends both
 * less. */
static void stiffened_strip(void **state) {
  (void)state;
  static equilibria found;
  static const char scene[] =
      "{\"torsor\": 1, \"parameters\": {\"m\": 3e-3}, \"bodies\": [{\"name\": \"s\", \"type\": "
      "\"shell\", \"elements\": [8, 2], \"length\": 2, \"width\": 0.2, \"thickness\": 0.02, \"E\": "
      "9e6, \"nu\": 0, \"density\": 1}, {\"name\": \"rib\", \"type\": \"beam\", \"position\": [0, "
      "0.2,"
      " 0], \"end\": [2, 0.2, 0], \"elements\": 8, \"section\": {\"stiffness\": [1e6, 1e6, 1e6, "
      "10, 3,"
      " 3], \"inertia\": [1, 1, 1, 0.1, 0.1, 0.1]}}], \"joints\": [{\"name\": \"clamp\", \"type\": "
      "\"edge\", \"on\": \"s.edge_x0\"}, {\"name\": \"seam\", \"type\": \"edge\", \"on\": \"rib\", "
      "\"to_edge\": \"s.edge_y1\"}], \"forces\": [{\"name\": \"M\", \"type\": \"edge_load\", "
      "\"on\": "
      "\"s.edge_x1\", \"moment\": [0, -6e-3, 0]}, {\"name\": \"m\", \"type\": \"force\", \"at\": "
      "\"rib.end\", \"moment\": [0, \"-m\", 0]}], \"statics\": {\"steps\": 1}, \"output\": "
      "{\"signals\": [\"s.edge_x1.start.position\", \"rib.end.position\"]}}";
  const double w = 1e-3 * 2 * 2 / 2, bound = w * 1e-3 * 2;
  const double *end = equilibria_end(&found, scene, NULL);
  const double off = fabs(end[3] - w) + fabs(end[6] - w);
  check_report("strip and rib of the same curvature", off, bound);
  CHECK_LE(off, bound);
  end = equilibria_end(&found, scene, (const char *const[]){"parameters.m=0", NULL});
  /* Beside the rib the strip keeps between its part of the stiffness, 1.2 of 4.2, and all of it. */
  CHECK_TRUE(end[6] > 0.2 * w && end[6] < 0.5 * w && end[3] < w);
}

/* ---- tangents in more scenes -------------------------------------------------------------------
 */

#define SHELL(name, more)                                                                          \
  "{\"name\": \"" name "\", \"type\": \"shell\", \"thickness\": 0.2, \"E\": 200, \"nu\": 0.3, "    \
  "\"density\": 4, " more "}"
#define PLATE(name, elements, more)                                                                \
  SHELL(name, "\"length\": 2, \"width\": 0.7, \"elements\": " elements more)

static bool derivatives_hold(const char *type, const char *part, const char *scene) {
  torsor_registry *registry = torsor_registry_create(NULL);
  const torsor_element_type *composite = torsor_registry_find(registry, type);
  torsor_error error = {0};
  bool all = true;
  for (int k = 0; composite->composite.parts[k]; ++k) {
    conformance c;
    if (strcmp(composite->composite.parts[k]->name, part) != 0) continue;
    all &= conformance_measure_in(&c, composite->composite.parts[k], scene, registry, &error);
    c.invariance = c.balance = 0; /* dead loads */
    all &= conformance_holds(&c, part);
  }
  torsor_registry_destroy(registry);
  return all;
}

static void dead_loads(void **state) {
  (void)state;
  static const char scene[] = "{\"torsor\": 1, \"bodies\": [" PLATE(
      "plate", "[2, 2]",
      "") "], \"joints\": [{\"name\": "
          "\"root\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"plate[0][0]\"}], "
          "\"forces\": ["
          "{\"name\": \"pull\", \"type\": \"edge_load\", \"on\": \"plate.edge_x1\", \"force\": "
          "[0.5, 0,"
          " 4], \"moment\": [0.3, 0.2, 0], \"scale\": \"1 + 0.3*root.angle\"}, {\"name\": \"wind\","
          " \"type\": \"shell_load\", \"on\": \"plate\", \"pressure\": 2, \"force\": [0.5, 0, 4],"
          " \"scale\": \"1 + 0.3*root.angle\"}]}";
  CHECK_TRUE(derivatives_hold("edge_load", "edge_load_part", scene));
  CHECK_TRUE(derivatives_hold("shell_load", "shell_load_part", scene));
}

/* ---- loads -------------------------------------------------------------------------------------
 */

/* Resultants of reactions: minus those of the loads.  A closed surface under pressure has none. */
static void resultants(void **state) {
  (void)state;
  static const char scene[] = "{\"torsor\": 1, \"bodies\": [" PLATE(
      "p", "[3, 2]",
      "") "], \"joints\": [{\"name\": \"clamp\","
          " \"type\": \"weld\", \"a\": \"ground\", \"b\": \"p[0][0]\"}], \"forces\": [{\"name\": "
          "\"q\","
          " \"type\": \"shell_load\", \"on\": \"p\", \"force\": [1e-11, 2e-11, 3e-11], "
          "\"pressure\": "
          "4e-11}, {\"name\": \"e\", \"type\": \"edge_load\", \"on\": \"p.edge_x1\", \"force\": "
          "[5e-11, "
          "0, 0], \"profile\": \"s\"}], \"statics\": {\"steps\": 1}, \"output\": {\"signals\": "
          "[\"clamp.force\", \"clamp.moment\"]}}";
  static equilibria found;
  const double *end = equilibria_end(&found, scene, NULL), area = 1.4;
  const v3 middle = {1, 0.35, 0}, f = {1e-11 * area, 2e-11 * area, 7e-11 * area};
  const v3 edge = {5e-11 * 0.7 / 2, 0, 0}, at = {2, 0.7 * 2 / 3, 0};
  const v3 force = v3_add(f, edge), moment = v3_add(v3_cross(middle, f), v3_cross(at, edge));
  const double off =
      v3_norm(v3_add(v3_load(end + 1), force)) + v3_norm(v3_add(v3_load(end + 4), moment));
  /* a corner turns by about 1e-7, which changes levers by as much */
  check_report("reactions of distributed loads", off, 1e-5 * v3_norm(moment));
  CHECK_LE(off, 1e-5 * v3_norm(moment));
}

/* A tube with radius R under the pressure p: with free ends it widens by p R^2/(E h), to first
 * order in it and in h/R.  The polygon of n sides has the area of its sides: factor of order
 * (pi/n)^2. */
static void tube_under_pressure(void **state) {
  (void)state;
  static const char scene[] =
      "{\"torsor\": 1, \"parameters\": {\"m\": 16}, \"bodies\": [{\"name\": \"s\", \"type\": "
      "\"shell\", \"surface\": \"cylinder\", \"elements\": [\"m\", 2], \"radius\": 1, \"length\": "
      "1,"
      " \"angle\": \"pi/2\", \"thickness\": 0.01, \"E\": 1e5, \"nu\": 0.3, \"density\": 1}], "
      "\"joints\": [{\"name\": \"x\", \"type\": \"edge\", \"on\": \"s.edge_x0\", \"holds\": "
      "\"symmetry\", \"direction\": [0, 1, 0]}, {\"name\": \"y\", \"type\": \"edge\", \"on\": "
      "\"s.edge_x1\", \"holds\": \"symmetry\", \"direction\": [1, 0, 0]}, {\"name\": \"z\", "
      "\"type\": \"edge\", \"on\": \"s.edge_y0\", \"holds\": \"plane\", \"direction\": [0, 0, 1]}],"
      " \"forces\": [{\"name\": \"p\", \"type\": \"shell_load\", \"on\": \"s\", \"pressure\": 1}], "
      "\"statics\": {\"steps\": 1}, \"output\": {\"signals\": [\"s[0][1].position.x\"]}}";
  static equilibria found;
  double u[3];
  for (int i = 0; i < 3; ++i) {
    char of[40];
    snprintf(of, sizeof of, "parameters.m=%d", 8 << i);
    u[i] = equilibria_end(&found, scene, (const char *const[]){of, NULL})[1] - 1;
  }
  const double limit = u[2] + (u[2] - u[1]) / 3, exact = 1e-3;
  print_message("  tube under pressure: %.8g m with 32 elements, limit %.8g\n", u[2], limit);
  CHECK_ORDER(log2((u[0] - u[1]) / (u[1] - u[2])), 2, 0.1);
  /* the strain e = 1e-3 has a square, with a factor of some units; h/R and nu add a few 1e-5 */
  CHECK_NEAR(limit, exact, exact * 3e-3);
}

/* ---- laminates ---------------------------------------------------------------------------------
 */

#define STRIP_WITH(section, load, signals)                                                         \
  "{\"torsor\": 1, \"bodies\": [{\"name\": \"s\", \"type\": \"shell\", \"elements\": [8, 1], "     \
  "\"length\": 2, \"width\": 0.5, " section "}], \"joints\": [{\"name\": \"clamp\", \"type\": "    \
  "\"edge\", \"on\": \"s.edge_x0\", \"to\": \"ground\"}], \"forces\": [{\"name\": \"N\", "         \
  "\"type\": "                                                                                     \
  "\"edge_load\", \"on\": \"s.edge_x1\", " load "}], \"statics\": {\"steps\": 1}, \"output\": "    \
  "{\"signals\": [\"s.edge_x1.start.position\", " signals "]}}"
#define STRIP(section, load)                                                                       \
  STRIP_WITH(section, load,                                                                        \
             "\"s.stress[4][0]\", \"s.membrane_force[4][0].x\", \"s.bending_moment[4][0].x\"")
#define PLY(E1, E2, angle)                                                                         \
  "{\"thickness\": 0.01, \"angle\": " angle ", \"E1\": " E1 ", \"E2\": " E2                        \
  ", \"nu12\": 0, \"G12\": 4e5, \"density\": 1}"

/* A strip whose stiffness is not symmetric about its nodes: the pull N makes the extension
 * e = N/(A - B^2/D) and the curvature -B e/D, both exactly along elements; Poisson's ratios are 0.
 */
static void pulled_strip(const char *what, const char *scene, const double stiff[3], double N) {
  static equilibria found;
  const double *end = equilibria_end(&found, scene, NULL);
  const double A = stiff[0], B = stiff[1], D = stiff[2], e = N / (A - B * B / D), k = -B * e / D;
  const double u = end[1] - 2, w = -end[3]; /* positive curvatures K = x,1.t,1 bend downwards */
  const double off = fabs(u / (e * 2) - 1) + fabs(w / (k * 2) - 1);
  /* The pull straightens the strip by parts of the order of N L^2/(D - B^2/A); slopes 2 k count as
   * well. */
  const double bound = N * 4 / (D - B * B / A) + 4 * fabs(k);
  check_report(what, off, bound);
  CHECK_LE(off, bound);
  CHECK_NEAR(end[found.columns - 2], N, N * bound);
  CHECK_NEAR(end[found.columns - 1], 0, N * bound);
}

static void coupled_laminates(void **state) {
  (void)state;
  /* [0, 90] of 10 mm: A = (E1 + E2) h, B = (E2 - E1) h^2/2, D = (E1 + E2) h^3/3 */
  const double h = 0.01, E1 = 9e6, E2 = 1e6;
  pulled_strip("layers [0, 90]",
               STRIP("\"layers\": [" PLY("9e6", "1e6", "0") ", " PLY("9e6", "1e6", "\"pi/2\"") "]",
                     "\"force\": [1e-3, 0, 0]"),
               (const double[]){(E1 + E2) * h, (E2 - E1) * h * h / 2, (E1 + E2) * h * h * h / 3},
               1e-3);
  pulled_strip(
      "offset of half the thickness",
      STRIP("\"thickness\": 0.01, \"E\": 9e6, \"nu\": 0, \"density\": 1, \"offset\": 0.005",
            "\"force\": [1e-3, 0, 0]"),
      (const double[]){E1 * h, E1 * h * h / 2, E1 * h * h * h / 3}, 1e-3);
}

/* Stresses of a strip under the moment m per width: 6 m/h^2 on its sides; of layers with E1 = 9 E2
 * along x outside and inside of it, Q z m/D. */
static void layer_stresses(void **state) {
  (void)state;
  static equilibria found;
  const double *end =
      equilibria_end(&found,
                     STRIP("\"thickness\": 0.01, \"E\": 9e6, \"nu\": 0, \"density\": 1",
                           "\"moment\": [0, 1e-4, 0]"),
                     NULL);
  /* The moment along y bends the lower side outwards. */
  double off = fabs(end[4] / (6e-4 / 1e-4) + 1) + fabs(end[8] / (6e-4 / 1e-4) - 1);
  off += fabs(end[7] / 6 - 1) + fabs(end[found.columns - 1] / 1e-4 - 1);
  const double angle = 1e-4 * 2 * 12 / (9e6 * 1e-6); /* what is not linear is a part of it */
  check_report("stresses of a homogeneous strip", off, angle);
  CHECK_LE(off, angle);
  end = equilibria_end(
      &found,
      STRIP_WITH("\"layers\": [" PLY("9e6", "1e6", "0") ", " PLY("9e6", "1e6", "\"pi/2\"") ", " PLY(
                     "9e6", "1e6", "0") "]",
                 "\"moment\": [0, 1e-4, 0]",
                 "\"s.stress[4][0].layer1_bottom.xx\", \"s.stress[4][0].layer1_top.xx\", "
                 "\"s.stress[4][0].layer2_bottom.yy\", \"s.stress[4][0].layer2_top.yy\", "
                 "\"s.stress[4][0].layer3_top.xx\""),
      NULL);
  const double h = 0.01, D = 9e6 * 26 * h * h * h / 12 + 1e6 * h * h * h / 12, k = 1e-4 / D;
  const double side = 9e6 * 1.5 * h * k, inner = 9e6 * 0.5 * h * k, middle = 1e6 * 0.5 * h * k;
  off = fabs(end[4] / side + 1) + fabs(end[5] / inner + 1);     /* along the fibres */
  off += fabs(end[6] / middle + 1) + fabs(end[7] / middle - 1); /* across them */
  off += fabs(end[8] / side - 1);
  check_report("stresses of layers [0, 90, 0]", off, 2 * k);
  CHECK_LE(off, 2 * k);
}

/* Three layers of one material are that material. */
static void same_layers(void **state) {
  (void)state;
#define FLAT(section)                                                                              \
  "{\"torsor\": 1, \"bodies\": [" section                                                          \
  "], \"joints\": [{\"name\": \"clamp\", \"type\": \"edge\", "                                     \
  "\"on\": \"s.edge_x0\", \"to\": \"ground\"}]}"
#define THIRD "{\"thickness\": 0.1, \"angle\": 0.3, \"E\": 200, \"nu\": 0.3, \"density\": 4}"
  const torsor_modes_settings few = {.size = sizeof(torsor_modes_settings), .count = 4};
  torsor_modes *a = modes_of(FLAT("{\"name\": \"s\", \"type\": \"shell\", \"length\": 2, "
                                  "\"width\": 0.7, \"elements\": [4, 2], "
                                  "\"thickness\": 0.3, \"E\": 200, \"nu\": 0.3, \"density\": 4}"),
                             NULL, &few);
  torsor_modes *b = modes_of(FLAT("{\"name\": \"s\", \"type\": \"shell\", \"length\": 2, "
                                  "\"width\": 0.7, \"elements\": [4, 2], "
                                  "\"layers\": [" THIRD ", " THIRD ", " THIRD "]}"),
                             NULL, &few);
  for (int i = 0; i < 4; ++i)
    CHECK_NEAR(modes_omega(a, i), modes_omega(b, i), 1e-10 * modes_omega(a, i));
  torsor_modes_destroy(a);
  torsor_modes_destroy(b);
}

/* ---- frequencies -------------------------------------------------------------------------------
 */

#define HINGE(edge)                                                                                \
  "{\"name\": \"" edge "\", \"type\": \"edge\", \"on\": \"s.edge_" edge "\", \"holds\": "          \
  "\"hinge\"}"

/* A rectangular plate on simple supports, which hold the turn about the edge's normal, too:
 * Mindlin's frequencies in closed form. */
static void plate_frequencies(void **state) {
  (void)state;
  static const double mindlin[] = {61.99219618432871, 134.49507047617269, 175.24325017809917};
  static const char scene[] =
      "{\"torsor\": 1, \"parameters\": {\"n\": 8}, \"bodies\": [{\"name\": \"s\", \"type\": "
      "\"shell\", \"elements\": [\"n*5/4\", \"n\"], \"length\": 1, \"width\": 0.8, \"thickness\": "
      "0.01, \"E\": 7e10, \"nu\": 0.3, \"density\": 2700, \"inertia\": \"INERTIA\"}], \"joints\": "
      "[" HINGE("x0") ", " HINGE("x1") ", " HINGE("y0") ", " HINGE("y1") "]}";
  for (int lumped = 0; lumped < 2; ++lumped) {
    char text[2048];
    const char *at = strstr(scene, "INERTIA");
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - scene), scene,
             lumped ? "lumped" : "consistent", at + strlen("INERTIA"));
    double limit[3], error[3], order[3];
    static const int modes[] = {0, 1, 2};
    modes_limits(limit, error, order, text, modes, 3, 4);
    for (int i = 0; i < 3; ++i) {
      char label[80];
      const double exact = 2 * PI * mindlin[i], off = fabs(limit[i] - exact);
      const double bound = error[i] + 1e-9 * exact;
      snprintf(label, sizeof label, "plate, %s, mode %d: %.6g Hz, order %.2f",
               lumped ? "lumped" : "consistent", i, limit[i] / 2 / PI, order[i]);
      check_report(label, off / 2 / PI, bound / 2 / PI);
      CHECK_LE(off, bound);
      /* with lumps errors of stiffness and inertia have opposite signs, and the next term counts */
      CHECK_ORDER(order[i], 2, lumped ? 0.5 : 0.15);
    }
  }
}

/* A closed tube on shear diaphragms: Fluegge's frequencies in closed form, 267.87 Hz (6 waves
 * around, one half wave along) and 280.51 Hz (5 waves); half of it with a plane of symmetry. */
static void tube_frequencies(void **state) {
  (void)state;
  static const char scene[] =
      "{\"torsor\": 1, \"parameters\": {\"n\": 8}, \"bodies\": [{\"name\": \"s\", \"type\": "
      "\"shell\", \"surface\": \"cylinder\", \"elements\": [\"8*n\", \"n\"], \"radius\": 0.3, "
      "\"length\": 0.3, \"thickness\": 0.002, \"E\": 2.1e11, \"nu\": 0.3, \"density\": 7850}], "
      "\"joints\": [{\"name\": \"diaphragm\", \"type\": \"edge\", \"on\": \"s.edge_y0\", "
      "\"holds\": "
      "\"line\", \"direction\": [0, 0, 1]}, {\"name\": \"middle\", \"type\": \"edge\", \"on\": "
      "\"s.edge_y1\", \"holds\": \"symmetry\", \"direction\": [0, 0, 1]}]}";
  static const double fluegge[] = {267.8718139524876, 280.5095408396025};
  double f[2][2];
  for (int k = 0; k < 2; ++k) {
    char of[40];
    snprintf(of, sizeof of, "parameters.n=%d", 6 << k);
    const torsor_modes_settings all = {.size = sizeof(torsor_modes_settings), .count = 4};
    torsor_modes *m = modes_of(scene, (const char *const[]){of, NULL}, &all);
    for (int i = 0; i < 2; ++i) {
      f[k][i] = modes_omega(m, 2 * i) / 2 / PI;
      /* each is there twice, as cosine and sine */
      CHECK_NEAR(modes_omega(m, 2 * i + 1) / 2 / PI, f[k][i], 1e-6 * f[k][i]);
    }
    torsor_modes_destroy(m);
  }
  for (int i = 0; i < 2; ++i) {
    /* The coarse mesh has 8 elements per wave, whose errors of the next order are about a tenth of
     * those that the extrapolation removes. */
    const double limit = f[1][i] + (f[1][i] - f[0][i]) / 3;
    const double bound = fabs(f[1][i] - f[0][i]) / 10;
    char label[80];
    snprintf(label, sizeof label, "tube: %.5g and %.5g Hz, limit %.5g", f[0][i], f[1][i], limit);
    check_report(label, fabs(limit - fluegge[i]), bound);
    CHECK_LE(fabs(limit - fluegge[i]), bound);
  }
}

/* ---- buckling ----------------------------------------------------------------------------------
 */

#define ON_PLANE(edge, ends)                                                                       \
  "{\"name\": \"" edge "\", \"type\": \"edge\", \"on\": \"s.edge_" edge                            \
  "\", \"holds\": \"plane\","                                                                      \
  " \"direction\": [0, 0, 1], \"ends\": " ends "}"

/* A square plate on soft supports, pressed along x: 4 pi^2 D/b^2 per width.  A layer of the width h
 * along the soft edges and shear take a part of h/b. */
static void plate_buckles(void **state) {
  (void)state;
  static const char scene[] =
      "{\"torsor\": 1, \"parameters\": {\"n\": 8}, \"bodies\": [{\"name\": "
      "\"s\", \"type\": "
      "\"shell\", \"elements\": [\"n\", \"n\"], \"length\": 1, \"width\": "
      "1, \"thickness\": 0.01, "
      "\"E\": 7e10, \"nu\": 0.3, \"density\": 2700}], \"joints\": "
      "[" ON_PLANE("x0", "true") ", " ON_PLANE("x1", "true") ", " ON_PLANE(
          "y0", "false") ", " ON_PLANE("y1", "false") ", {\"name\": \"middle\", "
                                                      "\"type\": "
                                                      "\"point_on_line\", \"a\": "
                                                      "{\"body\": "
                                                      "\"ground\", \"position\": "
                                                      "[0.5, 0.5, 0]}, "
                                                      "\"b\": "
                                                      "\"s[${n/2}][${n/2}]\"}, "
                                                      "{\"name\": "
                                                      "\"along\", \"type\": "
                                                      "\"point_on_plane\", "
                                                      "\"normal\": [0, "
                                                      "1, 0], \"a\": {\"body\": "
                                                      "\"ground\", "
                                                      "\"position\": [0, 0.5, "
                                                      "0]}, \"b\": "
                                                      "\"s[0][${n/2}]\"}], "
                                                      "\"forces\": [{\"name\": "
                                                      "\"l\", \"type\": "
                                                      "\"edge_load\", \"on\": "
                                                      "\"s.edge_x0\", "
                                                      "\"force\": "
                                                      "[1e5, 0, 0]}, {\"name\": "
                                                      "\"r\", \"type\": "
                                                      "\"edge_load\", \"on\": "
                                                      "\"s.edge_x1\", "
                                                      "\"force\": "
                                                      "[-1e5, 0, 0]}], "
                                                      "\"statics\": {\"steps\": "
                                                      "2, \"buckling\": 1}, "
                                                      "\"output\": "
                                                      "{\"signals\": "
                                                      "[\"s.edge_x1.start."
                                                      "position\"]}}";
  static equilibria found;
  const double D = 7e10 * 1e-6 / 12 / (1 - 0.09), exact = 4 * PI * PI * D / 1e5;
  double load[2];
  for (int k = 0; k < 2; ++k) {
    char of[40];
    snprintf(of, sizeof of, "parameters.n=%d", 4 << k);
    equilibria_end(&found, scene, (const char *const[]){of, NULL});
    CHECK_INT(found.summary.buckling_count, 1);
    load[k] = found.summary.buckling[0];
  }
  /* The next order is about a tenth of what the extrapolation removes. */
  const double limit = load[1] + (load[1] - load[0]) / 3;
  const double bound = fabs(load[1] - load[0]) / 30 + 0.01 * exact;
  print_message("  pressed plate: %.6g, %.6g, limit %.6g\n", load[0], load[1], limit);
  check_report("pressed plate, off 4 pi^2 D/b^2", fabs(limit - exact), bound);
  CHECK_LE(fabs(limit - exact), bound);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(membrane_patch),    cmocka_unit_test(bending_patch),
      cmocka_unit_test(shear_patch),       cmocka_unit_test(dead_loads),
      cmocka_unit_test(resultants),        cmocka_unit_test(tube_under_pressure),
      cmocka_unit_test(coupled_laminates), cmocka_unit_test(layer_stresses),
      cmocka_unit_test(same_layers),       cmocka_unit_test(welded_edges),
      cmocka_unit_test(stiffened_strip),   cmocka_unit_test(plate_frequencies),
      cmocka_unit_test(tube_frequencies),  cmocka_unit_test(plate_buckles),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
