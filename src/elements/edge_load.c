/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Displacements along the edge of a shell are linear between its nodes: each takes int N_i W ds. */

#include "elements/edge_load.h"

/* Gauss-Legendre, as for beams. */
enum { POINTS = 3 };
static const double abscissa[POINTS] = {0.11270166537925831, 0.5, 0.88729833462074169};
static const double weight[POINTS] = {5.0 / 18, 4.0 / 9, 5.0 / 18};

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  edge_load_data *load = self;
  setup->nodes = 2;
  for (int i = 0; i < 2; ++i) setup->node[i] = load->node[i];
  setup->length = load->length;
  const torsor_status status = torsor_control_prepare(&load->scale, setup, error);
  load->nodes = setup->nodes;
  return status;
}

/* The lengths on which the load per length acts at both nodes. */
static void find_shares(double share[2], const edge_load_data *load, const torsor_element_in *in) {
  share[0] = share[1] = load->length / 2;
  if (!load->profile.eval) return;
  share[0] = share[1] = 0;
  for (int g = 0; g < POINTS; ++g) {
    const double s = abscissa[g], at = load->start + s * (load->end - load->start);
    const double part =
        weight[g] * load->length * load->profile.eval(load->profile.self, in->now, at);
    share[0] += (1 - s) * part;
    share[1] += s * part;
  }
}

/* The wrench on node i, in its axes. */
static twist wrench_on(const edge_load_data *load, const torsor_element_in *in, double share,
                       int i) {
  const twist W = {v3_scale(load->force, share), v3_scale(load->moment, share)};
  const m3 R = in->node[i]->R;
  return load->follows ? W : (twist){m3_tmulv(R, W.lin), m3_tmulv(R, W.ang)};
}

static double find_scale(double *q, double *V, const edge_load_data *load,
                         const torsor_element_in *in) {
  if (!load->scale.eval) return in->load;
  return torsor_control_load(&load->scale, in) * torsor_control_eval(q, V, &load->scale, in);
}

/* Dead loads turn in the axes of the node. */
static void add_turn(double *K, int n, int i, double scale, twist W) {
  const m3 force = m3_skew(W.lin), moment = m3_skew(W.ang);
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l) {
      K[n * (6 * i + k) + 6 * i + 3 + l] -= scale * force.m[k][l];
      K[n * (6 * i + 3 + k) + 6 * i + 3 + l] -= scale * moment.m[k][l];
    }
}

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const edge_load_data *load = self;
  const int n = 6 * load->nodes;
  const bool listens = load->scale.inputs && (out->K || out->C);
  double q[6 * TORSOR_ELEMENT_NODES] = {0}, V[6 * TORSOR_ELEMENT_NODES] = {0};
  double column[6 * TORSOR_ELEMENT_NODES] = {0}, share[2];
  const double scale = find_scale(listens ? q : NULL, listens ? V : NULL, load, in);
  find_shares(share, load, in);
  for (int i = 0; i < 2; ++i) {
    const twist W = wrench_on(load, in, share[i], i);
    tw_store(column + 6 * i, tw_neg(W));
    if (out->r) tw_store(out->r + 6 * i, tw_axpy(-scale, W, tw_load(out->r + 6 * i)));
    if (out->K && !load->follows) add_turn(out->K, n, i, scale, W);
  }
  if (listens) torsor_control_add(out, column, q, V, n);
  return TORSOR_OK;
}

/* A force of fixed direction has the potential -int force.x ds. */
static const char *obstacle(const void *self) {
  const edge_load_data *load = self;
  if (load->follows) return "turns with the shell, and has no potential";
  if (v3_norm(load->moment) > 0) return "has a moment, which has no potential";
  return load->scale.inputs ? "depends on coordinates" : NULL;
}

static const torsor_output outputs[] = {
    {"force", "N", "force on the nodes, inertial axes", 3},
    {"moment", "N m", "moment on the nodes, without that of the forces, inertial axes", 3},
    {0}};

static void output(const void *self, const torsor_element_in *in, double *values) {
  const edge_load_data *load = self;
  twist sum = tw_zero();
  double share[2];
  find_shares(share, load, in);
  for (int i = 0; i < 2; ++i) {
    const twist W = wrench_on(load, in, share[i], i);
    const m3 R = in->node[i]->R;
    sum = tw_add(sum, (twist){m3_mulv(R, W.lin), m3_mulv(R, W.ang)});
  }
  tw_store(values, tw_scale(sum, find_scale(NULL, NULL, load, in)));
}

static const torsor_param params[] = {{0}};

const torsor_element_type edge_load = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_FORCE,
    .name = "edge_load_part",
    .energy.source = true,
    .title = "distributed load between two nodes of an edge",
    .doc = "See edge_load.",
    .example = "",
    .size = sizeof(edge_load_data),
    .params = params,
    .tangents.has = TORSOR_HAS_C | TORSOR_HAS_K,
    .prepare = prepare,
    .eval = eval,
    .outputs.list = outputs,
    .outputs.eval = output,
    .energy.obstacle = obstacle,
};
