/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/words.h"

const char *word_kind(torsor_kind kind) {
  switch (kind) {
  case TORSOR_BODY:
    return "body";
  case TORSOR_JOINT:
    return "joint";
  case TORSOR_FORCE:
    return "force";
  }
  return "unknown";
}

const char *word_param_kind(torsor_param_kind kind) {
  switch (kind) {
  case TORSOR_PARAM_NUMBER:
    return "number";
  case TORSOR_PARAM_INTEGER:
    return "integer";
  case TORSOR_PARAM_BOOLEAN:
    return "boolean";
  case TORSOR_PARAM_CHOICE:
    return "choice";
  case TORSOR_PARAM_VECTOR:
    return "vector";
  case TORSOR_PARAM_DIRECTION:
    return "direction";
  case TORSOR_PARAM_INERTIA:
    return "inertia";
  case TORSOR_PARAM_ORIENTATION:
    return "orientation";
  case TORSOR_PARAM_ANGULAR_VELOCITY:
    return "angular velocity";
  case TORSOR_PARAM_GROUP:
    return "group";
  case TORSOR_PARAM_MARKER:
    return "marker";
  case TORSOR_PARAM_FUNCTION:
    return "function of t";
  case TORSOR_PARAM_CURVE:
    return "curve";
  case TORSOR_PARAM_MATRIX6:
    return "6x6 matrix";
  case TORSOR_PARAM_NUMBERS:
    return "numbers";
  case TORSOR_PARAM_SECTION:
    return "section";
  case TORSOR_PARAM_SECTION_TABLE:
    return "section or table of sections";
  case TORSOR_PARAM_CHARACTERISTIC:
    return "characteristic";
  case TORSOR_PARAM_CONTROL:
    return "function of t and coordinates";
  case TORSOR_PARAM_COORDINATE:
    return "joint coordinate";
  case TORSOR_PARAM_CHAIN:
    return "beam";
  case TORSOR_PARAM_SURFACE:
    return "shell";
  case TORSOR_PARAM_LAYERS:
    return "layers";
  case TORSOR_PARAM_PATH:
    return "path of a rope";
  case TORSOR_PARAM_BODIES:
    return "names of bodies";
  case TORSOR_PARAM_NAMES:
    return "names";
  case TORSOR_PARAM_PROFILE:
    return "function of s and t";
  case TORSOR_PARAM_MATRIX:
    return "matrix";
  case TORSOR_PARAM_FRAMES:
    return "frames";
  case TORSOR_PARAM_MESH:
    return "mesh";
  case TORSOR_PARAM_BODY_FILE:
    return "file";
  case TORSOR_PARAM_CALLBACK:
    return "callback";
  }
  return "unknown";
}

bool word_outputs_again(const torsor_element_type *type, int part) {
  const torsor_output *list = type->composite.parts[part]->outputs.list;
  for (int i = 0; list && i < part; ++i)
    if (type->composite.parts[i]->outputs.list == list) return true;
  return false;
}
