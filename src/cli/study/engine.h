/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_STUDY_ENGINE_H
#define TORSOR_CLI_STUDY_ENGINE_H

/** Processes that do samples.  The parent hands them out, one to each at a time; a process writes
 *  the row of a sample and answers.  One that dies is replaced. */

#include "cli/study/rows.h"

/** The samples to be done, and the function that takes their results. */
typedef struct engine_work {
  void *data;
  /** The next sample and its values [variables]; false: there are no more. */
  bool (*next)(void *data, long *sample, double *value);
  /** The values by which the next sample is differentiated: its results are the derivatives by each
   *  of them.  NULL: its results are its numbers. */
  void (*range)(void *data, int *first, int *count);
  /** A sample is done.  A negative status ends the work. */
  torsor_status (*done)(void *data, long sample, uint64_t hash, const sample_result *result);
} engine_work;

typedef struct engine engine;

/** Starts `jobs` processes, which write into `folder`; NULL: no rows are written.  They close the
 *  descriptor `lock` (-1: none), so that the lock of the folder ends with the parent. */
torsor_status engine_open(engine **out, sampler *s, const char *folder, int lock, int jobs,
                          torsor_error *error);
/** Does all of the work.  INTERRUPTED where a signal came. */
torsor_status engine_do(engine *e, const engine_work *work, torsor_error *error);
/** Ends the processes.  NULL is fine. */
void engine_close(engine *e);
/** The number of processes. */
int engine_jobs(const engine *e);

/** Sets the limits of a sample's time and memory on this process; its end is a signal. */
void engine_limit(const study *s);

/** Processors of this machine that the program may use. */
int engine_processors(void);

#endif
