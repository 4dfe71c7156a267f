/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/axis_kit.h"
#include "elements/sensor_kit.h"
#include "elements/turn_kit.h"

typedef struct joint_angle_sensor_data {
  torsor_joint joint;
  v3 axis;
} joint_angle_sensor_data;

static const torsor_param params[] = {
    SENSOR_MARKERS(joint_angle_sensor_data, "marker that it measures from",
                   TORSOR_NEEDS_ORIENTATION),
    {"axis", TORSOR_PARAM_DIRECTION, offsetof(joint_angle_sensor_data, axis), NULL, "[0, 0, 1]",
     "axis of the angle in the frame of a, and in that of b", NULL, 0},
    {0}};

static void coordinate(const void *self, int index, const torsor_relative_in *in,
                       torsor_coordinate_out *out) {
  (void)index;
  turn_spin(out, ((const joint_angle_sensor_data *)self)->axis, &in->R);
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_angle_sensor_data *data = self;
  return sensor_prepare(&data->joint, setup, 1, coordinate, error);
}

static const torsor_coordinate coordinates[] = {{"angle", "rate", "rad", TWO_PI}, {0}};

const torsor_element_type joint_angle_sensor = {
    SENSOR_TABLE(joint_angle_sensor_data),
    .name = "angle_sensor",
    .title =
        "measures how far marker b is turned against marker a about an axis; constrains nothing",
    .doc =
        "No rows.  Coordinate: angle (rad) about the axis n, counted over many turns: with the\n"
        "quaternion (w, v) from b to a, 2 atan2(n.v, w), the part of the rotation that is left "
        "when\n"
        "the shortest one that takes n where it goes is taken out (swing and twist).  It is the\n"
        "angle of rotation when b turns about n alone, and not defined where n is turned round.\n"
        "rate is its derivative.  Forces may use them as those of any joint: \"tilt.angle\".",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"plate\", \"type\": \"rigid_body\","
               " \"mass\": 1, \"inertia\": [0.1, 0.1, 0.2]}],"
               " \"joints\": [{\"name\": \"tilt\", \"type\": \"angle_sensor\", \"a\": \"ground\","
               " \"b\": \"plate\", \"axis\": [1, 0, 0]}], \"forces\": ["
               "{\"name\": \"hold\", \"type\": \"force\", \"at\": \"plate\", \"moment\": [1, 0, 0],"
               " \"scale\": \"-3*tilt.angle - 0.2*tilt.rate\"}]}",
};
