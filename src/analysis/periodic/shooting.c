/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/periodic/shooting.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/eigen/lapack.h"
#include "assembly/linearise.h"
#include "assembly/node_map.h"

static const double PI = 3.14159265358979323846;

enum { DEFAULT_STEPS = 200 };

static torsor_status short_of_memory(torsor_error *error) {
  return torsor_fail(error, TORSOR_MEMORY, "out of memory");
}

/* ---- the run -----------------------------------------------------------------------------------
 */

static torsor_status keep_begin(shooting *s, torsor_error *error) {
  torsor_status status = torsor_run_save(s->run, NULL, 0, &s->begin_size, error);
  if (status) return status;
  s->begin = arena_take(&s->memory, s->begin_size, 1);
  if (!s->begin) return short_of_memory(error);
  return torsor_run_save(s->run, s->begin, s->begin_size, &s->begin_size, error);
}

static torsor_status take_memory(shooting *s) {
  const size_t nq = (size_t)s->model->nq, nv = (size_t)s->model->nv;
  s->q = arena_take(&s->memory, nq, sizeof(double));
  s->v = arena_take(&s->memory, nv, sizeof(double));
  s->end_q = arena_take(&s->memory, nq, sizeof(double));
  s->end_v = arena_take(&s->memory, nv, sizeof(double));
  s->e = arena_take(&s->memory, nv, sizeof(double));
  s->u = arena_take(&s->memory, nv, sizeof(double));
  s->x = arena_take(&s->memory, 2 * nv, sizeof(double));
  return s->q && s->v && s->end_q && s->end_v && s->e && s->u && s->x ? TORSOR_OK : TORSOR_MEMORY;
}

static void copy_state(double *q, double *v, const shooting *s) {
  memcpy(q, torsor_run_q(s->run).value, (size_t)s->model->nq * sizeof *q);
  memcpy(v, torsor_run_v(s->run).value, (size_t)s->model->nv * sizeof *v);
}

torsor_status shooting_create(shooting *s, const torsor_model *model,
                              const torsor_simulation *simulation,
                              const torsor_periodic_settings *settings, const torsor_hooks *hooks,
                              torsor_error *error) {
  *s = (shooting){.model = model,
                  .period = settings->period,
                  .steps = settings->steps ? settings->steps : DEFAULT_STEPS,
                  .length = model_size(model)};
  torsor_simulation led = torsor_simulation_copy(simulation);
  torsor_settings usual = torsor_settings_default();
  usual.method = "radau";
  usual.step = s->period / s->steps;
  led.settings = usual;
  led.duration = s->period;
  led.output_step = 0;
  torsor_run_options options = TORSOR_RUN_OPTIONS_INIT;
  options.open_end = true;
  options.threads = hooks ? hooks->threads : 0;
  if (take_memory(s)) return short_of_memory(error);
  torsor_status status = torsor_run_create(&s->run, model, &led, &options, error);
  if (!status)
    status = assembly_create(&s->assembly, model, simulation->linear_solver, false, error);
  if (status) return status;
  copy_state(s->q, s->v, s);
  return keep_begin(s, error);
}

void shooting_release(shooting *s) {
  torsor_run_destroy(s->run);
  assembly_destroy(s->assembly);
  arena_release(&s->scratch);
  arena_release(&s->memory);
}

int shooting_states(const shooting *s) {
  return s->basis.n + s->basis.f;
}

/* ---- coordinates --------------------------------------------------------------------------------
 */

torsor_status shooting_find_basis(shooting *s, torsor_error *error) {
  arena_release(&s->scratch);
  s->scratch = (arena){0};
  tangents t;
  pencil p;
  torsor_status status = torsor_run_restore(s->run, s->begin, s->begin_size, error);
  if (!status) status = torsor_run_set_state(s->run, s->q, s->v, error);
  if (status) return status;
  copy_state(s->q, s->v, s);
  const torsor_point at = {.q = s->q,
                           .v = s->v,
                           .a = torsor_run_a(s->run).value,
                           .lambda = torsor_run_lambda(s->run).value};
  assembly_start_coordinates(s->assembly, &at);
  status = tangents_create(&t, s->assembly, &s->scratch);
  if (!status) status = tangents_fill(&t, s->assembly, &at);
  if (!status) status = pencil_create(&p, s->assembly, s->model, &t, s->q, &s->scratch);
  pencil *kept = status ? NULL : arena_take(&s->scratch, 1, sizeof *kept);
  if (!status && !kept) status = TORSOR_MEMORY;
  if (!status) {
    *kept = p;
    status = null_space_find(&s->basis, kept, &s->scratch);
  }
  if (!status) s->dual = null_space_take(&s->basis, s->basis.nv, s->basis.n);
  if (!status && !s->dual) status = TORSOR_MEMORY;
  if (!status) null_space_apply(s->dual, kept, kept->A2, false, s->basis.N, s->basis.n);
  if (status == TORSOR_SINGULAR) {
    torsor_fail(error, status, "some body has no inertia in a direction in which it may move");
    torsor_hint(error, "give every body inertia in all directions in which the joints let it move");
    return status;
  }
  return status ? torsor_fail(error, status, "%s", torsor_status_text(status)) : TORSOR_OK;
}

/* Maps a body variation e [nv] to node coordinates, where translations of R3xSO3 are inertial. */
static void to_nodes(double *u, const shooting *s, const double *e) {
  memcpy(u, e, (size_t)s->model->nv * sizeof *u);
  for (int i = 0; i < s->model->node_count; ++i) {
    const model_node *node = &s->model->node[i];
    torsor_motion m;
    if (node->init.group != TORSOR_GROUP_R3SO3) continue;
    node_motion(&m, node, s->q + node->first_q, NULL, NULL);
    v3_store(u + node->first_v, m3_mulv(m.R, v3_load(e + node->first_v)));
  }
}

/* The reverse. */
static void to_bodies(double *e, const shooting *s, const double *u) {
  memcpy(e, u, (size_t)s->model->nv * sizeof *e);
  for (int i = 0; i < s->model->node_count; ++i) {
    const model_node *node = &s->model->node[i];
    torsor_motion m;
    if (node->init.group != TORSOR_GROUP_R3SO3) continue;
    node_motion(&m, node, s->q + node->first_q, NULL, NULL);
    v3_store(e + node->first_v, m3_tmulv(m.R, v3_load(u + node->first_v)));
  }
}

/* The difference q1 - q0 in node coordinates u [nv]: translations of R3xSO3 are inertial, rotations
 * those of the body. */
static void difference_of(double *u, const shooting *s, const double *q1, const double *q0) {
  for (int i = 0; i < s->model->node_count; ++i) {
    const model_node *node = &s->model->node[i];
    node->group->minus(u + node->first_v, q1 + node->first_q, q0 + node->first_q);
  }
}

/* x [n] = N^T M e. */
static void project(double *x, const shooting *s, const double *e) {
  lapack_multiply(x, s->dual, true, e, s->basis.n, s->basis.nv, 1);
}

/* q [nq], v [nv] = the present state with the change z. */
static void displace(double *q, double *v, shooting *s, const double *z) {
  const int nv = s->basis.nv, n = s->basis.n, f = s->basis.f;
  lapack_multiply(s->e, s->basis.N, false, z, nv, n, 1);
  to_nodes(s->u, s, s->e);
  for (int i = 0; i < s->model->node_count; ++i) {
    const model_node *node = &s->model->node[i];
    node->group->plus(q + node->first_q, s->q + node->first_q, s->u + node->first_v);
  }
  if (s->basis.G)
    lapack_multiply(s->x, s->basis.U, false, z + n, n, f, 1);
  else
    memcpy(s->x, z + n, (size_t)n * sizeof *s->x);
  lapack_multiply(s->e, s->basis.N, false, s->x, nv, n, 1);
  to_nodes(s->u, s, s->e);
  for (int i = 0; i < nv; ++i) v[i] = s->v[i] + s->u[i];
}

/* out [states] = coordinates of the difference of (q, v) from the present state. */
static void coordinates_of(double *out, shooting *s, const double *q, const double *v) {
  const int nv = s->basis.nv, n = s->basis.n, f = s->basis.f;
  difference_of(s->u, s, q, s->q);
  to_bodies(s->e, s, s->u);
  project(out, s, s->e);
  for (int i = 0; i < nv; ++i) s->u[i] = v[i] - s->v[i];
  to_bodies(s->e, s, s->u);
  project(s->x, s, s->e);
  if (s->basis.G)
    lapack_multiply(out + n, s->basis.U, true, s->x, f, n, 1);
  else
    memcpy(out + n, s->x, (size_t)n * sizeof *out);
}

void shooting_difference(double *out, shooting *s, const double *q, const double *v) {
  coordinates_of(out, s, q, v);
}

void shooting_lend(shooting *other, const shooting *s) {
  memcpy(other->q, s->q, (size_t)s->model->nq * sizeof *other->q);
  memcpy(other->v, s->v, (size_t)s->model->nv * sizeof *other->v);
  other->basis = s->basis;
  other->dual = s->dual;
}

double shooting_size(shooting *s, const double *z) {
  double most = 0;
  const unsigned char *rotation = assembly_problem(s->assembly)->rotation;
  for (int part = 0; part < 2; ++part) {
    const double scale = part ? s->period / (2 * PI) : 1;
    if (part && s->basis.G)
      lapack_multiply(s->x, s->basis.U, false, z + s->basis.n, s->basis.n, s->basis.f, 1);
    else
      memcpy(s->x, z + part * s->basis.n, (size_t)s->basis.n * sizeof *s->x);
    lapack_multiply(s->e, s->basis.N, false, s->x, s->basis.nv, s->basis.n, 1);
    for (int i = 0; i < s->basis.nv; ++i)
      most = fmax(most, scale * fabs(s->e[i]) / (rotation[i] ? 1 : s->length));
  }
  return most;
}

/* The largest difference of two states, see shooting_follow. */
static double gap_of(shooting *s, const double *q1, const double *v1, const double *q0,
                     const double *v0) {
  const unsigned char *rotation = assembly_problem(s->assembly)->rotation;
  double most = 0;
  difference_of(s->u, s, q1, q0);
  for (int i = 0; i < s->model->nv; ++i) {
    const double unit = rotation[i] ? 1 : s->length;
    most = fmax(most, fabs(s->u[i]) / unit);
    most = fmax(most, fabs(v1[i] - v0[i]) * s->period / (2 * PI) / unit);
  }
  return most;
}

/* ---- motions ------------------------------------------------------------------------------------
 */

/* Puts the run at t = 0 into the changed state; end_q, end_v = that state on the constraints. */
static torsor_status begin(shooting *s, const double *z, torsor_error *error) {
  torsor_status status = torsor_run_restore(s->run, s->begin, s->begin_size, error);
  displace(s->end_q, s->end_v, s, z);
  if (!status) status = torsor_run_set_state(s->run, s->end_q, s->end_v, error);
  if (!status) copy_state(s->end_q, s->end_v, s);
  return status;
}

torsor_status shooting_follow(double *out, double *gap, shooting *s, const double *z, double period,
                              torsor_error *error) {
  torsor_status status = begin(s, z, error);
  if (!status) status = torsor_run_set_step(s->run, period / s->steps, error);
  if (!status) status = torsor_run_end_at(s->run, period, error);
  if (!status && torsor_run_finished(s->run)) {
    torsor_fail(error, TORSOR_ARGUMENT,
                "an event stops the motion at t = %.9g s, within the period",
                torsor_run_time(s->run));
    torsor_hint(error, "leave out events that stop the run, or let them be logged only");
    return TORSOR_ARGUMENT;
  }
  if (status) return status;
  const double *q = torsor_run_q(s->run).value, *v = torsor_run_v(s->run).value;
  if (gap) *gap = gap_of(s, q, v, s->end_q, s->end_v);
  coordinates_of(out, s, q, v);
  return TORSOR_OK;
}

torsor_status shooting_move(shooting *s, const double *z, torsor_error *error) {
  const torsor_status status = begin(s, z, error);
  if (status) return status;
  memcpy(s->q, s->end_q, (size_t)s->model->nq * sizeof *s->q);
  memcpy(s->v, s->end_v, (size_t)s->model->nv * sizeof *s->v);
  return TORSOR_OK;
}

torsor_status shooting_rate(double *out, shooting *s, torsor_error *error) {
  const int n = s->basis.n, f = s->basis.f;
  double *none = null_space_take(&s->basis, n + f, 1);
  torsor_status status = none ? begin(s, none, error) : short_of_memory(error);
  if (status) return status;
  to_bodies(s->e, s, s->v);
  project(out, s, s->e);
  to_bodies(s->e, s, torsor_run_a(s->run).value);
  project(s->x, s, s->e);
  if (s->basis.G)
    lapack_multiply(out + n, s->basis.U, true, s->x, f, n, 1);
  else
    memcpy(out + n, s->x, (size_t)n * sizeof *out);
  return TORSOR_OK;
}

torsor_status shooting_repeat(double *gap, shooting *s, torsor_error *error) {
  copy_state(s->end_q, s->end_v, s);
  const double from = torsor_run_time(s->run);
  const torsor_status status = torsor_run_end_at(s->run, from + s->period, error);
  if (!status)
    *gap = gap_of(s, torsor_run_q(s->run).value, torsor_run_v(s->run).value, s->end_q, s->end_v);
  return status;
}
