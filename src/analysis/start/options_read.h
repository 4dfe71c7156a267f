/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_OPTIONS_READ_H
#define TORSOR_ANALYSIS_OPTIONS_READ_H

/** Options of callers who may have been compiled with another version of the headers, completed;
 *  see base/options.h.  ARGUMENT where a size was not set, or is that of a later version. */

#include <torsor/analysis.h>

torsor_status simulation_complete(torsor_simulation *out, const torsor_simulation *given,
                                  torsor_error *error);
/** `given` may be NULL. */
torsor_status hooks_complete(torsor_hooks *out, const torsor_hooks *given, torsor_error *error);

/** The reverse of simulation_complete, for a caller whose struct has `size` bytes, of which its
 * settings have `settings_size`. */
void simulation_hand_out(torsor_simulation *out, size_t size, size_t settings_size,
                         const torsor_simulation *from);

#endif
