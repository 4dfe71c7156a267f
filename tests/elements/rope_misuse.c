/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages for ropes whose path or lengths cannot be, at the start and in motion. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "support.h"

/* Members of a rope beside its name and type, the place of its mistake, and the message. */
typedef struct misuse {
  const char *rope, *path, *message, *hint;
} misuse;

static const char scene[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"bob\", \"type\":"
    " \"point_mass\", \"mass\": 1, \"position\": [1, 0, -1]}, {\"name\": \"wheel\", \"type\":"
    " \"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1]}, {\"name\": \"b${i}\", \"repeat\": 9,"
    " \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [\"2*i\", 0,"
    " 0]}], \"forces\": [{\"name\": \"r\", \"type\": \"rope\", %s}]%s}";

#define EA    "\"EA\": 1000, "
#define END   "{\"end\": {\"body\": \"ground\", \"position\": [-1, 0, -1]}}"
#define BOB   "{\"end\": \"bob\"}"
#define ABOUT ", \"axis\": [0, 1, 0], \"radius\": 0.2, \"sense\": 1"
#define WHEEL "{\"sheave\": \"wheel\"" ABOUT "}"
#define AT(x, z, more)                                                                             \
  "{\"sheave\": {\"body\": \"ground\", \"position\": [" x ", 0, " z "]}" ABOUT more "}"
#define LINE(body) ", {\"sheave\": \"" body "\"" ABOUT "}"

static const misuse misuses[] = {
    {EA "\"path\": \"wheel\"", "forces[0].path", "a list of stations", ""},
    {EA "\"path\": [" END "]", "forces[0].path", "has 1 stations, but needs two ends", "\"end\""},
    {EA "\"path\": [" END ", {\"axis\": [0, 1, 0]}, " BOB "]", "forces[0].path[1]",
     "must have one of \"end\", \"sheave\" and \"drum\"", ""},
    {EA "\"path\": [" END ", {\"end\": \"bob\", \"radius\": 1}]", "forces[0].path[1].radius",
     "unknown key", ""},
    {EA "\"path\": [{\"drum\": \"wheel\"" ABOUT ", \"friction\": 0.1}, " BOB "]",
     "forces[0].path[0].friction", "unknown key", ""},
    {EA "\"path\": [" END ", {\"sheave\": \"wheel\", \"radius\": 0.2, \"sense\": 1}, " BOB "]",
     "forces[0].path[1]", "\"axis\" is missing", "[x, y, z]"},
    {EA "\"path\": [" END ", {\"sheave\": \"wheel\", \"axis\": [0, 1, 0], \"sense\": 1}, " BOB "]",
     "forces[0].path[1]", "\"radius\" is missing", "in m"},
    {EA "\"path\": [" END ", {\"sheave\": \"wheel\", \"axis\": [0, 1, 0], \"radius\": 0.2}, " BOB
        "]",
     "forces[0].path[1]", "\"sense\" is missing", "-1: clockwise"},
    {EA "\"path\": [" END ", " AT("0", "0", ", \"friction\": -0.1") ", " BOB "]",
     "forces[0].path[1].friction", "0 or greater, but is -0.1", ""},
    {EA "\"path\": [" END ", {\"sheave\": \"bob\"" ABOUT "}, " BOB "]", "forces[0].path[1].sheave",
     "has no orientation", ""},
    {EA "\"path\": [" END ", {\"sheave\": \"wheel\", \"axis\": [0, 1, 0], \"radius\": 0.2,"
        " \"sense\": 0}, " BOB "]",
     "forces[0].path[1].sense", "must be 1 or -1, but is 0", "counterclockwise"},
    {EA "\"path\": [" END ", " WHEEL "]", "forces[0]", "has the sheave 1 of its path at its end",
     "begins and ends"},
    {EA "\"path\": [" END ", {\"drum\": \"wheel\"" ABOUT "}, " BOB "]", "forces[0]",
     "has the drum 1 of its path between its ends", "begins and ends"},
    {EA "\"path\": [" END ", {\"end\": {\"body\": \"ground\", \"position\": [1, 0, 0]}}]",
     "forces[0]", "of the ground alone", "pull at a body"},
    {EA "\"path\": [{\"end\": {\"body\": \"ground\", \"position\": [1, 0, -1]}}, " BOB "]",
     "forces[0]", "stations 0 and 1 in one place", "move"},
    {EA "\"path\": [{\"end\": {\"body\": \"ground\", \"position\": [0.12, 0, 0]}}, " WHEEL ", " BOB
        "]",
     "forces[0]", "station 0 of its path inside of sheave 1 (0.12 m from its axis, radius 0.2 m)",
     "from outside"},
    {EA "\"path\": [" END ", " WHEEL ", {\"sheave\": {\"body\": \"ground\","
        " \"position\": [0.3, 0, 0]}, \"axis\": [0, 1, 0], \"radius\": 0.2, \"sense\": -1}, " BOB
        "]",
     "forces[0]", "no tangent between the sheaves 1 and 2 of its path: their axes are 0.3 m apart",
     "apart"},
    {EA "\"path\": [{\"end\": {\"body\": \"ground\", \"position\": [-1, 1.4, 0]}}, " WHEEL ", " BOB
        "]",
     "forces[0]", "a fleet angle of 55 degrees between stations 0 and 1", "turn the axes"},
    {EA "\"slack\": false, \"path\": [" END ", " AT("0", "0", ", \"friction\": 0.1") ", " BOB "]",
     "forces[0]", "needs a rope that pulls", "\"slack\""},
    {EA "\"unstrained\": 2, \"tension\": 3, \"path\": [" END ", " BOB "]", "forces[0]",
     "has \"unstrained\" and \"tension\"", "leave one"},
    {"\"EA\": 0, \"path\": [" END ", " BOB "]", "forces[0].EA", "greater than 0", ""},
    {EA "\"path\": [{\"end\": {\"body\": \"ground\", \"position\": [-1, 0, 0]}}" LINE("b0")
         LINE("b1") LINE("b2") LINE("b3") LINE("b4") LINE("b5") LINE("b6") LINE("b7")
             LINE("b8") ", {\"end\": {\"body\": \"ground\", \"position\": [20, 0, 0]}}]",
     "forces[0]", "a path over more than 8 bodies", "without friction"},
};

static torsor_status open_with(support_world *out, const char *rope, const char *more,
                               torsor_error *error) {
  char text[4000];
  snprintf(text, sizeof text, scene, rope, more);
  return support_open(out, text, NULL, error);
}

static void wrong_use_is_explained(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof misuses / sizeof *misuses; ++i) {
    const misuse *m = &misuses[i];
    support_world world;
    torsor_error error = {0};
    const torsor_status status = open_with(&world, m->rope, "", &error);
    print_message("%s: %s (%s)\n", error.path, error.message, error.hint);
    CHECK_INT(status, TORSOR_SCENE);
    CHECK_CONTAINS(error.path, m->path);
    CHECK_CONTAINS(error.message, m->message);
    CHECK_CONTAINS(error.hint, m->hint);
  }
}

/* The rope of the good neighbours in motion: status, messages and warnings. */
static void check_run(const char *rope, const char *simulation, torsor_status expected,
                      const char *message, const char *warning) {
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  char more[200];
  snprintf(more, sizeof more, ", \"simulation\": {\"step\": 0.01, \"duration\": 1%s}", simulation);
  torsor_status status = open_with(&world, rope, more, &error);
  CHECK_INT(status, TORSOR_OK);
  status = support_run(&trace, &summary, &world, &error);
  print_message("%s (%s) %s\n", error.message, error.hint, trace.warnings);
  CHECK_INT(status, expected);
  CHECK_CONTAINS(error.message, message);
  CHECK_CONTAINS(trace.warnings, warning);
  support_trace_release(&trace);
  support_close(&world);
}

static void motions_are_explained(void **state) {
  (void)state;
  /* over the sheave from the left to the right, as it is meant, and about it the other way */
  check_run(EA "\"path\": [" END ", " AT("0", "0", "") ", " BOB "]", "", TORSOR_OK, "", "");
  check_run(EA
            "\"path\": [{\"end\": {\"body\": \"ground\", \"position\": [-1, 0, 0.3]}}, {\"sheave\":"
            " \"ground\", \"axis\": [0, 1, 0], \"radius\": 0.2, \"sense\": -1}, " BOB "]",
            "", TORSOR_OK, "", "its \"sense\" may be the opposite");
  check_run(EA "\"path\": [{\"end\": {\"body\": \"ground\", \"position\": [-1, 0.2, 0]}}, " AT(
                "0", "0", "") ", " BOB "]",
            "", TORSOR_OK, "", "a fleet angle of more than 4 degrees");
  /* the load is thrown up, and the rope is lifted off the sheave */
  check_run(EA "\"path\": [" END ", " AT("0", "0", "") ", " BOB "], \"pay_in\": \"3*t\"", "",
            TORSOR_STEP, "outside the range where it is defined", "");
  check_run(EA "\"path\": [" END ", " AT("0", "0", ", \"friction\": 0.1") ", " BOB "]",
            ", \"method\": \"rattle\"", TORSOR_ARGUMENT, "has friction", "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_use_is_explained),
      cmocka_unit_test(motions_are_explained),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
