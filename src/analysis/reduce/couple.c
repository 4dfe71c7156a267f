/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/reduce/couple.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/eigen/lapack.h"

static torsor_status out_of_memory(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

torsor_status couple_fail(torsor_error *error, int i, const char *hint, const char *format, ...) {
  char message[400];
  va_list list;
  va_start(list, format);
  vsnprintf(message, sizeof message, format, list);
  va_end(list);
  torsor_fail(error, TORSOR_SCENE, "%s", message);
  torsor_hint(error, "%s", hint);
  if (error) snprintf(error->parameter, sizeof error->parameter, "interfaces[%d]", i);
  return TORSOR_SCENE;
}

/* ---- degrees of freedom ---------------------------------------------------------------------- */

torsor_status couple_rows(int **out, const reduce_input *in, torsor_error *error) {
  const fe_model *f = in->model;
  int *row = *out = malloc((6 * (size_t)in->nodes + 1) * sizeof *row);
  if (!row) return out_of_memory(error);
  for (int i = 0; i < 6 * in->nodes; ++i) row[i] = -1;
  for (int i = 0; i < f->n; ++i) row[6 * f->node[i] + f->direction[i]] = i;
  for (int i = 0; i < in->nodes; ++i)
    for (int part = 0; part < 2; ++part) {
      int count = 0;
      for (int k = 0; k < 3; ++k) count += row[6 * i + 3 * part + k] >= 0;
      const bool turns = row[6 * i + 3] >= 0 || row[6 * i + 4] >= 0 || row[6 * i + 5] >= 0;
      if (count == 3 || (count == 0 && (part || !turns))) continue;
      torsor_fail(error, TORSOR_SCENE, "the node %ld has only %d of three %s", in->id[i], count,
                  part ? "rotations" : "displacements");
      torsor_hint(error, "write the matrices of the free body, without boundary conditions");
      return TORSOR_SCENE;
    }
  return TORSOR_OK;
}

torsor_status couple_rigid(double **out, const reduce_input *in) {
  const fe_model *f = in->model;
  const size_t n = (size_t)f->n;
  double *R = *out = calloc(6 * n + 1, sizeof *R);
  if (!R) return TORSOR_MEMORY;
  for (int i = 0; i < f->n; ++i) {
    const int k = f->direction[i];
    R[(size_t)k * n + (size_t)i] = 1;
    for (int axis = 0; axis < 3 && k < 3; ++axis) {
      double turned[3];
      v3_store(turned, v3_cross((v3){axis == 0, axis == 1, axis == 2}, in->place[f->node[i]]));
      R[(size_t)(3 + axis) * n + (size_t)i] = turned[k];
    }
  }
  return TORSOR_OK;
}

/* ---- one interface --------------------------------------------------------------------------- */

/* Motions of nodes by the six of a frame at their interface: rows of A [6] for direction k. */
static void frame_row(double a[6], v3 arm, int k) {
  memset(a, 0, 6 * sizeof *a);
  a[k] = 1;
  for (int axis = 0; axis < 3 && k < 3; ++axis) {
    double turned[3];
    v3_store(turned, v3_cross((v3){axis == 0, axis == 1, axis == 2}, arm));
    a[3 + axis] = turned[k];
  }
}

/* Smallest over largest eigenvalue of A^T W A with rotations in the size of the set: 0 where the
 * nodes lie on a line. */
static double steadiness(const double gram[36], double size) {
  double A[36], w[6];
  for (int i = 0; i < 36; ++i) A[i] = gram[i] / ((i / 6 < 3 ? 1 : size) * (i % 6 < 3 ? 1 : size));
  return lapack_eigen_symmetric(w, A, 6) || !(w[5] > 0) ? 0 : w[0] / w[5];
}

/* A set counts as one on a line where its width is a ten-thousandth of its length. */
static const double LINE = 1e-8;

typedef struct frame_set {
  const reduce_interface *of;
  int index; /* of the interface */
  double gram[36];
  double size; /* largest distance of a node from the frame */
  const int *row;
} frame_set;

static double weight_of(const reduce_interface *of, int i) {
  return of->weight ? of->weight[i] : 1;
}

/* A^T W A of the set.  Averages are of displacements alone. */
static void find_gram(frame_set *s, const reduce_input *in) {
  memset(s->gram, 0, sizeof s->gram);
  s->size = 0;
  for (int i = 0; i < s->of->nodes; ++i) {
    const int node = s->of->node[i];
    const v3 arm = v3_sub(in->place[node], s->of->position);
    s->size = fmax(s->size, v3_norm(arm));
    for (int k = 0; k < (s->of->averaging ? 3 : 6); ++k) {
      double a[6];
      if (s->row[6 * node + k] < 0) continue;
      frame_row(a, arm, k);
      for (int j = 0; j < 36; ++j) s->gram[j] += weight_of(s->of, i) * a[j / 6] * a[j % 6];
    }
  }
  if (!(s->size > 0)) s->size = 1;
}

static torsor_status check_set(frame_set *s, const reduce_input *in, torsor_error *error) {
  const reduce_interface *of = s->of;
  if (!of->nodes)
    return couple_fail(error, s->index, "name a set that has nodes",
                       "the interface \"%s\" has no nodes", of->name);
  for (int i = 0; i < of->nodes; ++i)
    if (s->row[6 * of->node[i]] < 0)
      return couple_fail(error, s->index, "the set must be one of nodes of the elements",
                         "the node %ld of the interface \"%s\" has no degrees of freedom",
                         in->id[of->node[i]], of->name);
  find_gram(s, in);
  if (steadiness(s->gram, s->size) > LINE) return TORSOR_OK;
  return couple_fail(error, s->index,
                     "take three nodes that are not on a line, or, held rigidly, a node that has "
                     "rotations",
                     "the nodes of the interface \"%s\" do not determine its rotation", of->name);
}

/* ---- all of them ----------------------------------------------------------------------------- */

/* Rows while they are found: each degree of freedom is inner, or has values. */
typedef struct building {
  const reduce_input *in;
  const int *row;
  int *owner;      /* [n] interface that holds it, -1 = inner */
  double **values; /* [n] of held ones: six of the interface, then of `peers` */
  int **peers;     /* [n] degrees of freedom that it also depends on, or NULL */
  int *peer_count;
} building;

static torsor_status building_take(building *b, int n) {
  b->owner = malloc(((size_t)n + 1) * sizeof *b->owner);
  b->values = calloc((size_t)n + 1, sizeof *b->values);
  b->peers = calloc((size_t)n + 1, sizeof *b->peers);
  b->peer_count = calloc((size_t)n + 1, sizeof *b->peer_count);
  for (int i = 0; b->owner && i < n; ++i) b->owner[i] = -1;
  return b->owner && b->values && b->peers && b->peer_count ? TORSOR_OK : TORSOR_MEMORY;
}

static void building_release(building *b, int n) {
  for (int i = 0; i < n; ++i) {
    if (b->values) free(b->values[i]);
    if (b->peers) free(b->peers[i]);
  }
  free(b->owner);
  free(b->values);
  free(b->peers);
  free(b->peer_count);
}

static torsor_status hold_rigidly(building *b, const frame_set *s, torsor_error *error) {
  for (int i = 0; i < s->of->nodes; ++i) {
    const int node = s->of->node[i];
    for (int k = 0; k < 6; ++k) {
      const int dof = b->row[6 * node + k];
      if (dof < 0) continue;
      b->owner[dof] = s->index;
      free(b->values[dof]);
      b->values[dof] = calloc(6, sizeof **b->values);
      if (!b->values[dof]) return out_of_memory(error);
      frame_row(b->values[dof], v3_sub(b->in->place[node], s->of->position), k);
    }
  }
  return TORSOR_OK;
}

/* Finds six columns of C [6 x m], rotations in the size of the set, by complete pivoting: those
 * that can be solved for best. */
static void choose_pivots(int pivot[6], double *C, int m) {
  bool used[6] = {false};
  for (int step = 0; step < 6; ++step) {
    int row = 0, column = 0;
    double most = -1;
    for (int i = 0; i < 6; ++i)
      for (int j = 0; !used[i] && j < m; ++j)
        if (fabs(C[(size_t)j * 6 + (size_t)i]) > most) {
          most = fabs(C[(size_t)j * 6 + (size_t)i]);
          row = i;
          column = j;
        }
    used[row] = true;
    pivot[step] = column;
    const double *from = C + 6 * (size_t)column;
    double factor[6];
    for (int i = 0; i < 6; ++i) factor[i] = used[i] ? 0 : from[i] / from[row];
    for (int j = 0; j < m; ++j) {
      double *c = C + 6 * (size_t)j;
      for (int i = 0; i < 6; ++i) c[i] -= factor[i] * c[row];
    }
  }
}

/* C = (A^T W A)^-1 A^T W, [6 x 3 nodes] by columns: the frame's motion by those of the nodes. */
static torsor_status find_mean(double *C, const building *b, const frame_set *s) {
  const int m = 3 * s->of->nodes;
  double gram[36];
  memcpy(gram, s->gram, sizeof gram);
  for (int j = 0; j < m; ++j) {
    double *c = C + 6 * (size_t)j;
    frame_row(c, v3_sub(b->in->place[s->of->node[j / 3]], s->of->position), j % 3);
    for (int i = 0; i < 6; ++i) c[i] *= weight_of(s->of, j / 3);
  }
  return lapack_solve(C, gram, 6, m);
}

/* Six of the nodes' displacements follow from the frame and from the others: with C = [C_d C_f],
 * u_d = C_d^-1 (q - C_f u_f). */
static torsor_status hold_mean(building *b, const frame_set *s, torsor_error *error) {
  const int m = 3 * s->of->nodes;
  const size_t size = 6 * (size_t)m;
  double *C = malloc((size + 1) * sizeof *C), *scaled = malloc((size + 1) * sizeof *scaled);
  int pivot[6];
  torsor_status status = C && scaled ? find_mean(C, b, s) : TORSOR_MEMORY;
  if (!status) {
    double Cd[36], inverse[36] = {0};
    for (size_t j = 0; j < size; ++j) scaled[j] = C[j] * (j % 6 < 3 ? 1 : s->size);
    choose_pivots(pivot, scaled, m);
    for (int k = 0; k < 6; ++k) {
      memcpy(Cd + 6 * k, C + 6 * (size_t)pivot[k], 6 * sizeof *Cd);
      inverse[7 * k] = 1;
    }
    status = lapack_solve(inverse, Cd, 6, 6); /* by columns */
    for (int k = 0; k < 6 && !status; ++k) {
      const int dof = b->row[6 * s->of->node[pivot[k] / 3] + pivot[k] % 3];
      double *value = calloc((size_t)m + 6, sizeof *value);
      int *peer = malloc(((size_t)m + 1) * sizeof *peer);
      b->values[dof] = value;
      b->peers[dof] = peer;
      b->owner[dof] = s->index;
      if (!value || !peer) status = TORSOR_MEMORY;
      for (int i = 0; !status && i < 6; ++i) value[i] = inverse[6 * i + k];
      int count = 0;
      for (int j = 0; !status && j < m; ++j) {
        bool chosen = false;
        for (int i = 0; i < 6; ++i) chosen = chosen || pivot[i] == j;
        if (chosen) continue;
        for (int i = 0; i < 6; ++i)
          value[6 + count] -= inverse[6 * i + k] * C[6 * (size_t)j + (size_t)i];
        peer[count++] = b->row[6 * s->of->node[j / 3] + j % 3];
      }
      b->peer_count[dof] = count;
    }
  }
  free(C);
  free(scaled);
  return status == TORSOR_MEMORY ? out_of_memory(error) : status;
}

/* No node may belong to two interfaces. */
static torsor_status check_owners(const reduce_input *in, torsor_error *error) {
  int *of = malloc(((size_t)in->nodes + 1) * sizeof *of);
  torsor_status status = of ? TORSOR_OK : out_of_memory(error);
  for (int i = 0; !status && i < in->nodes; ++i) of[i] = -1;
  for (int i = 0; i < in->interfaces && !status; ++i)
    for (int k = 0; k < in->interface[i].nodes && !status; ++k) {
      int *at = &of[in->interface[i].node[k]];
      if (*at >= 0 && *at != i)
        status = couple_fail(error, i, "a node belongs to one interface",
                             "the node %ld is in the interfaces \"%s\" and \"%s\"",
                             in->id[in->interface[i].node[k]], in->interface[*at].name,
                             in->interface[i].name);
      *at = i;
    }
  free(of);
  return status;
}

/* Numbers the inner ones, and writes the rows. */
static torsor_status write_rows(coupling *out, const building *b) {
  const int n = out->n;
  int *number = malloc(((size_t)n + 1) * sizeof *number);
  size_t entries = 0;
  out->inner = malloc(((size_t)n + 1) * sizeof *out->inner);
  out->first = calloc((size_t)n + 1, sizeof *out->first);
  if (!number || !out->inner || !out->first) {
    free(number);
    return TORSOR_MEMORY;
  }
  out->size = out->held;
  for (int i = 0; i < n; ++i) {
    if (b->owner[i] < 0) out->inner[out->size - out->held] = i;
    number[i] = b->owner[i] < 0 ? out->size++ : -1;
    entries += b->owner[i] < 0 ? 1 : 6 + (size_t)b->peer_count[i];
  }
  out->column = malloc((entries + 1) * sizeof *out->column);
  out->value = malloc((entries + 1) * sizeof *out->value);
  long to = 0;
  for (int i = 0; out->column && out->value && i < n; ++i) {
    out->first[i] = to;
    if (b->owner[i] < 0) {
      out->column[to] = number[i];
      out->value[to++] = 1;
      continue;
    }
    for (int k = 0; k < 6 + b->peer_count[i]; ++k) {
      if (b->values[i][k] == 0) continue;
      out->column[to] = k < 6 ? 6 * b->owner[i] + k : number[b->peers[i][k - 6]];
      out->value[to++] = b->values[i][k];
    }
  }
  out->first[n] = to;
  free(number);
  return out->column && out->value ? TORSOR_OK : TORSOR_MEMORY;
}

torsor_status couple_create(coupling *out, const reduce_input *in, const int *row,
                            torsor_error *error) {
  *out = (coupling){.n = in->model->n, .held = 6 * in->interfaces};
  building b = {.in = in, .row = row};
  torsor_status status = building_take(&b, out->n);
  if (status) torsor_fail(error, status, "out of memory");
  if (!status) status = check_owners(in, error);
  for (int i = 0; i < in->interfaces && !status; ++i) {
    frame_set s = {.of = &in->interface[i], .index = i, .row = row};
    status = check_set(&s, in, error);
    if (!status) status = s.of->averaging ? hold_mean(&b, &s, error) : hold_rigidly(&b, &s, error);
  }
  if (!status) {
    status = write_rows(out, &b);
    if (status) torsor_fail(error, status, "out of memory");
  }
  building_release(&b, out->n);
  return status;
}

void couple_release(coupling *g) {
  free(g->first);
  free(g->column);
  free(g->value);
  free(g->inner);
  *g = (coupling){0};
}

/* ---- G^T A G --------------------------------------------------------------------------------- */

typedef struct entries {
  long count, room;
  int *row, *column;
  double *value;
} entries;

static bool add_entry(entries *e, int row, int column, double value) {
  if (e->count == e->room) {
    e->room = e->room ? 2 * e->room : 4096;
    int *rows = realloc(e->row, (size_t)e->room * sizeof *rows);
    if (rows) e->row = rows;
    int *columns = realloc(e->column, (size_t)e->room * sizeof *columns);
    if (columns) e->column = columns;
    double *values = realloc(e->value, (size_t)e->room * sizeof *values);
    if (values) e->value = values;
    if (!rows || !columns || !values) return false;
  }
  e->row[e->count] = row > column ? row : column;
  e->column[e->count] = row > column ? column : row;
  e->value[e->count++] = value;
  return true;
}

/* An entry a_ij below the diagonal stands for a_ji, too: of the pairs of coordinates it gives, one
 * triangle is kept, and their diagonal twice. */
static bool add_products(entries *e, const coupling *g, int i, int j, double a) {
  for (long p = g->first[i]; p < g->first[i + 1]; ++p)
    for (long q = g->first[j]; q < g->first[j + 1]; ++q) {
      const int row = g->column[p], column = g->column[q];
      const double value = a * g->value[p] * g->value[q];
      if (i == j && column > row) continue;
      if (!add_entry(e, row, column, i != j && row == column ? 2 * value : value)) return false;
    }
  return true;
}

torsor_status couple_matrix(symmetric *out, const coupling *g, const fe_matrix *A) {
  entries e = {0};
  bool good = true;
  *out = (symmetric){0};
  for (long k = 0; k < A->entries && good; ++k)
    good = add_products(&e, g, A->row[k], A->column[k], A->value[k]);
  const torsor_status status =
      good ? symmetric_build(out, g->size, e.count, e.row, e.column, e.value) : TORSOR_MEMORY;
  free(e.row);
  free(e.column);
  free(e.value);
  return status;
}
