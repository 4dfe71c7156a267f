/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/axis_kit.h"
#include "elements/branch_kit.h"
#include "elements/relative_kit.h"

typedef struct joint_screw_data {
  torsor_joint joint;
  axis_pair pair;
  double pitch;
  double lead;                 /* pitch / (2 pi), m/rad */
  double start;                /* travel - lead angle at the start */
  torsor_coordinate_ref angle; /* its own, for the turns */
} joint_screw_data;

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS(joint_screw_data, TORSOR_NEEDS_ORIENTATION),
    AXIS_PARAMS(joint_screw_data),
    {"pitch", TORSOR_PARAM_NUMBER, offsetof(joint_screw_data, pitch), "m", NULL,
     "travel in one turn; negative for a left-handed screw", NULL, 0},
    {0}};

static void coordinate(const void *self, int index, const torsor_relative_in *in,
                       torsor_coordinate_out *out) {
  const joint_screw_data *data = self;
  if (index == 0)
    torsor_coordinate_along(out, data->pair.axis, in);
  else
    torsor_coordinate_angle(out, data->pair.e1, data->pair.e2, data->pair.f1, in);
}

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const joint_screw_data *data = self;
  torsor_coordinate_out travel, angle;
  axis_keep_point(out, 0, &data->pair, in);
  axis_keep_parallel(out, 2, &data->pair, in);
  relative_coordinate(&travel, &data->joint, 0, in, out->second);
  relative_coordinate(&angle, &data->joint, 1, in, out->second);
  const double turned = torsor_coordinate_turns(&data->angle, angle.value, in->coordinate);
  out->phi[4] = travel.value - data->start - data->lead * turned;
  relative_add_coordinate(out, 4, 1, &travel, in);
  relative_add_coordinate(out, 4, -data->lead, &angle, in);
  return TORSOR_OK;
}

static const char *astray(const void *self, const torsor_element_in *in, m3 *turn) {
  const joint_screw_data *data = self;
  return branch_direction(&data->joint, in, data->pair.axis, data->pair.axis_b, turn);
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_screw_data *data = self;
  if (data->pitch == 0) {
    torsor_fail(error, TORSOR_SCENE, "the pitch of screw \"%s\" is 0", setup->name);
    torsor_hint(error, "use a revolute joint, which turns without travel");
    return TORSOR_SCENE;
  }
  axis_find(&data->pair, &data->joint, "axis_b");
  data->lead = data->pitch / TWO_PI;
  data->angle = (torsor_coordinate_ref){.place = setup->first_coordinate + 1, .period = TWO_PI};
  data->joint.coordinates = 2;
  data->joint.coordinate = coordinate;
  data->start = torsor_coordinate_start(&data->joint, 0) -
                data->lead * torsor_coordinate_start(&data->joint, 1);
  return torsor_joint_prepare(&data->joint, setup, 5, relative, false, error);
}

static const torsor_coordinate coordinates[] = {
    {"travel", "speed", "m", 0}, {"angle", "rate", "rad", TWO_PI}, {0}};

const torsor_element_type joint_screw = {
    TORSOR_JOINT_TABLE(joint_screw_data),
    .name = "screw",
    .title = "screw: turning about one axis drives sliding along it",
    .doc = "phi = (e1.p, e2.p, e1.R n, e2.R n, travel - pitch angle/(2 pi) - start) [5], with the "
           "angle\n"
           "counted over many turns; start is the value of the last row at the start.\n"
           "Coordinates: travel (m) and speed (m/s); angle (rad) and rate (rad/s).\n"
           "lambda.4 is the axial force on a (N).",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"nut\", \"type\": \"rigid_body\","
               " \"mass\": 1, \"inertia\": [0.02, 0.02, 0.03], \"position\": [0, 0, 0.3]}],"
               " \"joints\": [{\"name\": \"thread\", \"type\": \"screw\", \"pitch\": 2,"
               " \"a\": \"ground\", \"b\": \"nut\"}]}",
    .coordinates.list = coordinates,
    .limits.astray = astray,
    .look.symbol = TORSOR_SYMBOL_SCREW,
};
