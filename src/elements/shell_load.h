/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_SHELL_LOAD_H
#define TORSOR_ELEMENTS_SHELL_LOAD_H

/** The part of a load on a shell that acts on one of its facets. */

#include <torsor/force.h>

typedef struct shell_load_data {
  int node[4];
  double length;        /* m: longest side */
  double share[4];      /* unstrained area that belongs to each node, m^2 */
  double pressure;      /* along the normal, which follows the shell, Pa */
  v3 force;             /* per unstrained area, inertial axes, Pa */
  torsor_control scale; /* may be absent */
  int nodes;            /* set by prepare */
} shell_load_data;

extern const torsor_element_type shell_load;

#endif
