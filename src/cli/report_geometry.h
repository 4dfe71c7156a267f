/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_REPORT_GEOMETRY_H
#define TORSOR_CLI_REPORT_GEOMETRY_H

/** Geometry of a model in the header of a report page (report/FORMAT.md). */

#include <torsor/model.h>

#include "base/text.h"

/** Append the geometry of `model` as a JSON object. */
torsor_status report_append_geometry(text *list, const torsor_model *model, torsor_error *error);

#endif
