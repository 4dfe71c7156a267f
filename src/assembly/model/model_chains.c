/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "assembly/model/model.h"

bool model_add_chain(torsor_model *model, const char *name, torsor_chain nodes) {
  const size_t count = (size_t)nodes.count;
  model_chain *chain = arena_take(&model->memory, 1, sizeof *chain), **last = &model->chain;
  double *fraction = arena_take(&model->memory, count, sizeof *fraction);
  int *node = arena_take(&model->memory, count, sizeof *node);
  se3 *frame = arena_take(&model->memory, count, sizeof *frame);
  if (!chain || !fraction || !node || !frame) return false;
  memcpy(fraction, nodes.fraction, count * sizeof *fraction);
  memcpy(node, nodes.node, count * sizeof *node);
  for (size_t i = 0; i < count; ++i) frame[i] = model->node[node[i]].init.frame;
  nodes.fraction = fraction;
  nodes.node = node;
  nodes.frame = frame;
  nodes.point = model->node[node[0]].init.group == TORSOR_GROUP_R3;
  *chain = (model_chain){NULL, name, nodes};
  while (*last) last = &(*last)->next;
  *last = chain;
  return true;
}

int model_chain_body(const torsor_model *model, const model_chain *chain, int k) {
  return model->node[chain->nodes.node[k]].element;
}

bool model_add_surface(torsor_model *model, const char *name, const int *node, int count) {
  model_surface *surface = arena_take(&model->memory, 1, sizeof *surface), **last = &model->surface;
  torsor_facet *facet = arena_take(&model->memory, (size_t)count, sizeof *facet);
  if (!surface || !facet) return false;
  for (int i = 0; i < 4 * count; ++i) {
    facet[i / 4].node[i % 4] = node[i];
    facet[i / 4].place[i % 4] = model->node[node[i]].init.frame.x;
  }
  *surface = (model_surface){NULL, name, {facet, count}};
  while (*last) last = &(*last)->next;
  *last = surface;
  return true;
}
