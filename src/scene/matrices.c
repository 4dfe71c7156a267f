/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "scene/functions_private.h"
#include "scene/physical.h"
#include "scene/source.h"

enum { MOST_ROWS = 1000 };

/* ---- Matrix Market files (Boisvert, Pozo, Remington 1996) ---------------------------------------- */

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
    return fail_line(m, hint, "is no Matrix Market file: its first line says something else");
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

/* Column by column; of a symmetric one the lower triangle. */
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

static torsor_status read_market(torsor_matrix *out, function *f, market *m) {
  double size[3] = {0};
  torsor_status status = read_banner(m);
  char *line = status ? NULL : next_row(m);
  if (status) return status;
  if (!line || !read_line(size, m->coordinate ? 3 : 2, line))
    return fail_line(m, "rows, columns and, with coordinates, entries", "has no size");
  const int rows = (int)size[0], columns = (int)size[1];
  if (!(size[0] >= 1 && size[1] >= 1 && size[0] <= MOST_ROWS && size[1] <= MOST_ROWS) ||
      (m->symmetric && rows != columns))
    return fail_line(m, "1 to 1000 rows and columns, as many of both where it is symmetric",
                     "has a size that is not possible");
  f->y = calloc((size_t)rows * (size_t)columns, sizeof *f->y);
  if (!f->y) return torsor_fail(m->error, TORSOR_MEMORY, "out of memory");
  *out = (torsor_matrix){f->y, rows, columns};
  status = m->coordinate ? read_entries(f->y, m, rows, columns, size[2])
                         : read_columns(f->y, m, rows, columns);
  if (!status && next_row(m)) return fail_line(m, "leave it out", "goes on behind its last value");
  return status;
}

static torsor_status read_file(torsor_matrix *out, function *f, const reader *r,
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
  if (status == TORSOR_MEMORY) return function_out_of_memory(r);
  if (status) return reader_fail(r, node, found.hint, "\"%s\" %s", path, found.message);
  market m = {.file = path, .at = text, .error = r->error};
  status = read_market(out, f, &m);
  free(text);
  return status;
}

/* ---- rows in the scene ---------------------------------------------------------------------------- */

static torsor_status read_rows(torsor_matrix *out, function *f, const reader *r,
                               const json_node *node) {
  torsor_status status = reader_array(r, node, "the name of a Matrix Market file, or rows");
  if (status) return status;
  const cJSON *item = node->item->child;
  const int rows = cJSON_GetArraySize(node->item), columns = item ? cJSON_GetArraySize(item) : 0;
  if (!rows || !columns || rows > MOST_ROWS || columns > MOST_ROWS)
    return reader_fail(r, node, NULL, "needs 1 to %d rows of 1 to %d numbers", MOST_ROWS,
                       MOST_ROWS);
  f->y = calloc((size_t)rows * (size_t)columns, sizeof *f->y);
  if (!f->y) return function_out_of_memory(r);
  *out = (torsor_matrix){f->y, rows, columns};
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node row = json_item(node, item, i);
    status = reader_numbers(f->y + i * columns, columns, r, &row);
  }
  return status;
}

torsor_status matrix_read(torsor_matrix *out, function_list *list, const reader *r,
                          const json_node *node) {
  function *f = NULL;
  const char *name = NULL;
  torsor_status status = function_add(&f, list, r);
  if (status) return status;
  if (!cJSON_IsString(node->item)) return read_rows(out, f, r, node);
  status = reader_text(&name, r, node);
  return status ? status : read_file(out, f, r, node, name);
}

/* ---- frames -------------------------------------------------------------------------------------- */

static torsor_status read_frame(se3 *out, const reader *r, const json_node *node) {
  static const char *const keys[] = {"position", "orientation"};
  *out = se3_identity();
  if (cJSON_IsArray(node->item)) return reader_vector(&out->x, r, node);
  const json_node position = json_member(node, "position");
  const json_node orientation = json_member(node, "orientation");
  torsor_status status = reader_object(r, node, "a frame", keys, 2);
  if (!status && position.item) status = reader_vector(&out->x, r, &position);
  if (!status && orientation.item) status = physical_orientation(&out->R, r, &orientation);
  return status;
}

torsor_status frames_read(torsor_frames *out, function_list *list, const reader *r,
                          const json_node *node) {
  function *f = NULL;
  torsor_status status = reader_array(r, node, "a list of places or frames");
  if (!status) status = function_add(&f, list, r);
  if (status) return status;
  const int count = cJSON_GetArraySize(node->item);
  f->frame = calloc((size_t)count + 1, sizeof *f->frame);
  if (!f->frame) return function_out_of_memory(r);
  *out = (torsor_frames){f->frame, count};
  const cJSON *item = node->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node frame = json_item(node, item, i);
    status = read_frame(&f->frame[i], r, &frame);
  }
  return status;
}
