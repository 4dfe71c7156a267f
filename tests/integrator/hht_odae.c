/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The extended HHT-alpha method against the errors that an independent program for S3 eq. 3.4
 * makes: S3 section 5.1 with constant steps, with eq. 3.5, with steps h/3, 2h/3 without and with
 * eq. 2.3, and section 5.2. */
#include "check.h"
#include "integrator/method.h"
#include "problems/hht.h"
#include "problems/trial.h"

enum { PARTS = 4, SIZE = 3 };

static const char *const part_name[PARTS] = {"q", "v", "a", "lambda"};

/* Of q, v, a at t_n + alpha h, lambda: 2-norms at the end. */
typedef struct errors {
  double of[PARTS];
} errors;

static double distance(const double *a, const double *b, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

static torsor_settings settings_of(double alpha, double b) {
  torsor_settings s = trial_settings(1, TORSOR_INDEX3, TORSOR_START_PLAIN, 0.9);
  trial_use(&s, "hht_odae");
  s.alpha = torsor_alpha_hht(alpha);
  s.reaction_weight = b;
  s.rtol = 1e-13;
  return s;
}

/* Steps h, or h/3, 2h/3, h/3 ... (`alternating`), over [0, 1] from exact values and a0 = f(0).  The
 * method's own a is (1 + alpha) f1 - alpha f0. */
static errors run(double h, bool alternating, torsor_settings s) {
  const double size[2] = {alternating ? h / 3 : h, alternating ? 2 * h / 3 : h};
  const double alpha = -s.alpha.alpha_f;
  const torsor_dense d = hht_5_1_dense();
  double q[2], v[2], f[2], f0[2] = {0}, f1[2], lambda[1], time = 0;
  s.step = size[0];
  hht_5_1_exact(0, q, v, f, lambda);
  trial t = trial_open(&d, &s, q, v);
  const torsor_integrator *it = t.integrator;
  const int steps = (int)lround(2 / (size[0] + size[1]));
  for (int n = 0; n < steps; ++n) {
    d.force(NULL, time, it->q, it->v, f0);
    time += size[n % 2];
    CHECK_INT(torsor_integrator_step_by(t.integrator, size[n % 2]), TORSOR_OK);
  }
  d.force(NULL, time, it->q, it->v, f1);
  errors e;
  hht_5_1_exact(1, q, v, f, lambda);
  e.of[0] = distance(it->q, q, 2);
  e.of[1] = distance(it->v, v, 2);
  e.of[3] = distance(it->lambda, lambda, 1);
  hht_5_1_exact(1 + alpha * size[(steps - 1) % 2], q, v, f, lambda);
  for (int i = 0; i < 2; ++i) f1[i] = alpha * f0[i] - (1 + alpha) * f1[i];
  e.of[2] = distance(f1, f, 2);
  trial_close(&t);
  return e;
}

/* ---- tables: {q, v, a} with h halved from row to row ---------------------------------------- */

/* Section 5.1, alpha = -0.15, b = 0.3, from h = 0.1 on. */
static const errors constant[] = {{{7.467888162913e-03, 3.368394816240e-02, 6.461620516306e-03}},
                                  {{1.856544280724e-03, 8.377031403762e-03, 1.586756517120e-03}},
                                  {{4.646761917109e-04, 2.092491791285e-03, 3.934629072621e-04}},
                                  {{1.163521844995e-04, 5.231310915184e-04, 9.798146882989e-05}},
                                  {{2.911819515649e-05, 1.307979420971e-04, 2.444842432625e-05}},
                                  {{7.283772281905e-06, 3.270226088103e-05, 6.106303153453e-06}},
                                  {{1.821499522426e-06, 8.175967008080e-06, 1.525854385509e-06}}};
static const errors explicit_reaction[] = {
    {{6.502045095032e-03, 3.134564146646e-02, 6.256450303979e-03}},
    {{1.610615260205e-03, 7.769288610166e-03, 1.533003970227e-03}},
    {{4.028185879308e-04, 1.938573259887e-03, 3.798373069240e-04}},
    {{1.008496008664e-04, 4.844520783386e-04, 9.455774253475e-05}},
    {{2.523823515290e-05, 1.211060174903e-04, 2.359066457047e-05}},
    {{6.313268846112e-06, 3.027667128304e-05, 5.891654408563e-06}},
    {{1.578810976513e-06, 7.569253352041e-06, 1.472167271310e-06}}};
static const errors uncorrected[] = {
    {{1.089366880031e-03, 5.967730252334e-03, 1.020207936214e-03}},
    {{5.374336658948e-05, 3.763995491286e-04, 6.343912482509e-05}},
    {{1.798197027531e-04, 4.673718238566e-04, 7.745891173716e-05}},
    {{1.287000328805e-04, 3.975798927703e-04, 6.573859099956e-05}},
    {{7.412531865855e-05, 2.398578905675e-04, 3.958739060539e-05}},
    {{3.951674853829e-05, 1.302080879160e-04, 2.146903623090e-05}},
    {{2.037321371964e-05, 6.767540111129e-05, 1.115283608077e-05}}};
static const errors corrected[] = {{{2.551225357311e-03, 1.120780932597e-02, 1.928349378367e-03}},
                                   {{6.466695600050e-04, 2.802912702964e-03, 4.744972658659e-04}},
                                   {{1.630947253070e-04, 7.015615955276e-04, 1.177320703021e-04}},
                                   {{4.097223943515e-05, 1.755388259755e-04, 2.932481255191e-05}},
                                   {{1.026914749900e-05, 4.390601911042e-05, 7.317879190727e-06}},
                                   {{2.570627427781e-06, 1.097934122994e-05, 1.827816729527e-06}},
                                   {{6.430794223647e-07, 2.745200639810e-06, 4.567483139484e-07}}};

/* Both programs iterate to some 1e-13 of numbers up to 10 in every step, and what is left adds
 * up. */
static double tolerance_at(double end, double h) {
  return 2 * 1e-13 * 10 * end / h;
}

static void check_table(const char *name, const errors *table, int rows, bool alternating,
                        const torsor_settings *s) {
  double worst = 0, h = 0.1;
  for (int k = 0; k < rows; ++k, h /= 2) {
    const errors e = run(h, alternating, *s);
    for (int i = 0; i < 3; ++i) {
      worst = check_max(worst, fabs(e.of[i] / table[k].of[i] - 1));
      CHECK_NEAR(e.of[i], table[k].of[i], tolerance_at(1, h));
    }
  }
  print_message("  %-36s largest deviation from the table %.1e of the value\n", name, worst);
}

static void section_5_1(void **state) {
  (void)state;
  torsor_settings s = settings_of(-0.15, 0.3);
  check_table("constant steps", constant, 7, false, &s);
  check_table("h/3, 2h/3, eq. 2.3", corrected, 7, true, &s);
  s.uncorrected = true;
  check_table("h/3, 2h/3", uncorrected, 7, true, &s);
  s.uncorrected = false;
  s.reaction = TORSOR_REACTION_EXPLICIT;
  check_table("constant steps, eq. 3.5", explicit_reaction, 7, false, &s);
}

/* ---- section 5.2 -------------------------------------------------------------------------- */

/* {angle, its rate} at t = 2, from h = 0.02 on, for alpha = 0 and -0.3 with b = 0. */
static const errors bar_0[] = {
    {{1.676874148327e-03, 5.961926997770e-04}}, {{4.166594614263e-04, 3.193864589240e-05}},
    {{1.039897486201e-04, 7.730142408680e-07}}, {{2.598625781225e-05, 2.557500135558e-07}},
    {{6.495862090006e-06, 9.197313480258e-08}}, {{1.623921567884e-06, 2.474504912087e-08}},
    {{4.059776426146e-07, 6.295763965714e-09}}};
static const errors bar_3[] = {
    {{2.529013393326e-03, 2.706368766984e-03}}, {{6.306074273263e-04, 2.778847904528e-04}},
    {{1.574448564092e-04, 3.809989848411e-05}}, {{3.934777409409e-05, 6.708626093060e-06}},
    {{9.836323878964e-06, 1.392867916672e-06}}, {{2.459077013128e-06, 3.168806413656e-07}},
    {{6.147735591711e-07, 7.556461281699e-08}}};

/* At t = 2: Gragg-Bulirsch-Stoer of order 10, to 1e-13. */
static const double ANGLE = 4.727778699883551, RATE = -0.19818443470388084;

/* The error of the rate has a zero near: of no order at such steps, only its size is reported. */
static void check_bar(double alpha, const errors *table) {
  double worst = 0, h = 0.02, last = 0;
  for (int k = 0; k < 7; ++k, h /= 2) {
    const torsor_dense d = hht_pendulum_dense();
    torsor_settings s = settings_of(alpha, 0);
    s.step = h;
    double q[3], v[3];
    hht_pendulum_initial(q, v);
    trial t = trial_open(&d, &s, q, v);
    const int steps = (int)lround(2 / h);
    torsor_state now = torsor_integrator_state(t.integrator);
    for (int n = 0; n < steps; ++n) now = trial_step(&t);
    const errors e = {{fabs(now.q[2] - ANGLE), fabs(now.v[2] - RATE)}};
    trial_close(&t);
    for (int i = 0; i < 2; ++i) {
      worst = check_max(worst, fabs(e.of[i] / table[k].of[i] - 1));
      CHECK_NEAR(e.of[i], table[k].of[i], tolerance_at(2, h));
    }
    if (k) CHECK_ORDER(log2(last / e.of[0]), 2, 0.02);
    last = e.of[0];
  }
  print_message("  section 5.2, alpha = %4.1f                  largest deviation from the table "
                "%.1e of the value\n",
                alpha, worst);
}

static void section_5_2(void **state) {
  (void)state;
  check_bar(0, bar_0);
  check_bar(-0.3, bar_3);
}

/* ---- orders ------------------------------------------------------------------------------- */

static void check_orders(const char *name, double h, bool alternating, const torsor_settings *s,
                         double expected) {
  const errors coarse = run(h, alternating, *s), fine = run(h / 2, alternating, *s);
  print_message("  %-44s", name);
  for (int i = 0; i < PARTS; ++i) {
    const double slope = log2(coarse.of[i] / fine.of[i]);
    print_message(" %s %.3f", part_name[i], slope);
    CHECK_ORDER(slope, expected, 0.1);
  }
  print_message("\n");
}

static void orders(void **state) {
  (void)state;
  static const char *const name[] = {"end", "explicit", "midpoint", "midpoint_explicit"};
  for (int kind = TORSOR_REACTION_END; kind <= TORSOR_REACTION_MIDPOINT_EXPLICIT; ++kind) {
    torsor_settings s = settings_of(-0.15, kind < TORSOR_REACTION_MIDPOINT ? 0.3 : 0);
    s.reaction = (torsor_reaction)kind;
    print_message("  %s\n", name[kind]);
    check_orders("  constant steps", 1.0 / 640, false, &s, 2);
    check_orders("  h/3, 2h/3", 1.0 / 640, true, &s, 2);
    s.uncorrected = true;
    check_orders("  h/3, 2h/3 without eq. 2.3", 1.0 / 5120, true, &s, 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(section_5_1), cmocka_unit_test(section_5_2),
                                     cmocka_unit_test(orders)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
