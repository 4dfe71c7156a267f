/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/table_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "scene/json_make.h"
#include "scene/source.h"
#include "scene/unit_names.h"

/* Most columns of a file, and of a table. */
enum { COLUMNS = 256, USED = 3 };

typedef struct csv {
  const char *file;
  char *at; /* where it reads */
  int line;
  char separator;
  char *field[COLUMNS]; /* [fields] of the line that was read last */
  int fields;
  torsor_error *error;
} csv;

static torsor_status fail_line(const csv *c, const char *hint, const char *format, ...)
    TORSOR_PRINTF(3, 4);

static torsor_status fail_line(const csv *c, const char *hint, const char *format, ...) {
  char message[300];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  torsor_fail(c->error, TORSOR_SCENE, "%s", message);
  if (hint) torsor_hint(c->error, "%s", hint);
  if (c->error) {
    snprintf(c->error->file, sizeof c->error->file, "%s", c->file);
    c->error->line = c->line;
    c->error->column = 1;
  }
  return TORSOR_SCENE;
}

/* ---- lines and fields ------------------------------------------------------------------------ */

/* The next line that is neither empty nor a comment, its end cut off; NULL at the end. */
static char *next_line(csv *c) {
  while (*c->at) {
    char *line = c->at;
    c->at += strcspn(line, "\n");
    if (*c->at) *c->at++ = '\0';
    line[strcspn(line, "\r")] = '\0';
    ++c->line;
    if (line[0] != '#' && line[strspn(line, " \t")]) return line;
  }
  return NULL;
}

/* `text` without blanks and quotes around it. */
static char *trim(char *text) {
  text += strspn(text, " \t");
  size_t length = strlen(text);
  while (length && (text[length - 1] == ' ' || text[length - 1] == '\t')) text[--length] = '\0';
  if (length < 2 || text[0] != '"' || text[length - 1] != '"') return text;
  text[length - 1] = '\0';
  return text + 1;
}

static torsor_status split(csv *c, char *line) {
  c->fields = 0;
  for (char *next = line; next;) {
    if (c->fields == COLUMNS) return fail_line(c, NULL, "has more than %d columns", COLUMNS);
    char *field = next;
    next = strchr(field, c->separator);
    if (next) *next++ = '\0';
    c->field[c->fields++] = trim(field);
  }
  return TORSOR_OK;
}

/* The separator of a file is the first of these that its first line has. */
static void find_separator(csv *c, const char *line) {
  c->separator = strchr(line, ';') ? ';' : strchr(line, '\t') ? '\t' : ',';
}

static bool read_number(double *out, const char *field) {
  const bool negative = *field == '-';
  const char *end = number_read(out, field + (negative || *field == '+'));
  if (!end || *end) return false;
  if (negative) *out = -*out;
  return true;
}

/* ---- columns --------------------------------------------------------------------------------- */

/* The columns of a table: which of the file, and from what unit. */
typedef struct selection {
  int count, column[USED];
  double factor[USED];
} selection;

/* Cuts the unit off a name such as "angle [deg]"; "" where it has none. */
static char *cut_unit(char *name) {
  char *open = strrchr(name, '['), *close = open ? strchr(open, ']') : NULL;
  if (!close) open = strrchr(name, '('), close = open ? strchr(open, ')') : NULL;
  if (!close || close[1]) return name + strlen(name);
  *open = *close = '\0';
  trim(name);
  return trim(open + 1);
}

static torsor_status find_factor(double *factor, const char *unit, const csv *c) {
  *factor = 1;
  if (!*unit || unit_factor(factor, unit)) return TORSOR_OK;
  return fail_line(c, "for example m, mm, deg, rad/s, rpm, kN, N/mm, N m, N s/m, kg m^2, 1",
                   "the unit \"%.40s\" of a column is not known", unit);
}

static torsor_status fail_column(const csv *c, const char *wanted) {
  char list[160] = "";
  size_t used = 0;
  for (int k = 0; k < c->fields && used + 64 < sizeof list; ++k)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s\"%.50s\"", k ? ", " : "",
                             c->field[k]);
  char hint[200];
  snprintf(hint, sizeof hint, "columns: %s", list);
  if (wanted) return fail_line(c, hint, "has no column \"%.60s\"", wanted);
  return fail_line(c, "\"columns\": [\"time\", \"force\"]",
                   "has %d columns: name two of them, or three for a function of two variables "
                   "(%.120s)",
                   c->fields, list);
}

/* Columns by the names in the first line, or the first ones where it is numbers. */
static torsor_status select_columns(selection *out, csv *c, bool named, const json_node *columns,
                                    const reader *r) {
  char *unit[COLUMNS];
  for (int k = 0; named && k < c->fields; ++k) unit[k] = cut_unit(c->field[k]);
  const int wanted = columns->item ? cJSON_GetArraySize(columns->item) : c->fields;
  if (!columns->item && (wanted < 2 || wanted > USED)) return fail_column(c, NULL);
  if (columns->item && !named)
    return fail_line(c, "a first line such as: time [s], force [N]",
                     "has no names of columns in its first line");
  if (wanted < 2 || wanted > USED)
    return reader_fail(r, columns, "[\"time\", \"force\"]",
                       "must name two columns, or three, but names %d", wanted);
  out->count = wanted;
  const cJSON *item = columns->item ? columns->item->child : NULL;
  for (int i = 0; i < wanted; ++i, item = item ? item->next : NULL) {
    int k = i;
    if (item) {
      const json_node name = json_item(columns, item, i);
      const char *word;
      const torsor_status status = reader_text(&word, r, &name);
      if (status) return status;
      for (k = 0; k < c->fields && strcmp(c->field[k], word) != 0;) ++k;
      if (k == c->fields) return fail_column(c, word);
    }
    out->column[i] = k;
    const torsor_status status = find_factor(&out->factor[i], named ? unit[k] : "", c);
    if (status) return status;
  }
  return TORSOR_OK;
}

/* Units of the scene take the place of those of the file. */
static torsor_status select_units(selection *out, const json_node *units, const reader *r) {
  if (!units->item) return TORSOR_OK;
  torsor_status status = reader_array(r, units, "the units of the columns");
  if (status) return status;
  if (cJSON_GetArraySize(units->item) != out->count)
    return reader_fail(r, units, NULL, "has %d units for %d columns",
                       cJSON_GetArraySize(units->item), out->count);
  const cJSON *item = units->item->child;
  for (int i = 0; i < out->count && !status; ++i, item = item->next) {
    const json_node node = json_item(units, item, i);
    const char *word = "";
    status = reader_text(&word, r, &node);
    if (!status && !unit_factor(&out->factor[i], word))
      return reader_fail(r, &node, "for example \"mm\", \"deg\", \"kN\", \"N/mm\", \"N m\", \"1\"",
                         "the unit \"%.40s\" is not known", word);
  }
  return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct rows {
  double *value; /* [count x columns] */
  int *line;     /* [count] of the file */
  size_t count, size;
} rows;

static bool reserve(rows *all, int columns) {
  if (all->count < all->size) return true;
  const size_t size = 2 * all->size + 64;
  double *value = realloc(all->value, size * (size_t)columns * sizeof *value);
  if (value) all->value = value;
  int *line = realloc(all->line, size * sizeof *line);
  if (line) all->line = line;
  if (value && line) all->size = size;
  return value && line;
}

static torsor_status read_row(rows *all, const selection *s, const csv *c) {
  if (!reserve(all, s->count)) return torsor_fail(c->error, TORSOR_MEMORY, "out of memory");
  double *value = all->value + all->count * (size_t)s->count;
  for (int i = 0; i < s->count; ++i) {
    const int k = s->column[i];
    if (k >= c->fields || !*c->field[k])
      return fail_line(c, "a table has a number in every row", "a row has no value in column %d",
                       k + 1);
    if (!read_number(&value[i], c->field[k]))
      return fail_line(c,
                       "numbers have a decimal point, and no unit; that of a column stands "
                       "behind its name: force [kN]",
                       "column %d is no number, but \"%.40s\"", k + 1, c->field[k]);
    value[i] *= s->factor[i];
  }
  all->line[all->count++] = c->line;
  return TORSOR_OK;
}

/* Of two columns the first one increases; of more, function_grid_read finds what is wrong. */
static torsor_status check_order(const rows *all, const selection *s, csv *c) {
  for (size_t i = 1; s->count == 2 && i < all->count; ++i) {
    const double before = all->value[2 * i - 2], here = all->value[2 * i];
    if (here > before) continue;
    c->line = all->line[i];
    if (here < before)
      return fail_line(c, "sort the rows by their first column",
                       "the first column must increase, but %.15g follows %.15g of line %d",
                       here / s->factor[0], before / s->factor[0], all->line[i - 1]);
    return fail_line(c, "leave one of the two out; a jump needs two values that differ by little",
                     "lines %d and %d both have %.15g in the first column", all->line[i - 1],
                     all->line[i], here / s->factor[0]);
  }
  return TORSOR_OK;
}

static torsor_status read_csv(rows *all, selection *s, csv *c, const reader *r,
                              const json_node *node) {
  const json_node columns = json_member(node, "columns"), units = json_member(node, "units");
  char *line = next_line(c);
  double first;
  if (!line) return fail_line(c, "rows of numbers with commas between them", "is empty");
  if (columns.item) {
    const torsor_status status = reader_array(r, &columns, "names of columns");
    if (status) return status;
  }
  find_separator(c, line);
  torsor_status status = split(c, line);
  const bool named = !status && !read_number(&first, c->field[0]);
  if (!status) status = select_columns(s, c, named, &columns, r);
  if (!status) status = select_units(s, &units, r);
  if (!status && !named) status = read_row(all, s, c);
  while (!status && (line = next_line(c))) {
    status = split(c, line);
    if (!status) status = read_row(all, s, c);
  }
  return status ? status : check_order(all, s, c);
}

/* ---- replacing names by rows ----------------------------------------------------------------- */

static torsor_status read_file(cJSON **out, scene_files *files, const reader *r,
                               const json_node *node, const char *name) {
  char path[320], *text = NULL;
  size_t length = 0;
  torsor_error found = {0};
  const json_node table = json_member(node, "table");
  const char *file = reader_file(r, &table.path), *slash = file ? strrchr(file, '/') : NULL;
  const int folder = slash && name[0] != '/' ? (int)(slash + 1 - file) : 0;
  if (snprintf(path, sizeof path, "%.*s%s", folder, file ? file : "", name) >= (int)sizeof path)
    return reader_fail(r, &table, NULL, "the name of the file is too long");
  torsor_status status = source_read(&text, &length, path, &found);
  if (!status && !scene_files_add(files, path)) {
    free(text);
    status = TORSOR_MEMORY;
  }
  if (status == TORSOR_MEMORY) return torsor_fail(r->error, status, "out of memory");
  if (status) return reader_fail(r, &table, found.hint, "\"%s\" %s", path, found.message);
  const size_t bom = strncmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
  csv c = {.file = path, .at = text + bom, .error = r->error};
  rows all = {0};
  selection s = {0};
  status = read_csv(&all, &s, &c, r, node);
  if (!status && !(*out = json_make_rows(all.value, (int)all.count, s.count)))
    status = torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
  free(all.value);
  free(all.line);
  free(text);
  return status;
}

static torsor_status inline_object(cJSON *object, scene_files *files, const reader *r,
                                   const json_node *node) {
  const json_node table = json_member(node, "table");
  cJSON *read = NULL;
  if (!cJSON_IsString(table.item)) {
    const char *const only[] = {"columns", "units"};
    for (int i = 0; cJSON_IsArray(table.item) && i < 2; ++i) {
      const json_node extra = json_member(node, only[i]);
      if (extra.item)
        return reader_fail_key(r, &extra, "\"table\": \"name.csv\"",
                               "\"%s\" belongs to a table from a file", only[i]);
    }
    return TORSOR_OK;
  }
  const torsor_status status = read_file(&read, files, r, node, table.item->valuestring);
  if (status) return status;
  if (!cJSON_ReplaceItemInObjectCaseSensitive(object, "table", read)) {
    cJSON_Delete(read);
    return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
  }
  cJSON_DeleteItemFromObjectCaseSensitive(object, "columns");
  cJSON_DeleteItemFromObjectCaseSensitive(object, "units");
  return TORSOR_OK;
}

static torsor_status inline_below(cJSON *item, scene_files *files, const reader *r,
                                  const json_node *node) {
  torsor_status status = TORSOR_OK;
  if (cJSON_IsObject(item)) status = inline_object(item, files, r, node);
  int i = 0;
  for (cJSON *child = item->child; child && !status; child = child->next, ++i) {
    if (!cJSON_IsObject(child) && !cJSON_IsArray(child)) continue;
    if (child->string && reader_is_comment(child->string)) continue;
    const json_node below = {child, {&node->path, child->string, i}};
    status = inline_below(child, files, r, &below);
  }
  return status;
}

torsor_status tables_inline(cJSON *root, scene_files *files, const reader *r) {
  static const char *const keys[] = {"functions", "bodies", "joints", "forces"};
  torsor_status status = TORSOR_OK;
  const json_node scene = json_root(root);
  for (size_t k = 0; k < sizeof keys / sizeof *keys && !status; ++k) {
    cJSON *item = cJSON_GetObjectItemCaseSensitive(root, keys[k]);
    const json_node node = json_member(&scene, keys[k]);
    if (item) status = inline_below(item, files, r, &node);
  }
  return status;
}
