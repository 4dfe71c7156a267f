/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_METHOD_CHECK_H
#define TORSOR_ANALYSIS_METHOD_CHECK_H

#include <torsor/analysis.h>

/** Checks of settings before anything is computed.  They fail with ARGUMENT or SCENE, with the key
 * of the scene in error->path. */

/** Checks times and numbers of steps. */
torsor_status method_check_times(const torsor_simulation *s, torsor_error *error);

/** Refuses a method whose multipliers would not settle. */
torsor_status method_check_multipliers(const torsor_model *model, const torsor_simulation *s,
                                       torsor_error *error);

/** Creates the integrator, where the method accepts the problem and the settings. */
torsor_status method_open(torsor_integrator **out, const torsor_problem *problem,
                          const torsor_settings *settings, torsor_error *error);

#endif
