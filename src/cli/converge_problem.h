/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_CONVERGE_PROBLEM_H
#define TORSOR_CLI_CONVERGE_PROBLEM_H

#include "cli/convergence.h"

/** A test problem, and how it is run. */
typedef struct problem_run {
  const char *name;
  char *parts; /* list of relative lengths by which steps are divided; modified; NULL = undivided */
  double from; /* s: errors count from there on */
} problem_run;

/** Measure the test problem at these steps against its solution; `common` has the changes of
 *  its settings (--set simulation.method=...). */
torsor_status converge_problem(convergence *s, const cli *common, const problem_run *run,
                               torsor_error *error);

#endif
