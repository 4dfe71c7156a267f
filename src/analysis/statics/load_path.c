/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/statics/load_path.h"
#include "analysis/statics/unstable.h"
#include "base/vec.h"

#include <math.h>
#include <string.h>

/* Largest rotation of a body in a step, rad: a joint coordinate then changes by less than half a
 * turn, so that its full turns can be counted. */
static const double LARGEST_TURN = 1.5;

/* Smallest cosine between the directions of the path at both ends of an arc-length step: below it a
 * corner was cut, or another branch was reached. */
static const double LEAST_COSINE = 0.8;

/* A load step has jumped to another branch where it moves the scene by JUMP times the predicted
 * distance plus LITTLE (relative to the model's size, or rad); just before a limit point the ratio
 * is 2. */
static const double JUMP = 4, LITTLE = 0.05;

/* At a critical point the test function, which vanishes there, is at most this fraction of its
 * values at the ends of the step. */
static const double NEARLY_ZERO = 1e-3;

/* Forces below this fraction of the loads are round-off. */
static const double BALANCED = 1e-13;

/* Relaxation: the first mass, the last one, and the largest movement of one step (relative to the
 * model's size, or rad). */
static const double HEAVIEST = 1, LIGHTEST = 1e-12, FARTHEST = 0.2;
enum { RELAXATIONS = 400 };

/* ---- tangents ---------------------------------------------------------------------------- */

/* Sets the direction of the path in (u, k lambda, load): per unit of load or, with arc length,
 * normalised to length 1 and oriented like the direction at `before`. */
static void orient(load_path *path, path_point *at, const path_point *before) {
  const equilibrium *e = &path->e;
  const int n = e->problem->nv + e->problem->nl;
  memcpy(at->direction, e->rate, (size_t)n * sizeof *at->direction);
  at->load = 1;
  if (!path->arc) return;
  double size = 1 / sqrt(equilibrium_dot(e, e->rate, e->rate) + e->load_weight);
  double onward = path->settings->until;
  if (before && before->known)
    onward = equilibrium_dot(e, e->rate, before->direction) + e->load_weight * before->load;
  if (onward < 0) size = -size;
  at->load = size;
  for (int i = 0; i < n; ++i) at->direction[i] *= size;
}

/* Returns the sign of the tangent's determinant, times (-1)^nl, which is the sign of a stable
 * one. */
static int tangent_sign(const equilibrium *e) {
  return assembly_factor_sign(e->a) * (e->problem->nl % 2 ? -1 : 1);
}

static torsor_status inspect(load_path *path, path_point *at, const path_point *before) {
  equilibrium *e = &path->e;
  torsor_status status = equilibrium_factor(e, &at->p, 0);
  if (!status) {
    at->sign = tangent_sign(e);
    at->pivot_ratio = assembly_pivot_ratio(e->a);
    status = unstable_count(&at->unstable, e, before && before->known ? before->unstable : -1);
  }
  if (!status) {
    status = equilibrium_rate(e, &at->p);
  }
  at->known = !status;
  e->was_regular |= at->known;
  if (!status) orient(path, at, before);
  return status;
}

/* Checks that the step to path->next, from a point with a known tangent, has not gone too far. */
static torsor_status check_step(const load_path *path, double step) {
  const equilibrium *e = &path->e;
  const torsor_problem *pr = e->problem;
  const double *direction = path->now.direction;
  double most = 0, *u = e->aside;
  pr->minus(pr->self, u, path->next.p.q, path->now.p.q);
  for (int i = 0; i < pr->nv; ++i)
    if (pr->rotation[i]) most = fmax(most, fabs(u[i]));
  if (e->model->coordinate_count && most > LARGEST_TURN) return TORSOR_TURN;
  const double expected = fabs(step) * sqrt(equilibrium_dot(e, direction, direction));
  const bool jumped = sqrt(equilibrium_dot(e, u, u)) > JUMP * expected + LITTLE;
  return jumped && !path->arc ? TORSOR_NEWTON : TORSOR_OK;
}

/* ---- the first point --------------------------------------------------------------------- */

/* Relaxation (pseudo-transient continuation): the motion under the loads in a viscous fluid that
 * gets thinner.  It ends where the potential has a minimum, from any starting point, constrained or
 * not. */
static torsor_status relax(load_path *path, static_point *p) {
  equilibrium *e = &path->e;
  double mass = HEAVIEST;
  for (int k = 0; k < RELAXATIONS && mass > LIGHTEST; ++k) {
    torsor_status status = equilibrium_factor(e, p, mass);
    if (!status) status = equilibrium_residual(e, p);
    if (!status) status = equilibrium_solve(e, e->x);
    if (status < 0) return status;
    const double size = status ? HUGE_VAL : equilibrium_size(e, e->x);
    if (!(size < FARTHEST)) {
      mass *= 4;
      if (!(mass < 1e12)) return TORSOR_NEWTON;
      continue;
    }
    equilibrium_move(e, p, p, e->x, 0, 1);
    mass /= 2;
  }
  return equilibrium_find(e, p, false);
}

/* Finds the first point by Newton's method from p, then with the multipliers that balance best,
 * then by relaxation.  Where friction keeps the scene in place, relaxation comes first: Newton's
 * corrections would go far where nothing is stiff yet, and the result would remain there. */
static torsor_status find_first(load_path *path, static_point *p, const double *q) {
  equilibrium *e = &path->e;
  const size_t nq = (size_t)e->problem->nq * sizeof *q, nl = (size_t)e->problem->nl * sizeof *q;
  torsor_status status = TORSOR_NEWTON;
  for (int attempt = e->sticks ? 2 : 0; attempt < 3 && status > 0; ++attempt) {
    memcpy(p->q, q, nq);
    memset(p->lambda, 0, nl);
    status = attempt ? equilibrium_guess(e, p) : TORSOR_OK;
    if (status) continue;
    status = attempt < 2 ? equilibrium_find(e, p, false) : relax(path, p);
    if (!status && attempt == 2 && !e->sticks && path->warn)
      path->warn(path->data, "the scene is unconstrained where it begins: it was relaxed, as in a "
                             "viscous fluid, until it came to rest");
  }
  return status;
}

/* Is the initial configuration in equilibrium without multipliers? */
static torsor_status is_balanced(load_path *path, bool *balanced) {
  equilibrium *e = &path->e;
  static_point p = path->now.p;
  torsor_status status = equilibrium_residual(e, &p);
  const double force = vec_largest(e->r, e->problem->nv), phi = vec_largest(e->phi, e->problem->nl);
  p.load = path->settings->until;
  if (!status) status = equilibrium_residual(e, &p);
  *balanced = !status && force <= BALANCED * vec_largest(e->r, e->problem->nv) &&
              phi <= BALANCED * e->length;
  return status;
}

static torsor_status take_point(path_point *out, const torsor_model *model, arena *memory) {
  out->direction = arena_take(memory, (size_t)(model->nv + model->nl), sizeof *out->direction);
  return out->direction ? static_point_create(&out->p, model, memory) : TORSOR_MEMORY;
}

torsor_status load_path_start(load_path *path, assembly *a, const torsor_model *model,
                              const torsor_statics *settings, const double *q, arena *memory,
                              torsor_counters *counters, torsor_error *error) {
  path->settings = settings;
  path->arc = settings->method == TORSOR_STATICS_ARC_LENGTH;
  path->e.all = settings->loading == TORSOR_LOADING_ALL ||
                (settings->loading == TORSOR_LOADING_AUTO && !model->follows_load);
  path->e.tolerance = settings->tolerance;
  path->e.max_iterations = settings->max_iterations;
  path->e.load_weight = path->arc ? 1 / (settings->until * settings->until) : 0;
  path->e.counters = counters;
  assembly_set_load(a, 0, path->e.all);
  torsor_status status = equilibrium_create(&path->e, a, model, q, memory);
  path_point *const points[] = {&path->now, &path->next, &path->critical};
  for (int i = 0; i < 3 && !status; ++i) status = take_point(points[i], model, memory);
  path->null = arena_take(memory, (size_t)(model->nv + model->nl), sizeof *path->null);
  if (status || !path->null) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  memcpy(path->now.p.q, q, (size_t)model->nq * sizeof *q);
  bool balanced = false;
  status = is_balanced(path, &balanced);
  if (!status && !balanced) status = find_first(path, &path->now.p, q);
  path->found = !status;
  if (status > 0) memcpy(path->now.p.q, q, (size_t)model->nq * sizeof *q);
  if (!status) status = inspect(path, &path->now, NULL);
  return status < 0 ? torsor_fail(error, status, "%s", torsor_status_text(status)) : TORSOR_OK;
}

/* ---- steps ------------------------------------------------------------------------------- */

/* Has an arc-length step followed the path, without cutting a corner? */
static bool goes_on(const load_path *path) {
  const path_point *now = &path->now, *next = &path->next;
  const double cosine = equilibrium_dot(&path->e, now->direction, next->direction) +
                        path->e.load_weight * now->load * next->load;
  return cosine >= LEAST_COSINE;
}

torsor_status load_path_try(load_path *path, double step) {
  equilibrium *e = &path->e;
  path_point *now = &path->now, *next = &path->next;
  torsor_status status;
  if (now->known) {
    equilibrium_foresee(e, &now->p, now->direction, step);
    equilibrium_move(e, &next->p, &now->p, now->direction, now->load, step);
    status = equilibrium_find(e, &next->p, path->arc);
    if (!status) status = check_step(path, step);
  } else { /* the unloaded scene is unconstrained: this is the first point */
    next->p.load = now->p.load + step;
    status = find_first(path, &next->p, now->p.q);
  }
  if (!status) status = inspect(path, next, now);
  if (!status && path->arc && now->known && !goes_on(path)) status = TORSOR_NEWTON;
  return status;
}

void load_path_accept(load_path *path) {
  path->found = true;
  const path_point before = path->now;
  path->now = path->next;
  path->next = before;
  assembly_set_load(path->e.a, path->now.p.load, path->e.all);
  assembly_pass_coordinates(path->e.a,
                            &(torsor_point){.q = path->now.p.q, .lambda = path->now.p.lambda});
}

torsor_status load_path_meet(load_path *path, double load) {
  equilibrium *e = &path->e;
  path_point *next = &path->next;
  equilibrium_move(e, &next->p, &next->p, next->direction, next->load,
                   (load - next->p.load) / next->load);
  next->p.load = load;
  const torsor_status status = equilibrium_find(e, &next->p, false);
  return status ? status : inspect(path, next, &path->now);
}

/* ---- critical points --------------------------------------------------------------------- */

bool load_path_is_critical(const load_path *path, bool *limit) {
  const path_point *now = &path->now, *next = &path->next;
  *limit = path->arc && now->load * next->load < 0;
  if (!now->known || !next->known) return false;
  return *limit || now->sign * next->sign < 0 || load_path_turned(path) != 0;
}

int load_path_turned(const load_path *path) {
  const path_point *now = &path->now, *next = &path->next;
  const bool counted = now->known && next->known && now->unstable >= 0 && next->unstable >= 0;
  return counted ? next->unstable - now->unstable : 0;
}

/* Finds path->null by inverse iteration with the last factorisation. */
static torsor_status find_null(load_path *path) {
  const equilibrium *e = &path->e;
  const torsor_problem *pr = e->problem;
  double *x = path->null;
  for (int i = 0; i < pr->nv; ++i) x[i] = 1 + sin(i + 1.0);
  for (int k = 0; k < 4; ++k) {
    const double size = sqrt(equilibrium_dot(e, x, x));
    if (!(size > 0)) return TORSOR_NONFINITE;
    for (int i = 0; i < pr->nv; ++i) x[i] *= e->weight[i] / size;
    memset(x + pr->nv, 0, (size_t)pr->nl * sizeof *x);
    const torsor_status status = pr->solve(pr->self, x);
    if (status) return status;
  }
  const double size = sqrt(equilibrium_dot(e, x, x));
  for (int i = 0; i < pr->nv; ++i) x[i] *= e->weight[i] / size;
  memset(x + pr->nv, 0, (size_t)pr->nl * sizeof *x);
  return size > 0 ? TORSOR_OK : TORSOR_NONFINITE;
}

/* Evaluates the test function 1/(b^T A^-1 b), b = path->null, which passes through zero where A is
 * singular (a test function of bordering type; Seydel, Practical Bifurcation and Stability
 * Analysis, 2010). */
static torsor_status neutral(load_path *path, double *value) {
  const torsor_problem *pr = path->e.problem;
  double *x = path->e.x, sum = 0;
  memcpy(x, path->null, (size_t)(pr->nv + pr->nl) * sizeof *x);
  const torsor_status status = pr->solve(pr->self, x);
  for (int i = 0; i < pr->nv; ++i) sum += path->null[i] * x[i];
  *value = 1 / sum;
  return status;
}

/* Evaluates the test function at path->next: the load, which has an extremum at a limit point, or
 * the function above. */
static torsor_status measure(load_path *path, bool limit, double *value) {
  *value = path->next.load;
  return limit ? TORSOR_OK : neutral(path, value);
}

/* Bracket of a zero of a function of the step, for regula falsi (Illinois). */
typedef struct bracket {
  double low, high, at_low, at_high;
} bracket;

static double middle_of(const bracket *b) {
  const double middle = (b->low * b->at_high - b->high * b->at_low) / (b->at_high - b->at_low);
  const bool inside = middle > fmin(b->low, b->high) && middle < fmax(b->low, b->high);
  return inside ? middle : (b->low + b->high) / 2;
}

static void shrink_bracket(bracket *b, double middle, double value) {
  if (value * b->at_high < 0) {
    b->low = b->high;
    b->at_low = b->at_high;
  } else {
    b->at_low /= 2;
  }
  b->high = middle;
  b->at_high = value;
}

static torsor_status measure_ends(bracket *b, load_path *path, bool limit) {
  torsor_status status = limit ? TORSOR_OK : find_null(path);
  if (!status) status = measure(path, limit, &b->at_high);
  b->at_low = path->now.load;
  if (!status && !limit) status = equilibrium_factor(&path->e, &path->now.p, 0);
  if (!status && !limit) status = neutral(path, &b->at_low);
  return status;
}

/* Locates the critical point by regula falsi, until a step no longer moves the load, or until the
 * nearly singular tangent makes the result worse again.  Where the sign changes but the function
 * has no zero, `now` and `next` are on two branches. */
torsor_status load_path_locate(load_path *path, double step, bool limit) {
  enum { MOST = 60 };
  const double near = 1e-12 * fabs(step);
  bracket b = {.high = step};
  double best = HUGE_VAL;
  torsor_status status = measure_ends(&b, path, limit);
  const double zero = NEARLY_ZERO * fmax(fabs(b.at_low), fabs(b.at_high));
  for (int k = 0; k < MOST && !status && fabs(b.high - b.low) > near; ++k) {
    double value = 0;
    const double middle = middle_of(&b);
    status = load_path_try(path, middle);
    if (!status) status = measure(path, limit, &value);
    if (status > 0 && best <= zero) return TORSOR_OK; /* as close as round-off allows */
    if (status) break;
    if (fabs(value) < best) {
      best = fabs(value);
      path->critical_step = middle;
      static_point_copy(&path->critical.p, &path->next.p, path->e.model);
    } else if (fabs(value) > 10 * best) {
      break;
    }
    if (value == 0) break;
    shrink_bracket(&b, middle, value);
  }
  return !status && best > zero ? TORSOR_NEWTON : status;
}

torsor_status load_path_confirm(load_path *path, double step, int unstable, double near) {
  const int before = path->now.unstable;
  const double at = path->critical_step, side = step < 0 ? -near : near;
  torsor_status status = TORSOR_OK;
  if (fabs(at) > near) status = load_path_try(path, at - side);
  if (!status && fabs(at) > near && path->next.unstable != before) status = TORSOR_NEWTON;
  if (!status && fabs(step - at) > near) status = load_path_try(path, at + side);
  if (!status && fabs(step - at) > near && path->next.unstable != unstable) status = TORSOR_NEWTON;
  return status;
}
