/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names that an expression may use. */
#include <string.h>

#include "scene/builtins.h"
#include "scene/expression.h"

static const struct {
  const char *name;
  double value;
  bool fixed; /* no parameter may have this name */
} constants[] = {{"pi", 3.14159265358979323846, true},
                 {"e", 2.71828182845904523536, false},
                 {"deg", 3.14159265358979323846 / 180, true}};

#define LENGTH(array) ((int)(sizeof(array) / sizeof *(array)))

bool expression_constant(double *value, const char *name) {
  for (int i = 0; i < LENGTH(constants); ++i)
    if (strcmp(constants[i].name, name) == 0) {
      *value = constants[i].value;
      return true;
    }
  return false;
}

bool expression_reserved(const char *name) {
  for (int i = 0; i < LENGTH(constants); ++i)
    if (strcmp(constants[i].name, name) == 0) return constants[i].fixed;
  return false;
}

bool expression_is_builtin(const char *name) {
  return builtin_find(name) < BUILTINS;
}

const expression_function *expression_function_find(const expression_scope *scope,
                                                    const char *name) {
  for (; scope; scope = scope->outer) {
    const expression_functions *all = scope->functions;
    for (int i = 0; all && i < all->count; ++i)
      if (all->item[i] && strcmp(all->item[i]->name, name) == 0) return all->item[i];
  }
  return NULL;
}

bool expression_has_variable(const expression_scope *scope, const char *name) {
  return scope->varies && expression_find(scope, name) >= 0;
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
