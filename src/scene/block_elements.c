/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Blocks of controllers as elements of the model. */
#include "scene/block_elements.h"

#include <stdio.h>

#include "elements/control_block.h"

/* The entry of a block in the list, for messages. */
static json_node entry_of(const json_node *list, const block *b) {
  return json_item(list, cJSON_GetArrayItem(list->item, b->entry), b->entry);
}

static torsor_status add(torsor_builder *builder, const torsor_element_type *type, const char *name,
                         const void *instance, const reader *r, const json_node *entry) {
  if (r->error) r->error->path[0] = '\0';
  return reader_locate(r, &entry->path,
                       torsor_builder_add(builder, type, name, instance, r->error));
}

torsor_status blocks_add_states(torsor_builder *builder, const scene_blocks *blocks,
                                const reader *r, const json_node *list) {
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < blocks->count && !status; ++i) {
    const block *b = &blocks->item[i];
    const json_node entry = entry_of(list, b);
    const control_state_data state = {.value = b->initial};
    if (b->state) status = add(builder, &control_state, b->name, &state, r, &entry);
  }
  return status;
}

static torsor_status add_rate(torsor_builder *builder, const block *b, function_list *functions,
                              const reader *r, const json_node *entry) {
  control_rate_data rate = {0};
  torsor_control_input state;
  char name[EXPRESSION_NAME + 8];
  torsor_status status = torsor_builder_signal(&state, builder, b->name, r->error);
  if (!status) status = control_read_words(&rate.rate, functions, builder, r, entry, b->text);
  rate.node = state.node;
  snprintf(name, sizeof name, "%.63s.rate", b->name);
  return status ? status : add(builder, &control_rate, name, &rate, r, entry);
}

static torsor_status add_value(torsor_builder *builder, const block *b, function_list *functions,
                               const reader *r, const json_node *entry) {
  control_value_data value = {0};
  const torsor_status status =
      control_read_words(&value.value, functions, builder, r, entry, b->name);
  return status ? status : add(builder, &control_value, b->name, &value, r, entry);
}

torsor_status blocks_add_rates(torsor_builder *builder, const scene_blocks *blocks,
                               function_list *functions, const reader *r, const json_node *list) {
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < blocks->count && !status; ++i) {
    const block *b = &blocks->item[i];
    const json_node entry = entry_of(list, b);
    status = b->state ? add_rate(builder, b, functions, r, &entry)
                      : add_value(builder, b, functions, r, &entry);
  }
  return status;
}
