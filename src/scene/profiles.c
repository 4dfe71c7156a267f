/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/functions_private.h"

/* Functions of the position s along a beam and of time. */

static double constant_at(const void *self, const torsor_now *now, double s) {
  const function *f = self;
  (void)s;
  (void)now;
  return f->constant;
}

static double expression_at(const void *self, const torsor_now *now, double s) {
  const function *f = self;
  double variable[f->variables];
  function_set(f, now, variable);
  variable[0] = s;
  variable[1] = now->t;
  return expression_value(f->value, variable);
}

static double table_at(const void *self, const torsor_now *now, double s) {
  (void)now;
  return function_table_at(self, s, NULL, NULL);
}

static torsor_status read_expression(torsor_profile *out, function_list *list, const reader *r,
                                     const json_node *node) {
  static const char *names[] = {"s", EXPRESSION_TIME};
  const torsor_function *named = NULL;
  function *f = NULL;
  torsor_status status = function_find(&named, list, r, node, names[0]);
  if (named) {
    *out = (torsor_profile){.eval = table_at, .self = named->self};
    if (named->eval == function_table_at_time) return TORSOR_OK;
    return reader_fail(r, node, "name a table of \"functions\", or write the expression here",
                       "\"%s\" is a function of t, not of s", node->item->valuestring);
  }
  if (!status) status = function_add(&f, list, r);
  if (!status) status = function_reserve(f, r, 2);
  if (status) return status;
  *out = (torsor_profile){expression_at, f, function_reads};
  return function_compile(&f->value, f, r, node, names);
}

torsor_status profile_read(torsor_profile *out, function_list *list, const reader *r,
                           const json_node *node) {
  const cJSON *item = node->item;
  function *f = NULL;
  char shown[96];
  if (cJSON_IsString(item)) return read_expression(out, list, r, node);
  if (!cJSON_IsNumber(item) && !cJSON_IsObject(item))
    return reader_fail(r, node, "for example \"1 - s\" or {\"table\": [[0, 1], [0.5, 2], [1, 0]]}",
                       "must be a function of s and t, but is %s", reader_show(item, shown));
  torsor_status status = function_add(&f, list, r);
  if (status) return status;
  *out = (torsor_profile){.eval = cJSON_IsNumber(item) ? constant_at : table_at, .self = f};
  if (cJSON_IsNumber(item)) return reader_number(&f->constant, r, node);
  return function_read_table(f, r, node, "values of s", FUNCTION_LINEAR);
}
