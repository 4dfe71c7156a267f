/* SPDX-License-Identifier: GPL-3.0-or-later */
/* RATTLE on Lie groups, on problems with known answers: the oscillator's invariant, orders, both
 * levels of constraints, momenta, time symmetry, the symplectic form, moved constraints, halved
 * steps, refusals. */
#include "check.h"

#include <complex.h>

#include <torsor/lie/so3.h>

#include "problems/heavy_top.h"
#include "problems/jay_7_1.h"
#include "problems/pendulum.h"
#include "problems/trial.h"

enum { FINEST = 8000, TOPS = 3 }; /* steps of 1.25e-4 on [0, 1] */

static const heavy_top_group tops[TOPS] = {HEAVY_TOP_R3SO3, HEAVY_TOP_SE3, HEAVY_TOP_SO3};
static const char *const top_name[TOPS] = {"R3xSO3", "SE(3)", "SO(3)"};

static heavy_top_motion reference[FINEST + 1];

static int make_reference(void **state) {
  (void)state;
  heavy_top_reference(reference, FINEST + 1, 1.25e-4, 8);
  return 0;
}

static torsor_settings settings_of(double h) {
  torsor_settings s = torsor_settings_default();
  s.method = "rattle";
  s.step = h;
  return s;
}

/* ---- oscillator --------------------------------------------------------------------------- */

static void unit_mass(void *data, double t, const double *q, double *M) {
  (void)data, (void)t, (void)q;
  M[0] = 1;
}

static void pull(void *data, double t, const double *q, const double *v, double *g) {
  (void)data, (void)t, (void)v;
  g[0] = q[0];
}

static const torsor_dense oscillator = {
    .nq = 1, .nv = 1, .length = 1, .conservative = true, .mass = unit_mass, .force = pull};

/* It is the method of Stoermer and Verlet there, which keeps v^2 + (1 - h^2/4) q^2 exactly:
 * rounding errors of eps a step add up as a random walk. */
static void verlet(void **state) {
  (void)state;
  enum { STEPS = 100000 };
  const double h = 0.3, q0 = 1, v0 = 0.5;
  const torsor_settings s = settings_of(h);
  trial t = trial_open(&oscillator, &s, &q0, &v0);
  const double start = v0 * v0 + (1 - h * h / 4) * q0 * q0;
  double off = 0, energy = 0;
  for (int n = 0; n < STEPS; ++n) {
    const torsor_state now = trial_step(&t);
    const double q = now.q[0], v = now.v[0];
    off = check_max(off, fabs(v * v + (1 - h * h / 4) * q * q - start));
    energy = check_max(energy, fabs(v * v + q * q - v0 * v0 - q0 * q0));
  }
  trial_close(&t);
  const double bound = 8 * CHECK_EPS * sqrt(STEPS) * start;
  check_report("its invariant over 1e5 steps", off, bound);
  CHECK_LE(off, bound);
  /* The energy differs from it by q^2 h^2/4, and q^2 is between 0 and start/(1 - h^2/4). */
  const double swing = h * h / 4 * start / (1 - h * h / 4);
  check_report("twice the energy goes up and down by at most", energy, swing);
  CHECK_LE(energy, swing);
  CHECK_GE(energy, swing / 2);
}

/* Modulus of the principal root of the generalised-alpha method (S4 eq. 9) at h omega = W: with the
 * shift z, (z - 1)^2 ((1 - alpha_m) z + alpha_m)
 *     + W^2 ((1 - alpha_f) z + alpha_f) (beta z^2 + (1/2 + gamma - 2 beta) z + 1/2 - gamma + beta)
 * = 0. */
static double principal_root(const torsor_alpha *a, double W) {
  double complex z = cos(W) + sin(W) * (double complex)I;
  for (int k = 0; k < 50; ++k) {
    const double complex m = (1 - a->alpha_m) * z + a->alpha_m;
    const double complex f = (1 - a->alpha_f) * z + a->alpha_f;
    const double c1 = 0.5 + a->gamma - 2 * a->beta, c0 = 0.5 - a->gamma + a->beta;
    const double complex p = a->beta * z * z + c1 * z + c0;
    const double complex value = (z - 1) * (z - 1) * m + W * W * f * p;
    const double complex slope = 2 * (z - 1) * m + (z - 1) * (z - 1) * (1 - a->alpha_m) +
                                 W * W * ((1 - a->alpha_f) * p + f * (2 * a->beta * z + c1));
    z -= value / slope;
  }
  return cabs(z);
}

/* Mean of the energy over `count` steps. */
static double mean_energy(trial *t, int count) {
  double sum = 0;
  for (int n = 0; n < count; ++n) {
    const torsor_state now = trial_step(t);
    sum += now.v[0] * now.v[0] + now.q[0] * now.q[0];
  }
  return sum / 2 / count;
}

/* Generalised-alpha dissipates 1 - |z|^2 of the oscillator's energy in a step; RATTLE dissipates
 * nothing. Windows of 1000 steps hold some 48 periods: incomplete ones leave an error of W^2/1000
 * of the energy. */
static void dissipation(void **state) {
  (void)state;
  enum { WINDOW = 1000, BETWEEN = 19000 };
  const double h = 0.3, q0 = 1, v0 = 0, uneven = h * h / WINDOW;
  for (int i = 0; i < 2; ++i) {
    torsor_settings s = settings_of(h);
    if (i) s.method = "generalized_alpha";
    trial t = trial_open(&oscillator, &s, &q0, &v0);
    const double first = mean_energy(&t, WINDOW);
    mean_energy(&t, BETWEEN);
    const double lost = log(first / mean_energy(&t, WINDOW)), steps = WINDOW + BETWEEN;
    const double z = principal_root(&s.alpha, h), expected = i ? -2 * steps * log(z) : 0;
    print_message("  %s: log of the energy falls by %.6f in %g steps, theory %.6f\n",
                  i ? "generalised-alpha, rho 0.9" : "rattle", lost, steps, expected);
    CHECK_NEAR(lost, expected, 2 * uneven);
    if (i) CHECK_GE(expected, 100 * uneven);
    trial_close(&t);
  }
}

/* Of Chung and Hulbert's parameters 1 - |z| = ((1 - rho)/(1 + rho))^3 W^4/2 + O(W^6).  Extrapolated
 * from two W, what is missing is far below W^2 times the whole. */
static void damping_of_small_steps(void **state) {
  (void)state;
  const double W = 0.1, rho[] = {0.3, 0.6, 0.8, 0.9};
  for (int i = 0; i < 4; ++i) {
    const torsor_alpha a = torsor_alpha_chung_hulbert(rho[i]);
    const double part = (1 - rho[i]) / (1 + rho[i]), expected = part * part * part / 2;
    const double coarse = (1 - principal_root(&a, W)) / pow(W, 4);
    const double fine = (1 - principal_root(&a, W / 2)) / pow(W / 2, 4);
    const double found = (4 * fine - coarse) / 3, roundoff = 4 * CHECK_EPS / pow(W / 2, 4);
    print_message("  rho %.1f: 1 - |z| = %.8f W^4, theory %.8f\n", rho[i], found, expected);
    CHECK_NEAR(found, expected, expected * W * W / 10 + roundoff);
  }
}

/* ---- orders and constraints ---------------------------------------------------------------- */

static double furthest(const double *a, const double *b, int n) {
  double off = 0;
  for (int i = 0; i < n; ++i) off = check_max(off, fabs(a[i] - b[i]));
  return off;
}

static void pendulum_orders(void **state) {
  (void)state;
  const torsor_dense d = pendulum_dense();
  double error[2][4] = {{0}};
  for (int level = 0; level < 2; ++level) {
    const torsor_settings s = settings_of(ldexp(2.5e-3, -level));
    double q[2], v[2];
    pendulum_initial(q, v, 0.2);
    trial t = trial_open(&d, &s, q, v);
    double *e = error[level];
    for (int n = 1; n <= 800 << level; ++n) {
      const torsor_state now = trial_step(&t);
      pendulum_motion(q, v, now.t, 0.2);
      const double lambda = pendulum_lambda(now.t, 0.2);
      const double a[2] = {-lambda * q[0], -lambda * q[1] - PENDULUM_GRAVITY};
      e[0] = check_max(e[0], furthest(now.q, q, 2));
      e[1] = check_max(e[1], furthest(now.v, v, 2));
      e[2] = check_max(e[2], furthest(now.a, a, 2));
      e[3] = check_max(e[3], fabs(now.lambda[0] - lambda));
    }
    trial_close(&t);
  }
  static const char *const name[] = {"q", "v", "v'", "lambda"};
  for (int i = 0; i < 4; ++i) {
    const double slope = log2(error[0][i] / error[1][i]);
    print_message("  %-6s %.2e, order %.3f\n", name[i], error[1][i], slope);
    CHECK_ORDER(slope, 2, 0.05);
  }
}

/* Largest errors of q, v and lambda, what is left of Phi and B v, iterations a step. */
typedef struct errors {
  double of[3], phi, slip, iterations;
} errors;

static void note_constraints(errors *e, const trial *t, const torsor_state *now) {
  double phi[8], phi_v[8];
  const torsor_point p = {
      .t = now->t, .q = now->q, .v = now->v, .a = now->a, .lambda = now->lambda};
  CHECK_INT(t->problem->residual(t->problem->self, &p, NULL, phi, phi_v), TORSOR_OK);
  for (int i = 0; i < t->problem->nl; ++i) {
    e->phi = check_max(e->phi, fabs(phi[i]));
    e->slip = check_max(e->slip, fabs(phi_v[i]));
  }
}

static errors run_top(heavy_top_group group, const torsor_settings *s, bool halved) {
  const torsor_dense d = heavy_top_dense(group);
  const int steps = (int)lround(1 / s->step), stride = FINEST / steps;
  double q[7], v[6];
  heavy_top_initial(q, v, group);
  trial t = trial_open(&d, s, q, v);
  errors e = {.of = {0}};
  for (int n = 1; n <= steps; ++n) {
    const torsor_state now = trial_step(&t);
    const heavy_top_motion m = heavy_top_from_state(&now, group), *r = &reference[n * stride];
    e.of[0] = check_max(e.of[0], hypot(v3_norm(v3_sub(m.x, r->x)), v3_norm(so3_minus(m.R, r->R))));
    e.of[1] = check_max(e.of[1], hypot(v3_norm(v3_sub(m.velocity, r->velocity)),
                                       v3_norm(v3_sub(m.omega, r->omega))));
    if (d.nl) e.of[2] = check_max(e.of[2], v3_norm(v3_sub(m.lambda, r->lambda)));
    note_constraints(&e, &t, &now);
  }
  const torsor_counters c = torsor_integrator_counters(t.integrator);
  e.iterations = (double)c.newton_iterations / (double)c.steps;
  if (halved)
    CHECK_TRUE(c.rejected_steps > 100);
  else
    CHECK_INT(c.rejected_steps, 0);
  trial_close(&t);
  return e;
}

static void top_orders(void **state) {
  (void)state;
  static const char *const name[] = {"q", "v", "lambda"};
  for (int k = 0; k < TOPS; ++k) {
    errors e[2];
    for (int level = 0; level < 2; ++level) {
      const torsor_settings s = settings_of(ldexp(5e-4, -level));
      errors *now = &e[level];
      *now = run_top(tops[k], &s, false);
      print_message("  %-6s h = %.2e: %.2f iterations a step;", top_name[k], s.step,
                    now->iterations);
      for (int i = 0; i < (tops[k] == HEAVY_TOP_SO3 ? 2 : 3); ++i) {
        const double slope = level ? log2(e[0].of[i] / now->of[i]) : 2;
        print_message(" %s %.2e (%.3f)", name[i], now->of[i], slope);
        CHECK_ORDER(slope, 2, 0.05);
      }
      print_message(" Phi %.1e, B v %.1e\n", now->phi, now->slip);
      /* Rounding of positions of size 1 and of velocities of size 150. */
      CHECK_LE(now->phi, 8 * CHECK_EPS);
      CHECK_LE(now->slip, 8 * CHECK_EPS * 150);
      CHECK_LE(now->iterations, 4.1);
    }
  }
}

/* ---- momenta ------------------------------------------------------------------------------- */

static const double TOP_INERTIA[3] = {0.234375, 0.46875, 0.234375};

static v3 times_inertia(const double J[3], v3 w) {
  return (v3){J[0] * w.x, J[1] * w.y, J[2] * w.z};
}

/* Of rounding errors of `few` eps a step: a random walk, and beside it what is the same in every
 * step, as |u| hardly changes: the coefficients of exp and T are off by some ulp of terms
 * u^2/12. */
static double momentum_bound(double size, double few, int steps, double u) {
  return size * CHECK_EPS * (few * sqrt(steps) + few * u * u / 12 * steps);
}

/* About the vertical through the pivot and, as the top is symmetric, about its axis. */
static void top_momenta(void **state) {
  (void)state;
  enum { STEPS = 20000 };
  for (int k = 0; k < TOPS; ++k) {
    const torsor_dense d = heavy_top_dense(tops[k]);
    const torsor_settings s = settings_of(1e-3);
    double q[7], v[6], vertical = 0, spin = 0;
    heavy_top_initial(q, v, tops[k]);
    trial t = trial_open(&d, &s, q, v);
    for (int n = 1; n <= STEPS; ++n) {
      const torsor_state now = trial_step(&t);
      const heavy_top_motion m = heavy_top_from_state(&now, tops[k]);
      const v3 own = so3_rotate(m.R, times_inertia(TOP_INERTIA, m.omega));
      const v3 L = v3_axpy(15, v3_cross(m.x, m.velocity), own);
      vertical = check_max(vertical, fabs(L.z + 15.234375 * 4.61538));
      spin = check_max(spin, fabs(m.omega.y - 150));
    }
    trial_close(&t);
    print_message("  %s\n", top_name[k]);
    const double of_L = momentum_bound(15.234375 * 4.61538, 16, STEPS, 0.15);
    const double of_spin = momentum_bound(150, 16, STEPS, 0.15);
    check_report("about the vertical, of 70.3, in 20000 steps", vertical, of_L);
    check_report("about its axis, of 150 rad/s", spin, of_spin);
    CHECK_LE(vertical, of_L);
    CHECK_LE(spin, of_spin);
  }
}

static const double ROTOR[3] = {1, 2, 3};

static void rotor_mass(void *data, double t, const double *q, double *M) {
  (void)data, (void)t, (void)q;
  memset(M, 0, 9 * sizeof *M);
  for (int i = 0; i < 3; ++i) M[4 * i] = ROTOR[i];
}

static void rotor_force(void *data, double t, const double *q, const double *v, double *g) {
  (void)data, (void)t, (void)q;
  v3_store(g, v3_cross(v3_load(v), times_inertia(ROTOR, v3_load(v))));
}

/* A free rotor that turns over about its middle axis: the whole angular momentum in inertial
 * axes. */
static void rotor_momentum(void **state) {
  (void)state;
  enum { STEPS = 100000 };
  torsor_dense d = heavy_top_dense(HEAVY_TOP_SO3);
  d.mass = rotor_mass;
  d.force = rotor_force;
  const torsor_settings s = settings_of(0.01);
  const double q[4] = {1, 0, 0, 0}, v[3] = {0.02, 5, -0.01};
  const v3 start = times_inertia(ROTOR, v3_load(v));
  trial t = trial_open(&d, &s, q, v);
  double off = 0, low = 0, high = 0;
  for (int n = 1; n <= STEPS; ++n) {
    const torsor_state now = trial_step(&t);
    const v3 w = v3_load(now.v), L = so3_rotate(so3_load(now.q), times_inertia(ROTOR, w));
    const double energy = (v3_dot(w, times_inertia(ROTOR, w)) - v3_dot(v3_load(v), start)) / 2;
    off = check_max(off, v3_norm(v3_sub(L, start)));
    low = fmin(low, energy);
    high = fmax(high, energy);
  }
  trial_close(&t);
  const double bound = momentum_bound(v3_norm(start), 16, STEPS, 0.05);
  check_report("angular momentum, of 10, in 1e5 steps", off, bound);
  CHECK_LE(off, bound);
  print_message("  energy between %.2e and %.2e J of 25\n", low, high);
}

/* ---- structure ----------------------------------------------------------------------------- */

/* There, the velocity turned round, and back again.  Rounding errors of `few` eps of the velocity a
 * step turn the top by their sum times the time. */
static double return_error(heavy_top_group group, const torsor_settings *s, int steps) {
  const torsor_dense d = heavy_top_dense(group);
  double q[7], v[6], back[6], at[7];
  heavy_top_initial(q, v, group);
  trial t = trial_open(&d, s, q, v);
  torsor_state now = {0};
  for (int n = 0; n < steps; ++n) now = trial_step(&t);
  memcpy(at, now.q, (size_t)d.nq * sizeof *at);
  for (int i = 0; i < d.nv; ++i) back[i] = -now.v[i];
  CHECK_INT(torsor_integrator_start(t.integrator, 0, at, back), TORSOR_OK);
  for (int n = 0; n < steps; ++n) now = trial_step(&t);
  double u[6], off = 0;
  t.problem->minus(t.problem->self, u, now.q, q);
  for (int i = 0; i < d.nv; ++i) off = check_max(off, fabs(u[i]));
  trial_close(&t);
  return off;
}

static void symmetry(void **state) {
  (void)state;
  enum { STEPS = 1000 };
  for (int k = 0; k < TOPS; ++k) {
    torsor_settings s = settings_of(1e-3);
    const double few = 16, bound = few * CHECK_EPS * 150 * sqrt(2 * STEPS) * 2 * STEPS * s.step;
    const double off = return_error(tops[k], &s, STEPS);
    s.method = "generalized_alpha";
    const double other = return_error(tops[k], &s, STEPS);
    print_message(
        "  %-6s off by %.2e after 1000 steps and back, bound %.2e; generalised-alpha %.2e\n",
        top_name[k], off, bound, other);
    CHECK_LE(off, bound);
    CHECK_GE(other, 1e3 * bound);
  }
}

/* The top from e times the disturbance w: turned by e (w0, w1, w2), its spin changed by e (w3, w4,
 * w5), x and its velocity as the pivot asks; q and p = M v after some steps. */
static void run_disturbed(double *q, double *p, heavy_top_group group, const torsor_settings *s,
                          const double *w, double e, int steps) {
  const torsor_dense d = heavy_top_dense(group);
  double v[6], M[36], *spin = group == HEAVY_TOP_SO3 ? v : v + 3;
  heavy_top_initial(q, v, group);
  so3 R = so3_plus(so3_identity(), v3_scale(v3_load(w), e));
  for (int i = 0; i < 3; ++i) spin[i] += e * w[3 + i];
  if (group == HEAVY_TOP_SO3) {
    so3_store(q, R);
  } else {
    const v3 arm = {0, 1, 0}, slip = v3_cross(v3_load(spin), arm);
    v3_store(q, so3_rotate(R, arm));
    so3_store(q + 3, R);
    v3_store(v, group == HEAVY_TOP_SE3 ? slip : so3_rotate(R, slip));
  }
  trial t = trial_open(&d, s, q, v);
  for (int n = 0; n < steps; ++n) trial_step(&t);
  const torsor_state now = torsor_integrator_state(t.integrator);
  memcpy(q, now.q, (size_t)d.nq * sizeof *q);
  d.mass(d.data, 0, q, M);
  for (int i = 0; i < d.nv; ++i) {
    p[i] = 0;
    for (int j = 0; j < d.nv; ++j) p[i] += M[i * d.nv + j] * now.v[j];
  }
  trial_close(&t);
}

/* A variation of q (along the group) and p [nv each] by central differences. */
static void vary(double *xi, double *dp, double *p, heavy_top_group group, const torsor_settings *s,
                 const double *w, int steps) {
  const double e = 2e-5;
  const torsor_dense d = heavy_top_dense(group);
  double q[2][7], at[2][6];
  run_disturbed(q[0], at[0], group, s, w, -e, steps);
  run_disturbed(q[1], at[1], group, s, w, e, steps);
  d.minus(d.data, xi, q[1], q[0]);
  for (int i = 0; i < d.nv; ++i) {
    xi[i] /= 2 * e;
    dp[i] = (at[1][i] - at[0][i]) / (2 * e);
    p[i] = (at[1][i] + at[0][i]) / 2;
  }
}

/* The canonical form of two variations after some steps: <dp, eta> - <dp', xi> - <p, [xi, eta]>.
 * `size`: of its terms. */
static double symplectic_form(double *size, heavy_top_group group, const torsor_settings *s,
                              int steps) {
  static const double w[2][6] = {{0.3, -0.5, 0.7, 5, 2, -4}, {-0.6, 0.2, 0.4, 3, -7, 6}};
  const torsor_dense d = heavy_top_dense(group);
  double xi[2][6], dp[2][6], p[6], bracket[6], sum = 0;
  for (int i = 0; i < 2; ++i) vary(xi[i], dp[i], p, group, s, w[i], steps);
  d.bracket(d.data, bracket, xi[0], xi[1]);
  *size = 0;
  for (int i = 0; i < d.nv; ++i) {
    const double term[] = {dp[0][i] * xi[1][i], -dp[1][i] * xi[0][i], -p[i] * bracket[i]};
    for (int k = 0; k < 3; ++k) {
      sum += term[k];
      *size = check_max(*size, fabs(term[k]));
    }
  }
  return sum;
}

/* Differences lose e^2 times third derivatives, which grow with the angle turned, to the third:
 * 5e-10 (15 rad)^3, of the terms' size, and rounding errors over e. */
static void symplecticity(void **state) {
  (void)state;
  for (int k = 0; k < TOPS; ++k) {
    torsor_settings s = settings_of(1e-3);
    double before_size, size;
    const double before = symplectic_form(&before_size, tops[k], &s, 0);
    const double after = symplectic_form(&size, tops[k], &s, 100);
    s.method = "generalized_alpha";
    s.start = TORSOR_START_PLAIN;
    double other_size;
    const double other = symplectic_form(&other_size, tops[k], &s, 100);
    const double bound = 4e-10 / 6 * pow(15, 3) * size;
    print_message("  %-6s form %.6g, changed by %.1e in 100 steps; by generalised-alpha %.1e\n",
                  top_name[k], before, after - before, other - before);
    CHECK_NEAR(after, before, bound);
    CHECK_GE(fabs(other - before), 10 * bound);
  }
}

/* ---- moved constraints --------------------------------------------------------------------- */

/* A pendulum of the length l(t), pulled sideways by cos 5t. */
static double length_at(double t, double *rate) {
  *rate = 0.6 * cos(3 * t);
  return 1 + 0.2 * sin(3 * t);
}

static void masses(void *data, double t, const double *q, double *M) {
  (void)data, (void)t, (void)q;
  M[0] = 1.5;
  M[3] = 1.5;
  M[1] = M[2] = 0;
}

static void moved_force(void *data, double t, const double *q, const double *v, double *g) {
  (void)data, (void)q, (void)v;
  g[0] = -cos(5 * t);
  g[1] = 1.5 * 9.81;
}

static void moved_constraint(void *data, double t, const double *q, double *phi) {
  (void)data;
  double rate;
  const double l = length_at(t, &rate);
  phi[0] = (q[0] * q[0] + q[1] * q[1] - l * l) / 2;
}

static void moved_gradient(void *data, double t, const double *q, double *B) {
  (void)data, (void)t;
  B[0] = q[0];
  B[1] = q[1];
}

static void moved_rate(void *data, double t, const double *q, double *phi_t) {
  (void)data, (void)q;
  double rate;
  const double l = length_at(t, &rate);
  phi_t[0] = -l * rate;
}

static const torsor_dense moved_pendulum = {.nq = 2,
                                            .nv = 2,
                                            .nl = 1,
                                            .length = 1,
                                            .conservative = true,
                                            .mass = masses,
                                            .force = moved_force,
                                            .constraint = moved_constraint,
                                            .gradient = moved_gradient,
                                            .constraint_rate = moved_rate};

/* q, v, v', lambda at t = 2. */
static void run_moved(double out[7], double h) {
  const torsor_settings s = settings_of(h);
  const double q[2] = {0.6, -0.8}, v[2] = {0.6 * 0.6, -0.8 * 0.6}; /* along q at the rate of l */
  trial t = trial_open(&moved_pendulum, &s, q, v);
  errors e = {.of = {0}};
  for (int n = 0; n < (int)lround(2 / h); ++n) {
    const torsor_state now = trial_step(&t);
    note_constraints(&e, &t, &now);
  }
  const torsor_state now = torsor_integrator_state(t.integrator);
  memcpy(out, now.q, 2 * sizeof *out);
  memcpy(out + 2, now.v, 2 * sizeof *out);
  memcpy(out + 4, now.a, 2 * sizeof *out);
  out[6] = now.lambda[0];
  CHECK_LE(e.phi, 8 * CHECK_EPS);
  CHECK_LE(e.slip, 8 * CHECK_EPS * 5);
  trial_close(&t);
}

/* Against a run with steps of h/16, whose own error changes the order by log2((1 - 1/256)/(1 -
 * 1/64)). */
static void moved_orders(void **state) {
  (void)state;
  double fine[7], coarse[2][7];
  run_moved(coarse[0], 4e-3);
  run_moved(coarse[1], 2e-3);
  run_moved(fine, 2.5e-4);
  static const char *const name[] = {"q", "v", "v'", "lambda"};
  for (int i = 0; i < 4; ++i) {
    const int count = i == 3 ? 1 : 2;
    const double e0 = furthest(coarse[0] + 2 * i, fine + 2 * i, count);
    const double e1 = furthest(coarse[1] + 2 * i, fine + 2 * i, count);
    print_message("  %-6s %.2e, order %.3f\n", name[i], e1, log2(e0 / e1));
    CHECK_ORDER(log2(e0 / e1), 2, 0.05 + log2((1 - 1.0 / 256) / (1 - 1.0 / 64)));
  }
}

/* ---- halved steps and refusals ------------------------------------------------------------- */

/* Newton takes three steps only, so that many steps are halved and doubled again: order and
 * constraints stay. */
static void halved_steps(void **state) {
  (void)state;
  torsor_settings s = settings_of(1e-3);
  const errors whole = run_top(HEAVY_TOP_SE3, &s, false);
  s.max_iterations = 3;
  const errors e = run_top(HEAVY_TOP_SE3, &s, true);
  for (int i = 0; i < 3; ++i) {
    print_message("  %.3e, whole steps %.3e\n", e.of[i], whole.of[i]);
    CHECK_LE(e.of[i], whole.of[i]);
  }
  CHECK_LE(e.phi, 8 * CHECK_EPS);
  CHECK_LE(e.slip, 8 * CHECK_EPS * 150);
}

static void check_refused(const torsor_dense *d, const torsor_settings *s, const char *why) {
  torsor_problem *problem;
  torsor_integrator *integrator;
  torsor_error error = {0};
  CHECK_INT(torsor_dense_create(&problem, d, &error), TORSOR_OK);
  CHECK_INT(torsor_integrator_create(&integrator, problem, s, &error), TORSOR_ARGUMENT);
  CHECK_CONTAINS(error.message, why);
  CHECK_TRUE(integrator == NULL);
  torsor_dense_destroy(problem);
}

static void reaction(void *data, double t, const double *q, const double *v, const double *lambda,
                     double *out) {
  (void)data, (void)t, (void)v;
  for (int i = 0; i < 2; ++i) out[i] = q[i] * lambda[0];
}

static void refusals(void **state) {
  (void)state;
  torsor_dense d = pendulum_dense();
  torsor_settings s = settings_of(0.01);
  d.conservative = false;
  check_refused(&d, &s, "the problem does not declare that it is one");
  d.conservative = true;
  d.reaction = reaction;
  check_refused(&d, &s, "forces that depend on multipliers");
  d = jay_7_1_dense();
  d.conservative = true;
  check_refused(&d, &s, "not for nonholonomic constraints");
  d = pendulum_dense();
  s.accuracy.position = 1e-3;
  check_refused(&d, &s, "has constant steps only");
  s = settings_of(0.01);
  s.formulation = TORSOR_GGL;
  check_refused(&d, &s, "does not know \"formulation\"");
  s = settings_of(0.01);
  s.rtol = 1e-9;
  check_refused(&d, &s, "does not know \"rtol\"");
  s = settings_of(0.01);
  s.atol = 1e-9;
  check_refused(&d, &s, "does not know \"atol\"");
  s = settings_of(0.01);
  s.alpha = torsor_alpha_chung_hulbert(0.7);
  check_refused(&d, &s, "\"rattle\" has no parameters");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(verlet),
      cmocka_unit_test(dissipation),
      cmocka_unit_test(damping_of_small_steps),
      cmocka_unit_test(pendulum_orders),
      cmocka_unit_test(top_orders),
      cmocka_unit_test(top_momenta),
      cmocka_unit_test(rotor_momentum),
      cmocka_unit_test(symmetry),
      cmocka_unit_test(symplecticity),
      cmocka_unit_test(moved_orders),
      cmocka_unit_test(halved_steps),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, make_reference, NULL);
}
