/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/assembly_private.h"

torsor_status assembly_create_stresses(assembly *a) {
  const int count = a->model->element_count;
  size_t size = 0;
  a->stress_first = arena_take(&a->memory, (size_t)count, sizeof *a->stress_first);
  if (!a->stress_first) return TORSOR_MEMORY;
  for (int i = 0; i < count; ++i) {
    a->stress_first[i] = (int)size;
    size += (size_t)a->model->element[i].type->chain.stresses;
  }
  a->stresses = (int)size;
  tape take = {.memory = &a->memory};
  stresses_walk(a, &take);
  return take.status;
}

void stresses_walk(assembly *a, tape *t) {
  TAPE_VALUE(t, a->foreseen);
  if (a->stresses) TAPE_ARRAY(t, a->stress, a->stresses);
}

bool assembly_has_stresses(const assembly *a) {
  return a->stress != NULL;
}

void assembly_foresee(assembly *a, const torsor_point *p) {
  if (!a->stress) return;
  assembly_set_motion(a, p);
  for (int i = 0; i < a->model->element_count; ++i) {
    const model_element *e = &a->model->element[i];
    if (!e->type->chain.stresses) continue;
    const torsor_element_in in = assembly_tangent_in(a, i, p);
    e->type->chain.stress(e->instance, &in, a->stress + a->stress_first[i]);
  }
  a->foreseen = true;
}

torsor_element_in assembly_tangent_in(const assembly *a, int i, const torsor_point *p) {
  torsor_element_in in = element_in(a, i, p);
  if (a->foreseen && a->model->element[i].type->chain.stresses)
    in.stress = a->stress + a->stress_first[i];
  return in;
}

void assembly_forget(assembly *a) {
  a->foreseen = false;
}
