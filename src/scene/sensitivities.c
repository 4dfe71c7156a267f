/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/sensitivities.h"

#include <string.h>

enum { MOST_PARAMETERS = 1000 };

static torsor_status read_name(const char **out, arena *memory, const reader *r,
                               const json_node *node) {
  char buffer[SENSITIVITY_NAME];
  const torsor_status status = reader_pattern(out, buffer, sizeof buffer, r, node);
  if (status || *out != buffer) return status;
  *out = arena_string(memory, buffer);
  return *out ? TORSOR_OK : torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
}

static torsor_status read_request(sensitivity_request *out, arena *memory, const reader *r,
                                  const json_node *node) {
  static const char *const keys[] = {"parameter", "scale"};
  *out = (sensitivity_request){0};
  if (!cJSON_IsObject(node->item)) return read_name(&out->name, memory, r, node);
  const json_node name = json_member(node, "parameter"), scale = json_member(node, "scale");
  torsor_status status = reader_object(r, node, "a sensitivity", keys, 2);
  if (!status && !name.item)
    return reader_fail(r, &name, "the name of a parameter, or the path of a number",
                       "is missing: what the signals are differentiated by");
  if (!status) status = read_name(&out->name, memory, r, &name);
  if (status || !scale.item) return status;
  return reader_positive(&out->scale, r, &scale, "a change of the parameter that matters");
}

torsor_status sensitivities_read(sensitivity_request **out, int *count, arena *memory,
                                 const reader *r, const json_node *node) {
  *count = 0;
  *out = NULL;
  if (!node->item) return TORSOR_OK;
  torsor_status status = reader_array(r, node, "the sensitivities");
  if (status) return status;
  const int size = cJSON_GetArraySize(node->item);
  if (size > MOST_PARAMETERS)
    return reader_fail(r, node, NULL, "more than %d parameters", MOST_PARAMETERS);
  *out = arena_take(memory, (size_t)size, sizeof **out);
  if (!*out) return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
  const cJSON *item = node->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node entry = json_item(node, item, i);
    status = read_request(&(*out)[i], memory, r, &entry);
    for (int k = 0; k < i && !status; ++k)
      if (strcmp((*out)[k].name, (*out)[i].name) == 0)
        status = reader_fail(r, &entry, NULL, "\"%s\" is named twice", (*out)[i].name);
  }
  *count = size;
  return status;
}
