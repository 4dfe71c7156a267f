/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_PLACEMENT_H
#define TORSOR_ANALYSIS_PLACEMENT_H

#include "assembly/assembly.h"

/** Move the nodes whose initial frames are guesses until the position constraints hold: the change
 * is small in the metric of the mass matrix, so that the solution is one near the guess.  Other
 * nodes stay.  q [nq] in and out; `length`: scale of positions, m.  INCONSISTENT names the
 * constraint that stays open. */
torsor_status placement_fit(double *q, assembly *a, const torsor_model *model, double length,
                            torsor_error *error);

/** How far the frame of a node lies from its initial one. */
typedef struct placement_change {
  double distance, angle; /* m, rad */
} placement_change;
placement_change placement_moved(const model_node *node, const double *q);

#endif
