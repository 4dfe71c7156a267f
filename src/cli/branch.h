/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_BRANCH_H
#define TORSOR_CLI_BRANCH_H

#include "cli/session.h"

/** Follows periodic motions of the scene over a number of it, "PATH=FROM:TO" or "PATH=FROM:TO:STEP"
 *  (`what`): branch.csv and summary.json in `folder`, which the caller has made.  What was found is
 *  written also where the branch cannot be followed to its end. */
torsor_status branch_follow(session *s, const cli *common, const char *what, const char *folder,
                            const torsor_hooks *hooks, torsor_error *error);

/** Checks the text of the option. */
torsor_status branch_check(const char *what, torsor_error *error);

#endif
