/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/guards.h"

#include "assembly/assembly_private.h"

torsor_status guards_create(guards *g, const torsor_model *model, arena *memory) {
  int count = 0;
  for (int i = 0; i < model->element_count; ++i)
    count += model->element[i].type->limits.astray != NULL;
  *g = (guards){.model = model};
  g->element = arena_take(memory, (size_t)count, sizeof *g->element);
  if (!g->element) return TORSOR_MEMORY;
  for (int i = 0; i < model->element_count; ++i)
    if (model->element[i].type->limits.astray) g->element[g->count++] = i;
  return TORSOR_OK;
}

int guards_find(const guards *g, const assembly *a, const torsor_point *p) {
  for (int k = 0; k < g->count; ++k) {
    const model_element *e = &g->model->element[g->element[k]];
    if (!a->active[g->element[k]]) continue;
    const torsor_element_in in = assembly_element_in(a, g->element[k], p);
    if (e->type->limits.astray(e->instance, &in, NULL)) return g->element[k];
  }
  return -1;
}
