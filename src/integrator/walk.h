/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_WALK_H
#define TORSOR_INTEGRATOR_WALK_H

#include <torsor/integrator.h>

#include "base/tape.h"

/** All that moves in an integrator, to be written, or read into one of the same problem and
 * settings, which then goes on in the same way to the bit.  The problem's own state is the
 * caller's. */
void integrator_walk(torsor_integrator *integrator, tape *t);

#endif
