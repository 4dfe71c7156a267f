/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_CONVERGE_PROBLEM_H
#define TORSOR_CLI_CONVERGE_PROBLEM_H

#include "cli/study.h"

/** Measure the test problem called `name` at the study's steps against its solution; `common` has the
 *  changes of its settings (--set simulation.method=...). */
torsor_status converge_problem(study *s, const cli *common, const char *name, torsor_error *error);

#endif
