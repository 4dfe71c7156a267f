/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <float.h>
#include <math.h>

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

static torsor_status check_order(const torsor_alpha *a, torsor_error *error) {
  const double wanted = 0.5 + a->alpha_f - a->alpha_m;
  /* Three roundings of numbers of size one. */
  const double roundoff = 4 * DBL_EPSILON * (1 + fabs(a->alpha_f) + fabs(a->alpha_m));
  if (fabs(a->gamma - wanted) <= roundoff) return TORSOR_OK;
  torsor_fail(error, TORSOR_ARGUMENT,
              "order condition violated: gamma = %.6g, but 1/2 + alpha_f - alpha_m = %.6g",
              a->gamma, wanted);
  torsor_hint(error, "the method would be of first order only; set gamma = %.17g", wanted);
  return TORSOR_ARGUMENT;
}

static torsor_status check_stability(const torsor_alpha *a, torsor_error *error) {
  const char *advice =
      "parameters with damping satisfy it, e.g. rho_inf = 0.9 or HHT alpha = -0.1; "
      "rho_inf = 1, HHT alpha = 0 and Newmark have none for the multipliers";
  const double bound = 0.25 + 0.5 * (a->alpha_f - a->alpha_m);
  if (!(a->alpha_f < 0.5))
    torsor_fail(error, TORSOR_ARGUMENT, "stability condition violated: alpha_f = %.6g is not < 1/2",
                a->alpha_f);
  else if (!(a->alpha_m < a->alpha_f))
    torsor_fail(error, TORSOR_ARGUMENT,
                "stability condition violated: alpha_m = %.6g is not < alpha_f = %.6g", a->alpha_m,
                a->alpha_f);
  else if (!(a->beta > bound))
    torsor_fail(error, TORSOR_ARGUMENT,
                "stability condition violated: beta = %.6g is not > "
                "1/4 + (alpha_f - alpha_m)/2 = %.6g",
                a->beta, bound);
  else
    return TORSOR_OK;
  torsor_hint(error, "%s", advice);
  return TORSOR_ARGUMENT;
}

torsor_status torsor_alpha_check(const torsor_alpha *alpha, torsor_error *error) {
  if (!isfinite(alpha->alpha_m) || !isfinite(alpha->alpha_f) || !isfinite(alpha->beta) ||
      !isfinite(alpha->gamma))
    return torsor_fail(error, TORSOR_ARGUMENT, "a parameter of the method is not finite");
  const torsor_status status = check_order(alpha, error);
  return status ? status : check_stability(alpha, error);
}
