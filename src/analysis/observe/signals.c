/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/observe/signals_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/observe/marker_axes.h"
#include "analysis/observe/signal_names.h"
#include "assembly/model/address.h"
#include "elements/control_block.h"

static const char *const xyz[] = {"x", "y", "z"}, *const wxyz[] = {"w", "x", "y", "z"};

static bool add_column(torsor_signals *list, const column *c) {
  if (list->count == list->size) {
    const int size = 2 * list->size + 64;
    column *moved = realloc(list->column, (size_t)size * sizeof *moved);
    if (!moved) return false;
    list->column = moved;
    list->size = size;
  }
  list->column[list->count++] = *c;
  return true;
}

/* Columns "<owner>.<name>[.<suffix>]" for `components` numbers of one source. */
static bool add_source(torsor_signals *list, const char *owner, const char *name,
                       const char *const *suffix, int components, column c) {
  const int first = c.component;
  for (int i = 0; i < components; ++i) {
    c.component = first + i;
    if (suffix)
      snprintf(c.name, sizeof c.name, "%.72s.%.72s.%s", owner, name, suffix[i]);
    else
      snprintf(c.name, sizeof c.name, "%.72s.%.72s", owner, name);
    if (!add_column(list, &c)) return false;
  }
  return true;
}

/* May one of the wanted names stand for a signal of this owner?  Most signals of large models are
 * never asked for. */
static bool may_be_wanted(const torsor_signals *list, const char *owner, const char *name) {
  for (int i = 0; i < list->wanted_count; ++i)
    if (signal_names_may_mean(list->wanted[i], owner, name)) return true;
  return !list->wanted_count;
}

/* Lists the signals of a body, or of one in a chain under a name such as "wing.start". */
static bool add_body(torsor_signals *list, int element, const char *place) {
  static const struct {
    const char *name, *unit;
    source_kind kind;
    bool turns, is_default;
  } table[] = {
      {"position", "m", SOURCE_POSITION, false, true},
      {"quaternion", "", SOURCE_QUATERNION, true, true},
      {"rotation_vector", "rad", SOURCE_ROTATION_VECTOR, true, false},
      {"velocity", "m/s", SOURCE_VELOCITY, false, true},
      {"angular_velocity", "rad/s", SOURCE_ANGULAR_VELOCITY, true, true},
      {"angular_velocity_inertial", "rad/s", SOURCE_SPIN, true, false},
      {"acceleration", "m/s^2", SOURCE_ACCELERATION, false, false},
      {"angular_acceleration", "rad/s^2", SOURCE_ANGULAR_ACCELERATION, true, false},
  };
  const model_element *e = &list->model->element[element];
  if (list->parts || !may_be_wanted(list, place ? place : e->name, "")) return true;
  const bool turns = list->model->node[e->node[0]].init.group != TORSOR_GROUP_R3;
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    if (table[i].turns && !turns) continue;
    const bool four = table[i].kind == SOURCE_QUATERNION;
    const column c = {.unit = table[i].unit,
                      .kind = table[i].kind,
                      .element = element,
                      .is_default = table[i].is_default && !place,
                      .place = place ? strlen(place) : 0};
    if (!add_source(list, place ? place : e->name, table[i].name, four ? wxyz : xyz, four ? 4 : 3,
                    c))
      return false;
  }
  return true;
}

/* Columns "<joint>.<name>.<row>". */
static bool add_rows(torsor_signals *list, int element, const char *name, source_kind kind) {
  const model_element *e = &list->model->element[element];
  if (!may_be_wanted(list, e->name, name) || (list->parts && kind != SOURCE_LAMBDA)) return true;
  for (int i = 0; i < e->rows; ++i) {
    column c = {.unit = "",
                .kind = kind,
                .element = element,
                .component = i,
                .is_default = kind == SOURCE_LAMBDA};
    snprintf(c.name, sizeof c.name, "%s.%s.%d", e->name, name, i);
    if (!add_column(list, &c)) return false;
  }
  return true;
}

static bool add_work(torsor_signals *list, int element) {
  const model_element *e = &list->model->element[element];
  const column c = {.unit = "J", .kind = SOURCE_WORK, .element = element};
  if (list->parts || !work_is_done_by(e) || !may_be_wanted(list, e->name, "work")) return true;
  return add_source(list, e->name, "work", NULL, 1, c);
}

static bool add_coordinates(torsor_signals *list, int element) {
  const model_element *e = &list->model->element[element];
  char owner[NAME_SIZE]; /* those of "trolley.slide" are the joint's */
  snprintf(owner, sizeof owner, "%.*s", (int)strcspn(e->name, "."), e->name);
  for (int i = 0; i < e->coordinates; ++i) {
    const torsor_coordinate *coordinate = &e->type->coordinates.list[i];
    if (!may_be_wanted(list, owner, "")) break;
    column c = {.unit = coordinate->unit,
                .kind = SOURCE_COORDINATE,
                .element = element,
                .component = i,
                .is_default = true};
    if (!add_source(list, owner, coordinate->name, NULL, 1, c)) return false;
    c.kind = SOURCE_RATE;
    snprintf(c.rate_unit, sizeof c.rate_unit, "%.12s/s",
             coordinate->unit[0] ? coordinate->unit : "1");
    if (!add_source(list, owner, coordinate->rate, NULL, 1, c)) return false;
  }
  return true;
}

/* Lists a force or a moment in the axes of a marker: "<joint>.force_a", which no shorter name
 * stands for. */
static bool add_in_axes(torsor_signals *list, const char *owner, const torsor_output *o,
                        const char *marker, column c) {
  char name[NAME_SIZE];
  snprintf(name, sizeof name, "%.60s_%s", o->name, marker);
  c.kind = marker[0] == 'a' ? SOURCE_OUTPUT_A : SOURCE_OUTPUT_B;
  c.place = strlen(owner) + strlen(name) + 1;
  return add_source(list, owner, name, xyz, 3, c);
}

/* Lists the outputs of an element: those of "wing.element[3]" are called "wing.<output>[3]". */
static bool add_outputs(torsor_signals *list, int element) {
  const model_element *e = &list->model->element[element];
  const char *dot = strchr(e->name, '.'), *index = dot ? strchr(dot, '[') : NULL;
  char owner[NAME_SIZE], name[NAME_SIZE];
  int first = 0;
  if (!e->type->outputs.list) return true;
  snprintf(owner, sizeof owner, "%.*s", dot ? (int)(dot - e->name) : NAME_SIZE - 1, e->name);
  for (const torsor_output *o = e->type->outputs.list; o && o->name; first += (o++)->components) {
    if (!may_be_wanted(list, owner, o->name)) continue;
    const column c = {.unit = o->unit,
                      .kind = SOURCE_OUTPUT,
                      .element = element,
                      .component = first,
                      .counts = signal_names_among(e->type->outputs.counts, o->name)};
    snprintf(name, sizeof name, "%.60s%.60s", o->name, index ? index : "");
    if (!add_source(list, owner, name, o->components > 1 ? xyz : NULL, o->components, c))
      return false;
    if (list->parts || !marker_axes_apply(e, o)) continue;
    if (!add_in_axes(list, owner, o, "a", c) || !add_in_axes(list, owner, o, "b", c)) return false;
  }
  return true;
}

/* Lists the outputs at section points: "wing.stress[3].top.axial" for the point "top" of
 * "wing.element[3]". */
static bool add_output_places(torsor_signals *list, int element) {
  const model_element *e = &list->model->element[element];
  const torsor_place_outputs *o = e->type->outputs.places;
  const char *place, *dot = strchr(e->name, '.'), *index = dot ? strchr(dot, '[') : NULL;
  char owner[NAME_SIZE], name[NAME_SIZE];
  int components = 0;
  if (!o) return true;
  snprintf(owner, sizeof owner, "%.*s", dot ? (int)(dot - e->name) : NAME_SIZE - 1, e->name);
  if (!list->stresses && !(list->wanted_count && may_be_wanted(list, owner, o->name))) return true;
  while (o->component[components]) ++components;
  for (int k = 0; (place = o->place(e->instance, k)); ++k) {
    const column c = {.unit = o->unit,
                      .kind = SOURCE_PLACE,
                      .element = element,
                      .at = k,
                      .place = o->many ? strlen(owner) + strlen(o->name) + 1 : 0};
    snprintf(name, sizeof name, "%.16s%.12s.%.40s", o->name, index ? index : "", place);
    if (!add_source(list, owner, name, o->component, components, c)) return false;
    for (int i = 0; o->units && i < components; ++i) {
      column *added = &list->column[list->count - components + i];
      added->unit = o->units[i];
      added->counts = signal_names_among(e->type->outputs.counts, o->component[i]);
    }
  }
  return true;
}

static bool add_place(torsor_signals *list, const model_chain *chain, const char *word,
                      int element) {
  char place[NAME_SIZE];
  snprintf(place, sizeof place, "%s.%s", chain->name, word);
  return add_body(list, element, place);
}

static bool add_places(torsor_signals *list) {
  const torsor_model *model = list->model;
  for (const model_chain *chain = model->chain; chain; chain = chain->next) {
    const int last = chain->nodes.count - 1;
    if (!add_place(list, chain, "start", model_chain_body(model, chain, 0)) ||
        !add_place(list, chain, "end", model_chain_body(model, chain, last)))
      return false;
  }
  return true;
}

/* Columns "energy.<name>" of one source. */
static bool add_energies(torsor_signals *list, const char *const *name, int count, column c) {
  for (int i = 0; i < count; ++i) {
    c.component = i;
    snprintf(c.name, sizeof c.name, "energy.%s", name[i]);
    if (!add_column(list, &c)) return false;
  }
  return true;
}

/* Lists columns of two vectors, from component `first` of one source. */
static bool add_momenta(torsor_signals *list, const char *linear, const char *angular, int first,
                        column c) {
  for (int i = 0; i < 6; ++i) {
    c.component = first + i;
    c.unit = i < 3 ? "kg m/s" : "kg m^2/s";
    snprintf(c.name, sizeof c.name, "%s.%s", i < 3 ? linear : angular, xyz[i % 3]);
    if (!add_column(list, &c)) return false;
  }
  return true;
}

/* Lists the columns "inputs.<name>". */
static bool add_inputs(torsor_signals *list) {
  for (int i = 0; i < list->model->inputs; ++i) {
    const model_input *input = &list->model->input[i];
    column c = {.unit = input->unit, .kind = SOURCE_INPUT, .element = -1, .at = i};
    snprintf(c.name, sizeof c.name, "inputs.%.100s", input->name);
    if (!add_column(list, &c)) return false;
  }
  return true;
}

/* Lists the columns "signals.<name>". */
static bool add_derived(torsor_signals *list) {
  for (int i = 0; i < list->model->derived_count; ++i) {
    const torsor_derived *derived = &list->model->derived[i];
    column c = {.unit = derived->unit, .kind = SOURCE_DERIVED, .element = -1, .at = i};
    snprintf(c.name, sizeof c.name, "signals.%.100s", derived->name);
    if (!add_column(list, &c)) return false;
  }
  return true;
}

static bool add_balance(torsor_signals *list) {
  static const char *const energies[] = {"kinetic", "potential", "elastic", "total"};
  static const char *const sums[] = {"supplied", "dissipated", "balance"};
  const column energy = {.kind = SOURCE_BALANCE, .element = -1, .unit = "J", .is_default = true};
  const column sum = {.kind = SOURCE_WORK_SUM, .element = -1, .unit = "J"};
  const column momentum = {.kind = SOURCE_BALANCE, .element = -1};
  const column impulse = {.kind = SOURCE_IMPULSE, .element = -1};
  const column load = {.kind = SOURCE_LOAD, .element = -1, .unit = ""};
  return add_energies(list, energies, 4, energy) && add_energies(list, sums, 3, sum) &&
         add_momenta(list, "momentum", "angular_momentum", 4, momentum) &&
         add_momenta(list, "impulse", "angular_impulse", 0, impulse) &&
         add_source(list, "load", "factor", NULL, 1, load);
}

/* Lists every signal of the model that may be meant. */
static bool list_all(torsor_signals *list) {
  for (int i = 0; i < list->model->element_count; ++i) {
    const model_element *e = &list->model->element[i];
    if (e->body && e->type != &control_state && !add_body(list, i, NULL)) return false;
    if (!add_coordinates(list, i) || !add_rows(list, i, "lambda", SOURCE_LAMBDA) ||
        !add_outputs(list, i) || !add_output_places(list, i) ||
        !add_rows(list, i, "phi", SOURCE_PHI) ||
        !add_rows(list, i, "phi_velocity", SOURCE_PHI_VELOCITY) || !add_work(list, i))
      return false;
  }
  return list->parts ||
         (add_places(list) && add_balance(list) && add_inputs(list) && add_derived(list));
}

/* Finds the kind under which full states name a source; returns false where they do not. */
static bool is_part(source_kind kind, signal_part *part) {
  switch (kind) {
  case SOURCE_LAMBDA:
    *part = SIGNAL_MULTIPLIER;
    return true;
  case SOURCE_COORDINATE:
    *part = SIGNAL_COORDINATE;
    return true;
  case SOURCE_RATE:
    *part = SIGNAL_RATE;
    return true;
  case SOURCE_OUTPUT:
    *part = SIGNAL_OUTPUT;
    return true;
  case SOURCE_PLACE:
    *part = SIGNAL_STRESS;
    return true;
  default:
    return false;
  }
}

bool signals_visit(const torsor_model *model, bool stresses,
                   bool (*visit)(void *data, signal_part part, int element, int component,
                                 const char *name, const char *unit),
                   void *data) {
  torsor_signals all = {.model = model, .stresses = stresses, .parts = true};
  bool good = list_all(&all);
  for (int k = 0; k < all.count && good; ++k) {
    const column *c = &all.column[k];
    signal_part part;
    if (is_part(c->kind, &part))
      good = visit(data, part, c->element, c->component, c->name, torsor_signals_unit(&all, k));
  }
  free(all.column);
  return good;
}

/* Does `name` stand for the column: the same, or a prefix that ends at a dot or a bracket? */
static bool stands_for(const char *name, const column *c) {
  const size_t length = strlen(name);
  if (length < c->place || strncmp(name, c->name, length) != 0) return false;
  const char next = c->name[length];
  return next == '\0' || next == '.' || next == '[';
}

/* Replaces "wing@0.5" by "wing[4]" and "plate.edge_x1[2]" by "plate[8][2]" in a name; the new
 * name is in `buffer`. */
static torsor_status resolve_place(const char **name, char buffer[2 * NAME_SIZE],
                                   const torsor_model *model, torsor_error *error) {
  if (!signal_names_place(*name) || !address_is_chain(model, *name)) return TORSOR_OK;
  int element = 0;
  const char *rest = NULL;
  const torsor_status status = address_begin(&element, &rest, model, *name, error);
  if (status) return status;
  snprintf(buffer, 2 * NAME_SIZE, "%s%.100s", model->element[element].name, rest);
  *name = buffer;
  return TORSOR_OK;
}

/* Adds the hint: the most similar full name or group of names. */
static void hint_near(const torsor_signals *all, const char *word, torsor_error *error) {
  const size_t count = 3 * (size_t)all->count;
  const char **names = malloc(count * sizeof *names);
  char(*group)[NAME_SIZE] = malloc(2 * (size_t)all->count * sizeof *group);
  if (names && group) {
    for (int i = 0; i < all->count; ++i) {
      names[3 * i] = all->column[i].name;
      char *parent = group[2 * i], *owner = group[2 * i + 1];
      strcpy(parent, all->column[i].name);
      *strrchr(parent, '.') = '\0';
      strcpy(owner, all->column[i].name);
      *strchr(owner, '.') = '\0';
      names[3 * i + 1] = parent;
      names[3 * i + 2] = owner;
    }
    const char *near = torsor_near_name(word, names, (int)count);
    if (near)
      torsor_hint(error, "did you mean \"%s\"?", near);
    else
      torsor_hint(error, "`torsor list signals SCENE` shows the signals of a scene");
  }
  free(names);
  free(group);
}

static void hint_signal(const torsor_model *model, const char *word, torsor_error *error) {
  torsor_signals all = {.model = model};
  bool good = list_all(&all);
  all.wanted = &word; /* section points are too many unless their names are similar */
  all.wanted_count = 1;
  for (int i = 0; i < model->element_count && good; ++i) good = add_output_places(&all, i);
  if (good) hint_near(&all, word, error);
  free(all.column);
}

/* Selects the columns in the order of the names, none twice. */
static torsor_status select_columns(torsor_signals *out, torsor_signals *all,
                                    const char *const *names, int count, int *index,
                                    torsor_error *error) {
  for (int i = 0; i < count; ++i) {
    int found = 0;
    char buffer[2 * NAME_SIZE];
    const char *name = names[i];
    const torsor_status status = resolve_place(&name, buffer, all->model, error);
    if (status) {
      if (index) *index = i;
      return status;
    }
    for (int k = 0; k < all->count; ++k) {
      if (!stands_for(name, &all->column[k])) continue;
      ++found;
      if (all->column[k].chosen) continue;
      all->column[k].chosen = true;
      if (!add_column(out, &all->column[k]))
        return torsor_fail(error, TORSOR_MEMORY, "out of memory");
    }
    if (found) continue;
    if (index) *index = i;
    torsor_fail(error, TORSOR_SCENE, "there is no signal \"%s\"", names[i]);
    hint_signal(all->model, names[i], error);
    return TORSOR_SCENE;
  }
  for (int k = 0; !count && k < all->count; ++k)
    if (all->column[k].is_default && !add_column(out, &all->column[k]))
      return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  return TORSOR_OK;
}

/* Chooses what derived signals among the columns are made of. */
static torsor_status open_derived(torsor_signals *chosen, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < chosen->count && !status; ++i) {
    column *c = &chosen->column[i];
    if (c->kind != SOURCE_DERIVED) continue;
    const torsor_derived *derived = &chosen->model->derived[c->at];
    if (!derived->signals) c->of = calloc(1, sizeof *c->of);
    if (!derived->signals && !c->of) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
    if (!derived->signals) continue;
    status = torsor_signals_create(&c->of, chosen->model, derived->signal, derived->signals, NULL,
                                   error);
    if (!status && c->of->count != derived->signals)
      status = torsor_fail(error, TORSOR_SCENE,
                           "the signal \"%s\" uses a name that stands for more than one", c->name);
  }
  return status;
}

torsor_status torsor_signals_create(torsor_signals **out, const torsor_model *model,
                                    const char *const *names, int count, int *index,
                                    torsor_error *error) {
  *out = NULL;
  torsor_signals all = {.model = model, .wanted = names, .wanted_count = count};
  torsor_signals *chosen = calloc(1, sizeof *chosen);
  torsor_status status = TORSOR_OK;
  if (!chosen || !list_all(&all)) status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  if (!status) {
    chosen->model = model;
    status = select_columns(chosen, &all, names, count, index, error);
  }
  if (!status) status = open_derived(chosen, error);
  free(all.column);
  if (status)
    torsor_signals_destroy(chosen);
  else
    *out = chosen;
  return status;
}

void torsor_signals_destroy(torsor_signals *signals) {
  if (!signals) return;
  derivatives_release(&signals->derived);
  for (int i = 0; i < signals->count; ++i) torsor_signals_destroy(signals->column[i].of);
  free(signals->column);
  free(signals);
}

int signals_own_count(const torsor_signals *signals) {
  return signals->count;
}

const derivatives *signals_derivatives(const torsor_signals *signals) {
  return &signals->derived;
}

int torsor_signals_count(const torsor_signals *signals) {
  return signals->count + signals->derived.count;
}

const char *torsor_signals_name(const torsor_signals *signals, int i) {
  return i < signals->count ? signals->column[i].name : signals->derived.name[i - signals->count];
}

const char *torsor_signals_unit(const torsor_signals *signals, int i) {
  if (i >= signals->count) return ""; /* the units of parameters are not known */
  const column *c = &signals->column[i];
  return c->kind == SOURCE_RATE ? c->rate_unit : c->unit;
}

torsor_status torsor_signals_show_in(torsor_signals *signals, int i, const char *unit,
                                     double factor, torsor_error *error) {
  if (i < 0 || i >= signals->count || !(factor > 0) || !isfinite(factor))
    return torsor_fail(error, TORSOR_ARGUMENT, "column %d cannot be shown with the factor %g", i,
                       factor);
  column *c = &signals->column[i];
  snprintf(c->shown_unit, sizeof c->shown_unit, "%.31s", unit);
  c->shown_factor = factor;
  return TORSOR_OK;
}

static bool is_shown_in(const torsor_signals *signals, int i) {
  return i < signals->count && signals->column[i].shown_factor > 0;
}

const char *torsor_signals_shown_unit(const torsor_signals *signals, int i) {
  return is_shown_in(signals, i) ? signals->column[i].shown_unit : torsor_signals_unit(signals, i);
}

double torsor_signals_shown_factor(const torsor_signals *signals, int i) {
  return is_shown_in(signals, i) ? signals->column[i].shown_factor : 1;
}

/* Is it a sum over time, or made of such? */
static bool is_sum(const column *c) {
  bool energies = false, impulses = false;
  if (c->of) signals_need(c->of, &energies, &impulses);
  return energies || impulses || c->kind == SOURCE_WORK || c->kind == SOURCE_WORK_SUM ||
         c->kind == SOURCE_IMPULSE;
}

torsor_status torsor_signals_differentiate(torsor_signals *signals, const torsor_sensitivities *by,
                                           torsor_error *error) {
  if (signals->derived.count)
    return torsor_fail(error, TORSOR_ARGUMENT, "the signals have derivatives already");
  const char **name = malloc(((size_t)signals->count + 1) * sizeof *name);
  if (!name) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  for (int i = 0; i < signals->count; ++i)
    name[i] = is_sum(&signals->column[i]) ? NULL : signals->column[i].name;
  const torsor_status status =
      derivatives_create(&signals->derived, by, name, signals->count, error);
  free(name);
  return status;
}

int signals_column_element(const torsor_signals *signals, int i) {
  return signals->column[i].element;
}

bool signals_column_counts(const torsor_signals *signals, int i) {
  return signals->column[i].counts;
}

bool signals_column_reacts(const torsor_signals *signals, int i) {
  const torsor_signals *of = signals->column[i].of;
  if (of) return signals_need_reactions(of);
  switch (signals->column[i].kind) {
  case SOURCE_ACCELERATION:
  case SOURCE_ANGULAR_ACCELERATION:
  case SOURCE_LAMBDA:
  case SOURCE_OUTPUT:
  case SOURCE_OUTPUT_A:
  case SOURCE_OUTPUT_B:
    return true;
  default:
    return false;
  }
}

bool signals_need_reactions(const torsor_signals *signals) {
  for (int i = 0; i < signals->count; ++i)
    if (signals_column_reacts(signals, i)) return true;
  return false;
}

void signals_need(const torsor_signals *signals, bool *energies, bool *impulses) {
  for (int i = 0; i < signals->count; ++i) {
    const source_kind kind = signals->column[i].kind;
    *energies |= kind == SOURCE_WORK || kind == SOURCE_WORK_SUM;
    *impulses |= kind == SOURCE_IMPULSE;
    if (signals->column[i].of) signals_need(signals->column[i].of, energies, impulses);
  }
}
