/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/axis_kit.h"
#include "elements/branch_kit.h"

typedef struct joint_prismatic_data {
  torsor_joint joint;
  axis_pair pair;
} joint_prismatic_data;

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS(joint_prismatic_data, TORSOR_NEEDS_ORIENTATION),
    {"axis", TORSOR_PARAM_DIRECTION, offsetof(joint_prismatic_data, pair.axis), NULL, "[0, 0, 1]",
     "direction of sliding in the frame of marker a", NULL, 0},
    {0}};

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const axis_pair *pair = &((const joint_prismatic_data *)self)->pair;
  axis_keep_point(out, 0, pair, in);
  axis_keep_parallel(out, 2, pair, in);
  torsor_block_cosine(out, 4, pair->e2, pair->f1, in);
  return TORSOR_OK;
}

static void coordinate(const void *self, int index, const torsor_relative_in *in,
                       torsor_coordinate_out *out) {
  (void)index;
  torsor_coordinate_along(out, ((const joint_prismatic_data *)self)->pair.axis, in);
}

static const char *astray(const void *self, const torsor_element_in *in, m3 *turn) {
  const joint_prismatic_data *data = self;
  const axis_pair *pair = &data->pair;
  const v3 a[3] = {pair->e1, pair->e2, pair->axis}, b[3] = {pair->f1, pair->f2, pair->axis_b};
  return branch_frame(&data->joint, in, a, b, turn);
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_prismatic_data *data = self;
  axis_find_held(&data->pair, &data->joint);
  axis_hold(&data->joint);
  data->joint.coordinates = 1;
  data->joint.coordinate = coordinate;
  return torsor_joint_prepare(&data->joint, setup, 5, relative, false, error);
}

static const torsor_coordinate coordinates[] = {{"travel", "speed", "m", 0}, {0}};

const torsor_element_type joint_prismatic = {
    TORSOR_JOINT_TABLE(joint_prismatic_data),
    .name = "prismatic",
    .title = "slider: sliding along one axis is free, nothing turns",
    .doc = "phi = (e1.p, e2.p, e1.R n, e2.R n, e2.R f1) [5]: position of marker b across the axis "
           "(m)\n"
           "and three cosines.  Marker b keeps the orientation to a that it has at the start: n "
           "and f1\n"
           "are where the axis and e1 are then, in b.\n"
           "Coordinate: travel (m) of b along the axis from the origin of a; speed (m/s).\n"
           "lambda.0..1 are forces on a (N), lambda.2..4 moments (N m).",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"block\", \"type\": \"rigid_body\","
               " \"mass\": 2, \"inertia\": [0.1, 0.2, 0.25], \"position\": [0.5, 0, 0]}],"
               " \"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"axis\": [1, 0, 0],"
               " \"a\": \"ground\", \"b\": \"block\"}]}",
    .coordinates.list = coordinates,
    .limits.astray = astray,
    .look.symbol = TORSOR_SYMBOL_SLIDER,
};
