/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_JSON_SCAN_H
#define TORSOR_SCENE_JSON_SCAN_H

#include <stddef.h>

#include <torsor/base.h>

/** Deepest nesting of arrays and objects: far beyond any scene, well within the stack and within
 *  the limit of the parser that follows. */
enum { JSON_DEPTH = 100 };

/** Check that `text` [length] is one JSON value as RFC 8259 has it, stricter where a lenient reader
 *  would misread it: keys of an object are unique, numbers are finite, strings hold no zero
 *  character.  `what` names the text in messages, e.g. "file".  Fills line, column, message and
 *  hint of `error`.  TORSOR_SCENE or TORSOR_MEMORY. */
torsor_status json_scan_check(const char *text, size_t length, const char *what,
                              torsor_error *error);

/** Bytes of a leading byte order mark: 3 or 0. */
size_t json_scan_bom(const char *text, size_t length);

/** Line and column (from 1, in characters) of byte `offset`. */
void json_scan_position(const char *text, size_t offset, int *line, int *column);

#endif
