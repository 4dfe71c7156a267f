/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_JUMPS_H
#define TORSOR_ANALYSIS_JUMPS_H

#include <torsor/model.h>

/** Reports, in lines of text, which functions that prescribe positions have a rate that jumps at
 * some 0 < t < duration: what they move gets an impulse there. */
void jumps_tell(const torsor_model *model, double duration,
                void (*tell)(void *data, const char *message), void *data);

#endif
