/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/dynamics/run.h"

/* Evaluates the dissipation at the mean velocity of the step's ends or, with `way`, at that of its
 * increment. */
static torsor_status follow_middle(torsor_run *r, bool way) {
  torsor_state state;
  torsor_status status = torsor_integrator_middle(r->integrator, way, &state);
  if (!status) {
    const torsor_point p = observer_point(&state);
    assembly_set_motion(r->assembly, &p);
    status = work_look_middle(&r->observer.work, way, r->assembly, &p);
  }
  return status < 0 ? status : TORSOR_OK;
}

torsor_status run_follow_work(torsor_run *r, const torsor_state *end) {
  work *w = &r->observer.work;
  torsor_status status = TORSOR_OK;
  work_follow(w, end->t);
  for (int k = w->points - 1; k >= WORK_END && !status; --k) {
    torsor_state state = *end;
    if (k > WORK_END)
      status = run_look_at(&state, r, work_time(w, k), r->work_reactions);
    else if (r->work_reactions)
      status = torsor_integrator_settle(r->integrator, &state);
    if (status > 0 && k > WORK_END) {
      w->points = k = WORK_BETWEEN;
      status = TORSOR_OK;
      continue;
    }
    const torsor_point p = observer_point(&state);
    assembly_set_motion(r->assembly, &p);
    if (!status) status = work_look(w, k, r->assembly, &p);
  }
  const bool resolved = torsor_method_is_explicit(torsor_integrator_method(r->integrator));
  if (!status && w->energies && !resolved) status = follow_middle(r, false);
  return !status && work_wants_way(w) ? follow_middle(r, true) : status;
}
