/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_BASE_STOPWATCH_H
#define TORSOR_BASE_STOPWATCH_H

/** Measures the time of phases (torsor/timing.h).  A NULL stopwatch measures nothing and costs one
 *  branch. */

#include <stddef.h>
#include <time.h>

#include <torsor/timing.h>

typedef struct stopwatch {
  torsor_timing *timing;
  long long began; /* ns, the loop */
  long long since; /* ns, the outermost phase */
  torsor_phase phase;
  int depth; /* open phases */
} stopwatch;

/** ns of the monotonic clock. */
static inline long long stopwatch_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}

/** Begins a phase, nested in the current one if there is one. */
static inline void stopwatch_enter(stopwatch *w, torsor_phase phase) {
  if (!w || w->depth++ > 0) return;
  w->phase = phase;
  w->since = stopwatch_now();
}

/** Ends the phase begun last. */
static inline void stopwatch_leave(stopwatch *w) {
  if (!w || --w->depth > 0) return;
  w->timing->time[w->phase] += stopwatch_now() - w->since;
  ++w->timing->calls[w->phase];
}

/** The loop begins, with an empty timing, and ends after so many steps. */
void stopwatch_start(stopwatch *w, torsor_timing *timing);
void stopwatch_stop(stopwatch *w, long steps);

#endif
