/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/expression.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/parser.h"

/* muParser's own constants _pi and _e hold 13 digits only: they are left out. */
static const struct {
  const char *name;
  double value;
} constants[] = {{"pi", 3.14159265358979323846},
                 {"e", 2.71828182845904523536},
                 {"deg", 3.14159265358979323846 / 180}};

static const char *const functions[] = {"sin",  "cos",  "tan",  "asin",  "acos",  "atan",  "atan2",
                                        "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "exp",
                                        "log",  "ln",   "log2", "log10", "sqrt",  "abs",   "sign",
                                        "rint", "min",  "max",  "sum",   "avg"};

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

/* Characters of words; the first must not be a digit or a dot. */
static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";

static bool is_function(const char *name) {
  for (int i = 0; i < LENGTH(functions); ++i)
    if (strcmp(functions[i], name) == 0) return true;
  return false;
}

static int find_constant(const char *name) {
  for (int i = 0; i < LENGTH(constants); ++i)
    if (strcmp(constants[i].name, name) == 0) return i;
  return -1;
}

bool expression_reserved(const char *name) {
  return is_function(name) || find_constant(name) >= 0;
}

int expression_find(const expression_scope *scope, const char *name) {
  for (int i = 0; i < scope->count; ++i)
    if (strcmp(scope->name[i], name) == 0) return i;
  return -1;
}

double *expression_lookup(const expression_scope *scope, const char *name) {
  for (; scope; scope = scope->outer) {
    const int index = expression_find(scope, name);
    if (index >= 0) return &scope->value[index];
  }
  return NULL;
}

/* ---- messages ------------------------------------------------------------------------------ */

enum { SHOWN = 80 };

static torsor_status fail_at(torsor_error *error, const char *text, const char *what,
                             size_t position, const char *hint) {
  const bool cut = strlen(text) > SHOWN;
  torsor_fail(error, TORSOR_SCENE, "the expression \"%.*s%s\" cannot be read: %s at character %zu",
              SHOWN, text, cut ? "..." : "", what, position + 1);
  if (hint) torsor_hint(error, "%s", hint);
  return TORSOR_SCENE;
}

/* muParser's codes; its texts are not used. */
static torsor_status fail_code(torsor_error *error, const char *text, parser_fault fault) {
  static const struct {
    int code;
    const char *what, *hint;
  } known[] = {
      {0, "an operator in the wrong position", "values cannot be assigned; == compares"},
      {2, "a value is missing", "the expression ends too early"},
      {3, "a comma in the wrong position", "commas separate the arguments of a function"},
      {5, "a value without an operator before it", "write 2*m, not 2m or 2 m"},
      {6, "a name without an operator before it", "write 2*m, not 2m or 2 m"},
      {7, "a parenthesis in the wrong position", "check that ( and ) match"},
      {11, "a parenthesis is not closed", "check that ( and ) match"},
      {12, "a function without an operator before it", "write 2*sin(x)"},
      {14, "a function has too many arguments", NULL},
      {15, "a function has too few arguments", NULL},
      {33, "? without :", "write condition ? a : b"},
      {34, ": without ?", "write condition ? a : b"},
  };
  const size_t length = strlen(text);
  const bool placed = fault.position >= 0 && (size_t)fault.position <= length;
  const size_t where = placed ? (size_t)fault.position : length;
  for (int i = 0; i < LENGTH(known); ++i)
    if (known[i].code == fault.code)
      return fail_at(error, text, known[i].what, where, known[i].hint);
  return fail_at(error, text, "not understood", where, "an example: 2*m*sqrt(1 - cos(pi/3)^2)");
}

static const char *near_value(const expression_scope *scope, const char *name) {
  const char *near = NULL;
  for (; scope && !near; scope = scope->outer)
    near = torsor_near_name(name, scope->name, scope->count);
  return near ? near : torsor_near_name(name, (const char *[]){"pi", "e", "deg"}, 3);
}

static bool is_input(const expression_scope *scope, const char *name) {
  for (; scope; scope = scope->outer)
    for (int i = 0; i < scope->input_count; ++i)
      if (strcmp(scope->inputs[i], name) == 0) return true;
  return false;
}

static torsor_status fail_unknown(torsor_error *error, const expression_scope *scope,
                                  const char *text, const char *name, bool called) {
  if (!called && is_input(scope, name)) {
    torsor_fail(error, TORSOR_SCENE,
                "\"%s\" is an input and changes during a run, but this number is read once "
                "(expression \"%.*s\")",
                name, SHOWN, text);
    torsor_hint(error,
                "inputs stand in functions, such as \"scale\", \"effort\" and \"motion\", and "
                "in \"when\" of events; what is read once can be a parameter");
    return TORSOR_SCENE;
  }
  if (strchr(name, '.')) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" cannot be used here (expression \"%.*s\")", name,
                SHOWN, text);
    torsor_hint(error, "joint coordinates stand in \"scale\" of a force and in \"effort\" of a "
                       "coordinate_force");
    return TORSOR_SCENE;
  }
  const bool time = !called && strcmp(name, EXPRESSION_TIME) == 0;
  const char *near =
      called ? torsor_near_name(name, functions, LENGTH(functions)) : near_value(scope, name);
  torsor_fail(error, TORSOR_SCENE, "there is no %s \"%s\" (expression \"%.*s\")",
              called ? "function" : "parameter", name, SHOWN, text);
  if (time || (!called && strcmp(name, EXPRESSION_LOAD) == 0))
    torsor_hint(error, "the %s is known in functions of time only", time ? "time t" : "load");
  else if (near)
    torsor_hint(error, "did you mean \"%s\"?", near);
  else
    torsor_hint(error, called ? "functions: sin, cos, sqrt, exp, ... (docs/scene.md)"
                              : "define it under \"parameters\"");
  return TORSOR_SCENE;
}

/* ---- evaluation ---------------------------------------------------------------------------- */

/* Returns the index of the first = that is not part of a comparison, or of the end: muParser would
 * treat it as an assignment. */
static size_t find_assignment(const char *text) {
  size_t i = 0;
  for (; text[i]; ++i) {
    if (text[i] != '=') continue;
    if (text[i + 1] == '=')
      ++i;
    else if (!i || !strchr("<>!", text[i - 1]))
      break;
  }
  return i;
}

/* Checks that the text has only admissible characters and known names before muParser reads it. */
static torsor_status check_text(const char *text, const expression_scope *scope,
                                torsor_error *error) {
  static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"
                                " \t\r\n.,+-*/^()<>=!&|?:";
  if (strlen(text) > EXPRESSION_BYTES)
    return torsor_fail(error, TORSOR_SCENE, "an expression has more than %d characters",
                       EXPRESSION_BYTES);
  const size_t good = strspn(text, allowed);
  if (text[good]) return fail_at(error, text, "unexpected character", good, NULL);
  if (!text[strspn(text, " \t\r\n")]) {
    torsor_fail(error, TORSOR_SCENE, "the expression is empty");
    torsor_hint(error, "write a number, or an expression such as \"2*m\"");
    return TORSOR_SCENE;
  }
  const size_t assigned = find_assignment(text);
  if (text[assigned])
    return fail_at(error, text, "an operator in the wrong position", assigned,
                   "values cannot be assigned; == compares");
  const char *at = text;
  char name[EXPRESSION_WORD + 1];
  while (expression_next_name(&at, name)) {
    const bool called = at[strspn(at, " \t\r\n")] == '(';
    if (called && is_function(name)) continue;
    if (!called && (find_constant(name) >= 0 || expression_lookup(scope, name))) continue;
    if (!called && is_function(name))
      return fail_at(error, text, "a function without arguments", (size_t)(at - text) - 1,
                     "write sin(x)");
    return fail_unknown(error, scope, text, name, called);
  }
  return TORSOR_OK;
}

static bool is_space(char c) {
  return c && strchr(" \t\r\n", c);
}

/* "30 deg" becomes "30*deg": no character moves. */
static void spell_degrees(char *text) {
  const char *at = text;
  char name[EXPRESSION_WORD + 1];
  while (expression_next_name(&at, name)) {
    char *before = text + (at - text) - strlen(name);
    if (strcmp(name, "deg") != 0 || before == text || !is_space(*--before)) continue;
    const char *value = before;
    while (value > text && is_space(*value)) --value;
    if (expression_letter(*value) || expression_digit(*value) || *value == '.' || *value == ')')
      *before = '*';
  }
}

static parser_result define_names(parser *p, const char *text, const expression_scope *scope) {
  char name[EXPRESSION_WORD + 1];
  parser_result result = PARSER_GOOD;
  while (result == PARSER_GOOD && expression_next_name(&text, name)) {
    const int constant = find_constant(name);
    double *known = constant < 0 ? expression_lookup(scope, name) : NULL;
    if (constant >= 0)
      result = parser_define_constant(p, name, constants[constant].value);
    else if (known && scope->varies && expression_find(scope, name) >= 0)
      result = parser_define_variable(p, name, known);
    else if (known)
      result = parser_define_constant(p, name, *known);
  }
  return result;
}

struct expression {
  parser *parser;      /* NULL: ... */
  const double *plain; /* ... the value itself */
  derivative *slope;   /* where the scope varies */
};

void expression_destroy(expression *e) {
  if (!e) return;
  parser_destroy(e->parser);
  derivative_destroy(e->slope);
  free(e);
}

double expression_value(const expression *e) {
  return e->parser ? parser_value(e->parser) : *e->plain;
}

static torsor_status out_of_memory(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

derivative_jet expression_derivatives(const expression *e, const double *by) {
  if (!e->parser) return (derivative_jet){*e->plain, e->plain == by, 0};
  return derivative_eval(e->slope, by);
}

derivative_jet expression_rates(const expression *e, const derivative_path *path) {
  if (e->parser) return derivative_along(e->slope, path);
  const ptrdiff_t at = e->plain - path->variable;
  return (derivative_jet){*e->plain, path->rate[at], path->second[at]};
}

/* Defines the names as define_names does. */
static derivative_name find_name(const void *data, const char *name) {
  const expression_scope *scope = data;
  const int constant = find_constant(name);
  if (constant >= 0) return (derivative_name){NULL, constants[constant].value};
  const double *known = expression_lookup(scope, name);
  const bool varies = scope->varies && expression_find(scope, name) >= 0;
  return varies ? (derivative_name){known, 0} : (derivative_name){NULL, known ? *known : 0};
}

static torsor_status translate_slope(expression *e, const char *text, const expression_scope *scope,
                                     torsor_error *error) {
  if (!scope->varies) return TORSOR_OK;
  const torsor_status status = derivative_compile(&e->slope, text, find_name, scope);
  if (status == TORSOR_MEMORY) return out_of_memory(error);
  return status ? fail_code(error, text, (parser_fault){-1, -1}) : TORSOR_OK;
}

/* Names are known and can be defined: what fails there is memory. */
static torsor_status translate(const expression *e, const char *text, const expression_scope *scope,
                               torsor_error *error) {
  int values = 0;
  parser_fault fault = {0, -1};
  if (define_names(e->parser, text, scope) != PARSER_GOOD) return out_of_memory(error);
  const parser_result result = parser_translate(e->parser, text, &values, &fault);
  if (result == PARSER_NO_MEMORY) return out_of_memory(error);
  if (result != PARSER_GOOD) return fail_code(error, text, fault);
  if (values == 1) return TORSOR_OK;
  torsor_fail(error, TORSOR_SCENE, "the expression \"%.*s\" has %d values", SHOWN, text, values);
  torsor_hint(error, "numbers have a decimal point, not a comma");
  return TORSOR_SCENE;
}

torsor_status expression_compile(expression **out, const char *text, const expression_scope *scope,
                                 torsor_error *error) {
  char spelled[EXPRESSION_BYTES + 1];
  *out = NULL;
  torsor_status status = check_text(text, scope, error);
  if (status) return status;
  expression *e = calloc(1, sizeof *e);
  if (!e) return out_of_memory(error);
  const int plain = scope->varies ? expression_find(scope, text) : -1;
  if (plain >= 0) {
    e->plain = &scope->value[plain];
  } else {
    strcpy(spelled, text);
    spell_degrees(spelled);
    e->parser = parser_create(letters);
    status = e->parser ? translate(e, spelled, scope, error) : out_of_memory(error);
    if (!status) status = translate_slope(e, spelled, scope, error);
  }
  if (status)
    expression_destroy(e);
  else
    *out = e;
  return status;
}

static torsor_status check_finite(double value, const char *text, torsor_error *error) {
  if (isfinite(value)) return TORSOR_OK;
  torsor_fail(error, TORSOR_SCENE, "the expression \"%.*s\" gives %s", SHOWN, text,
              isnan(value) ? "nan (not a number)"
              : value > 0  ? "infinity"
                           : "-infinity");
  torsor_hint(error, "every number of a scene is finite");
  return TORSOR_SCENE;
}

torsor_status expression_evaluate(double *out, const char *text, const expression_scope *scope,
                                  torsor_error *error) {
  const double *plain = expression_lookup(scope, text);
  if (plain) {
    *out = *plain;
    return TORSOR_OK;
  }
  expression *e = NULL;
  torsor_status status = expression_compile(&e, text, scope, error);
  if (status) return status;
  *out = expression_value(e);
  expression_destroy(e);
  return check_finite(*out, text, error);
}

/* ---- cache --------------------------------------------------------------------------------- */

typedef struct expression_entry {
  struct expression_entry *next;
  const void *key;
  expression *e;
} expression_entry;

void expression_cache_clear(expression_cache *cache) {
  for (int i = 0; i < EXPRESSION_BUCKETS; ++i)
    while (cache->bucket[i]) {
      expression_entry *entry = cache->bucket[i];
      cache->bucket[i] = entry->next;
      expression_destroy(entry->e);
      free(entry);
    }
}

torsor_status expression_evaluate_cached(double *out, expression_cache *cache, const void *key,
                                         const char *text, const expression_scope *scope,
                                         torsor_error *error) {
  expression_entry **bucket = &cache->bucket[((uintptr_t)key >> 4) % EXPRESSION_BUCKETS];
  expression_entry *entry = *bucket;
  while (entry && entry->key != key) entry = entry->next;
  if (!entry) {
    entry = calloc(1, sizeof *entry);
    if (!entry) return out_of_memory(error);
    const torsor_status status = expression_compile(&entry->e, text, scope, error);
    if (status) {
      free(entry);
      return status;
    }
    *entry = (expression_entry){*bucket, key, entry->e};
    *bucket = entry;
  }
  *out = expression_value(entry->e);
  return check_finite(*out, text, error);
}
