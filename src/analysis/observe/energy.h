/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_ENERGY_H
#define TORSOR_ANALYSIS_ENERGY_H

/** The energy over the output times, and whether what it gains is still a motion's error. */

#include "analysis/observe/work.h"

/** Largest of the output times, J. */
typedef struct energy_record {
  double kinetic;
  double terms;   /* the magnitudes of kinetic, potential and elastic energy */
  double changed; /* from the first one */
  double gained;  /* what nothing has supplied, beyond what sums of powers may be off by */
  double mass, moment, length,
      step; /* scales of the model, and the smallest step: of rounding errors at rest */
} energy_record;

/** Nothing noted yet.  `mass`, `moment` = the largest mass and moment of inertia, `length` = that
 * of positions and lever arms. */
void energy_begin(energy_record *e, double mass, double moment, double length);

/** Note the energy of an output time, also in the summary. */
void energy_note(energy_record *e, torsor_summary *s, const torsor_balance *sum, const work *w);

/** Once the run has ended: tell of an energy that has grown by a quarter of the largest kinetic
 * energy and more, though nothing supplied it.  Errors of a motion are small against that; the
 * methods take energy from what they do not follow, but give none. */
void energy_tell(const energy_record *e, void (*tell)(void *data, const char *message), void *data);

#endif
