/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_PROBLEMS_CUBIC_H
#define TORSOR_PROBLEMS_CUBIC_H

/** S4 example 2: q = t^3 forced by the constraint, M = 1, no force; lambda = -6 t. */

#include <torsor/integrator.h>

torsor_dense cubic_dense(void);

#endif
