/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_FUNCTIONS_PRIVATE_H
#define TORSOR_SCENE_FUNCTIONS_PRIVATE_H

/** Declarations shared by functions of time, characteristics and controls. */

#include <gsl/gsl_integration.h>
#include <gsl/gsl_interp.h>

#include <torsor/callback.h>

#include "scene/functions.h"

/** The data of one function; evaluation changes none of them. */
typedef struct function {
  struct function *next;
  function_list *list;
  double constant;
  /** How many variables the expressions have: the own ones, inputs of the model, the load. */
  int own, variables;
  bool uses_load;
  int *used, uses;                   /* [uses] inputs that the expressions use */
  expression *value, *rate, *second; /* for a characteristic: value, slope and integral */
  double *x, *y;                     /* [rows] of the table */
  size_t rows;
  gsl_interp *spline;
  double end_slope[2];        /* slopes beyond the table, below and above */
  double steepest;            /* largest slope of the table over time, */
  bool straight;              /* between the rows of the table */
  char *place;                /* position of the table in the scene: file, line, column and path */
  struct function_grid *grid; /* a table over two variables */
  double origin;              /* value of the integral at 0 */
  /* Quadrature for a characteristic without a given integral. */
  gsl_integration_glfixed_table *rule;
  torsor_curve_knot *knot;        /* of a curve */
  torsor_section *section;        /* [rows] of a table of them */
  torsor_section_point *point;    /* of a section */
  se3 *frame;                     /* of a list of them */
  torsor_layer *layer;            /* the same */
  const char **name;              /* of a list of names */
  struct torsor_station *station; /* of a path */
  torsor_function plain;          /* of a control that uses no coordinates */
  torsor_control_input *input;    /* [own - 1] of a control */
  const torsor_callback *callback;
  torsor_callback *sample;           /* of a sampled block, whose functions are linked by `of` */
  char (*word)[EXPRESSION_WORD + 1]; /* [own - 1] signals of a control that can have kinks */
  int kink;                          /* number of its first kink among the events; -1 = none */
  const struct function *of;         /* of the kink number `index` of this one */
  int index;
  expression_function called; /* as expressions call it */
  char number[32];            /* a constant as its text */
  const char **argument;      /* names of its arguments */
} function;

enum { FUNCTION_CUBIC, FUNCTION_LINEAR, FUNCTION_AKIMA, FUNCTION_MONOTONE };

/** Copies `now` to the variables [variables] that follow the function's own ones. */
void function_set(const function *f, const torsor_now *now, double *variable);

/** `reads` of torsor_function. */
bool function_reads(const void *self, int input);

/** Does the function depend on inputs or the load, besides its own variables? */
static inline bool function_depends(const function *f) {
  return f->uses || f->uses_load;
}

/** Room for a callback that lives as long as the function; NULL when memory is short. */
torsor_callback *function_callback(function *f);

/** A new function of `list`, which owns it; NULL when memory is short. */
function *function_new(function_list *list);
torsor_status function_add(function **out, function_list *list, const reader *r);

/** Counts the own variables of the expressions and those for inputs and the load. */
torsor_status function_reserve(function *f, const reader *r, int own);

/** A number or an expression in the own variables name [own]. */
torsor_status function_compile(expression **out, function *f, const reader *r,
                               const json_node *node, const char **name);
/** Like function_compile, for a text that has been read already. */
torsor_status function_compile_text(expression **out, function *f, const reader *r,
                                    const json_node *node, const char *words, const char **name);

/** {"table", "interpolation"}; `what` names the first column in messages, `interpolation` is what
 *  counts when none is given. */
torsor_status function_read_table(function *f, const reader *r, const json_node *node,
                                  const char *what, int interpolation);
/** Value at t within the table, the first or last one outside. */
double function_table_at_time(const void *self, const torsor_now *now, double *rate,
                              double *second);
double function_table_at(const function *f, double t, double *rate, double *second);

/** A number that changes its sign at the ends of a table, and at its rows where it is straight
 *  between them. */
double function_table_kink(const function *f, double x);

/** First jump of the rate of a table over time at t > after. */
bool function_table_jump(const void *self, double after, torsor_jump *out);

/** Value at x within the table, straight on outside; the integral from 0. */
double function_table_straight(const void *self, const torsor_now *now, double x, double *slope,
                               double *integral);

/** The function that `list` has under the word `node`, NULL when there is none.  Fails where the
 *  word can only be a misspelt name; `variable` is none. */
torsor_status function_find(const torsor_function **out, const function_list *list, const reader *r,
                            const json_node *node, const char *variable);

/** {"callback": name} of this signature, for `f`. */
torsor_status function_read_callback(function *f, const char *signature, const reader *r,
                                     const json_node *node);

static inline torsor_status function_out_of_memory(const reader *r) {
  return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
}

#endif
