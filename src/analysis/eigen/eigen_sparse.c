/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/eigen/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/eigen/arnoldi.h"
#include "analysis/eigen/shifted.h"

/* The first shift, a part of the scale of mu: far below what is wanted as a rule, and regular still
 * where there are rigid motions: the factorisation then loses the square of it, 1e-8. */
static const double FIRST_SHIFT = 1e-4;

/* Imaginary parts of mu^2 below this part of it are round-off. */
static const double REAL = 1e-9;

/* Operators act on e, where A1 = 0: (A0 + s^2 A2)^-1 A2, or else on (e, mu e): of the companion
 * pencil. */
typedef struct inverted {
  const pencil *p;
  shifted shifted;
  double shift;
  bool second; /* on e alone */
  double *x, *row, *part;
} inverted;

static torsor_status apply_second(void *self, double *y, const double *x) {
  inverted *s = self;
  const pencil *p = s->p;
  pencil_multiply(s->x, p, p->A2, x);
  memset(s->x + p->nv, 0, (size_t)p->nl * sizeof *s->x);
  const torsor_status status = shifted_solve(&s->shifted, s->x);
  memcpy(y, s->x, (size_t)p->nv * sizeof *y);
  return status;
}

/* P(s) u = -(A2 y + (A1 + s A2) x), (x, y) -> (u, x + s u): eigenvalues 1/(mu - s). */
static torsor_status apply_first(void *self, double *out, const double *in) {
  inverted *s = self;
  const pencil *p = s->p;
  const int nv = p->nv;
  const double *x = in, *y = in + nv;
  for (int i = 0; i < nv; ++i) s->part[i] = y[i] + s->shift * x[i];
  pencil_multiply(s->x, p, p->A2, s->part);
  pencil_multiply(s->part, p, p->A1, x);
  for (int i = 0; i < nv; ++i) s->x[i] = -s->x[i] - s->part[i];
  pencil_multiply_rows(s->row, p, p->A1, x);
  for (int i = 0; i < p->nl; ++i) s->x[nv + i] = p->dropped[i] ? 0 : -s->row[i];
  const torsor_status status = shifted_solve(&s->shifted, s->x);
  for (int i = 0; i < nv; ++i) {
    const double u = s->x[i], moved = x[i] + s->shift * u;
    out[i] = u;
    out[nv + i] = moved;
  }
  return status;
}

static bool has_rates(const pencil *p) {
  for (int k = 0; k < p->p->nonzeros; ++k)
    if (p->A1[k] != 0) return true;
  return p->reactive;
}

static torsor_status factor(inverted *s, double shift) {
  s->shift = shift;
  return shifted_factor(&s->shifted, shift);
}

/* shift + 1/theta. */
static void value_of(double *re, double *im, double shift, double theta_re, double theta_im) {
  const double size = hypot(theta_re, theta_im);
  *re = shift + theta_re / size / size;
  *im = -theta_im / size / size;
}

/* Values theta below this part of the largest are those of the constraints: 0 but for round-off. */
static const double INFINITE = 1e-12;

/* How many of those found are not. */
static int count_finite(const arnoldi_spectrum *found) {
  int count = 0;
  while (count < found->count &&
         hypot(found->re[count], found->im[count]) > INFINITE * hypot(found->re[0], found->im[0]))
    ++count;
  return count;
}

/* Those of the second-order operator: mu^2, all of which must be real up to round-off, which makes
 * pairs of what coincides; false where one is not. */
static bool list_second(eigen_list *out, const inverted *s, const arnoldi_spectrum *found) {
  for (int i = 0, count = count_finite(found); i < count; ++i) {
    const double *x = found->vector + (size_t)i * (size_t)s->p->nv;
    double re, im;
    value_of(&re, &im, -s->shift * s->shift, found->re[i], found->im[i]);
    if (fabs(im) > fmax(REAL * fabs(re), pencil_round_off(s->p, sqrt(hypot(re, im)), x, NULL)))
      return false;
    eigen_list_add_square(out, s->p, -re, x);
  }
  return true;
}

static void list_first(eigen_list *out, const inverted *s, const arnoldi_spectrum *found) {
  const pencil *p = s->p;
  const size_t n = (size_t)found->n;
  for (int i = 0, count = count_finite(found); i < count; ++i) {
    const double *x = found->vector + (size_t)i * n;
    const bool pair = found->im[i] != 0;
    double re, im;
    value_of(&re, &im, s->shift, found->re[i], found->im[i]);
    double *negative = s->part; /* im > 0 of theta is im < 0 of mu: the conjugate vector */
    for (int k = 0; pair && k < p->nv; ++k) negative[k] = -x[n + (size_t)k];
    eigen_list_add(out, p, re, fabs(im), x, pair ? negative : NULL);
    i += pair;
    if (out->re[out->count - 1] != 0 || out->im[out->count - 1] != 0) continue;
    out->zeros += pair ? 2 : 1;
    eigen_list_drop_repeated(out, p, s->part);
  }
}

/* One pass with a shift; *symmetric is false where the second-order operator does not serve. */
static torsor_status pass(eigen_list *out, inverted *s, int wanted, double shift, bool *symmetric) {
  const pencil *p = s->p;
  const arnoldi_operator op = {.n = s->second ? p->nv : 2 * p->nv,
                               .apply = s->second ? apply_second : apply_first,
                               .self = s};
  arnoldi_spectrum found = {0};
  memset(out->shape, 0, 2 * (size_t)out->room * (size_t)out->nv * sizeof *out->shape);
  out->count = out->zeros = 0;
  out->real = false;
  torsor_status status = factor(s, shift);
  if (!status) status = arnoldi_largest(&found, &op, s->second ? wanted : 2 * wanted + 2);
  if (!status && s->second) {
    *symmetric = list_second(out, s, &found);
    if (*symmetric) status = eigen_list_sort(out);
    if (*symmetric && !status) status = eigen_list_orthonormalise(out, p);
    if (*symmetric && !status) status = eigen_list_is_symmetric(symmetric, out, p);
    if (*symmetric && !status) status = eigen_list_mirror(out, p);
    out->real = *symmetric;
  } else if (!status) {
    list_first(out, s, &found);
    status = eigen_list_sort(out);
  }
  arnoldi_release(&found);
  return status;
}

/* Largest of the `wanted` magnitudes. */
static double reach(const eigen_list *list, int wanted) {
  const int last = (wanted < list->count ? wanted : list->count) - 1;
  return last < 0 ? 0 : hypot(list->re[last], list->im[last]);
}

/* By the second-order operator if it serves. */
static torsor_status find_near(eigen_list *out, inverted *s, int wanted, double shift) {
  bool symmetric = true;
  const torsor_status status = pass(out, s, wanted, shift, &symmetric);
  if (status || !s->second || symmetric) return status;
  s->second = false;
  return pass(out, s, wanted, shift, &symmetric);
}

/* Once more, near to those that were found, if they are far from the first shift.  Where more are
 * wanted than there are, the farthest are round-off, and the matrix there may be singular. */
static torsor_status find(eigen_list *out, inverted *s, int wanted) {
  const double scale = sqrt(s->p->largest);
  const double shift = FIRST_SHIFT * (scale > 0 ? scale : 1);
  torsor_status status = find_near(out, s, wanted, shift);
  const double far = reach(out, wanted);
  if (status || !(far > 0) || (far < 1e3 * shift && far > 1e-3 * shift)) return status;
  status = find_near(out, s, wanted, far / 2);
  return status == TORSOR_SINGULAR ? find_near(out, s, wanted, shift) : status;
}

torsor_status eigen_sparse(eigen_list *out, const pencil *p, int wanted, const char *solver,
                           arena *memory) {
  arena scratch = {0};
  const size_t nv = (size_t)p->nv, nl = (size_t)p->nl;
  inverted s = {.p = p, .second = !has_rates(p)};
  s.x = arena_take(&scratch, nv + nl, sizeof *s.x);
  s.row = arena_take(&scratch, nl, sizeof *s.row);
  s.part = arena_take(&scratch, nv, sizeof *s.part);
  torsor_status status = s.x && s.row && s.part ? TORSOR_OK : TORSOR_MEMORY;
  if (!status) status = eigen_list_create(out, p->nv, 4 * wanted + 40, memory);
  if (!status) status = shifted_create(&s.shifted, p, solver, &scratch);
  if (!status) status = find(out, &s, wanted);
  shifted_release(&s.shifted);
  arena_release(&scratch);
  return status;
}
