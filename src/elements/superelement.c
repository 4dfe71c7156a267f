/* SPDX-License-Identifier: GPL-3.0-or-later */

/* A reduced flexible body with small deformations q in a floating frame F: docs/theory.md, section
 * "Superelements".  q are the deformations of the interfaces seen from F, then the modes. */

#include "elements/superelement.h"

#include <math.h>
#include <string.h>

#include "elements/chain_kit.h"
#include "elements/solid.h"
#include "elements/super_inertia.h"

/* Largest rotation (rad) of an interface relative to F; beyond it deformations are not small. */
static const double LARGEST_TURN = 2;

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  superelement_data *e = self;
  (void)error;
  e->gravity = setup->gravity;
  setup->more = e->node;
  setup->more_nodes = e->nodes;
  setup->rows = e->axes ? 6 : 0;
  for (int i = 0; i < e->interfaces; ++i)
    setup->length = fmax(setup->length, v3_norm(e->place[i].x));
  setup->dissipative = e->damping || e->lag > 0;
  return TORSOR_OK;
}

/* ---- where it is ----------------------------------------------------------------------------- */

/* Does interface i move in F? */
static bool moves(const superelement_data *e, int i) {
  return i != e->frame;
}

static int mode_node(const superelement_data *e, int mode) {
  return super_first_carrier(e) + mode / 3;
}

static double component(v3 x, int k) {
  return k == 0 ? x.x : k == 1 ? x.y : x.z;
}

static se3 frame_offset(const superelement_data *e) {
  return e->frame < 0 ? se3_identity() : e->place[e->frame];
}

static torsor_status find_state(super_state *s, floating_place *place, const superelement_data *e,
                                const torsor_element_in *in) {
  s->F = floating_frame_of(in->node[0], frame_offset(e));
  s->gravity = m3_tmulv(s->F.R, v3_scale(e->gravity, in->load));
  memset(s->q, 0, 3 * (size_t)e->n * sizeof *s->q); /* q, q', q'' */
  for (int i = 0; i < e->interfaces; ++i) {
    floating_place *p = &place[i];
    if (!moves(e, i)) continue;
    const torsor_status status =
        floating_find(p, &s->F, in->node[super_node_of(e, i)], e->place[i], LARGEST_TURN);
    if (status) return status;
    v3_store(s->q + 6 * i, p->u);
    v3_store(s->q + 6 * i + 3, p->turn);
    v3_store(s->dq + 6 * i, p->moving);
    v3_store(s->dq + 6 * i + 3, p->turning);
    v3_store(s->ddq + 6 * i, p->accelerating);
    v3_store(s->ddq + 6 * i + 3, p->turning_faster);
  }
  for (int k = 6 * e->interfaces; k < e->n; ++k) {
    const int mode = k - 6 * e->interfaces;
    const torsor_motion *carrier = in->node[mode_node(e, mode)];
    s->q[k] = component(carrier->x, mode % 3);
    s->dq[k] = component(carrier->V.lin, mode % 3);
    s->ddq[k] = component(carrier->A.lin, mode % 3);
  }
  return TORSOR_OK;
}

/* ---- forces ---------------------------------------------------------------------------------- */

/* Adds the forces of stiffness, damping and mean axes to those on q. */
static void add_elastic(double *r, const superelement_data *e, const super_state *s,
                        const double *lambda) {
  const int n = e->n;
  for (int i = 0; i < n; ++i) {
    const double *K = e->K + (size_t)i * (size_t)n;
    for (int j = 0; j < n; ++j) r[i] += K[j] * (s->q[j] + e->lag * s->dq[j]);
  }
  for (int i = 0; e->damping && i < n; ++i) {
    const double *C = e->damping + (size_t)i * (size_t)n;
    for (int j = 0; j < n; ++j) r[i] += C[j] * s->dq[j];
  }
  for (int row = 0; e->axes && lambda && row < 6; ++row)
    for (int i = 0; i < n; ++i) r[i] += e->axes[row * n + i] * lambda[row];
}

/* Wrench on the node of F from one on F, in place. */
static void to_node(double *wrench, const superelement_data *e) {
  const se3 offset = frame_offset(e);
  const m3 own = so3_matrix(offset.R);
  const v3 f = v3_load(wrench), m = v3_load(wrench + 3);
  v3_store(wrench, m3_tmulv(own, f));
  v3_store(wrench + 3, m3_tmulv(own, v3_sub(m, v3_cross(offset.x, f))));
}

/* Forces on F [6] and on q become the residual of the nodes. */
static void add_to_nodes(double *r, const superelement_data *e, const floating_place *place,
                         const double on_F[6], const double *on_q) {
  double first[6];
  memcpy(first, on_F, sizeof first);
  for (int i = 0; i < e->interfaces; ++i)
    if (moves(e, i))
      floating_add_force(first, r + 6 * super_node_of(e, i), &place[i], v3_load(on_q + 6 * i),
                         v3_load(on_q + 6 * i + 3));
  to_node(first, e);
  for (int k = 0; k < 6; ++k) r[k] += first[k];
  for (int k = 6 * e->interfaces; k < e->n; ++k) {
    const int mode = k - 6 * e->interfaces;
    r[6 * mode_node(e, mode) + mode % 3] += on_q[k];
  }
}

/* Coordinates of the last carrier that no mode uses are springs of their own, as fast as the
 * fastest mode. */
static void add_spare(double *r, const superelement_data *e, const torsor_element_in *in) {
  for (int mode = e->n - 6 * e->interfaces; mode < 3 * e->carriers; ++mode) {
    const torsor_motion *carrier = in->node[mode_node(e, mode)];
    r[6 * mode_node(e, mode) + mode % 3] +=
        e->inertia.mass *
        (e->spare * component(carrier->x, mode % 3) + component(carrier->A.lin, mode % 3));
  }
}

/* ---- rows of the mean axes ------------------------------------------------------------------- */

static void add_product(double *to, const superelement_data *e, const double *x) {
  for (int row = 0; to && row < 6; ++row)
    for (int i = 0; i < e->n; ++i) to[row] += e->axes[row * e->n + i] * x[i];
}

/* The rows' second derivatives without accelerations of the nodes. */
static torsor_status fill_hidden(double *phi_a, const superelement_data *e,
                                 const torsor_element_in *in) {
  const size_t n = (size_t)e->n;
  double q[3 * n + 1];
  torsor_motion motion[e->nodes];
  const torsor_motion *node[e->nodes];
  floating_place place[e->interfaces];
  super_state s = {.q = q, .dq = q + n, .ddq = q + 2 * n};
  torsor_element_in still = *in;
  still.node = node;
  for (int i = 0; i < e->nodes; ++i) {
    motion[i] = *in->node[i];
    motion[i].A = tw_zero();
    node[i] = &motion[i];
  }
  const torsor_status status = find_state(&s, place, e, &still);
  if (!status) add_product(phi_a, e, s.ddq);
  return status;
}

static torsor_status fill_rows(torsor_element_out *out, const superelement_data *e,
                               const super_state *s, const torsor_element_in *in) {
  add_product(out->phi, e, s->q);
  add_product(out->phi_v, e, s->dq);
  return out->phi_a ? fill_hidden(out->phi_a, e, in) : TORSOR_OK;
}

/* ---- tangents -------------------------------------------------------------------------------- */

/* Turns the columns of F's twist [6 x 12] into those of its node. */
static void to_node_columns(double *A, const superelement_data *e) {
  if (e->frame < 0) return;
  for (int i = 0; i < 6; ++i) to_node(A + 12 * i, e);
}

/* A row of local derivatives, which is multiplied by those of q: to [6 nodes]. */
static void multiply_row(double *to, const superelement_data *e, const double *row,
                         const floating_gradient *g, size_t which) {
  for (int i = 0; i < e->interfaces; ++i) {
    const double *A = (const double *)((const char *)&g[i] + which);
    double *own = to + 6 * super_node_of(e, i);
    if (!moves(e, i)) continue;
    for (int c = 0; c < 6; ++c) {
      const double x = row[6 * i + c];
      if (x == 0) continue;
      for (int k = 0; k < 6; ++k) {
        to[k] += x * A[12 * c + k];
        own[k] += x * A[12 * c + 6 + k];
      }
    }
  }
}

static void multiply_modes(double *to, const superelement_data *e, const double *row) {
  for (int k = 6 * e->interfaces; k < e->n; ++k) {
    const int mode = k - 6 * e->interfaces;
    to[6 * mode_node(e, mode) + mode % 3] += row[k];
  }
}

#define OF(member) offsetof(floating_gradient, member)

/* The rows of derivatives by displacements, velocities and accelerations of the nodes. */
static void row_of_nodes(double *const to[3], const superelement_data *e, const super_row *row,
                         const floating_gradient *g) {
  const int size = 6 * e->nodes;
  const double *const by[] = {row->q, row->dq, row->ddq};
  double *const own[] = {row->F, row->F + 6, row->F + 12};
  for (int what = 0; what < 3; ++what) {
    if (!to[what]) continue;
    memset(to[what], 0, (size_t)size * sizeof *to[what]);
    to_node(own[what], e);
    for (int k = 0; k < 6; ++k) to[what][k] = own[what][k];
    multiply_row(to[what], e, by[what], g, OF(u));
    multiply_modes(to[what], e, by[what]);
  }
  if (to[0]) multiply_row(to[0], e, row->dq, g, OF(rate));
  if (to[0]) multiply_row(to[0], e, row->ddq, g, OF(second));
  if (to[1]) multiply_row(to[1], e, row->ddq, g, OF(mixed));
}

static void add_row(double *matrix, int size, int at, double factor, const double *row) {
  if (factor == 0) return;
  double *to = matrix + (size_t)at * (size_t)size;
  for (int k = 0; k < size; ++k) to[k] += factor * row[k];
}

/* Adds a row of the forces on F or on q to those of the nodes that take them. */
static void scatter(double *matrix, const superelement_data *e, const floating_gradient *g, int a,
                    const double *row) {
  const int size = 6 * e->nodes, k = a - 6;
  if (a < 6) {
    double unit[6] = {0};
    unit[a] = 1;
    to_node(unit, e);
    for (int i = 0; i < 6; ++i) add_row(matrix, size, i, unit[i], row);
  } else if (k < 6 * e->interfaces) {
    const double *u = g[k / 6].u + 12 * (k % 6);
    const int node = super_node_of(e, k / 6);
    if (!moves(e, k / 6)) return;
    for (int i = 0; i < 6; ++i) add_row(matrix, size, i, u[i], row);
    for (int i = 0; i < 6; ++i) add_row(matrix, size, 6 * node + i, u[6 + i], row);
  } else {
    const int mode = k - 6 * e->interfaces;
    add_row(matrix, size, 6 * mode_node(e, mode) + mode % 3, 1, row);
  }
}

/* Derivatives of the maps from forces on q to those of the nodes, at constant forces. */
static void add_geometric(double *K, const superelement_data *e, const floating_place *place,
                          const double *on_q) {
  const int size = 6 * e->nodes;
  for (int i = 0; i < e->interfaces; ++i) {
    double own[144] = {0}, turned[144];
    if (!moves(e, i)) continue;
    floating_geometric(own, &place[i], v3_load(on_q + 6 * i), v3_load(on_q + 6 * i + 3));
    for (int row = 0; row < 12; ++row) to_node(own + 12 * row, e); /* columns of F */
    for (int row = 0; row < 12; ++row)
      for (int k = 0; k < 12; ++k) turned[12 * k + row] = own[12 * row + k];
    for (int k = 0; k < 12; ++k) to_node(turned + 12 * k, e); /* rows of F */
    const int at[2] = {0, 6 * super_node_of(e, i)};
    for (int row = 0; row < 12; ++row)
      for (int k = 0; k < 12; ++k)
        K[(size_t)(at[row / 6] + row % 6) * (size_t)size + (size_t)(at[k / 6] + k % 6)] +=
            turned[12 * k + row];
  }
}

static void add_spare_tangents(torsor_element_out *out, const superelement_data *e) {
  const int size = 6 * e->nodes;
  for (int mode = e->n - 6 * e->interfaces; mode < 3 * e->carriers; ++mode) {
    const size_t at = (size_t)(6 * mode_node(e, mode) + mode % 3) * (size_t)(size + 1);
    if (out->K) out->K[at] += e->spare * e->inertia.mass;
    if (out->M) out->M[at] += e->inertia.mass;
  }
}

/* Rows of K, damping and mean axes behind those of the inertia. */
static void add_elastic_row(super_row *row, const superelement_data *e, int i) {
  const size_t at = (size_t)i * (size_t)e->n;
  for (int j = 0; j < e->n; ++j) {
    row->q[j] += e->K[at + (size_t)j];
    row->dq[j] += e->lag * e->K[at + (size_t)j];
  }
  for (int j = 0; e->damping && j < e->n; ++j) row->dq[j] += e->damping[at + (size_t)j];
}

static void add_tangents(torsor_element_out *out, const superelement_data *e, const super_state *s,
                         const floating_place *place, const floating_gradient *g,
                         const double *on_q) {
  const size_t n = (size_t)e->n, size = 6 * (size_t)e->nodes;
  double local[3 * n + 33 * n + 1], line[3 * size];
  super_products products;
  super_find_products(&products, local + 3 * n, &e->inertia, s, e->n);
  double *const matrix[] = {out->K, out->C, out->M};
  double *const to[] = {out->K ? line : NULL, out->C ? line + size : NULL,
                        out->M ? line + 2 * size : NULL};
  for (int a = 0; a < 6 + e->n; ++a) {
    double of_F[18];
    super_row row = {.F = of_F, .q = local, .dq = local + n, .ddq = local + 2 * n};
    super_inertia_row(&row, &e->inertia, s, &products, e->n, a);
    if (a >= 6) add_elastic_row(&row, e, a - 6);
    row_of_nodes(to, e, &row, g);
    for (int what = 0; what < 3; ++what)
      if (matrix[what]) scatter(matrix[what], e, g, a, to[what]);
  }
  if (out->K) add_geometric(out->K, e, place, on_q);
  add_spare_tangents(out, e);
}

/* Derivatives of the rows of the mean axes: B, and Z of their rates. */
static void add_row_gradients(torsor_element_out *out, const superelement_data *e,
                              const floating_gradient *g) {
  const size_t size = 6 * (size_t)e->nodes;
  for (size_t row = 0; row < 6; ++row) {
    const double *W = e->axes + row * (size_t)e->n;
    if (out->B) {
      multiply_row(out->B + row * size, e, W, g, OF(u));
      multiply_modes(out->B + row * size, e, W);
    }
    if (out->Z) multiply_row(out->Z + row * size, e, W, g, OF(rate));
  }
}

/* ---- the type -------------------------------------------------------------------------------- */

/* Work of `eval` for a body of its size, on the stack: tens of kilobytes for hundreds of modes. */
static void find_gradients(floating_gradient *g, const superelement_data *e, const super_state *s,
                           const floating_place *place) {
  for (int i = 0; i < e->interfaces; ++i) {
    if (!moves(e, i)) continue;
    floating_gradients(&g[i], &place[i], &s->F);
    double *const list[] = {g[i].u, g[i].rate, g[i].second, g[i].mixed};
    for (int k = 0; k < 4; ++k) to_node_columns(list[k], e);
  }
}

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const superelement_data *e = self;
  const size_t n = (size_t)e->n;
  double q[4 * n + 1];
  floating_place place[e->interfaces];
  super_state s = {.q = q, .dq = q + n, .ddq = q + 2 * n};
  double *const on_q = q + 3 * n, on_F[6] = {0};
  const torsor_status status = find_state(&s, place, e, in);
  if (status) return status;
  memset(on_q, 0, n * sizeof *on_q);
  super_inertia_force(on_F, on_q, &e->inertia, &s, e->n);
  add_elastic(on_q, e, &s, in->lambda);
  if (out->r) {
    add_to_nodes(out->r, e, place, on_F, on_q);
    add_spare(out->r, e, in);
  }
  if (e->axes && fill_rows(out, e, &s, in)) return TORSOR_DOMAIN;
  if (!(out->M || out->C || out->K || (e->axes && (out->B || out->Z)))) return TORSOR_OK;
  floating_gradient gradient[e->interfaces];
  find_gradients(gradient, e, &s, place);
  if (e->axes) add_row_gradients(out, e, gradient);
  if (out->M || out->C || out->K) add_tangents(out, e, &s, place, gradient, on_q);
  return TORSOR_OK;
}

static double form(const double *A, const double *x, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    double row = 0;
    for (int j = 0; j < n; ++j) row += A[(size_t)i * (size_t)n + (size_t)j] * x[j];
    sum += x[i] * row;
  }
  return sum;
}

static void balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const superelement_data *e = self;
  const size_t n = (size_t)e->n;
  double q[3 * n + 1];
  floating_place place[e->interfaces];
  super_state s = {.q = q, .dq = q + n, .ddq = q + 2 * n};
  if (find_state(&s, place, e, in)) return;
  v3 linear, angular, moment;
  sum->kinetic += super_momentum(&linear, &angular, &moment, &e->inertia, &s, e->n);
  sum->elastic += form(e->K, s.q, e->n) / 2;
  sum->potential -=
      in->load * v3_dot(e->gravity, v3_axpy(e->inertia.mass, s.F.x, m3_mulv(s.F.R, moment)));
  const v3 p = m3_mulv(s.F.R, linear);
  sum->momentum = v3_add(sum->momentum, p);
  sum->angular_momentum =
      v3_add(sum->angular_momentum, v3_add(v3_cross(s.F.x, p), m3_mulv(s.F.R, angular)));
  for (int mode = e->n - 6 * e->interfaces; mode < 3 * e->carriers; ++mode) {
    const torsor_motion *carrier = in->node[mode_node(e, mode)];
    const double x = component(carrier->x, mode % 3), v = component(carrier->V.lin, mode % 3);
    sum->elastic += e->spare * e->inertia.mass / 2 * x * x;
    sum->kinetic += e->inertia.mass / 2 * v * v;
  }
}

static double loss(const void *self, const torsor_element_in *in) {
  const superelement_data *e = self;
  const size_t n = (size_t)e->n;
  double q[3 * n + 1];
  floating_place place[e->interfaces];
  super_state s = {.q = q, .dq = q + n, .ddq = q + 2 * n};
  if (find_state(&s, place, e, in)) return 0;
  return e->lag * form(e->K, s.dq, e->n) + (e->damping ? form(e->damping, s.dq, e->n) : 0);
}

/* Deformations of a tenth of the size, rotations of 0.2 rad, and a speed of rotation of a tenth of
 * the lowest frequency, are what linear theory is right for to about a per cent. */
static const double FAR = 0.1, TURNED = 0.2, FAST = 0.1;

static const char *remark(const void *self, const torsor_element_in *in) {
  const superelement_data *e = self;
  const size_t n = (size_t)e->n;
  double q[3 * n + 1];
  floating_place place[e->interfaces];
  super_state s = {.q = q, .dq = q + n, .ddq = q + 2 * n};
  if (find_state(&s, place, e, in)) return NULL;
  for (int i = 0; i < e->interfaces; ++i) {
    if (!moves(e, i)) continue;
    if (v3_norm(place[i].turn) > TURNED)
      return "is bent so far that an interface turns by more than 0.2 rad (11 degrees): its "
             "matrices are those of small deformations, beams or several bodies take more";
    if (v3_norm(place[i].u) > FAR * e->size)
      return "is deformed by more than a tenth of its size: its matrices are those of small "
             "deformations, beams or several bodies take more";
  }
  if (e->least > 0 && v3_norm(s.F.V.ang) > FAST * e->least)
    return "turns faster than a tenth of its lowest frequency: it is not stiffened by that, as "
           "real "
           "bodies are; several bodies in a row are";
  return NULL;
}

/* ---- stresses -------------------------------------------------------------------------------- */

static const char *point_name(const void *self, int k) {
  const superelement_data *e = self;
  return k < e->points ? e->name[k] : NULL;
}

static void point_stress(const void *self, const torsor_element_in *in, int k, double *values) {
  const superelement_data *e = self;
  const size_t n = (size_t)e->n;
  double q[3 * n + 1];
  floating_place place[e->interfaces];
  super_state s = {.q = q, .dq = q + n, .ddq = q + 2 * n};
  memset(values, 0, 7 * sizeof *values);
  if (find_state(&s, place, e, in)) return;
  for (size_t i = 0; i < 6; ++i) {
    const double *row = e->stress + (6 * (size_t)k + i) * n;
    for (size_t j = 0; j < n; ++j) values[i] += row[j] * q[j];
  }
  const double x = values[0], y = values[1], z = values[2];
  const double shear = values[3] * values[3] + values[4] * values[4] + values[5] * values[5];
  values[6] = sqrt(((x - y) * (x - y) + (y - z) * (y - z) + (z - x) * (z - x)) / 2 + 3 * shear);
}

static const char *const components[] = {"xx", "yy", "zz", "xy", "yz", "xz", "mises", NULL};

static const torsor_place_outputs stresses = {
    .name = "stress",
    .unit = "Pa",
    .doc = "stresses and that of von Mises at a point of the finite elements, axes of the body",
    .component = components,
    .place = point_name,
    .output = point_stress};

/* Lines between the interfaces; the mass of a body with one of them. */
static void draw(const void *self, const torsor_drawing *to) {
  const superelement_data *e = self;
  const int first = e->frame < 0;
  for (int i = 1; i < e->interfaces; ++i) to->line(to->self, first, first + i);
  if (e->interfaces > 1) return;
  torsor_solid solid;
  solid_guess_ball(&solid, e->inertia.mass);
  const v3 c = v3_scale(e->inertia.moment, 1 / e->inertia.mass);
  solid.frame.x = se3_point(se3_inverse(e->place[0]), c);
  to->solid(to->self, first, &solid);
}

const torsor_element_type superelement = {
    CHAIN_PART,
    .name = "superelement_body",
    .title = "reduced flexible body between interface frames",
    .doc = "See superelement.",
    .limits.range = "rotations of at most 2 rad (115 degrees) of its interfaces against its frame",
    .limits.advice =
        "divide the body, or model it by beams: its matrices are linear in the deformation",
    .limits.remark = remark,
    .size = sizeof(superelement_data),
    .prepare = prepare,
    .eval = eval,
    .energy.balance = balance,
    .outputs.places = &stresses,
    .look.draw = draw,
    .energy.loss = loss,
};
