/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/function_grid.h"

#include <math.h>
#include <stdlib.h>

#include "scene/splines.h"

struct function_grid {
  gsl_interp2d *surface;
  size_t columns, rows;
  bool linear;
  double *x, *y, *z; /* [columns], [rows], [rows x columns] */
};

static torsor_status out_of_memory(const reader *r) {
  return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
}

bool function_grid_is(const json_node *node) {
  const json_node table = json_member(node, "table");
  const cJSON *row = cJSON_IsArray(table.item) ? table.item->child : NULL;
  return cJSON_IsArray(row) && cJSON_GetArraySize(row) == 3;
}

void function_grid_free(function_grid *grid) {
  if (!grid) return;
  gsl_interp2d_free(grid->surface);
  free(grid->x);
  free(grid->y);
  free(grid->z);
  free(grid);
}

/* ---- evaluation ------------------------------------------------------------------------------ */

/* Moves a value into the range of the grid; returns whether it was there. */
static bool hold(double *x, double first, double last) {
  const bool inside = !(*x < first) && !(*x > last);
  *x = *x < first ? first : *x > last ? last : *x;
  return inside;
}

double function_grid_at(const function_grid *grid, double x, double y, double *first,
                        double *second) {
  const function_grid *g = grid;
  const bool moves_x = hold(&x, g->x[0], g->x[g->columns - 1]);
  const bool moves_y = hold(&y, g->y[0], g->y[g->rows - 1]);
  const gsl_interp2d *s = g->surface;
  if (isnan(x) || isnan(y)) return (double)NAN;
  if (first) {
    first[0] = moves_x ? gsl_interp2d_eval_deriv_x(s, g->x, g->y, g->z, x, y, NULL, NULL) : 0;
    first[1] = moves_y ? gsl_interp2d_eval_deriv_y(s, g->x, g->y, g->z, x, y, NULL, NULL) : 0;
  }
  if (second) {
    second[0] = moves_x ? gsl_interp2d_eval_deriv_xx(s, g->x, g->y, g->z, x, y, NULL, NULL) : 0;
    second[1] =
        moves_x && moves_y ? gsl_interp2d_eval_deriv_xy(s, g->x, g->y, g->z, x, y, NULL, NULL) : 0;
    second[2] = moves_y ? gsl_interp2d_eval_deriv_yy(s, g->x, g->y, g->z, x, y, NULL, NULL) : 0;
  }
  return gsl_interp2d_eval(s, g->x, g->y, g->z, x, y, NULL, NULL);
}

/* A number that changes its sign at the first and the last line, and at all between them where
 * `every`. */
static double line_kink(const double *line, size_t count, double x, bool every) {
  const double pi = 3.14159265358979323846;
  const double first = line[0], last = line[count - 1];
  if (!every) return (x - first) * (last - x);
  if (x <= first) return x - first;
  if (x >= last) return (count % 2 ? 1 : -1) * (x - last);
  const size_t at = gsl_interp_bsearch(line, x, 0, count - 1);
  return (at % 2 ? -1 : 1) * sin(pi * (x - line[at]) / (line[at + 1] - line[at]));
}

double function_grid_kink(const function_grid *grid, double x, double y) {
  return line_kink(grid->x, grid->columns, x, grid->linear) *
         line_kink(grid->y, grid->rows, y, grid->linear);
}

/* ---- reading --------------------------------------------------------------------------------- */

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Sorts values [*count] and keeps one of each. */
static void sort_values(double *value, size_t *count) {
  size_t kept = 0;
  qsort(value, *count, sizeof *value, compare);
  for (size_t i = 0; i < *count; ++i)
    if (!kept || value[i] > value[kept - 1]) value[kept++] = value[i];
  *count = kept;
}

static size_t find(const double *value, size_t count, double x) {
  const double *at = bsearch(&x, value, count, sizeof *value, compare);
  return (size_t)(at - value);
}

/* Puts the rows [count] of three numbers at their crossings. */
static torsor_status place_rows(function_grid *g, const double *row, size_t count, const reader *r,
                                const json_node *table) {
  const size_t crossings = g->columns * g->rows;
  if (crossings > 4 * count + 4 || !(g->z = malloc(crossings * sizeof *g->z)))
    return crossings > 4 * count + 4
               ? reader_fail(r, table, "every x needs a row for every y",
                             "has %zu rows for %zu values of x and %zu of y, whose grid has %zu "
                             "crossings",
                             count, g->columns, g->rows, crossings)
               : out_of_memory(r);
  for (size_t k = 0; k < crossings; ++k) g->z[k] = (double)NAN;
  const cJSON *item = table->item->child;
  for (size_t k = 0; k < count; ++k, item = item->next) {
    const size_t i = find(g->x, g->columns, row[3 * k]), j = find(g->y, g->rows, row[3 * k + 1]);
    double *z = &g->z[j * g->columns + i];
    const json_node node = json_item(table, item, (int)k);
    if (!isnan(*z))
      return reader_fail(r, &node, NULL, "the table has two rows for x = %.15g, y = %.15g",
                         row[3 * k], row[3 * k + 1]);
    *z = row[3 * k + 2];
  }
  for (size_t k = 0; k < crossings; ++k)
    if (isnan(g->z[k]))
      return reader_fail(r, table, "every x needs a row for every y",
                         "the table has no row for x = %.15g, y = %.15g", g->x[k % g->columns],
                         g->y[k / g->columns]);
  return TORSOR_OK;
}

static torsor_status make_surface(function_grid *g, bool linear, const reader *r,
                                  const json_node *table) {
  const gsl_interp2d_type *type = linear ? gsl_interp2d_bilinear : gsl_interp2d_bicubic;
  const size_t least = gsl_interp2d_type_min_size(type);
  if (g->columns < least || g->rows < least)
    return reader_fail(r, table, linear ? NULL : "\"interpolation\": \"linear\" needs two of each",
                       "%s interpolation needs at least %zu values of x and of y, but has %zu and "
                       "%zu",
                       linear ? "linear" : "cubic", least, g->columns, g->rows);
  g->linear = linear;
  g->surface = spline_alloc_surface(type, g->columns, g->rows);
  if (!g->surface) return out_of_memory(r);
  return gsl_interp2d_init(g->surface, g->x, g->y, g->z, g->columns, g->rows) ? out_of_memory(r)
                                                                              : TORSOR_OK;
}

static torsor_status read_rows(double *row, const reader *r, const json_node *table) {
  const cJSON *item = table->item->child;
  torsor_status status = TORSOR_OK;
  for (int k = 0; item && !status; ++k, item = item->next) {
    const json_node node = json_item(table, item, k);
    status = reader_numbers(row + 3 * k, 3, r, &node);
  }
  return status;
}

torsor_status function_grid_read(function_grid **out, const reader *r, const json_node *node) {
  static const char *const keys[] = {"table", "interpolation"};
  static const char *const words[] = {"cubic", "linear"};
  const json_node table = json_member(node, "table");
  const json_node given = json_member(node, "interpolation");
  int chosen = 0;
  torsor_status status = reader_object(r, node, "a table of x, y and z", keys, 2);
  if (!status && given.item) status = reader_word(&chosen, r, &given, words, 2);
  if (status) return status;
  const size_t count = (size_t)cJSON_GetArraySize(table.item);
  function_grid *g = calloc(1, sizeof *g);
  double *row = calloc(count, 3 * sizeof *row);
  *out = g;
  if (g) *g = (function_grid){.x = malloc(count * sizeof *g->x), .y = malloc(count * sizeof *g->y)};
  status = g && row && g->x && g->y ? read_rows(row, r, &table) : out_of_memory(r);
  if (!status) {
    for (size_t k = 0; k < count; ++k) {
      g->x[k] = row[3 * k];
      g->y[k] = row[3 * k + 1];
    }
    g->columns = g->rows = count;
    sort_values(g->x, &g->columns);
    sort_values(g->y, &g->rows);
    status = place_rows(g, row, count, r, &table);
  }
  if (!status) status = make_surface(g, chosen == 1, r, &table);
  free(row);
  return status;
}
