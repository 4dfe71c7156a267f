/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "newton.h"

#include "base/vec.h"
#include "parts.h"

#include <math.h>

/* Default cost of assembling and factoring the iteration matrix, in iterations (one residual and
 * one solution each); a problem may give its own (factor_cost). */
static const double FACTOR_COST = 3;

/* Contraction rate above which the chord matrix is renewed. */
static const double SLOW = 0.5;

/* Contraction rate above which corrections may consist of rounding errors: their size is then
 * estimated (find_floors). */
static const double SUSPECT = 0.25;

/* Corrections that no longer shrink count as rounding errors up to this multiple of the estimated
 * floor. */
static const double STALL = 64;

/* Floors are upper estimates: they assume an error of 8 eps in every position, where rounding it
 * makes eps/2.  As long as corrections shrink, the iteration goes on down to this part of the
 * floor. */
static const double FLOOR_SHARE = 1.0 / 16;

/* Safety factor of a contraction rate that is known from earlier steps: the direction of the
 * predictor's error differs from step to step, and the rate of a chord matrix with it. */
static const double UNLIKE = 4;

/* Corrections below this part of their tolerances may be rounding errors: they give an upper bound
 * of a contraction rate, but no rate. */
static const double HIDDEN = 1.0 / 32;

/* Corrections above this multiple of their tolerances are never accepted as the last ones by rates
 * of earlier steps alone, as these steps may have had another force law (before an impact): the
 * error that is left where such rates mislead is bounded by it.  Predictors of smooth motions are
 * closer. */
static const double MOST_TRUSTED = 64;

/* Forces stick and slip, and the first correction is beyond MOST_TRUSTED and larger than that of
 * the step before by this factor: something has begun to stick or to slip in this step. */
static const double JUMP = 1000;

/* By halves the second correction may be as large as the first one. */
static const double MOST_SECOND = 2;

/* A matrix that did not serve two steps is renewed in every step from then on; after at most this
 * many steps, keeping it is tried again. */
enum { MOST_DOUBT = 15 };

void newton_walk(newton *n, tape *t) {
  for (int i = 0; i < NEWTON_BLOCKS; ++i) {
    newton_block *b = &n->blocks[i];
    TAPE_VALUE(t, b->tolerance);
    TAPE_VALUE(t, b->floor);
    TAPE_VALUE(t, b->peak);
  }
  TAPE_VALUE(t, n->factored);
  TAPE_VALUE(t, n->made_here);
  TAPE_VALUE(t, n->floored);
  TAPE_VALUE(t, n->has_floors);
  TAPE_VALUE(t, n->age);
  TAPE_VALUE(t, n->spent);
  TAPE_VALUE(t, n->cost);
  TAPE_VALUE(t, n->doubt);
  TAPE_VALUE(t, n->doubted);
  TAPE_VALUE(t, n->fresh);
  TAPE_VALUE(t, n->seen);
  TAPE_VALUE(t, n->hidden);
  TAPE_VALUE(t, n->seen_age);
  TAPE_VALUE(t, n->first);
  TAPE_VALUE(t, n->met);
  TAPE_VALUE(t, n->iterations);
}

void newton_limit(newton *n, int max_iterations, const torsor_problem *problem) {
  n->max_iterations = max_iterations;
  n->problem = problem;
  n->factor_cost = problem->factor_cost > 0 ? problem->factor_cost : FACTOR_COST;
}

void newton_init(newton *n) {
  n->factored = false;
  n->fresh = 0.01;
  n->doubt = n->doubted = 0;
  n->first = 1;
  newton_reject(n);
}

void newton_forget(newton *n) {
  n->factored = false;
}

void newton_reject(newton *n) {
  newton_forget(n);
  n->floored = n->has_floors = false;
  for (int i = 0; i < n->block_count; ++i) n->blocks[i].floor = 0;
}

/* Clears the statistics of the steps that the previous factorisation has served. */
static void forget_past(newton *n) {
  n->spent = n->cost = 0;
  n->seen = 0;
  n->seen_age = 0;
  n->floored = false;
}

void newton_renewed(newton *n) {
  n->factored = true;
  n->age = 0;
  forget_past(n);
}

void newton_share(newton *n, const newton *from) {
  n->factored = from->factored;
  n->age = from->age;
  if (!from->made_here) return;
  forget_past(n);
}

bool newton_is_shared(const newton *n) {
  return n->factored && !n->made_here;
}

static torsor_status make_factor(newton *n, const newton_system *s, torsor_counters *counters) {
  const torsor_status status = s->factor(s->self);
  ++counters->factorizations;
  n->factored = status == TORSOR_OK;
  n->made_here = true;
  n->age = 0;
  forget_past(n);
  return status;
}

/* Number of iterations that reduce a correction of `norm` tolerances to one tolerance at the
 * contraction rate `rate`. */
static double iterations_needed(double rate, double norm) {
  if (rate >= 1) return HUGE_VAL;
  return norm > 1 && rate > 0 ? log(norm) / -log(rate) : 0;
}

/* Are the factors so stale that renewing them is cheaper?  The iterations per step grow with the
 * age of the factors, so the average cost over their life is least when they are renewed as soon as
 * a step costs more than the average so far. */
static bool is_stale(const newton *n) {
  return n->doubted > 0 || n->cost * (double)n->age > n->factor_cost + n->spent;
}

typedef struct search {
  const newton *n;
  int parts;
  double of[NEWTON_BLOCKS][PARTS]; /* infinite where something is not finite */
} search;

static void find_peaks_part(void *data, int i) {
  search *p = data;
  for (int k = 0; k < p->n->block_count; ++k) {
    const newton_block *b = &p->n->blocks[k];
    const int from = parts_begin(b->length, i, p->parts);
    const int count = parts_begin(b->length, i + 1, p->parts) - from;
    p->of[k][i] = vec_largest_finite(b->data + from, count);
  }
}

/* Finds the largest entry of each block of the correction; false where one is not finite. */
static bool find_peaks(newton *n) {
  search p; /* not to be cleared, which would take as long as short vectors do */
  p.n = n;
  int length = 0;
  for (int k = 0; k < n->block_count; ++k) length += n->blocks[k].length;
  p.parts = parts_of(length);
  parts_run(n->problem, p.parts, find_peaks_part, &p);
  bool finite = true;
  for (int k = 0; k < n->block_count; ++k) {
    newton_block *b = &n->blocks[k];
    b->peak = vec_largest(p.of[k], p.parts);
    finite = finite && isfinite(b->peak);
  }
  return finite;
}

/* Norm of the correction: the largest entry of each block over its tolerance, or over a part of its
 * floor where that is larger. */
static double weighted_norm(const newton *n) {
  double norm = 0;
  for (int i = 0; i < n->block_count; ++i) {
    const newton_block *b = &n->blocks[i];
    const double floor = FLOOR_SHARE * b->floor;
    const double size = b->peak > 0 ? b->peak / (b->tolerance > floor ? b->tolerance : floor) : 0;
    norm = size > norm ? size : norm;
  }
  return norm;
}

/* Estimates the floors: how far the rounding errors of a residual move the unknowns, by one
 * solution with the present factors.  The peaks of the last correction are kept. */
static torsor_status find_floors(newton *n, const newton_system *s) {
  double peaks[NEWTON_BLOCKS];
  for (int i = 0; i < n->block_count; ++i) peaks[i] = n->blocks[i].peak;
  torsor_status status = s->roundoff(s->self, n->x);
  if (!status) status = s->solve(s->self, n->x);
  if (status) return status;
  s->measure(s->self, n->x);
  if (!find_peaks(n)) return TORSOR_NONFINITE;
  for (int i = 0; i < n->block_count; ++i) {
    newton_block *b = &n->blocks[i];
    b->floor = b->peak;
    b->peak = peaks[i];
  }
  n->floored = n->has_floors = true;
  return TORSOR_OK;
}

static torsor_status correct_once(newton *n, const newton_system *s, torsor_counters *counters) {
  torsor_status status = s->residual(s->self, n->x);
  ++counters->residual_evaluations;
  if (status) return status;
  if (!n->factored && (status = make_factor(n, s, counters))) return status;
  if ((status = s->solve(s->self, n->x))) return status;
  s->measure(s->self, n->x);
  if (!find_peaks(n)) return TORSOR_NONFINITE;
  s->correct(s->self, n->x);
  ++counters->newton_iterations;
  ++n->iterations;
  return TORSOR_OK;
}

typedef struct progress {
  double norm, rate; /* last norm and rate, < 0 = none */
  double next;       /* contraction expected from here on */
  int factor_age;    /* iterations with the present factorisation */
  double begin;      /* norm of the first of them */
  double seen;       /* largest of their rates */
  bool alone;        /* converged by what this step tells, without what earlier ones did */
  int grown;         /* successive iterations with rate >= 1 */
  double best;       /* least norm so far with a tangent of this step, ... */
  int idle;          /* ... and iterations since one was below SLOW of it */
  bool wild;         /* a correction has grown that was not the last one */
} progress;

typedef enum verdict { CONVERGED, GO_ON, REFACTOR, GIVE_UP } verdict;

/* Records a contraction rate for the factors that made the correction before. */
static void note_rate(newton *n, progress *p) {
  if (p->factor_age == 0) return;
  p->grown = p->rate >= 1 ? p->grown + 1 : 0;
  if (n->made_here && p->factor_age == 1) n->fresh = fmin(p->rate, SLOW);
}

/* Counts iterations without progress.  Rates of rounding errors are arbitrary, and may cycle
 * through 1, 2 and 1/2, so that progress is measured by the least norm so far. */
static void note_progress(const newton *n, progress *p) {
  if (!n->made_here) return;
  p->idle = p->norm > SLOW * p->best ? p->idle + 1 : 0;
  p->best = fmin(p->best, p->norm);
}

/* Records the largest contraction rate that the factors have shown in steps after their own, and
 * the age at which a step last converged by its own rates alone. */
static void note_contraction(newton *n, const progress *p) {
  if (n->made_here || p->rate < 0) return;
  n->seen = fmax(n->seen, p->seen);
  if (!p->alone) return;
  n->seen_age = n->age;
  n->hidden = HIDDEN / n->first;
}

/* Cost of a step in iterations; of the last one only the fraction counts that was needed to reach
 * the tolerance. */
static double cost_of(const progress *p) {
  const double most = p->factor_age + 1;
  if (p->factor_age == 0) return most;
  const double shrunk = p->norm > 0 ? log(p->begin / p->norm) : HUGE_VAL;
  const double needed = p->begin > 1 ? log(p->begin) * p->factor_age / shrunk : 0;
  return shrunk > 0 ? fmin(fmax(1, needed), most) : most;
}

static void note_cost(newton *n, const progress *p) {
  const double cost = cost_of(p);
  n->spent += cost;
  n->cost = n->made_here ? 0 : cost;
}

/* Is every block within its tolerance or its floor? */
static bool is_met(const newton *n) {
  for (int i = 0; i < n->block_count; ++i)
    if (n->blocks[i].peak > fmax(n->blocks[i].tolerance, n->blocks[i].floor)) return false;
  return true;
}

/* Does u move, with a matrix of this step, by no more than rounding errors can account for? */
static bool is_rounding(const newton *n) {
  return n->made_here && n->blocks[0].peak <= STALL * n->blocks[0].floor;
}

/* Has the iteration stalled at rounding errors?  Either all blocks are within their floors, or u
 * is, or nearly so, with a matrix of this step.  With stale factors multipliers may be far off
 * while u hardly moves, so that u alone does not decide. */
static bool is_stalled(const newton *n, const progress *p) {
  const newton_block *u = &n->blocks[0];
  if (is_rounding(n) && p->idle > 1) return true;
  return p->rate > SLOW && (is_met(n) || (n->made_here && u->peak <= u->floor));
}

/* Contraction rate expected of the next iteration.  With stale factors errors in different
 * directions shrink at different rates: the first rates are those of the fast directions, and the
 * slow ones dominate later.  So rates are extrapolated to rise as they did, and the first one to be
 * followed by its square root. */
static double next_rate(const newton *n, const progress *p, double before) {
  if (p->rate < 0) return SLOW;
  if (n->made_here) return p->rate;
  if (p->rate >= 1) return p->rate;
  return before < 0 ? sqrt(p->rate) : fmax(p->rate, p->rate * p->rate / before);
}

/* Upper estimate of the contraction rate from earlier steps with the same factors; it grows in
 * proportion to their age, as the error of the matrix does.  It is trusted up to twice the age at
 * which it was measured, and for small corrections. */
static double known_rate(const newton *n, const progress *p) {
  if (n->made_here || n->seen_age == 0 || n->age > 2 * n->seen_age) return HUGE_VAL;
  if (p->norm > MOST_TRUSTED) return HUGE_VAL;
  const double rate = fmax(fmax(n->seen, n->hidden), p->rate);
  return UNLIKE * (double)n->age / (double)n->seen_age * rate;
}

static bool is_converged(const newton *n, const progress *p) {
  const double error = p->next < 1 ? p->next / (1 - p->next) * p->norm : HUGE_VAL;
  if (error <= 1 || p->norm == 0) return true;
  return p->norm <= 1 && n->has_floors;
}

static bool is_too_slow(const newton *n, const progress *p, int left) {
  const double needed = iterations_needed(p->rate, p->norm);
  if (p->rate > SLOW || needed > left) return true;
  return !n->made_here && needed > n->factor_cost + iterations_needed(n->fresh, p->norm);
}

/* Is it the second correction by halves, which follows what the first one has left and says nothing
 * of the matrix as long as it is not larger? */
static bool is_second(const newton *n, const progress *p) {
  return n->halved && p->factor_age == 1 && p->rate < (n->made_here ? MOST_SECOND : 1);
}

/* Contraction rate of two successive norms, which are infinite where tolerances are 0 and floors
 * are not known yet, as for a body at rest. */
static double rate_of(double norm, double before) {
  if (isinf(before)) return 1;
  return before > 0 ? norm / before : 0;
}

/* Decides what follows a correction.  The error after it is estimated as rate/(1 - rate) times the
 * correction; `left` iterations may still follow. */
static verdict judge(newton *n, const newton_system *s, progress *p, int left) {
  const double norm_before = p->norm, rate_before = p->rate;
  p->norm = weighted_norm(n);
  if (norm_before < 0) {
    n->jumped =
        n->jumped || (n->problem->hold && p->norm > MOST_TRUSTED && p->norm > JUMP * n->first);
    n->first = p->norm;
    n->met = n->blocks[0].peak <= n->blocks[0].floor || is_met(n);
  } else
    p->rate = rate_of(p->norm, norm_before);
  if (p->factor_age > 0 && norm_before > 0)
    p->seen = fmax(p->seen, (p->norm - HIDDEN) / norm_before);
  p->next = next_rate(n, p, rate_before);
  p->alone = is_converged(n, p);
  p->next = fmin(p->next, known_rate(n, p));
  bool converged = is_converged(n, p);
  if (norm_before < 0) {
    note_progress(n, p);
    return converged ? CONVERGED : GO_ON;
  }
  if (!converged && p->rate > SUSPECT && !n->floored) {
    if (find_floors(n, s)) return GIVE_UP;
    p->norm = weighted_norm(n);
    converged = is_converged(n, p);
  }
  if (!converged || p->rate <= SUSPECT) note_rate(n, p);
  note_progress(n, p);
  if (converged || is_stalled(n, p)) return CONVERGED;
  p->wild = p->wild || p->rate >= 1;
  if (p->grown > 0 && (!n->made_here || p->grown > 1) && !is_rounding(n)) return GIVE_UP;
  if (p->factor_age == 0 || is_second(n, p)) return GO_ON;
  return is_too_slow(n, p, left) ? REFACTOR : GO_ON;
}

/* Ends a failed iteration.  Diverged iterates may lie where rounding errors are much larger, so
 * that floors found there are discarded. */
static torsor_status fail(newton *n, const progress *p, torsor_status status) {
  if (p->wild || status != TORSOR_NEWTON) newton_reject(n);
  return status;
}

static torsor_status iterate(newton *n, const newton_system *s, torsor_counters *counters) {
  progress p = {.norm = -1, .rate = -1, .best = HUGE_VAL};
  for (int left = n->max_iterations - 1; left >= 0; --left) {
    if (!n->factored) p.factor_age = 0;
    const torsor_status status = correct_once(n, s, counters);
    if (status) return fail(n, &p, status);
    const verdict v = judge(n, s, &p, left);
    if (p.factor_age == 0) p.begin = p.norm;
    if (v == CONVERGED) {
      note_cost(n, &p);
      note_contraction(n, &p);
      return TORSOR_OK;
    }
    if (v == GIVE_UP) return fail(n, &p, TORSOR_NEWTON);
    if (v == REFACTOR) newton_forget(n);
    ++p.factor_age;
  }
  /* The iterations are used up, but what still moves is rounding errors: the step is accepted. */
  if (n->factored && is_rounding(n)) return TORSOR_OK;
  return fail(n, &p, TORSOR_NEWTON);
}

/* One correction with a matrix in which what slips sticks: it leads to where that comes to rest,
 * from where the iteration finds out what slips on.  From the predictor, at which all of it slips,
 * a matrix without the spring of what sticks would lead beyond, where it slips backwards, and to
 * and fro. */
static torsor_status correct_held(newton *n, const newton_system *s, torsor_counters *counters) {
  newton_forget(n);
  n->jumped = true;
  s->predict(s->self);
  n->problem->hold(n->problem->self, true);
  const torsor_status status = correct_once(n, s, counters);
  n->problem->hold(n->problem->self, false);
  newton_forget(n);
  return status;
}

/* Records whether factors from an earlier step (`tried`, of that age) sufficed.  Where they failed
 * in the very next step, the following steps renew them at once, twice as many after each failure.
 */
static void note_trial(newton *n, bool tried, long age) {
  if (!tried) {
    if (n->doubted > 0) --n->doubted;
  } else if (!n->made_here)
    n->doubt = 0;
  else if (age == 1) {
    n->doubt = 2 * n->doubt + 1 < MOST_DOUBT ? 2 * n->doubt + 1 : MOST_DOUBT;
    n->doubted = n->doubt;
  }
}

torsor_status newton_solve(newton *n, const newton_system *s, torsor_counters *counters) {
  n->made_here = false;
  n->jumped = false;
  n->iterations = 0;
  if (n->factored && is_stale(n)) newton_forget(n);
  const bool tried = n->factored;
  const long age = n->age;
  s->predict(s->self);
  torsor_status status = iterate(n, s, counters);
  if (status > 0 && tried) {
    newton_forget(n);
    s->predict(s->self);
    status = iterate(n, s, counters);
  }
  if (status > 0 && n->problem->hold) {
    status = correct_held(n, s, counters);
    if (!status) status = iterate(n, s, counters);
  }
  if (status) {
    newton_forget(n);
    return status;
  }
  note_trial(n, tried, age);
  ++n->age;
  return TORSOR_OK;
}
