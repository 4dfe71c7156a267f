/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_PENALTY_KIT_H
#define TORSOR_ELEMENTS_PENALTY_KIT_H

/** Elastic resistance with dissipation, k d^n (1 + b d') at a depth d > 0, and never a pull.
 *  Source: Hunt and Crossley 1975. */

#include <math.h>

#include <torsor/element.h>

typedef struct penalty {
  double stiffness, exponent, dissipation;
} penalty;

#define PENALTY_PARAM(type, path, key, unit, fallback, doc, condition)                             \
  { key, TORSOR_PARAM_NUMBER, offsetof(type, path), unit, fallback, doc, NULL, condition }

#define PENALTY_PARAMS(type, member)                                                               \
  PENALTY_PARAM(type, member.stiffness, "stiffness", "N/m^n or N m/rad^n", NULL,                   \
                "k in k d^n; n = `exponent`", TORSOR_POSITIVE),                                    \
      PENALTY_PARAM(type, member.exponent, "exponent", NULL, "1.5",                                \
                    "n in k d^n, at least 1; 1 has a kink where the contact begins",               \
                    TORSOR_POSITIVE),                                                              \
      PENALTY_PARAM(type, member.dissipation, "dissipation", "s/m or s/rad", "0", "b in 1 + b d'", \
                    TORSOR_NONNEGATIVE)

static inline torsor_status penalty_check(const penalty *p, const char *name, torsor_error *error) {
  if (p->exponent >= 1) return TORSOR_OK;
  torsor_fail(error, TORSOR_SCENE,
              "\"%s\" has the exponent %g, which is infinitely stiff at first contact", name,
              p->exponent);
  torsor_hint(error, "make \"exponent\" 1 or greater");
  return TORSOR_SCENE;
}

/** Force at depth d and rate d', and its derivatives (may be NULL). */
static inline double penalty_force(const penalty *p, double d, double rate, double *by_depth,
                                   double *by_rate) {
  const double loading = 1 + p->dissipation * rate;
  const bool touches = d > 0 && loading > 0;
  const double elastic = touches ? p->stiffness * pow(d, p->exponent) : 0;
  if (by_depth) *by_depth = touches ? p->exponent * elastic / d * loading : 0;
  if (by_rate) *by_rate = elastic * p->dissipation;
  return elastic * loading;
}

/** Returns why the contact law is not purely elastic, as the end of a sentence; NULL when it is. */
static inline const char *penalty_obstacle(const penalty *p) {
  return p->dissipation > 0 ? "has dissipation" : NULL;
}

/** Elastic energy at depth d. */
static inline double penalty_energy(const penalty *p, double d) {
  return d > 0 ? p->stiffness * pow(d, p->exponent + 1) / (p->exponent + 1) : 0;
}

#endif
