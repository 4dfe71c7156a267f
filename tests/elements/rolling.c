/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rolling discs, wheels and spheres: closed solutions and second order of everything in both forms
 * and groups, what is conserved, rigid motion of the whole, falling flat, wrong use. */
#include <stdio.h>

#include "check.h"

#include "closed.h"
#include "conformance.h"

/* ---- runs ---------------------------------------------------------------------------------- */

typedef struct variant {
  const char *formulation, *group;
} variant;

static const variant variants[] = {
    {"index3", "R3xSO3"}, {"index3", "SE3"}, {"ggl", "R3xSO3"}, {"ggl", "SE3"}};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* Simulates and closes. */
static support_trace run_world(support_world *world, const char *const *signals) {
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  const torsor_status status = support_run_as(
      &trace, &summary, world, torsor_scene_simulation(world->scene), signals, &error);
  if (status) print_error("%s: %s (%s)\n", error.path, error.message, error.hint);
  CHECK_INT(status, TORSOR_OK);
  CHECK_STR(trace.warnings, "");
  support_close(world);
  return trace;
}

/* Newton's tolerance far below the errors of the step. */
static void write_settings(char *simulation, size_t size, char *group, const variant *v, double h,
                           double duration) {
  snprintf(simulation, size,
           "simulation={\"step\": %.17g, \"duration\": %.17g, \"rtol\": 1e-12,"
           " \"formulation\": \"%s\"}",
           h, duration, v->formulation);
  snprintf(group, 40, "group=%s", v->group);
}

static support_trace run(const char *text, const char *const *signals, const variant *v, double h,
                         double duration) {
  char simulation[200], group[40];
  write_settings(simulation, sizeof simulation, group, v, h, duration);
  const char *const set[] = {simulation, group, NULL};
  support_world world;
  torsor_error error = {0};
  const torsor_status status = support_open(&world, text, set, &error);
  if (status) print_error("%s: %s (%s)\n", error.path, error.message, error.hint);
  CHECK_INT(status, TORSOR_OK);
  return run_world(&world, signals);
}

enum { LAMBDA = 2, PARTS = 4, COLUMNS = 24 };
static const char *const part_names[PARTS] = {"q", "v", "lambda", "psi"};

/* A motion in closed form: signals one letter of "qvlp" per column says what each is an error
 * of. */
typedef struct closed_motion {
  const char *title, *text, *kinds;
  const char *const *signals;
  void (*exact)(double *values, double t);
  double h, duration;
} closed_motion;

static void measure(double *errors, const closed_motion *m, const variant *v, double h) {
  support_trace trace = run(m->text, m->signals, v, h, m->duration);
  CHECK_INT(trace.columns - 1, strlen(m->kinds));
  for (int k = 0; k < PARTS; ++k) errors[k] = 0;
  for (int i = 0; i < trace.rows; ++i) {
    const double *row = support_row(&trace, i);
    double exact[COLUMNS];
    m->exact(exact, row[0]);
    for (int j = 0; m->kinds[j]; ++j) {
      double *worst = &errors[strchr("qvlp", m->kinds[j]) - "qvlp"];
      *worst = check_max(*worst, fabs(row[1 + j] - exact[j]));
    }
  }
  support_trace_release(&trace);
}

/* Second order to a tenth, as the next term of the expansion leaves, but for holonomic multipliers
 * that drives determine by themselves, of size `given`. */
static void check_motion(const closed_motion *m, double given) {
  for (int i = 0; i < VARIANTS; ++i) {
    double coarse[PARTS], fine[PARTS];
    measure(coarse, m, &variants[i], m->h);
    measure(fine, m, &variants[i], m->h / 2);
    print_message("  %s, %s, %s:", m->title, variants[i].formulation, variants[i].group);
    for (int k = 0; k < PARTS; ++k) {
      const double order = torsor_order(coarse[k], fine[k], m->h, m->h / 2);
      print_message("  |e_%s| %.2e (%.2f)", part_names[k], fine[k], order);
      if (k == LAMBDA && given > 0)
        CHECK_LE(fmax(coarse[k], fine[k]), closed_given(given));
      else
        CHECK_ORDER(order, 2, 0.1);
    }
    print_message("\n");
  }
}

/* ---- a wheel on a circle --------------------------------------------------------------------- */

/* A wheel with a round edge whose axis stays at the angle TILT with the vertical while it goes
 * round with the rate TURN.  With c, s = cos, sin TILT, L the circle's radius (of the tube's centre
 * line), T the tube's, W3 the angular velocity about the axis and X the distance of the centre from
 * the middle: X TURN = -(L W3 + T s (W3 - TURN c))                                           no
 * slip TURN s (C W3 - A TURN c) = M (L s + T) TURN^2 X - L c M g                      moments */
#define TILT   1.1
#define TURN   2.0
#define CIRCLE 0.8
#define TUBE   0.2
#define MASS   1.5
#define ACROSS 0.3
#define ALONG  0.5
#define WEIGHT (MASS * 9.81)

static double wheel_spin(void) {
  const double c = cos(TILT), s = sin(TILT), arm = CIRCLE * s + TUBE;
  const double known =
      ACROSS * TURN * TURN * c * s + MASS * arm * TURN * TUBE * s * TURN * c - CIRCLE * c * WEIGHT;
  return known / (TURN * s * ALONG + MASS * arm * TURN * (CIRCLE + TUBE * s));
}

static double wheel_distance(void) {
  const double w3 = wheel_spin();
  return -(CIRCLE * w3 + TUBE * sin(TILT) * (w3 - TURN * cos(TILT))) / TURN;
}

/* Values of wheel_signals. */
static void wheel_exact(double *out, double t) {
  const double c = cos(TURN * t), s = sin(TURN * t), X = wheel_distance();
  const double foot = X + CIRCLE * cos(TILT), pull = -MASS * TURN * TURN * X;
  const double place[] = {X * c, X * s, CIRCLE * sin(TILT) + TUBE, foot * c, foot * s};
  const double velocity[] = {-TURN * X * s, TURN * X * c, 0, wheel_spin()};
  /* the axis points outwards, and so does `across` */
  const double force[] = {-WEIGHT, WEIGHT, 0, -pull, pull * c, pull * s, 0, fabs(pull) / WEIGHT};
  memcpy(out, place, sizeof place);
  memcpy(out + 5, velocity, sizeof velocity);
  memcpy(out + 9, force, sizeof force);
}

static const char *const wheel_signals[] = {"wheel.position",
                                            "road.contact.x",
                                            "road.contact.y",
                                            "wheel.velocity",
                                            "wheel.angular_velocity.z",
                                            "road.lambda.0",
                                            "road.normal_force",
                                            "road.lambda.1",
                                            "road.lambda.2",
                                            "road.friction_force",
                                            "road.friction_needed",
                                            NULL};

#define ROAD                                                                                       \
  "{\"name\": \"road\", \"type\": \"rolling_disc\", \"radius\": %.17g, \"tube\": %.17g,"           \
  " \"axis\": [0, 0, 1], \"a\": \"ground\", \"b\": \"wheel\"}"

static void wheel_on_a_circle(void **state) {
  (void)state;
  char text[1200];
  snprintf(text, sizeof text,
           "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"wheel\","
           " \"type\": \"rigid_body\", \"mass\": %.17g, \"inertia\": [%.17g, %.17g, %.17g],"
           " \"position\": [%.17g, 0, %.17g], \"orientation\": {\"rotation_vector\": [0, %.17g,"
           " 0]}, \"angular_velocity\": [%.17g, 0, %.17g]}], \"joints\": [" ROAD "]}",
           MASS, ACROSS, ACROSS, ALONG, wheel_distance(), CIRCLE * sin(TILT) + TUBE, TILT,
           -TURN * sin(TILT), wheel_spin(), CIRCLE + TUBE, TUBE);
  const closed_motion motion = {"wheel", text, "qqqqqvvvvllpppppp", wheel_signals, wheel_exact,
                                0.005,   3};
  check_motion(&motion, 0);
}

/* ---- a sphere on a table that turns, going up and down --------------------------------------- */

#define TABLE  2.1
#define BALL   1.3
#define HEIGHT 0.05
#define BEAT   3.0
#define LIFT                                                                                       \
  "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["                                      \
  "{\"name\": \"lift\", \"type\": \"rigid_body\", \"mass\": 4, \"inertia\": [1, 1, 1],"            \
  " \"velocity\": [0, 0, 0.15]},"                                                                  \
  " {\"name\": \"table\", \"type\": \"rigid_body\", \"mass\": 3, \"inertia\": [1, 1, 2],"          \
  " \"angular_velocity\": [0, 0, 2.1]},"                                                           \
  " {\"name\": \"ball\", \"type\": \"rigid_body\", \"mass\": 1.3,"                                 \
  " \"inertia\": [0.015028, 0.015028, 0.015028], \"position\": [0.4, 0.1, 0.17],"                  \
  " \"velocity\": [0.3, -0.2, 0.15],"                                                              \
  " \"angular_velocity\": [\"(2.1*0.4 + 0.2)/0.17\", \"(2.1*0.1 + 0.3)/0.17\", 0.5]}],"            \
  " \"joints\": ["                                                                                 \
  "{\"name\": \"guide\", \"type\": \"prismatic\", \"a\": \"ground\", \"b\": \"lift\"},"            \
  " {\"name\": \"hoist\", \"type\": \"drive\", \"coordinate\": \"guide.travel\","                  \
  " \"motion\": {\"value\": \"0.05*sin(3*t)\", \"rate\": \"0.15*cos(3*t)\","                       \
  " \"second\": \"-0.45*sin(3*t)\"}},"                                                             \
  " {\"name\": \"bearing\", \"type\": \"revolute\", \"a\": \"lift\", \"b\": \"table\"},"           \
  " {\"name\": \"motor\", \"type\": \"drive\", \"coordinate\": \"bearing.angle\","                 \
  " \"motion\": {\"value\": \"2.1*t\", \"rate\": 2.1, \"second\": 0}},"                            \
  " {\"name\": \"surface\", \"type\": \"rolling_sphere\", \"radius\": 0.17, \"a\": \"table\","     \
  " \"b\": \"ball\"}]}"

/* Its centre goes round a circle with 2/7 of the table's rate. */
static void ball_exact(double *out, double t) {
  const double rate = 2.0 / 7 * TABLE, c = cos(rate * t), s = sin(rate * t);
  const double vx = 0.3 * c + 0.2 * s, vy = 0.3 * s - 0.2 * c;
  const double fx = -BALL * rate * vy, fy = BALL * rate * vx, turn = TABLE * t;
  const double push = BALL * (9.81 - HEIGHT * BEAT * BEAT * sin(BEAT * t));
  const double values[] = {0.4 + (vy + 0.2) / rate,
                           0.1 - (vx - 0.3) / rate,
                           vx,
                           vy,
                           HEIGHT * BEAT * cos(BEAT * t),
                           push,
                           -push,
                           fx,
                           fy,
                           -(cos(turn) * fx + sin(turn) * fy),
                           -(cos(turn) * fy - sin(turn) * fx)};
  memcpy(out, values, sizeof values);
}

static const char *const ball_signals[] = {"ball.position.x",
                                           "ball.position.y",
                                           "ball.velocity",
                                           "surface.normal_force",
                                           "surface.lambda.0",
                                           "surface.friction_force.x",
                                           "surface.friction_force.y",
                                           "surface.lambda.1",
                                           "surface.lambda.2",
                                           NULL};

static void ball_on_a_lift(void **state) {
  (void)state;
  const closed_motion motion = {"ball", LIFT, "qqvvvllpppp", ball_signals, ball_exact, 0.005, 2};
  check_motion(&motion, BALL * (9.81 + HEIGHT * BEAT * BEAT));
}

/* ---- the benchmark bicycle
 * ------------------------------------------------------------------------ */

/* Meijaard, Papadopoulos, Ruina, Schwab 2007, table 2: M q'' + v C1 q' + (g K0 + v^2 K2) q = 0 for
 * lean and steer angle, both to the right. */
static const double bicycle_M[2][2] = {{80.81722, 2.31941332208709},
                                       {2.31941332208709, 0.29784188199686}};
static const double bicycle_C1[2][2] = {{0, 33.86641391492494},
                                        {-0.85035641456978, 1.68540397397560}};
static const double bicycle_K0[2][2] = {{-80.95, -2.59951685249872},
                                        {-2.59951685249872, -0.80329488458618}};
static const double bicycle_K2[2][2] = {{0, 76.59734589573222}, {0, 2.65431523794604}};
#define BICYCLE_SPEED 5.0
#define BICYCLE_PUSH  1e-3

/* d/dt (lean, steer, their rates). */
static void bicycle_rate(double *rate, const double *y) {
  const double v = BICYCLE_SPEED;
  const double(*M)[2] = bicycle_M;
  double f[2];
  for (int i = 0; i < 2; ++i) {
    f[i] = 0;
    for (int j = 0; j < 2; ++j)
      f[i] -= v * bicycle_C1[i][j] * y[2 + j] +
              (9.81 * bicycle_K0[i][j] + v * v * bicycle_K2[i][j]) * y[j];
  }
  const double det = M[0][0] * M[1][1] - M[0][1] * M[1][0];
  rate[0] = y[2];
  rate[1] = y[3];
  rate[2] = (M[1][1] * f[0] - M[0][1] * f[1]) / det;
  rate[3] = (M[0][0] * f[1] - M[1][0] * f[0]) / det;
}

/* A step of the classical Runge-Kutta method. */
static void bicycle_step(double *y, double h) {
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  double k[4] = {0}, sum[4] = {0};
  for (int stage = 0; stage < 4; ++stage) {
    double moved[4];
    for (int i = 0; i < 4; ++i) moved[i] = y[i] + at[stage] * h * k[i];
    bicycle_rate(k, moved);
    for (int i = 0; i < 4; ++i) sum[i] += weight[stage] * k[i];
  }
  for (int i = 0; i < 4; ++i) y[i] += h * sum[i];
}

/* Largest difference of lean and steer angle to the linear ones over 2 s, relative to the push. */
static double measure_bicycle(const variant *v, double h) {
  static const char *const signals[] = {"frame.quaternion", "steer.angle", NULL};
  char simulation[200], group[40];
  write_settings(simulation, sizeof simulation, group, v, h, 2);
  const char *const set[] = {simulation, group, "parameters.v=5", "parameters.push=1e-3", NULL};
  support_world world;
  support_load(&world, "whipple_bicycle", set);
  support_trace trace = run_world(&world, signals);
  double y[4] = {0, 0, BICYCLE_PUSH, 0}, off = 0;
  const double part = h / 2; /* its error, (14 part)^4/120, is far below that of the run */
  int parts = 0;
  for (int i = 0; i < trace.rows; ++i) {
    const double *row = support_row(&trace, i), *q = row + 1;
    for (; parts * part < row[0] - part / 2; ++parts) bicycle_step(y, part);
    off = check_max(off, fabs(asin(2 * (q[2] * q[3] + q[0] * q[1])) - y[0]));
    off = check_max(off, fabs(-q[4] - y[1]));
  }
  support_trace_release(&trace);
  return off / BICYCLE_PUSH;
}

/* A small motion converges to that of the published equations: at this push what is not linear is
 * some 1e-7 of it. */
static void bicycle_weaves(void **state) {
  (void)state;
  for (int i = 0; i < VARIANTS; ++i) {
    const double coarse = measure_bicycle(&variants[i], 0.0025);
    const double fine = measure_bicycle(&variants[i], 0.00125);
    const double order = torsor_order(coarse, fine, 2, 1);
    print_message("  %s, %s: error %.2e of the push, order %.2f\n", variants[i].formulation,
                  variants[i].group, fine, order);
    CHECK_ORDER(order, 2, 0.1);
  }
}

/* ---- four wheels on stiff axles -------------------------------------------------------------- */

/* On a slope, seen along it: 2 m/s^2 pull it forwards. */
#define CAR                                                                                        \
  "{\"torsor\": 1, \"gravity\": [2, 0, -9.81], \"bodies\": [{\"name\": \"chassis\","               \
  " \"type\": \"rigid_body\", \"mass\": 100, \"inertia\": [10, 20, 25], \"position\": [0, 0, "     \
  "0.5],"                                                                                          \
  " \"velocity\": [3, 0, 0]}, {\"name\": \"wheel${i}\", \"repeat\": 4, \"type\": \"rigid_body\","  \
  " \"mass\": 5, \"inertia\": [0.2, 0.4, 0.2], \"position\": [\"1 - 2*(i > 1)\","                  \
  " \"0.6 - 1.2*(i == 1 || i == 3)\", 0.3]}], \"joints\": [{\"name\": \"axle${i}\","               \
  " \"repeat\": 4, \"type\": \"revolute\", \"axis\": [0, 1, 0], \"a\": {\"body\": \"chassis\","    \
  " \"position\": [\"1 - 2*(i > 1)\", \"0.6 - 1.2*(i == 1 || i == 3)\", -0.2]},"                   \
  " \"b\": \"wheel${i}\"}, {\"name\": \"road${i}\", \"repeat\": 4, \"type\": \"rolling_disc\","    \
  " \"radius\": 0.3, \"tube\": 0.05, \"a\": \"ground\", \"b\": \"wheel${i}\"}]}"

/* A wheel stands on what three carry, and two of four wheels would keep it straight: three rows are
 * redundant.  It runs with a = 120 * 2 / (120 + 4 J/r^2), and the front carries more by
 * (112 - (56 + 4 J/r) a)/2 for each pair. */
static void car_on_four_wheels(void **state) {
  (void)state;
  support_world world;
  torsor_check check;
  CHECK_INT(support_open(&world, CAR, NULL, NULL), TORSOR_OK);
  CHECK_INT(torsor_check_model(&check, world.model, NULL), TORSOR_OK);
  CHECK_INT(check.mobility, 1);
  CHECK_INT(check.gruebler, -2);
  torsor_check_destroy(&check);
  static const char *const set[] = {
      "simulation={\"step\": 5e-3, \"duration\": 2, \"formulation\": \"ggl\", \"rtol\": 1e-12}",
      NULL};
  static const char *const signals[] = {"chassis.position",   "road0.normal_force",
                                        "road1.normal_force", "road2.normal_force",
                                        "road3.normal_force", NULL};
  support_close(&world);
  CHECK_INT(support_open(&world, CAR, set, NULL), TORSOR_OK);
  support_trace trace = {0};
  torsor_summary summary;
  CHECK_INT(
      support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), signals, NULL),
      TORSOR_OK);
  CHECK_CONTAINS(trace.warnings, "3 of 32 constraint rows are redundant");
  const double a = 240 / (120 + 1.6 / 0.09), more = (112 - (56 + 1.6 / 0.3) * a) / 4;
  double place = 0, force = 0;
  for (int i = 0; i < trace.rows; ++i) {
    const double *row = support_row(&trace, i), t = row[0];
    const v3 at = {3 * t + a * t * t / 2, 0, 0.5};
    place = check_max(place, v3_norm(v3_sub(v3_load(row + 1), at)));
    for (int k = 0; k < 4; ++k)
      force = check_max(force, fabs(row[4 + k] - (k < 2 ? 294.3 + more : 294.3 - more)));
  }
  /* The method is exact here: Newton's tolerance, 1e-12 of 2 m/s^2, and rounding of positions of 10
   * m in 400 steps; of the multipliers eps over the regularisation of 1e-9. */
  check_report("position", place, 400 * 10 * CHECK_EPS + 1e-11);
  check_report("normal forces", force, 300 * CHECK_EPS / 1e-9);
  CHECK_LE(place, 400 * 10 * CHECK_EPS + 1e-11);
  CHECK_LE(force, 300 * CHECK_EPS / 1e-9);
  support_trace_release(&trace);
  support_close(&world);
}

/* ---- conserved ------------------------------------------------------------------------------- */

/* Two bodies alone in space that roll on each other. */
#define ALONE(mass, inertia, joint)                                                                \
  "{\"torsor\": 1, \"bodies\": [{\"name\": \"plate\", \"type\": \"rigid_body\", \"mass\": 3,"      \
  " \"inertia\": [0.4, 0.5, 0.8], \"position\": [0.2, 0.1, -0.3], \"velocity\": [0, 0, 0],"        \
  " \"angular_velocity\": [0.3, -0.2, 0.5]}, {\"name\": \"roller\", \"type\": \"rigid_body\","     \
  " \"mass\": " mass ", \"inertia\": " inertia ", \"position\": [0.3, 0, 0],"                      \
  " \"angular_velocity\": [1, 3, 0.5]}], \"joints\": [{\"name\": \"road\", " joint                 \
  ", \"a\": {\"body\": \"plate\", \"position\": [0.1, 0, 0.1]}, \"b\": \"roller\"}]}"

typedef struct lone_pair {
  const char *title, *text;
} lone_pair;

static const lone_pair lone_pairs[] = {
    {"wheel", ALONE("0.8", "[0.03, 0.05, 0.03]",
                    "\"type\": \"rolling_disc\", \"radius\": 0.2, \"tube\": 0.05")},
    {"ball", ALONE("0.7", "[0.02, 0.03, 0.025]", "\"type\": \"rolling_sphere\", \"radius\": 0.2")},
    {"ball without pivoting",
     ALONE("0.7", "[0.02, 0.03, 0.025]",
           "\"type\": \"rolling_sphere\", \"radius\": 0.2, \"pivoting\": false")}};

enum { MOMENTUM, SPIN, ENERGY, BALANCES };

/* Largest changes of momentum, angular momentum and energy. */
static void measure_drift(double *drift, const char *text, const variant *v, double h) {
  static const char *const signals[] = {"momentum", "angular_momentum", "energy.total", NULL};
  support_trace trace = run(text, signals, v, h, 1);
  const double *first = support_row(&trace, 0);
  for (int k = 0; k < BALANCES; ++k) drift[k] = 0;
  for (int i = 0; i < trace.rows; ++i)
    for (int j = 1; j < trace.columns; ++j) {
      double *worst = &drift[(j - 1) / 3];
      *worst = check_max(*worst, fabs(support_row(&trace, i)[j] - first[j]));
    }
  support_trace_release(&trace);
}

static void check_drift(const lone_pair *pair, const variant *v) {
  static const char *const names[] = {"momentum", "angular momentum", "energy"};
  double coarse[BALANCES], fine[BALANCES];
  measure_drift(coarse, pair->text, v, 0.01);
  measure_drift(fine, pair->text, v, 0.005);
  print_message("  %s, %s, %s:", pair->title, v->formulation, v->group);
  /* Momentum is linear in the velocities of R3xSO3 and kept up to Newton's tolerance: 1e-12 of
   * accelerations of some 10 m/s^2, times 4 kg, over 1 s. */
  const bool linear = !strcmp(v->group, "R3xSO3");
  for (int k = 0; k < BALANCES; ++k) {
    const double order = torsor_order(coarse[k], fine[k], 0.01, 0.005);
    print_message("  %s %.1e (%.2f)", names[k], fine[k], order);
    if (k == MOMENTUM && linear)
      CHECK_LE(fine[k], 4e-11);
    else
      CHECK_ORDER(order, 2, 0.1);
  }
  print_message("\n");
}

/* Momentum, angular momentum and energy drift with the second power of the step, or not at all. */
static void conserved(void **state) {
  (void)state;
  for (size_t m = 0; m < sizeof lone_pairs / sizeof *lone_pairs; ++m)
    for (int i = 0; i < VARIANTS; ++i) check_drift(&lone_pairs[m], &variants[i]);
}

/* ---- rigid motion
 * --------------------------------------------------------------------------------- */

/* A wheel that sways as it rolls; everything turned by `turn` and moved by `shift`. */
static void write_wheel(char *text, size_t size, v3 turn, v3 shift) {
  const m3 Q = so3_rodrigues(turn);
  const v3 g = m3_mulv(Q, (v3){0, 0, -9.81}), x = v3_add(shift, m3_mulv(Q, (v3){0, 0, 0.3}));
  snprintf(text, size,
           "{\"torsor\": 1, \"gravity\": [%.17g, %.17g, %.17g], \"bodies\": [{\"name\": \"wheel\","
           " \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.05, 0.1, 0.05],"
           " \"position\": [%.17g, %.17g, %.17g], \"angular_velocity\": [0.2, 9, 0.5],"
           " \"orientation\": {\"rotation_vector\": [%.17g, %.17g, %.17g]}}],"
           " \"joints\": [{\"name\": \"road\", \"type\": \"rolling_disc\", \"radius\": 0.3,"
           " \"tube\": 0.05, \"a\": {\"body\": \"ground\", \"position\": [%.17g, %.17g, %.17g],"
           " \"orientation\": {\"rotation_vector\": [%.17g, %.17g, %.17g]}}, \"b\": \"wheel\"}]}",
           g.x, g.y, g.z, x.x, x.y, x.z, turn.x, turn.y, turn.z, shift.x, shift.y, shift.z, turn.x,
           turn.y, turn.z);
}

static void moved_as_a_whole(void **state) {
  (void)state;
  static const char *const signals[] = {"wheel.position", "road.contact", "road.friction_force",
                                        "road.normal_force", NULL};
  const v3 turn = {0.7, -1.1, 0.4}, shift = {3, -2, 1};
  const m3 Q = so3_rodrigues(turn);
  char text[2][1200];
  write_wheel(text[0], sizeof text[0], v3_zero(), v3_zero());
  write_wheel(text[1], sizeof text[1], turn, shift);
  for (int i = 0; i < VARIANTS; ++i) {
    support_trace here = run(text[0], signals, &variants[i], 0.005, 1);
    support_trace there = run(text[1], signals, &variants[i], 0.005, 1);
    double place = 0, force = 0;
    for (int k = 0; k < here.rows; ++k) {
      const double *a = support_row(&here, k) + 1, *b = support_row(&there, k) + 1;
      for (int j = 0; j < 6; j += 3)
        place = check_max(
            place, v3_norm(v3_sub(v3_load(b + j), v3_add(shift, m3_mulv(Q, v3_load(a + j))))));
      force = check_max(force, v3_norm(v3_sub(v3_load(b + 6), m3_mulv(Q, v3_load(a + 6)))));
      force = check_max(force, fabs(a[9] - b[9]));
    }
    char label[100];
    /* Newton's tolerance of 1e-12 on accelerations of up to 30 m/s^2, twice integrated over 1 s;
     * forces: rounding of two positions of up to 7 m over beta h^2 times 2 kg and the growth of 34
     * of errors of the multipliers in the index-3 form (S4 section 4.1). */
    const double round_off = 2 * 7 * CHECK_EPS / (0.277 * 0.005 * 0.005) * 2 * 34;
    snprintf(label, sizeof label, "%s, %s: position", variants[i].formulation, variants[i].group);
    check_report(label, place, 3e-11);
    check_report("  forces", force, round_off);
    CHECK_LE(place, 3e-11);
    CHECK_LE(force, round_off);
    support_trace_release(&here);
    support_trace_release(&there);
  }
}

/* ---- derivatives of what the examples do not have
 * --------------------------------------------------- */

typedef struct other_example {
  const char *type, *title, *joint;
} other_example;

static const other_example others[] = {
    {"rolling_disc", "sharp disc on a tilted plane",
     "\"radius\": 0.3, \"axis\": [0.2, 0.9, -0.3], \"normal\": [0.6, 0, 0.8]"},
    {"rolling_sphere", "sphere without pivoting on a tilted plane",
     "\"radius\": 0.3, \"normal\": [0.6, 0, 0.8], \"pivoting\": false"}};

static void other_derivatives(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
    torsor_registry *registry = torsor_registry_create(NULL);
    torsor_element_type type = *torsor_registry_find(registry, others[i].type);
    char text[800];
    snprintf(
        text, sizeof text,
        "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"roller\","
        " \"type\": \"rigid_body\", \"mass\": 2, \"inertia\": [0.05, 0.1, 0.05],"
        " \"position\": [0.6, 0, 0.8]}], \"joints\": [{\"name\": \"road\", \"type\": \"other\","
        " %s, \"a\": \"ground\", \"b\": {\"body\": \"roller\", \"position\": [0.1, 0.2, 0]}}]}",
        others[i].joint);
    type.name = "other";
    type.example = text;
    CHECK_INT(torsor_registry_add(registry, &type, NULL), TORSOR_OK);
    conformance c;
    torsor_error error = {0};
    const bool built = conformance_measure(&c, &type, registry, &error);
    if (!built) print_error("%s\n", error.message);
    CHECK_TRUE(built);
    CHECK_TRUE(conformance_holds(&c, others[i].title));
    torsor_registry_destroy(registry);
  }
}

/* ---- the end of rolling
 * ------------------------------------------------------------------------------ */

#define TILTED(joint)                                                                              \
  "{\"torsor\": 1, \"gravity\": [0, 0, -10], \"bodies\": [{\"name\": \"disc\", \"type\":"          \
  " \"rigid_body\", \"mass\": 2, \"inertia\": [0.5, 1, 0.5], \"position\": [0, \"sin(0.3)\","      \
  " \"cos(0.3)\"], \"orientation\": {\"rotation_vector\": [-0.3, 0, 0]}, \"velocity\": [0, 0, 0]," \
  " \"angular_velocity\": [0, 0, 0]}], \"joints\": [{\"name\": \"road\", " joint "}]}"

/* A disc let go at a slant falls flat: the run ends there, named, with the energy that it had. */
static void falls_flat(void **state) {
  (void)state;
  static const char *const signals[] = {"energy.total", NULL};
  static const char *const forms[] = {"simulation.formulation=index3",
                                      "simulation.formulation=ggl"};
  for (int i = 0; i < 2; ++i) {
    const char *const set[] = {"simulation={\"step\": 1e-3, \"duration\": 2}", forms[i], NULL};
    support_world world;
    support_trace trace = {0};
    torsor_summary summary;
    torsor_error error = {0};
    CHECK_INT(support_open(&world,
                           TILTED("\"type\": \"rolling_disc\", \"radius\": 1, \"a\": \"ground\","
                                  " \"b\": \"disc\""),
                           set, NULL),
              TORSOR_OK);
    CHECK_INT(support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene),
                             signals, &error),
              TORSOR_STEP);
    print_message("  %s\n", error.message);
    CHECK_CONTAINS(error.message, "evaluation of rolling_disc \"road\"");
    /* an upright plane pendulum of length 1 falls from 0.3 rad to flat in 0.8505 s */
    CHECK_GE(trace.rows, 850);
    double drift = 0;
    for (int k = 0; k < trace.rows; ++k)
      drift = check_max(drift, fabs(support_row(&trace, k)[1] - support_row(&trace, 0)[1]));
    /* 19.1 J times (h w)^2, w = 4 rad/s at the end */
    check_report("energy up to there", drift, 19.1 * 1.6e-5);
    CHECK_LE(drift, 19.1 * 1.6e-5);
    support_trace_release(&trace);
    support_close(&world);
  }
}

typedef struct misuse {
  const char *joint, *message, *hint;
} misuse;

#define ON_ROAD "\"a\": \"ground\", \"b\": \"disc\""

static const misuse misuses[] = {
    {"\"type\": \"rolling_disc\", \"radius\": 0, " ON_ROAD, "greater than 0, but is 0", "radius"},
    {"\"type\": \"rolling_disc\", " ON_ROAD, "is missing: rolling_disc needs it", "outer radius"},
    {"\"type\": \"rolling_disc\", \"radius\": 1, \"tube\": -0.1, " ON_ROAD, "0 or greater", "edge"},
    {"\"type\": \"rolling_disc\", \"radius\": 1, \"tube\": 1, " ON_ROAD, "leaves no disc",
     "rolling_sphere"},
    {"\"type\": \"rolling_disc\", \"radius\": 1, \"axis\": [0, \"-sin(0.3)\", "
     "\"cos(0.3)\"], " ON_ROAD,
     "lies flat on the plane", "`axis`"},
    {"\"type\": \"rolling_disc\", \"radius\": 1, \"normal\": [0, 0, -1], " ON_ROAD,
     "height of its centre is -0.955336 instead of 0.955336", "`normal`"},
    {"\"type\": \"rolling_disc\", \"radius\": 1, \"a\": \"disc\", \"b\": \"disc\"", "same body",
     "two bodies"},
    {"\"type\": \"rolling_sphere\", \"radius\": -1, " ON_ROAD, "greater than 0", "radius"},
    /* found when the initial state is */
    {"\"type\": \"rolling_disc\", \"radius\": 0.9, " ON_ROAD,
     "joint \"road\" (rolling_disc): its row 0 is 0.0955336 instead of 0", "positions"},
    {"\"type\": \"rolling_sphere\", \"radius\": 0.9, " ON_ROAD,
     "joint \"road\" (rolling_sphere): its row 0 is 0.0553365 instead of 0", "positions"},
};

static void wrong_use_is_explained(void **state) {
  (void)state;
  static const char *const set[] = {"simulation={\"step\": 1e-3, \"duration\": 1}", NULL};
  int wrong = 0;
  for (size_t i = 0; i < sizeof misuses / sizeof *misuses; ++i) {
    const misuse *m = &misuses[i];
    char text[1000];
    snprintf(text, sizeof text, TILTED("%s"), m->joint);
    support_world world;
    support_trace trace = {0};
    torsor_summary summary;
    torsor_error error = {0};
    torsor_status status = support_open(&world, text, set, &error);
    if (!status) {
      status = support_run(&trace, &summary, &world, &error);
      torsor_scene_locate(world.scene, &error);
      support_trace_release(&trace);
      support_close(&world);
    }
    if (status && strstr(error.message, m->message) && strstr(error.hint, m->hint) &&
        !strncmp(error.path, "joints[0]", 9))
      continue;
    ++wrong;
    print_error("%s\n  %s: %s: %s (%s)\n", m->joint, torsor_status_name(status), error.path,
                error.message, error.hint);
  }
  print_message("  %zu kinds of wrong use, %d with a wrong answer\n",
                sizeof misuses / sizeof *misuses, wrong);
  CHECK_INT(wrong, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wheel_on_a_circle),
      cmocka_unit_test(ball_on_a_lift),
      cmocka_unit_test(bicycle_weaves),
      cmocka_unit_test(car_on_four_wheels),
      cmocka_unit_test(conserved),
      cmocka_unit_test(moved_as_a_whole),
      cmocka_unit_test(other_derivatives),
      cmocka_unit_test(falls_flat),
      cmocka_unit_test(wrong_use_is_explained),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
