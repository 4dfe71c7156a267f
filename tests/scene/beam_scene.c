/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Beams in scenes: sections, axes, places on a beam, signals, and what is refused. */
#include <stdio.h>

#include "check.h"
#include "support.h"
#include "elements/beam.h"
#include "assembly/model/model.h"

#define PI 3.141592653589793

/* A beam with `keys` and the section `section`, and what comes after the bodies. */
static void write_scene(char *text, size_t size, const char *section, const char *keys,
                        const char *rest) {
  snprintf(text, size,
           "{\"torsor\": 1, \"sections\": {\"bar\": %s}, \"bodies\": [{\"name\": \"b\", \"type\":"
           " \"beam\", \"section\": \"bar\"%s}]%s}",
           section, keys, rest);
}

#define BAR                                                                                        \
  "{\"shape\": \"rectangle\", \"width\": 0.2, \"height\": 0.1, \"E\": 2e11, \"nu\": 0.3, "         \
  "\"density\": 7800}"
#define STRAIGHT ", \"length\": 2, \"elements\": 4"

static torsor_status open_scene(support_world *world, torsor_error *error, const char *section,
                                const char *keys, const char *rest) {
  char text[3000];
  write_scene(text, sizeof text, section, keys, rest);
  *error = (torsor_error){0};
  return support_open(world, text, NULL, error);
}

static void open_good(support_world *world, const char *section, const char *keys,
                      const char *rest) {
  torsor_error error;
  const torsor_status status = open_scene(world, &error, section, keys, rest);
  if (status) print_error("%s: %s (%s)\n", error.path, error.message, error.hint);
  CHECK_INT(status, TORSOR_OK);
}

/* Element `i` of the beam "b". */
static const beam_element_data *element_of(const torsor_model *model, int i) {
  char name[40];
  snprintf(name, sizeof name, "b.element[%d]", i);
  for (int k = 0; k < model->element_count; ++k)
    if (!strcmp(model->element[k].name, name)) return model->element[k].instance;
  fail_msg("there is no %s", name);
  return NULL;
}

static se3 frame_of(const torsor_model *model, int i) {
  return model->node[i].init.frame;
}

/* ---- sections -------------------------------------------------------------------------------- */

/* Stiffness (K) or inertia (M) entry of a section. */
static double entry(const char *section, char matrix, int i, int j) {
  support_world world;
  open_good(&world, section, STRAIGHT, "");
  const beam_element_data *e = element_of(world.model, 0);
  const double value = matrix == 'K' ? e->section->K.m[i][j] : e->section->M[0].m[i][j];
  support_close(&world);
  return value;
}

static void holds(const char *what, double value, double expected, double relative) {
  check_report(what, fabs(value / expected - 1), relative);
  CHECK_NEAR(value, expected, relative * fabs(expected));
}

#define UNIT(shape) "{\"shape\": " shape ", \"E\": 1, \"G\": 1, \"density\": 1}"

/* Areas and moments by hand; torsion constants of rectangles from the table of Timoshenko and
 * Goodier (article 109: 0.1406, 0.229, 0.291, 0.312 of a b^3), to its digits; a long rectangle a
 * b^3/3 (1 - 0.630 b/a); shear coefficients of Cowper's Table 1 for nu = 0.3. */
static void sections_by_hand(void **state) {
  (void)state;
  const double exact = 16 * CHECK_EPS;
  holds("rectangle: area", entry(UNIT("\"rectangle\", \"width\": 3, \"height\": 2"), 'M', 0, 0), 6,
        exact);
  holds("rectangle: Iy", entry(UNIT("\"rectangle\", \"width\": 3, \"height\": 2"), 'K', 4, 4), 2,
        exact);
  holds("rectangle: Iz", entry(UNIT("\"rectangle\", \"width\": 3, \"height\": 2"), 'K', 5, 5), 4.5,
        exact);
  holds("square: J", entry(UNIT("\"rectangle\", \"width\": 1, \"height\": 1"), 'K', 3, 3), 0.1406,
        3.6e-4);
  holds("2:1: J", entry(UNIT("\"rectangle\", \"width\": 1, \"height\": 2"), 'K', 3, 3), 2 * 0.229,
        2.2e-3);
  holds("5:1: J", entry(UNIT("\"rectangle\", \"width\": 5, \"height\": 1"), 'K', 3, 3), 5 * 0.291,
        1.8e-3);
  holds("1000:1: J", entry(UNIT("\"rectangle\", \"width\": 1000, \"height\": 1"), 'K', 3, 3),
        1000.0 / 3 * (1 - 0.630e-3), 1e-6);
  holds("circle: J", entry(UNIT("\"circle\", \"radius\": 2"), 'K', 3, 3), 8 * PI, exact);
  holds("tube: area", entry(UNIT("\"tube\", \"radius\": 2, \"thickness\": 0.5"), 'K', 0, 0),
        1.75 * PI, exact);
  holds("tube without hole: k",
        entry(UNIT("\"tube\", \"radius\": 2, \"thickness\": 2"), 'K', 1, 1) /
            entry(UNIT("\"circle\", \"radius\": 2"), 'K', 1, 1),
        1, exact);
  holds("box: Iy", entry(UNIT("\"box\", \"width\": 4, \"height\": 6, \"thickness\": 1"), 'K', 4, 4),
        (4.0 * 216 - 2 * 64) / 12, exact);
  /* A square box of 3 between its middle lines: 4 A^2 t/(4 a) = a^3 t. */
  holds("box: J",
        entry(UNIT("\"box\", \"width\": 3.1, \"height\": 3.1, \"thickness\": 0.1"), 'K', 3, 3), 2.7,
        exact);
  holds("I: Iz",
        entry(UNIT("\"I\", \"width\": 4, \"height\": 6, \"flange\": 1, \"web\": 0.5"), 'K', 5, 5),
        (2 * 64 + 4 * 0.125) / 12, exact);
  holds("rectangle: shear coefficient", entry(BAR, 'K', 1, 1) / entry(BAR, 'K', 0, 0) * 2.6,
        13 / 15.3, exact);
  holds("circle: shear coefficient",
        entry("{\"shape\": \"circle\", \"radius\": 1, \"E\": 1, \"nu\": 0.3, \"density\": 1}", 'K',
              2, 2) /
            PI * 2.6,
        7.8 / 8.8, exact);
  /* Thin: Cowper's 2 (1 + nu)/(4 + 3 nu), which the thick formula meets within the wall's
   * thickness. */
  holds("thin tube: shear coefficient",
        entry("{\"shape\": \"tube\", \"radius\": 1, \"thickness\": 1e-4, \"E\": 1, \"nu\": 0.3,"
              " \"density\": 1}",
              'K', 2, 2) /
            (PI * (1 - 0.9999 * 0.9999)) * 2.6,
        2.6 / 4.9, 1e-4);
}

static const char *const full =
    "{\"stiffness\": [[9, 1, 0, 0, 0, 2], [1, 7, 0, 0, 0, 0], [0, 0, 6, 0, 0, 0], [0, 0, 0, 3, 0, "
    "0],"
    " [0, 0, 0, 0, 4, 0], [2, 0, 0, 0, 0, 5]], \"inertia\": [[2, 0, 0, 0, 0, -0.4],"
    " [0, 2, 0, 0, 0, 0], [0, 0, 2, 0.4, 0, 0], [0, 0, 0.4, 1, 0, 0], [0, 0, 0, 0, 1, 0],"
    " [-0.4, 0, 0, 0, 0, 1]]}";

/* Matrices as given; a taper at its Gauss points, which are exact for the mass of a linear one. */
static void matrices_and_tapers(void **state) {
  (void)state;
  CHECK_NEAR(entry(full, 'K', 5, 0), 2, 0);
  CHECK_NEAR(entry(full, 'M', 2, 3), 0.4, 0);
  support_world world;
  open_good(&world, UNIT("\"circle\", \"radius\": 1"),
            STRAIGHT ", \"section_end\": " UNIT("\"circle\", \"radius\": 0.5"), "");
  double mass = 0;
  for (int i = 0; i < 4; ++i) {
    const beam_element_data *e = element_of(world.model, i);
    for (int g = 0; g < BEAM_POINTS; ++g)
      mass += BEAM_WEIGHT * e->length * e->section->M[g].m[0][0];
  }
  holds("mass of a cone", mass, PI * 2 * (1 + 0.5 + 0.25) / 3, 64 * CHECK_EPS);
  support_close(&world);
}

/* Mass and stiffness of one element of `n` between a table's rows. */
static double sum_mass(const char *section, const char *more, int n, double *stiffness) {
  char keys[400];
  snprintf(keys, sizeof keys, ", \"length\": 2, \"elements\": %d%s", n, more);
  support_world world;
  open_good(&world, section, keys, "");
  double mass = 0;
  for (int i = 0; i < n; ++i) {
    const beam_element_data *e = element_of(world.model, i);
    for (int g = 0; g < BEAM_POINTS; ++g)
      mass += BEAM_WEIGHT * e->length * e->section->M[g].m[0][0];
    if (stiffness) stiffness[i] = e->section->K.m[5][5];
  }
  support_close(&world);
  return mass;
}

static const char *const soft =
    "{\"stiffness\": [1, 1, 1, 1, 1, 1], \"inertia\": [1, 1, 1, 1, 1, 1]}";

#define DISC(radius)        UNIT("\"circle\", \"radius\": " radius)
#define ROW(place, section) "[" place ", " section "]"

/* Two cones, a taper written as a table, matrices, a step, and what is outside. */
static void tables(void **state) {
  (void)state;
  const double exact = 64 * CHECK_EPS;
  double K[8];
  holds("mass of two cones",
        sum_mass("{\"table\": [" ROW("0", DISC("1")) ", " ROW("0.5", DISC("0.5")) ", " ROW(
                     "1", DISC("1")) "]}",
                 "", 4, NULL),
        2 * PI * (1 + 0.5 + 0.25) / 3, exact);
  holds("a table is a taper",
        sum_mass("{\"table\": [" ROW("0", DISC("1")) ", " ROW("1", DISC("0.5")) "]}", "", 2, NULL),
        sum_mass(DISC("1"), ", \"section_end\": " DISC("0.5"), 2, NULL), exact);
  char text[1500];
  snprintf(text, sizeof text, "{\"table\": [[0.25, %s], [0.25, %s], [0.75, %s]]}", soft, full,
           soft);
  /* int m ds = 0.5 + 1 (2 + 1)/2 + 0.5 */
  holds("mass with a step of matrices", sum_mass(text, "", 4, K), 2.5, exact);
  const double expected[4] = {1, 4, 2, 1}; /* from 5 to 1: means of the second and third quarter */
  for (int i = 0; i < 4; ++i) holds("stiffness of an element", K[i], expected[i], exact);
}

/* ---- the axis -------------------------------------------------------------------------------- */

static void axis_is(const char *what, const char *keys, int node, v3 x, v3 along) {
  support_world world;
  open_good(&world, BAR, keys, "");
  const se3 H = frame_of(world.model, node);
  const v3 ex = {1, 0, 0};
  double off = v3_norm(v3_sub(H.x, x));
  off = check_max(off, v3_norm(v3_sub(so3_rotate(H.R, ex), along)));
  check_report(what, off, 64 * CHECK_EPS);
  CHECK_LE(off, 64 * CHECK_EPS);
  support_close(&world);
}

static void axes(void **state) {
  (void)state;
  axis_is("straight", STRAIGHT, 3, (v3){1.5, 0, 0}, (v3){1, 0, 0});
  axis_is("to its end", ", \"position\": [1, 2, 3], \"end\": [1, 2, 5], \"elements\": 4", 1,
          (v3){1, 2, 3.5}, (v3){0, 0, 1});
  axis_is("backwards", ", \"end\": [-4, 0, 0], \"elements\": 4", 4, (v3){-4, 0, 0}, (v3){-1, 0, 0});
  axis_is("turned",
          ", \"orientation\": {\"euler\": \"zyx\", \"angles\": [\"pi/2\", 0, 1]}" STRAIGHT, 4,
          (v3){0, 2, 0}, (v3){0, 1, 0});
  axis_is("quarter of a circle",
          ", \"length\": \"pi/2\", \"curvature\": [0, 0, 1], \"elements\": 8", 8, (v3){1, 1, 0},
          (v3){0, 1, 0});
  axis_is("twisted", ", \"twist\": 3" STRAIGHT, 4, (v3){2, 0, 0}, (v3){1, 0, 0});
  axis_is("station", ", \"stations\": [0.3, 1]" STRAIGHT, 1, (v3){0.6, 0, 0}, (v3){1, 0, 0});
}

/* A circle through points: length, and frames that follow the curve within the spline's error
 * h^4/384 of the fourth derivative (1 m, 16 points). */
static void curve_axis(void **state) {
  (void)state;
  char keys[1200] = ", \"elements\": 12, \"curve\": {\"points\": [";
  for (int i = 0; i <= 16; ++i)
    snprintf(keys + strlen(keys), sizeof keys - strlen(keys), "%s[%.17g, %.17g, 0]", i ? ", " : "",
             cos(PI * i / 16), sin(PI * i / 16));
  snprintf(keys + strlen(keys), sizeof keys - strlen(keys), "]}");
  support_world world;
  open_good(&world, BAR, keys, "");
  double off = 0;
  for (int i = 0; i <= 12; ++i) {
    const v3 x = frame_of(world.model, i).x;
    off = check_max(off, fabs(v3_norm(x) - 1));
  }
  /* Natural ends bend by h^2/... less: their curvature is 0 there, an error of k h^2/24 that dies
   * out. */
  const double h = PI / 16, bound = h * h / 24;
  check_report("half a circle: off the circle, m", off, bound);
  CHECK_LE(off, bound);
  support_close(&world);
}

/* ---- places and signals ---------------------------------------------------------------------- */

static void places(void **state) {
  (void)state;
  static const char *const name[] = {"b.start", "b[0]", "b.end", "b[4]", "b@0.25",
                                     "b[1]",    "b@1",  "b[4]",  "b@0",  "b[0]"};
  for (int i = 0; i < 10; i += 2) {
    support_world world[2];
    for (int k = 0; k < 2; ++k) {
      char rest[300];
      snprintf(
          rest, sizeof rest,
          ", \"joints\": [{\"name\": \"j\", \"type\": \"weld\", \"a\": \"ground\", \"b\": \"%s\"}]",
          name[i + k]);
      open_good(&world[k], BAR, STRAIGHT, rest);
    }
    const model_element *own = world[0].model->element, *other = world[1].model->element;
    const int joint = world[0].model->element_count - 1;
    CHECK_INT(own[joint].node[0], other[joint].node[0]);
    for (int k = 0; k < 2; ++k) support_close(&world[k]);
  }
}

static int count_signals(const torsor_model *model, const char *name, char first[100]) {
  torsor_signals *signals;
  torsor_error error = {0};
  if (torsor_signals_create(&signals, model, &name, 1, NULL, &error)) return -1;
  const int count = torsor_signals_count(signals);
  snprintf(first, 100, "%s", torsor_signals_name(signals, 0));
  torsor_signals_destroy(signals);
  return count;
}

static void signals(void **state) {
  (void)state;
  static const struct {
    const char *name;
    int count;
    const char *first;
  } table[] = {
      {"b[3]", 25, "b[3].position.x"},
      {"b[3].velocity", 3, "b[3].velocity.x"},
      {"b.section_force[2]", 3, "b.section_force[2].x"},
      {"b.section_moment", 12, "b.section_moment[0].x"},
      {"b.curvature[3].z", 1, "b.curvature[3].z"},
      {"b.start.position", 3, "b.start.position.x"},
      {"b.end", 25, "b.end.position.x"},
      {"b.stress[1]", 36, "b.stress[1].top.axial"},
      {"b.stress[3].left", 4, "b.stress[3].left.axial"},
      {"b.stress[3].top", 4, "b.stress[3].top.axial"},
      {"b@0.75.position.y", 1, "b[3].position.y"},
      {"b@1.position", 3, "b[4].position.x"},
      {"b", 5 * 25 + 4 * (24 + 9 * 4), "b[0].position.x"},
      {"b[1", -1, ""},
      {"b@0.3.position", -1, ""},
      {"b.section_force[4]", -1, ""},
  };
  support_world world;
  open_good(&world, BAR, STRAIGHT, "");
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    char first[100] = "";
    CHECK_INT(count_signals(world.model, table[i].name, first), table[i].count);
    CHECK_STR(first, table[i].first);
  }
  CHECK_INT(torsor_model_count(world.model).bodies, 5);
  support_close(&world);
}

/* ---- what is refused ------------------------------------------------------------------------- */

#define WELD(place)                                                                                \
  ", \"joints\": [{\"name\": \"j\", \"type\": \"weld\", \"a\": \"ground\", \"b\": \"" place "\"}]"

static const struct {
  const char *section, *keys, *rest, *path, *message;
} refused[] = {
    {BAR, ", \"elements\": 4", "", "bodies[0].length", "the beam has no end"},
    {BAR, ", \"length\": 1, \"end\": [1, 0, 0], \"elements\": 4", "", "bodies[0].end", "neither"},
    {BAR, ", \"end\": [0, 0, 0], \"elements\": 4", "", "bodies[0].end", "where it starts"},
    {BAR,
     ", \"end\": [0, 1, 0], \"orientation\": {\"rotation_vector\": [0, 0, 0]}, \"elements\": 4", "",
     "bodies[0].orientation", "does not point to the end"},
    {BAR, ", \"length\": 1, \"elements\": 0", "", "bodies[0].elements", "must be"},
    {BAR, ", \"length\": 1, \"elements\": 2, \"curvature\": [0, 0, 6]", "", "bodies[0].elements",
     "half a turn"},
    {BAR, STRAIGHT ", \"stations\": [0.3, 0.26]", "", "bodies[0].stations", "the same node"},
    {BAR, STRAIGHT ", \"stations\": [1.2]", "", "bodies[0].stations", "off the beam"},
    {BAR, STRAIGHT ", \"group\": \"SO3\"", "", "bodies[0].group", "nodes of a beam move"},
    {BAR, STRAIGHT ", \"damping_ratio\": 0.1", "", "bodies[0].damping_ratio", "belong together"},
    {BAR, STRAIGHT ", \"damping_ratio\": 0.1, \"damping_frequency\": 3, \"damping_factor\": 1", "",
     "bodies[0].damping_factor", "two values for its damping"},
    {BAR, STRAIGHT, WELD("b"), "joints[0].b", "is a beam, which has many frames"},
    {BAR, STRAIGHT, WELD("b[5]"), "joints[0].b", "no position"},
    {BAR, STRAIGHT, WELD("b.middle"), "joints[0].b", "no position"},
    {BAR, STRAIGHT, WELD("b@0.3"), "joints[0].b", "no node at 0.3"},
    {BAR, STRAIGHT, WELD("b@2"), "joints[0].b", "is not on the beam"},
    {BAR, STRAIGHT, WELD("b@x"), "joints[0].b", "no position"},
    {BAR, STRAIGHT, WELD("b.end.position"), "joints[0].b", "not a position"},
    {BAR, STRAIGHT, WELD("c.end"), "joints[0].b", "there is no body"},
    {BAR, STRAIGHT, WELD("b.element[0]"), "joints[0].b", "there is no body"},
    {BAR, STRAIGHT ", \"section_end\": \"baz\"", "", "bodies[0].section_end", "no section \"baz\""},
    {"{\"table\": []}", STRAIGHT, "", "sections.bar.table", "no rows"},
    {"{\"table\": [[0.5]]}", STRAIGHT, "", "sections.bar.table[0]", "a place and a section"},
    {"{\"table\": [[1.5, \"baz\"]]}", STRAIGHT, "", "sections.bar.table[0][0]", "0 to 1"},
    {"{\"table\": [[0.5, \"baz\"]]}", STRAIGHT, "", "sections.bar.table[0][1]", "no section"},
    {"{\"table\": [[0.5, \"bar\"]]}", STRAIGHT, "", "sections.bar", "no single section"},
    {"{\"table\": [[0.5, " BAR "], [0.4, " BAR "]]}", STRAIGHT, "", "sections.bar.table[1]",
     "must not descend"},
    {"{\"table\": [[0, " BAR "], [1, " BAR "]]}", STRAIGHT ", \"section_end\": " BAR, "",
     "bodies[0].section_end", "a table already"},
    {"3", STRAIGHT, "", "sections.bar", "must be a section"},
    {"{\"shape\": \"disc\"}", STRAIGHT, "", "sections.bar.shape", "must be"},
    {"{\"shape\": \"circle\", \"width\": 1}", STRAIGHT, "", "sections.bar.width", "unknown key"},
    {"{\"shape\": \"circle\", \"radius\": 1, \"E\": 1, \"density\": 1}", STRAIGHT, "",
     "sections.bar", "one of \"nu\" and \"G\""},
    {"{\"shape\": \"circle\", \"radius\": -1, \"E\": 1, \"density\": 1}", STRAIGHT, "",
     "sections.bar.radius", "greater than 0"},
    {"{\"shape\": \"circle\", \"radius\": 1, \"E\": 1, \"nu\": 0.6, \"density\": 1}", STRAIGHT, "",
     "sections.bar.nu", "at most 0.5"},
    {UNIT("\"tube\", \"radius\": 1, \"thickness\": 2"), STRAIGHT, "", "sections.bar", "thicker"},
    {UNIT("\"box\", \"width\": 1, \"height\": 1, \"thickness\": 0.5"), STRAIGHT, "", "sections.bar",
     "no room"},
    {"{\"stiffness\": [1, 1, 1, 1, 1, 0], \"inertia\": [1, 1, 1, 1, 1, 1]}", STRAIGHT, "",
     "sections.bar.stiffness", "bending about z"},
    {"{\"stiffness\": [1, 1, 1, 1, 1], \"inertia\": [1, 1, 1, 1, 1, 1]}", STRAIGHT, "",
     "sections.bar.stiffness", "6 numbers"},
    {"{\"stiffness\": [1, 1, 1, 1, 1, 1], \"inertia\": [1, 2, 1, 1, 1, 1]}", STRAIGHT, "",
     "sections.bar.inertia", "slice"},
    {"{\"stiffness\": [1, 1, 1, 1, 1, 1], \"inertia\": [1, 1, 1, 1, -1, 1]}", STRAIGHT, "",
     "sections.bar.inertia", "negative"},
    {"{\"stiffness\": [1, 1, 1, 1, 1, 1], \"inertia\": [0, 0, 0, 1, 1, 1]}", STRAIGHT, "",
     "sections.bar.inertia", "no mass"},
    {"{\"stiffness\": [[1, 1, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0],"
     " [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]],"
     " \"inertia\": [1, 1, 1, 1, 1, 1]}",
     STRAIGHT, "", "sections.bar.stiffness", "not symmetric"},
};

static void refusals(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
    support_world world;
    torsor_error error;
    const torsor_status status =
        open_scene(&world, &error, refused[i].section, refused[i].keys, refused[i].rest);
    if (!status || !strstr(error.message, refused[i].message) ||
        strcmp(error.path, refused[i].path))
      print_error("%s%s%s\n -> %s: %s (%s)\n", refused[i].section, refused[i].keys, refused[i].rest,
                  error.path, error.message, error.hint);
    CHECK_INT(status, TORSOR_SCENE);
    CHECK_CONTAINS(error.message, refused[i].message);
    CHECK_STR(error.path, refused[i].path);
    CHECK_TRUE(error.line > 0);
  }
}

/* The names of a beam's parts are taken by the beam. */
static void names(void **state) {
  (void)state;
  support_world world;
  torsor_error error;
  CHECK_INT(open_scene(&world, &error, BAR, STRAIGHT,
                       ", \"forces\": [{\"name\": \"b\", \"type\": \"force\", \"at\": \"b.end\","
                       " \"force\": [1, 0, 0]}]"),
            TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "two elements called \"b\"");
  CHECK_CONTAINS(error.hint, "the other one is a beam");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sections_by_hand),
      cmocka_unit_test(matrices_and_tapers),
      cmocka_unit_test(tables),
      cmocka_unit_test(axes),
      cmocka_unit_test(curve_axis),
      cmocka_unit_test(places),
      cmocka_unit_test(signals),
      cmocka_unit_test(refusals),
      cmocka_unit_test(names),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
