/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_TESTS_TRIAL_H
#define TORSOR_TESTS_TRIAL_H

/** A dense problem with an integrator on it. */

#include <torsor/integrator.h>

typedef struct trial {
  torsor_problem *problem;
  torsor_integrator *integrator;
} trial;

/** Default settings with that step, formulation and start. */
torsor_settings trial_settings(double step, torsor_formulation formulation, torsor_start start,
                               double rho_inf);

/** Another method, to which formulation, start and parameters are left where it does not know
 * them. */
void trial_use(torsor_settings *settings, const char *method);

/** Create both and start at t = 0; fails the running test when something goes wrong. */
trial trial_open(const torsor_dense *dense, const torsor_settings *settings, const double *q0,
                 const double *v0);

/** One step; fails the running test unless it succeeds. */
torsor_state trial_step(trial *t);

void trial_close(trial *t);

#endif
