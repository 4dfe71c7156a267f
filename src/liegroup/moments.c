/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "liegroup/moments.h"

#include <math.h>

/* Moments written with six digits are off by 5e-6 relative at most; three of them meet in the
 * triangle inequality, which a flat body meets with equality. */
#define WRITTEN_MOMENT 1e-5

double m3_largest(m3 J) {
  double largest = 0;
  for (int i = 0; i < 9; ++i) largest = fmax(largest, fabs(J.m[i / 3][i % 3]));
  return largest;
}

/* Source: Smith 1961, Commun. ACM 4, 168. */
v3 moments_principal(m3 J) {
  const double scale = m3_largest(J);
  if (scale == 0) return v3_zero();
  const m3 A = m3_scale(J, 1 / scale);
  const double q = m3_trace(A) / 3;
  m3 B = m3_axpy(-q, m3_identity(), A);
  double p = 0;
  for (int i = 0; i < 9; ++i) p += B.m[i / 3][i % 3] * B.m[i / 3][i % 3] / 6;
  p = sqrt(p);
  if (p == 0) return (v3){scale * q, scale * q, scale * q};
  B = m3_scale(B, 1 / p);
  const double third = acos(fmax(-1, fmin(1, m3_det(B) / 2))) / 3;
  const double first = q + 2 * p * cos(third);
  const double last = q + 2 * p * cos(third + 2.0943951023931957);
  return (v3){scale * first, scale * (3 * q - first - last), scale * last};
}

bool moments_of_body(v3 moment) {
  return moment.x <= (moment.y + moment.z) * (1 + WRITTEN_MOMENT);
}
