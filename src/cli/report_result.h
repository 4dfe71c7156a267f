/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_REPORT_RESULT_H
#define TORSOR_CLI_REPORT_RESULT_H

/** One result on a page. */

#include "cli/cli.h"
#include "results/page.h"

typedef struct report_source {
  const char *name;  /* folder or CSV file */
  const char *label; /* NULL: the last part of its name */
  bool reference;
  const char *const
      *signal; /* [signals] numbers of its states to be plotted; none: the usual ones */
  int signals;
  int share; /* the page has room for so many */
} report_source;

/** Append its JSON head to `list` and its arrays to `data`. */
torsor_status report_add_result(text *list, page_data *data, const report_source *source,
                                const cli *common, torsor_error *error);

#endif
