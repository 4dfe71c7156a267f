/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/builtins.h"

#include <string.h>

const char *const builtin_names[BUILTINS] = {
    "sin",   "cos",   "tan",  "asin",  "acos", "atan", "sinh",  "cosh", "tanh", "asinh",
    "acosh", "atanh", "exp",  "log",   "ln",   "log2", "log10", "sqrt", "abs",  "sign",
    "rint",  "floor", "ceil", "atan2", "mod",  "min",  "max",   "sum",  "avg"};

builtin builtin_find(const char *name) {
  int i = 0;
  while (i < BUILTINS && strcmp(builtin_names[i], name) != 0) ++i;
  return (builtin)i;
}

/* ---- values ---------------------------------------------------------------------------------- */

static double sign_of(double x) {
  return isnan(x) ? x : (x > 0) - (x < 0);
}

static double hyperbolic_value(builtin f, double x) {
  switch (f) {
  case F_SINH:
    return sinh(x);
  case F_COSH:
    return cosh(x);
  case F_TANH:
    return tanh(x);
  case F_ASINH:
    return asinh(x);
  case F_ACOSH:
    return acosh(x);
  default:
    return atanh(x);
  }
}

static double piecewise_value(builtin f, double x) {
  switch (f) {
  case F_ABS:
    return fabs(x);
  case F_SIGN:
    return sign_of(x);
  case F_RINT:
    return floor(x + 0.5);
  case F_FLOOR:
    return floor(x);
  default:
    return ceil(x);
  }
}

double builtin_value(builtin f, double x) {
  switch (f) {
  case F_SIN:
    return sin(x);
  case F_COS:
    return cos(x);
  case F_TAN:
    return tan(x);
  case F_ASIN:
    return asin(x);
  case F_ACOS:
    return acos(x);
  case F_ATAN:
    return atan(x);
  case F_EXP:
    return exp(x);
  case F_LOG:
  case F_LN:
    return log(x);
  case F_LOG2:
    return log2(x);
  case F_LOG10:
    return log10(x);
  case F_SQRT:
    return sqrt(x);
  default:
    return f < F_EXP ? hyperbolic_value(f, x) : piecewise_value(f, x);
  }
}

double builtin_value2(builtin f, double x, double y) {
  switch (f) {
  case F_ATAN2:
    return atan2(x, y);
  case F_MOD:
    return x - y * floor(x / y);
  case F_MIN:
    return x > y || isnan(y) ? y : x;
  case F_MAX:
    return y > x || isnan(y) ? y : x;
  default:
    return x + y;
  }
}

/* ---- derivatives ----------------------------------------------------------------------------- */

static jet call_trigonometric(builtin f, jet a) {
  const double x = a.value, s = sin(x), c = cos(x), t = tan(x), w = 1 - x * x;
  switch (f) {
  case F_SIN:
    return jet_chain(s, c, -s, a);
  case F_COS:
    return jet_chain(c, -s, -c, a);
  case F_TAN:
    return jet_chain(t, 1 + t * t, 2 * t * (1 + t * t), a);
  case F_ASIN:
    return jet_chain(asin(x), 1 / sqrt(w), x / (w * sqrt(w)), a);
  case F_ACOS:
    return jet_chain(acos(x), -1 / sqrt(w), -x / (w * sqrt(w)), a);
  default:
    return jet_chain(atan(x), 1 / (1 + x * x), -2 * x / ((1 + x * x) * (1 + x * x)), a);
  }
}

static jet call_hyperbolic(builtin f, jet a) {
  const double x = a.value, t = tanh(x), v = x * x + 1, u = x * x - 1, w = 1 - x * x;
  switch (f) {
  case F_SINH:
    return jet_chain(sinh(x), cosh(x), sinh(x), a);
  case F_COSH:
    return jet_chain(cosh(x), sinh(x), cosh(x), a);
  case F_TANH:
    return jet_chain(t, 1 - t * t, -2 * t * (1 - t * t), a);
  case F_ASINH:
    return jet_chain(asinh(x), 1 / sqrt(v), -x / (v * sqrt(v)), a);
  case F_ACOSH:
    return jet_chain(acosh(x), 1 / sqrt(u), -x / (u * sqrt(u)), a);
  default:
    return jet_chain(atanh(x), 1 / w, 2 * x / (w * w), a);
  }
}

static jet call_logarithm(double value, double base, jet a) {
  const double f1 = 1 / (a.value * base);
  return jet_chain(value, f1, -f1 / a.value, a);
}

jet builtin_jet(builtin f, jet a) {
  const double x = a.value, root = sqrt(x);
  switch (f) {
  case F_EXP:
    return jet_chain(exp(x), exp(x), exp(x), a);
  case F_LOG:
  case F_LN:
    return call_logarithm(log(x), 1, a);
  case F_LOG2:
    return call_logarithm(log2(x), log(2), a);
  case F_LOG10:
    return call_logarithm(log10(x), log(10), a);
  case F_SQRT:
    return jet_chain(root, 0.5 / root, -0.25 / (root * x), a);
  case F_ABS:
    return jet_absolute(a);
  case F_SIGN:
    return jet_number(sign_of(x));
  case F_RINT:
    return jet_number(floor(x + 0.5));
  case F_FLOOR:
    return jet_number(floor(x));
  case F_CEIL:
    return jet_number(ceil(x));
  default:
    return f <= F_ATAN ? call_trigonometric(f, a) : call_hyperbolic(f, a);
  }
}

jet builtin_jet2(builtin f, jet a, jet b) {
  switch (f) {
  case F_ATAN2:
    return jet_atan2(a, b);
  case F_MOD:
    return jet_add(a, jet_scale(-floor(a.value / b.value), b));
  case F_MIN:
    return jet_is_above(a, b) || isnan(b.value) ? b : a;
  case F_MAX:
    return jet_is_above(b, a) || isnan(b.value) ? b : a;
  default:
    return jet_add(a, b);
  }
}
