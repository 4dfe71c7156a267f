/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_FULL_STATE_H
#define TORSOR_ANALYSIS_FULL_STATE_H

#include "analysis/observe/observer.h"

/** The full states that an analysis hands out, as its hooks want them. */
typedef struct full_state {
  const torsor_model *model;
  const torsor_hooks *hooks;
  torsor_frame frame;    /* frame in `own`, where the hooks provide no memory for it */
  double *own;           /* [frame.size] */
  struct teller *teller; /* [tellers] elements with outputs, in the order of the frame */
  int tellers;
} full_state;

/** Creates it with memory from `memory`; takes none for a frame of its own where the hooks want
 * none. */
torsor_status full_state_create(full_state *out, const torsor_model *model,
                                const torsor_hooks *hooks, arena *memory);

/** Is row `row` to be handed out, where `last` is the last row? */
bool full_state_due(const full_state *f, long row, long last);

/** Fills a frame with the state that the observer has evaluated last; see below. */
void full_state_fill(torsor_frame *frame, const full_state *f, const observer *o,
                     const torsor_point *p, double t, const torsor_balance *sum);

/** Hands out the state that the observer has evaluated last: `p`, at time (or load) t; `sum` is
 * balance_sum there. */
torsor_status full_state_hand_out(const full_state *f, const observer *o, const torsor_point *p,
                                  double t, const torsor_balance *sum);

#endif
