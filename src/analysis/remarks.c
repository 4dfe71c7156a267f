/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/remarks.h"

#include "assembly/model.h"
#include "base/text.h"

static void append_name(text *out, const torsor_model *model, int element) {
  const model_element *e = &model->element[element];
  text_printf(out, "%s \"%s\"", e->type->name, e->name);
}

void remarks_tell_impulse(const torsor_integrator *integrator, const torsor_model *model,
                          void (*tell)(void *data, const char *message), void *data) {
  const torsor_impulse i = torsor_integrator_impulse(integrator);
  text message = {0};
  int local;
  if (i.count == 0) return;
  const bool driven = i.constraint >= 0;
  const int element = driven ? torsor_model_row_element(model, i.constraint, &local)
                             : torsor_model_velocity_element(model, i.velocity, &local);
  text_printf(&message, "an impulse: ");
  append_name(&message, model, element);
  if (driven)
    text_printf(&message, " changes its speed by %.3g (in the unit of its rate)", i.size);
  else
    text_printf(&message, " changes component %d of its velocity by %.3g", local, i.size);
  text_printf(&message, " within the step of %.3g s that ends at t = %.9g s", i.h, i.t);
  if (i.count > 1) text_printf(&message, ", and %ld other steps are like it", i.count - 1);
  text_append(&message, driven ? ": its force there is no finite one, and none is shown"
                               : ": smaller steps are needed to see the force that does it");
  if (!message.failed) tell(data, message.data);
  text_release(&message);
}
