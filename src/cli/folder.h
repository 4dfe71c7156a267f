/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_FOLDER_H
#define TORSOR_CLI_FOLDER_H

#include <stdbool.h>

#include <torsor/base.h>

/** Make the folder and those above it; an existing one is fine. */
torsor_status folder_make(const char *name, torsor_error *error);

/** Checks, before anything is changed, that these files (NULL-terminated) can be written in the
 *  folder. */
torsor_status folder_check_writable(const char *name, const char *const *files,
                                    torsor_error *error);

bool folder_exists(const char *name);
bool file_exists(const char *name);

/** Is there a file of that name in the folder?  Takes no memory. */
bool folder_has_file(const char *folder, const char *name);

/** Path from a format; NULL when memory is short.  Free it. */
char *path_format(torsor_error *error, const char *format, ...) TORSOR_PRINTF(2, 3);

/** Returns the part of a path after its last slash, or the whole path when nothing follows it. */
const char *path_last(const char *path);

/** Path of a file in a folder of results, to be freed.  When the file is missing, the error says
 *  what exists instead and how to make such a folder; `maker` is the command that writes the
 *  file. */
torsor_status folder_find_result(char **file, const char *folder, const char *name,
                                 const char *maker, torsor_error *error);

/** Returns ARGUMENT when the folder has no results but a scene.json in the form of a user's file,
 *  which must not be replaced. */
torsor_status folder_check_stranger(const char *folder, torsor_error *error);

/** Takes away what an older analysis has left in a folder of results: its page and, where the scene
 *  was not the same, `canonical` text, its rows, states and modes.  Links go, and not what they
 * lead to. */
torsor_status folder_clear(const char *folder, const char *canonical, torsor_error *error);

/** Returns ARGUMENT when the folder of the results is the one that the file `scene` is in. */
torsor_status folder_check_apart(const char *folder, const char *scene, torsor_error *error);

/** Fails with TORSOR_FILE: the folder or file of results `name` does not exist. */
torsor_status folder_fail_missing(const char *name, torsor_error *error);

/** The bundle of report pages: the file $TORSOR_REPORT, report.html beside the shipped scenes, or
 *  where the build puts it.  Free it; *file = NULL when there is none. */
torsor_status folder_bundle(char **file, torsor_error *error);

/** The folder with the library of FMUs, torsor.so: $TORSOR_FMU, where it was installed, or where
 *  the build puts it.  Free it.  FILE where there is none. */
torsor_status folder_fmu(char **folder, torsor_error *error);

/** The folder with scenes/ and reference/: $TORSOR_DATA, ../share/torsor beside the folder of the
 *  program, or where the build says.  Free it; NULL with an error when there is none. */
char *folder_data(torsor_error *error);

#endif
