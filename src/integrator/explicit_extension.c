/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/vec.h"
#include "explicit_step.h"

/* Between the ends theta and v are the pair's continuous extensions, of order 7 (8(5,3)) or 4
 * (5(4)):
 *
 *      x(s) = s (d + r (c + s (b + r (x_0 + s (x_1 + r (x_2 + s x_3)))))),   r = 1 - s
 *
 * from x(0) = 0, with d = x(1), c = h x'(0) - d, b = d - h x'(1) - c and x_k weighted sums of the
 * stages' rates.  The three stages of 8(5,3) that only this needs are found when it is first
 * asked for. */

static torsor_status find_more_stages(explicit_step *s) {
  const step_end *begin = &s->it->last.begin;
  const runge_kutta_pair *pair = s->pair;
  if (s->extended) return TORSOR_OK;
  for (int i = pair->stages + 1; i < pair->all; ++i) {
    explicit_collect(s, begin->v, i);
    const torsor_status status = explicit_evaluate(s, begin->q, i, s->t + pair->node[i] * s->h);
    if (status) return status;
  }
  s->extended = true;
  return TORSOR_OK;
}

/* x [nv] at s from rates [stages nv] and the whole `change` [nv]. */
static void interpolate(double *x, const explicit_step *own, const double *rate,
                        const double *change, double s) {
  const runge_kutta_pair *pair = own->pair;
  const int nv = own->nv;
  const double r = 1 - s, *last = rate + pair->stages * nv;
  double power = s * s * r * r, weight[PAIR_STAGES] = {0};
  for (int k = 0; k < pair->terms; ++k) {
    for (int j = 0; j < pair->all; ++j) weight[j] += own->h * power * pair->extension[k][j];
    power *= k % 2 == 0 ? s : r;
  }
  for (int i = 0; i < nv; ++i) {
    const double d = change[i], c = own->h * rate[i] - d, b = d - own->h * last[i] - c;
    x[i] = s * (d + r * (c + s * b));
  }
  for (int j = 0; j < pair->all; ++j)
    if (weight[j] != 0) vec_add_scaled(x, weight[j], rate + j * nv, nv);
}

/* Is the integrator's last step the one that the stages belong to? */
static bool is_known(const torsor_integrator *it) {
  const explicit_step *s = it->own;
  return s->accepted && s->t == it->last.begin.t;
}

torsor_status explicit_extend(torsor_integrator *it, double t) {
  explicit_step *own = it->own;
  const torsor_problem *problem = it->problem;
  const last_step *last = &it->last;
  const double s = (t - last->begin.t) / (it->t - last->begin.t);
  if (!is_known(it)) return TORSOR_ARGUMENT;
  const torsor_status status = find_more_stages(own);
  if (status) return status;
  double *change = own->x;
  interpolate(last->u, own, own->f, own->way, s);
  for (int i = 0; i < own->nv; ++i) change[i] = it->v[i] - last->begin.v[i];
  interpolate(last->shown.v, own, own->w, change, s);
  vec_add_scaled(last->shown.v, 1, last->begin.v, own->nv);
  problem->plus(problem->self, last->shown.q, last->begin.q, last->u);
  return TORSOR_OK;
}

bool explicit_way(const torsor_integrator *it, double *theta, double *rate) {
  const explicit_step *s = it->own;
  const size_t size = (size_t)s->nv * sizeof *theta;
  if (!is_known(it)) return false;
  memcpy(theta, s->way, size);
  memcpy(rate, s->f + s->pair->stages * s->nv, size);
  return true;
}
