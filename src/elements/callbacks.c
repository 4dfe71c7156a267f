/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/options.h"
#include "elements/registry.h"

static const char *const signatures[] = {"law",      "effort",         "rows",
                                         "function", "characteristic", "controller"};
enum { SIGNATURES = sizeof signatures / sizeof *signatures };

static bool is_known(const char *signature) {
  for (int i = 0; i < SIGNATURES; ++i)
    if (strcmp(signatures[i], signature) == 0) return true;
  return false;
}

static bool is_name(const char *name) {
  if (!isalpha((unsigned char)*name) && *name != '_') return false;
  while (isalnum((unsigned char)*name) || *name == '_') ++name;
  return !*name;
}

static torsor_status check(const torsor_registry *registry, const char *name,
                           const torsor_callback *c, torsor_error *error) {
  if (!is_name(name)) {
    torsor_fail(error, TORSOR_ARGUMENT, "\"%.60s\" cannot be the name of a callback", name);
    torsor_hint(error, "letters, digits and _, beginning with a letter");
    return TORSOR_ARGUMENT;
  }
  if (torsor_registry_bound(registry, name))
    return torsor_fail(error, TORSOR_ARGUMENT, "there is already a callback \"%.60s\"", name);
  if (!c->call) return torsor_fail(error, TORSOR_ARGUMENT, "\"%.60s\" has no function", name);
  if (c->signature && is_known(c->signature)) return TORSOR_OK;
  const char *near = c->signature ? torsor_near_name(c->signature, signatures, SIGNATURES) : NULL;
  torsor_fail(error, TORSOR_ARGUMENT, "\"%.60s\" has the unknown signature \"%.60s\"", name,
              c->signature ? c->signature : "");
  if (near)
    torsor_hint(error, "did you mean \"%s\"?", near);
  else
    torsor_hint(error, "\"law\", \"effort\", \"rows\", \"function\", \"characteristic\" and "
                       "\"controller\" are known");
  return TORSOR_ARGUMENT;
}

/* Registers the types that need callbacks together with the first callback. */
static torsor_status add_types(torsor_registry *registry, torsor_error *error) {
  static const torsor_element_type *const types[] = {&user_force, &user_effort, &user_joint};
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < 3 && !status; ++i)
    if (!torsor_registry_find(registry, types[i]->name))
      status = torsor_registry_add(registry, types[i], error);
  return status;
}

torsor_status torsor_registry_bind(torsor_registry *registry, const char *name,
                                   const torsor_callback *callback, torsor_error *error) {
  torsor_callback all = {.size = sizeof all};
  torsor_status status =
      options_read(&all, sizeof all, callback, "torsor_callback", "TORSOR_CALLBACK_INIT", error);
  if (!status) status = check(registry, name, &all, error);
  if (!status) status = add_types(registry, error);
  if (status) return status;
  const size_t size = strlen(name) + 1;
  bound_callback *b = malloc(sizeof *b);
  char *copy = malloc(size);
  if (!b || !copy) {
    free(b);
    free(copy);
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  }
  memcpy(copy, name, size);
  *b = (bound_callback){registry->bound, copy, all};
  registry->bound = b;
  return TORSOR_OK;
}

const torsor_callback *torsor_registry_bound(const torsor_registry *registry, const char *name) {
  for (const bound_callback *b = registry->bound; b; b = b->next)
    if (strcmp(b->name, name) == 0) return &b->callback;
  return NULL;
}

torsor_status torsor_callback_fail(const torsor_now *now, torsor_status status, const char *format,
                                   ...) {
  struct torsor_complaint *c = now->complaint;
  if (!c || atomic_flag_test_and_set(&c->taken)) return status;
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(c->text, sizeof c->text, format, arguments);
  va_end(arguments);
  return status;
}
