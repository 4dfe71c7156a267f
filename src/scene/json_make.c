/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/json_make.h"

/* Append `item` to `array`; one of them may be NULL, then both are deleted.  Returns the array. */
static cJSON *append(cJSON *array, cJSON *item) {
  if (array && item && cJSON_AddItemToArray(array, item)) return array;
  cJSON_Delete(array);
  cJSON_Delete(item);
  return NULL;
}

cJSON *json_make_numbers(const double *value, int count) {
  cJSON *all = cJSON_CreateArray();
  for (int i = 0; i < count && all; ++i) all = append(all, cJSON_CreateNumber(value[i]));
  return all;
}

cJSON *json_make_rows(const double *value, int rows, int columns) {
  cJSON *all = cJSON_CreateArray();
  for (int i = 0; i < rows && all; ++i)
    all = append(all, json_make_numbers(value + (size_t)i * (size_t)columns, columns));
  return all;
}

cJSON *json_make_pairs(const double *x, const double *y, int count) {
  cJSON *all = cJSON_CreateArray();
  for (int i = 0; i < count && all; ++i)
    all = append(all, json_make_numbers((const double[]){x[i], y[i]}, 2));
  return all;
}

cJSON *json_make_texts(const char *const *value, int count) {
  cJSON *all = cJSON_CreateArray();
  for (int i = 0; i < count && all; ++i) all = append(all, cJSON_CreateString(value[i]));
  return all;
}

cJSON *json_make_member(cJSON *object, const char *key, cJSON *value) {
  if (object && value && cJSON_AddItemToObject(object, key, value)) return object;
  cJSON_Delete(object);
  cJSON_Delete(value);
  return NULL;
}

cJSON *json_make_object(const char *key, cJSON *value) {
  return json_make_member(cJSON_CreateObject(), key, value);
}
