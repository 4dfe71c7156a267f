/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/eigen/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/eigen/arnoldi.h"
#include "analysis/eigen/shifted.h"

/* The first shift sigma of the shift-and-invert method, relative to the scale of mu: as a rule it
 * is far below the wanted eigenvalues, and yet large enough to keep the matrix regular where there
 * are rigid-body motions: the factorisation then loses its square, 1e-8, of the accuracy. */
static const double FIRST_SHIFT = 1e-4;

/* Imaginary parts of mu^2 below this fraction of its modulus count as round-off. */
static const double REAL = 1e-9;

/* The spectral transformation of the quadratic eigenvalue problem (mu^2 A2 + mu A1 + A0) e = 0 by
 * shift and invert (Ericsson and Ruhe 1980; Tisseur and Meerbergen 2001, section 5). Where A1 = 0
 * the operator is (A0 + s^2 A2)^-1 A2, which acts on e and has the eigenvalues 1/(s^2 - mu^2);
 * otherwise it is the shifted inverse of the companion pencil (linearisation), which acts on (e, mu
 * e). */
typedef struct inverted {
  const pencil *p;
  shifted shifted;
  double shift;
  bool second; /* the second-order operator is used, which acts on e alone */
  double *x, *row, *part;
} inverted;

/* Applies the second-order operator: y = (A0 + s^2 A2)^-1 A2 x, with constraints. */
static torsor_status apply_second(void *self, double *y, const double *x) {
  inverted *s = self;
  const pencil *p = s->p;
  pencil_multiply(s->x, p, p->A2, x);
  memset(s->x + p->nv, 0, (size_t)p->nl * sizeof *s->x);
  const torsor_status status = shifted_solve(&s->shifted, s->x);
  memcpy(y, s->x, (size_t)p->nv * sizeof *y);
  return status;
}

/* Applies the operator of the companion pencil, which maps (x, y) to (u, x + s u) with P(s) u =
 * -(A2 y + (A1 + s A2) x), P(s) = s^2 A2 + s A1 + A0; its eigenvalues are 1/(mu - s). */
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

/* Transforms an eigenvalue theta of the operator back: mu = shift + 1/theta. */
static void value_of(double *re, double *im, double shift, double theta_re, double theta_im) {
  const double size = hypot(theta_re, theta_im);
  *re = shift + theta_re / size / size;
  *im = -theta_im / size / size;
}

/* Eigenvalues theta of the operator below this fraction of the largest belong to the infinite
 * eigenvalues of the pencil, which the constraints cause: they would be 0 but for round-off. */
static const double INFINITE = 1e-12;

/* Returns the number of eigenvalues that belong to finite ones of the pencil; they come first, as
 * they are sorted by modulus. */
static int count_finite(const arnoldi_spectrum *found) {
  int count = 0;
  while (count < found->count &&
         hypot(found->re[count], found->im[count]) > INFINITE * hypot(found->re[0], found->im[0]))
    ++count;
  return count;
}

/* Lists the eigenvalues mu^2 of the second-order operator. For symmetric matrices all of them are
 * real; round-off makes complex pairs of those that coincide. Returns false where an imaginary part
 * exceeds round-off, that is where the matrices are not symmetric enough. */
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

/* Lists the eigenvalues mu of the companion pencil, with one entry for each complex pair. */
static void list_first(eigen_list *out, const inverted *s, const arnoldi_spectrum *found) {
  const pencil *p = s->p;
  const size_t n = (size_t)found->n;
  for (int i = 0, count = count_finite(found); i < count; ++i) {
    const double *x = found->vector + (size_t)i * n;
    const bool pair = found->im[i] != 0;
    double re, im;
    value_of(&re, &im, s->shift, found->re[i], found->im[i]);
    double *negative =
        s->part; /* theta with im > 0 belongs to mu with im < 0, hence the conjugate vector */
    for (int k = 0; pair && k < p->nv; ++k) negative[k] = -x[n + (size_t)k];
    eigen_list_add(out, p, re, fabs(im), x, pair ? negative : NULL);
    i += pair;
    if (out->re[out->count - 1] != 0 || out->im[out->count - 1] != 0) continue;
    out->zeros += pair ? 2 : 1;
    eigen_list_drop_repeated(out, p, s->part);
  }
}

/* The second-order operator without the modes that are known: its other eigenvalues are the same,
 * as it is symmetric in A2, in which the shapes are orthonormal. */
typedef struct deflated {
  inverted *s;
  const eigen_list *known;
  double *x; /* [nv] */
} deflated;

static void take_out(const deflated *d, double *x) {
  const int nv = d->s->p->nv;
  pencil_multiply(d->s->part, d->s->p, d->s->p->A2, x);
  for (int i = 0; i < d->known->count; ++i) {
    const double *shape = d->known->shape + 2 * (size_t)i * (size_t)nv;
    double part = 0;
    for (int k = 0; k < nv; ++k) part += shape[k] * d->s->part[k];
    for (int k = 0; k < nv; ++k) x[k] -= part * shape[k];
  }
}

static torsor_status apply_deflated(void *self, double *y, const double *x) {
  deflated *d = self;
  memcpy(d->x, x, (size_t)d->s->p->nv * sizeof *x);
  take_out(d, d->x);
  const torsor_status status = apply_second(d->s, y, d->x);
  take_out(d, y);
  return status;
}

/* Eigenvalues to this part of them tell whether one is missing. */
static const double MISSING = 1e-6;

/* Adds modes that the iteration has missed.  From one vector it finds of an eigenvalue that
 * coincides with others, as those of rigid motions do, no more than its own part and what round-off
 * brings in; so it is asked for the largest one without those known, from other vectors, until that
 * is no larger than `least`, the last that is wanted. */
static torsor_status add_missed(eigen_list *out, inverted *s, double least) {
  deflated d = {s, out, calloc((size_t)s->p->nv + 1, sizeof(double))};
  arnoldi_operator op = {
      .n = s->p->nv, .apply = apply_deflated, .self = &d, .tolerance = MISSING, .start = 1};
  torsor_status status = d.x ? TORSOR_OK : TORSOR_MEMORY;
  while (!status && out->count < out->room) {
    arnoldi_spectrum found = {0};
    status = arnoldi_largest(&found, &op, 1);
    bool larger =
        !status && found.count > 0 && hypot(found.re[0], found.im[0]) > (1 + 10 * MISSING) * least;
    if (larger && op.tolerance == 0) {
      found.count = 1;
      larger = list_second(out, s, &found);
      status = eigen_list_orthonormalise(out, s->p);
    }
    arnoldi_release(&found);
    if (!larger) break;
    op.start += op.tolerance == 0;
    op.tolerance = op.tolerance == 0 ? MISSING : 0; /* the one that is missing to round-off */
  }
  free(d.x);
  return status;
}

/* Makes one pass of Arnoldi's method with a given shift; sets *symmetric to false where the
 * second-order operator does not apply. */
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
    if (*symmetric && !status && found.count >= wanted && found.count < op.n)
      status = add_missed(out, s, hypot(found.re[wanted - 1], found.im[wanted - 1]));
    if (*symmetric && !status) status = eigen_list_sort(out);
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

/* Returns the largest modulus among the `wanted` smallest eigenvalues. */
static double reach(const eigen_list *list, int wanted) {
  const int last = (wanted < list->count ? wanted : list->count) - 1;
  return last < 0 ? 0 : hypot(list->re[last], list->im[last]);
}

/* Finds eigenvalues near the shift by the second-order operator where that applies, and otherwise
 * by the companion pencil. */
static torsor_status find_near(eigen_list *out, inverted *s, int wanted, double shift) {
  bool symmetric = true;
  const torsor_status status = pass(out, s, wanted, shift, &symmetric);
  if (status || !s->second || symmetric) return status;
  s->second = false;
  return pass(out, s, wanted, shift, &symmetric);
}

/* Finds the wanted eigenvalues, in a second pass with a shift amid those of the first one if they
 * are far from the first shift. Where more eigenvalues are wanted than exist, the farthest found
 * are round-off and the matrix with their shift may be singular: the first shift is then used
 * again. */
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
