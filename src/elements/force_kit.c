/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/actor_kit.h"

/* ---- between two markers ----------------------------------------------------------------- */

torsor_status torsor_pair_prepare(torsor_pair *pair, torsor_setup *setup, torsor_law law,
                                  bool numeric, torsor_error *error) {
  pair->law = law;
  pair->numeric = numeric;
  return torsor_joint_prepare(&pair->joint, setup, 0, NULL, false, error);
}

/* Step of component k of the twist: of an angular velocity relative to how fast the markers turn
 * and move past each other, 1 rad/s where they rest, and of a velocity that times the length of the
 * law. */
static double twist_step(const torsor_pair *pair, const torsor_relative_in *in, int k) {
  const double length = relative_step(&pair->joint, in, 0) / RELATIVE_STEP;
  const double turning = v3_norm(in->V.ang) + v3_norm(in->V.lin) / length;
  return RELATIVE_STEP * (turning > 0 ? turning : 1) * (k < 3 ? length : 1);
}

/* H and V by central differences of w. */
static torsor_status difference_law(torsor_law_out *out, const torsor_relative_in *in,
                                    const torsor_pair *pair) {
  for (int k = 0; k < 12; ++k) {
    const double h = k < 6 ? relative_step(&pair->joint, in, k) : twist_step(pair, in, k - 6);
    double(*const column)[6] = k < 6 ? out->H : out->V;
    for (int sign = -1; sign <= 1; sign += 2) {
      torsor_relative_in at = k < 6 ? relative_moved(in, k, sign * h) : *in;
      torsor_law_out moved = {0};
      double V[6], w[6];
      tw_store(V, at.V);
      if (k >= 6) V[k - 6] += sign * h;
      at.V = tw_load(V);
      const torsor_status status = pair->law(pair, &at, &moved);
      if (status) return status;
      tw_store(w, moved.w);
      for (int i = 0; i < 6; ++i) column[i][k % 6] += sign * w[i] / (2 * h);
    }
  }
  return TORSOR_OK;
}

static int pair_size(const torsor_joint *joint) {
  return 6 * ((joint->side_a >= 0) + (joint->side_b >= 0));
}

torsor_status torsor_pair_eval(const void *self, const torsor_element_in *in,
                               torsor_element_out *out) {
  const torsor_pair *pair = self;
  relative_state s;
  relative_find(&s, &pair->joint, in);
  relative_velocity(&s, in);
  torsor_law_out law = {.tangent = (out->K || out->C) && !pair->numeric};
  torsor_status status = pair->law(pair, &s.in, &law);
  if (!status && (out->K || out->C) && pair->numeric) status = difference_law(&law, &s.in, pair);
  if (status) return status;
  if (out->r) relative_add_wrench(out->r, &s, tw_neg(law.w));
  if (out->K || out->C)
    relative_add_tangents(out->K, out->C, pair_size(&pair->joint), &s, law.H, law.V, law.w);
  return TORSOR_OK;
}

const torsor_output torsor_pair_outputs[] = {
    {"force", "N", "force on b at its marker, inertial axes", 3},
    {"moment", "N m", "moment on b about its marker, inertial axes", 3},
    {0}};

void torsor_pair_output(const void *self, const torsor_element_in *in, double *values) {
  const torsor_pair *pair = self;
  relative_state s;
  relative_find(&s, &pair->joint, in);
  relative_velocity(&s, in);
  torsor_law_out law = {0};
  pair->law(pair, &s.in, &law);
  relative_output(values, &pair->joint, in, law.w);
}

/* ---- on a joint coordinate --------------------------------------------------------------- */

torsor_status torsor_actor_prepare(torsor_actor *actor, torsor_setup *setup, torsor_effort effort,
                                   torsor_error *error) {
  if (actor->reactive && !actor->on.joint->rows) {
    torsor_fail(error, TORSOR_SCENE, "\"%s\" depends on the force of a joint that only measures",
                setup->name);
    torsor_hint(error, "name a coordinate of the joint that carries the load");
    return TORSOR_SCENE;
  }
  const torsor_status status = relative_check_points(&actor->on, setup->name, error);
  if (status) return status;
  if (actor->reactive) setup->reaction_of = actor->on.element;
  actor->effort = effort;
  actor->joint = (torsor_joint){.a = actor->on.joint->a, .b = actor->on.joint->b};
  return torsor_joint_prepare(&actor->joint, setup, 0, NULL, false, error);
}

/* The coordinate at a relative motion: value with its turns counted, gradient, rate. */
static double eval_coordinate(torsor_coordinate_out *c, const torsor_actor *actor,
                              const torsor_relative_in *in, bool second) {
  double V[6];
  relative_coordinate(c, actor->on.joint, actor->on.index, in, second);
  c->value = torsor_coordinate_turns(&actor->on, c->value, in->coordinate);
  tw_store(V, in->V);
  return relative_dot(c->J, V);
}

/* Magnitude of the joint's force (N) at `in`, its derivative along H exp(e) and, when wanted, by
 * the multipliers. */
static torsor_status eval_reaction(double *size, double H[6], double *by_lambda,
                                   const torsor_joint *joint, const torsor_relative_in *relative,
                                   const double *reaction) {
  torsor_relative_in in = *relative;
  torsor_relative_out out;
  in.lambda = reaction;
  const torsor_status status = relative_eval(&out, &in, joint, H != NULL);
  if (status) return status;
  const v3 force = relative_constraint_wrench(&out, reaction, joint->rows).lin;
  const double f = *size = v3_norm(force);
  const v3 along = f > 0 ? v3_scale(force, 1 / f) : v3_zero();
  for (int k = 0; H && k < 6; ++k)
    H[k] = along.x * out.KL[0][k] + along.y * out.KL[1][k] + along.z * out.KL[2][k];
  for (int i = 0; by_lambda && i < joint->rows; ++i)
    by_lambda[i] = v3_dot(along, v3_load(out.J[i]));
  return TORSOR_OK;
}

/* L: the wrench -J^T dQ on both sides. */
static void add_reaction(double *L, const relative_state *s, const double J[6], double dQ_dreaction,
                         const double *by_lambda, int rows, int n) {
  double column[12] = {0};
  relative_add_wrench(column, s, tw_scale(tw_load(J), -dQ_dreaction));
  for (int i = 0; i < n; ++i)
    for (int row = 0; row < rows; ++row) L[i * rows + row] += column[i] * by_lambda[row];
}

void actor_find(actor_state *state, const torsor_actor *actor, const torsor_element_in *in,
                bool tangent) {
  relative_find(&state->s, &actor->joint, in);
  relative_velocity(&state->s, in);
  state->rate = eval_coordinate(&state->c, actor, &state->s.in, tangent);
}

void actor_add(torsor_element_out *out, const actor_state *state, const torsor_effort_out *effort,
               const double *by_frame, int n) {
  const double *J = state->c.J;
  torsor_law_out law = {.w = tw_scale(tw_load(J), effort->Q)};
  if (out->r) relative_add_wrench(out->r, &state->s, tw_neg(law.w));
  if (!out->K && !out->C) return;
  /* w = J^T Q: H = D(J^T) Q + J^T (dQ/dc J + dQ/drate V^T D(J^T) + dQ/df Df), V = J^T dQ/drate
   * J. */
  const double(*const KJ)[6] = (const double(*)[6])state->c.K;
  double V[6];
  tw_store(V, state->s.in.V);
  for (int k = 0; k < 6; ++k) {
    double slope = effort->dQ_dc * J[k], turn = 0;
    for (int j = 0; j < 6; ++j) turn += V[j] * KJ[j][k];
    slope += effort->dQ_drate * turn;
    if (by_frame) slope += effort->dQ_dreaction * by_frame[k];
    for (int j = 0; j < 6; ++j) {
      law.H[j][k] = KJ[j][k] * effort->Q + J[j] * slope;
      law.V[j][k] = J[j] * effort->dQ_drate * J[k];
    }
  }
  relative_add_tangents(out->K, out->C, n, &state->s, law.H, law.V, law.w);
}

torsor_status torsor_actor_eval(const void *self, const torsor_element_in *in,
                                torsor_element_out *out) {
  const torsor_actor *actor = self;
  const int n = pair_size(&actor->joint);
  actor_state state;
  torsor_effort_out effort = {.state = in->state, .hold = in->hold};
  const bool tangent = out->K || out->C || out->L;
  actor_find(&state, actor, in, tangent);
  double by_frame[6] = {0}, by_lambda[TORSOR_ELEMENT_ROWS];
  torsor_status status = TORSOR_OK;
  if (actor->reactive)
    status = eval_reaction(&effort.reaction, tangent ? by_frame : NULL, by_lambda, actor->on.joint,
                           &state.s.in, in->reaction);
  if (!status) status = actor->effort(actor, in->now, state.c.value, state.rate, &effort);
  if (status) return status;
  if (out->L)
    add_reaction(out->L, &state.s, state.c.J, effort.dQ_dreaction, by_lambda, actor->on.joint->rows,
                 n);
  actor_add(out, &state, &effort, by_frame, n);
  return TORSOR_OK;
}

void torsor_actor_coordinate(const torsor_actor *actor, const torsor_element_in *in, double *c,
                             double *rate) {
  torsor_relative_in relative;
  torsor_coordinate_out out;
  torsor_joint_relative(&actor->joint, in, &relative);
  *rate = eval_coordinate(&out, actor, &relative, false);
  *c = out.value;
}

double torsor_actor_reaction(const torsor_actor *actor, const torsor_element_in *in) {
  double size = 0;
  if (!actor->reactive) return 0;
  torsor_relative_in relative;
  torsor_joint_relative(&actor->joint, in, &relative);
  eval_reaction(&size, NULL, NULL, actor->on.joint, &relative, in->reaction);
  return size;
}

const torsor_output torsor_actor_outputs[] = {
    {"effort", "N or N m", "force or moment along the coordinate", 1}, {0}};

void torsor_actor_output(const void *self, const torsor_element_in *in, double *values) {
  const torsor_actor *actor = self;
  torsor_effort_out effort = {.state = in->state};
  double c, rate;
  torsor_actor_coordinate(actor, in, &c, &rate);
  effort.reaction = torsor_actor_reaction(actor, in);
  actor->effort(actor, in->now, c, rate, &effort);
  *values = effort.Q;
}
