/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/linear/state_names.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/eigen/lapack.h"
#include "analysis/observe/signals.h"

/* A state that is chosen for the user is this far from the others, as the sine of an angle in the
 * metric of masses; one that the user asks for may come as near to them as SINGULAR. */
static const double APART = 1e-3, SINGULAR = 1e-8;

enum { NAME_ROOM = 200 };

/* Signals that may be states, with their rates. */
typedef struct candidates {
  const torsor_model *model;
  arena *memory;
  int count, room;
  const char **state, **rate;
  torsor_status status;
} candidates;

static void add(candidates *c, const char *state, const char *rate) {
  if (c->count == c->room) {
    c->room = 2 * c->room + 64;
    const char **names = arena_take(c->memory, 2 * (size_t)c->room, sizeof *names);
    if (!names) {
      c->status = TORSOR_MEMORY;
      return;
    }
    if (c->count) {
      memcpy(names, c->state, (size_t)c->count * sizeof *names);
      memcpy(names + c->room, c->rate, (size_t)c->count * sizeof *names);
    }
    c->state = names;
    c->rate = names + c->room;
  }
  c->state[c->count] = arena_string(c->memory, state);
  c->rate[c->count] = rate ? arena_string(c->memory, rate) : NULL;
  if (!c->state[c->count] || (rate && !c->rate[c->count])) c->status = TORSOR_MEMORY;
  ++c->count;
}

/* A coordinate is followed by its rate. */
static bool visit(void *data, signal_part part, int element, int component, const char *name,
                  const char *unit) {
  candidates *c = data;
  (void)element, (void)component, (void)unit;
  if (part == SIGNAL_COORDINATE) add(c, name, NULL);
  if (part == SIGNAL_RATE && c->count && !c->status) {
    c->rate[c->count - 1] = arena_string(c->memory, name);
    if (!c->rate[c->count - 1]) c->status = TORSOR_MEMORY;
  }
  return !c->status;
}

static void add_positions(candidates *c) {
  char state[NAME_ROOM], rate[NAME_ROOM];
  for (int i = 0; i < c->model->element_count && !c->status; ++i) {
    const model_element *e = &c->model->element[i];
    const torsor_node_init *node = e->body ? &c->model->node[e->node[0]].init : NULL;
    if (!node || node->group == TORSOR_GROUP_SO3 || node->abstract) continue;
    for (int k = 0; k < 3; ++k) {
      snprintf(state, sizeof state, "%s.position.%c", e->name, "xyz"[k]);
      snprintf(rate, sizeof rate, "%s.velocity.%c", e->name, "xyz"[k]);
      add(c, state, rate);
    }
  }
}

static torsor_status list(candidates *c, const torsor_linear *l) {
  if (!signals_visit(l->state.model, false, visit, c)) return TORSOR_MEMORY;
  if (!l->state.moves) add_positions(c); /* seen from moving frames they are not constant */
  return c->status;
}

/* ---- the choice -------------------------------------------------------------------------------
 */

typedef struct choice {
  named_states *out;
  const null_space *z;
  arena *memory; /* of names */
  double
      *Q; /* [n x n] by columns: an orthonormal basis of the states chosen, in coordinates of N */
  double *r; /* [n] */
} choice;

/* Tries a row of variations: is it, by more than `apart`, independent of those chosen? */
static bool try_row(choice *c, const double *row, double apart) {
  const size_t n = (size_t)c->z->n, nv = (size_t)c->z->nv;
  double size = 0, parts = 0, left = 0;
  for (size_t j = 0; j < n; ++j) {
    double sum = 0;
    for (size_t i = 0; i < nv; ++i) {
      const double part = row[i] * c->z->N[j * nv + i];
      sum += part;
      parts += fabs(part);
    }
    c->r[j] = sum;
    size = hypot(size, sum);
  }
  if (!(size > SINGULAR * parts)) return false; /* the coordinate cannot move */
  for (int twice = 0; twice < 2; ++twice)
    for (int k = 0; k < c->out->count; ++k) {
      const double *q = c->Q + (size_t)k * n;
      double part = 0;
      for (size_t j = 0; j < n; ++j) part += q[j] * c->r[j];
      for (size_t j = 0; j < n; ++j) c->r[j] -= part * q[j];
    }
  for (size_t j = 0; j < n; ++j) left = hypot(left, c->r[j]);
  if (!(left > apart * size)) return false;
  for (size_t j = 0; j < n; ++j) c->Q[(size_t)c->out->count * n + j] = c->r[j] / left;
  memcpy(c->out->Y + (size_t)c->out->count * nv, row, nv * sizeof *row);
  return true;
}

static torsor_status name_it(named_states *out, arena *memory, const char *state, const char *rate,
                             const char *unit) {
  char per_second[32];
  snprintf(per_second, sizeof per_second, "%.24s/s", unit[0] ? unit : "1");
  const int i = out->count++;
  out->state[i] = (torsor_channel){arena_string(memory, state), arena_string(memory, unit)};
  out->rate[i] = (torsor_channel){arena_string(memory, rate), arena_string(memory, per_second)};
  return out->state[i].name && out->state[i].unit && out->rate[i].name && out->rate[i].unit
             ? TORSOR_OK
             : TORSOR_MEMORY;
}

/* Completes the states by the orthonormal complement of those chosen: x = c^T N^T A2 e. */
static torsor_status complete(choice *c) {
  const null_space *z = c->z;
  const size_t n = (size_t)z->n, nv = (size_t)z->nv;
  const int chosen = c->out->count;
  double *direction = null_space_take(z, z->nv, 1);
  torsor_status status = direction ? TORSOR_OK : TORSOR_MEMORY;
  if (!status && chosen < z->n) status = lapack_complement(c->Q, NULL, z->n, chosen);
  for (int k = chosen; k < z->n && !status; ++k) {
    char name[32], rate[32];
    snprintf(name, sizeof name, "x%d", k + 1);
    snprintf(rate, sizeof rate, "x%d.rate", k + 1);
    lapack_multiply(direction, z->N, false, c->Q + (size_t)k * n, z->nv, z->n, 1);
    pencil_multiply(c->out->Y + (size_t)k * nv, z->p, z->p->A2, direction);
    status = name_it(c->out, c->memory, name, rate, "");
  }
  return status;
}

/* Says where in the scene the state is named. */
static torsor_status refuse(int i, torsor_error *error) {
  if (error) snprintf(error->path, sizeof error->path, "linear.states.%d", i);
  return TORSOR_SCENE;
}

static torsor_status refuse_name(const candidates *c, int i, const char *name,
                                 torsor_error *error) {
  const char *near = torsor_near_name(name, c->state, c->count);
  torsor_fail(error, TORSOR_SCENE, "\"%s\" cannot be a state", name);
  if (near)
    torsor_hint(error, "did you mean \"%s\"?", near);
  else
    torsor_hint(error,
                "states are joint coordinates and, about a state at rest, positions of "
                "bodies: \"%s\"",
                c->count ? c->state[0] : "body.position.x");
  return refuse(i, error);
}

static torsor_status choose_asked(choice *ch, const candidates *c, const torsor_linear *l,
                                  const double *rows, const torsor_signals *signals,
                                  torsor_error *error) {
  const torsor_linear_settings *s = &l->settings;
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < s->states && !status; ++i) {
    int k = 0;
    while (k < c->count && strcmp(c->state[k], s->state[i]) != 0) ++k;
    if (k == c->count) return refuse_name(c, i, s->state[i], error);
    if (ch->out->count == ch->z->n ||
        !try_row(ch, rows + (size_t)k * (size_t)ch->z->nv, SINGULAR)) {
      torsor_fail(error, TORSOR_SCENE,
                  "\"%s\" cannot be a state beside those before it: it depends on them, or does "
                  "not move",
                  s->state[i]);
      torsor_hint(error,
                  "the motion has %d degrees of freedom; leave this one out, and another "
                  "is chosen",
                  ch->z->n);
      return refuse(i, error);
    }
    status = name_it(ch->out, ch->memory, c->state[k], c->rate[k], torsor_signals_unit(signals, k));
  }
  return status ? torsor_fail(error, status, "out of memory") : TORSOR_OK;
}

static torsor_status choose(choice *ch, const candidates *c, const double *rows,
                            const torsor_signals *signals, const unsigned char *changes) {
  torsor_status status = TORSOR_OK;
  for (int k = 0; k < c->count && ch->out->count < ch->z->n && !status; ++k)
    if (!changes[k] && try_row(ch, rows + (size_t)k * (size_t)ch->z->nv, APART))
      status =
          name_it(ch->out, ch->memory, c->state[k], c->rate[k], torsor_signals_unit(signals, k));
  return status;
}

static torsor_status take(named_states *out, choice *ch, arena *memory) {
  const size_t n = (size_t)ch->z->n;
  out->Y = arena_take(memory, n * (size_t)ch->z->nv, sizeof *out->Y);
  out->state = arena_take(memory, n, sizeof *out->state);
  out->rate = arena_take(memory, n, sizeof *out->rate);
  ch->Q = arena_take(memory, n * n, sizeof *ch->Q);
  ch->r = arena_take(memory, n, sizeof *ch->r);
  return out->Y && out->state && out->rate && ch->Q && ch->r ? TORSOR_OK : TORSOR_MEMORY;
}

torsor_status named_states_find(named_states *out, torsor_linear *l, const null_space *z,
                                torsor_error *error) {
  candidates c = {.model = l->state.model, .memory = &l->memory};
  choice ch = {.out = out, .z = z, .memory = &l->memory};
  torsor_signals *signals = NULL;
  channels none = {.count = 0};
  linear_rows rows = {0};
  *out = (named_states){0};
  torsor_status status = take(out, &ch, &l->memory);
  if (!status) status = list(&c, l);
  unsigned char *changes = arena_take(&l->memory, (size_t)c.count, 1);
  if (status || !changes) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  if (c.count)
    status = torsor_signals_create(&signals, l->state.model, c.state, c.count, NULL, error);
  if (!status && c.count)
    status = linear_rows_find(&rows, &l->state, &none, signals, l->pencil.length, changes,
                              &l->memory, error);
  if (!status) status = choose_asked(&ch, &c, l, rows.H[0], signals, error);
  if (!status) {
    status = choose(&ch, &c, rows.H[0], signals, changes);
    if (!status) status = complete(&ch);
    if (status) torsor_fail(error, status, "%s", torsor_status_text(status));
  }
  torsor_signals_destroy(signals);
  return status;
}
