/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Assembled systems against differences of residuals: every group, joint and marker. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "assembly/assembly_private.h"
#include "support.h"

/* Differences over four points: round-off eps/h and truncation h^4 are equal at h = eps^(1/5), both
 * eps^(4/5) = 3e-13; a factor 1000 for the fifth derivatives of products of rotations with lever
 * arms and for sums. */
#define STEP       7.4e-4
#define DIFFERENCE 3e-10
/* Sums of some hundred products. */
#define ROUND_OFF (1000 * CHECK_EPS)

/* All groups and joints between bodies and the ground; the state need not satisfy the joints. */
#define BODIES                                                                                     \
  "\"bodies\": ["                                                                                  \
  "{\"name\": \"a\", \"type\": \"rigid_body\", \"group\": \"R3xSO3\", \"mass\": 2,"                \
  " \"inertia\": [[0.5, 0.02, -0.03], [0.02, 0.6, 0.04], [-0.03, 0.04, 0.7]],"                     \
  " \"center_of_mass\": [0.1, -0.2, 0.3], \"position\": [0.2, 0.1, -0.3],"                         \
  " \"orientation\": {\"rotation_vector\": [0.3, -0.5, 0.8]}},"                                    \
  "{\"name\": \"b\", \"type\": \"rigid_body\", \"group\": \"SE3\", \"mass\": 3,"                   \
  " \"inertia\": [0.4, 0.5, 0.6], \"center_of_mass\": [-0.3, 0.1, 0.2],"                           \
  " \"position\": [1, -1, 0.5], \"orientation\": {\"rotation_vector\": [-0.7, 0.2, 1.1]}},"        \
  "{\"name\": \"c\", \"type\": \"rigid_body\", \"group\": \"SO3\", \"mass\": 1.5,"                 \
  " \"inertia\": [0.3, 0.4, 0.2], \"center_of_mass\": [0, 0.4, 0.1], \"position\": [0, 2, 1],"     \
  " \"orientation\": {\"rotation_vector\": [0.1, 0.9, -0.2]}},"                                    \
  "{\"name\": \"p\", \"type\": \"point_mass\", \"mass\": 0.7, \"position\": [0.5, 0.5, 2]},"       \
  "{\"name\": \"s\", \"type\": \"point_mass\", \"mass\": 1.1, \"position\": [-1, 0.2, 0.4]}]"

#define MARKER(body, x, w)                                                                         \
  "{\"body\": \"" body "\", \"position\": " x ", \"orientation\":"                                 \
  " {\"rotation_vector\": " w "}}"

/* clang-format off */
#define ZOO \
    "{\"torsor\": 1, \"gravity\": [1, -2, -9.81], " BODIES ", \"joints\": [" \
    "{\"name\": \"j1\", \"type\": \"spherical\"," \
    " \"a\": " MARKER("a", "[0.3, 0.2, -0.4]", "[0.2, 0.6, -0.3]") "," \
    " \"b\": " MARKER("b", "[-0.5, 0.1, 0.2]", "[1, 0, 0.4]") "}," \
    "{\"name\": \"j2\", \"type\": \"revolute\", \"axis\": [1, 2, -1], \"axis_b\": [0, 1, 1]," \
    " \"a\": " MARKER("b", "[0.1, 0.7, 0]", "[0.5, -0.6, 0.1]") "," \
    " \"b\": " MARKER("a", "[0.4, 0, 0.3]", "[-0.3, 0.2, 0.9]") "}," \
    "{\"name\": \"j3\", \"type\": \"weld\"," \
    " \"a\": " MARKER("ground", "[1, 0, 0]", "[0.1, 0.1, 0.1]") "," \
    " \"b\": " MARKER("b", "[0.2, 0.3, -0.1]", "[0, 0.3, -0.4]") "}," \
    "{\"name\": \"j4\", \"type\": \"weld\"," \
    " \"a\": " MARKER("a", "[0, 0.3, 0.3]", "[0.7, 0, 0]") "," \
    " \"b\": " MARKER("ground", "[0, 1, 1]", "[0.2, 0.1, 0]") "}," \
    "{\"name\": \"j5\", \"type\": \"distance\", \"a\": \"p\"," \
    " \"b\": " MARKER("a", "[-0.2, 0.5, 0.1]", "[0, 0, 1]") "}," \
    "{\"name\": \"j6\", \"type\": \"distance\", \"form\": \"squared\", \"a\": \"p\"," \
    " \"b\": \"s\"}, {\"name\": \"j7\", \"type\": \"revolute\", \"axis\": [0, 1, 0]," \
    " \"a\": " MARKER("c", "[0.1, 0.2, 0.3]", "[0.3, 0.2, 0.1]") "," \
    " \"b\": " MARKER("a", "[0, 0, 0.6]", "[1, -1, 0.5]") "}," \
    "{\"name\": \"j8\", \"type\": \"spherical\"," \
    " \"a\": " MARKER("b", "[0.3, 0, -0.2]", "[0.5, 0.5, 0]") "," \
    " \"b\": " MARKER("c", "[0, -0.4, 0.2]", "[0, 0, 0.3]") "}," \
    "{\"name\": \"j9\", \"type\": \"spherical\", \"a\": \"s\"," \
    " \"b\": " MARKER("c", "[0.2, 0.2, 0.2]", "[0.4, 0, 0]") "}," \
    "{\"name\": \"j10\", \"type\": \"distance\"," \
    " \"a\": " MARKER("c", "[0.3, 0, 0]", "[0, 1, 0]") "," \
    " \"b\": " MARKER("b", "[0.3, 0.3, 0.3]", "[0, 0, 0]") "}," \
    "{\"name\": \"j11\", \"type\": \"knife_edge\", \"across\": [1, 2, -1]," \
    " \"a\": " MARKER("a", "[0.1, -0.2, 0.3]", "[0.3, 0.1, 0.2]") "," \
    " \"b\": " MARKER("b", "[0.2, 0.4, -0.3]", "[0.2, -0.5, 0.3]") "}," \
    "{\"name\": \"j12\", \"type\": \"velocity_constraint\", \"linear\": [1, -2, 0.5]," \
    " \"angular\": [0.3, 0.2, -0.7], \"rate\": \"sin(t)\"," \
    " \"a\": " MARKER("b", "[-0.1, 0.2, 0.5]", "[0.1, 0.4, -0.2]") "," \
    " \"b\": " MARKER("c", "[0.3, -0.1, 0.2]", "[-0.2, 0.3, 0.6]") "}]"
static const char zoo[] = ZOO "}";
/* Its forces depend on multipliers: the start is then no linear system. */
static const char reactive_zoo[] = ZOO
    ", \"forces\": ["
    "{\"name\": \"f1\", \"type\": \"friction\", \"coordinate\": \"j2.angle\", \"coulomb\": 0.2,"
    " \"coefficient\": 0.3, \"static_coefficient\": 0.5, \"radius\": 0.2, \"rate_width\": 2}]}";
/* clang-format on */

typedef struct subject {
  support_world world;
  assembly *a;
  const torsor_problem *problem;
  int nq, nv, nl, n;                         /* n: unknowns of the stabilised system */
  double *q0, *q, *v, *acc, *lambda, *s, *w; /* base state, q = q0 exp(w) */
  torsor_weights weights;
} subject;

static double *numbers(int count) {
  double *x = calloc((size_t)count + 1, sizeof *x);
  CHECK_TRUE(x != NULL);
  return x;
}

static double *random_numbers(check_rng *rng, int count, double size) {
  double *x = numbers(count);
  for (int i = 0; i < count; ++i) x[i] = check_uniform(rng, -size, size);
  return x;
}

static void open_subject(subject *out, const char *text, const char *const *set) {
  torsor_error error = {0};
  *out = (subject){0};
  const torsor_status status = support_open(&out->world, text, set, &error);
  if (status) print_error("%s: %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
  CHECK_INT(assembly_create(&out->a, out->world.model, NULL, true, &error), TORSOR_OK);
  out->problem = assembly_problem(out->a);
  out->nq = out->problem->nq;
  out->nv = out->problem->nv;
  out->nl = out->problem->nl;
  out->n = out->nv + 2 * out->nl;
  check_rng rng = {.state = 31415926};
  double *v0 = numbers(out->nv);
  unsigned char *given = calloc((size_t)out->nv, 1);
  out->q0 = numbers(out->nq);
  out->q = numbers(out->nq);
  assembly_initial(out->a, out->q0, v0, given);
  free(v0);
  free(given);
  out->w = random_numbers(&rng, out->nv, 0.6);
  out->v = random_numbers(&rng, out->nv, 2);
  out->acc = random_numbers(&rng, out->nv, 3);
  out->lambda = random_numbers(&rng, out->nl, 4);
  out->s = random_numbers(&rng, out->nl, 0.05);
  out->problem->plus(out->problem->self, out->q, out->q0, out->w);
  out->weights = (torsor_weights){.m = 1.3, .c = 0.7, .k = 0.31, .z = 0.31 / 0.7};
  const torsor_weights whole = {.system = TORSOR_SYSTEM_STABILISED};
  CHECK_INT(out->problem->expect(out->problem->self, &whole), TORSOR_OK);
}

static void close_subject(subject *s) {
  double *arrays[] = {s->q0, s->q, s->v, s->acc, s->lambda, s->s, s->w};
  for (size_t i = 0; i < sizeof arrays / sizeof *arrays; ++i) free(arrays[i]);
  assembly_destroy(s->a);
  support_close(&s->world);
}

/* Dense copy [n x n] of an assembled matrix. */
static double *assemble_into(kkt *k, const subject *s, torsor_system system, const double *u) {
  torsor_weights weights = s->weights;
  weights.system = system;
  const torsor_point p = {.t = 0.4, .q = s->q, .v = s->v, .a = s->acc, .lambda = s->lambda, .u = u};
  CHECK_INT(assembly_fill(s->a, k, &p, &weights), TORSOR_OK);
  const int n = k->p.n;
  double *A = numbers(n * n);
  for (int j = 0; j < n; ++j)
    for (int at = k->p.Ap[j]; at < k->p.Ap[j + 1]; ++at) A[k->p.Ai[at] * n + j] += k->Ax[at];
  return A;
}

static double *assemble(const subject *s, torsor_system system, const double *u) {
  CHECK_INT(assembly_make_whole(s->a), TORSOR_OK);
  kkt *whole = s->a->whole.solver ? &s->a->whole : &s->a->plain;
  return assemble_into(system == TORSOR_SYSTEM_STABILISED ? &s->a->stabilised : whole, s, system,
                       u);
}

static bool is_nonholonomic(const subject *s, int row) {
  return s->problem->nonholonomic && s->problem->nonholonomic[row];
}

/* Residuals (k r, phi, z phi_v) as functions of the unknowns' changes x = (u, y, s); of
 * nonholonomic rows z phi_v in place of phi, and s in place of that. */
static void residuals(double *out, const subject *s, const double *x) {
  const torsor_problem *pr = s->problem;
  const torsor_weights *w = &s->weights;
  double *moved = numbers(s->nq), *v = numbers(s->nv), *a = numbers(s->nv);
  double *lambda = numbers(s->nl), *u = numbers(s->nv);
  pr->gradient_force(pr->self, u, x + s->nv + s->nl);
  for (int i = 0; i < s->nv; ++i) u[i] = s->w[i] + x[i] - u[i];
  pr->plus(pr->self, moved, s->q0, u);
  for (int i = 0; i < s->nv; ++i) {
    v[i] = s->v[i] + w->c / w->k * x[i];
    a[i] = s->acc[i] + w->m / w->k * x[i];
  }
  for (int i = 0; i < s->nl; ++i) lambda[i] = s->lambda[i] + x[s->nv + i] / w->k;
  const torsor_point p = {.t = 0.4, .q = moved, .v = v, .a = a, .lambda = lambda};
  CHECK_INT(pr->residual(pr->self, &p, out, out + s->nv, out + s->nv + s->nl), TORSOR_OK);
  for (int i = 0; i < s->nv; ++i) out[i] *= w->k;
  for (int i = 0; i < s->nl; ++i) {
    double *phi = &out[s->nv + i], *phi_v = phi + s->nl;
    *phi_v *= w->z;
    if (!is_nonholonomic(s, i)) continue;
    CHECK_NEAR(*phi, 0, 0);
    *phi = *phi_v;
    *phi_v = x[s->nv + s->nl + i];
  }
  free(moved);
  free(v);
  free(a);
  free(lambda);
  free(u);
}

/* All columns by differences over four points, [n x n] of the stabilised system. */
static double *differences(const subject *s) {
  static const double at[4] = {-2, -1, 1, 2}, factor[4] = {1, -8, 8, -1};
  const int n = s->n;
  double *A = numbers(n * n), *x = numbers(n), *r = numbers(n);
  for (int j = 0; j < n; ++j) {
    for (int side = 0; side < 4; ++side) {
      x[j] = at[side] * STEP;
      residuals(r, s, x);
      for (int i = 0; i < n; ++i) A[i * n + j] += factor[side] * r[i] / (12 * STEP);
    }
    x[j] = 0;
  }
  free(x);
  free(r);
  return A;
}

/* Worst difference of a block, relative to its largest entry. */
static double block_error(const double *A, int lda, const double *B, int ldb, int row, int rows,
                          int column, int columns) {
  double worst = 0, size = 1;
  for (int i = row; i < row + rows; ++i)
    for (int j = column; j < column + columns; ++j) {
      worst = check_max(worst, fabs(A[i * lda + j] - B[i * ldb + j]));
      size = check_max(size, fabs(B[i * ldb + j]));
    }
  return worst / size;
}

/* Every block of a system against the same blocks of the differences. */
static void compare_blocks(const subject *s, const double *A, int n, const double *D, int ldd,
                           const char *name) {
  const char *const part[] = {"r", "phi", "phi_v", "u", "y", "s"};
  const int first[] = {0, s->nv, s->nv + s->nl, s->n};
  for (int i = 0; i < 3 && first[i] < n; ++i)
    for (int j = 0; j < 3 && first[j] < n; ++j) {
      char label[80];
      snprintf(label, sizeof label, "%s: d %s/d %s", name, part[i], part[3 + j]);
      const double off = block_error(A, n, D, ldd, first[i], first[i + 1] - first[i], first[j],
                                     first[j + 1] - first[j]);
      check_report(label, off, DIFFERENCE);
      CHECK_LE(off, DIFFERENCE);
    }
}

/* L A C of an index-3 matrix (decoupling.h), [n x n] from the corner of A, column by column of C.
 */
static double *decoupled(const subject *s, const double *A, int lda) {
  const int n = s->nv + s->nl;
  const decoupling *change = &s->a->plain.decoupling;
  double *out = numbers(n * n), *x = numbers(n), *y = numbers(n);
  for (int j = 0; j < n; ++j) {
    memset(x, 0, (size_t)n * sizeof *x);
    x[j] = 1;
    decoupling_apply(x, change, SOLVER_PARTS, true);
    for (int i = 0; i < n; ++i) {
      y[i] = 0;
      for (int k = 0; k < n; ++k) y[i] += A[i * lda + k] * x[k];
    }
    decoupling_apply(y, change, SOLVER_PARTS, false);
    for (int i = 0; i < n; ++i) out[i * n + j] = y[i];
  }
  free(x);
  free(y);
  return out;
}

/* Three of the spherical joints are between two bodies, two of them seen from one that turns. */
static void decoupled_system(void **state) {
  (void)state;
  subject s;
  open_subject(&s, zoo, NULL);
  CHECK_INT(s.problem->freeze_gradient(s.problem->self, 0.4, s.q0), TORSOR_OK);
  double *D = differences(&s);
  double *A = assemble_into(&s.a->plain, &s, TORSOR_SYSTEM_INDEX3, s.w);
  double *B = decoupled(&s, D, s.n);
  CHECK_INT(s.a->plain.decoupling.joints, 2);
  compare_blocks(&s, A, s.nv + s.nl, B, s.nv + s.nl, "decoupled");
  /* It is another matrix. */
  CHECK_GE(block_error(A, s.nv + s.nl, D, s.n, 0, s.nv, 0, s.nv), 1e-2);
  free(A);
  free(B);
  free(D);
  close_subject(&s);
}

static void step_systems(void **state) {
  (void)state;
  subject s;
  open_subject(&s, reactive_zoo, NULL);
  CHECK_INT(s.problem->freeze_gradient(s.problem->self, 0.4, s.q0), TORSOR_OK);
  double *D = differences(&s);
  double *A = assemble(&s, TORSOR_SYSTEM_STABILISED, s.w);
  compare_blocks(&s, A, s.n, D, s.n, "stabilised");
  free(A);
  A = assemble(&s, TORSOR_SYSTEM_INDEX3, s.w);
  compare_blocks(&s, A, s.nv + s.nl, D, s.n, "index 3");
  free(A);
  /* Without the group's T the tangent must be found wrong. */
  A = assemble(&s, TORSOR_SYSTEM_INDEX3, NULL);
  CHECK_GE(block_error(A, s.nv + s.nl, D, s.n, 0, s.nv + s.nl, 0, s.nv), 1e-2);
  free(A);
  free(D);
  close_subject(&s);
}

/* u = NULL stands for u = 0. */
static void step_systems_at_zero(void **state) {
  (void)state;
  subject s;
  open_subject(&s, reactive_zoo, NULL);
  memset(s.w, 0, (size_t)s.nv * sizeof *s.w);
  memcpy(s.q, s.q0, (size_t)s.nq * sizeof *s.q);
  CHECK_INT(s.problem->freeze_gradient(s.problem->self, 0.4, s.q0), TORSOR_OK);
  double *D = differences(&s), *A = assemble(&s, TORSOR_SYSTEM_STABILISED, NULL);
  compare_blocks(&s, A, s.n, D, s.n, "stabilised, u = 0");
  double *B = assemble(&s, TORSOR_SYSTEM_STABILISED, s.w);
  const double off = block_error(A, s.n, B, s.n, 0, s.n, 0, s.n);
  check_report("u = NULL against u = 0", off, ROUND_OFF);
  CHECK_LE(off, ROUND_OFF);
  free(A);
  free(B);
  free(D);
  close_subject(&s);
}

/* r and phi_v at the base configuration with other v, v' and lambda. */
static void rates(const subject *s, const double *v, const double *a, const double *lambda,
                  double *r, double *phi_v) {
  const torsor_point p = {.t = 0.4, .q = s->q, .v = v, .a = a, .lambda = lambda};
  CHECK_INT(s->problem->residual(s->problem->self, &p, r, NULL, phi_v), TORSOR_OK);
}

/* [[m M, B^T], [B, -e I]] by differences that are exact: r is affine in v' and lambda, phi_v in v.
 * Without the nonholonomic rows where that is wanted. */
static double *affine_differences(const subject *s, const torsor_weights *w) {
  const int nv = s->nv, n = nv + s->nl;
  double *A = numbers(n * n), *x = numbers(n), *r = numbers(2 * n), *rest = numbers(2 * n);
  double *phi = r + n, *phi_rest = rest + n, *zero = numbers(n);
  rates(s, zero, zero, zero, rest, phi_rest);
  for (int j = 0; j < n; ++j) {
    x[j] = 1;
    rates(s, zero, x, x + nv, r, NULL);
    for (int i = 0; i < nv; ++i) A[i * n + j] = (j < nv ? w->m : 1) * (r[i] - rest[i]);
    rates(s, x, zero, zero, NULL, phi);
    for (int i = 0; i < s->nl; ++i) A[(nv + i) * n + j] = phi[i] - phi_rest[i];
    if (j >= nv) A[j * n + j] -= w->e;
    x[j] = 0;
  }
  for (int i = 0; w->holonomic && i < s->nl; ++i)
    for (int j = 0; is_nonholonomic(s, i) && j < nv; ++j)
      A[(nv + i) * n + j] = A[j * n + nv + i] = 0;
  for (int i = 0; w->fixed && i < nv; ++i)
    for (int j = 0; w->fixed[i] && j < n; ++j) A[i * n + j] = A[j * n + i] = i == j;
  free(x);
  free(r);
  free(rest);
  free(zero);
  return A;
}

static double asymmetry(const double *A, int n) {
  double worst = 0, size = 0;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      worst = check_max(worst, fabs(A[i * n + j] - A[j * n + i]));
      size = check_max(size, fabs(A[i * n + j]));
    }
  return worst / size;
}

static void start_systems(void **state) {
  (void)state;
  subject s;
  open_subject(&s, zoo, NULL);
  const int n = s.nv + s.nl;
  unsigned char *fixed = calloc((size_t)s.nv, 1);
  for (int i = 0; i < s.nv; i += 3) fixed[i] = 1;
  for (int velocity = 0; velocity < 3; ++velocity) {
    s.weights = (torsor_weights){.m = 1.7,
                                 .e = velocity ? 0.3 : 0,
                                 .fixed = velocity ? fixed : NULL,
                                 .holonomic = velocity == 2};
    double *A = assemble(&s, velocity ? TORSOR_SYSTEM_VELOCITY : TORSOR_SYSTEM_ACCELERATION, NULL);
    double *D = affine_differences(&s, &s.weights);
    const double off = block_error(A, n, D, n, 0, n, 0, n), skew = asymmetry(A, n);
    check_report(velocity ? "velocity system" : "acceleration system", off, ROUND_OFF);
    check_report("  its asymmetry", skew, ROUND_OFF);
    CHECK_LE(off, ROUND_OFF);
    CHECK_LE(skew, ROUND_OFF);
    free(A);
    free(D);
  }
  free(fixed);
  close_subject(&s);
}

/* phi_v at the base state carried along v and v' for a time t: q exp(t v + t^2/2 v'). */
static void flow(const subject *s, double t, double *phi_v) {
  double *q = numbers(s->nq), *v = numbers(s->nv), *u = numbers(s->nv);
  for (int i = 0; i < s->nv; ++i) {
    u[i] = t * s->v[i] + t * t / 2 * s->acc[i];
    v[i] = s->v[i] + t * s->acc[i];
  }
  s->problem->plus(s->problem->self, q, s->q, u);
  const torsor_point p = {.t = 0.4 + t, .q = q, .v = v};
  CHECK_INT(s->problem->residual(s->problem->self, &p, NULL, NULL, phi_v), TORSOR_OK);
  free(q);
  free(v);
  free(u);
}

/* d phi_v/dt = B v' + phi_a, with B v' = phi_v(v + v') - phi_v(v). */
static void hidden_constraints(void **state) {
  (void)state;
  /* Central differences: eps^(2/3) = 3.7e-11, times 100 for third derivatives and sums. */
  const double h = cbrt(CHECK_EPS), bound = 4e-9;
  subject s;
  open_subject(&s, reactive_zoo, NULL);
  double *moved = numbers(s.nv), *x = numbers(5 * s.nl);
  double *up = x + s.nl, *down = up + s.nl, *with = down + s.nl, *without = with + s.nl;
  for (int i = 0; i < s.nv; ++i) moved[i] = s.v[i] + s.acc[i];
  flow(&s, h, up);
  flow(&s, -h, down);
  rates(&s, moved, s.acc, s.lambda, NULL, with);
  rates(&s, s.v, s.acc, s.lambda, NULL, without);
  const torsor_point p = {.t = 0.4, .q = s.q, .v = s.v, .a = s.acc, .lambda = s.lambda};
  CHECK_INT(s.problem->hidden(s.problem->self, &p, x), TORSOR_OK);
  double worst = 0, size = 1;
  for (int i = 0; i < s.nl; ++i) {
    const double expected = (up[i] - down[i]) / (2 * h);
    worst = check_max(worst, fabs(with[i] - without[i] + x[i] - expected));
    size = check_max(size, fabs(expected));
  }
  check_report("B v' + phi_a against d phi_v/dt", worst / size, bound);
  CHECK_LE(worst / size, bound);
  free(moved);
  free(x);
  close_subject(&s);
}

/* A tree with independent joints, all six-dof bodies on one group. */
/* clang-format off */
static const char tree[] =
    "{\"torsor\": 1, \"gravity\": [1, -2, -9.81], \"group\": \"SE3\", \"bodies\": ["
    "{\"name\": \"a\", \"type\": \"rigid_body\", \"mass\": 2,"
    " \"inertia\": [[0.5, 0.02, -0.03], [0.02, 0.6, 0.04], [-0.03, 0.04, 0.7]],"
    " \"center_of_mass\": [0.1, -0.2, 0.3], \"position\": [0.2, 0.1, -0.3],"
    " \"orientation\": {\"rotation_vector\": [0.3, -0.5, 0.8]}},"
    "{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 3, \"inertia\": [0.4, 0.5, 0.6],"
    " \"center_of_mass\": [-0.3, 0.1, 0.2], \"position\": [1, -1, 0.5],"
    " \"orientation\": {\"rotation_vector\": [-0.7, 0.2, 1.1]}},"
    "{\"name\": \"c\", \"type\": \"rigid_body\", \"mass\": 1.5, \"inertia\": [0.3, 0.4, 0.2],"
    " \"position\": [0, 2, 1]}], \"joints\": ["
    "{\"name\": \"j1\", \"type\": \"spherical\", \"a\": \"c\","
    " \"b\": " MARKER("b", "[-0.5, 0.1, 0.2]", "[1, 0, 0.4]") "},"
    "{\"name\": \"j2\", \"type\": \"revolute\", \"axis\": [1, 2, -1],"
    " \"a\": " MARKER("b", "[0.1, 0.7, 0]", "[0.5, -0.6, 0.1]") ","
    " \"b\": " MARKER("a", "[0.4, 0, 0.3]", "[-0.3, 0.2, 0.9]") "},"
    "{\"name\": \"j3\", \"type\": \"distance\", \"a\": \"c\","
    " \"b\": " MARKER("a", "[0.4, 0, 0.3]", "[0, 0, 0]") "}]}";
/* clang-format on */

/* SE(3) numbers x of one node into those of R3xSO3: the first three turned. */
static void turn_node(double *out, const double *x, so3 R) {
  v3_store(out, so3_rotate(R, v3_load(x)));
  memcpy(out + 3, x + 3, 3 * sizeof *out);
}

/* The same physical state in the coordinates of R3xSO3: x' = R U, x'' = R (A + Omega x U). */
static void convert_state(const subject *screw, subject *flat) {
  memcpy(flat->q, screw->q, (size_t)screw->nq * sizeof *flat->q);
  for (int i = 0; i < screw->nv / 6; ++i) {
    const double *v = screw->v + 6 * i, *a = screw->acc + 6 * i;
    const so3 R = so3_load(screw->q + 7 * i + 3);
    double turned[6];
    turn_node(flat->v + 6 * i, v, R);
    memcpy(turned, a, sizeof turned);
    v3_store(turned, v3_add(v3_load(a), v3_cross(v3_load(v + 3), v3_load(v))));
    turn_node(flat->acc + 6 * i, turned, R);
  }
  memcpy(flat->lambda, screw->lambda, (size_t)screw->nl * sizeof *flat->lambda);
}

/* v' and lambda of S4 eq. 7: the acceleration system with right-hand side (-g, -phi_a). */
static void accelerations(const subject *s, double *x) {
  const torsor_weights w = {.system = TORSOR_SYSTEM_ACCELERATION, .m = 1};
  double *zero = numbers(s->nv + s->nl);
  const torsor_point p = {.t = 0.4, .q = s->q, .v = s->v, .a = zero, .lambda = zero};
  rates(s, s->v, zero, zero, x, NULL);
  CHECK_INT(s->problem->hidden(s->problem->self, &p, x + s->nv), TORSOR_OK);
  for (int i = 0; i < s->nv + s->nl; ++i) x[i] = -x[i];
  CHECK_INT(s->problem->factor(s->problem->self, &p, &w), TORSOR_OK);
  CHECK_INT(s->problem->solve(s->problem->self, x), TORSOR_OK);
  free(zero);
}

static double relative_error(const double *x, const double *expected, int n) {
  double worst = 0, size = 1;
  for (int i = 0; i < n; ++i) {
    worst = check_max(worst, fabs(x[i] - expected[i]));
    size = check_max(size, fabs(expected[i]));
  }
  return worst / size;
}

static void groups_agree(void **state) {
  (void)state;
  static const char *const to_flat[] = {"group=R3xSO3", NULL};
  subject screw, flat;
  open_subject(&screw, tree, NULL);
  open_subject(&flat, tree, to_flat);
  convert_state(&screw, &flat);
  const int nv = screw.nv, n = nv + screw.nl;
  double *x = numbers(n), *y = numbers(n), *z = numbers(n);
  rates(&screw, screw.v, screw.acc, screw.lambda, x, x + nv);
  rates(&flat, flat.v, flat.acc, flat.lambda, y, y + nv);
  for (int i = 0; i < nv / 6; ++i) turn_node(z + 6 * i, x + 6 * i, so3_load(screw.q + 7 * i + 3));
  memcpy(z + nv, x + nv, (size_t)screw.nl * sizeof *z);
  const double off = relative_error(y, z, n);
  check_report("residual and rates on R3xSO3 and SE3", off, ROUND_OFF);
  CHECK_LE(off, ROUND_OFF);
  accelerations(&screw, x);
  accelerations(&flat, y);
  memcpy(screw.acc, x, (size_t)nv * sizeof *x);
  memcpy(screw.lambda, x + nv, (size_t)screw.nl * sizeof *x);
  convert_state(&screw, &flat);
  memcpy(z, flat.acc, (size_t)nv * sizeof *z);
  memcpy(z + nv, flat.lambda, (size_t)screw.nl * sizeof *z);
  const double apart = relative_error(y, z, n);
  check_report("accelerations and multipliers of (7)", apart, ROUND_OFF);
  CHECK_LE(apart, ROUND_OFF);
  free(x);
  free(y);
  free(z);
  close_subject(&screw);
  close_subject(&flat);
}

/* On SE(3), without gravity and ground, the step system does not see where the mechanism is. */
static void rigid_motion_leaves_the_matrix(void **state) {
  (void)state;
  static const char *const weightless[] = {"gravity=[0,0,0]", NULL};
  subject s;
  open_subject(&s, tree, weightless);
  double *A = assemble(&s, TORSOR_SYSTEM_INDEX3, s.w);
  const se3 moving = {so3_exp((v3){1, -2, 0.5}), {3, -4, 5}};
  for (int i = 0; i < s.nq; i += 7) {
    const se3 h = se3_compose(moving, (se3){so3_load(s.q + i + 3), v3_load(s.q + i)});
    v3_store(s.q + i, h.x);
    so3_store(s.q + i + 3, h.R);
  }
  double *B = assemble(&s, TORSOR_SYSTEM_INDEX3, s.w);
  const int n = s.nv + s.nl;
  const double off = block_error(A, n, B, n, 0, n, 0, n);
  check_report("index 3 on SE3 moved as a whole", off, ROUND_OFF);
  CHECK_LE(off, ROUND_OFF);
  free(A);
  free(B);
  close_subject(&s);
}

/* gradient_force: the transposed gradient kept at the frozen configuration, in the metric. */
static void frozen_gradient(void **state) {
  (void)state;
  subject s;
  open_subject(&s, zoo, NULL);
  double *zero = numbers(s.nv + s.nl), *with = numbers(s.nv), *without = numbers(s.nv);
  double *force = numbers(s.nv);
  rates(&s, s.v, zero, s.s, with, NULL);
  rates(&s, s.v, zero, zero, without, NULL);
  for (int i = 0; i < s.nv; ++i) with[i] -= without[i];
  CHECK_INT(s.problem->freeze_gradient(s.problem->self, 0.4, s.q), TORSOR_OK);
  const torsor_point elsewhere = {.t = 1, .q = s.q0, .v = s.v, .a = zero, .lambda = s.lambda};
  CHECK_INT(s.problem->residual(s.problem->self, &elsewhere, without, NULL, NULL), TORSOR_OK);
  s.problem->gradient_force(s.problem->self, force, s.s);
  for (int i = 0; i < s.nv; ++i) force[i] *= s.problem->metric[i] * s.problem->metric[i];
  const double off = relative_error(force, with, s.nv);
  check_report("frozen B0^T s", off, ROUND_OFF);
  CHECK_LE(off, ROUND_OFF);
  double *arrays[] = {zero, with, without, force};
  for (int i = 0; i < 4; ++i) free(arrays[i]);
  close_subject(&s);
}

/* The first matrix is that of index 3; the second leaves u - B0^T s in u, with B T u - e D s = phi:
 * rows of the zoo are dependent. */
static void halves(void **state) {
  (void)state;
  subject s;
  open_subject(&s, zoo, NULL);
  const int nv = s.nv, nl = s.nl, n = nv + nl;
  const torsor_problem *pr = s.problem;
  check_rng rng = {.state = 2718281828};
  double *scale = numbers(2 * nl), *force = numbers(nv);
  for (int i = 0; i < 2 * nl; ++i) scale[i] = check_uniform(&rng, 1, 2);
  s.weights.e = 1e-2, s.weights.rows = scale, s.weights.corrections = scale + nl;
  torsor_weights w = s.weights;
  w.system = TORSOR_SYSTEM_STABILISED, w.split = true;
  CHECK_INT(pr->freeze_gradient(pr->self, 0.4, s.q0), TORSOR_OK);
  const torsor_point p = {.t = 0.4, .q = s.q, .v = s.v, .a = s.acc, .lambda = s.lambda, .u = s.w};
  CHECK_INT(pr->factor(pr->self, &p, &w), TORSOR_OK);
  double *given = random_numbers(&rng, n, 1), *x = numbers(n), *y = numbers(n);
  for (int i = 0; i < n; ++i)
    x[i] = y[i] = given[i] = i >= nv && is_nonholonomic(&s, i - nv) ? 0 : given[i];
  CHECK_INT(pr->solve(pr->self, x), TORSOR_OK);
  CHECK_INT(pr->solve_correction(pr->self, y, TORSOR_CORRECTION_WHOLE), TORSOR_OK);
  pr->gradient_force(pr->self, force, y + nv);
  double *A = assemble(&s, TORSOR_SYSTEM_INDEX3, s.w), off = 0, most = 1;
  for (int i = 0; i < n; ++i) most = check_max(most, check_max(fabs(x[i]), fabs(y[i])));
  for (int i = 0; i < n; ++i) {
    double left = -given[i], of_correction = -given[i];
    for (int j = 0; j < n; ++j) left += A[i * n + j] * x[j];
    for (int j = 0; j < nv; ++j) of_correction += i < nv ? (i == j) * y[j] : A[i * n + j] * y[j];
    of_correction += i < nv ? force[i] : -w.e * pow(w.corrections[i - nv], 2) * y[i];
    if (i >= nv && is_nonholonomic(&s, i - nv)) of_correction = y[i];
    off = check_max(off, check_max(fabs(left), fabs(of_correction)) / most);
  }
  check_report("solutions by halves", off, ROUND_OFF);
  CHECK_LE(off, ROUND_OFF);
  for (int i = 0; i < 6; ++i) free((double *[]){A, force, y, x, given, scale}[i]);
  close_subject(&s);
}

/* A model without constraints has empty rows, not undefined ones. */
static void no_constraints(void **state) {
  (void)state;
  static const char text[] = "{\"torsor\": 1, " BODIES "}";
  subject s;
  open_subject(&s, text, NULL);
  CHECK_INT(s.nl, 0);
  CHECK_INT(s.problem->freeze_gradient(s.problem->self, 0, s.q0), TORSOR_OK);
  double *D = differences(&s), *A = assemble(&s, TORSOR_SYSTEM_STABILISED, s.w);
  compare_blocks(&s, A, s.nv, D, s.n, "no constraints");
  double *x = numbers(s.nv);
  accelerations(&s, x);
  for (int i = 0; i < s.nv; ++i) CHECK_TRUE(isfinite(x[i]));
  free(x);
  free(A);
  free(D);
  close_subject(&s);
}

static void bad_solver_is_refused(void **state) {
  (void)state;
  support_world world;
  torsor_error error = {0};
  CHECK_INT(support_open(&world, tree, NULL, &error), TORSOR_OK);
  assembly *a;
  CHECK_INT(assembly_create(&a, world.model, "klux", false, &error), TORSOR_ARGUMENT);
  CHECK_TRUE(a == NULL);
  CHECK_CONTAINS(error.message, "klux");
  CHECK_CONTAINS(error.hint, "klu");
  support_close(&world);
}

static double cost_of_a_factorisation(const char *text) {
  subject s;
  open_subject(&s, text, NULL);
  const double cost = s.problem->factor_cost;
  printf("  a factorisation is declared to cost %.3g residuals and solutions\n", cost);
  close_subject(&s);
  return cost;
}

/* c - (c - 3)/nodes: bodies say c = 7, elements of beams 30. */
static void costs_of_factorisations(void **state) {
  (void)state;
  static const char body[] =
      "{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1]}";
  char text[1024];
  snprintf(text, sizeof text, "{\"torsor\": 1, \"bodies\": [%s]}", body);
  CHECK_NEAR(cost_of_a_factorisation(text), 3, ROUND_OFF);
  snprintf(text, sizeof text, "{\"torsor\": 1, \"bodies\": [%s, {\"name\": \"c\", %s]}", body,
           body + 14);
  CHECK_NEAR(cost_of_a_factorisation(text), 5, ROUND_OFF);
  const double beam = cost_of_a_factorisation(
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"rod\", \"type\": \"beam\", \"elements\": 16, "
      "\"length\": 1,"
      " \"section\": {\"stiffness\": [1, 1, 1, 1, 1, 1], \"inertia\": [1, 1, 1, 1, 1, 1]}}]}");
  CHECK_NEAR(beam, 30 - 27.0 / 17, 100 * ROUND_OFF);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(step_systems),
      cmocka_unit_test(decoupled_system),
      cmocka_unit_test(step_systems_at_zero),
      cmocka_unit_test(start_systems),
      cmocka_unit_test(hidden_constraints),
      cmocka_unit_test(groups_agree),
      cmocka_unit_test(rigid_motion_leaves_the_matrix),

      cmocka_unit_test(frozen_gradient),
      cmocka_unit_test(halves),
      cmocka_unit_test(no_constraints),
      cmocka_unit_test(bad_solver_is_refused),
      cmocka_unit_test(costs_of_factorisations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
