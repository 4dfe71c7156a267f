/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The law of contact: its restitution, its changes in every status against differences, and the
 * return map of friction over paths. */

#include "check.h"

#include <stdio.h>

#include "elements/contact_law.h"

enum { TRIALS = 400, MOST_STATES = CONTACT_FRAME_STATES + TOUCH_POINTS * CONTACT_POINT_STATES };

/* ---- restitution --------------------------------------------------------------------------- */

/* The number D of a blow from its energy integral; the rebound speed of 2 m/s with 0.3 kg against
 * 1e6 N/m^1.5 is 1.2 m/s at b v = 0.97487..., by integration in time. */
static void test_restitution(void **state) {
  (void)state;
  static const double known[][2] = {{0.99, 0.015151362109432584},
                                    {0.95, 0.0789266052874127},
                                    {0.9, 0.16648195068530636},
                                    {0.8, 0.3731462033650541},
                                    {0.7, 0.6348282812664174},
                                    {0.6, 0.9748717108132655},
                                    {0.5, 1.4327505332713752},
                                    {0.4, 2.082498164147007},
                                    {0.3, 3.087081981129624},
                                    {0.2, 4.919166715790786},
                                    {0.1, 9.998159397495668},
                                    {0.05, 19.99999968153236},
                                    {0.01, 100}};
  double worst = 0, residual = 0;
  for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
    const double e = known[i][0], D = contact_law_number(e);
    worst = check_max(worst, fabs(D / known[i][1] - 1));
    /* relative to the terms, which cancel to their second order in D */
    /* the logarithm of 1 - e D has an error of 1/(1 - e D) roundings */
    if (e > 0.02) /* at 0.01 it is 0 within rounding */
      residual = check_max(residual, fabs((1 + e) * D - log1p(D) + log1p(-e * D)) * (1 - e * D));
  }
  /* the table's own error is 1e-13 of D; terms of size D cancel to (1 - e^2) D^2/2 */
  check_report("number of a blow", worst, 2e-12);
  check_report("its equation", residual, 1e-14);
  CHECK_LE(worst, 2e-12);
  CHECK_LE(residual, 1e-14);
}

/* ---- changes ------------------------------------------------------------------------------- */

typedef struct subject {
  contact_law law;
  touch_shape a, b;
  torsor_relative_in in;
  double states[MOST_STATES];
} subject;

static v3 random_vector(check_rng *rng, double size) {
  return (v3){check_uniform(rng, -size, size), check_uniform(rng, -size, size),
              check_uniform(rng, -size, size)};
}

/* The wrench on b, and its columns. */
static twist wrench(const subject *s, const torsor_relative_in *in, double columns[12][6],
                    double *most, bool *sticks) {
  touch_point at[TOUCH_POINTS];
  const int count = touch_find(at, &s->a, &s->b, &in->R, in->p);
  const contact_pair pair = contact_find_pair(in);
  twist w = tw_zero();
  *most = -HUGE_VAL;
  for (int i = 0; i < count; ++i) {
    const contact_force f = contact_eval(&s->law, &pair, &at[i], 0.5);
    w = tw_add(w, contact_wrench(&pair, &f));
    if (f.push > *most) {
      *most = f.push;
      *sticks = f.sticks;
    }
    for (int k = 0; columns && f.push > 0 && k < 12; ++k) {
      const contact_moved moved = contact_move_pair(&pair, in, k);
      const contact_change c = contact_eval_change(&s->law, &pair, &at[i], 0.5, &f, &moved);
      double column[6];
      tw_store(column, contact_wrench_change(&pair, &f, &c, &moved));
      for (int j = 0; j < 6; ++j) columns[k][j] += column[j];
    }
  }
  return w;
}

static torsor_relative_in moved(const torsor_relative_in *in, int k, double h) {
  double e[6] = {0};
  torsor_relative_in out = *in;
  e[k % 6] = h;
  if (k < 6) {
    out.p = v3_add(in->p, m3_mulv(in->R, v3_load(e)));
    out.R = m3_mul(in->R, so3_rodrigues(v3_load(e + 3)));
  } else
    out.V = tw_add(in->V, tw_load(e));
  return out;
}

/* A pair that touches, with a random past: `slide` times the displacement that sticks. */
static bool touching(subject *s, check_rng *rng, touch_kind a, touch_kind b, double slide) {
  const double radius = 0.2;
  s->a = (touch_shape){.kind = a, .half = {0.5, 0.6, 0.7}, .radius = a == TOUCH_PLANE ? 0 : radius};
  s->b = (touch_shape){.kind = b, .half = {0.4, 0.3, 0.5}, .radius = radius};
  s->law = (contact_law){.wall = {1000, 1.5, 0.2},
                         .restitution_at = -1,
                         .rest_speed = 1e-3,
                         .friction = 0.3,
                         .static_friction = 0.4,
                         .tangential_stiffness = 500,
                         .tangential_damping = 2};
  /* from far away to a depth of a part of the radius */
  /* capsules in every other trial so nearly parallel that they share the force */
  const bool parallel = a == TOUCH_CAPSULE && b == a && check_uniform(rng, 0, 1) < 0.5;
  const m3 R = so3_rodrigues(random_vector(rng, parallel ? 0.015 : 2));
  v3 p = random_vector(rng, 1);
  if (parallel)
    p.x += 3;
  else
    p.z += 3;
  const v3 way = v3_unit(p);
  touch_point at[TOUCH_POINTS];
  for (int i = 0; i < 60; ++i) {
    const int count = touch_find(at, &s->a, &s->b, &R, p);
    double least = HUGE_VAL;
    for (int k = 0; k < count; ++k) least = fmin(least, at[k].gap);
    if (!count) return false;
    p = v3_axpy(-0.7 * (least + 0.08), a == TOUCH_PLANE ? (v3){0, 0, 1} : way, p);
  }
  s->in = (torsor_relative_in){.R = R, .p = p, .state = s->states};
  s->in.V = (twist){random_vector(rng, 1), random_vector(rng, 1)};
  /* the pair as it was, a little apart in place and orientation */
  const torsor_relative_in before = {.R = m3_mul(so3_rodrigues(random_vector(rng, 0.02)), R),
                                     .p = v3_add(p, random_vector(rng, 0.02))};
  const contact_pair past = contact_find_pair(&before);
  const int count = touch_find(at, &s->a, &s->b, &before.R, before.p);
  if (!count) return false;
  contact_keep_pair(s->states, &past, NULL, 0);
  for (int i = 0; i < TOUCH_POINTS; ++i) {
    touch_point point = at[i < count ? i : 0];
    contact_force f = {.c = v3_scale(v3_add(point.a, point.b), 0.5)};
    const v3 z = v3_scale(random_vector(rng, 0.02), slide);
    f.z = v3_axpy(-v3_dot(point.n, z), point.n, z);
    f.sticks = i % 2;
    if (i >= count) point.id = i;
    contact_keep_point(s->states, &s->law, &past, &point, &f);
  }
  return true;
}

static const char *const kind_name[TOUCH_KINDS] = {"plane",    "box",     "hull",
                                                   "cylinder", "capsule", "sphere"};

/* Largest error of the columns relative to the largest of them; false at a border, where
 * differences go over it. */
static bool compare(double *worst, const subject *s, bool *sticks) {
  double columns[12][6] = {{0}}, push, size = 1, error = 0;
  bool status;
  wrench(s, &s->in, columns, &push, sticks);
  if (!(push > 1)) return false;
  for (int k = 0; k < 12; ++k)
    for (int j = 0; j < 6; ++j) size = fmax(size, fabs(columns[k][j]));
  for (int k = 0; k < 12; ++k) {
    double up[6], down[6];
    const torsor_relative_in above = moved(&s->in, k, 1e-6), below = moved(&s->in, k, -1e-6);
    tw_store(up, wrench(s, &above, NULL, &push, &status));
    if (status != *sticks) return false;
    tw_store(down, wrench(s, &below, NULL, &push, &status));
    if (status != *sticks) return false;
    for (int j = 0; j < 6; ++j)
      error = check_max(error, fabs(columns[k][j] - (up[j] - down[j]) / 2e-6));
  }
  *worst = check_max(*worst, error / size);
  return true;
}

/* h^2 times third derivatives of 1/0.1 m each, and rounding 1e-16/1e-6 of forces beside slopes;
 * points at a kink of their own are one in many. */
#define CHANGES 1e-6

static void test_changes(void **state) {
  (void)state;
  check_rng rng = {41};
  static const touch_kind kinds[][2] = {
      {TOUCH_PLANE, TOUCH_SPHERE},    {TOUCH_PLANE, TOUCH_BOX},       {TOUCH_PLANE, TOUCH_CAPSULE},
      {TOUCH_BOX, TOUCH_SPHERE},      {TOUCH_BOX, TOUCH_CAPSULE},     {TOUCH_BOX, TOUCH_BOX},
      {TOUCH_CYLINDER, TOUCH_SPHERE}, {TOUCH_CAPSULE, TOUCH_CAPSULE}, {TOUCH_CAPSULE, TOUCH_SPHERE},
      {TOUCH_SPHERE, TOUCH_SPHERE}};
  for (size_t pair = 0; pair < sizeof kinds / sizeof *kinds; ++pair) {
    double worst = 0;
    int stuck = 0, slipped = 0, kinks = 0;
    for (int k = 0; k < TRIALS; ++k) {
      subject s;
      double error = 0;
      bool sticks;
      if (!touching(&s, &rng, kinds[pair][0], kinds[pair][1], k % 3)) continue;
      s.in.V = tw_scale(s.in.V, k % 2 ? 1 : 0.05);
      if (!compare(&error, &s, &sticks)) continue;
      if (error > CHANGES)
        ++kinks; /* a point of the pair changes its status or its feature */
      else
        worst = check_max(worst, error);
      stuck += sticks;
      slipped += !sticks;
    }
    char name[80];
    snprintf(name, sizeof name, "%s-%s: %d stick, %d slip, %d at kinks", kind_name[kinds[pair][0]],
             kind_name[kinds[pair][1]], stuck, slipped, kinks);
    check_report(name, worst, CHANGES);
    CHECK_GE(stuck, 20);
    CHECK_GE(slipped, 20);
    CHECK_LE(kinks, (stuck + slipped) / 50);
  }
}

/* While tangents are held, what slips has the slope of what sticks. */
static void test_hold(void **state) {
  (void)state;
  check_rng rng = {43};
  double worst = 0;
  for (int k = 0; k < TRIALS; ++k) {
    subject s, stiff;
    double held[12][6] = {{0}}, stuck[12][6] = {{0}}, push;
    bool sticks;
    if (!touching(&s, &rng, TOUCH_PLANE, TOUCH_SPHERE, 2)) continue;
    s.law.wall.dissipation = 0;
    s.in.hold = true;
    const twist w = wrench(&s, &s.in, held, &push, &sticks);
    if (sticks) continue;
    stiff = s;
    stiff.in.state = stiff.states;
    stiff.law.friction = stiff.law.static_friction = 1e6;
    const twist strong = wrench(&stiff, &stiff.in, stuck, &push, &sticks);
    CHECK_TRUE(sticks);
    /* slopes by velocities: those of arms times forces, which differ, are not in them */
    for (int i = 6; i < 12; ++i)
      for (int j = 0; j < 6; ++j) worst = check_max(worst, fabs(held[i][j] - stuck[i][j]));
    CHECK_TRUE(v3_norm(w.lin) < v3_norm(strong.lin));
  }
  check_report("held slopes", worst, 1e-12);
  CHECK_LE(worst, 1e-12);
}

/* ---- paths --------------------------------------------------------------------------------- */

/* A ball that rolls on the plane by half a radian per step: the spring stays as it is. */
static void test_rolling(void **state) {
  (void)state;
  subject s;
  check_rng rng = {47};
  CHECK_TRUE(touching(&s, &rng, TOUCH_PLANE, TOUCH_SPHERE, 0));
  const double depth = 0.01, radius = s.b.radius, arm = radius - depth / 2;
  double worst = 0;
  torsor_relative_in in = {.R = m3_identity(), .p = {0, 0, radius - depth}};
  for (int k = 0; k < 200; ++k) {
    touch_point at[TOUCH_POINTS];
    const contact_pair pair = contact_find_pair(&in);
    CHECK_INT(touch_find(at, &s.a, &s.b, &in.R, in.p), 1);
    const contact_force f = contact_eval(&s.law, &pair, at, 0.5);
    contact_keep_pair(s.states, &pair, &f, 1);
    contact_keep_point(s.states, &s.law, &pair, at, &f);
    worst = check_max(worst, v3_norm(f.z));
    /* turn about an axis in the plane, and as far as that rolls */
    const v3 axis = {cos(0.3), sin(0.3), 0};
    in.state = s.states;
    in.R = m3_mul(so3_rodrigues(v3_scale(axis, 0.5)), in.R);
    in.p = v3_axpy(0.5 * arm, v3_cross(axis, (v3){0, 0, 1}), in.p);
  }
  check_report("displacement of what rolls, 200 x 0.5 rad", worst, 200 * 16 * CHECK_EPS * radius);
  CHECK_LE(worst, 200 * 16 * CHECK_EPS * radius);
}

/* The spring along the plane over random closed paths of a sliding point: work of the friction less
 * the energy of its spring never grows by rounding, and shaking within what sticks leaves nothing
 * behind. */
static double follow(subject *s, v3 p, double *work, double *energy) {
  touch_point at[TOUCH_POINTS];
  torsor_relative_in in = {.R = m3_identity(), .p = p, .state = s->in.state};
  const v3 before = v3_load(s->states);
  const contact_pair pair = contact_find_pair(&in);
  touch_find(at, &s->a, &s->b, &in.R, in.p);
  const contact_force f = contact_eval(&s->law, &pair, at, 0.5);
  *work = s->in.state ? v3_dot(f.force, v3_sub(p, before)) : 0;
  *energy = f.kept;
  contact_keep_pair(s->states, &pair, &f, 1);
  contact_keep_point(s->states, &s->law, &pair, at, &f);
  s->in.state = s->states;
  return v3_norm(f.z);
}

static void test_loops(void **state) {
  (void)state;
  subject s;
  check_rng rng = {53};
  CHECK_TRUE(touching(&s, &rng, TOUCH_PLANE, TOUCH_SPHERE, 0));
  s.in.state = NULL;
  s.law.tangential_damping = 0;
  const double depth = 0.05, N = 1000 * pow(depth, 1.5), longest = 0.4 * N / 500;
  double work, energy, gained = -HUGE_VAL, last = 0;
  v3 p = {0, 0, s.b.radius - depth};
  follow(&s, p, &work, &energy);
  for (int k = 0; k < 20000; ++k) {
    const v3 step = v3_scale(random_vector(&rng, 0.3 * longest), 1);
    p = v3_add(p, (v3){step.x, step.y, 0});
    const double z = follow(&s, p, &work, &energy);
    CHECK_LE(z, longest * (1 + 8 * CHECK_EPS));
    /* backward step: of the force at the end; convex, so that it takes at least the energy */
    gained = check_max(gained, energy - last + work);
    last = energy;
  }
  check_report("energy that friction gives in a step", gained, 64 * CHECK_EPS * N * longest);
  CHECK_LE(gained, 64 * CHECK_EPS * N * longest);
  const double before = s.states[contact_states(0) + CONTACT_Z];
  const v3 home = p;
  follow(&s, p, &work, &energy);
  const double rest = s.states[contact_states(0) + CONTACT_Z];
  const double way = before > 0 ? -0.2 * longest : 0.2 * longest;
  for (int k = 0; k < 1000000; ++k) {
    p.x = home.x + way * (k % 2);
    follow(&s, p, &work, &energy);
  }
  follow(&s, home, &work, &energy);
  const double drift = fabs(s.states[contact_states(0) + CONTACT_Z] - rest);
  /* each of the steps rounds z and the position */
  check_report("drift after 1,000,000 steps of vibration", drift, 1e6 * CHECK_EPS * longest);
  CHECK_LE(drift, 1e6 * CHECK_EPS * longest);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_restitution), cmocka_unit_test(test_changes),
      cmocka_unit_test(test_hold),        cmocka_unit_test(test_rolling),
      cmocka_unit_test(test_loops),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
