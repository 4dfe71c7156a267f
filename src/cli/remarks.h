/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_REMARKS_H
#define TORSOR_CLI_REMARKS_H

#include "cli/cli.h"

/** The warnings of an analysis, which are printed as they come; the summary keeps the first of
 *  them. */
enum { MOST_REMARKS = 20 };
typedef struct remarks {
  const cli *common;
  char *line[MOST_REMARKS];
  int count;
} remarks;

/** The function `warn` of torsor_hooks, with remarks as data. */
void remarks_warn(void *data, const char *message);
void remarks_release(remarks *r);

/** Writes a document, unless `status` is a failure already, and frees it. */
torsor_status write_document(const char *folder, const char *name, char *document,
                             torsor_status status, torsor_error *error);

#endif
