/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_CHECKPOINTS_H
#define TORSOR_CLI_CHECKPOINTS_H

/** The checkpoints of a run: written beside its results, and read to continue it. */

#include <stdbool.h>

#include "cli/session.h"
#include "results/checkpoint.h"

typedef struct checkpoints {
  char *file;      /* where they go; NULL: none are left */
  double interval; /* s of wall time between two */
  double last;     /* monotonic time of the last one, s */
  bool failed;     /* a failure was reported */
  bool surely; /* on the disk before the run goes on: from the first one that the timer asks for */
  checkpoint from; /* the state from which the run continues; no state: it starts */
} checkpoints;

/** Checkpoints of a run in `folder`, every `interval` seconds, 0 = none. */
torsor_status checkpoints_open(checkpoints *c, const char *folder, double interval,
                               torsor_error *error);
/** Remove one that an earlier run left. */
torsor_status checkpoints_clear(const char *folder, torsor_error *error);
void checkpoints_release(checkpoints *c);

/** Is the next checkpoint due? */
bool checkpoints_due(checkpoints *c);

/** Open (types are) the scene and the checkpoint that a run left in `folder`.  Of the changes of
 *  the command line only that of the duration is allowed. */
torsor_status checkpoints_resume(checkpoints *c, session *s, const cli *common, const char *folder,
                                 torsor_error *error);

/** Write the checkpoint that was read into another folder. */
torsor_status checkpoints_pass_on(const checkpoints *c, const char *folder, torsor_error *error);

/** Copy the first `bytes` bytes of the file `name` from one folder to the other. */
torsor_status checkpoints_copy(const char *name, const char *from, const char *to, long long bytes,
                               torsor_error *error);

#endif
