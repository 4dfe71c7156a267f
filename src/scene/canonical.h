/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_CANONICAL_H
#define TORSOR_SCENE_CANONICAL_H

#include <cjson/cJSON.h>

#include "base/text.h"

/** Append `item` in the form that is the same for scenes that mean the same: no space, keys in the
 *  order of their bytes, numbers as %.17g, without comments and "$schema". */
void canonical_append(text *out, const cJSON *item);

/** 32 hexadecimal digits of XXH3-128 over `bytes` [length], high word first. */
void canonical_hash(char out[33], const char *bytes, size_t length);

#endif
