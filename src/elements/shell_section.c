/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/shell_section.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Part of the shear stiffness that holds the rotations about the normal: the smallest one of the
 * range over which thin twisted shells are not stiffened by it. */
static const double DRILL = 1e-3;

/* Shear correction of a homogeneous plate (Reissner). */
static const double CORRECTION = 5.0 / 6;

torsor_layer shell_isotropic(double thickness, double E, double nu, double density) {
  const double G = E / (2 * (1 + nu));
  return (torsor_layer){.thickness = thickness,
                        .E1 = E,
                        .E2 = E,
                        .nu12 = nu,
                        .G12 = G,
                        .G13 = G,
                        .G23 = G,
                        .density = density};
}

/* Stiffness in the axes of the layer, and the turn of strains into them: T [3 x 3] of those in the
 * plane, the rotation (c, s) of the transverse shears. */
static void find_layer(shell_layer *out, double T[3][3], const torsor_layer *layer) {
  const double c = cos(layer->angle), s = sin(layer->angle);
  const double rows[3][3] = {
      {c * c, s * s, c * s}, {s * s, c * c, -c * s}, {-2 * c * s, 2 * c * s, c * c - s * s}};
  const double nu21 = layer->nu12 * layer->E2 / layer->E1, plane = 1 - layer->nu12 * nu21;
  const double Q[3][3] = {{layer->E1 / plane, nu21 * layer->E1 / plane, 0},
                          {nu21 * layer->E1 / plane, layer->E2 / plane, 0},
                          {0, 0, layer->G12}};
  memcpy(T, rows, sizeof rows);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      out->Q[i][j] = 0;
      for (int k = 0; k < 3; ++k) out->Q[i][j] += Q[i][k] * T[k][j];
    }
  out->shear[0][0] = layer->G13 * c, out->shear[0][1] = layer->G13 * s;
  out->shear[1][0] = -layer->G23 * s, out->shear[1][1] = layer->G23 * c;
}

/* Adds a layer between the heights z[0] and z[1]. */
static void add_layer(shell_section *s, const shell_layer *own, double T[3][3],
                      const torsor_layer *layer) {
  const double z0 = own->z[0], z1 = own->z[1], h = layer->thickness;
  const double first = (z1 * z1 - z0 * z0) / 2, second = (z1 * z1 * z1 - z0 * z0 * z0) / 3;
  const double c = cos(layer->angle), sine = sin(layer->angle);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double Q = 0;
      for (int k = 0; k < 3; ++k) Q += T[k][i] * own->Q[k][j];
      s->A[i][j] += Q * h, s->B[i][j] += Q * first, s->D[i][j] += Q * second;
    }
  for (int j = 0; j < 2; ++j) {
    s->S[0][j] += CORRECTION * h * (c * own->shear[0][j] - sine * own->shear[1][j]);
    s->S[1][j] += CORRECTION * h * (sine * own->shear[0][j] + c * own->shear[1][j]);
  }
  s->mass += layer->density * h;
  s->moment += layer->density * first;
  s->turning += layer->density * second;
}

static void name_layer(shell_layer *own, int i, int count) {
  for (int side = 0; side < 2; ++side) {
    const char *word = side ? "top" : "bottom";
    if (count == 1)
      snprintf(own->name[side], sizeof own->name[side], "%s", word);
    else
      snprintf(own->name[side], sizeof own->name[side], "layer%d_%s", i + 1, word);
  }
}

void shell_section_find(shell_section *s, shell_layer *out, const torsor_layer *layer, int count,
                        double offset) {
  double z = offset;
  memset(s, 0, sizeof *s);
  memset(out, 0, (size_t)count * sizeof *out);
  for (int i = 0; i < count; ++i) z -= layer[i].thickness / 2;
  for (int i = 0; i < count; ++i) {
    double T[3][3];
    out[i].z[0] = z;
    z += layer[i].thickness;
    out[i].z[1] = z;
    find_layer(&out[i], T, &layer[i]);
    name_layer(&out[i], i, count);
    add_layer(s, &out[i], T, &layer[i]);
  }
  if (count == 1 && offset == 0) { /* no round-off where both are zero */
    memset(s->B, 0, sizeof s->B);
    s->moment = 0;
  }
  s->drill = DRILL * s->A[2][2];
  s->layer = out;
  s->layers = count;
}
