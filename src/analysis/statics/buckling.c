/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "analysis/statics/buckling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/eigen/arnoldi.h"
#include "analysis/statics/unstable.h"

/* Steps of central differences of the tangent along the path, relative to the load that is sought.
 * First differences of order 4: truncation h^4/30, round-off eps/h of the stiffness, which is up to
 * 1e7 times the bending stiffness of a slender column, and so 1e-6 of that.  Second differences:
 * truncation h^2/12, round-off eps/h^2. */
static const double DIFFERENCE = 0x1p-9, SECOND_DIFFERENCE = 0x1p-5;

/* Loads that differ by less than this factor share the step of differences. */
static const double SAME_STEP = 4, SAME_SECOND_STEP = 2;

/* Eigenvalues with an imaginary part below this fraction count as real: double real eigenvalues are
 * split by the square root of the differences' error, 1e-6. */
static const double REAL = 1e-3;

/* Loads that differ by less than this fraction, the error of the differences, are the same. */
static const double SAME = 4e-6;

/* Eigenvalues below this fraction of the largest come from round-off in the differences, eps/h. */
static const double SPURIOUS = 1e-6;

/* Largest c of 1 - s + c s^2, s = load/root, with a real root. */
static const double MOST_SQUARE = 0.25;

/* Fraction of the first load at which the stability of the path is checked. */
static const double SHORT_OF = 0.9375;

/* Largest number of eigenvalues that are computed; fewer roots than wanted are accepted then. */
enum { MOST_EIGENVALUES = 512 };

/* The tangent at a load, and the rotations of the nodes since path->now. */
typedef struct tangent_sample {
  double load;
  double *values; /* [nonzeros] */
  m3 *turn;       /* [nodes] */
} tangent_sample;

/* Positions of the samples, in spacings, and weights of central differences of order 4. */
enum { RATES = 4 };
static const double rate_place[RATES] = {-2, -1, 1, 2};
static const double rate_weight[RATES] = {1. / 12, -2. / 3, 2. / 3, -1. / 12};

typedef struct tangent_rate {
  load_path *path;
  tangent_sample now, near[RATES];
  double spacing;               /* spacing of the loads of `near` */
  tangent_sample after, before; /* samples for second differences */
  double second_step;           /* their distance; 0: none yet, or not found */
  double *moved, *product;      /* [nv + nl] */
} tangent_rate;

static torsor_status take_sample(tangent_sample *out, load_path *path, arena *memory) {
  int nonzeros;
  assembly_matrix(path->e.a, &nonzeros, NULL, NULL);
  out->values = arena_take(memory, (size_t)nonzeros, sizeof *out->values);
  out->turn = arena_take(memory, (size_t)path->e.model->node_count, sizeof *out->turn);
  return out->values && out->turn ? TORSOR_OK : TORSOR_MEMORY;
}

/* Stores the tangent, which was factored last, and the orientations of the nodes at a point. */
static void keep_sample(tangent_sample *out, const load_path *path, const static_point *p) {
  int count;
  const torsor_point at = {.q = p->q};
  const double *values = assembly_matrix(path->e.a, &count, NULL, NULL);
  memcpy(out->values, values, (size_t)count * sizeof *values);
  out->load = p->load;
  assembly_set_motion(path->e.a, &at);
  for (int i = 0; i < path->e.model->node_count; ++i)
    out->turn[i] = assembly_motion(path->e.a, i)->R;
}

/* Replaces the orientations by the rotations since those of `first`. */
static void count_turns(tangent_sample *out, const tangent_sample *first, int nodes) {
  for (int i = 0; i < nodes; ++i) out->turn[i] = m3_mul(out->turn[i], m3_transpose(first->turn[i]));
}

/* Finds the tangent at the point that is path->now moved along the path. */
static torsor_status sample_at(tangent_sample *out, const tangent_rate *s, double step) {
  load_path *path = s->path;
  const path_point *now = &path->now;
  path->next.p.load = now->p.load;
  equilibrium_move(&path->e, &path->next.p, &now->p, now->direction, now->load, step);
  torsor_status status = equilibrium_find(&path->e, &path->next.p, false);
  if (!status) status = equilibrium_factor(&path->e, &path->next.p, 0);
  if (status) return status;
  keep_sample(out, path, &path->next.p);
  count_turns(out, &s->now, path->e.model->node_count);
  return TORSOR_OK;
}

/* Rotates translations with inertial axes together with their nodes, or back. */
static void turn_with_nodes(double *x, const tangent_rate *s, const tangent_sample *at, bool back) {
  const torsor_model *model = s->path->e.model;
  for (int i = 0; i < model->node_count; ++i) {
    const model_node *node = &model->node[i];
    double *part = x + node->first_v;
    if (node->init.group != TORSOR_GROUP_R3SO3) continue;
    const v3 e = v3_load(part);
    v3_store(part, back ? m3_tmulv(at->turn[i], e) : m3_mulv(at->turn[i], e));
  }
}

/* y += factor A x, as seen from axes that rotate with the nodes, so that a rotation of the whole
 * changes nothing. */
static void add_product(double *y, double factor, const tangent_rate *s, const tangent_sample *at,
                        const double *x) {
  const torsor_problem *pr = s->path->e.problem;
  const int n = pr->nv + pr->nl;
  const int *Ap, *Ai;
  int count;
  assembly_matrix(s->path->e.a, &count, &Ap, &Ai);
  memcpy(s->moved, x, (size_t)n * sizeof *x);
  memset(s->product, 0, (size_t)n * sizeof *x);
  if (at != &s->now) turn_with_nodes(s->moved, s, at, false);
  for (int j = 0; j < n; ++j)
    for (int p = Ap[j]; p < Ap[j + 1]; ++p) s->product[Ai[p]] += at->values[p] * s->moved[j];
  if (at != &s->now) turn_with_nodes(s->product, s, at, true);
  for (int i = 0; i < n; ++i) y[i] += factor * s->product[i];
}

/* y = -A^-1 (dA/dload) x, an operator with the eigenvalues 1/f. */
static torsor_status apply(void *self, double *y, const double *x) {
  const tangent_rate *s = self;
  const torsor_problem *pr = s->path->e.problem;
  memset(y, 0, (size_t)(pr->nv + pr->nl) * sizeof *y);
  for (int k = 0; k < RATES; ++k) add_product(y, -rate_weight[k] / s->spacing, s, &s->near[k], x);
  return pr->solve(pr->self, y);
}

/* ---- second order in the load ---------------------------------------------------------------- */

/* Takes samples for second differences at a load, unless there are some that serve. */
static torsor_status take_second(tangent_rate *s, double load) {
  const double step = SECOND_DIFFERENCE * fabs(load) / fabs(s->path->now.load);
  if (s->second_step > step / SAME_SECOND_STEP && s->second_step < step * SAME_SECOND_STEP)
    return TORSOR_OK;
  s->second_step = 0;
  torsor_status status = sample_at(&s->before, s, -step);
  if (!status) status = sample_at(&s->after, s, step);
  if (!status) s->second_step = step;
  return status;
}

static double form(const tangent_rate *s, const tangent_sample *at, const double *x, double *work) {
  const torsor_problem *pr = s->path->e.problem;
  double sum = 0;
  memset(work, 0, (size_t)(pr->nv + pr->nl) * sizeof *work);
  add_product(work, 1, s, at, x);
  for (int i = 0; i < pr->nv + pr->nl; ++i) sum += x[i] * work[i];
  return sum;
}

/* Checks a root with the second order in the load: x^T A(load) x = (1 - s + c s^2) x^T A x with s =
 * load/root.  Does this have a root nearby, too?  Where a part rotates, the stiffness perpendicular
 * to it comes into play with the square of the rotation: to first order 1 - s seems to vanish, and
 * c is 1/2.  *kept remains as it is where the path does not reach that load. */
static torsor_status weigh_square(bool *kept, tangent_rate *s, double root, const double *x,
                                  double *work) {
  torsor_status status = take_second(s, root);
  const torsor_status back = equilibrium_factor(&s->path->e, &s->path->now.p, 0);
  if (status < 0 || back) return status < 0 ? status : back;
  if (status) return TORSOR_OK;
  const double at_now = form(s, &s->now, x, work);
  const double step = s->second_step * fabs(s->path->now.load);
  const double bend =
      form(s, &s->after, x, work) + form(s, &s->before, x, work) - 2 * at_now; /* f^2 A'' */
  const double square = bend / 2 * (root / step) * (root / step);
  *kept = at_now == 0 || !(square / at_now > MOST_SQUARE);
  return TORSOR_OK;
}

/* Collects 1/mu for the real eigenvalues mu, which are sorted with the largest first. */
static torsor_status collect(double *factor, int *count, int wanted, tangent_rate *s,
                             const arnoldi_spectrum *spectrum, double *work) {
  const double largest = spectrum->count ? hypot(spectrum->re[0], spectrum->im[0]) : 0;
  *count = 0;
  for (int i = 0; i < spectrum->count && *count < wanted; ++i) {
    const double mu = spectrum->re[i];
    const double *x = spectrum->vector + (size_t)i * (size_t)spectrum->n;
    if (!(fabs(mu) > SPURIOUS * largest) || fabs(spectrum->im[i]) > REAL * fabs(mu)) continue;
    bool kept = true;
    const torsor_status status = weigh_square(&kept, s, 1 / mu, x, work);
    if (status) return status;
    if (kept) factor[(*count)++] = 1 / mu;
  }
  return TORSOR_OK;
}

/* Orders loads that differ by symmetry in their sign alone: that of `until` comes first, whatever
 * the last bit. */
static void order_directions(double *factor, int count, double until) {
  for (int i = 0; i + 1 < count; ++i)
    if (fabs(factor[i] + factor[i + 1]) < SAME * fabs(factor[i]) && factor[i] * until < 0) {
      const double kept = factor[i];
      factor[i] = factor[i + 1];
      factor[i + 1] = kept;
    }
}

/* Finds roots, with steps of differences that suit a load of this size. */
static torsor_status find_roots(double *factor, int *count, int wanted, tangent_rate *s,
                                double load, double *work) {
  load_path *path = s->path;
  const int n = path->e.problem->nv + path->e.problem->nl;
  const double step = DIFFERENCE * fabs(load) / fabs(path->now.load);
  torsor_status status = TORSOR_OK;
  for (int k = 0; k < RATES && !status; ++k)
    status = sample_at(&s->near[k], s, rate_place[k] * step);
  s->spacing = step * path->now.load;
  if (!status) status = equilibrium_factor(&path->e, &path->now.p, 0);
  const arnoldi_operator op = {.n = n, .apply = apply, .self = s};
  /* Complex pairs, and roots that the second order excludes, do not count: more are computed than
   * wanted. */
  for (int asked = 2 * wanted + 4, found = 0; !status; asked *= 2) {
    arnoldi_spectrum spectrum = {0};
    status = arnoldi_largest(&spectrum, &op, asked);
    if (!status) status = collect(factor, count, wanted, s, &spectrum, work);
    const bool more = spectrum.count > found;
    found = spectrum.count;
    arnoldi_release(&spectrum);
    if (*count >= wanted || !more || found >= n || asked >= MOST_EIGENVALUES) break;
  }
  return status;
}

static torsor_status prepare(tangent_rate *s, arena *memory) {
  load_path *path = s->path;
  const size_t n = (size_t)(path->e.problem->nv + path->e.problem->nl);
  tangent_sample *const others[] = {&s->now, &s->after, &s->before};
  torsor_status status = TORSOR_OK;
  for (int i = 0; i < RATES && !status; ++i) status = take_sample(&s->near[i], path, memory);
  for (int i = 0; i < 3 && !status; ++i) status = take_sample(others[i], path, memory);
  s->moved = arena_take(memory, n, sizeof *s->moved);
  s->product = arena_take(memory, n, sizeof *s->product);
  if (!status && !(s->moved && s->product)) status = TORSOR_MEMORY;
  if (!status) status = equilibrium_factor(&path->e, &path->now.p, 0);
  if (!status) keep_sample(&s->now, path, &path->now.p);
  return status;
}

/* Checks the first buckling load and warns where it is doubtful: just below it the path should be
 * as stable as here.  Where it is not, stiffnesses have rotated so far that they do not change in
 * proportion to the load.  Where no equilibrium is found there, nothing is concluded. */
static torsor_status doubt(load_path *path, double first) {
  int unstable;
  const double part = SHORT_OF * first / path->now.load;
  equilibrium_move(&path->e, &path->next.p, &path->now.p, path->now.direction, path->now.load,
                   part);
  torsor_status status = equilibrium_find(&path->e, &path->next.p, false);
  if (!status) status = equilibrium_factor(&path->e, &path->next.p, 0);
  if (!status) status = unstable_count(&unstable, &path->e, path->now.unstable);
  if (!status && path->warn && path->now.unstable >= 0 && unstable > path->now.unstable) {
    char message[360];
    snprintf(message, sizeof message,
             "the buckling loads are not valid here, since the tangent does not change in "
             "proportion to the load: the equilibrium is already unstable at load %.6g, before the "
             "first of them; the critical points of the path show where it becomes unstable",
             path->next.p.load);
    path->warn(path->data, message);
  }
  return status < 0 ? status : TORSOR_OK;
}

torsor_status buckling_find(double *factor, int *count, int wanted, load_path *path,
                            arena *memory) {
  const double until = fabs(path->settings->until);
  tangent_rate s = {.path = path};
  *count = 0;
  if (!path->now.known) return TORSOR_SINGULAR;
  double *work =
      arena_take(memory, (size_t)(path->e.problem->nv + path->e.problem->nl), sizeof *work);
  torsor_status status = work ? prepare(&s, memory) : TORSOR_MEMORY;
  if (!status) status = find_roots(factor, count, wanted, &s, until, work);
  if (status || !*count) return status;
  const double first = fabs(factor[0]);
  if (!(first > until / SAME_STEP && first < until * SAME_STEP))
    status = find_roots(factor, count, wanted, &s, first, work);
  order_directions(factor, *count, path->settings->until);
  for (int i = 0; i < *count && !status; ++i)
    if (factor[i] * path->settings->until > 0) return doubt(path, factor[i]);
  return status;
}
