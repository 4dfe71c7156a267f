/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_RESULTS_NETCDF_H
#define TORSOR_RESULTS_NETCDF_H

/** The classic format of NetCDF with 64-bit offsets (CDF-2): a header, then variables of fixed
 *  size, then records, one behind the other.  Numbers are big-endian.  Source: The NetCDF Classic
 *  Format Specification, Unidata (NASA ESDS-RFC-011). */

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

typedef enum netcdf_type {
  NETCDF_BYTE = 1,
  NETCDF_CHAR = 2,
  NETCDF_SHORT = 3,
  NETCDF_INT = 4,
  NETCDF_FLOAT = 5,
  NETCDF_DOUBLE = 6
} netcdf_type;

/** Byte offset of the number of records in a file, and its largest value. */
enum { NETCDF_RECORDS_AT = 4 };
#define NETCDF_MOST_RECORDS 0x7fffffffL

/** Largest size of a variable, or of its part of a record. */
#define NETCDF_MOST_BYTES 0xfffffffbu

enum { NETCDF_MOST_DIMENSIONS = 16, NETCDF_MOST_VARIABLES = 104, NETCDF_MOST_AXES = 3 };

/** An attribute: text, or else whole numbers. */
typedef struct netcdf_attribute {
  const char *name, *text;
  int numbers, number[4];
} netcdf_attribute;

/** A variable over dimensions [axes] by their numbers; the first one may be the record dimension.
 *  `data` [product of the others] are the values of a variable of fixed size: char, or int. */
typedef struct netcdf_variable {
  const char *name;
  netcdf_type type;
  int axes, axis[NETCDF_MOST_AXES];
  const netcdf_attribute *attribute; /* ended by one without a name */
  const void *data;
} netcdf_variable;

/** Description of a file to write: dimension 0 is that of the records. */
typedef struct netcdf_file {
  int dimensions, variables;
  struct {
    const char *name;
    size_t length;
  } dimension[NETCDF_MOST_DIMENSIONS];
  netcdf_variable variable[NETCDF_MOST_VARIABLES];
  const netcdf_attribute *attribute; /* of the file; ended by one without a name */
} netcdf_file;

/** Adds a dimension and returns its index. */
int netcdf_add_dimension(netcdf_file *file, const char *name, size_t length);

/** Appends everything that precedes the records: the header and the variables of fixed size.
 *  Returns false when a variable is too large for the format; lack of memory is recorded in
 *  `out`. */
bool netcdf_append(text *out, const netcdf_file *file);

/** Numbers as they stand in files. */
void netcdf_store_int(char out[4], uint32_t value);
/** `out` may be where `value` is. */
void netcdf_store_doubles(char *out, const double *value, size_t count);
uint32_t netcdf_load_int(const char from[4]);
uint64_t netcdf_load_long(const char from[8]);
void netcdf_load_doubles(double *out, const char *from, size_t count);

#endif
