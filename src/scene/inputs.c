/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int scene_inputs_find(const scene_inputs *inputs, const char *name) {
  for (int i = 0; i < inputs->count; ++i)
    if (strcmp(inputs->name[i], name) == 0) return i;
  return -1;
}

static torsor_status check_name(const reader *r, const json_node *node, const char *name) {
  char shown[96];
  if (!expression_is_name(name))
    return reader_fail_key(r, node, "letters, digits and _, beginning with a letter",
                           "%s cannot be the name of an input", reader_show_text(name, shown));
  if (expression_reserved(name) || expression_is_builtin(name) ||
      strcmp(name, EXPRESSION_TIME) == 0 || strcmp(name, EXPRESSION_LOAD) == 0 ||
      expression_lookup(r->scope, name))
    return reader_fail_key(r, node, "choose another name",
                           "\"%s\" is taken: a parameter, or a word of expressions", name);
  return TORSOR_OK;
}

static const double endless[2] = {-HUGE_VAL, HUGE_VAL};

/* Reads min and max; the value has to be between them. */
static torsor_status read_range(scene_inputs *out, int i, const reader *r, const json_node *node) {
  const json_node min = json_member(node, "min"), max = json_member(node, "max");
  const json_node value = json_member(node, "value");
  double *range = out->range[i];
  torsor_status status = min.item ? reader_number(&range[0], r, &min) : TORSOR_OK;
  if (!status && max.item) status = reader_number(&range[1], r, &max);
  if (!status && range[0] > range[1])
    return reader_fail(r, &max, "the largest value is not below the least one",
                       "must not be below \"min\", which is %g", range[0]);
  if (status || (out->value[i] >= range[0] && out->value[i] <= range[1])) return status;
  return reader_fail(r, value.item ? &value : node, "runs begin with this value",
                     "must be between %g and %g, \"min\" and \"max\", but is %g", range[0],
                     range[1], out->value[i]);
}

static torsor_status read_input(scene_inputs *out, const reader *r, const json_node *node) {
  static const char *const keys[] = {"value", "unit", "doc", "min", "max"};
  const int i = out->count;
  const json_node value = json_member(node, "value"), unit = json_member(node, "unit");
  const json_node doc = json_member(node, "doc");
  out->name[i] = node->path.key;
  out->unit[i] = out->doc[i] = "";
  memcpy(out->range[i], endless, sizeof endless);
  torsor_status status = check_name(r, node, node->path.key);
  if (status || !cJSON_IsObject(node->item))
    return status ? status : reader_number(&out->value[i], r, node);
  status = reader_object(r, node, "an input", keys, sizeof keys / sizeof *keys);
  if (!status && value.item) status = reader_number(&out->value[i], r, &value);
  if (!status && unit.item) status = reader_text(&out->unit[i], r, &unit);
  if (!status && doc.item) status = reader_text(&out->doc[i], r, &doc);
  return status ? status : read_range(out, i, r, node);
}

static int by_name(const void *a, const void *b) {
  return strcmp((*(const cJSON *const *)a)->string, (*(const cJSON *const *)b)->string);
}

torsor_status scene_inputs_read(scene_inputs *out, arena *memory, const reader *r,
                                const json_node *object) {
  *out = (scene_inputs){0};
  if (!object->item) return TORSOR_OK;
  if (!cJSON_IsObject(object->item)) return reader_object(r, object, "the inputs", NULL, 0);
  const size_t size = (size_t)cJSON_GetArraySize(object->item);
  out->name = arena_take(memory, 3 * size, sizeof *out->name);
  out->value = arena_take(memory, size, sizeof *out->value);
  out->range = arena_take(memory, size, sizeof *out->range);
  const cJSON **sorted = arena_take(memory, size, sizeof *sorted), *item;
  if (!out->name || !out->value || !out->range || !sorted)
    return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
  out->unit = out->name + size;
  out->doc = out->unit + size;
  size_t count = 0;
  cJSON_ArrayForEach(item, object->item) {
    if (!reader_is_comment(item->string)) sorted[count++] = item;
  }
  /* scene.json of a run has them in this order, too */
  if (count) qsort(sorted, count, sizeof *sorted, by_name);
  for (size_t i = 0; i < count; ++i) {
    const json_node node = {sorted[i], {&object->path, sorted[i]->string, 0}};
    const torsor_status status = read_input(out, r, &node);
    if (status) return status;
    ++out->count;
  }
  return TORSOR_OK;
}

/* Makes room for one more. */
static bool grow(scene_inputs *inputs, arena *memory) {
  const size_t count = (size_t)inputs->count;
  const char **name = arena_take(memory, 3 * (count + 1), sizeof *name);
  double *value = arena_take(memory, count + 1, sizeof *value);
  double(*range)[2] = arena_take(memory, count + 1, sizeof *range);
  if (!name || !value || !range) return false;
  if (count) {
    memcpy(name, inputs->name, count * sizeof *name);
    memcpy(name + count + 1, inputs->unit, count * sizeof *name);
    memcpy(name + 2 * (count + 1), inputs->doc, count * sizeof *name);
    memcpy(value, inputs->value, count * sizeof *value);
    memcpy(range, inputs->range, count * sizeof *range);
  }
  inputs->name = name;
  inputs->unit = name + count + 1;
  inputs->doc = name + 2 * (count + 1);
  inputs->value = value;
  inputs->range = range;
  return true;
}

torsor_status scene_inputs_append(scene_inputs *inputs, arena *memory, const reader *r,
                                  const json_node *node, const char *name, double value) {
  torsor_status status = check_name(r, node, name);
  if (status) return status;
  if (scene_inputs_find(inputs, name) >= 0)
    return reader_fail(r, node, "choose another name", "there is an input \"%s\" already", name);
  const int i = inputs->count;
  const char *copy = arena_string(memory, name);
  if (!copy || !grow(inputs, memory)) return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
  inputs->name[i] = copy;
  inputs->unit[i] = "";
  inputs->doc[i] = "a controller's";
  inputs->value[i] = value;
  memcpy(inputs->range[i], endless, sizeof endless);
  ++inputs->count;
  return TORSOR_OK;
}

torsor_status scene_inputs_add(torsor_builder *builder, const scene_inputs *inputs,
                               const reader *r) {
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < inputs->count && !status; ++i) {
    status = torsor_builder_input(builder, inputs->name[i], inputs->unit[i], inputs->doc[i],
                                  inputs->value[i], r->error);
    if (!status)
      status = torsor_builder_input_range(builder, inputs->name[i], inputs->range[i][0],
                                          inputs->range[i][1], r->error);
  }
  return status;
}
