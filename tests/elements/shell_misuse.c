/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Wrong use of shells, of their edges and loads: messages with line, key and hint. */
#include <stdio.h>

#include "check.h"
#include "support.h"

static const char good[] =
    "{\"torsor\": 1, \"bodies\": [{\"name\": \"s\", \"type\": \"shell\", \"elements\": [4, 2],\n"
    "  \"length\": 2, \"width\": 1, \"thickness\": 0.1, \"E\": 1e6, \"nu\": 0.3, \"density\": 1},\n"
    "  {\"name\": \"b\", \"type\": \"beam\", \"end\": [1, 0, 0], \"elements\": 3, \"section\":\n"
    "  {\"stiffness\": [1, 1, 1, 1, 1, 1], \"inertia\": [1, 1, 1, 1, 1, 1]}}],\n"
    "  \"joints\": [{\"name\": \"j\", \"type\": \"edge\", \"on\": \"s.edge_x0\", \"to\": "
    "\"ground\"}],\n"
    "  \"forces\": [{\"name\": \"e\", \"type\": \"edge_load\", \"on\": \"s.edge_x1\", \"force\": "
    "[1, 0, 0]},\n"
    "  {\"name\": \"p\", \"type\": \"shell_load\", \"on\": \"s\", \"pressure\": 3}]}";

static const struct {
  const char *find, *replace, *path, *message, *hint;
  int line;
} wrong[] = {
    {"[4, 2]", "[4]", "bodies[0].elements", "has two numbers", "24 along x", 1},
    {"[4, 2]", "[4, 0]", "bodies[0].elements", "whole numbers from 1", "24 along x", 1},
    {"[4, 2]", "[4, 2.5]", "bodies[0].elements", "whole numbers from 1", "24 along x", 1},
    {"\"width\": 1, ", "", "bodies[0]", "a plate needs it", "describe shell", 1},
    {"\"width\": 1, ", "\"widht\": 1, ", "bodies[0].widht", "unknown key", "\"width\"", 2},
    {"\"width\": 1", "\"width\": -1", "bodies[0].width", "greater than 0", "plate along y", 2},
    {"\"width\": 1", "\"width\": 1, \"radius\": 2", "bodies[0].radius", "a plate has no \"radius\"",
     "\"surface\"", 2},
    {"\"length\": 2", "\"length\": 0", "bodies[0].length", "greater than 0", "radius_end", 2},
    {"\"nu\": 0.3", "\"nu\": 0.7", "bodies[0].nu", "out of range", "0.5", 2},
    {"\"length\": 2", "\"length\": 2, \"surface\": \"pipe\"", "bodies[0].surface",
     "must be \"plate\"", "", 2},
    {"\"length\": 2, \"width\": 1", "\"surface\": \"sphere\", \"radius\": 1, \"latitude\": [0, 2]",
     "bodies[0].latitude", "between the poles", "a hole at a pole", 2},
    {"\"length\": 2, \"width\": 1",
     "\"surface\": \"cylinder\", \"radius\": 1, \"length\": 1, \"angle\": 7", "bodies[0].angle",
     "more than once", "2*pi", 2},
    {"[4, 2],\n  \"length\": 2, \"width\": 1",
     "[2, 2],\n  \"surface\": \"cylinder\", \"radius\": 1, \"length\": 1", "bodies[0].elements",
     "do not go around", "3 along x", 1},
    {"\"thickness\": 0.1, ", "", "bodies[0]", "a shell without layers needs it", "\"layers\"", 1},
    {"\"thickness\": 0.1", "\"layers\": []", "bodies[0].layers", "one layer at least", "lowest", 2},
    {"\"thickness\": 0.1", "\"layers\": [{\"thickness\": 1, \"E\": 1, \"nu\": 0, \"density\": 1}]",
     "bodies[0].E", "a laminate has it", "leave it out", 2},
    {"\"thickness\": 0.1", "\"layers\": [{\"thickness\": 1, \"E\": 1, \"nu\": 0}]",
     "bodies[0].layers[0].density", "a layer needs it", "", 2},
    {"\"thickness\": 0.1", "\"layers\": [{\"thickness\": 0, \"E\": 1, \"nu\": 0, \"density\": 1}]",
     "bodies[0].layers[0].thickness", "greater than 0", "", 2},
    {"\"thickness\": 0.1",
     "\"layers\": [{\"thickness\": 1, \"density\": 1, \"E1\": 1, \"E2\": 4, \"nu12\": 0.6, "
     "\"G12\": 1}]",
     "bodies[0].layers[0].nu12", "out of range", "nu12^2", 2},
    {"\"thickness\": 0.1",
     "\"layers\": [{\"thickness\": 1, \"density\": 1, \"E1\": 1, \"E\": 4, \"nu\": 0.3}]",
     "bodies[0].layers[0].E1", "isotropic layer", "", 2},
    {"\"thickness\": 0.1", "\"layers\": [{\"thicknes\": 1}]", "bodies[0].layers[0].thicknes",
     "unknown key", "\"thickness\"", 2},
    {"s.edge_x0", "s.edge_z0", "joints[0].on", "there is no beam or edge \"s.edge_z0\"",
     "did you mean \"s.edge_", 5},
    {"\"to\": \"ground\"", "\"to\": \"s\"", "joints[0].to", "has many frames", "s.edge_y0.start",
     5},
    {"\"to\": \"ground\"", "\"to\": \"s.edge_y1\"", "joints[0].to", "has many frames",
     "s.edge_y1.start", 5},
    {"\"to\": \"ground\"", "\"to\": \"s.edge_y1[9]\"", "joints[0].to", "no position",
     "\"s.edge_y1[4]\"", 5},
    {"\"to\": \"ground\"", "\"to\": \"s.edge_y1@0.3\"", "joints[0].to", "no node at 0.3",
     "choose \"elements\" with a node there, or take s.edge_y1[1]", 5},
    {"\"to\": \"ground\"", "\"to\": \"s.edge_y1@3\"", "joints[0].to", "is not on the edge",
     "from 0", 5},
    {"\"to\": \"ground\"", "\"holds\": \"symmetry\"", "joints[0]", "\"holds\" needs it", "normal",
     5},
    {"\"to\": \"ground\"", "\"direction\": [1, 0, 0]", "joints[0].direction", "no direction",
     "leave it out", 5},
    {"\"to\": \"ground\"", "\"to_edge\": \"s.edge_y0\"", "joints[0].to_edge", "has 5 nodes, and",
     "same number", 5},
    {"\"to\": \"ground\"", "\"ends\": 3", "joints[0].ends", "true or false", "", 5},
    {"\"on\": \"s.edge_x1\"", "\"on\": \"b\"", "forces[0].on", "not an edge", "beam_load", 6},
    {"\"edge_load\"", "\"beam_load\"", "forces[0].on", "an edge of a shell", "edge_load", 6},
    {", \"force\": [1, 0, 0]", "", "forces[0]", "neither a force nor a moment", "\"moment\"", 6},
    {"\"on\": \"s\"", "\"on\": \"t\"", "forces[1].on", "there is no shell \"t\"", "did you mean",
     7},
    {", \"pressure\": 3", "", "forces[1]", "neither a pressure nor a force", "pressure", 7},
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
                       strstr(error.hint, wrong[i].hint) &&
                       strncmp(error.path, wrong[i].path, strlen(wrong[i].path)) == 0 &&
                       error.line == wrong[i].line && error.column > 0;
    if (!right)
      print_error("%zu: %d:%d %s: %s (%s)\n", i, error.line, error.column, error.path,
                  error.message, error.hint);
    CHECK_TRUE(right);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(wrong_use)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
