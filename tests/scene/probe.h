/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_PROBE_H
#define TORSOR_TESTS_PROBE_H

/** A force without an effect, for what the reader of scenes makes of its parameters; `prepare`
 * keeps them. */

#include <torsor/torsor.h>

static torsor_status probe_eval(const void *self, const torsor_element_in *in,
                                torsor_element_out *out) {
  (void)self;
  (void)in;
  (void)out;
  return TORSOR_OK;
}

/** Initialiser of its type "probe", whose parameters are put into a struct of type `values`. */
#define PROBE_TYPE(values, parameters, keep)                                                       \
  {                                                                                                \
    .abi = TORSOR_ELEMENT_ABI, .kind = TORSOR_FORCE, .name = "probe",                              \
    .title = "keeps what it is given", .doc = "", .example = "{}", .size = sizeof(values),         \
    .params = parameters, .prepare = keep, .eval = probe_eval                                      \
  }

#endif
