/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/actor_kit.h"

typedef struct force_coordinate_force_data {
  torsor_actor actor;
  torsor_control given;
  int nodes;
} force_coordinate_force_data;

static const torsor_param params[] = {
    TORSOR_ACTOR_PARAMS(force_coordinate_force_data),
    {"effort", TORSOR_PARAM_CONTROL, offsetof(force_coordinate_force_data, given), "N or N m", NULL,
     "force or moment along the coordinate, function of t and of joint coordinates", NULL, 0},
    {0}};

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  force_coordinate_force_data *data = self;
  torsor_status status = torsor_actor_prepare(&data->actor, setup, NULL, error);
  if (!status) status = torsor_control_prepare(&data->given, setup, error);
  data->nodes = setup->nodes;
  return status;
}

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const force_coordinate_force_data *data = self;
  const bool tangent = out->K || out->C;
  const int n = 6 * data->nodes;
  double q[6 * TORSOR_ELEMENT_NODES] = {0}, V[6 * TORSOR_ELEMENT_NODES] = {0};
  double column[6 * TORSOR_ELEMENT_NODES] = {0};
  actor_state state;
  actor_find(&state, &data->actor, in, tangent);
  const double Q = torsor_control_load(&data->given, in) *
                   torsor_control_eval(tangent ? q : NULL, tangent ? V : NULL, &data->given, in);
  actor_add(out, &state, &(torsor_effort_out){.Q = Q}, NULL, n);
  if (!tangent || !data->given.inputs) return TORSOR_OK;
  relative_add_wrench(column, &state.s, tw_neg(tw_load(state.c.J)));
  torsor_control_add(out, column, q, V, n);
  return TORSOR_OK;
}

/* An effort that depends only on its own coordinate and t has a potential. */
static const char *obstacle(const void *self) {
  const force_coordinate_force_data *data = self;
  for (int i = 0; i < data->given.inputs; ++i) {
    const torsor_control_input *input = &data->given.input[i];
    if (input->sees != TORSOR_SEES_COORDINATE) return "depends on the motion of bodies";
    if (input->rate) return "depends on rates";
    if (input->on.place != data->actor.on.place) return "depends on other coordinates than its own";
  }
  return NULL;
}

static void output(const void *self, const torsor_element_in *in, double *values) {
  const force_coordinate_force_data *data = self;
  *values =
      torsor_control_load(&data->given, in) * torsor_control_eval(NULL, NULL, &data->given, in);
}

const torsor_element_type force_coordinate_force = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_FORCE,
    .name = "coordinate_force",
    .energy.source = true,
    .title = "given force or moment along a joint coordinate, as a function of t and coordinates",
    .doc =
        "Q = effort along the coordinate (N, or N m for an angle); positive effort increases the\n"
        "coordinate.  effort is a function of t and of joint coordinates and their rates, written\n"
        "as signals: \"-80*pole.angle - 9*pole.rate + 4*cart.travel\" is a controller.",
    .example = "{\"torsor\": 1, \"bodies\": [{\"name\": \"rotor\", \"type\": \"rigid_body\","
               " \"mass\": 1, \"inertia\": [0.1, 0.1, 0.2]}], \"joints\": [{\"name\": \"bearing\","
               " \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"rotor\"}],"
               " \"forces\": [{\"name\": \"motor\", \"type\": \"coordinate_force\","
               " \"coordinate\": \"bearing.angle\","
               " \"effort\": \"0.5*cos(3*t) - 2*sin(bearing.angle) - 0.3*bearing.rate\"}]}",
    .size = sizeof(force_coordinate_force_data),
    .params = params,
    .tangents.has = TORSOR_HAS_C | TORSOR_HAS_K,
    .prepare = prepare,
    .eval = eval,
    .energy.obstacle = obstacle,
    .outputs.list = torsor_actor_outputs,
    .outputs.eval = output,
};
