/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/super_constants.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "elements/chain_kit.h"

/* Matrices as written with six digits are off by 5e-7 of their rows. */
static const double WRITTEN = 1e-6;

/* Forces below this part of the largest stiffness are its round-off. */
static const double ROUND_OFF = 1e-9;

/* Column of the rigid motion k, three translations and three rotations about the body's origin. */
static void rigid_motion(double *out, const super_given *g, int k) {
  const v3 axis = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
  memset(out, 0, (size_t)g->n * sizeof *out);
  for (int i = 0; i < g->interfaces; ++i) {
    v3_store(out + 6 * i, k < 3 ? axis : v3_cross(axis, g->place[i].x));
    v3_store(out + 6 * i + 3, k < 3 ? v3_zero() : axis);
  }
}

static void multiply(double *out, const double *A, const double *x, int n) {
  for (int i = 0; i < n; ++i) {
    out[i] = 0;
    for (int j = 0; j < n; ++j) out[i] += A[(size_t)i * (size_t)n + (size_t)j] * x[j];
  }
}

static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

/* ---- stiffness ------------------------------------------------------------------------------- */

/* The largest stiffness, N/m, of interfaces and, by their frequencies, of modes. */
static double largest_stiffness(const super_given *g, double mass, double size) {
  const size_t n = (size_t)g->n;
  double most = 0;
  for (size_t i = 0; i < n; ++i) {
    const double own = fabs(g->K[i * (n + 1)]), m = g->M[i * (n + 1)];
    if (i >= 6 * (size_t)g->interfaces)
      most = fmax(most, m > 0 ? own / m * mass : 0);
    else
      most = fmax(most, i % 6 < 3 ? own : own / (size * size));
  }
  return most;
}

/* Does the stiffness resist the rigid motion?  Forces count in parts of what entries |K_ij| <=
 * sqrt(K_ii K_jj) could make. */
static bool resists(const super_given *g, const double *x, bool turns, double round, double size) {
  const size_t n = (size_t)g->n;
  for (size_t i = 0; i < n; ++i) {
    const bool turned = i < 6 * (size_t)g->interfaces && i % 6 > 2;
    const double *K = g->K + i * n, own = sqrt(fabs(K[i]));
    double sum = 0, terms = 0;
    for (size_t j = 0; j < n; ++j) {
      sum += K[j] * x[j];
      terms += own * sqrt(fabs(g->K[j * (n + 1)])) * fabs(x[j]);
    }
    const double unit = round * (turned ? size : 1) * (turns ? size : 1);
    if (fabs(sum) > WRITTEN * terms && fabs(sum) > unit) return true;
  }
  return false;
}

/* ---- inertia --------------------------------------------------------------------------------- */

/* Places of the constants in their memory. */
typedef struct parts {
  double *R, *S, *P, *W, *axes, *C, *D; /* R [6][n] rigid motions, MR [6][n] behind S and P */
} parts;

/* C_k = M G_k and D_kl = G_k^T M G_l of interfaces whose displacements turn with F. */
static void guess_turned(const parts *p, const super_given *g) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
  const size_t n = (size_t)g->n, square = n * n;
  for (size_t k = 0; k < 3; ++k)
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < 6 * (size_t)g->interfaces; ++j) {
        const size_t d = j % 6;
        if (d > 2 || d == k) continue; /* column d of (e_k x) has one entry, in row 3 - k - d */
        const size_t row = j - d + (3 - k - d);
        p->C[k * square + i * n + j] = ((d + 1) % 3 == k ? -1 : 1) * g->M[i * n + row];
      }
  for (size_t q = 0; q < 6; ++q) {
    const size_t k = (size_t)pair[q][0], l = (size_t)pair[q][1];
    double *D = p->D + q * square;
    for (size_t i = 0; i < 6 * (size_t)g->interfaces; ++i) {
      const size_t d = i % 6;
      if (d > 2 || d == k) continue;
      const size_t row = i - d + (3 - k - d);
      const double sign = (d + 1) % 3 == k ? -1 : 1;
      for (size_t j = 0; j < n; ++j) {
        const double half = sign * p->C[l * square + row * n + j] / 2;
        D[i * n + j] += half;
        D[j * n + i] += half;
      }
    }
  }
}

/* Products with rigid motions, which the shapes have among them: S = 1^T M N is 1^T of the reduced
 * mass, and so on. */
static void fill_products(super_inertia *I, const parts *p, const super_given *g) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
  const size_t n = (size_t)g->n, square = n * n;
  for (size_t k = 0; k < 3; ++k) {
    multiply(p->S + k * n, g->M, p->R + k * n, g->n);
    multiply(p->P + k * n, g->M, p->R + (3 + k) * n, g->n);
  }
  double *const moment[] = {&I->moment.x, &I->moment.y, &I->moment.z};
  for (size_t k = 0; k < 3; ++k) {
    /* 1_a^T M (e_b x X) = m (e_b x c)_a */
    const size_t a = (k + 1) % 3, b = (k + 2) % 3;
    *moment[k] = (dot(p->S + a * n, p->R + (3 + b) * n, g->n) -
                  dot(p->S + b * n, p->R + (3 + a) * n, g->n)) /
                 2;
    I->mass += dot(p->S + k * n, p->R + k * n, g->n) / 3;
  }
  for (size_t q = 0; q < 6; ++q) {
    const size_t k = (size_t)pair[q][0], l = (size_t)pair[q][1];
    I->J[q] = dot(p->P + k * n, p->R + (3 + l) * n, g->n);
    const double *Ck = I->C + k * square, *Cl = I->C + l * square;
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        p->W[q * n + i] +=
            (Ck[j * n + i] * p->R[(3 + l) * n + j] + Cl[j * n + i] * p->R[(3 + k) * n + j]) / 2;
  }
}

static bool is_alike(const super_inertia *I, const parts *p, int n) {
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l) {
      const double m = dot(p->S + k * n, p->R + l * n, n);
      if (!(fabs(m - (k == l ? I->mass : 0)) <= WRITTEN * I->mass)) return false;
    }
  return true;
}

/* Rows of the mean axes: the mean displacement, and the mean rotation about the centre of mass, of
 * the deformation are zero. */
static torsor_status fill_axes(const super_inertia *I, const parts *p, int n, torsor_error *error) {
  const v3 c = v3_scale(I->moment, 1 / I->mass);
  m3 J = {{{I->J[0], I->J[3], I->J[5]}, {I->J[3], I->J[1], I->J[4]}, {I->J[5], I->J[4], I->J[2]}}};
  const m3 hat = m3_skew(c);
  J = m3_add(J, m3_scale(m3_mul(hat, hat), I->mass));
  const double largest = fmax(J.m[0][0], fmax(J.m[1][1], J.m[2][2]));
  const double volume = v3_dot(v3_load(J.m[0]), v3_cross(v3_load(J.m[1]), v3_load(J.m[2])));
  if (!(volume > 1e-15 * largest * largest * largest))
    return chain_fail(error, "frame", "take \"interface\"",
                      "mean axes need a moment of inertia about every axis");
  const m3 inverse = m3_inverse(J);
  for (int i = 0; i < n; ++i) {
    const v3 S = {p->S[i], p->S[n + i], p->S[2 * n + i]};
    const v3 P = v3_sub((v3){p->P[i], p->P[n + i], p->P[2 * n + i]}, v3_cross(c, S));
    const v3 turn = m3_mulv(inverse, P);
    const double row[6] = {S.x / I->mass, S.y / I->mass, S.z / I->mass, turn.x, turn.y, turn.z};
    for (int k = 0; k < 6; ++k) p->axes[k * n + i] = row[k];
  }
  return TORSOR_OK;
}

/* ---- the lowest frequency -------------------------------------------------------------------- */

/* A = L L^T in place, lower triangle; false where A is not positive definite. */
static bool factor(double *A, int n) {
  for (int j = 0; j < n; ++j) {
    double *row = A + (size_t)j * (size_t)n;
    for (int i = 0; i <= j; ++i) {
      const double *other = A + (size_t)i * (size_t)n;
      double sum = row[i];
      for (int k = 0; k < i; ++k) sum -= row[k] * other[k];
      if (i == j && !(sum > ROUND_OFF * fabs(row[i]))) return false;
      row[i] = i == j ? sqrt(sum) : sum / other[i];
    }
  }
  return true;
}

static void solve(double *x, const double *L, int n) {
  for (int i = 0; i < n; ++i) {
    const double *row = L + (size_t)i * (size_t)n;
    for (int k = 0; k < i; ++k) x[i] -= row[k] * x[k];
    x[i] /= row[i];
  }
  for (int i = n - 1; i >= 0; --i) {
    for (int k = i + 1; k < n; ++k) x[i] -= L[(size_t)k * (size_t)n + (size_t)i] * x[k];
    x[i] /= L[(size_t)i * (size_t)n + (size_t)i];
  }
}

/* The lowest frequency, rad/s, with interface `held` fixed, by inverse iteration to about a per
 * cent; 0 where there is none. */
static torsor_status find_least(double *out, const super_given *g, int held) {
  enum { ITERATIONS = 60 };
  const int n = g->n - 6;
  const size_t N = (size_t)(n > 0 ? n : 0);
  *out = 0;
  if (n < 1) return TORSOR_OK;
  double *L = malloc((2 * N * N + 2 * N) * sizeof *L);
  if (!L) return TORSOR_MEMORY;
  double *M = L + N * N, *x = M + N * N, *y = x + N;
  for (size_t i = 0; i < N; ++i)
    for (size_t j = 0; j < N; ++j) {
      const size_t row = i < 6 * (size_t)held ? i : i + 6,
                   column = j < 6 * (size_t)held ? j : j + 6;
      L[i * N + j] = g->K[row * (size_t)g->n + column];
      M[i * N + j] = g->M[row * (size_t)g->n + column];
    }
  for (int i = 0; i < n; ++i) x[i] = 1 + 0.5 * sin(i + 1.0);
  bool good = factor(L, n);
  for (int k = 0; good && k < ITERATIONS; ++k) {
    multiply(y, M, x, n);
    const double size = sqrt(fmax(0, dot(x, y, n)));
    good = size > 0;
    for (int i = 0; good && i < n; ++i) x[i] = y[i] / size; /* M x of a vector of length 1 in M */
    if (good) solve(x, L, n);
  }
  multiply(y, M, x, n);
  const double size = sqrt(fmax(0, dot(x, y, n))); /* of K^-1 M x: 1/lambda */
  if (good && size > 0) *out = 1 / sqrt(size);
  free(L);
  return TORSOR_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static torsor_status check(const super_given *g, const superelement_data *e, const parts *p,
                           torsor_error *error) {
  const double round = ROUND_OFF * largest_stiffness(g, e->inertia.mass, e->size);
  for (int k = 0; k < 6; ++k)
    if (resists(g, p->R + k * g->n, k > 2, round, e->size))
      return chain_fail(
          error, "stiffness",
          "its interfaces come first, each with three displacements and three rotations in "
          "the body's axes, then the modes",
          "the stiffness resists a rigid motion of the interfaces");
  if (!is_alike(&e->inertia, p, g->n))
    return chain_fail(error, "mass", "see there", "the mass is not the same in all directions");
  return TORSOR_OK;
}

static double find_size(const super_given *g, const super_inertia *I) {
  const v3 c = v3_scale(I->moment, 1 / I->mass);
  const double gyration =
      sqrt(fmax(0, (I->J[0] + I->J[1] + I->J[2]) / (2 * I->mass) - v3_norm2(c)));
  double size = 2 * gyration;
  for (int i = 0; i < g->interfaces; ++i)
    for (int j = 0; j < i; ++j) size = fmax(size, v3_norm(v3_sub(g->place[i].x, g->place[j].x)));
  return size > 0 ? size : 1;
}

torsor_status super_find_constants(superelement_data *e, double **memory, size_t *size,
                                   const super_given *g, torsor_error *error) {
  const size_t n = (size_t)g->n, square = n * n;
  const size_t count = 24 * n + (g->C ? 0 : 9 * square);
  double *to = *memory = calloc(count + 1, sizeof *to);
  *size = (count + 1) * sizeof *to;
  if (!to) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  const parts p = {.R = to,
                   .S = to + 6 * n,
                   .P = to + 9 * n,
                   .W = to + 12 * n,
                   .axes = to + 18 * n,
                   .C = to + 24 * n,
                   .D = to + 24 * n + 3 * square};
  super_inertia *I = &e->inertia;
  for (int k = 0; k < 6; ++k) rigid_motion(p.R + (size_t)k * n, g, k);
  if (!g->C) guess_turned(&p, g);
  *I = (super_inertia){
      .S = p.S, .P = p.P, .W = p.W, .M = g->M, .C = g->C ? g->C : p.C, .D = g->C ? g->D : p.D};
  fill_products(I, &p, g);
  e->size = find_size(g, I);
  e->spare = 1;
  for (size_t i = 6 * (size_t)g->interfaces; i < n; ++i)
    if (g->M[i * (n + 1)] > 0) e->spare = fmax(e->spare, g->K[i * (n + 1)] / g->M[i * (n + 1)]);
  torsor_status status = check(g, e, &p, error);
  if (!status && g->frame < 0) status = fill_axes(I, &p, g->n, error);
  e->axes = g->frame < 0 ? p.axes : NULL;
  if (!status && find_least(&e->least, g, g->frame < 0 ? 0 : g->frame))
    status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  return status;
}
