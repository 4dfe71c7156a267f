/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_PARTS_H
#define TORSOR_INTEGRATOR_PARTS_H

/** Loops over long vectors in parts, which the problem's threads share.  Where the cuts are depends on the length
 *  alone, and so do sums of the parts' sums. */

#include <torsor/integrator.h>

/** Parts of long vectors; even, and enough for some threads to have nearly equal ones. */
enum { PARTS = 16 };

/** Part i of a loop. */
typedef void part_work(void *data, int i);

/** In how many parts a loop over n components is done: PARTS, or 1 where sharing takes longer than it saves. */
int parts_of(int n);

/** Where part i of `parts` of n components begins: at full lanes (base/vec.h). */
int parts_begin(int n, int i, int parts);

/** All parts; returns when they are done. */
void parts_run(const torsor_problem *problem, int parts, part_work *work, void *data);

/** vec_largest of a vector that may be long. */
double parts_largest(const torsor_problem *problem, const double *x, int n);

#endif
