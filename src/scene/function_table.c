/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/functions_private.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/text.h"
#include "scene/splines.h"

static void store(double *out, double value) {
  if (out) *out = value;
}

/* The time `t`, or the end of the table from which it differs by rounding errors only.  A table
 * whose last row is at the end of a run would else have the rate of its last row there, or none, as
 * the last bit of the time falls.  A time that is the product or sum of a few numbers is off by a
 * few parts of DBL_EPSILON. */
static double without_rounding(const function *f, double t) {
  const double first = f->x[0], last = f->x[f->rows - 1];
  const double near = 8 * DBL_EPSILON * fmax(fabs(first), fabs(last));
  if (t < first && first - t <= near) return first;
  return t > last && t - last <= near ? last : t;
}

double function_table_at(const function *f, double t, double *rate, double *second) {
  const double first = f->x[0], last = f->x[f->rows - 1];
  t = without_rounding(f, t);
  if (t >= first && t <= last) {
    if (rate) *rate = gsl_interp_eval_deriv(f->spline, f->x, f->y, t, NULL);
    if (second) *second = gsl_interp_eval_deriv2(f->spline, f->x, f->y, t, NULL);
    return gsl_interp_eval(f->spline, f->x, f->y, t, NULL);
  }
  const double nothing = isnan(t) ? t : 0;
  store(rate, nothing);
  store(second, nothing);
  return isnan(t) ? t : f->y[t < first ? 0 : f->rows - 1];
}

double function_table_at_time(const void *self, const torsor_now *now, double *rate,
                              double *second) {
  return function_table_at(self, now->t, rate, second);
}

/* Changes of the slope below this fraction of the largest one count as rounding of values typed
 * with six digits. */
#define ROUNDING 1e-6

/* Slope from row i - 1 to row i of a linearly interpolated table; 0 outside, where it is
 * constant. */
static double slope_before(const function *f, size_t i) {
  return i == 0 || i == f->rows ? 0 : (f->y[i] - f->y[i - 1]) / (f->x[i] - f->x[i - 1]);
}

/* Change of the rate at row i. */
static double change_at(const function *f, size_t i) {
  if (i == 0) return f->end_slope[0];
  if (i + 1 == f->rows) return -f->end_slope[1];
  return f->straight ? slope_before(f, i + 1) - slope_before(f, i) : 0;
}

static double find_steepest(const function *f) {
  double most = fmax(fabs(f->end_slope[0]), fabs(f->end_slope[1]));
  for (size_t i = 1; i < f->rows; ++i) most = fmax(most, fabs(slope_before(f, i)));
  return most;
}

/* The first row after a time. */
static size_t row_after(const function *f, double after) {
  size_t low = 0, high = f->rows;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (f->x[middle] > after)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

double function_table_kink(const function *f, double x) {
  const double pi = 3.14159265358979323846;
  const double first = f->x[0], last = f->x[f->rows - 1];
  const size_t after = row_after(f, x), intervals = f->rows - 1;
  if (!f->straight) return (x - first) * (last - x);
  if (x <= first) return x - first;
  if (x >= last) return (intervals % 2 ? -1 : 1) * (x - last);
  const double from = f->x[after - 1], to = f->x[after];
  return (after % 2 ? 1 : -1) * sin(pi * (x - from) / (to - from));
}

bool function_table_jump(const void *self, double after, torsor_jump *out) {
  const function *f = self;
  for (size_t i = row_after(f, after); i < f->rows; ++i) {
    const double change = change_at(f, i);
    if (!(fabs(change) > ROUNDING * f->steepest)) continue;
    const bool end = i == 0 || i + 1 == f->rows;
    *out = (torsor_jump){.t = f->x[i],
                         .change = change,
                         .what = i == 0 ? "where the table begins with a slope"
                                 : end  ? "where the table ends with a slope"
                                        : "at a row of a table that is straight between its rows",
                         .place = f->place ? f->place : "",
                         .advice =
                             end ? "add rows beyond the times of the run, or let it begin and end "
                                   "with two rows of the same "
                                   "value and \"interpolation\": \"monotone\""
                                 : "\"interpolation\": \"cubic\" or \"monotone\" is smooth there"};
    return true;
  }
  return false;
}

/* Integral of the table from its first row to x within it. */
static double integral_within(const function *f, double x) {
  return gsl_interp_eval_integ(f->spline, f->x, f->y, f->x[0], x, NULL);
}

static double straight_at(const function *f, double x, double *slope, double *integral) {
  const double first = f->x[0], last = f->x[f->rows - 1];
  if (x >= first && x <= last) {
    if (slope) *slope = gsl_interp_eval_deriv(f->spline, f->x, f->y, x, NULL);
    if (integral) *integral = integral_within(f, x) - f->origin;
    return gsl_interp_eval(f->spline, f->x, f->y, x, NULL);
  }
  const bool above = x > last;
  const double steep = f->end_slope[above], y = f->y[above ? f->rows - 1 : 0];
  const double d = x - (above ? last : first);
  store(slope, steep);
  if (integral)
    *integral = (above ? integral_within(f, last) : 0) + d * (y + steep * d / 2) - f->origin;
  return y + steep * d;
}

double function_table_straight(const void *self, const torsor_now *now, double x, double *slope,
                               double *integral) {
  const function *f = self;
  (void)now;
  return straight_at(f, x, slope, integral);
}

static torsor_status read_rows(function *f, const reader *r, const json_node *table,
                               const char *what) {
  const cJSON *item;
  cJSON_ArrayForEach(item, table->item) {
    const json_node row = json_item(table, item, (int)f->rows);
    double pair[2];
    const torsor_status status = reader_numbers(pair, 2, r, &row);
    if (status) return status;
    if (f->rows && !(pair[0] > f->x[f->rows - 1]))
      return reader_fail(r, &row, NULL, "the %s of a table must increase, but %.15g follows %.15g",
                         what, pair[0], f->x[f->rows - 1]);
    f->x[f->rows] = pair[0];
    f->y[f->rows++] = pair[1];
  }
  return TORSOR_OK;
}

static torsor_status make_spline(function *f, const reader *r, const gsl_interp_type *type) {
  f->spline = spline_alloc(type, f->rows);
  if (!f->spline) return function_out_of_memory(r);
  gsl_interp_init(f->spline, f->x, f->y, f->rows);
  for (int end = 0; end < 2; ++end)
    f->end_slope[end] =
        gsl_interp_eval_deriv(f->spline, f->x, f->y, f->x[end ? f->rows - 1 : 0], NULL);
  double integral;
  function_table_straight(f, NULL, 0, NULL, &integral);
  f->origin = integral;
  return TORSOR_OK;
}

/* "scene.json:12:5: functions.road", in a scene without a file "functions.road" */
static torsor_status keep_place(function *f, const reader *r, const json_node *node) {
  torsor_error found = {0};
  reader at = *r;
  text words = {0};
  at.error = &found;
  reader_locate(&at, &node->path, TORSOR_SCENE);
  if (found.file[0]) text_printf(&words, "%s:%d:%d: ", found.file, found.line, found.column);
  text_append(&words, found.path);
  f->place = text_take(&words);
  return f->place ? TORSOR_OK : function_out_of_memory(r);
}

torsor_status function_read_table(function *f, const reader *r, const json_node *node,
                                  const char *what, int interpolation) {
  static const char *const keys[] = {"table", "interpolation"};
  static const char *const words[] = {"cubic", "linear", "akima", "monotone"};
  const gsl_interp_type *const types[] = {gsl_interp_cspline, gsl_interp_linear, gsl_interp_akima,
                                          gsl_interp_steffen};
  static const size_t least[] = {3, 2, 5, 3};
  const json_node table = json_member(node, "table");
  const json_node given = json_member(node, "interpolation");
  torsor_status status = reader_object(r, node, "a table", keys, 2);
  if (!status) status = reader_array(r, &table, "a table");
  if (!status && given.item) status = reader_word(&interpolation, r, &given, words, 4);
  if (status) return status;
  const size_t rows = (size_t)cJSON_GetArraySize(table.item);
  f->x = calloc(rows + 1, sizeof *f->x);
  f->y = calloc(rows + 1, sizeof *f->y);
  if (!f->x || !f->y) return function_out_of_memory(r);
  status = read_rows(f, r, &table, what);
  if (status) return status;
  if (rows < least[interpolation]) {
    /* "interpolation" may be set behind the table */
    if (rows >= least[FUNCTION_LINEAR] && !given.item && reader_postpones(r)) return TORSOR_SCENE;
    return reader_fail(r, &table,
                       interpolation == FUNCTION_LINEAR ? NULL
                                                        : "\"interpolation\": \"linear\" needs two",
                       "%s interpolation needs at least %zu rows, but has %zu",
                       words[interpolation], least[interpolation], rows);
  }
  f->straight = interpolation == FUNCTION_LINEAR;
  status = make_spline(f, r, types[interpolation]);
  f->steepest = find_steepest(f);
  return status ? status : keep_place(f, r, node);
}
