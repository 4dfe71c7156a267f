/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_WORDS_H
#define TORSOR_CLI_WORDS_H

#include <torsor/element.h>

/** Words for enumerators of element tables. */
const char *word_kind(torsor_kind kind);
const char *word_param_kind(torsor_param_kind kind);

#endif
