/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "integrator/walk.h"
#include "alpha_kit.h"
#include "automatic.h"
#include "step_size.h"
#include "variations.h"

/* Number of halvings at a damped start, after which steps grow: a motion that decays within the
 * first step leaves an error of the positions in proportion to it. */
enum { DAMPED_HALVINGS = 4 };

/* Successful steps before a halved size is doubled again. */
enum { SUCCESSES_TO_DOUBLE = 2 };

/* Most halvings at a start whose velocity error is unknown; then the size grows. */
enum { UNSURE_HALVINGS = 8 };

static void walk_grid(grid *g, tape *t) {
  TAPE_VALUE(t, g->t0);
  TAPE_VALUE(t, g->n);
  TAPE_VALUE(t, g->between);
  TAPE_VALUE(t, g->from);
  TAPE_VALUE(t, g->to);
  TAPE_VALUE(t, g->length);
  TAPE_VALUE(t, g->least);
  TAPE_VALUE(t, g->ticks);
  TAPE_VALUE(t, g->level);
  TAPE_VALUE(t, g->successes);
  TAPE_VALUE(t, g->left);
  TAPE_VALUE(t, g->off);
  TAPE_VALUE(t, g->passing);
  TAPE_VALUE(t, g->passed);
}

static void walk_control(step_control *c, tape *t) {
  TAPE_VALUE(t, c->on);
  TAPE_VALUE(t, c->h);
  TAPE_VALUE(t, c->wanted);
  TAPE_VALUE(t, c->error);
  TAPE_VALUE(t, c->before);
  TAPE_VALUE(t, c->unsure);
  TAPE_VALUE(t, c->worst);
  TAPE_VALUE(t, c->refused);
  TAPE_VALUE(t, c->usual);
  TAPE_VALUE(t, c->anew);
  TAPE_VALUE(t, c->passed);
}

static void walk_failure(torsor_failure *f, tape *t) {
  TAPE_VALUE(t, f->status);
  TAPE_VALUE(t, f->t);
  TAPE_VALUE(t, f->h);
  TAPE_VALUE(t, f->velocity);
  TAPE_VALUE(t, f->constraint);
  TAPE_VALUE(t, f->value);
  TAPE_VALUE(t, f->iterations);
  TAPE_VALUE(t, f->astray);
}

/* Walks over everything that changes during a run except the method's data. */
static void walk_common(torsor_integrator *it, tape *t) {
  const torsor_problem *p = it->problem;
  walk_grid(&it->grid, t);
  walk_control(&it->control, t);
  walk_failure(&it->failure, t);
  TAPE_VALUE(t, it->settings.step);
  TAPE_VALUE(t, it->started);
  TAPE_VALUE(t, it->t);
  TAPE_VALUE(t, it->counters);
  TAPE_VALUE(t, it->findings);
  TAPE_ARRAY(t, it->q, p->nq);
  TAPE_ARRAY(t, it->v, p->nv);
  TAPE_ARRAY(t, it->a, p->nv);
  TAPE_ARRAY(t, it->lambda, p->nl);
  if (torsor_settings_stabilised(&it->settings)) TAPE_ARRAY(t, it->eta, p->nl);
  newton_walk(&it->newton, t);
  saddle_walk(&it->systems, t);
  interpolate_walk(it, t);
  impulse_walk(&it->impulse, p, t);
  error_sum_walk(&it->errors, t);
}

void integrator_walk(torsor_integrator *it, tape *t) {
  walk_common(it, t);
  if (it->automatic)
    automatic_walk(it, t);
  else
    it->method->walk(it, t);
}

static torsor_status take_memory(torsor_integrator *it) {
  tape take = {.memory = &it->memory};
  saddle_init(&it->systems, it->problem);
  walk_common(it, &take);
  return take.status ? take.status : it->method->create(it);
}

torsor_status torsor_integrator_create(torsor_integrator **out, const torsor_problem *problem,
                                       const torsor_settings *settings, torsor_error *error) {
  *out = NULL;
  const method *found;
  torsor_settings all;
  const torsor_status status = settings_take(&all, &found, problem, settings, error);
  if (status) return status;
  torsor_integrator *it = calloc(1, sizeof *it);
  if (!it) return torsor_fail(error, TORSOR_MEMORY, "out of memory for the integrator");
  it->problem = it->errors.problem = problem;
  it->settings = all;
  it->method = found;
  it->order = torsor_settings_order(&it->settings);
  it->regularises = true;
  newton_limit(&it->newton, all.max_iterations, problem);
  it->failure = (torsor_failure){.velocity = -1, .constraint = -1};
  const torsor_status taken = take_memory(it);
  if (taken) {
    torsor_integrator_destroy(it);
    return torsor_fail(error, taken, "out of memory for the integrator");
  }
  *out = it;
  return TORSOR_OK;
}

void torsor_integrator_destroy(torsor_integrator *integrator) {
  if (!integrator) return;
  arena_release(&integrator->memory);
  free(integrator);
}

static double first_size(const torsor_integrator *it) {
  const torsor_settings *s = &it->settings;
  const int halvings = s->max_halvings < UNSURE_HALVINGS ? s->max_halvings : UNSURE_HALVINGS;
  const bool unsure = s->accuracy.velocity > 0 && it->method->starts_small;
  return unsure ? ldexp(s->step, -halvings) : s->step;
}

/* Are v' and lambda that are shown solved for with a matrix beside that of the steps? */
static bool looks_aside(const torsor_integrator *it) {
  return it->problem->nl > 0 && it->settings.multipliers == TORSOR_MULTIPLIERS_ACCELERATION &&
         !it->method->stabilised;
}

/* Returns the number of ticks of a step at a level.  There is one level more than max_halvings, as
 * a leg may be longer than `step`. */
static long long level_ticks(const torsor_integrator *it, int level) {
  return 1LL << (it->settings.max_halvings + 1 - level);
}

/* Returns the time `ticks` after the start of the leg.  At its end this is grid point n + 1, to the
 * bit: output times are those of a run without halving. */
static double grid_time(const torsor_integrator *it, long long ticks) {
  const grid *g = &it->grid;
  const double part = ldexp((double)ticks, -it->settings.max_halvings - 1);
  if (g->between) return ticks < level_ticks(it, 0) ? g->from + part * g->length : g->to;
  return g->t0 + ((double)g->n + part) * it->settings.step;
}

static double level_size(const torsor_integrator *it, int level) {
  return ldexp(it->grid.between ? it->grid.length : it->settings.step, -level);
}

static int damped_halvings(const torsor_integrator *it) {
  const int most = it->settings.max_halvings;
  return most < DAMPED_HALVINGS ? most : DAMPED_HALVINGS;
}

/* Returns the level of the first constant steps, relative to the least one. */
static int first_level(const torsor_integrator *it) {
  return it->control.on || it->settings.start != TORSOR_START_DAMPED ? 0 : damped_halvings(it);
}

/* Finds the method's starting values for steps of size h from the integrator's state, or for
 * smaller ones where a perturbed start turns out to need damping. */
static torsor_status start_method(torsor_integrator *it, double h) {
  it->control.h = h;
  it->systems.aside = looks_aside(it); /* so that its matrix exists before the steps */
  it->begun = it->settings.start;
  ++it->counters.starts;
  torsor_status status = it->method->start(it, h);
  if (!status && it->begun != it->settings.start && !it->control.on) {
    it->grid.level += damped_halvings(it);
    it->control.h = level_size(it, it->grid.level);
    status = it->method->start(it, it->control.h);
  }
  it->systems.aside = false;
  it->started = status == TORSOR_OK;
  interpolate_keep(it);
  interpolate_follow(it);
  interpolate_begin(it);
  if (status) {
    it->failure.status = status;
    it->failure.t = it->t;
  }
  return status;
}

torsor_status torsor_integrator_start(torsor_integrator *it, double t0, const double *q0,
                                      const double *v0) {
  it->started = false;
  it->t = t0;
  it->grid = (grid){.t0 = t0};
  it->control = (step_control){.on = torsor_accuracy_is_set(&it->settings.accuracy),
                               .h = it->settings.step,
                               .wanted = first_size(it),
                               .passed = t0 - it->settings.step};
  memmove(it->q, q0, (size_t)it->problem->nq * sizeof *it->q);
  memmove(it->v, v0, (size_t)it->problem->nv * sizeof *it->v);
  it->counters = (torsor_counters){0};
  it->findings = (torsor_findings){0};
  it->last.most = (shown_sizes){0};
  impulse_begin(&it->impulse);
  error_sum_clear(&it->errors);
  it->errors.on = !it->control.on && !it->settings.unestimated;
  it->failure = (torsor_failure){.velocity = -1, .constraint = -1};
  automatic_begin(it);
  it->grid.level = first_level(it);
  const torsor_status status =
      start_method(it, it->control.on ? it->settings.step : level_size(it, it->grid.level));
  return status ? status : automatic_choose_first(it);
}

/* Changes the size of the next step to h. */
static torsor_status resize(torsor_integrator *it, double h) {
  const double h_old = it->control.h;
  it->control.h = h;
  return it->method->resize(it, h, h_old);
}

static torsor_status change_level(torsor_integrator *it, int level) {
  it->grid.level = level;
  it->grid.successes = 0;
  return resize(it, level_size(it, level));
}

/* Distance, in steps, by which a longer step passes an end at which no step can end. */
static const double BEYOND = 0.37;

static void note_passed(torsor_integrator *it, double t) {
  torsor_findings *f = &it->findings;
  if (f->passed++ == 0) f->passed_at = t;
}

/* Ends a leg; the next one is a full one. */
static torsor_status end_leg(torsor_integrator *it) {
  grid *g = &it->grid;
  if (g->passing) note_passed(it, g->to - BEYOND * it->settings.step);
  g->left = g->off;
  g->ticks = 0;
  if (g->left) return TORSOR_OK;
  ++g->n;
  if (!g->between) return TORSOR_OK;
  g->between = false;
  g->level -= g->least;
  g->least = 0;
  g->successes = 0;
  return resize(it, level_size(it, g->level));
}

static void note_step(torsor_integrator *it, double t1, double h) {
  torsor_counters *c = &it->counters;
  it->t = t1;
  ++c->steps;
  c->smallest_step = c->steps > 1 ? fmin(c->smallest_step, h) : h;
  c->largest_step = fmax(c->largest_step, h);
}

static torsor_status note_success(torsor_integrator *it, double t1, double h) {
  grid *g = &it->grid;
  note_step(it, t1, h);
  ++g->successes;
  g->ticks += level_ticks(it, g->level);
  if (g->level > g->least && g->successes >= SUCCESSES_TO_DOUBLE &&
      g->ticks % level_ticks(it, g->level - 1) == 0) {
    const torsor_status status = change_level(it, g->level - 1);
    if (status) return status;
  }
  return g->ticks == level_ticks(it, 0) ? end_leg(it) : TORSOR_OK;
}

/* Begins a leg from here to `end`, which is no grid point. */
static void leave_grid(torsor_integrator *it, double end) {
  const grid *g = &it->grid;
  it->grid = (grid){.t0 = g->t0,
                    .n = g->n,
                    .between = true,
                    .from = it->t,
                    .to = end,
                    .length = end - it->t,
                    .off = true};
}

/* Tries a longer step.  Where constraints become dependent exactly at the end of a leg (a change
 * point), no step can end there, however short, but longer ones pass it. */
static torsor_status try_to_pass(torsor_integrator *it, double end) {
  const grid *g = &it->grid;
  leave_grid(it, end + BEYOND * it->settings.step);
  it->grid.passing = true;
  return resize(it, g->length);
}

/* Gives up passing: goes back to the end of the leg, with steps half as long as those that were
 * tried. */
static torsor_status give_up_passing(torsor_integrator *it) {
  const double end = it->grid.to - BEYOND * it->settings.step;
  leave_grid(it, end);
  it->grid.passed = true;
  it->grid.level = 1;
  return resize(it, level_size(it, it->grid.level));
}

static torsor_status note_failure(torsor_integrator *it, torsor_status status) {
  const grid *g = &it->grid;
  const int halvings = g->level - g->least;
  ++it->counters.rejected_steps;
  if (status < 0) return status;
  if (g->passing) return give_up_passing(it);
  if (halvings == 0 && !g->passed && !g->off && it->counters.steps > 0) {
    const double end = grid_time(it, level_ticks(it, 0));
    if (start_is_loose(it, end)) return try_to_pass(it, end);
  }
  if (halvings >= it->settings.max_halvings) return TORSOR_STEP;
  return change_level(it, g->level + 1);
}

/* May velocities have jumped?  That changes v' by more than its size and by enough to move v. */
static bool may_jump(const torsor_integrator *it, double h) {
  const double *a0 = it->last.begin.a, *a1 = it->a;
  double most[2] = {0, 0}, change[2] = {0, 0};
  for (int i = 0; i < it->problem->nv; ++i) {
    const int kind = it->problem->rotation && it->problem->rotation[i];
    most[kind] = vec_larger(fabs(a0[i]), most[kind]);
    change[kind] = vec_larger(fabs(a1[i] - a0[i]), change[kind]);
  }
  for (int kind = 0; kind < 2; ++kind)
    if (change[kind] > most[kind] &&
        h * change[kind] > impulse_least(&it->impulse, it->problem, kind))
      return true;
  return false;
}

/* Monitors the step for jumps of velocities, but with index 3, whose velocities jump by themselves.
 */
static torsor_status watch_jumps(torsor_integrator *it, torsor_point begin, torsor_point end) {
  if (it->settings.formulation == TORSOR_INDEX3) return TORSOR_OK;
  if (!it->method->settles && it->problem->nl > 0) {
    if (!may_jump(it, end.t - begin.t)) {
      impulse_pass(&it->impulse, it->problem, it->v);
      return TORSOR_OK;
    }
    const torsor_status status = interpolate_settle(it, &begin, &end);
    if (status) return status < 0 ? status : TORSOR_OK;
  }
  impulse_follow(&it->impulse, it->problem, &begin, &end, it->jump);
  return TORSOR_OK;
}

/* Updates the monitors of errors and jumps by the ends of the last step. */
static torsor_status watch_step(torsor_integrator *it, double t1) {
  const step_end *m = &it->last.begin;
  const torsor_point begin = {.t = m->t, .q = m->q, .v = m->v, .a = m->a, .lambda = m->lambda};
  const torsor_point end = {.t = t1, .q = it->q, .v = it->v, .a = it->a, .lambda = it->lambda};
  if (!it->settings.unestimated) error_sum_follow(&it->errors, t1 - m->t, m->v, it->v);
  return watch_jumps(it, begin, end);
}

static torsor_status take_step(torsor_integrator *it, double t1, double h) {
  if (!it->method->hands_over) interpolate_keep(it);
  const torsor_status status = it->method->step(it, t1, h);
  if (status) return status;
  interpolate_follow(it);
  return watch_step(it, t1);
}

static torsor_status advance_constant(torsor_integrator *it) {
  const grid *g = &it->grid;
  for (;;) {
    const double h = level_size(it, g->level);
    const double t1 = grid_time(it, g->ticks + level_ticks(it, g->level));
    it->regularises = g->passed;
    torsor_status status = take_step(it, t1, h);
    it->regularises = true;
    if (!status) return note_success(it, t1, h);
    status = note_failure(it, status);
    if (status) return status;
  }
}

/* ---- step-size control ------------------------------------------------------------------- */

/* An end that is nearer than this fraction of a step, right after a restart, is passed. */
static const double TOO_NEAR = 1e-3;

/* Chooses the step size: equal parts of the interval to `end`, none larger than wanted. */
static torsor_status choose_size(torsor_integrator *it, double *t1, double end) {
  step_control *c = &it->control;
  c->wanted = fmin(c->wanted, it->settings.step);
  if (end - it->t < TOO_NEAR * c->wanted) end = it->t + c->wanted / 2;
  const double left = end - it->t, h_old = c->h;
  const double parts = fmax(1, ceil(left / c->wanted - 1e-6)), h = left / parts;
  *t1 = parts > 1 ? it->t + h : end;
  return fabs(h - h_old) <= 1e-9 * h_old ? TORSOR_OK : resize(it, h);
}

/* Factor by which the usual size decays in each step. */
static const double FADING = 0.98;

static torsor_status accept_controlled(torsor_integrator *it, double t1) {
  step_control *c = &it->control;
  note_step(it, t1, c->h);
  c->wanted = step_size_after(it);
  c->before = fmax(c->error, step_size_least_error(it));
  c->refused = false;
  c->usual = fmax(c->h, FADING * c->usual);
  automatic_follow(it);
  return TORSOR_OK;
}

/* Least distance, in smallest steps, between two points that are passed: a motion that is rejected
 * everywhere is not passed in this way. */
static const double LEAST_WAY = 1024;

static bool may_pass(const torsor_integrator *it, double smallest) {
  return it->t - it->control.passed >= LEAST_WAY * smallest;
}

/* Takes a step of size h whatever its error. */
static torsor_status take_unjudged(torsor_integrator *it, double h) {
  step_control *c = &it->control;
  const double t1 = it->t + h;
  torsor_status status = h == c->h ? TORSOR_OK : resize(it, h);
  c->passing = true;
  if (!status) status = take_step(it, t1, h);
  c->passing = false;
  if (status) return status < 0 ? status : TORSOR_STEP;
  accept_controlled(it, t1);
  c->passed = t1;
  return TORSOR_OK;
}

/* Passes a jump of velocities.  No step across it is accurate, however small, so the smallest one
 * is accepted whatever its error, and the motion is restarted at its end. */
static torsor_status pass_jump(torsor_integrator *it) {
  step_control *c = &it->control;
  torsor_findings *f = &it->findings;
  const double usual = c->usual;
  const torsor_status status = take_unjudged(it, c->h);
  if (status) return status;
  if (f->restarts++ == 0) f->restarted_at = it->t;
  c->anew = true;
  c->wanted = fmax(ldexp(usual, -DAMPED_HALVINGS), c->h);
  return TORSOR_OK;
}

/* Passes a change point, where constraint rows become dependent: no step can end there, but a
 * longer one passes. */
static torsor_status pass_dependent(torsor_integrator *it) {
  step_control *c = &it->control;
  const double wanted = c->wanted, end = it->t + c->h;
  const torsor_status status = take_unjudged(it, (1 + BEYOND) * c->h);
  if (status) return status;
  note_passed(it, end);
  c->wanted = wanted;
  return TORSOR_OK;
}

/* Handles a rejected step to t1.  Returns OK where the point was passed, and a positive status
 * where a smaller step is to be tried. */
static torsor_status refuse_controlled(torsor_integrator *it, double t1, torsor_status status) {
  step_control *c = &it->control;
  const double smallest = ldexp(it->settings.step, -it->settings.max_halvings);
  ++it->counters.rejected_steps;
  if (may_pass(it, smallest) && start_is_loose(it, t1)) return pass_dependent(it);
  if (status == TORSOR_SINGULAR && !it->regularises) {
    it->regularises = true; /* the step is repeated with the same size */
    return status;
  }
  c->wanted = step_size_refused(it);
  c->refused = true;
  if (status == TORSOR_ACCURACY)
    it->failure = (torsor_failure){.status = status,
                                   .t = t1,
                                   .h = c->h,
                                   .velocity = c->worst,
                                   .value = c->error,
                                   .constraint = -1};
  if (c->wanted >= smallest) return status;
  const bool passes =
      !(it->automatic && it->method->is_explicit); /* else implicit steps are tried */
  return passes && status == TORSOR_ACCURACY && may_pass(it, smallest) ? pass_jump(it)
                                                                       : TORSOR_STEP;
}

static torsor_status advance_controlled(torsor_integrator *it, double end) {
  step_control *c = &it->control;
  torsor_status status = automatic_turn(it);
  if (!status && c->anew) status = torsor_integrator_restart(it, it->t);
  if (status) return status;
  it->regularises = false;
  do {
    double t1;
    status = choose_size(it, &t1, end);
    if (status) break;
    c->error = 0;
    c->worst = -1;
    status = take_step(it, t1, c->h);
    if (!status) status = accept_controlled(it, t1);
    if (status > 0) status = refuse_controlled(it, t1, status);
    if (status == TORSOR_STEP && automatic_escape(it) && !(status = automatic_turn(it)))
      status = TORSOR_ACCURACY;
  } while (status > 0);
  it->regularises = true;
  return status;
}

/* Begins a leg from any time to the next grid point or, where that is closer than half a step, to
 * the one after it, in two steps.  So steps never become tiny, which would disturb the
 * multipliers. */
static void begin_leg(torsor_integrator *it) {
  grid *g = &it->grid;
  const double step = it->settings.step;
  const long n = (long)floor((it->t - g->t0) / step);
  *g = (grid){.t0 = g->t0, .n = n > 0 ? n : 0};
  while (!(grid_time(it, level_ticks(it, 0)) > it->t)) ++g->n;
  double left = grid_time(it, level_ticks(it, 0)) - it->t;
  if (left >= step * (1 - 1e-9)) return;
  if (left < step / 2) {
    ++g->n;
    left = grid_time(it, level_ticks(it, 0)) - it->t;
    g->level = g->least = 1;
  }
  g->to = grid_time(it, level_ticks(it, 0));
  g->between = true;
  g->from = it->t;
  g->length = left;
}

/* Fits a leg of constant steps that is about to begin: it ends at `end` where it would lead beyond,
 * and begins between grid points where the last one ended so.  Steps never become tiny by this. */
static torsor_status fit_leg(torsor_integrator *it, double end) {
  grid *g = &it->grid;
  const double h_old = it->control.h;
  if (g->ticks > 0) return TORSOR_OK;
  if (g->left) begin_leg(it);
  const double left = end - it->t, length = level_size(it, 0);
  if (left > TOO_NEAR * length && left < length * (1 - 1e-9)) leave_grid(it, end);
  const double h = level_size(it, g->level);
  return h == h_old ? TORSOR_OK : resize(it, h);
}

torsor_status torsor_integrator_advance(torsor_integrator *it, double end) {
  if (!it->started || !(end > it->t)) return TORSOR_ARGUMENT;
  if (!it->control.on) {
    const torsor_status status = fit_leg(it, end);
    return status ? status : advance_constant(it);
  }
  if (isfinite(end)) {
    it->grid.left = true;
    return advance_controlled(it, end);
  }
  if (it->grid.left) begin_leg(it);
  const double next = grid_time(it, level_ticks(it, 0));
  const torsor_status status = advance_controlled(it, next);
  if (status || it->t < next) return status;
  ++it->grid.n;
  it->grid.between = false;
  return TORSOR_OK;
}

torsor_status torsor_integrator_step(torsor_integrator *it) {
  const grid *g = &it->grid;
  if (!it->started) return TORSOR_ARGUMENT;
  if (g->left && it->control.on) begin_leg(it);
  for (const long n = g->n; g->n == n;) {
    const torsor_status status = torsor_integrator_advance(it, HUGE_VAL);
    if (status) return status;
  }
  return TORSOR_OK;
}

/* Returns the size of the first step after a restart. */
static double begin_again(torsor_integrator *it) {
  step_control *c = &it->control;
  begin_leg(it);
  if (!c->on) {
    it->grid.level += first_level(it);
    return level_size(it, it->grid.level);
  }
  const double wanted = fmin(c->wanted, first_size(it));
  *c = (step_control){
      .on = true, .h = wanted, .wanted = wanted, .usual = c->usual, .passed = c->passed};
  return wanted;
}

static void take_motion(torsor_integrator *it, double t, const double *q, const double *v) {
  memmove(it->q, q, (size_t)it->problem->nq * sizeof *it->q);
  memmove(it->v, v, (size_t)it->problem->nv * sizeof *it->v);
  it->t = t;
}

/* Restarts from the integrator's state, which satisfies the constraints. */
static torsor_status go_on_anew(torsor_integrator *it) {
  const torsor_problem *problem = it->problem;
  const torsor_point p = {.t = it->t, .q = it->q, .v = it->v};
  if (problem->cut) problem->cut(problem->self, &p);
  automatic_begin_again(it);
  return start_method(it, begin_again(it));
}

static torsor_status fail_restart(torsor_integrator *it, double t, torsor_status status) {
  it->failure = (torsor_failure){.status = status, .t = t, .velocity = -1, .constraint = -1};
  return status;
}

/* Moves q and v onto the constraints.  Rows may have become dependent, as joints were switched. */
static torsor_status make_consistent(torsor_integrator *it, double t, double *q, double *v) {
  const torsor_point p = {.t = t, .q = q, .v = v};
  if (it->problem->redundant && !(it->systems.e > 0)) saddle_regularise(&it->systems, &p);
  return start_consistent(q, v, &it->systems, t, it->last.work);
}

torsor_status torsor_integrator_restart(torsor_integrator *it, double t) {
  torsor_state at;
  torsor_status status = torsor_integrator_motion(it, t, &at);
  if (status) return status;
  if (at.q != it->q) take_motion(it, t, at.q, at.v);
  it->started = false;
  newton_forget(&it->newton);
  status = make_consistent(it, t, it->q, it->v);
  return status ? fail_restart(it, t, status) : go_on_anew(it);
}

torsor_status torsor_integrator_restart_from(torsor_integrator *it, double t, const double *q,
                                             const double *v) {
  const step_end *m = &it->last.shown;
  if (!it->started || !(t >= it->last.begin.t && t <= it->t)) return TORSOR_ARGUMENT;
  memmove(m->q, q, (size_t)it->problem->nq * sizeof *m->q);
  memmove(m->v, v, (size_t)it->problem->nv * sizeof *m->v);
  newton_forget(&it->newton);
  const torsor_status status = make_consistent(it, t, m->q, m->v);
  if (status) return fail_restart(it, t, status);
  take_motion(it, t, m->q, m->v);
  it->started = false;
  return go_on_anew(it);
}

torsor_status torsor_integrator_set_step(torsor_integrator *it, double t, double step) {
  if (!(step > 0) || !isfinite(step)) return TORSOR_ARGUMENT;
  it->settings.step = step;
  it->grid = (grid){.t0 = t};
  it->control.wanted = step;
  return torsor_integrator_restart(it, t);
}

torsor_status integrator_step_beside(torsor_integrator *it, double t1, double h) {
  const bool on = it->control.on;
  torsor_status status = fabs(h - it->control.h) > 1e-12 * h ? resize(it, h) : TORSOR_OK;
  it->control.on = false;
  if (!status) status = take_step(it, t1, h);
  it->control.on = on;
  if (!status) note_step(it, t1, h);
  return status;
}

torsor_status torsor_integrator_step_by(torsor_integrator *it, double h) {
  const double t1 = it->t + h;
  if (!it->started || !(h > 0)) return TORSOR_ARGUMENT;
  torsor_status status = h == it->control.h ? TORSOR_OK : resize(it, h);
  if (!status) status = take_step(it, t1, h);
  if (!status) note_step(it, t1, h);
  return status;
}
