/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/buckling.h"

#include <math.h>
#include <string.h>

#include "analysis/arnoldi.h"

/* Central differences of the tangent along the path, parts of its length: truncation h^2, round-off
 * eps/h of the stiffness. */
static const double DIFFERENCE = 0x1p-13;

/* Real eigenvalues have imaginary parts below this part of them. */
static const double REAL = 1e-9;

/* Eigenvalues below this part of the largest come from round-off in the differences, eps/h. */
static const double SPURIOUS = 1e-6;

typedef struct tangent_rate {
  load_path *path;
  double *ahead, *behind; /* [nonzeros] tangents around path->now */
  double h;               /* between them */
} tangent_rate;

/* Tangent at path->now moved along the path. */
static torsor_status tangent_at(double *out, const tangent_rate *s, double step) {
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
static torsor_status apply(void *self, double *y, const double *x) {
  const tangent_rate *s = self;
  const torsor_problem *pr = s->path->e.problem;
  const int n = pr->nv + pr->nl;
  const int *Ap, *Ai;
  int count;
  assembly_matrix(s->path->e.a, &count, &Ap, &Ai);
  memset(y, 0, (size_t)n * sizeof *y);
  for (int j = 0; j < n; ++j)
    for (int p = Ap[j]; p < Ap[j + 1]; ++p) y[Ai[p]] -= (s->ahead[p] - s->behind[p]) / s->h * x[j];
  return pr->solve(pr->self, y);
}

/* 1/mu of the real eigenvalues mu, which come with the largest first. */
static void collect(double *factor, int *count, int wanted, const arnoldi_spectrum *spectrum) {
  const double largest = spectrum->count ? hypot(spectrum->re[0], spectrum->im[0]) : 0;
  for (int i = 0; i < spectrum->count && *count < wanted; ++i) {
    const double mu = spectrum->re[i];
    if (!(fabs(mu) > SPURIOUS * largest) || fabs(spectrum->im[i]) > REAL * fabs(mu)) continue;
    factor[(*count)++] = 1 / mu;
  }
}

torsor_status buckling_find(double *factor, int *count, int wanted, load_path *path,
                            arena *memory) {
  const torsor_problem *pr = path->e.problem;
  tangent_rate s = {.path = path};
  int nonzeros;
  *count = 0;
  if (!path->now.known) return TORSOR_SINGULAR;
  assembly_matrix(path->e.a, &nonzeros, NULL, NULL);
  s.ahead = arena_take(memory, (size_t)nonzeros, sizeof *s.ahead);
  s.behind = arena_take(memory, (size_t)nonzeros, sizeof *s.behind);
  torsor_status status = s.ahead && s.behind ? TORSOR_OK : TORSOR_MEMORY;
  const double step = DIFFERENCE * fabs(path->settings->until) / fabs(path->now.load);
  if (!status) status = tangent_at(s.behind, &s, -step);
  const double low = path->next.p.load;
  if (!status) status = tangent_at(s.ahead, &s, step);
  s.h = path->next.p.load - low;
  if (!status) status = equilibrium_factor(&path->e, &path->now.p, 0);
  if (status) return status;
  /* complex pairs among them do not count: some more are found than wanted */
  const arnoldi_operator op = {.n = pr->nv + pr->nl, .apply = apply, .self = &s};
  arnoldi_spectrum spectrum = {0};
  status = arnoldi_largest(&spectrum, &op, 2 * wanted + 4);
  if (!status) collect(factor, count, wanted, &spectrum);
  arnoldi_release(&spectrum);
  return status;
}
