/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_NAMES_H
#define TORSOR_SCENE_NAMES_H

#include "scene/functions.h"

/** Is the word fit to be part of the name of a signal? */
bool names_fit(const char *word);

/** A list of words that are parts of names of signals (TORSOR_PARAM_NAMES). */
torsor_status names_read(torsor_names *out, function_list *list, const reader *r,
                         const json_node *node);

#endif
