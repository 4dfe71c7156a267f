/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/result.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/observe/layout.h"
#include "results/file.h"
#include "results/netcdf_reader.h"

/* Number of bytes read first; headers are seldom longer. */
enum { FIRST_BYTES = 1 << 16 };

struct torsor_states {
  const char *name;
  int file;
  uint64_t size;
  long count;
  netcdf_index index;
  torsor_layout layout;
  arena memory; /* of the name, the layout and the frame */
  const netcdf_variable_entry *time, *field[TORSOR_FIELDS];
  unsigned fields;
  torsor_frame frame;
  char *record; /* [index.record_bytes] */
};

static torsor_status fail_memory(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

/* The file is not what it should be: name it. */
static torsor_status blame_file(const torsor_states *s, torsor_error *error) {
  if (error) snprintf(error->file, sizeof error->file, "%s", s->name);
  return TORSOR_FILE;
}

static torsor_status fail_content(const torsor_states *s, torsor_error *error, const char *what) {
  torsor_fail(error, TORSOR_FILE, "%s", what);
  return blame_file(s, error);
}

/* Reads `size` bytes at a file offset; false with errno set, which is 0 at the end of the file. */
static bool read_at(const torsor_states *s, char *out, size_t size, uint64_t offset) {
  while (size > 0) {
    const ssize_t got = pread(s->file, out, size, (off_t)offset);
    if (got < 0 && errno == EINTR) continue;
    if (got == 0) errno = 0;
    if (got <= 0) return false;
    out += got;
    offset += (uint64_t)got;
    size -= (size_t)got;
  }
  return true;
}

static torsor_status fail_read(const torsor_states *s, torsor_error *error) {
  return errno ? file_fail(error, s->name, "read the file", errno)
               : fail_content(s, error, "the file has been cut off");
}

/* ---- the header ------------------------------------------------------------------------------ */

static torsor_status fail_format(const torsor_states *s, const char *bytes, size_t length,
                                 torsor_error *error) {
  static const char hdf5[] = "\211HDF";
  const bool compressed = length >= 4 && memcmp(bytes, hdf5, 4) == 0;
  fail_content(s, error,
               compressed ? "the file is NetCDF of another format"
                          : "the file is not a NetCDF file of the classic format");
  if (compressed)
    torsor_hint(error, "`nccopy -k nc6 FILE state.nc` turns it into what Torsor reads");
  return TORSOR_FILE;
}

static torsor_status read_header(torsor_states *s, torsor_error *error) {
  size_t length = s->size < FIRST_BYTES ? (size_t)s->size : FIRST_BYTES;
  for (;;) {
    char *bytes = malloc(length + 1);
    if (!bytes) return fail_memory(error);
    torsor_status status = TORSOR_OK;
    netcdf_parsed parsed = NETCDF_PARSED;
    if (!read_at(s, bytes, length, 0))
      status = fail_read(s, error);
    else
      parsed = netcdf_parse(&s->index, bytes, length);
    const bool more = parsed == NETCDF_CUT_OFF && length < s->size;
    if (parsed == NETCDF_NO_MEMORY) status = fail_memory(error);
    if (!status && !more && parsed != NETCDF_PARSED) status = fail_format(s, bytes, length, error);
    free(bytes);
    if (!more) return status;
    netcdf_index_release(&s->index);
    length = length > s->size / 2 ? (size_t)s->size : 2 * length;
  }
}

static torsor_status check_origin(const torsor_states *s, torsor_error *error) {
  const netcdf_attribute_entry *format = netcdf_find_attribute(&s->index, "torsor_state");
  if (!format) return fail_content(s, error, "the file holds no states of Torsor");
  if (format->number == 1) return TORSOR_OK;
  return fail_content(s, error, "the file was written by a later version of Torsor");
}

/* ---- names ----------------------------------------------------------------------------------- */

static int axis_length(const torsor_states *s, const char *name) {
  const int axis = netcdf_find_dimension(&s->index, name);
  const uint64_t length = axis < 0 ? 0 : s->index.dimension[axis].length;
  return length > INT_MAX ? -1 : (int)length;
}

/* Bytes of a variable with `count` rows; *width = values in each of them. */
static torsor_status read_variable(char **out, size_t *width, const torsor_states *s,
                                   const char *name, netcdf_type type, int count,
                                   torsor_error *error) {
  const netcdf_variable_entry *v = netcdf_find_variable(&s->index, name);
  *out = NULL;
  if (!v || v->type != type || v->record || v->axes < 1 || v->count % (uint64_t)count != 0 ||
      s->index.dimension[v->axis[0]].length != (uint64_t)count || v->bytes > s->size ||
      v->begin > s->size - v->bytes) {
    torsor_fail(error, TORSOR_FILE, "\"%s\" is missing or has the wrong type or shape", name);
    return blame_file(s, error);
  }
  *width = (size_t)(v->count / (uint64_t)count);
  *out = malloc((size_t)v->bytes);
  if (!*out) return fail_memory(error);
  return read_at(s, *out, (size_t)v->bytes, v->begin) ? TORSOR_OK : fail_read(s, error);
}

static torsor_status read_texts(const char **out, torsor_states *s, const char *name, int count,
                                torsor_error *error) {
  char *bytes;
  size_t width;
  if (!count) return TORSOR_OK;
  torsor_status status = read_variable(&bytes, &width, s, name, NETCDF_CHAR, count, error);
  for (int i = 0; i < count && !status; ++i) {
    char *copy = arena_take(&s->memory, width + 1, 1);
    if (copy) memcpy(copy, bytes + width * (size_t)i, width);
    if (!(out[i] = copy)) status = fail_memory(error);
  }
  free(bytes);
  return status;
}

/* Whole numbers from 0 to below `end`. */
static torsor_status read_numbers(int *out, torsor_states *s, const char *name, int count, int end,
                                  torsor_error *error) {
  char *bytes;
  size_t width;
  if (!count) return TORSOR_OK;
  torsor_status status = read_variable(&bytes, &width, s, name, NETCDF_INT, count, error);
  for (int i = 0; i < count && !status; ++i) {
    const uint32_t value = netcdf_load_int(bytes + 4 * width * (size_t)i);
    if (value >= (uint32_t)end) status = fail_content(s, error, "a number is out of its range");
    out[i] = (int)value;
  }
  free(bytes);
  return status;
}

static torsor_status read_names(torsor_states *s, torsor_error *error) {
  torsor_layout *l = &s->layout;
  const struct {
    const char **out, *name;
    int count;
  } texts[] = {{l->element_name, "element_name", l->elements},
               {l->element_type, "element_type", l->elements},
               {l->node_name, "node_name", l->nodes},
               {l->row_name, "row_name", l->rows},
               {l->coordinate_name, "coordinate_name", l->coordinates},
               {l->rate_name, "rate_name", l->coordinates},
               {l->coordinate_unit, "coordinate_unit", l->coordinates},
               {l->output_name, "output_name", l->outputs},
               {l->output_unit, "output_unit", l->outputs},
               {l->stress_name, "stress_name", l->stresses},
               {l->stress_unit, "stress_unit", l->stresses}};
  const struct {
    int *out;
    const char *name;
    int count, end;
  } numbers[] = {{l->node_element, "node_element", l->nodes, l->elements},
                 {l->node_group, "node_group", l->nodes, TORSOR_GROUP_SE3 + 1},
                 {l->node_abstract, "node_abstract", l->nodes, 2},
                 {l->row_element, "row_element", l->rows, l->elements},
                 {l->coordinate_element, "coordinate_element", l->coordinates, l->elements},
                 {l->output_element, "output_element", l->outputs, l->elements},
                 {l->stress_element, "stress_element", l->stresses, l->elements}};
  torsor_status status = TORSOR_OK;
  for (size_t i = 0; i < sizeof texts / sizeof *texts && !status; ++i)
    status = read_texts(texts[i].out, s, texts[i].name, texts[i].count, error);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers && !status; ++i)
    status =
        read_numbers(numbers[i].out, s, numbers[i].name, numbers[i].count, numbers[i].end, error);
  return status;
}

static torsor_status read_layout(torsor_states *s, torsor_error *error) {
  torsor_layout *l = &s->layout;
  *l = (torsor_layout){.elements = axis_length(s, "element"),
                       .nodes = axis_length(s, "node"),
                       .rows = axis_length(s, "row"),
                       .coordinates = axis_length(s, "joint_coordinate"),
                       .outputs = axis_length(s, "element_output"),
                       .stresses = axis_length(s, "section_stress")};
  const int counts[] = {l->elements, l->nodes, l->rows, l->coordinates, l->outputs, l->stresses};
  for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
    if (counts[i] < 0 || (uint64_t)counts[i] > s->size)
      return fail_content(s, error, "a dimension is too large");
  return layout_take(l, &s->memory) ? read_names(s, error) : fail_memory(error);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static bool is_record(const netcdf_variable_entry *v, uint64_t length) {
  return v && v->record && v->type == NETCDF_DOUBLE && v->count == length;
}

static torsor_status find_fields(torsor_states *s, torsor_error *error) {
  s->time = netcdf_find_variable(&s->index, "time");
  if (!s->time) s->time = netcdf_find_variable(&s->index, "load");
  if (!is_record(s->time, 1)) return fail_content(s, error, "the file has no times");
  for (int f = 0; f < TORSOR_FIELDS; ++f) {
    const torsor_field field = (torsor_field)f;
    const netcdf_variable_entry *v = netcdf_find_variable(&s->index, torsor_field_name(field));
    if (!v) continue;
    if (!is_record(v, torsor_layout_length(&s->layout, field)))
      return fail_content(s, error, "a variable does not have the size that its names have");
    s->field[f] = v;
    s->fields |= 1u << f;
  }
  const size_t size = torsor_frame_size(&s->layout, s->fields);
  const uint64_t begin = s->index.record_begin, bytes = s->index.record_bytes;
  const uint64_t whole = s->size > begin ? (s->size - begin) / bytes : 0;
  s->count = (long)(whole < s->index.records ? whole : s->index.records);
  double *value = arena_take(&s->memory, size, sizeof *value);
  s->record = arena_take(&s->memory, s->count ? (size_t)bytes : 0, 1);
  if (!value || !s->record) return fail_memory(error);
  torsor_frame_lay(&s->frame, &s->layout, s->fields, value);
  return TORSOR_OK;
}

static torsor_status open_states(torsor_states *s, const char *name, torsor_error *error) {
  struct stat status;
  s->name = arena_string(&s->memory, name);
  if (!s->name) return fail_memory(error);
  s->file = open(name, O_RDONLY | O_CLOEXEC);
  if (s->file < 0 || fstat(s->file, &status) != 0)
    return file_fail(error, name, "open the file", errno);
  s->size = (uint64_t)status.st_size;
  torsor_status read = read_header(s, error);
  if (!read) read = check_origin(s, error);
  if (!read) read = read_layout(s, error);
  return read ? read : find_fields(s, error);
}

torsor_status torsor_states_open(torsor_states **out, const char *file, torsor_error *error) {
  *out = NULL;
  torsor_states *s = calloc(1, sizeof *s);
  if (!s) return fail_memory(error);
  s->file = -1;
  const torsor_status status = open_states(s, file, error);
  if (status)
    torsor_states_close(s);
  else
    *out = s;
  return status;
}

void torsor_states_close(torsor_states *s) {
  if (!s) return;
  if (s->file >= 0) close(s->file);
  netcdf_index_release(&s->index);
  arena_release(&s->memory);
  free(s);
}

long torsor_states_count(const torsor_states *s) {
  return s->count;
}

const torsor_layout *torsor_states_layout(const torsor_states *s) {
  return &s->layout;
}

unsigned torsor_states_fields(const torsor_states *s) {
  return s->fields;
}

const char *torsor_states_text(const torsor_states *s, const char *attribute) {
  const netcdf_attribute_entry *a = netcdf_find_attribute(&s->index, attribute);
  return a ? a->text : NULL;
}

torsor_status torsor_states_times(double *t, torsor_states *s, torsor_error *error) {
  for (long i = 0; i < s->count; ++i) {
    char bytes[8];
    if (!read_at(s, bytes, sizeof bytes, s->time->begin + (uint64_t)i * s->index.record_bytes))
      return fail_read(s, error);
    netcdf_load_doubles(&t[i], bytes, 1);
  }
  return TORSOR_OK;
}

torsor_status torsor_states_read(const torsor_frame **out, torsor_states *s, long i,
                                 torsor_error *error) {
  *out = NULL;
  if (i < 0 || i >= s->count)
    return torsor_fail(error, TORSOR_ARGUMENT, "there is no state %ld: the file has %ld", i,
                       s->count);
  const uint64_t bytes = s->index.record_bytes, begin = s->index.record_begin;
  if (!read_at(s, s->record, (size_t)bytes, begin + (uint64_t)i * bytes))
    return fail_read(s, error);
  netcdf_load_doubles(s->frame.value, s->record + (s->time->begin - begin), 1);
  for (int f = 0; f < TORSOR_FIELDS; ++f)
    if (s->field[f])
      netcdf_load_doubles(s->frame.field[f], s->record + (s->field[f]->begin - begin),
                          (size_t)s->field[f]->count);
  *out = &s->frame;
  return TORSOR_OK;
}
