/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/modes.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Matching of modes: the shapes of two models with the same nodes are compared by the modal
 * assurance criterion (MAC) in the metric of the second one's mass matrix. */
typedef struct matching {
  const torsor_modes *to;
  int nv, count,
      most; /* velocities; modes that are followed; the larger number of modes of the two models */
  double *shape; /* [2][nv] shape of a mode that is followed, body axes */
  double *mass;  /* [2][nv] M times that shape */
  double *other; /* [2][nv] */
  double *mac;   /* [most][most] */
  double *u, *v, *least;
  int *row, *way; /* [most + 1] */
  bool *used;
} matching;

/* Loads a shape: x [2][nv] = real and imaginary parts in the axes of the bodies. */
static void load_shape(double *x, const torsor_modes *m, int mode) {
  const torsor_mode_amplitude *a = m->amplitude + (size_t)mode * (size_t)m->nodes;
  for (int i = 0, node = -1; i < m->velocities; ++i) {
    const torsor_unknown *at = &m->column[i];
    const int place = at->place;
    node += i == 0 || place <= at[-1].place || at->element != at[-1].element;
    const m3 R = so3_matrix(m->node[node].R);
    double re[3], im[3];
    v3_store(re, m3_tmulv(R, place > 2 ? a[node].rotation_re : a[node].translation_re));
    v3_store(im, m3_tmulv(R, place > 2 ? a[node].rotation_im : a[node].translation_im));
    x[i] = re[place % 3];
    x[m->velocities + i] = im[place % 3];
  }
}

/* y [2][nv] = M x. */
static void multiply(double *y, const matching *c, const double *x) {
  const torsor_linear_matrix *M = &c->to->matrix[TORSOR_MATRIX_M];
  memset(y, 0, 2 * (size_t)c->nv * sizeof *y);
  for (int k = 0; k < M->count; ++k) {
    y[M->row[k]] += M->value[k] * x[M->column[k]];
    y[c->nv + M->row[k]] += M->value[k] * x[c->nv + M->column[k]];
  }
}

/* |x^H M y|^2 with Mx [2][nv]. */
static double overlap(const matching *c, const double *Mx, const double *y) {
  double re = 0, im = 0;
  for (int i = 0; i < c->nv; ++i) {
    re += Mx[i] * y[i] + Mx[c->nv + i] * y[c->nv + i];
    im += Mx[i] * y[c->nv + i] - Mx[c->nv + i] * y[i];
  }
  return re * re + im * im;
}

static void fill(matching *c, const torsor_modes *from, const int *which) {
  for (int i = 0; i < c->count; ++i) {
    if (which[i] < 0) continue;
    load_shape(c->shape, from, which[i]);
    multiply(c->mass, c, c->shape);
    const double size = sqrt(overlap(c, c->mass, c->shape));
    for (int k = 0; k < c->to->count && size > 0; ++k) {
      load_shape(c->other, c->to, k); /* its modal mass is 1 */
      c->mac[(size_t)i * (size_t)c->most + (size_t)k] = overlap(c, c->mass, c->other) / size;
    }
  }
}

/* Finds the assignment with the largest sum, row by row along the shortest augmenting paths (Kuhn
 * and Munkres; Jonker and Volgenant 1987, Computing 38, 325-340).  row[k + 1] - 1 is the row that
 * is assigned to column k. */
static void assign(matching *c) {
  const int n = c->most;
  for (int i = 1; i <= n; ++i) {
    int column = 0;
    c->row[0] = i;
    for (int j = 0; j <= n; ++j) {
      c->least[j] = HUGE_VAL;
      c->used[j] = false;
    }
    while (c->row[column]) {
      const int at = c->row[column];
      double delta = HUGE_VAL;
      int next = 0;
      c->used[column] = true;
      for (int j = 1; j <= n; ++j) {
        if (c->used[j]) continue;
        const double cost =
            -c->mac[(size_t)(at - 1) * (size_t)n + (size_t)(j - 1)] - c->u[at] - c->v[j];
        if (cost < c->least[j]) {
          c->least[j] = cost;
          c->way[j] = column;
        }
        if (c->least[j] < delta) {
          delta = c->least[j];
          next = j;
        }
      }
      for (int j = 0; j <= n; ++j) {
        if (c->used[j]) {
          c->u[c->row[j]] += delta;
          c->v[j] -= delta;
        } else {
          c->least[j] -= delta;
        }
      }
      column = next;
    }
    for (; column; column = c->way[column]) c->row[column] = c->row[c->way[column]];
  }
}

static void tell(torsor_mode_match *out, const matching *c, const int *which) {
  const size_t n = (size_t)c->most;
  for (int i = 0; i < c->count; ++i) out[i] = (torsor_mode_match){.mode = -1};
  for (int k = 0; k < c->to->count; ++k) {
    const int i = c->row[k + 1] - 1;
    if (i >= c->count || which[i] < 0) continue;
    const double mac = c->mac[(size_t)i * n + (size_t)k];
    if (mac > 0) out[i] = (torsor_mode_match){.mode = k, .mac = mac};
  }
  for (int i = 0; i < c->count; ++i)
    for (int k = 0; k < c->to->count; ++k)
      if (k != out[i].mode) out[i].rival = fmax(out[i].rival, c->mac[(size_t)i * n + (size_t)k]);
}

static bool create(matching *c) {
  const size_t nv = (size_t)c->nv, n = (size_t)c->most;
  c->shape = calloc(6 * nv + n * n + 3 * (n + 1), sizeof *c->shape);
  c->row = calloc(2 * (n + 1), sizeof *c->row);
  c->used = calloc(n + 1, sizeof *c->used);
  if (!c->shape || !c->row || !c->used) return false;
  c->mass = c->shape + 2 * nv;
  c->other = c->mass + 2 * nv;
  c->mac = c->other + 2 * nv;
  c->u = c->mac + n * n;
  c->v = c->u + n + 1;
  c->least = c->v + n + 1;
  c->way = c->row + n + 1;
  return true;
}

torsor_status torsor_modes_match(torsor_mode_match *out, const torsor_modes *from, const int *which,
                                 int count, const torsor_modes *to, torsor_error *error) {
  if (from->velocities != to->velocities || from->nodes != to->nodes || !from->column ||
      !to->column)
    return torsor_fail(error, TORSOR_ARGUMENT,
                       "modes of different models, or without matrices, cannot be compared");
  matching c = {.to = to,
                .nv = to->velocities,
                .count = count,
                .most = count > to->count ? count : to->count};
  const bool made = create(&c);
  if (made) {
    fill(&c, from, which);
    assign(&c);
    tell(out, &c, which);
  }
  free(c.shape);
  free(c.row);
  free(c.used);
  return made ? TORSOR_OK : torsor_fail(error, TORSOR_MEMORY, "out of memory");
}
