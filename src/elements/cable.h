/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_CABLE_H
#define TORSOR_ELEMENTS_CABLE_H

/** The part of a cable between two of its points. */

#include <torsor/element.h>

typedef struct cable_element_data {
  int node[2];      /* in the model */
  double length;    /* unstrained, m */
  double mass;      /* kg */
  double stiffness; /* E A, N */
  double lag;       /* retardation time of Kelvin-Voigt damping, s */
  bool pushes;      /* takes compression as well */
  v3 gravity;       /* set by prepare */
} cable_element_data;

extern const torsor_element_type cable_element;

#endif
