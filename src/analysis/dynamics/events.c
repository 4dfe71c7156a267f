/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/dynamics/events.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Number of times in a step at which signs are compared: two crossings between two of them are not
 * detected.  Kinks alone are looked for at the ends of steps: where they are crossed twice in one,
 * its functions stay on their side. */
enum { PARTS = 4 };

/* Crossings that differ by no more than this, relative to the time, are simultaneous. */
static const double TOGETHER = 8 * DBL_EPSILON;

/* So many occurrences of a kink within a few steps each may follow each other. */
enum { QUICK = 3 };

/* ---- setting up --------------------------------------------------------------------------- */

static int find_column(const torsor_signals *signals, const char *name) {
  for (int i = 0; i < torsor_signals_count(signals); ++i)
    if (strcmp(torsor_signals_name(signals, i), name) == 0) return i;
  return -1;
}

static torsor_status find_signals(events *e, const torsor_model *model, int total, arena *memory,
                                  torsor_error *error) {
  const char **name = arena_take(memory, (size_t)total, sizeof *name);
  if (!name) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  int count = 0;
  for (int i = 0; i < e->count; ++i)
    for (int k = 0; k < model->event[i].signals; ++k) name[count++] = model->event[i].signal[k];
  if (!count) return TORSOR_OK;
  const torsor_status status = torsor_signals_create(&e->signals, model, name, count, NULL, error);
  if (status) return status;
  e->reactions = signals_need_reactions(e->signals);
  for (int i = 0; i < e->count; ++i) {
    watch *w = &e->watch[i];
    for (int k = 0; k < w->event->signals; ++k) {
      w->column[k] = find_column(e->signals, w->event->signal[k]);
      if (w->column[k] < 0)
        return torsor_fail(error, TORSOR_SCENE,
                           "event \"%s\" uses \"%s\", which stands for more than one signal: write "
                           "the name of one in full",
                           w->event->name, w->event->signal[k]);
    }
  }
  return TORSOR_OK;
}

void events_walk(events *e, tape *t) {
  TAPE_VALUE(t, e->begun);
  TAPE_VALUE(t, e->t0);
  TAPE_VALUE(t, e->reported);
  TAPE_ARRAY(t, e->sample, e->count);
  TAPE_ARRAY(t, e->held, e->count);
  TAPE_ARRAY(t, e->side_before, e->count);
  TAPE_ARRAY(t, e->count_before, e->count);
  TAPE_ARRAY(t, e->from_before, e->count);
  TAPE_ARRAY(t, e->value_before, e->count);
  TAPE_ARRAY(t, e->reported_code, PARTS * e->count);
  TAPE_ARRAY(t, e->reported_t, PARTS * e->count);
  TAPE_ARRAY(t, e->lost, PARTS * e->count);
  for (int i = 0; i < e->count; ++i) {
    watch *w = &e->watch[i];
    TAPE_VALUE(t, w->side);
    TAPE_VALUE(t, w->from);
    TAPE_VALUE(t, w->value);
    TAPE_VALUE(t, w->count);
    TAPE_VALUE(t, w->last);
    TAPE_VALUE(t, w->quick);
  }
}

/* Does the event switch joints on? */
static bool locks(const torsor_model *model, const torsor_event *event) {
  if (event->action != TORSOR_SWITCH) return false;
  for (int i = 0; i < event->on_count; ++i)
    if (model->element[event->on[i]].rows) return true;
  return false;
}

torsor_status events_create(events *out, const torsor_model *model, observer *o,
                            torsor_integrator *integrator, arena *memory, torsor_error *error) {
  const size_t count = (size_t)model->event_count;
  int total = 0;
  *out = (events){.count = model->event_count, .parts = 1, .observer = o, .integrator = integrator};
  for (int i = 0; i < model->event_count; ++i) total += model->event[i].signals;
  out->watch = arena_take(memory, count, sizeof *out->watch);
  out->crossing = arena_take(memory, count, sizeof *out->crossing);
  out->x = arena_take(memory, (size_t)total, sizeof *out->x);
  int *column = arena_take(memory, (size_t)total, sizeof *column);
  tape take = {.memory = memory};
  if (out->watch) events_walk(out, &take);
  if (!out->watch || take.status || !out->crossing || !out->x || !column)
    return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  for (int i = 0; i < model->event_count; ++i) {
    out->watch[i] = (watch){.event = &model->event[i], .column = column, .last = -HUGE_VAL};
    if (!model->event[i].kink) out->parts = PARTS;
    out->watch[i].locks = locks(model, &model->event[i]);
    column += model->event[i].signals;
  }
  assembly_set_sides(o->assembly, out->held);
  const torsor_status status = find_signals(out, model, total, memory, error);
  if (status) return status;
  const int columns = out->signals ? torsor_signals_count(out->signals) : 0;
  out->values = arena_take(memory, (size_t)columns, sizeof *out->values);
  return out->values ? TORSOR_OK : torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

void events_release(events *e) {
  if (e->observer) assembly_set_sides(e->observer->assembly, NULL);
  torsor_signals_destroy(e->signals);
}

/* ---- values ------------------------------------------------------------------------------- */

static bool is_over(const watch *w) {
  return w->event->times > 0 && w->count >= w->event->times;
}

/* Has the event nothing to do, as what it locks is locked?  Its expression may rest at zero then,
 * and change its sign by rounding. */
static bool is_idle(const events *e, const watch *w) {
  if (!w->locks) return false;
  for (int i = 0; i < w->event->on_count; ++i)
    if (!assembly_acts(e->observer->assembly, w->event->on[i])) return false;
  for (int i = 0; i < w->event->off_count; ++i)
    if (assembly_acts(e->observer->assembly, w->event->off[i])) return false;
  return true;
}

/* Evaluates the signals at t within the last step. */
static torsor_status look(events *e, double t, torsor_error *error) {
  torsor_state state;
  torsor_point p;
  const torsor_status status = e->reactions
                                   ? torsor_integrator_interpolate(e->integrator, t, &state)
                                   : torsor_integrator_motion(e->integrator, t, &state);
  if (status)
    return torsor_fail(error, TORSOR_STEP, "the state at t = %.9g s cannot be interpolated: %s", t,
                       torsor_status_text(status));
  if (!e->signals) return TORSOR_OK;
  const torsor_status seen = observer_look(e->observer, &p, &state, error);
  if (!seen) observer_signals(e->observer, e->values, e->signals, &p, NULL);
  return seen;
}

/* Evaluates the function of one event from the signals. */
static torsor_status value_of(double *out, const events *e, int i, double t, torsor_error *error) {
  const watch *w = &e->watch[i];
  for (int k = 0; k < w->event->signals; ++k) e->x[k] = e->values[w->column[k]];
  *out = w->event->when(w->event->self, assembly_now(e->observer->assembly, t), e->x);
  if (isfinite(*out)) return TORSOR_OK;
  if (w->event->kink) {
    *out = 0;
    return TORSOR_OK;
  }
  torsor_fail(error, TORSOR_NONFINITE, "event \"%s\": \"when\" is %s at t = %.9g s", w->event->name,
              isnan(*out) ? "nan (not a number)" : "infinite", t);
  return TORSOR_NONFINITE;
}

static torsor_status sample(events *e, double t, torsor_error *error) {
  torsor_status status = look(e, t, error);
  for (int i = 0; i < e->count && !status; ++i)
    if (!is_over(&e->watch[i])) status = value_of(&e->sample[i], e, i, t, error);
  return status;
}

static int sign_of(double value) {
  return (value > 0) - (value < 0);
}

torsor_status events_begin(events *e, torsor_error *error) {
  const double t = torsor_integrator_state(e->integrator).t;
  const torsor_status status = sample(e, t, error);
  for (int i = 0; i < e->count && !status; ++i) {
    watch *w = &e->watch[i];
    w->value = e->sample[i];
    if (!e->begun) w->side = w->event->trips && w->value > 0 ? -1 : sign_of(w->value);
    if (!e->begun && w->event->kink) e->held[i] = (signed char)w->side;
  }
  e->begun = true;
  return status;
}

/* ---- crossings ---------------------------------------------------------------------------- */

/* Bracket of a root: f(a) has the sign before the crossing, f(b) the other one. */
typedef struct bracket {
  double a, fa, b, fb;
  int last; /* the end that moved last: -1 = a, 1 = b */
} bracket;

/* Returns the next guess: regula falsi with the weights of Anderson and Bjoerck (BIT 13 (1973)
 * 253-264), bisection now and then; never closer to an end than rounding, so that the other end
 * follows. */
static double next_guess(const bracket *r, double closest, int k) {
  const double t = r->a + (r->b - r->a) * (r->fa / (r->fa - r->fb));
  if (k % 4 == 3 || !(t >= r->a && t <= r->b)) return r->a + (r->b - r->a) / 2;
  return fmin(fmax(t, r->a + closest), r->b - closest);
}

static double weight_of(double now, double before) {
  const double weight = 1 - now / before;
  return weight > 0 ? weight : 0.5;
}

static void shrink_bracket(bracket *r, double t, double f, bool left) {
  if (left) {
    if (r->last < 0) r->fb *= weight_of(f, r->fa);
    r->a = t;
    r->fa = f;
  } else {
    if (r->last > 0) r->fa *= weight_of(f, r->fb);
    r->b = t;
    r->fb = f;
  }
  r->last = left ? -1 : 1;
}

/* Finds the time at which event i crosses zero, between w->from and b, where its value is fb. */
static torsor_status find_root(double *root, events *e, int i, double b, double fb,
                               torsor_error *error) {
  const watch *w = &e->watch[i];
  bracket r = {.a = w->from, .fa = w->value, .b = b, .fb = fb};
  *root = r.a;
  if (sign_of(r.fa) != w->side) return TORSOR_OK;
  const double closest = 2 * DBL_EPSILON * fmax(fabs(r.a), fabs(b));
  for (int k = 0; r.b - r.a > 2 * closest; ++k) {
    const double t = next_guess(&r, closest, k);
    double f;
    torsor_status status = look(e, t, error);
    if (!status) status = value_of(&f, e, i, t, error);
    if (status) return status;
    shrink_bracket(&r, t, f, sign_of(f) == w->side);
  }
  *root = r.b;
  return TORSOR_OK;
}

/* Sorts crossings by time; simultaneous ones stay in the order of the scene. */
static void sort_crossings(crossing *c, int count) {
  for (int i = 1; i < count; ++i) {
    const crossing moved = c[i];
    int k = i;
    for (; k > 0 && c[k - 1].t > moved.t; --k) c[k] = c[k - 1];
    c[k] = moved;
  }
}

/* A kink has left zero: its functions stay on that side.  Where it has come to the other side than
 * that for which the motion began anew, it slides along the jump, and follows its values. */
static void hold_side(events *e, int i, int side) {
  watch *w = &e->watch[i];
  if (!w->event->kink || w->side || w->quick > QUICK) return;
  if (e->held[i] && e->held[i] != side) w->quick = QUICK + 1;
  e->held[i] = (signed char)(w->quick > QUICK ? 0 : side);
}

/* Finds the crossings up to time t, the end of a part of the step. */
static torsor_status find_crossings(events *e, double t, torsor_error *error) {
  torsor_status status = sample(e, t, error);
  e->found = e->next = 0;
  for (int i = 0; i < e->count && !status; ++i) {
    watch *w = &e->watch[i];
    const double value = e->sample[i];
    const bool idle = is_idle(e, w);
    const int side = is_over(w) || idle ? 0 : sign_of(value);
    if (idle) w->side = 0;
    if (!side) continue;
    if (w->side && side != w->side) {
      crossing *c = &e->crossing[e->found++];
      *c = (crossing){.watch = i, .rising = side > 0};
      status = find_root(&c->t, e, i, t, value, error);
    }
    hold_side(e, i, side);
    w->side = side;
    w->from = t;
    w->value = value;
  }
  sort_crossings(e->crossing, e->found);
  return status;
}

void events_scan(events *e, double t0, double t1) {
  e->t0 = t0;
  e->t1 = t1;
  e->part = e->found = e->next = 0;
  e->limit = HUGE_VAL;
  e->reported = 0;
  for (int i = 0; i < e->count; ++i) {
    watch *w = &e->watch[i];
    w->from = t0;
    e->side_before[i] = w->side;
    e->count_before[i] = w->count;
    e->from_before[i] = w->from;
    e->value_before[i] = w->value;
  }
}

torsor_status events_take_back(events *e, double t, torsor_error *error) {
  const crossing *c = NULL;
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < e->count; ++i) {
    watch *w = &e->watch[i];
    w->side = e->side_before[i];
    w->count = e->count_before[i];
    w->from = e->from_before[i];
    w->value = e->value_before[i];
  }
  events_scan(e, e->t0, t);
  if (e->count && t > e->t0)
    while (!(status = events_next(&c, e, error)) && c) continue;
  return status;
}

void events_see(events *e, const torsor_point *p) {
  if (e->signals) observer_signals(e->observer, e->values, e->signals, p, NULL);
}

double events_set_value(const events *e, int i, const torsor_event_set *s, double t) {
  const int code = e->reported_code[i];
  const watch *w = &e->watch[code > 0 ? code - 1 : -code - 1];
  for (int k = 0; k < w->event->signals; ++k) e->x[k] = e->values[w->column[k]];
  return s->value(s->self, assembly_now(e->observer->assembly, t), e->x);
}

torsor_occurrence events_occurrence(const events *e, int i) {
  const int code = e->reported_code[i];
  return (torsor_occurrence){.event = e->watch[code > 0 ? code - 1 : -code - 1].event,
                             .t = e->reported_t[i],
                             .rising = code > 0,
                             .lost = e->lost[i]};
}

void events_note_loss(events *e, int i, double lost) {
  e->lost[i] = lost;
}

int events_shown(const events *e, int first) {
  int count = 0;
  for (int i = first; i < e->reported; ++i) count += !events_occurrence(e, i).event->kink;
  return count;
}

bool events_kink_counts(events *e, const crossing *c, double step) {
  enum { NEAR = 4 };
  watch *w = &e->watch[c->watch];
  w->quick = c->t - w->last < NEAR * step ? w->quick + 1 : 0;
  w->last = c->t;
  if (w->quick > QUICK) e->held[c->watch] = 0;
  return w->quick <= QUICK;
}

static bool is_wanted(const watch *w, const crossing *c) {
  const torsor_direction wanted = w->event->direction;
  return wanted == TORSOR_BOTH || c->rising == (wanted == TORSOR_RISING);
}

torsor_status events_next(const crossing **out, events *e, torsor_error *error) {
  *out = NULL;
  for (;;) {
    while (e->next < e->found) {
      crossing *c = &e->crossing[e->next];
      if (c->t > e->limit) return TORSOR_OK;
      ++e->next;
      if (!is_wanted(&e->watch[c->watch], c)) continue;
      ++e->watch[c->watch].count;
      c->reported = true;
      e->reported_code[e->reported] = c->rising ? c->watch + 1 : -c->watch - 1;
      e->lost[e->reported] = nan("");
      e->reported_t[e->reported++] = c->t;
      *out = c;
      return TORSOR_OK;
    }
    if (e->part == e->parts || e->limit < HUGE_VAL) return TORSOR_OK;
    ++e->part;
    const double t = e->t0 + (e->t1 - e->t0) * e->part / e->parts;
    const torsor_status status = find_crossings(e, e->part == e->parts ? e->t1 : t, error);
    if (status) return status;
  }
}

void events_cut(events *e, double t) {
  if (!(e->limit < HUGE_VAL)) e->limit = t + TOGETHER * (fabs(t) + (e->t1 - e->t0));
}

void events_settle(events *e) {
  const double begin = e->limit - 2 * TOGETHER * (fabs(e->limit) + (e->t1 - e->t0));
  for (int k = 0; k < e->found; ++k) {
    const crossing *c = &e->crossing[k];
    watch *w = &e->watch[c->watch];
    if (c->t > e->limit)
      w->side = c->rising ? -1 : 1; /* the crossing has not happened */
    else if (c->t >= begin)
      w->side = 0;
    if (w->event->kink && !w->side && w->quick <= QUICK)
      e->held[c->watch] = (signed char)(c->rising ? 1 : -1);
  }
}
