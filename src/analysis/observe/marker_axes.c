/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/observe/marker_axes.h"

#include <string.h>

/* Returns the marker of the element under this key, or NULL. */
static const torsor_marker *find_marker(const model_element *e, const char *key) {
  for (const torsor_param *p = e->type->params; p && p->key; ++p)
    if (p->kind == TORSOR_PARAM_MARKER && strcmp(p->key, key) == 0)
      return (const torsor_marker *)((const char *)e->instance + p->offset);
  return NULL;
}

static bool is_vector(const torsor_output *output) {
  return output->components == 3 &&
         (strcmp(output->name, "force") == 0 || strcmp(output->name, "moment") == 0);
}

bool marker_axes_apply(const model_element *e, const torsor_output *output) {
  return is_vector(output) && find_marker(e, "a") && find_marker(e, "b");
}

void marker_axes_turn(double *values, const model_element *e, const char *key, const assembly *a) {
  const torsor_marker *marker = find_marker(e, key);
  const bool ground = marker->node == TORSOR_GROUND;
  const m3 R = ground ? marker->R0 : m3_mul(assembly_motion(a, marker->node)->R, marker->R);
  for (const torsor_output *o = e->type->outputs.list; o->name; values += (o++)->components)
    if (is_vector(o)) v3_store(values, m3_tmulv(R, v3_load(values)));
}
