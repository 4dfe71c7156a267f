/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_ACTOR_KIT_H
#define TORSOR_ELEMENTS_ACTOR_KIT_H

/** Forces on a joint coordinate whose effort does not come from a torsor_effort. */

#include <torsor/force.h>

#include "elements/relative_kit.h"

/** The coordinate of an actor at a motion. */
typedef struct actor_state {
  relative_state s;
  torsor_coordinate_out c; /* value with its turns counted */
  double rate;
} actor_state;

/** `tangent`: for an actor_add that is asked for K or C. */
void actor_find(actor_state *state, const torsor_actor *actor, const torsor_element_in *in,
                bool tangent);

/** Adds the generalised force `effort` along the coordinate to r, K and C [n x n].  by_frame [6]:
 *  derivative of the joint's force along the relative frame, NULL when the effort does not depend
 *  on it. */
void actor_add(torsor_element_out *out, const actor_state *state, const torsor_effort_out *effort,
               const double *by_frame, int n);

#endif
