/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_RESULTS_APPEND_H
#define TORSOR_RESULTS_APPEND_H

#include <stdbool.h>
#include <sys/types.h>

#include <torsor/base.h>

/** Rows are written together up to here; longer ones at once. */
enum { APPEND_BUFFER_BYTES = 1 << 16 };

/** A file that grows by whole rows, through a buffer that is never older than it may be. */
typedef struct append_file {
  int file;         /* -1: not open */
  int error_number; /* errno of the first failure, after which nothing is written; 0 = none */
  off_t whole;      /* bytes of whole rows in the file */
  double sync;      /* s: what is in the buffer for longer is written */
  double oldest;    /* monotonic time of the first row in the buffer, s */
  char *name;       /* name of the file, for messages */
  size_t length;    /* bytes in the buffer */
  char *buffer;
} append_file;

/** Create the file, for rows of up to `row` bytes; `regular`: it must not be a pipe or a device.
 *  To be closed even after a failure. */
torsor_status append_open(append_file *a, const char *name, size_t row, double sync, bool regular,
                          torsor_error *error);

/** Write at once bytes that stand before the rows, or whole rows; with rows in the buffer before
 *  these. */
torsor_status append_now(append_file *a, const char *bytes, size_t size);

/** Room for the next row; the row is then taken by append_row, which may write. */
char *append_room(append_file *a);
torsor_status append_row(append_file *a, size_t size);

/** Write what is in the buffer. */
torsor_status append_flush(append_file *a);
/** Like append_flush, when the oldest row has waited for the longest time allowed. */
torsor_status append_flush_old(append_file *a);

/** Write what is in the buffer, and all of it to the disk. */
torsor_status append_sync(append_file *a);
/** Open a file that had `whole` bytes of whole rows, to go on behind them; FILE where it has fewer.
 *  Further bytes must be cut off before the first row. */
torsor_status append_reopen(append_file *a, const char *name, size_t row, double sync,
                            long long whole, torsor_error *error);
torsor_status append_cut(append_file *a, torsor_error *error);
/** Fails with TORSOR_FILE: the file does not match the checkpoint beside it. */
torsor_status append_fail_other(const append_file *a, torsor_error *error);

/** Write what is in the buffer and close; reports the first failure of all. */
torsor_status append_close(append_file *a, torsor_error *error);

#endif
