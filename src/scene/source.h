/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_SOURCE_H
#define TORSOR_SCENE_SOURCE_H

#include <cjson/cJSON.h>

#include <torsor/base.h>

/** Largest file that is read, in bytes. */
enum { SOURCE_BYTES = 64 << 20 };

/** Text of `file` (zero-terminated; free it), its length, no more than SOURCE_BYTES.  TORSOR_FILE
 *  with the reason, TORSOR_MEMORY. */
torsor_status source_read(char **text, size_t *length, const char *file, torsor_error *error);

/** Check and parse `text` [length], zero-terminated.  `name` stands for the file in messages. */
torsor_status source_parse(cJSON **out, const char *text, size_t length, const char *name,
                           torsor_error *error);

#endif
