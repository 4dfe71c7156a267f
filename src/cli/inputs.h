/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_INPUTS_H
#define TORSOR_CLI_INPUTS_H

/** Input files of a verb, which it must not overwrite, and locks that let one process at a time
 *  write into a folder. */

#include "cli/session.h"

/** The files that a verb reads; {0} is an empty list. */
typedef struct inputs {
  char **name;
  int count;
} inputs;

torsor_status inputs_add(inputs *in, const char *file, torsor_error *error);
/** Adds all files of the scene and the plug-ins. */
torsor_status inputs_add_scene(inputs *in, const session *s, const cli *common,
                               torsor_error *error);
/** Adds a file, or the files of a folder of results. */
torsor_status inputs_add_result(inputs *in, const char *result, torsor_error *error);
void inputs_release(inputs *in);

/** Returns ARGUMENT when `output`, or the temporary file beside it, is one of the inputs, also
 *  through links. */
torsor_status inputs_check(const inputs *in, const char *output, torsor_error *error);
/** Like inputs_check, for the files of the folder that match one of the patterns
 *  (NULL-terminated). */
torsor_status inputs_check_folder(const inputs *in, const char *folder, const char *const *patterns,
                                  torsor_error *error);

/** The lock of a folder; file < 0: it is not locked. */
typedef struct folder_lock {
  int file;
} folder_lock;

/** Keeps other processes from writing into `folder` until the lock is released or the process ends.
 *  Does nothing when the folder does not exist yet or this lock is already taken.  Returns FILE
 *  when another process has locked the folder. */
torsor_status folder_lock_take(folder_lock *lock, const char *folder, torsor_error *error);
void folder_lock_release(folder_lock *lock);

/** Locks the folder, if it exists, and checks that results of the scene may be written there: it is
 *  not that of the scene, no file of somebody's own is in it, and no input matches one of the
 *  patterns `written` (NULL-terminated). */
torsor_status folder_claim(folder_lock *lock, const char *folder, const char *const *written,
                           const session *s, const cli *common, torsor_error *error);

#endif
