/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elements/section_stress.h"
#include "scene/functions_private.h"
#include "scene/sections.h"

/* out K = row, with K symmetric and positive definite: from strains to the forces that make
 * them. */
static void divide(double out[6], m6 K, const double row[6]) {
  memcpy(out, row, 6 * sizeof *out);
  for (int k = 0; k < 6; ++k)
    for (int i = k + 1; i < 6; ++i) {
      const double factor = K.m[i][k] / K.m[k][k];
      for (int j = k; j < 6; ++j) K.m[i][j] -= factor * K.m[k][j];
      out[i] -= factor * out[k];
    }
  for (int i = 5; i >= 0; --i) {
    for (int j = i + 1; j < 6; ++j) out[i] -= K.m[i][j] * out[j];
    out[i] /= K.m[i][i];
  }
}

/* Three rows of stresses per strain. */
static torsor_status read_recovery(torsor_section_point *point, const torsor_section *s,
                                   const reader *r, const json_node *node) {
  torsor_status status = reader_array(r, node, "three rows of stresses per strain");
  if (status) return status;
  if (cJSON_GetArraySize(node->item) != 3)
    return reader_fail(r, node, "stresses xx, xy and xz per strain and curvature, in Pa and Pa m",
                       "needs 3 rows, but has %d", cJSON_GetArraySize(node->item));
  const cJSON *item = node->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    double strain[6];
    const json_node row = json_item(node, item, i);
    status = reader_numbers(strain, 6, r, &row);
    if (!status) divide(point->recovery[i], s->stiffness, strain);
  }
  return status;
}

static torsor_status read_place(torsor_section_point *point, const torsor_section *s,
                                const reader *r, const json_node *node) {
  double place[2];
  const torsor_status status = reader_numbers(place, 2, r, node);
  if (status) return status;
  point->y = place[0];
  point->z = place[1];
  if (section_has_place(s, point->y, point->z)) return TORSOR_OK;
  return reader_fail(r, node, "[y, z] from the middle of the section, in m",
                     "is not in the material of the section");
}

static torsor_status check_name(const char *name, const reader *r, const json_node *node) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const size_t length = strlen(name);
  if (length && length < TORSOR_POINT_NAME && strspn(name, letters) == length) return TORSOR_OK;
  return reader_fail(r, node, "it becomes part of the names of signals",
                     "the name of a point has 1 to %d letters, digits, \"_\" and \"-\"",
                     TORSOR_POINT_NAME - 1);
}

static torsor_status read_point(torsor_section_point *point, const torsor_section *s,
                                const reader *r, const json_node *node) {
  const char *name = node->item->string;
  const torsor_status status = check_name(name, r, node);
  if (status) return status;
  snprintf(point->name, sizeof point->name, "%s", name);
  return s->shape ? read_place(point, s, r, node) : read_recovery(point, s, r, node);
}

torsor_status section_points_read(torsor_section *out, function_list *list, const reader *r,
                                  const json_node *section) {
  const json_node points = json_member(section, "points");
  char shown[96];
  if (!points.item) return TORSOR_OK;
  if (!cJSON_IsObject(points.item))
    return reader_fail(
        r, &points, out->shape ? "{\"top\": [0, 0.05], ..}" : "{\"cap\": [[..], [..], [..]], ..}",
        "must be an object, but is %s", reader_show(points.item, shown));
  function *f = NULL;
  torsor_status status = function_add(&f, list, r);
  if (status) return status;
  f->point = calloc((size_t)cJSON_GetArraySize(points.item) + 1, sizeof *f->point);
  if (!f->point) return function_out_of_memory(r);
  out->point = f->point;
  for (const cJSON *item = points.item->child; item && !status; item = item->next) {
    const json_node node = json_member(&points, item->string);
    if (!reader_is_comment(item->string))
      status = read_point(&f->point[out->points++], out, r, &node);
  }
  if (!out->points) out->point = NULL; /* comments alone */
  return status;
}
