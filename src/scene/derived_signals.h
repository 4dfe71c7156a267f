/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_DERIVED_SIGNALS_H
#define TORSOR_SCENE_DERIVED_SIGNALS_H

#include "scene/functions.h"

/** Reads the object "signals" into `builder`; it may be missing.  What its expressions need belongs
 *  to `functions`. */
torsor_status derived_signals_read(torsor_builder *builder, function_list *functions,
                                   const reader *r, const json_node *object);

/** Checks that what they are made of exists. */
torsor_status derived_signals_check(const torsor_model *model, const reader *r,
                                    const json_node *object);

#endif
