/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/rope.h"

#include <math.h>
#include <string.h>

static const double turn = 6.283185307179586;

/* ---- geometry -------------------------------------------------------------------------------- */

/* The angle with the turns of one that it is near to. */
static double count_turns(double angle, double near) {
  return angle + turn * nearbyint((near - angle) / turn);
}

static bool is_sheave(const rope *r, int station) {
  return r->wheel[station].radius > 0 && station > 0 && station < r->stations - 1;
}

static bool find_spans(rope_now *now, const rope *r, const torsor_element_in *in, bool second) {
  for (int i = 0; i < r->stations - 1; ++i) {
    relative_state *frame = &now->frame[i];
    relative_find(frame, &r->span[i], in);
    relative_velocity(frame, in);
    if (!rope_span_find(&now->span[i], &r->wheel[i], &r->wheel[i + 1], &frame->in.R, frame->in.p,
                        second))
      return false;
    if (now->span[i].fleet > ROPE_FLEET) return false;
  }
  return true;
}

/* The angles with their turns, and the wraps. */
static bool find_wraps(rope_now *now, const rope *r, const double *state) {
  for (int k = 0; k < r->stations; ++k) {
    const double *kept = state ? state + k * ROPE_STATES : NULL;
    now->arrives[k] = now->leaves[k] = now->wrap[k] = 0;
    if (k > 0 && r->wheel[k].radius > 0)
      now->arrives[k] = count_turns(now->span[k - 1].value[ROPE_ARRIVES],
                                    r->arrives[k] + (kept ? kept[ROPE_STATE_ARRIVES] : 0));
    if (k < r->stations - 1 && r->wheel[k].radius > 0)
      now->leaves[k] = count_turns(now->span[k].value[ROPE_LEAVES],
                                   r->leaves[k] + (kept ? kept[ROPE_STATE_LEAVES] : 0));
    if (!is_sheave(r, k)) continue;
    now->wrap[k] = r->wheel[k].sense * (now->leaves[k] - now->arrives[k]);
    if (!(now->wrap[k] > 0)) return false;
  }
  return true;
}

static void find_lengths(rope_now *now, const rope *r, const torsor_element_in *in,
                         const double *state) {
  for (int j = 0; j < r->segments; ++j) {
    now->length[j] = 0;
    now->unstrained[j] = r->unstrained[j];
  }
  for (int i = 0; i < r->terms; ++i) {
    const rope_term *t = &r->term[i];
    double value = now->span[t->span].value[ROPE_LENGTH], start = 0;
    if (t->number == ROPE_LEAVES) {
      value = now->leaves[t->span];
      start = r->leaves[t->span];
    } else if (t->number == ROPE_ARRIVES) {
      value = now->arrives[t->span + 1];
      start = r->arrives[t->span + 1];
    }
    now->length[t->segment] += t->by_length * value;
    now->unstrained[t->segment] += t->by_unstrained * (value - start);
  }
  for (int k = 0; state && k < r->grips; ++k) {
    const double slipped = state[r->grip[k] * ROPE_STATES + ROPE_STATE_SLIPPED];
    now->unstrained[k] -= slipped;
    now->unstrained[k + 1] += slipped;
  }
  now->pay_rate = 0;
  if (!r->pay_in.eval) return;
  double rate;
  now->unstrained[0] -= r->pay_in.eval(r->pay_in.self, in->now, &rate, NULL);
  now->pay_rate = -rate;
}

bool rope_find(rope_now *now, const rope *r, const torsor_element_in *in, const double *state,
               bool second) {
  if (!find_spans(now, r, in, second) || !find_wraps(now, r, state)) return false;
  find_lengths(now, r, in, state);
  for (int j = 0; j < r->segments; ++j)
    if (!(now->unstrained[j] > 0)) return false;
  return true;
}

/* ---- tensions -------------------------------------------------------------------------------- */

/* Strain over which the tension of a rope that gets slack goes to zero. */
static const double ROUNDED = 1e-6;

/* The strain that pulls, of a rope that cannot push, its derivatives and its integral: 0 below
 * -ROUNDED, (e + ROUNDED)^2/(4 ROUNDED) up to ROUNDED and e beyond. */
static void pulling_strain(double out[3], double *bend, double e) {
  const double above = e + ROUNDED, w = 4 * ROUNDED;
  *bend = 0;
  if (e >= ROUNDED) {
    out[0] = e * e / 2 + ROUNDED * ROUNDED / 6;
    out[1] = e;
    out[2] = 1;
  } else if (above > 0) {
    out[0] = above * above * above / (3 * w);
    out[1] = above * above / w;
    out[2] = 2 * above / w;
    *bend = 2 / w;
  } else {
    out[0] = out[1] = out[2] = 0;
  }
}

/* The elastic part of one segment at its lengths. */
static void stretch(rope_tensions *t, const rope *r, int j, double length, double unstrained) {
  const double e = length / unstrained - 1;
  double p[3] = {e * e / 2, e, 1}, bend = 0; /* integral, value and slope */
  if (r->slack) pulling_strain(p, &bend, e);
  t->strain[j] = e;
  t->tension[j] = r->stiffness * p[1];
  t->pull[j] = r->stiffness * (p[1] * (1 + e) - p[0]);
  t->slope[j] = r->stiffness * p[2] / unstrained;
  t->bend[j] = r->stiffness * bend;
  t->energy[j] = r->stiffness * p[0] * unstrained;
}

static void stretch_all(rope_tensions *t, const rope *r, const rope_now *now) {
  for (int j = 0; j < r->segments; ++j) {
    const double in = j > 0 ? t->slip[j - 1] : 0, out = j < r->grips ? t->slip[j] : 0;
    stretch(t, r, j, now->length[j], now->unstrained[j] + in - out);
  }
}

/* ---- slip ------------------------------------------------------------------------------------ */

/* By how much the limit of sheave k is exceeded, and the tensions before and behind it times these
 * factors: a T_k + b T_(k+1). */
static double excess(const rope_tensions *t, int k, double *a, double *b) {
  *a = t->slides[k] > 0 ? -t->ratio[k] : 1;
  *b = t->slides[k] > 0 ? 1 : -t->ratio[k];
  return *a * t->tension[k] + *b * t->tension[k + 1];
}

/* Pivots below this part of their terms are round-off. */
static const double DEPENDENT = 1e-12;

/* Solves for rates of the slip [grips][columns] that make those of the excesses, here in `x`, zero:
 * a tridiagonal system, of unit rows where the rope sticks. */
static void solve_excess(double *x, const rope *r, const rope_tensions *t, int columns) {
  double above[ROPE_SPANS];
  for (int k = 0; k < r->grips; ++k) {
    double a, b;
    excess(t, k, &a, &b);
    /* by its own slip the segment before gets shorter, and that behind longer */
    const double before = t->slope[k] * (1 + t->strain[k]);
    const double behind = t->slope[k + 1] * (1 + t->strain[k + 1]);
    double low = k > 0 ? -a * before : 0, pivot = a * before - b * behind;
    if (k > 0) pivot -= low * above[k - 1];
    /* no more than round-off is left where the sheave before takes what is between slack parts */
    const bool free =
        t->slides[k] && fabs(pivot) > DEPENDENT * (fabs(a) * before + fabs(b) * behind);
    above[k] = free && k + 1 < r->grips ? b * behind / pivot : 0;
    if (!free) {
      low = 0;
      pivot = 1;
    }
    for (int c = 0; c < columns; ++c) {
      double right = free ? -x[k * columns + c] : 0;
      if (k > 0) right -= low * x[(k - 1) * columns + c];
      x[k * columns + c] = right / pivot;
    }
  }
  for (int k = r->grips - 2; k >= 0; --k)
    for (int c = 0; c < columns; ++c) x[k * columns + c] -= above[k] * x[(k + 1) * columns + c];
}

void rope_slip_rates(double *slip, const rope *r, const rope_tensions *t, const double *row,
                     const double *wrap, int columns) {
  for (int k = 0; k < r->grips; ++k) {
    double a, b;
    excess(t, k, &a, &b);
    const double *before = row + k * columns, *behind = row + (k + 1) * columns;
    const double lower = t->slides[k] > 0 ? t->tension[k] : t->tension[k + 1];
    const double by_wrap = -r->friction[r->grip[k]] * t->ratio[k] * lower;
    for (int c = 0; c < columns; ++c)
      slip[k * columns + c] = a * t->slope[k] * before[c] + b * t->slope[k + 1] * behind[c] +
                              by_wrap * wrap[k * columns + c];
  }
  solve_excess(slip, r, t, columns);
}

enum { MOST_SLIPS = 100 };

double rope_round_off(const rope *r, const rope_tensions *t, int k) {
  static const double of_strain = 4e-15; /* 18 round-off units: lengths are sums of a few terms */
  return of_strain * r->stiffness * t->ratio[k];
}

/* Marks the sheaves that have to slide; true where one is new. */
static bool mark_sliding(rope_tensions *t, const rope *r) {
  bool changed = false;
  for (int k = 0; k < r->grips; ++k) {
    if (t->slides[k]) continue;
    const double before = t->tension[k], behind = t->tension[k + 1];
    const double off = rope_round_off(r, t, k);
    t->slides[k] = behind - t->ratio[k] * before > off   ? 1
                   : before - t->ratio[k] * behind > off ? -1
                                                         : 0;
    changed |= t->slides[k] != 0;
  }
  return changed;
}

/* One step of Newton's iteration for the slips, which never go against what they slide by; true
 * where all limits are met. */
static bool slide(rope_tensions *t, const rope *r, const rope_now *now) {
  double step[ROPE_SPANS], a, b;
  bool met = true;
  for (int k = 0; k < r->grips; ++k) step[k] = excess(t, k, &a, &b);
  solve_excess(step, r, t, 1);
  for (int k = 0; k < r->grips; ++k) {
    t->slip[k] += step[k];
    if (!(t->slides[k] * t->slip[k] < 0)) continue;
    t->slip[k] = 0;
    t->slides[k] = 0;
    met = false;
  }
  stretch_all(t, r, now);
  for (int k = 0; k < r->grips; ++k) {
    const double off = t->slides[k] ? fabs(excess(t, k, &a, &b)) : 0;
    met &= off <= rope_round_off(r, t, k);
  }
  return met;
}

bool rope_solve(rope_tensions *t, const rope *r, rope_now *now) {
  memset(t->slip, 0, sizeof t->slip);
  memset(t->slides, 0, sizeof t->slides);
  for (int k = 0; k < r->grips; ++k) {
    const int station = r->grip[k];
    t->ratio[k] = exp(r->friction[station] * now->wrap[station]) * (1 + r->bending[station]);
  }
  stretch_all(t, r, now);
  bool changed = mark_sliding(t, r), met = !changed;
  for (int i = 0; i < MOST_SLIPS && !(met && !changed); ++i) {
    met = slide(t, r, now);
    changed = mark_sliding(t, r);
  }
  for (int k = 0; k < r->grips; ++k) {
    now->unstrained[k] -= t->slip[k];
    now->unstrained[k + 1] += t->slip[k];
  }
  return met && !changed;
}
