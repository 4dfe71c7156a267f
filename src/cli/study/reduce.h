/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_STUDY_REDUCE_H
#define TORSOR_CLI_STUDY_REDUCE_H

/** Numbers made of the signals of a run while it goes on. */

#include <torsor/analysis.h>

#include "cli/study/study.h"

/** The state of one output while a run goes on. */
typedef struct gauge {
  expression *value, *from_time, *to_time, *at_time; /* NULL: none */
  int column;                /* of the signal that it is alone; -1: an expression */
  const char *event;         /* name of an event of the scene; NULL: an expression */
  double from, to, at;       /* s, for the present values */
  long rows;                 /* in [from, to] */
  double t, y;               /* the last row ... */
  double before_t, before_y; /* ... and the one before, wherever they are */
  long seen;                 /* rows, wherever they are */
  double first, last, low, high, low_t, high_t, sum, square, span, looked;
  int sign;      /* of the last number that was not zero */
  double sign_t; /* when it was evaluated */
  long crossings;
  double crossed; /* time that is asked for; NaN: not there yet */
  double *stored; /* t and y of the rows, where all are needed */
  long room;
} gauge;

/** Derivatives by varied values: slopes.h. */
typedef struct slopes slopes;

typedef struct reductions {
  const study *study;
  arena memory;
  expression_scope scope; /* t, the varied values, the signals */
  expression_scope times; /* the varied values */
  expression_scope all;   /* the varied values and the outputs */
  double *x;              /* [scope] present values */
  const char **signal;    /* [signals] names */
  int *owner;             /* [signals] the first output that has it */
  int signals;
  gauge *gauge;             /* [outputs + measured] those behind the outputs are measured signals */
  double *residual;         /* [data] */
  int next;                 /* the next of the data */
  bool rows, steps, events; /* rows, ends of steps, events are asked for */
  slopes *slopes;           /* NULL: no derivatives are asked for */
} reductions;

/** Compiles all expressions.  `event` [events] are the events of the scene.  To be closed in any
 *  case. */
torsor_status reductions_open(reductions *out, const study *s, const char *const *event, int events,
                              torsor_error *error);
void reductions_close(reductions *r);

/** Begins a sample with these values [variables]. */
torsor_status reductions_begin(reductions *r, const double *value, torsor_error *error);

/** A row of output: signals [signals] at t. */
torsor_status reductions_row(reductions *r, double t, const double *signal);

/** The next time after `t` that an output asks for; infinite: none. */
double reductions_next(const reductions *r, double t);
/** The signals at such a time. */
void reductions_look(reductions *r, double t, const double *signal);

/** The value of output i for these signals. */
double reductions_value(reductions *r, int i, double t, const double *signal);
/** Does output i cross zero between its last number and y?  It is the last number then. */
bool reductions_crosses(reductions *r, int i, double t, double y);
/** Output i has crossed zero at t, or its event has happened. */
void reductions_crossed(reductions *r, int i, double t);

/** The vertex of the parabola through the last two rows of a gauge and the next one, where the
 * middle row is above both others; sign = -1: below. */
bool gauge_vertex(double *t, double *y, const gauge *g, double next_t, double next_y, double sign);

/** The outputs [outputs] at the end; those of kind `summary` from `summary`.  SCENE where rows are
 *  not what an output needs. */
torsor_status reductions_end(reductions *r, const torsor_summary *summary, double *out,
                             torsor_error *error);

/** Largest line of the spectrum of y [rows] with rows `spacing` s apart, seen through a Hann
 *  window, between two frequencies in Hz; the window's shape gives frequency and amplitude between
 *  lines.  False where memory is short. */
bool spectrum_peak(double *frequency, double *amplitude, const double *y, size_t rows,
                   double spacing, const double band[2]);

#endif
