/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes the place of minimise.c where NLopt is not there. */
#include <torsor/base.h>

#include "cli/study/fit.h"

torsor_status search_minimise(search_result *out, evaluator *e, torsor_error *error) {
  (void)e;
  *out = (search_result){.objective = 0};
  torsor_fail(error, TORSOR_FILE, "this command was built without NLopt, which minimises");
  torsor_hint(error, "install it (Debian: apt install libnlopt-dev) and build again");
  return TORSOR_FILE;
}
