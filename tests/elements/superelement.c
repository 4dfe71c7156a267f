/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Superelements: Craig-Bampton reductions of a beam against the beam itself, balances in free
 * flight, files, and what is refused. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <gsl/gsl_blas.h>
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_linalg.h>

#include "assembly/model/model.h"
#include "check.h"
#include "closed.h"

/* ---- a reduction
 * --------------------------------------------------------------------------------- */

enum { ELEMENTS = 8, NODES = ELEMENTS + 1, FULL = 6 * NODES, INNER = FULL - 12, MODES = 12 };

#define SECTION                                                                                    \
  "{\"stiffness\": [1e5, 4e4, 4e4, 40, 50, 60], \"inertia\": [1, 1, 1, 2e-3, 1e-3, 1e-3]}"
#define BEAM                                                                                       \
  "{\"name\": \"b\", \"type\": \"beam\", \"length\": 1, \"elements\": 8, \"section\": " SECTION "}"

static char folder[] = "/tmp/torsor-super-XXXXXX";

/* K and M of the straight beam, whose nodes have the body's axes. */
static void find_full(gsl_matrix *K, gsl_matrix *M) {
  support_world world;
  CHECK_INT(support_open(&world, "{\"torsor\": 1, \"bodies\": [" BEAM "]}", NULL, NULL), TORSOR_OK);
  gsl_matrix_set_zero(K);
  gsl_matrix_set_zero(M);
  for (int e = 0; e < ELEMENTS; ++e) {
    const model_element *element = &world.model->element[NODES + e];
    torsor_motion motion[2];
    const torsor_motion *seen[2] = {&motion[0], &motion[1]};
    double own[2][144] = {{0}};
    for (int k = 0; k < 2; ++k)
      motion[k] = (torsor_motion){.R = m3_identity(),
                                  .x = world.model->node[element->node[k]].init.frame.x};
    const torsor_element_in in = {.load = 1, .node = seen};
    torsor_element_out out = {.K = own[0], .M = own[1]};
    CHECK_INT(element->type->eval(element->instance, &in, &out), TORSOR_OK);
    for (size_t i = 0; i < 12; ++i)
      for (size_t j = 0; j < 12; ++j) {
        const size_t row = 6 * (size_t)e + i, column = 6 * (size_t)e + j;
        *gsl_matrix_ptr(K, row, column) += own[0][12 * i + j];
        *gsl_matrix_ptr(M, row, column) += own[1][12 * i + j];
      }
  }
  support_close(&world);
}

/* T [FULL x (12 + modes)]: static modes of both ends, then fixed-interface modes. */
static void find_basis(gsl_matrix *T, const gsl_matrix *K, const gsl_matrix *M, size_t modes) {
  gsl_matrix_const_view Kii = gsl_matrix_const_submatrix(K, 6, 6, INNER, INNER);
  gsl_matrix_const_view Mii = gsl_matrix_const_submatrix(M, 6, 6, INNER, INNER);
  gsl_matrix *A = gsl_matrix_alloc(INNER, INNER), *B = gsl_matrix_alloc(INNER, INNER);
  gsl_matrix *Phi = gsl_matrix_alloc(INNER, INNER);
  gsl_vector *value = gsl_vector_alloc(INNER);
  gsl_eigen_gensymmv_workspace *w = gsl_eigen_gensymmv_alloc(INNER);
  gsl_matrix_memcpy(A, &Kii.matrix);
  gsl_matrix_memcpy(B, &Mii.matrix);
  CHECK_INT(gsl_eigen_gensymmv(A, B, value, Phi, w), 0);
  gsl_eigen_gensymmv_sort(value, Phi, GSL_EIGEN_SORT_VAL_ASC);
  gsl_matrix_memcpy(A, &Kii.matrix);
  CHECK_INT(gsl_linalg_cholesky_decomp1(A), 0);
  gsl_matrix_set_zero(T);
  for (size_t k = 0; k < 12; ++k) {
    const size_t dof = k < 6 ? k : FULL - 12 + k;
    gsl_vector *x = gsl_vector_alloc(INNER);
    for (size_t i = 0; i < INNER; ++i) gsl_vector_set(x, i, -gsl_matrix_get(K, 6 + i, dof));
    CHECK_INT(gsl_linalg_cholesky_svx(A, x), 0);
    for (size_t i = 0; i < INNER; ++i) gsl_matrix_set(T, 6 + i, k, gsl_vector_get(x, i));
    gsl_matrix_set(T, dof, k, 1);
    gsl_vector_free(x);
  }
  for (size_t k = 0; k < modes; ++k)
    for (size_t i = 0; i < INNER; ++i) gsl_matrix_set(T, 6 + i, 12 + k, gsl_matrix_get(Phi, i, k));
  gsl_eigen_gensymmv_free(w);
  gsl_vector_free(value);
  gsl_matrix_free(Phi);
  gsl_matrix_free(A);
  gsl_matrix_free(B);
}

/* T^T A T as a symmetric Matrix Market file, in either of its forms. */
static void write_reduced(const char *name, const gsl_matrix *A, const gsl_matrix *T,
                          bool coordinate) {
  const size_t n = T->size2;
  char path[120];
  gsl_matrix *AT = gsl_matrix_alloc(FULL, n), *out = gsl_matrix_alloc(n, n);
  gsl_blas_dgemm(CblasNoTrans, CblasNoTrans, 1, A, T, 0, AT);
  gsl_blas_dgemm(CblasTrans, CblasNoTrans, 1, T, AT, 0, out);
  snprintf(path, sizeof path, "%s/%s.mtx", folder, name);
  FILE *file = fopen(path, "w");
  CHECK_TRUE(file != NULL);
  fprintf(file, "%%%%MatrixMarket matrix %s real symmetric\n%% reduced\n",
          coordinate ? "coordinate" : "array");
  if (coordinate)
    fprintf(file, "%zu %zu %zu\n", n, n, n * (n + 1) / 2);
  else
    fprintf(file, "%zu %zu\n", n, n);
  for (size_t j = 0; j < n; ++j)
    for (size_t i = j; i < n; ++i) {
      if (coordinate) fprintf(file, "%zu %zu ", i + 1, j + 1);
      fprintf(file, "%.17g\n", gsl_matrix_get(out, i, j));
    }
  fclose(file);
  gsl_matrix_free(AT);
  gsl_matrix_free(out);
}

static void reduce(size_t modes) {
  gsl_matrix *K = gsl_matrix_alloc(FULL, FULL), *M = gsl_matrix_alloc(FULL, FULL);
  gsl_matrix *T = gsl_matrix_alloc(FULL, 12 + modes);
  find_full(K, M);
  find_basis(T, K, M, modes);
  write_reduced("K", K, T, false);
  write_reduced("M", M, T, true);
  gsl_matrix_free(K);
  gsl_matrix_free(M);
  gsl_matrix_free(T);
}

#define REDUCED                                                                                    \
  "{\"name\": \"b\", \"type\": \"superelement\", \"interfaces\": [[0, 0, 0], [1, 0, 0]],"          \
  " \"stiffness\": \"%s/K.mtx\", \"mass\": \"%s/M.mtx\"%s}"

static void reduced_scene(char *out, size_t size, const char *keys, const char *rest) {
  char body[700];
  snprintf(body, sizeof body, REDUCED, folder, folder, keys);
  snprintf(out, size, "{\"torsor\": 1, \"bodies\": [%s]%s}", body, rest);
}

/* ---- against the beam ------------------------------------------------------------------------ */

/* A force of space on the end of the clamped beam; deflections of some 1e-5 m. */
#define CLAMPED(end)                                                                               \
  ", \"joints\": [{\"name\": \"clamp\", \"type\": \"weld\", \"a\": \"ground\", \"b\": \"b[0]\"}]," \
  " \"forces\": [{\"name\": \"f\", \"type\": \"force\", \"at\": \"b[" end "]\", \"force\":"        \
  " [1e-2, 2e-3, 3e-3], \"scale\": \"t < 0.02 ? sin(pi*t/0.02)^2 : 0\"}]"

static double apart(const support_trace *a, int column_a, const support_trace *b, int column_b,
                    double *size) {
  double most = 0;
  CHECK_INT(a->rows, b->rows);
  for (int i = 0; i < a->rows; ++i) {
    const double x = support_row(a, i)[column_a], y = support_row(b, i)[column_b];
    most = check_max(most, fabs(x - y));
    *size = check_max(*size, fabs(x));
  }
  return most;
}

/* The more modes, the nearer; with those below 2 kHz nothing is left but their tail.  Small
 * deflections: the beam's own geometric terms are 1e-5 of them. */
static void beam_against_reduction(void **state) {
  (void)state;
  static const char *const beam_signals[] = {"b.end.position.y", "b.end.position.z", NULL};
  static const char *const signals[] = {"b[1].position.y", "b[1].position.z", NULL};
  support_trace beam = closed_run("{\"torsor\": 1, \"bodies\": [" BEAM "]" CLAMPED("8") "}",
                                  beam_signals, "SE3", 5e-4, 0.1);
  double before = HUGE_VAL;
  for (size_t modes = 0; modes <= MODES; modes += 6) {
    char text[1600];
    reduce(modes);
    reduced_scene(text, sizeof text, "", CLAMPED("1"));
    support_trace reduced = closed_run(text, signals, "SE3", 5e-4, 0.1);
    double size = 0, off = 0;
    for (int k = 1; k <= 2; ++k) off = check_max(off, apart(&beam, k, &reduced, k, &size));
    print_message("  %zu modes: off by %.3g of %.3g m\n", modes, off, size);
    CHECK_LE(off, before / 2);
    before = off;
    if (modes == MODES) CHECK_LE(off, 2e-3 * size);
    support_trace_release(&reduced);
  }
  support_trace_release(&beam);
}

/* A load that stays: static reduction is exact, large turns of the body as a whole change
 * nothing. */
static void static_deflection(void **state) {
  (void)state;
  static const char *const signals[] = {"b[1].position", NULL};
  static const char *const rest =
      ", \"joints\": [{\"name\": \"clamp\", \"type\": \"weld\", \"a\": {\"body\": \"ground\","
      " \"orientation\": {\"rotation_vector\": [0, 0, 2]}}, \"b\": \"b[0]\"}], \"forces\": "
      "[{\"name\":"
      " \"f\", \"type\": \"force\", \"at\": \"b[1]\", \"force\": [0, 2e-3, 3e-3], \"axes\": "
      "\"body\"}]";
  char text[1600];
  double row[4];
  reduce(3);
  reduced_scene(text, sizeof text, ", \"orientation\": {\"rotation_vector\": [0, 0, 2]}", rest);
  closed_rest(row, 4, text, signals);
  const v3 x = m3_tmulv(so3_rodrigues((v3){0, 0, 2}), v3_load(row + 1));
  /* L^3/3EI + L/GA, but for the turn of the end, 1e-5, that follows */
  const double y = 2e-3 * (1 / 180.0 + 1 / 4e4), z = 3e-3 * (1 / 150.0 + 1 / 4e4);
  /* elements of order 4 are exact at their nodes */
  check_report("static deflection y", fabs(x.y / y - 1), 2e-5);
  check_report("static deflection z", fabs(x.z / z - 1), 2e-5);
  CHECK_NEAR(x.y, y, 2e-5 * y);
  CHECK_NEAR(x.z, z, 2e-5 * z);
}

/* ---- free flight
 * --------------------------------------------------------------------------------- */

/* Spinning, with gravity, damping and a push on one end: all balances are of second order. */
static void balances(void **state) {
  (void)state;
  static const char *const signals[] = {"energy.balance",   "momentum",        "impulse",
                                        "angular_momentum", "angular_impulse", NULL};
  static const char *const rest = ", \"gravity\": [0, 0, -9.81], \"forces\": [{\"name\": \"f\", "
                                  "\"type\": \"force\", \"at\": \"b[1]\","
                                  " \"force\": [0, 20, 10], \"scale\": \"sin(3*t)^2\"}]";
  char text[1600];
  reduce(3);
  reduced_scene(
      text, sizeof text,
      ", \"angular_velocity\": [1, 2, 3], \"velocity\": [1, 0, 0], \"damping_factor\": 1e-3", rest);
  for (int g = 0; g < 2; ++g) {
    double off[3][2];
    for (int i = 0; i < 2; ++i) {
      support_trace trace = closed_run(text, signals, closed_groups[g], 0.004 / (1 << i), 0.6);
      const double *first = support_row(&trace, 0), *last = support_row(&trace, trace.rows - 1);
      off[0][i] = fabs(last[1]);
      for (int k = 0; k < 2; ++k) {
        const v3 gain = v3_sub(v3_load(last + 2 + 6 * k), v3_load(first + 2 + 6 * k));
        off[1 + k][i] = v3_norm(v3_sub(gain, v3_load(last + 5 + 6 * k)));
      }
      support_trace_release(&trace);
    }
    static const char *const what[] = {"energy balance, J", "momentum, N s", "angular momentum"};
    for (int k = 0; k < 3; ++k) {
      const double order = torsor_order(off[k][0], off[k][1], 2, 1);
      print_message("  %s %s: %.3g, %.3g, order %.2f\n", closed_groups[g], what[k], off[k][0],
                    off[k][1], order);
      if (off[k][1] > 1e-6) CHECK_ORDER(order, 2, 0.2);
    }
  }
}

/* ---- files and refusals
 * ----------------------------------------------------------------------------- */

static void write_text(const char *name, const char *text) {
  char path[120];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *file = fopen(path, "w");
  CHECK_TRUE(file != NULL);
  fputs(text, file);
  fclose(file);
}

#define BANNER "%%MatrixMarket matrix "

/* Files: the message names the file and the line. */
static void bad_files(void **state) {
  (void)state;
  static const struct {
    const char *text, *message;
    int line;
  } table[] = {
      {"", "is not a Matrix Market file", 0},
      {"1 2 3\n", "is not a Matrix Market file", 1},
      {BANNER "array complex general\n1 1\n1\n", "of a kind that is not read", 1},
      {BANNER "array real general\n% comment\n\nx\n", "has no size", 4},
      {BANNER "array real symmetric\n2 3\n", "a size that is not possible", 2},
      {BANNER "array real general\n2 2\n1\n2\nthree\n4\n", "is no value", 5},
      {BANNER "array real general\n2 2\n1\n2\n3\n", "ends before its last value", 5},
      {BANNER "array real general\n1 1\n1\n2\n", "goes on behind", 4},
      {BANNER "coordinate real general\n2 2 1\n3 1 5\n", "outside the matrix", 3},
      {BANNER "coordinate real general\n2 2 2\n1 1 5\n", "ends before its last entry", 3},
      {BANNER "coordinate real general\n2 2 1\n1 1\n", "is no entry", 3},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    char text[1600];
    support_world world;
    torsor_error error = {0};
    write_text("K.mtx", table[i].text);
    reduced_scene(text, sizeof text, "", "");
    CHECK_INT(support_open(&world, text, NULL, &error), TORSOR_SCENE);
    CHECK_CONTAINS(error.message, table[i].message);
    CHECK_CONTAINS(error.file, "K.mtx");
    CHECK_INT(error.line, table[i].line);
    CHECK_TRUE(error.hint[0] != '\0');
  }
}

/* The matrices belong to the scene and its hash, not the names of their files. */
static void hash_covers_files(void **state) {
  (void)state;
  static const char *const mass[] = {"1 1 1\n2 2 1\n3 3 1\n", "1 1 2\n2 2 2\n3 3 2\n"};
  char text[1600], matrix[200], hash[2][33];
  write_text("K.mtx", BANNER "coordinate real general\n6 6 1\n1 1 0\n");
  for (int i = 0; i < 2; ++i) {
    support_world world;
    torsor_error error = {0};
    snprintf(matrix, sizeof matrix, "%s%s%s", BANNER "coordinate real symmetric\n6 6 6\n", mass[i],
             "4 4 1\n5 5 1\n6 6 1\n");
    write_text("M.mtx", matrix);
    snprintf(text, sizeof text,
             "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"superelement\", "
             "\"interfaces\": [[0, 0, 0]], \"stiffness\": \"%s/K.mtx\", \"mass\": "
             "\"%s/M.mtx\"}]}",
             folder, folder);
    CHECK_INT(support_open(&world, text, NULL, &error), TORSOR_OK);
    memcpy(hash[i], torsor_scene_hash(world.scene), sizeof hash[i]);
    CHECK_TRUE(!strstr(torsor_scene_canonical(world.scene), ".mtx"));
    support_close(&world);
  }
  CHECK_TRUE(strcmp(hash[0], hash[1]) != 0);
}

static void refusals(void **state) {
  (void)state;
#define ONE(rest) "[[1, 0, 0, 0, 0, 0], " rest "]"
#define EYE                                                                                        \
  ONE("[0, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0,"  \
      " 0, 0, 1]")
#define NIL                                                                                        \
  "[[0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0], [0, 0, 0, 0,"  \
  " 0, 0], [0, 0, 0, 0, 0, 0]]"
  static const struct {
    const char *keys, *path, *message;
  } table[] = {
      {"\"interfaces\": [], \"mass\": " EYE ", \"stiffness\": " NIL, "bodies[0].interfaces",
       "none"},
      {"\"interfaces\": [[0, 0]], \"mass\": " EYE ", \"stiffness\": " NIL,
       "bodies[0].interfaces[0]", "3 numbers"},
      {"\"interfaces\": [[0, 0, 0], [1, 0, 0]], \"mass\": " EYE ", \"stiffness\": " NIL,
       "bodies[0].mass", "2 interfaces have 12"},
      {"\"interfaces\": [[0, 0, 0]], \"mass\": " EYE ", \"stiffness\": [[1]]",
       "bodies[0].stiffness", "is 1 by 1"},
      {"\"interfaces\": [[0, 0, 0]], \"mass\": " EYE ", \"stiffness\": " EYE, "bodies[0].stiffness",
       "resists a rigid motion"},
      {"\"interfaces\": [[0, 0, 0]], \"mass\": " EYE ", \"stiffness\": " ONE(
           "[1, 1, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0,"
           " 0, 0, 0, 1]"),
       "bodies[0].stiffness", "is not symmetric: entry (2, 1)"},
      {"\"interfaces\": [[0, 0, 0]], \"stiffness\": " NIL ", \"mass\": " ONE(
           "[0, 2, 0, 0, 0, 0], [0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0,"
           " 0, 0, 0, 1]"),
       "bodies[0].mass", "not the same in all directions"},
      {"\"interfaces\": [[0, 0, 0]], \"mass\": " EYE ", \"stiffness\": \"nowhere.mtx\"",
       "bodies[0].stiffness", "nowhere.mtx"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    char text[1600];
    support_world world;
    torsor_error error = {0};
    snprintf(text, sizeof text,
             "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"superelement\", %s}]}",
             table[i].keys);
    const torsor_status status = support_open(&world, text, NULL, &error);
    if (!status || strcmp(error.path, table[i].path))
      print_error("%s\n -> %s: %s (%s)\n", table[i].keys, error.path, error.message, error.hint);
    CHECK_INT(status, TORSOR_SCENE);
    CHECK_CONTAINS(error.message, table[i].message);
    CHECK_STR(error.path, table[i].path);
  }
}

/* Body files: interfaces and matrices come from them, and messages name them. */
static void body_files(void **state) {
  (void)state;
#define GIVEN "\"interfaces\": [[0, 0, 0]], \"mass\": " EYE ", \"stiffness\": " NIL
  static const struct {
    const char *body, *keys, *message, *file;
  } table[] = {
      {"{\"torsor_body\": 1, " GIVEN "}", "", NULL, NULL},
      {"{\"torsor_body\": 1, \"_note\": 1, " GIVEN "}", ", \"damping_factor\": 0.1", NULL, NULL},
      {"{" GIVEN "}", "", "is not a body file", "body.json"},
      {"[1]", "", "is not a body file", "body.json"},
      {"{\"torsor_body\": 1,}", "", "", "body.json"},
      {"{\"torsor_body\": 1, \"weight\": 5, " GIVEN "}", "", "a key \"weight\"", "body.json"},
      {"{\"torsor_body\": 1, " GIVEN "}", ", \"mass\": " EYE, "given by the body file",
       "test.json"},
      {"{\"torsor_body\": 1, \"interfaces\": [[0, 0, 0]]}", "", "is missing", "test.json"},
      {"{\"torsor_body\": 1, \"interfaces\": [[0, 0, 0]], \"stiffness\": " NIL "}", "",
       "is missing", "test.json"},
      {NULL, "", "cannot be read", "test.json"},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    char text[2400];
    support_world world;
    torsor_error error = {0};
    write_text("body.json", table[i].body ? table[i].body : "");
    snprintf(text, sizeof text,
             "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"superelement\", "
             "\"file\": \"%s/%s\"%s}]}",
             folder, table[i].body ? "body.json" : "nowhere.json", table[i].keys);
    const torsor_status status = support_open(&world, text, NULL, &error);
    if (!status == (table[i].message != NULL))
      print_error("%zu: %s: %s\n", i, error.path, error.message);
    CHECK_INT(status != TORSOR_OK, table[i].message != NULL);
    if (status) {
      CHECK_CONTAINS(error.message, table[i].message);
      CHECK_CONTAINS(error.file, table[i].file);
      continue;
    }
    CHECK_TRUE(!strstr(torsor_scene_canonical(world.scene), "body.json"));
    CHECK_INT(world.model->node_count, 1);
    support_close(&world);
  }
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  static const char *const name[] = {"K.mtx", "M.mtx", "body.json"};
  char path[120];
  for (int i = 0; i < 3; ++i) {
    snprintf(path, sizeof path, "%s/%s", folder, name[i]);
    unlink(path);
  }
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(beam_against_reduction),
      cmocka_unit_test(static_deflection),
      cmocka_unit_test(balances),
      cmocka_unit_test(bad_files),
      cmocka_unit_test(hash_covers_files),
      cmocka_unit_test(refusals),
      cmocka_unit_test(body_files),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
