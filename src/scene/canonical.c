/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/canonical.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "scene/reader.h"

static int compare_keys(const void *a, const void *b) {
  const cJSON *const *left = a, *const *right = b;
  return strcmp((*left)->string, (*right)->string);
}

/* Do the members of the object under this key act in their order? */
static bool is_ordered(const char *key) {
  return strcmp(key, "set") == 0 || strcmp(key, "reset") == 0;
}

static void append_object(text *out, const cJSON *object, bool ordered) {
  const size_t count = (size_t)cJSON_GetArraySize(object);
  const cJSON **member = calloc(count + 1, sizeof *member);
  if (!member) {
    out->failed = true;
    return;
  }
  size_t kept = 0;
  const cJSON *item;
  cJSON_ArrayForEach(item, object) {
    if (!reader_is_comment(item->string) && strcmp(item->string, "$schema") != 0)
      member[kept++] = item;
  }
  if (!ordered) qsort(member, kept, sizeof *member, compare_keys);
  text_append(out, "{");
  for (size_t i = 0; i < kept; ++i) {
    if (i) text_append(out, ",");
    text_json_string(out, member[i]->string);
    text_append(out, ":");
    if (cJSON_IsObject(member[i]))
      append_object(out, member[i], is_ordered(member[i]->string));
    else
      canonical_append(out, member[i]);
  }
  text_append(out, "}");
  free(member);
}

static void append_array(text *out, const cJSON *array) {
  const cJSON *item;
  text_append(out, "[");
  cJSON_ArrayForEach(item, array) {
    if (item != array->child) text_append(out, ",");
    canonical_append(out, item);
  }
  text_append(out, "]");
}

void canonical_append(text *out, const cJSON *item) {
  if (cJSON_IsObject(item))
    append_object(out, item, false);
  else if (cJSON_IsArray(item))
    append_array(out, item);
  else if (cJSON_IsString(item))
    text_json_string(out, item->valuestring);
  else if (cJSON_IsNumber(item))
    text_json_number(out, item->valuedouble);
  else
    text_append(out, cJSON_IsTrue(item) ? "true" : cJSON_IsFalse(item) ? "false" : "null");
}

void canonical_hash(char out[33], const char *bytes, size_t length) {
  const XXH128_hash_t hash = XXH3_128bits(bytes, length);
  snprintf(out, 33, "%016llx%016llx", (unsigned long long)hash.high64,
           (unsigned long long)hash.low64);
}
