/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/modes/steady.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/statics/equilibrium.h"
#include "analysis/eigen/pencil.h"
#include "assembly/assembly_private.h"
#include "integrator/method.h"

/* Relative differences that count as equal: of an element's own matrices, for velocities that were
 * typed with six digits; and relative to the largest matrices of all elements, which is
 * round-off. */
static const double SAME = 1e-5, ROUND_OFF = 1e-12;

/* Round-off of inner forces, relative to stiffnesses times lengths: that of one or two roundings of
 * coordinates. */
static const double NOISE = 4 * DBL_EPSILON;

/* Angle, rad, by which the fastest of the frames and bodies rotates until the second evaluation: no
 * rational part of a full turn, so that symmetries do not hide a change. */
static const double TURN = 0.7;

enum { PARTS = 5 }; /* M, C, K, B, Z */

static se3 node_frame(const torsor_motion *m) {
  return (se3){.R = so3_from_matrix(m->R), .x = m->x};
}

twist steady_node_twist(const model_node *node, const double *x) {
  double full[6] = {0};
  memcpy(full + group_first_component(node->init.group), x, (size_t)node->group->nv * sizeof *full);
  return tw_load(full);
}

twist steady_node_eta(const model_node *node, se3 H, twist frame) {
  return node->init.abstract ? tw_zero() : se3_adjoint_inverse_apply(H, frame);
}

void steady_see(linear_state *s, twist frame) {
  const torsor_point p = {.q = s->q, .v = s->v, .a = s->acceleration};
  assembly_set_motion(s->a, &p);
  s->frame = frame;
  for (int i = 0; i < s->model->node_count; ++i) {
    const torsor_motion *m = assembly_motion(s->a, i);
    s->eta[i] = steady_node_eta(&s->model->node[i], node_frame(m), frame);
    s->sigma[i] = tw_sub(m->V, s->eta[i]);
  }
}

void steady_multiply_mass(linear_state *s, double *x, twist (*of)(const linear_state *, int)) {
  for (int i = 0; i < s->model->node_count; ++i) {
    const model_node *node = &s->model->node[i];
    double full[6];
    tw_store(full, of(s, i));
    memcpy(x + node->first_v, full + group_first_component(node->init.group),
           (size_t)node->group->nv * sizeof *x);
  }
  const pencil mass = {.nv = s->model->nv, .p = s->t.p};
  pencil_multiply(s->work, &mass, s->t.M, x);
}

static twist velocity_of(const linear_state *s, int i) {
  return assembly_motion(s->a, i)->V;
}

/* Adds the forces that rotating momentum needs, of the size of the momentum times its rate.  A body
 * that spins freely about an axis of symmetry has these forces in balance, up to round-off. */
static void add_momentum(double *sum, linear_state *s, double *x) {
  steady_multiply_mass(s, x, velocity_of);
  for (int i = 0; i < s->model->node_count; ++i) {
    const twist V = velocity_of(s, i);
    const twist P = steady_node_twist(&s->model->node[i], s->work + s->model->node[i].first_v);
    sum[2 * i] += v3_norm(V.ang) * v3_norm(P.lin);
    sum[2 * i + 1] += v3_norm(V.ang) * v3_norm(P.ang) + v3_norm(V.lin) * v3_norm(P.lin);
  }
}

torsor_status steady_forces(double *sum, linear_state *s) {
  double *x = arena_take(&s->memory, (size_t)s->model->nv, sizeof *x);
  if (!x) return TORSOR_MEMORY;
  const torsor_model *model = s->model;
  const torsor_point p = {.q = s->q, .v = s->v, .lambda = s->lambda};
  memset(sum, 0, 2 * (size_t)model->node_count * sizeof *sum);
  assembly_set_motion(s->a, &p);
  for (int i = 0; i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    double r[6 * e->nodes + 1];
    memset(r, 0, sizeof r);
    const torsor_element_in in = assembly_element_in(s->a, i, &p);
    torsor_element_out out = {.r = r};
    if (!assembly_acts(s->a, i)) continue;
    const torsor_status status = e->type->eval(e->instance, &in, &out);
    if (status) return status;
    for (int k = 0; k < e->nodes; ++k) {
      sum[2 * e->node[k]] += v3_norm(v3_load(r + 6 * k));
      sum[2 * e->node[k] + 1] += v3_norm(v3_load(r + 6 * k + 3));
    }
  }
  add_momentum(sum, s, x);
  return TORSOR_OK;
}

/* ---- the motion later on ------------------------------------------------------------------- */

/* The motion at a later time, and what is expected there if it is steady. */
typedef struct later {
  double t;
  m6 *seen;        /* [nodes] Ad(exp(-sigma t)), from the axes of the frame to those of the body */
  twist *expected; /* [nodes] expected accelerations, body axes */
  double *forces;  /* [2 nodes] magnitudes of forces and moments on a node, summed */
  v3 noise;        /* round-off of the forces: x of forces, y of moments */
  double *off;     /* [nv] */
  double *q, *v, *a, *lambda;
  double *numbers; /* products of all elements at the first time, see element_numbers */
  double *sizes;   /* sums of the magnitudes in these products */
  double largest[PARTS];
  int stride;  /* numbers of a part of an element */
  double *own; /* [PARTS][stride] products of one element */
} later;

static torsor_status later_create(later *l, const linear_state *s, arena *memory) {
  const torsor_model *model = s->model;
  const size_t nv = (size_t)model->nv, elements = (size_t)model->element_count;
  const size_t stride = 6 * (size_t)model->most_nodes, room = elements * PARTS * stride;
  double fastest = 0;
  for (int i = 0; i < model->node_count; ++i)
    fastest = fmax(fastest, fmax(v3_norm(s->eta[i].ang), v3_norm(s->sigma[i].ang)));
  *l = (later){.t = TURN / (fastest > 0 ? fastest : 1),
               .seen = arena_take(memory, (size_t)model->node_count, sizeof *l->seen),
               .expected = arena_take(memory, (size_t)model->node_count, sizeof *l->expected),
               .q = arena_take(memory, (size_t)model->nq, sizeof(double)),
               .v = arena_take(memory, 2 * nv + (size_t)model->nl, sizeof(double)),
               .forces = arena_take(memory, 2 * (size_t)model->node_count, sizeof(double)),
               .off = arena_take(memory, nv, sizeof(double)),
               .numbers = arena_take(memory, room, sizeof(double)),
               .sizes = arena_take(memory, elements * PARTS, sizeof(double)),
               .stride = (int)stride,
               .own = arena_take(memory, PARTS * stride, sizeof(double))};
  if (!l->seen || !l->expected || !l->q || !l->v || !l->forces || !l->off || !l->numbers ||
      !l->sizes || !l->own)
    return TORSOR_MEMORY;
  l->a = l->v + nv;
  l->lambda = l->a + nv;
  return TORSOR_OK;
}

/* Stores q and v of a node in the frame H with the body twist V. */
static void put_node(double *q, double *v, const model_node *node, se3 H, twist V) {
  double frame[7], body[6];
  se3_store(frame, H);
  if (node->init.group == TORSOR_GROUP_R3SO3) V.lin = so3_rotate(H.R, V.lin);
  tw_store(body, V);
  const bool turns_only = node->init.group == TORSOR_GROUP_SO3;
  memcpy(q, frame + (turns_only ? 3 : 0), (size_t)node->group->nq * sizeof *q);
  memcpy(v, body + (turns_only ? 3 : 0), (size_t)node->group->nv * sizeof *v);
}

static void go_on(later *l, const linear_state *s) {
  const se3 moved = se3_exp(tw_scale(s->frame, l->t));
  for (int i = 0; i < s->model->node_count; ++i) {
    const model_node *node = &s->model->node[i];
    const torsor_motion *m = assembly_motion(s->a, i);
    const se3 turned = se3_exp(tw_scale(s->sigma[i], l->t));
    const se3 begin = node_frame(m);
    const se3 H = se3_compose(node->init.abstract ? begin : se3_compose(moved, begin), turned);
    l->seen[i] = se3_adjoint_inverse(turned);
    l->expected[i] = m6_mulv(l->seen[i], m->A);
    put_node(l->q + node->first_q, l->v + node->first_v, node, H, m6_mulv(l->seen[i], m->V));
  }
}

/* ---- matrices of the elements, by their products with a fixed variation -------------------- */

/* Returns some fixed variation of node i, of its degrees of freedom alone; translations have the
 * size of `length`. */
static twist some_variation(const model_node *node, int i, double length) {
  twist x = tw_zero();
  if (node->init.group != TORSOR_GROUP_SO3)
    x.lin = v3_scale((v3){sin(1.3 * i + 1), cos(2.1 * i), sin(0.7 * i + 2)}, length);
  if (node->init.group != TORSOR_GROUP_R3)
    x.ang = (v3){cos(1.7 * i + 1), sin(0.9 * i + 3), cos(0.4 * i + 2)};
  return x;
}

/* y [6 nodes] = A x, with the sum of the magnitudes in `size`; the forces are transformed to the
 * axes of the frames. */
static void add_square(double *y, double *size, const double *A, const double *x, int n,
                       const m6 *const *seen) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      y[i] += A[i * n + j] * x[j];
      *size += fabs(A[i * n + j] * x[j]);
    }
  for (int k = 0; seen && k < n / 6; ++k)
    tw_store(y + 6 * k, m6_tmulv(*seen[k], tw_load(y + 6 * k)));
}

/* y[0] = |A x| over the rows, since rows of a vector may rotate among themselves. */
static void add_rows(double *y, double *size, const double *A, const double *x, int rows, int n) {
  for (int i = 0; i < rows; ++i) {
    double sum = 0;
    for (int j = 0; j < n; ++j) {
      sum += A[i * n + j] * x[j];
      *size += fabs(A[i * n + j] * x[j]);
    }
    y[0] = hypot(y[0], sum);
  }
}

/* Multiplies the matrices of element i by the variation: y [PARTS][stride] and sizes [PARTS];
 * with l->seen at the later time (`is_later`). */
static torsor_status element_numbers(double *y, double *size, const linear_state *s, const later *l,
                                     bool is_later, int i, const torsor_point *p) {
  const model_element *e = &s->model->element[i];
  const int n = 6 * e->nodes;
  const m6 *seen[e->nodes + 1];
  double x[n + 1];
  const element_blocks *b;
  for (int k = 0; k < e->nodes; ++k) {
    const model_node *node = &s->model->node[e->node[k]];
    twist some = some_variation(node, e->node[k], s->model->length > 0 ? s->model->length : 1);
    seen[k] = &l->seen[e->node[k]];
    if (is_later) some = m6_mulv(*seen[k], some);
    if (node->init.group == TORSOR_GROUP_SO3) some.lin = v3_zero();
    tw_store(x + 6 * k, some);
  }
  memset(y, 0, PARTS * (size_t)l->stride * sizeof *y);
  memset(size, 0, PARTS * sizeof *size);
  const torsor_status status = element_tangents(&b, s->a, i, p);
  if (status) return status;
  const double *const squares[] = {b->M, b->C, b->K};
  for (int part = 0; part < 3; ++part)
    add_square(y + part * l->stride, size + part, squares[part], x, n, is_later ? seen : NULL);
  add_rows(y + 3 * l->stride, size + 3, b->B, x, e->rows, n);
  add_rows(y + 4 * l->stride, size + 4, b->Z, x, e->nonholonomic ? e->rows : 0, n);
  return TORSOR_OK;
}

static bool are_the_same(const double *y, const double *z, const double *size, const later *l,
                         int parts) {
  for (int part = 0; part < parts; ++part)
    for (int j = 0; j < l->stride; ++j)
      if (!(fabs(y[part * l->stride + j] - z[part * l->stride + j]) <=
            SAME * size[part] + ROUND_OFF * l->largest[part]))
        return false;
  return true;
}

static torsor_status look_now(later *l, linear_state *s) {
  const torsor_point now = {.q = s->q, .v = s->v, .a = s->acceleration, .lambda = s->lambda};
  assembly_set_motion(s->a, &now);
  for (int i = 0; i < s->model->element_count; ++i) {
    double *size = l->sizes + i * PARTS;
    if (!assembly_acts(s->a, i)) continue;
    const torsor_status status = element_numbers(
        l->numbers + (size_t)(i * PARTS) * (size_t)l->stride, size, s, l, false, i, &now);
    if (status) return status;
    for (int part = 0; part < PARTS; ++part) l->largest[part] = fmax(l->largest[part], size[part]);
  }
  return TORSOR_OK;
}

/* Returns the largest force and moment that round-off of inner forces causes, which constraints
 * pass on to other nodes; overwrites the state's work. */
static v3 force_noise(const linear_state *s) {
  const unsigned char *rotation = assembly_problem(s->a)->rotation;
  const pattern *p = s->t.p;
  const int nv = s->model->nv;
  const double length = model_size(s->model);
  v3 noise = {0};
  memset(s->work, 0, (size_t)nv * sizeof *s->work);
  for (int j = 0; j < nv; ++j)
    for (int k = p->Ap[j]; k < p->Ap[j + 1] && p->Ai[k] < nv; ++k)
      s->work[p->Ai[k]] += NOISE * fabs(s->t.K[k]) * (rotation[j] ? 1 : length);
  for (int i = 0; i < nv; ++i) {
    double *most = rotation[i] ? &noise.y : &noise.x;
    *most = fmax(*most, s->work[i]);
  }
  noise.y = fmax(noise.y, noise.x * length);
  return noise;
}

/* Finds the forces, seen from the present frames, that correspond to the difference between the
 * later accelerations and the expected ones. */
static void forces_off(const later *l, const linear_state *s) {
  const pencil mass = {.nv = s->model->nv, .p = s->t.p};
  for (int i = 0; i < s->model->node_count; ++i) {
    const model_node *node = &s->model->node[i];
    const twist off = tw_sub(assembly_motion(s->a, i)->A, l->expected[i]);
    const se3 turned = se3_exp(tw_scale(s->sigma[i], l->t));
    double full[6];
    tw_store(full, se3_adjoint_apply(turned, off));
    memcpy(l->off + node->first_v, full + group_first_component(node->init.group),
           (size_t)node->group->nv * sizeof *full);
  }
  pencil_multiply(s->work, &mass, s->t.M, l->off);
}

/* Returns the element of the first node whose later acceleration differs from the expected one, or
 * -1. */
static int other_acceleration(const later *l, const linear_state *s) {
  forces_off(l, s);
  for (int i = 0; i < s->model->node_count; ++i) {
    const twist w = steady_node_twist(&s->model->node[i], s->work + s->model->node[i].first_v);
    if (!(v3_norm(w.lin) <= SAME * l->forces[2 * i] + l->noise.x &&
          v3_norm(w.ang) <= SAME * l->forces[2 * i + 1] + l->noise.y))
      return s->model->node[i].element;
  }
  return -1;
}

/* Finds the first element of whose first `parts` matrices one differs later on; -1 = none. */
static torsor_status other_numbers(int *other, const later *l, linear_state *s,
                                   const torsor_point *then, int parts) {
  *other = -1;
  for (int i = 0; *other < 0 && i < s->model->element_count; ++i) {
    double *y = l->own, size[PARTS];
    if (!assembly_acts(s->a, i)) continue;
    const torsor_status status = element_numbers(y, size, s, l, true, i, then);
    if (status) return status;
    if (!are_the_same(y, l->numbers + (size_t)(i * PARTS) * (size_t)l->stride, l->sizes + i * PARTS,
                      l, parts))
      *other = i;
  }
  return TORSOR_OK;
}

static torsor_status look_later(bool *same, const later *l, linear_state *s) {
  const torsor_point then = {.t = l->t, .q = l->q, .v = l->v, .a = l->a, .lambda = l->lambda};
  assembly_set_motion(s->a, &then);
  int other = other_acceleration(l, s);
  const torsor_status status = other < 0 ? other_numbers(&other, l, s, &then, PARTS) : TORSOR_OK;
  *same = !status && other < 0;
  s->left.otherwise = other;
  return status;
}

torsor_status steady_lasts(bool *same, linear_state *s) {
  arena memory = {0};
  later l;
  torsor_status status = later_create(&l, s, &memory);
  *same = false;
  l.noise = force_noise(s);
  if (!status) status = steady_forces(l.forces, s);
  if (!status) status = look_now(&l, s);
  if (!status) {
    go_on(&l, s);
    const torsor_status then =
        start_accelerations(l.a, l.lambda, NULL, &s->systems, l.t, l.q, l.v, s->work);
    if (then < 0) status = then;
    if (!then) status = look_later(same, &l, s);
    if (status > 0) status = TORSOR_OK; /* the motion cannot even be evaluated there */
  }
  arena_release(&memory);
  return status;
}

torsor_status steady_may_last(bool *may, linear_state *s) {
  arena memory = {0};
  later l;
  torsor_status status = later_create(&l, s, &memory);
  if (!status) status = look_now(&l, s);
  if (!status) {
    go_on(&l, s);
    const torsor_point then = {.t = l.t, .q = l.q, .v = l.v, .a = l.a, .lambda = l.lambda};
    assembly_set_motion(s->a, &then);
    int other;
    status = other_numbers(&other, &l, s, &then, 1);
    *may = !status && other < 0;
  }
  arena_release(&memory);
  return status;
}

torsor_status steady_later_find(steady_later *out, linear_state *s, arena *memory) {
  later l;
  const torsor_status status = later_create(&l, s, memory);
  const torsor_point now = {.q = s->q, .v = s->v, .a = s->acceleration, .lambda = s->lambda};
  if (status) return status;
  assembly_set_motion(s->a, &now);
  go_on(&l, s);
  *out = (steady_later){{.t = l.t, .q = l.q, .v = l.v, .a = l.a, .lambda = l.lambda}, l.seen};
  return start_accelerations(l.a, l.lambda, NULL, &s->systems, l.t, l.q, l.v, s->work);
}
