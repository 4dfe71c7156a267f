/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/result.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/number.h"
#include "base/text.h"
#include "results/append.h"

struct torsor_csv {
  append_file file;
  int columns;
  double *factor; /* [columns] of the units in which signals are shown; NULL: all are 1 */
};

static bool take_factors(torsor_csv *csv, const torsor_signals *signals) {
  bool any = false;
  for (int j = 0; j < csv->columns; ++j) any |= torsor_signals_shown_factor(signals, j) != 1;
  if (!any) return true;
  csv->factor = malloc((size_t)csv->columns * sizeof *csv->factor);
  for (int j = 0; csv->factor && j < csv->columns; ++j)
    csv->factor[j] = torsor_signals_shown_factor(signals, j);
  return csv->factor != NULL;
}

static void append_header(text *header, const torsor_signals *signals) {
  text_append(header, "t");
  for (int j = 0; j < torsor_signals_count(signals); ++j) {
    text_append(header, ",");
    text_csv_field(header, torsor_signals_name(signals, j));
  }
  text_append(header, "\n");
}

static torsor_status write_header(torsor_csv *csv, const torsor_signals *signals) {
  text header = {0};
  append_header(&header, signals);
  const torsor_status status =
      header.failed ? TORSOR_MEMORY : append_now(&csv->file, header.data, header.length);
  text_release(&header);
  return status;
}

static size_t row_room(int columns) {
  return NUMBER_ROOM * ((size_t)columns + 1) + 1;
}

torsor_status torsor_csv_create(torsor_csv **out, const char *file, const torsor_signals *signals,
                                torsor_error *error) {
  *out = NULL;
  const int columns = torsor_signals_count(signals);
  torsor_csv *csv = malloc(sizeof *csv);
  if (!csv) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  csv->columns = columns;
  csv->factor = NULL;
  torsor_status status = append_open(&csv->file, file, row_room(columns),
                                     torsor_recording_default().sync, false, error);
  if (status == TORSOR_OK) {
    status = take_factors(csv, signals) ? write_header(csv, signals) : TORSOR_MEMORY;
    if (status == TORSOR_MEMORY) torsor_fail(error, status, "out of memory");
  }
  if (status != TORSOR_OK) {
    const torsor_status closed = torsor_csv_close(csv, csv->file.error_number ? error : NULL);
    return closed == TORSOR_OK ? status : closed;
  }
  *out = csv;
  return TORSOR_OK;
}

/* The header is there, and a row ends where the next one is to begin. */
static torsor_status check_rows(const torsor_csv *csv, const text *header, torsor_error *error) {
  const append_file *a = &csv->file;
  char end = '\0', *found = malloc(header->length + 1);
  if (!found) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  const bool good = pread(a->file, found, header->length, 0) == (ssize_t)header->length &&
                    memcmp(found, header->data, header->length) == 0 &&
                    pread(a->file, &end, 1, a->whole - 1) == 1 && end == '\n';
  free(found);
  return good ? TORSOR_OK : append_fail_other(a, error);
}

torsor_status torsor_csv_resume(torsor_csv **out, const char *file, const torsor_signals *signals,
                                long long bytes, torsor_error *error) {
  *out = NULL;
  torsor_csv *csv = malloc(sizeof *csv);
  if (!csv) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  csv->columns = torsor_signals_count(signals);
  csv->factor = NULL;
  torsor_status status = append_reopen(&csv->file, file, row_room(csv->columns),
                                       torsor_recording_default().sync, bytes, error);
  text header = {0};
  append_header(&header, signals);
  if (!status)
    status = header.failed || !take_factors(csv, signals)
                 ? torsor_fail(error, TORSOR_MEMORY, "out of memory")
                 : check_rows(csv, &header, error);
  text_release(&header);
  if (status)
    torsor_csv_close(csv, NULL);
  else
    *out = csv;
  return status;
}

torsor_status torsor_csv_cut(torsor_csv *csv, torsor_error *error) {
  return append_cut(&csv->file, error);
}

torsor_status torsor_csv_sync(torsor_csv *csv, bool surely, long long *bytes) {
  const torsor_status status = surely ? append_sync(&csv->file) : append_flush(&csv->file);
  *bytes = csv->file.whole;
  return status;
}

void torsor_csv_set_sync(torsor_csv *csv, double seconds) {
  csv->file.sync = seconds;
}

torsor_status torsor_csv_write(torsor_csv *csv, double t, const double *values, int count) {
  if (csv->file.error_number) return TORSOR_FILE;
  if (count != csv->columns) return TORSOR_ARGUMENT;
  char *const row = append_room(&csv->file);
  char *at = number_write(row, t);
  for (int j = 0; j < count; ++j) {
    *at++ = ',';
    at = number_write(at, csv->factor ? csv->factor[j] * values[j] : values[j]);
  }
  *at++ = '\n';
  return append_row(&csv->file, (size_t)(at - row));
}

torsor_status torsor_csv_flush_old(torsor_csv *csv) {
  return append_flush_old(&csv->file);
}

torsor_status torsor_csv_close(torsor_csv *csv, torsor_error *error) {
  if (!csv) return TORSOR_OK;
  const torsor_status status = append_close(&csv->file, error);
  free(csv->factor);
  free(csv);
  return status;
}
