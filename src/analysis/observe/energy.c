/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/observe/energy.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* A gain of this fraction of the largest kinetic energy is more than an error of the motion. */
static const double LARGE_GAIN = 0.25;

/* Largest error of the sums of powers, relative to the exchanged energy: it matters for motions so
 * slow that their kinetic energy is negligible beside it. */
static const double SUM_ERROR = 1.0 / 256;

/* Largest gain of energy of a state at rest, relative to its terms, by rounding errors and the
 * iteration's tolerance. */
static const double NO_GAIN = 1e-6;

static void note_work(energy_record *e, torsor_summary *s, const work *w) {
  const work_sums sums = work_sum(w, s->energy_final);
  s->energy_supplied = sums.supplied;
  s->energy_dissipated = sums.dissipated;
  if (!(s->energy_max_balance >= fabs(sums.balance))) s->energy_max_balance = fabs(sums.balance);
  /* dissipation is not negative, however uncertain it is */
  e->gained = fmax(e->gained, sums.balance - fmin(sums.doubt, fmax(0, sums.dissipated)));
}

void energy_begin(energy_record *e, double mass, double moment, double length) {
  *e = (energy_record){.mass = mass, .moment = moment, .length = length};
}

/* Returns the kinetic energy of a model at rest whose positions and rotations change by rounding
 * errors in every step, which index 3 multiplies by 1/(1 - rho). */
static double still(const energy_record *e) {
  const double ROUNDOFF = 64 * DBL_EPSILON;
  if (!(e->step > 0)) return 0;
  const double turn = ROUNDOFF / e->step, speed = e->length * turn;
  return e->mass * speed * speed + e->moment * turn * turn;
}

void energy_note(energy_record *e, torsor_summary *s, const torsor_balance *sum, const work *w) {
  s->energy_final = sum->kinetic + sum->potential + sum->elastic;
  if (!s->counters.steps) s->energy_initial = s->energy_final;
  const double gained = s->energy_final - s->energy_initial;
  s->energy_max_drift = fmax(s->energy_max_drift, fabs(gained));
  e->step = s->counters.smallest_step;
  e->kinetic = fmax(e->kinetic, sum->kinetic);
  e->terms = fmax(e->terms, fabs(sum->kinetic) + fabs(sum->potential) + fabs(sum->elastic));
  e->changed = fmax(e->changed, fabs(gained));
  if (!s->energy_exchanged) e->gained = fmax(e->gained, gained);
  if (w->energies) note_work(e, s, w);
}

void energy_tell(const energy_record *e, void (*tell)(void *data, const char *message),
                 void *data) {
  char message[320];
  if (!(e->gained > LARGE_GAIN * e->kinetic) || !(e->gained > NO_GAIN * e->terms)) return;
  if (!(e->gained > still(e)) || !(e->gained > SUM_ERROR * e->changed)) return;
  snprintf(message, sizeof message,
           "the energy grew by %.3g J without a supply, where the largest kinetic energy is %.3g "
           "J: the result is no solution, take smaller steps",
           e->gained, e->kinetic);
  tell(data, message);
}
