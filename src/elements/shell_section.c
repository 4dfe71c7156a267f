/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/shell_section.h"

#include <math.h>
#include <string.h>

/* Part of the shear stiffness that holds the rotations about the normal: the smallest one of the
 * range over which thin twisted shells are not stiffened by it. */
static const double DRILL = 1e-3;

/* Shear correction of a homogeneous plate (Reissner). */
static const double CORRECTION = 5.0 / 6;

void shell_section_isotropic(shell_section *s, double thickness, double E, double nu,
                             double density) {
  const double h = thickness, plane = E / (1 - nu * nu), G = E / (2 * (1 + nu));
  const double Q[3][3] = {{plane, nu * plane, 0}, {nu * plane, plane, 0}, {0, 0, G}};
  memset(s, 0, sizeof *s);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      s->A[i][j] = h * Q[i][j];
      s->D[i][j] = h * h * h / 12 * Q[i][j];
    }
  s->S[0][0] = s->S[1][1] = CORRECTION * G * h;
  s->drill = DRILL * G * h;
  s->mass = density * h;
  s->turning = density * h * h * h / 12;
  s->thickness = h;
}
