/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A body of small deformations with a frame F that floats with its first interface: docs/theory.md, section
 * "Superelements".  In the axes of F, with Q_i = R_F^T R_i,
 *   u_i = (R_F^T (x_i - x_F) - X_i, log(R_F^T R_i R_i0^T)),   w_i = (Q_i U_i, Q_i Omega_i),
 * modal coordinates and their rates behind them; V = u^T K u/2, T = w^T M w/2. */

#include "elements/superelement.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "elements/solid.h"

/* Logarithms beyond are no small deformations. */
static const double LARGEST_TURN = 2;

/* ---- what is known before the motion ---------------------------------------------------------- */

static torsor_status fail(torsor_error *error, const char *key, const char *hint,
                          const char *message) {
  torsor_fail(error, TORSOR_SCENE, "%s", message);
  if (error) snprintf(error->path, sizeof error->path, "%s", key);
  torsor_hint(error, "%s", hint);
  return TORSOR_SCENE;
}

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

/* The largest force against a rigid motion in parts of what entries |K_ij| <= sqrt(K_ii K_jj) could make. */
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
      return fail(error, "stiffness",
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
      return fail(error, "mass", "see there", "the mass is not the same in all directions");
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

/* ---- where it is ------------------------------------------------------------------------------ */

typedef struct shape {
  m3 R;                 /* of F */
  v3 x, spin;           /* origin, inertial; angular velocity, axes of F */
  m3 Q[SUPER_NODES];    /* axes of interface i in F */
  m3 E[SUPER_NODES];    /* its turn from the undeformed state */
  m3 T[SUPER_NODES];    /* T^-1 of that */
  v3 r[SUPER_NODES];    /* place of interface i seen from the first one, axes of F */
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

/* ---- forces of the deformation and of gravity --------------------------------------------------- */

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

/* What f . u does along the motion of the nodes. */
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
  for (int k = 6 * e->interfaces; k < e->size; ++k) {
    const int mode = k - 6 * e->interfaces;
    r[6 * (e->interfaces + mode / 3) + mode % 3] += f[k];
  }
}

/* ---- inertia ----------------------------------------------------------------------------------- */

typedef struct inertia {
  double w[SUPER_SIZE], p[SUPER_SIZE]; /* velocities and momenta, axes of F */
} inertia;

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

/* Lagrange's equations: a momentum p_i turns with F, and the energy depends on the turn of F, which is that of
 * the first interface. */
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
  for (int k = 6 * e->interfaces; k < e->size; ++k) {
    const int mode = k - 6 * e->interfaces;
    r[6 * (e->interfaces + mode / 3) + mode % 3] += force[k];
  }
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

/* ---- the type ---------------------------------------------------------------------------------- */

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const superelement_data *e = self;
  shape s;
  double f[SUPER_SIZE];
  const torsor_status status = find_shape(&s, e, in);
  if (status || !out->r) return status;
  find_stress(f, e, &s);
  add_stress(out->r, e, &s, f);
  add_inertia(out->r, e, &s, in);
  add_spare(out->r, e, in);
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

static const torsor_param params[] = {{0}};

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
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_BODY,
    .name = "superelement_body",
    .title = "reduced flexible body between interface frames",
    .doc = "See superelement.",
    .example = "",
    .size = sizeof(superelement_data),
    .params = params,
    .tangents = TORSOR_HAS_M | TORSOR_HAS_C | TORSOR_HAS_K,
    .numeric_tangent = true,
    .prepare = prepare,
    .eval = eval,
    .balance = balance,
    .draw = draw,
    .loss = loss,
};
