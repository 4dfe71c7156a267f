/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/axis_kit.h"
#include "elements/sensor_kit.h"

typedef struct joint_axis_sensor_data {
  torsor_joint joint;
  v3 axis_a, axis_b;
} joint_axis_sensor_data;

#define MEMBER(name) offsetof(joint_axis_sensor_data, name)

static const torsor_param params[] = {SENSOR_MARKERS(joint_axis_sensor_data,
                                                     "marker that it measures from",
                                                     TORSOR_NEEDS_ORIENTATION),
                                      {"axis_a", TORSOR_PARAM_DIRECTION, MEMBER(axis_a), NULL,
                                       "[0, 0, 1]", "direction in the frame of a", NULL, 0},
                                      {"axis_b", TORSOR_PARAM_DIRECTION, MEMBER(axis_b), NULL,
                                       "[0, 0, 1]", "direction in the frame of b", NULL, 0},
                                      {0}};

/* Below this sine of the angle rounding decides about the plane of the two directions. */
static const double ALIGNED = 1e-14;

/* c = cos(angle): g = -c'/sin(angle), and G = -(c'' + cos(angle) g g^T)/sin(angle). */
static void coordinate(const void *self, int index, const torsor_relative_in *in,
                       torsor_coordinate_out *out) {
  const joint_axis_sensor_data *data = self;
  const v3 seen = m3_tmulv(in->R, data->axis_a);
  const torsor_turned c = torsor_turned_cosine(seen, data->axis_b);
  const double sine = v3_norm(v3_cross(seen, data->axis_b));
  (void)index;
  out->value = atan2(sine, c.y);
  tw_store(out->J, tw_zero());
  if (!(sine > ALIGNED)) return;
  const v3 g = v3_scale(c.g, -1 / sine);
  tw_store(out->J, (twist){.ang = g});
  if (!out->second) return;
  torsor_relative_add(out->K, 3, 3, m3_scale(m3_axpy(c.y, m3_outer(g, g), c.G), -1 / sine));
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_axis_sensor_data *data = self;
  return sensor_prepare(&data->joint, setup, 1, coordinate, error);
}

static const torsor_coordinate coordinates[] = {{"angle", "rate", "rad", 0}, {0}};

const torsor_element_type joint_axis_sensor = {
    SENSOR_TABLE(joint_axis_sensor_data),
    .name = "axis_sensor",
    .title = "measures the angle between a direction of marker a and one of marker b; constrains "
             "nothing",
    .doc =
        "No rows.  Coordinate: angle (rad) from 0 to pi between axis_a of a and axis_b of b, "
        "whatever\n"
        "plane they are in, and its rate, which is taken as 0 where they are parallel: the angle "
        "has\n"
        "a kink there.  Forces may use them as those of any joint: \"lean.angle\".",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"mast\", \"type\": \"rigid_body\","
               " \"mass\": 1, \"inertia\": [0.1, 0.1, 0.2],"
               " \"orientation\": {\"rotation_vector\": [0.3, 0.2, 0]}}],"
               " \"joints\": [{\"name\": \"lean\", \"type\": \"axis_sensor\", \"a\": \"ground\","
               " \"b\": \"mast\", \"axis_b\": [1, 0, 0]}], \"forces\": [{\"name\": \"righting\","
               " \"type\": \"coordinate_force\", \"coordinate\": \"lean.angle\", \"effort\":"
               " \"-5*(lean.angle - pi/2) - 0.3*lean.rate\"}]}",
};
