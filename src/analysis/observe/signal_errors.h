/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_SIGNAL_ERRORS_H
#define TORSOR_ANALYSIS_SIGNAL_ERRORS_H

/** Errors of signals, estimated from a companion of the motion (torsor_integrator_companion). */

#include "analysis/observe/observer.h"

typedef struct signal_errors {
  const torsor_signals *signals; /* NULL: none are looked at */
  bool reactions;                /* those that depend on v' or lambda are, too */
  int count;
  int *vector; /* [count] the first column of the vector that one is part of, -1 = its errors are
                  not looked at */
  double *size, *error; /* [count] the largest values and errors so far */
  double *kept;         /* [count] the largest values when errors were found to be small */
  double *row;          /* [count] where the companion is */
  double *shown;        /* [count] where the motion is, if no row has it */
  const double *length; /* m, of positions and lever arms, once it is known */
  double step;          /* s */
} signal_errors;

/** The signal that has the largest error against what it may have. */
typedef struct worst_signal {
  int column;   /* its first, -1 = nothing is known */
  double error; /* in parts of its largest value */
  double over;  /* in parts of what it may be */
} worst_signal;

torsor_status signal_errors_create(signal_errors *out, const torsor_signals *signals,
                                   bool reactions, arena *memory);
/** All that moves. */
void signal_errors_walk(signal_errors *s, tape *t);

/** Note the sizes of the signals in `row`. */
void signal_errors_size(signal_errors *s, const double *row);

/** Do all errors stay far below what they may be to the end of a run, of `whole` times the length
 * of what is over, where they grow with the square of the time? */
bool signal_errors_small(const signal_errors *s, double whole);
/** Keep the sizes that these belong to, and whether a signal has become much larger since. */
void signal_errors_keep(signal_errors *s);
bool signal_errors_grown(const signal_errors *s);

/** Note the signals in `row`, which belong to the end of the last step, where `companion` is `part`
 * of the errors away.  Fails where nothing can be said of that. */
torsor_status signal_errors_note(signal_errors *s, observer *o, const double *row,
                                 const torsor_state *companion, double part);

worst_signal signal_errors_worst(const signal_errors *s);

#endif
