/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/functions.h"

#include <gsl/gsl_interp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What one function needs.  Evaluation writes to *t and to the accelerator only. */
typedef struct function {
  struct function *next;
  double constant;
  double time, *t; /* the variable of the expressions */
  expression *value, *rate, *second;
  double *x, *y; /* [rows] of the table */
  size_t rows;
  gsl_interp *spline;
  gsl_interp_accel *accel;
} function;

struct function_list {
  function *last;
  int count;
  const char **name; /* [count] owned by the scene */
  torsor_function *named;
};

/* ---- evaluation ---------------------------------------------------------------------------- */

static void store(double *out, double value) {
  if (out) *out = value;
}

static double constant_eval(const void *self, double t, double *rate, double *second) {
  const function *f = self;
  (void)t;
  store(rate, 0);
  store(second, 0);
  return f->constant;
}

static double value_at(const function *f, const expression *e, double t) {
  *f->t = t;
  return expression_value(e);
}

/* Central differences of order 8.  For a time scale of 1 s the step of 2^-10 s, which t + k h keeps
 * exact, leaves truncation (h^8/630 and h^8/3150) below rounding: 1.5 eps/h = 3e-13 for the first
 * derivative and 7 eps/h^2 = 2e-9 for the second. */
#define DIFFERENCE_STEP 0x1p-10

static double difference(double *second, const function *f, const expression *e, double t,
                         double value) {
  static const double first_weight[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  static const double second_weight[] = {8.0 / 5, -1.0 / 5, 8.0 / 315, -1.0 / 560};
  double rate = 0, curvature = 0;
  for (int k = 0; k < 4; ++k) {
    const double ahead = value_at(f, e, t + (k + 1) * DIFFERENCE_STEP);
    const double behind = value_at(f, e, t - (k + 1) * DIFFERENCE_STEP);
    rate += first_weight[k] * (ahead - behind);
    curvature += second_weight[k] * ((ahead - value) + (behind - value));
  }
  store(second, curvature / (DIFFERENCE_STEP * DIFFERENCE_STEP));
  return rate / DIFFERENCE_STEP;
}

static double expression_eval(const void *self, double t, double *rate, double *second) {
  const function *f = self;
  const double value = value_at(f, f->value, t);
  if (f->rate) {
    const double first = value_at(f, f->rate, t);
    store(rate, first);
    if (second)
      *second = f->second ? value_at(f, f->second, t) : difference(NULL, f, f->rate, t, first);
  } else if (rate || second) {
    const double first = difference(second, f, f->value, t, value);
    store(rate, first);
  }
  return value;
}

static double table_eval(const void *self, double t, double *rate, double *second) {
  const function *f = self;
  const double first = f->x[0], last = f->x[f->rows - 1];
  if (t >= first && t <= last) {
    if (rate) *rate = gsl_interp_eval_deriv(f->spline, f->x, f->y, t, f->accel);
    if (second) *second = gsl_interp_eval_deriv2(f->spline, f->x, f->y, t, f->accel);
    return gsl_interp_eval(f->spline, f->x, f->y, t, f->accel);
  }
  const double nothing = isnan(t) ? t : 0;
  store(rate, nothing);
  store(second, nothing);
  return isnan(t) ? t : f->y[t < first ? 0 : f->rows - 1];
}

/* ---- reading ------------------------------------------------------------------------------- */

static torsor_status out_of_memory(const reader *r) {
  return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
}

static torsor_status read_expression(expression **out, const function *f, const reader *r,
                                     const json_node *node) {
  static const char *time = EXPRESSION_TIME;
  const expression_scope scope = {
      .count = 1, .name = &time, .value = f->t, .varies = true, .outer = r->scope};
  const char *words = NULL;
  char number[32];
  torsor_status status = TORSOR_OK;
  if (cJSON_IsNumber(node->item)) {
    snprintf(number, sizeof number, "%.17g", node->item->valuedouble);
    words = number;
  } else {
    status = reader_text(&words, r, node);
  }
  if (status) return status;
  if (r->error) r->error->path[0] = '\0';
  status = expression_compile(out, words, &scope, r->error);
  return status ? reader_locate(r, &node->path, status) : TORSOR_OK;
}

static torsor_status read_derivatives(function *f, const reader *r, const json_node *node) {
  static const char *const keys[] = {"value", "rate", "second"};
  const json_node value = json_member(node, "value"), rate = json_member(node, "rate");
  const json_node second = json_member(node, "second");
  torsor_status status = reader_object(r, node, "a function", keys, 3);
  if (!status) status = read_expression(&f->value, f, r, &value);
  if (!status && second.item && !rate.item)
    return reader_fail(r, &second, "add \"rate\"", "a second derivative without \"rate\"");
  if (!status && rate.item) status = read_expression(&f->rate, f, r, &rate);
  if (!status && second.item) status = read_expression(&f->second, f, r, &second);
  return status;
}

static torsor_status read_rows(function *f, const reader *r, const json_node *table) {
  const cJSON *item;
  cJSON_ArrayForEach(item, table->item) {
    const json_node row = json_item(table, item, (int)f->rows);
    double pair[2];
    const torsor_status status = reader_numbers(pair, 2, r, &row);
    if (status) return status;
    if (f->rows && !(pair[0] > f->x[f->rows - 1]))
      return reader_fail(r, &row, NULL,
                         "the times of a table must increase, but %.15g follows %.15g", pair[0],
                         f->x[f->rows - 1]);
    f->x[f->rows] = pair[0];
    f->y[f->rows++] = pair[1];
  }
  return TORSOR_OK;
}

static torsor_status read_table(function *f, const reader *r, const json_node *node) {
  static const char *const keys[] = {"table", "interpolation"};
  static const char *const words[] = {"cubic", "linear", "akima"};
  const gsl_interp_type *const types[] = {gsl_interp_cspline, gsl_interp_linear, gsl_interp_akima};
  static const size_t least[] = {3, 2, 5};
  const json_node table = json_member(node, "table");
  const json_node interpolation = json_member(node, "interpolation");
  int chosen = 0;
  torsor_status status = reader_object(r, node, "a table", keys, 2);
  if (!status) status = reader_array(r, &table, "a table");
  if (!status && interpolation.item) status = reader_word(&chosen, r, &interpolation, words, 3);
  if (status) return status;
  const size_t rows = (size_t)cJSON_GetArraySize(table.item);
  f->x = calloc(rows + 1, sizeof *f->x);
  f->y = calloc(rows + 1, sizeof *f->y);
  if (!f->x || !f->y) return out_of_memory(r);
  status = read_rows(f, r, &table);
  if (status) return status;
  if (rows < least[chosen])
    return reader_fail(r, &table, chosen == 1 ? NULL : "\"interpolation\": \"linear\" needs two",
                       "%s interpolation needs at least %zu rows, but has %zu", words[chosen],
                       least[chosen], rows);
  f->spline = gsl_interp_alloc(types[chosen], rows);
  f->accel = gsl_interp_accel_alloc();
  if (!f->spline || !f->accel) return out_of_memory(r);
  gsl_interp_init(f->spline, f->x, f->y, rows);
  return TORSOR_OK;
}

static torsor_status add_function(function **out, function_list *list, const reader *r) {
  function *f = calloc(1, sizeof *f);
  if (!f) return out_of_memory(r);
  f->t = &f->time;
  f->next = list->last;
  list->last = f;
  *out = f;
  return TORSOR_OK;
}

static torsor_status fail_kind(const reader *r, const json_node *node) {
  char shown[96];
  return reader_fail(
      r, node, "for example 3, \"sin(2*pi*t)\" or {\"table\": [[0, 0], [1, 2], [2, 0]]}",
      node->item ? "must be a function of t, but is %s" : "is %s: a function of t is needed",
      reader_show(node->item, shown));
}

/* A function that is no name of another. */
static torsor_status define(torsor_function *out, function_list *list, const reader *r,
                            const json_node *node) {
  const cJSON *item = node->item;
  const bool table = cJSON_IsObject(item) && json_member(node, "table").item;
  function *f = NULL;
  if (!cJSON_IsNumber(item) && !cJSON_IsString(item) && !cJSON_IsObject(item))
    return fail_kind(r, node);
  torsor_status status = add_function(&f, list, r);
  if (status) return status;
  *out = (torsor_function){table ? table_eval : expression_eval, f};
  if (cJSON_IsNumber(item)) {
    f->constant = item->valuedouble;
    out->eval = constant_eval;
    return TORSOR_OK;
  }
  if (cJSON_IsString(item)) return read_expression(&f->value, f, r, node);
  return table ? read_table(f, r, node) : read_derivatives(f, r, node);
}

torsor_status function_read(torsor_function *out, function_list *list, const reader *r,
                            const json_node *node) {
  const char *word = cJSON_IsString(node->item) ? node->item->valuestring : "";
  for (int i = 0; i < list->count; ++i)
    if (strcmp(list->name[i], word) == 0) {
      *out = list->named[i];
      return TORSOR_OK;
    }
  const char *near = expression_is_name(word) && strcmp(word, EXPRESSION_TIME) != 0 &&
                             !expression_reserved(word) && !expression_lookup(r->scope, word)
                         ? torsor_near_name(word, list->name, list->count)
                         : NULL;
  if (!near) return define(out, list, r, node);
  reader_fail(r, node, NULL, "there is no function \"%s\"", word);
  torsor_hint(r->error, "did you mean \"%s\"?", near);
  return TORSOR_SCENE;
}

static torsor_status check_name(const reader *r, const json_node *node) {
  const char *name = node->path.key;
  char shown[96];
  if (!expression_is_name(name))
    return reader_fail_key(r, node, "letters, digits and _, beginning with a letter",
                           "%s cannot be the name of a function", reader_show_text(name, shown));
  if (expression_reserved(name) || strcmp(name, EXPRESSION_TIME) == 0 ||
      expression_lookup(r->scope, name))
    return reader_fail_key(r, node, "choose another name",
                           "\"%s\" is taken: a parameter, or a word of expressions", name);
  return TORSOR_OK;
}

torsor_status functions_read(function_list **out, const reader *r, const json_node *object) {
  function_list *list = calloc(1, sizeof *list);
  *out = list;
  if (!list) return out_of_memory(r);
  if (!object->item) return TORSOR_OK;
  if (!cJSON_IsObject(object->item)) return reader_object(r, object, "the functions", NULL, 0);
  const size_t size = (size_t)cJSON_GetArraySize(object->item);
  list->name = calloc(size + 1, sizeof *list->name);
  list->named = calloc(size + 1, sizeof *list->named);
  if (!list->name || !list->named) return out_of_memory(r);
  const cJSON *item;
  cJSON_ArrayForEach(item, object->item) {
    if (reader_is_comment(item->string)) continue;
    const json_node node = {item, {&object->path, item->string, 0}};
    torsor_status status = check_name(r, &node);
    if (!status) status = define(&list->named[list->count], list, r, &node);
    if (status) return status;
    list->name[list->count++] = item->string;
  }
  return TORSOR_OK;
}

void functions_destroy(function_list *list) {
  if (!list) return;
  while (list->last) {
    function *f = list->last;
    list->last = f->next;
    expression_destroy(f->value);
    expression_destroy(f->rate);
    expression_destroy(f->second);
    gsl_interp_free(f->spline);
    gsl_interp_accel_free(f->accel);
    free(f->x);
    free(f->y);
    free(f);
  }
  free(list->name);
  free(list->named);
  free(list);
}
