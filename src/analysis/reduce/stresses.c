/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/reduce/stresses.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/eigen/lapack.h"
#include "analysis/reduce/solids.h"

/* Pairs of axes in the order of D and of stresses. */
static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};

enum { GRADIENTS = 9 };

static torsor_status out_of_memory(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

/* ---- one element ----------------------------------------------------------------------------- */

static void find_places(v3 x[SOLID_NODES], const reduced_model *r, const reduce_solid *s) {
  for (int i = 0; i < s->nodes; ++i) x[i] = r->in->place[s->node[i]];
}

/* H [columns][9]: derivatives 3 c + a of the displacement c by the place a at a point, for each
 * column of u [columns][degrees].  Returns the volume of the point. */
static double find_slopes(double *H, const reduced_model *r, const reduce_solid *s, int point,
                          const double *u, int columns) {
  v3 x[SOLID_NODES];
  double g[SOLID_NODES][3];
  find_places(x, r, s);
  const double volume = solid_gradients(g, x, s->nodes, point);
  memset(H, 0, (size_t)columns * GRADIENTS * sizeof *H);
  for (int i = 0; i < s->nodes; ++i)
    for (int c = 0; c < 3; ++c) {
      const int row = (*r->row)[6 * s->node[i] + c];
      for (int j = 0; j < columns && row >= 0; ++j)
        for (int a = 0; a < 3; ++a)
          H[j * GRADIENTS + 3 * c + a] += g[i][a] * u[(size_t)j * (size_t)r->g->n + (size_t)row];
    }
  return volume;
}

/* Hooke's law of small strains: stresses xx, yy, zz, xy, yz, xz of derivatives [9]. */
static void find_stress(double out[6], const reduce_solid *s, const double H[GRADIENTS]) {
  const double shear = s->E / (2 * (1 + s->nu));
  const double first = s->E * s->nu / ((1 + s->nu) * (1 - 2 * s->nu));
  const double trace = H[0] + H[4] + H[8];
  for (int q = 0; q < 6; ++q) {
    const int k = pair[q][0], l = pair[q][1];
    out[q] = shear * (H[3 * k + l] + H[3 * l + k]) + (k == l ? first * trace : 0);
  }
}

/* ---- stresses at nodes ----------------------------------------------------------------------- */

/* Adds the stresses at a node of the element to rows S [6][n]; H [n][9] is room. */
static void add_at_node(double *S, double *H, const reduced_model *r, const reduce_solid *s,
                        int node) {
  const int n = r->out->n;
  double weight[SOLID_POINTS];
  solid_weights(weight, s->nodes, node);
  for (int p = 0; p < solid_points(s->nodes); ++p) {
    find_slopes(H, r, s, p, r->out->N, n);
    for (int j = 0; j < n; ++j) {
      double stress[6];
      find_stress(stress, s, H + (size_t)j * GRADIENTS);
      for (int q = 0; q < 6; ++q) S[q * n + j] += weight[p] * stress[q];
    }
  }
}

/* The stress at a node is the mean of those of its elements. */
static torsor_status fill_point(double *S, double *H, const reduced_model *r, int point,
                                torsor_error *error) {
  const int node = r->in->point[point], n = r->out->n;
  int count = 0;
  for (int e = 0; e < r->in->solids; ++e)
    for (int i = 0; i < r->in->solid[e].nodes; ++i)
      if (r->in->solid[e].node[i] == node) {
        add_at_node(S, H, r, &r->in->solid[e], i);
        ++count;
      }
  for (int k = 0; k < 6 * n && count; ++k) S[k] /= count;
  if (count) return TORSOR_OK;
  torsor_fail(error, TORSOR_SCENE, "no solid element has the node %ld", r->in->id[node]);
  if (error) snprintf(error->parameter, sizeof error->parameter, "stresses[%d]", point);
  return TORSOR_SCENE;
}

static torsor_status fill_points(const reduced_model *r, torsor_error *error) {
  const size_t n = (size_t)r->out->n;
  double *H = malloc(n * GRADIENTS * sizeof *H + 1);
  torsor_status status = TORSOR_OK;
  r->out->S = calloc(6 * n * (size_t)r->in->points + 1, sizeof *r->out->S);
  if (!H || !r->out->S) status = out_of_memory(error);
  for (int k = 0; k < r->in->points && !status; ++k)
    status = fill_point(r->out->S + 6 * n * (size_t)k, H, r, k, error);
  free(H);
  return status;
}

/* ---- stiffness of a motion ----------------------------------------------------------------- */

/* Loads: those of a rotation, of pairs of axes, and of a weight along each axis. */
enum { ROTATIONS = 6, LOADS = 9 };

/* Forces [degrees] of a load: minus the mass times the acceleration, which is G_k G_l x of a
 * rotation with the product 1 of its components k and l, half of it for each order of them, and
 * minus 1 along an axis of a weight. */
static void find_forces(double *f, double *acceleration, const reduced_model *r, int load) {
  const fe_model *model = r->in->model;
  const int k = load < ROTATIONS ? pair[load][0] : load - ROTATIONS;
  const int l = load < ROTATIONS ? pair[load][1] : 0;
  for (int i = 0; i < model->n; ++i) {
    double x[3];
    v3_store(x, r->in->place[model->node[i]]);
    const int d = model->direction[i];
    if (load >= ROTATIONS)
      acceleration[i] = -(d == k);
    else /* e_k (e_l . x) - x (e_k . e_l) */
      acceleration[i] = d > 2 ? 0 : ((d == k) * x[l] + (d == l) * x[k]) / 2 - (k == l) * x[d];
  }
  symmetric_multiply(f, r->M, acceleration);
  for (int i = 0; i < model->n; ++i) f[i] = -f[i];
}

/* Coordinates of the interfaces y [held] under forces on them and on inner ones, with those that
 * bear the body held: their stiffness is that of the reduced body. */
static torsor_status move_interfaces(double *y, const reduced_model *r) {
  const size_t held = (size_t)r->b->held, n = (size_t)r->out->n;
  size_t free_count = 0;
  int *index = malloc((held + 1) * sizeof *index);
  double *K = malloc((held * held + held + 1) * sizeof *K), *x = K ? K + held * held : NULL;
  torsor_status status = index && K ? TORSOR_OK : TORSOR_MEMORY;
  for (size_t i = 0; i < held && !status; ++i)
    if (!r->in->holds[i / 6]) index[free_count++] = (int)i;
  for (size_t i = 0; i < free_count && !status; ++i) {
    x[i] = y[index[i]];
    for (size_t j = 0; j < free_count; ++j)
      K[j * free_count + i] = r->out->K[(size_t)index[i] * n + (size_t)index[j]];
  }
  if (!status && free_count) status = lapack_solve(x, K, (int)free_count, 1);
  memset(y, 0, held * sizeof *y);
  for (size_t i = 0; i < free_count && !status; ++i) y[index[i]] = x[i];
  free(K);
  free(index);
  return status;
}

/* The static displacements u [degrees] under forces f [degrees]; y [size] is room. */
static torsor_status find_deflection(double *u, double *y, const reduced_model *r,
                                     const double *f) {
  const coupling *g = r->g;
  const basis *b = r->b;
  const size_t inner = (size_t)b->inner, held = (size_t)b->held;
  memset(y, 0, (size_t)g->size * sizeof *y);
  for (int i = 0; i < g->n; ++i)
    for (long e = g->first[i]; e < g->first[i + 1]; ++e) y[g->column[e]] += g->value[e] * f[i];
  for (size_t j = 0; j < held; ++j)
    for (size_t i = 0; i < inner; ++i) y[j] += b->Psi[j * inner + i] * y[held + i];
  torsor_status status = move_interfaces(y, r);
  if (!status) status = cholesky_solve(b->factor, y + held, 1);
  for (size_t j = 0; j < held; ++j)
    for (size_t i = 0; i < inner; ++i) y[held + i] += y[j] * b->Psi[j * inner + i];
  memset(u, 0, (size_t)g->n * sizeof *u);
  for (int i = 0; i < g->n; ++i)
    for (long e = g->first[i]; e < g->first[i + 1]; ++e) u[i] += g->value[e] * y[g->column[e]];
  return status;
}

/* Adds volume H^T stress H of a point to F [LOADS][n x n]: `load` [LOADS][9] are the slopes of the
 * loads, H [n][9] those of the shapes, T [n][9] is room. */
static void add_stiffness(double *F, double *T, const reduce_solid *s, const double *load,
                          const double *H, int n, double volume) {
  for (int q = 0; q < LOADS; ++q) {
    double stress[6], full[3][3], *to = F + (size_t)q * (size_t)n * (size_t)n;
    find_stress(stress, s, load + q * GRADIENTS);
    for (int k = 0; k < 6; ++k)
      full[pair[k][0]][pair[k][1]] = full[pair[k][1]][pair[k][0]] = volume * stress[k];
    for (int j = 0; j < n; ++j)
      for (int c = 0; c < 3; ++c)
        for (int a = 0; a < 3; ++a) {
          const double *h = H + j * GRADIENTS + 3 * c;
          T[j * GRADIENTS + 3 * c + a] = full[a][0] * h[0] + full[a][1] * h[1] + full[a][2] * h[2];
        }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j) {
        const double *h = H + i * GRADIENTS, *t = T + j * GRADIENTS;
        double sum = 0;
        for (int k = 0; k < GRADIENTS; ++k) sum += h[k] * t[k];
        to[i * n + j] += sum;
      }
  }
}

static void complete(double *F, int n) {
  for (int q = 0; q < LOADS; ++q, F += (size_t)n * (size_t)n)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < i; ++j) F[j * n + i] = F[i * n + j];
}

static torsor_status fill_stiffness(const reduced_model *r, torsor_error *error) {
  const size_t n = (size_t)r->out->n, degrees = (size_t)r->g->n, size = (size_t)r->g->size;
  double *u = malloc(((LOADS + 2) * degrees + size + 2 * GRADIENTS * n + 1) * sizeof *u);
  double *f = u ? u + LOADS * degrees : NULL, *y = u ? f + 2 * degrees : NULL;
  double *H = u ? y + size : NULL, *T = u ? H + GRADIENTS * n : NULL;
  torsor_status status = u ? TORSOR_OK : TORSOR_MEMORY;
  r->out->F = calloc(LOADS * n * n + 1, sizeof *r->out->F);
  if (!r->out->F) status = TORSOR_MEMORY;
  for (int q = 0; q < LOADS && !status; ++q) {
    find_forces(f, f + degrees, r, q);
    status = find_deflection(u + (size_t)q * degrees, y, r, f);
  }
  for (int e = 0; e < r->in->solids && !status; ++e) {
    const reduce_solid *s = &r->in->solid[e];
    for (int p = 0; p < solid_points(s->nodes); ++p) {
      double load[LOADS * GRADIENTS];
      find_slopes(load, r, s, p, u, LOADS);
      const double volume = find_slopes(H, r, s, p, r->out->N, r->out->n);
      add_stiffness(r->out->F, T, s, load, H, r->out->n, volume);
    }
  }
  if (!status) complete(r->out->F, r->out->n);
  free(u);
  return status ? out_of_memory(error) : TORSOR_OK;
}

torsor_status stresses_fill(const reduced_model *r, torsor_error *error) {
  torsor_status status = r->in->points ? fill_points(r, error) : TORSOR_OK;
  if (!status && r->in->holds) status = fill_stiffness(r, error);
  return status;
}
