/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reductions: a bracket of CalculiX's elements against its full model and an independent reduction,
 * files of several programs, and what is refused. */
#include "analysis/reduce/reduce.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <gsl/gsl_eigen.h>
#include <gsl/gsl_sort_vector.h>

#include "check.h"
#include "scene/reduce_job.h"
#include "solid_kit.h"

static char folder[] = "/tmp/torsor-reduce-XXXXXX";
static char path_of[8][120];

static const char *path(const char *name) {
  static int turn;
  char *out = path_of[turn = (turn + 1) % 8];
  snprintf(out, sizeof path_of[0], "%s/%s", folder, name);
  return out;
}

static void write_text(const char *name, const char *content) {
  FILE *file = fopen(path(name), "w");
  CHECK_TRUE(file != NULL);
  fputs(content, file);
  fclose(file);
}

/* Frequencies (Hz) of the reduced body without its first coordinates, which are `held`. */
static void frequencies(double *hz, int count, const reduce_result *r, size_t held) {
  const size_t n = (size_t)r->n - held;
  gsl_matrix *K = gsl_matrix_alloc(n, n), *M = gsl_matrix_alloc(n, n);
  gsl_vector *square = gsl_vector_alloc(n);
  gsl_eigen_gensymm_workspace *w = gsl_eigen_gensymm_alloc(n);
  for (size_t i = 0; i < n; ++i)
    for (size_t j = 0; j < n; ++j) {
      gsl_matrix_set(K, i, j, r->K[(i + held) * (n + held) + j + held]);
      gsl_matrix_set(M, i, j, r->M[(i + held) * (n + held) + j + held]);
    }
  CHECK_INT(gsl_eigen_gensymm(K, M, square, w), 0);
  gsl_sort_vector(square);
  for (int k = 0; k < count; ++k)
    hz[k] = sqrt(fabs(gsl_vector_get(square, (size_t)k))) / (2 * M_PI);
  gsl_eigen_gensymm_free(w);
  gsl_vector_free(square);
  gsl_matrix_free(K);
  gsl_matrix_free(M);
}

/* ---- the bracket ----------------------------------------------------------------------------- */

typedef struct part {
  mesh m;
  fe_model model;
  v3 *place;
  long *id;
  reduce_interface interface[2];
  reduce_input input;
} part;

static void part_open(part *p, const char *file) {
  torsor_error error = {0};
  *p = (part){0};
  CHECK_INT(mesh_read_inp(&p->m, file, &error), TORSOR_OK);
  solid_matrices(&p->model, &p->m, 7e10, 0.33, 2700);
  p->place = malloc((size_t)p->m.nodes * sizeof *p->place);
  p->id = malloc((size_t)p->m.nodes * sizeof *p->id);
  CHECK_TRUE(p->place && p->id);
  for (int i = 0; i < p->m.nodes; ++i) {
    p->place[i] = p->m.node[i].x;
    p->id[i] = p->m.node[i].id;
  }
  const mesh_set *start = mesh_find_node_set(&p->m, "START");
  const mesh_set *end = mesh_find_node_set(&p->m, "END");
  p->interface[0] = (reduce_interface){.name = "base",
                                       .node = p->m.member + start->first,
                                       .nodes = start->count,
                                       .position = {0, 0.02, 0.004}};
  p->interface[1] = (reduce_interface){.name = "tip",
                                       .node = p->m.member + end->first,
                                       .nodes = end->count,
                                       .position = {0.096, 0.02, 0.08}};
  p->input = (reduce_input){.model = &p->model,
                            .place = p->place,
                            .id = p->id,
                            .nodes = p->m.nodes,
                            .interface = p->interface,
                            .interfaces = 2};
}

static void part_close(part *p) {
  mesh_release(&p->m);
  fe_release(&p->model);
  free(p->place);
  free(p->id);
}

/* The references are those of matrices written by CalculiX 2.20 (C3D20), reduced and solved with
 * NumPy.  What the tip resists, (1890/s)^2 times 0.07 kg, is left of
 * some 1e10 N/m of the nodes of an interface: 4e4 times the round-off of sums of a thousand terms,
 * 200 eps in both solutions. */
static const double DIGITS = 4e4 * 400 * CHECK_EPS;

static void bracket(void **state) {
  (void)state;
  static const struct {
    const char *what;
    bool averaging, free_modes;
    int modes;
    double hz[5], tolerance;
  } table[] = {
      {"Guyan",
       false,
       false,
       0,
       {300.94808834123586, 589.264283018671, 935.7462621922457, 2778.5525442893722,
        4684.59465526815},
       DIGITS},
      {"6 modes",
       false,
       false,
       6,
       {300.8535774044696, 588.8551261445114, 927.7898313069, 2335.9482857528365,
        3992.4257815980613},
       DIGITS},
      {"18 modes",
       false,
       false,
       18,
       {300.832552354624, 588.6409298356741, 927.2987861854693, 2335.3404031903133,
        3978.656806503634},
       DIGITS},
      /* The full models: what modes above 100 kHz would add is (4 kHz/100 kHz)^4. */
      {"full",
       false,
       false,
       120,
       {300.83161675458183, 588.6252140491088, 927.2572351799868, 2335.2347469990973,
        3977.5171961956285},
       3e-6},
      {"full, averaging tip", true, false, 120, {300.8301, 588.6245, 927.1577, 0, 0}, 3e-6},
  };
  part p;
  solid_write_bracket(path("bracket.inp"));
  part_open(&p, path("bracket.inp"));
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    reduce_result r;
    torsor_error error = {0};
    double hz[5], off = 0;
    p.interface[1].averaging = table[i].averaging;
    p.input.modes = table[i].modes;
    p.input.free_modes = table[i].free_modes;
    const torsor_status status = reduce(&r, &p.input, &error);
    if (status) print_error("%s\n", error.message);
    CHECK_INT(status, TORSOR_OK);
    frequencies(hz, 5, &r, 6);
    for (int k = 0; k < 5 && table[i].hz[k] > 0; ++k)
      off = fmax(off, fabs(hz[k] / table[i].hz[k] - 1));
    print_message("  %s: %.10g Hz, off by %.2g; residual %.2g, rigid %.2g\n", table[i].what, hz[0],
                  off, r.report.residual, r.report.rigid_full);
    CHECK_LE(off, table[i].tolerance);
    reduce_release(&r);
  }
  part_close(&p);
}

/* The displacements of a load's nodes under it, with the interfaces held. */
static double find_compliance(const reduce_result *r, const reduce_load *load) {
  double sum = 0;
  for (int k = 12; k < r->n; ++k) {
    double work = 0;
    for (int i = 0; i < load->nodes; ++i)
      work += r->N[(size_t)k * (size_t)r->report.degrees + 3 * (size_t)load->node[i] + 1];
    sum += work * work / r->K[k * (r->n + 1)];
  }
  return sum;
}

/* Free modes, which are then those of the reduced body without supports, and loads whose
 * deflections are among the shapes. */
static void other_shapes(void **state) {
  (void)state;
  static const double own[] = {1169.9376008204928, 3388.5630231328037, 3897.0341703411705,
                               4442.188098336739, 6698.7405048311475};
  part p;
  part_open(&p, path("bracket.inp"));
  const reduce_load load = {.node = p.interface[1].node, .nodes = 3, .direction = {0, 1, 0}};
  reduce_result r;
  double hz[11], off[2] = {0, 0};
  p.input.modes = 6;
  for (int kind = 0; kind < 2; ++kind) {
    p.input.free_modes = kind == 1;
    CHECK_INT(reduce(&r, &p.input, NULL), TORSOR_OK);
    frequencies(hz, 11, &r, 0);
    for (int k = 0; k < 5; ++k) off[kind] = fmax(off[kind], fabs(hz[6 + k] / own[k] - 1));
    print_message("  6 %s modes: the free body's frequencies are off by %.3g\n",
                  kind ? "free" : "fixed", off[kind]);
    reduce_release(&r);
  }
  CHECK_LE(off[1], DIGITS);
  CHECK_GE(off[0], 1e-4);
  /* The motion under a load that no interface carries is right with its deflection, whatever modes
   * there are beside it. */
  double compliance[3];
  p.input.free_modes = false;
  p.input.load = &load;
  p.interface[1].averaging = true;
  for (int i = 0; i < 3; ++i) {
    p.input.modes = i ? 40 : 0;
    p.input.loads = i < 2;
    CHECK_INT(reduce(&r, &p.input, NULL), TORSOR_OK);
    CHECK_INT(r.report.modes, p.input.modes + p.input.loads);
    compliance[i] = find_compliance(&r, &load);
    reduce_release(&r);
  }
  print_message(
      "  compliance of a load: %.9g by its deflection, %.9g and 40 modes, %.9g by these\n",
      compliance[0], compliance[1], compliance[2]);
  CHECK_NEAR(compliance[1], compliance[0], DIGITS * compliance[0]);
  CHECK_LE(compliance[2], 0.9 * compliance[0]);
  part_close(&p);
}

/* Mass, centre and inertia of a box by its corners' shape functions are exact. */
static void weights(void **state) {
  (void)state;
  static const int n[3] = {4, 2, 3};
  const v3 size = {0.4, 0.2, 0.3};
  part p;
  reduce_result r;
  solid_write_box(path("box.inp"), n, size, 8);
  part_open(&p, path("box.inp"));
  p.interface[0].position = (v3){0, 0.1, 0.15};
  p.interface[1].position = (v3){0.4, 0.1, 0.15};
  p.input.below_hz = 6000;
  CHECK_INT(reduce(&r, &p.input, NULL), TORSOR_OK);
  const double mass = 2700 * 0.4 * 0.2 * 0.3;
  const double round = 200 * CHECK_EPS; /* sums over 60 nodes, twice */
  CHECK_NEAR(r.report.mass, mass, round * mass);
  CHECK_LE(v3_norm(v3_sub(r.report.centre, v3_scale(size, 0.5))), round);
  CHECK_NEAR(r.report.inertia.m[0][0], mass / 12 * (0.04 + 0.09), round * mass);
  CHECK_NEAR(r.report.inertia.m[1][1], mass / 12 * (0.16 + 0.09), round * mass);
  CHECK_NEAR(r.report.inertia.m[2][2], mass / 12 * (0.16 + 0.04), round * mass);
  print_message("  %d modes below 6 kHz, the last %.5g Hz; left out %.2g, %.2g, %.2g\n",
                r.report.modes, r.report.frequency[r.report.modes - 1], r.report.left_out[0],
                r.report.left_out[1], r.report.left_out[2]);
  CHECK_GE(r.report.modes, 3);
  CHECK_LE(r.report.frequency[r.report.modes - 1], 6000);
  const int modes = r.report.modes;
  reduce_release(&r);
  p.input.below_hz = 0;
  p.input.modes = modes + 1;
  CHECK_INT(reduce(&r, &p.input, NULL), TORSOR_OK);
  CHECK_GE(r.report.frequency[modes], 6000); /* none was missed */
  reduce_release(&r);
  part_close(&p);
}

/* ---- files of programs ----------------------------------------------------------------------- */

#define JOB(matrices)                                                                              \
  "{\"torsor_reduce\": 1, \"matrices\": " matrices ", \"mesh\": \"box.inp\", \"interfaces\": ["    \
  "{\"name\": \"a\", \"set\": \"START\"}, {\"name\": \"b\", \"set\": \"END\", \"coupling\": "      \
  "\"averaging\"}], \"modes\": 4}"

static void reduce_job_file(reduce_job *job, reduce_result *r, const char *content) {
  torsor_error error = {0};
  write_text("job.json", content);
  torsor_status status = reduce_job_read(job, path("job.json"), &error);
  if (!status) status = reduce(r, &job->input, &error);
  if (status) print_error("%s\n%s:%d: %s\n", content, error.file, error.line, error.message);
  CHECK_INT(status, TORSOR_OK);
}

/* The same model by all formats, to the digits that they write. */
static void formats(void **state) {
  (void)state;
  static const struct {
    const char *job;
    double digits;
  } table[] = {
      {JOB("{\"calculix\": \"box\"}"), 5e-14},
      {JOB("{\"stiffness\": \"K.mtx\", \"mass\": \"M.mtx\", \"dofs\": \"box.dof\"}"), 1e-16},
      {JOB("{\"stiffness\": \"general.mtx\", \"mass\": \"M.mtx\", \"dofs\": \"box.dof\"}"), 1e-16},
      {JOB("{\"stiffness\": \"K.abaqus\", \"mass\": \"M.abaqus\"}"), 5e-14},
      {JOB("{\"dmig\": \"wide.pch\"}"), 5e-10},
  };
  static const int n[3] = {4, 2, 3};
  part p;
  solid_write_box(path("box.inp"), n, (v3){0.4, 0.2, 0.3}, 8);
  part_open(&p, path("box.inp"));
  solid_write_calculix(path("box"), &p.model, &p.m);
  solid_write_market(path("K.mtx"), &p.model.K, &p.model, false);
  solid_write_market(path("general.mtx"), &p.model.K, &p.model, true);
  solid_write_market(path("M.mtx"), &p.model.M, &p.model, false);
  solid_write_abaqus(path("K.abaqus"), &p.model.K, &p.model, &p.m);
  solid_write_abaqus(path("M.abaqus"), &p.model.M, &p.model, &p.m);
  double first[5] = {0};
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    reduce_job job;
    reduce_result r;
    double hz[5], off = 0;
    if (i == 4) solid_write_dmig(path("wide.pch"), &p.model, &p.m, true);
    reduce_job_file(&job, &r, table[i].job);
    frequencies(hz, 5, &r, 6);
    if (!i) memcpy(first, hz, sizeof first);
    for (int k = 0; k < 5; ++k) off = fmax(off, fabs(hz[k] / first[k] - 1));
    print_message("  %zu: %.12g Hz, off by %.2g\n", i, hz[0], off);
    /* Written digits are lost as those of round-off are: 1e5 of them between the entries of a node
     * and the softest mode of this thick box. */
    CHECK_LE(off, 1e5 * fmax(table[i].digits, table[0].digits));
    reduce_release(&r);
    reduce_job_release(&job);
  }
  part_close(&p);
}

/* In millimetres and tonnes, forces being N: entries of another size, the same body. */
static void units(void **state) {
  (void)state;
  part p;
  reduce_job job;
  reduce_result r;
  double hz[2][5];
  part_open(&p, path("box.inp"));
  for (long k = 0; k < p.model.K.entries; ++k) p.model.K.value[k] *= 1e-3; /* N/mm */
  for (long k = 0; k < p.model.M.entries; ++k) p.model.M.value[k] *= 1e-3; /* t */
  solid_write_calculix(path("mm"), &p.model, &p.m);
  static const int n[3] = {4, 2, 3};
  solid_write_box(path("mm.inp"), n, (v3){400, 200, 300}, 8);
  for (int i = 0; i < 2; ++i) {
    reduce_job_file(
        &job, &r,
        i ? "{\"torsor_reduce\": 1, \"matrices\": {\"calculix\": \"mm\"}, \"mesh\": \"mm.inp\","
            " \"unit\": {\"length\": 1e-3, \"mass\": 1e3}, \"interfaces\": [{\"name\": \"a\","
            " \"set\": \"START\"}, {\"name\": \"b\", \"set\": \"END\", \"coupling\": "
            "\"averaging\"}], \"modes\": 4}"
          : JOB("{\"calculix\": \"box\"}"));
    frequencies(hz[i], 5, &r, 6);
    CHECK_NEAR(r.report.mass, 2700 * 0.024, 1e-9);
    reduce_release(&r);
    reduce_job_release(&job);
  }
  for (int k = 0; k < 5; ++k) CHECK_NEAR(hz[1][k], hz[0][k], 1e-8 * hz[0][k]);
  part_close(&p);
}

/* ---- refusals -------------------------------------------------------------------------------- */

#define WITH(interfaces)                                                                           \
  "{\"torsor_reduce\": 1,\n\"matrices\": {\"calculix\": \"box\"}, \"mesh\": \"box.inp\",\n"        \
  "\"interfaces\": [\n" interfaces "],\n\"modes\": 2}"
#define START "{\"name\": \"a\", \"set\": \"START\"}"
#define DMIG  JOB("{\"dmig\": \"bad.pch\"}")
#define HEAD  "DMIG    KAAX           0       6       2       0\n"

static void refusals(void **state) {
  (void)state;
  static const char banner[] = "%%MatrixMarket matrix coordinate real general\n";
  static const struct {
    const char *job, *file, *text, *in, *message;
    int line;
  } table[] = {
      {"{}", NULL, NULL, "job.json", "not a file of `torsor reduce`", 1},
      {"{\"torsor_reduce\": 1}", NULL, NULL, "job.json", "needs \"mesh\"", 1},
      {JOB("{\"calculix\": \"nowhere\"}"), NULL, NULL, "nowhere.dof", "cannot be read", 0},
      {WITH(""), NULL, NULL, "job.json", "there are no interfaces", 3},
      {WITH(START ",\n{\"name\": \"b\", \"set\": \"FAR\"}"), NULL, NULL, "job.json",
       "no set of nodes \"FAR\"", 5},
      {WITH(START ",\n{\"name\": \"b\", \"set\": \"START\"}"), NULL, NULL, "job.json",
       "in the interfaces \"a\" and \"b\"", 5},
      {WITH(START ",\n{\"name\": \"b\", \"nodes\": []}"), NULL, NULL, "job.json", "has no nodes",
       5},
      {WITH(START ",\n{\"name\": \"b\", \"nodes\": [9, 9]}"), NULL, NULL, "job.json",
       "do not determine its rotation", 5},
      {WITH(START ",\n{\"name\": \"b\", \"nodes\": [2]}"), NULL, NULL, "job.json", "has no node 2",
       5},
      {WITH(START ",\n{\"name\": \"b\"}"), NULL, NULL, "job.json", "either \"set\" or", 5},
      {JOB("{\"calculix\": \"bad\"}"), "bad.dof", "1.1\n1.4\n1.x\n", "bad.dof",
       "is no degree of freedom", 3},
      {JOB("{\"calculix\": \"bad\"}"), "bad.dof", "1.1\n1.1\n", "bad.dof", "also that of row 1", 2},
      {JOB("{\"calculix\": \"bad\"}"), "bad.dof", "2.1\n", "bad.dof", "has no node 2", 1},
      {JOB("{\"calculix\": \"bad\"}"), "bad.dof", "1.7\n", "bad.dof", "none of 1 to 6", 1},
      {JOB("{\"stiffness\": \"bad.mtx\", \"mass\": \"M.mtx\"}"), "bad.mtx", banner, "bad.mtx",
       "rows of a Matrix Market file have no names", 1},
      {JOB("{\"stiffness\": \"bad.mtx\", \"mass\": \"M.mtx\", \"dofs\": \"box.dof\"}"), "bad.mtx",
       "%%MatrixMarket matrix coordinate real general\n180 180 2\n2 1 5\n1 2 4\n", "bad.mtx",
       "is not symmetric: node 1 direction 2 and node 1 direction 1 have 5, but 4", 3},
      {JOB("{\"stiffness\": \"bad.mtx\", \"mass\": \"M.mtx\", \"dofs\": \"box.dof\"}"), "bad.mtx",
       "%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 1 5\n", "bad.mtx",
       "2 rows and 2 columns", 2},
      {JOB("{\"stiffness\": \"bad.mtx\", \"mass\": \"M.mtx\"}"), "bad.mtx", "1, 1, 3, 1\n",
       "bad.mtx", "is no entry of a matrix", 1},
      {DMIG, "bad.pch", "DMIG    KAAX           0       1       3       0\n", "bad.pch",
       "is of the type 3", 1},
      {DMIG, "bad.pch", "DMIG    KAAX           0       2       2       0\n", "bad.pch",
       "has the form 2", 1},
      {DMIG, "bad.pch", "DMIG    KAAX           1       1                1       1     1.0\n",
       "bad.pch", "before its first card", 1},
      {DMIG, "bad.pch", HEAD "DMIG    KAAX           1       1               1       1   1.x\n",
       "bad.pch", "is no value", 2},
      {DMIG, "bad.pch", HEAD "DMIG    KAAX           2       1               1       1   1.0\n",
       "bad.pch", "has no node 2", 2},
      {DMIG, "bad.pch", HEAD "DMIG    KAAX           1       1               1       1   1.0\n",
       "bad.pch", "no matrix called MAAX", 0},
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    reduce_job job;
    reduce_result r = {0};
    torsor_error error = {0};
    write_text("job.json", table[i].job);
    if (table[i].file) write_text(table[i].file, table[i].text);
    torsor_status status = reduce_job_read(&job, path("job.json"), &error);
    if (!status && (status = reduce(&r, &job.input, &error)) != TORSOR_OK)
      reduce_job_locate(&job, path("job.json"), &error);
    if (!strstr(error.message, table[i].message) || error.line != table[i].line)
      print_error("%s\n -> %s:%d: %s\n", table[i].job, error.file, error.line, error.message);
    CHECK_TRUE(status != TORSOR_OK);
    CHECK_CONTAINS(error.message, table[i].message);
    CHECK_CONTAINS(error.file, table[i].in);
    CHECK_INT(error.line, table[i].line);
    reduce_release(&r);
    reduce_job_release(&job);
  }
}

static bool is_middle(int i, int j, int k) {
  (void)j;
  (void)k;
  return i == 2;
}

/* Models that cannot be those of a free body. */
static void models(void **state) {
  (void)state;
  torsor_error error = {0};
  reduce_result r;
  part p;
  part_open(&p, path("box.inp"));
  const double k = p.model.K.value[0];
  p.model.K.value[0] *= 1.1; /* a spring to the ground */
  CHECK_INT(reduce(&r, &p.input, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "resists a displacement along x");
  CHECK_CONTAINS(error.message, "at node 1 ");
  reduce_release(&r);
  p.model.K.value[0] = -k;
  CHECK_INT(reduce(&r, &p.input, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "the stiffness is indefinite");
  reduce_release(&r);
  p.model.K.value[0] = k;
  p.place[5].z += 0.05; /* another mesh */
  CHECK_INT(reduce(&r, &p.input, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "resists a rotation");
  reduce_release(&r);
  p.place[5].z -= 0.05;
  for (long i = 0; i < p.model.M.entries; ++i) p.model.M.value[i] = 0;
  CHECK_INT(reduce(&r, &p.input, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "the mass is 0 kg");
  reduce_release(&r);
  part_close(&p);
  /* a mesh in two pieces, of which the second one is loose */
  static const double place[] = {0, 0.1, 0.2, 0.3, 0.4};
  const solid_grid g = {
      .n = {4, 1, 1}, .place = {place, place, place}, .nodes = 8, .lacks = is_middle};
  solid_write_grid(path("box.inp"), &g);
  part_open(&p, path("box.inp"));
  p.input.interfaces = 1;
  CHECK_INT(reduce(&r, &p.input, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "is not positive with the interfaces held: node ");
  CHECK_CONTAINS(error.hint, "loose");
  reduce_release(&r);
  /* one direction is not there */
  p.model.direction[4] = 5;
  CHECK_INT(reduce(&r, &p.input, &error), TORSOR_SCENE);
  CHECK_CONTAINS(error.message, "has only 2 of three displacements");
  reduce_release(&r);
  part_close(&p);
}

static int make_folder(void **state) {
  (void)state;
  return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
  (void)state;
  static const char *const name[] = {
      "bracket.inp", "box.inp", "job.json", "box.dof",  "box.sti",  "box.mas", "K.mtx",
      "general.mtx", "M.mtx",   "K.abaqus", "M.abaqus", "wide.pch", "mm.inp",  "mm.dof",
      "mm.sti",      "mm.mas",  "bad.dof",  "bad.mtx",  "bad.pch"};
  for (size_t i = 0; i < sizeof name / sizeof *name; ++i) unlink(path(name[i]));
  return rmdir(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bracket), cmocka_unit_test(other_shapes), cmocka_unit_test(weights),
      cmocka_unit_test(formats), cmocka_unit_test(units),        cmocka_unit_test(refusals),
      cmocka_unit_test(models),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
