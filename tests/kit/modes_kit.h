/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_MODES_KIT_H
#define TORSOR_TESTS_MODES_KIT_H

/** Modes of scenes found by tests. */

#include <torsor/torsor.h>

/** Modes of the scene `text` (JSON) with the settings given; fails the test when they are not
 * found. */
torsor_modes *modes_of(const char *text, const char *const *set,
                       const torsor_modes_settings *settings);

/** The same of a shipped scene. */
torsor_modes *modes_of_scene(const char *name, const char *const *set,
                             const torsor_modes_settings *settings);

/** Status and error of a scene that is refused. */
torsor_status modes_refused(const char *text, const torsor_modes_settings *settings,
                            torsor_error *error);

/** |mu| of mode i, rad/s. */
double modes_omega(const torsor_modes *modes, int i);

/** Limits of |mu| of modes [count] for ever smaller elements, from meshes of 2, 4 and 8 times
 * `elements`
 *  ("parameters.n"): the error h^2 is removed, `error` [count] is what that removes of h^4 and
 * more. */
void modes_limits(double *limit, double *error, double *order, const char *text, const int *mode,
                  int count, int elements);
/** The same about another state. */
void modes_limits_about(double *limit, double *error, double *order, const char *text,
                        torsor_about about, const int *mode, int count, int elements);

#endif
