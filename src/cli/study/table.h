/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_STUDY_TABLE_H
#define TORSOR_CLI_STUDY_TABLE_H

/** The table of a study: a row for each sample, and what follows from it. */

#include "cli/study/design.h"
#include "cli/study/rows.h"

typedef struct study_table {
  const study *study;
  const sampler *sampler;
  const design *design;
  long rows;
  row_status *status;   /* [rows]; ROW_BEGUN: there is no row yet */
  double *value;        /* [variables][rows] */
  double *output;       /* [outputs][rows] */
  const char **message; /* [rows] of the rows found; NULL: none */
  long count[ROW_STATUSES];
  double cpu; /* s, of all samples together */
} study_table;

/** Brings the rows into the order of the samples. */
torsor_status table_make(study_table *out, const sampler *s, const design *d,
                         const rows_found *rows, torsor_error *error);
void table_release(study_table *t);

/** Writes table.csv, table.nc and summary.json into the folder. */
torsor_status table_write(const study_table *t, const char *folder, const rows_found *rows,
                          torsor_error *error);
/** Writes points.csv. */
torsor_status table_write_points(const study *s, const design *d, const char *folder,
                                 torsor_error *error);

/** Statistics of one output over the samples that have it. */
typedef struct statistics {
  long count;
  double mean, mean_error, sd, min, max;
  double quantile[5], low[5], high[5]; /* with their 95 % intervals */
} statistics;
extern const double statistics_parts[5];

/** Statistics of `value` [count] numbers, which are sorted. */
statistics statistics_of(double *value, long count);

/** The statistics and indices of all outputs as members of a JSON object. */
torsor_status table_statistics(text *t, const study_table *table, torsor_error *error);

/** First-order and total indices of output j by each value [variables], with standard errors from
 *  the replicates (NaN: there is one alone); *rows receives how many rows of the design are whole.
 *  Estimators of Saltelli (2010) and Jansen (1999). */
torsor_status indices_sobol(double *first, double *first_error, double *total, double *total_error,
                            long *rows, const study_table *t, int j, torsor_error *error);

/** Mean, mean size and standard deviation of the elementary effects of each value on output j, for
 *  the whole range of the value. */
void indices_morris(double *mean, double *size, double *sd, long *count, const study_table *t,
                    int j);

#endif
