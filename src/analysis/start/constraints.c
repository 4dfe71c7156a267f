/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/start/constraints.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Drops the rows of joints that do not act: they are no constraints. */
static void drop_released(row_rank *rank, const assembly *a) {
  int kept = 0, local;
  for (int i = 0; i < rank->dependent_count; ++i) {
    dependent_row *row = &rank->dependent[i];
    if (assembly_acts(a, torsor_model_row_element(assembly_model(a), row->row, &local))) {
      rank->dependent[kept++] = *row;
      continue;
    }
    free(row->with);
    free(row->factor);
  }
  rank->dependent_count = kept;
}

static torsor_status find_rank(row_rank *out, assembly *a, const torsor_point *p,
                               double threshold) {
  *out = (row_rank){0};
  gradient_rows B = {0};
  torsor_status status = assembly_gradient(&B, a, p);
  if (!status) status = row_rank_find(out, &B, threshold);
  if (!status) drop_released(out, a);
  gradient_rows_release(&B);
  return status;
}

torsor_status constraints_rank_at(row_rank *out, assembly *a, const torsor_point *p) {
  return find_rank(out, a, p, RANK_THRESHOLD);
}

torsor_status constraints_rank(row_rank *out, assembly *a, const double *q) {
  const torsor_point p = {.q = q};
  return constraints_rank_at(out, a, &p);
}

double constraints_largest(const double *x, const double *scale, int n, int *at) {
  double most = -1;
  for (int i = 0; i < n; ++i) {
    const double part = x[i] == 0 ? 0 : fabs(x[i]) / scale[i];
    if (part <= most) continue;
    most = part;
    *at = i;
    if (isnan(part)) break;
  }
  return n ? most : 0;
}

/* Does what constraints_nearly_dependent_ahead does, at `p` alone. */
static int nearly_dependent_row(assembly *a, const torsor_point *p, bool redundant) {
  row_rank exact = {0}, near = {0};
  int row = -1;
  torsor_status status = redundant ? find_rank(&exact, a, p, RANK_THRESHOLD) : TORSOR_OK;
  if (!status) status = find_rank(&near, a, p, RANK_NEAR);
  for (int i = 0, k = 0; !status && row < 0 && i < near.dependent_count; ++i) {
    const int dependent = near.dependent[i].row; /* rows of both lists ascend */
    while (k < exact.dependent_count && exact.dependent[k].row < dependent) ++k;
    if (k == exact.dependent_count || exact.dependent[k].row > dependent) row = dependent;
  }
  row_rank_release(&near);
  row_rank_release(&exact);
  return row;
}

/* Number of points along a step that are examined. */
enum { AHEAD = 8 };

int constraints_nearly_dependent_ahead(assembly *a, const torsor_point *p, double h,
                                       bool redundant) {
  const torsor_problem *problem = assembly_problem(a);
  const size_t nq = (size_t)problem->nq, nv = (size_t)problem->nv;
  int row = nearly_dependent_row(a, p, redundant);
  double *q = row < 0 ? calloc(nq + nv, sizeof *q) : NULL, *u = q ? q + nq : NULL;
  for (int k = 1; q && row < 0 && k <= AHEAD; ++k) {
    const double t = h * k / AHEAD;
    for (size_t i = 0; i < nv; ++i) u[i] = t * (p->v[i] + t / 2 * p->a[i]);
    problem->plus(problem->self, q, p->q, u);
    torsor_point ahead = *p;
    ahead.t = p->t + t;
    ahead.q = q;
    row = nearly_dependent_row(a, &ahead, redundant);
  }
  free(q);
  return row;
}

bool constraints_describe(char *out, size_t size, const row_rank *rank, const assembly *a) {
  const torsor_model *model = assembly_model(a);
  const unsigned char *ignored = assembly_ignored_rows(a);
  const dependent_row *first = NULL;
  int local, other_local = 0, count = 0;
  for (int i = rank->dependent_count - 1; i >= 0; --i) {
    if (ignored && ignored[rank->dependent[i].row]) continue;
    first = &rank->dependent[i];
    ++count;
  }
  if (!first) return false;
  const int e = torsor_model_row_element(model, first->row, &local);
  const int used = snprintf(
      out, size, "%d of %d constraint rows are redundant, the first is row %d of joint \"%s\"",
      count, model->nl, local, model->element[e].name);
  if (!first->count || used < 0 || (size_t)used >= size) return true;
  const int other = torsor_model_row_element(model, first->with[0], &other_local);
  snprintf(out + used, size - (size_t)used,
           " (see row %d of \"%s\"): the multipliers are those of least norm; `torsor check` "
           "lists all",
           other_local, model->element[other].name);
  return true;
}

torsor_status constraints_refuse(const torsor_model *model, int row, double value, const char *what,
                                 const char *hint, torsor_error *error) {
  int local;
  const model_element *joint = &model->element[torsor_model_row_element(model, row, &local)];
  torsor_fail(error, TORSOR_INCONSISTENT,
              "the initial %s contradict joint \"%s\" (%s): its row %d is %.6g instead of 0", what,
              joint->name, joint->type->name, local, value);
  torsor_hint(error, "%s", hint);
  torsor_blame(error, joint->name);
  return TORSOR_INCONSISTENT;
}
