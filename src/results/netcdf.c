/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/netcdf.h"

#include <string.h>

/* Tags of lists. */
enum { LIST_DIMENSIONS = 10, LIST_VARIABLES = 11, LIST_ATTRIBUTES = 12 };

void netcdf_store_int(char out[4], uint32_t value) {
  for (int i = 0; i < 4; ++i) out[i] = (char)(unsigned char)(value >> (24 - 8 * i));
}

uint32_t netcdf_load_int(const char from[4]) {
  uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value = value << 8 | (unsigned char)from[i];
  return value;
}

uint64_t netcdf_load_long(const char from[8]) {
  return (uint64_t)netcdf_load_int(from) << 32 | netcdf_load_int(from + 4);
}

static void store_long(char out[8], uint64_t value) {
  netcdf_store_int(out, (uint32_t)(value >> 32));
  netcdf_store_int(out + 4, (uint32_t)value);
}

/* Compilers make one instruction of the eight shifts, on machines of either byte order. */
void netcdf_store_doubles(char *out, const double *value, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    uint64_t bits;
    memcpy(&bits, &value[i], sizeof bits);
    unsigned char bytes[8];
    for (int k = 0; k < 8; ++k) bytes[k] = (unsigned char)(bits >> (56 - 8 * k));
    memcpy(out + 8 * i, bytes, 8);
  }
}

void netcdf_load_doubles(double *out, const char *from, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const uint64_t bits = netcdf_load_long(from + 8 * i);
    memcpy(&out[i], &bits, sizeof bits);
  }
}

int netcdf_add_dimension(netcdf_file *file, const char *name, size_t length) {
  file->dimension[file->dimensions].name = name;
  file->dimension[file->dimensions].length = length;
  return file->dimensions++;
}

static void append_int(text *out, uint32_t value) {
  char bytes[4];
  netcdf_store_int(bytes, value);
  text_append_bytes(out, bytes, sizeof bytes);
}

/* Appends bytes padded to a multiple of four, as the format requires. */
static void append_padded(text *out, const char *bytes, size_t size) {
  text_append_bytes(out, bytes, size);
  text_append_bytes(out, "\0\0\0", -size & 3);
}

static void append_name(text *out, const char *name) {
  const size_t length = strlen(name);
  append_int(out, (uint32_t)length);
  append_padded(out, name, length);
}

static void append_attributes(text *out, const netcdf_attribute *list) {
  uint32_t count = 0;
  while (list && list[count].name) ++count;
  append_int(out, count ? LIST_ATTRIBUTES : 0);
  append_int(out, count);
  for (const netcdf_attribute *a = list; a && a->name; ++a) {
    append_name(out, a->name);
    append_int(out, a->text ? NETCDF_CHAR : NETCDF_INT);
    if (a->text) {
      append_name(out, a->text);
      continue;
    }
    append_int(out, (uint32_t)a->numbers);
    for (int i = 0; i < a->numbers; ++i) append_int(out, (uint32_t)a->number[i]);
  }
}

static bool is_record(const netcdf_variable *v) {
  return v->axes > 0 && v->axis[0] == 0;
}

/* Values of a variable, or of its part of a record. */
static uint64_t count_values(const netcdf_file *file, const netcdf_variable *v) {
  uint64_t count = 1;
  for (int i = is_record(v); i < v->axes; ++i) count *= file->dimension[v->axis[i]].length;
  return count;
}

static uint64_t count_bytes(const netcdf_file *file, const netcdf_variable *v) {
  const uint64_t size = v->type == NETCDF_DOUBLE ? 8 : v->type == NETCDF_INT ? 4 : 1;
  return (size * count_values(file, v) + 3) & ~(uint64_t)3;
}

/* Appends the description of a variable; *position receives the offset in `out` of the field that
 * holds the file offset of its data. */
static void append_variable(text *out, size_t *position, const netcdf_file *file,
                            const netcdf_variable *v) {
  append_name(out, v->name);
  append_int(out, (uint32_t)v->axes);
  for (int i = 0; i < v->axes; ++i) append_int(out, (uint32_t)v->axis[i]);
  append_attributes(out, v->attribute);
  append_int(out, (uint32_t)v->type);
  append_int(out, (uint32_t)count_bytes(file, v));
  *position = out->length;
  append_padded(out, "\0\0\0\0\0\0\0", 8);
}

static void append_description(text *out, size_t *position, const netcdf_file *file) {
  text_append_bytes(out, "CDF\2", 4);
  append_int(out, 0); /* records */
  append_int(out, LIST_DIMENSIONS);
  append_int(out, (uint32_t)file->dimensions);
  for (int i = 0; i < file->dimensions; ++i) {
    append_name(out, file->dimension[i].name);
    append_int(out, i ? (uint32_t)file->dimension[i].length : 0);
  }
  append_attributes(out, file->attribute);
  append_int(out, LIST_VARIABLES);
  append_int(out, (uint32_t)file->variables);
  for (int i = 0; i < file->variables; ++i)
    append_variable(out, &position[i], file, &file->variable[i]);
}

static void append_data(text *out, const netcdf_variable *v, size_t count) {
  if (v->type == NETCDF_CHAR) {
    append_padded(out, v->data, count);
    return;
  }
  const int *value = v->data;
  for (size_t k = 0; k < count; ++k) append_int(out, (uint32_t)value[k]);
}

bool netcdf_append(text *out, const netcdf_file *file) {
  size_t position[NETCDF_MOST_VARIABLES];
  for (int i = 0; i < file->variables; ++i)
    if (count_bytes(file, &file->variable[i]) > NETCDF_MOST_BYTES) return false;
  append_description(out, position, file);
  uint64_t at = out->length;
  for (int fixed = 1; fixed >= 0; --fixed) {
    for (int i = 0; i < file->variables && !out->failed; ++i) {
      const netcdf_variable *v = &file->variable[i];
      if (is_record(v) == fixed) continue;
      store_long(out->data + position[i], at);
      at += count_bytes(file, v);
      if (fixed) append_data(out, v, (size_t)count_values(file, v));
    }
  }
  return true;
}
