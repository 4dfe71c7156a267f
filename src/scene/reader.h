/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_READER_H
#define TORSOR_SCENE_READER_H

/** Typed access to the values of a scene, with errors that say where. */

#include <cjson/cJSON.h>
#include <stdbool.h>

#include <torsor/lie.h>

#include "scene/expression.h"
#include "scene/json_path.h"

/** A value that was changed from outside the file. */
typedef struct scene_change {
  const char *argument;  /* name of the file in messages: "--set simulation.step=1e-3" */
  const json_path *path; /* the value */
} scene_change;

/** Origin of a part of the scene: the file, included or the scene's own, that it was read from. */
typedef struct scene_origin {
  const struct scene_origin *next; /* the first that fits counts */
  const char *key;                 /* key in the scene */
  const char *member;              /* member of an object; NULL: items of an array ... */
  int first, count;                /* ... these items, the first ones of the file */
  const char *file, *text;
  bool inside; /* the file has the content of the member alone, without key and name */
} scene_origin;

typedef struct reader {
  const char *file, *text;    /* for messages and positions */
  const scene_origin *origin; /* list of parts from other files, or moved ones */
  const scene_change *change; /* [changes] the last one wins */
  int changes;
  const expression_scope *scope;
  expression_cache *cache; /* expressions that are evaluated repeatedly; NULL = none */
  /** For a draft, whose names and expressions cannot be resolved yet: set to true when a value
   *  depends on them, so that its check is postponed; reading then ends with TORSOR_SCENE.  NULL:
   *  the scene is complete. */
  bool *postponed;
  torsor_error *error;
} reader;

/** Must the check of the current value be postponed until the scene is complete? */
static inline bool reader_postpones(const reader *r) {
  if (r->postponed) *r->postponed = true;
  return r->postponed != NULL;
}

/** A value and its position in the scene.  `item` is NULL where the scene has no such value. */
typedef struct json_node {
  const cJSON *item;
  json_path path;
} json_node;

static inline json_node json_root(const cJSON *item) {
  return (json_node){item, {NULL, NULL, 0}};
}

/** The member `key` of `object`, which must outlive it. */
static inline json_node json_member(const json_node *object, const char *key) {
  return (json_node){cJSON_GetObjectItemCaseSensitive(object->item, key), {&object->path, key, 0}};
}

/** The value `item` of `array` at `index`; `array` must outlive it. */
static inline json_node json_item(const json_node *array, const cJSON *item, int index) {
  return (json_node){item, {&array->path, NULL, index}};
}

/** Fails with the position of the value of `node`, of its key or, when it is missing, of the object
 *  that lacks it. */
torsor_status reader_fail(const reader *r, const json_node *node, const char *hint,
                          const char *format, ...) TORSOR_PRINTF(4, 5);
torsor_status reader_fail_key(const reader *r, const json_node *node, const char *hint,
                              const char *format, ...) TORSOR_PRINTF(4, 5);

/** Set file, path, line and column of the error to the value at `path`, or with `key` its key. */
void reader_place(const reader *r, const json_path *path, bool key);

/** The file in which the value at `path` stands. */
const char *reader_file(const reader *r, const json_path *path);

/** Add file, path, line and column to an error that is filled already; a path that stands in it is
 *  taken as relative to `path`.  Recoverable and argument statuses become TORSOR_SCENE. */
torsor_status reader_locate(const reader *r, const json_path *path, torsor_status status);

/** Describes a value briefly for messages: `-15`, `"text"`, `an array of 4`. */
const char *reader_show(const cJSON *item, char out[96]);

/** A text quoted, cut to a line, without control characters. */
const char *reader_show_text(const char *string, char out[96]);

/** Keys that a scene may have anywhere: "comment" and those that start with "_". */
bool reader_is_comment(const char *key);

/** `node` is an object whose keys are all among `keys` [count] or comments; `what` names the object
 *  in messages, e.g. "a marker". */
torsor_status reader_object(const reader *r, const json_node *node, const char *what,
                            const char *const *keys, int count);

torsor_status reader_array(const reader *r, const json_node *node, const char *what);

/** Value of the expression `text` at `key` in `node`. */
torsor_status reader_expression(double *out, const reader *r, const json_node *node,
                                const char *key, const char *text);
/** A finite number, or an expression. */
torsor_status reader_number(double *out, const reader *r, const json_node *node);
/** A whole number, or an expression that gives one, not below `least`. */
torsor_status reader_integer(int *out, const reader *r, const json_node *node, int least);
/** Reads a number greater than 0; a missing one leaves *out unchanged. */
torsor_status reader_positive(double *out, const reader *r, const json_node *node,
                              const char *hint);
torsor_status reader_boolean(bool *out, const reader *r, const json_node *node);
/** An array of `count` numbers. */
torsor_status reader_numbers(double *out, int count, const reader *r, const json_node *node);
torsor_status reader_vector(v3 *out, const reader *r, const json_node *node);
/** A 3x3 matrix: an array of rows. */
torsor_status reader_matrix(m3 *out, const reader *r, const json_node *node);
torsor_status reader_text(const char **out, const reader *r, const json_node *node);
/** A text in which "${expression}" stands for the whole number that it gives: `out` is the text of
 *  the scene, or `buffer` [size] where something was replaced. */
torsor_status reader_pattern(const char **out, char *buffer, size_t size, const reader *r,
                             const json_node *node);
/** The same for a text of any length; *owned, to be freed, is NULL where nothing was replaced. */
torsor_status reader_long_pattern(const char **out, char **owned, const reader *r,
                                  const json_node *node);
/** One of `words` [count]. */
torsor_status reader_word(int *out, const reader *r, const json_node *node,
                          const char *const *words, int count);

#endif
