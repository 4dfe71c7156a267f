/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_TOUCHING_H
#define TORSOR_ELEMENTS_TOUCHING_H

/** Forces of two shapes that touch: all points of a pair, for the forces that have one or many. */

#include "elements/contact_law.h"

/** Two shapes and their law; a has the flatter one (touch_kind). */
typedef struct touching_pair {
  const contact_law *law;
  double face_stiffness; /* N/m^3, of two boxes */
  const touch_shape *a, *b;
  bool faced; /* both are boxes without rounding */
} touching_pair;

/** All points of a pair and their forces. */
typedef struct touching {
  contact_pair pair;
  int count;
  touch_point at[TOUCH_POINTS];
  contact_force force[TOUCH_POINTS];
} touching;

/** The core of a solid and the radius about it (rounding NaN: a part of the smallest extent); false
 *  where the kind has no contact. */
bool touching_shape(touch_shape *out, const torsor_solid *solid, double rounding);

/** Do these kinds touch each other?  Kind a <= kind b. */
bool touching_is_offered(touch_kind a, touch_kind b);

/** How many points of the pair keep numbers of their own. */
int touching_points(touch_kind a, touch_kind b);

/** The points and forces at a relative motion; TORSOR_DOMAIN where the shapes are in each other
 *  deeper than their distance is known. */
torsor_status touching_find(touching *t, const touching_pair *data, const torsor_relative_in *in);

/** Adds column k of the tangents: by the frame (0 to 5) or the twist of b. */
void touching_add_change(torsor_law_out *out, const touching *t, const touching_pair *data,
                         const torsor_relative_in *in, int k);

/** Power that the pair dissipates, W (see contact_loss). */
double touching_loss(const touching *t, const touching_pair *data);

/** The numbers that the pair keeps, contact_states(touching_points). */
void touching_keep(double *state, int states, const touching *t, const touching_pair *data);

#endif
