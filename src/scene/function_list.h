/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_FUNCTION_LIST_H
#define TORSOR_SCENE_FUNCTION_LIST_H

#include "scene/functions_private.h"

struct function_list {
  function *last;
  const scene_inputs *inputs;
  const scene_blocks *blocks; /* of controllers; NULL: none */
  const torsor_registry *registry;
  bool one_thread;   /* a callback is not to be called by two threads at once */
  const char **word; /* [words] of the scope of one function */
  int words;
  bool follows; /* an expression uses the load */
  int count;
  const char **name;           /* [count] owned by the scene */
  torsor_function *named;      /* [count] eval is NULL where they are no functions of time */
  expression_functions called; /* [count] as expressions call them */
};

/** Reads a function that is not the name of another one. */
torsor_status function_define(torsor_function *out, function_list *list, const reader *r,
                              const json_node *node);

#endif
