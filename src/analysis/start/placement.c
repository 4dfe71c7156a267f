/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/start/placement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/start/branches.h"
#include "analysis/start/constraints.h"
#include "analysis/start/ranges.h"

/* The Levenberg-Marquardt method: with the metric of the mass matrix, a damped step is the solution
 * of [[M, B^T], [B, -e]] (u, y) = (0, -Phi).  e falls by QUICKER after a step that helps, and rises
 * by SLOWER after one that does not. */
static const double DAMPING = 1e-3, LEAST_DAMPING = 1e-10, MOST_DAMPING = 1e10;
static const double QUICKER = 0.1, SLOWER = 8;
enum { MOST_STEPS = 200, MOST_TURNS = 20 };

/* Largest step, by which a body rotates (rad) or moves (relative to the position scale): longer
 * ones would jump from one branch of solutions to another. */
static const double FARTHEST = 0.5;

/* Residuals below a few units of round-off count as zero. */
static const double ROUND_OFF = 16 * 2.220446049250313e-16;

typedef struct fit {
  assembly *a;
  const torsor_problem *problem;
  const torsor_model *model;
  unsigned char *fixed;   /* [nv] */
  double *q, *trial;      /* [nq] */
  double *phi, *next_phi; /* [nl] */
  double *x;              /* [nv + nl] */
  double *guess, *rows;   /* [nq] starting point, [nl] scale of the rows */
  double length, scale;   /* scales of positions and of masses */
  double mass;            /* largest mass of translations */
} fit;

/* Returns the norm of the residuals, each relative to its row's scale. */
static double norm(const fit *f, const double *phi) {
  double sum = 0;
  for (int i = 0; i < f->problem->nl; ++i) {
    const double part = phi[i] / (f->rows[i] > 0 ? f->rows[i] : 1);
    sum += part * part;
  }
  return sqrt(sum);
}

/* Shortens a step that goes too far. */
static void limit_step(const fit *f, double *u) {
  double farthest = 0;
  for (int i = 0; i < f->model->node_count; ++i) {
    const model_node *node = &f->model->node[i];
    const bool moves_first = node->init.group != TORSOR_GROUP_SO3;
    for (int k = 0; k < node->group->nv; ++k)
      farthest =
          fmax(farthest, fabs(u[node->first_v + k]) / (moves_first && k < 3 ? f->length : 1));
  }
  for (int i = 0; farthest > FARTHEST && i < f->model->nv; ++i) u[i] *= FARTHEST / farthest;
}

/* Finds f->trial = q after a step with damping e, and its residual. */
static torsor_status try_step(fit *f, double e) {
  const torsor_problem *pr = f->problem;
  const torsor_point p = {.q = f->q}, next = {.q = f->trial};
  const torsor_weights weights = {.system = TORSOR_SYSTEM_VELOCITY,
                                  .m = 1 / f->scale,
                                  .e = e / (f->mass * f->length * f->length),
                                  .rows = f->rows,
                                  .fixed = f->fixed,
                                  .holonomic = true};
  torsor_status status = pr->factor(pr->self, &p, &weights);
  memset(f->x, 0, (size_t)pr->nv * sizeof *f->x);
  for (int i = 0; i < pr->nl; ++i) f->x[pr->nv + i] = -f->phi[i];
  if (!status) status = pr->solve(pr->self, f->x);
  if (status) return status;
  limit_step(f, f->x);
  pr->plus(pr->self, f->trial, f->q, f->x);
  return pr->residual(pr->self, &next, NULL, f->next_phi, NULL);
}

static torsor_status move_nodes(fit *f) {
  const torsor_problem *pr = f->problem;
  const torsor_point p = {.q = f->q};
  torsor_status status = pr->residual(pr->self, &p, NULL, f->phi, NULL);
  if (!status) status = assembly_row_scales(f->rows, f->a, &p, f->length);
  double now = norm(f, f->phi), e = DAMPING;
  for (int k = 0; !status && k < MOST_STEPS && now > ROUND_OFF; ++k) {
    status = try_step(f, e);
    const double then = status ? HUGE_VAL : norm(f, f->next_phi);
    if (status < 0) return status;
    status = TORSOR_OK; /* a step that leaves the domain of an element is too long */
    if (then < now) {
      memcpy(f->q, f->trial, (size_t)pr->nq * sizeof *f->q);
      memcpy(f->phi, f->next_phi, (size_t)pr->nl * sizeof *f->phi);
      now = then;
      e = fmax(e * QUICKER, LEAST_DAMPING);
    } else if ((e *= SLOWER) > MOST_DAMPING) {
      break;
    }
  }
  return status;
}

/* Fits once; `open` means that rows are violated in the end, `row` is the worst one. */
static torsor_status fit_once(fit *f, bool *open, int *row) {
  const torsor_point p = {.q = f->q};
  torsor_status status = move_nodes(f);
  if (!status) status = assembly_row_scales(f->rows, f->a, &p, f->length);
  if (!status)
    *open = !(constraints_largest(f->phi, f->rows, f->problem->nl, row) <= DECIMAL_ROUNDING);
  return status;
}

/* Rotates the guess of joints that are on a wrong branch: those that are so at the end of the fit
 * or, where none is but rows remain violated, at the guess.  Returns false where there are none. */
static bool turn_guess(fit *f, bool open) {
  const torsor_point p = {.q = f->q};
  if (assembly_astray(f->a, &p) >= 0) return branches_turn(f->guess, f->a, f->model, f->q);
  return open && branches_turn(f->guess, f->a, f->model, f->guess);
}

/* Fits the nodes.  A fit that ends with a joint on its wrong branch, or does not converge, begins
 * anew from a guess that is rotated there: once for each joint with which others rotate. */
static torsor_status fit_nodes(fit *f, torsor_error *error) {
  const torsor_point p = {.q = f->q};
  int row = 0;
  f->scale = assembly_mass_scale(f->a, &p);
  if (!(f->scale > 0)) f->scale = 1;
  f->mass = assembly_moved_mass(f->a, &p) / f->scale;
  if (!(f->mass > 0)) f->mass = 1;
  bool open = true;
  torsor_status status = fit_once(f, &open, &row);
  for (int k = 0; !status && k < MOST_TURNS && turn_guess(f, open); ++k) {
    memcpy(f->q, f->guess, (size_t)f->problem->nq * sizeof *f->q);
    status = fit_once(f, &open, &row);
  }
  if (status) return ranges_refuse(f->a, f->model, status, error);
  if (!open) return TORSOR_OK;
  return constraints_refuse(
      f->model, row, f->phi[row], "positions",
      "no frames near the guesses fit all joints: check lengths and markers, or guess closer",
      error);
}

torsor_status placement_fit(double *q, assembly *a, const torsor_model *model, double length,
                            torsor_error *error) {
  bool any = false;
  for (int i = 0; i < model->node_count; ++i) any |= model->node[i].init.guess;
  if (!any) return TORSOR_OK;
  const size_t nq = (size_t)model->nq, nv = (size_t)model->nv, nl = (size_t)model->nl;
  arena memory = {0};
  double *work = arena_take(&memory, 2 * nq + nv + 4 * nl, sizeof *work);
  unsigned char *fixed = arena_take(&memory, nv, 1);
  torsor_status status = TORSOR_MEMORY;
  if (work && fixed) {
    for (int i = 0; i < model->node_count; ++i) {
      const model_node *node = &model->node[i];
      memset(fixed + node->first_v, !node->init.guess, (size_t)node->group->nv);
    }
    fit f = {.a = a,
             .problem = assembly_problem(a),
             .model = model,
             .fixed = fixed,
             .q = q,
             .trial = work,
             .phi = work + nq,
             .next_phi = work + nq + nl,
             .rows = work + nq + 2 * nl,
             .guess = work + nq + 3 * nl,
             .x = work + 2 * nq + 3 * nl,
             .length = length};
    memcpy(f.guess, q, nq * sizeof *q);
    status = fit_nodes(&f, error);
  } else {
    torsor_fail(error, status, "out of memory");
  }
  arena_release(&memory);
  return status;
}

placement_change placement_moved(const model_node *node, const double *q) {
  const double *at = q + node->first_q;
  placement_change moved = {0};
  if (node->init.group != TORSOR_GROUP_SO3) {
    moved.distance = v3_norm(v3_sub(v3_load(at), node->init.frame.x));
    at += 3;
  }
  if (node->init.group != TORSOR_GROUP_R3)
    moved.angle = v3_norm(so3_log(so3_compose(so3_inverse(node->init.frame.R), so3_load(at))));
  return moved;
}
