/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_DRAFT_KIT_H
#define TORSOR_TESTS_DRAFT_KIT_H

/** A scene file done over by the calls of torsor/draft.h. */

#include <cjson/cJSON.h>
#include <torsor/draft.h>

/** Put all that stands in the scene `root` into a draft, each value by the setter that is made for
 *  it.  Objects inside others are set member by member (`nested`) or as JSON. */
void draft_kit_replay(torsor_draft *draft, const cJSON *root, bool nested,
                      const torsor_registry *registry);

#endif
