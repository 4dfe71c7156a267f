/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/control_block.h"

#include <stddef.h>

static const torsor_output outputs[] = {{"value", "", "value of the block", 1}, {0}};

static const char *obstacle(const void *self) {
  (void)self;
  return "belongs to a controller";
}

/* ---- states ---------------------------------------------------------------------------------- */

static const torsor_param state_params[] = {{"value", TORSOR_PARAM_NUMBER,
                                             offsetof(control_state_data, value), NULL, "0",
                                             "value at the start", NULL, TORSOR_INITIAL},
                                            {0}};

static torsor_status prepare_state(void *self, torsor_setup *setup, torsor_error *error) {
  const control_state_data *data = self;
  (void)error;
  setup->new_nodes = 1;
  setup->new_node[0] = (torsor_node_init){.group = TORSOR_GROUP_R3,
                                          .frame = {so3_identity(), v3_zero()},
                                          .V.lin = {data->value, 0, 0},
                                          .velocity_given = true,
                                          .angular_velocity_given = true,
                                          .abstract = true};
  return TORSOR_OK;
}

/* r = x'; its rate subtracts f. */
static torsor_status eval_state(const void *self, const torsor_element_in *in,
                                torsor_element_out *out) {
  (void)self;
  if (out->r) v3_store(out->r, v3_add(v3_load(out->r), in->node[0]->A.lin));
  for (int i = 0; out->M && i < 3; ++i) out->M[7 * i] += 1;
  return TORSOR_OK;
}

static void state_output(const void *self, const torsor_element_in *in, double *values) {
  (void)self;
  *values = in->node[0]->V.lin.x;
}

const torsor_element_type control_state = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_BODY,
    .name = "state",
    .title = "state of a controller",
    .doc = "x' = rate, integrated with the mechanics.",
    .size = sizeof(control_state_data),
    .params = state_params,
    .tangents.has = TORSOR_HAS_M | TORSOR_CONSTANT_M,
    .prepare = prepare_state,
    .eval = eval_state,
    .outputs.list = outputs,
    .outputs.eval = state_output,
    .energy.obstacle = obstacle,
};

/* ---- rates ----------------------------------------------------------------------------------- */

static const torsor_param rate_params[] = {{"rate", TORSOR_PARAM_CONTROL,
                                            offsetof(control_rate_data, rate), NULL, NULL,
                                            "rate of the state", NULL, 0},
                                           {0}};

static torsor_status prepare_rate(void *self, torsor_setup *setup, torsor_error *error) {
  control_rate_data *data = self;
  setup->node[setup->nodes++] = data->node;
  const torsor_status status = torsor_control_prepare(&data->rate, setup, error);
  data->nodes = setup->nodes;
  return status;
}

static torsor_status eval_rate(const void *self, const torsor_element_in *in,
                               torsor_element_out *out) {
  const control_rate_data *data = self;
  const bool tangent = (out->K || out->C) && data->rate.inputs;
  enum { SIZE = 6 * TORSOR_ELEMENT_NODES };
  double q[SIZE] = {0}, V[SIZE] = {0}, column[SIZE] = {-1};
  const double f = torsor_control_eval(tangent ? q : NULL, tangent ? V : NULL, &data->rate, in);
  if (out->r) out->r[0] -= f;
  if (tangent) torsor_control_add(out, column, q, V, 6 * data->nodes);
  return TORSOR_OK;
}

const torsor_element_type control_rate = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_FORCE,
    .name = "rate",
    .title = "rate of a state of a controller",
    .doc = "r = -f on the node of the state.",
    .size = sizeof(control_rate_data),
    .params = rate_params,
    .tangents.has = TORSOR_HAS_C | TORSOR_HAS_K,
    .prepare = prepare_rate,
    .eval = eval_rate,
    .energy.obstacle = obstacle,
};

/* ---- values ---------------------------------------------------------------------------------- */

static const torsor_param value_params[] = {{"value", TORSOR_PARAM_CONTROL,
                                             offsetof(control_value_data, value), NULL, NULL,
                                             "function of the motion", NULL, 0},
                                            {0}};

static torsor_status prepare_value(void *self, torsor_setup *setup, torsor_error *error) {
  control_value_data *data = self;
  return torsor_control_prepare(&data->value, setup, error);
}

static torsor_status eval_value(const void *self, const torsor_element_in *in,
                                torsor_element_out *out) {
  (void)self;
  (void)in;
  (void)out;
  return TORSOR_OK;
}

static void value_output(const void *self, const torsor_element_in *in, double *values) {
  const control_value_data *data = self;
  *values = torsor_control_eval(NULL, NULL, &data->value, in);
}

const torsor_element_type control_value = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_FORCE,
    .name = "value",
    .title = "signal that is a function of others",
    .doc = "No force.",
    .size = sizeof(control_value_data),
    .params = value_params,
    .prepare = prepare_value,
    .eval = eval_value,
    .outputs.list = outputs,
    .outputs.eval = value_output,
    .energy.obstacle = obstacle,
};
