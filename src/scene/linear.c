/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/linear.h"

#include <math.h>

enum { MOST_FREQUENCIES = 1000000, NAME_ROOM = 256 };

static torsor_status fail_memory(const reader *r) {
  return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
}

/* A list of names, with ${..} replaced. */
static torsor_status read_names(const char *const **out, int *count, arena *memory, const reader *r,
                                const json_node *node, const char *what) {
  if (!node->item) return TORSOR_OK;
  torsor_status status = reader_array(r, node, what);
  if (status) return status;
  const size_t size = (size_t)cJSON_GetArraySize(node->item);
  const char **name = arena_take(memory, size, sizeof *name);
  if (!name) return fail_memory(r);
  const cJSON *item = node->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node entry = json_item(node, item, i);
    char buffer[NAME_ROOM];
    status = reader_pattern(&name[i], buffer, sizeof buffer, r, &entry);
    if (!status && name[i] == buffer && !(name[i] = arena_string(memory, buffer)))
      status = fail_memory(r);
  }
  *out = name;
  *count = (int)size;
  return status;
}

/* A frequency, in Hz. */
static torsor_status read_frequency(double *out, const reader *r, const json_node *node) {
  const torsor_status status = reader_number(out, r, node);
  if (status || *out >= 0) return status;
  return reader_fail(r, node, "a frequency, in Hz", "must be 0 or greater, but is %g", *out);
}

static torsor_status read_list(double *out, const reader *r, const json_node *node) {
  torsor_status status = TORSOR_OK;
  const cJSON *item = node->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node entry = json_item(node, item, i);
    status = read_frequency(&out[i], r, &entry);
  }
  return status;
}

typedef struct range {
  double from, to;
  int count, linear;
} range;

static torsor_status read_range(range *out, const reader *r, const json_node *node) {
  static const char *const keys[] = {"from", "to", "count", "spacing"};
  static const char *const words[] = {"log", "linear"};
  const json_node from = json_member(node, "from"), to = json_member(node, "to");
  const json_node count = json_member(node, "count"), spacing = json_member(node, "spacing");
  torsor_status status = reader_object(r, node, "the frequencies", keys, 4);
  if (!status) status = read_frequency(&out->from, r, &from);
  if (!status) status = read_frequency(&out->to, r, &to);
  if (!status && count.item) status = reader_integer(&out->count, r, &count, 2);
  if (!status && spacing.item) status = reader_word(&out->linear, r, &spacing, words, 2);
  if (status) return status;
  if (!(out->to > out->from))
    return reader_fail(r, &to, "the highest frequency, in Hz", "must be greater than \"from\"");
  if (!out->linear && !(out->from > 0))
    return reader_fail(r, &from, "a first frequency above 0, or \"spacing\": \"linear\"",
                       "a logarithmic scale cannot begin at 0");
  if (out->count <= MOST_FREQUENCIES) return TORSOR_OK;
  return reader_fail(r, &count, "a smaller number", "must be at most %d", MOST_FREQUENCIES);
}

static torsor_status read_frequencies(torsor_linear_request *out, arena *memory, const reader *r,
                                      const json_node *node) {
  range over = {.from = 0.1, .to = 100, .count = 400};
  torsor_status status = TORSOR_OK;
  if (cJSON_IsArray(node->item))
    over.count = cJSON_GetArraySize(node->item);
  else if (node->item)
    status = read_range(&over, r, node);
  if (status) return status;
  double *value = arena_take(memory, (size_t)over.count, sizeof *value);
  if (!value) return fail_memory(r);
  out->frequency = value;
  out->frequencies = over.count;
  if (cJSON_IsArray(node->item)) return read_list(value, r, node);
  for (int i = 0; i < over.count; ++i) {
    const double part = (double)i / (over.count - 1);
    value[i] = over.linear ? over.from + part * (over.to - over.from)
                           : over.from * pow(over.to / over.from, part);
  }
  value[over.count - 1] = over.to;
  return TORSOR_OK;
}

torsor_status linear_check_keys(const reader *r, const json_node *node) {
  static const char *const keys[] = {"about",         "inputs",      "outputs", "states",
                                     "moving_inputs", "frequencies", "reduce"};
  return reader_object(r, node, "linear", keys, sizeof keys / sizeof *keys);
}

static torsor_status read_reduction(torsor_linear_request *out, const reader *r,
                                    const json_node *node) {
  static const char *const keys[] = {"states"};
  const json_node states = json_member(node, "states");
  if (!node->item) return TORSOR_OK;
  const torsor_status status = reader_object(r, node, "a reduction", keys, 1);
  return status ? status : reader_integer(&out->reduced_states, r, &states, 1);
}

torsor_status linear_read(torsor_linear_request *out, arena *memory, const reader *r,
                          const json_node *node) {
  static const char *const abouts[] = {"initial", "equilibrium", "steady"};
  static const char *const forms[] = {"acceleration", "triple"};
  torsor_linear_settings *s = &out->settings;
  const json_node about = json_member(node, "about"), inputs = json_member(node, "inputs");
  const json_node outputs = json_member(node, "outputs"), states = json_member(node, "states");
  const json_node form = json_member(node, "moving_inputs");
  const json_node frequencies = json_member(node, "frequencies");
  const json_node reduce = json_member(node, "reduce");
  int chosen = 0;
  *out = (torsor_linear_request){.settings = TORSOR_LINEAR_SETTINGS_INIT};
  torsor_status status = node->item ? linear_check_keys(r, node) : TORSOR_OK;
  if (!status && about.item) {
    status = reader_word(&chosen, r, &about, abouts, 3);
    s->about = (torsor_about)chosen;
    out->about_given = true;
  }
  if (!status) status = read_names(&s->input, &s->inputs, memory, r, &inputs, "the inputs");
  if (!status) status = read_names(&s->output, &s->outputs, memory, r, &outputs, "the outputs");
  if (!status) status = read_names(&s->state, &s->states, memory, r, &states, "the states");
  if (!status && form.item) {
    status = reader_word(&chosen, r, &form, forms, 2);
    s->triple = chosen == 1;
  }
  if (!status) status = read_reduction(out, r, &reduce);
  return status ? status : read_frequencies(out, memory, r, &frequencies);
}
