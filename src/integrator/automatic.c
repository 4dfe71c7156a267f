/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "automatic.h"

#include <math.h>
#include <string.h>

#include "explicit_step.h"

/* The choice.  Explicit steps show by themselves where something stiff limits them
 * (explicit_find_rho) or where they end at rows of output or the like before they are as long as
 * their error allows. Whether implicit steps are cheaper then is found by taking some, and
 * comparing time per work. Implicit steps do not show the opposite: from time to time an explicit
 * step is tried without being taken, of the size with which explicit steps would be cheaper by a
 * margin.  Where it is accurate and stable, the method changes.
 *
 * A change that was in vain makes the same one wait for longer the next time. */

enum { EXPLICIT, IMPLICIT, METHODS };

static const method *const methods[METHODS] = {&method_explicit, &method_radau};

/* Why explicit steps were left. */
enum { NOTHING, STIFF, SHORTENED, REASONS };

/* The numbers of explicit steps after which they are left: of those limited by stability, among
 * which not so many others in a row lie; of those far smaller than the largest one because of
 * something fast; of those in a row that their error would allow to be longer. */
enum { STIFF_STEPS = 5, OTHER_STEPS = 6, NARROW_STEPS = 50, SHORTENED_STEPS = 10 };
static const double NARROW = 1.0 / 50, NARROW_RHO = 2;

/* A step after which the error control wants one larger by this was shortened by something else. */
static const double SHORTENED_BY = 1.5;

/* Those numbers grow by this factor each time that implicit steps were in vain. */
enum { MOST_PATIENCE = 64 };
static const int more_patience[REASONS] = {1, 2, 4};

/* Implicit steps after a change that do not count: they begin with the size of the explicit ones
 * and grow, while what those have excited decays. */
static const int growing_steps[REASONS] = {20, 20, 2};

/* Implicit steps from one trial of an explicit step to the next: it doubles with each vain one.
 * After a change because explicit steps were shortened, costs alone decide, and fewer steps do. */
enum { FIRST_TRIAL = 10, LAST_TRIAL = 160 };
static const int first_trial[REASONS] = {FIRST_TRIAL, FIRST_TRIAL, 3};

/* Explicit steps must be cheaper by this factor to be taken again, and their h rho must be below
 * this: the limit of stability is half as far again. */
static const double MARGIN = 1.25, CALM_RHO = 4;

/* Costs in parts of problem->factor_cost, that of a factorisation of the index-3 form: of the
 * accelerations in a stage, with a matrix of all unknowns or without, and of a factorisation of the
 * stabilised form, which is larger. Residuals with a solution have cost 1.  Measured on an arm with
 * six hinges. */
static const double STAGE_COST = 0.8, LEAN_STAGE_COST = 0.3, STABILISED_COST = 2.4,
                    USUAL_FACTOR_COST = 3;

typedef struct automatic_state {
  double begun, work;    /* time and work at the begin of the implicit steps that count */
  double escaped;        /* time at which a method last found no step small enough */
  double size;           /* explicit step with which the method changes */
  double most;           /* largest explicit step that what shortens them leaves */
  int active, next;      /* methods of the last and of the next step */
  int reason;            /* for which explicit steps were left last, or are about to be */
  int above, below;      /* steps limited by stability, and others in a row since the last one */
  int narrow;            /* small steps in a row */
  int shortened;         /* shortened steps in a row */
  int patience[REASONS]; /* factor on the numbers of such steps */
  int steps, interval;   /* implicit steps that count, until the next trial */
  int trials;            /* vain trials since the change */
} automatic_state;

typedef struct automatic {
  automatic_state now;
  void *own[METHODS];
  const double *jump[METHODS];
} automatic;

/* ---- the methods -------------------------------------------------------------------------- */

static void activate(torsor_integrator *it, int i) {
  automatic *a = it->automatic;
  a->now.active = a->now.next = i;
  it->method = methods[i];
  it->order = methods[i]->order;
  it->own = a->own[i];
  it->jump = a->jump[i];
}

static torsor_status check(const torsor_problem *problem, const torsor_settings *settings,
                           torsor_error *error) {
  if (!torsor_accuracy_is_set(&settings->accuracy)) {
    torsor_fail(error, TORSOR_ARGUMENT,
                "the method \"auto\" chooses between methods by their errors, and no accuracy is "
                "given");
    torsor_hint(error, "give \"accuracy\", or leave out \"step\", too: both are then chosen");
    return TORSOR_ARGUMENT;
  }
  for (int i = 0; i < METHODS; ++i) {
    const torsor_status status = methods[i]->check(problem, settings, error);
    if (status) return status;
  }
  return TORSOR_OK;
}

static torsor_status create(torsor_integrator *it) {
  automatic *a = arena_take(&it->memory, 1, sizeof *a);
  if (!a) return TORSOR_MEMORY;
  it->automatic = a;
  for (int i = 0; i < METHODS; ++i) {
    it->method = methods[i];
    it->jump = NULL;
    const torsor_status status = methods[i]->create(it);
    if (status) return status;
    a->own[i] = it->own;
    a->jump[i] = it->jump;
  }
  activate(it, EXPLICIT);
  return TORSOR_OK;
}

void automatic_walk(torsor_integrator *it, tape *t) {
  automatic *a = it->automatic;
  TAPE_VALUE(t, a->now);
  const automatic_state now = a->now;
  for (int i = 0; i < METHODS; ++i) {
    activate(it, i);
    methods[i]->walk(it, t);
  }
  activate(it, now.active == IMPLICIT ? IMPLICIT : EXPLICIT);
  a->now = now;
}

/* ---- changes ------------------------------------------------------------------------------ */

/* Work since the start, in residuals with a solution each. */
static double work_done(const torsor_integrator *it) {
  const torsor_counters *c = &it->counters;
  const double cost = it->problem->factor_cost > 0 ? it->problem->factor_cost : USUAL_FACTOR_COST;
  return (double)c->residual_evaluations + STABILISED_COST * cost * (double)c->factorizations +
         STAGE_COST * cost * (double)c->steps;
}

static double explicit_work(const torsor_integrator *it, const explicit_step *s) {
  const double cost = it->problem->factor_cost > 0 ? it->problem->factor_cost : USUAL_FACTOR_COST;
  return (s->lean ? LEAN_STAGE_COST : STAGE_COST) * cost * s->pair->stages;
}

static void clear_evidence(automatic_state *n) {
  n->above = n->below = n->narrow = n->shortened = n->trials = 0;
  n->interval = FIRST_TRIAL;
}

static void count_anew(torsor_integrator *it) {
  automatic_state *n = &it->automatic->now;
  n->begun = it->t;
  n->work = work_done(it);
  n->steps = 0;
}

static void be_patient(automatic_state *n, int patience) {
  for (int i = 0; i < REASONS; ++i) n->patience[i] = patience;
}

void automatic_begin_again(torsor_integrator *it) {
  if (!it->automatic) return;
  automatic_state *n = &it->automatic->now;
  be_patient(n, 1);
  n->interval = FIRST_TRIAL;
}

/* Records why the method changes; a stiff model by what is fastest in the last explicit step. */
static void note_reason(torsor_integrator *it) {
  torsor_findings *f = &it->findings;
  const automatic *a = it->automatic;
  const explicit_step *s = a->own[EXPLICIT];
  const bool stiff = a->now.reason == STIFF;
  if (a->now.next == EXPLICIT) {
    if (stiff && f->returned++ == 0) f->returned_at = it->t;
  } else if (!stiff) {
    if (f->shortened++ == 0) f->shortened_at = it->t;
  } else if (f->stiff++ == 0) {
    f->stiff_at = it->t;
    f->stiffest = s->stiff.fastest;
  }
}

/* Starting values of the method that is about to take the next step. */
static torsor_status find_start(torsor_integrator *it) {
  const torsor_status status = it->method->start(it, it->control.wanted);
  interpolate_keep(it);
  interpolate_follow(it);
  interpolate_begin(it);
  return status;
}

torsor_status automatic_turn(torsor_integrator *it) {
  if (!it->automatic) return TORSOR_OK;
  automatic_state *n = &it->automatic->now;
  step_control *c = &it->control;
  if (n->next == n->active) return TORSOR_OK;
  note_reason(it);
  ++it->counters.method_changes;
  activate(it, n->next);
  clear_evidence(n);
  n->steps = -growing_steps[n->reason];
  n->interval = first_trial[n->reason];
  c->before = 0;
  c->refused = false;
  if (n->active == EXPLICIT) {
    c->wanted = n->size;
    memset(it->eta, 0, (size_t)it->problem->nl * sizeof *it->eta);
  }
  return c->anew ? TORSOR_OK : find_start(it);
}

bool automatic_escape(torsor_integrator *it) {
  if (!it->automatic) return false;
  automatic_state *n = &it->automatic->now;
  if (n->escaped == it->t) return false;
  n->escaped = it->t;
  n->next = n->active == EXPLICIT ? IMPLICIT : EXPLICIT;
  if (n->next == IMPLICIT) n->reason = STIFF;
  n->size = n->most = it->control.wanted = it->settings.step;
  return true;
}

/* ---- from explicit steps ------------------------------------------------------------------ */

static void watch_explicit(torsor_integrator *it) {
  automatic_state *n = &it->automatic->now;
  const step_control *c = &it->control;
  const explicit_step *s = it->own;
  const double rho = s->stiff.rho;
  if (rho > s->pair->stable) {
    ++n->above;
    n->below = 0;
  } else if (n->above > 0 && ++n->below == OTHER_STEPS) {
    n->above = n->below = 0;
  }
  const bool narrow = c->h < NARROW * it->settings.step && rho > NARROW_RHO;
  const bool shortened = c->wanted > SHORTENED_BY * c->h;
  n->narrow = narrow ? n->narrow + 1 : 0;
  n->shortened = shortened ? n->shortened + 1 : 0;
  const int patience = n->patience[STIFF];
  const bool stiff = n->above >= STIFF_STEPS * patience || n->narrow >= NARROW_STEPS * patience;
  if (!stiff && n->shortened < SHORTENED_STEPS * n->patience[SHORTENED]) return;
  n->next = IMPLICIT;
  n->reason = stiff ? STIFF : SHORTENED;
  n->most = stiff ? it->settings.step : c->h;
}

/* ---- from implicit steps ------------------------------------------------------------------ */

/* Size of explicit steps that would be cheaper than the implicit ones that count, by MARGIN; at
 * least that of these, which follow what is asked for, and 0 where steps cannot be as large. */
static double worthwhile_size(const torsor_integrator *it) {
  const automatic_state *n = &it->automatic->now;
  const double mean = (it->t - n->begun) / n->steps;
  const double each = (work_done(it) - n->work) / n->steps;
  const double size = MARGIN * mean * explicit_work(it, it->automatic->own[EXPLICIT]) / each;
  if (!(size <= n->most)) return 0;
  return n->reason == SHORTENED ? fmax(size, fmin(mean, n->most)) : size;
}

/* Tries an explicit step of size h, whatever its error with `passing`, and returns its h rho.
 * Nothing but counters changes. */
static double try_explicit(torsor_integrator *it, double h, bool passing) {
  explicit_step *s = it->automatic->own[EXPLICIT];
  const step_control control = it->control;
  it->control.error = 0;
  it->control.worst = -1;
  it->control.passing = passing;
  const double rho = explicit_try(s, it->t + h, h);
  it->control = control;
  newton_forget(&it->newton);
  return rho;
}

static void go_back(automatic_state *n, double size) {
  int *patience = &n->patience[n->reason];
  const bool in_vain = n->trials == 0 || n->reason == SHORTENED;
  *patience = in_vain ? *patience * more_patience[n->reason] : 1;
  if (*patience > MOST_PATIENCE) *patience = MOST_PATIENCE;
  n->size = size;
  n->next = EXPLICIT;
}

static void watch_implicit(torsor_integrator *it) {
  automatic_state *n = &it->automatic->now;
  ++it->counters.implicit_steps;
  if (++n->steps == 0) count_anew(it);
  if (n->steps < n->interval) return;
  const double size = worthwhile_size(it);
  if (size > 0 && try_explicit(it, size, false) < CALM_RHO) {
    go_back(n, size);
    return;
  }
  ++n->trials;
  n->interval = n->interval < LAST_TRIAL ? 2 * n->interval : LAST_TRIAL;
  count_anew(it);
}

void automatic_follow(torsor_integrator *it) {
  if (!it->automatic) return;
  if (it->automatic->now.active == EXPLICIT)
    watch_explicit(it);
  else
    watch_implicit(it);
}

/* ---- the start ---------------------------------------------------------------------------- */

void automatic_begin(torsor_integrator *it) {
  if (!it->automatic) return;
  activate(it, EXPLICIT);
  it->automatic->now = (automatic_state){.escaped = it->t - 1, .begun = it->t};
  be_patient(&it->automatic->now, 1);
  clear_evidence(&it->automatic->now);
}

torsor_status automatic_choose_first(torsor_integrator *it) {
  if (!it->automatic) return TORSOR_OK;
  automatic_state *n = &it->automatic->now;
  if (!(try_explicit(it, NARROW * it->settings.step, true) > pair_853.stable)) return TORSOR_OK;
  n->next = IMPLICIT;
  n->reason = STIFF;
  n->most = it->settings.step;
  return automatic_turn(it);
}

const method method_auto = {.name = "auto",
                            .title = "explicit steps while nothing is stiff, else those of radau",
                            .order = 8,
                            .settings = {NULL},
                            .check = check,
                            .create = create,
                            .stabilised = true,
                            .settles = true,
                            .needs_accuracy = true,
                            .estimates_error = true};
