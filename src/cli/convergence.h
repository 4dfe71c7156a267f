/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_CONVERGENCE_H
#define TORSOR_CLI_CONVERGENCE_H

/** A table of errors at several step sizes, and the orders between them. */

#include "cli/cli.h"

/** One signal: its errors [steps]; NaN = the computation failed at that step. */
typedef struct signal_errors {
  char signal[96];
  double *error;
} signal_errors;

typedef struct convergence {
  double *step, *cpu_seconds; /* [steps] */
  int steps;
  const char *reference; /* the solution against which errors are measured */
  signal_errors *signal;
  int signals;
} convergence;

torsor_status convergence_memory_short(torsor_error *error);

/** Steps from a list with commas, which is cut up; NULL = missing. */
torsor_status convergence_read_steps(convergence *s, char *list, torsor_error *error);

/** The whole number whole/part, 0 when it is none. */
double convergence_whole_quotient(double whole, double part);

/** One more signal, without errors yet. */
torsor_status convergence_add_signal(convergence *s, const char *name, torsor_error *error);

/** CSV files for the table; NULL = none. */
typedef struct convergence_files {
  const char *rows;    /* signal,step,error,order,cpu_seconds */
  const char *columns; /* step,cpu_seconds and the error of each signal */
} convergence_files;

/** Answer with the table, and write it to the files. */
torsor_status convergence_print(const convergence *s, const cli *common,
                                const convergence_files *files, torsor_error *error);

void convergence_release(convergence *s);

#endif
