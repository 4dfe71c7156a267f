/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_CONTROLLERS_H
#define TORSOR_ANALYSIS_CONTROLLERS_H

/** Controllers of a model (zero-order hold): they are called at their sampling times and compute
 * inputs from signals. */

#include "analysis/observe/observer.h"

/** A controller in a run. */
typedef struct sampler {
  const torsor_controller *controller;
  torsor_signals *signals; /* signals that it reads; NULL: none */
  bool reactions;          /* its signals depend on v' or lambda */
  double *read, *write;    /* [columns of the signals], [its inputs] */
  long next;               /* number of its next sample */
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

/** Returns the time of the next sample, s; infinite where there is none. */
double controllers_due(const controllers *c);

#endif
