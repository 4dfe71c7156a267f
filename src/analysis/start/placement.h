/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_PLACEMENT_H
#define TORSOR_ANALYSIS_PLACEMENT_H

#include "assembly/assembly.h"

/** Moves the nodes whose initial frames are guesses until the position constraints are satisfied
 * (assembly of the mechanism): the change is small in the metric of the mass matrix, so that the
 * solution is near the guess.  Other nodes stay.  q [nq] in and out; `length`: scale of positions,
 * m.  INCONSISTENT names the constraint that remains violated. */
torsor_status placement_fit(double *q, assembly *a, const torsor_model *model, double length,
                            torsor_error *error);

/** Distance between the frame of a node and its initial one. */
typedef struct placement_change {
  double distance, angle; /* m, rad */
} placement_change;
placement_change placement_moved(const model_node *node, const double *q);

#endif
