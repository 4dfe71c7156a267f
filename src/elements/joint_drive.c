/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/relative_kit.h"

typedef struct joint_drive_data {
  torsor_joint joint; /* markers of the driven joint */
  torsor_coordinate_ref on;
  torsor_function motion;
  double turns; /* whole turns between the coordinate and the motion at the start */
} joint_drive_data;

static const torsor_param params[] = {
    {"coordinate", TORSOR_PARAM_COORDINATE, offsetof(joint_drive_data, on), NULL, NULL,
     "coordinate of a joint that stands before, e.g. \"hinge.angle\"", NULL, 0},
    {"motion", TORSOR_PARAM_FUNCTION, offsetof(joint_drive_data, motion), "m or rad", NULL,
     "value of the coordinate, function of t", NULL, TORSOR_GIVES_POSITION},
    {0}};

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const joint_drive_data *data = self;
  torsor_coordinate_out c;
  double rate, second;
  relative_coordinate(&c, data->on.joint, data->on.index, in, out->second);
  out->phi[0] = torsor_coordinate_turns(&data->on, c.value, in->coordinate) - data->turns -
                data->motion.eval(data->motion.self, in->now, &rate, &second);
  out->phi_t[0] = -rate;
  out->phi_tt[0] = -second;
  relative_add_coordinate(out, 0, 1, &c, in);
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_drive_data *data = self;
  data->joint.a = data->on.joint->a;
  data->joint.b = data->on.joint->b;
  const double off = torsor_coordinate_start(data->on.joint, data->on.index) -
                     data->motion.eval(data->motion.self, &(torsor_now){0}, NULL, NULL);
  if (data->on.period > 0) data->turns = data->on.period * nearbyint(off / data->on.period);
  const torsor_status status = relative_check_points(&data->on, setup->name, error);
  return status ? status : torsor_joint_prepare(&data->joint, setup, 1, relative, false, error);
}

static const torsor_output outputs[] = {
    {"effort", "N or N m", "force or moment that the drive applies along the coordinate", 1}, {0}};

static void output(const void *self, const torsor_element_in *in, double *values) {
  (void)self;
  values[0] = -in->lambda[0];
}

const torsor_element_type joint_drive = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_JOINT,
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
    .size = sizeof(joint_drive_data),
    .params = params,
    .tangents.has = TORSOR_HAS_K,
    .prepare = prepare,
    .eval = torsor_joint_eval,
    .outputs.list = outputs,
    .outputs.eval = output,
};
