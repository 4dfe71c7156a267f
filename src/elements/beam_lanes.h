/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_BEAM_LANES_H
#define TORSOR_ELEMENTS_BEAM_LANES_H

/** Motion and residual of two beam elements at a time, one in each SIMD lane.  A single element is
 *  passed twice. */

#include "elements/beam.h"
#include "liegroup/lanes.h"

/** Functions of ad(d) act on twists as those of a cross product do over numbers c + c1 eps, eps^2 =
 *  0, with the rotation as real part: F(d) k = k + a ad(d) k + b ad(d)^2 k, a = (a(x), a1(x) w.p)
 *  of d = (p, w), x = |w|^2.  For wrenches the force is the real part, and ad(d)^T stands for
 *  ad(d). */
typedef struct duals {
  pair re, du;
} duals;

/** Motions of one end, as torsor_motion. */
typedef struct motions {
  m3s R;
  v3s x;
  twists V, A;
} motions;

/** Two elements with their input. */
typedef struct beam_pair {
  const beam_element_data *e[2];
  const torsor_element_in *in[2];
  motions a, b;
  pair length;
} beam_pair;

/** Relative motion of the two ends of each element. */
typedef struct relatives {
  twists d, rate;   /* d and d' */
  pair x, wp;       /* |w|^2 and w.p of d */
  lie_maps inverse; /* of T^-1(d) */
  twists dV;        /* V_b - V_a */
  twists dV1, dV2;  /* ad(d) dV and ad(d)^2 dV */
} relatives;

/** Motion of one section of each element. */
typedef struct sections {
  twists V, A; /* twist and its rate, less gravity */
  twists P;    /* momentum */
  twists f;    /* M A - ad(V)^T P: what moves the section, all per length */
  v3s gravity; /* section axes */
} sections;

/** Both points, which mirror each other: S(1 - s, d) = 1 - S(s, -d), so that with S = s + odd +
 *  even of the first one that of the second is 1 - s + odd - even. */
typedef struct section_pairs {
  duals odd, even;
  sections at[BEAM_POINTS];
} section_pairs;

/** Position of a section as a fraction of the element. */
static inline double beam_section_place(const beam_element_data *e, int point) {
  return e->section->lumped ? point : beam_point[point];
}

void beam_load_pair(beam_pair *both, const beam_element_data *const e[2],
                    const torsor_element_in *const in[2]);

/** Returns TORSOR_DOMAIN when the relative rotation of either element is too large. */
torsor_status beam_find_relatives(relatives *s, const beam_pair *both);

/** out = A^T x of the one and B^T x of the other element, for `count` x: the matrices
 *  are symmetric.  With constants for the last two all loops vanish. */
static inline void beam_multiply_by(twists *const out[], const m6 *A, const m6 *B,
                                    const twists *const x[], int count, bool diagonal) {
  for (int j = 0; j < 6; ++j) {
    pair sum[2] = {0};
    for (int i = diagonal ? j : 0; i < (diagonal ? j + 1 : 6); ++i) {
      const pair entry = {A->m[i][j], B->m[i][j]};
      for (int k = 0; k < count; ++k) sum[k] += entry * ((const pair *)x[k])[i];
    }
    for (int k = 0; k < count; ++k) ((pair *)out[k])[j] = sum[k];
  }
}

static inline void beam_multiply(twists *const out[], const m6 *A, const m6 *B,
                                 const twists *const x[], int count, bool diagonal) {
  if (diagonal)
    beam_multiply_by(out, A, B, x, count, true);
  else
    beam_multiply_by(out, A, B, x, count, false);
}

/** Strains of both elements: what their relative motions differ from that of the reference, over
 * the length. */
static inline twists beam_strains(const beam_pair *both, const relatives *s) {
  const twists reference = tws_of(both->e[0]->reference, both->e[1]->reference);
  return tws_scale(tws_sub(s->d, reference), 1.0 / both->length);
}

/** Section forces and moments: those of the strains, and the effective ones, which are in->stress
 *  where that is given. */
twists beam_own_forces(const beam_pair *both, const relatives *s);
twists beam_forces(const beam_pair *both, const relatives *s);

/** Finds the motions of the sections of two elements for which beam_alike holds. */
void beam_find_sections(section_pairs *p, const beam_pair *both, const relatives *s);

/** Can both elements be evaluated together? */
bool beam_alike(const beam_pair *both);

/** Does gravity act on the element? */
bool beam_is_heavy(const beam_element_data *e);

/** Do both ends have neither velocities nor accelerations? */
bool beam_rests(const torsor_element_in *in);

/** Do its sections move, or weigh anything?  Else their motions and forces vanish. */
bool beam_needs_sections(const beam_element_data *e, const torsor_element_in *in);

/** Adds the residual of each element to its r [12]; both may be the same array.  `p` is NULL where
 *  neither needs sections. */
void beam_add_residuals(double *const r[2], const beam_pair *both, const relatives *s,
                        twists stress, const section_pairs *p);

#endif
