/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "assembly/assembly_private.h"

/* Returns why the element is not known to be conservative, or NULL where it is. */
static const char *find_obstacle(const model_element *e) {
  const torsor_element_type *type = e->type;
  if (e->nonholonomic) return "is nonholonomic";
  if (type->energy.obstacle) return type->energy.obstacle(e->instance);
  if (type->kind == TORSOR_BODY) return "does not declare whether its mass matrix is constant";
  return type->kind == TORSOR_FORCE ? "does not declare whether it has a potential" : NULL;
}

torsor_status assembly_find_conservative(assembly *a) {
  char message[300];
  a->problem.conservative = true;
  for (int i = 0; i < a->model->element_count; ++i) {
    const model_element *e = &a->model->element[i];
    const char *obstacle = find_obstacle(e);
    if (!obstacle) continue;
    snprintf(message, sizeof message, "%s \"%s\" %s", e->type->name, e->name, obstacle);
    a->problem.conservative = false;
    a->problem.obstacle = arena_string(&a->memory, message);
    return a->problem.obstacle ? TORSOR_OK : TORSOR_MEMORY;
  }
  return TORSOR_OK;
}
