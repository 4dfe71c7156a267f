/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/observe/signal_errors.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <string.h>

/* Errors that most users accept, relative to the largest value: of positions and velocities, and of
 * signals that depend on v' and lambda. */
static const double MOST_OF_MOTION = 0.01, MOST_OF_REACTIONS = 0.02;

/* Errors of signals below this fraction of the largest one of their unit are measured relative to
 * that fraction. */
static const double LEAST_SIZE = 1e-3;

/* Scale of positions and rotations, relative to the model's length and to a radian, below which
 * rounding errors dominate: the distance of the companion, 1/1024 of the error, then consists of
 * the rounding that many steps accumulate. */
static const double ROUNDING = 1e8 * DBL_EPSILON;

/* Errors are no longer estimated where at most this fraction of the acceptable ones is expected,
 * which are many times what is asked for with controlled steps, until a signal has grown by the
 * factor GROWN. */
static const double SAFE = 1.0 / 16, SAFE_CONTROLLED = 1.0 / 4, GROWN = 2;

/* Returns the length of a name without the axis or the number of the component. */
static size_t stem_of(const char *name) {
  const char *dot = strrchr(name, '.');
  if (!dot || dot[1] == '\0') return strlen(name);
  const bool axis = strchr("wxyz", dot[1]) && dot[2] == '\0';
  bool number = true;
  for (const char *c = dot + 1; *c; ++c) number = number && isdigit((unsigned char)*c);
  return axis || number ? (size_t)(dot - name) : strlen(name);
}

static bool is_judged(const torsor_signals *signals, int i) {
  const char *name = torsor_signals_name(signals, i);
  return strcmp(torsor_signals_unit(signals, i), "J") != 0 && !strstr(name, ".phi") &&
         !signals_column_counts(signals, i);
}

/* Finds the vectors, whose components follow each other. */
static void find_vectors(signal_errors *s) {
  for (int i = 0; i < s->count; ++i) {
    s->vector[i] = -1;
    if (!is_judged(s->signals, i)) continue;
    if (!s->reactions && signals_column_reacts(s->signals, i)) continue;
    s->vector[i] = i;
    if (i == 0 || s->vector[i - 1] < 0) continue;
    const char *name = torsor_signals_name(s->signals, i),
               *before = torsor_signals_name(s->signals, i - 1);
    const size_t stem = stem_of(name);
    if (stem < strlen(name) && stem == stem_of(before) && strncmp(name, before, stem) == 0)
      s->vector[i] = s->vector[i - 1];
  }
}

void signal_errors_walk(signal_errors *s, tape *t) {
  TAPE_VALUE(t, s->elapsed);
  TAPE_ARRAY(t, s->size, s->count);
  TAPE_ARRAY(t, s->error, s->count);
  TAPE_ARRAY(t, s->now, s->count);
  TAPE_ARRAY(t, s->before, s->count);
  TAPE_ARRAY(t, s->kept, s->count);
}

torsor_status signal_errors_create(signal_errors *out, const torsor_signals *signals,
                                   bool reactions, arena *memory) {
  tape take = {.memory = memory};
  const size_t columns = (size_t)torsor_signals_count(signals);
  *out = (signal_errors){
      .signals = signals, .reactions = reactions, .count = signals_own_count(signals)};
  out->vector = arena_take(memory, (size_t)out->count, sizeof *out->vector);
  out->row = arena_take(memory, columns, sizeof *out->row);
  out->shown = arena_take(memory, columns, sizeof *out->shown);
  if (!out->vector || !out->row || !out->shown) return TORSOR_MEMORY;
  signal_errors_walk(out, &take);
  if (!take.status) find_vectors(out);
  return take.status;
}

void signal_errors_size(signal_errors *s, const double *row) {
  for (int i = 0; i < s->count; ++i) {
    const int k = s->vector[i];
    if (k >= 0) s->size[k] = fmax(s->size[k], fabs(row[i]));
  }
}

torsor_status signal_errors_note(signal_errors *s, observer *o, const double *row,
                                 const torsor_state *companion, double part) {
  torsor_error error;
  torsor_point p;
  const torsor_status status = observer_look(o, &p, companion, &error);
  if (status) return status;
  observer_signals(o, s->row, s->signals, &p, NULL);
  memset(s->now, 0, (size_t)s->count * sizeof *s->now);
  for (int i = 0; i < s->count; ++i) {
    const int k = s->vector[i];
    if (k < 0) continue;
    s->now[k] = fmax(s->now[k], fabs(s->row[i] - row[i]) / part);
    s->error[k] = fmax(s->error[k], s->before[k] + s->now[k]);
  }
  return TORSOR_OK;
}

void signal_errors_go_on(signal_errors *s) {
  for (int i = 0; i < s->count; ++i) {
    s->before[i] += s->now[i];
    s->now[i] = 0;
  }
}

/* Returns the size below which motions are rounding errors. */
static double rounding_of(const signal_errors *s, const char *unit) {
  const double length = *s->length, turn = ROUNDING;
  if (strcmp(unit, "m") == 0) return length * turn;
  if (strcmp(unit, "m/s") == 0) return length * turn / s->step;
  if (strcmp(unit, "rad") == 0) return turn;
  return strcmp(unit, "rad/s") == 0 ? turn / s->step : 0;
}

/* Returns the largest value of a signal, or the fraction LEAST_SIZE of the largest one of its
 * unit. */
static double size_of(const signal_errors *s, int column) {
  const char *unit = torsor_signals_unit(s->signals, column);
  double most = 0;
  for (int i = 0; i < s->count; ++i)
    if (s->vector[i] == i && strcmp(torsor_signals_unit(s->signals, i), unit) == 0)
      most = fmax(most, s->size[i]);
  return fmax(fmax(s->size[column], LEAST_SIZE * most), rounding_of(s, unit));
}

/* Returns how many characters of a column's name are that of the vector which begins there. */
static int name_length(const signal_errors *s, int i) {
  const char *name = torsor_signals_name(s->signals, i);
  const bool vector = i + 1 < s->count && s->vector[i + 1] == i;
  return (int)(vector ? stem_of(name) : strlen(name));
}

/* Returns the error of a signal that is acceptable, infinite where nothing is asked for. */
static double acceptable(const signal_errors *s, int column) {
  const char *unit = torsor_signals_unit(s->signals, column);
  if (!s->asked)
    return size_of(s, column) *
           (signals_column_reacts(s->signals, column) ? MOST_OF_REACTIONS : MOST_OF_MOTION);
  const bool length = strcmp(unit, "m") == 0;
  const double asked = length ? s->asked->position : s->asked->rotation;
  if (!(asked > 0) || signals_column_reacts(s->signals, column)) return HUGE_VAL;
  if (!length && strcmp(unit, "rad") != 0) return HUGE_VAL;
  return fmax(SIGNAL_ERRORS_MOST * asked * s->elapsed, rounding_of(s, unit));
}

worst_signal signal_errors_worst(const signal_errors *s) {
  worst_signal worst = {.column = -1};
  double most = 0;
  for (int i = 0; i < s->count; ++i) {
    if (s->vector[i] != i || !(s->size[i] > 0)) continue;
    const double error = s->error[i] / size_of(s, i), over = s->error[i] / acceptable(s, i);
    if (!(over > most)) continue;
    most = over;
    worst = (worst_signal){.column = i, .length = name_length(s, i), .error = error, .over = over};
  }
  return worst;
}

bool signal_errors_small(const signal_errors *s, double whole) {
  return signal_errors_worst(s).over * whole * whole < (s->asked ? SAFE_CONTROLLED : SAFE);
}

void signal_errors_keep(signal_errors *s) {
  memcpy(s->kept, s->size, (size_t)s->count * sizeof *s->kept);
}

bool signal_errors_grown(const signal_errors *s) {
  for (int i = 0; i < s->count; ++i)
    if (s->vector[i] == i && s->size[i] > GROWN * s->kept[i] &&
        s->size[i] > LEAST_SIZE * size_of(s, i))
      return true;
  return false;
}
