/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_COUPLING_KIT_H
#define TORSOR_ELEMENTS_COUPLING_KIT_H

/** Functions common to joints with one row over two joint coordinates. */

#include <torsor/joint.h>

enum { COUPLING_SIDES = 2 };

/** First member of every instance. */
typedef struct coupling {
  torsor_coordinate_ref on[COUPLING_SIDES];
  torsor_joint link[COUPLING_SIDES]; /* markers of the joints that have the coordinates */
} coupling;

#define COUPLING_PARAMS(type)                                                                      \
  {"first",                                                                                        \
   TORSOR_PARAM_COORDINATE,                                                                        \
   offsetof(type, coupling.on[0]),                                                                 \
   NULL,                                                                                           \
   NULL,                                                                                           \
   "joint coordinate, e.g. \"wheel.angle\"",                                                       \
   NULL,                                                                                           \
   0},                                                                                             \
  {                                                                                                \
    "second", TORSOR_PARAM_COORDINATE, offsetof(type, coupling.on[1]), NULL, NULL,                 \
        "joint coordinate, e.g. \"pinion.angle\" or \"rack.travel\"", NULL, 0                      \
  }

/** Entries common to the type tables of all couplings. */
#define COUPLING_TABLE(type)                                                                       \
  .abi = TORSOR_ELEMENT_ABI, .kind = TORSOR_JOINT, .size = sizeof(type), .params = params,         \
  .tangents.has = TORSOR_HAS_K, .prepare = prepare, .eval = eval,                                  \
  .outputs.list = coupling_outputs, .outputs.eval = coupling_output

/** One row.  Fails when both coordinates are the same. */
torsor_status coupling_prepare(coupling *c, torsor_setup *setup, torsor_error *error);

/** Add the row factor[0] c1 + factor[1] c2 to the wanted outputs; rates of both coordinates. */
void coupling_add(const coupling *c, const double factor[COUPLING_SIDES],
                  const torsor_element_in *in, torsor_element_out *out,
                  double rate[COUPLING_SIDES]);

/** Signal: effort along the first coordinate. */
extern const torsor_output coupling_outputs[];
void coupling_output(const void *self, const torsor_element_in *in, double *values);

#endif
