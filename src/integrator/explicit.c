/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "alpha_kit.h"
#include "base/vec.h"
#include "explicit_step.h"

/* ---- stages ------------------------------------------------------------------------------- */

static torsor_status find_stages(explicit_step *s, double t1) {
  const torsor_integrator *it = s->it;
  const runge_kutta_pair *pair = s->pair;
  const size_t size = (size_t)s->nv * sizeof(double);
  memcpy(s->f, it->v, size);
  memcpy(s->w, it->a, size);
  memcpy(s->lambda, it->lambda, (size_t)s->nl * sizeof *s->lambda);
  for (int i = 1; i < pair->stages; ++i) {
    explicit_collect(s, it->v, i);
    const torsor_status status = explicit_evaluate(s, it->q, i, t1 - (1 - pair->node[i]) * s->h);
    if (status) return status;
  }
  memcpy(s->theta_last, s->theta, size);
  memcpy(s->v_last, s->v, size);
  explicit_collect(s, it->v, pair->stages);
  memcpy(s->theta_free, s->theta, size);
  memcpy(s->v_free, s->v, size);
  s->problem->plus(s->problem->self, s->q, it->q, s->theta);
  return vec_is_finite(s->v, s->nv) ? TORSOR_OK : TORSOR_NONFINITE;
}

/* ---- onto the constraints ----------------------------------------------------------------- */

/* The matrix of the last stage is that of a place nearby: each iteration leaves a small part of
 * what there was, and more of them leave rounding. */
enum { MOST_MOVES = 10 };

/* Errors of rows as a length, or its rate: the largest. */
static double largest_row(const explicit_step *s, const double *off) {
  const double place = kit_place_size(s->problem, s->q);
  double most = 0;
  for (int i = 0; i < s->nl; ++i)
    most = vec_larger(fabs(off[i]) / kit_row_length(&s->it->systems, i, place), most);
  return most;
}

/* q and theta, or v, by x. */
static void move(explicit_step *s, bool positions, const double *x) {
  const torsor_problem *problem = s->problem;
  double *step = s->x + s->nv + s->nl;
  if (!positions) {
    vec_add_scaled(s->v, 1, x, s->nv);
    vec_add_scaled(s->jump, 1, x, s->nv);
    return;
  }
  problem->plus(problem->self, s->q, s->q, x);
  problem->taninv(problem->self, step, s->theta, x, false);
  vec_add_scaled(s->theta, 1, step, s->nv);
  vec_add_scaled(s->moved, 1, step, s->nv);
}

/* Newton's iteration of one level with the matrix that is there, to rounding.  It contracts by the
 * same factor each time: what the second one leaves need not be found. */
static torsor_status meet(explicit_step *s, bool positions, double t1) {
  const torsor_problem *problem = s->problem;
  const torsor_point p = {.t = t1, .q = s->q, .v = s->v};
  double *x = s->x, *off = x + s->nv, before = HUGE_VAL;
  for (int k = 0; k < MOST_MOVES; ++k) {
    torsor_status status =
        problem->residual(problem->self, &p, NULL, positions ? off : NULL, positions ? NULL : off);
    if (status) return status;
    if (!vec_is_finite(off, s->nl)) return TORSOR_NONFINITE;
    const double now = largest_row(s, off);
    const double rounding =
        positions ? kit_roundoff_position(problem, &p) : kit_roundoff_velocity(problem, &p);
    if (now <= rounding || now > before / 2) return TORSOR_OK;
    const bool last = k > 0 && now * (now / before) <= rounding;
    before = now;
    memset(x, 0, (size_t)s->nv * sizeof *x);
    for (int i = 0; i < s->nl; ++i) off[i] = -off[i];
    if ((status = saddle_solve(&s->it->systems, x, NULL))) return status;
    move(s, positions, x);
    if (last) return TORSOR_OK;
  }
  return TORSOR_OK;
}

static torsor_status meet_constraints(explicit_step *s, double t1) {
  const torsor_point p = {.t = t1, .q = s->q, .v = s->v};
  torsor_status status = TORSOR_OK;
  memset(s->moved, 0, (size_t)s->nv * sizeof *s->moved);
  memset(s->jump, 0, (size_t)s->nv * sizeof *s->jump);
  if (s->nl == 0) return TORSOR_OK;
  if (s->problem->reactive) status = saddle_factor(&s->it->systems, &p, TORSOR_SYSTEM_VELOCITY);
  if (!status) status = meet(s, true, t1);
  return status ? status : meet(s, false, t1);
}

/* ---- the step ----------------------------------------------------------------------------- */

/* v', multipliers and rates at the end: the first stage of the next step. */
static torsor_status finish(explicit_step *s, double t1) {
  const torsor_problem *problem = s->problem;
  double *f = s->f + s->pair->stages * s->nv, *w = s->w + s->pair->stages * s->nv;
  torsor_status status = explicit_accelerate(s, s->a, t1);
  if (!status && s->it->systems.e > 0) status = saddle_filter(&s->it->systems, s->lambda, NULL);
  if (status) return status;
  memcpy(w, s->a, (size_t)s->nv * sizeof *w);
  memcpy(s->way, s->theta, (size_t)s->nv * sizeof *w);
  problem->taninv(problem->self, f, s->theta, s->v, false);
  return vec_is_finite(f, s->nv) ? TORSOR_OK : TORSOR_NONFINITE;
}

/* The estimates of 8(5,3) do without the rates at the end: under control a step is refused before
 * these are found. */
static torsor_status try_step(explicit_step *s, double t1) {
  const bool early = s->pair == &pair_853 && s->it->control.on;
  torsor_status status = find_stages(s, t1);
  if (!status && early) status = explicit_judge(s);
  if (!status) status = meet_constraints(s, t1);
  if (!status) status = explicit_judge_moved(s);
  if (!status) status = finish(s, t1);
  return status || early ? status : explicit_judge(s);
}

static torsor_status accept(explicit_step *s, double t1) {
  torsor_integrator *it = s->it;
  const torsor_problem *problem = s->problem;
  const torsor_point p = {.t = t1, .q = s->q, .v = s->v, .a = s->a, .lambda = s->lambda};
  const torsor_status status = problem->accept ? problem->accept(problem->self, &p) : TORSOR_OK;
  if (status) return status;
  explicit_add_errors(s);
  explicit_watch(s);
  memcpy(it->q, s->q, (size_t)problem->nq * sizeof *it->q);
  memcpy(it->v, s->v, (size_t)s->nv * sizeof *it->v);
  memcpy(it->a, s->a, (size_t)s->nv * sizeof *it->a);
  memcpy(it->lambda, s->lambda, (size_t)s->nl * sizeof *it->lambda);
  s->accepted = true;
  return TORSOR_OK;
}

static torsor_status step(torsor_integrator *it, double t1, double h) {
  explicit_step *s = it->own;
  s->t = it->t;
  s->h = h;
  s->accepted = s->extended = false;
  torsor_status status = try_step(s, t1);
  if (status == TORSOR_SINGULAR && s->nl > 0 && !(it->systems.e > 0)) {
    const torsor_point p = {.t = it->t, .q = it->q, .v = it->v};
    saddle_regularise(&it->systems, &p);
    status = try_step(s, t1);
  }
  if (!status) status = accept(s, t1);
  if (!status || (status == TORSOR_ACCURACY && it->control.on)) return status;
  const torsor_point p = {.t = t1, .q = s->q, .v = s->v, .a = s->a, .lambda = s->lambda};
  memcpy(s->x, s->v, (size_t)s->nv * sizeof *s->x);
  kit_describe_failure(&it->failure, s->problem, status, h, &p, &it->newton, s->x);
  return status;
}

double explicit_try(explicit_step *s, double t1, double h) {
  s->t = s->it->t;
  s->h = h;
  s->accepted = s->extended = false;
  if (try_step(s, t1)) return HUGE_VAL;
  explicit_find_rho(s);
  return s->stiff.rho;
}

/* ---- the method --------------------------------------------------------------------------- */

static torsor_status check(const torsor_problem *problem, const torsor_settings *settings,
                           torsor_error *error) {
  if (settings->order != 0 && settings->order != pair_853.order && settings->order != pair_54.order)
    return torsor_fail(error, TORSOR_ARGUMENT, "the method \"explicit\" has no order %d: 8 or 5",
                       settings->order);
  if (!problem->taninv)
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "the method \"explicit\" needs the inverse tangent of the problem's chart");
  return TORSOR_OK;
}

static void walk_arrays(explicit_step *s, tape *t) {
  const int nv = s->nv;
  TAPE_ARRAY(t, s->f, PAIR_STAGES * nv);
  TAPE_ARRAY(t, s->w, PAIR_STAGES * nv);
  TAPE_ARRAY(t, s->q, s->problem->nq);
  TAPE_ARRAY(t, s->theta, nv);
  TAPE_ARRAY(t, s->v, nv);
  TAPE_ARRAY(t, s->lambda, s->nl);
  TAPE_ARRAY(t, s->way, nv);
  TAPE_ARRAY(t, s->theta_last, nv);
  TAPE_ARRAY(t, s->v_last, nv);
  TAPE_ARRAY(t, s->theta_free, nv);
  TAPE_ARRAY(t, s->v_free, nv);
  TAPE_ARRAY(t, s->a, nv);
  TAPE_ARRAY(t, s->jump, nv);
  TAPE_ARRAY(t, s->moved, nv);
  TAPE_ARRAY(t, s->error, nv);
  TAPE_ARRAY(t, s->noise, nv);
  TAPE_ARRAY(t, s->x, s->problem->nq + 4 * nv + s->nl);
}

static void walk(torsor_integrator *it, tape *t) {
  explicit_step *s = it->own;
  TAPE_VALUE(t, s->t);
  TAPE_VALUE(t, s->h);
  TAPE_VALUE(t, s->accepted);
  TAPE_VALUE(t, s->extended);
  TAPE_VALUE(t, s->stiff);
  TAPE_VALUE(t, s->lean);
  walk_arrays(s, t);
}

static torsor_status create(torsor_integrator *it) {
  explicit_step *s = arena_take(&it->memory, 1, sizeof *s);
  if (!s) return TORSOR_MEMORY;
  s->it = it;
  s->problem = it->problem;
  s->pair = it->order == pair_54.order ? &pair_54 : &pair_853;
  s->nv = it->problem->nv;
  s->nl = it->problem->nl;
  it->own = s;
  tape take = {.memory = &it->memory};
  walk(it, &take);
  it->jump = s->jump;
  return take.status;
}

static torsor_status start(torsor_integrator *it, double h) {
  explicit_step *s = it->own;
  (void)h;
  s->accepted = false;
  s->stiff = (stiffness_watch){0};
  return start_motion(it->a, it->lambda, it, s->x);
}

/* Nothing that is kept belongs to a size. */
static torsor_status resize(torsor_integrator *it, double h, double h_old) {
  (void)it, (void)h, (void)h_old;
  return TORSOR_OK;
}

const method method_explicit = {
    .name = "explicit",
    .title = "Dormand-Prince 8(5,3) or 5(4) on Lie groups, index 1, projected",
    .order = 8,
    .settings = {"order"},
    .check = check,
    .create = create,
    .walk = walk,
    .start = start,
    .step = step,
    .resize = resize,
    .extend = explicit_extend,
    .way = explicit_way,
    .settles = true,
    .is_explicit = true,
    .estimates_error = true};
