/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/linear/difference.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { POINTS = 4, MOST_HALVINGS = 40 };

/* Weights of f(k h) - f(-k h), over h. */
static const double weight[POINTS] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};

/* The weights amplify a rounding of the values by less than 2.2, and the values themselves come
 * from some tens of operations. */
static const double ROUNDINGS = 64;

torsor_status difference_create(difference *out, int count, arena *memory) {
  double *room = arena_take(memory, 6 * (size_t)count, sizeof *room);
  if (!room) return TORSOR_MEMORY;
  *out = (difference){.count = count,
                      .side = room,
                      .now = room + 2 * count,
                      .old = room + 3 * count,
                      .size = room + 4 * count,
                      .best = room + 5 * count};
  return TORSOR_OK;
}

/* Finds d->now with the step h, and d->size. */
static torsor_status with_step(difference *d, difference_function f, void *data, double h) {
  double *plus = d->side, *minus = d->side + d->count;
  memset(d->now, 0, (size_t)d->count * sizeof *d->now);
  memset(d->size, 0, (size_t)d->count * sizeof *d->size);
  for (int k = 0; k < POINTS; ++k) {
    torsor_status status = f(data, (k + 1) * h, plus);
    if (!status) status = f(data, -(k + 1) * h, minus);
    if (status) return status;
    for (int j = 0; j < d->count; ++j) {
      d->now[j] += weight[k] * (plus[j] - minus[j]) / h;
      d->size[j] = fmax(d->size[j], fmax(fabs(plus[j]), fabs(minus[j])));
      if (!isfinite(d->now[j])) return TORSOR_NONFINITE;
    }
  }
  return TORSOR_OK;
}

/* Compares the differences with the step h and with 2 h; returns how many are not settled. */
static int compare(double *D, difference *d, double h) {
  int open = 0;
  for (int j = 0; j < d->count; ++j) {
    if (d->best[j] < 0) continue;
    const double change = fabs(d->now[j] - d->old[j]);
    const double noise = ROUNDINGS * DBL_EPSILON * (d->size[j] / h + fabs(d->now[j]));
    if (change <= noise) {
      D[j] = d->old[j]; /* of two that agree, that with the larger step has less round-off */
      d->best[j] = -1;
      continue;
    }
    ++open;
    if (!(change < d->best[j])) continue;
    d->best[j] = change;
    D[j] = d->now[j];
  }
  return open;
}

torsor_status difference_find(double *D, difference *d, difference_function f, void *data,
                              double largest) {
  torsor_status status = TORSOR_OK;
  bool old = false;
  double h = largest;
  for (int j = 0; j < d->count; ++j) d->best[j] = HUGE_VAL;
  for (int k = 0; k < MOST_HALVINGS; ++k, h /= 2) {
    status = with_step(d, f, data, h);
    if (status < 0) return status;
    if (status) continue; /* the values are not defined so far away */
    if (!old) memcpy(D, d->now, (size_t)d->count * sizeof *D);
    if (old && !compare(D, d, h)) break;
    memcpy(d->old, d->now, (size_t)d->count * sizeof *d->old);
    old = true;
  }
  return old ? TORSOR_OK : status;
}
