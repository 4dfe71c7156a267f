/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_OBSERVER_H
#define TORSOR_ANALYSIS_OBSERVER_H

/** What signals are evaluated from, at the ends of steps and within them. */

#include "analysis/observe/least_norm.h"
#include "analysis/observe/signals.h"

typedef struct observer {
  const torsor_model *model;
  const char *linear_solver;
  arena *memory;
  assembly *assembly;
  work work;             /* followed by the caller */
  double *phi, *phi_v;   /* [nl] */
  least_norm least_norm; /* made when it is needed */
  int *remarker;         /* [remarkers] elements that may remark something */
  int remarkers;
  unsigned char *reported; /* [elements] their remark */
} observer;

static inline torsor_point observer_point(const torsor_state *s) {
  return (torsor_point){.t = s->t, .q = s->q, .v = s->v, .a = s->a, .lambda = s->lambda};
}

/** Memory from `memory`, which outlives it. */
torsor_status observer_create(observer *out, const torsor_model *model, const char *linear_solver,
                              assembly *a, arena *memory);
void observer_release(observer *o);
/** All that moves. */
void observer_walk(observer *o, tape *t);

/** Look at a state in the last step: `p` receives it, with the multipliers of least norm where rows
 * depend on each other; phi, phi_v, motion, coordinates and work are those there. */
torsor_status observer_look(observer *o, torsor_point *p, const torsor_state *state,
                            torsor_error *error);

/** Residuals where it looked last, into the largest of the summary. */
void observer_note_residuals(torsor_summary *s, const observer *o);

/** Hand what elements remark where it looked last to `tell`, once for each body of many elements;
 * `when` is the word for `value`. */
void observer_remark(observer *o, const torsor_point *p, const char *when, double value,
                     void (*tell)(void *data, const char *message), void *data);

/** Values of signals [their count] where it looked last; `balance` is balance_sum there, NULL where
 * it is not known. */
void observer_signals(const observer *o, double *values, const torsor_signals *signals,
                      const torsor_point *p, const torsor_balance *balance);

#endif
