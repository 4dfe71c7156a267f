/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/layers.h"

#include <stdlib.h>

#include "scene/functions_private.h"

static torsor_status read_positive(double *out, const reader *r, const json_node *layer,
                                   const char *key) {
  const json_node node = json_member(layer, key);
  if (!node.item) return reader_fail(r, &node, NULL, "is missing: a layer needs it");
  const torsor_status status = reader_number(out, r, &node);
  if (status || *out > 0) return status;
  return reader_fail(r, &node, NULL, "must be greater than 0, but is %g", *out);
}

static torsor_status read_ratio(double *out, const reader *r, const json_node *layer,
                                const char *key) {
  const json_node node = json_member(layer, key);
  if (!node.item) return reader_fail(r, &node, NULL, "is missing: a layer needs it");
  return reader_number(out, r, &node);
}

/* {"E", "nu"}. */
static torsor_status read_isotropic(torsor_layer *out, const reader *r, const json_node *layer) {
  const json_node ratio = json_member(layer, "nu");
  torsor_status status = read_positive(&out->E1, r, layer, "E");
  if (!status) status = read_ratio(&out->nu12, r, layer, "nu");
  if (status) return status;
  if (!(out->nu12 > -1 && out->nu12 <= 0.5))
    return reader_fail(r, &ratio, "Poisson's ratio is between -1 and 0.5", "is out of range");
  out->E2 = out->E1;
  out->G12 = out->G13 = out->G23 = out->E1 / (2 * (1 + out->nu12));
  return TORSOR_OK;
}

/* {"E1", "E2", "nu12", "G12", "G13", "G23"}; G13 is G12 where it is left out, and so is G23. */
static torsor_status read_orthotropic(torsor_layer *out, const reader *r, const json_node *layer) {
  const json_node ratio = json_member(layer, "nu12");
  torsor_status status = read_positive(&out->E1, r, layer, "E1");
  if (!status) status = read_positive(&out->E2, r, layer, "E2");
  if (!status) status = read_ratio(&out->nu12, r, layer, "nu12");
  if (!status) status = read_positive(&out->G12, r, layer, "G12");
  if (status) return status;
  out->G13 = out->G23 = out->G12;
  if (json_member(layer, "G13").item) status = read_positive(&out->G13, r, layer, "G13");
  if (!status && json_member(layer, "G23").item) status = read_positive(&out->G23, r, layer, "G23");
  if (status || out->nu12 * out->nu12 * out->E2 < out->E1) return status;
  return reader_fail(r, &ratio, "a strain along the fibres costs energy where nu12^2 < E1/E2",
                     "is out of range");
}

static torsor_status read_layer(torsor_layer *out, const reader *r, const json_node *layer) {
  static const char *const keys[] = {"thickness", "angle", "density", "E",   "nu", "E1",
                                     "E2",        "nu12",  "G12",     "G13", "G23"};
  const json_node angle = json_member(layer, "angle");
  torsor_status status = reader_object(r, layer, "a layer", keys, sizeof keys / sizeof *keys);
  if (!status) status = read_positive(&out->thickness, r, layer, "thickness");
  if (!status) status = read_positive(&out->density, r, layer, "density");
  if (!status && angle.item) status = reader_number(&out->angle, r, &angle);
  if (status) return status;
  const bool isotropic = json_member(layer, "E").item != NULL;
  const json_node other = json_member(layer, "E1");
  if (isotropic && other.item)
    return reader_fail(r, &other, "\"E\" and \"nu\", or \"E1\", \"E2\", \"nu12\" and \"G12\"",
                       "an isotropic layer has no \"E1\"");
  return isotropic ? read_isotropic(out, r, layer) : read_orthotropic(out, r, layer);
}

torsor_status layers_read(torsor_layers *out, function_list *list, const reader *r,
                          const json_node *node) {
  function *f = NULL;
  torsor_status status = reader_array(r, node, "a list of layers");
  if (status) return status;
  const int count = cJSON_GetArraySize(node->item);
  if (!count)
    return reader_fail(r, node, "[{\"thickness\": 1e-3, \"E1\": ..}, ..], from the lowest one up",
                       "a laminate has one layer at least");
  status = function_add(&f, list, r);
  if (status) return status;
  f->layer = calloc((size_t)count, sizeof *f->layer);
  if (!f->layer) return function_out_of_memory(r);
  *out = (torsor_layers){f->layer, count};
  const cJSON *item = node->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node layer = json_item(node, item, i);
    status = read_layer(&f->layer[i], r, &layer);
  }
  return status;
}
