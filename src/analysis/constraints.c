/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/constraints.h"

#include <stdio.h>
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

/* "k of m constraint rows are redundant; ...". */
static void describe(char *out, size_t size, const row_rank *rank, const torsor_model *model) {
  const dependent_row *first = &rank->dependent[0];
  int local, other_local = 0;
  const int e = torsor_model_row_element(model, first->row, &local);
  const int used = snprintf(
      out, size, "%d of %d constraint rows are redundant, the first is row %d of joint \"%s\"",
      rank->dependent_count, model->nl, local, model->element[e].name);
  if (first->count && used > 0 && (size_t)used < size) {
    const int other = torsor_model_row_element(model, first->with[0], &other_local);
    snprintf(out + used, size - (size_t)used,
             " (see row %d of \"%s\"): the multipliers are those of least norm; `torsor check` "
             "lists all",
             other_local, model->element[other].name);
  }
}

torsor_status constraints_allow_redundant(char *message, size_t size, assembly *a,
                                          const torsor_model *model, const char *solver,
                                          torsor_error *error) {
  row_rank rank;
  message[0] = '\0';
  torsor_status status = constraints_rank(&rank, a, model);
  if (!status && rank.dependent_count) {
    describe(message, size, &rank, model);
    status = assembly_allow_redundant(a, solver);
  }
  row_rank_release(&rank);
  if (!status) return TORSOR_OK;
  return torsor_fail(error, status, "cannot prepare the constraints: %s",
                     torsor_status_text(status));
}
