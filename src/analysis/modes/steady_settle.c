/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/modes/steady_settle.h"

#include <math.h>
#include <string.h>

#include "analysis/start/constraints.h"
#include "analysis/statics/equilibrium.h"
#include "analysis/eigen/pencil.h"
#include "analysis/eigen/shifted.h"

/* Corrections below NEARLY (relative to the model's size, or rad) that shrink no more consist of
 * round-off; corrections below ENOUGH end the iteration in any case. */
static const double NEARLY = 1e-6, ENOUGH = 1e-11;

/* Smallest fraction of a correction, and of the growth of the velocities, that is tried. */
static const double SHORTEST = 0x1p-8;

/* Shift of the tangent, relative to the scale of mu.  Directions in which nothing constrains the
 * motion, such as its own, stay where they are; in others the iteration contracts by the shift over
 * their mu. */
static const double SHIFT = 1e-6;

/* A direction counts as one in which only masses resist where the answer differs from theirs by
 * less than this fraction. */
static const double FREE = 1e-3;

/* Largest full correction: beyond it the iteration diverges. */
static const double LARGEST = 10;

enum { MOST = 30 };

/* State of the search. */
typedef struct settling {
  linear_state *s;
  const torsor_problem *problem;
  pencil p;
  shifted shifted;
  twist frame;
  const twist *sigma; /* [nodes] twists of the bodies in the frames at the full velocities */
  double part;        /* fraction of the velocities that is applied */
  double length;
  double *q, *lambda;          /* trial point */
  double *begin_q, *begin_l;   /* start of the present step of the velocities */
  double *r, *phi, *phi_v, *x; /* [nv], [nl], [nl], [nv + nl] */
  double *next;                /* [nv + nl] */
  double *own, *across;        /* [nv + nl], [nv], see find_own */
  bool free;                   /* nothing resists in the motion's own direction */
} settling;

static se3 node_frame(const torsor_motion *m) {
  return (se3){.R = so3_from_matrix(m->R), .x = m->x};
}

/* Stores velocities and accelerations of a node that moves with sigma in a frame which moves with
 * eta. */
static void put_rates(double *v, double *a, const model_node *node, const torsor_motion *m,
                      twist eta, twist sigma) {
  twist V = tw_add(eta, sigma), A = tw_scale(se3_ad_apply(sigma, V), -1);
  const size_t first = (size_t)group_first_component(node->init.group);
  const size_t size = (size_t)node->group->nv * sizeof *v;
  double full[6];
  if (node->init.group == TORSOR_GROUP_R3SO3) {
    A.lin = m3_mulv(m->R, v3_add(A.lin, v3_cross(V.ang, V.lin)));
    V.lin = m3_mulv(m->R, V.lin);
  }
  tw_store(full, V);
  memcpy(v, full + first, size);
  tw_store(full, A);
  memcpy(a, full + first, size);
}

/* Sets positions and multipliers of the state, and the velocities and accelerations that belong to
 * the frames moving with a fraction of the twist. */
static void put_state(settling *c, const double *q, const double *lambda) {
  linear_state *s = c->s;
  const torsor_point at = {.q = q, .v = s->v};
  assembly_set_motion(s->a, &at);
  for (int i = 0; i < s->model->node_count; ++i) {
    const model_node *node = &s->model->node[i];
    const torsor_motion *m = assembly_motion(s->a, i);
    s->eta[i] = steady_node_eta(node, node_frame(m), tw_scale(c->frame, c->part));
    s->sigma[i] = tw_scale(c->sigma[i], c->part);
    put_rates(s->v + node->first_v, s->acceleration + node->first_v, node, m, s->eta[i],
              s->sigma[i]);
  }
  if (q != s->q) memcpy(s->q, q, (size_t)s->model->nq * sizeof *q);
  if (lambda != s->lambda) memcpy(s->lambda, lambda, (size_t)s->model->nl * sizeof *lambda);
}

static torsor_point state_point(const linear_state *s) {
  return (torsor_point){.q = s->q, .v = s->v, .a = s->acceleration, .lambda = s->lambda};
}

/* Removes from x its part along the motion's own direction e, so that e^T M x = 0. */
static void leave_out_own(const settling *c, double *x) {
  double along = 0;
  if (!c->free) return;
  for (int i = 0; i < c->problem->nv; ++i) along += c->across[i] * x[i];
  for (int i = 0; i < c->problem->nv + c->problem->nl; ++i) x[i] -= along * c->own[i];
}

/* x = Newton correction (body variations, multipliers) at the state, with the matrix factored last;
 * and its size. */
static torsor_status find_correction(settling *c, double *x, double *size) {
  linear_state *s = c->s;
  const torsor_problem *pr = c->problem;
  const torsor_point p = state_point(s);
  torsor_status status = pr->residual(pr->self, &p, c->r, c->phi, c->phi_v);
  if (status) return status;
  for (int i = 0; i < pr->nv; ++i) x[i] = -c->r[i];
  for (int i = 0; i < s->model->node_count; ++i) {
    const model_node *node = &s->model->node[i];
    double *f = x + node->first_v;
    if (node->init.group == TORSOR_GROUP_R3SO3)
      v3_store(f, m3_tmulv(assembly_motion(s->a, i)->R, v3_load(f)));
  }
  for (int i = 0; i < pr->nl; ++i) {
    const bool rate = pr->nonholonomic && pr->nonholonomic[i];
    x[pr->nv + i] = c->p.dropped[i] ? 0 : rate ? -c->phi_v[i] : -c->phi[i];
  }
  status = shifted_solve(&c->shifted, x);
  leave_out_own(c, x);
  *size = 0;
  for (int i = 0; i < pr->nv; ++i) {
    const double part = fabs(x[i]) / (pr->rotation[i] ? 1 : c->length);
    if (!(part <= *size)) *size = part; /* NaN stays */
  }
  return status ? status : isfinite(*size) ? TORSOR_OK : TORSOR_NONFINITE;
}

/* Examines the motion's own direction e: solves for the correction that the forces M e cause.
 * Where no constraint and no force resists in this direction, that correction is e over the square
 * of the shift. */
static torsor_status find_own(settling *c, double shift) {
  const linear_state *s = c->s;
  const int nv = c->problem->nv;
  const bool frames_move = v3_norm(c->frame.lin) + v3_norm(c->frame.ang) > 0;
  double *e = c->r, mass = 0, found = 0;
  for (int i = 0; i < s->model->node_count; ++i) {
    const model_node *node = &s->model->node[i];
    double full[6];
    tw_store(full, frames_move ? s->eta[i] : s->sigma[i]);
    memcpy(e + node->first_v, full + group_first_component(node->init.group),
           (size_t)node->group->nv * sizeof *e);
  }
  pencil_multiply(c->across, &c->p, c->p.A2, e);
  memset(c->own, 0, (size_t)(nv + c->problem->nl) * sizeof *c->own);
  memcpy(c->own, c->across, (size_t)nv * sizeof *c->own);
  const torsor_status status = shifted_solve(&c->shifted, c->own);
  for (int i = 0; i < nv; ++i) mass += e[i] * c->across[i];
  for (int i = 0; i < nv; ++i) found += c->own[i] * c->across[i];
  c->free = !status && mass > 0 && fabs(shift * shift * found - mass) <= FREE * mass;
  for (int i = 0; c->free && i < nv; ++i) c->across[i] /= found;
  return status;
}

/* Removes damping from the matrix: forces of velocities do not belong to an iteration for
 * positions, while rows that constrain velocities do. */
static void leave_out_damping(settling *c) {
  const tangents *t = &c->s->t;
  for (int j = 0; j < c->problem->nv; ++j)
    for (int k = t->p->Ap[j]; k < t->p->Ap[j + 1] && t->p->Ai[k] < c->problem->nv; ++k) t->C[k] = 0;
}

static torsor_status factor(settling *c) {
  linear_state *s = c->s;
  const torsor_point p = state_point(s);
  torsor_status status = tangents_fill(&s->t, s->a, &p);
  if (status) return status;
  pencil_see(&s->t, s->model, s->eta, s->sigma);
  const double shift = SHIFT * sqrt(c->p.largest);
  leave_out_damping(c);
  status = shifted_factor(&c->shifted, shift);
  return status ? status : find_own(c, shift);
}

/* c->r = a fraction of x as an increment from c->q, in the components of the groups. */
static void put_step(settling *c, const double *x, double part) {
  linear_state *s = c->s;
  const torsor_point at = {.q = c->q, .v = s->v};
  assembly_set_motion(s->a, &at);
  for (int i = 0; i < c->problem->nv; ++i) c->r[i] = part * x[i];
  for (int i = 0; i < s->model->node_count; ++i) {
    double *e = c->r + s->model->node[i].first_v;
    if (s->model->node[i].init.group == TORSOR_GROUP_R3SO3)
      v3_store(e, m3_mulv(assembly_motion(s->a, i)->R, v3_load(e)));
  }
}

/* Moves the state by a fraction of x from c->q, c->lambda. */
static void move(settling *c, const double *x, double part) {
  linear_state *s = c->s;
  const torsor_problem *pr = c->problem;
  put_step(c, x, part);
  pr->plus(pr->self, s->q, c->q, c->r);
  for (int i = 0; i < pr->nl; ++i) s->lambda[i] = c->lambda[i] + part * x[pr->nv + i];
  put_state(c, s->q, s->lambda);
}

static void keep(settling *c) {
  memcpy(c->q, c->s->q, (size_t)c->problem->nq * sizeof *c->q);
  memcpy(c->lambda, c->s->lambda, (size_t)c->problem->nl * sizeof *c->lambda);
}

/* Line search: shortens the correction until the next one, with the same matrix, is smaller
 * (natural monotonicity test; Deuflhard 2011, Newton Methods for Nonlinear Problems, section
 * 3.3). */
static torsor_status search_line(settling *c, double size) {
  torsor_status status = TORSOR_NEWTON;
  for (double part = 1; part >= SHORTEST; part /= 2) {
    double next = HUGE_VAL;
    move(c, c->x, part);
    status = find_correction(c, c->next, &next);
    if (status < 0) return status;
    if (!status && (next <= (1 - part / 4) * size || next <= ENOUGH)) return TORSOR_OK;
  }
  return status ? status : TORSOR_NEWTON;
}

/* Makes one iteration: finds the correction c->x of the state, which is stored, and whether it is
 * the last one, which is then applied. */
static torsor_status iterate(settling *c, double *size, bool *last) {
  const double before = *size;
  torsor_status status = factor(c);
  if (!status) status = find_correction(c, c->x, size);
  if (status) return status;
  ++c->s->report.iterations;
  keep(c);
  *last = *size <= ENOUGH || (*size <= NEARLY && *size >= before / 2);
  if (*last) move(c, c->x, 1);
  return TORSOR_OK;
}

/* Newton's iteration at the present fraction of the velocities, damped by line search. */
static torsor_status find_damped(settling *c) {
  double size = HUGE_VAL;
  bool last = false;
  for (int k = 0; k < MOST; ++k) {
    torsor_status status = iterate(c, &size, &last);
    if (!status && !last) status = search_line(c, size);
    if (status || last) return status;
  }
  return TORSOR_NEWTON;
}

/* Finds the steady motion with foreseen stresses, as statics does (the mixed form of
 * equilibrium.c). */
static torsor_status find_mixed(settling *c) {
  double size = HUGE_VAL;
  bool last = false;
  for (int k = 0; k < MOST; ++k) {
    const torsor_status status = iterate(c, &size, &last);
    if (status || last) return status;
    if (size > LARGEST) return TORSOR_NEWTON;
    put_step(c, c->x, 1);
    const torsor_point at = {.q = c->q, .v = c->r};
    assembly_foresee(c->s->a, &at);
    move(c, c->x, 1);
  }
  return TORSOR_NEWTON;
}

/* Finds the state at the present fraction of the velocities, from c->begin_q, c->begin_l. */
static torsor_status find(settling *c) {
  torsor_status status = TORSOR_NEWTON;
  put_state(c, c->begin_q, c->begin_l);
  if (assembly_has_stresses(c->s->a)) {
    status = find_mixed(c);
    assembly_forget(c->s->a);
    if (status > 0) put_state(c, c->begin_q, c->begin_l);
  }
  return status > 0 ? find_damped(c) : status;
}

/* Continuation: tries the full velocities at once and, where that fails, lets them grow in
 * steps. */
static torsor_status follow(settling *c) {
  double done = 0, step = 1;
  while (done < 1) {
    memcpy(c->begin_q, c->s->q, (size_t)c->problem->nq * sizeof *c->q);
    memcpy(c->begin_l, c->s->lambda, (size_t)c->problem->nl * sizeof *c->lambda);
    c->part = fmin(done + step, 1);
    const torsor_status status = find(c);
    if (!status) {
      done = c->part;
      step *= 2;
      continue;
    }
    if (status < 0 || (step /= 2) < SHORTEST) return status;
    put_state(c, c->begin_q, c->begin_l);
  }
  return TORSOR_OK;
}

/* Do the velocities satisfy the constraints?  Each row is compared with what the largest velocity
 * of all would contribute to it. */
static torsor_status check_rates(const settling *c) {
  const torsor_problem *pr = c->problem;
  const torsor_point p = state_point(c->s);
  gradient_rows B = {0};
  torsor_status status = pr->residual(pr->self, &p, NULL, NULL, c->phi_v);
  if (!status) status = assembly_gradient(&B, c->s->a, &p);
  double fastest = 0;
  for (int i = 0; i < pr->nv; ++i)
    fastest = fmax(fastest, fabs(c->s->v[i]) * (pr->rotation[i] ? c->length : 1));
  for (int i = 0; i < pr->nl && !status; ++i) {
    double size = 0;
    for (int k = B.first[i]; k < B.first[i + 1]; ++k)
      size += fabs(B.value[k]) * fastest / (pr->rotation[B.column[k]] ? c->length : 1);
    if (!(fabs(c->phi_v[i]) <= DECIMAL_ROUNDING * size)) status = TORSOR_NEWTON;
  }
  gradient_rows_release(&B);
  return status;
}

static torsor_status take_memory(settling *c, arena *memory) {
  const linear_state *s = c->s;
  const size_t nq = (size_t)s->model->nq, nv = (size_t)s->model->nv, nl = (size_t)s->model->nl;
  const size_t nodes = (size_t)s->model->node_count;
  double *work = arena_take(memory, 2 * nq + 5 * nv + 7 * nl, sizeof *work);
  twist *sigma = arena_take(memory, nodes, sizeof *sigma);
  if (!work || !sigma) return TORSOR_MEMORY;
  memcpy(sigma, s->sigma, nodes * sizeof *sigma);
  c->sigma = sigma;
  c->q = work;
  c->begin_q = c->q + nq;
  c->lambda = c->begin_q + nq;
  c->begin_l = c->lambda + nl;
  c->r = c->begin_l + nl;
  c->phi = c->r + nv;
  c->phi_v = c->phi + nl;
  c->x = c->phi_v + nl;
  c->next = c->x + nv + nl;
  c->own = c->next + nv + nl;
  c->across = c->own + nv + nl;
  return TORSOR_OK;
}

torsor_status steady_settle(linear_state *s, twist frame) {
  arena memory = {0};
  settling c = {.s = s,
                .problem = assembly_problem(s->a),
                .frame = frame,
                .part = 1,
                .length = model_size(s->model)};
  ++s->report.frames;
  steady_see(s, frame);
  torsor_status status = take_memory(&c, &memory);
  if (!status) status = pencil_create(&c.p, s->a, s->model, &s->t, s->q, &memory);
  if (!status) status = shifted_create(&c.shifted, &c.p, s->settles, &memory);
  if (!status) status = follow(&c);
  if (!status) status = check_rates(&c);
  shifted_release(&c.shifted);
  arena_release(&memory);
  return status;
}
