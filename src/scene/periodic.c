/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/periodic.h"

torsor_status periodic_check_keys(const reader *r, const json_node *node) {
  static const char *const keys[] = {"period", "period_unknown", "steps",
                                     "settle", "tolerance",      "max_iterations"};
  return reader_object(r, node, "periodic", keys, sizeof keys / sizeof *keys);
}

torsor_status periodic_read(torsor_periodic_settings *out, const reader *r, const json_node *node) {
  *out = (torsor_periodic_settings)TORSOR_PERIODIC_SETTINGS_INIT;
  if (!node->item) return TORSOR_OK;
  const struct {
    const char *key;
    int *value, least;
  } counts[] = {{"steps", &out->steps, 1},
                {"settle", &out->settle, 0},
                {"max_iterations", &out->max_iterations, 1}};
  const json_node period = json_member(node, "period"), free = json_member(node, "period_unknown");
  const json_node tolerance = json_member(node, "tolerance");
  torsor_status status = periodic_check_keys(r, node);
  if (!status && !period.item)
    status = reader_fail(r, &period, "that of what drives the motion, s, or a first guess",
                         "is missing: the period");
  if (!status) status = reader_positive(&out->period, r, &period, "the period, s");
  if (!status && free.item) status = reader_boolean(&out->unknown, r, &free);
  for (size_t i = 0; i < sizeof counts / sizeof *counts && !status; ++i) {
    const json_node item = json_member(node, counts[i].key);
    if (item.item) status = reader_integer(counts[i].value, r, &item, counts[i].least);
  }
  if (!status)
    status = reader_positive(&out->tolerance, r, &tolerance,
                             "largest gap after a period: parts of the model's size, rad");
  return status;
}
