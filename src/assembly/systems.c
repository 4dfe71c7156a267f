/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "assembly/assembly.h"
#include "assembly/assembly_private.h"

/* The linear systems of a problem: this file decides which matrix serves which system, factors it
 * and solves with it. */

static torsor_status create_matrix(assembly *a, kkt *k, unsigned has) {
  const torsor_status status = kkt_create(k, a->model, has, a->solver, &a->plain, &a->memory);
  if (!status) linear_solver_set_team(k->solver, a->team);
  return status;
}

/* Makes a pattern with room for dependent rows, once, when constraint rows are found to depend on
 * each other. */
static torsor_status make_room(assembly *a) {
  if (a->stabilised.dependent) return TORSOR_OK;
  kkt_release(&a->stabilised);
  return create_matrix(a, &a->stabilised, KKT_STABILISED | KKT_DEPENDENT);
}

/* Makes a matrix in the pattern of the plain one, once. */
static torsor_status make_decoupled(assembly *a, kkt *k) {
  return k->solver ? TORSOR_OK : create_matrix(a, k, KKT_DECOUPLED);
}

static torsor_status make_whole(assembly *a) {
  return a->whole.solver ? TORSOR_OK : create_matrix(a, &a->whole, 0);
}

torsor_status assembly_make_whole(assembly *a) {
  return a->plain.decoupling.of ? make_whole(a) : TORSOR_OK;
}

/* Makes the matrix of corrections, by which the iteration by halves (weights->split) solves a
 * stabilised step beside the plain matrix, where the multipliers alone do not serve. */
static torsor_status make_correction(assembly *a) {
  return a->correction.solver ? TORSOR_OK : create_matrix(a, &a->correction, KKT_BARE);
}

/* Can corrections be found by the matrix of the multipliers?  It has no room for rows that depend
 * on each other or are left out, and rotates with the bodies. */
static bool is_correction_small(const assembly *a, const torsor_weights *weights) {
  return a->corrector.usable && weights->follow && !a->ignores && !a->released && !(weights->e > 0);
}

/* Makes what the iteration by halves needs for corrections. */
static torsor_status make_split(assembly *a, const torsor_weights *weights) {
  const torsor_status status = a->corrects ? TORSOR_OK : assembly_make_corrector(a);
  return status || is_correction_small(a, weights) ? status : make_correction(a);
}

static bool is_ever_split(const assembly *a) {
  return a->correction.solver || a->corrector.usable;
}

static torsor_status make_stabilised(assembly *a) {
  if (!a->stabilises) return TORSOR_ARGUMENT;
  return a->stabilised.solver ? TORSOR_OK : create_matrix(a, &a->stabilised, KKT_STABILISED);
}

static torsor_status fill_and_factor(assembly *a, kkt *k, const torsor_point *p,
                                     const torsor_weights *weights) {
  stopwatch_enter(a->watch, TORSOR_PHASE_TANGENT);
  linear_solver_forget(k->solver);
  torsor_status status = assembly_fill(a, k, p, weights);
  stopwatch_leave(a->watch);
  if (status) return status;
  stopwatch_enter(a->watch, TORSOR_PHASE_FACTOR);
  status = linear_solver_factor(k->solver, k->Ax);
  stopwatch_leave(a->watch);
  return status;
}

/* Factors the mass matrix; the rows and columns of multipliers are those of the negative
 * identity. */
static torsor_status factor_mass(assembly *a, const torsor_point *p) {
  const torsor_weights w = {.system = TORSOR_SYSTEM_MASS, .m = 1, .e = 1};
  const torsor_status status = make_decoupled(a, &a->mass);
  return status ? status : fill_and_factor(a, &a->mass, p, &w);
}

/* Prepares the solver for dependent rows.  Even when regularised they are nearly dependent, and
 * pivots grow by 1/e.  The iteration by halves (weights->split) restores the digits that this costs
 * a correction, so growth is allowed there; other iterations, and accelerations, need all digits,
 * so rows of the whole matrix are exchanged. */
static torsor_status expect_dependent_rows(assembly *a, kkt *k, const torsor_weights *weights) {
  const bool repeated = weights->split && weights->e > 0;
  linear_solver_allow_growth(k->solver, repeated);
  if (repeated || !(weights->e > 0) || weights->system == TORSOR_SYSTEM_VELOCITY) return TORSOR_OK;
  const torsor_status status = k->stabilised ? make_room(a) : TORSOR_OK;
  return status ? status : linear_solver_exchange(k->solver);
}

/* Chooses the matrix of a system.  The decoupled one has no room for dependent rows, nor all
 * entries of K for those who asked for the whole matrix (steps do without). */
static torsor_status choose_matrix(kkt **out, assembly *a, const torsor_weights *weights) {
  torsor_status status = TORSOR_OK;
  const bool stabilised = weights->system == TORSOR_SYSTEM_STABILISED;
  *out = &a->plain;
  if (stabilised && !weights->split) {
    *out = &a->stabilised;
    return make_stabilised(a);
  }
  if (weights->aside && (!a->stabilised.solver || is_ever_split(a))) {
    *out = &a->aside;
    return make_decoupled(a, &a->aside);
  }
  if (stabilised) status = make_split(a, weights);
  if (status || (weights->system != TORSOR_SYSTEM_INDEX3 && !stabilised)) return status;
  if (weights->e > 0) status = weights->split ? make_whole(a) : assembly_make_whole(a);
  const bool apart = weights->split || a->plain.decoupling.of;
  if (apart && a->whole.solver && (weights->e > 0 || !weights->follow)) *out = &a->whole;
  return status;
}

/* Factors both matrices of the iteration by halves, that of corrections by the multipliers where
 * their rows are far from dependent. */
static torsor_status factor_split(assembly *a, kkt *k, const torsor_point *p,
                                  const torsor_weights *weights) {
  a->by_multipliers = is_correction_small(a, weights);
  torsor_status status = TORSOR_OK;
  if (a->by_multipliers) {
    status = fill_and_factor(a, k, p, weights);
    if (status || !accelerator_factor(&a->corrector)) return status;
    a->by_multipliers = false;
    status = make_correction(a);
  }
  if (!status) status = expect_dependent_rows(a, &a->correction, weights);
  if (!status) status = fill_and_factor(a, k, p, weights);
  return status ? status : linear_solver_factor(a->correction.solver, a->correction.Ax);
}

static torsor_status factor(void *self, const torsor_point *p, const torsor_weights *weights) {
  assembly *a = self;
  kkt *k;
  if (weights->system == TORSOR_SYSTEM_MASS) return factor_mass(a, p);
  torsor_status status = choose_matrix(&k, a, weights);
  if (status) return status;
  const bool splits = weights->system == TORSOR_SYSTEM_STABILISED && !k->stabilised;
  a->factored = NULL;
  a->accelerator.ready = false;
  if (k == a->recalled || weights->follow) a->recalled = NULL;
  if (k == &a->aside) a->aside_kept = false;
  status = expect_dependent_rows(a, k, weights);
  if (!status && splits)
    status = factor_split(a, k, p, weights);
  else if (!status)
    status = fill_and_factor(a, k, p, weights);
  if (status) return status;
  a->factored = k;
  a->splits = splits;
  a->follows = weights->follow;
  if (a->follows) corotation_keep(&a->corotation, a->model, a->motion);
  if (k == &a->aside && weights->system == TORSOR_SYSTEM_ACCELERATION) {
    corotation_keep(&a->corotation_aside, a->model, a->motion);
    a->aside_kept = true;
  }
  if (weights->system != TORSOR_SYSTEM_STABILISED && weights->system != TORSOR_SYSTEM_INDEX3)
    return TORSOR_OK;
  a->recalled = k;
  a->recalled_turns = a->follows;
  a->recalled_splits = splits;
  return TORSOR_OK;
}

static torsor_status recall(void *self) {
  assembly *a = self;
  if (!a->recalled) return TORSOR_SINGULAR;
  a->accelerator.ready = false;
  a->factored = a->recalled;
  a->follows = a->recalled_turns;
  a->splits = a->recalled_splits;
  return TORSOR_OK;
}

static torsor_status recall_aside(void *self) {
  assembly *a = self;
  if (!a->aside_kept) return TORSOR_SINGULAR;
  a->accelerator.ready = false;
  a->factored = &a->aside;
  a->follows = true;
  a->splits = false;
  return TORSOR_OK;
}

torsor_status assembly_make_plain(assembly *a) {
  const torsor_status status = create_matrix(a, &a->plain, KKT_DECOUPLED);
  if (status || strcmp(a->solver, "block") != 0) return status;
  const double most = linear_solver_work(a->plain.solver);
  return accelerator_create(&a->accelerator, a->model, most, &a->memory);
}

static torsor_status expect(void *self, const torsor_weights *weights) {
  kkt *k;
  return choose_matrix(&k, self, weights);
}

/* Arguments of change_part: the matrix of a solution. */
typedef struct solving {
  const assembly *a;
  const kkt *k;
} solving;

/* Changes the variables of one part of the unknowns before or after a solution: corotation, and the
 * decoupling.  The order does not matter, as the rotations and multipliers of decoupled joints are
 * not among the vectors that are rotated. */
static void change_part(void *self, double *x, int part, bool back) {
  const assembly *a = ((const solving *)self)->a;
  const kkt *k = ((const solving *)self)->k;
  const corotation *turns = k == &a->aside ? &a->corotation_aside : &a->corotation;
  if (a->follows) corotation_apply(x, turns, &k->corotation, a->motion, part, back);
  if (k->decoupling.joints) decoupling_apply(x, &k->decoupling, part, back);
}

static torsor_status solve_with(const assembly *a, const kkt *k, double *x) {
  solving s = {a, k};
  const solver_change change = {change_part, &s};
  if (!a->follows && !k->decoupling.joints) return linear_solver_solve(k->solver, x);
  return linear_solver_solve_changed(k->solver, x, &change);
}

static torsor_status solve_timed(assembly *a, const kkt *k, double *x) {
  if (!k || !k->solver) return TORSOR_SINGULAR;
  stopwatch_enter(a->watch, TORSOR_PHASE_SOLVE);
  const torsor_status status = solve_with(a, k, x);
  stopwatch_leave(a->watch);
  return status;
}

static torsor_status accelerate(void *self, const torsor_point *p, double *v, double *lambda,
                                double m) {
  assembly *a = self;
  a->factored = NULL;
  return assembly_accelerate(a, p, v, lambda, m);
}

static torsor_status solve(void *self, double *x) {
  assembly *a = self;
  if (!a->accelerator.ready) return solve_timed(a, a->factored, x);
  stopwatch_enter(a->watch, TORSOR_PHASE_SOLVE);
  assembly_solve_accelerated(a, x);
  stopwatch_leave(a->watch);
  return TORSOR_OK;
}

static torsor_status solve_correction(void *self, double *x, torsor_correction wanted) {
  assembly *a = self;
  if (wanted == TORSOR_CORRECTION_STILL && !(a->splits && a->by_multipliers))
    memset(x, 0, (size_t)a->model->nv * sizeof *x);
  if (!a->splits || !a->by_multipliers) return solve_timed(a, a->splits ? &a->correction : NULL, x);
  stopwatch_enter(a->watch, TORSOR_PHASE_SOLVE);
  assembly_solve_corrector(a, x, wanted);
  stopwatch_leave(a->watch);
  return TORSOR_OK;
}

static torsor_status solve_mass(void *self, double *x) {
  const assembly *a = self;
  if (!a->mass.solver) return TORSOR_SINGULAR;
  stopwatch_enter(a->watch, TORSOR_PHASE_SOLVE);
  memset(x + a->model->nv, 0, (size_t)a->model->nl * sizeof *x);
  const torsor_status status = linear_solver_solve(a->mass.solver, x);
  stopwatch_leave(a->watch);
  return status;
}

int assembly_factor_sign(const assembly *a) {
  return a->factored ? linear_solver_sign(a->factored->solver) : 0;
}

int assembly_factor_negative(const assembly *a) {
  return a->factored ? linear_solver_negative(a->factored->solver) : -1;
}

double assembly_pivot_ratio(const assembly *a) {
  return a->factored ? linear_solver_pivot_ratio(a->factored->solver) : 0;
}

const double *assembly_matrix(const assembly *a, int *nonzeros, const int **Ap, const int **Ai) {
  const kkt *k = a->factored ? a->factored : &a->plain;
  *nonzeros = k->p.nonzeros;
  if (Ap) *Ap = k->p.Ap;
  if (Ai) *Ai = k->p.Ai;
  return k->Ax;
}

/* Walks over a reference to one of the matrices, or to none. */
static void walk_choice(kkt **chosen, assembly *a, tape *t) {
  kkt *const matrices[] = {NULL, &a->plain, &a->stabilised, &a->whole, &a->aside};
  const int count = sizeof matrices / sizeof *matrices;
  int choice = 0;
  for (int i = 1; i < count; ++i)
    if (*chosen == matrices[i]) choice = i;
  TAPE_VALUE(t, choice);
  if (t->mode == TAPE_READ && !t->status && choice >= 0 && choice < count)
    *chosen = matrices[choice];
}

void assembly_walk_matrices(assembly *a, tape *t) {
  bool wide = a->stabilised.dependent, mass = a->mass.solver != NULL;
  bool whole = a->whole.solver != NULL, aside = a->aside.solver != NULL;
  bool stabilised = a->stabilised.solver != NULL, split = a->correction.solver != NULL;
  bool corrects = a->corrects;
  TAPE_VALUE(t, wide);
  TAPE_VALUE(t, mass);
  TAPE_VALUE(t, whole);
  TAPE_VALUE(t, aside);
  TAPE_VALUE(t, stabilised);
  TAPE_VALUE(t, split);
  TAPE_VALUE(t, corrects);
  walk_choice(&a->factored, a, t);
  walk_choice(&a->recalled, a, t);
  if (t->mode == TAPE_READ && !t->status) {
    a->accelerator.ready = a->accelerator.weighed = false;
    if (stabilised) t->status = make_stabilised(a);
    if (wide && !t->status) t->status = make_room(a);
    if (mass && !t->status) t->status = make_decoupled(a, &a->mass);
    if (whole && !t->status) t->status = make_whole(a);
    if (aside && !t->status) t->status = make_decoupled(a, &a->aside);
    if (split && !t->status) t->status = make_correction(a);
    if (corrects && !a->corrects && !t->status) t->status = assembly_make_corrector(a);
  }
  if (t->status) return;
  kkt_walk(&a->plain, t);
  if (stabilised) kkt_walk(&a->stabilised, t);
  if (mass) kkt_walk(&a->mass, t);
  if (whole) kkt_walk(&a->whole, t);
  if (aside) kkt_walk(&a->aside, t);
  if (split) kkt_walk(&a->correction, t);
  if (corrects) assembly_walk_corrector(a, t);
}

void assembly_set_systems(assembly *a) {
  torsor_problem *problem = &a->problem;
  problem->expect = expect;
  problem->factor = factor;
  problem->solve = solve;
  problem->accelerate = a->accelerator.usable ? accelerate : NULL;
  problem->solve_correction = solve_correction;
  problem->recall = recall;
  problem->recall_aside = recall_aside;
  problem->solve_mass = solve_mass;
}
