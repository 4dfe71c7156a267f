/* SPDX-License-Identifier: GPL-3.0-or-later */

/* With s = s_0 + S q - q.E q/2, S_q = S - E q in place of S, B_k = P_k + C_k q, J_kl = J_0kl + 2
 * q.W_kl + q.D_kl q and a = U' + Omega x U less gravity, sums over k and l: on q    M q'' + Omega_k
 * (C_k - C_k^T) q' + Omega_k' B_k - Omega_k Omega_l (W_kl + D_kl q) + S^T a force   m a + Omega' x
 * s + Omega x (Omega x s) + 2 Omega x S q' + S q'' moment  s x a + J Omega' + J' Omega + Omega x (J
 * Omega + h) + (B_k.q'' + q'.C_k q')_k, h_k = B_k.q' */

#include "elements/super_inertia.h"

#include <string.h>

/* Place of the pair of axes k, l. */
static const int pair[3][3] = {{0, 3, 5}, {3, 1, 4}, {5, 4, 2}};

static m3 from_pairs(const double x[6]) {
  m3 out;
  for (int i = 0; i < 9; ++i) out.m[i / 3][i % 3] = x[pair[i / 3][i % 3]];
  return out;
}

/* Omega_k Omega_l, those of different axes twice. */
static void square_pairs(double out[6], v3 spin) {
  const double w[3] = {spin.x, spin.y, spin.z};
  memset(out, 0, 6 * sizeof *out);
  for (int i = 0; i < 9; ++i) out[pair[i / 3][i % 3]] += w[i / 3] * w[i % 3];
}

/* Column i of S. */
static v3 column(const double *S, int n, int i) {
  return (v3){S[i], S[n + i], S[2 * n + i]};
}

static double dot_row(const double *A, const double *x, int n) {
  double sum = 0;
  for (int j = 0; j < n; ++j) sum += A[j] * x[j];
  return sum;
}

/* Sums over the coordinates. */
typedef struct sums {
  v3 moment, moving, faster; /* s, S q', S q'' */
  double J[6], dJ[6];        /* second moments, their rate */
  double h[3], dh[3];        /* B_k.q', B_k.q'' + q'.C_k q' */
} sums;

/* Coordinate i of E x. */
static v3 squares(const super_inertia *I, const double *x, int n, int i) {
  if (!I->E) return v3_zero();
  const double *E = I->E + (size_t)i * (size_t)n;
  const size_t square = (size_t)n * (size_t)n;
  return (v3){dot_row(E, x, n), dot_row(E + square, x, n), dot_row(E + 2 * square, x, n)};
}

/* Adds coordinate i; returns its S_q. */
static v3 add_moments(sums *t, const super_inertia *I, const super_state *s, int n, int i) {
  const v3 S = column(I->S, n, i), Eq = squares(I, s->q, n, i), Sq = v3_sub(S, Eq);
  t->moment = v3_axpy(s->q[i], v3_axpy(-0.5, Eq, S), t->moment);
  t->moving = v3_axpy(s->dq[i], Sq, t->moving);
  t->faster = v3_axpy(s->ddq[i], Sq, t->faster);
  t->faster = v3_axpy(-s->dq[i], squares(I, s->dq, n, i), t->faster);
  return Sq;
}

static sums begin_sums(const super_inertia *I) {
  sums t = {.moment = I->moment};
  memcpy(t.J, I->J, sizeof t.J);
  return t;
}

static v3 relative_acceleration(const super_state *s) {
  return v3_sub(v3_add(s->F.A.lin, v3_cross(s->F.V.ang, s->F.V.lin)), s->gravity);
}

static void force_on_frame(double on_F[6], const super_inertia *I, const super_state *s,
                           const sums *t) {
  const v3 spin = s->F.V.ang, faster = s->F.A.ang, a = relative_acceleration(s);
  const m3 J = from_pairs(t->J), dJ = from_pairs(t->dJ);
  v3 f = v3_axpy(I->mass, a, v3_cross(faster, t->moment));
  f = v3_add(f, v3_cross(spin, v3_axpy(2, t->moving, v3_cross(spin, t->moment))));
  f = v3_add(f, t->faster);
  v3 m = v3_add(v3_cross(t->moment, a), v3_add(m3_mulv(J, faster), m3_mulv(dJ, spin)));
  m = v3_add(m, v3_cross(spin, v3_add(m3_mulv(J, spin), v3_load(t->h))));
  m = v3_add(m, v3_load(t->dh));
  v3_store(on_F, v3_add(v3_load(on_F), f));
  v3_store(on_F + 3, v3_add(v3_load(on_F + 3), m));
}

void super_inertia_force(double on_F[6], double *on_q, const super_inertia *I, const super_state *s,
                         int n) {
  const double w[3] = {s->F.V.ang.x, s->F.V.ang.y, s->F.V.ang.z};
  const double dw[3] = {s->F.A.ang.x, s->F.A.ang.y, s->F.A.ang.z};
  const size_t square = (size_t)n * (size_t)n;
  const v3 a = relative_acceleration(s);
  double ww[6];
  sums t = begin_sums(I);
  square_pairs(ww, s->F.V.ang);
  for (int i = 0; i < n; ++i) {
    const size_t at = (size_t)i * (size_t)n;
    double r = dot_row(I->M + at, s->ddq, n) + v3_dot(add_moments(&t, I, s, n, i), a);
    for (int k = 0; k < 3; ++k) {
      const double *C = I->C + (size_t)k * square + at;
      const double b = I->P[k * n + i] + dot_row(C, s->q, n), own = w[k] * s->dq[i];
      double c = 0;
      for (int j = 0; j < n; ++j) {
        c += C[j] * s->dq[j];
        on_q[j] -= own * C[j];
      }
      r += w[k] * c + dw[k] * b;
      t.h[k] += b * s->dq[i];
      t.dh[k] += b * s->ddq[i] + c * s->dq[i];
    }
    for (int p = 0; p < 6; ++p) {
      const double W = I->W[p * n + i], d = dot_row(I->D + (size_t)p * square + at, s->q, n);
      r -= ww[p] * (W + d);
      t.J[p] += (2 * W + d) * s->q[i];
      t.dJ[p] += 2 * (W + d) * s->dq[i];
    }
    on_q[i] += r;
  }
  force_on_frame(on_F, I, s, &t);
}

double super_momentum(v3 *linear, v3 *angular, v3 *moment, const super_inertia *I,
                      const super_state *s, int n) {
  const size_t square = (size_t)n * (size_t)n;
  const v3 U = s->F.V.lin, spin = s->F.V.ang;
  sums t = begin_sums(I);
  double own = 0;
  for (int i = 0; i < n; ++i) {
    const size_t at = (size_t)i * (size_t)n;
    own += s->dq[i] * dot_row(I->M + at, s->dq, n);
    for (int k = 0; k < 3; ++k)
      t.h[k] += (I->P[k * n + i] + dot_row(I->C + (size_t)k * square + at, s->q, n)) * s->dq[i];
    for (int p = 0; p < 6; ++p)
      t.J[p] += (2 * I->W[p * n + i] + dot_row(I->D + (size_t)p * square + at, s->q, n)) * s->q[i];
    add_moments(&t, I, s, n, i);
  }
  const v3 turned = m3_mulv(from_pairs(t.J), spin), h = v3_load(t.h);
  *linear = v3_add(v3_axpy(I->mass, U, v3_cross(spin, t.moment)), t.moving);
  *angular = v3_add(v3_add(v3_cross(t.moment, U), turned), h);
  *moment = t.moment;
  return (v3_dot(U, v3_add(*linear, v3_add(v3_cross(spin, t.moment), t.moving))) +
          v3_dot(spin, v3_axpy(2, h, turned)) + own) /
         2;
}

/* ---- derivatives ----------------------------------------------------------------------------- */

static void keep_column(double *out, int n, int i, v3 x) {
  out[i] = x.x;
  out[n + i] = x.y;
  out[2 * n + i] = x.z;
}

void super_find_products(super_products *out, double *work, const super_inertia *I,
                         const super_state *s, int n) {
  const size_t N = (size_t)n, square = N * N;
  sums t = begin_sums(I);
  *out = (super_products){.Dq = work,
                          .Ddq = work + 6 * N,
                          .B = work + 12 * N,
                          .Cdq = work + 15 * N,
                          .Ctdq = work + 18 * N,
                          .Ctddq = work + 21 * N,
                          .Sq = work + 24 * N,
                          .Edq = work + 27 * N,
                          .Eddq = work + 30 * N};
  memset(out->Ctdq, 0, 6 * N * sizeof *work);
  for (int i = 0; i < n; ++i) {
    const size_t at = (size_t)i * N;
    for (int k = 0; k < 3; ++k) {
      const double *C = I->C + (size_t)k * square + at;
      out->B[k * n + i] = I->P[k * n + i] + dot_row(C, s->q, n);
      out->Cdq[k * n + i] = dot_row(C, s->dq, n);
      for (int j = 0; j < n; ++j) out->Ctdq[k * n + j] += C[j] * s->dq[i];
      for (int j = 0; j < n; ++j) out->Ctddq[k * n + j] += C[j] * s->ddq[i];
      t.h[k] += out->B[k * n + i] * s->dq[i];
    }
    for (int p = 0; p < 6; ++p) {
      const double *D = I->D + (size_t)p * square + at;
      const double W = I->W[p * n + i], d = dot_row(D, s->q, n);
      out->Dq[p * n + i] = W + d;
      out->Ddq[p * n + i] = dot_row(D, s->dq, n);
      t.J[p] += (2 * W + d) * s->q[i];
      t.dJ[p] += 2 * (W + d) * s->dq[i];
    }
    keep_column(out->Sq, n, i, add_moments(&t, I, s, n, i));
    keep_column(out->Edq, n, i, squares(I, s->dq, n, i));
    keep_column(out->Eddq, n, i, squares(I, s->ddq, n, i));
  }
  out->moment = t.moment;
  out->moving = t.moving;
  out->h = v3_load(t.h);
  out->J = from_pairs(t.J);
  out->dJ = from_pairs(t.dJ);
  out->a = relative_acceleration(s);
}

/* Row k of A. */
static v3 row_of(m3 A, int k) {
  return v3_load(A.m[k]);
}

/* The product of pairs with spin: sum over l of x_kl spin_l, each k, coordinate i. */
static v3 pairs_times(const double *x, int n, int i, v3 spin) {
  double own[6];
  for (int p = 0; p < 6; ++p) own[p] = x[p * n + i];
  return m3_mulv(from_pairs(own), spin);
}

static double part(v3 x, int k) {
  return k == 0 ? x.x : k == 1 ? x.y : x.z;
}

/* The force on F along axis k. */
static void force_row(super_row *out, const super_inertia *I, const super_state *s,
                      const super_products *p, int n, int k) {
  const v3 spin = s->F.V.ang, faster = s->F.A.ang;
  const m3 W = m3_skew(spin), of_s = m3_skew(p->moment);
  /* Omega x (Omega x s) by Omega: -(Omega x s)~ - Omega~ s~ */
  m3 turn = m3_add(m3_skew(v3_cross(spin, p->moment)), m3_mul(W, of_s));
  turn = m3_add(turn, m3_skew(v3_axpy(2, p->moving, v3_scale(s->F.V.lin, I->mass))));
  v3_store(out->F + 3, v3_scale(row_of(m3_skew(s->gravity), k), -I->mass));
  v3_store(out->F + 6, v3_scale(row_of(W, k), I->mass));
  v3_store(out->F + 9, v3_neg(row_of(turn, k)));
  v3_store(out->F + 12, (v3){k == 0 ? I->mass : 0, k == 1 ? I->mass : 0, k == 2 ? I->mass : 0});
  v3_store(out->F + 15, v3_neg(row_of(of_s, k)));
  for (int i = 0; i < n; ++i) {
    const v3 S = column(p->Sq, n, i), Edq = column(p->Edq, n, i);
    const v3 by_q = v3_add(v3_cross(faster, S), v3_cross(spin, v3_cross(spin, S)));
    const v3 squared = v3_axpy(2, v3_cross(spin, Edq), column(p->Eddq, n, i));
    out->q[i] = part(v3_sub(by_q, squared), k);
    out->dq[i] = 2 * part(v3_sub(v3_cross(spin, S), Edq), k);
    out->ddq[i] = part(S, k);
  }
}

/* The moment on F about axis k. */
static void moment_row(super_row *out, const super_state *s, const super_products *p, int n,
                       int k) {
  const v3 spin = s->F.V.ang, faster = s->F.A.ang;
  const m3 W = m3_skew(spin), of_s = m3_skew(p->moment);
  const v3 momentum = v3_add(m3_mulv(p->J, spin), p->h);
  m3 turn = m3_sub(m3_add(p->dJ, m3_mul(W, p->J)), m3_skew(momentum));
  turn = m3_sub(turn, m3_mul(of_s, m3_skew(s->F.V.lin)));
  v3_store(out->F + 3, v3_neg(row_of(m3_mul(of_s, m3_skew(s->gravity)), k)));
  v3_store(out->F + 6, row_of(m3_mul(of_s, W), k));
  v3_store(out->F + 9, row_of(turn, k));
  v3_store(out->F + 12, row_of(of_s, k));
  v3_store(out->F + 15, row_of(p->J, k));
  for (int i = 0; i < n; ++i) {
    const v3 S = column(p->Sq, n, i), J_spin = v3_scale(pairs_times(p->Dq, n, i, spin), 2);
    const v3 h = column(p->Ctdq, n, i), B = column(p->B, n, i);
    v3 by_q = v3_add(v3_cross(S, p->a), v3_scale(pairs_times(p->Dq, n, i, faster), 2));
    by_q = v3_axpy(2, pairs_times(p->Ddq, n, i, spin), by_q);
    by_q = v3_add(by_q, v3_cross(spin, v3_add(J_spin, h)));
    by_q = v3_add(by_q, column(p->Ctddq, n, i));
    v3 by_dq = v3_add(J_spin, v3_cross(spin, B));
    by_dq = v3_add(by_dq, v3_add(column(p->Cdq, n, i), h));
    out->q[i] = part(by_q, k);
    out->dq[i] = part(by_dq, k);
    out->ddq[i] = part(B, k);
  }
}

/* The force on coordinate i. */
static void coordinate_row(super_row *out, const super_inertia *I, const super_state *s,
                           const super_products *p, int n, int i) {
  const double w[3] = {s->F.V.ang.x, s->F.V.ang.y, s->F.V.ang.z};
  const double dw[3] = {s->F.A.ang.x, s->F.A.ang.y, s->F.A.ang.z};
  const size_t N = (size_t)n, square = N * N, at = (size_t)i * N;
  const v3 S = column(p->Sq, n, i), U = s->F.V.lin, spin = s->F.V.ang;
  const double a[3] = {p->a.x, p->a.y, p->a.z};
  double ww[6];
  square_pairs(ww, spin);
  v3 turn = v3_sub(column(p->Cdq, n, i), column(p->Ctdq, n, i));
  turn = v3_axpy(-2, pairs_times(p->Dq, n, i, spin), turn);
  v3_store(out->F + 3, v3_cross(s->gravity, S));      /* -S.(g x phi) */
  v3_store(out->F + 6, v3_cross(S, spin));            /* S.(Omega x U) */
  v3_store(out->F + 9, v3_add(turn, v3_cross(U, S))); /* S.(Omega x U) */
  v3_store(out->F + 12, S);
  v3_store(out->F + 15, column(p->B, n, i));
  memcpy(out->ddq, I->M + at, N * sizeof *out->ddq);
  for (size_t k = 0; k < 3; ++k) {
    const double *C = I->C + k * square + at, *Ct = I->C + k * square + (size_t)i;
    for (size_t j = 0; j < N; ++j) {
      out->q[j] += dw[k] * C[j];
      if (I->E) out->q[j] -= a[k] * I->E[k * square + at + j];
      out->dq[j] += w[k] * (C[j] - Ct[j * N]);
    }
  }
  for (size_t pq = 0; pq < 6; ++pq) {
    const double *D = I->D + pq * square + at;
    for (size_t j = 0; j < N; ++j) out->q[j] -= ww[pq] * D[j];
  }
}

void super_inertia_row(super_row *out, const super_inertia *I, const super_state *s,
                       const super_products *p, int n, int a) {
  memset(out->F, 0, 18 * sizeof *out->F);
  memset(out->q, 0, (size_t)n * sizeof *out->q);
  memset(out->dq, 0, (size_t)n * sizeof *out->dq);
  if (a < 3)
    force_row(out, I, s, p, n, a);
  else if (a < 6)
    moment_row(out, s, p, n, a - 3);
  else
    coordinate_row(out, I, s, p, n, a - 6);
}
