/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/force.h>

#include "elements/relative_kit.h"

/* One variable of a control at a motion. */
typedef struct control_state {
  relative_state s;
  torsor_coordinate_out c;
} control_state;

/* Returns the element's index of the node, adding a new one; -1 for the ground. */
static int place_node(torsor_setup *setup, int node, bool *full) {
  if (node == TORSOR_GROUND) return -1;
  for (int i = 0; i < setup->nodes; ++i)
    if (setup->node[i] == node) return i;
  *full |= setup->nodes == TORSOR_ELEMENT_NODES;
  if (*full) return -1;
  setup->node[setup->nodes] = node;
  return setup->nodes++;
}

torsor_status torsor_control_prepare(torsor_control *control, torsor_setup *setup,
                                     torsor_error *error) {
  bool full = false;
  for (int i = 0; i < control->inputs; ++i) {
    torsor_control_input *input = &control->input[i];
    input->side_a = place_node(setup, input->on.joint->a.node, &full);
    input->side_b = place_node(setup, input->on.joint->b.node, &full);
  }
  if (!full) return TORSOR_OK;
  torsor_fail(error, TORSOR_SCENE, "\"%s\" and the coordinates in it touch more than %d bodies",
              setup->name, TORSOR_ELEMENT_NODES);
  torsor_hint(error, "make it a sum of several forces");
  return TORSOR_SCENE;
}

static double find_input(control_state *state, const torsor_control_input *input,
                         const torsor_element_in *in, bool tangent) {
  const torsor_coordinate_ref *on = &input->on;
  const torsor_joint link = {
      .a = on->joint->a, .b = on->joint->b, .side_a = input->side_a, .side_b = input->side_b};
  double V[6];
  relative_find(&state->s, &link, in);
  relative_velocity(&state->s, in);
  relative_coordinate(&state->c, on->joint, on->index, &state->s.in, tangent && input->rate);
  tw_store(V, state->s.in.V);
  return input->rate ? relative_dot(state->c.J, V)
                     : torsor_coordinate_turns(on, state->c.value, in->coordinate);
}

/* D(J V)[e] = V^T D(J^T)[e] - J ad(Wa) e_rel, as the relative twist of resting body twists
 * turns. */
static void add_rate_gradient(double *q, const control_state *state, double factor) {
  double V[6], row[6];
  tw_store(V, state->s.in.V);
  tw_store(row, se3_adT_apply(state->s.Wa, tw_load(state->c.J)));
  for (int k = 0; k < 6; ++k) {
    row[k] = -row[k];
    for (int j = 0; j < 6; ++j) row[k] += V[j] * state->c.K[j][k];
    row[k] *= factor;
  }
  relative_add_row(q, &state->s, row);
}

double torsor_control_eval(double *q, double *V, const torsor_control *control,
                           const torsor_element_in *in) {
  control_state state[TORSOR_CONTROL_INPUTS];
  double x[TORSOR_CONTROL_INPUTS], gradient[TORSOR_CONTROL_INPUTS];
  for (int i = 0; i < control->inputs; ++i)
    x[i] = find_input(&state[i], &control->input[i], in, q != NULL);
  const double value = control->eval(control->self, in->now, x, q ? gradient : NULL);
  for (int i = 0; q && i < control->inputs; ++i) {
    const torsor_control_input *input = &control->input[i];
    double row[6];
    tw_store(row, tw_scale(tw_load(state[i].c.J), gradient[i]));
    relative_add_row(input->rate ? V : q, &state[i].s, row);
    if (input->rate) add_rate_gradient(q, &state[i], gradient[i]);
  }
  return value;
}
