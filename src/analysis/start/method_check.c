/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/start/method_check.h"

#include <stdio.h>

#include "analysis/start/constraints.h"
#include "analysis/start/initial.h"
#include "analysis/start/options_read.h"
#include "assembly/assembly.h"
#include "assembly/model/model.h"

/* Largest number of steps: it fits into a long, and into a double without rounding. */
#define MOST_STEPS 1e15

static torsor_status at_key(const char *key, torsor_status status, torsor_error *error) {
  if (error) snprintf(error->path, sizeof error->path, "%s", key);
  return status;
}

torsor_status method_check_times(const torsor_simulation *s, torsor_error *error) {
  if (!(s->settings.step > 0) || !(s->duration >= 0) ||
      !(s->duration / s->settings.step < MOST_STEPS)) {
    torsor_fail(error, TORSOR_ARGUMENT,
                "duration = %g s with step = %g s does not give a number of steps", s->duration,
                s->settings.step);
    return at_key("simulation.duration", TORSOR_ARGUMENT, error);
  }
  if (!(s->output_step >= 0) ||
      (s->output_step > 0 && !(s->duration / s->output_step < MOST_STEPS))) {
    torsor_fail(error, TORSOR_ARGUMENT, "output every %g s is not possible", s->output_step);
    return at_key("output.step", TORSOR_ARGUMENT, error);
  }
  if (s->every < 1) {
    torsor_fail(error, TORSOR_ARGUMENT, "output every %d steps is not possible: give at least 1",
                s->every);
    return at_key("output.every", TORSOR_ARGUMENT, error);
  }
  return TORSOR_OK;
}

torsor_status method_check_multipliers(const torsor_model *model, const torsor_simulation *s,
                                       torsor_error *error) {
  torsor_error problem = {0};
  /* Multipliers that are found anew in every step do not propagate errors. */
  const bool carried = model->nl > 0 && !torsor_method_takes(s->settings.method, "reaction");
  if (!torsor_alpha_check_stability(&s->settings.alpha, carried, &problem) || !carried)
    return TORSOR_OK;
  torsor_fail(error, TORSOR_SCENE, "%s", problem.message);
  torsor_hint(error, "%s", problem.hint);
  return at_key("simulation", TORSOR_SCENE, error);
}

torsor_status method_open(torsor_integrator **out, const torsor_problem *problem,
                          const torsor_settings *settings, torsor_error *error) {
  const torsor_status status = torsor_integrator_create(out, problem, settings, error);
  return status == TORSOR_ARGUMENT ? at_key("simulation.method", status, error) : status;
}

/* The method of the first step, and the body that is the reason. */
typedef struct foresight {
  const char *method;
  int element;
} foresight;

/* Starts the integrator where the method is chosen by how the motion begins. */
static torsor_status foresee(foresight *out, torsor_integrator *integrator,
                             const torsor_model *model, const initial_state *initial,
                             torsor_error *error) {
  const torsor_status status = torsor_integrator_start(integrator, 0, initial->q, initial->v);
  if (status) return torsor_fail(error, status, "%s", torsor_status_text(status));
  const torsor_findings f = torsor_integrator_findings(integrator);
  out->method = torsor_integrator_method(integrator);
  if (f.stiff && f.stiffest >= 0)
    out->element = torsor_model_velocity_element(model, f.stiffest, NULL);
  return TORSOR_OK;
}

/* Creates and destroys an integrator, with dependent rows expected as at the start of a
 * simulation. */
static torsor_status open_and_close(foresight *out, assembly *a, const torsor_model *model,
                                    const initial_state *initial, const torsor_settings *settings,
                                    torsor_error *error) {
  row_rank rank;
  torsor_integrator *integrator = NULL;
  torsor_status status = constraints_rank(&rank, a, initial->q);
  if (status) return torsor_fail(error, status, "%s", torsor_status_text(status));
  assembly_set_redundant(a, rank.dependent_count > 0);
  row_rank_release(&rank);
  status = method_open(&integrator, assembly_problem(a), settings, error);
  if (!status && torsor_method_needs_accuracy(settings->method)) {
    assembly_start_coordinates(a, &(torsor_point){.q = initial->q, .v = initial->v});
    status = foresee(out, integrator, model, initial, error);
  }
  torsor_integrator_destroy(integrator);
  return status;
}

static torsor_status check(foresight *out, const torsor_model *model,
                           const torsor_simulation *simulation, torsor_error *error) {
  torsor_simulation all;
  torsor_status status = simulation_complete(&all, simulation, error);
  if (status) return status;
  torsor_simulation chosen = torsor_simulation_chosen(&all);
  const torsor_settings *settings = &chosen.settings;
  /* Where the scene names no step, trial runs choose the accuracy. */
  if (all.settings.step == 0 && torsor_method_needs_accuracy(settings->method))
    chosen.settings.accuracy.position = 1;
  assembly *a = NULL;
  arena memory = {0};
  initial_state initial = {0};
  *out = (foresight){.method = settings->method, .element = -1};
  status = method_check_times(&chosen, error);
  if (!status) status = method_check_multipliers(model, &chosen, error);
  if (!status)
    status = assembly_create(&a, model, chosen.linear_solver, torsor_settings_stabilised(settings),
                             error);
  if (status) return status;
  if (model->follows_load) assembly_set_load(a, 0, false);
  status = initial_state_find(&initial, a, model, NULL, &memory, error);
  if (!status) status = open_and_close(out, a, model, &initial, settings, error);
  arena_release(&memory);
  assembly_destroy(a);
  return status;
}

torsor_status torsor_check_simulation(const torsor_model *model,
                                      const torsor_simulation *simulation, torsor_error *error) {
  foresight found;
  return check(&found, model, simulation, error);
}

torsor_status torsor_foresee_method(const char **method, int *element, const torsor_model *model,
                                    const torsor_simulation *simulation, torsor_error *error) {
  foresight found = {.element = -1};
  const torsor_status status = check(&found, model, simulation, error);
  *method = found.method;
  *element = found.element;
  return status;
}
