/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_CONTROLLERS_H
#define TORSOR_ANALYSIS_CONTROLLERS_H

/** Controllers of a model: called at their samples, from signals to inputs. */

#include "analysis/observe/observer.h"

/** One of them in a run. */
typedef struct sampler {
  const torsor_controller *controller;
  torsor_signals *signals; /* that it reads; NULL: none */
  bool reactions;          /* they depend on v' or lambda */
  double *read, *write;    /* [columns of the signals], [its inputs] */
  long next;               /* number of its next sample */
} sampler;

typedef struct controllers {
  int count;
  sampler *sampler; /* [count] */
} controllers;

/** Look all signals up; memory from `memory`.  To be released. */
torsor_status controllers_create(controllers *out, const torsor_model *model, arena *memory,
                                 torsor_error *error);
void controllers_release(controllers *c);
/** Samples that are past, and the memory of callbacks. */
void controllers_walk(controllers *c, tape *t);

/** Every run begins with what callbacks remembered when the model was built. */
void controllers_begin(const controllers *c, const torsor_model *model);

/** Time of the next sample, s; infinite where there is none. */
double controllers_due(const controllers *c);

#endif
