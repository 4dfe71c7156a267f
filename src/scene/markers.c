/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/markers.h"

#include <string.h>

#include "scene/fitted_markers.h"
#include "scene/physical.h"
#include "scene/places.h"

torsor_status marker_read(torsor_marker *out, const element_context *context, const json_node *node,
                          unsigned conditions) {
  static const char *const keys[] = {"body", "position", "orientation"};
  const reader *r = context->r;
  const bool object = cJSON_IsObject(node->item);
  if (!object && !cJSON_IsString(node->item)) {
    char shown[96];
    return reader_fail(r, node,
                       "\"body\", \"ground\" or {\"body\": \"...\", \"position\": [x, y, z]}",
                       node->item ? "must be a marker, but is %s" : "is %s: a marker is needed",
                       reader_show(node->item, shown));
  }
  const json_node body = object ? json_member(node, "body") : *node;
  const json_node position = json_member(node, "position");
  const json_node orientation = json_member(node, "orientation");
  const char *name = NULL;
  char buffer[256];
  v3 x = v3_zero();
  so3 R = so3_identity();
  torsor_status status = object ? reader_object(r, node, "a marker", keys, 3) : TORSOR_OK;
  if (!status) status = reader_pattern(&name, buffer, sizeof buffer, r, &body);
  if (!status && object && position.item) status = reader_vector(&x, r, &position);
  if (!status && object && orientation.item && !fitted_marker_asked(&orientation))
    status = physical_orientation(&R, r, &orientation);
  if (status || reader_postpones(r)) return status ? status : TORSOR_SCENE;
  if (r->error) r->error->path[0] = '\0';
  se3 named;
  char owner[MODEL_NAME_ROOM];
  bool within = places_marker(&named, owner, context->places, context->space, name);
  if (within) name = owner;
  within |= strcmp(name, "ground") == 0 && !within &&
            places_ground(&named, context->places, context->space);
  if (within) {
    x = se3_point(named, x);
    R = so3_compose(named.R, R);
  }
  status = torsor_builder_marker(out, context->builder, name, R, x, conditions, r->error);
  return status ? reader_locate(r, &body.path, status) : TORSOR_OK;
}
