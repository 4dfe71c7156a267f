/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_ROPE_H
#define TORSOR_ELEMENTS_ROPE_H

/** A rope over sheaves: its geometry at a motion, its tensions, and where it slips.
 *
 *  A path has stations; between two of them is a span.  Sheaves without friction only lead the
 * rope: the spans between two sheaves that grip, or the ends, are one segment, which has one
 * tension. The length of a segment counts half of the arcs on the sheaves that grip at its ends. */

#include <torsor/force.h>

#include "elements/relative_kit.h"
#include "elements/rope_span.h"

enum {
  ROPE_STATIONS = 16,
  ROPE_SPANS = ROPE_STATIONS - 1,
  ROPE_TERMS = 5 * ROPE_SPANS,
  ROPE_ROW = 6 * TORSOR_ELEMENT_NODES + 1, /* derivatives by the nodes' directions, and by time */
  /* Numbers that a station keeps: the angles with their turns, since the start, and what has
   * slipped, m.  All are 0 at the start. */
  ROPE_STATE_ARRIVES = 0,
  ROPE_STATE_LEAVES = 1,
  ROPE_STATE_SLIPPED = 2,
  ROPE_STATES = 3
};

/** A number of a span, and its factors in the length and in the unstrained length of a segment. */
typedef struct rope_term {
  int segment, span, number;
  double by_length, by_unstrained;
} rope_term;

typedef struct rope {
  double stiffness, damping_time; /* N, s */
  bool slack;                     /* it does not push */
  torsor_function pay_in;
  int stations, segments, terms, nodes;
  rope_wheel wheel[ROPE_STATIONS];
  torsor_joint span[ROPE_SPANS];  /* markers at both ends; z is the sheave's axis */
  double friction[ROPE_STATIONS]; /* coefficient */
  double bending[ROPE_STATIONS];  /* part of the tension */
  int grip[ROPE_STATIONS], grips; /* [grips] stations that grip; segment k + 1 is behind grip k */
  int segment_of[ROPE_SPANS];
  rope_term term[ROPE_TERMS];
  double arrives[ROPE_STATIONS], leaves[ROPE_STATIONS]; /* angles at the start, turns counted */
  double unstrained[ROPE_SPANS];                        /* of the segments at the start, m */
} rope;

/** A rope at one motion. */
typedef struct rope_now {
  relative_state frame[ROPE_SPANS];
  rope_span span[ROPE_SPANS];
  double arrives[ROPE_STATIONS], leaves[ROPE_STATIONS], wrap[ROPE_STATIONS];
  double length[ROPE_SPANS], unstrained[ROPE_SPANS]; /* of the segments, before slip and after it */
  double pay_rate;                                   /* of the first segment, m/s */
} rope_now;

/** Tensions and what follows of them, of segments, and the slip on sheaves that grip since the
 *  last accepted step, towards the end of the path. */
typedef struct rope_tensions {
  double strain[ROPE_SPANS], tension[ROPE_SPANS]; /* elastic */
  double pull[ROPE_SPANS];   /* - dE/dl, E the elastic energy, l the unstrained length, N */
  double slope[ROPE_SPANS];  /* dT/dL, N/m */
  double bend[ROPE_SPANS];   /* d(L slope/(1 + strain))/d(strain), N */
  double energy[ROPE_SPANS]; /* J */
  double slip[ROPE_SPANS];   /* m */
  int slides[ROPE_SPANS];    /* 1, -1: towards the end or the start of the path; 0: it sticks */
  double ratio[ROPE_SPANS];  /* of tensions up to which it sticks */
} rope_tensions;

/** Finds geometry and lengths; state NULL: those of the start.  False where a tangent point does
 *  not exist, a wrap is not positive or a fleet angle is too large. */
bool rope_find(rope_now *now, const rope *r, const torsor_element_in *in, const double *state,
               bool second);

/** Finds tensions and slip; false where no slip meets all limits. */
bool rope_solve(rope_tensions *t, const rope *r, rope_now *now);

/** Round-off of the tensions before and behind sheave k that is due to that of the lengths, N. */
double rope_round_off(const rope *r, const rope_tensions *t, int k);

/** Derivatives of slip, [grips][columns], from those of the segments' length x strain at constant
 *  slip, row [segments], and those of the wraps [grips]. */
void rope_slip_rates(double *slip, const rope *r, const rope_tensions *t, const double *row,
                     const double *wrap, int columns);

/** Fleet angles that are refused: sine of 45 degrees. */
#define ROPE_FLEET 0.70710678118654757

#endif
