/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Motions of reduced beams: a slider-crank whose rod is a superelement, blades that rotate, and
 * warnings where linear matrices end. */
#include "elements/floating.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/reduce/reduce.h"
#include "assembly/model/model.h"
#include "check.h"
#include "closed.h"
#include "modes_kit.h"
#include "reduced_kit.h"

enum { ELEMENTS = 8, NODES = ELEMENTS + 1 };

static void put(fe_matrix *A, int row, int column, double value) {
  if (row < column) return;
  A->row[A->entries] = row;
  A->column[A->entries] = column;
  A->value[A->entries++] = value;
}

static void take_matrix(fe_matrix *A) {
  const size_t room = ELEMENTS * 144;
  *A = (fe_matrix){.room = (long)room,
                   .row = malloc(room * sizeof *A->row),
                   .column = malloc(room * sizeof *A->column),
                   .value = malloc(room * sizeof *A->value)};
  CHECK_TRUE(A->row && A->column && A->value);
}

static void release_matrix(fe_matrix *A) {
  free(A->row);
  free(A->column);
  free(A->value);
}

/* K and M of a straight beam of this section along x, whose nodes have the body's axes. */
static void find_beam(fe_model *f, v3 place[NODES], const char *section, double length) {
  char text[800];
  support_world world;
  snprintf(text, sizeof text,
           "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\", \"length\": %.17g, "
           "\"elements\": %d, \"section\": %s}]}",
           length, ELEMENTS, section);
  CHECK_INT(support_open(&world, text, NULL, NULL), TORSOR_OK);
  take_matrix(&f->K);
  take_matrix(&f->M);
  for (int e = 0; e < ELEMENTS; ++e) {
    const model_element *element = &world.model->element[NODES + e];
    torsor_motion motion[2];
    const torsor_motion *seen[2] = {&motion[0], &motion[1]};
    double own[2][144] = {{0}};
    for (int k = 0; k < 2; ++k) {
      place[e + k] = world.model->node[element->node[k]].init.frame.x;
      motion[k] = (torsor_motion){.R = m3_identity(), .x = place[e + k]};
    }
    const torsor_element_in in = {.load = 1, .node = seen};
    torsor_element_out out = {.K = own[0], .M = own[1]};
    CHECK_INT(element->type->eval(element->instance, &in, &out), TORSOR_OK);
    for (int i = 0; i < 144; ++i) {
      put(&f->K, 6 * e + i / 12, 6 * e + i % 12, own[0][i]);
      put(&f->M, 6 * e + i / 12, 6 * e + i % 12, own[1][i]);
    }
  }
  support_close(&world);
}

/* The beam reduced to some of its nodes and to modes. */
static void reduce_beam(reduced_body *out, const char *section, double length, const int *node,
                        int interfaces, int modes) {
  static const long id[NODES] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  int nodes[6 * NODES];
  unsigned char direction[6 * NODES];
  v3 place[NODES];
  fe_model f = {.n = 6 * NODES, .node = nodes, .direction = direction};
  reduce_interface list[4];
  reduce_result r;
  torsor_error error = {0};
  for (int i = 0; i < f.n; ++i) {
    nodes[i] = i / 6;
    direction[i] = (unsigned char)(i % 6);
  }
  find_beam(&f, place, section, length);
  for (int i = 0; i < interfaces; ++i)
    list[i] =
        (reduce_interface){.name = "i", .node = &node[i], .nodes = 1, .position = place[node[i]]};
  const reduce_input in = {.model = &f,
                           .place = place,
                           .id = id,
                           .nodes = NODES,
                           .interface = list,
                           .interfaces = interfaces,
                           .modes = modes};
  const torsor_status status = reduce(&r, &in, &error);
  if (status) print_error("%s\n", error.message);
  CHECK_INT(status, TORSOR_OK);
  *out = (reduced_body){.interfaces = interfaces, .modes = modes, .n = r.n};
  out->place = calloc((size_t)interfaces, sizeof *out->place);
  CHECK_TRUE(out->place != NULL);
  for (int i = 0; i < interfaces; ++i) out->place[i] = (se3){so3_identity(), place[node[i]]};
  out->K = r.K;
  out->M = r.M;
  out->C = r.C;
  out->D = r.D;
  r.K = r.M = r.C = r.D = NULL;
  reduce_release(&r);
  release_matrix(&f.K);
  release_matrix(&f.M);
}

/* ---- slider-crank ---------------------------------------------------------------------------- */

/* A steel rod of 6 mm between a crank of 0.15 m at 150 rad/s and a slider of half its mass. */
#define ROD                                                                                        \
  "{\"stiffness\": [5654866.776, 1957453.8, 1957453.8, 9.78726942, 12.7234502, 12.7234502], "      \
  "\"inertia\": [0.222519, 0.222519, 0.222519, 1.0013355e-6, 5.0066775e-7, 5.0066775e-7]}"

/* Deflections of the middle over the rod's length, positive along the normal of the chord, by small
 * deflections in the axes of the chord with four pinned modes: after 10, 20, .. ms. */
static const double chord[5] = {0.0017228251206393714, 0.003568633400980333, -0.0017633780628169612,
                                -0.01147889011361253, 0.012740020247230768};

static char *slider_crank(const reduced_body *b, const int *order, const char *frame,
                          const int *at) {
  static const char scene[] =
      "{\"torsor\": 1, \"bodies\": [{\"name\": \"crank\", \"type\": \"rigid_body\", \"mass\": 1, "
      "\"inertia\": [1, 1, 1], \"angular_velocity\": [0, 0, 150]}, {\"name\": \"b\", \"type\": "
      "\"superelement\", %s, \"position\": [0.15, 0, 0], \"velocity\": [0, 22.5, 0], "
      "\"angular_velocity\": [0, 0, -75], %s}, {\"name\": \"slider\", \"type\": \"rigid_body\", "
      "\"mass\": 0.033377851148064755, \"inertia\": [1e-5, 1e-5, 1e-5], \"position\": [0.45, 0, "
      "0], \"velocity\": [0, 0, 0]}], \"joints\": [{\"name\": \"axle\", \"type\": \"revolute\", "
      "\"a\": \"ground\", \"b\": \"crank\"}, {\"name\": \"motor\", \"type\": \"drive\", "
      "\"coordinate\": \"axle.angle\", \"motion\": \"150*t\"}, {\"name\": \"pin\", \"type\": "
      "\"revolute\", \"a\": {\"body\": \"crank\", \"position\": [0.15, 0, 0]}, \"b\": \"b[%d]\"}, "
      "{\"name\": \"end\", \"type\": \"spherical\", \"a\": \"b[%d]\", \"b\": \"slider\"}, "
      "{\"name\": \"guide\", \"type\": \"cylindrical\", \"axis\": [1, 0, 0], \"a\": \"ground\", "
      "\"b\": \"slider\"}]}";
  char *keys = reduced_keys(b, order);
  const size_t size = strlen(keys) + sizeof scene + 200;
  char *out = malloc(size);
  if (!out) abort();
  snprintf(out, size, scene, frame, keys, at[0], at[2]);
  free(keys);
  return out;
}

/* The middle against the linear theory of the chord's axes, with the frame in the middle or of the
 * mean, whichever interface comes first. */
static void rod_of_a_slider_crank(void **state) {
  (void)state;
  static const int node[3] = {0, ELEMENTS / 2, ELEMENTS};
  static const int order[3][3] = {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}};
  static const char *const frame[4] = {"\"frame\": \"mean\"", "\"frame\": \"mean\"",
                                       "\"frame\": \"mean\"", "\"frame_interface\": 0"};
  reduced_body b;
  double deflection[4][5], apart = 0;
  reduce_beam(&b, ROD, 0.3, node, 3, 6);
  for (int i = 0; i < 4; ++i) {
    int at[3]; /* index in the scene of the interface at the crank, in the middle, at the end */
    const int *own = order[i % 3 + (i == 3 ? 2 : 0)];
    for (int k = 0; k < 3; ++k) at[own[k]] = k;
    char name[3][32], *text = slider_crank(&b, own, frame[i], at);
    for (int k = 0; k < 3; ++k) snprintf(name[k], sizeof name[k], "b[%d].position", at[k]);
    const char *const signals[] = {name[0], name[1], name[2], NULL};
    support_trace trace = closed_run(text, signals, "SE3", 5e-5, 0.05);
    double worst = 0;
    for (int k = 0; k < 5; ++k) {
      const double *row = support_row(&trace, 200 * (k + 1));
      const v3 a = v3_load(row + 1), m = v3_load(row + 4), e = v3_load(row + 7);
      const v3 along = v3_sub(e, a), off = v3_sub(m, v3_scale(v3_add(a, e), 0.5));
      deflection[i][k] = (along.x * off.y - along.y * off.x) / v3_norm(along) / 0.3;
      worst = fmax(worst, fabs(deflection[i][k] - chord[k]));
      if (i < 3) apart = fmax(apart, fabs(deflection[i][k] - deflection[0][k]));
    }
    print_message("  %s, order %d%d%d: middle off by %.2g of the rod\n", frame[i], own[0], own[1],
                  own[2], worst);
    /* The chord shortens by 3e-4 of itself, which a rod that is linear in its frame takes as a
     * stretch: what differs by the choice of the frame. */
    CHECK_LE(worst, 2.5e-3);
    support_trace_release(&trace);
    free(text);
  }
  print_message("  orders differ by %.2g of the rod\n", apart);
  CHECK_LE(apart, 1e-7); /* Newton's iterations, of a thousand steps */
  reduced_release(&b);
}

/* ---- rotating blades ------------------------------------------------------------------------- */

/* A blade with EI = m = L = 1 for flap, 1.5 for lag, that is slender. */
#define BLADE(L)                                                                                   \
  "{\"stiffness\": [1e6, 1e6, 1e6, 100, 1, 1.5], \"inertia\": [1, 1, 1, 2e-6, 1e-6, 1e-6]}"

static const char hub[] =
    "], \"joints\": [{\"name\": \"hub\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": \"%s\"},"
    " {\"name\": \"motor\", \"type\": \"drive\", \"coordinate\": \"hub.angle\", \"motion\": "
    "\"2*t\"}%s]}";

static void blade_modes(double omega[2], const char *text) {
  torsor_modes_settings settings = TORSOR_MODES_SETTINGS_INIT;
  settings.about = TORSOR_ABOUT_STEADY;
  settings.count = 4;
  torsor_modes *modes = modes_of(text, NULL, &settings);
  for (int k = 0; k < 2; ++k) omega[k] = modes_omega(modes, k);
  torsor_modes_destroy(modes);
}

/* A chain of `count` reduced pieces, each of a length 1/count. */
static void chain_modes(double omega[2], int count, int modes, const char *frame) {
  static const int node[2] = {0, ELEMENTS};
  reduced_body b;
  reduce_beam(&b, BLADE(1), 1.0 / count, node, count > 1 ? 2 : 1, modes);
  char *keys = reduced_keys(&b, NULL);
  const size_t size = (strlen(keys) + 400) * (size_t)count + 2000;
  char *text = malloc(size), joints[1600] = "";
  if (!text) abort();
  size_t n = (size_t)snprintf(text, size, "{\"torsor\": 1, \"bodies\": [");
  for (int i = 0; i < count; ++i) {
    n += (size_t)snprintf(text + n, size - n,
                          "%s{\"name\": \"b%d\", \"type\": \"superelement\", \"position\": "
                          "[%.17g, 0, 0], \"velocity\": [0, %.17g, 0], \"angular_velocity\": [0, "
                          "0, 2], %s%s}",
                          i ? ", " : "", i, (double)i / count, 2.0 * i / count, keys, frame);
    if (i)
      snprintf(joints + strlen(joints), sizeof joints - strlen(joints),
               ", {\"name\": \"j%d\", \"type\": \"weld\", \"a\": \"b%d[1]\", \"b\": \"b%d[0]\"}", i,
               i - 1, i);
  }
  snprintf(text + n, size - n, hub, "b0[0]", joints);
  blade_modes(omega, text);
  free(text);
  free(keys);
  reduced_release(&b);
}

/* At a speed of 2: one body has the flap frequency that it has at rest, and a lag frequency that is
 * lower by the speed, omega^2 - 4, as floating frames of linear bodies have; a chain of them is
 * stretched like the beam. */
static void rotating_blades(void **state) {
  (void)state;
  char text[1200], joint[400];
  double beam[2], one[2], chain[2];
  snprintf(joint, sizeof joint, hub, "b.start", "");
  snprintf(text, sizeof text,
           "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"beam\", \"length\": 1, "
           "\"elements\": 24, \"section\": %s, \"angular_velocity\": [0, 0, 2]}%s",
           BLADE(1), joint);
  blade_modes(beam, text);
  chain_modes(one, 1, 9, "");
  print_message("  beam %.6f, %.6f; one body %.6f, %.6f\n", beam[0], beam[1], one[0], one[1]);
  /* 3.51602 and sqrt(1.5) 3.51602, square less 4; modes and mesh leave 1e-4 of them. */
  const double flap = 3.516015, lag = sqrt(1.5 * 3.516015 * 3.516015 - 4);
  CHECK_NEAR(one[0], flap, 5e-4 * flap);
  CHECK_NEAR(one[1], lag, 5e-4 * lag);
  for (int count = 4; count <= 8; count *= 2)
    for (int mean = 0; mean < 2; ++mean) {
      chain_modes(chain, count, 2, mean ? ", \"frame\": \"mean\"" : "");
      const double off = fmax(fabs(chain[0] / beam[0] - 1), fabs(chain[1] / beam[1] - 1));
      print_message("  %d bodies%s: %.6f, %.6f, off by %.2g\n", count, mean ? ", mean axes" : "",
                    chain[0], chain[1], off);
      /* A body of 1/n of the length is stretched as one rod, which leaves (1/n)^2 of the
       * stiffening of 18 % in flap. */
      CHECK_LE(off, 0.18 / (count * count) * 2);
    }
}

/* ---- warnings -------------------------------------------------------------------------------- */

static void warnings(void **state) {
  (void)state;
  static const int node[2] = {0, ELEMENTS};
  static const struct {
    const char *keys, *force, *message;
  } table[] = {
      {"\"angular_velocity\": [0, 0, 0.2]", "0", ""},
      {"\"angular_velocity\": [0, 0, 0.5]", "0", "turns faster than a tenth"},
      {"\"angular_velocity\": [0, 0, 0]", "0.5", "deformed by more than a tenth"},
  };
  reduced_body b;
  reduce_beam(&b, BLADE(1), 1, node, 2, 2);
  char *keys = reduced_keys(&b, NULL);
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i) {
    const size_t size = strlen(keys) + 1000;
    char *text = malloc(size);
    support_world world;
    support_trace trace = {0};
    torsor_error error = {0};
    torsor_summary summary;
    static const char *const signals[] = {"b[1].position", NULL};
    if (!text) abort();
    snprintf(text, size,
             "{\"torsor\": 1, \"bodies\": [{\"name\": \"b\", \"type\": \"superelement\", %s, %s}], "
             "\"joints\": [{\"name\": \"j\", \"type\": \"revolute\", \"a\": \"ground\", \"b\": "
             "\"b[0]\"}], \"forces\": [{\"name\": \"f\", \"type\": \"force\", \"at\": \"b[1]\", "
             "\"force\": [0, 0, \"%s\"]}], \"simulation\": {\"step\": 0.01, \"duration\": 1}}",
             keys, table[i].keys, table[i].force);
    CHECK_INT(support_open(&world, text, NULL, &error), TORSOR_OK);
    CHECK_INT(support_run_as(&trace, &summary, &world, torsor_scene_simulation(world.scene),
                             signals, &error),
              TORSOR_OK);
    print_message("  %s\n", trace.warnings);
    if (table[i].message[0])
      CHECK_CONTAINS(trace.warnings, table[i].message);
    else
      CHECK_TRUE(!strstr(trace.warnings, "superelement") && !strstr(trace.warnings, "turns"));
    support_trace_release(&trace);
    support_close(&world);
    free(text);
  }
  free(keys);
  reduced_release(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rod_of_a_slider_crank),
      cmocka_unit_test(rotating_blades),
      cmocka_unit_test(warnings),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
