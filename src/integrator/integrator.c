/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "method.h"

enum { MOST_HALVINGS = 40 };

/* Successful steps before a halved size is doubled again. */
enum { SUCCESSES_TO_DOUBLE = 2 };

torsor_settings torsor_settings_default(void) {
  return (torsor_settings){.method = "generalized_alpha",
                           .formulation = TORSOR_INDEX3,
                           .start = TORSOR_START_PERTURBED,
                           .alpha = torsor_alpha_chung_hulbert(0.9),
                           .step = 1e-3,
                           .atol = 1e-12,
                           .rtol = 1e-8,
                           .max_iterations = 20,
                           .max_halvings = 10};
}

static torsor_status check_method(const method **found, const torsor_settings *s,
                                  torsor_error *error) {
  *found = method_find(s->method);
  if (*found) return TORSOR_OK;
  torsor_fail(error, TORSOR_ARGUMENT, "unknown method \"%s\"", s->method ? s->method : "");
  const char *names[16];
  int count = 0;
  while (count < 16 && (names[count] = torsor_method_name(count))) ++count;
  const char *near = s->method ? torsor_near_name(s->method, names, count) : NULL;
  if (near)
    torsor_hint(error, "did you mean \"%s\"?", near);
  else
    torsor_hint(error, "one method is \"%s\"", names[0]);
  return TORSOR_ARGUMENT;
}

static torsor_status check_alpha(const torsor_alpha *a, torsor_error *error) {
  const bool finite =
      isfinite(a->alpha_m) && isfinite(a->alpha_f) && isfinite(a->beta) && isfinite(a->gamma);
  if (!finite || !(a->beta > 0) || !(a->gamma > 0) || !(a->alpha_m < 1) || !(a->alpha_f < 1))
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "the method is not defined for alpha_m = %g, alpha_f = %g, beta = %g, "
                       "gamma = %g: beta, gamma > 0 and alpha_m, alpha_f < 1 are needed",
                       a->alpha_m, a->alpha_f, a->beta, a->gamma);
  return TORSOR_OK;
}

static torsor_status check_settings(const torsor_settings *s, torsor_error *error) {
  if (!(s->step > 0) || !isfinite(s->step))
    return torsor_fail(error, TORSOR_ARGUMENT, "step = %g is not a positive number", s->step);
  if (!(s->atol >= 0) || !(s->rtol >= 0) || !isfinite(s->atol) || !isfinite(s->rtol))
    return torsor_fail(error, TORSOR_ARGUMENT, "atol = %g, rtol = %g: not negative is needed",
                       s->atol, s->rtol);
  if (s->max_iterations < 1)
    return torsor_fail(error, TORSOR_ARGUMENT, "max_iterations = %d: at least 1 is needed",
                       s->max_iterations);
  if (s->max_halvings < 0 || s->max_halvings > MOST_HALVINGS)
    return torsor_fail(error, TORSOR_ARGUMENT, "max_halvings = %d is not in 0 .. %d",
                       s->max_halvings, MOST_HALVINGS);
  if (s->formulation != TORSOR_INDEX3 && s->formulation != TORSOR_GGL)
    return torsor_fail(error, TORSOR_ARGUMENT, "unknown formulation %d", (int)s->formulation);
  if (s->start != TORSOR_START_PERTURBED && s->start != TORSOR_START_PLAIN)
    return torsor_fail(error, TORSOR_ARGUMENT, "unknown start %d", (int)s->start);
  return check_alpha(&s->alpha, error);
}

static torsor_status take_memory(torsor_integrator *it) {
  const torsor_problem *p = it->problem;
  const bool ggl = it->settings.formulation == TORSOR_GGL;
  it->q = arena_take(&it->memory, (size_t)p->nq, sizeof(double));
  it->v = arena_take(&it->memory, (size_t)p->nv, sizeof(double));
  it->a = arena_take(&it->memory, (size_t)p->nv, sizeof(double));
  it->lambda = arena_take(&it->memory, (size_t)p->nl, sizeof(double));
  if (!it->q || !it->v || !it->a || !it->lambda) return TORSOR_MEMORY;
  if (saddle_create(&it->systems, p, &it->memory)) return TORSOR_MEMORY;
  if (ggl && !(it->eta = arena_take(&it->memory, (size_t)p->nl, sizeof(double))))
    return TORSOR_MEMORY;
  return it->method->create(it);
}

torsor_status torsor_integrator_create(torsor_integrator **out, const torsor_problem *problem,
                                       const torsor_settings *settings, torsor_error *error) {
  *out = NULL;
  const method *found;
  torsor_status status = check_method(&found, settings, error);
  if (!status) status = check_settings(settings, error);
  if (status) return status;
  torsor_integrator *it = calloc(1, sizeof *it);
  if (!it) return torsor_fail(error, TORSOR_MEMORY, "out of memory for the integrator");
  it->problem = problem;
  it->settings = *settings;
  it->settings.method = found->name;
  it->method = found;
  it->newton.max_iterations = settings->max_iterations;
  it->failure = (torsor_failure){.velocity = -1, .constraint = -1};
  if ((status = take_memory(it))) {
    torsor_integrator_destroy(it);
    return torsor_fail(error, status, "out of memory for the integrator");
  }
  *out = it;
  return TORSOR_OK;
}

void torsor_integrator_destroy(torsor_integrator *integrator) {
  if (!integrator) return;
  arena_release(&integrator->memory);
  free(integrator);
}

torsor_status torsor_integrator_start(torsor_integrator *it, double t0, const double *q0,
                                      const double *v0) {
  it->started = false;
  it->t = t0;
  it->grid = (grid){.t0 = t0};
  memmove(it->q, q0, (size_t)it->problem->nq * sizeof *it->q);
  memmove(it->v, v0, (size_t)it->problem->nv * sizeof *it->v);
  it->counters = (torsor_counters){0};
  it->failure = (torsor_failure){.velocity = -1, .constraint = -1};
  const torsor_status status = it->method->start(it, it->settings.step);
  it->started = status == TORSOR_OK;
  if (status) {
    it->failure.status = status;
    it->failure.t = t0;
  }
  return status;
}

/* Time `ticks` behind grid point n.  At a full step this is the value that n + 1 and no ticks give:
 * output times are those of a run without halving. */
static double grid_time(const torsor_integrator *it, long long ticks) {
  const double part = ldexp((double)ticks, -it->settings.max_halvings);
  return it->grid.t0 + ((double)it->grid.n + part) * it->settings.step;
}

static long long level_ticks(const torsor_integrator *it, int level) {
  return 1LL << (it->settings.max_halvings - level);
}

static torsor_status change_level(torsor_integrator *it, int level) {
  const double step = it->settings.step;
  const double h_old = ldexp(step, -it->grid.level);
  it->grid.level = level;
  it->grid.successes = 0;
  return it->method->resize(it, ldexp(step, -level), h_old);
}

static torsor_status note_success(torsor_integrator *it, double t1) {
  grid *g = &it->grid;
  it->t = t1;
  ++it->counters.steps;
  ++g->successes;
  g->ticks += level_ticks(it, g->level);
  if (g->level == 0 || g->successes < SUCCESSES_TO_DOUBLE) return TORSOR_OK;
  if (g->ticks % level_ticks(it, g->level - 1) != 0) return TORSOR_OK;
  return change_level(it, g->level - 1);
}

static torsor_status note_failure(torsor_integrator *it, torsor_status status) {
  ++it->counters.rejected_steps;
  if (status < 0) return status;
  if (it->grid.level == it->settings.max_halvings) return TORSOR_STEP;
  return change_level(it, it->grid.level + 1);
}

torsor_status torsor_integrator_step(torsor_integrator *it) {
  grid *g = &it->grid;
  if (!it->started) return TORSOR_ARGUMENT;
  const long long full = level_ticks(it, 0);
  while (g->ticks < full) {
    const double h = ldexp(it->settings.step, -g->level);
    const double t1 = grid_time(it, g->ticks + level_ticks(it, g->level));
    torsor_status status = it->method->step(it, t1, h);
    status = status ? note_failure(it, status) : note_success(it, t1);
    if (status) return status;
  }
  g->ticks = 0;
  ++g->n;
  return TORSOR_OK;
}

torsor_state torsor_integrator_state(const torsor_integrator *it) {
  return (torsor_state){.t = it->t,
                        .q = it->q,
                        .v = it->v,
                        .a = it->a,
                        .lambda = it->lambda,
                        .eta = it->eta,
                        .redundant = it->systems.e > 0};
}

torsor_counters torsor_integrator_counters(const torsor_integrator *it) {
  return it->counters;
}

torsor_failure torsor_integrator_failure(const torsor_integrator *it) {
  return it->failure;
}
