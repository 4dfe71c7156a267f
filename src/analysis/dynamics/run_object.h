/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_RUN_OBJECT_H
#define TORSOR_ANALYSIS_RUN_OBJECT_H

/** A run that belongs to a caller of the library, with copies of what it was made from, views at
 * fixed addresses, and lines of text that wait to be read. */

#include "analysis/dynamics/run.h"

/** Lines of text, read one by one. */
typedef struct lines {
  char **line; /* [count], from malloc */
  int count, room, read;
  bool lost; /* a line was lost, as there was no memory for it */
} lines;

/** A parameter of an element that was changed. */
typedef struct parameter_change {
  int element, param, component;
  double value;
} parameter_change;

typedef struct led_run {
  /* Must be first: a torsor_run of the library's callers is the start of this struct. */
  torsor_run run;
  const torsor_model *original;
  torsor_model model; /* the model, with its own table of elements once parameters change */
  bool forked;        /* the table of elements is its own */
  parameter_change *change;
  int changes, change_room;
  torsor_simulation simulation;
  torsor_hooks hooks;
  torsor_summary summary, shown;
  torsor_choice choice;   /* choice of steps, where none were given */
  torsor_signals *judged; /* signals whose errors are estimated: the model's usual ones */
  void (*warn)(void *data, const char *message);
  void *data;
  lines warnings;
  bool open_end;
  double floor;   /* time of the last change of an input, s: states before it can no longer be
                     evaluated */
  bool concluded; /* the remarks at the end of the run were made */
  torsor_occurrence *occurrence;
  int occurrences, occurrence_room;
  bool shows_motion, shows_reactions; /* views that are asked for */
  double *q, *v, *a, *lambda;         /* [nq], [nv], [nv], [nl] */
} led_run;

static inline led_run *led(torsor_run *run) {
  return (led_run *)run;
}

/** Makes room for one more item of `size` bytes behind `count` ones in an array from malloc. */
bool run_make_room(void **array, int count, int *room, size_t size);

/** Walks over the changed parameters: writes them, or reads and applies them. */
void run_walk_parameters(led_run *l, tape *t);

/** Updates the views to the state at r->time. */
void run_show(led_run *l);

#endif
