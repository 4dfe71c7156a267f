/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/modes.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/eigen/eigen.h"
#include "analysis/modes/linear_state.h"
#include "analysis/modes/matrices.h"
#include "analysis/start/options_read.h"
#include "base/options.h"

/* Up to DENSE_VELOCITIES all modes are found by dense matrices, in a second and without an
 * iteration that must converge.  The time grows with the third power; DENSE_MOST is the largest
 * number. */
enum { DENSE_VELOCITIES = 150, DENSE_MOST = 1500, DEFAULT_COUNT = 10 };

static const double PI = 3.14159265358979323846;

/* Growth below this fraction of |mu| is round-off, and so is what round-off of the stiffnesses
 * contributes. */
static const double GROWTH = 1e-9;

/* Round-off splits equal eigenvalues by no more than this many times the square root of the
 * round-off of mu^2. */
static const double EQUAL = 4;

typedef struct finder {
  const torsor_model *model;
  const torsor_modes_settings *settings;
  const torsor_hooks *hooks;
  linear_state state;
  pencil pencil;
  eigen_list list;
  double *rigid;    /* [6][nv] unit motions of the model as a rigid body about its centre, body
                       variations */
  double *momentum; /* [6][nv] the mass matrix times these */
  double *work;     /* [nv] */
} finder;

/* ---- rigid-body motions of the whole model -------------------------------------------------- */

/* Finds the body variations of all nodes under the unit motion d about `centre`, x [nv]. */
static void rigid_motion(double *x, const finder *f, int d, v3 centre) {
  double unit[6] = {0};
  unit[d] = 1;
  const twist motion = tw_load(unit);
  for (int i = 0; i < f->model->node_count; ++i) {
    const model_node *node = &f->model->node[i];
    const torsor_motion *at = assembly_motion(f->state.a, i);
    const v3 arm = v3_sub(at->x, centre);
    double e[6];
    v3_store(e, m3_tmulv(at->R, v3_add(motion.lin, v3_cross(motion.ang, arm))));
    v3_store(e + 3, m3_tmulv(at->R, motion.ang));
    memcpy(x + node->first_v, e + group_first_component(node->init.group),
           (size_t)node->group->nv * sizeof *x);
  }
}

static double dot(const double *x, const double *y, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

/* Finds x^T M y. */
static double product(finder *f, const double *x, const double *y) {
  pencil_multiply(f->work, &f->pencil, f->pencil.A2, y);
  return dot(x, f->work, f->model->nv);
}

/* Finds mass, centre and inertia of the model as a rigid body.  The centre c follows from the block
 * m c~ of its mass matrix about the origin. */
static void find_rigid(torsor_modes *out, finder *f) {
  const size_t nv = (size_t)f->model->nv;
  for (int d = 0; d < TORSOR_MODE_DIRECTIONS; ++d)
    rigid_motion(f->rigid + (size_t)d * nv, f, d, v3_zero());
  double *r = f->rigid;
  const double mass = product(f, r, r);
  if (mass > 0)
    out->centre = (v3){product(f, r + nv, r + 5 * nv) / mass,
                       product(f, r + 2 * nv, r + 3 * nv) / mass, product(f, r, r + 4 * nv) / mass};
  for (int d = 0; d < TORSOR_MODE_DIRECTIONS; ++d) {
    rigid_motion(r + (size_t)d * nv, f, d, out->centre);
    pencil_multiply(f->momentum + (size_t)d * nv, &f->pencil, f->pencil.A2, r + (size_t)d * nv);
    out->mass[d] = dot(r + (size_t)d * nv, f->momentum + (size_t)d * nv, f->model->nv);
  }
}

/* ---- one mode ------------------------------------------------------------------------------ */

/* Normalises a mode shape: phi^H M phi = 1, with the largest component (rotations times the model's
 * length) real and positive. */
static void normalise(double *re, double *im, finder *f) {
  const int nv = f->model->nv;
  const unsigned char *rotation = assembly_problem(f->state.a)->rotation;
  const double length = f->pencil.length;
  const double size = sqrt(product(f, re, re) + product(f, im, im));
  double most = 0;
  int largest = 0;
  for (int i = 0; i < nv; ++i) {
    const double part = hypot(re[i], im[i]) * (rotation[i] ? length : 1);
    if (!(part > most * (1 + 1e-6)))
      continue; /* of equal components the first, whatever the last bit */
    most = part;
    largest = i;
  }
  const double modulus = hypot(re[largest], im[largest]);
  if (!(size > 0) || !(modulus > 0)) return;
  const double c = re[largest] / modulus / size, s = im[largest] / modulus / size;
  for (int i = 0; i < nv; ++i) {
    const double x = re[i], y = im[i];
    re[i] = x * c + y * s;
    im[i] = y * c - x * s;
  }
}

static void participate(torsor_mode *mode, finder *f, const double *re, const double *im) {
  const size_t nv = (size_t)f->model->nv;
  for (int d = 0; d < TORSOR_MODE_DIRECTIONS; ++d) {
    const double *momentum = f->momentum + (size_t)d * nv;
    mode->participation_re[d] = dot(re, momentum, f->model->nv);
    mode->participation_im[d] = -dot(im, momentum, f->model->nv);
    mode->effective_mass[d] = pow(mode->participation_re[d], 2) + pow(mode->participation_im[d], 2);
  }
}

static void show(torsor_mode_amplitude *out, const finder *f, const double *re, const double *im) {
  for (int i = 0; i < f->model->node_count; ++i) {
    const model_node *node = &f->model->node[i];
    const m3 R = assembly_motion(f->state.a, i)->R;
    const size_t first = (size_t)group_first_component(node->init.group);
    double e[6] = {0}, g[6] = {0};
    memcpy(e + first, re + node->first_v, (size_t)node->group->nv * sizeof *e);
    memcpy(g + first, im + node->first_v, (size_t)node->group->nv * sizeof *g);
    out[i] = (torsor_mode_amplitude){.translation_re = m3_mulv(R, v3_load(e)),
                                     .translation_im = m3_mulv(R, v3_load(g)),
                                     .rotation_re = m3_mulv(R, v3_load(e + 3)),
                                     .rotation_im = m3_mulv(R, v3_load(g + 3))};
  }
}

/* Returns the growth that round-off may cause.  It moves a simple eigenvalue by the round-off of
 * mu^2 over mu, but splits equal ones by the square root of it: those of a drift in a rotating
 * frame, or at the onset of flutter. */
static double growth_by_round_off(const eigen_list *list, int i) {
  const double re = list->re[i], im = list->im[i], apart = EQUAL * sqrt(list->noise[i]);
  const double size = hypot(re, im);
  for (int k = 0; k < list->count; ++k)
    if (k != i && hypot(list->re[k] - re, list->im[k] - im) <= apart)
      return fmax(GROWTH * size, apart);
  return GROWTH * size + list->noise[i] / size;
}

static void fill_mode(torsor_mode *out, const finder *f, int i) {
  const double re = f->list.re[i], im = f->list.im[i], size = hypot(re, im);
  out->re = re;
  out->im = im;
  out->frequency_hz = im / (2 * PI);
  out->damping_ratio = size > 0 && re != 0 ? -re / size : 0;
  out->kind = size == 0 ? TORSOR_MODE_RIGID : im > 0 ? TORSOR_MODE_OSCILLATION : TORSOR_MODE_REAL;
  out->unstable = size > 0 && re > growth_by_round_off(&f->list, i);
}

/* ---- all modes ----------------------------------------------------------------------------- */

/* Solves by dense matrices.  Where slow modes are lost in round-off, the sparse solution is taken
 * instead if the choice is free. */
static torsor_status solve_dense(torsor_modes *out, finder *f, int wanted) {
  const torsor_modes_settings *s = f->settings;
  arena *memory = &f->state.memory;
  const torsor_status status = eigen_dense(&f->list, &f->pencil, memory);
  out->dense = true;
  if (status || eigen_list_holds(&f->list, &f->pencil, wanted, f->work)) return status;
  if (s->solver == TORSOR_MODES_AUTO) {
    eigen_list found = {0};
    const torsor_status sparse = eigen_sparse(&found, &f->pencil, wanted, s->linear_solver, memory);
    if (sparse == TORSOR_MEMORY) return sparse;
    out->dense = sparse != TORSOR_OK;
    if (!sparse) f->list = found;
  }
  if (out->dense && f->hooks && f->hooks->warn)
    f->hooks->warn(f->hooks->data,
                   "the dense solution has lost slow modes in the round-off of the fastest ones: "
                   "frequencies may be wrong or 0; the sparse solution may find them");
  return TORSOR_OK;
}

static torsor_status solve(torsor_modes *out, finder *f, torsor_error *error) {
  const torsor_modes_settings *s = f->settings;
  const int nv = f->model->nv, wanted = s->count ? s->count : DEFAULT_COUNT;
  const bool dense = s->solver == TORSOR_MODES_DENSE ||
                     (s->solver == TORSOR_MODES_AUTO &&
                      (nv <= DENSE_VELOCITIES || (wanted > nv / 4 && nv <= DENSE_MOST)));
  torsor_status status =
      dense ? solve_dense(out, f, wanted)
            : eigen_sparse(&f->list, &f->pencil, wanted, s->linear_solver, &f->state.memory);
  /* frames of mean axes have no masses of their own, in which iterations may end without a mode */
  if (status == TORSOR_NEWTON && !dense && s->solver == TORSOR_MODES_AUTO && nv <= DENSE_MOST)
    status = solve_dense(out, f, wanted);
  if (status)
    torsor_fail(error, status, "the modes cannot be found: %s", torsor_status_text(status));
  if (status == TORSOR_SINGULAR)
    torsor_hint(error, "give every body inertia in all directions in which the joints let it move");
  if (status) return status;
  if (s->fewer || s->count <= f->list.count) return TORSOR_OK;
  torsor_fail(error, TORSOR_ARGUMENT, "the call asks for %d modes, but there are %s %d", s->count,
              out->dense ? "only" : "found", f->list.count);
  torsor_hint(error, "ask for fewer with -n");
  return TORSOR_ARGUMENT;
}

static torsor_status take_room(torsor_modes *out, finder *f) {
  const size_t nv = (size_t)f->model->nv, nodes = (size_t)f->model->node_count;
  out->nodes = f->model->node_count;
  out->node = calloc(nodes + 1, sizeof *out->node);
  f->rigid = arena_take(&f->state.memory, TORSOR_MODE_DIRECTIONS * nv, sizeof *f->rigid);
  f->momentum = arena_take(&f->state.memory, TORSOR_MODE_DIRECTIONS * nv, sizeof *f->momentum);
  f->work = arena_take(&f->state.memory, nv, sizeof *f->work);
  return out->node && f->rigid && f->momentum && f->work ? TORSOR_OK : TORSOR_MEMORY;
}

static torsor_status fill(torsor_modes *out, finder *f) {
  const torsor_model *model = f->model;
  const int wanted = f->settings->count ? f->settings->count : DEFAULT_COUNT;
  const size_t nodes = (size_t)model->node_count, nv = (size_t)model->nv;
  out->count = wanted < f->list.count ? wanted : f->list.count;
  out->mode = calloc((size_t)out->count + 1, sizeof *out->mode);
  out->amplitude = calloc((size_t)out->count * nodes + 1, sizeof *out->amplitude);
  if (!out->mode || !out->amplitude) return TORSOR_MEMORY;
  out->velocities = model->nv;
  for (int i = 0; i < model->nl; ++i) out->constraints += !f->pencil.dropped[i];
  out->zeros = f->list.zeros;
  out->undamped = f->list.real;
  out->imbalance = f->state.left.part;
  out->moves = f->state.moves;
  out->frame = f->state.frame;
  if (f->state.frame_node >= 0)
    out->frame_body = model->element[model->node[f->state.frame_node].element].name;
  for (size_t i = 0; i < nodes; ++i) {
    const torsor_motion *at = assembly_motion(f->state.a, (int)i);
    out->node[i] = (torsor_mode_node){model->element[model->node[i].element].name, at->x,
                                      so3_from_matrix(at->R)};
  }
  find_rigid(out, f);
  for (int i = 0; i < out->count; ++i) {
    double *re = f->list.shape + 2 * nv * (size_t)i, *im = re + nv;
    fill_mode(&out->mode[i], f, i);
    normalise(re, im, f);
    participate(&out->mode[i], f, re, im);
    show(out->amplitude + (size_t)i * nodes, f, re, im);
  }
  return TORSOR_OK;
}

static torsor_status check_settings(const torsor_modes_settings *s, torsor_error *error) {
  if (s->count >= 0) return TORSOR_OK;
  return torsor_fail(error, TORSOR_ARGUMENT, "%d modes cannot be found", s->count);
}

static torsor_status find(torsor_modes **out, const torsor_model *model,
                          const torsor_modes_settings *settings, const torsor_hooks *hooks,
                          torsor_error *error) {
  torsor_status status = check_settings(settings, error);
  if (status) return status;
  torsor_modes *modes = calloc(1, sizeof *modes);
  if (!modes) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  finder f = {.model = model, .settings = settings, .hooks = hooks};
  status = linear_state_find(&f.state, model, settings, hooks, error);
  if (!status) {
    status = take_room(modes, &f);
    if (!status)
      status = pencil_create(&f.pencil, f.state.a, model, &f.state.t, f.state.q, &f.state.memory);
    if (status) torsor_fail(error, status, "%s", torsor_status_text(status));
  }
  if (!status) status = solve(modes, &f, error);
  if (!status) {
    status = fill(modes, &f);
    if (!status && settings->matrices) status = matrices_copy(modes, &f.pencil, model);
    if (status) torsor_fail(error, status, "out of memory");
  }
  linear_state_release(&f.state);
  if (status)
    torsor_modes_destroy(modes);
  else
    *out = modes;
  return status;
}

torsor_status torsor_modes_find(torsor_modes **out, const torsor_model *model,
                                const torsor_modes_settings *settings, const torsor_hooks *hooks,
                                torsor_error *error) {
  *out = NULL;
  torsor_modes_settings all = TORSOR_MODES_SETTINGS_INIT;
  torsor_hooks led;
  torsor_status status = options_read(&all, sizeof all, settings, "torsor_modes_settings",
                                      "TORSOR_MODES_SETTINGS_INIT", error);
  if (!status) status = hooks_complete(&led, hooks, error);
  if (!status) status = model_check_tangents(model, "modes", error);
  return status ? status : find(out, model, &all, hooks ? &led : NULL, error);
}

void torsor_modes_destroy(torsor_modes *modes) {
  if (!modes) return;
  matrices_release(modes);
  free(modes->mode);
  free(modes->node);
  free(modes->amplitude);
  free(modes);
}
