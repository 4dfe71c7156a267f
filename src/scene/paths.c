/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/paths.h"

#include <stdlib.h>

#include <torsor/path.h>

#include "scene/functions_private.h"
#include "scene/markers.h"
#include "scene/physical.h"

static const char *const kinds[] = {"end", "sheave", "drum"};

static const char example[] = "[{\"end\": \"load\"}, {\"sheave\": \"block\", \"axis\": [0, 1, 0], "
                              "\"radius\": 0.2, \"sense\": 1}, {\"end\": \"ground\"}]";

static torsor_status read_nonnegative(double *out, const reader *r, const json_node *station,
                                      const char *key) {
  const json_node node = json_member(station, key);
  if (!node.item) return TORSOR_OK;
  const torsor_status status = reader_number(out, r, &node);
  if (status || *out >= 0) return status;
  return reader_fail(r, &node, NULL, "must be 0 or greater, but is %g", *out);
}

static torsor_status read_sense(int *out, const reader *r, const json_node *station) {
  const json_node node = json_member(station, "sense");
  const char *const hint = "1: the rope runs counterclockwise about the axis; -1: clockwise";
  if (!node.item) return reader_fail(r, station, hint, "\"sense\" is missing");
  const torsor_status status = reader_integer(out, r, &node, -1);
  if (status || *out == 1 || *out == -1) return status;
  return reader_fail(r, &node, hint, "must be 1 or -1, but is %d", *out);
}

static torsor_status read_wheel(torsor_station *out, const reader *r, const json_node *station) {
  const json_node axis = json_member(station, "axis"), radius = json_member(station, "radius");
  const json_node turns = json_member(station, "turns");
  if (!axis.item)
    return reader_fail(r, station, "[x, y, z], in the marker's axes",
                       "\"axis\" is missing: the direction about which it turns");
  if (!radius.item)
    return reader_fail(r, station, "in m, to the middle of the rope", "\"radius\" is missing");
  torsor_status status = physical_direction(&out->axis, r, &axis);
  if (!status) status = reader_positive(&out->radius, r, &radius, "in m");
  if (!status) status = read_sense(&out->sense, r, station);
  if (!status) status = read_nonnegative(&out->friction, r, station, "friction");
  if (!status) status = read_nonnegative(&out->bending, r, station, "bending");
  if (!status && turns.item) status = reader_integer(&out->turns, r, &turns, 0);
  return status;
}

static torsor_status find_kind(torsor_station_kind *out, const reader *r,
                               const json_node *station) {
  int found = 0;
  for (int k = 0; k < 3; ++k) {
    if (!json_member(station, kinds[k]).item) continue;
    *out = (torsor_station_kind)k;
    ++found;
  }
  if (found == 1) return TORSOR_OK;
  return reader_fail(r, station, example, "must have one of \"end\", \"sheave\" and \"drum\"");
}

static torsor_status read_station(torsor_station *out, const element_context *context,
                                  const json_node *station) {
  static const char *const keys[] = {"end",   "sheave",   "drum",    "axis", "radius",
                                     "sense", "friction", "bending", "turns"};
  static const char *const drum[] = {"drum", "axis", "radius", "sense"};
  static const char *const end[] = {"end"};
  const reader *r = context->r;
  torsor_status status = reader_object(r, station, "a station", keys, sizeof keys / sizeof *keys);
  if (!status) status = find_kind(&out->kind, r, station);
  if (!status && out->kind == TORSOR_STATION_END)
    status = reader_object(r, station, "an end", end, 1);
  if (!status && out->kind == TORSOR_STATION_DRUM)
    status = reader_object(r, station, "a drum", drum, 4);
  if (!status && out->kind != TORSOR_STATION_END) status = read_wheel(out, r, station);
  if (status) return status;
  const json_node marker = json_member(station, kinds[out->kind]);
  return marker_read(&out->marker, context, &marker,
                     out->kind == TORSOR_STATION_END ? 0 : TORSOR_NEEDS_ORIENTATION);
}

torsor_status path_read(torsor_path *out, const element_context *context, const json_node *node) {
  const reader *r = context->r;
  function *f = NULL;
  torsor_status status = reader_array(r, node, "a list of stations");
  if (status) return status;
  const int count = cJSON_GetArraySize(node->item);
  if (count < 2) return reader_fail(r, node, example, "has %d stations, but needs two ends", count);
  status = function_add(&f, context->functions, r);
  if (status) return status;
  f->station = calloc((size_t)count, sizeof *f->station);
  if (!f->station) return function_out_of_memory(r);
  *out = (torsor_path){f->station, count};
  const cJSON *item = node->item->child;
  for (int i = 0; item && !status; ++i, item = item->next) {
    const json_node station = json_item(node, item, i);
    status = read_station(&f->station[i], context, &station);
  }
  return status;
}
