/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_RESULTS_FILE_H
#define TORSOR_RESULTS_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/** Write all `size` bytes to the descriptor `file`; false with errno set when it cannot take
 * them. */
bool file_write_all(int file, const char *bytes, size_t size);

/** TORSOR_FILE: "cannot <action>: <text of error_number>", located at the file `name`. */
torsor_status file_fail(torsor_error *error, const char *name, const char *action,
                        int error_number);

/** Append the whole file `name` to `content`. */
torsor_status file_read(text *content, const char *name, torsor_error *error);

/** Open the file `name` for writing, new and empty: neither what a symbolic link of this name
 *  points at nor another name of the same file is touched.  A pipe or a device stays what it is; a
 *  pipe is not waited for.  Negative, with errno. */
int file_create(const char *name);

/** A draft of the file `name`: it is written to a temporary file beside it, which then replaces it
 *  atomically.  Another process that writes the same file meanwhile is refused. */
typedef struct file_draft {
  int file; /* to be written; negative: there is none */
  const char *name;
  char *beside;
} file_draft;
torsor_status file_draft_open(file_draft *d, const char *name, torsor_error *error);
/** Completes the draft.  `written`: 0, or the errno of a failure, after which the old file stays.
 *  `surely`: forces the file to the disk. */
torsor_status file_draft_close(file_draft *d, int written, bool surely, torsor_error *error);

/** Make or replace the file `name` at once: readers see the old content or the new one. */
torsor_status file_replace(const char *name, const char *bytes, size_t size, torsor_error *error);
/** Like file_replace, and forces the file to the disk, so that it survives a crash of the
 *  machine. */
torsor_status file_replace_surely(const char *name, const char *bytes, size_t size,
                                  torsor_error *error);

#endif
