/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/axis_kit.h"
#include "elements/branch_kit.h"

typedef struct joint_revolute_data {
  torsor_joint joint;
  axis_pair pair;
} joint_revolute_data;

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS(joint_revolute_data, TORSOR_NEEDS_ORIENTATION),
    AXIS_PARAMS(joint_revolute_data),
    {0}};

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  torsor_block_point(out, in);
  axis_keep_parallel(out, 3, &((const joint_revolute_data *)self)->pair, in);
  return TORSOR_OK;
}

static void coordinate(const void *self, int index, const torsor_relative_in *in,
                       torsor_coordinate_out *out) {
  (void)index;
  const axis_pair *pair = &((const joint_revolute_data *)self)->pair;
  torsor_coordinate_angle(out, pair->e1, pair->e2, pair->f1, in);
}

static const char *astray(const void *self, const torsor_element_in *in, m3 *turn) {
  const joint_revolute_data *data = self;
  return branch_direction(&data->joint, in, data->pair.axis, data->pair.axis_b, turn);
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_revolute_data *data = self;
  axis_find(&data->pair, &data->joint, "axis_b");
  data->joint.coordinates = 1;
  data->joint.coordinate = coordinate;
  return torsor_joint_prepare_point(&data->joint, setup, 5, relative, false, error);
}

static const torsor_coordinate coordinates[] = {{"angle", "rate", "rad", TWO_PI}, {0}};

const torsor_element_type joint_revolute = {
    TORSOR_JOINT_TABLE(joint_revolute_data),
    .name = "revolute",
    .title = "hinge: two points and one axis coincide, rotation about the axis is free",
    .doc =
        "phi = (p, e1.R n, e2.R n) [5]: position of marker b in a (m) and the cosines between the\n"
        "axis n on b and two directions e1, e2 across the axis on a.\n"
        "Coordinate: angle (rad) from e1 to its partner on b about the axis, counted over many\n"
        "turns, zero when the frames of the markers agree; rate (rad/s).\n"
        "lambda.0..2 is the force on a in the axes of a (N); lambda.3..4 are moments (N m).",
    .example =
        "{\"torsor\": 1, \"bodies\": [{\"name\": \"rod\", \"type\": \"rigid_body\", \"mass\": 1,"
        " \"inertia\": [0.02, 0.0833, 0.0833], \"position\": [0.5, 0, 0]}],"
        " \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"axis\": [0, 1, 0],"
        " \"a\": \"ground\", \"b\": {\"body\": \"rod\", \"position\": [-0.5, 0, 0]}}]}",
    .coordinates.list = coordinates,
    .limits.astray = astray,
    .look.symbol = TORSOR_SYMBOL_HINGE,
};
