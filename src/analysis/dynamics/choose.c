/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/analysis.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "analysis/dynamics/features.h"
#include "analysis/dynamics/run.h"
#include "analysis/start/options_read.h"
#include "analysis/start/rows.h"
#include "assembly/model/model.h"
#include "base/arena.h"
#include "base/text.h"

/* Choice of the steps of a simulation that names none.  Steps are controlled, and trial runs find
 * how accurate they have to be.  The first one, with constant steps, shows how far bodies move and
 * rotate: the accuracy is a fraction of that.  Two runs with controlled steps follow, of which the
 * second has a quarter of the local errors of the first; the difference of the two shows the global
 * errors, as a motion may amplify local ones.  Where these are too large, further runs with smaller
 * errors follow. */

/* Local errors over the whole duration, relative to the motion. */
static const double ACCURACY = 1e-3;

/* Largest global error, relative to the motion: the motion may amplify local errors by a small
 * factor. */
static const double MOST_ERROR = 3e-3;

/* Number of states of a trial run that are stored and compared. */
enum { STATES = 125 };

/* Number of trial runs, and of quarterings of the errors from one to the next. */
enum { MOST_TRIALS = 8, MOST_QUARTERINGS = 3 };

/* Largest number of steps times unknowns of a trial run: some seconds or, for models so large that
 * these are few steps, minutes of one processor. */
static const double MOST_WORK = 3e7;
enum { LEAST_STEPS = 20 * ROWS_USUAL };

/* Motions of fewer rounding errors than this may consist of them. */
static const double MOST_ROUNDING = 1e6;

/* ---- trial runs ---------------------------------------------------------------------------- */

/* Times, positions and orientations (as quaternions) of all nodes. */
typedef struct trial {
  double *state; /* [states x (1 + 7 nodes)] */
  int states;
  torsor_summary summary;
  torsor_status status;
  bool costly; /* it was stopped because it took too many steps */
} trial;

typedef struct chooser {
  const torsor_model *model;
  const torsor_simulation *simulation;
  const torsor_hooks *hooks;
  torsor_choice *choice;
  arena memory;
  int parts; /* number of parts of the usual step that functions of time need */
  double speed, rate, acceleration; /* largest values so far: m/s, rad/s, m/s^2 */
  trial *now;                       /* the present trial run */
  trial failed;                     /* a trial run with controlled steps that failed */
} chooser;

static size_t state_size(const chooser *c) {
  return 1 + 7 * (size_t)c->model->node_count;
}

static void note_largest(double *largest, const double *field, size_t node) {
  *largest = fmax(*largest, v3_norm(v3_load(field + 3 * node)));
}

static void note_rates(chooser *c, const torsor_frame *frame) {
  for (size_t k = 0; k < (size_t)c->model->node_count; ++k) {
    if (c->model->node[k].init.abstract) continue;
    note_largest(&c->speed, frame->field[TORSOR_FIELD_VELOCITY], k);
    note_largest(&c->rate, frame->field[TORSOR_FIELD_ANGULAR_VELOCITY], k);
    note_largest(&c->acceleration, frame->field[TORSOR_FIELD_ACCELERATION], k);
  }
}

static torsor_status keep_state(void *data, const torsor_frame *frame) {
  chooser *c = data;
  trial *t = c->now;
  const size_t nodes = (size_t)c->model->node_count;
  note_rates(c, frame);
  if (t->states > STATES) return TORSOR_OK;
  double *to = t->state + (size_t)t->states++ * state_size(c);
  to[0] = frame->value[0];
  memcpy(to + 1, frame->field[TORSOR_FIELD_POSITION], 3 * nodes * sizeof *to);
  memcpy(to + 1 + 3 * nodes, frame->field[TORSOR_FIELD_QUATERNION], 4 * nodes * sizeof *to);
  return TORSOR_OK;
}

static void watch_work(void *data, double t, double duration, const torsor_counters *counters) {
  chooser *c = data;
  const double unknowns = c->model->nv + 2.0 * c->model->nl;
  (void)t;
  (void)duration;
  c->now->costly = counters->steps > (long)c->parts * LEAST_STEPS &&
                   (double)counters->steps * unknowns > MOST_WORK;
}

static bool is_over(void *data) {
  const chooser *c = data;
  const torsor_hooks *hooks = c->hooks;
  return c->now->costly || (hooks && hooks->stop && hooks->stop(hooks->data));
}

/* Makes a trial run, whose states are stored at STATES equal parts of its duration and which shows
 * nothing else.  Its own failure is in out->status. */
static torsor_status run_trial(trial *out, chooser *c, const torsor_simulation *simulation,
                               torsor_error *error) {
  torsor_simulation s = *simulation;
  const int spacings = (int)lround(s.duration / s.output_step);
  const torsor_hooks hooks = {
      .size = sizeof(torsor_hooks),
      .data = c,
      .frame = keep_state,
      .recording = {.full = true,
                    .every = spacings < STATES ? 1 : spacings / STATES,
                    .fields = 1u << TORSOR_FIELD_POSITION | 1u << TORSOR_FIELD_QUATERNION |
                              1u << TORSOR_FIELD_VELOCITY | 1u << TORSOR_FIELD_ANGULAR_VELOCITY |
                              1u << TORSOR_FIELD_ACCELERATION},
      .progress = watch_work,
      .stop = is_over,
      .threads = c->hooks ? c->hooks->threads : 0};
  out->states = 0;
  out->costly = false;
  if (!out->state)
    out->state = arena_take(&c->memory, (STATES + 1) * state_size(c), sizeof *out->state);
  if (!out->state) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  c->now = out;
  out->status = run_simulate(&out->summary, c->model, &s, NULL, &hooks, NULL, error);
  ++c->choice->trials;
  c->choice->steps += out->summary.counters.steps;
  return out->status == TORSOR_INTERRUPTED && !out->costly ? TORSOR_INTERRUPTED : TORSOR_OK;
}

/* Method of constant steps in place of one that has none. */
static const char CONSTANT_METHOD[] = "radau";

/* Returns a simulation with constant steps whose square, to which errors are proportional, is
 * `part` of that of the usual ones. */
static torsor_simulation constant_part(const chooser *c, double part) {
  torsor_simulation s = *c->simulation;
  s.output_step = rows_largest_step(&s);
  s.settings.step = s.output_step / c->parts * sqrt(part);
  s.settings.max_halvings = ROWS_HALVINGS;
  if (torsor_method_needs_accuracy(s.settings.method)) s.settings.method = CONSTANT_METHOD;
  s.every = 1;
  s.interpolate = false;
  return s;
}

/* Returns a simulation with controlled steps, whose largest step and accuracy are reduced in the
 * same way. */
static torsor_simulation controlled(const chooser *c, double part) {
  const torsor_choice *found = c->choice;
  const double duration = c->simulation->duration;
  torsor_simulation s = constant_part(c, part);
  s.settings.method = c->simulation->settings.method;
  if (s.settings.step > s.output_step) s.output_step = s.settings.step;
  s.settings.accuracy = (torsor_accuracy){.position = part * ACCURACY * found->way / duration,
                                          .rotation = part * ACCURACY * found->turn / duration};
  return s;
}

/* ---- what they show ------------------------------------------------------------------------ */

static const double *state_of(const chooser *c, const trial *t, int state) {
  return t->state + (size_t)state * state_size(c);
}

static const double *place(const double *state, int node) {
  return state + 1 + 3 * node;
}

static const double *orientation(const chooser *c, const double *state, int node) {
  return state + 1 + 3 * c->model->node_count + 4 * node;
}

static double distance(const double *a, const double *b) {
  return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

/* Returns the angle between two orientations, from |a -+ b| = 2 sin(angle/4), which is exact for
 * small ones. */
static double angle(const double *a, const double *b) {
  double plus = 0, minus = 0;
  for (int i = 0; i < 4; ++i) {
    plus += (a[i] + b[i]) * (a[i] + b[i]);
    minus += (a[i] - b[i]) * (a[i] - b[i]);
  }
  return 4 * asin(fmin(1, sqrt(fmin(plus, minus)) / 2));
}

/* Is the node one in space, with no modal or other abstract coordinates? */
static bool is_place(const chooser *c, int node) {
  return !c->model->node[node].init.abstract;
}

/* Returns the distance that the largest velocity covers in the time between two rows, or until the
 * largest acceleration has reversed it: the stored states do not show a motion whose period is that
 * time. */
static double way_of_speed(const chooser *c) {
  const double way = c->speed * rows_largest_step(c->simulation);
  return c->speed * c->speed < way * c->acceleration ? c->speed * c->speed / c->acceleration : way;
}

/* Finds the largest distances and rotations of the nodes from their initial frames, at least what
 * the largest velocities cause; motions that may consist of rounding count as zero. */
static void find_motion(chooser *c, const trial *t) {
  static const double origin[3] = {0, 0, 0};
  torsor_choice *found = c->choice;
  double way = way_of_speed(c), turn = c->rate * rows_largest_step(c->simulation);
  double size = c->model->length;
  const double *begin = state_of(c, t, 0);
  for (int i = 0; i < t->states; ++i) {
    const double *state = state_of(c, t, i);
    for (int k = 0; k < c->model->node_count; ++k) {
      if (!is_place(c, k)) continue;
      size = fmax(size, distance(place(state, k), origin));
      way = fmax(way, distance(place(state, k), place(begin, k)));
      turn = fmax(turn, angle(orientation(c, state, k), orientation(c, begin, k)));
    }
  }
  const double least = MOST_ROUNDING * DBL_EPSILON;
  found->way = way > least * size ? way : 0;
  found->turn = turn > least || found->way == 0 ? fmin(1, turn) : 0;
}

/* Returns the largest difference of two states, relative to the motion. */
static double compare_states(const chooser *c, const double *a, const double *b) {
  const torsor_choice *found = c->choice;
  double most = 0;
  for (int k = 0; k < c->model->node_count; ++k) {
    if (!is_place(c, k)) continue;
    if (found->way > 0) most = fmax(most, distance(place(a, k), place(b, k)) / found->way);
    if (found->turn > 0)
      most = fmax(most, angle(orientation(c, a, k), orientation(c, b, k)) / found->turn);
  }
  return most;
}

/* Returns the largest difference of two trial runs, up to an event that has ended one of them. */
static double compare(const chooser *c, const trial *a, const trial *b) {
  double most = 0;
  for (int i = 0; i < a->states && i < b->states; ++i) {
    const double *one = state_of(c, a, i), *other = state_of(c, b, i);
    if (fabs(one[0] - other[0]) > 1e-9 * c->simulation->duration) break;
    most = fmax(most, compare_states(c, one, other));
  }
  return most;
}

static void append_failed(text *out, const torsor_choice *choice, const torsor_model *model) {
  text_printf(
      out,
      "the run needs too many steps under error control: their size is only %.2g s at t = %.6g s",
      choice->step, choice->failed_at);
  if (choice->element >= 0) {
    const model_element *e = &model->element[choice->element];
    text_printf(out, ", limited by errors of %s \"%s\"", e->type->name, e->name);
  }
}

/* ---- the choice ---------------------------------------------------------------------------- */

/* Returns the number of quarterings that reduce an error to half of the allowed one. */
static int quarterings(double error) {
  const double wanted = ceil(log(2 * error / MOST_ERROR) / log(4));
  return (int)fmin(fmax(wanted, 1), MOST_QUARTERINGS);
}

/* Makes further trial runs after `two[0]`, whose errors are `part` of the usual ones, until two
 * successive ones agree: `out` is the latter.  A run that fails or is too costly ends this, too. */
static torsor_status refine(torsor_simulation *out, chooser *c, trial two[2], double part,
                            torsor_error *error) {
  torsor_choice *found = c->choice;
  trial *before = &two[0], *now = &two[1];
  for (int i = 0, power = 1; i < MOST_TRIALS; ++i) {
    const double ratio = ldexp(1, -2 * power);
    const torsor_simulation s =
        found->constant ? constant_part(c, part * ratio) : controlled(c, part * ratio);
    const torsor_status status = run_trial(now, c, &s, error);
    if (status || now->status) return status;
    part *= ratio;
    *out = s;
    found->error = compare(c, before, now) * ratio / (1 - ratio);
    if (!(found->error > MOST_ERROR)) return TORSOR_OK;
    power = quarterings(found->error);
    trial *spare = before;
    before = now;
    now = spare;
  }
  return TORSOR_OK;
}

/* Stores the time, the step and the body at which a controlled trial run failed. */
static void note_failed(chooser *c, const trial *t) {
  torsor_choice *found = c->choice;
  if (!t->status) return;
  found->failed_at = t->summary.t;
  found->step = t->summary.last_step;
  found->element = t->summary.limiting;
  found->costly = t->costly;
  c->failed = *t;
}

/* Chooses controlled steps: the first trial run has four times the errors, and half the rows. */
static torsor_status choose_controlled(torsor_simulation *out, chooser *c, torsor_error *error) {
  trial two[2] = {0};
  *out = controlled(c, 4);
  torsor_status status = run_trial(&two[0], c, out, error);
  if (!status && !two[0].status) status = refine(out, c, two, 4, error);
  note_failed(c, two[0].status ? &two[0] : &two[1]);
  return status;
}

static torsor_status refuse(const chooser *c, const char *more, torsor_error *error) {
  text why = {0};
  append_failed(&why, c->choice, c->model);
  torsor_fail(error, TORSOR_STEP, "%s%s", why.failed ? "" : why.data, more);
  text_release(&why);
  torsor_hint(error, "name a \"step\" (of constant size, in s), or a shorter duration");
  return TORSOR_STEP;
}

/* Checks constant steps: they must reach the last state that controlled ones have reached.  Where
 * they do not, they fail to follow the motion itself. */
static torsor_status check_constant(chooser *c, const torsor_simulation *chosen,
                                    torsor_error *error) {
  const double *last = state_of(c, &c->failed, c->failed.states - 1);
  trial again = {0};
  torsor_simulation s = *chosen;
  s.duration = s.output_step = last[0];
  s.settings.step = last[0] / ceil(last[0] / chosen->settings.step);
  const torsor_status status = run_trial(&again, c, &s, error);
  if (status) return status;
  const bool there = !again.status && compare_states(c, state_of(c, &again, again.states - 1),
                                                     last) <= 3 * MOST_ERROR;
  return there ? TORSOR_OK : refuse(c, ", and constant steps do not follow the motion", error);
}

/* Returns the failure of a trial run, whose message `error` still has. */
static torsor_status repeat(const trial *failed, torsor_error *error) {
  torsor_error why = error ? *error : (torsor_error){0};
  torsor_fail(error, failed->status,
              "the scene names no step, and the run under error control failed: %.440s",
              why.message);
  torsor_hint(error, "try a \"step\" of constant size; the failed run gave this hint: %.160s",
              why.hint);
  return failed->status;
}

/* Chooses constant steps, where the method has no others, or where controlled ones would have to
 * follow vibrations that nobody asks for. */
static torsor_status choose_constant(torsor_simulation *out, chooser *c, const trial *first,
                                     torsor_error *error) {
  trial two[2] = {*first};
  if (c->failed.status && !c->failed.costly) return repeat(&c->failed, error);
  *out = constant_part(c, 1);
  c->choice->constant = true;
  const torsor_status status = refine(out, c, two, 1, error);
  return status || !c->failed.costly ? status : check_constant(c, out, error);
}

/* Completes the choice by the rows that were asked for. */
static void finish(torsor_simulation *s, const torsor_simulation *asked) {
  s->output_step = asked->output_step > 0 ? asked->output_step : rows_largest_step(asked);
  s->interpolate = asked->interpolate;
}

static torsor_status choose(torsor_simulation *out, chooser *c, torsor_error *error) {
  trial first = {0};
  torsor_status status = features_find(&c->parts, c->model, c->simulation->duration, ROWS_USUAL);
  if (status) return torsor_fail(error, status, "out of memory");
  const torsor_simulation s = constant_part(c, 1);
  status = run_trial(&first, c, &s, error);
  /* A scene that fails from the beginning fails with any step. */
  if (!status && first.states < 2) status = first.status;
  if (status) return status;
  find_motion(c, &first);
  if (torsor_method_controls(c->simulation->settings.method))
    status = choose_controlled(out, c, error);
  const bool known = isfinite(c->choice->error);
  if (!status && !known && !first.status) status = choose_constant(out, c, &first, error);
  if (!status) finish(out, c->simulation);
  return status;
}

static torsor_status choose_steps(torsor_simulation *out, torsor_choice *choice,
                                  const torsor_model *model, const torsor_simulation *simulation,
                                  const torsor_hooks *hooks, torsor_error *error) {
  *out = rows_shape(simulation);
  const bool chosen = simulation->settings.step != 0 || !(simulation->duration > 0) ||
                      torsor_accuracy_is_set(&simulation->settings.accuracy);
  if (chosen) return TORSOR_OK;
  chooser c = {
      .parts = 1, .model = model, .simulation = simulation, .hooks = hooks, .choice = choice};
  const torsor_status status = choose(out, &c, error);
  arena_release(&c.memory);
  if (!status && error) *error = (torsor_error){0};
  return status;
}

torsor_status torsor_choose_steps(torsor_simulation *out, torsor_choice *choice,
                                  const torsor_model *model, const torsor_simulation *simulation,
                                  const torsor_hooks *hooks, torsor_error *error) {
  torsor_simulation all, chosen;
  torsor_hooks led;
  *choice = (torsor_choice){.error = nan(""), .failed_at = nan(""), .element = -1};
  torsor_status status = simulation_complete(&all, simulation, error);
  if (!status) status = hooks_complete(&led, hooks, error);
  if (status) return status;
  status = choose_steps(&chosen, choice, model, &all, hooks ? &led : NULL, error);
  simulation_hand_out(out, simulation->size, simulation->settings.size, &chosen);
  return status;
}

/* ---- messages ------------------------------------------------------------------------------ */

/* Largest error, relative to the motion, without a warning. */
static const double MOST_LEFT = 0.01;

static void append_chosen(text *out, const torsor_choice *choice, const torsor_simulation *chosen) {
  text_printf(out, "the run takes constant steps of %.6g s", chosen->settings.step);
  if (isfinite(choice->error))
    text_printf(out, ", whose errors are about %.2g %% of the motion according to trial runs",
                100 * choice->error);
  if (choice->costly) text_append(out, "; faster vibrations are damped, not resolved");
}

void torsor_choice_tell(const torsor_choice *choice, const torsor_simulation *chosen,
                        const torsor_model *model, const torsor_hooks *hooks) {
  text message = {0};
  torsor_hooks led;
  if (hooks_complete(&led, hooks, NULL)) return;
  if (choice->constant && isfinite(choice->failed_at)) {
    append_failed(&message, choice, model);
    text_append(&message, ": ");
    append_chosen(&message, choice, chosen);
  } else if (choice->constant) {
    text_printf(&message,
                "note: the method \"%s\" has constant steps only: ", chosen->settings.method);
    append_chosen(&message, choice, chosen);
  } else if (choice->error > MOST_LEFT) {
    text_printf(&message,
                "the errors are about %.2g %% of the motion according to trial runs: the motion "
                "amplifies small errors, and a smaller error would need too many steps",
                100 * choice->error);
  }
  if (message.length && !message.failed && led.warn) led.warn(led.data, message.data);
  text_release(&message);
}

/* ---- simulations, with steps that are chosen where they name none ---------------------------- */

static torsor_status simulate_chosen(torsor_summary *summary, const torsor_model *model,
                                     const torsor_simulation *simulation,
                                     const torsor_signals *signals, const torsor_hooks *hooks,
                                     tape *kept, torsor_error *error) {
  torsor_simulation all, chosen;
  torsor_hooks led;
  torsor_choice choice;
  torsor_status status = simulation_complete(&all, simulation, error);
  if (!status) status = hooks_complete(&led, hooks, error);
  if (!status) status = torsor_choose_steps(&chosen, &choice, model, &all, &led, error);
  if (status) {
    *summary = (torsor_summary){.status = status, .error_estimate = nan(""), .limiting = -1};
    return status;
  }
  torsor_choice_tell(&choice, &chosen, model, &led);
  const torsor_status answer =
      run_simulate(summary, model, &chosen, signals, hooks ? &led : NULL, kept, error);
  if (isfinite(choice.error)) summary->error_estimate = choice.error;
  return answer;
}

torsor_status torsor_simulate(torsor_summary *summary, const torsor_model *model,
                              const torsor_simulation *simulation, const torsor_signals *signals,
                              const torsor_hooks *hooks, torsor_error *error) {
  return simulate_chosen(summary, model, simulation, signals, hooks, NULL, error);
}

torsor_status torsor_simulate_on(torsor_summary *summary, const torsor_model *model,
                                 const torsor_simulation *simulation, const torsor_signals *signals,
                                 const torsor_hooks *hooks, const void *state, size_t size,
                                 torsor_error *error) {
  tape kept = {.mode = TAPE_READ, .data = (unsigned char *)state, .length = size};
  return simulate_chosen(summary, model, simulation, signals, hooks, &kept, error);
}
