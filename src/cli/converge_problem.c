/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/converge_problem.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <torsor/scene.h>

#include "problems/problem.h"

/* One problem at the steps of a convergence. */
typedef struct trial {
  const problem *problem;
  torsor_problem *equations;
  torsor_simulation simulation;
  problem_state *solution; /* at the times n spacing */
  int count;
  double spacing; /* the smallest step */
  double *part;   /* [parts] of every step, together 1; NULL = it is not divided */
  int parts;
  double from;
} trial;

static torsor_status find_problem(const problem **out, const char *name, torsor_error *error) {
  enum { MOST = 64 };
  const char *names[MOST];
  int count = 0;
  for (const problem *p; count < MOST && (p = problem_at(count)); ++count) {
    names[count] = p->name;
    *out = p;
    if (strcmp(p->name, name) == 0) return TORSOR_OK;
  }
  const char *near = torsor_near_name(name, names, count);
  torsor_fail(error, TORSOR_ARGUMENT, "there is no test problem \"%s\"", name);
  if (near)
    torsor_hint(error, "did you mean \"%s\"?", near);
  else
    torsor_hint(error, "`torsor list problems` shows them");
  return TORSOR_ARGUMENT;
}

/* Accuracy of Newton's iteration below the errors that are looked for. */
static const double USUAL_RTOL = 1e-11;

/* Do the changes of the command line set one of these keys, ended by NULL, of the simulation? */
static bool chooses(const cli *common, const char *const *keys) {
  static const char prefix[] = "simulation.";
  for (int i = 0; i < common->set_count; ++i) {
    if (strncmp(common->set[i], prefix, sizeof prefix - 1) != 0) continue;
    const char *key = common->set[i] + sizeof prefix - 1;
    for (int k = 0; keys[k]; ++k)
      if (strncmp(key, keys[k], strlen(keys[k])) == 0) return true;
  }
  return false;
}

/* Sets those options to the defaults of the problem and of this table that the command line leaves
 * open. */
static void set_defaults(torsor_settings *settings, const trial *t, const cli *common) {
  static const char *const parameters[] = {"rho_inf", "hht", "newmark", "alpha", NULL};
  static const char *const tolerance[] = {"rtol", NULL};
  if (torsor_method_takes(settings->method, "rho_inf") && !chooses(common, parameters))
    settings->alpha = torsor_alpha_chung_hulbert(t->problem->rho_inf);
  if (torsor_method_takes(settings->method, "rtol") && !chooses(common, tolerance))
    settings->rtol = USUAL_RTOL;
}

/* The settings of a scene with the problem's defaults and the changes of the command line. */
static torsor_status read_settings(trial *t, const cli *common, torsor_error *error) {
  char document[300];
  snprintf(document, sizeof document,
           "{\"torsor\": 1, \"bodies\": [{\"name\": \"problem\", \"type\": \"point_mass\","
           " \"mass\": 1}], \"simulation\": {\"step\": %.17g, \"duration\": %.17g}}",
           t->spacing, t->problem->end);
  torsor_registry *registry = torsor_registry_create(error);
  torsor_scene *scene = NULL;
  if (!registry) return TORSOR_MEMORY;
  const torsor_status status =
      torsor_scene_parse(&scene, document, strlen(document), t->problem->name, registry,
                         common->set, common->set_count, error);
  if (status == TORSOR_OK) t->simulation = *torsor_scene_simulation(scene);
  if (status == TORSOR_OK) set_defaults(&t->simulation.settings, t, common);
  torsor_scene_destroy(scene);
  torsor_registry_destroy(registry);
  return status;
}

/* The solution is needed at the times that the smallest step reaches. */
static torsor_status choose_times(trial *t, const convergence *s, torsor_error *error) {
  t->spacing = s->step[0];
  for (int i = 1; i < s->steps; ++i) t->spacing = fmin(t->spacing, s->step[i]);
  for (int i = 0; i < s->steps; ++i)
    if (convergence_whole_quotient(s->step[i], t->spacing) < 1)
      return torsor_fail(error, TORSOR_ARGUMENT,
                         "the step %.9g is not a multiple of the smallest, %.9g s", s->step[i],
                         t->spacing);
  return TORSOR_OK;
}

/* Numbers from a list, divided by their sum. */
static torsor_status read_parts(trial *t, char *list, torsor_error *error) {
  const char **item = NULL;
  torsor_status status = cli_split(&item, &t->parts, list, error);
  if (status != TORSOR_OK) return status;
  t->part = calloc((size_t)t->parts, sizeof *t->part);
  if (!t->part) status = convergence_memory_short(error);
  double sum = 0;
  for (int i = 0; i < t->parts && status == TORSOR_OK; ++i) {
    if (!cli_number(&t->part[i], item[i]) || !(t->part[i] > 0))
      status =
          torsor_fail(error, TORSOR_ARGUMENT, "--parts: \"%s\" is not a positive number", item[i]);
    sum += t->part[i];
  }
  for (int i = 0; i < t->parts; ++i) t->part[i] /= sum;
  free(item);
  return status;
}

static torsor_status solve(trial *t, torsor_error *error) {
  const double duration = t->simulation.duration, count = floor(duration / t->spacing + 1e-9) + 1;
  if (!(count >= 2 && count < 1e6))
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "%.9g s with steps of %.9g s does not give a number of steps", duration,
                       t->spacing);
  if (!(t->from <= duration))
    return torsor_fail(error, TORSOR_ARGUMENT, "--from %.9g is past the end, %.9g s", t->from,
                       duration);
  t->count = (int)count;
  t->solution = calloc((size_t)t->count, sizeof *t->solution);
  if (!t->solution || t->problem->solve(t->solution, t->count, t->spacing))
    return convergence_memory_short(error);
  return TORSOR_OK;
}

static double signal_error(const problem_signal *signal, const torsor_state *state,
                           const problem_state *exact) {
  const double *const found[] = {state->q, state->v, state->a, state->lambda};
  const double *const known[] = {exact->q, exact->v, exact->a, exact->lambda};
  const double *x = found[signal->of] + signal->first, *y = known[signal->of] + signal->first;
  double minus = 0, plus = 0;
  for (int i = 0; i < signal->count; ++i) {
    minus += (x[i] - y[i]) * (x[i] - y[i]);
    plus += (x[i] + y[i]) * (x[i] + y[i]);
  }
  return sqrt(signal->quaternion ? fmin(minus, plus) : minus);
}

/* A step of size h, by its parts. */
static torsor_status step_by_parts(torsor_integrator *it, const trial *t, double h) {
  torsor_status status = t->part ? TORSOR_OK : torsor_integrator_step(it);
  for (int i = 0; i < t->parts && status == TORSOR_OK; ++i)
    status = torsor_integrator_step_by(it, t->part[i] * h);
  return status;
}

/* Largest errors at the ends of the steps. */
static torsor_status integrate(convergence *s, int k, const trial *t, torsor_integrator *it) {
  const double h = s->step[k];
  const int stride = (int)convergence_whole_quotient(h, t->spacing);
  const problem_state *start = &t->solution[0];
  torsor_status status = torsor_integrator_start(it, 0, start->q, start->v);
  for (int i = 0; i < s->signals; ++i) s->signal[i].error[k] = 0;
  for (int n = stride; n < t->count && status == TORSOR_OK; n += stride) {
    status = step_by_parts(it, t, h);
    if (status != TORSOR_OK || n * t->spacing < t->from * (1 - 8 * DBL_EPSILON)) continue;
    torsor_state now = torsor_integrator_state(it);
    status = torsor_integrator_interpolate(it, now.t, &now);
    if (status != TORSOR_OK) break;
    for (int i = 0; i < s->signals; ++i) {
      double *worst = &s->signal[i].error[k];
      *worst = fmax(*worst, signal_error(&t->problem->signals[i], &now, &t->solution[n]));
    }
  }
  for (int i = 0; i < s->signals && status != TORSOR_OK; ++i) s->signal[i].error[k] = nan("");
  return status;
}

static double cpu_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A step at which the computation cannot go on has no error; the others still have one. */
static torsor_status run_step(convergence *s, int k, const trial *t, const cli *common,
                              torsor_error *error) {
  torsor_settings settings = t->simulation.settings;
  torsor_integrator *it;
  settings.step = t->part ? t->part[0] * s->step[k] : s->step[k];
  torsor_status status = torsor_integrator_create(&it, t->equations, &settings, error);
  if (status != TORSOR_OK) return status;
  const double start = cpu_now();
  status = integrate(s, k, t, it);
  s->cpu_seconds[k] = cpu_now() - start;
  if (status != TORSOR_OK) {
    const torsor_failure failure = torsor_integrator_failure(it);
    cli_warn(common, "step %.9g: %s at t = %.9g s", s->step[k], torsor_status_text(status),
             failure.t);
    if (status > 0) status = TORSOR_OK;
  }
  torsor_integrator_destroy(it);
  return status;
}

static torsor_status measure(convergence *s, trial *t, const cli *common, const problem_run *run,
                             torsor_error *error) {
  torsor_status status = choose_times(t, s, error);
  if (status == TORSOR_OK && run->parts) status = read_parts(t, run->parts, error);
  if (status == TORSOR_OK) status = read_settings(t, common, error);
  if (status == TORSOR_OK) status = solve(t, error);
  for (const problem_signal *p = t->problem->signals; p->name && status == TORSOR_OK; ++p)
    status = convergence_add_signal(s, p->name, error);
  const torsor_dense dense = t->problem->dense();
  if (status == TORSOR_OK) status = torsor_dense_create(&t->equations, &dense, error);
  for (int k = 0; k < s->steps && status == TORSOR_OK; ++k)
    status = run_step(s, k, t, common, error);
  return status;
}

torsor_status converge_problem(convergence *s, const cli *common, const problem_run *run,
                               torsor_error *error) {
  trial t = {.from = run->from};
  torsor_status status = find_problem(&t.problem, run->name, error);
  if (status != TORSOR_OK) return status;
  s->reference = t.problem->source;
  status = measure(s, &t, common, run, error);
  torsor_dense_destroy(t.equations);
  free(t.solution);
  free(t.part);
  return status;
}
