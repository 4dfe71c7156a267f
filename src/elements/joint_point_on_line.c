/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/axis_kit.h"

typedef struct joint_point_on_line_data {
  torsor_joint joint;
  axis_pair pair;
} joint_point_on_line_data;

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS_OF_POINT(joint_point_on_line_data),
    {"axis", TORSOR_PARAM_DIRECTION, offsetof(joint_point_on_line_data, pair.axis), NULL,
     "[0, 0, 1]", "direction of the line in the frame of marker a", NULL, 0},
    {0}};

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  axis_keep_point(out, 0, &((const joint_point_on_line_data *)self)->pair, in);
  return TORSOR_OK;
}

static void coordinate(const void *self, int index, const torsor_relative_in *in,
                       torsor_coordinate_out *out) {
  (void)index;
  torsor_coordinate_along(out, ((const joint_point_on_line_data *)self)->pair.axis, in);
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_point_on_line_data *data = self;
  axis_find_held(&data->pair, &data->joint);
  data->joint.coordinates = 1;
  data->joint.coordinate = coordinate;
  return torsor_joint_prepare(&data->joint, setup, 2, relative, false, error);
}

static const torsor_coordinate coordinates[] = {{"travel", "speed", "m", 0}, {0}};

const torsor_element_type joint_point_on_line = {
    TORSOR_JOINT_TABLE(joint_point_on_line_data),
    .name = "point_on_line",
    .title = "a point of b stays on a line of a",
    .doc = "phi = (e1.p, e2.p) [2] (m): position of marker b across the line through marker a.\n"
           "Coordinate: travel (m) along the line from marker a; speed (m/s).  lambda: forces on a "
           "(N).",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"bead\", \"type\": \"point_mass\","
               " \"mass\": 0.2, \"position\": [0.5, 0, 0]}],"
               " \"joints\": [{\"name\": \"wire\", \"type\": \"point_on_line\","
               " \"axis\": [1, 0, 0], \"a\": \"ground\", \"b\": \"bead\"}]}",
    .coordinates.list = coordinates,
    .look.symbol = TORSOR_SYMBOL_CYLINDER,
};
