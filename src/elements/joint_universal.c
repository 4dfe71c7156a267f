/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/axis_kit.h"

/* Sine of an angle below which a direction across an axis is rounding rather than meant. */
#define PARALLEL 1e-6

typedef struct joint_universal_data {
  torsor_joint joint;
  v3 axis_a, axis_b; /* of the cross, in a and in b */
  v3 e1, e2;         /* across axis_a in a; e1 is where axis_b is at the start */
  v3 g1, g2;         /* across axis_b in b; g1 is where axis_a is at the start */
} joint_universal_data;

#define MEMBER(name) offsetof(joint_universal_data, name)

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS(joint_universal_data, TORSOR_NEEDS_ORIENTATION),
    {"axis_a", TORSOR_PARAM_DIRECTION, MEMBER(axis_a), NULL, "[1, 0, 0]",
     "axis of the cross that turns in a, in the frame of marker a", NULL, 0},
    {"axis_b", TORSOR_PARAM_DIRECTION, MEMBER(axis_b), NULL, "[0, 1, 0]",
     "axis of the cross that turns in b, in the frame of marker b", NULL, 0},
    {0}};

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const joint_universal_data *data = self;
  torsor_block_point(out, in);
  torsor_block_cosine(out, 3, data->axis_a, data->axis_b, in);
  return TORSOR_OK;
}

/* The angle about axis_b is that of axis_a seen from b, with the sign of b turning against a. */
static void coordinate(const void *self, int index, const torsor_relative_in *in,
                       torsor_coordinate_out *out) {
  const joint_universal_data *data = self;
  if (index == 0) {
    torsor_coordinate_angle(out, data->e1, data->e2, data->axis_b, in);
    return;
  }
  const v3 u = m3_tmulv(in->R, data->axis_a);
  const torsor_turned c = torsor_turned_cosine(u, data->g1),
                      s = torsor_turned_cosine(u, v3_neg(data->g2));
  torsor_coordinate_turn(out, &s, &c, 1);
}

/* The unit vector across `axis` nearest to v; any where v is along it, as a guess may have it,
 * which is then moved. */
static v3 lay_across(v3 axis, v3 v) {
  const v3 across = v3_axpy(-v3_dot(axis, v), axis, v);
  return v3_norm(across) < PARALLEL ? v3_across(axis) : v3_unit(across);
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_universal_data *data = self;
  const m3 R = axis_start(&data->joint);
  const v3 other = m3_mulv(R, data->axis_b);
  data->e1 = lay_across(data->axis_a, other);
  data->e2 = v3_cross(data->axis_a, data->e1);
  data->g1 = lay_across(data->axis_b, m3_tmulv(R, data->axis_a));
  data->g2 = v3_cross(data->axis_b, data->g1);
  data->joint.coordinates = 2;
  data->joint.coordinate = coordinate;
  return torsor_joint_prepare_point(&data->joint, setup, 4, relative, false, error);
}

static const torsor_coordinate coordinates[] = {
    {"angle_a", "rate_a", "rad", TWO_PI}, {"angle_b", "rate_b", "rad", TWO_PI}, {0}};

const torsor_element_type joint_universal = {
    TORSOR_JOINT_TABLE(joint_universal_data),
    .name = "universal",
    .title = "Cardan joint: two points coincide, rotation about the two arms of a cross is free",
    .doc =
        "phi = (p, a.R b) [4]: position of marker b in a (m) and the cosine between the arm a "
        "that\n"
        "turns in a and the arm b that turns in b.\n"
        "Coordinates: angle_a (rad) of the cross about a, angle_b (rad) of body b about the other\n"
        "arm, both zero at the start; their rates (rad/s).\n"
        "lambda.0..2 is the force on a in its axes (N), lambda.3 a moment (N m).",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"shaft\", \"type\": \"rigid_body\","
               " \"mass\": 1, \"inertia\": [0.08, 0.08, 0.01], \"position\": [0, 0, 0.5]}],"
               " \"joints\": [{\"name\": \"cross\", \"type\": \"universal\", \"a\": \"ground\","
               " \"b\": {\"body\": \"shaft\", \"position\": [0, 0, -0.5]}}]}",
    .coordinates.list = coordinates,
    .look.symbol = TORSOR_SYMBOL_CROSS,
};
