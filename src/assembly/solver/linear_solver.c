/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/solver/linear_solver.h"

#include "assembly/solver/block_layout.h"

#include "base/vec.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Where the pivot ratio of the scaled matrix is below this, a solution has no correct digit left:
 * the matrix is singular in double precision (unit round-off 1.1e-16, with a factor for the size of
 * the rows). */
#define SINGULAR_RATIO 1e-15
/* Pivot growth of 1e8 leaves 8 of 16 digits, fewer than Newton's corrections need. */
#define BAD_GROWTH 1e-8
/* Pivot growth of 1e12 leaves 4 digits, which is enough where solutions are refined iteratively. */
#define BAD_REPEATED_GROWTH 1e-12
/* Old pivots are dropped when their ratio falls below this fraction of its value at the last
 * pivoting. */
#define STALE_RATIO 1e-3

/* Operations per unknown up to which blocks are taken without a look at KLU: trees of bodies and
 * small meshes. */
#define PLAIN_WORK 3000
/* KLU is taken where blocks would take more than this many times the operations that it predicts.
 * Its prediction knows of no exchanges of rows: of a net of 4,641 rods and points with ball joints
 * blocks take 3.5 times as many, and yet a third of the time in all. */
#define WORTH_KLU 10
/* Factors with more than this many times the entries that were predicted: KLU's exchanges have
 * undone its order, and blocks, which have none, cost less. */
#define EXPLODED 3
/* Matrices of trees and small ones are factored by KLU, and by UMFPACK behind it, where blocks find
 * them singular.  Beyond both of these, operations per unknown and in all, that would take minutes
 * and gigabytes. */
#define COSTLY_WORK_PER_UNKNOWN 500
#define COSTLY_WORK             1e7

/* Unknowns up to which UMFPACK takes what blocks of that cost find singular, though it may be
 * regular: a mesh of shells takes it a fraction of
 * a second, nets of thousands of beams take minutes. */
#define MOST_FALLBACK 5000

typedef struct solver_instance {
  const linear_solver_type *type;
  void *self;
} solver_instance;

struct linear_solver {
  const pattern *p;
  solver_instance chosen, fallback;
  solver_instance blocks;    /* come back if the factors of KLU, in their place, explode */
  const torsor_model *model; /* of the block plan, NULL without one */
  bool stabilised;           /* of the block plan */
  team *team;
  const solver_instance *active; /* made the last factorisation */
  bool pivoted;                  /* `chosen` has pivots to reuse */
  bool exploded;                 /* KLU's factors did, so that blocks came back */
  bool repeated;                 /* see linear_solver_allow_growth */
  bool checked;                  /* see linear_solver_trust */
  double ratio;                  /* pivot ratio when it pivoted */
  bool reused;                   /* the last factorisation has pivots of an earlier one */
  bool remembers;                /* it remembers the data that a walk needs */
  double *pivot_values; /* [nonzeros] that `chosen` last pivoted for, where it cannot keep its
                           pivots otherwise */
};

static const linear_solver_type *find_type(const char *name) {
  static const linear_solver_type *const types[] = {&linear_solver_block, &linear_solver_klu,
                                                    &linear_solver_umfpack};
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i)
    if (!strcmp(name, types[i]->name)) return types[i];
  return NULL;
}

const char *linear_solver_known(const char *name) {
  const linear_solver_type *type = find_type(name);
  return type ? type->name : NULL;
}

/* Allocates memory for the values for which the chosen solver pivots, once these have to be
 * remembered. */
static torsor_status make_room(linear_solver *solver) {
  if (!solver->remembers || solver->pivot_values || solver->chosen.type->pivots) return TORSOR_OK;
  solver->pivot_values = calloc((size_t)solver->p->nonzeros, sizeof *solver->pivot_values);
  return solver->pivot_values || !solver->p->nonzeros ? TORSOR_OK : TORSOR_MEMORY;
}

static void release(solver_instance *instance) {
  if (instance->self) instance->type->destroy(instance->self);
  *instance = (solver_instance){0};
}

/* Replaces the block solver by KLU from now on. */
static torsor_status choose_klu(linear_solver *solver) {
  solver_instance *chosen = &solver->chosen;
  solver->active = NULL;
  solver->pivoted = false;
  release(chosen);
  *chosen = (solver_instance){.type = &linear_solver_klu};
  const torsor_status status = make_room(solver);
  return status ? status : chosen->type->analyse(&chosen->self, solver->p, NULL);
}

/* Blocks in an order that does not ask for regular blocks of nodes, from now on. */
static torsor_status choose_strict(linear_solver *solver) {
  solver_instance *chosen = &solver->chosen;
  arena scratch = {0};
  block_plan plan;
  solver->active = NULL;
  solver->pivoted = false;
  release(chosen);
  chosen->type = &linear_solver_block;
  torsor_status status = block_plan_create(&plan, solver->model, solver->stabilised, &scratch);
  plan.strict = true;
  if (!status) status = chosen->type->analyse(&chosen->self, solver->p, &plan);
  arena_release(&scratch);
  if (!status && solver->team) chosen->type->set_team(chosen->self, solver->team);
  return status == TORSOR_SINGULAR ? choose_klu(solver) : status;
}

/* Instead of KLU, from now on. */
static void choose_blocks(linear_solver *solver) {
  solver->active = NULL;
  solver->pivoted = false;
  release(&solver->chosen);
  solver->chosen = solver->blocks;
  solver->blocks = (solver_instance){0};
  solver->exploded = true;
}

static bool has_blocks(const linear_solver *solver) {
  return solver->chosen.type == &linear_solver_block;
}

static bool is_apart(const linear_solver *solver) {
  return has_blocks(solver) && solver->chosen.type->apart(solver->chosen.self);
}

/* Would any other solver than blocks take far too long, if these are not good? */
static bool is_costly(const linear_solver *solver) {
  if (!has_blocks(solver)) return false;
  const double work = solver->chosen.type->work(solver->chosen.self);
  return work > COSTLY_WORK && work > COSTLY_WORK_PER_UNKNOWN * solver->p->n;
}

/* KLU in place of the blocks that were chosen where it promises far less work, and nothing but
 * joints and nodes of their own fill the matrix: rows of constraints have no diagonal, and with
 * stiffnesses between nodes the exchanges of rows that this asks for undo its order. */
static torsor_status compare_with_klu(linear_solver *solver, const block_plan *plan) {
  const solver_instance blocks = solver->chosen;
  const double work = blocks.type->work(blocks.self);
  if (plan->coupled || work <= PLAIN_WORK * (double)solver->p->n) return TORSOR_OK;
  solver_instance klu = {.type = &linear_solver_klu};
  const torsor_status status = klu.type->analyse(&klu.self, solver->p, NULL);
  if (status < 0) return status;
  if (status || work <= WORTH_KLU * klu.type->work(klu.self)) {
    release(&klu);
    return TORSOR_OK;
  }
  solver->blocks = blocks;
  solver->chosen = klu;
  return TORSOR_OK;
}

void linear_solver_trust(linear_solver *solver) {
  solver->checked = true;
}

bool linear_solver_takes_any(const linear_solver *solver) {
  return solver->checked && is_costly(solver);
}

void linear_solver_allow_growth(linear_solver *solver, bool repeated) {
  solver->repeated = repeated;
}

torsor_status linear_solver_exchange(linear_solver *solver) {
  if (!has_blocks(solver) || is_costly(solver) || solver->exploded) return TORSOR_OK;
  const solver_instance blocks = solver->chosen;
  const double work = blocks.type->work(blocks.self);
  if (work <= COSTLY_WORK_PER_UNKNOWN * solver->p->n) return choose_klu(solver);
  solver->chosen = (solver_instance){0};
  solver->blocks = blocks;
  return choose_klu(solver);
}

torsor_status linear_solver_create(linear_solver **out, const char *name, const pattern *p,
                                   const block_plan *plan) {
  *out = NULL;
  const linear_solver_type *type = find_type(name ? name : linear_solver_block.name);
  if (!type) return TORSOR_ARGUMENT;
  linear_solver *solver = calloc(1, sizeof *solver);
  if (!solver) return TORSOR_MEMORY;
  solver->p = p;
  solver->chosen.type = type;
  solver->model = plan ? plan->model : NULL;
  solver->stabilised = plan && plan->stabilised;
  torsor_status status = type->analyse(&solver->chosen.self, p, plan);
  if (status == TORSOR_SINGULAR && type == &linear_solver_block)
    status = choose_klu(solver);
  else if (!status && has_blocks(solver))
    status = compare_with_klu(solver, plan);
  if (status) {
    linear_solver_destroy(solver);
    return status;
  }
  *out = solver;
  return TORSOR_OK;
}

static bool is_same_pattern(const pattern *a, const pattern *b) {
  return a->n == b->n && a->nonzeros == b->nonzeros &&
         !memcmp(a->Ap, b->Ap, ((size_t)a->n + 1) * sizeof *a->Ap) &&
         !memcmp(a->Ai, b->Ai, (size_t)a->nonzeros * sizeof *a->Ai);
}

block_layout *linear_solver_layout(const linear_solver *solver, const pattern *p,
                                   const block_plan *plan) {
  if (!solver) return NULL;
  const solver_instance *blocks = has_blocks(solver) ? &solver->chosen : &solver->blocks;
  block_layout *layout = blocks->self ? blocks->type->layout(blocks->self) : NULL;
  const bool same = layout && !plan->last && solver->model == plan->model &&
                    layout->stabilised == plan->stabilised && layout->strict == plan->strict;
  return same && is_same_pattern(solver->p, p) ? layout : NULL;
}

void linear_solver_set_team(linear_solver *solver, team *t) {
  const solver_instance *const both[] = {&solver->chosen, &solver->blocks};
  solver->team = t;
  for (int i = 0; i < 2; ++i)
    if (both[i]->self && both[i]->type->set_team) both[i]->type->set_team(both[i]->self, t);
}

void linear_solver_destroy(linear_solver *solver) {
  if (!solver) return;
  release(&solver->chosen);
  release(&solver->fallback);
  release(&solver->blocks);
  free(solver->pivot_values);
  free(solver);
}

const char *linear_solver_name(const linear_solver *solver) {
  return solver->active ? solver->active->type->name : solver->chosen.type->name;
}

/* ---- reproducing factorisations ------------------------------------------------------------- */

static torsor_status factor_fallback(linear_solver *solver, const double *Ax);

/* The solver that made the last factorisation. */
enum { NOBODY, CHOSEN, FALLBACK };

/* Restores the pivots: by pivoting again for the remembered values, unless the solver keeps its
 * pivots in data that are restored already. */
static torsor_status pivot_again(linear_solver *solver) {
  const solver_instance *chosen = &solver->chosen;
  if (!solver->pivoted || chosen->type->pivots) return TORSOR_OK;
  const torsor_status status = chosen->type->factor(chosen->self, solver->pivot_values);
  if (status) return status;
  return chosen->type->pivot_ratio(chosen->self) == solver->ratio ? TORSOR_OK : TORSOR_FILE;
}

/* Returns whether the last factorisation's own values are needed to reproduce it. */
static bool needs_values(const linear_solver *solver, int active) {
  if (active == FALLBACK) return true;
  return active == CHOSEN && (solver->reused || solver->chosen.type->pivots);
}

/* Reproduces the last factorisation by the same calls with the same values. */
static torsor_status make_again(linear_solver *solver, int active, const double *Ax) {
  const solver_instance *chosen = &solver->chosen;
  solver->active = NULL;
  torsor_status status = pivot_again(solver);
  if (!status && active == FALLBACK) return factor_fallback(solver, Ax);
  if (!status && needs_values(solver, active)) status = chosen->type->refactor(chosen->self, Ax);
  if (!status && active == CHOSEN) solver->active = chosen;
  return status;
}

/* Walks over the pivots, or over the values for which they were chosen. */
static void walk_pivots(linear_solver *solver, tape *t) {
  const solver_instance *chosen = &solver->chosen;
  if (!solver->pivoted) return;
  if (!chosen->type->pivots) {
    TAPE_ARRAY(t, solver->pivot_values, solver->p->nonzeros);
    return;
  }
  double *pivots = chosen->type->pivots(chosen->self);
  TAPE_ARRAY(t, pivots, solver->p->n);
}

/* The solver that was chosen, after changes. */
enum { NO_BLOCKS, BLOCKS, BLOCKS_APART };

static unsigned char kind_of(const linear_solver *solver) {
  return has_blocks(solver) ? is_apart(solver) ? BLOCKS_APART : BLOCKS : NO_BLOCKS;
}

/* Makes the changes that led to the kind, if there were any. */
static torsor_status become(linear_solver *solver, int kind) {
  torsor_status status = TORSOR_OK;
  if (!has_blocks(solver) && kind != NO_BLOCKS && solver->blocks.self) choose_blocks(solver);
  if (is_apart(solver) && kind == BLOCKS) status = choose_strict(solver);
  return !status && has_blocks(solver) && kind == NO_BLOCKS ? choose_klu(solver) : status;
}

double *linear_solver_walk(linear_solver *solver, double *Ax, tape *t) {
  const size_t nonzeros = (size_t)solver->p->nonzeros;
  if (t->mode == TAPE_TAKE) {
    solver->remembers = true;
    if (!t->status) t->status = make_room(solver);
    return TAPE_WORK(t, Ax, nonzeros);
  }
  int active = !solver->active ? NOBODY : solver->active == &solver->chosen ? CHOSEN : FALLBACK;
  unsigned char kind = kind_of(solver);
  TAPE_VALUE(t, kind);
  if (!t->status) t->status = become(solver, kind);
  TAPE_VALUE(t, active);
  TAPE_VALUE(t, solver->exploded);
  TAPE_VALUE(t, solver->pivoted);
  TAPE_VALUE(t, solver->reused);
  TAPE_VALUE(t, solver->ratio);
  walk_pivots(solver, t);
  if (needs_values(solver, active))
    TAPE_ARRAY(t, Ax, nonzeros);
  else
    TAPE_WORK(t, Ax, nonzeros);
  if (t->mode != TAPE_READ || t->status) return Ax;
  t->status = make_again(solver, active, Ax);
  if (t->status) t->failed = "a factorisation";
  return Ax;
}

/* ---- factorising ----------------------------------------------------------------------------- */

/* Tries to factor by the chosen solver with its old pivots; returns false where these have
 * degraded. */
static bool try_refactor(linear_solver *solver, const double *Ax) {
  const solver_instance *chosen = &solver->chosen;
  if (!solver->pivoted || !chosen->type->refactor) return false;
  if (chosen->type->refactor(chosen->self, Ax)) return false;
  const double ratio = chosen->type->pivot_ratio(chosen->self);
  return ratio > STALE_RATIO * solver->ratio && ratio > SINGULAR_RATIO;
}

static torsor_status factor_fallback(linear_solver *solver, const double *Ax) {
  solver_instance *fallback = &solver->fallback;
  if (!fallback->self) {
    fallback->type = &linear_solver_umfpack;
    const torsor_status status = fallback->type->analyse(&fallback->self, solver->p, NULL);
    if (status) return status;
  }
  torsor_status status = fallback->type->factor(fallback->self, Ax);
  if (!status && !(fallback->type->pivot_ratio(fallback->self) > SINGULAR_RATIO))
    status = TORSOR_SINGULAR;
  if (!status) solver->active = fallback;
  return status;
}

/* Factors by the chosen solver with new pivots; SINGULAR also where the pivots are bad. */
static torsor_status factor_chosen(linear_solver *solver, const double *Ax) {
  const solver_instance *chosen = &solver->chosen;
  const torsor_status status = chosen->type->factor(chosen->self, Ax);
  solver->pivoted = false;
  if (status) return status;
  solver->ratio = chosen->type->pivot_ratio(chosen->self);
  const bool trusted = linear_solver_takes_any(solver) && !is_apart(solver);
  const double least = solver->repeated || trusted ? BAD_REPEATED_GROWTH : BAD_GROWTH;
  solver->pivoted =
      solver->ratio > (trusted ? 0 : SINGULAR_RATIO) && chosen->type->growth(chosen->self) > least;
  return solver->pivoted ? TORSOR_OK : TORSOR_SINGULAR;
}

/* The same; blocks in another order where those of nodes are singular by themselves, blocks again
 * once KLU's factors turn out to be far larger than it promised, and KLU for good where blocks fail
 * and it costs little. */
static torsor_status factor_anew(linear_solver *solver, const double *Ax) {
  torsor_status status = factor_chosen(solver, Ax);
  if (!status && solver->blocks.self) {
    const bool exploded = solver->chosen.type->fill(solver->chosen.self) > EXPLODED;
    if (!exploded) {
      release(&solver->blocks);
      return TORSOR_OK;
    }
    choose_blocks(solver);
    status = factor_chosen(solver, Ax);
  }
  if (status == TORSOR_SINGULAR && is_apart(solver)) {
    status = choose_strict(solver);
    if (!status) status = factor_chosen(solver, Ax);
  }
  if (status != TORSOR_SINGULAR || !has_blocks(solver) || is_costly(solver)) return status;
  status = choose_klu(solver);
  return status ? status : factor_chosen(solver, Ax);
}

void linear_solver_forget(linear_solver *solver) {
  solver->active = NULL;
}

torsor_status linear_solver_factor(linear_solver *solver, const double *Ax) {
  linear_solver_forget(solver);
  if (!vec_is_finite(Ax, solver->p->nonzeros)) return TORSOR_NONFINITE;
  solver->reused = try_refactor(solver, Ax);
  if (!solver->reused) {
    const torsor_status status = factor_anew(solver, Ax);
    const bool has_fallback = solver->chosen.type != &linear_solver_umfpack &&
                              (!has_blocks(solver) || solver->p->n <= MOST_FALLBACK);
    if (status == TORSOR_SINGULAR && has_fallback) return factor_fallback(solver, Ax);
    if (status) return status;
  }
  if (!solver->reused && solver->pivot_values)
    memcpy(solver->pivot_values, Ax, (size_t)solver->p->nonzeros * sizeof *Ax);
  solver->active = &solver->chosen;
  return TORSOR_OK;
}

torsor_status linear_solver_solve(linear_solver *solver, double *x) {
  if (!solver->active) return TORSOR_SINGULAR;
  return solver->active->type->solve(solver->active->self, x);
}

torsor_status linear_solver_solve_changed(linear_solver *solver, double *x,
                                          const solver_change *change) {
  const solver_instance *active = solver->active;
  if (!active) return TORSOR_SINGULAR;
  if (active->type->solve_changed) return active->type->solve_changed(active->self, x, change);
  change->run(change->self, x, SOLVER_PARTS, false);
  const torsor_status status = active->type->solve(active->self, x);
  change->run(change->self, x, SOLVER_PARTS, true);
  return status;
}

int linear_solver_part_of(const linear_solver *solver, int unknown) {
  /* parts of blocks that may take over: others change all unknowns at once */
  const solver_instance *chosen = solver->blocks.self ? &solver->blocks : &solver->chosen;
  return chosen->type->part_of ? chosen->type->part_of(chosen->self, unknown) : 0;
}

int linear_solver_sign(const linear_solver *solver) {
  return solver->active ? solver->active->type->sign(solver->active->self) : 0;
}

int linear_solver_negative(const linear_solver *solver) {
  const solver_instance *active = solver->active;
  return active && active->type->negative ? active->type->negative(active->self) : -1;
}

double linear_solver_pivot_ratio(const linear_solver *solver) {
  return solver->active ? solver->active->type->pivot_ratio(solver->active->self) : 0;
}

double linear_solver_work(const linear_solver *solver) {
  const solver_instance *chosen = &solver->chosen;
  return chosen->type->work ? chosen->type->work(chosen->self) : HUGE_VAL;
}
