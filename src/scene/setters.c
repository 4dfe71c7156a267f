/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/setters.h"

#include <stdio.h>
#include <string.h>

const char *setters_of(torsor_param_kind kind) {
  switch (kind) {
  case TORSOR_PARAM_NUMBER:
  case TORSOR_PARAM_INTEGER:
    return "torsor_set_number, or torsor_set_text for an expression";
  case TORSOR_PARAM_BOOLEAN:
    return "torsor_set_bool";
  case TORSOR_PARAM_CHOICE:
  case TORSOR_PARAM_GROUP:
  case TORSOR_PARAM_COORDINATE:
  case TORSOR_PARAM_CHAIN:
  case TORSOR_PARAM_SURFACE:
  case TORSOR_PARAM_BODY_FILE:
  case TORSOR_PARAM_CALLBACK:
    return "torsor_set_text";
  case TORSOR_PARAM_VECTOR:
  case TORSOR_PARAM_DIRECTION:
  case TORSOR_PARAM_ANGULAR_VELOCITY:
    return "torsor_set_vector or torsor_set_json";
  case TORSOR_PARAM_INERTIA:
    return "torsor_set_vector or torsor_set_matrix";
  case TORSOR_PARAM_ORIENTATION:
    return "torsor_set_rotation or torsor_set_json";
  case TORSOR_PARAM_MARKER:
    return "torsor_set_text, torsor_set_marker or torsor_set_marker_frame";
  case TORSOR_PARAM_CURVE:
  case TORSOR_PARAM_FRAMES:
    return "torsor_set_matrix or torsor_set_json";
  case TORSOR_PARAM_MATRIX6:
    return "torsor_set_matrix";
  case TORSOR_PARAM_MATRIX:
    return "torsor_set_matrix, or torsor_set_text for a file";
  case TORSOR_PARAM_NUMBERS:
    return "torsor_set_numbers";
  case TORSOR_PARAM_MESH:
    return "torsor_set_text for a file, or torsor_item_at";
  case TORSOR_PARAM_LAYERS:
  case TORSOR_PARAM_PATH:
  case TORSOR_PARAM_BODIES:
  case TORSOR_PARAM_NAMES:
    return "torsor_item_at or torsor_set_json";
  case TORSOR_PARAM_SECTION:
  case TORSOR_PARAM_SECTION_TABLE:
    return "torsor_set_text, torsor_item_at or torsor_set_json";
  case TORSOR_PARAM_FUNCTION:
  case TORSOR_PARAM_CONTROL:
  case TORSOR_PARAM_PROFILE:
    return "torsor_set_number, torsor_set_text or torsor_set_table";
  case TORSOR_PARAM_CHARACTERISTIC:
    return "torsor_set_text or torsor_set_table";
  }
  return "torsor_set_json";
}

static bool has_one_of(const char *words, const char *const *sign, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (strstr(words, sign[i])) return true;
  return false;
}

static bool speaks_of_json(const torsor_error *error) {
  static const char *const in_message[] = {"an array", "an object", "in quotes", "must be [", "[["};
  static const char *const in_hint[] = {"{\"", "[", "torsor list"};
  return has_one_of(error->message, in_message, sizeof in_message / sizeof *in_message) ||
         has_one_of(error->hint, in_hint, sizeof in_hint / sizeof *in_hint);
}

void setters_hint(torsor_error *error, const char *calls) {
  if (!error || error->file[0]) return;
  if (!speaks_of_json(error)) return;
  const size_t used = strlen(error->hint);
  snprintf(error->hint + used, sizeof error->hint - used, used ? " (in C: %s)" : "in C: %s", calls);
}
