/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pair functions of contact: gaps, normals and points of random pairs against a certificate of
 * duality, their changes against differences, and what they must be for all pairs. */

#include "check.h"

#include <stdio.h>

#include "elements/touch.h"

enum { TRIALS = 2000, VERTICES = 12 };

typedef struct solid {
  touch_shape shape;
  v3 vertex[VERTICES];
} solid;

static v3 random_vector(check_rng *rng, double size) {
  return (v3){check_uniform(rng, -size, size), check_uniform(rng, -size, size),
              check_uniform(rng, -size, size)};
}

static m3 random_rotation(check_rng *rng) {
  return so3_rodrigues(random_vector(rng, 3));
}

static void make(solid *out, check_rng *rng, touch_kind kind) {
  out->shape = (touch_shape){
      .kind = kind,
      .half = {check_uniform(rng, 0.1, 1), check_uniform(rng, 0.1, 1), check_uniform(rng, 0.1, 1)},
      .radius = kind == TOUCH_PLANE ? 0 : check_uniform(rng, 0.02, 0.3)};
  if (kind == TOUCH_CYLINDER) out->shape.half.y = out->shape.half.x;
  if (kind != TOUCH_HULL) return;
  for (int i = 0; i < VERTICES; ++i) out->vertex[i] = random_vector(rng, 0.8);
  out->shape.vertex = out->vertex;
  out->shape.vertices = VERTICES;
}

/* max of n . x over the core. */
static double reach(const touch_shape *s, v3 n) {
  if (s->kind == TOUCH_CYLINDER)
    return s->half.x * sqrt(n.x * n.x + n.y * n.y) + s->half.z * fabs(n.z);
  double most = -HUGE_VAL;
  for (int i = 0; i < touch_vertices(s); ++i) most = fmax(most, v3_dot(n, touch_vertex(s, i)));
  return most;
}

/* How far x is out of the core: that of a hull by all planes through three of its vertices that
 * have the others on one side. */
static double out_of_hull(const touch_shape *s, v3 x) {
  double most = 0;
  for (int i = 0; i < s->vertices; ++i)
    for (int j = 0; j < i; ++j)
      for (int k = 0; k < j; ++k) {
        const v3 a = s->vertex[i], b = s->vertex[j], c = s->vertex[k];
        const v3 n = v3_unit(v3_cross(v3_sub(b, a), v3_sub(c, a)));
        const double level = v3_dot(n, a);
        if (reach(s, n) <= level + 1e-12) most = fmax(most, v3_dot(n, x) - level);
        if (reach(s, v3_neg(n)) <= -level + 1e-12) most = fmax(most, level - v3_dot(n, x));
      }
  return most;
}

static double out_of(const touch_shape *s, v3 x) {
  const v3 h = s->half;
  switch (s->kind) {
  case TOUCH_PLANE:
    return fmax(0, x.z);
  case TOUCH_BOX:
    return fmax(0, fmax(fabs(x.x) - h.x, fmax(fabs(x.y) - h.y, fabs(x.z) - h.z)));
  case TOUCH_HULL:
    return out_of_hull(s, x);
  case TOUCH_CYLINDER:
    return fmax(0, fmax(sqrt(x.x * x.x + x.y * x.y) - h.x, fabs(x.z) - h.z));
  case TOUCH_CAPSULE:
    return sqrt(x.x * x.x + x.y * x.y) + fmax(0, fabs(x.z) - h.z);
  default:
    return v3_norm(x);
  }
}

/* b somewhere about a, so near that cores overlap in some trials. */
typedef struct pose {
  m3 R;
  v3 p;
} pose;

static pose random_pose(check_rng *rng) {
  return (pose){random_rotation(rng), random_vector(rng, 2)};
}

static pose moved(const pose *at, twist e) {
  const m3 turn = so3_rodrigues(e.ang);
  return (pose){m3_mul(turn, at->R), v3_add(m3_mulv(turn, at->p), e.lin)};
}

static const char *const kind_name[TOUCH_KINDS] = {"plane",    "box",     "hull",
                                                   "cylinder", "capsule", "sphere"};

/* Error of one point by duality: its surface points are n gap apart and in their shapes, and no
 * point of a is farther along n, none of b nearer: so nothing is nearer than the gap. */
static double certify(const solid *a, const solid *b, const pose *at, const touch_point *t) {
  const v3 n = t->n, nb = m3_tmulv(at->R, n);
  double error = fabs(v3_norm(n) - 1);
  error = check_max(error, v3_norm(v3_sub(v3_sub(t->b, t->a), v3_scale(n, t->gap))));
  const v3 core_a = v3_axpy(-a->shape.radius, n, t->a);
  const v3 core_b = m3_tmulv(at->R, v3_sub(v3_axpy(b->shape.radius, n, t->b), at->p));
  error = check_max(error, check_max(out_of(&a->shape, core_a), out_of(&b->shape, core_b)));
  if (a->shape.kind == TOUCH_PLANE) return check_max(error, check_max(fabs(n.z - 1), fabs(t->a.z)));
  error = check_max(error, reach(&a->shape, n) - v3_dot(n, core_a));
  error = check_max(error, reach(&b->shape, v3_neg(nb)) + v3_dot(nb, core_b));
  return t->flat ? error : error * fmin(1, t->apart); /* rounding of a direction */
}

/* Returns the index of the point pair with the smallest gap. */
static int lowest(const touch_point *t, int count) {
  int best = 0;
  for (int i = 1; i < count; ++i)
    if (t[i].gap < t[best].gap) best = i;
  return best;
}

/* The closest points of sphere and box or cylinder from inside are certified by the faces. */
static bool is_inside(const solid *a, const solid *b, const pose *at) {
  return b->shape.kind == TOUCH_SPHERE && a->shape.kind != TOUCH_PLANE &&
         !(out_of(&a->shape, at->p) > 0);
}

/* Positions of a few metres: 64 roundings.  Sets of vertices: the smallest angle of random triples
 * magnifies them. */
static double bound_of(touch_kind a, touch_kind b) {
  const bool hull = a == TOUCH_HULL || b == TOUCH_HULL;
  return (hull ? 4096 : 64) * 4 * CHECK_EPS;
}

static void test_gaps(void **state) {
  (void)state;
  check_rng rng = {7};
  for (int ka = 0; ka < TOUCH_KINDS; ++ka)
    for (int kb = ka; kb < TOUCH_KINDS; ++kb) {
      if (!touch_is_known((touch_kind)ka, (touch_kind)kb)) continue;
      double worst = 0;
      int apart = 0, overlap = 0, inside = 0;
      for (int k = 0; k < TRIALS; ++k) {
        solid a, b;
        touch_point t[TOUCH_POINTS];
        make(&a, &rng, (touch_kind)ka);
        make(&b, &rng, (touch_kind)kb);
        const pose at = random_pose(&rng);
        if (is_inside(&a, &b, &at)) {
          ++inside;
          continue;
        }
        const int count = touch_find(t, &a.shape, &b.shape, &at.R, at.p);
        apart += count > 0;
        overlap += count == 0;
        if (!count) continue;
        worst = check_max(worst, certify(&a, &b, &at, &t[lowest(t, count)]));
      }
      char name[64];
      snprintf(name, sizeof name, "%s-%s: %d apart, %d overlap, %d in", kind_name[ka],
               kind_name[kb], apart, overlap, inside);
      check_report(name, worst, bound_of((touch_kind)ka, (touch_kind)kb));
      CHECK_LE(worst, bound_of((touch_kind)ka, (touch_kind)kb));
      CHECK_GE(apart, TRIALS / 4);
    }
}

/* Where cores are said to overlap no direction parts them: among many none does. */
static void test_overlaps(void **state) {
  (void)state;
  check_rng rng = {11};
  const touch_kind kinds[][2] = {{TOUCH_BOX, TOUCH_BOX},
                                 {TOUCH_BOX, TOUCH_HULL},
                                 {TOUCH_HULL, TOUCH_HULL},
                                 {TOUCH_BOX, TOUCH_CAPSULE},
                                 {TOUCH_HULL, TOUCH_CAPSULE}};
  int found = 0;
  for (int k = 0; k < TRIALS; ++k) {
    const int i = k % 5;
    solid a, b;
    touch_point t[TOUCH_POINTS];
    make(&a, &rng, kinds[i][0]);
    make(&b, &rng, kinds[i][1]);
    const pose at = random_pose(&rng);
    if (touch_find(t, &a.shape, &b.shape, &at.R, at.p)) continue;
    ++found;
    for (int way = 0; way < 500; ++way) {
      const v3 n = v3_unit(random_vector(&rng, 1));
      const double apart =
          v3_dot(n, at.p) - reach(&b.shape, m3_tmulv(at.R, v3_neg(n))) - reach(&a.shape, n);
      CHECK_LE(apart, 1e-12);
    }
  }
  CHECK_GE(found, 50);
}

/* The same gap and points from both sides. */
static void test_symmetry(void **state) {
  (void)state;
  check_rng rng = {13};
  const touch_kind kinds[] = {TOUCH_BOX, TOUCH_HULL, TOUCH_CAPSULE, TOUCH_SPHERE};
  double worst = 0;
  for (int k = 0; k < TRIALS; ++k) {
    solid a, b;
    touch_point t[TOUCH_POINTS], s[TOUCH_POINTS];
    make(&a, &rng, kinds[k % 4]);
    make(&b, &rng, kinds[k % 4]);
    const pose at = random_pose(&rng);
    const m3 back = m3_transpose(at.R);
    const int count = touch_find(t, &a.shape, &b.shape, &at.R, at.p);
    CHECK_INT(touch_find(s, &b.shape, &a.shape, &back, v3_neg(m3_mulv(back, at.p))), count);
    if (!count) continue;
    worst = check_max(worst, fabs(t->gap - s->gap));
    worst = check_max(worst, v3_norm(v3_add(t->n, m3_mulv(at.R, s->n))) * t->apart);
  }
  check_report("symmetry", worst, 4096 * 4 * CHECK_EPS);
  CHECK_LE(worst, 4096 * 4 * CHECK_EPS);
}

/* ---- changes ----------------------------------------------------------------------------- */

typedef struct differences {
  double worst;
  int kinks; /* features that change within the differences */
} differences;

static const touch_point *by_id(const touch_point *t, int count, int id) {
  for (int i = 0; i < count; ++i)
    if (t[i].id == id) return &t[i];
  return NULL;
}

/* Errors of touch_move at one pose along one direction, relative to the sizes 1 m and 1 rad. */
static void compare_changes(differences *d, const solid *a, const solid *b, const pose *at,
                            twist e) {
  const double h = 1e-5;
  touch_point t[TOUCH_POINTS], up[TOUCH_POINTS], down[TOUCH_POINTS];
  const pose above = moved(at, tw_scale(e, h)), below = moved(at, tw_scale(e, -h));
  const int count = touch_find(t, &a->shape, &b->shape, &at->R, at->p);
  const int n_up = touch_find(up, &a->shape, &b->shape, &above.R, above.p);
  const int n_down = touch_find(down, &a->shape, &b->shape, &below.R, below.p);
  for (int i = 0; i < count; ++i) {
    const touch_point *u = by_id(up, n_up, t[i].id), *l = by_id(down, n_down, t[i].id);
    if (!u || !l) continue;
    if (u->slides != t[i].slides || l->slides != t[i].slides || u->flat != t[i].flat ||
        l->flat != t[i].flat || v3_norm(v3_sub(u->a, l->a)) > 0.01) {
      ++d->kinks;
      continue;
    }
    const touch_change c = touch_move(&t[i], e);
    const double near = 1 / fmin(1, fmax(t[i].apart, 0.05)); /* third derivatives grow with it */
    const v3 turn = v3_scale(v3_sub(touch_turn(u), touch_turn(l)), 1 / (2 * h));
    double error = fabs(c.gap - (u->gap - l->gap) / (2 * h));
    error = check_max(error, fabs(touch_rate(&t[i], e) - c.gap));
    error = check_max(error, fabs(c.part - (u->part - l->part) / (2 * h)) / 100);
    error = check_max(error, v3_norm(v3_sub(c.turn, turn)) / 1e4);
    error = check_max(error, v3_norm(v3_sub(c.n, v3_scale(v3_sub(u->n, l->n), 1 / (2 * h)))));
    error = check_max(error, v3_norm(v3_sub(c.a, v3_scale(v3_sub(u->a, l->a), 1 / (2 * h)))));
    error = check_max(error, v3_norm(v3_sub(c.b, v3_scale(v3_sub(u->b, l->b), 1 / (2 * h)))));
    d->worst = check_max(d->worst, error / (near * near));
  }
}

static twist random_twist(check_rng *rng) {
  return (twist){random_vector(rng, 1), random_vector(rng, 1)};
}

/* Capsules within 2 degrees of parallel in every other trial. */
static pose nearly_parallel(check_rng *rng) {
  pose at = {so3_rodrigues(random_vector(rng, 0.02)), random_vector(rng, 1)};
  at.p.x += 0.5;
  return at;
}

/* Central differences with h = 1e-5: truncation h^2 times third derivatives of some 1/apart^2, and
 * rounding 4 eps/h = 9e-11; slides along nearly parallel directions magnify both. */
#define CHANGES 2e-6

static void test_changes(void **state) {
  (void)state;
  check_rng rng = {17};
  for (int ka = 0; ka < TOUCH_KINDS; ++ka)
    for (int kb = ka; kb < TOUCH_KINDS; ++kb) {
      const touch_kind kind[2] = {(touch_kind)ka, (touch_kind)kb};
      if (!touch_is_known(kind[0], kind[1]) || !touch_is_smooth(kind[0], kind[1])) continue;
      differences d = {0};
      for (int k = 0; k < TRIALS / 4; ++k) {
        solid a, b;
        make(&a, &rng, kind[0]);
        make(&b, &rng, kind[1]);
        const bool parallel = ka == TOUCH_CAPSULE && kb == TOUCH_CAPSULE && k % 2;
        const pose at = parallel ? nearly_parallel(&rng) : random_pose(&rng);
        compare_changes(&d, &a, &b, &at, random_twist(&rng));
      }
      char name[64];
      snprintf(name, sizeof name, "changes of %s-%s, %d kinks", kind_name[ka], kind_name[kb],
               d.kinks);
      check_report(name, d.worst, CHANGES);
      CHECK_LE(d.worst, CHANGES);
      CHECK_LE(d.kinks, TRIALS / 8);
    }
}

/* Rate of points that glide on a rim against differences of their gaps, and that glides cancel. */
static void test_rim(void **state) {
  (void)state;
  check_rng rng = {19};
  double worst = 0, sum = 0;
  for (int k = 0; k < TRIALS; ++k) {
    solid a, b;
    make(&a, &rng, TOUCH_PLANE);
    make(&b, &rng, TOUCH_CYLINDER);
    const pose at = random_pose(&rng);
    const twist e = random_twist(&rng);
    touch_point t[TOUCH_POINTS], up[TOUCH_POINTS], down[TOUCH_POINTS];
    const pose above = moved(&at, tw_scale(e, 1e-5)), below = moved(&at, tw_scale(e, -1e-5));
    CHECK_INT(touch_find(t, &a.shape, &b.shape, &at.R, at.p), 4);
    touch_find(up, &a.shape, &b.shape, &above.R, above.p);
    touch_find(down, &a.shape, &b.shape, &below.R, below.p);
    const double upright = fmin(1, sqrt(at.R.m[0][2] * at.R.m[0][2] + at.R.m[1][2] * at.R.m[1][2]));
    if (fabs(at.R.m[2][2]) < 1e-3 || upright < 0.05) continue;
    for (int i = 0; i < 4; ++i) {
      const v3 core = m3_tmulv(at.R, v3_sub(t[i].core_b, at.p));
      CHECK_NEAR(sqrt(core.x * core.x + core.y * core.y), b.shape.half.x, 256 * CHECK_EPS);
      CHECK_NEAR(fabs(core.z), b.shape.half.z, 256 * CHECK_EPS);
    }
    for (int i = 0; i < 4; ++i)
      worst = check_max(worst, fabs(touch_rate(&t[i], e) - (up[i].gap - down[i].gap) / 2e-5));
    sum = check_max(sum, v3_norm(v3_add(t[1].glide, t[2].glide)));
    CHECK_LE(fabs(t[1].gap - t[2].gap), 16 * CHECK_EPS);
  }
  check_report("rates on a rim", worst, CHANGES);
  check_report("sum of glides", sum, 64 * CHECK_EPS);
  CHECK_LE(worst, CHANGES);
  CHECK_LE(sum, 64 * CHECK_EPS);
}

/* A cylinder that stands upright: force and moment of springs do not depend on which point of the
 * rim is said to be lowest. */
static void test_upright(void **state) {
  (void)state;
  const touch_shape plane = {.kind = TOUCH_PLANE},
                    drum = {.kind = TOUCH_CYLINDER, .half = {0.5, 0.5, 0.3}, .radius = 0.01};
  double worst = 0;
  const double tilt = 1e-5, depth = 1e-3;
  for (int k = 0; k < 64; ++k) {
    const double angle = 0.1 * k;
    const m3 R = so3_rodrigues((v3){tilt * cos(angle), tilt * sin(angle), 0});
    const v3 p = {0, 0, 0.31 - depth};
    touch_point t[TOUCH_POINTS];
    CHECK_INT(touch_find(t, &plane, &drum, &R, p), 4);
    v3 moment = v3_zero();
    double force = 0;
    for (int i = 0; i < 4; ++i) {
      const double N = fmax(0, -t[i].gap);
      force += N;
      moment = v3_axpy(N, v3_cross(v3_sub(t[i].b, p), t[i].n), moment);
    }
    CHECK_NEAR(force, 3 * depth, 8 * tilt * tilt);
    /* 3/2 radius^2 tilt against the tilt; second order beside */
    const v3 linear = {-0.375 * tilt * cos(angle), -0.375 * tilt * sin(angle), 0};
    const v3 slope = {3 * depth * 0.31 * tilt * cos(angle), 3 * depth * 0.31 * tilt * sin(angle),
                      0};
    worst = check_max(worst, v3_norm(v3_sub(moment, v3_add(linear, slope))));
  }
  check_report("moment of a drum that stands", worst, 8 * tilt * tilt);
  CHECK_LE(worst, 8 * tilt * tilt);
}

/* Capsules: potential sum of part gap^2/2 over depths, its gradient by differences against forces
 * and the moment of shared parts, on the way from crossing to parallel and past the ends. */
static double potential(const touch_point *t, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += t[i].part * t[i].gap * t[i].gap / 2;
  return sum;
}

static void test_parallel_energy(void **state) {
  (void)state;
  check_rng rng = {23};
  double worst = 0;
  for (int k = 0; k < TRIALS; ++k) {
    solid a, b;
    make(&a, &rng, TOUCH_CAPSULE);
    make(&b, &rng, TOUCH_CAPSULE);
    const pose at = nearly_parallel(&rng);
    const twist e = random_twist(&rng);
    const double h = 1e-6;
    touch_point t[TOUCH_POINTS], up[TOUCH_POINTS], down[TOUCH_POINTS];
    const pose above = moved(&at, tw_scale(e, h)), below = moved(&at, tw_scale(e, -h));
    const int count = touch_find(t, &a.shape, &b.shape, &at.R, at.p);
    const double U = potential(up, touch_find(up, &a.shape, &b.shape, &above.R, above.p)),
                 L = potential(down, touch_find(down, &a.shape, &b.shape, &below.R, below.p));
    double power = 0, whole = 0;
    for (int i = 0; i < count; ++i) {
      power += t[i].part * t[i].gap * touch_rate(&t[i], e);
      power += t[i].gap * t[i].gap / 2 * v3_dot(touch_turn(&t[i]), e.ang);
      whole += t[i].part;
    }
    CHECK_NEAR(whole, 1, 8 * CHECK_EPS);
    worst = check_max(worst, fabs(power - (U - L) / (2 * h)));
  }
  /* slopes of parts are 1/0.035: h^2 57^3 + 4 eps/h, and ends that change sides within h */
  check_report("gradient of shared potential", worst, 1e-6);
  CHECK_LE(worst, 1e-6);
}

/* Along paths over edges and ends: gap, normal and points move by no more than the pose does, over
 * the distance of the cores. */
static void test_continuity(void **state) {
  (void)state;
  check_rng rng = {29};
  const touch_kind kinds[][2] = {{TOUCH_BOX, TOUCH_SPHERE},     {TOUCH_CYLINDER, TOUCH_SPHERE},
                                 {TOUCH_CAPSULE, TOUCH_SPHERE}, {TOUCH_HULL, TOUCH_SPHERE},
                                 {TOUCH_BOX, TOUCH_CAPSULE},    {TOUCH_BOX, TOUCH_BOX}};
  for (int pair = 0; pair < 6; ++pair) {
    double jump = 0, gap = 0;
    for (int k = 0; k < 40; ++k) {
      solid a, b;
      make(&a, &rng, kinds[pair][0]);
      make(&b, &rng, kinds[pair][1]);
      const pose from = random_pose(&rng), to = random_pose(&rng);
      const v3 way = v3_sub(to.p, from.p);
      touch_point before = {.gap = HUGE_VAL};
      const int steps = 20000;
      const double step = v3_norm(way) / steps;
      for (int i = 0; i <= steps; ++i) {
        touch_point t[TOUCH_POINTS];
        const v3 p = v3_axpy((double)i / steps, way, from.p);
        const int count = touch_find(t, &a.shape, &b.shape, &from.R, p);
        const double apart = t->gap + a.shape.radius + b.shape.radius;
        if (!count || !(apart > 0.05)) {
          before.gap = HUGE_VAL;
          continue;
        }
        if (before.gap < HUGE_VAL) {
          gap = check_max(gap, fabs(t->gap - before.gap) / step);
          jump = check_max(jump, v3_norm(v3_sub(t->n, before.n)) * apart / step);
        }
        before = *t;
      }
    }
    char name[64];
    snprintf(name, sizeof name, "%s-%s: normal per step", kind_name[kinds[pair][0]],
             kind_name[kinds[pair][1]]);
    check_report(name, jump, 1.05);
    CHECK_LE(gap, 1 + 1e-9);
    CHECK_LE(jump, 1.05); /* (I - n n^T) dv/apart, |dv| <= |dp|: second order in 1e-4/0.05 */
  }
}

/* ---- published cases ---------------------------------------------------------------------- */

/* Balls beside a box of half extents 0.2, 0.1, 0.05 and a cylinder of radius 0.15 and length 0.5:
 * centre, radius, gap, normal; by geometry. */
static const struct {
  touch_kind kind;
  double centre[3], radius, gap, n[3];
} balls[] = {
    {TOUCH_BOX, {0.3, 0.02, 0.01}, 0.06, 0.04, {1, 0, 0}},
    {TOUCH_BOX, {0.25, 0.15, 0.02}, 0.06, 0.01071067811865474, {M_SQRT1_2, M_SQRT1_2, 0}},
    {TOUCH_BOX,
     {0.25, 0.16, 0.1},
     0.06,
     0.032736184954957046,
     {0.5391638660171919, 0.6469966392206304, 0.5391638660171921}},
    {TOUCH_BOX, {0.05, -0.02, 0.04}, 0.06, -0.07, {0, 0, 1}},
    {TOUCH_BOX, {-0.19, 0.01, 0}, 0.06, -0.07, {-1, 0, 0}},
    {TOUCH_CYLINDER,
     {0.3, 0.1, 0.02},
     0.03,
     0.13622776601683795,
     {0.9486832980505138, 0.31622776601683794, 0}},
    {TOUCH_CYLINDER, {0.05, 0.03, 0.4}, 0.03, 0.12, {0, 0, 1}},
    {TOUCH_CYLINDER,
     {0.2, 0.12, 0.3},
     0.03,
     0.06710086128277339,
     {0.7350713495244886, 0.44104280971469306, 0.5149284912560345}},
    {TOUCH_CYLINDER,
     {0.1, 0.02, 0.05},
     0.03,
     -0.07801960972814428,
     {0.9805806756909201, 0.19611613513818402, 0}},
    {TOUCH_CYLINDER, {0.02, 0.01, 0.24}, 0.03, -0.04, {0, 0, 1}},
};

static void test_balls(void **state) {
  (void)state;
  double worst = 0;
  for (size_t i = 0; i < sizeof balls / sizeof *balls; ++i) {
    const touch_shape box = {TOUCH_BOX, {0.2, 0.1, 0.05}, 0, NULL, 0},
                      drum = {TOUCH_CYLINDER, {0.15, 0.15, 0.25}, 0, NULL, 0},
                      ball = {TOUCH_SPHERE, {0, 0, 0}, balls[i].radius, NULL, 0};
    const m3 R = m3_identity();
    touch_point t[TOUCH_POINTS];
    CHECK_INT(touch_find(t, balls[i].kind == TOUCH_BOX ? &box : &drum, &ball, &R,
                         v3_load(balls[i].centre)),
              1);
    worst = check_max(worst, fabs(t->gap - balls[i].gap));
    worst = check_max(worst, v3_norm(v3_sub(t->n, v3_load(balls[i].n))));
  }
  check_report("balls beside box and cylinder", worst, 16 * CHECK_EPS);
  CHECK_LE(worst, 16 * CHECK_EPS);
}

/* The same capsules by the closed form and by their vertices: a hull of two is one. */
static void test_capsules_as_hulls(void **state) {
  (void)state;
  check_rng rng = {31};
  double worst = 0;
  for (int k = 0; k < TRIALS; ++k) {
    solid a, b;
    touch_point t[TOUCH_POINTS], s[TOUCH_POINTS];
    make(&a, &rng, TOUCH_CAPSULE);
    make(&b, &rng, TOUCH_CAPSULE);
    const v3 ends[2] = {{0, 0, -a.shape.half.z}, {0, 0, a.shape.half.z}};
    const touch_shape hull = {TOUCH_HULL, {0, 0, 0}, a.shape.radius, ends, 2};
    const pose at = random_pose(&rng);
    CHECK_GE(touch_find(t, &a.shape, &b.shape, &at.R, at.p), 1);
    CHECK_INT(touch_find(s, &hull, &b.shape, &at.R, at.p), 1);
    worst = check_max(worst, fabs(t->gap - s->gap));
    worst = check_max(worst, v3_norm(v3_sub(t->n, s->n)) * fmin(1, t->apart));
  }
  /* crossings: the determinant of directions apart by an angle has that angle's square */
  check_report("capsules as hulls", worst, 4096 * 4 * CHECK_EPS);
  CHECK_LE(worst, 4096 * 4 * CHECK_EPS);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_gaps),
      cmocka_unit_test(test_overlaps),
      cmocka_unit_test(test_symmetry),
      cmocka_unit_test(test_changes),
      cmocka_unit_test(test_rim),
      cmocka_unit_test(test_upright),
      cmocka_unit_test(test_parallel_energy),
      cmocka_unit_test(test_continuity),
      cmocka_unit_test(test_balls),
      cmocka_unit_test(test_capsules_as_hulls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
