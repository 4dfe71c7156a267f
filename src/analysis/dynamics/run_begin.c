/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/dynamics/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/observe/clock.h"
#include "analysis/start/constraints.h"
#include "analysis/start/initial.h"
#include "analysis/start/jumps.h"
#include "analysis/modes/linear_state.h"
#include "analysis/start/method_check.h"
#include "analysis/dynamics/remarks.h"
#include "analysis/dynamics/run_messages.h"
#include "analysis/statics/statics.h"
#include "analysis/start/warnings.h"
#include "base/vec.h"

/* Refuses a method that does not converge for the model, and warns of one that is only less good.
 */
static torsor_status check_method(const torsor_run *r, torsor_error *error) {
  const torsor_alpha *alpha = &r->simulation->settings.alpha;
  torsor_error problem = {0};
  const torsor_status status = method_check_multipliers(r->model, r->simulation, error);
  if (status) return status;
  torsor_alpha_check_stability(alpha, false, &problem);
  char message[sizeof problem.message + sizeof problem.hint + 4];
  const torsor_settings *settings = &r->simulation->settings;
  const bool index3 = torsor_method_takes(settings->method, "formulation") &&
                      settings->formulation == TORSOR_INDEX3;
  if (index3 && r->model->nl > 0 && torsor_accuracy_is_set(&settings->accuracy))
    run_warn(r, "each change of the step size disturbs the multipliers of the index-3 form for "
                "some steps; \"formulation\": \"ggl\" avoids that");
  if (problem.status) {
    snprintf(message, sizeof message, "%s; %s", problem.message, problem.hint);
    run_warn(r, message);
  }
  if (torsor_alpha_check_order(alpha, &problem)) {
    snprintf(message, sizeof message, "%s; %s", problem.message, problem.hint);
    run_warn(r, message);
  }
  return TORSOR_OK;
}

/* Warns where an element depends on multipliers of redundant rows, which are not unique, so that
 * the element's forces are not either. */
static void tell_ambiguous(const torsor_run *r) {
  char message[300];
  for (int i = 0; i < r->model->element_count; ++i) {
    const model_element *e = &r->model->element[i];
    if (!e->reaction_rows) continue;
    snprintf(message, sizeof message,
             "%s \"%s\" depends on the reactions of \"%s\", which are not unique because "
             "constraint rows are redundant: it uses one of many solutions",
             e->type->name, e->name, r->model->element[e->reaction_of].name);
    run_warn(r, message);
  }
}

/* Reports redundant rows, which the integrator then expects. */
static torsor_status allow_redundant(torsor_run *r, const double *q, torsor_error *error) {
  row_rank rank;
  const torsor_status status = constraints_rank(&rank, r->assembly, q);
  if (status)
    return torsor_fail(error, status, "cannot find the rank of the constraints: %s",
                       torsor_status_text(status));
  r->redundant = rank.dependent_count > 0;
  if (r->redundant) {
    char message[400];
    if (constraints_describe(message, sizeof message, &rank, r->assembly)) run_warn(r, message);
    tell_ambiguous(r);
  }
  assembly_set_redundant(r->assembly, r->redundant);
  row_rank_release(&rank);
  return TORSOR_OK;
}

/* Finds the equilibrium, *q [nq], if the run begins there. */
static torsor_status settle(const double **q, torsor_run *r, torsor_error *error) {
  const torsor_simulation *s = r->simulation;
  if (!s->equilibrium) return TORSOR_OK;
  const torsor_status fit = model_check_tangents(r->model, "an equilibrium", error);
  if (fit) return fit;
  double *found = arena_take(&r->memory, (size_t)r->model->nq, sizeof *found);
  *q = found;
  return found ? statics_settle(found, r->assembly, r->model, s->equilibrium, s->linear_solver,
                                r->hooks, error)
               : torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

/* Finds the steady motion near the scene's velocities. */
static torsor_status find_steady(initial_state *initial, torsor_run *r, torsor_error *error) {
  const size_t nq = (size_t)r->model->nq, nv = (size_t)r->model->nv;
  const torsor_modes_settings settings = {.size = sizeof(torsor_modes_settings),
                                          .about = TORSOR_ABOUT_STEADY,
                                          .linear_solver = r->simulation->linear_solver};
  linear_state state;
  torsor_status status = linear_state_find(&state, r->model, &settings, r->hooks, error);
  *initial = (initial_state){.q = arena_take(&r->memory, nq, sizeof(double)),
                             .v = arena_take(&r->memory, nv, sizeof(double))};
  if (!status && (!initial->q || !initial->v))
    status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  if (!status) {
    memcpy(initial->q, state.q, nq * sizeof *initial->q);
    memcpy(initial->v, state.v, nv * sizeof *initial->v);
    assembly_ignore_rows(r->assembly, assembly_ignored_rows(state.a));
  }
  linear_state_release(&state);
  return status;
}

/* Finds the initial state, and warns where something of it is worth a warning. */
static torsor_status find_initial(initial_state *initial, torsor_run *r, torsor_error *error) {
  const double *settled = NULL;
  torsor_status status = settle(&settled, r, error);
  if (!status)
    status = r->simulation->steady
                 ? find_steady(initial, r, error)
                 : initial_state_find(initial, r->assembly, r->model, settled, &r->memory, error);
  if (!status) status = allow_redundant(r, initial->q, error);
  if (status) return status;
  r->summary->moved_position = initial->moved_position;
  r->summary->moved_velocity = initial->moved_velocity;
  if (!settled && !r->simulation->steady) initial_state_tell(initial, r->model, run_warn_of, r);
  jumps_tell(r->model, r->simulation->duration, run_warn_of, r);
  status = warnings_tell(r->assembly, r->model, initial->q, run_warn_of, r);
  return status ? torsor_fail(error, status, "%s", torsor_status_text(status)) : TORSOR_OK;
}

/* Creates the observer, with memory for rows, events and work. */
static torsor_status create_observer(torsor_run *r, torsor_error *error) {
  const int count = r->signals ? torsor_signals_count(r->signals) : 0;
  observer *o = &r->observer;
  r->row = arena_take(&r->memory, (size_t)count, sizeof *r->row);
  r->jump_q = arena_take(&r->memory, (size_t)r->model->nq, sizeof *r->jump_q);
  r->jump_v = arena_take(&r->memory, (size_t)r->model->nv, sizeof *r->jump_v);
  if (!r->row || !r->jump_q || !r->jump_v ||
      observer_create(o, r->model, r->simulation->linear_solver, r->assembly, &r->memory) ||
      full_state_create(&r->full, r->model, r->hooks, &r->memory))
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  const torsor_status status =
      events_create(&r->events, r->model, o, r->integrator, &r->memory, error);
  if (status) return status;
  const torsor_status found = controllers_create(&r->controllers, r->model, &r->memory, error);
  assembly_set_past(r->assembly, controllers_past, &r->controllers);
  if (found) return found;
  for (int i = 0; i < r->controllers.count; ++i)
    if (r->controllers.sampler[i].signals)
      signals_need(r->controllers.sampler[i].signals, &o->work.energies, &o->work.impulses);
  if (r->signals) signals_need(r->signals, &o->work.energies, &o->work.impulses);
  if (r->events.signals) signals_need(r->events.signals, &o->work.energies, &o->work.impulses);
  const int order = torsor_settings_order(&r->simulation->settings);
  o->work.most = order > 5 ? WORK_POINTS : order > 2 ? WORK_BETWEEN + 2 : WORK_BETWEEN;
  if (work_create(&o->work, r->model, &r->memory))
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  r->reactions = r->signals && signals_need_reactions(r->signals);
  r->work_reactions = work_needs_reactions(&o->work);
  return run_accompany(r, error);
}

/* Returns the position scale: the farthest node or lever arm. */
static double position_scale(const torsor_model *model, const double *q) {
  double scale = model->length;
  for (int i = 0; i < model->node_count; ++i) {
    const model_node *node = &model->node[i];
    if (node->init.group != TORSOR_GROUP_SO3)
      scale = fmax(scale, vec_largest(q + node->first_q, 3));
  }
  return scale;
}

/* Starts the integrator at the initial state. */
static torsor_status begin_motion(torsor_run *r, const initial_state *initial,
                                  torsor_error *error) {
  const torsor_point begin = {.q = initial->q, .v = initial->v};
  if (initial->settled)
    assembly_pass_coordinates(r->assembly, &begin);
  else
    assembly_start_coordinates(r->assembly, &begin);
  torsor_status status = torsor_integrator_start(r->integrator, 0, initial->q, initial->v);
  if (status) return run_report_failed_start(r, 0, status, error);
  const torsor_state state = torsor_integrator_state(r->integrator);
  const torsor_point p = observer_point(&state);
  assembly_set_motion(r->assembly, &p);
  energy_begin(&r->energy, assembly_moved_mass(r->assembly, &p),
               assembly_turned_mass(r->assembly, &p), position_scale(r->model, initial->q));
  assembly_set_motion(r->assembly, &p);
  status = work_start(&r->observer.work, r->assembly, &p);
  if (status)
    return torsor_fail(error, status, "cannot find the powers at the start: %s",
                       torsor_status_text(status));
  r->last = (step_outcome){.stop = -1};
  if (r->events.count && (status = events_begin(&r->events, error))) return status;
  controllers_begin(&r->controllers, r->model);
  r->last.samples = controllers_due(&r->controllers) <= 0;
  return run_settle(r, error);
}

/* Resumes from a checkpoint. */
static torsor_status go_on(torsor_run *r, tape *kept, torsor_error *error) {
  const torsor_status status = run_read(r, kept, error);
  run_set_companion(r);
  if (status || run_goes_on(r)) return status;
  torsor_fail(error, TORSOR_ARGUMENT, "the checkpoint is at t = %.9g s, but the duration is %.9g s",
              r->summary->t, r->simulation->duration);
  torsor_hint(error, "give a longer duration");
  return TORSOR_ARGUMENT;
}

static torsor_status check_inputs(const torsor_model *model, torsor_error *error) {
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < model->inputs && !status; ++i)
    status = model_check_input(model, i, model->input[i].value, error);
  return status;
}

static torsor_status begin(torsor_run *r, tape *kept, torsor_error *error) {
  const torsor_settings *settings = &r->simulation->settings;
  initial_state initial = {0};
  torsor_status status = method_check_times(r->simulation, error);
  if (!status && !kept) status = check_inputs(r->model, error);
  if (!status && !kept) status = check_method(r, error);
  if (status) return status;
  r->rows = rows_plan(r->simulation);
  status = assembly_create(&r->assembly, r->model, r->simulation->linear_solver,
                           torsor_settings_stabilised(settings), error);
  if (!status && settings->metric == TORSOR_METRIC_PLAIN) assembly_correct_plainly(r->assembly);
  if (!status && r->hooks) status = assembly_set_threads(r->assembly, r->hooks->threads, error);
  if (!status) status = kept ? run_read_assembly(r, kept, error) : find_initial(&initial, r, error);
  if (!status) status = method_open(&r->integrator, assembly_problem(r->assembly), settings, error);
  if (!status) status = create_observer(r, error);
  if (!status && r->follower) status = r->follower->begin(r, error);
  if (status) return status;
  if (kept) return go_on(r, kept, error);
  status = begin_motion(r, &initial, error);
  return status || !r->follower ? status : r->follower->check(r, error);
}

torsor_status run_begin(torsor_run *r, tape *kept, torsor_error *error) {
  const double cpu = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
  const torsor_status status = begin(r, kept, error);
  r->cpu_start = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
  r->wall_start = clock_seconds(CLOCK_MONOTONIC);
  r->summary->setup_seconds = r->cpu_start - cpu;
  return status;
}

void run_release(torsor_run *r) {
  if (r->follower) r->follower->release(r);
  torsor_integrator_destroy(r->integrator);
  events_release(&r->events); /* it takes its marks from the assembly */
  assembly_destroy(r->assembly);
  controllers_release(&r->controllers);
  observer_release(&r->observer);
  tape_release(&r->tape);
  arena_release(&r->memory);
}

torsor_summary run_no_summary(const torsor_model *model) {
  torsor_summary s = {.error_estimate = nan(""),
                      .energy_supplied = nan(""),
                      .energy_dissipated = nan(""),
                      .energy_max_balance = nan(""),
                      .limiting = -1};
  for (int i = 0; i < model->element_count; ++i)
    s.energy_exchanged |= work_is_done_by(&model->element[i]);
  return s;
}

void run_conclude(torsor_run *r, bool interrupted) {
  torsor_summary *s = r->summary;
  const torsor_findings f = torsor_integrator_findings(r->integrator);
  s->error_estimate = run_error_estimate(r);
  s->last_step = f.last_step;
  if (f.limiting >= 0) s->limiting = torsor_model_velocity_element(r->model, f.limiting, NULL);
  energy_tell(&r->energy, run_conclude_of, r);
  if (!interrupted)
    remarks_tell(r->integrator, r->model, r->simulation, &r->errors, run_conclude_of, r);
}
