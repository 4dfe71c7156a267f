/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_PRIVATE_H
#define TORSOR_ASSEMBLY_PRIVATE_H

/** Shared by the files that make up the assembly. */

#include "assembly/coordinates.h"
#include "assembly/kkt.h"
#include "assembly/node_map.h"
#include "assembly/turning.h"
#include "base/stopwatch.h"

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
  unsigned char *rotation;           /* [nv] 1 = component of a rotation */
  double *B0;                        /* pinned gradient, dense blocks [rows x dofs] */
  element_blocks blocks;
  kkt plain, stabilised, *factored;
  turning turning;
  bool follows;        /* the matrix last factored turns with the bodies */
  bool recallable;     /* the stabilised matrix is factored... */
  bool recalled_turns; /* ... and turns with the bodies */
  kkt mass;            /* made when it is first asked for */
  int *stress_first;   /* [elements] place in `stress` */
  int stresses;
  double *stress;     /* [stresses] foreseen stresses of the elements, */
  bool foreseen;      /* which count in tangents */
  const char *solver; /* name */
  double load;        /* for functions that use it */
  double factor;      /* of gravity and given forces */
  int failed;         /* element whose evaluation failed last, -1 = none */
  stopwatch *watch;   /* NULL: nothing is timed */
};

/** Remember which element's evaluation failed; returns the status. */
static inline torsor_status assembly_fail(assembly *a, int element, torsor_status status) {
  a->failed = element;
  return status;
}

/** eval of an element, with the tangents by differences where its type wants them so. */
torsor_status assembly_eval(const assembly *a, int element, const torsor_element_in *in,
                            torsor_element_out *out);

/** Memory for the stresses of elements, and what moves in it. */
torsor_status assembly_create_stresses(assembly *a);
void stresses_walk(assembly *a, tape *t);

/** Whether the problem is conservative, and if not, the element that is in the way. */
torsor_status assembly_find_obstacle(assembly *a);

/** M, C, K, Z and L of an element by central differences of eval. */
torsor_status numeric_tangent(const model_element *element, const torsor_element_in *in,
                              torsor_element_out *out);

/** Assemble the matrix of `weights` into `k` (not factored). */
torsor_status assembly_fill(assembly *a, kkt *k, const torsor_point *p,
                            const torsor_weights *weights);

/** What an element sees where its tangents are asked for: with the stresses that were foreseen. */
torsor_element_in assembly_tangent_in(const assembly *a, int i, const torsor_point *p);

#endif
