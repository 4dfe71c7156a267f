/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/start/mobility.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "assembly/rank.h"

/* Rows that are combinations of others up to this look as if they were meant to be exact ones, with
 * markers that have few digits. */
static const double JUST = 1e-4;

/* Do constraints prescribe velocities, or change with time or load?  They are evaluated at times of
 * all scales: where nothing drives them their values are the same to the bit and prescribe no
 * velocity. */
static torsor_status is_led(bool *out, assembly *a, const double *q) {
  enum { FIRST = -10, LAST = 7 };
  const torsor_problem *pr = assembly_problem(a);
  const size_t nl = (size_t)pr->nl;
  const double load = assembly_load(a);
  double *v = calloc((size_t)pr->nv + 4 * nl + 1, sizeof *v);
  if (!v) return TORSOR_MEMORY;
  double *now = v + pr->nv, *then = now + 2 * nl;
  const torsor_point start = {.q = q, .v = v};
  torsor_status status = pr->residual(pr->self, &start, NULL, now, now + nl);
  *out = false;
  for (int i = 0; i < pr->nl && !status; ++i) *out |= now[pr->nl + i] != 0;
  for (int k = FIRST; k <= LAST + 1 && !status && !*out; ++k) {
    const torsor_point later = {.t = k > LAST ? 0 : exp2(2 * k), .q = q, .v = v};
    if (k > LAST) assembly_set_load(a, load == 1 ? 0.5 : 1, false);
    status = pr->residual(pr->self, &later, NULL, then, then + nl);
    *out = status > 0 || memcmp(now, then, 2 * nl * sizeof *now) != 0;
    if (status > 0) status = TORSOR_OK; /* a function that ends drives the constraints, too */
  }
  assembly_set_load(a, load, false);
  free(v);
  return status;
}

/* Finds a row that is a combination of others up to a small difference; -1 = none. */
static torsor_status find_just_independent(int *row, const gradient_rows *B, int rank) {
  row_rank near = {0};
  const torsor_status status = row_rank_find(&near, B, JUST);
  *row = !status && near.rank < rank ? near.dependent[near.dependent_count - 1].row : -1;
  row_rank_release(&near);
  return status;
}

static void say(const torsor_model *model, int row, void (*tell)(void *data, const char *message),
                void *data) {
  char message[360], why[200] = "";
  if (row >= 0) {
    int local;
    const int joint = torsor_model_row_element(model, row, &local);
    snprintf(why, sizeof why,
             "; row %d of joint \"%s\" is nearly a combination of others: if it is meant to be "
             "one, give the markers all their digits",
             local, model->element[joint].name);
  }
  snprintf(message, sizeof message,
           "the scene cannot move: its joints leave no free motion (mobility 0), and nothing "
           "drives them%s",
           why);
  tell(data, message);
}

torsor_status mobility_tell(assembly *a, const torsor_model *model, const double *q,
                            void (*tell)(void *data, const char *message), void *data) {
  gradient_rows B = {0};
  row_rank rank = {0};
  const torsor_point p = {.q = q};
  bool led = false;
  int row = -1;
  if (model->nl < model->nv || !model->nv) return TORSOR_OK;
  torsor_status status = assembly_gradient(&B, a, &p);
  if (!status) status = row_rank_find(&rank, &B, RANK_THRESHOLD);
  const bool fixed = !status && rank.rank == model->nv;
  if (fixed) status = is_led(&led, a, q);
  if (fixed && !status && !led) {
    status = find_just_independent(&row, &B, rank.rank);
    if (!status) say(model, row, tell, data);
  }
  row_rank_release(&rank);
  gradient_rows_release(&B);
  return status;
}
