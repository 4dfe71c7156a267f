/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_LIE_COEFFICIENTS_H
#define TORSOR_LIE_COEFFICIENTS_H

/** Scalar functions of the rotation angle t, all even, so they take x = t^2 >= 0.
 *
 *  Power series below a switch-over, closed forms above it.  The switch-overs are where the
 * measured errors cross (tests/liegroup/lie_coefficients.c holds every function to a few ulp of
 * 60-digit values; tests/liegroup/gen_lie_table.py --series prints the series).  Each series has a
 * short form for x < 1, the usual case of an increment or a relative rotation, which needs no
 * square root and no sine. x that is not finite gives NaN. */

#include <math.h>
#include <stdbool.h>

/** c[0] + c[1] y + ... + c[n-1] y^(n-1). */
static inline double lie_horner(const double *c, int n, double y) {
  double p = c[n - 1];
  for (int j = n - 2; j >= 0; j--) p = c[j] + y * p;
  return p;
}

/* Series in -x; the short forms are their beginnings. */
static const double lie_half_cosine[9] = {
    1.0,
    1.2500000000000000e-1,
    2.6041666666666667e-3,
    2.1701388888888889e-5,
    9.6881200396825397e-8,
    2.6911444554673721e-10,
    5.0968644989912351e-13,
    7.0011874986143339e-16,
    7.2929036443899312e-19,
};
static const double lie_half_sine[8] = {
    0.5,
    2.0833333333333333e-2,
    2.6041666666666667e-4,
    1.5500992063492063e-6,
    5.3822889109347443e-9,
    1.2232474797578964e-11,
    1.9603324996120135e-14,
    2.3337291662047780e-17,
};

/** Half-angle pair of the quaternion exponential. */
typedef struct lie_half {
  double c; /* cos(t/2) */
  double h; /* sin(t/2)/t */
} lie_half;

static inline lie_half lie_half_at(double x) {
  if (x < 1)
    return (lie_half){lie_horner(lie_half_cosine, 9, -x), lie_horner(lie_half_sine, 8, -x)};
  double t = sqrt(x);
  return (lie_half){cos(0.5 * t), sin(0.5 * t) / t};
}

/** Values that the exponential of SO(3) and its tangent T share. */
typedef struct lie_trig {
  double s1; /* sin t / t */
  double s2; /* (1 - cos t)/t^2 */
  double s3; /* (t - sin t)/t^3 */
} lie_trig;

static const double lie_trig_s3[12] = {
    1.6666666666666667e-1,  8.3333333333333333e-3,  1.9841269841269841e-4,  2.7557319223985891e-6,
    2.5052108385441719e-8,  1.6059043836821615e-10, 7.6471637318198165e-13, 2.8114572543455208e-15,
    8.2206352466243297e-18, 1.9572941063391261e-20, 3.8681701706306840e-23, 6.4469502843844734e-26,
};

/** From lie_half_at(x), so that nobody evaluates a sine twice. */
static inline lie_trig lie_trig_from(double x, lie_half half) {
  double s1 = 2 * half.c * half.h;
  double s3 = x < 4 ? lie_horner(lie_trig_s3, x < 1 ? 9 : 12, -x) : (1 - s1) / x;
  return (lie_trig){s1, 2 * half.h * half.h, s3};
}

static inline lie_trig lie_trig_at(double x) {
  return lie_trig_from(x, lie_half_at(x));
}

/** Coefficients of a matrix function of W = skew(w), x = |w|^2:  I + a W + b W^2,
 *  and their derivatives  a1 = 2 da/dx, a2 = 2 da1/dx, a3 = 2 da2/dx  (so that da = a1 w.dw),
 * likewise b1, b2, b3. */
typedef struct lie_map {
  double a, b, a1, b1, a2, b2, a3, b3;
} lie_map;

/** exp(W): a = sin t/t, b = (1 - cos t)/t^2.  No derivatives. */
static inline lie_map lie_map_exp(double x) {
  lie_trig s = lie_trig_at(x);
  return (lie_map){.a = s.s1, .b = s.s2};
}

static const double lie_tan_a1[17] = {
    8.3333333333333333e-2,  5.5555555555555556e-3,  1.4880952380952381e-4,  2.2045855379188713e-6,
    2.0876756987868099e-8,  1.3764894717275670e-10, 6.6912682653423394e-13, 2.4990731149737962e-15,
    7.3985717219618967e-18, 1.7793582784901147e-20, 3.5458226564114604e-23, 5.9510310317395139e-26,
    8.5277120163815786e-29, 1.0555965360684536e-31, 1.1401172264564231e-34, 1.0838904113667718e-37,
    9.1399489053745637e-41,
};
static const double lie_tan_b1[17] = {
    -1.6666666666666667e-2,  -7.9365079365079365e-4,  -1.6534391534391534e-5,
    -2.0041686708353375e-7,  -1.6059043836821615e-9,  -9.1765964781837798e-12,
    -3.9360401560837291e-14, -1.3153016394598928e-16, -3.5231293914104270e-19,
    -7.7363403412613681e-22, -1.4183290625645841e-24, -2.2040855673109311e-27,
    -2.9405903504764064e-30, -3.4051501163498503e-33, -3.4549006862315851e-36,
    -3.0968297467622051e-39, -2.4702564609120442e-42,
};
static const double lie_tan_a2[17] = {
    -1.1111111111111111e-2,  -5.9523809523809524e-4,  -1.3227513227513228e-5,
    -1.6701405590294479e-7,  -1.3764894717275670e-9,  -8.0295219184108073e-12,
    -3.4987023609633147e-14, -1.1837714755139035e-16, -3.2028449012822064e-19,
    -7.0916453128229207e-22, -1.3092268269826931e-24, -2.0466508839315789e-27,
    -2.7445509937779793e-30, -3.1923282340779846e-33, -3.2516712341003154e-36,
    -2.9247836497198604e-39, -2.3402429629693051e-42,
};
static const double lie_tan_b2[17] = {
    1.5873015873015873e-3,  6.6137566137566138e-5,  1.2025012025012025e-6,  1.2847235069457292e-8,
    9.1765964781837798e-11, 4.7232481873004749e-13, 1.8414222952438499e-15, 5.6370070262566832e-18,
    1.3925412614270463e-20, 2.8366581251291683e-23, 4.8489882480840484e-26, 7.0574168411433754e-29,
    8.8533903025096107e-32, 9.6737219214484382e-35, 9.2904892402866154e-38, 7.9048206749185416e-41,
    6.0006229819725771e-44,
};
static const double lie_tan_a3[17] = {
    1.1904761904761906e-3,  5.2910052910052912e-5,  1.0020843354176687e-6,  1.1011915773820535e-8,
    8.0295219184108067e-11, 4.1984428331559778e-13, 1.6572800657194648e-15, 5.1245518420515301e-18,
    1.2764961563081257e-20, 2.6184536539653863e-23, 4.5026319446494734e-26, 6.5869223850671500e-29,
    8.3000534086027598e-32, 9.1046794554808827e-35, 8.7743509491595817e-38, 7.4887774815017759e-41,
    5.7005918328739483e-44,
};
static const double lie_tan_b3[17] = {
    -1.3227513227513228e-4,  -4.8100048100048103e-6,  -7.7083410416743751e-8,
    -7.3412771825470237e-10, -4.7232481873004748e-12, -2.2097067542926197e-14,
    -7.8918098367593568e-17, -2.2280660182832739e-19, -5.1059846252325032e-22,
    -9.6979764961680965e-25, -1.5526317050515426e-27, -2.1248136726023066e-30,
    -2.5151676995765939e-33, -2.6013369872802523e-36, -2.3714462024755626e-39,
    -1.9201993542312247e-42, -1.3903882519204752e-45,
};

/* Derivatives of the tangent of exp, x < 20: power series. */
static inline lie_map lie_map_tan_series(lie_map m, double x) {
  const int n = x < 1 ? 9 : 17;
  m.a1 = lie_horner(lie_tan_a1, n, -x);
  m.b1 = lie_horner(lie_tan_b1, n, -x);
  m.a2 = lie_horner(lie_tan_a2, n, -x);
  m.b2 = lie_horner(lie_tan_b2, n, -x);
  m.a3 = lie_horner(lie_tan_a3, n, -x);
  m.b3 = lie_horner(lie_tan_b3, n, -x);
  return m;
}

/** Tangent of exp, T(w): a = -(1 - cos t)/t^2, b = (t - sin t)/t^3. */
static inline lie_map lie_map_tan(double x) {
  const lie_trig s = lie_trig_at(x);
  lie_map m = {.a = -s.s2, .b = s.s3};
  if (x < 20) return lie_map_tan_series(m, x);
  m.a1 = (2 * s.s2 - s.s1) / x;
  m.b1 = (s.s2 - 3 * s.s3) / x;
  m.a2 = (s.s2 - s.s3 - 4 * m.a1) / x;
  m.b2 = (-m.a1 - 5 * m.b1) / x;
  m.a3 = (-m.a1 - m.b1 - 6 * m.a2) / x;
  m.b3 = (-m.a2 - 7 * m.b2) / x;
  return m;
}

/** Largest x for T^-1, which is singular at t = 2 pi: there b = 2/(4 pi^2 - x) + ..., and the
 *  rounding of x = |w|^2 (relative error 2 eps) is magnified by 4 pi^2/(4 pi^2 - x).  Up to this
 *  limit, 4 pi^2 (1 - 2^-24), b keeps half of its digits: 2 eps 2^24 = 7.5e-9. */
#define LIE_TANINV_LIMIT (39.47841760435743 * (1 - 0x1p-24))

/** False (also for NaN) where T^-1 is useless: t >= 2 pi (1 - 2^-25).  Beyond 2 pi the vector is
 *  outside the chart of the logarithm, whatever its T. */
static inline bool lie_taninv_defined(double x) {
  return x <= LIE_TANINV_LIMIT;
}

/* Series in x of the rest of b, see lie_map_taninv. */
static const double lie_taninv_b[16] = {
    2.0007593556872226e-2,  2.5438120688625622e-5,  5.5845683904944151e-8,  1.4088241574761047e-10,
    3.7567162002157978e-13, 1.0280125375360461e-15, 2.8500221292137912e-18, 7.9555754107198450e-21,
    2.2289326645537012e-23, 6.2574711508057722e-26, 1.7586730492909680e-28, 4.9458469500579387e-31,
    1.3913826789080880e-33, 3.9150442526453142e-36, 1.1017268914671419e-38, 3.1005426917707375e-41,
};
static const double lie_taninv_b1[16] = {
    5.0876241377251243e-5,  2.2338273561977661e-7,  8.4529449448566281e-10, 3.0053729601726382e-12,
    1.0280125375360461e-14, 3.4200265550565495e-17, 1.1137805575007783e-19, 3.5662922632859219e-22,
    1.1263448071450390e-24, 3.5173460985819360e-27, 1.0880863290127465e-29, 3.3393184293794112e-32,
    1.0179115056877817e-34, 3.0848352961079973e-37, 9.3016280753122124e-40, 2.7923274179874446e-42,
};
static const double lie_taninv_b2[16] = {
    4.4676547123955321e-7,  3.3811779779426512e-9,  1.8032237761035829e-11, 8.2241003002883689e-14,
    3.4200265550565495e-16, 1.3365366690009340e-18, 4.9928091686002906e-21, 1.8021516914320624e-23,
    6.3312229774474848e-26, 2.1761726580254930e-28, 7.3465005446347046e-31, 2.4429876136506761e-33,
    8.0205717698807929e-36, 2.6044558610874195e-38, 8.3769822539623337e-41, 2.6719742470032033e-43,
};
static const double lie_taninv_b3[16] = {
    6.7623559558853021e-9,  7.2128951044143317e-11, 4.9344601801730216e-13, 2.7360212440452397e-15,
    1.3365366690009339e-17, 5.9913710023203484e-20, 2.5230123680048875e-22, 1.0129956763915975e-24,
    3.9171107844458873e-27, 1.4693001089269410e-29, 5.3745727500314871e-32, 1.9249372247713903e-34,
    6.7715852388272910e-37, 2.3455550311094534e-39, 8.0159227410096104e-42, 2.7072382712191184e-44,
};

/** Inverse tangent, T^-1(w): a = 1/2, b = (1 - (t/2) cot(t/2))/t^2; NaN unless
 *  lie_taninv_defined(x).
 *  b = sum over n >= 1 of 2/((2 pi n)^2 - x): the first two terms as they stand, the rest as a
 * power series of radius (6 pi)^2.  All terms are positive, hence no cancellation. */
static inline lie_map lie_map_taninv(double x) {
  if (!lie_taninv_defined(x)) {
    double undefined = (double)NAN;
    return (lie_map){
        .a = undefined, .b = undefined, .b1 = undefined, .b2 = undefined, .b3 = undefined};
  }
  int n = x < 1 ? 8 : 16;
  double d1 = 1 / (39.47841760435743 - x);  /* 1/(4 pi^2 - x) */
  double d2 = 1 / (157.91367041742973 - x); /* 1/(16 pi^2 - x) */
  return (lie_map){
      .a = 0.5,
      .b = lie_horner(lie_taninv_b, n, x) + 2 * (d1 + d2),
      .b1 = lie_horner(lie_taninv_b1, n, x) + 4 * (d1 * d1 + d2 * d2),
      .b2 = lie_horner(lie_taninv_b2, n, x) + 16 * (d1 * d1 * d1 + d2 * d2 * d2),
      .b3 = lie_horner(lie_taninv_b3, n, x) + 96 * (d1 * d1 * d1 * d1 + d2 * d2 * d2 * d2),
  };
}

/** The map of the transposed matrix, also that of -w: odd part with the other sign. */
static inline lie_map lie_map_transpose(lie_map m) {
  m.a = -m.a;
  m.a1 = -m.a1;
  m.a2 = -m.a2;
  m.a3 = -m.a3;
  return m;
}

/** The map of F(s w) as one of w, for F(w) the map m. */
static inline lie_map lie_map_scale(lie_map m, double s) {
  const double s2 = s * s, s3 = s * s2, s4 = s2 * s2, s5 = s3 * s2, s6 = s3 * s3;
  return (lie_map){.a = s * m.a,
                   .b = s2 * m.b,
                   .a1 = s3 * m.a1,
                   .b1 = s4 * m.b1,
                   .a2 = s5 * m.a2,
                   .b2 = s6 * m.b2,
                   .a3 = s * s6 * m.a3,
                   .b3 = s2 * s6 * m.b3};
}

/* Third derivatives of a product of functions from their derivatives. */
static inline void lie_product(double out[4], const double f[4], const double g[4]) {
  out[0] = f[0] * g[0];
  out[1] = f[1] * g[0] + f[0] * g[1];
  out[2] = f[2] * g[0] + 2 * f[1] * g[1] + f[0] * g[2];
  out[3] = f[3] * g[0] + 3 * (f[2] * g[1] + f[1] * g[2]) + f[0] * g[3];
}

/** The map of the product of two maps at x, which commute: W^3 = -x W, and 2 dx/dx = 2. */
static inline lie_map lie_map_product(lie_map p, lie_map q, double x) {
  const double pa[4] = {p.a, p.a1, p.a2, p.a3}, pb[4] = {p.b, p.b1, p.b2, p.b3};
  const double qa[4] = {q.a, q.a1, q.a2, q.a3}, qb[4] = {q.b, q.b1, q.b2, q.b3};
  double aa[4], ab[4], ba[4], bb[4], a[4], b[4];
  lie_product(aa, pa, qa);
  lie_product(ab, pa, qb);
  lie_product(ba, pb, qa);
  lie_product(bb, pb, qb);
  for (int k = 0; k < 4; k++) {
    const double c = ab[k] + ba[k], c1 = k ? ab[k - 1] + ba[k - 1] : 0;
    a[k] = pa[k] + qa[k] - x * c - 2 * k * c1;
    b[k] = pb[k] + qb[k] + aa[k] - x * bb[k] - 2 * k * (k ? bb[k - 1] : 0);
  }
  return (lie_map){a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3]};
}

#endif
