/* SPDX-License-Identifier: GPL-3.0-or-later */

/* Forces are constant along the element, and moments vary as m' = -p x n - kappa x m: with the
 * stress sigma(xi) = (I + xi A^T) sigma at the distance xi from the middle, A = [[0, p~], [0,
 * kappa~]], and the flexibilities F_1, F_2 of the section at the Gauss points -+xi,
 *   C = 1/2 sum (I + xi A) F (I + xi A)^T = F + xi^2 A F A^T + xi (A G + G A^T),  xi^2 = L^2/12,
 * where F and G on the right are the mean and half the difference.  p is the axis of the unstrained
 * element, kappa the curvature of the strained one.  That forces vary, too, by -kappa x n, changes
 * the shear strains alone, by parts of themselves; with it the forces of iterates that are not in
 * balance, EA times the square of an angle, would bend the element.  With the projection Pi to
 * rotations, mu(m) = [[0, 0], [0, m~]] and c = (G + xi F A^T) sigma, half the difference of the
 * strains at the Gauss points,
 *   s = sigma + xi mu(m) c,
 *   C dsigma = B dd/L,  B = I - X,  X = -xi mu(c) + xi (G + xi A F) mu(m),
 *   ds/dd = B^T C^-1 B/L + (xi^2/L) mu(m) F mu(m). */

#include "elements/beam_flexibility.h"

#include <float.h>
#include <math.h>

/* ---- data ----------------------------------------------------------------------------------- */

/* A^-1 of a symmetric positive definite matrix on the rows whose diagonal is not 0, and 0 on the
 * others, by elimination in place. */
static m6 inverse_on_rows(m6 A) {
  m6 B = m6_zero();
  for (int i = 0; i < 6; ++i)
    if (A.m[i][i] > 0) B.m[i][i] = 1;
  for (int i = 0; i < 6; ++i) {
    if (!(A.m[i][i] > 0)) continue;
    for (int k = 0; k < 6; ++k) {
      const double factor = k == i ? 0 : A.m[k][i] / A.m[i][i];
      for (int j = 0; j < 6; ++j) {
        A.m[k][j] -= factor * A.m[i][j];
        B.m[k][j] -= factor * B.m[i][j];
      }
    }
  }
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6 && A.m[i][i] > 0; ++j) B.m[i][j] /= A.m[i][i];
  return m6_scale(m6_add(B, m6_transpose(B)), 0.5);
}

/* Rotations below this, in rad, and lengths below this part of what places are measured by, are
 * round-off of frames. */
static const double ROUND_OFF = 1e-13, PLACE_ROUND_OFF = 16 * DBL_EPSILON;

/* Finds what is special about the unstrained element, and sets its round-off to zero. */
static void find_shape(beam_flexibility *f, twist *reference, double places) {
  const double least = fmax(ROUND_OFF * fabs(reference->lin.x), PLACE_ROUND_OFF * places);
  f->straight = f->diagonal && !f->tapered && fabs(reference->lin.y) <= least &&
                fabs(reference->lin.z) <= least;
  f->even = f->straight && v3_norm(reference->ang) <= ROUND_OFF;
  if (f->straight) reference->lin.y = reference->lin.z = 0;
  if (f->even) reference->ang = v3_zero();
}

/* C of the unstrained element. */
static m6 unstrained(const beam_flexibility *f, twist reference, double length) {
  const m3 p = m3_skew(v3_scale(reference.lin, 1 / length));
  const m3 kappa = m3_skew(v3_scale(reference.ang, 1 / length));
  const m6 A = m6_blocks(m3_zero(), p, m3_zero(), kappa), turned = m6_mul(A, f->change);
  const m6 sum = m6_add(turned, m6_transpose(turned));
  const m6 C = m6_axpy(length / sqrt(12), sum, f->mean);
  return m6_axpy(length * length / 12, m6_mul(A, m6_mul(f->mean, m6_transpose(A))), C);
}

static bool is_diagonal(const m6 *A) {
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      if (i != j && A->m[i][j] != 0) return false;
  return true;
}

void beam_flexibility_find(beam_flexibility *out, const m6 K[BEAM_POINTS], bool fixed_axis,
                           bool damped, twist reference, double length, double places) {
  const m6 first = inverse_on_rows(K[0]), second = inverse_on_rows(K[1]);
  out->mean = m6_scale(m6_add(first, second), 0.5);
  out->change = m6_scale(m6_sub(second, first), 0.5);
  out->fixed_axis = fixed_axis;
  out->diagonal = is_diagonal(&out->mean) && is_diagonal(&out->change);
  out->tapered = false;
  for (int i = 0; i < 36; ++i) out->tapered |= out->change.m[i / 6][i % 6] != 0;
  find_shape(out, &reference, places);
  m6 C = unstrained(out, reference, length);
  for (int i = 0; i < 6 && fixed_axis; ++i) C.m[0][i] = C.m[i][0] = 0;
  out->damping = damped ? inverse_on_rows(C) : m6_zero();
}

bool beam_flexibility_alike(const beam_flexibility *first, const beam_flexibility *second) {
  if (!first || !second) return !first && !second;
  return first->diagonal == second->diagonal && first->tapered == second->tapered &&
         first->straight == second->straight && first->even == second->even &&
         first->fixed_axis == second->fixed_axis;
}

/* ---- C -------------------------------------------------------------------------------------- */

static inline pair entry(const m6 *A, const m6 *B, int i, int j) {
  return (pair){A->m[i][j], B->m[i][j]};
}

/* The upper triangle of C += a~ D a~^T from the diagonal entry i on. */
static inline void add_squared(pair C[6][6], int i, v3s a, v3s D) {
  const pair xx = a.x * a.x, yy = a.y * a.y, zz = a.z * a.z;
  C[i][i] += zz * D.y + yy * D.z;
  C[i][i + 1] -= a.x * a.y * D.z;
  C[i][i + 2] -= a.x * a.z * D.y;
  C[i + 1][i + 1] += zz * D.x + xx * D.z;
  C[i + 1][i + 2] -= a.y * a.z * D.x;
  C[i + 2][i + 2] += yy * D.x + xx * D.y;
}

/* C += a~ D b~^T in the block of forces and moments. */
static inline void add_crossed(pair C[6][6], v3s a, v3s D, v3s b) {
  const pair xy = a.x * D.y, xz = a.x * D.z, yx = a.y * D.x, yz = a.y * D.z;
  const pair zx = a.z * D.x, zy = a.z * D.y;
  C[0][3] += zy * b.z + yz * b.y;
  C[0][4] -= yz * b.x;
  C[0][5] -= zy * b.x;
  C[1][3] -= xz * b.y;
  C[1][4] += zx * b.z + xz * b.x;
  C[1][5] -= zx * b.y;
  C[2][3] -= xy * b.z;
  C[2][4] -= yx * b.z;
  C[2][5] += yx * b.y + xy * b.x;
}

/* xi^2 A F A^T for diagonal F. */
static void add_diagonal(pair C[6][6], const beam_flexed *x) {
  const m6 *F = &x->of[0]->mean, *G = &x->of[1]->mean;
  const v3s ang = {entry(F, G, 3, 3), entry(F, G, 4, 4), entry(F, G, 5, 5)};
  const v3s a = v3s_scale(x->axis.lin, x->reach), b = v3s_scale(x->axis.ang, x->reach);
  add_squared(C, 0, a, ang);
  add_squared(C, 3, b, ang);
  add_crossed(C, a, ang, b);
}

/* Row i of symmetric matrices, which is their column i. */
static inline twists row_of(const m6 *A, const m6 *B, int i) {
  return tws_of(tw_load(A->m[i]), tw_load(B->m[i]));
}

/* A v, which the moments' part of v alone counts in. */
static inline twists carry(const beam_flexed *x, v3s v) {
  return (twists){v3s_cross(x->axis.lin, v), v3s_cross(x->axis.ang, v)};
}

/* xi^2 A F A^T. */
static void add_full(pair C[6][6], const beam_flexed *x) {
  const m6 *F = &x->of[0]->mean, *G = &x->of[1]->mean;
  twists turned[3];
  for (int j = 0; j < 3; ++j) turned[j] = carry(x, row_of(F, G, 3 + j).ang);
  for (int i = 0; i < 6; ++i) {
    const v3s row = {((const pair *)&turned[0])[i], ((const pair *)&turned[1])[i],
                     ((const pair *)&turned[2])[i]};
    const twists twice = tws_scale(carry(x, row), x->reach * x->reach);
    for (int j = i; j < 6; ++j) C[i][j] += ((const pair *)&twice)[j];
  }
}

/* xi (A G + G A^T). */
static void add_taper(pair C[6][6], const beam_flexed *x) {
  const m6 *F = &x->of[0]->change, *G = &x->of[1]->change;
  for (int j = 0; j < 6; ++j) {
    const twists turned = tws_scale(carry(x, row_of(F, G, j).ang), x->reach);
    for (int i = 0; i <= j; ++i) C[i][j] += ((const pair *)&turned)[i];
    for (int i = j; i < 6; ++i) C[j][i] += ((const pair *)&turned)[i];
  }
}

/* Eliminates unknown i; with a constant i all loops vanish. */
static inline void eliminate(pair C[6][6], int i) {
  C[i][i] = 1.0 / C[i][i];
  for (int k = i + 1; k < 6; ++k) {
    const pair row = C[i][k] * C[i][i];
    for (int j = k; j < 6; ++j) C[k][j] -= row * C[i][j];
    C[i][k] = row;
  }
}

/* The upper triangle is replaced by the factors. */
static inline void factor(pair C[6][6]) {
  eliminate(C, 0);
  eliminate(C, 1);
  eliminate(C, 2);
  eliminate(C, 3);
  eliminate(C, 4);
  eliminate(C, 5);
}

/* C with its factors; a constrained extension has a row of its own. */
static inline void find_flexibility(beam_flexed *x) {
  pair(*C)[6] = x->factor;
  for (int i = 0; i < 6; ++i)
    for (int j = i; j < 6; ++j) C[i][j] = entry(&x->of[0]->mean, &x->of[1]->mean, i, j);
  if (x->of[0]->diagonal)
    add_diagonal(C, x);
  else
    add_full(C, x);
  if (x->of[0]->tapered) add_taper(C, x);
  if (x->of[0]->fixed_axis) {
    C[0][0] = pair_both(1);
    for (int j = 1; j < 6; ++j) C[0][j] = pair_both(0);
  }
  factor(C);
}

/* The same of a straight element, p = (p, 0, 0): what is left of U above its diagonal are u_ij with
 * ij = 13, 14, 23, 25, 34, 35, 45. */
static inline void find_straight(beam_flexed *x) {
  pair(*C)[6] = x->factor;
  const m6 *F = &x->of[0]->mean, *G = &x->of[1]->mean;
  const v3s D = {entry(F, G, 3, 3), entry(F, G, 4, 4), entry(F, G, 5, 5)};
  const v3s b = v3s_scale(x->axis.ang, x->reach);
  const pair a = x->axis.lin.x * x->reach, ay = a * D.y, az = a * D.z;
  const pair xx = b.x * b.x, yy = b.y * b.y, zz = b.z * b.z;
  const pair one = pair_both(1), stretch = x->of[0]->fixed_axis ? one : entry(F, G, 0, 0);
  const pair c13 = -az * b.y, c14 = az * b.x, c23 = -ay * b.z, c25 = ay * b.x;
  const pair d1 = one / (entry(F, G, 1, 1) + a * az), d2 = one / (entry(F, G, 2, 2) + a * ay);
  const pair u13 = c13 * d1, u14 = c14 * d1, u23 = c23 * d2, u25 = c25 * d2;
  const pair c33 = D.x + zz * D.y + yy * D.z - u13 * c13 - u23 * c23;
  const pair c34 = -b.x * b.y * D.z - u13 * c14, c35 = -b.x * b.z * D.y - u23 * c25;
  const pair d3 = one / c33, u34 = c34 * d3, u35 = c35 * d3;
  const pair c44 = D.y + zz * D.x + xx * D.z - u14 * c14 - u34 * c34;
  const pair c45 = -b.y * b.z * D.x - u34 * c35, d4 = one / c44, u45 = c45 * d4;
  const pair c55 = D.z + yy * D.x + xx * D.y - u25 * c25 - u35 * c35 - u45 * c45;
  C[0][0] = one / stretch, C[1][1] = d1, C[2][2] = d2;
  C[3][3] = d3, C[4][4] = d4, C[5][5] = one / c55;
  C[1][3] = u13, C[1][4] = u14, C[2][3] = u23, C[2][5] = u25;
  C[3][4] = u34, C[3][5] = u35, C[4][5] = u45;
}

static inline twists solve_straight(const beam_flexed *x, twists e) {
  const pair(*U)[6] = x->factor;
  const pair y0 = x->of[0]->fixed_axis ? pair_both(0) : e.lin.x * U[0][0];
  const pair e3 = e.ang.x - U[1][3] * e.lin.y - U[2][3] * e.lin.z;
  const pair e4 = e.ang.y - U[1][4] * e.lin.y - U[3][4] * e3;
  const pair e5 = e.ang.z - U[2][5] * e.lin.z - U[3][5] * e3 - U[4][5] * e4;
  const pair y5 = e5 * U[5][5], y4 = e4 * U[4][4] - U[4][5] * y5;
  const pair y3 = e3 * U[3][3] - U[3][4] * y4 - U[3][5] * y5;
  const pair y2 = e.lin.z * U[2][2] - U[2][3] * y3 - U[2][5] * y5;
  const pair y1 = e.lin.y * U[1][1] - U[1][3] * y3 - U[1][4] * y4;
  return (twists){{y0, y1, y2}, {y3, y4, y5}};
}

/* C^-1 strain. */
static inline twists solve(const beam_flexed *x, twists strain) {
  pair *y = (pair *)&strain;
  const pair(*U)[6] = x->factor;
  if (x->of[0]->straight) return solve_straight(x, strain);
  if (x->of[0]->fixed_axis) y[0] = pair_both(0);
  for (int i = 0; i < 6; ++i)
    for (int k = i + 1; k < 6; ++k) y[k] -= U[i][k] * y[i];
  for (int i = 0; i < 6; ++i) y[i] *= U[i][i];
  for (int i = 5; i >= 0; --i)
    for (int k = i + 1; k < 6; ++k) y[i] -= U[i][k] * y[k];
  return strain;
}

/* ---- state ---------------------------------------------------------------------------------- */

/* F v and G v. */
static twists times_mean(const beam_flexed *x, twists v) {
  twists out, *const to[] = {&out};
  const twists *const from[] = {&v};
  beam_multiply(to, &x->of[0]->mean, &x->of[1]->mean, from, 1, x->of[0]->diagonal);
  return out;
}

static twists times_change(const beam_flexed *x, twists v) {
  twists out, *const to[] = {&out};
  const twists *const from[] = {&v};
  if (!x->of[0]->tapered) return tws_zero();
  beam_multiply(to, &x->of[0]->change, &x->of[1]->change, from, 1, x->of[0]->diagonal);
  return out;
}

/* xi A^T sigma. */
static twists find_slope(const beam_flexed *x) {
  const v3s slope =
      v3s_add(v3s_cross(x->sigma.lin, x->axis.lin), v3s_cross(x->sigma.ang, x->axis.ang));
  return (twists){v3s_zero(), v3s_scale(slope, x->reach)};
}

void beam_flex_change(beam_flexed *x) {
  const twists slope = find_slope(x);
  x->change = times_mean(x, slope);
  if (x->of[0]->tapered) x->change = tws_add(x->change, times_change(x, x->sigma));
}

void beam_flex(beam_flexed *x, const beam_pair *both, const relatives *s) {
  const beam_element_data *const *e = both->e;
  const double *first = both->in[0]->stress, *second = both->in[1]->stress;
  for (int k = 0; k < 2; ++k) x->of[k] = e[k]->flexibility;
  x->axis.lin = v3s_of(e[0]->reference.lin, e[1]->reference.lin);
  x->axis.ang = s->d.ang;
  x->axis = tws_scale(x->axis, 1.0 / both->length);
  x->reach = 0.28867513459481287 * both->length; /* 1/sqrt(12) */
  if (x->of[0]->straight) {
    x->axis.lin.y = x->axis.lin.z = pair_both(0);
    find_straight(x);
  } else {
    find_flexibility(x);
  }
  x->sigma = solve(x, beam_strains(both, s));
  if (first || second)
    x->sigma = tws_of(first ? tw_load(first) : tws_lane(x->sigma, 0),
                      second ? tw_load(second) : tws_lane(x->sigma, 1));
}

twists beam_generalised(const beam_flexed *x) {
  const v3s turned = v3s_cross(x->sigma.ang, x->change.ang);
  return (twists){x->sigma.lin, v3s_axpy(x->reach, turned, x->sigma.ang)};
}

twists beam_damping(const beam_pair *both, const relatives *s) {
  const beam_element_data *const *e = both->e;
  const double first = both->in[0]->stress ? 0 : e[0]->section->lag;
  const double second = both->in[1]->stress ? 0 : e[1]->section->lag;
  const pair lag = {first, second};
  if (first == 0 && second == 0) return tws_zero();
  const twists rate = tws_scale(s->rate, lag / both->length);
  twists out, *const to[] = {&out};
  const twists *const from[] = {&rate};
  beam_multiply(to, &e[0]->flexibility->damping, &e[1]->flexibility->damping, from, 1,
                e[0]->flexibility->even);
  return out;
}

twists beam_flexed_strains(const beam_flexed *x) {
  const twists slope = find_slope(x);
  return tws_add(times_mean(x, x->sigma), times_change(x, slope));
}

/* ---- tangent -------------------------------------------------------------------------------- */

/* X h for h without translation. */
static twists turn_strain(const beam_flexed *x, v3s h) {
  const twists turned = {v3s_zero(), v3s_cross(x->sigma.ang, h)};
  const twists by_change = {v3s_zero(), v3s_cross(x->change.ang, h)};
  const twists far = carry(x, times_mean(x, turned).ang);
  const twists near = tws_sub(times_change(x, turned), by_change);
  return tws_scale(tws_axpy(x->reach, far, near), x->reach);
}

twists beam_flexed_foresee(const beam_flexed *x, const beam_pair *both, const relatives *s) {
  const twists along = tws_sub(s->rate, turn_strain(x, s->rate.ang));
  return solve(x, tws_axpy(1.0 / both->length, along, beam_strains(both, s)));
}

static twist unit_twist(int i) {
  return (twist){{i == 0, i == 1, i == 2}, {i == 3, i == 4, i == 5}};
}

m6 beam_flexed_tangent(const beam_flexed *x, const beam_element_data *e) {
  twist b[6], y[6], u[6], Fu[6];
  for (int j = 0; j < 6; j += 2) {
    const twists basis = tws_of(unit_twist(j), unit_twist(j + 1));
    const twists column = tws_sub(basis, turn_strain(x, basis.ang));
    const twists turned = {v3s_zero(), v3s_cross(x->sigma.ang, basis.ang)};
    const twists solved = solve(x, column), strain = times_mean(x, turned);
    for (int lane = 0; lane < 2; ++lane) {
      b[j + lane] = tws_lane(column, lane);
      y[j + lane] = tws_lane(solved, lane);
      u[j + lane] = tws_lane(turned, lane);
      Fu[j + lane] = tws_lane(strain, lane);
    }
  }
  const double k = x->reach[0] * x->reach[0];
  m6 Z;
  for (int i = 0; i < 6; ++i)
    for (int j = i; j < 6; ++j)
      Z.m[i][j] = Z.m[j][i] = (tw_dot(b[i], y[j]) - k * tw_dot(u[i], Fu[j])) / e->length;
  return Z;
}
