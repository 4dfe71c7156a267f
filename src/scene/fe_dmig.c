/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "scene/fe_private.h"

/* Direct matrix input at grid points: cards "DMIG NAME 0 FORM TYPE .." begin a matrix, cards
 * "DMIG NAME node direction .. node direction value .." give columns, and lines that begin with a
 * blank, "*" or "+" go on with them, with fields of 8 characters, of 16 where there is a star, or
 * with commas. */

enum { FIELDS = 10, WIDEST = 32 };

typedef struct card {
  char field[FIELDS][WIDEST]; /* as the ten fields of 8; those of 16 in order, too */
  bool wide;
} card;

static void put_field(char out[WIDEST], const char *from, size_t length) {
  while (length && isspace((unsigned char)*from)) ++from, --length;
  while (length && isspace((unsigned char)from[length - 1])) --length;
  if (length >= WIDEST) length = WIDEST - 1;
  memcpy(out, from, length);
  out[length] = '\0';
}

/* Cuts a line into fields: the first one of 8 characters, then eight of 8, or four of 16. */
static void cut(card *c, const char *line) {
  const size_t length = strlen(line), first = length < 8 ? length : 8;
  *c = (card){0};
  if (strchr(line, ',')) {
    for (int k = 0; k < FIELDS && line; ++k) {
      const char *comma = strchr(line, ',');
      put_field(c->field[k], line, comma ? (size_t)(comma - line) : strlen(line));
      line = comma ? comma + 1 : NULL;
    }
    c->wide = strchr(c->field[0], '*') != NULL;
    return;
  }
  put_field(c->field[0], line, first);
  c->wide = strchr(c->field[0], '*') != NULL;
  const size_t width = c->wide ? 16 : 8;
  for (int k = 1; k < (c->wide ? 6 : FIELDS); ++k) {
    const size_t from = 8 + (size_t)(k - 1) * width;
    if (from >= length) return;
    put_field(c->field[k], line + from, length - from < width ? length - from : width);
  }
}

typedef struct dmig {
  fe_reading *in;
  line_reader *r;
  const char *name[2];
  fe_matrix *matrix[2];
  bool headed[2]; /* the matrix has begun */
  bool square[2]; /* form 1: columns are complete, and only lower triangles are kept */
  int current;    /* the matrix of the column that is read, -1 = none, or another one */
  int column;     /* its row */
} dmig;

static torsor_status read_header(dmig *d, const card *c, int which) {
  static const char hint[] = "form 6 (symmetric), type 1 or 2 (real)";
  const int form = atoi(c->field[3]), type = atoi(c->field[4]);
  d->headed[which] = true;
  d->square[which] = form == 1;
  d->current = -1;
  if (form != 6 && form != 1)
    return lines_fail(d->r, d->r->number, hint, "the matrix %s has the form %d", d->name[which],
                      form);
  if (type != 1 && type != 2)
    return lines_fail(d->r, d->r->number, hint, "the matrix %s is of the type %d, not real",
                      d->name[which], type);
  return TORSOR_OK;
}

static torsor_status find_row(int *row, dmig *d, const char *node, const char *direction) {
  long id = 0, k = 0;
  char copy[WIDEST], *at = copy;
  snprintf(copy, sizeof copy, "%s", node);
  if (!lines_count(&id, &at) || *at)
    return lines_fail(d->r, d->r->number, "grid, component, value", "a grid point has no number");
  snprintf(copy, sizeof copy, "%s", direction);
  at = copy;
  if (!lines_count(&k, &at) || *at)
    return lines_fail(d->r, d->r->number, "components are 1 to 6; scalar points (0) have no place",
                      "grid point %ld has no component", id);
  return fe_find_row(row, d->in, d->r, id, k, true);
}

static torsor_status add_term(dmig *d, const char *node, const char *direction, const char *value) {
  char copy[WIDEST], *at = copy;
  double x = 0;
  int row = 0;
  const torsor_status status = find_row(&row, d, node, direction);
  if (status) return status;
  snprintf(copy, sizeof copy, "%s", value);
  if (!lines_number(&x, &at) || *at)
    return lines_fail(d->r, d->r->number, "grid, component, value", "\"%s\" is no value", value);
  if (d->square[d->current] && row < d->column) return TORSOR_OK;
  return fe_add(d->matrix[d->current], d->in, row, d->column, x);
}

/* The terms of a line: fields of 8 hold two of them (at `first` and four further), wide ones
 * one. */
static torsor_status read_terms(dmig *d, const card *c, int first) {
  torsor_status status = TORSOR_OK;
  if (d->current < 0) return TORSOR_OK;
  if (c->field[first][0])
    status = add_term(d, c->field[first], c->field[first + 1], c->field[first + 2]);
  if (!status && !c->wide && first + 6 < FIELDS && c->field[first + 4][0])
    status = add_term(d, c->field[first + 4], c->field[first + 5], c->field[first + 6]);
  return status;
}

static torsor_status read_column(dmig *d, const card *c) {
  d->current = -1;
  for (int k = 0; k < 2; ++k) {
    if (strcasecmp(c->field[1], d->name[k]) != 0) continue;
    if (!strcmp(c->field[2], "0")) return read_header(d, c, k);
    if (!d->headed[k])
      return lines_fail(d->r, d->r->number, "DMIG NAME 0 6 2 0 begins a matrix",
                        "a column of %s comes before its first card", d->name[k]);
    d->current = k;
    const torsor_status status = find_row(&d->column, d, c->field[2], c->field[3]);
    return status || c->wide ? status : read_terms(d, c, 5);
  }
  return TORSOR_OK;
}

static torsor_status read_line(dmig *d, const char *line) {
  card c;
  cut(&c, line);
  if (!strncasecmp(c.field[0], "DMIG", 4) && (!c.field[0][4] || c.field[0][4] == '*'))
    return read_column(d, &c);
  if (!c.field[0][0] || c.field[0][0] == '*' || c.field[0][0] == '+') return read_terms(d, &c, 1);
  d->current = -1;
  return TORSOR_OK;
}

torsor_status fe_read_dmig(fe_model *out, const mesh *m, const char *file, const char *stiffness,
                           const char *mass, torsor_error *error) {
  line_reader r;
  fe_reading in;
  torsor_status status = fe_begin(&in, out, m, error);
  if (status) return status;
  dmig d = {
      .in = &in, .r = &r, .name = {stiffness, mass}, .matrix = {&out->K, &out->M}, .current = -1};
  status = lines_open(&r, file, error);
  for (char *line = status ? NULL : lines_next(&r); line && !status;
       line = status ? NULL : lines_next(&r)) {
    if (*line == '$' || !line[strspn(line, " \t")]) continue;
    status = read_line(&d, line);
  }
  if (!status) status = lines_status(&r);
  for (int k = 0; k < 2 && !status; ++k)
    if (!d.matrix[k]->entries)
      status = lines_fail(&r, 0, "PARAM,EXTOUT,DMIGPCH makes KAAX and MAAX",
                          "has no matrix called %s", d.name[k]);
  lines_close(&r);
  fe_end(&in);
  return status;
}
