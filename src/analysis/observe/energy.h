/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_ENERGY_H
#define TORSOR_ANALYSIS_ENERGY_H

/** Record of the energy over the output times, which decides whether a gain of energy is still an
 * error of the motion. */

#include "analysis/observe/work.h"

/** Largest values over the output times, J. */
typedef struct energy_record {
  double kinetic;
  double terms;   /* magnitudes of kinetic, potential and elastic energy, summed */
  double changed; /* difference from the first one */
  double gained;  /* gain that nothing has supplied, beyond the error bound of the sums of powers */
  double mass, moment, length,
      step; /* scales of the model, and the smallest step: of rounding errors at rest */
} energy_record;

/** Begins a record.  `mass` and `moment` are the largest mass and moment of inertia, `length` is
 * the largest position or lever arm. */
void energy_begin(energy_record *e, double mass, double moment, double length);

/** Records the energy of an output time, also in the summary. */
void energy_note(energy_record *e, torsor_summary *s, const torsor_balance *sum, const work *w);

/** Warns, after a run, of an energy that has grown by a quarter of the largest kinetic energy or
 * more although nothing supplied it.  Errors of a motion are small compared with that; the methods
 * dissipate the energy of what they do not resolve, but generate none. */
void energy_tell(const energy_record *e, void (*tell)(void *data, const char *message), void *data);

#endif
