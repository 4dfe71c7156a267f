/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/report_result.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cli/folder.h"
#include "cli/reference.h"
#include "cli/report_motion.h"
#include "results/file.h"

/* Numbers of trajectories on a page: 4 bytes each before they are packed. */
enum { MOST_NUMBERS = 2000000 };

/* ---- files as they are --------------------------------------------------------------------- */

/* Adds the file folder/name when it exists; `found` (may be NULL) receives whether it does. */
static torsor_status add_file(text *list, page_data *data, const char *folder, const char *name,
                              bool *found, torsor_error *error) {
  if (found) *found = false;
  char *file = path_format(error, "%s/%s", folder, name);
  if (!file) return TORSOR_MEMORY;
  text content = {0};
  torsor_status status = TORSOR_OK;
  if (file_exists(file)) {
    status = file_read(&content, file, error);
    if (!status) {
      json_count(list, name, page_add_text(data, content.data, content.length));
      if (found) *found = true;
    }
  }
  text_release(&content);
  free(file);
  return status;
}

static torsor_status add_files(text *list, page_data *data, const char *folder,
                               torsor_error *error) {
  static const char *const names[] = {"summary.json", "sample.json", "convergence.csv",
                                      "modes.csv"};
  bool found = false;
  torsor_status status = TORSOR_OK;
  json_key(list, "files");
  text_append(list, "{");
  for (size_t i = 0; i < sizeof names / sizeof *names && !status; ++i)
    status = add_file(list, data, folder, names[i], &found, error);
  /* the last one was modes.csv: a shape for each of them */
  for (int i = 1; found && !status && i < INT_MAX; ++i) {
    char name[32];
    snprintf(name, sizeof name, "mode_%03d.csv", i);
    status = add_file(list, data, folder, name, &found, error);
  }
  text_append(list, "}");
  return status;
}

/* ---- the trajectory ------------------------------------------------------------------------ */

/* Rows 0, every, 2 every, ... */
static void add_table(text *list, page_data *data, const torsor_table *table,
                      const torsor_units *units, const report_source *source) {
  const size_t columns = (size_t)table->columns, rows = (size_t)table->rows;
  const size_t room = (size_t)(MOST_NUMBERS / source->share) / columns + 1;
  const size_t every = rows > room ? (rows + room - 1) / room : 1;
  const size_t kept = (rows + every - 1) / every;
  json_key(list, "table");
  text_printf(list, "{\"rows\": %zu, \"every\": %zu, \"columns\": [", kept, every);
  for (size_t j = 0; j < columns; ++j) {
    const double *first = table->value + j;
    const size_t stride = every * columns;
    text_append(list, j ? ",\n{" : "\n{");
    json_text(list, "name", table->name[j]);
    json_text(list, "unit", torsor_units_find(units, table->name[j]));
    json_count(list, "array",
               j == 0 ? page_add_exact(data, first, stride, kept)
                      : page_add_numbers(data, first, stride, kept));
    text_append(list, "}");
  }
  text_append(list, "]}");
}

static torsor_status read_units(torsor_units *units, const char *folder, torsor_error *error) {
  char *file = path_format(error, "%s/summary.json", folder);
  if (!file) return TORSOR_MEMORY;
  const torsor_status status =
      file_exists(file) ? torsor_units_load(units, file, error) : TORSOR_OK;
  free(file);
  return status;
}

static torsor_status add_trajectory(text *list, page_data *data, const report_source *source,
                                    torsor_error *error) {
  torsor_table table = {0};
  torsor_reference sidecar = {0};
  torsor_units units = {0};
  torsor_status status = source->reference ? reference_read(&table, &sidecar, source->name, error)
                                           : result_read(&table, source->name, error);
  if (!status && folder_exists(source->name)) status = read_units(&units, source->name, error);
  if (!status) add_table(list, data, &table, &units, source);
  torsor_units_destroy(&units);
  torsor_reference_destroy(&sidecar);
  torsor_table_destroy(&table);
  return status;
}

/* ---- the result ---------------------------------------------------------------------------- */

torsor_status report_add_result(text *list, page_data *data, const report_source *source,
                                const cli *common, torsor_error *error) {
  const bool folder = folder_exists(source->name);
  text notices = {0};
  torsor_status status = TORSOR_OK;
  text_append(list, "{");
  json_text(list, "label",
            source->label       ? source->label
            : source->reference ? "reference"
                                : path_last(source->name));
  json_bool(list, "reference", source->reference);
  if (folder) status = add_files(list, data, source->name, error);
  /* modes have no trajectory */
  const bool modes = folder && folder_has_file(source->name, "modes.csv");
  if (!status && !(modes && !folder_has_file(source->name, "trajectory.csv")))
    status = add_trajectory(list, data, source, error);
  if (!status && folder && !source->reference)
    status = report_add_motion(list, data, &notices, source, common, error);
  if (!status && notices.length) {
    json_key(list, "notices");
    text_append(list, "[");
    text_append(list, notices.data);
    text_append(list, "]");
  }
  list->failed |= notices.failed;
  text_release(&notices);
  text_append(list, "}");
  return status;
}
