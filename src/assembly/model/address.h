/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_ADDRESS_H
#define TORSOR_ASSEMBLY_ADDRESS_H

/** Places of bodies that stand in a chain: "wing.start", "wing.end", "wing@0.25". */

#include "assembly/model/model.h"

/** Does `text` begin with the name of a chain and a word for a place in it? */
bool address_is_chain(const torsor_model *model, const char *text);

/** The element that `text` stands for.  TORSOR_SCENE where there is none, with what there is. */
torsor_status address_find(int *element, const torsor_model *model, const char *text,
                           torsor_error *error);

/** The same where `text` goes on behind the place, "wing@0.5.position.x": `rest` receives where. */
torsor_status address_begin(int *element, const char **rest, const torsor_model *model,
                            const char *text, torsor_error *error);

#endif
