/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plug-in joints of examples/, loaded as a user would, under the checks of every element type.
 * Arguments: the plug-ins. */
#include "conformance.h"

#include "check.h"

static char **plugins;
static int plugin_count;
static torsor_registry *registry;
static int built_in;

static void plugins_load(void **state) {
  (void)state;
  CHECK_GE(plugin_count, 1);
  for (int i = 0; i < plugin_count; ++i) {
    torsor_error error = {0};
    const int before = torsor_registry_count(registry);
    CHECK_STR(torsor_registry_load(registry, plugins[i], &error) ? error.message : "", "");
    CHECK_GE(torsor_registry_count(registry), before + 1);
  }
}

static void every_type_conforms(void **state) {
  (void)state;
  bool all = true;
  CHECK_GE(torsor_registry_count(registry), built_in + 1);
  for (int i = built_in; i < torsor_registry_count(registry); ++i) {
    const torsor_element_type *type = torsor_registry_at(registry, i);
    conformance c;
    torsor_error error = {0};
    if (!conformance_measure(&c, type, registry, &error)) {
      print_error("%s: its example does not build: %s (%s)\n", type->name, error.message,
                  error.path);
      all = false;
      continue;
    }
    all &= conformance_holds(&c, type->name);
  }
  CHECK_TRUE(all);
}

static void a_plugin_is_loaded_once(void **state) {
  (void)state;
  torsor_error error = {0};
  CHECK_INT(torsor_registry_load(registry, plugins[0], &error), TORSOR_PLUGIN);
  CHECK_CONTAINS(error.message, "there is already an element type");
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plugins_load),
      cmocka_unit_test(every_type_conforms),
      cmocka_unit_test(a_plugin_is_loaded_once),
  };
  plugins = argv + 1;
  plugin_count = argc - 1;
  registry = torsor_registry_create(NULL);
  if (!registry) return 1;
  built_in = torsor_registry_count(registry);
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  torsor_registry_destroy(registry);
  return failed;
}
