/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joints in motion against closed solutions, on both groups. */
#include "check.h"

#include "closed.h"

#define GRAVITY 10.0

/* Uniform and uniformly accelerated motion is followed exactly (the method is exact for parabolas):
 * what is left is Newton's tolerance on accelerations of some 10, twice integrated over 4 s, and
 * round-off of 400 steps. */
#define EXACT 1e-9
/* Forces: rounding of positions up to 80 m over beta h^2, h = 0.01, times 2 kg and the growth of 34 of
 * errors of the multipliers (S4 section 4.1). */
#define ROUNDED_FORCE (80 * CHECK_EPS / (0.277 * 1e-4) * 2 * 34)

typedef struct exact_case {
  const char *title, *text, *signal;
  double (*exact)(double t);
  double bound;
} exact_case;

#define FALL(bodies, joints)                                                                       \
  "{\"torsor\": 1, \"gravity\": [0, 0, -10], \"bodies\": [" bodies "], \"joints\": [" joints "]}"

static double incline(double t) {
  return -0.8 * GRAVITY * t * t / 2;
}
static double fall(double t) {
  return -GRAVITY * t * t / 2;
}
static double spin(double t) {
  return 7 * t;
}
static double slide(double t) {
  return 3 * t;
}
/* (m l^2 + J) angle'' = -m g l, l = pitch/(2 pi). */
static double thread_angle(double t) {
  const double lead = 0.5 / (2 * PI);
  return -2 * GRAVITY * lead / (2 * lead * lead + 0.2) * t * t / 2;
}
static double thread_travel(double t) {
  return 0.5 / (2 * PI) * thread_angle(t);
}
static double one(double t) {
  (void)t;
  return 1;
}
/* Reaction of a plane with normal (0.6, 0, 0.8) on a mass of 2 kg: m g 0.8, z component. */
static double reaction(double t) {
  (void)t;
  return 2 * GRAVITY * 0.8 * 0.8;
}

#define PISTON                                                                                     \
  FALL(BODY("body", ", \"angular_velocity\": [0, 0, 7]"),                                          \
       "{\"name\": \"j\", \"type\": \"cylindrical\", \"a\": \"ground\", \"b\": \"body\"}")
#define THREAD                                                                                     \
  FALL(BODY("body", ""), "{\"name\": \"j\", \"type\": \"screw\", \"pitch\": 0.5,"                  \
                         " \"a\": \"ground\", \"b\": \"body\"}")
#define PUCK(more)                                                                                 \
  FALL(BODY("body", more),                                                                         \
       "{\"name\": \"j\", \"type\": \"planar\", \"a\": \"ground\", \"b\": \"body\"}")
#define TRAY                                                                                       \
  FALL(                                                                                            \
      BODY("body", ", \"center_of_mass\": [0.1, 0.2, 0]"),                                         \
      "{\"name\": \"j\", \"type\": \"constant_orientation\", \"a\": \"ground\", \"b\": \"body\"}")
#define FLOOR                                                                                      \
  FALL("{\"name\": \"body\", \"type\": \"point_mass\", \"mass\": 2}",                              \
       "{\"name\": \"j\", \"type\": \"point_on_plane\", \"normal\": [0.6, 0, 0.8],"                \
       " \"a\": \"ground\", \"b\": \"body\"}")

static const exact_case exact_cases[] = {
    {"prismatic",
     FALL(BODY("body", ", \"orientation\": {\"rotation_vector\": [0.3, 0.2, 0.1]}"),
          "{\"name\": \"j\", \"type\": \"prismatic\", \"axis\": [0.6, 0, 0.8], \"a\": \"ground\","
          " \"b\": {\"body\": \"body\", \"position\": [0, 0, 0]}}"),
     "j.travel", incline, EXACT},
    {"cylindrical slides", PISTON, "j.travel", fall, EXACT},
    {"cylindrical turns", PISTON, "j.angle", spin, EXACT},
    {"screw turns", THREAD, "j.angle", thread_angle, EXACT},
    {"screw travels", THREAD, "j.travel", thread_travel, EXACT},
    {"planar slides", PUCK(", \"velocity\": [3, 0, 0]"), "j.x", slide, EXACT},
    {"planar turns", PUCK(", \"angular_velocity\": [0, 0, 7]"), "j.angle", spin, EXACT},
    {"point on line",
     FALL("{\"name\": \"body\", \"type\": \"point_mass\", \"mass\": 2}",
          "{\"name\": \"j\", \"type\": \"point_on_line\", \"axis\": [0.6, 0, 0.8],"
          " \"a\": \"ground\", \"b\": \"body\"}"),
     "j.travel", incline, EXACT},
    {"point on plane presses", FLOOR, "j.force.z", reaction, ROUNDED_FORCE},
    {"constant orientation falls", TRAY, "body.position.z", fall, EXACT},
    {"constant orientation holds", TRAY, "body.quaternion.w", one, EXACT},
};

static void exact_motions(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof exact_cases / sizeof *exact_cases; ++i) {
    const exact_case *c = &exact_cases[i];
    const char *const signals[] = {c->signal, NULL};
    double worst = 0;
    for (int group = 0; group < 2; ++group) {
      support_trace trace = closed_run(c->text, signals, closed_groups[group], 0.01, 4);
      worst = check_max(worst, closed_off(&trace, 1, c->exact));
      support_trace_release(&trace);
    }
    check_report(c->title, worst, c->bound);
    CHECK_LE(worst, c->bound);
  }
}

/* ---- universal joint ------------------------------------------------------------------------- */

/* Shafts at an angle of 0.5 rad, the first turning with 2 rad/s, its arm at the start in the plane of
 * the shafts: w2/w1 = cos b/(1 - sin^2 b cos^2 angle). */
static double cardan_rate(double t) {
  const double s = sin(0.5) * cos(2 * t);
  return 2 * cos(0.5) / (1 - s * s);
}

#define CARDAN                                                                                     \
  SCENE(BODY("in", "") ", " BODY("out", ", \"orientation\": {\"rotation_vector\": [0, 0.5, 0]}"),  \
        "{\"name\": \"axle\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"in\"},"          \
        "{\"name\": \"cross\", \"type\": \"universal\", \"a\": \"in\", \"b\": \"out\"},"           \
        "{\"name\": \"bearing\", \"type\": \"point_on_line\", \"a\": {\"body\": \"ground\","       \
        " \"orientation\": {\"rotation_vector\": [0, 0.5, 0]}},"                                   \
        " \"b\": {\"body\": \"out\", \"position\": [0, 0, 1]}},"                                   \
        "{\"name\": \"motor\", \"type\": \"drive\", \"coordinate\": \"axle.angle\","               \
        " \"motion\": \"2*t\"}",                                                                   \
        "")

static void universal_joint(void **state) {
  (void)state;
  const closed_case rate = {"Cardan's rate", CARDAN, "out.angular_velocity.z",
                            cardan_rate,     0.01,   4};
  closed_check(&rate);
}

/* ---- many turns ------------------------------------------------------------------------------ */

/* A screw and its angle stay together over 100 turns. */
static void many_turns(void **state) {
  (void)state;
  static const char *const signals[] = {"j.travel", "j.angle", NULL};
  support_trace trace = closed_run(THREAD, signals, "R3xSO3", 0.01, 20);
  const double *last = support_row(&trace, trace.rows - 1);
  const double off = fabs(last[1] - 0.5 / (2 * PI) * last[2]);
  print_message("  %.1f turns\n", last[2] / (2 * PI));
  CHECK_GE(fabs(last[2]) / (2 * PI), 100);
  check_report("travel - pitch turns, m", off, 1e-11);
  CHECK_LE(off, 1e-11); /* round-off of 100 m and 1000 rad, a few units */
  support_trace_release(&trace);
}

/* ---- wrong use ------------------------------------------------------------------------------- */

static void check_refused(const char *text, const char *change, const char *message,
                          const char *hint) {
  const char *const set[] = {change, NULL};
  support_world world;
  torsor_error error = {0};
  CHECK_INT(support_open(&world, text, set, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, message);
  CHECK_CONTAINS(error.hint, hint);
}

static void wrong_use(void **state) {
  (void)state;
  check_refused(THREAD, "joints.j.pitch=0", "the pitch of screw \"j\" is 0", "revolute");
  check_refused(CARDAN, "joints.cross.axis_b=[0.8775825618903728,0,0.479425538604203]",
                "parallel at the start", "perpendicular");
  check_refused(CARDAN, "joints.cross.b=in", "has both markers on the same body",
                "connects two bodies");
  check_refused(THREAD, "joints.j.b=ground", "has both markers on the ground",
                "connects two bodies");
  check_refused(FLOOR, "joints.j.type=planar", "no orientation to hold", "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_motions),
      cmocka_unit_test(universal_joint),
      cmocka_unit_test(many_turns),
      cmocka_unit_test(wrong_use),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
