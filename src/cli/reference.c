/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/reference.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <torsor/result.h>

#include "cli/folder.h"
#include "results/file.h"

const torsor_tolerance reference_exact = {.basis = "none given: equal to the last bit"};

static bool ends_with(const char *name, const char *end) {
  const size_t length = strlen(name), tail = strlen(end);
  return length >= tail && strcmp(name + length - tail, end) == 0;
}

/* A table with a header only: a run ended before its first row, or somebody cut it. */
static torsor_status read_rows(torsor_table *table, const char *file, torsor_error *error) {
  const torsor_status status = torsor_csv_read(table, file, error);
  if (status || table->rows) return status;
  torsor_table_destroy(table);
  file_fail(error, file, "", 0);
  torsor_fail(error, TORSOR_FILE, "the table has no rows, only its header");
  torsor_hint(error,
              "run the scene again: a run that ends before its first row leaves such a file");
  return TORSOR_FILE;
}

torsor_status result_read(torsor_table *table, const char *name, torsor_error *error) {
  if (file_exists(name) && ends_with(name, ".json")) {
    torsor_fail(error, TORSOR_FILE, "\"%s\" is a JSON file, not a folder of results", name);
    torsor_hint(error, "if it is a scene, `torsor run SCENE -o FOLDER` makes a folder of results");
    return TORSOR_FILE;
  }
  if (access(name, F_OK) != 0 && errno == ENOENT) return folder_fail_missing(name, error);
  if (!folder_exists(name)) return read_rows(table, name, error);
  char *file = NULL;
  static const char *const kinds[] = {"trajectory.csv", "response.csv", "campbell.csv"};
  int kind = 0;
  while (kind < 2 && !folder_has_file(name, kinds[kind])) ++kind;
  if (!folder_has_file(name, kinds[kind])) kind = 0;
  torsor_status status =
      folder_find_result(&file, name, kinds[kind], "torsor run SCENE -o FOLDER", error);
  if (!status) status = read_rows(table, file, error);
  free(file);
  return status;
}

torsor_status reference_read(torsor_table *table, torsor_reference *sidecar, const char *name,
                             torsor_error *error) {
  *table = (torsor_table){0};
  *sidecar = (torsor_reference){0};
  if (folder_exists(name)) return result_read(table, name, error);
  bool described = ends_with(name, ".json");
  if (ends_with(name, ".csv")) {
    char *file = path_format(error, "%.*s.json", (int)strlen(name) - 4, name);
    if (!file) return TORSOR_MEMORY;
    described = file_exists(file);
    free(file);
  }
  if (!described) return read_rows(table, name, error);
  const torsor_status status = torsor_reference_load(sidecar, name, error);
  return status == TORSOR_OK ? read_rows(table, sidecar->data, error) : status;
}
