/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/slide.h"

#include <string.h>

bool slide_holds(const slide_piece *p, double s) {
  return (s >= p->place[p->first] || p->begins) && (s < p->place[p->last] || p->ends);
}

/* Hermite's cubics of x = (s - s_a)/L and their derivatives by s: factors of the value and of the
 * slope (by s) at both ends. */
typedef struct hermite {
  double value[4][2], slope[4][2];
} hermite;

static hermite find_hermite(double x, double L) {
  hermite h;
  const double value[4] = {x * x * (3 - 2 * x), 6 * x * (1 - x), 6 - 12 * x, -12};
  const double slope_a[4] = {x * (1 - x) * (1 - x), (1 - x) * (1 - 3 * x), 6 * x - 4, 6};
  const double slope_b[4] = {x * x * (x - 1), x * (3 * x - 2), 6 * x - 2, 6};
  double factor = 1;
  for (int m = 0; m < 4; ++m, factor /= L) {
    h.value[m][0] = (m == 0) - factor * value[m];
    h.value[m][1] = factor * value[m];
    h.slope[m][0] = L * factor * slope_a[m];
    h.slope[m][1] = L * factor * slope_b[m];
  }
  return h;
}

/* The curve goes on along its tangent. */
static hermite find_straight(double x, double L) {
  const bool end = x > 0.5;
  hermite h = {0};
  h.value[0][end] = h.slope[1][end] = 1;
  h.slope[0][end] = L * (x - end);
  return h;
}

/* Factors of the nodes in the slope at node i of what goes through their values: that of the
 * parabola through it and its neighbours.  At an end the cubic of the last element has no curvature
 * there. */
static void find_slope(double out[SLIDE_NODES], const slide_piece *p, int i) {
  memset(out, 0, SLIDE_NODES * sizeof *out);
  if (p->count == 2) {
    out[1] = 1 / (p->place[1] - p->place[0]);
    out[0] = -out[1];
  } else if (i > 0 && i + 1 < p->count) {
    const double a = p->place[i] - p->place[i - 1], b = p->place[i + 1] - p->place[i];
    out[i - 1] = -b / (a * (a + b));
    out[i] = (b - a) / (a * b);
    out[i + 1] = a / (b * (a + b));
  } else {
    const int inner = i ? i - 1 : 1;
    const double L = p->place[inner] - p->place[i];
    double next[SLIDE_NODES];
    find_slope(next, p, inner);
    for (int k = 0; k < p->count; ++k) out[k] = -next[k] / 2;
    out[inner] += 1.5 / L;
    out[i] -= 1.5 / L;
  }
}

/* Factors of the nodes in the cubic through their values, from its derivative `order` on. */
static void weigh_values(double out[3][SLIDE_NODES], const slide_piece *p, int i, const hermite *h,
                         int order) {
  for (int end = 0; end < 2; ++end) {
    double slope[SLIDE_NODES];
    find_slope(slope, p, i + end);
    for (int m = 0; m < 3; ++m) {
      out[m][i + end] += h->value[m + order][end];
      for (int k = 0; k < p->count; ++k) out[m][k] += h->slope[m + order][end] * slope[k];
    }
  }
}

/* The curve through the places with the tangents R e_1. */
static void weigh_curve(slide_weights *out, int i, const hermite *h) {
  for (int m = 0; m < 3; ++m)
    for (int end = 0; end < 2; ++end) {
      out->c[m][i + end] = h->value[m][end];
      out->d[m][i + end] = h->slope[m][end];
    }
}

void slide_weigh(slide_weights *out, const slide_piece *p, double s) {
  int i = p->first;
  while (i + 1 < p->last && s >= p->place[i + 1]) ++i;
  const double L = p->place[i + 1] - p->place[i];
  const double x = (s - p->place[i]) / L;
  const bool straight = x < 0 || x > 1;
  const hermite h = straight ? find_straight(x, L) : find_hermite(x, L);
  memset(out, 0, sizeof *out);
  if (p->point)
    weigh_values(out->c, p, i, &h, p->turns);
  else if (!p->turns)
    weigh_curve(out, i, &h);
  else if (straight)
    out->d[0][i + (x > 1)] = 1; /* they stay those of the end */
  else
    weigh_values(out->d, p, i, &h, 0);
}
