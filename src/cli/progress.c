/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const double interval = 0.5; /* s between two lines */

static double wall_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_start(progress *p, const cli *common, const char *variable, const char *unit) {
  *p = (progress){
      .terminal = isatty(STDERR_FILENO) == 1, .variable = variable, .unit = unit, .from = nan("")};
  p->on = common->progress == PROGRESS_ALWAYS ||
          (common->progress == PROGRESS_AUTO && p->terminal && !common->quiet);
  p->start = p->shown = wall_now();
}

/* Remaining time as m:ss or h:mm:ss. */
static void format_duration(char *out, size_t size, double seconds) {
  const long whole = seconds < 1e9 ? (long)(seconds + 0.5) : 1000000000L;
  const long hours = whole / 3600, minutes = whole / 60 % 60, rest = whole % 60;
  if (hours > 0)
    snprintf(out, size, "%ld:%02ld:%02ld", hours, minutes, rest);
  else
    snprintf(out, size, "%ld:%02ld", minutes, rest);
}

/* Characters that fit on a line: one less, as some terminals begin a new line after the last. */
static int terminal_width(void) {
  struct winsize size;
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  return known ? size.ws_col - 1 : 79;
}

void progress_update(progress *p, double t, double duration, const torsor_counters *counters) {
  if (!p->on) return;
  if (isnan(p->from)) p->from = t;
  const double now = wall_now();
  if (now - p->shown < interval) return;
  p->shown = now;
  const double wall = now - p->start, gone = t - p->from;
  const double steps = counters->steps > 0 ? (double)counters->steps : 1;
  char left[32] = "?";
  if (gone > 0) format_duration(left, sizeof left, wall * (duration - t) / gone);
  char line[160];
  const char *blank = p->unit[0] ? " " : "";
  int length = snprintf(
      line, sizeof line,
      "%s = %.6g of %.6g%s%s  %3.0f %%  %.3g %s/s  %ld steps, %ld rejected  Newton %.2f  %s left",
      p->variable, t, duration, blank, p->unit, duration > 0 ? 100 * t / duration : 100,
      gone / wall, p->unit[0] ? p->unit : "1", counters->steps, counters->rejected_steps,
      (double)counters->newton_iterations / steps, left);
  if (!p->terminal) {
    fprintf(stderr, "%s\n", line);
    return;
  }
  const int room = terminal_width();
  if (length > room) length = room;
  fprintf(stderr, "\r%.*s", length, line);
  if (p->width > length) fprintf(stderr, "%*s", p->width - length, "");
  fflush(stderr);
  p->width = length;
}

void progress_break(progress *p) {
  if (p->width > 0) fputc('\n', stderr);
  p->width = 0;
}
