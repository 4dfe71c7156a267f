/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_EQUILIBRIA_H
#define TORSOR_TESTS_EQUILIBRIA_H

/** Static scenes of tests: run, and what came of it. */

#include "support.h"

/** Newton stops when a correction is below 1e-10 of the model's size; the next one would be its
 * square. What is left is round-off of some ten operations on numbers of size 1. */
#define ROUND (64 * CHECK_EPS)

enum { EQUILIBRIA_ROWS = 300, EQUILIBRIA_COLUMNS = 24, EQUILIBRIA_SIZES = 40 };

/** `stop_after` is given: the run stops after so many steps; 0 = never. */
typedef struct equilibria {
  torsor_statics_summary summary;
  torsor_error error;
  torsor_status status;
  int rows, columns;
  double row[EQUILIBRIA_ROWS][EQUILIBRIA_COLUMNS]; /* load, signals */
  char warnings[2000];
  int sizes;
  double size[EQUILIBRIA_SIZES]; /* of Newton's corrections at the last load */
  double load;
  int stop_after;
} equilibria;

/** The equilibria of a scene by text; `set` ends with NULL, or is NULL. */
void equilibria_find(equilibria *o, const char *text, const char *const *set);

/** The same, which must succeed; the last row. */
const double *equilibria_end(equilibria *o, const char *text, const char *const *set);

/** The same of a shipped scene. */
const double *equilibria_load(equilibria *o, const char *name, const char *const *set);

#endif
