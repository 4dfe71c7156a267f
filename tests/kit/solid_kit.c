/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solid_kit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { MOST = 20 };

/* ---- hexahedra ------------------------------------------------------------------------------- */

static const signed char corner[MOST][3] = {
    {-1, -1, -1}, {1, -1, -1}, {1, 1, -1},  {-1, 1, -1}, {-1, -1, 1}, {1, -1, 1}, {1, 1, 1},
    {-1, 1, 1},   {0, -1, -1}, {1, 0, -1},  {0, 1, -1},  {-1, 0, -1}, {0, -1, 1}, {1, 0, 1},
    {0, 1, 1},    {-1, 0, 1},  {-1, -1, 0}, {1, -1, 0},  {1, 1, 0},   {-1, 1, 0}};

/* Shape functions N and their derivatives by the element's coordinates x. */
static void shapes(double N[MOST], double dN[MOST][3], const double x[3], int nodes) {
  for (int i = 0; i < nodes; ++i) {
    double f[3], df[3];
    int middle = -1;
    for (int k = 0; k < 3; ++k) {
      const double c = corner[i][k];
      if (corner[i][k] == 0) middle = k;
      f[k] = corner[i][k] ? 1 + c * x[k] : 1 - x[k] * x[k];
      df[k] = corner[i][k] ? c : -2 * x[k];
    }
    const bool quadratic = nodes == MOST && middle < 0;
    const double scale = middle < 0 ? 0.125 : 0.25;
    double sum = 1;
    if (quadratic) sum = corner[i][0] * x[0] + corner[i][1] * x[1] + corner[i][2] * x[2] - 2;
    N[i] = scale * f[0] * f[1] * f[2] * sum;
    for (int k = 0; k < 3; ++k) {
      const double others = f[(k + 1) % 3] * f[(k + 2) % 3];
      dN[i][k] = scale * others * (df[k] * sum + (quadratic ? f[k] * corner[i][k] : 0));
    }
  }
}

/* Derivatives by places, and the volume of the point. */
static double gradients(double g[MOST][3], const double dN[MOST][3], const v3 *x, int nodes) {
  m3 J = m3_zero();
  for (int i = 0; i < nodes; ++i) {
    double place[3];
    v3_store(place, x[i]);
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b) J.m[a][b] += dN[i][a] * place[b];
  }
  const m3 inverse = m3_inverse(J);
  for (int i = 0; i < nodes; ++i) v3_store(g[i], m3_mulv(inverse, v3_load(dN[i])));
  return v3_dot(v3_load(J.m[0]), v3_cross(v3_load(J.m[1]), v3_load(J.m[2])));
}

static void put(fe_matrix *A, int row, int column, double value) {
  if (row < column) return;
  if (A->entries == A->room) {
    A->room = A->room ? 2 * A->room : 4096;
    A->row = realloc(A->row, (size_t)A->room * sizeof *A->row);
    A->column = realloc(A->column, (size_t)A->room * sizeof *A->column);
    A->value = realloc(A->value, (size_t)A->room * sizeof *A->value);
    CHECK_TRUE(A->row && A->column && A->value);
  }
  A->row[A->entries] = row;
  A->column[A->entries] = column;
  A->value[A->entries++] = value;
}

/* lambda g_a h_b + mu (g_b h_a + delta_ab g . h). */
static void add_point(double *K, double *M, const double g[MOST][3], const double N[MOST],
                      int nodes, const double material[3], double volume) {
  const int size = 3 * nodes;
  for (int i = 0; i < nodes; ++i)
    for (int j = 0; j < nodes; ++j) {
      double dot = 0;
      for (int a = 0; a < 3; ++a) dot += g[i][a] * g[j][a];
      for (int a = 0; a < 3; ++a) {
        for (int b = 0; b < 3; ++b)
          K[(3 * i + a) * size + 3 * j + b] +=
              volume * (material[0] * g[i][a] * g[j][b] +
                        material[1] * (g[i][b] * g[j][a] + (a == b ? dot : 0)));
        M[(3 * i + a) * size + 3 * j + a] += volume * material[2] * N[i] * N[j];
      }
    }
}

static void element_matrices(double *K, double *M, const v3 *x, int nodes,
                             const double material[3]) {
  static const double place[2][3] = {{-0.57735026918962576451, 0.57735026918962576451, 0},
                                     {-0.77459666924148337704, 0, 0.77459666924148337704}};
  static const double weight[2][3] = {{1, 1, 0}, {5.0 / 9, 8.0 / 9, 5.0 / 9}};
  const int order = nodes == MOST, n = order ? 3 : 2;
  for (int p = 0; p < n * n * n; ++p) {
    const int at[3] = {p % n, p / n % n, p / n / n};
    double N[MOST], dN[MOST][3], g[MOST][3], xi[3], w = 1;
    for (int k = 0; k < 3; ++k) {
      xi[k] = place[order][at[k]];
      w *= weight[order][at[k]];
    }
    shapes(N, dN, xi, nodes);
    const double volume = w * gradients(g, (const double(*)[3])dN, x, nodes);
    add_point(K, M, (const double(*)[3])g, N, nodes, material, volume);
  }
}

void solid_matrices(fe_model *out, const mesh *m, double E, double nu, double density) {
  const double material[3] = {E * nu / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu)), density};
  double *K = malloc(2 * 9 * MOST * MOST * sizeof *K), *M = K + 9 * MOST * MOST;
  *out = (fe_model){.n = 3 * m->nodes};
  out->node = malloc((size_t)out->n * sizeof *out->node);
  out->direction = malloc((size_t)out->n);
  CHECK_TRUE(K && out->node && out->direction);
  for (int i = 0; i < out->n; ++i) {
    out->node[i] = i / 3;
    out->direction[i] = (unsigned char)(i % 3);
  }
  for (int e = 0; e < m->elements; ++e) {
    const int nodes = m->element[e].count, *node = m->member + m->element[e].first;
    v3 x[MOST];
    memset(K, 0, 2 * 9 * MOST * MOST * sizeof *K);
    for (int i = 0; i < nodes; ++i) x[i] = m->node[node[i]].x;
    element_matrices(K, M, x, nodes, material);
    for (int i = 0; i < 3 * nodes; ++i)
      for (int j = 0; j < 3 * nodes; ++j) {
        const int row = 3 * node[i / 3] + i % 3, column = 3 * node[j / 3] + j % 3;
        put(&out->K, row, column, K[i * 3 * nodes + j]);
        if (i % 3 == j % 3) put(&out->M, row, column, M[i * 3 * nodes + j]);
      }
  }
  free(K);
}

/* ---- grids ----------------------------------------------------------------------------------- */

/* Number of the node at half steps of the elements' edges, from 1. */
static int number_at(const solid_grid *g, int i, int j, int k) {
  return 1 + i + (2 * g->n[0] + 1) * (j + (2 * g->n[1] + 1) * k);
}

static bool has_cell(const solid_grid *g, int i, int j, int k) {
  const int at[3] = {i, j, k};
  for (int d = 0; d < 3; ++d)
    if (at[d] < 0 || at[d] >= g->n[d]) return false;
  return !g->lacks || !g->lacks(i, j, k);
}

/* A place is a node where it is a corner, or the middle of an edge, of some element. */
static bool has_node(const solid_grid *g, int i, int j, int k) {
  const int odd = i % 2 + j % 2 + k % 2;
  if (odd > (g->nodes == MOST)) return false;
  for (int c = 0; c < 8; ++c) { /* the elements around it */
    const int x = i / 2 - (i % 2 ? 0 : c & 1), y = j / 2 - (j % 2 ? 0 : c >> 1 & 1);
    if (has_cell(g, x, y, k / 2 - (k % 2 ? 0 : c >> 2))) return true;
  }
  return false;
}

static double place_at(const solid_grid *g, int axis, int i) {
  const double *x = g->place[axis] + i / 2;
  return i % 2 ? (x[0] + x[1]) / 2 : x[0];
}

/* The nodes of the last (`end`) or the first plane across an axis. */
static void write_face(FILE *file, const solid_grid *g, const char *name, int axis, bool end) {
  fprintf(file, "*NSET, NSET=%s\n", name);
  for (int k = 0; k <= 2 * g->n[2]; ++k)
    for (int j = 0; j <= 2 * g->n[1]; ++j)
      for (int i = 0; i <= 2 * g->n[0]; ++i) {
        const int at[3] = {i, j, k};
        if (at[axis] == (end ? 2 * g->n[axis] : 0) && has_node(g, i, j, k))
          fprintf(file, "%d\n", number_at(g, i, j, k));
      }
}

void solid_write_grid(const char *name, const solid_grid *g) {
  FILE *file = fopen(name, "w");
  CHECK_TRUE(file != NULL);
  fprintf(file, "*NODE\n");
  for (int k = 0; k <= 2 * g->n[2]; ++k)
    for (int j = 0; j <= 2 * g->n[1]; ++j)
      for (int i = 0; i <= 2 * g->n[0]; ++i)
        if (has_node(g, i, j, k))
          fprintf(file, "%d, %.9g, %.9g, %.9g\n", number_at(g, i, j, k), place_at(g, 0, i),
                  place_at(g, 1, j), place_at(g, 2, k));
  fprintf(file, "*ELEMENT, TYPE=C3D%d, ELSET=SOLID\n", g->nodes);
  for (int e = 0; e < g->n[0] * g->n[1] * g->n[2]; ++e) {
    const int cell[3] = {e % g->n[0], e / g->n[0] % g->n[1], e / g->n[0] / g->n[1]};
    if (!has_cell(g, cell[0], cell[1], cell[2])) continue;
    fprintf(file, "%d", e + 1);
    for (int i = 0; i < g->nodes; ++i)
      fprintf(file, "%s%d", i % 8 == 7 ? ",\n" : ", ",
              number_at(g, 2 * cell[0] + 1 + corner[i][0], 2 * cell[1] + 1 + corner[i][1],
                        2 * cell[2] + 1 + corner[i][2]));
    fprintf(file, "\n");
  }
  write_face(file, g, "START", 0, false);
  write_face(file, g, "END", g->end, true);
  fclose(file);
}

void solid_write_box(const char *name, const int n[3], v3 size, int nodes) {
  double extent[3], *place[3];
  v3_store(extent, size);
  for (int d = 0; d < 3; ++d) {
    place[d] = malloc(((size_t)n[d] + 1) * sizeof(double));
    CHECK_TRUE(place[d] != NULL);
    for (int i = 0; i <= n[d]; ++i) place[d][i] = extent[d] * i / n[d];
  }
  const solid_grid g = {
      .n = {n[0], n[1], n[2]}, .place = {place[0], place[1], place[2]}, .nodes = nodes};
  solid_write_grid(name, &g);
  for (int d = 0; d < 3; ++d) free(place[d]);
}

static bool is_beside_bracket(int i, int j, int k) {
  (void)j;
  return i < 6 && k > 0;
}

void solid_write_bracket(const char *name) {
  static const double width[] = {0, 0.02, 0.04};
  double along[8], up[7] = {0};
  for (int i = 0; i < 7; ++i) along[i] = 0.092 / 6 * i;
  along[7] = 0.1;
  for (int i = 0; i < 6; ++i) up[i + 1] = 0.008 + 0.072 / 5 * i;
  const solid_grid g = {.n = {7, 2, 6},
                        .place = {along, width, up},
                        .nodes = MOST,
                        .end = 2,
                        .lacks = is_beside_bracket};
  solid_write_grid(name, &g);
}

/* ---- files of other programs ----------------------------------------------------------------- */

static FILE *open_file(const char *base, const char *end) {
  char path[400];
  snprintf(path, sizeof path, "%s%s", base, end);
  FILE *file = fopen(path, "w");
  CHECK_TRUE(file != NULL);
  return file;
}

static void write_triple(const char *base, const char *end, const fe_matrix *A) {
  FILE *file = open_file(base, end);
  for (long k = 0; k < A->entries; ++k)
    fprintf(file, "%d %d %.13e\n", A->column[k] + 1, A->row[k] + 1, A->value[k]);
  fclose(file);
}

void solid_write_calculix(const char *base, const fe_model *f, const mesh *m) {
  FILE *file = open_file(base, ".dof");
  for (int i = 0; i < f->n; ++i)
    fprintf(file, "%ld.%d\n", m->node[f->node[i]].id, f->direction[i] + 1);
  fclose(file);
  write_triple(base, ".sti", &f->K);
  write_triple(base, ".mas", &f->M);
}

void solid_write_abaqus(const char *name, const fe_matrix *A, const fe_model *f, const mesh *m) {
  FILE *file = open_file(name, "");
  fprintf(file, "** ASSEMBLED MATRIX\n*MATRIX INPUT, NAME=A\n");
  for (long k = 0; k < A->entries; ++k)
    fprintf(file, "%ld,%d, %ld,%d, %.13e\n", m->node[f->node[A->row[k]]].id,
            f->direction[A->row[k]] + 1, m->node[f->node[A->column[k]]].id,
            f->direction[A->column[k]] + 1, A->value[k]);
  fclose(file);
}

void solid_write_market(const char *name, const fe_matrix *A, const fe_model *f, bool general) {
  FILE *file = open_file(name, "");
  long entries = A->entries;
  for (long k = 0; general && k < A->entries; ++k) entries += A->row[k] != A->column[k];
  fprintf(file, "%%%%MatrixMarket matrix coordinate real %s\n%% a comment\n%d %d %ld\n",
          general ? "general" : "symmetric", f->n, f->n, entries);
  for (long k = 0; k < A->entries; ++k) {
    fprintf(file, "%d %d %.17g\n", A->row[k] + 1, A->column[k] + 1, A->value[k]);
    if (general && A->row[k] != A->column[k])
      fprintf(file, "%d %d %.17g\n", A->column[k] + 1, A->row[k] + 1, A->value[k]);
  }
  fclose(file);
}

/* A number in 16 columns, or in 8 as Nastran writes it. */
static const char *field(char out[24], double x, bool wide) {
  char digits[20];
  snprintf(digits, sizeof digits, wide ? "%.9E" : "%.2E", x);
  if (wide) return strcpy(out, digits);
  char *e = strchr(digits, 'E');
  *e = '\0';
  snprintf(out, 24, "%s%+d", digits, atoi(e + 1) % 1000);
  return out;
}

static void write_columns(FILE *file, const char *name, const fe_matrix *A, const fe_model *f,
                          const mesh *m, bool wide) {
  char text[24];
  fprintf(file, "DMIG    %-8s       0       6       2       0\n", name);
  for (int j = 0; j < f->n; ++j) {
    const long id = m->node[f->node[j]].id;
    int written = 0;
    for (long k = 0; k < A->entries; ++k) {
      if (A->column[k] != j) continue;
      const long other = m->node[f->node[A->row[k]]].id;
      const int direction = f->direction[A->row[k]] + 1;
      if (wide) {
        if (!written++) fprintf(file, "DMIG*   %-16s%16ld%16d\n", name, id, f->direction[j] + 1);
        fprintf(file, "*       %16ld%16d%16s\n", other, direction, field(text, A->value[k], true));
        continue;
      }
      if (!written)
        fprintf(file, "DMIG    %-8s%8ld%8d        ", name, id, f->direction[j] + 1);
      else if (written % 2)
        fprintf(file, "\n        ");
      fprintf(file, "%8ld%8d%8s        ", other, direction, field(text, A->value[k], false));
      ++written;
    }
    if (written && !wide) fprintf(file, "\n");
  }
}

void solid_write_dmig(const char *name, const fe_model *f, const mesh *m, bool wide) {
  FILE *file = open_file(name, "");
  fprintf(file, "$ matrices of a part\n");
  write_columns(file, "KAAX", &f->K, f, m, wide);
  write_columns(file, "MAAX", &f->M, f, m, wide);
  fclose(file);
}
