/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "method.h"

static const method *const methods[] = {
    &method_generalized_alpha, &method_soi2, &method_hht_odae, &method_rattle, &method_radau,
    &method_explicit,          &method_auto};

enum { METHOD_COUNT = sizeof methods / sizeof methods[0] };

const method *method_find(const char *name) {
  for (int i = 0; name && i < METHOD_COUNT; ++i)
    if (strcmp(methods[i]->name, name) == 0) return methods[i];
  return NULL;
}

int torsor_method_order(const char *name) {
  const method *found = method_find(name);
  return found ? found->order : 0;
}

int torsor_settings_order(const torsor_settings *settings) {
  const bool chosen = settings->order > 0 && torsor_method_takes(settings->method, "order");
  return chosen ? settings->order : torsor_method_order(settings->method);
}

bool torsor_method_controls(const char *name) {
  const method *found = method_find(name);
  return found && found->estimates_error;
}

bool torsor_method_is_explicit(const char *name) {
  const method *found = method_find(name);
  return found && found->is_explicit;
}

bool torsor_method_needs_accuracy(const char *name) {
  const method *found = method_find(name);
  return found && found->needs_accuracy;
}

bool torsor_method_takes(const char *name, const char *setting) {
  const method *found = method_find(name);
  for (int i = 0; found && found->settings[i]; ++i)
    if (strcmp(found->settings[i], setting) == 0) return true;
  return false;
}

const char *torsor_method_name(int i) {
  return i >= 0 && i < METHOD_COUNT ? methods[i]->name : NULL;
}

const char *torsor_method_title(int i) {
  return i >= 0 && i < METHOD_COUNT ? methods[i]->title : NULL;
}
