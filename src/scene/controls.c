/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/functions_private.h"

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
  const int inputs = (int)f->rows;
  function_enter(f);
  function_set(f, now);
  f->variable[0] = now->t;
  for (int i = 0; i < inputs; ++i) f->variable[1 + i] = x[i];
  const double value = expression_value(f->value);
  for (int i = 0; gradient && i < inputs; ++i)
    gradient[i] = expression_derivatives(f->value, &f->variable[1 + i]).first;
  function_leave(f);
  return value;
}

static bool is_known(const control_words *words, const char *word) {
  for (int i = 0; i < words->count; ++i)
    if (strcmp(words->name[i], word) == 0) return true;
  return false;
}

/* Collects every coordinate and rate that the text uses, once each. */
static torsor_status find_inputs(torsor_control *out, control_words *words,
                                 const torsor_builder *builder, const reader *r,
                                 const json_node *node, const char *text) {
  char word[EXPRESSION_WORD + 1];
  *words = (control_words){.count = 1, .name = {EXPRESSION_TIME}};
  out->inputs = 0;
  while (expression_next_name(&text, word)) {
    if (!strchr(word, '.') || is_known(words, word)) continue;
    if (out->inputs == TORSOR_CONTROL_INPUTS)
      return reader_fail(r, node, NULL, "uses more than %d coordinates and rates",
                         TORSOR_CONTROL_INPUTS);
    torsor_control_input *input = &out->input[out->inputs];
    if (r->error) r->error->path[0] = '\0';
    const torsor_status status =
        torsor_builder_signal(&input->on, &input->rate, builder, word, r->error);
    if (status) return reader_locate(r, &node->path, status);
    strcpy(words->word[out->inputs], word);
    words->name[words->count++] = words->word[out->inputs++];
  }
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

torsor_status control_read(torsor_control *out, function_list *list, const torsor_builder *builder,
                           const reader *r, const json_node *node) {
  char buffer[EXPRESSION_BYTES + 1];
  const char *text = NULL;
  control_words words;
  function *f = NULL;
  if (!cJSON_IsString(node->item)) return read_plain(out, list, r, node);
  torsor_status status = reader_pattern(&text, buffer, sizeof buffer, r, node);
  if (!status && reader_postpones(r)) return TORSOR_SCENE;
  if (!status) status = find_inputs(out, &words, builder, r, node, text);
  if (status || !out->inputs) return status ? status : read_plain(out, list, r, node);
  status = function_add(&f, list, r);
  if (status) return status;
  f->rows = (size_t)out->inputs;
  status = function_reserve(f, r, 1 + out->inputs);
  if (status) return status;
  out->eval = control_at;
  out->self = f;
  out->reads = function_reads;
  return function_compile_text(&f->value, f, r, node, text, words.name);
}
