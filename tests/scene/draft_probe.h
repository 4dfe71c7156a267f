/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_DRAFT_PROBE_H
#define TORSOR_TESTS_DRAFT_PROBE_H

/** A draft with a force that has a parameter of every kind. */

#include <torsor/torsor.h>

#include "check.h"
#include "probe.h"

/* A force with a parameter of each kind, called after it. */
typedef struct probe {
  double number;
  int integer, choice;
  bool boolean;
  v3 vector, direction;
  m3 inertia;
  so3 orientation;
  torsor_angular_velocity spin;
  torsor_group group;
  torsor_marker marker;
  torsor_curve curve;
  m6 matrix6;
  torsor_numbers numbers;
  torsor_section section;
  torsor_section_table sections;
  torsor_function function;
  torsor_characteristic characteristic;
  torsor_control control;
  torsor_coordinate_ref coordinate;
  torsor_chain chain;
  torsor_profile profile;
  torsor_matrix matrix;
  torsor_frames frames;
} probe;

static probe kept;

static const char *const words[] = {"red", "green", NULL};

#define PARAM(key, kind)                                                                           \
  {                                                                                                \
#key, TORSOR_PARAM_##kind, offsetof(probe, key), NULL, TORSOR_OPTIONAL, "doc of " #key, words, \
        0                                                                                          \
  }

/* clang-format off */
static const torsor_param params[] = {
    PARAM(number, NUMBER), PARAM(integer, INTEGER), PARAM(choice, CHOICE), PARAM(boolean, BOOLEAN),
    PARAM(vector, VECTOR), PARAM(direction, DIRECTION), PARAM(inertia, INERTIA),
    PARAM(orientation, ORIENTATION), PARAM(spin, ANGULAR_VELOCITY), PARAM(group, GROUP),
    PARAM(marker, MARKER), PARAM(curve, CURVE), PARAM(matrix6, MATRIX6), PARAM(numbers, NUMBERS),
    PARAM(section, SECTION), PARAM(sections, SECTION_TABLE), PARAM(function, FUNCTION),
    PARAM(characteristic, CHARACTERISTIC), PARAM(control, CONTROL), PARAM(coordinate, COORDINATE),
    PARAM(chain, CHAIN), PARAM(profile, PROFILE), PARAM(matrix, MATRIX), PARAM(frames, FRAMES),
    {0}};
/* clang-format on */

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  (void)error;
  kept = *(const probe *)self;
  setup->nodes = 0;
  return TORSOR_OK;
}

static const torsor_element_type probe_type = PROBE_TYPE(probe, params, prepare);

static torsor_registry *types;

static int set_up(void **state) {
  (void)state;
  types = torsor_registry_create(NULL);
  return types && !torsor_registry_add(types, &probe_type, NULL) ? 0 : -1;
}

static int tear_down(void **state) {
  (void)state;
  torsor_registry_destroy(types);
  return 0;
}

/* A draft with whatever a parameter may name: a body, a hinge, a beam, a section, and the file of a
 * matrix. */
static torsor_draft *open_draft(torsor_item **force) {
  torsor_error error = {0};
  torsor_draft *draft = NULL;
  CHECK_INT(torsor_draft_create(&draft, types, &error), TORSOR_OK);
  torsor_item *box = torsor_element_new(draft, "rigid_body", "box");
  torsor_set_number(box, "mass", 1);
  torsor_set_vector(box, "inertia", (v3){1, 1, 1});
  torsor_item *wing = torsor_element_new(draft, "beam", "wing");
  torsor_set_number(wing, "elements", 1);
  torsor_set_number(wing, "length", 1);
  torsor_set_text(wing, "section", "bar");
  torsor_set_json(torsor_draft_item(draft, "sections"), "bar",
                  "{\"shape\": \"circle\", \"radius\": 0.1, \"E\": 1e9, \"nu\": 0.3, "
                  "\"density\": 1000}");
  torsor_item *hinge = torsor_element_new(draft, "revolute", "hinge");
  torsor_set_vector(hinge, "axis", (v3){0, 0, 1});
  torsor_set_text(hinge, "a", "ground");
  torsor_set_text(hinge, "b", "box");
  *force = torsor_element_new(draft, "probe", "probe");
  return draft;
}

#endif
