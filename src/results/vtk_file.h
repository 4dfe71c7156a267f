/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_RESULTS_VTK_FILE_H
#define TORSOR_RESULTS_VTK_FILE_H

/** One .vtp file: VTK's XML format for points and polygons, arrays appended as raw bytes. */

#include "base/text.h"

/** Cells of one kind: points of all of them in a row, and behind which of them each one ends;
 *  int32. */
typedef struct vtk_cells {
  text connectivity, offset;
} vtk_cells;

/** Add a cell with these points [count]. */
void vtk_add_cell(vtk_cells *cells, const int *point, int count);
void vtk_cells_release(vtk_cells *cells);

typedef enum vtk_type { VTK_FLOAT, VTK_INTEGER, VTK_BYTE } vtk_type;

typedef struct vtk_array {
  const char *name;
  vtk_type type;
  int components;
  const text *values;
} vtk_array;

enum { VTK_ARRAYS = 6 };

typedef struct vtk_file {
  double t;
  const double *energy; /* [4] kinetic, potential, elastic, total, J; NULL: not known */
  const char *list;     /* name of the list of names */
  const char *const *name;
  int names;                              /* number of names, which cells refer to by index */
  const text *point;                      /* float x y z of each */
  const vtk_cells *verts, *lines, *polys; /* NULL: none */
  vtk_array point_data[VTK_ARRAYS], cell_data[VTK_ARRAYS]; /* ended by one without a name */
} vtk_file;

/** Make or replace the file `path`. */
torsor_status vtk_write_file(const char *path, const vtk_file *file, torsor_error *error);

/** Append numbers to an array. */
void vtk_add_integer(text *values, int value);
void vtk_add_vector(text *values, const double value[3]);

#endif
