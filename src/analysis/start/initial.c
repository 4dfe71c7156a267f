/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/start/initial.h"

#include <torsor/joint.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/start/branches.h"
#include "analysis/start/constraints.h"
#include "analysis/start/placement.h"
#include "analysis/start/ranges.h"

/* Corrections stop here: a few units of round-off on sums of a few terms. */
#define ROUND_OFF (16 * 2.220446049250313e-16)
/* Regularisation of the velocity system, relative to a mass matrix scaled to 1: the iteration below
 * removes its effect. */
#define REGULARISATION 1e-8
enum { CORRECTIONS = 12 };

typedef struct finder {
  assembly *a;
  const torsor_problem *problem;
  const torsor_model *model;
  initial_state *state;
  unsigned char *given;
  double *residual; /* [nl] */
  double *x;        /* [nv + nl] */
  double *w, *y;    /* [nv], [nl] correction of v and its multipliers */
  double *r;        /* [nv] */
  double *rows;     /* [nl] scale of the rows */
  double length;    /* scale of positions, m */
} finder;

/* Returns the largest entry and its index; the first that is not a number, if any. */
static double largest(const double *x, int n, int *at) {
  double max = 0;
  for (int i = 0; i < n; ++i)
    if (!(fabs(x[i]) <= max)) {
      max = fabs(x[i]);
      if (at) *at = i;
      if (isnan(max)) break;
    }
  return max;
}

/* Returns the position scale: the farthest node or lever arm; 1 m where all are at the origin, and
 * nothing has a size. */
static double position_scale(const torsor_model *model) {
  double scale = model->length;
  for (int i = 0; i < model->node_count; ++i)
    if (!model->node[i].init.abstract) scale = fmax(scale, v3_norm(model->node[i].init.frame.x));
  return scale > 0 ? scale : 1;
}

/* Returns the regularisation of the rows.  B (M/scale)^-1 B^T has the size of the squares of the
 * rows' scales over that of the length, and of a mass over `scale`; a small fraction of that
 * separates dependent rows from independent ones, whatever the size of the model. */
static double regularisation(const finder *f, const torsor_point *p, double scale) {
  const double mass = assembly_moved_mass(f->a, p);
  return REGULARISATION * (mass > 0 ? scale / mass : 1) / (f->length * f->length);
}

/* Projects positions onto Phi = 0 by the Gauss-Newton method in the metric of the mass matrix,
 * regularised so that redundant rows do no harm. */
static torsor_status find_position(finder *f, torsor_error *error) {
  const torsor_problem *pr = f->problem;
  initial_state *s = f->state;
  const torsor_point p = {.q = s->q};
  const double scale = assembly_mass_scale(f->a, &p);
  const torsor_weights weights = {.system = TORSOR_SYSTEM_VELOCITY,
                                  .m = 1 / scale,
                                  .e = regularisation(f, &p, scale),
                                  .rows = f->rows,
                                  .holonomic = true};
  double before = HUGE_VAL;
  for (int k = 0; k < CORRECTIONS; ++k) {
    torsor_status status = pr->residual(pr->self, &p, NULL, f->residual, NULL);
    if (!status) status = assembly_row_scales(f->rows, f->a, &p, f->length);
    if (status) return ranges_refuse(f->a, f->model, status, error);
    int row = 0;
    const double off = constraints_largest(f->residual, f->rows, pr->nl, &row);
    if (!(off <= DECIMAL_ROUNDING))
      return constraints_refuse(
          f->model, row, f->residual[row], "positions",
          "correct the markers, positions or orientations so that the joint fits, or give "
          "\"placement\": \"guess\" to the bodies that may be moved",
          error);
    if (off <= ROUND_OFF || off >= before) return TORSOR_OK;
    if (!k) s->position_row = row;
    before = off;
    status = pr->factor(pr->self, &p, &weights);
    memset(f->x, 0, (size_t)pr->nv * sizeof *f->x);
    for (int i = 0; i < pr->nl; ++i) f->x[pr->nv + i] = -f->residual[i];
    if (!status) status = pr->solve(pr->self, f->x);
    if (status) return torsor_fail(error, status, "%s", torsor_status_text(status));
    pr->plus(pr->self, s->q, s->q, f->x);
    s->moved_position += largest(f->x, pr->nv, NULL);
  }
  return TORSOR_OK;
}

/* Returns the largest rate, 1/s, at which v rotates a body or moves it relative to the model's
 * length: times the scale of a row, this is the scale of the row's rate. */
static double fastest(const finder *f, const double *v) {
  double rate = 0;
  for (int i = 0; i < f->problem->nv; ++i)
    rate = fmax(rate, fabs(v[i]) / (f->problem->rotation[i] ? 1 : f->length));
  return rate;
}

/* f->r = -(M w + B^T y) / scale, f->residual = -(B (v + w) + Phi_t), from the residual with v' = w
 * at rest (no velocity and weight terms): r(w, y) - r(0, 0). */
static torsor_status velocity_residual(finder *f, const unsigned char *fixed, double scale,
                                       double *v_now, double *r0) {
  const torsor_problem *pr = f->problem;
  const torsor_point rest = {.q = f->state->q, .a = f->w, .lambda = f->y};
  for (int i = 0; i < pr->nv; ++i) v_now[i] = f->state->v[i] + f->w[i];
  const torsor_point moving = {.q = f->state->q, .v = v_now};
  for (int i = 0; i < pr->nl; ++i) f->y[i] *= scale;
  torsor_status status = pr->residual(pr->self, &rest, f->r, NULL, NULL);
  for (int i = 0; i < pr->nl; ++i) f->y[i] /= scale;
  if (!status) status = pr->residual(pr->self, &moving, NULL, NULL, f->residual);
  for (int i = 0; i < pr->nv; ++i) f->r[i] = fixed[i] ? 0 : -(f->r[i] - r0[i]) / scale;
  for (int i = 0; i < pr->nl; ++i) f->residual[i] = -f->residual[i];
  return status;
}

/* Finds the least change w of the velocities that are not fixed with B (v + w) + Phi_t = 0:
 * iterative refinement of the regularised saddle-point system, which converges to the solution
 * without regularisation wherever there is one. */
static torsor_status complete_velocity(finder *f, const unsigned char *fixed, double *scratch) {
  const torsor_problem *pr = f->problem;
  double *v_now = scratch, *r0 = scratch + pr->nv;
  const torsor_point p = {.q = f->state->q};
  const double scale = assembly_mass_scale(f->a, &p);
  const torsor_weights weights = {.system = TORSOR_SYSTEM_VELOCITY,
                                  .m = 1 / scale,
                                  .e = regularisation(f, &p, scale),
                                  .rows = f->rows,
                                  .fixed = fixed};
  int row = 0;
  memset(f->w, 0, (size_t)pr->nv * sizeof *f->w);
  memset(f->y, 0, (size_t)pr->nl * sizeof *f->y);
  torsor_status status = pr->factor(pr->self, &p, &weights);
  const torsor_point rest = {.q = f->state->q, .a = f->w, .lambda = f->y};
  if (!status) status = pr->residual(pr->self, &rest, r0, NULL, NULL);
  double before = HUGE_VAL;
  for (int k = 0; !status && k < CORRECTIONS; ++k) {
    status = velocity_residual(f, fixed, scale, v_now, r0);
    const double off = constraints_largest(f->residual, f->rows, pr->nl, &row);
    if (status || off <= ROUND_OFF * fastest(f, v_now) || (k > 2 && off >= before / 2)) break;
    before = off;
    memcpy(f->x, f->r, (size_t)pr->nv * sizeof *f->x);
    memcpy(f->x + pr->nv, f->residual, (size_t)pr->nl * sizeof *f->x);
    status = pr->solve(pr->self, f->x);
    for (int i = 0; i < pr->nv; ++i) f->w[i] += f->x[i];
    for (int i = 0; i < pr->nl; ++i) f->y[i] += f->x[pr->nv + i];
  }
  for (int i = 0; !status && i < pr->nv; ++i) f->state->v[i] += f->w[i];
  return status;
}

/* Finds the residual of the velocity constraints; `row` receives the worst one. */
static torsor_status velocity_error(finder *f, double *off, int *row) {
  const torsor_problem *pr = f->problem;
  const torsor_point p = {.q = f->state->q, .v = f->state->v};
  const torsor_status status = pr->residual(pr->self, &p, NULL, NULL, f->residual);
  *off = constraints_largest(f->residual, f->rows, pr->nl, row);
  return status;
}

static torsor_status find_velocity(finder *f, double *scratch, torsor_error *error) {
  const torsor_problem *pr = f->problem;
  initial_state *s = f->state;
  torsor_status status = complete_velocity(f, f->given, scratch);
  double off;
  int row = 0;
  if (!status) status = velocity_error(f, &off, &row);
  if (status) return torsor_fail(error, status, "%s", torsor_status_text(status));
  const double scale = fastest(f, s->v);
  if (!(off <= DECIMAL_ROUNDING * scale))
    return constraints_refuse(
        f->model, row, f->residual[row], "velocities",
        "leave a velocity or angular_velocity out: it then follows from the joints", error);
  if (off <= ROUND_OFF * scale) return TORSOR_OK;
  s->velocity_row = row; /* given values are rounded: all of them may change a little */
  memset(f->given, 0, (size_t)pr->nv);
  status = complete_velocity(f, f->given, scratch);
  s->moved_velocity = largest(f->w, pr->nv, NULL);
  return status ? torsor_fail(error, status, "%s", torsor_status_text(status)) : TORSOR_OK;
}

/* Are all elements, forces too, defined there? */
static torsor_status check_ranges(finder *f, torsor_error *error) {
  const torsor_problem *pr = f->problem;
  memset(f->w, 0, (size_t)pr->nv * sizeof *f->w);
  memset(f->y, 0, (size_t)pr->nl * sizeof *f->y);
  const torsor_point p = {.q = f->state->q, .v = f->state->v, .a = f->w, .lambda = f->y};
  const torsor_status status = pr->residual(pr->self, &p, f->r, NULL, NULL);
  return status == TORSOR_DOMAIN ? ranges_refuse(f->a, f->model, status, error) : TORSOR_OK;
}

torsor_status initial_state_find(initial_state *out, assembly *a, const torsor_model *model,
                                 const double *q, arena *memory, torsor_error *error) {
  const size_t nq = (size_t)model->nq, nv = (size_t)model->nv, nl = (size_t)model->nl;
  *out = (initial_state){.q = arena_take(memory, nq, sizeof(double)),
                         .v = arena_take(memory, nv, sizeof(double)),
                         .settled = q != NULL};
  arena scratch = {0};
  double *work = arena_take(&scratch, 5 * nv + 4 * nl, sizeof *work);
  unsigned char *given = arena_take(&scratch, nv, 1);
  torsor_status status = TORSOR_OK;
  if (!out->q || !out->v || !work || !given) {
    status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
  } else {
    finder f = {.a = a,
                .problem = assembly_problem(a),
                .model = model,
                .state = out,
                .given = given,
                .length = position_scale(model)};
    f.x = work;
    f.w = f.x + nv + nl;
    f.r = f.w + nv;
    f.residual = f.r + nv;
    f.y = f.residual + nl;
    f.rows = f.y + nl;
    assembly_initial(a, out->q, out->v, given);
    if (q) memcpy(out->q, q, nq * sizeof *q);
    if (nl && !q) status = placement_fit(out->q, a, model, f.length, error);
    assembly_initial_velocity(a, out->q, out->v);
    if (nl && !status && rounded_rows_ignore(&out->rounded, a, model, out->q, f.length))
      status = torsor_fail(error, TORSOR_MEMORY, "out of memory");
    if (nl && !status) status = find_position(&f, error);
    if (nl && !status) status = branches_check(a, model, out->q, error);
    if (nl && !status) status = find_velocity(&f, f.rows + nl, error);
    if (!status) status = check_ranges(&f, error);
  }
  arena_release(&scratch);
  return status;
}

/* Number of bodies that are named one by one; the others are only counted. */
enum { MOST_REPORTED = 10 };

static void tell_guesses(const initial_state *state, const torsor_model *model,
                         void (*tell)(void *data, const char *message), void *data) {
  char message[320];
  const double near = DECIMAL_ROUNDING * position_scale(model);
  int moved = 0;
  for (int i = 0; i < model->node_count; ++i) {
    const model_node *node = &model->node[i];
    if (!node->init.guess) continue;
    const placement_change change = placement_moved(node, state->q);
    if (!(change.distance > near) && !(change.angle > DECIMAL_ROUNDING)) continue;
    if (++moved > MOST_REPORTED) continue;
    snprintf(
        message, sizeof message,
        "body \"%s\" was moved by %.3g m and turned by %.3g rad from its guess to fit its joints",
        model->element[node->element].name, change.distance, change.angle);
    tell(data, message);
  }
  if (moved <= MOST_REPORTED) return;
  snprintf(message, sizeof message, "... and %d more bodies were moved from their guesses",
           moved - MOST_REPORTED);
  tell(data, message);
}

static const char *guessed_body(const torsor_model *model, const torsor_joint *joint) {
  const int nodes[2] = {joint->b.node, joint->a.node};
  for (int k = 0; k < 2; ++k)
    if (nodes[k] >= 0 && model->node[nodes[k]].init.guess)
      return model->element[model->node[nodes[k]].element].name;
  return NULL;
}

/* Reports joints that take an axis on a body from its orientation, which was a guess. */
static void tell_taken(const torsor_model *model, void (*tell)(void *data, const char *message),
                       void *data) {
  char message[320];
  int reported = 0;
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    if (!e->type->limits.astray) continue;
    const torsor_joint *joint = e->instance;
    const char *body = joint->taken ? guessed_body(model, joint) : NULL;
    if (!body || !(joint->taken_angle > DECIMAL_ROUNDING) || ++reported > MOST_REPORTED) continue;
    const double degrees = joint->taken_angle * 180 / M_PI;
    if (*joint->taken)
      snprintf(message, sizeof message,
               "the axis of %s \"%s\" on marker b follows from the guessed orientation of body "
               "\"%s\", %.3g degrees from that on marker a: give \"%s\" if another one is meant",
               e->type->name, e->name, body, degrees, joint->taken);
    else
      snprintf(message, sizeof message,
               "the orientation that %s \"%s\" keeps follows from the guessed one of body \"%s\": "
               "its markers are turned by %.3g degrees against each other",
               e->type->name, e->name, body, degrees);
    tell(data, message);
  }
  if (reported <= MOST_REPORTED) return;
  snprintf(message, sizeof message, "... and %d more joints have axes from guesses",
           reported - MOST_REPORTED);
  tell(data, message);
}

static void tell_rounded(const rounded_rows *rounded, const torsor_model *model,
                         void (*tell)(void *data, const char *message), void *data) {
  const bool one = rounded->count == 1;
  char message[400];
  int local;
  const int e = torsor_model_row_element(model, rounded->first, &local);
  snprintf(
      message, sizeof message,
      "%d constraint row%s others but for the rounding of the scene's numbers, %srow %d of joint "
      "\"%s\": %s contradict%s them by up to %.2g of %s size where the parts move, and %s ignored; "
      "markers and orientations with all their digits, or joints with fewer rows, avoid that",
      rounded->count, one ? " repeats" : "s repeat", one ? "" : "the first is ", local,
      model->element[e].name, one ? "it" : "they", one ? "s" : "", rounded->off,
      one ? "its" : "their", one ? "is" : "are");
  tell(data, message);
}

void initial_state_tell(const initial_state *state, const torsor_model *model,
                        void (*tell)(void *data, const char *message), void *data) {
  char message[320];
  int local;
  tell_guesses(state, model, tell, data);
  tell_taken(model, tell, data);
  if (state->rounded.count) tell_rounded(&state->rounded, model, tell, data);
  if (state->moved_position > 0) {
    const int e = torsor_model_row_element(model, state->position_row, &local);
    snprintf(message, sizeof message,
             "the initial positions were moved by up to %.2g to close joint \"%s\": the input may "
             "be rounded",
             state->moved_position, model->element[e].name);
    tell(data, message);
  }
  if (state->moved_velocity > 0) {
    const int e = torsor_model_row_element(model, state->velocity_row, &local);
    snprintf(message, sizeof message,
             "the given initial velocities were changed by up to %.2g to satisfy joint \"%s\": the "
             "input may be rounded",
             state->moved_velocity, model->element[e].name);
    tell(data, message);
  }
}
