/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_COMPARE_H
#define TORSOR_ANALYSIS_COMPARE_H

#include <torsor/analysis.h>

/** Returns the length of the signal's name within a column's name: without .x .y .z .w or a number
 * at the end. */
int column_signal_length(const char *column);

/** Returns the row of `table` at time t, or -1.  Times must increase; two times are equal if they
 * differ by less than 1e-9 of the mean spacing of the rows or, where that is larger, by four units
 * in the last place of t: the round-off of a time that is computed as n step. */
int table_find_time(const torsor_table *table, double t);

/** Returns the column of `table` called `name`, or -1. */
int table_find_column(const torsor_table *table, const char *name);

#endif
