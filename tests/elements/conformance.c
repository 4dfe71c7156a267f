/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every element type of the registry, measured on its own example; and types with deliberate
 * errors, which must be found. */
#include "conformance.h"

#include <torsor/joint.h>

#include "check.h"

static torsor_registry *registry;

/* `type` in a scene. */
static bool conforms(const torsor_element_type *type, const char *scene) {
  conformance c;
  torsor_error error = {0};
  if (conformance_measure_in(&c, type, scene, registry, &error))
    return conformance_holds(&c, type->name);
  print_error("%s: its example does not build: %s (%s)\n", type->name, error.message, error.path);
  return false;
}

static bool parts_conform(const torsor_element_type *composite, const char *scene) {
  bool all = true;
  for (int k = 0; composite->composite.parts[k]; ++k)
    all &= conforms(composite->composite.parts[k], scene);
  return all;
}

/* Of a composite type, its parts. */
static void every_type(void **state) {
  (void)state;
  bool all = true;
  for (int i = 0; i < torsor_registry_count(registry); ++i) {
    const torsor_element_type *type = torsor_registry_at(registry, i);
    all &=
        type->composite.expand ? parts_conform(type, type->example) : conforms(type, type->example);
  }
  CHECK_TRUE(all);
}

/* Elements that turn far in themselves, with matrices that are full, and without damping. */
static void beams_of_any_kind(void **state) {
  (void)state;
  static const char scene[] =
      "{\"torsor\": 1, \"gravity\": [1, 2, -9.81], \"bodies\": [{\"name\": \"wing\","
      " \"type\": \"beam\", \"order\": 2, \"length\": 3, \"elements\": 2,"
      " \"curvature\": [0.6, -0.5, 0.9],"
      " \"section\": {\"stiffness\": [[9, 1, 0.5, 1, 0, 2], [1, 7, 1, 0, 1, 0.3],"
      " [0.5, 1, 6, 0.4, 0.2, 0], [1, 0, 0.4, 3, 0.5, 0.1], [0, 1, 0.2, 0.5, 4, 0.6],"
      " [2, 0.3, 0, 0.1, 0.6, 5]], \"inertia\": [[2, 0, 0, 0, 0.2, -0.3], [0, 2, 0, -0.2, 0, 0.1],"
      " [0, 0, 2, 0.3, -0.1, 0], [0, -0.2, 0.3, 1.1, 0.1, 0.2], [0.2, 0, -0.1, 0.1, 0.9, 0],"
      " [-0.3, 0.1, 0, 0.2, 0, 0.8]]}}, {\"name\": \"stiff\", \"type\": \"beam\", \"order\": 2, "
      "\"length\": 2,"
      " \"elements\": 2, \"curvature\": [0.6, -0.5, 0.9], \"inextensible\": true, \"section\":"
      " {\"stiffness\": [[9, 1, 0.5, 1, 0, 2], [1, 7, 1, 0, 1, 0.3], [0.5, 1, 6, 0.4, 0.2, 0],"
      " [1, 0, 0.4, 3, 0.5, 0.1], [0, 1, 0.2, 0.5, 4, 0.6], [2, 0.3, 0, 0.1, 0.6, 5]],"
      " \"inertia\": [2, 2, 2, 1.1, 0.9, 0.8]}}]}";
  CHECK_TRUE(parts_conform(torsor_registry_find(registry, "beam"), scene));
}

#define STIFF                                                                                      \
  "[[9, 1, 0.5, 1, 0, 2], [1, 7, 1, 0, 1, 0.3], [0.5, 1, 6, 0.4, 0.2, 0], [1, 0, 0.4, 3, 0.5, "    \
  "0.1],"                                                                                          \
  " [0, 1, 0.2, 0.5, 4, 0.6], [2, 0.3, 0, 0.1, 0.6, 5]]"
#define SOFT                                                                                       \
  "[[5, 0.5, 0.3, 0.5, 0, 1], [0.5, 4, 0.6, 0, 0.6, 0.1], [0.3, 0.6, 3, 0.2, 0.1, 0],"             \
  " [0.5, 0, 0.2, 2, 0.2, 0.1], [0, 0.6, 0.1, 0.2, 2, 0.3], [1, 0.1, 0, 0.1, 0.3, 3]]"
#define OF(stiffness) "{\"stiffness\": " stiffness ", \"inertia\": [2, 2, 2, 1.1, 0.9, 0.8]}"
#define BENT(name, section, more)                                                                  \
  "{\"name\": \"" name "\", \"type\": \"beam\", \"order\": 4, \"length\": 3, \"elements\": 2,"     \
  " \"curvature\": [0.6, -0.5, 0.9], \"section\": " section more "}"
#define DIAGONAL OF("[9, 7, 6, 3, 4, 5]")
#define SLENDER  OF("[5, 4, 3, 2, 2, 3]")
#define LUMPS    ", \"damping_factor\": 0.02, \"inertia\": \"lumped\""
#define BEAM_A   BENT("a", OF(STIFF), ", \"damping_factor\": 0.03")
#define BEAM_B   BENT("b", OF(STIFF), ", \"section_end\": " OF(SOFT))
#define BEAM_C   BENT("c", DIAGONAL, "")
#define BEAM_D   BENT("d", DIAGONAL, ", \"damping_factor\": 0.02, \"section_end\": " SLENDER)
#define BEAM_E   BENT("e", OF(STIFF), ", \"inextensible\": true")
#define BEAM_F   BENT("f", OF(STIFF), ", \"shear_rigid\": true")
#define STRAIGHT                                                                                   \
  "{\"name\": \"h\", \"type\": \"beam\", \"length\": 3, \"elements\": 2, \"section\": " DIAGONAL   \
  ", \"damping_factor\": 0.02}, {\"name\": \"i\", \"type\": \"beam\", \"length\": 3, "             \
  "\"elements\":"                                                                                  \
  " 2, \"section\": " OF(STIFF) ", \"twist\": 0.7}"
#define BEAM_G BENT("g", DIAGONAL, ", \"inextensible\": true, \"shear_rigid\": true" LUMPS)

/* Elements of order 4: straight, bent and twisted, sections that are full and diagonal, uniform and
 * tapered, damped, with a constrained extension and with constrained shears. */
static void beams_of_order_4(void **state) {
  (void)state;
  static const char scene[] =
      "{\"torsor\": 1, \"gravity\": [1, 2, -9.81], \"bodies\": [" BEAM_A ", " BEAM_B ", " BEAM_C
      ", " BEAM_D ", " BEAM_E ", " BEAM_F ", " BEAM_G ", " STRAIGHT "]}";
  CHECK_TRUE(parts_conform(torsor_registry_find(registry, "beam"), scene));
}

/* A damping matrix, and a carrier two of whose coordinates are no modes. */
static void superelement_with_damping(void **state) {
  (void)state;
  static const char scene[] =
      "{\"torsor\": 1, \"gravity\": [1, 2, -9.81], \"bodies\": [{\"name\": \"block\", \"type\":"
      " \"superelement\", \"interfaces\": [[0.1, 0.2, -0.3]], \"damping_factor\": 0.02,"
      " \"stiffness\": [[0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0],"
      " [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, "
      "9]],"
      " \"damping\": [[0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0],"
      " [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, "
      "3]],"
      " \"mass\": [[2, 0, 0, 0, 0, 0, 0.3], [0, 2, 0, 0, 0, 0, 0.1], [0, 0, 2, 0, 0, 0, -0.2],"
      " [0, 0, 0, 0.5, 0, 0, 0.1], [0, 0, 0, 0, 0.6, 0, 0], [0, 0, 0, 0, 0, 0.7, 0],"
      " [0.3, 0.1, -0.2, 0.1, 0, 0, 0.8]]}]}";
  CHECK_TRUE(parts_conform(torsor_registry_find(registry, "superelement"), scene));
}

/* A ball joint with one sign wrong, chosen by the test. */
typedef struct broken_ball {
  torsor_joint joint;
} broken_ball;

static enum { WRONG_PHI, WRONG_J, WRONG_KL, WRONG_Z, NO_ERROR } wrong;

static torsor_status broken_relative(const void *self, const torsor_relative_in *in,
                                     torsor_relative_out *out) {
  (void)self;
  static const v3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 3; ++i) torsor_block_along(out, i, axis[i], 0, in);
  for (int k = 0; k < 6; ++k) {
    if (wrong == WRONG_J) out->J[1][k] = -out->J[1][k];
    if (wrong == WRONG_KL) out->KL[0][k] = -out->KL[0][k];
    if (wrong == WRONG_Z) out->Z[2][k] = -out->Z[2][k];
  }
  if (wrong == WRONG_PHI) out->phi[0] = -out->phi[0];
  return TORSOR_OK;
}

static torsor_status broken_prepare(void *self, torsor_setup *setup, torsor_error *error) {
  broken_ball *ball = self;
  return torsor_joint_prepare(&ball->joint, setup, 3, broken_relative, false, error);
}

static const torsor_param broken_params[] = {TORSOR_JOINT_PARAMS(broken_ball, 0), {0}};

static void wrong_signs_are_found(void **state) {
  (void)state;
  torsor_element_type type = *torsor_registry_find(registry, "spherical");
  type.name = "broken";
  type.size = sizeof(broken_ball);
  type.params = broken_params;
  type.eval = torsor_joint_eval;
  type.prepare = broken_prepare;
  type.example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"top\", \"type\": \"rigid_body\","
                 " \"mass\": 15, \"inertia\": [0.2, 0.4, 0.3], \"position\": [0, 1, 0]}],"
                 " \"joints\": [{\"name\": \"pivot\", \"type\": \"broken\", \"a\": \"ground\","
                 " \"b\": {\"body\": \"top\", \"position\": [0, -1, 0]}}]}";
  torsor_registry *own = torsor_registry_create(NULL);
  CHECK_INT(torsor_registry_add(own, &type, NULL), TORSOR_OK);
  for (wrong = WRONG_PHI; wrong <= NO_ERROR; ++wrong) {
    conformance c;
    torsor_error error = {0};
    CHECK_TRUE(conformance_measure(&c, &type, own, &error));
    print_message(wrong == NO_ERROR ? " without error:\n" : " with error %d:\n", (int)wrong);
    CHECK_INT(conformance_holds(&c, type.name), wrong == NO_ERROR);
  }
  torsor_registry_destroy(own);
}

/* The same joint with its second derivatives left to the kit. */
static torsor_status numeric_prepare(void *self, torsor_setup *setup, torsor_error *error) {
  broken_ball *ball = self;
  return torsor_joint_prepare(&ball->joint, setup, 3, broken_relative, true, error);
}

static void kit_differences_second_derivatives(void **state) {
  (void)state;
  wrong = NO_ERROR;
  torsor_element_type type = *torsor_registry_find(registry, "spherical");
  type.name = "numeric";
  type.size = sizeof(broken_ball);
  type.params = broken_params;
  type.eval = torsor_joint_eval;
  type.prepare = numeric_prepare;
  type.example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"top\", \"type\": \"rigid_body\","
                 " \"mass\": 15, \"inertia\": [0.2, 0.4, 0.3], \"position\": [0, 1, 0]}],"
                 " \"joints\": [{\"name\": \"pivot\", \"type\": \"numeric\", \"a\": \"ground\","
                 " \"b\": {\"body\": \"top\", \"position\": [0, -1, 0]}}]}";
  torsor_registry *own = torsor_registry_create(NULL);
  CHECK_INT(torsor_registry_add(own, &type, NULL), TORSOR_OK);
  conformance c;
  torsor_error error = {0};
  CHECK_TRUE(conformance_measure(&c, &type, own, &error));
  CHECK_TRUE(conformance_holds(&c, type.name));
  torsor_registry_destroy(own);
}

static int make_registry(void **state) {
  (void)state;
  registry = torsor_registry_create(NULL);
  return registry ? 0 : -1;
}

static int free_registry(void **state) {
  (void)state;
  torsor_registry_destroy(registry);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_type),
      cmocka_unit_test(beams_of_any_kind),
      cmocka_unit_test(beams_of_order_4),
      cmocka_unit_test(superelement_with_damping),
      cmocka_unit_test(wrong_signs_are_found),
      cmocka_unit_test(kit_differences_second_derivatives),
  };
  return cmocka_run_group_tests(tests, make_registry, free_registry);
}
