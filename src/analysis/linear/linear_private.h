/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_LINEAR_PRIVATE_H
#define TORSOR_ANALYSIS_LINEAR_PRIVATE_H

/** The linearised system with inputs and outputs. */

#include "analysis/eigen/pencil.h"
#include "analysis/linear/rows.h"

/** Basis of the multipliers that exert no force, where constraint rows repeat others: the
 * multipliers of least norm have no part of it. */
typedef struct idle_multipliers {
  int count;
  double *basis; /* [count x nl] orthonormal */
} idle_multipliers;

struct torsor_linear {
  arena memory;
  torsor_linear_settings settings;
  channels channels;
  torsor_signals *signals;
  linear_state state;
  pencil pencil;
  linear_rows rows;
  linear_solver *solver; /* of the accelerations */
  double *Ax, *rest;     /* [nonzeros] its matrix; [2 (nv + nl)] */
  idle_multipliers idle;
  torsor_channel *input, *output;
  torsor_state_space space;
  torsor_modes system;
  struct sweep *sweep; /* of the frequency response; NULL: not yet needed */
};

/** Factors the system of accelerations and finds the idle multipliers. */
torsor_status accelerations_create(torsor_linear *l);

/** x [nv + nl] <- e'' and lambda, of least norm, for x = the forces and the right-hand sides of the
 * rows of constraints B e'' = .. */
torsor_status accelerations_solve(torsor_linear *l, double *x);

/** Takes the part of idle multipliers out of lambda [nl], whose entries are `stride` apart. */
void idle_remove(const idle_multipliers *idle, double *lambda, int nl, int stride);

/** Releases what the frequency response has taken besides the memory of `l`. */
void sweep_release(torsor_linear *l);

/** Finds the invariant zeros of the state space, whose other members are filled. */
torsor_status zeros_find(torsor_state_space *out, arena *memory);

/** Sorts eigenvalues by magnitude. */
void poles_sort(double *re, double *im, int n, arena *scratch);

/** Finds the state space. */
torsor_status state_space_find(torsor_linear *l, torsor_error *error);

#endif
