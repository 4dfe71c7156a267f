/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Constants of a shell element by its reference shape: stiffness of its 20 strain products, with
 * four enhanced membrane strains eliminated, and inertia. */

#include <math.h>
#include <string.h>

#include "elements/shell_shape.h"

enum { ENHANCED = 4 };

/* A point of the reference surface: derivatives along local Cartesian axes l_1, l_2 of the tangent
 * plane, l_1 the projection of the element's first axis. */
typedef struct point {
  double xi, eta, area; /* area per d(xi) d(eta) */
  double slope[2][2];   /* d/dl_c = sum slope[c][a] d/dxi_a */
} point;

/* The element's axes in the plane of its centre: the first one along x,1. */
typedef struct frame {
  v3 first, second, normal;
} frame;

static void find_point(point *p, const v3 x[3], v3 first, double xi, double eta) {
  const v3 d1 = v3_axpy(eta, x[2], x[0]), d2 = v3_axpy(xi, x[2], x[1]), n = v3_cross(d1, d2);
  const v3 unit = v3_unit(n);
  const v3 l1 = v3_unit(v3_axpy(-v3_dot(first, unit), unit, first)), l2 = v3_cross(unit, l1);
  const double J[2][2] = {{v3_dot(d1, l1), v3_dot(d1, l2)}, {v3_dot(d2, l1), v3_dot(d2, l2)}};
  const double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
  p->xi = xi, p->eta = eta;
  p->area = v3_norm(n);
  p->slope[0][0] = J[1][1] / det, p->slope[0][1] = -J[0][1] / det;
  p->slope[1][0] = -J[1][0] / det, p->slope[1][1] = J[0][0] / det;
}

/* Takes covariant strains (11, 22, twice 12) to those along l_1, l_2. */
static void turn_strains(double V[3][3], const double slope[2][2]) {
  const double a = slope[0][0], b = slope[0][1], c = slope[1][0], d = slope[1][1];
  const double rows[3][3] = {
      {a * a, b * b, a * b}, {c * c, d * d, c * d}, {2 * a * c, 2 * b * d, a * d + b * c}};
  memcpy(V, rows, sizeof rows);
}

/* Strains along l_1, l_2 of the six products: V P, P the covariant ones. */
static void strains_of_products(double out[3][6], const point *p) {
  const double xi = p->xi, eta = p->eta;
  const double P[3][6] = {
      {1, 0, 0, eta, 0, eta * eta}, {0, 1, 0, 0, xi, xi * xi}, {0, 0, 1, xi, eta, 2 * xi * eta}};
  double V[3][3];
  turn_strains(V, p->slope);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 6; ++j)
      out[i][j] = V[i][0] * P[0][j] + V[i][1] * P[1][j] + V[i][2] * P[2][j];
}

/* C += w X^T S Y, X [3 x m], Y [3 x n]; leading dimensions of all are given by the columns. */
static void add_product(double *C, int ld, double w, const double *X, int m, double S[3][3],
                        const double *Y, int n) {
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      double sum = 0;
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l) sum += X[k * m + i] * S[k][l] * Y[l * n + j];
      C[i * ld + j] += w * sum;
    }
}

/* The enhanced membrane strains at a point: j_0/j V_0 (xi; eta; xi, eta in the shear). */
static void enhanced_strains(double out[3][ENHANCED], const point *p, const point *centre) {
  const double M[3][ENHANCED] = {{p->xi, 0, 0, 0}, {0, p->eta, 0, 0}, {0, 0, p->xi, p->eta}};
  double V[3][3];
  turn_strains(V, centre->slope);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < ENHANCED; ++j)
      out[i][j] =
          centre->area / p->area * (V[i][0] * M[0][j] + V[i][1] * M[1][j] + V[i][2] * M[2][j]);
}

/* L of A = L L^T, in place. */
static void cholesky(double A[ENHANCED][ENHANCED]) {
  for (int i = 0; i < ENHANCED; ++i)
    for (int j = 0; j <= i; ++j) {
      double sum = A[i][j];
      for (int k = 0; k < j; ++k) sum -= A[i][k] * A[j][k];
      A[i][j] = i == j ? sqrt(sum) : sum / A[j][j];
    }
}

/* plane -= H D^-1 H^T. */
static void eliminate(shell_constants *c, double H[SHELL_PLANE][ENHANCED],
                      double D[ENHANCED][ENHANCED]) {
  cholesky(D);
  for (int i = 0; i < SHELL_PLANE; ++i) /* H L^-T */
    for (int j = 0; j < ENHANCED; ++j) {
      for (int k = 0; k < j; ++k) H[i][j] -= H[i][k] * D[j][k];
      H[i][j] /= D[j][j];
    }
  for (int i = 0; i < SHELL_PLANE; ++i)
    for (int j = 0; j < SHELL_PLANE; ++j)
      for (int k = 0; k < ENHANCED; ++k) c->plane[i][j] -= H[i][k] * H[j][k];
}

static void add_shear(shell_constants *c, const point *p, const shell_section *section) {
  const double P[2][4] = {{(1 - p->eta) / 2, (1 + p->eta) / 2, 0, 0},
                          {0, 0, (1 - p->xi) / 2, (1 + p->xi) / 2}};
  double g[2][4];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) g[i][j] = p->slope[i][0] * P[0][j] + p->slope[i][1] * P[1][j];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 2; ++k)
        for (int l = 0; l < 2; ++l)
          c->shear[i][j] += p->area * g[k][i] * section->S[k][l] * g[l][j];
}

static void add_inertia(shell_constants *c, const double N[SHELL_NODES], double area,
                        const shell_section *s) {
  for (int i = 0; i < SHELL_NODES; ++i) {
    c->moment[i] += area * N[i] * s->moment;
    c->turning[i] += area * N[i] * s->turning;
    for (int j = 0; j < SHELL_NODES; ++j)
      c->mass[i][s->lumped ? i : j] += area * N[i] * N[j] * s->mass;
  }
}

static void integrate(shell_constants *c, const shell_section *s, const v3 x[3], v3 first) {
  double H[SHELL_PLANE][ENHANCED] = {{0}}, D[ENHANCED][ENHANCED] = {{0}};
  point centre;
  shell_section own = *s; /* matrices of a value that is not const */
  find_point(&centre, x, first, 0, 0);
  memcpy(c->middle, centre.slope, sizeof c->middle);
  for (int g = 0; g < 4; ++g) {
    double e[3][6], m[3][ENHANCED];
    point p;
    find_point(&p, x, first, SHELL_GAUSS * shell_xi[g], SHELL_GAUSS * shell_eta[g]);
    memcpy(c->slope[g], p.slope, sizeof p.slope);
    strains_of_products(e, &p);
    enhanced_strains(m, &p, &centre);
    double *const plane = &c->plane[0][0];
    add_product(plane, SHELL_PLANE, p.area, &e[0][0], 6, own.A, &e[0][0], 6);
    add_product(plane + 6, SHELL_PLANE, p.area, &e[0][0], 6, own.B, &e[0][0], 6);
    add_product(plane + 6 * SHELL_PLANE, SHELL_PLANE, p.area, &e[0][0], 6, own.B, &e[0][0], 6);
    add_product(plane + 6 * SHELL_PLANE + 6, SHELL_PLANE, p.area, &e[0][0], 6, own.D, &e[0][0], 6);
    add_product(&H[0][0], ENHANCED, p.area, &e[0][0], 6, own.A, &m[0][0], ENHANCED);
    add_product(&H[6][0], ENHANCED, p.area, &e[0][0], 6, own.B, &m[0][0], ENHANCED);
    add_product(&D[0][0], ENHANCED, p.area, &m[0][0], ENHANCED, own.A, &m[0][0], ENHANCED);
    add_shear(c, &p, s);
    c->drill[g] = p.area * s->drill;
    add_inertia(c, shell_at_gauss[g], p.area, s);
  }
  eliminate(c, H, D);
  for (int i = 0; i < 36; ++i) c->coupled |= c->plane[i / 6][6 + i % 6] != 0;
}

/* Does the surface keep its side at the four corners? */
static const char *find_fault(const v3 x[3], v3 normal) {
  double least = HUGE_VAL, most = 0;
  for (int i = 0; i < SHELL_NODES; ++i) {
    const v3 d1 = v3_axpy(shell_eta[i], x[2], x[0]), d2 = v3_axpy(shell_xi[i], x[2], x[1]);
    const double area = v3_dot(v3_cross(d1, d2), normal);
    least = fmin(least, area), most = fmax(most, area);
  }
  if (!(most > 0)) return "has no area";
  return least > 0 ? NULL : "is folded, or has a corner of 180 degrees or more";
}

const char *shell_build(shell_constants *c, const shell_section *section, const v3 X[SHELL_NODES],
                        const m3 R[SHELL_NODES], const v3 normal[SHELL_NODES]) {
  v3 mode[4], relative[SHELL_NODES];
  const m3 *axes[SHELL_NODES];
  shell_shape shape;
  memset(c, 0, sizeof *c);
  for (int i = 0; i < SHELL_NODES; ++i) relative[i] = v3_sub(X[i], X[0]);
  shell_modes(mode, relative);
  const v3 n = v3_unit(v3_cross(mode[1], mode[2])), first = v3_unit(mode[1]);
  const char *fault = find_fault(mode + 1, n);
  if (fault) return fault;
  for (int i = 0; i < SHELL_NODES; ++i) {
    axes[i] = &R[i];
    c->corner[i] =
        (shell_corner){normal[i], m3_tmulv(R[i], first), m3_tmulv(R[i], v3_cross(n, first))};
  }
  integrate(c, section, mode + 1, first);
  shell_find_shape(&shape, c, relative, axes);
  shell_form(c->reference, &shape, &shape);
  for (int k = 0; k < SHELL_STRAINS; ++k) c->reference[k] /= 2;
  return NULL;
}
