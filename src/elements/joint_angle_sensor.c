/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/axis_kit.h"

typedef struct joint_angle_sensor_data {
  torsor_joint joint;
  v3 axis;
} joint_angle_sensor_data;

static const torsor_param params[] = {
    {"a", TORSOR_PARAM_MARKER, offsetof(joint_angle_sensor_data, joint.a), NULL, NULL,
     "marker that it measures from", NULL, TORSOR_NEEDS_ORIENTATION},
    {"b", TORSOR_PARAM_MARKER, offsetof(joint_angle_sensor_data, joint.b), NULL, NULL,
     "marker that is measured", NULL, TORSOR_NEEDS_ORIENTATION},
    {"axis", TORSOR_PARAM_DIRECTION, offsetof(joint_angle_sensor_data, axis), NULL, "[0, 0, 1]",
     "axis of the angle in the frame of a, and in that of b", NULL, 0},
    {0}};

/* With the quaternion (w, v) of R and s = n.v: value 2 atan2(s, w); a turn theta of b changes w by
 * -v.theta/2 and v by (w theta + v x theta)/2, and so the gradients of both, -v/2 and
 * (w n + n x v)/2. */
static void coordinate(const void *self, int index, const torsor_relative_in *in,
                       torsor_coordinate_out *out) {
  const v3 n = ((const joint_angle_sensor_data *)self)->axis;
  (void)index;
  const so3 q = so3_from_matrix(in->R);
  const v3 v = {q.x, q.y, q.z};
  const m3 turned = m3_axpy(q.w, m3_identity(), m3_skew(v)); /* D v = turned theta/2 */
  const m3 by_n = m3_sub(m3_mul(m3_skew(n), turned), m3_outer(n, v));
  const torsor_turned w = {q.w, v3_scale(v, -0.5), m3_scale(turned, -0.25)};
  const torsor_turned s = {v3_dot(n, v), v3_scale(v3_axpy(q.w, n, v3_cross(n, v)), 0.5),
                           m3_scale(by_n, 0.25)};
  torsor_coordinate_turn(out, &s, &w, 2);
}

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  (void)self;
  (void)in;
  (void)out;
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_angle_sensor_data *data = self;
  data->joint.coordinates = 1;
  data->joint.coordinate = coordinate;
  return torsor_joint_prepare(&data->joint, setup, 0, relative, false, error);
}

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  (void)self;
  (void)in;
  (void)out;
  return TORSOR_OK;
}

static const torsor_coordinate coordinates[] = {{"angle", "rate", "rad", TWO_PI}, {0}};

const torsor_element_type joint_angle_sensor = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_JOINT,
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
    .size = sizeof(joint_angle_sensor_data),
    .params = params,
    .prepare = prepare,
    .eval = eval,
    .coordinates = coordinates,
    .coordinate = torsor_joint_coordinate,
};
