/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The numbers of S4 (Arnold, Bruels, Cardona 2014), with the digits of an independent reproduction
 * by another program where the paper prints three. */

#include <torsor/integrator.h>
#include <torsor/lie/so3.h>

#include "check.h"
#include "problems/cubic.h"
#include "problems/heavy_top.h"
#include "problems/pendulum.h"
#include "problems/trial.h"

/* ---- example 1 ------------------------------------------------------------------------------- */

/* Amplification of errors in the transient, max |(T+^-1 T0)^n| for rho_inf = 0.9 (S4 section
 * 4.1). */
static const double AMPLIFICATION = 34.3;

/* Error that the rounding of positions of size 1 leaves in lambda. */
static double roundoff_of_lambda(double h) {
  const double beta = torsor_alpha_chung_hulbert(0.9).beta;
  return AMPLIFICATION * 8 * CHECK_EPS / (beta * h * h);
}

static double pendulum_error(double x0, double h, torsor_start start, double rtol) {
  const torsor_dense d = pendulum_dense();
  torsor_settings s = trial_settings(h, TORSOR_INDEX3, start, 0.9);
  s.rtol = rtol;
  double q[2], v[2], worst = 0;
  pendulum_initial(q, v, x0);
  trial t = trial_open(&d, &s, q, v);
  const int steps = (int)lround(2 / h);
  for (int n = 1; n <= steps; ++n) {
    const torsor_state st = trial_step(&t);
    worst = fmax(worst, fabs(st.lambda[0] - pendulum_lambda(st.t, x0)));
  }
  trial_close(&t);
  return worst;
}

/* `paper` is a value, or a bound when `bound`; `expected` has all digits. */
static void check_pendulum(double x0, double h, torsor_start start, double expected, double paper,
                           bool bound) {
  const double usual = pendulum_error(x0, h, start, 1e-8);
  const double tight = pendulum_error(x0, h, start, 1e-13);
  print_message(
      "  pendulum x0 = %.1f h = %.2f %-9s max |e_lambda| %.9e  expected %.9e, paper %s%.3g\n", x0,
      h, start == TORSOR_START_PLAIN ? "plain" : "perturbed", tight, expected, bound ? "<= " : "",
      paper);
  CHECK_NEAR(tight, expected, 2 * roundoff_of_lambda(h)); /* of both programs */
  CHECK_NEAR(usual, tight, AMPLIFICATION * 1e-8 * 11);    /* rtol |lambda| */
  if (bound)
    CHECK_LE(usual, paper);
  else
    CHECK_NEAR(usual, paper, 0.0005 * pow(10, ceil(log10(paper)))); /* half of its last digit */
}

static void test_pendulum(void **state) {
  (void)state;
  const torsor_start plain = TORSOR_START_PLAIN, perturbed = TORSOR_START_PERTURBED;
  check_pendulum(0.2, 0.02, plain, 0.24759788444158204, 0.248, false);
  check_pendulum(0.2, 0.01, plain, 0.12272128214129552, 0.123, false);
  check_pendulum(0.2, 0.02, perturbed, 0.0039885985943026725, 0.00399, false);
  check_pendulum(0.2, 0.01, perturbed, 0.0009958774866056785, 0.000996, false);
  check_pendulum(0, 0.02, plain, 0.003916795079144109, 0.00395, true);
  check_pendulum(0, 0.01, plain, 0.0009802777146958874, 0.000985, true);
  check_pendulum(0, 0.02, perturbed, 0.003936229155934612, 0.00395, true);
  check_pendulum(0, 0.01, perturbed, 0.000985140722685074, 0.000985, false);
}

/* ---- example 2 ------------------------------------------------------------------------------- */

/* e = (r, e_lambda, e_a) one step on by S4 eq. 45, 46 without remainder: T+ e1 = T0 e. */
static void recur(double e[3], const torsor_alpha *p) {
  const double r = e[0], l = e[1], a = e[2];
  /* Rows 1 and 2 of T+ e1: -beta a1 = r + (1/2 - beta) a, r1 - gamma a1 = r + (1 - gamma) a. */
  const double a1 = -(r + (0.5 - p->beta) * a) / p->beta;
  e[0] = p->gamma * a1 + r + (1 - p->gamma) * a;
  e[1] = (-p->alpha_f * l - p->alpha_m * a - (1 - p->alpha_m) * a1) / (1 - p->alpha_f);
  e[2] = a1;
}

typedef struct cubic_result {
  double largest, deviation; /* max |e_lambda|, max distance from the prediction */
  int at;
} cubic_result;

static cubic_result run_cubic(double v0, double r0, double e_a0, torsor_start start, double rho) {
  const torsor_dense d = cubic_dense();
  const double h = 0.01, q0 = 0;
  const torsor_settings s = trial_settings(h, TORSOR_INDEX3, start, rho);
  trial t = trial_open(&d, &s, &q0, &v0);
  cubic_result out = {0};
  double e[3] = {r0, 0, e_a0};
  for (int n = 1; n <= 100; ++n) {
    const torsor_state st = trial_step(&t);
    recur(e, &s.alpha);
    const double error = -6 * st.t - st.lambda[0];
    out.deviation = fmax(out.deviation, fabs(error - e[1]));
    if (fabs(error) <= out.largest) continue;
    out.largest = fabs(error);
    out.at = n;
  }
  trial_close(&t);
  return out;
}

static void check_cubic(double rho, double over_h, int at) {
  const double h = 0.01;
  const torsor_alpha p = torsor_alpha_chung_hulbert(rho);
  const double shift = p.alpha_m - p.alpha_f, c = 1 - 6 * p.beta - 3 * shift;
  const double roundoff = roundoff_of_lambda(h);
  /* Exact v0, a0 = v'(t0 + shift h): the start's perturbation of v0 is c h^2, taken off before. */
  const cubic_result exact = run_cubic(-c * h * h, c * h, 0, TORSOR_START_PERTURBED, rho);
  const cubic_result plain = run_cubic(0, c * h, 6 * shift * h, TORSOR_START_PLAIN, rho);
  const cubic_result gone = run_cubic(0, 0, 0, TORSOR_START_PERTURBED, rho);
  print_message("  t^3 rho = %.1f: max |e_lambda|/h %.6f at step %d, expected %.6f at %d\n", rho,
                exact.largest / h, exact.at, over_h, at);
  check_report("  distance from (T+^-1 T0)^n E0", exact.deviation, roundoff);
  check_report("  same with a0 = v'(t0)", plain.deviation, roundoff);
  check_report("  max |e_lambda| with perturbed start", gone.largest, roundoff);
  CHECK_NEAR(exact.largest / h, over_h, roundoff / h);
  CHECK_INT(exact.at, at);
  CHECK_LE(exact.deviation, roundoff);
  CHECK_LE(plain.deviation, roundoff);
  CHECK_LE(gone.largest, roundoff);
}

static void test_order_reduction(void **state) {
  (void)state;
  check_cubic(0.9, 16.09916141032013, 15);
  check_cubic(0.6, 4.049280000000032, 3);
}

/* ---- section 5 ------------------------------------------------------------------------------- */

enum { TOP_STEPS = 100 };

/* x, Omega, lambda of an independent reference (extrapolation method of order 12 in long
 * double). */
static void test_reference(void **state) {
  (void)state;
  static const struct {
    int n;
    double x[3], omega[3], lambda[3];
  } rows[] = {{1,
               {0.046113597053992539, 0.99893500360930232, -0.0015474917851410188},
               {4.5747991453712391, 150, -0.63469678452911094},
               {-36.184711487378713, -319.36306423678781, -316.27249197586423}},
              {10,
               {0.42129665892540202, 0.89457197434559299, -0.14916470056189959},
               {4.808941331728092, 150, 1.0283007567183298},
               {-361.05600478711551, -295.39317301122588, -212.2671718551193}},
              {37,
               {0.01560544609689558, 0.0056356261815516326, -0.99986234541043628},
               {-0.2849597735170793, 150, 6.3667907995702295},
               {-164.10597529611925, 409.83645265021772, 756.24098963145775}},
              {50,
               {-0.70246829705658553, -0.021165184701923332, -0.71140025765173442},
               {-0.47105310174524889, 150, 5.9010830483264574},
               {523.28124351440158, 404.20617832025908, 357.33617645317895}},
              {83,
               {-0.29670776758566197, 0.94879529626135461, -0.10840657935135269},
               {2.0686360787568931, 150, -4.3722639782966013},
               {-47.274425753093873, -429.22575688401577, -242.87685313011855}},
              {100,
               {0.17334396409838607, 0.64008859207056878, -0.7484907911335813},
               {-0.82207810168270434, 150, -5.9232913481173357},
               {-517.6007394769, -396.84310148955421, 404.57492516288465}}};
  static heavy_top_motion motion[101];
  heavy_top_reference(motion, 101, 0.01, 640);
  double worst[3] = {0};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) {
    const heavy_top_motion *m = &motion[rows[i].n];
    worst[0] = fmax(worst[0], v3_norm(v3_sub(m->x, v3_load(rows[i].x))));
    worst[1] = fmax(worst[1], v3_norm(v3_sub(m->omega, v3_load(rows[i].omega))));
    worst[2] = fmax(worst[2], v3_norm(v3_sub(m->lambda, v3_load(rows[i].lambda))));
  }
  /* Runge-Kutta: (150 h)^5/120 = 6e-16 a step, 64000 steps; lambda is 15 |x''|, Omega up to 5. */
  const double bound = 4e-11;
  check_report("reference, x", worst[0], bound);
  check_report("reference, Omega", worst[1], 5 * bound);
  check_report("reference, lambda", worst[2], 450 * bound);
  CHECK_LE(worst[0], bound);
  CHECK_LE(worst[1], 5 * bound);
  CHECK_LE(worst[2], 450 * bound);
}

typedef struct top_peaks {
  double norm, lambda3; /* largest |e_lambda| and |e_lambda3| on [0, 0.1] */
  int at_norm, at_lambda3;
} top_peaks;

static top_peaks run_top(double rho, torsor_formulation formulation, torsor_start start,
                         const heavy_top_motion *reference) {
  const torsor_dense d = heavy_top_dense(HEAVY_TOP_R3SO3);
  const torsor_settings s = trial_settings(1e-3, formulation, start, rho);
  double q[7], v[6];
  top_peaks peaks = {0};
  heavy_top_initial(q, v, HEAVY_TOP_R3SO3);
  trial t = trial_open(&d, &s, q, v);
  for (int n = 1; n <= TOP_STEPS; ++n) {
    const torsor_state st = trial_step(&t);
    const v3 e = v3_sub(v3_load(st.lambda), reference[n].lambda);
    if (v3_norm(e) > peaks.norm) {
      peaks.norm = v3_norm(e);
      peaks.at_norm = n;
    }
    if (fabs(e.z) > peaks.lambda3) {
      peaks.lambda3 = fabs(e.z);
      peaks.at_lambda3 = n;
    }
  }
  trial_close(&t);
  return peaks;
}

static void check_top(double rho, torsor_formulation formulation, torsor_start start,
                      top_peaks expected, const heavy_top_motion *reference) {
  const top_peaks p = run_top(rho, formulation, start, reference);
  print_message("  top %s %s rho %.1f: |e_lambda| %.7f at %d (%.7f at %d), "
                "lambda3 %.7f at %d (%.7f at %d)\n",
                formulation == TORSOR_GGL ? "ggl   " : "index3",
                start == TORSOR_START_PLAIN ? "plain    " : "perturbed", rho, p.norm, p.at_norm,
                expected.norm, expected.at_norm, p.lambda3, p.at_lambda3, expected.lambda3,
                expected.at_lambda3);
  /* Newton's error rtol |lambda| = 1e-8 * 450. */
  const double newton = 1e-8 * 450 * AMPLIFICATION;
  CHECK_NEAR(p.norm, expected.norm, newton);
  CHECK_NEAR(p.lambda3, expected.lambda3, newton);
  CHECK_INT(p.at_norm, expected.at_norm);
  CHECK_INT(p.at_lambda3, expected.at_lambda3);
}

static void test_heavy_top(void **state) {
  (void)state;
  static heavy_top_motion ref[TOP_STEPS + 1];
  heavy_top_reference(ref, TOP_STEPS + 1, 1e-3, 64);
  const torsor_start plain = TORSOR_START_PLAIN, perturbed = TORSOR_START_PERTURBED;
  const top_peaks plain9 = {122.42996034728253, 115.20734409734615, 16, 12};
  const top_peaks plain6 = {26.382844072431467, 15.687123298936115, 3, 4};
  const top_peaks perturbed9 = {2.1240656898955033, 2.1164643925547466, 1, 1};
  const top_peaks perturbed6 = {2.1696996133416664, 2.161695510914967, 1, 1};
  const top_peaks ggl9 = {1.2364930950068993, 0.5187267232108752, 1, 12};
  const top_peaks ggl6 = {1.8909383515971276, 0.6679414280595779, 1, 4};
  check_top(0.9, TORSOR_INDEX3, plain, plain9, ref);
  check_top(0.6, TORSOR_INDEX3, plain, plain6, ref);
  check_top(0.9, TORSOR_INDEX3, perturbed, perturbed9, ref);
  check_top(0.6, TORSOR_INDEX3, perturbed, perturbed6, ref);
  check_top(0.9, TORSOR_GGL, plain, ggl9, ref);
  check_top(0.6, TORSOR_GGL, plain, ggl6, ref);
  /* No reference with v'' by second order differences: the shift of a0 must do no harm. */
  CHECK_LE(run_top(0.9, TORSOR_GGL, perturbed, ref).norm, ggl9.norm);
  CHECK_LE(run_top(0.6, TORSOR_GGL, perturbed, ref).norm, ggl6.norm);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_pendulum), cmocka_unit_test(test_order_reduction),
      cmocka_unit_test(test_reference), cmocka_unit_test(test_heavy_top)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
