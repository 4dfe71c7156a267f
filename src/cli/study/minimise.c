/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values that make an output least. */
#include <math.h>
#include <nlopt.h>
#include <stdlib.h>
#include <string.h>

#include "cli/study/fit.h"
#include "cli/study/study_read.h"

static const nlopt_algorithm algorithms[METHODS] = {[METHOD_BOBYQA] = NLOPT_LN_BOBYQA,
                                                    [METHOD_COBYLA] = NLOPT_LN_COBYLA,
                                                    [METHOD_NELDERMEAD] = NLOPT_LN_NELDERMEAD,
                                                    [METHOD_SBPLX] = NLOPT_LN_SBPLX,
                                                    [METHOD_SLSQP] = NLOPT_LD_SLSQP,
                                                    [METHOD_LBFGS] = NLOPT_LD_LBFGS,
                                                    [METHOD_DIRECT] = NLOPT_GN_DIRECT_L,
                                                    [METHOD_CRS2] = NLOPT_GN_CRS2_LM,
                                                    [METHOD_ISRES] = NLOPT_GN_ISRES};

/* Values of constraints up to here are taken as met, in parts of the largest one seen. */
static const double SLACK = 1e-8;

typedef struct minimising {
  evaluator *e;
  const study *study;
  nlopt_opt optimiser;
  double *numbers, *derivative;
  double worst, size; /* of the objective and of constraints that were seen */
  search_result *best;
} minimising;

typedef struct target {
  minimising *of;
  int output;
} target;

/* The optimiser moves values in parts of their scale. */
static void take_x(double *x, const study *s, const double *y) {
  for (int i = 0; i < s->variables; ++i) {
    const study_variable *v = &s->variable[i];
    x[i] = v->start + v->scale * y[i];
    if (isfinite(v->from)) x[i] = fmax(x[i], v->from);
    if (isfinite(v->to)) x[i] = fmin(x[i], v->to);
  }
}

static double violation(const minimising *m) {
  const study *s = m->study;
  double most = 0;
  for (int i = 0; i < s->search.constraints; ++i)
    most = fmax(most, m->numbers[s->search.objective + 1 + i]);
  return most;
}

/* Keeps a point that is better than the best one. */
static void keep(minimising *m, const double *x) {
  const study *s = m->study;
  const double value = m->numbers[s->search.objective];
  const bool better = isnan(m->best->objective) || value < m->best->objective;
  for (int i = 0; i < s->search.constraints; ++i)
    m->size = fmax(m->size, fabs(m->numbers[s->search.objective + 1 + i]));
  if (!better || !(violation(m) <= SLACK * m->size)) return;
  m->best->objective = value;
  memcpy(m->best->x, x, (size_t)s->variables * sizeof *x);
}

/* The objective, or a constraint, at y; a sample that failed is worse than all others. */
static double look(unsigned n, const double *y, double *gradient, void *data) {
  const target *t = data;
  minimising *m = t->of;
  const study *s = m->study;
  double x[STUDY_COLUMNS];
  take_x(x, s, y);
  if (m->e->status || evaluate(m->e, x, 1, m->numbers)) {
    nlopt_force_stop(m->optimiser);
    return HUGE_VAL;
  }
  const double value = m->numbers[t->output];
  if (isfinite(m->numbers[s->search.objective])) keep(m, x);
  if (gradient && !evaluate_derivatives(m->e, x, m->derivative))
    for (unsigned i = 0; i < n; ++i) {
      const double d = m->derivative[(size_t)t->output * n + i] * s->variable[i].scale;
      gradient[i] = isfinite(d) ? d : 0;
    }
  if (!isfinite(value)) return isnan(m->worst) ? HUGE_VAL : m->worst + fabs(m->worst) + 1;
  if (t->output == s->search.objective) m->worst = isnan(m->worst) ? value : fmax(m->worst, value);
  return value;
}

static void set_bounds(nlopt_opt optimiser, const study *s) {
  double low[STUDY_COLUMNS], high[STUDY_COLUMNS];
  for (int i = 0; i < s->variables; ++i) {
    const study_variable *v = &s->variable[i];
    low[i] = isfinite(v->from) ? (v->from - v->start) / v->scale : -HUGE_VAL;
    high[i] = isfinite(v->to) ? (v->to - v->start) / v->scale : HUGE_VAL;
  }
  nlopt_set_lower_bounds(optimiser, low);
  nlopt_set_upper_bounds(optimiser, high);
}

static void explain(search_result *out, const study *s, nlopt_result found) {
  const char *word = found == NLOPT_XTOL_REACHED       ? "the values do not change any more"
                     : found == NLOPT_FTOL_REACHED     ? "the objective does not change any more"
                     : found == NLOPT_ROUNDOFF_LIMITED ? "rounding errors leave no more progress"
                                                       : "the optimiser ended";
  out->converged = found == NLOPT_XTOL_REACHED || found == NLOPT_FTOL_REACHED ||
                   found == NLOPT_SUCCESS || found == NLOPT_ROUNDOFF_LIMITED;
  if (found == NLOPT_MAXEVAL_REACHED)
    snprintf(out->reason, sizeof out->reason, "%d points are over", s->search.most_runs);
  else
    snprintf(out->reason, sizeof out->reason, "%s",
             out->converged           ? word
             : found == NLOPT_FAILURE ? "derivatives lead no further down"
                                      : nlopt_result_to_string(found));
}

/* One search from its start. */
static torsor_status minimise_once(minimising *m, int k, torsor_error *error) {
  const study *s = m->study;
  target targets[STUDY_COLUMNS];
  double x[STUDY_COLUMNS], y[STUDY_COLUMNS], value;
  const double before = m->best->objective;
  nlopt_opt optimiser = nlopt_create(algorithms[s->search.method], (unsigned)s->variables);
  if (!optimiser) return study_memory_short(error);
  m->optimiser = optimiser;
  targets[0] = (target){m, s->search.objective};
  nlopt_set_min_objective(optimiser, look, &targets[0]);
  for (int i = 1; i <= s->search.constraints; ++i) {
    targets[i] = (target){m, s->search.objective + i};
    nlopt_add_inequality_constraint(optimiser, look, &targets[i], 0);
  }
  set_bounds(optimiser, s);
  nlopt_set_initial_step1(optimiser, 1);
  nlopt_set_xtol_abs1(optimiser, s->search.tolerance);
  nlopt_set_maxeval(optimiser, s->search.most_runs);
  nlopt_srand(s->search.seed + 1);
  search_start(x, s, k);
  for (int i = 0; i < s->variables; ++i)
    y[i] = (x[i] - s->variable[i].start) / s->variable[i].scale;
  const nlopt_result found = nlopt_optimize(optimiser, y, &value);
  nlopt_destroy(optimiser);
  if (isnan(before) || m->best->objective < before) explain(m->best, s, found);
  return m->e->status;
}

torsor_status search_minimise(search_result *out, evaluator *e, torsor_error *error) {
  const study *s = e->sampler->study;
  const size_t numbers = (size_t)s->numbers, n = (size_t)s->variables;
  minimising m = {.e = e, .study = s, .worst = nan(""), .best = out};
  *out = (search_result){.objective = nan(""), .numbers = malloc(numbers * sizeof(double))};
  m.numbers = malloc(numbers * sizeof *m.numbers);
  m.derivative = malloc(numbers * n * sizeof *m.derivative);
  torsor_status status =
      m.numbers && m.derivative && out->numbers ? TORSOR_OK : study_memory_short(error);
  for (int k = 0; k < s->search.starts && !status; ++k) status = minimise_once(&m, k, error);
  if (!status && isnan(out->objective)) {
    status = torsor_fail(error, TORSOR_STEP,
                         "%ld points were tried, and none was run to its end "
                         "and meets all of \"subject_to\"",
                         e->asked);
    torsor_hint(error, "`torsor sweep STUDY --check` runs the start values");
  }
  if (!status) status = evaluate(e, out->x, 1, out->numbers);
  free(m.numbers);
  free(m.derivative);
  out->runs = e->runs;
  out->asked = e->asked;
  return status;
}
