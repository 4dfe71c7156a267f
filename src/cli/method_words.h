/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_METHOD_WORDS_H
#define TORSOR_CLI_METHOD_WORDS_H

#include <torsor/analysis.h>

#include "base/text.h"

/** Which method a simulation gets and why, in words: "generalized_alpha, stabilised index 2 (GGL),
 *  ..". */
void method_words(text *t, const torsor_model_counts *counts, const torsor_simulation *simulation);

/** The same of its steps: "constant, of 0.001 s". */
void steps_words(text *t, const torsor_simulation *simulation);

#endif
