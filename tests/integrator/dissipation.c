/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numerical dissipation of the generalised-alpha family on q'' + w^2 q = 0: what a run loses is
 * what the roots of the characteristic polynomial say (Chung and Hulbert 1993). */
#include <gsl/gsl_math.h>
#include <gsl/gsl_poly.h>

#include <torsor/integrator.h>

#include "check.h"
#include "problems/trial.h"

enum { STEPS = 400 };

static void mass(void *data, double t, const double *q, double *M) {
  (void)data, (void)t, (void)q;
  M[0] = 1;
}

/* data: w^2 */
static void spring(void *data, double t, const double *q, const double *v, double *g) {
  (void)t, (void)v;
  g[0] = *(const double *)data * q[0];
}

/* q at all steps of h = 1 from q = 1, v = 0, with z = h w. */
static void run(double *q, const torsor_settings *given, double z) {
  double stiffness = z * z;
  const torsor_dense d = {
      .data = &stiffness, .nq = 1, .nv = 1, .length = 1, .mass = mass, .force = spring};
  torsor_settings s = *given;
  s.step = 1;
  s.atol = 0;
  s.rtol = 1e-14;
  const double v = 0;
  q[0] = 1;
  trial t = trial_open(&d, &s, q, &v);
  for (int n = 1; n <= STEPS; ++n) q[n] = trial_step(&t).q[0];
  trial_close(&t);
}

/* c[0] + c[1] x + c[2] x^2 + c[3] x^3 = (x - 1)^2 ((1 - alpha_m) x + alpha_m)
 *   + z^2 ((1 - alpha_f) x + alpha_f) (beta x^2 + (1/2 - 2 beta + gamma) x + 1/2 + beta -
 * gamma). */
static void polynomial(double c[4], const torsor_alpha *p, double z) {
  const double am = p->alpha_m, af = p->alpha_f, b = p->beta, g = p->gamma, zz = z * z;
  const double square[3] = {0.5 + b - g, 0.5 - 2 * b + g, b};
  c[0] = am + zz * af * square[0];
  c[1] = 1 - 3 * am + zz * (af * square[1] + (1 - af) * square[0]);
  c[2] = 3 * am - 2 + zz * (af * square[2] + (1 - af) * square[1]);
  c[3] = 1 - am + zz * (1 - af) * square[2];
}

typedef struct root {
  double modulus, angle;
} root;

/* Of the pair that stands for the motion. */
static root theory_of(const torsor_alpha *p, double z) {
  double c[4];
  gsl_complex x[3];
  polynomial(c, p, z);
  gsl_poly_complex_solve_cubic(c[2] / c[3], c[1] / c[3], c[0] / c[3], &x[0], &x[1], &x[2]);
  root best = {0};
  for (int i = 0; i < 3; ++i) {
    const double re = GSL_REAL(x[i]), im = GSL_IMAG(x[i]);
    if (im > 0) best = (root){hypot(re, im), atan2(im, re)};
  }
  return best;
}

/* Roots of x^2 - s x + m of the sequence q_{k+1} - s q_k + m q_{k-1} = 0, least squares from step
 * `first` on, where the third root has died out. */
static root measured(const double *q, int first) {
  double aa = 0, ab = 0, bb = 0, ay = 0, by = 0;
  for (int k = first; k < STEPS; ++k) {
    aa += q[k] * q[k];
    ab -= q[k] * q[k - 1];
    bb += q[k - 1] * q[k - 1];
    ay += q[k] * q[k + 1];
    by -= q[k - 1] * q[k + 1];
  }
  const double det = aa * bb - ab * ab, s = (ay * bb - by * ab) / det,
               m = (by * aa - ay * ab) / det;
  return (root){sqrt(m), acos(s / (2 * sqrt(m)))};
}

typedef struct variant {
  const char *name, *method;
  torsor_alpha alpha;
} variant;

static int variants_of(variant *out) {
  static const char *const methods[] = {"generalized_alpha", "soi2"};
  static const double rhos[] = {0.2, 0.6, 0.9};
  int count = 0;
  for (int m = 0; m < 2; ++m)
    for (int i = 0; i < 3; ++i)
      out[count++] = (variant){methods[m], methods[m], torsor_alpha_chung_hulbert(rhos[i])};
  out[count++] = (variant){"hht", "generalized_alpha", torsor_alpha_hht(-0.3)};
  out[count++] = (variant){"hht_odae", "hht_odae", torsor_alpha_hht(-0.3)};
  out[count++] = (variant){"hht_odae", "hht_odae", torsor_alpha_hht(-0.05)};
  return count;
}

static torsor_settings settings_of(const variant *v) {
  torsor_settings s = trial_settings(1, TORSOR_INDEX3, TORSOR_START_PERTURBED, 0.9);
  trial_use(&s, v->method);
  s.alpha = v->alpha;
  return s;
}

/* The part of the amplitude that a period loses, 1 - |x|^(2 pi/angle), and its period. */
static void test_damping(void **state) {
  (void)state;
  static const double sizes[] = {0.1, 0.3, 1};
  variant list[16];
  const int count = variants_of(list);
  double q[STEPS + 1];
  for (int i = 0; i < count; ++i) {
    const torsor_settings s = settings_of(&list[i]);
    for (int k = 0; k < 3; ++k) {
      const double z = sizes[k];
      run(q, &s, z);
      const root found = measured(q, STEPS / 4), theory = theory_of(&s.alpha, z);
      const double lost = 1 - pow(found.modulus, 2 * M_PI / found.angle),
                   due = 1 - pow(theory.modulus, 2 * M_PI / theory.angle);
      print_message("  %-17s alpha_m %6.3f alpha_f %5.3f h w = %.1f: loses %.4e of the amplitude "
                    "in a period, "
                    "theory %.4e; period %+.3f %%\n",
                    list[i].name, s.alpha.alpha_m, s.alpha.alpha_f, z, lost, due,
                    100 * (z / found.angle - 1));
      /* Rounding of q over what three values of an oscillation turn by, and Newton's tolerance. */
      CHECK_NEAR(found.modulus, theory.modulus, 1e-11 / z);
      CHECK_NEAR(found.angle, theory.angle, 1e-11 / z);
    }
  }
}

/* At all frequencies: q of every run obeys the recursion of the polynomial; at the highest its
 * roots are rho_inf. */
static void test_recursion(void **state) {
  (void)state;
  static const double sizes[] = {0.1, 1, 3, 10, 100, 1e4};
  variant list[16];
  const int count = variants_of(list);
  double q[STEPS + 1], c[4], worst = 0;
  for (int i = 0; i < count; ++i) {
    const torsor_settings s = settings_of(&list[i]);
    for (int k = 0; k < 6; ++k) {
      run(q, &s, sizes[k]);
      polynomial(c, &s.alpha, sizes[k]);
      for (int n = 0; n + 3 <= STEPS; ++n) {
        double sum = 0, size = 0;
        for (int j = 0; j < 4; ++j) {
          sum += c[j] * q[n + j];
          size += fabs(c[j] * q[n + j]);
        }
        if (size / fabs(c[3]) < 1e-250) break; /* nothing is left of the motion */
        /* Newton's tolerance and rounding are those of v', z^2 times q. */
        worst = check_max(worst, fabs(sum) / size / (1 + sizes[k] * sizes[k]));
      }
    }
  }
  check_report("recursion of the polynomial, over 1 + z^2", worst, 1e-13);
  CHECK_LE(worst, 1e-13);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_damping),
                                     cmocka_unit_test(test_recursion)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
