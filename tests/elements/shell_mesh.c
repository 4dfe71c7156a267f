/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shells from meshes of Gmsh, Abaqus and CalculiX: the same numbers as structured ones, folds,
 * sets, and messages with the line of the file. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "support.h"

enum { NX = 4, NY = 3 };

static char folder[64];

static int make_folder(void **state) {
  (void)state;
  strcpy(folder, "/tmp/torsor_mesh_XXXXXX");
  return mkdtemp(folder) ? 0 : 1;
}

static int drop_folder(void **state) {
  static const char *const names[] = {"p.inp",   "p2.msh",  "p4.msh",
                                      "bad.inp", "bad.msh", "fold.inp"};
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, names[i]);
    unlink(path);
  }
  return rmdir(folder);
}

static FILE *open_file(const char *name) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "w");
  CHECK_TRUE(f != NULL);
  return f;
}

/* Numbers that begin at 11, as those of parts of larger meshes do. */
static int number(int i, int j) {
  return 11 + i * (NY + 1) + j;
}

static void print_nodes(FILE *f, const char *format, double unit) {
  for (int i = 0; i <= NX; ++i)
    for (int j = 0; j <= NY; ++j)
      fprintf(f, format, number(i, j), unit * 2.0 * i / NX, unit * 1.0 * j / NY);
}

static void print_elements(FILE *f, const char *format) {
  for (int i = 0; i < NX; ++i)
    for (int j = 0; j < NY; ++j)
      fprintf(f, format, 1 + i * NY + j, number(i, j), number(i + 1, j), number(i + 1, j + 1),
              number(i, j + 1));
}

/* The plate of 2 m by 1 m, in mm, with a solid beside it that is none of its own. */
static void write_inp(void) {
  FILE *f = open_file("p.inp");
  fprintf(f, "** a plate\n*NODE\n900, 0., 0., 5.\n");
  print_nodes(f, "%d, %.15g, %.15g, 0.\n", 1000);
  fprintf(f, "*ELEMENT, TYPE=S4R, ELSET=SHEET\n");
  print_elements(f, "%d, %d, %d, %d, %d\n");
  fprintf(f, "*ELEMENT, TYPE=T3D2, ELSET=ROD\n500, 900, %d\n*NSET, NSET=ROOT\n", number(0, 0));
  for (int j = 0; j <= NY; ++j) fprintf(f, "%d,\n", number(0, NY - j));
  fprintf(f, "*NSET, NSET=Tip, GENERATE\n%d, %d\n", number(NX, 0), number(NX, NY));
  fprintf(f, "*NSET, NSET=CORNERS\n%d, %d\n", number(0, 0), number(NX, NY));
  fclose(f);
}

static void print_sides(FILE *f, const char *format, int i, int first) {
  for (int j = 0; j < NY; ++j) fprintf(f, format, first + j, number(i, j), number(i, j + 1));
}

static void write_msh2(void) {
  FILE *f = open_file("p2.msh");
  fprintf(f,
          "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n1 7 \"ROOT\"\n1 8 \"Tip\"\n"
          "2 9 \"SHEET\"\n$EndPhysicalNames\n$Nodes\n%d\n",
          (NX + 1) * (NY + 1));
  print_nodes(f, "%d %.15g %.15g 0\n", 1);
  fprintf(f, "$EndNodes\n$Elements\n%d\n", NX * NY + 2 * NY);
  print_sides(f, "%d 1 2 7 1 %d %d\n", 0, 100);
  print_sides(f, "%d 1 2 8 2 %d %d\n", NX, 200);
  print_elements(f, "%d 3 2 9 1 %d %d %d %d\n");
  fprintf(f, "$EndElements\n");
  fclose(f);
}

static void write_msh4(void) {
  FILE *f = open_file("p4.msh");
  const int nodes = (NX + 1) * (NY + 1);
  fprintf(f,
          "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n1 7 \"ROOT\"\n1 8 \"Tip\"\n"
          "$EndPhysicalNames\n$Entities\n1 2 1 0\n1 0 0 0 0\n1 0 0 0 0 1 0 1 7 2 1 2\n"
          "2 2 0 0 2 1 0 1 8 0\n1 0 0 0 2 1 0 0 0\n$EndEntities\n$Nodes\n1 %d 11 %d\n2 1 0 %d\n",
          nodes, nodes + 10, nodes);
  for (int i = 0; i < nodes; ++i) fprintf(f, "%d\n", 11 + i);
  for (int i = 0; i <= NX; ++i)
    for (int j = 0; j <= NY; ++j) fprintf(f, "%.15g %.15g 0\n", 2.0 * i / NX, 1.0 * j / NY);
  fprintf(f, "$EndNodes\n$Elements\n3 %d 1 300\n1 1 1 %d\n", NX * NY + 2 * NY, NY);
  print_sides(f, "%d %d %d\n", 0, 100);
  fprintf(f, "1 2 1 %d\n", NY);
  print_sides(f, "%d %d %d\n", NX, 200);
  fprintf(f, "2 1 3 %d\n", NX * NY);
  print_elements(f, "%d %d %d %d %d\n");
  fprintf(f, "$EndElements\n");
  fclose(f);
}

/* Where a cantilever of this body ends under loads along its tip and on its surface. */
static void find_rest(double out[3], const char *body, const char *root, const char *tip,
                      const char *node) {
  char scene[3000], signal[80];
  support_world world;
  support_trace trace = {0};
  torsor_statics_summary summary;
  torsor_error error = {0};
  snprintf(scene, sizeof scene,
           "{\"torsor\": 1, \"bodies\": [{\"name\": \"s\", \"thickness\": 0.02, \"E\": 1e7,"
           " \"nu\": 0.3, \"density\": 4, %s}], \"joints\": [{\"name\": \"clamp\", \"type\":"
           " \"edge\", \"on\": \"s.%s\"}], \"forces\": [{\"name\": \"pull\", \"type\":"
           " \"edge_load\", \"on\": \"s.%s\", \"force\": [3, 1, 2]}, {\"name\": \"wind\", \"type\":"
           " \"shell_load\", \"on\": \"s\", \"pressure\": 2}]}",
           body, root, tip);
  snprintf(signal, sizeof signal, "%s.position", node);
  const char *const names[] = {signal, NULL};
  const torsor_status opened = support_open(&world, scene, NULL, &error);
  if (opened) print_error("%s: %s (%s)\n", error.path, error.message, error.hint);
  CHECK_INT(opened, TORSOR_OK);
  CHECK_INT(support_rest(&trace, &summary, &world, names, NULL), TORSOR_OK);
  memcpy(out, support_row(&trace, trace.rows - 1) + 1, 3 * sizeof *out);
  support_trace_release(&trace);
  support_close(&world);
}

/* Files of all kinds are the structured plate: to round-off of places in mm, 1e-13, by the
 * condition of a thin plate, 1e3. */
static void same_as_structured(void **state) {
  (void)state;
  static const char *const files[] = {"p.inp", "p2.msh", "p4.msh"};
  double own[3], other[3];
  write_inp();
  write_msh2();
  write_msh4();
  find_rest(own, "\"type\": \"shell\", \"elements\": [4, 3], \"length\": 2, \"width\": 1",
            "edge_x0", "edge_x1", "s[4][3]");
  for (int i = 0; i < 3; ++i) {
    char body[300];
    snprintf(body, sizeof body, "\"type\": \"shell_mesh\", \"mesh\": {\"file\": \"%s/%s\"%s}",
             folder, files[i], i ? "" : ", \"unit\": 1e-3, \"set\": \"sheet\"");
    find_rest(other, body, "edge_ROOT", "edge_Tip", "s[19]");
    double off = 0;
    for (int k = 0; k < 3; ++k) off = check_max(off, fabs(own[k] - other[k]));
    check_report(files[i], off, 1e-10);
    CHECK_LE(off, 1e-10);
    CHECK_GE(fabs(own[2]), 0.05);
  }
}

/* A plate with a fold of 90 degrees has one frame at each node of the fold and normals of two
 * elements: the same as two plates that are welded there, to some 1e3 round-offs. */
static void folded(void **state) {
  (void)state;
  FILE *f = open_file("fold.inp");
  fprintf(f, "*NODE\n");
  for (int i = 0; i <= 4; ++i)
    for (int j = 0; j <= 2; ++j)
      fprintf(f, "%d, %g, %g, %g\n", 1 + 3 * i + j, i < 3 ? 0.5 * i : 1, 0.5 * j,
              i < 3 ? 0 : 0.5 * (i - 2));
  fprintf(f, "*ELEMENT, TYPE=S4\n");
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 2; ++j)
      fprintf(f, "%d, %d, %d, %d, %d\n", 1 + 2 * i + j, 1 + 3 * i + j, 4 + 3 * i + j, 5 + 3 * i + j,
              2 + 3 * i + j);
  fprintf(f, "*NSET, NSET=ROOT\n1, 2, 3\n*NSET, NSET=TIP\n13, 14, 15\n");
  fclose(f);
#define SHEET ", \"thickness\": 0.02, \"E\": 1e7, \"nu\": 0.3, \"density\": 4}"
#define LOADED(tip, clamp)                                                                         \
  "\"forces\": [{\"name\": \"pull\", \"type\": \"edge_load\", \"on\": \"" tip                      \
  "\", \"force\": [3, 1, 2]}], \"joints\": [{\"name\": \"clamp\", \"type\": \"edge\", \"on\": "    \
  "\"" clamp "\"}"
  char one[1200], two[1200];
  snprintf(one, sizeof one,
           "{\"torsor\": 1, \"bodies\": [{\"name\": \"s\", \"type\": \"shell_mesh\", \"mesh\":"
           " \"%s/fold.inp\"" SHEET "], " LOADED("s.edge_TIP", "s.edge_ROOT") "]}",
           folder);
  snprintf(two, sizeof two,
           "{\"torsor\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"shell\", \"elements\":"
           " [2, 2], \"length\": 1, \"width\": 1" SHEET ", {\"name\": \"b\", \"type\": \"shell\","
           " \"elements\": [2, 2], \"length\": 1, \"width\": 1, \"position\": [1, 0, 0],"
           " \"orientation\": {\"rotation_vector\": [0, -1.5707963267948966, 0]}" SHEET
           "], " LOADED("b.edge_x1",
                        "a.edge_x0") ", {\"name\": \"seam\", \"type\": \"edge\","
                                     " \"on\": \"b.edge_x0\", \"to_edge\": \"a.edge_x1\"}]}");
  const char *const scenes[] = {one, two};
  const char *const names[2][2] = {{"s[14].position", NULL}, {"b[2][2].position", NULL}};
  double end[2][3];
  for (int i = 0; i < 2; ++i) {
    support_world world;
    support_trace trace = {0};
    torsor_statics_summary summary;
    torsor_error error = {0};
    const torsor_status opened = support_open(&world, scenes[i], NULL, &error);
    if (opened) print_error("%s: %s\n", error.path, error.message);
    CHECK_INT(opened, TORSOR_OK);
    CHECK_INT(support_rest(&trace, &summary, &world, names[i], NULL), TORSOR_OK);
    memcpy(end[i], support_row(&trace, trace.rows - 1) + 1, sizeof end[i]);
    support_trace_release(&trace);
    support_close(&world);
  }
  double off = 0;
  for (int k = 0; k < 3; ++k) off = check_max(off, fabs(end[0][k] - end[1][k]));
  check_report("a fold, beside a welded one", off, 1e-9);
  CHECK_LE(off, 1e-9);
  CHECK_GE(fabs(end[0][2] - 1), 0.01);
}

/* ---- wrong use ------------------------------------------------------------------------------- */

#define GRID                                                                                       \
  "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 2, 0, 0\n4, 0, 1, 0\n5, 1, 1, 0\n6, 2, 1, 0\n7, 1, 1, 1\n8, " \
  "1.8, 0.2, 0\n"                                                                                  \
  "*ELEMENT, TYPE=S4, ELSET=E\n"

static const struct {
  const char *name, *text, *message, *hint;
} wrong[] = {
    {"bad.inp", GRID "1, 1, 2, 5, 4\n2, 2, 3, 6, 8\n", "bad.inp:12: the element 2 is inverted",
     "around it"},
    {"bad.inp", GRID "1, 1, 2, 5, 4\n2, 2, 5, 6, 3\n", "bad.inp:12: the element 2 is inverted",
     "other way round"},
    {"bad.inp", GRID "1, 2, 3, 5, 6\n", "bad.inp:11: the element 1 has no area", "around it"},
    {"bad.inp", GRID "1, 1, 2, 7, 4\n", "bad.inp:11: the element 1 is warped", "smaller"},
    {"bad.inp", GRID "1, 1, 2, 5, 5\n", "bad.inp:11: the element 1 is a triangle",
     "quadrilaterals"},
    {"bad.inp", GRID "1, 1, 2, 3, 3\n", "bad.inp:11: the element 1 is a triangle",
     "quadrilaterals"},
    {"bad.inp", GRID "1, 1, 2, 9, 4\n", "a node 9 that does not exist", ""},
    {"bad.inp", "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 2, 0, 0\n*ELEMENT, TYPE=S3\n1, 1, 2, 3\n",
     "the element 1 has 3 nodes", "RecombineAll"},
    {"bad.inp", "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n*ELEMENT, TYPE=B31\n1, 1, 2\n",
     "no elements of shells", "S4"},
    {"bad.msh", "$MeshFormat\n4.1 1 8\n$EndMeshFormat\n", "is a binary mesh", "text"},
    {"bad.msh", "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n", "a version that is not read", "4.1"},
    {"bad.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n", "the mesh has no nodes", "$Nodes"},
    {"bad.msh",
     "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n"
     "$Elements\n1\n1 2 2 0 1 1 2 3\n$EndElements\n",
     "the element 1 has 3 nodes", "RecombineAll"},
    {"bad.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n1 1 0 0\n$EndNodes\n",
     "two nodes 1", "each once"},
    {"bad.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n2\n1 0 0 0\n2 a 0 0\n$EndNodes\n",
     "is no node", "x y z"},
    {"missing.msh", NULL, "missing.msh", ""},
    {"bad.stl", NULL, "is no name of a mesh", ".inp"},
};

static void wrong_files(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
    char scene[600];
    support_world world;
    torsor_error error = {0};
    if (wrong[i].text) {
      FILE *f = open_file(wrong[i].name);
      fputs(wrong[i].text, f);
      fclose(f);
    }
    snprintf(scene, sizeof scene,
             "{\"torsor\": 1, \"bodies\": [{\"name\": \"s\", \"type\": \"shell_mesh\","
             " \"thickness\": 0.1, \"E\": 1, \"nu\": 0, \"density\": 1, \"mesh\": \"%s/%s\"}]}",
             folder, wrong[i].name);
    CHECK_TRUE(support_open(&world, scene, NULL, &error) != TORSOR_OK);
    const bool right = strstr(error.message, wrong[i].message) && strstr(error.hint, wrong[i].hint);
    if (!right)
      print_error("%zu: %s:%d %s: %s (%s)\n", i, error.file, error.line, error.path, error.message,
                  error.hint);
    CHECK_TRUE(right);
  }
}

static const struct {
  const char *mesh, *more, *path, *message, *hint;
} scenes[] = {
    {"{\"file\": \"%s/p.inp\", \"set\": \"ROOF\"}", "", "bodies[0].mesh.set",
     "no set of elements \"ROOF\"", "SHEET"},
    {"{\"file\": \"%s/p.inp\", \"set\": \"ROD\"}", "", "", "no elements of shells", "S4"},
    {"{\"file\": \"%s/p.inp\", \"unit\": 0}", "", "bodies[0].mesh.unit", "greater than 0",
     "metres"},
    {"{\"file\": \"%s/p.inp\", \"units\": 1}", "", "bodies[0].mesh.units", "unknown key", "unit"},
    {"\"%s/p.inp\"",
     ", \"joints\": [{\"name\": \"j\", \"type\": \"edge\", \"on\": \"s.edge_TOP\"}]",
     "joints[0].on", "no beam or edge \"s.edge_TOP\"", "did you mean"},
    {"\"%s/p.inp\"",
     ", \"forces\": [{\"name\": \"f\", \"type\": \"edge_load\", \"on\": \"s.edge_CORNERS\","
     " \"force\": [1, 0, 0]}]",
     "forces[0].on", "no line of sides", "one by one"},
    {"{\"nodes\": [[0, 0, 0]], \"elements\": [[0, 1, 2, 3]]}", "", "bodies[0].mesh.elements[0][1]",
     "only 1 nodes", ""},
    {"{\"nodes\": [[0, 0, 0]], \"elements\": [[0, 0, 0]]}", "", "bodies[0].mesh.elements[0]",
     "must have 4 numbers", ""},
    {"{\"nodes\": [[0, 0, 0]], \"elements\": []}", "", "bodies[0].mesh", "no elements", ""},
    {"7", "", "bodies[0].mesh", "", ""},
    {"{\"nodes\": [[0, 0, 0]], \"elements\": [], \"node_sets\": [1]}", "",
     "bodies[0].mesh.node_sets", "", ""},
    {"{\"nodes\": [[0, 0, 0]], \"elements\": [], \"node_sets\": {\"a\": 1}}", "",
     "bodies[0].mesh.node_sets.a", "", ""},
    {"{\"nodes\": 3, \"elements\": [[0, 0, 0, 0]]}", "", "bodies[0].mesh.nodes", "", ""},
    {"{\"elements\": [[0, 0, 0, 0]]}", "", "bodies[0].mesh.nodes", "", ""},
    {"{\"nodes\": [[0, 0, 0]], \"elements\": [[0, 0, 0, 0]]}", "", "bodies[0].mesh",
     "the element 0 is a triangle", ""},
};

static void wrong_use(void **state) {
  (void)state;
  write_inp();
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
    char mesh[200], scene[800];
    support_world world;
    torsor_error error = {0};
    const char *at = strstr(scenes[i].mesh, "%s");
    snprintf(mesh, sizeof mesh, "%.*s%s%s", at ? (int)(at - scenes[i].mesh) : 0, scenes[i].mesh,
             at ? folder : "", at ? at + 2 : scenes[i].mesh);
    snprintf(scene, sizeof scene,
             "{\"torsor\": 1, \"bodies\": [{\"name\": \"s\", \"type\": \"shell_mesh\","
             " \"thickness\": 0.1, \"E\": 1, \"nu\": 0, \"density\": 1, \"mesh\": %s}]%s}",
             mesh, scenes[i].more);
    CHECK_TRUE(support_open(&world, scene, NULL, &error) != TORSOR_OK);
    const bool right = strstr(error.message, scenes[i].message) &&
                       strstr(error.hint, scenes[i].hint) && !strcmp(error.path, scenes[i].path);
    if (!right) print_error("%zu: %s: %s (%s)\n", i, error.path, error.message, error.hint);
    CHECK_TRUE(right);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_structured), cmocka_unit_test(folded),
                                     cmocka_unit_test(wrong_files), cmocka_unit_test(wrong_use)};
  return cmocka_run_group_tests(tests, make_folder, drop_folder);
}
