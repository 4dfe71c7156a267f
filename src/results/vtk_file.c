/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "results/vtk_file.h"

#include <stdint.h>

#include "results/file.h"

/* Format: Kitware, VTK file formats (The VTK User's Guide, 11th ed., 487); appended raw data: bytes
 * of each array behind their number as uint64. */

void vtk_add_integer(text *values, int value) {
  const int32_t number = value;
  text_append_bytes(values, (const char *)&number, sizeof number);
}

static void add_float(text *values, double value) {
  const float number = (float)value;
  text_append_bytes(values, (const char *)&number, sizeof number);
}

void vtk_add_vector(text *values, const double value[3]) {
  for (int i = 0; i < 3; ++i) add_float(values, value[i]);
}

void vtk_add_cell(vtk_cells *cells, const int *point, int count) {
  for (int i = 0; i < count; ++i) vtk_add_integer(&cells->connectivity, point[i]);
  vtk_add_integer(&cells->offset, (int)(cells->connectivity.length / sizeof(int32_t)));
}

void vtk_cells_release(vtk_cells *cells) {
  text_release(&cells->connectivity);
  text_release(&cells->offset);
}

/* The head of a file and what comes behind it. */
typedef struct document {
  text head, data;
} document;

static void add_array(document *d, const vtk_array *array) {
  static const char *const types[] = {"Float32", "Int32", "UInt8"};
  const uint64_t size = array->values->length;
  text_printf(&d->head,
              "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" "
              "offset=\"%zu\"/>\n",
              types[array->type], array->name, array->components, d->data.length);
  text_append_bytes(&d->data, (const char *)&size, sizeof size);
  text_append_bytes(&d->data, array->values->data, array->values->length);
  d->data.failed |= array->values->failed;
}

static size_t count_cells(const vtk_cells *cells) {
  return cells ? cells->offset.length / sizeof(int32_t) : 0;
}

static void add_cells(document *d, const char *kind, const vtk_cells *cells) {
  if (!cells) return;
  const vtk_array connectivity = {"connectivity", VTK_INTEGER, 1, &cells->connectivity};
  const vtk_array offset = {"offsets", VTK_INTEGER, 1, &cells->offset};
  text_printf(&d->head, "<%s>\n", kind);
  add_array(d, &connectivity);
  add_array(d, &offset);
  text_printf(&d->head, "</%s>\n", kind);
}

static void add_data(document *d, const char *kind, const vtk_array *array) {
  text_printf(&d->head, "<%s>\n", kind);
  for (; array->name; ++array) add_array(d, array);
  text_printf(&d->head, "</%s>\n", kind);
}

/* Names are of letters, digits, _, - and brackets: codes with a zero behind each. */
static void add_names(document *d, const vtk_file *file) {
  if (!file->names) return;
  text_printf(&d->head,
              "<Array type=\"String\" Name=\"%s\" NumberOfTuples=\"%d\" format=\"ascii\">\n",
              file->list, file->names);
  for (int i = 0; i < file->names; ++i) {
    for (const char *c = file->name[i]; *c; ++c)
      text_printf(&d->head, "%d ", (int)(unsigned char)*c);
    text_append(&d->head, "0\n");
  }
  text_append(&d->head, "</Array>\n");
}

static void add_fields(document *d, const vtk_file *file) {
  text_printf(&d->head,
              "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
              "format=\"ascii\">%.17g</DataArray>\n",
              file->t);
  if (file->energy)
    text_printf(&d->head,
                "<DataArray type=\"Float64\" Name=\"energy\" NumberOfComponents=\"4\" "
                "ComponentName0=\"kinetic\" ComponentName1=\"potential\" "
                "ComponentName2=\"elastic\" ComponentName3=\"total\" NumberOfTuples=\"1\" "
                "format=\"ascii\">%.17g %.17g %.17g %.17g</DataArray>\n",
                file->energy[0], file->energy[1], file->energy[2], file->energy[3]);
  add_names(d, file);
  text_append(&d->head, "</FieldData>\n");
}

static const char *byte_order(void) {
  const uint16_t one = 1;
  return *(const unsigned char *)&one ? "LittleEndian" : "BigEndian";
}

static void add_piece(document *d, const vtk_file *file) {
  const vtk_array points = {"Points", VTK_FLOAT, 3, file->point};
  text_printf(&d->head,
              "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"%zu\" "
              "NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n",
              file->point->length / (3 * sizeof(float)), count_cells(file->verts),
              count_cells(file->lines), count_cells(file->polys));
  add_data(d, "PointData", file->point_data);
  add_data(d, "CellData", file->cell_data);
  text_append(&d->head, "<Points>\n");
  add_array(d, &points);
  text_append(&d->head, "</Points>\n");
  add_cells(d, "Verts", file->verts);
  add_cells(d, "Lines", file->lines);
  add_cells(d, "Polys", file->polys);
  text_append(&d->head, "</Piece>\n");
}

torsor_status vtk_write_file(const char *path, const vtk_file *file, torsor_error *error) {
  document d = {0};
  text_printf(&d.head,
              "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
              "byte_order=\"%s\" header_type=\"UInt64\">\n<PolyData>\n",
              byte_order());
  add_fields(&d, file);
  add_piece(&d, file);
  text_append(&d.head, "</PolyData>\n<AppendedData encoding=\"raw\">\n_");
  text_append_bytes(&d.head, d.data.data, d.data.length);
  text_append(&d.head, "\n</AppendedData>\n</VTKFile>\n");
  torsor_status status = TORSOR_OK;
  if (d.head.failed || d.data.failed)
    status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  else
    status = file_replace(path, d.head.data, d.head.length, error);
  text_release(&d.head);
  text_release(&d.data);
  return status;
}
