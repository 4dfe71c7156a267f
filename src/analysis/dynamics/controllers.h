/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_CONTROLLERS_H
#define TORSOR_ANALYSIS_CONTROLLERS_H

/** Controllers of a model (zero-order hold): they are called at their sampling times and compute
 * inputs from signals. */

#include "analysis/observe/observer.h"

/** The past of a signal: polynomials over the last steps. */
typedef struct delay_line {
  double *segment; /* [DELAY_STEPS x DELAY_NUMBERS] a ring: begin, length, coefficients */
  long count;      /* how many were written in all */
} delay_line;
enum { DELAY_STEPS = 4096, DELAY_ORDER = 5, DELAY_NUMBERS = 3 + DELAY_ORDER };

/** A controller in a run. */
typedef struct sampler {
  const torsor_controller *controller;
  torsor_signals *signals; /* signals that it reads; NULL: none */
  bool reactions;          /* its signals depend on v' or lambda */
  double *read, *write;    /* [columns of the signals], [its inputs] */
  long next;               /* number of its next sample */
  bool off;                /* it is not called */
  delay_line past;         /* of a delay */
} sampler;

typedef struct controllers {
  int count;
  sampler *sampler; /* [count] */
} controllers;

/** Finds the signals of all controllers; memory from `memory`.  The result must be released. */
torsor_status controllers_create(controllers *out, const torsor_model *model, arena *memory,
                                 torsor_error *error);
void controllers_release(controllers *c);
/** Walks over the numbers of samples and the memory of callbacks (base/tape.h). */
void controllers_walk(controllers *c, tape *t);

/** Restores the memory that callbacks had when the model was built, with which every run begins. */
void controllers_begin(const controllers *c, const torsor_model *model);

/** Returns where a step that begins at t must end at the latest: delays are no shorter than steps,
 *  and what the past of a run begins with comes back after whole delays. */
double controllers_limit(const controllers *c, double t);

/** Gives delayed signals at t to their inputs, see assembly_set_past. */
void controllers_past(void *self, double t, double *input);

/** Keeps a step from t0 to t1 of the signal of a delay: its values [DELAY_ORDER + 1] at equal
 * parts. False where the line still needs what would be overwritten. */
bool delay_keep(sampler *s, double t0, double t1, const double *value);

/** Lets controller i be called from t on, or no more; its inputs stay as they are. */
void controllers_switch(controllers *c, int i, bool on, double t);

/** Returns the time of the next sample, s; infinite where there is none. */
double controllers_due(const controllers *c);

#endif
