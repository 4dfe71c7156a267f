/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/frame.h>

#include <stdio.h>
#include <string.h>

#include "analysis/observe/layout.h"
#include "analysis/observe/signals.h"

static const struct {
  const char *name;
  int components;
  enum { OF_NODES, OF_ROWS, OF_COORDINATES, OF_OUTPUTS, OF_STRESSES, OF_MODEL } owner;
} of_field[TORSOR_FIELDS] = {
    [TORSOR_FIELD_POSITION] = {"position", 3, OF_NODES},
    [TORSOR_FIELD_QUATERNION] = {"quaternion", 4, OF_NODES},
    [TORSOR_FIELD_VELOCITY] = {"velocity", 3, OF_NODES},
    [TORSOR_FIELD_ANGULAR_VELOCITY] = {"angular_velocity", 3, OF_NODES},
    [TORSOR_FIELD_ACCELERATION] = {"acceleration", 3, OF_NODES},
    [TORSOR_FIELD_ANGULAR_ACCELERATION] = {"angular_acceleration", 3, OF_NODES},
    [TORSOR_FIELD_MULTIPLIER] = {"multiplier", 1, OF_ROWS},
    [TORSOR_FIELD_COORDINATE] = {"coordinate", 1, OF_COORDINATES},
    [TORSOR_FIELD_RATE] = {"rate", 1, OF_COORDINATES},
    [TORSOR_FIELD_OUTPUT] = {"output", 1, OF_OUTPUTS},
    [TORSOR_FIELD_ENERGY] = {"energy", 4, OF_MODEL},
    [TORSOR_FIELD_MOMENTUM] = {"momentum", 3, OF_MODEL},
    [TORSOR_FIELD_ANGULAR_MOMENTUM] = {"angular_momentum", 3, OF_MODEL},
    [TORSOR_FIELD_RESIDUAL] = {"residual", 1, OF_ROWS},
    [TORSOR_FIELD_RESIDUAL_RATE] = {"residual_rate", 1, OF_ROWS},
    [TORSOR_FIELD_STRESS] = {"stress", 1, OF_STRESSES},
};

const char *torsor_field_name(torsor_field field) {
  return of_field[field].name;
}

size_t torsor_layout_length(const torsor_layout *l, torsor_field field) {
  const int owners[] = {
      [OF_NODES] = l->nodes,     [OF_ROWS] = l->rows,         [OF_COORDINATES] = l->coordinates,
      [OF_OUTPUTS] = l->outputs, [OF_STRESSES] = l->stresses, [OF_MODEL] = 1};
  return (size_t)owners[of_field[field].owner] * (size_t)of_field[field].components;
}

size_t torsor_frame_size(const torsor_layout *layout, unsigned set) {
  size_t size = 1;
  for (int f = 0; f < TORSOR_FIELDS; ++f)
    if (set & 1u << f) size += torsor_layout_length(layout, (torsor_field)f);
  return size;
}

void torsor_frame_lay(torsor_frame *out, const torsor_layout *layout, unsigned set, double *value) {
  *out = (torsor_frame){.value = value, .size = 1};
  for (int f = 0; f < TORSOR_FIELDS; ++f) {
    const size_t length = torsor_layout_length(layout, (torsor_field)f);
    if (!(set & 1u << f) || !length) continue;
    out->field[f] = value + out->size;
    out->size += length;
  }
}

torsor_recording torsor_recording_default(void) {
  return (torsor_recording){.every = 1, .fields = TORSOR_FIELDS_USUAL, .sync = 1};
}

long torsor_recording_frames(const torsor_recording *recording, long rows) {
  const long whole = (rows - 1) / recording->every;
  return rows < 1 ? 0 : whole + 1 + ((rows - 1) % recording->every != 0);
}

/* ---- layout of a model ----------------------------------------------------------------------- */

typedef struct filling {
  torsor_layout *out;
  const torsor_model *model;
  arena *memory;
} filling;

static bool note_name(void *data, signal_part part, int element, int component, const char *name,
                      const char *unit) {
  const filling *f = data;
  torsor_layout *out = f->out;
  const model_element *e = &f->model->element[element];
  const char *copy = arena_string(f->memory, name);
  if (!copy) return false;
  const int row = e->first_row + component, coordinate = e->first_coordinate + component;
  switch (part) {
  case SIGNAL_MULTIPLIER:
    out->row_name[row] = copy;
    out->row_element[row] = element;
    return true;
  case SIGNAL_COORDINATE:
    out->coordinate_name[coordinate] = copy;
    out->coordinate_element[coordinate] = element;
    return (out->coordinate_unit[coordinate] = arena_string(f->memory, unit)) != NULL;
  case SIGNAL_RATE:
    out->rate_name[coordinate] = copy;
    return true;
  case SIGNAL_OUTPUT:
    out->output_name[out->outputs] = copy;
    out->output_element[out->outputs] = element;
    return (out->output_unit[out->outputs++] = arena_string(f->memory, unit)) != NULL;
  case SIGNAL_STRESS:
    out->stress_name[out->stresses] = copy;
    out->stress_element[out->stresses] = element;
    return (out->stress_unit[out->stresses++] = arena_string(f->memory, unit)) != NULL;
  }
  return false;
}

/* Returns the name of a node: "hub" for the first one of an element, "hub.node[1]" for the next. */
static const char *name_node(arena *memory, const torsor_model *model, int node) {
  const int element = model->node[node].element;
  const char *name = model->element[element].name;
  int before = 0;
  while (before < node && model->node[node - before - 1].element == element) ++before;
  if (!before) return arena_string(memory, name);
  char longer[160];
  snprintf(longer, sizeof longer, "%.120s.node[%d]", name, before);
  return arena_string(memory, longer);
}

static bool fill_nodes(const filling *f) {
  for (int i = 0; i < f->model->node_count; ++i) {
    const model_node *node = &f->model->node[i];
    f->out->node_element[i] = node->element;
    f->out->node_group[i] = (int)node->init.group;
    f->out->node_abstract[i] = node->init.abstract;
    if (!(f->out->node_name[i] = name_node(f->memory, f->model, i))) return false;
  }
  return true;
}

static bool fill_elements(const filling *f) {
  for (int i = 0; i < f->model->element_count; ++i) {
    const model_element *e = &f->model->element[i];
    f->out->element_name[i] = arena_string(f->memory, e->name);
    f->out->element_type[i] = arena_string(f->memory, e->type->name);
    if (!f->out->element_name[i] || !f->out->element_type[i]) return false;
  }
  return true;
}

static int count_outputs(const torsor_model *model) {
  int count = 0;
  for (int i = 0; i < model->element_count; ++i)
    for (const torsor_output *o = model->element[i].type->outputs.list; o && o->name; ++o)
      count += o->components;
  return count;
}

int layout_stresses(const torsor_element_type *type, const void *instance, int *of_place) {
  int components = 0, places = 0;
  if (type->outputs.places) {
    while (type->outputs.places->component[components]) ++components;
    while (type->outputs.places->place(instance, places)) ++places;
  }
  *of_place = components;
  return places * components;
}

static int count_stresses(const torsor_model *model) {
  int count = 0, of_place;
  for (int i = 0; i < model->element_count; ++i)
    count += layout_stresses(model->element[i].type, model->element[i].instance, &of_place);
  return count;
}

torsor_layout layout_count(const torsor_model *model, unsigned fields) {
  return (torsor_layout){.elements = model->element_count,
                         .nodes = model->node_count,
                         .rows = model->nl,
                         .coordinates = model->coordinate_count,
                         .outputs = count_outputs(model),
                         .stresses =
                             fields & 1u << TORSOR_FIELD_STRESS ? count_stresses(model) : 0};
}

/* Takes the arrays for the counts in `out`. */
bool layout_take(torsor_layout *out, arena *memory) {
  const struct {
    const char ***names;
    int count;
  } texts[] = {{&out->element_name, out->elements},
               {&out->element_type, out->elements},
               {&out->node_name, out->nodes},
               {&out->row_name, out->rows},
               {&out->coordinate_name, out->coordinates},
               {&out->rate_name, out->coordinates},
               {&out->coordinate_unit, out->coordinates},
               {&out->output_name, out->outputs},
               {&out->output_unit, out->outputs},
               {&out->stress_name, out->stresses},
               {&out->stress_unit, out->stresses}};
  const struct {
    int **values;
    int count;
  } numbers[] = {{&out->node_element, out->nodes},
                 {&out->node_group, out->nodes},
                 {&out->node_abstract, out->nodes},
                 {&out->row_element, out->rows},
                 {&out->coordinate_element, out->coordinates},
                 {&out->output_element, out->outputs},
                 {&out->stress_element, out->stresses}};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i) {
    *texts[i].names = arena_take(memory, (size_t)texts[i].count, sizeof **texts[i].names);
    if (!*texts[i].names) return false;
  }
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i) {
    *numbers[i].values = arena_take(memory, (size_t)numbers[i].count, sizeof **numbers[i].values);
    if (!*numbers[i].values) return false;
  }
  return true;
}

torsor_status torsor_layout_create(torsor_layout *out, const torsor_model *model, unsigned fields,
                                   torsor_error *error) {
  arena memory = {0};
  *out = layout_count(model, fields);
  const filling f = {.out = out, .model = model, .memory = &memory};
  bool good = layout_take(out, &memory) && fill_elements(&f) && fill_nodes(&f);
  const bool stresses = out->stresses > 0;
  out->outputs = out->stresses = 0; /* counted again as they are named */
  good = good && signals_visit(model, stresses, note_name, (void *)&f);
  out->memory = memory.last;
  if (good) return TORSOR_OK;
  torsor_layout_destroy(out);
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

void torsor_layout_destroy(torsor_layout *layout) {
  arena memory = {.last = layout->memory};
  arena_release(&memory);
  *layout = (torsor_layout){0};
}
