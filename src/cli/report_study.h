/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_REPORT_STUDY_H
#define TORSOR_CLI_REPORT_STUDY_H

/** A study on a page: its table, and the results of samples that it keeps. */

#include "cli/report_result.h"

/** The kept samples of a study, as results of a page. */
typedef struct report_study {
  report_source *source; /* [count] */
  char **owned;          /* their names and labels */
  int count;
  int left_out; /* kept samples that the page has no room for */
} report_study;

/** Is it the folder of a study? */
bool report_is_study(const char *folder);

/** Finds the kept samples in the order of their numbers; FILE where the study has no table.  To be
 *  released in any case. */
torsor_status report_study_find(report_study *out, const char *folder, torsor_error *error);
void report_study_release(report_study *s);

/** Appends the member "study" of the head, and the files of the study to `data`. */
torsor_status report_study_add(text *head, page_data *data, const report_study *s,
                               const char *folder, torsor_error *error);

#endif
