/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study/table.h"

#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "base/number.h"
#include "cli/folder.h"
#include "cli/study/keep.h"
#include "cli/study/study_read.h"
#include "results/file.h"
#include "results/netcdf.h"

/* ---- the rows in order -------------------------------------------------------------------------
 */

torsor_status table_make(study_table *out, const sampler *s, const design *d,
                         const rows_found *rows, torsor_error *error) {
  const study *of = s->study;
  const size_t n = (size_t)d->samples;
  *out = (study_table){.study = of, .sampler = s, .design = d, .rows = d->samples};
  out->status = calloc(n, sizeof *out->status);
  out->value = calloc(n * (size_t)of->variables, sizeof *out->value);
  out->output = calloc(n * (size_t)of->outputs, sizeof *out->output);
  out->message = calloc(n, sizeof *out->message);
  if (!out->status || !out->value || !out->output || !out->message)
    return study_memory_short(error);
  double value[STUDY_COLUMNS];
  for (size_t k = 0; k < n; ++k) {
    design_point(d, (long)k, value);
    const row *r = rows_find(rows, sampler_hash(s, value));
    out->status[k] = r ? r->status : ROW_BEGUN;
    out->message[k] = r ? r->message : NULL;
    ++out->count[out->status[k]];
    if (r) out->cpu += r->cpu;
    for (int i = 0; i < of->variables; ++i) out->value[(size_t)i * n + k] = value[i];
    for (int i = 0; i < of->outputs; ++i)
      out->output[(size_t)i * n + k] = r ? r->output[i] : nan("");
  }
  return TORSOR_OK;
}

void table_release(study_table *t) {
  free(t->status);
  free(t->value);
  free(t->output);
  free(t->message);
  *t = (study_table){0};
}

/* ---- files -------------------------------------------------------------------------------------
 */

static torsor_status write_text(text *t, const char *folder, const char *name,
                                torsor_error *error) {
  char *file = path_format(error, "%s/%s", folder, name);
  torsor_status status = file && !t->failed ? TORSOR_OK : study_memory_short(error);
  if (!status) status = file_replace(file, t->data, t->length, error);
  text_release(t);
  free(file);
  return status;
}

/* Numbers of tables; empty where there is none. */
static void add_cell(text *t, double value) {
  char number[NUMBER_ROOM];
  text_append(t, ",");
  if (!isfinite(value)) return;
  number_write(number, value);
  text_append(t, number);
}

static void add_names(text *t, const study *s, bool whole) {
  text_append(t, whole ? "sample,status" : "sample");
  for (int i = 0; i < s->variables; ++i) text_printf(t, ",%s", s->variable[i].name);
  for (int i = 0; i < s->outputs && whole; ++i) text_printf(t, ",%s", s->output[i].name);
  text_append(t, "\n");
}

torsor_status table_write_points(const study *s, const design *d, const char *folder,
                                 torsor_error *error) {
  text t = {0};
  double value[STUDY_COLUMNS];
  add_names(&t, s, false);
  for (long k = 0; k < d->samples; ++k) {
    design_point(d, k, value);
    text_printf(&t, "%ld", k);
    for (int i = 0; i < s->variables; ++i) add_cell(&t, value[i]);
    text_append(&t, "\n");
  }
  return write_text(&t, folder, "points.csv", error);
}

static const char *word_of(row_status status) {
  return status == ROW_BEGUN ? "missing" : row_statuses[status];
}

static torsor_status write_csv(const study_table *t, const char *folder, torsor_error *error) {
  text out = {0};
  const study *s = t->study;
  const size_t n = (size_t)t->rows;
  add_names(&out, s, true);
  for (size_t k = 0; k < n; ++k) {
    text_printf(&out, "%zu,%s", k, word_of(t->status[k]));
    for (int i = 0; i < s->variables; ++i) add_cell(&out, t->value[(size_t)i * n + k]);
    for (int i = 0; i < s->outputs; ++i) add_cell(&out, t->output[(size_t)i * n + k]);
    text_append(&out, "\n");
  }
  return write_text(&out, folder, "table.csv", error);
}

/* ---- NetCDF ------------------------------------------------------------------------------------
 */

/* Plan of the file: a record for each sample. */
typedef struct plan {
  netcdf_file file;
  netcdf_attribute unit[STUDY_COLUMNS][2], about[3];
} plan;

static void add_column(plan *p, const char *name, const char *unit) {
  const int i = p->file.variables++;
  p->unit[i][0] = (netcdf_attribute){.name = "units", .text = unit};
  p->file.variable[i] = (netcdf_variable){
      .name = name, .type = NETCDF_DOUBLE, .axes = 1, .attribute = unit[0] ? p->unit[i] : NULL};
}

static torsor_status write_netcdf(const study_table *t, const char *folder, torsor_error *error) {
  static const netcdf_attribute status[] = {
      {.name = "long_name", .text = "0 ok, 1 nan, 2 failed, 3 timeout, 4 crashed, 5 missing"}, {0}};
  const study *s = t->study;
  const size_t n = (size_t)t->rows;
  plan *p = calloc(1, sizeof *p);
  double *record = calloc((size_t)STUDY_COLUMNS, sizeof *record);
  text out = {0};
  if (!p || !record) {
    free(p);
    free(record);
    return study_memory_short(error);
  }
  p->about[0] = (netcdf_attribute){.name = "title", .text = s->title};
  p->about[1] = (netcdf_attribute){.name = "source", .text = "torsor " TORSOR_VERSION};
  p->file.attribute = p->about;
  netcdf_add_dimension(&p->file, "sample", 0);
  for (int i = 0; i < s->variables; ++i) add_column(p, s->variable[i].name, s->variable[i].unit);
  for (int i = 0; i < s->outputs; ++i) add_column(p, s->output[i].name, s->output[i].unit);
  const int columns = p->file.variables;
  p->file.variable[p->file.variables++] =
      (netcdf_variable){.name = "status", .type = NETCDF_INT, .axes = 1, .attribute = status};
  netcdf_append(&out, &p->file);
  char count[4], word[4];
  netcdf_store_int(count, (uint32_t)n);
  if (!out.failed) memcpy(out.data + NETCDF_RECORDS_AT, count, sizeof count);
  for (size_t k = 0; k < n && !out.failed; ++k) {
    for (int i = 0; i < s->variables; ++i) record[i] = t->value[(size_t)i * n + k];
    for (int i = 0; i < s->outputs; ++i) record[s->variables + i] = t->output[(size_t)i * n + k];
    netcdf_store_doubles((char *)record, record, (size_t)columns);
    text_append_bytes(&out, (const char *)record, (size_t)columns * sizeof *record);
    netcdf_store_int(word, (uint32_t)t->status[k]);
    text_append_bytes(&out, word, sizeof word);
  }
  free(record);
  free(p);
  return write_text(&out, folder, "table.nc", error);
}

/* ---- summary -----------------------------------------------------------------------------------
 */

/* The command that runs the sample alone. */
static void add_repeat(text *out, const study_table *t, long k) {
  double value[STUDY_COLUMNS];
  text words = {0};
  for (int i = 0; i < t->study->variables; ++i)
    value[i] = t->value[(size_t)i * (size_t)t->rows + (size_t)k];
  keep_command(&words, t->sampler, value);
  json_text(out, "command", words.data ? words.data : "");
  out->failed |= words.failed;
  text_release(&words);
}

/* The samples whose results are kept. */
static void add_kept(text *out, const study_table *t, const char *folder) {
  double value[STUDY_COLUMNS];
  int kept = 0;
  json_key(out, "kept");
  text_append(out, "[");
  for (long k = 0; k < t->rows; ++k) {
    if (t->status[k] == ROW_BEGUN) continue;
    design_point(t->design, k, value);
    if (!keep_is_there(folder, k, sampler_hash(t->sampler, value))) continue;
    text_printf(out, kept++ ? ", %ld" : "%ld", k);
  }
  text_append(out, "]");
}

static void add_failures(text *out, const study_table *t) {
  enum { MOST = 100 };
  int shown = 0;
  json_key(out, "not_ok");
  text_append(out, "[");
  for (long k = 0; k < t->rows && shown < MOST; ++k) {
    if (t->status[k] == ROW_OK || t->status[k] == ROW_BEGUN) continue;
    text_append(out, shown++ ? ",\n  {" : "\n  {");
    json_count(out, "sample", k);
    json_text(out, "status", row_statuses[t->status[k]]);
    if (t->message[k]) json_text(out, "message", t->message[k]);
    add_repeat(out, t, k);
    text_append(out, "}");
  }
  text_append(out, "]");
}

static torsor_status write_summary(const study_table *t, const char *folder, const rows_found *rows,
                                   torsor_error *error) {
  text out = {0};
  const study *s = t->study;
  text_append(&out, "{");
  json_text(&out, "study", s->name);
  json_text(&out, "title", s->title);
  json_text(&out, "scene", s->scene);
  json_text(&out, "version", torsor_version());
  json_text(&out, "design", study_kinds[s->design.kind]);
  json_count(&out, "samples", t->rows);
  for (int i = 0; i < ROW_STATUSES; ++i) json_count(&out, word_of((row_status)i), t->count[i]);
  json_number(&out, "cpu_seconds", t->cpu);
  if (rows->mismatch[0]) json_text(&out, "mismatch", rows->mismatch);
  const torsor_status status = table_statistics(&out, t, error);
  add_failures(&out, t);
  add_kept(&out, t, folder);
  text_append(&out, "}\n");
  if (!status) return write_text(&out, folder, "summary.json", error);
  text_release(&out);
  return status;
}

torsor_status table_write(const study_table *t, const char *folder, const rows_found *rows,
                          torsor_error *error) {
  torsor_status status = write_csv(t, folder, error);
  if (!status) status = write_netcdf(t, folder, error);
  return status ? status : write_summary(t, folder, rows, error);
}
