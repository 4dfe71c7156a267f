/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/result.h>

#include <errno.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "results/file.h"

/* The delimiter that ended a field. */
typedef enum { AFTER_COMMA, AFTER_ROW, AFTER_FILE } field_end;

typedef struct reader {
  const char *at, *end, *line_start;
  int line;
  text field;                   /* the last field, quotes resolved */
  int field_line, field_column; /* where it begins */
  field_end after;
  locale_t c_locale;
  const char *file;
  torsor_error *error;
} reader;

/* Adds file, line and column to the error. */
static torsor_status locate(const reader *r, int line, int column) {
  torsor_error *error = r->error;
  if (!error) return TORSOR_FILE;
  snprintf(error->file, sizeof error->file, "%s", r->file);
  error->path[0] = '\0';
  error->line = line;
  error->column = column;
  return TORSOR_FILE;
}

static int column_now(const reader *r) {
  return (int)(r->at - r->line_start) + 1;
}

static torsor_status memory_short(const reader *r) {
  return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
}

/* Skips the delimiter that ends a field; false when there is none. */
static bool read_field_end(reader *r) {
  if (r->at == r->end) {
    r->after = AFTER_FILE;
    return true;
  }
  if (*r->at == ',') {
    r->at += 1;
    r->after = AFTER_COMMA;
    return true;
  }
  const bool crlf = *r->at == '\r' && r->at + 1 < r->end && r->at[1] == '\n';
  if (!crlf && *r->at != '\n') return false;
  r->at += crlf ? 2 : 1;
  r->line += 1;
  r->line_start = r->at;
  r->after = r->at == r->end ? AFTER_FILE : AFTER_ROW;
  return true;
}

static torsor_status read_quoted(reader *r) {
  r->at += 1;
  for (;; ++r->at) {
    if (r->at == r->end) {
      torsor_fail(r->error, TORSOR_FILE, "a quoted field is not closed");
      return locate(r, r->field_line, r->field_column);
    }
    if (*r->at == '"') {
      r->at += 1;
      if (r->at == r->end || *r->at != '"') break;
    }
    text_append_bytes(&r->field, r->at, 1);
    if (*r->at != '\n') continue;
    r->line += 1;
    r->line_start = r->at + 1;
  }
  if (read_field_end(r)) return TORSOR_OK;
  torsor_fail(r->error, TORSOR_FILE, "a comma or the end of the row must follow a quoted field");
  return locate(r, r->line, column_now(r));
}

static torsor_status read_field(reader *r) {
  r->field_line = r->line;
  r->field_column = column_now(r);
  r->field.length = 0;
  text_append_bytes(&r->field, "", 0);
  if (r->at < r->end && *r->at == '"') return read_quoted(r);
  while (!read_field_end(r)) {
    if (*r->at == '"') {
      torsor_fail(r->error, TORSOR_FILE, "a quote within a field that does not begin with one");
      return locate(r, r->line, column_now(r));
    }
    r->at += 1;
    text_append_bytes(&r->field, r->at - 1, 1);
  }
  return TORSOR_OK;
}

/* ---- the header --------------------------------------------------------------------------- */

static torsor_status add_name(torsor_table *table, int *capacity, const reader *r) {
  if (table->columns == *capacity) {
    const int more = *capacity ? 2 * *capacity : 32;
    char **name = realloc(table->name, (size_t)more * sizeof *name);
    if (!name) return memory_short(r);
    table->name = name;
    *capacity = more;
  }
  char *copy = strdup(r->field.data);
  if (!copy) return memory_short(r);
  table->name[table->columns++] = copy;
  return TORSOR_OK;
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static torsor_status check_names(const torsor_table *table, const reader *r) {
  if (strcmp(table->name[0], "t") != 0 && strcmp(table->name[0], "frequency_hz") != 0) {
    torsor_fail(r->error, TORSOR_FILE, "the first column is \"%s\"; it must be \"t\"",
                table->name[0]);
    torsor_hint(r->error, "the file begins with a header row: t,<signal>,<signal>,...");
    return locate(r, 1, 1);
  }
  const size_t count = (size_t)table->columns;
  char **sorted = malloc(count * sizeof *sorted);
  if (!sorted) return memory_short(r);
  memcpy(sorted, table->name, count * sizeof *sorted);
  qsort(sorted, count, sizeof *sorted, compare_names);
  torsor_status status = TORSOR_OK;
  for (size_t j = 1; j < count && status == TORSOR_OK; ++j) {
    if (strcmp(sorted[j - 1], sorted[j]) != 0) continue;
    torsor_fail(r->error, TORSOR_FILE, "two columns are called \"%s\"", sorted[j]);
    status = locate(r, 1, 1);
  }
  free(sorted);
  return status;
}

static torsor_status read_header(torsor_table *table, reader *r) {
  int capacity = 0;
  do {
    torsor_status status = read_field(r);
    if (status != TORSOR_OK) return status;
    if (r->field.failed) return memory_short(r);
    status = add_name(table, &capacity, r);
    if (status != TORSOR_OK) return status;
  } while (r->after == AFTER_COMMA);
  return check_names(table, r);
}

/* ---- the rows ----------------------------------------------------------------------------- */

/* A finite decimal number and nothing else. */
static bool parse_number(double *value, const reader *r) {
  const char *string = r->field.data;
  const size_t length = r->field.length;
  if (length == 0 || strspn(string, "0123456789+-.eE") != length) return false;
  char *end;
  *value = strtod_l(string, &end, r->c_locale);
  return end == string + length && isfinite(*value);
}

static torsor_status read_row(double *row, const torsor_table *table, reader *r) {
  int j = 0;
  do {
    const torsor_status status = read_field(r);
    if (status != TORSOR_OK) return status;
    if (r->field.failed) return memory_short(r);
    if (j == table->columns) {
      torsor_fail(r->error, TORSOR_FILE,
                  "the row has more fields than the %d columns of the header", table->columns);
      return locate(r, r->field_line, r->field_column);
    }
    if (!parse_number(&row[j], r)) {
      torsor_fail(r->error, TORSOR_FILE, "\"%.40s\" in column \"%s\" is not a finite number",
                  r->field.data, table->name[j]);
      return locate(r, r->field_line, r->field_column);
    }
    j += 1;
  } while (r->after == AFTER_COMMA);
  if (j == table->columns) return TORSOR_OK;
  torsor_fail(r->error, TORSOR_FILE, "the row has %d fields, the header %d", j, table->columns);
  torsor_hint(r->error, "run the scene again, if the file was cut off within this row");
  return locate(r, r->field_line, r->field_column);
}

static torsor_status read_rows(torsor_table *table, reader *r) {
  const size_t columns = (size_t)table->columns;
  size_t capacity = 0;
  while (r->after != AFTER_FILE) {
    if ((size_t)table->rows == capacity) {
      const size_t more = capacity ? 2 * capacity : 64;
      if (more > INT_MAX || more > SIZE_MAX / sizeof(double) / columns) return memory_short(r);
      double *value = realloc(table->value, more * columns * sizeof *value);
      if (!value) return memory_short(r);
      table->value = value;
      capacity = more;
    }
    const torsor_status status = read_row(table->value + (size_t)table->rows * columns, table, r);
    if (status != TORSOR_OK) return status;
    table->rows += 1;
  }
  return TORSOR_OK;
}

static torsor_status read_table(torsor_table *table, reader *r) {
  if (r->at == r->end) {
    torsor_fail(r->error, TORSOR_FILE, "the file is empty");
    return locate(r, 0, 0);
  }
  const torsor_status status = read_header(table, r);
  return status == TORSOR_OK ? read_rows(table, r) : status;
}

torsor_status torsor_csv_read(torsor_table *out, const char *file, torsor_error *error) {
  *out = (torsor_table){0};
  text content = {0};
  torsor_status status = file_read(&content, file, error);
  if (status == TORSOR_OK) {
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    const char *start = content.length ? content.data : "";
    reader r = {.at = start, .end = start + content.length, .line_start = start, .line = 1};
    if (content.length >= 3 && memcmp(start, byte_order_mark, 3) == 0) r.at += 3;
    r.file = file;
    r.error = error;
    r.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    status = r.c_locale ? read_table(out, &r) : memory_short(&r);
    if (r.c_locale) freelocale(r.c_locale);
    text_release(&r.field);
  }
  text_release(&content);
  if (status != TORSOR_OK) torsor_table_destroy(out);
  return status;
}
