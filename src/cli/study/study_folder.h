/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_STUDY_FOLDER_H
#define TORSOR_CLI_STUDY_FOLDER_H

/** The folder of a study. */

#include "cli/inputs.h"
#include "cli/study/sample.h"

/** The use of a folder that has a study already. */
typedef enum folder_use { FOLDER_FRESH, FOLDER_RESUME, FOLDER_NEW } folder_use;

/** Makes and locks the folder, which must be new or, as `use` says, be that of a study, and writes
 *  study.json into it. */
torsor_status study_folder_claim(folder_lock *lock, const char *folder, folder_use use,
                                 const sampler *s, torsor_error *error);

/** Fails with FILE where the folder has no study. */
torsor_status study_folder_check(const char *folder, torsor_error *error);

#endif
