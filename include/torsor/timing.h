/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TIMING_H
#define TORSOR_TIMING_H

/** Computing time of an analysis by phases, for the time loop of a simulation or the path of
 *  statics. */

#include <torsor/base.h>

/** Phases whose time is measured.  Work that a phase requests counts as part of it: residuals
 *  evaluated for a row of output count as output. */
typedef enum torsor_phase {
  TORSOR_PHASE_RESIDUAL,    /* forces and constraints */
  TORSOR_PHASE_TANGENT,     /* matrices with the derivatives, put together */
  TORSOR_PHASE_FACTOR,      /* their factorisation */
  TORSOR_PHASE_SOLVE,       /* solving with the factors */
  TORSOR_PHASE_SEARCH,      /* statics: line searches with their residuals */
  TORSOR_PHASE_CONSTRAINTS, /* constraint gradients and their forces, hidden constraints */
  TORSOR_PHASE_POWERS,      /* work of forces and drives, where signals ask for it */
  TORSOR_PHASE_EVENTS,      /* the search for them; a call per step */
  TORSOR_PHASE_OUTPUT,      /* rows, with the frames of full states; a call per row */
  TORSOR_PHASE_UPKEEP,      /* after each step: progress, files that wait, checkpoints */
  TORSOR_PHASES
} torsor_phase;

/** Wall time by the monotonic clock, in whole nanoseconds so that sums are exact. */
typedef struct torsor_timing {
  long long loop;                /* ns, of the time loop or path */
  long long time[TORSOR_PHASES]; /* ns; none of it counts twice */
  long calls[TORSOR_PHASES];
  long steps;        /* steps of this loop: a continued run counts its own */
  long long reading; /* ns of the loop that reading the clock took, about */
} torsor_timing;

/** "residual", ...; NULL outside. */
TORSOR_API const char *torsor_phase_name(torsor_phase phase);
/** Time of the loop outside all phases, ns: the integrator's arithmetic, updates on the groups,
 *  work after accepted steps.  Not negative. */
TORSOR_API long long torsor_timing_rest(const torsor_timing *timing);

#endif
