/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/start/jumps.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "assembly/model/model.h"

static const void *member(const model_element *e, const torsor_param *p) {
  return (const char *)e->instance + p->offset;
}

/* Returns the unit of the position that p prescribes: its own, or that of the coordinate that the
 * element drives. */
static const char *position_unit(const torsor_model *model, const model_element *e,
                                 const torsor_param *p) {
  for (const torsor_param *other = e->type->params; other->key; ++other) {
    if (other->kind != TORSOR_PARAM_COORDINATE) continue;
    const torsor_coordinate_ref *on = member(e, other);
    if (on->joint) return model->element[on->element].type->coordinates.list[on->index].unit;
  }
  return p->unit;
}

static void tell_param(const torsor_model *model, const model_element *e, const torsor_param *p,
                       double duration, void (*tell)(void *data, const char *message), void *data) {
  const torsor_function *f = member(e, p);
  torsor_jump jump, first = {0};
  int count = 0;
  if (!f->eval || !f->jump) return;
  /* A jump at the end of the run moves nothing any more; the times of both are rounded. */
  const double end = duration * (1 - 8 * DBL_EPSILON);
  for (double t = 0; f->jump(f->self, t, &jump) && jump.t < end; t = jump.t)
    if (!count++) first = jump;
  if (!count) return;
  char message[640], more[48] = "";
  if (count > 1)
    snprintf(more, sizeof more, " and %d time%s later", count - 1, count > 2 ? "s" : "");
  snprintf(
      message, sizeof message,
      "the rate of \"%s\" of %s \"%s\" jumps by %.3g %s/s at t = %.9g s%s, %s (%s): an impulse; "
      "%s",
      p->key, e->type->name, e->name, first.change, position_unit(model, e, p), first.t, more,
      first.what, first.place, first.advice);
  tell(data, message);
}

void jumps_tell(const torsor_model *model, double duration,
                void (*tell)(void *data, const char *message), void *data) {
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    for (const torsor_param *p = e->type->params; p && p->key; ++p)
      if (p->kind == TORSOR_PARAM_FUNCTION && (p->conditions & TORSOR_GIVES_POSITION))
        tell_param(model, e, p, duration, tell, data);
  }
}
