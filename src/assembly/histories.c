/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/histories.h"

#include "assembly/assembly_private.h"

#include <string.h>

torsor_status histories_create(histories *h, const torsor_model *model, arena *memory) {
  h->model = model;
  for (int i = 0; i < model->element_count; ++i) {
    h->count += model->element[i].states;
    h->elements += model->element[i].states > 0;
    h->sticks |= model->element[i].states > 0 && model->element[i].type->kind == TORSOR_FORCE;
  }
  tape take = {.memory = memory};
  histories_walk(h, &take);
  h->element = arena_take(memory, (size_t)h->elements, sizeof *h->element);
  h->first = arena_take(memory, (size_t)model->element_count, sizeof *h->first);
  if (take.status || !h->element || !h->first) return TORSOR_MEMORY;
  int first = 0, listed = 0;
  for (int i = 0; i < model->element_count; ++i) {
    h->first[i] = first;
    first += model->element[i].states;
    if (model->element[i].states) h->element[listed++] = i;
  }
  return TORSOR_OK;
}

void histories_walk(histories *h, tape *t) {
  TAPE_VALUE(t, h->t);
  TAPE_ARRAY(t, h->begin, h->count);
  TAPE_ARRAY(t, h->end, h->count);
}

/* All elements at the point p from the numbers `from`, or from none. */
static void find_end(histories *h, const assembly *a, const torsor_point *p, const double *from) {
  for (int k = 0; k < h->elements; ++k) {
    const int i = h->element[k];
    const model_element *e = &h->model->element[i];
    torsor_element_in in = element_in(a, i, p);
    in.state = from ? from + h->first[i] : NULL;
    if (from)
      e->type->history.advance(e->instance, &in, h->end + h->first[i]);
    else
      e->type->history.begin(e->instance, &in, h->end + h->first[i]);
  }
  h->t = p->t;
}

static void keep(double *to, const double *from, int count) {
  if (count) memcpy(to, from, (size_t)count * sizeof *to);
}

void histories_start(histories *h, const assembly *a, const torsor_point *p) {
  find_end(h, a, p, NULL);
  keep(h->begin, h->end, h->count);
}

void histories_accept(histories *h, const assembly *a, const torsor_point *p) {
  keep(h->begin, h->end, h->count);
  find_end(h, a, p, h->begin);
}

void histories_cut(histories *h, const assembly *a, const torsor_point *p) {
  find_end(h, a, p, h->begin);
}

void histories_capture(histories *h, const assembly *a, int element, const torsor_point *p) {
  const model_element *e = &h->model->element[element];
  double *begin = h->begin + h->first[element];
  torsor_element_in in = element_in(a, element, p);
  in.state = NULL;
  e->type->history.begin(e->instance, &in, begin);
  keep(h->end + h->first[element], begin, e->states);
}

void histories_copy(histories *h, const histories *from) {
  h->t = from->t;
  keep(h->begin, from->begin, h->count);
  keep(h->end, from->end, h->count);
}
