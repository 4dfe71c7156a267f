/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_SHOOTING_H
#define TORSOR_ANALYSIS_SHOOTING_H

/** The state after a period, in coordinates of the free variations at its beginning. */

#include <torsor/periodic.h>

#include "analysis/eigen/null_space.h"
#include "assembly/assembly.h"

typedef struct shooting {
  const torsor_model *model;
  torsor_run *run;
  void *begin; /* the run at t = 0 */
  size_t begin_size;
  assembly *assembly;
  arena memory;  /* for as long as the search lasts */
  arena scratch; /* of the present basis */
  double period, length;
  int steps;
  double *q, *v; /* the state at the beginning */
  double *end_q, *end_v;
  null_space basis;
  double *dual;  /* [nv x n] M N by columns: x = N^T M e */
  double *e, *u; /* [nv] */
  double *x;     /* [n + f] */
} shooting;

/** Only `threads` of the hooks is used; they may be NULL. */
torsor_status shooting_create(shooting *s, const torsor_model *model,
                              const torsor_simulation *simulation,
                              const torsor_periodic_settings *settings, const torsor_hooks *hooks,
                              torsor_error *error);
void shooting_release(shooting *s);

/** Returns the number of states. */
int shooting_states(const shooting *s);

/** Finds the basis at the present state; all that was found at another one is invalid. */
torsor_status shooting_find_basis(shooting *s, torsor_error *error);

/** Follows the motion that begins with the change z [states] of the present state for `period` (s):
 * out [states] = the difference of its end from the present state.  *gap (may be NULL) receives the
 * largest difference between its end and its own beginning: parts of the model's length, rad, and
 * of the speeds that either has per radian of the period. */
torsor_status shooting_follow(double *out, double *gap, shooting *s, const double *z, double period,
                              torsor_error *error);

/** Makes the change z [states] of the present state the present state. */
torsor_status shooting_move(shooting *s, const double *z, torsor_error *error);

/** out [states] = the rate of the state at the beginning. */
torsor_status shooting_rate(double *out, shooting *s, torsor_error *error);

/** Goes on from the end of the last motion for another period: *gap = how far it is then from where
 * it was. */
torsor_status shooting_repeat(double *gap, shooting *s, torsor_error *error);

/** out [states] = the difference of a state q [nq], v [nv] from the present one. */
void shooting_difference(double *out, shooting *s, const double *q, const double *v);

/** Gives `other`, of a model with the same unknowns, the present state and its basis, which stay
 * with `s`. */
void shooting_lend(shooting *other, const shooting *s);

/** Returns the size of the change z: the largest displacement, in lengths, or rotation of a
 * node. */
double shooting_size(shooting *s, const double *z);

#endif
