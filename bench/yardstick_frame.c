/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A yardstick for frames: the linear statics of a frame in space by elements of straight beams with
 * 12 unknowns each, written for just this, and CHOLMOD.  Welds are shared nodes, so that there are
 * no constraints; Torsor's frames have them, and nodes of their own at both ends of each beam.  It
 * uses nothing of Torsor.
 *
 *      bench_yardstick_frame NX NY NZ M [ROUNDS]
 *
 * NX x NY bays and NZ floors of 3 m, clamped at the ground, a beam between neighbouring corners in
 * M elements, steel tubes, their weight at the nodes.  One line: elements, unknowns, and CPU ms of
 * the matrix, its order, its factors and a solution (the least of the rounds), non-zeros of the
 * factor, and how far the first corner above the ground moves upwards. */
#include <cholmod.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { DOF = 6, ENDS = 2 * DOF, ENTRIES = ENDS * (ENDS + 1) / 2 };

typedef struct frame {
  int bays[3], parts; /* bays in x and y, floors; elements of a member */
  int corners, members, inner;
  double *load;
  cholmod_triplet *entries;
} frame;

typedef struct times {
  double matrix, order, factor, solution;
} times;

static const double BAY = 3, RADIUS = 0.05, THICKNESS = 0.005, YOUNG = 2.1e11, POISSON = 0.3,
                    DENSITY = 7850, GRAVITY = 9.81, CORNER_MASS = 1;

static double cpu_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* Index of a corner above the ground; -1 on it. */
static int corner(const frame *f, const int at[3]) {
  return at[2] == 0 ? -1 : ((at[2] - 1) * (f->bays[1] + 1) + at[1]) * (f->bays[0] + 1) + at[0];
}

/* Node k = 0 .. parts of a member: a corner at its ends. */
static int node_of(const frame *f, int member, const int ends[2], int k) {
  if (k == 0) return ends[0];
  if (k == f->parts) return ends[1];
  return f->corners + member * (f->parts - 1) + k - 1;
}

/* Stiffness of an element along `axis`, of both displacements and turns. */
static void find_stiffness(double K[ENDS][ENDS], int axis, double L) {
  const double inside = RADIUS - THICKNESS, pi = acos(-1);
  const double A = pi * (RADIUS * RADIUS - inside * inside);
  const double I = pi / 4 * (pow(RADIUS, 4) - pow(inside, 4)), G = YOUNG / (2 + 2 * POISSON);
  const double EI = YOUNG * I, bend[4][4] = {{12, 6 * L, -12, 6 * L},
                                             {6 * L, 4 * L * L, -6 * L, 2 * L * L},
                                             {-12, -6 * L, 12, -6 * L},
                                             {6 * L, 2 * L * L, -6 * L, 4 * L * L}};
  memset(K, 0, sizeof(double[ENDS][ENDS]));
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) {
      const double sign = i == j ? 1 : -1;
      K[i * DOF + axis][j * DOF + axis] += sign * YOUNG * A / L;
      K[i * DOF + 3 + axis][j * DOF + 3 + axis] += sign * 2 * G * I / L;
    }
  for (int side = 1; side < 3; ++side) {
    /* a displacement along one axis, and a turn about the other */
    const int w = (axis + side) % 3, turn = 3 + (axis + 3 - side) % 3;
    const double way = side == 1 ? 1 : -1;
    const int at[4] = {w, turn, DOF + w, DOF + turn};
    const double sign[4] = {1, way, 1, way};
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        K[at[i]][at[j]] += sign[i] * sign[j] * bend[i][j] * EI / (L * L * L);
  }
}

static void add_entry(cholmod_triplet *t, int row, int column, double x) {
  int *rows = t->i, *columns = t->j;
  double *values = t->x;
  rows[t->nnz] = row > column ? row : column;
  columns[t->nnz] = row > column ? column : row;
  values[t->nnz++] = x;
}

static void add_element(frame *f, int axis, int a, int b) {
  const double L = BAY / f->parts, inside = RADIUS - THICKNESS;
  const double weight = DENSITY * GRAVITY * acos(-1) * (RADIUS * RADIUS - inside * inside) * L;
  double K[ENDS][ENDS];
  const int node[2] = {a, b};
  find_stiffness(K, axis, L);
  for (int i = 0; i < ENDS; ++i)
    for (int j = 0; j <= i; ++j)
      if (node[i / DOF] >= 0 && node[j / DOF] >= 0)
        add_entry(f->entries, node[i / DOF] * DOF + i % DOF, node[j / DOF] * DOF + j % DOF,
                  K[i][j]);
  for (int k = 0; k < 2; ++k)
    if (node[k] >= 0) f->load[node[k] * DOF + 2] -= weight / 2;
}

/* All members in turn: only counts them while there is no memory for the matrix. */
static void add_members(frame *f) {
  int member = 0, at[3];
  for (at[2] = 0; at[2] <= f->bays[2]; ++at[2])
    for (at[1] = 0; at[1] <= f->bays[1]; ++at[1])
      for (at[0] = 0; at[0] <= f->bays[0]; ++at[0])
        for (int axis = 0; axis < 3; ++axis) {
          int end[3] = {at[0], at[1], at[2]};
          if (++end[axis] > f->bays[axis] || (axis < 2 && at[2] == 0)) continue;
          const int ends[2] = {corner(f, at), corner(f, end)};
          for (int k = 0; k < f->parts && f->entries; ++k)
            add_element(f, axis, node_of(f, member, ends, k), node_of(f, member, ends, k + 1));
          ++member;
        }
  f->members = member;
}

static void keep_least(double *least, double before) {
  *least = fmin(*least, cpu_ms() - before);
}

static void measure(frame *f, int unknowns, int rounds, cholmod_common *common) {
  times least = {HUGE_VAL, HUGE_VAL, HUGE_VAL, HUGE_VAL};
  double sink = 0, fill = 0;
  for (int round = 0; round < rounds; ++round) {
    double before = cpu_ms();
    f->entries = cholmod_allocate_triplet((size_t)unknowns, (size_t)unknowns,
                                          (size_t)f->members * (size_t)f->parts * ENTRIES, -1,
                                          CHOLMOD_REAL, common);
    cholmod_dense *load = cholmod_zeros((size_t)unknowns, 1, CHOLMOD_REAL, common);
    f->load = load->x;
    for (int i = 0; i < f->corners; ++i) f->load[i * DOF + 2] -= CORNER_MASS * GRAVITY;
    add_members(f);
    cholmod_sparse *matrix = cholmod_triplet_to_sparse(f->entries, 0, common);
    keep_least(&least.matrix, before);
    before = cpu_ms();
    cholmod_factor *factor = cholmod_analyze(matrix, common);
    keep_least(&least.order, before);
    before = cpu_ms();
    if (!cholmod_factorize(matrix, factor, common) || common->status != CHOLMOD_OK) exit(1);
    keep_least(&least.factor, before);
    before = cpu_ms();
    cholmod_dense *way = cholmod_solve(CHOLMOD_A, factor, load, common);
    keep_least(&least.solution, before);
    sink = ((const double *)way->x)[2];
    fill = common->lnz;
    cholmod_free_dense(&way, common);
    cholmod_free_dense(&load, common);
    cholmod_free_factor(&factor, common);
    cholmod_free_sparse(&matrix, common);
    cholmod_free_triplet(&f->entries, common);
  }
  printf("%d %d %.3f %.3f %.3f %.3f %.0f %.6g\n", f->members * f->parts, unknowns, least.matrix,
         least.order, least.factor, least.solution, fill, sink);
}

int main(int count, char **word) {
  frame f = {.parts = 1};
  if (count < 5) {
    fprintf(stderr, "usage: %s NX NY NZ M [ROUNDS]\n", word[0]);
    return 2;
  }
  for (int i = 0; i < 3; ++i) f.bays[i] = atoi(word[1 + i]);
  f.parts = atoi(word[4]);
  if (f.bays[0] < 1 || f.bays[1] < 1 || f.bays[2] < 1 || f.parts < 1) return 2;
  f.corners = (f.bays[0] + 1) * (f.bays[1] + 1) * f.bays[2];
  add_members(&f);
  cholmod_common common;
  cholmod_start(&common);
  measure(&f, DOF * (f.corners + f.members * (f.parts - 1)), count > 5 ? atoi(word[5]) : 5,
          &common);
  cholmod_finish(&common);
  return 0;
}
