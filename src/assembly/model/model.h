/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_MODEL_H
#define TORSOR_ASSEMBLY_MODEL_H

/** The insides of a model, for the assembly and the analyses. */

#include <torsor/model.h>

#include "base/arena.h"
#include "liegroup/group.h"

/* Most joint coordinates and most numbers of further signals that one element may have. */
enum { ELEMENT_COORDINATES = 12, ELEMENT_OUTPUTS = 24 };

typedef struct model_node {
  torsor_node_init init;
  const struct group_ops *group;
  int element; /* body that made it */
  int first_q; /* place in q */
  int first_v; /* place in v */
} model_node;

/** A value that changes while a run goes on, as its caller has it. */
typedef struct model_input {
  const char *name, *unit, *doc;
  double value;  /* with which runs begin */
  bool moves;    /* a joint has rows that depend on it: its rates must not jump in a step */
  int positions; /* element that gets its position from it, so that the value must not jump at all;
                    -1 = none */
} model_input;

typedef struct model_element {
  const torsor_element_type *type;
  const char *name;
  void *instance;
  void *given; /* the instance before `prepare` */
  void *spare; /* runs that change numbers of the element: memory of the same size; else NULL */
  int nodes, node[TORSOR_ELEMENT_NODES];
  bool body; /* its first node is its own: a frame that others may hold */
  bool dissipative;
  int rows, first_row;
  int nonholonomic;     /* how many of the rows, the last ones */
  int dofs;             /* velocities of its nodes together */
  int first_coordinate; /* joint coordinates, place in the model's */
  int coordinates;
  const m3 *ground_axes; /* rows 0..2 are a vector along these (torsor_setup); NULL: they are not */
  int seen_from;         /* index of a node: the force turns with it (torsor_setup); -1 = none */
  const m3 *seen_axes;   /* in which axes of that node it has components; NULL: the node's own */
  int reaction_of;       /* element whose multipliers it depends on, -1 = none */
  int reaction_rows;     /* how many those are */
  bool waits;            /* a force that does not act at the start */
  bool shaped;           /* a body that looks like this: */
  const torsor_solid *solid;
  int solids;
  int parts; /* of the first element of a composite: how many belong to it, itself included */
} model_element;

/** Element called `name`, or -1. */
int builder_find(const torsor_builder *builder, const char *name);

/** The same for a force of one element or many: the first one. */
int builder_find_force(const torsor_builder *builder, const char *name);

/** The model being built. */
torsor_model *builder_model(const torsor_builder *builder);

/** Period of the element's coordinate k, 0 = none. */
double model_period(const model_element *element, int k);

/* Bodies in a row. */
typedef struct model_chain {
  const char *name;
  int first, count; /* elements */
  torsor_chain nodes;
} model_chain;

struct torsor_model {
  arena memory;
  v3 gravity;
  int node_count, element_count;
  model_node *node;
  model_element *element;
  int chain_count;
  model_chain *chain;
  int nq, nv, nl;
  int nonholonomic;     /* rows of that kind among nl */
  int coordinate_count; /* joint coordinates */
  bool reactive;        /* forces depend on multipliers */
  bool one_thread;      /* a callback may be called by one thread at a time only */
  int controllers;
  torsor_controller *controller; /* [controllers] */
  void **controller_memory; /* [controllers] what their callbacks remember where a run begins */
  int inputs;
  model_input *input; /* [inputs] */
  bool follows_load;  /* a function of the scene uses the load */
  double length;      /* largest lever arm, m */
  const torsor_solid *ground_solid;
  int ground_solids;
  int event_count;
  torsor_event *event;
};

/** Prepare `instance`, which has another number than element `element` of the model under the key
 * `key`, in the place of that element. ARGUMENT where it is not good, or the model would have to be
 * numbered anew. */
torsor_status model_prepare_changed(void *instance, const torsor_model *model, int element,
                                    const char *key, torsor_error *error);

/** Find whether callbacks of a complete model want one thread. */
void model_note_callbacks(torsor_model *model);

/** Find what the inputs of a complete model reach. */
void model_reach_inputs(torsor_model *model);

/** Scale of a model's positions, m: half of the largest extent of the nodes' origins, and the lever
 * arms; 1 where all of that is 0. */
double model_size(const torsor_model *model);

#endif
