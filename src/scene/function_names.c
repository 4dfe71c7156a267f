/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The object "functions": functions of time, tables and functions with arguments, by name. */
#include "scene/function_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/function_grid.h"

/* Most arguments of one function. */
enum { ARGUMENTS = 16 };

/* ---- finding --------------------------------------------------------------------------------- */

static int find_name(const function_list *list, const char *word) {
  for (int i = 0; i < list->count; ++i)
    if (strcmp(list->name[i], word) == 0) return i;
  return -1;
}

static torsor_status fail_arguments(const reader *r, const json_node *node,
                                    const expression_function *f) {
  char hint[200] = "";
  size_t used = (size_t)snprintf(hint, sizeof hint, "write %s(", f->name);
  for (int i = 0; i < f->arguments && used + EXPRESSION_NAME + 4 < sizeof hint; ++i)
    used +=
        (size_t)snprintf(hint + used, sizeof hint - used, "%s%s", i ? ", " : "", f->argument[i]);
  strcat(hint, ")");
  return reader_fail(r, node, hint, "the function \"%s\" has arguments, but is given none",
                     f->name);
}

torsor_status function_find(const torsor_function **out, const function_list *list, const reader *r,
                            const json_node *node, const char *variable) {
  const char *word = cJSON_IsString(node->item) ? node->item->valuestring : "";
  const int index = strcmp(word, variable) == 0 ? -1 : find_name(list, word);
  *out = index < 0 ? NULL : &list->named[index];
  if (*out && !(*out)->eval && list->called.item[index])
    return fail_arguments(r, node, list->called.item[index]);
  const bool free = !*out && expression_is_name(word) && strcmp(word, variable) != 0 &&
                    strcmp(word, EXPRESSION_LOAD) != 0 && !expression_reserved(word) &&
                    strcmp(word, "e") != 0 && !expression_is_builtin(word) &&
                    !expression_lookup(r->scope, word) &&
                    scene_inputs_find(list->inputs, word) < 0 && !blocks_find(list->blocks, word);
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
  if (!named) return function_define(out, list, r, node);
  *out = *named;
  return TORSOR_OK;
}

/* ---- as expressions call them ---------------------------------------------------------------- */

static double table_called(const void *self, const double *x, double *first, double *second) {
  return function_table_at(self, *x, first, second);
}

static double table_kink(const void *self, const double *x) {
  return function_table_kink(self, *x);
}

static double grid_kink(const void *self, const double *x) {
  return function_grid_kink(((const function *)self)->grid, x[0], x[1]);
}

static double grid_called(const void *self, const double *x, double *first, double *second) {
  return function_grid_at(((const function *)self)->grid, x[0], x[1], first, second);
}

static const char *const time_argument[] = {EXPRESSION_TIME};
static const char *const grid_arguments[] = {"x", "y"};

/* The text of a number or an expression. */
static torsor_status read_words(const char **out, function_list *list, const reader *r,
                                const json_node *node) {
  function *f = NULL;
  if (!cJSON_IsNumber(node->item)) return reader_text(out, r, node);
  const torsor_status status = function_add(&f, list, r);
  if (status) return status;
  snprintf(f->number, sizeof f->number, "%.17g", node->item->valuedouble);
  *out = f->number;
  return TORSOR_OK;
}

static torsor_status check_argument(function *f, const reader *r, const json_node *node,
                                    const char *name) {
  char shown[96];
  if (!expression_is_name(name) || expression_reserved(name))
    return reader_fail(r, node, "letters, digits and _, beginning with a letter",
                       "%s cannot be the name of an argument", reader_show_text(name, shown));
  for (int i = 0; i < f->called.arguments; ++i)
    if (strcmp(f->argument[i], name) == 0)
      return reader_fail(r, node, NULL, "two arguments are called \"%s\"", name);
  return TORSOR_OK;
}

/* {"arguments": ["x", "y"], "value": ".."} */
static torsor_status read_arguments(function *f, const reader *r, const json_node *node) {
  static const char *const keys[] = {"arguments", "value"};
  const json_node list = json_member(node, "arguments"), value = json_member(node, "value");
  torsor_status status = reader_object(r, node, "a function with arguments", keys, 2);
  if (!status) status = reader_array(r, &list, "names of arguments");
  if (status) return status;
  const int count = cJSON_GetArraySize(list.item);
  if (count < 1 || count > ARGUMENTS)
    return reader_fail(r, &list, "for example [\"x\", \"v\"]",
                       "must have 1 to %d names, but has %d", ARGUMENTS, count);
  f->argument = calloc((size_t)count, sizeof *f->argument);
  if (!f->argument) return function_out_of_memory(r);
  const cJSON *item = list.item->child;
  for (int i = 0; i < count && !status; ++i, item = item->next) {
    const json_node name = json_item(&list, item, i);
    status = reader_text(&f->argument[i], r, &name);
    if (!status) status = check_argument(f, r, &name, f->argument[i]);
    ++f->called.arguments;
  }
  f->called.argument = f->argument;
  return status ? status : read_words(&f->called.text, f->list, r, &value);
}

static torsor_status read_given(function *f, const reader *r, const json_node *node) {
  const json_node value = json_member(node, "value"), rate = json_member(node, "rate");
  const json_node second = json_member(node, "second");
  torsor_status status = read_words(&f->called.text, f->list, r, &value);
  if (!status && rate.item) status = read_words(&f->called.rate, f->list, r, &rate);
  if (!status && second.item && rate.item)
    status = read_words(&f->called.second, f->list, r, &second);
  return status;
}

static torsor_status read_table(torsor_function *out, function *f, const reader *r,
                                const json_node *node) {
  torsor_status status = TORSOR_OK;
  f->called.self = f;
  if (function_grid_is(node)) {
    status = function_grid_read(&f->grid, r, node);
    f->called.arguments = 2;
    f->called.argument = grid_arguments;
    f->called.eval = grid_called;
    f->called.kink = grid_kink;
    return status;
  }
  status = function_read_table(f, r, node, "times", FUNCTION_CUBIC);
  f->called.of_time = true;
  f->called.eval = table_called;
  f->called.kink = table_kink;
  *out = (torsor_function){.eval = function_table_at_time, .self = f, .jump = function_table_jump};
  return status;
}

/* Reads tables, and of all others the texts: expressions may use each other in any order. */
static torsor_status declare(function_list *list, int i, const reader *r, const json_node *node) {
  const cJSON *item = node->item;
  function *f = NULL;
  torsor_status status = function_add(&f, list, r);
  if (status) return status;
  f->called = (expression_function){
      .name = list->name[i], .arguments = 1, .argument = time_argument, .of_time = true};
  list->called.item[i] = &f->called;
  if (json_member(node, "table").item) return read_table(&list->named[i], f, r, node);
  if (json_member(node, "arguments").item) {
    f->called.arguments = 0;
    f->called.of_time = false;
    return read_arguments(f, r, node);
  }
  if (cJSON_IsObject(item) && json_member(node, "value").item) return read_given(f, r, node);
  if (cJSON_IsString(item) || cJSON_IsNumber(item))
    return read_words(&f->called.text, list, r, node);
  list->called.item[i] = NULL; /* a callback, or wrong */
  return TORSOR_OK;
}

/* ---- definitions ----------------------------------------------------------------------------- */

/* Compiles the text of a function with arguments, so that faults are found where they stand. */
static torsor_status check_text(function_list *list, const expression_function *called,
                                const reader *r, const json_node *node) {
  const json_node value = json_member(node, "value");
  const char *name[ARGUMENTS];
  function *f = NULL;
  for (int i = 0; i < called->arguments; ++i) name[i] = called->argument[i];
  torsor_status status = function_add(&f, list, r);
  if (!status) status = function_reserve(f, r, called->arguments);
  return status ? status : function_compile(&f->value, f, r, &value, name);
}

static torsor_status complete(function_list *list, int i, const reader *r, const json_node *node) {
  const expression_function *called = list->called.item[i];
  if (called && called->eval) return TORSOR_OK;
  if (called && !called->of_time) return check_text(list, called, r, node);
  return function_define(&list->named[i], list, r, node);
}

static torsor_status check_name(const function_list *list, const reader *r, const json_node *node) {
  const char *name = node->path.key;
  char shown[96];
  if (!expression_is_name(name))
    return reader_fail_key(r, node, "letters, digits and _, beginning with a letter",
                           "%s cannot be the name of a function", reader_show_text(name, shown));
  if (expression_reserved(name) || expression_is_builtin(name) ||
      strcmp(name, EXPRESSION_TIME) == 0 || strcmp(name, EXPRESSION_LOAD) == 0 ||
      expression_lookup(r->scope, name) || scene_inputs_find(list->inputs, name) >= 0)
    return reader_fail_key(r, node, "choose another name",
                           "\"%s\" is taken: a parameter, an input, or a word of expressions",
                           name);
  return TORSOR_OK;
}

static torsor_status for_each(function_list *list, const reader *r, const json_node *object,
                              bool declaring) {
  const cJSON *item;
  int i = 0;
  cJSON_ArrayForEach(item, object->item) {
    if (reader_is_comment(item->string)) continue;
    const json_node node = {item, {&object->path, item->string, 0}};
    torsor_status status = declaring ? check_name(list, r, &node) : complete(list, i, r, &node);
    if (!status && declaring) {
      list->name[list->count++] = item->string;
      status = declare(list, i, r, &node);
    }
    if (status) return status;
    ++i;
  }
  return TORSOR_OK;
}

torsor_status functions_read(function_list **out, const scene_inputs *inputs,
                             const torsor_registry *registry, const reader *r,
                             const json_node *object) {
  function_list *list = calloc(1, sizeof *list);
  *out = list;
  if (!list) return function_out_of_memory(r);
  list->inputs = inputs;
  list->registry = registry;
  if (!object->item) return TORSOR_OK;
  if (!cJSON_IsObject(object->item)) return reader_object(r, object, "the functions", NULL, 0);
  const size_t size = (size_t)cJSON_GetArraySize(object->item);
  list->name = calloc(size + 1, sizeof *list->name);
  list->named = calloc(size + 1, sizeof *list->named);
  list->called.item = calloc(size + 1, sizeof *list->called.item);
  if (!list->name || !list->named || !list->called.item) return function_out_of_memory(r);
  torsor_status status = for_each(list, r, object, true);
  list->called.count = list->count;
  if (!status) status = for_each(list, r, object, false);
  return status;
}

void functions_set_blocks(function_list *list, const scene_blocks *blocks) {
  list->blocks = blocks;
}

const expression_functions *functions_called(const function_list *list) {
  return &list->called;
}
