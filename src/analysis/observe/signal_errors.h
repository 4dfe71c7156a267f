/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_SIGNAL_ERRORS_H
#define TORSOR_ANALYSIS_SIGNAL_ERRORS_H

/** Errors of signals, estimated from a companion of the motion (torsor_integrator_companion). */

#include "analysis/observe/observer.h"

/** Controlled steps make errors of what is asked for over the time that has passed, where the
 * motion neither multiplies nor reduces them: this many times as much is reported. */
#define SIGNAL_ERRORS_MOST 20

typedef struct signal_errors {
  const torsor_signals *signals; /* signals whose errors are estimated; NULL: none */
  bool reactions;                /* including signals that depend on v' or lambda */
  int count;
  int *vector; /* [count] first column of the vector that a signal belongs to; -1 = its errors are
                  not estimated */
  double *size, *error; /* [count] the largest values and errors so far */
  double *now, *before; /* [count] errors since the last restart at a kink, and those up to it */
  double *kept;         /* [count] largest values at the time when errors were found to be small */
  double *row;          /* [count] signals of the companion */
  double *shown;        /* [count] signals of the motion, if no row has them */
  const double *length; /* scale of positions and lever arms, m, once it is known */
  double step;          /* s */
  const torsor_accuracy *asked; /* of controlled steps, per second; NULL: steps are constant */
  double elapsed;               /* time since the start at which errors were last found, s */
} signal_errors;

/** The signal with the largest error relative to what is acceptable. */
typedef struct worst_signal {
  int column;   /* its first column; -1 = nothing is known */
  int length;   /* characters of that column's name that are the signal's, without a component */
  double error; /* relative to its largest value */
  double over;  /* relative to the acceptable error */
} worst_signal;

torsor_status signal_errors_create(signal_errors *out, const torsor_signals *signals,
                                   bool reactions, arena *memory);
/** Walks over everything that changes during a run (base/tape.h). */
void signal_errors_walk(signal_errors *s, tape *t);

/** Records the sizes of the signals in `row`. */
void signal_errors_size(signal_errors *s, const double *row);

/** Will all errors stay far below the acceptable ones to the end of a run, if they grow with the
 * square of the time?  The run is `whole` times as long as the part that is over. */
bool signal_errors_small(const signal_errors *s, double whole);
/** Remembers the present sizes, and checks whether a signal has become much larger since. */
void signal_errors_keep(signal_errors *s);
bool signal_errors_grown(const signal_errors *s);

/** Records the errors of the signals in `row`, which belong to the end of the last step, where
 * `companion` is `part` of the errors away.  Fails where no error can be estimated. */
torsor_status signal_errors_note(signal_errors *s, observer *o, const double *row,
                                 const torsor_state *companion, double part);

/** Goes on after a restart of the motion at a kink, where the companion begins anew: errors made
 * before add to those that follow. */
void signal_errors_go_on(signal_errors *s);

worst_signal signal_errors_worst(const signal_errors *s);

#endif
