/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_OBSERVER_H
#define TORSOR_ANALYSIS_OBSERVER_H

/** An observer evaluates states at the ends of steps and within them, from which signals are
 * computed. */

#include "analysis/observe/least_norm.h"
#include "analysis/observe/signals.h"

typedef struct observer {
  const torsor_model *model;
  const char *linear_solver;
  arena *memory;
  assembly *assembly;
  work work;             /* followed by the caller */
  double *phi, *phi_v;   /* [nl] */
  least_norm least_norm; /* created when it is needed */
  int *remarker;         /* [remarkers] elements that may have a remark */
  int remarkers;
  unsigned char *reported; /* [elements] 1 = its remark has been reported */
} observer;

static inline torsor_point observer_point(const torsor_state *s) {
  return (torsor_point){.t = s->t, .q = s->q, .v = s->v, .a = s->a, .lambda = s->lambda};
}

/** Creates an observer with memory from `memory`, which must outlive it. */
torsor_status observer_create(observer *out, const torsor_model *model, const char *linear_solver,
                              assembly *a, arena *memory);
void observer_release(observer *o);
/** Walks over everything that changes during a run (base/tape.h). */
void observer_walk(observer *o, tape *t);

/** Evaluates a state in the last step: `p` receives it, with the multipliers of least norm where
 * rows depend on each other; phi, phi_v, motion, coordinates and work are then those at this
 * state. */
torsor_status observer_look(observer *o, torsor_point *p, const torsor_state *state,
                            torsor_error *error);

/** Updates the largest residuals of the summary by those of the state evaluated last. */
void observer_note_residuals(torsor_summary *s, const observer *o);

/** Passes remarks of elements on the state evaluated last to `tell`, one for each composite body;
 * `when` is the word for `value`. */
void observer_remark(observer *o, const torsor_point *p, const char *when, double value,
                     void (*tell)(void *data, const char *message), void *data);

/** Evaluates signals at the state evaluated last, values [their count]; `balance` is balance_sum
 * there, or NULL. */
void observer_signals(const observer *o, double *values, const torsor_signals *signals,
                      const torsor_point *p, const torsor_balance *balance);

#endif
