/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages for wrong forces, drives and sensors: their status, place and words. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "support.h"

/* A force (or, by its path, a joint) "x" of the scene below, where its mistake stands, and what is
 * said. */
typedef struct misuse {
  const char *element, *path, *message, *hint;
} misuse;

static const char world_text[] =
    "{\"torsor\": 1, \"parameters\": {\"k\": 3}, \"functions\": {\"ramp\": \"2*t\","
    " \"bump\": {\"table\": [[-1, -5], [0, 0], [1, 9]]}}, \"bodies\": ["
    "{\"name\": \"rotor\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.1, 0.3, 0.2]},"
    " {\"name\": \"bob\", \"type\": \"point_mass\", \"mass\": 1, \"position\": [2, 0, 0]},"
    " {\"name\": \"b0\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [1, 1, 1]},"
    " {\"name\": \"b1\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [1, 1, 1]},"
    " {\"name\": \"b2\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [1, 1, 1]},"
    " {\"name\": \"b${i + 3}\", \"repeat\": 5, \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": "
    "[1, 1, 1]}],"
    " \"joints\": [{\"name\": \"axle\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": "
    "\"rotor\"},"
    " {\"name\": \"s${i}\", \"repeat\": 8, \"type\": \"sensor\", \"a\": \"ground\", \"b\": "
    "\"b${i}\"}"
    "%s], \"forces\": [%s]}";

#define ON_AXLE "\"coordinate\": \"axle.angle\""
#define A_B     "\"a\": {\"body\": \"ground\", \"position\": [1, 0, 0]}, \"b\": \"rotor\""
#define SPRING  "\"type\": \"spring_damper\", " A_B
#define PUSH    "\"type\": \"force\", \"at\": \"rotor\", \"force\": [1, 0, 0]"
#define MOUNT   "\"type\": \"bushing\", \"a\": \"ground\", \"b\": \"rotor\""
#define STOP    "\"type\": \"stop\", " ON_AXLE ", \"stiffness\": 1"
#define FLOOR   "\"type\": \"contact\", \"a\": \"ground\", \"b\": \"rotor\""
#define WIND    "\"type\": \"drag\", \"at\": \"rotor\""
#define SERVO   "\"type\": \"actuator\", " ON_AXLE
#define RUB     "\"type\": \"friction\", " ON_AXLE
#define COIL    "\"type\": \"coordinate_spring\", " ON_AXLE
#define MOTOR   "\"type\": \"coordinate_force\", " ON_AXLE
#define ROWS(first)                                                                                \
  "[" first ", [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0],"    \
  " [0, 0, 0, 0, 0, 1]]"

static const misuse misuses[] = {
    /* contact: restitution and friction that sticks */
    {FLOOR ", \"stiffness\": 1, \"restitution\": 0.5", "forces[0]",
     "not the speed at which it holds", "\"restitution_at\": \"each_blow\""},
    {FLOOR ", \"stiffness\": 1, \"restitution\": 0.5, \"restitution_speed\": 1, "
           "\"restitution_at\": \"each_blow\"",
     "forces[0]", "at one speed and at each blow", "leave"},
    {FLOOR ", \"stiffness\": 1, \"restitution_speed\": 1", "forces[0]", "but has none",
     "\"restitution\""},
    {FLOOR ", \"stiffness\": 1, \"restitution\": 0.5, \"restitution_speed\": 1, \"dissipation\": 1",
     "forces[0]", "both \"dissipation\" and \"restitution\"", "leave one"},
    {FLOOR ", \"stiffness\": 1, \"restitution\": 0.005, \"restitution_speed\": 1", "forces[0]",
     "0.005, which is below 0.01", "always gives some speed back"},
    {FLOOR ", \"stiffness\": 1, \"restitution\": 1.2, \"restitution_speed\": 1", "forces[0]",
     "above 1", "from 0.01 to 1"},
    {FLOOR ", \"stiffness\": 1, \"restitution\": 0.5, \"restitution_at\": \"rest\"",
     "forces[0].restitution_at", "each_blow", ""},
    {FLOOR ", \"stiffness\": 1, \"friction\": 0.3, \"static_friction\": 0.2", "forces[0]",
     "\"static_friction\" 0.2 is less than \"friction\" 0.3", "make it at least that"},
    {FLOOR ", \"stiffness\": 1, \"friction\": 0.3, \"static_friction\": 0.4", "forces[0]",
     "friction that sticks, but no spring of it", "\"tangential_stiffness\""},
    {FLOOR ", \"stiffness\": 1, \"friction\": 0.3, \"tangential_damping\": 1", "forces[0]",
     "friction that sticks, but no spring of it", "\"tangential_stiffness\""},
    {FLOOR ", \"stiffness\": 1, \"tangential_stiffness\": 1", "forces[0]", "no friction to hold it",
     "add \"friction\""},
    {FLOOR ", \"stiffness\": 1, \"friction\": 0.3, \"tangential_stiffness\": 0",
     "forces[0].tangential_stiffness", "greater than 0", ""},
    {RUB ", \"coulomb\": 1, \"stick_damping\": 1", "forces[0]", "but nothing sticks",
     "\"stick_stiffness\""},
    {RUB ", \"viscous\": 1, \"stick_stiffness\": 1", "forces[0]", "no friction to hold it",
     "add \"coulomb\""},
    /* force */
    {"\"type\": \"force\", \"at\": \"rotor\"", "forces[0]", "neither a force nor a moment",
     "\"moment\""},
    {"\"type\": \"force\", \"at\": \"ground\", \"force\": [1, 0, 0]", "forces[0]",
     "acts on the ground", "name a body"},
    {"\"type\": \"force\", \"at\": \"bob\", \"moment\": [1, 0, 0]", "forces[0]",
     "acts on a point mass", "leave \"moment\" out"},
    {"\"type\": \"force\", \"at\": \"rotr\", \"force\": [1, 0, 0]", "forces[0].at",
     "no body \"rotr\"", "\"rotor\""},
    {"\"type\": \"force\", \"force\": [1, 0, 0]", "forces[0].at", "is missing", "marker"},
    {"\"type\": \"force\", \"at\": \"rotor\", \"force\": [1, 0]", "forces[0].force",
     "an array of 3 numbers", "N"},
    {PUSH ", \"axes\": \"bdy\"", "forces[0].axes", "must be \"inertial\" or \"body\"", "\"body\""},
    {PUSH ", \"scal\": 2", "forces[0].scal", "unknown key \"scal\"", "\"scale\""},
    {PUSH ", \"scale\": [1]", "forces[0].scale", "must be a function of t", "for example"},
    {PUSH ", \"scale\": \"rmap\"", "forces[0].scale", "no function \"rmap\"", "\"ramp\""},
    {PUSH ", \"scale\": \"-k*axle.angel\"", "forces[0].scale", "no joint coordinate \"axle.angel\"",
     "axle.angle"},
    {PUSH ", \"scale\": \"-k*axle.rat\"", "forces[0].scale", "no joint coordinate \"axle.rat\"",
     "axle.rate"},
    {PUSH ", \"scale\": \"-k*(axle.angle\"", "forces[0].scale", "a parenthesis is not closed",
     "match"},
    {PUSH ", \"scale\": \"kk*axle.angle\"", "forces[0].scale", "no parameter \"kk\"", "\"k\""},
    {PUSH ", \"scale\": \"s0.x + s1.x + s2.x + s3.x + s4.x + s5.x + s6.x + s7.x\"", "forces[0]",
     "more than 8 bodies", "several forces"},
    /* drag */
    {"\"type\": \"drag\", \"at\": \"ground\", \"coefficient\": 1, \"area\": 1", "forces[0]",
     "acts on the ground", "name a body"},
    {WIND ", \"area\": 1", "forces[0].coefficient", "is missing", "drag coefficient"},
    {WIND ", \"coefficient\": 1, \"area\": -1", "forces[0].area", "0 or greater", "area"},
    {WIND ", \"coefficient\": -1, \"area\": 1", "forces[0].coefficient", "0 or greater", "drag"},
    {WIND ", \"coefficient\": 1, \"area\": 1, \"density\": -1", "forces[0].density", "0 or greater",
     "kg/m^3"},
    {WIND ", \"coefficient\": 1, \"area\": 1, \"wind\": 3", "forces[0].wind", "3 numbers", "m/s"},
    /* spring_damper */
    {"\"type\": \"spring_damper\", \"a\": \"ground\", \"b\": \"rotor\", \"stiffness\": 1, "
     "\"length\": 0.1",
     "forces[0]", "coincide", "\"length\": 0"},
    {"\"type\": \"spring_damper\", \"a\": \"ground\", \"b\": \"rotor\", \"stiffness\": 1, "
     "\"preload\": 2",
     "forces[0]", "coincide", "\"length\": 0"},
    {"\"type\": \"spring_damper\", \"a\": {\"body\": \"rotor\", \"position\": [1, 0, 0]}, \"b\":"
     " \"rotor\"",
     "forces[0]", "same body", "two bodies"},
    {"\"type\": \"spring_damper\", \"a\": {\"body\": \"bob\", \"position\": [1, 0, 0]}, \"b\":"
     " \"rotor\"",
     "forces[0].a.body", "cannot have an offset", "position out"},
    {SPRING ", \"stiffness\": -1", "forces[0].stiffness", "0 or greater", "N/m"},
    {SPRING ", \"damping\": -1", "forces[0].damping", "0 or greater", "N s/m"},
    {SPRING ", \"length\": -1", "forces[0].length", "0 or greater", "stretch is 0"},
    {SPRING ", \"stiffness\": 2, \"force\": \"3*x\"", "forces[0]", "\"force\" and \"stiffness\"",
     "the characteristic replaces"},
    {SPRING ", \"preload\": 2, \"force\": \"3*x\"", "forces[0]", "\"force\" and \"preload\"",
     "the characteristic replaces"},
    {SPRING ", \"damping\": 2, \"damping_force\": \"3*v\"", "forces[0]",
     "\"damping_force\" and \"damping\"", "the characteristic replaces"},
    {SPRING ", \"force\": 3", "forces[0].force", "a function of x, but is 3", "\"200*x^3\""},
    {SPRING ", \"damping_force\": true", "forces[0].damping_force", "a function of v, but is true",
     "v^3"},
    {SPRING ", \"force\": \"3*v\"", "forces[0].force", "no parameter \"v\"", "\"x\""},
    {SPRING ", \"force\": \"3*t\"", "forces[0].force", "no parameter \"t\"", "functions of time"},
    {SPRING ", \"force\": \"axle.angle\"", "forces[0].force", "\"axle.angle\" cannot be used here",
     "coordinate_force"},
    {SPRING ", \"force\": \"ramp\"", "forces[0].force", "a function of t, not of x", "table"},
    {SPRING ", \"force\": \"bumb\"", "forces[0].force", "no function \"bumb\"", "\"bump\""},
    {SPRING ", \"force\": \"1/x\"", "forces[0].force", "not finite at x = 0", "both sides"},
    {SPRING ", \"force\": {\"table\": [[0, 0], [1, 2], [1, 3]]}", "forces[0].force.table[2]",
     "the values of x of a table must increase, but 1 follows 1", ""},
    {SPRING ", \"force\": {\"table\": [[0, 0], [1, 2]]}", "forces[0].force.table",
     "monotone interpolation needs at least 3 rows, but has 2", "linear"},
    {SPRING ", \"force\": {\"table\": [[0, 0], 3]}", "forces[0].force.table[1]", "2 numbers", ""},
    {SPRING ", \"force\": {\"table\": [[0, 0]], \"interpolation\": \"monotonous\"}",
     "forces[0].force.interpolation", "\"akima\" or \"monotone\"", "\"monotone\""},
    {SPRING ", \"force\": {\"slope\": \"1\"}", "forces[0].force.value", "is missing", ""},
    {SPRING ", \"force\": {\"value\": \"x\", \"energy\": \"x\"}", "forces[0].force.energy",
     "unknown key \"energy\" in a characteristic", "integral"},
    {SPRING ", \"force\": {\"value\": \"x\", \"integral\": \"log(x)\"}", "forces[0].force",
     "not finite at x = 0", ""},
    /* attraction */
    {"\"type\": \"attraction\", \"a\": \"ground\", \"b\": \"rotor\", \"strength\": 1", "forces[0]",
     "coincide", "move"},
    {"\"type\": \"attraction\", " A_B, "forces[0].strength", "is missing", "N m^2"},
    {"\"type\": \"attraction\", \"a\": \"ground\", \"b\": \"ground\", \"strength\": 1", "forces[0]",
     "coincide", "move"},
    /* bushing */
    {MOUNT, "forces[0]", "\"stiffness\" of \"x\" is missing", "stiffness_matrix"},
    {MOUNT ", \"stiffness\": [1, -1, 1]", "forces[0]",
     "\"stiffness\" of \"x\" has a negative component", "0 or greater"},
    {MOUNT ", \"stiffness\": [1, 1, 1], \"rotational_damping\": [0, -1, 0]", "forces[0]",
     "\"rotational_damping\" of \"x\" has a negative component", "0 or greater"},
    {MOUNT ", \"stiffness\": [1, 1, 1], \"stiffness_matrix\": " ROWS("[1, 0, 0, 0, 0, 0]"),
     "forces[0]", "\"stiffness_matrix\" of \"x\" is given twice", "leave one"},
    {MOUNT ", \"stiffness\": [1, 1, 1], \"damping\": [1, 1, 1], \"damping_matrix\": " ROWS(
         "[1, 0, 0, 0, 0, 0]"),
     "forces[0]", "\"damping_matrix\" of \"x\" is given twice", "leave one"},
    {MOUNT ", \"stiffness_matrix\": " ROWS("[1, 0.5, 0, 0, 0, 0]"), "forces[0]", "is not symmetric",
     "energy"},
    {MOUNT ", \"stiffness_matrix\": " ROWS("[-1, 0, 0, 0, 0, 0]"), "forces[0]",
     "a direction of negative stiffness", "eigenvalue"},
    {MOUNT ", \"stiffness_matrix\": [[1, 0, 0, 0, 0, 3], [0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0],"
           " [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [3, 0, 0, 0, 0, 1]]",
     "forces[0]", "a direction of negative stiffness", "eigenvalue"},
    {MOUNT ", \"stiffness\": [1, 1, 1], \"damping_matrix\": " ROWS("[1, 3, 0, 0, 0, 0]"),
     "forces[0]", "a direction of negative damping", "symmetric part"},
    {MOUNT ", \"stiffness_matrix\": 3", "forces[0].stiffness_matrix", "a 6x6 matrix, an array",
     "symmetric"},
    {MOUNT ", \"stiffness_matrix\": [[1, 0, 0, 0, 0, 0]]", "forces[0].stiffness_matrix",
     "6 rows, but has 1", "moments"},
    {MOUNT ", \"stiffness_matrix\": " ROWS("[1, 0, 0]"), "forces[0].stiffness_matrix[0]",
     "an array of 6 numbers", ""},
    {"\"type\": \"bushing\", \"a\": \"ground\", \"b\": \"bob\", \"stiffness\": [1, 1, 1]",
     "forces[0].b", "no orientation", "rigid_body"},
    /* contact */
    {FLOOR ", \"radius\": 1, \"stiffness\": 1, \"exponent\": 0.5", "forces[0]", "exponent 0.5",
     "1 or greater"},
    {FLOOR, "forces[0].stiffness", "is missing", "k d^n"},
    {FLOOR ", \"radius\": -1, \"stiffness\": 1", "forces[0].radius", "0 or greater", "sphere"},
    {FLOOR ", \"radius\": 1, \"stiffness\": 0", "forces[0].stiffness", "greater than 0", "k d^n"},
    {FLOOR ", \"radius\": 1, \"stiffness\": 1, \"dissipation\": -1", "forces[0].dissipation",
     "0 or greater", ""},
    {FLOOR ", \"radius\": 1, \"stiffness\": 1, \"friction\": -1", "forces[0].friction",
     "0 or greater", "coefficient"},
    {FLOOR ", \"radius\": 1, \"stiffness\": 1, \"normal\": [0, 0, 0]", "forces[0].normal",
     "direction", ""},
    {"\"type\": \"contact\", \"a\": \"bob\", \"b\": \"rotor\", \"radius\": 1, \"stiffness\": 1",
     "forces[0].a", "no orientation", ""},
    /* on coordinates */
    {COIL ", \"stiffness\": -1", "forces[0].stiffness", "0 or greater", "N m/rad"},
    {COIL ", \"damping\": -1", "forces[0].damping", "0 or greater", "N m s/rad"},
    {COIL ", \"stiffness\": 1, \"force\": \"x\"", "forces[0]", "\"force\" and \"stiffness\"",
     "the characteristic replaces"},
    {"\"type\": \"coordinate_spring\", \"coordinate\": \"axle.angel\", \"stiffness\": 1",
     "forces[0].coordinate", "no joint coordinate \"axle.angel\"", "axle.angle"},
    {"\"type\": \"coordinate_spring\", \"coordinate\": \"axle.rate\", \"stiffness\": 1",
     "forces[0].coordinate", "no joint coordinate \"axle.rate\"", "axle.angle"},
    {"\"type\": \"coordinate_spring\", \"stiffness\": 1", "forces[0].coordinate", "is missing",
     "hinge.angle"},
    {MOTOR, "forces[0].effort", "is missing", "function of t"},
    {MOTOR ", \"effort\": \"2*\"", "forces[0].effort", "a value is missing", ""},
    {SERVO ", \"kp\": 1", "forces[0].target", "is missing", "function of t"},
    {SERVO ", \"target\": 1", "forces[0].kp", "is missing", "gain"},
    {SERVO ", \"target\": 1, \"kp\": -1", "forces[0].kp", "0 or greater", "gain"},
    {SERVO ", \"target\": 1, \"kp\": 1, \"kd\": -1", "forces[0].kd", "0 or greater", "gain"},
    {SERVO ", \"target\": 1, \"kp\": 1, \"limit\": 0", "forces[0].limit", "greater than 0",
     "largest effort"},
    {SERVO ", \"target\": \"axle.angle\", \"kp\": 1", "forces[0].target", "cannot be used here",
     "coordinate_force"},
    {RUB ", \"coulomb\": 2, \"static\": 1", "forces[0]", "less static", "at least \"coulomb\""},
    {RUB ", \"coulomb\": -2", "forces[0].coulomb", "0 or greater", "sliding"},
    {RUB ", \"rate_width\": 0", "forces[0].rate_width", "greater than 0", "reversal"},
    {"\"type\": \"friction\", \"coordinate\": \"s0.x\", \"coefficient\": 0.1", "forces[0]",
     "a joint that only measures", "carries the load"},
    {STOP, "forces[0]", "no limit", "\"lower\""},
    {STOP ", \"lower\": 1, \"upper\": -1", "forces[0]", "no room", "less than"},
    {STOP ", \"lower\": 1, \"upper\": 1", "forces[0]", "no room", "less than"},
    {STOP ", \"upper\": 1, \"exponent\": 0.5", "forces[0]", "exponent 0.5", "1 or greater"},
    {"\"type\": \"stop\", " ON_AXLE ", \"upper\": 1, \"stiffness\": -1", "forces[0].stiffness",
     "greater than 0", "k d^n"},
    /* elements in the wrong place, drives and sensors */
    {"\"type\": \"sensor\", \"a\": \"ground\", \"b\": \"rotor\"", "forces[0].type",
     "is a joint, not a force", "\"joints\""},
    {"\"type\": \"spring_dampr\", " A_B, "forces[0].type", "no force type", "\"spring_damper\""},
    {"\"type\": \"drive\", " ON_AXLE, "joints[2].motion", "is missing", "function of t"},
    {"\"type\": \"drive\", \"coordinate\": \"x.angle\", \"motion\": \"t\"", "joints[2].coordinate",
     "no joint coordinate \"x.angle\"", "axle.angle"},
    {"\"type\": \"drive\", " ON_AXLE ", \"motion\": \"s0.x\"", "joints[2].motion",
     "cannot be used here", "coordinate_force"},
    {"\"type\": \"sensor\", \"a\": \"rotor\", \"b\": \"rotor\"", "joints[2]", "same body",
     "two bodies"},
    {"\"type\": \"sensor\", \"a\": \"rotor\"", "joints[2].b", "is missing", "marker"},
};

static torsor_status open_with(const misuse *m, torsor_error *error) {
  char element[600], text[2600];
  const bool joint = m->path[0] == 'j';
  snprintf(element, sizeof element, "%s{\"name\": \"x\", %s}", joint ? ", " : "", m->element);
  const int used =
      snprintf(text, sizeof text, world_text, joint ? element : "", joint ? "" : element);
  CHECK_TRUE(used > 0 && (size_t)used < sizeof text);
  support_world world;
  const torsor_status status = support_open(&world, text, NULL, error);
  if (!status) support_close(&world);
  return status;
}

static void wrong_use_is_explained(void **state) {
  (void)state;
  int wrong = 0;
  for (size_t i = 0; i < sizeof misuses / sizeof *misuses; ++i) {
    const misuse *m = &misuses[i];
    torsor_error error = {0};
    const torsor_status status = open_with(m, &error);
    const bool said = strstr(error.message, m->message) && strstr(error.hint, m->hint);
    if (status == TORSOR_SCENE && said && !strcmp(error.path, m->path)) continue;
    ++wrong;
    print_error("%s\n  %s: %s: %s\n  hint: %s\n", m->element, torsor_status_name(status),
                error.path, error.message, error.hint);
  }
  print_message("  %zu kinds of wrong use, %d with a wrong answer\n",
                sizeof misuses / sizeof *misuses, wrong);
  CHECK_INT(wrong, 0);
}

/* Scenes that differ little from the wrong ones are accepted. */
static void good_neighbours(void **state) {
  (void)state;
  static const char *const good[] = {
      PUSH ", \"scale\": \"s0.x + s1.x - k*axle.rate\"",
      PUSH ", \"scale\": \"ramp\"",
      PUSH ", \"scale\": \"s${1 + 1}.x\"",
      "\"type\": \"force\", \"at\": \"bob\", \"force\": [1, 0, 0]",
      SPRING ", \"force\": \"bump\", \"damping\": 1",
      SPRING ", \"force\": {\"table\": [[0, 0], [1, 2]], \"interpolation\": \"linear\"}",
      MOUNT ", \"rotational_stiffness\": [1, 0, 0]",
      MOUNT ", \"stiffness\": [0, 0, 1], \"damping_matrix\": [[0, 1, 0, 0, 0, 0],"
            " [-1, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0],"
            " [0, 0, 0, 0, 0, 0]]",
      MOTOR ", \"effort\": \"-s3.distance\""};
  for (size_t i = 0; i < sizeof good / sizeof *good; ++i) {
    torsor_error error = {0};
    const torsor_status status =
        open_with(&(misuse){.element = good[i], .path = "forces[0]"}, &error);
    if (status) print_error("%s: %s: %s\n", good[i], error.path, error.message);
    CHECK_INT(status, TORSOR_OK);
  }
}

/* Keys that elements have already are no parameters of plug-ins. */
static void taken_keys_are_refused(void **state) {
  (void)state;
  static const char *const keys[] = {"name", "type", "repeat", "index", "comment", "_mine"};
  torsor_registry *registry = torsor_registry_create(NULL);
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
    torsor_element_type type = *torsor_registry_find(registry, "point_mass");
    const torsor_param params[] = {type.params[0], type.params[0], {0}};
    torsor_param own[3];
    memcpy(own, params, sizeof own);
    own[1].key = keys[i];
    type.name = "other";
    type.params = own;
    torsor_error error = {0};
    CHECK_INT(torsor_registry_add(registry, &type, &error), TORSOR_PLUGIN);
    CHECK_CONTAINS(error.message, keys[i]);
  }
  torsor_registry_destroy(registry);
}

/* A characteristic without a variable and a choice without words cannot be read. */
static void words_are_needed(void **state) {
  (void)state;
  static const char *const none[] = {NULL};
  static const torsor_param tables[][2] = {
      {{"law", TORSOR_PARAM_CHARACTERISTIC, 0, NULL, NULL, "a law", NULL, 0}, {0}},
      {{"law", TORSOR_PARAM_CHOICE, 0, NULL, NULL, "a choice", none, 0}, {0}}};
  torsor_registry *registry = torsor_registry_create(NULL);
  for (int i = 0; i < 2; ++i) {
    torsor_element_type type = *torsor_registry_find(registry, "point_mass");
    type.name = "other";
    type.params = tables[i];
    torsor_error error = {0};
    CHECK_INT(torsor_registry_add(registry, &type, &error), TORSOR_PLUGIN);
    CHECK_CONTAINS(error.message, "choices");
  }
  torsor_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_use_is_explained),
      cmocka_unit_test(good_neighbours),
      cmocka_unit_test(taken_keys_are_refused),
      cmocka_unit_test(words_are_needed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
