/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "variations.h"

void variation_step(double *end, double *size, const torsor_integrator *neighbour,
                    const torsor_integrator *motion, double t0, double t1, double h) {
  const grid *g = &motion->grid;
  const double from = neighbour->t, to = g->between && g->to > t1 ? g->to : t1;
  *end = t1;
  *size = h;
  if (!(from < t0 || from > t0)) return;
  *size = h * (to - from) / (to - t0);
  if (to > t1) *end = from + *size;
}
