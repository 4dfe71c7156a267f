/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/fe_matrices.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "scene/fe_private.h"
#include "scene/lines.h"

/* ---- rows and entries ------------------------------------------------------------------------ */

torsor_status fe_begin(fe_reading *in, fe_model *out, const mesh *m, torsor_error *error) {
  *out = (fe_model){0};
  *in = (fe_reading){.out = out, .m = m, .error = error};
  in->row = malloc((6 * (size_t)m->nodes + 1) * sizeof *in->row);
  if (!in->row) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  for (int i = 0; i < 6 * m->nodes; ++i) in->row[i] = -1;
  return TORSOR_OK;
}

void fe_end(fe_reading *in) {
  free(in->row);
  in->row = NULL;
}

torsor_status fe_find_row(int *row, fe_reading *in, const line_reader *r, long id, long direction,
                          bool add) {
  fe_model *f = in->out;
  const int node = mesh_find_node(in->m, id);
  if (node < 0)
    return lines_fail(r, r->number, "mesh and matrices must be of one model",
                      "the mesh \"%s\" has no node %ld", in->m->file[0], id);
  if (direction < 1 || direction > 6)
    return lines_fail(r, r->number, "1, 2, 3 are displacements, 4, 5, 6 rotations",
                      "the direction %ld of node %ld is none of 1 to 6", direction, id);
  int *at = &in->row[6 * node + (int)direction - 1];
  if (*at < 0 && add) {
    if (!lines_grow((void **)&f->node, f->n, sizeof *f->node) ||
        !lines_grow((void **)&f->direction, f->n, sizeof *f->direction))
      return torsor_fail(in->error, TORSOR_MEMORY, "out of memory");
    f->node[f->n] = node;
    f->direction[f->n] = (unsigned char)(direction - 1);
    *at = f->n++;
  }
  *row = *at;
  return TORSOR_OK;
}

torsor_status fe_add(fe_matrix *A, fe_reading *in, int row, int column, double value) {
  if (value == 0) return TORSOR_OK;
  if (A->entries == A->room) {
    const long room = A->room ? 2 * A->room : 1024;
    int *rows = realloc(A->row, (size_t)room * sizeof *rows);
    if (rows) A->row = rows;
    int *columns = realloc(A->column, (size_t)room * sizeof *columns);
    if (columns) A->column = columns;
    double *values = realloc(A->value, (size_t)room * sizeof *values);
    if (values) A->value = values;
    if (!rows || !columns || !values) return torsor_fail(in->error, TORSOR_MEMORY, "out of memory");
    A->room = room;
  }
  A->row[A->entries] = row > column ? row : column;
  A->column[A->entries] = row > column ? column : row;
  A->value[A->entries++] = value;
  return TORSOR_OK;
}

/* ---- the other triangle ---------------------------------------------------------------------- */

/* An entry with its place in a file. */
typedef struct both {
  int row, column;
  double value;
  bool upper;
  int line;
} both;

static int compare_both(const void *a, const void *b) {
  const both *x = a, *y = b;
  if (x->column != y->column) return x->column < y->column ? -1 : 1;
  if (x->row != y->row) return x->row < y->row ? -1 : 1;
  return x->upper - y->upper;
}

/* A part of the size of matrices, as of those written with six digits, by which their halves may
 * differ. */
static const double WRITTEN = 1e-6;

static torsor_status check_pair(const fe_reading *in, const line_reader *r, double lower,
                                double upper, double scale, const both *at) {
  const fe_model *f = in->out;
  if (fabs(lower - upper) <= WRITTEN * scale) return TORSOR_OK;
  return lines_fail(r, at->line, "only symmetric matrices can be reduced",
                    "is not symmetric: node %ld direction %d and node %ld direction %d have %g, "
                    "but %g the other way round",
                    in->m->node[f->node[at->row]].id, f->direction[at->row] + 1,
                    in->m->node[f->node[at->column]].id, f->direction[at->column] + 1, lower,
                    upper);
}

/* Adds entries [count] of both triangles as means of the two, which must be alike. */
static torsor_status add_both(fe_matrix *A, fe_reading *in, const line_reader *r, both *entry,
                              long count) {
  double *diagonal = calloc((size_t)in->out->n + 1, sizeof *diagonal);
  torsor_status status =
      diagonal ? TORSOR_OK : torsor_fail(in->error, TORSOR_MEMORY, "out of memory");
  if (count) qsort(entry, (size_t)count, sizeof *entry, compare_both);
  for (long k = 0; k < count && !status; ++k)
    if (entry[k].row == entry[k].column) diagonal[entry[k].row] += entry[k].value;
  for (long k = 0; k < count && !status;) {
    const both *first = &entry[k];
    double sum[2] = {0, 0};
    for (; k < count && entry[k].row == first->row && entry[k].column == first->column; ++k)
      sum[entry[k].upper] += entry[k].value;
    const bool own = first->row == first->column;
    const double scale = sqrt(fabs(diagonal[first->row])) * sqrt(fabs(diagonal[first->column]));
    if (!own)
      status =
          check_pair(in, r, sum[0], sum[1], fmax(scale, fmax(fabs(sum[0]), fabs(sum[1]))), first);
    if (!status)
      status = fe_add(A, in, first->row, first->column, own ? sum[0] : (sum[0] + sum[1]) / 2);
  }
  free(diagonal);
  return status;
}

/* ---- tables of rows -------------------------------------------------------------------------- */

/* Reads a table of "node.direction", which the rows of the matrices are in the order of. */
static torsor_status read_table(fe_reading *in, const char *file) {
  static const char hint[] = "node.direction, e.g. 17.3";
  line_reader r;
  torsor_status status = lines_open(&r, file, in->error);
  for (char *at = status ? NULL : lines_next(&r); at && !status;
       at = status ? NULL : lines_next(&r)) {
    long id = 0, direction = 0;
    int row = 0;
    const int before = in->out->n;
    at += strspn(at, " \t");
    if (!*at) continue;
    if (!lines_count(&id, &at) || !strchr(".,; \t", *at) || !*at) {
      status = lines_fail(&r, r.number, hint, "is no degree of freedom");
      break;
    }
    at += strspn(at, ".,; \t");
    if (!lines_count(&direction, &at))
      status = lines_fail(&r, r.number, hint, "is no degree of freedom");
    if (!status) status = fe_find_row(&row, in, &r, id, direction, true);
    if (!status && in->out->n == before)
      status = lines_fail(&r, r.number, "each once", "the degree of freedom is also that of row %d",
                          row + 1);
  }
  if (!status) status = lines_status(&r);
  if (!status && !in->out->n) status = lines_fail(&r, 0, hint, "has no degrees of freedom");
  lines_close(&r);
  return status;
}

/* ---- CalculiX -------------------------------------------------------------------------------- */

static torsor_status read_triple(fe_matrix *A, fe_reading *in, const char *file) {
  line_reader r;
  torsor_status status = lines_open(&r, file, in->error);
  for (char *at = status ? NULL : lines_next(&r); at && !status;
       at = status ? NULL : lines_next(&r)) {
    long i = 0, j = 0;
    double value = 0;
    at += strspn(at, " \t");
    if (!*at) continue;
    bool good = lines_count(&i, &at);
    at += strspn(at, " \t");
    good = good && lines_count(&j, &at) && lines_number(&value, &at) && !at[strspn(at, " \t")];
    if (!good)
      status = lines_fail(&r, r.number, "row, column, value", "is no entry of a matrix");
    else if (i > in->out->n || j > in->out->n)
      status =
          lines_fail(&r, r.number, "matrices and degrees of freedom must be of one model",
                     "row %ld, column %ld, but there are %d degrees of freedom", i, j, in->out->n);
    else
      status = fe_add(A, in, (int)i - 1, (int)j - 1, value);
  }
  if (!status) status = lines_status(&r);
  if (!status && !A->entries) status = lines_fail(&r, 0, "row, column, value", "has no entries");
  lines_close(&r);
  return status;
}

torsor_status fe_read_calculix(fe_model *out, const mesh *m, const char *base,
                               torsor_error *error) {
  char path[400];
  fe_reading in;
  torsor_status status = fe_begin(&in, out, m, error);
  snprintf(path, sizeof path, "%s.dof", base);
  if (!status) status = read_table(&in, path);
  snprintf(path, sizeof path, "%s.sti", base);
  if (!status) status = read_triple(&out->K, &in, path);
  snprintf(path, sizeof path, "%s.mas", base);
  if (!status) status = read_triple(&out->M, &in, path);
  fe_end(&in);
  return status;
}

/* ---- Abaqus and Matrix Market ---------------------------------------------------------------- */

typedef struct market_head {
  bool symmetric;
  double rows, columns, entries;
} market_head;

static torsor_status read_head(market_head *out, line_reader *r, const char *banner) {
  char format[16] = "", field[16] = "", symmetry[20] = "";
  sscanf(banner, "%%%%MatrixMarket matrix %15s %15s %19s", format, field, symmetry);
  out->symmetric = !strcasecmp(symmetry, "symmetric");
  if (strcasecmp(format, "coordinate") != 0 ||
      (strcasecmp(field, "real") != 0 && strcasecmp(field, "integer") != 0) ||
      (!out->symmetric && strcasecmp(symmetry, "general") != 0))
    return lines_fail(r, r->number,
                      "\"%%MatrixMarket matrix coordinate real symmetric\", or general",
                      "is a Matrix Market file of a kind that is not read");
  char *at = lines_next(r);
  while (at && (*at == '%' || !at[strspn(at, " \t")])) at = lines_next(r);
  if (!at || !lines_number(&out->rows, &at) || !lines_number(&out->columns, &at) ||
      !lines_number(&out->entries, &at))
    return lines_fail(r, r->number, "rows, columns and entries", "has no size");
  return TORSOR_OK;
}

/* Reads the entries of one line; `i` and `j` are rows. */
typedef struct lines_of {
  fe_reading *in;
  line_reader *r;
  both *entry;
  long count, room;
} lines_of;

static torsor_status keep(lines_of *l, int i, int j, double value) {
  if (l->count == l->room) {
    const long room = l->room ? 2 * l->room : 1024;
    both *more = realloc(l->entry, (size_t)room * sizeof *more);
    if (!more) return torsor_fail(l->in->error, TORSOR_MEMORY, "out of memory");
    l->entry = more;
    l->room = room;
  }
  const bool upper = j > i;
  l->entry[l->count++] = (both){upper ? j : i, upper ? i : j, value, upper, l->r->number};
  return TORSOR_OK;
}

static torsor_status read_market(lines_of *l, bool *symmetric, const char *banner) {
  static const char hint[] = "row, column and value, counted from 1";
  market_head head = {0};
  line_reader *r = l->r;
  torsor_status status = read_head(&head, r, banner);
  const int n = l->in->out->n;
  if (status) return status;
  *symmetric = head.symmetric;
  if (head.rows != n || head.columns != n)
    return lines_fail(r, r->number, "the table of degrees of freedom has one line for each row",
                      "has %g rows and %g columns, but there are %d degrees of freedom", head.rows,
                      head.columns, n);
  for (char *at = lines_next(r); at && !status; at = status ? NULL : lines_next(r)) {
    long i = 0, j = 0;
    double value = 0;
    at += strspn(at, " \t");
    if (!*at || *at == '%') continue;
    bool good = lines_count(&i, &at);
    at += strspn(at, " \t");
    good = good && lines_count(&j, &at) && lines_number(&value, &at) && i <= n && j <= n;
    if (!good) return lines_fail(r, r->number, hint, "is no entry of the matrix");
    status = keep(l, (int)i - 1, (int)j - 1, value);
    head.entries -= 1;
  }
  if (!status && head.entries != 0)
    return lines_fail(r, r->number, hint, "has %g entries %s than its size says",
                      fabs(head.entries), head.entries > 0 ? "less" : "more");
  return status;
}

/* "node, direction, node, direction, value" of Abaqus. */
static torsor_status read_abaqus(lines_of *l, char *at) {
  line_reader *r = l->r;
  torsor_status status = TORSOR_OK;
  for (; at && !status; at = status ? NULL : lines_next(r)) {
    long number[4] = {0};
    double value = 0;
    int row[2] = {0};
    bool good = true;
    at += strspn(at, " \t");
    if (!*at || *at == '*') continue;
    for (int k = 0; k < 4 && good; ++k) {
      good = lines_count(&number[k], &at);
      at += strspn(at, ", \t");
    }
    if (!good || !lines_number(&value, &at))
      return lines_fail(r, r->number, "node, direction, node, direction, value",
                        "is no entry of a matrix of Abaqus or Matrix Market");
    for (int k = 0; k < 2 && !status; ++k)
      status = fe_find_row(&row[k], l->in, r, number[2 * k], number[2 * k + 1], true);
    if (!status) status = keep(l, row[0], row[1], value);
  }
  return status;
}

static torsor_status keep_entries(fe_matrix *A, const lines_of *l, bool both_triangles) {
  if (both_triangles) return add_both(A, l->in, l->r, l->entry, l->count);
  torsor_status status = TORSOR_OK;
  for (long k = 0; k < l->count && !status; ++k)
    status = fe_add(A, l->in, l->entry[k].row, l->entry[k].column, l->entry[k].value);
  return status;
}

/* Abaqus writes one triangle, or both where it says so in no way: entries above and below the
 * diagonal then come as often. */
static bool has_both(const lines_of *l) {
  long upper = 0, lower = 0;
  for (long k = 0; k < l->count; ++k) {
    upper += l->entry[k].upper;
    lower += !l->entry[k].upper && l->entry[k].row != l->entry[k].column;
  }
  return upper > 0 && upper == lower;
}

static torsor_status read_matrix(fe_matrix *A, fe_reading *in, const char *file, bool table) {
  line_reader r;
  lines_of l = {.in = in, .r = &r};
  bool symmetric = true;
  torsor_status status = lines_open(&r, file, in->error);
  char *first = status ? NULL : lines_next(&r);
  if (!status && !first) status = lines_fail(&r, 0, "", "is empty");
  const bool market = first && !strncmp(first, "%%MatrixMarket", 14);
  if (!status && market && !table)
    status = lines_fail(&r, 1, "give \"dofs\", a file of lines \"node.direction\" for its rows",
                        "the rows of a Matrix Market file have no names");
  if (!status && market)
    status = read_market(&l, &symmetric, first);
  else if (!status)
    status = read_abaqus(&l, first);
  if (!status) status = lines_status(&r);
  if (!status && !market) symmetric = !has_both(&l);
  if (!status) status = keep_entries(A, &l, !symmetric);
  if (!status && !A->entries) status = lines_fail(&r, 0, "", "has no entries");
  lines_close(&r);
  free(l.entry);
  return status;
}

torsor_status fe_read_market(fe_model *out, const mesh *m, const char *stiffness, const char *mass,
                             const char *dofs, torsor_error *error) {
  fe_reading in;
  torsor_status status = fe_begin(&in, out, m, error);
  if (!status && dofs) status = read_table(&in, dofs);
  if (!status) status = read_matrix(&out->K, &in, stiffness, dofs != NULL);
  if (!status) status = read_matrix(&out->M, &in, mass, dofs != NULL);
  fe_end(&in);
  return status;
}

void fe_release(fe_model *f) {
  fe_matrix *const matrix[] = {&f->K, &f->M};
  for (int i = 0; i < 2; ++i) {
    free(matrix[i]->row);
    free(matrix[i]->column);
    free(matrix[i]->value);
  }
  free(f->node);
  free(f->direction);
  *f = (fe_model){0};
}
