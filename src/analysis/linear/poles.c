/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/linear/linear_private.h"

#include <math.h>
#include <stdlib.h>

typedef struct pole {
  double re, im;
} pole;

static int compare_poles(const void *a, const void *b) {
  const pole *p = a, *q = b;
  const double first = hypot(p->re, p->im), second = hypot(q->re, q->im);
  if (fabs(first - second) > 1e-9 * (first + second)) return first < second ? -1 : 1;
  if (p->re < q->re || p->re > q->re) return p->re < q->re ? -1 : 1;
  return p->im < q->im ? -1 : p->im > q->im;
}

void poles_sort(double *re, double *im, int n, arena *scratch) {
  pole *list = arena_take(scratch, (size_t)n, sizeof *list);
  for (int i = 0; i < n && list; ++i) list[i] = (pole){re[i], im[i]};
  if (list) qsort(list, (size_t)n, sizeof *list, compare_poles);
  for (int i = 0; i < n && list; ++i) {
    re[i] = list[i].re;
    im[i] = list[i].im;
  }
}
