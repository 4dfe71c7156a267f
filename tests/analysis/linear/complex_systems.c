/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parts of linear systems: differences, complex factors, GMRES; and the library's functions. */
#include "check.h"

#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <torsor/scene.h>

#include "analysis/linear/difference.h"
#include "analysis/linear/gmres.h"
#include "assembly/solver/complex_solver.h"

/* ---- differences ---------------------------------------------------------------------------- */

/* Functions whose derivatives at 0 are 3, 2, 1000, and 0. */
static torsor_status functions(void *data, double x, double *value) {
  (void)data;
  value[0] = 3 * x + 5 * x * x;
  value[1] = sin(2 * x);
  value[2] = tanh(1000 * x);
  value[3] = fabs(x) + 7;
  return TORSOR_OK;
}

/* Not defined beyond 1e-3. */
static torsor_status narrow(void *data, double x, double *value) {
  (void)data;
  if (fabs(x) > 1e-3) return TORSOR_DOMAIN;
  value[0] = sqrt(1e-3 + x);
  return TORSOR_OK;
}

static torsor_status nowhere(void *data, double x, double *value) {
  (void)data, (void)x, (void)value;
  return TORSOR_DOMAIN;
}

static void differences_settle_on_their_own_scale(void **state) {
  (void)state;
  arena memory = {0};
  difference d;
  double D[4];
  CHECK_INT(TORSOR_OK, difference_create(&d, 4, &memory));
  CHECK_INT(TORSOR_OK, difference_find(D, &d, functions, NULL, 1.0 / 64));
  printf("  %.1e %.1e %.1e %.1e\n", D[0] - 3, D[1] - 2, D[2] - 1000, D[3]);
  /* round-off of values near 0.1 over steps of 1e-2, and of values of 1 over steps of 1e-5 */
  CHECK_NEAR(D[0], 3, 1e-13);
  CHECK_NEAR(D[1], 2, 1e-12);
  CHECK_NEAR(D[2], 1000, 1e-8);
  CHECK_NEAR(D[3], 0, 1e-12);
  difference_create(&d, 1, &memory);
  CHECK_INT(TORSOR_OK, difference_find(D, &d, narrow, NULL, 1));
  CHECK_NEAR(D[0] * 2 * sqrt(1e-3), 1, 1e-10);
  CHECK_INT(difference_find(D, &d, nowhere, NULL, 1), TORSOR_DOMAIN);
  arena_release(&memory);
}

/* ---- complex systems ---------------------------------------------------------------------------
 */

enum { SIZE = 40 };

static double complex number_of(double re, double im) {
  const double parts[] = {re, im};
  double complex z;
  memcpy(&z, parts, sizeof z);
  return z;
}

/* A full pattern. */
static pattern full_pattern(int *Ap, int *Ai) {
  for (int j = 0; j <= SIZE; ++j) Ap[j] = j * SIZE;
  for (int k = 0; k < SIZE * SIZE; ++k) Ai[k] = k % SIZE;
  return (pattern){SIZE, SIZE * SIZE, Ap, Ai};
}

/* The largest of A x - b over the largest of b. */
static double residual(const double complex *A, const double complex *x, const double complex *b) {
  double off = 0, size = 0;
  for (int i = 0; i < SIZE; ++i) {
    double complex sum = -b[i];
    for (int j = 0; j < SIZE; ++j) sum += A[j * SIZE + i] * x[j];
    off = fmax(off, cabs(sum));
    size = fmax(size, cabs(b[i]));
  }
  return off / size;
}

static void complex_factors_solve(void **state) {
  (void)state;
  static double complex A[SIZE * SIZE], x[SIZE], b[SIZE];
  static int Ap[SIZE + 1], Ai[SIZE * SIZE];
  const pattern p = full_pattern(Ap, Ai);
  check_rng rng = {7};
  complex_solver *solver;
  CHECK_INT(TORSOR_OK, complex_solver_create(&solver, &p));
  CHECK_TRUE(complex_solver_work(solver) > 0);
  double worst = 0;
  for (int trial = 0; trial < 20; ++trial) {
    /* rows and columns of very different units; some with new values for the old pivots */
    for (int i = 0; i < SIZE; ++i)
      for (int j = 0; j < SIZE; ++j)
        A[j * SIZE + i] = pow(10, i % 7 - j % 5) *
                          number_of(check_uniform(&rng, -1, 1), check_uniform(&rng, -1, 1));
    for (int i = 0; i < SIZE; ++i)
      b[i] = x[i] = pow(10, i % 7) * number_of(check_uniform(&rng, -1, 1), 1);
    CHECK_INT(TORSOR_OK, complex_solver_factor(solver, (const double *)A));
    CHECK_INT(TORSOR_OK, complex_solver_solve(solver, (double *)x));
    worst = fmax(worst, residual(A, x, b));
  }
  printf("  residual %.1e\n", worst);
  CHECK_TRUE(worst <
             1e-12); /* a hundred roundings of random matrices whose condition is some hundreds */
  for (int j = 0; j < SIZE; ++j) A[j * SIZE + 3] = A[j * SIZE + 4] = 0;
  CHECK_INT(complex_solver_factor(solver, (const double *)A), TORSOR_SINGULAR);
  A[5] = number_of(0, (double)NAN);
  CHECK_INT(complex_solver_factor(solver, (const double *)A), TORSOR_NONFINITE);
  complex_solver_destroy(solver);
}

static torsor_status times(void *data, double *out, const double *x) {
  const double complex *A = data, *from = (const double complex *)(const void *)x;
  double complex *to = (double complex *)(void *)out;
  for (int i = 0; i < SIZE; ++i) {
    to[i] = 0;
    for (int j = 0; j < SIZE; ++j) to[i] += A[j * SIZE + i] * from[j];
  }
  return TORSOR_OK;
}

static void gmres_ends_after_as_many_steps_as_there_are_eigenvalues(void **state) {
  (void)state;
  static double complex A[SIZE * SIZE], x[SIZE], b[SIZE];
  arena memory = {0};
  gmres g;
  double left;
  int iterations;
  check_rng rng = {11};
  CHECK_INT(TORSOR_OK, gmres_create(&g, SIZE, SIZE, &memory));
  for (int different = 1; different <= 5; ++different) {
    for (int i = 0; i < SIZE; ++i)
      for (int j = 0; j < SIZE; ++j)
        A[j * SIZE + i] = i == j ? number_of(1 + i % different, i % different) : 0;
    for (int i = 0; i < SIZE; ++i) b[i] = x[i] = number_of(check_uniform(&rng, -1, 1), 1);
    CHECK_INT(TORSOR_OK, gmres_solve((double *)x, &g, times, A, 1e-13, &left, &iterations));
    printf("  %d eigenvalues: %d iterations, %.1e\n", different, iterations, residual(A, x, b));
    CHECK_INT(iterations, different);
    CHECK_TRUE(residual(A, x, b) < 1e-12);
  }
  for (int k = 0; k < SIZE * SIZE; ++k)
    A[k] = (k % (SIZE + 1) ? 0.3 : 3) * number_of(check_uniform(&rng, -1, 1), 1);
  memcpy(b, x, sizeof b);
  CHECK_INT(TORSOR_OK, gmres_solve((double *)x, &g, times, A, 1e-13, &left, &iterations));
  printf("  full matrix: %d iterations, %.1e\n", iterations, residual(A, x, b));
  CHECK_TRUE(residual(A, x, b) < 1e-11);
  memset(x, 0, sizeof x);
  CHECK_INT(TORSOR_OK, gmres_solve((double *)x, &g, times, A, 1e-13, &left, &iterations));
  CHECK_INT(iterations, 0);
  arena_release(&memory);
}

/* ---- the library --------------------------------------------------------------------------------
 */

static const char scene_text[] =
    "{\"torsor\": 1, \"inputs\": {\"push\": 0}, \"bodies\": [{\"name\": \"m\", \"type\": "
    "\"point_mass\", \"mass\": 2}], \"joints\": [{\"name\": \"line\", \"type\": "
    "\"point_on_line\", \"axis\": [1, 0, 0], \"a\": \"ground\", \"b\": \"m\"}], \"forces\": "
    "[{\"name\": \"spring\", \"type\": \"coordinate_spring\", \"coordinate\": \"line.travel\", "
    "\"stiffness\": 50, \"damping\": 1}, {\"name\": \"f\", \"type\": \"force\", \"at\": \"m\", "
    "\"force\": [1, 0, 0], \"scale\": \"push\"}], \"linear\": {\"inputs\": [\"push\"], "
    "\"outputs\": [\"line.travel\"], \"frequencies\": [0, 1]}}";

static void the_library_linearises_a_scene(void **state) {
  (void)state;
  torsor_registry *registry;
  torsor_scene *scene;
  torsor_model *model;
  torsor_linear *linear;
  torsor_error error = {0};
  int inputs, outputs;
  registry = torsor_registry_create(&error);
  CHECK_TRUE(registry);
  CHECK_INT(TORSOR_OK, torsor_scene_parse(&scene, scene_text, strlen(scene_text), "text", registry,
                                          NULL, 0, &error));
  CHECK_INT(TORSOR_OK, torsor_scene_model(&model, scene, &error));
  const torsor_linear_request *request = torsor_scene_linear(scene);
  CHECK_INT(request->frequencies, 2);
  CHECK_INT(TORSOR_OK, torsor_linear_find(&linear, model, &request->settings, NULL, &error));
  const torsor_state_space *space = torsor_linear_state_space(linear);
  CHECK_INT(space->states, 2);
  CHECK_STR(space->state[1].name, "line.speed");
  CHECK_NEAR(space->A[2], -25, 1e-12);
  CHECK_NEAR(space->A[3], -0.5, 1e-12);
  CHECK_NEAR(space->B[1], 0.5, 1e-12);
  CHECK_STR(torsor_linear_inputs(linear, &inputs)[0].name, "push");
  CHECK_STR(torsor_linear_outputs(linear, &outputs)[0].unit, "m");
  double response[4];
  CHECK_INT(TORSOR_OK, torsor_linear_response(response, linear, (double[]){0, 5}, 2, NULL, &error));
  CHECK_NEAR(response[0], 0.02, 1e-14);
  CHECK_NEAR(response[2], 0, 1e-14);
  CHECK_NEAR(response[3], -0.2, 1e-14);
  CHECK_INT(torsor_linear_system(linear)->velocities, 3);
  CHECK_NEAR(torsor_linear_terms_of(linear).H[0][0], 1, 1e-12);
  torsor_linear_destroy(linear);
  torsor_linear_settings sparse = request->settings;
  sparse.descriptor = true;
  CHECK_INT(TORSOR_OK, torsor_linear_find(&linear, model, &sparse, NULL, &error));
  CHECK_TRUE(!torsor_linear_state_space(linear));
  torsor_linear_destroy(linear);
  sparse.size = 0;
  CHECK_INT(torsor_linear_find(&linear, model, &sparse, NULL, &error), TORSOR_ARGUMENT);
  CHECK_TRUE(!linear);
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  torsor_registry_destroy(registry);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(differences_settle_on_their_own_scale),
      cmocka_unit_test(complex_factors_solve),
      cmocka_unit_test(gmres_ends_after_as_many_steps_as_there_are_eigenvalues),
      cmocka_unit_test(the_library_linearises_a_scene),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
