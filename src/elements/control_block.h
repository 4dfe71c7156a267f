/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_CONTROL_BLOCK_H
#define TORSOR_ELEMENTS_CONTROL_BLOCK_H

/** Blocks of controllers as elements, so that methods integrate them with the mechanics.  A state x
 *  is the velocity of an abstract point, whose equation x' = f has the mass 1: tangents, orders,
 *  error control and checkpoints are those of bodies. */

#include <torsor/force.h>

/** A state: a body with one abstract node, of which the first direction counts. */
typedef struct control_state_data {
  double value; /* at the start */
} control_state_data;

/** The rate of a state: a force on its node. */
typedef struct control_rate_data {
  int node, nodes; /* the state's, in the model; all that it uses */
  torsor_control rate;
} control_rate_data;

/** A signal that is a function of others: a force that is none. */
typedef struct control_value_data {
  torsor_control value;
} control_value_data;

extern const torsor_element_type control_state, control_rate, control_value;

/** Is it one of these types, which have no energy and take no part in momenta? */
static inline bool control_is_block(const torsor_element_type *type) {
  return type == &control_state || type == &control_rate || type == &control_value;
}

#endif
