/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/callback.h>

#include "elements/relative_kit.h"

typedef struct user_joint_data {
  torsor_joint joint;
  const torsor_callback *law;
  int rows;
  double scale;
} user_joint_data;

static const char *const signature[] = {"rows", NULL};

static const torsor_param params[] = {
    TORSOR_JOINT_PARAMS(user_joint_data, TORSOR_NEEDS_ORIENTATION),
    {"constraint", TORSOR_PARAM_CALLBACK, offsetof(user_joint_data, law), NULL, NULL,
     "name of the callback: rows phi(H, t) of the relative frame", signature, 0},
    {"rows", TORSOR_PARAM_INTEGER, offsetof(user_joint_data, rows), NULL, NULL,
     "how many rows it has, 1 to 6", NULL, TORSOR_POSITIVE},
    {"scale", TORSOR_PARAM_NUMBER, offsetof(user_joint_data, scale), "m", TORSOR_OPTIONAL,
     "length over which derivatives of the rows change; default: the lever arms of the markers",
     NULL, TORSOR_POSITIVE},
    {0}};

static torsor_status call(const user_joint_data *data, const torsor_relative_in *in,
                          torsor_relative_out *out) {
  return ((torsor_call_rows)data->law->call)(data->law->data, in, out);
}

static bool lacks_gradient(const torsor_relative_out *out, int rows) {
  for (int row = 0; row < rows; ++row)
    for (int k = 0; k < 6; ++k)
      if (isnan(out->J[row][k])) return true;
  return false;
}

/* J and J_t by central differences of phi and phi_t along the directions of H <- H exp(e). */
static torsor_status difference(torsor_relative_out *out, const user_joint_data *data,
                                const torsor_relative_in *in) {
  for (int k = 0; k < 6; ++k) {
    const double h = relative_step(&data->joint, in, k);
    for (int row = 0; row < data->rows; ++row) out->J[row][k] = out->J_t[row][k] = 0;
    for (int sign = -1; sign <= 1; sign += 2) {
      const torsor_relative_in at = relative_moved(in, k, sign * h);
      torsor_relative_out moved = {0};
      const torsor_status status = call(data, &at, &moved);
      if (status) return status;
      for (int row = 0; row < data->rows; ++row) {
        out->J[row][k] += sign * moved.phi[row] / (2 * h);
        out->J_t[row][k] += sign * moved.phi_t[row] / (2 * h);
      }
    }
  }
  return TORSOR_OK;
}

static torsor_status relative(const void *self, const torsor_relative_in *in,
                              torsor_relative_out *out) {
  const user_joint_data *data = self;
  for (int row = 0; row < data->rows; ++row)
    for (int k = 0; k < 6; ++k) out->J[row][k] = (double)NAN;
  const torsor_status status = call(data, in, out);
  return !status && lacks_gradient(out, data->rows) ? difference(out, data, in) : status;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  user_joint_data *data = self;
  if (data->rows > 6) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" has %d rows", setup->name, data->rows);
    torsor_hint(error, "give 1 to 6 rows: two bodies have six directions of relative motion");
    return TORSOR_SCENE;
  }
  if (!torsor_absent_number(data->scale)) data->joint.scale = data->scale;
  return torsor_joint_prepare(&data->joint, setup, data->rows, relative, true, error);
}

const torsor_element_type user_joint = {
    TORSOR_JOINT_TABLE(user_joint_data),
    .name = "user_joint",
    .title = "constraint rows between two markers by a callback",
    .doc = "The callback of the signature \"rows\" gives phi(H, t) of the relative frame H of the\n"
           "markers; its gradient may be left to central differences.",
    .example =
        "{\"torsor\": 1, \"bodies\": [{\"name\": \"arm\", \"type\": \"rigid_body\","
        " \"mass\": 1, \"inertia\": [0.1, 0.1, 0.2]}], \"joints\": [{\"name\": \"ball\","
        " \"type\": \"user_joint\", \"a\": \"ground\", \"b\": \"arm\", \"constraint\": \"meet\","
        " \"rows\": 3}]}",
};
