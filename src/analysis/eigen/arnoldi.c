/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/eigen/arnoldi.h"

#include <arpack.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/eigen/lapack.h"

/* Up to this size the dense matrix is faster than the iteration, and no eigenvalue can be
 * missed. */
enum { DENSE = 64 };

/* Ritz values are accepted with residuals below this fraction of them: some hundred roundings. */
static const double TOLERANCE = 1e-13;

enum { RESTARTS = 3000, LEAST_VECTORS = 24 };

static bool spectrum_create(arnoldi_spectrum *out, int n, int room) {
  *out = (arnoldi_spectrum){.n = n};
  out->re = calloc((size_t)room + 1, sizeof *out->re);
  out->im = calloc((size_t)room + 1, sizeof *out->im);
  out->vector = calloc(((size_t)room + 1) * (size_t)n, sizeof *out->vector);
  return out->re && out->im && out->vector;
}

void arnoldi_release(arnoldi_spectrum *spectrum) {
  free(spectrum->re);
  free(spectrum->im);
  free(spectrum->vector);
  *spectrum = (arnoldi_spectrum){0};
}

/* ---- order ------------------------------------------------------------------------------- */

typedef struct found {
  double size, re, im;
  int place; /* index of the vector, or of its real part */
} found;

/* Orders eigenvalues by magnitude, the larger first.  A conjugate pair is one entry here, and
 * nearly equal sizes keep an order that does not depend on their last bit. */
static int larger(const void *a, const void *b) {
  const found *x = a, *y = b;
  if (x->size != y->size) return x->size < y->size ? 1 : -1;
  return (x->place > y->place) - (x->place < y->place);
}

/* Copies a vector; the imaginary part changes its sign where im < 0 came first. */
static void take_vector(double *out, const double *from, int n, double sign) {
  for (int i = 0; i < n; ++i) out[i] = sign * from[i];
}

/* Sorts the values re, im [count] with their vectors [count][n] into `out`, conjugates side by
 * side. */
static torsor_status put_in_order(arnoldi_spectrum *out, const double *re, const double *im,
                                  const double *vector, int count, int n) {
  found *list = calloc((size_t)count + 1, sizeof *list);
  int listed = 0;
  if (!list || !spectrum_create(out, n, count)) {
    free(list);
    arnoldi_release(out);
    return TORSOR_MEMORY;
  }
  for (int k = 0; k < count; ++k) {
    list[listed++] = (found){hypot(re[k], im[k]), re[k], im[k], k};
    if (im[k] != 0) ++k;
  }
  qsort(list, (size_t)listed, sizeof *list, larger);
  for (int k = 0; k < listed; ++k) {
    const found *f = &list[k];
    const double *from = vector + (size_t)f->place * (size_t)n;
    double *to = out->vector + (size_t)out->count * (size_t)n;
    const bool pair = f->im != 0;
    if (pair && f->place + 1 >= count) continue; /* its conjugate was cut off */
    out->re[out->count] = f->re;
    out->im[out->count] = fabs(f->im);
    take_vector(to, from, n, 1);
    ++out->count;
    if (!pair) continue;
    out->re[out->count] = f->re;
    out->im[out->count] = -fabs(f->im);
    take_vector(to + n, from + n, n, f->im > 0 ? 1 : -1);
    ++out->count;
  }
  free(list);
  return TORSOR_OK;
}

/* ---- dense ------------------------------------------------------------------------------- */

/* Finds the dense matrix of the operator, A [n x n], column by column. */
static torsor_status fill_matrix(double *A, const arnoldi_operator *op) {
  const size_t n = (size_t)op->n;
  double *x = calloc(n + 1, sizeof *x);
  torsor_status status = x ? TORSOR_OK : TORSOR_MEMORY;
  for (size_t j = 0; !status && j < n; ++j) {
    x[j] = 1;
    status = op->apply(op->self, A + j * n, x);
    x[j] = 0;
  }
  free(x);
  for (size_t i = 0; !status && i < n * n; ++i)
    if (!isfinite(A[i])) status = TORSOR_NONFINITE;
  return status;
}

static torsor_status find_dense(arnoldi_spectrum *out, const arnoldi_operator *op) {
  const size_t n = (size_t)op->n;
  double *re = calloc(2 * n + 2 * n * n + 1, sizeof *re);
  if (!re) return TORSOR_MEMORY;
  double *im = re + n, *vectors = im + n, *A = vectors + n * n;
  torsor_status status = fill_matrix(A, op);
  if (!status) status = lapack_eigen(re, im, vectors, A, op->n);
  if (!status) status = put_in_order(out, re, im, vectors, op->n, op->n);
  free(re);
  return status;
}

/* ---- ARPACK ------------------------------------------------------------------------------ */

/* ARPACK's Fortran keeps the state of the iteration in static variables, so that only one iteration
 * may run at a time. */
static pthread_mutex_t arpack_in_use = PTHREAD_MUTEX_INITIALIZER;

typedef struct iteration {
  a_int n, wanted, vectors, parameter[11], pointer[14], length, info;
  double *residual, *basis, *work, *small, *re, *im, *room;
  a_int *select;
} iteration;

static torsor_status iteration_create(iteration *it, int n, int wanted) {
  const int vectors = wanted * 2 + 1 > LEAST_VECTORS ? wanted * 2 + 1 : LEAST_VECTORS;
  it->n = n;
  it->wanted = wanted;
  it->vectors = vectors < n ? vectors : n;
  it->length = 3 * it->vectors * (it->vectors + 2);
  const size_t N = (size_t)n, m = (size_t)it->vectors;
  it->residual = calloc(N, sizeof(double));
  it->basis = calloc(N * (m + 1), sizeof(double));
  it->work = calloc(3 * N, sizeof(double));
  it->small = calloc((size_t)it->length, sizeof(double));
  it->re = calloc(2 * (m + 2), sizeof(double));
  it->room = calloc(3 * m, sizeof(double));
  it->select = calloc(m, sizeof *it->select);
  if (!it->residual || !it->basis || !it->work || !it->small || !it->re || !it->room || !it->select)
    return TORSOR_MEMORY;
  it->im = it->re + m + 2;
  it->parameter[0] = 1; /* exact shifts */
  it->parameter[2] = RESTARTS;
  it->parameter[3] = 1;
  it->parameter[6] = 1; /* A x = theta x */
  return TORSOR_OK;
}

static void iteration_release(iteration *it) {
  free(it->residual);
  free(it->basis);
  free(it->work);
  free(it->small);
  free(it->re);
  free(it->room);
  free(it->select);
}

/* Chooses a starting vector in the range of A^2, so that it has no part in what A maps to zero in
 * one or two steps, as are the infinite eigenvalues of a constrained system. */
static torsor_status begin(iteration *it, const arnoldi_operator *op) {
  double *x = it->residual, *y = it->work;
  for (int i = 0; i < it->n; ++i) x[i] = 1 + 0.5 * sin((i + 1.0) * (1 + 0.7 * op->start));
  for (int pass = 0; pass < 2; ++pass) {
    const torsor_status status = op->apply(op->self, y, x);
    if (status) return status;
    double size = 0;
    for (int i = 0; i < it->n; ++i) size = fmax(size, fabs(y[i]));
    if (!isfinite(size)) return TORSOR_NONFINITE;
    for (int i = 0; i < it->n && size > 0; ++i) x[i] = y[i] / size;
  }
  it->info = 1;
  return TORSOR_OK;
}

static torsor_status iterate(iteration *it, const arnoldi_operator *op) {
  const double tolerance = op->tolerance > 0 ? op->tolerance : TOLERANCE;
  torsor_status status = begin(it, op);
  a_int ido = 0;
  while (!status) {
    dnaupd_c(&ido, "I", it->n, "LM", it->wanted, tolerance, it->residual, it->vectors, it->basis,
             it->n, it->parameter, it->pointer, it->work, it->small, it->length, &it->info);
    if (ido != 1 && ido != -1) break;
    status = op->apply(op->self, it->work + it->pointer[1] - 1, it->work + it->pointer[0] - 1);
  }
  if (status) return status;
  if (it->info < 0 || it->info == 1) return TORSOR_NEWTON;
  a_int info = 0;
  dneupd_c(1, "A", it->select, it->re, it->im, it->basis, it->n, 0, 0, it->room, "I", it->n, "LM",
           it->wanted, tolerance, it->residual, it->vectors, it->basis, it->n, it->parameter,
           it->pointer, it->work, it->small, it->length, &info);
  return info ? TORSOR_NEWTON : TORSOR_OK;
}

torsor_status arnoldi_largest(arnoldi_spectrum *out, const arnoldi_operator *op, int wanted) {
  *out = (arnoldi_spectrum){0};
  if (op->n <= DENSE || wanted > op->n / 2) return find_dense(out, op);
  iteration it = {0};
  torsor_status status = iteration_create(&it, op->n, wanted);
  if (!status && pthread_mutex_lock(&arpack_in_use)) status = TORSOR_MEMORY;
  if (!status) {
    status = iterate(&it, op);
    pthread_mutex_unlock(&arpack_in_use);
  }
  if (!status) status = put_in_order(out, it.re, it.im, it.basis, it.parameter[4], op->n);
  iteration_release(&it);
  return status;
}
