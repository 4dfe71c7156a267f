/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "alpha_kit.h"
#include "base/vec.h"
#include "explicit_step.h"

void explicit_collect(explicit_step *s, const double *v0, int stage) {
  const double *weight = s->pair->matrix[stage];
  const int nv = s->nv;
  memset(s->theta, 0, (size_t)nv * sizeof *s->theta);
  memcpy(s->v, v0, (size_t)nv * sizeof *s->v);
  for (int j = 0; j < stage; ++j) {
    if (weight[j] == 0) continue;
    vec_add_scaled(s->theta, s->h * weight[j], s->f + j * nv, nv);
    vec_add_scaled(s->v, s->h * weight[j], s->w + j * nv, nv);
  }
}

torsor_status explicit_accelerate(explicit_step *s, double *a, double t) {
  torsor_integrator *it = s->it;
  const torsor_point p = {.t = t, .q = s->q, .v = s->v};
  torsor_status status = saddle_accelerate(&it->systems, &p, a, s->lambda);
  s->lean = status == TORSOR_OK;
  if (status == TORSOR_SINGULAR) {
    if (!s->problem->reactive) memset(s->lambda, 0, (size_t)s->nl * sizeof *s->lambda);
    status = start_accelerations_near(a, s->lambda, NULL, &it->systems, t, s->q, s->v, s->x);
  }
  ++it->counters.factorizations;
  ++it->counters.residual_evaluations;
  if (status) return status;
  return vec_is_finite(a, s->nv) ? TORSOR_OK : TORSOR_NONFINITE;
}

torsor_status explicit_evaluate(explicit_step *s, const double *q0, int stage, double t) {
  const torsor_problem *problem = s->problem;
  double *f = s->f + stage * s->nv, *w = s->w + stage * s->nv;
  problem->taninv(problem->self, f, s->theta, s->v, false);
  if (!vec_is_finite(f, s->nv)) return TORSOR_NONFINITE;
  problem->plus(problem->self, s->q, q0, s->theta);
  return explicit_accelerate(s, w, t);
}
