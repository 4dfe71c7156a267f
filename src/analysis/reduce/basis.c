/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/reduce/basis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/eigen/arnoldi.h"
#include "analysis/eigen/lapack.h"

/* ---- static shapes --------------------------------------------------------------------------- */

/* Psi <- -K_ii^-1 K_ib. */
static torsor_status find_static(basis *b) {
  const size_t n = (size_t)b->inner;
  b->Psi = calloc((size_t)b->held * n + 1, sizeof *b->Psi);
  if (!b->Psi) return TORSOR_MEMORY;
  for (int j = 0; j < b->held; ++j)
    for (long k = b->K.first[j]; k < b->K.first[j + 1]; ++k)
      if (b->K.row[k] >= b->held)
        b->Psi[(size_t)j * n + (size_t)(b->K.row[k] - b->held)] = -b->K.value[k];
  return cholesky_solve(b->factor, b->Psi, b->held);
}

torsor_status basis_create(basis *out, const coupling *g, const fe_model *f, int *bad) {
  *out = (basis){.held = g->held, .inner = g->size - g->held};
  torsor_status status = couple_matrix(&out->K, g, &f->K);
  if (!status) status = couple_matrix(&out->M, g, &f->M);
  if (!status) status = symmetric_rest(&out->Kii, &out->K, g->held);
  if (!status) status = symmetric_rest(&out->Mii, &out->M, g->held);
  if (!status) status = cholesky_factor(&out->factor, &out->Kii, bad);
  return status ? status : find_static(out);
}

void basis_release(basis *b) {
  symmetric_release(&b->K);
  symmetric_release(&b->M);
  symmetric_release(&b->Kii);
  symmetric_release(&b->Mii);
  cholesky_release(b->factor);
  free(b->Psi);
  free(b->Phi);
  free(b->square);
  *b = (basis){0};
}

/* ---- eigenvectors ---------------------------------------------------------------------------- */

/* y = A^-1 M x. */
typedef struct inverse {
  cholesky *factor;
  const symmetric *M;
} inverse;

static torsor_status apply_inverse(void *self, double *y, const double *x) {
  const inverse *of = self;
  symmetric_multiply(y, of->M, x);
  return cholesky_solve(of->factor, y, 1);
}

/* Vectors [count][n] of the largest eigenvalues of A^-1 M, which span their space; real and
 * imaginary parts of those that rounding makes conjugate. */
static torsor_status find_vectors(double *out, int *found, inverse of, int count) {
  arnoldi_spectrum spectrum = {0};
  const arnoldi_operator op = {.n = of.M->n, .apply = apply_inverse, .self = &of};
  const torsor_status status = arnoldi_largest(&spectrum, &op, count);
  *found = 0;
  for (int k = 0; !status && k < spectrum.count && k < count; ++k)
    memcpy(out + (size_t)(*found)++ * (size_t)of.M->n,
           spectrum.vector + (size_t)k * (size_t)of.M->n, (size_t)of.M->n * sizeof *out);
  arnoldi_release(&spectrum);
  return status;
}

static torsor_status find_fixed(double *X, int *found, const basis *b, int count) {
  return find_vectors(X, found, (inverse){b->factor, &b->Mii}, count);
}

/* A small part of the square of the frequencies of single nodes, by which the stiffness of a free
 * body is shifted so that it can be factored. */
static const double SHIFT = 1e-4;

static double find_shift(const basis *b) {
  double least = HUGE_VAL;
  for (int j = 0; j < b->K.n; ++j) {
    const double k = b->K.value[b->K.first[j]], m = b->M.value[b->M.first[j]];
    if (b->K.row[b->K.first[j]] == j && b->M.row[b->M.first[j]] == j && m > 0)
      least = fmin(least, k / m);
  }
  return SHIFT * least;
}

/* Parts of free modes that are no static shapes: x_i - Psi x_b.  Those of rigid motions vanish. */
static torsor_status find_free(double *X, int *found, const basis *b, int count) {
  const size_t n = (size_t)b->inner, all = n + (size_t)b->held;
  symmetric shifted = {0};
  cholesky *factor = NULL;
  double *vectors = malloc((all * ((size_t)count + 6) + 1) * sizeof *vectors);
  torsor_status status =
      vectors ? symmetric_sum(&shifted, &b->K, find_shift(b), &b->M) : TORSOR_MEMORY;
  if (!status) status = cholesky_factor(&factor, &shifted, NULL);
  int got = 0;
  if (!status) status = find_vectors(vectors, &got, (inverse){factor, &b->M}, count + 6);
  *found = 0;
  for (int k = 6; !status && k < got; ++k) {
    const double *from = vectors + (size_t)k * all;
    double *to = X + (size_t)(*found)++ * n;
    memcpy(to, from + b->held, n * sizeof *to);
    for (int j = 0; j < b->held; ++j)
      for (size_t i = 0; i < n; ++i) to[i] -= b->Psi[(size_t)j * n + i] * from[j];
  }
  cholesky_release(factor);
  symmetric_release(&shifted);
  free(vectors);
  return status;
}

/* ---- from vectors to modes ------------------------------------------------------------------- */

/* out [k x k] = X^T A X. */
static torsor_status project(double *out, const symmetric *A, const double *X, int k) {
  const size_t n = (size_t)A->n;
  double *AX = malloc(((size_t)k * n + 1) * sizeof *AX);
  if (!AX) return TORSOR_MEMORY;
  for (int j = 0; j < k; ++j) symmetric_multiply(AX + (size_t)j * n, A, X + (size_t)j * n);
  lapack_multiply(out, X, true, AX, k, A->n, k);
  free(AX);
  return TORSOR_OK;
}

/* X [k][n] <- X T [k x m], by columns. */
static torsor_status combine(double *X, const double *T, int n, int k, int m) {
  double *out = malloc(((size_t)n * (size_t)m + 1) * sizeof *out);
  if (!out) return TORSOR_MEMORY;
  lapack_multiply(out, X, false, T, n, k, m);
  memcpy(X, out, (size_t)n * (size_t)m * sizeof *X);
  free(out);
  return TORSOR_OK;
}

/* Vectors that add less than this part of their squared length to the others are left out. */
static const double DEPENDENT = 1e-10;

/* Makes X [k][n] orthonormal in M; *k is the number of independent vectors. */
static torsor_status orthonormalise(double *X, int *k, const symmetric *M) {
  const size_t size = (size_t)*k;
  double *gram = malloc((size * size + size + 1) * sizeof *gram);
  if (!gram) return TORSOR_MEMORY;
  double *w = gram + size * size;
  torsor_status status = project(gram, M, X, *k);
  for (size_t j = 0; !status && j < size; ++j) {
    const double own = gram[j * (size + 1)];
    const double factor = own > 0 ? 1 / sqrt(own) : 0;
    for (size_t i = 0; i < (size_t)M->n; ++i) X[j * (size_t)M->n + i] *= factor;
  }
  if (!status) status = project(gram, M, X, *k);
  if (!status) status = lapack_eigen_symmetric(w, gram, *k);
  int kept = 0;
  for (size_t j = 0; !status && j < size; ++j) {
    if (!(w[j] > DEPENDENT * w[size - 1])) continue;
    for (size_t i = 0; i < size; ++i)
      gram[(size_t)kept * size + i] = gram[j * size + i] / sqrt(w[j]);
    ++kept;
  }
  if (!status && kept) status = combine(X, gram, M->n, *k, kept);
  *k = kept;
  free(gram);
  return status;
}

/* Solves the problem in the space of X [k][n], which becomes its modes, square [k]. */
static torsor_status ritz(double *X, double *square, int *k, const basis *b) {
  torsor_status status = *k ? orthonormalise(X, k, &b->Mii) : TORSOR_OK;
  if (!status && *k) status = orthonormalise(X, k, &b->Mii); /* twice is enough (Kahan) */
  if (status || !*k) return status;
  double *A = malloc((size_t)*k * (size_t)*k * sizeof *A);
  status = A ? project(A, &b->Kii, X, *k) : TORSOR_MEMORY;
  if (!status) status = lapack_eigen_symmetric(square, A, *k);
  if (!status) status = combine(X, A, b->inner, *k, *k);
  free(A);
  return status;
}

static torsor_status count_below(int *count, const basis *b, double below, bool free_modes) {
  symmetric shifted = {0};
  torsor_status status = free_modes ? symmetric_sum(&shifted, &b->K, -below, &b->M)
                                    : symmetric_sum(&shifted, &b->Kii, -below, &b->Mii);
  if (!status) status = symmetric_count_negative(count, &shifted);
  if (!status && free_modes) *count = *count > 6 ? *count - 6 : 0;
  symmetric_release(&shifted);
  return status;
}

torsor_status basis_modes(basis *b, int count, double below, bool free_modes, const double *loads,
                          int load_count) {
  const size_t n = (size_t)b->inner;
  torsor_status status = below > 0 ? count_below(&count, b, below, free_modes) : TORSOR_OK;
  if (count > b->inner) count = b->inner;
  const size_t room = (size_t)count + (size_t)load_count;
  if (status) return status;
  b->Phi = malloc((room * n + 1) * sizeof *b->Phi);
  b->square = calloc(room + 1, sizeof *b->square);
  if (!b->Phi || !b->square) return TORSOR_MEMORY;
  int found = 0;
  if (count)
    status =
        free_modes ? find_free(b->Phi, &found, b, count) : find_fixed(b->Phi, &found, b, count);
  if (!status && load_count) {
    memcpy(b->Phi + (size_t)found * n, loads, (size_t)load_count * n * sizeof *loads);
    status = cholesky_solve(b->factor, b->Phi + (size_t)found * n, load_count);
    found += load_count;
  }
  if (!status) status = ritz(b->Phi, b->square, &found, b);
  b->modes = found;
  return status;
}

torsor_status basis_residual(double *out, const basis *b) {
  const size_t n = (size_t)b->inner;
  double *f = malloc((2 * n + 1) * sizeof *f);
  if (!f) return TORSOR_MEMORY;
  *out = 0;
  for (int k = 0; k < b->modes; ++k) {
    const double *x = b->Phi + (size_t)k * n;
    double size = 0, off = 0;
    symmetric_multiply(f, &b->Kii, x);
    symmetric_multiply(f + n, &b->Mii, x);
    for (size_t i = 0; i < n; ++i) {
      size = fmax(size, fabs(f[i]));
      off = fmax(off, fabs(f[i] - b->square[k] * f[n + i]));
    }
    if (size > 0) *out = fmax(*out, off / size);
  }
  free(f);
  return TORSOR_OK;
}
