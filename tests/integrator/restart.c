/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Restart where forces are switched on the way: what the multipliers make of it without one, with
 * plain and with perturbed starting values, in index-3 form and stabilised; the grid afterwards. */
#include "check.h"
#include "problems/trial.h"

/* A bob of unit mass on a unit rod, Phi = (x^2 + y^2 - 1)/2.  A steady wind sets in where x rises
 * through WHERE. */
static const double GRAVITY = 9.81, WIND[2] = {6, 3}, WHERE = 0.3, START = 0.25, SPEED = 2;
static const double END = 0.6;

typedef struct bob {
  bool wind, by_place; /* by_place: the force itself asks where the bob is */
} bob;

static void mass(void *data, double t, const double *q, double *M) {
  (void)data, (void)t, (void)q;
  M[0] = M[3] = 1;
  M[1] = M[2] = 0;
}

static void force(void *data, double t, const double *q, const double *v, double *g) {
  const bob *b = data;
  const bool blows = b->by_place ? q[0] > WHERE : b->wind;
  (void)t, (void)v;
  g[0] = blows ? -WIND[0] : 0;
  g[1] = GRAVITY - (blows ? WIND[1] : 0);
}

static void constraint(void *data, double t, const double *q, double *phi) {
  (void)data, (void)t;
  phi[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
}

static void gradient(void *data, double t, const double *q, double *B) {
  (void)data, (void)t;
  B[0] = q[0];
  B[1] = q[1];
}

/* ---- reference: the angle from the vertical, classical Runge-Kutta in long double ----------- */

typedef struct swing {
  long double t, angle, rate;
} swing;

static long double bend(long double angle, bool wind) {
  const long double x = wind ? (long double)WIND[0] : 0;
  const long double y = (wind ? (long double)WIND[1] : 0) - (long double)GRAVITY;
  return x * cosl(angle) + y * sinl(angle);
}

static void swing_step(swing *s, long double h, bool wind) {
  const long double w1 = s->rate, a1 = bend(s->angle, wind);
  const long double w2 = w1 + h / 2 * a1, a2 = bend(s->angle + h / 2 * w1, wind);
  const long double w3 = w1 + h / 2 * a2, a3 = bend(s->angle + h / 2 * w2, wind);
  const long double w4 = w1 + h * a3, a4 = bend(s->angle + h * w3, wind);
  s->angle += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
  s->rate += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  s->t += h;
}

static void swing_to(swing *s, long double t, bool wind) {
  const int parts = 1 + (int)((t - s->t) / 1e-4L);
  const long double h = (t - s->t) / parts;
  for (int i = 0; i < parts; ++i) swing_step(s, h, wind);
}

/* The state where x = WHERE, by Newton's iteration on the last part of the way. */
static swing swing_event(void) {
  swing s = {.angle = asinl((long double)START), .rate = (long double)SPEED};
  const long double target = asinl((long double)WHERE);
  for (int k = 0; k < 8; ++k) {
    const long double t = s.t + (target - s.angle) / s.rate;
    swing_to(&s, t, false);
  }
  return s;
}

/* ---- runs ----------------------------------------------------------------------------------- */

typedef enum way { BY_PLACE, SWITCHED, RESTARTED } way;

typedef struct errors {
  double q, v, lambda; /* after the event */
  double late;         /* of lambda in the last third of the time */
  double t, event_q, event_v, before_q,
      phi; /* of the event, of the state there, and of the step before */
} errors;

static void note(double *worst, double error) {
  *worst = check_max(*worst, error);
}

static double position_error(const double *q, const swing *s) {
  return hypot(q[0] - (double)sinl(s->angle), q[1] + (double)cosl(s->angle));
}

static double velocity_error(const double *v, const swing *s) {
  return hypot(v[0] - (double)(s->rate * cosl(s->angle)),
               v[1] - (double)(s->rate * sinl(s->angle)));
}

static double tension(const swing *s, bool wind) {
  const long double x = wind ? (long double)WIND[0] : 0;
  const long double y = (wind ? (long double)WIND[1] : 0) - (long double)GRAVITY;
  return (double)(x * sinl(s->angle) - y * cosl(s->angle) + s->rate * s->rate);
}

/* Bisection on the interpolated position, down to neighbouring numbers. */
static double find_event(torsor_integrator *it, double from, double to) {
  for (;;) {
    torsor_state s;
    const double middle = from + (to - from) / 2;
    if (!(middle > from && middle < to)) return to;
    CHECK_INT(torsor_integrator_interpolate(it, middle, &s), TORSOR_OK);
    if (s.q[0] < WHERE)
      from = middle;
    else
      to = middle;
  }
}

static void note_event(errors *e, trial *t, double at, const double *q_before, double t_before) {
  torsor_state s;
  swing exact = swing_event(),
        before = {.angle = asinl((long double)START), .rate = (long double)SPEED};
  e->t = fabs(at - (double)exact.t);
  swing_to(&before, (long double)t_before, false);
  e->before_q = position_error(q_before, &before);
  CHECK_INT(torsor_integrator_interpolate(t->integrator, at, &s), TORSOR_OK);
  e->phi = fabs((s.q[0] * s.q[0] + s.q[1] * s.q[1] - 1) / 2);
}

static trial open_bob(bob *b, const torsor_settings *settings) {
  const torsor_dense d = {.data = b,
                          .nq = 2,
                          .nv = 2,
                          .nl = 1,
                          .length = 1,
                          .mass = mass,
                          .force = force,
                          .constraint = constraint,
                          .gradient = gradient};
  const double height = sqrt(1 - START * START);
  const double q0[2] = {START, -height}, v0[2] = {SPEED * height, SPEED * START};
  return trial_open(&d, settings, q0, v0);
}

static errors run(way how, const torsor_settings *settings) {
  bob b = {.by_place = how == BY_PLACE};
  trial t = open_bob(&b, settings);
  const swing event = swing_event();
  swing exact = event;
  errors e = {0};
  bool over = false;
  for (torsor_state s = torsor_integrator_state(t.integrator); s.t < END;) {
    const double before = s.t, q_before[2] = {s.q[0], s.q[1]};
    CHECK_INT(torsor_integrator_advance(t.integrator, END), TORSOR_OK);
    s = torsor_integrator_state(t.integrator);
    if (!over && s.q[0] >= WHERE) {
      over = true;
      const double at = find_event(t.integrator, before, s.t);
      note_event(&e, &t, at, q_before, before);
      b.wind = true;
      if (how == RESTARTED) CHECK_INT(torsor_integrator_restart(t.integrator, at), TORSOR_OK);
      s = torsor_integrator_state(t.integrator);
      e.event_q = position_error(s.q, &event);
      e.event_v = velocity_error(s.v, &event);
      if (how == RESTARTED) note(&e.lambda, fabs(s.lambda[0] - tension(&event, true)));
      continue;
    }
    if (!over || s.t < (double)event.t) continue;
    swing_to(&exact, (long double)s.t, true);
    const double lambda = fabs(s.lambda[0] - tension(&exact, true));
    note(&e.q, position_error(s.q, &exact));
    note(&e.v, velocity_error(s.v, &exact));
    note(&e.lambda, lambda);
    if (s.t > END * 2 / 3) note(&e.late, lambda);
  }
  CHECK_TRUE(over);
  trial_close(&t);
  return e;
}

typedef struct run_case {
  const char *title;
  way how;
  torsor_formulation formulation;
  torsor_start start;
  const char *method;
} run_case;

enum { NAIVE, LATE, PLAIN, PERTURBED, GGL, GGL_LATE, SOI2, HHT, CASES };
static const run_case cases[CASES] = {
    [NAIVE] = {"force that asks for the place", BY_PLACE, TORSOR_INDEX3, TORSOR_START_PERTURBED, 0},
    [LATE] = {"switched after the step", SWITCHED, TORSOR_INDEX3, TORSOR_START_PERTURBED, 0},
    [PLAIN] = {"plain restart", RESTARTED, TORSOR_INDEX3, TORSOR_START_PLAIN, 0},
    [PERTURBED] = {"perturbed restart", RESTARTED, TORSOR_INDEX3, TORSOR_START_PERTURBED, 0},
    [GGL] = {"GGL, restart", RESTARTED, TORSOR_GGL, TORSOR_START_PERTURBED, 0},
    [GGL_LATE] = {"GGL, switched after the step", SWITCHED, TORSOR_GGL, TORSOR_START_PERTURBED, 0},
    [SOI2] = {"SOI2, restart", RESTARTED, TORSOR_INDEX3, TORSOR_START_PERTURBED, "soi2"},
    [HHT] = {"HHT for ODAEs, restart", RESTARTED, TORSOR_INDEX3, TORSOR_START_PERTURBED,
             "hht_odae"}};

static torsor_settings settings_of(const run_case *c, double step) {
  torsor_settings s = trial_settings(step, c->formulation, c->start, 0.9);
  if (c->method) trial_use(&s, c->method);
  if (c == &cases[HHT]) s.alpha = torsor_alpha_hht(-0.1);
  s.rtol = 1e-10;
  return s;
}

static errors run_as(const run_case *c, double step) {
  const torsor_settings s = settings_of(c, step);
  return run(c->how, &s);
}

/* How far x is beyond WHERE after so many steps. */
static double miss(const run_case *c, double step, int steps) {
  const torsor_settings s = settings_of(c, step);
  bob b = {0};
  trial t = open_bob(&b, &s);
  torsor_state state = {0};
  for (int i = 0; i < steps; ++i) state = trial_step(&t);
  const double off = state.q[0] - WHERE;
  trial_close(&t);
  return off;
}

/* A step near `step` whose multiple the event is: the state there is that of a real end of a
 * step. */
static double tuned_step(const run_case *c, double step) {
  const int steps = (int)ceil((double)swing_event().t / step);
  double a = step * 0.99, b = (double)swing_event().t / steps, off_a = miss(c, a, steps);
  for (int k = 0; k < 12; ++k) {
    const double off = miss(c, b, steps);
    if (fabs(off) < 4 * CHECK_EPS) break;
    const double next = b - off * (b - a) / (off - off_a);
    a = b;
    off_a = off;
    b = next;
  }
  return b;
}

static void print_errors(const char *title, double h, const errors *e) {
  print_message("  %-30s h = %.2e  q %.1e  v %.1e  lambda %.1e, at last %.1e\n", title, h, e->q,
                e->v, e->lambda, e->late);
}

/* Where the event lies in its step differs from step size to step size, and with it what is left of
 * order 1: the order is that over three halvings, within 1/3 for what an error that varies by 2
 * leaves. */
static void restart_keeps_the_order(void **state) {
  (void)state;
  static const double steps[] = {0.02, 0.01, 0.005, 0.0025};
  errors e[CASES][4];
  for (int c = 0; c < CASES; ++c)
    for (int k = 0; k < 4; ++k) {
      e[c][k] = run_as(&cases[c], steps[k]);
      print_errors(cases[c].title, steps[k], &e[c][k]);
    }
  for (int c = 0; c < CASES; ++c) {
    const errors *a = &e[c][0], *b = &e[c][3];
    const double order[] = {log2(a->q / b->q) / 3, log2(a->v / b->v) / 3,
                            log2(a->lambda / b->lambda) / 3, log2(a->late / b->late) / 3};
    print_message("  %-30s orders: q %.2f, v %.2f, lambda %.2f, at last %.2f\n", cases[c].title,
                  order[0], order[1], order[2], order[3]);
    const bool good = c == PERTURBED || c >= GGL;
    if (good && c != GGL_LATE)
      for (int i = 0; i < 4; ++i) CHECK_NEAR(order[i], 2, 1.0 / 3);
    if (c == PLAIN) CHECK_NEAR(order[2], 1, 1.0 / 3); /* S4 section 4.1 */
  }
  /* The restarts serve this purpose: accurate multipliers. */
  CHECK_LE(10 * e[PERTURBED][3].lambda, e[PLAIN][3].lambda);
  CHECK_LE(10 * e[PLAIN][3].q, e[LATE][3].q);
}

/* The state at the event is as good as those at the ends of steps: the curve and the way back onto
 * the constraints add errors of order 4. */
static void event_state_is_good(void **state) {
  (void)state;
  for (int c = PERTURBED; c <= GGL; ++c) {
    double before = 0;
    for (int k = 0; k < 3; ++k) {
      const double h = 0.02 / (1 << k);
      const errors e = run_as(&cases[c], h);
      print_message(
          "  %s, h = %.4f: t %.1e, q %.2e and %.2e in the step before, v %.1e, Phi %.1e\n",
          cases[c].title, h, e.t, e.event_q, e.before_q, e.event_v, e.phi);
      if (before > 0) CHECK_LE(e.phi, before / 4); /* order 3 or 4 of the curve */
      before = e.phi;
    }
  }
}

/* Steps that end at the event by themselves do no better. */
static void real_ends_are_no_better(void **state) {
  (void)state;
  for (int c = PERTURBED; c <= GGL; ++c)
    for (int k = 0; k < 3; ++k) {
      const double h = 0.02 / (1 << k), tuned = tuned_step(&cases[c], h);
      const errors e = run_as(&cases[c], h), real = run_as(&cases[c], tuned);
      print_errors(cases[c].title, h, &e);
      print_errors("  at the end of a step", tuned, &real);
      const double ratio = (h / tuned) * (h / tuned); /* of errors of order 2 */
      CHECK_LE(e.q, 1.1 * ratio * real.q);
      CHECK_LE(e.v, 1.1 * ratio * real.v);
      CHECK_LE(e.lambda, 1.1 * ratio * real.lambda);
    }
}

/* After a restart anywhere in a step its multiples are met again, to the bit, with no step below
 * half its size or above it. */
static void grid_is_met_again(void **state) {
  (void)state;
  static const double parts[] = {0, 1e-14, 0.1, 0.49, 0.5, 0.51, 0.9, 1 - 1e-6, 1 - 1e-14, 1};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i) {
    bob b = {0};
    const torsor_settings s = settings_of(&cases[PERTURBED], 0.01);
    trial t = open_bob(&b, &s);
    for (int n = 0; n < 3; ++n) trial_step(&t);
    const double at = fmin(0.02 + parts[i] * 0.01, 0.03);
    CHECK_INT(torsor_integrator_restart(t.integrator, at), TORSOR_OK);
    torsor_state now = torsor_integrator_state(t.integrator);
    CHECK_NEAR(now.t, at, 0);
    const double first = at + 0.01 / 2 <= 0.03 ? 0.03 : 0.04;
    now = trial_step(&t);
    CHECK_NEAR(now.t, at < 0.03 ? first : 0.04, 0);
    now = trial_step(&t);
    CHECK_NEAR(now.t, at < 0.03 ? first + 0.01 : 0.05, CHECK_EPS);
    const torsor_counters c = torsor_integrator_counters(t.integrator);
    CHECK_LE(0.005 * (1 - 1e-12), c.smallest_step);
    CHECK_LE(c.largest_step, 0.01 * (1 + 1e-12));
    trial_close(&t);
  }
}

/* The same under step-size control, with errors in proportion to the accuracy. */
static void controlled_steps_restart(void **state) {
  (void)state;
  double before = 0;
  for (int k = 3; k <= 6; ++k) {
    torsor_settings s = settings_of(&cases[GGL], 0.1);
    s.accuracy = (torsor_accuracy){.position = pow(10, -k)};
    s.max_halvings = 20;
    const errors e = run(RESTARTED, &s);
    print_errors("accuracy", s.accuracy.position, &e);
    CHECK_LE(e.q, 10 * s.accuracy.position * END);
    if (before > 0) CHECK_NEAR(log10(before / e.q), 1, 0.25);
    before = e.q;
  }
}

static void only_the_last_step_can_be_cut(void **state) {
  (void)state;
  bob b = {0};
  const torsor_settings s = settings_of(&cases[GGL], 0.01);
  trial t = open_bob(&b, &s);
  torsor_state at;
  CHECK_INT(torsor_integrator_restart(t.integrator, 0), TORSOR_OK); /* nothing is done yet */
  trial_step(&t);
  trial_step(&t);
  CHECK_INT(torsor_integrator_interpolate(t.integrator, 0.009, &at), TORSOR_ARGUMENT);
  CHECK_INT(torsor_integrator_interpolate(t.integrator, 0.021, &at), TORSOR_ARGUMENT);
  CHECK_INT(torsor_integrator_interpolate(t.integrator, nan(""), &at), TORSOR_ARGUMENT);
  CHECK_INT(torsor_integrator_restart(t.integrator, 0.009), TORSOR_ARGUMENT);
  CHECK_INT(torsor_integrator_restart(t.integrator, 0.021), TORSOR_ARGUMENT);
  CHECK_INT(torsor_integrator_advance(t.integrator, 0.02), TORSOR_ARGUMENT);
  CHECK_INT(torsor_integrator_restart(t.integrator, 0.015), TORSOR_OK);
  CHECK_INT(torsor_integrator_restart(t.integrator, 0.014), TORSOR_ARGUMENT);
  trial_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(restart_keeps_the_order),  cmocka_unit_test(event_state_is_good),
      cmocka_unit_test(real_ends_are_no_better),  cmocka_unit_test(grid_is_met_again),
      cmocka_unit_test(controlled_steps_restart), cmocka_unit_test(only_the_last_step_can_be_cut)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
