/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "variant.h"

#include <stdio.h>
#include <stdlib.h>

#include "check.h"

conformance variant_measure(const char *name, const char *example) {
  torsor_registry *registry = torsor_registry_create(NULL);
  torsor_element_type type = *torsor_registry_find(registry, name);
  type.name = "other";
  type.example = example;
  CHECK_INT(torsor_registry_add(registry, &type, NULL), TORSOR_OK);
  conformance c;
  torsor_error error = {0};
  const bool built = conformance_measure(&c, &type, registry, &error);
  if (!built) print_error("%s: %s: %s\n", name, error.path, error.message);
  CHECK_TRUE(built);
  CHECK_GE(c.elements, 1);
  torsor_registry_destroy(registry);
  return c;
}

/* `out` = `text` with its first `from` replaced by `to`. */
static void replaced(char *out, size_t size, const char *text, const char *from, const char *to) {
  const char *at = strstr(text, from);
  CHECK_TRUE(at != NULL);
  const int used = snprintf(out, size, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
  CHECK_TRUE(used > 0 && (size_t)used < size);
}

conformance variant_replaced(const char *name, const char *from, const char *to) {
  torsor_registry *registry = torsor_registry_create(NULL);
  char half[2000], example[2000], word[60];
  snprintf(word, sizeof word, "\"type\": \"%s\"", name);
  replaced(half, sizeof half, torsor_registry_find(registry, name)->example, from, to);
  replaced(example, sizeof example, half, word, "\"type\": \"other\"");
  torsor_registry_destroy(registry);
  return variant_measure(name, example);
}

void variant_check_tangents(const conformance *c, const char *title) {
  char label[120];
  snprintf(label, sizeof label, "%s: C", title);
  check_report(label, c->C, CONFORMANCE_DIFFERENCE);
  snprintf(label, sizeof label, "%s: K", title);
  check_report(label, c->K, CONFORMANCE_DIFFERENCE);
  CHECK_LE(c->C, CONFORMANCE_DIFFERENCE);
  CHECK_LE(c->K, CONFORMANCE_DIFFERENCE);
}
