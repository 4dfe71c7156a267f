/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_CHOOSE_H
#define TORSOR_ANALYSIS_CHOOSE_H

/** The steps of a simulation that names none. */

#include <torsor/analysis.h>

/** Largest step, and time between two rows, s. */
double choose_step(const torsor_simulation *simulation);

/** The simulation with these, where it names no step: all but the accuracy, which trial runs
 * find. */
torsor_simulation choose_shape(const torsor_simulation *simulation);

#endif
