/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/axis_kit.h"
#include "elements/branch_kit.h"

typedef struct joint_cylindrical_data {
  torsor_joint joint;
  axis_pair pair;
} joint_cylindrical_data;

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS(joint_cylindrical_data, TORSOR_NEEDS_ORIENTATION),
    AXIS_PARAMS(joint_cylindrical_data),
    {0}};

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const axis_pair *pair = &((const joint_cylindrical_data *)self)->pair;
  axis_keep_point(out, 0, pair, in);
  axis_keep_parallel(out, 2, pair, in);
  return TORSOR_OK;
}

static void coordinate(const void *self, int index, const torsor_relative_in *in,
                       torsor_coordinate_out *out) {
  const axis_pair *pair = &((const joint_cylindrical_data *)self)->pair;
  if (index == 0)
    torsor_coordinate_along(out, pair->axis, in);
  else
    torsor_coordinate_angle(out, pair->e1, pair->e2, pair->f1, in);
}

static const char *astray(const void *self, const torsor_element_in *in, m3 *turn) {
  const joint_cylindrical_data *data = self;
  return branch_direction(&data->joint, in, data->pair.axis, data->pair.axis_b, turn);
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_cylindrical_data *data = self;
  axis_find(&data->pair, &data->joint, "axis_b");
  data->joint.coordinates = 2;
  data->joint.coordinate = coordinate;
  return torsor_joint_prepare(&data->joint, setup, 4, relative, false, error);
}

static const torsor_coordinate coordinates[] = {
    {"travel", "speed", "m", 0}, {"angle", "rate", "rad", TWO_PI}, {0}};

const torsor_element_type joint_cylindrical = {
    TORSOR_JOINT_TABLE(joint_cylindrical_data),
    .name = "cylindrical",
    .title = "piston: sliding along and turning about one axis are free",
    .doc =
        "phi = (e1.p, e2.p, e1.R n, e2.R n) [4]: position of marker b across the axis (m) and the\n"
        "cosines between the axis n on b and two directions e1, e2 across it on a.\n"
        "Coordinates: travel (m) along the axis and speed (m/s); angle (rad) about it, counted "
        "over\n"
        "many turns, zero when the frames of the markers agree, and rate (rad/s).\n"
        "lambda.0..1 are forces on a (N), lambda.2..3 moments (N m).",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"piston\", \"type\": \"rigid_body\","
               " \"mass\": 1, \"inertia\": [0.02, 0.02, 0.01], \"position\": [0, 0, 0.3]}],"
               " \"joints\": [{\"name\": \"bore\", \"type\": \"cylindrical\", \"a\": \"ground\","
               " \"b\": \"piston\"}]}",
    .coordinates.list = coordinates,
    .limits.astray = astray,
    .look.symbol = TORSOR_SYMBOL_CYLINDER,
};
