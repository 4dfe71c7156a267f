/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_SECTION_H
#define TORSOR_SECTION_H

/** Sections of beams. */

#include <torsor/base.h>
#include <torsor/lie.h>

TORSOR_BEGIN_DECLS

/** Shapes of the section of a beam; see docs/scene.md. */
typedef enum torsor_shape {
  TORSOR_SHAPE_NONE,
  TORSOR_SHAPE_RECTANGLE,
  TORSOR_SHAPE_CIRCLE,
  TORSOR_SHAPE_TUBE,
  TORSOR_SHAPE_BOX,
  TORSOR_SHAPE_I,
  TORSOR_SHAPES
} torsor_shape;

enum { TORSOR_SECTION_SIZES = 4, TORSOR_POINT_NAME = 32 };

/** Point of a section where stresses can be asked for. */
typedef struct torsor_section_point {
  char name[TORSOR_POINT_NAME];
  double y, z;           /* m, where the section has a shape, */
  double recovery[3][6]; /* else its stresses xx, xy, xz (Pa) per force (N) and moment (N m) */
} torsor_section_point;

/** Section of a beam; x along the beam.  Absent: stiffness.m[0][0] is NaN. */
typedef struct torsor_section {
  torsor_shape shape;                /* TORSOR_SHAPE_NONE: only the matrices are given */
  double size[TORSOR_SECTION_SIZES]; /* m, in the order of the shape's words */
  double E, G, density;              /* Pa, kg/m^3 */
  double shear[2], torsion; /* coefficients along y and z, constant (m^4), if given: else NaN */
  m6 stiffness;             /* of strains and curvatures, N, N m, N m^2 */
  m6 inertia;               /* per length, kg/m, kg, kg m */
  const torsor_section_point *point; /* [points], as given; lives as long as the scene */
  int points;
} torsor_section;

/** Sections along a beam, one at least.  What it points at lives as long as the scene. */
typedef struct torsor_section_table {
  const double *at;              /* [count] parts of the length, not descending */
  const torsor_section *section; /* [count] */
  int count;
} torsor_section_table;

TORSOR_END_DECLS

#endif
