/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/axis_kit.h"
#include "elements/branch_kit.h"

typedef struct joint_planar_data {
  torsor_joint joint;
  axis_pair pair;
} joint_planar_data;

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS(joint_planar_data, TORSOR_NEEDS_ORIENTATION),
    {"normal", TORSOR_PARAM_DIRECTION, offsetof(joint_planar_data, pair.axis), NULL, "[0, 0, 1]",
     "normal of the plane in the frame of marker a", NULL, 0},
    {"normal_b", TORSOR_PARAM_DIRECTION, offsetof(joint_planar_data, pair.axis_b), NULL,
     TORSOR_OPTIONAL,
     "the normal in the frame of marker b; default: where that of a is at the start", NULL, 0},
    {0}};

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const axis_pair *pair = &((const joint_planar_data *)self)->pair;
  torsor_block_along(out, 0, pair->axis, 0, in);
  axis_keep_parallel(out, 1, pair, in);
  return TORSOR_OK;
}

static void coordinate(const void *self, int index, const torsor_relative_in *in,
                       torsor_coordinate_out *out) {
  const axis_pair *pair = &((const joint_planar_data *)self)->pair;
  if (index < 2)
    torsor_coordinate_along(out, index ? pair->e2 : pair->e1, in);
  else
    torsor_coordinate_angle(out, pair->e1, pair->e2, pair->f1, in);
}

static const char *astray(const void *self, const torsor_element_in *in, m3 *turn) {
  const joint_planar_data *data = self;
  return branch_direction(&data->joint, in, data->pair.axis, data->pair.axis_b, turn);
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_planar_data *data = self;
  axis_find(&data->pair, &data->joint, "normal_b");
  data->joint.coordinates = 3;
  data->joint.coordinate = coordinate;
  return torsor_joint_prepare(&data->joint, setup, 3, relative, false, error);
}

static const torsor_coordinate coordinates[] = {
    {"x", "x_speed", "m", 0}, {"y", "y_speed", "m", 0}, {"angle", "rate", "rad", TWO_PI}, {0}};

const torsor_element_type joint_planar = {
    TORSOR_JOINT_TABLE(joint_planar_data),
    .name = "planar",
    .title = "sliding in a plane and turning about its normal are free",
    .doc =
        "phi = (n.p, e1.R n_b, e2.R n_b) [3]: height of marker b over the plane of a (m) and two\n"
        "cosines.  e1, e2 lie in the plane: the coordinate axis of a farthest from the normal, "
        "made\n"
        "perpendicular, and n x e1 (for the normal z they are x and y).\n"
        "Coordinates: x, y (m) of b along e1, e2 and their speeds; angle (rad) about the normal,\n"
        "counted over many turns, and rate.  lambda.0 is a force on a (N), lambda.1..2 moments.",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"puck\", \"type\": \"rigid_body\","
               " \"mass\": 1, \"inertia\": [0.02, 0.02, 0.03], \"position\": [0.2, 0.1, 0]}],"
               " \"joints\": [{\"name\": \"table\", \"type\": \"planar\", \"a\": \"ground\","
               " \"b\": \"puck\"}]}",
    .coordinates.list = coordinates,
    .limits.astray = astray,
    .look.symbol = TORSOR_SYMBOL_PLANE,
};
