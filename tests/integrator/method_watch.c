/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Steps that do not show what happens within them: velocities that jump, and steps that are too
 * coarse. */
#include "check.h"
#include "integrator/method.h"
#include "problems/trial.h"
#include "support.h"

#include <stdio.h>

static const char *const methods[] = {"radau",   "rattle", "hht_odae", "soi2", "generalized_alpha",
                                      "explicit"};
enum { METHODS = 6 };

/* ---- a drive and a force on a line -------------------------------------------------------- */

enum { JUMP = 1, CORNER, SMOOTH }; /* of the speed, of its first rate, of neither */

typedef struct line {
  int motion;
} line;

static void mass(void *data, double t, const double *q, double *M) {
  (void)data, (void)t, (void)q;
  M[0] = M[3] = 2;
  M[1] = M[2] = 0;
}

/* The second body is pulled by a spring to the origin. */
static void force(void *data, double t, const double *q, const double *v, double *g) {
  (void)data, (void)v, (void)t;
  g[0] = 0;
  g[1] = 8 * q[1];
}

static double way(int motion, double t, double *speed) {
  const double later = fmax(0, t - 0.352);
  *speed = 0.3 + (motion == JUMP ? -0.5 * (later > 0) : motion == CORNER ? 4 * later : cos(3 * t));
  const double bend = motion == JUMP     ? -0.5 * later
                      : motion == CORNER ? 2 * later * later
                                         : sin(3 * t) / 3;
  return 0.3 * t + bend;
}

static void constraint(void *data, double t, const double *q, double *phi) {
  double speed;
  phi[0] = q[0] - way(((line *)data)->motion, t, &speed);
}

static void gradient(void *data, double t, const double *q, double *B) {
  (void)data, (void)t, (void)q;
  B[0] = 1;
  B[1] = 0;
}

static void constraint_rate(void *data, double t, const double *q, double *phi_t) {
  double speed;
  (void)q;
  way(((line *)data)->motion, t, &speed);
  phi_t[0] = -speed;
}

static void hidden(void *data, double t, const double *q, const double *v, double *phi_a) {
  const int motion = ((line *)data)->motion;
  (void)q, (void)v;
  phi_a[0] = motion == CORNER ? -4 * (t > 0.352) : motion == SMOOTH ? 3 * sin(3 * t) : 0;
}

static torsor_impulse run_line(const char *name, int motion, double scale) {
  line data = {.motion = motion};
  const torsor_dense d = {.data = &data,
                          .nq = 2,
                          .nv = 2,
                          .nl = 1,
                          .conservative = true,
                          .mass = mass,
                          .force = force,
                          .constraint = constraint,
                          .gradient = gradient,
                          .constraint_rate = constraint_rate,
                          .hidden = hidden};
  torsor_settings s = torsor_settings_default();
  double speed;
  const double q[] = {way(motion, 0, &speed), 0.1};
  const double v[] = {speed, 0};
  s.method = name;
  if (!strcmp(name, "hht_odae")) s.alpha = torsor_alpha_hht(-0.1);
  s.step = 0.01 * scale;
  trial t = trial_open(&d, &s, q, v);
  for (int n = 0; n < 100; ++n) trial_step(&t);
  const torsor_impulse found = torsor_integrator_impulse(t.integrator);
  trial_close(&t);
  return found;
}

/* The speed falls by 0.5 m/s in the step from 0.35 to 0.36 s, and in no other one; an acceleration
 * that jumps is none. */
static void jumps_of_a_drive(void **state) {
  (void)state;
  for (int i = 0; i < METHODS; ++i) {
    const torsor_impulse jump = run_line(methods[i], JUMP, 1);
    print_message("  %s: %ld, row %d, by %.6f at %.3f\n", methods[i], jump.count, jump.constraint,
                  jump.size, jump.t);
    CHECK_INT(jump.count, 1);
    CHECK_INT(jump.constraint, 0);
    CHECK_INT(jump.velocity, 0);
    CHECK_NEAR(jump.t, 0.36, 1e-12);
    CHECK_NEAR(jump.h, 0.01, 1e-12);
    /* what the methods leave of B v */
    CHECK_NEAR(jump.size, 0.5, 1e-8);
    CHECK_INT(run_line(methods[i], CORNER, 1).count, 0);
    CHECK_INT(run_line(methods[i], SMOOTH, 1).count, 0);
  }
}

/* ---- scenes ------------------------------------------------------------------------------- */

static void run(support_trace *trace, torsor_summary *summary, const char *text) {
  support_world world;
  torsor_error error = {0};
  *trace = (support_trace){0};
  if (support_open(&world, text, NULL, &error)) print_error("%s\n", error.message);
  const torsor_status status = support_run(trace, summary, &world, &error);
  if (status) print_error("%s\n", error.message);
  CHECK_INT(status, TORSOR_OK);
  support_close(&world);
}

#define SLIDER                                                                                     \
  "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"rigid_body\", \"mass\": 1, "         \
  "\"inertia\": [0.1, 0.1, 0.1]}], \"joints\": [{\"name\": \"r\", \"type\": \"prismatic\", "       \
  "\"axis\": [1, 0, 0], \"a\": \"ground\", \"b\": \"b\"}, {\"name\": \"act\", \"type\": "          \
  "\"drive\", \"coordinate\": \"r.travel\", \"motion\": {\"value\": \"%s\", \"rate\": \"%s\", "    \
  "\"second\": 0}}], \"simulation\": {\"method\": \"%s\", \"step\": 1e-3, \"duration\": 1}}"

/* The words name the drive, and the force beside the jump is the right one: none. */
static void a_drive_is_named(void **state) {
  (void)state;
  for (int i = 0; i < METHODS; ++i) {
    char text[1500];
    support_trace trace;
    torsor_summary summary;
    snprintf(text, sizeof text, SLIDER, "t<0.5?0.1*t:0.05", "t<0.5?0.1:0", methods[i]);
    run(&trace, &summary, text);
    print_message("  %s: %s\n", methods[i], trace.warnings);
    CHECK_CONTAINS(trace.warnings, "an impulse: drive \"act\" changes its speed by 0.1 ");
    support_trace_release(&trace);
    snprintf(text, sizeof text, SLIDER, "0.1*t", "0.1", methods[i]);
    run(&trace, &summary, text);
    CHECK_STR(trace.warnings, "");
    support_trace_release(&trace);
  }
}

/* A spring of h omega on a body: 2 pi/(h omega) steps a period.  The phase of methods of order 2 is
 * off by (h omega)^2/24 to /12 of it, 3 % of a radian in 1.5 periods at 0.2 and 0.3 % at 0.06:
 * reported of more than 5 % are 0.5 and more. */
static void coarse_steps(void **state) {
  (void)state;
  static const struct {
    double h_omega;
    int reported[METHODS]; /* -1: either */
  } runs[] = {{0.02, {0, 0, 0, 0, 0, 0}}, {0.5, {0, 1, 1, 1, 1, 0}}, {1.5, {1, 1, 1, 1, 1, 0}}};
  for (size_t k = 0; k < sizeof runs / sizeof *runs; ++k)
    for (int i = 0; i < METHODS; ++i) {
      char text[1000];
      support_trace trace;
      torsor_summary summary;
      const double h = 0.01, omega = runs[k].h_omega / h;
      snprintf(text, sizeof text,
               "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"point_mass\", \"mass\": "
               "1, \"position\": [1.2, 0, 0]}], \"forces\": [{\"name\": \"s\", \"type\": "
               "\"spring_damper\", \"a\": \"ground\", \"b\": \"b\", \"stiffness\": %.17g, "
               "\"length\": 1}], \"simulation\": {\"method\": \"%s\", \"step\": %.17g, "
               "\"duration\": %.17g}}",
               omega * omega, methods[i], h, h * ceil(4 * 6.2831853071795862 / (omega * h)));
      run(&trace, &summary, text);
      print_message("  h omega = %g, %s: %s\n", runs[k].h_omega, methods[i], trace.warnings);
      if (runs[k].reported[i])
        CHECK_CONTAINS(trace.warnings, " s are too coarse: their errors add up to about");
      else
        CHECK_STR(trace.warnings, "");
      support_trace_release(&trace);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jumps_of_a_drive),
      cmocka_unit_test(a_drive_is_named),
      cmocka_unit_test(coarse_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
