/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "alpha_step.h"
#include "variations.h"

/* The variation of a step.  With the unknowns of the step unchanged, each neighbour's equations
 * have a residual; its derivative by the parameter, by differences over the neighbours, is the
 * right side of the linear system that the variation of the unknowns solves.  It contains all that
 * depends on the parameter: the element's numbers, the state at the start of the step, B0^T s
 * there, and the axes of the bodies. */

/* Where rows depend on each other the matrix is regularised, and each further pass removes most of
 * what that leaves. */
enum { REGULARISED_PASSES = 3 };

static torsor_status set_size(alpha_step *n, const alpha_step *s) {
  torsor_integrator *it = n->it;
  double h;
  variation_step(&n->t1, &h, it, s->it, s->it->t, s->t1, s->h);
  const double before = it->control.h;
  it->control.h = h;
  if (fabs(h - before) > 1e-12 * h) {
    const torsor_status status = it->method->resize(it, h, before);
    if (status) return status;
  }
  alpha_set_step(n, h);
  n->k = s->k; /* the scales of the residual */
  n->z = s->z;
  n->systems->mass = s->systems->mass;
  return TORSOR_OK;
}

/* Finds the neighbour's residual, into its x, from the state of `from` (its own, or that of the
 * motion) and where the unknowns are those of the motion and `offset` times dy. */
static torsor_status evaluate(alpha_step *n, const alpha_step *from, const alpha_step *s,
                              double offset, const double *dy) {
  const torsor_problem *problem = n->problem;
  const torsor_alpha p = n->alpha;
  const double h = n->h, *v0 = alpha_begin_velocity(from);
  for (int i = 0; i < n->ny; ++i) n->y1[i] = s->y1[i] + offset * dy[i];
  for (int i = 0; i < n->nv; ++i) {
    const double a0 = from->a0[i], a1 = next_auxiliary(&p, n->y1[i], from->y0[i], a0);
    n->v1[i] = v0[i] + h * ((1 - p.gamma) * a0 + p.gamma * a1);
    n->u[i] = h * (v0[i] + h * ((0.5 - p.beta) * a0 + p.beta * a1));
  }
  if (n->ggl) {
    const torsor_status status = problem->freeze_gradient(problem->self, n->it->t, from->it->q);
    if (status) return status;
    problem->gradient_force(problem->self, n->force, n->y1 + n->nv + n->nl);
    for (int i = 0; i < n->nv; ++i) n->u[i] -= n->force[i];
  }
  problem->plus(problem->self, n->q1, from->it->q, n->u);
  return alpha_residual(n, n->x);
}

static void add_scaled(double *out, double factor, const double *x, int count) {
  for (int i = 0; i < count; ++i) out[i] += factor * x[i];
}

/* Adds `factor` times the neighbour's residual, and its end as seen from that of the motion. */
static void add_evaluated(variations *all, const alpha_step *n, const alpha_step *s,
                          double factor) {
  s->problem->minus(s->problem->self, all->u, n->q1, s->q1);
  add_scaled(all->right, factor, n->x, s->ny);
  add_scaled(all->e, factor, all->u, s->nv);
  add_scaled(all->dv, factor, n->v1, s->nv);
}

/* Finds the derivatives of the residual (negative and scaled, as in Newton's method), of q1 and of
 * v1 along the neighbours. */
static torsor_status find_right_side(variations *all, const variation *of, const alpha_step *s) {
  memset(all->right, 0, (size_t)s->ny * sizeof *all->right);
  memset(all->e, 0, (size_t)s->nv * sizeof *all->e);
  memset(all->dv, 0, (size_t)s->nv * sizeof *all->dv);
  for (int i = 0; i < VARIATION_NEIGHBOURS; ++i) {
    alpha_step *n = of->neighbour[i]->own;
    const double factor = variation_weight(i) / of->step, part = of->part;
    torsor_status status = TORSOR_OK;
    if (part < 1) {
      status = evaluate(n, s, s, 0, all->dy);
      if (!status) add_evaluated(all, n, s, factor * (1 - 1 / part));
    }
    if (!status) status = evaluate(n, n, s, variation_offset(i) * of->step * part, all->dy);
    if (status) return status;
    add_evaluated(all, n, s, factor / part);
  }
  return TORSOR_OK;
}

/* Adds what the solution x of the linear system contributes. */
static void add_solution(variations *all, const alpha_step *s, const double *x) {
  const torsor_problem *problem = s->problem;
  const int nv = s->nv, nl = s->nl;
  memcpy(all->u, x, (size_t)nv * sizeof *all->u);
  if (s->ggl) {
    problem->gradient_force(problem->self, all->moved, x + nv + nl);
    add_scaled(all->u, -1, all->moved, nv);
  }
  problem->tan(problem->self, all->moved, s->u, all->u);
  add_scaled(all->e, 1, all->moved, nv);
  add_scaled(all->dv, s->dv_du, x, nv);
  add_scaled(all->dy, s->dvd_du, x, nv);
  add_scaled(all->dy + nv, s->systems->mass / s->k, x + nv, nl);
  if (s->ggl) add_scaled(all->dy + nv + nl, 1, x + nv + nl, nl);
}

/* Puts the neighbour to the end of its step on the tangent of the motion.  Its problem is
 * informed of it only where forces stick, which depend on what it keeps from step to step: turns
 * are counted by that of the motion. */
static void place(alpha_step *n, const alpha_step *s, double offset, const variations *all) {
  const torsor_problem *problem = n->problem;
  for (int i = 0; i < n->ny; ++i) n->y1[i] = s->y1[i] + offset * all->dy[i];
  for (int i = 0; i < n->nv; ++i) {
    n->v1[i] = s->v1[i] + offset * all->dv[i];
    n->x[i] = offset * all->e[i];
  }
  problem->plus(problem->self, n->q1, s->q1, n->x);
  problem->minus(problem->self, n->u, n->q1, n->it->q);
  if (problem->hold) {
    const torsor_point end = trial_point(n);
    problem->accept(problem->self, &end);
  }
  /* Multipliers are not filtered: the neighbour has no matrix, and starts its next step without
   * those of this one. */
  const double e = n->systems->e;
  n->systems->e = 0;
  alpha_end_step(n);
  n->systems->e = e;
  ++n->it->counters.steps;
  n->it->t = n->t1;
  interpolate_follow(n->it);
}

/* Largest rotation, rad, of the farthest neighbour: differences of order 8 of a sine are precise to
 * (WIDEST/4)^8/630 = 1e-10 up to it. */
static const double WIDEST = 1.0 / 2;

/* Moves x [count] to the part r of its distance from y. */
static void approach(double *x, const double *y, double r, int count) {
  for (int i = 0; i < count; ++i) x[i] = y[i] + r * (x[i] - y[i]);
}

/* Moves the start of a neighbour's step to the part r of its distance from that of the motion. */
static void approach_start(alpha_step *n, const alpha_step *s, double r) {
  const torsor_problem *problem = n->problem;
  torsor_integrator *it = n->it;
  problem->minus(problem->self, n->x, it->q, s->it->q);
  for (int i = 0; i < n->nv; ++i) n->x[i] *= r;
  problem->plus(problem->self, it->q, s->it->q, n->x);
  approach(it->v, s->it->v, r, n->nv);
  approach(it->a, s->it->a, r, n->nv);
  approach(it->lambda, s->it->lambda, r, n->nl);
  approach(n->a0, s->a0, r, n->nv);
  approach(n->y0, s->y0, r, n->ny);
}

/* Lets the neighbours come nearer where they would be too far away; false where they must not. */
static bool narrow(const variations *all, variation *of, const alpha_step *s) {
  const torsor_problem *problem = s->problem;
  double most = 0, part = of->part;
  for (int i = 0; i < problem->nv && problem->rotation; ++i)
    if (problem->rotation[i]) most = fmax(most, fabs(all->e[i]));
  if (!isfinite(most)) return false;
  while (VARIATION_REACH * of->step * part * most > WIDEST) part /= 2;
  if (part < of->part && !all->narrows) return false;
  for (int i = 0; i < VARIATION_NEIGHBOURS && part < of->part; ++i)
    approach_start(of->neighbour[i]->own, s, part / of->part);
  of->part = part;
  return true;
}

static torsor_status vary(variations *all, variation *of, alpha_step *s) {
  const int passes = s->systems->e > 0 ? REGULARISED_PASSES : 1;
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < VARIATION_NEIGHBOURS && !status; ++i)
    status = set_size(of->neighbour[i]->own, s);
  memset(all->dy, 0, (size_t)s->ny * sizeof *all->dy);
  for (int pass = 0; pass < passes && !status; ++pass) {
    status = find_right_side(all, of, s);
    if (!status) status = saddle_solve_stage(s->systems, all->right, s->ggl);
    if (!status) add_solution(all, s, all->right);
  }
  all->wide |= !status && !narrow(all, of, s);
  if (all->wide) return TORSOR_STEP;
  for (int i = 0; i < VARIATION_NEIGHBOURS && !status; ++i)
    place(of->neighbour[i]->own, s, variation_offset(i) * of->step * of->part, all);
  return status;
}

static torsor_status follow(torsor_integrator *it) {
  alpha_step *s = it->own;
  variations *all = it->varied;
  const torsor_point end = trial_point(s);
  if (all->lost) return TORSOR_STEP;
  torsor_weights w = alpha_weigh_matrix(s);
  w.follow &= s->ggl; /* with index 3 a matrix that follows lacks a part of the tangents */
  torsor_status status = s->problem->factor(s->problem->self, &end, &w);
  ++it->counters.factorizations;
  for (int i = 0; i < all->count && !status; ++i) status = vary(all, &all->of[i], s);
  newton_renewed(s->newton);
  if (!status) return TORSOR_OK;
  all->lost = true;
  return status;
}

torsor_status variations_create(variations *out, int count, const torsor_problem *problem,
                                arena *memory) {
  const size_t nv = (size_t)problem->nv, ny = nv + 2 * (size_t)problem->nl;
  *out = (variations){.follow = follow, .count = count};
  out->of = arena_take(memory, (size_t)count, sizeof *out->of);
  out->right = arena_take(memory, 2 * ny + 4 * nv, sizeof *out->right);
  if (!out->of || !out->right) return TORSOR_MEMORY;
  out->dy = out->right + ny;
  out->e = out->dy + ny;
  out->dv = out->e + nv;
  out->u = out->dv + nv;
  out->moved = out->u + nv;
  return TORSOR_OK;
}
