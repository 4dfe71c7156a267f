/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A body that leaves its tangents to differences moves as the one that brings them. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "support.h"

static const char scene[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"top\", \"type\":"
    " \"%s\", \"mass\": 15, \"inertia\": [0.234375, 0.46875, 0.234375], \"position\":"
    " [0, 1, 0], \"angular_velocity\": [0, 150, -4.61538]}], \"joints\": [{\"name\": \"pivot\","
    " \"type\": \"spherical\", \"a\": \"ground\", \"b\": {\"body\": \"top\", \"position\":"
    " [0, -1, 0]}}], \"simulation\": {\"step\": 1e-3, \"duration\": 0.1, \"rtol\": 1e-10}}";

static int forbidden; /* calls that asked the body for a tangent */
static torsor_status (*closed)(const void *self, const torsor_element_in *in,
                               torsor_element_out *out);

static torsor_status without_tangents(const void *self, const torsor_element_in *in,
                                      torsor_element_out *out) {
  forbidden += out->M || out->C || out->K;
  return closed(self, in, out);
}

static void run(support_trace *trace, const torsor_element_type *type) {
  static const char *const signals[] = {"top.position", "top.angular_velocity", NULL};
  char text[600];
  snprintf(text, sizeof text, scene, type->name);
  support_world world = {.registry = torsor_registry_create(NULL)};
  torsor_error error = {0};
  torsor_summary summary;
  if (!torsor_registry_find(world.registry, type->name))
    CHECK_INT(torsor_registry_add(world.registry, type, &error), TORSOR_OK);
  torsor_status status = torsor_scene_parse(&world.scene, text, strlen(text), "top.json",
                                            world.registry, NULL, 0, &error);
  if (!status) status = torsor_scene_model(&world.model, world.scene, &error);
  if (!status)
    status = support_run_as(trace, &summary, &world, torsor_scene_simulation(world.scene), signals,
                            &error);
  if (status) print_error("%s\n", error.message);
  CHECK_INT(status, TORSOR_OK);
  support_close(&world);
}

static void differences_move_a_body_alike(void **state) {
  (void)state;
  torsor_registry *registry = torsor_registry_create(NULL);
  const torsor_element_type *body = torsor_registry_find(registry, "rigid_body");
  torsor_element_type numeric = *body;
  closed = body->eval;
  numeric.name = "numeric_body";
  numeric.eval = without_tangents;
  numeric.tangents.numeric = true;
  support_trace exact = {0}, differenced = {0};
  run(&exact, body);
  run(&differenced, &numeric);
  CHECK_INT(forbidden, 0);
  CHECK_INT(exact.rows, differenced.rows);
  double worst = 0;
  for (int i = 0; i < exact.rows * exact.columns; ++i)
    worst = check_max(worst, fabs(exact.value[i] - differenced.value[i]));
  /* Newton's iteration ends at the same solution, each time within rtol of rates of 150 rad/s, and
   * 100 steps add up. */
  const double bound = 100 * 1e-10 * 150;
  check_report("a body by differences", worst, bound);
  CHECK_LE(worst, bound);
  support_trace_release(&exact);
  support_trace_release(&differenced);
  torsor_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(differences_move_a_body_alike)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
