/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/controllers.h"

#include <stdlib.h>
#include <string.h>

#include "scene/blocks.h"
#include "scene/callbacks.h"
#include "scene/relays.h"
#include "scene/samples.h"

/* Most signals and inputs of one controller. */
enum { MOST = 256, NAME_ROOM = 256 };

static torsor_status read_names(const char *names[MOST], int *count, const char *what,
                                const reader *r, const json_node *list) {
  *count = 0;
  if (!list->item) return TORSOR_OK;
  torsor_status status = reader_array(r, list, what);
  const cJSON *item = status ? NULL : list->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node node = json_item(list, item, i);
    if (*count == MOST) return reader_fail(r, list, NULL, "has more than %d names", MOST);
    status = reader_text(&names[(*count)++], r, &node);
  }
  return status;
}

static torsor_status find_inputs(int index[MOST], const char *const *names, int count,
                                 const scene_inputs *inputs, const reader *r,
                                 const json_node *list) {
  for (int i = 0; i < count; ++i) {
    index[i] = scene_inputs_find(inputs, names[i]);
    if (index[i] >= 0) continue;
    const json_node node = json_item(list, cJSON_GetArrayItem(list->item, i), i);
    const char *near = torsor_near_name(names[i], inputs->name, inputs->count);
    char shown[96];
    reader_fail(r, &node, NULL, "there is no input %s", reader_show_text(names[i], shown));
    if (near)
      torsor_hint(r->error, "did you mean \"%s\"?", near);
    else
      torsor_hint(r->error, "controllers write to \"inputs\" of the scene");
    return TORSOR_SCENE;
  }
  return TORSOR_OK;
}

static torsor_status read_times(torsor_controller *c, const reader *r, const json_node *node) {
  const json_node period = json_member(node, "period"), offset = json_member(node, "offset");
  if (!period.item)
    return reader_fail(r, &period, "seconds between two samples, for example 0.01", "is missing");
  torsor_status status = reader_positive(&c->period, r, &period, "seconds between two samples");
  if (!status && offset.item) status = reader_number(&c->offset, r, &offset);
  if (!status && c->offset < 0)
    return reader_fail(r, &offset, "the time of the first sample, in s",
                       "must be 0 or greater, but is %g", c->offset);
  return status;
}

static torsor_status read_controller(torsor_builder *builder, const scene_inputs *inputs,
                                     const torsor_registry *registry, const reader *r,
                                     const json_node *node) {
  static const char *const keys[] = {"name",   "type",  "callback", "period",
                                     "offset", "reads", "writes"};
  static const char *const types[] = {"callback"};
  const json_node name = json_member(node, "name"), type = json_member(node, "type");
  const json_node callback = json_member(node, "callback"), reads = json_member(node, "reads");
  const json_node writes = json_member(node, "writes");
  const char *read[MOST], *written[MOST];
  int write[MOST], chosen = 0;
  torsor_controller c = {.read = read, .write = write};
  torsor_status status = reader_object(r, node, "a controller", keys, sizeof keys / sizeof *keys);
  if (!status) status = reader_text(&c.name, r, &name);
  if (!status && type.item) status = reader_word(&chosen, r, &type, types, 1);
  if (!status) status = callback_read(&c.callback, registry, "controller", r, &callback);
  if (!status) status = read_times(&c, r, node);
  if (!status) status = read_names(read, &c.reads, "names of signals", r, &reads);
  if (!status) status = read_names(written, &c.writes, "names of inputs", r, &writes);
  if (!status) status = find_inputs(write, written, c.writes, inputs, r, &writes);
  if (status) return status;
  if (r->error) r->error->path[0] = '\0';
  return reader_locate(r, &name.path, torsor_builder_controller(builder, &c, r->error));
}

torsor_status controllers_read(torsor_builder *builder, const scene_inputs *inputs,
                               const torsor_registry *registry, const reader *r,
                               const json_node *list) {
  if (!list->item) return TORSOR_OK;
  torsor_status status = reader_array(r, list, "the controllers");
  const cJSON *item = status ? NULL : list->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node node = json_item(list, item, i);
    if (!blocks_are(&node) && !samples_are(&node) && !relays_are(&node))
      status = read_controller(builder, inputs, registry, r, &node);
  }
  return status;
}
