/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/constraints.h"

#include <stdlib.h>

torsor_status constraints_rank(row_rank *out, assembly *a, const torsor_model *model) {
  *out = (row_rank){0};
  arena scratch = {0};
  double *q = arena_take(&scratch, (size_t)model->nq, sizeof *q);
  double *v = arena_take(&scratch, (size_t)model->nv, sizeof *v);
  unsigned char *given = arena_take(&scratch, (size_t)model->nv, 1);
  torsor_status status = q && v && given ? TORSOR_OK : TORSOR_MEMORY;
  gradient_rows B = {0};
  if (!status) {
    assembly_initial(a, q, v, given);
    const torsor_point p = {.q = q};
    status = assembly_gradient(&B, a, &p);
  }
  if (!status) status = row_rank_find(out, &B);
  gradient_rows_release(&B);
  arena_release(&scratch);
  return status;
}

torsor_status constraints_refuse_redundant(assembly *a, const torsor_model *model,
                                           torsor_error *error) {
  row_rank rank;
  torsor_status status = constraints_rank(&rank, a, model);
  if (status)
    return torsor_fail(error, status, "cannot find the rank of the constraints: %s",
                       torsor_status_text(status));
  if (rank.dependent_count) {
    const dependent_row *first = &rank.dependent[0];
    int local, other_local = 0;
    const int e = torsor_model_row_element(model, first->row, &local);
    status = torsor_fail(error, TORSOR_REDUNDANT,
                         "%d of %d constraint rows are redundant; the first is row %d of joint "
                         "\"%s\"",
                         rank.dependent_count, model->nl, local, model->element[e].name);
    torsor_blame(error, model->element[e].name);
    if (first->count) {
      const int other = torsor_model_row_element(model, first->with[0], &other_local);
      torsor_hint(error,
                  "it repeats row %d of \"%s\"%s; `torsor check` lists all; replace a joint by one "
                  "that holds less",
                  other_local, model->element[other].name, first->count > 1 ? " and others" : "");
    } else {
      torsor_hint(error, "it constrains nothing in this configuration");
    }
  }
  row_rank_release(&rank);
  return status;
}
