/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Energy that events will take, found where the run still stands before them. */
#include <math.h>
#include <stdlib.h>

#include "analysis/dynamics/run_switch.h"

static void walk(torsor_run *r, tape *t) {
  assembly_walk(r->assembly, t);
  run_walk(r, t);
}

/* Is there an event at the end of the last step that switches joints on, with a loss that is not
 * known? */
static bool has_unknown_loss(const torsor_run *r) {
  for (int k = 0; k < r->events.reported; ++k) {
    const torsor_occurrence o = events_occurrence(&r->events, k);
    if (o.t < r->last.t || !isnan(o.lost)) continue;
    for (int i = 0; i < o.event->on_count; ++i)
      if (r->model->element[o.event->on[i]].rows) return true;
  }
  return false;
}

/* Switches as the next step will, without a word, and returns to the state in `before`. */
static torsor_status switch_and_return(torsor_run *r, double *lost, const tape *before) {
  tape back = {.mode = TAPE_READ, .data = before->data, .length = before->length};
  const torsor_hooks *hooks = r->hooks;
  r->hooks = NULL;
  const torsor_status status = run_cut(r, NULL);
  for (int k = 0; k < r->events.reported; ++k) lost[k] = r->events.lost[k];
  r->hooks = hooks;
  r->jumped = false;
  walk(r, &back);
  run_set_companion(r);
  return back.status ? back.status : status;
}

torsor_status run_rehearse(torsor_run *r) {
  if (!r->last.switches || r->time < r->last.t || !has_unknown_loss(r)) return TORSOR_OK;
  tape before = {.mode = TAPE_WRITE};
  double *lost = malloc((size_t)r->events.reported * sizeof *lost);
  if (lost) walk(r, &before);
  const bool good = lost && !before.status;
  if (good && !switch_and_return(r, lost, &before))
    for (int k = 0; k < r->events.reported; ++k) events_note_loss(&r->events, k, lost[k]);
  free(lost);
  tape_release(&before);
  return good ? TORSOR_OK : TORSOR_MEMORY;
}
