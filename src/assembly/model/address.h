/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ASSEMBLY_ADDRESS_H
#define TORSOR_ASSEMBLY_ADDRESS_H

/** Names of bodies by their position in a chain: "wing.start", "wing.end", "wing@0.25". */

#include "assembly/model/model.h"

/** Adds the hint for a name of many frames, where one of them is needed. */
void address_hint(const torsor_model *model, const char *name, torsor_error *error);

/** Does `text` begin with the name of a chain and a position in it? */
bool address_is_chain(const torsor_model *model, const char *text);

/** Finds the element that `text` names.  Fails with TORSOR_SCENE where there is none; the message
 * says which there are. */
torsor_status address_find(int *element, const torsor_model *model, const char *text,
                           torsor_error *error);

/** Finds the element where `text` goes on behind the position, "wing@0.5.position.x"; `rest`
 * receives the rest. */
torsor_status address_begin(int *element, const char **rest, const torsor_model *model,
                            const char *text, torsor_error *error);

#endif
