/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/relative_kit.h"

typedef struct joint_velocity_drive_data {
  torsor_joint joint; /* markers of the driven joint */
  torsor_coordinate_ref on;
  torsor_function rate;
} joint_velocity_drive_data;

static const torsor_param params[] = {
    {"coordinate", TORSOR_PARAM_COORDINATE, offsetof(joint_velocity_drive_data, on), NULL, NULL,
     "coordinate of a joint that stands before, e.g. \"hinge.angle\"", NULL, 0},
    {"rate", TORSOR_PARAM_FUNCTION, offsetof(joint_velocity_drive_data, rate), "m/s or rad/s", NULL,
     "rate of the coordinate, function of t", NULL, 0},
    {0}};

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const joint_velocity_drive_data *data = self;
  torsor_coordinate_out c;
  double slope;
  relative_coordinate(&c, data->on.joint, data->on.index, in, out->second);
  out->phi_t[0] = -data->rate.eval(data->rate.self, in->now, &slope, NULL);
  out->phi_tt[0] = -slope;
  relative_add_coordinate(out, 0, 1, &c, in);
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_velocity_drive_data *data = self;
  data->joint.a = data->on.joint->a;
  data->joint.b = data->on.joint->b;
  setup->nonholonomic = 1;
  const torsor_status status = relative_check_points(&data->on, setup->name, error);
  return status ? status : torsor_joint_prepare(&data->joint, setup, 1, relative, false, error);
}

static const torsor_output outputs[] = {
    {"effort", "N or N m", "force or moment that the drive applies along the coordinate", 1}, {0}};

static void output(const void *self, const torsor_element_in *in, double *values) {
  (void)self;
  values[0] = -in->lambda[0];
}

const torsor_element_type joint_velocity_drive = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_JOINT,
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
    .size = sizeof(joint_velocity_drive_data),
    .params = params,
    .tangents.has = TORSOR_HAS_K,
    .prepare = prepare,
    .eval = torsor_joint_eval,
    .outputs.list = outputs,
    .outputs.eval = output,
};
