/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BENCH_CASES_H
#define BENCH_CASES_H

/** Scenes that are measured. */

enum { CASE_CHANGES = 4 };

typedef struct bench_case {
  const char *name;
  const char *scene;             /* file below the folder of the sources */
  const char *part;              /* what its cost is shared by... */
  int parts;                     /* ... and how many */
  const char *set[CASE_CHANGES]; /* changes, PATH=VALUE */
} bench_case;

extern const bench_case bench_cases[];
extern const int bench_case_count;

#endif
