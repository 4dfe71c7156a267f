/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Contact of boxes by their faces: the force is the gradient of the energy, changes against
 * differences, both bodies alike, closed values, and no jump along paths. */

#include "check.h"

#include <stdio.h>

#include "elements/faces.h"

enum { TRIALS = 4000 };

static const twist still = {{0, 0, 0}, {0, 0, 0}};

typedef struct pose {
  m3 R;
  v3 p;
} pose;

static v3 random_vector(check_rng *rng, double size) {
  return (v3){check_uniform(rng, -size, size), check_uniform(rng, -size, size),
              check_uniform(rng, -size, size)};
}

static twist random_twist(check_rng *rng) {
  return (twist){random_vector(rng, 1), random_vector(rng, 1)};
}

static touch_shape random_box(check_rng *rng) {
  return (touch_shape){
      .kind = TOUCH_BOX,
      .half = {check_uniform(rng, 0.3, 1), check_uniform(rng, 0.3, 1), check_uniform(rng, 0.3, 1)}};
}

/* Near enough that most trials touch; every other one nearly parallel. */
static pose random_pose(check_rng *rng, int trial) {
  const m3 R = so3_rodrigues(random_vector(rng, trial % 2 ? 0.05 : 3));
  return (pose){R, random_vector(rng, 1.5)};
}

static pose moved(const pose *at, twist e) {
  const se3 by = se3_exp(e);
  const m3 turn = so3_matrix(by.R);
  return (pose){m3_mul(turn, at->R), v3_add(m3_mulv(turn, at->p), by.x)};
}

static faces_contact contact(const face_law *law, const touch_shape *a, const touch_shape *b,
                             const pose *at, twist motion) {
  faces_contact out;
  faces_eval(&out, law, a, b, &at->R, at->p, motion, still, still);
  return out;
}

/* Does the contact change from face to face, or begin, near the pose? */
static bool changes(const faces_contact *at, const faces_contact *up, const faces_contact *down) {
  return up->n.x * at->n.x + up->n.y * at->n.y + up->n.z * at->n.z < 0.9 ||
         v3_dot(down->n, at->n) < 0.9;
}

/* Central differences with h = 1e-6 m and rad of energies and forces of some N and J whose third
 * derivatives are below 1e3 where nothing is thinner than 0.01 m: h^2 1e3, and rounding 16 eps/h.
 */
static const double step = 1e-6;

#define DIFFERENCE 1e-8

/* Polygons that are nearly seen from the side change within a step. */
static bool is_thin(const pose *at) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      const double c = fabs(at->R.m[i][j]);
      if (c < 0.02) return true;
    }
  return false;
}

static void test_gradient(void **state) {
  (void)state;
  check_rng rng = {31};
  const face_law law = {1, 0};
  double worst = 0;
  int touching = 0, beside = 0;
  for (int k = 0; k < TRIALS; ++k) {
    const touch_shape a = random_box(&rng), b = random_box(&rng);
    const pose at = random_pose(&rng, k);
    const twist e = random_twist(&rng);
    const faces_contact x = contact(&law, &a, &b, &at, still);
    if (!(x.depth > 1e-3) || (is_thin(&at) && k % 2 == 0)) continue;
    const pose above = moved(&at, tw_scale(e, step)), below = moved(&at, tw_scale(e, -step));
    const faces_contact up = contact(&law, &a, &b, &above, still);
    const faces_contact down = contact(&law, &a, &b, &below, still);
    if (changes(&x, &up, &down)) {
      ++beside;
      continue;
    }
    ++touching;
    const double work = v3_dot(x.force, e.lin) + v3_dot(x.moment, e.ang);
    worst = check_max(worst, fabs(work + (up.energy - down.energy) / (2 * step)));
  }
  printf("  %d touch, %d change their face\n", touching, beside);
  check_report("force - gradient", worst, DIFFERENCE);
  CHECK_LE(worst, DIFFERENCE);
  CHECK_GE(touching, TRIALS / 8);
  CHECK_LE(beside, TRIALS / 100);
}

static double distance(v3 change, v3 up, v3 down) {
  return v3_norm(v3_sub(change, v3_scale(v3_sub(up, down), 1 / (2 * step))));
}

static void test_changes(void **state) {
  (void)state;
  check_rng rng = {37};
  const face_law law = {1, 0.2};
  double worst = 0;
  int touching = 0;
  for (int k = 0; k < TRIALS; ++k) {
    const touch_shape a = random_box(&rng), b = random_box(&rng);
    const pose at = random_pose(&rng, k);
    const twist e = random_twist(&rng), V = random_twist(&rng), faster = random_twist(&rng);
    faces_contact x;
    faces_eval(&x, &law, &a, &b, &at.R, at.p, V, e, faster);
    if (!(x.depth > 0.02) || is_thin(&at)) continue;
    const pose above = moved(&at, tw_scale(e, step)), below = moved(&at, tw_scale(e, -step));
    const faces_contact up = contact(&law, &a, &b, &above, tw_add(V, tw_scale(faster, step)));
    const faces_contact down = contact(&law, &a, &b, &below, tw_add(V, tw_scale(faster, -step)));
    if (changes(&x, &up, &down) || !(x.push > 1e-3)) continue;
    ++touching;
    double error = distance(x.force_by, up.force, down.force);
    error = check_max(error, distance(x.moment_by, up.moment, down.moment));
    error = check_max(error, distance(x.n_by, up.n, down.n));
    error = check_max(error, fabs(x.push_by - (up.push - down.push) / (2 * step)));
    error = check_max(error, x.push * distance(x.centre_by, up.centre, down.centre));
    worst = check_max(worst, error);
  }
  printf("  %d touch\n", touching);
  check_report("changes", worst, 100 * DIFFERENCE);
  CHECK_LE(
      worst,
      100 * DIFFERENCE); /* slopes 1/0.02 of faces that are seen from the side, squared by 1/25 */
  CHECK_GE(touching, TRIALS / 20);
}

/* Seen from b, forces are opposite and the energy is the same. */
static void test_both_sides(void **state) {
  (void)state;
  check_rng rng = {41};
  const face_law law = {1, 0.2};
  double worst = 0;
  int touching = 0, other = 0;
  for (int k = 0; k < TRIALS; ++k) {
    const touch_shape a = random_box(&rng), b = random_box(&rng);
    const pose at = random_pose(&rng, k);
    const twist V = random_twist(&rng);
    const pose back = {m3_transpose(at.R), v3_neg(m3_tmulv(at.R, at.p))};
    const twist W = {v3_neg(m3_tmulv(at.R, v3_add(V.lin, v3_cross(V.ang, at.p)))),
                     v3_neg(m3_tmulv(at.R, V.ang))};
    const faces_contact x = contact(&law, &a, &b, &at, V), y = contact(&law, &b, &a, &back, W);
    if (!(x.depth > 0)) continue;
    const v3 force = m3_mulv(at.R, y.force);
    const v3 moment = v3_add(m3_mulv(at.R, y.moment), v3_cross(at.p, force));
    if (v3_dot(x.n, m3_mulv(at.R, y.n)) > -1 + 1e-9) { /* both would have the face */
      ++other;
      continue;
    }
    ++touching;
    double error = v3_norm(v3_add(x.force, force));
    error = check_max(error, v3_norm(v3_add(x.moment, moment)));
    error = check_max(error, fabs(x.energy - y.energy));
    worst = check_max(worst, error);
  }
  printf("  %d touch, %d have another face\n", touching, other);
  check_report("both sides", worst, 1e4 * CHECK_EPS);
  CHECK_LE(worst, 1e4 * CHECK_EPS); /* t = 1/facing is up to 1/ACROSS for areas as small */
  CHECK_GE(touching, TRIALS / 8);
  CHECK_LE(other, touching / 20); /* 1e-3 of the size, of differences of some 0.02 of it */
}

/* A cube of the edge 1 that enters a slab by 0.01 over the area 0.7 x 1, and one that stands on an
 * edge, turned by 45 degrees: W = k/2 int (D - |x|)^2 = k D^3/3 for each length. */
static void test_closed(void **state) {
  (void)state;
  const face_law law = {1000, 0.5};
  const touch_shape slab = {.kind = TOUCH_BOX, .half = {2, 2, 0.5}};
  const touch_shape cube = {.kind = TOUCH_BOX, .half = {0.5, 0.5, 0.5}};
  const double d = 0.01, D = 0.02, root = sqrt(0.5);
  const pose flat = {m3_identity(), {1.8, 0, 1 - d}};
  const faces_contact x = contact(&law, &slab, &cube, &flat, (twist){{0, 0, -0.3}, {0, 0, 0}});
  CHECK_NEAR(x.push, 1000 * 0.7 * d * (1 + 0.5 * 0.3), 1e-12);
  CHECK_NEAR(x.centre.x, 1.65, 1e-14);
  CHECK_NEAR(x.centre.z, 0.5 - d, 1e-14);
  CHECK_NEAR(x.energy, 500 * 0.7 * d * d, 1e-14);
  CHECK_NEAR(x.force.x, 500 * d * d, 1e-14); /* the outline pushes it off */
  CHECK_NEAR(x.depth, d, 1e-15);
  const pose tipped = {so3_rodrigues((v3){0, acos(-1) / 4, 0}), {0, 0, 0.5 + 2 * root * 0.5 - D}};
  const faces_contact y = contact(&law, &slab, &cube, &tipped, still);
  CHECK_NEAR(y.energy, 1000 * D * D * D / 3, 1e-14);
  CHECK_NEAR(y.force.z, 1000 * D * D, 1e-12);
  CHECK_NEAR(y.force.x, 0, 1e-13);
}

/* Slides and turns over edges and corners of a slab, up to d = 0.01 m deep: no jump, and the work
 * is that of the energies.  The trapezoidal rule along steps of 1e-4 m is off by 1e-12/12 of the
 * second derivatives of the force, some 10 N/m^2, and by 1e-8 of the changes of its slope, 1 m
 * times d, where a corner passes an edge: some 20 of them.  A force changes in a step by at most 1
 * m d 1e-4 and, with the depth, by 0.5 m^2 1e-6.  Where the face is another one the force turns, of
 * the order d^2, and the energy changes by the order d^3. */
static void test_paths(void **state) {
  (void)state;
  check_rng rng = {43};
  const face_law law = {1, 0};
  const touch_shape slab = {.kind = TOUCH_BOX, .half = {1, 1, 0.5}};
  const touch_shape box = {.kind = TOUCH_BOX, .half = {0.3, 0.2, 0.4}};
  enum { STEPS = 20000, PATHS = 20 };
  double off = 0, jump = 0, turn = 0;
  int turns = 0;
  for (int path = 0; path < PATHS; ++path) {
    const twist e = {{2.0 / STEPS, check_uniform(&rng, -1, 1) / STEPS, 0},
                     {0, 0, check_uniform(&rng, -1, 1) / STEPS}};
    const v3 tilt = random_vector(&rng, 0.005);
    pose at = {so3_rodrigues((v3){tilt.x, tilt.y, 100 * tilt.z}),
               {-0.9, check_uniform(&rng, -0.9, 0.9), 0.895}};
    faces_contact last = contact(&law, &slab, &box, &at, still);
    double sum = 0;
    for (int k = 0; k < STEPS; ++k) {
      at = moved(&at, e);
      const faces_contact now = contact(&law, &slab, &box, &at, still);
      const double work = (v3_dot(v3_add(last.force, now.force), e.lin) +
                           v3_dot(v3_add(last.moment, now.moment), e.ang)) /
                          2;
      if (now.depth > 0 && last.depth > 0 && v3_dot(now.n, last.n) < 0.9) {
        ++turns;
        turn = check_max(turn, fabs(now.energy - last.energy));
      } else {
        sum += fabs(work + now.energy - last.energy);
        jump = check_max(jump, v3_norm(v3_sub(now.force, last.force)));
      }
      last = now;
    }
    off = check_max(off, sum);
  }
  printf("  %d changes of the face\n", turns);
  check_report("work + energy", off, 5e-9);
  check_report("change of the force in a step", jump, 1.5e-6);
  check_report("change of the energy with the face", turn, 1e-6);
  CHECK_LE(off, 5e-9);
  CHECK_LE(jump, 1.5e-6);
  CHECK_LE(turn, 1e-6);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gradient),   cmocka_unit_test(test_changes),
      cmocka_unit_test(test_both_sides), cmocka_unit_test(test_closed),
      cmocka_unit_test(test_paths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
