/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_STATES_KIT_H
#define TORSOR_TESTS_STATES_KIT_H

/** A file of full states in a folder of its own, and what is written into it. */

#include "support.h"

extern char states_path[96];
int states_make_folder(void **state);
int states_drop_folder(void **state);
double states_file_bytes(void);

/** All fields of all rows, which wait for as long as they like. */
extern const torsor_recording states_everything;

/** A scene of one body. */
extern const char states_rotor[];

torsor_result_info states_info(const support_world *world, bool statics);

#endif
