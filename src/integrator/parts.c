/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "parts.h"

#include <math.h>

/* Shortest vector that is shared.  Handing out work and waiting for it takes 1 us (measured); a
 * component of a pass over some vectors takes about 0.5 ns, of which two threads save half. */
enum { LEAST_SHARED = 4096 };

int parts_of(int n) {
  return n < LEAST_SHARED ? 1 : PARTS;
}

typedef struct search {
  const double *x;
  const unsigned char *flag;
  unsigned char wanted;
  int n, parts;
  double most[PARTS];
} search;

static void search_part(void *data, int i) {
  search *s = data;
  const int from = parts_begin(s->n, i, s->parts);
  s->most[i] = vec_largest(s->x + from, parts_begin(s->n, i + 1, s->parts) - from);
}

static void search_flagged(void *data, int i) {
  search *s = data;
  const int to = parts_begin(s->n, i + 1, s->parts);
  double most = 0;
  for (int k = parts_begin(s->n, i, s->parts); k < to; ++k) {
    const double size = s->flag[k] == s->wanted ? fabs(s->x[k]) : 0;
    most = size > most ? size : most;
  }
  s->most[i] = most;
}

/* vec_largest of a vector that may be long. */
static double largest_of_all(const torsor_problem *problem, const double *x, int n) {
  search s = {.x = x, .n = n, .parts = parts_of(n)};
  parts_run(problem, s.parts, search_part, &s);
  return vec_largest(s.most, s.parts);
}

double parts_largest_of(const torsor_problem *problem, const double *x, const unsigned char *flag,
                        unsigned char wanted, int n) {
  if (!flag) return wanted ? 0 : largest_of_all(problem, x, n);
  search s = {.x = x, .flag = flag, .wanted = wanted, .n = n, .parts = parts_of(n)};
  parts_run(problem, s.parts, search_flagged, &s);
  return vec_largest(s.most, s.parts);
}
