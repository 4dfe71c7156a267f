/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_REPORT_SERIES_H
#define TORSOR_CLI_REPORT_SERIES_H

/** Selection and names of those numbers of full states that a report page can plot. */

#include <torsor/result.h>

#include "base/text.h"
#include "cli/report_result.h"

/** One number of a state. */
typedef struct series_place {
  torsor_field field;
  int index;
} series_place;

/** Append "name<tab>unit<newline>": the name of the signal. */
void series_append_name(text *out, const torsor_layout *layout, series_place place);

/** Chooses the signals that are plotted in addition to those that the page contains anyway, namely
 *  the fields `shown` and the outputs `vector` [the index of the first of 3 components].  These are
 *  the requested signals or, without a request, whole fields as long as `room` numbers suffice;
 *  `left_out` lists the fields that did not fit.  Returns ARGUMENT for an unknown name or when too
 *  many signals are requested.  The caller frees `*out`. */
typedef struct series_request {
  const torsor_layout *layout;
  unsigned fields, shown;
  const int *vector;
  size_t vectors;
  const report_source *source;
  size_t room;
} series_request;
torsor_status series_choose(series_place **out, size_t *count, text *left_out,
                            const series_request *request, torsor_error *error);

#endif
