/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The meaning of the elements' parameters for the model: the inputs that they read, and the
 * callbacks that they call. */
#include "assembly/model/model.h"

/* Does the parameter `p` of the element depend on the input? */
static bool param_reads(const model_element *e, const torsor_param *p, int input) {
  const void *member = (const char *)e->instance + p->offset;
  const torsor_function *function = member;
  const torsor_characteristic *characteristic = member;
  const torsor_control *control = member;
  const torsor_profile *profile = member;
  switch (p->kind) {
  case TORSOR_PARAM_FUNCTION:
    return function->eval && function->reads && function->reads(function->self, input);
  case TORSOR_PARAM_CHARACTERISTIC:
    return characteristic->eval && characteristic->reads &&
           characteristic->reads(characteristic->self, input);
  case TORSOR_PARAM_CONTROL:
    return control->eval && control->reads && control->reads(control->self, input);
  case TORSOR_PARAM_PROFILE:
    return profile->eval && profile->reads && profile->reads(profile->self, input);
  default:
    return false;
  }
}

/* Finds how an element depends on an input, which decides which jumps of the input a motion can
 * follow. */
static void reach(model_input *input, int index, const torsor_model *model, int element) {
  const model_element *e = &model->element[element];
  if (!e->rows) return;
  for (const torsor_param *p = e->type->params; p && p->key; ++p) {
    if (!param_reads(e, p, index)) continue;
    input->moves = true;
    if (p->conditions & TORSOR_GIVES_POSITION) input->positions = element;
  }
}

void model_reach_inputs(torsor_model *model) {
  for (int i = 0; i < model->inputs; ++i)
    for (int k = 0; k < model->element_count; ++k) reach(&model->input[i], i, model, k);
}

void model_note_callbacks(torsor_model *model) {
  for (int k = 0; k < model->element_count; ++k) {
    const model_element *e = &model->element[k];
    for (const torsor_param *p = e->type->params; p && p->key; ++p) {
      if (p->kind != TORSOR_PARAM_CALLBACK) continue;
      const torsor_callback *const *callback =
          (const void *)((const char *)e->instance + p->offset);
      model->one_thread |= *callback && !(*callback)->threads;
    }
  }
}
