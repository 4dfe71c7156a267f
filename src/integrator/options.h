/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_OPTIONS_H
#define TORSOR_INTEGRATOR_OPTIONS_H

#include <torsor/integrator.h>

/** Settings of a caller who may have been compiled with another version of the header, completed;
 *  see base/options.h. */
torsor_status settings_complete(torsor_settings *out, const torsor_settings *given,
                                torsor_error *error);

#endif
