/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/callbacks.h"
#include "scene/function_grid.h"
#include "scene/function_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- evaluation ---------------------------------------------------------------------------- */

static void store(double *out, double value) {
  if (out) *out = value;
}

static double constant_eval(const void *self, const torsor_now *now, double *rate, double *second) {
  const function *f = self;
  (void)now;
  store(rate, 0);
  store(second, 0);
  return f->constant;
}

void function_set(const function *f, const torsor_now *now, double *variable) {
  const double *start = f->list->inputs->value;
  for (int k = 0; k < f->uses; ++k) {
    const int i = f->used[k];
    variable[f->own + i] = now->input ? now->input[3 * i] : start[i];
  }
  if (f->uses_load) variable[f->variables - 1] = now->load;
}

bool function_reads(const void *self, int input) {
  const function *f = self;
  for (int k = 0; k < f->uses; ++k)
    if (f->used[k] == input) return true;
  return false;
}

/* Total derivatives by time, including those through the rates of inputs. */
static jet slope_of(const function *f, const torsor_now *now, const double *variable) {
  if (!f->uses || !now->input) return expression_derivatives(f->value, variable, 0);
  double rate[f->variables], second[f->variables];
  memset(rate, 0, sizeof rate);
  memset(second, 0, sizeof second);
  rate[0] = 1;
  for (int k = 0; k < f->uses; ++k) {
    const int i = f->used[k];
    rate[f->own + i] = now->input[3 * i + 1];
    second[f->own + i] = now->input[3 * i + 2];
  }
  return expression_rates(f->value, variable, rate, second);
}

/* Derivatives that are not given are those of the expression before them. */
static double expression_eval(const void *self, const torsor_now *now, double *rate,
                              double *second) {
  const function *f = self;
  double variable[f->variables];
  function_set(f, now, variable);
  *variable = now->t;
  const double value = expression_value(f->value, variable);
  if (f->rate) {
    if (rate) *rate = expression_value(f->rate, variable);
    if (second)
      *second = f->second ? expression_value(f->second, variable)
                          : expression_derivatives(f->rate, variable, 0).first;
  } else if (rate || second) {
    const jet slope = slope_of(f, now, variable);
    store(rate, slope.first);
    store(second, slope.second);
  }
  return value;
}

/* ---- reading ------------------------------------------------------------------------------- */

torsor_status function_reserve(function *f, const reader *r, int own) {
  function_list *list = f->list;
  const int inputs = list->inputs->count;
  f->own = own;
  f->variables = own + inputs + 1;
  f->used = calloc((size_t)inputs + 1, sizeof *f->used);
  if (!f->used) return function_out_of_memory(r);
  if (f->variables <= list->words) return TORSOR_OK;
  const char **word = realloc(list->word, (size_t)f->variables * sizeof *word);
  if (!word) return function_out_of_memory(r);
  list->word = word;
  list->words = f->variables;
  return TORSOR_OK;
}

/* Records which inputs an expression uses, and whether it uses the load. */
static void note_uses(function *f, const expression *e) {
  for (int i = 0; i < f->list->inputs->count; ++i)
    if (!function_reads(f, i) && expression_uses(e, f->own + i)) f->used[f->uses++] = i;
  if (expression_uses(e, f->variables - 1)) f->uses_load = f->list->follows = true;
}

/* Scope of the expressions of a function: its own variables, inputs and the load; parameters of the
 * same names hide the latter two. */
static expression_scope scope_of(const function *f, const reader *r, const char **name) {
  const scene_inputs *inputs = f->list->inputs;
  const char **word = f->list->word;
  for (int i = 0; i < f->own; ++i) word[i] = name[i];
  for (int i = 0; i <= inputs->count; ++i) {
    const char *other = i < inputs->count ? inputs->name[i] : EXPRESSION_LOAD;
    word[f->own + i] = expression_lookup(r->scope, other) ? "" : other;
  }
  return (expression_scope){.count = f->variables,
                            .name = word,
                            .varies = true,
                            .own = f->own,
                            .functions = &f->list->called,
                            .outer = r->scope};
}

torsor_status function_compile_text(expression **out, function *f, const reader *r,
                                    const json_node *node, const char *words, const char **name) {
  if (reader_postpones(r)) return TORSOR_SCENE;
  const expression_scope scope = scope_of(f, r, name);
  if (r->error) r->error->path[0] = '\0';
  const torsor_status status = expression_compile(out, words, &scope, r->error);
  if (status) return reader_locate(r, &node->path, status);
  note_uses(f, *out);
  return TORSOR_OK;
}

torsor_status function_compile(expression **out, function *f, const reader *r,
                               const json_node *node, const char **name) {
  const char *words = NULL;
  char number[32];
  torsor_status status = TORSOR_OK;
  if (cJSON_IsNumber(node->item)) {
    snprintf(number, sizeof number, "%.17g", node->item->valuedouble);
    words = number;
  } else {
    status = reader_text(&words, r, node);
  }
  return status ? status : function_compile_text(out, f, r, node, words, name);
}

static torsor_status read_derivatives(function *f, const reader *r, const json_node *node) {
  static const char *const keys[] = {"value", "rate", "second"};
  const json_node value = json_member(node, "value"), rate = json_member(node, "rate");
  const json_node second = json_member(node, "second");
  const char *time = EXPRESSION_TIME;
  torsor_status status = reader_object(r, node, "a function", keys, 3);
  if (!status) status = function_compile(&f->value, f, r, &value, &time);
  if (!status && second.item && !rate.item)
    return reader_fail(r, &second, "add \"rate\"", "a second derivative without \"rate\"");
  if (!status && rate.item) status = function_compile(&f->rate, f, r, &rate, &time);
  if (!status && rate.item && f->uses)
    return reader_fail(r, &rate, "leave it out: derivatives are exact without it",
                       "the scene cannot give the rate of a function of inputs");
  if (!status && second.item) status = function_compile(&f->second, f, r, &second, &time);
  return status;
}

function *function_new(function_list *list) {
  function *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->list = list;
  f->kink = -1;
  f->next = list->last;
  list->last = f;
  return f;
}

torsor_callback *function_callback(function *f) {
  f->sample = calloc(1, sizeof *f->sample);
  return f->sample;
}

torsor_status function_add(function **out, function_list *list, const reader *r) {
  *out = function_new(list);
  return *out ? TORSOR_OK : function_out_of_memory(r);
}

static torsor_status fail_kind(const reader *r, const json_node *node) {
  char shown[96];
  return reader_fail(
      r, node, "for example 3, \"sin(2*pi*t)\" or {\"table\": [[0, 0], [1, 2], [2, 0]]}",
      node->item ? "must be a function of t, but is %s" : "is %s: a function of t is needed",
      reader_show(node->item, shown));
}

static double called_eval(const void *self, const torsor_now *now, double *rate, double *second) {
  const torsor_callback *c = ((const function *)self)->callback;
  return ((torsor_call_function)c->call)(c->data, now, rate, second);
}

torsor_status function_read_callback(function *f, const char *signature, const reader *r,
                                     const json_node *node) {
  static const char *const keys[] = {"callback"};
  const json_node name = json_member(node, "callback");
  torsor_status status = reader_object(r, node, "a callback", keys, 1);
  if (!status) status = callback_read(&f->callback, f->list->registry, signature, r, &name);
  f->list->one_thread |= !status && !f->callback->threads;
  return status;
}

torsor_status function_define(torsor_function *out, function_list *list, const reader *r,
                              const json_node *node) {
  const cJSON *item = node->item;
  const bool table = cJSON_IsObject(item) && json_member(node, "table").item;
  function *f = NULL;
  if (!cJSON_IsNumber(item) && !cJSON_IsString(item) && !cJSON_IsObject(item))
    return fail_kind(r, node);
  torsor_status status = function_add(&f, list, r);
  if (status) return status;
  *out = (torsor_function){.eval = table ? function_table_at_time : expression_eval,
                           .self = f,
                           .jump = table ? function_table_jump : NULL};
  if (json_member(node, "callback").item) {
    *out = (torsor_function){.eval = called_eval, .self = f};
    return function_read_callback(f, "function", r, node);
  }
  if (cJSON_IsNumber(item)) {
    f->constant = item->valuedouble;
    out->eval = constant_eval;
    return TORSOR_OK;
  }
  const char *time = EXPRESSION_TIME;
  out->reads = table ? NULL : function_reads;
  if (!table) status = function_reserve(f, r, 1);
  if (status) return status;
  if (cJSON_IsString(item)) return function_compile(&f->value, f, r, node, &time);
  return table ? function_read_table(f, r, node, "times", FUNCTION_CUBIC)
               : read_derivatives(f, r, node);
}

bool functions_want_one_thread(const function_list *list) {
  return list->one_thread;
}

bool functions_follow_load(const function_list *list) {
  return list->follows;
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
    if (f->rule) gsl_integration_glfixed_table_free(f->rule);
    free(f->used);
    free(f->place);
    free(f->knot);
    free(f->section);
    free(f->point);
    free(f->frame);
    free(f->layer);
    free(f->name);
    free(f->station);
    free(f->input);
    free(f->argument);
    free(f->word);
    free(f->sample);
    function_grid_free(f->grid);
    free(f->x);
    free(f->y);
    free(f);
  }
  free(list->called.item);
  free(list->word);
  free(list->name);
  free(list->named);
  free(list);
}
