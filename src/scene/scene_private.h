/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_PRIVATE_H
#define TORSOR_SCENE_PRIVATE_H

#include <torsor/scene.h>

#include "base/arena.h"
#include "scene/blocks.h"
#include "scene/files.h"
#include "scene/functions.h"
#include "scene/include.h"
#include "scene/reader.h"
#include "scene/relays.h"
#include "scene/samples.h"
#include "scene/sensitivities.h"

struct torsor_scene {
  arena memory;
  char *text; /* as read, behind a byte order mark; zero-terminated */
  cJSON *root;
  scene_parts parts;
  scene_files files;
  const scene_change *change;
  int changes;
  expression_scope scope;
  scene_inputs inputs;
  scene_blocks blocks;
  scene_samples samples;
  scene_relays relays;
  function_list *functions;
  const torsor_registry *registry;
  const char *file, *name, *title;
  v3 gravity;
  torsor_group group;
  bool guess; /* initial frames are first guesses */
  torsor_simulation simulation;
  torsor_statics statics;
  torsor_linear_request linear;
  torsor_periodic_settings periodic;
  sensitivity_request *sensitivity; /* [sensitivities] parameters of derivatives */
  int sensitivities;
  torsor_recording recording;
  const char **signal;
  int signals;
  const char **statistic; /* [statistics] signals of which the summary has more than the rows */
  int statistics;
  const char **unit; /* [units] in which results show signals */
  int units;
  char *canonical;
  char hash[33], resume_hash[33];
  double checkpoint; /* s between two of them, wall time */
};

/** The keys of a scene under which elements stand, in the order in which they are built; index:
 *  torsor_kind. */
extern const char *const scene_lists[3];

/** Makes a scene from a copy of the parsed tree `root`, without a file. */
torsor_status scene_from_tree(torsor_scene **out, const cJSON *root,
                              const torsor_registry *registry, torsor_error *error);

/** Checks the keys of a draft. */
torsor_status scene_keys_check(const reader *r, const json_node *root);

/** Checks the member `key` of a draft as far as possible without the rest (r->postponed). */
torsor_status scene_member_check(const reader *r, const json_node *root, const char *key);

/** Check the keys of `object`, which stands under `word` in a scene in the making: "simulation",
 *  "statics", "linear", "periodic" or "output"; others have no keys of their own. */
torsor_status scene_object_keys_check(const reader *r, const json_node *object, const char *word);

/** Check the members of `object`, where `word` is "parameters", "inputs", "functions" or
 *  "sections", each as far as it can be judged alone (r->postponed). */
torsor_status scene_named_check(const reader *r, const torsor_registry *registry,
                                const json_node *object, const char *word);

/** Reader of `scene` that reports into `error`. */
static inline reader scene_reader(const torsor_scene *scene, torsor_error *error) {
  return (reader){.file = scene->file,
                  .text = scene->text,
                  .origin = scene->parts.origin,
                  .change = scene->change,
                  .changes = scene->changes,
                  .scope = &scene->scope,
                  .error = error};
}

/** Sets the position of `error` to that of the element `name`; false when there is none. */
bool scene_place_element(const torsor_scene *scene, torsor_error *error, const char *name);

#endif
