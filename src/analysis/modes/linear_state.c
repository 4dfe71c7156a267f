/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/modes/linear_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/start/constraints.h"
#include "analysis/statics/equilibrium.h"
#include "analysis/start/initial.h"
#include "analysis/eigen/pencil.h"
#include "analysis/statics/statics.h"
#include "analysis/modes/steady.h"
#include "analysis/modes/steady_settle.h"
#include "integrator/method.h"

/* Imbalance that counts as balance: some times the rounding of velocities that were typed with six
 * digits. */
static const double BALANCED = 10 * DECIMAL_ROUNDING;

/* Round-off of inner forces, relative to stiffnesses times lengths, where there are no forces. */
static const double ROUND_OFF = 1e-13;

static torsor_status short_of_memory(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

static void warn_of(void *data, const char *message) {
  const torsor_hooks *hooks = data;
  if (hooks && hooks->warn) hooks->warn(hooks->data, message);
}

static torsor_status take_memory(linear_state *s) {
  const size_t nodes = (size_t)s->model->node_count, nv = (size_t)s->model->nv;
  const size_t nl = (size_t)s->model->nl;
  s->acceleration = arena_take(&s->memory, nv, sizeof(double));
  s->lambda = arena_take(&s->memory, nl, sizeof(double));
  s->work = arena_take(&s->memory, nv + nl, sizeof(double));
  s->begin = arena_take(&s->memory, (size_t)s->model->nq + 2 * nv + nl, sizeof(double));
  s->eta = arena_take(&s->memory, nodes, sizeof *s->eta);
  s->sigma = arena_take(&s->memory, nodes, sizeof *s->sigma);
  if (!s->acceleration || !s->lambda || !s->work || !s->begin || !s->eta || !s->sigma)
    return TORSOR_MEMORY;
  return tangents_create(&s->t, s->a, &s->memory);
}

/* Finds the positions and velocities of the scene, or of its equilibrium. */
static torsor_status find_start(linear_state *s, const torsor_modes_settings *settings,
                                const torsor_hooks *hooks, torsor_error *error) {
  const double *settled = NULL;
  initial_state initial = {0};
  if (settings->about == TORSOR_ABOUT_EQUILIBRIUM) {
    const torsor_statics defaults = torsor_statics_default();
    double *q = arena_take(&s->memory, (size_t)s->model->nq, sizeof *q);
    if (!q) return short_of_memory(error);
    const torsor_status status =
        statics_settle(q, s->a, s->model, settings->equilibrium ? settings->equilibrium : &defaults,
                       settings->linear_solver, hooks, error);
    if (status) return status;
    settled = q;
  }
  const torsor_status status =
      initial_state_find(&initial, s->a, s->model, settled, &s->memory, error);
  if (status) return status;
  if (!settled) initial_state_tell(&initial, s->model, warn_of, (void *)(size_t)hooks);
  s->q = initial.q;
  s->v = initial.v;
  s->settled = initial.settled;
  for (int i = 0; i < s->model->nv; ++i) s->moves |= s->v[i] != 0;
  return TORSOR_OK;
}

static torsor_point state_point(const linear_state *s) {
  return (torsor_point){.q = s->q, .v = s->v, .a = s->acceleration, .lambda = s->lambda};
}

static torsor_status find_accelerations(linear_state *s, torsor_error *error) {
  row_rank rank = {0};
  torsor_status status = constraints_rank(&rank, s->a, s->q);
  assembly_set_redundant(s->a, rank.dependent_count > 0);
  const torsor_point at = {.q = s->q, .v = s->v};
  const bool redundant = rank.dependent_count > 0;
  row_rank_release(&rank);
  if (!status) status = saddle_create(&s->systems, assembly_problem(s->a), &s->memory);
  if (!status && redundant) saddle_regularise(&s->systems, &at);
  if (s->settled)
    assembly_pass_coordinates(s->a, &at);
  else
    assembly_start_coordinates(s->a, &at);
  if (!status)
    status =
        start_accelerations(s->acceleration, s->lambda, NULL, &s->systems, 0, s->q, s->v, s->work);
  return status ? torsor_fail(error, status, "cannot find the accelerations: %s",
                              torsor_status_text(status))
                : TORSOR_OK;
}

/* ---- balance ------------------------------------------------------------------------------- */

/* Finds the largest sums, over the elements at a node, of the magnitudes of forces and of
 * moments. */
static torsor_status force_scale(linear_state *s, double *force, double *moment) {
  const torsor_model *model = s->model;
  const torsor_point p = {.q = s->q, .v = s->v, .lambda = s->lambda};
  double *sum = arena_take(&s->memory, 2 * (size_t)model->node_count, sizeof *sum);
  const torsor_status status = sum ? steady_forces(sum, s) : TORSOR_MEMORY;
  if (status) return status;
  const double length = model_size(model);
  *force = assembly_stiffness_scale(s->a, &p, length) * length * ROUND_OFF / BALANCED;
  *moment = *force;
  for (int i = 0; i < model->node_count; ++i) {
    *force = fmax(*force, sum[2 * i]);
    *moment = fmax(*moment, sum[2 * i + 1]);
  }
  *moment = fmax(*moment, *force * length);
  return TORSOR_OK;
}

/* Returns the acceleration of node i beyond that of a steady motion: V' + [sigma, V]. */
static twist left_over(const linear_state *s, int i) {
  const torsor_motion *m = assembly_motion(s->a, i);
  return tw_add(m->A, se3_ad_apply(s->sigma[i], m->V));
}

static torsor_status find_imbalance(linear_state *s) {
  const torsor_model *model = s->model;
  const torsor_point p = state_point(s);
  double force, moment, *x = arena_take(&s->memory, (size_t)model->nv, sizeof *x);
  torsor_status status = x ? force_scale(s, &force, &moment) : TORSOR_MEMORY;
  if (status) return status;
  assembly_set_motion(s->a, &p);
  steady_multiply_mass(s, x, left_over);
  s->left = (steady_remainder){.otherwise = -1};
  for (int i = 0; i < model->node_count; ++i) {
    const twist w = steady_node_twist(&model->node[i], s->work + model->node[i].first_v);
    const double part =
        fmax(force > 0 ? v3_norm(w.lin) / force : 0, moment > 0 ? v3_norm(w.ang) / moment : 0);
    if (!(part > s->left.part)) continue;
    s->left.part = part;
    s->left.node = i;
  }
  s->left.A = left_over(s, s->left.node);
  return TORSOR_OK;
}

/* Refuses a state that is in balance at t = 0 but does not remain so. */
static torsor_status refuse_balance(const linear_state *s, torsor_error *error) {
  const int other = s->left.otherwise, node = s->model->node[s->left.node].element;
  const char *name = s->model->element[other < 0 ? node : other].name;
  const torsor_status status = s->settles ? TORSOR_NEWTON : TORSOR_INCONSISTENT;
  char found[160] = "the initial motion is in balance, but it is not steady";
  if (s->settles)
    snprintf(found, sizeof found,
             "no steady motion is found near the initial state, after %d iterations in %d frames, "
             "only a balance that does not last",
             s->report.iterations, s->report.frames);
  torsor_fail(error, status,
              "%s: the motion or the forces of \"%s\" change later on, as seen from the ground and "
              "from every body",
              found, name);
  torsor_hint(error,
              "make the loads constant and the rates of drives constant; a body may rotate in its "
              "frame only about an axis of symmetry%s",
              s->settles ? "; give bodies that rotate together the same velocity field, flexible "
                           "ones a velocity and an angular_velocity, too"
                         : "");
  torsor_blame(error, name);
  return status;
}

static torsor_status refuse_settling(const linear_state *s, const char *body, torsor_error *error) {
  torsor_fail(
      error, TORSOR_NEWTON,
      "no steady motion is found near the initial state, after %d iterations in %d frames: body "
      "\"%s\" "
      "still accelerates by %.3g m/s^2 and %.3g rad/s^2, and %.2g of the forces are out of balance",
      s->report.iterations, s->report.frames, body, v3_norm(s->left.A.lin), v3_norm(s->left.A.ang),
      s->left.part);
  torsor_hint(
      error,
      "give all bodies that rotate together the same velocity field, flexible ones a velocity and "
      "an angular_velocity, too; make the rates of drives and the loads constant");
  return TORSOR_NEWTON;
}

static torsor_status refuse(const linear_state *s, torsor_error *error) {
  if (s->left.part <= BALANCED) return refuse_balance(s, error);
  const char *body = s->model->element[s->model->node[s->left.node].element].name;
  torsor_blame(error, body);
  if (s->settles) return refuse_settling(s, body, error);
  torsor_fail(error, TORSOR_INCONSISTENT,
              "the initial state is no equilibrium%s: body \"%s\" accelerates by %.3g m/s^2 and "
              "%.3g rad/s^2, and %.2g of the forces are out of balance",
              s->moves ? " and no steady motion" : "", body, v3_norm(s->left.A.lin),
              v3_norm(s->left.A.ang), s->left.part);
  if (s->moves)
    torsor_hint(error, "--about steady finds a steady motion nearby; \"simulation\": {\"initial\": "
                       "\"equilibrium\"} or --about equilibrium finds the equilibrium at rest");
  else
    torsor_hint(
        error,
        "\"simulation\": {\"initial\": \"equilibrium\"} or --about equilibrium finds the "
        "equilibrium at rest of a constrained scene, --about steady also of one with free motions");
  return TORSOR_INCONSISTENT;
}

/* ---- frames -------------------------------------------------------------------------------- */

/* Stores the state at which the search begins (`back` = false), or restores it. */
static void swap_begin(linear_state *s, bool back) {
  const size_t nq = (size_t)s->model->nq, nv = (size_t)s->model->nv, nl = (size_t)s->model->nl;
  double *const now[] = {s->q, s->v, s->acceleration, s->lambda};
  const size_t size[] = {nq, nv, nv, nl};
  double *kept = s->begin;
  for (int i = 0; i < 4; kept += size[i++])
    memcpy(back ? now[i] : kept, back ? kept : now[i], size[i] * sizeof *kept);
}

/* Moves the state to the steady motion in frames with this twist, with its accelerations and
 * tangents. */
static torsor_status settle(linear_state *s, twist frame) {
  swap_begin(s, true);
  torsor_status status = steady_settle(s, frame);
  if (!status)
    status =
        start_accelerations(s->acceleration, s->lambda, NULL, &s->systems, 0, s->q, s->v, s->work);
  if (status > 0) swap_begin(s, true);
  const torsor_point p = state_point(s);
  const torsor_status filled = tangents_fill(&s->t, s->a, &p);
  return status < 0 ? status : filled;
}

/* Checks whether the motion is steady as seen from frames with this twist; searches for such a
 * motion first where that is asked for. */
static torsor_status try_frame(bool *found, linear_state *s, twist frame, int node) {
  const steady_remainder before = s->left;
  torsor_status status = s->settles ? settle(s, frame) : TORSOR_OK;
  if (status) return status;
  steady_see(s, frame);
  s->frame_node = node;
  status = find_imbalance(s);
  *found = !status && s->left.part <= BALANCED;
  if (*found && s->moves) status = steady_lasts(found, s);
  if (!*found && before.part < s->left.part)
    s->left = before; /* the smallest imbalance is reported */
  return status;
}

/* Returns the twist of node i in inertial axes, at the origin. */
static twist space_twist(const linear_state *s, int i) {
  const torsor_motion *m = assembly_motion(s->a, i);
  return se3_adjoint_apply((se3){.R = so3_from_matrix(m->R), .x = m->x}, m->V);
}

/* Has no earlier node the same twist?  Frames of bodies that move alike are tried once. */
static bool is_new(const linear_state *s, int i) {
  const twist x = space_twist(s, i);
  const double size = v3_norm(x.lin) + v3_norm(x.ang);
  for (int k = 0; k < i; ++k) {
    const twist d = tw_sub(space_twist(s, k), x);
    if (v3_norm(d.lin) + v3_norm(d.ang) <= DECIMAL_ROUNDING * size) return false;
  }
  return size > 0;
}

enum { MOST_FRAMES = 12 };

/* Fits a frame to the accelerations: the least-squares solution of v' = ad(eta) v for a frame that
 * translates in the plane perpendicular to gravity and rotates about its direction, three
 * unknowns. */
static twist fit_frame(const linear_state *s) {
  const v3 g = s->model->gravity;
  const v3 up = v3_norm(g) > 0 ? v3_unit(g) : (v3){0, 0, 1}, e1 = v3_across(up);
  const twist basis[] = {{.ang = up}, {.lin = e1}, {.lin = v3_cross(up, e1)}};
  double A[3][3] = {{0}}, b[3] = {0};
  for (int i = 0; i < s->model->node_count; ++i) {
    const torsor_motion *m = assembly_motion(s->a, i);
    const se3 H = {.R = so3_from_matrix(m->R), .x = m->x};
    twist c[3];
    for (int k = 0; k < 3; ++k) c[k] = se3_ad_apply(se3_adjoint_inverse_apply(H, basis[k]), m->V);
    for (int k = 0; k < 3; ++k) {
      b[k] += tw_dot(c[k], m->A);
      for (int j = 0; j < 3; ++j) A[k][j] += tw_dot(c[k], c[j]);
    }
  }
  m3 normal;
  for (int k = 0; k < 3; ++k)
    for (int j = 0; j < 3; ++j)
      normal.m[k][j] = A[k][j] + (k == j ? 1e-14 * (A[0][0] + A[1][1] + A[2][2]) : 0);
  if (!(fabs(m3_det(normal)) > 0)) return tw_zero();
  const v3 x = m3_mulv(m3_inverse(normal), v3_load(b));
  return tw_axpy(x.x, basis[0], tw_axpy(x.y, basis[1], tw_scale(basis[2], x.z)));
}

static void begin_again(linear_state *s) {
  if (s->settles) swap_begin(s, true);
  const torsor_point p = state_point(s);
  assembly_set_motion(s->a, &p);
}

/* Tries a frame in its round.  Frames in which masses change at the start of the search rarely
 * belong to a steady motion, and long searches end in them without one: they wait for the second
 * round. */
static torsor_status try_in_round(bool *found, linear_state *s, twist frame, int node, int round) {
  if (!s->settles || !s->moves) return round ? TORSOR_OK : try_frame(found, s, frame, node);
  bool may = false;
  begin_again(s);
  steady_see(s, frame);
  const torsor_status status = steady_may_last(&may, s);
  if (status || may == round) return status;
  return try_frame(found, s, frame, node);
}

static torsor_status find_in_round(linear_state *s, bool *found, int round) {
  torsor_status status = try_in_round(found, s, tw_zero(), -1, round);
  if (!s->moves) return status;
  for (int i = 0, tried = 0; !status && !*found && i < s->model->node_count && tried < MOST_FRAMES;
       ++i) {
    begin_again(s);
    if (!is_new(s, i)) continue;
    ++tried;
    status = try_in_round(found, s, space_twist(s, i), i, round);
  }
  if (status || *found) return status;
  begin_again(s);
  return try_in_round(found, s, fit_frame(s), -1, round);
}

static torsor_status find_frame(linear_state *s, bool *found) {
  torsor_status status = TORSOR_OK;
  for (int round = 0; !status && !*found && round < 2; ++round)
    status = find_in_round(s, found, round);
  return status;
}

torsor_status linear_state_find(linear_state *out, const torsor_model *model,
                                const torsor_modes_settings *settings, const torsor_hooks *hooks,
                                torsor_error *error) {
  *out = (linear_state){.model = model, .frame_node = -1};
  torsor_status status = assembly_create(&out->a, model, settings->linear_solver, false, error);
  if (!status && hooks) status = assembly_set_threads(out->a, hooks->threads, error);
  if (status) return status;
  if (take_memory(out)) return short_of_memory(error);
  status = find_start(out, settings, hooks, error);
  if (!status) status = find_accelerations(out, error);
  if (status) return status;
  if (settings->about == TORSOR_ABOUT_STEADY) {
    out->settles = settings->linear_solver ? settings->linear_solver : "block";
    swap_begin(out, false);
  }
  bool found = false;
  const torsor_point p = state_point(out);
  out->left.part = HUGE_VAL;
  status = tangents_fill(&out->t, out->a, &p);
  if (!status) status = find_frame(out, &found);
  assembly_set_motion(out->a, &p);
  if (status) return torsor_fail(error, status, "cannot linearise: %s", torsor_status_text(status));
  if (!found) return refuse(out, error);
  pencil_see(&out->t, model, out->eta, out->sigma);
  return TORSOR_OK;
}

void linear_state_release(linear_state *s) {
  assembly_destroy(s->a);
  arena_release(&s->memory);
}
