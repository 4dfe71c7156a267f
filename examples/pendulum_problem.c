/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The integrator without scenes and elements: a problem of one's own, given by four functions.
 *
 * The mathematical pendulum in Cartesian coordinates (S4 example 1 of docs/theory.md): q in R^2,
 *     M = I,  g = (0, 9.81),  Phi = (|q|^2 - 1)/2,  B = q^T,
 * from q = (0.2, -sqrt(0.96)) with the energy 1/2 - 9.81.  The errors of q and lambda at t = 1 are
 * measured against a run with a eighth of the smallest step; halving the step divides them by
 * four. */
#include <math.h>
#include <stdio.h>

#include <torsor/integrator.h>

static void mass(void *data, double t, const double *q, double *M) {
  (void)data, (void)t, (void)q;
  M[0] = M[3] = 1;
  M[1] = M[2] = 0;
}

static void force(void *data, double t, const double *q, const double *v, double *g) {
  (void)data, (void)t, (void)q, (void)v;
  g[0] = 0;
  g[1] = 9.81; /* M v' = -g - B^T lambda: minus the weight */
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

/* q and lambda at t = 1. */
static torsor_status run(double end[3], torsor_formulation formulation, int steps) {
  const torsor_dense pendulum = {.nq = 2,
                                 .nv = 2,
                                 .nl = 1,
                                 .length = 1,
                                 .mass = mass,
                                 .force = force,
                                 .constraint = constraint,
                                 .gradient = gradient};
  const double q[2] = {0.2, -sqrt(0.96)}, speed = sqrt(1 - 2 * 9.81 * (q[1] + 1));
  const double v[2] = {-speed * q[1], speed * q[0]};
  torsor_settings settings = torsor_settings_default();
  settings.formulation = formulation;
  settings.step = 1.0 / steps;
  settings.rtol = 1e-10; /* what Newton leaves over stays far below the errors measured */
  torsor_problem *problem = NULL;
  torsor_integrator *integrator = NULL;
  torsor_status status = torsor_dense_create(&problem, &pendulum, NULL);
  if (!status) status = torsor_integrator_create(&integrator, problem, &settings, NULL);
  if (!status) status = torsor_integrator_start(integrator, 0, q, v);
  for (int n = 0; n < steps && !status; ++n) status = torsor_integrator_step(integrator);
  if (!status) {
    const torsor_state state = torsor_integrator_state(integrator);
    end[0] = state.q[0];
    end[1] = state.q[1];
    end[2] = state.lambda[0];
  }
  torsor_integrator_destroy(integrator);
  torsor_dense_destroy(problem);
  return status;
}

int main(void) {
  enum { RUNS = 4, COARSEST = 50, FINEST = COARSEST << (RUNS - 1) };
  static const char *const names[] = {"index3", "ggl"};
  for (int form = TORSOR_INDEX3; form <= TORSOR_GGL; ++form) {
    double exact[3], end[3], before[2] = {0};
    if (run(exact, (torsor_formulation)form, 8 * FINEST)) return 1;
    printf("%s\n  steps     error of q  order    of lambda  order\n", names[form - TORSOR_INDEX3]);
    for (int k = 0; k < RUNS; ++k) {
      if (run(end, (torsor_formulation)form, COARSEST << k)) return 1;
      const double error[2] = {hypot(end[0] - exact[0], end[1] - exact[1]),
                               fabs(end[2] - exact[2])};
      printf("%7d", COARSEST << k);
      for (int i = 0; i < 2; ++i) {
        printf("   %10.3e", error[i]);
        if (k)
          printf("  %5.2f", log2(before[i] / error[i]));
        else
          printf("      -");
        before[i] = error[i];
      }
      printf("\n");
    }
  }
  return 0;
}
