/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_BUILTINS_H
#define TORSOR_SCENE_BUILTINS_H

/** The functions that every expression has. */

#include "scene/jet.h"

/** Those of one argument come first, then those of two, then those of any number. */
typedef enum builtin {
  F_SIN,
  F_COS,
  F_TAN,
  F_ASIN,
  F_ACOS,
  F_ATAN,
  F_SINH,
  F_COSH,
  F_TANH,
  F_ASINH,
  F_ACOSH,
  F_ATANH,
  F_EXP,
  F_LOG,
  F_LN,
  F_LOG2,
  F_LOG10,
  F_SQRT,
  F_ABS,
  F_SIGN,
  F_RINT,
  F_FLOOR,
  F_CEIL,
  F_ATAN2,
  F_MOD,
  F_MIN,
  F_MAX,
  F_SUM,
  F_AVG,
  BUILTINS
} builtin;

extern const char *const builtin_names[BUILTINS];

/** Index of the function `name`; BUILTINS = there is none. */
builtin builtin_find(const char *name);

/** Number of arguments; 0 = any number from 1 on. */
static inline int builtin_arguments(builtin f) {
  return f < F_ATAN2 ? 1 : f < F_MIN ? 2 : 0;
}

/** Value of a function of one argument. */
double builtin_value(builtin f, double x);
/** Value of a function of two arguments, or of two of the arguments of one that takes any number:
 *  avg adds here. */
double builtin_value2(builtin f, double x, double y);

/** The same with derivatives. */
jet builtin_jet(builtin f, jet a);
jet builtin_jet2(builtin f, jet a, jet b);

/** Is the function smooth wherever it is finite? */
static inline bool builtin_is_smooth(builtin f) {
  return f < F_ABS || f == F_ATAN2 || f == F_SUM || f == F_AVG;
}

#endif
