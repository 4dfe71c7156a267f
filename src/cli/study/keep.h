/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_STUDY_KEEP_H
#define TORSOR_CLI_STUDY_KEEP_H

/** Folders of results of chosen samples: DIR/samples/000003/, as the command writes them for the
 *  scene with the values of the sample, and sample.json beside its files. */

#include "cli/study/design.h"
#include "cli/study/rows.h"

typedef struct keeper {
  const sampler *sampler;
  const design *design;
  const rows_found *rows;
  const char *folder;     /* of the study */
  const study_keep *keep; /* which samples */
  long first, step;       /* the samples that are this process's to keep, in the design's order */
  int jobs;               /* processes at once */
} keeper;

/** Runs the samples with a row that are to be kept and have no folder yet, each by a process with
 *  the limits of the study.  A sample that fails keeps what there is of its results.  INTERRUPTED
 *  where a signal came. */
torsor_status keep_samples(const keeper *k, torsor_error *error);

/** Appends the command that runs the sample with these values [variables] alone. */
void keep_command(text *t, const sampler *s, const double *value);

/** Is the folder of the sample there, with results of these values? */
bool keep_is_there(const char *folder, long sample, uint64_t hash);

/** Removes the folders of all samples. */
torsor_status keep_clear(const char *folder, torsor_error *error);

/** Reads a list of --keep: rows, failed, all or numbers with commas between them; false where it is
 *  none.  The numbers are to be freed. */
bool keep_parse(study_keep *out, const char *words);

/** Appends a word for a shell, in quotes. */
void shell_word(text *t, const char *word);

#endif
