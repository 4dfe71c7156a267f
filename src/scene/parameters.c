/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/parameters.h"

#include <stdio.h>
#include <string.h>

/* Parameters that wait for each other: bounds the recursion. */
enum { CHAIN = 100 };

typedef enum progress { NEW, WAITING, DONE } progress;

typedef struct evaluation {
  const reader *r;
  const json_node *object;
  const cJSON **item;      /* [count] */
  unsigned char *progress; /* [count] */
  int chain[CHAIN], chained;
} evaluation;

static torsor_status fail_circle(const evaluation *e, const json_node *node, int index) {
  const char *const *name = e->r->scope->name;
  char list[256] = "";
  size_t used = 0;
  int first = 0;
  while (e->chain[first] != index) ++first;
  for (int i = first; i < e->chained && used + EXPRESSION_NAME + 8 < sizeof list; ++i)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s -> ", name[e->chain[i]]);
  return reader_fail(e->r, node, "give one of them a number",
                     "parameters refer to each other in a circle: %s%s", list, name[index]);
}

/* Evaluate parameter `index`, before it those that it uses. */
static torsor_status evaluate(evaluation *e, int index) {
  const expression_scope *scope = e->r->scope;
  const json_node node = {e->item[index], {&e->object->path, scope->name[index], 0}};
  if (e->progress[index] == DONE) return TORSOR_OK;
  if (e->progress[index] == WAITING) return fail_circle(e, &node, index);
  if (e->chained == CHAIN)
    return reader_fail(e->r, &node, NULL, "parameters refer to each other in a chain of over %d",
                       CHAIN);
  e->progress[index] = WAITING;
  e->chain[e->chained++] = index;
  const char *at = cJSON_IsString(node.item) ? node.item->valuestring : "";
  char name[EXPRESSION_WORD + 1];
  while (expression_next_name(&at, name)) {
    const int other = expression_find(scope, name);
    const torsor_status status = other < 0 ? TORSOR_OK : evaluate(e, other);
    if (status) return status;
  }
  --e->chained;
  e->progress[index] = DONE;
  return reader_number(&scope->value[index], e->r, &node);
}

static torsor_status check_name(const reader *r, const json_node *node) {
  const char *name = node->path.key;
  char shown[96];
  if (!expression_is_name(name))
    return reader_fail_key(r, node, "letters, digits and _, beginning with a letter",
                           "%s cannot be the name of a parameter", reader_show_text(name, shown));
  if (expression_reserved(name))
    return reader_fail_key(r, node, "choose another name",
                           "\"%s\" is a constant of expressions", name);
  return TORSOR_OK;
}

static torsor_status collect(evaluation *e, expression_scope *scope) {
  const cJSON *item;
  cJSON_ArrayForEach(item, e->object->item) {
    if (reader_is_comment(item->string)) continue;
    const json_node node = {item, {&e->object->path, item->string, 0}};
    const torsor_status status = check_name(e->r, &node);
    if (status) return status;
    e->item[scope->count] = item;
    scope->name[scope->count++] = item->string;
  }
  return TORSOR_OK;
}

torsor_status parameters_read(expression_scope *scope, arena *memory, const reader *r,
                              const json_node *object) {
  *scope = (expression_scope){.outer = scope->outer};
  if (!object->item) return TORSOR_OK;
  if (!cJSON_IsObject(object->item)) return reader_object(r, object, "the parameters", NULL, 0);
  const size_t size = (size_t)cJSON_GetArraySize(object->item);
  evaluation e = {.r = r,
                  .object = object,
                  .item = arena_take(memory, size, sizeof *e.item),
                  .progress = arena_take(memory, size, sizeof *e.progress)};
  scope->name = arena_take(memory, size, sizeof *scope->name);
  scope->value = arena_take(memory, size, sizeof *scope->value);
  if (!e.item || !e.progress || !scope->name || !scope->value)
    return torsor_fail(r->error, TORSOR_MEMORY, "out of memory");
  torsor_status status = collect(&e, scope);
  for (int i = 0; i < scope->count && !status; ++i) status = evaluate(&e, i);
  return status;
}
