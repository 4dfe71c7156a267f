/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_SPACES_H
#define TORSOR_SCENE_SPACES_H

/** Assemblies: instances of models, which are parts of a scene with parameters of their own. */

#include "assembly/model/model.h"
#include "base/arena.h"
#include "scene/reader.h"

/** A model, with the values of the instance that is being read. */
typedef struct scene_model {
  struct scene_model *next;
  const char *name;
  json_node node, assemblies;
  expression_scope scope;
  expression_cache cache;
  const double *fallback; /* [scope.count] values of parameters that an instance does not give */
} scene_model;

/** An instance of a model; the last one in a list is the scene itself. */
typedef struct scene_space {
  struct scene_space *next;
  const struct scene_space *outer; /* that in which it stands; NULL: the scene's */
  scene_model *model;              /* NULL: the scene */
  model_space names;
  const char *name; /* in the whole scene */
  const double *value;
  const char *in; /* body, marker or assembly in which it stands, as `outer` names it; NULL: none */
  se3 frame;      /* in there */
  bool moved;     /* it, or one around it, has a frame of its own */
  json_node place; /* the object that makes it */
} scene_space;

typedef struct scene_spaces {
  arena memory;
  json_node root, models, assemblies;
  scene_model *model;
  scene_space *first, *last;
} scene_spaces;

/** Find all instances: those in others come before these, and the scene itself is the last.  `root`
 *  and `r` outlive them.  To be released even after a failure. */
torsor_status spaces_find(scene_spaces *out, const cJSON *root, const reader *r);
void spaces_release(scene_spaces *spaces);

/** The reader of what stands in the space: with its parameters. */
reader space_reader(const scene_space *space, const reader *r);

/** Its list "bodies", "joints", ... `root` is that of the scene. */
json_node space_list(const scene_space *space, const json_node *root, const char *key);

/** The name of an element in the whole scene; `room` is for what the prefix makes. */
const char *space_full_name(const scene_space *space, const char *name, char room[MODEL_NAME_ROOM]);

/** The names for the builder; NULL: those of the scene. */
const model_space *space_names(const scene_space *space);

/** Add the instance to the message of a failure: " (in left)". */
torsor_status space_annotate(const scene_space *space, const reader *r, torsor_status status);

#endif
