/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_STUDY_RESPOND_H
#define TORSOR_CLI_STUDY_RESPOND_H

#include <torsor/scene.h>

#include "cli/study/reduce.h"

/** Fails with SCENE where the scene does not name one input. */
torsor_status respond_check(const torsor_scene *scene, torsor_error *error);

/** Shows the reductions the frequency response of the scene's input in place of rows over time:
 *  `t` is a frequency in Hz, a signal its amplitude per unit of the input. */
torsor_status respond(reductions *r, const torsor_scene *scene, const torsor_model *model,
                      double *row, torsor_error *error);

#endif
