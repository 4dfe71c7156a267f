/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/statics/statics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/statics/buckling.h"
#include "analysis/observe/clock.h"
#include "analysis/start/constraints.h"
#include "analysis/observe/full_state.h"
#include "analysis/start/initial.h"
#include "analysis/statics/load_path.h"
#include "analysis/observe/observer.h"
#include "analysis/start/options_read.h"
#include "analysis/start/ranges.h"
#include "analysis/statics/unconstrained.h"
#include "analysis/statics/unstable.h"
#include "base/options.h"
#include "base/text.h"

/* Number of Newton corrections at which arc-length steps aim. */
enum { WANTED_ITERATIONS = 4 };

/* To find a critical point, steps are cut down to this fraction of the longest. */
static const double SHORT = 0x1p-12;

/* Critical points within this fraction of the longest step are one, in which several directions
 * become unstable; for a column that is meant to be round, the loads of two directions differ by
 * less. */
static const double AT_ONCE = 0x1p-10;

/* A path with more points than this that has not met its load goes in a circle. */
enum { MOST_POINTS = 20000 };

typedef struct statics_run {
  const torsor_model *model;
  const torsor_statics *settings;
  const torsor_signals *signals;
  const torsor_hooks *hooks;
  const char *solver;
  torsor_statics_summary *summary;
  stopwatch stopwatch, *watch; /* nothing is timed where `watch` is NULL */
  arena memory;
  assembly *assembly;
  load_path path;
  observer observer;
  full_state full;
  double *row, *rest;
  long point;   /* number of the point along the path */
  bool settles; /* a simulation wants the end only, and reports everything else itself */
} statics_run;

static torsor_statics defaults(void) {
  return (torsor_statics){.size = sizeof(torsor_statics),
                          .until = 1,
                          .steps = 10,
                          .arc = 0.1,
                          .tolerance = 1e-10,
                          .max_iterations = 20,
                          .max_halvings = 20};
}

static torsor_status complete(torsor_statics *out, const torsor_statics *given,
                              torsor_error *error) {
  *out = defaults();
  return options_read(out, sizeof *out, given, "torsor_statics", "torsor_statics_default()", error);
}

void torsor_statics_fit(torsor_statics *out, size_t size, const torsor_statics *from) {
  torsor_statics all = defaults();
  memset(out, 0, size);
  if (from && complete(&all, from, NULL)) return;
  options_write(out, size, &all, sizeof all);
}

static void warn_of(void *data, const char *message) {
  const statics_run *r = data;
  if (r->hooks && r->hooks->warn) r->hooks->warn(r->hooks->data, message);
}

/* ---- output ------------------------------------------------------------------------------ */

/* Hands out one row.  Every row is a full state, since paths are short and their end is known only
 * afterwards. */
static torsor_status hand_out(statics_run *r, double t, double load, const torsor_point *p) {
  const torsor_hooks *hooks = r->hooks;
  const torsor_balance sum = balance_sum(r->assembly, r->model, p);
  torsor_status status = TORSOR_OK;
  if (hooks && hooks->record) {
    if (r->signals) observer_signals(&r->observer, r->row, r->signals, p, &sum);
    status =
        hooks->record(hooks->data, t, r->row, r->signals ? torsor_signals_count(r->signals) : 0);
  }
  if (status < 0) return status;
  return full_state_hand_out(&r->full, &r->observer, p, load, &sum);
}

/* Makes one row of output for a point of the path. */
static torsor_status make_row(statics_run *r, const static_point *at, double t,
                              torsor_error *error) {
  const torsor_problem *problem = assembly_problem(r->assembly);
  const torsor_state state = {.q = at->q,
                              .v = r->rest,
                              .a = r->rest,
                              .lambda = at->lambda,
                              .redundant = problem->redundant};
  torsor_statics_summary *s = r->summary;
  torsor_point p;
  assembly_set_load(r->assembly, at->load, r->path.e.all);
  torsor_status status = observer_look(&r->observer, &p, &state, error);
  if (status) return status;
  for (int i = 0; i < problem->nl; ++i) s->max_phi = fmax(s->max_phi, fabs(r->observer.phi[i]));
  ++s->rows;
  if (at->load != 0) observer_remark(&r->observer, &p, "load", at->load, warn_of, r);
  status = hand_out(r, t, at->load, &p);
  return status < 0 ? torsor_fail(error, status, "the output at load %.9g failed: %s", at->load,
                                  torsor_status_text(status))
                    : TORSOR_OK;
}

static torsor_status record(statics_run *r, const static_point *at, double t, torsor_error *error) {
  stopwatch_enter(r->watch, TORSOR_PHASE_OUTPUT);
  const torsor_status status = make_row(r, at, t, error);
  stopwatch_leave(r->watch);
  return status;
}

static torsor_status record_now(statics_run *r, torsor_error *error) {
  const path_point *now = &r->path.now;
  if (r->settings->only_critical || !r->path.found) return TORSOR_OK;
  return record(r, &now->p, now->p.load, error);
}

/* ---- steps ------------------------------------------------------------------------------- */

static torsor_status report_failure(statics_run *r, torsor_status status, double step,
                                    torsor_error *error) {
  load_path *path = &r->path;
  const torsor_status answer = status < 0 ? status : TORSOR_STEP;
  const int failed = assembly_failed_element(r->assembly);
  char where[160] = "";
  if (status == TORSOR_DOMAIN && failed >= 0)
    snprintf(where, sizeof where, "; evaluation of %s \"%s\"", r->model->element[failed].type->name,
             r->model->element[failed].name);
  torsor_fail(error, answer, "no equilibrium is found %s load %.9g (step %.3g): %s%s",
              path->found ? "beyond" : "near", path->now.p.load, step, torsor_status_text(status),
              where);
  if (status == TORSOR_DOMAIN)
    ranges_hint(r->model, failed, error);
  else if (r->settles)
    torsor_hint(error, "`torsor statics` follows the load with more \"steps\" and shows how far it "
                       "can grow: beyond that there is no equilibrium nearby");
  else if (!path->found || !path->now.known)
    torsor_hint(error, "the scene may be unconstrained where it begins: start it nearer to its "
                       "equilibrium, or add a weak spring; more \"max_iterations\" help contacts");
  else if (!path->arc)
    torsor_hint(error,
                "the load may have reached a limit point, beyond which it must fall: \"method\": "
                "\"arc_length\" passes it; more \"max_iterations\" help contacts");
  else
    torsor_hint(error, "the path may have a corner here, where contacts open or close: \"method\": "
                       "\"newton\" finds loads beyond it that have an equilibrium");
  return answer;
}

static void note_step(statics_run *r, double size) {
  torsor_counters *c = &r->summary->counters;
  c->smallest_step = c->steps ? fmin(c->smallest_step, size) : size;
  c->largest_step = fmax(c->largest_step, size);
  ++c->steps;
  r->summary->load = r->path.now.p.load;
  stopwatch_enter(r->watch, TORSOR_PHASE_UPKEEP);
  if (r->hooks && r->hooks->progress)
    r->hooks->progress(r->hooks->data, r->summary->load, r->settings->until, c);
  stopwatch_leave(r->watch);
}

static bool is_stopped(const statics_run *r) {
  return r->hooks && r->hooks->stop && r->hooks->stop(r->hooks->data);
}

/* Records a critical point within a step of at most `longest`.  Several of them are separated by
 * shorter steps.  A step between two branches misses it: NEWTON, until the step is short. */
static torsor_status note_critical(statics_run *r, double step, double longest, bool limit,
                                   torsor_error *error) {
  torsor_statics_summary *s = r->summary;
  load_path *path = &r->path;
  const int turned = load_path_turned(path);
  torsor_status status = load_path_locate(path, step, limit);
  if (!status && abs(turned) > 1)
    status = load_path_confirm(path, step, path->now.unstable + turned, AT_ONCE * fabs(longest));
  if (status < 0) return torsor_fail(error, status, "%s", torsor_status_text(status));
  if (status && fabs(step) > SHORT * fabs(longest)) return status;
  if (status) {
    char message[200];
    snprintf(message, sizeof message,
             "the critical point after load %.9g could not be located: the path may have jumped "
             "to another one",
             path->now.p.load);
    warn_of(r, message);
    return TORSOR_OK;
  }
  const static_point *at = &path->critical.p;
  ++r->point;
  if (s->critical_count < TORSOR_CRITICAL_POINTS)
    s->critical[s->critical_count] = (torsor_critical_point){
        .limit = limit, .load = at->load, .row = r->point, .directions = turned};
  ++s->critical_count;
  if (!path->arc && !r->settings->only_critical) return TORSOR_OK;
  return record(r, at, r->settings->only_critical ? s->critical_count : at->load, error);
}

/* Completes the step to path->next: records critical points between, then accepts the point.  A
 * positive status asks for a shorter step. */
static torsor_status go_on(statics_run *r, double step, double longest, torsor_error *error) {
  load_path *path = &r->path;
  bool limit;
  torsor_status status = TORSOR_OK;
  if (load_path_is_critical(path, &limit)) {
    status = note_critical(r, step, longest, limit, error);
    if (!status) status = load_path_try(path, step);
  }
  if (status) return status;
  load_path_accept(path);
  ++r->point;
  note_step(r, fabs(step));
  return is_stopped(r)
             ? torsor_fail(error, TORSOR_INTERRUPTED, "interrupted at load %.9g", r->summary->load)
             : TORSOR_OK;
}

/* Did the step fail because the scene is unconstrained where it ended, or where it began?  A
 * shorter step does not help then. */
static bool is_unconstrained(statics_run *r, torsor_error *error) {
  load_path *path = &r->path;
  return !path->now.known && (unconstrained_blame(&path->e, &path->next.p, error) ||
                              unconstrained_blame(&path->e, &path->now.p, error));
}

/* Tries friction as the last support: from now on it keeps in place what no force moves, and the
 * step is repeated. */
static bool may_stick(statics_run *r) {
  load_path *path = &r->path;
  torsor_error reason = {0};
  if (path->e.sticks || !unconstrained_may_stick(r->model) || !is_unconstrained(r, &reason))
    return false;
  path->e.sticks = true;
  warn_of(r, "only friction keeps the scene in place: it is taken to stick where no force moves "
             "it, and this is one of many equilibria");
  return true;
}

/* Increments the load in steps, whose multiples are rows of the output. */
static torsor_status follow_load(statics_run *r, torsor_error *error) {
  const torsor_statics *settings = r->settings;
  load_path *path = &r->path;
  const double spacing = settings->until / settings->steps;
  const double least = ldexp(fabs(spacing), -settings->max_halvings);
  double step = spacing;
  for (int n = 1; n <= settings->steps; ++n) {
    const double target = settings->until * n / settings->steps;
    while (fabs(target - path->now.p.load) > least / 2) {
      const double left = target - path->now.p.load;
      const bool last = fabs(step) >= fabs(left) * (1 - 1e-9);
      torsor_status status = load_path_try(path, last ? left : step);
      if (status < 0) return torsor_fail(error, status, "%s", torsor_status_text(status));
      const bool easy = path->e.iterations <= WANTED_ITERATIONS + 2;
      if (!status) status = go_on(r, last ? left : step, spacing, error);
      if (status == TORSOR_INTERRUPTED) record_now(r, NULL);
      if (status < 0) return status;
      if (status && may_stick(r)) continue;
      if (status) {
        if (is_unconstrained(r, error)) return TORSOR_STEP;
        ++r->summary->counters.rejected_steps;
        step = (last ? left : step) / 2;
        if (fabs(step) < least) return report_failure(r, status, 2 * step, error);
        continue;
      }
      if (easy && fabs(step) < fabs(spacing)) step *= 2;
    }
    const torsor_status status = record_now(r, error);
    if (status) return status;
  }
  return TORSOR_OK;
}

/* Does the step to path->next pass the load that ends the path? */
static bool passes_end(const load_path *path) {
  const double end = path->settings->until;
  return (path->now.p.load - end) * (path->next.p.load - end) <= 0;
}

/* Goes to the end of the path, which lies before path->next. */
static torsor_status meet_end(statics_run *r, double step, torsor_error *error) {
  load_path *path = &r->path;
  const double end = r->settings->until;
  const double part = (end - path->now.p.load) / (path->next.p.load - path->now.p.load);
  torsor_status status = load_path_try(path, part * step);
  if (!status) status = load_path_meet(path, end);
  if (status) return report_failure(r, status, part * step, error);
  load_path_accept(path);
  ++r->point;
  note_step(r, fabs(part * step));
  return record_now(r, error);
}

static double first_arc(const load_path *path) {
  const double load = path->settings->until / path->settings->steps;
  if (!path->now.known) return load;
  return fmin(fabs(load / path->now.load), path->settings->arc);
}

static torsor_status follow_arc(statics_run *r, torsor_error *error) {
  const torsor_statics *settings = r->settings;
  load_path *path = &r->path;
  const int most = settings->points ? settings->points : MOST_POINTS;
  double step = first_arc(path);
  const double least = ldexp(fmax(fabs(step), settings->arc), -2 * settings->max_halvings);
  for (int n = 0; n < most;) {
    torsor_status status = load_path_try(path, step);
    if (status < 0) return torsor_fail(error, status, "%s", torsor_status_text(status));
    bool limit;
    if (!status && !settings->points && passes_end(path) && !load_path_is_critical(path, &limit))
      return meet_end(r, step, error);
    const double wanted =
        (double)WANTED_ITERATIONS / (path->e.iterations > 0 ? path->e.iterations : 1);
    const bool known = path->now.known;
    if (!status) status = go_on(r, step, settings->arc, error);
    if (status == TORSOR_INTERRUPTED) record_now(r, NULL);
    if (status < 0) return status;
    if (status && may_stick(r)) continue;
    if (status) {
      if (is_unconstrained(r, error)) return TORSOR_STEP;
      ++r->summary->counters.rejected_steps;
      step /= 2;
      if (fabs(step) < least) return report_failure(r, status, 2 * step, error);
      continue;
    }
    status = record_now(r, error);
    if (status) return status;
    step = known ? fmin(step * fmin(fmax(sqrt(wanted), 0.5), 2), settings->arc) : first_arc(path);
    ++n;
  }
  if (settings->points) return TORSOR_OK;
  torsor_fail(error, TORSOR_STEP,
              "the path did not reach load %.9g in %d points: it is at load %.9g", settings->until,
              most, path->now.p.load);
  torsor_hint(error, "give \"points\" to end the path after a number of points");
  return TORSOR_STEP;
}

/* ---- begin and end ----------------------------------------------------------------------- */

static torsor_status check_settings(const torsor_statics *s, torsor_error *error) {
  if (s->steps >= 1 && s->until * s->until > 0 && isfinite(s->until) && s->arc > 0 &&
      s->tolerance > 0 && s->max_iterations >= 1 && s->max_halvings >= 0 && s->max_halvings <= 50)
    return TORSOR_OK;
  return torsor_fail(error, TORSOR_ARGUMENT, "the settings of statics are out of range");
}

static torsor_status find_rank(statics_run *r, const double *q, torsor_error *error) {
  row_rank rank;
  const torsor_status status = constraints_rank(&rank, r->assembly, q);
  if (status)
    return torsor_fail(error, status, "cannot find the rank of the constraints: %s",
                       torsor_status_text(status));
  if (rank.dependent_count > 0 && !r->settles) {
    char message[400];
    if (constraints_describe(message, sizeof message, &rank, r->assembly)) warn_of(r, message);
  }
  assembly_set_redundant(r->assembly, rank.dependent_count > 0);
  row_rank_release(&rank);
  return TORSOR_OK;
}

/* Prepares the output; as nothing moves, work and impulses stay 0. */
static torsor_status prepare_output(statics_run *r, const double *q, torsor_error *error) {
  const size_t nl = (size_t)r->model->nl, nv = (size_t)r->model->nv;
  const int count = r->signals ? torsor_signals_count(r->signals) : 0;
  const torsor_point p = {.q = q};
  r->row = arena_take(&r->memory, (size_t)count, sizeof *r->row);
  r->rest = arena_take(&r->memory, nv + nl, sizeof *r->rest);
  if (!r->row || !r->rest) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  torsor_status status =
      observer_create(&r->observer, r->model, r->solver, r->assembly, &r->memory);
  if (!status) status = full_state_create(&r->full, r->model, r->hooks, &r->memory);
  assembly_set_motion(r->assembly, &p);
  if (!status) status = work_create(&r->observer.work, r->model, &r->memory);
  if (!status) status = work_start(&r->observer.work, r->assembly, &p);
  return status ? torsor_fail(error, status, "%s", torsor_status_text(status)) : TORSOR_OK;
}

static torsor_status begin(statics_run *r, torsor_error *error) {
  torsor_status status = check_settings(r->settings, error);
  if (!status && !r->assembly) {
    status = assembly_create(&r->assembly, r->model, r->solver, false, error);
    if (!status && r->hooks) status = assembly_set_threads(r->assembly, r->hooks->threads, error);
  }
  if (status) return status;
  if (r->settings->buckling && (status = assembly_make_whole(r->assembly)))
    return torsor_fail(error, status, "%s", torsor_status_text(status));
  const bool all = r->settings->loading == TORSOR_LOADING_ALL ||
                   (r->settings->loading == TORSOR_LOADING_AUTO && !r->model->follows_load);
  initial_state initial = {0};
  assembly_set_load(r->assembly, 0, all);
  status = initial_state_find(&initial, r->assembly, r->model, NULL, &r->memory, error);
  if (!status) status = find_rank(r, initial.q, error);
  if (status) return status;
  r->summary->moved_position = initial.moved_position;
  initial_state_tell(&initial, r->model, warn_of, r);
  status = prepare_output(r, initial.q, error);
  assembly_start_coordinates(r->assembly, &(torsor_point){.q = initial.q});
  r->path.warn = warn_of;
  r->path.data = r;
  r->path.e.corrected = r->hooks ? r->hooks->correct : NULL;
  r->path.e.data = r->hooks ? r->hooks->data : NULL;
  if (!status)
    status = load_path_start(&r->path, r->assembly, r->model, r->settings, initial.q, &r->memory,
                             &r->summary->counters, error);
  return status;
}

static torsor_status find_factors(statics_run *r, torsor_error *error) {
  if (!r->settings->buckling) return TORSOR_OK;
  const torsor_status status = buckling_find(r->summary->buckling, &r->summary->buckling_count,
                                             r->settings->buckling, &r->path, &r->memory);
  return status ? torsor_fail(error, status < 0 ? status : TORSOR_STEP,
                              "cannot find the buckling factors: %s", torsor_status_text(status))
                : TORSOR_OK;
}

/* Returns the potential and elastic energy at the present point. */
static double energy_now(statics_run *r) {
  const torsor_point p = {.q = r->path.now.p.q, .lambda = r->path.now.p.lambda};
  assembly_set_load(r->assembly, r->path.now.p.load, r->path.e.all);
  assembly_set_motion(r->assembly, &p);
  const torsor_balance sum = balance_sum(r->assembly, r->model, &p);
  return sum.potential + sum.elastic;
}

static torsor_status count_unstable(statics_run *r, torsor_error *error) {
  load_path *path = &r->path;
  torsor_status status = TORSOR_OK;
  r->summary->unstable = path->now.known ? path->now.unstable : -1;
  if (!path->now.known || path->now.unstable >= 0 || r->settles) return TORSOR_OK;
  status = equilibrium_factor(&path->e, &path->now.p, 0);
  if (!status) status = unstable_diverging(&r->summary->unstable, &path->e);
  return status < 0 ? torsor_fail(error, status, "%s", torsor_status_text(status)) : TORSOR_OK;
}

static torsor_status follow(statics_run *r, torsor_error *error) {
  r->summary->energy_initial = energy_now(r);
  torsor_status status = record_now(r, error);
  if (!status) status = find_factors(r, error);
  if (!status) status = r->path.arc ? follow_arc(r, error) : follow_load(r, error);
  r->summary->load = r->path.now.p.load;
  r->summary->energy_final = energy_now(r);
  r->summary->pivot_ratio = r->path.now.known ? r->path.now.pivot_ratio : 0;
  r->summary->tangent_sign = r->path.now.known ? r->path.now.sign : 0;
  if (!status) status = count_unstable(r, error);
  return status;
}

static void start_watch(statics_run *r) {
  if (!r->hooks || !r->hooks->timing) return;
  r->watch = r->path.e.watch = &r->stopwatch;
  assembly_set_watch(r->assembly, r->watch);
  stopwatch_start(r->watch, r->hooks->timing);
}

torsor_status torsor_statics_run(torsor_statics_summary *summary, const torsor_model *model,
                                 const torsor_statics *statics, const char *linear_solver,
                                 const torsor_signals *signals, const torsor_hooks *hooks,
                                 torsor_error *error) {
  *summary = (torsor_statics_summary){0};
  torsor_statics all;
  torsor_hooks led;
  torsor_status status = complete(&all, statics, error);
  if (!status) status = hooks_complete(&led, hooks, error);
  if (!status) status = model_check_tangents(model, "statics", error);
  if (status) return status;
  statics_run r = {.model = model,
                   .settings = &all,
                   .signals = signals,
                   .hooks = hooks ? &led : NULL,
                   .solver = linear_solver,
                   .summary = summary};
  const double cpu0 = clock_seconds(CLOCK_THREAD_CPUTIME_ID);
  status = begin(&r, error);
  const double cpu1 = clock_seconds(CLOCK_THREAD_CPUTIME_ID),
               wall1 = clock_seconds(CLOCK_MONOTONIC);
  summary->setup_seconds = cpu1 - cpu0;
  if (!status) {
    start_watch(&r);
    status = follow(&r, error);
  }
  if (r.watch) stopwatch_stop(r.watch, summary->counters.steps);
  summary->cpu_seconds = clock_seconds(CLOCK_THREAD_CPUTIME_ID) - cpu1;
  summary->wall_seconds = clock_seconds(CLOCK_MONOTONIC) - wall1;
  summary->status = status;
  assembly_destroy(r.assembly);
  observer_release(&r.observer);
  arena_release(&r.memory);
  return status;
}

torsor_status statics_settle(double *q, assembly *a, const torsor_model *model,
                             const torsor_statics *statics, const char *linear_solver,
                             const torsor_hooks *hooks, torsor_error *error) {
  torsor_statics settings;
  torsor_status status = complete(&settings, statics, error);
  if (status) return status;
  settings.until = 1;
  settings.points = settings.buckling = 0;
  const torsor_hooks quiet = {.size = sizeof(torsor_hooks),
                              .data = hooks ? hooks->data : NULL,
                              .stop = hooks ? hooks->stop : NULL,
                              .warn = hooks ? hooks->warn : NULL};
  torsor_statics_summary summary = {0};
  statics_run r = {.model = model,
                   .settings = &settings,
                   .hooks = &quiet,
                   .solver = linear_solver,
                   .summary = &summary,
                   .assembly = a,
                   .settles = true};
  status = begin(&r, error);
  if (!status) status = follow(&r, error);
  if (!status) memcpy(q, r.path.now.p.q, (size_t)model->nq * sizeof *q);
  assembly_set_load(a, 1, false);
  observer_release(&r.observer);
  arena_release(&r.memory);
  return status;
}
