/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_SENSOR_KIT_H
#define TORSOR_ELEMENTS_SENSOR_KIT_H

/** Shared by the sensors: joints without rows that only have coordinates. */

#include <torsor/joint.h>

/** Parameters of the two markers; `from` describes the first one. */
#define SENSOR_MARKERS(type, from, conditions)                                                     \
  {"a",  TORSOR_PARAM_MARKER, offsetof(type, joint.a), NULL, NULL, (from),                         \
   NULL, (conditions)},                                                                            \
  {                                                                                                \
    "b", TORSOR_PARAM_MARKER, offsetof(type, joint.b), NULL, NULL, "marker that is measured",      \
        NULL, (conditions)                                                                         \
  }

/** Entries common to the type tables of sensors; uses `params`, `prepare` and `coordinates` of the
 *  file. */
#define SENSOR_TABLE(type)                                                                         \
  .abi = TORSOR_ELEMENT_ABI, .kind = TORSOR_JOINT, .size = sizeof(type), .params = params,         \
  .prepare = prepare, .eval = sensor_eval, .coordinates.list = coordinates,                        \
  .coordinates.eval = torsor_joint_coordinate

torsor_status sensor_prepare(torsor_joint *joint, torsor_setup *setup, int coordinates,
                             torsor_relative_coordinate coordinate, torsor_error *error);

/** Does nothing: a sensor has no forces. */
torsor_status sensor_eval(const void *self, const torsor_element_in *in, torsor_element_out *out);

#endif
