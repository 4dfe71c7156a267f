/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_SECTION_STRESS_H
#define TORSOR_ELEMENTS_SECTION_STRESS_H

/** Stresses at points of a section from its forces and moments. */

#include "elements/section.h"

/** Data from which the stresses in the middle of an element are recovered. */
typedef struct section_recovery {
  const torsor_section_point *from, *to; /* as given, on either side; NULL: those of the shape */
  double part;                           /* fraction of the way between them */
  int points;
  torsor_shape shape;
  double size[TORSOR_SECTION_SIZES]; /* m */
  double nu;
  section_properties of_shape;
} section_recovery;

/** The points of a section a part of the way from `from` to `to`: none where they have not the same
 *  ones. */
void section_recover(section_recovery *out, const torsor_section *from, const torsor_section *to,
                     double part);

/** Name of a point; NULL: there are no more. */
const char *section_point_name(const section_recovery *s, int point);

/** Stresses xx, xy, xz (Pa) at a point, of the forces (N) and moments (N m) of the section. */
void section_stress(double stress[3], const section_recovery *s, int point, const double force[6]);

/** Is the point (y, z), m, inside the material of a section with a shape? */
bool section_has_place(const torsor_section *s, double y, double z);

#endif
