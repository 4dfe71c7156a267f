/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "assembly/model/model.h"

/* ---- chains ---------------------------------------------------------------------------------- */

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

enum { MOST = 256 }; /* names among which a near one is looked for */

/* Fails for want of a `what` called `name` where there are these. */
static torsor_status fail_name(const char *what, const char *name, const char *const *names,
                               int count, torsor_error *error) {
  torsor_fail(error, TORSOR_SCENE, "there is no %s \"%s\"", what, name);
  const char *near = torsor_near_name(name, names, count);
  if (near)
    torsor_hint(error, "did you mean \"%s\"?", near);
  else if (count)
    torsor_hint(error, "name a %s of the scene", what);
  else
    torsor_hint(error, "the scene has no %ss", what);
  return TORSOR_SCENE;
}

torsor_status torsor_builder_chain(torsor_chain *out, const torsor_builder *builder,
                                   const char *name, torsor_error *error) {
  const char *names[MOST];
  int count = 0;
  for (const model_chain *chain = builder_model(builder)->chain; chain; chain = chain->next) {
    *out = chain->nodes;
    if (!strcmp(chain->name, name)) return TORSOR_OK;
    if (count < MOST) names[count++] = chain->name;
  }
  return fail_name("beam", name, names, count, error);
}

/* ---- surfaces -------------------------------------------------------------------------------- */

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

torsor_status torsor_builder_surface(torsor_surface *out, const torsor_builder *builder,
                                     const char *name, torsor_error *error) {
  const char *names[MOST];
  int count = 0;
  for (const model_surface *s = builder_model(builder)->surface; s; s = s->next) {
    *out = s->facets;
    if (!strcmp(s->name, name)) return TORSOR_OK;
    if (count < MOST) names[count++] = s->name;
  }
  return fail_name("shell", name, names, count, error);
}
