/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/touch.h"

/* Cores have a finite number of vertices, so that the iteration ends by itself; this is far beyond
 * what it takes. */
enum { MOST_PASSES = 256 };

/* The iteration ends where no vertex leads nearer to the origin by more than this part of the
 * squared distance, which is rounding. */
#define NEAR_ENOUGH 1e-14

/* Directions whose Gram determinant is below this part of the product of their squares are parallel
 * within rounding: a simplex with fewer vertices has the same points. */
#define PARALLEL 1e-13

/* Squared distance below this part of the square of the largest vertex: the cores overlap. */
#define OVERLAP 1e-28

int touch_vertices(const touch_shape *shape) {
  switch (shape->kind) {
  case TOUCH_BOX:
    return 8;
  case TOUCH_HULL:
    return shape->vertices;
  case TOUCH_CAPSULE:
    return 2;
  case TOUCH_SPHERE:
    return 1;
  default:
    return 0;
  }
}

v3 touch_vertex(const touch_shape *shape, int i) {
  const v3 h = shape->half;
  switch (shape->kind) {
  case TOUCH_BOX:
    return (v3){i & 1 ? h.x : -h.x, i & 2 ? h.y : -h.y, i & 4 ? h.z : -h.z};
  case TOUCH_HULL:
    return shape->vertex[i];
  case TOUCH_CAPSULE:
    return (v3){0, 0, i ? h.z : -h.z};
  default:
    return v3_zero();
  }
}

/* The vertex that is farthest along `way`. */
static int farthest(const touch_shape *shape, v3 way) {
  int best = 0;
  double most = v3_dot(way, touch_vertex(shape, 0));
  for (int i = 1; i < touch_vertices(shape); ++i) {
    const double along = v3_dot(way, touch_vertex(shape, i));
    if (!(along > most)) continue;
    most = along;
    best = i;
  }
  return best;
}

/* Solves the symmetric system G x = g of order n <= 3 by cofactors; false where it is singular. */
static bool solve(double x[3], double G[3][3], const double g[3], int n) {
  double scale = 1, det;
  for (int i = 0; i < n; ++i) scale *= G[i][i];
  if (n == 1) {
    x[0] = g[0] / G[0][0];
    return G[0][0] > 0;
  }
  if (n == 2) {
    det = G[0][0] * G[1][1] - G[0][1] * G[0][1];
    x[0] = (g[0] * G[1][1] - g[1] * G[0][1]) / det;
    x[1] = (g[1] * G[0][0] - g[0] * G[0][1]) / det;
    return det > PARALLEL * scale;
  }
  const v3 a = v3_load(G[0]), b = v3_load(G[1]), c = v3_load(G[2]), r = v3_load(g);
  det = v3_dot(a, v3_cross(b, c));
  x[0] = v3_dot(r, v3_cross(b, c)) / det;
  x[1] = v3_dot(a, v3_cross(r, c)) / det;
  x[2] = v3_dot(a, v3_cross(b, r)) / det;
  return det > PARALLEL * scale;
}

/* The point of the affine hull of the vertices `member` that is nearest to the origin; false unless
 * it is inside of their hull. */
static bool project(double weight[4], v3 *out, const v3 y[4], const int *member, int count) {
  double G[3][3], g[3], x[3];
  v3 E[3];
  const v3 y0 = y[member[0]];
  for (int i = 1; i < count; ++i) E[i - 1] = v3_sub(y[member[i]], y0);
  for (int i = 0; i < count - 1; ++i) {
    g[i] = -v3_dot(E[i], y0);
    for (int j = 0; j < count - 1; ++j) G[i][j] = v3_dot(E[i], E[j]);
  }
  if (count > 1 && !solve(x, G, g, count - 1)) return false;
  weight[0] = 1;
  *out = y0;
  for (int i = 1; i < count; ++i) {
    if (!(x[i - 1] > 0)) return false;
    weight[i] = x[i - 1];
    weight[0] -= x[i - 1];
    *out = v3_axpy(x[i - 1], E[i - 1], *out);
  }
  return weight[0] > 0;
}

/* Reduces the simplex to the vertices between which the nearest point to the origin is; returns
 * that point. */
static v3 reduce(touch_simplex *s) {
  v3 y[4], nearest = v3_zero();
  double least = HUGE_VAL;
  touch_simplex best = *s;
  for (int i = 0; i < s->count; ++i) y[i] = v3_sub(s->b[i], s->a[i]);
  for (int mask = 1; mask < 1 << s->count; ++mask) {
    int member[4], count = 0;
    double weight[4];
    v3 at;
    for (int i = 0; i < s->count; ++i)
      if (mask >> i & 1) member[count++] = i;
    if (!project(weight, &at, y, member, count) || !(v3_norm2(at) < least)) continue;
    least = v3_norm2(at);
    nearest = at;
    best.count = count;
    for (int i = 0; i < count; ++i) {
      best.a[i] = s->a[member[i]];
      best.b[i] = s->b[member[i]];
      best.id_a[i] = s->id_a[member[i]];
      best.id_b[i] = s->id_b[member[i]];
      best.weight[i] = weight[i];
    }
  }
  *s = best;
  return nearest;
}

static bool has(const touch_simplex *s, int id_a, int id_b) {
  for (int i = 0; i < s->count; ++i)
    if (s->id_a[i] == id_a && s->id_b[i] == id_b) return true;
  return false;
}

static void add(touch_simplex *s, const touch_shape *a, const touch_shape *b, const m3 *R, v3 p,
                int id_a, int id_b) {
  const int k = s->count++;
  s->id_a[k] = id_a;
  s->id_b[k] = id_b;
  s->a[k] = touch_vertex(a, id_a);
  s->b[k] = v3_add(p, m3_mulv(*R, touch_vertex(b, id_b)));
}

void touch_nearest(touch_simplex *out, const touch_shape *a, const touch_shape *b, const m3 *R,
                   v3 p) {
  touch_simplex s = {0};
  add(&s, a, b, R, p, 0, 0);
  v3 v = reduce(&s);
  double largest = v3_norm2(v);
  for (int pass = 0; pass < MOST_PASSES; ++pass) {
    const double square = v3_norm2(v);
    if (s.count > 3 || !(square > OVERLAP * largest)) {
      s.count = 0;
      break;
    }
    touch_simplex next = s;
    const int id_a = farthest(a, v), id_b = farthest(b, m3_tmulv(*R, v3_neg(v)));
    if (has(&s, id_a, id_b)) break;
    add(&next, a, b, R, p, id_a, id_b);
    const v3 w = v3_sub(next.b[s.count], next.a[s.count]);
    largest = fmax(largest, v3_norm2(w));
    if (!(square - v3_dot(v, w) > NEAR_ENOUGH * square)) break;
    const v3 nearer = reduce(&next);
    if (!(v3_norm2(nearer) < square)) break;
    s = next;
    v = nearer;
  }
  *out = s;
}
