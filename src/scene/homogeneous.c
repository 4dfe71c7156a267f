/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/homogeneous.h"

#include <stdlib.h>
#include <string.h>

#include "scene/shapes.h"

#define PI 3.14159265358979323846

/* Volume of a solid, and per mass the moments of inertia about its centre, in its own axes. */
typedef struct bulk {
  double volume, height; /* height of the centre over the middle of the extents */
  v3 moment;
} bulk;

/* Moments of a solid with the mean squares x, y, z of its points' coordinates. */
static v3 moments(double x, double y, double z) {
  return (v3){y + z, x + z, x + y};
}

static bulk capsule(double r, double length) {
  const double tube = PI * r * r * length, ends = 4 * PI / 3 * r * r * r;
  const double part = tube / (tube + ends), rest = 1 - part;
  const double across = part * r * r / 4 + rest * r * r / 5;
  const double along =
      part * length * length / 12 + rest * (r * r / 5 + length * length / 4 + 3 * length * r / 8);
  return (bulk){tube + ends, 0, moments(across, across, along)};
}

static bulk torus(double ring, double tube) {
  const double across = ring * ring / 2 + 3 * tube * tube / 8, along = tube * tube / 4;
  return (bulk){2 * PI * PI * ring * tube * tube, 0, moments(across, across, along)};
}

static bulk measure(const torsor_solid *solid) {
  const double a = solid->size.x, b = solid->size.y, c = solid->size.z, box = a * b * c;
  switch (solid->kind) {
  case TORSOR_SOLID_SPHERE:
    return (bulk){PI / 6 * box, 0, moments(a * a / 20, b * b / 20, c * c / 20)};
  case TORSOR_SOLID_CYLINDER:
    return (bulk){PI / 4 * box, 0, moments(a * a / 16, b * b / 16, c * c / 12)};
  case TORSOR_SOLID_CONE:
    return (bulk){PI / 12 * box, -c / 4, moments(3 * a * a / 80, 3 * b * b / 80, 3 * c * c / 80)};
  case TORSOR_SOLID_CAPSULE:
    return capsule(a / 2, c - a);
  case TORSOR_SOLID_TORUS:
    return torus((a - c) / 2, c / 2);
  default:
    return (bulk){box, 0, moments(a * a / 12, b * b / 12, c * c / 12)};
  }
}

static m3 about(v3 d, double mass) {
  return m3_scale(m3_sub(m3_scale(m3_identity(), v3_dot(d, d)), m3_outer(d, d)), mass);
}

static void sum_up(homogeneous *out, const torsor_solid *solid, int count, double density) {
  m3 J = m3_zero();
  v3 first = v3_zero();
  out->mass = 0;
  for (int i = 0; i < count; ++i) {
    const bulk own = measure(&solid[i]);
    const double mass = density * own.volume;
    const m3 R = so3_matrix(solid[i].frame.R);
    const v3 c = se3_point(solid[i].frame, (v3){0, 0, own.height});
    const m3 turned = m3_mul(R, m3_mul(m3_diagonal(v3_scale(own.moment, mass)), m3_transpose(R)));
    J = m3_add(J, m3_add(turned, about(c, mass)));
    first = v3_axpy(mass, c, first);
    out->mass += mass;
  }
  out->center = v3_scale(first, 1 / out->mass);
  J = m3_sub(J, about(out->center, out->mass));
  out->inertia = m3_scale(m3_add(J, m3_transpose(J)), 0.5);
}

bool homogeneous_takes(const torsor_element_type *type) {
  bool mass = false, inertia = false, center = false;
  for (const torsor_param *p = type->params; p->key && type->kind == TORSOR_BODY; ++p) {
    mass |= strcmp(p->key, "mass") == 0 && p->kind == TORSOR_PARAM_NUMBER;
    inertia |= strcmp(p->key, "inertia") == 0 && p->kind == TORSOR_PARAM_INERTIA;
    center |= strcmp(p->key, "center_of_mass") == 0 && p->kind == TORSOR_PARAM_VECTOR;
  }
  return mass && inertia && center;
}

torsor_status homogeneous_read(homogeneous *out, const reader *r, const torsor_element_type *type,
                               const json_node *element) {
  static const char *const keys[] = {"mass", "inertia", "center_of_mass"};
  const json_node node = json_member(element, "density"), shape = json_member(element, "shape");
  double density = 0;
  *out = (homogeneous){0};
  if (!node.item || !homogeneous_takes(type)) return TORSOR_OK;
  torsor_status status = reader_number(&density, r, &node);
  if (!status && !(density > 0))
    status = reader_fail(r, &node, "kg/m^3", "must be greater than 0, but is %g", density);
  for (int i = 0; i < 3 && !status; ++i) {
    const json_node other = json_member(element, keys[i]);
    if (other.item)
      status = reader_fail_key(r, &other, "leave one of them out",
                               "\"%s\" follows from \"density\" and \"shape\"", keys[i]);
  }
  if (!status && !shape.item)
    status = reader_fail(r, &shape, "{\"type\": \"box\", \"size\": [x, y, z]}",
                         "is missing: \"density\" needs it");
  torsor_solid *solid = NULL;
  int count = 0;
  if (!status) status = shapes_solids(&solid, &count, r, &shape);
  if (!status && count == 0)
    status = reader_fail(r, &shape, NULL, "is empty, and \"density\" needs a shape");
  if (!status) sum_up(out, solid, count, density);
  out->given = !status;
  free(solid);
  return status;
}

bool homogeneous_give(void *member, const homogeneous *body, const torsor_param *param) {
  if (!body->given) return false;
  if (strcmp(param->key, "mass") == 0)
    *(double *)member = body->mass;
  else if (strcmp(param->key, "inertia") == 0)
    *(m3 *)member = body->inertia;
  else if (strcmp(param->key, "center_of_mass") == 0)
    *(v3 *)member = body->center;
  else
    return false;
  return true;
}
