/* SPDX-License-Identifier: GPL-3.0-or-later */

/* The beam element of docs/theory.md, section "Beams".  With d = log(H_a^-1 H_b) the frames in
 * between are H(s) = H_a exp(s d), the strain (d - d_0)/L is the same along the element, and
 *   d' = T^-1(d) V_b - T^-1(-d) V_a,   V(s) = V_a + S (V_b - V_a),   S = s T(s d) T^-1(d).
 * Variations follow the same rules as velocities. */

#include "elements/beam_flexibility.h"

static twists add_scaled(duals c, twists k, twists sum) {
  sum.lin = v3s_axpy(c.re, k.lin, v3s_axpy(c.du, k.ang, sum.lin));
  sum.ang = v3s_axpy(c.re, k.ang, sum.ang);
  return sum;
}

static twists add_scaled_wrench(duals c, twists l, twists sum) {
  sum.lin = v3s_axpy(c.re, l.lin, sum.lin);
  sum.ang = v3s_axpy(c.re, l.ang, v3s_axpy(c.du, l.lin, sum.ang));
  return sum;
}

/* ---- both ends relative to each other ------------------------------------------------------- */

static void load_motions(motions *out, const torsor_motion *first, const torsor_motion *second) {
  out->R = m3s_of(first->R, second->R);
  out->x = v3s_of(first->x, second->x);
  out->V = tws_of(first->V, second->V);
  out->A = tws_of(first->A, second->A);
}

void beam_load_pair(beam_pair *both, const beam_element_data *const e[2],
                    const torsor_element_in *const in[2]) {
  for (int k = 0; k < 2; ++k) {
    both->e[k] = e[k];
    both->in[k] = in[k];
    both->length[k] = e[k]->length;
  }
  load_motions(&both->a, in[0]->node[0], in[1]->node[0]);
  load_motions(&both->b, in[0]->node[1], in[1]->node[1]);
}

/* b of T^-1(d) and of T^-1(-d). */
static duals inverse_even(const relatives *s) {
  return (duals){s->inverse.b, s->inverse.b1 * s->wp};
}

torsor_status beam_find_relatives(relatives *s, const beam_pair *both) {
  const motions *a = &both->a, *b = &both->b;
  const double limit = BEAM_LARGEST_ROTATION * BEAM_LARGEST_ROTATION;
  const m3s turn = m3s_tmul(&a->R, &b->R);
  const v3s w = so3s_log_matrix(&turn);
  s->x = v3s_norm2(w);
  if (!(s->x[0] <= limit && s->x[1] <= limit)) return TORSOR_DOMAIN;
  const v3s r = m3s_tmulv(&a->R, v3s_sub(b->x, a->x));
  s->inverse = lie_maps_taninv(s->x);
  s->d = (twists){so3s_map_apply(w, lie_maps_transpose(s->inverse), r), w};
  s->wp = v3s_dot(w, s->d.lin);
  s->dV = tws_sub(b->V, a->V);
  s->dV1 = se3s_ad_apply(s->d, s->dV);
  s->dV2 = se3s_ad_apply(s->d, s->dV1);
  /* the odd parts of T^-1(+-d) are +-ad(d)/2 */
  const twists odd = se3s_ad_apply(s->d, tws_add(a->V, b->V));
  s->rate = add_scaled(inverse_even(s), s->dV2, tws_axpy(s->inverse.a, odd, s->dV));
  return TORSOR_OK;
}

twists beam_own_forces(const beam_pair *both, const relatives *s) {
  const beam_section *first = both->e[0]->section, *second = both->e[1]->section;
  const pair lag = {first->lag, second->lag};
  const twists strain = tws_axpy(lag / both->length, s->rate, beam_strains(both, s));
  const twists *const from[] = {&strain};
  twists force, *const to[] = {&force};
  beam_multiply(to, &first->K, &second->K, from, 1, first->diagonal);
  return force;
}

twists beam_forces(const beam_pair *both, const relatives *s) {
  const twists own = beam_own_forces(both, s);
  const double *first = both->in[0]->stress, *second = both->in[1]->stress;
  if (!first && !second) return own;
  return tws_of(first ? tw_load(first) : tws_lane(own, 0),
                second ? tw_load(second) : tws_lane(own, 1));
}

/* ---- sections ------------------------------------------------------------------------------- */

/* S/s. */
static inline lie_maps section_maps(const relatives *r, double s) {
  return lie_maps_product(lie_maps_scale(lie_maps_tan(s * s * r->x), s), r->inverse, r->x);
}

bool beam_is_heavy(const beam_element_data *e) {
  const v3 g = e->section->gravity;
  return g.x != 0 || g.y != 0 || g.z != 0;
}

static bool rests(const torsor_motion *end) {
  const double *V = &end->V.lin.x, *A = &end->A.lin.x;
  for (int i = 0; i < 6; ++i)
    if (V[i] != 0 || A[i] != 0) return false;
  return true;
}

bool beam_rests(const torsor_element_in *in) {
  return rests(in->node[0]) && rests(in->node[1]);
}

bool beam_needs_sections(const beam_element_data *e, const torsor_element_in *in) {
  return beam_is_heavy(e) || !beam_rests(in);
}

bool beam_alike(const beam_pair *both) {
  const beam_section *first = both->e[0]->section, *second = both->e[1]->section;
  return beam_flexibility_alike(both->e[0]->flexibility, both->e[1]->flexibility) &&
         first->lumped == second->lumped && first->diagonal == second->diagonal &&
         beam_is_heavy(both->e[0]) == beam_is_heavy(both->e[1]);
}

/* Gravity in the axes of the sections: exp(-s w) R_a^T g and exp(s w) R_b^T g. */
static void turn_gravity(section_pairs *p, const beam_pair *both, const relatives *r, double s) {
  p->at[0].gravity = p->at[1].gravity = v3s_zero();
  if (!beam_is_heavy(both->e[0])) return;
  const v3s of_scene = v3s_of(both->e[0]->section->gravity, both->e[1]->section->gravity);
  const v3s g = v3s_scale(of_scene, (pair){both->in[0]->load, both->in[1]->load});
  const v3s w = v3s_scale(r->d.ang, pair_both(s));
  const lie_maps turn = lie_maps_exp(v3s_norm2(w));
  p->at[0].gravity = so3s_map_apply(w, lie_maps_transpose(turn), m3s_tmulv(&both->a.R, g));
  p->at[1].gravity = so3s_map_apply(w, turn, m3s_tmulv(&both->b.R, g));
}

/* V and V' of both points. */
static void find_motion(section_pairs *p, const beam_pair *both, const relatives *r) {
  const motions *a = &both->a, *b = &both->b;
  const double s = beam_point[0];
  const lie_maps m = section_maps(r, s);
  const twists dA = tws_sub(b->A, a->A);
  const twists dA1 = tws_add(se3s_ad_apply(r->d, dA), se3s_ad_apply(r->rate, r->dV));
  const twists dA2 = tws_add(se3s_ad_apply(r->d, dA1), se3s_ad_apply(r->rate, r->dV1));
  const pair wr = s * v3s_dot(r->d.ang, r->rate.ang);
  const pair along = s * (v3s_dot(r->rate.ang, r->d.lin) + v3s_dot(r->d.ang, r->rate.lin));
  const duals odd_rate = {m.a1 * wr, m.a2 * wr * r->wp + m.a1 * along};
  const duals even_rate = {m.b1 * wr, m.b2 * wr * r->wp + m.b1 * along};
  p->odd = (duals){s * m.a, s * m.a1 * r->wp};
  p->even = (duals){s * m.b, s * m.b1 * r->wp};
  const twists V_odd = add_scaled(p->odd, r->dV1, tws_zero());
  const twists V_even = add_scaled(p->even, r->dV2, tws_scale(r->dV, pair_both(s)));
  const twists A_odd = add_scaled(p->odd, dA1, add_scaled(odd_rate, r->dV1, tws_zero()));
  const twists A_even =
      add_scaled(p->even, dA2, add_scaled(even_rate, r->dV2, tws_scale(dA, pair_both(s))));
  p->at[0].V = tws_add(tws_add(a->V, V_odd), V_even);
  p->at[1].V = tws_sub(tws_add(b->V, V_odd), V_even);
  p->at[0].A = tws_add(tws_add(a->A, A_odd), A_even);
  p->at[1].A = tws_sub(tws_add(b->A, A_odd), A_even);
}

/* Like the function above, for masses lumped at the ends. */
static void find_end_motion(section_pairs *p, const beam_pair *both) {
  p->at[0].V = both->a.V;
  p->at[0].A = both->a.A;
  p->at[1].V = both->b.V;
  p->at[1].A = both->b.A;
}

void beam_find_sections(section_pairs *p, const beam_pair *both, const relatives *r) {
  const beam_section *first = both->e[0]->section, *second = both->e[1]->section;
  if (first->lumped)
    find_end_motion(p, both);
  else
    find_motion(p, both, r);
  turn_gravity(p, both, r, beam_section_place(both->e[0], 0));
  for (int g = 0; g < BEAM_POINTS; ++g) {
    sections *at = &p->at[g];
    at->A.lin = v3s_sub(at->A.lin, at->gravity);
    const twists *const from[] = {&at->V, &at->A};
    twists *const to[] = {&at->P, &at->f};
    beam_multiply(to, &first->M[g], &second->M[g], from, 2, first->diagonal);
    at->f = tws_sub(at->f, se3s_adT_apply(at->V, at->P));
  }
}

/* ---- residual ------------------------------------------------------------------------------- */

/* The sum of S^T f: the part of the section forces that acts on the second end. */
static twists second_share(const relatives *s, const section_pairs *p, twists f0, twists f1) {
  const twists sum = tws_add(f0, f1), difference = tws_sub(f0, f1);
  const twists odd = add_scaled_wrench(p->odd, sum, tws_zero());
  const twists even = add_scaled_wrench(p->even, difference, tws_zero());
  const twists curved = se3s_adT_apply(s->d, tws_add(odd, se3s_adT_apply(s->d, even)));
  return tws_add(f1, tws_axpy(pair_both(beam_point[0]), difference, curved));
}

static void add_wrenches(double *first, double *second, twists wrench) {
  const twists sum = tws_add(tws_of(tw_load(first), tw_load(second)), wrench);
  tw_store(first, tws_lane(sum, 0));
  tw_store(second, tws_lane(sum, 1));
}

void beam_add_residuals(double *const r[2], const beam_pair *both, const relatives *s,
                        twists stress, const section_pairs *p) {
  const pair weight = BEAM_WEIGHT * both->length;
  twists sum = tws_zero(), share = sum;
  if (p) {
    const twists f0 = tws_scale(p->at[0].f, weight), f1 = tws_scale(p->at[1].f, weight);
    sum = tws_add(f0, f1);
    share = both->e[0]->section->lumped ? f1 : second_share(s, p, f0, f1);
  }
  const twists stress1 = se3s_adT_apply(s->d, stress);
  const twists straight = add_scaled_wrench(inverse_even(s), se3s_adT_apply(s->d, stress1), stress);
  const twists back = tws_axpy(-s->inverse.a, stress1, straight);
  const twists forward = tws_axpy(s->inverse.a, stress1, straight);
  add_wrenches(r[0], r[1], tws_sub(tws_sub(sum, share), back));
  add_wrenches(r[0] + 6, r[1] + 6, tws_add(share, forward));
}
