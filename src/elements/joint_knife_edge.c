/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/joint.h>

typedef struct joint_knife_edge_data {
  torsor_joint joint;
  v3 across;
} joint_knife_edge_data;

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS(joint_knife_edge_data, TORSOR_NEEDS_ORIENTATION),
    {"across", TORSOR_PARAM_DIRECTION, offsetof(joint_knife_edge_data, across), NULL, "[0, 1, 0]",
     "direction across the blade in the frame of marker b", NULL, 0},
    {0}};

/* The relative twist has the axes of b, so J does not change. */
static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const joint_knife_edge_data *data = self;
  (void)in;
  v3_store(out->J[0], data->across);
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_knife_edge_data *data = self;
  setup->nonholonomic = 1;
  return torsor_joint_prepare(&data->joint, setup, 1, relative, false, error);
}

const torsor_element_type joint_knife_edge = {
    TORSOR_JOINT_TABLE(joint_knife_edge_data),
    .name = "knife_edge",
    .title = "skate or blade: a point of b does not move across the blade, seen from a",
    .doc = "k = n.(R^T p') [1, nonholonomic] (m/s): velocity of marker b in the frame of a, across "
           "the\n"
           "blade (n, fixed on b); any position can be reached.  It says nothing of height: add\n"
           "point_on_plane or planar.  lambda: minus the force on b across the blade (N).",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"sleigh\", \"type\": \"rigid_body\","
               " \"mass\": 1, \"inertia\": [0.3, 0.4, 0.5], \"position\": [0.4, 0, 0]}],"
               " \"joints\": [{\"name\": \"ice\", \"type\": \"planar\", \"a\": \"ground\","
               " \"b\": \"sleigh\"}, {\"name\": \"blade\", \"type\": \"knife_edge\","
               " \"a\": \"ground\", \"b\": {\"body\": \"sleigh\", \"position\": [-0.4, 0, 0]}}]}",
};
