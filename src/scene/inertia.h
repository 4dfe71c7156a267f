/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SCENE_INERTIA_H
#define TORSOR_SCENE_INERTIA_H

#include <torsor/element.h>

#include "scene/reader.h"

/** Inertia about the centre of mass: [Jx, Jy, Jz], 3x3, or an object with "moments" and "products"
 *  in axes of their own; symmetric, positive definite, and within the triangle inequality of
 *  principal moments.  With "about" in the object it is that about this point. */
torsor_status inertia_read(m3 *out, const reader *r, const json_node *node);

/** Once all values of the instance are read: take an inertia about another point ("about") to the
 *  centre of mass. */
torsor_status inertia_complete(void *instance, const reader *r, const torsor_element_type *type,
                               const json_node *element);

#endif
