/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/market.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "scene/body_file.h"
#include "scene/json_make.h"
#include "scene/shell_mesh.h"
#include "scene/source.h"

/* ---- the format (Boisvert, Pozo, Remington 1996) --------------------------------------------- */

typedef struct market {
  const char *file;
  char *at; /* where it reads */
  int line;
  bool coordinate, symmetric;
  torsor_error *error;
} market;

static torsor_status fail_line(const market *m, const char *hint, const char *message) {
  torsor_fail(m->error, TORSOR_SCENE, "%s", message);
  torsor_hint(m->error, "%s", hint);
  if (m->error) {
    snprintf(m->error->file, sizeof m->error->file, "%s", m->file);
    m->error->line = m->line;
    m->error->column = 1;
  }
  return TORSOR_SCENE;
}

/* The next line, its end cut off; NULL at the end. */
static char *next_line(market *m) {
  if (!*m->at) return NULL;
  char *line = m->at;
  m->at += strcspn(line, "\n");
  if (*m->at) *m->at++ = '\0';
  ++m->line;
  return line;
}

/* The next line that is neither empty nor a comment. */
static char *next_row(market *m) {
  char *line = next_line(m);
  while (line && (line[0] == '%' || line[strspn(line, " \t\r")] == '\0')) line = next_line(m);
  return line;
}

static torsor_status read_banner(market *m) {
  static const char hint[] =
      "\"%%MatrixMarket matrix array real symmetric\", or coordinate, integer, "
      "general";
  char format[16] = "", field[16] = "", symmetry[20] = "";
  const char *line = next_line(m);
  if (!line || sscanf(line, "%%%%MatrixMarket matrix %15s %15s %19s", format, field, symmetry) != 3)
    return fail_line(m, hint, "is not a Matrix Market file: its first line has a different form");
  m->coordinate = !strcasecmp(format, "coordinate");
  m->symmetric = !strcasecmp(symmetry, "symmetric");
  const bool known = (m->coordinate || !strcasecmp(format, "array")) &&
                     (!strcasecmp(field, "real") || !strcasecmp(field, "integer")) &&
                     (m->symmetric || !strcasecmp(symmetry, "general"));
  return known ? TORSOR_OK
               : fail_line(m, hint, "is a Matrix Market file of a kind that is not read");
}

/* `count` numbers on one line, and nothing else. */
static bool read_line(double *out, int count, char *line) {
  for (int i = 0; i < count; ++i) {
    char *end = line;
    out[i] = strtod(line, &end);
    if (end == line || !isfinite(out[i])) return false;
    line = end;
  }
  return line[strspn(line, " \t\r")] == '\0';
}

static torsor_status read_entries(double *value, market *m, int rows, int columns, double entries) {
  for (double k = 0; k < entries; ++k) {
    double entry[3];
    char *line = next_row(m);
    if (!line || !read_line(entry, 3, line))
      return fail_line(m, "row, column and value, counted from 1",
                       line ? "is no entry of a matrix" : "ends before its last entry");
    const int i = (int)entry[0] - 1, j = (int)entry[1] - 1;
    if (!(i >= 0 && i < rows && j >= 0 && j < columns))
      return fail_line(m, "rows and columns are counted from 1", "an entry is outside the matrix");
    value[i * columns + j] += entry[2];
    if (m->symmetric && i != j) value[j * columns + i] += entry[2];
  }
  return TORSOR_OK;
}

/* Reads the entries column by column; of a symmetric matrix the lower triangle. */
static torsor_status read_columns(double *value, market *m, int rows, int columns) {
  for (int j = 0; j < columns; ++j)
    for (int i = m->symmetric ? j : 0; i < rows; ++i) {
      char *line = next_row(m);
      double entry;
      if (!line || !read_line(&entry, 1, line))
        return fail_line(m, "one value on each line",
                         line ? "is no value of a matrix" : "ends before its last value");
      value[i * columns + j] = entry;
      if (m->symmetric) value[j * columns + i] = entry;
    }
  return TORSOR_OK;
}

/* *value [rows x columns] is to be freed. */
static torsor_status read_market(double **value, int *rows, int *columns, market *m) {
  double size[3] = {0};
  torsor_status status = read_banner(m);
  char *line = status ? NULL : next_row(m);
  if (status) return status;
  if (!line || !read_line(size, m->coordinate ? 3 : 2, line))
    return fail_line(m, "rows, columns and, with coordinates, entries", "has no size");
  *rows = (int)size[0];
  *columns = (int)size[1];
  if (!(size[0] >= 1 && size[1] >= 1 && size[0] <= MATRIX_ROWS && size[1] <= MATRIX_ROWS) ||
      (m->symmetric && *rows != *columns))
    return fail_line(m, "1 to 6000 rows and columns, as many of both where it is symmetric",
                     "has a size that is not possible");
  *value = calloc((size_t)*rows * (size_t)*columns, sizeof **value);
  if (!*value) return torsor_fail(m->error, TORSOR_MEMORY, "out of memory");
  status = m->coordinate ? read_entries(*value, m, *rows, *columns, size[2])
                         : read_columns(*value, m, *rows, *columns);
  if (!status && next_row(m)) return fail_line(m, "leave it out", "goes on behind its last value");
  return status;
}

/* ---- replacing names by rows ----------------------------------------------------------------- */

static torsor_status read_file(cJSON **out, scene_files *files, const reader *r,
                               const json_node *node, const char *name) {
  char path[320], *text = NULL;
  size_t length = 0;
  torsor_error found = {0};
  const char *slash = r->file ? strrchr(r->file, '/') : NULL;
  const int folder = slash && name[0] != '/' ? (int)(slash + 1 - r->file) : 0;
  if (snprintf(path, sizeof path, "%.*s%s", folder, r->file ? r->file : "", name) >=
      (int)sizeof path)
    return reader_fail(r, node, NULL, "the name of the file is too long");
  torsor_status status = source_read(&text, &length, path, &found);
  if (!status && !scene_files_add(files, path)) {
    free(text);
    status = TORSOR_MEMORY;
  }
  if (status == TORSOR_MEMORY) return torsor_fail(r->error, status, "out of memory");
  if (status) return reader_fail(r, node, found.hint, "\"%s\" %s", path, found.message);
  market m = {.file = path, .at = text, .error = r->error};
  double *value = NULL;
  int rows = 0, columns = 0;
  status = read_market(&value, &rows, &columns, &m);
  if (!status && !(*out = json_make_rows(value, rows, columns)))
    status = torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
  free(value);
  free(text);
  return status;
}

static torsor_status inline_element(cJSON *element, const torsor_element_type *type,
                                    scene_files *files, const reader *r, const json_node *node) {
  torsor_status given = body_file_inline(element, type, files, r, node);
  if (!given) given = shell_mesh_inline(element, type, files, r, node);
  if (given) return given;
  for (const torsor_param *param = type->params; param && param->key; ++param) {
    if (param->kind != TORSOR_PARAM_MATRIX) continue;
    const json_node name = json_member(node, param->key);
    cJSON *rows = NULL;
    if (!cJSON_IsString(name.item)) continue;
    const torsor_status status = read_file(&rows, files, r, &name, name.item->valuestring);
    if (status) return status;
    if (!cJSON_ReplaceItemInObjectCaseSensitive(element, param->key, rows)) {
      cJSON_Delete(rows);
      return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
    }
  }
  return TORSOR_OK;
}

torsor_status market_inline(cJSON *root, const char *key, const torsor_registry *registry,
                            scene_files *files, const reader *r) {
  const json_node scene = json_root(root), list = json_member(&scene, key);
  cJSON *element = cJSON_IsArray(list.item) ? list.item->child : NULL;
  torsor_status status = TORSOR_OK;
  for (int i = 0; element && !status; ++i, element = element->next) {
    const json_node node = json_item(&list, element, i), type = json_member(&node, "type");
    const torsor_element_type *known =
        cJSON_IsString(type.item) ? torsor_registry_find(registry, type.item->valuestring) : NULL;
    if (known) status = inline_element(element, known, files, r, &node);
  }
  return status;
}
