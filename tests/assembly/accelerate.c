/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Accelerations and multipliers by the matrix of the multipliers and by that of all unknowns. */
#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "assembly/assembly.h"
#include "assembly/assembly_private.h"
#include "mechanisms/mechanism.h"
#include "support.h"

/* Rounding errors of some hundred terms on the way to each number, in both ways. */
#define ROUNDING (256 * CHECK_EPS)

enum { MECHANISMS = 400 };

typedef struct tally {
  int models, refused, singular, compared;
  int spurned;  /* singular places where the matrix of all unknowns is regular, but for models with
                   joints that do not act */
  double worst; /* largest difference over its bound */
  double alone; /* largest of alone_difference */
} tally;

/* Smallest pivot of S in parts of the diagonal entry that it comes from. */
static double least_pivot(const assembly *a) {
  const accelerator *s = &a->accelerator;
  double least = 1;
  for (int j = 0; j < s->S.count; ++j) {
    const small_column *c = &s->S.column[j];
    for (int k = 0; k < c->rows; ++k) {
      const double inverse = s->value[c->diagonal + k * (small_blocks_pad(c->rows) + 1)];
      least = fmin(least, 1 / (inverse * s->diagonal[c->first + k]));
    }
  }
  return least;
}

static double largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; ++i) most = check_max(most, fabs(x[i]));
  return most;
}

static double difference(const double *x, const double *y, int n) {
  double most = 0;
  for (int i = 0; i < n; ++i) most = check_max(most, fabs(x[i] - y[i]));
  return most;
}

/* Difference of two solutions x, y [nv + nl] of a system with the right-hand side `given`, in parts
 * of what rounding errors are multiples of: for accelerations what the forces would make of bodies
 * without joints, as that may be almost all cancelled, and for multipliers the forces. */
static double relative_difference(const torsor_problem *problem, const torsor_point *p,
                                  const double *x, const double *y, const double *given, double m) {
  const int nv = problem->nv, nl = problem->nl;
  const torsor_weights w = {.system = TORSOR_SYSTEM_MASS, .m = 1};
  double *free_motion = calloc((size_t)(nv + nl), sizeof *free_motion);
  CHECK_INT(problem->factor(problem->self, p, &w), TORSOR_OK);
  memcpy(free_motion, given, (size_t)nv * sizeof *given);
  CHECK_INT(problem->solve_mass(problem->self, free_motion), TORSOR_OK);
  const double most = fmax(largest(free_motion, nv) / m, largest(y, nv));
  const double force = fmax(largest(given, nv), largest(y + nv, nl));
  free(free_motion);
  const double u = most > 0 ? difference(x, y, nv) / most : 0;
  return fmax(u, force > 0 ? difference(x + nv, y + nv, nl) / force : 0);
}

/* (-g, -phi_a), the right-hand side of accelerations. */
static void find_right_side(double *out, const torsor_problem *problem, torsor_point p) {
  double *zero = calloc((size_t)(problem->nv + problem->nl), sizeof *zero);
  p.a = zero;
  p.lambda = zero + problem->nv;
  CHECK_INT(problem->residual(problem->self, &p, out, NULL, NULL), TORSOR_OK);
  if (problem->nl) CHECK_INT(problem->hidden(problem->self, &p, out + problem->nv), TORSOR_OK);
  for (int i = 0; i < problem->nv + problem->nl; ++i) out[i] = -out[i];
  free(zero);
}

/* Solve with the matrix of all unknowns. */
static void solve_whole(double *x, const torsor_problem *problem, const torsor_point *p, double m) {
  const torsor_weights w = {.system = TORSOR_SYSTEM_ACCELERATION, .m = m};
  CHECK_INT(problem->factor(problem->self, p, &w), TORSOR_OK);
  CHECK_INT(problem->solve(problem->self, x), TORSOR_OK);
}

/* Numbers of an element with rows: phi, phi_v, phi_a and B. */
enum { ELEMENT_SIZE = 6 * TORSOR_ELEMENT_NODES };
enum { ELEMENT_NUMBERS = TORSOR_ELEMENT_ROWS * (ELEMENT_SIZE + 3) };

static torsor_element_out outputs(double *x, const model_element *e, bool levels,
                                  bool accelerations) {
  torsor_element_out out = {0};
  if (levels) out.phi = x, out.phi_v = x + e->rows;
  if (accelerations) out.phi_a = x + 2 * e->rows, out.B = x + 3 * e->rows;
  return out;
}

/* The residual with multipliers, rows and B as steps ask for them, against the same beside Z, which
 * the joint kit finds: the largest difference, in parts of the largest number. */
static double step_difference(assembly *a, int i, const torsor_point *p, check_rng *random) {
  const model_element *e = &a->model->element[i];
  const int size = 6 * e->nodes, count = e->rows, numbers = size + count * (size + 2);
  double x[2][ELEMENT_NUMBERS + ELEMENT_SIZE] = {0};
  double lambda[TORSOR_ELEMENT_ROWS], Z[TORSOR_ELEMENT_ROWS * ELEMENT_SIZE] = {0};
  torsor_element_in in = assembly_element_in(a, i, p);
  for (int k = 0; k < count; ++k) lambda[k] = check_uniform(random, -1, 1);
  in.lambda = lambda;
  for (int k = 0; k < 2; ++k) {
    torsor_element_out out = {.r = x[k],
                              .phi = x[k] + size,
                              .phi_v = x[k] + size + count,
                              .B = x[k] + size + 2 * count,
                              .Z = k ? Z : NULL};
    if (assembly_eval(a, i, &in, &out)) return 0;
  }
  return difference(x[0], x[1], numbers) / fmax(largest(x[1], numbers), DBL_MIN);
}

/* phi and phi_v as projections ask for them, and r, phi_a and B as accelerations do, against all
 * together: the largest difference, in parts of the largest number. */
static double alone_difference(assembly *a, int i, const torsor_point *p) {
  const model_element *e = &a->model->element[i];
  const int numbers = e->rows * (6 * e->nodes + 3);
  double x[2][ELEMENT_NUMBERS] = {0}, r[ELEMENT_SIZE] = {0};
  double Z[TORSOR_ELEMENT_ROWS * ELEMENT_SIZE] = {0};
  const torsor_element_in in = assembly_element_in(a, i, p);
  torsor_element_out levels = outputs(x[0], e, true, false);
  torsor_element_out accelerations = outputs(x[0], e, false, true);
  torsor_element_out all = outputs(x[1], e, true, true);
  accelerations.r = r;
  all.Z = Z;
  const torsor_status status = assembly_eval(a, i, &in, &all);
  CHECK_INT(assembly_eval(a, i, &in, &levels), status);
  CHECK_INT(assembly_eval(a, i, &in, &accelerations), status);
  if (status) return 0;
  return difference(x[0], x[1], numbers) / fmax(largest(x[1], numbers), DBL_MIN);
}

static double largest_alone(assembly *a, const torsor_point *p, check_rng *random) {
  double most = 0;
  torsor_point at = *p;
  at.a = at.lambda = NULL;
  assembly_set_motion(a, &at);
  for (int i = 0; i < a->model->element_count; ++i)
    if (a->model->element[i].rows) {
      most = check_max(most, alone_difference(a, i, &at));
      most = check_max(most, step_difference(a, i, &at, random));
    }
  return most;
}

/* B v' + phi_a at once, against phi_a and the difference of two velocities, in parts of the largest
 * of these. */
static double defect_difference(const torsor_problem *problem, torsor_point p, check_rng *random) {
  const int nv = problem->nv, nl = problem->nl;
  double *a = calloc(2 * (size_t)nv + 4 * (size_t)nl + 1, sizeof *a), *v = a + nv;
  double *at_once = v + nv, *phi_a = at_once + nl, *there = phi_a + nl, *here = there + nl;
  for (int i = 0; i < nv; ++i) {
    a[i] = check_uniform(random, -1, 1);
    v[i] = p.v[i] + a[i];
  }
  p.a = a;
  torsor_status status = problem->hidden(problem->self, &p, phi_a);
  CHECK_INT(problem->defect(problem->self, &p, at_once), status);
  if (!status) status = problem->residual(problem->self, &p, NULL, NULL, here);
  p.v = v;
  if (!status) status = problem->residual(problem->self, &p, NULL, NULL, there);
  const double most = fmax(largest(phi_a, nl), fmax(largest(here, nl), largest(there, nl)));
  for (int i = 0; i < nl; ++i) phi_a[i] += there[i] - here[i];
  const double off = difference(at_once, phi_a, nl);
  free(a);
  return status ? 0 : off / fmax(most, DBL_MIN);
}

/* Accelerations, and what is solved for with the same factors and a factor on M. */
static void compare_at(tally *t, assembly *a, const torsor_point *p, check_rng *random) {
  const torsor_problem *problem = assembly_problem(a);
  const int nv = problem->nv, n = nv + problem->nl;
  const double m = 0.3;
  double *x = calloc(6 * (size_t)n, sizeof *x), *solved = x + n, *given = x + 2 * n;
  double *right = x + 3 * n, *whole = x + 4 * n, *other = x + 5 * n;
  for (int i = 0; i < n; ++i) solved[i] = given[i] = other[i] = check_uniform(random, -1, 1);
  const torsor_status status = problem->accelerate(problem->self, p, x, x + nv, m);
  if (status == TORSOR_SINGULAR) {
    const torsor_weights w = {.system = TORSOR_SYSTEM_ACCELERATION, .m = m};
    ++t->singular;
    t->spurned += !a->released && problem->factor(problem->self, p, &w) == TORSOR_OK;
  }
  if (!status) {
    const double bound = ROUNDING / least_pivot(a);
    CHECK_INT(problem->solve(problem->self, solved), TORSOR_OK);
    find_right_side(right, problem, *p);
    memcpy(whole, right, (size_t)n * sizeof *right);
    solve_whole(whole, problem, p, 1);
    solve_whole(other, problem, p, m);
    const double off = relative_difference(problem, p, x, whole, right, 1);
    const double apart = relative_difference(problem, p, solved, other, given, m);
    t->worst = check_max(t->worst, fmax(off, apart) / bound);
    ++t->compared;
  }
  free(x);
}

/* At the start, and at two places nearby, where constraints need not hold, with other velocities.
 */
static void compare(tally *t, const torsor_model *model, check_rng *random) {
  assembly *a;
  CHECK_INT(assembly_create(&a, model, NULL, false, NULL), TORSOR_OK);
  const torsor_problem *problem = assembly_problem(a);
  ++t->models;
  if (!problem->accelerate) ++t->refused;
  double *q = calloc((size_t)problem->nq + 1, sizeof *q);
  double *v = calloc((size_t)problem->nv + 1, sizeof *v), *u = calloc((size_t)problem->nv + 1, 8);
  unsigned char *given = calloc((size_t)problem->nv + 1, 1);
  assembly_initial(a, q, v, given);
  torsor_point p = {.q = q, .v = v};
  assembly_start_coordinates(a, &p);
  for (int k = 0; k < 3 && problem->accelerate; ++k) {
    compare_at(t, a, &p, random);
    t->alone = check_max(t->alone, largest_alone(a, &p, random));
    t->alone = check_max(t->alone, defect_difference(problem, p, random));
    for (int i = 0; i < problem->nv; ++i) {
      u[i] = check_uniform(random, -0.05, 0.05) * (problem->rotation[i] ? 1 : problem->length);
      v[i] += check_uniform(random, -1, 1);
    }
    problem->plus(problem->self, q, q, u);
  }
  free(q), free(v), free(u), free(given);
  assembly_destroy(a);
}

static void report(const char *name, const tally *t) {
  print_message("  %s: %d models, %d have no such way; %d places, %d of them singular\n", name,
                t->models, t->refused, t->compared + t->singular, t->singular);
  check_report("largest difference over its bound", t->worst, 1);
  check_report("rows, forces, accelerations alone and together", t->alone, ROUNDING);
  CHECK_LE(t->worst, 1);
  CHECK_LE(t->alone, ROUNDING);
  CHECK_INT(t->spurned, 0);
}

static void shipped_scenes(void **state) {
  (void)state;
  static const char *const groups[] = {"group=SE3", "group=R3xSO3"};
  char folder[1000];
  support_path(folder, sizeof folder, "scenes");
  struct dirent **files;
  const int count = scandir(folder, &files, NULL, alphasort);
  CHECK_GE(count, 1);
  tally t = {0};
  check_rng random = {20};
  for (int i = 0; i < count; ++i) {
    char name[300];
    snprintf(name, sizeof name, "%s", files[i]->d_name);
    char *end = strstr(name, ".json");
    free(files[i]);
    if (end) *end = '\0';
    for (int g = 0; g < 2 && end; ++g) {
      support_world world;
      support_load(&world, name, (const char *const[]){groups[g], NULL});
      compare(&t, world.model, &random);
      support_close(&world);
    }
  }
  free(files);
  report("shipped scenes", &t);
  CHECK_GE(t.compared, 200);
}

static void random_mechanisms(void **state) {
  (void)state;
  tally t = {0};
  check_rng random = {7};
  for (uint64_t seed = 0; seed < MECHANISMS; ++seed) {
    mechanism m;
    mechanism_draw(&m, seed);
    /* One in a hundred is that small, or that large. */
    const double scale = seed % 100 == 1 ? 1e-4 : seed % 100 == 2 ? 1e3 : 1;
    const change c = {.move = {{1, 0, 0, 0}, {0, 0, 0}}, .s = scale, .step = MECHANISM_STEP};
    char *text = mechanism_scene(&m, &c);
    support_world world;
    torsor_error error = {0};
    const torsor_status status = support_open(&world, text, NULL, &error);
    free(text);
    if (status) continue;
    compare(&t, world.model, &random);
    support_close(&world);
  }
  report("random mechanisms", &t);
  CHECK_GE(t.compared, MECHANISMS / 4);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shipped_scenes),
      cmocka_unit_test(random_mechanisms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
