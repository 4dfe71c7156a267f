/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/reduce/solids.h"

#include <math.h>

/* Points of hexahedra are at +- GAUSS, those of tetrahedra of 10 nodes have the volume coordinates
 * NEAR once and FAR three times. */
static const double GAUSS = 0.57735026918962576451;
static const double NEAR = 0.58541019662496845446, FAR = 0.13819660112501051518;

/* Nodes of hexahedra; the first eight are the order of the points, too. */
static const signed char corner[SOLID_NODES][3] = {
    {-1, -1, -1}, {1, -1, -1}, {1, 1, -1},  {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1},
    {-1, 1, 1},   {0, -1, -1}, {1, 0, -1},  {0, 1, -1},  {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},
    {0, 1, 1},    {-1, 0, 1},  {-1, -1, 0}, {1, -1, 0},  {1, 1, 0},   {-1, 1, 0}};

/* Corners beside the middle nodes of tetrahedra. */
static const unsigned char side[6][2] = {{0, 1}, {1, 2}, {2, 0}, {0, 3}, {1, 3}, {2, 3}};

int solid_points(int nodes) {
  return nodes == 4 ? 1 : nodes == 10 ? 4 : nodes == 8 || nodes == 20 ? 8 : 0;
}

/* Derivatives by the coordinates of a hexahedron at x. */
static void hexahedron(double d[SOLID_NODES][3], const double x[3], int nodes) {
  for (int i = 0; i < nodes; ++i) {
    double f[3], df[3], sum = 1;
    bool middle = false;
    for (int k = 0; k < 3; ++k) {
      const double c = corner[i][k];
      middle = middle || corner[i][k] == 0;
      f[k] = corner[i][k] ? (1 + c * x[k]) / 2 : 1 - x[k] * x[k];
      df[k] = corner[i][k] ? c / 2 : -2 * x[k];
    }
    const bool quadratic = nodes > 8 && !middle;
    if (quadratic) sum = corner[i][0] * x[0] + corner[i][1] * x[1] + corner[i][2] * x[2] - 2;
    for (int k = 0; k < 3; ++k) {
      const double others = f[(k + 1) % 3] * f[(k + 2) % 3];
      d[i][k] = others * (df[k] * sum + (quadratic ? f[k] * corner[i][k] : 0));
    }
  }
}

/* Derivatives by the last three volume coordinates of a tetrahedron at the coordinates v. */
static void tetrahedron(double d[SOLID_NODES][3], const double v[4], int nodes) {
  static const signed char slope[4][3] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int k = 0; k < 3; ++k) {
    for (int i = 0; i < 4; ++i) d[i][k] = slope[i][k] * (nodes > 4 ? 4 * v[i] - 1 : 1);
    for (int i = 4; i < nodes; ++i) {
      const int a = side[i - 4][0], b = side[i - 4][1];
      d[i][k] = 4 * (slope[a][k] * v[b] + v[a] * slope[b][k]);
    }
  }
}

double solid_gradients(double g[SOLID_NODES][3], const v3 *x, int nodes, int point) {
  const bool flat = nodes == 8 || nodes == 20; /* faces of four corners */
  double d[SOLID_NODES][3], part = 1;
  if (flat) {
    double at[3];
    for (int k = 0; k < 3; ++k) at[k] = GAUSS * corner[point][k];
    hexahedron(d, at, nodes);
  } else {
    double at[4];
    for (int k = 0; k < 4; ++k) at[k] = nodes == 4 ? 0.25 : k == point ? NEAR : FAR;
    tetrahedron(d, at, nodes);
    part = 1.0 / 6 / solid_points(nodes);
  }
  m3 J = m3_zero();
  for (int i = 0; i < nodes; ++i)
    for (int a = 0; a < 3; ++a) {
      J.m[a][0] += d[i][a] * x[i].x;
      J.m[a][1] += d[i][a] * x[i].y;
      J.m[a][2] += d[i][a] * x[i].z;
    }
  const double volume = v3_dot(v3_load(J.m[0]), v3_cross(v3_load(J.m[1]), v3_load(J.m[2])));
  if (!(volume > 0)) return volume;
  const m3 inverse = m3_inverse(J);
  for (int i = 0; i < nodes; ++i) v3_store(g[i], m3_mulv(inverse, v3_load(d[i])));
  return part * volume;
}

/* Volume coordinates of a node of a tetrahedron. */
static double volume_coordinate(int node, int k) {
  if (node < 4) return node == k;
  return (side[node - 4][0] == k || side[node - 4][1] == k) / 2.0;
}

void solid_weights(double w[SOLID_POINTS], int nodes, int node) {
  const int points = solid_points(nodes);
  for (int p = 0; p < points; ++p) {
    w[p] = 1;
    if (points == 4) w[p] = (volume_coordinate(node, p) - FAR) / (NEAR - FAR);
    if (points == 8)
      for (int k = 0; k < 3; ++k) w[p] *= (1 + corner[p][k] * corner[node][k] / GAUSS) / 2;
  }
}
