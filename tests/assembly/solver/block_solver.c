/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Elimination by dense blocks against KLU, on the matrices of shipped scenes: trees, closed loops,
 * beams, superelements, friction; what is left to KLU; and matrices that turn with the bodies. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <torsor/lie.h>

#include "assembly/assembly_private.h"
#include "assembly/solver/block_layout.h"
#include "support.h"

/* Four chains on a hub, which is eliminated last. */
static const char star[] =
    "{\"torsor\": 1, \"parameters\": {\"n\": 340}, \"bodies\": ["
    "{\"name\": \"hub\", \"type\": \"rigid_body\", \"mass\": 50, \"inertia\": [5, 6, 7]},"
    "{\"name\": \"rod${i}\", \"repeat\": \"n\", \"type\": \"rigid_body\", \"mass\": 1,"
    " \"inertia\": [0.1, 0.2, 0.3],"
    " \"position\": [\"(2 + i/2)*cos(i*pi/2)\", \"(2 + i/2)*sin(i*pi/2)\", 0]}],"
    " \"joints\": [{\"name\": \"root${i}\", \"repeat\": 4, \"type\": \"spherical\","
    " \"a\": {\"body\": \"hub\", \"position\": [\"(1 + i/2)*cos(i*pi/2)\", \"(1 + "
    "i/2)*sin(i*pi/2)\", 0]},"
    " \"b\": {\"body\": \"rod${i}\", \"position\": [\"-cos(i*pi/2)\", \"-sin(i*pi/2)\", 0]}},"
    " {\"name\": \"ball${i}\", \"repeat\": \"n - 4\", \"type\": \"spherical\","
    " \"a\": {\"body\": \"rod${i}\", \"position\": [\"cos(i*pi/2)\", \"sin(i*pi/2)\", 0]},"
    " \"b\": {\"body\": \"rod${i + 4}\", \"position\": [\"-cos(i*pi/2)\", \"-sin(i*pi/2)\", 0]}}]}";

typedef struct subject {
  support_world world;
  assembly *a;
  double *q, *v, *acc, *lambda;
  torsor_point p;
} subject;

static double *random_numbers(check_rng *rng, int count, double size) {
  double *x = calloc((size_t)count + 1, sizeof *x);
  CHECK_TRUE(x != NULL);
  for (int i = 0; i < count; ++i) x[i] = check_uniform(rng, -size, size);
  return x;
}

/* Finds the initial state of the model, with random accelerations and multipliers. */
static void begin_subject(subject *out, const char *solver) {
  torsor_error error = {0};
  check_rng rng = {.state = 41};
  const torsor_model *model = out->world.model;
  CHECK_INT(assembly_create(&out->a, model, solver, true, &error), TORSOR_OK);
  unsigned char *given = calloc((size_t)model->nv + 1, 1);
  out->q = random_numbers(&rng, model->nq, 0);
  out->v = random_numbers(&rng, model->nv, 0);
  assembly_initial(out->a, out->q, out->v, given);
  free(given);
  out->acc = random_numbers(&rng, model->nv, 10);
  out->lambda = random_numbers(&rng, model->nl, 5);
  out->p = (torsor_point){.q = out->q, .v = out->v, .a = out->acc, .lambda = out->lambda};
  assembly_start_coordinates(out->a, &out->p);
}

static void open_subject(subject *out, const char *scene, const char *const *set,
                         const char *solver) {
  torsor_error error = {0};
  if (strcmp(scene, "star"))
    support_load(&out->world, scene, set);
  else
    CHECK_INT(support_open(&out->world, star, set, &error), TORSOR_OK);
  begin_subject(out, solver);
}

static void close_subject(subject *s) {
  assembly_destroy(s->a);
  support_close(&s->world);
  free(s->q);
  free(s->v);
  free(s->acc);
  free(s->lambda);
}

/* `follow`: as steps do, in index 3 with a matrix in which spherical joints couple no velocities of
 * two bodies. */
static torsor_status factor(subject *s, torsor_system system, bool follow) {
  const torsor_problem *problem = assembly_problem(s->a);
  const double h = 1e-3;
  const torsor_weights w = {
      .system = system, .follow = follow, .m = 1, .c = 0.55 * h, .k = 0.28 * h * h, .z = h / 2};
  CHECK_INT(problem->freeze_gradient(problem->self, 0, s->q), TORSOR_OK);
  return problem->factor(problem->self, &s->p, &w);
}

/* |A x - b| over |A| |x| + |b|, the largest of all rows. */
static double backward_error(const subject *s, const double *x, const double *b, int n) {
  int nonzeros;
  const int *Ap, *Ai;
  const double *Ax = assembly_matrix(s->a, &nonzeros, &Ap, &Ai);
  double *left = calloc((size_t)n, sizeof *left), *terms = calloc((size_t)n, sizeof *terms);
  double worst = 0;
  CHECK_TRUE(left && terms);
  for (int j = 0; j < n; ++j)
    for (int k = Ap[j]; k < Ap[j + 1]; ++k) {
      left[Ai[k]] += Ax[k] * x[j];
      terms[Ai[k]] += fabs(Ax[k] * x[j]);
    }
  for (int i = 0; i < n; ++i)
    worst = check_max(worst, fabs(left[i] - b[i]) / (terms[i] + fabs(b[i])));
  free(left);
  free(terms);
  return worst;
}

/* Above this KLU is called (linear_solver.c). */
static const double BACKWARD = CHECK_EPS / 1e-8;

static void compare_by(int threads, const char *scene, const char *const *set,
                       const char *expected) {
  static const torsor_system systems[] = {TORSOR_SYSTEM_INDEX3, TORSOR_SYSTEM_STABILISED,
                                          TORSOR_SYSTEM_ACCELERATION};
  subject block, klu;
  open_subject(&block, scene, set, "block");
  open_subject(&klu, scene, set, "klu");
  CHECK_INT(assembly_set_threads(block.a, threads, NULL), TORSOR_OK);
  CHECK_INT(assembly_make_whole(block.a), TORSOR_OK);
  CHECK_INT(assembly_make_whole(klu.a), TORSOR_OK);
  for (int k = 0; k < 3; ++k) {
    const torsor_problem *problem = assembly_problem(block.a);
    const int n = problem->nv + (systems[k] == TORSOR_SYSTEM_STABILISED ? 2 : 1) * problem->nl;
    check_rng rng = {.state = 43};
    double *b = random_numbers(&rng, n, 1), *x = random_numbers(&rng, n, 0);
    double *stepped = random_numbers(&rng, n, 0);
    memcpy(x, b, (size_t)n * sizeof *x);
    memcpy(stepped, b, (size_t)n * sizeof *x);
    CHECK_INT(factor(&block, systems[k], true), TORSOR_OK);
    CHECK_INT(problem->solve(problem->self, stepped), TORSOR_OK);
    CHECK_INT(factor(&block, systems[k], false), TORSOR_OK);
    CHECK_INT(factor(&klu, systems[k], false), TORSOR_OK);
    CHECK_INT(problem->solve(problem->self, x), TORSOR_OK);
    const double error = backward_error(&block, x, b, n);
    const double in_steps = backward_error(&block, stepped, b, n);
    const char *name = linear_solver_name(block.a->factored->solver);
    print_message(
        "  %-22s %d unknowns, %s: backward error %.1e, in steps %.1e, pivots %.1e (KLU %.1e)\n",
        scene, n, name, error, in_steps, assembly_pivot_ratio(block.a),
        assembly_pivot_ratio(klu.a));
    CHECK_STR(name, expected);
    CHECK_LE(error, BACKWARD);
    CHECK_LE(in_steps, BACKWARD);
    CHECK_INT(assembly_factor_sign(block.a), assembly_factor_sign(klu.a));
    free(b);
    free(x);
    free(stepped);
  }
  close_subject(&block);
  close_subject(&klu);
}

static void compare(const char *scene, const char *const *set, const char *expected) {
  compare_by(1, scene, set, expected);
}

static void trees(void **state) {
  (void)state;
  compare("heavy_top", NULL, "block");
  compare("heavy_top_se3", NULL, "block");
  compare("chain", (const char *const[]){"parameters.n=40", NULL}, "block");
  compare("triple_pendulum", NULL, "block");
  compare("drive_shafts", NULL, "block");
  compare("bearing_friction", NULL, "block");
}

static void loops(void **state) {
  (void)state;
  compare("spatial_slider_crank", NULL, "block");
  compare("exudyn_slider_crank", NULL, "block");
  compare("variable_hoist", NULL, "klu"); /* its rope has no mass */
  compare("rolling_disc", NULL, "block");
  compare("whipple_bicycle", NULL, "block");
}

static void flexible(void **state) {
  (void)state;
  compare("spaghetti_3d", NULL, "block");
  compare("flexible_slider_crank", NULL, "block");
  compare("reduced_boom", NULL, "block");
  compare("rotating_beam", NULL, "block");
}

/* Large enough for groups of pivots, which threads eliminate at once. */
static void large(void **state) {
  static const char *const chain[] = {"parameters.n=340", NULL};
  static const char *const rope[] = {"parameters.n=510", NULL};
  (void)state;
  for (int threads = 1; threads <= 2; ++threads) {
    compare_by(threads, "chain", chain, "block");
    compare_by(threads, "spaghetti_3d", rope, "block");
    compare_by(threads, "star", NULL, "block");
  }
}

/* A flat net of rods between points, whose edge is fixed: rods of a row in one line, each of which
 * could be shorter, so that the rows that keep them in their plane repeat each other. */
static void print_net(FILE *file, int fields) {
  const char *comma = "";
  fprintf(file, "{\"torsor\": 1, \"bodies\": [");
  for (int i = 1; i < fields; ++i)
    for (int j = 1; j < fields; ++j, comma = ", ")
      fprintf(file,
              "%s{\"name\": \"p%d_%d\", \"type\": \"point_mass\", \"mass\": 1, "
              "\"position\": [%d, %d, 0]}",
              comma, i, j, i, j);
  for (int k = 0; k < fields; ++k)
    for (int l = 1; l < fields; ++l)
      fprintf(file,
              ", {\"name\": \"x%d_%d\", \"type\": \"rigid_body\", \"mass\": 1, \"inertia\": "
              "[0.01, 0.1, 0.1], \"position\": [%d.5, %d, 0]}, {\"name\": \"y%d_%d\", \"type\": "
              "\"rigid_body\", \"mass\": 1, \"inertia\": [0.1, 0.01, 0.1], \"position\": "
              "[%d, %d.5, 0]}",
              k, l, k, l, k, l, l, k);
  fprintf(file, "], \"joints\": [");
  comma = "";
  for (int k = 0; k < fields; ++k)
    for (int l = 1; l < fields; ++l)
      for (int end = 0; end < 4; ++end, comma = ", ") {
        const int along = k + end % 2, x = end < 2 ? along : l, y = end < 2 ? l : along;
        const bool fixed = along == 0 || along == fields;
        const char *half = end % 2 ? "0.5" : "-0.5";
        fprintf(file, "%s{\"name\": \"j%d_%d_%d\", \"type\": \"spherical\", \"a\": ", comma, k, l,
                end);
        fprintf(file, fixed ? "{\"body\": \"ground\", \"position\": [%d, %d, 0]}" : "\"p%d_%d\"", x,
                y);
        fprintf(file, ", \"b\": {\"body\": \"%c%d_%d\", \"position\": [%s, %s, 0]}}",
                end < 2 ? 'x' : 'y', k, l, end < 2 ? half : "0", end < 2 ? "0" : half);
      }
  fprintf(file, "]}");
}

static void open_net(subject *out, int fields) {
  char *text = NULL;
  size_t size = 0;
  torsor_error error = {0};
  FILE *file = open_memstream(&text, &size);
  CHECK_TRUE(file != NULL);
  print_net(file, fields);
  fclose(file);
  CHECK_INT(support_open(&out->world, text, NULL, &error), TORSOR_OK);
  free(text);
  begin_subject(out, NULL);
}

/* Where exchanges within the whole matrix fill it, as in nets with dependent rows, blocks come
 * back, and stay when exchanges are asked for again: KLU's factors of this net have nine times the
 * entries that it predicts, and more than three are too many. */
static void blocks_come_back(void **state) {
  (void)state;
  const torsor_weights weights = {.system = TORSOR_SYSTEM_ACCELERATION, .m = 1, .e = 1e-8};
  subject s;
  open_net(&s, 20);
  for (int k = 0; k < 2; ++k) {
    CHECK_INT(s.a->problem.factor(s.a->problem.self, &s.p, &weights), TORSOR_OK);
    const char *name = linear_solver_name(s.a->factored->solver);
    print_message("  %s\n", name);
    CHECK_INT(strcmp(name, "block"), 0);
  }
  close_subject(&s);
}

/* Matrices with one pattern have one layout, whose last user releases it: the factors of one that
 * shares it are those of one that has its own, to the bit. */
static void matrices_share_layouts(void **state) {
  (void)state;
  const torsor_weights weights = {.system = TORSOR_SYSTEM_ACCELERATION, .m = 1};
  subject s;
  kkt first = {0}, second = {0}, other = {0};
  arena memory = {0};
  block_plan plan;
  open_subject(&s, "star", NULL, "block");
  const torsor_model *model = s.world.model;
  CHECK_INT(kkt_create(&first, model, KKT_DECOUPLED, "block", NULL, &memory), TORSOR_OK);
  CHECK_INT(kkt_create(&second, model, KKT_DECOUPLED, "block", &first, &memory), TORSOR_OK);
  CHECK_INT(kkt_create(&other, model, KKT_STABILISED, "block", &first, &memory), TORSOR_OK);
  CHECK_INT(block_plan_create(&plan, model, false, &memory), TORSOR_OK);
  const block_layout *layout = linear_solver_layout(first.solver, &second.p, &plan);
  CHECK_TRUE(layout && layout == linear_solver_layout(second.solver, &first.p, &plan));
  CHECK_INT(layout->users, 2);
  CHECK_TRUE(!linear_solver_layout(first.solver, &other.p, &plan));
  kkt_release(&first);
  CHECK_INT(layout->users, 1);

  check_rng rng = {.state = 5};
  double *x = random_numbers(&rng, second.p.n, 1);
  double *y = calloc((size_t)second.p.n, sizeof *y);
  memcpy(y, x, (size_t)second.p.n * sizeof *y);
  CHECK_INT(s.a->problem.factor(s.a, &s.p, &weights), TORSOR_OK);
  CHECK_TRUE(s.a->factored == &s.a->plain);
  CHECK_INT(linear_solver_factor(second.solver, s.a->plain.Ax), TORSOR_OK);
  CHECK_INT(linear_solver_solve(second.solver, x), TORSOR_OK);
  CHECK_INT(linear_solver_solve(s.a->plain.solver, y), TORSOR_OK);
  CHECK_INT(memcmp(x, y, (size_t)second.p.n * sizeof *x), 0);
  free(x);
  free(y);
  kkt_release(&second);
  kkt_release(&other);
  arena_release(&memory);
  close_subject(&s);
}

/* Parts of the solver that have nodes; prints how many each. */
static int count_parts(const subject *s) {
  const linear_solver *solver = s->a->factored->solver;
  int nodes[SOLVER_PARTS] = {0}, parts = 0;
  for (int i = 0; i < s->world.model->node_count; ++i)
    ++nodes[linear_solver_part_of(solver, s->world.model->node[i].first_v)];
  for (int i = 0; i < SOLVER_PARTS; ++i)
    if (nodes[i]) print_message("%s%d", parts++ ? " + " : "  ", nodes[i]);
  return parts;
}

static void turn_vector(double *x, so3 turn) {
  v3_store(x, so3_rotate(turn, v3_load(x)));
}

/* The whole state about the origin, where the ground's joints are, with the ground's axes. */
static void turn_subject(subject *s, so3 turn) {
  const torsor_model *model = s->world.model;
  for (int i = 0; i < model->node_count; ++i) {
    const model_node *node = &model->node[i];
    CHECK_INT(node->init.group, TORSOR_GROUP_R3SO3);
    turn_vector(s->q + node->first_q, turn);
    double *rotation = s->q + node->first_q + 3;
    so3_store(rotation, so3_compose(turn, so3_load(rotation)));
    turn_vector(s->v + node->first_v, turn);
    turn_vector(s->acc + node->first_v, turn);
  }
  for (int i = 0; i < model->element_count; ++i)
    if (model->element[i].ground_axes) turn_vector(s->lambda + model->element[i].first_row, turn);
}

/* A matrix that was factored before the whole turned is that of the turned state, seen from other
 * axes: rounding errors are those of a new one, with two more products of each vector, which mix
 * three rows.  A vector that does not turn with its body is off by its own size. */
static void compare_turned(int threads, const char *scene, const char *const *set, int parts) {
  static const torsor_system systems[] = {TORSOR_SYSTEM_INDEX3, TORSOR_SYSTEM_STABILISED};
  const so3 turn = so3_exp((v3){0.7, -1.1, 0.4});
  for (int k = 0; k < 2; ++k) {
    subject s;
    check_rng rng = {.state = 47};
    open_subject(&s, scene, set, "block");
    CHECK_INT(assembly_set_threads(s.a, threads, NULL), TORSOR_OK);
    CHECK_INT(assembly_make_whole(s.a), TORSOR_OK);
    const torsor_problem *problem = assembly_problem(s.a);
    const int n = problem->nv + (k + 1) * problem->nl;
    double *b = random_numbers(&rng, n, 1), *x = random_numbers(&rng, n, 0);
    double *force = random_numbers(&rng, problem->nv, 0);
    memcpy(x, b, (size_t)n * sizeof *x);
    CHECK_INT(factor(&s, systems[k], true), TORSOR_OK);
    CHECK_GE(count_parts(&s), parts);
    turn_subject(&s, turn);
    CHECK_INT(problem->residual(problem->self, &s.p, force, NULL, NULL), TORSOR_OK);
    CHECK_INT(problem->solve(problem->self, x), TORSOR_OK);
    CHECK_INT(factor(&s, systems[k], false), TORSOR_OK);
    const double error = backward_error(&s, x, b, n);
    print_message(" nodes of %s, %s, threads %d: backward error %.1e\n", scene,
                  k ? "stabilised" : "index 3", threads, error);
    CHECK_STR(linear_solver_name(s.a->factored->solver), "block");
    CHECK_LE(error, 3 * BACKWARD);
    free(b);
    free(x);
    free(force);
    close_subject(&s);
  }
}

static void parts_turn_with_their_bodies(void **state) {
  static const char *const chain[] = {"parameters.n=340", NULL};
  static const char *const rope[] = {"parameters.n=510", NULL};
  (void)state;
  for (int threads = 1; threads <= 2; ++threads) {
    compare_turned(threads, "chain", chain, 2);
    compare_turned(threads, "spaghetti_3d", rope, 3);
    compare_turned(threads, "star", NULL, 3);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trees),
      cmocka_unit_test(loops),
      cmocka_unit_test(flexible),
      cmocka_unit_test(large),
      cmocka_unit_test(matrices_share_layouts),
      cmocka_unit_test(blocks_come_back),
      cmocka_unit_test(parts_turn_with_their_bodies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
