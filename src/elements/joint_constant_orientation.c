/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/axis_kit.h"
#include "elements/branch_kit.h"

typedef struct joint_constant_orientation_data {
  torsor_joint joint;
  v3 initial[3]; /* axes of marker a in b at the start */
} joint_constant_orientation_data;

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS(joint_constant_orientation_data, TORSOR_NEEDS_ORIENTATION), {0}};

static const v3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const joint_constant_orientation_data *data = self;
  for (int i = 0; i < 3; ++i)
    torsor_block_cosine(out, i, axis[(i + 2) % 3], data->initial[(i + 1) % 3], in);
  return TORSOR_OK;
}

static const char *astray(const void *self, const torsor_element_in *in, m3 *turn) {
  const joint_constant_orientation_data *data = self;
  return branch_frame(&data->joint, in, axis, data->initial, turn);
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_constant_orientation_data *data = self;
  const m3 R = axis_start(&data->joint);
  axis_hold(&data->joint);
  for (int i = 0; i < 3; ++i) data->initial[i] = m3_tmulv(R, axis[i]);
  return torsor_joint_prepare(&data->joint, setup, 3, relative, false, error);
}

const torsor_element_type joint_constant_orientation = {
    TORSOR_JOINT_TABLE(joint_constant_orientation_data),
    .name = "constant_orientation",
    .title = "b does not turn against a, translation is free",
    .doc = "phi = (e3.R f2, e1.R f3, e2.R f1) [3]: cosines between the axes of a and the "
           "directions f\n"
           "of b in which they are at the start; b keeps that orientation.\n"
           "lambda: moment on a in its axes (N m) while phi = 0.",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"tray\", \"type\": \"rigid_body\","
               " \"mass\": 1, \"inertia\": [0.02, 0.03, 0.04], \"position\": [0.1, 0.2, 0.3],"
               " \"orientation\": {\"rotation_vector\": [0, 0, 0.5]}}],"
               " \"joints\": [{\"name\": \"guide\", \"type\": \"constant_orientation\","
               " \"a\": \"ground\", \"b\": \"tray\"}]}",
    .limits.astray = astray,
};
