/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_DERIVATIVE_H
#define TORSOR_SCENE_DERIVATIVE_H

#include <stdbool.h>

#include <torsor/base.h>

/** Exact derivatives of expressions by one of their variables: the text as a program in postfix
 *  order that carries a value and its first two derivatives through every operation (forward mode).
 *  muParser has no derivatives, and differences are wrong next to a kink and where the variable's
 *  scale is not theirs. */

/** A value and its derivatives by the variable. */
typedef struct derivative_jet {
  double value, first, second;
} derivative_jet;

/** The meaning of a name: the address of a variable that is read at each evaluation, or NULL and a
 *  constant value. */
typedef struct derivative_name {
  const double *at;
  double value;
} derivative_name;

typedef derivative_name (*derivative_find)(const void *data, const char *name);

/** A curve: variables [count] with their derivatives along it. */
typedef struct derivative_path {
  const double *variable, *rate, *second;
  int count;
} derivative_path;

/** One thread at a time may evaluate it. */
typedef struct derivative derivative;

/** Program of `text`, which muParser has understood, all of whose names `find` knows.
 *  TORSOR_SCENE, without a message, where it is not understood here; TORSOR_MEMORY. */
torsor_status derivative_compile(derivative **out, const char *text, derivative_find find,
                                 const void *data);
void derivative_destroy(derivative *d);

/** Derivatives by the variable that is read at `by`.  Where two branches meet, as those of abs, min
 *  and max, they are those of the branch ahead, where the variable grows.  Allocates nothing. */
derivative_jet derivative_eval(const derivative *d, const double *by);

/** Evaluates the derivatives along a curve of the variables (chain rule).  All other names are
 *  constant. */
derivative_jet derivative_along(const derivative *d, const derivative_path *path);

#endif
