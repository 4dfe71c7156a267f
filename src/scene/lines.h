/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_LINES_H
#define TORSOR_SCENE_LINES_H

/** Text files of other programs, line by line, with errors that name the file and the line. */

#include <stdbool.h>
#include <stdio.h>

#include <torsor/base.h>

typedef struct line_reader {
  FILE *file;
  const char *name; /* of the file, for messages */
  char *line;       /* the current one, without its end */
  size_t room;
  int number; /* of the current line, from 1 */
  torsor_error *error;
} line_reader;

/** Opens a file; lines_close must follow, also after a failure. */
torsor_status lines_open(line_reader *r, const char *file, torsor_error *error);
void lines_close(line_reader *r);

/** Returns the next line without its end, or NULL behind the last one; the line may be changed. */
char *lines_next(line_reader *r);

/** Returns the status of reading after lines_next gave NULL: FILE where the file cannot be read
 *  on. */
torsor_status lines_status(const line_reader *r);

/** Fails with TORSOR_SCENE at a line of the file. */
torsor_status lines_fail(const line_reader *r, int line, const char *hint, const char *format, ...)
    TORSOR_PRINTF(4, 5);

/** Reads a number at *at, which moves behind it: with an exponent of E or D, or, as Nastran writes
 *  it, of a sign alone ("1.5-3").  Returns false where there is none. */
bool lines_number(double *out, char **at);

/** Reads a positive whole number. */
bool lines_count(long *out, char **at);

/** Room for one more in *list, which has `count` of `size` bytes: doubled where it is a power of
 *  two. */
bool lines_grow(void **list, int count, size_t size);

/** `name` beside the file `beside`, where it is relative.  False where it is too long. */
bool lines_beside(char *out, size_t size, const char *beside, const char *name);

#endif
