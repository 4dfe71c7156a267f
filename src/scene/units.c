/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/scene.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/source.h"

void torsor_units_destroy(torsor_units *units) {
  free(units->signal);
  *units = (torsor_units){0};
}

const char *torsor_units_find(const torsor_units *units, const char *signal) {
  for (int i = 0; i < units->count; ++i)
    if (!strcmp(units->signal[i].name, signal)) return units->signal[i].unit;
  return "";
}

static const char *text_of(const cJSON *object, const char *key) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);
  return cJSON_IsString(item) ? item->valuestring : "";
}

torsor_status torsor_units_load(torsor_units *out, const char *file, torsor_error *error) {
  char *bytes = NULL;
  size_t length = 0;
  cJSON *root = NULL;
  *out = (torsor_units){0};
  torsor_status status = source_read(&bytes, &length, file, error);
  if (!status) status = source_parse(&root, bytes, length, file, error);
  const cJSON *signals = cJSON_GetObjectItemCaseSensitive(root, "signals"), *item;
  if (!status) {
    out->signal = calloc((size_t)cJSON_GetArraySize(signals) + 1, sizeof *out->signal);
    if (!out->signal) status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  }
  if (!status) cJSON_ArrayForEach(item, signals) {
      torsor_signal_unit *signal = &out->signal[out->count++];
      snprintf(signal->name, sizeof signal->name, "%s", text_of(item, "signal"));
      snprintf(signal->unit, sizeof signal->unit, "%s", text_of(item, "unit"));
    }
  if (!status && error) *error = (torsor_error){0};
  cJSON_Delete(root);
  free(bytes);
  return status;
}
