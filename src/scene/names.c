/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/names.h"

#include <stdlib.h>
#include <string.h>

#include "scene/functions_private.h"

enum { MOST = 39 }; /* letters, as in names of signals */

bool names_fit(const char *word) {
  return *word && strlen(word) <= MOST && !strpbrk(word, " .[]@");
}

static torsor_status read_name(const char **out, int before, const reader *r,
                               const json_node *node) {
  const torsor_status status = reader_text(out + before, r, node);
  if (status) return status;
  if (!names_fit(out[before]))
    return reader_fail(r, node, "letters, digits and _, at most 39",
                       "\"%s\" cannot be part of a signal", out[before]);
  for (int i = 0; i < before; ++i)
    if (!strcmp(out[i], out[before]))
      return reader_fail(r, node, NULL, "the name \"%s\" is there twice", out[before]);
  return TORSOR_OK;
}

/* Copies of the words stand behind the array. */
static torsor_status keep(function *f, const char **word, int count, const reader *r) {
  size_t room = 0;
  for (int i = 0; i < count; ++i) room += strlen(word[i]) + 1;
  f->name = malloc((size_t)count * sizeof *f->name + room);
  if (!f->name) return function_out_of_memory(r);
  char *at = (char *)(f->name + count);
  for (int i = 0; i < count; ++i) {
    const size_t size = strlen(word[i]) + 1;
    memcpy(at, word[i], size);
    f->name[i] = at;
    at += size;
  }
  return TORSOR_OK;
}

torsor_status names_read(torsor_names *out, function_list *list, const reader *r,
                         const json_node *node) {
  function *f = NULL;
  torsor_status status = reader_array(r, node, "a list of names");
  if (status) return status;
  const int count = cJSON_GetArraySize(node->item);
  if (!count) return reader_fail(r, node, NULL, "is empty: give a name at least");
  const char **word = calloc((size_t)count, sizeof *word);
  if (!word) return function_out_of_memory(r);
  int i = 0;
  for (const cJSON *item = node->item->child; item && !status; item = item->next, ++i) {
    const json_node one = json_item(node, item, i);
    status = read_name(word, i, r, &one);
  }
  if (!status) status = function_add(&f, list, r);
  if (!status) status = keep(f, word, count, r);
  if (!status) *out = (torsor_names){f->name, count};
  free(word);
  return status;
}
