/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/linear/linear_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/modes/matrices.h"
#include "analysis/observe/signals.h"
#include "analysis/start/options_read.h"
#include "base/options.h"

/* The state space takes dense matrices, whose cost grows with the third power. */
enum { DENSE_MOST = 1500 };

static torsor_status fail_memory(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

/* Refuses outputs that depend on the motion before. */
static torsor_status check_outputs(const torsor_signals *signals, torsor_error *error) {
  bool energies = false, impulses = false;
  signals_need(signals, &energies, &impulses);
  if (!energies && !impulses) return TORSOR_OK;
  torsor_fail(error, TORSOR_ARGUMENT,
              "work and impulses cannot be outputs: they depend on the motion before, not on the "
              "state");
  torsor_hint(error, "take the force and the rate, whose product is the power");
  return TORSOR_ARGUMENT;
}

static torsor_status find_outputs(torsor_linear *l, torsor_error *error) {
  const torsor_linear_settings *s = &l->settings;
  if (s->outputs < 1) {
    torsor_fail(error, TORSOR_SCENE, "the linearised system has no outputs");
    if (error) snprintf(error->path, sizeof error->path, "linear");
    torsor_hint(error, "name some signals; `torsor list signals SCENE` shows them");
    return TORSOR_SCENE;
  }
  int at = 0;
  torsor_status status =
      torsor_signals_create(&l->signals, &l->channels.model, s->output, s->outputs, &at, error);
  if (status && error) snprintf(error->path, sizeof error->path, "linear.outputs.%d", at);
  if (!status) status = check_outputs(l->signals, error);
  if (status) return status;
  const int count = torsor_signals_count(l->signals);
  l->output = arena_take(&l->memory, (size_t)count, sizeof *l->output);
  l->input = arena_take(&l->memory, (size_t)l->channels.count, sizeof *l->input);
  if (!l->output || !l->input) return fail_memory(error);
  for (int i = 0; i < count; ++i)
    l->output[i] =
        (torsor_channel){torsor_signals_name(l->signals, i), torsor_signals_unit(l->signals, i)};
  for (int i = 0; i < l->channels.count; ++i) l->input[i] = l->channels.channel[i].label;
  return TORSOR_OK;
}

/* Warns of inputs that change nothing. */
static void warn_of_idle_inputs(const torsor_linear *l, const torsor_hooks *hooks) {
  const linear_rows *r = &l->rows;
  for (int i = 0; i < r->inputs && hooks && hooks->warn; ++i) {
    bool any = false;
    char message[300];
    for (int order = 0; order < 3; ++order) {
      for (int k = 0; k < r->nv + r->nl; ++k) any |= r->R[order][i * (r->nv + r->nl) + k] != 0;
      for (int k = 0; k < r->outputs; ++k) any |= r->D[order][i * r->outputs + k] != 0;
    }
    if (any) continue;
    snprintf(message, sizeof message,
             "the input \"%.200s\" changes nothing at this state: its columns are 0",
             l->input[i].name);
    hooks->warn(hooks->data, message);
  }
}

static torsor_status find_state(torsor_linear *l, const torsor_hooks *hooks, torsor_error *error) {
  const torsor_linear_settings *s = &l->settings;
  const torsor_modes_settings about = {.size = sizeof about,
                                       .about = s->about,
                                       .equilibrium = s->equilibrium,
                                       .linear_solver = s->linear_solver,
                                       .matrices = true};
  torsor_status status = linear_state_find(&l->state, &l->channels.model, &about, hooks, error);
  if (status) return status;
  status =
      pencil_create(&l->pencil, l->state.a, l->state.model, &l->state.t, l->state.q, &l->memory);
  if (!status) status = matrices_copy(&l->system, &l->pencil, l->state.model);
  l->system.velocities = l->pencil.nv;
  return status ? torsor_fail(error, status, "%s", torsor_status_text(status)) : TORSOR_OK;
}

static torsor_status find_space(torsor_linear *l, torsor_error *error) {
  const int nv = l->pencil.nv;
  torsor_status status = accelerations_create(l);
  if (l->settings.descriptor && status == TORSOR_SINGULAR) {
    l->idle.count = 0; /* bodies without inertia have no accelerations, but responses */
    return TORSOR_OK;
  }
  if (status == TORSOR_SINGULAR) {
    torsor_fail(error, status,
                "there is no state space: some body has no inertia in a direction "
                "in which it may move");
    torsor_hint(error, "give it inertia, or ask for the frequency response alone");
    return status;
  }
  if (status) return torsor_fail(error, status, "%s", torsor_status_text(status));
  if (l->settings.descriptor) return TORSOR_OK;
  if (nv <= DENSE_MOST) return state_space_find(l, error);
  torsor_fail(error, TORSOR_ARGUMENT,
              "the state space of %d velocities would take dense matrices of that size", nv);
  torsor_hint(error, "take the sparse matrices of the descriptor form, or the frequency response");
  return TORSOR_ARGUMENT;
}

static torsor_status find(torsor_linear *l, const torsor_model *model, const torsor_hooks *hooks,
                          torsor_error *error) {
  const torsor_linear_settings *s = &l->settings;
  torsor_status status =
      channels_create(&l->channels, model, s->input, s->inputs, &l->memory, error);
  if (!status) status = find_outputs(l, error);
  if (!status) status = find_state(l, hooks, error);
  if (!status)
    status = linear_rows_find(&l->rows, &l->state, &l->channels, l->signals, l->pencil.length, NULL,
                              &l->memory, error);
  if (!status) warn_of_idle_inputs(l, hooks);
  return status ? status : find_space(l, error);
}

torsor_status torsor_linear_find(torsor_linear **out, const torsor_model *model,
                                 const torsor_linear_settings *settings, const torsor_hooks *hooks,
                                 torsor_error *error) {
  *out = NULL;
  torsor_linear_settings all = TORSOR_LINEAR_SETTINGS_INIT;
  torsor_hooks led;
  torsor_status status = options_read(&all, sizeof all, settings, "torsor_linear_settings",
                                      "TORSOR_LINEAR_SETTINGS_INIT", error);
  if (!status) status = hooks_complete(&led, hooks, error);
  if (!status) status = model_check_tangents(model, "linear systems", error);
  if (status) return status;
  torsor_linear *l = calloc(1, sizeof *l);
  if (!l) return fail_memory(error);
  l->settings = all;
  status = find(l, model, hooks ? &led : NULL, error);
  if (status)
    torsor_linear_destroy(l);
  else
    *out = l;
  return status;
}

void torsor_linear_destroy(torsor_linear *l) {
  if (!l) return;
  sweep_release(l);
  linear_solver_destroy(l->solver);
  matrices_release(&l->system);
  linear_state_release(&l->state);
  torsor_signals_destroy(l->signals);
  arena_release(&l->memory);
  free(l);
}

const torsor_state_space *torsor_linear_state_space(const torsor_linear *l) {
  return l->settings.descriptor ? NULL : &l->space;
}

const torsor_channel *torsor_linear_inputs(const torsor_linear *l, int *count) {
  *count = l->rows.inputs;
  return l->input;
}

const torsor_channel *torsor_linear_outputs(const torsor_linear *l, int *count) {
  *count = l->rows.outputs;
  return l->output;
}

const torsor_modes *torsor_linear_system(const torsor_linear *l) {
  return &l->system;
}

torsor_linear_terms torsor_linear_terms_of(const torsor_linear *l) {
  const linear_rows *r = &l->rows;
  return (torsor_linear_terms){.R = {r->R[0], r->R[1], r->R[2]},
                               .H = {r->H[0], r->H[1], r->H[2]},
                               .L = r->L,
                               .D = {r->D[0], r->D[1], r->D[2]}};
}
