/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/assembly_private.h"

#include <math.h>
#include <string.h>

/* Adds a node pair's block, given by rows, to the columns of the sparse matrix x. */
static void scatter_rows(double *x, pattern_place place, const map_row *rows, int count,
                         const node_map *map) {
  double values[6][6];
  for (int i = 0; i < count; ++i) memcpy(values[i], &rows[i], sizeof values[i]);
  for (int j = 0; j < map->nv; ++j) {
    double *to = x + place.corner + j * place.stride;
    for (int i = 0; i < count; ++i) to[i] += values[i][map->first + j];
  }
}

/* Adds the block of K alone, for pairs of nodes whose increments are body variations themselves, so
 * that no map is needed (a shortcut of statics). */
static void scatter_stiffness(double *x, pattern_place place, const double *K, int n,
                              const node_map *rows, const node_map *columns) {
  const double *from = K + rows->first * n + columns->first;
  for (int j = 0; j < columns->nv; ++j) {
    double *to = x + place.corner + j * place.stride;
    for (int i = 0; i < rows->nv; ++i) to[i] += columns->k * from[i * n + j];
  }
}

/* Changes K of a joint for the decoupled form of the KKT matrix (see decoupling): adds
 * the terms that the elimination leaves once the multiple Lambda of the joint's force is
 * eliminated, for the one node from which the joint is seen: B^T Lambda in the columns of theta,
 * Lambda^T B in the rows of theta. */
static void decouple_stiffness(element_blocks *b, const model_element *e, m3 force) {
  const int n = 6 * e->nodes, first = 6 * e->seen_from, theta = first + 3;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 3; ++j) {
      double sum = 0;
      for (int row = 0; row < 3; ++row) sum += b->B[row * n + first + i] * force.m[row][j];
      b->K[(first + i) * n + theta + j] += sum;
      b->K[(theta + j) * n + first + i] += sum;
    }
}

/* Records the equivalence transformation of one joint that solutions apply before and after the
 * substitution, where this subdomain owns the joint's node. */
static void set_decoupling(const assembly *a, int s, kkt *k, int element, m3 force, double factor) {
  const model_element *e = &a->model->element[element];
  const int node = e->node[e->seen_from], joint = k->decoupling.of[element];
  if (joint < 0 || !assembly_owns(a, s, node)) return;
  const m3 scaled = m3_scale(force, factor);
  k->decoupling.map[joint] =
      (decoupling_map){.left = m3_transpose(scaled), .right = m3_mul(scaled, a->map[node].E_rr)};
}

/* Adds an element's dynamic part of the tangent (the block of velocity rows and velocity columns):
 * P^T times dr/dq, dr/dv and dr/dv' in node coordinates. For the stabilised form it adds the first
 * also to W. */
static void add_dynamics(assembly *a, int s, kkt *k, const model_element *e,
                         const element_places *places, unsigned has) {
  const int n = e->alone ? 6 : 6 * e->nodes;
  const element_blocks *b = &a->work[s].blocks;
  const double *K = has & TORSOR_HAS_K ? b->K : NULL, *C = has & TORSOR_HAS_C ? b->C : NULL,
               *M = has & TORSOR_HAS_M ? b->M : NULL;
  const bool decoupled = k->decoupled && is_decoupled_joint(e), apart = decoupled || e->alone;
  for (int i = 0; i < e->nodes; ++i) {
    const model_node *node = &a->model->node[e->node[i]];
    const torsor_motion *motion = &a->motion[e->node[i]];
    if (!assembly_owns(a, s, e->node[i])) continue;
    for (int j = apart ? i : 0; j < (apart ? i + 1 : e->nodes); ++j) {
      const node_map *map = &a->map[e->node[j]];
      const pattern_place place = places->S[apart ? i : i * e->nodes + j];
      const int block_at = e->alone ? 36 * i : 6 * i * n + 6 * j;
      if (K && !C && !M && !k->stabilised && map->plain && a->map[e->node[i]].plain) {
        scatter_stiffness(k->Ax, place, K + block_at, n, &a->map[e->node[i]], map);
        continue;
      }
      map_row block[6], stiffness[6];
      for (int r = 0; r < 6; ++r) {
        const int at = block_at + r * n;
        const node_rows rows = {K ? K + at : NULL, C ? C + at : NULL, M ? M + at : NULL};
        node_map_stiffness(&block[r], map, &rows);
        if (k->stabilised) stiffness[r] = block[r];
        node_map_inertia(&block[r], map, &rows);
      }
      node_wrenches(block, node, motion);
      scatter_rows(k->Ax, place, block, node->group->nv, map);
      if (!k->stabilised) continue;
      node_wrenches(stiffness, node, motion);
      scatter_rows(k->W, place, stiffness, node->group->nv, map);
    }
  }
}

/* Returns whether the matrix is the first of the two by which the stabilised
 * (Gear-Gupta-Leimkuhler) form is solved as two smaller systems. */
static bool is_split(const kkt *k, const torsor_weights *w) {
  return w->system == TORSOR_SYSTEM_STABILISED && !k->stabilised;
}

/* Returns whether the system is that of a time step or a static iteration, whose tangent has all
 * terms. */
static bool is_stage(const torsor_weights *w) {
  return w->system == TORSOR_SYSTEM_INDEX3 || w->system == TORSOR_SYSTEM_STABILISED;
}

/* Returns which of the element's tangents are needed with these weights. At a point without
 * velocities and accelerations the terms of M and C that are multiplied by w->k vanish, see
 * node_map: M then has the factor m or c only, and C the factor c. */
static unsigned weighted_tangents(const model_element *e, const torsor_point *p,
                                  const torsor_weights *w) {
  unsigned has = e->type->tangents.has;
  const bool rests = !p->v && !p->a;
  if (!is_stage(w) || w->k == 0) has &= ~(unsigned)TORSOR_HAS_K;
  if (!is_stage(w) || (rests && w->c == 0)) has &= ~(unsigned)TORSOR_HAS_C;
  if (is_stage(w) && rests && w->c == 0 && w->m == 0) has &= ~(unsigned)TORSOR_HAS_M;
  return has;
}

/* Returns the address of the first entry in a block's column, or of an entry of a diagonal. */
static double *entry_at(double *x, const pattern_place *place, int column) {
  return x + place->corner + column * place->stride;
}

/* Returns whether the constraint row takes no part in the system: none does in the mass matrix, and
 * nonholonomic ones do not where only holonomic velocity constraints are wanted. */
static bool is_left_out(const torsor_weights *w, bool nonholonomic) {
  if (w->system == TORSOR_SYSTEM_MASS) return true;
  return w->system == TORSOR_SYSTEM_VELOCITY && w->holonomic && nonholonomic;
}

/* Returns the regularisation of the constraint row `row` of an element, which stands on the
 * diagonal with a minus sign; 1 for rows that are left out or that no unknown enters, so that their
 * multiplier y = 0. */
static double regularisation(const torsor_weights *w, const model_element *e, int row,
                             bool nonholonomic) {
  if (!w->rows || !(w->e > 0)) return w->e;
  const double scale = w->rows[e->first_row + row];
  return is_left_out(w, nonholonomic) || !(scale > 0) ? 1 : w->e * scale * scale;
}

/* Returns the regularisation of a row of position corrections. */
static double regularise_correction(const torsor_weights *w, const model_element *e, int row) {
  const double scale = w->corrections ? w->corrections[e->first_row + row] : 1;
  return w->e * scale * scale;
}

/* Adds the diagonal entries of one constraint row's multipliers: the regularisation, and for a
 * nonholonomic row 1 so that its position correction s = 0. */
static void add_diagonal(kkt *k, const element_places *places, const model_element *e, int row,
                         bool nonholonomic, const torsor_weights *w) {
  if (!k->stabilised || nonholonomic)
    *entry_at(k->Ax, places->E, row) -= regularisation(w, e, row, nonholonomic);
  if (!k->stabilised) return;
  if (nonholonomic)
    *entry_at(k->Ax, places->rate_s, row) += 1;
  else if (k->dependent) {
    *entry_at(k->Ax, places->phi_s, row) -= regularise_correction(w, e, row);
    *entry_at(k->Ax, places->rate_y, row) -= regularisation(w, e, row, false);
  }
}

/* Adds P^T times dr/d(reaction), the columns of the element's own algebraic unknowns. */
static void add_reaction(assembly *a, int s, kkt *k, const model_element *e,
                         const element_places *places) {
  const int rows = e->reaction_rows;
  const double *L = a->work[s].blocks.L;
  for (int j = 0; j < e->nodes; ++j) {
    const model_node *node = &a->model->node[e->node[j]];
    for (int row = 0; row < rows && assembly_owns(a, s, e->node[j]); ++row) {
      double w[6], column[6];
      for (int i = 0; i < 6; ++i) w[i] = L[(6 * j + i) * rows + row];
      node_wrench(column, node, &a->motion[e->node[j]], w);
      double *to = entry_at(k->Ax, &places->L[j], row);
      for (int i = 0; i < node->group->nv; ++i) to[i] += column[i];
    }
  }
}

/* Adds an element's constraint Jacobians: the columns B^T, or B0^T of the frozen gradient [rows x
 * dofs], and the rows B E; in the stabilised form also the velocity rows B P + z (Z E + B N). A
 * nonholonomic row has the latter in place of B E. */
static void add_constraints(assembly *a, int s, kkt *k, const model_element *e,
                            const element_places *places, const double *B0,
                            const torsor_weights *w) {
  const int n = 6 * e->nodes;
  const element_blocks *b = &a->work[s].blocks;
  const bool stage = is_stage(w), own = assembly_owns(a, s, e->node[0]);
  for (int row = 0; row < e->rows; ++row) {
    const double *given = B0 + row * e->dofs;
    const bool nonholonomic = row >= e->rows - e->nonholonomic;
    const bool rate = stage && nonholonomic; /* the row is the derivative of B v + Phi_t */
    const pattern_place *velocity_row = rate ? places->B : places->V;
    if (own) add_diagonal(k, places, e, row, nonholonomic, w);
    if (is_left_out(w, nonholonomic)) continue;
    for (int j = 0; j < e->nodes; ++j) {
      const node_map *map = &a->map[e->node[j]];
      const double *B = b->B + row * n + 6 * j, *Z = b->Z + row * n + 6 * j;
      double P[6], E[6], D[6];
      node_row(P, &a->model->node[e->node[j]], &a->motion[e->node[j]], B);
      tw_store(E, node_map_variation(map, tw_load(B)));
      if (k->stabilised || rate) {
        twist change = node_map_variation(map, tw_load(Z));
        if (map->turns) change.ang = v3_add(change.ang, m3_tmulv(map->N_lr, v3_load(B)));
        tw_store(D, change);
      }
      if (assembly_owns(a, s, e->node[j])) {
        double *column = entry_at(k->Ax, &places->Bt[j], row);
        for (int i = 0; i < map->nv; ++i) column[i] += w->frozen ? given[i] : P[i];
      }
      given += map->nv;
      if (!own) continue;
      for (int i = 0; i < map->nv; ++i) {
        const int at = places->B[j].corner + row + i * places->B[j].stride;
        if (!rate) k->Ax[at] += E[map->first + i];
        if (!k->stabilised && !rate) continue;
        const double z = w->z * D[map->first + i];
        const int later = velocity_row[j].corner + row + i * velocity_row[j].stride;
        k->Ax[later] += P[i] + z;
        if (!k->stabilised) continue;
        k->W[later] += z;
        if (!rate) k->W[at] += E[map->first + i];
      }
    }
  }
}

/* Adds an element's part of the projection matrix [[I, B0^T], [B E, 0]]. It corrects x by B0^T s
 * such that Phi = 0 (to first order), which is the least correction in the metric of
 * corrections. */
static void add_correction(assembly *a, int s, kkt *k, const model_element *e, int element,
                           const torsor_weights *w) {
  const element_places places = kkt_element(k, e, element);
  const double *given = a->B0 + a->first_gradient[element], *B = a->work[s].blocks.B;
  const bool own = assembly_owns(a, s, e->node[0]);
  for (int row = 0; row < e->rows - e->nonholonomic; ++row) {
    if (own) *entry_at(k->Ax, places.E, row) -= regularise_correction(w, e, row);
    for (int j = 0; j < e->nodes; ++j) {
      const node_map *map = &a->map[e->node[j]];
      double E[6];
      tw_store(E, node_map_variation(map, tw_load(B + (row * e->nodes + j) * 6)));
      if (assembly_owns(a, s, e->node[j])) {
        double *column = entry_at(k->Ax, &places.Bt[j], row);
        for (int i = 0; i < map->nv; ++i) column[i] += given[i];
      }
      given += map->nv;
      for (int i = 0; own && i < map->nv; ++i)
        k->Ax[places.B[j].corner + row + i * places.B[j].stride] += E[map->first + i];
    }
  }
  /* Nonholonomic rows do not constrain positions: their s is 0. */
  for (int row = e->rows - e->nonholonomic; own && row < e->rows; ++row)
    *entry_at(k->Ax, places.E, row) += 1;
}

/* Adds the identity block of the projection matrix for the subdomain's nodes. */
static void add_units(const assembly *a, int s, kkt *k) {
  const subdomain *mine = &a->partition.of[s];
  for (int n = 0; n < mine->nodes; ++n) {
    const int i = mine->node[n];
    for (int j = 0; j < a->model->node[i].group->nv; ++j)
      *(entry_at(k->Ax, &k->node[i], j) + j) += 1;
  }
}

/* Adds the derivative of P^T at the constant total wrench of each node of the subdomain: a
 * geometric term due to the maps from velocities to body twists. */
static void add_map_tangent(assembly *a, int s, kkt *k) {
  const subdomain *mine = &a->partition.of[s];
  for (int n = 0; n < mine->nodes; ++n) {
    const int i = mine->node[n];
    const model_node *node = &a->model->node[i];
    m3 F;
    if (!node_wrench_tangent(&F, node, &a->motion[i], &a->map[i], a->wrench[i])) continue;
    for (int j = 0; j < 3; ++j) {
      const int at = k->node[i].corner + (3 + j) * k->node[i].stride;
      for (int row = 0; row < 3; ++row) k->Ax[at + row] += F.m[row][j];
      for (int row = 0; k->stabilised && row < 3; ++row) k->W[at + row] += F.m[row][j];
    }
  }
}

/* Eliminates prescribed velocities from the unknowns: their rows and columns become those of the
 * identity. */
static void fix_unknowns(kkt *k, int nv, const unsigned char *fixed) {
  for (int j = 0; j < k->p.n; ++j)
    for (int p = k->p.Ap[j]; p < k->p.Ap[j + 1]; ++p) {
      const int i = k->p.Ai[p];
      if ((i < nv && fixed[i]) || (j < nv && fixed[j])) k->Ax[p] = i == j;
    }
}

/* Evaluates those dense blocks of one element that the system needs. */
static torsor_status eval_blocks(assembly *a, int s, int element, const torsor_point *p,
                                 unsigned has, bool forces, bool rates) {
  const model_element *e = &a->model->element[element];
  element_blocks *b = &a->work[s].blocks;
  const size_t size = (size_t)(6 * e->nodes), square = element_square(e) * sizeof(double);
  const size_t rows = (size_t)e->rows * size * sizeof(double);
  torsor_element_out out = {.M = has & TORSOR_HAS_M ? b->M : NULL,
                            .C = has & TORSOR_HAS_C ? b->C : NULL,
                            .K = has & TORSOR_HAS_K ? b->K : NULL,
                            .r = forces ? b->r : NULL,
                            .B = e->rows ? b->B : NULL,
                            .Z = rates ? b->Z : NULL,
                            .L = e->reaction_rows ? b->L : NULL};
  if (has & TORSOR_HAS_M) memset(b->M, 0, square);
  if (has & TORSOR_HAS_C) memset(b->C, 0, square);
  if (has & TORSOR_HAS_K) memset(b->K, 0, square);
  memset(b->r, 0, size * sizeof(double));
  memset(b->B, 0, rows);
  memset(b->Z, 0, rows);
  memset(b->L, 0, size * (size_t)e->reaction_rows * sizeof(double));
  const torsor_element_in in = assembly_tangent_in(a, element, p);
  return assembly_eval(a, element, &in, &out);
}

/* Adds an element's residual to the total wrenches of the nodes that the subdomain owns. */
static void add_wrench(assembly *a, int s, const model_element *e) {
  const double *r = a->work[s].blocks.r;
  for (int i = 0; i < e->nodes; ++i) {
    if (!assembly_owns(a, s, e->node[i])) continue;
    for (int j = 0; j < 6; ++j) a->wrench[e->node[i]][j] += r[6 * i + j];
  }
}

/* The matrices that one assembly fills, and the point and weights it does so with. */
typedef struct filling {
  assembly *a;
  kkt *k, *correction;    /* NULL: there is no second matrix */
  accelerator *corrector; /* NULL: there is none */
  const torsor_point *p;
  const torsor_weights *w;
} filling;

/* Sets part s of `parts` equal parts of x [count] to zero. */
static void clear_part(double *x, int count, int s, int parts) {
  const long long n = count;
  const size_t begin = (size_t)(n * s / parts), end = (size_t)(n * (s + 1) / parts);
  if (x) memset(x + begin, 0, (end - begin) * sizeof *x);
}

/* Sets this subdomain's part of all matrices to zero, and computes the maps of its nodes. */
static void prepare_subdomain(void *self, int s) {
  const filling *f = self;
  assembly *a = f->a;
  const subdomain *mine = &a->partition.of[s];
  clear_part(f->k->Ax, f->k->p.nonzeros, s, a->partition.count);
  clear_part(f->k->W, f->k->wide, s, a->partition.count);
  if (f->correction)
    clear_part(f->correction->Ax, f->correction->p.nonzeros, s, a->partition.count);
  for (int n = 0; n < mine->nodes; ++n) {
    const int i = mine->node[n];
    const model_node *node = &a->model->node[i];
    memset(a->wrench[i], 0, sizeof a->wrench[i]);
    node_map_fill(&a->map[i], node, &a->motion[i], f->p->u ? f->p->u + node->first_v : NULL, f->w);
  }
}

/* Applies the decoupling of a joint to its element's blocks. */
static void decouple_element(const filling *f, int s, int i, unsigned has) {
  const model_element *e = &f->a->model->element[i];
  const bool acts = (has & TORSOR_HAS_K) && f->p->lambda;
  const m3 force = decoupling_force(e, acts ? f->p->lambda + e->first_row : NULL);
  if (acts) decouple_stiffness(&f->a->work[s].blocks, e, force);
  set_decoupling(f->a, s, f->k, i, force, f->w->k);
}

/* Evaluates one element and adds all its parts to the matrices. */
static torsor_status fill_element(const filling *f, int s, int i) {
  assembly *a = f->a;
  const torsor_weights *w = f->w;
  const model_element *e = &a->model->element[i];
  const bool dynamic = is_stage(w);
  const unsigned has = weighted_tangents(e, f->p, w);
  const bool rates = e->rows && (f->k->stabilised || (dynamic && e->nonholonomic));
  const torsor_status status = eval_blocks(a, s, i, f->p, has, dynamic && w->k != 0, rates);
  if (status) return status;
  const element_places places = kkt_element(f->k, e, i);
  add_wrench(a, s, e);
  if (f->k->decoupling.of && is_decoupled_joint(e)) decouple_element(f, s, i, has);
  if (has) add_dynamics(a, s, f->k, e, &places, has);
  add_constraints(a, s, f->k, e, &places, a->B0 + a->first_gradient[i], w);
  if (f->correction) add_correction(a, s, f->correction, e, i, w);
  if (f->corrector && e->rows && assembly_owns(a, s, e->node[0]))
    accelerator_put(f->corrector, &f->corrector->rows[a->corrector_rows[i]], a->work[s].blocks.B,
                    e->nodes);
  if (e->reaction_rows && w->system != TORSOR_SYSTEM_VELOCITY && w->system != TORSOR_SYSTEM_MASS)
    add_reaction(a, s, f->k, e, &places);
  return TORSOR_OK;
}

/* Fills in the rows of a joint that does not act: its multipliers, and its corrections of
 * positions, are zero. */
static void leave_out(const filling *f, int s, int i) {
  const model_element *e = &f->a->model->element[i];
  if (!e->rows || !assembly_owns(f->a, s, e->node[0])) return;
  const element_places places = kkt_element(f->k, e, i);
  for (int row = 0; row < e->rows; ++row) {
    *entry_at(f->k->Ax, places.E, row) -= 1;
    if (f->k->stabilised) *entry_at(f->k->Ax, places.rate_s, row) += 1;
  }
  if (!f->correction) return;
  const element_places corrected = kkt_element(f->correction, e, i);
  for (int row = 0; row < e->rows; ++row) *entry_at(f->correction->Ax, corrected.E, row) += 1;
}

/* Assembles the subdomain's elements; a failure is noted for the subdomain with its element. */
static void fill_subdomain(void *self, int s) {
  const filling *f = self;
  const subdomain *mine = &f->a->partition.of[s];
  f->a->work[s].failed = -1;
  for (int k = 0; k < mine->elements; ++k) {
    const int i = mine->element[k];
    if (!f->a->active[i]) {
      leave_out(f, s, i);
      continue;
    }
    const torsor_status status = fill_element(f, s, i);
    if (status) {
      work_fail(&f->a->work[s], i, status);
      return;
    }
  }
  if (is_stage(f->w) && f->w->k != 0) add_map_tangent(f->a, s, f->k);
  if (f->correction) add_units(f->a, s, f->correction);
}

/* Completes the columns of s (position corrections) for the subdomain's elements, which need all of
 * W. */
static void subtract_subdomain(void *self, int s) {
  const filling *f = self;
  const assembly *a = f->a;
  const subdomain *mine = &a->partition.of[s];
  for (int n = 0; n < mine->elements; ++n) {
    const int i = mine->element[n];
    const model_element *e = &a->model->element[i];
    if (e->rows && assembly_owns(a, s, e->node[0]))
      kkt_subtract_product(f->k, a->model, i, a->B0 + a->first_gradient[i]);
  }
}

torsor_status assembly_fill(assembly *a, kkt *k, const torsor_point *p, const torsor_weights *w) {
  const bool split = is_split(k, w), small = split && a->by_multipliers;
  filling f = {a, k, split && !small ? &a->correction : NULL, small ? &a->corrector : NULL, p, w};
  if (small) assembly_weigh_corrector(a);
  assembly_set_motion(a, p);
  assembly_run(a, prepare_subdomain, &f);
  assembly_run(a, fill_subdomain, &f);
  const torsor_status status = assembly_first_failure(a);
  if (status) return status;
  if (k->stabilised) assembly_run(a, subtract_subdomain, &f);
  if (w->system == TORSOR_SYSTEM_VELOCITY && w->fixed) fix_unknowns(k, a->model->nv, w->fixed);
  return TORSOR_OK;
}

/* The largest entries of an element matrix by their units: [MOVES] forces by translations, [MIXED]
 * forces by rotations and moments by translations, [TURNS] moments by rotations. */
typedef struct block_scales {
  double of[3];
} block_scales;

enum { MOVES, MIXED, TURNS };

static void note_scales(block_scales *scales, const double *block, const model_element *e) {
  const int nodes = e->alone ? 1 : e->nodes;
  for (int row = 0; row < 6 * e->nodes; ++row)
    for (int column = 0; column < 6 * nodes; ++column) {
      double *largest = &scales->of[(row % 6 > 2) + (column % 6 > 2)];
      *largest = fmax(*largest, fabs(block[row * 6 * nodes + column]));
    }
}

/* Returns the largest entries over all elements' matrices; `wanted` is TORSOR_HAS_M or
 * TORSOR_HAS_K. */
static block_scales find_scales(assembly *a, const torsor_point *p, unsigned wanted) {
  const element_blocks *b = &a->work[0].blocks;
  block_scales scales = {{0}};
  assembly_set_motion(a, p);
  for (int i = 0; i < a->model->element_count; ++i) {
    const model_element *e = &a->model->element[i];
    if (!(e->type->tangents.has & wanted)) continue;
    if (eval_blocks(a, 0, i, p, wanted, wanted == TORSOR_HAS_K, false)) continue;
    note_scales(&scales, wanted == TORSOR_HAS_M ? b->M : b->K, e);
  }
  return scales;
}

/* Entries below this part of the largest one of an element are round-off: of a floating frame that
 * others determine. */
static const double NO_MASS = 1e-13;

/* The largest diagonal entry of M [6 nodes]^2, of displacements or of rotations (`turns`). */
static double largest_inertia(const double *M, int nodes, bool turns) {
  double most = 0;
  for (int i = 0; i < 6 * nodes; ++i)
    if ((i % 6 > 2) == turns) most = fmax(most, M[(size_t)i * (size_t)(6 * nodes + 1)]);
  return most;
}

/* Computes, from the mass matrix, each node's mass, as a third of its block's trace, and its
 * moments of inertia about its axes. */
static void sum_inertias(node_inertia *of, assembly *a, const torsor_point *p) {
  const double *M = a->work[0].blocks.M;
  memset(of, 0, (size_t)a->model->node_count * sizeof *of);
  assembly_set_motion(a, p);
  for (int i = 0; i < a->model->element_count; ++i) {
    const model_element *e = &a->model->element[i];
    if (!(e->type->tangents.has & TORSOR_HAS_M)) continue;
    if (eval_blocks(a, 0, i, p, TORSOR_HAS_M, false, false)) continue;
    const double least[] = {NO_MASS * largest_inertia(M, e->nodes, false),
                            NO_MASS * largest_inertia(M, e->nodes, true)};
    for (int k = 0; k < e->nodes; ++k)
      for (int j = 0; j < 3; ++j) {
        const int first = 6 * k, row = 6 * e->nodes;
        node_inertia *n = &of[e->node[k]];
        const double mass = M[(first + j) * row + first + j];
        const double moment = M[(first + 3 + j) * row + first + 3 + j];
        if (mass > least[0]) n->mass += mass / 3;
        if (moment > least[1]) n->moment[j] += moment;
      }
  }
}

static double mean_moment(const node_inertia *n) {
  return (n->moment[0] + n->moment[1] + n->moment[2]) / 3;
}

void assembly_find_inertias(node_inertia *of, assembly *a, const torsor_point *p) {
  double mass = 0, moment = 0;
  int count = 0;
  sum_inertias(of, a, p);
  for (int i = 0; i < a->model->node_count; ++i) {
    if (!(of[i].mass > 0) || a->model->node[i].init.abstract) continue;
    mass += of[i].mass;
    moment += mean_moment(&of[i]);
    ++count;
  }
  const double usual = mass > 0 && moment > 0 ? moment / mass : 1;
  for (int i = 0; i < a->model->node_count; ++i) {
    node_inertia *n = &of[i];
    n->mass = (n->mass > 0 ? n->mass * count / mass : 1) / usual;
    for (int j = 0; j < 3; ++j)
      n->moment[j] = NODE_TURNS * (n->moment[j] > 0 ? n->moment[j] * count / mass : usual) / usual;
  }
}

double assembly_mass_scale(assembly *a, const torsor_point *p) {
  const block_scales mass = find_scales(a, p, TORSOR_HAS_M);
  return fmax(mass.of[MOVES], fmax(mass.of[MIXED], mass.of[TURNS]));
}

double assembly_moved_mass(assembly *a, const torsor_point *p) {
  return find_scales(a, p, TORSOR_HAS_M).of[MOVES];
}

double assembly_turned_mass(assembly *a, const torsor_point *p) {
  return find_scales(a, p, TORSOR_HAS_M).of[TURNS];
}

double assembly_stiffness_scale(assembly *a, const torsor_point *p, double length) {
  const block_scales stiffness = find_scales(a, p, TORSOR_HAS_K);
  const double turned = stiffness.of[TURNS] / (length * length);
  return fmax(stiffness.of[MOVES], fmax(turned, stiffness.of[MIXED] / length));
}
