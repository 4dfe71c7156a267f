/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_INTEGRATOR_AUTOMATIC_H
#define TORSOR_INTEGRATOR_AUTOMATIC_H

/** The method "auto": explicit steps of order 8 as long as nothing is stiff, and steps of Radau IIA
 *  where these are cheaper.  Both are one-step methods with the same error control, so that a
 * change between two steps needs no history.  The integrator's `method` and `own` are those of the
 * one that took the last step. */

#include "method.h"

/** Takes the method of the next step: that of the last one, or the other, which then finds its
 * starting values.  Without effect where the method is not "auto", as all functions here. */
torsor_status automatic_turn(torsor_integrator *it);

/** Judges by the step just accepted which method the next one should have. */
void automatic_follow(torsor_integrator *it);

/** No step of this method is small enough: may the other one try? */
bool automatic_escape(torsor_integrator *it);

/** The motion begins, with explicit steps unless, once the starting values are known, something is
 * found to be stiff; or it begins anew after forces have changed. */
void automatic_begin(torsor_integrator *it);
torsor_status automatic_choose_first(torsor_integrator *it);
void automatic_begin_again(torsor_integrator *it);

/** Walks over the data of both methods (base/tape.h). */
void automatic_walk(torsor_integrator *it, tape *t);

#endif
