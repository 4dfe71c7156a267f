/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/events.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembly/model/model.h"
#include "elements/control_block.h"
#include "scene/event_joints.h"
#include "scene/signal_words.h"

/* Most forces that one event switches one way, and most values that it sets. */
enum { MOST_FORCES = 256, MOST_SETS = 64 };

/* Lets the event look at the signals among the words. */
static torsor_status take_words(torsor_event *out, const signal_words *words,
                                torsor_status status) {
  if (status) return status;
  out->signal = words->signal;
  out->signals = words->count - 1;
  return TORSOR_OK;
}

/* Reads a number or an expression in the words of the event, which gets more of them. */
static torsor_status read_function(function **f, torsor_event *out, signal_words *words,
                                   function_list *functions, const reader *r,
                                   const json_node *node) {
  return take_words(out, words, signal_words_read(f, words, functions, r, node));
}

static torsor_status read_when(torsor_event *out, signal_words *words, function_list *functions,
                               const reader *r, const json_node *node) {
  function *f = NULL;
  *words = signal_words_none();
  if (!node->item)
    return reader_fail(r, node, "for example \"ball.position.z - 0.1\"",
                       "is missing: the expression whose sign is watched");
  const torsor_status status = read_function(&f, out, words, functions, r, node);
  out->when = signal_words_value;
  out->self = f;
  return status;
}

/* ---- actions ------------------------------------------------------------------------------- */

/* Everything that an event switches and sets, and what makes it break. */
typedef struct event_forces {
  int on[MOST_FORCES], off[MOST_FORCES];
  switched_elements joins, parts; /* on, off */
  torsor_event_set set[MOST_SETS], reset[MOST_SETS];
  break_signals limits;
} event_forces;

/* The index of an input, or of the node of a state, with this name. */
typedef torsor_status find_target(int *out, const torsor_builder *builder, const reader *r,
                                  const json_node *value, const function_list *functions,
                                  const char *name);

static torsor_status find_input(int *out, const torsor_builder *builder, const reader *r,
                                const json_node *value, const function_list *functions,
                                const char *name) {
  const scene_inputs *inputs = functions->inputs;
  const char *near = torsor_near_name(name, inputs->name, inputs->count);
  char shown[96], hint[120];
  (void)builder;
  *out = scene_inputs_find(inputs, name);
  if (*out >= 0) return TORSOR_OK;
  snprintf(hint, sizeof hint,
           near ? "did you mean \"%s\"?" : "events set \"inputs\"%s of the scene",
           near ? near : "");
  return reader_fail_key(r, value, hint, "there is no input %s", reader_show_text(name, shown));
}

static torsor_status find_state(int *out, const torsor_builder *builder, const reader *r,
                                const json_node *value, const function_list *functions,
                                const char *name) {
  enum { STATES = 256 };
  const torsor_model *model = builder_model(builder);
  const char *names[STATES];
  int count = 0;
  char shown[96], hint[120];
  (void)functions;
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    if (e->type != &control_state) continue;
    *out = e->node[0];
    if (strcmp(e->name, name) == 0) return TORSOR_OK;
    if (count < STATES) names[count++] = e->name;
  }
  const char *near = torsor_near_name(name, names, count);
  snprintf(hint, sizeof hint,
           near ? "did you mean \"%s\"?" : "events reset continuous states of \"controllers\"%s",
           near ? near : "");
  return reader_fail_key(r, value, hint, "there is no state %s", reader_show_text(name, shown));
}

/* {"gain": "2*gain", "u": 0} */
static torsor_status read_sets(torsor_event_set *set, int *count, find_target *find,
                               torsor_event *out, const torsor_builder *builder,
                               signal_words *words, function_list *functions, const reader *r,
                               const json_node *node) {
  if (!node->item) return TORSOR_OK;
  if (!cJSON_IsObject(node->item))
    return reader_object(r, node, find == find_input ? "values of inputs" : "values of states",
                         NULL, 0);
  const cJSON *item;
  cJSON_ArrayForEach(item, node->item) {
    if (reader_is_comment(item->string)) continue;
    const json_node value = {item, {&node->path, item->string, 0}};
    int target = 0;
    torsor_status status = find(&target, builder, r, &value, functions, item->string);
    if (status) return status;
    if (*count == MOST_SETS)
      return reader_fail(r, node, NULL, "sets more than %d values", MOST_SETS);
    function *f = NULL;
    status = read_function(&f, out, words, functions, r, &value);
    if (status) return status;
    set[(*count)++] = (torsor_event_set){target, signal_words_value, f};
  }
  return TORSOR_OK;
}

static torsor_status check_both(const torsor_event *e, const torsor_builder *builder,
                                const reader *r, const json_node *action) {
  for (int i = 0; i < e->on_count; ++i)
    for (int k = 0; k < e->off_count; ++k)
      if (e->on[i] == e->off[k])
        return reader_fail(r, action, NULL, "switches \"%s\" on and off at once",
                           builder_model(builder)->element[e->on[i]].name);
  for (int i = 0; i < e->starts; ++i)
    for (int k = 0; k < e->stops; ++k)
      if (e->start[i] == e->stop[k])
        return reader_fail(r, action, NULL, "switches \"%s\" on and off at once",
                           builder_model(builder)->controller[e->start[i]].name);
  const int deeds = e->on_count + e->off_count + e->sets + e->resets + e->starts + e->stops;
  if (deeds > 0) return TORSOR_OK;
  return reader_fail(r, action, "{\"on\": [\"brake\"], \"off\": [\"motor\"]}", "switches nothing");
}

/* One object of an action; several add to each other. */
static torsor_status read_deeds(torsor_event *out, event_forces *forces, signal_words *event,
                                torsor_builder *builder, function_list *functions, const reader *r,
                                const json_node *node) {
  static const char *const keys[] = {"on", "off", "set", "lock", "release", "weld", "reset"};
  const json_node on = json_member(node, "on"), off = json_member(node, "off");
  const json_node set = json_member(node, "set"), lock = json_member(node, "lock");
  const json_node release = json_member(node, "release"), weld = json_member(node, "weld");
  const json_node reset = json_member(node, "reset");
  torsor_status status = reader_object(r, node, "an action", keys, 7);
  if (!status) status = event_joints_switch(&forces->joins, builder, r, &on);
  if (!status) status = event_joints_switch(&forces->parts, builder, r, &off);
  if (!status) status = event_joints_lock(&forces->joins, builder, r, &lock);
  if (!status) status = event_joints_weld(&forces->joins, builder, r, &weld);
  if (!status) status = event_joints_release(&forces->parts, builder, r, &release);
  if (!status)
    status =
        read_sets(forces->set, &out->sets, find_input, out, builder, event, functions, r, &set);
  if (!status)
    status = read_sets(forces->reset, &out->resets, find_state, out, builder, event, functions, r,
                       &reset);
  return status;
}

static torsor_status read_action(torsor_event *out, event_forces *forces, signal_words *event,
                                 torsor_builder *builder, function_list *functions, const reader *r,
                                 const json_node *node) {
  static const char *const words[] = {"log", "stop"};
  int chosen = 0, index = 0;
  torsor_status status = TORSOR_OK;
  const bool list = cJSON_IsArray(node->item), object = cJSON_IsObject(node->item);
  if (!list && !object && node->item) {
    status = reader_word(&chosen, r, node, words, 2);
    out->action = chosen ? TORSOR_STOP : TORSOR_LOG;
    if (status || !forces->parts.count) return status;
  }
  if (!list && !object && !forces->parts.count) return TORSOR_OK;
  if (object) status = read_deeds(out, forces, event, builder, functions, r, node);
  for (const cJSON *item = list ? node->item->child : NULL; item && !status; item = item->next) {
    const json_node one = json_item(node, item, index++);
    status = read_deeds(out, forces, event, builder, functions, r, &one);
  }
  if (out->action != TORSOR_STOP) out->action = TORSOR_SWITCH;
  out->on = forces->on;
  out->off = forces->off;
  out->set = forces->set;
  out->reset = forces->reset;
  out->on_count = forces->joins.count;
  out->off_count = forces->parts.count;
  out->start = forces->joins.controller;
  out->stop = forces->parts.controller;
  out->starts = forces->joins.controllers;
  out->stops = forces->parts.controllers;
  return status ? status : check_both(out, builder, r, node);
}

/* Reads what the event watches: the sign of "when", or limits of what breaks. */
static torsor_status read_watched(torsor_event *out, signal_words *words, event_forces *forces,
                                  torsor_builder *builder, function_list *functions,
                                  const reader *r, const json_node *event) {
  const json_node when = json_member(event, "when"), direction = json_member(event, "direction");
  const json_node breaks = json_member(event, "break"), limits = json_member(event, "limits");
  *words = signal_words_none();
  if (!breaks.item && limits.item)
    return reader_fail(r, event, "\"break\": \"hinge\" names what breaks beyond them",
                       "has \"limits\", but no \"break\"");
  if (!breaks.item) return read_when(out, words, functions, r, &when);
  if (when.item || direction.item)
    return reader_fail_key(r, when.item ? &when : &direction,
                           "for another condition give \"when\" and the action {\"off\": [..]}",
                           "what breaks does so where a limit is exceeded");
  return event_joints_break(out, &forces->limits, &forces->parts, builder, functions, r, event);
}

static torsor_status read_event(torsor_event *out, signal_words *words, event_forces *forces,
                                torsor_builder *builder, function_list *functions, const reader *r,
                                const json_node *event) {
  static const char *const keys[] = {"name",  "when",  "direction", "action",
                                     "times", "break", "limits"};
  static const char *const directions[] = {"both", "rising", "falling"};
  const json_node name = json_member(event, "name");
  const json_node direction = json_member(event, "direction");
  const json_node action = json_member(event, "action"), times = json_member(event, "times");
  int chosen = 0;
  torsor_status status = reader_object(r, event, "an event", keys, 7);
  if (!status) status = reader_text(&out->name, r, &name);
  if (!status && (!out->name[0] || strlen(out->name) > EXPRESSION_NAME))
    return reader_fail(r, &name, NULL, "a name has 1 to %d characters", EXPRESSION_NAME);
  if (!status && direction.item) status = reader_word(&chosen, r, &direction, directions, 3);
  out->direction = (torsor_direction)chosen;
  if (!status) status = read_watched(out, words, forces, builder, functions, r, event);
  if (!status) status = read_action(out, forces, words, builder, functions, r, &action);
  if (!status && times.item) status = reader_integer(&out->times, r, &times, 1);
  return status;
}

torsor_status events_read(torsor_builder *builder, function_list *functions, const reader *r,
                          const json_node *list) {
  if (!list->item) return TORSOR_OK;
  torsor_status status = reader_array(r, list, "the events");
  const cJSON *item = status ? NULL : list->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node node = json_item(list, item, i);
    torsor_event event = {0};
    signal_words words;
    event_forces forces;
    forces.joins = (switched_elements){.room = MOST_FORCES, .element = forces.on};
    forces.parts = (switched_elements){.room = MOST_FORCES, .element = forces.off};
    status = read_event(&event, &words, &forces, builder, functions, r, &node);
    if (status) return status;
    const json_node name = json_member(&node, "name");
    if (r->error) r->error->path[0] = '\0';
    status = torsor_builder_event(builder, &event, r->error);
    status = reader_locate(r, &name.path, status);
  }
  return status;
}

/* ---- relays -------------------------------------------------------------------------------- */

static torsor_status add_half(torsor_builder *builder, function_list *functions, const relay *of,
                              bool on, const reader *r, const json_node *entry) {
  char name[EXPRESSION_NAME + 8];
  torsor_event event = {.name = name, .action = TORSOR_SWITCH};
  signal_words *words = calloc(1, sizeof *words);
  function *when = NULL, *value = NULL;
  torsor_event_set set = {.input = of->input, .value = signal_words_value};
  if (!words) return function_out_of_memory(r);
  *words = signal_words_none();
  snprintf(name, sizeof name, "%.63s.%s", of->name, on ? "on" : "off");
  event.direction = on == of->rises ? TORSOR_RISING : TORSOR_FALLING;
  torsor_status status = function_add(&when, functions, r);
  if (!status)
    status =
        take_words(&event, words,
                   signal_words_compile(words, when, r, entry, on ? of->when_on : of->when_off));
  if (!status) status = function_add(&value, functions, r);
  if (!status)
    status =
        take_words(&event, words,
                   signal_words_compile(words, value, r, entry, on ? of->value_on : of->value_off));
  event.when = signal_words_value;
  event.self = when;
  set.self = value;
  event.set = &set;
  event.sets = 1;
  if (r->error && !status) r->error->path[0] = '\0';
  if (!status)
    status = reader_locate(r, &entry->path, torsor_builder_event(builder, &event, r->error));
  free(words);
  return status;
}

torsor_status events_add_relays(torsor_builder *builder, function_list *functions,
                                const scene_relays *relays, const reader *r,
                                const json_node *list) {
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < 2 * relays->count && !status; ++i) {
    const relay *of = &relays->item[i / 2];
    const json_node entry = json_item(list, cJSON_GetArrayItem(list->item, of->entry), of->entry);
    status = add_half(builder, functions, of, i % 2 == 0, r, &entry);
  }
  return status;
}

/* ---- signals ------------------------------------------------------------------------------- */

static torsor_status check_signals(const torsor_event *event, const torsor_model *model,
                                   const reader *r, const json_node *when) {
  return signal_words_check(event->signal, event->signals, model, r, when);
}

torsor_status events_check(const torsor_model *model, const scene_relays *relays, const reader *r,
                           const json_node *list, const json_node *controllers) {
  torsor_status status = TORSOR_OK;
  const cJSON *item = list->item ? list->item->child : NULL;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node node = json_item(list, item, i), when = json_member(&node, "when");
    status = check_signals(torsor_model_event(model, i), model, r, &when);
  }
  const int first = list->item ? cJSON_GetArraySize(list->item) : 0;
  for (int i = 0; i < 2 * relays->count && !status; ++i) {
    const int at = relays->item[i / 2].entry;
    const json_node entry = json_item(controllers, cJSON_GetArrayItem(controllers->item, at), at);
    status = check_signals(torsor_model_event(model, first + i), model, r, &entry);
  }
  return status;
}
