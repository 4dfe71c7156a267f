/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two elements at a time: functions in lanes have the bits of those for one value, pairs of beam
 * elements those of each alone, and an element that fails is reported as without pairs. */
#include <stdio.h>
#include <stdlib.h>

#include "assembly/assembly_private.h"
#include "check.h"
#include "elements/beam_flexibility.h"
#include "liegroup/lanes.h"
#include "support.h"

/* Numbers of lanes that have other bits than those expected. */
static int differing(const pair *lanes, const double *first, const double *second, int n) {
  int count = 0;
  for (int i = 0; i < n; ++i) {
    const double lane[2] = {lanes[i][0], lanes[i][1]};
    count += memcmp(&lane[0], &first[i], sizeof *lane) != 0;
    count += memcmp(&lane[1], &second[i], sizeof *lane) != 0;
  }
  return count;
}

static int differing_maps(lie_maps m, lie_map first, lie_map second) {
  const double one[6] = {first.a, first.b, first.a1, first.b1, first.a2, first.b2};
  const double two[6] = {second.a, second.b, second.a1, second.b1, second.a2, second.b2};
  const pair both[6] = {m.a, m.b, m.a1, m.b1, m.a2, m.b2};
  return differing(both, one, two, 6);
}

/* Squares of angles where series are short and long and where there are closed forms, beside each
 * other, and many below 1, as the last terms of a series show in few of them. */
static void coefficients(void **state) {
  (void)state;
  static const double some[] = {0, 1e-300, 1e-17, 0.3, 0.9999, 1, 1.5, 4, 7.8, 19, 21, 39};
  enum { SOME = sizeof some / sizeof *some };
  const double s = 0.21;
  check_rng rng = {.state = 3};
  int wrong = 0;
  for (int i = 0; i < 3000; ++i) {
    const bool given = i < SOME * SOME;
    const double x[2] = {given ? some[i % SOME] : check_uniform(&rng, 0.5, 1),
                         given ? some[i / SOME] : check_uniform(&rng, 0.5, 1)};
    const pair both = {x[0], x[1]};
    const lie_map t[2] = {lie_map_tan(x[0]), lie_map_tan(x[1])};
    const lie_map u[2] = {lie_map_taninv(x[0]), lie_map_taninv(x[1])};
    const lie_maps T = lie_maps_tan(both), U = lie_maps_taninv(both);
    wrong += differing_maps(lie_maps_exp(both), lie_map_exp(x[0]), lie_map_exp(x[1]));
    wrong += differing_maps(T, t[0], t[1]);
    wrong += differing_maps(U, u[0], u[1]);
    wrong += differing_maps(lie_maps_scale(T, s), lie_map_scale(t[0], s), lie_map_scale(t[1], s));
    wrong += differing_maps(lie_maps_product(T, U, both), lie_map_product(t[0], u[0], x[0]),
                            lie_map_product(t[1], u[1], x[1]));
  }
  check_report("coefficients of other bits", wrong, 0);
  CHECK_INT(wrong, 0);
}

static v3 random_vector(check_rng *rng, double size) {
  return (v3){check_uniform(rng, -size, size), check_uniform(rng, -size, size),
              check_uniform(rng, -size, size)};
}

/* Small, usual and large rotations, beside each other; none at all, and half a turn. */
static void logarithms(void **state) {
  (void)state;
  static const double size[] = {0, 1e-9, 0.1, 1, 1.6};
  check_rng rng = {.state = 7};
  int wrong = 0;
  for (int i = 0; i < 5000; ++i) {
    m3 R[2];
    for (int k = 0; k < 2; ++k) {
      const int which = (int)check_uniform(&rng, 0, 6);
      R[k] = which < 5 ? so3_rodrigues(random_vector(&rng, size[which]))
                       : m3_diagonal((v3){-1, 1, -1});
    }
    const m3s both = m3s_of(R[0], R[1]);
    const v3s w = so3s_log_matrix(&both);
    const v3 first = so3_log_matrix(R[0]), second = so3_log_matrix(R[1]);
    wrong += differing((const pair *)&w, (const double *)&first, (const double *)&second, 3);
  }
  check_report("logarithms of other bits", wrong, 0);
  CHECK_INT(wrong, 0);
}

/* ---- elements -------------------------------------------------------------------------------- */

/* Full and diagonal sections, tapered, curved, damped, lumped, held; elements of unequal length. */
#define FULL                                                                                       \
  "{\"stiffness\": [[9, 1, 0.5, 1, 0, 2], [1, 7, 1, 0, 1, 0.3], [0.5, 1, 6, 0.4, 0.2, 0],"         \
  " [1, 0, 0.4, 3, 0.5, 0.1], [0, 1, 0.2, 0.5, 4, 0.6], [2, 0.3, 0, 0.1, 0.6, 5]], \"inertia\":"   \
  " [[2, 0, 0, 0, 0.2, -0.3], [0, 2, 0, -0.2, 0, 0.1], [0, 0, 2, 0.3, -0.1, 0],"                   \
  " [0, -0.2, 0.3, 1.1, 0.1, 0.2], [0.2, 0, -0.1, 0.1, 0.9, 0], [-0.3, 0.1, 0, 0.2, 0, 0.8]]}"
#define PLAIN                                                                                      \
  "{\"stiffness\": [9, 4, 7, 5, 0.7, 1.3], \"inertia\": [0.4, 0.4, 0.4, 0.05, 0.02, 0.03]}"
#define SLIM                                                                                       \
  "{\"stiffness\": [8, 3, 6, 4, 0.6, 1.1], \"inertia\": [0.3, 0.3, 0.3, 0.04, 0.01, 0.02]}"
#define BEAM   "\"type\": \"beam\", \"elements\": 3, \"stations\": [0.4], \"section\": "
#define SECOND "\"order\": 2, "
#define LUMPED "\"inertia\": \"lumped\""
static const char scene[] =
    "{\"torsor\": 1, \"gravity\": [1, 2, -9.81], \"bodies\": ["
    "{\"name\": \"a\", " SECOND BEAM PLAIN ", \"section_end\": " SLIM ", \"damping_factor\": 0.03,"
    " \"length\": 2, \"curvature\": [0.4, -0.5, 0.3]}, "
    "{\"name\": \"b\", " SECOND BEAM PLAIN ", \"damping_factor\": 0.05, \"length\": 3},"
    "{\"name\": \"c\", " SECOND BEAM FULL ", \"damping_factor\": 0.02, \"length\": 2},"
    "{\"name\": \"d\", " SECOND BEAM PLAIN ", " LUMPED ", \"length\": 2},"
    "{\"name\": \"e\", " SECOND BEAM FULL ", " LUMPED ", \"length\": 2, \"twist\": 0.6},"
    "{\"name\": \"f\", " SECOND BEAM PLAIN
    ", \"length\": 2, \"inextensible\": true, \"shear_rigid\": true},"
    "{\"name\": \"g\", " SECOND BEAM FULL ", \"length\": 2, \"inextensible\": true,"
    " \"curvature\": [0.2, 0.1, 0.5]},"
    "{\"name\": \"h\", " BEAM PLAIN ", \"order\": 4, \"damping_factor\": 0.03, \"length\": 2},"
    "{\"name\": \"i\", " BEAM PLAIN ", \"order\": 4, \"section_end\": " SLIM
    ", \"length\": 2, \"curvature\": [0.4, -0.5, 0.3]},"
    "{\"name\": \"j\", " BEAM FULL ", \"order\": 4, \"length\": 2, \"twist\": 0.6},"
    "{\"name\": \"k\", " BEAM FULL ", \"order\": 4, \"length\": 2, \"inextensible\": true,"
    " \"curvature\": [0.2, 0.1, 0.5]}]}";

enum { MOST = 40, NUMBERS = 12 + 2 * TORSOR_ELEMENT_ROWS };

/* An element, what it sees, and its residual. */
typedef struct subject {
  const model_element *e;
  torsor_motion motion[2];
  const torsor_motion *seen[2];
  double lambda[6], stress[6];
  torsor_element_in in;
  double out[NUMBERS];
} subject;

/* The second frame turned against the first by `angle` from the unstrained state. */
static void randomise(subject *s, double angle, check_rng *rng) {
  const beam_element_data *e = s->e->instance;
  const v3 axis = v3_unit(random_vector(rng, 1));
  for (int k = 0; k < 6; ++k) {
    s->lambda[k] = check_uniform(rng, -5, 5);
    s->stress[k] = check_uniform(rng, -5, 5);
  }
  for (int k = 0; k < 2; ++k) {
    torsor_motion *m = &s->motion[k];
    m->V = (twist){random_vector(rng, 2), random_vector(rng, 2)};
    m->A = (twist){random_vector(rng, 3), random_vector(rng, 3)};
    s->seen[k] = m;
  }
  s->motion[0].R = so3_rodrigues(random_vector(rng, 2));
  s->motion[0].x = random_vector(rng, 3);
  s->motion[1].R = m3_mul(s->motion[0].R, so3_rodrigues(v3_scale(axis, angle)));
  const v3 along = v3_add(e->reference.lin, random_vector(rng, 0.2));
  s->motion[1].x = v3_add(s->motion[0].x, m3_mulv(s->motion[0].R, along));
  s->in = (torsor_element_in){.load = check_uniform(rng, 0, 1),
                              .node = s->seen,
                              .lambda = s->lambda,
                              .stress = check_uniform(rng, 0, 1) < 0.2 ? s->stress : NULL};
}

static torsor_element_out out_of(subject *s) {
  for (int i = 0; i < NUMBERS; ++i) s->out[i] = 0.3 * i;
  return (torsor_element_out){
      .r = s->out, .phi = s->out + 12, .phi_v = s->out + 12 + TORSOR_ELEMENT_ROWS};
}

static torsor_status eval_pair(subject *a, subject *b) {
  torsor_element_out first = out_of(a), second = out_of(b);
  return a->e->type->chain.eval_pair((const void *const[]){a->e->instance, b->e->instance},
                                     (const torsor_element_in *const[]){&a->in, &b->in},
                                     (torsor_element_out *const[]){&first, &second});
}

static torsor_status eval_alone(subject *s) {
  torsor_element_out out = out_of(s);
  return s->e->type->eval(s->e->instance, &s->in, &out);
}

static int find_elements(const model_element *found[MOST], const torsor_model *model) {
  int count = 0;
  for (int i = 0; i < model->element_count; ++i)
    if (model->element[i].type->chain.eval_pair) found[count++] = &model->element[i];
  return count;
}

static void open_scene(support_world *world) {
  torsor_error error = {0};
  const torsor_status status = support_open(world, scene, NULL, &error);
  if (status) print_error("%s (%s)\n", error.message, error.path);
  CHECK_INT(status, TORSOR_OK);
}

/* All pairs of a type in random states, up to the largest rotation and beyond: a lane that fails
 * makes the pair fail, on either side. */
static void pairs_of_elements(void **state) {
  (void)state;
  static const double most[] = {0.5, 1.5, 2.7, 2.7999, 2.8001};
  support_world world;
  check_rng rng = {.state = 11};
  const model_element *e[MOST];
  int compared = 0, failed = 0, wrong = 0;
  open_scene(&world);
  const int count = find_elements(e, world.model);
  for (int i = 0; i < count * count * 20; ++i) {
    subject one[2] = {{.e = e[i % count]}, {.e = e[i / count % count]}}, both[2];
    if (one[0].e->type != one[1].e->type) continue;
    for (int k = 0; k < 2; ++k) {
      const int size = (int)check_uniform(&rng, 0, 5);
      randomise(&one[k], size < 3 ? check_uniform(&rng, 0, most[size]) : most[size], &rng);
      both[k] = one[k];
    }
    const bool fails = eval_alone(&one[0]) != TORSOR_OK || eval_alone(&one[1]) != TORSOR_OK;
    const torsor_status status = eval_pair(&both[0], &both[1]);
    wrong += status != (fails ? TORSOR_DOMAIN : TORSOR_OK);
    for (int k = 0; !fails && k < 2; ++k)
      for (int j = 0; j < NUMBERS; ++j)
        wrong += memcmp(&one[k].out[j], &both[k].out[j], sizeof(double)) != 0;
    failed += fails;
    ++compared;
  }
  print_message("  %d pairs of %d elements, %d fail\n", compared, count, failed);
  check_report("pairs of elements: other bits", wrong, 0);
  CHECK_INT(wrong, 0);
  CHECK_TRUE(failed > 100 && compared - failed > 1000);
  support_close(&world);
}

/* Sections whose matrices are diagonal take a shorter way to the same bits. */
static void diagonal_sections(void **state) {
  (void)state;
  support_world world;
  check_rng rng = {.state = 13};
  const model_element *e[MOST];
  int compared = 0, wrong = 0;
  open_scene(&world);
  const int count = find_elements(e, world.model);
  for (int i = 0; i < 50 * count; ++i) {
    subject shorter = {.e = e[i % count]};
    beam_held_data full; /* begins with what all elements have */
    beam_section section = *((const beam_element_data *)shorter.e->instance)->section;
    if (!section.diagonal) continue;
    randomise(&shorter, check_uniform(&rng, 0, 2.7), &rng);
    subject longer = shorter;
    CHECK_INT(eval_alone(&shorter), TORSOR_OK);
    memcpy(&full, shorter.e->instance, shorter.e->type->size);
    section.diagonal = false;
    full.beam.section = &section;
    torsor_element_out out = out_of(&longer);
    CHECK_INT(shorter.e->type->eval(&full, &longer.in, &out), TORSOR_OK);
    for (int j = 0; j < NUMBERS; ++j)
      wrong += memcmp(&shorter.out[j], &longer.out[j], sizeof(double)) != 0;
    ++compared;
  }
  check_report("diagonal sections: other bits", wrong, 0);
  CHECK_INT(wrong, 0);
  CHECK_INT(compared, 50 * 18); /* beams a, b, d, f, h and i */
  support_close(&world);
}

/* So do diagonal flexibilities, but for round-off of forces of up to 100 N: the terms of the
 * flexibility are summed up in another order, and its inverse is 50 times as sensitive. */
static void diagonal_flexibilities(void **state) {
  (void)state;
  support_world world;
  check_rng rng = {.state = 17};
  const model_element *e[MOST];
  int compared = 0;
  double off = 0;
  open_scene(&world);
  const int count = find_elements(e, world.model);
  for (int i = 0; i < 50 * count; ++i) {
    subject shorter = {.e = e[i % count]};
    const beam_element_data *own = shorter.e->instance;
    if (!own->flexibility || !own->flexibility->diagonal) continue;
    randomise(&shorter, check_uniform(&rng, 0, 2.7), &rng);
    subject longer = shorter;
    CHECK_INT(eval_alone(&shorter), TORSOR_OK);
    beam_flexibility full = *own->flexibility;
    beam_element_data with = *own;
    full.diagonal = full.straight = full.even = false;
    with.flexibility = &full;
    torsor_element_out out = out_of(&longer);
    CHECK_INT(beam_element.eval(&with, &longer.in, &out), TORSOR_OK);
    for (int j = 0; j < 12; ++j) off = check_max(off, fabs(shorter.out[j] - longer.out[j]));
    ++compared;
  }
  check_report("diagonal flexibilities", off, 5000 * CHECK_EPS);
  CHECK_LE(off, 5000 * CHECK_EPS);
  CHECK_INT(compared, 50 * 6); /* beams h and i */
  support_close(&world);
}

/* ---- in a model ------------------------------------------------------------------------------ */

enum { ROOM = 320 };

/* A model's residual and constraints. */
typedef struct answer {
  torsor_status status;
  int failed;
  double r[ROOM], phi[30], phi_v[30];
} answer;

static answer ask(assembly *a, const torsor_point *p) {
  answer out = {.failed = -1};
  const torsor_problem *problem = assembly_problem(a);
  out.status = problem->residual(problem->self, p, out.r, out.phi, out.phi_v);
  if (out.status) out.failed = assembly_failed_element(a);
  return out;
}

/* The same types without eval_pair. */
static void forbid_pairs(torsor_model *model, torsor_element_type alone[2]) {
  alone[0] = beam_element;
  alone[1] = beam_held;
  alone[0].chain.eval_pair = alone[1].chain.eval_pair = NULL;
  for (int i = 0; i < model->element_count; ++i) {
    if (model->element[i].type == &beam_element) model->element[i].type = &alone[0];
    if (model->element[i].type == &beam_held) model->element[i].type = &alone[1];
  }
}

/* Turn a node by more than an element may. */
static void spoil(double *q, const torsor_model *model, int node) {
  double *R = q + model->node[node].first_q + 3;
  so3_store(R, so3_plus(so3_load(R), (v3){0, 0, 3}));
}

static void same_answer(const answer *x, const answer *y) {
  CHECK_INT(x->status, y->status);
  CHECK_INT(x->failed, y->failed);
  if (x->status) return;
  CHECK_INT(memcmp(x->r, y->r, sizeof x->r), 0);
  CHECK_INT(memcmp(x->phi, y->phi, sizeof x->phi), 0);
  CHECK_INT(memcmp(x->phi_v, y->phi_v, sizeof x->phi_v), 0);
}

/* Sums and the element to blame are those of elements one by one, whichever element of a pair
 * fails. */
static void pairs_in_a_model(void **state) {
  (void)state;
  support_world world;
  assembly *a;
  check_rng rng = {.state = 5};
  torsor_element_type alone[2];
  enum { NODES = 44 };
  answer with[NODES + 1];
  double q[ROOM], v[ROOM], vdot[ROOM], lambda[30];
  unsigned char given[ROOM];
  open_scene(&world);
  torsor_model *model = world.model;
  CHECK_INT(model->node_count, NODES);
  CHECK_TRUE(model->nq <= ROOM && model->nl <= 30);
  CHECK_INT(assembly_create(&a, model, NULL, false, NULL), TORSOR_OK);
  assembly_initial(a, q, v, given);
  for (int i = 0; i < model->nv; ++i) v[i] = check_uniform(&rng, -1, 1);
  for (int i = 0; i < model->nv; ++i) vdot[i] = check_uniform(&rng, -1, 1);
  for (int i = 0; i < model->nl; ++i) lambda[i] = check_uniform(&rng, -1, 1);
  int failed = 0;
  for (int pass = 0; pass < 2; ++pass) {
    for (int node = 0; node <= NODES; ++node) { /* the last one is left as it is */
      double moved[ROOM];
      memcpy(moved, q, sizeof moved);
      if (node < NODES) spoil(moved, model, node);
      const torsor_point p = {.q = moved, .v = v, .a = vdot, .lambda = lambda};
      const answer now = ask(a, &p);
      if (pass) same_answer(&now, &with[node]);
      with[node] = now;
      failed += now.status != TORSOR_OK;
    }
    forbid_pairs(model, alone);
  }
  CHECK_TRUE(failed > NODES); /* of the two passes together */
  CHECK_INT(with[NODES].status, TORSOR_OK);
  assembly_destroy(a);
  support_close(&world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coefficients),           cmocka_unit_test(logarithms),
      cmocka_unit_test(pairs_of_elements),      cmocka_unit_test(diagonal_sections),
      cmocka_unit_test(diagonal_flexibilities), cmocka_unit_test(pairs_in_a_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
