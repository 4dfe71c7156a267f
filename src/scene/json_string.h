/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_JSON_STRING_H
#define TORSOR_SCENE_JSON_STRING_H

#include <stdbool.h>
#include <stddef.h>

/** The four hexadecimal digits at `digits` [length], or -1. */
long json_string_hex4(const char *digits, size_t length);

/** Order of two valid JSON strings (both behind their opening quotes) by their decoded bytes. */
int json_string_compare(const char *a, const char *b);

/** Is the valid JSON string behind its opening quote equal to `plain`? */
bool json_string_equals(const char *string, const char *plain);

/** Is a text well-formed UTF-8? */
bool json_string_is_utf8(const char *text);

#endif
