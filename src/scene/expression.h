/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_EXPRESSION_H
#define TORSOR_SCENE_EXPRESSION_H

#include <stdbool.h>

#include <torsor/base.h>

/** Longest name of a parameter and longest expression, in bytes. */
enum { EXPRESSION_NAME = 63, EXPRESSION_BYTES = 1000 };

/** The names that an expression may use beside pi, e and the functions. */
typedef struct expression_scope {
  int count;
  const char **name;
  double *value;
} expression_scope;

/** Value of `text`: numbers, names of `scope`, pi, e, + - * / ^ ( ), comparisons, ?: and functions.
 *  Nothing can be assigned or defined.  Safe in threads.  On failure TORSOR_SCENE with message and
 *  hint; the place in the file is for the caller to add. */
torsor_status expression_evaluate(double *out, const char *text, const expression_scope *scope,
                                  torsor_error *error);

/** Next name in an expression: `*at` moves behind it, `out` receives its first EXPRESSION_NAME
 *  bytes.  False at the end. */
bool expression_next_name(const char **at, char out[EXPRESSION_NAME + 1]);

/** Index of `name` in `scope`, or -1. */
int expression_find(const expression_scope *scope, const char *name);

/** Is `name` a function or a constant, and so not free for a parameter? */
bool expression_reserved(const char *name);

/** Is `name` letters, digits and _, beginning with a letter or _, and not too long? */
bool expression_is_name(const char *name);

#endif
