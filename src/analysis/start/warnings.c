/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/start/warnings.h"
#include "analysis/start/mobility.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct teller {
  const torsor_model *model;
  void (*tell)(void *data, const char *message);
  void *data;
} teller;

/* ---- bodies without constraints and forces ------------------------------------------------- */

static void tell_unused(const teller *t, const unsigned char *used) {
  char message[240];
  if (!torsor_model_count(t->model).joints) return;
  for (int i = 0; i < t->model->node_count; ++i) {
    if (used[i]) continue;
    snprintf(message, sizeof message, "no joint or force acts on body \"%s\": it moves freely",
             t->model->element[t->model->node[i].element].name);
    t->tell(t->data, message);
  }
}

/* ---- units ------------------------------------------------------------------------------- */

/* Gravity above this is doubtful: weights on planets and in centrifuges stay below; in mm/s^2 they
 * do not. */
static const double LARGE_GRAVITY = 1000;

/* Radii of gyration that exceed the arms of markers by this factor are doubtful: with the inertia
 * in kg mm^2 they do by a factor of 1000. */
static const double LARGE_RATIO = 300;

static void tell_gravity(const teller *t) {
  const double g = v3_norm(t->model->gravity);
  char message[240];
  if (!(g > LARGE_GRAVITY)) return;
  snprintf(
      message, sizeof message,
      "gravity is %.4g m/s^2, which is unusually large: give lengths in metres, not in millimetres",
      g);
  t->tell(t->data, message);
}

/* Returns the radius of gyration from the body's mass matrix: mass, and the mean of the moments
 * about the node. */
static double gyration(const double M[36]) {
  const double mass = M[0], moment = (M[21] + M[28] + M[35]) / 2;
  return mass > 0 && moment > 0 ? sqrt(moment / mass) : 0;
}

static void tell_gyration(const teller *t, int node, const double M[36], double arm) {
  const double radius = gyration(M);
  char message[320];
  if (!(arm > 0)) return;
  if (radius <= LARGE_RATIO * arm) return;
  snprintf(
      message, sizeof message,
      "body \"%s\" has a radius of gyration of %.3g m, but its joints and forces are %.3g m away "
      "at most: is its inertia in kg m^2?",
      t->model->element[t->model->node[node].element].name, radius, arm);
  t->tell(t->data, message);
}

/* ---- directions without inertia ---------------------------------------------------------- */

/* A moment of inertia below this fraction of what the size of the body or its arms suggests is next
 * to none. */
static const double NO_INERTIA = 1e-12;

/* A rotation about an axis without inertia counts as free above this response to a unit moment:
 * where joints constrain it, the moment moves no more than masses allow. */
static const double FREE = 1e6;

/* Regularisation of redundant rows, relative to the scales of the rows. */
static const double REGULARISATION = 1e-9;

static v3 row_of(const m3 *A, int i) {
  return v3_load(A->m[i]);
}

static v3 longest(v3 a, v3 b, v3 c) {
  v3 most = a;
  if (v3_norm(b) > v3_norm(most)) most = b;
  return v3_norm(c) > v3_norm(most) ? c : most;
}

/* Returns an axis about which a symmetric J has no inertia: perpendicular to two of its rows, or to
 * its only one. */
static v3 weak_axis(const m3 *J) {
  const v3 x = row_of(J, 0), y = row_of(J, 1), z = row_of(J, 2), any = {1, 0, 0};
  const v3 row = longest(x, y, z);
  v3 across = longest(v3_cross(x, y), v3_cross(y, z), v3_cross(z, x));
  const double size = v3_norm(row);
  if (v3_norm(across) <= NO_INERTIA * size * size) {
    const v3 other = {0, 1, 0};
    across = fabs(row.x) < size ? v3_cross(row, any) : v3_cross(row, other);
  }
  return v3_norm(across) > 0 ? v3_scale(across, 1 / v3_norm(across)) : any;
}

/* Do the joints leave the rotation of a node about `axis` free?  Decided by its response to a unit
 * moment, relative to that of a mass. */
static torsor_status is_free(bool *out, assembly *a, const torsor_model *model, const double *q,
                             int node, v3 axis, double moment) {
  const torsor_problem *pr = assembly_problem(a);
  const torsor_point p = {.q = q};
  double scale, *x = calloc((size_t)(model->nv + 2 * model->nl) + 1, sizeof *x);
  if (!x) return TORSOR_MEMORY;
  double *rows = x + model->nv + model->nl;
  const double length = assembly_turn_length(a, &p, &scale);
  const torsor_weights weights = {
      .system = TORSOR_SYSTEM_VELOCITY, .m = 1 / scale, .e = REGULARISATION, .rows = rows};
  const model_node *n = &model->node[node];
  v3_store(x + n->first_v + n->group->nv - 3, axis);
  torsor_status status = assembly_regular_rows(rows, a, &p, length);
  if (!status) status = pr->factor(pr->self, &p, &weights);
  if (!status) status = pr->solve(pr->self, x);
  const double answer = fabs(v3_dot(axis, v3_load(x + n->first_v + n->group->nv - 3)));
  free(x);
  *out = status == TORSOR_SINGULAR || !(answer * moment < FREE * scale);
  return status < 0 && status != TORSOR_SINGULAR ? status : TORSOR_OK;
}

static torsor_status tell_inertia(const teller *t, assembly *a, const double *q, int node,
                                  const double M[36], double arm) {
  bool unconstrained = false;
  char message[320];
  if (t->model->node[node].init.group == TORSOR_GROUP_R3) return TORSOR_OK;
  m3 J;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) J.m[i][j] = M[6 * (3 + i) + 3 + j];
  const v3 axis = weak_axis(&J);
  const double moment = v3_dot(axis, m3_mulv(J, axis)), size = fmax(gyration(M), arm);
  if (moment > NO_INERTIA * M[0] * size * size) return TORSOR_OK;
  torsor_status status = is_free(&unconstrained, a, t->model, q, node, axis, M[0] * size * size);
  if (status || !unconstrained) return status;
  snprintf(message, sizeof message,
           "body \"%s\" has next to no inertia (%.3g kg m^2) about its axis [%.3g, %.3g, %.3g], "
           "and no joint constrains this rotation: it may rotate without limit",
           t->model->element[t->model->node[node].element].name, moment, axis.x, axis.y, axis.z);
  t->tell(t->data, message);
  return TORSOR_OK;
}

/* ---- one pass over the elements ---------------------------------------------------------- */

/* Returns the marker that a parameter has, or NULL. */
static const torsor_marker *marker_of(const model_element *e, const torsor_param *p) {
  if (p->kind != TORSOR_PARAM_MARKER) return NULL;
  return (const torsor_marker *)((const char *)e->instance + p->offset);
}

static void note_markers(double *arm, const model_element *e) {
  for (const torsor_param *p = e->type->params; p->key; ++p) {
    const torsor_marker *m = marker_of(e, p);
    if (m && m->node >= 0) arm[m->node] = fmax(arm[m->node], v3_norm(m->x));
  }
}

torsor_status warnings_tell(assembly *a, const torsor_model *model, const double *q,
                            void (*tell)(void *data, const char *message), void *data) {
  const teller t = {.model = model, .tell = tell, .data = data};
  const size_t nodes = (size_t)model->node_count;
  unsigned char *used = calloc(nodes, 1);
  double *arm = calloc(nodes, sizeof *arm);
  torsor_status status = used && arm ? TORSOR_OK : TORSOR_MEMORY;
  for (int i = 0; !status && i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    if (e->type->kind == TORSOR_BODY && e->nodes == 1) continue;
    for (int k = 0; k < e->nodes; ++k) used[e->node[k]] = 1;
    note_markers(arm, e);
  }
  if (!status) {
    tell_unused(&t, used);
    tell_gravity(&t);
  }
  const torsor_point p = {.q = q};
  assembly_set_motion(a, &p);
  for (int i = 0; !status && i < model->element_count; ++i) {
    const model_element *e = &model->element[i];
    if (!e->body || e->nodes != 1 || !(e->type->tangents.has & TORSOR_HAS_M)) continue;
    double M[36] = {0};
    const torsor_element_in in = assembly_element_in(a, i, &p);
    torsor_element_out out = {.M = M};
    status = assembly_eval(a, i, &in, &out);
    if (!status) tell_gyration(&t, e->node[0], M, arm[e->node[0]]);
    if (!status) status = tell_inertia(&t, a, q, e->node[0], M, arm[e->node[0]]);
  }
  free(used);
  free(arm);
  return status ? status : mobility_tell(a, model, q, tell, data);
}
