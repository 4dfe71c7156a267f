/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "error_sum.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/vec.h"

/* Errors are found once in SAMPLE steps, those of the velocities over the last WINDOW of these:
 * errors that change their signs from step to step, as with noisy forces, do not accumulate, and
 * those of motions that a step resolves do. */
enum { SAMPLE = 8, WINDOW = 4 };

/* Errors are also found where v' changes by this multiple of its usual change within a step. */
static const double SUDDEN = 2;

/* Only errors that last for this number of steps count: those of motions that stiff dampers end
 * have vanished by then. */
enum { LASTING = 6 };

/* Movements of positions that velocities do not show are ignored below this fraction of a step: the
 * effect of dampers is below this fraction of the velocities. */
static const double LEAST_UNSEEN = 1e-3;

/* Weight of one step in the average of changes. */
static const double NEW = 1.0 / 16;

void error_sum_walk(error_sum *sum, tape *t) {
  const int nv = sum->problem->nv, nl = sum->problem->nl;
  TAPE_VALUE(t, sum->on);
  TAPE_VALUE(t, sum->since);
  TAPE_VALUE(t, sum->usual);
  TAPE_VALUE(t, sum->position);
  TAPE_VALUE(t, sum->velocity);
  TAPE_VALUE(t, sum->extent);
  TAPE_VALUE(t, sum->speed);
  TAPE_ARRAY(t, sum->change, nv);
  TAPE_VALUE(t, sum->most_lost);
  TAPE_ARRAY(t, sum->way, nv);
  TAPE_ARRAY(t, sum->unseen, nv);
  TAPE_ARRAY(t, sum->lost, nv);
  TAPE_ARRAY(t, sum->low, nv);
  TAPE_ARRAY(t, sum->high, nv);
  TAPE_WORK(t, sum->x, nv + 2 * nl);
  TAPE_WORK(t, sum->before, nv);
  TAPE_WORK(t, sum->work, 4 * nv + 2 * nl);
  TAPE_WORK(t, sum->rest, nv);
}

void error_sum_clear(error_sum *sum) {
  const size_t size = (size_t)sum->problem->nv * sizeof(double);
  sum->since = 0;
  sum->usual = 0;
  sum->position = sum->velocity = (error_level){0};
  memset(sum->extent, 0, sizeof sum->extent);
  memset(sum->speed, 0, sizeof sum->speed);
  memset(sum->change, 0, size);
  memset(sum->most_lost, 0, sizeof sum->most_lost);
  memset(sum->way, 0, size);
  memset(sum->unseen, 0, size);
  memset(sum->lost, 0, size);
  memset(sum->low, 0, size);
  memset(sum->high, 0, size);
}

static void note_change(error_sum *sum, const double *y0, const double *y1) {
  for (int i = 0; i < sum->problem->nv; ++i) sum->change[i] = y1[i] - y0[i];
}

long error_sum_window(error_sum *sum, const double *y0, const double *y1) {
  double change = 0;
  if (!sum->on) return 0;
  for (int i = 0; i < sum->problem->nv; ++i) change = vec_larger(fabs(y1[i] - y0[i]), change);
  const bool sudden = change > SUDDEN * sum->usual;
  sum->usual += NEW * (change - sum->usual);
  ++sum->since;
  if (sum->since <= SAMPLE - WINDOW && !sudden) note_change(sum, y0, y1);
  if (sum->since < SAMPLE && !sudden) return 0;
  const long window = sum->since;
  sum->since = 0;
  return window;
}

void error_sum_change(error_sum *sum, double *x, const double *y0, const double *y1) {
  for (int i = 0; i < sum->problem->nv; ++i) x[i] = y1[i] - y0[i] - sum->change[i];
  note_change(sum, y0, y1);
}

static int kind_of(const error_sum *sum, int i) {
  return sum->problem->rotation && sum->problem->rotation[i] ? 1 : 0;
}

/* Finds the largest entries, of translations and of rotations, and their indices. */
static void find_largest(double most[2], int place[2], const error_sum *sum, const double *x) {
  for (int kind = 0; kind < 2; ++kind) {
    most[kind] = 0;
    place[kind] = -1;
  }
  for (int i = 0; i < sum->problem->nv; ++i) {
    const int kind = kind_of(sum, i);
    if (!(fabs(x[i]) > most[kind])) continue;
    most[kind] = fabs(x[i]);
    place[kind] = i;
  }
}

void error_sum_add(error_sum *sum, bool velocities, double weight, const double *before,
                   const double *x) {
  error_level *level = velocities ? &sum->velocity : &sum->position;
  double all[2], most[2];
  int place[2];
  find_largest(all, place, sum, before);
  find_largest(most, place, sum, x);
  for (int kind = 0; kind < 2; ++kind) {
    if (!(most[kind] > 0)) continue;
    const double added = weight * most[kind] * pow(fmin(most[kind] / all[kind], 1), LASTING);
    level->now[kind] += added;
    level->most[kind] = fmax(level->most[kind], level->now[kind]);
    if (!(added > level->single[kind])) continue;
    level->single[kind] = added;
    level->worst[kind] = place[kind];
  }
}

bool error_sum_is_unseen(const error_sum *sum, double h) {
  for (int i = 0; i < sum->problem->nv; ++i)
    if (fabs(sum->unseen[i]) > LEAST_UNSEEN * h * sum->speed[kind_of(sum, i)]) return true;
  return false;
}

void error_sum_lose(error_sum *sum, const double *before, const double *x) {
  double all[2], most[2];
  int place[2];
  find_largest(all, place, sum, before);
  find_largest(most, place, sum, x);
  for (int i = 0; i < sum->problem->nv; ++i) {
    const int kind = kind_of(sum, i);
    if (most[kind] > 0) sum->lost[i] += x[i] * pow(fmin(most[kind] / all[kind], 1), LASTING);
    if (!(fabs(sum->lost[i]) > sum->most_lost[kind])) continue;
    sum->most_lost[kind] = fabs(sum->lost[i]);
    if (sum->most_lost[kind] > sum->velocity.most[kind]) sum->velocity.worst[kind] = i;
  }
}

void error_sum_fade(error_sum *sum, double factor) {
  for (int kind = 0; kind < 2; ++kind) {
    sum->position.now[kind] *= factor;
    sum->velocity.now[kind] *= factor;
  }
}

void error_sum_follow(error_sum *sum, double h, const double *v0, const double *v1) {
  const int nv = sum->problem->nv;
  double extent[2] = {sum->extent[0], sum->extent[1]}, speed[2] = {sum->speed[0], sum->speed[1]};
  for (int i = 0; i < nv; ++i) {
    const int kind = kind_of(sum, i);
    const double way = h / 2 * (v0[i] + v1[i]);
    sum->way[i] += way;
    if (sum->increment) sum->unseen[i] += sum->increment[i] - way;
    sum->low[i] = vec_smaller(sum->way[i], sum->low[i]);
    sum->high[i] = vec_larger(sum->way[i], sum->high[i]);
    extent[kind] = vec_larger(sum->high[i] - sum->low[i], extent[kind]);
    speed[kind] = vec_larger(fabs(v0[i]), vec_larger(fabs(v1[i]), speed[kind]));
  }
  memcpy(sum->extent, extent, sizeof extent);
  memcpy(sum->speed, speed, sizeof speed);
}

/* Motions below this number of rounding errors may consist of them. */
static const double MOST_ROUNDING = 1e6;

double error_sum_part(const error_sum *sum, double rounding, int *component) {
  double part = 0;
  *component = -1;
  for (int kind = 0; kind < 2; ++kind) {
    const double least = MOST_ROUNDING * (kind ? DBL_EPSILON : rounding);
    if (!(sum->extent[kind] > least)) continue;
    const double size = kind ? fmin(1, sum->extent[kind]) : sum->extent[kind];
    const double of_positions = sum->position.most[kind] / size;
    const double of_velocities =
        fmax(sum->velocity.most[kind], sum->most_lost[kind]) / sum->speed[kind];
    const bool velocities = of_velocities > of_positions;
    const double here = velocities ? of_velocities : of_positions;
    if (!(here > part)) continue;
    part = here;
    *component = (velocities ? &sum->velocity : &sum->position)->worst[kind];
  }
  return part;
}
