/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_INPUTS_H
#define TORSOR_CLI_INPUTS_H

/** Input files of a verb, which it must not overwrite, and locks that let one process at a time
 *  write into a folder. */

#include "cli/session.h"

/** The files that a verb reads; {0} is none. */
typedef struct inputs {
  char **name;
  int count;
} inputs;

torsor_status inputs_add(inputs *in, const char *file, torsor_error *error);
/** All files of the scene, and the plug-ins. */
torsor_status inputs_add_scene(inputs *in, const session *s, const cli *common,
                               torsor_error *error);
/** A file, or those of a folder of results. */
torsor_status inputs_add_result(inputs *in, const char *result, torsor_error *error);
void inputs_release(inputs *in);

/** ARGUMENT where `output`, by whatever name, is one of the inputs, or where it would be replaced
 *  on the way. */
torsor_status inputs_check(const inputs *in, const char *output, torsor_error *error);
/** The same for those files of the folder whose names match one of the patterns, ended by NULL. */
torsor_status inputs_check_folder(const inputs *in, const char *folder, const char *const *patterns,
                                  torsor_error *error);

/** The lock of a folder; file < 0: it is not locked. */
typedef struct folder_lock {
  int file;
} folder_lock;

/** Keep other processes from writing into `folder` until the lock is released or the process ends.
 *  Where the folder is not there yet, nothing happens; nothing either where the lock is held.  FILE
 *  where another process has it. */
torsor_status folder_lock_take(folder_lock *lock, const char *folder, torsor_error *error);
void folder_lock_release(folder_lock *lock);

#endif
