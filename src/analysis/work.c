/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/work.h"

#include <math.h>
#include <string.h>

#include "analysis/signals.h"

static bool is_driven(const torsor_element_type *type) {
  for (const torsor_param *p = type->params; p->key; ++p)
    if (p->kind == TORSOR_PARAM_FUNCTION) return true;
  return false;
}

bool work_is_done_by(const model_element *e) {
  return e->type->kind == TORSOR_FORCE || e->dissipative ||
         (e->type->kind == TORSOR_JOINT && is_driven(e->type));
}

static bool dissipates(const model_element *e) {
  return e->dissipative || (e->type->kind == TORSOR_FORCE && !e->type->source);
}

bool work_needs_reactions(const work *w) {
  bool driven = false;
  for (int i = 0; i < w->model->element_count; ++i)
    driven |=
        w->model->element[i].type->kind == TORSOR_JOINT && is_driven(w->model->element[i].type);
  return w->impulses || (w->energies && (driven || w->model->reactive));
}

/* Central differences in time: truncation h^2 against round-off eps/h. */
static const double STEP = 6.055454452393343e-06;

static void rest_nodes(work *w, const assembly *a) {
  for (int i = 0; i < w->model->node_count; ++i) {
    w->moved[i] = *assembly_motion(a, i);
    w->moved[i].V = w->moved[i].A = tw_zero();
  }
}

/* The element's input with its nodes at `w->moved`. */
static torsor_element_in moved_in(const work *w, const model_element *e, torsor_element_in in,
                                  const torsor_motion **seen) {
  for (int k = 0; k < e->nodes; ++k) seen[k] = &w->moved[e->node[k]];
  in.node = seen;
  return in;
}

static double stored_energy(const model_element *e, const torsor_element_in *in) {
  torsor_balance balance = {0};
  e->type->balance(e->instance, in, &balance);
  return balance.potential + balance.elastic;
}

/* d/dt of the energy that a force stores, at fixed t. */
static double stored_rate(work *w, const model_element *e, const torsor_element_in *in) {
  if (!e->type->balance) return 0;
  double speed = 1, rate = 0;
  for (int k = 0; k < e->nodes; ++k)
    speed = fmax(speed, v3_norm(in->node[k]->V.lin) + v3_norm(in->node[k]->V.ang));
  const double h = STEP / speed;
  for (int side = -1; side <= 1; side += 2) {
    const torsor_motion *seen[TORSOR_ELEMENT_NODES];
    for (int k = 0; k < e->nodes; ++k) {
      const torsor_motion *m = in->node[k];
      torsor_motion *to = &w->moved[e->node[k]];
      to->x = v3_axpy(side * h, m3_mulv(m->R, m->V.lin), m->x);
      to->R = m3_mul(m->R, so3_rodrigues(v3_scale(m->V.ang, side * h)));
    }
    const torsor_element_in at = moved_in(w, e, *in, seen);
    rate += side * stored_energy(e, &at) / (2 * h);
  }
  for (int k = 0; k < e->nodes; ++k) {
    w->moved[e->node[k]].x = in->node[k]->x;
    w->moved[e->node[k]].R = in->node[k]->R;
  }
  return rate;
}

/* Power of a joint: -lambda^T B V = lambda^T Phi_t, and Phi_t is phi_v at rest. */
static torsor_status joint_power(double *power, work *w, const model_element *e,
                                 const torsor_element_in *in) {
  double phi_t[TORSOR_ELEMENT_ROWS] = {0};
  const torsor_motion *seen[TORSOR_ELEMENT_NODES];
  const torsor_element_in at = moved_in(w, e, *in, seen);
  torsor_element_out out = {.phi_v = phi_t};
  const torsor_status status = e->type->eval(e->instance, &at, &out);
  *power = 0;
  for (int row = 0; row < e->rows; ++row) *power += in->lambda[row] * phi_t[row];
  return status;
}

static double wrench_power(const double *r, const model_element *e, const torsor_element_in *in) {
  double power = 0;
  for (int k = 0; k < e->nodes; ++k) power -= tw_dot(tw_load(r + 6 * k), in->node[k]->V);
  return power;
}

/* Add what an element's residual applies, to inertial axes about the origin. */
static void add_outside(v3 *force, v3 *moment, const double *r, const torsor_model *model,
                        const model_element *e, const torsor_element_in *in) {
  for (int k = 0; k < e->nodes; ++k) {
    if (model->node[e->node[k]].init.abstract) continue;
    const torsor_motion *m = in->node[k];
    const v3 f = m3_mulv(m->R, v3_load(r + 6 * k));
    *force = v3_sub(*force, f);
    *moment = v3_sub(*moment, v3_add(m3_mulv(m->R, v3_load(r + 6 * k + 3)), v3_cross(m->x, f)));
  }
}

/* Powers, and the resultant of everything: inner forces cancel, and bodies at rest answer with their
 * weight. */
static torsor_status find_rates(work *w, double *power, v3 *force, v3 *moment, const assembly *a,
                                const torsor_point *p) {
  *force = *moment = v3_zero();
  rest_nodes(w, a);
  for (int i = 0; i < w->model->element_count; ++i) {
    const model_element *e = &w->model->element[i];
    const torsor_kind kind = e->type->kind;
    const torsor_element_in in = assembly_element_in(a, i, p);
    torsor_status status = TORSOR_OK;
    power[i] = 0;
    if (!assembly_acts(a, i)) continue;
    if (e->dissipative && w->energies) power[i] = -e->type->loss(e->instance, &in);
    if (kind == TORSOR_JOINT && w->energies && is_driven(e->type))
      status = joint_power(&power[i], w, e, &in);
    if (!status && (w->impulses || kind == TORSOR_FORCE)) {
      double r[6 * TORSOR_ELEMENT_NODES] = {0};
      const torsor_motion *seen[TORSOR_ELEMENT_NODES];
      const torsor_element_in at = kind == TORSOR_BODY ? moved_in(w, e, in, seen) : in;
      torsor_element_out out = {.r = r};
      status = e->type->eval(e->instance, &at, &out);
      if (kind == TORSOR_FORCE) power[i] = wrench_power(r, e, &in) + stored_rate(w, e, &in);
      if (w->impulses) add_outside(force, moment, r, w->model, e, &in);
    }
    if (status) return status;
  }
  return TORSOR_OK;
}

torsor_status work_look(work *w, int point, const assembly *a, const torsor_point *p) {
  work_rates *at = &w->at[point];
  return find_rates(w, at->power, &at->force, &at->moment, a, p);
}

torsor_status work_restart(work *w, const assembly *a, const torsor_point *p) {
  w->t = w->end = p->t;
  w->points = WORK_BETWEEN;
  return w->energies || w->impulses ? work_look(w, WORK_END, a, p) : TORSOR_OK;
}

void work_walk(work *w, tape *t) {
  const int elements = w->model ? w->model->element_count : 0;
  TAPE_VALUE(t, w->t);
  TAPE_VALUE(t, w->end);
  TAPE_VALUE(t, w->points);
  for (int k = 0; k < (w->high ? WORK_POINTS : WORK_BETWEEN); ++k) {
    work_rates *at = &w->at[k];
    TAPE_ARRAY(t, at->power, elements);
    TAPE_VALUE(t, at->force);
    TAPE_VALUE(t, at->moment);
  }
  TAPE_ARRAY(t, w->done, elements);
  TAPE_VALUE(t, w->energy_start);
  TAPE_VALUE(t, w->impulse);
  TAPE_VALUE(t, w->angular_impulse);
  TAPE_ARRAY(t, w->shown, elements);
  TAPE_VALUE(t, w->shown_impulse);
  TAPE_VALUE(t, w->shown_angular_impulse);
  TAPE_WORK(t, w->moved, w->model ? w->model->node_count : 0);
}

torsor_status work_create(work *w, const torsor_model *model, arena *memory) {
  tape take = {.memory = memory};
  bool any = false;
  w->model = model;
  for (int i = 0; i < model->element_count; ++i) any |= work_is_done_by(&model->element[i]);
  w->energies &= any;
  work_walk(w, &take);
  return take.status;
}

torsor_status work_start(work *w, assembly *a, const torsor_point *p) {
  const torsor_balance sum = balance_sum(a, w->model, p);
  w->energy_start = sum.kinetic + sum.potential + sum.elastic;
  return work_restart(w, a, p);
}

/* Where the points are in a step: Lobatto's nodes. */
static const double node[WORK_POINTS] = {[WORK_BEGIN] = 0,
                                         [WORK_END] = 1,
                                         [WORK_BETWEEN] = 0.27639320225002103,
                                         [WORK_BETWEEN + 1] = 0.72360679774997897};

double work_time(const work *w, int point) {
  return w->t + node[point] * (w->end - w->t);
}

/* Integral from 0 to x of the polynomial that is 1 at one of the points and 0 at the others, by Gauss's
 * formula with two points, which is exact. */
static double integral(int points, int one, double x) {
  static const double gauss[] = {0.21132486540518713, 0.78867513459481287};
  double sum = 0;
  for (int g = 0; g < 2; ++g) {
    double value = 1;
    for (int k = 0; k < points; ++k)
      if (k != one) value *= (gauss[g] * x - node[k]) / (node[one] - node[k]);
    sum += value;
  }
  return x / 2 * sum;
}

void work_show(work *w, double t) {
  if (!w->energies && !w->impulses) return;
  const int elements = w->model->element_count;
  memcpy(w->shown, w->done, (size_t)elements * sizeof *w->shown);
  w->shown_impulse = w->impulse;
  w->shown_angular_impulse = w->angular_impulse;
  const double h = w->end - w->t;
  if (!(h > 0)) return;
  for (int k = 0; k < w->points; ++k) {
    const work_rates *at = &w->at[k];
    const double weight = h * integral(w->points, k, (t - w->t) / h);
    for (int i = 0; i < elements; ++i) w->shown[i] += weight * at->power[i];
    w->shown_impulse = v3_axpy(weight, at->force, w->shown_impulse);
    w->shown_angular_impulse = v3_axpy(weight, at->moment, w->shown_angular_impulse);
  }
}

/* The last step ends at t. */
static void close_step(work *w, double t) {
  work_show(w, t);
  memcpy(w->done, w->shown, (size_t)w->model->element_count * sizeof *w->done);
  w->impulse = w->shown_impulse;
  w->angular_impulse = w->shown_angular_impulse;
  w->t = w->end = t;
}

void work_switch(work *w, const assembly *a, int force, bool acts, const torsor_point *p) {
  const model_element *e = &w->model->element[force];
  if (!w->energies || !e->type->balance || assembly_acts(a, force) == acts) return;
  const torsor_element_in in = assembly_element_in(a, force, p);
  const double energy = stored_energy(e, &in);
  w->done[force] += acts ? energy : -energy;
}

void work_cut(work *w, double t) {
  if (w->energies || w->impulses) close_step(w, t);
}

void work_follow(work *w, double t) {
  if (!w->energies && !w->impulses) return;
  close_step(w, w->end);
  const work_rates end = w->at[WORK_END];
  w->at[WORK_END] = w->at[WORK_BEGIN];
  w->at[WORK_BEGIN] = end;
  w->end = t;
  w->points = w->high ? WORK_POINTS : WORK_BETWEEN;
}

work_sums work_sum(const work *w, double energy) {
  work_sums s = {0};
  for (int i = 0; w->energies && i < w->model->element_count; ++i) {
    if (dissipates(&w->model->element[i]))
      s.dissipated -= w->shown[i];
    else
      s.supplied += w->shown[i];
  }
  s.balance = energy - w->energy_start - s.supplied + s.dissipated;
  return s;
}
