/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/callbacks.h"
#include "scene/functions_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct function_list {
  function *last;
  const scene_inputs *inputs;
  const torsor_registry *registry;
  bool one_thread;   /* a callback is not to be called by two threads at once */
  const char **word; /* [OWN + inputs + 1] of the scope of one function */
  bool follows;      /* an expression uses the load */
  int count;
  const char **name; /* [count] owned by the scene */
  torsor_function *named;
};

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

void function_set(const function *f, const torsor_now *now) {
  const double *start = f->list->inputs->value;
  for (int k = 0; k < f->uses; ++k) {
    const int i = f->used[k];
    double *at = &f->variable[f->own + i];
    *at = now->input ? now->input[3 * i] : start[i];
    f->rate_of[f->own + i] = now->input ? now->input[3 * i + 1] : 0;
    f->second_of[f->own + i] = now->input ? now->input[3 * i + 2] : 0;
  }
  if (f->uses_load) f->variable[f->variables - 1] = now->load;
}

bool function_reads(const void *self, int input) {
  const function *f = self;
  for (int k = 0; k < f->uses; ++k)
    if (f->used[k] == input) return true;
  return false;
}

/* Total derivatives by time, including those through the rates of inputs. */
static derivative_jet slope_of(const function *f) {
  if (!f->uses) return expression_derivatives(f->value, f->variable);
  f->rate_of[0] = 1;
  return expression_rates(f->value,
                          &(derivative_path){f->variable, f->rate_of, f->second_of, f->variables});
}

/* Derivatives that are not given are those of the expression before them. */
static double expression_eval(const void *self, const torsor_now *now, double *rate,
                              double *second) {
  const function *f = self;
  function_enter(f);
  function_set(f, now);
  *f->variable = now->t;
  const double value = expression_value(f->value);
  if (f->rate) {
    if (rate) *rate = expression_value(f->rate);
    if (second)
      *second = f->second ? expression_value(f->second)
                          : expression_derivatives(f->rate, f->variable).first;
  } else if (rate || second) {
    const derivative_jet slope = slope_of(f);
    store(rate, slope.first);
    store(second, slope.second);
  }
  function_leave(f);
  return value;
}

/* ---- reading ------------------------------------------------------------------------------- */

torsor_status function_reserve(function *f, const reader *r, int own) {
  const int inputs = f->list->inputs->count;
  f->own = own;
  f->variables = own + inputs + 1;
  f->variable = calloc(3 * (size_t)f->variables, sizeof *f->variable);
  f->used = calloc((size_t)inputs + 1, sizeof *f->used);
  if (!f->variable || !f->used) return function_out_of_memory(r);
  f->rate_of = f->variable + f->variables;
  f->second_of = f->rate_of + f->variables;
  return TORSOR_OK;
}

/* Records that an expression uses the load or an input of the model, where `word` names one;
 * parameters hide both. */
static void note_word(function *f, const reader *r, const expression_scope *scope,
                      const char *word) {
  const int at = expression_find(scope, word), input = at - f->own;
  if (at < f->own || expression_lookup(r->scope, word)) return;
  if (at == f->variables - 1)
    f->uses_load = f->list->follows = true;
  else if (!function_reads(f, input))
    f->used[f->uses++] = input;
}

/* Scope of the expressions of a function: its own variables, inputs and the load; parameters of the
 * same names hide the latter two. */
static expression_scope scope_of(const function *f, const reader *r, const char **name) {
  const scene_inputs *inputs = f->list->inputs;
  const char **word = f->list->word;
  for (int i = 0; i < f->own; ++i) word[i] = name[i];
  for (int i = 0; i <= inputs->count; ++i) {
    const char *other = i < inputs->count ? inputs->name[i] : EXPRESSION_LOAD;
    word[f->own + i] = expression_lookup(r->scope, other) ? name[0] : other;
  }
  return (expression_scope){
      .count = f->variables, .name = word, .value = f->variable, .varies = true, .outer = r->scope};
}

torsor_status function_compile_text(expression **out, function *f, const reader *r,
                                    const json_node *node, const char *words, const char **name) {
  if (reader_postpones(r)) return TORSOR_SCENE;
  const expression_scope scope = scope_of(f, r, name);
  char word[EXPRESSION_WORD + 1];
  for (const char *at = words; expression_next_name(&at, word);) note_word(f, r, &scope, word);
  if (r->error) r->error->path[0] = '\0';
  const torsor_status status = expression_compile(out, words, &scope, r->error);
  return status ? reader_locate(r, &node->path, status) : TORSOR_OK;
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

torsor_status function_add(function **out, function_list *list, const reader *r) {
  function *f = calloc(1, sizeof *f);
  if (!f) return function_out_of_memory(r);
  if (pthread_mutex_init(&f->one, NULL)) {
    free(f);
    return function_out_of_memory(r);
  }
  f->lock = &f->one;
  f->list = list;
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

/* Reads a function that is not the name of another one. */
static torsor_status define(torsor_function *out, function_list *list, const reader *r,
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

torsor_status function_find(const torsor_function **out, const function_list *list, const reader *r,
                            const json_node *node, const char *variable) {
  const char *word = cJSON_IsString(node->item) ? node->item->valuestring : "";
  *out = NULL;
  for (int i = 0; i < list->count && !*out; ++i)
    if (strcmp(list->name[i], word) == 0) *out = &list->named[i];
  const bool free = !*out && expression_is_name(word) && strcmp(word, variable) != 0 &&
                    strcmp(word, EXPRESSION_LOAD) != 0 && !expression_reserved(word) &&
                    !expression_lookup(r->scope, word) && scene_inputs_find(list->inputs, word) < 0;
  const char *near = free ? torsor_near_name(word, list->name, list->count) : NULL;
  if (!near) return TORSOR_OK;
  reader_fail(r, node, NULL, "there is no function \"%s\"", word);
  torsor_hint(r->error, "did you mean \"%s\"?", near);
  return TORSOR_SCENE;
}

torsor_status function_read(torsor_function *out, function_list *list, const reader *r,
                            const json_node *node) {
  const torsor_function *named = NULL;
  const torsor_status status = function_find(&named, list, r, node, EXPRESSION_TIME);
  if (status) return status;
  if (!named) return define(out, list, r, node);
  *out = *named;
  return TORSOR_OK;
}

static torsor_status check_name(const scene_inputs *inputs, const reader *r,
                                const json_node *node) {
  const char *name = node->path.key;
  char shown[96];
  if (!expression_is_name(name))
    return reader_fail_key(r, node, "letters, digits and _, beginning with a letter",
                           "%s cannot be the name of a function", reader_show_text(name, shown));
  if (expression_reserved(name) || strcmp(name, EXPRESSION_TIME) == 0 ||
      strcmp(name, EXPRESSION_LOAD) == 0 || expression_lookup(r->scope, name) ||
      scene_inputs_find(inputs, name) >= 0)
    return reader_fail_key(r, node, "choose another name",
                           "\"%s\" is taken: a parameter, an input, or a word of expressions",
                           name);
  return TORSOR_OK;
}

/* Most own variables of a function: those of events. */
enum { OWN = 64 };

torsor_status functions_read(function_list **out, const scene_inputs *inputs,
                             const torsor_registry *registry, const reader *r,
                             const json_node *object) {
  function_list *list = calloc(1, sizeof *list);
  *out = list;
  if (!list) return function_out_of_memory(r);
  list->inputs = inputs;
  list->registry = registry;
  list->word = calloc(OWN + (size_t)inputs->count + 1, sizeof *list->word);
  if (!list->word) return function_out_of_memory(r);
  if (!object->item) return TORSOR_OK;
  if (!cJSON_IsObject(object->item)) return reader_object(r, object, "the functions", NULL, 0);
  const size_t size = (size_t)cJSON_GetArraySize(object->item);
  list->name = calloc(size + 1, sizeof *list->name);
  list->named = calloc(size + 1, sizeof *list->named);
  if (!list->name || !list->named) return function_out_of_memory(r);
  const cJSON *item;
  cJSON_ArrayForEach(item, object->item) {
    if (reader_is_comment(item->string)) continue;
    const json_node node = {item, {&object->path, item->string, 0}};
    torsor_status status = check_name(inputs, r, &node);
    if (!status) status = define(&list->named[list->count], list, r, &node);
    if (status) return status;
    list->name[list->count++] = item->string;
  }
  return TORSOR_OK;
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
    gsl_interp_accel_free(f->accel);
    if (f->rule) gsl_integration_glfixed_table_free(f->rule);
    pthread_mutex_destroy(&f->one);
    free(f->variable);
    free(f->used);
    free(f->place);
    free(f->knot);
    free(f->section);
    free(f->point);
    free(f->frame);
  free(f->layer);
    free(f->x);
    free(f->y);
    free(f);
  }
  free(list->word);
  free(list->name);
  free(list->named);
  free(list);
}
