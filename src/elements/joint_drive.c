/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/drive_kit.h"

static const torsor_param params[] = {DRIVE_COORDINATE,
                                      {"motion", TORSOR_PARAM_FUNCTION, offsetof(drive, given),
                                       "m or rad", NULL, "value of the coordinate, function of t",
                                       NULL, TORSOR_GIVES_POSITION},
                                      {0}};

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const drive *data = self;
  torsor_coordinate_out c;
  double rate, second;
  relative_coordinate(&c, data->on.joint, data->on.index, in, out->second);
  out->phi[0] = torsor_coordinate_turns(&data->on, c.value, in->coordinate) - data->turns -
                data->given.eval(data->given.self, in->now, &rate, &second);
  out->phi_t[0] = -rate;
  out->phi_tt[0] = -second;
  relative_add_coordinate(out, 0, 1, &c, in);
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  drive *data = self;
  const double off = torsor_coordinate_start(data->on.joint, data->on.index) -
                     data->given.eval(data->given.self, &(torsor_now){0}, NULL, NULL);
  if (data->on.period > 0) data->turns = data->on.period * nearbyint(off / data->on.period);
  return drive_prepare(data, setup, relative, error);
}

const torsor_element_type joint_drive = {
    DRIVE_TABLE,
    .name = "drive",
    .title = "drive: a joint coordinate is a given function of t",
    .doc =
        "phi = c - motion(t) [1] for the coordinate c (m, or rad) of a joint; phi_t = -motion'.\n"
        "An angle may start whole turns away from motion(0), and stays that far.  lambda is minus "
        "the force (N) or moment\n"
        "(N m) that the drive applies along the coordinate; the signal effort is that force or\n"
        "moment.",
    .example =
        "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"rod\","
        " \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.02, 0.0833, 0.0833],"
        " \"position\": [0.5, 0, 0]}], \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\","
        " \"axis\": [0, 1, 0], \"a\": \"ground\", \"b\": {\"body\": \"rod\","
        " \"position\": [-0.5, 0, 0]}}, {\"name\": \"motor\", \"type\": \"drive\","
        " \"coordinate\": \"hinge.angle\", \"motion\": \"0.3*sin(2*t)\"}]}",
};
