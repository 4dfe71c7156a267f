/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_BODY_KIT_H
#define TORSOR_ELEMENTS_BODY_KIT_H

/** Weight and energy balance, common to all bodies with a mass. */

#include <torsor/element.h>

/** The parameter `placement` of bodies, and what it means. */
#define BODY_PLACEMENT(offset)                                                                     \
  {                                                                                                \
    "placement", TORSOR_PARAM_CHOICE, (offset), NULL, TORSOR_OPTIONAL,                             \
        "\"exact\": the initial frame must fit the joints; \"guess\": it is moved until it does; " \
        "default: the scene's",                                                                    \
        (const char *const[]){"exact", "guess", NULL}, 0                                           \
  }

static inline bool body_is_guess(int placement, const torsor_setup *setup) {
  return placement < 0 ? setup->guess : placement == 1;
}

/** r -= weight m g at the centre of mass c (node axes): wrench (m R^T g, c x m R^T g). */
static inline void body_add_weight(double *r, double *K, double mass, v3 c, v3 gravity,
                                   const torsor_motion *node) {
  const v3 weight = m3_tmulv(node->R, v3_scale(gravity, mass));
  if (r) {
    const v3 moment = v3_cross(c, weight);
    r[0] -= weight.x, r[1] -= weight.y, r[2] -= weight.z;
    r[3] -= moment.x, r[4] -= moment.y, r[5] -= moment.z;
  }
  if (!K) return;
  const m3 turn = m3_skew(weight); /* delta(R^T g) = skew(R^T g) theta */
  const m3 lever = m3_skew_mul(c, turn);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      K[6 * i + 3 + j] -= turn.m[i][j];
      K[6 * (3 + i) + 3 + j] -= lever.m[i][j];
    }
}

/** Kinetic energy V.P/2 and the momenta of the body momentum P = M V at the node; potential energy
 *  of the weight at `middle` (inertial axes). */
static inline void body_add_balance(torsor_balance *balance, twist P, double mass, v3 middle,
                                    v3 gravity, const torsor_motion *node) {
  const v3 momentum = m3_mulv(node->R, P.lin);
  balance->kinetic += tw_dot(node->V, P) / 2;
  balance->potential -= mass * v3_dot(gravity, middle);
  balance->momentum = v3_add(balance->momentum, momentum);
  balance->angular_momentum = v3_add(balance->angular_momentum,
                                     v3_add(m3_mulv(node->R, P.ang), v3_cross(node->x, momentum)));
}

#endif
