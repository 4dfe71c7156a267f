/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "problems/problem.h"

#include <stdlib.h>
#include <string.h>

#include <torsor/lie.h>

#include "problems/cubic.h"
#include "problems/heavy_top.h"
#include "problems/hht.h"
#include "problems/jay_7_1.h"
#include "problems/pendulum.h"
#include "problems/rolling_disk.h"
#include "problems/soi2.h"

/* ---- in R^n ------------------------------------------------------------------------------ */

static const problem_signal one_multiplier[] = {{"q", PROBLEM_Q, 0, 1, false},
                                                {"v", PROBLEM_V, 0, 1, false},
                                                {"a", PROBLEM_A, 0, 1, false},
                                                {"lambda", PROBLEM_LAMBDA, 0, 1, false},
                                                {0}};

static torsor_status solve_cubic(problem_state *out, int count, double spacing) {
  for (int n = 0; n < count; ++n) {
    const double t = n * spacing;
    out[n] = (problem_state){{t * t * t}, {3 * t * t}, {6 * t}, {-6 * t}};
  }
  return TORSOR_OK;
}

static const problem_signal pendulum_signals[] = {{"q", PROBLEM_Q, 0, 2, false},
                                                  {"v", PROBLEM_V, 0, 2, false},
                                                  {"a", PROBLEM_A, 0, 2, false},
                                                  {"lambda", PROBLEM_LAMBDA, 0, 1, false},
                                                  {0}};

/* The pendulum of S4 figure 1, started at x0. */
static torsor_status solve_pendulum(problem_state *out, int count, double spacing, double x0) {
  for (int n = 0; n < count; ++n) {
    problem_state *s = &out[n];
    *s = (problem_state){0};
    pendulum_motion(s->q, s->v, n * spacing, x0);
    s->lambda[0] = pendulum_lambda(n * spacing, x0);
    s->a[0] = -s->lambda[0] * s->q[0];
    s->a[1] = -s->lambda[0] * s->q[1] - PENDULUM_GRAVITY;
  }
  return TORSOR_OK;
}

static torsor_status solve_pendulum_0(problem_state *out, int count, double spacing) {
  return solve_pendulum(out, count, spacing, 0);
}

static torsor_status solve_pendulum_02(problem_state *out, int count, double spacing) {
  return solve_pendulum(out, count, spacing, 0.2);
}

static const problem_signal soi2_signals[] = {
    {"q", PROBLEM_Q, 0, 2, false},        {"v", PROBLEM_V, 0, 2, false},
    {"a", PROBLEM_A, 0, 2, false},        {"lambda", PROBLEM_LAMBDA, 0, 1, false},
    {"psi", PROBLEM_LAMBDA, 1, 1, false}, {0}};

static torsor_status solve_soi2(problem_state *out, int count, double spacing) {
  for (int n = 0; n < count; ++n) {
    out[n] = (problem_state){0};
    soi2_exact(n * spacing, out[n].q, out[n].v, out[n].a, out[n].lambda);
  }
  return TORSOR_OK;
}

static const problem_signal jay_7_1_signals[] = {{"q", PROBLEM_Q, 0, 2, false},
                                                 {"v", PROBLEM_V, 0, 2, false},
                                                 {"a", PROBLEM_A, 0, 2, false},
                                                 {"psi", PROBLEM_LAMBDA, 0, 1, false},
                                                 {0}};

static torsor_status solve_jay_7_1(problem_state *out, int count, double spacing) {
  for (int n = 0; n < count; ++n) {
    out[n] = (problem_state){0};
    jay_7_1_exact(n * spacing, out[n].q, out[n].v, out[n].a, out[n].lambda);
  }
  return TORSOR_OK;
}

static const problem_signal disk_signals[] = {{"q", PROBLEM_Q, 0, 5, false},
                                              {"v", PROBLEM_V, 0, 5, false},
                                              {"a", PROBLEM_A, 0, 5, false},
                                              {"psi", PROBLEM_LAMBDA, 0, 2, false},
                                              {0}};

/* Steps of the reference's Runge-Kutta method (s) leave errors of 1e-10 at t = 10. */
static const double DISK_STEP = 1e-3;

static torsor_status solve_disk(problem_state *out, int count, double spacing) {
  rolling_disk_state *motion = calloc((size_t)count, sizeof *motion);
  if (!motion) return TORSOR_MEMORY;
  rolling_disk_reference(motion, count, spacing, (int)(spacing / DISK_STEP) + 1);
  for (int n = 0; n < count; ++n) {
    out[n] = (problem_state){0};
    memcpy(out[n].q, motion[n].q, sizeof motion[n].q);
    memcpy(out[n].v, motion[n].v, sizeof motion[n].v);
    memcpy(out[n].a, motion[n].a, sizeof motion[n].a);
    memcpy(out[n].lambda, motion[n].psi, sizeof motion[n].psi);
  }
  free(motion);
  return TORSOR_OK;
}

static const problem_signal hht_signals[] = {{"q", PROBLEM_Q, 0, 2, false},
                                             {"v", PROBLEM_V, 0, 2, false},
                                             {"a", PROBLEM_A, 0, 2, false},
                                             {"lambda", PROBLEM_LAMBDA, 0, 1, false},
                                             {0}};

/* v' = f + the multiplier's part; q and v are their own derivatives: q = (e^t, e^-2t). */
static torsor_status solve_hht(problem_state *out, int count, double spacing) {
  for (int n = 0; n < count; ++n) {
    double f[2];
    out[n] = (problem_state){0};
    hht_5_1_exact(n * spacing, out[n].q, out[n].v, f, out[n].lambda);
    out[n].a[0] = out[n].v[0];
    out[n].a[1] = -2 * out[n].v[1];
  }
  return TORSOR_OK;
}

static const problem_signal bar_signals[] = {
    {"centre", PROBLEM_Q, 0, 2, false},      {"angle", PROBLEM_Q, 2, 1, false},
    {"rate", PROBLEM_V, 2, 1, false},        {"a", PROBLEM_A, 0, 3, false},
    {"lambda", PROBLEM_LAMBDA, 0, 2, false}, {0}};

/* Steps of the reference's Runge-Kutta method (s) leave errors of 1e-14. */
static const double BAR_STEP = 1e-4;

static torsor_status solve_bar(problem_state *out, int count, double spacing) {
  double *all = calloc((size_t)count, 11 * sizeof *all);
  if (!all) return TORSOR_MEMORY;
  double *q = all, *v = q + 3 * count, *a = v + 3 * count, *lambda = a + 3 * count;
  hht_pendulum_reference(q, v, a, lambda, count, spacing, (int)(spacing / BAR_STEP) + 1);
  for (int n = 0; n < count; ++n) {
    out[n] = (problem_state){0};
    memcpy(out[n].q, q + 3 * n, 3 * sizeof *q);
    memcpy(out[n].v, v + 3 * n, 3 * sizeof *v);
    memcpy(out[n].a, a + 3 * n, 3 * sizeof *a);
    memcpy(out[n].lambda, lambda + 2 * n, 2 * sizeof *lambda);
  }
  free(all);
  return TORSOR_OK;
}

/* ---- on Lie groups ----------------------------------------------------------------------- */

static const problem_signal top_signals[] = {
    {"rotation", PROBLEM_Q, 3, 4, true},      {"position", PROBLEM_Q, 0, 3, false},
    {"velocity", PROBLEM_V, 0, 3, false},     {"angular_velocity", PROBLEM_V, 3, 3, false},
    {"acceleration", PROBLEM_A, 0, 3, false}, {"angular_acceleration", PROBLEM_A, 3, 3, false},
    {"lambda", PROBLEM_LAMBDA, 0, 3, false},  {0}};

static const problem_signal turning_signals[] = {{"rotation", PROBLEM_Q, 0, 4, true},
                                                 {"angular_velocity", PROBLEM_V, 0, 3, false},
                                                 {"angular_acceleration", PROBLEM_A, 0, 3, false},
                                                 {0}};

/* Steps of the reference's Runge-Kutta method (s) leave errors of 1e-13. */
static const double TOP_STEP = 2e-5;

static void store_top(problem_state *out, const heavy_top_motion *m, heavy_top_group group) {
  *out = (problem_state){0};
  const int turn = group == HEAVY_TOP_SO3 ? 0 : 3;
  v3_store(out->v + turn, m->omega);
  v3_store(out->a + turn, m->omega_derivative);
  if (group == HEAVY_TOP_SO3) {
    so3_store(out->q, m->R);
    return;
  }
  v3 velocity = m->velocity, acceleration = m->acceleration;
  if (group == HEAVY_TOP_SE3) {
    velocity = so3_rotate_inverse(m->R, velocity);
    acceleration = v3_sub(so3_rotate_inverse(m->R, acceleration), v3_cross(m->omega, velocity));
  }
  se3_store(out->q, (se3){m->R, m->x});
  v3_store(out->v, velocity);
  v3_store(out->a, acceleration);
  v3_store(out->lambda, m->lambda);
}

static torsor_status solve_top(problem_state *out, int count, double spacing,
                               heavy_top_group group) {
  heavy_top_motion *motion = calloc((size_t)count, sizeof *motion);
  if (!motion) return TORSOR_MEMORY;
  heavy_top_reference(motion, count, spacing, (int)(spacing / TOP_STEP) + 1);
  for (int n = 0; n < count; ++n) store_top(&out[n], &motion[n], group);
  free(motion);
  return TORSOR_OK;
}

static torsor_status solve_top_r3so3(problem_state *out, int count, double spacing) {
  return solve_top(out, count, spacing, HEAVY_TOP_R3SO3);
}

static torsor_status solve_top_se3(problem_state *out, int count, double spacing) {
  return solve_top(out, count, spacing, HEAVY_TOP_SE3);
}

static torsor_status solve_top_so3(problem_state *out, int count, double spacing) {
  return solve_top(out, count, spacing, HEAVY_TOP_SO3);
}

static torsor_dense top_r3so3(void) {
  return heavy_top_dense(HEAVY_TOP_R3SO3);
}

static torsor_dense top_se3(void) {
  return heavy_top_dense(HEAVY_TOP_SE3);
}

static torsor_dense top_so3(void) {
  return heavy_top_dense(HEAVY_TOP_SO3);
}

/* ---- the table --------------------------------------------------------------------------- */

#define S0 "Jay, Reports on Computational Mathematics 181, University of Iowa, eq. "
#define S1 "Jay, Negrut: A second order extension of the generalized-alpha method, section 8"
#define S3                                                                                         \
  "Jay, Negrut: Extensions of the HHT-alpha method to differential-algebraic equations in "        \
  "mechanics, section "
#define S4 "Arnold, Bruls, Cardona, Numer. Math. 129 (2015), "

static const problem table[] = {
    {"pendulum", "mathematical pendulum from x0 = 0", S4 "example 1", 1, 0.9, pendulum_dense,
     solve_pendulum_0, pendulum_signals},
    {"pendulum-0.2", "mathematical pendulum from x0 = 0.2", S4 "example 1", 1, 0.9, pendulum_dense,
     solve_pendulum_02, pendulum_signals},
    {"t3", "q = t^3 forced by a constraint", S4 "example 2", 1, 0.9, cubic_dense, solve_cubic,
     one_multiplier},
    {"heavy-top", "heavy top on R3xSO3", S4 "section 5", 1, 0.9, top_r3so3, solve_top_r3so3,
     top_signals},
    {"heavy-top-se3", "heavy top on SE3", S4 "section 5", 1, 0.9, top_se3, solve_top_se3,
     top_signals},
    {"heavy-top-so3", "heavy top about its pivot on SO3, no constraints", S4 "section 5", 1, 0.9,
     top_so3, solve_top_so3, turning_signals},
    {"jay-7.1", "nonholonomic, nonlinear in v and psi", S0 "7.1", 1, 0.2, jay_7_1_dense,
     solve_jay_7_1, jay_7_1_signals},
    {"rolling-disk", "rolling disk in five coordinates", S0 "7.2", 10, 0.2, rolling_disk_dense,
     solve_disk, disk_signals},
    {"hht-5.1", "holonomic, nonlinear in the multiplier", S3 "5.1", 1, 0.9, hht_5_1_dense,
     solve_hht, hht_signals},
    {"hht-5.2", "bar on a pin with a stiff spring and a damper", S3 "5.2", 4, 0.9,
     hht_pendulum_dense, solve_bar, bar_signals},
    {"soi2-8", "all kinds of constraints, nonlinear in the multipliers", S1, 1, 0.2, soi2_dense,
     solve_soi2, soi2_signals},
};

const problem *problem_at(int i) {
  return i >= 0 && i < (int)(sizeof table / sizeof *table) ? &table[i] : NULL;
}
