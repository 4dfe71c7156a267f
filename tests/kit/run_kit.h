/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_RUN_KIT_H
#define TORSOR_TESTS_RUN_KIT_H

/** Tools that tests of runs as objects share: scenes with their settings and signals, and
 * comparisons of all numbers of a run. */

#include "support.h"

/** Steps that are compared. */
enum { STEPS = 15 };

typedef struct run_subject {
  support_world world;
  torsor_simulation simulation;
  torsor_signals *signals;
  int columns;
} run_subject;

/** A shipped scene; false where it has no motion, or no step of its own: trial runs of whole
 * durations are no subject here. */
bool kit_open(run_subject *s, const char *name);
void kit_close(run_subject *s);
torsor_run *kit_create(const run_subject *s);
/** Every shipped scene that kit_open takes. */
void kit_all_scenes(void (*visit)(const char *name, run_subject *s, void *data), void *data);

/** Equal to the bit, or not a number in both. */
bool kit_same_bits(const double *a, const double *b, int count);
/** Zeroes, from malloc. */
double *kit_numbers(int count);

/** All that moves, from malloc. */
void *kit_save(torsor_run *run, size_t *size);
/** Signals, q, v, v' and lambda, one after the other: how many, and out [that many]. */
int kit_state_length(torsor_run *run, const run_subject *s);
void kit_look_at(double *out, torsor_run *run, const run_subject *s);
/** Go on by so many steps less one, not beyond the end, with a look before each and after the last:
 * out [steps x length]. */
void kit_go_on(double *out, torsor_run *run, const run_subject *s, int steps);

#endif
