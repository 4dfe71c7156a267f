/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_CLOCK_H
#define TORSOR_ANALYSIS_CLOCK_H

#include <time.h>

/** Seconds of CPU or wall time: CLOCK_THREAD_CPUTIME_ID, CLOCK_MONOTONIC. */
static inline double clock_seconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
