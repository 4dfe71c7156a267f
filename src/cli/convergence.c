/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/convergence.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <torsor/analysis.h>

#include "results/file.h"

torsor_status convergence_memory_short(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

torsor_status convergence_read_steps(convergence *s, char *list, torsor_error *error) {
  if (!list) {
    torsor_fail(error, TORSOR_ARGUMENT, "--steps is missing");
    torsor_hint(error, "for instance --steps 4e-3,2e-3,1e-3");
    return TORSOR_ARGUMENT;
  }
  const char **item = NULL;
  torsor_status status = cli_split(&item, &s->steps, list, error);
  if (status != TORSOR_OK) return status;
  s->step = calloc((size_t)s->steps, sizeof *s->step);
  s->cpu_seconds = calloc((size_t)s->steps, sizeof *s->cpu_seconds);
  if (!s->step || !s->cpu_seconds) status = convergence_memory_short(error);
  for (int i = 0; i < s->steps && status == TORSOR_OK; ++i)
    if (!cli_number(&s->step[i], item[i]) || !(s->step[i] > 0))
      status = torsor_fail(error, TORSOR_ARGUMENT, "--steps: \"%s\" is not a step size", item[i]);
  free(item);
  return status;
}

/* Decimal steps are rounded to double, so that the quotient is off by some ulp of itself. */
double convergence_whole_quotient(double whole, double part) {
  const double quotient = whole / part, nearest = round(quotient);
  return fabs(quotient - nearest) <= 8 * DBL_EPSILON * nearest ? nearest : 0;
}

torsor_status convergence_add_signal(convergence *s, const char *name, torsor_error *error) {
  signal_errors *grown = reallocarray(s->signal, (size_t)s->signals + 1, sizeof *grown);
  if (!grown) return convergence_memory_short(error);
  s->signal = grown;
  signal_errors *signal = &grown[s->signals];
  *signal = (signal_errors){.error = calloc((size_t)s->steps, sizeof *signal->error)};
  if (!signal->error) return convergence_memory_short(error);
  snprintf(signal->signal, sizeof signal->signal, "%s", name);
  for (int k = 0; k < s->steps; ++k) signal->error[k] = nan("");
  s->signals += 1;
  return TORSOR_OK;
}

/* ---- answers ------------------------------------------------------------------------------ */

static double order_at(const convergence *s, const signal_errors *signal, int k) {
  return torsor_order(signal->error[k - 1], signal->error[k], s->step[k - 1], s->step[k]);
}

static void add_numbers(text *t, const char *key, const double *value, int count) {
  json_key(t, key);
  text_append(t, "[");
  for (int i = 0; i < count; ++i) {
    if (i) text_append(t, ", ");
    text_json_number(t, value[i]);
  }
  text_append(t, "]");
}

static void print_json(text *t, const convergence *s) {
  text_append(t, "{");
  json_text(t, "reference", s->reference);
  add_numbers(t, "steps", s->step, s->steps);
  add_numbers(t, "cpu_seconds", s->cpu_seconds, s->steps);
  json_key(t, "signals");
  text_append(t, "[");
  for (int i = 0; i < s->signals; ++i) {
    text_append(t, i ? ",\n {" : "{");
    json_text(t, "signal", s->signal[i].signal);
    add_numbers(t, "errors", s->signal[i].error, s->steps);
    json_key(t, "orders");
    text_append(t, "[");
    for (int k = 1; k < s->steps; ++k) {
      if (k > 1) text_append(t, ", ");
      text_json_number(t, order_at(s, &s->signal[i], k));
    }
    text_append(t, "]}");
  }
  text_append(t, "]}\n");
}

static void print_for_people(text *t, const convergence *s) {
  text_printf(t, "signal\tstep\terror\torder\tCPU s\n");
  for (int i = 0; i < s->signals; ++i) {
    const signal_errors *signal = &s->signal[i];
    for (int k = 0; k < s->steps; ++k) {
      text_append_shown(t, k ? "" : signal->signal);
      text_printf(t, "\t%.6g\t%.3e\t", s->step[k], signal->error[k]);
      const double order = k ? order_at(s, signal, k) : nan("");
      if (isnan(order))
        text_append(t, "-");
      else
        text_printf(t, "%.2f", order);
      text_printf(t, "\t%.3g\n", s->cpu_seconds[k]);
    }
  }
}

/* Fields without a value stay empty. */
static void add_field(text *t, double value) {
  text_append(t, ",");
  if (isfinite(value)) text_printf(t, "%.17g", value);
}

static void add_rows(text *t, const convergence *s) {
  text_append(t, "signal,step,error,order,cpu_seconds\n");
  for (int i = 0; i < s->signals; ++i) {
    for (int k = 0; k < s->steps; ++k) {
      text_csv_field(t, s->signal[i].signal);
      add_field(t, s->step[k]);
      add_field(t, s->signal[i].error[k]);
      add_field(t, k ? order_at(s, &s->signal[i], k) : nan(""));
      add_field(t, s->cpu_seconds[k]);
      text_append(t, "\n");
    }
  }
}

static void add_columns(text *t, const convergence *s) {
  text_append(t, "step,cpu_seconds");
  for (int i = 0; i < s->signals; ++i) {
    text_append(t, ",");
    text_csv_field(t, s->signal[i].signal);
  }
  text_append(t, "\n");
  for (int k = 0; k < s->steps; ++k) {
    text_printf(t, "%.17g", s->step[k]);
    add_field(t, s->cpu_seconds[k]);
    for (int i = 0; i < s->signals; ++i) add_field(t, s->signal[i].error[k]);
    text_append(t, "\n");
  }
}

static torsor_status write_csv(const convergence *s, const char *file,
                               void (*add)(text *t, const convergence *s), torsor_error *error) {
  if (!file) return TORSOR_OK;
  text t = {0};
  add(&t, s);
  const torsor_status status =
      t.failed ? convergence_memory_short(error) : file_replace(file, t.data, t.length, error);
  text_release(&t);
  return status;
}

torsor_status convergence_print(const convergence *s, const cli *common,
                                const convergence_files *files, torsor_error *error) {
  torsor_status status = write_csv(s, files->rows, add_rows, error);
  if (status == TORSOR_OK) status = write_csv(s, files->columns, add_columns, error);
  if (status != TORSOR_OK) return status;
  text t = {0};
  if (common->json) {
    print_json(&t, s);
    return cli_print(&t, error);
  }
  if (common->quiet) return TORSOR_OK;
  text_printf(&t, "Largest errors over the output times; reference: %s\n", s->reference);
  status = cli_answer(common, &t, error);
  if (status != TORSOR_OK) return status;
  print_for_people(&t, s);
  return cli_print_columns(&t, "lrrrr", error);
}

void convergence_release(convergence *s) {
  for (int i = 0; i < s->signals; ++i) free(s->signal[i].error);
  free(s->signal);
  free(s->step);
  free(s->cpu_seconds);
}
