/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <math.h>
#include <stdbool.h>

#include <torsor/integrator.h>

torsor_alpha torsor_alpha_chung_hulbert(double rho_inf) {
  torsor_alpha a;
  a.alpha_m = (2 * rho_inf - 1) / (rho_inf + 1);
  a.alpha_f = rho_inf / (rho_inf + 1);
  a.gamma = 0.5 + a.alpha_f - a.alpha_m;
  a.beta = 0.25 * (a.gamma + 0.5) * (a.gamma + 0.5);
  return a;
}

torsor_alpha torsor_alpha_hht(double alpha) {
  return (torsor_alpha){.alpha_m = 0,
                        .alpha_f = -alpha,
                        .beta = 0.25 * (1 - alpha) * (1 - alpha),
                        .gamma = 0.5 - alpha};
}

torsor_alpha torsor_alpha_newmark(double beta, double gamma) {
  return (torsor_alpha){.alpha_m = 0, .alpha_f = 0, .beta = beta, .gamma = gamma};
}

torsor_status torsor_alpha_check_order(const torsor_alpha *a, torsor_error *error) {
  const double wanted = 0.5 + a->alpha_f - a->alpha_m;
  /* three roundings of numbers of size one */
  const double roundoff = 4 * DBL_EPSILON * (1 + fabs(a->alpha_f) + fabs(a->alpha_m));
  if (fabs(a->gamma - wanted) <= roundoff) return TORSOR_OK;
  torsor_fail(error, TORSOR_ARGUMENT,
              "the parameters violate the order condition: gamma = %.6g, but 1/2 + alpha_f - "
              "alpha_m = %.6g",
              a->gamma, wanted);
  torsor_hint(error, "the method is of first order only: choose gamma = %.17g for second order",
              wanted);
  return TORSOR_ARGUMENT;
}

/* Is a < b (`strict`), or a <= b up to rounding? */
static bool is_below(double a, double b, bool strict) {
  return strict ? a < b : a <= b + 4 * DBL_EPSILON;
}

torsor_status torsor_alpha_check_stability(const torsor_alpha *a, bool constrained,
                                           torsor_error *error) {
  const double bound = 0.25 + 0.5 * (a->alpha_f - a->alpha_m);
  const char *relation = constrained ? "<" : "<=";
  if (!is_below(a->alpha_f, 0.5, constrained))
    torsor_fail(error, TORSOR_ARGUMENT,
                "the parameters violate the stability condition: alpha_f = %.6g is not %s 1/2",
                a->alpha_f, relation);
  else if (!is_below(a->alpha_m, a->alpha_f, constrained))
    torsor_fail(
        error, TORSOR_ARGUMENT,
        "the parameters violate the stability condition: alpha_m = %.6g is not %s alpha_f = %.6g",
        a->alpha_m, relation, a->alpha_f);
  else if (!is_below(bound, a->beta, constrained))
    torsor_fail(error, TORSOR_ARGUMENT,
                "the parameters violate the stability condition: 1/4 + (alpha_f - alpha_m)/2 = "
                "%.6g is not %s beta = "
                "%.6g",
                bound, relation, a->beta);
  else
    return TORSOR_OK;
  torsor_hint(error, constrained ? "errors of the multipliers would not decay: take parameters "
                                   "with damping, e.g. \"rho_inf\": 0.9 or \"hht\": -0.1"
                                 : "large steps may be unstable: take \"rho_inf\" from 0 to 1, "
                                   "which is stable at any step");
  return TORSOR_ARGUMENT;
}
