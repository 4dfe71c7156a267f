/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_SIGNAL_WORDS_H
#define TORSOR_SCENE_SIGNAL_WORDS_H

/** Expressions whose variables are the time and signals by their full names: of events, and of
 *  signals that are made of others. */

#include "scene/function_list.h"

/** Most signals that one of them looks at. */
enum { SIGNAL_WORDS = 256 };

/** The variables: t, then full names of signals. */
typedef struct signal_words {
  int count;
  const char *name[1 + SIGNAL_WORDS];
  const char *signal[SIGNAL_WORDS]; /* their full names */
  char word[SIGNAL_WORDS][EXPRESSION_WORD + 1], full[SIGNAL_WORDS][EXPRESSION_WORD + 8];
} signal_words;

static inline signal_words signal_words_none(void) {
  return (signal_words){.count = 1, .name = {EXPRESSION_TIME}};
}

/** Reads a number or an expression in the words, which get more. */
torsor_status signal_words_read(function **f, signal_words *words, function_list *functions,
                                const reader *r, const json_node *node);

/** Compiles a text with the expressions of blocks in place of their names. */
torsor_status signal_words_compile(signal_words *words, function *f, const reader *r,
                                   const json_node *node, const char *text);

/** The value of a function that was read, `self`; x are those of the signals. */
double signal_words_value(const void *self, const torsor_now *now, const double *x);

/** Checks that each of the names stands for one signal of the model. */
torsor_status signal_words_check(const char *const *signal, int signals, const torsor_model *model,
                                 const reader *r, const json_node *node);

#endif
