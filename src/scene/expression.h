/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_EXPRESSION_H
#define TORSOR_SCENE_EXPRESSION_H

#include <stdbool.h>

#include <torsor/base.h>

#include "scene/derivative.h"

/** Longest name of a parameter, longest word (a name, or several joined by dots) and longest
 *  expression, in bytes. */
enum { EXPRESSION_NAME = 63, EXPRESSION_WORD = 127, EXPRESSION_BYTES = 1000 };

/** The name of the time in functions of time. */
#define EXPRESSION_TIME "t"

/** The name of the load in functions. */
#define EXPRESSION_LOAD "load"

/** Names that an expression may use beside pi, e, deg and the functions; those of `outer` as well,
 *  unless they are hidden. */
typedef struct expression_scope {
  int count;
  const char **name;
  double *value;
  bool varies; /* `value` changes after an expression is compiled */
  /** [input_count] names of inputs, refused here because inputs change during a run. */
  const char *const *inputs;
  int input_count;
  const struct expression_scope *outer;
} expression_scope;

/** Value of `text`: numbers, names of `scope`, pi, e, deg, + - * / ^ ( ), comparisons, ?: and
 *  functions; "30 deg" is 30*deg.  Nothing can be assigned or defined.  Safe in threads.  On
 *  failure TORSOR_SCENE with message and hint; the caller adds the position in the file. */
torsor_status expression_evaluate(double *out, const char *text, const expression_scope *scope,
                                  torsor_error *error);

/** A compiled expression.  One thread at a time may evaluate it. */
typedef struct expression expression;

/** Compile `text`.  Values of `scope` are read at each evaluation if it varies, all others now.
 *  TORSOR_SCENE with message and hint, TORSOR_MEMORY. */
torsor_status expression_compile(expression **out, const char *text, const expression_scope *scope,
                                 torsor_error *error);
void expression_destroy(expression *e);

/** Value now; perhaps not finite.  Allocates nothing. */
double expression_value(const expression *e);

/** Value and exact derivatives now by the variable whose value is at `by`, of a scope that varies.
 *  At a kink they are those ahead.  Allocates nothing. */
derivative_jet expression_derivatives(const expression *e, const double *by);

/** Value and derivatives now along a path of the variables of a scope that varies.  Allocates
 *  nothing. */
derivative_jet expression_rates(const expression *e, const derivative_path *path);

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

/** Is `name` a function or a constant, and so not free for a parameter? */
bool expression_reserved(const char *name);

/** Is `name` letters, digits and _, beginning with a letter or _, and not too long? */
bool expression_is_name(const char *name);

#endif
