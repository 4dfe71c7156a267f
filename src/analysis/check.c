/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/analysis.h>

#include <stdlib.h>

#include "analysis/constraints.h"
#include "analysis/initial.h"
#include "base/text.h"

static void fill_redundant(torsor_redundant_row *out, const torsor_model *model,
                           const dependent_row *row) {
  enum { MOST = sizeof out->with / sizeof *out->with };
  out->element = torsor_model_row_element(model, row->row, &out->row);
  for (int k = 0; k < row->count && k < MOST; ++k)
    out->with[out->with_count++] = torsor_model_row_element(model, row->with[k], &out->with_row[k]);
}

/* Bodies that nothing holds on to, in a model that has joints. */
static torsor_status find_warnings(torsor_check *out, const torsor_model *model) {
  unsigned char *used = calloc((size_t)model->node_count, 1);
  out->warnings = calloc((size_t)model->element_count + 1, sizeof *out->warnings);
  if (!used || !out->warnings) {
    free(used);
    return TORSOR_MEMORY;
  }
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    for (int k = 0; e->type->kind != TORSOR_BODY && k < e->nodes; ++k) used[e->node[k]] = 1;
  }
  torsor_status status = TORSOR_OK;
  for (int i = 0; out->counts.joints && !status && i < model->node_count; ++i) {
    if (used[i]) continue;
    text message = {0};
    text_printf(&message, "no joint or force holds body \"%s\": it moves freely",
                model->element[model->node[i].element].name);
    char *taken = text_take(&message);
    if (taken)
      out->warnings[out->warning_count++] = taken;
    else
      status = TORSOR_MEMORY;
  }
  free(used);
  return status;
}

torsor_status torsor_check_model(torsor_check *out, const torsor_model *model,
                                 torsor_error *error) {
  *out = (torsor_check){.counts = torsor_model_count(model)};
  assembly *a = NULL;
  row_rank rank = {0};
  torsor_status status = assembly_create(&a, model, NULL, false, error);
  if (status) return status;
  initial_state initial;
  arena memory = {0};
  status = initial_state_find(&initial, a, model, &memory, error);
  const bool told = status == TORSOR_INCONSISTENT;
  if (!status) status = constraints_rank(&rank, a, initial.q);
  arena_release(&memory);
  out->rank = rank.rank;
  out->gruebler = model->nv - model->nl;
  out->mobility = model->nv - rank.rank;
  if (!status) {
    out->redundant = calloc((size_t)rank.dependent_count + 1, sizeof *out->redundant);
    if (!out->redundant) status = TORSOR_MEMORY;
  }
  for (int i = 0; !status && i < rank.dependent_count; ++i)
    fill_redundant(&out->redundant[out->redundant_count++], model, &rank.dependent[i]);
  if (!status) status = find_warnings(out, model);
  row_rank_release(&rank);
  assembly_destroy(a);
  if (!status) return TORSOR_OK;
  torsor_check_destroy(out);
  return told ? status : torsor_fail(error, status, "%s", torsor_status_text(status));
}

void torsor_check_destroy(torsor_check *check) {
  for (int i = 0; check->warnings && i < check->warning_count; ++i) free(check->warnings[i]);
  free(check->warnings);
  free(check->redundant);
  *check = (torsor_check){0};
}
