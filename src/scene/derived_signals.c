/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/derived_signals.h"

#include <stdlib.h>
#include <string.h>

#include "assembly/model/model.h"
#include "scene/signal_words.h"

static torsor_status check_name(const reader *r, const json_node *node) {
  char shown[96];
  if (expression_is_name(node->path.key)) return TORSOR_OK;
  return reader_fail_key(r, node, "letters, digits and _, beginning with a letter",
                         "%s cannot be the name of a signal",
                         reader_show_text(node->path.key, shown));
}

static torsor_status read_one(torsor_derived *out, signal_words *words, function_list *functions,
                              const reader *r, const json_node *node) {
  static const char *const keys[] = {"value", "unit"};
  const bool object = cJSON_IsObject(node->item);
  const json_node inside = json_member(node, "value"), unit = json_member(node, "unit");
  const json_node value = object ? inside : *node;
  function *f = NULL;
  *out = (torsor_derived){.name = node->path.key, .unit = "", .eval = signal_words_value};
  torsor_status status = check_name(r, node);
  if (!status && object) status = reader_object(r, node, "a signal", keys, 2);
  if (!status && !value.item)
    return reader_fail(r, &value, "for example \"motor.effort*hinge.rate\"",
                       "is missing: the expression of the signal");
  if (!status && unit.item) status = reader_text(&out->unit, r, &unit);
  if (!status) status = signal_words_read(&f, words, functions, r, &value);
  out->self = f;
  out->signal = words->signal;
  out->signals = words->count - 1;
  return status;
}

/* The signals in the order of their names: scene.json of a run has them so, too. */
typedef enum derived_state { WAITS, OPEN, ADDED } derived_state;

typedef struct derived_list {
  torsor_builder *builder;
  function_list *functions;
  const reader *r;
  const json_node *object;
  const cJSON **item;   /* [count] */
  derived_state *state; /* [count] */
  int count;
} derived_list;

static int by_name(const void *a, const void *b) {
  return strcmp((*(const cJSON *const *)a)->string, (*(const cJSON *const *)b)->string);
}

static int find(const derived_list *l, const char *word) {
  static const char prefix[] = "signals.";
  if (strncmp(word, prefix, sizeof prefix - 1) != 0) return -1;
  for (int i = 0; i < l->count; ++i)
    if (strcmp(l->item[i]->string, word + sizeof prefix - 1) == 0) return i;
  return -1;
}

/* Adds a signal behind those that it uses. */
static torsor_status add(derived_list *l, int i, signal_words *words) {
  const json_node node = {l->item[i], {&l->object->path, l->item[i]->string, 0}};
  torsor_derived derived;
  l->state[i] = OPEN;
  torsor_status status = read_one(&derived, words, l->functions, l->r, &node);
  for (int k = 0; k < derived.signals && !status; ++k) {
    const int other = find(l, derived.signal[k]);
    if (other < 0 || l->state[other] == ADDED) continue;
    if (l->state[other] == OPEN)
      return reader_fail(l->r, &node, "let one of them do without",
                         "\"%s\" and \"%s\" use each other in a circle", node.path.key,
                         l->item[other]->string);
    signal_words *more = calloc(1, sizeof *more);
    if (!more) return function_out_of_memory(l->r);
    *more = signal_words_none();
    status = add(l, other, more);
    free(more);
  }
  if (status) return status;
  l->state[i] = ADDED;
  if (l->r->error) l->r->error->path[0] = '\0';
  return reader_locate(l->r, &node.path, torsor_builder_derived(l->builder, &derived, l->r->error));
}

static torsor_status add_all(derived_list *l) {
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < l->count && !status; ++i) {
    if (l->state[i] == ADDED) continue;
    signal_words words = signal_words_none();
    status = add(l, i, &words);
  }
  return status;
}

torsor_status derived_signals_read(torsor_builder *builder, function_list *functions,
                                   const reader *r, const json_node *object) {
  derived_list l = {builder, functions, r, object, NULL, NULL, 0};
  const cJSON *item;
  if (!object->item) return TORSOR_OK;
  if (!cJSON_IsObject(object->item)) return reader_object(r, object, "signals", NULL, 0);
  const size_t room = (size_t)cJSON_GetArraySize(object->item) + 1;
  l.item = calloc(room, sizeof *l.item);
  l.state = calloc(room, sizeof *l.state);
  if (l.item && l.state) cJSON_ArrayForEach(item, object->item) {
      if (!reader_is_comment(item->string)) l.item[l.count++] = item;
    }
  if (l.count) qsort(l.item, (size_t)l.count, sizeof *l.item, by_name);
  const torsor_status status = l.item && l.state ? add_all(&l) : function_out_of_memory(r);
  free(l.item);
  free(l.state);
  return status;
}

torsor_status derived_signals_check(const torsor_model *model, const reader *r,
                                    const json_node *object) {
  for (int i = 0; i < model->derived_count; ++i) {
    const torsor_derived *derived = &model->derived[i];
    const json_node node = json_member(object, derived->name);
    const torsor_status status =
        signal_words_check(derived->signal, derived->signals, model, r, &node);
    if (status) return status;
  }
  return TORSOR_OK;
}
