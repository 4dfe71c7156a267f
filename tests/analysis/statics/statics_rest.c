/* SPDX-License-Identifier: GPL-3.0-or-later */
/** Matrices of equilibria leave out what velocities and accelerations multiply: the same numbers to
 * the bit as with it. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/statics/statics.h"
#include "assembly/assembly_private.h"
#include "support.h"

/* A portal of two beams on SE(3) with a heavy lumped one on R3xSO(3) across, a damped one, and a
 * body on a bushing and a spring. */
static const char portal[] =
    "{\"torsor\": 1, \"gravity\": [0.3, 0, -9.81], \"sections\": {\"s\": {\"shape\": \"tube\", "
    "\"radius\": 0.02, \"thickness\": 0.002, \"E\": 7e10, \"nu\": 0.3, \"density\": 2700}}, "
    "\"bodies\": ["
    "{\"name\": \"left\", \"type\": \"beam\", \"section\": \"s\", \"elements\": 4, \"group\": "
    "\"SE3\", \"position\": [0, 0, 0], \"end\": [0, 0, 2]}, "
    "{\"name\": \"right\", \"type\": \"beam\", \"section\": \"s\", \"elements\": 3, \"group\": "
    "\"R3xSO3\", \"damping_factor\": 0.01, \"position\": [3, 0, 0], \"end\": [3, 0.5, 2]}, "
    "{\"name\": \"across\", \"type\": \"beam\", \"section\": \"s\", \"elements\": 5, \"group\": "
    "\"R3xSO3\", \"inertia\": \"lumped\", \"position\": [0, 0, 2], \"end\": [3, 0.5, 2]}, "
    "{\"name\": \"box\", \"type\": \"rigid_body\", \"mass\": 4, \"inertia\": [0.1, 0.2, 0.3], "
    "\"position\": [1, 1, 1]}], "
    "\"joints\": ["
    "{\"name\": \"a\", \"type\": \"weld\", \"a\": \"ground\", \"b\": \"left.start\"}, "
    "{\"name\": \"b\", \"type\": \"weld\", \"a\": {\"body\": \"ground\", \"position\": [3, 0, 0]}, "
    "\"b\": \"right.start\"}, "
    "{\"name\": \"c\", \"type\": \"spherical\", \"a\": \"left.end\", \"b\": \"across.start\"}, "
    "{\"name\": \"d\", \"type\": \"weld\", \"a\": \"right.end\", \"b\": \"across.end\"}], "
    "\"forces\": ["
    "{\"name\": \"k\", \"type\": \"bushing\", \"a\": {\"body\": \"ground\", \"position\": [1, 1, "
    "1]}, "
    "\"b\": \"box\", \"stiffness\": [900, 800, 700], \"rotational_stiffness\": [30, 40, 50], "
    "\"damping\": [9, 8, 7], \"rotational_damping\": [3, 4, 5]}, "
    "{\"name\": \"f\", \"type\": \"force\", \"at\": \"box\", \"force\": [5, -3, 1], \"axes\": "
    "\"body\"}], "
    "\"statics\": {\"steps\": 3}}";

/* Calls of `factor` are made twice, at rest and with velocities and accelerations of zero, which
 * asks for all terms; both matrices are compared, and the second one serves.  Evaluations of beams
 * that ask for M or C are counted. */
static struct {
  torsor_status (*factor)(void *self, const torsor_point *p, const torsor_weights *w);
  torsor_status (*eval)(const void *self, const torsor_element_in *in, torsor_element_out *out);
  const double *zero;
  double *matrix;
  long matrices, different, inertial;
} watch;

static const double *matrix_of(int *count, const assembly *a) {
  return assembly_matrix(a, count, NULL, NULL);
}

static torsor_status watched_factor(void *self, const torsor_point *p, const torsor_weights *w) {
  torsor_point at = *p;
  int count;
  CHECK_TRUE(!p->v && !p->a);
  const torsor_status rest = watch.factor(self, p, w);
  if (!watch.zero || w->system != TORSOR_SYSTEM_INDEX3) return rest;
  const double *matrix = matrix_of(&count, self);
  watch.matrix = realloc(watch.matrix, (size_t)count * sizeof *matrix);
  memcpy(watch.matrix, matrix, (size_t)count * sizeof *matrix);
  at.v = at.a = watch.zero;
  const torsor_status motion = watch.factor(self, &at, w);
  matrix = matrix_of(&count, self);
  for (int i = 0; i < count; ++i) watch.different += watch.matrix[i] != matrix[i];
  ++watch.matrices;
  CHECK_INT(rest, motion);
  return motion;
}

static torsor_status watched_eval(const void *self, const torsor_element_in *in,
                                  torsor_element_out *out) {
  watch.inertial += out->C || (out->M && out->K);
  return watch.eval(self, in, out);
}

/* Beam elements of the model are counted from now on. */
static void count_beams(torsor_model *model) {
  static torsor_element_type counted;
  for (int i = 0; i < model->element_count; ++i) {
    model_element *e = &model->element[i];
    if (e->type == &counted || strcmp(e->type->name, "beam_element") != 0) continue;
    counted = *e->type;
    watch.eval = e->type->eval;
    counted.eval = watched_eval;
    e->type = &counted;
  }
}

/* q [nq] = the equilibrium of the scene. */
static double *settle(const support_world *world, bool as_motion) {
  const torsor_model *model = world->model;
  double *zero = calloc((size_t)model->nv, sizeof *zero);
  double *q = calloc((size_t)model->nq, sizeof *q);
  assembly *a;
  torsor_error error = {0};
  CHECK_INT(assembly_create(&a, model, NULL, false, NULL), TORSOR_OK);
  watch.factor = a->problem.factor;
  watch.zero = as_motion ? zero : NULL;
  watch.matrices = watch.different = watch.inertial = 0;
  a->problem.factor = watched_factor;
  const torsor_status status =
      statics_settle(q, a, model, torsor_scene_statics(world->scene), NULL, NULL, &error);
  if (status) fail_msg("%s", error.message);
  assembly_destroy(a);
  free(zero);
  free(watch.matrix);
  watch.matrix = NULL;
  return q;
}

static void compare(const char *name, const support_world *world) {
  const size_t nq = (size_t)world->model->nq;
  count_beams(world->model);
  double *rest = settle(world, false);
  const long asked = watch.inertial;
  double *motion = settle(world, true);
  print_message(
      "  %s: %ld matrices, %ld and %ld evaluations of beams with inertia, %ld entries differ\n",
      name, watch.matrices, asked, watch.inertial, watch.different);
  CHECK_INT(asked, 0);
  CHECK_GE((double)watch.inertial, (double)watch.matrices);
  CHECK_INT(watch.different, 0);
  CHECK_INT(memcmp(rest, motion, nq * sizeof *rest), 0);
  free(rest);
  free(motion);
}

/* Zeros may differ in their sign, which no sum tells. */
static void same_bits(void **state) {
  (void)state;
  static const char *const scenes[] = {"bend_45",        "elastica",
                                       "princeton_beam", "composite_cantilever",
                                       "helix",          "right_angle_frame"};
  support_world world;
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; ++i) {
    support_load(&world, scenes[i], NULL);
    compare(scenes[i], &world);
    support_close(&world);
  }
  torsor_error error;
  if (support_open(&world, portal, NULL, &error)) fail_msg("%s: %s", error.path, error.message);
  compare("portal", &world);
  support_close(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
