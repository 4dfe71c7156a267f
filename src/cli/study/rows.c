/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/study/rows.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/number.h"
#include "cli/folder.h"
#include "cli/study/study_read.h"
#include "results/file.h"

/* ---- writing -----------------------------------------------------------------------------------
 */

/* No process appends to a file of another one, or of an earlier one with its number. */
static torsor_status create_file(row_file *f, torsor_error *error) {
  char host[65] = "";
  struct timespec now;
  char *folder = path_format(error, "%s/rows", f->folder);
  torsor_status status = folder ? folder_make(folder, error) : TORSOR_MEMORY;
  gethostname(host, sizeof host - 1);
  for (int tries = 0; !status && f->file < 0 && tries < 100; ++tries) {
    clock_gettime(CLOCK_REALTIME, &now);
    free(f->name);
    f->name = path_format(error, "%s/%s-%ld-%lld%09ld.csv", folder, host, (long)getpid(),
                          (long long)now.tv_sec, now.tv_nsec);
    if (!f->name) status = TORSOR_MEMORY;
    if (!status) f->file = open(f->name, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
    if (!status && f->file < 0 && errno != EEXIST)
      status = file_fail(error, f->name, "make the file", errno);
  }
  free(folder);
  return status;
}

/* Numbers of rows read the same again, also those that are not finite. */
static void add_number(text *t, double value) {
  char number[NUMBER_ROOM];
  number_write(number, value);
  text_append(t, ",");
  text_append(t, isnan(value) ? "nan" : isinf(value) ? (value > 0 ? "inf" : "-inf") : number);
}

static void add_row(text *t, int outputs, const sample_result *result) {
  text_printf(t, "%s", row_statuses[result->status]);
  add_number(t, result->t);
  add_number(t, result->cpu);
  for (int i = 0; i < outputs; ++i) add_number(t, result->output[i]);
  text_append(t, ",\"");
  for (const char *c = result->message; *c; ++c)
    text_printf(t, "%c", *c == '"' ? '\'' : *c == '\n' || *c == '\r' ? ' ' : *c);
  text_append(t, "\"\n");
}

torsor_status row_file_add(row_file *f, long sample, uint64_t hash, const sample_result *result,
                           torsor_error *error) {
  text line = {0};
  torsor_status status = f->file < 0 ? create_file(f, error) : TORSOR_OK;
  text_printf(&line, "%ld,%016llx,", sample, (unsigned long long)hash);
  if (result)
    add_row(&line, f->outputs, result);
  else
    text_append(&line, "begun\n");
  if (!status && line.failed) status = study_memory_short(error);
  if (!status && write(f->file, line.data, line.length) != (ssize_t)line.length)
    status = file_fail(error, f->name, "write the file", errno ? errno : ENOSPC);
  text_release(&line);
  return status;
}

void row_file_close(row_file *f) {
  if (f->file >= 0) {
    fdatasync(f->file);
    close(f->file);
  }
  free(f->name);
  f->file = -1;
  f->name = NULL;
}

/* ---- rows in memory ----------------------------------------------------------------------------
 */

static long find_place(const rows_found *rows, uint64_t hash) {
  long place = (long)(hash % (uint64_t)rows->places);
  while (rows->place[place] && rows->row[rows->place[place] - 1].hash != hash)
    place = (place + 1) % rows->places;
  return place;
}

static bool grow(rows_found *rows) {
  if (rows->count < rows->room) return true;
  const long room = rows->room ? 2 * rows->room : 256;
  row *moved = realloc(rows->row, (size_t)room * sizeof *moved);
  if (moved) rows->row = moved;
  long *place = moved ? calloc(2 * (size_t)room, sizeof *place) : NULL;
  if (!place) return false;
  free(rows->place);
  rows->place = place;
  rows->places = 2 * room;
  rows->room = room;
  for (long i = 0; i < rows->count; ++i) rows->place[find_place(rows, rows->row[i].hash)] = i + 1;
  return true;
}

const row *rows_find(const rows_found *rows, uint64_t hash) {
  const long index = rows->places ? rows->place[find_place(rows, hash)] : 0;
  return index ? &rows->row[index - 1] : NULL;
}

/* Two whole rows of a sample must be the same to the bit. */
static void compare(rows_found *rows, const row *old, const sample_result *result) {
  const bool whole = old->status <= ROW_NAN && result->status <= ROW_NAN;
  if (!whole || rows->mismatch[0]) return;
  for (int i = 0; i < rows->outputs; ++i) {
    if (memcmp(&old->output[i], &result->output[i], sizeof(double)) == 0) continue;
    if (isnan(old->output[i]) && isnan(result->output[i])) continue;
    snprintf(rows->mismatch, sizeof rows->mismatch,
             "two rows of the sample %016llx differ: %.17g and %.17g",
             (unsigned long long)old->hash, old->output[i], result->output[i]);
    return;
  }
}

torsor_status rows_add(rows_found *rows, uint64_t hash, const sample_result *result,
                       torsor_error *error) {
  if (!grow(rows)) return study_memory_short(error);
  const long place = find_place(rows, hash);
  row *r = rows->place[place] ? &rows->row[rows->place[place] - 1] : &rows->row[rows->count];
  if (rows->place[place]) {
    compare(rows, r, result);
    if (r->status < result->status) return TORSOR_OK;
  } else {
    *r = (row){.hash = hash, .output = calloc((size_t)rows->outputs + 1, sizeof *r->output)};
    if (!r->output) return study_memory_short(error);
    rows->place[place] = ++rows->count;
  }
  r->status = result->status;
  r->t = result->t;
  r->cpu = result->cpu;
  memcpy(r->output, result->output, (size_t)rows->outputs * sizeof *r->output);
  free(r->message);
  r->message = result->message[0] ? strdup(result->message) : NULL;
  return result->message[0] && !r->message ? study_memory_short(error) : TORSOR_OK;
}

void rows_release(rows_found *rows) {
  for (long i = 0; i < rows->count; ++i) {
    free(rows->row[i].output);
    free(rows->row[i].message);
  }
  free(rows->row);
  free(rows->place);
  *rows = (rows_found){0};
}

/* ---- reading -----------------------------------------------------------------------------------
 */

/* A cell that is a number, and the comma behind it. */
static bool take_number(double *value, char **at) {
  char *end;
  *value = strtod(*at, &end);
  if (end == *at || *end != ',') return false;
  *at = end + 1;
  return true;
}

/* One line, without its end; false where it is none of these rows. */
static bool read_line(uint64_t *hash, sample_result *out, char *line, int outputs) {
  char *comma = strchr(line, ','), *end;
  if (!comma || strspn(line, "0123456789") != (size_t)(comma - line)) return false;
  *hash = strtoull(comma + 1, &end, 16);
  if (end - comma != 17 || *end != ',') return false;
  char *at = end + 1;
  out->message[0] = '\0';
  const size_t length = strcspn(at, ",");
  int status = 0;
  while (status < ROW_STATUSES &&
         (strlen(row_statuses[status]) != length || memcmp(row_statuses[status], at, length) != 0))
    ++status;
  if (status == ROW_STATUSES) return false;
  out->status = (row_status)status;
  out->t = out->cpu = 0;
  for (int i = 0; i < outputs; ++i) out->output[i] = nan("");
  if (status == ROW_BEGUN) return !at[length];
  if (!at[length]) return false;
  at += length + 1;
  bool fine = take_number(&out->t, &at) && take_number(&out->cpu, &at);
  for (int i = 0; i < outputs && fine; ++i) fine = take_number(&out->output[i], &at);
  const size_t left = strlen(at);
  if (!fine || left < 2 || at[0] != '"' || at[left - 1] != '"') return false;
  snprintf(out->message, sizeof out->message, "%.*s", (int)(left - 2), at + 1);
  return true;
}

static torsor_status read_file(rows_found *rows, const char *folder, const char *name,
                               torsor_error *error) {
  text words = {0};
  sample_result result;
  uint64_t hash;
  char *file = path_format(error, "%s/%s", folder, name);
  torsor_status status = file ? file_read(&words, file, error) : TORSOR_MEMORY;
  for (char *at = words.data, *end; !status && at && (end = strchr(at, '\n')); at = end + 1) {
    *end = '\0'; /* a line without its end does not count */
    if (read_line(&hash, &result, at, rows->outputs)) status = rows_add(rows, hash, &result, error);
  }
  text_release(&words);
  free(file);
  return status;
}

static int is_rows(const struct dirent *entry) {
  const size_t length = strlen(entry->d_name);
  return length > 4 && strcmp(entry->d_name + length - 4, ".csv") == 0;
}

torsor_status rows_read(rows_found *out, const char *folder, int outputs, torsor_error *error) {
  *out = (rows_found){.outputs = outputs};
  struct dirent **entry = NULL;
  char *place = path_format(error, "%s/rows", folder);
  if (!place) return TORSOR_MEMORY;
  const int count = scandir(place, &entry, is_rows, alphasort);
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < count; ++i) {
    if (!status) status = read_file(out, place, entry[i]->d_name, error);
    free(entry[i]);
  }
  free(entry);
  free(place);
  return status;
}
