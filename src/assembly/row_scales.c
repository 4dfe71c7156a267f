/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "assembly/assembly_private.h"

#include <math.h>
#include <string.h>

/* Finds, for each row of an element, its largest derivatives by translations and by rotations.
 * Every point counts as one that moves, also that of a body which rotates about it. */
static torsor_status element_sizes(double *moved, double *turned, const torsor_model *model,
                                   const model_element *e, const torsor_element_in *in) {
  double B[e->rows * 6 * e->nodes + 1];
  memset(B, 0, sizeof B);
  torsor_element_out out = {.B = B};
  const torsor_status status = e->type->eval(e->instance, in, &out);
  for (int i = 0; i < e->rows; ++i) {
    moved[i] = turned[i] = 0;
    for (int k = 0; k < 6 * e->nodes; ++k) {
      const bool rotation = k % 6 > 2;
      if (rotation && model->node[e->node[k / 6]].init.group == TORSOR_GROUP_R3) continue;
      double *most = rotation ? &turned[i] : &moved[i];
      *most = fmax(*most, fabs(B[i * 6 * e->nodes + k]));
    }
  }
  return status;
}

typedef double scale_of(double moved, double turned, double length);

static torsor_status find_scales(double *scale, assembly *a, const torsor_point *p, double length,
                                 scale_of *of) {
  torsor_status status = TORSOR_OK;
  assembly_set_motion(a, p);
  for (int i = 0; !status && i < a->model->element_count; ++i) {
    const model_element *e = &a->model->element[i];
    double moved[TORSOR_ELEMENT_ROWS], turned[TORSOR_ELEMENT_ROWS];
    if (!e->rows) continue;
    memset(moved, 0, sizeof moved);
    memset(turned, 0, sizeof turned);
    const torsor_element_in in = element_in(a, i, p);
    if (a->active[i]) status = element_sizes(moved, turned, a->model, e, &in);
    for (int row = 0; row < e->rows; ++row)
      scale[e->first_row + row] = of(moved[row], turned[row], length);
  }
  return status;
}

static double change_of(double moved, double turned, double length) {
  return moved * length + turned;
}

torsor_status assembly_row_scales(double *scale, assembly *a, const torsor_point *p,
                                  double length) {
  return find_scales(scale, a, p, length, change_of);
}

void assembly_row_sizes(assembly *a, const torsor_point *p, double *moved, double *turned) {
  assembly_set_motion(a, p);
  for (int i = 0; i < a->model->element_count; ++i) {
    const model_element *e = &a->model->element[i];
    memset(moved + e->first_row, 0, (size_t)e->rows * sizeof *moved);
    memset(turned + e->first_row, 0, (size_t)e->rows * sizeof *turned);
    if (!e->rows || !a->active[i]) continue;
    const torsor_element_in in = element_in(a, i, p);
    element_sizes(moved + e->first_row, turned + e->first_row, a->model, e, &in);
  }
}

/* Returns the square root of the diagonal of B W B^T, where W has the given weights for all
 * translations and rotations instead of those of the single nodes: light nodes between heavy ones
 * would hide how strongly a row constrains the latter. */
static double weigh_row(double moved, double turned, double moves, double turns) {
  return sqrt(moved * moved / moves + turned * turned / turns);
}

static double weight_of(double moved, double turned, double length) {
  return weigh_row(moved, turned, 1, length * length);
}

/* Gives rows without a scale the mean one: nothing moves them now, but something may later. */
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

torsor_status assembly_regular_rows(double *scale, assembly *a, const torsor_point *p,
                                    double length) {
  const torsor_status status = find_scales(scale, a, p, length, weight_of);
  fill_gaps(scale, a->model->nl);
  return status;
}

double assembly_turn_length(assembly *a, const torsor_point *p, double *mass) {
  const double moved = assembly_moved_mass(a, p), turned = assembly_turned_mass(a, p);
  const double length = moved > 0 && turned > 0 ? sqrt(turned / moved) : a->model->length;
  const double radius = length > 0 ? length : 1; /* used where nothing in the model has a size */
  *mass = moved > 0 ? moved : turned / (radius * radius);
  return radius;
}

/* Finds the largest weights of the metric of corrections, of translations and of rotations. */
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

/* Factor by which the regularisation of position rows exceeds that of velocity rows.  With factors
 * from 3 to 10 a chain of four-bars, which multiplies errors at its dead centres, is off by half of
 * what its reference allows, with 1 by six times that. */
static const double CORRECTIONS = 5;

void assembly_system_scales(assembly *a, const torsor_point *p, torsor_scales *out) {
  const double length = sqrt(NODE_TURNS) * assembly_turn_length(a, p, &out->mass);
  double moves, turns;
  for (int i = 0; i < a->model->nv; ++i) out->component[i] = a->rotation[i] ? length : 1;
  find_weights(a, p, &moves, &turns);
  assembly_row_sizes(a, p, out->row, out->correction);
  for (int i = 0; i < a->model->nl; ++i) {
    const double moved = out->row[i], turned = out->correction[i];
    out->row[i] = weight_of(moved, turned, length);
    out->correction[i] = CORRECTIONS * weigh_row(moved, turned, moves, turns);
  }
  fill_gaps(out->row, a->model->nl);
  fill_gaps(out->correction, a->model->nl);
}
