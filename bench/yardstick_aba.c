/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A yardstick for work at equal error: serial chains of rods in the coordinates of their joints,
 * accelerations by the articulated-body algorithm (Featherstone, Rigid Body Dynamics Algorithms,
 * section 7.3), written for just this, and GSL's Dormand-Prince method 8(7).  It uses vectors and
 * matrices of torsor/lie.h and nothing else of Torsor.
 *
 *      bench_yardstick_aba arm|ball|revolute [LINKS [ROUNDS [TOLERANCE ..]]]
 *
 * The models are data/scenes/chain.json, bench/revolute_chain.json, and an arm of six hinges.  One
 * line a tolerance, which is both the absolute and the relative one: the tolerance, CPU ms of the
 * motion on [0, 1] s (the least of the rounds), evaluations, the largest error of the last link's
 * centre at the multiples of 0.1 s against a run at 1e-11, and these 33 coordinates. */
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <torsor/lie.h>

enum { MOST_LINKS = 1000, SHOWN = 11, BALL = -1 };

/* A rod along x from its joint; `axis` 0, 1, 2 of the joint, or BALL. */
typedef struct rod {
  int axis;
  double mass, length;
  v3 moment; /* mass times centre */
  v3 J;      /* about the joint, diagonal */
} rod;

/* Motion, and articulated inertia [[J, H], [H^T, M]] with its force, of (rotation, translation) at
 * the joint in the link's axes; c is the part of the acceleration that is known. */
typedef struct joint_state {
  m3 R; /* link to parent */
  v3 w, v, cw, cv;
  m3 J, H, M, solved; /* BALL: J^-1 */
  v3 moment, force;
} joint_state;

typedef struct chain {
  int links;
  long evaluations;
  rod rod[MOST_LINKS];
  joint_state at[MOST_LINKS];
} chain;

static int numbers_of(const rod *r) {
  return r->axis == BALL ? 7 : 2;
}

static m3 turn_about(int axis, double angle) {
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  m3 R = m3_zero();
  R.m[axis][axis] = 1;
  R.m[j][j] = R.m[k][k] = cos(angle);
  R.m[k][j] = sin(angle);
  R.m[j][k] = -R.m[k][j];
  return R;
}

static v3 unit(int axis) {
  return (v3){axis == 0, axis == 1, axis == 2};
}

static v3 arm_of(const chain *c, int i) {
  return (v3){i > 0 ? c->rod[i - 1].length : 0, 0, 0};
}

/* Inertia and velocity products, outwards. */
static void find_motion(chain *c, const double *y) {
  v3 w = v3_zero(), v = v3_zero();
  for (int i = 0; i < c->links; ++i) {
    const rod *r = &c->rod[i];
    joint_state *s = &c->at[i];
    v3 turn;
    if (r->axis == BALL) {
      s->R = so3_matrix(so3_normalise(so3_load(y)));
      turn = v3_load(y + 4);
    } else {
      s->R = turn_about(r->axis, y[0]);
      turn = v3_scale(unit(r->axis), y[1]);
    }
    v = m3_tmulv(s->R, v3_add(v, v3_cross(w, arm_of(c, i))));
    w = v3_add(m3_tmulv(s->R, w), turn);
    s->w = w;
    s->v = v;
    s->cw = v3_cross(w, turn);
    s->cv = v3_cross(v, turn);
    s->J = m3_diagonal(r->J);
    s->H = m3_skew(r->moment);
    s->M = m3_diagonal((v3){r->mass, r->mass, r->mass});
    const v3 p = v3_add(v3_scale(v, r->mass), v3_cross(w, r->moment));
    const v3 L = v3_add((v3){r->J.x * w.x, r->J.y * w.y, r->J.z * w.z}, v3_cross(r->moment, v));
    s->moment = v3_add(v3_cross(w, L), v3_cross(v, p));
    s->force = v3_cross(w, p);
    y += numbers_of(r);
  }
}

/* Inertia and force that a link passes on to its parent, in its own axes. */
typedef struct handed {
  m3 J, H, M;
  v3 moment, force;
} handed;

/* Nothing turns with a ball. */
static handed release_ball(joint_state *s) {
  s->solved = m3_inverse(s->J);
  const m3 half = m3_mul(s->solved, s->H);
  handed h = {.M = m3_sub(s->M, m3_tmul(s->H, half))};
  h.force = v3_add(v3_sub(s->force, m3_tmulv(half, s->moment)), m3_mulv(h.M, s->cv));
  return h;
}

static handed release_hinge(const joint_state *s, int axis) {
  const v3 Ua = m3_column(s->J, axis), Ul = m3_row(s->H, axis);
  const double d = 1 / s->J.m[axis][axis], u = -v3_dot(unit(axis), s->moment) * d;
  const v3 Da = v3_scale(Ua, d), Dl = v3_scale(Ul, d);
  handed h = {m3_sub(s->J, m3_outer(Da, Ua)), m3_sub(s->H, m3_outer(Da, Ul)),
              m3_sub(s->M, m3_outer(Dl, Ul)), .moment = s->moment, .force = s->force};
  const v3 moment = v3_add(m3_mulv(h.J, s->cw), m3_mulv(h.H, s->cv));
  const v3 force = v3_add(m3_tmulv(h.H, s->cw), m3_mulv(h.M, s->cv));
  h.moment = v3_axpy(u, Ua, v3_add(h.moment, moment));
  h.force = v3_axpy(u, Ul, v3_add(h.force, force));
  return h;
}

static m3 turned(m3 R, m3 A) {
  return m3_mul(R, m3_mul(A, m3_transpose(R)));
}

/* Rounding errors that are not symmetric would grow along the chain. */
static m3 symmetric(m3 A) {
  return m3_scale(m3_add(A, m3_transpose(A)), 0.5);
}

/* Articulated inertia, inwards. */
static void find_inertia(chain *c) {
  for (int i = c->links - 1; i >= 0; --i) {
    joint_state *s = &c->at[i], *parent = s - 1;
    const int axis = c->rod[i].axis;
    const handed h = axis == BALL ? release_ball(s) : release_hinge(s, axis);
    if (i == 0) return;
    const v3 p = arm_of(c, i), force = m3_mulv(s->R, h.force);
    const m3 M = symmetric(turned(s->R, h.M)), moved = m3_skew_mul(p, M);
    parent->M = m3_add(parent->M, M);
    parent->H = m3_add(parent->H, moved);
    parent->J = m3_sub(parent->J, m3_mul_skew(moved, p));
    parent->force = v3_add(parent->force, force);
    parent->moment = v3_add(parent->moment, v3_cross(p, force));
    if (axis == BALL) continue;
    const m3 H = turned(s->R, h.H), across = m3_mul_skew(H, p);
    parent->H = m3_add(parent->H, H);
    parent->J = m3_add(parent->J, m3_sub(turned(s->R, h.J), m3_add(across, m3_transpose(across))));
    parent->moment = v3_add(parent->moment, m3_mulv(s->R, h.moment));
  }
}

/* Accelerations, outwards.  Gravity is one of the ground. */
static void find_accelerations(double *rate, const chain *c, const double *y) {
  v3 aw = v3_zero(), av = {0, 0, 9.81};
  for (int i = 0; i < c->links; ++i) {
    const rod *r = &c->rod[i];
    const joint_state *s = &c->at[i];
    av = v3_add(m3_tmulv(s->R, v3_add(av, v3_cross(aw, arm_of(c, i)))), s->cv);
    aw = v3_add(m3_tmulv(s->R, aw), s->cw);
    const v3 rest = v3_neg(v3_add(s->moment, m3_mulv(s->H, av)));
    if (r->axis == BALL) {
      const v3 all = m3_mulv(s->solved, rest), W = v3_load(y + 4);
      const so3 q = so3_load(y), turn = so3_compose(q, (so3){0, W.x, W.y, W.z});
      so3_store(rate, (so3){turn.w / 2, turn.x / 2, turn.y / 2, turn.z / 2});
      v3_store(rate + 4, v3_sub(all, aw));
      aw = all;
    } else {
      const double d = s->J.m[r->axis][r->axis];
      rate[0] = y[1];
      rate[1] = (v3_dot(unit(r->axis), rest) - v3_dot(m3_row(s->J, r->axis), aw)) / d;
      aw = v3_axpy(rate[1], unit(r->axis), aw);
    }
    y += numbers_of(r);
    rate += numbers_of(r);
  }
}

static int find_rates(double t, const double y[], double rate[], void *self) {
  chain *c = self;
  (void)t;
  ++c->evaluations;
  find_motion(c, y);
  find_inertia(c);
  find_accelerations(rate, c, y);
  return GSL_SUCCESS;
}

/* ---- models ------------------------------------------------------------------------------- */

static rod make_rod(int axis, double mass, double length, double r) {
  const double Jx = mass * r * r / 2, Jy = mass * (3 * r * r + length * length) / 12;
  const double about_end = Jy + mass * length * length / 4;
  return (rod){axis, mass, length, {mass * length / 2, 0, 0}, {Jx, about_end, about_end}};
}

static void make_arm(chain *c) {
  static const int axis[] = {2, 1, 1, 0, 1, 2};
  static const double mass[] = {8, 6, 4, 2, 1, 0.5}, length[] = {0.3, 0.4, 0.4, 0.1, 0.1, 0.1};
  c->links = 6;
  for (int i = 0; i < c->links; ++i) c->rod[i] = make_rod(axis[i], mass[i], length[i], 0.05);
}

/* Hinges along z and y in turn. */
static void make_chain(chain *c, int links, bool balls) {
  c->links = links;
  for (int i = 0; i < links; ++i)
    c->rod[i] = make_rod(balls ? BALL : i % 2 == 0 ? 2 : 1, 0.1, 0.1, 0.01);
}

/* All turn about z as one body. */
static int begin(double *y, const chain *c) {
  double *at = y;
  for (int i = 0; i < c->links; ++i) {
    const int n = numbers_of(&c->rod[i]);
    memset(at, 0, (size_t)n * sizeof *at);
    if (c->rod[i].axis == BALL) at[0] = 1;
    if (i == 0) at[n - 1] = 1;
    at += n;
  }
  return (int)(at - y);
}

static v3 find_tip(const chain *c, const double *y) {
  m3 R = m3_identity();
  v3 x = v3_zero();
  for (int i = 0; i < c->links; ++i) {
    const rod *r = &c->rod[i];
    const m3 own =
        r->axis == BALL ? so3_matrix(so3_normalise(so3_load(y))) : turn_about(r->axis, y[0]);
    x = v3_add(x, m3_mulv(R, arm_of(c, i)));
    R = m3_mul(R, own);
    y += numbers_of(r);
  }
  return v3_add(x, m3_mulv(R, (v3){c->rod[c->links - 1].length / 2, 0, 0}));
}

/* ---- measuring ---------------------------------------------------------------------------- */

typedef struct motion {
  v3 tip[SHOWN];
  double ms;
  long evaluations;
} motion;

static double cpu_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void run(motion *out, chain *c, double tolerance) {
  static double y[7 * MOST_LINKS];
  gsl_odeiv2_system system = {find_rates, NULL, (size_t)begin(y, c), c};
  c->evaluations = 0;
  gsl_odeiv2_driver *driver =
      gsl_odeiv2_driver_alloc_y_new(&system, gsl_odeiv2_step_rk8pd, 1e-2, tolerance, tolerance);
  const double before = cpu_ms();
  double t = 0;
  for (int i = 0; i < SHOWN; ++i) {
    if (gsl_odeiv2_driver_apply(driver, &t, 0.1 * i, y) != GSL_SUCCESS) exit(1);
    out->tip[i] = find_tip(c, y);
  }
  out->ms = cpu_ms() - before;
  out->evaluations = c->evaluations;
  gsl_odeiv2_driver_free(driver);
}

static void measure(chain *c, double tolerance, int rounds, const motion *exact) {
  motion best, m;
  double error = 0;
  run(&best, c, tolerance);
  for (int i = 1; i < rounds; ++i) {
    run(&m, c, tolerance);
    if (m.ms < best.ms) best = m;
  }
  for (int i = 0; i < SHOWN; ++i) error = fmax(error, v3_norm(v3_sub(best.tip[i], exact->tip[i])));
  printf("%g %.4f %ld %.3g", tolerance, best.ms, best.evaluations, error);
  for (int i = 0; i < SHOWN; ++i)
    printf(" %.15g %.15g %.15g", best.tip[i].x, best.tip[i].y, best.tip[i].z);
  printf("\n");
}

int main(int count, char **word) {
  static chain c;
  const int links = count > 2 ? atoi(word[2]) : 10, rounds = count > 3 ? atoi(word[3]) : 5;
  if (count < 2 || links < 1 || links > MOST_LINKS) {
    fprintf(stderr, "usage: %s arm|ball|revolute [LINKS [ROUNDS [TOLERANCE ..]]]\n", word[0]);
    return 2;
  }
  if (strcmp(word[1], "arm") == 0)
    make_arm(&c);
  else
    make_chain(&c, links, strcmp(word[1], "ball") == 0);
  motion exact;
  run(&exact, &c, 1e-11);
  for (int i = 4; i < count; ++i) measure(&c, strtod(word[i], NULL), rounds, &exact);
  for (int k = 2; count < 5 && k < 11; ++k) measure(&c, pow(10, -k), rounds, &exact);
  return 0;
}
