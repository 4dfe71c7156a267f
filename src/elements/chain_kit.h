/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_CHAIN_KIT_H
#define TORSOR_ELEMENTS_CHAIN_KIT_H

/** Functions common to beams and cables: meshes along a length, positions on a curve. */

#include <torsor/element.h>

/** Entries common to the type tables of the elements between two nodes. */
#define CHAIN_PART                                                                                 \
  .abi = TORSOR_ELEMENT_ABI, .kind = TORSOR_BODY, .example = "", .params = chain_no_params,        \
  .tangents.has = TORSOR_HAS_M | TORSOR_HAS_C | TORSOR_HAS_K
extern const torsor_param chain_no_params[];

/** Fail at the parameter `key`. */
torsor_status chain_fail(torsor_error *error, const char *key, const char *hint,
                         const char *message);

/** fraction [elements + 1]: a regular mesh with the interior nodes nearest to the stations moved
 *  there. */
torsor_status chain_fractions(double *fraction, int elements, const torsor_numbers *stations,
                              torsor_error *error);

/** The parameter of a curve at this length from its start, to round-off. */
double chain_curve_parameter(const torsor_curve *curve, double length);

#endif
