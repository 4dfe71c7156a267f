/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/coordinates.h"

#include <math.h>

torsor_status coordinates_start(coordinates *c, const assembly *a, const torsor_point *p,
                                arena *memory) {
  const torsor_model *model = c->model;
  const size_t count = (size_t)model->coordinate_count;
  c->value = arena_take(memory, count, sizeof *c->value);
  c->rate = arena_take(memory, count, sizeof *c->rate);
  if (!c->value || !c->rate) return TORSOR_MEMORY;
  c->t = p->t;
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    if (!e->coordinates) continue;
    const torsor_element_in in = assembly_element_in(a, i, p);
    e->type->coordinate(e->instance, &in, c->value + e->first_coordinate,
                        c->rate + e->first_coordinate);
  }
  return TORSOR_OK;
}

void coordinates_follow(coordinates *c, const assembly *a, const torsor_point *p) {
  const torsor_model *model = c->model;
  const double h = p->t - c->t;
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    if (!e->coordinates) continue;
    const torsor_element_in in = assembly_element_in(a, i, p);
    double value[ELEMENT_COORDINATES], rate[ELEMENT_COORDINATES];
    e->type->coordinate(e->instance, &in, value, rate);
    for (int k = 0; k < e->coordinates; ++k) {
      double *old = &c->value[e->first_coordinate + k], *old_rate = old - c->value + c->rate;
      const double period = e->type->coordinates[k].period;
      const double expected = *old + h * (*old_rate + rate[k]) / 2;
      *old = period > 0 ? value[k] + period * nearbyint((expected - value[k]) / period) : value[k];
      *old_rate = rate[k];
    }
  }
  c->t = p->t;
}
