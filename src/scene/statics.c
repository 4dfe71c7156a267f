/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/statics.h"

/* Keys of the method "arc_length" only. */
static torsor_status check_method(const reader *r, const json_node *node, bool arc) {
  static const char *const special[] = {"arc", "points"};
  for (size_t i = 0; i < sizeof special / sizeof *special; ++i) {
    const json_node member = json_member(node, special[i]);
    if (member.item && !arc)
      return reader_fail_key(r, &member, "leave it out, or add \"method\": \"arc_length\"",
                             "the method \"newton\" does not know \"%s\"", special[i]);
  }
  return TORSOR_OK;
}

static torsor_status read_words(torsor_statics *out, const reader *r, const json_node *node) {
  static const char *const methods[] = {"newton", "arc_length"};
  static const char *const loads[] = {"all", "functions"};
  static const char *const rows[] = {"steps", "critical"};
  const json_node method = json_member(node, "method"), scaled = json_member(node, "loads");
  const json_node output = json_member(node, "rows");
  int chosen = 0;
  torsor_status status = TORSOR_OK;
  if (method.item) status = reader_word(&chosen, r, &method, methods, 2);
  out->method = chosen ? TORSOR_STATICS_ARC_LENGTH : TORSOR_STATICS_NEWTON;
  if (scaled.item && !status) {
    status = reader_word(&chosen, r, &scaled, loads, 2);
    out->loading = chosen ? TORSOR_LOADING_FUNCTIONS : TORSOR_LOADING_ALL;
  }
  if (output.item && !status) {
    status = reader_word(&chosen, r, &output, rows, 2);
    out->only_critical = chosen == 1;
  }
  return status ? status : check_method(r, node, out->method == TORSOR_STATICS_ARC_LENGTH);
}

static torsor_status read_until(double *out, const reader *r, const json_node *node) {
  if (!node->item) return TORSOR_OK;
  const torsor_status status = reader_number(out, r, node);
  if (status || *out > 0 || *out < 0) return status;
  return reader_fail(r, node, "1 is the whole load",
                     "the path begins at load 0, and cannot end there");
}

torsor_status statics_check_keys(const reader *r, const json_node *node) {
  static const char *const keys[] = {"method",    "loads",          "until",       "steps",
                                     "arc",       "points",         "rows",        "buckling",
                                     "tolerance", "max_iterations", "max_halvings"};
  return reader_object(r, node, "statics", keys, sizeof keys / sizeof *keys);
}

torsor_status statics_read(torsor_statics *out, const reader *r, const json_node *node) {
  *out = torsor_statics_default();
  if (!node->item) return TORSOR_OK;
  const json_node until = json_member(node, "until");
  const struct {
    const char *key;
    int *value, least;
  } counts[] = {{"steps", &out->steps, 1},
                {"points", &out->points, 1},
                {"buckling", &out->buckling, 0},
                {"max_iterations", &out->max_iterations, 1},
                {"max_halvings", &out->max_halvings, 0}};
  const struct {
    const char *key, *hint;
    double *value;
  } sizes[] = {
      {"arc", "longest step along the path", &out->arc},
      {"tolerance", "of the last correction: parts of the model's size, rad", &out->tolerance}};
  torsor_status status = statics_check_keys(r, node);
  if (!status) status = read_words(out, r, node);
  if (!status) status = read_until(&out->until, r, &until);
  for (size_t i = 0; i < sizeof counts / sizeof *counts && !status; ++i) {
    const json_node item = json_member(node, counts[i].key);
    if (item.item) status = reader_integer(counts[i].value, r, &item, counts[i].least);
  }
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !status; ++i) {
    const json_node item = json_member(node, sizes[i].key);
    status = reader_positive(sizes[i].value, r, &item, sizes[i].hint);
  }
  return status;
}
