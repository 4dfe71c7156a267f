/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Published motions of beams as the continuum makes them, without damping: on finer meshes than the
 * scenes ship with. */
#include <stdio.h>

#include "check.h"
#include "support.h"

enum { VALUES = 6, ROWS = 7 };

/* Values at some times, computed by spectral elements with nodal quaternions and lumped inertia, in
 * agreement with the curves of the papers; `error` is that of the digits, from other meshes of that
 * kind. */
typedef struct published {
  const char *scene, *elements[2], *steps[2], *set;
  double h, duration, error;
  const char *first, *second;
  int count;
  struct {
    double t, value[VALUES];
  } row[ROWS];
} published;

static const published cases[] = {
    {"spaghetti_2d",
     {"parameters.n=32", "parameters.n=64"},
     {"simulation.step=0.005", "simulation.step=0.0025"},
     "parameters.lag=0",
     0.005,
     5,
     6e-4,
     "rope.start.position",
     "rope.end.position",
     5,
     {{1, {4.3267868, 0.4078212, 0, 0.3702516, 7.7960247, 0}},
      {2, {3.7072981, 3.2437649, 0, 2.0418575, 6.8704577, 0}},
      {3, {6.3906426, 5.6692713, 0, 5.6632105, 5.3137473, 0}},
      {4, {8.0553518, 8.0513181, 0, 11.2232617, 3.368414, 0}},
      {5, {9.7835234, 8.2039729, 0, 8.0743347, 1.7588331, 0}}}},
    {"spaghetti_3d",
     {"parameters.n=16", "parameters.n=32"},
     {"simulation.step=0.005", "simulation.step=0.0025"},
     "group=R3xSO3",
     0.005,
     5,
     8e-5,
     "rope.start.position",
     "rope.end.position",
     6,
     {{1, {5.5821752, -0.2819261, 0.1964711, 0.1186429, 7.9748793, -0.0169682}},
      {2, {4.0343883, -0.4623073, 0.4224562, 1.6452723, 8.0803022, -0.3591176}},
      {3, {3.4671977, 1.3955628, -1.060085, 7.9852786, 8.4220468, -0.4636777}},
      {3.5, {4.7692461, 3.0617636, -2.8014755, 12.2629789, 6.5324841, 1.503397}},
      {4, {8.6775051, 4.9029765, -4.4980882, 12.8394808, 3.3090403, 4.4413497}},
      {5, {19.5627668, 1.5213358, -1.5076888, 11.878826, 6.8813524, 1.8300161}}}},
    {"right_angle_cantilever",
     {"parameters.n=8", "parameters.n=16"},
     {"simulation.step=0.02", "simulation.step=0.01"},
     "parameters.lag=0",
     0.02,
     10,
     4e-6,
     "leg_2.end.position",
     "leg_1.end.position",
     7,
     {{1, {9.9969829, 9.9766114, 0.0540318, 9.9458039, 0.0228816, 0.9513146}},
      {2, {10.1062607, 9.30785, 0.0692638, 8.9888861, 0.2673889, 4.1152453}},
      {3, {10.7884975, 8.9384996, 1.5072077, 7.9508798, 0.2396603, 5.5016694}},
      {4, {10.4419817, 9.2937587, 3.5089343, 8.4356048, -0.4276576, 4.6420688}},
      {6, {8.7763514, 8.1816397, 6.9133549, 9.4210378, -0.7783462, 2.5406906}},
      {8, {10.0232063, 7.3551704, 7.9605551, 9.8061069, -0.3268252, 1.6333197}},
      {10, {10.0043203, 8.0297223, 4.4631198, 9.2276319, 1.628793, -3.0959682}}}},
    {"rotating_beam",
     {"parameters.n=8", "parameters.n=16"},
     {"simulation.step=0.02", "simulation.step=0.01"},
     "parameters.lag=0",
     0.02,
     16,
     1e-6,
     "arm.end.position",
     "shadow",
     6,
     {{4, {7.973776, 6.0333056, 0, 10 - 0.006766007, -0.342278647, 0}},
      {6, {-9.9258537, 1.1974088, 0, 10 - 0.01697125, -0.543596401, 0}},
      {8, {-3.7276395, 9.2772334, 0, 10 - 0.01662992, -0.542841535, 0}},
      {10, {-6.7028788, -7.420354, 0, 10 - 0.007072336, -0.362814516, 0}},
      {14, {2.6580995, 9.6407842, 0, 10 + 0.00049006, -0.020291337, 0}},
      {16, {7.4198592, 6.7049218, 0, 10 + 0.000513922, 0.003079742, 0}}}},
};

/* Rows t and six values, every half a second. */
static support_trace run_case(const published *c, int mesh, int step) {
  char time[60], every[40];
  snprintf(time, sizeof time, "simulation.duration=%.17g", c->duration);
  snprintf(every, sizeof every, "output.every=%d", (int)lround(0.5 * (1 + step) / c->h));
  const char *const set[] = {c->elements[mesh], c->steps[step], c->set, time, every, NULL};
  char x[40], y[40], z[40];
  snprintf(x, sizeof x, "%s.x", c->second);
  snprintf(y, sizeof y, "%s.y", c->second);
  snprintf(z, sizeof z, "%s.z", c->second);
  const char *const signals[] = {c->first, x, y, z, NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  support_load(&world, c->scene, set);
  const torsor_status status = support_run_as(
      &trace, &summary, &world, torsor_scene_simulation(world.scene), signals, &error);
  if (status) print_error("%s: %s\n", c->scene, error.message);
  CHECK_INT(status, TORSOR_OK);
  CHECK_INT(trace.columns, 1 + VALUES);
  support_close(&world);
  return trace;
}

static double apart(const double *a, const double *b) {
  double most = 0;
  for (int k = 0; k < VALUES; ++k) most = check_max(most, fabs(a[k] - b[k]));
  return most;
}

/* The mesh is off by a third of what the last halving of the elements changed, half of that more
 * for the next order, and the step by no more than its halving changed: where waves are not
 * resolved their part falls as the step does. */
static void check_case(const published *c) {
  support_trace coarse = run_case(c, 0, 1), fine = run_case(c, 1, 1), slow = run_case(c, 1, 0);
  print_message(" %s\n", c->scene);
  for (int i = 0; i < c->count; ++i) {
    const int row = (int)lround(2 * c->row[i].t);
    const double *x = support_row(&fine, row);
    char label[80];
    CHECK_NEAR(x[0], c->row[i].t, 1e-9);
    const double mesh = apart(x + 1, support_row(&coarse, row) + 1);
    const double step = apart(x + 1, support_row(&slow, row) + 1);
    const double bound = 0.5 * mesh + step + c->error;
    const double off = apart(x + 1, c->row[i].value);
    snprintf(label, sizeof label, "t = %g: m (halvings %.2g, %.2g)", c->row[i].t, mesh, step);
    check_report(label, off, bound);
    CHECK_LE(off, bound);
  }
  support_trace_release(&coarse);
  support_trace_release(&fine);
  support_trace_release(&slow);
}

static void motions(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) check_case(&cases[i]);
}

/* Extension at 6 rad/s once damping has ended the swinging: L (tan k/k - 1), k = w L sqrt(m/EA),
 * less what the rest of the swinging shortens the beam by. */
static void steady_spin(void **state) {
  (void)state;
  const double k = 6 * 10 * sqrt(1.2 / 2.8e7), exact = 10 * (tan(k) / k - 1);
  double extension[2], aside = 0;
  for (int i = 0; i < 2; ++i) {
    const char *const set[] = {i ? "parameters.n=12" : "parameters.n=6",
                               "parameters.lag=0.2",
                               "simulation.duration=30",
                               "output.every=1500",
                               "simulation.rtol=1e-12",
                               NULL};
    static const char *const signals[] = {"shadow.x", "shadow.y", NULL};
    support_world world;
    support_trace trace = {0};
    torsor_summary summary;
    support_load(&world, "rotating_beam", set);
    CHECK_INT(support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene),
                             signals, NULL),
              TORSOR_OK);
    const double *x = support_row(&trace, trace.rows - 1);
    extension[i] = x[1] - 10;
    aside = check_max(aside, fabs(x[2]));
    support_trace_release(&trace);
    support_close(&world);
  }
  /* an arc of the height `aside` over 10 m is shorter by less than aside^2/10 */
  const double bound = 0.5 * fabs(extension[1] - extension[0]) + aside * aside / 10 + 1e-12;
  print_message("  extension %.9g, %.9g m, exact %.9g; aside %.2g m\n", extension[0], extension[1],
                exact, aside);
  check_report("steady spin: extension, m", fabs(extension[1] - exact), bound);
  CHECK_LE(fabs(extension[1] - exact), bound);
}

/* The thin beam that a crank lifts, before and after it buckles: rows of its middle every 1 ms. */
static support_trace lifted(const char *mesh, const char *step, const char *every) {
  const char *const set[] = {mesh,
                             step,
                             every,
                             "parameters.d=1e-8",
                             "parameters.lag=0",
                             "simulation.duration=0.2",
                             "bodies.blade.order=2",
                             "bodies.link.order=2",
                             "bodies.crank.order=2",
                             NULL};
  static const char *const signals[] = {"blade@0.5.position.y", "blade@0.5.position.z", NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  support_load(&world, "lateral_buckling", set);
  CHECK_INT(
      support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), signals, NULL),
      TORSOR_OK);
  support_close(&world);
  return trace;
}

/* Another program (V. Sonneville's mb_sef_py, 2021) with elements of order 2 and the same mesh and
 * step: its rise of the middle at 0.05, 0.1 and 0.15 s, the time at which the middle is 1 mm aside,
 * and the most that it goes aside.  The bound of the rise is twice, for two programs, 1.5 times 4/3
 * of what halving mesh (a quarter of what the last halving did) and step change.  The 0.1 mm by
 * which the link is off the middle must have been lost on the way there: buckling comes 0.04 s
 * earlier with them, and as late as computed with 1e-8 m, of whose tenfold or tenth it makes 8 ms,
 * and a thousandfold 6 % of the most. */
static void lateral_buckling(void **state) {
  (void)state;
  static const double rise[3] = {0.001865, 0.006933, 0.012645};
  support_trace own = lifted("parameters.n=20", "simulation.step=1e-3", "output.every=1");
  support_trace mesh = lifted("parameters.n=10", "simulation.step=1e-3", "output.every=1");
  support_trace fine = lifted("parameters.n=20", "simulation.step=5e-4", "output.every=2");
  for (int i = 0; i < 3; ++i) {
    const double *x = support_row(&own, 50 * (i + 1));
    const double change = fabs(x[2] - support_row(&mesh, 50 * (i + 1))[2]) / 4 +
                          fabs(x[2] - support_row(&fine, 50 * (i + 1))[2]);
    check_report("rise of the middle, m", fabs(x[2] - rise[i]), 4 * change + 1e-6);
    CHECK_LE(fabs(x[2] - rise[i]), 4 * change + 1e-6);
  }
  double onset = 0, most = 0;
  for (int row = 0; row < own.rows; ++row) {
    const double *x = support_row(&own, row);
    if (onset == 0 && fabs(x[1]) > 1e-3) onset = x[0];
    most = check_max(most, fabs(x[1]));
  }
  print_message("  1 mm aside at %.3f s, at most %.4f m\n", onset, most);
  CHECK_NEAR(onset, 0.168, 0.008);
  CHECK_NEAR(most, 0.0508, 0.06 * 0.0508);
  support_trace_release(&own);
  support_trace_release(&mesh);
  support_trace_release(&fine);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(motions), cmocka_unit_test(steady_spin),
                                     cmocka_unit_test(lateral_buckling)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
