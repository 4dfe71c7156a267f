/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_MARKER_AXES_H
#define TORSOR_ANALYSIS_MARKER_AXES_H

/** Forces and moments of joints and forces in the axes of their markers a and b. */

#include "assembly/assembly.h"
#include "assembly/model/model.h"

/** Is the output a force or a moment between two markers, in inertial axes? */
bool marker_axes_apply(const model_element *e, const torsor_output *output);

/** Turns the forces and moments among all outputs of the element from inertial axes into those of
 *  its marker `key`, "a" or "b", at the motion last set. */
void marker_axes_turn(double *values, const model_element *e, const char *key, const assembly *a);

#endif
