/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/profile.h"

/* A part of the loop: seconds, per cent, per step and, where they count, calls. */
static void print_part(text *t, const torsor_timing *p, const char *name, long long time,
                       long calls) {
  const double steps = p->steps > 0 ? (double)p->steps : 1;
  const double loop = p->loop > 0 ? (double)p->loop : 1;
  text_printf(t, "  %-11s  %10.4g %6.1f %12.4g", name, 1e-9 * (double)time,
              100 * (double)time / loop, 1e-3 * (double)time / steps);
  if (calls >= 0) text_printf(t, " %10ld", calls);
  text_append(t, "\n");
}

void profile_print(text *t, const torsor_timing *p, const char *loop) {
  text_printf(t, "  %-11s  %10s %6s %12s %10s\n", loop, "s", "%", "us per step", "calls");
  for (int i = 0; i < TORSOR_PHASES; ++i)
    if (p->calls[i] > 0)
      print_part(t, p, torsor_phase_name((torsor_phase)i), p->time[i], p->calls[i]);
  print_part(t, p, "rest", torsor_timing_rest(p), -1);
  print_part(t, p, "sum", p->loop, -1);
  text_printf(t, "  %-11s  %.2g s of it went into reading the clock\n", "about",
              1e-9 * (double)p->reading);
}
