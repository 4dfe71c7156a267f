/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linkages that move although they are over-constrained, and positions where constraints become
 * dependent. */
#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_linalg.h>
#include <torsor/lie.h>

#include "assembly/assembly.h"
#include "check.h"
#include "problems/trial.h"
#include "support.h"

enum { TEXT = 20000 };

/* A scene that is written piece by piece. */
typedef struct writer {
  char text[TEXT];
  int used;
} writer;

static void put(writer *w, const char *format, ...) {
  va_list list;
  va_start(list, format);
  w->used += vsnprintf(w->text + w->used, (size_t)(TEXT - w->used), format, list);
  va_end(list);
  CHECK_TRUE(w->used < TEXT);
}

/* A body with the axes of the ground at x, of mass 1. */
static void put_body(writer *w, int i, v3 x, v3 inertia, const char *more) {
  put(w,
      "%s{\"name\": \"r%d\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": [%.17g, %.17g, "
      "%.17g],",
      i > 1 ? ", " : "", i, inertia.x, inertia.y, inertia.z);
  put(w, " \"position\": [%.17g, %.17g, %.17g]%s}", x.x, x.y, x.z, more);
}

/* A hinge at x about `axis` between bodies a and b (0 = ground) that stand at xa and xb. */
static void put_hinge(writer *w, int i, int a, v3 xa, int b, v3 xb, v3 x, v3 axis) {
  char name[2][16];
  snprintf(name[0], sizeof name[0], a ? "r%d" : "ground", a);
  snprintf(name[1], sizeof name[1], b ? "r%d" : "ground", b);
  const v3 pa = v3_sub(x, xa), pb = v3_sub(x, xb);
  put(w, "%s{\"name\": \"j%d\", \"type\": \"revolute\", \"axis\": [%.17g, %.17g, %.17g],",
      i > 1 ? ", " : "", i, axis.x, axis.y, axis.z);
  put(w, " \"a\": {\"body\": \"%s\", \"position\": [%.17g, %.17g, %.17g]},", name[0], pa.x, pa.y,
      pa.z);
  put(w, " \"b\": {\"body\": \"%s\", \"position\": [%.17g, %.17g, %.17g]}}", name[1], pb.x, pb.y,
      pb.z);
}

static support_trace run(torsor_status *status, const char *text, const char *const *set,
                         const char *const *signals) {
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  *status = support_open(&world, text, set, &error);
  CHECK_INT(*status, TORSOR_OK);
  *status = support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), signals,
                           &error);
  if (*status) print_message("  %s\n", error.message);
  support_close(&world);
  return trace;
}

static support_trace run_well(const char *text, const char *const *set,
                              const char *const *signals) {
  torsor_status status;
  support_trace trace = run(&status, text, set, signals);
  CHECK_INT(status, TORSOR_OK);
  return trace;
}

/* ---- Bricard --------------------------------------------------------------------------------- */

/* Six hinges, five rods of 1 m and 0.1 m x 0.1 m: 30 rows of rank 29 (IFToMM benchmark). */
static void write_bricard(writer *w) {
  static const v3 P[6] = {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}};
  static const v3 axis[3] = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
  v3 center[7] = {{0}};
  put(w, "{\"torsor\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [");
  for (int i = 1; i <= 5; ++i) {
    const v3 d = v3_sub(P[i], P[i - 1]);
    center[i] = v3_scale(v3_add(P[i], P[i - 1]), 0.5);
    const double across = 1.01 / 12, along = 0.01 / 6;
    put_body(w, i, center[i],
             (v3){d.x != 0 ? along : across, d.y != 0 ? along : across, d.z != 0 ? along : across},
             "");
  }
  put(w, "], \"joints\": [");
  for (int i = 1; i <= 6; ++i)
    put_hinge(w, i, i - 1, center[i - 1], i % 6, center[i % 6], P[i - 1], axis[(i - 1) % 3]);
  put(w, "], \"simulation\": {\"step\": 1e-3, \"duration\": 2.5}}");
}

/* Point P3 at 0.5, 1, .. 2.5 s; from the equations of index 1 with least-norm multipliers, DOP853
 * at 1e-11. */
static const double bricard_point[5][3] = {
    {0.7747178080395138, -0.9798150476557135, -0.19990615895322533},
    {0.27448131926510394, -0.886707938734741, -0.462330002687244},
    {-0.2790175754204419, -0.8873613788326581, -0.4610745963032491},
    {-0.7781353730330497, -0.980352683443219, -0.19725267061735852},
    {-0.9999831852929992, -0.9999999998586352, -1.6814565633530525e-05}};

static double bricard_error(const char *text, const char *const *set) {
  static const char *const signals[] = {"r2.position", "r2.quaternion", "j3.lambda", NULL};
  support_trace trace = run_well(text, set, signals);
  CHECK_CONTAINS(trace.warnings, "1 of 30 constraint rows are redundant");
  double worst = 0;
  for (int k = 0; k < trace.rows; ++k) {
    const double *row = support_row(&trace, k);
    const int half = (int)lround(2 * row[0]);
    if (half == 0 || fabs(row[0] - 0.5 * half) > 1e-9) continue;
    const v3 arm = so3_rotate(so3_load(row + 4), (v3){0, -0.5, 0});
    const v3 exact = v3_load(bricard_point[half - 1]);
    worst = check_max(worst, v3_norm(v3_sub(v3_add(v3_load(row + 1), arm), exact)));
  }
  support_trace_release(&trace);
  return worst;
}

static void bricard(void **state) {
  (void)state;
  writer *w = calloc(1, sizeof *w);
  write_bricard(w);
  static const char *const groups[] = {"group=R3xSO3", "group=SE3"};
  static const char *const forms[] = {"simulation.formulation=index3",
                                      "simulation.formulation=ggl"};
  for (int k = 0; k < 4; ++k) {
    const char *const coarse[] = {groups[k / 2], forms[k % 2], "simulation.step=4e-3", NULL};
    const char *const fine[] = {groups[k / 2], forms[k % 2], "simulation.step=2e-3", NULL};
    const double e1 = bricard_error(w->text, coarse), e2 = bricard_error(w->text, fine);
    print_message("  %s %s: %.3g, %.3g, order %.3f\n", groups[k / 2], forms[k % 2], e1, e2,
                  log2(e1 / e2));
    CHECK_ORDER(log2(e1 / e2), 2, 0.1);
    CHECK_LE(e2, 1e-4);
  }
  free(w);
}

/* ---- Bennett --------------------------------------------------------------------------------- */

/* Links a, b, a, b of twists alpha, beta, alpha, beta with a sin(beta) = b sin(alpha): four hinges,
 * 20 rows, one freedom.  tan(t1/2) tan(t2/2) stays sin((beta + alpha)/2)/sin((beta - alpha)/2). */
static const double twist_a = M_PI / 6, twist_b = 70 * M_PI / 180;

static double bennett_product(void) {
  return sin((twist_b + twist_a) / 2) / sin((twist_b - twist_a) / 2);
}

/* Hinge points and axes at the angle t1 of the first (Denavit and Hartenberg). */
static void find_bennett(v3 x[4], v3 axis[4], double t1) {
  const double t2 = 2 * atan(bennett_product() / tan(t1 / 2));
  const double angle[4] = {t1, t2, -t1, -t2}, along[2] = {1, sin(twist_b) / sin(twist_a)};
  se3 H = {.R = so3_identity()};
  for (int i = 0; i < 4; ++i) {
    x[i] = H.x;
    axis[i] = so3_rotate(H.R, (v3){0, 0, 1});
    const se3 turn = {.R = so3_exp((v3){0, 0, angle[i]})};
    const se3 link = {.R = so3_exp((v3){i % 2 ? twist_b : twist_a, 0, 0}),
                      .x = {along[i % 2], 0, 0}};
    H = se3_compose(H, se3_compose(turn, link));
  }
  CHECK_NEAR(v3_norm(H.x), 0, 16 * CHECK_EPS);
}

static void write_bennett(writer *w) {
  v3 x[4], axis[4], center[4] = {{0}};
  find_bennett(x, axis, 1);
  put(w, "{\"torsor\": 1, \"bodies\": [");
  for (int i = 1; i < 4; ++i) {
    center[i] = v3_scale(v3_add(x[i - 1], x[i]), 0.5);
    put_body(w, i, center[i], (v3){0.1, 0.15, 0.2},
             i == 1 ? ", \"angular_velocity\": [0, 0, 2]" : "");
  }
  put(w, "], \"joints\": [");
  for (int i = 0; i < 4; ++i)
    put_hinge(w, i + 1, i, center[i], (i + 1) % 4, center[(i + 1) % 4], x[i], axis[i]);
  put(w, "], \"simulation\": {\"step\": 2e-3, \"duration\": 3}}");
}

/* The hinges keep Bennett's relation, whatever the speed: to what is left in Phi and grows with the
 * slope of the angles, some 10; and energy drifts by the method's h^2 only. */
static void bennett(void **state) {
  (void)state;
  writer *w = calloc(1, sizeof *w);
  write_bennett(w);
  static const char *const signals[] = {"j1.angle", "j2.angle", "energy.total", NULL};
  static const char *const forms[][2] = {{"simulation.formulation=index3", NULL},
                                         {"simulation.formulation=ggl", NULL}};
  for (int k = 0; k < 2; ++k) {
    support_trace trace = run_well(w->text, forms[k], signals);
    CHECK_CONTAINS(trace.warnings, "3 of 20 constraint rows are redundant");
    double off = 0, drift = 0, turned = 0;
    const double start = 2 * atan(bennett_product() / tan(0.5)), energy = support_row(&trace, 0)[3];
    for (int i = 0; i < trace.rows; ++i) {
      const double *row = support_row(&trace, i);
      const double a = (1 + row[1]) / 2, b = (start + row[2]) / 2;
      off = check_max(off, fabs(sin(a) * sin(b) - bennett_product() * cos(a) * cos(b)));
      drift = check_max(drift, fabs(row[3] - energy));
      turned = check_max(turned, fabs(row[1]));
    }
    print_message("  %s: %.3g rad turned, energy %.3g J\n", forms[k][0], turned, energy);
    check_report("Bennett's relation", off, 1e-10);
    check_report("energy drift, J", drift, 1e-4 * energy);
    CHECK_GE(turned, 1);
    CHECK_LE(off, 1e-10);
    CHECK_LE(drift, 1e-4 * energy);
    support_trace_release(&trace);
  }
  free(w);
}

/* ---- dead centres ---------------------------------------------------------------------------- */

/* Two windows of rods of 1 m and 1 kg that stand upright (IFToMM): all move as one pendulum
 * phi'' = -c cos phi, and where they lie flat three of the rows in the plane become dependent. */
static void write_windows(writer *w) {
  const v3 upright = {1.0 / 12, 1e-3, 1.0 / 12}, flat = {1e-3, 1.0 / 12, 1.0 / 12}, z = {0, 0, 1};
  const v3 x[6] = {{0}, {0, 0.5, 0}, {1, 0.5, 0}, {2, 0.5, 0}, {0.5, 1, 0}, {1.5, 1, 0}};
  put(w, "{\"torsor\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [");
  for (int i = 1; i <= 3; ++i)
    put_body(w, i, x[i], upright,
             i == 1 ? ", \"velocity\": [0.5, 0, 0], \"angular_velocity\": [0, 0, -1]" : "");
  for (int i = 4; i <= 5; ++i) put_body(w, i, x[i], flat, "");
  put(w, "], \"joints\": [");
  for (int i = 1; i <= 3; ++i) put_hinge(w, i, 0, x[0], i, x[i], (v3){i - 1, 0, 0}, z);
  for (int i = 4; i <= 5; ++i) {
    put_hinge(w, 2 * i - 4, i - 3, x[i - 3], i, x[i], (v3){i - 4, 1, 0}, z);
    put_hinge(w, 2 * i - 3, i - 2, x[i - 2], i, x[i], (v3){i - 3, 1, 0}, z);
  }
  put(w, "], \"simulation\": {\"step\": 1e-3, \"duration\": 2}}");
}

static void windows(void **state) {
  (void)state;
  writer *w = calloc(1, sizeof *w);
  write_windows(w);
  static const char *const signals[] = {"r1.position", "energy.total", NULL};
  static const char *const steps[][2] = {{"simulation.step=4e-3", NULL},
                                         {"simulation.step=2e-3", NULL},
                                         {"simulation.step=1e-3", NULL}};
  double before = 0;
  for (int k = 0; k < 3; ++k) {
    support_trace trace = run_well(w->text, steps[k], signals);
    CHECK_CONTAINS(trace.warnings, "6 of 35 constraint rows are redundant");
    const double *end = support_row(&trace, trace.rows - 1);
    const double off = hypot(2 * end[1] - 0.0578157957679059, 2 * end[2] - 0.9983272678634616);
    print_message("  %s: error %.3g, order %.3f\n", steps[k][0], off, log2(before / off));
    if (k) CHECK_ORDER(log2(before / off), 2, 0.1);
    before = off;
    support_trace_release(&trace);
  }
  /* The stabilised form gets through, or stops with a reason; what it delivers is finite. */
  static const char *const ggl[] = {"simulation.formulation=ggl", NULL};
  torsor_status status;
  support_trace trace = run(&status, w->text, ggl, signals);
  CHECK_TRUE(status == TORSOR_OK || status == TORSOR_STEP);
  for (int i = 0; i < trace.rows; ++i)
    CHECK_NEAR(support_row(&trace, i)[4], support_row(&trace, 0)[4], 0.1);
  support_trace_release(&trace);
  free(w);
}

/* A slider-crank with equal arms, point masses of 1 kg: at p = (0, 1), s = 0 both rods lie on each
 * other and their rows are equal. */
static void crank_mass(void *data, double t, const double *q, double *M) {
  (void)data, (void)t, (void)q;
  memset(M, 0, 9 * sizeof *M);
  M[0] = M[4] = M[8] = 1;
}

static void crank_force(void *data, double t, const double *q, const double *v, double *g) {
  (void)data, (void)t, (void)q, (void)v;
  memset(g, 0, 3 * sizeof *g);
}

static void crank_constraint(void *data, double t, const double *q, double *phi) {
  (void)data, (void)t;
  phi[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
  phi[1] = ((q[0] - q[2]) * (q[0] - q[2]) + q[1] * q[1] - 1) / 2;
}

static void crank_gradient(void *data, double t, const double *q, double *B) {
  (void)data, (void)t;
  const double d = q[0] - q[2];
  const double rows[6] = {q[0], q[1], 0, d, q[1], -d};
  memcpy(B, rows, sizeof rows);
}

/* Passed on the branch on which it came (s = 2 cos), energy kept: (1 + 4 sin^2) w^2 = const. */
static void equal_arms(void **state) {
  (void)state;
  const torsor_dense d = {.nq = 3,
                          .nv = 3,
                          .nl = 2,
                          .length = 1,
                          .mass = crank_mass,
                          .force = crank_force,
                          .constraint = crank_constraint,
                          .gradient = crank_gradient};
  for (int f = 0; f < 2; ++f) {
    const torsor_settings s =
        trial_settings(1e-3, f ? TORSOR_GGL : TORSOR_INDEX3, TORSOR_START_PERTURBED, 0.9);
    const double c = cos(0.6), sn = sin(0.6);
    const double q0[3] = {c, sn, 2 * c}, v0[3] = {-sn, c, -2 * sn};
    trial t = trial_open(&d, &s, q0, v0);
    double off = 0, energy = 0;
    const double all = 1 + 4 * sn * sn;
    torsor_status status = TORSOR_OK;
    while (!status && torsor_integrator_state(t.integrator).t < 2.5) {
      status = torsor_integrator_step(t.integrator);
      const torsor_state now = torsor_integrator_state(t.integrator);
      off = check_max(off, fabs(now.q[2] - 2 * now.q[0]));
      energy = check_max(
          energy, fabs(now.v[0] * now.v[0] + now.v[1] * now.v[1] + now.v[2] * now.v[2] - all));
    }
    const torsor_state end = torsor_integrator_state(t.integrator);
    print_message(
        "  %s: status %d at t = %.4f, p = (%.4f, %.4f), off the branch %.3g, energy %.3g\n",
        f ? "ggl" : "index3", (int)status, end.t, end.q[0], end.q[1], off, energy);
    CHECK_TRUE(status == TORSOR_OK || status == TORSOR_STEP);
    CHECK_LE(energy, 1e-3 * all);
    trial_close(&t);
  }
}

/* ---- least norm ---------------------------------------------------------------------------- */

/* Part of y [nl] that lies in the null space of B(q)^T, by a dense SVD. */
static double null_part_of(assembly *a, const double *q, const double *y) {
  const torsor_problem *pr = assembly_problem(a);
  gradient_rows B;
  CHECK_INT(assembly_gradient(&B, a, &(torsor_point){.q = q}), TORSOR_OK);
  const size_t nl = (size_t)pr->nl, m = nl > (size_t)pr->nv ? nl : (size_t)pr->nv;
  gsl_matrix *A = gsl_matrix_calloc(m, nl), *V = gsl_matrix_alloc(nl, nl);
  gsl_vector *S = gsl_vector_alloc(nl), *work = gsl_vector_alloc(nl);
  for (size_t i = 0; i < nl; ++i)
    for (int k = B.first[i]; k < B.first[i + 1]; ++k)
      *gsl_matrix_ptr(A, (size_t)B.column[k], i) += B.value[k];
  gsl_linalg_SV_decomp(A, V, S, work);
  double part = 0, size = 0;
  int dependent = 0;
  for (size_t j = 0; j < nl; ++j) {
    double along = 0;
    for (size_t i = 0; i < nl; ++i) along += gsl_matrix_get(V, i, j) * y[i];
    size = hypot(size, along);
    if (gsl_vector_get(S, j) > 1e-9) continue;
    part = hypot(part, along);
    ++dependent;
  }
  print_message("  %d rows, %d dependent, |y| = %.3g\n", pr->nl, dependent, size);
  CHECK_GE(dependent, 1);
  CHECK_GE(size, DBL_MIN);
  gsl_matrix_free(A);
  gsl_matrix_free(V);
  gsl_vector_free(S);
  gsl_vector_free(work);
  gradient_rows_release(&B);
  return part / size;
}

/* Multipliers of the first row of a run have no part in the null space of B^T. */
static double null_part(const char *text) {
  support_world world;
  CHECK_INT(support_open(&world, text, NULL, NULL), TORSOR_OK);
  const torsor_model *model = world.model;
  const char *names[16] = {NULL};
  char name[16][80];
  int count = 0;
  for (int i = 0; i < model->element_count; ++i)
    if (model->element[i].rows) {
      snprintf(name[count], sizeof *name, "%s.lambda", model->element[i].name);
      names[count] = name[count];
      ++count;
    }
  torsor_simulation at_start = torsor_simulation_default();
  at_start.settings = torsor_settings_default();
  support_trace trace = {0};
  torsor_summary summary;
  CHECK_INT(support_run_as(&trace, &summary, &world, &at_start, names, NULL), TORSOR_OK);
  CHECK_INT(trace.columns, model->nl + 1);
  const double *lambda = support_row(&trace, 0) + 1;

  assembly *a;
  double q[60], v[60];
  unsigned char given[60];
  CHECK_INT(assembly_create(&a, model, NULL, false, NULL), TORSOR_OK);
  assembly_initial(a, q, v, given);
  const double part = null_part_of(a, q, lambda);
  assembly_destroy(a);
  support_trace_release(&trace);
  support_close(&world);
  return part;
}

/* The filter leaves what is at right angles to the null space in the metric D of the rows, the
 * diagonal of B W B^T with the metric W of corrections.  Wielandt's inequality bounds the cosine of
 * the angle that is then left by (d_max - d_min)/(d_max + d_min). */
static double most_left(assembly *a, const double *q) {
  const torsor_problem *pr = assembly_problem(a);
  gradient_rows B;
  CHECK_INT(assembly_gradient(&B, a, &(torsor_point){.q = q}), TORSOR_OK);
  double least = HUGE_VAL, most = 0;
  for (int i = 0; i < pr->nl; ++i) {
    double d = 0;
    for (int k = B.first[i]; k < B.first[i + 1]; ++k)
      d += pow(B.value[k] / pr->metric[B.column[k]], 2);
    least = fmin(least, d);
    most = fmax(most, d);
  }
  gradient_rows_release(&B);
  return (most - least) / (most + least);
}

/* Corrections of the positions of a Bennett linkage that falls: the part of their multipliers of a
 * step that lies in the null space of B^T at its begin, and in `bound` what it may be. */
static double corrections_null_part(double *bound) {
  static const char *const set[] = {"gravity=[0, 3, -9.81]", NULL};
  enum { STEPS = 400, EVERY = 100 };
  writer *w = calloc(1, sizeof *w);
  write_bennett(w);
  support_world world;
  CHECK_INT(support_open(&world, w->text, set, NULL), TORSOR_OK);
  free(w);
  assembly *a;
  double q[60], v[60], worst = 0;
  unsigned char given[60];
  CHECK_INT(assembly_create(&a, world.model, NULL, true, NULL), TORSOR_OK);
  assembly_set_redundant(a, true);
  assembly_initial(a, q, v, given);
  const torsor_problem *pr = assembly_problem(a);
  memset(v, 0, sizeof v); /* from rest, which no constraint contradicts */
  torsor_settings settings = trial_settings(2e-3, TORSOR_GGL, TORSOR_START_PLAIN, 0.8);
  torsor_integrator *it;
  CHECK_INT(torsor_integrator_create(&it, pr, &settings, NULL), TORSOR_OK);
  CHECK_INT(torsor_integrator_start(it, 0, q, v), TORSOR_OK);
  for (int n = 1; n <= STEPS; ++n) {
    memcpy(q, torsor_integrator_state(it).q, (size_t)pr->nq * sizeof *q);
    CHECK_INT(torsor_integrator_step(it), TORSOR_OK);
    if (n % EVERY) continue;
    const double part = null_part_of(a, q, torsor_integrator_state(it).eta);
    worst = check_max(worst, part);
    *bound = fmax(*bound, most_left(a, q));
  }
  torsor_integrator_destroy(it);
  assembly_destroy(a);
  support_close(&world);
  return worst;
}

/* Rounding, over the smallest singular values of some 1e-2 squared. */
static void least_norm(void **state) {
  (void)state;
  writer *w = calloc(1, sizeof *w);
  void (*const writers[])(writer *) = {write_bricard, write_bennett, write_windows};
  for (int i = 0; i < 3; ++i) {
    w->used = 0;
    writers[i](w);
    const double part = null_part(w->text);
    check_report("part of lambda without force", part, 1e-11);
    CHECK_LE(part, 1e-11);
  }
  free(w);
}

/* Without a filter that part gathers over the steps until it is all but 1e-14 of them. */
static void corrections_least_norm(void **state) {
  (void)state;
  double bound = 0;
  const double part = corrections_null_part(&bound);
  check_report("part of corrections that moves nothing", part, bound);
  CHECK_LE(bound, 0.99);
  CHECK_LE(part, bound);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bricard),    cmocka_unit_test(bennett),
      cmocka_unit_test(windows),    cmocka_unit_test(equal_arms),
      cmocka_unit_test(least_norm), cmocka_unit_test(corrections_least_norm)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
