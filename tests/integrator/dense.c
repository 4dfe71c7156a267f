/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/integrator.h>

#include "check.h"
#include "problems/cubic.h"
#include "problems/heavy_top.h"
#include "problems/pendulum.h"

enum { MOST = 12 };

/* A stage of the integrator: everything that the residual depends on. */
typedef struct stage {
  torsor_problem *problem;
  double q0[7], v[6], a[6], u[6], lambda[3], s[3];
  torsor_weights w;
  int n;
} stage;

/* Scaled residual at the stage moved by e in unknown j: rows r times k, phi, phi_v times z. */
static void stage_residual(const stage *st, double *out, int j, double e) {
  const torsor_problem *p = st->problem;
  const int nv = p->nv, nl = p->nl;
  const torsor_weights *w = &st->w;
  double u[6], v[6], a[6], lambda[3], s[3], force[6] = {0}, q1[7], x[MOST] = {0};
  x[j] = e;
  for (int i = 0; i < nv; ++i) {
    u[i] = st->u[i] + x[i];
    v[i] = st->v[i] + w->c / w->k * x[i];
    a[i] = st->a[i] + w->m / w->k * x[i];
  }
  for (int i = 0; i < nl; ++i) lambda[i] = st->lambda[i] + x[nv + i] / w->k;
  if (w->system == TORSOR_SYSTEM_STABILISED) {
    for (int i = 0; i < nl; ++i) s[i] = st->s[i] + x[nv + nl + i];
    p->gradient_force(p->self, force, s);
  }
  for (int i = 0; i < nv; ++i) u[i] -= force[i];
  p->plus(p->self, q1, st->q0, u);
  const torsor_point at = {.t = 0.3, .q = q1, .v = v, .a = a, .lambda = lambda, .u = u};
  double phi_v[3];
  CHECK_INT(p->residual(p->self, &at, out, out + nv, phi_v), TORSOR_OK);
  for (int i = 0; i < nv; ++i) out[i] *= w->k;
  if (w->system == TORSOR_SYSTEM_STABILISED)
    for (int i = 0; i < nl; ++i) out[nv + nl + i] = w->z * phi_v[i];
}

static void factor_stage(const stage *st) {
  const torsor_problem *p = st->problem;
  double u[6], force[6] = {0}, q1[7];
  if (st->w.system == TORSOR_SYSTEM_STABILISED) p->gradient_force(p->self, force, st->s);
  for (int i = 0; i < p->nv; ++i) u[i] = st->u[i] - force[i];
  p->plus(p->self, q1, st->q0, u);
  const torsor_point at = {.t = 0.3, .q = q1, .v = st->v, .a = st->a, .lambda = st->lambda, .u = u};
  CHECK_INT(p->factor(p->self, &at, &st->w), TORSOR_OK);
}

/* Columns of the residual's derivative by differences, sent through the factorisation, must give
 * the identity.  Returns the largest deviation. */
static double deviation_from_differences(const stage *st) {
  double worst = 0;
  factor_stage(st);
  for (int j = 0; j < st->n; ++j) {
    const double e = cbrt(CHECK_EPS) * (j < st->problem->nv ? 0.1 : 1);
    double plus[MOST], minus[MOST];
    stage_residual(st, plus, j, e);
    stage_residual(st, minus, j, -e);
    for (int i = 0; i < st->n; ++i) plus[i] = (plus[i] - minus[i]) / (2 * e);
    CHECK_INT(st->problem->solve(st->problem->self, plus), TORSOR_OK);
    for (int i = 0; i < st->n; ++i) worst = fmax(worst, fabs(plus[i] - (i == j)));
  }
  return worst;
}

static void fill(check_rng *rng, double *x, int n, double size) {
  for (int i = 0; i < n; ++i) x[i] = check_uniform(rng, -size, size);
}

static stage random_stage(torsor_problem *problem, check_rng *rng, torsor_system system) {
  stage st = {.problem = problem};
  const torsor_alpha p = torsor_alpha_chung_hulbert(0.8);
  const double h = 0.05;
  st.w = (torsor_weights){.system = system,
                          .m = (1 - p.alpha_m) / (1 - p.alpha_f),
                          .c = p.gamma * h,
                          .k = p.beta * h * h,
                          .z = p.beta * h / p.gamma};
  st.n = problem->nv + problem->nl * (system == TORSOR_SYSTEM_STABILISED ? 2 : 1);
  double start[7], away[6], velocity[6];
  heavy_top_initial(start, velocity, HEAVY_TOP_R3SO3);
  if (problem->nq == 2) pendulum_initial(start, velocity, 0.2);
  fill(rng, away, 6, 0.5);
  problem->plus(problem->self, st.q0, start, away);
  fill(rng, st.v, 6, 20);
  fill(rng, st.a, 6, 100);
  fill(rng, st.u, 6, 0.8);
  fill(rng, st.lambda, 3, 300);
  fill(rng, st.s, 3, 0.2);
  CHECK_INT(problem->freeze_gradient(problem->self, 0.25, st.q0), TORSOR_OK);
  return st;
}

static void check_stages(const torsor_dense *dense, const char *name, torsor_system system) {
  torsor_problem *problem;
  CHECK_INT(torsor_dense_create(&problem, dense, NULL), TORSOR_OK);
  check_rng rng = {17};
  double worst = 0;
  for (int i = 0; i < 20; ++i) {
    const stage st = random_stage(problem, &rng, system);
    worst = fmax(worst, deviation_from_differences(&st));
  }
  /* Both sides difference with eps^(1/3): eps^(2/3) = 4e-11, times third derivatives of the forces
   * (300 N on an arm, k of them), times the inverse of the saddle-point matrix (below 20). */
  const double bound = 4e-11 * 300 * 20;
  check_report(name, worst, bound);
  CHECK_LE(worst, bound);
  torsor_dense_destroy(problem);
}

static void test_stage_systems(void **state) {
  (void)state;
  const torsor_dense product = heavy_top_dense(HEAVY_TOP_R3SO3);
  const torsor_dense rigid = heavy_top_dense(HEAVY_TOP_SE3);
  const torsor_dense plane = pendulum_dense();
  check_stages(&product, "INDEX3 R3xSO3, S^-1 times differences - I", TORSOR_SYSTEM_INDEX3);
  check_stages(&rigid, "INDEX3 SE3", TORSOR_SYSTEM_INDEX3);
  check_stages(&plane, "INDEX3 R2", TORSOR_SYSTEM_INDEX3);
  check_stages(&product, "STABILISED R3xSO3", TORSOR_SYSTEM_STABILISED);
  check_stages(&rigid, "STABILISED SE3", TORSOR_SYSTEM_STABILISED);
  check_stages(&plane, "STABILISED R2", TORSOR_SYSTEM_STABILISED);
}

/* phi_a against the change of B v + Phi_t along the motion, with the hand-coded and with the
 * differenced form. */
static double hidden_error(const torsor_dense *dense, check_rng *rng) {
  torsor_problem *p;
  CHECK_INT(torsor_dense_create(&p, dense, NULL), TORSOR_OK);
  const stage st = random_stage(p, rng, TORSOR_SYSTEM_INDEX3);
  const double dt = 1e-6;
  double phi_a[3], side[2][3], worst = 0;
  for (int k = 0; k < 2; ++k) {
    double u[6], q[7];
    for (int i = 0; i < p->nv; ++i) u[i] = (k ? -dt : dt) * st.v[i];
    p->plus(p->self, q, st.q0, u);
    const torsor_point at = {.t = 0.3 + (k ? -dt : dt), .q = q, .v = st.v, .a = st.a};
    CHECK_INT(p->residual(p->self, &at, NULL, NULL, side[k]), TORSOR_OK);
  }
  const torsor_point at = {.t = 0.3, .q = st.q0, .v = st.v, .a = st.a};
  CHECK_INT(p->hidden(p->self, &at, phi_a), TORSOR_OK);
  for (int i = 0; i < p->nl; ++i)
    worst = fmax(worst, fabs(phi_a[i] - (side[0][i] - side[1][i]) / (2 * dt)));
  torsor_dense_destroy(p);
  return worst;
}

static void test_hidden(void **state) {
  (void)state;
  check_rng rng = {5};
  torsor_dense all[] = {heavy_top_dense(HEAVY_TOP_R3SO3), heavy_top_dense(HEAVY_TOP_SE3),
                        pendulum_dense(), cubic_dense()};
  for (size_t i = 0; i < sizeof all / sizeof all[0]; ++i) {
    /* eps |v| / dt = 2e-16 * 40 / 1e-6 = 8e-9, and dt^2 |v|^4 / 6 = 2e-7 at most for spins of
     * 35. */
    const double coded = hidden_error(&all[i], &rng);
    all[i].hidden = NULL;
    const double differenced = hidden_error(&all[i], &rng);
    check_report("hidden constraint, coded", coded, 2e-7);
    check_report("hidden constraint, differenced", differenced, 1e-6);
    CHECK_LE(coded, 2e-7);
    /* The problem's own step is eps^(1/3)/|v| = 3e-7. */
    CHECK_LE(differenced, 1e-6);
  }
}

/* A x = b for the velocity and acceleration systems, with A built from the callbacks. */
static double system_error(const torsor_dense *d, torsor_system system, check_rng *rng) {
  torsor_problem *p;
  CHECK_INT(torsor_dense_create(&p, d, NULL), TORSOR_OK);
  const stage st = random_stage(p, rng, system);
  const unsigned char fixed[6] = {0, 1, 0, 0, 0, 1};
  const torsor_weights w = {.system = system, .m = 1.5, .e = 0.25, .fixed = fixed};
  const torsor_point at = {.t = 0.3, .q = st.q0, .v = st.v, .a = st.a, .lambda = st.lambda};
  CHECK_INT(p->factor(p->self, &at, &w), TORSOR_OK);
  double M[36], B[18], x[9], b[9], worst = 0;
  const bool velocity = system == TORSOR_SYSTEM_VELOCITY;
  d->mass(NULL, 0.3, st.q0, M);
  d->gradient(NULL, 0.3, st.q0, B);
  fill(rng, b, 9, 10);
  memcpy(x, b, sizeof b);
  CHECK_INT(p->solve(p->self, x), TORSOR_OK);
  for (int i = 0; i < 9; ++i) {
    double sum = -b[i];
    if (velocity && i < 6 && fixed[i]) {
      sum += x[i];
    } else {
      for (int j = 0; j < 9; ++j) {
        if (velocity && j < 6 && fixed[j]) continue;
        double A = 0;
        if (i < 6 && j < 6) A = 1.5 * M[i * 6 + j];
        if (i < 6 && j >= 6) A = B[(j - 6) * 6 + i];
        if (i >= 6 && j < 6) A = B[(i - 6) * 6 + j];
        if (i >= 6 && i == j) A = -0.25;
        sum += A * x[j];
      }
    }
    worst = fmax(worst, fabs(sum));
  }
  torsor_dense_destroy(p);
  return worst;
}

static void test_projection_systems(void **state) {
  (void)state;
  check_rng rng = {23};
  const torsor_dense d = heavy_top_dense(HEAVY_TOP_R3SO3);
  /* Backward stable: n eps |A| |x| = 9 * 2e-16 * 22 * 100. */
  const double bound = 5e-12;
  const double acceleration = system_error(&d, TORSOR_SYSTEM_ACCELERATION, &rng);
  const double velocity = system_error(&d, TORSOR_SYSTEM_VELOCITY, &rng);
  check_report("ACCELERATION, residual of A x = b", acceleration, bound);
  check_report("VELOCITY, residual of A x = b", velocity, bound);
  CHECK_LE(acceleration, bound);
  CHECK_LE(velocity, bound);
}

static void two_equal_rows(void *data, double t, const double *q, double *B) {
  (void)data, (void)t;
  B[0] = B[2] = q[0];
  B[1] = B[3] = q[1];
}

static void two_equal_constraints(void *data, double t, const double *q, double *phi) {
  (void)data, (void)t;
  phi[0] = phi[1] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
}

static void test_singular(void **state) {
  (void)state;
  torsor_dense d = pendulum_dense();
  d.nl = 2;
  d.gradient = two_equal_rows;
  d.constraint = two_equal_constraints;
  torsor_problem *p;
  CHECK_INT(torsor_dense_create(&p, &d, NULL), TORSOR_OK);
  double q[2], v[2], zero[2] = {0, 0};
  pendulum_initial(q, v, 0.2);
  const torsor_point at = {.q = q, .v = v, .a = zero, .lambda = zero};
  const torsor_weights w = {.system = TORSOR_SYSTEM_ACCELERATION, .m = 1};
  CHECK_INT(p->factor(p->self, &at, &w), TORSOR_SINGULAR);
  q[0] = (double)NAN;
  CHECK_INT(p->factor(p->self, &at, &w), TORSOR_NONFINITE);
  torsor_dense_destroy(p);
}

static void check_refused(torsor_dense d, const char *message) {
  torsor_problem *p;
  torsor_error error = {0};
  CHECK_INT(torsor_dense_create(&p, &d, &error), TORSOR_ARGUMENT);
  CHECK_TRUE(p == NULL);
  CHECK_CONTAINS(error.message, message);
}

static void test_arguments(void **state) {
  (void)state;
  torsor_dense d = heavy_top_dense(HEAVY_TOP_SE3);
  d.tan = NULL;
  check_refused(d, "the problem must have all of plus, tan and bracket, or none of them");
  d = heavy_top_dense(HEAVY_TOP_SE3);
  d.gradient = NULL;
  check_refused(d, "constraint or gradient");
  d = heavy_top_dense(HEAVY_TOP_SE3);
  d.nl = 7;
  check_refused(d, "nl = 7");
  d = pendulum_dense();
  d.minus = heavy_top_dense(HEAVY_TOP_SE3).minus;
  check_refused(d, "the problem has minus, but no plus");
  d = pendulum_dense();
  d.nq = 3;
  check_refused(d, "nq = 3 is not nv = 2");
  torsor_dense_destroy(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_stage_systems), cmocka_unit_test(test_hidden),
      cmocka_unit_test(test_projection_systems), cmocka_unit_test(test_singular),
      cmocka_unit_test(test_arguments)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
