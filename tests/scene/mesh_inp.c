/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Meshes of Abaqus and CalculiX: what is read, and messages with file and line. */
#include "scene/mesh_inp.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"

static char folder[] = "/tmp/torsor-mesh-XXXXXX";

static const char *write_text(const char *name, const char *text) {
  static char path[2][120];
  static int turn;
  char *to = path[turn ^= 1];
  snprintf(to, sizeof path[0], "%s/%s", folder, name);
  FILE *file = fopen(to, "w");
  CHECK_TRUE(file != NULL);
  fputs(text, file);
  fclose(file);
  return to;
}

static bool set_is(const mesh *m, const mesh_set *set, int count, const int *expected) {
  if (!set || set->count != count) return false;
  for (int i = 0; i < count; ++i)
    if (m->member[set->first + i] != expected[i]) return false;
  return true;
}

static const char whole[] = "** A comment, and a heading that is passed over\n"
                            "*HEADING\n"
                            "a box, 1, 2, 3\n"
                            "*Node, nset=All\n"
                            "  10, 0., 0., 0.\r\n"
                            "  1, 1.5E0, 2.D-1, -3\n"
                            "7,,5\n"
                            "*INCLUDE, INPUT=more.inp\n"
                            "*ELEMENT, TYPE=s4, ELSET=SKIN\n"
                            "3, 10, 1,\n"
                            " 7, 20\n"
                            "1, 1, 7,\n"
                            "** between\n"
                            "20, 21\n"
                            "*ELSET, ELSET=one\n"
                            "1\n"
                            "*NSET, NSET=ODD, GENERATE\n"
                            "20, 22, 2\n"
                            "*NSET, NSET=many\n"
                            "odd, 7, 7,\n"
                            "1\n"
                            "*NSET, NSET=OF, ELSET=ONE\n"
                            "*MATERIAL, NAME=STEEL\n"
                            "*ELASTIC\n"
                            "2e11, 0.3\n";

static void everything(void **state) {
  (void)state;
  mesh m;
  torsor_error error = {0};
  write_text("more.inp", "*NODE\n20, 1, 1, 1\n21, 2, 2,\n22\n");
  const torsor_status status = mesh_read_inp(&m, write_text("m.inp", whole), &error);
  if (status) print_error("%s:%d: %s\n", error.file, error.line, error.message);
  CHECK_INT(status, TORSOR_OK);
  CHECK_INT(m.nodes, 6);
  CHECK_INT(m.elements, 2);
  CHECK_INT(m.files, 2);
  const int one = mesh_find_node(&m, 1), ten = mesh_find_node(&m, 10);
  const int seven = mesh_find_node(&m, 7);
  CHECK_NEAR(m.node[one].x.x, 1.5, 0);
  CHECK_NEAR(m.node[one].x.y, 0.2, 1e-16);
  CHECK_NEAR(m.node[one].x.z, -3, 0);
  CHECK_NEAR(m.node[seven].x.x, 0, 0);
  CHECK_NEAR(m.node[seven].x.y, 5, 0);
  CHECK_INT(m.node[ten].place.line, 5);
  CHECK_INT(m.node[mesh_find_node(&m, 21)].place.file, 1);
  CHECK_INT(m.node[mesh_find_node(&m, 21)].place.line, 3);
  CHECK_INT(mesh_find_node(&m, 2), -1);
  CHECK_STR(m.element[0].type, "S4");
  CHECK_INT(m.element[0].id, 3);
  CHECK_INT(m.element[0].count, 4);
  CHECK_INT(m.member[m.element[0].first], ten);
  CHECK_INT(m.member[m.element[0].first + 3], mesh_find_node(&m, 20));
  CHECK_INT(m.element[1].count, 4);
  CHECK_INT(m.element[1].place.line, 12);
  CHECK_TRUE(set_is(&m, mesh_find_node_set(&m, "ALL"), 3, (int[]){one, seven, ten}));
  CHECK_TRUE(set_is(&m, mesh_find_node_set(&m, "ODD"), 2, (int[]){3, 5}));
  CHECK_TRUE(set_is(&m, mesh_find_node_set(&m, "Many"), 4, (int[]){one, seven, 3, 5}));
  CHECK_TRUE(set_is(&m, mesh_find_node_set(&m, "of"), 4, (int[]){one, seven, 3, 4}));
  CHECK_TRUE(set_is(&m, mesh_find_element_set(&m, "skin"), 2, (int[]){0, 1}));
  CHECK_TRUE(set_is(&m, mesh_find_element_set(&m, "One"), 1, (int[]){1}));
  CHECK_TRUE(!mesh_find_node_set(&m, "nowhere"));
  char list[64];
  CHECK_STR(mesh_list_sets(list, sizeof list, m.node_set, m.node_sets), "All, ODD, many, OF");
  mesh_release(&m);
}

static void messages(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
    int line;
  } table[] = {
      {"", "has no nodes", 0},
      {"*NODE\n1, 0, 0, 0\n1, 1, 0, 0\n", "is also that of line 2", 3},
      {"*NODE\n0, 0, 0, 0\n", "is no node", 2},
      {"*NODE\n1, 0, x, 0\n", "a coordinate that is no number", 2},
      {"*NODE\n1, 0 0, 0\n", "a coordinate that is no number", 2},
      {"*NODE\n1, 0, 0, 0\n*ELEMENT\n", "have no type", 3},
      {"*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=S3\nfirst\n", "is no element", 4},
      {"*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=S3\n1, 1, 2, 1\n", "a node 2 that does not exist", 4},
      {"*NODE\n1, 0, 0, 0\n*ELEMENT, TYPE=S3\n1, 1, 2.5\n", "a node that is no number", 4},
      {"*NODE\n1, 0, 0, 0\n*NSET\n1\n", "a set has no name", 3},
      {"*NODE\n1, 0, 0, 0\n*NSET, NSET=A\n1, 5\n", "a node 5 that does not exist", 4},
      {"*NODE\n1, 0, 0, 0\n*NSET, NSET=A\nB\n", "no set of nodes \"B\"", 4},
      {"*NODE\n1, 0, 0, 0\n*NSET, NSET=A, ELSET=B\n", "no set of elements \"B\"", 3},
      {"*NODE\n1, 0, 0, 0\n*NSET, NSET=A\nA\n", "contains itself", 4},
      {"*NODE\n1, 0, 0, 0\n*NSET, NSET=A, GENERATE\n5, 1\n", "is no range", 4},
      {"*NODE\n1, 0, 0, 0\n*ELSET, ELSET=A\n1\n", "an element 1 that does not exist", 4},
      {"*NODE\n1, 0, 0, 0\n*INCLUDE, INPUT=nowhere.inp\n", "nowhere.inp\" cannot be read", 3},
      {"*INCLUDE, INPUT=bad.inp\n", "eight deep", 1},
      {"*INCLUDE\n", "names no file", 1},
      {"*NODE\n1, 0, 0, 0\n*Instance, name=I, part=P\n", "parts and instances", 3},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    mesh m;
    torsor_error error = {0};
    const torsor_status status = mesh_read_inp(&m, write_text("bad.inp", table[i].text), &error);
    if (status != TORSOR_SCENE || error.line != table[i].line)
      print_error("%s -> %s:%d: %s\n", table[i].text, error.file, error.line, error.message);
    CHECK_INT(status, TORSOR_SCENE);
    CHECK_CONTAINS(error.message, table[i].message);
    CHECK_CONTAINS(error.file, "bad.inp");
    CHECK_INT(error.line, table[i].line);
    mesh_release(&m);
  }
  mesh m;
  CHECK_INT(mesh_read_inp(&m, "/nowhere/at.inp", NULL), TORSOR_FILE);
  mesh_release(&m);
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  static const char *const name[] = {"m.inp", "more.inp", "bad.inp"};
  char path[120];
  for (int i = 0; i < 3; ++i) {
    snprintf(path, sizeof path, "%s/%s", folder, name[i]);
    unlink(path);
  }
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(everything),
      cmocka_unit_test(messages),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
