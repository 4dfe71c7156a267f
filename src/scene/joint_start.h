/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_JOINT_START_H
#define TORSOR_SCENE_JOINT_START_H

#include "scene/reader.h"

/** Where marker b of a joint is at the start, as its coordinates say, and how it moves there; all
 *  in the axes of marker a. */
typedef struct joint_start {
  se3 frame;
  v3 velocity, spin;
  bool moves; /* a rate is given */
} joint_start;

/** Read the object "start" of a joint of the type called `type`, and what it needs of the others:
 *  {"angle": "30 deg", "rate": 2} of a revolute.  What is left out is 0. */
torsor_status joint_start_read(joint_start *out, const reader *r, const char *type,
                               const json_node *joint);

/** Is there such a key for joints of this type? */
bool joint_start_known(const char *type);

#endif
