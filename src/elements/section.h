/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_SECTION_H
#define TORSOR_ELEMENTS_SECTION_H

#include <torsor/element.h>

/** Name of a shape and the words for its sizes (m), NULL-terminated. */
typedef struct section_shape {
  const char *name;
  const char *size[TORSOR_SECTION_SIZES + 1];
} section_shape;

/** Indexed by torsor_shape; the first has no name: its matrices are given. */
extern const section_shape section_shapes[TORSOR_SHAPES];

/** Area, second moments about y and z, and torsion constant (m^2, m^4), shear coefficients for
 *  forces along y and z. */
typedef struct section_properties {
  double A, Iy, Iz, J, ky, kz;
} section_properties;

/** Computes the properties of the shape; values that the section gives instead do not count. */
section_properties section_measure(const torsor_section *section);

/** Stiffness and inertia of a section with a shape; NULL, or what is wrong with its sizes. */
const char *section_fill(torsor_section *section);

/** The section a part `s` of the way from `a` to `b`: sizes and material in between where both have
 *  the same shape, else the matrices. */
torsor_section section_between(const torsor_section *a, const torsor_section *b, double s);

/** Its outline; where only the matrices are given, that of a rectangle with the same E I/E A. */
void section_outline(torsor_outline *out, const torsor_section *section);

#endif
