/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/eigen/lapack.h"
#include "analysis/linear/linear_private.h"
#include "analysis/linear/scaled.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Balanced truncation (Moore, IEEE Trans. Autom. Control 26 (1981) 17) by square roots of both
 * Gramians.  The Schur form separates poles that are not stable, which are kept as they are. */

/* Poles whose real part is above minus this part of the largest one are not stable. */
static const double STABLE = 1e-8;

/* Hankel singular values below this part of the largest are round-off: roots of Gramians, which
 * round by eps of their largest eigenvalue, have half of the digits. */
static const double ROUNDED = 1e-7;

typedef struct balancing {
  scaled s;
  arena scratch;
  int stable, kept; /* states of both parts */
  double *P, *Q;    /* [stable x stable] roots of the Gramians, which are P P^T and Q Q^T */
  double *U, *VT, *hankel;
} balancing;

static double *take(balancing *b, int rows, int columns) {
  return arena_take(&b->scratch, (size_t)rows * (size_t)columns, sizeof(double));
}

static double *product(balancing *b, const double *A, bool transposed, const double *B, int m,
                       int k, int n) {
  double *out = take(b, m, n);
  if (out) lapack_multiply(out, A, transposed, B, m, k, n);
  return out;
}

/* ---- both parts --------------------------------------------------------------------------------
 */

/* Changes to the basis of the Schur form. */
static torsor_status turn(balancing *b, double fastest) {
  scaled *s = &b->s;
  double *Z = take(b, s->n, s->n);
  if (!Z) return TORSOR_MEMORY;
  const torsor_status status = lapack_schur(s->A, Z, &b->stable, -STABLE * fastest, s->n);
  b->kept = s->n - b->stable;
  s->B = product(b, Z, true, s->B, s->n, s->n, s->m);
  s->C = product(b, s->C, false, Z, s->p, s->n, s->n);
  return status ? status : s->B && s->C ? TORSOR_OK : TORSOR_MEMORY;
}

/* Separates both parts: with A11 X - X A22 = -A12 the states (x1 - X x2, x2) do not see each
 * other. */
static torsor_status separate(balancing *b) {
  scaled *s = &b->s;
  const int n = s->n, a = b->stable, k = b->kept;
  double *X = take(b, a, k);
  if (!X) return TORSOR_MEMORY;
  for (int j = 0; j < k; ++j)
    for (int i = 0; i < a; ++i) X[j * a + i] = -s->A[(a + j) * n + i];
  const torsor_status status =
      lapack_sylvester(X, s->A, n, false, s->A + (size_t)a * (size_t)(n + 1), n, false, -1, a, k);
  for (int j = 0; j < k; ++j)
    for (int i = 0; i < a; ++i) {
      const double x = X[j * a + i];
      s->A[(a + j) * n + i] = 0;
      for (int l = 0; l < s->m; ++l) s->B[l * n + i] -= x * s->B[l * n + a + j];
      for (int l = 0; l < s->p; ++l) s->C[(a + j) * s->p + l] += s->C[i * s->p + l] * x;
    }
  return status;
}

/* ---- Gramians ----------------------------------------------------------------------------------
 */

/* X [n x n] <- L with X = L L^T, as far as X is positive. */
static torsor_status take_root(balancing *b, double *X) {
  const int n = b->stable;
  double *w = take(b, n, 1);
  if (!w) return TORSOR_MEMORY;
  const torsor_status status = lapack_eigen_symmetric(w, X, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) X[j * n + i] *= sqrt(fmax(w[j], 0));
  return status;
}

/* A P + P A^T = -B B^T, or for Q with the transposes and C. */
static torsor_status find_gramian(double **out, balancing *b, bool of_outputs) {
  const scaled *s = &b->s;
  const int a = b->stable;
  double *X = *out = take(b, a, a);
  if (!X) return TORSOR_MEMORY;
  for (int j = 0; j < a; ++j)
    for (int i = 0; i < a; ++i) {
      double sum = 0;
      for (int l = 0; l < s->m && !of_outputs; ++l) sum += s->B[l * s->n + i] * s->B[l * s->n + j];
      for (int l = 0; l < s->p && of_outputs; ++l) sum += s->C[i * s->p + l] * s->C[j * s->p + l];
      X[j * a + i] = -sum;
    }
  const torsor_status status =
      lapack_sylvester(X, s->A, s->n, of_outputs, s->A, s->n, !of_outputs, 1, a, a);
  for (int j = 0; j < a; ++j)
    for (int i = 0; i < j; ++i) X[j * a + i] = X[i * a + j] = 0.5 * (X[j * a + i] + X[i * a + j]);
  return status ? status : take_root(b, X);
}

static torsor_status find_values(balancing *b) {
  const int a = b->stable;
  torsor_status status = find_gramian(&b->P, b, false);
  if (!status) status = find_gramian(&b->Q, b, true);
  double *QP = status ? NULL : product(b, b->Q, true, b->P, a, a, a);
  b->U = take(b, a, a);
  b->VT = take(b, a, a);
  b->hankel = take(b, a, 1);
  if (!status && (!QP || !b->U || !b->VT || !b->hankel)) status = TORSOR_MEMORY;
  return status ? status : lapack_singular_both(b->U, b->hankel, b->VT, QP, a, a);
}

/* ---- the reduced system ------------------------------------------------------------------------
 */

/* R [stable x r] and L [r x stable]: x = R z, z = L x, L R = 1. */
static torsor_status find_basis(double **R, double **L, balancing *b, int r) {
  const int a = b->stable;
  double *V = take(b, a, r), *right, *left;
  if (!V) return TORSOR_MEMORY;
  for (int j = 0; j < r; ++j)
    for (int i = 0; i < a; ++i) V[j * a + i] = b->VT[i * a + j];
  right = product(b, b->P, false, V, a, a, r);
  left = product(b, b->Q, false, b->U, a, a, r);
  *L = take(b, r, a);
  *R = right;
  if (!right || !left || !*L) return TORSOR_MEMORY;
  for (int j = 0; j < r; ++j) {
    int most = 0;
    for (int i = 0; i < a; ++i)
      if (fabs(right[j * a + i]) > fabs(right[j * a + most])) most = i;
    const double root = copysign(sqrt(b->hankel[j]), right[j * a + most]);
    for (int i = 0; i < a; ++i) {
      right[j * a + i] /= root;
      (*L)[i * r + j] = left[j * a + i] / root;
    }
  }
  return TORSOR_OK;
}

/* X [rows x columns], stored by columns, into `out`, stored by rows of length `width`. */
static void put(double *out, int width, const double *X, int stride, int rows, int columns) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) out[i * width + j] = X[j * stride + i];
}

static torsor_status fill(torsor_state_space *out, balancing *b, int r,
                          const torsor_state_space *whole, arena *memory) {
  const scaled *s = &b->s;
  const int n = s->n, a = b->stable, all = r + b->kept;
  double *R, *L, *A = arena_take(memory, (size_t)all * (size_t)all, sizeof *A);
  double *B = arena_take(memory, (size_t)all * (size_t)s->m, sizeof *B);
  double *C = arena_take(memory, (size_t)all * (size_t)s->p, sizeof *C), *A11 = take(b, a, a);
  torsor_status status = A && B && C && A11 ? find_basis(&R, &L, b, r) : TORSOR_MEMORY;
  if (status) return status;
  for (int j = 0; j < a; ++j) memcpy(A11 + j * a, s->A + j * n, (size_t)a * sizeof *A11);
  const double *AR = product(b, A11, false, R, a, a, r);
  double *B1 = take(b, a, s->m);
  if (!AR || !B1) return TORSOR_MEMORY;
  for (int j = 0; j < s->m; ++j) memcpy(B1 + j * a, s->B + j * n, (size_t)a * sizeof *B1);
  const double *LAR = product(b, L, false, AR, r, a, r);
  const double *LB = product(b, L, false, B1, r, a, s->m);
  const double *CR = product(b, s->C, false, R, s->p, a, r);
  if (!LAR || !LB || !CR) return TORSOR_MEMORY;
  put(A, all, LAR, r, r, r);
  put(A + r * all + r, all, s->A + (size_t)a * (size_t)(n + 1), n, b->kept, b->kept);
  put(B, s->m, LB, r, r, s->m);
  put(B + r * s->m, s->m, s->B + a, n, b->kept, s->m);
  put(C, all, CR, s->p, s->p, r);
  put(C + r, all, s->C + (size_t)a * (size_t)s->p, s->p, s->p, b->kept);
  *out = *whole;
  out->states = all;
  out->A = A;
  out->B = B;
  out->C = C;
  return TORSOR_OK;
}

static torsor_status name_states(torsor_state_space *out, arena *memory) {
  torsor_channel *state = arena_take(memory, (size_t)out->states, sizeof *state);
  if (!state) return TORSOR_MEMORY;
  for (int i = 0; i < out->states; ++i) {
    char name[32];
    snprintf(name, sizeof name, "balanced_%d", i + 1);
    state[i] = (torsor_channel){arena_string(memory, name), ""};
    if (!state[i].name) return TORSOR_MEMORY;
  }
  out->state = state;
  return TORSOR_OK;
}

static torsor_status find_poles(torsor_state_space *out, balancing *b, arena *memory) {
  const int n = out->states;
  double *A = take(b, n, n), *vectors = take(b, n, n);
  double *re = arena_take(memory, 2 * (size_t)n, sizeof *re);
  if (!A || !vectors || !re) return TORSOR_MEMORY;
  put(A, n, out->A, n, n, n);
  const torsor_status status = lapack_eigen(re, re + n, vectors, A, n);
  poles_sort(re, re + n, n, &b->scratch);
  out->pole_re = re;
  out->pole_im = re + n;
  return status ? status : zeros_find(out, memory);
}

/* ---- all ---------------------------------------------------------------------------------------
 */

static torsor_status check_states(const balancing *b, int states, torsor_error *error) {
  if (states < b->kept)
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "%d of the %d states are not stable and are kept: %d are too few", b->kept,
                       b->s.n, states);
  if (states <= b->s.n) return TORSOR_OK;
  return torsor_fail(error, TORSOR_ARGUMENT, "the state space has %d states, not %d", b->s.n,
                     states);
}

static torsor_status finish(torsor_balanced *out, balancing *b, int states,
                            const torsor_state_space *whole, arena *memory) {
  const int a = b->stable;
  int r = states - b->kept;
  double *hankel = arena_take(memory, (size_t)a, sizeof *hankel);
  if (!hankel) return TORSOR_MEMORY;
  memcpy(hankel, b->hankel, (size_t)a * sizeof *hankel);
  while (r > 0 && !(hankel[r - 1] > ROUNDED * hankel[0])) --r;
  for (int i = r; i < a; ++i) out->bound += 2 * hankel[i];
  out->hankel = hankel;
  out->values = a;
  out->kept = b->kept;
  torsor_status status = fill(&out->space, b, r, whole, memory);
  if (!status) status = name_states(&out->space, memory);
  return status ? status : find_poles(&out->space, b, memory);
}

torsor_status torsor_linear_balance(const torsor_balanced **out, torsor_linear *l, int states,
                                    torsor_error *error) {
  const torsor_state_space *whole = torsor_linear_state_space(l);
  balancing b = {0};
  if (!whole) return torsor_fail(error, TORSOR_ARGUMENT, "there is no state space to be reduced");
  torsor_balanced *made = arena_take(&l->memory, 1, sizeof *made);
  torsor_status status = made ? scaled_create(&b.s, whole, NULL, &b.scratch) : TORSOR_MEMORY;
  double fastest = 0;
  for (int i = 0; i < whole->states; ++i)
    fastest = fmax(fastest, hypot(whole->pole_re[i], whole->pole_im[i]));
  if (!status) status = turn(&b, fastest);
  torsor_status refused = status ? status : check_states(&b, states, error);
  if (!status && !refused) status = separate(&b);
  if (!status && !refused) status = find_values(&b);
  if (!status && !refused) status = finish(made, &b, states, whole, &l->memory);
  arena_release(&b.scratch);
  *out = made;
  if (refused && !status) return refused;
  return status ? torsor_fail(error, status, "the state space cannot be reduced: %s",
                              torsor_status_text(status))
                : TORSOR_OK;
}

/* ---- responses ---------------------------------------------------------------------------------
 */

/* (x, y) [2 n x m]: (i w - A) (x + i y) = B, as a real system. */
static torsor_status solve_at(double *X, double *system, const torsor_state_space *s, double w) {
  const int n = s->states, all = 2 * n;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) {
      const double a = -s->A[i * n + j];
      system[j * all + i] = system[(n + j) * all + n + i] = a;
      system[(n + j) * all + i] = i == j ? -w : 0;
      system[j * all + n + i] = i == j ? w : 0;
    }
  for (int j = 0; j < s->inputs; ++j)
    for (int i = 0; i < n; ++i) {
      X[j * all + i] = s->B[i * s->inputs + j];
      X[j * all + n + i] = 0;
    }
  return lapack_solve(X, system, all, s->inputs);
}

torsor_status torsor_state_space_response(double *response, const torsor_state_space *s,
                                          const double *omega, int count, torsor_error *error) {
  arena scratch = {0};
  const size_t n = (size_t)s->states, m = (size_t)s->inputs;
  double *X = arena_take(&scratch, 2 * n * m, sizeof *X);
  double *system = arena_take(&scratch, 4 * n * n, sizeof *system);
  torsor_status status = X && system ? TORSOR_OK : TORSOR_MEMORY;
  for (int k = 0; k < count && !status; ++k) {
    status = solve_at(X, system, s, omega[k]);
    for (int i = 0; i < s->outputs && !status; ++i)
      for (size_t j = 0; j < m; ++j) {
        double *out = response + 2 * (((size_t)k * (size_t)s->outputs + (size_t)i) * m + j);
        out[0] = s->D[(size_t)i * m + j];
        out[1] = 0;
        for (size_t l = 0; l < n; ++l) {
          out[0] += s->C[(size_t)i * n + l] * X[j * 2 * n + l];
          out[1] += s->C[(size_t)i * n + l] * X[j * 2 * n + n + l];
        }
      }
  }
  arena_release(&scratch);
  return status ? torsor_fail(error, status, "the response cannot be found: %s",
                              torsor_status_text(status))
                : TORSOR_OK;
}
