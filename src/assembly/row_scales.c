/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/assembly_private.h"

#include <math.h>

/* Every place counts as one that moves: also that of a body which turns about it. */
static torsor_status element_scales(double *scale, const torsor_model *model,
                                    const model_element *e, const torsor_element_in *in,
                                    double length) {
  double B[TORSOR_ELEMENT_ROWS * 6 * TORSOR_ELEMENT_NODES] = {0};
  torsor_element_out out = {.B = B};
  const torsor_status status = e->type->eval(e->instance, in, &out);
  for (int i = 0; i < e->rows; ++i) {
    double moved = 0, turned = 0;
    for (int k = 0; k < 6 * e->nodes; ++k) {
      const bool rotation = k % 6 > 2;
      if (rotation && model->node[e->node[k / 6]].init.group == TORSOR_GROUP_R3) continue;
      double *most = rotation ? &turned : &moved;
      *most = fmax(*most, fabs(B[i * 6 * e->nodes + k]));
    }
    scale[i] = moved * length + turned;
  }
  return status;
}

torsor_status assembly_row_scales(double *scale, assembly *a, const torsor_point *p,
                                  double length) {
  torsor_status status = TORSOR_OK;
  assembly_set_motion(a, p);
  for (int i = 0; !status && i < a->model->element_count; ++i) {
    const model_element *e = &a->model->element[i];
    if (!e->rows) continue;
    const torsor_element_in in = element_in(a, i, p);
    status = element_scales(scale + e->first_row, a->model, e, &in, length);
  }
  return status;
}

double assembly_turn_length(assembly *a, const torsor_point *p, double *mass) {
  const double moved = assembly_moved_mass(a, p), turned = assembly_turned_mass(a, p);
  const double length = moved > 0 && turned > 0 ? sqrt(turned / moved) : a->model->length;
  const double radius = length > 0 ? length : 1; /* nothing has a size */
  *mass = moved > 0 ? moved : turned / (radius * radius);
  return radius;
}

/* Rows that nothing moves now may be moved later, then as much as others are. */
static void fill_gaps(double *scale, int n) {
  double sum = 0;
  int count = 0;
  for (int i = 0; i < n; ++i) {
    if (!isfinite(scale[i])) scale[i] = 0;
    sum += scale[i];
    count += scale[i] > 0;
  }
  for (int i = 0; i < n; ++i)
    if (!(scale[i] > 0)) scale[i] = count ? sum / count : 1;
}

/* scale [nl] = that of the rows with weights of translations and rotations in place of those of the single nodes. */
static void find_scales(double *scale, assembly *a, const torsor_point *p, double moves,
                        double turns) {
  const int nl = a->model->nl;
  if (assembly_row_scales(scale, a, p, sqrt(turns / moves)))
    for (int i = 0; i < nl; ++i) scale[i] = 0;
  for (int i = 0; i < nl; ++i) scale[i] /= sqrt(turns);
  fill_gaps(scale, nl);
}

/* The largest weights of the metric of corrections. */
static void find_weights(assembly *a, const torsor_point *p, double *moves, double *turns) {
  assembly_find_metric(a, p);
  *moves = *turns = 0;
  for (int i = 0; i < a->model->node_count; ++i) {
    if (a->model->node[i].init.abstract) continue;
    const node_inertia *of = &a->inertia[i];
    *moves = fmax(*moves, of->mass);
    for (int j = 0; j < 3; ++j) *turns = fmax(*turns, of->moment[j]);
  }
  if (!(*moves > 0)) *moves = 1;
  if (!(*turns > 0)) *turns = 1;
}

void assembly_system_scales(assembly *a, const torsor_point *p, torsor_scales *out) {
  const double length = assembly_turn_length(a, p, &out->mass);
  double moves, turns;
  for (int i = 0; i < a->model->nv; ++i) out->component[i] = a->rotation[i] ? length : 1;
  find_scales(out->row, a, p, 1, length * length);
  find_weights(a, p, &moves, &turns);
  find_scales(out->correction, a, p, moves, turns);
}
