/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/eigen/lapack.h"
#include "analysis/linear/linear_private.h"
#include "analysis/linear/state_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With holonomic rows B e = -p u and nonholonomic ones B' e' + Z e = -k0 u - k1 u', the variations
 * and rates that the constraints leave are
 *
 *    e = N x + P u,  x' = G x + U y + G0 u + G1 u',  e' = N x' + P u'
 *
 * where x are the states that have names, and y are rates of some of them.  Matrices are stored by
 * columns. */
typedef struct space {
  torsor_linear *l;
  arena *memory;
  null_space z;
  named_states names;
  int n, f, inputs, sources; /* sources: x, y, u, u', u'' one after the other */
  double *N, *G, *U;         /* [nv x n], [n x n], [n x f] */
  double *P, *G0, *G1;       /* [nv x inputs], [n x inputs] [n x inputs] */
  int *rate;                 /* [f] the states whose rates are y */
  double *e, *e1, *x;        /* [nv] [nv] [nv + nl] */
  double *dx, *dy, *y;       /* [n x sources], [f x sources], [outputs x sources] */
} space;

static double *take(const space *s, int rows, int columns) {
  return arena_take(s->memory, (size_t)rows * (size_t)columns, sizeof(double));
}

/* ---- free variations --------------------------------------------------------------------------
 */

/* out [n x c] = Y X for X [nv x c]. */
static void times_Y(double *out, const space *s, const double *X, int c) {
  const size_t nv = (size_t)s->z.nv, n = (size_t)s->n;
  for (size_t j = 0; j < (size_t)c; ++j)
    for (size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (size_t k = 0; k < nv; ++k) sum += s->names.Y[i * nv + k] * X[j * nv + k];
      out[j * n + i] = sum;
    }
}

/* Changes the basis so that Y N = I: N <- N (Y N)^-1, G <- (Y N) G (Y N)^-1, U <- (Y N) U. */
static torsor_status name_basis(space *s) {
  const int nv = s->z.nv, n = s->n;
  double *YN = take(s, n, n), *copy = take(s, n, n), *T = take(s, n, n), *YG = take(s, n, n);
  s->N = take(s, nv, n);
  s->G = take(s, n, n);
  s->U = take(s, n, s->f);
  if (!YN || !copy || !T || !YG || !s->N || !s->G || !s->U) return TORSOR_MEMORY;
  times_Y(YN, s, s->z.N, n);
  for (int i = 0; i < n; ++i) T[i * n + i] = 1;
  memcpy(copy, YN, (size_t)n * (size_t)n * sizeof *copy);
  const torsor_status status = n ? lapack_solve(T, copy, n, n) : TORSOR_OK;
  if (status) return status;
  lapack_multiply(s->N, s->z.N, false, T, nv, n, n);
  if (!s->z.G) {
    for (int i = 0; i < n; ++i) s->U[i * n + i] = 1;
    return TORSOR_OK;
  }
  lapack_multiply(YG, YN, false, s->z.G, n, n, n);
  lapack_multiply(s->G, YG, false, T, n, n, n);
  lapack_multiply(s->U, YN, false, s->z.U, n, n, s->f);
  return TORSOR_OK;
}

/* X [n x c] -= U X_rate: the rates y are then those of their states. */
static void subtract_rates(const space *s, double *X, int c) {
  const int n = s->n;
  for (int j = 0; j < c; ++j) {
    double *x = X + (size_t)j * (size_t)n;
    for (int k = 0; k < s->f; ++k) s->e[k] = x[s->rate[k]];
    for (int k = 0; k < s->f; ++k)
      for (int i = 0; i < n; ++i) x[i] -= s->U[(size_t)k * (size_t)n + (size_t)i] * s->e[k];
  }
}

/* Chooses rows of U for the rates y, each as independent of those before it as may be: the first
 * that is far enough from them, with a distance that is lowered until all are found. */
static torsor_status choose_rates(space *s) {
  const int n = s->n, f = s->f;
  double *Q = take(s, f, f), *r = take(s, f, 1), apart = 1e-2;
  int count = 0;
  if (!Q || !r) return TORSOR_MEMORY;
  for (; count < f && apart > 1e-12; apart /= 100) {
    count = 0;
    for (int i = 0; i < n && count < f; ++i) {
      double size = 0, left = 0;
      for (int k = 0; k < f; ++k) size = hypot(size, r[k] = s->U[k * n + i]);
      for (int q = 0; q < count; ++q) {
        double part = 0;
        for (int k = 0; k < f; ++k) part += Q[q * f + k] * r[k];
        for (int k = 0; k < f; ++k) r[k] -= part * Q[q * f + k];
      }
      for (int k = 0; k < f; ++k) left = hypot(left, r[k]);
      if (!(left > apart * size)) continue;
      for (int k = 0; k < f; ++k) Q[count * f + k] = r[k] / left;
      s->rate[count++] = i;
    }
  }
  return count == f ? TORSOR_OK : TORSOR_SINGULAR;
}

/* Changes the rates so that y are the rates of some states: U <- U (U_rate)^-1, G <- G - U
 * G_rate. */
static torsor_status name_rates(space *s) {
  const int n = s->n, f = s->f;
  torsor_status status = choose_rates(s);
  double *part = take(s, f, f), *T = take(s, f, f), *U = take(s, n, f);
  if (status || !part || !T || !U) return status ? status : TORSOR_MEMORY;
  for (int j = 0; j < f; ++j) {
    T[j * f + j] = 1;
    for (int i = 0; i < f; ++i) part[j * f + i] = s->U[j * n + s->rate[i]];
  }
  status = f ? lapack_solve(T, part, f, f) : TORSOR_OK;
  if (status) return status;
  lapack_multiply(U, s->U, false, T, n, f, f);
  s->U = U;
  subtract_rates(s, s->G, n);
  return TORSOR_OK;
}

/* ---- inputs that move constraints ---------------------------------------------------------------
 */

static const double *input_rows(const space *s, int order, int input) {
  const linear_rows *rows = &s->l->rows;
  return rows->R[order] + (size_t)input * (size_t)(rows->nv + rows->nl);
}

static bool velocity_row(const pencil *p, int i) {
  return p->nonholonomic && p->nonholonomic[i];
}

/* The matrix [[A2, B^T], [B, 0]] of the holonomic rows alone. */
static void fill_positions(double *Ax, const pencil *p) {
  const int nv = p->nv;
  for (int j = 0; j < p->p->n; ++j)
    for (int k = p->p->Ap[j]; k < p->p->Ap[j + 1]; ++k) {
      const int i = p->p->Ai[k];
      const bool out = (i >= nv && (p->dropped[i - nv] || velocity_row(p, i - nv))) ||
                       (j >= nv && (p->dropped[j - nv] || velocity_row(p, j - nv)));
      Ax[k] = out ? i == j : i < nv && j < nv ? p->A2[k] : p->A0[k];
    }
}

/* Finds P with B P = -p, and Y P = 0 so that x remain the states that have names. */
static torsor_status find_P(space *s) {
  const pencil *p = &s->l->pencil;
  const size_t nv = (size_t)p->nv;
  double *Ax = take(s, p->p->nonzeros, 1), *part = take(s, s->n, 1), *moved = take(s, p->nv, 1);
  linear_solver *solver = NULL;
  bool any = false;
  s->P = take(s, p->nv, s->inputs);
  if (!Ax || !part || !moved || !s->P) return TORSOR_MEMORY;
  for (int i = 0; i < s->inputs; ++i)
    for (int k = 0; k < p->nl; ++k)
      any |= !velocity_row(p, k) && !p->dropped[k] && input_rows(s, 0, i)[p->nv + k] != 0;
  if (!any) return TORSOR_OK;
  fill_positions(Ax, p);
  torsor_status status = linear_solver_create(&solver, "klu", p->p, &p->plan);
  if (!status) status = linear_solver_factor(solver, Ax);
  for (int i = 0; i < s->inputs && !status; ++i) {
    memset(s->x, 0, (size_t)p->p->n * sizeof *s->x);
    for (int k = 0; k < p->nl; ++k)
      if (!velocity_row(p, k) && !p->dropped[k]) s->x[p->nv + k] = -input_rows(s, 0, i)[p->nv + k];
    status = linear_solver_solve(solver, s->x);
    double *P = s->P + (size_t)i * nv;
    memcpy(P, s->x, nv * sizeof *P);
    times_Y(part, s, P, 1);
    lapack_multiply(moved, s->N, false, part, p->nv, s->n, 1);
    for (size_t k = 0; k < nv; ++k) P[k] -= moved[k];
  }
  linear_solver_destroy(solver);
  return status;
}

/* X [n x inputs] = the least solution of (B' N) X = right [m x inputs], with the rates y left as
 * they are. */
static torsor_status solve_rates(double *X, space *s, const double *BN, const double *right,
                                 int m) {
  double *square = take(s, m, m), *z = take(s, m, s->inputs);
  if (!square || !z) return TORSOR_MEMORY;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < m; ++j)
      for (int k = 0; k < s->n; ++k) square[j * m + i] += BN[k * m + i] * BN[k * m + j];
  memcpy(z, right, (size_t)(m * s->inputs) * sizeof *z);
  const torsor_status status = lapack_solve(z, square, m, s->inputs);
  for (int j = 0; j < s->inputs; ++j)
    for (int k = 0; k < s->n; ++k)
      for (int i = 0; i < m; ++i) X[j * s->n + k] += BN[k * m + i] * z[j * m + i];
  subtract_rates(s, X, s->inputs);
  return status;
}

/* Finds G0 and G1 from B' N G0 = -(Z P + k0), B' N G1 = -(B' P + k1). */
static torsor_status find_rates(space *s) {
  const pencil *p = &s->l->pencil;
  const int m = null_space_count_rows(p, true);
  s->G0 = take(s, s->n, s->inputs);
  s->G1 = take(s, s->n, s->inputs);
  if (!s->G0 || !s->G1) return TORSOR_MEMORY;
  if (!m || !s->inputs) return TORSOR_OK;
  double *BN = take(s, m, s->n), *right[] = {take(s, m, s->inputs), take(s, m, s->inputs)};
  double *all = take(s, p->nl, s->n > s->inputs ? s->n : s->inputs);
  if (!BN || !right[0] || !right[1] || !all) return TORSOR_MEMORY;
  null_space_apply(all, p, p->A1, true, s->N, s->n);
  for (int j = 0; j < s->n; ++j)
    for (int i = 0, k = 0; i < p->nl; ++i)
      if (null_space_counts(p, i, true)) BN[j * m + k++] = all[j * p->nl + i];
  for (int order = 0; order < 2; ++order) {
    null_space_apply(all, p, order ? p->A1 : p->A0, true, s->P, s->inputs);
    for (int j = 0; j < s->inputs; ++j)
      for (int i = 0, k = 0; i < p->nl; ++i)
        if (null_space_counts(p, i, true))
          right[order][j * m + k++] = -all[j * p->nl + i] - input_rows(s, order, j)[p->nv + i];
  }
  const torsor_status status = solve_rates(s->G0, s, BN, right[0], m);
  return status ? status : solve_rates(s->G1, s, BN, right[1], m);
}

/* ---- one source after the other -----------------------------------------------------------------
 */

/* Finds e'' and lambda, s->x, for e, e' and the given forces and rows (NULL: 0). */
static torsor_status accelerate(space *s, const double *forces, const double *rows) {
  const pencil *p = &s->l->pencil;
  double *part = s->x; /* products replace each other */
  double *sum = take(s, p->nv + p->nl, 1);
  if (!sum) return TORSOR_MEMORY;
  pencil_multiply(part, p, p->A0, s->e);
  for (int i = 0; i < p->nv; ++i) sum[i] = -part[i] - (forces ? forces[i] : 0);
  pencil_multiply(part, p, p->A1, s->e1);
  for (int i = 0; i < p->nv; ++i) sum[i] -= part[i];
  pencil_multiply_rows(part, p, p->A0, s->e1); /* Z e' of nonholonomic rows */
  for (int i = 0; i < p->nl; ++i)
    sum[p->nv + i] = (velocity_row(p, i) ? -part[i] : 0) + (rows ? rows[i] : 0);
  memcpy(s->x, sum, (size_t)(p->nv + p->nl) * sizeof *sum);
  return accelerations_solve(s->l, s->x);
}

static double dot(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

/* Stores the results of source j; `of_input` is D [outputs] (NULL: 0). */
static void store(space *s, int j, const double *of_input) {
  const linear_rows *rows = &s->l->rows;
  const int nv = rows->nv, nl = rows->nl;
  for (int k = 0; k < s->f; ++k)
    s->dy[j * s->f + k] = dot(s->names.Y + (size_t)s->rate[k] * (size_t)nv, s->x, nv);
  for (int k = 0; k < rows->outputs; ++k) {
    const size_t at = (size_t)k * (size_t)nv;
    s->y[j * rows->outputs + k] = dot(rows->H[0] + at, s->e, nv) + dot(rows->H[1] + at, s->e1, nv) +
                                  dot(rows->H[2] + at, s->x, nv) +
                                  dot(rows->L + (size_t)k * (size_t)nl, s->x + nv, nl) +
                                  (of_input ? of_input[k] : 0);
  }
}

/* e' = N x' for x' = the first column given, in s->dx too. */
static void set_rates(space *s, int j, const double *dx) {
  memcpy(s->dx + (size_t)j * (size_t)s->n, dx, (size_t)s->n * sizeof *dx);
  lapack_multiply(s->e1, s->N, false, dx, s->z.nv, s->n, 1);
}

static torsor_status find_states(space *s) {
  const size_t nv = (size_t)s->z.nv, n = (size_t)s->n;
  torsor_status status = TORSOR_OK;
  for (int j = 0; j < s->n + s->f && !status; ++j) {
    const size_t k = (size_t)j;
    if (j < s->n)
      memcpy(s->e, s->N + k * nv, nv * sizeof *s->e);
    else
      memset(s->e, 0, nv * sizeof *s->e);
    set_rates(s, j, j < s->n ? s->G + k * n : s->U + (k - n) * n);
    status = accelerate(s, NULL, NULL);
    store(s, j, NULL);
  }
  return status;
}

/* Finds the column of the derivative of this order of an input. */
static torsor_status find_input(space *s, int i, int order) {
  const linear_rows *rows = &s->l->rows;
  const pencil *p = &s->l->pencil;
  const size_t nv = (size_t)p->nv, n = (size_t)s->n;
  const double *P = s->P + (size_t)i * nv, *R = input_rows(s, order, i);
  const int j = s->n + s->f + order * s->inputs + i;
  double *right = take(s, p->nl, 1);
  if (!right) return TORSOR_MEMORY;
  memset(s->e, 0, nv * sizeof *s->e);
  memset(s->e1, 0, nv * sizeof *s->e1);
  if (order == 0) memcpy(s->e, P, nv * sizeof *s->e);
  if (order < 2) set_rates(s, j, (order ? s->G1 : s->G0) + (size_t)i * n);
  for (size_t k = 0; k < nv && order == 1; ++k) s->e1[k] += P[k];
  for (int k = 0; k < p->nl; ++k) {
    if (velocity_row(p, k))
      right[k] = order ? -input_rows(s, order - 1, i)[p->nv + k] : 0;
    else
      right[k] = order == 2 ? -input_rows(s, 0, i)[p->nv + k] : 0;
  }
  const torsor_status status = accelerate(s, R, right);
  store(s, j, rows->D[order] + (size_t)i * (size_t)rows->outputs);
  return status;
}

static torsor_status find_inputs(space *s) {
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < s->inputs && !status; ++i)
    for (int order = 0; order < 3 && !status; ++order) status = find_input(s, i, order);
  return status;
}

/* ---- the matrices -------------------------------------------------------------------------------
 */

/* Does the system depend on the rate or the acceleration of the input? */
static bool moves(const space *s, int i) {
  const linear_rows *rows = &s->l->rows;
  const int all = rows->nv + rows->nl;
  bool any = false;
  for (int k = rows->nv; k < all; ++k)
    any |= !velocity_row(&s->l->pencil, k - rows->nv) && input_rows(s, 0, i)[k] != 0;
  for (int order = 1; order < 3; ++order) {
    for (int k = 0; k < all; ++k) any |= input_rows(s, order, i)[k] != 0;
    for (int k = 0; k < rows->outputs; ++k)
      any |= rows->D[order][(size_t)i * (size_t)rows->outputs + (size_t)k] != 0;
  }
  for (int k = rows->nv; k < all; ++k)
    any |= velocity_row(&s->l->pencil, k - rows->nv) && input_rows(s, 0, i)[k] != 0;
  return any;
}

/* The matrices in the making: where the next state and the next input go. */
typedef struct filling {
  space *s;
  torsor_state_space *out;
  torsor_channel *state, *input;
  double *A, *B, *C, *D;
  int states, inputs;
} filling;

static torsor_status filling_create(filling *fill, space *s, int moving) {
  const bool triple = s->l->settings.triple;
  torsor_state_space *out = &s->l->space;
  out->states = s->n + s->f + (triple ? 0 : 2 * moving);
  out->inputs = s->inputs + (triple ? 2 * moving : 0);
  out->outputs = s->l->rows.outputs;
  arena *memory = &s->l->memory;
  const size_t n = (size_t)out->states, m = (size_t)out->inputs, p = (size_t)out->outputs;
  *fill = (filling){.s = s,
                    .out = out,
                    .state = arena_take(memory, n, sizeof *fill->state),
                    .input = arena_take(memory, m, sizeof *fill->input),
                    .A = arena_take(memory, n * n, sizeof(double)),
                    .B = arena_take(memory, n * m, sizeof(double)),
                    .C = arena_take(memory, p * n, sizeof(double)),
                    .D = arena_take(memory, p * m, sizeof(double))};
  if (!fill->state || !fill->input || !fill->A || !fill->B || !fill->C || !fill->D)
    return TORSOR_MEMORY;
  out->state = fill->state;
  out->input = fill->input;
  out->output = s->l->output;
  out->A = fill->A;
  out->B = fill->B;
  out->C = fill->C;
  out->D = fill->D;
  return TORSOR_OK;
}

/* Copies the column of a source into column j of [A; C] or [B; D] with so many columns. */
static void put(const filling *fill, int source, double *top, double *bottom, int columns, int j) {
  const space *s = fill->s;
  for (int i = 0; i < s->n; ++i) top[i * columns + j] = s->dx[source * s->n + i];
  for (int i = 0; i < s->f; ++i) top[(s->n + i) * columns + j] = s->dy[source * s->f + i];
  for (int i = 0; i < fill->out->outputs; ++i)
    bottom[i * columns + j] = s->y[source * fill->out->outputs + i];
}

static void put_state(filling *fill, int source, torsor_channel label) {
  fill->state[fill->states] = label;
  put(fill, source, fill->A, fill->C, fill->out->states, fill->states++);
}

static void put_input(filling *fill, int source, torsor_channel label) {
  fill->input[fill->inputs] = label;
  put(fill, source, fill->B, fill->D, fill->out->inputs, fill->inputs++);
}

/* The name of a derivative of an input. */
static torsor_status derivative(torsor_channel *out, space *s, int i, int order) {
  static const char *const names[] = {"", ".rate", ".acceleration"};
  static const char *const units[] = {"", "/s", "/s^2"};
  const torsor_channel base = s->l->input[i];
  char name[240], unit[48];
  snprintf(name, sizeof name, "%.200s%s", base.name, names[order]);
  snprintf(unit, sizeof unit, "%.40s%s", order && !base.unit[0] ? "1" : base.unit, units[order]);
  *out = (torsor_channel){arena_string(&s->l->memory, name), arena_string(&s->l->memory, unit)};
  return out->name && out->unit ? TORSOR_OK : TORSOR_MEMORY;
}

static torsor_status put_moving(filling *fill, int i) {
  space *s = fill->s;
  torsor_channel label[3];
  const int first = s->n + s->f + i;
  for (int order = 0; order < 3; ++order)
    if (derivative(&label[order], s, i, order)) return TORSOR_MEMORY;
  if (s->l->settings.triple) {
    for (int order = 0; order < 3; ++order)
      put_input(fill, first + order * s->inputs, label[order]);
    return TORSOR_OK;
  }
  const int n = fill->out->states, m = fill->out->inputs, at = fill->states;
  put_state(fill, first, label[0]);
  put_state(fill, first + s->inputs, label[1]);
  fill->A[at * n + at + 1] = 1;
  fill->B[(at + 1) * m + fill->inputs] = 1;
  put_input(fill, first + 2 * s->inputs, label[2]);
  return TORSOR_OK;
}

static torsor_status fill_matrices(space *s) {
  filling fill;
  int moving = 0;
  for (int i = 0; i < s->inputs; ++i) moving += moves(s, i);
  torsor_status status = filling_create(&fill, s, moving);
  for (int j = 0; j < s->n && !status; ++j) put_state(&fill, j, s->names.state[j]);
  for (int j = 0; j < s->f && !status; ++j) put_state(&fill, s->n + j, s->names.rate[s->rate[j]]);
  for (int i = 0; i < s->inputs && !status; ++i) {
    if (moves(s, i))
      status = put_moving(&fill, i);
    else
      put_input(&fill, s->n + s->f + i, s->l->input[i]);
  }
  return status;
}

/* ---- poles --------------------------------------------------------------------------------------
 */

static torsor_status find_poles(space *s) {
  torsor_state_space *out = &s->l->space;
  const int n = out->states;
  double *A = take(s, n, n), *vectors = take(s, n, n);
  double *re = arena_take(&s->l->memory, 2 * (size_t)n, sizeof *re);
  if (!A || !vectors || !re) return TORSOR_MEMORY;
  double *im = re + n;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) A[j * n + i] = out->A[i * n + j];
  const torsor_status status = n ? lapack_eigen(re, im, vectors, A, n) : TORSOR_OK;
  poles_sort(re, im, n, s->memory);
  out->pole_re = re;
  out->pole_im = im;
  return status;
}

/* ---- all ----------------------------------------------------------------------------------------
 */

static torsor_status space_create(space *s) {
  const linear_rows *rows = &s->l->rows;
  s->inputs = rows->inputs;
  s->sources = s->n + s->f + 3 * s->inputs;
  s->rate = arena_take(s->memory, (size_t)s->f, sizeof *s->rate);
  s->e = take(s, rows->nv, 1);
  s->e1 = take(s, rows->nv, 1);
  s->x = take(s, rows->nv + rows->nl, 1);
  s->dx = take(s, s->n, s->sources);
  s->dy = take(s, s->f, s->sources);
  s->y = take(s, rows->outputs, s->sources);
  return s->rate && s->e && s->e1 && s->x && s->dx && s->dy && s->y ? TORSOR_OK : TORSOR_MEMORY;
}

static torsor_status find(space *s) {
  torsor_status status = space_create(s);
  if (!status) status = name_basis(s);
  if (!status) status = name_rates(s);
  if (!status) status = find_P(s);
  if (!status) status = find_rates(s);
  if (!status) status = find_states(s);
  if (!status) status = find_inputs(s);
  if (!status) status = fill_matrices(s);
  if (!status) status = find_poles(s);
  return status ? status : zeros_find(&s->l->space, &s->l->memory);
}

torsor_status state_space_find(torsor_linear *l, torsor_error *error) {
  arena scratch = {0};
  space s = {.l = l, .memory = &scratch};
  torsor_status status = null_space_find(&s.z, &l->pencil, &scratch);
  bool reported = false;
  s.n = s.z.n;
  s.f = s.z.f;
  if (!status) {
    status = named_states_find(&s.names, l, &s.z, error);
    reported = status != TORSOR_OK;
  }
  if (!status) status = find(&s);
  if (status && !reported) {
    torsor_fail(error, status, "there is no state space: %s", torsor_status_text(status));
    if (status == TORSOR_SINGULAR)
      torsor_hint(error, "give every body inertia in all directions in which the joints let it "
                         "move, or ask for the frequency response alone");
  }
  arena_release(&scratch);
  return status;
}
