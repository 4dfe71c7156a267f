/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/expression_messages.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "scene/builtins.h"

enum { SHOWN = 80 };

torsor_status expression_fail_at(torsor_error *error, const char *text, const char *what,
                                 size_t position, const char *hint) {
  const bool cut = strlen(text) > SHOWN;
  torsor_fail(error, TORSOR_SCENE, "the expression \"%.*s%s\" cannot be read: %s at character %zu",
              SHOWN, text, cut ? "..." : "", what, position + 1);
  if (hint) torsor_hint(error, "%s", hint);
  return TORSOR_SCENE;
}

static const char *near_value(const expression_scope *scope, const char *name) {
  const char *near = NULL;
  for (; scope && !near; scope = scope->outer)
    near = torsor_near_name(name, scope->name, scope->count);
  return near ? near : torsor_near_name(name, (const char *[]){"pi", "e", "deg"}, 3);
}

static const char *near_function(const expression_scope *scope, const char *name) {
  enum { MOST = 64 };
  const char *names[MOST], *near = NULL;
  int count = 0;
  for (; scope && !near; scope = scope->outer) {
    const expression_functions *all = scope->functions;
    for (int i = 0; all && i < all->count && count < MOST; ++i)
      if (all->item[i]) names[count++] = all->item[i]->name;
    near = torsor_near_name(name, names, count);
  }
  return near ? near : torsor_near_name(name, builtin_names, BUILTINS);
}

static bool is_input(const expression_scope *scope, const char *name) {
  for (; scope; scope = scope->outer)
    for (int i = 0; i < scope->input_count; ++i)
      if (strcmp(scope->inputs[i], name) == 0) return true;
  return false;
}

static torsor_status fail_input(torsor_error *error, const char *text, const char *name) {
  torsor_fail(error, TORSOR_SCENE,
              "\"%s\" is an input and changes during a run, but this number is read once "
              "(expression \"%.*s\")",
              name, SHOWN, text);
  torsor_hint(error, "inputs stand in functions, such as \"scale\", \"effort\" and \"motion\", and "
                     "in \"when\" of events; what is read once can be a parameter");
  return TORSOR_SCENE;
}

static torsor_status fail_dotted(torsor_error *error, const char *text, const char *name) {
  torsor_fail(error, TORSOR_SCENE, "\"%s\" cannot be used here (expression \"%.*s\")", name, SHOWN,
              text);
  torsor_hint(error,
              "coordinates and signals stand in \"scale\" of a force, in \"effort\" of a "
              "coordinate_force and in \"when\" of events; functions take them as arguments");
  return TORSOR_SCENE;
}

torsor_status expression_fail_unknown(torsor_error *error, const expression_scope *scope,
                                      const char *text, const char *name, bool called) {
  if (!called && is_input(scope, name)) return fail_input(error, text, name);
  if (strchr(name, '.')) return fail_dotted(error, text, name);
  const bool time = !called && strcmp(name, EXPRESSION_TIME) == 0;
  const char *near = called ? near_function(scope, name) : near_value(scope, name);
  torsor_fail(error, TORSOR_SCENE, "there is no %s \"%s\" (expression \"%.*s\")",
              called ? "function" : "parameter", name, SHOWN, text);
  if (time || (!called && strcmp(name, EXPRESSION_LOAD) == 0))
    torsor_hint(error, "the %s is known in functions of time only%s", time ? "time t" : "load",
                time ? "; other functions can take it as an argument" : "");
  else if (near)
    torsor_hint(error, "did you mean \"%s\"?", near);
  else
    torsor_hint(error, called ? "functions: sin, cos, sqrt, exp, ... (docs/scene.md), and those "
                                "under \"functions\""
                              : "define it under \"parameters\"");
  return TORSOR_SCENE;
}

torsor_status expression_fail_arguments(torsor_error *error, const expression_function *f,
                                        int given) {
  char list[200] = "";
  size_t used = 0;
  for (int i = 0; i < f->arguments && used + EXPRESSION_NAME + 3 < sizeof list; ++i)
    used +=
        (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", f->argument[i]);
  torsor_fail(error, TORSOR_SCENE, "the function \"%s\" has %d argument%s, but is given %d",
              f->name, f->arguments, f->arguments == 1 ? "" : "s", given);
  torsor_hint(error, "write %s(%s)", f->name, list);
  return TORSOR_SCENE;
}

torsor_status expression_fail_circle(torsor_error *error, const char *name) {
  torsor_fail(error, TORSOR_SCENE, "the function \"%s\" uses itself", name);
  torsor_hint(error, "functions may use each other, but not in a circle");
  return TORSOR_SCENE;
}

torsor_status expression_fail_values(torsor_error *error, const char *text, int values) {
  torsor_fail(error, TORSOR_SCENE, "the expression \"%.*s\" has %d values", SHOWN, text, values);
  torsor_hint(error, "numbers have a decimal point, not a comma");
  return TORSOR_SCENE;
}

torsor_status expression_fail_finite(torsor_error *error, const char *text, double value) {
  torsor_fail(error, TORSOR_SCENE, "the expression \"%.*s\" gives %s", SHOWN, text,
              isnan(value) ? "nan (not a number)"
              : value > 0  ? "infinity"
                           : "-infinity");
  torsor_hint(error, "every number of a scene is finite");
  return TORSOR_SCENE;
}
