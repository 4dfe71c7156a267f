/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/chain_kit.h"
#include "elements/slide.h"

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  (void)error;
  const slide_node_data *node = self;
  setup->new_nodes = 1;
  setup->new_node[0] = node->init;
  setup->rows = 3 - node->used;
  return TORSOR_OK;
}

static double component(v3 x, int i) {
  const double value[3] = {x.x, x.y, x.z};
  return value[i];
}

/* Rows: the numbers without a use are zero. */
static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const slide_node_data *node = self;
  for (int i = node->used, row = 0; i < 3; ++i, ++row) {
    if (out->r && in->lambda) out->r[i] += in->lambda[row];
    if (out->B) out->B[6 * row + i] += 1;
    if (out->phi) out->phi[row] += component(in->node[0]->x, i);
    if (out->phi_v) out->phi_v[row] += component(in->node[0]->V.lin, i);
  }
  return TORSOR_OK;
}

static const char *obstacle(const void *self) {
  (void)self;
  return NULL;
}

const torsor_element_type slide_node = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_BODY,
    .name = "slide_node",
    .title = "numbers of a sliding joint",
    .doc = "The place along the chain, or sums of its rows.",
    .example = "",
    .size = sizeof(slide_node_data),
    .params = chain_no_params,
    .prepare = prepare,
    .eval = eval,
    .energy.obstacle = obstacle,
};
