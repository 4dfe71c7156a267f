/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_WALK_H
#define TORSOR_INTEGRATOR_WALK_H

#include <torsor/integrator.h>

#include "base/tape.h"

/** Fails where the method does not accept the problem as it has become, with rows that depend on
 * each other. */
torsor_status integrator_check(const torsor_integrator *integrator, torsor_error *error);

/** Walks over everything in an integrator that changes during a run (base/tape.h): to write it, or
 * to read it into one of the same problem and settings, which then goes on in the same way to the
 * bit.  The problem's own state is left to the caller. */
void integrator_walk(torsor_integrator *integrator, tape *t);

#endif
