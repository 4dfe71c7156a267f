/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_VARIANT_H
#define TORSOR_TESTS_VARIANT_H

/** Conformance of a built-in type on another example than its own. */

#include "conformance.h"

/** The type `name` on `example`, in which it is called "other". */
conformance variant_measure(const char *name, const char *example);

/** On its own example with the first `from` replaced by `to`. */
conformance variant_replaced(const char *name, const char *from, const char *to);

/** Report and check C and K of a variant. */
void variant_check_tangents(const conformance *c, const char *title);

#endif
