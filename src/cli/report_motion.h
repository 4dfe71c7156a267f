/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_REPORT_MOTION_H
#define TORSOR_CLI_REPORT_MOTION_H

/** The 3D part of a result on a page: frames from state.nc, geometry from scene.json. */

#include "cli/report_result.h"

/** Append the member "motion" of the result in the folder to `list`: frames and what can be plotted
 *  of them where it has a state.nc, no more than fits the page, and the geometry where it has a
 *  scene.json; nothing where it has neither.  `notices`, a JSON list without its brackets, receives
 *  a message for each part that is not available. */
torsor_status report_add_motion(text *list, page_data *data, text *notices,
                                const report_source *source, const cli *common,
                                torsor_error *error);

#endif
