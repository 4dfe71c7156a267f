/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/eigen/lapack.h"

#include <stdlib.h>
#include <string.h>

/* The Fortran interface, as reference LAPACK and OpenBLAS have it; lengths of one-letter strings
 * are not read. */
void dgemm_(const char *transa, const char *transb, const int *m, const int *n, const int *k,
            const double *alpha, const double *A, const int *lda, const double *B, const int *ldb,
            const double *beta, double *C, const int *ldc);
void dgeev_(const char *left, const char *right, const int *n, double *A, const int *lda,
            double *re, double *im, double *L, const int *ldl, double *R, const int *ldr,
            double *work, const int *lwork, int *info);
void dsyev_(const char *vectors, const char *part, const int *n, double *A, const int *lda,
            double *w, double *work, const int *lwork, int *info);
void dgesvd_(const char *left, const char *right, const int *m, const int *n, double *A,
             const int *lda, double *s, double *U, const int *ldu, double *VT, const int *ldv,
             double *work, const int *lwork, int *info);
void dgeqrf_(const int *m, const int *n, double *A, const int *lda, double *tau, double *work,
             const int *lwork, int *info);
void dorgqr_(const int *m, const int *n, const int *k, double *A, const int *lda, const double *tau,
             double *work, const int *lwork, int *info);
void dgesv_(const int *n, const int *m, double *A, const int *lda, int *pivots, double *B,
            const int *ldb, int *info);

void dgees_(const char *vectors, const char *sort, int (*select)(const double *, const double *),
            const int *n, double *A, const int *lda, int *sorted, double *re, double *im, double *Z,
            const int *ldz, double *work, const int *lwork, int *bwork, int *info);
void dtrsen_(const char *job, const char *vectors, const int *select, const int *n, double *T,
             const int *ldt, double *Z, const int *ldz, double *re, double *im, int *m, double *s,
             double *sep, double *work, const int *lwork, int *iwork, const int *liwork, int *info);
void dtrsyl_(const char *transa, const char *transb, const int *sign, const int *m, const int *n,
             const double *A, const int *lda, const double *B, const int *ldb, double *C,
             const int *ldc, double *scale, int *info);

/* Largest block size of LAPACK. */
enum { BLOCK = 64 };

void lapack_multiply(double *C, const double *A, bool transposed, const double *B, int m, int k,
                     int n) {
  const double one = 1, zero = 0;
  if (m == 0 || n == 0) return;
  if (k == 0) {
    memset(C, 0, (size_t)m * (size_t)n * sizeof *C);
    return;
  }
  dgemm_(transposed ? "T" : "N", "N", &m, &n, &k, &one, A, transposed ? &k : &m, B, &k, &zero, C,
         &m);
}

static double *take_work(int n, int *length) {
  *length = (BLOCK + 6) * (n + 1);
  return malloc((size_t)*length * sizeof(double));
}

static torsor_status tell(int info, torsor_status failed) {
  return info < 0 ? TORSOR_ARGUMENT : info > 0 ? failed : TORSOR_OK;
}

torsor_status lapack_eigen(double *re, double *im, double *vectors, double *A, int n) {
  if (n == 0) return TORSOR_OK;
  const int one = 1;
  int length, info = 0;
  double unused = 0, *work = take_work(n, &length);
  if (!work) return TORSOR_MEMORY;
  dgeev_("N", "V", &n, A, &n, re, im, &unused, &one, vectors, &n, work, &length, &info);
  free(work);
  return tell(info, TORSOR_NEWTON);
}

torsor_status lapack_eigen_symmetric(double *w, double *A, int n) {
  if (n == 0) return TORSOR_OK;
  int length, info = 0;
  double *work = take_work(n, &length);
  if (!work) return TORSOR_MEMORY;
  dsyev_("V", "L", &n, A, &n, w, work, &length, &info);
  free(work);
  return tell(info, TORSOR_NEWTON);
}

torsor_status lapack_singular(double *s, double *V, double *A, int n) {
  if (n == 0) return TORSOR_OK;
  const int one = 1;
  int length, info = 0;
  double unused = 0, *work = take_work(n, &length);
  if (!work) return TORSOR_MEMORY;
  dgesvd_("N", "A", &n, &n, A, &n, s, &unused, &one, V, &n, work, &length, &info);
  free(work);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < j; ++i) {
      const double upper = V[j * n + i];
      V[j * n + i] = V[i * n + j];
      V[i * n + j] = upper;
    }
  return tell(info, TORSOR_NEWTON);
}

torsor_status lapack_singular_both(double *U, double *s, double *VT, double *A, int m, int n) {
  if (m == 0 || n == 0) {
    for (int i = 0; i < m * m; ++i) U[i] = i % (m + 1) == 0;
    for (int i = 0; i < n * n; ++i) VT[i] = i % (n + 1) == 0;
    return TORSOR_OK;
  }
  int length, info = 0;
  double *work = take_work(m + n, &length);
  if (!work) return TORSOR_MEMORY;
  dgesvd_("A", "A", &m, &n, A, &m, s, U, &m, VT, &n, work, &length, &info);
  free(work);
  return tell(info, TORSOR_NEWTON);
}

torsor_status lapack_schur(double *A, double *Z, int *first, double limit, int n) {
  *first = 0;
  if (n == 0) return TORSOR_OK;
  const int one = 1;
  int length, sorted = 0, info = 0, unused_int[2];
  double *work = take_work(n, &length), *re = malloc(2 * (size_t)n * sizeof *re), unused;
  int *select = malloc((size_t)n * sizeof *select);
  torsor_status status = work && re && select ? TORSOR_OK : TORSOR_MEMORY;
  if (!status) {
    double *im = re + n;
    dgees_("V", "N", NULL, &n, A, &n, &sorted, re, im, Z, &n, work, &length, unused_int, &info);
    for (int i = 0; i < n; ++i) select[i] = re[i] < limit;
    if (!info)
      dtrsen_("N", "V", select, &n, A, &n, Z, &n, re, im, first, &unused, &unused, work, &length,
              unused_int, &one, &info);
    status = tell(info, TORSOR_NEWTON);
  }
  free(work);
  free(re);
  free(select);
  return status;
}

torsor_status lapack_sylvester(double *X, const double *A, int lda, bool transposed_A,
                               const double *B, int ldb, bool transposed_B, int sign, int m,
                               int n) {
  if (m == 0 || n == 0) return TORSOR_OK;
  int info = 0;
  double scale = 1;
  dtrsyl_(transposed_A ? "T" : "N", transposed_B ? "T" : "N", &sign, &m, &n, A, &lda, B, &ldb, X,
          &m, &scale, &info);
  if (info < 0) return TORSOR_ARGUMENT;
  if (info > 0 || !(scale > 0)) return TORSOR_SINGULAR;
  for (int i = 0; i < m * n; ++i) X[i] /= scale;
  return TORSOR_OK;
}

torsor_status lapack_complement(double *A, double *R, int n, int m) {
  int length, info = 0;
  double *work = take_work(n, &length), *tau = malloc(((size_t)m + 1) * sizeof *tau);
  torsor_status status = work && tau ? TORSOR_OK : TORSOR_MEMORY;
  if (!status) {
    dgeqrf_(&n, &m, A, &n, tau, work, &length, &info);
    for (int j = 0; R && j < m; ++j)
      for (int i = 0; i < m; ++i) R[j * m + i] = i <= j ? A[j * n + i] : 0;
    memset(A + (size_t)n * (size_t)m, 0, (size_t)n * (size_t)(n - m) * sizeof *A);
    for (int j = m; j < n; ++j) A[(size_t)j * (size_t)n + (size_t)j] = 1;
    if (!info && n) dorgqr_(&n, &n, &m, A, &n, tau, work, &length, &info);
    status = tell(info, TORSOR_SINGULAR);
  }
  free(work);
  free(tau);
  return status;
}

torsor_status lapack_solve(double *B, double *A, int n, int m) {
  if (n == 0 || m == 0) return TORSOR_OK;
  int info = 0, *pivots = malloc((size_t)n * sizeof *pivots);
  if (!pivots) return TORSOR_MEMORY;
  dgesv_(&n, &m, A, &n, pivots, B, &n, &info);
  free(pivots);
  return tell(info, TORSOR_SINGULAR);
}
