/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_PRIVATE_H
#define TORSOR_ASSEMBLY_PRIVATE_H

/** Shared by the files that make up the assembly. */

#include "assembly/coordinates.h"
#include "assembly/guards.h"
#include "assembly/kkt.h"
#include "assembly/node_map.h"
#include "assembly/shares.h"
#include "assembly/turning.h"
#include "base/stopwatch.h"
#include "base/team.h"
#include "elements/registry.h"

enum { ELEMENT_SIZE = 6 * TORSOR_ELEMENT_NODES };

/** Dense blocks of one element. */
typedef struct element_blocks {
  double phi[TORSOR_ELEMENT_ROWS], phi_v[TORSOR_ELEMENT_ROWS], phi_a[TORSOR_ELEMENT_ROWS];
  double r[ELEMENT_SIZE];
  double B[TORSOR_ELEMENT_ROWS * ELEMENT_SIZE], Z[TORSOR_ELEMENT_ROWS * ELEMENT_SIZE];
  double M[ELEMENT_SIZE * ELEMENT_SIZE], C[ELEMENT_SIZE * ELEMENT_SIZE];
  double K[ELEMENT_SIZE * ELEMENT_SIZE];
  double L[ELEMENT_SIZE * TORSOR_ELEMENT_ROWS];
} element_blocks;

/** Values of one element that a residual takes. */
typedef struct residual_block {
  double r[ELEMENT_SIZE], phi[TORSOR_ELEMENT_ROWS], phi_v[TORSOR_ELEMENT_ROWS];
} residual_block;

/** Memory that a share of the elements is evaluated with, and the first one that failed, -1 =
 * none. */
typedef struct share_work {
  element_blocks blocks;
  residual_block residual[2]; /* elements go two at a time where they can */
  int failed;
  torsor_status status;
} share_work;

/** Turns count more than moments of inertia alone let them: bodies turn about joints, not about
 * their centres (a rod about its end has four times the moment).  Factors from 2 to 12 serve: near
 * 1 a four-bar that multiplies errors is off by three times as much, and dead centres are passed
 * less surely. */
#define NODE_TURNS 7.0

/** Of a node: mass, and moments of inertia about its axes, m^2, in parts of a mass. */
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
  const torsor_motion *const **seen; /* [elements][nodes] motions that an element sees */
  unsigned char *nonholonomic;       /* [nl]; NULL: no such rows */
  bool *active;                      /* [elements] false = a force that does not act now */
  coordinates coordinates;           /* followed over the steps */
  guards guards;                     /* joints that are looked at after each step */
  unsigned char *rotation;           /* [nv] 1 = component of a rotation */
  unsigned char *unitless;           /* [nq] 1 = part of a quaternion */
  node_inertia *inertia;             /* [nodes] the metric of corrections, ... */
  double *metric;                    /* [nv] ... the roots of its weights, ... */
  bool weighs;                       /* ... once it is known */
  double *B0;                        /* pinned gradient, dense blocks [rows x dofs]... */
  int *first_gradient;               /* ... [elements] and where an element's begins */
  team *team;                        /* NULL: one thread */
  shares shares;                     /* of the threads */
  share_work *work;                  /* [shares] */
  kkt plain, stabilised, *factored;
  bool stabilises; /* `stabilised` may be asked for, and is made then */
  kkt *recalled; /* what steps were last solved with, as long as it is factored; NULL: there is none
                  */
  turning turning, turning_aside; /* of what steps are solved with, and of `aside` */
  bool aside_kept;                /* that is of accelerations */
  bool follows;                   /* the matrix last factored turns with the bodies... */
  bool recalled_turns;            /* ... and the recalled one does */
  /* Made when they are first asked for; `whole` has all of K, where plain is narrow, and is for
   * steps where rows depend on each other, `aside` is for what must leave plain alone, `correction`
   * moves positions onto their constraints. */
  kkt mass, whole, aside, correction;
  bool splits, recalled_splits; /* the matrix last factored, or the recalled one, goes with that of
                                   corrections */
  int *stress_first;            /* [elements] place in `stress` */
  int stresses;
  double *stress;                    /* [stresses] foreseen stresses of the elements, */
  bool foreseen;                     /* which count in tangents */
  const char *solver;                /* name */
  double load;                       /* for functions that use it */
  struct torsor_complaint complaint; /* of a callback that fails */
  torsor_now now;                    /* what functions see at the point last set */
  double *since, *given; /* [inputs], [3 inputs] time at which inputs were given, value, rate and
                            second derivative there */
  double *input;         /* [3 inputs] the same at the point last set */
  double factor;         /* of gravity and given forces */
  int failed;            /* element whose evaluation failed last, -1 = none */
  stopwatch *watch;      /* NULL: nothing is timed */
};

/** Remember which element's evaluation failed; returns the status. */
static inline torsor_status assembly_fail(assembly *a, int element, torsor_status status) {
  a->failed = element;
  return status;
}

/** See assembly_element_in. */
static inline torsor_element_in element_in(const assembly *a, int i, const torsor_point *p) {
  static const double no_reaction[TORSOR_ELEMENT_ROWS];
  const model_element *e = &a->model->element[i];
  torsor_element_in in = {.now = &a->now,
                          .load = a->factor,
                          .node = a->seen[i],
                          .lambda = p->lambda ? p->lambda + e->first_row : NULL,
                          .coordinate = a->coordinates.expected,
                          .reaction = no_reaction};
  if (p->lambda && e->reaction_rows)
    in.reaction = p->lambda + a->model->element[e->reaction_of].first_row;
  return in;
}

/** The work of each share, and wait for all. */
static inline void assembly_run(const assembly *a, team_work *work, void *self) {
  team_run(a->team, a->shares.count, work, self);
}

/** Is the node one of share s? */
static inline bool assembly_owns(const assembly *a, int s, int node) {
  return a->shares.owner[node] == s;
}

static inline void work_fail(share_work *work, int element, torsor_status status) {
  work->failed = element;
  work->status = status;
}

/** After shares were evaluated: the status of the first element that failed, which is
 * remembered. */
torsor_status assembly_first_failure(assembly *a);

/** Residual r [nv], phi and phi_v [nl], as of the problem; what is NULL is not wanted. */
torsor_status assembly_residual(assembly *a, const torsor_point *p, double *r, double *phi,
                                double *phi_v);

/** The matrix that every model has. */
torsor_status assembly_make_plain(assembly *a);

/** The problem's calls that have to do with matrices, and all of these that moves, with those that
 * are made on demand. */
void assembly_set_systems(assembly *a);
void assembly_walk_matrices(assembly *a, tape *t);

/** The index-3 matrix that has the pattern of all tangents, once assembly_make_whole was called. */
static inline const kkt *assembly_whole(const assembly *a) {
  return a->whole.solver ? &a->whole : &a->plain;
}

/** of [nodes] = weights of the metric of corrections: masses over that of the mean node, divided by
 * the square of its radius of gyration; a multiple of moments of inertia over the mean one.  Nodes
 * without any have the mean ones. */
void assembly_find_inertias(node_inertia *of, assembly *a, const torsor_point *p);

/** The metric of corrections, once. */
void assembly_find_metric(assembly *a, const torsor_point *p);

/** See torsor_problem. */
void assembly_row_sizes(assembly *a, const torsor_point *p, double *moved, double *turned);
void assembly_system_scales(assembly *a, const torsor_point *p, torsor_scales *out);

/** Keep the gradient B0 of the constraints at q, or `weighed` that in the metric of corrections,
 * and out [nv] = B0^T s. */
torsor_status assembly_pin(assembly *a, double t, const double *q, bool weighed);
void assembly_pinned_force(const assembly *a, double *out, const double *s);

/** eval of an element, with the tangents by differences where its type wants them so. */
torsor_status assembly_eval(const assembly *a, int element, const torsor_element_in *in,
                            torsor_element_out *out);

/** Memory for the stresses of elements, and what moves in it. */
torsor_status assembly_create_stresses(assembly *a);
void stresses_walk(assembly *a, tape *t);

/** Whether the problem is conservative, and if not, the element that is in the way. */
torsor_status assembly_find_obstacle(assembly *a);

/** M, C, K, Z and L of an element by central differences of eval, in parts of a length that the
 * element belongs to. */
torsor_status numeric_tangent(const model_element *element, const torsor_element_in *in,
                              torsor_element_out *out, double length);

/** Assemble the matrix of `weights` into `k` (not factored). */
torsor_status assembly_fill(assembly *a, kkt *k, const torsor_point *p,
                            const torsor_weights *weights);

/** An element sees this where its tangents are asked for: with the stresses that were foreseen. */
torsor_element_in assembly_tangent_in(const assembly *a, int i, const torsor_point *p);

#endif
