/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ANALYSIS_DERIVATIVES_H
#define TORSOR_ANALYSIS_DERIVATIVES_H

#include <torsor/analysis.h>

/** Columns of derivatives: those of the first parameter, then those of the next one. */
typedef struct derivatives {
  torsor_sensitivities by; /* the parameters, with arrays of its own */
  int count;               /* number of columns, of all parameters */
  int each;                /* number of columns of one parameter ... */
  int *of;                 /* [each] ... and the columns of which they are the derivatives */
  char **name;             /* [count] */
} derivatives;

/** Copies the parameters and lists the derivatives of columns with these names [columns], NULL: it
 * has none.  On failure it must be released all the same. */
torsor_status derivatives_create(derivatives *out, const torsor_sensitivities *by,
                                 const char *const *names, int columns, torsor_error *error);
void derivatives_release(derivatives *d);

#endif
