/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/start/ranges.h"

#include "assembly/model/model.h"

torsor_status ranges_refuse(const assembly *a, const torsor_model *model, torsor_status status,
                            torsor_error *error) {
  const int failed = assembly_failed_element(a);
  if (status != TORSOR_DOMAIN || failed < 0)
    return torsor_fail(error, status, "%s", torsor_status_text(status));
  const model_element *e = &model->element[failed];
  const char *range = e->type->limits.range;
  torsor_fail(error, TORSOR_INCONSISTENT, "%s \"%s\" is outside the range where it is defined%s%s",
              e->type->name, e->name, range ? ": it takes " : "", range ? range : "");
  if (e->type->limits.advice)
    torsor_hint(error, "%s", e->type->limits.advice);
  else
    torsor_hint(error, "see `torsor describe %s`", e->type->name);
  torsor_blame(error, e->name);
  return TORSOR_INCONSISTENT;
}

void ranges_hint(const torsor_model *model, int element, torsor_error *error) {
  const torsor_element_type *type = element < 0 ? NULL : model->element[element].type;
  const char *name = element < 0 ? "" : model->element[element].name;
  if (type && type->limits.range && type->limits.advice)
    torsor_hint(error, "\"%s\" takes %s: %s", name, type->limits.range, type->limits.advice);
  else if (type && type->limits.astray)
    torsor_hint(error,
                "the step jumped to a branch that \"%s\" does not mean, with a reversed axis or "
                "with markers rotated by 180 or 120 degrees: try a smaller step",
                name);
  else
    torsor_hint(error, "an element left the range where it is defined: see `torsor describe`");
}
