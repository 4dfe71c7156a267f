/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The element of docs/theory.md, section "Beams".  With d = log(H_a^-1 H_b) the frames in between are
 * H(s) = H_a exp(s d), the strain (d - d_0)/L is the same along the element, and
 *   d' = T^-1(d) V_b - T^-1(-d) V_a,   V(s) = V_a + S (V_b - V_a),   S = s T(s d) T^-1(d).
 * Variations follow the same rules as velocities. */

#include "elements/beam.h"

#include <math.h>

/* Functions of ad(d) act on twists as those of a cross product do over numbers c + c1 eps, eps^2 = 0, with
 * the rotation as real part: F(d) k = k + a ad(d) k + b ad(d)^2 k, a = (a(x), a1(x) w.p) of d = (p, w), x = |w|^2.
 * For wrenches the force is the real part, and ad(d)^T stands for ad(d). */
typedef struct dual {
  double re, du;
} dual;

static twist add_scaled(dual c, twist k, twist sum) {
  sum.lin = v3_axpy(c.re, k.lin, v3_axpy(c.du, k.ang, sum.lin));
  sum.ang = v3_axpy(c.re, k.ang, sum.ang);
  return sum;
}

static twist add_scaled_wrench(dual c, twist l, twist sum) {
  sum.lin = v3_axpy(c.re, l.lin, sum.lin);
  sum.ang = v3_axpy(c.re, l.ang, v3_axpy(c.du, l.lin, sum.ang));
  return sum;
}

/* Both ends relative to each other. */
typedef struct relative {
  twist d, rate;   /* d and d' */
  double x, wp;    /* |w|^2 and w.p of d */
  lie_map inverse; /* of T^-1(d) */
  twist dV;        /* V_b - V_a */
  twist dV1, dV2;  /* ad(d) dV and ad(d)^2 dV */
} relative;

/* b of T^-1(d) and of T^-1(-d). */
static dual inverse_even(const relative *s) {
  return (dual){s->inverse.b, s->inverse.b1 * s->wp};
}

static torsor_status find_relative(relative *s, const torsor_element_in *in) {
  const torsor_motion *a = in->node[0], *b = in->node[1];
  const v3 w = so3_log_matrix(m3_tmul(a->R, b->R));
  s->x = v3_norm2(w);
  if (!(s->x <= BEAM_LARGEST_ROTATION * BEAM_LARGEST_ROTATION)) return TORSOR_DOMAIN;
  const v3 r = m3_tmulv(a->R, v3_sub(b->x, a->x));
  s->inverse = lie_map_taninv(s->x);
  s->d = (twist){so3_map_apply(w, lie_map_transpose(s->inverse), r), w};
  s->wp = v3_dot(w, s->d.lin);
  s->dV = tw_sub(b->V, a->V);
  s->dV1 = se3_ad_apply(s->d, s->dV);
  s->dV2 = se3_ad_apply(s->d, s->dV1);
  /* the odd parts of T^-1(+-d) are +-ad(d)/2 */
  const twist odd = se3_ad_apply(s->d, tw_add(a->V, b->V));
  s->rate = add_scaled(inverse_even(s), s->dV2, tw_axpy(s->inverse.a, odd, s->dV));
  return TORSOR_OK;
}

static twist strain_of(const beam_element_data *e, const relative *s) {
  return tw_scale(tw_sub(s->d, e->reference), 1 / e->length);
}

/* Force and moment of the section.  Matrices of sections are symmetric: their products are sums of rows, which
 * compilers make of vectors. */
static twist stress_of(const beam_element_data *e, const relative *s) {
  return m6_tmulv(e->section->K, tw_axpy(e->section->lag / e->length, s->rate, strain_of(e, s)));
}

/* ---- one section of the element ------------------------------------------------------------- */

typedef struct section {
  twist V, A; /* twist and its rate, less gravity */
  twist P;    /* momentum */
  twist f;    /* M A - ad(V)^T P: what moves the section, all per length */
  v3 gravity; /* section axes */
} section;

/* Both points, which mirror each other: S(1 - s, d) = 1 - S(s, -d), so that with S = s + odd + even of the
 * first one that of the second is 1 - s + odd - even. */
typedef struct sections {
  dual odd, even;
  section at[BEAM_POINTS];
} sections;

/* S/s. */
static inline lie_map section_map(const relative *r, double s) {
  return lie_map_product(lie_map_scale(lie_map_tan(s * s * r->x), s), r->inverse, r->x);
}

/* Gravity in the axes of the sections: exp(-s w) R_a^T g and exp(s w) R_b^T g. */
static void turn_gravity(sections *p, const beam_element_data *e, const relative *r,
                         const torsor_element_in *in, double s) {
  const v3 of_scene = e->section->gravity;
  p->at[0].gravity = p->at[1].gravity = v3_zero();
  if (of_scene.x == 0 && of_scene.y == 0 && of_scene.z == 0) return;
  const v3 g = v3_scale(of_scene, in->load), w = v3_scale(r->d.ang, s);
  const lie_map turn = lie_map_exp(v3_norm2(w));
  p->at[0].gravity = so3_map_apply(w, lie_map_transpose(turn), m3_tmulv(in->node[0]->R, g));
  p->at[1].gravity = so3_map_apply(w, turn, m3_tmulv(in->node[1]->R, g));
}

/* V and V' of both points. */
static void find_motion(sections *p, const relative *r, const torsor_element_in *in) {
  const torsor_motion *a = in->node[0], *b = in->node[1];
  const double s = beam_point[0];
  const lie_map m = section_map(r, s);
  const twist dA = tw_sub(b->A, a->A);
  const twist dA1 = tw_add(se3_ad_apply(r->d, dA), se3_ad_apply(r->rate, r->dV));
  const twist dA2 = tw_add(se3_ad_apply(r->d, dA1), se3_ad_apply(r->rate, r->dV1));
  const double wr = s * v3_dot(r->d.ang, r->rate.ang);
  const double both = s * (v3_dot(r->rate.ang, r->d.lin) + v3_dot(r->d.ang, r->rate.lin));
  const dual odd_rate = {m.a1 * wr, m.a2 * wr * r->wp + m.a1 * both};
  const dual even_rate = {m.b1 * wr, m.b2 * wr * r->wp + m.b1 * both};
  p->odd = (dual){s * m.a, s * m.a1 * r->wp};
  p->even = (dual){s * m.b, s * m.b1 * r->wp};
  const twist V_odd = add_scaled(p->odd, r->dV1, tw_zero());
  const twist V_even = add_scaled(p->even, r->dV2, tw_scale(r->dV, s));
  const twist A_odd = add_scaled(p->odd, dA1, add_scaled(odd_rate, r->dV1, tw_zero()));
  const twist A_even = add_scaled(p->even, dA2, add_scaled(even_rate, r->dV2, tw_scale(dA, s)));
  p->at[0].V = tw_add(tw_add(a->V, V_odd), V_even);
  p->at[1].V = tw_sub(tw_add(b->V, V_odd), V_even);
  p->at[0].A = tw_add(tw_add(a->A, A_odd), A_even);
  p->at[1].A = tw_sub(tw_add(b->A, A_odd), A_even);
}

/* The same of lumps at the ends. */
static void find_end_motion(sections *p, const torsor_element_in *in) {
  for (int g = 0; g < BEAM_POINTS; ++g) {
    p->at[g].V = in->node[g]->V;
    p->at[g].A = in->node[g]->A;
  }
}

/* Where a section is, a part of the element. */
static double section_place(const beam_element_data *e, int point) {
  return e->section->lumped ? point : beam_point[point];
}

static void find_sections(sections *p, const beam_element_data *e, const relative *r,
                          const torsor_element_in *in) {
  if (e->section->lumped)
    find_end_motion(p, in);
  else
    find_motion(p, r, in);
  turn_gravity(p, e, r, in, section_place(e, 0));
  for (int g = 0; g < BEAM_POINTS; ++g) {
    section *at = &p->at[g];
    at->A.lin = v3_sub(at->A.lin, at->gravity);
    at->P = m6_tmulv(e->section->M[g], at->V);
    at->f = tw_sub(m6_tmulv(e->section->M[g], at->A), se3_adT_apply(at->V, at->P));
  }
}

/* ---- residual ------------------------------------------------------------------------------- */

/* The sum of S^T f: what of the forces on the sections the second end takes. */
static twist second_share(const relative *s, const sections *p, twist f0, twist f1) {
  const twist sum = tw_add(f0, f1), difference = tw_sub(f0, f1);
  const twist odd = add_scaled_wrench(p->odd, sum, tw_zero());
  const twist even = add_scaled_wrench(p->even, difference, tw_zero());
  const twist curved = se3_adT_apply(s->d, tw_add(odd, se3_adT_apply(s->d, even)));
  return tw_add(f1, tw_axpy(beam_point[0], difference, curved));
}

static void add_residual(double *r, const beam_element_data *e, const relative *s, twist stress,
                         const sections *p) {
  const twist f0 = tw_scale(p->at[0].f, BEAM_WEIGHT * e->length);
  const twist f1 = tw_scale(p->at[1].f, BEAM_WEIGHT * e->length), sum = tw_add(f0, f1);
  const twist share = e->section->lumped ? f1 : second_share(s, p, f0, f1);
  const twist stress1 = se3_adT_apply(s->d, stress);
  const twist straight = add_scaled_wrench(inverse_even(s), se3_adT_apply(s->d, stress1), stress);
  const twist back = tw_axpy(-s->inverse.a, stress1, straight);
  const twist forward = tw_axpy(s->inverse.a, stress1, straight);
  tw_store(r, tw_add(tw_load(r), tw_sub(tw_sub(sum, share), back)));
  tw_store(r + 6, tw_add(tw_load(r + 6), tw_add(share, forward)));
}

/* ---- tangents ------------------------------------------------------------------------------- */

/* dr of a force f that section s applies, (1 - S)^T df to the first node and S^T df to the second, with
 *   df = d P (e_a, e_b) + delta (e_b - e_a) + first e_a,   P = [-T^-1(-d), T^-1(d)].
 * [0]: sums over the sections of df, [1]: of S^T df. */
typedef struct spread {
  m6 d[2], delta[2], first[2];
} spread;

static void spread_term(m6 sum[2], const m6 *S, m6 A) {
  sum[0] = m6_add(sum[0], A);
  sum[1] = m6_add(sum[1], m6_tmul(*S, A));
}

/* T^-1(d) and T^-1(-d). */
typedef struct inverses {
  lie_map forward_map, back_map;
  m6 forward, back;
} inverses;

static inverses find_inverses(const relative *s) {
  const lie_map forward = s->inverse, back = lie_map_transpose(s->inverse);
  return (inverses){forward, back, se3_map(s->d, forward), se3_map(s->d, back)};
}

/* The block of row node `row` and column node `column`. */
static void spread_block(double *out, const spread *k, const inverses *t, int row, int column) {
  const m6 P = column ? t->forward : t->back;
  const m6 d = row ? k->d[1] : m6_sub(k->d[0], k->d[1]);
  const m6 delta = row ? k->delta[1] : m6_sub(k->delta[0], k->delta[1]);
  m6 block = m6_add(m6_mul(d, P), delta);
  if (!column) {
    const m6 first = row ? k->first[1] : m6_sub(k->first[0], k->first[1]);
    block = m6_sub(first, block);
  }
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) out[12 * (6 * row + i) + 6 * column + j] += block.m[i][j];
}

static void spread_add(double *matrix, const spread *k, const inverses *t) {
  for (int row = 0; row < 2; ++row)
    for (int column = 0; column < 2; ++column) spread_block(matrix, k, t, row, column);
}

/* D_d of d' at constant velocities. */
static m6 rate_gradient(const relative *s, const inverses *t, const torsor_element_in *in) {
  return m6_sub(se3_map_gradient(s->d, in->node[1]->V, t->forward_map),
                se3_map_gradient(s->d, in->node[0]->V, t->back_map));
}

/* Stress: P^T (K/L) (1 + lag D d') P, and the derivative of P^T at constant stress. */
static void spread_stress(spread *K, spread *C, const beam_element_data *e, const relative *s,
                          const inverses *t, twist stress, const m6 *drate) {
  const double lag = e->section->lag;
  const m6 Z = m6_scale(e->section->K, 1 / e->length);
  const m6 dforward = se3_map_gradientT(s->d, stress, t->forward_map);
  const m6 dback = se3_map_gradientT(s->d, stress, t->back_map);
  const m6 rate = m6_axpy(lag, *drate, m6_identity());
  const m6 turned = lag > 0 ? m6_mul(Z, rate) : Z;
  const m6 difference = m6_sub(t->forward, t->back);
  if (K) {
    K->d[1] = m6_add(K->d[1], m6_add(dforward, m6_tmul(t->forward, turned)));
    K->d[0] = m6_add(K->d[0], m6_add(m6_sub(dforward, dback), m6_tmul(difference, turned)));
  }
  if (C && lag > 0) {
    C->d[1] = m6_axpy(lag, m6_tmul(t->forward, Z), C->d[1]);
    C->d[0] = m6_axpy(lag, m6_tmul(difference, Z), C->d[0]);
  }
}

/* d(ad(V)^T m V)/dV of a section with the inertia m. */
static m6 gyration(const section *at, m6 m) {
  return m6_add(m6_tmul(se3_ad(at->V), m), se3_breve(m6_mulv(m, at->V)));
}

/* D(m (-R^T g, 0)) along displacements of the section. */
static m6 weight_gradient(const section *at, m6 m) {
  const m6 turn = m6_blocks(m3_zero(), m3_skew(at->gravity), m3_zero(), m3_zero());
  return m6_scale(m6_mul(m, turn), -1);
}

/* A block of rows and columns of one end. */
static void add_end(double *out, int end, m6 block) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) out[13 * 6 * end + 12 * i + j] += block.m[i][j];
}

static void add_lump(torsor_element_out *out, const beam_element_data *e, const section *at,
                     int end) {
  const m6 m = m6_scale(e->section->M[end], BEAM_WEIGHT * e->length);
  if (out->M) add_end(out->M, end, m);
  if (out->C) add_end(out->C, end, m6_scale(gyration(at, m), -1));
  if (out->K) add_end(out->K, end, weight_gradient(at, m));
}

/* What of the inertia of one section the three matrices need; each may be NULL. */
static void spread_section(spread *M, spread *C, spread *K, const beam_element_data *e,
                           const relative *r, const section *at, const torsor_element_in *in,
                           int point, const m6 *drate) {
  const m6 m = m6_scale(e->section->M[point], BEAM_WEIGHT * e->length);
  const lie_map map = section_map(r, beam_point[point]);
  const m6 S = m6_scale(se3_map(r->d, map), beam_point[point]), mS = m6_mul(m, S);
  if (M) {
    spread_term(M->delta, &S, mS);
    spread_term(M->first, &S, m);
  }
  if (!C && !K) return;
  const twist dV = tw_scale(r->dV, beam_point[point]);
  const twist dA = tw_scale(tw_sub(in->node[1]->A, in->node[0]->A), beam_point[point]);
  const twist f = tw_scale(at->f, BEAM_WEIGHT * e->length * beam_point[point]);
  const m6 G = se3_map_gradient(r->d, dV, map), mG = m6_mul(m, G);
  const m6 E = gyration(at, m);
  if (C) {
    const m6 along = m6_scale(se3_map_along(r->d, r->rate, map), beam_point[point]);
    spread_term(C->d, &S, mG);
    spread_term(C->delta, &S, m6_sub(m6_mul(m, along), m6_mul(E, S)));
    spread_term(C->first, &S, m6_scale(E, -1));
  }
  if (!K) return;
  m6 dA_dd = se3_map_gradient(r->d, dA, map);
  dA_dd = m6_add(dA_dd, se3_map_gradient2(r->d, r->rate, dV, map));
  m6 df = m6_sub(m6_add(m6_mul(m, dA_dd), m6_mul(mG, *drate)), m6_mul(E, G));
  const m6 weight = weight_gradient(at, m);
  spread_term(K->d, &S, df);
  K->d[1] = m6_add(K->d[1], se3_map_gradientT(r->d, f, map));
  spread_term(K->delta, &S, m6_mul(weight, S));
  spread_term(K->first, &S, weight);
}

static void add_tangents(torsor_element_out *out, const beam_element_data *e, const relative *s,
                         twist stress, const sections *p, const torsor_element_in *in) {
  spread M = {0}, C = {0}, K = {0};
  spread *const m = out->M ? &M : NULL, *const c = out->C ? &C : NULL,
                *const k = out->K ? &K : NULL;
  const inverses t = find_inverses(s);
  const m6 drate = rate_gradient(s, &t, in);
  spread_stress(k, c, e, s, &t, stress, &drate);
  for (int g = 0; g < BEAM_POINTS; ++g)
    if (e->section->lumped)
      add_lump(out, e, &p->at[g], g);
    else
      spread_section(m, c, k, e, s, &p->at[g], in, g, &drate);
  if (m && !e->section->lumped) spread_add(out->M, m, &t);
  if (c) spread_add(out->C, c, &t);
  if (k) spread_add(out->K, k, &t);
}

/* ---- the type ------------------------------------------------------------------------------- */

static torsor_status prepare(void *self, torsor_setup *setup, torsor_error *error) {
  (void)error;
  const beam_element_data *e = self;
  setup->nodes = 2;
  setup->node[0] = e->node[0];
  setup->node[1] = e->node[1];
  setup->length = e->length;
  setup->dissipative = e->section->lag > 0;
  return TORSOR_OK;
}

static torsor_status eval(const void *self, const torsor_element_in *in, torsor_element_out *out) {
  const beam_element_data *e = self;
  relative s;
  sections p;
  const torsor_status status = find_relative(&s, in);
  if (status) return status;
  find_sections(&p, e, &s, in);
  const twist stress = in->stress ? tw_load(in->stress) : stress_of(e, &s);
  if (out->r) add_residual(out->r, e, &s, stress, &p);
  if (out->M || out->C || out->K) add_tangents(out, e, &s, stress, &p, in);
  return TORSOR_OK;
}

/* Energies and momenta of one section: weight w times its mass m, first moment and momentum. */
static void balance_section(torsor_balance *sum, const beam_element_data *e, const relative *r,
                            const section *at, const torsor_element_in *in, int point) {
  const torsor_motion *a = in->node[0];
  const double w = BEAM_WEIGHT * e->length, mass = e->section->M[point].m[0][0];
  const twist along = tw_scale(r->d, section_place(e, point)), P = tw_scale(at->P, w);
  const m3 R = m3_mul(a->R, so3_rodrigues(along.ang));
  const lie_map exp_x = lie_map_transpose(lie_map_tan(v3_norm2(along.ang)));
  const v3 x = v3_add(a->x, m3_mulv(a->R, so3_map_apply(along.ang, exp_x, along.lin)));
  const v3 moment = m3_vee(m6_block(e->section->M[point], 1, 0)), momentum = m3_mulv(R, P.lin);
  sum->kinetic += tw_dot(at->V, P) / 2;
  sum->potential -=
      w * in->load * v3_dot(e->section->gravity, v3_axpy(mass, x, m3_mulv(R, moment)));
  sum->momentum = v3_add(sum->momentum, momentum);
  sum->angular_momentum =
      v3_add(sum->angular_momentum, v3_add(m3_mulv(R, P.ang), v3_cross(x, momentum)));
}

void beam_balance(const void *self, const torsor_element_in *in, torsor_balance *sum) {
  const beam_element_data *e = self;
  relative s;
  if (find_relative(&s, in)) return;
  const twist strain = strain_of(e, &s);
  sum->elastic += e->length / 2 * tw_dot(strain, m6_mulv(e->section->K, strain));
  sections p;
  find_sections(&p, e, &s, in);
  for (int g = 0; g < BEAM_POINTS; ++g) balance_section(sum, e, &s, &p.at[g], in, g);
}

/* K ((d - d_0)/L + d'/L) where d' is that of the displacement V. */
void beam_foresee(const void *self, const torsor_element_in *in, double *values) {
  const beam_element_data *e = self;
  relative s;
  if (find_relative(&s, in)) return;
  const twist strain = tw_axpy(1 / e->length, s.rate, strain_of(e, &s));
  tw_store(values, m6_mulv(e->section->K, strain));
}

const char *beam_obstacle(const void *self) {
  return ((const beam_element_data *)self)->section->obstacle;
}

double beam_loss(const void *self, const torsor_element_in *in) {
  const beam_element_data *e = self;
  relative s;
  if (find_relative(&s, in)) return 0;
  return e->section->lag / e->length * tw_dot(s.rate, m6_mulv(e->section->K, s.rate));
}

const torsor_output beam_outputs[] = {
    {"section_force", "N", "normal and shear forces of the element, section axes", 3},
    {"section_moment", "N m", "torque and bending moments, section axes", 3},
    {"strain", "", "extension and shear, section axes", 3},
    {"curvature", "1/m", "twist and curvatures, beyond those of the unstrained beam, section axes",
     3},
    {0}};

static void output(const void *self, const torsor_element_in *in, double *values) {
  const beam_element_data *e = self;
  relative s;
  if (find_relative(&s, in)) return;
  tw_store(values, stress_of(e, &s));
  tw_store(values + 6, strain_of(e, &s));
}

void beam_draw(const void *self, const torsor_drawing *to) {
  to->piece(to->self, ((const beam_element_data *)self)->section->outline, true);
}

const char *const beam_stresses[] = {"axial", "shear_y", "shear_z", "mises", NULL};

const char *beam_point_name(const void *self, int point) {
  const beam_element_data *e = self;
  return section_point_name(&e->section->recovery, point);
}

void beam_point_stress(const void *self, int point, const double force[6], double *values) {
  const beam_element_data *e = self;
  section_stress(values, &e->section->recovery, point, force);
  const double axial = values[0], y = values[1], z = values[2];
  values[3] = sqrt(axial * axial + 3 * (y * y + z * z));
}

static void point_stress(const void *self, const torsor_element_in *in, int point, double *values) {
  double force[12] = {0};
  output(self, in, force);
  beam_point_stress(self, point, force, values);
}

static const torsor_place_outputs stresses = BEAM_STRESSES(point_stress);

const torsor_element_type beam_element = {
    BEAM_PART,
    .name = "beam_element",
    .title = "geometrically exact beam element between two frames",
    .doc = "See beam.",
    .size = sizeof(beam_element_data),
    .tangent_cost = 30,
    .prepare = prepare,
    .eval = eval,
    .output = output,
    .places = &stresses,
};
