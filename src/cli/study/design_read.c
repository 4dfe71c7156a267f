/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <torsor/result.h>

#include "cli/study/study_read.h"
#include "results/file.h"

static const char *const keys[] = {"kind",   "samples", "seed",  "replicates",
                                   "levels", "order",   "points"};
enum { KEYS = sizeof keys / sizeof *keys, USUAL_LEVELS = 4, MOST_LEVELS = 1000 };

/* ---- points of a list --------------------------------------------------------------------------
 */

static torsor_status read_row(double *out, const study *s, const reader *r, const json_node *row) {
  char shown[96];
  if (cJSON_IsArray(row->item) && cJSON_GetArraySize(row->item) == s->variables)
    return reader_numbers(out, s->variables, r, row);
  return reader_fail(r, row, NULL, "must be %d numbers, in the order of \"vary\", but is %s",
                     s->variables, reader_show(row->item, shown));
}

static torsor_status read_rows(study *s, const reader *r, const json_node *points) {
  torsor_status status = reader_array(r, points, "a list of points, or the name of a CSV file");
  if (status) return status;
  const int rows = cJSON_GetArraySize(points->item);
  double *point = arena_take(&s->memory, (size_t)rows * (size_t)s->variables, sizeof *point);
  if (!point) return study_memory_short(r->error);
  const cJSON *item = points->item->child;
  for (int i = 0; i < rows && !status; ++i, item = item->next) {
    const json_node row = json_item(points, item, i);
    status = read_row(point + (size_t)i * (size_t)s->variables, s, r, &row);
  }
  s->design.point = point;
  s->design.rows = rows;
  if (!status && !rows) status = reader_fail(r, points, NULL, "needs a point");
  return status;
}

/* Cuts a line at its commas; the number of cells. */
static int cut(char *line, char **cell, int most) {
  int count = 0;
  for (char *at = line; at && count < most;) {
    cell[count++] = at;
    at = strchr(at, ',');
    if (at) *at++ = '\0';
  }
  return count;
}

/* Columns of the varied values in the heading of a CSV file. */
static torsor_status find_columns(int *column, int *cells, const study *s, char *heading,
                                  const reader *r, const json_node *node, const char *file) {
  enum { MOST_CELLS = 1000 };
  char *cell[MOST_CELLS];
  *cells = cut(heading, cell, MOST_CELLS);
  for (int i = 0; i < s->variables; ++i) {
    column[i] = -1;
    for (int j = 0; j < *cells; ++j)
      if (strcmp(cell[j], s->variable[i].name) == 0) column[i] = j;
    if (column[i] < 0)
      return reader_fail(r, node, "its first line has the names of the varied values",
                         "the file \"%s\" has no column \"%s\"", file, s->variable[i].name);
  }
  return TORSOR_OK;
}

static torsor_status fail_line(const char *file, long line, const char *words,
                               torsor_error *error) {
  torsor_fail(error, TORSOR_SCENE, "%s", words);
  snprintf(error->file, sizeof error->file, "%s", file);
  error->line = (int)line;
  error->column = 1;
  error->path[0] = '\0';
  return TORSOR_SCENE;
}

static torsor_status read_line(double *out, const study *s, char *line, const int *column,
                               int cells) {
  char *cell[1000];
  if (cut(line, cell, cells + 1) != cells) return TORSOR_SCENE;
  for (int i = 0; i < s->variables; ++i)
    if (!cli_number(&out[i], cell[column[i]])) return TORSOR_SCENE;
  return TORSOR_OK;
}

static torsor_status read_table(study *s, char *words, const char *file, const reader *r,
                                const json_node *node) {
  int column[STUDY_COLUMNS], cells = 0;
  long rows = 0, line = 1;
  for (const char *c = words; *c; ++c) rows += *c == '\n';
  double *point = arena_take(&s->memory, (size_t)(rows + 1) * (size_t)s->variables, sizeof *point);
  if (!point) return study_memory_short(r->error);
  rows = 0;
  for (char *at = words, *next; at && *at; at = next, ++line) {
    next = strchr(at, '\n');
    if (next) *next++ = '\0';
    at[strcspn(at, "\r")] = '\0';
    if (line == 1) {
      const torsor_status status = find_columns(column, &cells, s, at, r, node, file);
      if (status) return status;
    } else if (at[0]) {
      if (read_line(point + (size_t)rows++ * (size_t)s->variables, s, at, column, cells))
        return fail_line(file, line, "the line must have a number in every column of the heading",
                         r->error);
    }
  }
  s->design.point = point;
  s->design.rows = rows;
  return rows ? TORSOR_OK : reader_fail(r, node, NULL, "the file \"%s\" has no points", file);
}

static torsor_status read_points(study *s, const reader *r, const json_node *points) {
  if (!cJSON_IsString(points->item)) return read_rows(s, r, points);
  const char *file = study_beside(s, points->item->valuestring);
  text words = {0};
  torsor_status status = file ? file_read(&words, file, r->error) : study_memory_short(r->error);
  if (!status && words.data) status = read_table(s, words.data, file, r, points);
  if (!status && !words.data)
    status = reader_fail(r, points, NULL, "the file \"%s\" is empty", file);
  text_release(&words);
  return status;
}

/* ---- what a design needs -----------------------------------------------------------------------
 */

static bool is_random(study_kind kind) {
  return kind >= DESIGN_MONTE_CARLO;
}

/* Every value must say what the design takes from it. */
static torsor_status check_variables(const study *s, const reader *r, const json_node *root) {
  const json_node vary = json_member(root, "vary");
  const study_kind kind = s->design.kind;
  const bool searched = json_member(root, "data").item || json_member(root, "minimise").item;
  for (int i = 0; i < s->variables; ++i) {
    const study_variable *v = &s->variable[i];
    const json_node node = json_member(&vary, v->name);
    const bool ranged = isfinite(v->from) && isfinite(v->to);
    if (kind == DESIGN_GRID && !searched && !v->count && !isfinite(v->nominal) &&
        !isfinite(v->start))
      return reader_fail(r, &node, "\"values\", or \"from\", \"to\" and \"count\"",
                         "needs values for a grid");
    if (kind == DESIGN_ONE_AT_A_TIME && (!v->count || !isfinite(v->nominal)))
      return reader_fail(r, &node, NULL, "needs \"nominal\" and values for %s", study_kinds[kind]);
    if (is_random(kind) && !ranged && !v->count && !v->random.law)
      return reader_fail(r, &node, "\"from\" and \"to\", \"values\" or \"distribution\"",
                         "needs a range or a distribution for %s", study_kinds[kind]);
  }
  return TORSOR_OK;
}

static torsor_status read_numbers(study *s, const reader *r, const json_node *design) {
  study_design *d = &s->design;
  const json_node samples = json_member(design, "samples"), seed = json_member(design, "seed");
  const json_node replicates = json_member(design, "replicates");
  const json_node levels = json_member(design, "levels"), order = json_member(design, "order");
  static const char *const orders[] = {"plain", "shuffle"};
  int count = 0, word = 0;
  torsor_status status = TORSOR_OK;
  if (is_random(d->kind) && !samples.item)
    return reader_fail(r, design, NULL, "needs \"samples\" for %s", study_kinds[d->kind]);
  if (!is_random(d->kind) && samples.item)
    return reader_fail_key(r, &samples, NULL, "%s has as many samples as it has points",
                           study_kinds[d->kind]);
  if (samples.item) status = reader_integer(&count, r, &samples, 1);
  d->samples = count;
  count = 0;
  if (!status && seed.item) status = reader_integer(&count, r, &seed, 0);
  d->seed = (uint64_t)count;
  d->replicates = 1;
  d->levels = USUAL_LEVELS;
  if (!status && replicates.item) status = reader_integer(&d->replicates, r, &replicates, 1);
  if (!status && replicates.item && d->kind != DESIGN_SOBOL && d->kind != DESIGN_SOBOL_INDICES)
    status = reader_fail_key(r, &replicates, NULL, "replicates are shifts of Sobol' points");
  if (!status && levels.item) status = reader_integer(&d->levels, r, &levels, USUAL_LEVELS);
  if (!status && (d->levels % 2 || d->levels > MOST_LEVELS))
    status = reader_fail(r, &levels, NULL, "must be an even number up to %d", MOST_LEVELS);
  if (!status && order.item) status = reader_word(&word, r, &order, orders, 2);
  d->shuffle = word == 1;
  return status;
}

torsor_status study_read_design(study *s, const reader *r, const json_node *root) {
  const json_node design = json_member(root, "design"), points = json_member(&design, "points");
  const json_node correlation = json_member(root, "correlation");
  s->design = (study_design){.kind = DESIGN_GRID, .replicates = 1, .levels = USUAL_LEVELS};
  if (!design.item) return check_variables(s, r, root);
  const json_node kind = json_member(&design, "kind");
  int word = 0;
  torsor_status status = reader_object(r, &design, "a design", keys, KEYS);
  if (!status) status = reader_word(&word, r, &kind, study_kinds, DESIGN_KINDS);
  s->design.kind = (study_kind)word;
  if (!status) status = read_numbers(s, r, &design);
  if (!status && !points.item != (word != DESIGN_LIST))
    status = reader_fail(r, points.item ? &points : &design, NULL,
                         points.item ? "points are those of the design \"list\""
                                     : "needs \"points\" for a list");
  if (!status && points.item) status = read_points(s, r, &points);
  if (!status && correlation.item &&
      (!is_random(s->design.kind) || s->design.kind >= DESIGN_SOBOL_INDICES))
    status = reader_fail_key(r, &correlation, NULL, "the values of %s are not correlated",
                             study_kinds[s->design.kind]);
  return status ? status : check_variables(s, r, root);
}
