/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/branch_kit.h"

typedef struct joint_weld_data {
  torsor_joint joint;
} joint_weld_data;

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS(joint_weld_data, TORSOR_NEEDS_ORIENTATION), {0}};

static const v3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  (void)self;
  for (int i = 0; i < 3; ++i) {
    torsor_block_along(out, i, axis[i], 0, in);
    torsor_block_cosine(out, 3 + i, axis[(i + 2) % 3], axis[(i + 1) % 3], in);
  }
  return TORSOR_OK;
}

static const char *astray(const void *self, const torsor_element_in *in, m3 *turn) {
  return branch_frame(self, in, axis, axis, turn);
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_weld_data *data = self;
  return torsor_joint_prepare(&data->joint, setup, 6, relative, false, error);
}

const torsor_element_type joint_weld = {
    TORSOR_JOINT_TABLE(joint_weld_data),
    .name = "weld",
    .title = "two markers coincide: no relative motion",
    .doc =
        "phi = (p, e3.R e2, e1.R e3, e2.R e1) [6]: position of b in a (m) and three cosines that\n"
        "vanish when the axes of the markers agree.  At R = identity J = identity, so lambda is\n"
        "minus the wrench on b.  Orient the markers so that their axes agree at the start.",
    .example =
        "{\"torsor\": 1, \"bodies\": [{\"name\": \"block\", \"type\": \"rigid_body\", \"mass\": 2,"
        " \"inertia\": [0.3, 0.4, 0.5], \"position\": [0.1, 0.2, 0.3]}],"
        " \"joints\": [{\"name\": \"bolt\", \"type\": \"weld\","
        " \"a\": {\"body\": \"ground\", \"position\": [0.1, 0, 0.3]},"
        " \"b\": {\"body\": \"block\", \"position\": [0, -0.2, 0]}}]}",
    .limits.astray = astray,
    .look.symbol = TORSOR_SYMBOL_WELD,
};
