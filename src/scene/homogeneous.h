/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_HOMOGENEOUS_H
#define TORSOR_SCENE_HOMOGENEOUS_H

/** Bodies whose mass follows from their shape and a density. */

#include <torsor/element.h>

#include "scene/reader.h"

typedef struct homogeneous {
  bool given;
  double mass;
  v3 center;
  m3 inertia; /* about the centre */
} homogeneous;

/** Does the type take "density" in place of a mass? */
bool homogeneous_takes(const torsor_element_type *type);

/** Read "density" of a body, and the shape that it fills.  out->given says whether there is one. */
torsor_status homogeneous_read(homogeneous *out, const reader *r, const torsor_element_type *type,
                               const json_node *element);

/** Fill the value of a parameter that follows from the density; false: it does not. */
bool homogeneous_give(void *member, const homogeneous *body, const torsor_param *param);

#endif
