/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/axis_kit.h"
#include "elements/branch_kit.h"

/* Shafts that are bent by an angle t with 1 + cos t below this, within 0.08 degrees of half a turn,
 * are folded back: how they are twisted is then round-off over this. */
#define FOLDED 1e-6

typedef struct joint_constant_velocity_data {
  torsor_joint joint;
  axis_pair pair;
} joint_constant_velocity_data;

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS(joint_constant_velocity_data, TORSOR_NEEDS_ORIENTATION),
    AXIS_PARAMS(joint_constant_velocity_data),
    {0}};

/* Row `row`: e2.R f1 - e1.R f2, two cosines; KL gathers both by itself. */
static void keep_twist(torsor_relative_out *out, int row, const axis_pair *pair,
                       const torsor_relative_in *in) {
  torsor_block_cosine(out, row, pair->e2, pair->f1, in);
  const double phi = out->phi[row];
  const v3 J = v3_load(out->J[row] + 3);
  const v3 Z = out->second ? v3_load(out->Z[row] + 3) : v3_zero();
  torsor_block_cosine(out, row, v3_neg(pair->e1), pair->f2, in);
  out->phi[row] += phi;
  v3_store(out->J[row] + 3, v3_add(J, v3_load(out->J[row] + 3)));
  if (out->second) v3_store(out->Z[row] + 3, v3_add(Z, v3_load(out->Z[row] + 3)));
}

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  torsor_block_point(out, in);
  keep_twist(out, 3, &((const joint_constant_velocity_data *)self)->pair, in);
  return TORSOR_OK;
}

/* The row is (1 + cos t) sin g: it vanishes at g = pi and, whatever g, at t = pi, too. */
static const char *astray(const void *self, const torsor_element_in *in, m3 *turn) {
  const joint_constant_velocity_data *data = self;
  const axis_pair *pair = &data->pair;
  m3 Ra, Rb;
  branch_axes(&Ra, &Rb, &data->joint, in);
  const m3 R = m3_tmul(Ra, Rb);
  const v3 shaft = m3_mulv(R, pair->axis_b), f1 = m3_mulv(R, pair->f1), f2 = m3_mulv(R, pair->f2);
  const double open = 1 + v3_dot(pair->axis, shaft);
  const double c = v3_dot(pair->e1, f1) + v3_dot(pair->e2, f2);
  const double s = v3_dot(pair->e2, f1) - v3_dot(pair->e1, f2);
  if (!(open > FOLDED)) {
    if (turn) *turn = branch_smallest(pair->axis_b, m3_tmulv(R, pair->axis));
    return "its shafts are folded back onto each other: `axis` and `axis_b` point the same way "
           "along "
           "them when the joint is straight";
  }
  if (c > open / 2) return NULL;
  if (turn) *turn = so3_rodrigues(v3_scale(pair->axis_b, -atan2(s, c)));
  return "its shafts are twisted against each other by half a turn";
}

/* f1, f2 are where the smallest rotation between the shafts takes e1, e2 at the start. */
static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_constant_velocity_data *data = self;
  axis_pair *pair = &data->pair;
  axis_find(pair, &data->joint, "axis_b");
  const m3 R = axis_start(&data->joint);
  const v3 shaft = m3_mulv(R, pair->axis_b);
  pair->f1 = m3_tmulv(R, axis_carry(pair->axis, shaft, pair->e1));
  pair->f2 = v3_cross(pair->axis_b, pair->f1);
  return torsor_joint_prepare_point(&data->joint, setup, 4, relative, false, error);
}

const torsor_element_type joint_constant_velocity = {
    TORSOR_JOINT_TABLE(joint_constant_velocity_data),
    .name = "constant_velocity",
    .title = "homokinetic joint: two points coincide, two shafts bend freely and turn alike",
    .doc =
        "phi = (p, e2.R f1 - e1.R f2) [4]: position of marker b in a (m) and the twist between\n"
        "the shafts.  e1, e2 lie across the shaft `axis` on a; f1, f2 across the shaft `axis_b`\n"
        "on b are where the smallest rotation between the shafts takes them at the start.  When R\n"
        "is a turn by g about the shaft and then a bend by an angle t across it, the last row is\n"
        "(1 + cos t) sin g: zero when the shafts turn by equal angles, whatever the bend below a\n"
        "half turn.\n"
        "lambda.0..2 is the force on a in its axes (N), lambda.3 a moment (N m).",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"shaft\", \"type\": \"rigid_body\","
               " \"mass\": 1, \"inertia\": [0.08, 0.08, 0.01], \"position\": [0, 0, 0.5]}],"
               " \"joints\": [{\"name\": \"knuckle\", \"type\": \"constant_velocity\","
               " \"a\": \"ground\", \"b\": {\"body\": \"shaft\", \"position\": [0, 0, -0.5]}}]}",
    .limits.astray = astray,
    .look.symbol = TORSOR_SYMBOL_BALL,
};
