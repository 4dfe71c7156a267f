/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_CHOOSE_H
#define TORSOR_ANALYSIS_CHOOSE_H

/** Choice of the steps of a simulation that names none. */

#include <torsor/analysis.h>

/** Returns the simulation with the largest step and the time between two rows, where it names no
 * step: everything but the accuracy, which trial runs find. */
torsor_simulation choose_shape(const torsor_simulation *simulation);

#endif
