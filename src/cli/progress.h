/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_PROGRESS_H
#define TORSOR_CLI_PROGRESS_H

#include <torsor/analysis.h>

#include "cli/cli.h"

/** Progress of a simulation on stderr: one line that is written again on a terminal, lines
 *  elsewhere; on a terminal cut to its width.  Never coloured, so NO_COLOR asks for nothing
 *  more. */
typedef struct progress {
  bool on, terminal;
  const char *variable, *unit; /* the progressing variable and its unit */
  int width;                   /* width of the current line on the terminal */
  double start, shown;         /* monotonic wall time, s */
  double from;                 /* where the first update found the variable; NaN before */
} progress;

/** `variable` goes from 0, or from where an earlier run ended, to an end, in `unit`: "t", "s". */
void progress_start(progress *p, const cli *common, const char *variable, const char *unit);

/** Show the state when the last line is half a second old. */
void progress_update(progress *p, double t, double duration, const torsor_counters *counters);

/** Leave the terminal's line, so that other messages can follow. */
void progress_break(progress *p);

#endif
