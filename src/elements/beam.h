/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_BEAM_H
#define TORSOR_ELEMENTS_BEAM_H

/** The parts of a beam: nodes without mass and the two-node elements between them. */

#include <torsor/joint.h>

#include "elements/chain_kit.h"
#include "elements/section_stress.h"

/** Gauss points of an element's inertia. */
enum { BEAM_POINTS = 2 };

/** The Gauss points of a beam as fractions of the element, with their common weight: integrands of
 * degree 3 are integrated exactly. */
static const double beam_point[BEAM_POINTS] = {0.21132486540518713, 0.78867513459481287};
#define BEAM_WEIGHT 0.5

/** A node of a beam (a frame) or of a cable (a point); the elements have all mass. */
typedef struct beam_node_data {
  torsor_node_init init;
} beam_node_data;

/** Section data that all elements of a uniform beam share. */
typedef struct beam_section {
  m6 K;              /* stiffness of the section, mean over an element; 0 for constrained strains */
  m6 M[BEAM_POINTS]; /* inertia of the section per length */
  v3 gravity;        /* inertial axes, m/s^2 */
  double lag;    /* retardation time of Kelvin-Voigt damping, s: stress K (strain + lag strain') */
  bool diagonal; /* K and M are */
  bool lumped;   /* the inertia of point g stands at end g */
  const char *obstacle;      /* see torsor_element_type */
  torsor_outline outline[2]; /* at both ends */
  section_recovery recovery; /* data for stress recovery */
} beam_section;

struct beam_flexibility;

/** Geometrically exact element between two frames. */
typedef struct beam_element_data {
  int node[2];                                /* in the model */
  double length;                              /* unstrained arc length, m */
  twist reference;                            /* log of the second frame in the first, unstrained */
  const beam_section *section;                /* of the model's memory */
  const struct beam_flexibility *flexibility; /* elements of order 4, else NULL */
} beam_element_data;

/** A beam element some of whose strains are constrained. */
typedef struct beam_held_data {
  beam_element_data beam;
  torsor_joint joint; /* between the frames */
  int rows, row[6];   /* which strains */
} beam_held_data;

extern const torsor_element_type beam_node, cable_node, beam_element, beam_held;

/** Members of torsor_element_type common to both kinds of beam elements. */
void beam_balance(const void *self, const torsor_element_in *in, torsor_balance *sum);
void beam_foresee(const void *self, const torsor_element_in *in, double *values);
double beam_loss(const void *self, const torsor_element_in *in);
const char *beam_obstacle(const void *self);
void beam_draw(const void *self, const torsor_drawing *to);
extern const torsor_output beam_outputs[];

/** The first 12 numbers of the outputs, which belong to the middle of an element, and the others,
 *  which are the wrenches r on its ends. */
void beam_middle_output(const beam_element_data *e, const torsor_element_in *in, double *values);
void beam_store_ends(double *values, const double r[12]);

/** Stresses at points of the section, from the section's forces, which are the first of the
 *  outputs. */
extern const char *const beam_stresses[];
const char *beam_point_name(const void *self, int point);
void beam_point_stress(const void *self, int point, const double force[6], double *values);
#define BEAM_STRESSES(of)                                                                          \
  {                                                                                                \
    .name = "stress", .unit = "Pa",                                                                \
    .doc = "normal stress, shear stresses and that of von Mises at a point, section axes",         \
    .component = beam_stresses, .place = beam_point_name, .output = of                             \
  }

#define BEAM_PART                                                                                  \
  CHAIN_PART, .energy.balance = beam_balance, .chain.stresses = 6, .chain.stress = beam_foresee,   \
              .energy.loss = beam_loss, .energy.obstacle = beam_obstacle,                          \
              .outputs.list = beam_outputs, .look.draw = beam_draw

/** Largest rotation (rad) between the nodes of an element: the logarithm jumps at pi, and no
 *  sensible step skips the gap of 0.68 rad. */
#define BEAM_LARGEST_ROTATION 2.8

#endif
