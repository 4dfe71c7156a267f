/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_CONFORMANCE_H
#define TORSOR_TESTS_CONFORMANCE_H

/** Properties that every element type must have, measured on its own example. All numbers are
 * relative to the size of the compared quantity. */

#include <torsor/scene.h>

typedef struct conformance {
  double gradient;      /* B against differences of phi */
  double rate;          /* phi_v against the difference of phi along the motion */
  double hidden;        /* B A + phi_a against the difference of phi_v along the motion */
  double M, C, K, Z, L; /* tangents against central differences */
  double reaction;      /* residual of the constraints against B^T lambda */
  double balance;       /* resultant force and moment of a joint or force on two bodies */
  double momentum;      /* of a body, less the rate of its momenta */
  double invariance;    /* r, phi, B under a rigid motion of everything, no gravity */
  double power;         /* V . r against the rate of the energies; of forces: r at V = 0 */
  double loss;          /* of forces: their loss against V . r less the rate of the energies */
  double gain;          /* power that the velocity-dependent part of such a force makes, W */
  double coordinate;    /* rates of the joint coordinates against differences of their values */
  double stress;        /* foreseen stresses against differences; r with them in place of its own */
  double stress_K;      /* what K has of them against differences of r at constant ones */
  double pair;          /* numbers of eval_pair that have other bits than those of eval */
  double mass;          /* asymmetry of M; infinity when not positive semidefinite */
  int elements;         /* of the type in its example */
} conformance;

/** Bound for quantities that are compared with central differences of step eps^(1/3): round-off
 *  eps^(2/3) = 3.7e-11 and a truncation of the same order times the third derivative of functions
 * of order 1, with a factor 100 for sums of products. */
#define CONFORMANCE_DIFFERENCE 4e-9
/** Bound for identities in floating point: 1000 round-offs for sums of some hundred products. */
#define CONFORMANCE_ROUND_OFF 2.3e-13

/** Measure `type` of `registry`; false with the message in `error` when its example does not
 * build. */
bool conformance_measure(conformance *out, const torsor_element_type *type,
                         const torsor_registry *registry, torsor_error *error);

/** The same in another scene, with elements of the type or of a composite one that has it as a
 * part. */
bool conformance_measure_in(conformance *out, const torsor_element_type *type, const char *scene,
                            const torsor_registry *registry, torsor_error *error);

/** Print the measurements and return whether all hold. */
bool conformance_holds(const conformance *c, const char *name);

#endif
