/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/eigen/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Largest residual of a mode in its equation, relative to mu^2. */
static const double HOLDS = 1e-6;

torsor_status eigen_list_create(eigen_list *out, int nv, int room, arena *memory) {
  *out = (eigen_list){.nv = nv, .room = room};
  out->re = arena_take(memory, (size_t)room, sizeof *out->re);
  out->im = arena_take(memory, (size_t)room, sizeof *out->im);
  out->noise = arena_take(memory, (size_t)room, sizeof *out->noise);
  out->shape = arena_take(memory, 2 * (size_t)room * (size_t)nv, sizeof *out->shape);
  return out->re && out->im && out->noise && out->shape ? TORSOR_OK : TORSOR_MEMORY;
}

void eigen_list_add(eigen_list *list, const pencil *p, double re, double im, const double *real,
                    const double *imaginary) {
  if (list->count == list->room) return;
  const size_t nv = (size_t)list->nv;
  double *shape = list->shape + 2 * nv * (size_t)list->count;
  const double noise = pencil_round_off(p, hypot(re, im), real, imaginary);
  const bool none = re * re + im * im <= noise;
  list->noise[list->count] = noise;
  list->re[list->count] = none ? 0 : re;
  list->im[list->count++] = none ? 0 : im;
  memcpy(shape, real, nv * sizeof *shape);
  if (imaginary) memcpy(shape + nv, imaginary, nv * sizeof *shape);
}

void eigen_list_add_square(eigen_list *list, const pencil *p, double square, const double *shape) {
  const double mu = sqrt(fabs(square));
  eigen_list_add(list, p, square > 0 ? -mu : 0, square > 0 ? 0 : mu, shape, NULL);
  if (list->re[list->count - 1] == 0 && list->im[list->count - 1] == 0) list->zeros += 2;
}

torsor_status eigen_list_mirror(eigen_list *list, const pencil *p) {
  const int count = list->count;
  for (int i = 0; i < count; ++i)
    if (list->re[i] < 0)
      eigen_list_add(list, p, -list->re[i], 0, list->shape + 2 * (size_t)list->nv * (size_t)i,
                     NULL);
  return list->count > count ? eigen_list_sort(list) : TORSOR_OK;
}

/* Vectors of a defective eigenvalue 0, which drifts cause, agree up to the square root of
 * round-off. */
static const double ALIKE = 1e-4;

void eigen_list_drop_repeated(eigen_list *list, const pencil *p, double *work) {
  const int nv = list->nv, last = list->count - 1;
  double *x = list->shape + 2 * (size_t)nv * (size_t)last, before = 0, left = 0;
  for (int i = 0; i <= last; ++i) {
    const double *y = list->shape + 2 * (size_t)nv * (size_t)i;
    double dot = 0;
    if (list->re[i] != 0 || list->im[i] != 0) continue;
    pencil_multiply(work, p, p->A2, x);
    for (int k = 0; k < nv; ++k) dot += y[k] * work[k];
    if (i == last)
      left = sqrt(dot);
    else
      before += dot * dot;
    for (int k = 0; i < last && k < nv; ++k) x[k] -= dot * y[k];
  }
  for (int k = 0; k < nv && left > 0; ++k) x[k] /= left;
  memset(x + nv, 0, (size_t)nv * sizeof *x);
  if (!(left > ALIKE * sqrt(before + left * left))) --list->count;
}

/* ---- the equation ------------------------------------------------------------------------ */

/* *re + i *im = x^H A x, work [nv]. */
static void form(double *re, double *im, const pencil *p, const double *A, const double *x,
                 double *work) {
  const double *y = x + p->nv;
  *re = *im = 0;
  pencil_multiply(work, p, A, x);
  for (int i = 0; i < p->nv; ++i) {
    *re += x[i] * work[i];
    *im -= y[i] * work[i];
  }
  pencil_multiply(work, p, A, y);
  for (int i = 0; i < p->nv; ++i) {
    *re += y[i] * work[i];
    *im += x[i] * work[i];
  }
}

/* Returns the residual |x^H (mu^2 A2 + mu A1 + A0) x| / x^H A2 x of mode i. */
static double left_over(const eigen_list *list, const pencil *p, int i, double *work) {
  const double *x = list->shape + 2 * (size_t)list->nv * (size_t)i;
  const double re = list->re[i], im = list->im[i];
  double m[2], c[2], k[2];
  form(&m[0], &m[1], p, p->A2, x, work);
  form(&c[0], &c[1], p, p->A1, x, work);
  form(&k[0], &k[1], p, p->A0, x, work);
  const double square = re * re - im * im, twice = 2 * re * im;
  return hypot(square * m[0] - twice * m[1] + re * c[0] - im * c[1] + k[0],
               square * m[1] + twice * m[0] + re * c[1] + im * c[0] + k[1]) /
         m[0];
}

bool eigen_list_holds(const eigen_list *list, const pencil *p, int count, double *work) {
  double least = 0;
  if (p->reactive) return true;
  for (int i = 0; p->nonholonomic && i < p->nl; ++i)
    if (p->nonholonomic[i]) return true;
  for (int i = 0; least == 0 && i < list->count; ++i)
    least = list->re[i] * list->re[i] + list->im[i] * list->im[i];
  for (int i = 0; i < count && i < list->count; ++i) {
    const double square = fmax(least, list->re[i] * list->re[i] + list->im[i] * list->im[i]);
    if (!(left_over(list, p, i, work) <= HOLDS * square + list->noise[i])) return false;
  }
  return true;
}

/* ---- order ------------------------------------------------------------------------------- */

typedef struct entry {
  double size, re;
  int place;
} entry;

static int smaller(const void *a, const void *b) {
  const entry *x = a, *y = b;
  if (x->size != y->size) return x->size < y->size ? -1 : 1;
  if (x->re != y->re) return x->re < y->re ? -1 : 1;
  return (x->place > y->place) - (x->place < y->place);
}

torsor_status eigen_list_sort(eigen_list *list) {
  const size_t n = (size_t)list->count, nv = (size_t)list->nv;
  entry *order = malloc((n + 1) * sizeof *order);
  double *copy = malloc((3 * n + 2 * n * nv + 1) * sizeof *copy);
  const torsor_status status = order && copy ? TORSOR_OK : TORSOR_MEMORY;
  if (!status) {
    double *im = copy + n, *noise = im + n, *shape = noise + n;
    memcpy(copy, list->re, n * sizeof *copy);
    memcpy(im, list->im, n * sizeof *im);
    memcpy(noise, list->noise, n * sizeof *noise);
    memcpy(shape, list->shape, 2 * n * nv * sizeof *shape);
    for (size_t i = 0; i < n; ++i)
      order[i] = (entry){hypot(list->re[i], list->im[i]), list->re[i], (int)i};
    qsort(order, n, sizeof *order, smaller);
    for (size_t i = 0; i < n; ++i) {
      const size_t from = (size_t)order[i].place;
      list->re[i] = copy[from];
      list->im[i] = im[from];
      list->noise[i] = noise[from];
      memcpy(list->shape + 2 * nv * i, shape + 2 * nv * from, 2 * nv * sizeof *shape);
    }
  }
  free(order);
  free(copy);
  return status;
}

/* ---- real shapes --------------------------------------------------------------------------- */

static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

static double *shape_at(const eigen_list *list, int i) {
  return list->shape + 2 * (size_t)list->nv * (size_t)i;
}

torsor_status eigen_list_orthonormalise(eigen_list *list, const pencil *p) {
  double *Mx = malloc(((size_t)list->nv + 1) * sizeof *Mx);
  if (!Mx) return TORSOR_MEMORY;
  for (int i = 0; i < list->count; ++i) {
    double *x = shape_at(list, i);
    for (int k = 0; k < i; ++k) { /* the vectors before have length 1 */
      const double *before = shape_at(list, k);
      pencil_multiply(Mx, p, p->A2, x);
      const double part = dot(before, Mx, list->nv);
      for (int j = 0; j < list->nv; ++j) x[j] -= part * before[j];
    }
    pencil_multiply(Mx, p, p->A2, x);
    const double size = sqrt(dot(x, Mx, list->nv));
    for (int j = 0; j < list->nv && size > 0; ++j) x[j] /= size;
  }
  free(Mx);
  return TORSOR_OK;
}

/* A coupling of this fraction of mu^2 changes mu^2 by a trillionth, or by itself where two
 * eigenvalues coincide. */
static const double COUPLING = 1e-6;

torsor_status eigen_list_is_symmetric(bool *out, const eigen_list *list, const pencil *p) {
  const int nv = list->nv, n = list->count;
  double *Kx = malloc(((size_t)n * (size_t)nv + 1) * sizeof *Kx);
  *out = true;
  if (!Kx) return TORSOR_MEMORY;
  for (int i = 0; i < n; ++i)
    pencil_multiply(Kx + (size_t)i * (size_t)nv, p, p->A0, shape_at(list, i));
  for (int i = 0; i < n; ++i)
    for (int k = 0; k < i; ++k) {
      const double skew = dot(shape_at(list, k), Kx + (size_t)i * (size_t)nv, nv) -
                          dot(shape_at(list, i), Kx + (size_t)k * (size_t)nv, nv);
      const double larger = pow(hypot(list->re[i], list->im[i]), 2); /* i comes after k */
      const double noise = fmax(list->noise[i], list->noise[k]);
      if (!(fabs(skew) / 2 <= fmax(COUPLING * larger, noise))) *out = false;
    }
  free(Kx);
  return TORSOR_OK;
}
