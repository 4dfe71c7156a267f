/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_STUDY_SLOPES_H
#define TORSOR_CLI_STUDY_SLOPES_H

/** Derivatives of the numbers of a sample by varied values, from the derivatives of signals: they
 *  are found beside the reductions while a run goes on. */

#include "cli/study/reduce.h"

/** The names of sensitivities, as `--set` takes them: those of the values first .. first + count,
 *  of which each has one for each of its paths.  `value` [variables] are the present values. */
void slopes_write_request(text *out, const study *s, const double *value, int first, int count);

/** Derivatives by the values first .. first + count of the study.  To be closed in any case. */
torsor_status slopes_open(slopes **out, reductions *r, int first, int count, torsor_error *error);
/** NULL is fine. */
void slopes_close(slopes *s);

/** Begins a run with these signals, which have derivatives, or NULL where none are needed. */
torsor_status slopes_begin(slopes *s, const torsor_signals *signals, torsor_error *error);

/** A row of output i, or of a measured signal, y at t, before its gauge takes it. */
void slopes_row(slopes *s, int i, double t, double y, const double *row);
/** The signals at a time that output i asks for. */
void slopes_look(slopes *s, int i, const double *row);
/** The measured number k. */
void slopes_measure(slopes *s, int k, const double *row);

/** Derivatives [numbers] by value `j` of those that were opened, after the reductions have ended;
 *  NaN where there is none. */
void slopes_end(slopes *s, int j, double *out);

/** Why output i of the study has no derivative by value j; false: it has one, as far as is known
 *  without a run. */
bool slopes_missing(char why[STUDY_TEXT], const reductions *r, int i, int j);

#endif
