/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "reduced_kit.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

#include "base/text.h"

static v3 some_vector(check_rng *rng, double size) {
  const double x = check_uniform(rng, -size, size), y = check_uniform(rng, -size, size);
  return (v3){x, y, check_uniform(rng, -size, size)};
}

static double *take(size_t count) {
  double *out = calloc(count + 1, sizeof *out);
  CHECK_TRUE(out != NULL);
  return out;
}

/* Points follow the interfaces: w_b (u + theta x (x - X_b)), the weights of a point adding up to
 * 1. */
static void make_shapes(reduced_body *b, check_rng *rng) {
  double *weight = take((size_t)b->interfaces);
  for (int p = 0; p < b->points; ++p) {
    double sum = 0;
    for (int i = 0; i < b->interfaces; ++i) sum += weight[i] = check_uniform(rng, 0.2, 1);
    for (int i = 0; i < b->interfaces; ++i) {
      const v3 arm = v3_sub(b->x[p], b->place[i].x);
      for (int k = 0; k < 6; ++k) {
        const v3 axis = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
        double value[3];
        v3_store(value, v3_scale(k < 3 ? axis : v3_cross(axis, arm), weight[i] / sum));
        for (int d = 0; d < 3; ++d) b->N[(3 * p + d) * b->n + 6 * i + k] = value[d];
      }
    }
    for (int k = 6 * b->interfaces; k < b->n; ++k)
      for (int d = 0; d < 3; ++d) b->N[(3 * p + d) * b->n + k] = check_uniform(rng, -1, 1);
  }
  free(weight);
}

/* G_k x of a column of N. */
static double turned(const reduced_body *b, int row, int column, int k) {
  const int d = row % 3, other = 3 - k - d;
  if (d == k) return 0;
  return (d == (k + 1) % 3 ? -1 : 1) * b->N[(row - d + other) * b->n + column];
}

static void make_inertia(reduced_body *b) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
  const int n = b->n;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      for (int row = 0; row < 3 * b->points; ++row) {
        const double m = b->mass[row / 3], Ni = b->N[row * n + i];
        b->M[i * n + j] += m * Ni * b->N[row * n + j];
        for (int k = 0; k < 3; ++k) b->C[(k * n + i) * n + j] += m * Ni * turned(b, row, j, k);
        for (int q = 0; q < 6; ++q) {
          const int k = pair[q][0], l = pair[q][1];
          b->D[(q * n + i) * n + j] += m / 2 *
                                       (turned(b, row, i, k) * turned(b, row, j, l) +
                                        turned(b, row, i, l) * turned(b, row, j, k));
        }
      }
}

/* A stiffness of random springs between the coordinates, free of rigid motions. */
static void make_stiffness(reduced_body *b, double size, check_rng *rng) {
  const int n = b->n;
  double *R = take(6 * (size_t)n), *row = take((size_t)n);
  for (int k = 0; k < 6; ++k) {
    double *own = R + k * n;
    for (int i = 0; i < b->interfaces; ++i) {
      const v3 axis = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
      v3_store(own + 6 * i, k < 3 ? axis : v3_cross(axis, b->place[i].x));
      v3_store(own + 6 * i + 3, k < 3 ? v3_zero() : axis);
    }
    for (int j = 0; j < 2 * k; ++j) {
      double dot = 0;
      for (int i = 0; i < n; ++i) dot += own[i] * R[(j % k) * n + i];
      for (int i = 0; i < n; ++i) own[i] -= dot * R[(j % k) * n + i];
    }
    double norm = 0;
    for (int i = 0; i < n; ++i) norm += own[i] * own[i];
    for (int i = 0; i < n; ++i) own[i] /= sqrt(norm);
  }
  for (int spring = 0; spring < 2 * n; ++spring) {
    for (int i = 0; i < n; ++i) row[i] = check_uniform(rng, -1, 1);
    for (int k = 0; k < 12; ++k) {
      double dot = 0;
      for (int i = 0; i < n; ++i) dot += row[i] * R[(k % 6) * n + i];
      for (int i = 0; i < n; ++i) row[i] -= dot * R[(k % 6) * n + i];
    }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) b->K[i * n + j] += size * row[i] * row[j];
  }
  free(R);
  free(row);
}

void reduced_make(reduced_body *b, int interfaces, int modes, int points, double stiffness,
                  unsigned seed) {
  check_rng rng = {seed};
  const size_t n = 6 * (size_t)interfaces + (size_t)modes;
  *b = (reduced_body){.interfaces = interfaces, .modes = modes, .n = (int)n, .points = points};
  b->place = calloc((size_t)interfaces, sizeof *b->place);
  b->x = calloc((size_t)points, sizeof *b->x);
  CHECK_TRUE(b->place && b->x);
  b->mass = take((size_t)points);
  b->N = take(3 * (size_t)points * n);
  b->K = take(n * n);
  b->M = take(n * n);
  b->C = take(3 * n * n);
  b->D = take(6 * n * n);
  for (int i = 0; i < interfaces; ++i)
    b->place[i] = (se3){so3_exp(some_vector(&rng, 1)), some_vector(&rng, 1)};
  for (int p = 0; p < points; ++p) {
    b->x[p] = some_vector(&rng, 1);
    b->mass[p] = check_uniform(&rng, 0.5, 1.5);
  }
  make_shapes(b, &rng);
  make_inertia(b);
  make_stiffness(b, stiffness, &rng);
}

void reduced_stiffen(reduced_body *b, double size, unsigned seed) {
  check_rng rng = {seed};
  const int n = b->n;
  b->F = take(9 * (size_t)n * (size_t)n);
  for (int k = 0; k < 9; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j <= i; ++j)
        b->F[(k * n + i) * n + j] = b->F[(k * n + j) * n + i] = check_uniform(&rng, -size, size);
}

void reduced_release(reduced_body *b) {
  free(b->place);
  free(b->x);
  free(b->mass);
  free(b->N);
  free(b->K);
  free(b->M);
  free(b->C);
  free(b->D);
  free(b->F);
}

/* Coordinate i of the body in the order asked for. */
static int coordinate(const reduced_body *b, const int *order, int i) {
  return order && i < 6 * b->interfaces ? 6 * order[i / 6] + i % 6 : i;
}

static void write_rows(text *t, const reduced_body *b, const int *order, const char *key,
                       const double *A, int count) {
  const int n = b->n;
  text_printf(t, ", \"%s\": [", key);
  for (int i = 0; i < count * n; ++i) {
    const double *row = A + (i / n * n + coordinate(b, order, i % n)) * n;
    text_append(t, i ? ", [" : "[");
    for (int j = 0; j < n; ++j)
      text_printf(t, j ? ", %.17g" : "%.17g", row[coordinate(b, order, j)]);
    text_append(t, "]");
  }
  text_append(t, "]");
}

char *reduced_keys(const reduced_body *b, const int *order) {
  text t = {0};
  text_append(&t, "\"interfaces\": [");
  for (int i = 0; i < b->interfaces; ++i) {
    const se3 H = b->place[order ? order[i] : i];
    text_printf(&t,
                "%s{\"position\": [%.17g, %.17g, %.17g], \"orientation\": {\"quaternion\": [%.17g, "
                "%.17g, %.17g, %.17g]}}",
                i ? ", " : "", H.x.x, H.x.y, H.x.z, H.R.w, H.R.x, H.R.y, H.R.z);
  }
  text_append(&t, "]");
  write_rows(&t, b, order, "stiffness", b->K, 1);
  write_rows(&t, b, order, "mass", b->M, 1);
  write_rows(&t, b, order, "gyroscopic", b->C, 3);
  write_rows(&t, b, order, "centrifugal", b->D, 6);
  if (b->F) write_rows(&t, b, order, "stiffening", b->F, 9);
  char *out = text_take(&t);
  CHECK_TRUE(out != NULL);
  return out;
}
