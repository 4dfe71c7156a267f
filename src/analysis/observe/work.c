/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/observe/work.h"

#include <math.h>
#include <string.h>

#include "analysis/observe/signals.h"

#include "elements/control_block.h"

static bool is_driven(const torsor_element_type *type) {
  for (const torsor_param *p = type->params; p->key; ++p)
    if (p->kind == TORSOR_PARAM_FUNCTION) return true;
  return false;
}

torsor_balance balance_sum(const assembly *a, const torsor_model *model, const torsor_point *p) {
  torsor_balance sum = {0};
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    if (!e->type->energy.balance || !assembly_acts(a, i)) continue;
    const torsor_element_in in = assembly_element_in(a, i, p);
    e->type->energy.balance(e->instance, &in, &sum);
  }
  return sum;
}

bool work_is_done_by(const model_element *e) {
  return e->type->kind == TORSOR_FORCE || e->dissipative ||
         (e->type->kind == TORSOR_JOINT && is_driven(e->type));
}

static bool dissipates(const model_element *e) {
  return e->dissipative || (e->type->kind == TORSOR_FORCE && !e->type->energy.source);
}

/* Does the element have an entry of its own for what it is supplied with? */
static bool is_supplied(const model_element *e) {
  return e->type->kind == TORSOR_FORCE && e->type->energy.supply;
}

bool work_needs_reactions(const work *w) {
  bool driven = false;
  for (int i = 0; i < w->model->element_count; ++i)
    driven |=
        w->model->element[i].type->kind == TORSOR_JOINT && is_driven(w->model->element[i].type);
  return w->impulses || (w->energies && (driven || w->model->reactive));
}

/* Relative step of central differences in time: truncation h^2 against round-off eps/h, with h
 * relative to the time in which a force moves by its length. */
static const double STEP = 6.055454452393343e-06;

static void rest_nodes(work *w, const assembly *a) {
  for (int i = 0; i < w->model->node_count; ++i) {
    w->moved[i] = *assembly_motion(a, i);
    w->moved[i].V = w->moved[i].A = tw_zero();
  }
}

/* Returns the element's input with its nodes at `w->moved`. */
static torsor_element_in moved_in(const work *w, const model_element *e, torsor_element_in in,
                                  const torsor_motion **seen) {
  for (int k = 0; k < e->nodes; ++k) seen[k] = &w->moved[e->node[k]];
  in.node = seen;
  return in;
}

static double stored_energy(const model_element *e, const torsor_element_in *in) {
  torsor_balance balance = {0};
  e->type->energy.balance(e->instance, in, &balance);
  return balance.potential + balance.elastic;
}

/* Returns the rate, 1/s, at which a force moves relative to its length, or rotates: the length is
 * that between its nodes or the largest lever arm or, of a force on a single body without any, the
 * distance from the origin. */
static double relative_speed(const work *w, const model_element *e, const torsor_element_in *in) {
  double length = w->model->length, linear = 0, angular = 0;
  for (int k = 0; k < e->nodes; ++k) {
    length = fmax(length, v3_norm(v3_sub(in->node[k]->x, in->node[0]->x)));
    linear = fmax(linear, v3_norm(in->node[k]->V.lin));
    angular = fmax(angular, v3_norm(in->node[k]->V.ang));
  }
  if (!(length > 0)) length = v3_norm(in->node[0]->x);
  return length > 0 ? fmax(linear / length, angular) : fmax(linear, angular);
}

/* Returns the rate of the energy that a force stores, at fixed t. */
static double stored_rate(work *w, const model_element *e, const torsor_element_in *in) {
  if (!e->type->energy.balance) return 0;
  const double speed = relative_speed(w, e, in), h = STEP / speed;
  double rate = 0;
  if (!(speed > 0)) return 0;
  for (int side = -1; side <= 1; side += 2) {
    const torsor_motion *seen[e->nodes + 1];
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

/* Finds the power of a joint: -lambda^T B V = lambda^T Phi_t, where Phi_t is phi_v at rest. */
static torsor_status joint_power(double *power, work *w, const model_element *e,
                                 const torsor_element_in *in) {
  double phi_t[TORSOR_ELEMENT_ROWS] = {0};
  const torsor_motion *seen[e->nodes + 1];
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

/* Adds the force and the moment of an element's residual, in inertial axes, about the origin. */
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

/* Adds the part of one element to the reaction at the fixed origin of a body of the group SO(3),
 * which is constrained without a joint: that reaction is the sum of the residuals, in motion, of
 * all elements of its node, its inertia among them. */
static torsor_status add_origin_reaction(v3 *force, v3 *moment, const torsor_model *model,
                                         const model_element *e, const torsor_element_in *in) {
  bool fixed = false;
  for (int k = 0; k < e->nodes; ++k)
    fixed |= model->node[e->node[k]].init.group == TORSOR_GROUP_SO3;
  if (!fixed) return TORSOR_OK;
  double r[6 * e->nodes + 1];
  memset(r, 0, sizeof r);
  torsor_element_out out = {.r = r};
  const torsor_status status = e->type->eval(e->instance, in, &out);
  for (int k = 0; k < e->nodes; ++k) {
    if (model->node[e->node[k]].init.group != TORSOR_GROUP_SO3) continue;
    const v3 f = m3_mulv(in->node[k]->R, v3_load(r + 6 * k));
    *force = v3_add(*force, f);
    *moment = v3_add(*moment, v3_cross(in->node[k]->x, f));
  }
  return status;
}

/* Finds the power of one element and, where it is wanted (`sum`), its contribution to the
 * resultant: internal forces cancel, and bodies at rest contribute their weight. */
static torsor_status find_rate(work *w, double *power, work_rates *sum, const assembly *a, int i,
                               const torsor_point *p) {
  const model_element *e = &w->model->element[i];
  const torsor_kind kind = e->type->kind;
  const torsor_element_in in = assembly_element_in(a, i, p);
  torsor_status status = TORSOR_OK;
  *power = 0;
  if (!assembly_acts(a, i) || control_is_block(e->type)) return TORSOR_OK;
  if (e->dissipative && w->energies) *power = -e->type->energy.loss(e->instance, &in);
  if (kind == TORSOR_JOINT && w->energies && is_driven(e->type))
    status = joint_power(power, w, e, &in);
  const bool known = kind == TORSOR_FORCE && e->type->energy.loss;
  if (known && w->energies) *power = -e->type->energy.loss(e->instance, &in);
  if (status || !(sum || (kind == TORSOR_FORCE && !known))) return status;
  double r[6 * e->nodes + 1];
  memset(r, 0, sizeof r);
  const torsor_motion *seen[e->nodes + 1];
  const bool inert = kind == TORSOR_BODY || (e->type->tangents.has & TORSOR_HAS_M);
  const torsor_element_in at = inert ? moved_in(w, e, in, seen) : in;
  torsor_element_out out = {.r = r};
  status = e->type->eval(e->instance, &at, &out);
  if (kind == TORSOR_FORCE && !known) *power = wrench_power(r, e, &in) + stored_rate(w, e, &in);
  if (!sum || status) return status;
  add_outside(&sum->force, &sum->moment, r, w->model, e, &in);
  return add_origin_reaction(&sum->force, &sum->moment, w->model, e, &in);
}

/* The powers that are supplied to elements, behind those of the elements. */
static void find_supplies(const work *w, double *power, const assembly *a, const torsor_point *p) {
  int entry = w->model->element_count;
  for (int i = 0; i < w->model->element_count; ++i) {
    const model_element *e = &w->model->element[i];
    if (!is_supplied(e)) continue;
    const torsor_element_in in = assembly_element_in(a, i, p);
    power[entry++] = assembly_acts(a, i) ? e->type->energy.supply(e->instance, &in) : 0;
  }
}

torsor_status work_look(work *w, int point, const assembly *a, const torsor_point *p) {
  work_rates *at = &w->at[point];
  torsor_status status = TORSOR_OK;
  at->force = at->moment = v3_zero();
  rest_nodes(w, a);
  for (int i = 0; i < w->model->element_count && !status; ++i)
    status = find_rate(w, &at->power[i], w->impulses ? at : NULL, a, i, p);
  if (!status && w->energies) find_supplies(w, at->power, a, p);
  return status;
}

torsor_status work_look_middle(work *w, bool way, const assembly *a, const torsor_point *p) {
  double *power = way ? w->way : w->middle;
  torsor_status status = TORSOR_OK;
  rest_nodes(w, a);
  for (int i = 0; i < w->model->element_count && !status; ++i)
    if (dissipates(&w->model->element[i])) status = find_rate(w, &power[i], NULL, a, i, p);
  *(way ? &w->has_way : &w->has_middle) = status == TORSOR_OK;
  return status;
}

/* Returns what an element counts as dissipated beside its power. */
static double lost_by(const work *w, const assembly *a, int i, const torsor_point *p) {
  const model_element *e = &w->model->element[i];
  if (!e->type->energy.lost || !assembly_acts(a, i)) return 0;
  const torsor_element_in in = assembly_element_in(a, i, p);
  return e->type->energy.lost(e->instance, &in);
}

/* The count of a force jumps where it is switched or changed: it goes on from the one shown. */
static void go_on(work *w, const assembly *a, const torsor_point *p) {
  for (int i = 0; w->energies && i < w->model->element_count; ++i)
    if (w->model->element[i].type->energy.lost) w->zero[i] = lost_by(w, a, i, p) - w->lost[i];
}

torsor_status work_restart(work *w, const assembly *a, const torsor_point *p) {
  go_on(w, a, p);
  w->t = w->end = p->t;
  w->points = WORK_BETWEEN;
  w->has_middle = w->has_way = false;
  return w->energies || w->impulses ? work_look(w, WORK_END, a, p) : TORSOR_OK;
}

void work_walk(work *w, tape *t) {
  TAPE_VALUE(t, w->t);
  TAPE_VALUE(t, w->end);
  TAPE_VALUE(t, w->points);
  TAPE_VALUE(t, w->has_middle);
  TAPE_VALUE(t, w->has_way);
  for (int k = 0; k < w->most; ++k) {
    work_rates *at = &w->at[k];
    TAPE_ARRAY(t, at->power, w->entries);
    TAPE_VALUE(t, at->force);
    TAPE_VALUE(t, at->moment);
  }
  TAPE_ARRAY(t, w->middle, w->entries);
  TAPE_ARRAY(t, w->way, w->entries);
  TAPE_ARRAY(t, w->done, w->entries);
  TAPE_ARRAY(t, w->lost, w->model ? w->model->element_count : 0);
  TAPE_ARRAY(t, w->zero, w->model ? w->model->element_count : 0);
  TAPE_VALUE(t, w->doubt);
  TAPE_VALUE(t, w->energy_start);
  TAPE_VALUE(t, w->impulse);
  TAPE_VALUE(t, w->angular_impulse);
  TAPE_ARRAY(t, w->shown, w->entries);
  TAPE_VALUE(t, w->shown_doubt);
  TAPE_VALUE(t, w->shown_impulse);
  TAPE_VALUE(t, w->shown_angular_impulse);
  TAPE_WORK(t, w->moved, w->model ? w->model->node_count : 0);
}

torsor_status work_create(work *w, const torsor_model *model, arena *memory) {
  tape take = {.memory = memory};
  bool any = false;
  w->model = model;
  w->entries = model->element_count;
  for (int i = 0; i < model->element_count; ++i) {
    any |= work_is_done_by(&model->element[i]);
    w->entries += is_supplied(&model->element[i]);
  }
  w->energies &= any;
  work_walk(w, &take);
  return take.status;
}

torsor_status work_start(work *w, assembly *a, const torsor_point *p) {
  const torsor_balance sum = balance_sum(a, w->model, p);
  w->energy_start = sum.kinetic + sum.potential + sum.elastic;
  return work_restart(w, a, p);
}

/* The points of a step: the Gauss-Lobatto nodes, for up to four points and for six. */
static const double nodes[2][WORK_POINTS] = {{[WORK_BEGIN] = 0,
                                              [WORK_END] = 1,
                                              [WORK_BETWEEN] = 0.27639320225002103,
                                              [WORK_BETWEEN + 1] = 0.72360679774997897},
                                             {[WORK_BEGIN] = 0,
                                              [WORK_END] = 1,
                                              [WORK_BETWEEN] = 0.11747233803526765,
                                              [WORK_BETWEEN + 1] = 0.35738424175967745,
                                              [WORK_BETWEEN + 2] = 0.64261575824032255,
                                              [WORK_BETWEEN + 3] = 0.88252766196473235}};

static const double *nodes_of(int points) {
  return nodes[points > WORK_BETWEEN + 2];
}

double work_time(const work *w, int point) {
  return w->t + nodes_of(w->points)[point] * (w->end - w->t);
}

/* Returns the integral from 0 to x of the Lagrange polynomial of one of the points, by Gauss's rule
 * with two points, or three where there are six, which is exact. */
static double integral(int points, int one, double x) {
  static const double gauss[2][3] = {{0.21132486540518713, 0.78867513459481287},
                                     {0.11270166537925831, 0.5, 0.88729833462074169}};
  static const double weight[2][3] = {{1.0 / 2, 1.0 / 2}, {5.0 / 18, 8.0 / 18, 5.0 / 18}};
  const int rule = points > WORK_BETWEEN + 2;
  const double *node = nodes_of(points);
  double sum = 0;
  for (int g = 0; g < 2 + rule; ++g) {
    double value = weight[rule][g];
    for (int k = 0; k < points; ++k)
      if (k != one) value *= (gauss[rule][g] * x - node[k]) / (node[one] - node[k]);
    sum += value;
  }
  return x * sum;
}

/* A step does not resolve the dissipation of a force where the powers at the mean velocity of its
 * ends and at that of its increment differ by more than this fraction of the largest power at the
 * ends: rules of higher order are meaningless then... */
static const double UNRESOLVED = 0.1;
/* ... and where their result exceeds that power by more than this factor. */
static const double MOST_BETWEEN = 2;
/* The error of the rule is about the square of the relative difference, times this. */
static const double OF_SQUARE = 4;

/* Returns an error measure: the difference between the trapezoidal rule and the dissipation at the
 * mean velocity, and a part of the difference between the powers at the ends. */
static double coarseness(const work *w, int i) {
  const double h = w->end - w->t;
  const double first = h * w->at[WORK_BEGIN].power[i], last = h * w->at[WORK_END].power[i];
  const double change = first - last, most = fabs(first) + fabs(last);
  const double off = fabs((first + last) / 2 - h * w->middle[i]);
  return off + (most > 0 ? change * change / (2 * most) : 0);
}

bool work_wants_way(const work *w) {
  return w->energies && w->has_middle && w->most > WORK_BETWEEN;
}

/* Returns the mean power of a force in the step.  A velocity that decays from v0 at the rate l
 * within a fraction of the step dissipates the geometric mean of the results for the mean v0/2 of
 * the ends and for that of the increment, v0/(l h).  In steps that resolve the decay these are the
 * same. */
static double mean_power(const work *w, int i) {
  const double middle = w->middle[i], way = w->has_way ? w->way[i] : middle;
  if (middle * way > 0) return copysign(sqrt(middle * way), middle);
  return fabs(middle) < fabs(way) ? middle : way;
}

/* Returns the dissipation of a force in the whole step: by the mean powers where the rule's `sum`
 * cannot be trusted; `doubt` receives an error bound.  A stiff damper stops the motion within a
 * fraction of a step: the power at one end is then hundreds of times the mean, or the velocity
 * changes its sign from step to step. */
static double dissipation(const work *w, double *doubt, int i, double sum) {
  const double h = w->end - w->t, taken = h * mean_power(w, i), off = fabs(sum - taken);
  const double ends = fmax(fabs(w->at[WORK_BEGIN].power[i]), fabs(w->at[WORK_END].power[i]));
  const double size = fmax(h * ends, fabs(taken)), apart = h * fabs(w->middle[i] - w->way[i]);
  *doubt = coarseness(w, i);
  if (w->most == WORK_BETWEEN) return taken;
  if (!w->has_way || apart > UNRESOLVED * size || fabs(sum) > MOST_BETWEEN * size) {
    *doubt += size;
    return taken;
  }
  *doubt = size > 0 ? off * fmin(1, OF_SQUARE * off / size) : 0;
  return sum;
}

/* Replaces the part x of the last step of dissipative forces in `shown`, which the rule has found,
 * by the dissipation above. */
static void show_dissipation(work *w, double x) {
  const double h = w->end - w->t;
  for (int i = 0; i < w->model->element_count; ++i) {
    if (!dissipates(&w->model->element[i])) continue;
    double sum = 0, doubt;
    for (int k = 0; k < w->points; ++k) sum += h * integral(w->points, k, 1) * w->at[k].power[i];
    const double taken = dissipation(w, &doubt, i, sum);
    w->shown_doubt += x * doubt;
    if (taken != sum) w->shown[i] = w->done[i] + x * taken;
  }
}

static void show_powers(work *w, double t) {
  if (!w->energies && !w->impulses) return;
  memcpy(w->shown, w->done, (size_t)w->entries * sizeof *w->shown);
  w->shown_doubt = w->doubt;
  w->shown_impulse = w->impulse;
  w->shown_angular_impulse = w->angular_impulse;
  const double h = w->end - w->t;
  if (!(h > 0)) return;
  for (int k = 0; k < w->points; ++k) {
    const work_rates *at = &w->at[k];
    const double weight = h * integral(w->points, k, (t - w->t) / h);
    for (int i = 0; i < w->entries; ++i) w->shown[i] += weight * at->power[i];
    w->shown_impulse = v3_axpy(weight, at->force, w->shown_impulse);
    w->shown_angular_impulse = v3_axpy(weight, at->moment, w->shown_angular_impulse);
  }
  if (w->energies && w->has_middle) show_dissipation(w, (t - w->t) / h);
}

void work_show(work *w, const assembly *a, const torsor_point *p) {
  show_powers(w, p->t);
  if (!w->energies) return;
  for (int i = 0; i < w->model->element_count; ++i)
    if (w->model->element[i].type->energy.lost) w->lost[i] = lost_by(w, a, i, p) - w->zero[i];
}

/* Completes the last step, which ends at t. */
static void close_step(work *w, double t) {
  show_powers(w, t);
  memcpy(w->done, w->shown, (size_t)w->entries * sizeof *w->done);
  w->doubt = w->shown_doubt;
  w->impulse = w->shown_impulse;
  w->angular_impulse = w->shown_angular_impulse;
  w->t = w->end = t;
}

void work_switch(work *w, const assembly *a, int force, bool acts, const torsor_point *p) {
  const model_element *e = &w->model->element[force];
  if (!w->energies || !e->type->energy.balance || assembly_acts(a, force) == acts) return;
  const torsor_element_in in = assembly_element_in(a, force, p);
  const double energy = stored_energy(e, &in);
  w->done[force] += acts ? energy : -energy;
}

void work_supply(work *w, int element, double energy) {
  if (w->energies) w->done[element] += energy;
}

/* Adds `sign` times the part of one element to the forces from outside at p (motion set). */
static torsor_status add_blow(work_rates *sum, const work *w, const assembly *a, int i, double sign,
                              const torsor_point *p) {
  const model_element *e = &w->model->element[i];
  if (!assembly_acts(a, i) || control_is_block(e->type)) return TORSOR_OK;
  const torsor_element_in in = assembly_element_in(a, i, p);
  double r[6 * e->nodes + 1];
  memset(r, 0, sizeof r);
  torsor_element_out out = {.r = r};
  v3 force = v3_zero(), moment = v3_zero();
  torsor_status status = TORSOR_OK;
  if (e->type->kind == TORSOR_JOINT) {
    status = e->type->eval(e->instance, &in, &out);
    add_outside(&force, &moment, r, w->model, e, &in);
  }
  if (!status) status = add_origin_reaction(&force, &moment, w->model, e, &in);
  sum->force = v3_axpy(sign, force, sum->force);
  sum->moment = v3_axpy(sign, moment, sum->moment);
  return status;
}

torsor_status work_strike(work *w, assembly *a, const torsor_point *blow,
                          const torsor_point *rest) {
  const torsor_point *const point[] = {blow, rest};
  work_rates sum = {0};
  torsor_status status = TORSOR_OK;
  for (int k = 0; k < 2 && w->impulses; ++k) {
    assembly_set_motion(a, point[k]);
    for (int i = 0; i < w->model->element_count && !status; ++i)
      status = add_blow(&sum, w, a, i, k ? -1 : 1, point[k]);
  }
  w->impulse = v3_add(w->impulse, sum.force);
  w->angular_impulse = v3_add(w->angular_impulse, sum.moment);
  return status;
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
  w->points = w->most;
  w->has_middle = w->has_way = false;
}

double work_of(const work *w, int element) {
  int entry = w->model->element_count;
  for (int i = 0; i < element; ++i) entry += is_supplied(&w->model->element[i]);
  const bool supplied = is_supplied(&w->model->element[element]);
  return w->shown[element] - w->lost[element] + (supplied ? w->shown[entry] : 0);
}

work_sums work_sum(const work *w, double energy) {
  work_sums s = {0};
  for (int i = 0; w->energies && i < w->entries; ++i) {
    if (i < w->model->element_count && dissipates(&w->model->element[i]))
      s.dissipated += w->lost[i] - w->shown[i];
    else
      s.supplied += w->shown[i];
  }
  s.doubt = w->energies ? w->shown_doubt : 0;
  s.balance = energy - w->energy_start - s.supplied + s.dissipated;
  return s;
}
