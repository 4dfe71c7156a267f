/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_DRAFT_PRIVATE_H
#define TORSOR_SCENE_DRAFT_PRIVATE_H

#include <torsor/draft.h>

#include "base/arena.h"
#include "scene/json_scan.h"
#include "scene/reader.h"

struct torsor_item {
  torsor_item *next;  /* another item below the same one */
  torsor_item *first; /* an item below this one */
  torsor_item *up;    /* NULL: this is the scene */
  torsor_draft *draft;
  const char *key; /* of the object in `up`, or of the list in which an element stands */
  const torsor_element_type *type; /* of an element, else NULL */
  int index;                       /* of an element in its list */
  cJSON *object;                   /* NULL: it was replaced or removed */
};

struct torsor_draft {
  arena memory; /* of items */
  const torsor_registry *registry;
  cJSON *root;
  torsor_item top;
  torsor_item *elements; /* list; the other items are below `top` */
  struct {
    const cJSON *list;
    int count;
  } known[3];         /* lengths of the lists of elements, by kind; list NULL: to be counted */
  torsor_error error; /* the first one; status OK: none */
};

/** Room for the path of an item. */
enum { DRAFT_STEPS = JSON_DEPTH + 8 };

/** The path of the item's object; the steps are in `steps`, of which *used are taken. */
const json_path *draft_path(json_path steps[DRAFT_STEPS], int *used, const torsor_item *item);

/** Keep `found`, of which it is known that it concerns `item`, unless there is an earlier error;
 *  returns its status. */
torsor_status draft_keep(const torsor_item *item, torsor_error *found);

/** Keep an error at the member `key` of `item` (NULL: at `item` itself). */
torsor_status draft_fail(const torsor_item *item, const char *key, torsor_status status,
                         const char *hint, const char *message);

/** Can the member `key` of `item` be set?  The item must be valid and the key a text.  With a NULL
 *  item no error is kept. */
torsor_status draft_begin(const torsor_item *item, const char *key);

/** Check the only member of `holder` as one of `item`. *type is that of the item, and changes with
 *  the member "type".  The error is kept. */
torsor_status draft_check(const torsor_item *item, const cJSON *holder,
                          const torsor_element_type **type);
/** Checks only the key of the member. */
torsor_status draft_check_key(const torsor_item *item, const cJSON *holder);

/** May an object that is still empty stand at `key` of `item`? */
bool draft_takes_object(const torsor_item *item, const char *key);

/** Move the only member of `holder`, called `key`, to `item`; TORSOR_MEMORY is kept. */
torsor_status draft_place(torsor_item *item, const char *key, cJSON *holder);

/** Invalidates the items at `key` below `item`. */
void draft_forget(torsor_item *item, const char *key);

#endif
