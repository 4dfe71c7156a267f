/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/repeat.h"

#include <stdio.h>
#include <string.h>

/* Most elements of one object. */
enum { REPEAT_MOST = 1000000 };

static torsor_status read_index(repeat *out, const reader *r, const json_node *index) {
  char shown[96];
  const torsor_status status = reader_text(&out->index, r, index);
  if (status) return status;
  const char *name = out->index;
  if (!expression_is_name(name))
    return reader_fail(r, index, "letters, digits and _, beginning with a letter or _",
                       "cannot be the name of an index: %s", reader_show_text(name, shown));
  if (expression_reserved(name) || strcmp(name, EXPRESSION_TIME) == 0 ||
      expression_lookup(r->scope, name))
    return reader_fail(r, index, "choose another name", "\"%s\" is taken already", name);
  return TORSOR_OK;
}

torsor_status repeat_begin(repeat *out, const reader *r, const json_node *element) {
  const json_node count = json_member(element, "repeat"), index = json_member(element, "index");
  *out = (repeat){.count = 1, .r = *r, .index = "i"};
  if (!count.item && index.item)
    return reader_fail(r, &index, "add \"repeat\"", "an index without \"repeat\"");
  if (!count.item) return TORSOR_OK;
  torsor_status status = reader_integer(&out->count, r, &count, 0);
  if (!status && out->count > REPEAT_MOST)
    status = reader_fail(r, &count, NULL, "must be at most %d, but is %d", REPEAT_MOST, out->count);
  if (!status && index.item) {
    status = read_index(out, r, &index);
  } else if (!status && expression_lookup(r->scope, out->index)) {
    status = reader_fail(r, &count, "name the index: \"index\": \"k\"",
                         "there is a parameter \"i\" already");
  }
  out->repeated = true;
  out->scope = (expression_scope){
      .count = 1, .name = &out->index, .value = &out->i, .varies = true, .outer = r->scope};
  out->r.scope = &out->scope;
  out->r.cache = &out->cache;
  return status;
}

void repeat_end(repeat *all) {
  expression_cache_clear(&all->cache);
}

torsor_status repeat_annotate(const repeat *all, torsor_status status) {
  torsor_error *error = all->r.error;
  if (!status || !error || !all->repeated || status == TORSOR_MEMORY) return status;
  const size_t used = strlen(error->message);
  snprintf(error->message + used, sizeof error->message - used, " (%s = %.0f)", all->index, all->i);
  return status;
}
