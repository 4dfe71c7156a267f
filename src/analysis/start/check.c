/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/analysis.h>

#include <stdlib.h>

#include "analysis/start/constraints.h"
#include "analysis/start/initial.h"
#include "analysis/start/jumps.h"
#include "analysis/start/warnings.h"
#include "base/text.h"

static void fill_redundant(torsor_redundant_row *out, const assembly *a, const dependent_row *row) {
  const torsor_model *model = assembly_model(a);
  const unsigned char *ignored = assembly_ignored_rows(a);
  enum { MOST = sizeof out->with / sizeof *out->with };
  out->element = torsor_model_row_element(model, row->row, &out->row);
  out->ignored = ignored && ignored[row->row];
  for (int k = 0; k < row->count && k < MOST; ++k)
    out->with[out->with_count++] = torsor_model_row_element(model, row->with[k], &out->with_row[k]);
}

/* A growing list of lines of text; `failed` means that memory was short. */
typedef struct lines {
  torsor_check *check;
  int size;
  bool failed;
} lines;

static void keep_line(void *data, const char *message) {
  lines *l = data;
  torsor_check *check = l->check;
  if (check->warning_count == l->size) {
    const int size = 2 * l->size + 8;
    char **moved = realloc(check->warnings, (size_t)size * sizeof *moved);
    if (!moved) {
      l->failed = true;
      return;
    }
    check->warnings = moved;
    l->size = size;
  }
  text line = {0};
  text_append(&line, message);
  char *copy = text_take(&line);
  if (copy)
    check->warnings[check->warning_count++] = copy;
  else
    l->failed = true;
}

/* Counts the rows of joints that do not act at the start. */
static int count_waiting(const torsor_model *model) {
  int rows = 0;
  for (int i = 0; i < model->element_count; ++i)
    if (model->element[i].waits) rows += model->element[i].rows;
  return rows;
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
  if (model->follows_load) assembly_set_load(a, 0, false); /* load at the start of the load path */
  status = initial_state_find(&initial, a, model, NULL, &memory, error);
  const bool explained = status == TORSOR_INCONSISTENT;
  if (!status) status = constraints_rank(&rank, a, initial.q);
  lines found_lines = {.check = out};
  if (!status) {
    initial_state_tell(&initial, model, keep_line, &found_lines);
    status = warnings_tell(a, model, initial.q, keep_line, &found_lines);
    if (found_lines.failed) status = TORSOR_MEMORY;
  }
  arena_release(&memory);
  out->rank = rank.rank;
  out->gruebler = model->nv - model->nl + count_waiting(model);
  out->mobility = model->nv - rank.rank;
  if (!status) {
    out->redundant = calloc((size_t)rank.dependent_count + 1, sizeof *out->redundant);
    if (!out->redundant) status = TORSOR_MEMORY;
  }
  for (int i = 0; !status && i < rank.dependent_count; ++i)
    fill_redundant(&out->redundant[out->redundant_count++], a, &rank.dependent[i]);
  row_rank_release(&rank);
  assembly_destroy(a);
  if (!status) return TORSOR_OK;
  torsor_check_destroy(out);
  return explained ? status : torsor_fail(error, status, "%s", torsor_status_text(status));
}

torsor_status torsor_check_jumps(torsor_check *check, const torsor_model *model, double duration) {
  lines more = {.check = check, .size = check->warning_count};
  jumps_tell(model, duration, keep_line, &more);
  return more.failed ? TORSOR_MEMORY : TORSOR_OK;
}

void torsor_check_destroy(torsor_check *check) {
  for (int i = 0; check->warnings && i < check->warning_count; ++i) free(check->warnings[i]);
  free(check->warnings);
  free(check->redundant);
  *check = (torsor_check){0};
}
