/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TORSOR_ELEMENTS_LINE_KIT_H
#define TORSOR_ELEMENTS_LINE_KIT_H

/** Forces along the line between two markers. */

#include <torsor/force.h>

/** Line from marker a to marker b: length L = |p| (m), its rate n.V (m/s), unit vector n in the
 *  axes of b. */
typedef struct force_line {
  double length, rate;
  v3 n;
} force_line;

/** False where the markers meet: the line has no direction there. */
static inline bool line_find(force_line *line, const torsor_relative_in *in) {
  line->length = v3_norm(in->p);
  if (!(line->length > 0)) return false;
  line->n = m3_tmulv(in->R, v3_scale(in->p, 1 / line->length));
  line->rate = v3_dot(line->n, in->V.lin);
  return true;
}

/** Law of the tension F(L, L') (N, positive when it pulls the markers together): force -F n on b.
 *  With c = L n, D c[u, theta] = u + c~ theta, D n = P/L D c and P = I - n n^T. */
static inline void line_law(torsor_law_out *out, const force_line *line,
                            const torsor_relative_in *in, double F, double dF_dL, double dF_drate) {
  const v3 n = line->n;
  out->w.lin = v3_scale(n, -F);
  if (!out->tangent) return;
  const double pull = F / line->length;
  const v3 across = v3_scale(v3_axpy(-line->rate, n, in->V.lin), dF_drate / line->length);
  const v3 slope = v3_axpy(dF_dL - pull, n, across);
  const m3 K = m3_axpy(pull, m3_identity(), m3_outer(n, slope));
  torsor_relative_add(out->H, 0, 0, m3_scale(K, -1));
  torsor_relative_add(out->H, 0, 3, m3_mul(K, m3_skew(v3_scale(n, -line->length))));
  torsor_relative_add(out->V, 0, 0, m3_scale(m3_outer(n, n), -dF_drate));
}

#endif
