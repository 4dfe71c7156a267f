/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/netcdf_reader.h"

#include <limits.h>
#include <string.h>

/* Bytes of a list's items at least: bounds their number before memory is taken. */
enum { LEAST_DIMENSION = 8, LEAST_ATTRIBUTE = 12, LEAST_VARIABLE = 28 };

typedef struct cursor {
  netcdf_index *out;
  const char *at;
  size_t left;
  bool wide; /* file offsets have 64 bits */
  netcdf_parsed state;
} cursor;

static const char *take(cursor *c, uint64_t size) {
  if (c->state == NETCDF_PARSED && size > c->left) c->state = NETCDF_CUT_OFF;
  if (c->state != NETCDF_PARSED) return NULL;
  const char *taken = c->at;
  c->at += size;
  c->left -= (size_t)size;
  return taken;
}

static uint32_t take_int(cursor *c) {
  const char *bytes = take(c, 4);
  return bytes ? netcdf_load_int(bytes) : 0;
}

static uint64_t padded(uint64_t size) {
  return (size + 3) & ~(uint64_t)3;
}

static const char *take_text(cursor *c) {
  const uint32_t length = take_int(c);
  const char *bytes = take(c, padded(length));
  char *copy = bytes ? arena_take(&c->out->memory, (size_t)length + 1, 1) : NULL;
  if (copy) memcpy(copy, bytes, length);
  if (bytes && !copy) c->state = NETCDF_NO_MEMORY;
  return copy;
}

/* Number of items of a list, and room for them. */
static int take_list(cursor *c, uint32_t tag, size_t least, void **items, size_t size) {
  const uint32_t found = take_int(c), count = take_int(c);
  *items = NULL;
  if (c->state != NETCDF_PARSED) return 0;
  if ((found != tag && (found != 0 || count != 0)) || count > INT_MAX)
    c->state = NETCDF_FOREIGN;
  else if (count > c->left / least)
    c->state = NETCDF_CUT_OFF;
  else if (!(*items = arena_take(&c->out->memory, count, size)))
    c->state = NETCDF_NO_MEMORY;
  return c->state == NETCDF_PARSED ? (int)count : 0;
}

static uint64_t type_size(uint32_t type) {
  static const unsigned char sizes[] = {0, 1, 1, 2, 4, 4, 8};
  return type < sizeof sizes ? sizes[type] : 0;
}

static void parse_attributes(cursor *c, int *count, netcdf_attribute_entry **list) {
  void *items;
  *count = take_list(c, 12, LEAST_ATTRIBUTE, &items, sizeof **list);
  *list = items;
  for (int i = 0; i < *count && c->state == NETCDF_PARSED; ++i) {
    netcdf_attribute_entry *a = &(*list)[i];
    a->name = take_text(c);
    const uint32_t type = take_int(c);
    if (c->state == NETCDF_PARSED && !type_size(type)) c->state = NETCDF_FOREIGN;
    if (type == NETCDF_CHAR) {
      a->text = take_text(c);
      continue;
    }
    const uint32_t values = take_int(c);
    const char *bytes = take(c, padded(type_size(type) * values));
    if (bytes && type == NETCDF_INT && values) a->number = (int)netcdf_load_int(bytes);
  }
}

static void parse_dimensions(cursor *c) {
  void *items;
  netcdf_index *out = c->out;
  out->dimensions = take_list(c, 10, LEAST_DIMENSION, &items, sizeof *out->dimension);
  out->dimension = items;
  for (int i = 0; i < out->dimensions && c->state == NETCDF_PARSED; ++i) {
    out->dimension[i].name = take_text(c);
    out->dimension[i].length = take_int(c);
  }
}

/* Sizes are counted: those in files may be too small for large variables. */
static void size_variable(cursor *c, netcdf_variable_entry *v, uint32_t axis, int index) {
  const netcdf_index *out = c->out;
  if (axis >= (uint32_t)out->dimensions) {
    c->state = NETCDF_FOREIGN;
    return;
  }
  if (index < NETCDF_MOST_AXES) v->axis[index] = (int)axis;
  const uint64_t length = out->dimension[axis].length;
  if (!length && index > 0) c->state = NETCDF_FOREIGN;
  if (!length)
    v->record = true;
  else if (v->count > (uint64_t)INT64_MAX / 8 / length)
    c->state = NETCDF_FOREIGN;
  else
    v->count *= length;
}

static void parse_variable(cursor *c, netcdf_variable_entry *v) {
  int ignored;
  netcdf_attribute_entry *attributes;
  v->name = take_text(c);
  const uint32_t axes = take_int(c);
  v->count = 1;
  if (c->state == NETCDF_PARSED && axes > c->left / 4) c->state = NETCDF_CUT_OFF;
  for (uint32_t k = 0; k < axes && c->state == NETCDF_PARSED; ++k) {
    const uint32_t axis = take_int(c);
    size_variable(c, v, axis, (int)k);
  }
  v->axes = (int)axes;
  parse_attributes(c, &ignored, &attributes);
  v->type = take_int(c);
  take_int(c); /* its size, which is counted */
  const char *begin = take(c, c->wide ? 8 : 4);
  if (!begin) return;
  v->begin = c->wide ? netcdf_load_long(begin) : netcdf_load_int(begin);
  v->bytes = padded(type_size(v->type) * v->count);
  if (!v->bytes || v->begin > (uint64_t)INT64_MAX / 2) c->state = NETCDF_FOREIGN;
}

static void parse_variables(cursor *c) {
  void *items;
  netcdf_index *out = c->out;
  out->variables = take_list(c, 11, LEAST_VARIABLE, &items, sizeof *out->variable);
  out->variable = items;
  for (int i = 0; i < out->variables && c->state == NETCDF_PARSED; ++i)
    parse_variable(c, &out->variable[i]);
}

/* Finds the offset and the size of the records. */
static bool measure_records(netcdf_index *out) {
  out->record_begin = UINT64_MAX;
  for (int i = 0; i < out->variables; ++i) {
    const netcdf_variable_entry *v = &out->variable[i];
    if (!v->record) continue;
    if (v->begin < out->record_begin) out->record_begin = v->begin;
    if (v->bytes > (uint64_t)INT64_MAX / 2 - out->record_bytes) return false;
    out->record_bytes += v->bytes;
  }
  for (int i = 0; i < out->variables; ++i) {
    const netcdf_variable_entry *v = &out->variable[i];
    if (v->record && v->begin - out->record_begin > out->record_bytes - v->bytes) return false;
  }
  return true;
}

netcdf_parsed netcdf_parse(netcdf_index *out, const char *bytes, size_t length) {
  *out = (netcdf_index){0};
  if (length < 4) return NETCDF_CUT_OFF;
  if (memcmp(bytes, "CDF", 3) != 0 || (bytes[3] != 1 && bytes[3] != 2)) return NETCDF_FOREIGN;
  cursor c = {.out = out, .at = bytes + 4, .left = length - 4, .wide = bytes[3] == 2};
  out->records = take_int(&c);
  parse_dimensions(&c);
  parse_attributes(&c, &out->attributes, &out->attribute);
  parse_variables(&c);
  if (c.state == NETCDF_PARSED && !measure_records(out)) c.state = NETCDF_FOREIGN;
  return c.state;
}

void netcdf_index_release(netcdf_index *index) {
  arena_release(&index->memory);
}

const netcdf_variable_entry *netcdf_find_variable(const netcdf_index *index, const char *name) {
  for (int i = 0; i < index->variables; ++i)
    if (strcmp(index->variable[i].name, name) == 0) return &index->variable[i];
  return NULL;
}

const netcdf_attribute_entry *netcdf_find_attribute(const netcdf_index *index, const char *name) {
  for (int i = 0; i < index->attributes; ++i)
    if (strcmp(index->attribute[i].name, name) == 0) return &index->attribute[i];
  return NULL;
}

int netcdf_find_dimension(const netcdf_index *index, const char *name) {
  for (int i = 0; i < index->dimensions; ++i)
    if (strcmp(index->dimension[i].name, name) == 0) return i;
  return -1;
}
