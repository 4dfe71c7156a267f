/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_STATE_NAMES_H
#define TORSOR_ANALYSIS_STATE_NAMES_H

/** The choice of states that have names: joint coordinates, and positions of bodies. */

#include "analysis/eigen/null_space.h"
#include "analysis/linear/linear_private.h"

/** States x = Y e [count] with names; Y [count x nv] row by row. */
typedef struct named_states {
  int count;
  double *Y;
  torsor_channel *state, *rate; /* [count] */
} named_states;

/** Chooses as many independent states as the null space has, those of the settings first; the last
 * ones have names of their own ("x3") where no signals are left.  Memory comes from that of `l`. */
torsor_status named_states_find(named_states *out, torsor_linear *l, const null_space *z,
                                torsor_error *error);

#endif
