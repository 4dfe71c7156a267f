/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <torsor/force.h>

#include "elements/relative_kit.h"

/* A coordinate at a motion. */
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
  if (control->inputs) control->input = control->copy(control->self);
  if (control->inputs && !control->input) return torsor_fail(error, TORSOR_MEMORY, "out of memory");
  for (int i = 0; i < control->inputs; ++i) {
    torsor_control_input *input = &control->input[i];
    const bool body = input->sees != TORSOR_SEES_COORDINATE;
    input->side_a = place_node(setup, body ? input->node : input->on.joint->a.node, &full);
    input->side_b = body ? -1 : place_node(setup, input->on.joint->b.node, &full);
  }
  if (!full) return TORSOR_OK;
  torsor_fail(error, TORSOR_SCENE, "\"%s\" and what its function reads touch more than %d bodies",
              setup->name, TORSOR_ELEMENT_NODES);
  torsor_hint(error, "make it a sum of several forces");
  return TORSOR_SCENE;
}

/* ---- coordinates --------------------------------------------------------------------------- */

static double find_coordinate(control_state *state, const torsor_control_input *input,
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

static void add_coordinate(double *q, double *V, const torsor_control_input *input,
                           const control_state *state, double factor) {
  double row[6];
  tw_store(row, tw_scale(tw_load(state->c.J), factor));
  relative_add_row(input->rate ? V : q, &state->s, row);
  if (input->rate) add_rate_gradient(q, state, factor);
}

/* ---- bodies -------------------------------------------------------------------------------- */

/* The inertial axis in the axes of the body: a row of R. */
static v3 axis_of(const torsor_motion *node, int axis) {
  const double(*R)[3] = node->R.m;
  return (v3){R[axis][0], R[axis][1], R[axis][2]};
}

static double component(v3 v, int axis) {
  return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static double find_body(const torsor_control_input *input, const torsor_element_in *in) {
  const torsor_motion *node = in->node[input->side_a];
  if (input->sees == TORSOR_SEES_POSITION) return component(node->x, input->axis);
  if (input->sees == TORSOR_SEES_ANGULAR_VELOCITY) return component(node->V.ang, input->axis);
  return v3_dot(axis_of(node, input->axis), node->V.lin);
}

static void add_axis(double *row, v3 axis, double factor) {
  row[0] += factor * axis.x;
  row[1] += factor * axis.y;
  row[2] += factor * axis.z;
}

/* With r the axis in the body: Dx = r e_lin, Dv = r dU + (U x r) e_ang. */
static void add_body(double *q, double *V, const torsor_control_input *input,
                     const torsor_element_in *in, double factor) {
  const torsor_motion *node = in->node[input->side_a];
  const int at = 6 * input->side_a;
  const v3 r = axis_of(node, input->axis);
  if (input->sees == TORSOR_SEES_POSITION) {
    add_axis(q + at, r, factor);
  } else if (input->sees == TORSOR_SEES_VELOCITY) {
    add_axis(V + at, r, factor);
    add_axis(q + at + 3, v3_cross(node->V.lin, r), factor);
  } else {
    V[at + 3 + input->axis] += factor;
  }
}

/* ---- evaluation ---------------------------------------------------------------------------- */

double torsor_control_eval(double *q, double *V, const torsor_control *control,
                           const torsor_element_in *in) {
  control_state state[control->inputs + 1];
  double x[control->inputs + 1], gradient[control->inputs + 1];
  for (int i = 0; i < control->inputs; ++i) {
    const torsor_control_input *input = &control->input[i];
    x[i] = input->sees == TORSOR_SEES_COORDINATE ? find_coordinate(&state[i], input, in, q != NULL)
                                                 : find_body(input, in);
  }
  const double value = control->eval(control->self, in->now, x, q ? gradient : NULL);
  for (int i = 0; q && i < control->inputs; ++i) {
    const torsor_control_input *input = &control->input[i];
    if (input->sees == TORSOR_SEES_COORDINATE)
      add_coordinate(q, V, input, &state[i], gradient[i]);
    else
      add_body(q, V, input, in, gradient[i]);
  }
  return value;
}
