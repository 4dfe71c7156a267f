/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/dynamics/controllers.h"

#include <math.h>
#include <string.h>

/* Whole delays that differ by no more than this, relative to the delay, are the same. */
static const double SAME_TIME = 1e-9;

static double due(const sampler *s) {
  if (s->controller->delay > 0 || s->off) return HUGE_VAL;
  return s->controller->offset + (double)s->next * s->controller->period;
}

double controllers_due(const controllers *c) {
  double first = HUGE_VAL;
  for (int i = 0; i < c->count; ++i) first = fmin(first, due(&c->sampler[i]));
  return first;
}

void controllers_switch(controllers *c, int i, bool on, double t) {
  sampler *s = &c->sampler[i];
  if (s->off != on) return;
  s->off = !on;
  const double passed = (t - s->controller->offset) / s->controller->period;
  const long next = (long)ceil(passed * (1 - SAME_TIME));
  if (on && next > s->next) s->next = next;
}

double controllers_limit(const controllers *c, double t) {
  double limit = HUGE_VAL;
  for (int i = 0; i < c->count; ++i) {
    const double delay = c->sampler[i].controller->delay;
    const double whole = delay > 0 ? floor(t / delay + SAME_TIME) + 1 : HUGE_VAL;
    if (delay > 0) limit = fmin(limit, whole * delay);
  }
  return limit;
}

/* ---- delays ---------------------------------------------------------------------------------- */

static double *segment_of(const delay_line *line, long k) {
  return line->segment + k % DELAY_STEPS * DELAY_NUMBERS;
}

/* Newton's divided differences at equal parts of the step, multiplied out in s = (t - t0)/h. */
static void fit_polynomial(double *c, const double *value) {
  enum { N = DELAY_ORDER };
  double d[N + 1];
  memcpy(d, value, sizeof d);
  for (int k = 1; k <= N; ++k)
    for (int i = N; i >= k; --i) d[i] = (d[i] - d[i - 1]) * N / k;
  memset(c, 0, (N + 1) * sizeof *c);
  for (int k = N; k >= 0; --k) { /* c = c (s - s_k) + d_k */
    for (int i = N; i > 0; --i) c[i] = c[i - 1] - c[i] * k / N;
    c[0] = d[k] - c[0] * k / N;
  }
}

bool delay_keep(sampler *s, double t0, double t1, const double *value) {
  delay_line *line = &s->past;
  double *kept = segment_of(line, line->count);
  const bool full = line->count >= DELAY_STEPS;
  if (full && segment_of(line, line->count + 1)[0] > t1 - s->controller->delay) return false;
  kept[0] = t0;
  kept[1] = t1 - t0;
  fit_polynomial(kept + 2, value);
  ++line->count;
  return true;
}

/* The last segment that begins at t or before; NULL: the run had not begun. */
static const double *find_segment(const delay_line *line, double t) {
  long low = line->count > DELAY_STEPS ? line->count - DELAY_STEPS : 0, high = line->count;
  const long first = low;
  while (low < high) {
    const long middle = (low + high) / 2;
    if (segment_of(line, middle)[0] > t)
      high = middle;
    else
      low = middle + 1;
  }
  return low > first ? segment_of(line, low - 1) : NULL;
}

static void evaluate_past(const sampler *s, double t, double input[3]) {
  const double *found = find_segment(&s->past, t - s->controller->delay);
  input[0] = s->controller->before;
  input[1] = input[2] = 0;
  if (!found) return;
  const double h = found[1], at = (t - s->controller->delay - found[0]) / h;
  double f = 0, f1 = 0, f2 = 0;
  for (int k = DELAY_ORDER; k >= 0; --k) {
    f2 = f2 * at + 2 * f1;
    f1 = f1 * at + f;
    f = f * at + found[2 + k];
  }
  input[0] = f;
  input[1] = f1 / h;
  input[2] = f2 / (h * h);
}

void controllers_past(void *self, double t, double *input) {
  const controllers *c = self;
  for (int i = 0; i < c->count; ++i)
    if (c->sampler[i].controller->delay > 0)
      evaluate_past(&c->sampler[i], t, input + 3 * c->sampler[i].controller->write[0]);
}

/* ---- setting up ------------------------------------------------------------------------------ */

static torsor_status create_sampler(sampler *s, const torsor_controller *controller,
                                    const torsor_model *model, arena *memory, torsor_error *error) {
  *s = (sampler){.controller = controller};
  torsor_status status = TORSOR_OK;
  if (controller->reads)
    status =
        torsor_signals_create(&s->signals, model, controller->read, controller->reads, NULL, error);
  if (status) return status;
  const int columns = s->signals ? torsor_signals_count(s->signals) : 0;
  if (columns != controller->reads)
    return torsor_fail(error, TORSOR_SCENE,
                       "controller \"%s\" gives %d names, which stand for %d signals: write the "
                       "name of each signal in full",
                       controller->name, controller->reads, columns);
  s->reactions = s->signals && signals_need_reactions(s->signals);
  s->read = arena_take(memory, (size_t)columns, sizeof *s->read);
  s->write = arena_take(memory, (size_t)controller->writes, sizeof *s->write);
  const size_t past = controller->delay > 0 ? DELAY_STEPS * DELAY_NUMBERS : 0;
  s->past.segment = arena_take(memory, past, sizeof *s->past.segment);
  return s->read && s->write && s->past.segment
             ? TORSOR_OK
             : torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

torsor_status controllers_create(controllers *out, const torsor_model *model, arena *memory,
                                 torsor_error *error) {
  *out = (controllers){.count = model->controllers};
  out->sampler = arena_take(memory, (size_t)out->count, sizeof *out->sampler);
  if (!out->sampler) {
    out->count = 0;
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  }
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < out->count && !status; ++i)
    status = create_sampler(&out->sampler[i], &model->controller[i], model, memory, error);
  return status;
}

void controllers_begin(const controllers *c, const torsor_model *model) {
  for (int i = 0; i < c->count; ++i) {
    const torsor_callback *callback = c->sampler[i].controller->callback;
    if (callback->state) memcpy(callback->data, model->controller_memory[i], callback->state);
  }
}

void controllers_release(controllers *c) {
  for (int i = 0; i < c->count; ++i) torsor_signals_destroy(c->sampler[i].signals);
}

void controllers_walk(controllers *c, tape *t) {
  for (int i = 0; i < c->count; ++i) {
    sampler *s = &c->sampler[i];
    const torsor_callback *callback = s->controller->callback;
    TAPE_VALUE(t, s->next);
    TAPE_VALUE(t, s->off);
    TAPE_VALUE(t, s->past.count);
    if (s->controller->delay > 0) TAPE_ARRAY(t, s->past.segment, DELAY_STEPS * DELAY_NUMBERS);
    if (callback->state) tape_value(t, "controller", callback->data, callback->state);
  }
}
