/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_PROFILE_H
#define TORSOR_CLI_PROFILE_H

#include <torsor/timing.h>

#include "base/text.h"

/** A table under the heading `loop`: the phases that there were, rest and sum, of its wall time. */
void profile_print(text *t, const torsor_timing *timing, const char *loop);

#endif
