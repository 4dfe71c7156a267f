/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_PROGRAM_H
#define TORSOR_SCENE_PROGRAM_H

/** Expressions as programs in postfix order, evaluated on a stack: for the value alone, or with
 *  each value carrying two derivatives through every operation (forward mode). */

#include <torsor/base.h>

#include "scene/expression.h"
#include "scene/jet.h"

/** Most values on the stack of a program, and most instructions, after functions of the scene have
 *  been put in. */
enum { PROGRAM_STACK = 500, PROGRAM_LENGTH = 200000 };

typedef enum operation {
  OP_NUMBER,
  OP_VARIABLE, /* of the scope, number `index` */
  OP_LOCAL,    /* the value at `index` on the stack: an argument of a function of the scene */
  OP_NEGATE,
  OP_ADD,
  OP_SUBTRACT,
  OP_MULTIPLY,
  OP_DIVIDE,
  OP_POWER,
  OP_LESS,
  OP_LESS_EQUAL,
  OP_GREATER,
  OP_GREATER_EQUAL,
  OP_EQUAL,
  OP_UNEQUAL,
  OP_AND,
  OP_OR,
  OP_SELECT,
  OP_CALL,       /* the builtin `index` of one argument */
  OP_CALL2,      /* the builtin `index` of two arguments */
  OP_TABLE,      /* the function `called` of one argument */
  OP_TABLE2,     /* ... of two arguments */
  OP_RETURN,     /* drops the `index` arguments below the value */
  OP_GIVEN,      /* argument, value, first and second derivative by it */
  OP_GIVEN_RATE, /* argument, value, first derivative */
} operation;

typedef struct instruction {
  operation op;
  int index;
  double number;
  const expression_function *called;
} instruction;

typedef struct program {
  int count, size;
  instruction *code; /* [count] */
  int deepest;       /* most values on the stack */
  int kinks;         /* instructions at which the value can have a kink or jump */
} program;

/** Number of values that an instruction takes from the stack. */
int program_operands(const instruction *i);

/** Is the instruction one at which the value can have a kink or jump? */
bool program_is_kink(const instruction *i);

/** Value for the variables x.  `kink` [kinks], which may be NULL, receives numbers whose change of
 *  sign means that the program comes to another branch.  `side` [kinks], which may be NULL, has
 *  signs of these numbers that are given, so that it stays on its branch; 0 = not given, as all
 *  those of tables count. */
double program_value(const program *p, const double *x, const signed char *side, double *kink);

/** Value and derivatives by the variable `by`, or with by = -1 along a curve with the derivatives
 *  `rate` and `second` of x.  Where two branches meet, as those of abs, min and max, they are those
 *  of the branch ahead. */
jet program_jet(const program *p, const double *x, const signed char *side, int by,
                const double *rate, const double *second);

/** Translates `text` into `p`, which is released with program_release also when it fails.
 *  TORSOR_SCENE with message and hint, TORSOR_MEMORY. */
torsor_status program_translate(program *p, const char *text, const expression_scope *scope,
                                torsor_error *error);
void program_release(program *p);

#endif
