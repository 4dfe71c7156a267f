/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joints in motion against closed solutions, on both groups. */
#include <stdio.h>

#include "check.h"

#include "closed.h"

#define GRAVITY 10.0

/* Uniform and uniformly accelerated motion is followed exactly (the method is exact for parabolas):
 * what is left is Newton's tolerance on accelerations of some 10, twice integrated over 4 s, and
 * round-off of 400 steps. */
#define EXACT 1e-9
/* Forces: rounding of positions up to 80 m over beta h^2, h = 0.01, times 2 kg and the growth of 34
 * of errors of the multipliers (S4 section 4.1). */
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
  FALL("{\"name\": \"body\", \"type\": \"point_mass\", \"mass\": 2, \"position\": [0.6, 0, 0.8]}", \
       "{\"name\": \"j\", \"type\": \"point_on_plane\", \"normal\": [0.6, 0, 0.8], \"height\": 1," \
       " \"a\": \"ground\", \"b\": \"body\"}")
#define WIRE                                                                                       \
  FALL("{\"name\": \"body\", \"type\": \"point_mass\", \"mass\": 2}",                              \
       "{\"name\": \"j\", \"type\": \"point_on_line\", \"axis\": [0.6, 0, 0.8],"                   \
       " \"a\": \"ground\", \"b\": \"body\"}")
/* The axis of the bore is -x of the body. */
#define LYING                                                                                      \
  FALL(BODY("body", ", \"orientation\": {\"rotation_vector\": [0, 1.5707963267948966, 0]},"        \
                    " \"angular_velocity\": [-7, 0, 0]"),                                          \
       "{\"name\": \"j\", \"type\": \"cylindrical\", \"a\": \"ground\", \"b\": \"body\"}")

static const exact_case exact_cases[] = {
    {"prismatic",
     FALL(BODY("body", ", \"orientation\": {\"rotation_vector\": [0.3, 0.2, 0.1]}"),
          "{\"name\": \"j\", \"type\": \"prismatic\", \"axis\": [0.6, 0, 0.8], \"a\": \"ground\","
          " \"b\": {\"body\": \"body\", \"position\": [0, 0, 0]}}"),
     "j.travel", incline, EXACT},
    {"cylindrical slides", PISTON, "j.travel", fall, EXACT},
    {"cylindrical turns", PISTON, "j.angle", spin, EXACT},
    {"cylindrical turns lying", LYING, "j.angle", spin, EXACT},
    {"screw turns", THREAD, "j.angle", thread_angle, EXACT},
    {"screw travels", THREAD, "j.travel", thread_travel, EXACT},
    {"planar slides", PUCK(", \"velocity\": [3, 0, 0]"), "j.x", slide, EXACT},
    {"planar turns", PUCK(", \"angular_velocity\": [0, 0, 7]"), "j.angle", spin, EXACT},
    {"point on line", WIRE, "j.travel", incline, EXACT},
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

/* Shafts at an angle of 0.5 rad, the first turning with 2 rad/s, its arm at the start in the plane
 * of the shafts: w2/w1 = cos b/(1 - sin^2 b cos^2 angle). */
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
  closed_check_given(&rate, 2 / cos(0.5));
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

/* ---- both arms of the universal joint -------------------------------------------------------- */

#define ARM_A "3*t"
#define ARM_B "0.8*sin(2*t)"
#define ARMS                                                                                       \
  SCENE(BODY("body", ", \"orientation\": {\"rotation_vector\": [0, 0.7, 0]}"),                     \
        "{\"name\": \"j\", \"type\": \"universal\", \"a\": \"ground\", \"b\": \"body\"},"          \
        "{\"name\": \"ma\", \"type\": \"drive\", \"coordinate\": \"j.angle_a\", \"motion\": "      \
        "\"" ARM_A "\"}, {\"name\": \"mb\", \"type\": \"drive\", \"coordinate\": \"j.angle_b\","   \
        " \"motion\": \"" ARM_B "\"}",                                                             \
        "")

/* Entries of R = exp(angle_a x) exp((0.7 + angle_b) y): both angles are zero at the start. */
static double arms_xx(double t) {
  return cos(0.7 + 0.8 * sin(2 * t));
}
static double arms_zx(double t) {
  return -cos(3 * t) * sin(0.7 + 0.8 * sin(2 * t));
}
static double arms_zy(double t) {
  return sin(3 * t);
}

/* Entries R_xx, R_zx, R_zy of the rotation with the quaternion q = (w, x, y, z). */
static void rotation_entries(double *out, const double *q) {
  out[0] = 1 - 2 * (q[2] * q[2] + q[3] * q[3]);
  out[1] = 2 * (q[1] * q[3] - q[0] * q[2]);
  out[2] = 2 * (q[2] * q[3] + q[0] * q[1]);
}

/* Angles are constraints on positions: they hold to Newton's tolerance. */
static void check_rotation(const char *title, const char *text, const char *quaternion,
                           double (*const exact[3])(double t)) {
  const char *const signals[] = {quaternion, NULL};
  double worst = 0;
  for (int group = 0; group < 2; ++group) {
    support_trace trace = closed_run(text, signals, closed_groups[group], 0.01, 4);
    CHECK_INT(trace.columns, 5);
    for (int i = 0; i < trace.rows; ++i) {
      const double *row = support_row(&trace, i);
      double entry[3];
      rotation_entries(entry, row + 1);
      for (int k = 0; k < 3; ++k) worst = check_max(worst, fabs(entry[k] - exact[k](row[0])));
    }
    support_trace_release(&trace);
  }
  check_report(title, worst, EXACT);
  CHECK_LE(worst, EXACT);
}

static void universal_angles(void **state) {
  (void)state;
  double (*const exact[])(double) = {arms_xx, arms_zx, arms_zy};
  check_rotation("both arms driven: entries of R", ARMS, "body.quaternion", exact);
}

/* ---- constant velocity joint ----------------------------------------------------------------- */

/* Shafts in fixed bearings at an angle of 0.5 rad; the first is driven unevenly. */
#define KNUCKLE                                                                                    \
  SCENE(BODY("in", "") ", " BODY("out", ", \"orientation\": {\"rotation_vector\": [0, 0.5, 0]}"),  \
        "{\"name\": \"axle\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"in\"},"          \
        "{\"name\": \"cross\", \"type\": \"constant_velocity\", \"axis_b\": [0, 0, 1],"            \
        " \"a\": \"in\", \"b\": \"out\"},"                                                         \
        "{\"name\": \"bearing\", \"type\": \"point_on_line\", \"a\": {\"body\": \"ground\","       \
        " \"orientation\": {\"rotation_vector\": [0, 0.5, 0]}},"                                   \
        " \"b\": {\"body\": \"out\", \"position\": [0, 0, 1]}},"                                   \
        "{\"name\": \"motor\", \"type\": \"drive\", \"coordinate\": \"axle.angle\","               \
        " \"motion\": \"2*t + sin(3*t)\"}",                                                        \
        "")

static double knuckle_angle(double t) {
  return 2 * t + sin(3 * t);
}
/* Entries of R = exp(0.5 y) exp(angle z): the angle of the second shaft is that of the first. */
static double knuckle_xx(double t) {
  return cos(0.5) * cos(knuckle_angle(t));
}
static double knuckle_zx(double t) {
  return -sin(0.5) * cos(knuckle_angle(t));
}
static double knuckle_zy(double t) {
  return sin(0.5) * sin(knuckle_angle(t));
}

static void constant_velocity(void **state) {
  (void)state;
  double (*const exact[])(double) = {knuckle_xx, knuckle_zx, knuckle_zy};
  check_rotation("equal angles of both shafts: entries of R", KNUCKLE, "out.quaternion", exact);
}

/* ---- two tumbling bodies --------------------------------------------------------------------- */

/* Markers away from both origins and turned against the bodies, b as a or otherwise; the axis is
 * (0.6, 0, 0.8) of either body.  X, Y, Z: b moved by half a metre along an axis of a. */
#define TURNED  ", \"orientation\": {\"rotation_vector\": [0, 0.6435011087932844, 0]}}"
#define BENT    ", \"orientation\": {\"rotation_vector\": [0.4, 0.2, -0.3]}}"
#define AT_A    "\"a\": {\"body\": \"one\", \"position\": [0.4, -0.1, 0.2]" TURNED
#define AT_B    "\"b\": {\"body\": \"two\", \"position\": [-0.3, 0.1, 0.2]" TURNED
#define AT_BENT "\"b\": {\"body\": \"two\", \"position\": [-0.3, 0.1, 0.2]" BENT
#define AT_X    "\"b\": {\"body\": \"two\", \"position\": [0.1, 0.1, -0.1]" TURNED
#define AT_Y    "\"b\": {\"body\": \"two\", \"position\": [-0.3, 0.6, 0.2]" TURNED
#define AT_Z    "\"b\": {\"body\": \"two\", \"position\": [0, 0.1, 0.6]" TURNED
#define LINK(name, type, more, b)                                                                  \
  "{\"name\": \"" name "\", \"type\": \"" type "\", " more AT_A ", " b "}"

#define ONE                                                                                        \
  BODY("one", ", \"center_of_mass\": [0.1, 0, 0.05], \"velocity\": [0.3, 0, 0.2],"                 \
              " \"angular_velocity\": [0.5, 1, -0.7]")
#define TWO BODY("two", ", \"center_of_mass\": [0, 0.1, -0.1], \"position\": [0.7, -0.2, 0]")
#define PUSH                                                                                       \
  "{\"name\": \"push\", \"type\": \"force\", \"force\": [3, -2, 1],"                               \
  " \"at\": {\"body\": \"two\", \"position\": [0.3, 0.2, 0.1]}}"
#define TUMBLE(joints)      SCENE(ONE ", " TWO, joints, PUSH)
#define BOTH(first, second) TUMBLE(first ", " second)
#define NORMAL_X            "\"normal\": [1, 0, 0], "
#define NORMAL_Y            "\"normal\": [0, 1, 0], "
#define SAME_SCREW                                                                                 \
  BOTH(LINK("p", "cylindrical", "", AT_BENT),                                                      \
       "{\"name\": \"q\", \"type\": \"coupling\", \"first\": \"p.travel\","                        \
       " \"second\": \"p.angle\", \"ratio\": \"-0.5/(2*pi)\"}")

/* A joint, and others that leave the same motions free; NULL: not compared. */
typedef struct tumble_case {
  const char *title, *text, *same;
} tumble_case;

static const tumble_case tumble_cases[] = {
    {"revolute", TUMBLE(LINK("j", "revolute", "", AT_BENT)),
     BOTH(LINK("p", "spherical", "", AT_BENT), LINK("q", "point_on_line", "", AT_Z))},
    {"prismatic", TUMBLE(LINK("j", "prismatic", "", AT_BENT)),
     BOTH(LINK("p", "point_on_line", "", AT_BENT), LINK("q", "constant_orientation", "", AT_BENT))},
    {"cylindrical", TUMBLE(LINK("j", "cylindrical", "", AT_BENT)),
     BOTH(LINK("p", "point_on_line", "", AT_BENT), LINK("q", "point_on_line", "", AT_Z))},
    {"screw", TUMBLE(LINK("j", "screw", "\"pitch\": 0.5, ", AT_BENT)), SAME_SCREW},
    {"planar", TUMBLE(LINK("j", "planar", "", AT_BENT)),
     BOTH(LINK("p", "point_on_plane", "", AT_BENT),
          LINK("q", "point_on_plane", "", AT_X) ", " LINK("r", "point_on_plane", "", AT_Y))},
    {"universal", TUMBLE(LINK("j", "universal", "", AT_B)),
     BOTH(LINK("p", "spherical", "", AT_B), LINK("q", "point_on_plane", NORMAL_X, AT_Y))},
    {"constant velocity", TUMBLE(LINK("j", "constant_velocity", "", AT_BENT)), NULL},
    {"weld", TUMBLE(LINK("j", "weld", "", AT_B)),
     BOTH(LINK("p", "spherical", "", AT_B), LINK("q", "constant_orientation", "", AT_B))},
    {"point on line", TUMBLE(LINK("j", "point_on_line", "", AT_BENT)),
     BOTH(LINK("p", "point_on_plane", NORMAL_X, AT_BENT),
          LINK("q", "point_on_plane", NORMAL_Y, AT_BENT))},
    {"constant orientation", TUMBLE(LINK("j", "constant_orientation", "", AT_BENT)), NULL},
    {"point on plane", TUMBLE(LINK("j", "point_on_plane", "", AT_BENT)), NULL},
};
enum { TUMBLE_CASES = sizeof tumble_cases / sizeof *tumble_cases, PLACE = 7 };

static const char *const place_signals[] = {"two.position", "two.quaternion", NULL};

/* Largest distance between two traces at times that both have. */
static double apart(const support_trace *a, const support_trace *b) {
  CHECK_INT(a->columns, 1 + PLACE);
  CHECK_INT((b->rows - 1) % (a->rows - 1), 0);
  const int every = (b->rows - 1) / (a->rows - 1);
  double worst = 0;
  for (int i = 0; i < a->rows; ++i)
    for (int k = 1; k <= PLACE; ++k)
      worst = check_max(worst, fabs(support_row(a, i)[k] - support_row(b, i * every)[k]));
  return worst;
}

/* Rows that span the same space leave the same discrete motion: what differs is the multipliers. */
static void same_freedoms(void **state) {
  (void)state;
  for (int i = 0; i < TUMBLE_CASES; ++i) {
    const tumble_case *c = &tumble_cases[i];
    double worst = 0;
    for (int group = 0; c->same && group < 2; ++group) {
      support_trace a = closed_run(c->text, place_signals, closed_groups[group], 0.01, 2);
      support_trace b = closed_run(c->same, place_signals, closed_groups[group], 0.01, 2);
      worst = check_max(worst, apart(&a, &b));
      support_trace_release(&a);
      support_trace_release(&b);
    }
    if (!c->same) continue;
    check_report(c->title, worst, EXACT);
    CHECK_LE(worst, EXACT);
  }
}

static void check_tumble_order(const char *title, const char *what, double coarse, double fine) {
  char label[120];
  const double order = torsor_order(coarse, fine, 2, 1);
  snprintf(label, sizeof label, "%s, %s: %.3g, order", title, what, fine);
  check_report(label, order, 2);
  CHECK_ORDER(order, 2, 0.1); /* the next term of the expansion, as in closed_check */
}

/* Differences between steps h, h/2, h/4, and between the groups at h/2 and h/4. */
static void tumble_orders(void **state) {
  (void)state;
  enum { STEPS = 3 };
  for (int i = 0; i < TUMBLE_CASES; ++i) {
    const tumble_case *c = &tumble_cases[i];
    support_trace trace[2][STEPS];
    for (int group = 0; group < 2; ++group) {
      for (int k = 0; k < STEPS; ++k)
        trace[group][k] =
            closed_run(c->text, place_signals, closed_groups[group], 0.01 / (1 << k), 1);
      check_tumble_order(c->title, closed_groups[group], apart(&trace[group][0], &trace[group][1]),
                         apart(&trace[group][1], &trace[group][2]));
    }
    check_tumble_order(c->title, "groups", apart(&trace[0][1], &trace[1][1]),
                       apart(&trace[0][2], &trace[1][2]));
    for (int k = 0; k < 2 * STEPS; ++k) support_trace_release(&trace[k / STEPS][k % STEPS]);
  }
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
  check_refused(CARDAN, "joints.cross.b=in", "has both markers on the same body",
                "connect two bodies");
  check_refused(THREAD, "joints.j.b=ground", "has both markers on the ground",
                "connect two bodies");
  check_refused(WIRE, "joints.j.type=prismatic", "no orientation that a joint could constrain", "");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_motions),    cmocka_unit_test(universal_joint),
      cmocka_unit_test(universal_angles), cmocka_unit_test(constant_velocity),
      cmocka_unit_test(many_turns),       cmocka_unit_test(same_freedoms),
      cmocka_unit_test(tumble_orders),    cmocka_unit_test(wrong_use),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
