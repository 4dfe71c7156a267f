/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/physical.h"

#include <math.h>
#include <string.h>

#include "liegroup/moments.h"

/* Numbers written with six decimals are off by 5e-7 each, so that |q| of a quaternion may be off by
 * 1e-6 and an entry of R^T R - I by sqrt(3) 1e-6. */
#define WRITTEN_ROTATION 2e-6

torsor_status physical_direction(v3 *out, const reader *r, const json_node *node) {
  const torsor_status status = reader_vector(out, r, node);
  if (status) return status;
  if (out->x == 0 && out->y == 0 && out->z == 0)
    return reader_fail(r, node, "any length but zero will do", "must be a direction, but is zero");
  *out = v3_unit(*out);
  return TORSOR_OK;
}

/* ---- orientation ----------------------------------------------------------------------------- */

static torsor_status read_rotation_matrix(so3 *out, const reader *r, const json_node *node) {
  m3 R;
  const torsor_status status = reader_matrix(&R, r, node);
  if (status) return status;
  const double error = m3_largest(m3_sub(m3_tmul(R, R), m3_identity()));
  if (!(error <= WRITTEN_ROTATION))
    return reader_fail(r, node, "its columns are the body axes: of length 1 and at right angles",
                       "is not a rotation: R^T R differs from the identity by %.2g", error);
  if (m3_det(R) < 0)
    return reader_fail(r, node, "reverse one axis: the body axes are right-handed",
                       "is a reflection, not a rotation: its determinant is -1");
  *out = so3_from_matrix(R);
  return TORSOR_OK;
}

static torsor_status read_quaternion(so3 *out, const reader *r, const json_node *node) {
  double q[4];
  const torsor_status status = reader_numbers(q, 4, r, node);
  if (status) return status;
  const double norm = hypot(hypot(q[0], q[1]), hypot(q[2], q[3]));
  if (norm == 0)
    return reader_fail(r, node, "no rotation is [1, 0, 0, 0]", "must have length 1, but is zero");
  *out = so3_from_quaternion(q[0], q[1], q[2], q[3]);
  if (fabs(norm - 1) <= WRITTEN_ROTATION) return TORSOR_OK;
  reader_fail(r, node, NULL, "must have length 1, but has length %.8g", norm);
  torsor_hint(r->error, "[w, x, y, z]; scaled to length 1 it is [%.17g, %.17g, %.17g, %.17g]",
              out->w, out->x, out->y, out->z);
  return TORSOR_SCENE;
}

static torsor_status read_rotation_vector(so3 *out, const reader *r, const json_node *node) {
  v3 v;
  const torsor_status status = reader_vector(&v, r, node);
  if (!status) *out = so3_exp(v);
  return status;
}

/* The object that holds "euler" and "angles". */
static torsor_status read_euler(so3 *out, const reader *r, const json_node *object) {
  const json_node sequence = json_member(object, "euler"), angles = json_member(object, "angles");
  const char *axes;
  double angle[3];
  torsor_status status = reader_text(&axes, r, &sequence);
  if (status) return status;
  const bool good =
      strlen(axes) == 3 && strspn(axes, "xyz") == 3 && axes[0] != axes[1] && axes[1] != axes[2];
  char shown[96];
  if (!good)
    return reader_fail(r, &sequence, "for example \"zyx\" or \"zxz\"",
                       "must be three of the letters x, y, z, neighbours different, but is %s",
                       reader_show_text(axes, shown));
  status = reader_numbers(angle, 3, r, &angles);
  if (status) return status;
  *out = so3_identity();
  for (int i = 0; i < 3; ++i) {
    const v3 turn = {axes[i] == 'x' ? angle[i] : 0, axes[i] == 'y' ? angle[i] : 0,
                     axes[i] == 'z' ? angle[i] : 0};
    *out = so3_compose(*out, so3_exp(turn));
  }
  *out = so3_normalise(*out);
  return TORSOR_OK;
}

torsor_status physical_orientation(so3 *out, const reader *r, const json_node *node) {
  static const char *const keys[] = {"matrix", "quaternion", "rotation_vector", "euler", "angles"};
  enum { FORMS = 4, KEYS = 5 };
  static const char choice[] =
      "one of \"matrix\", \"quaternion\", \"rotation_vector\", \"euler\" (with \"angles\")";
  const torsor_status status = reader_object(r, node, "an orientation", keys, KEYS);
  if (status) {
    if (!cJSON_IsObject(node->item)) torsor_hint(r->error, "with %s", choice);
    return status;
  }
  int given = 0, form = -1;
  for (int i = FORMS - 1; i >= 0; --i)
    if (cJSON_GetObjectItemCaseSensitive(node->item, keys[i])) {
      ++given;
      form = i;
    }
  const json_node value = json_member(node, form < 0 ? keys[0] : keys[form]);
  const json_node angles = json_member(node, "angles");
  if (given != 1)
    return reader_fail(
        r, node, choice,
        given ? "gives an orientation in %d ways" : "gives no orientation (%d forms found)", given);
  if (angles.item && strcmp(keys[form], "euler") != 0)
    return reader_fail_key(r, &angles, "for example {\"euler\": \"zyx\", \"angles\": [0, 0, 0.1]}",
                           "\"angles\" belongs to \"euler\", not to \"%s\"", keys[form]);
  switch (form) {
  case 0:
    return read_rotation_matrix(out, r, &value);
  case 1:
    return read_quaternion(out, r, &value);
  case 2:
    return read_rotation_vector(out, r, &value);
  default:
    return read_euler(out, r, node);
  }
}

/* ---- angular velocity ------------------------------------------------------------------------ */

torsor_status physical_angular_velocity(torsor_angular_velocity *out, const reader *r,
                                        const json_node *node) {
  static const char *const keys[] = {"in", "value"};
  static const char *const axes[] = {"body", "inertial"};
  out->in_inertial = false;
  if (!cJSON_IsObject(node->item)) return reader_vector(&out->value, r, node);
  const json_node in = json_member(node, "in"), value = json_member(node, "value");
  torsor_status status = reader_object(r, node, "an angular velocity", keys, 2);
  int chosen = 0;
  if (!status) status = reader_word(&chosen, r, &in, axes, 2);
  if (!status) status = reader_vector(&out->value, r, &value);
  out->in_inertial = chosen == 1;
  return status;
}
