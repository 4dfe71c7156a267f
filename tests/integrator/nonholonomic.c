/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nonholonomic rows: closed solutions, second order of everything, both forms and both groups. */
#include <stdio.h>

#include <torsor/lie.h>

#include "check.h"
#include "problems/trial.h"
#include "support.h"

/* Largest errors of configuration, velocity, holonomic and nonholonomic multipliers. */
typedef struct errors {
  double of[4];
} errors;

static const char *const part[] = {"q", "v", "lambda", "psi"};

static void note(double *worst, double value, double exact) {
  *worst = check_max(*worst, fabs(value - exact));
}

/* A formulation under test: its settings in C and in a scene. */
typedef struct form {
  const char *name, *method;
  torsor_formulation formulation;
  bool additive;
  const char *set;
} form;

static const form forms[] = {
    {"index3", "generalized_alpha", TORSOR_INDEX3, false, "simulation.formulation=index3"},
    {"ggl", "generalized_alpha", TORSOR_GGL, false,
     "simulation={\"formulation\": \"ggl\", \"start\": \"perturbed\", \"step\": 0.01, "
     "\"duration\": 3}"},
    {"soi2", "soi2", TORSOR_INDEX3, false,
     "simulation={\"method\": \"soi2\", \"start\": \"perturbed\", \"step\": 0.01, \"duration\": "
     "3}"},
    {"soi2 additive", "soi2", TORSOR_INDEX3, true,
     "simulation={\"method\": \"soi2\", \"additive\": true, \"start\": \"perturbed\", \"step\": "
     "0.01, "
     "\"duration\": 3}"},
    {"hht", "hht_odae", TORSOR_INDEX3, false,
     "simulation={\"method\": \"hht_odae\", \"start\": \"perturbed\", \"step\": 0.01, "
     "\"duration\": 3}"},
};

static torsor_settings settings_of(double h, const form *f) {
  torsor_settings s = trial_settings(h, f->formulation, TORSOR_START_PERTURBED, 0.9);
  trial_use(&s, f->method);
  s.additive = f->additive;
  if (strcmp(f->method, "hht_odae") == 0) s.alpha = torsor_alpha_hht(-0.1);
  return s;
}

typedef errors (*measurement)(double h, const form *f);

/* Slopes from h to h/2 to h/4: second order, to a tenth, where the error is above `floor`. */
static void check_orders(measurement measure, double h, double floor) {
  for (size_t f = 0; f < sizeof forms / sizeof *forms; ++f) {
    errors before = {{0}};
    for (int level = 0; level < 3; ++level) {
      const errors now = measure(ldexp(h, -level), &forms[f]);
      print_message("  %-13s h = %.2e:", forms[f].name, ldexp(h, -level));
      for (int k = 0; k < 4; ++k) {
        const double slope = level ? log2(before.of[k] / now.of[k]) : 0;
        print_message("  |e_%s| %.2e (%.2f)", part[k], now.of[k], slope);
        if (level && before.of[k] > floor) CHECK_ORDER(slope, 2, 0.1);
      }
      print_message("\n");
      before = now;
    }
  }
}

/* ---- Chaplygin's sleigh -------------------------------------------------------------------- */

/* Mass 1 and inertia 0.5 about the centre of mass, which is 0.4 before the blade; from speed 1 and
 * spin
 * 2.  Along the blade v' = a w^2 and (J + m a^2) w' = -m a v w:
 * v = V tanh k(t + t0), w = V / sqrt(I) / cosh k(t + t0). */
#define ARM     0.4
#define INERTIA 0.5
static const double PIVOT_INERTIA = INERTIA + ARM * ARM, SPEED = 1, SPIN = 2;

typedef struct sleigh {
  double v, w, theta, psi; /* speed along the blade, spin, heading, multiplier */
} sleigh;

static double gudermann(double x) {
  return 2 * atan(tanh(x / 2));
}

static sleigh sleigh_at(double t) {
  const double V = sqrt(SPEED * SPEED + PIVOT_INERTIA * SPIN * SPIN);
  const double k = ARM * V / PIVOT_INERTIA, t0 = atanh(SPEED / V) / k;
  const double x = k * (t + t0), spin = V / sqrt(PIVOT_INERTIA);
  sleigh s = {.v = V * tanh(x), .w = spin / cosh(x)};
  s.theta = spin / k * (gudermann(x) - gudermann(k * t0));
  /* the blade pushes the body to its left by -psi */
  s.psi = -(s.v * s.w - ARM * ARM * s.v * s.w / PIVOT_INERTIA);
  return s;
}

static void sleigh_mass(void *data, double t, const double *q, double *M) {
  (void)data, (void)t, (void)q;
  memset(M, 0, 9 * sizeof *M);
  M[0] = M[4] = 1;
  M[8] = INERTIA;
}

static void sleigh_force(void *data, double t, const double *q, const double *v, double *g) {
  (void)data, (void)t, (void)q, (void)v;
  memset(g, 0, 3 * sizeof *g);
}

static void sleigh_gradient(void *data, double t, const double *q, double *B) {
  (void)data, (void)t;
  B[0] = -sin(q[2]);
  B[1] = cos(q[2]);
  B[2] = -ARM;
}

static errors measure_sleigh(double h, const form *f) {
  const torsor_dense d = {.nq = 3,
                          .nv = 3,
                          .nl = 1,
                          .nonholonomic = 1,
                          .length = ARM,
                          .mass = sleigh_mass,
                          .force = sleigh_force,
                          .gradient = sleigh_gradient};
  const torsor_settings s = settings_of(h, f);
  const double q0[3] = {0}, v0[3] = {SPEED, ARM * SPIN, SPIN};
  trial t = trial_open(&d, &s, q0, v0);
  errors e = {{0}};
  while (torsor_integrator_state(t.integrator).t < 3 - h / 2) {
    const torsor_state now = trial_step(&t);
    const sleigh exact = sleigh_at(now.t);
    const double c = cos(now.q[2]), sn = sin(now.q[2]);
    note(&e.of[0], now.q[2], exact.theta);
    note(&e.of[1], c * now.v[0] + sn * now.v[1], exact.v);
    note(&e.of[1], now.v[2], exact.w);
    note(&e.of[3], now.lambda[0], exact.psi);
    /* the blade does not slip: rounding of a sum of three terms, and Newton's tolerance */
    CHECK_NEAR(-sn * now.v[0] + c * now.v[1] - ARM * now.v[2], 0, 1e-9);
  }
  trial_close(&t);
  return e;
}

static void chaplygin_sleigh(void **state) {
  (void)state;
  check_orders(measure_sleigh, 0.04, 0);
}

/* ---- sphere on a turntable ------------------------------------------------------------------ */

/* A homogeneous sphere that rolls on a table turning at TABLE rad/s: its centre goes round a circle
 * at 2/7 of that, whatever its mass and radius.  Unknowns on R3xSO3; the height is held by a
 * holonomic row, the contact by two nonholonomic ones. */
#define TABLE  2.1
#define RADIUS 0.17
#define MASS   1.3
#define WEIGHT (MASS * 9.81)

static void ball_mass(void *data, double t, const double *q, double *M) {
  (void)data, (void)t, (void)q;
  memset(M, 0, 36 * sizeof *M);
  for (int i = 0; i < 6; ++i) M[i * 7] = i < 3 ? MASS : 0.4 * MASS * RADIUS * RADIUS;
}

static void ball_force(void *data, double t, const double *q, const double *v, double *g) {
  (void)data, (void)t, (void)q, (void)v;
  memset(g, 0, 6 * sizeof *g);
  g[2] = WEIGHT;
}

static void ball_constraint(void *data, double t, const double *q, double *phi) {
  (void)data, (void)t;
  phi[0] = q[2] - RADIUS;
}

/* z' = 0;  x' - r w_y + TABLE y = 0;  y' + r w_x - TABLE x = 0, w in inertial axes. */
static void ball_gradient(void *data, double t, const double *q, double *B) {
  (void)data, (void)t;
  const m3 R = so3_matrix(se3_load(q).R);
  memset(B, 0, 18 * sizeof *B);
  B[2] = B[6] = B[13] = 1;
  for (int j = 0; j < 3; ++j) {
    B[9 + j] = -RADIUS * R.m[1][j];
    B[15 + j] = RADIUS * R.m[0][j];
  }
}

static void ball_rate(void *data, double t, const double *q, double *phi_t) {
  (void)data, (void)t;
  phi_t[0] = 0;
  phi_t[1] = TABLE * q[1];
  phi_t[2] = -TABLE * q[0];
}

static void ball_plus(void *data, double *q1, const double *q, const double *u) {
  (void)data;
  se3_store(q1, r3so3_plus(se3_load(q), tw_load(u)));
}

static void ball_tan(void *data, double *T, const double *u) {
  (void)data;
  const m6 full = r3so3_tan(tw_load(u));
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) T[6 * i + j] = full.m[i][j];
}

static void ball_bracket(void *data, double *out, const double *a, const double *b) {
  (void)data;
  tw_store(out, r3so3_ad_apply(tw_load(a), tw_load(b)));
}

static errors measure_ball(double h, const form *f) {
  const torsor_dense d = {.nq = 7,
                          .nv = 6,
                          .nl = 3,
                          .nonholonomic = 2,
                          .length = RADIUS,
                          .mass = ball_mass,
                          .force = ball_force,
                          .constraint = ball_constraint,
                          .gradient = ball_gradient,
                          .constraint_rate = ball_rate,
                          .plus = ball_plus,
                          .tan = ball_tan,
                          .bracket = ball_bracket};
  const double x0 = 0.4, y0 = 0.1, vx = 0.3, vy = -0.2, rate = 2.0 / 7 * TABLE;
  const double q0[7] = {x0, y0, RADIUS, 1, 0, 0, 0};
  const double v0[6] = {vx, vy, 0, (TABLE * x0 - vy) / RADIUS, (vx + TABLE * y0) / RADIUS, 0.5};
  const torsor_settings s = settings_of(h, f);
  trial t = trial_open(&d, &s, q0, v0);
  errors e = {{0}};
  while (torsor_integrator_state(t.integrator).t < 4 - h / 2) {
    const torsor_state now = trial_step(&t);
    const double c = cos(rate * now.t), sn = sin(rate * now.t);
    const double v[2] = {c * vx - sn * vy, sn * vx + c * vy};
    note(&e.of[0], now.q[0], x0 + (v[1] - vy) / rate);
    note(&e.of[0], now.q[1], y0 - (v[0] - vx) / rate);
    for (int i = 0; i < 2; ++i) note(&e.of[1], now.v[i], v[i]);
    note(&e.of[2], now.lambda[0], -WEIGHT);
    note(&e.of[3], now.lambda[1], MASS * rate * v[1]);
    note(&e.of[3], now.lambda[2], -MASS * rate * v[0]);
  }
  trial_close(&t);
  return e;
}

static void sphere_on_turntable(void **state) {
  (void)state;
  check_orders(measure_ball, 0.04, 1e-9);
}

/* ---- a scene --------------------------------------------------------------------------------- */

static const char scene[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"sleigh\","
    " \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [0.3, 0.4, 0.5],"
    " \"position\": [0.4, 0, 0], \"velocity\": [1, 0.8, 0], \"angular_velocity\": [0, 0, 2]}],"
    " \"joints\": [{\"name\": \"ice\", \"type\": \"planar\", \"a\": \"ground\", \"b\": \"sleigh\"},"
    " {\"name\": \"blade\", \"type\": \"knife_edge\", \"a\": \"ground\","
    " \"b\": {\"body\": \"sleigh\", \"position\": [-0.4, 0, 0]}}],"
    " \"simulation\": {\"step\": 0.01, \"duration\": 3}}";

/* theta, w and psi of the scene at t = 3 against the closed solution. */
static errors measure_scene(double h, const form *f, const char *group) {
  char step[64];
  snprintf(step, sizeof step, "simulation.step=%.17g", h);
  const char *const set[] = {group, f->set, step, NULL};
  static const char *const signals[] = {"ice.angle",         "sleigh.angular_velocity.z",
                                        "blade.lambda",      "sleigh.velocity.x",
                                        "sleigh.velocity.y", NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  torsor_status status = support_open(&world, scene, set, &error);
  if (!status)
    status = support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), signals,
                            &error);
  if (status) print_error("%s %s\n", error.path, error.message);
  CHECK_INT(status, TORSOR_OK);
  CHECK_STR(trace.warnings, "");
  errors e = {{0}};
  for (int i = 0; i < trace.rows; ++i) {
    const double *row = support_row(&trace, i);
    const sleigh exact = sleigh_at(row[0]);
    note(&e.of[0], row[1], exact.theta);
    note(&e.of[1], row[2], exact.w);
    note(&e.of[3], row[3], exact.psi);
    const double c = cos(row[1]), s = sin(row[1]);
    note(&e.of[1], c * row[4] + s * row[5], exact.v);
  }
  support_trace_release(&trace);
  support_close(&world);
  return e;
}

static errors measure_flat(double h, const form *f) {
  return measure_scene(h, f, "group=R3xSO3");
}

static errors measure_screw(double h, const form *f) {
  return measure_scene(h, f, "group=SE3");
}

static void sleigh_in_a_scene(void **state) {
  (void)state;
  print_message(" R3xSO3\n");
  check_orders(measure_flat, 0.04, 0);
  print_message(" SE3\n");
  check_orders(measure_screw, 0.04, 0);
}

static void counted(void **state) {
  (void)state;
  support_world world;
  CHECK_INT(support_open(&world, scene, NULL, NULL), TORSOR_OK);
  torsor_check check;
  CHECK_INT(torsor_check_model(&check, world.model, NULL), TORSOR_OK);
  CHECK_INT(check.counts.holonomic, 3);
  CHECK_INT(check.counts.nonholonomic, 1);
  CHECK_INT(check.gruebler, 2);
  CHECK_INT(check.mobility, 2);
  torsor_check_destroy(&check);
  support_close(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chaplygin_sleigh), cmocka_unit_test(sphere_on_turntable),
      cmocka_unit_test(sleigh_in_a_scene), cmocka_unit_test(counted)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
