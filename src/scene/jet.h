/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_JET_H
#define TORSOR_SCENE_JET_H

/** Arithmetic of values with two derivatives.  A derivative that is zero stays zero whatever it is
 *  multiplied with: sqrt(max(0, x)) has the slope 0 where x < 0, though that of sqrt at 0 is
 *  infinite. */

#include <math.h>
#include <stdbool.h>

/** A value and its derivatives by one variable, or along a curve of the variables. */
typedef struct jet {
  double value, first, second;
} jet;

static inline double jet_part(double slope, double change) {
  return change < 0 || change > 0 || isnan(change) ? slope * change : 0;
}

/* f(a) for f with the derivatives f1 and f2 at a. */
static inline jet jet_chain(double f, double f1, double f2, jet a) {
  return (jet){f, jet_part(f1, a.first), jet_part(f1, a.second) + jet_part(f2, a.first * a.first)};
}

static inline jet jet_number(double value) {
  return (jet){value, 0, 0};
}

static inline jet jet_add(jet a, jet b) {
  return (jet){a.value + b.value, a.first + b.first, a.second + b.second};
}

static inline jet jet_scale(double s, jet a) {
  return (jet){s * a.value, s * a.first, s * a.second};
}

static inline jet jet_multiply(jet a, jet b) {
  return (jet){a.value * b.value, jet_part(b.value, a.first) + jet_part(a.value, b.first),
               jet_part(b.value, a.second) + 2 * a.first * b.first + jet_part(a.value, b.second)};
}

static inline jet jet_divide(jet a, jet b) {
  const double y = 1 / b.value;
  jet out = jet_multiply(a, jet_chain(y, -y * y, 2 * y * y * y, b));
  out.value = a.value / b.value;
  return out;
}

static inline bool jet_is_constant(jet a) {
  return a.first == 0 && a.second == 0;
}

/* a^b; squares and cubes are products, which round less. */
static inline double jet_raise(double a, double b) {
  return b == 2 ? a * a : b == 3 ? a * a * a : pow(a, b);
}

/* a^b for a number b; powers with a factor of 0 before them are none. */
static inline jet jet_power_of(jet a, double b) {
  if (b == 2) return jet_chain(a.value * a.value, 2 * a.value, 2, a);
  if (b == 3) return jet_chain(a.value * a.value * a.value, 3 * a.value * a.value, 6 * a.value, a);
  const double f1 = jet_part(pow(a.value, b - 1), b);
  return jet_chain(pow(a.value, b), f1, jet_part(pow(a.value, b - 2), b * (b - 1)), a);
}

/* a^b = exp(b log a), with a^b log a = 0 at a = 0 for b > 0. */
static inline jet jet_power(jet a, jet b) {
  if (jet_is_constant(b)) return jet_power_of(a, b.value);
  const double y = pow(a.value, b.value);
  const double l = a.value == 0 && b.value > 0 ? 0 : log(a.value);
  if (jet_is_constant(a)) return jet_chain(y, y * l, y * l * l, b);
  jet out = jet_add(jet_power_of(a, b.value), jet_chain(0, y * l, y * l * l, b));
  out.value = y;
  out.second += 2 * pow(a.value, b.value - 1) * (1 + b.value * l) * a.first * b.first;
  return out;
}

/* Which one is greater where the variable grows? */
static inline bool jet_is_above(jet a, jet b) {
  if (a.value < b.value || a.value > b.value) return a.value > b.value;
  if (a.first < b.first || a.first > b.first) return a.first > b.first;
  return a.second > b.second;
}

static inline jet jet_absolute(jet a) {
  return jet_is_above(jet_number(0), a) ? jet_scale(-1, a) : a;
}

/* atan2(a, b): D = (b a' - a b')/w, w = a^2 + b^2. */
static inline jet jet_atan2(jet a, jet b) {
  const double w = a.value * a.value + b.value * b.value;
  const double N = jet_part(b.value, a.first) - jet_part(a.value, b.first);
  const double dN = jet_part(b.value, a.second) - jet_part(a.value, b.second);
  const double dw = 2 * (jet_part(a.value, a.first) + jet_part(b.value, b.first));
  return (jet){atan2(a.value, b.value), N == 0 ? 0 : N / w,
               (dN == 0 ? 0 : dN / w) - (N * dw == 0 ? 0 : N * dw / (w * w))};
}

#endif
