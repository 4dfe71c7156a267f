/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_RESULTS_NETCDF_READER_H
#define TORSOR_RESULTS_NETCDF_READER_H

#include "base/arena.h"
#include "results/netcdf.h"

typedef struct netcdf_dimension_entry {
  const char *name;
  uint64_t length; /* 0: of the records */
} netcdf_dimension_entry;

typedef struct netcdf_attribute_entry {
  const char *name, *text; /* NULL: numbers */
  int number;              /* the first, of whole ones */
} netcdf_attribute_entry;

typedef struct netcdf_variable_entry {
  const char *name;
  uint32_t type;
  int axes, axis[NETCDF_MOST_AXES]; /* the first ones of `axes` */
  bool record;
  uint64_t count, bytes; /* values and bytes, of a record variable those of a record */
  uint64_t begin;        /* in the file */
} netcdf_variable_entry;

/** The decoded header of a file. */
typedef struct netcdf_index {
  arena memory;
  uint32_t records;
  uint64_t record_begin, record_bytes;
  int dimensions, attributes, variables;
  netcdf_dimension_entry *dimension;
  netcdf_attribute_entry *attribute; /* of the file */
  netcdf_variable_entry *variable;
} netcdf_index;

typedef enum netcdf_parsed {
  NETCDF_PARSED,
  NETCDF_CUT_OFF, /* the header is longer than the bytes */
  NETCDF_FOREIGN,
  NETCDF_NO_MEMORY
} netcdf_parsed;

/** Parse a header that begins with `bytes`, of the classic formats CDF-1 and CDF-2.  To be released
 *  in any case. */
netcdf_parsed netcdf_parse(netcdf_index *out, const char *bytes, size_t length);
void netcdf_index_release(netcdf_index *index);

/** NULL where there is none of that name. */
const netcdf_variable_entry *netcdf_find_variable(const netcdf_index *index, const char *name);
const netcdf_attribute_entry *netcdf_find_attribute(const netcdf_index *index, const char *name);
/** -1 where there is none. */
int netcdf_find_dimension(const netcdf_index *index, const char *name);

#endif
