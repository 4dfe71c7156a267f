/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/observe/full_state.h"

#include <string.h>

#include "analysis/observe/layout.h"

/* An element that has outputs. */
typedef struct teller {
  int element, length;
} teller;

static int count_tellers(const torsor_model *model) {
  int count = 0;
  for (int i = 0; i < model->element_count; ++i)
    count += model->element[i].type->outputs.list != NULL;
  return count;
}

static void note_tellers(full_state *f) {
  for (int i = 0; i < f->model->element_count; ++i) {
    const torsor_output *o = f->model->element[i].type->outputs.list;
    if (!o) continue;
    teller *t = &f->teller[f->tellers++];
    t->element = i;
    for (; o->name; ++o) t->length += o->components;
  }
}

torsor_status full_state_create(full_state *out, const torsor_model *model,
                                const torsor_hooks *hooks, arena *memory) {
  *out = (full_state){.model = model, .hooks = hooks};
  out->teller = arena_take(memory, (size_t)count_tellers(model), sizeof *out->teller);
  if (!out->teller) return TORSOR_MEMORY;
  note_tellers(out);
  if (!hooks || !hooks->frame) return TORSOR_OK;
  const unsigned fields = hooks->recording.fields;
  const torsor_layout layout = layout_count(model, fields);
  out->own = arena_take(memory, torsor_frame_size(&layout, fields), sizeof *out->own);
  if (!out->own) return TORSOR_MEMORY;
  torsor_frame_lay(&out->frame, &layout, fields, out->own);
  return TORSOR_OK;
}

static void store3(double *field, int node, v3 value) {
  if (field) v3_store(field + 3 * (size_t)node, value);
}

static void fill_nodes(double *const *field, const torsor_model *model, const assembly *a,
                       const torsor_point *p) {
  const torsor_motion *motions = assembly_motion(a, 0);
  for (int i = 0; i < model->node_count; ++i) {
    const model_node *node = &model->node[i];
    const torsor_motion *motion = &motions[i];
    store3(field[TORSOR_FIELD_POSITION], i, motion->x);
    if (field[TORSOR_FIELD_QUATERNION])
      so3_store(field[TORSOR_FIELD_QUATERNION] + 4 * (size_t)i, node_rotation(node, p));
    if (field[TORSOR_FIELD_VELOCITY])
      store3(field[TORSOR_FIELD_VELOCITY], i, node_velocity(node, motion, p));
    store3(field[TORSOR_FIELD_ANGULAR_VELOCITY], i, motion->V.ang);
    if (field[TORSOR_FIELD_ACCELERATION])
      store3(field[TORSOR_FIELD_ACCELERATION], i, node_acceleration(node, motion, p));
    store3(field[TORSOR_FIELD_ANGULAR_ACCELERATION], i, motion->A.ang);
  }
}

static void fill_outputs(double *output, const full_state *f, const assembly *a,
                         const torsor_point *p) {
  for (int i = 0; i < f->tellers; ++i) {
    const teller *t = &f->teller[i];
    const model_element *e = &f->model->element[t->element];
    if (assembly_acts(a, t->element)) {
      const torsor_element_in in = assembly_element_in(a, t->element, p);
      e->type->outputs.eval(e->instance, &in, output);
    } else {
      memset(output, 0, (size_t)t->length * sizeof *output);
    }
    output += t->length;
  }
}

/* Evaluates the stresses at the section points of all elements. */
static void fill_stresses(double *stress, const torsor_model *model, const assembly *a,
                          const torsor_point *p) {
  double values[TORSOR_PLACE_COMPONENTS];
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    int of_place;
    const int count = layout_stresses(e->type, e->instance, &of_place);
    if (!count) continue;
    const torsor_element_in in = assembly_element_in(a, i, p);
    for (int k = 0; k * of_place < count; ++k) {
      e->type->outputs.places->output(e->instance, &in, k, values);
      memcpy(stress, values, (size_t)of_place * sizeof *stress);
      stress += of_place;
    }
  }
}

static void copy(double *field, const double *from, int count) {
  if (field) memcpy(field, from, (size_t)count * sizeof *field);
}

void full_state_fill(torsor_frame *frame, const full_state *f, const observer *o,
                     const torsor_point *p, double t, const torsor_balance *sum) {
  frame->value[0] = t;
  const torsor_model *model = f->model;
  const coordinates *c = assembly_coordinates(o->assembly);
  double *const *field = frame->field;
  fill_nodes(field, model, o->assembly, p);
  copy(field[TORSOR_FIELD_MULTIPLIER], p->lambda, model->nl);
  copy(field[TORSOR_FIELD_COORDINATE], c->shown, model->coordinate_count);
  copy(field[TORSOR_FIELD_RATE], c->shown_rate, model->coordinate_count);
  copy(field[TORSOR_FIELD_RESIDUAL], o->phi, model->nl);
  copy(field[TORSOR_FIELD_RESIDUAL_RATE], o->phi_v, model->nl);
  if (field[TORSOR_FIELD_OUTPUT]) fill_outputs(field[TORSOR_FIELD_OUTPUT], f, o->assembly, p);
  if (field[TORSOR_FIELD_STRESS]) fill_stresses(field[TORSOR_FIELD_STRESS], model, o->assembly, p);
  const double energy[] = {sum->kinetic, sum->potential, sum->elastic,
                           sum->kinetic + sum->potential + sum->elastic};
  copy(field[TORSOR_FIELD_ENERGY], energy, 4);
  store3(field[TORSOR_FIELD_MOMENTUM], 0, sum->momentum);
  store3(field[TORSOR_FIELD_ANGULAR_MOMENTUM], 0, sum->angular_momentum);
}

bool full_state_due(const full_state *f, long row, long last) {
  if (!f->hooks || !f->hooks->frame) return false;
  return row % f->hooks->recording.every == 0 || row == last;
}

/* Returns the frame in the memory that the hooks provide. */
static torsor_frame find_frame(const full_state *f) {
  double *room = f->hooks->room ? f->hooks->room(f->hooks->data, f->frame.size) : NULL;
  torsor_frame frame = f->frame;
  if (!room) return frame;
  frame.value = room;
  for (int i = 0; i < TORSOR_FIELDS; ++i)
    if (frame.field[i]) frame.field[i] = room + (f->frame.field[i] - f->own);
  return frame;
}

torsor_status full_state_hand_out(const full_state *f, const observer *o, const torsor_point *p,
                                  double t, const torsor_balance *sum) {
  if (!f->hooks || !f->hooks->frame) return TORSOR_OK;
  torsor_frame frame = find_frame(f);
  full_state_fill(&frame, f, o, p, t, sum);
  return f->hooks->frame(f->hooks->data, &frame);
}
