/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_RESULTS_SETTINGS_H
#define TORSOR_RESULTS_SETTINGS_H

/** Settings of analyses as JSON objects, as result files contain them. */

#include <torsor/result.h>

#include "base/text.h"

/** "key": value, and what follows it. */
void settings_add_member(text *t, const char *key, double value, const char *end);

void settings_of_simulation(text *t, const torsor_simulation *simulation);
void settings_of_statics(text *t, const torsor_statics *statics,
                         const torsor_simulation *simulation);
const char *settings_statics_method(const torsor_statics *statics);

/** Append the member "warnings" and a comma. */
void settings_add_warnings(text *t, const torsor_result_info *info);

#endif
