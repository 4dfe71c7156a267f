/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_METHOD_WORDS_H
#define TORSOR_CLI_METHOD_WORDS_H

#include <torsor/analysis.h>

#include "base/text.h"

/** Describes the method of a simulation and why it was chosen: "generalized_alpha, stabilised index
 *  2 (GGL), ..". */
void method_words(text *t, const torsor_model_counts *counts, const torsor_simulation *simulation);

/** Describes the time steps: "constant, of 0.001 s". */
void steps_words(text *t, const torsor_simulation *simulation);

#endif
