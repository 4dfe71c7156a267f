/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/functions_private.h"

#include <math.h>
#include <stdio.h>

/* Gauss-Legendre: exact for polynomials up to degree 63. */
enum { POINTS = 32 };

/* Integrand: the function's own variable, the first one, runs through the interval. */
static double integrate(const function *f, double *variable, double x) {
  double sum = 0;
  for (size_t i = 0; i < POINTS; ++i) {
    double weight;
    gsl_integration_glfixed_point(0, x, i, variable, &weight, f->rule);
    sum += weight * expression_value(f->value, variable);
  }
  return sum;
}

/* Integral from 0 to x: the value of a given integral at 0 is subtracted, as it may depend on
 * inputs. */
static double given_integral(const function *f, double *variable) {
  const double there = expression_value(f->second, variable);
  if (!function_depends(f)) return there - f->origin;
  *variable = 0;
  return there - expression_value(f->second, variable);
}

static double expression_at(const void *self, const torsor_now *now, double x, double *slope,
                            double *integral) {
  const function *f = self;
  double variable[f->variables];
  function_set(f, now, variable);
  *variable = x;
  const double value = expression_value(f->value, variable);
  if (slope)
    *slope = f->rate ? expression_value(f->rate, variable)
                     : expression_derivatives(f->value, variable, 0).first;
  if (integral) *integral = f->second ? given_integral(f, variable) : integrate(f, variable, x);
  return value;
}

static torsor_status read_expressions(function *f, const reader *r, const json_node *node,
                                      const char *variable) {
  static const char *const keys[] = {"value", "slope", "integral"};
  const json_node value = json_member(node, "value"), slope = json_member(node, "slope");
  const json_node integral = json_member(node, "integral");
  torsor_status status = reader_object(r, node, "a characteristic", keys, 3);
  if (!status) status = function_compile(&f->value, f, r, &value, &variable);
  if (!status && slope.item) status = function_compile(&f->rate, f, r, &slope, &variable);
  if (!status && integral.item) status = function_compile(&f->second, f, r, &integral, &variable);
  return status;
}

/* Fails for expressions that are not finite at 0. */
static torsor_status finish(function *f, const reader *r, const json_node *node,
                            const char *variable) {
  f->rule = gsl_integration_glfixed_table_alloc(POINTS);
  if (!f->rule) return function_out_of_memory(r);
  double slope, integral;
  const double value = expression_at(f, &(torsor_now){0}, 0, &slope, &integral);
  if (!isfinite(value) || !isfinite(integral))
    return reader_fail(r, node, "it is needed on both sides of 0",
                       "the characteristic is not finite at %s = 0", variable);
  if (f->second) f->origin = integral;
  return TORSOR_OK;
}

static double called_at(const void *self, const torsor_now *now, double x, double *slope,
                        double *integral) {
  const torsor_callback *c = ((const function *)self)->callback;
  return ((torsor_call_characteristic)c->call)(c->data, now, x, slope, integral);
}

static torsor_status fail_kind(const reader *r, const json_node *node, const char *variable) {
  char shown[96], example[96];
  snprintf(example, sizeof example,
           "for example \"200*%s^3\" or {\"table\": [[-1, -50], [0, 0], [1, 80]]}", variable);
  return reader_fail(r, node, example, "must be a characteristic, a function of %s, but is %s",
                     variable, reader_show(node->item, shown));
}

torsor_status characteristic_read(torsor_characteristic *out, function_list *list,
                                  const char *variable, const reader *r, const json_node *node) {
  const bool word = cJSON_IsString(node->item);
  const bool table = !word && json_member(node, "table").item;
  const torsor_function *named = NULL;
  function *f = NULL;
  if (!word && !cJSON_IsObject(node->item)) return fail_kind(r, node, variable);
  torsor_status status = word ? function_find(&named, list, r, node, variable) : TORSOR_OK;
  if (named) {
    *out = (torsor_characteristic){.eval = function_table_straight, .self = named->self};
    if (named->eval == function_table_at_time) return TORSOR_OK;
    return reader_fail(r, node, "name a table of \"functions\", or write the expression here",
                       "\"%s\" is a function of t, not of %s", node->item->valuestring, variable);
  }
  if (!status) status = function_add(&f, list, r);
  if (!status) status = function_reserve(f, r, 1);
  if (status) return status;
  if (!word && json_member(node, "callback").item) {
    *out = (torsor_characteristic){.eval = called_at, .self = f};
    return function_read_callback(f, "characteristic", r, node);
  }
  *out = (torsor_characteristic){table ? function_table_straight : expression_at, f,
                                 table ? NULL : function_reads};
  if (table) {
    char what[80];
    snprintf(what, sizeof what, "values of %s", variable);
    return function_read_table(f, r, node, what, FUNCTION_MONOTONE);
  }
  status = word ? function_compile(&f->value, f, r, node, &variable)
                : read_expressions(f, r, node, variable);
  return status ? status : finish(f, r, node, variable);
}
