/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cables: the elastic catenary, frequencies of strings and of a hanging chain, waves, slackness,
 * balances, and what is refused. */
#include <stdio.h>
#include <stdlib.h>

#include <gsl/gsl_eigen.h>
#include <gsl/gsl_sf_bessel.h>
#include <gsl/gsl_sort_vector.h>

#include "assembly/assembly.h"
#include "check.h"
#include "closed.h"

static void check_order(const char *what, double coarse, double fine, double order,
                        double tolerance) {
  char label[120];
  const double found = torsor_order(coarse, fine, 2, 1);
  snprintf(label, sizeof label, "%s: %.3g, %.3g, off order %g by", what, coarse, fine, order);
  check_report(label, fabs(found - order), tolerance);
  CHECK_ORDER(found, order, tolerance);
}

/* ---- statics --------------------------------------------------------------------------------- */

/* The elastic catenary (Irvine, Cable Structures, 1981, section 2.3): with the forces H and V on
 * the start, along x and up, unstrained length L, weight w per length, x = H s/EA + H/w [asinh(V/H)
 * - asinh((V - w s)/H)], z = -(s/EA) (V - w s/2) - H/w [sqrt(1 + (V/H)^2) - sqrt(1 + ((V - w
 * s)/H)^2)]. */
static const double EA = 2000, WEIGHT = 1.5 * 9.81, LENGTH = 10, SPAN = 8, RISE = 2;

static void catenary_at(double *x, double *z, double H, double V, double s) {
  const double end = V - WEIGHT * s;
  *x = H * s / EA + H / WEIGHT * (asinh(V / H) - asinh(end / H));
  *z = -s / EA * (V - WEIGHT * s / 2) - H / WEIGHT * (hypot(1, V / H) - hypot(1, end / H));
}

/* Newton with differences, from a guess near by. */
static void solve_catenary(double *H, double *V) {
  *H = 50;
  *V = 60;
  for (int i = 0; i < 30; ++i) {
    double x, z, xh, zh, xv, zv;
    const double d = 1e-4;
    catenary_at(&x, &z, *H, *V, LENGTH);
    catenary_at(&xh, &zh, *H + d, *V, LENGTH);
    catenary_at(&xv, &zv, *H, *V + d, LENGTH);
    const double a = (xh - x) / d, b = (xv - x) / d, c = (zh - z) / d, e = (zv - z) / d;
    const double rx = SPAN - x, rz = RISE - z, det = a * e - b * c;
    *H += (e * rx - b * rz) / det;
    *V += (a * rz - c * rx) / det;
  }
}

static void catenary_errors(double error[2], const char *elements) {
  static const char *const signals[] = {"rope@0.5.position", "A.force", NULL};
  char text[900];
  snprintf(text, sizeof text,
           "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"rope\", \"type\":"
           " \"cable\", \"end\": [8, 0, 2], \"length\": 10, \"stiffness\": 2000, \"density\": 1.5,"
           " \"elements\": %s}], \"joints\": [{\"name\": \"A\", \"type\": \"spherical\", \"a\":"
           " \"ground\", \"b\": \"rope.start\"}, {\"name\": \"B\", \"type\": \"spherical\", \"a\":"
           " {\"body\": \"ground\", \"position\": [8, 0, 2]}, \"b\": \"rope.end\"}]}",
           elements);
  double row[8], H, V, x, z;
  closed_rest(row, 8, text, signals);
  solve_catenary(&H, &V);
  catenary_at(&x, &z, H, V, LENGTH / 2);
  error[0] = hypot(row[1] - x, row[3] - z);
  error[1] = hypot(row[4] + H, row[6] - V);
}

static void catenary(void **state) {
  (void)state;
  double coarse[2], fine[2];
  catenary_errors(coarse, "16");
  catenary_errors(fine, "32");
  check_order("catenary: middle, m", coarse[0], fine[0], 2, 0.05);
  check_order("catenary: force, N", coarse[1], fine[1], 2, 0.05);
  CHECK_LE(fine[0], 0.01);
}

/* A longer cable begins as an arc without strain; a shorter one is stretched. */
static void shapes(void **state) {
  (void)state;
  static const char *const signals[] = {"c.stretch", "c[2].position", NULL};
  static const char *const text =
      "{\"torsor\": 1, \"gravity\": [0, -1, 0], \"bodies\": [{\"name\": \"c\", \"type\": \"cable\","
      " \"end\": [2, 0, 0], \"length\": %s, \"stiffness\": 100, \"density\": 1, \"elements\": 4}],"
      " \"simulation\": {\"step\": 1, \"duration\": 0}}";
  static const char *const length[] = {"\"pi\"", "1.6"};
  for (int k = 0; k < 2; ++k) {
    char own[600];
    snprintf(own, sizeof own, text, length[k]);
    support_world world;
    support_trace trace = {0};
    torsor_summary summary;
    CHECK_INT(support_open(&world, own, NULL, NULL), TORSOR_OK);
    CHECK_INT(support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene),
                             signals, NULL),
              TORSOR_OK);
    const double *row = support_row(&trace, 0);
    const double strain = k ? 2 / 1.6 - 1 : 0;
    for (int i = 0; i < 4; ++i) CHECK_NEAR(row[1 + i], strain, 64 * CHECK_EPS);
    CHECK_NEAR(row[5], 1, 64 * CHECK_EPS);
    CHECK_NEAR(row[7], 0, 64 * CHECK_EPS);
    if (!k) CHECK_LE(row[6], -0.9); /* nearly half a circle of radius 1 */
    support_trace_release(&trace);
    support_close(&world);
  }
}

/* ---- frequencies
 * --------------------------------------------------------------------------------- */

/* Square of the angular frequency of mode `mode` along `axis` at the model's initial positions, of
 * nodes that move freely but for the first ones and the last ones: K by differences and M of the
 * residual. */
static double frequency2(const torsor_model *model, const double *x, int axis, int first, int last,
                         int mode) {
  assembly *a;
  CHECK_INT(assembly_create(&a, model, NULL, false, NULL), TORSOR_OK);
  const torsor_problem *pr = assembly_problem(a);
  const int n = pr->nv / 3 - first - last;
  double *q = malloc((size_t)pr->nq * sizeof *q), *r = malloc((size_t)pr->nv * sizeof *r);
  double *zero = calloc((size_t)pr->nv, sizeof *zero);
  gsl_matrix *K = gsl_matrix_calloc((size_t)n, (size_t)n),
             *M = gsl_matrix_calloc((size_t)n, (size_t)n);
  for (int j = 0; j < n; ++j) {
    const int column = 3 * (first + j) + axis;
    for (int side = -1; side <= 1; side += 2) {
      const double h = 1e-7; /* K of a stiff piece across is linear up to there */
      memcpy(q, x, (size_t)pr->nq * sizeof *q);
      q[column] += side * h;
      const torsor_point p = {.q = q};
      CHECK_INT(pr->residual(pr->self, &p, r, NULL, NULL), TORSOR_OK);
      for (int i = 0; i < n; ++i)
        *gsl_matrix_ptr(K, (size_t)i, (size_t)j) += side * r[3 * (first + i) + axis] / (2 * h);
    }
    for (int side = 0; side < 2; ++side) {
      zero[column] = side;
      const torsor_point p = {.q = x, .a = zero};
      CHECK_INT(pr->residual(pr->self, &p, r, NULL, NULL), TORSOR_OK);
      for (int i = 0; i < n; ++i)
        *gsl_matrix_ptr(M, (size_t)i, (size_t)j) += (2 * side - 1) * r[3 * (first + i) + axis];
      zero[column] = 0;
    }
  }
  gsl_vector *value = gsl_vector_alloc((size_t)n);
  gsl_eigen_gensymm_workspace *w = gsl_eigen_gensymm_alloc((size_t)n);
  CHECK_INT(gsl_eigen_gensymm(K, M, value, w), 0);
  gsl_sort_vector(value);
  const double found = gsl_vector_get(value, (size_t)mode - 1);
  gsl_eigen_gensymm_free(w);
  gsl_vector_free(value);
  gsl_matrix_free(K);
  gsl_matrix_free(M);
  free(q);
  free(r);
  free(zero);
  assembly_destroy(a);
  return found;
}

/* A string of n pieces, tension 50 N on 2 m, 0.1 kg per unstrained metre of 1.6 m; EA = 200 N. */
static double string_frequency(int n, int axis, int mode) {
  char text[400];
  snprintf(text, sizeof text,
           "{\"torsor\": 1, \"bodies\": [{\"name\": \"s\", \"type\": \"cable\", \"end\": [2, 0, 0],"
           " \"length\": 1.6, \"stiffness\": 200, \"density\": 0.1, \"elements\": %d}]}",
           n);
  support_world world;
  double x[3 * 65] = {0};
  CHECK_INT(support_open(&world, text, NULL, NULL), TORSOR_OK);
  for (int i = 0; i <= n; ++i) x[3 * i] = 2.0 * i / n;
  const double found = sqrt(frequency2(world.model, x, axis, 1, 1, mode));
  support_close(&world);
  return found;
}

/* omega = mode pi c/l with c = sqrt(T/m) across (m = 0.08 kg/m, l = 2 m), and sqrt(EA/m) on the
 * unstrained length along: waves.  Fourth order in the pieces. */
static void strings(void **state) {
  (void)state;
  const double across = 3 * PI * sqrt(50 / 0.08) / 2, along = 3 * PI * sqrt(200 / 0.1) / 1.6;
  check_order("third mode across", fabs(string_frequency(16, 1, 3) - across),
              fabs(string_frequency(32, 1, 3) - across), 4, 0.1);
  check_order("third mode along", fabs(string_frequency(16, 0, 3) - along),
              fabs(string_frequency(32, 0, 3) - along), 4, 0.1);
  CHECK_LE(fabs(string_frequency(32, 1, 3) / across - 1), 1e-4);
}

/* A hanging chain: omega = j_0,k/2 sqrt(g/L), j_0,k the zeros of J_0 (Bernoulli 1738); a stiffness
 * that lets it stretch by 1e-6 of its length. */
static double chain_frequency(int n, int mode) {
  char text[400];
  snprintf(
      text, sizeof text,
      "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"c\", \"type\":"
      " \"cable\", \"end\": [0, 0, -3], \"stiffness\": 3e7, \"density\": 1, \"elements\": %d}]}",
      n);
  support_world world;
  double x[3 * 65] = {0};
  CHECK_INT(support_open(&world, text, NULL, NULL), TORSOR_OK);
  const double piece = 3.0 / n;
  for (int i = 1; i <= n; ++i) /* tension at a piece: what hangs below its middle */
    x[3 * i + 2] = x[3 * i - 1] - piece * (1 + 9.81 * piece * (n - i + 0.5) / 3e7);
  const double found = sqrt(frequency2(world.model, x, 0, 1, 0, mode));
  support_close(&world);
  return found;
}

static void hanging_chain(void **state) {
  (void)state;
  for (int mode = 1; mode <= 3; ++mode) {
    const double exact = gsl_sf_bessel_zero_J0((unsigned)mode) / 2 * sqrt(9.81 / 3);
    const double coarse = fabs(chain_frequency(16, mode) - exact);
    const double fine = fabs(chain_frequency(32, mode) - exact);
    /* The free end, where the tension vanishes, costs two orders. */
    check_order("hanging chain, rad/s", coarse, fine, 2, 0.2);
    CHECK_LE(fine / exact, 2e-3 * mode);
  }
}

/* ---- motion ---------------------------------------------------------------------------------- */

/* A weight on a rope that is slack at first: it falls freely until the rope is straight, bounces,
 * and is reported. Tensions are never below zero, and the balance of energy closes to the order of
 * a step in which a piece comes under tension. */
static void slack(void **state) {
  (void)state;
  static const char *const text =
      "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"rope\", \"type\":"
      " \"cable\", \"end\": [0, 0, -1], \"length\": 2, \"stiffness\": 1000, \"density\": 1e-3,"
      " \"elements\": 1, \"damping_factor\": 0.01}, {\"name\": \"m\", \"type\": \"point_mass\","
      " \"mass\": 1, \"position\": [0, 0, -1]}], \"joints\": [{\"name\": \"A\", \"type\": "
      "\"spherical\","
      " \"a\": \"ground\", \"b\": \"rope.start\"}, {\"name\": \"B\", \"type\": \"spherical\", "
      "\"a\":"
      " \"rope.end\", \"b\": \"m\"}], \"simulation\": {\"step\": 1e-3, \"duration\": 1.5}}";
  static const char *const signals[] = {"rope.tension", "m.position.z", "energy.balance", NULL};
  support_world world;
  support_trace trace = {0};
  torsor_summary summary;
  torsor_error error = {0};
  CHECK_INT(support_open(&world, text, NULL, &error), TORSOR_OK);
  CHECK_INT(support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene), signals,
                           &error),
            TORSOR_OK);
  CHECK_CONTAINS(trace.warnings, "cable_element \"rope.element[0]\" is slack at t = 0");
  double least = 0, most = 0, off = 0;
  for (int i = 0; i < trace.rows; ++i) {
    const double *row = support_row(&trace, i);
    least = fmin(least, row[1]);
    most = check_max(most, row[1]);
    off = check_max(off, fabs(row[3]));
  }
  /* it pulls along 5/12 of the rope and bears half its weight */
  const double fall = 9.81 * 0.08 * (1 + 1e-3) / (1 + 5e-3 / 6);
  check_report("free fall, m", fabs(support_row(&trace, 400)[2] + 1 + fall), 1e-8);
  CHECK_NEAR(support_row(&trace, 400)[2], -1 - fall, 1e-8);
  CHECK_NEAR(least, 0, 0);
  CHECK_GE(most, 90); /* without damping m g + sqrt(m^2 g^2 + 2 m g h EA/L) = 109 N */
  CHECK_LE(most, 109);
  /* where it comes under tension, and where it gets slack again, the loss jumps by EA tau v^2/L =
   * 100 W within a step, of which half */
  check_report("energy balance, J", off, 2 * 0.05);
  CHECK_LE(off, 2 * 0.05);
  support_trace_release(&trace);
  support_close(&world);
}

/* Free and under tension: energy and momenta of second order. */
static void balances(void **state) {
  (void)state;
  static const char *const text =
      "{\"torsor\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"c\", \"type\": "
      "\"cable\","
      " \"end\": [2, 0, 0], \"length\": 1.8, \"stiffness\": 100, \"density\": 1, \"elements\": 6,"
      " \"damping_factor\": 0.01}], \"joints\": [{\"name\": \"A\", \"type\": \"spherical\","
      " \"a\": \"ground\", \"b\": \"c.start\"}, {\"name\": \"B\", \"type\": \"motion\","
      " \"x\": \"2 + 0.3*sin(4*t)\", \"y\": \"0.4*(1 - cos(3*t))\", \"z\": 0, \"a\": \"ground\", "
      "\"b\":"
      " \"c.end\"}], \"forces\": [{\"name\": \"wind\", \"type\": \"beam_load\", \"on\": \"c\", "
      "\"force\":"
      " [0, 3, 0], \"scale\": \"sin(5*t)\"}]}";
  static const char *const signals[] = {"energy.balance", NULL};
  double energy[2];
  for (int i = 0; i < 2; ++i) {
    support_trace trace = closed_run(text, signals, "SE3", 0.005 / (1 << i), 1);
    energy[i] = fabs(support_row(&trace, trace.rows - 1)[1]);
    support_trace_release(&trace);
  }
  check_order("energy balance, J", energy[0], energy[1], 2, 0.2);
}

static void refusals(void **state) {
  (void)state;
  static const struct {
    const char *keys, *rest, *path, *message;
  } table[] = {
      {"", "", "bodies[0].end", "the cable has no end"},
      {", \"end\": [0, 0, 0]", "", "bodies[0].end", "where it starts"},
      {", \"end\": [1, 0, 0], \"length\": -1", "", "bodies[0].length", "greater than 0"},
      {", \"end\": [1, 0, 0], \"stations\": [2]", "", "bodies[0].stations", "off the beam"},
      {", \"end\": [1, 0, 0]",
       ", \"joints\": [{\"name\": \"j\", \"type\": \"weld\", \"a\": \"ground\", \"b\": \"c.end\"}]",
       "joints[0].b", "no orientation"},
      {", \"end\": [1, 0, 0]",
       ", \"forces\": [{\"name\": \"f\", \"type\": \"beam_load\", \"on\": \"c\", \"moment\": [1, "
       "0, 0]}]",
       "forces[0].moment", "no moments"},
      {", \"end\": [1, 0, 0]",
       ", \"forces\": [{\"name\": \"f\", \"type\": \"beam_load\", \"on\": \"c\", \"force\": [1, 0, "
       "0],"
       " \"axes\": \"body\"}]",
       "forces[0].axes", "no section axes"},
      {", \"end\": [1, 0, 0]",
       ", \"forces\": [{\"name\": \"f\", \"type\": \"beam_load\", \"on\": \"d\", \"force\": [1, 0, "
       "0]}]",
       "forces[0].on", "no beam \"d\""},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    char text[900];
    snprintf(text, sizeof text,
             "{\"torsor\": 1, \"bodies\": [{\"name\": \"c\", \"type\": \"cable\", \"stiffness\": 1,"
             " \"density\": 1, \"elements\": 2%s}]%s}",
             table[i].keys, table[i].rest);
    support_world world;
    torsor_error error = {0};
    const torsor_status status = support_open(&world, text, NULL, &error);
    if (!status || strcmp(error.path, table[i].path))
      print_error("%s\n -> %s: %s (%s)\n", table[i].keys, error.path, error.message, error.hint);
    CHECK_INT(status, TORSOR_SCENE);
    CHECK_CONTAINS(error.message, table[i].message);
    CHECK_STR(error.path, table[i].path);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(catenary),      cmocka_unit_test(shapes), cmocka_unit_test(strings),
      cmocka_unit_test(hanging_chain), cmocka_unit_test(slack),  cmocka_unit_test(balances),
      cmocka_unit_test(refusals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
