/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_REPORT_MOTION_H
#define TORSOR_CLI_REPORT_MOTION_H

/** The 3D part of a result on a page: frames from state.nc, geometry from scene.json. */

#include "cli/cli.h"
#include "results/page.h"

/** Append the member "motion" of the result in `folder` to `list`: frames where it has a state.nc, no more than
 *  fits `share` results on a page, and the geometry where it has a scene.json; nothing where it has
 *  neither.  What could not be had is told in `notices`, a JSON list without its brackets. */
torsor_status report_add_motion(text *list, page_data *data, text *notices, const char *folder,
                                int share, const cli *common, torsor_error *error);

#endif
