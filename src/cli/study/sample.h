/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_STUDY_SAMPLE_H
#define TORSOR_CLI_STUDY_SAMPLE_H

/** One sample: the scene with the values of a point is run, and its outputs are found. */

#include "cli/session.h"
#include "cli/study/reduce.h"

typedef enum row_status {
  ROW_OK,
  ROW_NAN,     /* an output is not finite */
  ROW_FAILED,  /* the run failed */
  ROW_TIMEOUT, /* a limit of time ended it */
  ROW_CRASHED, /* the process died */
  ROW_BEGUN,   /* there is no end of it: it is done again */
  ROW_STATUSES
} row_status;
extern const char *const row_statuses[ROW_STATUSES];

typedef struct sample_result {
  row_status status;
  double t, cpu;                /* time reached and processor time, s */
  char message[STUDY_TEXT];     /* "" where nothing failed */
  double output[STUDY_NUMBERS]; /* outputs, then residuals */
} sample_result;

typedef struct sampler {
  const study *study;
  const cli *common;
  session session;
  bool loaded; /* scene and model are those of a sample */
  reductions reductions;
  uint64_t hash;    /* of everything that rows depend on but the varied values */
  const char **set; /* changes of the scene, room for all */
  text *change;     /* [changes] of the varied values */
  int changes;
  double *row; /* [signals] */
} sampler;

/** Checks the study against its scene, with the values [variables] of its first sample.  To be
 *  closed in any case. */
torsor_status sampler_open(sampler *out, const study *s, const cli *common, const double *value,
                           torsor_error *error);
void sampler_close(sampler *s);

/** Runs the sample with these values [variables]; failures of it are results. */
void sampler_run(sampler *s, const double *value, sample_result *out);

/** The changes of the scene, "PATH=VALUE", for these values [variables] or, with `value` NULL, for
 *  all samples; they last until the next call.  NULL where memory is short. */
const char *const *sampler_changes(const sampler *s, const double *value, int *count);

/** Runs the sample with derivatives of its signals: results [count] are the derivatives of all
 *  numbers by the values first .. first + count. */
void sampler_derive(sampler *s, const double *value, int first, int count, sample_result *out);

/** A number that stands for everything that a row depends on. */
uint64_t sampler_hash(const sampler *s, const double *value);
/** The same for the derivatives by value j. */
uint64_t sampler_hash_slope(const sampler *s, const double *value, int j);

#endif
