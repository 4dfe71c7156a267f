/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/joint.h>

typedef struct joint_spherical_data {
  torsor_joint joint;
} joint_spherical_data;

static const torsor_param params[] = {TORSOR_JOINT_PARAMS(joint_spherical_data, 0), {0}};

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  (void)self;
  torsor_block_point(out, in);
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_spherical_data *data = self;
  return torsor_joint_prepare_point(&data->joint, setup, 3, relative, false, error);
}

const torsor_element_type joint_spherical = {
    TORSOR_JOINT_TABLE(joint_spherical_data),
    .name = "spherical",
    .title = "ball joint: two points coincide, rotation is free",
    .doc = "phi = p [3], the position of marker b in the axes of marker a (m).\n"
           "J = [R, 0]: lambda is the force on a, that is minus the force on b, in the axes of a.\n"
           "Source: Geradin and Cardona 2001, section 7; S4 eq. 62c has the opposite sign.",
    .example =
        "{\"torsor\": 1, \"bodies\": [{\"name\": \"top\", \"type\": \"rigid_body\", \"mass\": 15,"
        " \"inertia\": [0.234375, 0.46875, 0.234375], \"position\": [0, 1, 0]}],"
        " \"joints\": [{\"name\": \"pivot\", \"type\": \"spherical\", \"a\": \"ground\","
        " \"b\": {\"body\": \"top\", \"position\": [0, -1, 0]}}]}",
    .symbol = TORSOR_SYMBOL_BALL,
};
