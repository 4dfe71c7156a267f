/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/observe/derivatives.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static torsor_status check(const torsor_sensitivities *by, torsor_error *error) {
  if (by->count < 0)
    return torsor_fail(error, TORSOR_ARGUMENT, "there are %d parameters", by->count);
  for (int j = 0; j < by->count; ++j) {
    if (!(by->step[j] > 0) || !isfinite(by->step[j]))
      return torsor_fail(error, TORSOR_ARGUMENT,
                         "the step of the parameter \"%s\" must be greater than 0, but is %g",
                         by->name[j], by->step[j]);
    for (int i = 0; i < TORSOR_NEIGHBOURS; ++i)
      if (!by->neighbour[j * TORSOR_NEIGHBOURS + i])
        return torsor_fail(error, TORSOR_ARGUMENT, "the parameter \"%s\" has no model %d",
                           by->name[j], i);
  }
  return TORSOR_OK;
}

/* Returns "d(signal)/d(parameter)", from malloc. */
static char *name_of(const char *signal, const char *parameter) {
  const size_t room = strlen(signal) + strlen(parameter) + sizeof "d()/d()";
  char *out = malloc(room);
  if (out) snprintf(out, room, "d(%s)/d(%s)", signal, parameter);
  return out;
}

/* Copies the arrays, and the names of the parameters. */
static bool copy(torsor_sensitivities *out, const torsor_sensitivities *by) {
  const size_t count = (size_t)by->count, models = count * TORSOR_NEIGHBOURS;
  char **name = calloc(count + 1, sizeof *name);
  double *step = calloc(count + 1, sizeof *step);
  torsor_model **neighbour = calloc(models + 1, sizeof *neighbour);
  *out = (torsor_sensitivities){
      .size = sizeof *out, .name = (const char *const *)name, .step = step, .neighbour = neighbour};
  if (!name || !step || !neighbour) return false;
  out->count = by->count;
  bool good = true;
  for (size_t j = 0; j < count; ++j) {
    step[j] = by->step[j];
    name[j] = strdup(by->name[j]);
    good &= name[j] != NULL;
  }
  for (size_t i = 0; i < models; ++i) neighbour[i] = by->neighbour[i];
  return good;
}

static bool name_all(derivatives *d, const char *const *names, int columns) {
  d->of = calloc((size_t)columns + 1, sizeof *d->of);
  d->name = calloc((size_t)columns * (size_t)d->by.count + 1, sizeof *d->name);
  if (!d->of || !d->name) return false;
  for (int i = 0; i < columns; ++i)
    if (names[i]) d->of[d->each++] = i;
  for (int j = 0; j < d->by.count; ++j)
    for (int i = 0; i < d->each; ++i) {
      char *name = name_of(names[d->of[i]], d->by.name[j]);
      if (!name) return false;
      d->name[d->count++] = name;
    }
  return true;
}

torsor_status derivatives_create(derivatives *out, const torsor_sensitivities *by,
                                 const char *const *names, int columns, torsor_error *error) {
  const torsor_status status = check(by, error);
  if (status) return status;
  const bool good = copy(&out->by, by) && name_all(out, names, columns);
  return good ? TORSOR_OK : torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

void derivatives_release(derivatives *d) {
  for (int i = 0; i < d->count; ++i) free(d->name[i]);
  for (int j = 0; d->by.name && j < d->by.count; ++j) free((void *)(size_t)d->by.name[j]);
  free((void *)(size_t)d->by.name);
  free((void *)(size_t)d->by.step);
  free((void *)(size_t)d->by.neighbour);
  free(d->name);
  free(d->of);
}
