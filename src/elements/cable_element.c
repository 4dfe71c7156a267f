/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A straight piece between two points: with the unstrained length L and the strain e = (|x| - L)/L
 * the tension is N = EA (e + tau e'), along n = x/|x|, but no less than 0, and 0 where e < 0,
 * unless it takes compression.
 *
 * The mass matrix is m/12 [[5, 1], [1, 5]], the mean of the lumped and the consistent one, whose
 * errors in the frequencies of a string cancel to fourth order. */

#include "elements/cable.h"
#include "elements/solid.h"

#include "elements/chain_kit.h"

static const double DIAGONAL = 5.0 / 12, BESIDE = 1.0 / 12;

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  (void)error;
  cable_element_data *e = self;
  e->gravity = setup->gravity;
  setup->nodes = 2;
  setup->node[0] = e->node[0];
  setup->node[1] = e->node[1];
  setup->length = e->length;
  setup->dissipative = e->lag > 0;
  return TORSOR_OK;
}

typedef struct stretch {
  v3 n, dv;            /* direction, and velocity of the second end seen from the first */
  double distance;     /* m */
  double strain, rate; /* e and e' */
  double tension;      /* N */
  bool slack;          /* bears nothing */
} stretch;

static torsor_status find_stretch(stretch *s, const cable_element_data *e,
                                  const torsor_element_in *in) {
  const v3 x = v3_sub(in->node[1]->x, in->node[0]->x);
  s->distance = v3_norm(x);
  if (!(s->distance > 0)) return TORSOR_DOMAIN;
  s->n = v3_scale(x, 1 / s->distance);
  s->dv = v3_sub(in->node[1]->V.lin, in->node[0]->V.lin);
  s->strain = (s->distance - e->length) / e->length;
  s->rate = v3_dot(s->n, s->dv) / e->length;
  s->tension = e->stiffness * (s->strain + e->lag * s->rate);
  s->slack = !e->pushes && (s->strain < 0 || s->tension < 0);
  if (s->slack) s->tension = 0;
  return TORSOR_OK;
}

static void add_residual(double *r, const cable_element_data *e, const stretch *s,
                         const torsor_element_in *in) {
  const v3 a = in->node[0]->A.lin, b = in->node[1]->A.lin;
  const v3 weight = v3_scale(e->gravity, -in->load * e->mass / 2);
  const v3 first = v3_axpy(e->mass * DIAGONAL, a, v3_scale(b, e->mass * BESIDE));
  const v3 second = v3_axpy(e->mass * DIAGONAL, b, v3_scale(a, e->mass * BESIDE));
  v3_store(r, v3_add(v3_load(r), v3_axpy(-s->tension, s->n, v3_add(first, weight))));
  v3_store(r + 6, v3_add(v3_load(r + 6), v3_axpy(s->tension, s->n, v3_add(second, weight))));
}

/* A block of forces along positions; `beside` in the blocks between both ends. */
static void add_blocks(double *out, m3 own, m3 beside) {
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 2; ++column)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          out[12 * (6 * row + i) + 6 * column + j] += (row == column ? own : beside).m[i][j];
}

/* D(N n) along the second end, at constant velocities. */
static m3 stiffness_of(const cable_element_data *e, const stretch *s) {
  const m3 along = m3_outer(s->n, s->n), across = m3_sub(m3_identity(), along);
  const v3 turning = m3_mulv(across, v3_scale(s->dv, 1 / s->distance)); /* D(n . dv) */
  const m3 stretching = m3_outer(s->n, v3_axpy(e->lag, turning, s->n));
  return m3_add(m3_scale(stretching, e->stiffness / e->length),
                m3_scale(across, s->tension / s->distance));
}

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const cable_element_data *e = self;
  stretch s;
  const torsor_status status = find_stretch(&s, e, in);
  if (status) return status;
  if (out->r) add_residual(out->r, e, &s, in);
  if (out->M)
    add_blocks(out->M, m3_scale(m3_identity(), e->mass * DIAGONAL),
               m3_scale(m3_identity(), e->mass * BESIDE));
  if (s.slack) return TORSOR_OK;
  if (out->K) {
    const m3 K = stiffness_of(e, &s);
    add_blocks(out->K, K, m3_scale(K, -1));
  }
  if (out->C && e->lag > 0) {
    const m3 C = m3_scale(m3_outer(s.n, s.n), e->stiffness * e->lag / e->length);
    add_blocks(out->C, C, m3_scale(C, -1));
  }
  return TORSOR_OK;
}

/* Strain energy; a slack element stores none. */
static double elastic(const cable_element_data *e, const stretch *s) {
  if (!e->pushes && s->strain < 0) return 0;
  return e->length / 2 * e->stiffness * s->strain * s->strain;
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const cable_element_data *e = self;
  const torsor_motion *a = in->node[0], *b = in->node[1];
  stretch s;
  if (find_stretch(&s, e, in)) return;
  const v3 first = v3_axpy(e->mass * DIAGONAL, a->V.lin, v3_scale(b->V.lin, e->mass * BESIDE));
  const v3 second = v3_axpy(e->mass * DIAGONAL, b->V.lin, v3_scale(a->V.lin, e->mass * BESIDE));
  sum->kinetic += (v3_dot(a->V.lin, first) + v3_dot(b->V.lin, second)) / 2;
  sum->potential -= in->load * e->mass / 2 * v3_dot(e->gravity, v3_add(a->x, b->x));
  sum->elastic += elastic(e, &s);
  sum->momentum = v3_add(sum->momentum, v3_add(first, second));
  sum->angular_momentum =
      v3_add(sum->angular_momentum, v3_add(v3_cross(a->x, first), v3_cross(b->x, second)));
}

static const char *obstacle(const void *self) {
  return ((const cable_element_data *)self)->lag > 0 ? "has damping" : NULL;
}

/* The power of the tension less what the strain keeps. */
static double loss(const void *self, const torsor_element_in *in) {
  const cable_element_data *e = self;
  stretch s;
  if (find_stretch(&s, e, in) || (!e->pushes && s.strain < 0)) return 0;
  return e->length * s.rate * (s.tension - e->stiffness * s.strain);
}

static const char *remark(const void *self, const torsor_element_in *in) {
  stretch s;
  return !find_stretch(&s, self, in) && s.slack && s.strain < 0 ? "is slack" : NULL;
}

static const torsor_output outputs[] = {
    {"tension", "N", "tension, damping included; 0 where it is slack", 1},
    {"stretch", "", "(length - unstrained length)/unstrained length; below 0 where it is slack", 1},
    {0}};

static void output(const void *self, const torsor_element_in *in, double *values) {
  stretch s;
  if (find_stretch(&s, self, in)) return;
  values[0] = s.tension;
  values[1] = s.strain;
}

static void draw(const void *self, const torsor_drawing *to) {
  const cable_element_data *e = self;
  const torsor_outline round = {.shape = TORSOR_SHAPE_CIRCLE,
                                .size = {solid_guess_radius(e->mass / e->length)},
                                .guessed = true};
  to->piece(to->self, (const torsor_outline[]){round, round}, false);
}

const torsor_element_type cable_element = {
    CHAIN_PART,
    .name = "cable_element",
    .title = "straight piece of a cable between two points",
    .doc = "See cable.",
    .limits.range = "ends of an element that do not meet, as it has no direction then",
    .limits.advice = "lead its ends past each other, or take fewer elements",
    .size = sizeof(cable_element_data),
    .prepare = prepare,
    .eval = eval,
    .energy.balance = balance,
    .energy.obstacle = obstacle,
    .outputs.list = outputs,
    .outputs.eval = output,
    .look.draw = draw,
    .energy.loss = loss,
    .limits.remark = remark,
};
