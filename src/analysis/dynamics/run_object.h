/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_RUN_OBJECT_H
#define TORSOR_ANALYSIS_RUN_OBJECT_H

/** A run that a caller of the library leads, with what it has beside a run's own: copies of what it
 * was made from, numbers at fixed addresses, lines of text that wait to be read. */

#include "analysis/dynamics/run.h"

/** Lines of text, read one by one. */
typedef struct lines {
  char **line; /* [count], from malloc */
  int count, room, read;
  bool lost; /* one that there was no memory for */
} lines;

/** A number of an element that was changed. */
typedef struct parameter_change {
  int element, param, component;
  double value;
} parameter_change;

typedef struct led_run {
  torsor_run run; /* first: a torsor_run of the library's callers is the beginning of this */
  const torsor_model *original;
  torsor_model model; /* the same; with elements of its own once numbers of them change */
  bool forked;        /* they are its own */
  parameter_change *change;
  int changes, change_room;
  torsor_simulation simulation;
  torsor_hooks hooks;
  torsor_summary summary, shown;
  torsor_choice choice;   /* of steps, where none were given */
  torsor_signals *judged; /* whose errors are estimated: the model's usual ones */
  void (*warn)(void *data, const char *message);
  void *data;
  lines warnings;
  bool open_end;
  double floor;   /* s, time of the last change of an input: nothing before it can be looked at any
                     more */
  bool concluded; /* what is to be said at the end of the run was said */
  torsor_occurrence *occurrence;
  int occurrences, occurrence_room;
  bool shows_motion, shows_reactions; /* views that were asked for */
  double *q, *v, *a, *lambda;         /* [nq], [nv], [nv], [nl] */
} led_run;

static inline led_run *led(torsor_run *run) {
  return (led_run *)run;
}

/** Room for one more of `count` things of `size` bytes in an array from malloc. */
bool run_make_room(void **array, int count, int *room, size_t size);

/** Numbers that were changed: to be written, or read and applied. */
void run_walk_parameters(led_run *l, tape *t);

/** The run stands at r->time: views follow. */
void run_show(led_run *l);

/** Before the state is looked at: where something jumped here, the motion begins anew. */
torsor_status run_settle_here(led_run *l, torsor_error *error);

#endif
