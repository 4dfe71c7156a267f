/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study/watch.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/dynamics/run.h"
#include "analysis/dynamics/run_vary.h"
#include "cli/study/study_read.h"

typedef struct watcher {
  torsor_run *run;
  const torsor_signals *signals;
  reductions *reductions;
  double *row;
  double before; /* time at which crossings were last looked for */
  torsor_error *error;
} watcher;

static torsor_status look(const watcher *w) {
  return w->signals ? torsor_run_values(w->run, w->signals, w->row, w->error) : TORSOR_OK;
}

static torsor_status look_at(const watcher *w, double t) {
  const torsor_status status = torsor_run_advance(w->run, t, w->error);
  return status ? status : look(w);
}

/* ---- zeros -------------------------------------------------------------------------------------
 */

static bool is_watched(const reductions *r, int i) {
  const study_reduction reduction = r->study->output[i].reduction;
  return (reduction == REDUCE_TIME_OF || reduction == REDUCE_COUNT_OF) && !r->gauge[i].event;
}

/* Root of output i between a and b, where its signs differ: false position, Illinois' variant. */
static torsor_status find_root(const watcher *w, int i, double a, double b, double *root) {
  enum { MOST = 100 };
  torsor_status status = look_at(w, a);
  double fa = reductions_value(w->reductions, i, a, w->row);
  if (!status) status = look_at(w, b);
  double fb = reductions_value(w->reductions, i, b, w->row);
  int side = 0;
  *root = fb == 0 || !((fa > 0) != (fb > 0)) ? b : 0.5 * (a + b);
  if (fa == 0) *root = a;
  if (fa == 0 || fb == 0 || (fa > 0) == (fb > 0)) return status;
  for (int k = 0; k < MOST && !status && b - a > 4 * DBL_EPSILON * fabs(b); ++k) {
    double t = (fa * b - fb * a) / (fa - fb);
    if (!(t > a && t < b)) t = 0.5 * (a + b);
    *root = t;
    if (t <= a || t >= b) return status;
    status = look_at(w, t);
    const double f = reductions_value(w->reductions, i, t, w->row);
    if (f == 0) return status;
    const bool left = (f > 0) == (fa > 0);
    if (left) {
      a = t;
      fa = f;
      if (side == 1) fb *= 0.5;
    } else {
      b = t;
      fb = f;
      if (side == -1) fa *= 0.5;
    }
    side = left ? 1 : -1;
  }
  return status;
}

/* Looks for crossings between the last time and the end of the step. */
static torsor_status look_for_crossings(watcher *w) {
  reductions *r = w->reductions;
  const double t = torsor_run_time(w->run);
  torsor_status status = look(w);
  bool moved = false;
  for (int i = 0; i < r->study->outputs && !status; ++i) {
    if (!is_watched(r, i)) continue;
    if (moved) status = look_at(w, t);
    const double y = reductions_value(r, i, t, w->row);
    const double since = fmax(r->gauge[i].sign_t, w->before);
    if (status || !reductions_crosses(r, i, t, y)) continue;
    double root = t;
    status = find_root(w, i, since, t, &root);
    r->gauge[i].sign_t = t;
    moved = true;
    if (!status) reductions_crossed(r, i, root);
  }
  w->before = t;
  return status || !moved ? status : torsor_run_advance(w->run, t, w->error);
}

/* ---- steps -------------------------------------------------------------------------------------
 */

static void note_events(const watcher *w) {
  reductions *r = w->reductions;
  const torsor_occurrence *occurrence;
  const int count = r->events ? torsor_run_occurrences(w->run, &occurrence) : 0;
  for (int k = 0; k < count; ++k)
    for (int i = 0; i < r->study->outputs; ++i) {
      const int direction = r->study->output[i].direction;
      const bool counts = !direction || (direction > 0) == occurrence[k].rising;
      const char *event = r->gauge[i].event;
      if (event && counts && strcmp(event, occurrence[k].event->name) == 0)
        reductions_crossed(r, i, occurrence[k].t);
    }
}

/* Takes the steps up to the one that has t in it. */
static torsor_status step_to(watcher *w, double t) {
  torsor_status status = TORSOR_OK;
  const bool steps = w->reductions->steps, noted = w->reductions->events;
  while (!status && (steps || noted) && torsor_run_step_end(w->run) < t &&
         !torsor_run_finished(w->run)) {
    status = torsor_run_step(w->run, w->error);
    if (!status && noted) note_events(w);
    if (!status && steps) status = look_for_crossings(w);
  }
  return status;
}

/* Goes to t, and on the way to the times that outputs ask for. */
static torsor_status go_to(watcher *w, double t) {
  torsor_status status = TORSOR_OK;
  const double now = torsor_run_time(w->run);
  for (double at = reductions_next(w->reductions, now); at < t && !status;
       at = reductions_next(w->reductions, at)) {
    status = step_to(w, at);
    if (!status) status = look_at(w, at);
    if (!status && torsor_run_time(w->run) == at) reductions_look(w->reductions, at, w->row);
  }
  if (!status) status = step_to(w, t);
  return status ? status : torsor_run_advance(w->run, t, w->error);
}

static torsor_status show_row(const watcher *w) {
  const double t = torsor_run_time(w->run);
  const torsor_status status = look(w);
  if (status) return status;
  reductions_look(w->reductions, t, w->row);
  return reductions_row(w->reductions, t, w->row) ? study_memory_short(w->error) : TORSOR_OK;
}

/* Derivatives hold between changes from sticking to slipping only. */
static torsor_status check_slopes(const watcher *w) {
  if (!w->reductions->slopes || !run_sticks(w->run)) return TORSOR_OK;
  return torsor_fail(w->error, TORSOR_SCENE,
                     "some forces stick and slip, and derivatives hold as long as none of them "
                     "changes from one to the other");
}

torsor_status watch_run(torsor_run *run, const torsor_signals *signals, reductions *r, double *row,
                        torsor_error *error) {
  watcher w = {.run = run, .signals = signals, .reductions = r, .row = row, .error = error};
  torsor_status status = check_slopes(&w);
  if (!status) status = show_row(&w);
  w.before = torsor_run_time(run);
  for (int i = 0; i < r->study->outputs && !status; ++i)
    if (is_watched(r, i)) reductions_crosses(r, i, 0, reductions_value(r, i, 0, row));
  const long first = r->rows ? 1 : run->rows.last; /* only the end counts without rows */
  for (long n = first; n <= run->rows.last && !status && !torsor_run_finished(run); ++n) {
    status = go_to(&w, run_row_time(run, n));
    if (!status) status = show_row(&w);
  }
  return status;
}

void watch_begin_with(torsor_model *model, const study *s, const double *value) {
  for (int i = 0; i < s->variables; ++i) {
    const int input = torsor_model_input_find(model, s->variable[i].input);
    if (input >= 0) run_begin_input(model, input, value[i]);
  }
}
