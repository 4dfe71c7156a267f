/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ropes over sheaves: lengths, Atwood's machine, the capstan, a tackle, winches and drums, with
 * closed solutions; balances and orders by every method, on both groups. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "closed.h"

static const double g = 9.81;
static const char *const methods[] = {"generalized_alpha", "soi2", "hht_odae", "radau"};
enum { METHODS = 4 };

/* Runs a scene; the caller releases the trace.  `more` goes into "simulation". */
static support_trace run(const char *text, const char *method, const char *group, double h,
                         double duration, const char *more, const char *const *signals) {
  char simulation[300], set_group[40];
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  snprintf(simulation, sizeof simulation,
           "simulation={\"method\": \"%s\", \"step\": %.17g, \"duration\": %.17g%s}", method, h,
           duration, more);
  snprintf(set_group, sizeof set_group, "group=%s", group);
  const char *const set[] = {simulation, set_group, NULL};
  torsor_status status = support_open(&world, text, set, &error);
  if (!status)
    status = support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), signals,
                            &error);
  if (status) print_error("%s: %s (%s)\n", error.path, error.message, error.hint);
  CHECK_INT(status, TORSOR_OK);
  support_close(&world);
  return trace;
}

static const double *last_row(const support_trace *trace) {
  return support_row(trace, trace->rows - 1);
}

static void check_near(const char *what, double found, double exact, double tolerance) {
  check_report(what, fabs(found - exact), tolerance);
  CHECK_LE(fabs(found - exact), tolerance);
}

/* ---- lengths --------------------------------------------------------------------------------- */

/* The first row of a rope from (x0, y0, z0) by a sheave of the ground about z to a point mass. */
static void first_row(double *row, int room, const char *path, v3 end, const char *const *signals) {
  char text[900];
  snprintf(text, sizeof text,
           "{\"torsor\": 1, \"bodies\": [{\"name\": \"p\", \"type\": \"point_mass\", \"mass\": 1,"
           " \"position\": [%.17g, %.17g, %.17g]}], \"forces\": [{\"name\": \"r\", \"type\":"
           " \"rope\", \"EA\": 1000, \"path\": [%s, {\"end\": \"p\"}]}]}",
           end.x, end.y, end.z, path);
  support_trace trace = run(text, "generalized_alpha", "SE3", 1e-3, 1e-3, "", signals);
  for (int i = 0; i < room; ++i) row[i] = support_row(&trace, 0)[i];
  support_trace_release(&trace);
}

/* The far side of a circle of radius 0.5 about (0, 2, 0) between (-0.1, 0, 0) and (0.1, 0, 0): with
 * the distance D of an end from the centre, 2 sqrt(D^2 - R^2) + R (2 pi - 2 acos(R/D) - 2
 * atan(0.05)); and an end that is not in the sheave's plane, whose free part is sqrt(rho^2 - R^2 +
 * dz^2). */
static void test_lengths(void **state) {
  (void)state;
  static const char *const length[] = {"r.length", "r.span.0.wrap", NULL};
  static const char *const span[] = {"r.span.1", NULL};
  double row[13];
  const double away = hypot(0.1, 2), wrap = 2 * PI - 2 * acos(0.5 / away) - 2 * atan(0.05);
  first_row(row, 3,
            "{\"end\": {\"body\": \"ground\", \"position\": [-0.1, 0, 0]}}, {\"sheave\":"
            " {\"body\": \"ground\", \"position\": [0, 2, 0]}, \"axis\": [0, 0, 1], \"radius\":"
            " 0.5, \"sense\": -1}",
            (v3){0.1, 0, 0}, length);
  check_near("circle, length", row[1], 5.651339940822471, 1e-14 * 100); /* 100 round-offs */
  check_near("circle, wrap", row[2], wrap, 1e-14);
  first_row(row, 12,
            "{\"end\": {\"body\": \"ground\", \"position\": [-0.6, 0.4, 0]}}, {\"sheave\":"
            " \"ground\", \"axis\": [0, 0, 1], \"radius\": 0.2, \"sense\": -1}",
            (v3){0.7, 0.3, 0.05}, span);
  const double free = sqrt(0.7 * 0.7 + 0.3 * 0.3 - 0.2 * 0.2 + 0.05 * 0.05);
  check_near("fleet, free part", row[2], free, 1e-14);
  check_near("fleet, angle", row[5], asin(0.05 / free), 1e-14);
  check_near("fleet, tangent point", hypot(row[6], row[7]), 0.2, 1e-15);
  check_near("fleet, right angle", row[6] * (0.7 - row[6]) + row[7] * (0.3 - row[7]), 0, 1e-15);
}

/* ---- Atwood's machine ------------------------------------------------------------------------ */

/* m1 = 3 and m2 = 2 over a sheave of R = 0.1 and J = 0.02.  The start has the tensions of the
 * exact motion where it sticks, as far as one tension can be both. */
static char *atwood(double mu, double EA, double tau) {
  static char text[1500];
  snprintf(text, sizeof text,
           "{\"torsor\": 1, \"gravity\": [0, 0, %.17g], \"bodies\": [{\"name\": \"a\", \"type\":"
           " \"point_mass\", \"mass\": 3, \"position\": [0.1, 0, -1]}, {\"name\": \"b\", \"type\":"
           " \"point_mass\", \"mass\": 2, \"position\": [-0.1, 0, -1]}, {\"name\": \"wheel\","
           " \"type\": \"rigid_body\", \"mass\": 4, \"inertia\": [0.01, 0.02, 0.01]}], \"joints\":"
           " [{\"name\": \"axle\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"wheel\","
           " \"axis\": [0, 1, 0]}], \"forces\": [{\"name\": \"r\", \"type\": \"rope\", \"EA\":"
           " %.17g, \"damping_time\": %.17g, \"tension\": 23.8, \"path\": [{\"end\": \"a\"},"
           " {\"sheave\": \"wheel\", \"axis\": [0, 1, 0], \"radius\": 0.1, \"sense\": -1,"
           " \"friction\": %.17g}, {\"end\": \"b\"}]}]}",
           -g, EA, tau, mu);
  return text;
}

static const char *const atwood_signals[] = {"a.velocity.z",      "axle.rate",
                                             "r.span.0.tension",  "r.span.1.tension",
                                             "r.span.0.slipped",  "energy.balance",
                                             "energy.dissipated", "axle.force.z",
                                             "r.span.0.wrap",     NULL};

/* Where the rope sticks: a = (m1 - m2) g/(m1 + m2 + J/R^2).  Where it slips: T1 = exp(mu pi) T2 and
 * the sheave has the rest.  Mean accelerations of the second half second, so that the start, in
 * which oscillations are damped within 0.1 s, does not count.  What is left is the rope's stretch:
 * it gets longer by dT/EA of its way, 1e-5 of it, and so does its energy. */
static void check_atwood(const char *method, const char *group, double mu) {
  const double EA = 2e6, q = exp(mu * PI), m1 = 3, m2 = 2, Jr = 2, strain = 26 / EA;
  double a = (m1 - m2) * g / (m1 + m2 + Jr), T1 = m1 * (g - a), T2 = m2 * (g + a), spin = a / 0.1;
  const bool slips = T1 > q * T2;
  if (slips) {
    a = g * (m1 - q * m2) / (m1 + q * m2);
    T1 = m1 * (g - a);
    T2 = m2 * (g + a);
    spin = (T1 - T2) / Jr / 0.1;
  }
  support_trace trace = run(atwood(mu, EA, 1e-3), method, group, 1e-3, 1, "", atwood_signals);
  const double *half = support_row(&trace, trace.rows / 2), *end = last_row(&trace);
  print_message("%s, %s, %s:\n", method, group, slips ? "slips" : "sticks");
  check_near("acceleration", (half[1] - end[1]) / 0.5, a, a * 10 * strain);
  check_near("spin", (end[2] - half[2]) / 0.5, spin, spin * 100 * strain);
  check_near("tension 1", end[3], T1, T1 * 10 * strain);
  check_near("tension 2", end[4], T2, T2 * 10 * strain);
  check_near("on the axle", end[8], T1 + T2 + 4 * g, (T1 + T2) * 10 * strain);
  /* round-off of the strains, as rope_round_off has it */
  if (slips) check_near("ratio", end[3] / end[4], exp(mu * end[9]), 8e-15 * EA);
  /* Near the limit what swings at the start may slip, by less than it stretches: 3 N in 1 m. */
  if (!slips) check_near("slip", end[5], 0, mu < 0.1 ? 3 / EA : 0);
  const double slow = half[1] + 0.5 * a, fast = half[2] * 0.1 - 0.5 * a; /* what the start left */
  const double way = slips ? (a - spin * 0.1) / 2 : 0;
  check_near("slip of the rope", -end[5], way,
             slips ? fabs(slow) + fabs(fast) + way * 100 * strain : 3 / EA);
  check_near("balance", end[6], 0, 1e-6 * 50); /* 50 J of kinetic energy and more, h^2 */
  support_trace_release(&trace);
}

static void test_atwood(void **state) {
  (void)state;
  const double least = 0.03749150467416484; /* mu at which it would just stick */
  for (int m = 0; m < METHODS; ++m)
    for (int k = 0; k < 2; ++k) {
      check_atwood(methods[m], closed_groups[k], 0.2);
      check_atwood(methods[m], closed_groups[k], least / 2);
    }
  check_atwood(methods[0], closed_groups[0], 1.001 * least);
  check_atwood(methods[0], closed_groups[0], 0.999 * least);
}

/* ---- capstan --------------------------------------------------------------------------------- */

/* A weight of 10 N holds a load by one and a quarter turn about a drum that does not turn, mu =
 * 0.2: within exp(+-0.2 2.5 pi) of it. */
static void check_capstan(double load) {
  char text[1500];
  const double m1 = 10 / g, m2 = load / g, q = exp(0.5 * PI), EA = 1e5;
  static const char *const signals[] = {"b.velocity.x", "r.span.0.tension", "r.span.1.tension",
                                        "r.span.0.wrap", NULL};
  snprintf(text, sizeof text,
           "{\"torsor\": 1, \"bodies\": [{\"name\": \"a\", \"type\": \"point_mass\", \"mass\":"
           " %.17g, \"position\": [-0.1, 0, -1]}, {\"name\": \"b\", \"type\": \"point_mass\","
           " \"mass\": %.17g, \"position\": [0.9, 0, 0.1]}], \"forces\": [{\"name\": \"pull\","
           " \"type\": \"force\", \"at\": \"a\", \"force\": [0, 0, -10]}, {\"name\": \"load\","
           " \"type\": \"force\", \"at\": \"b\", \"force\": [%.17g, 0, 0]}, {\"name\": \"r\","
           " \"type\": \"rope\", \"EA\": %.17g, \"damping_time\": 5e-3, \"tension\": 10, \"path\":"
           " [{\"end\": \"a\"}, {\"sheave\": \"ground\", \"axis\": [0, 1, 0], \"radius\": 0.1,"
           " \"sense\": 1, \"friction\": 0.2, \"turns\": 1}, {\"end\": \"b\"}]}]}",
           m1, m2, load, EA);
  support_trace trace = run(text, "generalized_alpha", "SE3", 1e-3, 0.6, "", signals);
  const double *middle = support_row(&trace, trace.rows * 2 / 3), *end = last_row(&trace);
  const double least = load > 10 ? load - q * 10 : 10 - q * load;
  const double limit = exp(0.2 * end[4]); /* the loads swing a little about the drum */
  /* round-off of the strains, and the damping of a ratio that changes with the wrap */
  const double off = 4e-15 * EA + 2 * 5e-3 * 0.2 * fabs(end[4] - middle[4]) / 0.2;
  double a = 0;
  if (least > 0) a = load > 10 ? g * least / (load + q * 10) : -g * least / (q * load + 10);
  print_message("load of %g N, wrap %.6g:\n", load, end[4]);
  /* the strains of the rope, which change its unstrained way */
  check_near("acceleration", (end[1] - middle[1]) / 0.2, a, 100 * load / EA + 1e-6);
  if (least > 0)
    check_near("ratio", load > 10 ? end[3] / end[2] : end[2] / end[3], limit, limit * off);
  CHECK_LE(end[3] / end[2], limit * (1 + off));
  CHECK_LE(end[2] / end[3], limit * (1 + off));
  support_trace_release(&trace);
}

static void test_capstan(void **state) {
  (void)state;
  const double loads[] = {60, 48.0, 20, 10, 2.1, 1.5};
  for (int i = 0; i < 6; ++i) check_capstan(loads[i]);
}

/* ---- tackle ---------------------------------------------------------------------------------- */

/* A block with two sheaves below two that are fixed, so that four parts carry it; the rope leaves
 * the last sheave downwards to a hand of 1 kg that pulls. */
static char *tackle(double mass, const char *pull, double tension, double mu) {
  static char text[3000];
  char path[1200] = "{\"end\": \"ground\"}";
  for (int i = 0; i < 4; ++i)
    snprintf(path + strlen(path), sizeof path - strlen(path),
             ", {\"sheave\": {\"body\": \"%s\", \"position\": [%.17g, 0, 0]}, \"axis\": [0, 1, 0],"
             " \"radius\": 0.1, \"sense\": %d, \"friction\": %.17g}",
             i % 2 ? "ground" : "block", 0.1 * (2 * i + 1), i % 2 ? 1 : -1, mu);
  snprintf(text, sizeof text,
           "{\"torsor\": 1, \"gravity\": [0, 0, %.17g], \"bodies\": [{\"name\": \"block\","
           " \"type\": \"rigid_body\", \"mass\": %.17g, \"inertia\": [1, 1, 1], \"position\":"
           " [0, 0, -3]}, {\"name\": \"hand\", \"type\": \"point_mass\", \"mass\": 1,"
           " \"position\": [0.8, 0, -1]}], \"joints\": [{\"name\": \"guide\", \"type\":"
           " \"prismatic\", \"a\": \"ground\", \"b\": \"block\", \"axis\": [0, 0, 1]}],"
           " \"forces\": [{\"name\": \"pull\", \"type\": \"force\", \"at\": \"hand\", \"force\":"
           " [0, 0, -1], \"scale\": \"%s\"}, {\"name\": \"r\", \"type\": \"rope\", \"EA\": 2e6, "
           "\"damping_time\":"
           " 2e-3, \"tension\": %.17g, \"path\": [%s, {\"end\": \"hand\"}]}]}",
           -g, mass, pull, tension, path);
  return text;
}

static const char *const tackle_signals[] = {"block.velocity.z", "hand.velocity.z",
                                             "block.position.z", "r.span.0.tension",
                                             "r.span.1.tension", "r.span.2.tension",
                                             "r.span.3.tension", "r.span.4.tension",
                                             "energy.balance",   NULL};

/* Without friction the hand's speed is four times the block's and a = (4 (F + m_h g) - m g)/(m + 16
 * m_h); with the strain of the rope, 300/2e6 of the way. */
static void test_tackle(void **state) {
  (void)state;
  for (int k = 0; k < 2; ++k) {
    support_trace trace = run(tackle(100, "300", 300, 0), "generalized_alpha", closed_groups[k],
                              1e-3, 0.5, "", tackle_signals);
    const double a = (4 * (300 + g) - 100 * g) / 116, *end = last_row(&trace);
    check_near("block's speed", end[1], a * 0.5, 2e-4 * a);
    check_near("hand's speed", end[2], -4 * end[1], 2e-4 * a);
    support_trace_release(&trace);
  }
}

/* The load of 4,000 N rests from the start, at 1,000 N in each part.  The pull grows by 100 N/s:
 * nothing moves, but for the stretch of the rope, below 2,064 N, and the load rises beyond; and as
 * it falls to 429 N, the load sinks.  While the hand pulls with F + m_h (g - a_h), the parts have
 * q, q^2, .. of it. */
static void check_range(double sign, double limit) {
  const double q = exp(-sign * 0.1 * PI), S = q + q * q + q * q * q + q * q * q * q;
  const double m = 4000 / g, rate = sign > 0 ? 200 : 80, stretch = 2000 * 12 / 2e6;
  const double start = 1000 - g, duration = ceil(10 * (fabs(limit - 1000) + 60) / rate) / 10;
  char pull[80];
  snprintf(pull, sizeof pull, "%.17g + %.17g*t", start, sign * rate);
  support_trace trace = run(tackle(m, pull, 1000, 0.1), "generalized_alpha", "SE3", 2e-3, duration,
                            "", tackle_signals);
  double before = 0;
  const double *end = last_row(&trace);
  for (int i = 0; i < trace.rows; ++i) {
    const double *row = support_row(&trace, i);
    const double F = start + sign * rate * row[0] + g;
    if (sign * (limit - F) > 1) before = check_max(before, fabs(row[3] + 3));
  }
  print_message("pull %s\n", sign > 0 ? "grows" : "falls");
  check_near("moved while held", before, 0, stretch);
  CHECK_LE(2 * before, sign * (end[3] + 3)); /* and then it moves far more */
  const double F = start + sign * rate * end[0] + g, a = (S * F - m * g) / (m + 4 * S);
  const double T = F - 4 * a;
  for (int i = 0; i < 4; ++i) {
    const double exact = T * pow(q, 4 - i);
    check_near("tension", end[4 + i], exact, exact * 1e-3); /* oscillations of the stretch */
  }
  check_near("balance", end[9], 0, 0.02); /* J, of 4,000 N on the way: 1e-3 at this step */
  support_trace_release(&trace);
}

static void test_range(void **state) {
  (void)state;
  check_range(1, 2063.811543397326);
  check_range(-1, 429.02426930924827);
}

/* ---- winches --------------------------------------------------------------------------------- */

/* A payload of 200 kg on 20 m of rope that a winch takes in at 0.25 m/s, by DOP853 at 1e-13. */
static const char winch[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"load\", \"type\":"
    " \"point_mass\", \"mass\": 200, \"position\": [0, 0, \"-20*(1 + 200*9.81/2e5)\"]}],"
    " \"forces\": [{\"name\": \"r\", \"type\": \"rope\", \"EA\": 2e5, \"unstrained\": 20,"
    " \"pay_in\": \"0.25*t\", \"path\": [{\"end\": \"ground\"}, {\"end\": \"load\"}]}]}";

static void test_winch(void **state) {
  (void)state;
  static const char *const signals[] = {"load.position.z", "load.velocity.z", "r.span.0.tension",
                                        "r.work",          "energy.balance",  NULL};
  static const double exact[][3] = {{18.899525212718803, 0.30395959672084244, 1594.93560233388},
                                    {15.170479656716834, 0.05939991326839771, 2273.062089557776},
                                    {10.068146143981842, 0.27245842809662574, 1362.922879636841},
                                    {5.054026259150494, -0.09750215088807023, 2161.05036601979}};
  static const int at[] = {5, 20, 40, 60};
  /* Of order 5: half the step has 1/32 of the error, below 1e-9 at 1/200 s. */
  support_trace trace = run(winch, "radau", "SE3", 2e-3, 60, ", \"rtol\": 1e-12", signals);
  for (int i = 0; i < 4; ++i) {
    const double *row = support_row(&trace, (int)lround(at[i] / 2e-3));
    CHECK_LE(fabs(row[0] - at[i]), 1e-9);
    check_near("place", -row[1], exact[i][0], 2e-9); /* the reference's bound, and the method's */
    check_near("speed", row[2], exact[i][1], 4e-8);  /* that times omega, up to 14 1/s */
    check_near("tension", row[3], exact[i][2], 2e5 / 5 * 4e-9); /* times EA/l */
  }
  check_near("work", last_row(&trace)[4], 29575.800080045174, 1e-5); /* tension's times the way */
  check_near("balance", last_row(&trace)[5], 0, 1e-5);
  support_trace_release(&trace);
}

/* The methods of order 2 have errors of this order. */
static void test_orders(void **state) {
  (void)state;
  static const char *const signals[] = {"load.position.z", NULL};
  for (int m = 0; m < METHODS - 1; ++m) {
    double off[2];
    for (int k = 0; k < 2; ++k) {
      support_trace trace = run(winch, methods[m], closed_groups[k], k ? 1e-3 : 2e-3, 5,
                                ", \"start\": \"plain\"", signals);
      off[k] = fabs(last_row(&trace)[1] + 18.899525212718803);
      support_trace_release(&trace);
    }
    const double order = torsor_order(off[0], off[1], 2, 1);
    print_message("%s: %.3g, %.3g\n", methods[m], off[0], off[1]);
    CHECK_ORDER(order, 2, 0.1);
  }
}

/* A drum takes in what its rim runs, and stores what is in the rope that it has wound: the motion
 * of the winch, and the torque (T + T^2/(2 EA)) R at the drive.  The energy of what is wound is
 * left out, which pulls the load aside by half the strain times R: it sways by twice that, and so
 * the rope leaves the drum at another angle, by 2 R strain/l. */
static void test_drum(void **state) {
  (void)state;
  static const char text[] =
      "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"drum\", \"type\":"
      " \"rigid_body\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1]}, {\"name\": \"load\", \"type\":"
      " \"point_mass\", \"mass\": 200, \"position\": [-0.25, 0, \"-20*(1 + 200*9.81/2e5)\"]}],"
      " \"joints\": [{\"name\": \"axle\", \"type\": \"revolute\", \"a\": \"ground\", \"b\":"
      " \"drum\", \"axis\": [0, 1, 0]}, {\"name\": \"motor\", \"type\": \"drive\", \"coordinate\":"
      " \"axle.angle\", \"motion\": \"t\"}], \"forces\": [{\"name\": \"r\", \"type\": \"rope\","
      " \"EA\": 2e5, \"unstrained\": 20, \"path\": [{\"drum\": \"drum\", \"axis\": [0, 1, 0],"
      " \"radius\": 0.25, \"sense\": -1}, {\"end\": \"load\"}]}]}";
  static const char *const motor[] = {"load.position.z", "r.span.0.tension", "motor.effort",
                                      "energy.balance", NULL};
  support_trace trace = run(text, "radau", "R3xSO3", 2e-3, 20, "", motor);
  const double *end = last_row(&trace), T = end[2];
  const double sways = 2 * 0.25 * 0.25 * 0.0115 / 15;
  check_near("place", -end[1], 15.170479656716834, sways);
  check_near("tension", T, 2273.062089557776, sways * 2e5 / 15);
  check_near("torque", fabs(end[3]), 0.25 * (T + T * T / 4e5), 1e-9 * T);
  check_near("balance", end[4], 0, 1e-4);
  support_trace_release(&trace);
}

/* ---- slack ----------------------------------------------------------------------------------- */

/* A load that is thrown up falls freely while its rope is slack, and is caught: energy is kept. */
static void test_slack(void **state) {
  (void)state;
  static const char *const signals[] = {"load.position.z", "r.tension", "energy.balance",
                                        "energy.total", NULL};
  static const char text[] =
      "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"load\", \"type\":"
      " \"point_mass\", \"mass\": 1, \"position\": [0, 0, -2], \"velocity\": [0, 0, 3]}],"
      " \"forces\": [{\"name\": \"r\", \"type\": \"rope\", \"EA\": 1e4, \"path\": [{\"end\":"
      " \"ground\"}, {\"end\": \"load\"}]}]}";
  support_trace trace = run(text, "generalized_alpha", "SE3", 1e-4, 1,
                            ", \"rho_inf\": 1, \"start\": \"plain\"", signals);
  const double *row = support_row(&trace, 3000), t = row[0];
  check_near("flight", row[1], -2 + 3 * t - g * t * t / 2,
             1e-6); /* 1e-6: strain that still pulls */
  CHECK_LE(row[2], 0);
  double highest = 0, grown = 0;
  for (int i = 0; i < trace.rows; ++i) {
    highest = check_max(highest, support_row(&trace, i)[2]);
    grown = check_max(grown, fabs(support_row(&trace, i)[4] - support_row(&trace, 0)[4]));
  }
  /* caught at 3 m/s by a spring EA/l: v sqrt(k m), and the weight */
  check_near("catch", highest, g + sqrt(9 * 5000 + g * g), 0.01 * 212);
  check_near("energy", grown, 0, 4.5 * 5000 * 1e-8); /* (omega h)^2 */
  support_trace_release(&trace);
}

/* A rope gets slack by a parabola, T = EA (e + r)^2/(4 r) at strains e of -r to r = 1e-6, which
 * meets EA e with its slope: weights that hang still at four strains, and so the law at its joints.
 */
static void test_getting_slack(void **state) {
  (void)state;
  static const char *const signals[] = {"load.position.z", "r.tension", NULL};
  static const double strains[] = {-0.5, 0.5, 0.999, 1.001, 2}; /* of r */
  for (int i = 0; i < 5; ++i) {
    const double r = 1e-6, e = strains[i] * r, EA = 1e6;
    const double T = EA * (e > r ? e : (e + r) * (e + r) / (4 * r));
    char text[700];
    double rest[3];
    snprintf(text, sizeof text,
             "{\"torsor\": 1, \"gravity\": [0, 0, -1], \"bodies\": [{\"name\": \"load\", \"type\":"
             " \"point_mass\", \"mass\": %.17g, \"position\": [0, 0, \"-(1 + 1e-6)\"]}],"
             " \"forces\": [{\"name\": \"r\", \"type\": \"rope\", \"EA\": %.17g,"
             " \"unstrained\": 1, \"path\": [{\"end\": \"ground\"}, {\"end\": \"load\"}]}]}",
             T, EA);
    closed_rest(rest, 3, text, signals);
    check_near("strain", -rest[1] - 1, e,
               1e-9 * r + 4e-16); /* the iteration's tolerance, rounding */
    check_near("tension", rest[2], T, 1e-8 * T + 1e-9);
  }
}

/* ---- equilibria ------------------------------------------------------------------------------ */

/* A weight over a sheave with friction, a quarter turn, stretches a spring: as the load grows from
 * 0 the rope slips on the sheave towards the weight, so that the spring has m g exp(-mu wrap).  A
 * motion from there stays, and so it does by methods that begin with other steps. */
static const char weight_on_spring[] =
    "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"a\", \"type\":"
    " \"point_mass\", \"mass\": 10, \"position\": [0.2, 0, -1]}, {\"name\": \"c\", \"type\":"
    " \"rigid_body\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [-2, 0, 0.2]}],"
    " \"joints\": [{\"name\": \"rail\", \"type\": \"prismatic\", \"a\": {\"body\":"
    " \"ground\", \"position\": [-2, 0, 0.2]}, \"b\": \"c\", \"axis\": [1, 0, 0]}],"
    " \"forces\": [{\"name\": \"s\", \"type\": \"spring_damper\", \"a\": {\"body\":"
    " \"ground\", \"position\": [-4, 0, 0.2]}, \"b\": \"c\", \"stiffness\": 5000}, {\"name\":"
    " \"r\", \"type\": \"rope\", \"EA\": 1e5, \"path\": [{\"end\": \"c\"}, {\"sheave\":"
    " \"ground\", \"axis\": [0, 1, 0], \"radius\": 0.2, \"sense\": 1, \"friction\": 0.1},"
    " {\"end\": \"a\"}]}]}";

static void test_equilibrium(void **state) {
  (void)state;
  static const char *const signals[] = {"r.span.1.tension", "r.span.0.tension", "r.span.0.wrap",
                                        "c.position.x", NULL};
  double rest[5];
  closed_rest(rest, 5, weight_on_spring, signals);
  const double q = exp(0.1 * rest[3]), weight = 10 * g;
  check_near("weight", rest[1], weight, 1e-8 * weight); /* tolerance of the iteration */
  check_near("spring", rest[2], weight / q, 1e-8 * weight);
  check_near("stretch", rest[4] + 2, rest[2] / 5000, 1e-8);
  for (int m = 0; m < METHODS; ++m) {
    support_trace trace = run(weight_on_spring, methods[m], closed_groups[m % 2], 1e-2, 1,
                              ", \"initial\": \"equilibrium\"", signals);
    const double *end = last_row(&trace);
    check_near(methods[m], end[4], rest[4], 1e-9);
    support_trace_release(&trace);
  }
}

/* The methods for systems without dissipation, and explicit steps, take ropes without friction. */
static void test_other_methods(void **state) {
  (void)state;
  static const char *const signals[] = {"load.position.z", "energy.balance", NULL};
  support_trace trace = run(winch, "explicit", "SE3", 1e-3, 5, ", \"order\": 8", signals);
  check_near("explicit", last_row(&trace)[1], -18.899525212718803,
             1e-11); /* the reference's 1e-9 */
  support_trace_release(&trace);
  double off[2];
  for (int k = 0; k < 2; ++k) {
    trace = run(winch, "rattle", closed_groups[k], k ? 1e-3 : 2e-3, 5, "", signals);
    off[k] = fabs(last_row(&trace)[1] + 18.899525212718803);
    support_trace_release(&trace);
  }
  const double order = torsor_order(off[0], off[1], 2, 1);
  print_message("rattle: %.3g, %.3g\n", off[0], off[1]);
  CHECK_ORDER(order, 2, 0.1);
}

/* ---- a crane --------------------------------------------------------------------------------- */

enum {
  CRANE_Z = 1,
  CRANE_A = 2,
  CRANE_TIP_X = 3,
  CRANE_TIP_Z = 4,
  CRANE_WINCH = 5,
  CRANE_HOOK = 6,
  CRANE_PENDANT = 7,
  CRANE_FLOOR = 8,
  CRANE_FROM = 9,
  CRANE_TO = 12,
  CRANE_BALANCE = 15
};

/* It lands on four corners, each of which sticks and slips: the power of friction changes by limit
 * x slip, 4,000 N at 0.2 m/s, from one step to the next. */
static void check_landing(double balance, double h) {
  check_near("balance", balance, 0, 4 * 4000 * 0.2 * h);
}

static void test_fine_crane(void **state) {
  (void)state;
  static const char *const signals[] = {"energy.balance", NULL};
  static const char *const set[] = {"simulation.step=2.5e-4", NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  support_load(&world, "crane", set);
  CHECK_INT(
      support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), signals, NULL),
      TORSOR_OK);
  check_landing(last_row(&trace)[1], 2.5e-4);
  support_trace_release(&trace);
  support_close(&world);
}

/* The shipped scene.  Its ropes have what a hand calculation gives: the winch (1 + w)^2 of the hook
 * as it lifts, the inverse as it lowers; the hook m (g + z''); at the end the ground bears the
 * load, and the pendant what the boom's weight has about its foot, at half of its reach but for its
 * sag. */
static void test_crane(void **state) {
  (void)state;
  static const char *const signals[] = {
      "load.position.z",      "load.acceleration.z",  "boom.end.position.x", "boom.end.position.z",
      "hoist.span.0.tension", "hoist.span.2.tension", "pendant.tension",     "floor.normal_force",
      "hoist.span.2.from",    "hoist.span.2.to",      "energy.balance",      NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  support_load(&world, "crane", NULL);
  CHECK_INT(
      support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), signals, NULL),
      TORSOR_OK);
  const double m = 1000, EA = 2e7, up = 1.02 * 1.02, weight = m * g;
  double lifting = 0, lowering = 0, hook = 0, highest = 0;
  for (int i = 0; i < trace.rows; ++i) {
    const double *row = support_row(&trace, i), t = row[0];
    const v3 span = v3_sub(v3_load(row + CRANE_TO), v3_load(row + CRANE_FROM));
    const double down = -span.z / v3_norm(span);
    highest = check_max(highest, row[CRANE_Z]);
    if (t > 0.25 && t < 2.75)
      lifting = check_max(lifting, fabs(row[CRANE_WINCH] - up * row[CRANE_HOOK]));
    if (t > 6 && t < 7.25)
      lowering = check_max(lowering, fabs(row[CRANE_HOOK] - up * row[CRANE_WINCH]));
    if (t > 0.5 && t < 7.25)
      hook = check_max(hook, fabs(row[CRANE_HOOK] * down - m * (g + row[CRANE_A])));
  }
  /* round-off of the strains at two sheaves */
  check_near("winch as it lifts", lifting, 0, 2 * up * 4e-15 * EA);
  check_near("winch as it lowers", lowering, 0, 2 * up * 4e-15 * EA);
  check_near("hook", hook, 0,
             1e-6 * weight); /* accelerations are those of the equations of motion */
  CHECK_GE(highest, 2);
  const double *end = last_row(&trace);
  check_near("floor at the end", end[CRANE_FLOOR], weight, 1e-3 * weight); /* it still swings */
  check_near("hoist at the end", end[CRANE_WINCH], 0, 0);
  const double boom = 0.0116 * 7850 * hypot(8, 8) * g;
  const double x = end[CRANE_TIP_X], z = end[CRANE_TIP_Z], far = hypot(x + 2, z - 8);
  const double arm = ((z - 2) * (x + 2) - x * (z - 8)) / far;
  /* sag of a beam on two supports, 5 q L^4/(384 EI) = 2.6 mm, over half of the reach */
  check_near("pendant at the end", end[CRANE_PENDANT], boom * x / 2 / arm, boom * 1e-3);
  check_landing(end[CRANE_BALANCE], 2e-3);
  support_trace_release(&trace);
  support_close(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_lengths),       cmocka_unit_test(test_atwood),
      cmocka_unit_test(test_capstan),       cmocka_unit_test(test_tackle),
      cmocka_unit_test(test_range),         cmocka_unit_test(test_winch),
      cmocka_unit_test(test_orders),        cmocka_unit_test(test_drum),
      cmocka_unit_test(test_slack),         cmocka_unit_test(test_crane),
      cmocka_unit_test(test_getting_slack), cmocka_unit_test(test_equilibrium),
      cmocka_unit_test(test_other_methods), cmocka_unit_test(test_fine_crane),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
