/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Kinks and jumps of the functions of forces, as events at which the motion begins anew: a step
 * across a jump would be of first order only. */
#include "scene/kinks.h"

#include <stdlib.h>

#include "scene/function_list.h"

/* Most kinks of one function that are watched. */
enum { MOST = 64 };

static double kink_at(const void *self, const torsor_now *now, const double *x) {
  const function *kink = self, *f = kink->of;
  double variable[f->variables], value[MOST];
  function_set(f, now, variable);
  variable[0] = now->t;
  for (int i = 1; i < f->own; ++i) variable[i] = x[i - 1];
  expression_kink_values(f->value, variable, value);
  return value[kink->index];
}

void kinks_forget(function_list *list) {
  for (function *f = list->last; f; f = f->next) {
    free(f->word);
    f->word = NULL;
  }
}

static torsor_status add(torsor_builder *builder, function *f, int index, const char **signal,
                         torsor_error *error) {
  function *kink = function_new(f->list);
  if (!kink) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  kink->of = f;
  kink->index = index;
  const torsor_event event = {.name = "",
                              .when = kink_at,
                              .self = kink,
                              .signal = signal,
                              .signals = f->own - 1,
                              .action = TORSOR_SWITCH,
                              .kink = true};
  return torsor_builder_event(builder, &event, error);
}

torsor_status kinks_add(torsor_builder *builder, function_list *list, int events,
                        torsor_error *error) {
  torsor_status status = TORSOR_OK;
  for (function *f = list->last; f && !status; f = f->next) {
    const int kinks = f->word ? expression_kinks(f->value) : 0;
    if (!kinks || kinks > MOST) continue;
    f->kink = events;
    events += kinks;
    const char *signal[TORSOR_CONTROL_INPUTS];
    for (int i = 0; i < f->own - 1 && f->word; ++i) signal[i] = f->word[i];
    for (int k = 0; k < kinks && !status; ++k) status = add(builder, f, k, signal, error);
  }
  return status;
}
