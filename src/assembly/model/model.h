/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_MODEL_H
#define TORSOR_ASSEMBLY_MODEL_H

/** The internal form of a model, for the assembly and the analyses. */

#include <torsor/model.h>

#include "base/arena.h"
#include "liegroup/group.h"

/* Most joint coordinates and most numbers of further signals that one element may have. */
enum { ELEMENT_COORDINATES = 12, ELEMENT_OUTPUTS = 24 };

typedef struct model_node {
  torsor_node_init init;
  const struct group_ops *group;
  int element; /* body that declared it */
  int first_q; /* first index in q */
  int first_v; /* first index in v */
} model_node;

/** An input: a value that the caller of a run may change while it goes on. */
typedef struct model_input {
  const char *name, *unit, *doc;
  double value;    /* value with which runs begin */
  double range[2]; /* least and largest value that callers may give */
  bool moves;    /* a joint has rows that depend on it: its rates must not jump in a step */
  int positions; /* element whose position depends on it, so that the value must not jump at all; -1
                    = none */
} model_input;

typedef struct model_element {
  const torsor_element_type *type;
  const char *name;
  void *instance;
  void *given; /* the instance before `prepare` */
  /* Memory of the same size for runs that change parameters of the element; else NULL. */
  void *spare;
  int nodes, *node;
  bool body; /* its first node is its own: a frame to which others may attach */
  bool dissipative;
  int rows, first_row;
  int nonholonomic;     /* number of nonholonomic rows, which are the last ones */
  int dofs;             /* velocities of its nodes together */
  int first_coordinate; /* first of its joint coordinates among those of the model */
  int coordinates;
  const m3
      *ground_axes; /* rows 0..2 are a vector along these axes (torsor_setup); NULL: they are not */
  int seen_from;    /* index of the node with which the force rotates (torsor_setup); -1 = none */
  const m3 *seen_axes; /* axes of the force's components in that node; NULL: the node's own */
  int reaction_of;     /* element on whose multipliers its force depends, -1 = none */
  int reaction_rows;   /* number of these multipliers */
  bool alone;          /* its tangents are those of each node by itself (torsor_setup) */
  int states;          /* count of numbers that it keeps from step to step */
  bool waits;          /* a force that does not act at the start */
  bool shaped;         /* a body that has solids to draw: */
  const torsor_solid *solid;
  int solids;
  int parts; /* of the first element of a composite: number of its elements, itself included */
} model_element;

/** Count of numbers in each of its M, C and K, and place of the block of two of its nodes. */
static inline size_t element_square(const model_element *e) {
  return 36 * (size_t)e->nodes * (e->alone ? 1 : (size_t)e->nodes);
}

/** Returns the solids of the body that makes the node, or of the ground (torsor_setup). */
const torsor_solid *model_solids(const void *model, int node, int *count);

/** Fails where the tangents of an element are those of each of its nodes alone (torsor_setup), so
 *  that `what` cannot be found. */
/** ARGUMENT where a value is outside of the range of input i. */
torsor_status model_check_input(const torsor_model *model, int i, double value,
                                torsor_error *error);
torsor_status model_check_tangents(const torsor_model *model, const char *what,
                                   torsor_error *error);

/** Names that mean something else within a part of the scene. */
typedef struct model_alias {
  const struct model_alias *next;
  const char *name, *stands_for; /* the latter as the part around has it */
} model_alias;

/** A part of the scene in which names begin with a prefix that is not written there. */
typedef struct model_space {
  const struct model_space *outer; /* NULL: the scene */
  const char *prefix;
  const model_alias *alias;
} model_space;

/** Lets names that are looked up from here on be those of `space`; NULL: of the scene. */
void builder_enter(torsor_builder *builder, const model_space *space);

/** The first character of names of the whole scene that are not to be looked up in a space. */
#define MODEL_WHOLE '/'

/** Longest name with what follows its dots, and its end. */
enum { MODEL_NAME_ROOM = 256 };

/** Name of `name`, "arm", "arm.angle" or "wing[3]", in the whole scene, where it is looked up from
 *  inside out: `name` itself where there is no such element within the space, else `room`. */
const char *builder_name(const torsor_builder *builder, const char *name,
                         char room[MODEL_NAME_ROOM]);

/** The same with any way to know an element. */
const char *space_name(const model_space *space, const char *name, char room[MODEL_NAME_ROOM],
                       bool (*known)(const void *self, const char *name), const void *self);

/** Returns the element called `name`, or -1. */
int builder_find(const torsor_builder *builder, const char *name);

/** Returns the force called `name`, or the first of its elements where it is a composite one; or
 * -1. */
int builder_find_force(const torsor_builder *builder, const char *name);

/** Does the same for a force or a joint. */
int builder_find_switched(const torsor_builder *builder, const char *name);

/** Returns the model that is being built. */
torsor_model *builder_model(const torsor_builder *builder);

/** Adds the chain of `nodes`, whose arrays are copied and whose frames are found here.  Returns
 * false without memory. */
bool model_add_chain(torsor_model *model, const char *name, torsor_chain nodes);

/** Adds a surface of facets with these nodes [4 x count].  Returns false without memory. */
bool model_add_surface(torsor_model *model, const char *name, const int *node, int count);

/** Returns the period of the element's coordinate k, 0 = none. */
double model_period(const model_element *element, int k);

/** Finds a coordinate by its name or, where `rate` is not NULL, the rate of one. */
torsor_status model_find_coordinate(torsor_coordinate_ref *out, bool *rate,
                                    const torsor_builder *builder, const char *name,
                                    torsor_error *error);

/* A chain: bodies in a row that make up a composite element, or an edge of one. */
typedef struct model_chain {
  struct model_chain *next;
  const char *name;
  torsor_chain nodes;
} model_chain;

/** Returns the body at place k of a chain. */
int model_chain_body(const torsor_model *model, const model_chain *chain, int k);

/* The facets of a shell. */
typedef struct model_surface {
  struct model_surface *next;
  const char *name;
  torsor_surface facets;
} model_surface;

struct torsor_model {
  arena memory;
  v3 gravity;
  int node_count, element_count;
  model_node *node;
  model_element *element;
  model_chain *chain;     /* the first one, in the order of the scene */
  model_surface *surface; /* the same */
  int nq, nv, nl;
  int nonholonomic;     /* number of nonholonomic rows among nl */
  int coordinate_count; /* number of joint coordinates */
  bool reactive;        /* some force depends on multipliers */
  bool one_thread;      /* a callback may be called by one thread at a time only */
  int controllers;
  torsor_controller *controller; /* [controllers] */
  void **controller_memory;      /* [controllers] initial memory of their callbacks */
  int inputs;
  model_input *input; /* [inputs] */
  bool follows_load;  /* a function of the scene uses the load */
  double length;      /* largest lever arm, m */
  int most_nodes;     /* largest number of nodes of an element, 1 at least */
  size_t most_square; /* largest count of numbers of an element's M, C or K */
  const torsor_solid *ground_solid;
  int ground_solids;
  int event_count;
  torsor_event *event;
  int derived_count;
  torsor_derived *derived; /* [derived_count] signals that are expressions in others */
};

/** Prepares `instance`, a copy of the instance of element `element` with another value under `key`,
 * to take the place of that instance.  Fails with ARGUMENT where the value is not valid, or where
 * the model would have to be numbered anew. */
torsor_status model_prepare_changed(void *instance, const torsor_model *model, int element,
                                    const char *key, torsor_error *error);

/** Finds whether callbacks of a complete model must be called by one thread at a time. */
void model_note_callbacks(torsor_model *model);

/** Finds which elements depend on the inputs of a complete model. */
void model_reach_inputs(torsor_model *model);

/** Returns a scale of a model's positions, m: half of the largest extent of the nodes' origins,
 * with the lever arms; 1 where all of that is 0. */
double model_size(const torsor_model *model);

#endif
