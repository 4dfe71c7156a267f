/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chart q0 exp(u) of a problem and its derivative: minus, T^-1 and T^-T. */
#include "check.h"

#include <stdio.h>

#include "assembly/assembly.h"
#include "problems/heavy_top.h"
#include "problems/pendulum.h"
#include "support.h"

enum { MOST = 32 };

/* Central differences: eps^(2/3) = 3.7e-11 at best, times 100 for third derivatives of T^-1. */
#define DIFFERENCE 4e-9
/* Solutions with T, whose condition is below 3 at a rotation of 1, and a few products. */
#define ROUND_OFF (64 * CHECK_EPS)

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/* log(q0^-1 q0 exp(u) exp(h w)) */
static void moved(double *out, const torsor_problem *p, const double *q0, const double *u,
                  const double *w, double h) {
  double q[MOST], e[MOST];
  for (int i = 0; i < p->nv; ++i) e[i] = h * w[i];
  p->plus(p->self, q, q0, u);
  p->plus(p->self, q, q, e);
  p->minus(p->self, out, q, q0);
}

static void check_chart(const char *name, const torsor_problem *p, const double *q0) {
  check_rng rng = {.state = 271828};
  double u[MOST] = {0}, w[MOST] = {0}, x[MOST] = {0}, a[MOST], b[MOST], up[MOST], down[MOST];
  const int n = p->nv;
  const double h = cbrt(CHECK_EPS);
  for (int i = 0; i < n; ++i) {
    u[i] = check_uniform(&rng, -0.6, 0.6);
    w[i] = check_uniform(&rng, -1, 1);
    x[i] = check_uniform(&rng, -1, 1);
  }
  moved(a, p, q0, u, w, 0);
  double undone = 0, difference = 0;
  for (int i = 0; i < n; ++i) undone = check_max(undone, fabs(a[i] - u[i]));
  moved(up, p, q0, u, w, h);
  moved(down, p, q0, u, w, -h);
  p->taninv(p->self, a, u, w, false);
  for (int i = 0; i < n; ++i)
    difference = check_max(difference, fabs(a[i] - (up[i] - down[i]) / (2 * h)));
  p->taninv(p->self, b, u, x, true);
  const double pairing = fabs(dot(x, a, n) - dot(b, w, n));
  printf("  %-22s minus undoes plus to %.1e, T^-1 differs by %.1e, its transpose by %.1e\n", name,
         undone, difference, pairing);
  CHECK_NEAR(undone, 0, ROUND_OFF);
  CHECK_NEAR(difference, 0, DIFFERENCE);
  CHECK_NEAR(pairing, 0, ROUND_OFF);
}

static void dense_problems(void **state) {
  (void)state;
  static const struct {
    const char *name;
    heavy_top_group group;
  } tops[] = {{"heavy top, R3xSO3", HEAVY_TOP_R3SO3},
              {"heavy top, SE3", HEAVY_TOP_SE3},
              {"heavy top, SO3", HEAVY_TOP_SO3}};
  torsor_problem *p;
  for (size_t i = 0; i < sizeof tops / sizeof *tops; ++i) {
    const torsor_dense d = heavy_top_dense(tops[i].group);
    double q[7], v[6];
    heavy_top_initial(q, v, tops[i].group);
    CHECK_INT(torsor_dense_create(&p, &d, NULL), TORSOR_OK);
    check_chart(tops[i].name, p, q);
    torsor_dense_destroy(p);
  }
  const torsor_dense plane = pendulum_dense();
  double q[2], v[2];
  pendulum_initial(q, v, 0.2);
  CHECK_INT(torsor_dense_create(&p, &plane, NULL), TORSOR_OK);
  check_chart("pendulum, R^2", p, q);
  torsor_dense_destroy(p);
}

/* Half a turn too much: there is no T^-1. */
static void beyond_the_chart(void **state) {
  (void)state;
  const torsor_dense d = heavy_top_dense(HEAVY_TOP_SO3);
  torsor_problem *p;
  const double u[3] = {0, 0, 2 * 3.14159265358979324}, w[3] = {1, 0, 0};
  double out[3];
  CHECK_INT(torsor_dense_create(&p, &d, NULL), TORSOR_OK);
  p->taninv(p->self, out, u, w, false);
  CHECK_TRUE(!isfinite(out[0]));
  torsor_dense_destroy(p);
}

static void assembled_problem(void **state) {
  (void)state;
  static const char text[] =
      "{\"torsor\": 1, \"bodies\": ["
      "{\"name\": \"a\", \"type\": \"rigid_body\", \"group\": \"R3xSO3\", \"mass\": 2,"
      " \"inertia\": [0.5, 0.6, 0.7], \"position\": [0.2, 0.1, -0.3],"
      " \"orientation\": {\"rotation_vector\": [0.3, -0.5, 0.8]}},"
      "{\"name\": \"b\", \"type\": \"rigid_body\", \"group\": \"SE3\", \"mass\": 3,"
      " \"inertia\": [0.4, 0.5, 0.6], \"position\": [1, -1, 0.5],"
      " \"orientation\": {\"rotation_vector\": [-0.7, 0.2, 1.1]}},"
      "{\"name\": \"c\", \"type\": \"rigid_body\", \"group\": \"SO3\", \"mass\": 1.5,"
      " \"inertia\": [0.3, 0.4, 0.2], \"position\": [0, 2, 1]},"
      "{\"name\": \"p\", \"type\": \"point_mass\", \"mass\": 0.7, \"position\": [0.5, 0.5, 2]}]}";
  support_world world;
  torsor_error error = {0};
  assembly *a;
  double q[MOST], v[MOST];
  unsigned char given[MOST];
  CHECK_INT(support_open(&world, text, NULL, &error), TORSOR_OK);
  CHECK_INT(assembly_create(&a, world.model, NULL, false, &error), TORSOR_OK);
  assembly_initial(a, q, v, given);
  check_chart("all groups, assembled", assembly_problem(a), q);
  assembly_destroy(a);
  support_close(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(dense_problems),
                                     cmocka_unit_test(beyond_the_chart),
                                     cmocka_unit_test(assembled_problem)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
