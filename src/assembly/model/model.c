/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/model/model.h"

#include <limits.h>
#include <math.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <torsor/joint.h>

#include "assembly/model/address.h"

enum { LONGEST_NAME = 63 };

struct torsor_builder {
  torsor_model *model;
  int node_size, element_size;
  void *names; /* tree of `named` */
  bool guess;  /* default of new bodies */
  const model_space *space;
};

static torsor_status out_of_memory(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

torsor_status torsor_builder_create(torsor_builder **out, v3 gravity, torsor_error *error) {
  *out = calloc(1, sizeof **out);
  if (!*out) return out_of_memory(error);
  (*out)->model = calloc(1, sizeof *(*out)->model);
  if (!(*out)->model) {
    free(*out);
    *out = NULL;
    return out_of_memory(error);
  }
  (*out)->model->gravity = gravity;
  (*out)->model->most_nodes = 1;
  (*out)->model->most_square = 36;
  return TORSOR_OK;
}

void torsor_builder_guess(torsor_builder *builder, bool guess) {
  builder->guess = guess;
}

void torsor_builder_one_thread(torsor_builder *builder) {
  builder->model->one_thread = true;
}

void torsor_builder_follows_load(torsor_builder *builder) {
  builder->model->follows_load = true;
}

/* Frees nothing: entries of the tree belong to the model's arena. */
static void keep_entry(void *entry) {
  (void)entry;
}

void torsor_builder_destroy(torsor_builder *builder) {
  if (!builder) return;
  tdestroy(builder->names, keep_entry);
  torsor_model_destroy(builder->model);
  free(builder);
}

void torsor_model_destroy(torsor_model *model) {
  if (!model) return;
  free(model->node);
  free(model->element);
  free(model->event);
  arena_release(&model->memory);
  free(model);
}

/* Makes room for one more item of `item` bytes. */
static bool grow(void **items, int count, int *size, size_t item) {
  if (count < *size) return true;
  if (*size > INT_MAX / 2 - 16) return false;
  const int larger = 2 * *size + 16;
  void *moved = realloc(*items, (size_t)larger * item);
  if (!moved) return false;
  *items = moved;
  *size = larger;
  return true;
}

/* An entry in the tree of names.  A composite element is no element of the model itself. */
typedef struct named {
  const char *name;
  const torsor_element_type *type;
  int element; /* -1 = composite */
  int first;   /* first of its elements */
} named;

static int compare_names(const void *a, const void *b) {
  return strcmp(((const named *)a)->name, ((const named *)b)->name);
}

const torsor_solid *model_solids(const void *model, int node, int *count) {
  const torsor_model *m = model;
  *count = node == TORSOR_GROUND ? m->ground_solids : 0;
  if (node == TORSOR_GROUND) return m->ground_solid;
  const model_element *e = &m->element[m->node[node].element];
  if (!e->body || e->node[0] != node) return NULL;
  *count = e->solids;
  return e->solid;
}

torsor_model *builder_model(const torsor_builder *builder) {
  return builder->model;
}

static const named *find_name(const torsor_builder *builder, const char *name) {
  const named key = {.name = name};
  named *const *found = tfind(&key, &builder->names, compare_names);
  return found ? *found : NULL;
}

void builder_enter(torsor_builder *builder, const model_space *space) {
  builder->space = space;
}

static bool knows(const void *self, const char *name) {
  return find_name(self, name) != NULL;
}

const char *builder_name(const torsor_builder *builder, const char *name,
                         char room[MODEL_NAME_ROOM]) {
  return space_name(builder->space, name, room, knows, builder);
}

int builder_find_force(const torsor_builder *builder, const char *name) {
  const named *found = find_name(builder, name);
  return found && found->type->kind == TORSOR_FORCE ? found->first : -1;
}

int builder_find_switched(const torsor_builder *builder, const char *name) {
  const named *found = find_name(builder, name);
  return found && found->type->kind != TORSOR_BODY ? found->first : -1;
}

int builder_find(const torsor_builder *builder, const char *name) {
  const named *found = find_name(builder, name);
  return found ? found->element : -1;
}

/* Adds a name to the tree; returns false without memory. */
static bool keep_name(torsor_builder *builder, const char *name, const torsor_element_type *type,
                      int element) {
  named *entry = arena_take(&builder->model->memory, 1, sizeof *entry);
  if (!entry) return false;
  *entry = (named){
      .name = name, .type = type, .element = element, .first = builder->model->element_count};
  return tsearch(entry, &builder->names, compare_names) != NULL;
}

/* Returns the meaning that a reserved name has where names of signals or bodies are expected, or
 * NULL. */
static const char *reserved_meaning(const char *name) {
  static const char *const reserved[][2] = {{"ground", "the inertial frame"},
                                            {"energy", "signals of the whole model"},
                                            {"momentum", "signals of the whole model"},
                                            {"angular_momentum", "signals of the whole model"},
                                            {"impulse", "signals of the whole model"},
                                            {"angular_impulse", "signals of the whole model"}};
  for (size_t i = 0; i < sizeof reserved / sizeof *reserved; ++i)
    if (!strcmp(name, reserved[i][0])) return reserved[i][1];
  return NULL;
}

static torsor_status check_name(const torsor_builder *builder, const char *name,
                                torsor_error *error) {
  if (error) snprintf(error->path, sizeof error->path, "name");
  const size_t length = strlen(name);
  if (!length || length > LONGEST_NAME)
    return torsor_fail(error, TORSOR_SCENE, "a name has 1 to %d characters, not %zu", LONGEST_NAME,
                       length);
  const char *meaning = reserved_meaning(name);
  if (meaning) {
    torsor_fail(error, TORSOR_SCENE, "the name \"%s\" is taken by %s", name, meaning);
    torsor_hint(error, "choose another name");
    return TORSOR_SCENE;
  }
  const named *other = find_name(builder, name);
  if (other) {
    torsor_fail(error, TORSOR_SCENE, "there are two elements called \"%s\"", name);
    torsor_hint(error,
                "rename one of them, as names are unique among bodies, joints and forces; the "
                "other one is a %s",
                other->type->name);
    return TORSOR_SCENE;
  }
  if (error) error->path[0] = '\0';
  return TORSOR_OK;
}

/* Makes the nodes that `setup` declares for element `index`. */
static torsor_status add_nodes(torsor_builder *builder, model_element *element,
                               const torsor_setup *setup, torsor_error *error) {
  torsor_model *model = builder->model;
  const int nodes = setup->new_nodes + setup->nodes + setup->more_nodes + setup->other_nodes;
  element->node = arena_take(&model->memory, (size_t)nodes, sizeof *element->node);
  if (!element->node) return out_of_memory(error);
  if (nodes > model->most_nodes) model->most_nodes = nodes;
  for (int i = 0; i < setup->new_nodes; ++i) {
    if (!grow((void **)&model->node, model->node_count, &builder->node_size, sizeof *model->node))
      return out_of_memory(error);
    const struct group_ops *group = torsor_group_ops(setup->new_node[i].group);
    element->body = element->type->kind == TORSOR_BODY;
    element->node[element->nodes++] = model->node_count;
    model->node[model->node_count++] = (model_node){.init = setup->new_node[i],
                                                    .group = group,
                                                    .element = model->element_count,
                                                    .first_q = model->nq,
                                                    .first_v = model->nv};
    model->nq += group->nq;
    model->nv += group->nv;
  }
  for (int i = 0; i < setup->nodes; ++i) element->node[element->nodes++] = setup->node[i];
  for (int i = 0; i < setup->more_nodes; ++i) element->node[element->nodes++] = setup->more[i];
  for (int i = 0; i < setup->other_nodes; ++i) element->node[element->nodes++] = setup->others[i];
  element->alone = setup->alone;
  if (element_square(element) > model->most_square) model->most_square = element_square(element);
  return TORSOR_OK;
}

static int count_coordinates(const torsor_element_type *type) {
  int count = 0;
  while (type->coordinates.list && type->coordinates.list[count].name) ++count;
  return count;
}

static int count_outputs(const torsor_element_type *type) {
  int count = 0;
  for (const torsor_output *o = type->outputs.list; o && o->name; ++o) count += o->components;
  return count;
}

/* Returns the name of the count of an element that exceeds what the assembly has room for, or
 * NULL. */
static const char *find_excess(const torsor_model *model, const torsor_element_type *type,
                               const torsor_setup *setup) {
  if (setup->new_nodes < 0 || setup->nodes < 0 || setup->new_nodes > TORSOR_ELEMENT_NODES ||
      setup->nodes > TORSOR_ELEMENT_NODES - setup->new_nodes || setup->more_nodes < 0 ||
      setup->other_nodes < 0)
    return "too many nodes";
  if (setup->rows < 0 || setup->rows > TORSOR_ELEMENT_ROWS) return "too many constraint rows";
  if (setup->rows && setup->new_nodes + setup->nodes + setup->more_nodes < 1)
    return "constraint rows without a node";
  if (setup->ground_vector && (setup->rows < 3 || setup->new_nodes + setup->nodes != 1))
    return "a vector of constraint rows that it does not have";
  if (setup->seen_from < -1 ||
      (setup->seen_from >= 0 &&
       (setup->rows != 3 || setup->new_nodes || setup->nodes != 2 || setup->seen_from > 1)))
    return "a force on two nodes that it does not have";
  if (setup->nonholonomic < 0 || setup->nonholonomic > setup->rows)
    return "more nonholonomic rows than rows";
  for (int i = 0; i < setup->nodes; ++i)
    if (setup->node[i] < 0 || setup->node[i] >= model->node_count)
      return "a node that does not exist";
  for (int i = 0; i < setup->more_nodes; ++i)
    if (setup->more[i] < 0 || setup->more[i] >= model->node_count)
      return "a node that does not exist";
  for (int i = 0; i < setup->other_nodes; ++i)
    if (setup->others[i] < 0 || setup->others[i] >= model->node_count)
      return "a node that does not exist";
  if (setup->alone && (setup->rows || type->kind != TORSOR_FORCE || type->tangents.numeric))
    return "tangents of nodes by themselves, but is no force with tangents";
  if (setup->reaction_of < -1 || setup->reaction_of >= model->element_count)
    return "the reactions of an element that does not exist";
  if (setup->states < 0 || (setup->states && !(type->history.begin && type->history.advance)))
    return "numbers to keep without the functions of `history`";
  if (count_coordinates(type) > ELEMENT_COORDINATES) return "too many coordinates";
  if (count_outputs(type) > ELEMENT_OUTPUTS) return "too many outputs";
  return NULL;
}

static const m3 *copy_axes(m3 axes, arena *memory) {
  m3 *out = arena_take(memory, 1, sizeof *out);
  if (out) *out = axes;
  return out;
}

/* Stores the axes of vectors that are fixed to the ground, and of forces that rotate with a body.
 * Returns false without memory. */
static bool keep_axes(model_element *element, const torsor_setup *setup, arena *memory) {
  const m3 identity = m3_identity();
  element->seen_from = setup->seen_from;
  if (setup->ground_vector && !(element->ground_axes = copy_axes(setup->ground_axes, memory)))
    return false;
  if (setup->seen_from < 0 || !memcmp(&setup->seen_axes, &identity, sizeof identity)) return true;
  element->seen_axes = copy_axes(setup->seen_axes, memory);
  return element->seen_axes != NULL;
}

static torsor_status place_element(torsor_builder *builder, model_element *element,
                                   const torsor_setup *setup, torsor_error *error) {
  torsor_model *model = builder->model;
  const char *excess = find_excess(model, element->type, setup);
  if (excess)
    return torsor_fail(error, TORSOR_PLUGIN, "element type \"%s\" declares %s", element->type->name,
                       excess);
  enum { MOST = INT_MAX / 16 }; /* so that sums with the counts of one element do not overflow */
  if (model->nq > MOST || model->nl > MOST || model->coordinate_count > MOST)
    return torsor_fail(error, TORSOR_MEMORY, "the model is too large");
  const torsor_status status = add_nodes(builder, element, setup, error);
  if (status) return status;
  for (int i = 0; i < element->nodes; ++i) element->dofs += model->node[element->node[i]].group->nv;
  element->rows = setup->rows;
  element->first_row = model->nl;
  element->nonholonomic = setup->nonholonomic;
  element->states = setup->states;
  element->dissipative = setup->dissipative && element->type->energy.loss;
  element->reaction_of = setup->reaction_of;
  element->reaction_rows = setup->reaction_of < 0 ? 0 : model->element[setup->reaction_of].rows;
  model->reactive |= element->reaction_rows > 0;
  if (!keep_axes(element, setup, &model->memory)) return out_of_memory(error);
  if (element->reaction_rows) model->element[element->reaction_of].seen_from = -1;
  element->coordinates = count_coordinates(element->type);
  element->first_coordinate = model->coordinate_count;
  model->nl += setup->rows;
  model->nonholonomic += setup->nonholonomic;
  model->coordinate_count += element->coordinates;
  model->length = fmax(model->length, setup->length);
  if (!keep_name(builder, element->name, element->type, model->element_count))
    return out_of_memory(error);
  model->element[model->element_count++] = *element;
  return TORSOR_OK;
}

/* A composite element that is being added. */
typedef struct expansion {
  torsor_builder *builder;
  const char *name;
  const torsor_element_type *type;
} expansion;

static torsor_status expansion_add(void *self, const torsor_element_type *type, const char *suffix,
                                   const void *instance, int *node, torsor_error *error) {
  const expansion *to = self;
  torsor_model *model = to->builder->model;
  char name[2 * LONGEST_NAME + 2];
  snprintf(name, sizeof name, "%s%.60s", to->name, suffix);
  const torsor_status status = torsor_builder_add(to->builder, type, name, instance, error);
  if (!status && node) *node = model->element[model->element_count - 1].node[0];
  return status;
}

static torsor_status expansion_chain(void *self, const double *fraction, int count, double length,
                                     torsor_error *error) {
  const expansion *to = self;
  torsor_model *model = to->builder->model;
  const int first = model->element_count - count;
  int *node = arena_take(&model->memory, (size_t)count, sizeof *node);
  for (int i = 0; node && i < count; ++i) node[i] = model->element[first + i].node[0];
  const torsor_chain nodes = {.node = node, .fraction = fraction, .count = count, .length = length};
  return node && model_add_chain(model, to->name, nodes) ? TORSOR_OK : out_of_memory(error);
}

static torsor_status expansion_edge(void *self, const char *word, const int *node,
                                    const double *fraction, int count, double length,
                                    torsor_error *error) {
  const expansion *to = self;
  torsor_model *model = to->builder->model;
  char text[2 * LONGEST_NAME + 2];
  snprintf(text, sizeof text, "%s.edge_%.30s", to->name, word);
  const char *name = arena_string(&model->memory, text);
  const torsor_chain nodes = {
      .node = node, .fraction = fraction, .count = count, .length = length, .edge = true};
  return name && keep_name(to->builder, name, to->type, -1) && model_add_chain(model, name, nodes)
             ? TORSOR_OK
             : out_of_memory(error);
}

static torsor_status expansion_surface(void *self, const int *node, int count,
                                       torsor_error *error) {
  const expansion *to = self;
  return model_add_surface(to->builder->model, to->name, node, count) ? TORSOR_OK
                                                                      : out_of_memory(error);
}

static const void *expansion_keep(void *self, const void *data, size_t size) {
  const expansion *to = self;
  void *kept = arena_take(&to->builder->model->memory, 1, size);
  return kept ? memcpy(kept, data, size) : NULL;
}

static torsor_status expand(torsor_builder *builder, const torsor_element_type *type,
                            const char *name, const void *instance, torsor_error *error) {
  expansion self = {builder, arena_string(&builder->model->memory, name), type};
  const torsor_expansion to = {.self = &self,
                               .gravity = builder->model->gravity,
                               .add = expansion_add,
                               .chain = expansion_chain,
                               .keep = expansion_keep,
                               .edge = expansion_edge,
                               .surface = expansion_surface};
  const int first = builder->model->element_count;
  if (!self.name || !keep_name(builder, self.name, type, -1)) return out_of_memory(error);
  const torsor_status status = type->composite.expand(instance, &to, error);
  const int parts = builder->model->element_count - first;
  if (!status && parts > 0) builder->model->element[first].parts = parts;
  return status;
}

/* Completes the error of a type's `prepare`.  A type that fails without a message is faulty,
 * whatever the scene is. */
static torsor_status blame_type(const torsor_element_type *type, torsor_status status,
                                torsor_error *error) {
  if (!error || error->message[0]) return status;
  torsor_fail(error, status > 0 ? TORSOR_PLUGIN : status,
              "the type \"%s\" fails: its prepare returns %d (%s) without a message", type->name,
              (int)status, torsor_status_text(status));
  torsor_hint(error, "let prepare return TORSOR_OK, or the result of torsor_fail with a message");
  return error->status;
}

torsor_status torsor_builder_add(torsor_builder *builder, const torsor_element_type *type,
                                 const char *name, const void *instance, torsor_error *error) {
  torsor_model *model = builder->model;
  torsor_status status = check_name(builder, name, error);
  if (status) return status;
  if (type->composite.expand) return expand(builder, type, name, instance, error);
  if (!grow((void **)&model->element, model->element_count, &builder->element_size,
            sizeof *model->element))
    return out_of_memory(error);
  model_element element = {.type = type,
                           .name = arena_string(&model->memory, name),
                           .instance = arena_take(&model->memory, 1, type->size),
                           .given = arena_take(&model->memory, 1, type->size)};
  if (!element.name || !element.instance || !element.given) return out_of_memory(error);
  memcpy(element.instance, instance, type->size);
  memcpy(element.given, instance, type->size);
  torsor_setup setup = {.gravity = model->gravity,
                        .solids = model_solids,
                        .model = model,
                        .guess = builder->guess,
                        .name = element.name,
                        .first_coordinate = model->coordinate_count,
                        .seen_from = -1,
                        .reaction_of = -1};
  if (error) error->message[0] = '\0';
  status = type->prepare(element.instance, &setup, error);
  return status ? blame_type(type, status, error) : place_element(builder, &element, &setup, error);
}

/* Adds the hint for an unknown body: a similar name, or the names that there are. */
static void hint_bodies(const torsor_model *model, const char *body, torsor_error *error) {
  const char **names = malloc((size_t)(model->element_count + 1) * sizeof *names);
  if (!names) return;
  int count = 0;
  names[count++] = "ground";
  for (int i = 0; i < model->element_count; ++i)
    if (model->element[i].body) names[count++] = model->element[i].name;
  const char *near = torsor_near_name(body, names, count);
  if (near)
    torsor_hint(error, "did you mean \"%s\"?", near);
  else
    torsor_hint(error, "name a body of the scene or \"ground\" in a marker");
  free(names);
}

/* Finds a body by its name or by its position in a chain. */
static torsor_status find_body(int *element, const torsor_builder *builder, const char *body,
                               torsor_error *error) {
  const torsor_model *model = builder->model;
  const named *found = find_name(builder, body);
  if (found && found->element < 0) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" is a %s, which has many frames", body,
                found->type->name);
    address_hint(model, body, error);
    return TORSOR_SCENE;
  }
  *element = found ? found->element : -1;
  if (!found && address_is_chain(model, body)) return address_find(element, model, body, error);
  if (*element >= 0 && model->element[*element].body) return TORSOR_OK;
  torsor_fail(error, TORSOR_SCENE, "there is no body \"%s\"", body);
  hint_bodies(model, body, error);
  return TORSOR_SCENE;
}

torsor_status torsor_builder_marker(torsor_marker *marker, const torsor_builder *builder,
                                    const char *body, so3 R, v3 x, unsigned conditions,
                                    torsor_error *error) {
  const torsor_model *model = builder->model;
  *marker = (torsor_marker){
      .node = TORSOR_GROUND, .R = so3_matrix(R), .x = x, .R0 = so3_matrix(R), .x0 = x};
  if (!strcmp(body, "ground")) return TORSOR_OK;
  char room[MODEL_NAME_ROOM];
  int element = -1;
  body = builder_name(builder, body, room);
  const torsor_status status = find_body(&element, builder, body, error);
  if (status) return status;
  marker->node = model->element[element].node[0];
  const model_node *node = &model->node[marker->node];
  marker->point = node->init.group == TORSOR_GROUP_R3;
  if ((conditions & TORSOR_NEEDS_ORIENTATION) && node->init.group == TORSOR_GROUP_R3) {
    torsor_fail(error, TORSOR_SCENE,
                "\"%s\" is a %s: it has no orientation that a joint could constrain", body,
                model->element[element].type->name);
    torsor_hint(error, "use a rigid_body, or a joint that acts on points (spherical, distance)");
    return TORSOR_SCENE;
  }
  if (node->init.group == TORSOR_GROUP_R3 && v3_norm(x) > 0) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" is a %s: a marker on it cannot have an offset", body,
                model->element[element].type->name);
    torsor_hint(error, "leave the marker's position out");
    return TORSOR_SCENE;
  }
  const m3 R0 = so3_matrix(node->init.frame.R);
  marker->R0 = m3_mul(R0, marker->R);
  marker->x0 = v3_add(node->init.frame.x, m3_mulv(R0, x));
  return TORSOR_OK;
}

bool torsor_builder_on_beam(const torsor_builder *builder, int node) {
  if (node < 0) return false;
  const model_node *n = &builder->model->node[node];
  return !strcmp(builder->model->element[n->element].type->name, "beam_node") && !n->init.guess;
}

/* Adds the hint for an unknown coordinate: the most similar one of the model, among the rates as
 * well. */
static void hint_coordinates(const torsor_model *model, const char *wanted, bool rates,
                             torsor_error *error) {
  const size_t count = 2 * (size_t)model->coordinate_count;
  char(*full)[160] = malloc((count + 1) * sizeof *full);
  const char **names = malloc((count + 1) * sizeof *names);
  int listed = 0;
  for (int i = 0; full && names && i < model->element_count; ++i)
    for (int k = 0; k < (1 + rates) * model->element[i].coordinates; ++k) {
      const torsor_coordinate *c = &model->element[i].type->coordinates.list[k / (1 + rates)];
      snprintf(full[listed], sizeof *full, "%s.%s", model->element[i].name,
               rates && k % 2 ? c->rate : c->name);
      names[listed] = full[listed];
      ++listed;
    }
  const char *near = full && names ? torsor_near_name(wanted, names, listed) : NULL;
  if (near)
    torsor_hint(error, "did you mean \"%s\"?", near);
  else
    torsor_hint(error, "%s",
                rates ? "name a coordinate of a joint that comes before, e.g. \"hinge.angle\", or "
                        "what a body does, e.g. \"ball.velocity.x\""
                      : "name a coordinate of a joint that comes before, e.g. "
                        "\"hinge.angle\"");
  free(full);
  free(names);
}

double model_period(const model_element *element, int k) {
  const torsor_joint *joint = element->instance;
  const double own = k ? 0 : joint->period;
  return own > 0 ? own : element->type->coordinates.list[k].period;
}

/* Finds the joint of this name; of a composite one the part that has the coordinates. */
static int find_joint(const torsor_builder *builder, const char *name) {
  const torsor_model *model = builder->model;
  const named *found = find_name(builder, name);
  if (!found || found->element >= 0 || found->type->kind != TORSOR_JOINT)
    return found ? found->element : -1;
  const int end = found->first + model->element[found->first].parts;
  for (int i = found->first; i < end; ++i)
    if (model->element[i].coordinates) return i;
  return -1;
}

torsor_status model_find_coordinate(torsor_coordinate_ref *out, bool *rate,
                                    const torsor_builder *builder, const char *name,
                                    torsor_error *error) {
  const torsor_model *model = builder->model;
  char room[MODEL_NAME_ROOM];
  name = builder_name(builder, name, room);
  const char *dot = strrchr(name, '.');
  char joint[LONGEST_NAME + 1] = "";
  if (dot && dot - name <= LONGEST_NAME)
    snprintf(joint, sizeof joint, "%.*s", (int)(dot - name), name);
  const int element = joint[0] ? find_joint(builder, joint) : -1;
  const model_element *e = element >= 0 ? &model->element[element] : NULL;
  for (int k = 0; e && k < e->coordinates; ++k) {
    const bool is_rate = rate && !strcmp(e->type->coordinates.list[k].rate, dot + 1);
    if (!is_rate && strcmp(e->type->coordinates.list[k].name, dot + 1)) continue;
    if (rate) *rate = is_rate;
    *out = (torsor_coordinate_ref){.joint = e->instance,
                                   .index = k,
                                   .place = e->first_coordinate + k,
                                   .element = element,
                                   .period = model_period(e, k)};
    return TORSOR_OK;
  }
  torsor_fail(error, TORSOR_SCENE, "there is no joint coordinate \"%s\"", name);
  hint_coordinates(model, name, rate, error);
  return TORSOR_SCENE;
}

torsor_status torsor_builder_coordinate(torsor_coordinate_ref *out, const torsor_builder *builder,
                                        const char *name, torsor_error *error) {
  return model_find_coordinate(out, NULL, builder, name, error);
}

torsor_status torsor_builder_finish(torsor_model **out, torsor_builder *builder,
                                    torsor_error *error) {
  torsor_model *model = builder->model;
  if (!model->nv) {
    torsor_fail(error, TORSOR_SCENE, "the scene has no body");
    torsor_hint(error, "add one, e.g. {\"name\": \"ball\", \"type\": \"point_mass\", \"mass\": 1}");
    return TORSOR_SCENE;
  }
  model_reach_inputs(model);
  model_note_callbacks(model);
  *out = model;
  builder->model = NULL;
  return TORSOR_OK;
}

torsor_model_counts torsor_model_count(const torsor_model *model) {
  torsor_model_counts counts = {.elements = model->element_count,
                                .nodes = model->node_count,
                                .coordinates = model->nq,
                                .velocities = model->nv,
                                .holonomic = model->nl - model->nonholonomic,
                                .nonholonomic = model->nonholonomic};
  for (int i = 0; i < model->element_count; ++i) {
    const torsor_kind kind = model->element[i].type->kind;
    counts.bodies += model->element[i].body;
    counts.joints += kind == TORSOR_JOINT;
    counts.forces += kind == TORSOR_FORCE;
  }
  return counts;
}

const char *torsor_model_element_name(const torsor_model *model, int element) {
  return model->element[element].name;
}

const torsor_element_type *torsor_model_element_type(const torsor_model *model, int element) {
  return model->element[element].type;
}

int torsor_model_row_element(const torsor_model *model, int row, int *local) {
  int low = 0, high = model->element_count - 1;
  while (low < high) { /* finds the last element whose first row is at or before `row` */
    const int middle = (low + high + 1) / 2;
    if (model->element[middle].first_row <= row)
      low = middle;
    else
      high = middle - 1;
  }
  if (local) *local = row - model->element[low].first_row;
  return low;
}

int torsor_model_velocity_element(const torsor_model *model, int index, int *local) {
  int low = 0, high = model->node_count - 1;
  while (low < high) {
    const int middle = (low + high + 1) / 2;
    if (model->node[middle].first_v <= index)
      low = middle;
    else
      high = middle - 1;
  }
  if (local) *local = index - model->node[low].first_v;
  return model->node[low].element;
}

double model_size(const torsor_model *model) {
  v3 low = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
  for (int i = 0; i < model->node_count; ++i) {
    const v3 x = model->node[i].init.frame.x;
    low = (v3){fmin(low.x, x.x), fmin(low.y, x.y), fmin(low.z, x.z)};
    high = (v3){fmax(high.x, x.x), fmax(high.y, x.y), fmax(high.z, x.z)};
  }
  const double length = fmax(v3_norm(v3_sub(high, low)) / 2, model->length);
  return length > 0 ? length : 1;
}
