/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/drive_kit.h"

static const torsor_param params[] = {DRIVE_COORDINATE,
                                      {"rate", TORSOR_PARAM_FUNCTION, offsetof(drive, given),
                                       "m/s or rad/s", NULL,
                                       "rate of the coordinate, function of t", NULL, 0},
                                      {0}};

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const drive *data = self;
  torsor_coordinate_out c;
  double slope;
  relative_coordinate(&c, data->on.joint, data->on.index, in, out->second);
  out->phi_t[0] = -data->given.eval(data->given.self, in->now, &slope, NULL);
  out->phi_tt[0] = -slope;
  relative_add_coordinate(out, 0, 1, &c, in);
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  drive *data = self;
  setup->nonholonomic = 1;
  return drive_prepare(data, setup, relative, error);
}

const torsor_element_type joint_velocity_drive = {
    DRIVE_TABLE,
    .name = "velocity_drive",
    .title = "velocity drive: the rate of a joint coordinate is a given function of t",
    .doc = "k = c' - rate(t) [1, nonholonomic] for the coordinate c (m, or rad) of a joint;\n"
           "k_t = -rate.  Where c starts, and what it becomes, is left to the motion: errors of c\n"
           "add up, as with a real motor without a position sensor; a drive holds c itself.\n"
           "lambda is minus the force (N) or moment (N m) that the drive applies along the\n"
           "coordinate; the signal effort is that force or moment.",
    .example =
        "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"rod\","
        " \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.02, 0.0833, 0.0833],"
        " \"position\": [0.5, 0, 0]}], \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\","
        " \"axis\": [0, 1, 0], \"a\": \"ground\", \"b\": {\"body\": \"rod\","
        " \"position\": [-0.5, 0, 0]}}, {\"name\": \"motor\", \"type\": \"velocity_drive\","
        " \"coordinate\": \"hinge.angle\", \"rate\": \"2*sin(3*t)\"}]}",
};
