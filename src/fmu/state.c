/* SPDX-License-Identifier: GPL-3.0-or-later */
/* States of instances as bytes: a header, the numbers that the importer has set, and what the run
 * saves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmu/instance.h"

typedef struct header {
  char mark[8], version[16], token[72];
  fmu_phase phase;
  int parameters, tunables, inputs;
  double start, point;
  size_t run; /* bytes behind the numbers; 0: there is no run */
} header;

static const char mark[8] = "torsfmu";

static size_t numbers(const header *h) {
  return (size_t)h->parameters + (size_t)h->tunables + 3 * (size_t)h->inputs;
}

static header describe(const fmu *f) {
  header h = {.phase = f->phase,
              .parameters = f->parameters.count,
              .tunables = f->tunables.count,
              .inputs = f->inputs,
              .start = f->start,
              .point = f->point};
  memcpy(h.mark, mark, sizeof mark);
  snprintf(h.version, sizeof h.version, "%.15s", torsor_version());
  snprintf(h.token, sizeof h.token, "%.71s", f->token);
  return h;
}

static void put_numbers(double *to, const fmu *f) {
  for (int i = 0; i < f->parameters.count; ++i) *to++ = f->parameters.number[i].value;
  for (int i = 0; i < f->tunables.count; ++i) *to++ = f->tunables.number[i].value;
  for (int i = 0; i < f->inputs; ++i, to += 3)
    memcpy(to, (double[]){f->input[i].value, f->input[i].rate, f->input[i].second}, 3 * sizeof *to);
}

static void take_numbers(fmu *f, const double *from) {
  for (int i = 0; i < f->parameters.count; ++i, ++from) {
    fmu_number *p = &f->parameters.number[i];
    p->changed = memcmp(&p->value, from, sizeof *from) != 0;
    p->value = *from;
  }
  for (int i = 0; i < f->tunables.count; ++i)
    f->tunables.number[i] = (fmu_number){f->tunables.number[i].name, *from++, false};
  for (int i = 0; i < f->inputs; ++i, from += 3)
    f->input[i] = (fmu_input){from[0], from[1], from[2], f->input[i].first, false};
}

fmu_status fmu_save(fmu *f, void **data, size_t *size) {
  torsor_error error = {0};
  *data = NULL;
  /* Values that were set since the last step go to the run, which saves it. */
  if (f->run && fmu_apply(f)) return FMU_ERROR;
  header h = describe(f);
  torsor_status status = f->run ? torsor_run_save(f->run, NULL, 0, &h.run, &error) : TORSOR_OK;
  if (status) return fmu_fail(f, &error);
  const size_t before = sizeof h + numbers(&h) * sizeof(double);
  char *bytes = malloc(before + h.run);
  double *list = calloc(numbers(&h) + 1, sizeof *list);
  if (!bytes || !list) {
    free(bytes);
    free(list);
    fmu_say(f, FMU_ERROR, "logStatusError", "out of memory");
    return FMU_ERROR;
  }
  put_numbers(list, f);
  memcpy(bytes, &h, sizeof h);
  memcpy(bytes + sizeof h, list, numbers(&h) * sizeof *list);
  free(list);
  if (f->run) status = torsor_run_save(f->run, bytes + before, h.run, &h.run, &error);
  if (status) {
    free(bytes);
    return fmu_fail(f, &error);
  }
  *data = bytes;
  *size = before + h.run;
  return FMU_OK;
}

fmu_status fmu_restore(fmu *f, const void *data, size_t size) {
  header h, own = describe(f);
  if (size >= sizeof h) memcpy(&h, data, sizeof h);
  const bool fits = size >= sizeof h && !memcmp(h.mark, own.mark, sizeof h.mark) &&
                    !strncmp(h.version, own.version, sizeof h.version) &&
                    !strncmp(h.token, own.token, sizeof h.token) && h.inputs == own.inputs &&
                    h.parameters == own.parameters && h.tunables == own.tunables;
  const size_t before = sizeof h + (fits ? numbers(&h) * sizeof(double) : 0);
  if (!fits || size != before + h.run) {
    fmu_say(f, FMU_ERROR, "logStatusError", "the state is not one of this FMU and this version");
    return FMU_ERROR;
  }
  double *list = malloc(before - sizeof h + sizeof *list);
  if (!list) return FMU_ERROR;
  memcpy(list, (const char *)data + sizeof h, before - sizeof h);
  take_numbers(f, list);
  f->start = h.start;
  f->point = h.point;
  f->row_stale = true;
  if (!h.run) {
    torsor_run_destroy(f->run);
    f->run = NULL;
    f->phase = h.phase;
    free(list);
    return FMU_OK;
  }
  /* A run that is made only to be restored has the inputs of the scene: others could be refused
   * there. */
  for (int i = 0; i < f->inputs; ++i)
    f->input[i] = (fmu_input){.value = f->input[i].first, .first = f->input[i].first};
  torsor_error error = {0};
  fmu_status done = fmu_ensure(f);
  if (!done && torsor_run_restore(f->run, (const char *)data + before, h.run, &error))
    done = fmu_fail(f, &error);
  take_numbers(f, list);
  free(list);
  if (!done) f->phase = h.phase;
  return done;
}
