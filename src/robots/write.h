/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ROBOTS_WRITE_H
#define TORSOR_ROBOTS_WRITE_H

/** Parts of the scene of a robot. */

#include "robots/robot.h"

/** The number with the fewest digits that read back to it. */
void write_number(text *t, double value);
/** `, "key": 1.5` */
void write_value(text *t, const char *key, double value);
void write_numbers(text *t, const char *key, const double *value, int count);
/** The marker in quotes by which a link is known. */
void write_reference(text *t, const robot_link *l);
/** `, "position": .., "orientation": ..`, what there is of them. */
void write_pose(text *t, const robot_pose *pose);

void write_inputs(text *t, const robot *r);
void write_joints(text *t, const robot *r);
void write_forces(text *t, const robot *r);

#endif
