/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/recording.h"

static torsor_status read_channels(unsigned *fields, const reader *r, const json_node *node) {
  const char *words[TORSOR_FIELDS];
  for (int f = 0; f < TORSOR_FIELDS; ++f) words[f] = torsor_field_name((torsor_field)f);
  torsor_status status = reader_array(r, node, "the channels");
  if (status) return status;
  *fields = 0;
  int i = 0;
  for (const cJSON *item = node->item->child; item && !status; item = item->next, ++i) {
    const json_node word = json_item(node, item, i);
    int field = 0;
    status = reader_word(&field, r, &word, words, TORSOR_FIELDS);
    *fields |= 1u << field;
  }
  if (!status && !i)
    status = reader_fail(r, node, "leave it out for the usual ones", "names no channel");
  return status;
}

static torsor_status read_full(torsor_recording *out, const reader *r, const json_node *full) {
  static const char *const keys[] = {"every", "channels"};
  if (!full->item) return TORSOR_OK;
  if (cJSON_IsBool(full->item)) return reader_boolean(&out->full, r, full);
  const json_node every = json_member(full, "every"), channels = json_member(full, "channels");
  torsor_status status = reader_object(r, full, "full", keys, sizeof keys / sizeof *keys);
  if (!status && every.item) status = reader_integer(&out->every, r, &every, 1);
  if (!status && channels.item) status = read_channels(&out->fields, r, &channels);
  out->full = true;
  return status;
}

torsor_status recording_read(torsor_recording *out, const reader *r, const json_node *output) {
  const json_node full = json_member(output, "full"), sync = json_member(output, "sync");
  char shown[96];
  torsor_status status = read_full(out, r, &full);
  if (!status && sync.item) status = reader_number(&out->sync, r, &sync);
  if (!status && !(out->sync >= 0))
    status = reader_fail(r, &sync, "seconds between writes", "must be 0 or greater, but is %s",
                         reader_show(sync.item, shown));
  return status;
}
