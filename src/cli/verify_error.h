/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_VERIFY_ERROR_H
#define TORSOR_CLI_VERIFY_ERROR_H

#include <torsor/result.h>

#include "cli/session.h"

/** The errors of a run, by a second one with half the step or, under error control, with half the
 *  tolerances. */
typedef struct verified_error {
  torsor_verified_signal *signal; /* [count] allocated */
  int count;
  const char *by; /* how the second run differs; NULL: there was none */
} verified_error;

/** Run the scene again and compare with the rows in the file `trajectory`.  Warnings of the second
 *  run are those of the first, and not repeated. */
torsor_status verify_error_find(verified_error *out, const session *s, const char *trajectory,
                                const cli *common, torsor_error *error);

void verify_error_print(text *t, const verified_error *v);

void verify_error_release(verified_error *v);

#endif
