/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/relays.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

bool relays_are(const json_node *entry) {
  const json_node type = json_member(entry, "type");
  return cJSON_IsString(type.item) && strcmp(type.item->valuestring, "relay") == 0;
}

/* A text that lives in `memory`. */
static torsor_status keep(const char **out, arena *memory, text *made, const reader *r) {
  *out = made->failed || !made->data ? NULL : arena_string(memory, made->data);
  text_release(made);
  return *out ? TORSOR_OK : torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
}

static torsor_status keep_number(const char **out, arena *memory, double value, const reader *r) {
  text made = {0};
  text_printf(&made, "%.17g", value);
  return keep(out, memory, &made, r);
}

static torsor_status keep_difference(const char **out, arena *memory, const char *input,
                                     double level, const reader *r) {
  text made = {0};
  text_printf(&made, "(%s) - (%.17g)", input, level);
  return keep(out, memory, &made, r);
}

static torsor_status read_relay(relay *out, scene_inputs *inputs, arena *memory, const reader *r,
                                const json_node *entry) {
  static const char *const keys[] = {"name", "type", "input", "on", "off", "values", "initial"};
  const json_node name = json_member(entry, "name"), input = json_member(entry, "input");
  const json_node on = json_member(entry, "on"), off = json_member(entry, "off");
  const json_node values = json_member(entry, "values"), initial = json_member(entry, "initial");
  const char *words = NULL;
  double level[2], value[2] = {0, 1};
  bool begins = false;
  torsor_status status = reader_object(r, entry, "a relay", keys, 7);
  if (!status) status = reader_text(&out->name, r, &name);
  if (!status) status = reader_text(&words, r, &input);
  if (!status) status = reader_number(&level[0], r, &off);
  if (!status) status = reader_number(&level[1], r, &on);
  if (!status && !(level[0] < level[1] || level[0] > level[1]))
    return reader_fail(r, &on, "a relay needs hysteresis: \"on\": 21, \"off\": 19",
                       "\"on\" and \"off\" are both %g", level[0]);
  if (!status && values.item) status = reader_numbers(value, 2, r, &values);
  if (!status && initial.item) status = reader_boolean(&begins, r, &initial);
  if (!status) status = scene_inputs_append(inputs, memory, r, &name, out->name, value[begins]);
  out->input = inputs->count - 1;
  out->rises = !status && level[1] > level[0];
  if (!status) status = keep_difference(&out->when_on, memory, words, level[1], r);
  if (!status) status = keep_difference(&out->when_off, memory, words, level[0], r);
  if (!status) status = keep_number(&out->value_on, memory, value[1], r);
  if (!status) status = keep_number(&out->value_off, memory, value[0], r);
  return status;
}

torsor_status relays_read(scene_relays *out, scene_inputs *inputs, arena *memory, const reader *r,
                          const json_node *list) {
  *out = (scene_relays){0};
  if (!cJSON_IsArray(list->item)) return TORSOR_OK;
  out->item = arena_take(memory, (size_t)cJSON_GetArraySize(list->item), sizeof *out->item);
  if (!out->item) return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
  torsor_status status = TORSOR_OK;
  const cJSON *item = list->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node entry = json_item(list, item, i);
    if (!relays_are(&entry)) continue;
    relay *of = &out->item[out->count++];
    *of = (relay){.entry = i};
    status = read_relay(of, inputs, memory, r, &entry);
  }
  return status;
}
