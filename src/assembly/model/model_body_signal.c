/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Variables of functions: joint coordinates, and motions of bodies ("ball.velocity.x"). */
#include <string.h>

#include "assembly/model/model.h"
#include "elements/control_block.h"

static const struct {
  const char *word;
  torsor_sees sees;
} known[] = {{".position", TORSOR_SEES_POSITION},
             {".velocity", TORSOR_SEES_VELOCITY},
             {".angular_velocity", TORSOR_SEES_ANGULAR_VELOCITY}};

/* Cuts `word` off the end of `name`; false where it does not end so. */
static bool cut(char *name, const char *word) {
  const size_t length = strlen(name), end = strlen(word);
  if (length <= end || strcmp(name + length - end, word) != 0) return false;
  name[length - end] = '\0';
  return true;
}

static bool find_body_signal(torsor_control_input *out, const torsor_builder *builder,
                             const char *name) {
  static const char *const axes[] = {".x", ".y", ".z"};
  enum { ROOM = 160 };
  char body[ROOM];
  torsor_marker marker;
  int axis = 0, kind = 0;
  if (strlen(name) >= ROOM) return false;
  strcpy(body, name);
  while (axis < 3 && !cut(body, axes[axis])) ++axis;
  while (axis < 3 && kind < 3 && !cut(body, known[kind].word)) ++kind;
  if (axis == 3 || kind == 3) return false;
  const torsor_sees sees = known[kind].sees;
  const unsigned needs = sees == TORSOR_SEES_ANGULAR_VELOCITY ? TORSOR_NEEDS_ORIENTATION : 0;
  if (torsor_builder_marker(&marker, builder, body, so3_identity(), v3_zero(), needs, NULL) ||
      marker.node == TORSOR_GROUND)
    return false;
  out->sees = sees;
  out->node = marker.node;
  out->axis = axis;
  return true;
}

/* The state of a controller, whose name has no dot. */
static bool find_state(torsor_control_input *out, const torsor_builder *builder, const char *name) {
  const int element = strchr(name, '.') ? -1 : builder_find(builder, name);
  const model_element *e = element < 0 ? NULL : &builder_model(builder)->element[element];
  if (!e || e->type != &control_state) return false;
  out->sees = TORSOR_SEES_VELOCITY;
  out->node = e->node[0];
  return true;
}

torsor_status torsor_builder_signal(torsor_control_input *out, const torsor_builder *builder,
                                    const char *name, torsor_error *error) {
  *out = (torsor_control_input){.node = TORSOR_GROUND};
  if (find_state(out, builder, name) || find_body_signal(out, builder, name)) return TORSOR_OK;
  return model_find_coordinate(&out->on, &out->rate, builder, name, error);
}
