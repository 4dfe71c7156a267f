/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Options of programs that were compiled with another version of the headers: shorter structs are
 * completed, longer ones are taken where what the library does not know is 0, and a struct without
 * its size is refused. */
#include <stdlib.h>
#include <string.h>

#include <torsor/torsor.h>

#include "check.h"
#include "support.h"

static const char scene[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"rod\", \"type\":"
    " \"rigid_body\", \"mass\": 2, \"inertia\": [0.2, 0.2, 0.002], \"position\": [0, 0, -0.5],"
    " \"angular_velocity\": [0, 3, 0]}], \"joints\": [{\"name\": \"hinge\", \"type\":"
    " \"revolute\", \"axis\": [0, 1, 0], \"a\": \"ground\", \"b\": {\"body\": \"rod\","
    " \"position\": [0, 0, 0.5]}}], \"simulation\": {\"step\": 1e-2, \"duration\": 0.2}}";

/* The members behind the settings in a simulation, and how many bytes of it an older header had: up
 * to `equilibrium`, and of the settings all but `accuracy`. */
#define REST     offsetof(torsor_simulation, duration)
#define OLD_REST (offsetof(torsor_simulation, equilibrium) - REST)
#define OLD      offsetof(torsor_settings, accuracy)
#define ROOM     (2 * sizeof(torsor_simulation))

/* A struct of any length, as bytes that are aligned as it is. */
typedef union bytes {
  unsigned char byte[ROOM];
  torsor_simulation simulation;
} bytes;

/* The simulation in the layout of a header with `settings` and `rest` bytes. */
static void lay_out(bytes *out, const torsor_simulation *from, size_t settings, size_t rest,
                    int beyond) {
  const size_t size = sizeof size + settings + rest, own = sizeof *from - REST;
  memset(out, 0, sizeof *out);
  memcpy(out->byte + sizeof size, &from->settings,
         settings < sizeof from->settings ? settings : sizeof from->settings);
  memcpy(out->byte + sizeof size + settings, (const unsigned char *)from + REST,
         rest < own ? rest : own);
  memcpy(out->byte, &size, sizeof size);
  memcpy(out->byte + sizeof size, &settings, sizeof settings);
  if (rest > own) out->byte[sizeof size + settings + own] = (unsigned char)beyond;
}

static double angle_after(const support_world *world, const torsor_simulation *simulation,
                          torsor_status expected, torsor_error *error) {
  torsor_run *run = NULL;
  *error = (torsor_error){0};
  torsor_status status = torsor_run_create(&run, world->model, simulation, NULL, error);
  CHECK_INT(status, expected);
  while (!status && !torsor_run_finished(run)) status = torsor_run_step(run, error);
  const double angle = status ? 0 : torsor_run_signal(run, "hinge.angle");
  torsor_run_destroy(run);
  return angle;
}

static void simulations_of_other_headers(void **state) {
  (void)state;
  support_world world;
  torsor_error error = {0};
  CHECK_INT(support_open(&world, scene, NULL, &error), TORSOR_OK);
  const torsor_simulation own = torsor_simulation_copy(torsor_scene_simulation(world.scene));
  const double expected = angle_after(&world, &own, TORSOR_OK, &error);
  CHECK_TRUE(expected != 0);
  static const struct {
    size_t settings, rest;
  } older[] = {{OLD, OLD_REST},
               {sizeof(torsor_settings), OLD_REST},
               {OLD, sizeof(torsor_simulation) - REST}};
  bytes other;
  for (int i = 0; i < 3; ++i) {
    lay_out(&other, &own, older[i].settings, older[i].rest, 0);
    CHECK_TRUE(angle_after(&world, &other.simulation, TORSOR_OK, &error) == expected);
    CHECK_INT(torsor_simulation_rows(&other.simulation), torsor_simulation_rows(&own));
    CHECK_INT(torsor_check_simulation(world.model, &other.simulation, &error), TORSOR_OK);
  }
  lay_out(&other, &own, sizeof(torsor_settings) + 16, sizeof own - REST + 24, 0);
  CHECK_TRUE(angle_after(&world, &other.simulation, TORSOR_OK, &error) == expected);
  lay_out(&other, &own, sizeof(torsor_settings) + 16, sizeof own - REST + 24, 1);
  angle_after(&world, &other.simulation, TORSOR_ARGUMENT, &error);
  CHECK_CONTAINS(error.message, "of which this library knows");
  torsor_simulation unsized = own;
  unsized.size = 0;
  angle_after(&world, &unsized, TORSOR_ARGUMENT, &error);
  CHECK_CONTAINS(error.message, "the size of torsor_simulation is not set");
  CHECK_CONTAINS(error.hint, "torsor_simulation_default()");
  unsized = own;
  unsized.settings.size = 0;
  angle_after(&world, &unsized, TORSOR_ARGUMENT, &error);
  CHECK_CONTAINS(error.message, "the size of torsor_settings is not set");
  support_close(&world);
}

/* Structures that the library hands out have the layout of the caller's header, and no byte is
 * written behind them. */
static void simulations_handed_out(void **state) {
  (void)state;
  torsor_simulation own = torsor_simulation_default();
  own.duration = 3;
  own.every = 7;
  bytes other, expected;
  memset(&other, 0xa5, sizeof other);
  torsor_simulation_fit(&other.simulation, sizeof(size_t) + OLD + OLD_REST, OLD, &own);
  lay_out(&expected, &own, OLD, OLD_REST, 0);
  CHECK_INT(memcmp(&other, &expected, sizeof(size_t) + OLD + OLD_REST), 0);
  CHECK_INT(other.byte[sizeof(size_t) + OLD + OLD_REST], 0xa5);
  torsor_settings settings;
  memset(&settings, 0xa5, sizeof settings);
  torsor_settings_fill(&settings, OLD);
  CHECK_INT((long)settings.size, (long)OLD);
  CHECK_STR(settings.method, "generalized_alpha");
  CHECK_INT(((unsigned char *)&settings)[OLD], 0xa5);
}

static torsor_status count(void *data, double t, const double *values, int columns) {
  (void)t, (void)values, (void)columns;
  ++*(int *)data;
  return TORSOR_OK;
}

static void hooks_of_other_headers(void **state) {
  (void)state;
  support_world world;
  torsor_error error = {0};
  torsor_summary summary;
  CHECK_INT(support_open(&world, scene, NULL, &error), TORSOR_OK);
  const torsor_simulation *simulation = torsor_scene_simulation(world.scene);
  int rows = 0;
  torsor_hooks hooks;
  memset(&hooks, 0xff, sizeof hooks); /* members that the older program does not have */
  hooks.size = offsetof(torsor_hooks, frame);
  hooks.data = &rows;
  hooks.record = count;
  CHECK_INT(torsor_simulate(&summary, world.model, simulation, NULL, &hooks, &error), TORSOR_OK);
  CHECK_INT(rows, 21);
  hooks.size = 0;
  CHECK_INT(torsor_simulate(&summary, world.model, simulation, NULL, &hooks, &error),
            TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.hint, "TORSOR_HOOKS_INIT");
  torsor_modes *modes = NULL;
  torsor_modes_settings settings;
  memset(&settings, 0xff, sizeof settings);
  settings.size = offsetof(torsor_modes_settings, about);
  settings.count = -3;
  CHECK_INT(torsor_modes_find(&modes, world.model, &settings, NULL, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, "-3 modes");
  settings.size = 0;
  CHECK_INT(torsor_modes_find(&modes, world.model, &settings, NULL, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.hint, "TORSOR_MODES_SETTINGS_INIT");
  support_close(&world);
}

static void statics_of_other_headers(void **state) {
  (void)state;
  support_world world;
  torsor_error error = {0};
  torsor_statics_summary summary;
  static const char *const hanging[] = {"bodies.rod.angular_velocity=[0,0,0]", NULL};
  CHECK_INT(support_open(&world, scene, hanging, &error), TORSOR_OK);
  torsor_statics statics;
  memset(&statics, 0xff, sizeof statics);
  torsor_statics_fit(&statics, offsetof(torsor_statics, buckling), NULL);
  CHECK_INT(torsor_statics_run(&summary, world.model, &statics, NULL, NULL, NULL, &error),
            TORSOR_OK);
  CHECK_NEAR(summary.load, 1, 0);
  statics.size = 0;
  CHECK_INT(torsor_statics_run(&summary, world.model, &statics, NULL, NULL, NULL, &error),
            TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.hint, "torsor_statics_default()");
  torsor_run *run = NULL;
  torsor_run_options options = {.threads = 1};
  CHECK_INT(
      torsor_run_create(&run, world.model, torsor_scene_simulation(world.scene), &options, &error),
      TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.hint, "TORSOR_RUN_OPTIONS_INIT");
  torsor_callback callback = {.signature = "function"};
  CHECK_INT(torsor_registry_bind(world.registry, "wind", &callback, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.hint, "TORSOR_CALLBACK_INIT");
  support_close(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(simulations_of_other_headers),
      cmocka_unit_test(simulations_handed_out),
      cmocka_unit_test(hooks_of_other_headers),
      cmocka_unit_test(statics_of_other_headers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
