/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/joint.h>

typedef struct joint_point_on_plane_data {
  torsor_joint joint;
  v3 normal;
  double height;
} joint_point_on_plane_data;

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS_OF_POINT(joint_point_on_plane_data),
    {"normal", TORSOR_PARAM_DIRECTION, offsetof(joint_point_on_plane_data, normal), NULL,
     "[0, 0, 1]", "normal of the plane in the frame of marker a", NULL, 0},
    {"height", TORSOR_PARAM_NUMBER, offsetof(joint_point_on_plane_data, height), "m", "0",
     "height of the plane over marker a, along the normal", NULL, 0},
    {0}};

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const joint_point_on_plane_data *data = self;
  torsor_block_along(out, 0, data->normal, data->height, in);
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  joint_point_on_plane_data *data = self;
  const torsor_status status = torsor_joint_prepare(&data->joint, setup, 1, relative, false, error);
  setup->length = fmax(setup->length, fabs(data->height));
  return status;
}

const torsor_element_type joint_point_on_plane = {
    TORSOR_JOINT_TABLE(joint_point_on_plane_data),
    .name = "point_on_plane",
    .title = "a point of b stays on a plane of a",
    .doc = "phi = n.p - height [1] (m), with the position p of marker b in a.  lambda: force on a "
           "along\n"
           "the normal (N), that is minus the force on b.",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"ball\", \"type\": \"point_mass\","
               " \"mass\": 1, \"position\": [0.5, 0.2, 0.1]}],"
               " \"joints\": [{\"name\": \"floor\", \"type\": \"point_on_plane\","
               " \"height\": 0.1, \"a\": \"ground\", \"b\": \"ball\"}]}",
    .look.symbol = TORSOR_SYMBOL_PLANE,
};
