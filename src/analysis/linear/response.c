/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/linear/gmres.h"
#include "analysis/linear/linear_private.h"
#include "assembly/solver/complex_solver.h"

#include <math.h>
#include <string.h>

/* Systems whose complex factorisation takes fewer operations than this, some hundredths of a
 * second, are solved directly. */
static const double DIRECT_WORK = 2e7;

/* The iteration stops when the residual, in which units are out, has lost these digits, and its
 * result is taken when it has lost most of them. */
static const double TOLERANCE = 1e-13, GOOD = 1e-11;

/* MOST_ITERATIONS bounds the memory of the iteration; factors that need more than STALE are found
 * anew at the next frequency: one factorisation costs as much as some tens of solutions. */
enum { MOST_ITERATIONS = 80, STALE = 25 };

/* The sparse complex systems of one frequency after the other.  Large ones are solved by iterations
 * that are preconditioned by the real part of the matrix, at this frequency or at one before: it
 * can be factored by blocks of bodies, which takes much fewer operations than complex factors, and
 * differs from the matrix by the damping alone. */
typedef struct sweep {
  torsor_linear *l;
  double omega;
  double *x;                    /* [2 n] */
  double *shifted;              /* [2 nonzeros] the matrix, pairs */
  complex_solver *direct;       /* NULL: not yet needed */
  linear_solver *real;          /* NULL: all is solved directly */
  bool factored;                /* `real` holds factors */
  double *Ax, *scale, *re, *im; /* [nonzeros] factored; [n] scales of unknowns; [n], [n] */
  double *right;                /* [2 n] a right-hand side, kept for another attempt */
  gmres gmres;
} sweep;

/* Fills the matrix s^2 A2 + s A1 + A0 at s = i omega; rows that are left out are those of the
 * identity. */
static void shift(sweep *s, double omega) {
  const pencil *p = &s->l->pencil;
  const int nv = p->nv;
  s->omega = omega;
  for (int j = 0; j < p->p->n; ++j)
    for (int k = p->p->Ap[j]; k < p->p->Ap[j + 1]; ++k) {
      const int i = p->p->Ai[k];
      const bool out = (i >= nv && p->dropped[i - nv]) || (j >= nv && p->dropped[j - nv]);
      s->shifted[2 * k] = out ? i == j : p->A0[k] - omega * omega * p->A2[k];
      s->shifted[2 * k + 1] = out ? 0 : omega * p->A1[k];
    }
}

/* x = minus what the input adds to forces and rows of constraints: R0 + s R1 + s^2 R2. */
static void excite(sweep *s, int input) {
  const linear_rows *r = &s->l->rows;
  const double w = s->omega;
  const size_t n = (size_t)(r->nv + r->nl), at = (size_t)input * n;
  for (size_t i = 0; i < n; ++i) {
    const bool out = i >= (size_t)r->nv && s->l->pencil.dropped[i - (size_t)r->nv];
    s->x[2 * i] = out ? 0 : -(r->R[0][at + i] - w * w * r->R[2][at + i]);
    s->x[2 * i + 1] = out ? 0 : -w * r->R[1][at + i];
  }
}

/* out [2] = output k of the solution x, and of the input itself. */
static void observe(double *out, const sweep *s, int k, int input) {
  const linear_rows *r = &s->l->rows;
  const double *H[3], *L = r->L + (size_t)k * (size_t)r->nl, *x = s->x, w = s->omega;
  const size_t at = (size_t)input * (size_t)r->outputs + (size_t)k;
  for (int i = 0; i < 3; ++i) H[i] = r->H[i] + (size_t)k * (size_t)r->nv;
  out[0] = r->D[0][at] - w * w * r->D[2][at];
  out[1] = w * r->D[1][at];
  for (int i = 0; i < r->nv; ++i) {
    const double re = H[0][i] - w * w * H[2][i], im = w * H[1][i];
    out[0] += re * x[2 * i] - im * x[2 * i + 1];
    out[1] += re * x[2 * i + 1] + im * x[2 * i];
  }
  for (int i = 0; i < r->nl; ++i) {
    out[0] += L[i] * x[2 * (r->nv + i)];
    out[1] += L[i] * x[2 * (r->nv + i) + 1];
  }
}

/* ---- iterations -------------------------------------------------------------------------------
 */

/* Applies the real factors to the real and imaginary parts of x, with the unknowns scaled. */
static torsor_status precondition(sweep *s, double *x) {
  const int n = s->l->pencil.p->n;
  for (int i = 0; i < n; ++i) {
    s->re[i] = x[2 * i];
    s->im[i] = x[2 * i + 1];
  }
  torsor_status status = linear_solver_solve(s->real, s->re);
  if (!status) status = linear_solver_solve(s->real, s->im);
  for (int i = 0; i < n; ++i) {
    x[2 * i] = s->re[i] / s->scale[i];
    x[2 * i + 1] = s->im[i] / s->scale[i];
  }
  return status;
}

/* out = the scaled and preconditioned matrix times x. */
static torsor_status multiply(void *data, double *out, const double *x) {
  sweep *s = data;
  const pattern *p = s->l->pencil.p;
  memset(out, 0, 2 * (size_t)p->n * sizeof *out);
  for (int j = 0; j < p->n; ++j) {
    const double re = s->scale[j] * x[2 * j], im = s->scale[j] * x[2 * j + 1];
    for (int k = p->Ap[j]; k < p->Ap[j + 1]; ++k) {
      const double *A = s->shifted + 2 * (size_t)k;
      double *y = out + 2 * (size_t)p->Ai[k];
      y[0] += A[0] * re - A[1] * im;
      y[1] += A[0] * im + A[1] * re;
    }
  }
  return precondition(s, out);
}

static torsor_status factor(sweep *s) {
  for (int k = 0; k < s->l->pencil.p->nonzeros; ++k) s->Ax[k] = s->shifted[2 * k];
  const torsor_status status = linear_solver_factor(s->real, s->Ax);
  s->factored = status == TORSOR_OK;
  return status;
}

/* Solves for x by iterations; *solved is false where they do not converge. */
static torsor_status iterate(bool *solved, sweep *s) {
  const size_t bytes = 2 * (size_t)s->l->pencil.p->n * sizeof *s->x;
  *solved = false;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const bool fresh = !s->factored;
    double left;
    int iterations;
    torsor_status status = fresh ? factor(s) : TORSOR_OK;
    if (status) return status > 0 ? TORSOR_OK : status;
    memcpy(s->right, s->x, bytes);
    status = precondition(s, s->x);
    if (!status) status = gmres_solve(s->x, &s->gmres, multiply, s, TOLERANCE, &left, &iterations);
    if (status < 0) return status;
    s->factored = !status && iterations < STALE;
    *solved = !status && left < GOOD;
    if (*solved) break;
    if (fresh) return TORSOR_OK;
    memcpy(s->x, s->right, bytes);
  }
  for (int i = 0; i < s->l->pencil.p->n; ++i) {
    s->x[2 * i] *= s->scale[i];
    s->x[2 * i + 1] *= s->scale[i];
  }
  return TORSOR_OK;
}

/* ---- one frequency ------------------------------------------------------------------------------
 */

static torsor_status solve_directly(sweep *s) {
  torsor_status status = TORSOR_OK;
  if (!s->direct) status = complex_solver_create(&s->direct, s->l->pencil.p);
  if (!status) status = complex_solver_factor(s->direct, s->shifted);
  return status ? status : complex_solver_solve(s->direct, s->x);
}

static torsor_status respond(double *out, sweep *s, double omega) {
  const torsor_linear *l = s->l;
  const linear_rows *r = &l->rows;
  torsor_status status = TORSOR_OK;
  shift(s, omega);
  for (int i = 0; i < r->inputs && !status; ++i) {
    bool solved = false;
    excite(s, i);
    if (s->real) status = iterate(&solved, s);
    if (!status && !solved) {
      excite(s, i);
      status = solve_directly(s);
    }
    if (!status && !l->pencil.reactive) {
      idle_remove(&l->idle, s->x + 2 * r->nv, r->nl, 2);
      idle_remove(&l->idle, s->x + 2 * r->nv + 1, r->nl, 2);
    }
    for (int k = 0; k < r->outputs && !status; ++k) observe(out + 2 * (k * r->inputs + i), s, k, i);
  }
  return status;
}

/* ---- all ----------------------------------------------------------------------------------------
 */

/* Finds scales of the unknowns that take their units out: with them, and with rows scaled as well,
 * the largest entry of each column of the matrix is near 1. */
static torsor_status prepare_iterations(sweep *s, arena *memory) {
  const pencil *p = &s->l->pencil;
  const size_t n = (size_t)p->p->n;
  s->Ax = arena_take(memory, (size_t)p->p->nonzeros, sizeof *s->Ax);
  s->scale = arena_take(memory, n, sizeof *s->scale);
  s->right = arena_take(memory, 2 * n, sizeof *s->right);
  s->re = arena_take(memory, n, sizeof *s->re);
  s->im = arena_take(memory, n, sizeof *s->im);
  if (!s->Ax || !s->scale || !s->right || !s->re || !s->im) return TORSOR_MEMORY;
  for (int i = 0; i < p->p->n; ++i)
    s->scale[i] = i >= p->nv ? p->stiffest / p->length : p->rotation[i] ? 1 : p->length;
  linear_solver_trust(s->real);
  return gmres_create(&s->gmres, p->p->n, MOST_ITERATIONS, memory);
}

static torsor_status prepare(torsor_linear *l) {
  const pattern *p = l->pencil.p;
  if (l->sweep) return TORSOR_OK;
  sweep *s = arena_take(&l->memory, 1, sizeof *s);
  if (!s) return TORSOR_MEMORY;
  l->sweep = s;
  s->l = l;
  s->shifted = arena_take(&l->memory, 2 * (size_t)p->nonzeros, sizeof *s->shifted);
  s->x = arena_take(&l->memory, 2 * (size_t)p->n, sizeof *s->x);
  if (!s->shifted || !s->x) return TORSOR_MEMORY;
  torsor_status status = complex_solver_create(&s->direct, p);
  if (status || complex_solver_work(s->direct) < DIRECT_WORK) return status;
  status = linear_solver_create(&s->real, l->settings.linear_solver, p, &l->pencil.plan);
  return status ? status : prepare_iterations(s, &l->memory);
}

void sweep_release(torsor_linear *l) {
  if (!l->sweep) return;
  complex_solver_destroy(l->sweep->direct);
  linear_solver_destroy(l->sweep->real);
}

torsor_status torsor_linear_response(double *response, torsor_linear *l, const double *omega,
                                     int count, int *at, torsor_error *error) {
  const size_t size = 2 * (size_t)l->rows.outputs * (size_t)l->rows.inputs;
  torsor_status status = prepare(l);
  for (int i = 0; i < count && !status; ++i) {
    status = respond(response + (size_t)i * size, l->sweep, omega[i]);
    if (!status) continue;
    if (at) *at = i;
    torsor_fail(error, status, "the response at %.9g rad/s cannot be found: %s", omega[i],
                torsor_status_text(status));
    if (status == TORSOR_SINGULAR || status == TORSOR_NONFINITE)
      torsor_hint(error, omega[i] == 0 ? "a rigid motion resists no force at 0: begin above it"
                                       : "an undamped pole is there: take another frequency, or "
                                         "add damping");
    return status;
  }
  return status ? torsor_fail(error, status, "out of memory") : TORSOR_OK;
}
