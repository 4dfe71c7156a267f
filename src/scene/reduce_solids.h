/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_REDUCE_SOLIDS_H
#define TORSOR_SCENE_REDUCE_SOLIDS_H

#include "scene/reader.h"
#include "scene/reduce_job.h"

/** Reads "material", "stresses" and "stiffening" of a task of reduction, whose mesh and interfaces
 *  are known: solid elements, points and the interfaces that bear the body.  Units of the mesh in
 *  m and kg. */
torsor_status reduce_solids_read(reduce_job *job, const reader *r, const json_node *root,
                                 double length, double mass);

#endif
