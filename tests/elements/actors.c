/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forces and drives on joint coordinates against closed solutions, on both groups. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "closed.h"

/* ---- forces on a coordinate ----------------------------------------------------------------- */

/* 0.2 c'' = -3.2 (c - 1) - 0.4 c': more than half a turn. */
static double torsion_exact(double t) {
  const double w = sqrt(15);
  return 1 + exp(-t) * (19 / w * sin(w * t) - cos(w * t));
}
static const closed_case torsion = {
    "torsional pendulum",
    ROTOR(", \"angular_velocity\": [0, 0, 20]", "",
          "{\"name\": \"wire\", \"type\": \"coordinate_spring\", \"coordinate\": \"axle.angle\","
          " \"stiffness\": 3.2, \"damping\": 0.4, \"rest\": 1}"),
    "axle.angle",
    torsion_exact,
    0.01,
    2};

/* 0.2 c'' = 0.8 cos 2t. */
static double motor_exact(double t) {
  return 1 - cos(2 * t);
}
static const closed_case motor = {
    "given moment",
    ROTOR(", \"angular_velocity\": [0, 0, 0]", "",
          "{\"name\": \"motor\", \"type\": \"coordinate_force\", \"coordinate\": \"axle.angle\","
          " \"effort\": \"0.8*cos(2*t)\"}"),
    "axle.angle",
    motor_exact,
    0.01,
    2};

/* 0.2 c'' = 5 (4 + t - c) + 2 (1 - c'): critically damped, more than half a turn. */
static double servo_exact(double t) {
  return 4 + t - (4 + 21 * t) * exp(-5 * t);
}
#define SERVO(more)                                                                                \
  ROTOR(", \"angular_velocity\": [0, 0, 0]", "",                                                   \
        "{\"name\": \"servo\", \"type\": \"actuator\", \"coordinate\": \"axle.angle\","            \
        " \"target\": \"4 + t\", \"kp\": 5, \"kd\": 2" more "}")
static const closed_case servo = {"actuator", SERVO(""), "axle.angle", servo_exact, 0.01, 2};

/* 0.2 w' = -0.3 tanh(w/0.05): sinh(w/0.05) = sinh(w(0)/0.05) exp(-30 t). */
static double friction_rate(double t) {
  return 0.05 * asinh(sinh(60) * exp(-30 * t));
}
#define RUBBED                                                                                     \
  ROTOR(", \"angular_velocity\": [0, 0, 3]", "",                                                   \
        "{\"name\": \"seal\", \"type\": \"friction\", \"coordinate\": \"axle.angle\","             \
        " \"coulomb\": 0.3, \"rate_width\": 0.05}")
static const closed_case friction = {"friction", RUBBED, "axle.rate", friction_rate, 2e-3, 2.4};

static void forces_on_coordinates(void **state) {
  (void)state;
  closed_check(&torsion);
  closed_check(&motor);
  closed_check(&servo);
  closed_check(&friction);
}

/* The first effort is the limit; at the end the error has died out as (4 + 21 t) exp(-5 t), with
 * the delay that the limit costs: less than one second. */
static void actuator_settles_within_its_limit(void **state) {
  (void)state;
  static const char *const signals[] = {"axle.angle", "servo.effort", NULL};
  support_trace trace = closed_run(SERVO(", \"limit\": 6"), signals, "SE3", 0.01, 6);
  double largest = 0;
  for (int i = 0; i < trace.rows; ++i)
    largest = check_max(largest, fabs(support_row(&trace, i)[2]));
  const double *early = support_row(&trace, 10), *last = support_row(&trace, trace.rows - 1);
  CHECK_NEAR(largest, 6, 0);
  CHECK_NEAR(early[1], 30 * 0.01 / 2, 20 * CHECK_EPS); /* 6/0.2 t^2/2 at t = 0.1 */
  const double bound = (4 + 21 * 5) * exp(-5 * 5.0);
  check_report("limited actuator: distance to the target", fabs(last[1] - 10), bound);
  CHECK_LE(fabs(last[1] - 10), bound);
  support_trace_release(&trace);
}

/* Coulomb's rotor stops at 2 s.  The smooth one turns w^2 pi^2/12 J/mu farther (the integral of
 * w coth) and has the rate w asinh(1/2) at 2 s; what it loses is the work of the friction. */
static void friction_stops_a_rotor(void **state) {
  (void)state;
  static const char *const signals[] = {"axle.angle", "axle.rate", "seal.effort", "energy.total",
                                        NULL};
  double turned[2], at_stop[2], imbalance[2];
  for (int k = 0; k < 2; ++k) {
    const double h = 2e-3 / (1 + k);
    support_trace trace = closed_run(RUBBED, signals, "R3xSO3", h, 2.6);
    double work = 0;
    for (int i = 1; i < trace.rows; ++i) {
      const double *a = support_row(&trace, i - 1), *b = support_row(&trace, i);
      work -= h * (a[2] * a[3] + b[2] * b[3]) / 2;
    }
    const double *last = support_row(&trace, trace.rows - 1);
    turned[k] = fabs(last[1] - (0.2 / 0.3) * (4.5 + 0.0025 * PI * PI / 12));
    at_stop[k] = fabs(support_row(&trace, (int)lround(2 / h))[2] - 0.05 * asinh(0.5));
    imbalance[k] = fabs(support_row(&trace, 0)[4] - last[4] - work);
    support_trace_release(&trace);
  }
  /* Of order 2: at h/2 a third of what halving the step changed is left; twice that is allowed. */
  check_report("friction: way", turned[1], 2 * turned[0] / 4);
  check_report("friction: rate at 2 s", at_stop[1], 2 * at_stop[0] / 4);
  check_report("friction: energy less work", imbalance[1], 2 * imbalance[0] / 4);
  CHECK_LE(turned[1], 2 * turned[0] / 4);
  CHECK_LE(at_stop[1], 2 * at_stop[0] / 4);
  CHECK_LE(imbalance[1], 2 * imbalance[0] / 4);
  CHECK_LE(turned[0], 1e-4);
}

/* The effort at the start, for rates on both sides of the peak. */
static void stribeck_curve(void **state) {
  (void)state;
  static const char *const signals[] = {"seal.effort", NULL};
  static const double rates[] = {-4, -0.3, 0.02, 0.1, 0.5, 2};
  for (size_t i = 0; i < sizeof rates / sizeof *rates; ++i) {
    char text[1200];
    snprintf(text, sizeof text,
             ROTOR(", \"angular_velocity\": [0, 0, %g]", "",
                   "{\"name\": \"seal\", \"type\": \"friction\", \"coordinate\": \"axle.angle\","
                   " \"coulomb\": 0.3, \"static\": 0.7, \"stribeck_rate\": 0.4, \"viscous\": 0.1,"
                   " \"rate_width\": 0.05}"),
             rates[i]);
    support_trace trace = closed_run(text, signals, "SE3", 1e-3, 0);
    const double v = rates[i], s = v / 0.4;
    const double exact = -(0.3 + 0.4 * exp(-s * s)) * tanh(v / 0.05) - 0.1 * v;
    CHECK_NEAR(support_row(&trace, 0)[1], exact,
               8 * CHECK_EPS); /* some operations on values of 1 */
    support_trace_release(&trace);
  }
}

/* ---- stops ---------------------------------------------------------------------------------- */

/* Rate after a blow on a stop, and how far it went beyond it. */
static double rebound(const char *dissipation, double rate, double h, double *deepest) {
  static const char *const signals[] = {"axle.rate", "axle.angle", NULL};
  char text[1200];
  snprintf(text, sizeof text,
           ROTOR(", \"angular_velocity\": [0, 0, %g]", "",
                 "{\"name\": \"stop\", \"type\": \"stop\", \"coordinate\": \"axle.angle\","
                 " \"lower\": -0.3, \"upper\": 0.3, \"stiffness\": 400, \"dissipation\": %s}"),
           rate, dissipation);
  support_trace trace = closed_run(text, signals, "R3xSO3", h, 0.3);
  *deepest = 0;
  for (int i = 0; i < trace.rows; ++i)
    *deepest = check_max(*deepest, fabs(support_row(&trace, i)[2]) - 0.3);
  const double after = support_row(&trace, trace.rows - 1)[1];
  support_trace_release(&trace);
  return after;
}

/* v/b - ln(1 + b v)/b^2 is the same before and after a blow with 1 + b d'. */
static double exact_rebound(double b, double v) {
  const double before = b * v - log1p(b * v);
  double low = 0, high = v;
  for (int i = 0; i < 200; ++i) {
    const double middle = (low + high) / 2;
    if (-b * middle - log1p(-b * middle) < before)
      low = middle;
    else
      high = middle;
  }
  return -low;
}

/* The error at h/2 is less than what halving the step changed, for any order above 1. */
static void stop_gives_back(void **state) {
  (void)state;
  double deepest;
  for (int k = 0; k < 2; ++k) {
    const char *const b = k ? "0.3" : "0";
    const double coarse = rebound(b, 2, 2e-4, &deepest), fine = rebound(b, 2, 1e-4, &deepest);
    const double exact = k ? exact_rebound(0.3, 2) : -2;
    print_message("  dissipation %s: %.9g after 2 rad/s\n", b, fine);
    check_report("rebound", fabs(fine - exact), fabs(coarse - fine));
    CHECK_LE(fabs(fine - exact), fabs(coarse - fine));
    CHECK_LE(fabs(coarse - fine), 1e-3);
    CHECK_NEAR(rebound(b, -2, 1e-4, &deepest), -fine, 1e-12); /* the lower stop: round-off */
    /* All energy in the spring: J v^2/2 = k d^2.5/2.5; a step misses the peak by less than
     * c'' h^2/8. */
    const double depth = pow(0.4 * 2.5 / 400, 0.4);
    if (k == 0) CHECK_NEAR(deepest, depth, fabs(coarse - fine));
  }
}

/* ---- drives --------------------------------------------------------------------------------- */

/* A rod with its frame in the hinge: J = 0.3 + 2 0.5^2 = 0.8 about y, weight 2 9.81 at 0.5 m; the
 * angle about y turns x to -z. */
#define ROD(more, motion)                                                                          \
  "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [" BODY(                                \
      "rod",                                                                                       \
      more) "], \"joints\": [{\"name\": \"hinge\", \"type\": \"revolute\", \"axis\": [0, 1, 0],"   \
            " \"a\": \"ground\", \"b\": {\"body\": \"rod\", \"position\": [%s, 0, 0]}},"           \
            " {\"name\": \"motor\", \"type\": \"drive\", \"coordinate\": \"hinge.angle\","         \
            " \"motion\": " motion "}]}"

/* Largest errors of the angle and of the effort J f'' - m g l cos f. */
static void driven(double *angle, double *effort, const char *text, const char *group, double h,
                   double (*f)(double t), double (*second)(double t)) {
  static const char *const signals[] = {"hinge.angle", "motor.effort", NULL};
  support_trace trace = closed_run(text, signals, group, h, 5);
  *angle = closed_off(&trace, 1, f);
  *effort = 0;
  for (int i = 0; i < trace.rows; ++i) {
    const double *row = support_row(&trace, i);
    const double exact = 0.8 * second(row[0]) - 9.81 * cos(f(row[0]));
    *effort = check_max(*effort, fabs(row[2] - exact));
  }
  support_trace_release(&trace);
}

static double parabola(double t) {
  return 0.4 * t * t;
}
static double parabola_second(double t) {
  (void)t;
  return 0.8;
}
static double swing(double t) {
  return 2 * sin(2 * t);
}
static double swing_second(double t) {
  return -8 * sin(2 * t);
}

/* Constant angular acceleration about a fixed frame: the angle of up to 10 rad is exact to 1e-12,
 * and the effort is what the motion asks for, of up to 10.5 N m. */
static void drive_is_inverse_dynamics(void **state) {
  (void)state;
  char text[1000];
  snprintf(text, sizeof text,
           ROD(", \"center_of_mass\": [0.5, 0, 0]",
               "{\"value\": \"0.4*t^2\", \"rate\": \"0.8*t\", \"second\": 0.8}"),
           "0");
  for (int g = 0; g < 2; ++g) {
    double angle, effort;
    driven(&angle, &effort, text, closed_groups[g], 0.01, parabola, parabola_second);
    const double bound = closed_given(10.5);
    print_message("  %s\n", closed_groups[g]);
    check_report("driven angle, 10 rad", angle, 1e-12);
    check_report("effort, constant acceleration", effort, bound);
    CHECK_LE(angle, 1e-12);
    CHECK_LE(effort, bound);
  }
}

/* Frame in the centre of mass: the effort, of up to 16 N m, is that of the drive at any step. */
static void effort_of_a_swing(void **state) {
  (void)state;
  char text[1000];
  snprintf(text, sizeof text,
           ROD(", \"position\": [0.5, 0, 0]",
               "{\"value\": \"2*sin(2*t)\", \"rate\": \"4*cos(2*t)\", \"second\":"
               " \"-8*sin(2*t)\"}"),
           "-0.5");
  for (int g = 0; g < 2; ++g) {
    print_message("  %s\n", closed_groups[g]);
    for (int k = 0; k < 2; ++k) {
      double angle, effort;
      driven(&angle, &effort, text, closed_groups[g], k ? 5e-3 : 0.01, swing, swing_second);
      check_report("driven angle, 2 rad", angle, 1e-12);
      check_report("effort of a swing", effort, closed_given(16));
      CHECK_LE(angle, 1e-12);
      CHECK_LE(effort, closed_given(16));
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_on_coordinates),  cmocka_unit_test(actuator_settles_within_its_limit),
      cmocka_unit_test(friction_stops_a_rotor), cmocka_unit_test(stribeck_curve),
      cmocka_unit_test(stop_gives_back),        cmocka_unit_test(drive_is_inverse_dynamics),
      cmocka_unit_test(effort_of_a_swing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
