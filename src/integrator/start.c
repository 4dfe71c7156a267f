/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "method.h"

torsor_status start_accelerations(double *a, double *lambda, double *left, saddle *systems,
                                  double t, const double *q, const double *v, double *work) {
  const torsor_problem *problem = systems->problem;
  const int nv = problem->nv, nl = problem->nl;
  memset(a, 0, (size_t)nv * sizeof *a);
  memset(lambda, 0, (size_t)nl * sizeof *lambda);
  const torsor_point p = {.t = t, .q = q, .v = v, .a = a, .lambda = lambda};
  torsor_status status = saddle_factor(systems, &p);
  if (!status) status = problem->residual(problem->self, &p, work, NULL, NULL);
  if (!status && nl) status = problem->hidden(problem->self, &p, work + nv);
  if (status) return status;
  for (int i = 0; i < nv + nl; ++i) work[i] = -work[i];
  if ((status = saddle_solve(systems, work, left))) return status;
  memcpy(a, work, (size_t)nv * sizeof *a);
  memcpy(lambda, work + nv, (size_t)nl * sizeof *lambda);
  return TORSOR_OK;
}

torsor_status start_jerk(double *jerk, saddle *systems, double t, double h, const double *q,
                         const double *v, const double *a, double *work) {
  const torsor_problem *problem = systems->problem;
  const int nv = problem->nv;
  double *q1 = work, *u = q1 + problem->nq, *v1 = u + nv, *a1 = v1 + nv, *lambda1 = a1 + nv;
  double *rest = lambda1 + problem->nl;
  memset(jerk, 0, (size_t)nv * sizeof *jerk);
  for (int side = -1; side <= 1; side += 2) {
    const double s = side * h;
    for (int i = 0; i < nv; ++i) {
      u[i] = s * v[i] + 0.5 * s * s * a[i];
      v1[i] = v[i] + s * a[i];
    }
    problem->plus(problem->self, q1, q, u);
    const torsor_status status =
        start_accelerations(a1, lambda1, NULL, systems, t + s, q1, v1, rest);
    if (status) return status;
    for (int i = 0; i < nv; ++i) jerk[i] += a1[i] / (2 * s);
  }
  return TORSOR_OK;
}

torsor_status start_constraint_rate(double *out, const torsor_problem *problem,
                                    const torsor_point *p, const double *w, double *work) {
  /* The problem gives B v + Phi_t: the difference from v = 0 is B w. */
  const int nv = problem->nv;
  memset(work, 0, (size_t)nv * sizeof *work);
  torsor_point at = *p;
  at.v = w;
  torsor_status status = problem->residual(problem->self, &at, NULL, NULL, out);
  at.v = work;
  if (!status) status = problem->residual(problem->self, &at, NULL, NULL, work + nv);
  for (int i = 0; i < problem->nl; ++i) out[i] -= work[nv + i];
  return status;
}

torsor_status start_project(double *dv, saddle *systems, const double *rate, double *work) {
  const torsor_problem *problem = systems->problem;
  const int nv = problem->nv, nl = problem->nl;
  memset(work, 0, (size_t)nv * sizeof *work);
  for (int i = 0; i < nl; ++i)
    work[nv + i] = problem->nonholonomic && problem->nonholonomic[i] ? 0 : rate[i];
  const torsor_status status = saddle_solve(systems, work, NULL);
  if (!status) memcpy(dv, work, (size_t)nv * sizeof *dv);
  return status;
}
