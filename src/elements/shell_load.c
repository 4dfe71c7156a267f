/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Node i takes int N_i (pressure x,1 x x,2 + j_0 force), positions bilinear. */

#include "elements/shell_load.h"

#include "elements/shell_shape.h"

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  shell_load_data *load = self;
  setup->nodes = SHELL_NODES;
  for (int i = 0; i < SHELL_NODES; ++i) setup->node[i] = load->node[i];
  setup->length = load->length;
  const torsor_status status = torsor_control_prepare(&load->scale, setup, error);
  load->nodes = setup->nodes;
  return status;
}

/* x,1 and x,2 at the Gauss points. */
typedef struct slopes {
  v3 along[4][2];
} slopes;

static slopes find_slopes(const torsor_element_in *in) {
  v3 x[SHELL_NODES], mode[4];
  slopes out;
  for (int i = 0; i < SHELL_NODES; ++i) x[i] = v3_sub(in->node[i]->x, in->node[0]->x);
  shell_modes(mode, x);
  for (int g = 0; g < 4; ++g) {
    out.along[g][0] = v3_axpy(SHELL_GAUSS * shell_eta[g], mode[3], mode[1]);
    out.along[g][1] = v3_axpy(SHELL_GAUSS * shell_xi[g], mode[3], mode[2]);
  }
  return out;
}

/* Forces on the nodes, inertial axes, without the scale. */
static void find_forces(v3 on[SHELL_NODES], const shell_load_data *load, const slopes *s) {
  for (int i = 0; i < SHELL_NODES; ++i) on[i] = v3_scale(load->force, load->share[i]);
  for (int g = 0; g < 4; ++g) {
    const v3 push = v3_scale(v3_cross(s->along[g][0], s->along[g][1]), load->pressure);
    for (int i = 0; i < SHELL_NODES; ++i) on[i] = v3_axpy(shell_at_gauss[g][i], push, on[i]);
  }
}

static double find_scale(double *q, double *V, const shell_load_data *load,
                         const torsor_element_in *in) {
  if (!load->scale.eval) return in->load;
  return torsor_control_load(&load->scale, in) * torsor_control_eval(q, V, &load->scale, in);
}

static void add_3(double *K, int n, int row, int column, double scale, m3 block) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) K[(row + i) * n + column + j] += scale * block.m[i][j];
}

/* d(x,1 x x,2) = N_j,2 x,1~ - N_j,1 x,2~ by the position of node j. */
static m3 turn_of_normal(const slopes *s, const double weight[4], int j) {
  m3 sum = m3_zero();
  for (int g = 0; g < 4; ++g) {
    const double by_1 = shell_xi[j] * (1 + SHELL_GAUSS * shell_eta[g] * shell_eta[j]) / 4;
    const double by_2 = shell_eta[j] * (1 + SHELL_GAUSS * shell_xi[g] * shell_xi[j]) / 4;
    const v3 d = v3_axpy(by_2, s->along[g][0], v3_scale(s->along[g][1], -by_1));
    sum = m3_axpy(weight[g], m3_skew(d), sum);
  }
  return sum;
}

static void add_tangent(double *K, int n, double scale, const shell_load_data *load,
                        const slopes *s, const torsor_element_in *in) {
  for (int i = 0; i < SHELL_NODES && load->pressure != 0; ++i) {
    double weight[4];
    for (int g = 0; g < 4; ++g) weight[g] = load->pressure * shell_at_gauss[g][i];
    for (int j = 0; j < SHELL_NODES; ++j) {
      const m3 turn = m3_mul(turn_of_normal(s, weight, j), in->node[j]->R);
      add_3(K, n, 6 * i, 6 * j, -scale, m3_tmul(in->node[i]->R, turn));
    }
  }
}

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const shell_load_data *load = self;
  const int n = 6 * load->nodes;
  const bool listens = load->scale.inputs && (out->K || out->C);
  double q[6 * TORSOR_ELEMENT_NODES] = {0}, V[6 * TORSOR_ELEMENT_NODES] = {0};
  double column[6 * TORSOR_ELEMENT_NODES] = {0};
  const double scale = find_scale(listens ? q : NULL, listens ? V : NULL, load, in);
  const slopes s = find_slopes(in);
  v3 on[SHELL_NODES];
  find_forces(on, load, &s);
  for (int i = 0; i < SHELL_NODES; ++i) {
    const v3 f = m3_tmulv(in->node[i]->R, on[i]);
    v3_store(column + 6 * i, v3_neg(f));
    if (out->r) v3_store(out->r + 6 * i, v3_axpy(-scale, f, v3_load(out->r + 6 * i)));
    if (out->K) add_3(out->K, n, 6 * i, 6 * i + 3, -scale, m3_skew(f));
  }
  if (out->K) add_tangent(out->K, n, scale, load, &s, in);
  if (listens) torsor_control_add(out, column, q, V, n);
  return TORSOR_OK;
}

static const char *obstacle(const void *self) {
  const shell_load_data *load = self;
  if (load->pressure != 0) return "is a pressure, which turns with the shell";
  return load->scale.inputs ? "depends on coordinates" : NULL;
}

static const torsor_output outputs[] = {{"force", "N", "force on the element, inertial axes", 3},
                                        {0}};

static void output(const void *self, const torsor_element_in *in, double *values) {
  const shell_load_data *load = self;
  const slopes s = find_slopes(in);
  v3 on[SHELL_NODES], sum = v3_zero();
  find_forces(on, load, &s);
  for (int i = 0; i < SHELL_NODES; ++i) sum = v3_add(sum, on[i]);
  v3_store(values, v3_scale(sum, find_scale(NULL, NULL, load, in)));
}

static const torsor_param params[] = {{0}};

const torsor_element_type shell_load = {
    .abi = TORSOR_ELEMENT_ABI,
    .kind = TORSOR_FORCE,
    .name = "shell_load_part",
    .energy.source = true,
    .title = "distributed load on one element of a shell",
    .doc = "See shell_load.",
    .example = "",
    .size = sizeof(shell_load_data),
    .params = params,
    .tangents.has = TORSOR_HAS_C | TORSOR_HAS_K,
    .prepare = prepare,
    .eval = eval,
    .outputs.list = outputs,
    .outputs.eval = output,
    .energy.obstacle = obstacle,
};
