/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A reduced flexible body with small deformations in a frame F that follows its first interface:
 * docs/theory.md, section "Superelements".  In the axes of F, with Q_i = R_F^T R_i,
 *   u_i = (R_F^T (x_i - x_F) - X_i, log(R_F^T R_i R_i0^T)),   w_i = (Q_i U_i, Q_i Omega_i),
 * modal coordinates and their rates behind them; V = u^T K u/2, T = w^T M w/2. */

#include "elements/superelement.h"

#include <math.h>
#include <string.h>

#include "elements/chain_kit.h"
#include "elements/solid.h"

/* Largest rotation (rad) of an interface relative to F; beyond it deformations are not small. */
static const double LARGEST_TURN = 2;

/* ---- preparation ----------------------------------------------------------------------------- */

/* Column of the rigid motion k, three translations and three rotations about the body's origin. */
static void rigid_motion(double out[SUPER_SIZE], const superelement_data *e, int k) {
  const v3 axis = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
  memset(out, 0, SUPER_SIZE * sizeof *out);
  for (int i = 0; i < e->interfaces; ++i) {
    v3_store(out + 6 * i, k < 3 ? axis : v3_cross(axis, e->frame[i].x));
    v3_store(out + 6 * i + 3, k < 3 ? v3_zero() : axis);
  }
}

static void multiply(double *out, const double *A, const double *x, int n) {
  for (int i = 0; i < n; ++i) {
    out[i] = 0;
    for (int j = 0; j < n; ++j) out[i] += A[i * n + j] * x[j];
  }
}

/* Matrices as written with six digits are off by 5e-7 of their rows. */
static const double WRITTEN = 1e-6;

/* The largest force against a rigid motion in parts of what entries |K_ij| <= sqrt(K_ii K_jj) could
 * make. */
static double resistance(const superelement_data *e, int k) {
  double x[SUPER_SIZE], worst = 0;
  rigid_motion(x, e, k);
  for (int i = 0; i < e->size; ++i) {
    double sum = 0, terms = 0;
    for (int j = 0; j < e->size; ++j) {
      sum += e->K[i * e->size + j] * x[j];
      terms +=
          sqrt(fabs(e->K[i * (e->size + 1)])) * sqrt(fabs(e->K[j * (e->size + 1)])) * fabs(x[j]);
    }
    if (sum != 0) worst = fmax(worst, fabs(sum) / terms);
  }
  return worst;
}

static torsor_status check_rigid(superelement_data *e, torsor_error *error) {
  double momentum[SUPER_SIZE], x[SUPER_SIZE];
  m3 mass = m3_zero(), turning = m3_zero();
  for (int k = 0; k < 6; ++k)
    if (resistance(e, k) > WRITTEN)
      return chain_fail(
          error, "stiffness",
          "its interfaces come first, each with three displacements and three rotations in "
          "the body's axes, then the modes",
          "the stiffness resists a rigid motion of the interfaces");
  for (int k = 0; k < 3; ++k) {
    rigid_motion(x, e, k);
    multiply(momentum, e->M, x, e->size);
    for (int i = 0; i < e->size; ++i) e->share[i][k] = momentum[i];
  }
  for (int k = 0; k < 6; ++k) {
    rigid_motion(x, e, k);
    m3 *const to = k < 3 ? &mass : &turning;
    for (int row = 0; row < 3; ++row)
      for (int i = 0; i < e->size; ++i) to->m[row][k % 3] += e->share[i][row] * x[i];
  }
  e->mass = m3_trace(mass) / 3;
  e->moment = v3_neg(m3_vee(turning)); /* translations by rotations: -moment~ */
  for (int i = 0; i < 9; ++i)
    if (!(fabs(mass.m[i / 3][i % 3] - (i % 4 ? 0 : e->mass)) <= WRITTEN * e->mass))
      return chain_fail(error, "mass", "see there", "the mass is not the same in all directions");
  return TORSOR_OK;
}

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  superelement_data *e = self;
  e->gravity = setup->gravity;
  setup->nodes = e->interfaces + e->carriers;
  for (int i = 0; i < setup->nodes; ++i) setup->node[i] = e->node[i];
  for (int i = 0; i < e->interfaces; ++i)
    setup->length = fmax(setup->length, v3_norm(e->frame[i].x));
  setup->dissipative = e->C || e->lag > 0;
  return check_rigid(e, error);
}

/* ---- where it is ----------------------------------------------------------------------------- */

typedef struct shape {
  m3 R;                 /* orientation of F */
  v3 x, spin;           /* origin, inertial; angular velocity, axes of F */
  m3 Q[SUPER_NODES];    /* axes of interface i in F */
  m3 E[SUPER_NODES];    /* its turn from the undeformed state */
  m3 T[SUPER_NODES];    /* T^-1 of that */
  v3 r[SUPER_NODES];    /* position of interface i relative to the first one, axes of F */
  double u[SUPER_SIZE]; /* deformation */
  double rate[SUPER_SIZE];
  v3 gravity; /* axes of F */
} shape;

static torsor_status find_interface(shape *s, const superelement_data *e,
                                    const torsor_element_in *in, int i) {
  const torsor_motion *m = in->node[i];
  const m3 own = so3_matrix(e->frame[i].R);
  s->Q[i] = m3_tmul(s->R, m->R);
  s->E[i] = m3_mul(s->Q[i], m3_transpose(own));
  const v3 place = m3_tmulv(s->R, v3_sub(m->x, s->x)), turn = so3_log_matrix(s->E[i]);
  if (!(v3_norm(turn) <= LARGEST_TURN)) return TORSOR_DOMAIN;
  s->r[i] = v3_sub(place, e->frame[0].x);
  s->T[i] = so3_taninv(turn);
  const v3 first = m3_mulv(s->Q[0], in->node[0]->V.lin);
  const v3 moving = v3_sub(v3_sub(m3_mulv(s->Q[i], m->V.lin), first), v3_cross(s->spin, s->r[i]));
  const v3 turning = v3_sub(m3_mulv(own, m->V.ang), m3_tmulv(s->E[i], s->spin));
  v3_store(s->u + 6 * i, v3_sub(place, e->frame[i].x));
  v3_store(s->u + 6 * i + 3, turn);
  v3_store(s->rate + 6 * i, moving);
  v3_store(s->rate + 6 * i + 3, m3_mulv(s->T[i], turning));
  return TORSOR_OK;
}

static torsor_status find_shape(shape *s, const superelement_data *e, const torsor_element_in *in) {
  const torsor_motion *first = in->node[0];
  const m3 own = so3_matrix(e->frame[0].R);
  s->R = m3_mul(first->R, m3_transpose(own));
  s->x = v3_sub(first->x, m3_mulv(s->R, e->frame[0].x));
  s->spin = m3_mulv(own, first->V.ang);
  s->Q[0] = own;
  s->E[0] = s->T[0] = m3_identity();
  s->r[0] = v3_zero();
  s->gravity = m3_tmulv(s->R, v3_scale(e->gravity, in->load));
  memset(s->u, 0, sizeof s->u);
  memset(s->rate, 0, sizeof s->rate);
  for (int i = 1; i < e->interfaces; ++i) {
    const torsor_status status = find_interface(s, e, in, i);
    if (status) return status;
  }
  for (int k = 0; k < e->size - 6 * e->interfaces; ++k) {
    const torsor_motion *carrier = in->node[e->interfaces + k / 3];
    double x[3], v[3];
    v3_store(x, carrier->x);
    v3_store(v, carrier->V.lin);
    s->u[6 * e->interfaces + k] = x[k % 3];
    s->rate[6 * e->interfaces + k] = v[k % 3];
  }
  return TORSOR_OK;
}

/* First moment of the mass about the first interface, axes of F. */
static v3 find_moment(const superelement_data *e, const shape *s) {
  double sum[3];
  v3_store(sum, v3_axpy(-e->mass, e->frame[0].x, e->moment));
  for (int k = 0; k < 3; ++k)
    for (int i = 0; i < e->size; ++i) sum[k] += e->share[i][k] * s->u[i];
  return v3_load(sum);
}

/* ---- forces of the deformation and of gravity ------------------------------------------------ */

static void find_stress(double f[SUPER_SIZE], const superelement_data *e, const shape *s) {
  double lagging[SUPER_SIZE], damping[SUPER_SIZE] = {0}, weight[3];
  v3_store(weight, s->gravity);
  for (int i = 0; i < e->size; ++i) lagging[i] = s->u[i] + e->lag * s->rate[i];
  multiply(f, e->K, lagging, e->size);
  if (e->C) multiply(damping, e->C, s->rate, e->size);
  for (int i = 0; i < e->size; ++i) {
    f[i] += damping[i];
    for (int k = 0; k < 3; ++k) f[i] -= e->share[i][k] * weight[k];
  }
}

static void add_at(double *r, v3 f) {
  v3_store(r, v3_add(v3_load(r), f));
}

/* Forces on the modes. */
static void add_modes(double *r, const superelement_data *e, const double f[SUPER_SIZE]) {
  for (int k = 6 * e->interfaces; k < e->size; ++k) {
    const int mode = k - 6 * e->interfaces;
    r[6 * (e->interfaces + mode / 3) + mode % 3] += f[k];
  }
}

/* Adds the elastic forces f, conjugate to the deformations u, and the weight to the residual of the
 * nodes (virtual work f . delta u). */
static void add_stress(double *r, const superelement_data *e, const shape *s,
                       const double f[SUPER_SIZE]) {
  v3 force = v3_scale(s->gravity, e->mass), moment = v3_cross(find_moment(e, s), s->gravity);
  for (int i = 1; i < e->interfaces; ++i) {
    const v3 g = v3_load(f + 6 * i), h = m3_tmulv(s->T[i], v3_load(f + 6 * i + 3));
    add_at(r + 6 * i, m3_tmulv(s->Q[i], g));
    add_at(r + 6 * i + 3, m3_tmulv(so3_matrix(e->frame[i].R), h));
    force = v3_add(force, g);
    moment = v3_add(moment, v3_add(v3_cross(s->r[i], g), m3_mulv(s->E[i], h)));
  }
  add_at(r, m3_tmulv(s->Q[0], v3_neg(force)));
  add_at(r + 3, m3_tmulv(s->Q[0], v3_neg(moment)));
  add_modes(r, e, f);
}

/* ---- inertia --------------------------------------------------------------------------------- */

/* w, or with `accelerations` their rates in F. */
static void find_velocities(double w[SUPER_SIZE], const superelement_data *e, const shape *s,
                            const torsor_element_in *in, const double *rates_of) {
  for (int i = 0; i < e->interfaces; ++i) {
    const torsor_motion *m = in->node[i];
    v3 lin = m->V.lin, ang = m->V.ang;
    if (rates_of) {
      lin = v3_add(m->A.lin, v3_cross(m->V.ang, m->V.lin));
      ang = m->A.ang;
    }
    lin = m3_mulv(s->Q[i], lin);
    ang = m3_mulv(s->Q[i], ang);
    if (rates_of) {
      lin = v3_sub(lin, v3_cross(s->spin, v3_load(rates_of + 6 * i)));
      ang = v3_sub(ang, v3_cross(s->spin, v3_load(rates_of + 6 * i + 3)));
    }
    v3_store(w + 6 * i, lin);
    v3_store(w + 6 * i + 3, ang);
  }
  for (int k = 6 * e->interfaces; k < e->size; ++k) {
    const int mode = k - 6 * e->interfaces;
    const torsor_motion *carrier = in->node[e->interfaces + mode / 3];
    double x[3];
    v3_store(x, rates_of ? carrier->A.lin : carrier->V.lin);
    w[k] = x[mode % 3];
  }
}

/* Lagrange's equations: a momentum p_i turns with F, and the energy depends on the turn of F, which
 * is that of the first interface. */
static void add_inertia(double *r, const superelement_data *e, const shape *s,
                        const torsor_element_in *in) {
  double w[SUPER_SIZE], p[SUPER_SIZE], rate[SUPER_SIZE], force[SUPER_SIZE];
  v3 moment = v3_zero();
  find_velocities(w, e, s, in, NULL);
  find_velocities(rate, e, s, in, w);
  multiply(p, e->M, w, e->size);
  multiply(force, e->M, rate, e->size);
  for (int i = 0; i < e->interfaces; ++i) {
    const v3 lin = v3_load(p + 6 * i), ang = v3_load(p + 6 * i + 3);
    const v3 U = v3_load(w + 6 * i), spin = v3_load(w + 6 * i + 3);
    const v3 own = v3_cross(spin, ang);
    const v3 f = v3_add(v3_load(force + 6 * i), v3_cross(s->spin, lin));
    const v3 m = v3_sub(v3_add(v3_load(force + 6 * i + 3), v3_cross(s->spin, ang)), own);
    add_at(r + 6 * i, m3_tmulv(s->Q[i], f));
    add_at(r + 6 * i + 3, m3_tmulv(s->Q[i], m));
    moment = v3_add(moment, v3_add(v3_cross(U, lin), own));
  }
  add_at(r + 3, m3_tmulv(s->Q[0], moment));
  add_modes(r, e, force);
}

/* Coordinates of the last carrier that no mode uses are springs of their own. */
static void add_spare(double *r, const superelement_data *e, const torsor_element_in *in) {
  for (int mode = e->size - 6 * e->interfaces; mode < 3 * e->carriers; ++mode) {
    const torsor_motion *carrier = in->node[e->interfaces + mode / 3];
    double x[3], a[3];
    v3_store(x, carrier->x);
    v3_store(a, carrier->A.lin);
    r[6 * (e->interfaces + mode / 3) + mode % 3] += e->mass * (x[mode % 3] + a[mode % 3]);
  }
}

static void balance_spare(torsor_balance *sum, const superelement_data *e,
                          const torsor_element_in *in) {
  for (int mode = e->size - 6 * e->interfaces; mode < 3 * e->carriers; ++mode) {
    const torsor_motion *carrier = in->node[e->interfaces + mode / 3];
    double x[3], v[3];
    v3_store(x, carrier->x);
    v3_store(v, carrier->V.lin);
    sum->elastic += e->mass / 2 * x[mode % 3] * x[mode % 3];
    sum->kinetic += e->mass / 2 * v[mode % 3] * v[mode % 3];
  }
}

/* ---- tangents -------------------------------------------------------------------------------- */

/* One node moves by an infinitesimal displacement (a, t), changes its velocity by V and its
 * acceleration by A, all axes of F and relative to what F does; D of everything else follows. */
typedef struct change {
  int node;
  v3 a, t;
  twist V, A;
} change;

/* Velocities, momenta and forces in the current state. */
typedef struct momentum {
  double w[SUPER_SIZE], rate[SUPER_SIZE]; /* velocities and their rates in F */
  double p[SUPER_SIZE], force[SUPER_SIZE];
  double f[SUPER_SIZE]; /* stress */
} momentum;

/* Changes of the deformation and its rate. */
static void change_deformation(double u[SUPER_SIZE], double rate[SUPER_SIZE],
                               const superelement_data *e, const shape *s, const momentum *m,
                               const change *c) {
  const bool first = c->node == 0;
  memset(u, 0, SUPER_SIZE * sizeof *u);
  memset(rate, 0, SUPER_SIZE * sizeof *rate);
  for (int i = 1; i < e->interfaces; ++i) {
    if (!first && c->node != i) continue;
    const v3 sign_t = first ? v3_neg(c->t) : c->t; /* turn of the interface seen from F */
    const v3 V = first ? v3_neg(c->V.lin) : c->V.lin, spin = first ? v3_neg(c->V.ang) : c->V.ang;
    const v3 place = first ? v3_neg(v3_add(c->a, v3_cross(c->t, s->r[i]))) : c->a;
    const v3 turn = m3_mulv(s->T[i], m3_tmulv(s->E[i], sign_t));
    v3 moving = v3_add(v3_cross(sign_t, v3_load(m->w + 6 * i)), V);
    moving = v3_sub(moving, v3_cross(s->spin, place));
    if (first) moving = v3_add(moving, v3_cross(spin, s->r[i]));
    const v3 angle = v3_load(s->u + 6 * i + 3);
    const v3 own = m3_tmulv(s->E[i], v3_sub(v3_load(m->w + 6 * i + 3), s->spin));
    const m3 G = so3_map_gradient(angle, own, lie_map_taninv(v3_norm2(angle)));
    const v3 turning = m3_tmulv(s->E[i], v3_add(v3_cross(sign_t, s->spin), spin));
    v3_store(u + 6 * i, place);
    v3_store(u + 6 * i + 3, turn);
    v3_store(rate + 6 * i, moving);
    v3_store(rate + 6 * i + 3, v3_add(m3_mulv(G, turn), m3_mulv(s->T[i], turning)));
  }
}

/* Coordinates of a carrier: those that are modes. */
static void change_modes(double x[SUPER_SIZE], const superelement_data *e, const change *c, v3 by) {
  const int first = 6 * e->interfaces + 3 * (c->node - e->interfaces);
  double value[3];
  if (c->node < e->interfaces) return;
  v3_store(value, by);
  for (int k = 0; k < 3 && first + k < e->size; ++k) x[first + k] = value[k];
}

/* Linearisation of add_stress. */
static void change_stress(double *r, const superelement_data *e, const shape *s, const momentum *m,
                          const change *c) {
  double u[SUPER_SIZE], rate[SUPER_SIZE], f[SUPER_SIZE], damping[SUPER_SIZE] = {0}, g[3],
                                                         c1[3] = {0};
  change_deformation(u, rate, e, s, m, c);
  change_modes(u, e, c, c->a);
  change_modes(rate, e, c, c->V.lin);
  const v3 gravity = c->node ? v3_zero() : v3_cross(s->gravity, c->t);
  v3_store(g, gravity);
  if (e->C) multiply(damping, e->C, rate, e->size);
  for (int i = 0; i < e->size; ++i) {
    rate[i] = u[i] + e->lag * rate[i];
    for (int k = 0; k < 3; ++k) c1[k] += e->share[i][k] * u[i];
  }
  multiply(f, e->K, rate, e->size);
  for (int i = 0; i < e->size; ++i) {
    f[i] += damping[i];
    for (int k = 0; k < 3; ++k) f[i] -= e->share[i][k] * g[k];
  }
  v3 force = v3_scale(gravity, e->mass);
  v3 moment = v3_add(v3_cross(v3_load(c1), s->gravity), v3_cross(find_moment(e, s), gravity));
  for (int i = 1; i < e->interfaces; ++i) {
    const v3 angle = v3_load(s->u + 6 * i + 3), turn = v3_load(u + 6 * i + 3);
    const lie_map map = lie_map_transpose(lie_map_taninv(v3_norm2(angle)));
    const v3 t = c->node ? c->node == i ? c->t : v3_zero() : v3_neg(c->t);
    const v3 lin = v3_load(m->f + 6 * i), h = v3_load(m->f + 6 * i + 3), df = v3_load(f + 6 * i);
    const v3 change_of_h = v3_add(m3_mulv(so3_map_gradient(angle, h, map), turn),
                                  m3_tmulv(s->T[i], v3_load(f + 6 * i + 3)));
    const v3 own = m3_tmulv(s->T[i], h);
    add_at(r + 6 * i, m3_tmulv(s->Q[i], v3_sub(df, v3_cross(t, lin))));
    add_at(r + 6 * i + 3, m3_tmulv(so3_matrix(e->frame[i].R), change_of_h));
    force = v3_add(force, df);
    moment = v3_add(moment, v3_cross(v3_load(u + 6 * i), lin));
    moment = v3_add(moment, v3_cross(s->r[i], df));
    moment = v3_add(moment, v3_cross(t, m3_mulv(s->E[i], own)));
    moment = v3_add(moment, m3_mulv(s->E[i], change_of_h));
  }
  add_at(r, m3_tmulv(s->Q[0], v3_neg(force)));
  add_at(r + 3, m3_tmulv(s->Q[0], v3_neg(moment)));
  add_modes(r, e, f);
}

/* Changes of the velocities and of their rates. */
static void change_velocities(double w[SUPER_SIZE], double rate[SUPER_SIZE],
                              const superelement_data *e, const shape *s, const momentum *m,
                              const change *c) {
  const v3 spin = c->node ? v3_zero() : c->V.ang;
  memset(w, 0, SUPER_SIZE * sizeof *w);
  memset(rate, 0, SUPER_SIZE * sizeof *rate);
  for (int i = 0; i < e->interfaces; ++i) {
    const bool own = c->node == i;
    const v3 t = v3_sub(own ? c->t : v3_zero(), c->node ? v3_zero() : c->t);
    const twist V = own ? c->V : tw_zero(), A = own ? c->A : tw_zero();
    const twist W = tw_load(m->w + 6 * i), dW = tw_load(m->rate + 6 * i);
    const twist dw = {v3_add(v3_cross(t, W.lin), V.lin), v3_add(v3_cross(t, W.ang), V.ang)};
    /* in inertial axes, and what of it the turn of F takes away */
    const twist all = {v3_add(dW.lin, v3_cross(s->spin, W.lin)),
                       v3_add(dW.ang, v3_cross(s->spin, W.ang))};
    v3 lin = v3_add(v3_add(v3_cross(t, all.lin), A.lin),
                    v3_add(v3_cross(V.ang, W.lin), v3_cross(W.ang, V.lin)));
    v3 ang = v3_add(v3_cross(t, all.ang), A.ang);
    lin = v3_sub(lin, v3_add(v3_cross(spin, W.lin), v3_cross(s->spin, dw.lin)));
    ang = v3_sub(ang, v3_add(v3_cross(spin, W.ang), v3_cross(s->spin, dw.ang)));
    tw_store(w + 6 * i, dw);
    tw_store(rate + 6 * i, (twist){lin, ang});
  }
  change_modes(w, e, c, c->V.lin);
  change_modes(rate, e, c, c->A.lin);
}

/* Linearisation of add_inertia. */
static void change_inertia(double *r, const superelement_data *e, const shape *s, const momentum *m,
                           const change *c) {
  double w[SUPER_SIZE], rate[SUPER_SIZE], p[SUPER_SIZE], force[SUPER_SIZE];
  const v3 spin = c->node ? v3_zero() : c->V.ang;
  v3 moment = v3_zero();
  change_velocities(w, rate, e, s, m, c);
  multiply(p, e->M, w, e->size);
  multiply(force, e->M, rate, e->size);
  for (int i = 0; i < e->interfaces; ++i) {
    const v3 t = v3_sub(c->node == i ? c->t : v3_zero(), c->node ? v3_zero() : c->t);
    const twist W = tw_load(m->w + 6 * i), P = tw_load(m->p + 6 * i), F = tw_load(m->force + 6 * i);
    const twist dW = tw_load(w + 6 * i), dP = tw_load(p + 6 * i), dF = tw_load(force + 6 * i);
    const v3 gyro = v3_cross(W.ang, P.ang);
    const v3 dgyro = v3_add(v3_cross(dW.ang, P.ang), v3_cross(W.ang, dP.ang));
    const v3 f = v3_add(F.lin, v3_cross(s->spin, P.lin));
    const v3 n = v3_sub(v3_add(F.ang, v3_cross(s->spin, P.ang)), gyro);
    v3 df = v3_add(dF.lin, v3_add(v3_cross(spin, P.lin), v3_cross(s->spin, dP.lin)));
    v3 dn = v3_add(dF.ang, v3_add(v3_cross(spin, P.ang), v3_cross(s->spin, dP.ang)));
    dn = v3_sub(dn, dgyro);
    add_at(r + 6 * i, m3_tmulv(s->Q[i], v3_sub(df, v3_cross(t, f))));
    add_at(r + 6 * i + 3, m3_tmulv(s->Q[i], v3_sub(dn, v3_cross(t, n))));
    moment = v3_add(moment, v3_add(v3_cross(dW.lin, P.lin), v3_cross(W.lin, dP.lin)));
    moment = v3_add(moment, dgyro);
  }
  add_at(r + 3, m3_tmulv(s->Q[0], moment));
  add_modes(r, e, force);
}

/* Column `k` of a matrix: the change of r by component k of a displacement, a velocity or an
 * acceleration. */
static void add_column(double *matrix, const superelement_data *e, const shape *s,
                       const momentum *m, int k, int what) {
  double r[SUPER_SIZE] = {0}, unit[6] = {0};
  const int node = k / 6, n = 6 * (e->interfaces + e->carriers);
  const bool turned = node < e->interfaces;
  change c = {.node = node};
  unit[k % 6] = 1;
  if (!turned && k % 6 >= 3) return; /* modal coordinates do not turn */
  const twist own = tw_load(unit);
  const twist by =
      turned ? (twist){m3_mulv(s->Q[node], own.lin), m3_mulv(s->Q[node], own.ang)} : own;
  if (what == 0) {
    c.a = by.lin;
    c.t = by.ang;
  }
  if (what == 1) c.V = by;
  if (what == 2) c.A = by;
  if (what < 2) change_stress(r, e, s, m, &c);
  change_inertia(r, e, s, m, &c);
  const int spare = 3 * (node - e->interfaces) + k % 6;
  if (what != 1 && !turned && spare >= e->size - 6 * e->interfaces) r[k] += e->mass;
  for (int i = 0; i < n; ++i) matrix[i * n + k] += r[i];
}

static void add_tangents(torsor_element_out *out, const superelement_data *e, const shape *s,
                         const torsor_element_in *in) {
  momentum m;
  find_stress(m.f, e, s);
  find_velocities(m.w, e, s, in, NULL);
  find_velocities(m.rate, e, s, in, m.w);
  multiply(m.p, e->M, m.w, e->size);
  multiply(m.force, e->M, m.rate, e->size);
  double *const matrix[] = {out->K, out->C, out->M};
  for (int what = 0; what < 3; ++what)
    for (int k = 0; matrix[what] && k < 6 * (e->interfaces + e->carriers); ++k)
      add_column(matrix[what], e, s, &m, k, what);
}

/* ---- the type -------------------------------------------------------------------------------- */

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const superelement_data *e = self;
  shape s;
  double f[SUPER_SIZE];
  const torsor_status status = find_shape(&s, e, in);
  if (status) return status;
  find_stress(f, e, &s);
  if (out->r) {
    add_stress(out->r, e, &s, f);
    add_inertia(out->r, e, &s, in);
    add_spare(out->r, e, in);
  }
  if (out->M || out->C || out->K) add_tangents(out, e, &s, in);
  return TORSOR_OK;
}

static double form(const double *A, const double *x, int n) {
  double out[SUPER_SIZE], sum = 0;
  multiply(out, A, x, n);
  for (int i = 0; i < n; ++i) sum += x[i] * out[i];
  return sum;
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const superelement_data *e = self;
  shape s;
  double w[SUPER_SIZE], p[SUPER_SIZE];
  if (find_shape(&s, e, in)) return;
  find_velocities(w, e, &s, in, NULL);
  multiply(p, e->M, w, e->size);
  sum->kinetic += form(e->M, w, e->size) / 2;
  sum->elastic += form(e->K, s.u, e->size) / 2;
  balance_spare(sum, e, in);
  const v3 weighed = v3_scale(in->node[0]->x, e->mass);
  const v3 moment = v3_add(weighed, m3_mulv(s.R, find_moment(e, &s)));
  sum->potential -= in->load * v3_dot(e->gravity, moment);
  for (int i = 0; i < e->interfaces; ++i) {
    const v3 lin = m3_mulv(s.R, v3_load(p + 6 * i)), ang = m3_mulv(s.R, v3_load(p + 6 * i + 3));
    sum->momentum = v3_add(sum->momentum, lin);
    sum->angular_momentum =
        v3_add(sum->angular_momentum, v3_add(v3_cross(in->node[i]->x, lin), ang));
  }
}

static double loss(const void *self, const torsor_element_in *in) {
  const superelement_data *e = self;
  shape s;
  if (find_shape(&s, e, in)) return 0;
  return e->lag * form(e->K, s.rate, e->size) + (e->C ? form(e->C, s.rate, e->size) : 0);
}

/* Lines between the interfaces; the mass of a body with one of them. */
static void draw(const void *self, const torsor_drawing *to) {
  const superelement_data *e = self;
  for (int i = 1; i < e->interfaces; ++i) to->line(to->self, 0, i);
  if (e->interfaces > 1) return;
  torsor_solid solid;
  solid_guess_ball(&solid, e->mass);
  const v3 c = v3_scale(e->moment, 1 / e->mass);
  solid.frame.x = se3_point(se3_inverse(e->frame[0]), c);
  to->solid(to->self, 0, &solid);
}

const torsor_element_type superelement = {
    CHAIN_PART,
    .name = "superelement_body",
    .title = "reduced flexible body between interface frames",
    .doc = "See superelement.",
    .limits.range =
        "rotations of at most 2 rad (115 degrees) of its interfaces against the first one",
    .limits.advice =
        "divide the body, or model it by beams: its matrices are linear in the deformation",
    .size = sizeof(superelement_data),
    .prepare = prepare,
    .eval = eval,
    .energy.balance = balance,
    .look.draw = draw,
    .energy.loss = loss,
};
