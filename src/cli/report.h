/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_REPORT_H
#define TORSOR_CLI_REPORT_H

/** A page with results: report/FORMAT.md. */

#include "cli/cli.h"

typedef struct report_request {
  const char *const *result; /* [results] folders or CSV files */
  int results;
  const char *const *signal; /* [signals] numbers of states to be plotted; none: the usual ones */
  int signals;
  const char *reference; /* a CSV file, sidecar or folder; NULL = none */
  const char *output;    /* NULL: report.html in the first folder */
  bool open;             /* show it in the browser */
} report_request;

/** Write the page; `file` (to be freed) receives its name.  FILE with a hint where the page's
 *  bundle is not built. */
torsor_status report_make(char **file, const report_request *request, const cli *common,
                          torsor_error *error);

/** Checks that the page's bundle is built, so that a missing one is reported before a long run.
 *  Returns FILE with a hint otherwise. */
torsor_status report_check(torsor_error *error);

#endif
