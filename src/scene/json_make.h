/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_JSON_MAKE_H
#define TORSOR_SCENE_JSON_MAKE_H

/** Values of JSON from numbers and texts.  Each function returns NULL when memory is short. */

#include <cjson/cJSON.h>

/** An array of `count` numbers. */
cJSON *json_make_numbers(const double *value, int count);
/** An array of `rows` arrays; value [rows x columns] by rows. */
cJSON *json_make_rows(const double *value, int rows, int columns);
/** An array of the pairs [x, y], `count` of them. */
cJSON *json_make_pairs(const double *x, const double *y, int count);
/** An array of `count` texts. */
cJSON *json_make_texts(const char *const *value, int count);
/** An object with one member; `value` is owned by it, or deleted on failure.  A NULL value gives
 *  NULL. */
cJSON *json_make_object(const char *key, cJSON *value);
/** Add a member to `object`; on failure both are deleted.  Returns the object. */
cJSON *json_make_member(cJSON *object, const char *key, cJSON *value);

#endif
