/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/fitted_markers.h"

#include <string.h>

/* Frames that agree but for this, rad, are typed ones that agree: they are left as they are. */
static const double AGREE = 1e-6;

bool fitted_marker_asked(const json_node *orientation) {
  return cJSON_IsString(orientation->item) && !strcmp(orientation->item->valuestring, "fit");
}

/* A marker of the joint, and what the scene says of its orientation. */
typedef struct side {
  torsor_marker *marker;
  json_node orientation;
} side;

static bool find_side(side *out, void *instance, const torsor_element_type *type,
                      const json_node *node, const char *key) {
  for (const torsor_param *p = type->params; p->key; ++p) {
    if (p->kind != TORSOR_PARAM_MARKER || strcmp(p->key, key) != 0) continue;
    const json_node marker = json_member(node, key);
    out->marker = (torsor_marker *)((char *)instance + p->offset);
    out->orientation = (json_node){0};
    if (cJSON_IsObject(marker.item)) out->orientation = json_member(&marker, "orientation");
    return true;
  }
  return false;
}

/* A marker that was read without an orientation has R = I, and R0 is that of its body. */
static void take_over(torsor_marker *marker, const torsor_marker *other) {
  marker->R = m3_tmul(marker->R0, other->R0);
  marker->R0 = other->R0;
}

static bool agree(const torsor_marker *a, const torsor_marker *b) {
  return v3_norm(so3_log(so3_from_matrix(m3_tmul(a->R0, b->R0)))) < AGREE;
}

torsor_status fitted_markers_find(void *instance, const element_context *context,
                                  const torsor_element_type *type, const json_node *node) {
  side a, b;
  if (type->kind != TORSOR_JOINT || !find_side(&a, instance, type, node, "a") ||
      !find_side(&b, instance, type, node, "b"))
    return TORSOR_OK;
  const bool fit_a = fitted_marker_asked(&a.orientation);
  const bool fit_b = fitted_marker_asked(&b.orientation);
  if (fit_a && fit_b)
    return reader_fail(context->r, &b.orientation, "give one of them, and \"fit\" takes it",
                       "takes the orientation of marker a, which takes that of this one");
  if (fit_a) take_over(a.marker, b.marker);
  if (fit_b) take_over(b.marker, a.marker);
  if (fit_a || fit_b || strcmp(type->name, "weld") != 0) return TORSOR_OK;
  if (a.orientation.item || b.orientation.item || agree(a.marker, b.marker)) return TORSOR_OK;
  const bool beam_a = torsor_builder_on_beam(context->builder, a.marker->node);
  if (!beam_a && !torsor_builder_on_beam(context->builder, b.marker->node)) return TORSOR_OK;
  if (beam_a)
    take_over(b.marker, a.marker);
  else
    take_over(a.marker, b.marker);
  return TORSOR_OK;
}
