/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_LIEGROUP_LANES_H
#define TORSOR_LIEGROUP_LANES_H

/** Functions of torsor/lie for two values at a time, one in each lane: an s makes the plural of a
 *  type, v3s are two v3.  Every lane gets the operations of the function for one value in their
 *  order, so the same bits. */

#include <torsor/lie.h>

#include "base/pair.h"

typedef struct v3s {
  pair x, y, z;
} v3s;

typedef struct m3s {
  pair m[3][3];
} m3s;

typedef struct twists {
  v3s lin, ang;
} twists;

/** Two lie_map without the third derivatives, which residuals have no use for. */
typedef struct lie_maps {
  pair a, b, a1, b1, a2, b2;
} lie_maps;

/* ---- in and out of lanes -------------------------------------------------------------------- */

static inline v3s v3s_of(v3 a, v3 b) {
  return (v3s){{a.x, b.x}, {a.y, b.y}, {a.z, b.z}};
}

static inline v3 v3s_lane(v3s a, int lane) {
  return (v3){a.x[lane], a.y[lane], a.z[lane]};
}

static inline m3s m3s_of(m3 A, m3 B) {
  m3s C;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) C.m[i][j] = (pair){A.m[i][j], B.m[i][j]};
  return C;
}

static inline m3 m3s_lane(m3s A, int lane) {
  m3 B;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) B.m[i][j] = A.m[i][j][lane];
  return B;
}

static inline twists tws_of(twist a, twist b) {
  return (twists){v3s_of(a.lin, b.lin), v3s_of(a.ang, b.ang)};
}

static inline twist tws_lane(twists a, int lane) {
  return (twist){v3s_lane(a.lin, lane), v3s_lane(a.ang, lane)};
}

static inline lie_maps lie_maps_of(lie_map p, lie_map q) {
  return (lie_maps){{p.a, q.a}, {p.b, q.b}, {p.a1, q.a1}, {p.b1, q.b1}, {p.a2, q.a2}, {p.b2, q.b2}};
}

/* ---- vectors, matrices, twists -------------------------------------------------------------- */

static inline v3s v3s_zero(void) {
  return (v3s){{0, 0}, {0, 0}, {0, 0}};
}

static inline v3s v3s_add(v3s a, v3s b) {
  return (v3s){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline v3s v3s_sub(v3s a, v3s b) {
  return (v3s){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline v3s v3s_scale(v3s a, pair s) {
  return (v3s){s * a.x, s * a.y, s * a.z};
}

/** s a + b. */
static inline v3s v3s_axpy(pair s, v3s a, v3s b) {
  return (v3s){s * a.x + b.x, s * a.y + b.y, s * a.z + b.z};
}

static inline pair v3s_dot(v3s a, v3s b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline pair v3s_norm2(v3s a) {
  return v3s_dot(a, a);
}

static inline v3s v3s_cross(v3s a, v3s b) {
  return (v3s){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline v3s m3s_row(const m3s *A, int i) {
  return (v3s){A->m[i][0], A->m[i][1], A->m[i][2]};
}

static inline v3s m3s_column(const m3s *A, int j) {
  return (v3s){A->m[0][j], A->m[1][j], A->m[2][j]};
}

/** A^T a. */
static inline v3s m3s_tmulv(const m3s *A, v3s a) {
  return v3s_axpy(a.x, m3s_row(A, 0), v3s_axpy(a.y, m3s_row(A, 1), v3s_scale(m3s_row(A, 2), a.z)));
}

/** A^T B. */
static inline m3s m3s_tmul(const m3s *A, const m3s *B) {
  m3s C;
  for (int i = 0; i < 3; ++i) {
    const v3s row = m3s_tmulv(B, m3s_column(A, i));
    C.m[i][0] = row.x;
    C.m[i][1] = row.y;
    C.m[i][2] = row.z;
  }
  return C;
}

static inline twists tws_zero(void) {
  return (twists){v3s_zero(), v3s_zero()};
}

static inline twists tws_add(twists a, twists b) {
  return (twists){v3s_add(a.lin, b.lin), v3s_add(a.ang, b.ang)};
}

static inline twists tws_sub(twists a, twists b) {
  return (twists){v3s_sub(a.lin, b.lin), v3s_sub(a.ang, b.ang)};
}

static inline twists tws_scale(twists a, pair s) {
  return (twists){v3s_scale(a.lin, s), v3s_scale(a.ang, s)};
}

/** s a + b. */
static inline twists tws_axpy(pair s, twists a, twists b) {
  return (twists){v3s_axpy(s, a.lin, b.lin), v3s_axpy(s, a.ang, b.ang)};
}

/** ad(h) k. */
static inline twists se3s_ad_apply(twists h, twists k) {
  return (twists){v3s_add(v3s_cross(h.ang, k.lin), v3s_cross(h.lin, k.ang)),
                  v3s_cross(h.ang, k.ang)};
}

/** ad(h)^T l for wrenches l. */
static inline twists se3s_adT_apply(twists h, twists l) {
  return (twists){v3s_cross(l.lin, h.ang),
                  v3s_add(v3s_cross(l.lin, h.lin), v3s_cross(l.ang, h.ang))};
}

/* ---- functions of rotations ----------------------------------------------------------------- */

static inline pair pair_horner(const double *c, int n, pair y) {
  pair p = pair_both(c[n - 1]);
  for (int j = n - 2; j >= 0; j--) p = pair_both(c[j]) + y * p;
  return p;
}

/** Both x < 1, where all functions are short series? */
static inline bool lanes_near(pair x) {
  return x[0] < 1 && x[1] < 1;
}

static inline lie_maps lie_maps_exp(pair x) {
  if (!lanes_near(x)) return lie_maps_of(lie_map_exp(x[0]), lie_map_exp(x[1]));
  const pair c = pair_horner(lie_half_cosine, 9, -x), h = pair_horner(lie_half_sine, 8, -x);
  return (lie_maps){.a = 2.0 * c * h, .b = 2.0 * h * h};
}

static inline lie_maps lie_maps_tan(pair x) {
  if (!lanes_near(x)) return lie_maps_of(lie_map_tan(x[0]), lie_map_tan(x[1]));
  const pair h = pair_horner(lie_half_sine, 8, -x);
  return (lie_maps){.a = -(2.0 * h * h),
                    .b = pair_horner(lie_trig_s3, 9, -x),
                    .a1 = pair_horner(lie_tan_a1, 9, -x),
                    .b1 = pair_horner(lie_tan_b1, 9, -x),
                    .a2 = pair_horner(lie_tan_a2, 9, -x),
                    .b2 = pair_horner(lie_tan_b2, 9, -x)};
}

static inline lie_maps lie_maps_taninv(pair x) {
  if (!lanes_near(x)) return lie_maps_of(lie_map_taninv(x[0]), lie_map_taninv(x[1]));
  const pair d1 = 1.0 / (39.47841760435743 - x), d2 = 1.0 / (157.91367041742973 - x);
  return (lie_maps){.a = pair_both(0.5),
                    .b = pair_horner(lie_taninv_b, 8, x) + 2.0 * (d1 + d2),
                    .b1 = pair_horner(lie_taninv_b1, 8, x) + 4.0 * (d1 * d1 + d2 * d2),
                    .b2 = pair_horner(lie_taninv_b2, 8, x) + 16.0 * (d1 * d1 * d1 + d2 * d2 * d2)};
}

static inline lie_maps lie_maps_transpose(lie_maps m) {
  m.a = -m.a;
  m.a1 = -m.a1;
  m.a2 = -m.a2;
  return m;
}

/** The maps of F(s w) as those of w. */
static inline lie_maps lie_maps_scale(lie_maps m, double s) {
  const double s2 = s * s, s3 = s * s2, s4 = s2 * s2, s5 = s3 * s2, s6 = s3 * s3;
  return (lie_maps){s * m.a, s2 * m.b, s3 * m.a1, s4 * m.b1, s5 * m.a2, s6 * m.b2};
}

static inline void lanes_product(pair out[3], const pair f[3], const pair g[3]) {
  out[0] = f[0] * g[0];
  out[1] = f[1] * g[0] + f[0] * g[1];
  out[2] = f[2] * g[0] + 2.0 * f[1] * g[1] + f[0] * g[2];
}

/** The maps of products of maps at x. */
static inline lie_maps lie_maps_product(lie_maps p, lie_maps q, pair x) {
  const pair pa[3] = {p.a, p.a1, p.a2}, pb[3] = {p.b, p.b1, p.b2};
  const pair qa[3] = {q.a, q.a1, q.a2}, qb[3] = {q.b, q.b1, q.b2};
  pair aa[3], ab[3], ba[3], bb[3];
  lanes_product(aa, pa, qa);
  lanes_product(ab, pa, qb);
  lanes_product(ba, pb, qa);
  lanes_product(bb, pb, qb);
  return (lie_maps){
      .a = pa[0] + qa[0] - x * (ab[0] + ba[0]),
      .b = pb[0] + qb[0] + aa[0] - x * bb[0],
      .a1 = pa[1] + qa[1] - x * (ab[1] + ba[1]) - 2.0 * (ab[0] + ba[0]),
      .b1 = pb[1] + qb[1] + aa[1] - x * bb[1] - 2.0 * bb[0],
      .a2 = pa[2] + qa[2] - x * (ab[2] + ba[2]) - 4.0 * (ab[1] + ba[1]),
      .b2 = pb[2] + qb[2] + aa[2] - x * bb[2] - 4.0 * bb[1],
  };
}

/** (I + a W + b W^2) c. */
static inline v3s so3s_map_apply(v3s w, lie_maps m, v3s c) {
  const v3s wc = v3s_cross(w, c);
  return v3s_axpy(m.a, wc, v3s_axpy(m.b, v3s_cross(w, wc), c));
}

static inline pair pair_abs(pair x) {
  return (pair){fabs(x[0]), fabs(x[1])};
}

static inline pair pair_sqrt(pair x) {
  return (pair){sqrt(x[0]), sqrt(x[1])};
}

static inline pair pair_max(pair a, pair b) {
  return (pair){a[0] > b[0] ? a[0] : b[0], a[1] > b[1] ? a[1] : b[1]};
}

/* Two quaternions. */
typedef struct so3s {
  pair w;
  v3s v;
} so3s;

static inline so3s so3s_scale(so3s q, pair s) {
  return (so3s){s * q.w, v3s_scale(q.v, s)};
}

static inline pair so3s_norm2(so3s q) {
  return q.w * q.w + q.v.x * q.v.x + q.v.y * q.v.y + q.v.z * q.v.z;
}

/* so3_from_quaternion. */
static inline so3s so3s_unit(so3s q) {
  const pair largest = pair_max(pair_max(pair_abs(q.w), pair_abs(q.v.x)),
                                pair_max(pair_abs(q.v.y), pair_abs(q.v.z)));
  q = (so3s){q.w / largest, {q.v.x / largest, q.v.y / largest, q.v.z / largest}};
  q = so3s_scale(q, 1.0 / pair_sqrt(so3s_norm2(q)));
  return so3s_scale(q, 1.5 - 0.5 * so3s_norm2(q));
}

/* Angle over sine of half of it. */
static inline double lanes_stretch(double sine, double cosine) {
  return sine > 0 ? 2 * atan2(sine, cosine) / sine : 2 / cosine;
}

/** Logarithms of rotation matrices. */
static inline v3s so3s_log_matrix(const m3s *R) {
  const pair xx = R->m[0][0], yy = R->m[1][1], zz = R->m[2][2], trace = xx + yy + zz;
  const pair largest = pair_max(xx, pair_max(yy, zz));
  if (!(trace[0] >= largest[0] && trace[1] >= largest[1]))
    return v3s_of(so3_log_matrix(m3s_lane(*R, 0)), so3_log_matrix(m3s_lane(*R, 1)));
  const so3s q = so3s_unit((so3s){
      1.0 + trace, {R->m[2][1] - R->m[1][2], R->m[0][2] - R->m[2][0], R->m[1][0] - R->m[0][1]}});
  const pair sine = pair_sqrt(v3s_norm2(q.v));
  return v3s_scale(q.v, (pair){lanes_stretch(sine[0], q.w[0]), lanes_stretch(sine[1], q.w[1])});
}

#endif
