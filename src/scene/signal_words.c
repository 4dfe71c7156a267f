/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "scene/signal_words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <torsor/analysis.h>

double signal_words_value(const void *self, const torsor_now *now, const double *x) {
  const function *f = self;
  double variable[f->variables];
  function_set(f, now, variable);
  variable[0] = now->t;
  memcpy(variable + 1, x, f->rows * sizeof *x);
  return expression_value(f->value, variable);
}

static bool is_known(const signal_words *words, const char *word) {
  for (int i = 0; i < words->count; ++i)
    if (strcmp(words->name[i], word) == 0) return true;
  return false;
}

static torsor_status add_word(signal_words *words, const char *word, const reader *r,
                              const json_node *node) {
  if (is_known(words, word)) return TORSOR_OK;
  if (words->count > SIGNAL_WORDS)
    return reader_fail(r, node, NULL, "uses more than %d signals", SIGNAL_WORDS);
  char *copy = words->word[words->count - 1];
  char *full = words->full[words->count - 1];
  strcpy(copy, word);
  snprintf(full, sizeof words->full[0], "%s%s", word, strchr(word, '.') ? "" : ".value");
  words->signal[words->count - 1] = full;
  words->name[words->count++] = copy;
  return TORSOR_OK;
}

static torsor_status compile(signal_words *words, function *f, const reader *r,
                             const json_node *node, const char *text) {
  char word[EXPRESSION_WORD + 1];
  torsor_status status = TORSOR_OK;
  for (const char *at = text; !status && expression_next_name(&at, word);)
    if (strchr(word, '.') || blocks_have_state(f->list->blocks, word))
      status = add_word(words, word, r, node);
  if (status) return status;
  f->rows = (size_t)words->count - 1;
  status = function_reserve(f, r, words->count);
  if (status) return status;
  return function_compile_text(&f->value, f, r, node, text, words->name);
}

torsor_status signal_words_compile(signal_words *words, function *f, const reader *r,
                                   const json_node *node, const char *text) {
  char *owned = NULL;
  if (r->error) r->error->path[0] = '\0';
  torsor_status status = blocks_expand(&text, &owned, f->list->blocks, text, r->error);
  status = reader_locate(r, &node->path, status);
  if (!status) status = compile(words, f, r, node, text);
  free(owned);
  return status;
}

torsor_status signal_words_read(function **f, signal_words *words, function_list *functions,
                                const reader *r, const json_node *node) {
  const char *text = NULL;
  char *owned = NULL, number[32];
  torsor_status status = TORSOR_OK;
  if (cJSON_IsNumber(node->item)) {
    snprintf(number, sizeof number, "%.17g", node->item->valuedouble);
    text = number;
  } else {
    status = reader_long_pattern(&text, &owned, r, node);
  }
  if (!status) status = function_add(f, functions, r);
  if (!status) status = signal_words_compile(words, *f, r, node, text);
  free(owned);
  return status;
}

torsor_status signal_words_check(const char *const *signal, int signals, const torsor_model *model,
                                 const reader *r, const json_node *node) {
  for (int i = 0; i < signals; ++i) {
    torsor_signals *found = NULL;
    if (r->error) r->error->path[0] = '\0';
    const torsor_status status =
        torsor_signals_create(&found, model, &signal[i], 1, NULL, r->error);
    if (status) return reader_locate(r, &node->path, status);
    const int count = torsor_signals_count(found);
    const bool full = strcmp(torsor_signals_name(found, 0), signal[i]) == 0;
    char example[EXPRESSION_WORD + 1] = "";
    if (!full) strncpy(example, torsor_signals_name(found, 0), EXPRESSION_WORD);
    torsor_signals_destroy(found);
    if (full) continue;
    reader_fail(r, node, NULL, "\"%s\" stands for %d signals", signal[i], count);
    torsor_hint(r->error, "write one of them in full, e.g. \"%s\"", example);
    return TORSOR_SCENE;
  }
  return TORSOR_OK;
}
