/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_WORDS_H
#define TORSOR_CLI_WORDS_H

#include <torsor/element.h>

/** Words for enumerators of element tables. */
const char *word_kind(torsor_kind kind);
const char *word_param_kind(torsor_param_kind kind);

/** Whether the outputs of part `part` of a composite type are those of an earlier one. */
bool word_outputs_again(const torsor_element_type *type, int part);

#endif
