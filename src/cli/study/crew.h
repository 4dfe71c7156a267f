/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_STUDY_CREW_H
#define TORSOR_CLI_STUDY_CREW_H

/** Workers of a study that other programs start, on any machines that share its folder. */

#include "cli/study/study.h"

typedef struct crew {
  const cli *common;
  const study *study;
  const char *folder;
  long samples, todo; /* limit of the command line (0: none), and samples without a row */
  int jobs;           /* workers; 0: as many as are useful */
  double seconds;     /* that a sample takes */
} crew;

/** Prints the commands of the workers, a line each. */
torsor_status crew_print(const crew *c, torsor_error *error);

/** Writes job.sh into the folder and submits it to Slurm as an array, and a job that makes the
 * tables when all have ended.  FILE where sbatch fails. */
torsor_status crew_submit(const crew *c, torsor_error *error);

#endif
