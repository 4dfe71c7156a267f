/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_ROPE_PREPARE_H
#define TORSOR_ELEMENTS_ROPE_PREPARE_H

#include "elements/rope.h"

/** Makes the rope's path: its nodes, spans and segments, and its angles at the start.  `length` is
 *  the unstrained length at the start, or NaN: the tension is the same all along then. */
torsor_status rope_prepare(rope *r, const torsor_path *path, double length, double tension,
                           torsor_setup *setup, torsor_error *error);

#endif
