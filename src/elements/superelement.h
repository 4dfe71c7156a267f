/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_SUPERELEMENT_H
#define TORSOR_ELEMENTS_SUPERELEMENT_H

/** The reduced body between the interface frames of a superelement. */

#include <torsor/element.h>

enum { SUPER_NODES = TORSOR_ELEMENT_NODES, SUPER_SIZE = 6 * SUPER_NODES };

typedef struct superelement_data {
  int interfaces, carriers; /* frames, and points that hold three modal coordinates each */
  int node[SUPER_NODES];    /* in the model: the frames first */
  int size;                 /* order of the matrices: 6 interfaces + modes */
  se3 frame[SUPER_NODES];   /* undeformed frames of the interfaces in the body's axes */
  const double *K, *M, *C;  /* [size x size]; C may be NULL */
  double lag;               /* s: C + lag K damps */
  v3 gravity;               /* set by prepare, as is what follows */
  double mass;
  v3 moment;                   /* first moment about the body's origin, kg m */
  double share[SUPER_SIZE][3]; /* M times the translations */
} superelement_data;

extern const torsor_element_type superelement;

#endif
