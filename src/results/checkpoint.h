/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_RESULTS_CHECKPOINT_H
#define TORSOR_RESULTS_CHECKPOINT_H

/** The file from which a run is continued: the state between two steps and the lengths of the
 *  result files then.  It contains no paths and can be read only by the same version of the program
 *  on the same kind of machine. */

#include <stdbool.h>
#include <stddef.h>

#include <torsor/base.h>

/** An occurrence of an event, with the index of the event in the model. */
typedef struct checkpoint_event {
  double t, lost;
  int event, rising;
} checkpoint_event;

typedef struct checkpoint {
  char scene[128]; /* name of the scene */
  char hash[33];   /* hash of the scene without its duration: torsor_scene_resume_hash */
  char method[32]; /* for people */
  double t;        /* s, of the state */
  /* Bytes of trajectory.csv and of state.nc (0: there is none) up to there, and the frames of
   * these. */
  long long trajectory, states;
  long frames;
  int event_count;
  checkpoint_event *event; /* [event_count] */
  int warning_count;       /* warnings that were printed */
  size_t warning_size;     /* bytes of those that are kept, ... */
  char *warning;           /* ... each with its terminating zero */
  void *state;             /* [size] as the hook `keep` was given it */
  size_t size;
} checkpoint;

/** Make or replace the file: whatever happens to the program, and with `surely` to the machine, it
 *  holds the old checkpoint or the new one. */
torsor_status checkpoint_write(const char *file, const checkpoint *c, bool surely,
                               torsor_error *error);

/** Read it.  FILE, with the reason, where it is not whole, or not of this program on such a
 *  machine.  To be released, even after a failure. */
torsor_status checkpoint_read(checkpoint *out, const char *file, torsor_error *error);
void checkpoint_release(checkpoint *c);

#endif
