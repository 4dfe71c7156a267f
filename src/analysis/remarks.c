/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/remarks.h"

#include <stdio.h>

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
  text_printf(&message, driven ? "an impulse: " : "steps are too coarse: ");
  append_name(&message, model, element);
  if (driven)
    text_printf(&message, " changes its speed by %.3g (in the unit of its rate)", i.size);
  else
    text_printf(&message, " changes component %d of its velocity by %.3g, which no force shows,",
                local, i.size);
  text_printf(&message, " within the step of %.3g s that ends at t = %.9g s", i.h, i.t);
  if (i.count > 1) text_printf(&message, ", and %ld other steps are like it", i.count - 1);
  if (driven) text_append(&message, ": its force there is no finite one, and none is shown");
  if (!message.failed) tell(data, message.data);
  text_release(&message);
}

/* Local errors that add up to more than this part of the motion; where they grow with h^5 their estimates for large steps are
 * too small, and a step that is larger by a third makes four times as much of them. */
static const double MOST_ERROR = 0.05, MOST_ERROR_HIGH = 0.01;

void remarks_tell_errors(const torsor_integrator *integrator, int order,
                         void (*tell)(void *data, const char *message), void *data) {
  const torsor_errors e = torsor_integrator_errors(integrator);
  const struct {
    const char *what, *of;
    double part;
  } kinds[] = {{"positions", "the way", e.position},
               {"rotations", "the motion", e.rotation},
               {"velocities", "the largest", e.velocity},
               {"angular velocities", "the largest", e.angular_velocity}};
  int worst = 0;
  for (int i = 1; i < 4; ++i)
    if (kinds[i].part > kinds[worst].part) worst = i;
  if (!(kinds[worst].part > (order > 2 ? MOST_ERROR_HIGH : MOST_ERROR))) return;
  char message[200];
  snprintf(message, sizeof message,
           "steps are too coarse: errors of %s add up to about %.2g %% of %s: smaller steps are "
           "needed",
           kinds[worst].what, 100 * kinds[worst].part, kinds[worst].of);
  tell(data, message);
}
