/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nonlinear least squares. */
#include "cli/study/fit.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <gsl/gsl_multifit_nlinear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "cli/study/study_read.h"

/* ---- bounds ------------------------------------------------------------------------------------
 */

/* The fit moves y, which is not bounded, in place of x: x is a sine of it between two bounds, a
 * hyperbola with one, and x/scale with none. */

static double one_sided(double y, double scale) {
  return scale * (sqrt(1 + y * y) - 1);
}

static double x_of(const study_variable *v, double y) {
  const bool low = isfinite(v->from), high = isfinite(v->to);
  if (low && high) return v->from + (v->to - v->from) * 0.5 * (1 + sin(y));
  if (low) return v->from + one_sided(y, v->scale);
  if (high) return v->to - one_sided(y, v->scale);
  return v->scale * y;
}

static double slope_of(const study_variable *v, double y) {
  const bool low = isfinite(v->from), high = isfinite(v->to);
  if (low && high) return (v->to - v->from) * 0.5 * cos(y);
  if (low) return v->scale * y / sqrt(1 + y * y);
  if (high) return -v->scale * y / sqrt(1 + y * y);
  return v->scale;
}

static double y_of(const study_variable *v, double x) {
  const bool low = isfinite(v->from), high = isfinite(v->to);
  if (low && high) return asin(2 * (x - v->from) / (v->to - v->from) - 1);
  if (!low && !high) return x / v->scale;
  const double root = 1 + (low ? x - v->from : v->to - x) / v->scale;
  return sqrt(root * root - 1);
}

/* ---- functions of GSL --------------------------------------------------------------------------
 */

typedef struct fitting {
  evaluator *e;
  const study *study;
  double *numbers, *derivative; /* room */
  double worst;                 /* a residual that stands for those of a sample that failed */
  bool stopped;                 /* too many runs */
} fitting;

static void take_x(double *x, const study *s, const gsl_vector *y) {
  for (int i = 0; i < s->variables; ++i) x[i] = x_of(&s->variable[i], gsl_vector_get(y, (size_t)i));
}

static bool may_go_on(fitting *f) {
  f->stopped = f->stopped || f->e->asked >= f->study->search.most_runs;
  return !f->stopped && !f->e->status;
}

static int residuals(const gsl_vector *y, void *data, gsl_vector *out) {
  fitting *f = data;
  const study *s = f->study;
  double x[STUDY_COLUMNS], square = 0;
  take_x(x, s, y);
  if (!may_go_on(f) || evaluate(f->e, x, 1, f->numbers)) return GSL_EFAILED;
  bool fine = true;
  for (int i = 0; i < s->data; ++i) {
    const double r = f->numbers[s->outputs + i];
    fine = fine && isfinite(r);
    square += r * r;
    gsl_vector_set(out, (size_t)i, r);
  }
  if (!fine && isnan(f->worst)) return GSL_EFAILED;
  if (!fine) gsl_vector_set_all(out, f->worst);
  if (isnan(f->worst)) f->worst = 10 * (1 + sqrt(square / s->data));
  return GSL_SUCCESS;
}

static int jacobian(const gsl_vector *y, void *data, gsl_matrix *out) {
  fitting *f = data;
  const study *s = f->study;
  const size_t n = (size_t)s->variables;
  double x[STUDY_COLUMNS];
  take_x(x, s, y);
  if (!may_go_on(f) || evaluate_derivatives(f->e, x, f->derivative)) return GSL_EFAILED;
  for (int k = 0; k < s->data; ++k)
    for (size_t i = 0; i < n; ++i) {
      const double slope = slope_of(&s->variable[i], gsl_vector_get(y, i));
      const double d = f->derivative[(size_t)(s->outputs + k) * n + i] * slope;
      if (!isfinite(d)) return GSL_EFAILED;
      gsl_matrix_set(out, (size_t)k, i, d);
    }
  return GSL_SUCCESS;
}

/* ---- what the data say -------------------------------------------------------------------------
 */

/* Singular values of the derivatives, each divided by its length: their condition, and the
 * combination that changes residuals least. */
static torsor_status find_weakest(search_result *out, const gsl_matrix *J, torsor_error *error) {
  const size_t n = J->size2;
  gsl_matrix *A = gsl_matrix_alloc(J->size1, n), *V = gsl_matrix_alloc(n, n);
  gsl_vector *w = gsl_vector_alloc(n), *room = gsl_vector_alloc(n);
  torsor_status status = A && V && w && room ? TORSOR_OK : study_memory_short(error);
  if (!status) {
    gsl_matrix_memcpy(A, J);
    for (size_t i = 0; i < n; ++i) {
      gsl_vector_view column = gsl_matrix_column(A, i);
      const double length = gsl_blas_dnrm2(&column.vector);
      if (length > 0) gsl_vector_scale(&column.vector, 1 / length);
    }
    gsl_linalg_SV_decomp(A, V, w, room);
    out->condition = gsl_vector_get(w, 0) / gsl_vector_get(w, n - 1);
    for (size_t i = 0; i < n; ++i) out->weakest[i] = gsl_matrix_get(V, i, n - 1);
  }
  gsl_matrix_free(A);
  gsl_matrix_free(V);
  gsl_vector_free(w);
  gsl_vector_free(room);
  return status;
}

/* Covariance of the values: (J^T J)^-1 where the deviations of the data are known, else times the
 * mean square of the residuals. */
static torsor_status find_covariance(search_result *out, const gsl_matrix *J, const study *s,
                                     torsor_error *error) {
  const size_t n = J->size2;
  gsl_matrix *C = gsl_matrix_alloc(n, n);
  out->covariance = malloc(n * n * sizeof *out->covariance);
  if (!C || !out->covariance) return study_memory_short(error);
  gsl_multifit_nlinear_covar(J, 0, C);
  bool known = true;
  for (int i = 0; i < s->measured; ++i) known = known && isfinite(s->series[i].sigma);
  const double left = (double)(J->size1 - n);
  const double factor = known ? 1 : left > 0 ? 2 * out->objective / left : nan("");
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) out->covariance[i * n + j] = factor * gsl_matrix_get(C, i, j);
  gsl_matrix_free(C);
  return TORSOR_OK;
}

/* Derivatives by the values themselves, which are not bounded here. */
static torsor_status judge(search_result *out, fitting *f, torsor_error *error) {
  const study *s = f->study;
  const size_t n = (size_t)s->variables;
  gsl_matrix *J = gsl_matrix_alloc((size_t)s->data, n);
  torsor_status status = J ? TORSOR_OK : study_memory_short(error);
  if (!status) status = evaluate_derivatives(f->e, out->x, f->derivative);
  for (int k = 0; k < s->data && !status; ++k)
    for (size_t i = 0; i < n; ++i)
      gsl_matrix_set(J, (size_t)k, i, f->derivative[(size_t)(s->outputs + k) * n + i]);
  if (!status) status = find_weakest(out, J, error);
  if (!status) status = find_covariance(out, J, s, error);
  if (!status) status = evaluate_kinks(f->e, out->x, out->kink);
  gsl_matrix_free(J);
  return status;
}

/* ---- the fit -----------------------------------------------------------------------------------
 */

void search_start(double *x, const study *s, int k) {
  for (int i = 0; i < s->variables; ++i) {
    const study_variable *v = &s->variable[i];
    const uint64_t words[3] = {s->search.seed, (uint64_t)k, (uint64_t)i};
    const double u = ((double)(XXH3_64bits(words, sizeof words) >> 11) + 0.5) * 0x1p-53;
    x[i] = k ? v->from + (v->to - v->from) * u : v->start;
  }
}

static void explain(search_result *out, const fitting *f, int status, int info) {
  const char *word = info == 1   ? "the values do not change any more"
                     : info == 2 ? "the sum of squares has no slope any more"
                                 : "the sum of squares does not change any more";
  out->converged = status == GSL_SUCCESS && !f->stopped;
  if (f->stopped)
    snprintf(out->reason, sizeof out->reason, "%d runs are over", f->study->search.most_runs);
  else
    snprintf(out->reason, sizeof out->reason, "%s", out->converged ? word : gsl_strerror(status));
}

/* One fit from its start; *out receives it where it is better. */
static torsor_status fit_once(search_result *out, fitting *f, int k, torsor_error *error) {
  const study *s = f->study;
  const size_t n = (size_t)s->variables, m = (size_t)s->data;
  gsl_multifit_nlinear_parameters how = gsl_multifit_nlinear_default_parameters();
  how.trs = gsl_multifit_nlinear_trs_lm;
  gsl_multifit_nlinear_workspace *w =
      gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &how, m, n);
  gsl_vector *y = gsl_vector_alloc(n);
  gsl_multifit_nlinear_fdf functions = {
      .f = residuals, .df = jacobian, .n = m, .p = n, .params = f};
  double x[STUDY_COLUMNS];
  torsor_status status = w && y ? TORSOR_OK : study_memory_short(error);
  search_start(x, s, k);
  for (size_t i = 0; i < n && !status; ++i) gsl_vector_set(y, i, y_of(&s->variable[i], x[i]));
  int info = 0, found = GSL_EFAILED;
  f->worst = nan("");
  if (!status) found = gsl_multifit_nlinear_init(y, &functions, w);
  if (!status && found == GSL_SUCCESS)
    found = gsl_multifit_nlinear_driver((size_t)s->search.most_runs, s->search.tolerance, 1e-14, 0,
                                        NULL, NULL, &info, w);
  if (!status) status = f->e->status;
  const double norm = status || isnan(f->worst) ? nan("") : gsl_blas_dnrm2(w->f);
  if (!status && isfinite(norm) && (isnan(out->objective) || 0.5 * norm * norm < out->objective)) {
    out->objective = 0.5 * norm * norm;
    take_x(out->x, s, w->x);
    explain(out, f, found, info);
  }
  gsl_vector_free(y);
  if (w) gsl_multifit_nlinear_free(w);
  return status;
}

torsor_status search_fit(search_result *out, evaluator *e, torsor_error *error) {
  const study *s = e->sampler->study;
  const size_t m = (size_t)s->numbers, n = (size_t)s->variables;
  fitting f = {.e = e, .study = s};
  *out = (search_result){.objective = nan(""), .numbers = malloc(m * sizeof(double))};
  f.numbers = malloc(m * sizeof *f.numbers);
  f.derivative = malloc(m * n * sizeof *f.derivative);
  torsor_status status =
      f.numbers && f.derivative && out->numbers ? TORSOR_OK : study_memory_short(error);
  gsl_set_error_handler_off();
  if (!status && s->data < s->variables)
    status = torsor_fail(error, TORSOR_SCENE, "%d measured numbers cannot give %d values", s->data,
                         s->variables);
  for (int k = 0; k < s->search.starts && !status && !f.stopped; ++k)
    status = fit_once(out, &f, k, error);
  if (!status && isnan(out->objective)) {
    status =
        torsor_fail(error, TORSOR_STEP, "no run at the start values reaches all measured times");
    torsor_hint(error, "`torsor sweep STUDY --check` runs them; is the duration long enough?");
  }
  if (!status) status = evaluate(e, out->x, 1, out->numbers);
  if (!status) status = judge(out, &f, error);
  free(f.numbers);
  free(f.derivative);
  out->runs = e->runs;
  out->asked = e->asked;
  return status;
}

void search_release(search_result *r) {
  free(r->numbers);
  free(r->covariance);
  r->numbers = r->covariance = NULL;
}
