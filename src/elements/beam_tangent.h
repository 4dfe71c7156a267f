/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_BEAM_TANGENT_H
#define TORSOR_ELEMENTS_BEAM_TANGENT_H

/** Tangents of one beam element, from its lane of what the residual is made of. */

#include "elements/beam_lanes.h"

/** See relatives. */
typedef struct beam_relative {
  twist d, rate, dV;
} beam_relative;

/** See sections. */
typedef struct beam_section_motion {
  twist V, P, f;
  v3 gravity;
} beam_section_motion;

static inline beam_relative beam_relative_lane(const relatives *s, int lane) {
  return (beam_relative){tws_lane(s->d, lane), tws_lane(s->rate, lane), tws_lane(s->dV, lane)};
}

static inline beam_section_motion beam_section_lane(const sections *at, int lane) {
  return (beam_section_motion){tws_lane(at->V, lane), tws_lane(at->P, lane), tws_lane(at->f, lane),
                               v3s_lane(at->gravity, lane)};
}

/** T^-1(d) and T^-1(-d). */
typedef struct beam_inverses {
  lie_map forward_map, back_map;
  m6 forward, back;
} beam_inverses;

static inline beam_inverses beam_find_inverses(const beam_relative *s) {
  const lie_map forward = lie_map_taninv(v3_norm2(s->d.ang)), back = lie_map_transpose(forward);
  return (beam_inverses){forward, back, se3_map(s->d, forward), se3_map(s->d, back)};
}

/** S/s, see beam_lanes.c, with the third derivatives. */
static inline lie_map beam_section_map(const beam_relative *r, const beam_inverses *t, double s) {
  const double x = v3_norm2(r->d.ang);
  return lie_map_product(lie_map_scale(lie_map_tan(s * s * x), s), t->forward_map, x);
}

/** The constitutive response of an element to its deformation d: the stress in r = P^T stress, and
 * its derivatives by d and, where the element has damping, by d'. */
typedef struct beam_response {
  twist stress;
  m6 elastic, viscous;
  bool diagonal, damped; /* elastic is diagonal; there is damping */
} beam_response;

/** Adds the stiffness K [12 x 12] at rest; `at` is NULL where no distributed weight acts. */
void beam_add_rest_stiffness(double *K, const beam_element_data *e, const beam_relative *s,
                             const beam_response *response, const beam_section_motion *at);

/** The wanted ones of M, C and K. */
void beam_add_tangents(torsor_element_out *out, const beam_element_data *e, const beam_relative *s,
                       const beam_response *response, const beam_section_motion at[BEAM_POINTS],
                       const torsor_element_in *in);

#endif
