/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/function_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The variables of a control: t, then words such as hinge.angle. */
typedef struct control_words {
  int count;
  const char *name[1 + TORSOR_CONTROL_INPUTS];
  char word[TORSOR_CONTROL_INPUTS][EXPRESSION_WORD + 1];
} control_words;

static double plain_at(const void *self, const torsor_now *now, const double *x, double *gradient) {
  const function *f = self;
  (void)x;
  (void)gradient;
  return f->plain.eval(f->plain.self, now, NULL, NULL);
}

static bool plain_reads(const void *self, int input) {
  const function *f = self;
  return f->plain.reads && f->plain.reads(f->plain.self, input);
}

static double control_at(const void *self, const torsor_now *now, const double *x,
                         double *gradient) {
  const function *f = self;
  const int inputs = f->own - 1;
  double variable[f->variables];
  function_set(f, now, variable);
  variable[0] = now->t;
  const signed char *side = now->side && f->kink >= 0 ? now->side + f->kink : NULL;
  if (inputs) memcpy(variable + 1, x, (size_t)inputs * sizeof *x);
  for (int i = 0; gradient && i < inputs; ++i)
    gradient[i] = expression_derivatives_beside(f->value, variable, side, 1 + i).first;
  return expression_value_beside(f->value, variable, side);
}

static bool is_known(const control_words *words, const char *word) {
  for (int i = 0; i < words->count; ++i)
    if (strcmp(words->name[i], word) == 0) return true;
  return false;
}

/* Inputs of one control; copies are made for each element that shares it. */
static torsor_control_input *copy_inputs(const void *self) {
  const function *f = self;
  const int count = f->own - 1;
  function *copy = function_new(f->list);
  if (!copy) return NULL;
  copy->input = calloc((size_t)count, sizeof *copy->input);
  if (copy->input) memcpy(copy->input, f->input, (size_t)count * sizeof *copy->input);
  return copy->input;
}

/* Collects every variable that the text uses, once each. */
static torsor_status find_inputs(function *f, control_words *words, const torsor_builder *builder,
                                 const reader *r, const json_node *node, const char *text) {
  char word[EXPRESSION_WORD + 1];
  int count = 0;
  while (expression_next_name(&text, word)) {
    const bool signal = strchr(word, '.') || blocks_have_state(f->list->blocks, word);
    if (!signal || is_known(words, word)) continue;
    if (count == TORSOR_CONTROL_INPUTS)
      return reader_fail(r, node, NULL, "uses more than %d signals", TORSOR_CONTROL_INPUTS);
    torsor_control_input *moved = realloc(f->input, ((size_t)count + 1) * sizeof *moved);
    if (!moved) return function_out_of_memory(r);
    f->input = moved;
    if (r->error) r->error->path[0] = '\0';
    const torsor_status status = torsor_builder_signal(&moved[count], builder, word, r->error);
    if (status) return reader_locate(r, &node->path, status);
    strcpy(words->word[count], word);
    words->name[words->count++] = words->word[count++];
  }
  return TORSOR_OK;
}

/* Keeps the names [count] of the signals for the events at kinks. */
static torsor_status keep_words(function *f, const control_words *words, int count,
                                const reader *r) {
  if (f->word || !f->value || !expression_kinks(f->value)) return TORSOR_OK;
  f->word = malloc(((size_t)count + 1) * sizeof *f->word);
  if (!f->word) return function_out_of_memory(r);
  for (int i = 0; i < count; ++i) /* a state by its full name */
    snprintf(f->word[i], sizeof *f->word, "%.120s%s", words->word[i],
             strchr(words->word[i], '.') ? "" : ".value");
  return TORSOR_OK;
}

static torsor_status read_plain(torsor_control *out, function_list *list, const reader *r,
                                const json_node *node) {
  function *f = NULL;
  torsor_status status = function_add(&f, list, r);
  if (!status) status = function_read(&f->plain, list, r, node);
  out->eval = plain_at;
  out->self = f;
  out->reads = plain_reads;
  return status;
}

static torsor_status read_expanded(torsor_control *out, function_list *list,
                                   const torsor_builder *builder, const reader *r,
                                   const json_node *node, const char *text) {
  control_words *words = calloc(1, sizeof *words);
  function *f = NULL;
  if (!words) return function_out_of_memory(r);
  *words = (control_words){.count = 1, .name = {EXPRESSION_TIME}};
  torsor_status status = function_add(&f, list, r);
  if (!status) status = find_inputs(f, words, builder, r, node, text);
  if (!status) status = function_reserve(f, r, words->count);
  if (!status) status = function_compile_text(&f->value, f, r, node, text, words->name);
  if (!status) status = keep_words(f, words, words->count - 1, r);
  if (!status)
    *out = (torsor_control){.eval = control_at,
                            .self = f,
                            .reads = function_reads,
                            .inputs = words->count - 1,
                            .input = f->input,
                            .copy = copy_inputs};
  free(words);
  return status;
}

torsor_status control_read_words(torsor_control *out, function_list *list,
                                 const torsor_builder *builder, const reader *r,
                                 const json_node *node, const char *words) {
  const char *text = words;
  char *owned = NULL;
  if (r->error) r->error->path[0] = '\0';
  torsor_status status = blocks_expand(&text, &owned, list->blocks, words, r->error);
  status = reader_locate(r, &node->path, status);
  if (!status) status = read_expanded(out, list, builder, r, node, text);
  free(owned);
  return status;
}

/* Is it an expression, so that its kinks can be watched?  The name of a callback is none. */
static bool is_expression(const function_list *list, const torsor_function *named) {
  for (int i = 0; i < list->count; ++i)
    if (named == &list->named[i]) return list->called.item[i] != NULL;
  return true;
}

torsor_status control_read(torsor_control *out, function_list *list, const torsor_builder *builder,
                           const reader *r, const json_node *node) {
  const char *text = NULL;
  char *owned = NULL;
  const torsor_function *named = NULL;
  out->inputs = 0;
  if (!cJSON_IsString(node->item)) return read_plain(out, list, r, node);
  torsor_status status = reader_long_pattern(&text, &owned, r, node);
  if (!status && reader_postpones(r)) status = TORSOR_SCENE;
  if (!status) status = function_find(&named, list, r, node, EXPRESSION_TIME);
  if (!status)
    status = is_expression(list, named) ? control_read_words(out, list, builder, r, node, text)
                                        : read_plain(out, list, r, node);
  free(owned);
  return status;
}
