/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "impulse.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "alpha_kit.h"
#include "base/vec.h"

/* A velocity has jumped where its change differs from h/2 (v0' + v1') by more than this times h
 * max|v'|.  An acceleration that jumps within the step contributes 1/2 at most, and one that rises
 * and falls in an impact is not visible at the ends at all. */
static const double MOST_SHOWN = 1.5;

/* Changes below this fraction of the largest velocity so far are no jumps: errors of steps are
 * smaller, and so are the corners of measured motions. */
static const double LEAST_JUMP = 1e-3;

/* A row causes the jump where B v jumps by at least this fraction of the change of the row's own
 * speed. */
static const double OWN = 0.5;

void impulse_walk(impulse_watch *w, const torsor_problem *problem, tape *t) {
  TAPE_VALUE(t, w->found);
  TAPE_VALUE(t, w->fastest);
  TAPE_WORK(t, w->jump, problem->nv);
  TAPE_WORK(t, w->work, problem->nv + 3 * problem->nl);
}

void impulse_begin(impulse_watch *w) {
  w->found = (torsor_impulse){.constraint = -1, .velocity = -1};
  w->fastest[0] = w->fastest[1] = 0;
}

/* Largest jump of translations or of rotations, its component, and the change that accelerations
 * would explain. */
typedef struct change {
  double jump, shown;
  int velocity;
} change;

static void find_changes(change of[2], impulse_watch *w, const torsor_problem *problem,
                         const torsor_point *begin, const torsor_point *end, const double *jump) {
  const unsigned char *turns = problem->rotation;
  const double h = end->t - begin->t;
  of[0] = of[1] = (change){.velocity = -1};
  for (int i = 0; i < problem->nv; ++i) {
    const int kind = turns && turns[i];
    change *c = &of[kind];
    w->jump[i] = jump ? jump[i] : end->v[i] - begin->v[i] - h / 2 * (begin->a[i] + end->a[i]);
    if (fabs(w->jump[i]) > c->jump) {
      c->jump = fabs(w->jump[i]);
      c->velocity = i;
    }
    c->shown = vec_larger(h * vec_larger(fabs(begin->a[i]), fabs(end->a[i])), c->shown);
    const double speed = vec_larger(fabs(begin->v[i]), fabs(end->v[i]));
    w->fastest[kind] = vec_larger(speed, w->fastest[kind]);
  }
}

/* Velocities below this number of rounding errors of the other kind, 2e-8 of these, may consist of
 * rounding. */
static const double MOST_ROUNDING = 1e8;

double impulse_least(const impulse_watch *w, const torsor_problem *problem, int kind) {
  const double length = problem->length;
  const double other = kind == 0 ? w->fastest[1] * length : length > 0 ? w->fastest[0] / length : 0;
  return fmax(LEAST_JUMP * w->fastest[kind], MOST_ROUNDING * DBL_EPSILON * other);
}

void impulse_pass(impulse_watch *w, const torsor_problem *problem, const double *v) {
  for (int i = 0; i < problem->nv; ++i) {
    const int kind = problem->rotation && problem->rotation[i];
    w->fastest[kind] = vec_larger(fabs(v[i]), w->fastest[kind]);
  }
}

/* Finds the rows' own speeds, out [nl] = Phi_t, or k at v = 0. */
static torsor_status find_own_speed(double *out, const torsor_problem *problem,
                                    const torsor_point *p, double *still) {
  torsor_point at = *p;
  memset(still, 0, (size_t)problem->nv * sizeof *still);
  at.v = still;
  return problem->residual(problem->self, &at, NULL, NULL, out);
}

/* Returns the row whose own speed changes most, if B v jumps with it; -1: there is none.  `size`
 * receives the jump, in the row's unit. */
static int find_row(double *size, impulse_watch *w, const torsor_problem *problem,
                    const torsor_point *begin, const torsor_point *end) {
  const int nl = problem->nl;
  double *rate = w->work, *before = rate + nl, *after = before + nl, *still = after + nl;
  if (nl == 0) return -1;
  /* start_constraint_rate uses nv + nl of work, which the speeds do not need yet */
  torsor_status status = start_constraint_rate(rate, problem, end, w->jump, before);
  if (!status) status = find_own_speed(before, problem, begin, still);
  if (!status) status = find_own_speed(after, problem, end, still);
  if (status) return -1;
  int row = -1;
  double most = 0;
  for (int i = 0; i < nl; ++i) {
    const double own = fabs(after[i] - before[i]);
    if (!(own > most) || fabs(rate[i]) < OWN * own) continue;
    most = own;
    row = i;
  }
  if (row >= 0) *size = fabs(rate[row]);
  return row;
}

void impulse_follow(impulse_watch *w, const torsor_problem *problem, const torsor_point *begin,
                    const torsor_point *end, const double *jump) {
  change of[2];
  torsor_impulse *found = &w->found;
  find_changes(of, w, problem, begin, end, jump);
  int kind = -1;
  for (int k = 0; k < 2 && kind < 0; ++k) {
    const double least = fmax(MOST_SHOWN * of[k].shown, impulse_least(w, problem, k));
    if (of[k].jump > fmax(least, kit_still(problem, end, k, end->t - begin->t))) kind = k;
  }
  if (kind < 0) return;
  torsor_impulse now = {.count = found->count + 1,
                        .t = end->t,
                        .h = end->t - begin->t,
                        .velocity = of[kind].velocity,
                        .size = of[kind].jump};
  now.constraint = find_row(&now.size, w, problem, begin, end);
  found->count = now.count;
  /* the first one is reported, since later ones are often its consequences */
  if (now.count == 1) *found = now;
}
