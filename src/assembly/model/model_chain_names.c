/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "assembly/model/model.h"

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
  const char *names[MOST], *what = "beam";
  char room[MODEL_NAME_ROOM];
  int count = 0;
  name = builder_name(builder, name, room);
  for (const model_chain *chain = builder_model(builder)->chain; chain; chain = chain->next) {
    *out = chain->nodes;
    if (!strcmp(chain->name, name)) return TORSOR_OK;
    if (chain->nodes.edge) what = "beam or edge";
    if (count < MOST) names[count++] = chain->name;
  }
  return fail_name(what, name, names, count, error);
}

torsor_status torsor_builder_surface(torsor_surface *out, const torsor_builder *builder,
                                     const char *name, torsor_error *error) {
  const char *names[MOST];
  char room[MODEL_NAME_ROOM];
  int count = 0;
  name = builder_name(builder, name, room);
  for (const model_surface *s = builder_model(builder)->surface; s; s = s->next) {
    *out = s->facets;
    if (!strcmp(s->name, name)) return TORSOR_OK;
    if (count < MOST) names[count++] = s->name;
  }
  return fail_name("shell", name, names, count, error);
}
