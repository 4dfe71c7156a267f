/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_EXPRESSION_H
#define TORSOR_SCENE_EXPRESSION_H

#include <stdbool.h>

#include <torsor/base.h>

#include "scene/jet.h"

/** Longest name of a parameter, and longest word (a name, or several joined by dots), in bytes. */
enum { EXPRESSION_NAME = 63, EXPRESSION_WORD = 127 };

/** The name of the time in functions of time. */
#define EXPRESSION_TIME "t"

/** The name of the load in functions. */
#define EXPRESSION_LOAD "load"

/** A function of the scene: another expression, or a table. */
typedef struct expression_function {
  const char *name;
  int arguments;
  const char *const *argument; /* [arguments] their names */
  bool of_time;                /* `name` alone is its value at the time */
  /** An expression in the arguments, with given derivatives by the only one or NULL; or else: */
  const char *text, *rate, *second;
  /** Value at x [arguments], 1 or 2 of them, with the gradient [arguments] and, for two, the
   *  derivatives xx, xy, yy; both may be NULL. */
  double (*eval)(const void *self, const double *x, double *first, double *second);
  /** A number that changes its sign where the function has a kink. */
  double (*kink)(const void *self, const double *x);
  const void *self;
} expression_function;

typedef struct expression_functions {
  const expression_function **item; /* [count] NULL where expressions cannot call it */
  int count;
} expression_functions;

/** Names that an expression may use beside pi, e, deg and the functions; those of `outer` as well,
 *  unless they are hidden. */
typedef struct expression_scope {
  int count;
  const char **name;
  double *value;
  bool varies; /* `value` changes after an expression is compiled */
  int own;     /* the first names, which the texts of functions of the scene do not see */
  /** [input_count] names of inputs, refused here because inputs change during a run. */
  const char *const *inputs;
  int input_count;
  const expression_functions *functions; /* may be NULL */
  const struct expression_scope *outer;
} expression_scope;

/** The function of the scene called `name`, or NULL. */
const expression_function *expression_function_find(const expression_scope *scope,
                                                    const char *name);

/** Is `name` a variable of the scope itself? */
bool expression_has_variable(const expression_scope *scope, const char *name);

/** Value of one of the constants pi, e and deg. */
bool expression_constant(double *value, const char *name);

/** Value of `text`: numbers, names of `scope`, pi, e, deg, + - * / ^ ( ), comparisons, ?: and
 *  functions; "30 deg" is 30*deg.  Nothing can be assigned or defined.  Safe in threads.  On
 *  failure TORSOR_SCENE with message and hint; the caller adds the position in the file. */
torsor_status expression_evaluate(double *out, const char *text, const expression_scope *scope,
                                  torsor_error *error);

/** A compiled expression.  Any number of threads may evaluate it; that allocates nothing and takes
 *  no lock. */
typedef struct expression expression;

/** Compile `text`.  Values of a scope that varies are arguments of each evaluation, all others are
 *  read now.  TORSOR_SCENE with message and hint, TORSOR_MEMORY. */
torsor_status expression_compile(expression **out, const char *text, const expression_scope *scope,
                                 torsor_error *error);
void expression_destroy(expression *e);

/** Does the value depend on the variable `index` of the scope? */
bool expression_uses(const expression *e, int index);

/** Value for the variables x of the scope, which may be NULL where it does not vary; perhaps not
 *  finite. */
double expression_value(const expression *e, const double *x);

/** How many operations can make a kink or a jump: comparisons, abs, min, floor, ends of tables. */
int expression_kinks(const expression *e);

/** Numbers [expression_kinks] whose changes of sign mean that the value has a kink or jumps. */
void expression_kink_values(const expression *e, const double *x, double *kink);

/** Value, and derivatives, on the sides of these [expression_kinks] that `side` gives, 0 = that
 *  where x is; NULL: no side is given. */
double expression_value_beside(const expression *e, const double *x, const signed char *side);
jet expression_derivatives_beside(const expression *e, const double *x, const signed char *side,
                                  int by);

/** Value and exact derivatives by the variable `by`.  At a kink they are those ahead. */
jet expression_derivatives(const expression *e, const double *x, int by);

/** Value and derivatives along a curve of the variables, with their derivatives along it. */
jet expression_rates(const expression *e, const double *x, const double *rate,
                     const double *second);

/** Compiled expressions by the address of their text: for texts that are read again with other
 *  values of the same scope.  Zero is empty. */
enum { EXPRESSION_BUCKETS = 64 };
typedef struct expression_cache {
  struct expression_entry *bucket[EXPRESSION_BUCKETS];
} expression_cache;

/** Like expression_evaluate, compiling what stands at `key` once.  The scope is always the same. */
torsor_status expression_evaluate_cached(double *out, expression_cache *cache, const void *key,
                                         const char *text, const expression_scope *scope,
                                         torsor_error *error);
void expression_cache_clear(expression_cache *cache);

/** Characters of names; a digit cannot be the first. */
static inline bool expression_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool expression_digit(char c) {
  return c >= '0' && c <= '9';
}

/** Next word in an expression, a name such as L or names joined by dots as in hinge.angle: `*at`
 *  moves behind it, `out` receives its first EXPRESSION_WORD bytes.  False at the end. */
bool expression_next_name(const char **at, char out[EXPRESSION_WORD + 1]);

/** Index of `name` in `scope` itself, or -1. */
int expression_find(const expression_scope *scope, const char *name);

/** The value called `name` in `scope` and around it, or NULL. */
double *expression_lookup(const expression_scope *scope, const char *name);

/** Is `name` a constant that no parameter may hide: pi, deg? */
bool expression_reserved(const char *name);

/** Is `name` one of the functions that every expression has? */
bool expression_is_builtin(const char *name);

/** Is `name` letters, digits and _, beginning with a letter or _, and not too long? */
bool expression_is_name(const char *name);

#endif
