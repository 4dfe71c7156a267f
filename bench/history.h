/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BENCH_HISTORY_H
#define BENCH_HISTORY_H

#include "measure.h"

/** Earlier measurements: a CSV file to which every run appends a row for each case. */

/** Figures of the last row of the case called `name`; false where there is none. */
bool history_last(figures *out, const char *file, const char *name);

/** Append a row; `note` (no commas) says what was measured.  False where it cannot be written. */
bool history_append(const char *file, const bench_case *c, const figures *f, const char *note);

#endif
