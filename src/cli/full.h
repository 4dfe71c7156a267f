/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_FULL_H
#define TORSOR_CLI_FULL_H

#include <torsor/result.h>

#include "cli/session.h"

/** Disk space that the output of a scene needs, in bytes. */
typedef struct full_size {
  long rows, frames; /* of trajectory.csv and of state.nc; 0: not known before */
  double trajectory; /* about */
  double state;
} full_size;

/** Writer of full states to state.nc, when they are requested. */
typedef struct full_output {
  torsor_recording recording;
  torsor_netcdf *netcdf;
  char *file;
} full_output;

/** Estimates the size of the files that a simulation of the scene writes; state.nc only with
 *  `state`. */
torsor_status full_measure(full_size *out, const session *s, bool state, torsor_error *error);

/** Checks that the disk of `folder` has room for it; returns TORSOR_FILE with both sizes
 *  otherwise. */
torsor_status full_check_room(const full_size *size, bool state, const char *folder,
                              torsor_error *error);

/** Creates state.nc in `folder` when the scene or the command line (`asked`) requests it, and
 *  removes an old one.  Must be released even after a failure. */
torsor_status full_open(full_output *f, const session *s, const char *folder, bool asked,
                        bool statics, torsor_error *error);
/** Continues the state.nc in `folder` after its first `bytes` bytes and `frames` frames; 0 = there
 *  was no file. */
torsor_status full_resume(full_output *f, const session *s, const char *folder, long long bytes,
                          long frames, torsor_error *error);
/** Closes the file; `error` receives a failure to write. */
torsor_status full_close(full_output *f, torsor_error *error);
void full_release(full_output *f);

/** A size for people: "41.2 MB". */
const char *full_show_bytes(char out[32], double bytes);

#endif
