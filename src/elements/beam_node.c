/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/beam.h"

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  (void)error;
  const beam_node_data *node = self;
  setup->new_nodes = 1;
  setup->new_node[0] = node->init;
  return TORSOR_OK;
}

/* The elements do everything. */
static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  (void)self;
  (void)in;
  (void)out;
  return TORSOR_OK;
}

static const char *obstacle(const void *self) {
  (void)self;
  return NULL;
}

static const torsor_param params[] = {{0}};

const torsor_element_type beam_node = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_BODY,
    .name = "beam_node",
    .title = "frame of a beam's section",
    .doc = "A node without inertia of its own; x along the beam.",
    .example = "",
    .size = sizeof(beam_node_data),
    .params = params,
    .prepare = prepare,
    .eval = eval,
    .energy.obstacle = obstacle,
};

const torsor_element_type cable_node = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_BODY,
    .name = "cable_node",
    .title = "point of a cable",
    .doc = "A point without mass of its own.",
    .example = "",
    .size = sizeof(beam_node_data),
    .params = params,
    .prepare = prepare,
    .eval = eval,
    .energy.obstacle = obstacle,
};
