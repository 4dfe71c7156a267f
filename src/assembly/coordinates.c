/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/coordinates.h"

#include "assembly/assembly_private.h"

#include <math.h>
#include <string.h>

#include <torsor/joint.h>

/* Arguments of read_subdomain, by which threads evaluate the coordinates of all joints. */
typedef struct reading {
  const assembly *a;
  const torsor_point *p;
  double *value, *rate;
} reading;

static void read_subdomain(void *self, int s) {
  const reading *r = self;
  const subdomain *mine = &r->a->partition.of[s];
  for (int k = 0; k < mine->elements; ++k) {
    const int i = mine->element[k];
    const model_element *e = &r->a->model->element[i];
    if (!e->coordinates || !assembly_owns(r->a, s, e->node[0])) continue;
    const torsor_element_in in = element_in(r->a, i, r->p);
    e->type->coordinates.eval(e->instance, &in, r->value + e->first_coordinate,
                              r->rate + e->first_coordinate);
  }
}

static void read_values(double *value, double *rate, const assembly *a, const torsor_point *p) {
  reading r = {a, p, value, rate};
  assembly_run(a, read_subdomain, &r);
}

/* Finds the values for the markers as the scene defines them. */
static void start_values(double *value, const torsor_joint *joint, int count) {
  for (int k = 0; k < count; ++k) value[k] = torsor_coordinate_start(joint, k);
}

void coordinates_walk(coordinates *c, tape *t) {
  const int count = c->model->coordinate_count;
  TAPE_VALUE(t, c->t);
  TAPE_VALUE(t, c->at);
  TAPE_ARRAY(t, c->value, count);
  TAPE_ARRAY(t, c->rate, count);
  TAPE_ARRAY(t, c->second, count);
  TAPE_ARRAY(t, c->expected, count);
  TAPE_ARRAY(t, c->next_value, count);
  TAPE_ARRAY(t, c->next_rate, count);
  TAPE_ARRAY(t, c->shown, count);
  TAPE_ARRAY(t, c->shown_rate, count);
}

torsor_status coordinates_create(coordinates *c, const torsor_model *model, arena *memory) {
  const size_t count = (size_t)model->coordinate_count;
  tape take = {.memory = memory};
  c->model = model;
  coordinates_walk(c, &take);
  if (take.status) return take.status;
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    if (e->coordinates) start_values(c->value + e->first_coordinate, e->instance, e->coordinates);
  }
  memcpy(c->expected, c->value, count * sizeof *c->expected);
  return TORSOR_OK;
}

void coordinates_start(coordinates *c, const assembly *a, const torsor_point *p) {
  const torsor_model *model = c->model;
  read_values(c->next_value, c->rate, a, p);
  for (int i = 0; i < model->element_count; ++i)
    for (int k = 0; k < model->element[i].coordinates; ++k) {
      const int place = model->element[i].first_coordinate + k;
      const torsor_coordinate_ref ref = {.place = place,
                                         .period = model_period(&model->element[i], k)};
      c->value[place] = torsor_coordinate_turns(&ref, c->next_value[place], c->value);
    }
  memcpy(c->expected, c->value, (size_t)model->coordinate_count * sizeof *c->expected);
  c->t = c->at = p->t;
}

void coordinates_copy(coordinates *c, const coordinates *from) {
  const size_t size = (size_t)c->model->coordinate_count * sizeof *c->value;
  memcpy(c->value, from->value, size);
  memcpy(c->rate, from->rate, size);
  memcpy(c->second, from->second, size);
  memcpy(c->expected, from->value, size);
  c->t = c->at = from->t;
}

void coordinates_expect(coordinates *c, double t) {
  const double s = t - c->t;
  if (!(t < c->at || t > c->at)) return;
  c->at = t;
  for (int i = 0; i < c->model->coordinate_count; ++i)
    c->expected[i] = c->value[i] + s * (c->rate[i] + s / 2 * c->second[i]);
}

/* Counts the turns of coordinate i at the next point; returns false where they are not certain. */
static bool count_turns(coordinates *c, int i, double period, double h) {
  const double mean = c->value[i] + h * (c->rate[i] + c->next_rate[i]) / 2;
  double *next = &c->next_value[i];
  *next += period * nearbyint((c->expected[i] - *next) / period);
  return fabs(*next - c->expected[i]) < period / 4 && fabs(*next - mean) < period / 4;
}

void coordinates_show(coordinates *c, const assembly *a, const torsor_point *p) {
  const torsor_model *model = c->model;
  coordinates_expect(c, p->t);
  if (!model->coordinate_count) return;
  read_values(c->shown, c->shown_rate, a, p);
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    for (int k = 0; k < e->coordinates; ++k) {
      const double period = model_period(e, k);
      const int place = e->first_coordinate + k;
      double *value = &c->shown[place];
      if (period > 0) *value += period * nearbyint((c->expected[place] - *value) / period);
    }
  }
}

void coordinates_cut(coordinates *c, const assembly *a, const torsor_point *p) {
  const size_t size = (size_t)c->model->coordinate_count * sizeof *c->value;
  coordinates_show(c, a, p);
  memcpy(c->value, c->shown, size);
  memcpy(c->expected, c->shown, size);
  memcpy(c->rate, c->shown_rate, size);
  memset(c->second, 0, size);
  c->t = c->at = p->t;
}

/* Has a step left the range of the element's first coordinate, by more than rounding? */
static bool is_beyond(const coordinates *c, const model_element *e) {
  const double highest = ((const torsor_joint *)e->instance)->highest;
  const double value = c->next_value[e->first_coordinate], slack = 1e-9 * highest;
  return highest > 0 && !(value >= -slack && value <= highest + slack);
}

torsor_status coordinates_follow(coordinates *c, int *blamed, const assembly *a,
                                 const torsor_point *p) {
  const torsor_model *model = c->model;
  const double h = p->t - c->t;
  read_values(c->next_value, c->next_rate, a, p);
  coordinates_expect(c, p->t);
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    *blamed = i;
    if (e->coordinates && is_beyond(c, e)) return TORSOR_DOMAIN;
    for (int k = 0; k < e->coordinates; ++k) {
      const double period = model_period(e, k);
      if (!(period > 0) || count_turns(c, e->first_coordinate + k, period, h)) continue;
      return TORSOR_TURN;
    }
  }
  for (int i = 0; i < model->coordinate_count; ++i) {
    c->second[i] = (c->next_rate[i] - c->rate[i]) / h;
    c->value[i] = c->expected[i] = c->next_value[i];
    c->rate[i] = c->next_rate[i];
  }
  c->t = c->at = p->t;
  return TORSOR_OK;
}
