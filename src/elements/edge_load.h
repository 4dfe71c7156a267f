/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_EDGE_LOAD_H
#define TORSOR_ELEMENTS_EDGE_LOAD_H

/** The part of a load along an edge of a shell that acts between two of its nodes. */

#include <torsor/force.h>

typedef struct edge_load_data {
  int node[2];
  double length;          /* unstrained, m */
  double start, end;      /* fractions of the edge's length */
  v3 force, moment;       /* per length, N/m and N */
  bool follows;           /* in the axes of the nodes, else inertial ones */
  torsor_profile profile; /* along the edge; may be absent */
  torsor_control scale;   /* may be absent */
  int nodes;              /* set by prepare */
} edge_load_data;

extern const torsor_element_type edge_load;

#endif
