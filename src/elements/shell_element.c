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

/* ---- what is shown of the centre ---------------------------------------------------------------
 */

/* Strains, changes of curvature and shears at the centre, axes of the element. */
typedef struct centre {
  double E[3], K[3], g[2];
} centre;

static void turn(double out[3], const double covariant[3], const double (*J)[2]) {
  const double a = J[0][0], b = J[0][1], c = J[1][0], d = J[1][1], *e = covariant;
  out[0] = a * a * e[0] + b * b * e[1] + a * b * e[2];
  out[1] = c * c * e[0] + d * d * e[1] + c * d * e[2];
  out[2] = 2 * (a * c * e[0] + b * d * e[1]) + (a * d + b * c) * e[2];
}

static centre find_centre(const shell_element_data *e, const torsor_element_in *in) {
  const double(*J)[2] = e->constants->middle;
  double strain[SHELL_STRAINS];
  shell_shape shape;
  centre out;
  shell_move(&shape, e->constants, in);
  shell_strains(strain, e->constants, &shape);
  const double *q = strain + SHELL_SHEAR, g1 = (q[0] + q[1]) / 2, g2 = (q[2] + q[3]) / 2;
  turn(out.E, strain + SHELL_MEMBRANE, J);
  turn(out.K, strain + SHELL_BENDING, J);
  for (int i = 0; i < 2; ++i) out.g[i] = J[i][0] * g1 + J[i][1] * g2;
  return out;
}

static const torsor_output outputs[] = {
    {"membrane_force", "N/m", "membrane forces per length xx, yy and xy, axes of the element", 3},
    {"bending_moment", "N", "moments per length xx, yy and xy, axes of the element", 3},
    {"shear_force_x", "N/m", "transverse shear force per length on the sections across x", 1},
    {"shear_force_y", "N/m", "transverse shear force per length on the sections across y", 1},
    {0}};

static void output(const void *self, const torsor_element_in *in, double *values) {
  const shell_element_data *e = self;
  const shell_section *s = e->section;
  const centre at = find_centre(e, in);
  memset(values, 0, 8 * sizeof *values);
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      values[i] += s->A[i][j] * at.E[j] + s->B[i][j] * at.K[j];
      values[3 + i] += s->B[i][j] * at.E[j] + s->D[i][j] * at.K[j];
    }
  for (int i = 0; i < 2; ++i) values[6 + i] = s->S[i][0] * at.g[0] + s->S[i][1] * at.g[1];
}

/* Places are the lower and the upper side of each layer, one after the other. */
static const char *place_name(const void *self, int k) {
  const shell_section *s = ((const shell_element_data *)self)->section;
  return k < 2 * s->layers ? s->layer[k / 2].name[k % 2] : NULL;
}

static void place_stress(const void *self, const torsor_element_in *in, int k, double *values) {
  const shell_element_data *e = self;
  const shell_layer *layer = &e->section->layer[k / 2];
  const centre at = find_centre(e, in);
  const double z = layer->z[k % 2];
  for (int i = 0; i < 3; ++i) {
    values[i] = 0;
    for (int j = 0; j < 3; ++j) values[i] += layer->Q[i][j] * (at.E[j] + z * at.K[j]);
  }
  const double x = values[0], y = values[1], xy = values[2];
  values[3] = sqrt(x * x - x * y + y * y + 3 * xy * xy);
}

static const char *const components[] = {"xx", "yy", "xy", "mises", NULL};

static const torsor_place_outputs stresses = {
    .name = "stress",
    .unit = "Pa",
    .doc = "stresses in the plane and that of von Mises on a side of a layer at the centre of the "
           "element, axes of the layer: x along its fibres",
    .component = components,
    .place = place_name,
    .output = place_stress};

static void draw(const void *self, const torsor_drawing *to) {
  (void)self;
  for (int i = 0; i < SHELL_NODES; ++i) to->line(to->self, i, (i + 1) % SHELL_NODES);
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
    .outputs.list = outputs,
    .outputs.eval = output,
    .outputs.places = &stresses,
    .look.draw = draw,
    .energy.balance = balance,
    .energy.obstacle = obstacle,
    .chain.stresses = SHELL_STRAINS,
    .chain.stress = foresee,
};
