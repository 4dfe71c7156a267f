/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_HISTORIES_H
#define TORSOR_ASSEMBLY_HISTORIES_H

/** Histories of elements: the internal variables that they keep from one accepted step to the next
 * (torsor_type_history).
 *
 * Two copies of the numbers exist: those at the start of the last step and those at its end.
 * Evaluations inside of the last step, as for outputs and events, use the former; a step that is
 * cut is advanced from them again. */

#include <torsor/integrator.h>

#include "assembly/model/model.h"
#include "base/tape.h"

struct assembly;

typedef struct histories {
  const torsor_model *model;
  int count;           /* numbers of all elements */
  int elements;        /* that have some, */
  bool sticks;         /* a force among them, */
  int *element;        /* [elements] these, */
  int *first;          /* [elements of the model] and where their numbers begin */
  double t;            /* end of the last step */
  double *begin, *end; /* [count] */
} histories;

torsor_status histories_create(histories *h, const torsor_model *model, arena *memory);
void histories_walk(histories *h, tape *t);

/** The numbers that element i sees at time t; NULL: it keeps none. */
static inline const double *histories_at(const histories *h, int i, double t) {
  if (!h->model->element[i].states) return NULL;
  return (t < h->t ? h->begin : h->end) + h->first[i];
}

/** A motion begins at p; a step ends at p; the last step ends at p, which is earlier.  The motion
 *  of `a` is set to p. */
void histories_start(histories *h, const struct assembly *a, const torsor_point *p);
void histories_accept(histories *h, const struct assembly *a, const torsor_point *p);
void histories_cut(histories *h, const struct assembly *a, const torsor_point *p);

/** Element i begins anew at p. */
void histories_capture(histories *h, const struct assembly *a, int i, const torsor_point *p);

/** Numbers and time of `from`, of the same model. */
void histories_copy(histories *h, const histories *from);

#endif
