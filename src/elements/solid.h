/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_SOLID_H
#define TORSOR_ELEMENTS_SOLID_H

/** Default solids, drawn for bodies without a "shape". */

#include <torsor/element.h>

/** The homogeneous solid of this mass (kg) with the inertia J (kg m^2) about its middle c (m): a
 *  sphere, a cylinder where two principal moments agree, else a box. */
void solid_equimomental(torsor_solid *out, double mass, m3 J, v3 c);

/** A ball of this mass, as heavy as water. */
void solid_guess_ball(torsor_solid *out, double mass);

/** Radius (m) of a round bar of this mass per length (kg/m), as heavy as water. */
double solid_guess_radius(double density);

#endif
