/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/joint.h>

#define TWO_PI 6.283185307179586

typedef struct joint_revolute_data {
  torsor_joint joint;
  v3 axis, axis_b; /* hinge axis in the axes of marker a and of marker b */
  v3 e1, e2;       /* transverse directions in a: (e1, e2, axis) right-handed */
  v3 f1;           /* in b: coincides with e1 at angle zero */
} joint_revolute_data;

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS(joint_revolute_data, TORSOR_NEEDS_ORIENTATION),
    {"axis", TORSOR_PARAM_DIRECTION, offsetof(joint_revolute_data, axis), NULL, "[0, 0, 1]",
     "hinge axis in the frame of marker a", NULL, 0},
    {"axis_b", TORSOR_PARAM_DIRECTION, offsetof(joint_revolute_data, axis_b), NULL, TORSOR_OPTIONAL,
     "hinge axis in the frame of marker b; default: where the axis of a is at the start", NULL, 0},
    {0}};

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const joint_revolute_data *data = self;
  torsor_block_along(out, 0, (v3){1, 0, 0}, 0, in);
  torsor_block_along(out, 1, (v3){0, 1, 0}, 0, in);
  torsor_block_along(out, 2, (v3){0, 0, 1}, 0, in);
  torsor_block_cosine(out, 3, data->e1, data->axis_b, in);
  torsor_block_cosine(out, 4, data->e2, data->axis_b, in);
  return TORSOR_OK;
}

/* The smallest rotation that takes `from` to `to` (unit vectors), applied to v across `from`. */
static v3 carry_across(v3 from, v3 to, v3 v) {
  const double c = 1 + v3_dot(from, to);
  if (c < 1e-8) return v; /* opposite: half a turn about v itself */
  return v3_sub(v, v3_scale(v3_add(from, to), v3_dot(to, v) / c));
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_revolute_data *data = self;
  if (torsor_absent_vector(data->axis_b))
    data->axis_b = m3_tmulv(data->joint.b.R0, m3_mulv(data->joint.a.R0, data->axis));
  data->e1 = v3_across(data->axis);
  data->e2 = v3_cross(data->axis, data->e1);
  data->f1 = carry_across(data->axis, data->axis_b, data->e1);
  return torsor_joint_prepare(&data->joint, setup, 5, relative, false, error);
}

static void coordinate(const void *self, const torsor_element_in *in, double *value, double *rate) {
  const joint_revolute_data *data = self;
  torsor_relative_in rel;
  torsor_joint_relative(&data->joint, in, &rel);
  torsor_angle_about(value, rate, data->e1, data->e2, data->f1, &rel);
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
    .coordinates = coordinates,
    .coordinate = coordinate,
};
