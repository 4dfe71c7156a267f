/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gsl/gsl_linalg.h>

#include <torsor/integrator.h>

#include "base/vec.h"
#include "base/arena.h"
#include "integrator/alpha_kit.h"
#include "integrator/parts.h"

/* A small problem with dense matrices (torsor_dense) as a torsor_problem: tangents by central
 * differences, factorisations by QR (GSL).  It serves tests and the problems of the papers. */
typedef struct dense {
  torsor_problem problem; /* must be first: a problem pointer is a dense pointer */
  arena memory;
  torsor_dense d;
  double *M, *B, *B0, *T, *TB0; /* [nv nv] [nl nv] [nl nv] [nv nv] [nv nl] */
  double *K, *C, *Z;            /* derivatives of r by q and v, of B v + Phi_t by q */
  double *L;                    /* [nv nl] derivative of the reaction by lambda */
  double *q, *u, *v;            /* displaced point */
  double *w, *y;                /* [nv] [nl] displaced velocity and multipliers */
  double *plus, *minus; /* [nv + nl + nq] function values at the displaced point, and the point */
  double *A, *tau;      /* [n n] [n] QR factors of the matrix made last, one of the following */
  double *plain, *plain_tau, *stabilised, *stabilised_tau, *aside, *aside_tau;
  double *recalled;        /* matrix that steps used last, as long as it is factored; or NULL */
  double *mass, *mass_tau; /* [nv nv] [nv] QR factors of M */
  double *tangent, *tangent_tau; /* [nv nv] [nv] QR factors of T or its transpose */
  int n;
  unsigned char *nonholonomic; /* [nl] */
} dense;

/* Returns the step of central differences, whose errors are (third derivative) h^2 and eps / h,
 * with h relative to the scale.  Where nothing has a size any step serves. */
static double difference_step(double scale) {
  return cbrt(DBL_EPSILON) * (scale > 0 ? scale : 1);
}

static bool is_rotation(const dense *s, int i) {
  return s->d.rotation && s->d.rotation[i];
}

/* Returns the largest component of the same kind (translation or rotation) as component i. */
static double largest_of_kind(const dense *s, const double *x, int i) {
  return parts_largest_of(NULL, x, s->d.rotation, is_rotation(s, i), s->d.nv);
}

/* Returns the scale of displacements in direction i, m or rad. */
static double displacement_scale(const dense *s, const double *q, int i) {
  return is_rotation(s, i) ? 1 : fmax(s->d.length, vec_largest(q, s->d.nq));
}

/* Returns the scale of the velocity in direction i: that of the present velocities, or of those
 * that accelerations cause over the scale of displacements. */
static double velocity_scale(const dense *s, const double *q, const double *v, const double *a,
                             int i) {
  const double speed = largest_of_kind(s, v, i), gained = a ? largest_of_kind(s, a, i) : 0;
  return fmax(speed, sqrt(gained * displacement_scale(s, q, i)));
}

static void plus(void *self, double *q1, const double *q, const double *u) {
  const dense *s = self;
  if (s->d.plus)
    s->d.plus(s->d.data, q1, q, u);
  else
    for (int i = 0; i < s->d.nv; ++i) q1[i] = q[i] + u[i];
}

static void bracket(void *self, double *out, const double *a, const double *b) {
  const dense *s = self;
  if (s->d.bracket)
    s->d.bracket(s->d.data, out, a, b);
  else
    memset(out, 0, (size_t)s->d.nv * sizeof *out);
}

/* s->q = q exp(e times the i-th unit vector). */
static void displace(dense *s, const double *q, int i, double e) {
  memset(s->u, 0, (size_t)s->d.nv * sizeof *s->u);
  s->u[i] = e;
  plus(s, s->q, q, s->u);
}

static int holonomic(const torsor_dense *d) {
  return d->nl - d->nonholonomic;
}

/* B = dk/dv [nonholonomic x nv] by differences. */
static void differentiate_rate(dense *s, double *B, double t, const double *q, const double *v) {
  const int nv = s->d.nv, n = s->d.nonholonomic;
  memcpy(s->w, v, (size_t)nv * sizeof *s->w);
  for (int j = 0; j < nv; ++j) {
    const double e = difference_step(velocity_scale(s, q, v, NULL, j));
    s->w[j] = v[j] + e;
    s->d.rate(s->d.data, t, q, s->w, s->y);
    for (int i = 0; i < n; ++i) B[i * nv + j] = s->y[i] / (2 * e);
    s->w[j] = v[j] - e;
    s->d.rate(s->d.data, t, q, s->w, s->y);
    for (int i = 0; i < n; ++i) B[i * nv + j] -= s->y[i] / (2 * e);
    s->w[j] = v[j];
  }
}

/* Finds the constraint gradient B; v is where rows that are nonlinear in it are differentiated,
 * NULL = these are left out. */
static void gradient(dense *s, double *B, double t, const double *q, const double *v) {
  const int position_rows = holonomic(&s->d);
  double *rows = B + position_rows * s->d.nv;
  if (s->d.rate) memset(rows, 0, (size_t)(s->d.nonholonomic * s->d.nv) * sizeof *rows);
  if (position_rows || (s->d.nl && !s->d.rate)) s->d.gradient(s->d.data, t, q, B);
  if (!s->d.rate || !v) return;
  if (s->d.rate_gradient)
    s->d.rate_gradient(s->d.data, t, q, v, rows);
  else
    differentiate_rate(s, rows, t, q, v);
}

/* Adds the forces of the multipliers to out. */
static void add_reaction(dense *s, double *out, double t, const double *q, const double *v,
                         const double *lambda) {
  const int nv = s->d.nv, nl = s->d.nl;
  if (s->d.reaction) {
    s->d.reaction(s->d.data, t, q, v, lambda, s->w);
    for (int i = 0; i < nv; ++i) out[i] += s->w[i];
    return;
  }
  gradient(s, s->B, t, q, v);
  for (int i = 0; i < nv; ++i)
    for (int j = 0; j < nl; ++j) out[i] += s->B[j * nv + i] * lambda[j];
}

/* out = M a + g + B^T lambda. */
static void equilibrium(dense *s, double *out, double t, const double *q, const double *v,
                        const double *a, const double *lambda) {
  const int nv = s->d.nv;
  s->d.mass(s->d.data, t, q, s->M);
  s->d.force(s->d.data, t, q, v, out);
  for (int i = 0; i < nv; ++i)
    for (int j = 0; j < nv; ++j) out[i] += s->M[i * nv + j] * a[j];
  if (s->d.nl) add_reaction(s, out, t, q, v, lambda);
}

/* out = B v + Phi_t, or k. */
static void constraint_velocity(dense *s, double *out, double t, const double *q, const double *v) {
  const int nv = s->d.nv, nl = s->d.nl, position_rows = s->d.rate ? holonomic(&s->d) : nl;
  memset(out, 0, (size_t)nl * sizeof *out);
  if (s->d.constraint_rate) s->d.constraint_rate(s->d.data, t, q, out);
  gradient(s, s->B, t, q, NULL);
  for (int i = 0; i < position_rows; ++i)
    for (int j = 0; j < nv; ++j) out[i] += s->B[i * nv + j] * v[j];
  if (s->d.rate) s->d.rate(s->d.data, t, q, v, out + position_rows);
}

static torsor_status residual(void *self, const torsor_point *p, double *r, double *phi,
                              double *phi_v) {
  dense *s = self;
  if (r) equilibrium(s, r, p->t, p->q, p->v, p->a, p->lambda);
  if (phi && s->d.constraint) s->d.constraint(s->d.data, p->t, p->q, phi);
  for (int i = holonomic(&s->d); phi && i < s->d.nl; ++i) phi[i] = 0;
  if (phi_v && s->d.nl) constraint_velocity(s, phi_v, p->t, p->q, p->v);
  return TORSOR_OK;
}

/* Returns the time step of the difference d/dt (B v + Phi_t) along v with v' = 0, chosen so that
 * the displacement is that of a difference in q.  Constraints that depend on time are assumed to
 * change over seconds. */
static double way_time(const dense *s, const torsor_point *p) {
  double rate = s->d.constraint_rate ? 1 : 0;
  for (int i = 0; i < s->d.nv; ++i) {
    const double scale = displacement_scale(s, p->q, i);
    if (scale > 0) rate = fmax(rate, fabs(p->v[i]) / scale);
  }
  return difference_step(rate > 0 ? 1 / rate : 0);
}

static torsor_status hidden(void *self, const torsor_point *p, double *phi_a) {
  dense *s = self;
  if (s->d.hidden) {
    s->d.hidden(s->d.data, p->t, p->q, p->v, phi_a);
    return TORSOR_OK;
  }
  const double e = way_time(s, p);
  for (int side = 0; side < 2; ++side) {
    const double dt = side ? -e : e;
    for (int i = 0; i < s->d.nv; ++i) s->v[i] = dt * p->v[i];
    plus(s, s->plus, p->q, s->v);
    constraint_velocity(s, side ? s->minus : phi_a, p->t + dt, s->plus, p->v);
  }
  for (int i = 0; i < s->d.nl; ++i) phi_a[i] = (phi_a[i] - s->minus[i]) / (2 * e);
  return TORSOR_OK;
}

/* Finds K and Z by central differences along the group's directions. */
static void differentiate_by_q(dense *s, const torsor_point *p) {
  const int nv = s->d.nv, nl = s->d.nl;
  for (int j = 0; j < nv; ++j) {
    const double e = difference_step(displacement_scale(s, p->q, j));
    for (int side = 0; side < 2; ++side) {
      double *out = side ? s->minus : s->plus;
      displace(s, p->q, j, side ? -e : e);
      memcpy(out + nv + nl, s->q, (size_t)s->d.nq * sizeof *out);
      equilibrium(s, out, p->t, out + nv + nl, p->v, p->a, p->lambda);
      if (nl) constraint_velocity(s, out + nv, p->t, out + nv + nl, p->v);
    }
    for (int i = 0; i < nv; ++i) s->K[i * nv + j] = (s->plus[i] - s->minus[i]) / (2 * e);
    for (int i = 0; i < nl; ++i) s->Z[i * nv + j] = (s->plus[nv + i] - s->minus[nv + i]) / (2 * e);
  }
}

static void differentiate_by_v(dense *s, const torsor_point *p) {
  const int nv = s->d.nv;
  memcpy(s->v, p->v, (size_t)nv * sizeof *s->v);
  for (int j = 0; j < nv; ++j) {
    const double e = difference_step(velocity_scale(s, p->q, p->v, p->a, j));
    s->v[j] = p->v[j] + e;
    s->d.force(s->d.data, p->t, p->q, s->v, s->plus);
    if (s->d.nl) add_reaction(s, s->plus, p->t, p->q, s->v, p->lambda);
    s->v[j] = p->v[j] - e;
    s->d.force(s->d.data, p->t, p->q, s->v, s->minus);
    if (s->d.nl) add_reaction(s, s->minus, p->t, p->q, s->v, p->lambda);
    s->v[j] = p->v[j];
    for (int i = 0; i < nv; ++i) s->C[i * nv + j] = (s->plus[i] - s->minus[i]) / (2 * e);
  }
}

/* c = alpha a b [rows x columns] + c, with the inner dimension n. */
static void multiply_add(double *c, int stride, double alpha, const double *a, const double *b,
                         int rows, int n, int columns) {
  for (int i = 0; i < rows; ++i)
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < columns; ++j)
        c[i * stride + j] += alpha * a[i * n + k] * b[k * columns + j];
}

static void differentiate_by_lambda(dense *s, const torsor_point *p) {
  const int nv = s->d.nv, nl = s->d.nl;
  const double e = difference_step(vec_largest(p->lambda, nl));
  memcpy(s->y, p->lambda, (size_t)nl * sizeof *s->y);
  for (int j = 0; j < nl; ++j) {
    s->y[j] = p->lambda[j] + e;
    s->d.reaction(s->d.data, p->t, p->q, p->v, s->y, s->plus);
    s->y[j] = p->lambda[j] - e;
    s->d.reaction(s->d.data, p->t, p->q, p->v, s->y, s->minus);
    s->y[j] = p->lambda[j];
    for (int i = 0; i < nv; ++i) s->L[i * nl + j] = (s->plus[i] - s->minus[i]) / (2 * e);
  }
}

/* Fills the first block row and column: A11 = m M, A12 = B^T or the derivative of the reaction. */
static void fill_mass(dense *s, double m, const double *B, bool reactive) {
  const int nv = s->d.nv, nl = s->d.nl, n = s->n;
  for (int i = 0; i < nv; ++i) {
    for (int j = 0; j < nv; ++j) s->A[i * n + j] = m * s->M[i * nv + j];
    for (int j = 0; j < nl; ++j) s->A[i * n + nv + j] = reactive ? s->L[i * nl + j] : B[j * nv + i];
  }
}

/* Fills `count` rows at `rows` with B + z Z T, of the constraints from `first` on, and their
 * columns of s. */
static void fill_velocity_rows(dense *s, double *rows, int first, int count,
                               const torsor_weights *w) {
  const int nv = s->d.nv, nl = s->d.nl, n = s->n;
  const double *B = s->B + first * nv, *Z = s->Z + first * nv;
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < nv; ++j) rows[i * n + j] = B[i * nv + j];
  multiply_add(rows, n, w->z, Z, s->T, count, nv, nv);
  if (w->system == TORSOR_SYSTEM_STABILISED)
    multiply_add(rows + nv + nl, n, -w->z, Z, s->TB0, count, nv, nl);
}

static double weight_of(const double *scales, int i) {
  return scales ? scales[i] * scales[i] : 1;
}

/* Fills the diagonals of the multipliers: the regularisation, and s = 0 of nonholonomic rows. */
static void fill_diagonals(dense *s, const torsor_weights *w) {
  const int nv = s->d.nv, nl = s->d.nl, n = s->n;
  for (int i = 0; i < nl; ++i) {
    const int y = nv + i, other = nv + nl + i;
    const bool stabilised = w->system == TORSOR_SYSTEM_STABILISED,
               holonomic_row = i < holonomic(&s->d);
    const double of_y = w->e * weight_of(w->rows, i);
    if (!stabilised || !holonomic_row) s->A[y * n + y] -= of_y;
    if (!stabilised) continue;
    if (!holonomic_row) {
      s->A[other * n + other] += 1;
    } else {
      s->A[y * n + other] -= w->e * weight_of(w->corrections, i);
      s->A[other * n + y] -= of_y;
    }
  }
}

static void fill_stage(dense *s, const torsor_point *p, const torsor_weights *w) {
  const int nv = s->d.nv, nl = s->d.nl, n = s->n, position_rows = holonomic(&s->d);
  double *rows_phi = s->A + nv * n, *rows_phi_v = rows_phi + nl * n;
  memset(s->T, 0, (size_t)(nv * nv) * sizeof *s->T);
  for (int i = 0; i < nv; ++i) s->T[i * nv + i] = 1;
  if (p->u && s->d.tan) s->d.tan(s->d.data, s->T, p->u);
  for (int i = 0; i < nv; ++i)
    for (int j = 0; j < nv; ++j) s->A[i * n + j] += w->c * s->C[i * nv + j];
  multiply_add(s->A, n, w->k, s->K, s->T, nv, nv, nv);
  multiply_add(rows_phi, n, 1, s->B, s->T, position_rows, nv, nv);
  memset(s->TB0, 0, (size_t)(nv * nl) * sizeof *s->TB0);
  for (int i = 0; i < nv; ++i)
    for (int k = 0; k < nv; ++k)
      for (int j = 0; j < nl; ++j) s->TB0[i * nl + j] += s->T[i * nv + k] * s->B0[j * nv + k];
  fill_velocity_rows(s, rows_phi + position_rows * n, position_rows, nl - position_rows, w);
  if (w->system != TORSOR_SYSTEM_STABILISED) return;
  fill_velocity_rows(s, rows_phi_v, 0, position_rows, w);
  multiply_add(s->A + nv + nl, n, -w->k, s->K, s->TB0, nv, nv, nl);
  multiply_add(rows_phi + nv + nl, n, -1, s->B, s->TB0, position_rows, nv, nl);
}

/* Fills B below A12, without the rows that are left out, and replaces the rows and columns of fixed
 * velocities by those of the identity. */
static void fill_projection(dense *s, const torsor_weights *w) {
  const int nv = s->d.nv, nl = s->d.nl, n = s->n;
  const int kept = w->system == TORSOR_SYSTEM_VELOCITY && w->holonomic ? holonomic(&s->d) : nl;
  for (int i = 0; i < nl; ++i)
    for (int j = 0; j < nv; ++j)
      if (i < kept)
        s->A[(nv + i) * n + j] = s->B[i * nv + j];
      else
        s->A[j * n + nv + i] = 0;
  if (w->system != TORSOR_SYSTEM_VELOCITY || !w->fixed) return;
  for (int i = 0; i < nv; ++i) {
    if (!w->fixed[i]) continue;
    for (int j = 0; j < n; ++j) s->A[i * n + j] = s->A[j * n + i] = i == j;
  }
}

static torsor_status decompose(double *factors, double *scalars, int size) {
  const size_t n = (size_t)size;
  for (size_t i = 0; i < n * n; ++i)
    if (!isfinite(factors[i])) return TORSOR_NONFINITE;
  gsl_matrix_view A = gsl_matrix_view_array(factors, n, n);
  gsl_vector_view tau = gsl_vector_view_array(scalars, n);
  gsl_linalg_QR_decomp(&A.matrix, &tau.vector);
  double smallest = HUGE_VAL, most = 0;
  for (size_t i = 0; i < n; ++i) {
    smallest = fmin(smallest, fabs(factors[i * n + i]));
    most = fmax(most, fabs(factors[i * n + i]));
  }
  return smallest > (double)n * DBL_EPSILON * most ? TORSOR_OK : TORSOR_SINGULAR;
}

static void choose_matrix(dense *s, double *A) {
  s->A = A;
  s->tau = A == s->stabilised ? s->stabilised_tau : A == s->plain ? s->plain_tau : s->aside_tau;
  s->n = s->d.nv + s->d.nl * (A == s->stabilised ? 2 : 1);
}

static torsor_status factor(void *self, const torsor_point *p, const torsor_weights *w) {
  dense *s = self;
  const bool stage = w->system == TORSOR_SYSTEM_INDEX3 || w->system == TORSOR_SYSTEM_STABILISED;
  if (w->system == TORSOR_SYSTEM_MASS) {
    s->d.mass(s->d.data, p->t, p->q, s->mass);
    return decompose(s->mass, s->mass_tau, s->d.nv);
  }
  choose_matrix(s, w->system == TORSOR_SYSTEM_STABILISED ? s->stabilised
                   : w->aside                            ? s->aside
                                                         : s->plain);
  if (s->A == s->recalled) s->recalled = NULL;
  memset(s->A, 0, (size_t)(s->n * s->n) * sizeof *s->A);
  if (stage) {
    differentiate_by_q(s, p);
    differentiate_by_v(s, p);
  }
  const bool reactive = s->d.reaction && w->system != TORSOR_SYSTEM_VELOCITY;
  if (reactive) differentiate_by_lambda(s, p);
  s->d.mass(s->d.data, p->t, p->q, s->M);
  gradient(s, s->B, p->t, p->q, p->v);
  fill_mass(s, w->m, w->frozen ? s->B0 : s->B, reactive);
  if (stage)
    fill_stage(s, p, w);
  else
    fill_projection(s, w);
  fill_diagonals(s, w);
  const torsor_status status = decompose(s->A, s->tau, s->n);
  if (stage && !status) s->recalled = s->A;
  return status;
}

static torsor_status recall(void *self) {
  dense *s = self;
  if (!s->recalled) return TORSOR_SINGULAR;
  choose_matrix(s, s->recalled);
  return TORSOR_OK;
}

static torsor_status solve_factors(const double *factors, const double *scalars, int size,
                                   double *x) {
  const size_t n = (size_t)size;
  for (size_t i = 0; i < n; ++i)
    if (!isfinite(x[i])) return TORSOR_NONFINITE;
  gsl_matrix_const_view A = gsl_matrix_const_view_array(factors, n, n);
  gsl_vector_const_view tau = gsl_vector_const_view_array(scalars, n);
  gsl_vector_view b = gsl_vector_view_array(x, n);
  gsl_linalg_QR_svx(&A.matrix, &tau.vector, &b.vector);
  return TORSOR_OK;
}

static torsor_status solve(void *self, double *x) {
  const dense *s = self;
  return solve_factors(s->A, s->tau, s->n, x);
}

static torsor_status solve_mass(void *self, double *x) {
  const dense *s = self;
  return solve_factors(s->mass, s->mass_tau, s->d.nv, x);
}

static void minus(void *self, double *u, const double *q1, const double *q0) {
  const dense *s = self;
  if (s->d.minus)
    s->d.minus(s->d.data, u, q1, q0);
  else
    for (int i = 0; i < s->d.nv; ++i) u[i] = q1[i] - q0[i];
}

static void tangent_map(void *self, double *out, const double *u, const double *w) {
  dense *s = self;
  const int nv = s->d.nv;
  memcpy(out, w, (size_t)nv * sizeof *out);
  if (!s->d.tan) return;
  s->d.tan(s->d.data, s->T, u);
  memset(out, 0, (size_t)nv * sizeof *out);
  for (int i = 0; i < nv; ++i)
    for (int j = 0; j < nv; ++j) out[i] += s->T[i * nv + j] * w[j];
}

static void taninv(void *self, double *out, const double *u, const double *w, bool transposed) {
  dense *s = self;
  const int nv = s->d.nv;
  memmove(out, w, (size_t)nv * sizeof *out);
  if (!s->d.tan) return;
  s->d.tan(s->d.data, s->T, u);
  for (int i = 0; i < nv; ++i)
    for (int j = 0; j < nv; ++j)
      s->tangent[i * nv + j] = transposed ? s->T[j * nv + i] : s->T[i * nv + j];
  torsor_status status = decompose(s->tangent, s->tangent_tau, nv);
  if (!status) status = solve_factors(s->tangent, s->tangent_tau, nv, out);
  for (int i = 0; status && i < nv; ++i) out[i] = nan("");
}

static double mass_scale(void *self, const torsor_point *p) {
  dense *s = self;
  s->d.mass(s->d.data, p->t, p->q, s->M);
  return vec_largest(s->M, s->d.nv * s->d.nv);
}

/* Finds the scales of components by their masses, and those of rows by these, so that none depends
 * on the unit of another.  Rows that nothing moves keep 1. */
static void find_scales(void *self, const torsor_point *p, torsor_scales *out) {
  dense *s = self;
  const int nv = s->d.nv;
  out->mass = mass_scale(self, p);
  for (int j = 0; j < nv; ++j) {
    const double mass = s->M[j * nv + j];
    if (mass > 0) out->component[j] = sqrt(mass / out->mass);
  }
  gradient(s, s->B, p->t, p->q, p->v);
  for (int i = 0; i < s->d.nl; ++i) {
    double moved = 0, plain = 0;
    for (int j = 0; j < nv; ++j) {
      moved = hypot(moved, s->B[i * nv + j] / out->component[j]);
      plain = hypot(plain, s->B[i * nv + j]);
    }
    if (moved > 0) out->row[i] = moved;
    if (plain > 0) out->correction[i] = plain;
  }
}

static torsor_status freeze_gradient(void *self, double t, const double *q) {
  dense *s = self;
  gradient(s, s->B0, t, q, NULL);
  return TORSOR_OK;
}

static void gradient_force(void *self, double *out, const double *y) {
  const dense *s = self;
  const int nv = s->d.nv;
  memset(out, 0, (size_t)nv * sizeof *out);
  for (int i = 0; i < s->d.nl; ++i)
    for (int j = 0; j < nv; ++j) out[j] += s->B0[i * nv + j] * y[i];
}

static bool take_memory(dense *s) {
  const int nq = s->d.nq, nv = s->d.nv, nl = s->d.nl, n = nv + 2 * nl;
  const struct {
    double **vector;
    int length;
  } wanted[] = {{&s->M, nv * nv},
                {&s->B, nl * nv},
                {&s->B0, nl * nv},
                {&s->T, nv * nv},
                {&s->TB0, nv * nl},
                {&s->K, nv * nv},
                {&s->C, nv * nv},
                {&s->Z, nl * nv},
                {&s->L, nl * nv},
                {&s->w, nv},
                {&s->y, nl},
                {&s->q, nq},
                {&s->u, nv},
                {&s->v, nv},
                {&s->plus, nv + nl + nq},
                {&s->minus, nv + nl + nq},
                {&s->plain, (nv + nl) * (nv + nl)},
                {&s->plain_tau, nv + nl},
                {&s->aside, (nv + nl) * (nv + nl)},
                {&s->aside_tau, nv + nl},
                {&s->stabilised, n * n},
                {&s->stabilised_tau, n},
                {&s->mass, nv * nv},
                {&s->mass_tau, nv},
                {&s->tangent, nv * nv},
                {&s->tangent_tau, nv}};
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
    *wanted[i].vector = arena_take(&s->memory, (size_t)wanted[i].length, sizeof(double));
    if (!*wanted[i].vector) return false;
  }
  s->nonholonomic = arena_take(&s->memory, (size_t)nl, sizeof *s->nonholonomic);
  return s->nonholonomic != NULL;
}

static torsor_status check(const torsor_dense *d, torsor_error *error) {
  if (d->nv < 1 || d->nq < d->nv || d->nl < 0 || (d->nl > d->nv && !d->redundant))
    return torsor_fail(error, TORSOR_ARGUMENT, "sizes nq = %d, nv = %d, nl = %d", d->nq, d->nv,
                       d->nl);
  if (d->nonholonomic < 0 || d->nonholonomic > d->nl)
    return torsor_fail(error, TORSOR_ARGUMENT, "%d of %d constraints are nonholonomic",
                       d->nonholonomic, d->nl);
  const bool linear = d->nl > (d->rate ? d->nonholonomic : 0);
  if (!d->mass || !d->force || (holonomic(d) && !d->constraint) || (linear && !d->gradient))
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "the problem lacks mass, force, constraint or gradient");
  if (d->rate && !d->nonholonomic)
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "the problem has a rate, but no nonholonomic constraints");
  const int group = (d->plus != NULL) + (d->tan != NULL) + (d->bracket != NULL);
  if (group != 0 && group != 3)
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "the problem must have all of plus, tan and bracket, or none of them");
  if (group == 0 && d->minus)
    return torsor_fail(error, TORSOR_ARGUMENT, "the problem has minus, but no plus");
  if (group == 0 && d->nq != d->nv)
    return torsor_fail(error, TORSOR_ARGUMENT, "nq = %d is not nv = %d in R^n", d->nq, d->nv);
  return TORSOR_OK;
}

torsor_status torsor_dense_create(torsor_problem **out, const torsor_dense *d,
                                  torsor_error *error) {
  *out = NULL;
  const torsor_status status = check(d, error);
  if (status) return status;
  dense *s = calloc(1, sizeof *s);
  if (!s) return torsor_fail(error, TORSOR_MEMORY, "out of memory for a dense problem");
  s->d = *d;
  if (!take_memory(s)) {
    torsor_dense_destroy(&s->problem);
    return torsor_fail(error, TORSOR_MEMORY, "out of memory for a dense problem");
  }
  s->problem = (torsor_problem){.self = s,
                                .nq = d->nq,
                                .nv = d->nv,
                                .nl = d->nl,
                                .length = d->length,
                                .redundant = d->redundant,
                                .rotation = d->rotation,
                                .reactive = d->reaction != NULL,
                                .lambda0 = d->lambda0,
                                .conservative = d->conservative,
                                .plus = plus,
                                .minus = d->plus && !d->minus ? NULL : minus,
                                .tan = tangent_map,
                                .taninv = taninv,
                                .bracket = bracket,
                                .residual = residual,
                                .hidden = hidden,
                                .factor = factor,
                                .solve = solve,
                                .recall = recall,
                                .solve_mass = solve_mass,
                                .freeze_gradient = freeze_gradient,
                                .gradient_force = gradient_force,
                                .mass_scale = mass_scale,
                                .scales = find_scales};
  for (int i = holonomic(d); i < d->nl; ++i) s->nonholonomic[i] = 1;
  if (d->nonholonomic) s->problem.nonholonomic = s->nonholonomic;
  *out = &s->problem;
  return TORSOR_OK;
}

void torsor_dense_destroy(torsor_problem *problem) {
  if (!problem) return;
  dense *s = (dense *)(void *)problem;
  arena_release(&s->memory);
  free(s);
}
