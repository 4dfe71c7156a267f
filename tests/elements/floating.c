/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bodies in floating frames: their inertia against the sum over all masses, derivatives, frames,
 * and what does not depend on them; sizes. */
#include "elements/floating.h"

#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "closed.h"
#include "conformance.h"
#include "elements/super_constants.h"
#include "elements/super_inertia.h"
#include "reduced_kit.h"

/* ---- inertia --------------------------------------------------------------------------------- */

static v3 some_vector(check_rng *rng, double size) {
  const double x = check_uniform(rng, -size, size), y = check_uniform(rng, -size, size);
  return (v3){x, y, check_uniform(rng, -size, size)};
}

static v3 shape_at(const reduced_body *b, int point, const double *q) {
  double sum[3] = {0};
  for (int d = 0; d < 3; ++d)
    for (int j = 0; j < b->n; ++j) sum[d] += b->N[(3 * point + d) * b->n + j] * q[j];
  return v3_load(sum);
}

/* Forces on F and q, energy and momenta of all points, one by one. */
static void sum_points(double on_F[6], double *on_q, double *energy, v3 momentum[2],
                       const reduced_body *b, const super_state *s) {
  const v3 U = s->F.V.lin, spin = s->F.V.ang, faster = s->F.A.ang;
  v3 force = v3_zero(), moment = v3_zero();
  for (int p = 0; p < b->points; ++p) {
    const v3 r = v3_add(b->x[p], shape_at(b, p, s->q)), dr = shape_at(b, p, s->dq);
    const v3 v = v3_add(v3_add(U, v3_cross(spin, r)), dr);
    v3 a = v3_sub(v3_add(s->F.A.lin, v3_cross(spin, U)), s->gravity);
    a = v3_add(a, v3_add(v3_cross(faster, r), v3_cross(spin, v3_cross(spin, r))));
    a = v3_add(v3_axpy(2, v3_cross(spin, dr), a), shape_at(b, p, s->ddq));
    const v3 f = v3_scale(a, b->mass[p]);
    double value[3];
    v3_store(value, f);
    for (int d = 0; d < 3; ++d)
      for (int j = 0; j < b->n; ++j) on_q[j] += b->N[(3 * p + d) * b->n + j] * value[d];
    force = v3_add(force, f);
    moment = v3_add(moment, v3_cross(r, f));
    *energy += b->mass[p] / 2 * v3_norm2(v);
    momentum[0] = v3_axpy(b->mass[p], v, momentum[0]);
    momentum[1] = v3_axpy(b->mass[p], v3_cross(r, v), momentum[1]);
  }
  v3_store(on_F, force);
  v3_store(on_F + 3, moment);
}

static double most(const double *a, const double *b, int n, double *size) {
  double off = 0;
  for (int i = 0; i < n; ++i) {
    off = fmax(off, fabs(a[i] - b[i]));
    *size = fmax(*size, fabs(b[i]));
  }
  return off;
}

/* Forces of any motion, far from small deformations, are those of all masses. */
static void inertia_of_points(void **state) {
  (void)state;
  check_rng rng = {5};
  double worst = 0;
  for (int trial = 0; trial < 6; ++trial) {
    reduced_body b;
    superelement_data e = {0};
    double *memory = NULL;
    size_t bytes = 0;
    reduced_make(&b, 1 + trial, trial * 2, 12, 1, 3 + (unsigned)trial);
    const super_given given = {.place = b.place,
                               .interfaces = b.interfaces,
                               .n = b.n,
                               .K = b.K,
                               .M = b.M,
                               .C = b.C,
                               .D = b.D};
    CHECK_INT(super_find_constants(&e, &memory, &bytes, &given, NULL), TORSOR_OK);
    double *q = calloc(5 * (size_t)b.n, sizeof *q), *own = q + 3 * b.n, *other = own + b.n;
    CHECK_TRUE(q != NULL);
    for (int i = 0; i < 3 * b.n; ++i) q[i] = check_uniform(&rng, -0.5, 0.5);
    super_state s = {.q = q, .dq = q + b.n, .ddq = q + 2 * b.n, .gravity = some_vector(&rng, 9)};
    s.F.V = (twist){some_vector(&rng, 1), some_vector(&rng, 1)};
    s.F.A = (twist){some_vector(&rng, 1), some_vector(&rng, 1)};
    double F[2][6] = {{0}}, energy = 0, size = 0;
    v3 p[3], sum[2] = {v3_zero(), v3_zero()};
    super_inertia_force(F[0], own, &e.inertia, &s, b.n);
    sum_points(F[1], other, &energy, sum, &b, &s);
    double off = most(own, other, b.n, &size);
    off = fmax(off, most(F[0], F[1], 6, &size));
    off = fmax(off, fabs(super_momentum(&p[0], &p[1], &p[2], &e.inertia, &s, b.n) - energy));
    off = fmax(off, v3_norm(v3_sub(p[0], sum[0])));
    off = fmax(off, v3_norm(v3_sub(p[1], sum[1])));
    worst = fmax(worst, off / size);
    free(q);
    free(memory);
    reduced_release(&b);
  }
  check_report("inertia against the sum over all masses", worst, 200 * CHECK_EPS);
  CHECK_LE(worst, 200 * CHECK_EPS); /* sums of a thousand products, of both signs */
}

/* ---- the element ----------------------------------------------------------------------------- */

static char *scene_of(const reduced_body *b, const int *order, const char *keys, const char *rest) {
  char *own = reduced_keys(b, order);
  const size_t size = strlen(own) + strlen(keys) + strlen(rest) + 200;
  char *out = malloc(size);
  CHECK_TRUE(out != NULL);
  snprintf(out, size,
           "{\"torsor\": 1, \"gravity\": [1, 2, -9.81], \"bodies\": [{\"name\": \"b\", \"type\": "
           "\"superelement\", %s%s}]%s}",
           own, keys, rest);
  free(own);
  return out;
}

/* All derivatives, balances, and rigid motions, with frames of any kind, then with stiffening: it
 * stands in the kinetic energy and in the first moment, so that energy and momenta keep. */
static void frames_conform(void **state) {
  (void)state;
  static const char *const keys[] = {"", ", \"frame_interface\": 2, \"damping_factor\": 0.02",
                                     ", \"frame\": \"mean\", \"damping_factor\": 0.02"};
  static const char *const names[] = {"interface 0",
                                      "interface 2",
                                      "mean axes",
                                      "interface 0, stiffened",
                                      "interface 2, stiffened",
                                      "mean axes, stiffened"};
  torsor_registry *registry = torsor_registry_create(NULL);
  reduced_body b;
  reduced_make(&b, 3, 4, 12, 5, 7);
  bool all = true;
  for (int i = 0; i < 6; ++i) {
    conformance c;
    torsor_error error = {0};
    if (i == 3) reduced_stiffen(&b, 0.2, 9);
    char *text = scene_of(&b, NULL, keys[i % 3], "");
    const bool measured = conformance_measure_in(&c, &superelement, text, registry, &error);
    if (!measured) print_error("%s\n", error.message);
    CHECK_TRUE(measured);
    all &= conformance_holds(&c, names[i]);
    free(text);
  }
  CHECK_TRUE(all);
  reduced_release(&b);
  torsor_registry_destroy(registry);
}

/* The answer of mean axes does not depend on the order of the interfaces. */
static void order_of_interfaces(void **state) {
  (void)state;
  static const int order[3] = {2, 0, 1}, inverse[3] = {1, 2, 0};
  reduced_body b;
  reduced_make(&b, 3, 2, 12, 1e5, 11);
  for (int g = 0; g < 2; ++g) {
    double worst = 0, size = 0;
    support_trace trace[2];
    for (int i = 0; i < 2; ++i) {
      char rest[700], signal[2][32];
      const int held = i ? inverse[0] : 0, seen = i ? inverse[2] : 2;
      snprintf(rest, sizeof rest,
               ", \"joints\": [{\"name\": \"j\", \"type\": \"spherical\", \"a\": {\"body\": "
               "\"ground\", \"position\": [%.17g, %.17g, %.17g]}, \"b\": \"b[%d]\"}]",
               b.place[0].x.x, b.place[0].x.y, b.place[0].x.z, held);
      snprintf(signal[0], sizeof signal[0], "b[%d].position", seen);
      snprintf(signal[1], sizeof signal[1], "b[%d].angular_velocity", seen);
      const char *const signals[] = {signal[0], signal[1], NULL};
      char *text = scene_of(&b, i ? order : NULL, ", \"frame\": \"mean\"", rest);
      trace[i] = closed_run(text, signals, closed_groups[g], 1e-4, 0.02);
      free(text);
    }
    for (int row = 0; row < trace[0].rows; ++row)
      worst = fmax(
          worst, most(support_row(&trace[0], row) + 1, support_row(&trace[1], row) + 1, 6, &size));
    for (int i = 0; i < 2; ++i) support_trace_release(&trace[i]);
    print_message("  %s: differ by %.2g of %.2g\n", closed_groups[g], worst, size);
    /* Newton's iterations end at 1e-12 of the increments of each of 200 steps, in either order;
     * vibrations that steps of 0.1 ms resolve do not multiply that. */
    CHECK_LE(worst, 1e-8 * size);
  }
  reduced_release(&b);
}

/* Tens of interfaces and hundreds of modes. */
static void many(void **state) {
  (void)state;
  reduced_body b;
  reduced_make(&b, 20, 90, 90, 1e5, 13);
  char *text = scene_of(&b, NULL, ", \"frame\": \"mean\", \"angular_velocity\": [0, 0, 0.3]", "");
  static const char *const signals[] = {"momentum", "impulse", NULL};
  support_trace trace = closed_run(text, signals, "SE3", 1e-3, 5e-3);
  const double *first = support_row(&trace, 0), *last = support_row(&trace, trace.rows - 1);
  for (int k = 1; k < 4; ++k)
    CHECK_NEAR(last[k] - first[k], last[k + 3] - first[k + 3], 1e-6 * fabs(first[k]) + 1e-6);
  support_trace_release(&trace);
  free(text);
  reduced_release(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(inertia_of_points),
      cmocka_unit_test(frames_conform),
      cmocka_unit_test(order_of_interfaces),
      cmocka_unit_test(many),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
