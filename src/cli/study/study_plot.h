/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_STUDY_PLOT_H
#define TORSOR_CLI_STUDY_PLOT_H

#include "cli/plot.h"
#include "cli/study/study.h"

/** The table of a study as curves: columns over one of them, a series for each value of another. */
typedef struct study_curves {
  study study;
  plot_series *series; /* [count] */
  int count;
  const char *x, *x_unit;
  const char **column; /* [columns] what is drawn where nobody says which */
  int columns;
  torsor_units units;
} study_curves;

/** Does the folder have the table of a study? */
bool study_has_table(const char *folder);

/** Reads study.json and table.csv of the folder.  To be released in any case. */
torsor_status study_curves_read(study_curves *out, const char *folder, torsor_error *error);
void study_curves_release(study_curves *c);

#endif
