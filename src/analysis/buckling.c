/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/buckling.h"

#include <gsl/gsl_eigen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Central differences of the tangent along the path, parts of its length: truncation h^2, round-off
 * eps/h of the stiffness. */
static const double DIFFERENCE = 0x1p-13;

/* Arnoldi's method: most vectors, and the part of an eigenvalue that may be left open. */
enum { MOST_VECTORS = 80 };
static const double CONVERGED = 1e-9;

/* Eigenvalues below this part of the largest come from round-off in the differences, eps/h. */
static const double SPURIOUS = 1e-6;

typedef struct arnoldi {
  load_path *path;
  int n, vectors;         /* of the system, of the space */
  double *ahead, *behind; /* [nonzeros] tangents around path->now */
  double h;               /* between them */
  double *basis;          /* [MOST_VECTORS + 1][n] */
  double *hessenberg;     /* [MOST_VECTORS + 1][MOST_VECTORS] */
} arnoldi;

/* Tangent at path->now moved along the path. */
static torsor_status tangent_at(double *out, arnoldi *s, double step) {
  load_path *path = s->path;
  const path_point *now = &path->now;
  path->next.p.load = now->p.load;
  equilibrium_move(&path->e, &path->next.p, &now->p, now->direction, now->load, step);
  torsor_status status = equilibrium_find(&path->e, &path->next.p, false);
  if (!status) status = equilibrium_factor(&path->e, &path->next.p, 0);
  if (status) return status;
  int count;
  const double *values = assembly_matrix(path->e.a, &count, NULL, NULL);
  memcpy(out, values, (size_t)count * sizeof *out);
  return TORSOR_OK;
}

/* y = -A^-1 (dA/dload) x: eigenvalues 1/f. */
static torsor_status apply(double *y, const arnoldi *s, const double *x) {
  const torsor_problem *pr = s->path->e.problem;
  const int *Ap, *Ai;
  int count;
  assembly_matrix(s->path->e.a, &count, &Ap, &Ai);
  memset(y, 0, (size_t)s->n * sizeof *y);
  for (int j = 0; j < s->n; ++j)
    for (int p = Ap[j]; p < Ap[j + 1]; ++p) y[Ai[p]] -= (s->ahead[p] - s->behind[p]) / s->h * x[j];
  return pr->solve(pr->self, y);
}

static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

/* One vector more, orthogonal to the others (twice is enough); false at the end of the space. */
static torsor_status extend(arnoldi *s, bool *ended) {
  const int k = s->vectors, n = s->n;
  double *y = s->basis + (size_t)(k + 1) * (size_t)n;
  const torsor_status status = apply(y, s, s->basis + (size_t)k * (size_t)n);
  if (status) return status;
  const double size = sqrt(dot(y, y, n));
  for (int pass = 0; pass < 2; ++pass)
    for (int i = 0; i <= k; ++i) {
      const double *b = s->basis + (size_t)i * (size_t)n, part = dot(b, y, n);
      s->hessenberg[i * MOST_VECTORS + k] += part;
      for (int j = 0; j < n; ++j) y[j] -= part * b[j];
    }
  const double left = sqrt(dot(y, y, n));
  s->hessenberg[(k + 1) * MOST_VECTORS + k] = left;
  s->vectors = k + 1;
  *ended = !(left > 1e-14 * size) || !(size > 0);
  for (int j = 0; j < n && !*ended; ++j) y[j] /= left;
  return TORSOR_OK;
}

static int nearer(const void *a, const void *b) {
  const double x = fabs(*(const double *)a), y = fabs(*(const double *)b);
  return (x > y) - (x < y);
}

/* Real eigenvalues mu = 1/f that have converged, the largest first. */
static torsor_status collect(double *factor, int *count, int wanted, const arnoldi *s, bool ended) {
  const size_t m = (size_t)s->vectors;
  gsl_matrix *H = gsl_matrix_alloc(m, m);
  gsl_vector_complex *value = gsl_vector_complex_alloc(m);
  gsl_matrix_complex *vector = gsl_matrix_complex_alloc(m, m);
  gsl_eigen_nonsymmv_workspace *w = gsl_eigen_nonsymmv_alloc(m);
  double found[MOST_VECTORS];
  int listed = 0;
  torsor_status status = H && value && vector && w ? TORSOR_OK : TORSOR_MEMORY;
  for (size_t i = 0; !status && i < m; ++i)
    for (size_t j = 0; j < m; ++j) gsl_matrix_set(H, i, j, s->hessenberg[i * MOST_VECTORS + j]);
  if (!status && gsl_eigen_nonsymmv(H, value, vector, w)) status = TORSOR_NEWTON;
  const double left = ended ? 0 : s->hessenberg[m * MOST_VECTORS + m - 1];
  double largest = 0;
  for (size_t i = 0; !status && i < m; ++i)
    largest = fmax(largest, fabs(GSL_REAL(gsl_vector_complex_get(value, i))));
  for (size_t i = 0; !status && i < m; ++i) {
    const gsl_complex mu = gsl_vector_complex_get(value, i);
    const gsl_complex last = gsl_matrix_complex_get(vector, m - 1, i);
    const double size = fabs(GSL_REAL(mu)), open = left * hypot(GSL_REAL(last), GSL_IMAG(last));
    if (!(size > SPURIOUS * largest) || fabs(GSL_IMAG(mu)) > CONVERGED * size) continue;
    if (open <= CONVERGED * size) found[listed++] = 1 / GSL_REAL(mu);
  }
  gsl_matrix_free(H);
  gsl_vector_complex_free(value);
  gsl_matrix_complex_free(vector);
  gsl_eigen_nonsymmv_free(w);
  qsort(found, (size_t)listed, sizeof *found, nearer);
  *count = listed < wanted ? listed : wanted;
  memcpy(factor, found, (size_t)*count * sizeof *factor);
  return status;
}

static torsor_status take_memory(arnoldi *s, arena *memory) {
  int nonzeros;
  assembly_matrix(s->path->e.a, &nonzeros, NULL, NULL);
  const size_t n = (size_t)s->n, most = MOST_VECTORS;
  s->ahead = arena_take(memory, (size_t)nonzeros, sizeof *s->ahead);
  s->behind = arena_take(memory, (size_t)nonzeros, sizeof *s->behind);
  s->basis = arena_take(memory, (most + 1) * n, sizeof *s->basis);
  s->hessenberg = arena_take(memory, (most + 1) * most, sizeof *s->hessenberg);
  return s->ahead && s->behind && s->basis && s->hessenberg ? TORSOR_OK : TORSOR_MEMORY;
}

torsor_status buckling_find(double *factor, int *count, int wanted, load_path *path,
                            arena *memory) {
  const torsor_problem *pr = path->e.problem;
  arnoldi s = {.path = path, .n = pr->nv + pr->nl};
  *count = 0;
  if (!path->now.known) return TORSOR_SINGULAR;
  torsor_status status = take_memory(&s, memory);
  const double step = DIFFERENCE * fabs(path->settings->until) / fabs(path->now.load);
  if (!status) status = tangent_at(s.behind, &s, -step);
  const double low = path->next.p.load;
  if (!status) status = tangent_at(s.ahead, &s, step);
  s.h = path->next.p.load - low;
  if (!status) status = equilibrium_factor(&path->e, &path->now.p, 0);
  double size = 0;
  for (int i = 0; i < s.n; ++i) size += pow(s.basis[i] = 1 + 0.5 * sin(i + 1.0), 2);
  for (int i = 0; i < s.n; ++i) s.basis[i] /= sqrt(size);
  bool ended = false;
  while (!status && !ended && s.vectors < MOST_VECTORS && s.vectors < s.n)
    status = extend(&s, &ended);
  return status ? status : collect(factor, count, wanted, &s, ended || s.vectors == s.n);
}
