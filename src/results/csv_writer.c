/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/result.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "results/file.h"
#include "base/number.h"

enum { BUFFER_BYTES = 1 << 16 };

struct torsor_csv {
  int file, columns;
  int error_number; /* of the first failure; 0 = none */
  off_t whole;      /* bytes of whole rows in the file */
  time_t flushed;   /* monotonic time of the last flush, s */
  char *name;       /* of the file, for messages */
  size_t length;    /* of what the buffer holds */
  char buffer[];
};

static time_t seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec;
}

/* Whole rows go to the file; a row that it takes in part is cut off again. */
static torsor_status write_rows(torsor_csv *csv, const char *bytes, size_t size) {
  if (file_write_all(csv->file, bytes, size)) {
    csv->whole += (off_t)size;
    return TORSOR_OK;
  }
  csv->error_number = errno;
  const int cut = ftruncate(csv->file, csv->whole);
  (void)cut; /* devices and pipes cannot be cut */
  return TORSOR_FILE;
}

static torsor_status flush_rows(torsor_csv *csv) {
  const size_t length = csv->length;
  csv->length = 0;
  csv->flushed = seconds_now();
  return write_rows(csv, csv->buffer, length);
}

static void append_header_field(text *t, const char *name) {
  if (!strpbrk(name, "\",\r\n")) {
    text_append(t, name);
    return;
  }
  text_append(t, "\"");
  for (; *name; ++name) {
    if (*name == '"') text_append(t, "\"");
    text_append_bytes(t, name, 1);
  }
  text_append(t, "\"");
}

static torsor_status write_header(torsor_csv *csv, const torsor_signals *signals) {
  text header = {0};
  text_append(&header, "t");
  for (int j = 0; j < csv->columns; ++j) {
    text_append(&header, ",");
    append_header_field(&header, torsor_signals_name(signals, j));
  }
  text_append(&header, "\n");
  const torsor_status status =
      header.failed ? TORSOR_MEMORY : write_rows(csv, header.data, header.length);
  text_release(&header);
  return status;
}

torsor_status torsor_csv_create(torsor_csv **out, const char *file, const torsor_signals *signals,
                                torsor_error *error) {
  *out = NULL;
  const int columns = torsor_signals_count(signals);
  const size_t size = BUFFER_BYTES + NUMBER_ROOM * ((size_t)columns + 1) + 1;
  torsor_csv *csv = malloc(sizeof *csv + size);
  if (!csv) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  *csv = (torsor_csv){.file = -1, .columns = columns, .flushed = seconds_now()};
  csv->name = strdup(file);
  torsor_status status = TORSOR_OK;
  if (!csv->name) status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  if (status == TORSOR_OK) {
    csv->file = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (csv->file < 0) status = file_fail(error, file, "open the file for writing", errno);
  }
  if (status == TORSOR_OK) {
    status = write_header(csv, signals);
    if (status == TORSOR_MEMORY) torsor_fail(error, status, "out of memory");
  }
  if (status != TORSOR_OK) {
    const torsor_status closed = torsor_csv_close(csv, csv->error_number ? error : NULL);
    return closed == TORSOR_OK ? status : closed;
  }
  *out = csv;
  return TORSOR_OK;
}

torsor_status torsor_csv_write(torsor_csv *csv, double t, const double *values, int count) {
  if (csv->error_number) return TORSOR_FILE;
  if (count != csv->columns) return TORSOR_ARGUMENT;
  char *at = number_write(csv->buffer + csv->length, t);
  for (int j = 0; j < count; ++j) {
    *at++ = ',';
    at = number_write(at, values[j]);
  }
  *at++ = '\n';
  csv->length = (size_t)(at - csv->buffer);
  if (csv->length < BUFFER_BYTES && seconds_now() <= csv->flushed) return TORSOR_OK;
  return flush_rows(csv);
}

torsor_status torsor_csv_close(torsor_csv *csv, torsor_error *error) {
  if (!csv) return TORSOR_OK;
  if (csv->file >= 0) {
    if (!csv->error_number) flush_rows(csv);
    if (close(csv->file) != 0 && !csv->error_number) csv->error_number = errno;
  }
  torsor_status status = TORSOR_OK;
  if (csv->error_number) status = file_fail(error, csv->name, "write the file", csv->error_number);
  free(csv->name);
  free(csv);
  return status;
}
