/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_MESH_INP_H
#define TORSOR_SCENE_MESH_INP_H

/** Finite-element meshes: the input files (.inp) of Abaqus and CalculiX. */

#include <torsor/base.h>
#include <torsor/lie.h>

/** Where something stands. */
typedef struct mesh_place {
  int file; /* index of mesh.file */
  int line; /* from 1 */
} mesh_place;

typedef struct mesh_node {
  long id; /* number in the file */
  v3 x;    /* in the file's unit */
  mesh_place place;
} mesh_node;

/** An element; its type is the word of the file, e.g. "C3D8" or "S4". */
typedef struct mesh_element {
  long id;
  char type[12];
  int count, first; /* its nodes are mesh.member[first] to mesh.member[first + count - 1] */
  mesh_place place;
} mesh_element;

/** A set of nodes or of elements: indices mesh.member[first] .. of these, ascending, each once. */
typedef struct mesh_set {
  char name[84];
  int count, first;
  mesh_place place; /* of its keyword */
} mesh_set;

typedef struct mesh {
  char (*file)[320]; /* [files] names: of the file that was asked for, then of included ones */
  int files;
  int nodes, elements, node_sets, element_sets, members;
  mesh_node *node;       /* [nodes], ascending ids */
  mesh_element *element; /* [elements], in the order of the file */
  mesh_set *node_set, *element_set;
  int *member; /* [members] */
} mesh;

/** Reads nodes, elements and sets of a flat input file and of the files that it includes; all other
 *  keywords are passed over.  Errors name the file and the line: a node twice, an element or a set
 *  with a node that does not exist, parts and instances.  mesh_release follows also a failure. */
torsor_status mesh_read_inp(mesh *out, const char *file, torsor_error *error);
void mesh_release(mesh *m);

/** Fails with TORSOR_SCENE at a place of the mesh. */
torsor_status mesh_fail(const mesh *m, mesh_place place, torsor_error *error, const char *hint,
                        const char *format, ...) TORSOR_PRINTF(5, 6);

/** Returns the index of the node with this number, or -1. */
int mesh_find_node(const mesh *m, long id);

/** Returns the set of this name (in any case of letters), or NULL. */
const mesh_set *mesh_find_node_set(const mesh *m, const char *name);
const mesh_set *mesh_find_element_set(const mesh *m, const char *name);

/** Returns the names of the sets, separated by commas, for messages: out [size]. */
const char *mesh_list_sets(char *out, size_t size, const mesh_set *set, int count);

#endif
