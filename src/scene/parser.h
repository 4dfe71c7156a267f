/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_PARSER_H
#define TORSOR_SCENE_PARSER_H

/** muParser behind functions for C that never throw.  muParser has such functions, too, but they
 *  let a failed allocation pass as an exception, which ends a program in C, or report it as an
 *  error in the expression. */

#ifdef __cplusplus
extern "C" {
#endif

typedef struct parser parser;

typedef enum parser_result { PARSER_GOOD, PARSER_NO_MEMORY, PARSER_REFUSED } parser_result;

/** Why an expression is refused: muParser's code, and the character, negative = not known. */
typedef struct parser_fault {
  int code, position;
} parser_fault;

/** A parser of names of `letters`, with muParser's functions but without its constants; NULL when
 *  memory is short. */
parser *parser_create(const char *letters);
void parser_destroy(parser *p);

parser_result parser_define_constant(parser *p, const char *name, double value);
/** The variable is read at each evaluation. */
parser_result parser_define_variable(parser *p, const char *name, double *value);

/** Translate `text`; *values receives how many values it has. */
parser_result parser_translate(parser *p, const char *text, int *values, parser_fault *fault);

/** Evaluates the translated expression with the current values of its variables.  Allocates
 *  nothing. */
double parser_value(const parser *p);

#ifdef __cplusplus
}
#endif

#endif
