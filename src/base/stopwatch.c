/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/stopwatch.h"

/* Number of clock readings that are averaged. */
enum { READINGS = 1000 };

void stopwatch_start(stopwatch *w, torsor_timing *timing) {
  *timing = (torsor_timing){0};
  *w = (stopwatch){.timing = timing, .began = stopwatch_now()};
}

void stopwatch_stop(stopwatch *w, long steps) {
  torsor_timing *p = w->timing;
  const long long end = stopwatch_now();
  long readings = 0;
  long long last = end;
  for (int i = 0; i < READINGS; ++i) last = stopwatch_now();
  for (int i = 0; i < TORSOR_PHASES; ++i) readings += 2 * p->calls[i];
  p->loop = end - w->began;
  p->steps = steps;
  p->reading = (last - end) * readings / READINGS;
}

const char *torsor_phase_name(torsor_phase phase) {
  static const char *const names[TORSOR_PHASES] = {
      [TORSOR_PHASE_RESIDUAL] = "residual",  [TORSOR_PHASE_TANGENT] = "tangent",
      [TORSOR_PHASE_FACTOR] = "factor",      [TORSOR_PHASE_SOLVE] = "solve",
      [TORSOR_PHASE_SEARCH] = "line_search", [TORSOR_PHASE_CONSTRAINTS] = "constraints",
      [TORSOR_PHASE_POWERS] = "powers",      [TORSOR_PHASE_EVENTS] = "events",
      [TORSOR_PHASE_OUTPUT] = "output",      [TORSOR_PHASE_UPKEEP] = "upkeep"};
  const int i = (int)phase;
  return i >= 0 && i < TORSOR_PHASES ? names[i] : NULL;
}

long long torsor_timing_rest(const torsor_timing *timing) {
  long long rest = timing->loop;
  for (int i = 0; i < TORSOR_PHASES; ++i) rest -= timing->time[i];
  return rest;
}
