/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_INITIAL_H
#define TORSOR_ANALYSIS_INITIAL_H

#include <torsor/analysis.h>

#include "analysis/start/rounded.h"
#include "assembly/assembly.h"

/** Consistent initial positions and velocities. */
typedef struct initial_state {
  double *q, *v;                  /* [nq], [nv] */
  double moved_position;          /* largest change of a position coordinate, m or rad */
  double moved_velocity;          /* largest change of a velocity that was given */
  int position_row, velocity_row; /* constraint row that asked for the change */
  rounded_rows rounded;           /* rows that are ignored */
  bool settled; /* an equilibrium was found, from which what elements keep goes on */
} initial_state;

/** Finds consistent initial values from those of the scene.  Frames that are guesses are moved to
 * fit the joints; other frames, and velocities that are given, must satisfy the constraints up to
 * the rounding of decimal input.  Velocities that are not given follow from the joints (smallest
 * change from rest in the metric of the mass matrix).  INCONSISTENT names the constraint.  Memory
 * comes from `memory`.  With `q` [nq] these frames, an equilibrium, replace the scene's, and none
 * is a guess (NULL: the scene's). */
torsor_status initial_state_find(initial_state *out, assembly *a, const torsor_model *model,
                                 const double *q, arena *memory, torsor_error *error);

/** Reports, in lines of text, what was moved: each body with a guess, and the rounding of the
 * rest. */
void initial_state_tell(const initial_state *state, const torsor_model *model,
                        void (*tell)(void *data, const char *message), void *data);

#endif
