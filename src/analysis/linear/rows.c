/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/linear/rows.h"

#include <math.h>
#include <string.h>

#include "analysis/linear/difference.h"
#include "analysis/modes/steady.h"
#include "analysis/observe/signals.h"
#include "assembly/node_map.h"

/* Differences of order 8 with this part of a model's scales are right to 1e-14 for functions that
 * vary on that scale; smaller steps are taken for those that vary faster. */
static const double PART = 1.0 / 64;

/* Derivatives that differ by less than this part are the same: it is far above the round-off of
 * differences (1e-12) and far below any change that matters. */
static const double SAME = 1e-7;

/* Derivatives of a signal by the positions, velocities and accelerations of a node. */
enum { BY_POSITION, BY_VELOCITY, BY_ACCELERATION, WAYS };

typedef struct probe {
  linear_state *s;
  const torsor_model *model;
  const torsor_signals *signals;
  channels *u;
  int outputs;
  torsor_point at;            /* where the derivatives are taken */
  torsor_motion *motion;      /* [nodes] there */
  double *q, *v, *a, *lambda; /* copies that are varied */
  double *phi;                /* [2 nl] */
  double length, rate, force; /* scales: m, 1/s, N */
  int way, node, component;   /* what is varied: of a node */
  int row, input, order;      /* a multiplier; an input and one of its derivatives */
  unsigned char *touched;     /* [nodes + nl] those on which an output may depend */
  difference outer, inner;    /* of outputs; of forces, constraints and outputs */
  double *D, *values;         /* [nv + nl + outputs] */
  double *S[WAYS], *L;        /* [outputs x nv] derivatives in body axes; [outputs x nl] */
} probe;

/* ---- memory -----------------------------------------------------------------------------------
 */

static double *take(arena *memory, int rows, int columns) {
  return arena_take(memory, (size_t)rows * (size_t)columns, sizeof(double));
}

static torsor_status probe_create(probe *p, arena *memory) {
  const torsor_model *m = p->model;
  const int all = m->nv + m->nl + p->outputs;
  p->motion = arena_take(memory, (size_t)m->node_count, sizeof *p->motion);
  p->touched = arena_take(memory, (size_t)(m->node_count + m->nl), 1);
  p->q = take(memory, m->nq, 1);
  p->v = take(memory, m->nv, 1);
  p->a = take(memory, m->nv, 1);
  p->lambda = take(memory, m->nl, 1);
  p->phi = take(memory, 2 * m->nl, 1);
  p->D = take(memory, all, 1);
  p->values = take(memory, all, 1);
  p->L = take(memory, p->outputs, m->nl);
  for (int w = 0; w < WAYS; ++w) p->S[w] = take(memory, p->outputs, m->nv);
  for (int w = 0; w < WAYS; ++w)
    if (!p->S[w]) return TORSOR_MEMORY;
  if (!p->motion || !p->touched || !p->q || !p->v || !p->a || !p->lambda || !p->phi || !p->D ||
      !p->values || !p->L)
    return TORSOR_MEMORY;
  const torsor_status status = difference_create(&p->outer, p->outputs, memory);
  return status ? status : difference_create(&p->inner, all, memory);
}

/* Begins at a point: copies it and the motions of its nodes. */
static void begin_at(probe *p, const torsor_point *at) {
  const torsor_model *m = p->model;
  p->at = *at;
  memcpy(p->q, at->q, (size_t)m->nq * sizeof *p->q);
  memcpy(p->v, at->v, (size_t)m->nv * sizeof *p->v);
  memcpy(p->a, at->a, (size_t)m->nv * sizeof *p->a);
  memcpy(p->lambda, at->lambda, (size_t)m->nl * sizeof *p->lambda);
  assembly_set_motion(p->s->a, at);
  for (int i = 0; i < m->node_count; ++i) p->motion[i] = *assembly_motion(p->s->a, i);
}

static torsor_point varied(const probe *p) {
  return (torsor_point){.t = p->at.t, .q = p->q, .v = p->v, .a = p->a, .lambda = p->lambda};
}

/* Finds the natural scales of rates and forces: those of the motion or of gravity, else those of
 * the stiffnesses. */
static torsor_status find_scales(probe *p, double stiffest_rate, arena *memory) {
  const torsor_model *m = p->model;
  const double g = v3_norm(m->gravity);
  double *sum = take(memory, 2 * m->node_count, 1);
  const torsor_status status = sum ? steady_forces(sum, p->s) : TORSOR_MEMORY;
  p->rate = sqrt(g / p->length);
  for (int i = 0; i < m->node_count; ++i) {
    const twist V = p->motion[i].V;
    p->rate = fmax(p->rate, fmax(v3_norm(V.ang), v3_norm(V.lin) / p->length));
  }
  if (!(p->rate > 0)) p->rate = stiffest_rate > 0 ? stiffest_rate : 1;
  for (int i = 0; i < m->node_count && !status; ++i)
    p->force = fmax(p->force, fmax(sum[2 * i], sum[2 * i + 1] / p->length));
  if (!(p->force > 0))
    p->force = assembly_mass_scale(p->s->a, &p->at) * p->length * p->rate * p->rate;
  return status;
}

/* ---- varied states ----------------------------------------------------------------------------
 */

static void look(probe *p, double *values) {
  const torsor_point now = varied(p);
  assembly_set_motion(p->s->a, &now);
  assembly_show_coordinates(p->s->a, &now);
  const signal_state state = {.assembly = p->s->a,
                              .point = &now,
                              .coordinates = assembly_coordinates(p->s->a),
                              .phi = p->phi,
                              .phi_v = p->phi};
  signals_eval(p->signals, values, &state);
}

/* Puts a node into the state that differs by body variations e, dV, dA. */
static void vary_node(probe *p, int i, twist e, twist dV, twist dA) {
  const model_node *node = &p->model->node[i];
  const torsor_group group = node->init.group;
  const size_t first = (size_t)group_first_component(group);
  double u[6], body[6];
  torsor_motion m;
  if (group == TORSOR_GROUP_R3SO3) e.lin = m3_mulv(p->motion[i].R, e.lin);
  tw_store(u, e);
  node->group->plus(p->q + node->first_q, p->at.q + node->first_q, u + first);
  node_motion(&m, node, p->q + node->first_q, NULL, NULL);
  twist V = tw_add(p->motion[i].V, dV), A = tw_add(p->motion[i].A, dA);
  if (group == TORSOR_GROUP_R3SO3) {
    A.lin = m3_mulv(m.R, v3_add(A.lin, v3_cross(V.ang, V.lin)));
    V.lin = m3_mulv(m.R, V.lin);
  }
  tw_store(body, V);
  memcpy(p->v + node->first_v, body + first, (size_t)node->group->nv * sizeof *body);
  tw_store(body, A);
  memcpy(p->a + node->first_v, body + first, (size_t)node->group->nv * sizeof *body);
}

static void restore_node(probe *p, int i) {
  const model_node *node = &p->model->node[i];
  const size_t nq = (size_t)node->group->nq, nv = (size_t)node->group->nv;
  memcpy(p->q + node->first_q, p->at.q + node->first_q, nq * sizeof *p->q);
  memcpy(p->v + node->first_v, p->at.v + node->first_v, nv * sizeof *p->v);
  memcpy(p->a + node->first_v, p->at.a + node->first_v, nv * sizeof *p->a);
}

static torsor_status with_node(void *data, double x, double *values) {
  probe *p = data;
  double change[6] = {0};
  change[p->component] = x;
  const twist by = tw_load(change), none = tw_zero();
  vary_node(p, p->node, p->way == BY_POSITION ? by : none, p->way == BY_VELOCITY ? by : none,
            p->way == BY_ACCELERATION ? by : none);
  look(p, values);
  restore_node(p, p->node);
  return TORSOR_OK;
}

static torsor_status with_multiplier(void *data, double x, double *values) {
  probe *p = data;
  p->lambda[p->row] = p->at.lambda[p->row] + x;
  look(p, values);
  p->lambda[p->row] = p->at.lambda[p->row];
  return TORSOR_OK;
}

/* Values: forces in body axes [nv], rows of constraints [nl], outputs. */
static torsor_status with_input(void *data, double x, double *values) {
  probe *p = data;
  const torsor_model *m = p->model;
  const torsor_problem *problem = assembly_problem(p->s->a);
  const torsor_point now = varied(p);
  double *phi = p->phi, *phi_v = phi + m->nl;
  torsor_status status = channels_set(p->u, p->s->a, p->input, p->order, x, p->at.t);
  if (!status) status = problem->residual(problem->self, &now, values, phi, phi_v);
  if (status) return status;
  for (int i = 0; i < m->node_count; ++i) {
    double *w = values + m->node[i].first_v;
    if (m->node[i].init.group == TORSOR_GROUP_R3SO3)
      v3_store(w, m3_tmulv(p->motion[i].R, v3_load(w)));
  }
  for (int i = 0; i < m->nl; ++i) {
    const bool nonholonomic = problem->nonholonomic && problem->nonholonomic[i];
    values[m->nv + i] = nonholonomic ? phi_v[i] : phi[i];
  }
  memset(p->phi, 0, 2 * (size_t)m->nl * sizeof *p->phi);
  look(p, values + m->nv + m->nl);
  return TORSOR_OK;
}

/* ---- outputs ----------------------------------------------------------------------------------
 */

static void touch(probe *p, int element) {
  const torsor_model *m = p->model;
  const model_element *e = &m->element[element];
  unsigned char *row = p->touched + m->node_count;
  for (int k = 0; k < e->nodes; ++k) p->touched[e->node[k]] = 1;
  for (int k = 0; k < e->rows; ++k) row[e->first_row + k] = 1;
  if (e->reaction_of >= 0) touch(p, e->reaction_of);
}

/* Marks the nodes and multipliers on which an output may depend. */
static void find_touched(probe *p) {
  memset(p->touched, 0, (size_t)(p->model->node_count + p->model->nl));
  for (int k = 0; k < p->outputs; ++k) {
    const int element = signals_column_element(p->signals, k);
    if (element >= 0) touch(p, element);
    for (int i = 0; element < 0 && i < p->model->element_count; ++i) touch(p, i);
  }
}

/* Stores the derivatives of all outputs in column j of rows with `columns` columns. */
static void put_column(double *rows, const probe *p, int columns, int j) {
  for (int k = 0; k < p->outputs; ++k) rows[(size_t)k * (size_t)columns + (size_t)j] = p->D[k];
}

static torsor_status find_outputs(probe *p) {
  const torsor_model *m = p->model;
  const double step[WAYS] = {PART, PART * p->rate, PART * p->rate * p->rate};
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < m->node_count && p->outputs; ++i) {
    const model_node *node = &m->node[i];
    const int first = group_first_component(node->init.group);
    if (!p->touched[i]) continue;
    p->node = i;
    for (p->way = 0; p->way < WAYS; ++p->way)
      for (int j = 0; j < node->group->nv && !status; ++j) {
        p->component = first + j;
        status = difference_find(p->D, &p->outer, with_node, p,
                                 step[p->way] * (p->component < 3 ? p->length : 1));
        put_column(p->S[p->way], p, m->nv, node->first_v + j);
      }
  }
  for (p->row = 0; p->row < m->nl && p->outputs && !status; ++p->row) {
    if (!p->touched[m->node_count + p->row]) continue;
    status = difference_find(p->D, &p->outer, with_multiplier, p, p->force);
    put_column(p->L, p, m->nl, p->row);
  }
  return status;
}

/* Row [6] of a node times a matrix, over the node's components. */
static void add_times(double *out, const double *row, const model_node *node, const m6 *A,
                      double factor) {
  const int first = group_first_component(node->init.group);
  for (int j = 0; j < node->group->nv; ++j)
    for (int i = 0; i < node->group->nv; ++i)
      out[j] += factor * row[i] * A->m[first + i][first + j];
}

/* Transforms the derivatives to the frames: delta V = e' + ad(eta) e and delta V' = e'' + ad(eta)
 * e'
 * - ad(sigma) (e' + ad(eta) e). */
static void see_outputs(linear_rows *out, const probe *p) {
  const torsor_model *m = p->model;
  const size_t nv = (size_t)m->nv, all = (size_t)p->outputs * nv * sizeof(double);
  for (int w = 0; w < WAYS; ++w) memcpy(out->H[w], p->S[w], all);
  memcpy(out->L, p->L, (size_t)p->outputs * (size_t)m->nl * sizeof(double));
  for (int i = 0; i < m->node_count; ++i) {
    const model_node *node = &m->node[i];
    const m6 eta = se3_ad(p->s->eta[i]), sigma = se3_ad(p->s->sigma[i]);
    const m6 both = m6_mul(sigma, eta), rate = m6_sub(eta, sigma);
    for (size_t k = 0; k < (size_t)p->outputs; ++k) {
      const size_t at = k * nv + (size_t)node->first_v;
      add_times(out->H[0] + at, p->S[1] + at, node, &eta, 1);
      add_times(out->H[0] + at, p->S[2] + at, node, &both, -1);
      add_times(out->H[1] + at, p->S[2] + at, node, &rate, 1);
    }
  }
}

/* ---- inputs -----------------------------------------------------------------------------------
 */

/* Returns the value of an input at which forces and positions change by their natural scales;
 * `rows` are their derivatives. */
static double input_scale(const probe *p, const double *rows) {
  double forces = 0, positions = 0;
  const torsor_model *m = p->model;
  for (int i = 0; i < m->nv; ++i) forces = fmax(forces, fabs(rows[i]));
  for (int i = m->nv; i < m->nv + m->nl; ++i) positions = fmax(positions, fabs(rows[i]));
  const double by_force = forces > 0 ? p->force / forces : HUGE_VAL;
  const double by_position = positions > 0 ? PART * p->length / positions : HUGE_VAL;
  const double scale = fmin(by_force, by_position) / 4;
  return isfinite(scale) ? scale : 1;
}

static torsor_status find_input(linear_rows *out, probe *p) {
  const torsor_model *m = p->model;
  const size_t rows = (size_t)(m->nv + m->nl);
  /* The unit of an input says nothing on its scale, so that the first derivative, with whatever
   * step serves, finds that. */
  torsor_status status = difference_find(p->D, &p->inner, with_input, p, 1);
  if (!status) status = difference_find(p->D, &p->inner, with_input, p, input_scale(p, p->D));
  if (status) return status;
  memcpy(out->R[p->order] + (size_t)p->input * rows, p->D, rows * sizeof(double));
  memcpy(out->D[p->order] + (size_t)p->input * (size_t)p->outputs, p->D + rows,
         (size_t)p->outputs * sizeof(double));
  return channels_set(p->u, p->s->a, p->input, p->order, 0, p->at.t);
}

static torsor_status find_inputs(linear_rows *out, probe *p, torsor_error *error) {
  for (p->input = 0; p->input < p->u->count; ++p->input)
    for (p->order = 0; p->order < 3; ++p->order) {
      if (p->order && !channels_moves(p->u, p->input)) continue;
      const torsor_status status = find_input(out, p);
      if (status)
        return torsor_fail(error, status, "the effect of the input \"%s\" cannot be found: %s",
                           p->u->channel[p->input].label.name, torsor_status_text(status));
    }
  return TORSOR_OK;
}

/* ---- constant as seen from the frames? ----------------------------------------------------------
 */

/* Are the rows of output k the same at the later place, where they are `p->S`? */
static bool same_rows(const probe *p, double *const now[WAYS], const m6 *seen, int k) {
  const torsor_model *m = p->model;
  for (int w = 0; w < WAYS; ++w) {
    double off = 0, size = 0;
    for (int i = 0; i < m->node_count; ++i) {
      const model_node *node = &m->node[i];
      const size_t at = (size_t)k * (size_t)m->nv + (size_t)node->first_v;
      const int first = group_first_component(node->init.group);
      double later[6] = {0};
      add_times(later, p->S[w] + at, node, &seen[i], 1);
      for (int j = 0; j < node->group->nv; ++j) {
        const double length = first + j < 3 ? p->length : 1;
        off = fmax(off, length * fabs(later[j] - now[w][at + (size_t)j]));
        size = fmax(size, length * fabs(now[w][at + (size_t)j]));
      }
    }
    if (!(off <= SAME * size)) return false;
  }
  return true;
}

/* Do the outputs that follow from multipliers have the values [outputs] that they had? */
static bool same_reaction(const probe *p, const double *before, int k) {
  const double *L = p->L + (size_t)k * (size_t)p->model->nl;
  double size = 0;
  for (int i = 0; i < p->model->nl; ++i) size = fmax(size, fabs(L[i]) * p->force);
  return size == 0 || fabs(p->values[k] - before[k]) <= SAME * fmax(size, fabs(before[k]));
}

/* Is the force of input i the same at the later place, where it is p->D? */
static bool same_force(const probe *p, const double *now, const m6 *seen) {
  const torsor_model *m = p->model;
  double off = 0, size = 0;
  for (int i = 0; i < m->node_count; ++i) {
    const model_node *node = &m->node[i];
    const size_t first = (size_t)group_first_component(node->init.group);
    double w[6] = {0};
    memcpy(w + first, p->D + node->first_v, (size_t)node->group->nv * sizeof *w);
    tw_store(w, m6_tmulv(seen[i], tw_load(w)));
    for (int j = 0; j < node->group->nv; ++j) {
      const double length = first + (size_t)j < 3 ? p->length : 1;
      off = fmax(off, length * fabs(w[first + (size_t)j] - now[node->first_v + j]));
      size = fmax(size, length * fabs(now[node->first_v + j]));
    }
  }
  return off <= SAME * size;
}

static torsor_status refuse(const char *what, const char *name, torsor_error *error) {
  torsor_fail(error, TORSOR_ARGUMENT,
              "the %s \"%s\" is not constant as seen from the frames of the steady motion, so that "
              "the linearised system would change with time",
              what, name);
  torsor_hint(error, "take joint coordinates, signals in body axes and forces that turn with a "
                     "body");
  return TORSOR_ARGUMENT;
}

/* Looks at a later time of a steady motion, whether all derivatives are the same there. */
static torsor_status check_later(const linear_rows *out, probe *p, unsigned char *changes,
                                 arena *memory, torsor_error *error) {
  double *now[WAYS], *before = take(memory, p->outputs, 1);
  steady_later later;
  torsor_status status = before ? steady_later_find(&later, p->s, memory) : TORSOR_MEMORY;
  if (status) return torsor_fail(error, status, "%s", torsor_status_text(status));
  look(p, before);
  for (int w = 0; w < WAYS; ++w) {
    now[w] = p->S[w];
    p->S[w] = take(memory, p->outputs, p->model->nv);
    if (!p->S[w]) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  }
  begin_at(p, &later.point);
  status = find_outputs(p);
  look(p, p->values);
  for (int k = 0; k < p->outputs && !status; ++k) {
    if (same_rows(p, now, later.seen, k) && same_reaction(p, before, k)) continue;
    if (!changes) return refuse("output", torsor_signals_name(p->signals, k), error);
    changes[k] = 1;
  }
  for (p->input = 0; p->input < p->u->count && !status; ++p->input) {
    const double *R = out->R[0] + (size_t)p->input * (size_t)(p->model->nv + p->model->nl);
    p->order = 0;
    status = difference_find(p->D, &p->inner, with_input, p, input_scale(p, R));
    if (!status) status = channels_set(p->u, p->s->a, p->input, 0, 0, p->at.t);
    if (!status && !same_force(p, R, later.seen))
      return refuse("input", p->u->channel[p->input].label.name, error);
  }
  return status ? torsor_fail(error, status, "%s", torsor_status_text(status)) : TORSOR_OK;
}

/* ---- all --------------------------------------------------------------------------------------
 */

static torsor_status rows_create(linear_rows *out, arena *memory) {
  bool good = true;
  for (int w = 0; w < 3; ++w) {
    out->H[w] = take(memory, out->outputs, out->nv);
    out->R[w] = take(memory, out->inputs, out->nv + out->nl);
    out->D[w] = take(memory, out->inputs, out->outputs);
    good = good && out->H[w] && out->R[w] && out->D[w];
  }
  out->L = take(memory, out->outputs, out->nl);
  return good && out->L ? TORSOR_OK : TORSOR_MEMORY;
}

torsor_status linear_rows_find(linear_rows *out, linear_state *s, channels *u,
                               const torsor_signals *signals, double length, unsigned char *changes,
                               arena *memory, torsor_error *error) {
  const torsor_model *model = s->model;
  probe p = {.s = s,
             .model = model,
             .signals = signals,
             .u = u,
             .outputs = torsor_signals_count(signals),
             .length = length};
  const torsor_point at = {.q = s->q, .v = s->v, .a = s->acceleration, .lambda = s->lambda};
  *out = (linear_rows){.outputs = p.outputs, .inputs = u->count, .nv = model->nv, .nl = model->nl};
  torsor_status status = rows_create(out, memory);
  if (!status) status = probe_create(&p, memory);
  if (!status) {
    begin_at(&p, &at);
    find_touched(&p);
    status = find_scales(&p, 0, memory);
  }
  if (!status) status = find_outputs(&p);
  if (status)
    return torsor_fail(error, status, "the outputs cannot be linearised: %s",
                       torsor_status_text(status));
  see_outputs(out, &p);
  status = find_inputs(out, &p, error);
  if (!status && s->moves) status = check_later(out, &p, changes, memory, error);
  assembly_set_motion(s->a, &at);
  return status;
}
