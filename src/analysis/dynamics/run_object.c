/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/dynamics/run_object.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/observe/layout.h"
#include "analysis/dynamics/run_messages.h"
#include "analysis/dynamics/run_switch.h"
#include "analysis/dynamics/run_vary.h"
#include "analysis/start/options_read.h"
#include "base/options.h"

/* ---- lines of text --------------------------------------------------------------------------- */

bool run_make_room(void **array, int count, int *room, size_t size) {
  if (count < *room) return true;
  const int wanted = *room ? 2 * *room : 8;
  void *moved = realloc(*array, (size_t)wanted * size);
  if (!moved) return false;
  *array = moved;
  *room = wanted;
  return true;
}

static void keep_line(lines *l, const char *message) {
  void *array = l->line;
  const size_t size = strlen(message) + 1;
  char *copy = malloc(size);
  if (!copy || !run_make_room(&array, l->count, &l->room, sizeof *l->line)) {
    free(copy);
    l->lost = true;
    return;
  }
  memcpy(copy, message, size);
  l->line = array;
  l->line[l->count++] = copy;
}

static void take_line(void *data, const char *message) {
  led_run *l = data;
  if (l->warn)
    l->warn(l->data, message);
  else
    keep_line(&l->warnings, message);
}

const char *torsor_run_warning(torsor_run *run) {
  lines *l = &led(run)->warnings;
  return l->read < l->count ? l->line[l->read++] : NULL;
}

static void release_lines(lines *l) {
  for (int i = 0; i < l->count; ++i) free(l->line[i]);
  free(l->line);
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Completes the options of a caller who may know fewer of them. */
static torsor_status complete(torsor_run_options *all, const torsor_run_options *options,
                              torsor_error *error) {
  *all = (torsor_run_options)TORSOR_RUN_OPTIONS_INIT;
  if (!options) return TORSOR_OK;
  return options_read(all, sizeof *all, options, "torsor_run_options", "TORSOR_RUN_OPTIONS_INIT",
                      error);
}

static torsor_status no_memory(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

/* Lets a call fail that has lost a line of text. */
static torsor_status check_lines(led_run *l, torsor_status status, torsor_error *error) {
  const bool lost = l->warnings.lost;
  l->warnings.lost = false;
  return lost && !status ? no_memory(error) : status;
}

/* Copies the texts that the simulation has from its caller. */
static torsor_status copy_words(led_run *l, torsor_error *error) {
  torsor_simulation *s = &l->simulation;
  arena *memory = &l->run.memory;
  if (s->settings.method && !(s->settings.method = arena_string(memory, s->settings.method)))
    return no_memory(error);
  if (s->linear_solver && !(s->linear_solver = arena_string(memory, s->linear_solver)))
    return no_memory(error);
  return TORSOR_OK;
}

/* Returns the shape of the run: a simulation without an end begins like one of a single step. */
static torsor_simulation shape(const torsor_simulation *simulation, bool open_end) {
  torsor_simulation s = *simulation;
  if (open_end && !(s.duration > 0)) s.duration = s.settings.step;
  return s;
}

static torsor_status choose(led_run *l, const torsor_simulation *simulation, torsor_error *error) {
  const torsor_simulation shaped = shape(simulation, l->open_end);
  torsor_simulation chosen;
  const torsor_status status =
      torsor_choose_steps(&chosen, &l->choice, l->run.model, &shaped, &l->hooks, error);
  if (status) return status;
  torsor_choice_tell(&l->choice, &chosen, l->run.model, &l->hooks);
  l->simulation = torsor_simulation_chosen(&chosen);
  return copy_words(l, error);
}

/* Takes the memory of the views [nq + 2 nv + nl]. */
static torsor_status take_views(led_run *l, torsor_error *error) {
  const torsor_model *model = l->run.model;
  const size_t nq = (size_t)model->nq, nv = (size_t)model->nv, nl = (size_t)model->nl;
  l->q = arena_take(&l->run.memory, nq + 2 * nv + nl, sizeof *l->q);
  if (!l->q) return no_memory(error);
  l->v = l->q + nq;
  l->a = l->v + nv;
  l->lambda = l->a + nv;
  return TORSOR_OK;
}

/* Records the energy at the present time for the summary. */
static torsor_status note_energy(led_run *l, torsor_error *error) {
  torsor_run *r = &l->run;
  torsor_point p;
  const torsor_status status = run_look(r, &p, r->time, false, error);
  if (status) return status;
  const torsor_balance sum = balance_sum(r->assembly, r->model, &p);
  energy_note(&r->energy, r->summary, &sum, &r->observer.work);
  observer_note_residuals(r->summary, &r->observer);
  return TORSOR_OK;
}

static torsor_status begin(led_run *l, const torsor_simulation *simulation,
                           const torsor_run_options *options, torsor_error *error) {
  torsor_run *r = &l->run;
  torsor_status status = choose(l, simulation, error);
  if (status) return status;
  r->simulation = &l->simulation;
  status = torsor_signals_create(&l->judged, r->model, NULL, 0, NULL, error);
  if (status) return status;
  r->judged = l->judged;
  r->signals = options->signals;
  r->follower = run_vary_follower(options->signals);
  status = run_begin(r, NULL, error);
  r->signals = NULL;
  l->simulation.equilibrium = NULL; /* the caller's */
  if (l->open_end) {
    r->rows.end = HUGE_VAL;
    r->rows.last = LONG_MAX;
  }
  if (!status) status = take_views(l, error);
  if (!status) status = note_energy(l, error);
  if (!status) run_note_step(r);
  return status;
}

torsor_status torsor_run_create(torsor_run **out, const torsor_model *model,
                                const torsor_simulation *simulation,
                                const torsor_run_options *options, torsor_error *error) {
  *out = NULL;
  torsor_run_options all;
  torsor_simulation asked;
  torsor_status status = complete(&all, options, error);
  if (!status) status = simulation_complete(&asked, simulation, error);
  if (status) return status;
  led_run *l = calloc(1, sizeof *l);
  if (!l) return no_memory(error);
  l->floor = -HUGE_VAL;
  l->warn = all.warn;
  l->data = all.data;
  l->open_end = all.open_end;
  l->hooks = (torsor_hooks){
      .size = sizeof(torsor_hooks), .data = l, .warn = take_line, .threads = all.threads};
  l->summary = run_no_summary(model);
  l->original = model;
  l->model = *model;
  l->run.model = &l->model;
  l->run.hooks = &l->hooks;
  l->run.summary = &l->summary;
  status = check_lines(l, begin(l, &asked, &all, error), error);
  if (status)
    torsor_run_destroy(&l->run);
  else
    *out = &l->run;
  return status;
}

void torsor_run_destroy(torsor_run *run) {
  if (!run) return;
  led_run *l = led(run);
  run_release(run);
  torsor_signals_destroy(l->judged);
  release_lines(&l->warnings);
  free(l->occurrence);
  free(l->change);
  free(l);
}

/* ---- where it stands ------------------------------------------------------------------------- */

double torsor_run_time(const torsor_run *run) {
  return run->time;
}

double torsor_run_step_end(const torsor_run *run) {
  return fmin(run->last.t, run->rows.end);
}

bool torsor_run_finished(const torsor_run *run) {
  return run->time >= run->rows.end || (run->last.stop >= 0 && run->time >= run->last.t);
}

static void fill_nan(double *values, int count) {
  for (int i = 0; i < count; ++i) values[i] = nan("");
}

static void show_reactions(led_run *l) {
  torsor_run *r = &l->run;
  torsor_point p;
  if (!run_look(r, &p, r->time, true, NULL)) {
    memcpy(l->a, p.a, (size_t)r->model->nv * sizeof *l->a);
    memcpy(l->lambda, p.lambda, (size_t)r->model->nl * sizeof *l->lambda);
  } else {
    fill_nan(l->a, r->model->nv);
    fill_nan(l->lambda, r->model->nl);
  }
}

static void show_motion(led_run *l) {
  torsor_run *r = &l->run;
  torsor_state state;
  if (!run_look_at(&state, r, r->time, l->shows_reactions)) {
    memcpy(l->q, state.q, (size_t)r->model->nq * sizeof *l->q);
    memcpy(l->v, state.v, (size_t)r->model->nv * sizeof *l->v);
  } else {
    fill_nan(l->q, r->model->nq);
    fill_nan(l->v, r->model->nv);
  }
}

void run_show(led_run *l) {
  if (l->shows_motion) show_motion(l);
  if (l->shows_reactions) show_reactions(l);
}

static torsor_view view_motion(led_run *l, const double *value, int count) {
  if (!l->shows_motion) {
    l->shows_motion = true;
    show_motion(l);
  }
  return (torsor_view){value, (size_t)count};
}

static torsor_view view_reactions(led_run *l, const double *value, int count) {
  if (!l->shows_reactions) {
    l->shows_reactions = true;
    show_reactions(l);
  }
  return (torsor_view){value, (size_t)count};
}

torsor_view torsor_run_q(torsor_run *run) {
  return view_motion(led(run), led(run)->q, run->model->nq);
}

torsor_view torsor_run_v(torsor_run *run) {
  return view_motion(led(run), led(run)->v, run->model->nv);
}

torsor_view torsor_run_a(torsor_run *run) {
  return view_reactions(led(run), led(run)->a, run->model->nv);
}

torsor_view torsor_run_lambda(torsor_run *run) {
  return view_reactions(led(run), led(run)->lambda, run->model->nl);
}

/* Restarts the motion where something jumped here, before the state is evaluated. */
static torsor_status settle_here(led_run *l, torsor_error *error) {
  if (!l->run.disturbed) return TORSOR_OK;
  const torsor_status status = run_settle(&l->run, error);
  run_show(l);
  return status;
}

torsor_status torsor_run_values(torsor_run *run, const torsor_signals *signals, double *values,
                                torsor_error *error) {
  torsor_point p;
  torsor_status status = settle_here(led(run), error);
  if (!status) status = run_look(run, &p, run->time, signals_need_reactions(signals), error);
  if (status) return status;
  observer_note_residuals(run->summary, &run->observer);
  observer_remark(&run->observer, &p, "t", p.t, run_warn_of, run);
  observer_signals(&run->observer, values, signals, &p, NULL);
  return run_vary_fill(run, values, signals, p.t, error);
}

torsor_status torsor_run_frame(torsor_run *run, const torsor_layout *layout, unsigned fields,
                               double *values, torsor_error *error) {
  torsor_point p;
  torsor_frame frame;
  torsor_status status = settle_here(led(run), error);
  if (!status) status = run_look(run, &p, run->time, true, error);
  if (status) return status;
  const torsor_balance sum = balance_sum(run->assembly, run->model, &p);
  torsor_frame_lay(&frame, layout, fields, values);
  full_state_fill(&frame, &run->full, &run->observer, &p, p.t, &sum);
  return TORSOR_OK;
}

double torsor_run_signal(torsor_run *run, const char *name) {
  torsor_signals *signals;
  double value = nan("");
  if (torsor_signals_create(&signals, run->model, &name, 1, NULL, NULL)) return nan("");
  if (torsor_signals_count(signals) != 1 || torsor_run_values(run, signals, &value, NULL))
    value = nan("");
  torsor_signals_destroy(signals);
  return value;
}

/* ---- going on -------------------------------------------------------------------------------- */

void torsor_run_conclude(torsor_run *run) {
  run_conclude(run, false);
}

const torsor_summary *torsor_run_summary(torsor_run *run) {
  led_run *l = led(run);
  const torsor_findings f = torsor_integrator_findings(run->integrator);
  note_energy(l, NULL);
  run_note_time(run);
  l->shown = l->summary;
  l->shown.t = run->time;
  l->shown.counters = torsor_integrator_counters(run->integrator);
  l->shown.events = l->summary.events - events_shown(&run->events, run->last.reported);
  l->shown.last_step = f.last_step;
  if (!torsor_run_finished(run)) l->shown.stopped_by = NULL;
  l->shown.error_estimate = isfinite(l->choice.error) ? l->choice.error : run_error_estimate(run);
  return &l->shown;
}

int torsor_run_occurrences(const torsor_run *run, const torsor_occurrence **out) {
  const led_run *l = (const led_run *)run;
  *out = l->occurrence;
  return l->occurrences;
}

/* Records the occurrences of the last step up to the present time. */
static torsor_status note_occurrences(led_run *l, torsor_error *error) {
  torsor_run *r = &l->run;
  for (; r->last.reported < r->events.reported; ++r->last.reported) {
    const torsor_occurrence o = events_occurrence(&r->events, r->last.reported);
    void *array = l->occurrence;
    if (o.t > r->time) return TORSOR_OK;
    if (o.event->kink) continue;
    if (!run_make_room(&array, l->occurrences, &l->occurrence_room, sizeof o))
      return no_memory(error);
    l->occurrence = array;
    l->occurrence[l->occurrences++] = o;
  }
  return TORSOR_OK;
}

/* Moves the present time to t, in the last step. */
static torsor_status stand(led_run *l, double t, torsor_error *error) {
  l->run.time = t;
  if (run_rehearse(&l->run)) return no_memory(error);
  const torsor_status status = note_occurrences(l, error);
  if (status || !torsor_run_finished(&l->run) || l->concluded) return status;
  l->concluded = true;
  note_energy(l, NULL);
  run_conclude(&l->run, false);
  return TORSOR_OK;
}

static torsor_status take_step(led_run *l, double limit, torsor_error *error) {
  const torsor_status status = run_step(&l->run, limit, error);
  l->summary.status = status;
  if (!status) run_note_step(&l->run);
  if (!status) return TORSOR_OK;
  l->run.time =
      fmax(l->run.time, fmin(l->run.last.t, torsor_integrator_state(l->run.integrator).t));
  return status == TORSOR_ARGUMENT ? run_blame_step(&l->run, error) : status;
}

/* Prepares a step from the present time: goes to the end of the last one or, where something
 * jumped, restarts the motion here. */
static torsor_status leave(led_run *l, torsor_error *error) {
  return l->run.disturbed ? run_settle(&l->run, error)
                          : stand(l, torsor_run_step_end(&l->run), error);
}

torsor_status torsor_run_step(torsor_run *run, torsor_error *error) {
  led_run *l = led(run);
  l->occurrences = 0;
  if (torsor_run_finished(run))
    return torsor_fail(error, TORSOR_ARGUMENT, "the run has finished at t = %.9g s", run->time);
  torsor_status status = leave(l, error);
  if (!status && !torsor_run_finished(run)) {
    status = take_step(l, HUGE_VAL, error);
    if (!status) status = stand(l, torsor_run_step_end(run), error);
  }
  run_show(l);
  return check_lines(l, status, error);
}

/* Returns the start of the last step. */
static double step_begin(const torsor_run *run) {
  const torsor_state state = torsor_integrator_state(run->integrator);
  return state.t - torsor_integrator_findings(run->integrator).last_step;
}

static torsor_status check_time(const torsor_run *run, double t, torsor_error *error) {
  if (!isfinite(t)) return torsor_fail(error, TORSOR_ARGUMENT, "a run cannot go to t = %g s", t);
  const double begin = fmax(((const led_run *)run)->floor, step_begin(run));
  if (t >= begin) return TORSOR_OK;
  torsor_fail(error, TORSOR_ARGUMENT,
              "a run cannot go back to t = %.9g s: its last step is from %.9g s to %.9g s", t,
              begin, torsor_run_step_end(run));
  torsor_hint(error, "save a state that is needed again by torsor_run_save");
  return TORSOR_ARGUMENT;
}

static torsor_status go_to(led_run *l, double t, bool ends, torsor_error *error) {
  torsor_run *r = &l->run;
  torsor_status status = check_time(r, t, error);
  l->occurrences = 0;
  if (status) return status;
  if (t == r->time || (t <= torsor_run_step_end(r) && !r->disturbed)) {
    status = stand(l, t, error);
  } else {
    status = leave(l, error);
    while (!status && !torsor_run_finished(r) && r->time < t) {
      status = take_step(l, ends ? t : HUGE_VAL, error);
      if (!status) status = stand(l, fmin(t, torsor_run_step_end(r)), error);
    }
  }
  run_show(l);
  return check_lines(l, status, error);
}

torsor_status torsor_run_advance(torsor_run *run, double t, torsor_error *error) {
  return go_to(led(run), t, false, error);
}

torsor_status torsor_run_end_at(torsor_run *run, double t, torsor_error *error) {
  return go_to(led(run), t, true, error);
}

torsor_status torsor_run_record(torsor_run *run, const torsor_signals *signals, const double *times,
                                int count, double *values, torsor_error *error) {
  const int columns = torsor_signals_count(signals);
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < count && !status; ++i) {
    if (i > 0 && !(times[i] >= times[i - 1]))
      return torsor_fail(error, TORSOR_ARGUMENT, "times[%d] = %.9g s is before times[%d] = %.9g s",
                         i, times[i], i - 1, times[i - 1]);
    status = torsor_run_advance(run, times[i], error);
    if (!status)
      status = torsor_run_values(run, signals, values + (size_t)i * (size_t)columns, error);
  }
  return status;
}

/* ---- changes --------------------------------------------------------------------------------- */

torsor_status torsor_run_set_step(torsor_run *run, double step, torsor_error *error) {
  led_run *l = led(run);
  if (!(step > 0) || !isfinite(step))
    return torsor_fail(error, TORSOR_ARGUMENT, "a step must be greater than 0, but is %g s", step);
  torsor_status status = run_refuse_change(run, error);
  if (!status) status = run_cut(run, error);
  if (status) return status;
  l->simulation.settings.step = step;
  run->off_rows = true;
  if (run->jumped) {
    status = run_restart(run);
    if (status) return run_report_failed_start(run, run->last.t, status, error);
  }
  status = torsor_integrator_set_step(run->integrator, run->last.t, step);
  if (status) return run_report_failed_start(run, run->last.t, status, error);
  return run_follow_restart(run, error);
}

/* Reports the joint whose constraint is violated most at q. */
static torsor_status report_inconsistent(const torsor_run *r, const double *q, const double *v,
                                         torsor_error *error) {
  const torsor_problem *problem = assembly_problem(r->assembly);
  const torsor_point p = {.t = r->time, .q = q, .v = v};
  int worst = -1, row;
  if (!problem->residual(problem->self, &p, NULL, r->observer.phi, r->observer.phi_v))
    for (int i = 0; i < r->model->nl; ++i)
      if (worst < 0 || fabs(r->observer.phi[i]) > fabs(r->observer.phi[worst])) worst = i;
  torsor_fail(error, TORSOR_INCONSISTENT, "the state cannot be moved onto the constraints");
  if (worst < 0) return TORSOR_INCONSISTENT;
  const model_element *joint = &r->model->element[torsor_model_row_element(r->model, worst, &row)];
  torsor_fail(
      error, TORSOR_INCONSISTENT,
      "the state cannot be moved onto the constraints: it violates row %d of %s \"%s\" by %.3g",
      row, joint->type->name, joint->name, r->observer.phi[worst]);
  torsor_blame(error, joint->name);
  return TORSOR_INCONSISTENT;
}

/* Largest error of a quaternion's length: that of decimal numbers with six digits. */
static const double MOST_OFF_UNIT = 1e-6;

static torsor_status check_state(const torsor_model *model, const double *q, const double *v,
                                 torsor_error *error) {
  for (int i = 0; i < model->nq; ++i)
    if (!isfinite(q[i]))
      return torsor_fail(error, TORSOR_ARGUMENT, "q[%d] of the state is not finite", i);
  for (int i = 0; i < model->nv; ++i)
    if (!isfinite(v[i]))
      return torsor_fail(error, TORSOR_ARGUMENT, "v[%d] of the state is not finite", i);
  for (int i = 0; i < model->node_count; ++i) {
    const model_node *node = &model->node[i];
    if (node->init.group == TORSOR_GROUP_R3) continue;
    const int first = node->first_q + (node->init.group == TORSOR_GROUP_SO3 ? 0 : 3);
    const double *p = q + first;
    const double norm = sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
    if (!(fabs(norm - 1) <= MOST_OFF_UNIT))
      return torsor_fail(
          error, TORSOR_ARGUMENT,
          "q[%d] to q[%d] of the state must be a unit quaternion w x y z, but its norm is %g",
          first, first + 3, norm);
  }
  return TORSOR_OK;
}

torsor_status torsor_run_set_state(torsor_run *run, const double *q, const double *v,
                                   torsor_error *error) {
  led_run *l = led(run);
  torsor_status status = check_state(run->model, q, v, error);
  if (!status) status = run_refuse_change(run, error);
  if (!status) status = run_cut(run, error);
  if (status) return status;
  run->jumped = false;
  status = torsor_integrator_restart_from(run->integrator, run->last.t, q, v);
  if (status) return report_inconsistent(run, q, v, error);
  const torsor_state state = torsor_integrator_state(run->integrator);
  const torsor_point p = observer_point(&state);
  assembly_start_coordinates(run->assembly, &p);
  run->events.begun = false;
  status = run_follow_restart(run, error);
  run_show(l);
  return status;
}
