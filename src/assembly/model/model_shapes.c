/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "assembly/model/model.h"

torsor_status torsor_builder_shape(torsor_builder *builder, const char *body,
                                   const torsor_solid *solid, int count, torsor_error *error) {
  torsor_model *model = builder_model(builder);
  const bool ground = strcmp(body, "ground") == 0;
  const int element = ground ? -1 : builder_find(builder, body);
  if (!ground && (element < 0 || !model->element[element].body)) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" is no body with a frame of its own", body);
    torsor_hint(error, "leave \"shape\" out: beams are drawn with their section, superelements by "
                       "their interfaces");
    return TORSOR_SCENE;
  }
  torsor_solid *copy = arena_take(&model->memory, (size_t)count, sizeof *copy);
  if (!copy) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  if (count) memcpy(copy, solid, (size_t)count * sizeof *copy);
  if (ground) {
    model->ground_solid = copy;
    model->ground_solids = count;
    return TORSOR_OK;
  }
  model->element[element].shaped = true;
  model->element[element].solid = copy;
  model->element[element].solids = count;
  return TORSOR_OK;
}
