/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_BEAM_LOAD_H
#define TORSOR_ELEMENTS_BEAM_LOAD_H

/** The part of a distributed load that acts on one element of a beam or cable. */

#include <torsor/force.h>

typedef struct beam_load_data {
  int node[2];            /* nodes of the element, indices in the model */
  double length;          /* unstrained length of the element, m */
  double start, end;      /* ends of the element, fractions of the beam's length */
  double from, to;        /* where it acts, parts of the element */
  v3 force, moment;       /* per length, N/m and N */
  bool follows;           /* in section axes, else inertial ones */
  torsor_profile profile; /* along the beam; may be absent */
  torsor_control scale;   /* may be absent */
  int nodes;              /* set by prepare */
} beam_load_data;

extern const torsor_element_type beam_load;

#endif
