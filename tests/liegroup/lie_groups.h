/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_LIE_GROUPS_H
#define TORSOR_TESTS_LIE_GROUPS_H

/* All groups behind one table over flat arrays, so that one suite of laws serves them all. */

#include "check.h"

#include <stdio.h>
#include <torsor/lie.h>

enum { MAXQ = 7, MAXV = 6, MAXM = 36, MAXH = 49, RN = 5, TRIES = 12 };

static const double angles[] = {0,
                                1e-300,
                                1e-12,
                                1e-11,
                                1e-10,
                                1e-9,
                                1e-8,
                                1e-7,
                                1e-6,
                                1e-5,
                                1e-4,
                                1e-3,
                                1e-2,
                                1e-1,
                                0.3,
                                1,
                                2,
                                3,
                                3.141592653589793 - 1e-6,
                                3.141592653589793,
                                4,
                                5,
                                6};
enum { ANGLES = sizeof angles / sizeof angles[0] };

/* ---- the groups over flat arrays ---- */

struct law_group {
  const char *name;
  int nq, nv, nh; /* stored numbers, dimension, size of the matrix representation */
  int wq, wv;     /* where quaternion and rotation vector start; -1: none */
  void (*identity)(double *q);
  void (*compose)(double *q, const double *a, const double *b);
  void (*inverse)(double *q, const double *a);
  void (*exp)(double *q, const double *v);
  void (*log)(double *v, const double *q);
  void (*plus)(double *q, const double *a, const double *v);
  void (*minus)(double *v, const double *a, const double *b);
  void (*adjoint)(double *A, const double *q);
  void (*adjoint_inverse)(double *A, const double *q);
  void (*ad)(double *A, const double *v);
  void (*tan)(double *A, const double *v);
  void (*taninv)(double *A, const double *v);
  void (*dtan)(double *A, const double *v, const double *w);
  void (*dtaninvT)(double *A, const double *v, const double *l);
  void (*hat)(double *A, const double *v);
  void (*vee)(double *v, const double *A);
  void (*matrix)(double *A, const double *q); /* NULL: none */
};

#define GROUP_ADAPTER(g, n, E, load, store, M, vload, vstore)                                      \
  static void g##_law_identity(double *q) {                                                        \
    store(q, g##_identity());                                                                      \
  }                                                                                                \
  static void g##_law_compose(double *q, const double *a, const double *b) {                       \
    store(q, g##_compose(load(a), load(b)));                                                       \
  }                                                                                                \
  static void g##_law_inverse(double *q, const double *a) {                                        \
    store(q, g##_inverse(load(a)));                                                                \
  }                                                                                                \
  static void g##_law_exp(double *q, const double *v) {                                            \
    store(q, g##_exp(vload(v)));                                                                   \
  }                                                                                                \
  static void g##_law_log(double *v, const double *q) {                                            \
    vstore(v, g##_log(load(q)));                                                                   \
  }                                                                                                \
  static void g##_law_plus(double *q, const double *a, const double *v) {                          \
    store(q, g##_plus(load(a), vload(v)));                                                         \
  }                                                                                                \
  static void g##_law_minus(double *v, const double *a, const double *b) {                         \
    vstore(v, g##_minus(load(a), load(b)));                                                        \
  }                                                                                                \
  static void g##_law_put(double *A, M m) {                                                        \
    memcpy(A, m.m, sizeof m.m);                                                                    \
  }                                                                                                \
  static void g##_law_adjoint(double *A, const double *q) {                                        \
    g##_law_put(A, g##_adjoint(load(q)));                                                          \
  }                                                                                                \
  static void g##_law_adjoint_inverse(double *A, const double *q) {                                \
    g##_law_put(A, g##_adjoint_inverse(load(q)));                                                  \
  }                                                                                                \
  static void g##_law_ad(double *A, const double *v) {                                             \
    g##_law_put(A, g##_ad(vload(v)));                                                              \
  }                                                                                                \
  static void g##_law_tan(double *A, const double *v) {                                            \
    g##_law_put(A, g##_tan(vload(v)));                                                             \
  }                                                                                                \
  static void g##_law_taninv(double *A, const double *v) {                                         \
    g##_law_put(A, g##_taninv(vload(v)));                                                          \
  }                                                                                                \
  static void g##_law_dtan(double *A, const double *v, const double *w) {                          \
    g##_law_put(A, g##_dtan(vload(v), vload(w)));                                                  \
  }                                                                                                \
  static void g##_law_dtaninvT(double *A, const double *v, const double *l) {                      \
    g##_law_put(A, g##_dtaninvT(vload(v), vload(l)));                                              \
  }

GROUP_ADAPTER(so3, 3, so3, so3_load, so3_store, m3, v3_load, v3_store)
GROUP_ADAPTER(se3, 6, se3, se3_load, se3_store, m6, tw_load, tw_store)
GROUP_ADAPTER(r3so3, 6, r3so3, se3_load, se3_store, m6, tw_load, tw_store)

static void so3_law_hat(double *A, const double *v) {
  so3_law_put(A, so3_hat(v3_load(v)));
}
static void so3_law_vee(double *v, const double *A) {
  m3 V;
  memcpy(V.m, A, sizeof V.m);
  v3_store(v, so3_vee(V));
}
static void se3_law_hat(double *A, const double *v) {
  double H[4][4];
  se3_hat(H, tw_load(v));
  memcpy(A, H, sizeof H);
}
static void se3_law_vee(double *v, const double *A) {
  double H[4][4];
  memcpy(H, A, sizeof H);
  tw_store(v, se3_vee(H));
}
static void r3so3_law_hat(double *A, const double *v) {
  double H[7][7];
  r3so3_hat(H, tw_load(v));
  memcpy(A, H, sizeof H);
}
static void r3so3_law_vee(double *v, const double *A) {
  double H[7][7];
  memcpy(H, A, sizeof H);
  tw_store(v, r3so3_vee(H));
}

static void so3_law_matrix(double *A, const double *q) {
  so3_law_put(A, so3_matrix(so3_load(q)));
}
static void se3_law_matrix(double *A, const double *q) {
  double H[4][4];
  se3_matrix(H, se3_load(q));
  memcpy(A, H, sizeof H);
}
static void r3so3_law_matrix(double *A, const double *q) {
  double H[7][7];
  r3so3_matrix(H, se3_load(q));
  memcpy(A, H, sizeof H);
}

static void rn_law_identity(double *q) {
  rn_identity(q, RN);
}
static void rn_law_compose(double *q, const double *a, const double *b) {
  rn_compose(q, a, b, RN);
}
static void rn_law_inverse(double *q, const double *a) {
  rn_inverse(q, a, RN);
}
static void rn_law_exp(double *q, const double *v) {
  rn_exp(q, v, RN);
}
static void rn_law_log(double *v, const double *q) {
  rn_log(v, q, RN);
}
static void rn_law_plus(double *q, const double *a, const double *v) {
  rn_plus(q, a, v, RN);
}
static void rn_law_minus(double *v, const double *a, const double *b) {
  rn_minus(v, a, b, RN);
}
static void rn_law_adjoint(double *A, const double *q) {
  (void)q;
  rn_adjoint(A, RN);
}
static void rn_law_ad(double *A, const double *v) {
  (void)v;
  rn_ad(A, RN);
}
static void rn_law_tan(double *A, const double *v) {
  (void)v;
  rn_tan(A, RN);
}
static void rn_law_taninv(double *A, const double *v) {
  (void)v;
  rn_taninv(A, RN);
}
static void rn_law_dtan(double *A, const double *v, const double *w) {
  (void)v;
  (void)w;
  rn_dtan(A, RN);
}
static void rn_law_dtaninvT(double *A, const double *v, const double *l) {
  (void)v;
  (void)l;
  rn_dtaninvT(A, RN);
}
static void rn_law_hat(double *A, const double *v) {
  rn_hat(A, v, RN);
}
static void rn_law_vee(double *v, const double *A) {
  rn_vee(v, A, RN);
}
#define rn_law_adjoint_inverse rn_law_adjoint

#define LAW_GROUP(g, nq, nv, nh, wq, wv, matrix)                                                   \
  {                                                                                                \
#g, nq, nv, nh, wq, wv, g##_law_identity, g##_law_compose, g##_law_inverse, g##_law_exp,       \
        g##_law_log, g##_law_plus, g##_law_minus, g##_law_adjoint, g##_law_adjoint_inverse,        \
        g##_law_ad, g##_law_tan, g##_law_taninv, g##_law_dtan, g##_law_dtaninvT, g##_law_hat,      \
        g##_law_vee, matrix                                                                        \
  }

static const struct law_group groups[] = {
    LAW_GROUP(rn, RN, RN, RN + 1, -1, -1, NULL),
    LAW_GROUP(so3, 4, 3, 3, 0, 0, so3_law_matrix),
    LAW_GROUP(r3so3, 7, 6, 7, 3, 3, r3so3_law_matrix),
    LAW_GROUP(se3, 7, 6, 4, 3, 3, se3_law_matrix),
};
enum { GROUPS = sizeof groups / sizeof groups[0] };

/* ---- small helpers ---- */

static inline double size_of(const double *a, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s = check_max(s, fabs(a[i]));
  return s;
}

static inline double differ(const double *a, const double *b, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s = check_max(s, fabs(a[i] - b[i]));
  return s;
}

/* C (rows x columns) = A (rows x inner) B. */
static inline void multiply(double *C, const double *A, const double *B, int rows, int inner,
                            int columns) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) {
      double s = 0;
      for (int k = 0; k < inner; k++) s += A[i * inner + k] * B[k * columns + j];
      C[i * columns + j] = s;
    }
}

/* Random algebra element: translation in [-1, 1], rotation of the given angle. */
static inline void random_vector(const struct law_group *g, double *v, double angle,
                                 check_rng *rng) {
  for (int i = 0; i < g->nv; i++) v[i] = check_uniform(rng, -1, 1);
  if (g->wv < 0) return;
  v3_store(v + g->wv, v3_scale(v3_unit(v3_load(v + g->wv)), angle));
}

static inline void random_element(const struct law_group *g, double *q, check_rng *rng) {
  double v[MAXV];
  random_vector(g, v, check_uniform(rng, 0, 3), rng);
  g->exp(q, v);
}

/* A law returns its defect at a random point of the given angle, divided by its scale. */
typedef double law_function(const struct law_group *g, double angle, check_rng *rng);

/* Worst defect of a law for every group, angle up to `largest` and random direction, in `unit`. */
static inline void hold(const char *name, law_function *law, double largest, double unit,
                        double bound) {
  for (int k = 0; k < GROUPS; k++) {
    check_rng rng = {42};
    double worst = 0;
    for (int i = 0; i < ANGLES && angles[i] <= largest; i++)
      for (int j = 0; j < TRIES; j++)
        worst = check_max(worst, law(&groups[k], angles[i], &rng) / unit);
    char label[64];
    snprintf(label, sizeof label, "%s: %s", groups[k].name, name);
    check_report(label, worst, bound);
    CHECK_LE(worst, bound);
  }
}

#endif
