/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/sensor_kit.h"

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  (void)self;
  (void)in;
  (void)out;
  return TORSOR_OK;
}

torsor_status sensor_prepare(torsor_joint *joint, torsor_setup *setup, int coordinates,
                             torsor_relative_coordinate coordinate, torsor_error *error) {
  joint->coordinates = coordinates;
  joint->coordinate = coordinate;
  return torsor_joint_prepare(joint, setup, 0, relative, false, error);
}

torsor_status sensor_eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  (void)self;
  (void)in;
  (void)out;
  return TORSOR_OK;
}
