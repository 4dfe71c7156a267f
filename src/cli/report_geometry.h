/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_REPORT_GEOMETRY_H
#define TORSOR_CLI_REPORT_GEOMETRY_H

/** What a model looks like, as the head of a page has it (report/FORMAT.md). */

#include <torsor/model.h>

#include "base/text.h"

/** Append the geometry of `model` as a JSON object. */
torsor_status report_append_geometry(text *list, const torsor_model *model, torsor_error *error);

#endif
