/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_PRIVATE_H
#define TORSOR_ASSEMBLY_PRIVATE_H

/** Declarations that the files of the assembly share. */

#include "assembly/accelerator.h"
#include "assembly/coordinates.h"
#include "assembly/guards.h"
#include "assembly/histories.h"
#include "assembly/kkt.h"
#include "assembly/node_map.h"
#include "assembly/partition.h"
#include "assembly/corotation.h"
#include "base/stopwatch.h"
#include "base/team.h"
#include "elements/registry.h"

/** Dense blocks of one element, with room for the largest one of the model: n is 6 times its
 *  nodes. */
typedef struct element_blocks {
  double phi[TORSOR_ELEMENT_ROWS], phi_v[TORSOR_ELEMENT_ROWS], phi_a[TORSOR_ELEMENT_ROWS];
  double *r;         /* [n] */
  double *B, *Z;     /* [TORSOR_ELEMENT_ROWS x n] */
  double *M, *C, *K; /* [n x n] */
  double *L;         /* [n x TORSOR_ELEMENT_ROWS] */
} element_blocks;

/** Outputs of one element for a residual. */
typedef struct residual_block {
  double *r, phi[TORSOR_ELEMENT_ROWS], phi_v[TORSOR_ELEMENT_ROWS];
} residual_block;

/** Memory for the evaluation of the elements of one subdomain, and the first element that failed
 * there, or -1. */
typedef struct subdomain_work {
  element_blocks blocks;
  residual_block residual[2]; /* elements go two at a time where they can */
  int failed;
  torsor_status status;
} subdomain_work;

/** Factor on moments of inertia in the metric of corrections: bodies rotate about joints and not
 * about their centres (a rod about its end has four times the moment).  Factors from 2 to 12 serve:
 * near 1 a four-bar that multiplies errors is off by three times as much, and dead centres are
 * passed less surely. */
#define NODE_TURNS 7.0

/** Weights of one node in the metric of corrections: mass, and moments of inertia about its axes
 * over a mass, m^2. */
typedef struct node_inertia {
  double mass, moment[3];
} node_inertia;

struct assembly {
  arena memory;
  const torsor_model *model;
  torsor_problem problem;
  torsor_motion *motion;             /* [nodes] */
  double (*wrench)[6];               /* [nodes] residual in body axes */
  node_map *map;                     /* [nodes] */
  const torsor_motion *const **seen; /* [elements][nodes] motions that are inputs of an element */
  unsigned char *nonholonomic;       /* [nl] 1 = nonholonomic row; NULL: no such rows */
  bool *active;                      /* [elements] false = it does not act now */
  int released;                      /* number of joints among them */
  unsigned char *ignored;            /* [nl] 1 = row that is left out (assembly_ignore_rows) */
  bool ignores;                      /* some row is */
  coordinates coordinates;           /* joint coordinates, followed over the steps */
  guards guards;                     /* joints that are checked after each step */
  histories histories;               /* numbers that elements keep from step to step */
  bool hold;                         /* for tangents: see torsor_problem */
  unsigned char *rotation;           /* [nv] 1 = component of a rotation */
  unsigned char *unitless;           /* [nq] 1 = part of a quaternion */
  node_inertia *inertia;             /* [nodes] the metric of corrections */
  double *metric;                    /* [nv] square roots of its weights */
  bool weighs;                       /* the metric has been found */
  double *B0; /* constraint gradient frozen at the start of a step, by blocks [rows x dofs] */
  int *first_gradient;  /* [elements] start of an element's block in B0 */
  team *team;           /* NULL: one thread */
  partition partition;  /* subdomains of the threads */
  subdomain_work *work; /* [subdomains] */
  kkt plain, stabilised, *factored;
  bool stabilises; /* `stabilised` may be asked for, and is then made */
  kkt *recalled;   /* matrix that steps used last, as long as it is factored; or NULL */
  corotation corotation, corotation_aside; /* corotation of the matrix of steps, and of `aside` */
  bool aside_kept;                         /* `aside` contains the matrix of accelerations */
  bool follows;        /* the matrix factored last is corotated with the bodies */
  bool recalled_turns; /* so is the recalled one */
  /* Matrices that are made when they are first needed: `whole` has all of K, where `plain` is
   * decoupled, and serves steps where rows depend on each other; `aside` is for systems that must
   * leave `plain` alone; `correction` moves positions onto their constraints. */
  kkt mass, whole, aside, correction;
  accelerator accelerator;      /* accelerations of rigid bodies without a matrix of all unknowns */
  accelerator corrector;        /* does the same as `correction` by the multipliers alone */
  int *corrector_rows;          /* [elements] index of an element's rows there */
  bool corrects;                /* the corrector has been sought */
  bool by_multipliers;          /* it serves the matrix factored last, in place of `correction` */
  bool splits, recalled_splits; /* the matrix factored last, or the recalled one, is used together
                                   with `correction` */
  int *stress_first;            /* [elements] start of an element's stresses in `stress` */
  int stresses;
  double *stress;                    /* [stresses] foreseen stresses of the elements */
  bool foreseen;                     /* the foreseen stresses enter tangents */
  const char *solver;                /* name */
  double load;                       /* load, for functions that use it */
  struct torsor_complaint complaint; /* message of a callback that fails */
  torsor_now now;                    /* arguments of functions at the point last set */
  void (*past)(void *self, double t, double *input); /* see assembly_set_past */
  void *past_self;
  double *since, *given; /* [inputs], [3 inputs] time at which inputs were set, with value, rate and
                            second derivative there */
  double *input;         /* [3 inputs] the same at the point last set */
  double factor;         /* factor of gravity and given forces */
  int failed;            /* element whose evaluation failed last, -1 = none */
  stopwatch *watch;      /* NULL: nothing is timed */
};

/** Remembers which element's evaluation failed, and returns the status. */
static inline torsor_status assembly_fail(assembly *a, int element, torsor_status status) {
  a->failed = element;
  return status;
}

/** Sets the outputs of an element's ignored rows to zero. */
void assembly_clear_ignored(const assembly *a, const model_element *e, torsor_element_out *out);

/** Returns the input of element `i`; see assembly_element_in. */
static inline torsor_element_in element_in(const assembly *a, int i, const torsor_point *p) {
  static const double no_reaction[TORSOR_ELEMENT_ROWS];
  const model_element *e = &a->model->element[i];
  torsor_element_in in = {.now = &a->now,
                          .load = a->factor,
                          .node = a->seen[i],
                          .lambda = p->lambda ? p->lambda + e->first_row : NULL,
                          .coordinate = a->coordinates.expected,
                          .reaction = no_reaction,
                          .state = histories_at(&a->histories, i, p->t),
                          .hold = a->hold};
  if (p->lambda && e->reaction_rows)
    in.reaction = p->lambda + a->model->element[e->reaction_of].first_row;
  return in;
}

/** Runs the work of all subdomains, by threads, and waits for them. */
static inline void assembly_run(const assembly *a, team_work *work, void *self) {
  team_run(a->team, a->partition.count, work, self);
}

/** Does subdomain s own the node? */
static inline bool assembly_owns(const assembly *a, int s, int node) {
  return a->partition.owner[node] == s;
}

static inline void work_fail(subdomain_work *work, int element, torsor_status status) {
  work->failed = element;
  work->status = status;
}

/** Returns the status of the first element that failed in any subdomain, and remembers that
 * element. */
torsor_status assembly_first_failure(assembly *a);

/** Evaluates the residual r [nv], phi and phi_v [nl] of the problem; NULL stands for results that
 * are not wanted. */
torsor_status assembly_residual(assembly *a, const torsor_point *p, double *r, double *phi,
                                double *phi_v);

/** Implements `accelerate` of torsor_problem, and `solve` after it. */
torsor_status assembly_accelerate(assembly *a, const torsor_point *p, double *v, double *lambda,
                                  double m);
void assembly_solve_accelerated(assembly *a, double *x);

/** Makes the matrix that every model has. */
torsor_status assembly_make_plain(assembly *a);

/** Sets the problem's functions that handle matrices; and walks over everything in the matrices
 * that changes during a run, with those that are made on demand. */
void assembly_set_systems(assembly *a);
void assembly_walk_matrices(assembly *a, tape *t);

/** Returns the index-3 matrix whose pattern has all tangents; assembly_make_whole must have been
 * called. */
static inline const kkt *assembly_whole(const assembly *a) {
  return a->whole.solver ? &a->whole : &a->plain;
}

/** Finds the weights of the metric of corrections, of [nodes]: masses over the mass of the mean
 * node, divided by the square of its radius of gyration; and NODE_TURNS times the moments of
 * inertia over the mean one.  Nodes without mass or moment get the mean ones. */
void assembly_find_inertias(node_inertia *of, assembly *a, const torsor_point *p);

/** Finds the metric of corrections, once. */
void assembly_find_metric(assembly *a, const torsor_point *p);

/** Implement row_sizes and scales of torsor_problem. */
void assembly_row_sizes(assembly *a, const torsor_point *p, double *moved, double *turned);
void assembly_system_scales(assembly *a, const torsor_point *p, torsor_scales *out);

/** Makes the corrector, once; it is not usable where rows are nonholonomic. */
torsor_status assembly_make_corrector(assembly *a);
/** Sets the weights of the corrector, into which gradients B are then put. */
void assembly_weigh_corrector(assembly *a);
/** Corrects x [nv + nl] as `solve_correction` does, by the corrector. */
void assembly_solve_corrector(assembly *a, double *x, torsor_correction wanted);
/** Walks over its numbers (base/tape.h). */
void assembly_walk_corrector(assembly *a, tape *t);

/** Freeze the gradient B0 of the constraints at q or, if `weighed`, the gradient in the metric of
 * corrections; and find out [nv] = B0^T s. */
torsor_status assembly_freeze_gradient(assembly *a, double t, const double *q, bool weighed);
void assembly_gradient_force(const assembly *a, double *out, const double *s);

/** Take the memory for the foreseen stresses of elements, and walk over it (base/tape.h). */
torsor_status assembly_create_stresses(assembly *a);
void stresses_walk(assembly *a, tape *t);

/** Finds whether the problem is conservative and, if it is not, an element that prevents it. */
torsor_status assembly_find_conservative(assembly *a);

/** Finds M, C, K, Z and L of an element by central differences of its eval, with steps in
 * proportion to a length of the model. */
torsor_status numeric_tangent(const model_element *element, const torsor_element_in *in,
                              torsor_element_out *out, double length);

/** Assembles the matrix of `weights` into `k`, without factoring it. */
torsor_status assembly_fill(assembly *a, kkt *k, const torsor_point *p,
                            const torsor_weights *weights);

/** Returns the input of an element for its tangents: with the foreseen stresses. */
torsor_element_in assembly_tangent_in(const assembly *a, int i, const torsor_point *p);

#endif
