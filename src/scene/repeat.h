/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_REPEAT_H
#define TORSOR_SCENE_REPEAT_H

#include "scene/reader.h"

/** The elements that one object of the scene stands for: one, or with "repeat": N as many, each
 *  with its value of the index.  Not to be moved between begin and end. */
typedef struct repeat {
  bool repeated;
  int count;
  reader r; /* reads the object for the current index */
  const char *index;
  double i;
  expression_scope scope;
  expression_cache cache;
} repeat;

/** Read "repeat" and "index" of `element`.  To be ended even after a failure. */
torsor_status repeat_begin(repeat *out, const reader *r, const json_node *element);
void repeat_end(repeat *all);

/** Add the index to the message of a failure: " (i = 3)". */
torsor_status repeat_annotate(const repeat *all, torsor_status status);

#endif
