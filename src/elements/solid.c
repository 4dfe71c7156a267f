/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/solid.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double WATER = 1000; /* kg/m^3 */

/* Moments written with six digits agree when they differ by no more. */
static const double WRITTEN = 1e-5;

/* The smaller rotation, by 45 degrees at most, that makes entry (i, j) of A = Q^T J Q zero. */
static void rotate(m3 *A, m3 *Q, int i, int j) {
  if (A->m[i][j] == 0) return;
  const double gap = A->m[i][i] - A->m[j][j];
  const double angle = atan2(copysign(2, gap) * A->m[i][j], fabs(gap)) / 2;
  m3 G = m3_identity();
  G.m[i][i] = G.m[j][j] = cos(angle);
  G.m[i][j] = -(G.m[j][i] = sin(angle));
  *A = m3_tmul(G, m3_mul(*A, G));
  *Q = m3_mul(*Q, G);
}

/* Principal moments and axes (columns of Q, right-handed) of a symmetric J by Jacobi's rotations,
 * which converge quadratically: six sweeps are more than enough for three columns. */
static v3 principal(m3 *Q, m3 J) {
  *Q = m3_identity();
  for (int sweep = 0; sweep < 6; ++sweep)
    for (int k = 0; k < 3; ++k) rotate(&J, Q, (k + 1) % 3, (k + 2) % 3);
  return (v3){J.m[0][0], J.m[1][1], J.m[2][2]};
}

static bool agree(double a, double b) {
  return fabs(a - b) <= WRITTEN * fmax(fabs(a), fabs(b));
}

static double root(double square) {
  return sqrt(fmax(square, 0));
}

/* Columns of Q in the order i, i + 1, i + 2. */
static m3 turn_columns(m3 Q, int i) {
  return m3_transpose(
      m3_rows(m3_column(Q, i), m3_column(Q, (i + 1) % 3), m3_column(Q, (i + 2) % 3)));
}

/* Sizes from moments of inertia: a box with the extents a, b, c has Jx = m (b^2 + c^2)/12 and so
 * on; a cylinder has m d^2/8 about its axis and m (d^2/16 + l^2/12) across it; a sphere m
 * d^2/10. */
void solid_equimomental(torsor_solid *out, double mass, m3 J, v3 c) {
  m3 Q;
  const v3 p = principal(&Q, J);
  const double moment[3] = {p.x, p.y, p.z}, half = (p.x + p.y + p.z) / 2;
  *out =
      (torsor_solid){.kind = TORSOR_SOLID_BOX, .frame.x = c, .color.x = nan(""), .guessed = true};
  int axis = 0; /* the moment that differs from the two others */
  while (axis < 3 && !agree(moment[(axis + 1) % 3], moment[(axis + 2) % 3])) ++axis;
  if (agree(p.x, p.y) && agree(p.y, p.z)) {
    const double d = root(20 * half / (3 * mass));
    out->kind = TORSOR_SOLID_SPHERE;
    out->size = (v3){d, d, d};
  } else if (axis < 3) {
    const double along = moment[axis], across = half - along / 2, d = root(8 * along / mass);
    out->kind = TORSOR_SOLID_CYLINDER;
    out->size = (v3){d, d, root(12 * (across - along / 2) / mass)};
    Q = turn_columns(Q, (axis + 1) % 3);
  } else {
    const double f = 12 / mass;
    out->size = (v3){root(f * (half - p.x)), root(f * (half - p.y)), root(f * (half - p.z))};
  }
  out->frame.R = so3_from_matrix(Q);
}

void solid_guess_ball(torsor_solid *out, double mass) {
  const double d = cbrt(6 * mass / (PI * WATER));
  *out = (torsor_solid){.kind = TORSOR_SOLID_SPHERE,
                        .size = {d, d, d},
                        .frame = se3_identity(),
                        .color.x = nan(""),
                        .guessed = true};
}

double solid_guess_radius(double density) {
  return sqrt(density / (PI * WATER));
}
