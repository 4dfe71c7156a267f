/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stresses at points of sections: what determines Saint-Venant's solutions, resultants, tables of
 * Timoshenko and Goodier, beams with closed solutions, recovery matrices, and what is refused. */
#include <stdio.h>

#include "assembly/model/model.h"
#include "check.h"
#include "closed.h"
#include "elements/beam.h"

#define MATERIAL "\"E\": 2e7, \"nu\": 0.25, \"density\": 1"
#define BEAM(section, more)                                                                        \
  "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\", \"length\": 2, "             \
  "\"elements\": 4,"                                                                               \
  " \"section\": " section more                                                                    \
  "}], \"joints\": [{\"name\": \"clamp\", \"type\": \"weld\", \"a\": "                             \
  "\"ground\", \"b\": \"b.start\"}]"
#define SHAPE(shape, more) "{\"shape\": \"" shape "\", " MATERIAL more "}"
#define RECTANGLE(b, h)    SHAPE("rectangle", ", \"width\": " b ", \"height\": " h)

typedef double vec6[6];

static void open_good(support_world *world, const char *text) {
  torsor_error error = {0};
  if (support_open(world, text, NULL, &error)) print_error("%s: %s\n", error.path, error.message);
  CHECK_STR(error.message, "");
}

static const model_element *element_of(const torsor_model *model, const char *name) {
  for (int k = 0; k < model->element_count; ++k)
    if (!strcmp(model->element[k].name, name)) return &model->element[k];
  fail_msg("there is no %s", name);
  return NULL;
}

/* ---- the theory of Saint-Venant -------------------------------------------------------------- */

/* A section whose one point can be put anywhere. */
typedef struct probe {
  section_recovery s;
  torsor_section_point point;
} probe;

static void open_probe(probe *out, const torsor_section *given) {
  torsor_section s = *given;
  *out = (probe){.point = {.name = "p"}};
  s.point = &out->point;
  s.points = 1;
  s.E = 2.5;
  s.G = 1;
  s.density = 1;
  s.torsion = s.shear[0] = nan("");
  assert_null(section_fill(&s));
  section_recover(&out->s, &s, &s, 0);
  CHECK_INT(out->s.points, 1);
}

static void stress_at(double stress[3], probe *p, double y, double z, const vec6 F) {
  p->point.y = y;
  p->point.z = z;
  section_stress(stress, &p->s, 0, F);
}

static const torsor_section solids[] = {
    {.shape = TORSOR_SHAPE_CIRCLE, .size = {0.7}},
    {.shape = TORSOR_SHAPE_TUBE, .size = {0.7, 0.3}},
    {.shape = TORSOR_SHAPE_RECTANGLE, .size = {0.8, 1.4}},
    {.shape = TORSOR_SHAPE_RECTANGLE, .size = {3, 0.4}},
};
enum { SOLIDS = sizeof solids / sizeof *solids };
static const double H = 1e-3; /* differences of the fourth order: H^4 and round-off/H below 1e-10 */

/* d(stress component)/dy or /dz. */
static double slope(probe *p, int component, bool by_z, double y, double z, const vec6 F) {
  static const double weight[] = {8, -1};
  double sum = 0, up[3], down[3];
  for (int k = 0; k < 2; ++k) {
    const double step = (k + 1) * H;
    stress_at(up, p, by_z ? y : y + step, by_z ? z + step : z, F);
    stress_at(down, p, by_z ? y : y - step, by_z ? z - step : z, F);
    sum += weight[k] * (up[component] - down[component]);
  }
  return sum / (12 * H);
}

/* In the material shear obeys balance, its divergence is -d(normal stress)/dx with My' = Vz and Mz'
 * = -Vy, and compatibility, its curl is 2 T/J + nu/(1 + nu) (Vy z/Iz - Vz y/Iy) with the sign of
 * the axes; on the edge none crosses it (below).  These have one solution. */
static void inside(void **state) {
  (void)state;
  static const vec6 force = {0, 1.3, -0.7, 0.9, 0, 0};
  check_rng rng = {11};
  for (int i = 0; i < SOLIDS; ++i) {
    probe p;
    open_probe(&p, &solids[i]);
    const section_properties g = p.s.of_shape;
    double balance = 0, curl = 0;
    for (int k = 0; k < 200; ++k) {
      const double y = check_uniform(&rng, -1.4, 1.4), z = check_uniform(&rng, -0.7, 0.7);
      bool all = true;
      for (int c = 0; c < 4; ++c)
        all &=
            section_has_place(&solids[i], y + (c % 2 ? 10 : -10) * H, z + (c / 2 ? 10 : -10) * H);
      if (!all) continue;
      const double source = force[1] * y / g.Iz + force[2] * z / g.Iy;
      const double turning = 2 * force[3] / g.J + 0.2 * (force[2] * y / g.Iy - force[1] * z / g.Iz);
      balance = check_max(balance, fabs(slope(&p, 1, false, y, z, force) +
                                        slope(&p, 2, true, y, z, force) + source));
      curl = check_max(
          curl, fabs(slope(&p, 2, false, y, z, force) - slope(&p, 1, true, y, z, force) - turning));
    }
    /* stresses and their fourth derivatives by the size of the section of some tens */
    check_report("shear: balance", balance, 1e-8);
    check_report("shear: compatibility", curl, 1e-8);
    CHECK_LE(balance, 1e-8);
    CHECK_LE(curl, 1e-8);
  }
}

/* Shear across the edge, at the angle `t` about the middle. */
static double across_edge(probe *p, const torsor_section *s, double t, bool inner) {
  static const vec6 force = {0, 1.3, -0.7, 0.9, 0, 0};
  double stress[3];
  if (s->shape != TORSOR_SHAPE_RECTANGLE) {
    const double r = inner ? s->size[0] - s->size[1] : s->size[0];
    stress_at(stress, p, r * cos(t), r * sin(t), force);
    return stress[1] * cos(t) + stress[2] * sin(t);
  }
  const double y = s->size[0] / 2, z = s->size[1] / 2, part = 2 * t / PI - 1;
  if (inner) { /* a side along z, just inside it: to first order */
    stress_at(stress, p, y * (1 - 1e-9), z * part * 0.9, force);
    return stress[1];
  }
  stress_at(stress, p, y * part * 0.9, z * (1 - 1e-9), force);
  return stress[2];
}

static void edges(void **state) {
  (void)state;
  for (int i = 0; i < SOLIDS; ++i) {
    probe p;
    open_probe(&p, &solids[i]);
    const bool rectangle = solids[i].shape == TORSOR_SHAPE_RECTANGLE;
    double worst = 0;
    for (double t = 0.01; t < PI; t += 0.05) {
      worst = check_max(worst, fabs(across_edge(&p, &solids[i], t, false)));
      if (solids[i].shape != TORSOR_SHAPE_CIRCLE)
        worst = check_max(worst, fabs(across_edge(&p, &solids[i], t, true)));
    }
    /* rectangle: 1e-9 of the size from the edge, and a series of (b/a)^2/n^2 cut off at 2000 */
    double size = 0, stress[3];
    for (double y = 0.6; y < 1; y += 0.1) {
      stress_at(stress, &p, y * solids[i].size[0] / 2, 0, (vec6){0, 1.3, -0.7, 0.9, 0, 0});
      size = check_max(size, hypot(stress[1], stress[2]));
    }
    const double aspect = rectangle ? solids[i].size[0] / solids[i].size[1] : 1;
    const double bound = (rectangle ? 1e-6 * check_max(1, aspect * aspect) : 1e-13) * size;
    check_report("shear across the edge", worst, bound);
    CHECK_LE(worst, bound);
  }
}

/* ---- resultants ------------------------------------------------------------------------------ */

static const torsor_section walls[] = {
    {.shape = TORSOR_SHAPE_BOX, .size = {0.8, 1.4, 0.01}},
    {.shape = TORSOR_SHAPE_I, .size = {0.8, 1.4, 0.02, 0.01}},
};

/* Forces of the stresses over a grid of cells whose middles are in the material. */
static void add_up(vec6 sum, probe *p, const torsor_section *s, const vec6 F, int ny, int nz) {
  const bool round = s->shape == TORSOR_SHAPE_CIRCLE || s->shape == TORSOR_SHAPE_TUBE;
  const double width = round ? 2 * s->size[0] : s->size[0];
  const double height = round ? width : s->size[1], area = width * height / ny / nz;
  memset(sum, 0, sizeof(vec6));
  for (int i = 0; i < ny; ++i)
    for (int k = 0; k < nz; ++k) {
      const double y = width * ((i + 0.5) / ny - 0.5), z = height * ((k + 0.5) / nz - 0.5);
      double stress[3];
      if (!section_has_place(s, y, z)) continue;
      stress_at(stress, p, y, z, F);
      for (int j = 0; j < 3; ++j) sum[j] += area * stress[j];
      sum[3] += area * (y * stress[2] - z * stress[1]);
      sum[4] += area * z * stress[0];
      sum[5] -= area * y * stress[0];
    }
}

/* Forces and moments come back.  Cells: 1/n^2 of rectangles; edges of round sections leave 1/n^1.5;
 * thin walls lack their corners, t/h.  The shear of an open wall turns back at its ends, which
 * carry the other half of T. */
static void resultants(void **state) {
  (void)state;
  struct {
    const torsor_section *s;
    int ny, nz;
    double tolerance;
  } const cases[] = {{&solids[0], 160, 160, 4e-3}, {&solids[1], 160, 160, 8e-3},
                     {&solids[2], 60, 60, 1e-3},   {&solids[3], 240, 120, 1e-3},
                     {&walls[0], 320, 560, 2e-2},  {&walls[1], 320, 560, 3e-2}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    probe p;
    open_probe(&p, cases[i].s);
    vec6 F = {1, -1.2, 0.8, 1.1, -0.9, 0.7}, sum;
    add_up(sum, &p, cases[i].s, F, cases[i].ny, cases[i].nz);
    if (cases[i].s->shape == TORSOR_SHAPE_I) F[3] /= 2;
    double off = 0;
    for (int j = 0; j < 6; ++j) off = check_max(off, fabs(sum[j] - F[j]));
    char label[80];
    snprintf(label, sizeof label, "resultants of %s", section_shapes[cases[i].s->shape].name);
    check_report(label, off, cases[i].tolerance);
    CHECK_LE(off, cases[i].tolerance);
  }
}

/* ---- tables
 * -------------------------------------------------------------------------------------- */

/* Timoshenko and Goodier, to their digits: 109, largest shear of a twisted rectangle T/(k2 b^2 h),
 * h/b = 1, 2, 3, 5; 124, shear of a force in parts of 3/2 V/A with nu = 1/4, in the middle and at
 * the sides, depth to width 2, 1, 1/2, 1/4. */
static void tables(void **state) {
  (void)state;
  static const double twisted[][2] = {{1, 0.208}, {2, 0.246}, {3, 0.267}, {5, 0.291}};
  static const double bent[][3] = {
      {2, 0.983, 1.033}, {1, 0.940, 1.126}, {0.5, 0.856, 1.396}, {0.25, 0.805, 1.988}};
  probe p;
  double stress[3], off = 0;
  for (int i = 0; i < 4; ++i) {
    open_probe(&p, &(torsor_section){.shape = TORSOR_SHAPE_RECTANGLE, .size = {1, twisted[i][0]}});
    stress_at(stress, &p, 0.5, 0, (vec6){0, 0, 0, 1, 0, 0});
    off = check_max(off, fabs(1 / (stress[2] * twisted[i][0]) - twisted[i][1]));
    open_probe(&p, &(torsor_section){.shape = TORSOR_SHAPE_RECTANGLE, .size = {twisted[i][0], 1}});
    stress_at(stress, &p, 0, 0.5, (vec6){0, 0, 0, 1, 0, 0});
    off = check_max(off, fabs(-1 / (stress[1] * twisted[i][0]) - twisted[i][1]));
  }
  check_report("twisted rectangles", off, 6e-4);
  CHECK_LE(off, 6e-4);
  off = 0;
  for (int i = 0; i < 4; ++i) {
    const double d = bent[i][0];
    open_probe(&p, &(torsor_section){.shape = TORSOR_SHAPE_RECTANGLE, .size = {1, d}});
    for (int side = 0; side < 2; ++side) {
      stress_at(stress, &p, side / 2.0, 0, (vec6){0, 0, 1, 0, 0, 0});
      off = check_max(off, fabs(stress[2] * d / 1.5 - bent[i][1 + side]));
    }
  }
  check_report("rectangles across a force", off, 6e-4);
  CHECK_LE(off, 6e-4);
}

/* ---- beams
 * ---------------------------------------------------------------------------------------- */

#define LOADED(section, load)                                                                      \
  BEAM(section, "")                                                                                \
  ", \"forces\": [{\"name\": \"f\", \"type\": \"force\", \"at\": \"b.end\", "                      \
  "\"axes\": \"body\", " load "}]}"

typedef struct case_of {
  const char *title, *text, *signal;
  double expected;
} case_of;

/* Element 1 of 4 is in the middle between 0.5 and 1: 1.25 from the end.  Loads small enough for
 * what bends or stretches of it to stay below 1e-6. */
static const case_of loaded[] = {
    {"pull", LOADED(RECTANGLE("0.2", "0.1"), "\"force\": [1e-3, 0, 0]"), "b.stress[1].center.axial",
     1e-3 / 0.02},
    {"bending by a force along z, top", LOADED(RECTANGLE("0.2", "0.1"), "\"force\": [0, 0, 1e-3]"),
     "b.stress[1].top.axial", -1.25e-3 * 0.05 / (0.2 * 1e-3 / 12)},
    {"bending by a force along y, right",
     LOADED(RECTANGLE("0.2", "0.1"), "\"force\": [0, 1e-3, 0]"), "b.stress[1].top_right.axial",
     -1.25e-3 * 0.1 / (0.1 * 8e-3 / 12)},
    {"the other corner", LOADED(RECTANGLE("0.2", "0.1"), "\"force\": [0, 1e-3, 0]"),
     "b.stress[1].bottom_left.axial", 1.25e-3 * 0.1 / (0.1 * 8e-3 / 12)},
    {"twisted circle, right",
     LOADED(SHAPE("circle", ", \"radius\": 0.1"), "\"moment\": [1e-3, 0, 0]"),
     "b.stress[2].right.shear_z", 2e-3 / (PI * 1e-3)},
    {"twisted circle, top",
     LOADED(SHAPE("circle", ", \"radius\": 0.1"), "\"moment\": [1e-3, 0, 0]"),
     "b.stress[2].top.shear_y", -2e-3 / (PI * 1e-3)},
    {"its equivalent stress",
     LOADED(SHAPE("circle", ", \"radius\": 0.1"), "\"moment\": [1e-3, 0, 0]"),
     "b.stress[2].left.mises", 1.7320508075688772 * 2e-3 / (PI * 1e-3)},
    {"twisted tube",
     LOADED(SHAPE("tube", ", \"radius\": 0.1, \"thickness\": 0.05"), "\"moment\": [1e-3, 0, 0]"),
     "b.stress[2].right.shear_z", 2e-3 * 0.1 / (PI * (1e-4 - 6.25e-6))},
    {"twisted box",
     LOADED(SHAPE("box", ", \"width\": 0.21, \"height\": 0.11, \"thickness\": 0.01"),
            "\"moment\": [1e-3, 0, 0]"),
     "b.stress[2].right.shear_z", 1e-3 / (2 * 0.02 * 0.01)},
    {"its top",
     LOADED(SHAPE("box", ", \"width\": 0.21, \"height\": 0.11, \"thickness\": 0.01"),
            "\"moment\": [1e-3, 0, 0]"),
     "b.stress[2].top_left.shear_y", -1e-3 / (2 * 0.02 * 0.01)},
    {"box across a force, at its corner",
     LOADED(SHAPE("box", ", \"width\": 0.21, \"height\": 0.11, \"thickness\": 0.01"),
            "\"force\": [0, 0, 1e-3]"),
     "b.stress[0].top_right.shear_y", -1e-3 * 0.05 * 0.1 / (1e-5 / 6 + 1e-5)},
    {"twisted I",
     LOADED(SHAPE("I", ", \"width\": 0.2, \"height\": 0.21, \"flange\": 0.01, \"web\": 0.005"),
            "\"moment\": [1e-3, 0, 0]"),
     "b.stress[2].top.shear_y", -1e-3 * 0.01 * 3 / (2 * 0.2 * 1e-6 + 0.2 * 1.25e-7)},
    {"circle across a force, in the middle: (3 + 2 nu)/(8 (1 + nu)) V r^2/I",
     LOADED(SHAPE("circle", ", \"radius\": 0.1"), "\"force\": [0, 0, 1e-3]"),
     "b.stress[0].center.shear_z", 3.5 / 10 * 1e-3 * 0.01 / (PI * 1e-4 / 4)},
    {"I across a force, in the web",
     LOADED(SHAPE("I", ", \"width\": 0.2, \"height\": 0.21, \"flange\": 0.01, \"web\": 0.005"),
            "\"force\": [0, 0, 1e-3]"),
     "b.stress[0].center.shear_z",
     1e-3 * (0.2 * 0.01 * 0.1 + 0.005 * 0.005) / (0.005 * (0.005 * 8e-3 / 12 + 2 * 0.002 * 0.01))},
    {"matrices: a rectangle's",
     LOADED("{\"stiffness\": [4e5, 1e5, 1e5, 500, 333.33333333333331, "
            "1333.3333333333333], \"inertia\": [1, 1, 1, 1, 1, 1], "
            "\"points\": {\"cap\": [[2e7, 0, 0, 0, 1e6, -2e6], [0, 8e6, "
            "0, 0, 0, 0], [0, 0, 8e6, 0, 0, 0]]}}",
            "\"force\": [0, 0, 1e-3]"),
     "b.stress[1].cap.axial", -1.25e-3 * 0.05 / (0.2 * 1e-3 / 12)},
    {"their shear",
     LOADED("{\"stiffness\": [4e5, 1e5, 1e5, 500, 333.33333333333331, "
            "1333.3333333333333], \"inertia\": [1, 1, 1, 1, 1, 1], "
            "\"points\": {\"cap\": [[2e7, 0, 0, 0, 1e6, -2e6], [0, 8e6, "
            "0, 0, 0, 0], [0, 0, 8e6, 0, 0, 0]]}}",
            "\"force\": [0, 0, 1e-3]"),
     "b.stress[1].cap.shear_z", 80e-3},
    {"matrices that couple: stress of the strain, not of the force",
     LOADED("{\"stiffness\": [[4e5, 0, 0, 0, 0, 1e4], [0, 1e5, 0, 0, 0, 0], [0, 0, 1e5, 0, 0, 0], "
            "[0, 0, 0, 5, 0, 0], [0, 0, 0, 0, 4, 0], [1e4, 0, 0, 0, 0, 1e3]], \"inertia\": "
            "[1, 1, 1, 1, 1, 1], \"points\": {\"cap\": [[1e7, 0, 0, 0, 0, 2e6], [0, 0, 0, 0, 0, "
            "0], [0, 0, 0, 0, 0, 0]]}}",
            "\"force\": [1e-4, 0, 0]"),
     "b.stress[1].cap.axial", (1e5 * 10 - 2e4 * 100) * 1e-4 / (4e3 * 10 - 1e4)},
};

static void beams(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof loaded / sizeof *loaded; ++i) {
    const case_of *c = &loaded[i];
    double row[2];
    closed_rest(row, 2, c->text, (const char *const[]){c->signal, NULL});
    check_report(c->title, fabs(row[1] / c->expected - 1), 1e-6);
    CHECK_NEAR(row[1], c->expected, 1e-6 * fabs(c->expected));
  }
}

/* Held strains: the stress is that of the multipliers, with the beam's own stiffness left out. */
static void held(void **state) {
  (void)state;
  static const char *const text =
      BEAM(RECTANGLE("0.2", "0.1"),
           ", \"inextensible\": true, \"shear_rigid\": true") ", \"forces\": [{\"name\": \"f\", "
                                                              "\"type\": \"force\", \"at\": "
                                                              "\"b.end\", \"force\": [2e-5, 0, "
                                                              "1e-5]}]}";
  static const char *const signals[] = {"b.stress[1].top.axial", "b.stress[1].center", NULL};
  double row[6];
  closed_rest(row, 6, text, signals);
  const double pull = 2e-5 / 0.02, bend = -1.25e-5 * 0.05 / (0.2 * 1e-3 / 12);
  CHECK_NEAR(row[1], pull + bend, 1e-6 * fabs(bend));
  CHECK_NEAR(row[2], pull, 1e-6 * pull);
  const double middle = 0.856 * 1.5e-5 / 0.02; /* width twice the height: the table above */
  CHECK_NEAR(row[4], middle, 6e-4 * middle);
  CHECK_NEAR(row[5], hypot(row[2], sqrt(3) * row[4]), 1e-12 * row[5]);
}

/* The middle of element 1 of 2 is at 3/4; points go along with the sizes. */
static void tapers(void **state) {
  (void)state;
  static const char *const text =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\", \"length\": 2, "
      "\"elements\": 2, \"section\": {\"shape\": \"circle\", \"E\": 2e7, \"nu\": 0.25, "
      "\"density\": 1, \"radius\": 0.2, \"points\": {\"half\": [0.1, 0]}}, "
      "\"section_end\": {\"shape\": \"circle\", \"E\": 2e7, \"nu\": 0.25, \"density\": 1, "
      "\"radius\": 0.1, \"points\": {\"half\": [0.05, 0]}}}, {\"name\": \"c\", \"type\": "
      "\"beam\", \"length\": 2, \"elements\": 2, \"section\": {\"shape\": \"circle\", "
      "\"E\": 2e7, \"nu\": 0.25, \"density\": 1, \"radius\": 0.2}, \"section_end\": "
      "{\"shape\": \"circle\", \"E\": 2e7, \"nu\": 0.25, \"density\": 1, \"radius\": "
      "0.1}}], \"joints\": [{\"name\": \"clamp\", \"type\": \"weld\", \"a\": \"ground\", "
      "\"b\": \"b.start\"}, {\"name\": \"clamp_c\", \"type\": \"weld\", \"a\": \"ground\", "
      "\"b\": \"c.start\"}], \"forces\": [{\"name\": \"f\", \"type\": \"force\", \"at\": "
      "\"b.end\", \"moment\": [1e-3, 0, 0]}, {\"name\": \"g\", \"type\": \"force\", "
      "\"at\": \"c.end\", \"moment\": [1e-3, 0, 0]}]}";
  static const char *const signals[] = {"b.stress[1].half.shear_z", "c.stress[1].right.shear_z",
                                        NULL};
  double row[3];
  closed_rest(row, 3, text, signals);
  const double r = 0.125, expected = 2e-3 / (PI * r * r * r);
  CHECK_NEAR(row[1], expected / 2, 1e-6 * expected);
  CHECK_NEAR(row[2], expected, 1e-6 * expected);
}

/* The stresses of a bent and moving element, turned and moved as a whole. */
static void rigid_motion(void **state) {
  (void)state;
  support_world world;
  open_good(&world, BEAM(RECTANGLE("0.2", "0.1"), ", \"damping_factor\": 0.1") "}");
  const model_element *e = element_of(world.model, "b.element[1]");
  check_rng rng = {5};
  const m3 Q = so3_rodrigues((v3){0.4, -1.2, 0.8});
  double worst = 0, size = 0;
  for (int k = 0; e->type->outputs.places->place(e->instance, k); ++k) {
    torsor_motion motion[2], turned[2];
    const torsor_motion *seen[2] = {&motion[0], &motion[1]}, *after[2] = {&turned[0], &turned[1]};
    double value[2][TORSOR_PLACE_COMPONENTS];
    for (int i = 0; i < 2; ++i) {
      double twists[12];
      for (int j = 0; j < 12; ++j) twists[j] = check_uniform(&rng, -0.1, 0.1);
      motion[i].R = so3_rodrigues(v3_load(twists));
      motion[i].x = v3_add((v3){0.5 * i, 0, 0}, v3_load(twists + 3));
      motion[i].V = motion[i].A = tw_load(twists + 6);
      turned[i] = motion[i];
      turned[i].R = m3_mul(Q, motion[i].R);
      turned[i].x = v3_add((v3){3, -2, 1}, m3_mulv(Q, motion[i].x));
    }
    e->type->outputs.places->output(e->instance, &(torsor_element_in){.load = 1, .node = seen}, k,
                                    value[0]);
    e->type->outputs.places->output(e->instance, &(torsor_element_in){.load = 1, .node = after}, k,
                                    value[1]);
    for (int j = 0; j < 4; ++j) {
      worst = check_max(worst, fabs(value[0][j] - value[1][j]));
      size = check_max(size, fabs(value[0][j]));
    }
  }
  /* places of size 5 over an element of 0.5 and strains of 0.2 */
  check_report("rigid motion: stresses", worst / size, 500 * CHECK_EPS);
  CHECK_LE(worst, 500 * CHECK_EPS * size);
  support_close(&world);
}

/* ---- scenes
 * --------------------------------------------------------------------------------------- */

/* Points of one's own take the place of those of the shape; where two sections have not the same,
 * there are none. */
static void names(void **state) {
  (void)state;
  static const struct {
    const char *text, *signal;
    bool known;
  } cases[] = {
      {BEAM(SHAPE("circle", ", \"radius\": 1, \"points\": {\"_a\": 1, \"P-1_x\": [0.5, 0.5]}"),
            "") "}",
       "b.stress[3].P-1_x.mises", true},
      {BEAM(SHAPE("circle", ", \"radius\": 1, \"points\": {\"P\": [0.5, 0.5]}"), "") "}",
       "b.stress[3].top", false},
      {BEAM(SHAPE("tube", ", \"radius\": 1, \"thickness\": 0.2"), "") "}", "b.stress[3].center",
       false},
      {BEAM(SHAPE("I", ", \"width\": 1, \"height\": 1, \"flange\": 0.1, \"web\": 0.1"), "") "}",
       "b.stress[3].left", false},
      {BEAM("{\"stiffness\": [1, 1, 1, 1, 1, 1], \"inertia\": [1, 1, 1, 1, 1, 1]}", "") "}",
       "b.stress[3]", false},
      {BEAM(SHAPE("circle", ", \"radius\": 1"), ", \"section_end\": " RECTANGLE("1", "1")) "}",
       "b.stress[3]", false},
      {BEAM(SHAPE("circle", ", \"radius\": 1, \"points\": {\"P\": [0, 0]}"),
            ", \"section_end\": " SHAPE("circle",
                                        ", \"radius\": 2, \"points\": {\"Q\": [0, 0]}")) "}",
       "b.stress[3]", false},
      {BEAM(SHAPE("circle", ", \"radius\": 1"), "") "}", "b.stress[4].top", false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    support_world world;
    torsor_signals *signals;
    torsor_error error = {0};
    open_good(&world, cases[i].text);
    const torsor_status status =
        torsor_signals_create(&signals, world.model, &cases[i].signal, 1, NULL, &error);
    CHECK_INT(status, cases[i].known ? TORSOR_OK : TORSOR_SCENE);
    torsor_signals_destroy(signals);
    support_close(&world);
  }
}

#define ROUND(points) BEAM(SHAPE("circle", ", \"radius\": 1, \"points\": " points), "") "}"
#define TUBE(points)                                                                               \
  BEAM(SHAPE("tube", ", \"radius\": 1, \"thickness\": 0.2, \"points\": " points), "") "}"
#define HOLLOW(points)                                                                             \
  BEAM(SHAPE("box", ", \"width\": 2, \"height\": 1, \"thickness\": 0.2, \"points\": " points), "") \
  "}"
#define GIRDER(points)                                                                             \
  BEAM(SHAPE("I",                                                                                  \
             ", \"width\": 2, \"height\": 1, \"flange\": 0.2, \"web\": 0.1, \"points\": " points), \
       "")                                                                                         \
  "}"
#define FULL(points)                                                                               \
  BEAM("{\"stiffness\": [1, 1, 1, 1, 1, 1], \"inertia\": [1, 1, 1, 1, 1, 1], \"points\": " points  \
       "}",                                                                                        \
       "")                                                                                         \
  "}"

static void refused(void **state) {
  (void)state;
  static const char *const outside = "is not in the material";
  static const char *const naming = "the name of a point has 1 to 31 letters";
  static const char *const cases[][2] = {
      {ROUND("[1]"), "must be an object, but is"},
      {ROUND("{\"p\": [1]}"), "2 numbers"},
      {ROUND("{\"p\": [1, 0.1]}"), outside},
      {ROUND("{\"a.b\": [0, 0]}"), naming},
      {ROUND("{\"\": [0, 0]}"), naming},
      {ROUND("{\"abcdefghijklmnopqrstuvwxyzabcdef\": [0, 0]}"), naming},
      {TUBE("{\"p\": [0.7, 0]}"), outside},
      {HOLLOW("{\"p\": [0.7, 0.2]}"), outside},
      {GIRDER("{\"p\": [0.7, 0.2]}"), outside},
      {BEAM(SHAPE("rectangle", ", \"width\": 2, \"height\": 1, \"points\": {\"p\": [0.5, 0.6]}"),
            "") "}",
       outside},
      {FULL("{\"p\": [[1, 0, 0, 0, 0, 0]]}"), "needs 3 rows, but has 1"},
      {FULL("{\"p\": [[1, 0, 0, 0, 0, 0], [1, 2], [0, 0, 0, 0, 0, 0]]}"), "6 numbers"},
      {FULL("{\"p\": 3}"), "three rows of stresses"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    support_world world;
    torsor_error error = {0};
    CHECK_INT(support_open(&world, cases[i][0], NULL, &error), TORSOR_SCENE);
    CHECK_CONTAINS(error.message, cases[i][1]);
    CHECK_CONTAINS(error.path, "points");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inside),  cmocka_unit_test(edges),        cmocka_unit_test(resultants),
      cmocka_unit_test(tables),  cmocka_unit_test(beams),        cmocka_unit_test(held),
      cmocka_unit_test(tapers),  cmocka_unit_test(rigid_motion), cmocka_unit_test(names),
      cmocka_unit_test(refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
