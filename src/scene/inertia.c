/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/inertia.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "liegroup/moments.h"
#include "scene/physical.h"

static void swap_descending(double *a, double *b) {
  const double larger = fmax(*a, *b), smaller = fmin(*a, *b);
  *a = larger;
  *b = smaller;
}

/* `floor`: a moment below it is zero within the rounding of its computation. */
static torsor_status check_moments(const reader *r, const json_node *node, v3 moment,
                                   double floor) {
  if (!(moment.z > floor))
    return reader_fail(r, node, "inertia about the centre of mass, in kg m^2",
                       "is not positive definite: its principal moments are %g, %g, %g", moment.x,
                       moment.y, moment.z);
  if (!moments_of_body(moment))
    return reader_fail(r, node, "no principal moment exceeds the sum of the other two",
                       "is not the inertia of a body: of its principal moments %g > %g + %g",
                       moment.x, moment.y, moment.z);
  return TORSOR_OK;
}

static torsor_status read_diagonal(m3 *out, const reader *r, const json_node *node) {
  v3 J;
  const torsor_status status = reader_vector(&J, r, node);
  if (status) return status;
  *out = m3_diagonal(J);
  swap_descending(&J.x, &J.y);
  swap_descending(&J.y, &J.z);
  swap_descending(&J.x, &J.y);
  return check_moments(r, node, J, 0);
}

/* Checks a full matrix whose entries are known to `scale` times rounding. */
static torsor_status check_matrix(const reader *r, const json_node *node, m3 J, double scale) {
  return check_moments(r, node, moments_principal(J), 16 * DBL_EPSILON * scale);
}

static torsor_status read_matrix(m3 *out, const reader *r, const json_node *node) {
  const torsor_status status = reader_matrix(out, r, node);
  if (status) return status;
  const double scale = m3_largest(*out);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j) {
      const double a = out->m[i][j], b = out->m[j][i];
      /* Expressions of a few dozen operations may round differently. */
      if (fabs(a - b) > 64 * DBL_EPSILON * scale)
        return reader_fail(r, node, "an inertia matrix is symmetric",
                           "is not symmetric: entry [%d][%d] is %g, entry [%d][%d] is %g", i, j, a,
                           j, i, b);
      out->m[i][j] = out->m[j][i] = a / 2 + b / 2;
    }
  return check_matrix(r, node, *out, scale);
}

/* ---- six numbers ----------------------------------------------------------------------------- */

/* Reads the products xy, xz, yz with their sign, which has to be named, into the matrix. */
static torsor_status read_products(m3 *out, const reader *r, const json_node *node) {
  static const char *const words[] = {"matrix_entries", "integrals"};
  const json_node products = json_member(node, "products");
  const json_node sign = json_member(node, "products_are");
  double p[3];
  int chosen = 0;
  if (!products.item && sign.item)
    return reader_fail_key(r, &sign, "give \"products\": [xy, xz, yz], too",
                           "is the sign of products of inertia that are missing");
  if (!products.item) return TORSOR_OK;
  if (!sign.item)
    return reader_fail_key(r, &products,
                           "add \"products_are\": \"matrix_entries\" (xy = - integral of x y dm) "
                           "or \"integrals\" (xy = integral of x y dm)",
                           "has a sign that programs do not agree about");
  torsor_status status = reader_numbers(p, 3, r, &products);
  if (!status) status = reader_word(&chosen, r, &sign, words, 2);
  const double s = chosen ? -1 : 1;
  out->m[0][1] = out->m[1][0] = s * p[0];
  out->m[0][2] = out->m[2][0] = s * p[1];
  out->m[1][2] = out->m[2][1] = s * p[2];
  return status;
}

/* Moments and products, perhaps in axes of their own; what is about another point is checked when
 * that is taken off. */
static torsor_status read_object(m3 *out, const reader *r, const json_node *node) {
  static const char *const keys[] = {"moments", "products", "products_are", "orientation", "about"};
  const json_node moments = json_member(node, "moments"), about = json_member(node, "about");
  const json_node orientation = json_member(node, "orientation");
  v3 J;
  so3 turn = so3_identity();
  torsor_status status = reader_object(r, node, "an inertia", keys, 5);
  if (!status) status = reader_vector(&J, r, &moments);
  if (status) return status;
  *out = m3_diagonal(J);
  status = read_products(out, r, node);
  if (!status && orientation.item) status = physical_orientation(&turn, r, &orientation);
  if (status) return status;
  const m3 R = so3_matrix(turn);
  if (orientation.item) *out = m3_mul(R, m3_mul(*out, m3_transpose(R)));
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < i; ++j) out->m[i][j] = out->m[j][i] = out->m[i][j] / 2 + out->m[j][i] / 2;
  return about.item ? TORSOR_OK : check_matrix(r, node, *out, m3_largest(*out));
}

torsor_status inertia_read(m3 *out, const reader *r, const json_node *node) {
  if (cJSON_IsObject(node->item)) return read_object(out, r, node);
  if (!cJSON_IsArray(node->item) || cJSON_GetArraySize(node->item) != 3) {
    char shown[96];
    return reader_fail(r, node,
                       "inertia about the centre of mass, body axes, in kg m^2; other axes or "
                       "another point: {\"moments\": [..], ..}",
                       "must be [Jx, Jy, Jz] or a 3x3 matrix, but is %s",
                       reader_show(node->item, shown));
  }
  return cJSON_IsArray(node->item->child) ? read_matrix(out, r, node) : read_diagonal(out, r, node);
}

/* ---- another point --------------------------------------------------------------------------- */

static void *find_member(const torsor_element_type *type, const char *key, torsor_param_kind kind,
                         void *instance) {
  for (const torsor_param *p = type->params; p->key; ++p)
    if (p->kind == kind && strcmp(p->key, key) == 0) return (char *)instance + p->offset;
  return NULL;
}

torsor_status inertia_complete(void *instance, const reader *r, const torsor_element_type *type,
                               const json_node *element) {
  const json_node node = json_member(element, "inertia");
  const json_node about = json_member(&node, "about");
  m3 *J = find_member(type, "inertia", TORSOR_PARAM_INERTIA, instance);
  const double *mass = find_member(type, "mass", TORSOR_PARAM_NUMBER, instance);
  const v3 *center = find_member(type, "center_of_mass", TORSOR_PARAM_VECTOR, instance);
  v3 point;
  if (!J || !about.item) return TORSOR_OK;
  if (!mass || !center)
    return reader_fail_key(r, &about, "give it about the centre of mass",
                           "a %s takes no inertia about another point", type->name);
  const torsor_status status = reader_vector(&point, r, &about);
  if (status) return status;
  const v3 d = v3_sub(point, *center);
  const double scale = m3_largest(*J);
  const m3 arm = m3_sub(m3_scale(m3_identity(), v3_dot(d, d)), m3_outer(d, d));
  *J = m3_sub(*J, m3_scale(arm, *mass));
  return check_matrix(r, &node, *J, scale);
}
