/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A kept factorisation follows bodies that turn, whatever axes their groups and the joints with the
 * ground have. */
#include "check.h"

#include <string.h>

#include <torsor/lie.h>

#include "assembly/assembly.h"
#include "support.h"

enum { NQ = 21, NV = 18, NL = 10 };

/* A state: it need not satisfy the joints. */
typedef struct motion {
  const torsor_problem *problem;
  double q[NQ], v[NV], acc[NV], lambda[NL];
} motion;

#define MARKER(body, x, w)                                                                         \
  "{\"body\": \"" body "\", \"position\": " x ", \"orientation\":"                                 \
  " {\"rotation_vector\": " w "}}"

static const v3 pivot = {0.4, -0.2, 0.7};
static const v3 pivot_axes = {0.5, 0.3, -0.8};

/* Two bodies on R3xSO(3), one on SE(3), in a row that hangs on the ground. */
/* clang-format off */
static const char hanging[] =
    "{\"torsor\": 1, \"bodies\": ["
    "{\"name\": \"a\", \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.5, 0.6, 0.7],"
    " \"center_of_mass\": [0.1, -0.2, 0.3], \"position\": [1, 2, 3]},"
    "{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 3, \"inertia\": [0.4, 0.5, 0.6],"
    " \"position\": [2, 2, 3]},"
    "{\"name\": \"c\", \"type\": \"rigid_body\", \"group\": \"SE3\", \"mass\": 1,"
    " \"inertia\": [0.4, 0.5, 0.6], \"position\": [3, 2, 3]}],"
    " \"joints\": [{\"name\": \"j1\", \"type\": \"spherical\","
    " \"a\": " MARKER("ground", "[0.4, -0.2, 0.7]", "[0.5, 0.3, -0.8]") ","
    " \"b\": " MARKER("a", "[0.3, 0.2, -0.4]", "[1, 0, 0.4]") "},"
    "{\"name\": \"j2\", \"type\": \"spherical\","
    " \"a\": " MARKER("a", "[0.1, 0.7, 0]", "[0.5, -0.6, 0.1]") ","
    " \"b\": " MARKER("b", "[0.4, 0, 0.3]", "[-0.3, 0.2, 0.9]") "},"
    "{\"name\": \"j3\", \"type\": \"universal\", \"axis_a\": [1, 0, 0], \"axis_b\": [0, 1, 0],"
    " \"a\": " MARKER("b", "[0.1, 0.7, 0]", "[0.5, -0.6, 0.1]") ","
    " \"b\": " MARKER("c", "[0.4, 0, 0.3]", "[-0.3, 0.2, 0.9]") "}]}";
/* clang-format on */

/* The whole state turned about the pivot. */
static void turn_motion(motion *s, so3 turn) {
  for (int i = 0; i < 3; ++i) {
    double *q = s->q + 7 * i;
    v3_store(q, v3_add(pivot, so3_rotate(turn, v3_sub(v3_load(q), pivot))));
    so3_store(q + 3, so3_compose(turn, so3_load(q + 3)));
    if (i == 2) continue; /* velocities in body axes */
    v3_store(s->v + 6 * i, so3_rotate(turn, v3_load(s->v + 6 * i)));
    v3_store(s->acc + 6 * i, so3_rotate(turn, v3_load(s->acc + 6 * i)));
  }
  const so3 axes = so3_exp(pivot_axes);
  const v3 force = so3_rotate(turn, so3_rotate(axes, v3_load(s->lambda)));
  v3_store(s->lambda, so3_rotate_inverse(axes, force));
}

/* x <- A^-1 x with A factored at the subject's state, or, with `turn`, before that was turned. */
static void solve_motion(double *x, motion *s, torsor_system system, const so3 *turn) {
  const torsor_weights w = {
      .system = system, .m = 1.3, .c = 0.7, .k = 0.31, .z = 0.31 / 0.7, .follow = turn != NULL};
  const torsor_point p = {.t = 0.4, .q = s->q, .v = s->v, .a = s->acc, .lambda = s->lambda};
  double r[NV];
  CHECK_INT(s->problem->freeze_gradient(s->problem->self, 0.4, s->q), TORSOR_OK);
  CHECK_INT(s->problem->factor(s->problem->self, &p, &w), TORSOR_OK);
  if (turn) turn_motion(s, *turn);
  CHECK_INT(s->problem->residual(s->problem->self, &p, r, NULL, NULL), TORSOR_OK);
  CHECK_INT(s->problem->solve(s->problem->self, x), TORSOR_OK);
}

static void fill(double *x, int n, double size, check_rng *rng) {
  for (int i = 0; i < n; ++i) x[i] = check_uniform(rng, -size, size);
}

static void set_out(motion *s, const assembly *a) {
  check_rng rng = {.state = 31415926};
  double v0[NV], u[NV];
  unsigned char given[NV];
  s->problem = assembly_problem(a);
  CHECK_INT(s->problem->nq, NQ);
  CHECK_INT(s->problem->nv, NV);
  CHECK_INT(s->problem->nl, NL);
  assembly_initial(a, s->q, v0, given);
  fill(u, NV, 0.6, &rng);
  fill(s->v, NV, 2, &rng);
  fill(s->acc, NV, 3, &rng);
  fill(s->lambda, NL, 4, &rng);
  s->problem->plus(s->problem->self, s->q, s->q, u);
}

static double difference(const double *x, const double *expected, int n) {
  double worst = 0, size = 1;
  for (int i = 0; i < n; ++i) {
    worst = check_max(worst, fabs(x[i] - expected[i]));
    size = check_max(size, fabs(expected[i]));
  }
  return worst / size;
}

static void kept_matrix_turns_with_the_bodies(void **state) {
  (void)state;
  static const torsor_system systems[] = {TORSOR_SYSTEM_INDEX3, TORSOR_SYSTEM_STABILISED};
  const so3 turn = so3_exp((v3){0.7, -1.1, 0.4});
  torsor_error error = {0};
  for (int k = 0; k < 2; ++k) {
    support_world world;
    assembly *a;
    motion s;
    CHECK_INT(support_open(&world, hanging, NULL, &error), TORSOR_OK);
    CHECK_INT(assembly_create(&a, world.model, NULL, true, &error), TORSOR_OK);
    set_out(&s, a);
    check_rng rng = {.state = 99};
    const int n = NV + (k + 1) * NL;
    double followed[NV + 2 * NL] = {0}, anew[NV + 2 * NL], kept[NV + 2 * NL];
    fill(followed, n, 1, &rng);
    memcpy(anew, followed, sizeof anew);
    memcpy(kept, followed, sizeof kept);
    solve_motion(kept, &s, systems[k], NULL);
    solve_motion(followed, &s, systems[k], &turn);
    solve_motion(anew, &s, systems[k], NULL);
    /* Sums of a hundred products, and a condition of at most 1000. */
    const double off = difference(followed, anew, n), bound = 1e5 * CHECK_EPS;
    check_report(k ? "stabilised, turned" : "index 3, turned", off, bound);
    CHECK_LE(off, bound);
    CHECK_TRUE(difference(kept, anew, n) > 0.1);
    assembly_destroy(a);
    support_close(&world);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(kept_matrix_turns_with_the_bodies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
