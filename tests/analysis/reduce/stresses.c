/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reduced bodies with stresses and stiffening: solid elements, a beam of them under its weight, a
 * blade that turns against CalculiX, and what is refused. */
#include "analysis/reduce/solids.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "equilibria.h"
#include "modes_kit.h"
#include "scene/reduce_job.h"
#include "solid_kit.h"

static char folder[] = "/tmp/torsor-stresses-XXXXXX";
static char path_of[8][120];

static const char *path(const char *name) {
  static int turn;
  char *out = path_of[turn = (turn + 1) % 8];
  snprintf(out, sizeof path_of[0], "%s/%s", folder, name);
  return out;
}

static void write_text(const char *name, const char *content) {
  FILE *file = fopen(path(name), "w");
  CHECK_TRUE(file != NULL);
  fputs(content, file);
  fclose(file);
}

/* ---- elements -------------------------------------------------------------------------------- */

/* A displacement of second degree, u_c = a_c.x + x.B_c x. */
static double displacement(int c, v3 x) {
  const v3 a = {0.3 + c, -0.2 * c, 0.7};
  return v3_dot(a, x) + (0.1 + c) * x.x * x.y - 0.4 * x.y * x.z + (0.2 - c) * x.z * x.z;
}

static v3 slope(int c, v3 x) {
  const v3 a = {0.3 + c, -0.2 * c, 0.7};
  return v3_add(
      a, (v3){(0.1 + c) * x.y, (0.1 + c) * x.x - 0.4 * x.z, -0.4 * x.y + 2 * (0.2 - c) * x.z});
}

/* Places of the nodes of an element with straight sides: a tetrahedron, or a parallelepiped. */
static void find_places(v3 x[SOLID_NODES], int nodes) {
  static const double corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  static const int tetrahedron[4] = {0, 1, 3, 4};
  static const int sides[2][12][2] = {{{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}},
                                      {{0, 1},
                                       {1, 2},
                                       {2, 3},
                                       {3, 0},
                                       {4, 5},
                                       {5, 6},
                                       {6, 7},
                                       {7, 4},
                                       {0, 4},
                                       {1, 5},
                                       {2, 6},
                                       {3, 7}}};
  const bool hexahedron = nodes % 10 == 8 || nodes == 20;
  const int corners = hexahedron ? 8 : 4;
  const m3 map = {{{0.8, 0.1, 0.2}, {-0.2, 0.6, 0.1}, {0.3, 0, 0.5}}};
  for (int i = 0; i < corners; ++i)
    x[i] = v3_add((v3){0.1, 0.2, -0.3},
                  m3_mulv(map, v3_load(corner[hexahedron ? i : tetrahedron[i]])));
  for (int i = corners; i < nodes; ++i) {
    const int *side = sides[hexahedron][i - corners];
    x[i] = v3_scale(v3_add(x[side[0]], x[side[1]]), 0.5);
  }
}

/* Elements of second degree have the slopes of such displacements exactly, at the points and, by
 * the points' weights, at their nodes; those of first degree are given the linear part alone.
 * Volumes add up to that of the element. */
static void elements(void **state) {
  (void)state;
  static const int kinds[] = {4, 8, 10, 20};
  for (int k = 0; k < 4; ++k) {
    const int nodes = kinds[k], points = solid_points(nodes);
    const bool second = nodes > 8;
    v3 x[SOLID_NODES];
    double g[SOLID_NODES][3], H[SOLID_POINTS][3][3] = {{{0}}}, volume = 0, off = 0;
    find_places(x, nodes);
    for (int p = 0; p < points; ++p) {
      volume += solid_gradients(g, x, nodes, p);
      for (int i = 0; i < nodes; ++i)
        for (int c = 0; c < 3; ++c)
          for (int a = 0; a < 3; ++a)
            H[p][c][a] +=
                g[i][a] * (second ? displacement(c, x[i]) : v3_dot(slope(c, (v3){0, 0, 0}), x[i]));
    }
    for (int i = 0; i < nodes; ++i) {
      double w[SOLID_POINTS];
      solid_weights(w, nodes, i);
      for (int c = 0; c < 3; ++c) {
        double found[3] = {0}, exact[3];
        v3_store(exact, slope(c, second ? x[i] : (v3){0, 0, 0}));
        for (int p = 0; p < points; ++p)
          for (int a = 0; a < 3; ++a) found[a] += w[p] * H[p][c][a];
        for (int a = 0; a < 3; ++a) off = check_max(off, fabs(found[a] - exact[a]));
      }
    }
    const double whole =
        v3_dot(v3_sub(x[1], x[0]), v3_cross(v3_sub(x[points == 8 ? 3 : 2], x[0]),
                                            v3_sub(x[points == 8 ? 4 : 3], x[0]))) /
        (points == 8 ? 1 : 6);
    check_report("solid element: slopes at nodes", off, 200 * CHECK_EPS * 10);
    CHECK_LE(off, 200 * CHECK_EPS * 10); /* sums of 20 x 8 terms up to 10 */
    CHECK_NEAR(volume, whole, 20 * CHECK_EPS);
  }
  v3 x[SOLID_NODES];
  double g[SOLID_NODES][3];
  find_places(x, 8);
  const v3 first = x[0];
  x[0] = x[6], x[6] = first;
  CHECK_LE(solid_gradients(g, x, 8, 0), 0);
  CHECK_INT(solid_points(6), 0);
}

/* ---- a bar of hexahedra ---------------------------------------------------------------------- */

/* 1 m x 50 mm x 10 mm about the x axis, 16 x 2 x 2 elements of 20 nodes, E = 70 GPa. */
static void write_bar(void) {
  static double along[17];
  static const double across[] = {-0.025, 0, 0.025}, up[] = {-0.005, 0, 0.005};
  mesh m = {0};
  fe_model f = {0};
  torsor_error error = {0};
  for (int i = 0; i <= 16; ++i) along[i] = i / 16.0;
  const solid_grid g = {.n = {16, 2, 2}, .place = {along, across, up}, .nodes = 20};
  solid_write_grid(path("bar.inp"), &g);
  CHECK_INT(mesh_read_inp(&m, path("bar.inp"), &error), TORSOR_OK);
  solid_matrices(&f, &m, 7e10, 0, 2700);
  solid_write_calculix(path("bar"), &f, &m);
  fe_release(&f);
  mesh_release(&m);
}

static long node_at(v3 x) {
  mesh m = {0};
  torsor_error error = {0};
  long id = -1;
  CHECK_INT(mesh_read_inp(&m, path("bar.inp"), &error), TORSOR_OK);
  for (int i = 0; i < m.nodes; ++i)
    if (v3_norm(v3_sub(m.node[i].x, x)) < 1e-6) id = m.node[i].id;
  CHECK_TRUE(id > 0);
  mesh_release(&m);
  return id;
}

#define BAR                                                                                        \
  "{\"torsor_reduce\": 1, \"matrices\": {\"calculix\": \"bar\"}, \"mesh\": \"bar.inp\",\n"         \
  "\"interfaces\": [{\"name\": \"hub\", \"set\": \"START\", \"position\": [0, 0, 0]}], "           \
  "\"modes\": %d,\n"

/* Reads a job, reduces, and writes "bar.body.json". */
static torsor_status make_body(const char *job_text, torsor_error *error) {
  reduce_job job;
  reduce_result r = {0};
  text t = {0};
  write_text("job.json", job_text);
  torsor_status status = reduce_job_read(&job, path("job.json"), error);
  if (!status && (status = reduce(&r, &job.input, error)) != TORSOR_OK)
    reduce_job_locate(&job, path("job.json"), error);
  if (!status) {
    /* rigid motions of a slender part: sums over 1,500 numbers of unit size, not 1e-6 of round-off
     * of its stiffness, whose condition is 1e10 */
    for (int k = 0; k < 3; ++k) CHECK_NEAR(r.M[k * (r.n + 1)], 1.35, 1500 * CHECK_EPS);
    reduce_job_write(&t, &job, &r);
    CHECK_FALSE(t.failed);
    write_text("bar.body.json", t.data);
  }
  text_release(&t);
  reduce_release(&r);
  reduce_job_release(&job);
  return status;
}

/* The bar, clamped, under its weight w per length along x, y and z, at the middle of its length
 * L = 1: M = w L^2/8 of bending, w_x L/2 of tension.  Within elements of the length l moments vary
 * by the square of the place, and stresses of these elements linearly between points at l/sqrt(12)
 * from their middle: at a node they are off by w l^2/12, 1/384 of M for 16 elements.  What
 * deflections are off by is as much again. */
static void under_its_weight(void **state) {
  (void)state;
  static equilibria found;
  char text_of[2000];
  torsor_error error = {0};
  snprintf(text_of, sizeof text_of,
           BAR "\"material\": [{\"E\": 7e10, \"nu\": 0}],\n\"stresses\": [{\"name\": \"top\", "
               "\"node\": %ld}, {\"name\": \"side\", \"node\": %ld}]}",
           60, node_at((v3){0.5, 0, 0.005}), node_at((v3){0.5, -0.025, 0}));
  CHECK_INT(make_body(text_of, &error), TORSOR_OK);
  static const char *const groups[] = {"group=SE3", "group=R3xSO3"};
  double row[2][4];
  for (int k = 0; k < 2; ++k) {
    snprintf(text_of, sizeof text_of,
             "{\"torsor\": 1, \"gravity\": [2, 30, -7], \"bodies\": [{\"name\": \"bar\", "
             "\"type\": \"superelement\", \"file\": \"%s\"}], \"joints\": [{\"name\": \"clamp\", "
             "\"type\": \"weld\", \"a\": "
             "\"ground\", \"b\": \"bar[0]\"}], \"statics\": {\"steps\": 1}, \"output\": "
             "{\"signals\": [\"bar.stress.top.xx\", \"bar.stress.top.mises\", "
             "\"bar.stress.side.xx\"]}}",
             path("bar.body.json"));
    memcpy(row[k], equilibria_end(&found, text_of, (const char *const[]){groups[k], NULL}),
           sizeof row[k]);
  }
  const double A = 5e-4, w = 2700 * A, axial = w * 2 * 0.5 / A;
  const double top = w * 7 / 8 / (0.05 * 1e-4 / 6), side = w * 30 / 8 / (0.01 * 25e-4 / 6);
  const double part = 2.0 / 384;
  CHECK_NEAR(row[0][1], top + axial, part * top);
  CHECK_NEAR(row[0][2], top + axial, part * top + 5e-3 * top);
  CHECK_NEAR(row[0][3], side + axial, part * side);
  check_report("bar under its weight: stress on top", fabs(row[0][1] / (top + axial) - 1), part);
  check_report("bar under its weight: stress of a side", fabs(row[0][3] / (side + axial) - 1),
               part);
  for (int k = 1; k < 4; ++k) CHECK_NEAR(row[1][k], row[0][k], 1e-7 * row[0][k]);
}

/* The blade turns about z with 0, 2 and 4 sqrt(EI/mL^4), also on a hub of a tenth of its length.
 * CalculiX 2.20 has the same elements, with the equilibrium under the centrifugal load and its
 * tangent: finite strains of (W h/L)^2/24 change its stiffness by up to three times as much,
 * frequencies by half of that; 20 modes leave out the rest of the axial stretch, of the same size.
 * Its seven digits are 6e-7 of the first frequency's.  Without the stiffening the flap frequency
 * stays. */
static void blade(void **state) {
  (void)state;
  static const struct {
    double speed, radius, hz[4];
  } table[] = {{0, 0, {8.229640, 41.06352, 51.74055, 145.6341}},
               {2, 0, {9.683173, 41.11512, 53.09536, 146.9721}},
               {4, 0, {13.07095, 41.26895, 56.96783, 150.9080}},
               {4, 0.1, {13.58004, 41.43525, 57.62751, 151.6271}}};
  const torsor_modes_settings settings = {
      .size = sizeof(torsor_modes_settings), .count = 4, .about = TORSOR_ABOUT_STEADY};
  char text_of[2000];
  torsor_error error = {0};
  for (int stiff = 0; stiff < 2; ++stiff) {
    snprintf(text_of, sizeof text_of,
             BAR "\"material\": {\"E\": 7e10, \"nu\": 0},\n\"stresses\": []%s}", 20,
             stiff ? ", \"stiffening\": [\"hub\"]" : "");
    CHECK_INT(make_body(text_of, &error), TORSOR_OK);
    for (int i = 0; i < 4; ++i) {
      snprintf(text_of, sizeof text_of,
               "{\"torsor\": 1, \"parameters\": {\"W\": %.17g, \"R\": %.17g}, \"bodies\": "
               "[{\"name\": \"hub\", "
               "\"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1], "
               "\"angular_velocity\": [0, 0, \"W\"]}, {\"name\": \"blade\", \"type\": "
               "\"superelement\", \"file\": \"%s\", \"position\": [\"R\", 0, 0], \"velocity\": [0, "
               "\"R*W\", 0], "
               "\"angular_velocity\": [0, 0, \"W\"]}], \"joints\": [{\"name\": \"shaft\", "
               "\"type\": \"revolute\", \"a\": \"ground\", \"b\": \"hub\", \"axis\": [0, 0, 1]}, "
               "{\"name\": \"motor\", \"type\": \"drive\", \"coordinate\": \"shaft.angle\", "
               "\"motion\": \"W*t\"}, {\"name\": \"root\", \"type\": \"weld\", \"a\": {\"body\": "
               "\"hub\", \"position\": [\"R\", 0, 0]}, \"b\": \"blade[0]\"}]}",
               table[i].speed * sqrt(7e10 * 1e-4 / (12 * 2700)), table[i].radius,
               path("bar.body.json"));
      torsor_modes *m = modes_of(text_of, NULL, &settings);
      double off = 0;
      for (int k = 0; k < 4; ++k)
        off = check_max(off, fabs(modes_omega(m, k) / (2 * M_PI) / table[i].hz[k] - 1));
      const double strain = pow(table[i].speed * 0.01, 2) / 24 * (1 + 2 * table[i].radius),
                   bound = 2 * strain + 2e-6;
      if (stiff) {
        check_report("blade, off CalculiX", off, bound);
        CHECK_LE(off, bound);
      } else {
        CHECK_NEAR(modes_omega(m, 0) / (2 * M_PI), table[0].hz[0], 1e-3);
      }
      torsor_modes_destroy(m);
    }
  }
}

/* The bar stands on its start and buckles under its weight: w L^3/EI = 7.8373 (Timoshenko and Gere,
 * Theory of Elastic Stability, 2.12).  Its elements are too stiff by twice what their first
 * frequency is off by, 8.22964 Hz for 8.2246 of the beam with shear and rotary inertia. */
static void column(void **state) {
  (void)state;
  static equilibria found;
  char text_of[1000];
  torsor_error error = {0};
  const double I = 0.05 * 1e-6 / 12, w = 7.8373474 * 7e10 * I;
  snprintf(text_of, sizeof text_of,
           BAR "\"material\": {\"E\": 7e10, \"nu\": 0}, \"stiffening\": [\"hub\"]}", 20);
  CHECK_INT(make_body(text_of, &error), TORSOR_OK);
  snprintf(text_of, sizeof text_of,
           "{\"torsor\": 1, \"gravity\": [%.17g, 0, 0], \"bodies\": [{\"name\": \"b\", \"type\": "
           "\"superelement\", \"file\": \"%s\"}], \"joints\": [{\"name\": \"foot\", \"type\": "
           "\"weld\", \"a\": \"ground\", \"b\": \"b[0]\"}], \"statics\": {\"steps\": 4, \"until\": "
           "1.2, \"buckling\": 1}, \"output\": {\"signals\": [\"b.modes[0].position.x\"]}}",
           -w / (2700 * 5e-4), path("bar.body.json"));
  equilibria_end(&found, text_of, NULL);
  CHECK_INT(found.summary.critical_count, 1);
  CHECK_INT(found.summary.unstable, 1);
  const double bound = 2 * (8.22964 / 8.2246 - 1);
  check_report("column under its weight: off", fabs(found.summary.critical[0].load - 1), bound);
  CHECK_LE(fabs(found.summary.critical[0].load - 1), bound);
  CHECK_NEAR(found.summary.buckling[0], found.summary.critical[0].load, 1e-5);
}

/* ---- refusals -------------------------------------------------------------------------------- */

static void refusals(void **state) {
  (void)state;
  static const struct {
    const char *rest, *message;
    int line;
  } table[] = {
      {"\"stiffening\": [\"hub\"]}", "need a \"material\"", 1},
      {"\"material\": {\"E\": 1}, \"stiffening\": [\"hub\"]}", "needs \"E\" and \"nu\"", 3},
      {"\"material\": {\"E\": 1, \"nu\": 0.5}, \"stiffening\": [\"hub\"]}", "between -1 and 0.5",
       3},
      {"\"material\": {\"E\": 1, \"nu\": 0.3, \"set\": \"WEB\"}, \"stiffening\": [\"hub\"]}",
       "no set of elements \"WEB\"", 3},
      {"\"material\": [], \"stiffening\": [\"hub\"]}", "the element 1 has no material", -1},
      {"\"material\": {\"E\": 1, \"nu\": 0},\n\"stiffening\": [\"tip\"]}",
       "there is no interface \"tip\"", 4},
      {"\"material\": {\"E\": 1, \"nu\": 0},\n\"stiffening\": []}", "one interface at least", 4},
      {"\"material\": {\"E\": 1, \"nu\": 0},\n\"stresses\": [{\"name\": \"a.b\", \"node\": 1}]}",
       "cannot be part of a signal", 4},
      {"\"material\": {\"E\": 1, \"nu\": 0},\n\"stresses\": [{\"name\": \"a\"}]}",
       "either \"node\" or \"set\"", 4},
      {"\"material\": {\"E\": 1, \"nu\": 0},\n\"stresses\": [{\"name\": \"a\", \"node\": 99999}]}",
       "has no node 99999", 4},
      {"\"material\": {\"E\": 1, \"nu\": 0},\n\"stresses\": [{\"name\": \"a\", \"set\": \"X\"}]}",
       "no set of nodes \"X\"", 4},
      {"\"material\": {\"E\": 1, \"nu\": 0},\n\"stresses\": [{\"name\": \"a\", \"node\": 1}, "
       "{\"name\": \"a\", \"node\": 2}]}",
       "two points \"a\"", 4},
  };
  char text_of[2000];
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    torsor_error error = {0};
    snprintf(text_of, sizeof text_of, BAR "%s", 4, table[i].rest);
    CHECK_INT(make_body(text_of, &error), TORSOR_SCENE);
    if (!strstr(error.message, table[i].message))
      print_error("%s\n -> %s:%d: %s\n", table[i].rest, error.file, error.line, error.message);
    CHECK_CONTAINS(error.message, table[i].message);
    CHECK_CONTAINS(error.file, table[i].line < 0 ? "bar.inp" : "job.json");
    if (table[i].line > 0) CHECK_INT(error.line, table[i].line);
  }
}

/* Bodies whose matrices do not belong together. */
static void wrong_bodies(void **state) {
  (void)state;
  static const struct {
    const char *keys, *message, *path;
  } table[] = {
      {"\"stress_points\": [\"a\"]", "is missing", "bodies[0].stress"},
      {"\"stress\": [[1, 2, 3, 4, 5, 6]]", "is missing", "bodies[0].stress_points"},
      {"\"stress_points\": [\"a\"], \"stress\": [[1, 2, 3, 4, 5, 6]]", "is 1 by 6, not 6 by 6",
       "bodies[0].stress"},
      {"\"stress_points\": [\"a\", \"a\"], \"stress\": [[1, 2, 3, 4, 5, 6]]", "is there twice",
       "bodies[0].stress_points[1]"},
      {"\"stress_points\": [\"a b\"]", "cannot be part of a signal", "bodies[0].stress_points[0]"},
      {"\"stress_points\": []", "is empty", "bodies[0].stress_points"},
      {"\"stiffening\": [[1, 2, 3, 4, 5, 6]]", "is missing", "bodies[0].gyroscopic"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    char text_of[1200];
    support_world world;
    torsor_error error = {0};
    snprintf(text_of, sizeof text_of,
             "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"superelement\", "
             "\"interfaces\": [[0, 0, 0]], \"stiffness\": [[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], "
             "[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0]], "
             "\"mass\": [[1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, "
             "0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]], %s}]}",
             table[i].keys);
    const torsor_status status = support_open(&world, text_of, NULL, &error);
    if (!strstr(error.message, table[i].message)) print_error("%s\n", error.message);
    CHECK_INT(status, TORSOR_SCENE);
    CHECK_CONTAINS(error.message, table[i].message);
    CHECK_STR(error.path, table[i].path);
  }
}

static int make_folder(void **state) {
  (void)state;
  if (!mkdtemp(folder)) return -1;
  write_bar();
  return 0;
}

static int remove_folder(void **state) {
  (void)state;
  static const char *const name[] = {"bar.inp", "bar.dof",  "bar.sti",
                                     "bar.mas", "job.json", "bar.body.json"};
  for (size_t i = 0; i < sizeof name / sizeof *name; ++i) unlink(path(name[i]));
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elements), cmocka_unit_test(under_its_weight),
      cmocka_unit_test(blade),    cmocka_unit_test(column),
      cmocka_unit_test(refusals), cmocka_unit_test(wrong_bodies),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
