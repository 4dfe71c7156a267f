/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "elements/shell_force.h"

#include <math.h>
#include <string.h>

#include "elements/chain_kit.h"

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  (void)error;
  const shell_element_data *e = self;
  setup->nodes = SHELL_NODES;
  for (int i = 0; i < SHELL_NODES; ++i) setup->node[i] = e->node[i];
  setup->length = e->length;
  return TORSOR_OK;
}

/* ---- inertia: h rho N_i N_j of positions, a lump at each node of rotations ---------------------
 */

/* The lump of node i moves like a body of no mass with a first moment c and the inertia J. */
typedef struct lump {
  v3 moment;
  m3 J;
  twist P; /* its momentum */
} lump;

/* Rotation about the normal has a small inertia, so that the mass matrix is regular. */
static const double DRILL_INERTIA = 0.01;

static lump find_lump(const shell_constants *c, const torsor_motion *node, int i) {
  const v3 n = c->corner[i].normal;
  const double J = c->turning[i];
  lump out = {.moment = v3_scale(n, c->moment[i]),
              .J = m3_axpy((DRILL_INERTIA - 1) * J, m3_outer(n, n), m3_scale(m3_identity(), J))};
  out.P.lin = v3_cross(node->V.ang, out.moment);
  out.P.ang = v3_add(v3_cross(out.moment, node->V.lin), m3_mulv(out.J, node->V.ang));
  return out;
}

/* U' + Omega x U, the acceleration in the axes of the node. */
static v3 acceleration(const torsor_motion *node) {
  return v3_add(node->A.lin, v3_cross(node->V.ang, node->V.lin));
}

/* Inertia and weight on the positions, inertial axes. */
static void add_inertia(v3 on[SHELL_NODES], const shell_element_data *e,
                        const torsor_element_in *in) {
  v3 a[SHELL_NODES];
  const v3 g = v3_scale(e->section->gravity, in->load);
  for (int i = 0; i < SHELL_NODES; ++i)
    a[i] = v3_sub(m3_mulv(in->node[i]->R, acceleration(in->node[i])), g);
  for (int i = 0; i < SHELL_NODES; ++i)
    for (int j = 0; j < SHELL_NODES; ++j) on[i] = v3_axpy(e->constants->mass[i][j], a[j], on[i]);
}

static void add_lump(double *r, const shell_element_data *e, const torsor_element_in *in, int i) {
  const torsor_motion *node = in->node[i];
  const lump own = find_lump(e->constants, node, i);
  const twist V = node->V, A = node->A;
  const v3 weight = m3_tmulv(node->R, v3_scale(e->section->gravity, in->load));
  const v3 lin = v3_add(v3_cross(A.ang, own.moment), v3_cross(V.ang, own.P.lin));
  v3 ang = v3_add(v3_cross(own.moment, A.lin), m3_mulv(own.J, A.ang));
  ang = v3_add(ang, v3_add(v3_cross(V.ang, own.P.ang), v3_cross(V.lin, own.P.lin)));
  ang = v3_sub(ang, v3_cross(own.moment, weight));
  tw_store(r, tw_add(tw_load(r), (twist){lin, ang}));
}

static void add_3(double *K, int row, int column, m3 block) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) K[(row + i) * SHELL_DOFS + column + j] += block.m[i][j];
}

/* Tangents of the inertia of positions between nodes i and j. */
static void add_pair(torsor_element_out *out, const torsor_element_in *in, double mass, int i,
                     int j) {
  if (mass == 0) return;
  const torsor_motion *node = in->node[j];
  const m3 Q = m3_scale(m3_tmul(in->node[i]->R, node->R), mass);
  if (out->M) add_3(out->M, 6 * i, 6 * j, Q);
  if (out->C) {
    add_3(out->C, 6 * i, 6 * j, m3_mul_skew(Q, node->V.ang));
    add_3(out->C, 6 * i, 6 * j + 3, m3_scale(m3_mul_skew(Q, node->V.lin), -1));
  }
  if (out->K) add_3(out->K, 6 * i, 6 * j + 3, m3_scale(m3_mul_skew(Q, acceleration(node)), -1));
}

static void add_lump_tangents(torsor_element_out *out, const shell_element_data *e,
                              const torsor_element_in *in, int i) {
  const torsor_motion *node = in->node[i];
  const lump own = find_lump(e->constants, node, i);
  const m3 c = m3_skew(own.moment), minus = m3_transpose(c);
  const v3 U = node->V.lin, W = node->V.ang;
  const int u = 6 * i, w = 6 * i + 3;
  if (out->M) {
    add_3(out->M, u, w, minus);
    add_3(out->M, w, u, c);
    add_3(out->M, w, w, own.J);
  }
  if (out->C) {
    const m3 P = m3_skew(own.P.lin);
    add_3(out->C, u, w, m3_sub(m3_skew_mul(W, minus), P));
    add_3(out->C, w, u, m3_sub(m3_skew_mul(W, c), P));
    add_3(out->C, w, w, m3_sub(m3_skew_mul(W, own.J), m3_skew(own.P.ang)));
    add_3(out->C, w, w, m3_skew_mul(U, minus));
  }
  if (out->K) { /* its weight, seen from axes that turn */
    const v3 weight = m3_tmulv(node->R, v3_scale(e->section->gravity, in->load));
    add_3(out->K, w, w, m3_scale(m3_skew_mul(own.moment, m3_skew(weight)), -1));
  }
}

static void add_tangents(torsor_element_out *out, const shell_element_data *e,
                         const torsor_element_in *in, const v3 force[SHELL_NODES]) {
  for (int i = 0; i < SHELL_NODES; ++i) {
    for (int j = 0; j < SHELL_NODES; ++j) add_pair(out, in, e->constants->mass[i][j], i, j);
    add_lump_tangents(out, e, in, i);
    if (out->K) add_3(out->K, 6 * i, 6 * i + 3, m3_skew(force[i]));
  }
}

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const shell_element_data *e = self;
  shell_state s;
  v3 force[SHELL_NODES];
  shell_find_state(&s, e, in);
  memcpy(force, s.on, sizeof force);
  add_inertia(force, e, in);
  for (int i = 0; i < SHELL_NODES; ++i) force[i] = m3_tmulv(in->node[i]->R, force[i]);
  for (int i = 0; i < SHELL_NODES && out->r; ++i) {
    double *r = out->r + 6 * i;
    const v3 moment = m3_tmulv(in->node[i]->R, shell_moment(&s, i));
    tw_store(r, tw_add(tw_load(r), (twist){force[i], moment}));
    add_lump(r, e, in, i);
  }
  if (out->M || out->C || out->K) add_tangents(out, e, in, force);
  if (out->K) shell_add_stiffness(out->K, &s, e, in);
  return TORSOR_OK;
}

/* ---- energy, stresses ------------------------------------------------------------------------ */

static void balance_node(torsor_balance *sum, const shell_element_data *e,
                         const torsor_element_in *in, int i) {
  const torsor_motion *node = in->node[i];
  const lump own = find_lump(e->constants, node, i);
  const v3 weight = v3_scale(e->section->gravity, in->load);
  v3 p = m3_mulv(node->R, own.P.lin);
  double mass = 0;
  for (int j = 0; j < SHELL_NODES; ++j) {
    p = v3_axpy(e->constants->mass[i][j], m3_mulv(in->node[j]->R, in->node[j]->V.lin), p);
    mass += e->constants->mass[i][j];
  }
  sum->kinetic += (v3_dot(p, m3_mulv(node->R, node->V.lin)) + v3_dot(own.P.ang, node->V.ang)) / 2;
  sum->potential -= v3_dot(weight, v3_axpy(mass, node->x, m3_mulv(node->R, own.moment)));
  sum->momentum = v3_add(sum->momentum, p);
  sum->angular_momentum =
      v3_add(sum->angular_momentum, v3_add(m3_mulv(node->R, own.P.ang), v3_cross(node->x, p)));
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const shell_element_data *e = self;
  double strain[SHELL_STRAINS], stress[SHELL_STRAINS] = {0};
  shell_shape shape;
  shell_move(&shape, e->constants, in);
  shell_strains(strain, e->constants, &shape);
  shell_stresses(stress, e->constants, strain);
  for (int k = 0; k < SHELL_STRAINS; ++k) sum->elastic += strain[k] * stress[k] / 2;
  for (int i = 0; i < SHELL_NODES; ++i) balance_node(sum, e, in, i);
}

/* With x' inertial and Omega in node axes the lever arm of the mass turns between them; on SE(3)
 * the masses between nodes turn. */
static const char *obstacle(const void *self) {
  const shell_section *s = ((const shell_element_data *)self)->section;
  return s->obstacle;
}

/* Stresses of the strains and of their rate with the displacement V. */
static void foresee(const void *self, const torsor_element_in *in, double *values) {
  const shell_element_data *e = self;
  double strain[SHELL_STRAINS], change[SHELL_STRAINS];
  shell_shape shape, rate;
  shell_move(&shape, e->constants, in);
  shell_find_rate(&rate, &shape, e->constants, in);
  shell_strains(strain, e->constants, &shape);
  shell_form(change, &shape, &rate);
  for (int k = 0; k < SHELL_STRAINS; ++k) strain[k] += change[k];
  memset(values, 0, SHELL_STRAINS * sizeof *values);
  shell_stresses(values, e->constants, strain);
}

const torsor_element_type shell_element = {
    CHAIN_PART,
    .name = "shell_element",
    .title = "geometrically exact shell element between four frames",
    .doc = "See shell.",
    .size = sizeof(shell_element_data),
    .tangents.cost = 12,
    .prepare = prepare,
    .eval = eval,
    .energy.balance = balance,
    .energy.obstacle = obstacle,
    .chain.stresses = SHELL_STRAINS,
    .chain.stress = foresee,
};
