/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_STUDY_ROWS_H
#define TORSOR_CLI_STUDY_ROWS_H

/** Rows of samples: a file for each process that writes, which grows by one write for each row, and
 *  the rows of all files in memory, found by their hash. */

#include "cli/study/sample.h"

/** The file of one process, which is made at its first row. */
typedef struct row_file {
  const char *folder; /* of the study; the rows are in its folder rows/ */
  int outputs;
  int file; /* -1: not there yet */
  char *name;
} row_file;

/** Adds the row of a sample, or with `result` NULL the mark that it has begun. */
torsor_status row_file_add(row_file *f, long sample, uint64_t hash, const sample_result *result,
                           torsor_error *error);
/** Forces the rows to the disk and closes the file. */
void row_file_close(row_file *f);

/** A row in memory. */
typedef struct row {
  uint64_t hash;
  row_status status;
  double t, cpu;
  double *output; /* [outputs] */
  char *message;  /* NULL: none */
} row;

typedef struct rows_found {
  int outputs;
  row *row; /* [count] */
  long count, room;
  long *place; /* [places] hash table: index of a row + 1 */
  long places;
  char mismatch[256]; /* two rows of one sample that differ; "" = none */
} rows_found;

/** Reads all rows of the study in `folder`; no folder: none. */
torsor_status rows_read(rows_found *out, const char *folder, int outputs, torsor_error *error);
/** Adds a row; of two for one hash the better status counts. */
torsor_status rows_add(rows_found *rows, uint64_t hash, const sample_result *result,
                       torsor_error *error);
/** NULL where there is none. */
const row *rows_find(const rows_found *rows, uint64_t hash);
void rows_release(rows_found *rows);

#endif
