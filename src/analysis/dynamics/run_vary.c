/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/dynamics/run_vary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/dynamics/run_messages.h"
#include "assembly/assembly.h"
#include "integrator/variations.h"

struct run_neighbours {
  variations all;
  torsor_sensitivities by;
  int count;               /* number of neighbours of all parameters */
  torsor_run **run;        /* [count] */
  torsor_summary *summary; /* [count] theirs */
  double *row;             /* [columns] signals of one neighbour */
  double *a, *lambda;      /* [nv], [nl] its accelerations at the state of the motion */
};

static torsor_status no_memory(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

static const torsor_sensitivities *parameters_of(const torsor_run *r) {
  return &signals_derivatives(r->signals)->by;
}

/* ---- beginning --------------------------------------------------------------------------------
 */

/* Refuses a method that changes on the way. */
static torsor_status check_method(const torsor_run *r, torsor_error *error) {
  if (!r->integrator->automatic) return TORSOR_OK;
  torsor_fail(error, TORSOR_SCENE,
              "sensitivities are not available with the method \"auto\", which changes on the way");
  torsor_hint(error, "take the method that it chooses: \"explicit\" or \"generalized_alpha\"");
  if (error) snprintf(error->path, sizeof error->path, "simulation.method");
  return TORSOR_SCENE;
}

bool run_sticks(const torsor_run *r) {
  return assembly_problem(r->assembly)->hold != NULL;
}

/* Warns where derivatives exist in parts of the motion only. */
static void warn_of_kinks(const torsor_run *r) {
  if (run_sticks(r))
    run_warn(r,
             "some forces stick and slip: sensitivities hold as long as none of them changes from "
             "one to the other, and are rough, or wrong by some per cent, after such a change");
}

/* Is each step linearised about that of the run?  With other methods than generalised-alpha the
 * neighbours take steps of their own, of the same sizes. */
static bool is_linearised(const torsor_run *r) {
  return strcmp(r->simulation->settings.method, "generalized_alpha") == 0;
}

/* Refuses controllers that both models share: those of the caller's program, which may remember
 * what one of them has done. */
static torsor_status check_controllers(const torsor_run *r, const torsor_run *n,
                                       torsor_error *error) {
  for (int i = 0; i < r->controllers.count; ++i) {
    const torsor_controller *c = r->controllers.sampler[i].controller;
    if (c->callback != n->controllers.sampler[i].controller->callback) continue;
    torsor_fail(error, TORSOR_SCENE,
                "sensitivities are not available with the controller \"%s\", a function of the "
                "program: it may remember what another motion had it do",
                c->name);
    torsor_hint(error, "write it as a block of the scene");
    return TORSOR_SCENE;
  }
  return TORSOR_OK;
}

static torsor_status refuse_other(const torsor_sensitivities *by, int j, const char *what,
                                  torsor_error *error) {
  torsor_fail(error, TORSOR_SCENE,
              "the model has other %s where \"%s\" has another value: there is no derivative", what,
              by->name[j]);
  torsor_hint(error, "only parameters that leave bodies, joints and signals as they are have "
                     "derivatives");
  return TORSOR_SCENE;
}

/* Refuses a neighbouring model with other unknowns. */
static torsor_status match(const torsor_model *model, const torsor_model *other,
                           const torsor_sensitivities *by, int j, torsor_error *error) {
  if (other->nq != model->nq || other->nv != model->nv || other->nl != model->nl ||
      other->node_count != model->node_count || other->coordinate_count != model->coordinate_count)
    return refuse_other(by, j, "unknowns", error);
  if (other->element_count != model->element_count) return refuse_other(by, j, "elements", error);
  for (int i = 0; i < model->element_count; ++i)
    if (other->element[i].type != model->element[i].type ||
        strcmp(other->element[i].name, model->element[i].name) != 0)
      return refuse_other(by, j, "elements", error);
  return TORSOR_OK;
}

/* Adds the parameter to the error of a neighbour. */
static torsor_status blame_parameter(const torsor_sensitivities *by, int j, torsor_status status,
                                     torsor_error *error) {
  if (!error) return status;
  char message[sizeof error->message];
  memcpy(message, error->message, sizeof message);
  torsor_fail(error, status, "with \"%s\" near its value: %.400s", by->name[j], message);
  return status;
}

static torsor_status begin_neighbour(torsor_run *n, torsor_summary *summary, const torsor_run *r,
                                     int i, torsor_error *error) {
  const torsor_sensitivities *by = parameters_of(r);
  const int j = i / TORSOR_NEIGHBOURS;
  n->model = by->neighbour[i];
  n->simulation = r->simulation;
  n->summary = summary;
  *summary = run_no_summary(n->model);
  torsor_status status = match(r->model, n->model, by, j, error);
  if (status) return status;
  status = run_begin(n, NULL, error);
  return status ? blame_parameter(by, j, status, error) : check_controllers(r, n, error);
}

/* Newton's tolerance of neighbours that take their own steps, in parts of the usual one: the
 * derivative is off by a hundred times the part of it that they are off by. */
static const double TIGHTER = 1e-5;

/* Prepares a neighbour that has begun. */
static void lead(torsor_integrator *it, const torsor_run *r) {
  it->beside = is_linearised(r);
  if (it->beside) return;
  it->settings.rtol *= TIGHTER;
  it->settings.atol *= TIGHTER;
}

static torsor_status create(struct run_neighbours *all, torsor_run *r, torsor_error *error) {
  const torsor_sensitivities *by = parameters_of(r);
  const torsor_problem *problem = assembly_problem(r->assembly);
  arena *memory = &r->memory;
  const size_t count = (size_t)by->count * TORSOR_NEIGHBOURS;
  all->run = arena_take(memory, count, sizeof *all->run);
  all->summary = arena_take(memory, count, sizeof *all->summary);
  all->row = arena_take(memory, (size_t)torsor_signals_count(r->signals), sizeof *all->row);
  all->a = arena_take(memory, (size_t)problem->nv, sizeof *all->a);
  all->lambda = arena_take(memory, (size_t)problem->nl, sizeof *all->lambda);
  if (!all->run || !all->summary || !all->row || !all->a || !all->lambda ||
      variations_create(&all->all, by->count, problem, memory))
    return no_memory(error);
  /* events, samples and springs along surfaces belong to where the neighbour is */
  all->all.narrows = !r->events.count && !r->controllers.count && !problem->hold;
  torsor_status status = assembly_make_whole(r->assembly);
  if (status) return torsor_fail(error, status, "%s", torsor_status_text(status));
  for (size_t i = 0; i < count && !status; ++i) {
    torsor_run *n = arena_take(memory, 1, sizeof *n);
    if (!n) return no_memory(error);
    all->run[all->count++] = n;
    status = begin_neighbour(n, &all->summary[i], r, (int)i, error);
    variation *of = &all->all.of[i / TORSOR_NEIGHBOURS];
    of->step = by->step[i / TORSOR_NEIGHBOURS];
    of->part = 1;
    of->neighbour[i % TORSOR_NEIGHBOURS] = n->integrator;
    if (n->integrator) lead(n->integrator, r);
  }
  return status;
}

/* Copies the names, as the signals may go once the run is created. */
static torsor_status copy_parameters(torsor_sensitivities *out, torsor_run *r,
                                     torsor_error *error) {
  const torsor_sensitivities *by = parameters_of(r);
  const char **name = arena_take(&r->memory, (size_t)by->count, sizeof *name);
  if (!name) return no_memory(error);
  for (int j = 0; j < by->count; ++j)
    if (!(name[j] = arena_string(&r->memory, by->name[j]))) return no_memory(error);
  *out = (torsor_sensitivities){.count = by->count, .name = name};
  return TORSOR_OK;
}

static torsor_status begin(torsor_run *r, torsor_error *error) {
  torsor_status status = check_method(r, error);
  if (status) return status;
  r->neighbours = arena_take(&r->memory, 1, sizeof *r->neighbours);
  if (!r->neighbours) return no_memory(error);
  status = copy_parameters(&r->neighbours->by, r, error);
  if (!status) status = create(r->neighbours, r, error);
  if (!status && is_linearised(r)) r->integrator->varied = &r->neighbours->all;
  if (!status) warn_of_kinks(r);
  return status;
}

static torsor_status check_begun(const torsor_run *r, torsor_error *error) {
  const struct run_neighbours *all = r->neighbours;
  for (int i = 0; all && i < all->count; ++i) {
    const torsor_integrator *n = all->run[i]->integrator, *it = r->integrator;
    if (n->begun == it->begun && n->grid.level == it->grid.level &&
        all->run[i]->redundant == r->redundant)
      continue;
    torsor_fail(error, TORSOR_SCENE,
                "a motion with \"%s\" near its value starts in another way: there is no derivative",
                all->by.name[i / TORSOR_NEIGHBOURS]);
    torsor_hint(error, "give a smaller \"scale\" of the parameter, or another \"start\"");
    return TORSOR_SCENE;
  }
  return TORSOR_OK;
}

static void release(torsor_run *r) {
  struct run_neighbours *all = r->neighbours;
  for (int i = 0; all && i < all->count; ++i) run_release(all->run[i]);
  r->neighbours = NULL;
}

/* ---- going on ---------------------------------------------------------------------------------
 */

/* Have the same events happened? */
static bool same_events(const torsor_run *a, const torsor_run *b) {
  if (a->last.switches != b->last.switches || (a->last.stop < 0) != (b->last.stop < 0))
    return false;
  if (a->events.reported != b->events.reported) return false;
  const size_t size = (size_t)a->events.reported * sizeof *a->events.reported_code;
  return !size || memcmp(a->events.reported_code, b->events.reported_code, size) == 0;
}

static torsor_status fail_events(const torsor_run *r, int i, torsor_error *error) {
  const char *name = r->neighbours->by.name[i / TORSOR_NEIGHBOURS];
  const bool here = r->events.reported > 0;
  const torsor_run *has = here ? r : r->neighbours->run[i];
  const torsor_occurrence o = events_occurrence(&has->events, 0);
  torsor_fail(error, TORSOR_STEP,
              "the event \"%s\" at t = %.9g s does not happen in the same step where \"%s\" has "
              "another value nearby: there is no derivative, or a smaller change of it is needed",
              o.event->name, o.t, name);
  torsor_hint(error, "give a smaller \"scale\" of the parameter, or other steps");
  torsor_fail_at(error, r->summary->t);
  return TORSOR_STEP;
}

static torsor_status fail_lost(const torsor_run *r, torsor_error *error) {
  torsor_fail(error, TORSOR_STEP,
              r->neighbours->all.wide
                  ? "the sensitivities have grown so large that the differences are not precise at "
                    "t = %.9g s"
                  : "the sensitivities cannot be followed at t = %.9g s",
              r->summary->t);
  if (r->neighbours->all.wide) torsor_hint(error, "give a smaller \"scale\" of the parameter");
  torsor_fail_at(error, r->summary->t);
  return TORSOR_STEP;
}

static bool is_lost(const torsor_run *r) {
  return r->neighbours && r->neighbours->all.lost;
}

/* Lets the neighbours take the last step of the run themselves. */
static bool step_neighbours(torsor_run *r) {
  struct run_neighbours *all = r->neighbours;
  const torsor_integrator *it = r->integrator;
  const double t0 = it->last.begin.t;
  for (int i = 0; i < all->count; ++i) {
    double end, size;
    variation_step(&end, &size, all->run[i]->integrator, it, t0, it->t, it->t - t0);
    if (integrator_step_beside(all->run[i]->integrator, end, size)) return false;
  }
  return true;
}

static torsor_status follow_step(torsor_run *r, torsor_error *error) {
  struct run_neighbours *all = r->neighbours;
  torsor_status status = TORSOR_OK;
  if (!is_linearised(r) && !step_neighbours(r)) all->all.lost = true;
  if (all->all.lost) return fail_lost(r, error);
  for (int i = 0; i < all->count && !status; ++i) {
    torsor_run *n = all->run[i];
    n->summary->t = n->integrator->t;
    if (is_linearised(r)) assembly_copy_coordinates(n->assembly, r->assembly);
    const double t0 = n->integrator->last.begin.t;
    status = run_finish_step(n, t0, error);
    if (!status && !same_events(r, n)) status = fail_events(r, i, error);
    if (!status) status = run_keep_past(n, t0, error);
  }
  return status;
}

static void cut(torsor_run *r) {
  const struct run_neighbours *all = r->neighbours;
  for (int i = 0; all && i < all->count; ++i)
    all->run[i]->integrator->control.wanted = r->integrator->control.wanted;
}

static torsor_status settle(torsor_run *r, torsor_error *error) {
  const struct run_neighbours *all = r->neighbours;
  torsor_status status = TORSOR_OK;
  for (int i = 0; all && i < all->count && !status; ++i) status = run_settle(all->run[i], error);
  return status;
}

/* ---- output -----------------------------------------------------------------------------------
 */

/* Adds `factor` times the signals of a neighbour, which were evaluated last. */
static void add_signals(double *out, const struct run_neighbours *all, const torsor_run *n,
                        const torsor_signals *signals, const torsor_point *p, double factor) {
  const derivatives *d = signals_derivatives(signals);
  observer_signals(&n->observer, all->row, signals, p, NULL);
  for (int k = 0; k < d->each; ++k) out[k] += factor * all->row[d->of[k]];
}

/* Evaluates neighbour i at the state of the motion at t. */
static torsor_status look_at_motion(torsor_point *p, torsor_run *r, int i, double t, bool reactions,
                                    torsor_error *error) {
  const struct run_neighbours *all = r->neighbours;
  torsor_run *n = all->run[i];
  torsor_integrator *it = n->integrator;
  torsor_state state;
  bool determined;
  torsor_status status = run_look_at(&state, r, t, reactions);
  if (!status && reactions && r->model->nl > 0 &&
      it->settings.multipliers == TORSOR_MULTIPLIERS_ACCELERATION) {
    memcpy(all->lambda, state.lambda, (size_t)r->model->nl * sizeof *all->lambda);
    status =
        start_reactions(&determined, all->a, all->lambda, it, t, state.q, state.v, it->last.work);
    state.a = all->a;
    state.lambda = all->lambda;
  }
  if (status)
    return torsor_fail(error, TORSOR_STEP, "the derivatives at t = %.9g s cannot be found: %s", t,
                       torsor_status_text(status));
  return observer_look(&n->observer, p, &state, error);
}

/* Adds neighbour i's part of its parameter's derivatives, out [their columns]. */
static torsor_status add_part(double *out, torsor_run *r, int i, const torsor_signals *signals,
                              double t, bool reactions, torsor_error *error) {
  const struct run_neighbours *all = r->neighbours;
  const variation *of = &all->all.of[i / TORSOR_NEIGHBOURS];
  const double factor = variation_weight(i % TORSOR_NEIGHBOURS) / of->step, part = of->part;
  torsor_run *n = all->run[i];
  torsor_point p;
  torsor_status status = TORSOR_OK;
  if (part < 1) {
    status = look_at_motion(&p, r, i, t, reactions, error);
    if (!status) add_signals(out, all, n, signals, &p, factor * (1 - 1 / part));
  }
  if (!status) status = run_look(n, &p, t, reactions, error);
  if (!status) add_signals(out, all, n, signals, &p, factor / part);
  return status;
}

torsor_status run_vary_fill(torsor_run *r, double *row, const torsor_signals *signals, double t,
                            torsor_error *error) {
  const struct run_neighbours *all = r->neighbours;
  const derivatives *d = signals_derivatives(signals);
  const bool reactions = signals_need_reactions(signals);
  torsor_status status = TORSOR_OK;
  if (!all || d->by.count != all->by.count) return TORSOR_OK;
  double *out = row + signals_own_count(signals);
  memset(out, 0, (size_t)d->count * sizeof *out);
  for (int i = 0; i < all->count && !status; ++i) {
    double *part = out + i / TORSOR_NEIGHBOURS * d->each;
    if (t >= all->run[i]->integrator->last.begin.t)
      status = add_part(part, r, i, signals, t, reactions, error);
    else
      for (int k = 0; k < d->each; ++k) part[k] = nan("");
  }
  return status;
}

static void walk(torsor_run *r, tape *t) {
  const struct run_neighbours *all = r->neighbours;
  for (int i = 0; all && i < all->count; ++i) {
    assembly_walk(all->run[i]->assembly, t);
    run_walk(all->run[i], t);
  }
  for (int j = 0; all && j < all->by.count; ++j) TAPE_VALUE(t, all->all.of[j].part);
  if (all) TAPE_VALUE(t, r->neighbours->all.lost);
}

const run_follower *run_vary_follower(const torsor_signals *signals) {
  static const run_follower neighbours = {.begin = begin,
                                          .check = check_begun,
                                          .release = release,
                                          .follow = follow_step,
                                          .lost = is_lost,
                                          .cut = cut,
                                          .settle = settle,
                                          .walk = walk};
  return signals && signals_derivatives(signals)->count ? &neighbours : NULL;
}
