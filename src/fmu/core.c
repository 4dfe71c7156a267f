/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "fmu/core.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fmu/instance.h"

/* ---- messages -------------------------------------------------------------------------------- */

void fmu_say(const fmu *f, fmu_status status, const char *category, const char *format, ...) {
  char line[1400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (f->log.write) f->log.write(f->log.data, status, category, line);
}

fmu_status fmu_fail(const fmu *f, const torsor_error *error) {
  char words[1300];
  torsor_error_text(words, sizeof words, error);
  fmu_say(f, FMU_ERROR, "logStatusError", "%s", words);
  return FMU_ERROR;
}

static fmu_status fail_memory(const fmu *f) {
  fmu_say(f, FMU_ERROR, "logStatusError", "out of memory");
  return FMU_ERROR;
}

static void pass_warnings(const fmu *f) {
  for (const char *line; (line = torsor_run_warning(f->run)) != NULL;)
    fmu_say(f, FMU_WARNING, "logStatusWarning", "%s", line);
}

/* ---- opening --------------------------------------------------------------------------------- */

static char *read_whole(const fmu *f, const char *folder, const char *name) {
  char path[4096];
  char *bytes = NULL;
  size_t length = 0;
  const size_t end = strlen(folder);
  snprintf(path, sizeof path, "%s%s%s", folder, end && folder[end - 1] == '/' ? "" : "/", name);
  FILE *file = fopen(path, "re");
  FILE *memory = file ? open_memstream(&bytes, &length) : NULL;
  char part[4096];
  size_t count = 0;
  while (memory && (count = fread(part, 1, sizeof part, file)) > 0) fwrite(part, 1, count, memory);
  if (!file) fmu_say(f, FMU_ERROR, "logStatusError", "%s: %s", path, strerror(errno));
  if (memory) fclose(memory);
  if (file) fclose(file);
  return bytes;
}

static bool append(fmu_list *list, char *name, double value) {
  fmu_number *more = realloc(list->number, (size_t)(list->count + 1) * sizeof *more);
  if (!more) return false;
  list->number = more;
  list->number[list->count++] = (fmu_number){name, value, false};
  return true;
}

/* Lines "output NAME", "parameter VALUE NAME", "tunable VALUE NAME" behind one with the token. */
static bool read_list(fmu *f) {
  char *rest = f->listing, *line = strsep(&rest, "\n");
  f->token = line;
  while ((line = strsep(&rest, "\n")) != NULL) {
    char *kind = strsep(&line, " ");
    bool kept = true;
    if (!line) continue;
    if (!strcmp(kind, "output")) {
      kept = append(&f->outputs, line, 0);
      continue;
    }
    const double value = strtod(strsep(&line, " "), NULL);
    if (line) kept = append(!strcmp(kind, "tunable") ? &f->tunables : &f->parameters, line, value);
    if (!kept) return false;
  }
  f->fixed = calloc((size_t)f->parameters.count + 1, sizeof *f->fixed);
  f->row = calloc((size_t)f->outputs.count + 1, sizeof *f->row);
  if (!f->fixed || !f->row) return false;
  for (int i = 0; i < f->parameters.count; ++i) f->fixed[i] = f->parameters.number[i].value;
  return true;
}

static void drop(fmu *f) {
  torsor_run_destroy(f->run);
  torsor_signals_destroy(f->signals);
  torsor_model_destroy(f->model);
  torsor_scene_destroy(f->scene);
  f->run = NULL;
  f->signals = NULL;
  f->model = NULL;
  f->scene = NULL;
}

/* Scene, model and signals with the parameters that are not those of the description. */
static fmu_status build(fmu *f) {
  torsor_error error = {0};
  const int count = f->parameters.count;
  char **set = calloc((size_t)count + 1, sizeof *set);
  const char **name = calloc((size_t)f->outputs.count + 1, sizeof *name);
  int changes = 0;
  torsor_status status = set && name ? TORSOR_OK : TORSOR_MEMORY;
  drop(f);
  for (int i = 0; !status && i < count; ++i) {
    const fmu_number *p = &f->parameters.number[i];
    const bool same = memcmp(&p->value, &f->fixed[i], sizeof p->value) == 0;
    if (!same && asprintf(&set[changes++], "parameters.%s=%.17g", p->name, p->value) < 0)
      status = TORSOR_MEMORY;
    f->parameters.number[i].changed = false;
  }
  for (int i = 0; !status && i < f->outputs.count; ++i) name[i] = f->outputs.number[i].name;
  if (status) torsor_fail(&error, status, "out of memory");
  if (!status)
    status = torsor_scene_parse(&f->scene, f->text, strlen(f->text), "scene.json", f->types,
                                (const char *const *)set, changes, &error);
  if (!status) status = torsor_scene_model(&f->model, f->scene, &error);
  if (!status && f->outputs.count)
    status = torsor_signals_create(&f->signals, f->model, name, f->outputs.count, NULL, &error);
  for (int i = 0; i < changes; ++i) free(set[i]);
  free(set);
  free(name);
  return status ? fmu_fail(f, &error) : FMU_OK;
}

static bool begin_inputs(fmu *f) {
  f->inputs = torsor_model_inputs(f->model);
  f->input = calloc((size_t)f->inputs + 1, sizeof *f->input);
  for (int i = 0; f->input && i < f->inputs; ++i)
    f->input[i].value = f->input[i].first = torsor_model_input_value(f->model, i);
  return f->input != NULL;
}

fmu *fmu_open(const char *resources, const char *token, const fmu_log *log) {
  fmu *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->log = *log;
  torsor_error error = {0};
  bool fine = (f->text = read_whole(f, resources, "scene.json")) != NULL &&
              (f->listing = read_whole(f, resources, "variables.txt")) != NULL;
  if (fine && (!read_list(f) || !(f->types = torsor_registry_create(&error))))
    fine = fail_memory(f) == FMU_OK;
  if (fine && token && strcmp(token, f->token) != 0) {
    fmu_say(f, FMU_ERROR, "logStatusError",
            "the token \"%.80s\" is not that of this FMU, \"%.80s\"", token, f->token);
    fine = false;
  }
  if (fine) fine = build(f) == FMU_OK;
  if (fine && !begin_inputs(f)) fine = fail_memory(f) == FMU_OK;
  if (fine) return f;
  fmu_close(f);
  return NULL;
}

void fmu_close(fmu *f) {
  if (!f) return;
  drop(f);
  torsor_registry_destroy(f->types);
  free(f->outputs.number);
  free(f->parameters.number);
  free(f->tunables.number);
  free(f->fixed);
  free(f->row);
  free(f->input);
  free(f->text);
  free(f->listing);
  free(f);
}

/* ---- phases ---------------------------------------------------------------------------------- */

bool fmu_expect(fmu *f, unsigned phases, const char *function) {
  static const char *const words[] = {"before the initialisation", "in the initialisation",
                                      "between steps", "at an event", "after its end"};
  if (phases >> f->phase & 1) return true;
  fmu_say(f, FMU_ERROR, "logStatusError", "%s cannot be called %s", function, words[f->phase]);
  return false;
}

static bool parameters_changed(const fmu *f) {
  for (int i = 0; i < f->parameters.count; ++i)
    if (f->parameters.number[i].changed) return true;
  return false;
}

fmu_status fmu_ensure(fmu *f) {
  if (f->run && !parameters_changed(f)) return fmu_apply(f);
  if (!f->model || parameters_changed(f)) {
    const fmu_status built = build(f);
    if (built) return built;
  }
  torsor_error error = {0};
  const torsor_run_options options = {
      .size = sizeof options, .open_end = true, .signals = f->signals};
  const torsor_status status =
      torsor_run_create(&f->run, f->model, torsor_scene_simulation(f->scene), &options, &error);
  if (status) {
    torsor_scene_locate(f->scene, &error);
    return fmu_fail(f, &error);
  }
  for (int i = 0; i < f->inputs; ++i)
    f->input[i].changed = f->input[i].value < f->input[i].first ||
                          f->input[i].value > f->input[i].first || f->input[i].rate != 0;
  f->row_stale = true;
  return fmu_apply(f);
}

fmu_status fmu_initialize(fmu *f, double start) {
  f->start = f->point = start;
  const fmu_status status = fmu_ensure(f);
  if (!status) f->phase = FMU_INITIALIZATION;
  return status;
}

fmu_status fmu_start(fmu *f, bool event_mode) {
  const fmu_status status = fmu_ensure(f);
  if (status) return status;
  pass_warnings(f);
  f->phase = event_mode ? FMU_EVENT : FMU_STEP;
  return FMU_OK;
}

fmu_status fmu_enter(fmu *f, fmu_phase phase) {
  const fmu_status status = phase == FMU_STEP ? fmu_apply(f) : FMU_OK;
  if (!status) f->phase = phase;
  return status;
}

fmu_status fmu_reset(fmu *f) {
  torsor_run_destroy(f->run);
  f->run = NULL;
  for (int i = 0; i < f->parameters.count; ++i) {
    fmu_number *p = &f->parameters.number[i];
    p->changed = p->changed || memcmp(&p->value, &f->fixed[i], sizeof p->value) != 0;
    p->value = f->fixed[i];
  }
  for (int i = 0; i < f->tunables.count; ++i) f->tunables.number[i].changed = false;
  for (int i = 0; i < f->inputs; ++i) {
    const double first = f->input[i].first;
    f->input[i] = (fmu_input){.value = first, .first = first};
  }
  f->phase = FMU_INSTANTIATED;
  return FMU_OK;
}

/* ---- values ---------------------------------------------------------------------------------- */

fmu_status fmu_apply(fmu *f) {
  torsor_error error = {0};
  torsor_status status = TORSOR_OK;
  for (int i = 0; !status && i < f->inputs; ++i) {
    fmu_input *in = &f->input[i];
    if (!in->changed) continue;
    status = torsor_run_set_input_rate(f->run, i, in->value, in->rate, in->second, &error);
    if (status) in->value = torsor_run_input(f->run, i);
    in->changed = false;
    f->row_stale = true;
  }
  for (int i = 0; !status && i < f->tunables.count; ++i) {
    fmu_number *n = &f->tunables.number[i];
    if (!n->changed) continue;
    status = torsor_run_set_parameter(f->run, n->name, n->value, &error);
    if (status) n->value = torsor_run_parameter(f->run, n->name);
    n->changed = false;
    f->row_stale = true;
  }
  return status ? fmu_fail(f, &error) : FMU_OK;
}

static fmu_status refuse(const fmu *f, uint32_t reference, const char *what) {
  fmu_say(f, FMU_ERROR, "logStatusError", "variable %u %s", reference, what);
  return FMU_ERROR;
}

/* The number of a list that a reference stands for; NULL = none. */
static fmu_number *number_at(const fmu_list *list, uint32_t first, uint32_t reference) {
  return reference >= first && reference - first < (uint32_t)list->count
             ? &list->number[reference - first]
             : NULL;
}

static fmu_input *input_at(const fmu *f, uint32_t reference) {
  const uint32_t i = reference - FMU_REFERENCE_INPUTS;
  return reference >= FMU_REFERENCE_INPUTS && i < (uint32_t)f->inputs ? &f->input[i] : NULL;
}

/* Outputs between steps are those at the point of communication: inputs that are set there count
 * from the next step on. */
static fmu_status read_output(fmu *f, int i, double *value) {
  fmu_status done = f->phase == FMU_STEP ? FMU_OK : fmu_ensure(f);
  if (!done && f->row_stale) {
    torsor_error error = {0};
    f->row_stale = false;
    if (torsor_run_values(f->run, f->signals, f->row, &error)) done = fmu_fail(f, &error);
  }
  *value = f->row[i];
  return done;
}

fmu_status fmu_get(fmu *f, uint32_t reference, double *value) {
  const fmu_number *n;
  const fmu_input *in = input_at(f, reference);
  if (reference == FMU_REFERENCE_TIME) {
    *value = f->point;
  } else if (in) {
    *value = f->run && !in->changed
                 ? torsor_run_input(f->run, (int)(reference - FMU_REFERENCE_INPUTS))
                 : in->value;
  } else if (number_at(&f->outputs, FMU_REFERENCE_OUTPUTS, reference)) {
    if (f->phase == FMU_INSTANTIATED)
      return refuse(f, reference, "is known from the initialisation on");
    return read_output(f, (int)(reference - FMU_REFERENCE_OUTPUTS), value);
  } else if ((n = number_at(&f->parameters, FMU_REFERENCE_PARAMETERS, reference)) != NULL ||
             (n = number_at(&f->tunables, FMU_REFERENCE_TUNABLES, reference)) != NULL) {
    *value = n->value;
  } else {
    return refuse(f, reference, "does not exist");
  }
  return FMU_OK;
}

fmu_status fmu_set(fmu *f, uint32_t reference, double value) {
  fmu_number *n;
  fmu_input *in = input_at(f, reference);
  if (!isfinite(value)) return refuse(f, reference, "is to be a finite number");
  if (in) {
    double now = in->value;
    if (f->run && !in->changed)
      now = torsor_run_input(f->run, (int)(reference - FMU_REFERENCE_INPUTS));
    /* The same value once more is no change, and a ramp that has come to the value goes on. */
    if (value < now || value > now) {
      in->value = value;
      in->rate = in->second = 0;
      in->changed = true;
    }
  } else if ((n = number_at(&f->parameters, FMU_REFERENCE_PARAMETERS, reference)) != NULL) {
    if (f->phase > FMU_INITIALIZATION)
      return refuse(f, reference, "is fixed once the run has begun");
    n->changed = n->changed || value < n->value || value > n->value;
    n->value = value;
  } else if ((n = number_at(&f->tunables, FMU_REFERENCE_TUNABLES, reference)) != NULL) {
    n->changed = n->changed || value < n->value || value > n->value;
    n->value = value;
  } else {
    return refuse(f, reference, "cannot be set");
  }
  return FMU_OK;
}

fmu_status fmu_set_derivative(fmu *f, uint32_t reference, int order, double value) {
  fmu_input *in = input_at(f, reference);
  if (!in || order < 1 || order > 2)
    return refuse(f, reference, "has no derivative of that order to set");
  if (!isfinite(value)) return refuse(f, reference, "has finite derivatives");
  if (f->run && !in->changed)
    in->value = torsor_run_input(f->run, (int)(reference - FMU_REFERENCE_INPUTS));
  if (order == 1) in->rate = value;
  if (order == 2) in->second = value;
  in->changed = true;
  return FMU_OK;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Times that differ by rounding alone. */
static double slack(double a, double b) {
  return 8 * 2.220446049250313e-16 * fmax(fabs(a), fabs(b));
}

/* Stands at the first event of the last call that is before `target`; false where there is none. */
static bool meet_event(fmu *f, double target, torsor_status *status, torsor_error *error) {
  const torsor_occurrence *list;
  const int count = torsor_run_occurrences(f->run, &list);
  if (!count || !(list[0].t < target - slack(target, list[0].t))) return false;
  const double at = list[0].t;
  fmu_say(f, FMU_OK, "logEvents", "event \"%s\" at %.9g s", list[0].event->name, at + f->start);
  *status = torsor_run_advance(f->run, at, error);
  return true;
}

/* Whole steps up to `target`, or to what ends the step of communication before; *ended then says
 * so. */
static torsor_status take_steps(fmu *f, double target, fmu_step *step, bool *ended,
                                torsor_error *error) {
  torsor_status status = TORSOR_OK;
  const bool events = step->events;
  step->events = false;
  while (!status && !*ended) {
    const double end = torsor_run_step_end(f->run);
    if (end >= target - slack(target, end)) break;
    status = torsor_run_step(f->run, error);
    if (status) break;
    if (events && meet_event(f, target, &status, error)) step->events = *ended = true;
    if (torsor_run_finished(f->run)) step->terminated = *ended = true;
    const double now = torsor_run_time(f->run);
    if (!*ended && step->between && now < target && step->between(step->data, now + f->start))
      *ended = true;
  }
  if (status || *ended) return status;
  const double end = torsor_run_step_end(f->run);
  const bool meets = fabs(end - target) <= slack(target, end);
  status = torsor_run_advance(f->run, meets ? end : target, error);
  if (!status && events && meet_event(f, target, &status, error)) step->events = *ended = true;
  if (!status && torsor_run_finished(f->run) && torsor_run_time(f->run) < target)
    step->terminated = *ended = true;
  return status;
}

fmu_status fmu_do_step(fmu *f, double t, double h, fmu_step *step) {
  step->reached = f->point;
  step->terminated = false;
  if (!(fabs(t - f->point) <= slack(t, f->point)) || !(h > 0)) {
    fmu_say(f, FMU_ERROR, "logStatusError",
            "a step of %.17g s from %.17g s cannot be taken: the instance is at %.17g s", h, t,
            f->point);
    return FMU_ERROR;
  }
  fmu_status done = fmu_apply(f);
  if (done) return done;
  torsor_error error = {0};
  bool ended = false;
  const torsor_status status = take_steps(f, t + h - f->start, step, &ended, &error);
  f->point = step->reached = ended || status ? torsor_run_time(f->run) + f->start : t + h;
  f->row_stale = true;
  pass_warnings(f);
  if (!status) return FMU_OK;
  torsor_scene_locate(f->scene, &error);
  done = fmu_fail(f, &error);
  return status > 0 || status == TORSOR_STEP ? FMU_DISCARD : done;
}
