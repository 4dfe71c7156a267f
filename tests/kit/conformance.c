/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "conformance.h"

#include <stdio.h>
#include <stdlib.h>

#include "assembly/assembly_private.h"
#include "check.h"

enum { STATES = 8, KEPT = 128, NODES = 24, SIZE = 6 * NODES, ROWS = TORSOR_ELEMENT_ROWS };
#define DIFFERENCE_STEP 6.055454452393343e-06 /* cube root of the round-off unit */

/* Matrices of one element. */
typedef struct blocks {
  double M[SIZE * SIZE], C[SIZE * SIZE], K[SIZE * SIZE], Z[ROWS * SIZE], L[SIZE * ROWS];
} blocks;

/* One element at one random motion. */
typedef struct subject {
  const torsor_element_type *type;
  const model_element *e;
  int n;
  torsor_motion motion[NODES];
  const torsor_motion *seen[NODES];
  double lambda[ROWS], reaction[ROWS], kept[KEPT];
  bool points;       /* all nodes are */
  bool modal[NODES]; /* holds modal coordinates, which are nowhere in space */
  torsor_now now;
  torsor_element_in in;
} subject;

static v3 random_vector(check_rng *rng, double size) {
  return (v3){check_uniform(rng, -size, size), check_uniform(rng, -size, size),
              check_uniform(rng, -size, size)};
}

static twist random_twist(check_rng *rng, double size) {
  return (twist){random_vector(rng, size), random_vector(rng, size)};
}

/* Random motions near the initial frames, so that an element stays where it is defined; point
 * masses neither turn nor see a turned frame. */
static void randomise(subject *s, const torsor_model *model, check_rng *rng) {
  s->n = 6 * s->e->nodes;
  CHECK_TRUE(s->e->nodes <= NODES);
  for (int i = 0; i < s->e->nodes; ++i) {
    const model_node *node = &model->node[s->e->node[i]];
    const bool point = node->init.group == TORSOR_GROUP_R3;
    s->points = point && (!i || s->points);
    s->modal[i] = node->init.abstract;
    torsor_motion *m = &s->motion[i];
    const v3 turn = point ? v3_zero() : random_vector(rng, 0.4);
    m->R = m3_mul(so3_matrix(node->init.frame.R), so3_rodrigues(turn));
    m->x = v3_add(node->init.frame.x, random_vector(rng, 0.2));
    m->V = random_twist(rng, 2);
    m->A = random_twist(rng, 3);
    if (point) m->V.ang = m->A.ang = v3_zero();
    s->seen[i] = m;
  }
  for (int i = 0; i < ROWS; ++i) s->lambda[i] = check_uniform(rng, -5, 5);
  for (int i = 0; i < ROWS; ++i) s->reaction[i] = check_uniform(rng, -5, 5);
  s->now = (torsor_now){.t = 0.3, .load = 0.7};
  s->in = (torsor_element_in){
      .now = &s->now, .load = 0.7, .node = s->seen, .lambda = s->lambda, .reaction = s->reaction};
  CHECK_TRUE(s->e->states <= KEPT);
  if (!s->e->states) return;
  s->type->history.begin(s->e->instance, &s->in, s->kept);
  s->in.state = s->kept;
}

static double size_of(const double *a, int n) {
  double size = 0;
  for (int i = 0; i < n; ++i) size = check_max(size, fabs(a[i]));
  return size;
}

/* Largest difference relative to the larger of both and 1. */
static double distance(const double *a, const double *b, int n) {
  double worst = 0;
  for (int i = 0; i < n; ++i) worst = check_max(worst, fabs(a[i] - b[i]));
  return worst / check_max(1, check_max(size_of(a, n), size_of(b, n)));
}

static void eval(const subject *s, const torsor_element_in *in, torsor_element_out *out) {
  CHECK_INT(s->type->eval(s->e->instance, in, out), TORSOR_OK);
}

static void keep_diagonal(double *x, const subject *s) {
  double block[36];
  for (int k = 0; k < s->e->nodes; ++k) {
    for (int i = 0; i < 36; ++i) block[i] = x[(6 * k + i / 6) * s->n + 6 * k + i % 6];
    memcpy(x + 36 * k, block, sizeof block);
  }
  for (int i = 36 * s->e->nodes; i < s->n * s->n; ++i) x[i] = 0;
}

/* Tangents of the type against differences; for types that leave them to the framework, nothing. */
static void measure_tangents(conformance *c, const subject *s) {
  if (s->type->tangents.numeric) return;
  static blocks own, other;
  memset(&own, 0, sizeof own);
  memset(&other, 0, sizeof other);
  const bool reactive = s->e->reaction_rows > 0;
  torsor_element_out out = {.M = own.M,
                            .C = own.C,
                            .K = own.K,
                            .Z = s->e->rows ? own.Z : NULL,
                            .L = reactive ? own.L : NULL};
  eval(s, &s->in, &out);
  torsor_element_out difference = {.M = other.M,
                                   .C = other.C,
                                   .K = other.K,
                                   .Z = s->e->rows ? other.Z : NULL,
                                   .L = reactive ? other.L : NULL};
  CHECK_INT(numeric_tangent(s->e, &s->in, &difference, 1), TORSOR_OK);
  if (s->e->alone) { /* the blocks of the nodes by themselves stand one behind the other */
    keep_diagonal(other.C, s);
    keep_diagonal(other.K, s);
  }
  c->M = check_max(c->M, distance(own.M, other.M, s->n * s->n));
  c->C = check_max(c->C, distance(own.C, other.C, s->n * s->n));
  c->K = check_max(c->K, distance(own.K, other.K, s->n * s->n));
  c->Z = check_max(c->Z, distance(own.Z, other.Z, s->e->rows * s->n));
  c->L = check_max(c->L, distance(own.L, other.L, s->e->reaction_rows * s->n));
}

/* The motion after `t` along the velocity and acceleration: H exp(t V + t^2/2 A), V + t A. */
static void flow(subject *moved, const subject *s, double t) {
  *moved = *s;
  for (int i = 0; i < s->e->nodes; ++i) {
    torsor_motion *m = &moved->motion[i];
    const twist step = tw_axpy(t, m->V, tw_scale(m->A, t * t / 2));
    const se3 moving = se3_exp(step);
    m->x = v3_add(m->x, m3_mulv(m->R, moving.x));
    m->R = m3_mul(m->R, so3_matrix(moving.R));
    m->V = tw_axpy(t, m->A, m->V);
    moved->seen[i] = m;
  }
  moved->in.node = moved->seen;
  moved->in.lambda = moved->lambda;
  moved->in.reaction = moved->reaction;
  moved->now.t = s->now.t + t;
  moved->in.now = &moved->now;
}

/* phi and phi_v one difference step along the motion. */
static void flow_constraints(double *phi, double *phi_v, const subject *s, double t) {
  subject moved;
  flow(&moved, s, t);
  torsor_element_out out = {.phi = phi, .phi_v = phi_v};
  eval(&moved, &moved.in, &out);
}

/* out [rows] = B [rows x n] times the twists of one kind. */
static void times_motion(double *out, const double *B, const subject *s, bool acceleration) {
  for (int row = 0; row < s->e->rows; ++row) {
    out[row] = 0;
    for (int i = 0; i < s->e->nodes; ++i)
      out[row] +=
          tw_dot(tw_load(B + row * s->n + 6 * i), acceleration ? s->motion[i].A : s->motion[i].V);
  }
}

/* out [rows] = phi_v with every velocity `scale` times its own. */
static void scaled_rate(double *out, const subject *s, double scale) {
  subject at;
  flow(&at, s, 0);
  for (int i = 0; i < s->e->nodes; ++i) at.motion[i].V = tw_scale(at.motion[i].V, scale);
  torsor_element_out wanted = {.phi_v = out};
  eval(&at, &at.in, &wanted);
}

/* The first nonholonomic row: those have no phi, and phi_v linear in the velocities by itself. */
static int first_nonholonomic(const subject *s) {
  return s->e->rows - s->e->nonholonomic;
}

static void measure_constraints(conformance *c, const subject *s) {
  const int rows = s->e->rows;
  if (!rows) return;
  double B[ROWS * SIZE] = {0}, phi_v[ROWS] = {0}, phi_a[ROWS] = {0}, BA[ROWS];
  torsor_element_out out = {.B = B, .phi_v = phi_v, .phi_a = phi_a};
  eval(s, &s->in, &out);
  double up[ROWS] = {0}, down[ROWS] = {0}, up_v[ROWS] = {0}, down_v[ROWS] = {0};
  const double h = DIFFERENCE_STEP;
  flow_constraints(up, up_v, s, h);
  flow_constraints(down, down_v, s, -h);
  times_motion(BA, B, s, true);
  double still[ROWS] = {0}, BV[ROWS];
  scaled_rate(still, s, 0);
  times_motion(BV, B, s, false);
  for (int i = 0; i < rows; ++i) {
    up[i] = (up[i] - down[i]) / (2 * h);
    up_v[i] = (up_v[i] - down_v[i]) / (2 * h);
    BA[i] += phi_a[i];
    if (i >= first_nonholonomic(s)) up[i] = still[i] + BV[i];
  }
  c->rate = check_max(c->rate, distance(phi_v, up, rows));
  c->hidden = check_max(c->hidden, distance(BA, up_v, rows));
}

/* Every column of B: phi along one direction of one node. */
static void measure_gradient(conformance *c, const subject *s) {
  double B[ROWS * SIZE] = {0}, difference[ROWS * SIZE] = {0};
  torsor_element_out out = {.B = B};
  if (!s->e->rows) return;
  eval(s, &s->in, &out);
  for (int k = 0; k < s->n; ++k) {
    subject still = *s;
    double e[6] = {0}, phi[2][ROWS] = {0}, phi_v[2][ROWS] = {0};
    e[k % 6] = 1;
    for (int i = 0; i < s->e->nodes; ++i) still.motion[i].V = still.motion[i].A = tw_zero();
    still.motion[k / 6].V = tw_load(e);
    const double time = still.now.t;
    for (int side = 0; side < 2; ++side) {
      subject moved;
      flow(&moved, &still, side ? -DIFFERENCE_STEP : DIFFERENCE_STEP);
      moved.now.t = time;
      torsor_element_out at = {.phi = phi[side], .phi_v = phi_v[side]};
      eval(&moved, &moved.in, &at);
    }
    double moving[ROWS] = {0}, resting[ROWS] = {0};
    scaled_rate(moving, &still, 1);
    scaled_rate(resting, &still, 0);
    for (int row = 0; row < s->e->rows; ++row)
      difference[row * s->n + k] = row < first_nonholonomic(s)
                                       ? (phi[0][row] - phi[1][row]) / (2 * DIFFERENCE_STEP)
                                       : moving[row] - resting[row];
  }
  c->gradient = check_max(c->gradient, distance(B, difference, s->e->rows * s->n));
}

/* r of a joint is B^T lambda. */
static void measure_reaction(conformance *c, const subject *s) {
  if (s->type->kind != TORSOR_JOINT) return;
  double r[SIZE] = {0}, B[ROWS * SIZE] = {0}, expected[SIZE] = {0};
  torsor_element_out out = {.r = r, .B = B};
  eval(s, &s->in, &out);
  for (int row = 0; row < s->e->rows; ++row)
    for (int k = 0; k < s->n; ++k) expected[k] += B[row * s->n + k] * s->lambda[row];
  c->reaction = check_max(c->reaction, distance(r, expected, s->n));
}

/* A distributed load acts from outside, and its parts have several nodes. */
static bool acts_from_outside(const torsor_element_type *type) {
  static const char *const loads[] = {"beam_load_part", "edge_load_part", "shell_load_part"};
  for (size_t i = 0; i < sizeof loads / sizeof *loads; ++i)
    if (!strcmp(type->name, loads[i])) return true;
  return false;
}

/* Over two bodies the resultant of a joint or force vanishes, but for a given load from outside. */
static void measure_balance(conformance *c, const subject *s) {
  if (s->type->kind == TORSOR_BODY || s->e->nodes < 2) return;
  if (acts_from_outside(s->type)) return;
  double r[SIZE] = {0};
  torsor_element_out out = {.r = r};
  eval(s, &s->in, &out);
  v3 force = v3_zero(), moment = v3_zero();
  for (int i = 0; i < s->e->nodes; ++i) {
    if (s->modal[i]) continue;
    const torsor_motion *m = &s->motion[i];
    const v3 f = m3_mulv(m->R, v3_load(r + 6 * i));
    force = v3_add(force, f);
    moment = v3_add(moment, v3_add(m3_mulv(m->R, v3_load(r + 6 * i + 3)), v3_cross(m->x, f)));
  }
  const double size = check_max(1, size_of(r, s->n));
  c->balance = check_max(c->balance, v3_norm(force) / size);
  c->balance = check_max(c->balance, v3_norm(moment) / size);
}

/* Momenta some time along the motion; inertial axes, about the origin. */
static void momenta_after(double out[6], const subject *s, double t) {
  subject moved;
  flow(&moved, s, t);
  torsor_balance sum = {0};
  s->type->energy.balance(s->e->instance, &moved.in, &sum);
  v3_store(out, sum.momentum);
  v3_store(out + 3, sum.angular_momentum);
}

/* Without gravity the resultant of a body is the rate of its momenta. */
static void measure_momentum(conformance *c, const subject *s) {
  double r[SIZE] = {0}, resultant[6] = {0}, up[6], down[6];
  if (s->type->kind != TORSOR_BODY || !s->type->energy.balance) return;
  torsor_element_out out = {.r = r};
  eval(s, &s->in, &out);
  for (int i = 0; i < s->e->nodes; ++i) {
    if (s->modal[i]) continue;
    const torsor_motion *m = &s->motion[i];
    const v3 f = m3_mulv(m->R, v3_load(r + 6 * i));
    const v3 moment = v3_add(m3_mulv(m->R, v3_load(r + 6 * i + 3)), v3_cross(m->x, f));
    v3_store(resultant, v3_add(v3_load(resultant), f));
    v3_store(resultant + 3, v3_add(v3_load(resultant + 3), moment));
  }
  momenta_after(up, s, DIFFERENCE_STEP);
  momenta_after(down, s, -DIFFERENCE_STEP);
  for (int i = 0; i < 6; ++i) up[i] = (up[i] - down[i]) / (2 * DIFFERENCE_STEP);
  c->momentum = check_max(c->momentum, distance(resultant, up, 6));
}

/* Everything that an element answers in body axes, at one motion. */
static int answers(double *out, const subject *s) {
  double r[SIZE] = {0}, B[ROWS * SIZE] = {0}, phi[ROWS] = {0}, phi_v[ROWS] = {0};
  const int rows = s->e->rows;
  torsor_element_out wanted = {.r = r, .B = B, .phi = phi, .phi_v = phi_v};
  eval(s, &s->in, &wanted);
  memcpy(out, r, sizeof r);
  memcpy(out + SIZE, B, sizeof B);
  memcpy(out + SIZE + ROWS * SIZE, phi, (size_t)rows * sizeof *phi);
  memcpy(out + SIZE + ROWS * SIZE + ROWS, phi_v, (size_t)rows * sizeof *phi_v);
  return SIZE + ROWS * SIZE + 2 * ROWS;
}

/* A body of points sees no frame that turns with it: its velocities and forces turn instead. */
static void turn_points(subject *s, m3 Q, const subject *before) {
  for (int i = 0; i < s->e->nodes; ++i) {
    if (s->modal[i]) continue;
    s->motion[i].R = m3_identity();
    s->motion[i].V.lin = m3_mulv(Q, before->motion[i].V.lin);
    s->motion[i].A.lin = m3_mulv(Q, before->motion[i].A.lin);
  }
}

static void measure_invariance(conformance *c, const subject *s, check_rng *rng) {
  static double before[2 * SIZE * ROWS], after[2 * SIZE * ROWS];
  memset(before, 0, sizeof before);
  memset(after, 0, sizeof after);
  const int count = answers(before, s);
  subject moved = *s;
  const m3 Q = so3_rodrigues(random_vector(rng, 1.5));
  const v3 shift = random_vector(rng, 3);
  for (int i = 0; i < s->e->nodes; ++i) {
    moved.seen[i] = &moved.motion[i];
    if (s->modal[i]) continue;
    moved.motion[i].R = m3_mul(Q, s->motion[i].R);
    moved.motion[i].x = v3_add(shift, m3_mulv(Q, s->motion[i].x));
  }
  moved.in.node = moved.seen;
  const bool points = s->type->kind == TORSOR_BODY && s->points;
  if (points) turn_points(&moved, Q, s);
  answers(after, &moved);
  for (int i = 0; points && i < s->e->nodes; ++i)
    if (!s->modal[i]) v3_store(after + 6 * i, m3_tmulv(Q, v3_load(after + 6 * i)));
  c->invariance = check_max(c->invariance, distance(before, after, count));
}

static double energy_after(const subject *s, double t) {
  subject moved;
  flow(&moved, s, t);
  torsor_balance sum = {0};
  s->type->energy.balance(s->e->instance, &moved.in, &sum);
  return sum.kinetic + sum.potential + sum.elastic;
}

static double energy_difference(const subject *s, double h) {
  const double near = energy_after(s, h) - energy_after(s, -h);
  const double far = energy_after(s, 2 * h) - energy_after(s, -2 * h);
  return (8 * near - far) / (12 * h);
}

/* Rate of the energy by five points, extrapolated, as stiff springs make its higher derivatives
 * large: truncation h^6 and round-off 20 eps/h. */
static double energy_rate(const subject *s) {
  const double h = 7.4e-4; /* fifth root of the round-off unit */
  return (16 * energy_difference(s, h / 2) - energy_difference(s, h)) / 15;
}

/* V . r at the motion of `at`, along the velocities of `s`. */
static double power_at(const subject *s, const subject *at) {
  double r[SIZE] = {0}, phi_v[ROWS] = {0}, power = 0;
  torsor_element_out out = {.r = r, .phi_v = s->type->kind == TORSOR_BODY ? phi_v : NULL};
  eval(at, &at->in, &out);
  for (int i = 0; i < s->e->nodes; ++i) power += tw_dot(s->motion[i].V, tw_load(r + 6 * i));
  for (int i = 0; i < s->e->rows; ++i) power -= s->lambda[i] * phi_v[i];
  return power;
}

/* Forces without inertia: the part that does not depend on velocities has the energy, and the rest,
 * power minus that, takes energy away. */
static void measure_power(conformance *c, const subject *s) {
  if (!s->type->energy.balance) return;
  const bool force = s->type->kind == TORSOR_FORCE && !(s->type->tangents.has & TORSOR_HAS_M);
  subject still;
  flow(&still, s, 0);
  for (int i = 0; force && i < s->e->nodes; ++i) still.motion[i].V = still.motion[i].A = tw_zero();
  const double lost =
      !force && s->type->energy.loss ? s->type->energy.loss(s->e->instance, &s->in) : 0;
  const double power = power_at(s, &still) - lost;
  const double size = check_max(1, fabs(energy_after(s, 0)));
  c->power = check_max(c->power, fabs(energy_rate(s) - power) / size);
  if (!force) return;
  c->gain = check_max(c->gain, power - power_at(s, s));
  if (!s->type->energy.loss) return;
  const double loss = s->type->energy.loss(s->e->instance, &s->in);
  c->loss = check_max(c->loss, fabs(power_at(s, s) - energy_rate(s) - loss) / size);
}

/* Values a difference step apart, by whole periods brought next to each other. */
static void measure_coordinates(conformance *c, const subject *s) {
  double value[3][ELEMENT_COORDINATES], rate[3][ELEMENT_COORDINATES];
  for (int k = 0; s->type->coordinates.list && k < 3; ++k) {
    subject moved;
    flow(&moved, s, (k - 1) * DIFFERENCE_STEP);
    s->type->coordinates.eval(s->e->instance, &moved.in, value[k], rate[k]);
  }
  for (int i = 0; i < s->e->coordinates; ++i) {
    double change = value[2][i] - value[0][i];
    const double period = s->type->coordinates.list[i].period;
    if (period > 0) change -= period * nearbyint(change / period);
    const double difference = change / (2 * DIFFERENCE_STEP);
    c->coordinate = check_max(c->coordinate, distance(&rate[1][i], &difference, 1));
  }
}

enum { STRESSES = 24 };

/* The stresses at rest, `t` along the motion. */
static void stress_after(double *out, const subject *s, double t) {
  subject moved;
  flow(&moved, s, t);
  for (int i = 0; i < s->e->nodes; ++i) moved.motion[i].V = (twist){v3_zero(), v3_zero()};
  s->type->chain.stress(s->e->instance, &moved.in, out);
}

/* The change of the given stresses along the displacement with the twist 1 of coordinate k, as
 * foreseen. */
static void stress_change(double *out, const subject *s, const double *given, int k) {
  double rest[STRESSES];
  subject moved = *s;
  for (int i = 0; i < s->e->nodes; ++i) {
    moved.motion[i].V = (twist){v3_zero(), v3_zero()};
    moved.seen[i] = &moved.motion[i];
  }
  moved.in.node = moved.seen;
  moved.in.stress = given;
  s->type->chain.stress(s->e->instance, &moved.in, rest);
  double V[6] = {0};
  V[k % 6] = 1;
  moved.motion[k / 6].V = (twist){v3_load(V), v3_load(V + 3)};
  s->type->chain.stress(s->e->instance, &moved.in, out);
  for (int i = 0; i < s->type->chain.stresses; ++i) out[i] -= rest[i];
}

/* dr/dq with the stresses given, which change as foreseen: own, or differenced.  r is a polynomial
 * of the stresses of degree 2 at most, so that central differences are exact. */
static void stressed_tangent(double *K, const subject *s, const double *stress, bool differenced) {
  torsor_element_in in = s->in;
  torsor_element_out out = {.K = K};
  in.stress = stress;
  memset(K, 0, SIZE * SIZE * sizeof *K);
  if (!differenced) {
    eval(s, &in, &out);
    return;
  }
  CHECK_INT(numeric_tangent(s->e, &in, &out, 1), TORSOR_OK);
  for (int k = 0; k < s->n; ++k) {
    double change[STRESSES], moved[STRESSES], r[2][SIZE] = {{0}};
    stress_change(change, s, stress, k);
    for (int side = 0; side < 2; ++side) {
      torsor_element_out residual = {.r = r[side]};
      for (int i = 0; i < s->type->chain.stresses; ++i)
        moved[i] = stress[i] + (side ? 0.5 : -0.5) * change[i];
      in.stress = moved;
      eval(s, &in, &residual);
    }
    for (int i = 0; i < s->n; ++i) K[s->n * i + k] += r[1][i] - r[0][i];
  }
}

static void measure_stresses(conformance *c, const subject *s, check_rng *rng) {
  static double K[4][SIZE * SIZE];
  const int n = s->type->chain.stresses;
  double stress[3][STRESSES], other[STRESSES], change[STRESSES], r[2][SIZE] = {{0}};
  if (n == 0) return;
  CHECK_TRUE(n <= STRESSES);
  for (int k = 0; k < 3; ++k) stress_after(stress[k], s, (k - 1) * DIFFERENCE_STEP);
  s->type->chain.stress(s->e->instance, &s->in, other);
  for (int i = 0; i < n; ++i) {
    other[i] -= stress[1][i];
    change[i] = (stress[2][i] - stress[0][i]) / (2 * DIFFERENCE_STEP);
  }
  c->stress = check_max(c->stress, distance(other, change, n));
  subject still = *s;
  for (int i = 0; i < s->e->nodes; ++i) {
    still.motion[i].V = (twist){v3_zero(), v3_zero()};
    still.seen[i] = &still.motion[i];
  }
  still.in.node = still.seen;
  for (int k = 0; k < 2; ++k) {
    torsor_element_out out = {.r = r[k]};
    still.in.stress = k ? stress[1] : NULL;
    eval(&still, &still.in, &out);
  }
  c->stress = check_max(c->stress, distance(r[0], r[1], s->n));
  for (int i = 0; i < n; ++i) other[i] = stress[1][i] * check_uniform(rng, 0, 2);
  for (int k = 0; k < 4; ++k) stressed_tangent(K[k], s, k % 2 ? other : stress[1], k > 1);
  for (int i = 0; i < s->n * s->n; ++i)
    for (int k = 0; k < 4; k += 2) K[k][i] -= K[k + 1][i];
  c->stress_K = check_max(c->stress_K, distance(K[0], K[2], s->n * s->n));
}

/* All that a residual asks for, added to the same numbers, and its status. */
typedef struct residual_outputs {
  double number[SIZE + 2 * ROWS];
  torsor_status status;
} residual_outputs;

static torsor_element_out residual_out(residual_outputs *to, bool r, bool rows) {
  for (int i = 0; i < SIZE + 2 * ROWS; ++i) to->number[i] = 0.1 * i;
  return (torsor_element_out){.r = r ? to->number : NULL,
                              .phi = rows ? to->number + SIZE : NULL,
                              .phi_v = rows ? to->number + SIZE + ROWS : NULL};
}

/* Both at once and one after the other: all of the residual, and a part of it. */
static void measure_pair(conformance *c, const subject *first, const subject *second) {
  const subject *const s[2] = {first, second};
  if (!first->type->chain.eval_pair) return;
  for (int part = 0; part < 3; ++part) {
    residual_outputs one[2], both[2];
    torsor_element_out out[2], alone;
    for (int k = 0; k < 2; ++k) {
      alone = residual_out(&one[k], part != 1, part != 2);
      one[k].status = s[k]->type->eval(s[k]->e->instance, &s[k]->in, &alone);
      out[k] = residual_out(&both[k], part != 1, part != 2);
    }
    both[0].status =
        first->type->chain.eval_pair((const void *const[]){first->e->instance, second->e->instance},
                                     (const torsor_element_in *const[]){&first->in, &second->in},
                                     (torsor_element_out *const[]){&out[0], &out[1]});
    const bool fails = one[0].status || one[1].status;
    if (fails || both[0].status) {
      c->pair += !fails || !both[0].status;
      continue;
    }
    for (int k = 0; k < 2; ++k)
      for (int i = 0; i < SIZE + 2 * ROWS; ++i)
        c->pair += memcmp(&one[k].number[i], &both[k].number[i], sizeof(double)) != 0;
  }
}

/* Symmetric, and V^T M V >= 0 for random V. */
static void measure_mass(conformance *c, const subject *s, check_rng *rng) {
  double M[SIZE * SIZE] = {0}, V[SIZE];
  torsor_element_out out = {.M = M};
  if (!(s->type->tangents.has & TORSOR_HAS_M) || s->type->tangents.numeric) return;
  eval(s, &s->in, &out);
  double energy = 0;
  for (int i = 0; i < s->n; ++i) V[i] = check_uniform(rng, -1, 1);
  for (int i = 0; i < s->n; ++i)
    for (int j = 0; j < s->n; ++j) {
      energy += V[i] * M[i * s->n + j] * V[j];
      c->mass = check_max(c->mass, fabs(M[i * s->n + j] - M[j * s->n + i]));
    }
  if (!(energy >= 0)) c->mass = HUGE_VAL;
}

/* Replace the first `from` in `text` by `to`, or every one. */
static void replace(char *text, size_t size, const char *from, const char *to, bool all) {
  for (char *at = strstr(text, from); at; at = all ? strstr(at, from) : NULL) {
    const size_t tail = strlen(at + strlen(from)) + 1;
    CHECK_TRUE((size_t)(at - text) + strlen(to) + tail < size);
    memmove(at + strlen(to), at + strlen(from), tail);
    memcpy(at, to, strlen(to));
    at += strlen(to);
  }
}

/* Build a text; false when it fails. */
static bool build(torsor_scene **scene, torsor_model **model, const char *text,
                  const torsor_registry *registry, torsor_error *error) {
  static const char *const no_gravity[] = {"gravity=[0,0,0]"};
  *model = NULL;
  if (torsor_scene_parse(scene, text, strlen(text), "example", registry, no_gravity, 1, error))
    return false;
  if (!torsor_scene_model(model, *scene, error)) return true;
  torsor_scene_destroy(*scene);
  return false;
}

/* Measurements that hold with gravity or without. */
static void measure_element(conformance *c, const subject *s, check_rng *rng) {
  measure_tangents(c, s);
  measure_gradient(c, s);
  measure_constraints(c, s);
  measure_reaction(c, s);
  measure_power(c, s);
  measure_coordinates(c, s);
  measure_stresses(c, s, rng);
  measure_mass(c, s, rng);
}

static void measure_model(conformance *c, const torsor_element_type *type,
                          const torsor_model *model, bool grounded) {
  check_rng rng = {.state = 20140221};
  subject last = {0};
  for (int i = 0; i < model->element_count; ++i) {
    subject s = {.type = type, .e = &model->element[i]};
    if (model->element[i].type != type) continue;
    ++c->elements;
    for (int state = 0; state < STATES; ++state) {
      randomise(&s, model, &rng);
      measure_element(c, &s, &rng);
      measure_pair(c, last.e ? &last : &s, &s);
      flow(&last, &s, 0);
      if (grounded) continue; /* the ground takes forces and is no node */
      measure_balance(c, &s);
      measure_momentum(c, &s);
      measure_invariance(c, &s, &rng);
    }
  }
}

bool conformance_measure_in(conformance *out, const torsor_element_type *type, const char *example,
                            const torsor_registry *registry, torsor_error *error) {
  *out = (conformance){0};
  torsor_scene *scene;
  torsor_model *model;
  /* The example as it stands, with its gravity. */
  if (torsor_scene_parse(&scene, example, strlen(example), "example", registry, NULL, 0, error))
    return false;
  const torsor_status status = torsor_scene_model(&model, scene, error);
  if (!status) measure_model(out, type, model, true);
  if (!status) torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  if (status) return false;
  /* The ground made a body, no gravity: nothing is fixed in space. */
  char text[1 << 18];
  snprintf(text, sizeof text, "%s", example);
  replace(text, sizeof text, "\"ground\"", "\"floating_base\"", true);
  replace(text, sizeof text, "\"bodies\": [",
          "\"bodies\": [{\"name\": \"floating_base\", \"type\": \"rigid_body\", \"mass\": 3,"
          " \"inertia\": [1, 1.1, 1.2]}, ",
          false);
  if (!build(&scene, &model, text, registry, error)) return false;
  measure_model(out, type, model, false);
  torsor_model_destroy(model);
  torsor_scene_destroy(scene);
  return true;
}

bool conformance_measure(conformance *out, const torsor_element_type *type,
                         const torsor_registry *registry, torsor_error *error) {
  return conformance_measure_in(out, type, type->example, registry, error);
}

static bool holds(const char *name, const char *what, double measured, double bound) {
  char label[96];
  snprintf(label, sizeof label, "%s: %s", name, what);
  check_report(label, measured, bound);
  if (!(measured <= bound)) print_error("%s: %.3g, at most %.3g\n", label, measured, bound);
  return measured <= bound;
}

bool conformance_holds(const conformance *c, const char *name) {
  bool all = c->elements > 0;
  all &= holds(name, "B against D phi", c->gradient, CONFORMANCE_DIFFERENCE);
  all &= holds(name, "phi_v against d phi/dt", c->rate, CONFORMANCE_DIFFERENCE);
  all &= holds(name, "B A + phi_a against d phi_v/dt", c->hidden, CONFORMANCE_DIFFERENCE);
  all &= holds(name, "M", c->M, CONFORMANCE_DIFFERENCE);
  all &= holds(name, "C", c->C, CONFORMANCE_DIFFERENCE);
  all &= holds(name, "K", c->K, CONFORMANCE_DIFFERENCE);
  all &= holds(name, "Z", c->Z, CONFORMANCE_DIFFERENCE);
  all &= holds(name, "L", c->L, CONFORMANCE_DIFFERENCE);
  all &= holds(name, "r = B^T lambda", c->reaction, CONFORMANCE_ROUND_OFF);
  all &= holds(name, "resultant over two bodies", c->balance, CONFORMANCE_ROUND_OFF);
  all &= holds(name, "resultant of a body = d momentum/dt", c->momentum, CONFORMANCE_DIFFERENCE);
  all &= holds(name, "rigid motion", c->invariance, CONFORMANCE_ROUND_OFF);
  all &= holds(name, "V . r = d energy/dt", c->power, CONFORMANCE_DIFFERENCE);
  all &= holds(name, "loss of a force", c->loss, CONFORMANCE_DIFFERENCE);
  all &= holds(name, "energy made by a damper", c->gain, CONFORMANCE_ROUND_OFF);
  all &= holds(name, "rates of the coordinates", c->coordinate, CONFORMANCE_DIFFERENCE);
  all &= holds(name, "foreseen stresses", c->stress, CONFORMANCE_DIFFERENCE);
  all &= holds(name, "K at given stresses", c->stress_K, CONFORMANCE_DIFFERENCE);
  all &= holds(name, "bits of eval_pair", c->pair, 0);
  all &= holds(name, "M symmetric", c->mass, CONFORMANCE_ROUND_OFF);
  return all;
}
