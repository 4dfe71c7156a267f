/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/joint.h>

enum { AXES_A, AXES_B };

typedef struct joint_velocity_constraint_data {
  torsor_joint joint;
  v3 linear, angular;
  int axes;
  torsor_function rate;
} joint_velocity_constraint_data;

#define MEMBER(name) offsetof(joint_velocity_constraint_data, name)

static const char *const axes_words[] = {"a", "b", NULL};

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS_OF_POINT(joint_velocity_constraint_data),
    {"linear", TORSOR_PARAM_VECTOR, MEMBER(linear), NULL, "[0, 0, 0]",
     "coefficients of the velocity of marker b as seen from a", NULL, 0},
    {"angular", TORSOR_PARAM_VECTOR, MEMBER(angular), "m", "[0, 0, 0]",
     "coefficients of the angular velocity of b against a", NULL, 0},
    {"axes", TORSOR_PARAM_CHOICE, MEMBER(axes), NULL, "\"a\"",
     "marker whose axes the coefficients belong to", axes_words, 0},
    {"rate", TORSOR_PARAM_FUNCTION, MEMBER(rate), "m/s", "0", "what the sum is, function of t",
     NULL, 0},
    {0}};

/* Coefficients that stand still in a turn in the axes of b: D(R^T l)[theta] = (R^T l)~ theta. */
static void add_turning(torsor_relative_out *out, v3 linear, v3 angular,
                        const torsor_relative_in *in) {
  torsor_relative_add(out->KL, 0, 3, m3_scale(m3_skew(linear), in->lambda[0]));
  torsor_relative_add(out->KL, 3, 3, m3_scale(m3_skew(angular), in->lambda[0]));
  v3_store(out->Z[0] + 3, v3_add(v3_cross(in->V.lin, linear), v3_cross(in->V.ang, angular)));
}

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const joint_velocity_constraint_data *data = self;
  const bool turning = data->axes == AXES_A;
  const v3 linear = turning ? m3_tmulv(in->R, data->linear) : data->linear;
  const v3 angular = turning ? m3_tmulv(in->R, data->angular) : data->angular;
  double slope;
  out->phi_t[0] = -data->rate.eval(data->rate.self, in->now, &slope, NULL);
  out->phi_tt[0] = -slope;
  tw_store(out->J[0], (twist){.lin = linear, .ang = angular});
  if (out->second && turning) add_turning(out, linear, angular, in);
  return TORSOR_OK;
}

static torsor_status refuse(const torsor_setup *setup, torsor_error *error, const char *what,
                            const char *hint) {
  torsor_fail(error, TORSOR_SCENE, "velocity constraint \"%s\" %s", setup->name, what);
  torsor_hint(error, "%s", hint);
  return TORSOR_SCENE;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_velocity_constraint_data *data = self;
  const bool turns = v3_norm(data->angular) > 0;
  if (!turns && !(v3_norm(data->linear) > 0))
    return refuse(setup, error, "has no coefficients",
                  "give a \"linear\" or \"angular\" that is not zero, e.g. \"linear\": [1, 0, 0]");
  if (turns && data->joint.b.point)
    return refuse(setup, error, "asks for the angular velocity of a point mass",
                  "use a rigid_body, or leave \"angular\" out");
  if (data->axes == AXES_B && data->joint.b.point)
    return refuse(setup, error, "has the axes of a point mass, which do not turn",
                  "say \"axes\": \"a\"");
  setup->nonholonomic = 1;
  return torsor_joint_prepare(&data->joint, setup, 1, relative, false, error);
}

const torsor_element_type joint_velocity_constraint = {
    TORSOR_JOINT_TABLE(joint_velocity_constraint_data),
    .name = "velocity_constraint",
    .title = "a linear combination of relative velocities is a given function of t",
    .doc =
        "k = linear.u + angular.w - rate(t) [1, nonholonomic] (m/s), u the velocity of marker b\n"
        "in the frame of a and w the angular velocity of b against a, both in the axes of a or\n"
        "of b; k_t = -rate.  Any number of them make other constraints: a blade is linear =\n"
        "[0, 1, 0] in the axes of b, a wheel that rolls linear = [1, 0, 0] and angular =\n"
        "[0, -r, 0], a one-sided drive any of them with a rate.\n"
        "lambda: minus the force on b along linear (N), with its moment along angular.",
    .example =
        "{\"torsor\": 1, \"bodies\": [{\"name\": \"sleigh\", \"type\": \"rigid_body\","
        " \"mass\": 1, \"inertia\": [0.3, 0.4, 0.5], \"position\": [0.4, 0, 0]}],"
        " \"joints\": [{\"name\": \"ice\", \"type\": \"planar\", \"a\": \"ground\","
        " \"b\": \"sleigh\"}, {\"name\": \"belt\", \"type\": \"velocity_constraint\","
        " \"a\": \"ground\", \"b\": {\"body\": \"sleigh\", \"position\": [-0.4, 0, 0]},"
        " \"linear\": [0.6, 0.8, 0], \"angular\": [0, 0.1, 0.3],"
        " \"rate\": \"0.2*sin(t)\"}, {\"name\": \"blade\","
        " \"type\": \"velocity_constraint\", \"a\": \"ground\", \"b\": {\"body\": \"sleigh\","
        " \"position\": [0.3, 0, 0]}, \"linear\": [0, 1, 0], \"axes\": \"b\"}]}",
};
