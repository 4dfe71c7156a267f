/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "step_size.h"

#include <math.h>

/* Step-size controller.  Local errors per second grow with a power of h, the order of the method.
 * A proportional-integral controller (Gustafsson, ACM Trans. Math. Softw. 17 (1991) 533-554) aims
 * at that power of SAFETY times the tolerance; changes within these factors are not worth it. */
static const double SAFETY = 0.9, INTEGRAL = 0.3, PROPORTIONAL = 0.4;
static const double SMALLEST_FACTOR = 0.2, LARGEST_FACTOR = 2, NEITHER_BELOW = 0.85,
                    NOR_ABOVE = 1.2;
/* The largest factor of explicit methods, which keep nothing that belongs to a size. */
static const double FREE_FACTOR = 5;

/* Errors below this fraction of the tolerance only mean that h may grow. */
static const double LEAST_ERROR = 1e-4, FREE_LEAST_ERROR = 1e-8;

static double clamp(double x, double low, double high) {
  return fmin(fmax(x, low), high);
}

double step_size_least_error(const torsor_integrator *it) {
  return it->method->is_explicit ? FREE_LEAST_ERROR : LEAST_ERROR;
}

/* Not larger right after a step that was refused. */
double step_size_after(const torsor_integrator *it) {
  const step_control *c = &it->control;
  const bool free = it->method->is_explicit;
  const double root = 1.0 / it->order, now = fmax(c->error, step_size_least_error(it));
  const double before = c->before > 0 ? c->before : now;
  const double factor =
      SAFETY * pow(now, -root * (INTEGRAL + PROPORTIONAL)) * pow(before, root * PROPORTIONAL);
  if (free) return c->h * clamp(factor, SMALLEST_FACTOR, c->refused ? 1 : FREE_FACTOR);
  if (factor > NEITHER_BELOW && (factor < NOR_ABOVE || c->unsure)) return c->h;
  return c->h * clamp(factor, SMALLEST_FACTOR, LARGEST_FACTOR);
}

double step_size_refused(const torsor_integrator *it) {
  const step_control *c = &it->control;
  if (!(c->error > 1)) return c->h / 2;
  return c->h * clamp(SAFETY * pow(c->error, -1.0 / it->order), SMALLEST_FACTOR, NEITHER_BELOW);
}
