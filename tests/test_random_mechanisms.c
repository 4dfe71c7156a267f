/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Random mechanisms of all kinds of bodies, joints, drives and forces, and what must not matter to them: where the
 * scene stands and how it is turned, the order of its elements, its size; and what must hold: momentum follows
 * impulse, and rest stays rest.  An argument is the number of mechanisms. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"
#include "support.h"

enum { BODIES = 3, STEPS = 40 };

typedef enum joint_kind {
  SPHERICAL,
  REVOLUTE,
  PRISMATIC,
  CYLINDRICAL,
  SCREW,
  PLANAR,
  UNIVERSAL,
  CONSTANT_VELOCITY,
  WELD,
  CONSTANT_ORIENTATION,
  DISTANCE,
  POINT_ON_LINE,
  POINT_ON_PLANE,
  KNIFE_EDGE,
  VELOCITY_CONSTRAINT,
  SENSOR,
  JOINT_KINDS
} joint_kind;

/* `travel`: the coordinate is a length. */
static const struct {
  const char *type, *coordinate, *more;
  bool travel, point; /* b may be a point mass */
} joints[JOINT_KINDS] = {
    [SPHERICAL] = {"spherical", NULL, "", false, true},
    [REVOLUTE] = {"revolute", "angle", ", \"axis\": [0.6, 0, 0.8], \"axis_b\": [0.6, 0, 0.8]",
                  false, false},
    [PRISMATIC] = {"prismatic", "travel", ", \"axis\": [0, 0.6, 0.8]", true, false},
    [CYLINDRICAL] = {"cylindrical", "angle", "", false, false},
    [SCREW] = {"screw", "angle", "", false, false},
    [PLANAR] = {"planar", "x", "", true, false},
    [UNIVERSAL] = {"universal", "angle_a", "", false, false},
    [CONSTANT_VELOCITY] = {"constant_velocity", NULL, "", false, false},
    [WELD] = {"weld", NULL, "", false, false},
    [CONSTANT_ORIENTATION] = {"constant_orientation", NULL, "", false, false},
    [DISTANCE] = {"distance", NULL, "", false, true},
    [POINT_ON_LINE] = {"point_on_line", "travel", "", true, true},
    [POINT_ON_PLANE] = {"point_on_plane", NULL, "", false, true},
    [KNIFE_EDGE] = {"knife_edge", NULL, "", false, false},
    [VELOCITY_CONSTRAINT] = {"velocity_constraint", NULL, ", \"linear\": [0.6, 0.8, 0]", false,
                             true},
    [SENSOR] = {"sensor", "x", "", true, true},
};

typedef enum force_kind {
  SPRING,
  BUSHING,
  AXLE,
  FORCE,
  ATTRACTION,
  COORDINATE_SPRING,
  COORDINATE_FORCE,
  FRICTION,
  ACTUATOR,
  DRIVE,
  VELOCITY_DRIVE,
  CONTROLLED,
  FORCE_KINDS
} force_kind;

typedef struct random_body {
  int group; /* 0 R3xSO3, 1 SE3, 2 a point mass */
  double mass;
  v3 inertia, center;
  se3 frame;
} random_body;

typedef struct mechanism {
  random_body body[BODIES];
  joint_kind joint[BODIES]; /* from the body before, or the ground, to this one */
  se3 a[BODIES], b[BODIES]; /* its markers */
  force_kind force[BODIES];
  v3 given; /* of forces, and their second marker */
} mechanism;

/* What is done to a mechanism: turned, moved, written in another order, scaled. */
typedef struct change {
  se3 move;
  bool reversed;
  double s;
  bool rest; /* without gravity and forces that are given */
  double step;
  int parts; /* of each step; 0 = 1 */
} change;

static v3 random_vector(check_rng *rng, double size) {
  return (v3){check_uniform(rng, -size, size), check_uniform(rng, -size, size),
              check_uniform(rng, -size, size)};
}

static int random_index(check_rng *rng, int count) {
  return (int)check_uniform(rng, 0, count);
}

static se3 random_frame(check_rng *rng, double size) {
  return (se3){so3_exp(random_vector(rng, 1)), random_vector(rng, size)};
}

/* A body on the one before, the markers of whose joint agree; those of a distance and of a sensor do not. */
static void add_body(mechanism *m, int i, check_rng *rng) {
  random_body *b = &m->body[i];
  const bool after_point = i && m->body[i - 1].group == 2;
  b->group = random_index(rng, 3);
  b->mass = check_uniform(rng, 0.5, 2);
  b->inertia = (v3){check_uniform(rng, 0.1, 0.14), check_uniform(rng, 0.1, 0.14),
                    check_uniform(rng, 0.1, 0.14)};
  b->center = random_vector(rng, 0.1);
  b->frame = random_frame(rng, 0.8);
  do m->joint[i] = (joint_kind)random_index(rng, JOINT_KINDS);
  while ((b->group == 2 && !joints[m->joint[i]].point) ||
         (after_point && m->joint[i] != SPHERICAL && m->joint[i] != DISTANCE));
  const se3 before = i ? m->body[i - 1].frame : se3_identity();
  se3 at = random_frame(rng, 0.5);
  if (after_point) at.x = v3_zero();
  if (b->group == 2) b->frame = (se3){so3_identity(), b->frame.x};
  const bool apart = m->joint[i] == DISTANCE || m->joint[i] == SENSOR;
  se3 meet = se3_compose(before, at);
  if (b->group == 2 && !apart) { /* the point is where marker a is */
    b->frame.x = meet.x;
    m->b[i] = (se3){meet.R, v3_zero()};
  } else {
    m->b[i] = apart ? (se3){so3_exp(random_vector(rng, 1)),
                            b->group == 2 ? v3_zero() : random_vector(rng, 0.3)}
                    : se3_compose(se3_inverse(b->frame), meet);
  }
  m->a[i] = at;
  m->force[i] = (force_kind)random_index(rng, FORCE_KINDS);
}

static void draw(mechanism *m, uint64_t seed) {
  check_rng rng = {seed * 7919 + 17};
  *m = (mechanism){.given = random_vector(&rng, 1)};
  for (int i = 0; i < BODIES; ++i) add_body(m, i, &rng);
}

/* ---- the scene --------------------------------------------------------------------------------- */

static void put_vector(text *t, const char *key, v3 x) {
  text_printf(t, ", \"%s\": [%.17g, %.17g, %.17g]", key, x.x, x.y, x.z);
}

static void put_frame(text *t, se3 H, double s) {
  put_vector(t, "position", v3_scale(H.x, s));
  text_printf(t, ", \"orientation\": {\"quaternion\": [%.17g, %.17g, %.17g, %.17g]}", H.R.w, H.R.x,
              H.R.y, H.R.z);
}

static void put_marker(text *t, const char *key, const mechanism *m, const change *c, int body,
                       se3 H) {
  if (body < 0) {
    text_printf(t, ", \"%s\": {\"body\": \"ground\"", key);
    put_frame(t, se3_compose(c->move, H), c->s);
  } else {
    text_printf(t, ", \"%s\": {\"body\": \"b%d\"", key, body);
    if (m->body[body].group == 2) H.x = v3_zero();
    put_frame(t, H, c->s);
  }
  text_append(t, "}");
}

static void put_body(text *t, const mechanism *m, const change *c, int i) {
  static const char *const groups[] = {"R3xSO3", "SE3"};
  const random_body *b = &m->body[i];
  const double mass = b->mass * pow(c->s, 3);
  const se3 at = se3_compose(c->move, b->frame);
  text_printf(t, "{\"name\": \"b%d\", \"type\": \"%s\", \"mass\": %.17g", i,
              b->group == 2 ? "point_mass" : "rigid_body", mass);
  if (b->group == 2) {
    put_vector(t, "position", v3_scale(at.x, c->s));
  } else {
    put_vector(t, "inertia", v3_scale(b->inertia, pow(c->s, 5)));
    put_vector(t, "center_of_mass", v3_scale(b->center, c->s));
    put_frame(t, at, c->s);
    text_printf(t, ", \"group\": \"%s\"", groups[b->group]);
  }
  text_append(t, "}");
}

static void put_joint(text *t, const mechanism *m, const change *c, int i) {
  text_printf(t, "{\"name\": \"j%d\", \"type\": \"%s\"%s", i, joints[m->joint[i]].type,
              joints[m->joint[i]].more);
  if (m->joint[i] == SCREW) text_printf(t, ", \"pitch\": %.17g", 0.3 * c->s);
  put_marker(t, "a", m, c, i - 1, m->a[i]);
  put_marker(t, "b", m, c, i, m->b[i]);
  text_append(t, "}");
}

/* Does the mechanism's force i act along the coordinate of joint i, and what stands in its place if there is none? */
static force_kind kind_of(const mechanism *m, int i) {
  const force_kind f = m->force[i];
  const joint_kind j = m->joint[i];
  const bool along = f >= COORDINATE_SPRING && f != CONTROLLED;
  const bool points = m->body[i].group == 2 || (i && m->body[i - 1].group == 2);
  if ((along || f == CONTROLLED) && !joints[j].coordinate) return SPRING;
  if (f == FRICTION && j == SENSOR) return COORDINATE_SPRING;
  if ((f == DRIVE || f == VELOCITY_DRIVE) && j == SENSOR) return COORDINATE_FORCE;
  if ((f == BUSHING || f == AXLE) && (points || j == DISTANCE || j == SENSOR)) return SPRING;
  return f;
}

/* Powers of the scale for a force, or a moment where the coordinate is an angle. */
static double effort(const change *c, bool travel) {
  return pow(c->s, travel ? 3 : 4);
}

static bool is_joint(force_kind f) {
  return f == DRIVE || f == VELOCITY_DRIVE;
}

static void put_along(text *t, const mechanism *m, const change *c, int i, force_kind f) {
  const joint_kind j = m->joint[i];
  const bool travel = joints[j].travel;
  const double T = sqrt(c->s), Q = effort(c, travel), L = travel ? c->s : 1, off = c->rest ? 0 : 1;
  text_printf(t, ", \"coordinate\": \"j%d.%s\"", i, joints[j].coordinate);
  if (f == COORDINATE_SPRING)
    text_printf(t, ", \"stiffness\": %.17g, \"damping\": %.17g", 3 * Q / L, 0.2 * Q * T / L);
  if (f == COORDINATE_FORCE) text_printf(t, ", \"effort\": \"%.17g*sin(3*t/%.17g)\"", off * Q, T);
  if (f == FRICTION)
    text_printf(t, ", \"coulomb\": %.17g, \"rate_width\": %.17g", 0.2 * Q, 0.3 * L / T);
  if (f == ACTUATOR)
    text_printf(t, ", \"target\": \"%.17g*sin(2*t/%.17g)^2 + %.17g\", \"kp\": %.17g, \"kd\": %.17g",
                off * 0.2 * L, T, 0.0, j == SENSOR && c->rest ? 0 : 5 * Q / L, 0.3 * Q * T / L);
  if (f == DRIVE) text_printf(t, ", \"motion\": \"%.17g*sin(2*t/%.17g)^2\"", off * 0.2 * L, T);
  if (f == VELOCITY_DRIVE)
    text_printf(t, ", \"rate\": \"%.17g*sin(2*t/%.17g)\"", off * 0.4 * L / T, T);
}

static void put_pair(text *t, const mechanism *m, const change *c, int i, force_kind f) {
  const double s = c->s, k = 20 * s * s, d = pow(s, 2.5);
  const bool bushing = f == BUSHING || f == AXLE;
  if (bushing) {
    put_marker(t, "a", m, c, i - 1, m->a[i]);
    put_marker(t, "b", m, c, i, m->b[i]);
    put_vector(t, "stiffness", (v3){k, 2 * k, 3 * k});
    put_vector(t, "rotational_stiffness",
               (v3){k * s * s, 2 * k * s * s, f == AXLE ? 0 : k * s * s});
    put_vector(t, "rotational_damping", (v3){d * s * s, d * s * s, 0.1 * d * s * s});
    return;
  }
  const se3 far = {so3_identity(), v3_add(m->given, (v3){3, 0, 0})};
  const se3 arm = {so3_identity(), v3_scale(m->given, 0.2)};
  put_marker(t, "a", m, c, -1, far);
  put_marker(t, "b", m, c, i, arm);
  if (f == ATTRACTION)
    text_printf(t, ", \"strength\": %.17g", c->rest ? 0 : 5 * pow(s, 5));
  else
    text_printf(t, ", \"stiffness\": %.17g, \"damping\": %.17g", k, d);
}

static void put_force(text *t, const mechanism *m, const change *c, int i) {
  static const char *const types[] = {
      "spring_damper",    "bushing",  "bushing",  "force", "attraction",     "coordinate_spring",
      "coordinate_force", "friction", "actuator", "drive", "velocity_drive", "force"};
  const force_kind f = kind_of(m, i);
  text_printf(t, "{\"name\": \"f%d\", \"type\": \"%s\"", i, types[f]);
  if (f == FORCE || f == CONTROLLED) {
    const se3 arm = {so3_identity(), v3_scale(m->given, 0.2)};
    const v3 world = so3_rotate(c->move.R, m->given);
    put_marker(t, "at", m, c, i, arm);
    put_vector(t, "force", v3_scale(world, (c->rest ? 0 : 2) * pow(c->s, 3)));
    if (f == CONTROLLED)
      text_printf(t, ", \"scale\": \"1 - cos(j%d.%s/%.17g)\"", i, joints[m->joint[i]].coordinate,
                  joints[m->joint[i]].travel ? c->s : 1);
  } else if (f >= COORDINATE_SPRING) {
    put_along(t, m, c, i, f);
  } else {
    put_pair(t, m, c, i, f);
  }
  text_append(t, "}");
}

static void put_list(text *t, const mechanism *m, const change *c, bool wanted_joints, int *count) {
  for (int k = 0; k < BODIES; ++k) {
    const int i = c->reversed ? BODIES - 1 - k : k;
    if (is_joint(kind_of(m, i)) != wanted_joints) continue;
    if ((*count)++) text_append(t, ", ");
    put_force(t, m, c, i);
  }
}

static char *write_scene(const mechanism *m, const change *c) {
  text t = {0};
  const v3 g = so3_rotate(c->move.R, (v3){1, 2, c->rest ? 0 : -9});
  const double T = sqrt(c->s);
  int count = 0;
  text_append(&t, "{\"torsor\": 1");
  put_vector(&t, "gravity", v3_scale(g, c->rest ? 0 : 1));
  text_append(&t, ", \"bodies\": [");
  for (int k = 0; k < BODIES; ++k) {
    text_append(&t, k ? ", " : "");
    put_body(&t, m, c, c->reversed ? BODIES - 1 - k : k);
  }
  text_append(&t, "], \"joints\": [");
  for (int k = 0; k < BODIES; ++k, ++count) {
    text_append(&t, k ? ", " : "");
    put_joint(&t, m, c, c->reversed ? BODIES - 1 - k : k);
  }
  put_list(&t, m, c, true, &count);
  text_append(&t, "], \"forces\": [");
  count = 0;
  put_list(&t, m, c, false, &count);
  text_printf(
      &t, "], \"simulation\": {\"step\": %.17g, \"duration\": %.17g}, \"output\": {\"signals\": [",
      c->step * T / (c->parts ? c->parts : 1), c->step * STEPS * T);
  for (int i = 0; i < BODIES; ++i) text_printf(&t, "\"b%d.position\", ", i);
  text_append(&t, "\"momentum\", \"impulse\"]}}");
  return text_take(&t);
}

/* ---- properties -------------------------------------------------------------------------------- */

enum { COLUMNS = 3 * BODIES + 6, PROPERTIES = 6 };

/* Signals at the end; false where the run does not get there. */
static bool run(double out[COLUMNS], double start[COLUMNS], const mechanism *m, const change *c,
                torsor_error *error) {
  char *scene = write_scene(m, c);
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  *error = (torsor_error){0};
  torsor_status status = support_open(&world, scene, NULL, error);
  if (!status) {
    status = support_run(&trace, &summary, &world, error);
    for (int k = 0; !status && k < COLUMNS; ++k) {
      out[k] = support_row(&trace, trace.rows - 1)[1 + k];
      start[k] = support_row(&trace, 0)[1 + k];
    }
    support_trace_release(&trace);
    support_close(&world);
  }
  free(scene);
  return !status;
}

typedef struct tally {
  int runs, refused, differ[PROPERTIES];
  double worst[PROPERTIES];
} tally;

static const char *const properties[] = {
    "turned and moved",    "other order", "a ten-thousandth of the size",
    "1000 times the size", "rest",        "momentum and impulse"};

/* The largest difference of positions in parts of what they move, 1 m at least. */
static double difference(const double *base, const double *other, const change *c) {
  double worst = 0;
  for (int i = 0; i < BODIES; ++i) {
    const v3 x = v3_add(so3_rotate(c->move.R, v3_load(base + 3 * i)), c->move.x);
    worst = check_max(worst, v3_norm(v3_sub(x, v3_scale(v3_load(other + 3 * i), 1 / c->s))));
  }
  return worst;
}

/* Newton's tolerance of 1e-10 in each of 40 steps, which what is unstable may make grow by a factor of 100 in the time
 * of the run; rest: rounding of as many steps. */
#define SAME  (1e-10 * STEPS * 100)
#define STILL (1e5 * CHECK_EPS)

static void compare_with(tally *t, int property, uint64_t seed, const mechanism *m,
                         const double *base, const change *c, double bound) {
  double end[COLUMNS], start[COLUMNS];
  torsor_error error;
  const bool ran = run(end, start, m, c, &error);
  const double off = !ran ? HUGE_VAL : difference(property == 4 ? start : base, end, c);
  if (ran) t->worst[property] = check_max(t->worst[property], off);
  if (off <= bound) return;
  ++t->differ[property];
  print_error("mechanism %llu, %s: off by %.3g %s\n", (unsigned long long)seed,
              properties[property], off, ran ? "" : error.message);
  for (int i = 0; i < BODIES; ++i)
    print_error("    %s on %s, force %d\n", joints[m->joint[i]].type,
                m->body[i].group == 2 ? "a point"
                : m->body[i].group    ? "SE3"
                                      : "R3xSO3",
                (int)kind_of(m, i));
}

/* What momentum has gained less the impulse of all forces. */
static double unbalanced(const double *start, const double *end) {
  const double *p = end + 3 * BODIES, *p0 = start + 3 * BODIES;
  return v3_norm(v3_sub(v3_sub(v3_load(p), v3_load(p0)), v3_sub(v3_load(p + 3), v3_load(p0 + 3))));
}

/* Momenta are of the size 10 N s.  What the quadrature of the impulse leaves is of second order: steps of half the size
 * leave a quarter, at most a third, and Newton's tolerance. */
#define BALANCED (1e-10 * 10 * STEPS)

static void check_momentum(tally *t, uint64_t seed, const mechanism *m, double coarse) {
  double end[COLUMNS], start[COLUMNS];
  torsor_error error;
  const change halved = {.move = se3_identity(), .s = 1, .step = 2e-3, .parts = 2};
  const double fine = run(end, start, m, &halved, &error) ? unbalanced(start, end) : HUGE_VAL;
  t->worst[5] = check_max(t->worst[5], fine);
  if (fine <= coarse / 3 + BALANCED) return;
  ++t->differ[5];
  print_error("mechanism %llu: momentum less impulse %.3g, with half the step %.3g\n",
              (unsigned long long)seed, coarse, fine);
}

static void try_mechanism(tally *t, uint64_t seed) {
  mechanism m;
  double base[COLUMNS], start[COLUMNS];
  torsor_error error;
  const change plain = {.move = se3_identity(), .s = 1, .step = 2e-3};
  draw(&m, seed);
  if (!run(base, start, &m, &plain, &error)) {
    ++t->refused;
    print_message("  mechanism %llu: %s\n", (unsigned long long)seed, error.message);
    return;
  }
  ++t->runs;
  const se3 there = {so3_exp((v3){0.7, -1.1, 0.4}), {0.5, -0.3, 0.8}}, here = se3_identity();
  const change moved = {.move = there, .s = 1, .step = 2e-3};
  const change reversed = {.move = here, .reversed = true, .s = 1, .step = 2e-3};
  const change small = {.move = here, .s = 1e-4, .step = 2e-3};
  const change large = {.move = here, .s = 1e3, .step = 2e-3};
  const change rest = {.move = here, .s = 1, .rest = true, .step = 2e-3};
  compare_with(t, 0, seed, &m, base, &moved, SAME);
  compare_with(t, 1, seed, &m, base, &reversed, SAME);
  compare_with(t, 2, seed, &m, base, &small, SAME);
  compare_with(t, 3, seed, &m, base, &large, SAME);
  check_momentum(t, seed, &m, unbalanced(start, base));
  bool sensor = false;
  for (int i = 0; i < BODIES; ++i)
    sensor |=
        m.joint[i] == SENSOR && (kind_of(&m, i) == ACTUATOR || kind_of(&m, i) == COORDINATE_SPRING);
  if (!sensor) compare_with(t, 4, seed, &m, base, &rest, STILL);
}

static int wanted = 200;

static void nothing_else_matters(void **state) {
  (void)state;
  tally t = {0};
  int wrong = 0;
  for (int seed = 1; seed <= wanted; ++seed) try_mechanism(&t, (uint64_t)seed);
  print_message("  %d mechanisms, %d refused\n", t.runs, t.refused);
  for (int k = 0; k < PROPERTIES; ++k) {
    if (k == 5)
      print_message("  %s, largest difference with half the step: %.3g N s\n", properties[k],
                    t.worst[k]);
    else
      check_report(properties[k], t.worst[k], k == 4 ? STILL : SAME);
    wrong += t.differ[k];
  }
  CHECK_INT(wrong, 0);
  CHECK_GE(t.runs, wanted * 3 / 4);
}

int main(int argc, char **argv) {
  if (argc > 1) wanted = atoi(argv[1]);
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_else_matters)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
