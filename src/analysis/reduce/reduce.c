/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/reduce/reduce.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/eigen/lapack.h"
#include "analysis/reduce/basis.h"
#include "analysis/reduce/stresses.h"

/* A reduction while it goes on. */
typedef struct reduction {
  const reduce_input *in;
  reduce_result *out;
  torsor_error *error;
  int *row;  /* [6 nodes] */
  double *R; /* [6][n] rigid motions */
  coupling g;
  basis b;
  symmetric M; /* of the whole model */
} reduction;

static torsor_status out_of_memory(const reduction *r) {
  return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
}

/* ---- the model ------------------------------------------------------------------------------- */

static const char *const rigid_words[] = {"a displacement along x", "a displacement along y",
                                          "a displacement along z", "a rotation about x",
                                          "a rotation about y",     "a rotation about z"};

/* Matrices as written with six digits, which add up to a few more roundings. */
static const double WRITTEN = 1e-5;

static torsor_status check_diagonals(const reduction *r, const symmetric *A, const char *what) {
  const reduce_input *in = r->in;
  for (int j = 0; j < A->n; ++j) {
    const long k = A->first[j];
    const double own = k < A->first[j + 1] && A->row[k] == j ? A->value[k] : 0;
    if (own >= 0) continue;
    torsor_fail(r->error, TORSOR_SCENE,
                "the %s is indefinite: %g on the diagonal at node %ld, "
                "direction %d",
                what, own, in->id[in->model->node[j]], in->model->direction[j] + 1);
    torsor_hint(r->error, "the matrices must be those of a stable state");
    return TORSOR_SCENE;
  }
  return TORSOR_OK;
}

/* A rigid motion must cost no force: it does where nodes are held, or have other places. */
static torsor_status check_rigid(reduction *r, const symmetric *K) {
  const reduce_input *in = r->in;
  const size_t n = (size_t)K->n;
  double *f = malloc((2 * n + 1) * sizeof *f);
  if (!f) return out_of_memory(r);
  torsor_status status = TORSOR_OK;
  for (int k = 0; k < 6 && !status; ++k) {
    double scale = 0, most = 0;
    int at = 0;
    symmetric_multiply(f, K, r->R + (size_t)k * n);
    symmetric_multiply_absolute(f + n, K, r->R + (size_t)k * n);
    for (size_t i = 0; i < n; ++i) {
      scale = fmax(scale, f[n + i]);
      if (fabs(f[i]) > most) {
        most = fabs(f[i]);
        at = (int)i;
      }
    }
    const double part = scale > 0 ? most / scale : 0;
    r->out->report.rigid_full = fmax(r->out->report.rigid_full, part);
    if (part <= WRITTEN) continue;
    status = torsor_fail(r->error, TORSOR_SCENE,
                         "the stiffness resists %s of the whole body, most "
                         "at node %ld (%.2g of the forces that deform it)",
                         rigid_words[k], in->id[in->model->node[at]], part);
    torsor_hint(r->error,
                "write the matrices of the free body, without supports, and give the mesh "
                "they belong to, with its unit of length");
  }
  free(f);
  return status;
}

/* mass, centre and inertia from rigid motions. */
static torsor_status weigh(reduction *r) {
  const size_t n = (size_t)r->M.n;
  reduce_report *report = &r->out->report;
  double *f = malloc((n + 1) * sizeof *f), m[6][6];
  if (!f) return out_of_memory(r);
  for (int k = 0; k < 6; ++k) {
    symmetric_multiply(f, &r->M, r->R + (size_t)k * n);
    for (int i = 0; i < 6; ++i) {
      m[i][k] = 0;
      for (size_t j = 0; j < n; ++j) m[i][k] += r->R[(size_t)i * n + j] * f[j];
    }
  }
  free(f);
  report->mass = (m[0][0] + m[1][1] + m[2][2]) / 3;
  if (!(report->mass > 0)) {
    torsor_fail(r->error, TORSOR_SCENE, "the mass is %g kg", report->mass);
    torsor_hint(r->error, "give the materials a density");
    return TORSOR_SCENE;
  }
  for (int i = 0; i < 9; ++i) {
    const double off = m[i / 3][i % 3] - (i % 4 ? 0 : report->mass);
    report->isotropy = fmax(report->isotropy, fabs(off) / report->mass);
  }
  const v3 c =
      v3_scale((v3){m[1][5] - m[2][4], m[2][3] - m[0][5], m[0][4] - m[1][3]}, 0.5 / report->mass);
  report->centre = c;
  for (int i = 0; i < 9; ++i) report->inertia.m[i / 3][i % 3] = m[3 + i / 3][3 + i % 3];
  const m3 hat = so3_hat(c), shift = m3_mul(hat, hat);
  for (int i = 0; i < 9; ++i)
    report->inertia.m[i / 3][i % 3] += report->mass * shift.m[i / 3][i % 3];
  return TORSOR_OK;
}

static torsor_status check_model(reduction *r) {
  const fe_model *f = r->in->model;
  symmetric K = {0};
  torsor_status status = symmetric_build(&K, f->n, f->K.entries, f->K.row, f->K.column, f->K.value);
  if (!status)
    status = symmetric_build(&r->M, f->n, f->M.entries, f->M.row, f->M.column, f->M.value);
  if (!status) status = couple_rigid(&r->R, r->in);
  if (status) out_of_memory(r);
  if (!status) status = check_diagonals(r, &K, "stiffness");
  if (!status) status = check_diagonals(r, &r->M, "mass");
  if (!status) status = check_rigid(r, &K);
  if (!status) status = weigh(r);
  symmetric_release(&K);
  return status;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

static torsor_status explain(const reduction *r, torsor_status status, int bad) {
  const reduce_input *in = r->in;
  const fe_model *f = in->model;
  if (status == TORSOR_SINGULAR) {
    const int dof = bad >= 0 ? r->g.inner[bad] : 0;
    torsor_fail(r->error, TORSOR_SCENE,
                "the stiffness is not positive with the interfaces held: node %ld, direction %d",
                in->id[f->node[dof]], f->direction[dof] + 1);
    torsor_hint(r->error, "a part of the mesh is loose, or a matrix is that of an unstable state");
    return TORSOR_SCENE;
  }
  if (status == TORSOR_NEWTON)
    return torsor_fail(r->error, status, "the modes of the body do not converge");
  return status == TORSOR_MEMORY ? out_of_memory(r) : status;
}

/* Loads on inner coordinates, [loads][inner]. */
static torsor_status find_loads(double **out, const reduction *r) {
  const reduce_input *in = r->in;
  const size_t inner = (size_t)(r->g.size - r->g.held), n = (size_t)r->g.n;
  double *f = malloc((n + 1) * sizeof *f);
  *out = calloc((size_t)in->loads * inner + 1, sizeof **out);
  if (!f || !*out) {
    free(f);
    return TORSOR_MEMORY;
  }
  for (int k = 0; k < in->loads; ++k) {
    double direction[3];
    v3_store(direction, in->load[k].direction);
    memset(f, 0, n * sizeof *f);
    for (int i = 0; i < in->load[k].nodes; ++i)
      for (int axis = 0; axis < 3; ++axis) {
        const int row = r->row[6 * in->load[k].node[i] + axis];
        if (row >= 0) f[row] = direction[axis];
      }
    for (size_t i = 0; i < n; ++i)
      for (long e = r->g.first[i]; e < r->g.first[i + 1]; ++e)
        if (r->g.column[e] >= r->g.held)
          (*out)[(size_t)k * inner + (size_t)(r->g.column[e] - r->g.held)] += r->g.value[e] * f[i];
  }
  free(f);
  return TORSOR_OK;
}

static torsor_status find_shapes(reduction *r) {
  const double circular = 2 * 3.14159265358979323846 * r->in->below_hz;
  int bad = -1;
  double *loads = NULL;
  torsor_status status = basis_create(&r->b, &r->g, r->in->model, &bad);
  if (!status) r->out->report.entries = (long)cholesky_entries(r->b.factor);
  if (!status) status = find_loads(&loads, r);
  if (!status)
    status = basis_modes(&r->b, r->in->modes, circular * circular, r->in->free_modes, loads,
                         r->in->loads);
  if (!status) status = basis_residual(&r->out->report.residual, &r->b);
  free(loads);
  return explain(r, status, bad);
}

/* N = G [1 0; Psi Phi], [n][degrees]. */
static torsor_status fill_shapes(reduction *r) {
  const basis *b = &r->b;
  const size_t degrees = (size_t)r->g.n, inner = (size_t)b->inner;
  reduce_result *out = r->out;
  out->n = b->held + b->modes;
  out->N = calloc((size_t)out->n * degrees + 1, sizeof *out->N);
  if (!out->N) return out_of_memory(r);
  for (int j = 0; j < out->n; ++j) {
    const double *y =
        j < b->held ? b->Psi + (size_t)j * inner : b->Phi + (size_t)(j - b->held) * inner;
    double *to = out->N + (size_t)j * degrees;
    for (size_t i = 0; i < degrees; ++i)
      for (long e = r->g.first[i]; e < r->g.first[i + 1]; ++e) {
        const int column = r->g.column[e];
        if (column >= b->held)
          to[i] += r->g.value[e] * y[column - b->held];
        else if (column == j)
          to[i] += r->g.value[e];
      }
  }
  return TORSOR_OK;
}

/* Coordinate j of the interfaces in the rigid motion k about the origin. */
static double rigid_coordinate(const reduction *r, int k, int j) {
  const v3 axis = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
  const v3 x = r->in->interface[j / 6].position;
  double motion[6];
  v3_store(motion, k < 3 ? axis : v3_cross(axis, x));
  v3_store(motion + 3, k < 3 ? v3_zero() : axis);
  return motion[j % 6];
}

/* Finds the part of the rigid motion k that the shapes lack at the degree of freedom i. */
static double lacks(const reduction *r, int k, int i) {
  const size_t degrees = (size_t)r->g.n;
  double sum = r->R[(size_t)k * degrees + (size_t)i];
  for (int j = 0; j < r->b.held; ++j)
    sum -= rigid_coordinate(r, k, j) * r->out->N[(size_t)j * degrees + (size_t)i];
  return sum;
}

/* Shapes must have the rigid motions among them.  They have not where a part moves by itself, whose
 * stiffness is singular but for round-off. */
static torsor_status check_shapes(const reduction *r) {
  const reduce_input *in = r->in;
  double size = 0;
  for (int i = 0; i < in->nodes; ++i) size = fmax(size, v3_norm(in->place[i]));
  for (int k = 0; k < 6; ++k)
    for (int i = 0; i < r->g.n; ++i) {
      if (fabs(lacks(r, k, i)) <= WRITTEN * (k < 3 ? 1 : size)) continue;
      torsor_fail(r->error, TORSOR_SCENE, "node %ld does not follow %s of the interfaces",
                  in->id[in->model->node[i]], rigid_words[k]);
      torsor_hint(r->error, "a part of the mesh is loose, or hangs on the rest by a hinge");
      return TORSOR_SCENE;
    }
  return TORSOR_OK;
}

/* Adds what round-off has taken of the rigid motions, a part of the condition of the stiffness, to
 * the shapes: N_b + (R - N_b R_b) (R_b^T S R_b)^-1 R_b^T S, with rotations in the size of the body
 * in S.  The products with rigid motions, mass and first moments, are right to round-off then. */
static torsor_status restore_rigid(const reduction *r) {
  const int held = r->b.held;
  double square[36], size = 0;
  for (int i = 0; i < r->in->nodes; ++i) size = fmax(size, v3_norm(r->in->place[i]));
  double *B = malloc((6 * (size_t)held + 1) * sizeof *B);
  if (!B) return out_of_memory(r);
  memset(square, 0, sizeof square);
  for (int j = 0; j < held; ++j)
    for (int k = 0; k < 6; ++k) {
      B[6 * j + k] = rigid_coordinate(r, k, j) * (j % 6 < 3 ? 1 : size * size);
      for (int l = 0; l < 6; ++l) square[6 * l + k] += B[6 * j + k] * rigid_coordinate(r, l, j);
    }
  const torsor_status status = lapack_solve(B, square, 6, held);
  for (int i = 0; i < r->g.n && !status; ++i) {
    double lacking[6];
    for (int k = 0; k < 6; ++k) lacking[k] = lacks(r, k, i);
    for (int j = 0; j < held; ++j)
      for (int k = 0; k < 6; ++k)
        r->out->N[(size_t)j * (size_t)r->g.n + (size_t)i] += lacking[k] * B[6 * j + k];
  }
  free(B);
  return status ? out_of_memory(r) : TORSOR_OK;
}

/* ---- reduced matrices ------------------------------------------------------------------------ */

static void symmetrise(double *A, int n) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < i; ++j) A[i * n + j] = A[j * n + i] = (A[i * n + j] + A[j * n + i]) / 2;
}

/* K_bb + K_bi Psi. */
static void condense(const reduction *r) {
  const basis *b = &r->b;
  const int n = r->out->n;
  double *K = r->out->K;
  for (int j = 0; j < b->held; ++j)
    for (long k = b->K.first[j]; k < b->K.first[j + 1]; ++k) {
      const int row = b->K.row[k];
      if (row < b->held) {
        K[row * n + j] += b->K.value[k];
        if (row != j) K[j * n + row] += b->K.value[k];
        continue;
      }
      for (int i = 0; i < b->held; ++i)
        K[j * n + i] +=
            b->K.value[k] * b->Psi[(size_t)i * (size_t)b->inner + (size_t)(row - b->held)];
    }
  symmetrise(K, n);
  for (int k = 0; k < b->modes; ++k) K[(b->held + k) * (n + 1)] = b->square[k];
}

/* Rigid motions of the interfaces, orthonormal, [6][held]: lengths in that of the body. */
static torsor_status rigid_interfaces(double *Q, const reduction *r, double size) {
  const reduce_input *in = r->in;
  const int held = r->b.held;
  for (int k = 0; k < 6; ++k)
    for (int i = 0; i < in->interfaces; ++i) {
      const v3 axis = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
      double *to = Q + (size_t)k * (size_t)held + 6 * i;
      v3_store(to, k < 3 ? axis : v3_scale(v3_cross(axis, in->interface[i].position), 1 / size));
      v3_store(to + 3, k < 3 ? v3_zero() : axis);
    }
  for (int k = 0; k < 6; ++k) { /* Gram and Schmidt, twice */
    double *own = Q + (size_t)k * (size_t)held, norm = 0;
    for (int j = 0; j < 2 * k; ++j) {
      const double *other = Q + (size_t)(j % k) * (size_t)held;
      double dot = 0;
      for (int i = 0; i < held; ++i) dot += own[i] * other[i];
      for (int i = 0; i < held; ++i) own[i] -= dot * other[i];
    }
    for (int i = 0; i < held; ++i) norm += own[i] * own[i];
    for (int i = 0; i < held; ++i) own[i] /= sqrt(norm);
  }
  return TORSOR_OK;
}

/* Takes the forces against rigid motions out of the stiffness of the interfaces, which are its
 * round-off: K <- (1 - Q Q^T) K (1 - Q Q^T), rotations in the size of the body. */
static torsor_status remove_rigid(reduction *r) {
  const int held = r->b.held, n = r->out->n;
  double *K = r->out->K, size = 0, most = 0, off = 0;
  for (int i = 0; i < r->in->nodes; ++i)
    size = fmax(size, v3_norm(v3_sub(r->in->place[i], r->out->report.centre)));
  double *Q = malloc((7 * (size_t)held + 1) * sizeof *Q), *f = Q + 6 * (size_t)held;
  if (!Q) return out_of_memory(r);
  rigid_interfaces(Q, r, size);
  for (int j = 0; j < held; ++j) { /* of the nodes that an interface holds */
    const double own = j % 6 < 3 ? 1 : size;
    most = fmax(most, fabs(r->b.K.value[r->b.K.first[j]]) / (own * own));
  }
  for (int pass = 0; pass < 2; ++pass) { /* of the columns, then of the rows */
    for (int j = 0; j < held; ++j) {
      const double own = j % 6 < 3 ? 1 : size;
      for (int i = 0; i < held; ++i) {
        f[i] = (pass ? K[j * n + i] : K[i * n + j]) / ((i % 6 < 3 ? 1 : size) * own);
      }
      for (int k = 0; k < 6; ++k) {
        const double *q = Q + (size_t)k * (size_t)held;
        double dot = 0;
        for (int i = 0; i < held; ++i) dot += q[i] * f[i];
        for (int i = 0; i < held; ++i) f[i] -= dot * q[i];
        if (!pass) off = fmax(off, fabs(dot));
      }
      for (int i = 0; i < held; ++i)
        *(pass ? &K[j * n + i] : &K[i * n + j]) = f[i] * (i % 6 < 3 ? 1 : size) * own;
    }
  }
  symmetrise(K, n);
  r->out->report.rigid_reduced = most > 0 ? off / most : 0;
  free(Q);
  return TORSOR_OK;
}

/* G_k x: displacements and rotations of all nodes turned about axis k. */
static void turn(double *out, const reduction *r, const double *x, int k) {
  const fe_model *f = r->in->model;
  for (int i = 0; i < f->n; ++i) {
    const int part = f->direction[i] / 3 * 3, d = f->direction[i] % 3;
    const int *row = r->row + 6 * f->node[i] + part;
    /* (e_k x v)_d = eps_dkl v_l */
    const int l = 3 - k - d;
    out[i] = d == k ? 0 : (d == (k + 1) % 3 ? -1 : 1) * x[row[l]];
  }
}

/* The products of turned shapes: C_k = N^T M G_k N and D_kl = N^T G_k^T M G_l N, made symmetric. */
static torsor_status fill_turned(reduction *r) {
  static const int pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {0, 2}};
  reduce_result *out = r->out;
  const int n = out->n, degrees = r->g.n;
  const size_t size = (size_t)n * (size_t)degrees, square = (size_t)n * (size_t)n;
  double *G[3] = {NULL}, *MG[3] = {NULL};
  torsor_status status = TORSOR_OK;
  for (int k = 0; k < 3; ++k) {
    G[k] = malloc((size + 1) * sizeof *G[k]);
    MG[k] = malloc((size + 1) * sizeof *MG[k]);
    if (!G[k] || !MG[k]) status = TORSOR_MEMORY;
  }
  for (int k = 0; k < 3 && !status; ++k) {
    for (size_t j = 0; j < (size_t)n; ++j) {
      const size_t at = j * (size_t)degrees;
      turn(G[k] + at, r, out->N + at, k);
      symmetric_multiply(MG[k] + at, &r->M, G[k] + at);
    }
    /* by columns, MG_k^T N is the matrix C_k by rows */
    lapack_multiply(out->C + (size_t)k * square, MG[k], true, out->N, n, degrees, n);
  }
  for (int p = 0; p < 6 && !status; ++p) {
    double *D = out->D + (size_t)p * square;
    lapack_multiply(D, G[pair[p][0]], true, MG[pair[p][1]], n, degrees, n);
    symmetrise(D, n);
  }
  for (int k = 0; k < 3; ++k) {
    free(G[k]);
    free(MG[k]);
  }
  return status ? out_of_memory(r) : status;
}

/* The part of C_k that is not skew, as it is where masses are alike in all directions. */
static void find_isotropy(reduce_result *out) {
  const int n = out->n;
  double most = 0, off = 0;
  for (int k = 0; k < 3; ++k) {
    const double *C = out->C + (size_t)k * (size_t)n * (size_t)n;
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        most = fmax(most, fabs(C[i * n + j]));
        off = fmax(off, fabs(C[i * n + j] + C[j * n + i]) / 2);
      }
  }
  if (most > 0) out->report.isotropy = fmax(out->report.isotropy, off / most);
}

static torsor_status fill_mass(reduction *r) {
  reduce_result *out = r->out;
  const size_t degrees = (size_t)r->g.n;
  double *MN = malloc(((size_t)out->n * degrees + 1) * sizeof *MN);
  if (!MN) return out_of_memory(r);
  for (size_t j = 0; j < (size_t)out->n; ++j)
    symmetric_multiply(MN + j * degrees, &r->M, out->N + j * degrees);
  lapack_multiply(out->M, out->N, true, MN, out->n, r->g.n, out->n);
  symmetrise(out->M, out->n);
  free(MN);
  return TORSOR_OK;
}

/* The mass between the interfaces that the modes do not carry.  A mode's participation in a rigid
 * displacement is its product with M R. */
static void find_left_out(reduction *r) {
  const basis *b = &r->b;
  reduce_result *out = r->out;
  for (int axis = 0; axis < 3; ++axis) {
    double total = 0, carried = 0;
    for (int j = 0; j < b->M.n; ++j) {
      const bool held = j < b->held;
      const double own =
          held ? j % 6 == axis : r->in->model->direction[r->g.inner[j - b->held]] == axis;
      for (long k = b->M.first[j]; k < b->M.first[j + 1]; ++k) {
        const int i = b->M.row[k];
        if (i < b->held) continue;
        const double other = r->in->model->direction[r->g.inner[i - b->held]] == axis;
        total += b->M.value[k] * own * other * (held || i == j ? 1 : 2);
      }
    }
    for (int k = b->held; k < out->n; ++k) {
      double part = 0;
      for (int i = axis; i < b->held; i += 6) part += out->M[k * out->n + i];
      carried += part * part;
    }
    out->report.left_out[axis] = total > 0 ? fmax(0, 1 - carried / total) : 0;
  }
}

static torsor_status fill(reduction *r) {
  reduce_result *out = r->out;
  const size_t square = (size_t)out->n * (size_t)out->n;
  out->K = calloc(square + 1, sizeof *out->K);
  out->M = calloc(square + 1, sizeof *out->M);
  out->C = calloc(3 * square + 1, sizeof *out->C);
  out->D = calloc(6 * square + 1, sizeof *out->D);
  out->report.frequency = calloc((size_t)r->b.modes + 1, sizeof *out->report.frequency);
  if (!out->K || !out->M || !out->C || !out->D || !out->report.frequency) return out_of_memory(r);
  out->report.modes = r->b.modes;
  for (int k = 0; k < r->b.modes; ++k)
    out->report.frequency[k] = sqrt(fmax(0, r->b.square[k])) / (2 * 3.14159265358979323846);
  condense(r);
  torsor_status status = remove_rigid(r);
  if (!status) status = fill_mass(r);
  if (!status) status = fill_turned(r);
  if (!status) find_isotropy(out);
  if (!status) find_left_out(r);
  return status;
}

torsor_status reduce(reduce_result *out, const reduce_input *in, torsor_error *error) {
  *out = (reduce_result){.report.degrees = in->model->n};
  reduction r = {.in = in, .out = out, .error = error};
  const reduced_model reduced = {in, out, &r.g, &r.b, &r.M, &r.row};
  torsor_status status = couple_rows(&r.row, in, error);
  if (!status) status = check_model(&r);
  if (!status) status = couple_create(&r.g, in, r.row, error);
  if (!status) status = find_shapes(&r);
  if (!status) status = fill_shapes(&r);
  if (!status) status = check_shapes(&r);
  if (!status) status = restore_rigid(&r);
  if (!status) status = fill(&r);
  if (!status) status = stresses_fill(&reduced, error);
  basis_release(&r.b);
  couple_release(&r.g);
  symmetric_release(&r.M);
  free(r.row);
  free(r.R);
  return status;
}

void reduce_release(reduce_result *r) {
  free(r->K);
  free(r->M);
  free(r->C);
  free(r->D);
  free(r->N);
  free(r->S);
  free(r->F);
  free(r->report.frequency);
  *r = (reduce_result){0};
}
