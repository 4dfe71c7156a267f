/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values of signals. */
#include <math.h>
#include <string.h>

#include "analysis/observe/marker_axes.h"
#include "analysis/observe/signals_private.h"

static torsor_balance find_balance(const torsor_model *model, const signal_state *s) {
  return s->balance ? *s->balance : balance_sum(s->assembly, model, s->point);
}

static void eval_balance(double *out, const torsor_model *model, const signal_state *s) {
  const torsor_balance sum = find_balance(model, s);
  out[0] = sum.kinetic;
  out[1] = sum.potential;
  out[2] = sum.elastic;
  out[3] = sum.kinetic + sum.potential + sum.elastic;
  v3_store(out + 4, sum.momentum);
  v3_store(out + 7, sum.angular_momentum);
}

static void eval_work_sum(double *out, const torsor_model *model, const signal_state *s) {
  const torsor_balance sum = find_balance(model, s);
  const work_sums w = work_sum(s->work, sum.kinetic + sum.potential + sum.elastic);
  out[0] = w.supplied;
  out[1] = w.dissipated;
  out[2] = w.balance;
}

/* Evaluates a source of the whole model. */
static void eval_sum(double *out, source_kind kind, int at, const torsor_model *model,
                     const signal_state *s) {
  if (kind == SOURCE_BALANCE) eval_balance(out, model, s);
  if (kind == SOURCE_WORK_SUM) eval_work_sum(out, model, s);
  if (kind == SOURCE_LOAD) *out = assembly_load(s->assembly);
  if (kind == SOURCE_INPUT) *out = assembly_input(s->assembly, at)[0];
  if (kind != SOURCE_IMPULSE) return;
  v3_store(out, s->work->shown_impulse);
  v3_store(out + 3, s->work->shown_angular_impulse);
}

/* Evaluates a source that depends on a node's motion alone; returns false where the source is of
 * another kind. */
static bool eval_motion(double *out, source_kind kind, const model_node *node,
                        const torsor_motion *motion, const torsor_point *p) {
  switch (kind) {
  case SOURCE_POSITION:
    v3_store(out, motion->x);
    return true;
  case SOURCE_QUATERNION:
    so3_store(out, node_rotation(node, p));
    return true;
  case SOURCE_ROTATION_VECTOR:
    v3_store(out, so3_log(node_rotation(node, p)));
    return true;
  case SOURCE_VELOCITY:
    v3_store(out, node_velocity(node, motion, p));
    return true;
  case SOURCE_ANGULAR_VELOCITY:
    v3_store(out, motion->V.ang);
    return true;
  case SOURCE_SPIN:
    v3_store(out, m3_mulv(motion->R, motion->V.ang));
    return true;
  case SOURCE_ACCELERATION:
    v3_store(out, node_acceleration(node, motion, p));
    return true;
  case SOURCE_ANGULAR_ACCELERATION:
    v3_store(out, motion->A.ang);
    return true;
  default:
    return false;
  }
}

/* Evaluates the outputs of an element, all of them. */
static void eval_outputs(double out[SOURCE_SIZE], const column *c, const model_element *e,
                         const torsor_element_in *in, const assembly *a) {
  memset(out, 0, SOURCE_SIZE * sizeof *out);
  if (!assembly_acts(a, c->element)) return;
  e->type->outputs.eval(e->instance, in, out);
  if (c->kind == SOURCE_OUTPUT) return;
  marker_axes_turn(out, e, c->kind == SOURCE_OUTPUT_A ? "a" : "b", a);
}

/* Evaluates an expression in other signals. */
static void eval_derived(double *out, const column *c, const torsor_model *model,
                         const signal_state *s) {
  const torsor_derived *derived = &model->derived[c->at];
  double x[derived->signals + 1];
  signals_eval(c->of, x, s);
  *out = derived->eval(derived->self, assembly_element_in(s->assembly, 0, s->point).now, x);
}

/* Evaluates one source at the motion last set. */
static void eval_source(double out[SOURCE_SIZE], const column *c, const torsor_model *model,
                        const signal_state *s) {
  if (c->kind == SOURCE_DERIVED) {
    eval_derived(out, c, model, s);
    return;
  }
  if (c->element < 0) {
    eval_sum(out, c->kind, c->at, model, s);
    return;
  }
  const assembly *a = s->assembly;
  const torsor_point *p = s->point;
  const model_element *e = &model->element[c->element];
  const model_node *node = &model->node[e->node[0]];
  const torsor_element_in in = assembly_element_in(a, c->element, p);
  if (eval_motion(out, c->kind, node, assembly_motion(a, e->node[0]), p)) return;
  switch (c->kind) {
  case SOURCE_LAMBDA:
    memcpy(out, p->lambda + e->first_row, (size_t)e->rows * sizeof *out);
    break;
  case SOURCE_COORDINATE:
    memcpy(out, s->coordinates->shown + e->first_coordinate, (size_t)e->coordinates * sizeof *out);
    break;
  case SOURCE_RATE:
    memcpy(out, s->coordinates->shown_rate + e->first_coordinate,
           (size_t)e->coordinates * sizeof *out);
    break;
  case SOURCE_OUTPUT:
  case SOURCE_OUTPUT_A:
  case SOURCE_OUTPUT_B:
    eval_outputs(out, c, e, &in, a);
    break;
  case SOURCE_PLACE:
    e->type->outputs.places->output(e->instance, &in, c->at, out);
    break;
  case SOURCE_PHI:
    memcpy(out, s->phi + e->first_row, (size_t)e->rows * sizeof *out);
    break;
  case SOURCE_PHI_VELOCITY:
    memcpy(out, s->phi_v + e->first_row, (size_t)e->rows * sizeof *out);
    break;
  case SOURCE_WORK:
    *out = work_of(s->work, c->element);
    break;
  default: /* sources of the whole model: above */
    break;
  }
}

void signals_eval(const torsor_signals *signals, double *values, const signal_state *state) {
  double source[SOURCE_SIZE] = {0};
  const column *last = NULL;
  for (int i = 0; i < signals->count; ++i) {
    const column *now = &signals->column[i];
    if (!last || last->kind != now->kind || last->element != now->element || last->at != now->at)
      eval_source(source, now, assembly_model(state->assembly), state);
    values[i] = source[now->component];
    last = now;
  }
  for (int i = signals->count; i < torsor_signals_count(signals); ++i) values[i] = nan("");
}
