/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/physical.h"

const shape_kind shape_kinds[SHAPE_KINDS] = {
    {"box", TORSOR_SOLID_BOX, {"size"}},
    {"ellipsoid", TORSOR_SOLID_SPHERE, {"size"}},
    {"sphere", TORSOR_SOLID_SPHERE, {"radius"}},
    {"cylinder", TORSOR_SOLID_CYLINDER, {"radius", "length", "from", "to"}},
    {"cone", TORSOR_SOLID_CONE, {"radius", "length", "from", "to"}},
    {"capsule", TORSOR_SOLID_CAPSULE, {"radius", "length", "from", "to"}},
    {"torus", TORSOR_SOLID_TORUS, {"radius", "tube"}},
};

/* ---- parts ----------------------------------------------------------------------------------- */

static torsor_status read_positive(double *out, const reader *r, const json_node *shape,
                                   const char *key) {
  const json_node node = json_member(shape, key);
  if (!node.item)
    return reader_fail(r, &node, NULL, "is missing: a %s needs it",
                       json_member(shape, "type").item->valuestring);
  return reader_positive(out, r, &node, "m");
}

static torsor_status read_size(v3 *out, const reader *r, const json_node *shape) {
  const json_node node = json_member(shape, "size");
  if (!node.item)
    return reader_fail(r, &node, "extents along x, y, z, in m", "is missing: a %s needs it",
                       json_member(shape, "type").item->valuestring);
  const torsor_status status = reader_vector(out, r, &node);
  if (status || (out->x > 0 && out->y > 0 && out->z > 0)) return status;
  return reader_fail(r, &node, "extents along x, y, z, in m",
                     "must be greater than 0, but is [%g, %g, %g]", out->x, out->y, out->z);
}

static int digit(char c) {
  return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "#rrggbb" */
static torsor_status read_color(v3 *out, const reader *r, const json_node *node) {
  const char *text = NULL;
  double part[3];
  char shown[96];
  const torsor_status status = reader_text(&text, r, node);
  if (status) return status;
  bool good = text[0] == '#' && strlen(text) == 7;
  for (int i = 0; good && i < 3; ++i) {
    const int high = digit(text[1 + 2 * i] | 0x20), low = digit(text[2 + 2 * i] | 0x20);
    good = high >= 0 && low >= 0;
    part[i] = (16 * high + low) / 255.0;
  }
  if (!good)
    return reader_fail(r, node, "red, green and blue in hexadecimal digits: \"#3070b0\"",
                       "must be a colour like \"#3070b0\", but is %s",
                       reader_show_text(text, shown));
  *out = v3_load(part);
  return TORSOR_OK;
}

/* The smallest rotation that takes z to the unit vector t; half a turn is one about x. */
static so3 turn_to(v3 t) {
  const v3 z = {0, 0, 1}, across = v3_cross(z, t);
  const double sine = v3_norm(across);
  if (sine == 0) return so3_exp((v3){t.z < 0 ? 3.14159265358979323846 : 0, 0, 0});
  return so3_exp(v3_scale(across, atan2(sine, t.z) / sine));
}

/* Length and frame of a long solid: "from" and "to", or "length" along z about the position. */
static torsor_status read_length(double *length, se3 *frame, const reader *r,
                                 const json_node *shape) {
  const json_node from = json_member(shape, "from"), to = json_member(shape, "to");
  if (!from.item && !to.item) return read_positive(length, r, shape, "length");
  static const char *const others[] = {"length", "position", "orientation"};
  v3 a, b;
  torsor_status status = reader_vector(&a, r, &from);
  if (!status) status = reader_vector(&b, r, &to);
  if (status) return status;
  for (int i = 0; i < 3; ++i) {
    const json_node other = json_member(shape, others[i]);
    if (other.item)
      return reader_fail_key(r, &other, "leave it out",
                             "\"from\" and \"to\" say already where the shape is");
  }
  const v3 way = v3_sub(b, a);
  *length = v3_norm(way);
  if (!(*length > 0)) return reader_fail(r, &to, "give another point", "is where it starts");
  *frame = (se3){turn_to(v3_scale(way, 1 / *length)), v3_scale(v3_add(a, b), 0.5)};
  return TORSOR_OK;
}

/* ---- a shape --------------------------------------------------------------------------------- */

static torsor_status read_kind(const shape_kind **out, const reader *r, const json_node *shape) {
  static const char *const common[] = {"type", "position", "orientation", "color"};
  const char *words[SHAPE_KINDS], *keys[4 + SHAPE_KEYS];
  const json_node type = json_member(shape, "type");
  char shown[96];
  int chosen = 0, count = 4;
  for (int i = 0; i < SHAPE_KINDS; ++i) words[i] = shape_kinds[i].name;
  if (!cJSON_IsObject(shape->item))
    return reader_fail(r, shape, "{\"type\": \"sphere\", \"radius\": 0.1}",
                       "must be a shape or a list of shapes, but is %s",
                       reader_show(shape->item, shown));
  const torsor_status status = reader_word(&chosen, r, &type, words, SHAPE_KINDS);
  if (status) return status;
  *out = &shape_kinds[chosen];
  memcpy(keys, common, sizeof common);
  for (int i = 0; (*out)->key[i]; ++i) keys[count++] = (*out)->key[i];
  return reader_object(r, shape, (*out)->name, keys, count);
}

static torsor_status read_extents(torsor_solid *solid, const shape_kind *kind, const reader *r,
                                  const json_node *shape) {
  double radius = 0, second = 0;
  if (strcmp(kind->key[0], "size") == 0) return read_size(&solid->size, r, shape);
  torsor_status status = read_positive(&radius, r, shape, "radius");
  if (!status && solid->kind == TORSOR_SOLID_TORUS)
    status = read_positive(&second, r, shape, "tube");
  else if (!status && solid->kind != TORSOR_SOLID_SPHERE)
    status = read_length(&second, &solid->frame, r, shape);
  solid->size = (v3){2 * radius, 2 * radius, second};
  if (solid->kind == TORSOR_SOLID_SPHERE) solid->size.z = 2 * radius;
  if (solid->kind == TORSOR_SOLID_CAPSULE) solid->size.z += 2 * radius;
  if (solid->kind == TORSOR_SOLID_TORUS)
    solid->size = (v3){2 * (radius + second), 2 * (radius + second), 2 * second};
  return status;
}

static torsor_status read_shape(torsor_solid *out, const reader *r, const json_node *shape) {
  const shape_kind *kind = NULL;
  const json_node position = json_member(shape, "position"), color = json_member(shape, "color");
  const json_node orientation = json_member(shape, "orientation");
  *out = (torsor_solid){.frame = se3_identity(), .color.x = nan("")};
  torsor_status status = read_kind(&kind, r, shape);
  if (status) return status;
  out->kind = kind->solid;
  status = read_extents(out, kind, r, shape);
  if (!status && position.item) status = reader_vector(&out->frame.x, r, &position);
  if (!status && orientation.item) status = physical_orientation(&out->frame.R, r, &orientation);
  if (!status && color.item) status = read_color(&out->color, r, &color);
  return status;
}

torsor_status shapes_solids(torsor_solid **out, int *count, const reader *r,
                            const json_node *shape) {
  const bool list = cJSON_IsArray(shape->item);
  *count = list ? cJSON_GetArraySize(shape->item) : 1;
  *out = calloc((size_t)*count + 1, sizeof **out);
  if (!*out) return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
  torsor_status status = list ? TORSOR_OK : read_shape(*out, r, shape);
  const cJSON *item = list ? shape->item->child : NULL;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node one = json_item(shape, item, i);
    status = read_shape(&(*out)[i], r, &one);
  }
  return status;
}

torsor_status shapes_read(torsor_builder *builder, const reader *r, const char *body,
                          const json_node *element) {
  const json_node shape = json_member(element, "shape");
  torsor_solid *solid = NULL;
  int count = 0;
  if (!shape.item) return TORSOR_OK;
  torsor_status status = shapes_solids(&solid, &count, r, &shape);
  if (!status) {
    if (r->error) r->error->path[0] = '\0';
    status = torsor_builder_shape(builder, body, solid, count, r->error);
    status = reader_locate(r, &shape.path, status);
  }
  free(solid);
  return status;
}
