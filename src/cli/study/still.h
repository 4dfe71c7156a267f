/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_CLI_STUDY_STILL_H
#define TORSOR_CLI_STUDY_STILL_H

#include <torsor/scene.h>

#include "cli/study/reduce.h"

/** Shows the reductions the path of statics in place of rows over time: `t` is the load. */
torsor_status still_path(reductions *r, const torsor_scene *scene, const torsor_model *model,
                         torsor_error *error);

/** Finds the modes that outputs ask for. */
torsor_status still_modes(reductions *r, const torsor_scene *scene, const torsor_model *model,
                          torsor_error *error);

#endif
